#pragma once

/// @file
/// Lists of tools as servers and programs hold them: MCP `tools/list`, OpenAI (Chat Completions and Responses), Anthropic,
/// Google. Reads any of them.

#include <codemode/json/document.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace schema {

/// One tool of a list. Elements borrow the document.
struct listed_tool {
  std::string name{};
  std::string description{};
  std::optional<json::element> input{};   ///< schema of the arguments
  std::optional<json::element> output{};  ///< MCP's `outputSchema`
  bool strict = false;                    ///< the list asks for it
};

namespace detail {

[[nodiscard]] inline std::optional<json::element> first_member(const json::element& object,
                                                               std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names)
    if (const auto m = object.find(name)) return m;
  return std::nullopt;
}
inline void read_text(const json::element& object, std::string_view name, std::string& to) {
  to.clear();
  if (const auto m = object.find(name); m && m->is_string()) m->decode(to);
}

inline void read_tool(const json::element& e, std::vector<listed_tool>& out) {
  if (!e.is_object()) return;
  if (const auto declarations = first_member(e, {"functionDeclarations", "function_declarations"});
      declarations && declarations->is_array()) {
    for (const json::element d : declarations->items()) read_tool(d, out);
    return;
  }
  if (const auto function = e.find("function"); function && function->is_object()) {
    read_tool(*function, out);
    return;
  }
  listed_tool t;
  read_text(e, "name", t.name);
  read_text(e, "description", t.description);
  t.input = first_member(e, {"inputSchema", "input_schema", "parametersJsonSchema", "parameters"});
  t.output = e.find("outputSchema");
  if (const auto s = e.find("strict"); s && s->kind() == json::kind::boolean) t.strict = s->is_true();
  if (!t.name.empty()) out.push_back(std::move(t));
}

}  // namespace detail

/// The tools of a list: an array of them, or an object with one under `tools` (also within `result`, as JSON-RPC answers).
/// Entries without a name are passed over. Empty where there is no list.
[[nodiscard]] inline std::vector<listed_tool> read_tool_list(const json::element& e) {
  std::vector<listed_tool> out;
  json::element list = e;
  if (list.is_object())
    if (const auto result = list.find("result"); result && result->is_object()) list = *result;
  if (list.is_object()) {
    const auto tools = list.find("tools");
    if (!tools) return out;
    list = *tools;
  }
  if (!list.is_array()) return out;
  for (const json::element t : list.items()) detail::read_tool(t, out);
  return out;
}

}  // namespace schema
}  // namespace v0_1
}  // namespace codemode
