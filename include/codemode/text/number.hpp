#pragma once

/// @file
/// Numbers as JavaScript has them: printing by the layout of ECMAScript's Number::toString, and reading
/// of JSON numbers that a double holds exactly. No locale, no streams, no allocation.

#include <codemode/result.hpp>

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <system_error>

namespace codemode {
inline namespace v0_1 {
namespace text {

/// The largest integer up to which every integer is exact in JavaScript (Number.MAX_SAFE_INTEGER).
inline constexpr double max_safe_integer = 9007199254740991.0;

/// How a printer writes negative zero. JSON text and JavaScript source keep its sign (`-0` reads back as
/// negative zero in both); JavaScript's own `String(-0)` and `JSON.stringify(-0)` drop it.
enum class negative_zero : std::uint8_t {
  keep,  ///< `-0`
  drop   ///< `0`
};

namespace detail {

/// A decimal value: 0.d1d2...dn times ten to the power of `point`, first and last digit not zero.
/// No digits stand for zero.
struct decimal {
  static constexpr std::size_t most_digits = 17;  ///< no double needs more in its shortest form

  std::array<char, most_digits> digits{};
  std::uint8_t count = 0;
  std::int64_t point = 0;

  [[nodiscard]] constexpr std::string_view view() const noexcept { return {digits.data(), count}; }
  constexpr void push(char digit) noexcept { digits[count++] = digit; }

  friend constexpr bool operator==(const decimal& a, const decimal& b) noexcept {
    return a.point == b.point && a.view() == b.view();
  }
};

/// The shortest decimal that reads back as `x`, which is finite and not negative. Only the digits come
/// from std::to_chars: its layout (`1e+05`) is not JavaScript's.
[[nodiscard]] inline decimal shortest_decimal(double x) noexcept {
  decimal d;
  if (x == 0) return d;
  std::array<char, 32> scientific{};
  char* const first = scientific.data();
  const auto done = std::to_chars(first, first + scientific.size(), x, std::chars_format::scientific);
  const char* p = first;
  for (; p != done.ptr && *p != 'e'; ++p)
    if (*p != '.') d.push(*p);
  int exponent = 0;
  if (p != done.ptr) {
    ++p;
    if (*p == '+') ++p;  // std::from_chars takes a minus sign only
    std::from_chars(p, done.ptr, exponent);
  }
  while (d.count > 0 && d.digits[d.count - 1U] == '0') --d.count;
  d.point = exponent + 1;
  return d;
}

}  // namespace detail

/// The text of a number, in the object itself. The longest is `-0.00000` and 17 digits.
class number_text {
 public:
  static constexpr std::size_t capacity = 31;

  /// Points into this object.
  [[nodiscard]] constexpr std::string_view view() const& noexcept { return {chars_.data(), size_}; }
  void view() const&& = delete;

  constexpr void append(std::string_view piece) noexcept {
    for (const char c : piece)
      if (size_ < capacity) chars_[size_++] = c;
  }
  constexpr void append(std::size_t count, char c) noexcept {
    for (; count > 0; --count) append({&c, 1});
  }

 private:
  std::array<char, capacity> chars_{};
  std::uint8_t size_ = 0;
};

/// `x` as JavaScript prints it: the shortest digits that read back as `x`, in the layout of ECMAScript's
/// Number::toString (`1e+21`, `0.000001`, `1e-7`, `100000000000000000000`). Valid JSON and valid JavaScript
/// for every finite `x`. What is not finite gives `NaN`, `Infinity`, `-Infinity`, which JSON does not have.
[[nodiscard]] inline number_text format_number(double x, negative_zero zero = negative_zero::keep) noexcept {
  number_text out;
  if (std::isnan(x)) {
    out.append("NaN");
    return out;
  }
  if (std::signbit(x) && (x != 0 || zero == negative_zero::keep)) out.append("-");
  const double magnitude = std::fabs(x);
  if (std::isinf(magnitude)) {
    out.append("Infinity");
    return out;
  }
  const detail::decimal d = detail::shortest_decimal(magnitude);
  const std::string_view digits = d.view();
  // k digits and the exponent n are those of Number::toString (ECMA-262, 6.1.6.1.20).
  const auto k = static_cast<std::int64_t>(digits.size());
  const std::int64_t n = d.point;
  const auto zeros = [&out](std::int64_t count) { out.append(static_cast<std::size_t>(count), '0'); };
  if (k == 0) {
    out.append("0");
  } else if (k <= n && n <= 21) {
    out.append(digits);
    zeros(n - k);
  } else if (0 < n && n <= 21) {
    out.append(digits.substr(0, static_cast<std::size_t>(n)));
    out.append(".");
    out.append(digits.substr(static_cast<std::size_t>(n)));
  } else if (-6 < n && n <= 0) {
    out.append("0.");
    zeros(-n);
    out.append(digits);
  } else {
    out.append(digits.substr(0, 1));
    if (k > 1) {
      out.append(".");
      out.append(digits.substr(1));
    }
    const std::int64_t exponent = n - 1;
    out.append(exponent < 0 ? "e-" : "e+");
    std::array<char, 4> power{};
    const auto done = std::to_chars(power.data(), power.data() + power.size(),
                                    static_cast<int>(exponent < 0 ? -exponent : exponent));
    out.append({power.data(), static_cast<std::size_t>(done.ptr - power.data())});
  }
  return out;
}

/// Why a text is no exact number. `to_string` says it in words.
enum class number_fault : std::uint8_t {
  malformed,   ///< not a number of JSON's grammar: `+5`, `.5`, `007`, `1_000`, or nothing
  not_finite,  ///< beyond the range of a double: `1e400`
  unsafe,      ///< a whole number outside plus or minus 2^53-1
  inexact      ///< a decimal whose double prints another value: `0.1000000000000000001`, `1e-400`
};

/// The fault in words, for `diagnostic::what`.
[[nodiscard]] constexpr std::string_view to_string(number_fault f) noexcept {
  switch (f) {
    case number_fault::malformed:
      return "the number is not written as in JSON, like 5 or 0.25";
    case number_fault::not_finite:
      return "the number is too large for JavaScript";
    case number_fault::unsafe:
      return "JavaScript has no exact whole numbers beyond 9007199254740991";
    case number_fault::inexact:
      break;
  }
  return "the number has more digits than JavaScript keeps";
}

/// Reads the whole of `literal` as a JSON number that JavaScript holds exactly (planner.md, Values). It
/// must be finite; a whole number, however it is written (`5.0`, `1e3`), must lie within plus or minus
/// 2^53-1; a decimal must have exactly the value that its double prints in shortest form, so `0.10` is fine
/// and `0.1000000000000000001` is not. `-0` gives negative zero. Any length, in linear time and without
/// allocation.
[[nodiscard]] inline result<double, number_fault> parse_exact_number(std::string_view literal) noexcept {
  const auto is_digit = [](char c) noexcept { return c >= '0' && c <= '9'; };
  std::size_t i = 0;
  const auto peek = [&]() noexcept { return i < literal.size() ? literal[i] : '\0'; };

  const bool negative = peek() == '-';
  if (negative) ++i;

  // The digits are gathered without zeros at either end; as no shortest form has more than 17, whatever has
  // more is not exact, and the rest need not be kept.
  detail::decimal d;
  std::uint64_t digits = 0;         // from the first that is not zero
  std::uint64_t pending_zeros = 0;  // met after it, and not yet known to be inside
  const auto take = [&](char c) noexcept {
    if (c == '0') {
      if (digits != 0) ++pending_zeros;
      return;
    }
    for (; pending_zeros > 0; --pending_zeros, ++digits)
      if (d.count < detail::decimal::most_digits) d.push('0');
    if (d.count < detail::decimal::most_digits) d.push(c);
    ++digits;
  };

  if (!is_digit(peek())) return number_fault::malformed;
  if (peek() == '0') {
    ++i;
    if (is_digit(peek())) return number_fault::malformed;
  } else {
    for (; is_digit(peek()); ++i) take(peek());
  }
  std::int64_t point = static_cast<std::int64_t>(digits + pending_zeros);
  if (peek() == '.') {
    ++i;
    if (!is_digit(peek())) return number_fault::malformed;
    for (; is_digit(peek()); ++i) {
      if (digits == 0 && peek() == '0') --point;
      take(peek());
    }
  }
  if (peek() == 'e' || peek() == 'E') {
    ++i;
    const bool down = peek() == '-';
    if (down || peek() == '+') ++i;
    if (!is_digit(peek())) return number_fault::malformed;
    // Held at a value that no length of digits in memory can bring back into range.
    constexpr std::int64_t most = std::int64_t{1} << 60;
    std::int64_t exponent = 0;
    for (; is_digit(peek()); ++i) exponent = exponent >= most / 16 ? most : exponent * 10 + (peek() - '0');
    point += down ? -exponent : exponent;
  }
  if (i != literal.size()) return number_fault::malformed;

  if (digits == 0) return negative ? -0.0 : 0.0;
  d.point = point;
  constexpr std::int64_t largest_point = 309;    // of the largest double, 1.797...e308
  constexpr std::int64_t smallest_point = -323;  // of the smallest, 5e-324
  if (point > largest_point) return number_fault::not_finite;
  if (point < smallest_point) return number_fault::inexact;
  const bool whole = static_cast<std::uint64_t>(point < 0 ? 0 : point) >= digits;
  if (digits > detail::decimal::most_digits) return whole ? number_fault::unsafe : number_fault::inexact;

  // 17 digits at most are left: 0.<digits>e<point>.
  std::array<char, 32> normal{'0', '.'};
  char* end = normal.data() + 2;
  for (const char c : d.view()) *end++ = c;
  *end++ = 'e';
  end = std::to_chars(end, normal.data() + normal.size(), point).ptr;
  double x = 0;
  const auto read = std::from_chars(normal.data(), end, x);
  if (read.ec != std::errc{})
    return point > 0 ? number_fault::not_finite : number_fault::inexact;  // a tiny one is rounded to zero
  if (whole) {
    if (x > max_safe_integer) return std::isinf(x) ? number_fault::not_finite : number_fault::unsafe;
  } else if (detail::shortest_decimal(x) != d) {
    return number_fault::inexact;
  }
  return negative ? -x : x;
}

}  // namespace text
}  // namespace v0_1
}  // namespace codemode
