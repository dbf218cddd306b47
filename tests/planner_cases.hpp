#pragma once

// Records for the tests that look at how planning is done and not at what is planned: every kind of plan,
// every stage's refusals, short and long.

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace test {

inline constexpr std::string_view office_tools = R"([
 {"name":"list_users","arguments":{"team":"string","active":"boolean"},"required":["team"],
  "returns":{"kind":"array","properties":["id","name","email"]}},
 {"name":"get_user","arguments":{"id":"number"},"required":["id"],
  "returns":{"kind":"object","properties":["id","name"]}},
 {"name":"send_mail","arguments":{"to":"string","subject":"string","body":"string","urgent":"boolean"},
  "required":["to","subject"],"returns":{"kind":"text"}},
 {"name":"createRoom","arguments":{"name":"string","seats":"number"},"required":["name"],
  "returns":{"kind":"object","properties":["id"]}},
 {"name":"größe","arguments":{"first name":"string","__proto__":"number"},"required":[],
  "returns":{"kind":"text"}}])";

inline constexpr std::array<std::string_view, 36> office_instructions{
    // one call
    "Call get_user with id 7.",
    "Please run list_users with team \"blue\".",
    "list_users with team \"blue\" and active true, only name and email, first 5.",
    "Get me the first ten rows of list_users for team \"red\".",
    "send_mail to \"ada@example.org\" with subject \"Hello \\ud83d\\ude00\" and urgent false",
    "createRoom name=\"Atrium\" seats=1e2",
    "Create room with name \"__proto__\" and seats -0.",
    "Call gr\xC3\xB6\xC3\x9F"
    "e with first name \"x\".",
    // more
    "Call get_user with id 1 and then get_user with id 2.",
    "First list_users with team \"a\", then createRoom with name \"b\", finally get_user with id 3.",
    "In parallel, call get_user with id 1 and list_users with team \"blue\".",
    "Run get_user for id 1, get_user for id 2 and get_user for id 3 at the same time; return only the last "
    "result.",
    "Call get_user with id 5 and afterwards createRoom with name \"c\", and give me just the final result.",
    // refused by the frontend
    "Call get_user with id 007.",
    "Call get_user with id 0.1000000000000000001.",
    "send_mail to \"unterminated",
    "send_mail to \"bad \\q escape\" with subject \"x\"",
    "",
    " \t\n",
    "\xF0\x9F\x98\x80 \xE2\x80\xA8 \xC2\xA0",
    // refused by the meaning
    "Hello there, how are you today?",
    "Do not call get_user.",
    "Call get_user.",
    "Call get_user with id \"5\".",
    "Call get_user with id 5 and id 6.",
    "Call get_user with id 5 and colour \"blue\".",
    "Call get_user with id 5 \"blue\".",
    "Call list_users with team \"x\" if it is Monday.",
    "Call get_user with id 1 for each of them.",
    "Call list_users with team \"x\" sorted by name.",
    "Call get_user with id 1, then send_mail to the name from that result with subject \"x\".",
    "Call get_user with id 1 or list_users with team \"x\", you choose.",
    "Call get_user with id 1, get_user with id 2, get_user with id 3 and get_user with id 4.",
    "get_user 5",
    "list_users with team \"x\", the last 5",
    "Call get_user with id={{id}}",
};

/// The instructions above and two longer ones: the most tokens that are allowed, and more.
inline std::vector<std::string> instructions() {
  std::vector<std::string> all(office_instructions.begin(), office_instructions.end());
  std::string words = "Call get_user with id 9";
  for (int i = 0; i < 122; ++i) words += " please";
  all.push_back(words + ".");
  for (int i = 0; i < 50; ++i) words += " please";
  all.push_back(words + ".");
  return all;
}

}  // namespace test
