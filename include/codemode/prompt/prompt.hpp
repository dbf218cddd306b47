#pragma once

/// @file
/// Prompts: a template, tools and an output schema, run against a model (prompt.md, sections 4 and 5).

#include <codemode/prompt/component.hpp>
#include <codemode/prompt/context.hpp>
#include <codemode/prompt/guard.hpp>
#include <codemode/prompt/loop.hpp>
#include <codemode/prompt/template.hpp>
#include <codemode/prompt/tool.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace prompt {

/// What `retool` chooses: names of the prompt's own tools, and tools of its own.
template <class Data = nothing, class Meta = nothing>
struct tool_selection {
  std::vector<std::string> names{};
  std::vector<std::shared_ptr<const tool<Data, Meta>>> tools{};
};

/// A prompt's configuration; `name` and `content` are required. Fill it and make a `prompt`.
template <class Data = nothing, class Meta = nothing>
struct prompt_config {
  using context_type = context<Data, Meta>;
  using tool_ptr = std::shared_ptr<const tool<Data, Meta>>;

  std::string name{};
  std::string description{};
  field<std::string, context_type> content{};      ///< template of the system message
  std::optional<std::string> user_turn{};          ///< user message of a run without conversation; empty: none
  field<json::value, context_type> input{};        ///< variables of the template; nothing: the run's input
  field<json_schema, context_type> schema{};       ///< of the output; none: plain text
  std::function<std::variant<json::value, hook_error>(json::value, const context_type&)> parse{};
  double strict = 1;
  prompt::schema_delivery schema_delivery = prompt::schema_delivery::automatic;
  bool runtime_schema_fallback = true;
  field<request_fields, context_type> config{};
  std::function<std::variant<std::monostate, reconfig_changes, hook_error>(const reconfig_stats&, const context_type&)>
      reconfig{};
  std::vector<tool_ptr> tools{};
  prompt::tool_execution tool_execution = prompt::tool_execution::immediate;
  std::optional<std::size_t> tool_retries{};  ///< rounds with tool errors that are tolerated; then the context's, then 2
  /// Share of the iteration budget, which is one pool: outputRetries + forgetRetries + toolIterations + toolRetries
  /// + 1 requests for whatever happens. Not a cap on tool rounds: that is `tool_rounds`.
  std::size_t tool_iterations = 3;
  std::optional<std::size_t> tool_rounds{};  ///< answers whose calls are run; then no tools are offered
  std::optional<std::size_t> tools_max{};    ///< successes after which no tools are offered; 0: none
  bool tools_only = false;                   ///< only the calls matter
  bool tools_complete = true;                ///< answer open calls when the run ends early
  std::optional<std::size_t> output_retries{};  ///< corrections of an invalid output; then the context's, then 2
  std::optional<std::size_t> forget_retries{};  ///< repeats after finish reason length; then the context's, then 1
  std::size_t model_retries = 2;                ///< repeats of a call that failed for a passing reason
  std::chrono::milliseconds model_retry_delay{500};  ///< doubles each time, unless the model says when
  std::optional<std::int64_t> max_total_tokens{};    ///< ends the run like the other limits
  std::int64_t validation_error_max_length = 4096;   ///< cut of error texts for the model, in code points; 0: none
  field<tool_selection<Data, Meta>, context_type> retool{};
  bool dynamic = false;           ///< resolve again after every iteration
  bool exclude_messages = false;  ///< leave the context's messages out
  bool check_history = true;      ///< refuse histories whose calls and answers do not pair
  std::function<std::variant<std::optional<json::value>, hook_error>(const call_info&, const std::optional<json::value>&,
                                                                     const context_type&)>
      on_tool_result{};
  /// Before a tool runs: nothing to let it, or what to use in its place.
  std::function<std::optional<tool_outcome>(const call_info&, const context_type&)> on_tool_intercept{};
  std::function<std::optional<hook_error>(const json::value&, const context_type&)> validate{};
  std::function<bool(const context_type&)> applicable{};
  Meta metadata{};
  std::function<Meta(Meta fixed, const json::value& input, const context_type&)> metadata_fn{};
  forget_hook forget{};
  std::function<std::optional<std::string>(call_state, const tool_call&, std::string_view)> synthesize{};
  /// Local planner: calls for the last user message before the model is asked. Off by default.
  std::function<std::variant<std::vector<tool_call>, plan_refusal>(const std::string&, const std::vector<tool_definition>&)>
      plan{};
  std::shared_ptr<const template_library> library{};  ///< helpers and partials of the templates
};

/// How one run goes.
struct run_options {
  json::value input = json::value::make_object();
  prompt::mode mode = prompt::mode::result;
  std::function<void(const event&)> visitor{};
};

/// A prompt. Const and shared; runs keep no state in it, so that any number may go on at once.
template <class Data = nothing, class Meta = nothing>
class prompt final : public component<Data, Meta> {
 public:
  using context_type = context<Data, Meta>;
  using tool_ptr = std::shared_ptr<const tool<Data, Meta>>;

  explicit prompt(prompt_config<Data, Meta> config) : config_(std::move(config)) {
    if (config_.content.fixed()) compiled_.emplace(compile(*config_.content.fixed()));
  }

  [[nodiscard]] component_kind kind() const noexcept override { return component_kind::prompt; }
  [[nodiscard]] const std::string& name() const noexcept override { return config_.name; }
  [[nodiscard]] const std::string& description() const noexcept override { return config_.description; }
  [[nodiscard]] const prompt_config<Data, Meta>& config() const noexcept { return config_; }
  /// What is wrong with a fixed template, if anything; running the prompt tells it, too.
  [[nodiscard]] std::optional<template_error> content_error() const {
    if (!compiled_ || *compiled_) return std::nullopt;
    return compiled_->error();
  }

  [[nodiscard]] bool applicable(const context_type& c) const override {
    if (config_.applicable) return config_.applicable(c);
    const json::value none;
    const auto says_no = [](const auto& got) { return std::holds_alternative<incompatible>(got); };
    return !says_no(config_.retool.get(none, c)) && !says_no(config_.config.get(none, c));
  }
  /// The fixed metadata, with the computed one over it.
  [[nodiscard]] Meta metadata(const json::value& input, const context_type& c) const {
    return config_.metadata_fn ? config_.metadata_fn(config_.metadata, input, c) : config_.metadata;
  }

  /// Runs the prompt to its end on this thread. Never returns while a tool that it started still runs.
  [[nodiscard]] outcome run(const context_type& c, const run_options& options = {}) const {
    return run_observed(c, options, nullptr, {});
  }
  /// Goes on after `suspended`: its messages, its allowances, and an answer for each open call.
  [[nodiscard]] outcome resume(const context_type& c, const outcome& suspended, std::vector<resume_answer> answers,
                               const run_options& options = {}) const {
    context_type own = c;
    own.messages = std::make_shared<const message_list>(suspended.messages);
    return run_observed(own, options, &suspended.resume, std::move(answers));
  }

 private:
  /// A template as it is, and with a section for the tools if it has no place for them.
  struct compiled_content {
    prompt_template plain;
    std::optional<prompt_template> with_section;
  };
  [[nodiscard]] static result<compiled_content, template_error> compile(const std::string& text) {
    auto plain = prompt_template::parse(text);
    if (!plain) return std::move(plain.error());
    compiled_content out{std::move(*plain), {}};
    if (!out.plain.has_output("tools")) {
      auto extended = prompt_template::parse(text + "\n\n<tools>\n{{tools}}\n</tools>");
      if (!extended) return std::move(extended.error());
      out.with_section = std::move(*extended);
    }
    return out;
  }

  [[nodiscard]] run_error error(error_kind kind, std::string_view what) const {
    run_error e;
    e.kind = kind;
    e.message = texts::join({config_.name, ": ", what});
    return e;
  }
  [[nodiscard]] run_error hook(std::string_view which, const hook_error& e) const {
    return error(error_kind::hook, texts::join({"the hook ", which, " failed: ", e.message}));
  }
  [[nodiscard]] run_error bad_template(const template_error& e) const { return error(error_kind::template_error, e.text()); }

  [[nodiscard]] outcome run_observed(const context_type& c, const run_options& options, const resume_state* resume,
                                     std::vector<resume_answer> answers) const {
    if (c.runner == nullptr) return run_bound(c, options, resume, std::move(answers), nullptr);
    outcome out;
    c.runner->observe(*this, options.input, c, [&](const context_type& inner) {
      out = run_bound(inner, options, resume, std::move(answers), inner.instance.get());
      observed o;
      o.failed = out.status == status::failed;
      o.stopped = out.status == status::aborted;
      if (out.error) o.error = out.error->message;
      o.output = out.output;
      return o;
    });
    return out;
  }

  [[nodiscard]] outcome run_bound(const context_type& c, const run_options& options, const resume_state* resume,
                                  std::vector<resume_answer> answers, const instance* who) const {
    detail::run_setup s;
    s.name = config_.name;
    s.mode = options.mode;
    s.execution = config_.tool_execution;
    s.delivery = config_.schema_delivery;
    s.runtime_schema_fallback = config_.runtime_schema_fallback;
    s.tools_only = config_.tools_only;
    s.tools_complete = config_.tools_complete;
    s.dynamic = config_.dynamic;
    s.check_history = config_.check_history;
    s.nested = !c.tool_call_id.empty();
    s.strict = config_.strict;
    const auto allowance = [](const auto& own, const auto& shared, std::size_t fallback) {
      return own ? *own : shared ? *shared : fallback;
    };
    s.tool_retries = allowance(config_.tool_retries, c.tool_retries, 2);
    s.output_retries = allowance(config_.output_retries, c.output_retries, 2);
    s.forget_retries = allowance(config_.forget_retries, c.forget_retries, 1);
    s.tool_iterations = config_.tool_iterations;
    s.model_retries = config_.model_retries;
    s.model_retry_delay = config_.model_retry_delay;
    s.tools_max = config_.tools_max;
    s.tool_rounds = config_.tool_rounds;
    s.max_total_tokens = config_.max_total_tokens;
    s.max_output_tokens = c.max_output_tokens;
    s.context_window = c.context_window;
    s.error_limit = config_.validation_error_max_length;
    if (config_.user_turn) s.user_turn = *config_.user_turn;
    else if (c.user_turn) s.user_turn = *c.user_turn;
    s.tools_descriptor = c.tools_descriptor;
    s.output_descriptor = c.output_descriptor;
    if (!config_.exclude_messages || resume != nullptr) s.messages = c.messages;
    s.stop = c.stop;
    s.deadline = c.deadline;
    s.executor = c.executor;
    if (resume != nullptr) s.resume = *resume;
    s.answers = std::move(answers);
    s.estimate = c.estimate;
    s.forget = config_.forget;
    s.synthesize = config_.synthesize;
    if (who != nullptr && c.runner != nullptr)
      s.visitor = [&c, &options, who](const event& e) {
        c.runner->tell_event(*who, e);
        if (options.visitor) options.visitor(e);
      };
    else s.visitor = options.visitor;
    s.resolve = [this, &c, &options] { return resolve(c, options.input); };
    if (c.execute)
      s.execute = [this, &c, &options](request& r, const std::stop_token& stop, const chunk_sink&) {
        const Meta meta = metadata(options.input, c);
        return c.execute(r, c, meta, stop);
      };
    if (c.stream)
      s.stream = [this, &c, &options](request& r, const std::stop_token& stop, const chunk_sink& sink) {
        const Meta meta = metadata(options.input, c);
        return c.stream(r, c, meta, stop, sink);
      };
    bind_hooks(s, c);
    return detail::run_loop{s}.run();
  }

  void bind_hooks(detail::run_setup& s, const context_type& c) const {
    using parsed = std::variant<json::value, hook_error>;
    if (config_.parse)
      s.parse = [this, &c](json::value v) {
        return detail::guarded([&] { return config_.parse(std::move(v), c); },
                               [](std::string why) { return parsed{hook_error{std::move(why)}}; });
      };
    if (config_.validate)
      s.validate = [this, &c](const json::value& v) {
        return detail::guarded([&] { return config_.validate(v, c); },
                               [](std::string why) { return std::optional{hook_error{std::move(why)}}; });
      };
    if (config_.reconfig)
      s.reconfig = [this, &c](const reconfig_stats& stats) {
        using changed = std::variant<std::monostate, reconfig_changes, hook_error>;
        return detail::guarded([&] { return config_.reconfig(stats, c); },
                               [](std::string why) { return changed{hook_error{std::move(why)}}; });
      };
    if (config_.on_tool_intercept)
      s.intercept = [this, &c](const call_info& i) {
        return detail::guarded([&] { return config_.on_tool_intercept(i, c); },
                               [](std::string why) { return std::optional{tool_outcome::error(std::move(why))}; });
      };
    if (config_.on_tool_result)
      s.transform = [this, &c](const call_info& i, const std::optional<json::value>& v) {
        using shown = std::variant<std::optional<json::value>, hook_error>;
        return detail::guarded([&] { return config_.on_tool_result(i, v, c); },
                               [](std::string why) { return shown{hook_error{std::move(why)}}; });
      };
    if (config_.plan)
      s.plan = [this](const std::string& text, const std::vector<std::shared_ptr<const detail::bound_tool>>& tools) {
        std::vector<tool_definition> definitions;
        for (const auto& t : tools) definitions.push_back(t->definition);
        return config_.plan(text, definitions);
      };
  }

  /// Section 5.
  [[nodiscard]] std::variant<detail::resolution, incompatible, run_error> resolve(const context_type& c,
                                                                                   const json::value& input) const {
    detail::resolution out;
    auto config = config_.config.get(input, c);
    if (std::holds_alternative<incompatible>(config)) return incompatible{};
    if (auto* e = std::get_if<hook_error>(&config)) return hook("config", *e);
    if (auto* fields = std::get_if<request_fields>(&config)) out.config = std::move(*fields);

    auto schema = config_.schema.get(input, c);
    if (auto* e = std::get_if<hook_error>(&schema)) return hook("schema", *e);
    if (auto* s = std::get_if<json_schema>(&schema)) out.schema = std::move(*s);

    auto choice = config_.retool.get(input, c);
    if (std::holds_alternative<incompatible>(choice)) return incompatible{};
    if (auto* e = std::get_if<hook_error>(&choice)) return hook("retool", *e);
    std::vector<tool_ptr> tools;
    if (auto* chosen = std::get_if<tool_selection<Data, Meta>>(&choice)) {
      if (auto wrong = select(*chosen, tools)) return std::move(*wrong);
    } else {
      tools = config_.tools;
    }
    std::erase_if(tools, [&c](const tool_ptr& t) { return !t->applicable(c); });
    for (std::size_t i = 0; i < tools.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (tools[i]->name() == tools[j]->name())
          return error(error_kind::configuration,
                       texts::join({"two tools are named \"", tools[i]->name(), "\"; rename one"}));

    std::string section;
    for (const tool_ptr& t : tools) {
      auto text = t->instructions(c);
      if (auto* e = std::get_if<hook_error>(&text)) return hook(t->name() + ".instructions", *e);
      if (auto* e = std::get_if<template_error>(&text)) return bad_template(*e);
      const std::string& s = *std::get_if<std::string>(&text);
      if (!s.empty()) section += (section.empty() ? "" : "\n\n") + s;
      auto bound = t->bind(c);
      if (auto* e = std::get_if<hook_error>(&bound)) return hook(t->name() + ".schema", *e);
      if (auto& b = *std::get_if<std::shared_ptr<const detail::bound_tool>>(&bound)) out.tools.push_back(std::move(b));
    }

    auto variables = config_.input.get(input, c);
    if (auto* e = std::get_if<hook_error>(&variables)) return hook("input", *e);
    const auto* computed = std::get_if<json::value>(&variables);
    json::value own;  // a copy only where the section is laid over
    const json::value* data = computed != nullptr ? computed : &input;
    if (!tools.empty() && (data->is_object() || data->is_null())) {
      own = *data;
      own.set("tools", section);
      data = &own;
    }
    if (auto wrong = render_system(c, input, *data, !section.empty(), out.system)) return std::move(*wrong);
    return out;
  }

  [[nodiscard]] std::optional<run_error> select(const tool_selection<Data, Meta>& chosen, std::vector<tool_ptr>& out) const {
    const auto own = [this](std::string_view name) {
      return std::any_of(config_.tools.begin(), config_.tools.end(), [name](const auto& t) { return t->name() == name; });
    };
    const auto object = [&chosen](std::string_view name) -> tool_ptr {
      for (const tool_ptr& t : chosen.tools)
        if (t->name() == name) return t;
      return nullptr;
    };
    const auto named = [&chosen](std::string_view name) {
      return std::find(chosen.names.begin(), chosen.names.end(), name) != chosen.names.end();
    };
    for (const std::string& n : chosen.names)
      if (!own(n))
        return error(error_kind::configuration,
                     texts::join({"retool names \"", n, "\", which is no tool of this prompt"}));
    for (const tool_ptr& t : config_.tools)
      if (named(t->name())) {
        const tool_ptr replacement = object(t->name());
        out.push_back(replacement ? replacement : t);
      }
    for (const tool_ptr& t : chosen.tools)
      if (!named(t->name())) out.push_back(t);
    return std::nullopt;
  }

  [[nodiscard]] std::optional<run_error> render_system(const context_type& c, const json::value& input,
                                                       const json::value& data, bool has_section, std::string& out) const {
    std::optional<result<compiled_content, template_error>> own;
    if (!compiled_) {
      auto text = config_.content.get(input, c);
      if (auto* e = std::get_if<hook_error>(&text)) return hook("content", *e);
      const auto* s = std::get_if<std::string>(&text);
      own.emplace(compile(s != nullptr ? *s : std::string{}));
    }
    const auto& content = compiled_ ? *compiled_ : *own;
    if (!content) return bad_template(content.error());
    template_options options;
    options.library = config_.library.get();
    const prompt_template& t = has_section && content->with_section ? *content->with_section : content->plain;
    if (auto e = t.render_to(out, data, options)) return bad_template(*e);
    return std::nullopt;
  }

  prompt_config<Data, Meta> config_;
  std::optional<result<compiled_content, template_error>> compiled_{};
};

/// A prompt to share.
template <class Data = nothing, class Meta = nothing>
[[nodiscard]] std::shared_ptr<const prompt<Data, Meta>> make_prompt(prompt_config<Data, Meta> config) {
  return std::make_shared<const prompt<Data, Meta>>(std::move(config));
}

}  // namespace prompt
}  // namespace v0_1
}  // namespace codemode
