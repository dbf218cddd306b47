// One test a rule of prompt.md, named after its section, beside the vectors (tests/prompt).

#include "prompt_fixture.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <string>

using namespace fixture;
using namespace std::chrono_literals;

namespace {

cp::prompt_config<> with_tools(std::vector<std::shared_ptr<const cp::tool<>>> tools) {
  cp::prompt_config<> c;
  c.tools = std::move(tools);
  return c;
}
cp::prompt_config<> with_schema() {
  cp::prompt_config<> c;
  c.schema = cp::json_schema{object_schema({"n"})};
  return c;
}
cp::usage tokens(std::int64_t in, std::int64_t out) {
  cp::usage u;
  u.text = cp::token_usage{in, out, {}};
  return u;
}

}  // namespace

TEST_CASE("3.4: argument text comes as deltas or whole, cut anywhere") {
  host h{{}};
  std::size_t round = 0;
  h.context.execute = nullptr;
  h.context.stream = [&](cp::request&, const auto&, const auto&, const std::stop_token&,
                         const cp::chunk_sink& sink) -> cp::model_result {
    cp::chunk c;
    if (round++ > 0) {
      c.content = "done";
      (void)sink(c);
      return cp::response{};
    }
    const std::string arguments = "{\"v\":1,\"w\":\"\xC3\xA9\"}";
    c.named = cp::chunk::call_view{"c1", "a", {}, false};
    (void)sink(c);
    for (const char& byte : arguments) {
      cp::chunk d;
      d.arguments = cp::chunk::call_view{"c1", {}, {&byte, 1}, true};
      d.arguments_are_delta = true;
      (void)sink(d);
    }
    return cp::response{};
  };
  const cp::outcome o = h.run(with_tools({tool("a", [](const value& v, const call_context&) {
    return cp::tool_outcome::value(v);
  })}), cp::mode::stream);
  CHECK(o.status == cp::status::complete);
  CHECK(answer_to(o.messages, "c1") == "{\"v\":1,\"w\":\"\xC3\xA9\"}");
}

TEST_CASE("3.5: usage adds number by number and absent stays absent") {
  cp::usage a = tokens(1, 2);
  cp::usage b;
  b.text = cp::token_usage{3, {}, {}};
  b.cost = 0.5;
  b.image = cp::image_usage{{}, {{"hd", 1, 1, 1}}};
  a += b;
  a += b;
  CHECK(*a.text->input == 7);
  CHECK(*a.text->output == 2);
  CHECK_FALSE(a.text->cached);
  CHECK_FALSE(a.audio);
  CHECK(*a.cost == 1.0);
  REQUIRE(a.image->output.size() == 1);
  CHECK(a.image->output[0].count == 2);
  CHECK(cp::input_tokens(a) == 7);
  CHECK(cp::output_tokens(a) == 2);
  CHECK(cp::total_tokens(a) == 9);
}

TEST_CASE("3.5: reasoning deltas merge by id, index, or type") {
  cp::reasoning r;
  cp::reasoning d;
  d.content = "a";
  d.details = {{"x", "t", "", {}, {}, "one", {}, {}}};
  r += d;
  r += d;
  CHECK(*r.content == "aa");
  REQUIRE(r.details.size() == 1);
  CHECK(*r.details[0].text == "oneone");
  d.details = {{{}, "t", "", {}, {}, "other", "sig", {}}};
  r += d;
  CHECK(r.details.size() == 2);  // one side has an id: the type alone does not match
  cp::reasoning plain;
  plain += d;
  plain += d;
  REQUIRE(plain.details.size() == 1);
  CHECK(*plain.details[0].signature == "sig");
}

TEST_CASE("5.1: the run's input is not modified") {
  host h{{text("ok")}};
  cp::prompt_config<> c = with_tools({tool("a", returns(1))});
  c.name = "p";
  c.content = std::string{"{{tools}}{{x}}"};
  const cp::prompt<> p{std::move(c)};
  cp::run_options options = h.options();
  options.input.set("x", 1);
  (void)p.run(h.context, options);
  CHECK(options.input == value::make_object({{"x", 1}}));
}

TEST_CASE("5.2: names pick own tools in the prompt's order, objects come behind or replace") {
  host h{{text("ok")}};
  cp::prompt_config<> c = with_tools({tool("a", returns(1)), tool("b", returns(2))});
  c.retool = [](const value&, const cp::context<>&) -> cp::field_result<cp::tool_selection<>> {
    return cp::tool_selection<>{{"b", "a"}, {tool("x", returns(3)), tool("a", returns(4))}};
  };
  (void)h.run(std::move(c));
  CHECK(h.model.requests.at(0).tools == std::vector<std::string>{"a", "b", "x"});
}

TEST_CASE("5.2: an unknown name and equal names are configuration errors") {
  host h{{text("ok")}};
  cp::prompt_config<> c = with_tools({tool("a", returns(1))});
  SUBCASE("unknown") {
    c.retool = [](const value&, const cp::context<>&) -> cp::field_result<cp::tool_selection<>> {
      return cp::tool_selection<>{{"nope"}, {}};
    };
  }
  SUBCASE("equal") { c.tools.push_back(tool("a", returns(2))); }
  const cp::outcome o = h.run(std::move(c));
  REQUIRE(o.error);
  CHECK(o.error->kind == cp::error_kind::configuration);
  CHECK(o.error->message.starts_with("p: "));
  CHECK(h.events.empty());
}

TEST_CASE("5.3: the tools section is added only where no output tag shows it") {
  cp::tool_config<> t = tool_settings("a", returns(1));
  t.instructions = std::string{"Use a."};
  const auto a = cp::make_tool<>(std::move(t));
  const auto system = [&a](std::string content) {
    host h{{text("ok")}};
    cp::prompt_config<> c = with_tools({a});
    c.content = std::move(content);
    (void)h.run(std::move(c));
    return h.model.requests.at(0).system;
  };
  CHECK(system("Hi.") == "Hi.\n\n<tools>\nUse a.\n</tools>");
  CHECK(system("[{{ tools }}]") == "[Use a.]");
  CHECK(system("[{{@root.tools}}]") == "[Use a.]");
  CHECK(system("{{#if tools}}yes{{/if}}") == "yes\n\n<tools>\nUse a.\n</tools>");
}

TEST_CASE("6.1: histories whose calls and answers do not pair are refused with the ids") {
  auto asks = std::make_shared<cp::message>();
  asks->role = cp::role::assistant;
  asks->tool_calls = {call("k1", "a")};
  host h{{text("ok")}};
  h.context.messages = cp::conversation({cp::make_message(cp::role::user, "q"), asks});
  cp::prompt_config<> c;
  SUBCASE("checked") {
    const cp::outcome o = h.run(std::move(c));
    REQUIRE(o.error);
    CHECK(o.error->kind == cp::error_kind::history);
    CHECK(o.error->message.find("k1") != std::string::npos);
    CHECK(o.messages.size() == 3);  // the list as built
  }
  SUBCASE("not checked") {
    c.check_history = false;
    CHECK(h.run(std::move(c)).status == cp::status::complete);
  }
}

TEST_CASE("6.2: toolsOneAtATime is obeyed and stops at toolsMax") {
  host h{{calls({call("c1", "a"), call("c2", "a"), call("c3", "a")}), text("done")}};
  cp::prompt_config<> c = with_tools({tool("a", returns(1))});
  cp::request_fields f;
  f.tools_one_at_a_time = true;
  c.config = f;
  c.tools_max = 2;
  const cp::outcome o = h.run(std::move(c));
  CHECK(answer_to(o.messages, "c2") == "1");
  CHECK(answer_to(o.messages, "c3") == cp::texts::not_run_limit);
  CHECK(h.at("toolOutput c1") < h.at("toolStart c2"));
  CHECK(h.model.requests.at(1).tools.empty());
}

TEST_CASE("decision: a fixed choice of a tool that is not selected is a configuration error") {
  host h{{text("ok")}};
  cp::prompt_config<> c = with_tools({tool("a", returns(1))});
  cp::request_fields f;
  f.tool_choice = cp::tool_choice{cp::tool_choice::kind::tool, "b"};
  c.config = f;
  const cp::outcome o = h.run(std::move(c));
  REQUIRE(o.error);
  CHECK(o.error->kind == cp::error_kind::configuration);
}

TEST_CASE("6.3: arguments are decoded by the descriptor that the host pinned during the call") {
  value map = value::make_object({{"type", "object"}, {"additionalProperties", value::make_object({{"type", "number"}})}});
  value schema = value::make_object({{"type", "object"},
                                     {"properties", value::make_object({{"m", std::move(map)}})},
                                     {"required", value::make_array({"m"})}});
  cp::tool_config<> t = tool_settings("a", [](const value& v, const call_context&) { return cp::tool_outcome::value(v); });
  t.schema = cp::json_schema{std::move(schema)};
  host h{{}};
  std::size_t n = 0;
  h.context.execute = [&n](cp::request& r, const auto&, const auto&, const std::stop_token&) -> cp::model_result {
    if (n++ > 0) return text("done");
    r.tools[0].descriptor = "openai-strict";
    return calls({call("c1", "a", R"({"m":[{"key":"k","value":1}]})")});
  };
  const cp::outcome o = h.run(with_tools({cp::make_tool<>(std::move(t))}));
  CHECK(answer_to(o.messages, "c1") == R"({"m":{"k":1}})");
}

TEST_CASE("7.4: an intercepted call does not run; nothing given lets it run") {
  host h{{calls({call("c1", "a"), call("c2", "a")}), text("done")}};
  std::atomic<int> ran{0};
  cp::prompt_config<> c = with_tools({tool("a", [&ran](const value&, const call_context&) {
    ++ran;
    return cp::tool_outcome::value("real");
  })});
  c.on_tool_intercept = [](const cp::call_info& i, const cp::context<>&) -> std::optional<cp::tool_outcome> {
    if (i.call.id == "c1") return cp::tool_outcome::value(nullptr);
    return std::nullopt;
  };
  const cp::outcome o = h.run(std::move(c));
  CHECK(ran == 1);
  CHECK(answer_to(o.messages, "c1") == cp::texts::no_result);
  CHECK(answer_to(o.messages, "c2") == "real");
}

TEST_CASE("7.5: a failed transformer is an error whose raw result stays listed") {
  host h{{calls({call("c1", "a")}), text("done")}};
  cp::prompt_config<> c = with_tools({tool("a", returns(42))});
  c.on_tool_result = [](const cp::call_info&, const std::optional<value>&,
                        const cp::context<>&) -> std::variant<std::optional<value>, cp::hook_error> {
    return cp::hook_error{"too long"};
  };
  const cp::outcome o = h.run(std::move(c));
  CHECK(answer_to(o.messages, "c1") == "error: the result of a could not be prepared: too long");
  CHECK_FALSE(h.saw("toolOutput c1"));
  CHECK(h.saw("toolError c1"));
  REQUIRE(o.tool_results.size() == 1);
  CHECK(*o.tool_results[0].result == value{42});
}

TEST_CASE("7.6: empty and repeated ids are replaced everywhere") {
  host h{{calls({call("", "a"), call("x", "a"), call("x", "a")}), text("done")}};
  const cp::outcome o = h.run(with_tools({tool("a", returns(1))}));
  CHECK(h.saw("toolStart call_0_0"));
  CHECK(h.saw("toolStart x"));
  CHECK(h.saw("toolStart call_0_2"));
  CHECK(pairing_fault(o.messages) == "");
}

TEST_CASE("8.1: all allowances form one pool of requests") {
  host h{{calls({call("c1", "a")})}};
  const cp::outcome o = h.run(with_tools({tool("a", returns(1))}));
  CHECK(h.model.requests.size() == 9);
  REQUIRE(o.error);
  CHECK(o.error->kind == cp::error_kind::iterations);
}

TEST_CASE("decision: tool_rounds caps the answers whose calls are run") {
  host h{{calls({call("c1", "a")}), calls({call("c2", "a")}), text("done")}};
  cp::prompt_config<> c = with_tools({tool("a", returns(1))});
  c.tool_rounds = 2;
  const cp::outcome o = h.run(std::move(c));
  CHECK(o.status == cp::status::complete);
  CHECK(h.model.requests.at(1).tools.size() == 1);
  CHECK(h.model.requests.at(2).tools.empty());
}

TEST_CASE("8.3: with no tool retries left the tools are withdrawn and the model must answer") {
  host h{{calls({call("c1", "nope")}), calls({call("c2", "nope")}), text("done")}};
  cp::prompt_config<> c = with_tools({tool("a", returns(1))});
  c.tool_retries = 1;
  const cp::outcome o = h.run(std::move(c));
  CHECK(o.status == cp::status::complete);
  CHECK(h.model.requests.at(1).tools.size() == 1);
  CHECK(h.model.requests.at(2).tools.empty());
}

TEST_CASE("9.3: errors for the model are cut by code points, the uncut text is kept") {
  CHECK(cp::texts::cut("\xC3\xA4\xC3\xB6\xC3\xBC", 2) == "\xC3\xA4\xC3\xB6\xE2\x80\xA6 [1 more characters cut]");
  CHECK(cp::texts::cut("abc", 3) == "abc");
  CHECK(cp::texts::cut("abc", 0) == "abc");
  host h{{text("x")}};
  cp::prompt_config<> c = with_schema();
  c.output_retries = 0;
  c.validation_error_max_length = 10;
  const cp::outcome o = h.run(std::move(c));
  REQUIRE(o.error);
  CHECK(o.error->message.find("more characters cut") != std::string::npos);
  CHECK(o.error->raw.starts_with("Your reply could not be read as JSON: "));
}

TEST_CASE("10.2: prose with braces, unclosed openings and arrays at the root") {
  const auto take = [](std::string answer, value schema) {
    host h{{text(std::move(answer))}};
    cp::prompt_config<> c;
    c.schema = cp::json_schema{std::move(schema)};
    return h.run(std::move(c)).output;
  };
  CHECK(take("see {this} and {\"n\": 1}", object_schema({"n"})) == value::make_object({{"n", 1}}));
  CHECK(take("{ open \"n {\" {\"n\":2}", object_schema({"n"})) == value::make_object({{"n", 2}}));
  CHECK(take("it is [1,2] {}", value::make_object({{"type", "array"}})) == value::make_array({1, 2}));
}

TEST_CASE("10.4: what validate refused is never the result") {
  host h{{text("no"), text("no"), text("no")}};
  cp::prompt_config<> c;
  c.validate = [](const value&, const cp::context<>&) -> std::optional<cp::hook_error> { return cp::hook_error{"wrong"}; };
  const cp::outcome o = h.run(std::move(c));
  CHECK(o.status == cp::status::failed);
  CHECK_FALSE(o.output);
  CHECK(h.model.requests.size() == 3);
  CHECK(h.saw("textReset validation"));
}

TEST_CASE("11.3: a failed call promotes the schema to prompt text only without a class, or if the schema was refused") {
  for (const auto what : {cp::model_error_class::unknown, cp::model_error_class::schema_rejected}) {
    host h{{cp::model_error{"bad schema", what, {}}, text(R"({"n":1})")}};
    const cp::outcome o = h.run(with_schema());
    CHECK(o.status == cp::status::complete);
    CHECK(h.model.requests.at(0).delivery == cp::delivery::structured);
    CHECK(h.model.requests.at(1).delivery == cp::delivery::prompt);
  }
  for (const auto what : {cp::model_error_class::authentication, cp::model_error_class::other}) {
    host h{{cp::model_error{"no", what, {}}, text(R"({"n":1})")}};
    const cp::outcome o = h.run(with_schema());
    REQUIRE(o.error);
    CHECK(o.error->kind == cp::error_kind::model);
    CHECK(h.model.requests.size() == 1);
  }
}

TEST_CASE("decision Model errors: passing failures are repeated, with the pause that the model asks for, and never promote") {
  host h{{cp::model_error{"full", cp::model_error_class::overloaded, 5ms},
          cp::model_error{"reset", cp::model_error_class::transient, 1ms}, text(R"({"n":1})")}};
  const auto begun = std::chrono::steady_clock::now();
  const cp::outcome o = h.run(with_schema());
  CHECK(std::chrono::steady_clock::now() - begun >= 6ms);
  CHECK(o.status == cp::status::complete);
  CHECK(h.count("retry") == 2);
  CHECK(h.model.requests.at(2).delivery == cp::delivery::structured);
  CHECK(h.model.requests.at(2).iterations == 0);
}

TEST_CASE("decision Model errors: repeats end with model_retries, the stop, or a deadline that the pause would miss") {
  const cp::model_error failure{"full", cp::model_error_class::overloaded, 1ms};
  {
    host h{{failure}};
    const cp::outcome o = h.run({});
    CHECK(h.model.requests.size() == 3);
    REQUIRE(o.error);
    CHECK(o.error->message == "p: full");
  }
  {
    std::stop_source stop;
    host h{{cp::model_error{"full", cp::model_error_class::overloaded, 1h}}};
    h.context.stop = stop.get_token();
    h.watch = [&stop](const cp::event& e) {
      if (std::holds_alternative<cp::events::retry>(e)) stop.request_stop();
    };
    CHECK(h.run({}).status == cp::status::aborted);
  }
  {
    host h{{cp::model_error{"full", cp::model_error_class::overloaded, 1h}}};
    h.context.deadline = cp::clock::now() + 1min;
    CHECK(h.run({}).error->kind == cp::error_kind::model);
    CHECK(h.model.requests.size() == 1);
  }
}

TEST_CASE("decision Limits: max_total_tokens ends like the other limits") {
  cp::response r = calls({call("c1", "a")});
  r.usage = tokens(60, 40);
  host h{{r}};
  cp::prompt_config<> c = with_tools({tool("a", returns(1))});
  c.max_total_tokens = 150;
  std::int64_t told = 0;
  c.reconfig = [&told](const cp::reconfig_stats& s, const cp::context<>&)
      -> std::variant<std::monostate, cp::reconfig_changes, cp::hook_error> {
    told = cp::total_tokens(s.usage);
    return std::monostate{};
  };
  const cp::outcome o = h.run(std::move(c));
  CHECK(h.model.requests.size() == 2);
  CHECK(told == 200);
  REQUIRE(o.error);
  CHECK(o.error->kind == cp::error_kind::tokens);
}

TEST_CASE("decision Limits: raising outputRetries in reconfig raises the budget with it") {
  host h{{text("x")}};
  cp::prompt_config<> c = with_schema();
  c.output_retries = 0;
  c.tool_iterations = 0;
  c.tool_retries = 0;
  c.forget_retries = 0;
  c.tools = {tool("a", returns(1))};
  h.model.answers = {calls({call("c1", "a")}), text("x"), text(R"({"n":1})")};
  c.reconfig = [](const cp::reconfig_stats& s, const cp::context<>&)
      -> std::variant<std::monostate, cp::reconfig_changes, cp::hook_error> {
    cp::reconfig_changes changes;
    if (s.iteration == 0) changes.output_retries = 2;
    return changes;
  };
  CHECK(h.run(std::move(c)).status == cp::status::complete);
}

TEST_CASE("13.1: whole groups go, oldest first; the question and the last group stay") {
  std::vector<std::string> kept;
  cp::message_list list;
  std::vector<std::int64_t> sizes;
  const auto add = [&](cp::role r, std::string content, std::vector<std::string> ids = {}) {
    auto m = std::make_shared<cp::message>();
    m->role = r;
    m->content = std::move(content);
    for (const std::string& id : ids) m->tool_calls.push_back(call(id, "a"));
    list.push_back(m);
    sizes.push_back(10);
  };
  using cp::role;
  add(role::system, "s");
  add(role::user, "u1");
  add(role::assistant, "a1", {"c1", "c2"});
  add(role::tool, "t1");
  add(role::tool, "t2");
  add(role::assistant, "a2");
  add(role::user, "u2");
  add(role::assistant, "a3", {"c3"});
  add(role::tool, "t3");
  const auto after = [&](std::int64_t target) {
    cp::message_list copy = list;
    cp::detail::forget_groups(copy, sizes, target);
    std::string out;
    for (const auto& m : copy) out += m->content + " ";
    return out;
  };
  CHECK(after(90) == "s u1 a1 t1 t2 a2 u2 a3 t3 ");
  CHECK(after(80) == "s a1 t1 t2 a2 u2 a3 t3 ");
  CHECK(after(79) == "s a2 u2 a3 t3 ");
  CHECK(after(0) == "s u2 a3 t3 ");
}

TEST_CASE("14.1: a stop at the event request comes before the model is called") {
  std::stop_source stop;
  host h{{text("never")}};
  h.context.stop = stop.get_token();
  h.watch = [&stop](const cp::event& e) {
    if (std::holds_alternative<cp::events::request>(e)) stop.request_stop();
  };
  const cp::outcome o = h.run({});
  CHECK(o.status == cp::status::aborted);
  CHECK(h.model.requests.empty());
  CHECK(h.events == std::vector<std::string>{"request", "textComplete", "usage"});
}

TEST_CASE("16.1: nothing is called and nothing told without a model, or where the prompt does not apply") {
  host h{{text("ok")}};
  cp::prompt_config<> c;
  SUBCASE("no model") {
    h.context.execute = nullptr;
    CHECK(h.run(std::move(c)).status == cp::status::no_model);
  }
  SUBCASE("incompatible") {
    c.config = [](const value&, const cp::context<>&) -> cp::field_result<cp::request_fields> { return cp::incompatible{}; };
    CHECK(h.run(std::move(c)).status == cp::status::incompatible);
  }
  CHECK(h.events.empty());
  CHECK(h.model.requests.empty());
}

TEST_CASE("17.1 and decision Resume: a suspended run goes on with values, errors and approvals") {
  int runs = 0;
  cp::prompt_config<> c = with_tools({tool("pay", [&runs](const value&, const call_context&) {
    return ++runs <= 3 ? cp::tool_outcome::suspend("ask first") : cp::tool_outcome::value("paid");
  })});
  c.name = "p";
  c.content = std::string{"You help."};
  c.tool_execution = cp::tool_execution::parallel;
  const cp::prompt<> p{std::move(c)};
  host h{{calls({call("c1", "pay"), call("c2", "pay"), call("c3", "pay")}), text("done")}};
  h.context.executor = std::make_shared<cp::thread_pool>(1);
  const cp::outcome first = p.run(h.context, h.options());
  REQUIRE(first.status == cp::status::suspended);
  CHECK(first.pending == std::vector<std::string>{"c1", "c2", "c3"});
  // The state travels as JSON.
  cp::outcome saved = first;
  saved.resume = cp::resume_state::from_json(first.resume.to_json());
  CHECK(saved.resume.output_retries == first.resume.output_retries);
  h.events.clear();
  const cp::outcome second = p.resume(h.context, saved,
                                      {{"c1", cp::tool_outcome::value("by hand")},
                                       {"c2", cp::tool_outcome::error("denied")},
                                       {"c3", std::nullopt}},
                                      h.options());
  CHECK(second.status == cp::status::complete);
  CHECK(answer_to(second.messages, "c1") == "by hand");
  CHECK(answer_to(second.messages, "c2").starts_with("error: pay failed: denied"));
  CHECK(answer_to(second.messages, "c3") == "paid");
  CHECK(h.saw("toolStart c3"));
  CHECK_FALSE(h.saw("toolStart c1"));
  CHECK(pairing_fault(second.messages) == "");
  CHECK(h.model.requests.at(1).roles ==
        std::vector<std::string>{"system", "user", "assistant", "tool", "tool", "tool"});
}

TEST_CASE("18: a runner sees nested components with their parents and ends") {
  std::vector<std::string> log;
  cp::runner<> r;
  r.on_child = [&log](const cp::instance& p, const cp::instance& c) { log.push_back(c.id + " of " + p.id); };
  r.on_status = [&log](const cp::instance& i) { log.push_back(i.id + " " + std::to_string(static_cast<int>(i.status))); };
  std::size_t events = 0;
  r.on_prompt_event = [&events](const cp::instance&, const cp::event&) { ++events; };
  host h{{calls({call("c1", "a")}), text("done")}};
  h.context.runner = &r;
  cp::prompt_config<> c = with_tools({tool("a", returns(1))});
  c.name = "p";
  c.content = std::string{"x"};
  c.tool_execution = cp::tool_execution::sequential;
  auto p = cp::make_prompt<>(std::move(c));
  cp::agent<> a{{.name = "boss", .description = "", .refs = {p}, .call = [&](const value& input, const auto&, const cp::context<>& inner) {
    cp::run_options o = h.options();
    o.input = input;
    return cp::agent_result{p->run(inner, o).output};
  }}};
  const cp::agent_result out = a.run(value::make_object(), h.context);
  CHECK(std::get<0>(out) == value{"done"});
  CHECK(events == h.events.size());
  CHECK(log == std::vector<std::string>{"agent:boss:0 0", "agent:boss:0 1", "prompt:p:1 of agent:boss:0", "prompt:p:1 0",
                                        "prompt:p:1 1", "tool:a:2 of prompt:p:1", "tool:a:2 0", "tool:a:2 1", "tool:a:2 2",
                                        "prompt:p:1 2", "agent:boss:0 2"});
}

TEST_CASE("decision The planner as a tool: planned calls are a turn of their own; a refusal changes nothing") {
  host h{{text("done")}};
  cp::prompt_config<> c = with_tools({tool("a", returns("planned"))});
  SUBCASE("accepted") {
    c.plan = [](const std::string& instruction, const std::vector<cp::tool_definition>& tools)
        -> std::variant<std::vector<cp::tool_call>, cp::plan_refusal> {
      CHECK(instruction == "Hello");
      CHECK(tools.size() == 1);
      return std::vector<cp::tool_call>{call("plan_1", "a")};
    };
    const cp::outcome o = h.run(std::move(c));
    CHECK(answer_to(o.messages, "plan_1") == "planned");
    CHECK(h.at("toolOutput plan_1") < h.at("request"));
    CHECK(h.model.requests.at(0).roles == std::vector<std::string>{"system", "user", "assistant", "tool"});
  }
  SUBCASE("refused") {
    c.plan = [](const std::string&, const std::vector<cp::tool_definition>&)
        -> std::variant<std::vector<cp::tool_call>, cp::plan_refusal> { return cp::plan_refusal{"no call"}; };
    const cp::outcome o = h.run(std::move(c));
    CHECK(h.count("planRefused") == 1);
    CHECK(h.model.requests.at(0).roles == std::vector<std::string>{"system", "user"});
    CHECK(o.status == cp::status::complete);
  }
}

#if defined(__cpp_exceptions)
TEST_CASE("2: a callable that throws counts as one that returned an error") {
  struct failure : std::exception {
    const char* what() const noexcept override { return "thrown"; }
  };
  host h{{calls({call("c1", "a")}), text("done")}};
  const cp::outcome o = h.run(with_tools({tool("a", [](const value&, const call_context&) -> cp::tool_outcome { throw failure{}; })}));
  CHECK(answer_to(o.messages, "c1").starts_with("error: a failed: thrown"));
  h.context.execute = [](cp::request&, const auto&, const auto&, const std::stop_token&) -> cp::model_result { throw failure{}; };
  const cp::outcome m = h.run({});
  REQUIRE(m.error);
  CHECK(m.error->message == "p: thrown");
}
#endif

TEST_CASE("no state is left between runs of one prompt") {
  host h{{calls({call("c1", "nope")}), calls({call("c2", "nope")}), calls({call("c3", "nope")}), calls({call("c4", "nope")}), text("done")}};
  cp::prompt_config<> c = with_tools({tool("a", returns(1))});
  c.name = "p";
  c.content = std::string{"x"};
  const cp::prompt<> p{std::move(c)};
  (void)p.run(h.context, h.options());
  const auto first = h.events;
  h.events.clear();
  h.model.requests.clear();
  (void)p.run(h.context, h.options());
  CHECK(h.events == first);
}
