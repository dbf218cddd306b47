#pragma once

/// @file
/// Tools of MCP servers as a catalog for the planner, which takes at most eight tools of at most four plain arguments.

#include <codemode/catalog.hpp>
#include <codemode/contract/open_value.hpp>
#include <codemode/contract/tool_catalog.hpp>
#include <codemode/contract/wire_text.hpp>
#include <codemode/text/unicode.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace bridge {

inline constexpr std::size_t most_planner_tools = 8;
inline constexpr std::size_t most_planner_arguments = 4;

/// A tool that the planner cannot take, and why.
struct left_out_tool {
  std::string tool_ref{};
  std::string reason{};
};

/// A catalog for the planner.
struct planner_catalog {
  std::string json{};  ///< for `catalog::parse`; `[]` if no tool could be taken
  std::vector<std::pair<std::string, std::string>> names{};  ///< name in the catalog, toolRef
  std::vector<left_out_tool> left_out{};

  /// The toolRef of a name of this catalog, or empty.
  [[nodiscard]] std::string_view tool_ref(std::string_view name) const noexcept {
    for (const auto& [known, ref] : names)
      if (known == name) return ref;
    return {};
  }
};

namespace detail {

/// A JavaScript identifier that is as near to a tool's name as can be.
[[nodiscard]] inline std::string identifier_of(std::string_view name) {
  std::string out;
  for (std::size_t i = 0; i < name.size();) {
    const text::decoded d = text::decode(name.substr(i));
    const bool fits = d.valid && (out.empty() ? text::is_id_start(d.code_point) : text::is_id_continue(d.code_point));
    if (fits) out += name.substr(i, d.size);
    else if (!out.empty() && out.back() != '_') out += '_';
    i += d.size;
  }
  while (!out.empty() && out.back() == '_') out.pop_back();
  return out;
}

[[nodiscard]] inline std::string_view planner_type(contract::json_cursor property) noexcept {
  const contract::json_cursor type = property["type"];
  if (type.equals("string")) return "string";
  if (type.equals("number") || type.equals("integer")) return "number";
  if (type.equals("boolean")) return "boolean";
  return {};
}

/// Appends one entry, or tells why not.
[[nodiscard]] inline std::string append_planner_tool(std::string& json, const contract::tool_entry& e, std::string_view name) {
  const contract::json_cursor schema = e.input_schema.cursor();
  const contract::json_cursor properties = schema["properties"];
  const std::vector<std::string> required = contract::required_names(e.input_schema);
  const auto is_required = [&](std::string_view n) { return std::find(required.begin(), required.end(), n) != required.end(); };
  std::string arguments;
  std::string needed;
  std::size_t count = 0;
  // Required ones first: if there is not room for all, optional ones are left out.
  for (const bool wanted : {true, false})
    for (const contract::json_member& m : properties.members()) {
      const std::string argument = m.name.string();
      if (argument.empty() || is_required(argument) != wanted) continue;
      const std::string_view type = planner_type(m.value);
      if (type.empty()) {
        if (wanted) return "its argument " + argument + " is neither text nor number nor boolean";
        continue;
      }
      if (count == most_planner_arguments) {
        if (wanted) return "it needs more than four arguments";
        continue;
      }
      if (count++ > 0) arguments += ',';
      contract::append_wire_string(arguments, argument);
      arguments += ":\"" + std::string(type) + "\"";
      if (wanted) {
        if (!needed.empty()) needed += ',';
        contract::append_wire_string(needed, argument);
      }
    }
  for (const std::string& n : required)
    if (!properties[n]) return "its required argument " + n + " is not described";
  if (json.size() > 1) json += ',';
  json += "{\"name\":";
  contract::append_wire_string(json, name);
  json += ",\"arguments\":{" + arguments + "},\"required\":[" + needed + "],\"returns\":{\"kind\":\"text\"}}";
  return {};
}

}  // namespace detail

/// Makes a planner's catalog of the first tools that it can take, in their order. Of a tool with more than four
/// arguments optional ones are left out. Names that are no identifiers are changed (`get-page` to `get_page`), and
/// numbered where two tools would be called the same; `names` leads back. What a tool returns is taken as text.
[[nodiscard]] inline planner_catalog to_planner_catalog(std::span<const contract::tool_entry* const> tools) {
  planner_catalog out;
  out.json = "[";
  for (const contract::tool_entry* const e : tools) {
    if (e == nullptr) continue;
    if (out.names.size() == most_planner_tools) {
      out.left_out.push_back({e->tool_ref, "the planner takes at most eight tools"});
      continue;
    }
    const std::string base = detail::identifier_of(e->name);
    std::string name = base;
    for (std::size_t n = 2; !out.tool_ref(name).empty(); ++n) name = base + "_" + std::to_string(n);
    std::string reason = base.empty() ? "its name holds nothing that a JavaScript name can have" : detail::append_planner_tool(out.json, *e, name);
    if (reason.empty()) out.names.emplace_back(std::move(name), e->tool_ref);
    else out.left_out.push_back({e->tool_ref, std::move(reason)});
  }
  out.json += ']';
  return out;
}

}  // namespace bridge
}  // namespace v0_1
}  // namespace codemode
