#include <codemode/owned_plan.hpp>
#include <codemode/plan_check.hpp>
#include <codemode/plan_json.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

using codemode::check;
using codemode::errc;
using codemode::mode;
using codemode::output_kind;
using codemode::plan;
using codemode::value;

namespace {

std::string json(const plan& p) {
  std::string out;
  codemode::write_json(p, out);
  return out;
}

plan list_users() {
  plan p;
  p.call_count = 1;
  p.call_list[0].tool = "list_users";
  p.call_list[0].add("team", value::string(R"("bl\u0075e")"));
  p.call_list[0].add("depth", value::number(-0.0));
  p.call_list[0].add("archived", value::boolean(false));
  p.output.add_field("name");
  p.output.add_field("id");
  p.output.limit = 5;
  return p;
}

plan two_calls(mode m) {
  plan p;
  p.mode = m;
  p.call_count = 2;
  p.call_list[0].tool = "ping";
  p.call_list[0].add("host", value::string(R"("db1")"));
  p.call_list[1].tool = "ping";
  p.call_list[1].add("host", value::string(R"("db2")"));
  p.output.kind = output_kind::all;
  return p;
}

constexpr std::array<codemode::parameter, 3> list_users_parameters{{
    {"team", codemode::value_type::string, true},
    {"depth", codemode::value_type::number, false},
    {"archived", codemode::value_type::boolean, false},
}};
constexpr std::array<std::string_view, 3> list_users_properties{"id", "name", "email"};
constexpr std::array<codemode::parameter, 1> ping_parameters{{{"host", codemode::value_type::string, true}}};
constexpr std::array<codemode::tool, 2> tools{{
    {"list_users", list_users_parameters, codemode::return_kind::array, list_users_properties},
    {"ping", ping_parameters, codemode::return_kind::text, {}},
}};

/// The static text of the refusal, or "good".
std::string_view verdict(const plan& p) {
  const auto fault = check(p);
  if (!fault) return "good";
  CHECK(fault->code == errc::invalid_plan);
  return fault->what;
}
std::string_view verdict_in_catalog(const plan& p) {
  REQUIRE(verdict(p) == "good");
  const auto fault = check(p, tools);
  if (!fault) return "good";
  CHECK(fault->code == errc::invalid_plan);
  return fault->what;
}

}  // namespace

TEST_CASE("a plan is written as in the answer lines") {
  CHECK(
      json(list_users()) ==
      R"({"mode":"single","calls":[{"tool":"list_users","args":{"team":"blue","depth":-0,"archived":false}}],)"
      R"("output":{"kind":"last","fields":["name","id"],"limit":5}})");
  CHECK(
      json(two_calls(mode::parallel)) ==
      R"({"mode":"parallel","calls":[{"tool":"ping","args":{"host":"db1"}},{"tool":"ping","args":{"host":"db2"}}],)"
      R"("output":{"kind":"all"}})");
  plan bare;
  bare.call_count = 1;
  bare.call_list[0].tool = "now";
  bare.output.limit = 0;
  CHECK(json(bare) ==
        R"({"mode":"single","calls":[{"tool":"now","args":{}}],"output":{"kind":"last","limit":0}})");
}

TEST_CASE("names and values cannot leave their strings") {
  plan p;
  p.call_count = 1;
  p.call_list[0].tool = "a\"b\\\n";
  p.call_list[0].add("__proto__", value::string(R"("\u2028\ud800</script>")"));
  p.call_list[0].add("x\xFF", value::string("no quotes\""));
  p.call_list[0].add("n", value::number(std::numeric_limits<double>::infinity()));
  CHECK(json(p) ==
        "{\"mode\":\"single\",\"calls\":[{\"tool\":\"a\\\"b\\\\\\n\",\"args\":{\"__proto__\":"
        "\"\\u2028\\ud800</script>\",\"x\uFFFD\":\"no quotes\",\"n\":null}}],"
        "\"output\":{\"kind\":\"last\"}}");
}

TEST_CASE("numbers are written as JavaScript writes them") {
  const auto written = [](double x) {
    std::string out;
    codemode::write_json(value::number(x), out);
    return out;
  };
  CHECK(written(1e20) == "100000000000000000000");
  CHECK(written(149.5) == "149.5");
  CHECK(written(1e-7) == "1e-7");
  CHECK(written(-0.0) == "-0");
}

TEST_CASE("a buffer holds the same text or tells the size needed") {
  const plan p = list_users();
  const std::string whole = json(p);
  std::vector<char> room(whole.size() + 1, '#');
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto r = codemode::write_json(p, std::span<char>(room).first(size));
    REQUIRE(!r.has_value());
    REQUIRE(r.error().code == errc::buffer_too_small);
    REQUIRE(r.error().needed == whole.size());
    REQUIRE(room[size] == '#');
  }
  const auto r = codemode::write_json(p, std::span<char>(room).first(whole.size()));
  REQUIRE(r.has_value());
  CHECK(*r == whole);
  CHECK(room.back() == '#');
}

TEST_CASE("an owned plan outlives what the plan borrowed from") {
  const std::string expected = json(list_users());
  codemode::owned_plan kept;
  {
    std::string tool = "list_users";
    std::string team = R"("bl\u0075e")";
    std::string field = "name";
    plan p = list_users();
    p.call_list[0].tool = tool;
    p.call_list[0].argument_list[0].value = value::string(team);
    p.output.field_list[0] = field;
    kept = codemode::own(p);
    tool.assign(tool.size(), '?');
    team.assign(team.size(), '?');
    field.assign(field.size(), '?');
  }
  CHECK(json(kept) == expected);

  const codemode::owned_plan copy = kept;
  CHECK(copy->calls()[0].tool.data() != kept->calls()[0].tool.data());
  const codemode::owned_plan moved = std::move(kept);
  CHECK(json(moved) == expected);
  CHECK(kept->call_count == 0);  // NOLINT(bugprone-use-after-move): documented as empty
  kept = moved;
  CHECK(json(kept) == expected);
  kept = codemode::owned_plan();
  CHECK(json(copy) == expected);
  CHECK((*copy).confidence == list_users().confidence);

  codemode::owned_plan& self = kept;
  kept = copy;
  kept = self;
  CHECK(json(kept.get()) == expected);
  static_assert(std::is_nothrow_move_constructible_v<codemode::owned_plan>);
  static_assert(std::is_trivially_copyable_v<plan>);
}

TEST_CASE("an owned plan of short names survives the move of its owner") {
  std::vector<codemode::owned_plan> plans;
  // NOLINTNEXTLINE(performance-inefficient-vector-operation): growing moves them, that is the test
  for (int i = 0; i < 40; ++i) plans.push_back(codemode::own(two_calls(mode::serial)));
  for (const auto& p : plans) CHECK(json(p) == json(two_calls(mode::serial)));
}

TEST_CASE("good plans pass") {
  CHECK(verdict(list_users()) == "good");
  CHECK(verdict_in_catalog(list_users()) == "good");
  CHECK(verdict(two_calls(mode::serial)) == "good");
  CHECK(verdict_in_catalog(two_calls(mode::parallel)) == "good");
}

TEST_CASE("the mode fits the number of calls") {
  plan p = list_users();
  p.call_count = 0;
  CHECK(verdict(p) == "a plan has one to three calls");
  p.call_count = 4;
  CHECK(verdict(p) == "a plan has one to three calls");
  p.call_count = 255;
  CHECK(verdict(p) == "a plan has one to three calls");
  p = list_users();
  p.mode = mode::serial;
  CHECK(verdict(p) == "the mode is single for one call, else serial or parallel");
  p.mode = static_cast<mode>(9);
  CHECK(verdict(p) == "the mode is single, serial or parallel");
  CHECK(verdict(two_calls(mode::single)) == "the mode is single for one call, else serial or parallel");
}

TEST_CASE("names are there, in UTF-8 and distinct") {
  plan p = list_users();
  p.call_list[0].tool = "";
  CHECK(verdict(p) == "a call needs the name of its tool, in UTF-8");
  p.call_list[0].tool = "\xFF";
  CHECK(verdict(p) == "a call needs the name of its tool, in UTF-8");
  p = list_users();
  p.call_list[0].argument_list[1].name = "";
  CHECK(verdict(p) == "an argument needs a name, in UTF-8");
  p.call_list[0].argument_list[1].name = "team";
  CHECK(verdict(p) == "the argument is given twice");
  p.call_list[0].argument_count = 5;
  CHECK(verdict(p) == "a call has at most four arguments");
}

TEST_CASE("values are JSON strings and exact numbers") {
  plan p = list_users();
  value& first = p.call_list[0].argument_list[0].value;
  for (const std::string_view bad :
       {"", "blue", "\"blue", "\"bl\nue\"", R"("\x")", R"("\ud800")", "\"\xFF\""}) {
    first = value::string(bad);
    CHECK(verdict(p) != "good");
    const auto fault = check(p);
    REQUIRE(fault.has_value());
    CHECK(fault->tool == "list_users");
    CHECK(fault->argument == "team");
  }
  using limits = std::numeric_limits<double>;
  for (const double bad :
       {limits::infinity(), -limits::infinity(), limits::quiet_NaN(), 9007199254740992.0, -1e300}) {
    first = value::number(bad);
    CHECK(verdict(p) == "a number of a plan is finite and, if whole, within plus or minus 9007199254740991");
  }
  for (const double fine : {0.0, -0.0, 0.1, 5e-324, 9007199254740991.0, -9007199254740991.0}) {
    first = value::number(fine);
    CHECK(verdict(p) == "good");
  }
}

TEST_CASE("output rules") {
  plan p = list_users();
  p.output.kind = output_kind::all;
  CHECK(verdict(p) == "the output of one call is its last result");
  p.output.kind = static_cast<output_kind>(7);
  CHECK(verdict(p) == "the output's kind is all or last");
  p = list_users();
  p.output.limit = 101;
  CHECK(verdict(p) == "a limit is 0 to 100, or -1 for none");
  p.output.limit = -2;
  CHECK(verdict(p) == "a limit is 0 to 100, or -1 for none");
  p.output.limit = 100;
  CHECK(verdict(p) == "good");
  p.output.field_list[1] = "name";
  CHECK(verdict(p) == "the field is named twice");
  p.output.field_list[1] = "";
  CHECK(verdict(p) == "a field needs a name, in UTF-8");
  p.output.field_count = 4;
  CHECK(verdict(p) == "an output has at most three fields");
  p = two_calls(mode::serial);
  p.output.add_field("id");
  CHECK(verdict(p) == "fields and a limit are only for one call");
  p = two_calls(mode::serial);
  p.output.limit = 3;
  CHECK(verdict(p) == "fields and a limit are only for one call");
  p = two_calls(mode::serial);
  p.output.kind = output_kind::last;
  CHECK(verdict(p) == "good");
}

TEST_CASE("a plan fits its catalog") {
  plan p = list_users();
  p.call_list[0].tool = "List_users";
  CHECK(verdict_in_catalog(p) == "the catalog has no tool of this name");
  p = list_users();
  p.call_list[0].argument_list[0].name = "group";
  CHECK(verdict_in_catalog(p) == "the tool has no argument of this name");
  p = list_users();
  p.call_list[0].argument_list[1].value = value::boolean(true);
  CHECK(verdict_in_catalog(p) == "the value is not of the argument's type");
  p = list_users();
  std::swap(p.call_list[0].argument_list[0], p.call_list[0].argument_list[1]);
  CHECK(verdict_in_catalog(p) == "the arguments are not in the catalog's order");
  p = list_users();
  p.call_list[0].argument_list[0] = p.call_list[0].argument_list[2];
  p.call_list[0].argument_count = 1;
  CHECK(verdict_in_catalog(p) == "a required argument has no value");
  p = list_users();
  p.output.field_list[1] = "phone";
  CHECK(verdict_in_catalog(p) == "the tool declares no property of this name");
  p = two_calls(mode::serial);
  p.mode = mode::single;
  p.call_count = 1;
  p.output.kind = output_kind::last;
  p.output.limit = 1;
  CHECK(verdict_in_catalog(p) == "fields and a limit are only for a tool that returns an array");
}
