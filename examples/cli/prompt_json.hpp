#pragma once

// Values of the prompt loop from and to the JSON of scripted runs.

#include <codemode/prompt.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace cli {

namespace cp = codemode::prompt;
using codemode::json::value;

inline std::string text_of(const value& v, std::string_view name) {
  const value* m = v.find(name);
  return m != nullptr ? std::string{m->string()} : std::string{};
}
inline std::optional<std::int64_t> integer_of(const value& v, std::string_view name) {
  const value* m = v.find(name);
  if (m == nullptr || !m->is_number()) return std::nullopt;
  return m->integer();
}
inline std::optional<std::size_t> count_of(const value& v, std::string_view name) {
  const auto n = integer_of(v, name);
  if (!n) return std::nullopt;
  return static_cast<std::size_t>(*n < 0 ? 0 : *n);
}
inline std::optional<double> number_of(const value& v, std::string_view name) {
  const value* m = v.find(name);
  if (m == nullptr || !m->is_number()) return std::nullopt;
  return m->number();
}
inline std::optional<bool> flag_of(const value& v, std::string_view name) {
  const value* m = v.find(name);
  if (m == nullptr || !m->is_boolean()) return std::nullopt;
  return m->is_true();
}

// ---- usage
inline cp::token_usage read_tokens(const value& v) {
  return {integer_of(v, "input"), integer_of(v, "output"), integer_of(v, "cached")};
}
inline cp::usage read_usage(const value& v) {
  cp::usage u;
  if (const value* t = v.find("text")) u.text = read_tokens(*t);
  if (const value* t = v.find("reasoning")) u.reasoning = read_tokens(*t);
  if (const value* a = v.find("audio")) u.audio = cp::audio_usage{integer_of(*a, "input"), integer_of(*a, "output"), number_of(*a, "seconds")};
  if (const value* i = v.find("image")) {
    cp::image_usage image;
    image.input = integer_of(*i, "input");
    if (const value* list = i->find("output"))
      for (const value& o : list->items()) {
        const value* size = o.find("size");
        image.output.push_back({text_of(o, "quality"), size != nullptr ? integer_of(*size, "width").value_or(0) : 0,
                                size != nullptr ? integer_of(*size, "height").value_or(0) : 0, integer_of(o, "count").value_or(0)});
      }
    u.image = std::move(image);
  }
  if (const value* e = v.find("embeddings")) u.embeddings = cp::embedding_usage{integer_of(*e, "count"), integer_of(*e, "tokens")};
  u.cost = number_of(v, "cost");
  return u;
}
template <class T>
void put(value& to, std::string_view name, const std::optional<T>& v) {
  if (v) to.set(name, *v);
}
inline value write_usage(const cp::usage& u) {
  value out = value::make_object();
  const auto tokens = [](const cp::token_usage& t) {
    value o = value::make_object();
    put(o, "input", t.input);
    put(o, "output", t.output);
    put(o, "cached", t.cached);
    return o;
  };
  if (u.text) out.set("text", tokens(*u.text));
  if (u.audio) {
    value& o = out.set("audio", value::make_object());
    put(o, "input", u.audio->input);
    put(o, "output", u.audio->output);
    put(o, "seconds", u.audio->seconds);
  }
  if (u.image) {
    value& o = out.set("image", value::make_object());
    put(o, "input", u.image->input);
    if (!u.image->output.empty()) {
      value& list = o.set("output", value::make_array());
      for (const cp::image_output& i : u.image->output)
        list.push(value::make_object({{"quality", i.quality},
                                      {"size", value::make_object({{"width", i.width}, {"height", i.height}})},
                                      {"count", i.count}}));
    }
  }
  if (u.reasoning) out.set("reasoning", tokens(*u.reasoning));
  if (u.embeddings) {
    value& o = out.set("embeddings", value::make_object());
    put(o, "count", u.embeddings->count);
    put(o, "tokens", u.embeddings->tokens);
  }
  put(out, "cost", u.cost);
  return out;
}

// ---- reasoning
inline std::optional<std::string> optional_text(const value& v, std::string_view name) {
  const value* m = v.find(name);
  if (m == nullptr || !m->is_string()) return std::nullopt;
  return std::string{m->string()};
}
inline cp::reasoning read_reasoning(const value& v) {
  cp::reasoning r;
  if (v.is_string()) {
    r.content = std::string{v.string()};
    return r;
  }
  r.content = optional_text(v, "content");
  if (const value* list = v.find("details"))
    for (const value& d : list->items())
      r.details.push_back({optional_text(d, "id"), text_of(d, "type"), text_of(d, "format"), integer_of(d, "index"),
                           optional_text(d, "summary"), optional_text(d, "text"), optional_text(d, "signature"),
                           optional_text(d, "data")});
  return r;
}
inline value write_reasoning(const cp::reasoning& r) {
  value out = value::make_object();
  put(out, "content", r.content);
  if (!r.details.empty()) {
    value& list = out.set("details", value::make_array());
    for (const cp::reasoning_detail& d : r.details) {
      value o = value::make_object();
      put(o, "id", d.id);
      if (!d.type.empty()) o.set("type", d.type);
      if (!d.format.empty()) o.set("format", d.format);
      put(o, "index", d.index);
      put(o, "summary", d.summary);
      put(o, "text", d.text);
      put(o, "signature", d.signature);
      put(o, "data", d.data);
      list.push(std::move(o));
    }
  }
  return out;
}

// ---- messages
inline cp::tool_call read_call(const value& v) { return {text_of(v, "id"), text_of(v, "name"), text_of(v, "arguments")}; }
inline value write_call(const cp::tool_call& c) {
  return value::make_object({{"id", c.id}, {"name", c.name}, {"arguments", c.arguments}});
}
inline cp::message_ptr read_message(const value& v) {
  auto m = std::make_shared<cp::message>();
  const std::string role = text_of(v, "role");
  m->role = role == "system" ? cp::role::system : role == "assistant" ? cp::role::assistant
            : role == "tool" ? cp::role::tool : cp::role::user;
  m->content = text_of(v, "content");
  m->tokens = integer_of(v, "tokens");
  m->name = text_of(v, "name");
  m->tool_call_id = text_of(v, "toolCallId");
  if (const value* calls = v.find("toolCalls"))
    for (const value& c : calls->items()) m->tool_calls.push_back(read_call(c));
  if (const value* r = v.find("reasoning")) m->reasoning = read_reasoning(*r);
  return m;
}
inline value write_message(const cp::message& m) {
  value out = value::make_object({{"role", cp::to_string(m.role)}, {"content", m.content}});
  if (!m.name.empty()) out.set("name", m.name);
  if (m.role == cp::role::tool) out.set("toolCallId", m.tool_call_id);
  if (m.state) out.set("state", cp::to_string(*m.state));
  if (!m.tool_calls.empty()) {
    value& list = out.set("toolCalls", value::make_array());
    for (const cp::tool_call& c : m.tool_calls) list.push(write_call(c));
  }
  if (m.reasoning) out.set("reasoning", write_reasoning(*m.reasoning));
  return out;
}

// ---- requests
inline std::optional<cp::finish_reason> read_finish(const value* v) {
  if (v == nullptr || !v->is_string()) return std::nullopt;
  constexpr std::array<std::string_view, 5> names{"stop", "length", "tool_calls", "content_filter", "refusal"};
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == v->string()) return static_cast<cp::finish_reason>(i);
  return std::nullopt;
}
inline cp::request_fields read_fields(const value& v) {
  cp::request_fields f;
  f.name = optional_text(v, "name");
  if (const value* m = v.find("model")) {
    if (m->is_string()) f.model = std::string{m->string()};
    if (m->is_object()) {
      f.model = optional_text(*m, "id");
      f.model_context_window = integer_of(*m, "contextWindow");
      f.model_max_output_tokens = integer_of(*m, "maxOutputTokens");
    }
  }
  f.temperature = number_of(v, "temperature");
  f.top_p = number_of(v, "topP");
  f.max_tokens = integer_of(v, "maxTokens");
  f.tools_one_at_a_time = flag_of(v, "toolsOneAtATime");
  if (const value* c = v.find("toolChoice")) {
    cp::tool_choice choice;
    if (c->is_object()) {
      choice.what = cp::tool_choice::kind::tool;
      choice.tool = text_of(*c, "tool");
    } else {
      choice.what = c->string() == "required" ? cp::tool_choice::kind::required
                    : c->string() == "none"   ? cp::tool_choice::kind::none
                                              : cp::tool_choice::kind::automatic;
    }
    f.tool_choice = std::move(choice);
  }
  return f;
}
inline value write_choice(const cp::tool_choice& c) {
  switch (c.what) {
    case cp::tool_choice::kind::automatic: return "auto";
    case cp::tool_choice::kind::none: return "none";
    case cp::tool_choice::kind::required: return "required";
    case cp::tool_choice::kind::tool: break;
  }
  return value::make_object({{"tool", c.tool}});
}
inline value write_error(const cp::run_error& e) {
  value out = value::make_object({{"kind", cp::to_string(e.kind)}, {"message", e.message}});
  if (e.reason) out.set("reason", cp::to_string(*e.reason));
  if (e.cause) out.set("cause", write_error(*e.cause));
  return out;
}
inline value or_null(const std::optional<value>& v) { return v ? *v : value{}; }

/// An event as the facts of section 15.1.
inline value write_event(const cp::event& e) {
  namespace ev = cp::events;
  value out = value::make_array({cp::to_string(e)});
  const auto facts = [&out](const auto& x) {
    using T = std::remove_cvref_t<decltype(x)>;
    if constexpr (std::is_same_v<T, ev::request>) out.push(x.iterations);
    else if constexpr (std::is_same_v<T, ev::text_partial> || std::is_same_v<T, ev::text> ||
                       std::is_same_v<T, ev::text_complete>) out.push(x.content);
    else if constexpr (std::is_same_v<T, ev::reason_partial> || std::is_same_v<T, ev::reason>)
      out.push(x.reasoning->content.value_or(""));
    else if constexpr (std::is_same_v<T, ev::refusal>) {
      if (x.from_model) out.push(x.content);
    } else if constexpr (std::is_same_v<T, ev::message>) {
      out.push(cp::to_string(x.message->role));
      if (x.message->role == cp::role::tool) out.push(x.message->tool_call_id);
    } else if constexpr (std::is_same_v<T, ev::tool_parse_name>) {
      out.push(x.call_id);
      out.push(x.tool);
    } else if constexpr (std::is_same_v<T, ev::tool_repair>) {
      out.push(x.call_id);
      value fields = value::make_array();
      for (const std::string& f : *x.fields) fields.push(f);
      out.push(std::move(fields));
      out.push(x.success);
    } else if constexpr (std::is_base_of_v<ev::call_base, T>) out.push(x.call_id);
    else if constexpr (std::is_same_v<T, ev::text_reset>) out.push(cp::to_string(x.reason));
    else if constexpr (std::is_same_v<T, ev::response_tokens>) out.push(x.tokens);
  };
  std::visit(facts, e);
  return out;
}

}  // namespace cli
