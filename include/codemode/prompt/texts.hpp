#pragma once

/// @file
/// Every text that the loop itself sends to a model (prompt.md, section 9.2). The bracketed markers are part of
/// the contract with models; hosts read `message::state` instead.

#include <codemode/json/owned_value.hpp>
#include <codemode/prompt/json_schema.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace prompt {
namespace texts {

inline constexpr std::string_view aborted = "[aborted: the run was stopped before this call finished]";
inline constexpr std::string_view not_run_sibling = "[not run: another call in this turn was invalid; call it again]";
inline constexpr std::string_view not_run_sequence =
    "[not run: an earlier call in this turn stopped the sequence; call it again]";
inline constexpr std::string_view not_run_limit = "[not run: the limit of tool calls was reached]";
inline constexpr std::string_view no_result = "[no result]";
inline constexpr std::string_view begin = "Begin.";

[[nodiscard]] inline std::string join(std::initializer_list<std::string_view> parts) {
  std::string out;
  for (const std::string_view p : parts) out += p;
  return out;
}

[[nodiscard]] inline std::string unknown_tool(std::string_view name, const std::vector<std::string_view>& offered) {
  std::string out = join({"error: there is no tool named \"", name, "\"; "});
  if (offered.empty()) return out + "no tools are available";
  out += "available tools: ";
  for (std::size_t i = 0; i < offered.size(); ++i) {
    if (i != 0) out += ", ";
    out += offered[i];
  }
  return out;
}
[[nodiscard]] inline std::string bad_arguments(std::string_view name, std::string_view detail, std::string_view raw,
                                               bool too_long) {
  std::string out = join({"error: the arguments of ", name, " were not accepted: ", detail});
  if (!too_long) out += join({"; received: ", raw});
  return out;
}
[[nodiscard]] inline std::string no_arguments(std::string_view name, std::string_view detail) {
  return join({"error: ", name, " was called without arguments: ", detail, "; call it again with the required fields"});
}
[[nodiscard]] inline std::string tool_failed(std::string_view name, std::string_view message, const json::value& arguments) {
  return join({"error: ", name, " failed: ", message, "; arguments: ", json::to_json(arguments)});
}
[[nodiscard]] inline std::string transformer_failed(std::string_view name, std::string_view message) {
  return join({"error: the result of ", name, " could not be prepared: ", message});
}
[[nodiscard]] inline std::string interrupted(std::string_view message) {
  return message.empty() ? "[interrupted]" : join({"[interrupted: ", message, "]"});
}
[[nodiscard]] inline std::string not_json(std::string_view detail) {
  return join({"Your reply could not be read as JSON: ", detail});
}
[[nodiscard]] inline std::string wrong_format(const std::vector<schema_problem>& problems) {
  std::string out = "Your reply does not match the required format:";
  for (const schema_problem& p : problems) {
    out += join({"\n- ", p.pointer.empty() ? std::string_view{"/"} : std::string_view{p.pointer}, ": ", p.detail});
    if (p.found) out += join({" (got ", json::to_json(*p.found), ")"});
  }
  return out;
}
[[nodiscard]] inline std::string rejected(std::string_view message) {
  return join({"Your reply was rejected: ", message});
}
/// The schema as a part of the system message.
[[nodiscard]] inline std::string schema_instruction(const json_schema& schema) {
  std::string out = "\n\nReply with one JSON value that satisfies this JSON Schema:\n```json\n";
  schema.write_lenient(out);
  out += "\n```\n\nSend only that value: no code fence, no explanation, not the schema itself.";
  return out;
}
/// Problems of arguments in one line.
[[nodiscard]] inline std::string problem_line(const std::vector<schema_problem>& problems) {
  std::string out;
  for (const schema_problem& p : problems) {
    if (!out.empty()) out += "; ";
    out += join({p.pointer.empty() ? std::string_view{"/"} : std::string_view{p.pointer}, " ", p.detail});
    if (p.found) out += join({" (got ", json::to_json(*p.found), ")"});
  }
  return out;
}
/// The text of an answer: a string as it is, nothing and null as a marker, anything else as compact JSON.
[[nodiscard]] inline std::string answer(const json::value* v) {
  if (v == nullptr || v->is_null()) return std::string{no_result};
  return v->is_string() ? std::string{v->string()} : json::to_json(*v);
}

/// Keeps `limit` code points and says how many are gone (section 9.3); 0 or less: no cut.
[[nodiscard]] inline std::string cut(std::string text, std::int64_t limit) {
  if (limit <= 0 || text.size() <= static_cast<std::size_t>(limit)) return text;
  std::size_t points = 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80U) continue;
    if (points == static_cast<std::size_t>(limit)) at = i;
    ++points;
  }
  if (points <= static_cast<std::size_t>(limit)) return text;
  text.resize(at);
  text += join({"\xE2\x80\xA6 [", std::to_string(points - static_cast<std::size_t>(limit)), " more characters cut]"});
  return text;
}

}  // namespace texts
}  // namespace prompt
}  // namespace v0_1
}  // namespace codemode
