#pragma once

/// @file
/// An owned JSON value: a flat row of nodes over text of its own, made piece by piece, and what values have
/// in common: equality by value, numbers, compact text.

#include <codemode/json/document.hpp>
#include <codemode/text/number.hpp>

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace json {

/// The value of a JSON number; beyond a double's range it is an infinity, or zero.
[[nodiscard]] inline double to_double(std::string_view literal) noexcept {
  double x = 0;
  const auto done = std::from_chars(literal.data(), literal.data() + literal.size(), x);
  if (done.ec == std::errc::result_out_of_range) {
    // from_chars leaves x alone; what is tiny has a negative exponent.
    const std::size_t e = literal.find_first_of("eE");
    const bool tiny = e != std::string_view::npos && e + 1 < literal.size() && literal[e + 1] == '-';
    x = tiny ? 0.0 : std::numeric_limits<double>::infinity();
    if (literal.starts_with('-')) x = -x;
  }
  return x;
}

/// Whether a number has no fraction.
[[nodiscard]] inline bool is_whole(double x) noexcept { return std::isfinite(x) && std::trunc(x) == x; }

/// Grows a row of nodes in source order, and the text that they point into. Keeps its memory.
///
/// Texts of scalars are copied; containers have no text of their own, so `element::raw` is only for scalars
/// and `write_compact` writes whole values. Elements are valid until the next change.
class tape {
 public:
  void clear() noexcept {
    text_.clear();
    nodes_.clear();
  }
  [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(nodes_.size()); }
  [[nodiscard]] element at(std::uint32_t i) const noexcept { return {text_.data(), nodes_.data() + i}; }
  [[nodiscard]] element root() const noexcept { return at(0); }
  /// Forgets the nodes from `n` on. Their text stays until `clear`.
  void truncate(std::uint32_t n) noexcept { nodes_.resize(n); }
  [[nodiscard]] node& node_at(std::uint32_t i) noexcept { return nodes_[i]; }
  [[nodiscard]] std::size_t bytes() const noexcept { return text_.capacity() + nodes_.capacity() * sizeof(node); }

  /// Appends a scalar, or a key, as it is written in JSON.
  std::uint32_t scalar(kind k, std::string_view raw) {
    const std::uint32_t i = size();
    node& n = nodes_.emplace_back();
    n.kind = k;
    n.begin = static_cast<std::uint32_t>(text_.size());
    text_.append(raw);
    n.end = static_cast<std::uint32_t>(text_.size());
    n.escaped = k == kind::string && raw.find('\\') != std::string_view::npos;
    return i;
  }
  /// Appends a string or a key given as UTF-8.
  std::uint32_t string(std::string_view utf8) {
    const std::uint32_t i = size();
    node& n = nodes_.emplace_back();
    n.kind = kind::string;
    n.begin = static_cast<std::uint32_t>(text_.size());
    text::append_json_string(text_, utf8);
    n.end = static_cast<std::uint32_t>(text_.size());
    n.escaped = text_.find('\\', n.begin) != std::string::npos;
    return i;
  }
  std::uint32_t null() { return scalar(kind::null, "null"); }
  /// Opens an array or object; its children follow, then `close`.
  std::uint32_t open(kind k) {
    const std::uint32_t i = size();
    nodes_.emplace_back().kind = k;
    return i;
  }
  /// Ends the container at `i`, which has `count` items or members.
  void close(std::uint32_t i, std::uint32_t count) noexcept {
    nodes_[i].extent = size() - i;
    nodes_[i].count = count;
  }
  /// Appends a copy of a value that lives elsewhere.
  std::uint32_t copy(const element& e) {
    const std::uint32_t first = size();
    const node* const from = e.at();
    for (std::uint32_t i = 0; i < from->extent; ++i) {
      node n = from[i];
      if (n.kind == kind::array || n.kind == kind::object) {
        n.begin = n.end = 0;
      } else {
        const auto begin = static_cast<std::uint32_t>(text_.size());
        text_.append(e.text() + n.begin, n.end - n.begin);
        n.begin = begin;
        n.end = static_cast<std::uint32_t>(text_.size());
      }
      nodes_.push_back(n);
    }
    return first;
  }

 private:
  std::string text_;
  std::vector<node> nodes_;
};

/// JSON equality: numbers by value, order of members ignored, of repeated members the last.
[[nodiscard]] inline bool same(const element& a, const element& b) {
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case kind::null: return true;
    case kind::boolean: return a.is_true() == b.is_true();
    case kind::number: return a.raw() == b.raw() || to_double(a.raw()) == to_double(b.raw());
    case kind::string: return a.compare(b) == 0;
    case kind::array: {
      if (a.size() != b.size()) return false;
      auto j = b.items().begin();
      for (const element x : a.items()) {
        if (!same(x, *j)) return false;
        ++j;
      }
      return true;
    }
    case kind::object: {
      if (a.size() != b.size()) return false;
      auto j = b.members().begin();
      for (const member m : a.members()) {
        // Mostly the order is the same as well; only else is there a search.
        const member n = *j;
        ++j;
        if (n.key.compare(m.key) == 0) {
          if (!same(m.value, n.value)) return false;
          continue;
        }
        bool found = false;
        for (const member other : b.members())
          if (other.key.compare(m.key) == 0) {
            found = same(m.value, other.value);
            break;
          }
        if (!found) return false;
      }
      return true;
    }
  }
  return false;
}

/// Appends a number in the layout of ECMAScript; a whole number that is written as one stays as it is.
template <text_sink S>
void append_number(S& sink, std::string_view literal) {
  if (literal.find_first_of(".eE") == std::string_view::npos) {
    sink.append(literal);
    return;
  }
  const double x = to_double(literal);
  if (!std::isfinite(x)) {
    sink.append(literal);
    return;
  }
  const text::number_text text = text::format_number(x);
  sink.append(text.view());
}

/// Appends a value as JSON without white space.
template <text_sink S>
void write_compact(const element& e, S& sink) {
  const node* n = e.at();
  const node* const end = n + n->extent;
  struct level {
    const node* end;
    bool object;
    bool key;
    bool first;
  };
  // Iterative, so that depth costs no stack; this vector is the only allocation, and scalars need none.
  std::vector<level> open;
  while (n != end) {
    if (!open.empty()) {
      level& l = open.back();
      if (l.object && !l.key) {
        sink.append(std::string_view{":"});
        l.key = true;
      } else {
        if (!l.first) sink.append(std::string_view{","});
        l.first = false;
        l.key = false;
      }
    }
    const element here{e.text(), n};
    const bool container = n->kind == kind::array || n->kind == kind::object;
    if (container) {
      const bool object = n->kind == kind::object;
      sink.append(object ? std::string_view{"{"} : std::string_view{"["});
      open.push_back({n + n->extent, object, true, true});
    } else if (n->kind == kind::string) {
      if (n->escaped) text::append_json_literal(sink, here.raw());
      else sink.append(here.raw());
    } else if (n->kind == kind::number) {
      append_number(sink, here.raw());
    } else {
      sink.append(here.raw());
    }
    ++n;
    while (!open.empty() && n == open.back().end) {
      sink.append(open.back().object ? std::string_view{"}"} : std::string_view{"]"});
      open.pop_back();
    }
  }
}

}  // namespace json
}  // namespace v0_1
}  // namespace codemode
