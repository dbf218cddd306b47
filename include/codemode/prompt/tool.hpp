#pragma once

/// @file
/// Tools that a model may call (prompt.md, section 7.1).

#include <codemode/prompt/component.hpp>
#include <codemode/prompt/context.hpp>
#include <codemode/prompt/guard.hpp>
#include <codemode/prompt/template.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace prompt {

/// A tool's configuration; `name`, `schema` and `call` are required. Fill it and make a `tool`.
template <class Data = nothing, class Meta = nothing>
struct tool_config {
  using context_type = context<Data, Meta>;
  using component_ptr = std::shared_ptr<const component<Data, Meta>>;

  std::string name{};
  std::string description{};
  field<std::string, context_type> computed_description{};  ///< wins if it gives text
  /// Text for the prompt's tools section; a template only if `input` is given.
  field<std::string, context_type> instructions{};
  field<json::value, context_type> input{};
  field<json_schema, context_type> schema{};  ///< nothing: not available in this context
  double strict = 1;
  std::vector<component_ptr> refs{};  ///< components that `call` uses
  /// Does the work. On the executor in parallel and immediate execution: must be safe beside other calls. The
  /// arguments were decoded and checked.
  std::function<tool_outcome(const json::value& arguments, const call_context<Data, Meta>&)> call{};
  std::function<std::variant<json::value, hook_error>(json::value, const context_type&)> parse{};
  std::function<std::optional<hook_error>(const json::value&, const context_type&)> validate{};
  std::optional<std::size_t> max_args_length{};  ///< of the raw text, in bytes
  std::function<bool(const context_type&)> applicable{};
  Meta metadata{};
  std::function<Meta(Meta fixed, const json::value& input, const context_type&)> metadata_fn{};
  std::optional<std::chrono::milliseconds> timeout{};
};

/// A tool. Const and shared; one object may be in many prompts and many runs at once.
template <class Data = nothing, class Meta = nothing>
class tool final : public component<Data, Meta> {
 public:
  using context_type = context<Data, Meta>;

  explicit tool(tool_config<Data, Meta> config) : config_(std::move(config)) {
    if (config_.input.is_set() && config_.instructions.fixed())
      compiled_.emplace(prompt_template::parse(*config_.instructions.fixed()));
  }

  [[nodiscard]] component_kind kind() const noexcept override { return component_kind::tool; }
  [[nodiscard]] const std::string& name() const noexcept override { return config_.name; }
  [[nodiscard]] const std::string& description() const noexcept override { return config_.description; }
  [[nodiscard]] const tool_config<Data, Meta>& config() const noexcept { return config_; }

  [[nodiscard]] bool applicable(const context_type& c) const override {
    if (config_.applicable) return config_.applicable(c);
    const auto schema = config_.schema.get(json::value{}, c);
    const auto* s = std::get_if<json_schema>(&schema);
    return s != nullptr && *s && any_applicable(config_.refs, c);
  }

  /// The fixed metadata, with the computed one over it.
  [[nodiscard]] Meta metadata(const json::value& input, const context_type& c) const {
    return config_.metadata_fn ? config_.metadata_fn(config_.metadata, input, c) : config_.metadata;
  }

  /// Text for the tools section; may be empty.
  [[nodiscard]] std::variant<std::string, hook_error, template_error> instructions(const context_type& c) const {
    const json::value none;
    auto text = config_.instructions.get(none, c);
    if (auto* e = std::get_if<hook_error>(&text)) return std::move(*e);
    auto* s = std::get_if<std::string>(&text);
    if (s == nullptr) return std::string{};
    if (!config_.input.is_set()) return std::move(*s);
    auto variables = config_.input.get(none, c);
    if (auto* e = std::get_if<hook_error>(&variables)) return std::move(*e);
    const auto* v = std::get_if<json::value>(&variables);
    auto compiled = compiled_ ? *compiled_ : prompt_template::parse(std::move(*s));
    if (!compiled) return std::move(compiled.error());
    auto rendered = compiled->render(v != nullptr ? *v : none);
    if (!rendered) return std::move(rendered.error());
    return std::move(*rendered);
  }

  /// The tool bound to a run's context, which must outlive it; nothing without a schema.
  [[nodiscard]] std::variant<std::shared_ptr<const detail::bound_tool>, hook_error> bind(const context_type& c) const {
    auto bound = std::make_shared<detail::bound_tool>();
    const json::value none;
    auto schema = config_.schema.get(none, c);
    if (auto* e = std::get_if<hook_error>(&schema)) return std::move(*e);
    auto* s = std::get_if<json_schema>(&schema);
    if (s == nullptr || !*s) return std::shared_ptr<const detail::bound_tool>{};
    bound->definition = {config_.name, config_.description, std::move(*s), config_.strict, {}};
    auto description = config_.computed_description.get(none, c);
    if (auto* text = std::get_if<std::string>(&description); text != nullptr && !text->empty())
      bound->definition.description = std::move(*text);
    bound->max_arguments = config_.max_args_length;
    bound->timeout = config_.timeout;
    if (config_.parse)
      bound->parse = [this, &c](json::value v) -> std::variant<json::value, hook_error> {
        return detail::guarded([&] { return config_.parse(std::move(v), c); },
                               [](std::string why) { return std::variant<json::value, hook_error>{hook_error{std::move(why)}}; });
      };
    if (config_.validate)
      bound->validate = [this, &c](const json::value& v) -> std::optional<hook_error> {
        return detail::guarded([&] { return config_.validate(v, c); },
                               [](std::string why) { return std::optional{hook_error{std::move(why)}}; });
      };
    bound->call = [this, &c](const json::value& arguments, const call_site& site) {
      return run(arguments, call_context<Data, Meta>{c, site});
    };
    return std::shared_ptr<const detail::bound_tool>{std::move(bound)};
  }

  /// Calls the tool, through the runner if the context has one.
  [[nodiscard]] tool_outcome run(const json::value& arguments, const call_context<Data, Meta>& site) const;

 private:
  tool_config<Data, Meta> config_;
  std::optional<result<prompt_template, template_error>> compiled_{};
};

/// A tool to share: `make_tool<host>({.name = ..., .schema = ..., .call = ...})`.
template <class Data = nothing, class Meta = nothing>
[[nodiscard]] std::shared_ptr<const tool<Data, Meta>> make_tool(tool_config<Data, Meta> config) {
  return std::make_shared<const tool<Data, Meta>>(std::move(config));
}

template <class Data, class Meta>
tool_outcome tool<Data, Meta>::run(const json::value& arguments, const call_context<Data, Meta>& site) const {
  if (!config_.call) return tool_outcome::error("the tool has no call");
  const context_type& c = site.run();
  if (c.runner == nullptr) return config_.call(arguments, site);
  // The runner wants a context of this component's own.
  context_type own = site.nested();
  tool_outcome out;
  c.runner->observe(*this, arguments, own, [&](const context_type& inner) {
    const call_site at{site.call(), site.stop(), site.deadline(), own.executor};
    out = config_.call(arguments, call_context<Data, Meta>{inner, at});
    return observed{out.what == tool_outcome::kind::error, out.text, out.result};
  });
  return out;
}

}  // namespace prompt
}  // namespace v0_1
}  // namespace codemode
