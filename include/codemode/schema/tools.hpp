#pragma once

/// @file
/// Tools on the wire: request fragments for each provider, MCP `tools/list`, and the tool calls of their answers.

#include <codemode/json/value.hpp>
#include <codemode/schema/budget.hpp>
#include <codemode/schema/names.hpp>
#include <codemode/text/json_text.hpp>
#include <codemode/text/sink.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace schema {

/// The forms in which providers take tools and give back calls.
enum class tool_wire : std::uint8_t {
  openai_chat,       ///< Chat Completions: `{"type":"function","function":{...}}`
  openai_responses,  ///< Responses: `{"type":"function","name":...}`
  anthropic,         ///< Messages: `{"name","description","input_schema"}`
  google,            ///< a function declaration with `parametersJsonSchema`
  google_parameters, ///< a function declaration with `parameters`
  xai,               ///< as OpenAI's Chat Completions, without a strict flag
  mcp                ///< `tools/list`
};

/// The wire that a dialect is for.
[[nodiscard]] constexpr tool_wire wire_of(const descriptor& d) noexcept {
  const std::string_view family = d.family.view();
  if (family == "anthropic") return tool_wire::anthropic;
  if (family == "google") return tool_wire::google;
  if (family == "google-openapi") return tool_wire::google_parameters;
  if (family == "xai") return tool_wire::xai;
  if (family == "openai") return tool_wire::openai_chat;
  return tool_wire::mcp;
}

/// One tool to be sent.
struct tool_definition {
  std::string_view name{};
  std::string_view description{};
  const tree* input = nullptr;
  strict_request strict{};
};

namespace detail {

template <text_sink S>
void put_member(S& sink, bool& first, std::string_view name) {
  if (!first) sink.append(std::string_view{","});
  first = false;
  sink.append(std::string_view{"\""});
  sink.append(name);
  sink.append(std::string_view{"\":"});
}

template <text_sink S>
void put_text(S& sink, bool& first, std::string_view name, std::string_view value) {
  put_member(sink, first, name);
  text::append_json_string(sink, value);
}

}  // namespace detail

/// Writes one tool as a wire has it. `emitted` is its schema, just emitted in `d`; `name` the name on the wire. The strict flag
/// is written where the wire has one: an absent one makes some providers try their strict validator. A tool without
/// arguments has no `parameters` under Google's older wire.
template <text_sink S>
void write_tool(S& sink, tool_wire wire, const descriptor& d, std::string_view name, std::string_view description,
                const emission& emitted, bool has_properties = true) {
  const auto put = [&sink](std::string_view s) { sink.append(s); };
  bool first = true;
  const auto schema_member = [&](std::string_view key) {
    detail::put_member(sink, first, key);
    emitted.write(sink);
  };
  const bool nested = wire == tool_wire::openai_chat || wire == tool_wire::xai;
  put("{");
  if (nested || wire == tool_wire::openai_responses) detail::put_text(sink, first, "type", "function");
  if (nested) {
    detail::put_member(sink, first, "function");
    put("{");
    first = true;
  }
  detail::put_text(sink, first, "name", name);
  if (!description.empty()) detail::put_text(sink, first, "description", description);
  switch (wire) {
    case tool_wire::anthropic: schema_member("input_schema"); break;
    case tool_wire::google: schema_member("parametersJsonSchema"); break;
    case tool_wire::google_parameters:
      if (has_properties) schema_member("parameters");
      break;
    case tool_wire::mcp: schema_member("inputSchema"); break;
    default: schema_member("parameters"); break;
  }
  const bool openai = wire == tool_wire::openai_chat || wire == tool_wire::openai_responses;
  if (d.strict_flag && (openai || (wire == tool_wire::anthropic && d.strict))) {
    detail::put_member(sink, first, "strict");
    put(d.strict ? "true" : "false");
  }
  put(nested ? "}}" : "}");
}

/// What became of one tool of a request.
struct planned_tool {
  std::string wire_name{};
  const descriptor* dialect = nullptr;  ///< null: the tool cannot be sent at all
  allocation given{};
  std::vector<reason> against{};        ///< why it cannot be sent, where it cannot
};

/// A whole request: which tools stay strict, in which dialect each is sent, under which name. Deterministic: tools are served by
/// priority, equals in their order. A tool that cannot be sent is left out alone.
struct request_plan {
  std::vector<planned_tool> tools{};  ///< in the order given
  bool too_many = false;              ///< more tools than the provider takes in one request
  schema_budget::counters remaining{};

  /// The tool that a name on the wire means, or nothing.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view wire_name) const noexcept {
    for (std::size_t i = 0; i < tools.size(); ++i)
      if (tools[i].dialect != nullptr && tools[i].wire_name == wire_name) return i;
    return std::nullopt;
  }
};

/// Plans a request in the dialects of one descriptor's family. Borrows the registry's descriptors.
[[nodiscard]] inline request_plan plan_request(const std::vector<tool_definition>& tools, const descriptor& d,
                                               const descriptor_registry& registry) {
  request_plan plan;
  plan.tools.resize(tools.size());
  std::vector<std::string_view> names;
  for (const tool_definition& t : tools) names.push_back(t.name);
  std::vector<wire_tool> wire;
  wire_tools(names, d.tool_names, wire);
  std::vector<std::size_t> order(tools.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return tools[a].strict.order() > tools[b].strict.order(); });
  schema_budget budget{d, d, registry};
  workspace work;
  for (const std::size_t i : order) {
    planned_tool& p = plan.tools[i];
    p.wire_name = wire[i].name;
    strict_request wish = tools[i].strict;
    // A tool that says nothing is strict if there is room (schema.md 8).
    if (wish.kind == strict_request::form::absent) wish = {strict_request::form::preferred, 1};
    p.given = budget.allocate_tool(*tools[i].input, wish);
    p.dialect = p.given.dialect;
    if (p.given.why == degraded_for::nothing) continue;
    p.against = sendable(*tools[i].input, *p.dialect, work);
    if (!p.against.empty()) p.dialect = nullptr;
  }
  plan.too_many = d.max_tools.present && static_cast<double>(tools.size()) > d.max_tools.value;
  plan.remaining = budget.remaining();
  return plan;
}

/// Writes the `tools` array of a request that was planned.
template <text_sink S>
void write_tools(S& sink, const std::vector<tool_definition>& tools, const request_plan& plan, tool_wire wire,
                 workspace& work) {
  sink.append(std::string_view{"["});
  bool first = true;
  for (std::size_t i = 0; i < tools.size(); ++i) {
    if (plan.tools[i].dialect == nullptr) continue;
    if (!first) sink.append(std::string_view{","});
    first = false;
    const emission e = emit(*tools[i].input, *plan.tools[i].dialect, work);
    const node root = work.view().parts().get_node(work.view().root());
    const bool has_properties = root.kind != node_kind::object || root.count != 0;
    write_tool(sink, wire, *plan.tools[i].dialect, plan.tools[i].wire_name, tools[i].description, e, has_properties);
  }
  sink.append(std::string_view{"]"});
}

/// A call that a model made. The arguments are JSON text where the wire quotes them, else a value.
struct wire_call {
  std::string id{};    ///< empty where the wire has none
  std::string name{};  ///< on the wire; `request_plan::find` knows the tool
  std::string arguments{};  ///< JSON text
};

namespace detail {

inline std::string text_member(const json::element& object, std::string_view name) {
  std::string s;
  if (const auto m = object.find(name); m && m->is_string()) m->decode(s);
  return s;
}
inline std::string json_member(const json::element& object, std::string_view name) {
  std::string s;
  const auto m = object.find(name);
  if (!m) return "{}";
  if (m->is_string()) m->decode(s);
  else json::write_compact(*m, s);
  return s;
}

inline void read_calls(const json::element& e, std::vector<wire_call>& out, unsigned depth);

inline void read_calls_in(const json::element& object, std::string_view name, std::vector<wire_call>& out, unsigned depth) {
  if (const auto m = object.find(name)) read_calls(*m, out, depth + 1);
}

/// Calls are recognized by their own form, wherever the answer carries them.
inline void read_calls(const json::element& e, std::vector<wire_call>& out, unsigned depth) {
  if (depth > 12) return;
  if (e.is_array()) {
    for (const json::element x : e.items()) read_calls(x, out, depth + 1);
    return;
  }
  if (!e.is_object()) return;
  const std::string type = text_member(e, "type");
  if (const auto f = e.find("function"); f && f->is_object() && f->find("arguments")) {
    out.push_back({text_member(e, "id"), text_member(*f, "name"), json_member(*f, "arguments")});
    return;
  }
  if (type == "function_call") {
    out.push_back({text_member(e, "call_id"), text_member(e, "name"), json_member(e, "arguments")});
    return;
  }
  if (type == "tool_use") {
    out.push_back({text_member(e, "id"), text_member(e, "name"), json_member(e, "input")});
    return;
  }
  if (const auto f = e.find("functionCall"); f && f->is_object()) {
    out.push_back({text_member(*f, "id"), text_member(*f, "name"), json_member(*f, "args")});
    return;
  }
  if (text_member(e, "method") == "tools/call") {
    if (const auto p = e.find("params"); p && p->is_object()) {
      std::string id;
      if (const auto i = e.find("id")) {
        if (i->is_string()) i->decode(id);
        else json::write_compact(*i, id);
      }
      out.push_back({std::move(id), text_member(*p, "name"), json_member(*p, "arguments")});
    }
    return;
  }
  for (const std::string_view part : {"choices", "message", "tool_calls", "output", "content", "candidates", "parts"})
    read_calls_in(e, part, out, depth);
}

}  // namespace detail

/// The tool calls in a provider's answer, in order: OpenAI's and xAI's Chat Completions, OpenAI's Responses, Anthropic's
/// Messages, Gemini's candidates, MCP's `tools/call`. Takes a whole answer, a message, or a list of calls.
[[nodiscard]] inline std::vector<wire_call> read_tool_calls(const json::element& answer) {
  std::vector<wire_call> out;
  detail::read_calls(answer, out, 0);
  return out;
}

}  // namespace schema
}  // namespace v0_1
}  // namespace codemode
