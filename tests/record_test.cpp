#include <codemode/record.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using codemode::diagnostic;
using codemode::errc;
using codemode::record;

namespace {

constexpr std::string_view tool =
    R"({"name":"list_users","arguments":{"team":"string"},"required":["team"],"returns":{"kind":"array","properties":["id"]}})";

/// A record line with further members put before the others.
std::string line(std::string_view instruction, std::string_view more = {}) {
  std::string s = "{";
  return s.append(more)
      .append("\"instruction\":")
      .append(instruction)
      .append(",\"tools\":[")
      .append(tool)
      .append("]}");
}

/// `ok`, or the code of the refusal.
std::string code(record& r, const std::string& text) {
  // In a block of its own, so that a sanitizer sees a read beyond its end.
  const std::unique_ptr<char[]> copy(new char[text.size()]);
  text.copy(copy.get(), text.size());
  const std::string_view view(copy.get(), text.size());
  const std::optional<diagnostic> bad = r.assign(view);
  if (!bad) {
    CHECK(codemode::text::is_valid_utf8(r.instruction()));
    CHECK(r.tools().size() >= 1);
    CHECK(r.tools().size() <= codemode::max_tools);
    return "ok";
  }
  CHECK(bad->begin <= bad->end);
  CHECK(bad->end <= text.size());
  CHECK_FALSE(bad->what.empty());
  CHECK(r.instruction().empty());
  CHECK(r.tools().empty());
  return std::string(to_string(bad->code));
}
std::string code(const std::string& text) {
  record r;
  return code(r, text);
}

/// The id that is echoed, whether the line is refused or not; `-` for none.
std::string id(const std::string& text) {
  record r;
  const bool refused = r.assign(text).has_value();
  return (refused ? "refused " : "ok ") + (r.id().empty() ? std::string("-") : std::string(r.id()));
}

}  // namespace

TEST_CASE("a record has an instruction and tools") {
  record r;
  const std::string text = line(R"("list the users of team \"blue\"")");
  REQUIRE_FALSE(r.assign(text).has_value());
  CHECK(r.instruction() == "list the users of team \"blue\"");
  CHECK(r.id().empty());
  REQUIRE(r.tools().size() == 1);
  CHECK(r.tools()[0].name == "list_users");
  CHECK(r.tools().names().find_exact("team") >= 0);
  CHECK(code(" \t" + text + " \r\n") == "ok");
  CHECK(code(line(R"("")")) == "ok");
}

TEST_CASE("the instruction is decoded as JSON") {
  record r;
  using namespace std::string_view_literals;
  const auto instruction = [&](std::string_view json) {
    const std::string text = line(json);
    REQUIRE_FALSE(r.assign(text).has_value());
    return std::string(r.instruction());
  };
  CHECK(instruction(R"("a\n\t\u00e9\ud83d\ude00\/")") == "a\n\t\u00E9\U0001F600/");
  CHECK(instruction(R"("\u0000x")") == "\0x"sv);
  CHECK(instruction("\"\u00E9\U0001F600\"") == "\u00E9\U0001F600");
  CHECK(instruction(R"("x")") == "x");
  // Without escapes it is the line's own text.
  const std::string text = line(R"("plain")");
  REQUIRE_FALSE(r.assign(text).has_value());
  CHECK(r.instruction().data() == text.data() + text.find("plain"));
}

TEST_CASE("what is not one JSON object in UTF-8 is invalid_json") {
  for (const std::string_view text : {"", " ", "\r", "null", "1", "\"x\"", "[]", "[{}]", "{", "}", "{}{}",
                                      "{} x", "{'a':1}", "nope", "\xEF\xBB\xBF{}", "{\"a\":\xFF}"}) {
    CAPTURE(text);
    CHECK(code(std::string(text)) == "invalid_json");
  }
  CHECK(code(line(R"("x")") + line(R"("x")")) == "invalid_json");
  CHECK(code(line("\"\xC3\"")) == "invalid_json");
  CHECK(code(line("\"\xED\xA0\x80\"")) == "invalid_json");
  CHECK(code(line("\"a\nb\"")) == "invalid_json");
  CHECK(code(line(R"("\x41")")) == "invalid_json");
  CHECK(code("\xEF\xBB\xBF" + line(R"("x")")) == "invalid_json");
}

TEST_CASE("a repeated member of the record is invalid_json, wherever it stands") {
  CHECK(code(line(R"("x")", R"("instruction":"y",)")) == "invalid_json");
  CHECK(code(line(R"("x")", R"("\u0069nstruction":"y",)")) == "invalid_json");
  CHECK(code(line(R"("x")", R"("tools":[],)")) == "invalid_json");
  CHECK(code(line(R"("x")", R"("id":1,"id":1,)")) == "invalid_json");
  CHECK(code(line(R"("x")", R"("note":1,"n\u006fte":2,)")) == "invalid_json");
  CHECK(code(line(R"("x")", R"("":1,"":2,)")) == "invalid_json");
  // Inside an ignored member only well-formedness counts; inside an entry it is the catalog's.
  CHECK(code(line(R"("x")", R"("note":{"a":1,"a":2},)")) == "ok");
  CHECK(code(line(R"("x")", R"("__proto__":{"instruction":1},)")) == "ok");
  std::string twice = line(R"("x")");
  twice.insert(twice.find("\"name\""), R"("name":"x",)");
  CHECK(code(twice) == "invalid_catalog");
}

TEST_CASE("ignored members need only be well-formed") {
  for (const std::string_view value :
       {"1e400", "-1e-400", "123456789012345678901234567890123456789012345678901234567890", "[]", "{}",
        "\"\\ud800\"", "[[[[[[[[]]]]]]]]", "null", "true", "{\"tools\":[],\"instruction\":5,\"id\":{}}"}) {
    CAPTURE(value);
    CHECK(code(line(R"("x")", "\"note\":" + std::string(value) + ",")) == "ok");
  }
  for (const std::string_view value :
       {"01", "1.", "nul", "[1,]", "{\"a\"}", "\"\\q\"", "\"\\u12\"", "NaN", "", "'x'"}) {
    CAPTURE(value);
    CHECK(code(line(R"("x")", "\"note\":" + std::string(value) + ",")) == "invalid_json");
  }
  const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
  CHECK(code(line(R"("x")", "\"note\":" + deep + ",")) == "ok");
  CHECK(code(line(R"("x")", "\"note\":" + deep + "],")) == "invalid_json");
}

TEST_CASE("member names may be written with escapes") {
  std::string text = line(R"("x")", R"("\u0069d":7,)");
  text.replace(text.find("\"instruction\""), 13, R"("\u0069nstructio\u006e")");
  text.replace(text.find("\"tools\""), 7, R"("\u0074ools")");
  CHECK(code(text) == "ok");
  CHECK(id(text) == "ok 7");
}

TEST_CASE("missing and mistyped members are invalid_record") {
  const std::string tools = "[" + std::string(tool) + "]";
  CHECK(code("{}") == "invalid_record");
  CHECK(code(R"({"instruction":"x"})") == "invalid_record");
  CHECK(code("{\"tools\":" + tools + "}") == "invalid_record");
  CHECK(code("{\"Instruction\":\"x\",\"tools\":" + tools + "}") == "invalid_record");
  for (const std::string_view bad : {"1", "null", "[\"x\"]", "{}", "true"})
    CHECK(code(line(bad)) == "invalid_record");
  for (const std::string_view bad : {"{}", "null", "\"x\"", "1", "[]"})
    CHECK(code(R"({"instruction":"x","tools":)" + std::string(bad) + "}") == "invalid_record");
  const auto with_tools = [](int n) {
    std::string s = R"({"instruction":"x","tools":[)";
    for (int i = 0; i < n; ++i) {
      std::string t(tool);
      t.replace(t.find("list_users"), 10, "tool" + std::to_string(i));
      s += (i == 0 ? "" : ",") + t;
    }
    return s + "]}";
  };
  CHECK(code(with_tools(0)) == "invalid_record");
  CHECK(code(with_tools(1)) == "ok");
  CHECK(code(with_tools(8)) == "ok");
  CHECK(code(with_tools(9)) == "invalid_record");
  for (const std::string_view bad : {"null", "true", "[]", "{}", "[1]"})
    CHECK(code(line(R"("x")", "\"id\":" + std::string(bad) + ",")) == "invalid_record");
}

TEST_CASE("a bad entry is invalid_catalog and names tool and member") {
  record r;
  std::string text = line(R"("x")");
  text.replace(text.find("\"string\""), 8, "\"int\"");
  const auto bad = r.assign(text);
  REQUIRE(bad.has_value());
  CHECK(bad->code == errc::invalid_catalog);
  CHECK(bad->tool == "list_users");
  CHECK(bad->argument == "team");
  CHECK(bad->found == "\"int\"");
  CHECK(std::string_view(text).substr(bad->begin, bad->end - bad->begin) == "\"int\"");
  std::string huge = line(R"("x")");
  huge.replace(huge.find("\"id\""), 4, "\"" + std::string(1 << 20, 'p') + "\"");
  CHECK(code(huge) == "invalid_catalog");
  CHECK(code(line("\"" + std::string(3 << 20, 'x') + "\"")) ==
        "ok");  // the limit is the catalog's, not the line's
}

TEST_CASE("an instruction that is no Unicode text is bad_string") {
  CHECK(code(line(R"("call \ud800 now")")) == "bad_string");
  CHECK(code(line(R"("\udc00\ud800")")) == "bad_string");
  CHECK(code(line(R"("\ud83d\ude00")")) == "ok");
  CHECK(code(line(R"("\\ud800")")) == "ok");  // a backslash, then letters
}

TEST_CASE("the id is echoed as it is written") {
  CHECK(id(line(R"("x")", R"("id":7,)")) == "ok 7");
  CHECK(id(line(R"("x")", R"("id":"a\u0062\ud800",)")) == R"(ok "a\u0062\ud800")");
  CHECK(id(line(R"("x")", R"("id":-0.10e+5,)")) == "ok -0.10e+5");
  CHECK(id(line(R"("x")", R"("id":1e400,)")) == "ok 1e400");
  CHECK(id(line(R"("x")", R"("id":"",)")) == "ok \"\"");
  CHECK(id(line(R"("x")")) == "ok -");
  CHECK(id(line(R"("x")", R"("ID":1,)")) == "ok -");
}

TEST_CASE("the id is known of refused objects too") {
  CHECK(id(R"({"id":"a"})") == "refused \"a\"");
  CHECK(id(R"({"instruction":1,"id":5})") == "refused 5");
  CHECK(id(R"({"instruction":"x","tools":[{}],"id":5})") == "refused 5");
  CHECK(id(line(R"("\ud800")", R"("id":5,)")) == "refused 5");
  CHECK(id(R"({"a":1,"a":1,"id":5})") == "refused 5");
  CHECK(id(R"({"id":5,"id":5})") == "refused -");
  CHECK(id(R"({"id":5,"\u0069d":5})") == "refused -");
  CHECK(id(R"({"id":null})") == "refused -");
  CHECK(id(R"({"id":5)") == "refused -");
  CHECK(id(R"([{"id":5}])") == "refused -");
  CHECK(id("") == "refused -");
}

TEST_CASE("a record is reused and forgets") {
  record r;
  CHECK(code(r, line(R"("first\t")", R"("id":1,)")) == "ok");
  CHECK(code(r, "") == "invalid_json");
  CHECK(r.id().empty());
  CHECK(code(r, R"({"id":2})") == "invalid_record");
  CHECK(code(r, line(R"("x")")) == "ok");
  CHECK(r.id().empty());
  const std::string text = line(R"("tab\t")", R"("id":3,)");
  REQUIRE_FALSE(r.assign(text).has_value());
  const record moved = std::move(r);
  CHECK(moved.instruction() == "tab\t");
  CHECK(moved.id() == "3");
  CHECK(moved.tools()[0].name == "list_users");
}

TEST_CASE("a valid line cut anywhere is invalid_json") {
  record r;
  const std::string text =
      line(R"("caf\u00e9 \ud83d\ude00 ü 😀")", R"("id":12,"note":{"deep":[1,2.5e3,null,true]},)");
  REQUIRE(code(r, text) == "ok");
  for (std::size_t n = 0; n < text.size(); ++n) {
    CAPTURE(n);
    CHECK(code(r, text.substr(0, n)) == "invalid_json");
  }
}

TEST_CASE("damaged lines are answered with a record or a code of the contract") {
  record r;
  std::mt19937 random(7);
  const std::string text =
      line(R"("call list_users \u00e9 with team \"blue\" é")", R"("id":"q1","note":[{"a":null}],)");
  static const std::string bytes = "{}[]\",:\\u0 9e.-tfn\x01\x80\xC3\xE2\xF0\xFF";
  std::size_t ok = 0;
  std::size_t invalid_json = 0;
  std::size_t others = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string damaged = text;
    for (unsigned k = 1 + static_cast<unsigned>(random() % 3); k > 0; --k) {
      const std::size_t at = random() % damaged.size();
      const char c = random() % 2 == 0 ? bytes[random() % bytes.size()] : static_cast<char>(random() % 256);
      switch (random() % 3) {
        case 0:
          damaged[at] = c;
          break;
        case 1:
          damaged.insert(damaged.begin() + static_cast<std::ptrdiff_t>(at), c);
          break;
        default:
          damaged.erase(at, 1 + random() % 4);
      }
    }
    const std::string answer = code(r, damaged);
    if (answer == "ok") ++ok;
    else if (answer == "invalid_json") ++invalid_json;
    else ++others;
    if (answer != "ok")
      CHECK((answer == "invalid_json" || answer == "invalid_record" || answer == "invalid_catalog"));
  }
  // All three ways are really taken.
  CHECK(ok > 1'000);
  CHECK(invalid_json > 5'000);
  CHECK(others > 500);
}
