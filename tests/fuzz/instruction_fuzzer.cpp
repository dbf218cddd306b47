// Any bytes as an instruction over one of a few catalogs: what is planned follows the catalog, what is refused is
// refused with a place inside of the text, and both are the same twice, also by a planner that did other work before.

#include "../planner_properties.hpp"
#include "check.hpp"

#include <codemode/catalog.hpp>
#include <codemode/planner.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace {

// Plain, crowded, and made to confuse: names that are numbers, booleans, signs, words, and each other's prefixes.
constexpr std::array<std::string_view, 3> catalogs{
    R"j([{"name":"list_users","arguments":{"team":"string","active":"boolean"},"required":["team"],
         "returns":{"kind":"array","properties":["id","name","email"]}},
        {"name":"get_user","arguments":{"id":"number"},"required":["id"],"returns":{"kind":"object"}},
        {"name":"ping","arguments":{},"required":[],"returns":{"kind":"text"}}])j",
    R"j([{"name":"a","arguments":{"x":"number","y":"string","z":"boolean","limit":"number"},"required":[],"returns":{"kind":"array","properties":["x","first","limit"]}},
        {"name":"a_b","arguments":{"x":"string"},"required":["x"],"returns":{"kind":"array","properties":["a","b"]}},
        {"name":"b_c_d","arguments":{"a":"number"},"required":[],"returns":{"kind":"text"}},
        {"name":"aB","arguments":{},"required":[],"returns":{"kind":"text"}},
        {"name":"list","arguments":{"list":"string","name":"string"},"required":[],"returns":{"kind":"array","properties":["list","name","createdAt","created_at"]}},
        {"name":"first","arguments":{"5":"number"},"required":[],"returns":{"kind":"array","properties":[]}},
        {"name":"d_e_f_g_h","arguments":{"true":"boolean"},"required":[],"returns":{"kind":"text"}},
        {"name":"then","arguments":{"and":"string"},"required":[],"returns":{"kind":"object","properties":["x"]}}])j",
    R"j([{"name":"größe","arguments":{"first name":"string","__proto__":"number","--x":"string","→":"boolean"},"required":[],"returns":{"kind":"array","properties":["ünïcode","size (MB)","2.5"]}},
        {"name":"$","arguments":{"\"":"string","-1":"number"," ":"string","_":"boolean"},"required":[],"returns":{"kind":"text"}},
        {"name":"имя","arguments":{"ИМЯ":"string","\u0000":"string","\n":"number"},"required":["ИМЯ"],"returns":{"kind":"object","properties":["имя"]}}])j"};

const codemode::catalog& catalog_of(std::size_t i) {
  static const auto made = [] {
    std::array<codemode::catalog, catalogs.size()> all;
    for (std::size_t k = 0; k < all.size(); ++k) {
      auto parsed = codemode::catalog::parse(catalogs[k]);
      fuzz::check(parsed.has_value());
      all[k] = std::move(*parsed);
    }
    return all;
  }();
  return made[i % made.size()];
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using fuzz::check;
  if (size == 0) return 0;
  const fuzz::input in(data + 1, size - 1);
  const std::string_view instruction = in.text();
  const codemode::catalog& tools = catalog_of(data[0]);
  static codemode::planner planner;
  static codemode::planner other;

  const auto answer = planner.plan(instruction, tools, {.threshold = 0});
  check(test::broken_promise(answer, instruction, tools).empty());
  const std::string text = test::answer_text(answer);

  const auto explained = other.plan(instruction, tools, {.threshold = 0, .explain = true});
  check(test::answer_text(explained) == text);
  const codemode::explanation& why = other.explain();
  check(why.token_count <= codemode::max_tokens && why.instruction == instruction);
  std::size_t end = 0;
  for (const auto& t : why.tokens()) {
    check(end <= t.begin && t.begin < t.end && t.end <= instruction.size());
    check(test::is_border(instruction, t.begin) && test::is_border(instruction, t.end));
    check(t.argument < static_cast<int>(why.token_count));
    end = t.end;
  }

  if (!answer) return 0;  // every threshold refuses it
  const auto strict = planner.plan(instruction, tools, {.threshold = 1});
  check(test::broken_promise(strict, instruction, tools).empty());
  if (strict) check(test::answer_text(strict) == text);
  return 0;
}
