#include <codemode/text/utf8.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

using namespace codemode::text;

namespace {

constexpr bool round_trip(char32_t c) {
  const encoded e = encode(c);
  const decoded d = decode(e.view());
  return d.valid && d.code_point == c && d.size == e.size;
}
static_assert(round_trip(0) && round_trip(0x7F) && round_trip(0x80) && round_trip(0x7FF) &&
              round_trip(0x800));
static_assert(round_trip(0xD7FF) && round_trip(0xE000) && round_trip(0xFFFF) && round_trip(0x10000));
static_assert(round_trip(0x10FFFF));
static_assert(is_valid_utf8("") && is_valid_utf8("plain") && !is_valid_utf8("\xC3"));

std::size_t length_of(char32_t c) { return c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4; }

std::string utf8(char32_t c) { return std::string(encode(c).view()); }

/// UTF-8 by its definition, slowly: the bits of a lead byte and its tail, then the ranges.
bool is_one_character(std::string_view s) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
  char32_t c = 0;
  std::size_t n = 0;
  if (byte(0) < 0x80) {
    c = byte(0);
    n = 1;
  } else if (byte(0) >> 5U == 0x6U) {
    c = byte(0) & 0x1FU;
    n = 2;
  } else if (byte(0) >> 4U == 0xEU) {
    c = byte(0) & 0x0FU;
    n = 3;
  } else if (byte(0) >> 3U == 0x1EU) {
    c = byte(0) & 0x07U;
    n = 4;
  } else {
    return false;
  }
  if (n != s.size()) return false;
  for (std::size_t i = 1; i < n; ++i) {
    if (byte(i) >> 6U != 2U) return false;
    c = c << 6U | (byte(i) & 0x3FU);
  }
  return is_scalar_value(c) && length_of(c) == n;
}

}  // namespace

TEST_CASE("every scalar value makes the round trip in its shortest form") {
  std::size_t wrong = 0;
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (!is_scalar_value(c)) continue;
    if (!round_trip(c) || encode(c).size != length_of(c)) ++wrong;
  }
  CHECK(wrong == 0);
}

TEST_CASE("what is no scalar value is encoded as U+FFFD") {
  for (const char32_t c : {0xD800U, 0xDBFFU, 0xDC00U, 0xDFFFU, 0x110000U, 0xFFFFFFFFU}) {
    CHECK_FALSE(is_scalar_value(c));
    CHECK(encode(c).view() == "\xEF\xBF\xBD");
  }
}

TEST_CASE("decode accepts exactly the sequences of the definition") {
  // All texts of two bytes, and all of three and four whose last bytes are at the edges of ranges.
  std::size_t wrong = 0;
  const auto check = [&](std::string_view s) {
    const decoded d = decode(s);
    if ((d.valid && d.size == s.size()) != is_one_character(s)) ++wrong;
    if (d.size == 0 || d.size > s.size()) ++wrong;
  };
  const unsigned char edges[]{0x00, 0x22, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC2, 0xFF};
  for (int a = 0; a < 256; ++a) {
    check(std::string{static_cast<char>(a)});
    for (int b = 0; b < 256; ++b) {
      std::string s{static_cast<char>(a), static_cast<char>(b)};
      check(s);
      for (const unsigned char c : edges) {
        s.resize(2);
        s += static_cast<char>(c);
        check(s);
        s += '\0';
        for (const unsigned char d : edges) {
          s[3] = static_cast<char>(d);
          check(s);
        }
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("bad bytes are stepped over by maximal subparts") {
  const auto step = [](std::string_view s) {
    const decoded d = decode(s);
    CHECK_FALSE(d.valid);
    CHECK(d.code_point == replacement_character);
    return static_cast<int>(d.size);
  };
  CHECK(decode("").size == 0);
  CHECK(step("\x80") == 1);
  CHECK(step("\xC0\x80") == 1);          // overlong
  CHECK(step("\xE0\x80\x80") == 1);      // overlong
  CHECK(step("\xED\xA0\x80") == 1);      // surrogate
  CHECK(step("\xF4\x90\x80\x80") == 1);  // above U+10FFFF
  CHECK(step("\xE2\x82") == 2);          // truncated
  CHECK(step("\xF0\x9F\x98") == 3);
  CHECK(step("\xF0\x9F\x98z") == 3);
  CHECK(step("\xFF") == 1);
}

TEST_CASE("the offset of a bad byte is found wherever it stands") {
  for (std::size_t before = 0; before < 40; ++before) {
    for (const std::string_view middle : {"", "\xC3\xA9", "\xF0\x9F\x98\x80"}) {
      const std::string head = std::string(before, 'x') + std::string(middle);
      CHECK(find_invalid_utf8(head + "yyyyyyyyyyyy") == std::string_view::npos);
      CHECK(find_invalid_utf8(head + "\x80yyyyyyyyyyyyyyyyyy") == head.size());
      CHECK(find_invalid_utf8(head + "\xED\xA0\x80") == head.size());
      CHECK(find_invalid_utf8(head + "\xE2\x82") == head.size());
      CHECK(ascii_prefix(head + "\xC3\xA9") == before);
    }
  }
  CHECK(is_valid_utf8(utf8(0x1F600) + std::string(1, '\0') + utf8(0xFFFF)));
}
