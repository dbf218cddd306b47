#pragma once

/// @file
/// Errors that an agent can act on (contract.md, 1.4, 2.4.3 and 2.12.13). There is one function for each kind, and no
/// other way is needed: type, `retryable` and the ids follow from the kind, and each instruction is actionable (names
/// the next step and the tool for it), conditional (says whether to retry) and grounded (claims only what is known).
/// `check_instruction` holds them to that; tests run it over all of them.
///
/// | kind | type | retryable | ids |
/// | --- | --- | --- | --- |
/// | `bad_tool_ref`, `unknown_tool` | `TOOL_NOT_FOUND` | no | toolRef |
/// | `tool_gone` | `TOOL_NOT_FOUND` | no | both |
/// | `server_not_configured`, `server_disabled`, `bad_server_id`, `bad_transport` | `CONFIG_ERROR` | no | both |
/// | `invalid_arguments` | `ARGUMENT_VALIDATION_FAILED` | no | both |
/// | `schema_changed` | `TOOL_SCHEMA_CHANGED` | no | both |
/// | `call_not_allowed` | `CALL_NOT_ALLOWED` (ours) | no | both |
/// | `server_offline`, `no_session` | `DOWNSTREAM_SERVER_OFFLINE` | yes | both |
/// | `auth_unavailable` | `AUTH_UNAVAILABLE` | no | both |
/// | `deadline_passed`, `call_cancelled`, `tool_failed`, `unexpected` | `DOWNSTREAM_CALL_FAILED` | no | both |
/// | `transport_failed` | `DOWNSTREAM_CALL_FAILED` | yes | both |
/// | `catalog_unreadable`, `find_failed` | `CONFIG_ERROR` | yes | none |
/// | `semantic_unavailable` | `SEMANTIC_SEARCH_UNAVAILABLE` | yes | none |
/// | `not_implemented` | `NOT_IMPLEMENTED` | no | none |

#include <codemode/contract/quote.hpp>
#include <codemode/contract/types.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace codemode {
inline namespace v0_1 {
namespace contract {

/// @name Values of `error::type`
/// @{
inline constexpr std::string_view error_tool_not_found = "TOOL_NOT_FOUND";
inline constexpr std::string_view error_server_offline = "DOWNSTREAM_SERVER_OFFLINE";
inline constexpr std::string_view error_invalid_arguments = "ARGUMENT_VALIDATION_FAILED";
inline constexpr std::string_view error_schema_changed = "TOOL_SCHEMA_CHANGED";
inline constexpr std::string_view error_call_failed = "DOWNSTREAM_CALL_FAILED";
inline constexpr std::string_view error_call_not_allowed = "CALL_NOT_ALLOWED";
inline constexpr std::string_view error_auth_unavailable = "AUTH_UNAVAILABLE";
inline constexpr std::string_view error_semantic_unavailable = "SEMANTIC_SEARCH_UNAVAILABLE";
inline constexpr std::string_view error_config = "CONFIG_ERROR";
inline constexpr std::string_view error_not_implemented = "NOT_IMPLEMENTED";
/// @}

/// The error in its envelope.
[[nodiscard]] inline error_envelope envelope(contract::error e) { return {false, std::move(e)}; }
/// One line: type, colon, message.
[[nodiscard]] inline std::string to_line(const contract::error& e) { return e.type + ": " + e.message; }

/// A duration as Go prints it: `40ms`, `1.5s`, `1m0s`, `2h0m0s`.
[[nodiscard]] inline std::string go_duration(std::int64_t milliseconds) {
  if (milliseconds < 1000) return std::to_string(milliseconds) + "ms";
  const std::int64_t hours = milliseconds / 3'600'000;
  const std::int64_t minutes = milliseconds / 60'000 % 60;
  const std::int64_t rest = milliseconds % 60'000;
  std::string out;
  if (hours > 0) out += std::to_string(hours) + "h";
  if (hours > 0 || minutes > 0) out += std::to_string(minutes) + "m";
  out += std::to_string(rest / 1000);
  if (rest % 1000 != 0) {
    std::string digits = std::to_string(rest % 1000 + 1000).substr(1);
    while (digits.back() == '0') digits.pop_back();
    out += "." + digits;
  }
  return out + "s";
}

/// Problems of arguments, joined as messages have them.
[[nodiscard]] inline std::string joined(std::span<const std::string> problems) {
  std::string out;
  for (const std::string& p : problems) {
    if (!out.empty()) out += "; ";
    out += p;
  }
  return out;
}

/// How a failed call may have ended on the server.
enum class side_effects : std::uint8_t {
  none,     ///< the tool changes nothing, or may be called again without harm, or was never asked
  possible  ///< the request was sent: the tool may have done its work
};

/// Errors by kind. `cause`, `reason` and tool messages are foreign text: mask and bound them first.
namespace errors {
namespace detail {

[[nodiscard]] inline contract::error make(std::string_view type, std::string_view tool_ref, std::string_view server_id,
                                          bool retryable, std::string message, std::string instruction) {
  contract::error e;
  e.type = type;
  e.tool_ref = tool_ref;
  e.server_id = server_id;
  e.retryable = retryable;
  e.message = std::move(message);
  e.agent_instruction = std::move(instruction);
  return e;
}

/// What to do before a call is repeated that may have taken effect.
[[nodiscard]] inline std::string verify_first(side_effects effects) {
  if (effects == side_effects::none) return {};
  return "The request had been sent, so the call may have taken effect: verify that first by reading what it would have changed, "
         "with a tool found by findTool. ";
}

}  // namespace detail

[[nodiscard]] inline contract::error bad_tool_ref(std::string_view tool_ref) {
  return detail::make(error_tool_not_found, tool_ref, {}, false, quote_name(tool_ref) + " is not a toolRef of the form server.tool",
                      "Do not retry with this toolRef. Use findTool with a description of the task to get a valid one.");
}
[[nodiscard]] inline contract::error unknown_tool(std::string_view tool_ref, std::span<const std::string> near = {}) {
  std::string message = "the catalog has no tool " + quote_name(tool_ref);
  if (!near.empty()) message += "; there is " + joined(near);
  return detail::make(error_tool_not_found, tool_ref, {}, false, std::move(message),
                      "Do not retry with this toolRef. Use findTool to find the right one, or refresh the index if the catalog is empty.");
}
[[nodiscard]] inline contract::error tool_gone(std::string_view tool_ref, std::string_view server_id) {
  return detail::make(error_tool_not_found, tool_ref, server_id, false,
                      "server " + quote_name(server_id) + " no longer lists this tool",
                      "Do not retry this call. Refresh the index, then use findTool to find what has taken the tool's place.");
}
[[nodiscard]] inline contract::error server_not_configured(std::string_view tool_ref, std::string_view server_id) {
  return detail::make(error_config, tool_ref, server_id, false, "server " + quote_name(server_id) + " is not configured",
                      "Do not retry. Use findTool to find a tool of a configured server, or ask the user to add this server to the configuration.");
}
[[nodiscard]] inline contract::error server_disabled(std::string_view tool_ref, std::string_view server_id) {
  return detail::make(error_config, tool_ref, server_id, false, "server " + quote_name(server_id) + " is disabled in the configuration",
                      "Do not retry. Use findTool to choose a tool of another server, or ask the user to enable this one.");
}
[[nodiscard]] inline contract::error bad_server_id(std::string_view server_id) {
  return detail::make(error_config, {}, server_id, false, "the server id " + quote_name(server_id) + " holds a dot, which separates server and tool in a toolRef",
                      "Do not retry. Ask the user to rename this server in the configuration, then run the index again; tools of other servers can be used meanwhile.");
}
[[nodiscard]] inline contract::error bad_transport(std::string_view tool_ref, std::string_view server_id, std::string_view cause) {
  return detail::make(error_config, tool_ref, server_id, false, "server " + quote_name(server_id) + " cannot be started as it is configured: " + std::string(cause),
                      "Do not retry. Ask the user to repair this server's entry in the configuration, or use findTool to choose another tool.");
}
[[nodiscard]] inline contract::error invalid_arguments(std::string_view tool_ref, std::string_view server_id, std::span<const std::string> problems) {
  return detail::make(error_invalid_arguments, tool_ref, server_id, false, "the arguments do not fit the tool's schema: " + joined(problems),
                      "Correct exactly what is named here, check the schema with describeTool if it is unclear, then use callTool again; never resend the same arguments.");
}
[[nodiscard]] inline contract::error arguments_not_an_object(std::string_view tool_ref, std::string_view cause) {
  return detail::make(error_invalid_arguments, tool_ref, {}, false, "the arguments are not a JSON object: " + std::string(cause),
                      "Pass the arguments as one JSON object and use callTool again; never resend the same text.");
}
[[nodiscard]] inline contract::error schema_changed(std::string_view tool_ref, std::string_view server_id, std::span<const std::string> problems,
                                                    std::string_view preview) {
  std::string message = "the tool's schema has changed since it was indexed";
  if (!preview.empty()) message += " (now " + std::string(preview) + ")";
  return detail::make(error_schema_changed, tool_ref, server_id, false, message + ", and the arguments no longer fit: " + joined(problems),
                      "Do not resend these arguments. Refresh the index, look at the new schema with describeTool, then use callTool with arguments that fit it.");
}
[[nodiscard]] inline contract::error call_not_allowed(std::string_view tool_ref, std::string_view server_id, std::string_view reason, bool ask) {
  return detail::make(error_call_not_allowed, tool_ref, server_id, false,
                      (ask ? "this call needs the user's consent" : "this call is not allowed") + (reason.empty() ? std::string{} : ": " + std::string(reason)),
                      ask ? "Do not retry yet. Ask the user whether this call may be made, showing the tool and its arguments, and use callTool again only after they agree."
                          : "Do not retry this call. Tell the user what was refused and why, or use findTool to choose a tool that is allowed; only whoever runs this broker can change the rule.");
}
[[nodiscard]] inline contract::error server_offline(std::string_view tool_ref, std::string_view server_id, std::string_view cause) {
  return detail::make(error_server_offline, tool_ref, server_id, true, "server " + quote_name(server_id) + " cannot be reached: " + std::string(cause),
                      "Use findTool to choose a tool of another server if one will do. Retry callTool only after you check this server's command or address, its credentials and the network, or ask the user to.");
}
[[nodiscard]] inline contract::error no_session(std::string_view tool_ref, std::string_view server_id) {
  return detail::make(error_server_offline, tool_ref, server_id, true, "server " + quote_name(server_id) + " gave no session",
                      "Retry callTool only after a check that the server runs; else use findTool to choose a tool of another server.");
}
[[nodiscard]] inline contract::error auth_unavailable(std::string_view tool_ref, std::string_view server_id, std::string_view cause) {
  return detail::make(error_auth_unavailable, tool_ref, server_id, false,
                      "server " + quote_name(server_id) + " asks for a sign-in that this broker cannot carry out: " + std::string(cause),
                      "Do not retry. Ask the user for another way to give this server credentials, such as a token in its headers, or use findTool to choose another tool.");
}
[[nodiscard]] inline contract::error deadline_passed(std::string_view tool_ref, std::string_view server_id, std::int64_t milliseconds, side_effects effects) {
  return detail::make(error_call_failed, tool_ref, server_id, false,
                      "callTimeout of " + go_duration(milliseconds) + " passed without an answer of server " + quote_name(server_id),
                      detail::verify_first(effects) + "Do not repeat the same call: it would meet the same deadline. Use callTool for a smaller part of the task, or ask the user to raise callTimeout for this server.");
}
[[nodiscard]] inline contract::error call_cancelled(std::string_view tool_ref, std::string_view server_id, side_effects effects) {
  return detail::make(error_call_failed, tool_ref, server_id, false, "the call to server " + quote_name(server_id) + " was cancelled",
                      detail::verify_first(effects) + "Do not retry unless the user asks for it; then use callTool again.");
}
[[nodiscard]] inline contract::error transport_failed(std::string_view tool_ref, std::string_view server_id, std::string_view cause, side_effects effects) {
  return detail::make(error_call_failed, tool_ref, server_id, true, "the call to server " + quote_name(server_id) + " failed: " + std::string(cause),
                      detail::verify_first(effects) + "Retry callTool only after you check that the server is up and that the arguments are right; report the failure to the user if it stays.");
}
/// The tool itself reports an error; `message` is its own text and may be empty.
[[nodiscard]] inline contract::error tool_failed(std::string_view tool_ref, std::string_view server_id, std::string_view message) {
  return detail::make(error_call_failed, tool_ref, server_id, false, std::string(message),
                      "The tool reported this error. Do not repeat the call unchanged: correct what the message names, check the schema with describeTool, or use findTool to choose another tool.");
}
[[nodiscard]] inline contract::error unexpected(std::string_view tool_ref, std::string_view cause) {
  return detail::make(error_call_failed, tool_ref, {}, false, "unexpected failure: " + std::string(cause),
                      "Do not retry blindly. Report this failure to the user, and use findTool to choose another tool if one will do.");
}
[[nodiscard]] inline contract::error catalog_unreadable(std::string_view cause) {
  return detail::make(error_config, {}, {}, true, "the catalog cannot be read: " + std::string(cause),
                      "Run the doctor to see why, fix what it names, and retry after that.");
}
[[nodiscard]] inline contract::error find_failed(std::string_view cause) {
  return detail::make(error_config, {}, {}, true, "the search failed: " + std::string(cause),
                      "Check the catalog's storage with the doctor, then retry findTool.");
}
[[nodiscard]] inline contract::error semantic_unavailable(std::string_view cause) {
  return detail::make(error_semantic_unavailable, {}, {}, true, "semantic search is not available: " + std::string(cause),
                      "Use findTool meanwhile, which still finds tools by their words. Run the doctor and index again after the fix.");
}
/// An operation that this build lacks.
[[nodiscard]] inline contract::error not_implemented(std::string_view operation) {
  return detail::make(error_not_implemented, {}, {}, false, "this build has no " + quote_name(operation),
                      "Do not retry. Tell the user that this build cannot do it, or use findTool to choose another available tool.");
}

}  // namespace errors

/// What an instruction lacks.
enum class instruction_fault : std::uint8_t {
  none,
  missing,          ///< there is none
  not_actionable,   ///< names no next step
  not_conditional,  ///< does not say whether to retry
  no_precondition,  ///< allows a retry and names nothing to be done before it
  contradicts,      ///< forbids a retry that `retryable` allows
  only_repeats      ///< says the message again
};

namespace detail {

[[nodiscard]] inline bool says(std::string_view text, std::initializer_list<std::string_view> words) noexcept {
  return std::any_of(words.begin(), words.end(), [&](std::string_view w) {
    return std::search(text.begin(), text.end(), w.begin(), w.end(),
                       [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; }) != text.end();
  });
}

}  // namespace detail

/// Whether an error tells an agent what to do next. A check of form: it cannot see what is true.
[[nodiscard]] inline instruction_fault check_instruction(const contract::error& e) noexcept {
  const std::string_view text = e.agent_instruction;
  if (text.size() < 20) return instruction_fault::missing;
  if (text == e.message) return instruction_fault::only_repeats;
  if (!detail::says(text, {"findtool", "describetool", "calltool", "doctor", "ask the user", "tell the user", "index"}))
    return instruction_fault::not_actionable;
  if (!detail::says(text, {"retry", "repeat", "resend", "again"})) return instruction_fault::not_conditional;
  if (e.retryable) {
    if (!detail::says(text, {"after", "check", "verify", "refresh", "reconnect", "wait", "fix", "later"})) return instruction_fault::no_precondition;
    if (text.starts_with("Do not retry")) return instruction_fault::contradicts;
  } else if (!detail::says(text, {"do not", "never", "only after", "meanwhile"})) {
    return instruction_fault::not_conditional;
  }
  return instruction_fault::none;
}

/// The same for a decision of findTool.
[[nodiscard]] inline instruction_fault check_instruction(const find_result& r) noexcept {
  const std::string_view text = r.agent_instruction;
  if (text.size() < 20) return instruction_fault::missing;
  if (text == r.query) return instruction_fault::only_repeats;
  const bool step = r.next_action && !r.next_action->tool.empty();
  if (!step && !detail::says(text, {"describetool", "calltool", "findtool", "index"})) return instruction_fault::not_actionable;
  return instruction_fault::none;
}

}  // namespace contract
}  // namespace v0_1
}  // namespace codemode
