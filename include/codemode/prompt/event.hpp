#pragma once

/// @file
/// What a run tells while it goes (prompt.md, section 15). Views and references are valid during the delivery.

#include <codemode/prompt/error.hpp>
#include <codemode/prompt/message.hpp>
#include <codemode/prompt/request.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace prompt {
namespace events {

/// What every event carries.
struct base {
  const prompt::request* during = nullptr;  ///< the latest model call
};
/// What every event about a call carries.
struct call_base : base {
  std::string_view tool{};     ///< empty if no offered tool has the name
  std::string_view call_id{};
};

/// A model call begins.
struct request : base {
  std::size_t iterations = 0;
};
/// The first usage of a model call.
struct request_usage : base {
  const prompt::usage* usage = nullptr;
};
/// Text of an answer, piece by piece.
struct text_partial : base {
  std::string_view content{};
};
/// Reasoning, piece by piece.
struct reason_partial : base {
  const prompt::reasoning* reasoning = nullptr;
};
struct tool_parse_name : call_base {};
struct tool_parse_arguments : call_base {
  std::string_view arguments{};  ///< the text so far
};
/// All reasoning of an answer.
struct reason : base {
  const prompt::reasoning* reasoning = nullptr;
};
struct refusal : base {
  std::string_view content{};
  bool from_model = false;  ///< the text is the model's
};
/// All text of an answer.
struct text : base {
  std::string_view content{};
};
/// A message was appended.
struct message : base {
  message_ptr message{};
};
/// Arguments were mended, or could not be.
struct tool_repair : call_base {
  const std::vector<std::string>* fields = nullptr;
  bool success = false;
};
struct tool_start : call_base {
  const json::value* arguments = nullptr;
};
struct tool_output : call_base {
  const json::value* arguments = nullptr;
  const json::value* result = nullptr;    ///< what the tool gave; null pointer: nothing
  const json::value* to_model = nullptr;  ///< what the model sees; null pointer: nothing
};
struct tool_error : call_base {
  const json::value* arguments = nullptr;  ///< null pointer: not accepted
  std::string_view error{};
  std::string_view raw_arguments{};
  const json::value* result = nullptr;  ///< given if the transformer failed
};
struct tool_interrupt : call_base {
  const json::value* arguments = nullptr;
};
struct tool_suspend : call_base {
  const json::value* arguments = nullptr;
};
/// What was said since the last request does not count.
struct text_reset : base {
  reset_reason reason = reset_reason::length;
};
/// The text of the run.
struct text_complete : base {
  std::string_view content{};
};
/// Output tokens of the last model call that told them.
struct response_tokens : base {
  std::int64_t tokens = 0;
};
/// Usage of the run.
struct usage : base {
  const prompt::usage* usage = nullptr;
};
/// The run is suspended; the request's messages are what to save.
struct suspend : base {};
/// The run has its output.
struct complete : base {
  const json::value* output = nullptr;  ///< null pointer: tools-only
};
/// A model call failed and is tried again (class transient or overloaded).
struct retry : base {
  const model_error* error = nullptr;
  std::size_t attempt = 0;  ///< from 1
};
/// The local planner left the instruction to the model.
struct plan_refused : base {
  std::string_view why{};
};

}  // namespace events

using event =
    std::variant<events::request, events::request_usage, events::text_partial, events::reason_partial,
                 events::tool_parse_name, events::tool_parse_arguments, events::reason, events::refusal, events::text,
                 events::message, events::tool_repair, events::tool_start, events::tool_output, events::tool_error,
                 events::tool_interrupt, events::tool_suspend, events::text_reset, events::text_complete,
                 events::response_tokens, events::usage, events::suspend, events::complete, events::retry,
                 events::plan_refused>;

/// The event's name in vectors (`"toolParseName"`).
[[nodiscard]] inline std::string_view to_string(const event& e) noexcept {
  constexpr std::string_view names[]{
      "request",    "requestUsage", "textPartial", "reasonPartial", "toolParseName", "toolParseArguments",
      "reason",     "refusal",      "text",        "message",       "toolArgRepairAttempt", "toolStart",
      "toolOutput", "toolError",    "toolInterrupt", "toolSuspend", "textReset",     "textComplete",
      "responseTokens", "usage",    "suspend",     "complete",      "retry",         "planRefused"};
  static_assert(std::size(names) == std::variant_size_v<event>);
  return names[e.index()];
}

}  // namespace prompt
}  // namespace v0_1
}  // namespace codemode
