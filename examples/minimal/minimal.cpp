// The smallest host: a catalog, an instruction, the plan as JavaScript.

#include <codemode/catalog.hpp>
#include <codemode/javascript.hpp>
#include <codemode/planner.hpp>

#include <cstdio>
#include <string>

int main() {
  const auto tools = codemode::catalog::parse(R"([{"name": "get_weather", "arguments": {"city": "string"},
      "required": ["city"], "returns": {"kind": "object", "properties": ["temperature"]}}])");
  if (!tools) return 1;

  codemode::planner planner;
  const auto plan = planner.plan(R"(Call get_weather for city "Paris".)", *tools);
  if (!plan) return 1;

  std::string code;
  codemode::write_javascript(*plan, code);
  std::puts(code.c_str());
}
