// Calls against scripted servers: the order of checks, what is asked of whom, what is kept, masked and cut, and that
// every error tells what to do.

#include <codemode/contract/call.hpp>
#include <codemode/contract/describe.hpp>
#include <codemode/contract/errors.hpp>
#include <codemode/contract/redact.hpp>
#include <codemode/contract/validate.hpp>
#include <codemode/json/reader.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace contract = codemode::contract;
using contract::open_object;
using contract::open_value;
using std::chrono::milliseconds;

namespace {

open_object object(std::string_view source) {
  codemode::json::reader reader;
  const auto document = reader.read(source);
  REQUIRE(document.has_value());
  auto value = open_value::from(document->root());
  REQUIRE(value.has_value());
  return open_object{*value};
}

contract::tool_entry tool(std::string_view name, std::string_view more) {
  codemode::json::reader reader;
  const std::string source = "{\"name\":\"" + std::string(name) + "\"," + std::string(more) + "}";
  const auto document = reader.read(source);
  REQUIRE(document.has_value());
  auto entry = contract::read_tool(document->root(), "shop");
  REQUIRE(entry.has_value());
  return *entry;
}

/// A shop with a clock of its own.
struct world {
  contract::tool_catalog catalog;
  contract::connect_reply connection;
  contract::call_reply reply;
  milliseconds connect_takes{0};
  milliseconds clock{0};
  std::vector<std::string> log;
  std::function<contract::permission(const contract::call_request&, const contract::tool_entry*)> authorize;
  contract::call_options options;
  std::vector<contract::server_config> servers;
  std::unique_ptr<contract::broker> broker;

  world() {
    const std::string_view schema = R"("inputSchema":{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"]})";
    catalog.set_server("shop", contract::status_online,
                       {tool("get_order", std::string(schema) + R"(,"annotations":{"readOnlyHint":true})"), tool("list_orders", R"("annotations":{"readOnlyHint":true})"),
                        tool("delete_order", std::string(schema) + R"(,"annotations":{"destructiveHint":true})"),
                        tool("put_order", std::string(schema) + R"(,"annotations":{"idempotentHint":true})")});
    reply.content.emplace_back().text = "done";
    contract::server_config shop;
    shop.id = "shop";
    servers.push_back(shop);
  }

  contract::broker& get() {
    if (broker) return *broker;
    contract::host host;
    host.now = [this] { return std::chrono::steady_clock::time_point{} + clock; };
    host.connect = [this](const contract::server_config& s, std::string_view name, milliseconds) {
      log.push_back("connect " + s.id + " " + std::string(name));
      clock += connect_takes;
      return connection;
    };
    host.call = [this](const contract::server_config& s, std::string_view name, const open_object& arguments, milliseconds left) {
      log.push_back("call " + s.id + " " + std::string(name) + " " + std::string(arguments.text()) + " " + std::to_string(left.count()));
      return reply;
    };
    host.authorize = authorize;
    host.take_part = [this](const contract::call_request&, const contract::content_part& part) { log.push_back("part " + part.type); };
    broker = std::make_unique<contract::broker>(catalog, servers, host, options);
    return *broker;
  }

  contract::call_result ok(std::string_view ref, std::string_view arguments = R"({"id":1})") {
    auto r = get().call(ref, object(arguments));
    REQUIRE(r.has_value());
    return *r;
  }
  contract::error fails(std::string_view ref, std::string_view arguments = R"({"id":1})") {
    auto r = get().call(ref, object(arguments));
    REQUIRE_FALSE(r.has_value());
    CHECK(r.error().tool_ref == ref);
    CHECK(contract::check_instruction(r.error()) == contract::instruction_fault::none);
    return r.error();
  }
};

bool holds(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

}  // namespace

TEST_CASE("a call is sent with its name and arguments and answered with a summary") {
  world w;
  const auto r = w.ok("shop.get_order");
  CHECK(r.ok);
  CHECK(r.result.text() == "\"done\"");
  CHECK(holds(r.result_summary, "\"get_order\""));
  CHECK(r.notices.empty());
  CHECK(w.log == std::vector<std::string>{"connect shop get_order", R"(call shop get_order {"id":1} 60000)"});
  CHECK(r.next_actions.empty());
  CHECK(w.ok("shop.list_orders", "{}").next_actions.front().tool_ref == "shop.get_order");
}

TEST_CASE("checks come in their order, and nothing is contacted before the last") {
  world w;
  w.servers.push_back({});
  w.servers.back().id = "off";
  w.servers.back().enabled = false;
  for (const std::string_view bad : {"shop", ".x", "shop.", ""}) CHECK(w.fails(bad).type == contract::error_tool_not_found);
  CHECK(w.fails("ghost.x").type == contract::error_config);
  CHECK(w.fails("off.x", "{}").type == contract::error_config);
  const auto invalid = w.fails("shop.get_order", R"({"id":"x"})");
  CHECK(invalid.type == contract::error_invalid_arguments);
  CHECK(holds(invalid.message, "field \"id\" must be integer"));
  CHECK(invalid.server_id == "shop");
  CHECK(w.log.empty());
  // A tool that is not catalogued is called unchecked; its name may hold dots.
  w.ok("shop.a.b", "{}");
  CHECK(w.log.back() == "call shop a.b {} 60000");
}

TEST_CASE("a host that denies or asks stops the call") {
  world w;
  w.authorize = [](const contract::call_request& c, const contract::tool_entry* e) {
    contract::permission p;
    if (c.name == "delete_order") p.is = e != nullptr && e->destructive ? contract::permission::state::ask : contract::permission::state::deny;
    p.reason = "house rule";
    return p;
  };
  const auto e = w.fails("shop.delete_order");
  CHECK(e.type == contract::error_call_not_allowed);
  CHECK_FALSE(e.retryable);
  CHECK(e.server_id == "shop");
  CHECK(holds(e.message, "house rule"));
  CHECK(holds(e.agent_instruction, "Ask the user"));
  CHECK(w.log.empty());
  w.ok("shop.get_order");
}

TEST_CASE("only read-only results are kept, and any write drops those of its server") {
  world w;
  CHECK_FALSE(w.ok("shop.get_order").cached_age_seconds);
  w.clock += milliseconds{42'500};
  const auto again = w.ok("shop.get_order", R"({"id":1.0})");
  CHECK(again.cached_age_seconds == 42);
  CHECK_FALSE(w.ok("shop.get_order", R"({"id":2})").cached_age_seconds);
  w.ok("shop.put_order");
  CHECK_FALSE(w.ok("shop.get_order").cached_age_seconds);
  // A failed write may have taken effect: it drops them too.
  w.reply.is = contract::call_reply::state::failed;
  w.fails("shop.delete_order");
  w.reply.is = contract::call_reply::state::answered;
  CHECK_FALSE(w.ok("shop.get_order").cached_age_seconds);
  w.clock += milliseconds{300'001};
  CHECK_FALSE(w.ok("shop.get_order").cached_age_seconds);
  // Errors are never kept.
  w.reply.tool_error = true;
  w.fails("shop.get_order", R"({"id":9})");
  const std::size_t asked = w.log.size();
  w.fails("shop.get_order", R"({"id":9})");
  CHECK(w.log.size() > asked);
}

TEST_CASE("a call that may have taken effect is told as such") {
  using state = contract::call_reply::state;
  for (const state s : {state::failed, state::timed_out, state::cancelled}) {
    world w;
    w.reply.is = s;
    w.reply.cause = "broken pipe";
    CHECK(holds(w.fails("shop.delete_order").agent_instruction, "may have taken effect"));
    CHECK(holds(w.fails("shop.unknown").agent_instruction, "may have taken effect"));
    CHECK_FALSE(holds(w.fails("shop.get_order").agent_instruction, "may have taken effect"));
    CHECK_FALSE(holds(w.fails("shop.put_order").agent_instruction, "may have taken effect"));
    w.reply.sent = false;
    CHECK_FALSE(holds(w.fails("shop.delete_order").agent_instruction, "may have taken effect"));
    CHECK(w.fails("shop.delete_order").retryable == (s == state::failed));
  }
}

TEST_CASE("connecting and calling share one clock") {
  world w;
  w.servers[0].call_timeout = milliseconds{100};
  w.connect_takes = milliseconds{30};
  w.ok("shop.put_order");
  CHECK(w.log.back() == R"(call shop put_order {"id":1} 70)");
  w.connect_takes = milliseconds{100};
  const auto e = w.fails("shop.put_order");
  CHECK(holds(e.message, "100ms"));
  CHECK_FALSE(e.retryable);
  CHECK(w.log.back() == "connect shop put_order");
  CHECK(contract::go_duration(60'000) == "1m0s");
  CHECK(contract::go_duration(1'500) == "1.5s");
  CHECK(contract::go_duration(7'200'000) == "2h0m0s");
  CHECK(contract::go_duration(40) == "40ms");
}

TEST_CASE("connections that fail are told apart") {
  using state = contract::connect_reply::state;
  world w;
  w.connection.is = state::refused;
  w.connection.cause = "401 for https://me:hunter22@host/";
  auto e = w.fails("shop.get_order");
  CHECK(e.type == contract::error_server_offline);
  CHECK(e.retryable);
  CHECK_FALSE(holds(e.message, "hunter22"));
  w.broker.reset();
  w.servers[0].oauth = true;
  CHECK(w.fails("shop.get_order").type == contract::error_auth_unavailable);
  w.connection.cause = "authentication needed";
  CHECK(w.fails("shop.get_order").type == contract::error_auth_unavailable);
  w.connection.cause = "the author of this server is unknown";
  CHECK(w.fails("shop.get_order").type == contract::error_server_offline);
  w.connection.is = state::no_session;
  CHECK(w.fails("shop.get_order").type == contract::error_server_offline);
  w.connection.is = state::bad_transport;
  CHECK(w.fails("shop.get_order").type == contract::error_config);
}

TEST_CASE("a changed schema is a notice or an error, and a tool that is gone is told") {
  using listing = contract::connect_reply::listing;
  world w;
  w.connection.tool = listing::listed;
  w.connection.live_schema = object(R"({"type":"object","required":["id"],"properties":{"id":{"type":"integer"},"x":{}}})");
  CHECK(w.ok("shop.put_order").notices.size() == 1);
  w.connection.live_schema = object(R"({"type":"object","required":["id","shop"],"properties":{"id":{"type":"integer"},"shop":{"type":"string"}}})");
  const auto e = w.fails("shop.put_order");
  CHECK(e.type == contract::error_schema_changed);
  CHECK(holds(e.message, "missing required field \"shop\""));
  CHECK(holds(e.message, R"("properties":["id","shop"])"));
  CHECK_FALSE(e.retryable);
  w.connection.tool = listing::gone;
  CHECK(w.fails("shop.put_order").type == contract::error_tool_not_found);
  CHECK(w.log.back() == "connect shop put_order");
}

TEST_CASE("what only an old entry refuses is asked of the server") {
  world w;
  w.catalog.set_stale("shop");
  w.connection.tool = contract::connect_reply::listing::listed;
  w.connection.live_schema = object(R"({"type":"object"})");
  CHECK(w.ok("shop.get_order", R"({"id":"x"})").notices.size() == 1);
  w.connection.tool = contract::connect_reply::listing::unknown;
  CHECK(w.fails("shop.get_order", R"({"id":"x"})").type == contract::error_invalid_arguments);
}

TEST_CASE("results are masked, named and cut") {
  world w;
  w.servers[0].environment = {{"TOKEN", "sk-live-0000"}, {"MODE", "development"}};
  w.options.max_result_bytes = 64;
  w.reply.content[0].text = "development with sk-live-0000";
  auto r = w.ok("shop.put_order");
  CHECK(r.result.text() == "\"development with ****\"");
  CHECK(r.notices.size() == 1);
  CHECK(holds(r.notices[0], "1 place "));
  w.reply.structured = open_value::trusted(R"(["aaaaaaaaaaaaaaaaaaaaaaaaa","bbbbbbbbbbbbbbbbbbbbbbbbb","ccccccccccccccccccccccc"])");
  r = w.ok("shop.put_order");
  CHECK(r.result.text() == R"(["aaaaaaaaaaaaaaaaaaaaaaaaa","bbbbbbbbbbbbbbbbbbbbbbbbb"])");
  CHECK(r.result_summary.ends_with(" (truncated)"));
  CHECK(holds(r.notices[0], "2 of 3 items"));
  w.reply.structured = {};
  w.reply.content[0].text = "";
  w.reply.content.push_back({"image", "", "image/png", "", 600});
  w.reply.content.push_back({"resource_link", "", "", "file:///x", 0});
  w.reply.content.push_back({"image", "", "", "", 0});
  r = w.ok("shop.put_order");
  CHECK(r.result.text() == "\"\"");
  REQUIRE(r.notices.size() == 1);
  CHECK(holds(r.notices[0], "image image/png of 600 bytes, resource_link at file:///x"));
  CHECK(w.log.back() == "part resource_link");
  const auto blocks = contract::content_blocks(r, "tag: ");
  REQUIRE(blocks.size() == 2);
  CHECK(blocks[1].starts_with("tag: beside"));
}

TEST_CASE("foreign text of errors is bounded and cut at a code point") {
  world w;
  w.reply.tool_error = true;
  w.reply.content[0].text = "\n ";
  CHECK(w.fails("shop.put_order").message.empty());
  for (int i = 0; i < 3000; ++i) w.reply.content[0].text += "ž";
  const auto e = w.fails("shop.put_order");
  CHECK(e.message.size() <= 2048);
  CHECK(e.message.ends_with(" [...]"));
  CHECK(codemode::text::is_valid_utf8(e.message));
}

TEST_CASE("texts and values that do not fit the budget") {
  const auto cut = [](std::string_view s, std::int64_t limit) {
    open_value v = open_value::string(s);
    const std::string notice = contract::fit_result(v, limit);
    return std::pair{v.cursor().string(), notice};
  };
  CHECK(cut("short", 16).second.empty());
  CHECK(cut("one two\nthree four five", 16).first == "one two");
  CHECK(cut("onetwothreefourfive six", 20).first == "onetwothreefourfive");
  CHECK(cut("žžžžžžžžžžžžž", 17).first == "žžžžžžžž");
  CHECK(cut(std::string(100, 'x'), 5).first.size() == 16);
  CHECK(cut(std::string(100'000, 'x'), 0).second.empty());
  open_value o = open_value::trusted(R"({"a":"xxxxxxxxxxxxxxxxxxxxxxxx"})");
  CHECK(holds(contract::fit_result(o, 16), "no longer valid JSON"));
  CHECK(o.cursor().is_string());
  CHECK(contract::detail::count_code_points(contract::summarize_result("t", open_value::string(std::string(900, 'y')))) == 200);
}

TEST_CASE("arguments are checked as strictly as the schema says") {
  const auto problems = [](std::string_view schema, std::string_view arguments) { return contract::joined(contract::argument_problems(object(schema), object(arguments))); };
  CHECK(problems(R"({"required":["a","a"]})", "{}") == R"(missing required field "a"; missing required field "a")");
  CHECK(problems(R"({"properties":{"m":{"properties":{"k":{"type":"string"}},"required":["j"]}}})", R"({"m":{"k":1}})") ==
        R"(field "m.k" must be string; missing required field "m.j")");
  CHECK(problems(R"({"properties":{"t":{"items":{"type":"integer"}}}})", R"({"t":[1,2.0,2.5,"x"]})") == R"(field "t[2]" must be integer; field "t[3]" must be integer)");
  // Each of these breaks exactly one rule.
  const std::pair<std::string_view, std::string_view> wrong[]{
      {R"({"properties":{"a":{"enum":[1,"x"]}}})", R"({"a":"y"})"}, {R"({"properties":{"a":{"const":null}}})", R"({"a":0})"},
      {R"({"properties":{"a":{"minimum":3}}})", R"({"a":2})"}, {R"({"properties":{"a":{"exclusiveMaximum":3}}})", R"({"a":3})"},
      {R"({"properties":{"a":{"maximum":9007199254740992}}})", R"({"a":9007199254740993})"}, {R"({"properties":{"a":{"multipleOf":0.1}}})", R"({"a":0.25})"},
      {R"({"properties":{"a":{"minLength":2}}})", R"({"a":"ž"})"}, {R"({"properties":{"a":{"pattern":"^x+$"}}})", R"({"a":"xy"})"},
      {R"({"properties":{"a":{"maxItems":1}}})", R"({"a":[1,2]})"}, {R"({"properties":{"a":{"uniqueItems":true}}})", R"({"a":[{"x":1,"y":2},{"y":2,"x":1}]})"},
      {R"({"properties":{"a":{"contains":{"type":"string"}}}})", R"({"a":[1]})"}, {R"({"additionalProperties":false})", R"({"a":1})"},
      {R"({"additionalProperties":{"type":"string"}})", R"({"a":1})"}, {R"({"patternProperties":{"^a":{"type":"string"}}})", R"({"ab":1})"},
      {R"({"propertyNames":{"maxLength":1}})", R"({"ab":1})"}, {R"({"minProperties":1})", "{}"},
      {R"({"dependentRequired":{"a":["b"]}})", R"({"a":1})"}, {R"({"oneOf":[{"required":["a"]},{"required":["b"]}]})", R"({"a":1,"b":1})"},
      {R"({"anyOf":[{"required":["a"]},{"required":["b"]}]})", "{}"}, {R"({"not":{"required":["a"]}})", R"({"a":1})"},
      {R"({"if":{"required":["a"]},"then":{"required":["b"]}})", R"({"a":1})"},
      {R"({"$defs":{"s":{"type":"string"}},"properties":{"a":{"$ref":"#/$defs/s"}}})", R"({"a":1})"}, {R"({"properties":{"a":false}})", R"({"a":1})"},
      {R"({"properties":{"a":{"type":["string","null"]}}})", R"({"a":1})"}, {R"({"properties":{"a":{"prefixItems":[{"type":"string"}]}}})", R"({"a":[1]})"}};
  for (const auto& [schema, arguments] : wrong) {
    const std::string_view shown = schema;
    CAPTURE(shown);
    CHECK(contract::argument_problems(object(schema), object(arguments)).size() == 1);
  }
  // Faulty schemas check nothing where they are faulty, and references in circles end.
  for (const std::string_view schema : {R"({"properties":{"a":{"type":"String"}}})", R"({"properties":{"a":{"$ref":"#/nowhere"}}})", R"({"properties":{"a":{"$ref":"http://x/y"}}})",
                                        R"({"properties":{"a":{"pattern":"("}}})", R"({"$ref":"#"})", R"({"properties":7,"required":"a"})", R"({"properties":{"a":{"type":["string","date"]}}})"}) {
    CAPTURE(schema);
    CHECK(contract::argument_problems(object(schema), object(R"({"a":1})")).empty());
  }
}

TEST_CASE("a schema that multiplies its work is left after its steps") {
  // Each definition applies the next one twice: 2^40 checks if nobody counts.
  std::string schema = R"({"$ref":"#/$defs/d0","$defs":{)";
  for (int i = 0; i < 40; ++i) {
    const std::string next = R"({"$ref":"#/$defs/d)" + std::to_string(i + 1) + "\"}";
    schema += "\"d" + std::to_string(i) + "\":{\"allOf\":[" + next + "," + next + "]},";
  }
  schema += R"("d40":{"required":["x"]}}})";
  const auto started = std::chrono::steady_clock::now();
  static_cast<void>(contract::argument_problems(object(schema), object("{}"), {.depth = 200, .steps = 20'000}));
  CHECK(std::chrono::steady_clock::now() - started < std::chrono::seconds{20});
}

TEST_CASE("configurations are shown without their secrets") {
  CHECK(contract::redacted("") == "");
  CHECK(contract::redacted("Bearer {env:T}") == "Bearer {env:T}");
  CHECK(contract::redacted("Bearer {env:T} sk-x") == "Bearer {env:T}****");
  CHECK(contract::redacted("x {env:9}") == "****");
  CHECK(contract::secret_kind("bearer\tx") == "bearer");
  CHECK(contract::secret_kind("a{env:T}ghp_x") == "github_token");
  CHECK(contract::secret_kind("desk-lamp") == "");
  // A value is found where a character begins, not inside an escape.
  const contract::secret_list secrets({}, {{"KEY", "nabc"}});
  std::size_t places = 0;
  CHECK(secrets.masked(open_value::string("\nabc"), places).cursor().string() == "\nabc");
  CHECK(places == 0);
  CHECK(secrets.masked(open_value::trusted(R"({"nabc":1,"a":"xnabc"})"), places).text() == R"({"****":1,"a":"x****"})");
  CHECK(places == 2);
}

TEST_CASE("every error that the library makes tells what to do") {
  namespace errors = contract::errors;
  using contract::side_effects;
  const std::vector<std::string> problems{"missing required field \"x\""};
  std::vector<contract::error> all{errors::bad_tool_ref("x"), errors::unknown_tool("a.b", problems), errors::tool_gone("a.b", "a"), errors::server_not_configured("a.b", "a"),
                                   errors::server_disabled("a.b", "a"), errors::bad_server_id("a.b"), errors::bad_transport("a.b", "a", "c"), errors::invalid_arguments("a.b", "a", problems),
                                   errors::arguments_not_an_object("a.b", "c"), errors::schema_changed("a.b", "a", problems, "{}"), errors::call_not_allowed("a.b", "a", "r", true),
                                   errors::call_not_allowed("a.b", "a", "", false), errors::server_offline("a.b", "a", "c"), errors::no_session("a.b", "a"), errors::auth_unavailable("a.b", "a", "c"),
                                   errors::tool_failed("a.b", "a", ""), errors::unexpected("a.b", "c"), errors::catalog_unreadable("c"), errors::find_failed("c"), errors::semantic_unavailable("c"),
                                   errors::not_implemented("op")};
  for (const side_effects s : {side_effects::none, side_effects::possible})
    for (contract::error e : {errors::deadline_passed("a.b", "a", 40, s), errors::call_cancelled("a.b", "a", s), errors::transport_failed("a.b", "a", "c", s)}) all.push_back(e);
  for (const contract::error& e : all) {
    CAPTURE(e.message);
    CHECK(contract::check_instruction(e) == contract::instruction_fault::none);
  }
  // And the check can fail.
  contract::error e = errors::tool_gone("a.b", "a");
  e.agent_instruction = "Something went wrong with this tool.";
  CHECK(contract::check_instruction(e) == contract::instruction_fault::not_actionable);
  e.agent_instruction = "Use findTool to look for it somewhere.";
  CHECK(contract::check_instruction(e) == contract::instruction_fault::not_conditional);
  e.retryable = true;
  e.agent_instruction = "Retry callTool as often as you like.";
  CHECK(contract::check_instruction(e) == contract::instruction_fault::no_precondition);
  e.agent_instruction.clear();
  CHECK(contract::check_instruction(e) == contract::instruction_fault::missing);
}

TEST_CASE("describe shows the schema whole, in outline or in part") {
  world w;
  const auto d = contract::describe_tool(w.catalog, "shop.get_order");
  REQUIRE(d.has_value());
  CHECK(d->recommended_call->arguments.text() == R"({"arguments":{"id":"\u003cinteger\u003e"},"toolRef":"shop.get_order"})");
  CHECK(d->related_tools.front().tool_ref == "shop.list_orders");
  CHECK(d->related_tools.size() <= 3);
  CHECK(d->status->callable_now);
  const auto outline = contract::describe_tool(w.catalog, "shop.get_order", {.max_schema_bytes = 20});
  CHECK(holds(outline->usage_hints.front(), "path"));
  const auto part = contract::describe_tool(w.catalog, "shop.get_order", {.path = "/properties/id"});
  CHECK(part->input_schema.text() == R"({"type":"integer"})");
  const auto none = contract::describe_tool(w.catalog, "shop.get_orders");
  REQUIRE_FALSE(none.has_value());
  CHECK(holds(none.error().message, "shop.get_order"));
  const auto page = contract::list_tools(w.catalog, {}, 3);
  CHECK(page.result.tools->size() == 3);
  const auto rest = contract::list_tools(w.catalog, page.next_cursor, 3);
  CHECK(rest.result.tools->size() == 1);
  CHECK(rest.next_cursor.empty());
}

TEST_CASE("the catalog keeps its order, first names and what cannot be reached") {
  contract::tool_catalog c;
  CHECK(c.set_server("shop", contract::status_online, {tool("b", R"("title":"1")"), tool("a", R"("title":"2")"), tool("b", R"("title":"3")")}) == 1);
  REQUIRE(c.size() == 2);
  CHECK(c.entries()[0].name == "a");
  CHECK(c.find("shop.b")->title == "1");
  c.set_unreachable("shop", contract::status_offline);
  CHECK(c.stats().stale_tools == 2);
  CHECK_FALSE(c.find("shop.b")->callable_now);
  CHECK(c.stats(-5).catalog_age_seconds == 0);
  c.set_server("shop", contract::status_online, {});
  CHECK(c.empty());
  CHECK(c.stats().configured_servers == 1);
}
