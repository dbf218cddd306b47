// What a long run holds and copies: messages are shared between rounds, and memory grows with the text only.

#include "prompt_fixture.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <vector>

namespace {

std::atomic<std::size_t> live{0};
std::atomic<std::size_t> allocated{0};
constexpr std::size_t head = alignof(std::max_align_t);

void* take(std::size_t size) noexcept {
  void* block = std::malloc(size + head);
  if (block == nullptr) std::abort();
  std::memcpy(block, &size, sizeof size);
  live += size;
  allocated += size;
  return static_cast<char*>(block) + head;
}
void give_back(void* p) noexcept {
  if (p == nullptr) return;
  void* block = static_cast<char*>(p) - head;
  std::size_t size = 0;
  std::memcpy(&size, block, sizeof size);
  live -= size;
  std::free(block);
}

}  // namespace

void* operator new(std::size_t size) { return take(size); }
void* operator new[](std::size_t size) { return take(size); }
// Sanitizers bring their own forms for nothrow, so these stand here, too.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return take(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return take(size); }
void operator delete(void* p) noexcept { give_back(p); }
void operator delete[](void* p) noexcept { give_back(p); }
void operator delete(void* p, std::size_t) noexcept { give_back(p); }
void operator delete[](void* p, std::size_t) noexcept { give_back(p); }

using namespace fixture;

TEST_CASE("2: messages live in one list and are not copied per round") {
  host h{{calls({call("c1", "a")}), calls({call("c2", "a")}), calls({call("c3", "a")}), text("done")}};
  cp::prompt_config<> c;
  c.tools = {tool("a", returns(1))};
  CHECK(h.run(std::move(c)).status == cp::status::complete);
  REQUIRE(h.model.requests.size() == 4);
  for (std::size_t n = 1; n < 4; ++n) {
    const auto& before = h.model.requests[n - 1].messages;
    const auto& now = h.model.requests[n].messages;
    REQUIRE(now.size() == before.size() + 2);
    for (std::size_t i = 0; i < before.size(); ++i) CHECK(now[i].get() == before[i].get());
  }
  CHECK(h.model.requests[3].messages[1].get() == h.context.messages->front().get());  // the caller's own message
}

TEST_CASE("20: memory of a conversation of 1,000 turns is bounded by its text, and a round's cost does not grow") {
  constexpr std::size_t turns = 1000;
  constexpr std::size_t size = 1000;  // bytes of text in each assistant message and in each answer
  host h{{}};
  std::vector<std::size_t> live_at;
  std::vector<std::size_t> allocated_at;
  live_at.reserve(turns + 1);
  allocated_at.reserve(turns + 1);
  h.context.execute = [&](cp::request&, const auto&, const auto&, const std::stop_token&) -> cp::model_result {
    live_at.push_back(live);
    allocated_at.push_back(allocated);
    if (live_at.size() > turns) return text("done");
    cp::response r = calls({call("c" + std::to_string(live_at.size()), "a")});
    r.content = std::string(size, 'x');
    return r;
  };
  cp::prompt_config<> c;
  c.name = "p";
  c.content = std::string{"You help."};
  c.tools = {tool("a", returns(std::string(size, 'y')))};
  c.tool_execution = cp::tool_execution::sequential;
  c.tool_iterations = turns;
  const cp::prompt<> p{std::move(c)};
  const cp::outcome o = p.run(h.context);
  CHECK(o.status == cp::status::complete);
  REQUIRE(live_at.size() == turns + 1);
  const std::size_t grown = live_at[turns] - live_at[0];
  MESSAGE("live bytes per turn: ", grown / turns, " for ", 2 * size, " bytes of text");
  CHECK(grown <= turns * (4 * size + 4096));  // two copies of each text, and what stands around them
  const std::size_t early = allocated_at[200] - allocated_at[100];
  const std::size_t late = allocated_at[1000] - allocated_at[900];
  MESSAGE("allocated bytes per turn: ", early / 100, " early, ", late / 100, " late");
  CHECK(late <= early + early / 2);
}
