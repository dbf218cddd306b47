#include <codemode/text/number.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <string_view>

using codemode::text::format_number;
using codemode::text::negative_zero;
using codemode::text::number_fault;
using codemode::text::parse_exact_number;

namespace {

std::string shown(double x) {
  const auto t = format_number(x);
  return std::string(t.view());
}

/// What parse_exact_number answers, as text: the number or the fault.
std::string read(std::string_view literal) {
  const auto x = parse_exact_number(literal);
  if (x) return shown(*x);
  switch (x.error()) {
    case number_fault::malformed:
      return "malformed";
    case number_fault::not_finite:
      return "not finite";
    case number_fault::unsafe:
      return "unsafe";
    case number_fault::inexact:
      return "inexact";
  }
  return "?";
}

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

}  // namespace

TEST_CASE("numbers are laid out by ECMAScript's rule") {
  // Printed by a JavaScript engine.
  CHECK(shown(0.0) == "0");
  CHECK(shown(1.0) == "1");
  CHECK(shown(-1.0) == "-1");
  CHECK(shown(10.0) == "10");
  CHECK(shown(100000.0) == "100000");  // std::to_chars: 1e+05
  CHECK(shown(123456789.0) == "123456789");
  CHECK(shown(9007199254740991.0) == "9007199254740991");
  CHECK(shown(1e20) == "100000000000000000000");
  CHECK(shown(123456789012345680000.0) == "123456789012345680000");
  CHECK(shown(1e21) == "1e+21");
  CHECK(shown(-1.5e21) == "-1.5e+21");
  CHECK(shown(1.7976931348623157e308) == "1.7976931348623157e+308");
  CHECK(shown(0.5) == "0.5");
  CHECK(shown(-149.5) == "-149.5");
  CHECK(shown(0.1) == "0.1");
  CHECK(shown(0.30000000000000004) == "0.30000000000000004");
  CHECK(shown(2251799813685248.5) == "2251799813685248.5");
  CHECK(shown(0.000001) == "0.000001");
  CHECK(shown(-0.0000012345678901234567) == "-0.0000012345678901234567");
  CHECK(shown(0.0000001) == "1e-7");
  CHECK(shown(1.5e-7) == "1.5e-7");
  CHECK(shown(5e-324) == "5e-324");
  CHECK(shown(2.2250738585072014e-308) == "2.2250738585072014e-308");
}

TEST_CASE("negative zero keeps its sign unless the printer drops it") {
  CHECK(shown(-0.0) == "-0");
  const auto dropped = format_number(-0.0, negative_zero::drop);
  CHECK(dropped.view() == "0");
  const auto negative = format_number(-2.5, negative_zero::drop);
  CHECK(negative.view() == "-2.5");
}

TEST_CASE("what is not finite has JavaScript's names") {
  CHECK(shown(std::numeric_limits<double>::infinity()) == "Infinity");
  CHECK(shown(-std::numeric_limits<double>::infinity()) == "-Infinity");
  CHECK(shown(std::numeric_limits<double>::quiet_NaN()) == "NaN");
}

TEST_CASE("random doubles read back as themselves and fit") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200000; ++i) {
    double x = std::bit_cast<double>(random());
    if (i % 3 == 0) x = static_cast<double>(static_cast<std::int64_t>(random()) >> (i % 60));
    if (i % 3 == 1) x = static_cast<double>(static_cast<std::int32_t>(random())) / std::pow(10.0, i % 12);
    if (!std::isfinite(x)) continue;
    const auto t = format_number(x);
    REQUIRE(t.view().size() <= 25);
    double back = 0;
    const auto done = std::from_chars(t.view().data(), t.view().data() + t.view().size(), back);
    REQUIRE(done.ptr == t.view().data() + t.view().size());
    REQUIRE(same_bits(back, x));
    // What JavaScript prints for a number that is allowed is itself allowed and means the same.
    const bool whole = std::fabs(x) >= 9007199254740992.0 || x == std::trunc(x);
    const auto exact = parse_exact_number(t.view());
    REQUIRE(exact.has_value() == (!whole || std::fabs(x) <= codemode::text::max_safe_integer));
    if (exact) REQUIRE(same_bits(*exact, x));
  }
}

TEST_CASE("only the grammar of JSON is read") {
  for (const std::string_view bad :
       {"",     "-",    "+5", ".5", "5.",  "-.5", "007",      "00",  "-01",   "1_000", "1e", "1e+",   "1e-",
        "1.e5", "0x10", "1 ", " 1", "1,5", "NaN", "Infinity", "--1", "1e5.0", "1e5e5", "1n", "\u0661"})
    CHECK_MESSAGE(read(bad) == "malformed", bad);
  CHECK(read(std::string_view("1\0", 2)) == "malformed");
}

TEST_CASE("whole numbers lie within plus or minus 2^53-1, however written") {
  CHECK(read("0") == "0");
  CHECK(read("-0") == "-0");
  CHECK(read("-0.000e17") == "-0");
  CHECK(read("0e999999999999999999999") == "0");
  CHECK(read("7") == "7");
  CHECK(read("5.0") == "5");
  CHECK(read("1e3") == "1000");
  CHECK(read("1E+3") == "1000");
  CHECK(read("1.5e3") == "1500");
  CHECK(read("1200e-2") == "12");
  CHECK(read("9007199254740991") == "9007199254740991");
  CHECK(read("-9007199254740991") == "-9007199254740991");
  CHECK(read("9007199254740991.000") == "9007199254740991");
  CHECK(read("900719925474099.1e1") == "9007199254740991");
  CHECK(read("9007199254740992") == "unsafe");
  CHECK(read("-9007199254740993") == "unsafe");
  CHECK(read("9007199254740993e0") == "unsafe");
  CHECK(read("1e16") == "unsafe");
  CHECK(read("1e308") == "unsafe");
  CHECK(read("123456789012345678901234567890") == "unsafe");
  CHECK(read("1e309") == "not finite");
  CHECK(read("1.8e308") == "not finite");
  CHECK(read("-1e400") == "not finite");
  CHECK(read("1e99999999999999999999999999") == "not finite");
}

TEST_CASE("a decimal is exactly what its double prints") {
  CHECK(read("0.1") == "0.1");
  CHECK(read("0.10") == "0.1");
  CHECK(read("149.50") == "149.5");
  CHECK(read("1e-1") == "0.1");
  CHECK(read("100e-3") == "0.1");
  CHECK(read("0.00000010") == "1e-7");
  CHECK(read("0.30000000000000004") == "0.30000000000000004");
  CHECK(read("5e-324") == "5e-324");
  CHECK(read("2251799813685248.5") == "2251799813685248.5");
  CHECK(read("0.1000000000000000001") == "inexact");
  CHECK(read("0.1000000000000000055511151231257827") ==
        "inexact");  // the double's own value, not what it prints
  CHECK(read("0.30000000000000003") == "inexact");
  CHECK(read("9007199254740991.5") == "inexact");
  CHECK(read("0.9999999999999999999999") == "inexact");  // its double is whole
  CHECK(read("4.9e-324") == "inexact");
  CHECK(read("2e-324") == "inexact");
  CHECK(read("1e-324") == "inexact");
  CHECK(read("-1e-400") == "inexact");
  CHECK(read("1e-99999999999999999999999999") == "inexact");
}

TEST_CASE("long numbers are read exactly and at once") {
  const std::string zeros(2'000'000, '0');
  CHECK(read("5." + zeros) == "5");
  CHECK(read("0." + zeros + "5e2000001") == "5");
  CHECK(read("25" + zeros + "e-2000001") == "2.5");
  CHECK(read("2.5" + zeros + "1") == "inexact");
  CHECK(read("5" + zeros) == "not finite");
  CHECK(read("1" + zeros + "1e-2000001") == "inexact");
  CHECK(read("-0." + zeros) == "-0");
  CHECK(read("1e" + zeros + "3") == "1000");
  CHECK(read("1e-" + zeros) == "1");
  CHECK(read("0." + zeros + "1") == "inexact");
}

TEST_CASE("faults are said in words") {
  for (const auto f :
       {number_fault::malformed, number_fault::not_finite, number_fault::unsafe, number_fault::inexact})
    CHECK(!codemode::text::to_string(f).empty());
}
