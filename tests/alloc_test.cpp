// Counts every allocation of the program. After each thing has been done once, planning, refusing, reading
// records and both writers allocate nothing.

#include "planner_cases.hpp"
#include "scripted_network.hpp"

#include <codemode/catalog.hpp>
#include <codemode/diagnostic.hpp>
#include <codemode/javascript.hpp>
#include <codemode/plan_json.hpp>
#include <codemode/planner.hpp>
#include <codemode/record.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace {

std::size_t allocation_count = 0;

void* allocate(std::size_t size, std::size_t alignment) noexcept {
  ++allocation_count;
  if (alignment <= alignof(std::max_align_t)) return std::malloc(size == 0 ? 1 : size);
  return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

void* allocate_or_end(std::size_t size, std::size_t alignment = 1) noexcept {
  void* const memory = allocate(size, alignment);
  if (memory == nullptr) std::abort();
  return memory;
}

/// How often `f` asks for memory.
template <class F>
std::size_t allocations(F&& f) {
  const std::size_t before = allocation_count;
  f();
  return allocation_count - before;
}

}  // namespace

void* operator new(std::size_t n) { return allocate_or_end(n); }
void* operator new[](std::size_t n) { return allocate_or_end(n); }
void* operator new(std::size_t n, std::align_val_t a) {
  return allocate_or_end(n, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t n, std::align_val_t a) {
  return allocate_or_end(n, static_cast<std::size_t>(a));
}
void* operator new(std::size_t n, const std::nothrow_t&) noexcept { return allocate(n, 1); }
void* operator new[](std::size_t n, const std::nothrow_t&) noexcept { return allocate(n, 1); }
void* operator new(std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
  return allocate(n, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
  return allocate(n, static_cast<std::size_t>(a));
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

TEST_CASE("the counter counts") {
  CHECK(allocations([] {}) == 0);
  // Volatile, as a compiler may leave out an allocation that nobody sees.
  const auto make = []<class T>() {
    T* volatile made = new T;
    delete made;
  };
  CHECK(allocations([&] { make.operator()<int>(); }) == 1);
  CHECK(allocations([] { std::string(1000, 'x').append("y"); }) >= 1);
  struct alignas(64) wide {
    char bytes[64];
  };
  CHECK(allocations([&] { make.operator()<wide>(); }) == 1);
}

TEST_CASE("planning, refusing and writing allocate nothing") {
  const auto catalog = codemode::catalog::parse(test::office_tools);
  REQUIRE(catalog);
  const std::vector<std::string> instructions = test::instructions();
  codemode::planner planner;
  std::array<char, 16384> buffer{};

  // No warm-up: a planner has all of its memory when it is made.
  std::size_t plans = 0, refusals = 0;
  for (const float threshold : {0.0F, 1.0F})
    for (const bool explain : {false, true})
      for (const std::string& instruction : instructions) {
        CAPTURE(instruction);
        bool written = true;
        const std::size_t count = allocations([&] {
          const auto plan = planner.plan(instruction, *catalog, {.threshold = threshold, .explain = explain});
          if (plan) {
            ++plans;
            written = codemode::write_json(*plan, std::span{buffer}).has_value() &&
                      codemode::write_javascript(*plan, std::span{buffer}).has_value();
          } else {
            ++refusals;
            codemode::buffer_sink sink{buffer};
            codemode::write_message(plan.error(), sink);
            written = sink.finish().has_value();
          }
        });
        CHECK(written);
        CHECK(count == 0);
      }
  CHECK(plans >= 10);
  CHECK(refusals >= 40);
}

TEST_CASE("refusing allocates nothing, whatever the reason") {
  // What the frontend refuses, and bytes that are no text.
  const auto catalog = codemode::catalog::parse(test::office_tools);
  REQUIRE(catalog);
  codemode::planner planner;
  std::array<char, 4096> buffer{};
  std::set<codemode::errc> codes;
  const auto refuse = [&](auto&& plan) {
    bool written = false;
    codemode::errc code{};
    const std::size_t count = allocations([&] {
      const auto answer = plan();
      if (answer) return;
      code = answer.error().code;
      codemode::buffer_sink sink{buffer};
      codemode::write_message(answer.error(), sink);
      written = sink.finish().has_value();
    });
    CHECK(written);
    CHECK(count == 0);
    codes.insert(code);
  };
  const std::string long_text = [] {
    std::string s;
    for (int i = 0; i < 200; ++i) s += "get_user ";
    return s;
  }();
  for (const std::string_view text :
       {std::string_view{"\xFF"}, std::string_view{"get_user \""}, std::string_view{"get_user 007"},
        std::string_view{"hello"}, std::string_view{long_text}})
    for (const bool explain : {false, true})
      refuse([&] { return planner.plan(text, *catalog, {.explain = explain}); });

  // What the decoder refuses, told by a network that was written by hand.
  using codemode::errc;
  using codemode::value_type;
  fixture::tools tools;
  tools.add("go", {{"x", value_type::number, true}, {"s", value_type::string, false}}).add("stop", {});
  for (std::size_t c = 1; c < codemode::class_count; ++c) {
    fixture::script s(tools, "go x 5 now");
    s.call("go").give("5", "x", "go").refuse(codemode::class_codes[c], "now");
    refuse([&] { return s.run(1); });
  }
  fixture::script doubtful(tools, "go x 5");
  doubtful.call("go").give("5", "x", "go");
  refuse([&] { return doubtful.run(1); });

  for (const errc code :
       {errc::invalid_record, errc::too_long, errc::bad_string, errc::bad_number, errc::no_call,
        errc::too_many_calls, errc::missing_argument, errc::missing_value, errc::unknown_argument,
        errc::duplicate_argument, errc::type_mismatch, errc::unattached_value, errc::unsupported_dependency,
        errc::unsupported_condition, errc::unsupported_loop, errc::unsupported_schedule,
        errc::unsupported_shaping, errc::ambiguous, errc::low_confidence}) {
    CAPTURE(to_string(code));
    CHECK(codes.contains(code));
  }
}

TEST_CASE("reading records allocates nothing once the longest is known") {
  std::vector<std::string> lines;
  for (std::string_view instruction : test::instructions()) {
    std::string json;
    for (const char c : instruction) {
      if (c == '"' || c == '\\') json += '\\';
      if (c == '\t') json += "\\t";
      else if (c == '\n') json += "\\n";
      else json += c;
    }
    std::string tools{test::office_tools};
    std::erase(tools, '\n');
    lines.push_back("{\"id\":1,\"instruction\":\"" + json + "\",\"tools\":" + tools + "}");
  }
  lines.emplace_back("");
  lines.emplace_back("nonsense");
  lines.emplace_back("{\"id\":\"a\"}");
  lines.emplace_back("{\"id\":\"a\",\"id\":\"a\"}");
  lines.emplace_back(
      R"({"instruction":"x","tools":[{"name":"a b","arguments":{},"required":[],"returns":{"kind":"text"}}]})");
  lines.emplace_back(R"({"x":)" + std::string(500, '[') + std::string(500, ']') + "}");
  lines.emplace_back(R"({"instruction":"\ud800","tools":[]})");

  codemode::record record;
  codemode::planner planner;
  for (const std::string& line : lines) (void)record.assign(line);
  std::size_t good = 0;
  for (int round = 0; round < 2; ++round)
    for (const std::string& line : lines) {
      CAPTURE(line);
      const std::size_t count = allocations([&] {
        if (record.assign(line)) return;
        ++good;
        (void)planner.plan(record.instruction(), record.tools());
      });
      CHECK(count == 0);
    }
  CHECK(good >= 60);
}
