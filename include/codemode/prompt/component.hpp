#pragma once

/// @file
/// What prompts, tools and agents have in common, and a runner that observes them (prompt.md, section 18).

#include <codemode/prompt/context.hpp>
#include <codemode/prompt/event.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace prompt {

enum class component_kind : std::uint8_t { prompt, tool, agent };

/// `"prompt"`, `"tool"`, `"agent"`.
[[nodiscard]] constexpr std::string_view to_string(component_kind k) noexcept {
  constexpr std::array<std::string_view, 3> names{"prompt", "tool", "agent"};
  return names[static_cast<std::size_t>(k)];
}

/// A prompt, a tool or an agent.
template <class Data = nothing, class Meta = nothing>
class component {
 public:
  component() = default;
  component(const component&) = default;
  component(component&&) = default;
  component& operator=(const component&) = default;
  component& operator=(component&&) = default;
  virtual ~component() = default;

  [[nodiscard]] virtual component_kind kind() const noexcept = 0;
  [[nodiscard]] virtual const std::string& name() const noexcept = 0;
  [[nodiscard]] virtual const std::string& description() const noexcept = 0;
  /// Whether it can be used in this context.
  [[nodiscard]] virtual bool applicable(const context<Data, Meta>&) const = 0;
};

/// Whether there are no components or any is applicable.
template <class Data, class Meta>
[[nodiscard]] bool any_applicable(const std::vector<std::shared_ptr<const component<Data, Meta>>>& refs,
                                  const context<Data, Meta>& c) {
  return refs.empty() || std::any_of(refs.begin(), refs.end(), [&c](const auto& r) { return r->applicable(c); });
}

enum class instance_status : std::uint8_t { pending, running, completed, failed, interrupted };

/// One run of a component.
struct instance {
  std::string id{};  ///< `kind:name:counter`
  std::shared_ptr<instance> parent{};
  component_kind kind = component_kind::prompt;
  std::string name{};
  instance_status status = instance_status::pending;
  std::optional<clock::time_point> started{};
  std::optional<clock::time_point> running{};
  std::optional<clock::time_point> completed{};
  std::string error{};
  std::optional<json::value> output{};
  std::vector<std::weak_ptr<instance>> children{};
};

/// How a component's run ended, for its instance.
struct observed {
  bool failed = false;
  std::string error{};
  std::optional<json::value> output{};
  bool stopped = false;
};

/// Observes every component that runs with a context that has it. Callbacks come one at a time, from whichever
/// thread the component runs on; they must not run components themselves.
template <class Data = nothing, class Meta = nothing>
class runner {
 public:
  std::function<void(const instance& parent, const instance& child)> on_child{};
  std::function<void(const instance&)> on_status{};
  /// Every event of a prompt, before the prompt's own visitor.
  std::function<void(const instance&, const event&)> on_prompt_event{};

  /// Runs `body(inner)` as an instance of `c`; `body` returns an `observed`.
  template <class Body>
  void observe(const component<Data, Meta>& c, const json::value&, const context<Data, Meta>& outer, Body&& body) {
    auto me = std::make_shared<instance>();
    me->parent = outer.instance;
    me->kind = c.kind();
    me->name = c.name();
    me->started = clock::now();
    {
      const std::lock_guard lock{mutex_};
      me->id = std::string{to_string(me->kind)} + ":" + me->name + ":" + std::to_string(counter_++);
      if (me->parent) {
        me->parent->children.push_back(me);
        if (on_child) on_child(*me->parent, *me);
      }
      tell(*me, instance_status::pending);
      me->running = clock::now();
      tell(*me, instance_status::running);
    }
    context<Data, Meta> inner = outer;
    inner.instance = me;
    observed end = body(inner);
    const std::lock_guard lock{mutex_};
    me->completed = clock::now();
    me->error = std::move(end.error);
    me->output = std::move(end.output);
    tell(*me, end.stopped || (end.failed && outer.stop.stop_requested()) ? instance_status::interrupted
              : end.failed                                               ? instance_status::failed
                                                                         : instance_status::completed);
  }
  /// Passes an event of the prompt `who` on.
  void tell_event(const instance& who, const event& e) {
    if (!on_prompt_event) return;
    const std::lock_guard lock{mutex_};
    on_prompt_event(who, e);
  }

 private:
  void tell(instance& i, instance_status s) {
    i.status = s;
    if (on_status) on_status(i);
  }
  std::mutex mutex_;
  std::size_t counter_ = 0;
};

}  // namespace prompt
}  // namespace v0_1
}  // namespace codemode
