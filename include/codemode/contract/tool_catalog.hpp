#pragma once

/// @file
/// The tools of all servers, as they were listed last (contract.md, 2.1).

#include <codemode/contract/detail/sha256.hpp>
#include <codemode/contract/json.hpp>
#include <codemode/contract/open_value.hpp>
#include <codemode/contract/types.hpp>
#include <codemode/json/document.hpp>
#include <codemode/result.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace contract {

/// Digest of a schema: of its wire text with every number as a double.
using schema_hash = detail::sha256_digest;

/// Hash of a schema. Absent counts as `{"type":"object"}`.
[[nodiscard]] inline schema_hash hash_schema(const open_object& schema) {
  detail::sha256 h;
  if (schema.absent()) {
    h.append("{\"type\":\"object\"}");
    return h.finish();
  }
  // The wire text keeps whole numbers of 64 bits; the hash has them as doubles.
  const std::string_view text = schema.text();
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    std::size_t size = 1;
    if (c == '"') {
      size = detail::string_size(text.substr(i));
    } else if (c == '-' || (c >= '0' && c <= '9')) {
      size = detail::value_size(text.substr(i));
      if (size > 15) {
        if (detail::append_wire_number(h, text.substr(i, size), whole_numbers::as_doubles)) {
          i += size;
          continue;
        }
      }
    }
    h.append(text.substr(i, size));
    i += size;
  }
  return h.finish();
}

/// One tool of one server.
struct tool_entry {
  std::string tool_ref{};   ///< server id, a dot, the tool's name
  std::string server_id{};
  std::string name{};
  std::string title{};
  std::string description{};
  std::vector<std::string> aliases{};  ///< further texts that say what the tool can do
  open_object input_schema{};
  contract::schema_hash schema_hash{};
  std::string server_status{status_unknown};
  bool callable_now = false;
  bool fresh = false;
  bool read_only = false;    ///< the server says so; needed for caching
  bool destructive = false;  ///< the server says so
  bool idempotent = false;   ///< the server says that a repeated call changes nothing more

  [[nodiscard]] std::string_view freshness() const noexcept { return fresh ? freshness_fresh : freshness_stale; }
};

/// Makes an entry from a tool as a server lists it: `name`, `title`, `description`, `inputSchema`,
/// `annotations`, `capabilityText`. `invalid_catalog` if it has no name or a schema that is no object.
[[nodiscard]] inline result<tool_entry> read_tool(const json::element& tool, std::string_view server_id) {
  const auto refuse = [&](const json::element& at, std::string_view what) {
    diagnostic d;
    d.code = errc::invalid_catalog;
    d.found = at.raw();
    d.begin = at.begin_offset();
    d.end = at.end_offset();
    d.what = what;
    return d;
  };
  if (!tool.is_object()) return refuse(tool, "a tool must be an object");
  const auto text = [&](std::string_view name, std::string& to) {
    const auto found = tool.find(name);
    if (found && found->is_string()) found->decode(to);
  };
  tool_entry e;
  e.server_id = server_id;
  text("name", e.name);
  if (e.name.empty()) return refuse(tool, "a tool must have a name");
  e.tool_ref = e.server_id + "." + e.name;
  text("title", e.title);
  text("description", e.description);
  if (const auto schema = tool.find("inputSchema"); schema && schema->kind() != json::kind::null) {
    if (!schema->is_object()) return refuse(*schema, "the input schema of a tool must be an object");
    auto value = open_value::from(*schema);
    if (!value) return value.error();
    e.input_schema = open_object{std::move(*value)};
  }
  e.schema_hash = hash_schema(e.input_schema);
  if (const auto notes = tool.find("annotations"); notes && notes->is_object()) {
    const auto hint = [&](std::string_view name) {
      const auto found = notes->find(name);
      return found && found->kind() == json::kind::boolean && found->is_true();
    };
    e.read_only = hint("readOnlyHint");
    e.destructive = hint("destructiveHint");
    e.idempotent = hint("idempotentHint");
  }
  if (const auto more = tool.find("capabilityText"); more && more->is_array())
    for (const json::element item : more->items())
      if (item.is_string()) item.decode(e.aliases.emplace_back());
  return e;
}

/// @name What an agent needs to know of a schema
/// @{

/// The strings of the schema's `required` list, in its order.
[[nodiscard]] inline std::vector<std::string> required_names(const open_object& schema) {
  std::vector<std::string> names;
  for (const json_cursor item : schema.cursor()["required"].items())
    if (item.is_string()) names.push_back(item.string());
  return names;
}

/// Arguments to fill in: each required property with its type in angle brackets (contract.md, 2.2.8).
[[nodiscard]] inline open_object argument_skeleton(const open_object& schema) {
  object_builder b;
  const json_cursor properties = schema.cursor()["properties"];
  for (const std::string& name : required_names(schema)) {
    const std::string type = properties[name]["type"].string();
    b.set_string(name, "<" + (type.empty() ? std::string{"value"} : type) + ">");
  }
  return b.finish();
}

/// Required and known properties; nothing if there are neither.
[[nodiscard]] inline std::optional<schema_preview> preview_of(const open_object& schema) {
  schema_preview p;
  p.required = required_names(schema);
  for (const json_member& m : schema.cursor()["properties"].members()) p.properties.push_back(m.name.string());
  if (p.required.empty() && p.properties.empty()) return std::nullopt;
  return p;
}

/// The arguments of `callTool` for a tool, with a skeleton.
[[nodiscard]] inline recommended_call recommended_call_of(const tool_entry& e) {
  object_builder b;
  b.set_string("toolRef", e.tool_ref);
  b.set("arguments", argument_skeleton(e.input_schema));
  return {std::string(tool_call), b.finish()};
}
/// @}

/// A server that the host has configured.
struct server_state {
  std::string id{};
  std::string status{status_unknown};
};

/// Tools of all configured servers, ordered by the bytes of their toolRef. Plain data: no locks, no clock, no
/// connections. After a change an index of it is out of date (`revision` tells).
class tool_catalog {
 public:
  [[nodiscard]] std::span<const tool_entry> entries() const noexcept { return entries_; }
  [[nodiscard]] std::span<const server_state> servers() const noexcept { return servers_; }
  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
  [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }
  /// Grows with every change.
  [[nodiscard]] std::uint64_t revision() const noexcept { return revision_; }

  /// The tool of that reference, or null.
  [[nodiscard]] const tool_entry* find(std::string_view tool_ref) const noexcept {
    const auto at = std::lower_bound(entries_.begin(), entries_.end(), tool_ref,
                                     [](const tool_entry& e, std::string_view ref) { return e.tool_ref < ref; });
    return at != entries_.end() && at->tool_ref == tool_ref ? &*at : nullptr;
  }
  [[nodiscard]] const server_state* find_server(std::string_view id) const noexcept {
    for (const server_state& s : servers_)
      if (s.id == id) return &s;
    return nullptr;
  }

  /// Replaces what is known of a server by its list: tools that it no longer lists go. Of two tools of one name
  /// the first is kept (contract.md, 2.12.13); the answer tells how many were dropped.
  std::size_t set_server(std::string_view id, std::string_view status, std::vector<tool_entry> tools) {
    const bool online = status == status_online;
    for (tool_entry& e : tools) {
      e.server_status = status;
      e.callable_now = online;
      e.fresh = online;
    }
    std::stable_sort(tools.begin(), tools.end(), by_ref);
    const auto last = std::unique(tools.begin(), tools.end(),
                                  [](const tool_entry& a, const tool_entry& b) { return a.tool_ref == b.tool_ref; });
    const auto dropped = static_cast<std::size_t>(tools.end() - last);
    tools.erase(last, tools.end());
    std::erase_if(entries_, [&](const tool_entry& e) { return e.server_id == id; });
    const auto middle = static_cast<std::ptrdiff_t>(entries_.size());
    std::move(tools.begin(), tools.end(), std::back_inserter(entries_));
    std::inplace_merge(entries_.begin(), entries_.begin() + middle, entries_.end(), by_ref);
    state(id).status = status;
    ++revision_;
    return dropped;
  }

  /// A server that could not be listed: its tools stay, stale and not callable.
  void set_unreachable(std::string_view id, std::string_view status) {
    state(id).status = status;
    for (tool_entry& e : entries_) {
      if (e.server_id != id) continue;
      e.server_status = status;
      e.callable_now = false;
      e.fresh = false;
    }
    ++revision_;
  }

  /// Marks the tools of a server as stale without doubting the server, because its list has grown old.
  void set_stale(std::string_view id) {
    for (tool_entry& e : entries_)
      if (e.server_id == id) e.fresh = false;
    ++revision_;
  }

  /// Forgets a server and its tools.
  void remove_server(std::string_view id) {
    std::erase_if(servers_, [&](const server_state& s) { return s.id == id; });
    std::erase_if(entries_, [&](const tool_entry& e) { return e.server_id == id; });
    ++revision_;
  }

  [[nodiscard]] catalog_stats stats(std::optional<std::int64_t> age_seconds = std::nullopt) const {
    catalog_stats s;
    s.configured_servers = static_cast<std::int64_t>(servers_.size());
    s.indexed_tools = static_cast<std::int64_t>(entries_.size());
    s.fresh_tools = std::count_if(entries_.begin(), entries_.end(), [](const tool_entry& e) { return e.fresh; });
    s.stale_tools = s.indexed_tools - s.fresh_tools;
    if (age_seconds) s.catalog_age_seconds = (std::max)(*age_seconds, std::int64_t{0});
    return s;
  }

 private:
  [[nodiscard]] static bool by_ref(const tool_entry& a, const tool_entry& b) noexcept {
    return a.tool_ref < b.tool_ref;
  }
  [[nodiscard]] server_state& state(std::string_view id) {
    for (server_state& s : servers_)
      if (s.id == id) return s;
    return servers_.emplace_back(server_state{std::string(id), {}});
  }

  std::vector<tool_entry> entries_;
  std::vector<server_state> servers_;
  std::uint64_t revision_ = 0;
};

}  // namespace contract
}  // namespace v0_1
}  // namespace codemode
