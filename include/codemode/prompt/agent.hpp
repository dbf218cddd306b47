#pragma once

/// @file
/// Agents: code of the host that composes prompts and tools (prompt.md, section 18).

#include <codemode/prompt/component.hpp>
#include <codemode/prompt/guard.hpp>

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

/// What an agent gives: a value or nothing, or an error.
using agent_result = std::variant<std::optional<json::value>, hook_error>;

template <class Data = nothing, class Meta = nothing>
struct agent_config {
  using context_type = context<Data, Meta>;
  using component_ptr = std::shared_ptr<const component<Data, Meta>>;

  std::string name{};
  std::string description{};
  std::vector<component_ptr> refs{};
  /// Does the work; runs its components with the context it is given. Calls no model itself.
  std::function<agent_result(const json::value& input, const std::vector<component_ptr>& refs, const context_type&)> call{};
  std::function<bool(const context_type&)> applicable{};
  Meta metadata{};
  std::function<Meta(Meta fixed, const json::value& input, const context_type&)> metadata_fn{};
};

/// An agent. Const and shared.
template <class Data = nothing, class Meta = nothing>
class agent final : public component<Data, Meta> {
 public:
  using context_type = context<Data, Meta>;

  explicit agent(agent_config<Data, Meta> config) : config_(std::move(config)) {}

  [[nodiscard]] component_kind kind() const noexcept override { return component_kind::agent; }
  [[nodiscard]] const std::string& name() const noexcept override { return config_.name; }
  [[nodiscard]] const std::string& description() const noexcept override { return config_.description; }
  [[nodiscard]] bool applicable(const context_type& c) const override {
    return config_.applicable ? config_.applicable(c) : any_applicable(config_.refs, c);
  }
  [[nodiscard]] Meta metadata(const json::value& input, const context_type& c) const {
    return config_.metadata_fn ? config_.metadata_fn(config_.metadata, input, c) : config_.metadata;
  }

  /// Runs the agent on this thread, through the context's runner if there is one.
  [[nodiscard]] agent_result run(const json::value& input, const context_type& c) const {
    if (c.runner == nullptr) return call(input, c);
    agent_result out;
    c.runner->observe(*this, input, c, [&](const context_type& inner) {
      out = call(input, inner);
      observed o;
      if (const auto* e = std::get_if<hook_error>(&out)) {
        o.failed = true;
        o.error = e->message;
      } else {
        o.output = *std::get_if<std::optional<json::value>>(&out);
      }
      return o;
    });
    return out;
  }

 private:
  [[nodiscard]] agent_result call(const json::value& input, const context_type& c) const {
    return detail::guarded([&] { return config_.call(input, config_.refs, c); },
                           [](std::string why) { return agent_result{hook_error{std::move(why)}}; });
  }
  agent_config<Data, Meta> config_;
};

}  // namespace prompt
}  // namespace v0_1
}  // namespace codemode
