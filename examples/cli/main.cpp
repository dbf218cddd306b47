// codemode: the library's command line. Each subcommand has a file of its own; this one picks it.

#include "arguments.hpp"
#include "command.hpp"
#include "io.hpp"

#include <codemode/config.hpp>

#include <unistd.h>
#include <array>
#include <csignal>
#include <cstring>
#include <vector>

namespace {

constexpr std::array commands{
    cli::command{"plan", "answer JSONL records of instruction and tools with plans", cli::run_plan},
    cli::command{"schema", "bring tool schemas into providers' dialects, and answers back", cli::run_schema},
    cli::command{"contract", "write values of the agent contract as JSON or text", cli::run_contract},
    cli::command{"prompt", "render prompt templates and play scripted prompt runs", cli::run_prompt},
    cli::command{"find", "find the tool that fits a query", cli::run_find},
    cli::command{"call", "answer calls of tools against scripted servers", cli::run_call},
};

void write_help(cli::output& out) {
  out.append(
      "codemode turns English instructions that name tools into validated plans and JavaScript.\n"
      "\n"
      "usage: codemode COMMAND [ARGUMENTS]\n"
      "       codemode --help | --version\n"
      "\n"
      "commands:\n");
  for (const cli::command& c : commands) {
    out.append("  ");
    out.append(c.name);
    for (std::size_t i = c.name.size(); i < 10; ++i) out.append(" ");
    out.append(c.summary);
    out.append("\n");
  }
  out.append("\n'codemode COMMAND --help' tells more about each.\n");
}

cli::exit_code usage_error(std::string_view message, std::string_view word) {
  cli::output err{STDERR_FILENO};
  err.append("codemode: ");
  err.append(message);
  if (!word.empty()) {
    err.append(" '");
    err.append(word);
    err.append("'");
    for (const cli::command& c : commands)
      if (cli::edit_distance(c.name, word) < 3) {
        err.append("; did you mean '");
        err.append(c.name);
        err.append("'?");
      }
  }
  err.append("\nTry 'codemode --help'.\n");
  err.flush();
  return cli::exit_usage;
}

/// Ends a command that only prints.
cli::exit_code finish(cli::output& out) {
  if (out.close()) return cli::exit_done;
  cli::output err{STDERR_FILENO};
  err.append("codemode: cannot write the output: ");
  err.append(std::strerror(out.error()));
  err.append("\n");
  err.flush();
  return cli::exit_failure;
}

}  // namespace

int main(int argc, char** argv) {
  // A reader that goes away is an error of write(), not a death without a word.
  std::signal(SIGPIPE, SIG_IGN);

  const std::vector<std::string_view> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  if (arguments.empty()) return usage_error("say what to do, for example 'codemode plan records.jsonl'", {});

  const std::string_view word = arguments.front();
  if (word == "--help" || word == "-h" || word == "help") {
    cli::output out{STDOUT_FILENO};
    write_help(out);
    return finish(out);
  }
  if (word == "--version") {
    cli::output out{STDOUT_FILENO};
    out.append("codemode " CODEMODE_VERSION_STRING "\n");
    return finish(out);
  }
  for (const cli::command& c : commands)
    if (c.name == word) return c.run(std::span{arguments}.subspan(1));
  return usage_error(word.starts_with('-') ? "there is no option" : "there is no command", word);
}
