#pragma once

/// @file
/// What a run is made of and what it gives, free of the host's types.

#include <codemode/prompt/error.hpp>
#include <codemode/prompt/event.hpp>
#include <codemode/prompt/executor.hpp>
#include <codemode/prompt/message.hpp>
#include <codemode/prompt/request.hpp>
#include <codemode/prompt/tool_parse.hpp>
#include <codemode/prompt/window.hpp>
#include <codemode/result.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace prompt {

/// What a tool gives: a value or nothing, an error, or a way to end the round.
struct tool_outcome {
  enum class kind : std::uint8_t { value, error, interrupt, suspend };
  kind what = kind::value;
  std::optional<json::value> result{};  ///< of `value`; absent: nothing
  std::string text{};                   ///< of the others

  [[nodiscard]] static tool_outcome value(json::value v) { return {kind::value, std::move(v), {}}; }
  [[nodiscard]] static tool_outcome nothing() { return {}; }
  [[nodiscard]] static tool_outcome error(std::string why) { return {kind::error, {}, std::move(why)}; }
  /// Returns control to the caller; `why` goes into the marker that the model sees later.
  [[nodiscard]] static tool_outcome interrupt(std::string why = {}) { return {kind::interrupt, {}, std::move(why)}; }
  /// Ends the run with the call unanswered, until work outside is done.
  [[nodiscard]] static tool_outcome suspend(std::string why = {}) { return {kind::suspend, {}, std::move(why)}; }
};

/// Ways to run (section 17). They choose the model callable and what counts as the end.
enum class mode : std::uint8_t {
  result,        ///< `execute` before `stream`
  tools,         ///< the same, and only the calls matter
  stream,        ///< `stream` before `execute`
  stream_tools,  ///< the same; for hosts that look at tool results
  stream_content  ///< the same; for hosts that look at text
};

/// Where the calls of one answer run.
enum class tool_execution : std::uint8_t {
  sequential,  ///< one after another on the loop's thread
  parallel,    ///< all at once on the executor
  immediate    ///< as parallel, and streamed calls as soon as they are complete
};

enum class schema_delivery : std::uint8_t { automatic, structured, prompt };

enum class status : std::uint8_t { complete, interrupted, suspended, aborted, incompatible, no_model, failed };

/// The spelling in vectors: `"complete"`, ..., `"noModel"`.
[[nodiscard]] constexpr std::string_view to_string(status s) noexcept {
  constexpr std::array<std::string_view, 7> names{"complete",     "interrupted", "suspended", "aborted",
                                                  "incompatible", "noModel",     "failed"};
  return names[static_cast<std::size_t>(s)];
}

/// What a suspended run must remember beside its messages.
struct resume_state {
  std::size_t tool_retries = 0;
  std::size_t output_retries = 0;
  std::size_t forget_retries = 0;
  bool promoted = false;          ///< the schema goes out as prompt text
  bool choice_satisfied = false;  ///< a fixed tool choice was met

  [[nodiscard]] json::value to_json() const {
    return json::value::make_object({{"toolRetries", tool_retries},
                                     {"outputRetries", output_retries},
                                     {"forgetRetries", forget_retries},
                                     {"promoted", promoted},
                                     {"choiceSatisfied", choice_satisfied}});
  }
  /// Members that are missing or of another type keep their defaults.
  [[nodiscard]] static resume_state from_json(const json::value& v) {
    resume_state s;
    const auto count = [&v](std::string_view name, std::size_t& to) {
      if (const json::value* n = v.find(name); n != nullptr && n->is_number() && n->integer() > 0)
        to = static_cast<std::size_t>(n->integer());
    };
    const auto flag = [&v](std::string_view name) {
      const json::value* b = v.find(name);
      return b != nullptr && b->is_true();
    };
    count("toolRetries", s.tool_retries);
    count("outputRetries", s.output_retries);
    count("forgetRetries", s.forget_retries);
    s.promoted = flag("promoted");
    s.choice_satisfied = flag("choiceSatisfied");
    return s;
  }
};

/// The answer to a call that a suspended run left open.
struct resume_answer {
  std::string call_id{};
  /// Absent: run the tool now (approved); it goes through the ordinary dispatch.
  std::optional<tool_outcome> outcome{};
};

/// A successful tool's raw result.
struct tool_result {
  std::string tool{};
  std::string call_id{};
  std::optional<json::value> result{};
  std::optional<json::value> to_model{};  ///< absent if the transformer failed or gave nothing
  bool transformed = true;                ///< false: the transformer failed
};

/// How a run ended.
struct outcome {
  prompt::status status = prompt::status::failed;
  std::optional<json::value> output{};  ///< plain text is a string
  std::optional<run_error> error{};
  message_list messages{};
  prompt::usage usage{};
  bool usage_reported = false;
  std::size_t iterations = 0;
  std::vector<std::string> pending{};        ///< ids of open calls
  std::vector<tool_result> tool_results{};   ///< in the order of the calls; as they ended in stream_tools
  resume_state resume{};
};

/// What `reconfig` is told.
struct reconfig_stats {
  std::size_t iteration = 0;
  std::size_t max_iterations = 0;
  std::size_t tool_parse_errors = 0;
  std::size_t tool_call_errors = 0;
  std::size_t tool_successes = 0;
  std::vector<std::string> tools{};  ///< called so far, once each
  std::size_t tool_retries = 0;
  std::size_t output_retries = 0;
  std::size_t forget_retries = 0;
  prompt::usage usage{};
};

/// What `reconfig` changes; absent fields change nothing.
struct reconfig_changes {
  std::optional<request_fields> config{};
  std::optional<std::int64_t> max_iterations{};  ///< this iteration and so many less one more; 0 ends the run
  std::optional<std::size_t> tool_retries{};
  std::optional<std::size_t> output_retries{};
  std::optional<std::size_t> forget_retries{};
};

/// The call that a hook is asked about.
struct call_info {
  const tool_call& call;
  const json::value& arguments;
};

/// What a tool's call gets beside its arguments.
struct call_site {
  const tool_call& call;
  std::stop_token stop{};
  std::optional<clock::time_point> deadline{};
  std::shared_ptr<prompt::executor> executor{};
};

/// The prompt does not apply here.
struct incompatible {};

/// Says that the model should plan on.
struct plan_refusal {
  std::string why{};
};

/// Takes a chunk; false: stop, the host should end early.
using chunk_sink = std::function<bool(const chunk&)>;
using model_result = result<response, model_error>;

namespace detail {

/// A tool bound to one run's context.
struct bound_tool {
  tool_definition definition{};
  std::optional<std::size_t> max_arguments{};
  std::optional<std::chrono::milliseconds> timeout{};
  value_parser parse{};
  value_check validate{};
  std::function<tool_outcome(const json::value&, const call_site&)> call{};
};

struct resolution {
  request_fields config{};
  json_schema schema{};
  std::vector<std::shared_ptr<const bound_tool>> tools{};
  std::string system{};
};

/// Settings and callables of one run.
struct run_setup {
  std::string name{};
  prompt::mode mode = prompt::mode::result;
  tool_execution execution = tool_execution::immediate;
  schema_delivery delivery = schema_delivery::automatic;
  bool runtime_schema_fallback = true;
  bool tools_only = false;
  bool tools_complete = true;
  bool dynamic = false;
  bool check_history = true;
  bool nested = false;
  double strict = 1;
  std::size_t tool_retries = 2;
  std::size_t output_retries = 2;
  std::size_t forget_retries = 1;
  std::size_t tool_iterations = 3;
  std::size_t model_retries = 2;
  std::chrono::milliseconds model_retry_delay{500};
  std::optional<std::size_t> tools_max{};
  std::optional<std::size_t> tool_rounds{};
  std::optional<std::int64_t> max_total_tokens{};
  std::optional<std::int64_t> max_output_tokens{};
  std::optional<std::int64_t> context_window{};
  std::int64_t error_limit = 4096;
  std::string user_turn{texts::begin};
  std::string tools_descriptor{};
  std::string output_descriptor{};
  std::shared_ptr<const message_list> messages{};
  std::stop_token stop{};
  std::optional<clock::time_point> deadline{};
  std::shared_ptr<prompt::executor> executor{};
  std::optional<resume_state> resume{};
  std::vector<resume_answer> answers{};

  std::function<std::variant<resolution, incompatible, run_error>()> resolve{};
  std::function<model_result(request&, const std::stop_token&, const chunk_sink&)> execute{};
  std::function<model_result(request&, const std::stop_token&, const chunk_sink&)> stream{};
  std::function<void(const event&)> visitor{};
  message_estimator estimate{};
  value_parser parse{};
  value_check validate{};
  std::function<std::variant<std::monostate, reconfig_changes, hook_error>(const reconfig_stats&)> reconfig{};
  std::function<std::optional<tool_outcome>(const call_info&)> intercept{};
  std::function<std::variant<std::optional<json::value>, hook_error>(const call_info&, const std::optional<json::value>&)>
      transform{};
  forget_hook forget{};
  std::function<std::optional<std::string>(call_state, const tool_call&, std::string_view)> synthesize{};
  std::function<std::variant<std::vector<tool_call>, plan_refusal>(
      const std::string&, const std::vector<std::shared_ptr<const bound_tool>>&)>
      plan{};
};

}  // namespace detail
}  // namespace prompt
}  // namespace v0_1
}  // namespace codemode
