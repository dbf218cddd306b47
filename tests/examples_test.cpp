// The hand-written records of data/planner: the shipped weights answer nearly all of them as their labels say.
// Each line is a record with a further member `expect`: {"plan": ...} or {"reject": code}.

#include "planner_properties.hpp"

#include <codemode/json/reader.hpp>
#include <codemode/record.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr const char* files[] = {"crm", "home", "names", "ops", "shop"};

std::vector<std::string> lines_of(const std::string& name) {
  std::ifstream in(std::string(CODEMODE_TEST_DATA) + "/planner/" + name + ".jsonl");
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  REQUIRE_FALSE(lines.empty());
  return lines;
}

TEST_CASE("the shipped weights answer the examples") {
  codemode::planner planner;
  codemode::record record;
  codemode::json::reader reader;
  std::size_t total = 0, right = 0, refusals = 0, same_code = 0;
  std::set<std::string> ids;
  for (const auto* file : files) {
    for (const std::string& line : lines_of(file)) {
      REQUIRE_FALSE(record.assign(line));
      const std::string id(record.id());
      CAPTURE(id);
      CHECK(ids.insert(id).second);
      const auto document = reader.read(line);
      REQUIRE(document);
      const auto expected = document->root().find("expect");
      REQUIRE(expected);
      const auto plan = expected->find("plan");
      const auto code = expected->find("reject");
      REQUIRE(plan.has_value() != code.has_value());

      const auto answer = planner.plan(record.instruction(), record.tools());
      CHECK(test::broken_promise(answer, record.instruction(), record.tools()) == "");
      std::string json;
      if (answer) codemode::write_json(*answer, json);
      ++total;
      const bool good = plan ? json == plan->raw() : !answer;
      right += good ? 1U : 0U;
      if (!good) MESSAGE(record.instruction(), " -> ", answer ? json : codemode::to_message(answer.error()));
      if (code && !answer) {
        ++refusals;
        same_code += code->equals(to_string(answer.error().code)) ? 1U : 0U;
      }
    }
  }
  CHECK(total >= 60);
  CHECK(right * 10 >= total * 9);
  CHECK(same_code * 10 >= refusals * 8);
  CHECK(refusals >= 15);
}

TEST_CASE("every prefix of an example is answered") {
  codemode::planner planner;
  codemode::record record;
  for (const auto* file : files) {
    for (const std::string& line : lines_of(file)) {
      REQUIRE_FALSE(record.assign(line));
      const std::string_view whole = record.instruction();
      for (std::size_t n = 0; n < whole.size(); n += 1 + n / 16) {
        const std::string text(whole.substr(0, n));
        const auto answer = planner.plan(text, record.tools(), {.threshold = 0});
        const auto broken = test::broken_promise(answer, text, record.tools());
        if (!broken.empty()) CHECK_MESSAGE(broken.empty(), broken, ": ", text);
      }
    }
  }
}

}  // namespace
