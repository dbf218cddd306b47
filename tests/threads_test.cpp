// A planner is a pure function of its input: threads that share catalogs and weights, in any order and as
// often as they like, make the same bytes as one alone. Built with ThreadSanitizer in the presets tsan.

#include "planner_cases.hpp"

#include <codemode/catalog.hpp>
#include <codemode/diagnostic.hpp>
#include <codemode/javascript.hpp>
#include <codemode/plan_json.hpp>
#include <codemode/planner.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

/// Everything that an instruction leads to, as text.
std::string answer(codemode::planner& planner, const codemode::catalog& catalog, std::string_view instruction,
                   float threshold) {
  std::string text;
  const auto plan = planner.plan(instruction, catalog, {.threshold = threshold});
  if (!plan) {
    text.append(to_string(plan.error().code));
    text.append(" ");
    codemode::write_message(plan.error(), text);
    return text + " " + std::to_string(plan.error().begin) + ".." + std::to_string(plan.error().end);
  }
  codemode::write_json(*plan, text);
  codemode::write_javascript(*plan, text);
  return text + std::to_string(plan->confidence);
}

}  // namespace

TEST_CASE("threads share catalog and weights and make the same bytes") {
  const auto catalog = codemode::catalog::parse(test::office_tools);
  REQUIRE(catalog);
  const std::vector<std::string> instructions = test::instructions();

  std::vector<std::string> expected;
  {
    codemode::planner planner;
    for (const std::string& i : instructions) expected.push_back(answer(planner, *catalog, i, 0.0F));
  }
  CHECK(std::count_if(expected.begin(), expected.end(), [](const std::string& e) { return e[0] == '{'; }) >=
        5);

#ifdef CODEMODE_TEST_SLOW
  constexpr unsigned thread_count = 3;
  constexpr int rounds = 1;
#else
  constexpr unsigned thread_count = 8;
  constexpr int rounds = 4;
#endif
  std::atomic<int> different{0};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < thread_count; ++t) {
    threads.emplace_back([&, t] {
      codemode::planner planner;  // made at the same time as the others: the choice of kernels is shared
      std::vector<std::size_t> order(instructions.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::mt19937 random{t};
      for (int round = 0; round < rounds; ++round) {
        std::shuffle(order.begin(), order.end(), random);
        for (const std::size_t i : order)
          if (answer(planner, *catalog, instructions[i], 0.0F) != expected[i]) ++different;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  CHECK(different == 0);
}

TEST_CASE("what was planned before changes nothing") {
  const auto catalog = codemode::catalog::parse(test::office_tools);
  REQUIRE(catalog);
  const std::vector<std::string> instructions = test::instructions();
  std::vector<std::string> expected;
  for (const std::string& i : instructions) {
    codemode::planner fresh;
    expected.push_back(answer(fresh, *catalog, i, 0.0F));
  }
  // The longest, the shortest and refusals of every stage leave the most behind.
  codemode::planner used;
  for (std::size_t before = 0; before < instructions.size(); before += 5)
    for (std::size_t now = before % 2; now < instructions.size(); now += 2) {
      (void)answer(used, *catalog, instructions[instructions.size() - 1 - before], 0.9F);
      CHECK(answer(used, *catalog, instructions[now], 0.0F) == expected[now]);
    }
}
