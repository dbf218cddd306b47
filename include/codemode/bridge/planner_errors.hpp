#pragma once

/// @file
/// Refusals of the planner as errors of the agent contract, and errors of the contract as failures of a tool in a
/// prompt loop.

#include <codemode/contract/errors.hpp>
#include <codemode/contract/types.hpp>
#include <codemode/diagnostic.hpp>
#include <codemode/result.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace codemode {
inline namespace v0_1 {
namespace bridge {

namespace detail {

/// What to do about a refusal. The planner is deterministic: the same instruction is refused again.
[[nodiscard]] constexpr std::string_view planner_advice(errc code) noexcept {
  switch (code) {
    case errc::invalid_json:
    case errc::invalid_record:
    case errc::invalid_catalog:
    case errc::invalid_plan:
      return "Do not retry unchanged: correct the input that the message names and plan again, or use callTool for each step.";
    case errc::buffer_too_small:
    case errc::bad_weights:
      return "Do not retry. Report this failure to the user; use findTool and callTool for each step meanwhile.";
    case errc::no_call:
      return "Do not retry unchanged: name a tool of the catalog in the instruction; use findTool to see which there are.";
    case errc::too_long:
    case errc::too_many_calls:
      return "Do not retry unchanged: split the instruction into shorter ones of at most three calls, and plan each; never send the same text again.";
    case errc::unsupported_dependency:
    case errc::unsupported_condition:
    case errc::unsupported_loop:
    case errc::unsupported_schedule:
    case errc::unsupported_shaping:
      return "Do not retry unchanged: a plan cannot do this. Use callTool step by step and decide between the steps, or plan only the part without it.";
    case errc::ambiguous:
    case errc::low_confidence:
      return "Do not retry unchanged: say in the instruction which tool gets which value, each argument by its name, or ask the user what is meant.";
    default:
      return "Do not retry unchanged: correct in the instruction exactly what the message names, check the arguments with describeTool, and plan again.";
  }
}

}  // namespace detail

/// A refusal of the planner. Type `ARGUMENT_VALIDATION_FAILED`, never retryable; the message is that of
/// `write_message`, led by the code.
[[nodiscard]] inline contract::error to_error(const diagnostic& d) {
  contract::error e;
  e.type = contract::error_invalid_arguments;
  e.message = std::string(to_string(d.code)) + ": ";
  write_message(d, e.message);
  e.agent_instruction = detail::planner_advice(d.code);
  return e;
}

/// An error of the contract as one text for a model in a prompt loop: what happened, and what to do.
[[nodiscard]] inline std::string to_tool_error(const contract::error& e) {
  std::string text = contract::to_line(e);
  if (!e.agent_instruction.empty()) text += "\n" + e.agent_instruction;
  return text;
}

}  // namespace bridge
}  // namespace v0_1
}  // namespace codemode
