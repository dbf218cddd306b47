// The planner with the shipped weights. Weights come and go: what is said here of meanings is so plain that any
// that deserve to be shipped know it; what is said of form holds of all.

#include "planner_cases.hpp"
#include "planner_properties.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using codemode::errc;
using codemode::plan_options;

namespace {

const codemode::catalog& office() {
  static const auto made = codemode::catalog::parse(test::office_tools);
  REQUIRE(made);
  return *made;
}

/// The plan as JSON, or `!code`.
std::string plan(std::string_view instruction, plan_options options = {}) {
  static codemode::planner planner;
  const auto p = planner.plan(instruction, office(), options);
  CHECK(test::broken_promise(p, instruction, office()) == "");
  if (!p) return "!" + std::string(to_string(p.error().code));
  std::string s;
  codemode::write_json(*p, s);
  return s;
}

codemode::diagnostic refusal(std::string_view instruction, plan_options options = {}) {
  static codemode::planner planner;
  const auto p = planner.plan(instruction, office(), options);
  CHECK(test::broken_promise(p, instruction, office()) == "");
  REQUIRE_MESSAGE(!p, instruction);
  return p.error();
}

TEST_CASE("one call") {
  CHECK(plan("Call get_user with id 7.") ==
        R"({"mode":"single","calls":[{"tool":"get_user","args":{"id":7}}],"output":{"kind":"last"}})");
  CHECK(plan("Please run list_users with team \"blue\".") ==
        R"({"mode":"single","calls":[{"tool":"list_users","args":{"team":"blue"}}],"output":{"kind":"last"}})");
  CHECK(plan("Call send_mail with to \"ada@example.org\", subject \"Hello\" and urgent true.") ==
        R"({"mode":"single","calls":[{"tool":"send_mail","args":{"to":"ada@example.org","subject":"Hello","urgent":true}}],)"
        R"("output":{"kind":"last"}})");
  CHECK(plan("createRoom name=\"Atrium\" seats=12") ==
        R"({"mode":"single","calls":[{"tool":"createRoom","args":{"name":"Atrium","seats":12}}],"output":{"kind":"last"}})");
}

TEST_CASE("values are kept to the byte") {
  CHECK(plan(R"(Call list_users with team "a\u0041\n\ud83d\ude00 \"get_user\" in parallel".)").find(
            "a\\u0041") == std::string::npos);  // escapes are written anew
  CHECK(plan(R"(Call list_users with team "a\u0041".)") ==
        R"({"mode":"single","calls":[{"tool":"list_users","args":{"team":"aA"}}],"output":{"kind":"last"}})");
  CHECK(plan("Call get_user with id 1e3.") ==
        R"({"mode":"single","calls":[{"tool":"get_user","args":{"id":1000}}],"output":{"kind":"last"}})");
  CHECK(plan("Call get_user with id -2.5.") ==
        R"({"mode":"single","calls":[{"tool":"get_user","args":{"id":-2.5}}],"output":{"kind":"last"}})");
}

TEST_CASE("loose spellings") {
  for (const auto* name : {"list_users", "listUsers", "list-users", "list users", "List Users", "LIST_USERS"}) {
    CAPTURE(name);
    CHECK(plan(std::string("Call ") + name + " with team \"blue\".") ==
          R"({"mode":"single","calls":[{"tool":"list_users","args":{"team":"blue"}}],"output":{"kind":"last"}})");
  }
}

TEST_CASE("several calls") {
  CHECK(plan("Call get_user with id 1 and then call list_users with team \"blue\".") ==
        R"({"mode":"serial","calls":[{"tool":"get_user","args":{"id":1}},{"tool":"list_users","args":{"team":"blue"}}],)"
        R"("output":{"kind":"all"}})");
  CHECK(plan("In parallel, call get_user with id 1 and list_users with team \"blue\".") ==
        R"({"mode":"parallel","calls":[{"tool":"get_user","args":{"id":1}},{"tool":"list_users","args":{"team":"blue"}}],)"
        R"("output":{"kind":"all"}})");
  CHECK(plan("Call get_user with id 1, then call list_users with team \"blue\". Return only the last result.") ==
        R"({"mode":"serial","calls":[{"tool":"get_user","args":{"id":1}},{"tool":"list_users","args":{"team":"blue"}}],)"
        R"("output":{"kind":"last"}})");
  CHECK(plan("First call get_user with id 1, then get_user with id 2, and finally get_user with id 3.") ==
        R"({"mode":"serial","calls":[{"tool":"get_user","args":{"id":1}},{"tool":"get_user","args":{"id":2}},)"
        R"({"tool":"get_user","args":{"id":3}}],"output":{"kind":"all"}})");
}

TEST_CASE("fields and a limit") {
  CHECK(plan("Call list_users with team \"blue\", only the fields name and email, limit 5.") ==
        R"({"mode":"single","calls":[{"tool":"list_users","args":{"team":"blue"}}],)"
        R"("output":{"kind":"last","fields":["name","email"],"limit":5}})");
  CHECK(plan("Call list_users with team \"blue\" and give me the first five rows.") ==
        R"({"mode":"single","calls":[{"tool":"list_users","args":{"team":"blue"}}],"output":{"kind":"last","limit":5}})");
}

TEST_CASE("refused by the frontend, with the place") {
  constexpr std::string_view number = "Caf\xC3\xA9: call get_user with id 007.";
  const auto bad_number = refusal(number);
  CHECK(bad_number.code == errc::bad_number);
  CHECK(number.substr(bad_number.begin, bad_number.end - bad_number.begin) == "007");
  constexpr std::string_view string = "Call list_users with team \"blue";
  const auto bad_string = refusal(string);
  CHECK(bad_string.code == errc::bad_string);
  CHECK(string.substr(bad_string.begin) == "\"blue");
  CHECK(refusal(R"(Call list_users with team "\ud800".)").code == errc::bad_string);
  std::string words = "Call get_user with id 7";
  for (int i = 0; i < 200; ++i) words += " please";
  const auto too_long = refusal(words);
  CHECK(too_long.code == errc::too_long);
  CHECK(too_long.end == words.size());
  for (const auto* nothing : {"", " \n\t", "Hello there!", "\"get_user\""}) CHECK(refusal(nothing).code == errc::no_call);
}

TEST_CASE("refused by the catalog, with tool, argument and place") {
  const auto missing = refusal("Call get_user.");
  CHECK(missing.code == errc::missing_argument);
  CHECK(missing.tool == "get_user");
  CHECK(missing.argument == "id");
  const auto type = refusal("Call get_user with id \"5\".");
  CHECK(type.code == errc::type_mismatch);
  CHECK(type.tool == "get_user");
  CHECK(type.argument == "id");
  CHECK(type.found == "\"5\"");
  const auto twice = refusal("Call get_user with id 5 and id 6.");
  CHECK(twice.code == errc::duplicate_argument);
  CHECK(twice.argument == "id");
  CHECK(refusal("Call get_user with id 1, get_user with id 2, get_user with id 3 and get_user with id 4.").code ==
        errc::too_many_calls);
  CHECK(refusal("Do not call get_user.").code == errc::no_call);
}

TEST_CASE("refused by the sentence") {
  CHECK(refusal("Call get_user with id 5, but only if it rains.").code == errc::unsupported_condition);
  CHECK(refusal("Call list_users with team \"x\", and repeat this until it is empty.").code == errc::unsupported_loop);
  CHECK(refusal("Call list_users with team \"x\" and sort the rows by name.").code == errc::unsupported_shaping);
}

TEST_CASE("bytes that are no UTF-8, wherever they are") {
  for (const std::string_view bytes : {"\xFF", "\xC3", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xC0\xAF"}) {
    const std::string text = "Call get_user with id 7. \xC3\xA4 " + std::string(bytes);
    const auto d = refusal(text);
    CHECK(d.code == errc::invalid_record);
    CHECK(d.begin == text.size() - bytes.size());
  }
}

TEST_CASE("any character may stand in an instruction") {
  const std::string_view text{"Call get_user\0with id 7.", 24};
  CHECK_FALSE(plan(text).empty());
  CHECK_FALSE(plan("\xEF\xBB\xBF" "Call get_user with id 7.\xE2\x80\xA8\xF0\x9F\x98\x80").empty());
}

TEST_CASE("the threshold trades answers for precision and changes no plan") {
  for (const std::string& instruction : test::instructions()) {
    CAPTURE(instruction);
    const std::string any = plan(instruction, {.threshold = 0});
    bool refused = any[0] == '!';
    for (const float threshold : {0.25F, 0.5F, 0.75F, 0.9F, 1.0F}) {
      const std::string now = plan(instruction, {.threshold = threshold});
      if (refused) CHECK(now[0] == '!');  // once refused, always refused
      else if (now[0] != '!') CHECK(now == any);
      refused = now[0] == '!';
    }
  }
  CHECK(plan("Call get_user with id 7.", {.threshold = 2})[0] == '!');
  CHECK(plan("Call get_user with id 7.", {.threshold = std::nanf("")})[0] == '!');
}

TEST_CASE("the confidence is that of the explanation, and only a plan has one") {
  codemode::planner planner;
  const auto p = planner.plan("Call get_user with id 7.", office(), {.threshold = 0, .explain = true});
  REQUIRE(p);
  CHECK(planner.explain().confidence == p->confidence);
  CHECK(p->confidence > 0.5F);
}

TEST_CASE("an explanation tells tokens, roles and links") {
  codemode::planner planner;
  constexpr std::string_view text = "Call get_user with id 7 and then list_users with team \"blue\".";
  REQUIRE(planner.plan(text, office(), {.explain = true}));
  const auto& why = planner.explain();
  CHECK(why.ran);
  CHECK(why.planned);
  CHECK(why.instruction == text);
  const auto token = [&](std::string_view spelled) -> const codemode::explained_token& {
    for (const auto& t : why.tokens())
      if (text.substr(t.begin, t.end - t.begin) == spelled) return t;
    FAIL("no such token: " << spelled);
    return why.tokens()[0];
  };
  CHECK(token("get_user").role == codemode::token_role::call);
  CHECK(token("get_user").probability > 0.5F);
  CHECK(token("id").role == codemode::token_role::argument);
  CHECK(token("7").role == codemode::token_role::value);
  CHECK(token("7").calls == 1);
  CHECK(token("\"blue\"").calls == 2);
  REQUIRE(token("7").argument >= 0);
  CHECK(&why.tokens()[static_cast<std::size_t>(token("7").argument)] == &token("id"));
  CHECK(token("Call").argument == -1);
  float sum = 0;
  for (const float c : why.classes) sum += c;
  CHECK(sum == doctest::Approx(1));
  CHECK(why.classes[0] > 0.5F);

  SUBCASE("nothing is left of it where the network was not asked") {
    CHECK_FALSE(planner.plan("Call get_user with id 007.", office(), {.explain = true}));
    CHECK_FALSE(planner.explain().ran);
    CHECK(planner.explain().tokens().empty());
    CHECK_FALSE(planner.plan("Hello there.", office(), {.explain = true}));
    CHECK_FALSE(planner.explain().ran);
    CHECK(planner.explain().tokens().size() == 3);
  }
  SUBCASE("it stays while nobody asks for another") {
    (void)planner.plan("Hello there.", office());
    CHECK(planner.explain().instruction == text);
  }
}

TEST_CASE("explaining, repeating and other planners change nothing") {
  codemode::planner one;
  codemode::planner two;
  for (const std::string& instruction : test::instructions()) {
    CAPTURE(instruction);
    const std::string first = test::answer_text(one.plan(instruction, office()));
    CHECK(test::answer_text(one.plan(instruction, office())) == first);
    CHECK(test::answer_text(two.plan(instruction, office(), {.explain = true})) == first);
  }
}

TEST_CASE("a planner may be moved, and serve one catalog after another") {
  codemode::planner first;
  codemode::planner planner = std::move(first);
  const auto tiny = codemode::catalog::parse(
      R"([{"name":"ping","arguments":{},"required":[],"returns":{"kind":"text"}}])");
  REQUIRE(tiny);
  CHECK(planner.plan("Call ping.", *tiny));
  CHECK(planner.plan("Call get_user with id 7.", office()));
  const auto p = planner.plan("Call get_user with id 7.", *tiny);
  CHECK_FALSE(p);
  const codemode::catalog empty;
  CHECK(planner.plan("Call ping.", empty).error().code == errc::no_call);
}

// --- soups -----------------------------------------------------------------------------------------------------

/// Words of plans and of what spoils them, drawn at random.
std::string soup(std::mt19937& random, std::size_t most) {
  static const std::vector<std::string> words{
      "list_users", "listUsers", "get_user", "get user", "send_mail", "createRoom", "gr\xC3\xB6\xC3\x9F" "e", "team", "active", "id",
      "to", "subject", "body", "urgent", "name", "email", "seats", "first name", "__proto__", "\"blue\"", "\"a@b.c\"", "\"\"",
      R"("\ud83d\ude00")", "5", "-0", "1e3", "2.5", "101", "5pm", "true", "FALSE", "five", "first", "limit", "only", "last",
      "all", "then", "and", "after", "before", "in parallel", "with", "for", "as", "both", "again", "not", "instead of", "if", "each", ",",
      ".", ";", ":", "=", "=>", "->", "(", ")", "{", "}", "[", "]", "--", "'", "\xE2\x80\x9C", "\xE2\x80\x9D", "\xE2\x88\x92", "\n", "\n- ", "1. ",
      "Step 2:", "\"id\":", "\"team\" :", "s", "'s", "xyzzy"};
  std::string s;
  for (std::size_t n = random() % most; n > 0; --n) {
    s += words[random() % words.size()];
    if (random() % 8 != 0) s += ' ';
  }
  return s;
}

TEST_CASE("soups of words never become a plan that breaks a rule") {
#ifdef CODEMODE_TEST_LONG
  constexpr int rounds = 100'000;
#elif defined(CODEMODE_TEST_SLOW)
  constexpr int rounds = 500;
#else
  constexpr int rounds = 4'000;
#endif
  codemode::planner planner;
  codemode::planner other;
  std::mt19937 random{7};
  int plans = 0, refusals = 0;
  for (int i = 0; i < rounds; ++i) {
    const std::string text = soup(random, i % 16 == 0 ? 140 : 20);
    const auto answer = planner.plan(text, office(), {.threshold = 0});
    ++(answer ? plans : refusals);
    const auto broken = test::broken_promise(answer, text, office());
    if (!broken.empty()) CHECK_MESSAGE(broken.empty(), broken, ": ", text);
    if (i % 8 == 0) CHECK(test::answer_text(other.plan(text, office(), {.threshold = 0})) == test::answer_text(answer));
  }
  // Both are met often enough to mean something.
  CHECK(plans > rounds / 100);
  CHECK(refusals > rounds / 100);
}

}  // namespace
