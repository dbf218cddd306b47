#pragma once

/// @file
/// describeTool, and the list of all tools (contract.md, 2.3 and 2.12.13). Neither connects to a server.

#include <codemode/contract/errors.hpp>
#include <codemode/contract/related.hpp>
#include <codemode/contract/search/search.hpp>
#include <codemode/contract/tool_catalog.hpp>
#include <codemode/contract/types.hpp>
#include <codemode/result.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace contract {

struct describe_options {
  std::size_t max_schema_bytes = 16384;  ///< a longer schema is shown as an outline
  std::string_view path{};               ///< a JSON pointer into the schema: shows only what is there
};

namespace detail {

/// What a JSON pointer leads to in a wire text; an empty cursor if nothing.
[[nodiscard]] inline json_cursor at_pointer(json_cursor at, std::string_view pointer) {
  while (!pointer.empty() && at) {
    if (pointer.front() != '/') return {};
    pointer.remove_prefix(1);
    const std::size_t end = (std::min)(pointer.find('/'), pointer.size());
    std::string step;
    for (std::size_t i = 0; i < end; ++i) {
      if (pointer[i] == '~' && i + 1 < end) step += pointer[++i] == '1' ? '/' : '~';
      else step += pointer[i];
    }
    pointer.remove_prefix(end);
    json_cursor found = at[step];
    if (at.is_array()) {
      std::size_t n = 0;
      for (const json_cursor item : at.items())
        if (std::to_string(n++) == step) found = item;
    }
    at = found;
  }
  return at;
}

/// A schema without what is nested: its required names, and each property with its type and the beginning of its
/// description.
[[nodiscard]] inline open_object outline_of(const open_object& schema, std::size_t most) {
  const json_cursor root = schema.cursor();
  std::size_t size = 0;
  object_builder properties;
  for (const json_member& m : root["properties"].members()) {
    object_builder p;
    if (const json_cursor type = m.value["type"]) p.set("type", open_value::copy(type));
    std::string text = m.value["description"].string();
    if (text.size() > 80) {
      std::size_t end = 77;
      while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80) --end;
      text.resize(end);
      text += "...";
    }
    if (!text.empty() && size < most / 2) p.set_string("description", text);
    const open_object made = p.finish();
    size += m.name.text().size() + made.text().size();
    if (size > most) break;
    properties.set(m.name.string(), made);
  }
  object_builder b;
  b.set_string("type", "object");
  b.set("properties", properties.finish());
  if (const json_cursor required = root["required"]; required && required.text().size() < most / 2)
    b.set("required", open_value::copy(required));
  return b.finish();
}

/// At most three toolRefs that are near one that does not exist: same name elsewhere, or a slip away.
[[nodiscard]] inline std::vector<std::string> near_refs(const tool_catalog& catalog, std::string_view tool_ref) {
  std::vector<std::string> out;
  const std::string_view name = tool_ref.substr(tool_ref.find('.') + 1);
  for (const tool_entry& e : catalog.entries()) {
    if (out.size() == most_related) break;
    if (e.name == name || search::detail::within_slips(e.name, name, 2) || e.name == tool_ref) out.push_back(e.tool_ref);
  }
  return out;
}

}  // namespace detail

/// All that the catalog has about one tool. `TOOL_NOT_FOUND` for a toolRef that it does not have.
[[nodiscard]] inline result<describe_result, contract::error> describe_tool(const tool_catalog& catalog, std::string_view tool_ref,
                                                                            const describe_options& options = {}) {
  const tool_entry* const e = catalog.find(tool_ref);
  if (e == nullptr) return errors::unknown_tool(tool_ref, detail::near_refs(catalog, tool_ref));
  describe_result r;
  r.tool_ref = e->tool_ref;
  r.title = e->title;
  r.description = e->description;
  r.usage_hints = usage_hints_of(*e);
  if (!options.path.empty()) {
    const json_cursor part = detail::at_pointer(e->input_schema.cursor(), options.path);
    if (part.is_object()) r.input_schema = open_object{open_value::copy(part)};
    r.usage_hints.insert(r.usage_hints.begin(), part.is_object() ? "the schema shown is only the part at the path that was asked for"
                                                                 : "the schema has no object at the path that was asked for");
  } else if (e->input_schema.text().size() <= options.max_schema_bytes) {
    r.input_schema = e->input_schema;
  } else {
    r.input_schema = detail::outline_of(e->input_schema, options.max_schema_bytes);
    r.usage_hints.insert(r.usage_hints.begin(),
                         "the schema is only outlined here, it takes " + std::to_string(e->input_schema.text().size()) +
                             " bytes: call describeTool with path, such as /properties/NAME, for the rest");
  }
  if (r.usage_hints.size() > detail::most_related) r.usage_hints.resize(detail::most_related);
  r.recommended_call = recommended_call_of(*e);
  if (!required_names(e->input_schema).empty())
    r.examples.push_back({"a call with the required arguments filled in", argument_skeleton(e->input_schema)});
  r.related_tools = related_to(catalog, *e);
  r.status = tool_status{e->callable_now, e->server_status, std::string(e->freshness())};
  return r;
}

/// A page of the list of all tools.
struct list_page {
  list_result result{};
  std::string next_cursor{};  ///< empty on the last page
};

/// Lists tools in their order, `page_size` at a time. `cursor` is empty or what the page before gave.
[[nodiscard]] inline list_page list_tools(const tool_catalog& catalog, std::string_view cursor = {}, std::size_t page_size = 100,
                                          std::optional<std::int64_t> age_seconds = std::nullopt) {
  list_page page;
  auto& tools = page.result.tools.emplace();
  page.result.catalog_stats = catalog.stats(age_seconds);
  const auto all = catalog.entries();
  auto at = std::upper_bound(all.begin(), all.end(), cursor, [](std::string_view c, const tool_entry& e) { return c < e.tool_ref; });
  if (cursor.empty()) at = all.begin();
  for (; at != all.end() && tools.size() < (std::max)(page_size, std::size_t{1}); ++at) {
    listed_tool& t = tools.emplace_back();
    t.tool_ref = at->tool_ref;
    t.title = at->title;
    t.server_id = at->server_id;
    t.freshness = at->freshness();
    t.callable_now = at->callable_now;
  }
  if (at != all.end()) {
    page.next_cursor = tools.back().tool_ref;
    page.result.agent_instruction = "There are more tools: ask for the next page with cursor " + quote_name(page.next_cursor) + ", or use findTool.";
  } else if (all.empty()) {
    page.result.agent_instruction = "Run the index and check that servers are configured, then list again.";
  }
  return page;
}

}  // namespace contract
}  // namespace v0_1
}  // namespace codemode
