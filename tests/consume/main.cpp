// A user's program, the same for every way in: it plans, compiles to JavaScript and looks at the answer.
#ifndef CODEMODE_CONSUMER_HAS_HEADER
#include <codemode/catalog.hpp>
#include <codemode/javascript.hpp>
#include <codemode/planner.hpp>
#endif

#include <array>
#include <cstdio>
#include <string_view>

int main() {
  const auto tools = codemode::catalog::parse(
      R"([{"name":"get_user","arguments":{"id":"number"},"required":["id"],"returns":{"kind":"object"}}])");
  if (!tools) return 1;
  codemode::planner planner;
  const auto plan = planner.plan("Call get_user with id 7.", *tools);
  if (!plan) return 2;
  std::array<char, 4096> buffer{};
  const auto code = codemode::write_javascript(*plan, buffer);
  if (!code || code->find(R"(tools["get_user"])") == std::string_view::npos) return 3;
  std::fwrite(code->data(), 1, code->size(), stdout);
}
