#pragma once

/// @file
/// JSON strings as text: finding where one ends, its content, and writing one. Streaming, so that nothing is
/// allocated and a string of any length passes through.

#include <codemode/result.hpp>
#include <codemode/text/sink.hpp>
#include <codemode/text/utf8.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace codemode {
inline namespace v0_1 {
namespace text {

/// One escape sequence of a JSON string.
struct json_escape {
  char32_t code_point = replacement_character;  ///< a surrogate where it stands alone
  std::uint8_t size = 0;  ///< bytes: 2, 6, or 12 for a surrogate pair; 0 for no escape of JSON

  [[nodiscard]] constexpr bool valid() const noexcept { return size != 0; }
  [[nodiscard]] constexpr bool lone_surrogate() const noexcept { return !is_scalar_value(code_point); }
};

namespace detail {

/// Value of the four hexadecimal digits at the start of `s`, or -1.
[[nodiscard]] constexpr std::int32_t hex4(std::string_view s) noexcept {
  if (s.size() < 4) return -1;
  std::int32_t value = 0;
  for (const char c : s.substr(0, 4)) {
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

}  // namespace detail

/// Reads the escape at the start of `s`, which begins with a backslash. Two surrogate escapes that make a
/// pair are one escape.
[[nodiscard]] constexpr json_escape read_json_escape(std::string_view s) noexcept {
  if (s.size() < 2) return {};
  switch (s[1]) {
    case '"':
    case '\\':
    case '/':
      return {static_cast<char32_t>(s[1]), 2};
    case 'b':
      return {U'\b', 2};
    case 'f':
      return {U'\f', 2};
    case 'n':
      return {U'\n', 2};
    case 'r':
      return {U'\r', 2};
    case 't':
      return {U'\t', 2};
    case 'u':
      break;
    default:
      return {};
  }
  const std::int32_t first = detail::hex4(s.substr(2));
  if (first < 0) return {};
  const auto unit = static_cast<char32_t>(first);
  const bool leads = unit >= 0xD800 && unit <= 0xDBFF;
  if (!leads || s.size() < 12 || s[6] != '\\' || s[7] != 'u') return {unit, 6};
  const std::int32_t second = detail::hex4(s.substr(8));
  if (second < 0xDC00 || second > 0xDFFF) return {unit, 6};
  return {0x10000U + ((unit - 0xD800U) << 10U) + (static_cast<char32_t>(second) - 0xDC00U), 12};
}

/// What `scan_json_string` found.
struct json_string_scan {
  bool ok = false;
  bool unterminated = false;  ///< the text ends before the closing quote
  std::size_t size = 0;       ///< bytes of the string with both quotes, if `ok`
  std::size_t offset = 0;     ///< byte at fault, if not
  std::string_view what{};    ///< static text that says what is wrong, if not
};

/// Reads the JSON string at the start of `s`, quotes included, up to its closing quote: no raw control
/// characters, only JSON's escapes, no escape of a lone surrogate, well-formed UTF-8. Text behind the closing
/// quote is not looked at.
[[nodiscard]] constexpr json_string_scan scan_json_string(std::string_view s) noexcept {
  const auto fail = [](std::size_t offset, std::string_view what) noexcept {
    return json_string_scan{false, false, 0, offset, what};
  };
  if (s.empty() || s.front() != '"') return fail(0, "a JSON string begins with a double quote");
  std::size_t i = 1;
  while (i < s.size()) {
    const auto c = static_cast<unsigned char>(s[i]);
    if (c == '"') return {true, false, i + 1, 0, {}};
    if (c < 0x20) return fail(i, "a control character in a JSON string is written as an escape");
    if (c == '\\') {
      if (i + 1 == s.size()) break;
      const json_escape e = read_json_escape(s.substr(i));
      if (!e.valid()) return fail(i, "this is no escape of JSON; a backslash is written \\\\");
      if (e.lone_surrogate()) return fail(i, "half of a surrogate pair is no character");
      i += e.size;
    } else if (c < 0x80) {
      ++i;
    } else {
      const decoded d = decode(s.substr(i));
      if (!d.valid) return fail(i, "the string is not UTF-8");
      i += d.size;
    }
  }
  return {false, true, 0, s.size(), "the string has no closing double quote"};
}

/// `bad_string` with the place at fault unless the whole of `literal` is one JSON string as
/// `scan_json_string` reads it.
[[nodiscard]] constexpr std::optional<diagnostic> check_json_string(std::string_view literal) noexcept {
  const json_string_scan scan = scan_json_string(literal);
  if (scan.ok && scan.size == literal.size()) return std::nullopt;
  diagnostic d;
  d.code = errc::bad_string;
  d.begin = scan.ok ? scan.size : scan.offset;
  d.end = d.begin < literal.size() ? d.begin + decode(literal.substr(d.begin)).size : d.begin;
  d.found = literal.substr(d.begin, d.end - d.begin);
  d.what = scan.ok ? "there is text behind the closing double quote" : scan.what;
  return d;
}

/// Walks over the content of a JSON string literal, code point by code point, and takes any bytes: a lone
/// surrogate escape comes out as that surrogate, what is no escape and what is no UTF-8 as U+FFFD, and quotes
/// that are missing are done without. For a literal that `check_json_string` lets pass this is its content.
class json_string_reader {
 public:
  constexpr explicit json_string_reader(std::string_view literal) noexcept : rest_(literal) {
    if (rest_.starts_with('"')) rest_.remove_prefix(1);
    if (rest_.ends_with('"')) rest_.remove_suffix(1);
  }

  [[nodiscard]] constexpr bool done() const noexcept { return rest_.empty(); }

  /// The longest run ahead that is content as it stands: no backslash, well-formed UTF-8. May be empty; then
  /// `next()` takes what is there.
  [[nodiscard]] constexpr std::string_view take_run() noexcept {
    std::size_t i = 0;
    while (i < rest_.size() && rest_[i] != '\\') {
      const decoded d = decode(rest_.substr(i));
      if (!d.valid) break;
      i += d.size;
    }
    const std::string_view run = rest_.substr(0, i);
    rest_.remove_prefix(i);
    return run;
  }

  /// The next code point; only if not `done()`.
  constexpr char32_t next() noexcept {
    char32_t c = replacement_character;
    std::size_t size = 1;
    if (rest_.front() == '\\') {
      const json_escape e = read_json_escape(rest_);
      if (e.valid()) {
        c = e.code_point;
        size = e.size;
      }
    } else {
      const decoded d = decode(rest_);
      c = d.code_point;
      size = d.size;
    }
    rest_.remove_prefix(size);
    return c;
  }

 private:
  std::string_view rest_;
};

/// Appends the content of a JSON string literal in UTF-8. All or nothing: `bad_string` with the place at
/// fault and no text, if it is not one JSON string (`check_json_string`).
template <text_sink S>
[[nodiscard]] constexpr std::optional<diagnostic> decode_json_string(std::string_view literal, S& sink) {
  if (auto fault = check_json_string(literal)) return fault;
  json_string_reader reader(literal);
  while (!reader.done()) {
    const std::string_view run = reader.take_run();
    if (!run.empty()) sink.append(run);
    if (reader.done()) break;
    const encoded bytes = encode(reader.next());
    sink.append(bytes.view());
  }
  return std::nullopt;
}

/// The content of a JSON string literal in UTF-8, in `buffer`, to which the answer points. `bad_string` as
/// above, or `buffer_too_small` with the size needed, which is never more than the literal's.
[[nodiscard]] constexpr result<std::string_view> decode_json_string(std::string_view literal,
                                                                    std::span<char> buffer) noexcept {
  buffer_sink sink(buffer);
  if (const auto fault = decode_json_string(literal, sink)) return *fault;
  return sink.finish();
}

/// Appends `\uXXXX` for a UTF-16 code unit.
template <text_sink S>
constexpr void append_unicode_escape(S& sink, std::uint16_t unit) {
  constexpr std::string_view hex = "0123456789abcdef";
  const std::array<char, 6> escape{
      '\\', 'u', hex[unit >> 12U], hex[(unit >> 8U) & 15U], hex[(unit >> 4U) & 15U], hex[unit & 15U]};
  sink.append(std::string_view{escape.data(), escape.size()});
}

namespace detail {

/// Whether JSON text of ours writes `c` as an escape: those that JSON needs, and U+2028 and U+2029, which
/// ended a line inside a string of older JavaScript. Surrogates have no other form.
[[nodiscard]] constexpr bool needs_json_escape(char32_t c) noexcept {
  return c < 0x20 || c == U'"' || c == U'\\' || c == 0x2028 || c == 0x2029 || !is_scalar_value(c);
}

/// Appends the escape of a code point that `needs_json_escape`.
template <text_sink S>
constexpr void append_json_escape(S& sink, char32_t c) {
  switch (c) {
    case U'"':
      sink.append(std::string_view{"\\\""});
      return;
    case U'\\':
      sink.append(std::string_view{"\\\\"});
      return;
    case U'\b':
      sink.append(std::string_view{"\\b"});
      return;
    case U'\f':
      sink.append(std::string_view{"\\f"});
      return;
    case U'\n':
      sink.append(std::string_view{"\\n"});
      return;
    case U'\r':
      sink.append(std::string_view{"\\r"});
      return;
    case U'\t':
      sink.append(std::string_view{"\\t"});
      return;
    default:
      append_unicode_escape(sink, static_cast<std::uint16_t>(c));
      return;
  }
}

/// Appends `utf8`, each code point that `needs_escape` holds for through `append_escape(code_point)` and the
/// runs between as they are. Bytes that are no UTF-8 become U+FFFD.
template <text_sink S, class Needs, class Append>
constexpr void append_escaped(S& sink, std::string_view utf8, Needs needs_escape, Append append_escape) {
  std::size_t run = 0;
  std::size_t i = 0;
  const auto flush = [&] {
    if (run < i) sink.append(utf8.substr(run, i - run));
  };
  while (i < utf8.size()) {
    const decoded d = decode(utf8.substr(i));
    if (d.valid && !needs_escape(d.code_point)) {
      i += d.size;
      continue;
    }
    flush();
    if (d.valid) {
      append_escape(d.code_point);
    } else {
      const encoded replacement = encode(replacement_character);
      sink.append(replacement.view());
    }
    i += d.size;
    run = i;
  }
  flush();
}

}  // namespace detail

/// Appends `utf8` as the content of a JSON string, without quotes, with only the escapes that JSON needs and
/// those of U+2028 and U+2029. Bytes that are no UTF-8 become U+FFFD, so the text is always valid.
template <text_sink S>
constexpr void append_json_content(S& sink, std::string_view utf8) {
  detail::append_escaped(sink, utf8, detail::needs_json_escape,
                         [&sink](char32_t c) { detail::append_json_escape(sink, c); });
}

/// Appends `utf8` as a JSON string with its quotes.
template <text_sink S>
constexpr void append_json_string(S& sink, std::string_view utf8) {
  sink.append(std::string_view{"\""});
  append_json_content(sink, utf8);
  sink.append(std::string_view{"\""});
}

/// Appends a JSON string literal again in the one form that `append_json_string` gives its content. Any bytes
/// are safe: the output is always one JSON string, in which lone surrogates stay escapes and what is
/// malformed is U+FFFD.
template <text_sink S>
constexpr void append_json_literal(S& sink, std::string_view literal) {
  sink.append(std::string_view{"\""});
  json_string_reader reader(literal);
  while (!reader.done()) {
    append_json_content(sink, reader.take_run());
    if (reader.done()) break;
    const char32_t c = reader.next();
    if (detail::needs_json_escape(c)) {
      detail::append_json_escape(sink, c);
    } else {
      const encoded bytes = encode(c);
      sink.append(bytes.view());
    }
  }
  sink.append(std::string_view{"\""});
}

}  // namespace text
}  // namespace v0_1
}  // namespace codemode
