#pragma once

/// @file
/// The content of a JSON string, code point by code point, without a buffer: for names that may be written
/// with escapes.

#include <codemode/text/utf8.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace codemode {
inline namespace v0_1 {
namespace json {

/// Value of four hexadecimal digits at the start of `s`, or -1.
[[nodiscard]] constexpr std::int32_t hex4(std::string_view s) noexcept {
  if (s.size() < 4) return -1;
  std::int32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const char c = s[i];
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

/// One escape sequence.
struct escape {
  char32_t code_point = 0;  ///< a surrogate where it stands alone
  std::uint8_t size = 0;    ///< bytes: 2, 6 or, for a surrogate pair, 12; 0 if this is no escape of JSON

  [[nodiscard]] constexpr bool valid() const noexcept { return size != 0; }
  [[nodiscard]] constexpr bool lone_surrogate() const noexcept { return !text::is_scalar_value(code_point); }
};

/// Reads the escape at the start of `s`, which begins with a backslash.
[[nodiscard]] constexpr escape read_escape(std::string_view s) noexcept {
  if (s.size() < 2) return {};
  switch (s[1]) {
    case '"':
      return {U'"', 2};
    case '\\':
      return {U'\\', 2};
    case '/':
      return {U'/', 2};
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
  const std::int32_t first = hex4(s.substr(2));
  if (first < 0) return {};
  const auto unit = static_cast<char32_t>(first);
  if (unit < 0xD800 || unit > 0xDBFF) return {unit, 6};
  if (s.size() < 12 || s[6] != '\\' || s[7] != 'u') return {unit, 6};
  const std::int32_t second = hex4(s.substr(8));
  if (second < 0xDC00 || second > 0xDFFF) return {unit, 6};
  return {0x10000U + ((unit - 0xD800U) << 10U) + (static_cast<char32_t>(second) - 0xDC00U), 12};
}

/// Walks over the content of a well-formed JSON string (without its quotes). Surrogate pairs are joined; a
/// surrogate escape that stands alone comes out as that surrogate, so that two different names never
/// look equal.
class string_units {
 public:
  constexpr explicit string_units(std::string_view content) noexcept : rest_(content) {}

  [[nodiscard]] constexpr bool done() const noexcept { return rest_.empty(); }

  /// The next code point; only if not `done()`.
  constexpr char32_t next() noexcept {
    char32_t c = 0;
    std::size_t size = 1;
    if (rest_.front() == '\\') {
      const escape e = read_escape(rest_);
      c = e.code_point;
      size = e.valid() ? e.size : 1;
    } else {
      const text::decoded d = text::decode(rest_);
      c = d.code_point;
      size = d.size;
    }
    rest_.remove_prefix(size);
    return c;
  }

 private:
  std::string_view rest_;
};

/// Orders two string contents by code points as they decode: negative, zero or positive.
[[nodiscard]] constexpr int compare_units(std::string_view a, std::string_view b) noexcept {
  string_units x(a);
  string_units y(b);
  while (!x.done() && !y.done()) {
    const char32_t c = x.next();
    const char32_t d = y.next();
    if (c != d) return c < d ? -1 : 1;
  }
  return x.done() ? (y.done() ? 0 : -1) : 1;
}

}  // namespace json
}  // namespace v0_1
}  // namespace codemode
