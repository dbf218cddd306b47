// The names of a catalog: who owns them, how their words are cut, and that the memory is reused.

#include "frontend_fixture.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

using codemode::letter_class;
using codemode::name_index;
using codemode::parameter_bit;
using codemode::return_kind;
using codemode::value_type;

namespace {

/// The words of a name as the index has them: `|` before a word, `~` for a separator.
std::string words(std::string_view name) {
  fixture::tools t;
  t.add("zz", {{name, value_type::string, false}});
  const auto id = t.names.find_exact(name);
  REQUIRE(id >= 0);
  std::string s;
  for (const char32_t u : t.names.units(t.names.names()[static_cast<std::size_t>(id)])) {
    if ((u & name_index::separator) != 0) {
      s += '~';
      continue;
    }
    if ((u & name_index::word_start) != 0) s += '|';
    s += codemode::text::encode(u & name_index::code_point).view();
  }
  return s;
}

/// Names that `first` and `next` reach from the first letters of `text`.
std::set<std::string_view> reached(const name_index& names, char32_t a, char32_t b) {
  std::set<std::string_view> found;
  for (auto id = names.first(a, b); id >= 0; id = names.next(id))
    found.insert(names.names()[static_cast<std::size_t>(id)].text);
  return found;
}

TEST_CASE("words are cut at case, digits and joining signs, and folded") {
  CHECK(words("list_users") == "|list~|users");
  CHECK(words("listUsers") == "|list|users");
  CHECK(words("List Users") == "|list~|users");
  CHECK(words("HTMLPage") == "|html|page");
  CHECK(words("getURL") == "|get|url");
  CHECK(words("userIDs") == "|user|ids");
  CHECK(words("user-id.x$y") == "|user~|id~|x~|y");
  CHECK(words("v2beta") == "|v|2|beta");
  CHECK(words("_id") == "~|id");
  CHECK(words("size (MB)") == "|size~|(mb)");
  CHECK(words("A") == "|a");
  CHECK(words("AB") == "|ab");
  CHECK(words("aB") == "|a|b");
  CHECK(words("\xC3\x84nderungDatum") == "|\xC3\xA4nderung|datum");
  CHECK(words("\xD0\x98\xD0\x9C\xD0\xAF_x") == "|\xD0\xB8\xD0\xBC\xD1\x8F~|x");
  CHECK(words("_") == "~");
}

TEST_CASE("letters, digits and joints") {
  CHECK(codemode::classify(U'a') == letter_class::lower);
  CHECK(codemode::classify(U'\u00DF') == letter_class::lower);
  CHECK(codemode::classify(U'\u00C4') == letter_class::upper);
  CHECK(codemode::classify(U'\u4E2D') == letter_class::lower);   // a letter without case
  CHECK(codemode::classify(U'\u0301') == letter_class::lower);   // a combining mark goes with its letter
  CHECK(codemode::classify(U'\u0665') == letter_class::digit);
  CHECK(codemode::classify(U'$') == letter_class::joint);
  for (const char32_t c : {U'-', U'.', U' ', U'"', U'\'', U'\u2019', U'\u2014'})
    CHECK(codemode::classify(c) == letter_class::other);
}

TEST_CASE("one entry for each spelling, with all of its owners") {
  fixture::tools t;
  t.add("name", {{"id", value_type::number, true}, {"name", value_type::string, false}}, return_kind::array,
        {"id", "name"});
  t.add("list", {{"q", value_type::string, false}, {"name", value_type::string, false}}, return_kind::object, {"name"});
  CHECK(t.names.names().size() == 4);
  const auto entry = [&](std::string_view n) {
    const auto id = t.names.find_exact(n);
    REQUIRE(id >= 0);
    return t.names.names()[static_cast<std::size_t>(id)];
  };
  CHECK(entry("name").tool_mask == 1);
  CHECK(entry("name").parameter_mask == (parameter_bit(0, 1) | parameter_bit(1, 1)));
  CHECK(entry("name").property_mask == 3);
  CHECK(entry("id").property_mask == 1);
  CHECK(entry("id").parameter_mask == parameter_bit(0, 0));
  CHECK(entry("list").tool_mask == 2);
  CHECK(t.names.find_exact("Name") < 0);
  CHECK(t.names.find_exact("") < 0);
  CHECK(t.names.find_exact("nam") < 0);
}

TEST_CASE("names are reached by their first letters, whatever stands before them") {
  fixture::tools t;
  t.add("q", {{"$top", value_type::string, false}, {"--x", value_type::string, false}, {"_", value_type::string, false}});
  t.add("to", {{"T", value_type::string, false}, {"t x", value_type::string, false}, {"tX", value_type::string, false}});
  CHECK(reached(t.names, U't', U'o').contains("$top"));
  CHECK(reached(t.names, U't', U'o').contains("to"));
  CHECK(reached(t.names, U'x', 0).contains("--x"));
  CHECK(reached(t.names, U'_', 0).contains("_"));
  for (const auto* n : {"T", "t x", "tX"}) CHECK(reached(t.names, U't', 0).contains(n));
}

TEST_CASE("an index that nothing was built into finds nothing") {
  const name_index empty;
  CHECK(empty.names().empty());
  CHECK(empty.find_exact("x") < 0);
  CHECK(empty.first(U'x', U'y') < 0);
}

TEST_CASE("every name of a large catalog is found, and a small one after it is built as if it were the first") {
  std::vector<std::string> properties;
  for (int i = 0; i < 20000; ++i) properties.push_back("field_" + std::to_string(i));
  fixture::tools large;
  large.add("go", {}, return_kind::array, {properties.begin(), properties.end()});
  CHECK(large.names.names().size() == 20001);
  CHECK(std::all_of(properties.begin(), properties.end(), [&](const std::string& p) {
    const auto id = large.names.find_exact(p);
    return id >= 0 && large.names.names()[static_cast<std::size_t>(id)].text == p;
  }));
  CHECK(reached(large.names, U'f', U'i').size() >= 20000);

  fixture::tools small;
  small.add("list_users", {{"team", value_type::string, true}});
  large.names.build(small.list);
  CHECK(large.names.names().size() == 2);
  CHECK(large.names.find_exact("field_7") < 0);
  CHECK(large.names.find_exact("team") == small.names.find_exact("team"));
  CHECK(reached(large.names, U'l', U'i') == reached(small.names, U'l', U'i'));
}

TEST_CASE("a long name is a name") {
  const std::string name = "a" + std::string(70'000, 'b');
  fixture::tools t;
  t.add("q", {{name, value_type::string, false}});
  CHECK(fixture::cut(name + " b", t) == "NA:" + name + " w:b");
  std::string upper(name);
  std::transform(upper.begin(), upper.end(), upper.begin(), [](char c) { return static_cast<char>(c - 32); });
  CHECK(fixture::cut(upper, t) == "NA:" + upper);
}

}  // namespace
