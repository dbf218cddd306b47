#pragma once

// A host for tests of the prompt loop: a scripted model, tools that do as they are told, and a log of events.

#include <codemode/prompt.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fixture {

namespace cp = codemode::prompt;
using codemode::json::value;
using call_context = cp::call_context<cp::nothing, cp::nothing>;

inline value object_schema(std::initializer_list<std::string_view> numbers) {
  value properties = value::make_object();
  value required = value::make_array();
  for (const std::string_view n : numbers) {
    properties.set(n, value::make_object({{"type", "number"}}));
    required.push(n);
  }
  return value::make_object({{"type", "object"}, {"properties", std::move(properties)}, {"required", std::move(required)}});
}

using work = std::function<cp::tool_outcome(const value&, const call_context&)>;

inline cp::tool_config<> tool_settings(std::string name, work w) {
  cp::tool_config<> c;
  c.name = std::move(name);
  c.description = "a tool for tests";
  c.schema = cp::json_schema{object_schema({"v"})};
  c.call = std::move(w);
  return c;
}
inline std::shared_ptr<const cp::tool<>> tool(std::string name, work w) {
  return cp::make_tool<>(tool_settings(std::move(name), std::move(w)));
}
inline work returns(value v) {
  return [v = std::move(v)](const value&, const call_context&) { return cp::tool_outcome::value(v); };
}
inline work gives(cp::tool_outcome o) {
  return [o = std::move(o)](const value&, const call_context&) { return o; };
}

inline cp::response text(std::string s) {
  cp::response r;
  r.content = std::move(s);
  r.finish = cp::finish_reason::stop;
  return r;
}
inline cp::response calls(std::vector<cp::tool_call> list) {
  cp::response r;
  r.tool_calls = std::move(list);
  r.finish = cp::finish_reason::tool_calls;
  return r;
}
inline cp::tool_call call(std::string id, std::string name, std::string arguments = R"({"v":1})") {
  return {std::move(id), std::move(name), std::move(arguments)};
}

/// Answers in turn; the last one repeats. Keeps what it was asked.
struct model {
  struct asked {
    std::size_t iterations;
    std::vector<std::string> roles;
    std::vector<std::string> tools;
    cp::request_fields fields;
    cp::delivery delivery;
    std::string system;
    std::vector<cp::message_ptr> messages;
  };
  std::vector<cp::model_result> answers;
  std::vector<asked> requests{};
  std::function<void(std::size_t)> before{};

  cp::model_result operator()(const cp::request& r) {
    asked a{r.iterations, {}, {}, r, r.format.delivery, {}, {r.messages.begin(), r.messages.end()}};
    for (const cp::message_ptr& m : r.messages) {
      a.roles.emplace_back(to_string(m->role));
      if (m->role == cp::role::system && a.system.empty()) a.system = m->content;
    }
    for (const cp::tool_definition& t : r.tools) a.tools.push_back(t.name);
    requests.push_back(std::move(a));
    if (before) before(requests.size() - 1);
    return answers[(std::min)(requests.size(), answers.size()) - 1];
  }
};

/// Runs a prompt with a model and gives the events' names, with the id or text that tells them apart.
struct host {
  fixture::model model;
  cp::context<> context{};
  std::vector<std::string> events{};
  std::function<void(const cp::event&)> watch{};

  explicit host(std::vector<cp::model_result> answers) : model{std::move(answers), {}, {}} {
    context.messages = cp::conversation({cp::make_message(cp::role::user, "Hello")});
    context.execute = [this](cp::request& r, const auto&, const auto&, const std::stop_token&) { return model(r); };
  }
  host(const host&) = delete;
  host& operator=(const host&) = delete;

  cp::run_options options(cp::mode mode = cp::mode::result) {
    cp::run_options o;
    o.mode = mode;
    o.visitor = [this](const cp::event& e) {
      std::string line{cp::to_string(e)};
      std::visit(
          [&line](const auto& x) {
            using T = std::remove_cvref_t<decltype(x)>;
            if constexpr (std::is_base_of_v<cp::events::call_base, T>) line += " " + std::string{x.call_id};
            if constexpr (std::is_same_v<T, cp::events::message>) line += " " + std::string{to_string(x.message->role)};
            if constexpr (std::is_same_v<T, cp::events::text_reset>) line += " " + std::string{to_string(x.reason)};
          },
          e);
      events.push_back(std::move(line));
      if (watch) watch(e);
    };
    return o;
  }
  cp::outcome run(cp::prompt_config<> config, cp::mode mode = cp::mode::result) {
    if (config.name.empty()) config.name = "p";
    if (!config.content.is_set()) config.content = std::string{"You help."};
    const cp::prompt<> p{std::move(config)};
    return p.run(context, options(mode));
  }
  [[nodiscard]] bool saw(std::string_view line) const {
    return std::find(events.begin(), events.end(), line) != events.end();
  }
  [[nodiscard]] std::size_t count(std::string_view name) const {
    return static_cast<std::size_t>(std::count_if(events.begin(), events.end(), [name](const std::string& e) {
      return e == name || e.starts_with(std::string{name} + " ");
    }));
  }
  /// Place of the first such line, or the number of lines.
  [[nodiscard]] std::size_t at(std::string_view line) const {
    return static_cast<std::size_t>(std::find(events.begin(), events.end(), line) - events.begin());
  }
};

/// The answer to the call `id`, or an empty text.
inline std::string answer_to(const cp::message_list& messages, std::string_view id) {
  for (const cp::message_ptr& m : messages)
    if (m->role == cp::role::tool && m->tool_call_id == id) return m->content;
  return {};
}

/// What is wrong with the pairing of calls and answers, or an empty text. Calls in `open` need no answer at the end.
inline std::string pairing_fault(std::span<const cp::message_ptr> messages, const std::vector<std::string>& open = {},
                                 bool end_is_lenient = false) {
  std::vector<std::string> waiting;
  for (const cp::message_ptr& m : messages) {
    if (m->role == cp::role::system) continue;
    if (m->role == cp::role::tool) {
      // In call order: the answer must be that of the first open call, or of one behind calls that stay open.
      const auto at = std::find(waiting.begin(), waiting.end(), m->tool_call_id);
      if (at == waiting.end()) return "answer without call: " + m->tool_call_id;
      waiting.erase(at);
      continue;
    }
    if (!waiting.empty()) return "unanswered: " + waiting.front();
    for (const cp::tool_call& c : m->tool_calls) {
      if (c.id.empty() || std::find(waiting.begin(), waiting.end(), c.id) != waiting.end()) return "repeated id: " + c.id;
      waiting.push_back(c.id);
    }
  }
  for (const std::string& id : waiting)
    if (!end_is_lenient && std::find(open.begin(), open.end(), id) == open.end()) return "unanswered at the end: " + id;
  return {};
}

}  // namespace fixture
