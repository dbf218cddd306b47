#pragma once

/// @file
/// Names in messages, quoted as Go's `%q` does it (contract.md, 2.4.2): always one line, always printable.

#include <codemode/text/sink.hpp>
#include <codemode/text/utf8.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

namespace codemode {
inline namespace v0_1 {
namespace contract {
namespace detail {

/// Whether a code point beyond ASCII is shown as it is. Separators, controls, format characters, private use and
/// non-characters are not; what Unicode has not assigned counts as printable, since it may be by now.
[[nodiscard]] constexpr bool is_printable(char32_t c) noexcept {
  struct run {
    char32_t first, last;
  };
  constexpr run hidden[]{{0x0, 0x1F},       {0x7F, 0xA0},       {0xAD, 0xAD},       {0x600, 0x605},     {0x61C, 0x61C},
                         {0x6DD, 0x6DD},    {0x70F, 0x70F},     {0x890, 0x891},     {0x8E2, 0x8E2},     {0x1680, 0x1680},
                         {0x180E, 0x180E},  {0x2000, 0x200F},   {0x2028, 0x202F},   {0x205F, 0x206F},   {0x3000, 0x3000},
                         {0xD800, 0xF8FF},  {0xFDD0, 0xFDEF},   {0xFEFF, 0xFEFF},   {0xFFF0, 0xFFFB},   {0xFFFE, 0xFFFF},
                         {0x110BD, 0x110BD}, {0x110CD, 0x110CD}, {0x13430, 0x13438}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A},
                         {0xE0000, 0xE007F}, {0xF0000, 0x10FFFF}};
  for (const run& r : hidden)
    if (c <= r.last) return c < r.first;
  return true;
}

}  // namespace detail

/// Appends `bytes` in double quotes with Go's escapes. Never allocates.
template <text_sink S>
constexpr void append_quoted(S& sink, std::string_view bytes) {
  constexpr std::string_view hex = "0123456789abcdef";
  const auto digits = [&](char32_t value, unsigned count) {
    for (unsigned shift = 4 * count; shift > 0; shift -= 4) sink.append(hex.substr(value >> (shift - 4) & 15U, 1));
  };
  sink.append(std::string_view{"\""});
  for (std::size_t i = 0; i < bytes.size();) {
    const text::decoded d = text::decode(bytes.substr(i));
    const char32_t c = d.code_point;
    const std::size_t size = d.valid ? d.size : 1;
    constexpr std::string_view named = "\a\b\f\n\r\t\v\"\\";
    constexpr std::string_view letters = "abfnrtv\"\\";
    if (!d.valid) {
      sink.append(std::string_view{"\\x"});
      digits(static_cast<unsigned char>(bytes[i]), 2);
    } else if (const std::size_t at = c < 0x80 ? named.find(static_cast<char>(c)) : std::string_view::npos;
               at != std::string_view::npos) {
      sink.append(std::string_view{"\\"});
      sink.append(letters.substr(at, 1));
    } else if (detail::is_printable(c)) {
      sink.append(bytes.substr(i, size));
    } else if (c < 0x80) {
      sink.append(std::string_view{"\\x"});
      digits(c, 2);
    } else {
      sink.append(c <= 0xFFFF ? std::string_view{"\\u"} : std::string_view{"\\U"});
      digits(c, c <= 0xFFFF ? 4 : 8);
    }
    i += size;
  }
  sink.append(std::string_view{"\""});
}

/// The same as a string.
[[nodiscard]] inline std::string quote_name(std::string_view bytes) {
  std::string s;
  append_quoted(s, bytes);
  return s;
}

}  // namespace contract
}  // namespace v0_1
}  // namespace codemode
