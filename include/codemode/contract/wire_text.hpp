#pragma once

/// @file
/// JSON strings as the agent contract writes them, and its indented form.
///
/// The escapes are those of Go's encoder, which wrote the contract first: besides what JSON needs, `<`, `>` and
/// `&` are escaped, so that a text may stand inside HTML, and U+2028 and U+2029, so that it may stand inside old
/// JavaScript. A byte that is no UTF-8 becomes the six characters `\ufffd`.

#include <codemode/text/json_text.hpp>
#include <codemode/text/sink.hpp>
#include <codemode/text/utf8.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace codemode {
inline namespace v0_1 {
namespace contract {
namespace detail {

/// Whether an ASCII byte stands in a wire string as it is.
[[nodiscard]] constexpr bool is_plain_ascii(unsigned char c) noexcept {
  return c >= 0x20 && c < 0x80 && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&';
}

}  // namespace detail

/// Appends `bytes` as the content of a wire string, without its quotes. Takes any bytes; never allocates.
template <text_sink S>
constexpr void append_wire_content(S& sink, std::string_view bytes) {
  std::size_t run = 0;
  std::size_t i = 0;
  const auto flush = [&] {
    if (run < i) sink.append(bytes.substr(run, i - run));
  };
  while (i < bytes.size()) {
    const auto c = static_cast<unsigned char>(bytes[i]);
    if (detail::is_plain_ascii(c)) {
      ++i;
      continue;
    }
    const text::decoded d = text::decode(bytes.substr(i));
    if (d.valid && d.code_point >= 0x80 && d.code_point != 0x2028 && d.code_point != 0x2029) {
      i += d.size;
      continue;
    }
    flush();
    if (!d.valid) {
      for (std::size_t n = 0; n < d.size; ++n) sink.append(std::string_view{"\\ufffd"});
    } else if (c == '<' || c == '>' || c == '&') {
      text::append_unicode_escape(sink, c);
    } else {
      text::detail::append_json_escape(sink, d.code_point);
    }
    i += d.size;
    run = i;
  }
  flush();
}

/// Appends `bytes` as a wire string with its quotes.
template <text_sink S>
constexpr void append_wire_string(S& sink, std::string_view bytes) {
  sink.append(std::string_view{"\""});
  append_wire_content(sink, bytes);
  sink.append(std::string_view{"\""});
}

/// Turns compact JSON that passes through it into the indented form: two spaces a level, a space after each
/// colon, empty arrays and objects closed on their line. Pieces may end anywhere. Call `finish` for the line
/// feed at the end. Never allocates of itself.
template <text_sink S>
class indenting_sink {
 public:
  constexpr explicit indenting_sink(S& sink) noexcept : sink_(sink) {}

  constexpr void append(std::string_view piece) {
    std::size_t i = 0;
    while (i < piece.size()) {
      if (in_string_) {
        i += pass_string(piece.substr(i));
        continue;
      }
      const char c = piece[i++];
      const bool closes = c == '}' || c == ']';
      if (opened_) {
        opened_ = false;
        if (closes) {
          put(c);
          continue;
        }
        ++depth_;
        new_line();
      }
      if (closes) {
        --depth_;
        new_line();
      }
      put(c);
      if (c == '"') in_string_ = true;
      else if (c == '{' || c == '[') opened_ = true;
      else if (c == ',') new_line();
      else if (c == ':') put(' ');
    }
  }

  /// Ends the text.
  constexpr void finish() { put('\n'); }

 private:
  /// Passes on what belongs to the string in hand; how many bytes that were.
  constexpr std::size_t pass_string(std::string_view rest) {
    std::size_t i = 0;
    for (; i < rest.size(); ++i) {
      if (escaped_) escaped_ = false;
      else if (rest[i] == '\\') escaped_ = true;
      else if (rest[i] == '"') {
        in_string_ = false;
        ++i;
        break;
      }
    }
    sink_.append(rest.substr(0, i));
    return i;
  }

  constexpr void put(char c) { sink_.append(std::string_view{&c, 1}); }

  constexpr void new_line() {
    constexpr std::string_view spaces = "                                ";
    put('\n');
    for (std::size_t left = depth_ * 2; left > 0;) {
      const std::size_t n = (std::min)(left, spaces.size());
      sink_.append(spaces.substr(0, n));
      left -= n;
    }
  }

  S& sink_;
  std::size_t depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
  bool opened_ = false;  // a bracket whose line break waits for what follows
};

}  // namespace contract
}  // namespace v0_1
}  // namespace codemode
