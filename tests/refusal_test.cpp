// Why something was refused: the code that explains it best, the tool and argument at fault, and the place.

#include "scripted_network.hpp"

#include <codemode/diagnostic.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <string_view>

using codemode::diagnostic;
using codemode::errc;
using codemode::return_kind;
using codemode::token_role;
using codemode::value_type;
using fixture::script;
using place = fixture::script::place;

namespace {

const fixture::tools& office() {
  static const fixture::tools t = [] {
    fixture::tools made;
    made.add("list_users", {{"team", value_type::string, true}, {"active", value_type::boolean, false}},
             return_kind::array, {"id", "name"});
    made.add("get_user", {{"id", value_type::number, true}}, return_kind::object, {"id", "name"});
    made.add("ping", {});
    return made;
  }();
  return t;
}

/// The refusal with every threshold: nothing is let through.
diagnostic refused(script& s) {
  const auto r = s.run(1);
  REQUIRE_FALSE(r);
  const diagnostic d = r.error();
  CHECK(d.begin <= d.end);
  CHECK_FALSE(codemode::to_message(d).empty());
  return d;
}

void check_place(const diagnostic& d, std::string_view text, std::string_view found) {
  CHECK(d.found == found);
  CHECK(text.substr(d.begin, d.end - d.begin) == found);
}

TEST_CASE("structural faults name tool, argument and token") {
  SUBCASE("a required argument is missing: the mention of the tool") {
    script s(office(), "call list_users now");
    s.call("list_users");
    const auto d = refused(s);
    CHECK(d.code == errc::missing_argument);
    CHECK(d.tool == "list_users");
    CHECK(d.argument == "team");
    check_place(d, "call list_users now", "list_users");
  }
  SUBCASE("a value of another type: the value") {
    constexpr const char* text = "get_user id \"5\"";
    script s(office(), text);
    s.call("get_user").give("\"5\"", "id", "get_user");
    const auto d = refused(s);
    CHECK(d.code == errc::type_mismatch);
    CHECK(d.tool == "get_user");
    CHECK(d.argument == "id");
    check_place(d, text, "\"5\"");
  }
  SUBCASE("an argument of another tool: its name") {
    constexpr const char* text = "get_user id 5 team \"x\"";
    script s(office(), text);
    s.call("get_user").give("5", "id", "get_user").give("\"x\"", "team", "get_user");
    const auto d = refused(s);
    CHECK(d.code == errc::unknown_argument);
    CHECK(d.tool == "get_user");
    CHECK(d.argument == "team");
    check_place(d, text, "team");
  }
  SUBCASE("a name that the catalog does not have") {
    constexpr const char* text = "get_user id 5 colour blue";
    script s(office(), text);
    s.call("get_user").give("5", "id", "get_user").be("colour", token_role::foreign);
    const auto d = refused(s);
    CHECK(d.code == errc::unknown_argument);
    CHECK(d.argument == "colour");
    check_place(d, text, "colour");
  }
  SUBCASE("an argument twice: the second value, equal or not") {
    for (const auto* text : {"get_user id 5 id 6", "get_user id 5 id 5"}) {
      CAPTURE(text);
      script s(office(), text);
      const place second = text[17] == '6' ? place("6", 0) : place("5", 1);
      s.call("get_user").give("5", "id", "get_user").give(second, {"id", 1}, "get_user");
      const auto d = refused(s);
      CHECK(d.code == errc::duplicate_argument);
      CHECK(d.tool == "get_user");
      CHECK(d.argument == "id");
      CHECK(d.begin == 17);
      CHECK(d.end == 18);
    }
  }
  SUBCASE("a value that belongs to nothing") {
    constexpr const char* text = "get_user id 5 \"caf\xC3\xA9\"";
    script s(office(), text);
    s.call("get_user").give("5", "id", "get_user");
    const auto d = refused(s);
    CHECK(d.code == errc::unattached_value);
    check_place(d, text, "\"caf\xC3\xA9\"");
  }
  SUBCASE("too many calls: the fourth") {
    constexpr const char* text = "ping ping ping ping";
    script s(office(), text);
    for (std::size_t i = 0; i < 4; ++i) s.call({"ping", i});
    const auto d = refused(s);
    CHECK(d.code == errc::too_many_calls);
    CHECK(d.tool == "ping");
    CHECK(d.begin == 15);
  }
  SUBCASE("a tool of two names") {
    fixture::tools t;
    t.add("list_users", {}).add("listUsers", {});
    script s(t, "call List Users");
    s.call("List Users");
    const auto d = refused(s);
    CHECK(d.code == errc::ambiguous);
    check_place(d, "call List Users", "List Users");
  }
  SUBCASE("no call: the first tool that is only mentioned") {
    script s(office(), "never ping or get_user");
    s.exclude("ping").exclude("get_user");
    const auto d = refused(s);
    CHECK(d.code == errc::no_call);
    CHECK(d.tool == "ping");
    check_place(d, "never ping or get_user", "ping");
  }
  SUBCASE("shaping: the first field, or the limit") {
    script s(office(), "get_user id 5 name 3");
    s.call("get_user").give("5", "id", "get_user").field("name").limit("3");
    const auto d = refused(s);
    CHECK(d.code == errc::unsupported_shaping);
    CHECK(d.tool == "get_user");
    check_place(d, "get_user id 5 name 3", "name");
  }
}

TEST_CASE("an argument without a literal says how to write one") {
  const auto missing = [](const char* text) {
    script s(office(), text);
    s.call("list_users").give("\"x\"", "team", "list_users").be("active", token_role::argument);
    return refused(s);
  };
  const auto flag = missing("list_users team \"x\" --active");
  CHECK(flag.code == errc::missing_value);
  CHECK(flag.tool == "list_users");
  CHECK(flag.argument == "active");
  CHECK(flag.found == "active");
  CHECK(codemode::to_message(flag).find("true or false") != std::string::npos);
  CHECK(missing("list_users team \"x\" active={{on}}").code == errc::missing_value);

  const auto of = [](const char* text, const char* tool, const char* argument) {
    script s(office(), text);
    s.call(tool).be(argument, token_role::argument);
    return refused(s);
  };
  SUBCASE("curly quotes are a bad string, at the quote") {
    constexpr const char* text = "list_users team=\xE2\x80\x9Cx\xE2\x80\x9D";
    const auto d = of(text, "list_users", "team");
    CHECK(d.code == errc::bad_string);
    check_place(d, text, "\xE2\x80\x9C");
  }
  SUBCASE("digits glued to letters are a bad number, at the digits") {
    for (const auto* glued : {"5pm", "50,000", "10-20", "3.2.1"}) {
      const std::string text = std::string("get_user id: ") + glued;
      const auto d = of(text.c_str(), "get_user", "id");
      CHECK(d.code == errc::bad_number);
      CHECK(d.begin == 13);
      CHECK(d.end == text.size());
    }
  }
  SUBCASE("but for a string argument they are no value at all") {
    CHECK(of("list_users team: 5pm", "list_users", "team").code == errc::missing_value);
  }
  SUBCASE("words and single quotes are no value") {
    CHECK(of("list_users team: 'x'", "list_users", "team").code == errc::missing_value);
    CHECK(of("get_user id seven", "get_user", "id").code == errc::missing_value);
    CHECK(of("get_user id", "get_user", "id").code == errc::missing_value);
  }
}

TEST_CASE("reasons in the sentence, at the token that shows them") {
  for (const auto code : {errc::unsupported_condition, errc::unsupported_loop, errc::unsupported_dependency,
                          errc::unsupported_schedule, errc::unsupported_shaping, errc::ambiguous}) {
    CAPTURE(to_string(code));
    constexpr const char* text = "get_user id 5 clearly unwanted";
    script s(office(), text);
    s.call("get_user").give("5", "id", "get_user").refuse(code, "clearly");
    const auto d = refused(s);
    CHECK(d.code == code);
    check_place(d, text, "clearly");
  }
}

TEST_CASE("the sentence's reason against the search's") {
  const auto made = [](errc code, float logit) {
    script s(office(), "list_users team 5 whenever");
    s.call("list_users").give("5", "team", "list_users").refuse(code, "whenever", logit);
    return refused(s);
  };
  SUBCASE("a certain one wins, a doubtful one does not") {
    CHECK(made(errc::unsupported_condition, 4).code == errc::unsupported_condition);
    CHECK(made(errc::unsupported_condition, -4).code == errc::type_mismatch);
  }
  SUBCASE("where both say the same the search shows the place") {
    const auto d = made(errc::type_mismatch, 8);
    CHECK(d.code == errc::type_mismatch);
    CHECK(d.tool == "list_users");
    CHECK(d.argument == "team");
    CHECK(d.found == "5");
  }
}

TEST_CASE("a good plan below the threshold is low confidence, and names nothing") {
  script s(office(), "get_user id 5");
  s.call("get_user").give("5", "id", "get_user");
  CHECK(s.run(0.5F));
  const auto d = refused(s);
  CHECK(d.code == errc::low_confidence);
  CHECK(d.tool.empty());
  CHECK(d.begin == d.end);
}

TEST_CASE("a threshold that is no number lets nothing through") {
  script s(office(), "get_user id 5");
  s.call("get_user").give("5", "id", "get_user");
  CHECK_FALSE(s.run(std::numeric_limits<float>::quiet_NaN()));
}

}  // namespace
