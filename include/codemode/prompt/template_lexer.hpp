#pragma once

/// @file
/// Cuts a template into text and tags and applies the white space rules (section 19.5). Private.

#include <codemode/prompt/template_error.hpp>
#include <codemode/prompt/template_syntax.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace detail {

/// Place of byte `offset` as an error.
[[nodiscard]] inline template_error make_template_error(std::string_view source, std::size_t offset,
                                                        std::string message, template_error::phase when) {
  template_error e;
  e.message = std::move(message);
  e.when = when;
  const std::string_view before = source.substr(0, (std::min)(offset, source.size()));
  e.line = 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t start = before.rfind('\n') + 1;  // npos + 1 is 0
  for (const char c : before.substr(start)) e.column += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1U : 0U;
  return e;
}

struct template_token {
  enum class kind : std::uint8_t {
    text, output, triple, ampersand, open, inverse, otherwise, close, comment, partial, partial_block, decorator,
    raw_open, raw_close
  };
  kind what = kind::text;
  std::string text{};        ///< a text; what stands inside a tag behind its mark
  std::size_t offset = 0;    ///< of the tag
  bool trims_left = false;   ///< ~
  bool trims_right = false;
  bool alone = false;        ///< alone on its line
  std::string indent{};      ///< of a tag that is alone
};

/// Reads all tokens; stops at the first error.
class template_lexer {
 public:
  using kind = template_token::kind;

  explicit template_lexer(std::string_view source) : source_(source) {}

  [[nodiscard]] bool run() {
    std::size_t i = 0;
    std::string text;
    const auto flush = [&] {
      if (!text.empty()) push(kind::text, std::exchange(text, {}), 0);
    };
    for (;;) {
      const std::size_t tag = source_.find("{{", i);
      if (tag == npos) {
        text += source_.substr(i);
        flush();
        break;
      }
      if (tag >= i + 2 && source_.substr(tag - 2, 2) == "\\\\") {  // one backslash, then the value
        text += source_.substr(i, tag - 1 - i);
      } else if (tag >= i + 1 && source_[tag - 1] == '\\') {  // literal braces
        text += source_.substr(i, tag - 1 - i);
        text += "{{";
        i = tag + 2;
        continue;
      } else {
        text += source_.substr(i, tag - i);
      }
      flush();
      if (!read_tag(tag, i)) return false;
      if (tokens_.back().what == kind::raw_open && !read_raw(tag, i)) return false;
    }
    apply_white_space();
    return true;
  }

  [[nodiscard]] std::vector<template_token>& tokens() noexcept { return tokens_; }
  [[nodiscard]] template_error& error() noexcept { return error_; }

 private:
  static constexpr std::size_t npos = std::string_view::npos;

  template_token& push(kind what, std::string_view text, std::size_t offset) {
    template_token& t = tokens_.emplace_back();
    t.what = what;
    t.text = text;
    t.offset = offset;
    return t;
  }
  bool fail(std::size_t offset, std::string message) {
    error_ = make_template_error(source_, offset, std::move(message), template_error::phase::parse);
    return false;
  }

  /// Finds `close` from `at` on, minding strings and brackets.
  [[nodiscard]] bool find_end(std::string_view close, std::size_t tag, std::size_t at, std::size_t& end) {
    for (std::size_t k = at; k < source_.size(); ++k) {
      const std::string_view rest = source_.substr(k);
      const char c = source_[k];
      if (rest.starts_with(close)) {
        if (close != "}" && rest.substr(close.size()).starts_with('}') && source_[k - 1] != '~')
          return fail(tag, "found " + std::string{close} + "} at the end of a tag, expected " + std::string{close});
        end = k;
        return true;
      }
      if (c == '"' || c == '\'' || c == '[') {
        const char quote = c == '[' ? ']' : c;
        for (++k; k < source_.size() && source_[k] != quote; ++k)
          if (source_[k] == '\\') ++k;
        if (k >= source_.size())
          return fail(tag, c == '[' ? "a bracket is not closed, expected ]"
                                    : std::string{"a string is not closed, expected "} + c);
      } else if (rest.starts_with("{{")) {
        return fail(tag, "found {{ inside a tag, expected " + std::string{close} + " before the next one");
      }
    }
    return fail(tag, "the tag is not closed, expected " + std::string{close});
  }

  /// Reads the tag at `tag` and sets `next` behind it.
  [[nodiscard]] bool read_tag(std::size_t tag, std::size_t& next) {
    const std::string_view rest = source_.substr(tag);
    std::size_t end = 0;
    if (rest.starts_with("{{{{")) {
      if (!find_end("}}}}", tag, tag + 4, end)) return false;
      push(kind::raw_open, source_.substr(tag + 4, end - tag - 4), tag);
      next = end + 4;
      return true;
    }
    if (rest.starts_with("{{{")) {
      if (!find_end("}}}", tag, tag + 3, end)) return false;
      push(kind::triple, source_.substr(tag + 3, end - tag - 3), tag);
      next = end + 3;
      return true;
    }
    std::size_t k = tag + 2;
    const bool left = source_.substr(k).starts_with('~');
    if (left) ++k;
    const std::string_view inner = source_.substr(k);
    if (inner.starts_with('!')) return read_comment(tag, k, left, next);
    if (inner.starts_with('{')) {  // {{~{x}~}}
      if (!find_end("}", tag, k + 1, end)) return false;
      const std::string_view behind = source_.substr(end);
      const bool right = behind.starts_with("}~}}");
      if (!right && !behind.starts_with("}}}")) return fail(tag, "the tag is not closed, expected }}}");
      template_token& t = push(kind::triple, source_.substr(k + 1, end - k - 1), tag);
      t.trims_left = left;
      t.trims_right = right;
      next = end + (right ? 4 : 3);
      return true;
    }
    if (!find_end("}}", tag, k, end)) return false;
    std::string_view body = source_.substr(k, end - k);
    const bool right = body.ends_with('~');
    if (right) body.remove_suffix(1);
    next = end + 2;
    struct mark {
      std::string_view text;
      kind what;
    };
    constexpr mark marks[]{{"#*", kind::decorator}, {"#>", kind::partial_block}, {"#", kind::open}, {"/", kind::close},
                           {">", kind::partial},    {"&", kind::ampersand},      {"^", kind::inverse}};
    kind what = kind::output;
    for (const mark& m : marks)
      if (body.starts_with(m.text)) {
        what = m.what;
        body.remove_prefix(m.text.size());
        break;
      }
    if (what == kind::output) {
      const std::string_view word = trim_left(body);
      std::size_t n = 0;
      if (word.starts_with("else") && (word.size() == 4 || is_template_space(word.substr(4), n))) {
        what = kind::otherwise;
        body = word.substr(4);
      }
    }
    if (what == kind::inverse && trim_left(body).empty()) what = kind::otherwise;
    template_token& t = push(what, body, tag);
    t.trims_left = left;
    t.trims_right = right;
    return true;
  }

  [[nodiscard]] bool read_comment(std::size_t tag, std::size_t at, bool left, std::size_t& next) {
    const bool dashes = source_.substr(at).starts_with("!--");
    const std::string_view plain = dashes ? "--}}" : "}}";
    const std::string_view trimming = dashes ? "--~}}" : "~}}";
    for (std::size_t k = at + 1; k < source_.size(); ++k) {
      const std::string_view rest = source_.substr(k);
      const bool right = rest.starts_with(trimming);
      if (!right && !rest.starts_with(plain)) continue;
      template_token& t = push(kind::comment, {}, tag);
      t.trims_left = left;
      t.trims_right = right;
      next = k + (right ? trimming : plain).size();
      return true;
    }
    return fail(tag, "the comment is not closed, expected " + std::string{plain});
  }

  /// Reads the body of a raw block and its closing tag.
  [[nodiscard]] bool read_raw(std::size_t tag, std::size_t& next) {
    std::string_view name = trim_left(tokens_.back().text);
    for (std::size_t i = 0, n = 0; i < name.size(); i += n)
      if (is_template_space(name.substr(i), n)) name = name.substr(0, i);
    const std::string opened{name};
    const auto unclosed = [&] {
      return fail(tag, "the raw block is not closed, expected {{{{/" + opened + "}}}}");
    };
    std::size_t k = next;
    for (std::size_t depth = 1;;) {
      k = source_.find("{{{{", k);
      if (k == npos) return unclosed();
      const std::size_t end = source_.find("}}}}", k);
      if (end == npos) return unclosed();
      if (source_[k + 4] != '/') {
        ++depth;
      } else if (--depth == 0) {
        const std::string_view closed = trim_right(trim_left(source_.substr(k + 5, end - k - 5)));
        if (closed != opened)
          return fail(k, "expected {{{{/" + opened + "}}}}, found {{{{/" + std::string{closed} + "}}}}");
        if (k > next) push(kind::text, source_.substr(next, k - next), 0);
        push(kind::raw_close, {}, k);
        next = end + 4;
        return true;
      }
      k = end + 4;
    }
  }

  [[nodiscard]] static bool stands_alone(kind k) noexcept {
    return k != kind::text && k != kind::output && k != kind::triple && k != kind::ampersand;
  }
  [[nodiscard]] static std::string_view without_blanks_at_end(std::string_view s) noexcept {
    while (!s.empty() && (s.back() == ' ' || s.back() == '\t')) s.remove_suffix(1);
    return s;
  }

  /// A tag alone on its line takes the line with it; `~` takes all white space up to the next text or tag.
  /// The line rule looks at the texts as they were written, so all are judged before any is changed.
  void apply_white_space() {
    const std::size_t count = tokens_.size();
    struct cut {
      bool head = false, tail = false;
    };
    std::vector<cut> cuts(count);
    for (std::size_t n = 0; n < count; ++n) {
      template_token& tag = tokens_[n];
      if (!stands_alone(tag.what)) continue;
      const bool has_before = n > 0, has_after = n + 1 < count;
      if (has_before && tokens_[n - 1].what != kind::text) continue;
      if (has_after && tokens_[n + 1].what != kind::text) continue;
      const std::string_view before = has_before ? std::string_view{tokens_[n - 1].text} : std::string_view{};
      const std::string_view after = has_after ? std::string_view{tokens_[n + 1].text} : std::string_view{};
      const std::string_view kept = without_blanks_at_end(before);
      if (kept.empty() ? n > 1 : kept.back() != '\n') continue;
      const std::size_t gap = (std::min)(after.find_first_not_of(" \t"), after.size());
      const std::string_view tail = after.substr(gap);
      if (tail.empty() ? n + 2 < count : !(tail.starts_with('\n') || tail.starts_with("\r\n"))) continue;
      tag.alone = true;
      tag.indent = before.substr(kept.size());
      if (has_before) cuts[n - 1].tail = true;
      if (has_after) cuts[n + 1].head = true;
    }
    for (std::size_t n = 0; n < count; ++n) {
      if (tokens_[n].what != kind::text) continue;
      std::string_view s = tokens_[n].text;
      if (cuts[n].tail) s = without_blanks_at_end(s);
      if (cuts[n].head) {
        s.remove_prefix((std::min)(s.find_first_not_of(" \t"), s.size()));
        if (s.starts_with("\r\n")) s.remove_prefix(2);
        else if (s.starts_with('\n')) s.remove_prefix(1);
      }
      if (n > 0 && tokens_[n - 1].trims_right) s = trim_left(s);
      if (n + 1 < count && tokens_[n + 1].trims_left) s = trim_right(s);
      tokens_[n].text = std::string{s};
    }
  }

  std::string_view source_;
  std::vector<template_token> tokens_;
  template_error error_;
};

}  // namespace detail
}  // namespace v0_1
}  // namespace codemode
