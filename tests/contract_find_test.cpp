// Finding tools: how words are cut and brought into one form, what a search finds, how a decision is told, and that it
// neither allocates nor leaves its budget.

#include <codemode/contract/errors.hpp>
#include <codemode/contract/find.hpp>
#include <codemode/contract/json.hpp>
#include <codemode/json/reader.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace contract = codemode::contract;
namespace search = codemode::contract::search;

namespace {

std::size_t allocations = 0;

}  // namespace

// Not inlined: g++ would see malloc() behind a new-expression and warn of the delete that is not ours there.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* p = std::malloc(size == 0 ? 1 : size)) return p;
  std::abort();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace {

struct listed {
  std::string_view server, name, description;
};

contract::tool_catalog make_catalog(const std::vector<listed>& tools, std::string_view status = contract::status_online) {
  contract::tool_catalog c;
  std::vector<std::string_view> servers;
  for (const listed& t : tools)
    if (std::find(servers.begin(), servers.end(), t.server) == servers.end()) servers.push_back(t.server);
  for (const std::string_view s : servers) {
    std::vector<contract::tool_entry> entries;
    for (const listed& t : tools) {
      if (t.server != s) continue;
      contract::tool_entry& e = entries.emplace_back();
      e.server_id = t.server;
      e.name = t.name;
      e.tool_ref = e.server_id + "." + e.name;
      e.description = t.description;
      e.input_schema = contract::open_object{contract::open_value::trusted(R"({"type":"object","properties":{"id":{"type":"string"}},"required":["id"]})")};
    }
    c.set_server(s, status, std::move(entries));
  }
  return c;
}

const std::vector<listed> garden{
    {"garden", "water_plants", "Waters the plants of a bed"},        {"garden", "list_beds", "Lists all beds of the garden"},
    {"garden", "remove_weed", "Removes a weed from a bed"},          {"garden", "plant_seed", "Puts a seed into the soil"},
    {"kitchen", "create_recipe", "Creates a recipe from a list of ingredients"}, {"kitchen", "search_recipes", "Searches recipes by ingredient"},
    {"kitchen", "delete_recipe", "Deletes a recipe"},                {"kitchen", "convertUnits", "Converts cups to grams"},
    {"post", "send_letter", "Sends a letter to a recipient"},        {"post", "create_issue", "Creates a stamp issue"},
    {"shed", "create_issue", "Creates an issue about a broken tool"}, {"shed", "getHTTPStatus", "Gets the status of the door's web page"}};

std::string words(std::string_view text) {
  std::string out;
  search::for_each_word(text, [&](const search::cut_word& w) { out += std::string(w.folded.view()) + " "; });
  return out;
}
std::string stem(std::string_view w) { return std::string(search::stem(w).view()); }

contract::find_result find(const contract::tool_catalog& c, std::string_view query, const contract::find_options& options = {}) {
  const contract::tool_index index(c);
  contract::find_result r = contract::find_tool(index, query, options);
  CHECK(contract::check_instruction(r) == contract::instruction_fault::none);
  CHECK(r.query == query);
  return r;
}

bool shows(const contract::find_result& r, std::string_view ref) {
  return r.selected_tool_ref == ref || std::any_of(r.candidates.begin(), r.candidates.end(), [&](const auto& c) { return c.tool_ref == ref; }) ||
         std::any_of(r.alternatives.begin(), r.alternatives.end(), [&](const auto& a) { return a.tool_ref == ref; });
}

}  // namespace

TEST_CASE("text is cut at case, joins and scripts") {
  CHECK(words("listPullRequests") == "list pull requests ");
  CHECK(words("getHTTPStatus_v2") == "get http status v2 ");
  CHECK(words("list PRs and IDs") == "list prs and ids ");
  CHECK(words("k8s-oauth2.base64") == "k8s oauth2 base64 ");
  CHECK(words("the team's plan") == "the team plan ");
  CHECK(words("Žodis 文件") == "žodis 文 件 ");
  CHECK(words("\xff\xfe!?") == "");
}

TEST_CASE("forms of a word meet, and different words do not") {
  for (const auto& [a, b] : std::vector<std::pair<std::string_view, std::string_view>>{
           {"deletes", "delete"},     {"deleting", "delete"},         {"deletion", "delete"},    {"creation", "create"},    {"cancelled", "cancel"},
           {"organisations", "organization"}, {"colour", "color"},    {"analysed", "analyze"},   {"catalogue", "catalog"},  {"centre", "center"},
           {"labelled", "label"},     {"sent", "send"},               {"people", "person"},      {"queries", "query"},      {"boxes", "box"},
           {"deployment", "deploy"},  {"notification", "notify"},     {"merging", "merge"},      {"summarise", "summarize"}, {"stopped", "stop"},
           {"k8s", "kubernetes"},     {"prs", "pr"}}) {
    const std::string_view shown = a;
    CAPTURE(shown);
    CHECK(stem(a) == stem(b));
  }
  for (const auto& [a, b] : std::vector<std::pair<std::string_view, std::string_view>>{
           {"status", "stat"}, {"hour", "hor"}, {"process", "proces"}, {"string", "str"}, {"press", "pres"}, {"access", "acces"}, {"raise", "raize"}, {"ping", "pe"}}) {
    const std::string_view shown = a;
    CAPTURE(shown);
    CHECK(stem(a) != stem(b));
  }
  // Stems of anything are short and never empty.
  std::mt19937 random(3);
  for (int i = 0; i < 20'000; ++i) {
    std::string w;
    for (auto n = 1 + random() % 12; n > 0; --n) w += static_cast<char>(static_cast<int>(random() % 26) + 'a');
    const std::string s = stem(w);
    CHECK(!s.empty());
    CHECK(s.size() <= w.size() + 3);
  }
}

TEST_CASE("the tool that is meant is used") {
  const auto c = make_catalog(garden);
  for (const auto& [query, ref] : std::vector<std::pair<std::string_view, std::string_view>>{
           {"water the plants", "garden.water_plants"},  {"watering plants", "garden.water_plants"},  {"erase a recipe", "kitchen.delete_recipe"},
           {"serach recipes", "kitchen.search_recipes"}, {"searchrecipes", "kitchen.search_recipes"}, {"convert units", "kitchen.convertUnits"},
           {"get rid of this weed", "garden.remove_weed"}, {"mail a letter", "post.send_letter"},     {"delete recipe", "kitchen.delete_recipe"},
           {"http status", "shed.getHTTPStatus"}}) {
    const std::string_view shown = query;
    CAPTURE(shown);
    const auto r = find(c, query);
    CHECK(r.selected_tool_ref == ref);
    CHECK(r.decision != contract::decision_no_good_match);
  }
}

TEST_CASE("what no tool can do is refused, with a way on") {
  const auto c = make_catalog(garden);
  for (const std::string_view query : {"book a flight to Lisbon", "charge the customer's credit card", "", "!?", "the", "🌧", "\xff\xfe", "x"}) {
    CAPTURE(query);
    const auto r = find(c, query);
    CHECK(r.decision == contract::decision_no_good_match);
    CHECK(r.next_action->tool == contract::tool_find);
    CHECK(r.alternatives.empty());
    CHECK_FALSE(r.selected);
  }
  CHECK(find(contract::tool_catalog{}, "water").decision == contract::decision_catalog_empty);
}

TEST_CASE("a bare name that fits tools of several servers is ambiguous, a whole one is not") {
  const auto c = make_catalog(garden);
  const auto both = find(c, "create_issue");
  CHECK(both.decision == contract::decision_ambiguous);
  REQUIRE(both.candidates.size() == 2);
  CHECK(both.candidates[0].tool_ref == "post.create_issue");
  CHECK(both.candidates[1].tool_ref == "shed.create_issue");
  CHECK_FALSE(both.candidates[0].input_schema.absent());
  CHECK(both.next_action->tool == contract::tool_call);
  CHECK(both.next_action->tool_ref.empty());
  const auto one = find(c, "use shed.create_issue to report it");
  CHECK(one.decision == contract::decision_use);
  CHECK(one.selected_tool_ref == "shed.create_issue");
  CHECK(one.confidence == contract::confidence_high);
}

TEST_CASE("exact names survive whatever else the query says") {
  const auto c = make_catalog(garden);
  for (const contract::tool_entry& e : c.entries()) {
    CAPTURE(e.tool_ref);
    CHECK(shows(find(c, "search recipes and water plants, and then " + e.tool_ref + " of course"), e.tool_ref));
  }
  CHECK(shows(find(c, "please run (convertUnits) on the recipe list"), "kitchen.convertUnits"));
}

TEST_CASE("equal tools stand in the order of their references, in every catalog") {
  const auto c = make_catalog({{"b", "same", "Does it"}, {"a", "same", "Does it"}, {"c", "same", "Does it"}});
  const auto r = find(c, "same");
  REQUIRE(r.candidates.size() == 3);
  CHECK(r.candidates[0].tool_ref == "a.same");
  CHECK(r.candidates[2].tool_ref == "c.same");
}

TEST_CASE("use shows the schema and a call to fill in, or says where to look") {
  auto c = make_catalog(garden);
  const auto r = find(c, "water the plants");
  REQUIRE(r.selected);
  CHECK(r.selected->input_schema.text() == c.find("garden.water_plants")->input_schema.text());
  CHECK(r.selected->recommended_call->tool == contract::tool_call);
  CHECK(r.next_action->arguments == r.selected->recommended_call->arguments);
  CHECK_FALSE(r.reason.empty());
  // A tool that is not reachable keeps its next action; status and instruction tell.
  const auto off = find(make_catalog(garden, contract::status_offline), "water the plants");
  CHECK(off.next_action->tool == contract::tool_call);
  CHECK_FALSE(off.selected->callable_now);
  CHECK(off.agent_instruction.find("not reachable") != std::string::npos);
}

TEST_CASE("an answer keeps its budget, and says what it left out") {
  contract::tool_catalog c;
  std::string schema = R"({"type":"object","properties":{)";
  for (int i = 0; i < 90; ++i) schema += (i > 0 ? ",\"field_" : "\"field_") + std::to_string(100 + i) + R"(":{"description":"what to put there what to put there","type":"string"})";
  schema += "}}";
  for (const std::string_view s : {"a", "b", "c", "d", "e"}) {
    contract::tool_entry e;
    e.server_id = s;
    e.name = "export_report";
    e.tool_ref = e.server_id + "." + e.name;
    for (int i = 0; i < 300; ++i) e.description += "Writes the report to a file. ";
    e.input_schema = contract::open_object{contract::open_value::trusted(schema)};
    c.set_server(s, contract::status_online, {e});
  }
  const auto r = find(c, "export_report");
  CHECK(r.decision == contract::decision_ambiguous);
  CHECK(contract::json_size(r) <= 6000 + std::string_view{"export_report"}.size());
  CHECK(r.agent_instruction.find("Left out") != std::string::npos);
  CHECK(r.candidates[0].input_schema.absent());
  const auto full = find(c, "export_report", {.include_full_schemas = true});
  CHECK_FALSE(full.candidates[0].input_schema.absent());
  CHECK(full.candidates[0].description.size() <= contract::foreign_text_bytes);
}

TEST_CASE("a semantic provider adds its evidence, and its failure is told") {
  const auto c = make_catalog(garden);
  const contract::tool_index index(c);
  search::workspace work;
  contract::semantic_answer near;
  near.is = contract::semantic_answer::state::hits;
  near.hits = {{"garden.water_plants", 0.8}, {"nowhere.tool", 0.9}};
  CHECK(contract::find_tool(index, "everything is so dry out there", {}, work).decision == contract::decision_no_good_match);
  CHECK(contract::find_tool(index, "everything is so dry out there", {}, work, near).selected_tool_ref == "garden.water_plants");
  contract::semantic_answer failed;
  failed.is = contract::semantic_answer::state::failed;
  const auto plain = contract::find_tool(index, "water the plants", {}, work);
  const auto told = contract::find_tool(index, "water the plants", {}, work, failed);
  CHECK(told.agent_instruction.ends_with(plain.agent_instruction));
  CHECK(told.agent_instruction.size() > plain.agent_instruction.size());
}

TEST_CASE("ranking does not allocate once it has met the catalog, and does not remember") {
  const auto c = make_catalog(garden);
  const contract::tool_index index(c);
  search::workspace work;
  const std::string_view queries[]{"water the plants", "create_issue", "get rid of a recipe and list beds", "serach", "kitchen.delete_recipe now", "\xff broken", ""};
  for (const std::string_view q : queries) index.rank(q, 8, work);
  const std::size_t before = allocations;
  for (int i = 0; i < 50; ++i)
    for (const std::string_view q : queries) index.rank(q, 8, work);
  CHECK(allocations == before);
  search::workspace fresh;
  for (const std::string_view q : queries) {
    index.rank(q, 8, work);
    index.rank(q, 8, fresh);
    REQUIRE(work.hits.size() == fresh.hits.size());
    for (std::size_t i = 0; i < work.hits.size(); ++i) {
      CHECK(work.hits[i].tool == fresh.hits[i].tool);
      CHECK(work.hits[i].score == fresh.hits[i].score);
    }
  }
}
