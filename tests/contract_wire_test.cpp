// The contract's types as JSON and as text, on values of our own and on random ones.

#include <codemode/contract/json.hpp>
#include <codemode/contract/quote.hpp>
#include <codemode/contract/read.hpp>
#include <codemode/contract/render.hpp>
#include <codemode/json/reader.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace contract = codemode::contract;
using contract::open_object;
using contract::open_value;

namespace {

template <class T>
std::string json(const T& value) {
  std::string s;
  contract::write_json(value, s);
  return s;
}

template <class T>
std::string text(const T& value, std::string_view format = "human", contract::render_options options = {}) {
  std::string s;
  contract::render(value, format, s, options);
  return s;
}

open_value parsed(std::string_view source, contract::whole_numbers whole = contract::whole_numbers::exact) {
  codemode::json::reader reader;
  const auto document = reader.read(source);
  REQUIRE(document.has_value());
  auto value = open_value::from(document->root(), whole);
  REQUIRE(value.has_value());
  return *value;
}

/// Random values of every member kind, with strings that try the escapes.
class generator {
 public:
  explicit generator(unsigned seed) : random_(seed) {}

  template <contract::wire_type T>
  void fill(T& value) {
    std::apply([&](const auto&... m) { (fill(value.*(m.at)), ...); }, T::wire_members());
  }
  void fill(std::string& s) {
    static constexpr std::string_view pieces[]{"", "a", "<&>", "\"\\/", "\n\t", "\x01\x1f", "ž", "日本", "😀", "\u2028", "\u2029", "\u202e", "\x7f"};
    s.clear();
    for (unsigned n = below(4); n > 0; --n) s += pieces[below(std::size(pieces))];
  }
  void fill(bool& b) { b = below(2) == 0; }
  void fill(std::int64_t& n) { n = below(3) == 0 ? std::numeric_limits<std::int64_t>::min() : static_cast<std::int64_t>(below(1000)) - 500; }
  void fill(open_value& v) { v = below(4) == 0 ? open_value{} : parsed(source(0)); }
  void fill(open_object& o) { o = below(4) == 0 ? open_object{} : open_object{parsed("{\"b\":" + source(1) + ",\"a\":" + source(1) + "}")}; }
  template <class T>
  void fill(std::optional<T>& o) {
    o.reset();
    if (below(3) != 0) fill(o.emplace());
  }
  template <class T>
  void fill(std::vector<T>& v) {
    v.clear();
    for (unsigned n = below(3); n > 0; --n) fill(v.emplace_back());
  }

 private:
  unsigned below(std::size_t n) { return static_cast<unsigned>(random_() % n); }
  std::string source(int depth) {
    switch (below(depth > 2 ? 6 : 8)) {
      case 0: return "null";
      case 1: return "true";
      case 2: return "9007199254740993";
      case 3: return "-0";
      case 4: return "1e-7";
      case 5: return R"("x\u003cé\n")";
      case 6: return "[" + source(depth + 1) + "," + source(depth + 1) + "]";
      default: return "{\"z\":" + source(depth + 1) + ",\"A\":" + source(depth + 1) + "}";
    }
  }
  std::mt19937 random_;
};

}  // namespace

TEST_CASE("members stand in their order and are left out by their rules") {
  CHECK(json(contract::alternative{}) == R"({"toolRef":""})");
  CHECK(json(contract::call_next_action{}) == "{}");
  CHECK(json(contract::list_result{}) == R"({"tools":null})");
  CHECK(json(contract::list_result{std::vector<contract::listed_tool>{}, {}, {}}) == R"({"tools":[]})");
  CHECK(json(contract::recommended_call{"callTool", {}}) == R"({"tool":"callTool","arguments":null})");
  CHECK(json(contract::recommended_call{"callTool", open_object::empty_object()}) == R"({"tool":"callTool","arguments":{}})");
  CHECK(json(contract::error_envelope{}) == R"({"ok":false,"error":null})");
  contract::call_result r;
  r.cached_age_seconds = 0;
  r.result = open_value::boolean(false);
  CHECK(json(r) == R"({"ok":false,"toolRef":"","result":false,"cachedAgeSeconds":0})");
  r.result = open_value::null();
  r.cached_age_seconds.reset();
  CHECK(json(r) == R"({"ok":false,"toolRef":""})");
  contract::find_result f;
  f.selected.emplace();
  f.next_action.emplace();
  CHECK(json(f) == R"({"query":"","decision":"","selected":{"toolRef":"","callableNow":false},"nextAction":{}})");
}

TEST_CASE("strings are escaped as the contract says, byte for byte") {
  const auto written = [](std::string_view s) { return json(contract::message{true, std::string(s)}).substr(21); };
  CHECK(written("a<b>&\"\\/\x7f") == "\"a\\u003cb\\u003e\\u0026\\\"\\\\/\x7f\"}");
  CHECK(written("\b\t\n\f\r\x0b") == R"("\b\t\n\f\r\u000b"})");
  CHECK(written("\u2028\u2029\u202a") == "\"\\u2028\\u2029\u202a\"}");
  // Once for each byte of what is no UTF-8: an overlong form, a surrogate, a cut sequence.
  CHECK(written("\xc0\x80") == R"("\ufffd\ufffd"})");
  CHECK(written("\xed\xa0\x80") == R"("\ufffd\ufffd\ufffd"})");
  CHECK(written("\xf0\x9f\x98") == R"("\ufffd\ufffd\ufffd"})");
  CHECK(written("\xef\xbf\xbd") == "\"\xef\xbf\xbd\"}");
}

TEST_CASE("open values have one form") {
  CHECK(parsed(R"({"z":1,"é":2,"_x":3,"a":{"c":1,"b":2},"10":4,"9":5,"z":6})").text() == R"({"10":4,"9":5,"_x":3,"a":{"b":2,"c":1},"z":6,"é":2})");
  CHECK(parsed("[1.0,-0,-0.0,1e21,1E+20,1e-7,9223372036854775807,9223372036854775808,1e-400]").text() ==
        "[1,-0,-0,1e+21,100000000000000000000,1e-7,9223372036854775807,9223372036854776000,0]");
  CHECK(parsed("9007199254740993", contract::whole_numbers::as_doubles).text() == "9007199254740992");
  codemode::json::reader reader;
  const auto large = reader.read("[1e400]");
  REQUIRE(large.has_value());
  CHECK_FALSE(open_value::from(large->root()).has_value());
  // Deep nesting is walked without recursion.
  const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
  CHECK(parsed(deep).text() == deep);
  CHECK(open_value::number(std::numeric_limits<double>::infinity()).absent());
  contract::object_builder b;
  b.set_string("b", "x").set("a", open_value::integer(1)).set("b", open_value::boolean(true));
  CHECK(b.finish().text() == R"({"a":1,"b":true})");
}

TEST_CASE("cursors walk wire text") {
  const open_value v = parsed(R"({"a\"b":[1,{"x":"]}"},"é\n"],"n":null,"o":{}})");
  std::string names;
  for (const contract::json_member& m : v.cursor().members()) names += m.name.string() + "|";
  CHECK(names == "a\"b|n|o|");
  std::vector<std::string> items;
  for (const contract::json_cursor c : v.cursor()["a\"b"].items()) items.emplace_back(c.text());
  CHECK(items == std::vector<std::string>{"1", R"({"x":"]}"})", "\"é\\n\""});
  CHECK(v.cursor()["n"].is_null());
  CHECK_FALSE(v.cursor()["nothing"]);
  CHECK(v.cursor()["o"].members().begin() == v.cursor()["o"].members().end());
  CHECK(contract::json_cursor{R"("\u003ca")"}.equals("<a"));
  CHECK_FALSE(contract::json_cursor{R"("a")"}.equals("ab"));
}

TEST_CASE("what is written reads back as the same value") {
  generator random(7);
  codemode::json::reader reader;
  for (int round = 0; round < 300; ++round)
    for (const std::string_view name : {"Alternative", "CallNextAction", "CallResult", "Candidate", "CatalogStats", "DescribeResult", "DoctorCheck",
                                        "DoctorResult", "Error", "ErrorEnvelope", "Example", "FindResult", "FollowupTool", "ListResult", "ListedTool",
                                        "Message", "NextAction", "RecommendedCall", "RelatedTool", "SchemaPreview", "SelectedTool", "ToolStatus"}) {
      CAPTURE(name);
      const bool known = contract::with_wire_type(name, [&]<class T>(std::type_identity<T>) {
        T value;
        random.fill(value);
        const std::string once = json(value);
        CHECK(contract::json_size(value) == once.size());
        const auto document = reader.read(once);
        REQUIRE(document.has_value());
        const auto again = contract::read<T>(document->root());
        REQUIRE(again.has_value());
        // Empty and absent lists are the same on the wire where they are left out, so the text is compared.
        CHECK(json(*again) == once);
        // The indented form is the same JSON.
        std::string indented;
        contract::write_indented_json(value, indented);
        CHECK(indented.back() == '\n');
        const auto second = reader.read(indented);
        REQUIRE(second.has_value());
        CHECK(open_value::from(second->root())->text() == parsed(once).text());
      });
      CHECK(known);
    }
}

TEST_CASE("reading refuses members of another kind and passes over unknown ones") {
  codemode::json::reader reader;
  const auto read = [&](std::string_view s) {
    const auto document = reader.read(s);
    REQUIRE(document.has_value());
    return contract::read<contract::call_result>(document->root());
  };
  CHECK(read(R"({"ok":true,"unknown":[1],"toolRef":null,"notices":[null,"x"]})")->notices == std::vector<std::string>{"", "x"});
  for (const std::string_view bad : {R"([])", R"({"ok":1})", R"({"toolRef":{}})", R"({"notices":"x"})", R"({"notices":[1]})", R"({"cachedAgeSeconds":1.5})",
                                     R"({"cachedAgeSeconds":9223372036854775808})", R"({"nextActions":[{"exampleCall":{"arguments":[]}}]})"}) {
    CAPTURE(bad);
    const auto r = read(bad);
    REQUIRE_FALSE(r.has_value());
    CHECK(r.error().code == codemode::errc::invalid_json);
    CHECK(r.error().end <= bad.size());
  }
}

TEST_CASE("a caller's buffer is never left, and one failed call tells the size") {
  const contract::alternative a{"x.y", "because"};
  char small[8];
  const auto failed = contract::write_json(a, small);
  REQUIRE_FALSE(failed.has_value());
  CHECK(failed.error().needed == json(a).size());
  std::vector<char> room(failed.error().needed);
  CHECK(contract::write_json(a, room).value() == json(a));
}

TEST_CASE("foreign text cannot pass for ours in any text form") {
  const std::string evil = "a\x1b[31mb\xc2\x9b" "c\u202ed\u2066e" + std::string(1, '\0') + "f\rg\tq\nok: yes\xff";
  const std::string safe = "a\\u001b[31mb\\u009bc\\u202ed\\u2066e\\u0000f\\u000dg q\n    ok: yes\ufffd";
  contract::describe_result d;
  d.tool_ref = d.title = d.description = evil;
  d.usage_hints = {evil};
  CHECK(text(d) == safe + " — " + safe + "\n" + safe + "\n  - " + safe);
  contract::call_result c;
  c.tool_ref = c.result_summary = evil;
  c.notices = {evil};
  CHECK(text(c) == "✓ " + safe + "\n  " + safe + "\n  ! " + safe);
  CHECK(text(c, "concise") == "ok " + safe);
  contract::find_result f;
  f.query = f.decision = f.selected_tool_ref = f.confidence = f.reason = f.agent_instruction = evil;
  CHECK(text(f) == "query: " + safe + "\ndecision: " + safe + "\nselected: " + safe + " (" + safe + ")\nreason: " + safe + "\n→ " + safe);
  contract::list_result l;
  l.tools.emplace().push_back({evil, evil, "s", evil, true});
  CHECK(text(l) == safe + "\t" + safe + "\t" + safe);
  contract::doctor_result doctor;
  doctor.checks.emplace().push_back({evil, evil, evil});
  doctor.agent_instruction = evil;
  CHECK(text(doctor) == "✓ " + safe + ": " + safe + "\n→ " + safe);
  contract::error e;
  e.type = e.message = e.tool_ref = e.agent_instruction = evil;
  CHECK(text(contract::error_envelope{false, e}) == "✗ " + safe + "\n  " + safe + "\n  toolRef: " + safe + "\n  retryable: false\n  → " + safe);
  CHECK(text(contract::message{true, evil}, "concise") == safe);
  CHECK(text(contract::message{true, evil}, "human", {contract::foreign_text::raw}) == evil);
}

TEST_CASE("text forms have their layout") {
  contract::doctor_result d;
  CHECK(text(d) == "");
  CHECK(text(d, "concise") == "doctor ok=false checks=0");
  d.checks.emplace() = {{"config", "ok", "loaded"}, {"server:wiki", "error", ""}, {"environment", "warn", "missing X\n\n"}};
  CHECK(text(d, "human", {contract::foreign_text::raw}) == "✓ config: loaded\n✗ server:wiki: \n! environment: missing X");
  contract::list_result l;
  CHECK(text(l) == "No indexed tools.");
  CHECK(text(l, "concise") == "0 tools");
  CHECK(text(contract::error_envelope{}) == "✗ \n  \n  retryable: false\n  → ");
  CHECK(contract::is_known_format(""));
  CHECK_FALSE(contract::is_known_format("Human"));
  contract::call_result c;
  c.notices = {"one"};
  c.cached_age_seconds = 42;
  const auto notices = contract::all_notices(c);
  REQUIRE(notices.size() == 2);
  CHECK(notices[1].find("42s") != std::string::npos);
  CHECK(c.notices.size() == 1);
  std::string out;
  contract::write_output(contract::alternative{"a.b", ""}, "concise", out);
  CHECK(out == "{\n  \"toolRef\": \"a.b\"\n}\n");
}

TEST_CASE("names are quoted in Go's form") {
  CHECK(contract::quote_name("a b") == "\"a b\"");
  CHECK(contract::quote_name("\a\b\f\n\r\t\v\"\\") == R"("\a\b\f\n\r\t\v\"\\")");
  CHECK(contract::quote_name(std::string_view{"\0\x1f\x7f", 3}) == R"("\x00\x1f\x7f")");
  CHECK(contract::quote_name("é日😀\u200b\u2028\u00a0") == "\"é日😀\\u200b\\u2028\\u00a0\"");
  CHECK(contract::quote_name("\xff\xc3") == R"("\xff\xc3")");
  CHECK(contract::quote_name("\U000E0001") == R"("\U000e0001")");
}
