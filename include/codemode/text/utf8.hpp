#pragma once

/// @file
/// UTF-8, strictly: no surrogates, no overlong forms, nothing above U+10FFFF.

#include <codemode/config.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace codemode {
inline namespace v0_1 {
namespace text {

/// Stands for what is no code point.
inline constexpr char32_t replacement_character = 0xFFFD;

/// Whether `c` has a UTF-8 form: at most U+10FFFF and no surrogate.
[[nodiscard]] constexpr bool is_scalar_value(char32_t c) noexcept {
  return c < 0xD800 || (c > 0xDFFF && c <= 0x10FFFF);
}

/// The first code point of a text.
struct decoded {
  char32_t code_point = replacement_character;
  std::uint8_t size = 0;  ///< bytes that it takes: 1 to 4, and 0 only for an empty text
  bool valid = false;     ///< false: `code_point` is U+FFFD, `size` the bytes to step over
};

/// Decodes the first code point of `s`. Bytes that are no UTF-8 give U+FFFD and the length of the longest
/// sequence that began well (Unicode 3.9, "substitution of maximal subparts"), so that a loop over any
/// bytes ends and never leaves the text.
[[nodiscard]] constexpr decoded decode(std::string_view s) noexcept {
  const auto byte = [s](std::size_t i) noexcept {
    return i < s.size() ? static_cast<unsigned char>(s[i]) : static_cast<unsigned char>(0);
  };
  if (s.empty()) return {};
  const unsigned char b0 = byte(0);
  if (b0 < 0x80) return {b0, 1, true};
  if (b0 < 0xC2 || b0 > 0xF4) return {replacement_character, 1, false};
  // The second byte alone tells overlong forms, surrogates and too large values (Unicode table 3-7).
  const unsigned char low = b0 == 0xE0 ? 0xA0 : b0 == 0xF0 ? 0x90 : 0x80;
  const unsigned char high = b0 == 0xED ? 0x9F : b0 == 0xF4 ? 0x8F : 0xBF;
  const unsigned char b1 = byte(1);
  if (b1 < low || b1 > high) return {replacement_character, 1, false};
  const auto tail = [](unsigned char b) noexcept { return static_cast<char32_t>(b & 0x3FU); };
  if (b0 < 0xE0) return {(static_cast<char32_t>(b0 & 0x1FU) << 6U) | tail(b1), 2, true};
  const unsigned char b2 = byte(2);
  if ((b2 & 0xC0U) != 0x80) return {replacement_character, 2, false};
  if (b0 < 0xF0) return {(static_cast<char32_t>(b0 & 0x0FU) << 12U) | (tail(b1) << 6U) | tail(b2), 3, true};
  const unsigned char b3 = byte(3);
  if ((b3 & 0xC0U) != 0x80) return {replacement_character, 3, false};
  return {(static_cast<char32_t>(b0 & 0x07U) << 18U) | (tail(b1) << 12U) | (tail(b2) << 6U) | tail(b3), 4,
          true};
}

/// The UTF-8 form of one code point.
struct encoded {
  std::array<char, 4> bytes{};
  std::uint8_t size = 0;

  /// The bytes; the view points into this object.
  [[nodiscard]] constexpr std::string_view view() const noexcept { return {bytes.data(), size}; }
};

/// Encodes `c`; what is no scalar value becomes U+FFFD.
[[nodiscard]] constexpr encoded encode(char32_t c) noexcept {
  const auto put = [](char32_t bits) noexcept { return static_cast<char>(static_cast<unsigned char>(bits)); };
  const auto tail = [put](char32_t bits) noexcept { return put(0x80U | (bits & 0x3FU)); };
  if (!is_scalar_value(c)) c = replacement_character;
  if (c < 0x80) return {{put(c)}, 1};
  if (c < 0x800) return {{put(0xC0U | (c >> 6U)), tail(c)}, 2};
  if (c < 0x10000) return {{put(0xE0U | (c >> 12U)), tail(c >> 6U), tail(c)}, 3};
  return {{put(0xF0U | (c >> 18U)), tail(c >> 12U), tail(c >> 6U), tail(c)}, 4};
}

/// Bytes at the start of `s` that are ASCII.
[[nodiscard]] constexpr std::size_t ascii_prefix(std::string_view s) noexcept {
  std::size_t i = 0;
  if (!std::is_constant_evaluated()) {
    for (; i + 8 <= s.size(); i += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, s.data() + i, 8);
      if ((word & 0x8080'8080'8080'8080U) != 0) break;
    }
  }
  while (i < s.size() && static_cast<unsigned char>(s[i]) < 0x80) ++i;
  return i;
}

/// Offset of the first byte that does not belong to well-formed UTF-8, or `npos`.
[[nodiscard]] constexpr std::size_t find_invalid_utf8(std::string_view s) noexcept {
  std::size_t i = 0;
  while (i < s.size()) {
    i += ascii_prefix(s.substr(i));
    while (i < s.size() && static_cast<unsigned char>(s[i]) >= 0x80) {
      const decoded d = decode(s.substr(i));
      if (!d.valid) return i;
      i += d.size;
    }
  }
  return std::string_view::npos;
}

/// Whether the whole of `s` is well-formed UTF-8.
[[nodiscard]] constexpr bool is_valid_utf8(std::string_view s) noexcept {
  return find_invalid_utf8(s) == std::string_view::npos;
}

}  // namespace text
}  // namespace v0_1
}  // namespace codemode
