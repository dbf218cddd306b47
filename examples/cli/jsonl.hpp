#pragma once

// Subcommands that answer JSON Lines one by one: an object in, an object out, with the same `id`.

#include "command.hpp"
#include "io.hpp"

#include <codemode/diagnostic.hpp>
#include <codemode/json/document.hpp>
#include <codemode/json/reader.hpp>
#include <codemode/text/json_text.hpp>

#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <unistd.h>

namespace cli {

/// The member `name` of an object, if it is there and not null.
[[nodiscard]] inline std::optional<codemode::json::element> member_of(const codemode::json::element& object,
                                                                      std::string_view name) {
  if (!object.is_object()) return std::nullopt;
  const auto found = object.find(name);
  if (!found || found->kind() == codemode::json::kind::null) return std::nullopt;
  return found;
}

/// A string member, decoded, or `otherwise`.
[[nodiscard]] inline std::string string_of(const codemode::json::element& object, std::string_view name,
                                           std::string_view otherwise = {}) {
  std::string text{otherwise};
  if (const auto found = member_of(object, name); found && found->is_string()) {
    text.clear();
    found->decode(text);
  }
  return text;
}

[[nodiscard]] inline bool is_true(const codemode::json::element& object, std::string_view name) {
  const auto found = member_of(object, name);
  return found && found->kind() == codemode::json::kind::boolean && found->is_true();
}

/// Tells a failure that ends the program.
inline exit_code fail(std::string_view what, std::string_view about) {
  output err{STDERR_FILENO};
  err.append("codemode: ");
  err.append(what);
  err.append(about);
  err.append("\n");
  err.flush();
  return exit_failure;
}

/// Reads the lines of `path` ("-": standard input). `answer(root, line)` appends members to `line`, each led by a
/// comma, after `{"id":...`. A line that is no JSON object is answered with `error`.
template <class Answer>
exit_code answer_lines(const char* path, Answer answer) {
  input_file file;
  if (!file.open(path)) return fail("cannot open ", path);
  line_reader lines{file.descriptor()};
  output out{STDOUT_FILENO};
  codemode::json::reader reader;
  std::string reply;
  std::string_view line;
  for (;;) {
    const auto status = lines.fill();
    if (status == line_reader::status::failed) return fail("cannot read the input: ", std::strerror(errno));
    if (status == line_reader::status::no_memory) return fail("a line is longer than memory allows", {});
    while (lines.next(line)) {
      if (line.find_first_not_of(" \t") == std::string_view::npos) continue;
      reply = "{\"id\":";
      const auto document = reader.read(line);
      if (document && document->root().is_object()) {
        const auto id = document->root().find("id");
        reply += id ? id->raw() : std::string_view{"null"};
        answer(document->root(), reply);
      } else {
        reply += "null,\"error\":";
        std::string message{"a line must be one JSON object"};
        if (!document) {
          message.clear();
          codemode::write_message(document.error(), message);
        }
        codemode::text::append_json_string(reply, message);
      }
      reply += "}\n";
      out.append(reply);
    }
    if (!out.flush()) return fail("cannot write the output: ", std::strerror(out.error()));
    if (status == line_reader::status::end) break;
  }
  return exit_done;
}

}  // namespace cli
