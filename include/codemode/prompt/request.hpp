#pragma once

/// @file
/// What goes to a model and what comes back (prompt.md, sections 3.2 to 3.4).

#include <codemode/json/owned_value.hpp>
#include <codemode/prompt/message.hpp>
#include <codemode/prompt/json_schema.hpp>
#include <codemode/prompt/usage.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace prompt {

/// Whether the model may or must call tools.
struct tool_choice {
  enum class kind : std::uint8_t { automatic, none, required, tool };
  kind what = kind::automatic;
  std::string tool{};  ///< for `kind::tool`

  [[nodiscard]] bool is_fixed() const noexcept { return what == kind::required || what == kind::tool; }
};

/// How much the model should think.
struct reasoning_options {
  enum class level : std::uint8_t { low, medium, high };
  std::optional<level> effort{};
  std::optional<std::int64_t> max_tokens{};
};

/// Fields of a request that a prompt's config and its reconfig hook set. Absent means: leave it to the provider.
struct request_fields {
  std::optional<std::string> name{};
  std::optional<std::string> model{};
  std::optional<std::int64_t> model_context_window{};
  std::optional<std::int64_t> model_max_output_tokens{};
  std::optional<double> temperature{};
  std::optional<double> top_p{};
  std::optional<std::int64_t> max_tokens{};
  std::optional<double> frequency_penalty{};
  std::optional<double> presence_penalty{};
  std::optional<std::vector<std::string>> stop{};
  std::optional<bool> log_probabilities{};
  std::optional<json::value> logit_bias{};
  std::optional<bool> tools_one_at_a_time{};
  std::optional<prompt::tool_choice> tool_choice{};
  std::optional<reasoning_options> reason{};
  std::optional<std::string> cache_key{};
  std::optional<std::string> user_key{};
  std::optional<json::value> extra{};  ///< opaque

  /// Lays `over` on top: what it sets wins.
  void overlay(const request_fields& over) {
    const auto set = [](auto& to, const auto& from) {
      if (from) to = from;
    };
    set(name, over.name);
    set(model, over.model);
    set(model_context_window, over.model_context_window);
    set(model_max_output_tokens, over.model_max_output_tokens);
    set(temperature, over.temperature);
    set(top_p, over.top_p);
    set(max_tokens, over.max_tokens);
    set(frequency_penalty, over.frequency_penalty);
    set(presence_penalty, over.presence_penalty);
    set(stop, over.stop);
    set(log_probabilities, over.log_probabilities);
    set(logit_bias, over.logit_bias);
    set(tools_one_at_a_time, over.tools_one_at_a_time);
    set(tool_choice, over.tool_choice);
    set(reason, over.reason);
    set(cache_key, over.cache_key);
    set(user_key, over.user_key);
    set(extra, over.extra);
  }
};

/// A tool as the model is told of it.
struct tool_definition {
  std::string name{};
  std::string description{};
  json_schema parameters{};
  double strict = 1;         ///< priority for strictness; 0 or less: not strict
  std::string descriptor{};  ///< dialect in which the parameters go out and arguments come back; the host may change it
};

/// How the output schema reaches the model.
enum class delivery : std::uint8_t {
  text,        ///< there is none
  structured,  ///< as structured output
  prompt       ///< as text behind the system message
};

/// What the answer should look like.
struct response_format {
  prompt::delivery delivery = prompt::delivery::text;
  const json_schema* schema = nullptr;  ///< null pointer: text
  double strict = 1;
  std::string descriptor{};  ///< dialect of the schema; the host may change it
};

/// One model call. Views are valid during the call; a host may change the descriptors only.
struct request : request_fields {
  std::span<const message_ptr> messages{};
  std::span<tool_definition> tools{};
  response_format format{};
  std::string_view system{};  ///< the system text without the schema
  std::size_t iterations = 0;
};

enum class finish_reason : std::uint8_t { stop, length, tool_calls, content_filter, refusal };

/// A piece of an answer. Inside one chunk the order is: usage, content, refusal, reasoning, named, arguments, call,
/// finish. Pieces of text may end anywhere, inside a code point too.
struct chunk {
  /// A view of a call; only what the chunk tells is set.
  struct call_view {
    std::string_view id{};
    std::string_view name{};
    std::string_view arguments{};
    bool has_arguments = false;
  };
  std::string_view content{};
  std::string_view refusal{};
  const prompt::reasoning* reasoning = nullptr;
  std::optional<call_view> named{};
  std::optional<call_view> arguments{};
  bool arguments_are_delta = false;  ///< `arguments` is to be appended; otherwise it is the whole text so far
  std::optional<call_view> call{};   ///< complete
  std::optional<finish_reason> finish{};
  const prompt::usage* usage = nullptr;
  std::string_view model{};
};

/// A whole answer; after a stream only what no chunk gave.
struct response {
  std::string content{};
  std::vector<tool_call> tool_calls{};
  std::optional<finish_reason> finish{};
  std::string refusal{};
  std::optional<prompt::reasoning> reasoning{};
  std::optional<prompt::usage> usage{};
  std::string model{};
  json::value extra{};
};

}  // namespace prompt
}  // namespace v0_1
}  // namespace codemode
