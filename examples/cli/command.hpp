#pragma once

#include <span>
#include <string_view>

namespace cli {

/// What the program ends with.
enum exit_code : int {
  exit_done = 0,    ///< every line was answered
  exit_usage = 2,   ///< the command line is wrong
  exit_failure = 3  ///< the input cannot be read or the output cannot be written
};

/// One subcommand. `run` gets the arguments after the subcommand's name.
struct command {
  std::string_view name;
  std::string_view summary;
  exit_code (*run)(std::span<const std::string_view> arguments);
};

exit_code run_plan(std::span<const std::string_view> arguments);
exit_code run_schema(std::span<const std::string_view> arguments);
exit_code run_prompt(std::span<const std::string_view> arguments);
exit_code run_contract(std::span<const std::string_view> arguments);
exit_code run_find(std::span<const std::string_view> arguments);
exit_code run_call(std::span<const std::string_view> arguments);

}  // namespace cli
