// Schemas and answers that nobody should send: the schema part answers or says what is wrong, and never hangs, throws or
// runs out of stack.

#include <codemode/schema/dialects.hpp>
#include <codemode/schema/parse.hpp>
#include <codemode/schema/read.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace schema = codemode::schema;

namespace {

std::string repeated(std::string_view s, std::size_t times) {
  std::string out;
  out.reserve(s.size() * times);
  for (std::size_t i = 0; i < times; ++i) out += s;
  return out;
}

std::string nested(std::string_view open, std::string_view middle, std::string_view close, std::size_t levels) {
  return repeated(open, levels) + std::string(middle) + repeated(close, levels);
}

struct imported {
  bool good = false;
  schema::import_errc code = schema::import_errc::not_a_schema;
};
imported import(std::string_view text) {
  auto t = schema::read_schema(text);
  return {t.has_value(), t ? schema::import_errc::not_a_schema : t.error().code};
}

}  // namespace

TEST_CASE("a schema that is nested too deeply is refused, wherever the depth lies") {
  for (const std::size_t levels : {10'000U, 200'000U}) {
    for (const auto& text : {nested(R"({"type":"array","items":)", "{}", "}", levels),
                             nested(R"({"properties":{"a":)", "{}", "}}", levels),
                             nested(R"({"anyOf":[)", "{}", "]}", levels), R"({"default":)" + nested("[", "1", "]", levels) + "}",
                             R"({"enum":[)" + nested(R"({"a":)", "1", "}", levels) + "]}",
                             R"({"x-unknown":)" + nested("[", "", "]", levels) + "}"}) {
      CAPTURE(text.substr(0, 40));
      const auto r = import(text);
      CHECK_FALSE(r.good);
      // The reader has a bound of its own, above that of schemas.
      CHECK((r.code == schema::import_errc::too_deep || r.code == schema::import_errc::invalid_json));
    }
  }
  CHECK(import(nested(R"({"type":"array","items":)", "{}", "}", 400)).good);
  CHECK(import(R"({"default":)" + nested("[", "1", "]", 400) + "}").good);
}

TEST_CASE("an answer that is nested too deeply is no value of an open schema") {
  const auto open = schema::read_schema("{}");
  REQUIRE(open);
  schema::argument_parser parser;
  for (const schema::descriptor* d : {static_cast<const schema::descriptor*>(nullptr), &schema::openai_strict}) {
    const auto deep = parser.parse(*open, d, nested("[", "", "]", 10'000));
    CHECK_FALSE(deep.value);
    REQUIRE(deep.error);
  }
  const auto shallow = parser.parse(*open, nullptr, nested("[", "", "]", 100));
  CHECK(shallow.value);
}

TEST_CASE("references in circles are refused where nothing lies between, and kept where something does") {
  const auto loop = import(R"({"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}})");
  CHECK_FALSE(loop.good);
  CHECK(loop.code == schema::import_errc::reference_loop);
  CHECK(import(R"({"type":"object","properties":{"next":{"$ref":"#"}}})").good);
}

TEST_CASE("duplicate members and texts that are no UTF-8 are named") {
  const auto twice = import(R"({"type":"string","type":"number"})");
  CHECK(twice.code == schema::import_errc::duplicate_member);
  const auto bytes = import("{\"title\":\"\xC3\x28\"}");
  CHECK(bytes.code == schema::import_errc::invalid_json);
}

TEST_CASE("an enum of 100,000 members and a schema of megabytes are read") {
  std::string text = R"({"enum":[)";
  for (int i = 0; i < 100'000; ++i) text += (i == 0 ? "\"v" : ",\"v") + std::to_string(i) + "\"";
  text += "]}";
  CHECK(import(text).good);

  std::string wide = R"({"type":"object","properties":{)";
  for (int i = 0; i < 100'000; ++i)
    wide += (i == 0 ? "\"p" : ",\"p") + std::to_string(i) + R"(":{"type":"string","description":"some words about it"})";
  wide += "}}";
  CHECK(import(wide).good);
}
