#include <codemode/text/unicode.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>

using namespace codemode::text;

namespace {

static_assert(is_identifier("list_users") && is_identifier("$") && is_identifier("_1") &&
              is_identifier("delete"));
static_assert(is_identifier("caf\u00E9") && is_identifier("\u540D\u524D") && is_identifier("\U00010400"));
static_assert(!is_identifier("") && !is_identifier("1a") && !is_identifier("a-b") && !is_identifier("a b"));
static_assert(!is_identifier("a\xFF") && !is_identifier("\xC3"));
static_assert(fold(U'A') == U'a' && fold(U'\u00C9') == U'\u00E9' && fold(U'\u0416') == U'\u0436');

template <class Predicate>
std::size_t count(Predicate p) {
  std::size_t n = 0;
  for (char32_t c = 0; c <= 0x10FFFF; ++c)
    if (p(c)) ++n;
  return n;
}

}  // namespace

TEST_CASE("each property has as many code points as Unicode 14 gives it") {
  // Totals of DerivedCoreProperties.txt and UnicodeData.txt, plus $ and _; $, ZWNJ and ZWJ; title case letters.
  CHECK(count([](char32_t c) { return is_id_start(c); }) == 131'997 + 2);
  CHECK(count([](char32_t c) { return is_id_continue(c); }) == 135'072 + 3);
  CHECK(count([](char32_t c) { return is_digit(c); }) == 660);
  CHECK(count([](char32_t c) { return is_space(c); }) == 26);
  CHECK(count([](char32_t c) { return is_upper(c); }) == 1'951 + 31);
  CHECK(count([](char32_t c) { return is_lower(c); }) == 2'471);
  CHECK(count([](char32_t c) { return fold(c) != c; }) == 1'454);
}

TEST_CASE("the properties agree with each other everywhere") {
  std::size_t wrong = 0;
  for (char32_t c = 0; c <= 0x110010; ++c) {
    const char32_t f = fold(c);
    if (fold(f) != f) ++wrong;
    if (f != c && !is_alphabetic(c) && !is_upper(c) && c != 0x345) ++wrong;
    if (is_id_start(c) && !is_id_continue(c)) ++wrong;
    if (is_digit(c) && (!is_id_continue(c) || is_id_start(c))) ++wrong;
    if (is_upper(c) && is_lower(c)) ++wrong;
    if (is_space(c) && (is_id_continue(c) || is_alphabetic(c))) ++wrong;
    if (c >= 0x110000 && (is_id_continue(c) || f != c || is_alphabetic(c))) ++wrong;
  }
  CHECK(wrong == 0);
}

TEST_CASE("case folding is simple folding") {
  CHECK(fold(0x00DF) == 0x00DF);  // sharp s has only a full folding
  CHECK(fold(0x1E9E) == 0x00DF);
  CHECK(fold(0x0130) == 0x0130);  // the Turkic one is left out
  CHECK(fold(0x03C2) == 0x03C3);  // final sigma
  CHECK(fold(0x212A) == U'k');    // Kelvin sign
  CHECK(fold(0x017F) == U's');    // long s
  CHECK(fold(0x1F88) == 0x1F80);  // status S
  CHECK(fold(0x01C5) == 0x01C6);  // title case
  CHECK(fold(0xAB70) == 0x13A0);  // Cherokee folds to upper case
  CHECK(fold(0x10400) == 0x10428);
  CHECK(fold(U'[') == U'[');
  CHECK(fold(U'@') == U'@');
}

TEST_CASE("identifiers are those of ECMAScript") {
  CHECK(is_id_start(0x2118));        // Other_ID_Start
  CHECK(is_id_start(0x3007));        // a letter number
  CHECK_FALSE(is_id_start(0x2E2F));  // a letter that is Pattern_Syntax
  CHECK(is_alphabetic(0x2E2F));
  CHECK_FALSE(is_id_start(0x0301));  // a combining accent goes on but does not begin
  CHECK(is_id_continue(0x0301));
  CHECK(is_id_continue(0x00B7));
  CHECK(is_id_continue(0x200C));
  CHECK(is_id_continue(0x200D));
  CHECK_FALSE(is_id_start(0x200D));
  CHECK_FALSE(is_id_continue(0xFEFF));
  CHECK(is_identifier("a\u0301\u200D"));
  CHECK_FALSE(is_identifier("\u0301a"));
  CHECK_FALSE(is_identifier("\\u0061"));
  CHECK_FALSE(is_identifier(std::string("a\0b", 3)));
}

TEST_CASE("white space is that of Unicode and the byte order mark") {
  for (const char32_t c : {0x09U, 0x0AU, 0x0BU, 0x0CU, 0x0DU, 0x20U, 0x85U, 0xA0U, 0x1680U, 0x2000U, 0x200AU,
                           0x2028U, 0x2029U, 0x202FU, 0x205FU, 0x3000U, 0xFEFFU})
    CHECK(is_space(c));
  for (const char32_t c : {0x08U, 0x0EU, 0x1FU, 0x180EU, 0x200BU, 0x2060U}) CHECK_FALSE(is_space(c));
}
