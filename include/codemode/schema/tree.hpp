#pragma once

/// @file
/// A whole schema: its text, read once, and the nodes over it. Constant after import; may be shared by threads.

#include <codemode/json/document.hpp>
#include <codemode/schema/node.hpp>
#include <codemode/text/sink.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace schema {

class importer;

/// A schema as every operation sees it. Made by `import_schema` (import.hpp), `read_schema` (read.hpp) or the builder.
/// Owns all of it; movable. JSON values are named by index, see `json`.
class tree {
 public:
  tree() = default;

  [[nodiscard]] index root() const noexcept { return root_; }
  [[nodiscard]] const rows& parts() const noexcept { return rows_; }
  [[nodiscard]] const std::vector<definition>& definitions() const noexcept { return definitions_; }
  [[nodiscard]] const std::vector<source_view>& views() const noexcept { return views_; }
  [[nodiscard]] const std::vector<remark>& remarks() const noexcept { return remarks_; }
  /// Remarks on the references that a root consists of, each with its place.
  [[nodiscard]] const std::vector<std::pair<index, remark>>& adopted() const noexcept { return adopted_; }
  [[nodiscard]] const std::vector<std::pair<index, index>>& left_out() const noexcept { return left_out_; }
  [[nodiscard]] const std::vector<schema::place>& places() const noexcept { return places_; }

  /// The value of an index: the first ones are the source's own, in order; the others were made by import.
  [[nodiscard]] json::element json(index i) const noexcept {
    if (i < source_.size()) return {text_.data(), source_.data() + i};
    return rows_.json.at(i - source_count());
  }
  [[nodiscard]] index source_count() const noexcept { return static_cast<index>(source_.size()); }
  /// All JSON values there are.
  [[nodiscard]] index json_count() const noexcept { return source_count() + rows_.json.size(); }
  /// The whole source. A tree always has one.
  [[nodiscard]] json::element source() const noexcept { return {text_.data(), source_.data()}; }
  [[nodiscard]] std::string_view text() const noexcept { return {text_.data(), text_.size()}; }
  /// Index of a value of the source.
  [[nodiscard]] index index_of(const json::element& e) const noexcept {
    return static_cast<index>(e.at() - source_.data());
  }

  /// Value that a `$ref` string (its index) means, or `none` where it does not resolve.
  [[nodiscard]] index target_of(index ref) const noexcept {
    const auto at = std::lower_bound(targets_.begin(), targets_.end(), std::pair<index, index>{ref, 0});
    return at != targets_.end() && at->first == ref ? at->second : none;
  }

  /// Appends the JSON pointer of a place (RFC 6901, not percent-encoded), as UTF-8.
  template <text_sink S>
  void write_pointer(index at, S& sink) const {
    // Places know their parents only; pointers are short, so the way down is found by walking up once for each step.
    std::size_t depth = 0;
    for (index i = at; i != 0; i = places_[i].parent) ++depth;
    for (std::size_t level = 1; level <= depth; ++level) {
      index i = at;
      for (std::size_t k = depth; k > level; --k) i = places_[i].parent;
      write_token(places_[i], sink);
    }
  }
  [[nodiscard]] std::string pointer(index at) const {
    std::string s;
    write_pointer(at, s);
    return s;
  }

  /// Bytes that the tree takes, its text included.
  [[nodiscard]] std::size_t memory() const noexcept {
    return text_.capacity() + source_.capacity() * sizeof(json::node) + rows_.json.bytes() +
           rows_.nodes.capacity() * sizeof(node) + rows_.links.capacity() * sizeof(index) +
           rows_.properties.capacity() * sizeof(property) + rows_.entries.capacity() * sizeof(entry) +
           definitions_.capacity() * sizeof(definition) + views_.capacity() * sizeof(source_view) +
           remarks_.capacity() * sizeof(remark) + places_.capacity() * sizeof(schema::place) +
           targets_.capacity() * sizeof(std::pair<index, index>);
  }

 private:
  friend class importer;

  template <text_sink S>
  void write_token(const schema::place& p, S& sink) const {
    sink.append(std::string_view{"/"});
    if (p.kind == place::step::item) {
      char digits[16];
      const auto done = std::to_chars(digits, digits + sizeof digits, p.token);
      sink.append(std::string_view{digits, static_cast<std::size_t>(done.ptr - digits)});
      return;
    }
    std::string decoded;
    std::string_view token;
    if (p.kind == place::step::keyword) {
      token = to_string(static_cast<keyword>(p.token));
    } else {
      const json::element name = json(p.token);
      if (name.escaped()) {
        name.decode(decoded);
        token = decoded;
      } else {
        token = name.content();
      }
    }
    for (std::size_t i = 0; i < token.size();) {
      const std::size_t stop = (std::min)(token.find_first_of("~/", i), token.size());
      if (stop > i) sink.append(token.substr(i, stop - i));
      if (stop < token.size()) sink.append(token[stop] == '~' ? std::string_view{"~0"} : std::string_view{"~1"});
      i = stop + 1;
    }
  }

  std::vector<char> text_;
  std::vector<json::node> source_;
  rows rows_;
  std::vector<definition> definitions_;
  std::vector<source_view> views_;
  std::vector<remark> remarks_;
  std::vector<std::pair<index, remark>> adopted_;
  std::vector<std::pair<index, index>> left_out_;   // node, next
  std::vector<schema::place> places_;
  std::vector<std::pair<index, index>> targets_;    // $ref string, value; sorted
  index root_ = 0;
};

}  // namespace schema
}  // namespace v0_1
}  // namespace codemode
