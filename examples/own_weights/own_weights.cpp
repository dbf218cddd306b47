// Weights of your own: bytes from a file, checked, shared by as many planners as you like.
//
//   own_weights FILE INSTRUCTION

#include <codemode/catalog.hpp>
#include <codemode/diagnostic.hpp>
#include <codemode/plan_json.hpp>
#include <codemode/planner.hpp>
#include <codemode/weights.hpp>

#include <cstddef>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <span>
#include <string>

namespace {

int complain(const codemode::diagnostic& reason) {
  std::string message;
  codemode::write_message(reason, message);
  std::fprintf(stderr, "%s\n", message.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: own_weights FILE INSTRUCTION\n", stderr);
    return 2;
  }
  // The library opens no files; bytes may come from anywhere and may go after parse.
  std::ifstream file{argv[1], std::ios::binary};
  const std::string bytes{std::istreambuf_iterator<char>{file}, {}};
  const auto weights = codemode::weights::parse(std::as_bytes(std::span{bytes}));
  if (!weights) return complain(weights.error());

  const auto tools = codemode::catalog::parse(R"([{"name": "get_weather", "arguments": {"city": "string"},
      "required": ["city"], "returns": {"kind": "object", "properties": ["temperature"]}}])");
  if (!tools) return complain(tools.error());

  codemode::planner planner{*weights};  // the weights must outlive it
  const auto plan = planner.plan(argv[2], *tools);
  if (!plan) return complain(plan.error());

  std::string json;
  codemode::write_json(*plan, json);
  std::puts(json.c_str());
}
