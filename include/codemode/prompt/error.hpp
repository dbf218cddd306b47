#pragma once

/// @file
/// Why a run ended without an answer (prompt.md, section 16.2), and why a model call failed.

#include <codemode/config.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace codemode {
inline namespace v0_1 {
namespace prompt {

enum class error_kind : std::uint8_t {
  configuration,   ///< the prompt asks for what it does not have
  template_error,  ///< the template cannot be parsed or rendered
  hook,            ///< a hook of the host failed
  history,         ///< calls and answers in the given messages do not pair
  model,           ///< the model callable failed
  refusal,         ///< the model refused
  content_filter,  ///< the answer was filtered
  length,          ///< the answer was cut at the token limit
  output,          ///< the last output was rejected
  iterations,      ///< the budget is used up
  tokens,          ///< `max_total_tokens` is reached
  reconfig_stop,   ///< reconfig ended the run
  incompatible,    ///< a later resolve said that the prompt does not apply
  deadline         ///< the deadline passed
};

/// The spelling in vectors: `"configuration"`, `"template"`, ...
[[nodiscard]] constexpr std::string_view to_string(error_kind k) noexcept {
  constexpr std::array<std::string_view, 14> names{
      "configuration", "template", "hook",       "history", "model",         "refusal",      "content_filter",
      "length",        "output",   "iterations", "tokens",  "reconfig_stop", "incompatible", "deadline"};
  return names[static_cast<std::size_t>(k)];
}

/// Why something was said again.
enum class reset_reason : std::uint8_t { length, json_parsing, schema_parsing, validation, request_error };

/// `"length"`, `"json-parsing"`, ...
[[nodiscard]] constexpr std::string_view to_string(reset_reason r) noexcept {
  constexpr std::array<std::string_view, 5> names{"length", "json-parsing", "schema-parsing", "validation",
                                                  "request-error"};
  return names[static_cast<std::size_t>(r)];
}

/// The error of a run. Cheap to keep; causes are never dropped.
struct run_error {
  error_kind kind = error_kind::model;
  std::string message{};                 ///< starts with the prompt's name
  std::optional<reset_reason> reason{};  ///< of kind output
  std::string raw{};                     ///< the uncut rejection, for kind output
  std::shared_ptr<const run_error> cause{};
};

/// What kind of failure a model call met. Decides whether it is tried again.
enum class model_error_class : std::uint8_t {
  unknown,         ///< the adapter does not say: behaves as the specification's plain failure
  schema_rejected,  ///< the provider refuses the schema: may lead to prompt delivery
  transient,       ///< worth another try: 429, 500, a dropped connection
  overloaded,      ///< the same, and the provider says that it is full
  authentication,  ///< the key is wrong
  other            ///< none of these; never tried again
};

/// Failure of a model callable.
struct model_error {
  std::string message{};
  model_error_class what = model_error_class::unknown;
  std::optional<std::chrono::milliseconds> retry_after{};
};

/// Failure of any other callable of the host.
struct hook_error {
  std::string message{};
};

}  // namespace prompt
}  // namespace v0_1
}  // namespace codemode
