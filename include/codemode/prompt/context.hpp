#pragma once

/// @file
/// What a host hands to a run (prompt.md, section 4.1).

#include <codemode/prompt/executor.hpp>
#include <codemode/prompt/guard.hpp>
#include <codemode/prompt/message.hpp>
#include <codemode/prompt/request.hpp>
#include <codemode/prompt/run_types.hpp>
#include <codemode/prompt/window.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace codemode {
inline namespace v0_1 {
namespace prompt {

/// Stands for data or metadata that a host does not have.
struct nothing {};

template <class Data, class Meta>
class runner;
struct instance;

/// The context of a run: the host's own data and access to the model. Small to copy apart from `data`: lists are
/// shared. The library opens no connection; `execute` and `stream` are the host's.
template <class Data = nothing, class Meta = nothing>
struct context {
  /// Makes one model call. Called on the loop's thread. The descriptors in the request may be changed.
  using execute_function =
      std::function<model_result(request&, const context&, const Meta&, const std::stop_token&)>;
  /// The same, piece by piece: calls the sink on this thread for each piece and ends early when it says false.
  using stream_function =
      std::function<model_result(request&, const context&, const Meta&, const std::stop_token&, const chunk_sink&)>;

  Data data{};
  std::shared_ptr<const message_list> messages{};  ///< the conversation so far
  execute_function execute{};
  stream_function stream{};
  std::stop_token stop{};
  std::optional<clock::time_point> deadline{};
  message_estimator estimate{};
  std::optional<std::int64_t> max_output_tokens{};
  std::optional<std::int64_t> context_window{};
  std::optional<std::size_t> output_retries{};
  std::optional<std::size_t> forget_retries{};
  std::optional<std::size_t> tool_retries{};
  std::optional<std::string> user_turn{};
  std::string tools_descriptor{};   ///< dialect of tool parameters; empty: lenient
  std::string output_descriptor{};  ///< dialect of the output schema; empty: lenient
  std::shared_ptr<prompt::executor> executor{};  ///< absent: a pool for each run
  prompt::runner<Data, Meta>* runner = nullptr;  ///< borrowed; observes components
  std::shared_ptr<prompt::instance> instance{};  ///< the component that runs with this context
  std::string tool_call_id{};                    ///< set inside a tool
};

/// What a field's callable may answer: nothing, a value, `incompatible`, or that it failed.
template <class T>
using field_result = std::variant<std::monostate, T, incompatible, hook_error>;

/// A setting that is absent, fixed, or computed from the run's input and context.
template <class T, class Context>
class field {
 public:
  using function = std::function<field_result<T>(const json::value& input, const Context&)>;

  field() = default;
  template <class U>
    requires(std::is_convertible_v<U, T> && !std::is_same_v<std::remove_cvref_t<U>, field>)
  field(U&& fixed) : fixed_(T(std::forward<U>(fixed))) {}
  template <class F>
    requires(!std::is_convertible_v<F, T> && std::is_invocable_v<F, const json::value&, const Context&> &&
             !std::is_same_v<std::remove_cvref_t<F>, field>)
  field(F computed) : computed_([f = std::move(computed)](const json::value& input, const Context& c) -> field_result<T> {
                        return f(input, c);
                      }) {}

  [[nodiscard]] bool is_set() const noexcept { return fixed_ || computed_; }
  [[nodiscard]] const std::optional<T>& fixed() const noexcept { return fixed_; }
  [[nodiscard]] field_result<T> get(const json::value& input, const Context& c) const {
    if (fixed_) return *fixed_;
    if (!computed_) return std::monostate{};
    return detail::guarded([&] { return computed_(input, c); },
                           [](std::string why) { return field_result<T>{hook_error{std::move(why)}}; });
  }

 private:
  std::optional<T> fixed_{};
  function computed_{};
};

/// What a running tool is told beside its arguments. Valid during the call.
template <class Data, class Meta>
class call_context {
 public:
  call_context(const context<Data, Meta>& run, const call_site& site) noexcept : run_(run), site_(site) {}

  /// The context of the run, its history included as it was handed in.
  [[nodiscard]] const context<Data, Meta>& run() const noexcept { return run_; }
  [[nodiscard]] const Data& data() const noexcept { return run_.data; }
  [[nodiscard]] const tool_call& call() const noexcept { return site_.call; }
  /// Stops with the run, and when this call's time is over.
  [[nodiscard]] const std::stop_token& stop() const noexcept { return site_.stop; }
  [[nodiscard]] const std::optional<clock::time_point>& deadline() const noexcept { return site_.deadline; }
  /// A context for components that this tool runs: same history, stop and executor, with the call's id.
  [[nodiscard]] context<Data, Meta> nested() const {
    context<Data, Meta> c = run_;
    c.stop = site_.stop;
    c.executor = site_.executor;
    c.tool_call_id = site_.call.id;
    return c;
  }

 private:
  const context<Data, Meta>& run_;
  const call_site& site_;
};

}  // namespace prompt
}  // namespace v0_1
}  // namespace codemode
