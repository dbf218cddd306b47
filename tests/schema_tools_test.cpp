// Tools as providers take them, the plan of a request, and calls back.

#include <codemode/schema/read.hpp>
#include <codemode/schema/tool_list.hpp>
#include <codemode/schema/tools.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

namespace schema = codemode::schema;
namespace json = codemode::json;

namespace {

schema::tree tree_of(std::string_view text) {
  auto t = schema::read_schema(text);
  REQUIRE(t.has_value());
  return std::move(*t);
}

std::string tool_text(schema::tool_wire wire, const schema::descriptor& d, const schema::tree& t) {
  schema::workspace work;
  std::string out;
  schema::write_tool(out, wire, d, "get", "Gets.", schema::emit(t, d, work), true);
  return out;
}

}  // namespace

TEST_CASE("each wire has its own form of a tool") {
  const schema::tree t = tree_of(R"({"type":"object","properties":{"a":{"type":"string"}},"required":["a"]})");
  const std::string open = R"({"type":"object","properties":{"a":{"type":"string"}},"required":["a"]})";
  const std::string shut = R"({"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false})";
  CHECK(tool_text(schema::tool_wire::openai_chat, schema::openai_strict, t) ==
        R"({"type":"function","function":{"name":"get","description":"Gets.","parameters":)" + shut + R"(,"strict":true}})");
  CHECK(tool_text(schema::tool_wire::openai_responses, schema::openai_non_strict, t) ==
        R"({"type":"function","name":"get","description":"Gets.","parameters":)" + open + R"(,"strict":false})");
  CHECK(tool_text(schema::tool_wire::anthropic, schema::anthropic_strict, t) ==
        R"({"name":"get","description":"Gets.","input_schema":)" + shut + R"(,"strict":true})");
  CHECK(tool_text(schema::tool_wire::xai, schema::xai_strict, t) ==
        R"({"type":"function","function":{"name":"get","description":"Gets.","parameters":)" + open + "}}");
  CHECK(tool_text(schema::tool_wire::mcp, schema::lenient, t) ==
        R"({"name":"get","description":"Gets.","inputSchema":)" + open + "}");
}

TEST_CASE("a tool without arguments has no parameters under Google's older wire") {
  const schema::tree t = tree_of(R"({"type":"object"})");
  const std::vector<schema::tool_definition> tools{{"ping", "Pings.", &t, {}}};
  const schema::descriptor_registry registry;
  const schema::request_plan plan = schema::plan_request(tools, schema::google_openapi, registry);
  schema::workspace work;
  std::string out;
  schema::write_tools(out, tools, plan, schema::tool_wire::google_parameters, work);
  CHECK(out == R"([{"name":"ping","description":"Pings."}])");
}

TEST_CASE("a request that exceeds Anthropic's allowances keeps the wanted tools strict, and one bad tool degrades alone") {
  std::string nine = R"({"type":"object","properties":{)";
  for (char c = 'a'; c < 'j'; ++c) nine += std::string{c == 'a' ? "\"" : ",\""} + c + R"(":{"type":"string"})";
  nine += "}}";
  const schema::tree wide = tree_of(nine);
  const schema::tree any = tree_of(R"({"type":"object","properties":{"x":{}}})");
  const schema::tree list = tree_of(R"({"type":"array","items":{"type":"string"}})");
  using form = schema::strict_request::form;
  const std::vector<schema::tool_definition> tools{{"one", {}, &wide, {form::preferred, 1}},
                                                   {"two", {}, &wide, {form::preferred, 5}},
                                                   {"any", {}, &any, {form::required, 0}},
                                                   {"three", {}, &wide, {}},
                                                   {"li/st", {}, &list, {}}};
  const schema::descriptor_registry registry;
  const schema::request_plan plan = schema::plan_request(tools, schema::anthropic_strict, registry);
  CHECK(plan.tools[0].dialect == &schema::anthropic_strict);
  CHECK(plan.tools[1].dialect == &schema::anthropic_strict);
  CHECK(plan.tools[2].dialect == &schema::anthropic_non_strict);
  CHECK(plan.tools[2].given.reason() == "any-unsupported");
  CHECK(plan.tools[3].dialect == &schema::anthropic_non_strict);
  CHECK(plan.tools[3].given.reason() == "optional-parameters-spent");
  CHECK(plan.tools[4].dialect == nullptr);
  REQUIRE(plan.tools[4].against.size() == 1);
  CHECK(plan.tools[4].against[0].code == schema::reason_code::root_not_object);
  CHECK(plan.tools[4].wire_name == "li_st");
  CHECK(plan.remaining.strict_tools == 18);
  CHECK(plan.find("two") == 1U);
  CHECK_FALSE(plan.find("li_st").has_value());
}

TEST_CASE("calls come back from every provider's answer") {
  json::reader reader;
  const auto calls = [&](std::string_view text) {
    const auto d = reader.read(text);
    REQUIRE(d.has_value());
    return schema::read_tool_calls(d->root());
  };
  const auto check = [&](std::string_view text, std::string_view id) {
    const auto all = calls(text);
    REQUIRE(all.size() == 1);
    CHECK(all[0].id == id);
    CHECK(all[0].name == "get");
    CHECK(all[0].arguments == R"({"a":1})");
  };
  check(R"({"choices":[{"message":{"tool_calls":[{"id":"c1","type":"function","function":{"name":"get","arguments":"{\"a\":1}"}}]}}]})", "c1");
  check(R"({"output":[{"type":"reasoning"},{"type":"function_call","call_id":"c2","name":"get","arguments":"{\"a\":1}"}]})", "c2");
  check(R"({"content":[{"type":"text","text":"Hm."},{"type":"tool_use","id":"c3","name":"get","input":{"a":1}}]})", "c3");
  check(R"({"candidates":[{"content":{"parts":[{"text":"x"},{"functionCall":{"name":"get","args":{"a":1}}}]}}]})", "");
  check(R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"get","arguments":{"a":1}}})", "7");
  CHECK(calls(R"({"content":[{"type":"text","text":"no call"}]})").empty());
}

TEST_CASE("lists of tools are read in every form") {
  json::reader reader;
  for (const std::string_view text :
       {R"({"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"get","description":"D","inputSchema":{"type":"object"},"outputSchema":{"type":"string"}}]}})",
        R"([{"type":"function","function":{"name":"get","description":"D","parameters":{"type":"object"}}}])",
        R"({"tools":[{"name":"get","description":"D","input_schema":{"type":"object"}}]})",
        R"([{"functionDeclarations":[{"name":"get","description":"D","parametersJsonSchema":{"type":"object"}}]}])"}) {
    const auto d = reader.read(text);
    REQUIRE(d.has_value());
    const auto tools = schema::read_tool_list(d->root());
    REQUIRE(tools.size() == 1);
    CHECK(tools[0].name == "get");
    CHECK(tools[0].description == "D");
    REQUIRE(tools[0].input.has_value());
    CHECK(tools[0].input->find("type")->equals("object"));
  }
  CHECK(schema::read_tool_list(reader.read("{\"type\":\"object\"}")->root()).empty());
}
