// C++ types as schemas, and values of them from a model's answers.

#include <codemode/schema/dialects.hpp>
#include <codemode/schema/emit.hpp>
#include <codemode/schema/reflect.hpp>

#include <doctest/doctest.h>

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

namespace schema = codemode::schema;

namespace {

enum class units { metric, imperial };

struct point {
  double x = 0;
  double y = 0;
};
struct circle {
  std::string kind;
  double radius = 0;
};
struct square {
  std::string kind;
  int side = 0;
};
struct folder {
  std::string name;
  std::vector<folder> inside;
  std::unique_ptr<folder> link;
};
struct everything {
  std::string text;
  int whole = 0;
  double real = 0;
  bool flag = false;
  units unit = units::metric;
  std::optional<std::string> maybe;
  std::vector<point> path;
  std::array<int, 3> three{};
  std::tuple<std::string, int> pair;
  std::map<std::string, point> places;
  std::variant<circle, square> form;
  int days = 3;
};

}  // namespace

template <>
struct codemode::schema::enum_of<units> {
  static constexpr std::array values{std::pair{std::string_view{"metric"}, units::metric},
                                     std::pair{std::string_view{"imperial"}, units::imperial}};
};
template <>
struct codemode::schema::record_of<point> {
  static constexpr std::string_view name = "point";
  static constexpr auto fields = std::tuple{field("x", &point::x), field("y", &point::y)};
};
template <>
struct codemode::schema::record_of<circle> {
  static constexpr std::string_view name = "circle";
  static constexpr auto fields =
      std::tuple{field("kind", &circle::kind, {}, {.pattern = "^circle$"}), field("radius", &circle::radius)};
};
template <>
struct codemode::schema::record_of<square> {
  static constexpr std::string_view name = "square";
  static constexpr auto fields =
      std::tuple{field("kind", &square::kind, {}, {.pattern = "^square$"}), field("side", &square::side)};
};
template <>
struct codemode::schema::record_of<folder> {
  static constexpr std::string_view name = "folder";
  static constexpr std::string_view description = "A folder";
  static constexpr auto fields = std::tuple{field("name", &folder::name), field("inside", &folder::inside),
                                            field("link", &folder::link)};
};
template <>
struct codemode::schema::record_of<everything> {
  static constexpr std::string_view name = "everything";
  static constexpr auto fields = std::tuple{
      field("text", &everything::text, "Some text", {.min_length = 1}),
      field("whole", &everything::whole, {}, {.minimum = 0, .maximum = 9}),
      field("real", &everything::real),
      field("flag", &everything::flag),
      field("unit", &everything::unit),
      field("maybe", &everything::maybe),
      field("path", &everything::path),
      field("three", &everything::three),
      field("pair", &everything::pair),
      field("places", &everything::places),
      field("form", &everything::form),
      field("days", &everything::days, "Days ahead", {.default_json = "3"})};
};

TEST_CASE("a struct's schema says its fields, limits and defaults") {
  CHECK(schema::json_of_type<point>() ==
        R"({"$ref":"#/$defs/point","$defs":{"point":{"type":"object","properties":{"x":{"type":"number"},"y":{"type":"number"}},"required":["x","y"]}}})");
  const auto tree = schema::of<everything>();
  REQUIRE(tree.has_value());
  std::string text;
  REQUIRE(schema::emit<schema::lenient>(*tree, text));
  CHECK(text.find(R"("whole":{"type":"integer","minimum":0,"maximum":9})") != std::string::npos);
  CHECK(text.find(R"("days":{"type":"integer","description":"Days ahead","default":3})") != std::string::npos);
  CHECK(text.find(R"("three":{"type":"array","items":{"type":"integer"},"minItems":3,"maxItems":3})") != std::string::npos);
  CHECK(text.find(R"("unit":{"type":"string","enum":["metric","imperial"]})") != std::string::npos);
  CHECK(text.find(R"("required":["text","whole","real","flag","unit","path","three","pair","places","form"])") !=
        std::string::npos);
}

TEST_CASE("an answer in OpenAI's strict spelling becomes the struct") {
  const auto got = schema::decode<everything>(
      R"({"text":"t","whole":4,"real":1.5,"flag":true,"unit":"imperial","maybe":null,"path":[{"x":1,"y":2}],
          "three":[1,2,3],"pair":{"0":"p","1":7},"places":[{"key":"home","value":{"x":3,"y":4}}],
          "form":{"kind":"square","side":5},"days":null})",
      schema::openai_strict);
  REQUIRE(got.has_value());
  CHECK(got->unit == units::imperial);
  CHECK_FALSE(got->maybe.has_value());
  CHECK(got->path.at(0).y == 2);
  CHECK(got->three == std::array{1, 2, 3});
  CHECK(std::get<1>(got->pair) == 7);
  CHECK(got->places.at("home").x == 3);
  REQUIRE(std::holds_alternative<square>(got->form));
  CHECK(std::get<square>(got->form).side == 5);
  CHECK(got->days == 3);

  std::string text;
  schema::to_json(*got, text);
  const auto again = schema::decode<everything>(text, schema::lenient);
  REQUIRE(again.has_value());
  std::string second;
  schema::to_json(*again, second);
  CHECK(second == text);
}

TEST_CASE("what does not fit is told with its place") {
  const auto got = schema::decode<point>(R"({"x":"one","y":2})", schema::anthropic_strict);
  REQUIRE_FALSE(got.has_value());
  REQUIRE(got.error().violations.size() == 1);
  CHECK(got.error().violations[0].instance == "/x");
  std::string message;
  schema::write_message(got.error().violations[0], message);
  CHECK(message == R"(/x must be of type "number", found "one".)");
  CHECK_FALSE(schema::decode<point>("{", schema::lenient).error().json.what.empty());
}

TEST_CASE("recursive structs work where the dialect has references and where it has not") {
  const auto tree = schema::of<folder>();
  REQUIRE(tree.has_value());
  std::string text;
  CHECK(schema::emit<schema::openai_strict>(*tree, text));
  CHECK(text.find(R"("$ref":"#")") != std::string::npos);
  const auto got = schema::decode<folder>(R"({"name":"a","inside":[{"name":"b","inside":[],"link":null}],"link":null})",
                                          schema::openai_strict);
  REQUIRE(got.has_value());
  CHECK(got->inside.at(0).name == "b");
  CHECK(got->link == nullptr);
}

TEST_CASE("the builder says the same as JSON") {
  using namespace codemode::schema;
  const shape s = object()
                      .required("city", codemode::schema::string().describe("Name").length(1, 80))
                      .optional("days", integer().between(1, 7))
                      .optional("next", ref("node"))
                      .closed()
                      .define("node", object().optional("next", ref("node")));
  CHECK(s.json() ==
        R"({"type":"object","additionalProperties":false,"properties":{"city":{"type":"string","description":"Name","minLength":1,"maxLength":80},"days":{"type":"integer","minimum":1,"maximum":7},"next":{"$ref":"#/$defs/node"}},"required":["city"],"$defs":{"node":{"type":"object","properties":{"next":{"$ref":"#/$defs/node"}}}}})");
  CHECK(s.build().has_value());
  CHECK(object().required("x", ref("nowhere")).build().error().code == import_errc::reference_unresolved);
  CHECK(codemode::schema::string().nullable().json() == R"({"anyOf":[{"type":"string"},{"type":"null"}]})");
}
