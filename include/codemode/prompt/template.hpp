#pragma once

/// @file
/// Prompt templates: the Handlebars subset of prompt.md, section 19.

#include <codemode/prompt/template_error.hpp>
#include <codemode/prompt/template_helper.hpp>
#include <codemode/prompt/template_parser.hpp>
#include <codemode/prompt/template_render.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace codemode {
inline namespace v0_1 {

class prompt_template;

/// Helpers and partials that templates may use. Fill it first, then render from any number of threads.
class template_library {
 public:
  /// Adds a helper or replaces the one of that name, built-in ones included.
  void add_helper(std::string name, template_helper helper) {
    for (auto& [known, h] : helpers_)
      if (known == name) {
        h = std::move(helper);
        return;
      }
    helpers_.emplace_back(std::move(name), std::move(helper));
  }
  /// Compiles and adds a partial, or says what is wrong with it.
  [[nodiscard]] std::optional<template_error> add_partial(std::string name, std::string text);

  [[nodiscard]] const auto& helpers() const noexcept { return helpers_; }
  [[nodiscard]] const auto& partials() const noexcept { return partials_; }

 private:
  std::vector<std::pair<std::string, template_helper>> helpers_;
  std::vector<std::pair<std::string, std::shared_ptr<const detail::compiled_template>>> partials_;
};

/// How a template is rendered.
struct template_options {
  const template_library* library = nullptr;  ///< borrowed
  bool escape = false;                        ///< `{{x}}` escapes for HTML
  std::size_t max_partial_depth = 100;        ///< deeper nesting of partials is an error
};

/// A template, compiled. Copies share it; const and free of threads.
///
///     auto t = prompt_template::parse("Hello {{name}}!");
///     auto text = t->render(json::value::make_object({{"name", "Ada"}}));  // result<std::string, template_error>
class prompt_template {
 public:
  /// Compiles `text`, which is kept. Errors are those of section 19.7.
  [[nodiscard]] static result<prompt_template, template_error> parse(std::string text) {
    auto compiled = std::make_shared<detail::compiled_template>();
    compiled->source = std::move(text);
    detail::template_builder builder{compiled->source};
    if (!builder.run(compiled->nodes)) return std::move(builder.error());
    return prompt_template{std::move(compiled)};
  }

  /// Appends the text for `data` to `out`, which holds a part of it after an error. Allocates nothing itself,
  /// except for what helpers give, for hash members of partials (the context is copied) and for names and
  /// characters that become values and are longer than a small string.
  template <text_sink S>
  [[nodiscard]] std::optional<template_error> render_to(S& out, const json::value& data,
                                                        const template_options& options = {}) const {
    detail::template_environment environment;
    if (options.library != nullptr) {
      environment.helpers = options.library->helpers();
      environment.partials = options.library->partials();
    }
    environment.escape = options.escape;
    environment.max_depth = options.max_partial_depth;
    return detail::template_renderer{*compiled_, data, environment}.run(detail::template_output::to(out));
  }
  /// The text for `data`.
  [[nodiscard]] result<std::string, template_error> render(const json::value& data,
                                                           const template_options& options = {}) const {
    std::string out;
    if (auto error = render_to(out, data, options)) return std::move(*error);
    return out;
  }

  /// The text that was compiled.
  [[nodiscard]] std::string_view source() const noexcept { return compiled_->source; }
  /// Whether an output tag shows the variable `name`, also as `@root.name` (section 5.3).
  [[nodiscard]] bool has_output(std::string_view name) const { return has_output(compiled_->nodes, name); }

  [[nodiscard]] const std::shared_ptr<const detail::compiled_template>& compiled() const noexcept {
    return compiled_;
  }

 private:
  explicit prompt_template(std::shared_ptr<const detail::compiled_template> compiled) noexcept
      : compiled_(std::move(compiled)) {}

  [[nodiscard]] static bool has_output(const std::vector<detail::template_node>& nodes, std::string_view name) {
    for (const detail::template_node& n : nodes) {
      const detail::template_expression& h = n.call.head;
      if (n.what == detail::template_node::kind::output && n.call.arguments.empty() && n.call.hash.empty() &&
          ((h.plain && h.names.front() == name) ||
           (h.data && h.up == 0 && h.names.size() == 2 && h.names[0] == "root" && h.names[1] == name)))
        return true;
      if (has_output(n.body, name) || has_output(n.inverse, name)) return true;
    }
    return false;
  }

  std::shared_ptr<const detail::compiled_template> compiled_;
};

inline std::optional<template_error> template_library::add_partial(std::string name, std::string text) {
  auto parsed = prompt_template::parse(std::move(text));
  if (!parsed) return std::move(parsed.error());
  for (auto& [known, compiled] : partials_)
    if (known == name) {
      compiled = parsed->compiled();
      return std::nullopt;
    }
  partials_.emplace_back(std::move(name), parsed->compiled());
  return std::nullopt;
}

}  // namespace v0_1
}  // namespace codemode
