// What the decoder makes of the network's answers: the likeliest plan that the catalog allows.

#include "scripted_network.hpp"

#include <codemode/plan_check.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <random>
#include <string>

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
             return_kind::array, {"id", "name", "email", "phone"});
    made.add("get_user", {{"id", value_type::number, true}}, return_kind::object, {"id", "name"});
    made.add("send_mail",
             {{"to", value_type::string, true}, {"subject", value_type::string, false}, {"urgent", value_type::boolean, false}});
    made.add("ping", {});
    return made;
  }();
  return t;
}

constexpr const char* one_user = R"({"mode":"single","calls":[{"tool":"get_user","args":{"id":5}}],"output":{"kind":"last"}})";

TEST_CASE("one call, arguments in the catalog's order") {
  script s(office(), "send_mail urgent TRUE subject \"b\" to \"a\"");
  s.call("send_mail").give("TRUE", "urgent", "send_mail").give("\"b\"", "subject", "send_mail").give("\"a\"", "to", "send_mail");
  CHECK(s.answer() == R"({"mode":"single","calls":[{"tool":"send_mail","args":{"to":"a","subject":"b","urgent":true}}],)"
                      R"("output":{"kind":"last"}})");
  CHECK(s.run()->confidence == doctest::Approx(0.5));
}

TEST_CASE("values before their names, calls without arguments") {
  script s(office(), "5 as id for get_user; ping");
  s.call("get_user").call("ping").give("5", "id", "get_user");
  CHECK(s.answer() == R"({"mode":"serial","calls":[{"tool":"get_user","args":{"id":5}},{"tool":"ping","args":{}}],)"
                      R"("output":{"kind":"all"}})");
}

TEST_CASE("mode, output and order come from their heads") {
  const auto made = [] {
    script s(office(), "get_user id 5 , list_users team \"x\" , ping");
    s.call("get_user").call("list_users").call("ping").give("5", "id", "get_user").give("\"x\"", "team", "list_users");
    return s;
  };
  CHECK(made().run()->mode == codemode::mode::serial);
  CHECK(made().run()->output.kind == codemode::output_kind::all);
  CHECK(made().parallel().run()->mode == codemode::mode::parallel);
  CHECK(made().last().run()->output.kind == codemode::output_kind::last);

  const auto order = [](const codemode::plan& p) {
    std::string names;
    for (const auto& c : p.calls()) names += std::string(c.tool) + " ";
    return names;
  };
  CHECK(order(*made().run()) == "get_user list_users ping ");
  CHECK(order(*made().before("list_users", "get_user").run()) == "list_users get_user ping ");
  CHECK(order(*made().before("ping", "get_user").before("ping", "list_users").run()) == "ping get_user list_users ");
  // The arguments go with their calls.
  const auto moved = made().before("list_users", "get_user").run();
  REQUIRE(moved);
  CHECK(moved->calls()[1].arguments()[0].value.as_number() == 5);
  // Contradictory scores still make an order.
  CHECK(made().before("ping", "get_user").before("get_user", "list_users").before("list_users", "ping").run().has_value());
}

TEST_CASE("one call is single and last, whatever the heads say") {
  script s(office(), "get_user id 5");
  s.call("get_user").give("5", "id", "get_user").parallel();
  s.out.say(codemode::evidence_all, 20);
  CHECK(s.answer() == one_user);
}

TEST_CASE("the same tool more than once") {
  SUBCASE("named again") {
    script s(office(), "get_user id 1 get_user id 2");
    s.call("get_user").call({"get_user", 1}).give("1", "id", "get_user").give("2", {"id", 1}, place("get_user", 1));
    const auto p = s.run();
    REQUIRE(p);
    REQUIRE(p->calls().size() == 2);
    CHECK(p->calls()[1].arguments()[0].value.as_number() == 2);
  }
  SUBCASE("named once, a value begins the further call") {
    script s(office(), "get_user for id 1, then 2, then 3");
    s.call("get_user").give("1", "id", "get_user").again("2", "id").again("3", "id");
    const auto p = s.run();
    REQUIRE(p);
    REQUIRE(p->calls().size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(p->calls()[i].tool == "get_user");
      CHECK(p->calls()[i].arguments()[0].value.as_number() == static_cast<double>(i + 1));
    }
  }
  SUBCASE("a value cannot begin a call before a tool is named") {
    script s(office(), "id 2 for get_user");
    s.call("get_user").again("2", "id", "get_user");
    const auto p = s.run();
    REQUIRE(p);
    CHECK(p->calls().size() == 1);
  }
}

TEST_CASE("a value may belong to several calls") {
  fixture::tools t;
  t.add("a", {{"id", value_type::number, true}}).add("b", {{"id", value_type::number, true}});
  script s(t, "with id 7 do a and b");
  s.call("a").call("b").give("7", "id", "a", "b");
  CHECK(s.answer() == R"({"mode":"serial","calls":[{"tool":"a","args":{"id":7}},{"tool":"b","args":{"id":7}}],)"
                      R"("output":{"kind":"all"}})");
}

TEST_CASE("the catalog decides where the network is not sure") {
  SUBCASE("a required argument makes the search take the other reading") {
    script s(office(), "get_user id 5 7");
    s.call("get_user").give("5", "id", "get_user");
    s.out.be(s.at("7"), token_role::none);
    CHECK(s.answer() == "!unattached_value");
  }
  SUBCASE("a tool of which the network doubts that it is called is not, where it lacks its argument") {
    script s(office(), "ping get_user");
    s.call("ping").call("get_user", 4.5F);
    CHECK(s.answer() == R"({"mode":"single","calls":[{"tool":"ping","args":{}}],"output":{"kind":"last"}})");
  }
  SUBCASE("a value goes to the argument of its type") {
    script s(office(), "send_mail to subject \"x\" urgent true");
    s.call("send_mail").give("\"x\"", "to", "send_mail").give("true", "urgent", "send_mail");
    s.out.be(s.at("subject"), token_role::none);
    // The likelier argument of "true" is a string.
    s.out.tie(codemode::link_kind::argument, s.at("true"), s.at("subject"), 9);
    const auto p = s.run();
    REQUIRE(p);
    CHECK(p->calls()[0].arguments()[1].name == "urgent");
  }
}

TEST_CASE("exact spelling before loose, two loose ones are ambiguous") {
  fixture::tools t;
  t.add("go", {{"user_id", value_type::number, false}, {"userId", value_type::number, false}});
  SUBCASE("exact") {
    script s(t, "go userId 5");
    s.call("go").give("5", "userId", "go");
    const auto p = s.run();
    REQUIRE(p);
    CHECK(p->calls()[0].arguments()[0].name == "userId");
  }
  SUBCASE("loose") {
    script s(t, "go user id 5");
    s.call("go").give("5", "user id", "go");
    CHECK(s.answer() == "!ambiguous");
  }
}

TEST_CASE("fields and a limit") {
  const auto made = [](const char* text) {
    script s(office(), text);
    s.call("list_users").give("\"x\"", "team", "list_users");
    return s;
  };
  SUBCASE("in the order of mention, repeats dropped") {
    auto s = made("list_users team \"x\" only name , id , Name 5");
    s.field("name").field("id").field("Name").limit("5");
    CHECK(s.answer() == R"({"mode":"single","calls":[{"tool":"list_users","args":{"team":"x"}}],)"
                        R"("output":{"kind":"last","fields":["name","id"],"limit":5}})");
  }
  SUBCASE("a limit in words, and the bounds of one in digits") {
    CHECK(made("list_users team \"x\" twenty").limit("twenty").run()->output.limit == 20);
    CHECK(made("list_users team \"x\" 0").limit("0").run()->output.limit == 0);
    CHECK(made("list_users team \"x\" 100").limit("100").run()->output.limit == 100);
    CHECK(made("list_users team \"x\" 5.0").limit("5.0").run()->output.limit == 5);
    CHECK(made("list_users team \"x\" -0").limit("-0").run()->output.limit == 0);
    for (const auto* bad : {"101", "-1", "2.5", "1e9"})
      CHECK(made((std::string("list_users team \"x\" ") + bad).c_str()).limit(bad).answer() == "!unsupported_shaping");
  }
  SUBCASE("two limits, four fields, an undeclared field") {
    CHECK(made("list_users team \"x\" 5 6").limit("5").limit("6").answer() == "!unsupported_shaping");
    CHECK(made("list_users team \"x\" id name email phone").field("id").field("name").field("email").field("phone").answer() ==
          "!unsupported_shaping");
    fixture::tools t;
    t.add("list_users", {{"team", value_type::string, true}}, return_kind::array, {"id"});
    t.add("get_user", {}, return_kind::object, {"name"});
    script s(t, "list_users team \"x\" name");
    s.call("list_users").give("\"x\"", "team", "list_users").field("name");
    CHECK(s.answer() == "!unsupported_shaping");
  }
  SUBCASE("not of an object, not of several calls") {
    script object(office(), "get_user id 5 name");
    object.call("get_user").give("5", "id", "get_user").field("name");
    CHECK(object.answer() == "!unsupported_shaping");
    script several(office(), "list_users team \"x\" ping 3");
    several.call("list_users").call("ping").give("\"x\"", "team", "list_users").limit("3");
    CHECK(several.answer(1) == "!unsupported_shaping");
  }
  SUBCASE("a loose spelling of two properties of the tool is ambiguous, an exact one is not") {
    fixture::tools t;
    t.add("go", {}, return_kind::array, {"createdAt", "created_at"});
    CHECK(script(t, "go created at").call("go").field("created at").answer() == "!ambiguous");
    const auto p = script(t, "go created_at").call("go").field("created_at").run();
    REQUIRE(p);
    CHECK(p->output.fields()[0] == "created_at");
  }
}

TEST_CASE("numbers and strings are kept as they are") {
  fixture::tools t;
  t.add("go", {{"x", value_type::number, false}, {"s", value_type::string, false}});
  script s(t, R"(go x -0 s "\u0041\n")");
  s.call("go").give("-0", "x", "go").give(R"("\u0041\n")", "s", "go");
  const auto p = s.run();
  REQUIRE(p);
  CHECK(std::signbit(p->calls()[0].arguments()[0].value.as_number()));
  CHECK(p->calls()[0].arguments()[1].value.json() == R"("\u0041\n")");
}

TEST_CASE("a name that is a boolean can be a name or a value") {
  fixture::tools t;
  t.add("go", {{"true", value_type::boolean, false}, {"x", value_type::boolean, false}});
  script s(t, "go true false x true");
  s.call("go").give("false", "true", "go").give({"true", 1}, "x", "go");
  CHECK(s.answer() == R"({"mode":"single","calls":[{"tool":"go","args":{"true":false,"x":true}}],"output":{"kind":"last"}})");
}

TEST_CASE("what may be left over") {
  SUBCASE("marks of a list") {
    for (const auto* mark : {"1. get_user id 5", "1) get_user id 5", "(1) get_user id 5", "Step 1: get_user id 5",
                             "## Step 1\nget_user id 5", "Step 1/3 get_user id 5"}) {
      CAPTURE(mark);
      script s(office(), mark);
      s.call("get_user").give("5", "id", "get_user");
      CHECK(s.answer() == one_user);
    }
  }
  SUBCASE("the values of an excluded tool") {
    script s(office(), "get_user id 5 , not send_mail to \"x\"");
    s.call("get_user").exclude("send_mail").give("5", "id", "get_user");
    CHECK(s.answer() == one_user);
  }
  SUBCASE("the values of a call that is excluded, though the tool is called") {
    script s(office(), "get_user id 5 , no get_user id 7");
    s.call("get_user").exclude({"get_user", 1}).give("5", "id", "get_user");
    CHECK(s.answer() == one_user);
  }
  SUBCASE("no number behind another word, and none at the end") {
    for (const auto* text : {"get_user id 5 in room 12 .", "get_user id 5 . In room 12 we wait", "get_user id 5 7.",
                             "a team of 7 : get_user id 5"}) {
      CAPTURE(text);
      script s(office(), text);
      s.call("get_user").give("5", "id", "get_user");
      CHECK(s.answer() == "!unattached_value");
    }
  }
  SUBCASE("no value behind a call, though a tool before it is excluded") {
    script s(office(), "not send_mail , get_user id 5 \"x\"");
    s.exclude("send_mail").call("get_user").give("5", "id", "get_user");
    CHECK(s.answer() == "!unattached_value");
  }
  SUBCASE("a repetition of a value that is used, before or after") {
    for (const auto* text : {"get_user id 5 . All about 5 !", "All about 5 ! get_user id 5 ."}) {
      CAPTURE(text);
      script s(office(), text);
      s.call("get_user").give({"5", s.spelled(2) == "5" && s.spelled(0) != "All" ? 0U : 1U}, "id", "get_user");
      CHECK(s.answer() == one_user);
    }
  }
  SUBCASE("not a string, not another number, not a repetition of what is not used") {
    for (const auto* text : {"get_user id 5 for \"x\"", "get_user id 5 for 700 people", "get_user id 5 for 700 or 700"}) {
      CAPTURE(text);
      script s(office(), text);
      s.call("get_user").give("5", "id", "get_user");
      CHECK(s.answer() == "!unattached_value");
    }
  }
}

TEST_CASE("forbidden readings compete with plans") {
  // A likely reading without the required argument, and an unlikely plan.
  script s(office(), "ping get_user");
  s.call("ping").call("get_user");
  CHECK(s.answer(1) == "!missing_argument");
  REQUIRE(s.found().has_forbidden);
  REQUIRE(s.found().allowed);
  CHECK(s.found().forbidden.score > s.found().best.score);
  // The confidence hears of it, and who wants every plan gets the other one.
  using figure = codemode::confidence_figure;
  codemode::detail::token_scores scores;
  scores.read(s.out, s.tokens().count);
  const auto x = codemode::detail::figures_of(s.found(), scores, s.tokens().count);
  CHECK(x[static_cast<std::size_t>(figure::forbidden)] == 4);
  CHECK(s.answer(0) == R"({"mode":"single","calls":[{"tool":"ping","args":{}}],"output":{"kind":"last"}})");
}

TEST_CASE("the confidence weighs the figures of the search") {
  script s(office(), "get_user id 5");
  s.call("get_user").give("5", "id", "get_user");
  REQUIRE(s.run());
  const auto& found = s.found();
  codemode::detail::token_scores scores;
  scores.read(s.out, s.tokens().count);
  const auto x = codemode::detail::figures_of(found, scores, s.tokens().count);
  using figure = codemode::confidence_figure;
  CHECK(x[static_cast<std::size_t>(figure::one)] == 1);
  CHECK(x[static_cast<std::size_t>(figure::plan)] == found.best.score);
  CHECK(x[static_cast<std::size_t>(figure::several)] == 0);
  CHECK(x[static_cast<std::size_t>(figure::length)] == doctest::Approx(3.0 / 64));
  CHECK(x[static_cast<std::size_t>(figure::acceptance)] <= 0);
  CHECK(x[static_cast<std::size_t>(figure::margin)] > 0);
  CHECK(x[static_cast<std::size_t>(figure::margin)] <= 8);
  constexpr std::array<float, 1> sure{10.0F};
  constexpr std::array<float, 1> doubtful{-10.0F};
  CHECK(codemode::detail::confidence_of(x, sure) > 0.99F);
  CHECK(codemode::detail::confidence_of(x, doubtful) < 0.01F);
  CHECK(codemode::detail::confidence_of(x, {}) == doctest::Approx(0.5));
}

// --- bounds ----------------------------------------------------------------------------------------------------

/// Everything is possible: every logit is drawn anew.
void blur(script& s, unsigned seed) {
  std::mt19937 random{seed};
  const auto draw = [&random] { return static_cast<float>(random() % 1600) / 100.0F - 8.0F; };
  const std::size_t n = s.tokens().count;
  for (std::size_t k = 0; k < n; ++k) {
    s.out.be(k, static_cast<token_role>(random() % codemode::role_count), draw());
    for (std::size_t j = 0; j < n; ++j)
      for (const auto l : {codemode::link_kind::argument, codemode::link_kind::call, codemode::link_kind::order}) s.out.tie(l, k, j, draw());
  }
  for (std::size_t e = 1; e <= codemode::evidence_all; ++e) s.out.say(e, draw());
}

TEST_CASE("whatever the network answers, a plan follows the catalog, and twice the same") {
  const char* const texts[] = {
      "get_user id 1 id 2 list_users team \"a\" active true 5 name email send_mail to \"x\" ping ping get_user 7",
      "list_users team \"x\" name id email phone five 3 true false \"x\"",
      "ping ping ping ping 1 2 3 4 5 6 7",
      "true false true id id id name name team",
      "5",
  };
  std::size_t plans = 0, refusals = 0;
  for (const auto* text : texts)
    for (unsigned seed = 0; seed < 300; ++seed) {
      script s(office(), text);
      blur(s, seed);
      const auto first = s.run();
      const auto second = s.run();
      REQUIRE(first.has_value() == second.has_value());
      if (!first) {
        ++refusals;
        CHECK(first.error().code == second.error().code);
        CHECK(first.error().begin <= first.error().end);
        CHECK(first.error().end <= std::string_view(text).size());
        continue;
      }
      ++plans;
      const auto fault = codemode::check(*first, office().list);
      CHECK_MESSAGE(!fault, text, " ", seed, " ", fault ? fault->what : "");
      std::string a, b;
      codemode::write_json(*first, a);
      codemode::write_json(*second, b);
      CHECK(a == b);
    }
  CHECK(plans > 20);
  CHECK(refusals > 20);
}

TEST_CASE("128 tokens of any kind are decoded in bounded time") {
  for (const auto* word : {"5 ", "ping ", "id ", "true ", "get_user id 5 ", "name ", "five ", "team \"x\" "}) {
    CAPTURE(word);
    std::string text;
    for (int i = 0; i < 128; ++i) text += word;
    std::size_t spaces = 0;
    for (std::size_t i = 0; i < text.size(); ++i)
      if (text[i] == ' ' && ++spaces == 128) text.resize(i);
    for (unsigned seed = 0; seed < 2; ++seed) {
      script s(office(), text);
      REQUIRE(s.tokens().count == 128);
      blur(s, seed);
      const auto start = std::chrono::steady_clock::now();
      const auto p = s.run();
      // About 0.1 s in a debug build with sanitizers, most of it the script's own tables.
      CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
      if (p) CHECK_FALSE(codemode::check(*p, office().list));
    }
  }
}

}  // namespace
