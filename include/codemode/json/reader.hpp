#pragma once

/// @file
/// JSON text to `json::document`: the only door to simdjson.
///
/// simdjson's first stage does what SIMD is good for: it validates UTF-8, finds strings, rejects raw control
/// characters in them and lists the offsets at which a token starts, with the kernel that suits the CPU at
/// run time. A small walk over that list checks all the grammar. It is used below the two front ends
/// because neither fits here: the DOM refuses numbers that a double cannot hold, On-Demand checks only what
/// is read, both bound the nesting, and On-Demand's classes change their layout with the optimisation level, which
/// breaks programs whose translation units differ in it. What is called here is virtual and keeps its layout.

#include <codemode/json/document.hpp>
#include <codemode/result.hpp>
#include <codemode/text/json_text.hpp>
#include <codemode/text/utf8.hpp>

#include <simdjson.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace json {

/// Longest text that a reader takes; offsets are 32 bits wide.
inline constexpr std::size_t max_text_size = 0xFFFF'0000U;

namespace detail {

[[nodiscard]] inline diagnostic fault(std::string_view text, std::size_t begin, std::size_t end,
                                      std::string_view what) noexcept {
  diagnostic d;
  d.code = errc::invalid_json;
  d.begin = begin;
  d.end = end;
  d.found = text.substr(begin, end - begin);
  d.what = what;
  return d;
}

[[nodiscard]] constexpr bool is_blank(char c) noexcept {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
[[nodiscard]] constexpr bool is_decimal(char c) noexcept { return c >= '0' && c <= '9'; }

/// Whether all of `s` is a JSON number.
[[nodiscard]] constexpr bool is_json_number(std::string_view s) noexcept {
  std::size_t i = 0;
  const auto digits = [&]() noexcept {
    const std::size_t from = i;
    while (i < s.size() && is_decimal(s[i])) ++i;
    return i != from;
  };
  if (i < s.size() && s[i] == '-') ++i;
  if (i < s.size() && s[i] == '0') ++i;
  else if (!digits()) return false;
  if (i < s.size() && s[i] == '.') {
    ++i;
    if (!digits()) return false;
  }
  if (i < s.size() && (s[i] == 'e' || s[i] == 'E')) {
    ++i;
    if (i < s.size() && (s[i] == '+' || s[i] == '-')) ++i;
    if (!digits()) return false;
  }
  return i == s.size();
}

/// The list of token starts that simdjson makes.
class token_index {
 public:
  /// Lists the tokens of `text`, or says why that cannot be.
  [[nodiscard]] std::optional<diagnostic> scan(std::string_view text) {
    if (text.size() > max_text_size) {
      diagnostic d = fault({}, 0, 0, "the text is longer than 4 GB");
      d.needed = text.size();
      return d;
    }
    if (!reserve(text.size()))
      return fault(text, 0, 0, "there is not enough memory for a text of this length");
    // The kernels load whole blocks, so the text gets its padding here.
    if (!text.empty()) std::memcpy(padded_.data(), text.data(), text.size());
    std::memset(padded_.data() + text.size(), ' ', simdjson::SIMDJSON_PADDING);
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(padded_.data());
    const simdjson::error_code error = stage_->stage1(bytes, text.size(), simdjson::stage1_mode::regular);
    if (error == simdjson::SUCCESS) return std::nullopt;
    if (error == simdjson::EMPTY) return fault(text, text.size(), text.size(), "there is no JSON value");
    return locate(text);
  }

  [[nodiscard]] const std::uint32_t* begin() const noexcept { return stage_->structural_indexes.get(); }
  [[nodiscard]] std::size_t size() const noexcept { return stage_->n_structural_indexes; }

 private:
  [[nodiscard]] bool reserve(std::size_t size) {
    if (stage_ && size < stage_->capacity()) return true;
    std::size_t capacity = stage_ ? stage_->capacity() + stage_->capacity() / 2 : 4096;
    capacity = (std::min)((std::max)(capacity, size + 1), max_text_size + 1);
    padded_.resize(capacity + simdjson::SIMDJSON_PADDING);
    if (stage_) return stage_->set_capacity(capacity) == simdjson::SUCCESS;
    // The second stage, which alone has a depth, is not used.
    const auto* implementation =
        static_cast<const simdjson::implementation*>(simdjson::get_active_implementation());
    return implementation->create_dom_parser_implementation(capacity, 1, stage_) == simdjson::SUCCESS;
  }

  /// Finds what simdjson complained about; it does not tell the place.
  [[nodiscard]] static diagnostic locate(std::string_view text) noexcept {
    const std::size_t bad = text::find_invalid_utf8(text);
    const std::size_t limit = (std::min)(bad, text.size());
    std::size_t open = std::string_view::npos;
    for (std::size_t i = 0; i < limit; ++i) {
      const char c = text[i];
      if (open == std::string_view::npos) {
        if (c == '"') open = i;
      } else if (c == '"') {
        open = std::string_view::npos;
      } else if (c == '\\') {
        ++i;
      } else if (static_cast<unsigned char>(c) < 0x20) {
        return fault(text, i, i + 1,
                     "a control character inside a string must be written as an escape (\\n, \\u0000)");
      }
    }
    if (bad != std::string_view::npos)
      return fault(text, bad, bad + text::decode(text.substr(bad)).size, "the text is not valid UTF-8");
    if (open != std::string_view::npos)
      return fault(text, open, text.size(), "the string that begins here is not closed");
    return fault(text, 0, 0, "the text cannot be read as JSON");
  }

  std::unique_ptr<simdjson::internal::dom_parser_implementation> stage_;
  std::vector<char> padded_;
};

/// One pass over the tokens. Iterative: an open container keeps its parent's place in `extent`, which gets
/// its value when the container is closed.
class walk {
 public:
  walk(std::string_view text, const token_index& tokens, std::vector<node>& nodes) noexcept
      : text_(text), tokens_(tokens.begin()), token_count_(tokens.size()), nodes_(nodes) {}

  [[nodiscard]] std::optional<diagnostic> run() {
    nodes_.clear();
    for (bool more = value(); more;) {
      // A value has just ended: close what ends here, then go on to the next one.
      if (open_ == none) {
        if (next_ != token_count_) refuse("the text goes on after the end of the JSON value");
        break;
      }
      node& parent = nodes_[open_];
      const char close = parent.kind == kind::object ? '}' : ']';
      const char c = peek();
      if (c == close) {
        end_container();
      } else if (c == ',') {
        ++next_;
        more = parent.kind == kind::object ? key() && value() : value();
      } else {
        refuse(parent.kind == kind::object ? "expected a comma or a closing brace here"
                                           : "expected a comma or a closing bracket here");
        break;
      }
    }
    return std::move(fault_);
  }

 private:
  static constexpr std::uint32_t none = 0xFFFF'FFFFU;

  [[nodiscard]] char peek() const noexcept { return next_ < token_count_ ? text_[tokens_[next_]] : '\0'; }

  /// Where the scalar that starts at token `i` ends: white space before the next token is not part of it.
  [[nodiscard]] std::uint32_t token_end(std::size_t i) const noexcept {
    const std::uint32_t begin = tokens_[i];
    std::uint32_t end = i + 1 < token_count_ ? tokens_[i + 1] : static_cast<std::uint32_t>(text_.size());
    while (end > begin + 1 && is_blank(text_[end - 1])) --end;
    return end;
  }

  bool refuse_at(std::size_t begin, std::size_t end, std::string_view what) noexcept {
    fault_ = fault(text_, begin, end, what);
    return false;
  }
  /// Refuses the token in hand, or the end of the text.
  bool refuse(std::string_view what) noexcept {
    if (next_ == token_count_)
      return refuse_at(text_.size(), text_.size(), "the text ends inside a JSON value");
    return refuse_at(tokens_[next_], token_end(next_), what);
  }

  node& push(kind k, std::uint32_t begin, std::uint32_t end) {
    node& n = nodes_.emplace_back();
    n.kind = k;
    n.begin = begin;
    n.end = end;
    return n;
  }

  /// Reads a value up to its end, or, of a container that is not empty, up to the end of the first value
  /// inside that is complete.
  [[nodiscard]] bool value() {
    for (;;) {
      if (open_ != none && nodes_[open_].kind == kind::array) ++nodes_[open_].count;
      switch (peek()) {
        case '{':
          begin_container(kind::object);
          if (peek() == '}') return end_container();
          if (!key()) return false;
          break;
        case '[':
          begin_container(kind::array);
          if (peek() == ']') return end_container();
          break;
        case '"':
          return string();
        case 't':
          return literal("true", kind::boolean);
        case 'f':
          return literal("false", kind::boolean);
        case 'n':
          return literal("null", kind::null);
        default:
          return number();
      }
    }
  }

  void begin_container(kind k) {
    const auto at = static_cast<std::uint32_t>(nodes_.size());
    push(k, tokens_[next_], 0).extent = open_;
    open_ = at;
    ++next_;
  }

  bool end_container() noexcept {
    node& n = nodes_[open_];
    n.end = tokens_[next_] + 1;
    const std::uint32_t parent = n.extent;
    n.extent = static_cast<std::uint32_t>(nodes_.size()) - open_;
    open_ = parent;
    ++next_;
    return true;
  }

  /// A member's key and its colon.
  [[nodiscard]] bool key() {
    if (peek() != '"') return refuse("expected the name of a member in double quotes here");
    ++nodes_[open_].count;
    if (!string()) return false;
    if (peek() != ':') return refuse("expected a colon after the name of a member here");
    ++next_;
    return true;
  }

  [[nodiscard]] bool literal(std::string_view word, kind k) {
    const std::uint32_t begin = tokens_[next_];
    const std::uint32_t end = token_end(next_);
    if (text_.substr(begin, end - begin) != word) return refuse("this is no JSON value");
    push(k, begin, end);
    ++next_;
    return true;
  }

  [[nodiscard]] bool number() {
    if (next_ == token_count_) return refuse({});
    const std::uint32_t begin = tokens_[next_];
    const std::uint32_t end = token_end(next_);
    if (!is_json_number(text_.substr(begin, end - begin))) {
      const char c = text_[begin];
      return refuse(c == '-' || is_decimal(c)                      ? "this is no JSON number"
                    : c == '}' || c == ']' || c == ',' || c == ':' ? "expected a value here"
                                                                   : "this is no JSON value");
    }
    push(kind::number, begin, end);
    ++next_;
    return true;
  }

  [[nodiscard]] bool string() {
    const std::uint32_t begin = tokens_[next_];
    const std::uint32_t end = token_end(next_);
    // simdjson starts a new token right after a closing quote, so the last quote before it closes the string.
    if (end - begin < 2 || text_[end - 1] != '"') return refuse("this string is not closed");
    node& n = push(kind::string, begin, end);
    ++next_;
    const std::string_view content = text_.substr(begin + 1, end - begin - 2);
    for (std::size_t i = content.find('\\'); i != std::string_view::npos; i = content.find('\\', i)) {
      n.escaped = true;
      const text::json_escape e = text::read_json_escape(content.substr(i));
      if (!e.valid()) {
        const std::size_t at = begin + 1 + i;
        return refuse_at(
            at, at + 1 + text::decode(text_.substr(at + 1)).size,
            "a backslash in a string must begin one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX");
      }
      n.lone_surrogate = n.lone_surrogate || e.lone_surrogate();
      i += e.size;
    }
    return true;
  }

  std::string_view text_;
  const std::uint32_t* tokens_;
  std::size_t token_count_;
  std::size_t next_ = 0;
  std::uint32_t open_ = none;
  std::vector<node>& nodes_;
  std::optional<diagnostic> fault_;
};

}  // namespace detail

/// Reads one JSON text after another and reuses its memory: no allocation once it has met the longest text,
/// and at most some 25 bytes for each byte of that. Movable; one reader for each thread.
class reader {
 public:
  /// Reads `text`, which need not be padded. The document borrows `text` and this reader's nodes: it is valid
  /// until the next `read` and while `text` and the reader are. Any nesting depth is fine.
  ///
  /// Refuses with `invalid_json` whatever is not one well-formed JSON value in UTF-8; `begin` is the byte
  /// offset of the fault, `found` the token there. A byte order mark is no JSON. Repeated members and
  /// lone surrogate escapes are well-formed (see `duplicate_finder`, `element::lone_surrogate`).
  [[nodiscard]] result<document> read(std::string_view text) {
    if (!tokens_) tokens_ = std::make_unique<detail::token_index>();
    if (auto fault = tokens_->scan(text)) return *fault;
    if (auto fault = detail::walk{text, *tokens_, nodes_}.run()) return *fault;
    return document{text, nodes_};
  }

 private:
  std::unique_ptr<detail::token_index> tokens_;  // behind a pointer: it holds what simdjson keeps
  std::vector<node> nodes_;
};

}  // namespace json
}  // namespace v0_1
}  // namespace codemode
