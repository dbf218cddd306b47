// codemode prompt render | run: templates and scripted runs, one JSON line each.

#include "command.hpp"
#include "io.hpp"
#include "prompt_render.hpp"
#include "prompt_scenario.hpp"

#include <codemode/json/parse_value.hpp>

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <unistd.h>

namespace cli {
namespace {

constexpr std::string_view help =
    R"(usage: codemode prompt render [FILE]
       codemode prompt run [FILE]

Reads JSON lines from FILE or from standard input (no FILE, or -) and writes one answer a line.

  render  {"id": 1, "template": "Hi {{name}}", "data": {"name": "Ada"}} gives {"id":1,"text":"Hi Ada"} or an
          error with line and column. Also taken: partials (name to text), escape (true), and helpers (names
          of the test helpers upper, join, eq, add, hash, nothing, verbatim, wrap, times, choose).
  run     plays a scripted run, in which the line is the model, the tools and the hooks, and gives
          {"id", "status", "result", "error", "events", "messages", "requests", "toolRuns", "usage", ...}.
)";

exit_code complain(std::string_view a, std::string_view b, exit_code code) {
  output err{STDERR_FILENO};
  err.append("codemode prompt: ");
  err.append(a);
  err.append(b);
  err.append("\n");
  err.flush();
  return code;
}

using line_function = codemode::json::value (*)(const codemode::json::value&);

exit_code answer_lines(const std::string& file, line_function answer) {
  using codemode::json::value;
  input_file input;
  if (!input.open(file.c_str())) return complain(file + ": ", std::strerror(errno), exit_failure);
  line_reader lines{input.descriptor()};
  codemode::json::reader json;
  output out{STDOUT_FILENO};
  for (;;) {
    const auto status = lines.fill();
    if (status == line_reader::status::failed) return complain("cannot read: ", std::strerror(errno), exit_failure);
    if (status == line_reader::status::no_memory) return complain("a line is longer than memory allows", "", exit_failure);
    if (status == line_reader::status::end) break;
    for (std::string_view line; lines.next(line);) {
      value reply = value::make_object();
      const auto parsed = codemode::json::parse_value(line, json);
      if (!parsed) {
        reply.set("error", value::make_object({{"kind", "input"}, {"message", parsed.error().what}}));
      } else {
        if (const value* id = parsed->find("id")) reply.set("id", *id);
        const value fields = answer(*parsed);
        for (const auto& m : fields.members()) reply.set(m.name, m.value);
      }
      codemode::json::append_json(out, reply);
      out.append("\n");
    }
    if (!out.flush()) break;
  }
  if (!out.close()) return complain("cannot write the answers: ", std::strerror(out.error()), exit_failure);
  return exit_done;
}

}  // namespace

exit_code run_prompt(std::span<const std::string_view> arguments) {
  const std::string_view verb = arguments.empty() ? std::string_view{} : arguments.front();
  if (verb == "--help" || verb == "-h") {
    output out{STDOUT_FILENO};
    out.append(help);
    return out.close() ? exit_done : exit_failure;
  }
  const std::string file{arguments.size() > 1 ? arguments[1] : std::string_view{"-"}};
  if (arguments.size() > 2) return complain("one FILE at a time, please; not also ", arguments[2], exit_usage);
  if (verb == "render") return answer_lines(file, render_line);
  if (verb == "run") return answer_lines(file, run_scenario_line);
  return complain("say render or run; see codemode prompt --help", "", exit_usage);
}

}  // namespace cli
