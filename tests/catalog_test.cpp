#include <codemode/catalog.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

using codemode::catalog;
using codemode::diagnostic;
using codemode::errc;
using codemode::return_kind;
using codemode::value_type;

namespace {

constexpr std::string_view two_tools = R"([
  {"name": "list_users", "arguments": {"team": "string", "first name": "number", "__proto__": "boolean", "caf\u00e9": "string"},
   "required": ["__proto__", "team"], "returns": {"kind": "array", "properties": ["id", "na\u006de", "constructor"]}},
  {"returns": {"kind": "text"}, "required": [], "arguments": {}, "name": "delete"}
])";

/// An entry in which one member can be exchanged for another text.
std::string entry(std::string_view name, std::string_view arguments = R"({"x":"string"})",
                  std::string_view required = R"(["x"])", std::string_view returns = R"({"kind":"text"})") {
  std::string s = "{\"name\":";
  s.append(name).append(",\"arguments\":").append(arguments).append(",\"required\":").append(required);
  return s.append(",\"returns\":").append(returns).append("}");
}

std::string list(std::string_view entries) { return "[" + std::string(entries) + "]"; }

bool accepts(std::string_view json) { return catalog::parse(json).has_value(); }

/// The tool and the member that a refusal names, as `tool/member`, after checking what holds of all refusals.
std::string refusal(const std::string& json) {
  const auto c = catalog::borrow(json);
  REQUIRE_FALSE(c.has_value());
  const diagnostic& d = c.error();
  CAPTURE(json);
  CHECK(d.code == errc::invalid_catalog);
  CHECK_FALSE(d.what.empty());
  CHECK(d.begin < d.end);
  CHECK(d.end <= json.size());
  if (!d.found.empty()) CHECK(std::string_view(json).substr(d.begin, d.end - d.begin) == d.found);
  const auto again = catalog::parse(json);
  REQUIRE_FALSE(again.has_value());
  CHECK(again.error().what == d.what);
  return std::string(d.tool) + "/" + std::string(d.argument);
}

void check_two_tools(const catalog& c) {
  REQUIRE(c.size() == 2);
  const codemode::tool& users = c[0];
  CHECK(users.name == "list_users");
  REQUIRE(users.parameters.size() == 4);
  CHECK(users.parameters[0].name == "team");
  CHECK(users.parameters[0].type == value_type::string);
  CHECK(users.parameters[0].required);
  CHECK(users.parameters[1].name == "first name");
  CHECK(users.parameters[1].type == value_type::number);
  CHECK_FALSE(users.parameters[1].required);
  CHECK(users.parameters[2].name == "__proto__");
  CHECK(users.parameters[2].type == value_type::boolean);
  CHECK(users.parameters[2].required);
  CHECK(users.parameters[3].name == "caf\u00E9");
  CHECK(users.returns == return_kind::array);
  REQUIRE(users.properties.size() == 3);
  CHECK(users.properties[0] == "id");
  CHECK(users.properties[1] == "name");
  CHECK(users.properties[2] == "constructor");
  CHECK(c[1].name == "delete");
  CHECK(c[1].parameters.empty());
  CHECK(c[1].returns == return_kind::text);
  CHECK(c[1].properties.empty());
  CHECK(c.find("delete") == &c[1]);
  CHECK(c.find("list_user") == nullptr);
  CHECK(std::distance(c.begin(), c.end()) == 2);
  CHECK(c.names().find_exact("caf\u00E9") >= 0);
  CHECK(c.names().find_exact("delete") >= 0);
  CHECK(c.names().find_exact("kind") < 0);
}

}  // namespace

TEST_CASE("a catalog has what its text says, in order") {
  const auto parsed = catalog::parse(two_tools);
  REQUIRE(parsed.has_value());
  check_two_tools(*parsed);
  const auto borrowed = catalog::borrow(two_tools);
  REQUIRE(borrowed.has_value());
  check_two_tools(*borrowed);
}

TEST_CASE("parse owns its text, borrow points into it") {
  auto text = std::make_unique<std::string>(two_tools);
  const auto inside = [&](std::string_view s) {
    return s.data() >= text->data() && s.data() < text->data() + text->size();
  };
  auto borrowed = catalog::borrow(*text);
  REQUIRE(borrowed.has_value());
  CHECK(inside((*borrowed)[0].name));
  CHECK(inside((*borrowed)[0].properties[0]));
  CHECK_FALSE(inside((*borrowed)[0].properties[1]));  // it has an escape
  auto owned = catalog::parse(*text);
  REQUIRE(owned.has_value());
  CHECK_FALSE(inside((*owned)[0].name));
  std::fill(text->begin(), text->end(), '#');
  text.reset();
  check_two_tools(*owned);
}

TEST_CASE("views survive a move") {
  auto parsed = catalog::parse(two_tools);
  REQUIRE(parsed.has_value());
  const std::string_view name = (*parsed)[0].name;
  catalog moved = *std::move(parsed);
  CHECK(moved[0].name.data() == name.data());
  check_two_tools(moved);
  catalog assigned;
  CHECK(assigned.empty());
  assigned = std::move(moved);
  check_two_tools(assigned);
  const auto small = catalog::parse(list(entry(R"("a")", "{}", "[]")));
  REQUIRE(small.has_value());
  CHECK((*small)[0].name == "a");
}

TEST_CASE("one catalog takes one text after another") {
  codemode::json::reader reader;
  catalog c;
  CHECK_FALSE(c.assign(two_tools, reader).has_value());
  check_two_tools(c);
  const std::string other = list(entry(R"("f")"));
  CHECK_FALSE(c.assign(other, reader).has_value());
  CHECK(c.size() == 1);
  CHECK(c.find("list_users") == nullptr);
  CHECK(c.names().find_exact("list_users") < 0);
  CHECK(c.assign("[1", reader)->code == errc::invalid_json);
  CHECK(c.empty());
  CHECK(c.names().find_exact("f") < 0);
  CHECK_FALSE(c.assign(two_tools, reader).has_value());
  CHECK(c.assign("[{}]", reader)->code == errc::invalid_catalog);
  CHECK(c.empty());
  CHECK(c.names().find_exact("delete") < 0);

  const std::string wrapped = R"({"deep": [)" + std::string(two_tools) + "]}";
  const auto document = reader.read(wrapped);
  REQUIRE(document.has_value());
  const codemode::json::element array = *document->root().find("deep")->items().begin();
  CHECK_FALSE(c.assign(array).has_value());
  CHECK_FALSE(reader.read("0").value_or(codemode::json::document{}).nodes().empty());
  check_two_tools(c);  // the nodes are not needed any more
  c.clear();
  CHECK(c.empty());
}

TEST_CASE("text that is no JSON is invalid_json, with its place") {
  for (const std::string_view text : {"", "[", "[{]", "[{\"name\":\"\xFF\"}]", "[]]", "nope"}) {
    const auto c = catalog::parse(text);
    REQUIRE_FALSE(c.has_value());
    CHECK(c.error().code == errc::invalid_json);
  }
}

TEST_CASE("a catalog is an array of 1 to 8 objects") {
  CHECK(refusal("{}") == "/");
  CHECK(refusal("null") == "/");
  CHECK(refusal("[]") == "/");
  CHECK(refusal("[1]") == "#1/");
  CHECK(refusal(list(entry(R"("a")") + ",[]")) == "#2/");
  std::string entries;
  for (int i = 0; i < 8; ++i) entries += (i == 0 ? "" : ",") + entry("\"t" + std::to_string(i) + "\"");
  CHECK(accepts(list(entries)));
  CHECK(refusal(list(entries + "," + entry(R"("t8")"))) == "/");
  CHECK(catalog::parse(list(entries + "," + entry(R"("t8")"))).error().needed == 9);
}

TEST_CASE("an entry has exactly its four members") {
  const std::string good = entry(R"("a")");
  CHECK(accepts(list(good)));
  for (const std::string_view member : {"name", "arguments", "required", "returns"}) {
    // Missing, repeated, repeated under an escaped name, and renamed.
    const std::string key = "\"" + std::string(member) + "\"";
    std::string renamed = good;
    const std::size_t at = renamed.find(key);
    renamed.replace(at, key.size(), R"("description")");
    CHECK(refusal(list(renamed)) == (member == "name" ? "#1/description" : "a/description"));
    std::string missing = good;
    const std::size_t end = (std::min)(missing.find(",\"", missing.find(':', at)), missing.size() - 1);
    missing.erase(at, end - at);
    missing.erase(missing[at] == ',' ? at : at - 1, 1);
    CHECK(refusal(list(missing)) == (member == "name" ? "#1/" : "a/") + std::string(member));
    const std::string twice = "{" + key + ":null," + good.substr(1);
    CHECK(refusal(list(twice)).substr(2) == (member == "name" ? "/name" : std::string(member)));
    std::string escaped = "{\"\\u00" +
                          std::string(member == "name"        ? "6e"
                                      : member == "arguments" ? "61"
                                                              : "72") +
                          std::string(member.substr(1)) + "\":null," + good.substr(1);
    CHECK_FALSE(refusal(list(escaped)).empty());
  }
  CHECK(refusal(list("{\"description\":\"x\"," + good.substr(1))) == "a/description");
  CHECK(refusal(list("{\"__proto__\":{}," + good.substr(1))) == "a/__proto__");
  CHECK(refusal("[{}]") == "#1/name");
  CHECK(accepts(
      R"([{"n\u0061me":"a","\u0061rguments":{},"requi\u0072ed":[],"returns":{"ki\u006ed":"text"}}])"));
}

TEST_CASE("names are unique JavaScript identifiers") {
  for (const std::string_view good : {"a", "_", "$", "a1", "delete", "import", "caf\u00E9", "\u540D\u524D",
                                      "__proto__", "caf\\u00e9", "\\ud801\\udc00", "a\u200D"}) {
    CAPTURE(good);
    CHECK(accepts(list(entry("\"" + std::string(good) + "\""))));
  }
  for (const std::string_view bad :
       {"1a", "a-b", "a b", "a.b", " a", "\\u0000", "a\\ud800", "\u20AC", "a\\\\u0061"}) {
    const std::string json = "\"" + std::string(bad) + "\"";
    CHECK(refusal(list(entry(json))) == std::string(bad) + "/name");
  }
  CHECK(refusal(list(entry(R"("")"))) == "#1/name");
  for (const std::string_view other : {"1", "null", "[\"a\"]", "{}", "true"})
    CHECK(refusal(list(entry(other))) == "#1/name");
  CHECK(refusal(list(entry(R"("a")") + "," + entry(R"("a")"))) == "a/name");
  CHECK(refusal(list(entry(R"("a")") + "," + entry(R"("\u0061")"))) == "\\u0061/name");
  CHECK(accepts(list(entry(R"("a")") + "," + entry(R"("A")"))));
  CHECK(accepts(list(entry("\"" + std::string(100'000, 'n') + "\""))));
}

TEST_CASE("arguments are 0 to 4 names with a type") {
  const auto with = [](std::string_view arguments) { return list(entry(R"("a")", arguments, "[]")); };
  CHECK(accepts(with("{}")));
  CHECK(accepts(with(R"({"a":"string","b":"number","c":"boolean","d":"string"})")));
  CHECK(refusal(with(R"({"a":"string","b":"number","c":"boolean","d":"string","e":"string"})")) ==
        "a/arguments");
  CHECK(accepts(with(R"({" ":"string","user-id":"string","\u0000":"number","toString":"boolean"})")));
  CHECK(accepts(with(R"({"x":"str\u0069ng"})")));
  CHECK(refusal(with(R"({"":"string"})")) == "a/arguments");
  CHECK(refusal(with(R"({"x":"string","x":"string"})")) == "a/x");
  CHECK(refusal(with(R"({"x":"string","\u0078":"string"})")) == "a/\\u0078");
  CHECK(refusal(with(R"({"\ud800":"string"})")) == "a/\\ud800");
  for (const std::string_view bad : {R"("String")", R"("integer")", R"("array")", R"("")", "null", "1", "{}",
                                     R"(["string"])", R"({"type":"string"})"})
    CHECK(refusal(with("{\"x\":" + std::string(bad) + "}")) == "a/x");
  for (const std::string_view bad : {"[]", "null", "\"x\"", "1"}) CHECK(refusal(with(bad)) == "a/arguments");
}

TEST_CASE("required lists distinct arguments") {
  const auto with = [](std::string_view required) {
    return list(entry(R"("a")", R"({"x":"string","caf\u00e9":"number"})", required));
  };
  CHECK(accepts(with("[]")));
  CHECK(accepts(with(R"(["caf\u00e9","x"])")));
  CHECK(accepts(with("[\"caf\u00E9\"]")));
  CHECK(refusal(with(R"(["x","x"])")) == "a/required");
  CHECK(refusal(with(R"(["x","\u0078"])")) == "a/required");
  CHECK(refusal(with(R"(["y"])")) == "a/required");
  CHECK(refusal(with(R"([""])")) == "a/required");
  for (const std::string_view bad : {"[1]", "[null]", R"([["x"]])", "{}", "null", "\"x\"", "true"})
    CHECK(refusal(with(bad)) == "a/required");
}

TEST_CASE("returns have a kind and perhaps properties") {
  const auto with = [](std::string_view returns) { return list(entry(R"("a")", "{}", "[]", returns)); };
  CHECK(accepts(with(R"({"kind":"text"})")));
  CHECK(accepts(with(R"({"kind":"object"})")));
  CHECK(accepts(with(R"({"kind":"array","properties":[]})")));
  CHECK(accepts(with(R"({"properties":["__proto__"," ","a"],"kind":"object"})")));
  for (const std::string_view bad : {R"({})",
                                     R"({"kind":"Text"})",
                                     R"({"kind":null})",
                                     R"({"kind":["text"]})",
                                     R"({"kind":"text","kind":"text"})",
                                     R"({"kind":"text","\u006bind":"text"})",
                                     R"({"kind":"text","properties":["a"]})",
                                     R"({"kind":"text","properties":[]})",
                                     R"({"kind":"array","properties":null})",
                                     R"({"kind":"array","properties":{}})",
                                     R"({"kind":"array","properties":"id"})",
                                     R"({"kind":"array","properties":[1]})",
                                     R"({"kind":"array","properties":[""]})",
                                     R"({"kind":"array","properties":["a","b","a"]})",
                                     R"({"kind":"array","properties":["a","\u0061"]})",
                                     R"({"kind":"array","properties":["\ud800"]})",
                                     R"({"kind":"array","properties":[["a"]]})",
                                     R"({"kind":"text","description":""})",
                                     R"({"kind":"array","items":{}})",
                                     R"({"properties":["a"]})",
                                     "[]",
                                     "null",
                                     "\"text\"",
                                     "0"})
    CHECK(refusal(with(bad)) == "a/returns");
}

TEST_CASE("the size of a catalog is limited to 1 MiB") {
  const auto of_size = [](std::size_t size) {
    const std::size_t rest = list(entry(R"("")")).size();
    return list(entry("\"" + std::string(size - rest, 'n') + "\""));
  };
  const std::string fits = of_size(codemode::max_catalog_size);
  REQUIRE(fits.size() == codemode::max_catalog_size);
  CHECK(accepts(fits));
  CHECK(accepts("   " + fits + "\n"));  // white space around it is no part of the catalog
  CHECK(refusal(of_size(codemode::max_catalog_size + 1)) == "/");
  // Many short strings in one catalog.
  std::string properties;
  for (int i = 0; i < 90'000; ++i) properties += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\"";
  const auto c = catalog::parse(
      list(entry(R"("a")", "{}", "[]", R"({"kind":"array","properties":[)" + properties + "]}")));
  REQUIRE(c.has_value());
  CHECK((*c)[0].properties.size() == 90'000);
  CHECK((*c)[0].properties[89'999] == "89999");
}

TEST_CASE("a cut catalog is refused at every byte") {
  const std::string text(two_tools);
  for (std::size_t n = 0; n < text.size() - 1; ++n) {
    const auto c = catalog::parse(std::string_view(text).substr(0, n));
    REQUIRE_FALSE(c.has_value());
    CHECK(c.error().code == errc::invalid_json);
  }
}

TEST_CASE("a const catalog is read by several threads") {
  const auto c = catalog::parse(two_tools);
  REQUIRE(c.has_value());
  std::vector<std::thread> threads;
  std::vector<std::size_t> found(4);
  for (std::size_t& n : found)
    threads.emplace_back([&n, &catalog = *c] {
      for (int i = 0; i < 1000; ++i)
        n += catalog.find("delete") != nullptr && catalog.names().find_exact("id") >= 0 ? 1U : 0U;
    });
  for (std::thread& t : threads) t.join();
  CHECK(found == std::vector<std::size_t>(4, 1000));
}
