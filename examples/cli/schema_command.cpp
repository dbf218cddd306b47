// codemode schema VERB: tool schemas in providers' dialects, as JSONL filters and over plain files.

#include "arguments.hpp"
#include "command.hpp"
#include "io.hpp"
#include "jsonl.hpp"
#include "schema_answers.hpp"

#include <codemode/schema/tool_list.hpp>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cli {
namespace {

constexpr std::string_view usage =
    "usage: codemode schema VERB [FILE]\n"
    "       codemode schema emit --dialect ID FILE\n"
    "       codemode schema lint --dialect ID|--all FILE\n"
    "\n"
    "Without --dialect, reads JSON Lines and answers each:\n"
    "  emit         {source, descriptor, use?, options?} -> {schema, losses, sendable}\n"
    "  decode       {source, descriptor, use?, wire} -> {value, valid, errors}\n"
    "  analyze      {source} -> {features, sizeProblems, sent}\n"
    "  express      {source, descriptor, use} -> {expressible, reasons}\n"
    "  budget       {tool, output, steps} -> {descriptors, reasons, remaining}\n"
    "  parse        {source, descriptor?, args, maxArgsLength?} -> {value or error, repair?}\n"
    "  consistency  {descriptor} -> {problems}\n"
    "  lint         {source or tools, descriptor} -> {findings}\n"
    "A descriptor is an id or {\"base\": id, \"set\": {field: value}}.\n"
    "\n"
    "With --dialect, FILE is one JSON text: a list of tools as MCP, OpenAI, Anthropic or Google\n"
    "have it, or one schema. emit writes one schema a line, lint a table.\n"
    "\n"
    "dialects: lenient openai-strict openai-non-strict anthropic-strict anthropic-non-strict\n"
    "          google-strict google-non-strict google-openapi xai-strict xai-non-strict\n";

exit_code misuse() {
  output err{STDERR_FILENO};
  err.append(usage);
  err.flush();
  return exit_usage;
}

bool read_all(const char* path, std::string& text) {
  input_file file;
  if (!file.open(path)) return false;
  std::size_t used = 0;
  for (;;) {
    if (used == text.size()) text.resize(used == 0 ? std::size_t{1} << 16U : used * 2);
    const ::ssize_t n = ::read(file.descriptor(), text.data() + used, text.size() - used);
    if (n == 0) break;
    if (n < 0 && errno != EINTR) return false;
    if (n > 0) used += static_cast<std::size_t>(n);
  }
  text.resize(used);
  return true;
}

/// A tool of the file, or the whole file as one.
struct file_tool {
  std::string name;
  json::element source;
};

std::vector<file_tool> tools_of(const json::element& root) {
  std::vector<file_tool> out;
  for (const schema::listed_tool& t : schema::read_tool_list(root))
    if (t.input) out.push_back({t.name, *t.input});
  if (out.empty() && (root.is_object() || root.kind() == json::kind::boolean)) out.push_back({"schema", root});
  return out;
}

void emit_tool(const file_tool& t, const schema::descriptor& d, schema::workspace& work, output& out) {
  std::string line;
  json_writer w{line};
  w.open('{');
  w.member("name", t.name);
  const auto tree = schema::import_schema(t.source);
  if (!tree) {
    w.key("error");
    w.open('{');
    w.member("kind", to_string(tree.error().code));
    w.member("pointer", tree.error().pointer);
    w.member("message", tree.error().what);
    w.close('}');
  } else {
    const schema::emission e = schema::emit(*tree, d, work);
    if (e) {
      w.key("schema");
      e.write(w.value());
      w.key("losses");
      w.open('[');
      for (const schema::named_loss& x : e.losses()) {
        w.open('{');
        w.member("path", x.pointer);
        w.member("keyword", x.keyword);
        w.member("action", to_string(x.done));
        w.close('}');
      }
      w.close(']');
    }
    w.key("sendable");
    w.boolean(schema::reasons_against(work, false).empty());
  }
  w.close('}');
  line.push_back('\n');
  out.append(line);
}

void pad(std::string& line, std::size_t width) {
  while (line.size() < width) line.push_back(' ');
  line.push_back(' ');
}

void lint_tool(const file_tool& t, const schema::descriptor& d, schema::workspace& work, output& out) {
  const auto tree = schema::import_schema(t.source);
  if (!tree) {
    std::string line = t.name + ": ";
    line.append(tree.error().what);
    line.push_back('\n');
    out.append(line);
    return;
  }
  for (const schema::finding& f : schema::lint(*tree, d, work)) {
    std::string line = t.name;
    pad(line, 24);
    std::string next{d.id.view()};
    pad(next, 20);
    line += next;
    next = std::string{to_string(f.done)};
    pad(next, 9);
    line += next;
    next = std::string{to_string(f.code)};
    pad(next, 24);
    line += next;
    line += f.pointer.empty() ? "(root)" : f.pointer;
    line += "  " + f.subject + "\n";
    out.append(line);
  }
}

exit_code run_on_file(bool lints, const std::vector<const schema::descriptor*>& dialects, const std::string& path) {
  std::string text;
  if (!read_all(path.c_str(), text)) return fail("cannot read ", path);
  json::reader reader;
  const auto read = reader.read(text);
  if (!read) return fail("the file is no JSON: ", read.error().what);
  const std::vector<file_tool> tools = tools_of(read->root());
  if (tools.empty()) return fail("there is neither a list of tools nor a schema in ", path);
  schema::workspace work;
  output out{STDOUT_FILENO};
  for (const file_tool& t : tools)
    for (const schema::descriptor* d : dialects) {
      if (lints) lint_tool(t, *d, work, out);
      else emit_tool(t, *d, work, out);
    }
  return out.flush() ? exit_done : exit_failure;
}

}  // namespace

exit_code run_schema(std::span<const std::string_view> arguments) {
  std::vector<std::string_view> operands;
  std::vector<const schema::descriptor*> dialects;
  argument_reader reader{arguments, std::array{option{"--help"}, option{"--all"}, option{"--dialect", option::value}}};
  for (argument a = reader.next(); a.what != argument::end; a = reader.next()) {
    if (a.what == argument::operand) {
      operands.push_back(a.text);
    } else if (a.what == argument::known && a.name == "--help") {
      output out{STDOUT_FILENO};
      out.append(usage);
      return out.flush() ? exit_done : exit_failure;
    } else if (a.what == argument::known && a.name == "--all") {
      dialects.assign(schema::built_in_dialects.begin(), schema::built_in_dialects.end());
    } else if (a.what == argument::known) {
      const schema::descriptor* const d = schema::find_built_in(a.text);
      if (d == nullptr) return misuse();
      dialects.push_back(d);
    } else {
      return misuse();
    }
  }
  if (operands.empty() || operands.size() > 2 || !schema_answers::knows(operands[0])) return misuse();
  const std::string path{operands.size() == 2 ? operands[1] : std::string_view{"-"}};
  if (!dialects.empty()) {
    if (operands[0] != "emit" && operands[0] != "lint") return misuse();
    return run_on_file(operands[0] == "lint", dialects, path);
  }
  input_file input;
  if (!input.open(path.c_str())) return fail("cannot read ", path);
  line_reader lines{input.descriptor()};
  output out{STDOUT_FILENO};
  schema_answers answers;
  std::string reply;
  for (;;) {
    const line_reader::status s = lines.fill();
    if (s == line_reader::status::end) break;
    if (s != line_reader::status::lines) return fail("cannot read ", path);
    for (std::string_view line; lines.next(line);) {
      reply.clear();
      answers.answer(operands[0], line, reply);
      reply.push_back('\n');
      out.append(reply);
    }
    if (!out.flush()) return exit_failure;
  }
  return out.flush() ? exit_done : exit_failure;
}

}  // namespace cli
