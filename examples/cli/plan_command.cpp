// codemode plan: a JSONL file of records in, one answer a line out.

#include "answer_pool.hpp"
#include "arguments.hpp"
#include "command.hpp"
#include "io.hpp"
#include "progress.hpp"

#include <codemode/javascript.hpp>
#include <codemode/planner.hpp>
#include <codemode/weights.hpp>

#include <unistd.h>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cli {
namespace {

constexpr std::string_view help =
    R"(usage: codemode plan [OPTIONS] [FILE]

Reads records, one JSON object a line, from FILE or from standard input (no FILE, or -):

  {"id": 1, "instruction": "Call get_user with id 7.", "tools": [{"name": "get_user",
   "arguments": {"id": "number"}, "required": ["id"], "returns": {"kind": "object"}}]}

and writes one JSON answer a line in the same order, also for lines that are blank or malformed:

  {"id":1,"plan":{"mode":"single","calls":[...],"output":{"kind":"last"}}}
  {"id":2,"diagnostic":"...","code":"missing_argument"}

options:
  --js              add the member js: the body of an async JavaScript function that runs the plan
  --call-style S    how the JavaScript calls a tool, with a name of your own:
                      tools[]    tools["get_user"](...), the default
                      codemode.  codemode.get_user(...)
                      external_  external_get_user(...)
  --threshold P     refuse plans below this confidence, from 0 to 1, with the code low_confidence
  --explain[=FORM]  show tokens with their roles, links and probabilities: text (the default, on standard
                    error) or json (as the member explain of each answer)
  --weights FILE    use the network of FILE instead of the one inside the program
  --jobs N          plan on N threads, from 1 to 256; the answers are the same
  --help            show this
)";

enum : unsigned { most_jobs = 256 };

constexpr std::array options{
    option{"--js"},
    option{"--call-style", option::value},
    option{"--threshold", option::value},
    option{"--explain", option::optional_value},
    option{"--weights", option::value},
    option{"--jobs", option::value},
    option{"--help"},
    option{"-h"},
};

struct command_line {
  plan_settings settings{};
  std::string file = "-";
  std::string weights_file{};
  unsigned jobs = 1;
  bool help = false;
};

/// Prints `codemode plan: ` and the parts.
void complain(std::initializer_list<std::string_view> parts) {
  output err{STDERR_FILENO};
  err.append("codemode plan: ");
  for (const std::string_view part : parts) err.append(part);
  err.append("\n");
  err.flush();
}

/// Fills `line`; false after a complaint.
bool parse(std::span<const std::string_view> arguments, command_line& line) {
  argument_reader reader{arguments, options};
  bool has_file = false;
  for (;;) {
    const argument a = reader.next();
    switch (a.what) {
      case argument::end:
        return true;
      case argument::operand:
        if (has_file) {
          complain({"one FILE at a time, please; '", a.text,
                    "' is a second. Join files with cat: cat A B | codemode plan"});
          return false;
        }
        has_file = true;
        line.file = a.text;
        break;
      case argument::unknown:
        if (a.name.empty())
          complain({"there is no option '", a.text, "'; 'codemode plan --help' lists them"});
        else complain({"there is no option '", a.text, "'; did you mean ", a.name, "?"});
        return false;
      case argument::missing_value:
        complain({a.name, " needs a value, as in ",
                  a.name == "--threshold" ? "--threshold 0.8"
                  : a.name == "--jobs"    ? "--jobs 4"
                  : a.name == "--weights" ? "--weights my.weights"
                                          : "--call-style codemode."});
        return false;
      case argument::excess_value:
        complain({a.name, " takes no value; write ", a.name, " alone"});
        return false;
      case argument::known:
        if (a.name == "--help" || a.name == "-h") {
          line.help = true;
          return true;
        } else if (a.name == "--js") {
          line.settings.javascript = true;
        } else if (a.name == "--threshold") {
          const auto p = parse_number<float>(a.text, 0.0F, 1.0F);
          if (!p) {
            complain({"--threshold takes a number from 0 to 1, as in --threshold 0.8, not '", a.text, "'"});
            return false;
          }
          line.settings.planning.threshold = *p;
        } else if (a.name == "--explain") {
          if (a.has_value && a.text != "text" && a.text != "json") {
            complain({"--explain takes text or json, as in --explain=json, not '", a.text, "'"});
            return false;
          }
          line.settings.explain = a.text == "json" ? explain_form::json : explain_form::text;
          line.settings.planning.explain = true;
        } else if (a.name == "--call-style") {
          const auto style = codemode::parse_call_style(a.text);
          if (!style) {
            complain({"--call-style '", a.text, "' cannot be used: ", style.error().what});
            return false;
          }
          line.settings.javascript_style.style = *style;
        } else if (a.name == "--weights") {
          line.weights_file = a.text;
        } else if (a.name == "--jobs") {
          const auto n = parse_number<unsigned>(a.text, 1, most_jobs);
          if (!n) {
            complain({"--jobs takes a number of threads from 1 to 256, as in --jobs 4, not '", a.text, "'"});
            return false;
          }
          line.jobs = *n;
        }
    }
  }
}

/// Says that `file` cannot be read, with the reason that errno has.
exit_code cannot_read(std::string_view file) {
  complain({"cannot read ", file == "-" ? "standard input" : file, ": ", std::strerror(errno)});
  return exit_failure;
}

/// All bytes of a file; false with errno.
bool read_file(const char* path, std::vector<std::byte>& bytes) {
  input_file file;
  if (!file.open(path)) return false;
  std::size_t used = 0;
  for (;;) {
    if (used == bytes.size()) bytes.resize(used == 0 ? std::size_t{1} << 20U : used * 2);
    const ::ssize_t n = ::read(file.descriptor(), bytes.data() + used, bytes.size() - used);
    if (n == 0) break;
    if (n < 0 && errno != EINTR) return false;
    if (n > 0) used += static_cast<std::size_t>(n);
  }
  bytes.resize(used);
  return true;
}

/// Answers every line of `file`.
exit_code answer_all(const char* file, const plan_settings& settings, unsigned jobs) {
  input_file input;
  if (!input.open(file)) return cannot_read(file);
  line_reader reader{input.descriptor()};
  answer_pool pool{settings, jobs};
  output out{STDOUT_FILENO};
  output err{STDERR_FILENO};
  progress shown;
  std::vector<std::string_view> batch;
  std::size_t lines = 0;

  exit_code code = exit_done;
  for (bool more = true; more && code == exit_done;) {
    switch (reader.fill()) {
      case line_reader::status::lines:
        break;
      case line_reader::status::end:
        more = false;
        break;
      case line_reader::status::failed:
        code = cannot_read(file);
        break;
      case line_reader::status::no_memory:
        complain({"line ", std::to_string(lines + 1), " is longer than memory allows"});
        code = exit_failure;
        break;
    }
    if (!more || code != exit_done) break;
    for (bool filled = true; filled && out.error() == 0;) {
      batch.clear();
      std::string_view line;
      while (batch.size() < pool.batch_size() && (filled = reader.next(line))) batch.push_back(line);
      if (batch.empty()) break;
      for (const answer& a : pool.run(batch, lines + 1)) {
        out.append(a.line);
        err.append(a.explanation);
      }
      lines += batch.size();
      shown.update(lines, reader.bytes_read());
    }
    // What can be answered is on its way before the next read waits.
    err.flush();
    if (!out.flush()) break;
  }
  if (!out.close()) {
    complain({"cannot write the answers: ", std::strerror(out.error())});
    return exit_failure;
  }
  return code;
}

}  // namespace

exit_code run_plan(std::span<const std::string_view> arguments) {
  command_line line;
  if (!parse(arguments, line)) return exit_usage;
  if (line.help) {
    output out{STDOUT_FILENO};
    out.append(help);
    if (out.close()) return exit_done;
    complain({"cannot write the output: ", std::strerror(out.error())});
    return exit_failure;
  }
  line.settings.colour = ::isatty(STDERR_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr;

  std::optional<codemode::weights> weights;
  std::vector<std::byte> bytes;
  if (!line.weights_file.empty()) {
    if (!read_file(line.weights_file.c_str(), bytes)) return cannot_read(line.weights_file);
    auto parsed = codemode::weights::parse(bytes);
    if (!parsed) {
      std::string message;
      codemode::write_message(parsed.error(), message);
      complain({line.weights_file, ": ", message});
      return exit_failure;
    }
    weights.emplace(std::move(*parsed));
    line.settings.weights = &*weights;
  }
  return answer_all(line.file.c_str(), line.settings, line.jobs);
}

}  // namespace cli
