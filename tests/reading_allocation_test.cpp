// Counts every allocation of the program: reading must not make any once it has met its largest input.

#include <codemode/catalog.hpp>
#include <codemode/diagnostic.hpp>
#include <codemode/record.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>
#include <vector>

namespace {
std::size_t allocations = 0;

void* allocate(std::size_t size) noexcept {
  ++allocations;
  return std::malloc(size == 0 ? 1 : size);
}
}  // namespace

void* operator new(std::size_t size) {
  void* p = allocate(size);
  if (p == nullptr) std::abort();
  return p;
}
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }

namespace {

std::string tool(std::string_view name) {
  std::string s = R"({"name":")";
  return s.append(name).append(
      R"(","arguments":{"te\u0061m":"string","page":"number"},"required":["team"],"returns":{"kind":"array","properties":["id","\u006eame"]}})");
}

}  // namespace

TEST_CASE("a record allocates nothing once warm, refusals included") {
  const std::string one = R"({"id":1,"instruction":"call \"a\" \u00e9","tools":[)" + tool("a") + "]}";
  const std::string three = R"({"instruction":"call b","tools":[)" + tool("a") + "," + tool("b") + "," +
                            tool("c") + R"(],"x":[[1]]})";
  const std::vector<std::string> lines{
      three,
      one,
      "",
      "{\"instruction\":\"\xFF\"}",
      one.substr(0, one.size() - 1),
      R"({"instruction":"\ud800","tools":[)" + tool("a") + "]}",
      R"({"instruction":"x","tools":[)" + tool("a") + "," + tool("a") + "]}",
      R"({"id":5,"instruction":"x","tools":[]})",
      R"({"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1,"k":1,"l":1,"m":1,"m":1})"};
  codemode::record r;
  std::array<char, 1024> buffer{};
  std::size_t accepted = 0;
  const auto pass = [&] {
    for (const std::string& line : lines) {
      if (const auto bad = r.assign(line)) {
        codemode::buffer_sink sink(buffer);
        write_message(*bad, sink);
      } else {
        ++accepted;
      }
    }
  };
  pass();
  CHECK(allocations > 0);  // the counter counts
  const std::size_t before = allocations;
  for (int i = 0; i < 100; ++i) pass();
  const std::size_t after = allocations;
  CHECK(after == before);
  CHECK(accepted == 2 * 101);
}

TEST_CASE("a catalog that takes text after text allocates nothing once warm") {
  const std::string one = "[" + tool("a") + "]";
  const std::string two = "[" + tool("a") + "," + tool("b") + "]";
  codemode::json::reader reader;
  codemode::catalog c;
  bool fine = !c.assign(two, reader) && !c.assign(one, reader) && c.assign("[]", reader);
  const std::size_t before = allocations;
  for (int i = 0; i < 100; ++i)
    fine = fine && !c.assign(two, reader) && !c.assign(one, reader) && c.assign("[]", reader);
  const std::size_t after = allocations;
  CHECK(fine);
  CHECK(after == before);
}
