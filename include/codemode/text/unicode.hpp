#pragma once

/// @file
/// The few properties of code points that names and words need: ECMAScript identifiers, letter case,
/// digits, white space, simple case folding. Tables are of Unicode 14; what later versions add counts as
/// unassigned. All functions take any `char32_t` and answer ASCII without a table.

#include <codemode/text/detail/unicode_tables.hpp>
#include <codemode/text/utf8.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace codemode {
inline namespace v0_1 {
namespace text {
namespace detail {

/// The index of the run of `runs` that holds `c`, or the number of runs. No pointer: g++ with
/// -fsanitize=undefined takes a comparison with null for no constant expression.
template <class Runs>
[[nodiscard]] constexpr std::size_t find_run(const Runs& runs, char32_t c) noexcept {
  std::size_t low = 0;
  std::size_t high = runs.size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (runs[middle].last < c) low = middle + 1;
    else high = middle;
  }
  if (low == runs.size() || c < runs[low].first) return runs.size();
  return (c - runs[low].first) % runs[low].step == 0 ? low : runs.size();
}
template <class Runs>
[[nodiscard]] constexpr bool in_runs(const Runs& runs, char32_t c) noexcept {
  return find_run(runs, c) != runs.size();
}

[[nodiscard]] constexpr bool is_ascii_lower(char32_t c) noexcept { return c >= U'a' && c <= U'z'; }
[[nodiscard]] constexpr bool is_ascii_upper(char32_t c) noexcept { return c >= U'A' && c <= U'Z'; }

}  // namespace detail

/// Decimal digits (general category Nd).
[[nodiscard]] constexpr bool is_digit(char32_t c) noexcept {
  if (c < 0x80) return c >= U'0' && c <= U'9';
  return detail::in_runs(detail::digit_runs, c);
}

/// Uppercase (the Unicode property) and title case letters.
[[nodiscard]] constexpr bool is_upper(char32_t c) noexcept {
  if (c < 0x80) return detail::is_ascii_upper(c);
  return detail::in_runs(detail::upper_runs, c);
}

/// Lowercase (the Unicode property).
[[nodiscard]] constexpr bool is_lower(char32_t c) noexcept {
  if (c < 0x80) return detail::is_ascii_lower(c);
  return detail::in_runs(detail::lower_runs, c);
}

/// Letters: general categories L and Nl. Combining marks are none.
[[nodiscard]] constexpr bool is_alphabetic(char32_t c) noexcept {
  if (c < 0x80) return detail::is_ascii_lower(c) || detail::is_ascii_upper(c);
  return detail::in_runs(detail::id_start_runs, c) !=
         detail::in_runs(detail::letter_extra_runs, c);
}

/// Unicode White_Space, and U+FEFF, which ECMAScript counts as white space too.
[[nodiscard]] constexpr bool is_space(char32_t c) noexcept {
  if (c < 0x80) return c == U' ' || (c >= 0x09 && c <= 0x0D);
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 ||
         c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000 || c == 0xFEFF;
}

/// Whether an ECMAScript IdentifierName can begin with `c`: ID_Start, `$`, `_`.
[[nodiscard]] constexpr bool is_id_start(char32_t c) noexcept {
  if (c < 0x80) return is_alphabetic(c) || c == U'$' || c == U'_';
  return detail::in_runs(detail::id_start_runs, c);
}

/// Whether an ECMAScript IdentifierName can go on with `c`: ID_Continue, `$`, `_`, ZWNJ, ZWJ.
[[nodiscard]] constexpr bool is_id_continue(char32_t c) noexcept {
  if (c < 0x80) return is_id_start(c) || is_digit(c);
  return is_id_start(c) || detail::in_runs(detail::id_extend_runs, c);
}

/// Simple case folding: statuses C and S of CaseFolding.txt, not the Turkic ones. One code point to one,
/// so `ß` stays and does not become `ss`.
[[nodiscard]] constexpr char32_t fold(char32_t c) noexcept {
  if (c < 0x80) return detail::is_ascii_upper(c) ? c + 0x20 : c;
  const std::size_t run = detail::find_run(detail::fold_runs, c);
  if (run == detail::fold_runs.size()) return c;
  return static_cast<char32_t>(static_cast<std::int32_t>(c) + detail::fold_runs[run].delta);
}

/// Whether `s` is well-formed UTF-8 and an ECMAScript IdentifierName; reserved words are.
[[nodiscard]] constexpr bool is_identifier(std::string_view s) noexcept {
  const decoded head = decode(s);
  if (!head.valid || !is_id_start(head.code_point)) return false;
  for (std::size_t i = head.size; i < s.size();) {
    const decoded d = decode(s.substr(i));
    if (!d.valid || !is_id_continue(d.code_point)) return false;
    i += d.size;
  }
  return true;
}

}  // namespace text
}  // namespace v0_1
}  // namespace codemode
