#include <codemode/javascript.hpp>

#include <doctest/doctest.h>

#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

using codemode::call_form;
using codemode::mode;
using codemode::output_kind;
using codemode::parse_call_style;
using codemode::plan;
using codemode::value;

namespace {

std::string js(const plan& p, std::string_view style = "tools[]") {
  const auto parsed = parse_call_style(style);
  REQUIRE(parsed.has_value());
  std::string out;
  codemode::write_javascript(p, out, {.style = *parsed});
  return out;
}

plan ping(mode m = mode::single, output_kind kind = output_kind::last) {
  plan p;
  p.mode = m;
  p.output.kind = kind;
  p.call_count = m == mode::single ? 1 : 2;
  p.call_list[0].tool = "ping";
  p.call_list[0].add("host", value::string(R"("db1")"));
  p.call_list[0].add("count", value::number(3));
  p.call_list[1].tool = "get_user";
  p.call_list[1].add("admin", value::boolean(true));
  return p;
}

plan with_string(std::string_view json) {
  plan p = ping();
  p.call_list[0].argument_list[0].value = value::string(json);
  p.call_list[0].argument_count = 1;
  return p;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// The line of `text` that holds `part`.
std::string line_of(std::string_view text, std::string_view part) {
  const auto at = text.find(part);
  if (at == std::string_view::npos) return {};
  const auto begin = text.rfind('\n', at) + 1;
  return std::string(text.substr(begin, text.find('\n', at) - begin));
}

constexpr std::string_view text_and_run =
    "const $text = (thrown) => {\n"
    "  try {\n"
    "    const text = thrown !== null && typeof thrown === \"object\" ? thrown.message : thrown;\n"
    "    return typeof text === \"string\" && text !== \"\" ? text : String(thrown);\n"
    "  } catch (_) {\n"
    "    return \"the tool threw a value that has no text\";\n"
    "  }\n"
    "};\n"
    "const $run = async (call) => {\n"
    "  try {\n"
    "    return { ok: true, value: await call() };\n"
    "  } catch (thrown) {\n"
    "    return { ok: false, error: $text(thrown) };\n"
    "  }\n"
    "};\n";

constexpr std::string_view need =
    "const $need = (host, name) => {\n"
    "  const f = host[name];\n"
    "  let isTool = typeof f === \"function\";\n"
    "  for (let o = host, up; isTool && o !== null; o = up) {\n"
    "    up = Object.getPrototypeOf(o);\n"
    "    const isRoot = up === null || (typeof o === \"function\" && Object.getPrototypeOf(up) === null);\n"
    "    if (isRoot && o !== host && Object.prototype.hasOwnProperty.call(o, name) && o[name] === f) isTool "
    "= false;\n"
    "  }\n"
    "  if (!isTool) throw \"there is no tool \\\"\" + name + \"\\\"\";\n"
    "};\n";

}  // namespace

TEST_CASE("one call") {
  CHECK(js(ping()) == std::string(text_and_run) + std::string(need) +
                          "return $run(async () => {\n"
                          "  $need(tools, \"ping\");\n"
                          "  return tools[\"ping\"]({ \"host\": \"db1\", \"count\": 3 });\n"
                          "});\n");
}

TEST_CASE("serial calls") {
  CHECK(js(ping(mode::serial, output_kind::all), "codemode.") ==
        std::string(text_and_run) + std::string(need) +
            "return [\n"
            "  await $run(async () => {\n"
            "    $need(codemode, \"ping\");\n"
            "    return codemode.ping({ \"host\": \"db1\", \"count\": 3 });\n"
            "  }),\n"
            "  await $run(async () => {\n"
            "    $need(codemode, \"get_user\");\n"
            "    return codemode.get_user({ \"admin\": true });\n"
            "  })\n"
            "];\n");
  CHECK(js(ping(mode::serial, output_kind::last), "external_") ==
        std::string(text_and_run) +
            "await $run(async () => {\n"
            "  if (typeof external_ping !== \"function\") throw \"there is no tool \\\"ping\\\"\";\n"
            "  return external_ping({ \"host\": \"db1\", \"count\": 3 });\n"
            "});\n"
            "return $run(async () => {\n"
            "  if (typeof external_get_user !== \"function\") throw \"there is no tool \\\"get_user\\\"\";\n"
            "  return external_get_user({ \"admin\": true });\n"
            "});\n");
}

TEST_CASE("parallel calls") {
  const std::string calls =
      "return (await Promise.allSettled([\n"
      "  $run(async () => {\n"
      "    $need(tools, \"ping\");\n"
      "    return tools[\"ping\"]({ \"host\": \"db1\", \"count\": 3 });\n"
      "  }),\n"
      "  $run(async () => {\n"
      "    $need(tools, \"get_user\");\n"
      "    return tools[\"get_user\"]({ \"admin\": true });\n"
      "  })\n";
  CHECK(js(ping(mode::parallel, output_kind::all)) ==
        std::string(text_and_run) + std::string(need) + calls + "])).map((settled) => settled.value);\n");
  CHECK(js(ping(mode::parallel, output_kind::last)) ==
        std::string(text_and_run) + std::string(need) + calls + "]))[1].value;\n");
}

TEST_CASE("fields and limit") {
  plan p = ping();
  p.output.add_field("id");
  p.output.add_field("__proto__");
  p.output.limit = 5;
  const std::string both = js(p);
  CHECK(contains(both, "const $field = (row, index, name) => {\n"));
  CHECK(contains(both,
                 "const $shape = (rows) => {\n"
                 "  if (!Array.isArray(rows)) throw \"the tool returned no array of rows\";\n"
                 "  const out = [];\n"
                 "  for (let i = 0; i < rows.length; i++) {\n"
                 "    const row = rows[i];\n"
                 "    const picked = { \"id\": $field(row, i, \"id\"), "
                 "[\"__proto__\"]: $field(row, i, \"__proto__\") };\n"
                 "    if (i < 5) out.push(picked);\n"
                 "  }\n"
                 "  return out;\n"
                 "};\n"));
  CHECK(contains(both, "return $shape(await tools[\"ping\"]({ \"host\": \"db1\", \"count\": 3 }));\n"));

  p.output.limit = -1;
  CHECK(contains(js(p), "    out.push(picked);\n"));
  CHECK(!contains(js(p), "if (i <"));

  p.output.field_count = 0;
  p.output.limit = 0;
  const std::string limit = js(p);
  CHECK(!contains(limit, "$field"));
  CHECK(contains(limit, "  for (let i = 0; i < rows.length && i < 0; i++) {\n    out.push(rows[i]);\n  }\n"));
}

TEST_CASE("a body has the helpers that it needs") {
  CHECK(!contains(js(ping()), "$shape"));
  CHECK(!contains(js(ping(), "external_"), "$need"));
  CHECK(!contains(js(ping()), "Promise"));
  plan p = ping();
  p.call_list[0].tool = "constructor";
  CHECK(contains(js(p), "    if (name === \"constructor\" && f.prototype === o) isTool = false;\n"));
  CHECK(!contains(js(p), "name === \"__proto__\""));
  p.call_list[0].tool = "__proto__";
  CHECK(contains(js(p), "    if (name === \"__proto__\" && up === f) isTool = false;\n"));
  CHECK(!contains(js(p), "name === \"constructor\""));
}

TEST_CASE("strings stay inside their literals") {
  const auto written = [](std::string_view json) {
    const std::string line = line_of(js(with_string(json)), "tools[\"ping\"]");
    const std::string_view before = "  return tools[\"ping\"]({ \"host\": ";
    REQUIRE(line.starts_with(before));
    REQUIRE(line.ends_with(" });"));
    return line.substr(before.size(), line.size() - before.size() - 4);
  };
  CHECK(written(R"("")") == R"("")");
  CHECK(written("\"caf\u00e9 \U0001F600\"") == "\"caf\u00e9 \U0001F600\"");
  CHECK(written(R"("\u0022\u005c\u000a\u000d\u0000\/")") == R"("\"\\\n\r\u0000/")");
  CHECK(written("\"\u2028\u2029\"") == R"("\u2028\u2029")");
  CHECK(written(R"("\ud800 \udc00 \ud83d\ude00")") == "\"\\ud800 \\udc00 \U0001F600\"");
  CHECK(written(R"("</script><!-- -->")") == R"("\u003c/script>\u003c!-- -->")");
  CHECK(written(R"("*/ * / // /*")") == R"("*\u002f * / // /*")");
  CHECK(written(R"("*\/")") == R"("*\u002f")");
  CHECK(written(R"("**//")") == R"("**\u002f/")");
  CHECK(written(R"("` ${x} $ { $\u007b")") == R"("\u0060 $\u007bx} $ { $\u007b")");
  CHECK(written("\"a\u202Eb\u2066c\"") == R"("a\u202eb\u2066c")");
  CHECK(written("a\"b\n") == R"("a\"b\n")");
  CHECK(written("\"\xFF\\x\"") == "\"\uFFFD\uFFFDx\"");
}

TEST_CASE("numbers keep their value") {
  const auto written = [](double x) {
    plan p = ping();
    p.call_list[0].argument_list[0].value = value::number(x);
    p.call_list[0].argument_count = 1;
    const std::string line = line_of(js(p), "tools[\"ping\"]");
    return line.substr(line.find("\"host\": ") + 8, line.size() - line.find("\"host\": ") - 12);
  };
  CHECK(written(-0.0) == "-0");
  CHECK(written(0.1) == "0.1");
  CHECK(written(-1e-7) == "-1e-7");
  CHECK(written(9007199254740991.0) == "9007199254740991");
  CHECK(written(std::numeric_limits<double>::infinity()) == "null");
  CHECK(written(std::numeric_limits<double>::quiet_NaN()) == "null");
}

TEST_CASE("names are keys, whatever they are") {
  plan p = ping();
  p.call_list[0].tool = "a\"]; `${b}`";
  p.call_list[0].argument_list[0].name = "__proto__";
  p.call_list[0].argument_list[1].name = "\"});\n";
  const std::string name = R"("a\"]; \u0060$\u007bb}\u0060")";
  const std::string arguments = R"({ ["__proto__"]: "db1", "\"});\n": 3 })";
  CHECK(contains(js(p), "  $need(tools, " + name + ");\n  return tools[" + name + "](" + arguments + ");\n"));
  CHECK(contains(js(p, "codemode."), "  return codemode[" + name + "](" + arguments + ");\n"));
  CHECK(contains(js(p, "external_"),
                 "  throw \"there is no tool \\\"a\\\"]; \\u0060$\\u007bb}\\u0060\\\"\";\n"));
  CHECK(!contains(js(p, "external_"), "return external_"));

  p.call_list[0].tool = "delete";
  CHECK(contains(js(p, "codemode."), "return codemode.delete("));
  CHECK(contains(js(p, "external_"), "return external_delete("));
  p.call_list[0].tool = "caf\u00e9";
  CHECK(contains(js(p, "codemode."), "return codemode[\"caf\u00e9\"]("));
  CHECK(contains(js(p, "external_"), "return external_caf\u00e9("));
}

TEST_CASE("what a body declares never has the name of what it calls") {
  plan p = ping(mode::parallel, output_kind::all);
  CHECK(contains(js(p, "$run[]"), "const $run$ = "));
  CHECK(contains(js(p, "$run[]"), "const $text$ = "));
  CHECK(!contains(js(p, "$run[]"), "const $run = "));
  CHECK(contains(js(p, "$run$."), "const $run = "));
  p.call_list[0].tool = "text";
  p.call_list[1].tool = "run$";
  CHECK(contains(js(p, "$"), "const $run$$ = "));
  p.call_count = 3;
  p.call_list[2].tool = "need$$";
  CHECK(contains(js(p, "$"), "const $run$$$ = "));
  CHECK(contains(js(p, "$_"), "const $run = "));
}

TEST_CASE("call styles") {
  const auto form = [](std::string_view s) {
    const auto style = parse_call_style(s);
    REQUIRE(style.has_value());
    return style->form();
  };
  const auto name = [](std::string_view s) { return std::string(parse_call_style(s).value_or({}).name()); };
  CHECK(form("tools[]") == call_form::bracket);
  CHECK(name("codemode[]") == "codemode");
  CHECK(form("codemode.") == call_form::member);
  CHECK(name("codemode.") == "codemode");
  CHECK(form("external_") == call_form::prefix);
  CHECK(name("external_") == "external_");
  CHECK(form("$") == call_form::prefix);
  CHECK(form("\u00e9t\u00e9.") == call_form::member);
  CHECK(form("async.") == call_form::member);

  for (const std::string_view bad :
       {"",         "[]",      ".",       "tools",    "tools[",   "tools]",      "a.b.",      "a.b[]",
        "tools[].", "2x.",     "a b[]",   " tools[]", "tools[] ", "x;y.",        "external-", "a\"[]",
        "\xFF_",    "delete.", "await[]", "this.",    "eval.",    "arguments[]", "let.",      "yield[]",
        "static.",  "null[]",  "new.",    "import."}) {
    CAPTURE(bad);
    const auto style = parse_call_style(bad);
    REQUIRE(!style.has_value());
    CHECK(style.error().code == codemode::errc::invalid_plan);
    CHECK(style.error().found == bad);
    CHECK(!style.error().what.empty());
  }
  static_assert(parse_call_style("codemode.")->form() == call_form::member);
  static_assert(codemode::call_style().name() == "tools");
}

TEST_CASE("a buffer holds the same text or tells the size needed") {
  plan p = ping(mode::parallel, output_kind::all);
  const std::string whole = js(p);
  std::vector<char> room(whole.size() + 1, '#');
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    const auto r = codemode::write_javascript(p, std::span<char>(room).first(size));
    REQUIRE(!r.has_value());
    REQUIRE(r.error().code == codemode::errc::buffer_too_small);
    REQUIRE(r.error().needed == whole.size());
    REQUIRE(room[size] == '#');
  }
  const auto r = codemode::write_javascript(p, std::span<char>(room).first(whole.size()));
  REQUIRE(r.has_value());
  CHECK(*r == whole);
  CHECK(room.back() == '#');
  std::array<char, 4096> ordinary;
  const auto fits = codemode::write_javascript(p, ordinary);
  REQUIRE(fits.has_value());
  CHECK(*fits == whole);
}
