// Tokens, names and values of an instruction, as the instruction language has them.

#include "frontend_fixture.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <vector>

using fixture::cut;
using codemode::return_kind;
using codemode::value_type;

namespace {

fixture::tools sample() {
  fixture::tools t;
  t.add("list_users", {{"team", value_type::string, true}, {"user-id", value_type::number, false}}, return_kind::array,
        {"id", "name", "createdAt"});
  t.add("postJob", {{"first name", value_type::string, false}});
  return t;
}

TEST_CASE("words, signs and white space") {
  fixture::tools t;
  CHECK(cut("", t).empty());
  CHECK(cut(" \t\n\xC2\xA0", t).empty());
  CHECK(cut("don't stop, please!", t) == "w:don't w:stop s:, w:please s:!");
  CHECK(cut("the dogs' bone", t) == "w:the w:dogs s:' w:bone");
  CHECK(cut("caf\xC3\xA9 $x _y", t) == "w:caf\xC3\xA9 w:$x w:_y");
  CHECK(cut("a\xE2\x80\x94z", t) == "w:a s:\xE2\x80\x94 w:z");
}

TEST_CASE("numbers") {
  fixture::tools t;
  CHECK(cut("5 5.0 -2 1e3 0.10", t) == "n:5 n:5.0 n:-2 n:1e3 n:0.10");
  CHECK(cut("x=-5 (3) [4,-1]", t) == "w:x s:= n:-5 s:( n:3 s:) s:[ n:4 s:, n:-1 s:]");
  CHECK(cut("end 5.", t) == "w:end n:5 s:.");
  CHECK(cut("5, 6;7", t) == "n:5 s:, n:6 s:; n:7");
  SUBCASE("digits glued to letters or signs are words") {
    for (const auto* s : {"5pm", "10GB", "3rd", "3.2.1", "50,000", "10-20", "12:30", "2/5", "5-day"})
      CHECK(cut(s, t) == std::string("m:") + s);
    CHECK(cut("v2", t) == "w:v2");
    CHECK(cut("utf-8", t) == "w:utf s:- m:8");
  }
  SUBCASE("numbers that are not JSON or not exact are refused") {
    for (const auto* s : {"a +5", "a .5", "id 007", "1_000", "-.5", "0.1000000000000000001", "9007199254740993", "1e400"})
      CHECK(cut(s, t) == "!bad_number");
  }
  SUBCASE("digits behind a dash that is no sign of theirs are words") {
    CHECK(cut("id --5", t) == "w:id s:- s:- m:5");
    CHECK(cut("(a)-5", t) == "s:( w:a s:) s:- m:5");
    CHECK(cut("id \xE2\x88\x92" "5", t) == "w:id s:\xE2\x88\x92 m:5");  // a typographic minus
    CHECK(cut("10\xE2\x80\x93" "20", t) == "m:10\xE2\x80\x93" "20");
    CHECK(cut("5\xC2\xBD", t) == "m:5\xC2\xBD");
    CHECK(cut("a \xE2\x80\x94 5 - 6", t) == "w:a s:\xE2\x80\x94 n:5 s:- n:6");
  }
  CHECK(cut("9007199254740991 -0 149.50", t) == "n:9007199254740991 n:-0 n:149.50");
}

TEST_CASE("strings are JSON strings") {
  fixture::tools t = sample();
  CHECK(cut(R"(say "list_users \" x" now)", t) == R"(w:say q:"list_users \" x" w:now)");
  CHECK(cut(R"("open)", t) == "!bad_string");
  CHECK(cut(R"("C:\Users")", t) == "!bad_string");
  CHECK(cut(R"("\ud800")", t) == "!bad_string");
  CHECK(cut(R"("\ud83d\ude00")", t) == R"(q:"\ud83d\ude00")");
  CHECK(cut("\"two\nlines\"", t) == "!bad_string");
  SUBCASE("a quoted argument name before a colon is a mention") {
    CHECK(cut(R"({"team": "blue"})", t) == R"(s:{ NA:"team" s:: q:"blue" s:})");
    CHECK(cut(R"({"t\u0065am" : "blue"})", t) == R"(s:{ NA:"t\u0065am" s:: q:"blue" s:})");
    CHECK(cut(R"("blue": x)", t) == R"(q:"blue" s:: w:x)");
    CHECK(cut(R"("team" x)", t) == R"(q:"team" w:x)");
    const std::string longest(5000, 'n');
    t.add("long", {{longest, value_type::string, false}});
    CHECK(cut("\"" + longest + "\":", t) == "NA:\"" + longest + "\" s::");
  }
}

TEST_CASE("booleans in any letter case") {
  fixture::tools t;
  CHECK(cut("true FALSE True truely", t) == "b:true b:FALSE b:True w:truely");
}

TEST_CASE("names, exact and loose") {
  fixture::tools t = sample();
  for (const auto* s : {"list_users", "listUsers", "list-users", "list users", "List Users", "LIST_USERS", "list.users",
                        "list\nusers", "List_users"})
    CHECK(cut(s, t) == std::string("NT:") + s);
  CHECK(cut("listusers", t) == "w:listusers");
  for (const auto* s : {"postJob", "postjob", "POSTJOB", "post_job", "post job", "Post-Job"})
    CHECK(cut(s, t) == std::string("NT:") + s);
  CHECK(cut("User ID", t) == "NA:User ID");
  CHECK(cut("userId user_id user-id", t) == "NA:userId NA:user_id NA:user-id");
  CHECK(cut("first_name", t) == "NA:first_name");
  CHECK(cut("created at", t) == "NP:created at");
  SUBCASE("never inside a word") {
    CHECK(cut("list_users2", t) == "w:list_users2");
    CHECK(cut("my_list_users", t) == "w:my_list_users");
    CHECK(cut("teams", t) == "w:teams");
    CHECK(cut("list\n\nusers", t) == "w:list w:users");
  }
  SUBCASE("a possessive s ends a mention") {
    CHECK(cut("list_users's rows", t) == "NT:list_users s:' w:s w:rows");
  }
}

TEST_CASE("the longest name wins, among equals an exact one") {
  fixture::tools t;
  t.add("get_user", {{"user", value_type::string, false}}).add("get_user_list", {}).add("listUsers", {}).add("list_users", {});
  CHECK(cut("get user list", t) == "NT:get user list");
  CHECK(cut("get user lists", t) == "NT:get user w:lists");
  CHECK(cut("user get_user", t) == "NA:user NT:get_user");
  static codemode::token_list out;
  REQUIRE_FALSE(codemode::tokenize("list_users list users", t.list, t.names, out));
  REQUIRE(out.count == 2);
  CHECK(out[0].tools == 8);
  CHECK(out[0].exact_tool);
  CHECK(out[1].tools == 12);  // fits two equally well
  CHECK_FALSE(out[1].exact_tool);
}

TEST_CASE("overlapping names: the longer one wins wherever it begins") {
  fixture::tools t;
  t.add("a_b", {}).add("b_c_d", {});
  CHECK(cut("a b c d", t) == "w:a NT:b c d");
  CHECK(cut("a b c", t) == "NT:a b w:c");
}

TEST_CASE("a longer name that is itself overlapped by a still longer one beats nothing") {
  fixture::tools t;
  t.add("a_b", {}).add("b_c_d", {}).add("d_e_f_g", {});
  CHECK(cut("a b c d e f g", t) == "NT:a b w:c NT:d e f g");
  CHECK(cut("a b c d e", t) == "w:a NT:b c d w:e");
}

TEST_CASE("more names of one spelling than a token keeps: none is forgotten") {
  fixture::tools t;
  t.add("q", {}, return_kind::array, {"createdAt", "created-at", "created at", "created_at", "Created.At"});
  t.add("r", {{"CreatedAt", value_type::string, true}}).add("created$At", {});
  static codemode::token_list out;
  REQUIRE_FALSE(codemode::tokenize("CREATED AT", t.list, t.names, out));
  REQUIRE(out.count == 1);
  CHECK(out[0].tools == 4);
  CHECK(out[0].properties == 1);
  CHECK(out[0].parameters == codemode::parameter_bit(1, 0));
  REQUIRE_FALSE(codemode::tokenize("CreatedAt", t.list, t.names, out));
  CHECK(out[0].exact_parameters == codemode::parameter_bit(1, 0));
  CHECK_FALSE(out[0].exact_property);
}

TEST_CASE("a catalog made to waste time wastes little") {
  // A thousand names that all begin alike, and a text that all of them fit everywhere.
  std::vector<std::string> names;
  std::string name = "a";
  for (; names.size() < 1000; name += " a") names.push_back(name);
  fixture::tools t;
  t.add("go", {}, return_kind::array, {names.begin(), names.end()});
  std::string text = "go";
  for (int i = 0; i < 3000; ++i) text += " a";
  static codemode::token_list out;
  const auto start = std::chrono::steady_clock::now();
  REQUIRE_FALSE(codemode::tokenize(text, t.list, t.names, out));
  // Milliseconds in a release build; every position against every other would be minutes.
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
  CHECK(out.count == 4);

  // White space that every name goes on behind is crossed once.
  fixture::tools u;
  for (std::string& n : names) n = "b " + n;
  u.add("go", {}, return_kind::array, {names.begin(), names.end()});
  REQUIRE_FALSE(codemode::tokenize("go b" + std::string(1'000'000, ' ') + "x", u.list, u.names, out));
  CHECK(out.count == 3);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
}

TEST_CASE("one word may be tool, argument and property at once") {
  fixture::tools t;
  t.add("list", {{"name", value_type::string, false}}, return_kind::array, {"name", "list"});
  CHECK(cut("list name", t) == "NTP:list NAP:name");
}

TEST_CASE("name=value and name: value name an argument") {
  fixture::tools t;
  t.add("search", {{"search", value_type::string, false}}).add("limit", {{"limit", value_type::number, false}});
  CHECK(cut("search search=\"x\"", t) == "NTA:search NA:search s:= q:\"x\"");
  CHECK(cut("limit: 5", t) == "NA:limit s:: n:5");
  CHECK(cut("limit: then", t) == "NTA:limit s:: w:then");
  SUBCASE("an arrow or a comparison assigns nothing") {
    CHECK(cut("search => limit", t) == "NTA:search s:= s:> NTA:limit");
    CHECK(cut("search=>limit", t) == "NTA:search s:= s:> NTA:limit");
    CHECK(cut("search==\"x\"", t) == "NTA:search s:= s:= q:\"x\"");
  }
}

TEST_CASE("names with signs, and names of signs only") {
  fixture::tools t;
  t.add("q", {{"size (MB)", value_type::number, false}, {"--x", value_type::string, false}, {"\xE2\x86\x92", value_type::string, false},
              {"$top", value_type::number, false}});
  CHECK(cut("Size (mb) 4", t) == "NA:Size (mb) n:4");
  CHECK(cut("--x \"a\"", t) == "NA:--x q:\"a\"");
  CHECK(cut("\xE2\x86\x92 \"a\"", t) == "NA:\xE2\x86\x92 q:\"a\"");
  CHECK(cut("$top 4 top 4", t) == "NA:$top n:4 NA:top n:4");
}

TEST_CASE("Unicode names fold letter case") {
  fixture::tools t;
  t.add("\xC3\xA4nderung", {{"gr\xC3\xB6\xC3\x9F" "e", value_type::number, false}, {"\xD0\xB8\xD0\xBC\xD1\x8F", value_type::string, false}});
  CHECK(cut("\xC3\x84nderung", t) == "NT:\xC3\x84nderung");
  CHECK(cut("GR\xC3\x96\xC3\x9F" "E", t) == "NA:GR\xC3\x96\xC3\x9F" "E");
  CHECK(cut("\xD0\x98\xD0\xBC\xD1\x8F", t) == "NA:\xD0\x98\xD0\xBC\xD1\x8F");
}

TEST_CASE("what reads as a number is a name only where it is assigned") {
  fixture::tools t;
  t.add("q", {{"1", value_type::number, false}, {"2.5", value_type::number, false}, {"-3", value_type::number, false},
              {"1e3", value_type::number, false}});
  CHECK(cut("x 2.5 -3 1e3", t) == "w:x n:2.5 n:-3 n:1e3");
  CHECK(cut("2.5=4 -3 : 4 1e3= 4", t) == "NA:2.5 s:= n:4 NA:-3 s:: n:4 NA:1e3 s:= n:4");
  CHECK(cut("2 5", t) == "n:2 n:5");
  CHECK(cut("1=5", t) == "NA:1 s:= n:5");
  CHECK(cut("1 5", t) == "n:1 n:5");
}

TEST_CASE("at most 128 tokens, counted after names are found") {
  fixture::tools t = sample();
  std::string s;
  for (int i = 0; i < 128; ++i) s += "list users ";
  static codemode::token_list out;
  REQUIRE_FALSE(codemode::tokenize(s, t.list, t.names, out));
  CHECK(out.count == 128);
  s += "x";
  const auto d = codemode::tokenize(s, t.list, t.names, out);
  REQUIRE(d);
  CHECK(d->code == codemode::errc::too_long);
  CHECK(d->begin == s.size() - 1);
}

TEST_CASE("ranges are bytes, line starts are kept") {
  fixture::tools t = sample();
  static codemode::token_list out;
  const std::string s = "\xC3\xA4 x\n  team \"b\"";
  REQUIRE_FALSE(codemode::tokenize(s, t.list, t.names, out));
  REQUIRE(out.count == 4);
  CHECK(out[1].begin == 3);
  CHECK(out[0].line_start);
  CHECK_FALSE(out[1].line_start);
  CHECK(out[2].line_start);
  CHECK_FALSE(out[3].line_start);
}

}  // namespace
