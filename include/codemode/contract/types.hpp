#pragma once

/// @file
/// What an agent is told: the wire types of the agent contract (contract.md, 1.2).
///
/// Plain structs. Each names its members in the order in which they are written (`wire_members`), which is all
/// that writing (json.hpp) and reading (read.hpp) need. Members are plain text: any bytes pass through.
/// Where absent and empty differ on the wire, the type keeps them apart.

#include <codemode/contract/open_value.hpp>

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace contract {

/// @name Words of the contract
/// @{
inline constexpr std::string_view format_human = "human";      ///< the default
inline constexpr std::string_view format_json = "json";        ///< indented JSON
inline constexpr std::string_view format_concise = "concise";  ///< one short line

inline constexpr std::string_view decision_use = "use";                      ///< call this tool
inline constexpr std::string_view decision_no_good_match = "no_good_match";  ///< none fits well enough
inline constexpr std::string_view decision_ambiguous = "ambiguous";          ///< several fit as well
inline constexpr std::string_view decision_catalog_empty = "catalog_empty";  ///< there are no tools at all

inline constexpr std::string_view confidence_high = "high";
inline constexpr std::string_view confidence_medium = "medium";
inline constexpr std::string_view confidence_low = "low";

inline constexpr std::string_view check_ok = "ok";
inline constexpr std::string_view check_warn = "warn";
inline constexpr std::string_view check_error = "error";

inline constexpr std::string_view status_online = "online";
inline constexpr std::string_view status_offline = "offline";
inline constexpr std::string_view status_unknown = "unknown";

inline constexpr std::string_view freshness_fresh = "fresh";
inline constexpr std::string_view freshness_stale = "stale";

inline constexpr std::string_view tool_find = "findTool";
inline constexpr std::string_view tool_describe = "describeTool";
inline constexpr std::string_view tool_call = "callTool";
/// @}

/// When a member is left out.
enum class omit : std::uint8_t {
  never,  ///< always written; an absent list, object or value is `null`
  empty   ///< left out if empty, zero, false or absent
};

/// Describes one member of `T`.
template <class T, class M>
struct wire_member {
  std::string_view name;
  M T::*at;
  omit rule;
};

namespace detail {

template <class T, class M>
[[nodiscard]] constexpr wire_member<T, M> always(std::string_view name, M T::*at) noexcept {
  return {name, at, omit::never};
}
template <class T, class M>
[[nodiscard]] constexpr wire_member<T, M> maybe(std::string_view name, M T::*at) noexcept {
  return {name, at, omit::empty};
}

}  // namespace detail

/// A tool that was considered beside the selected one.
struct alternative {
  std::string tool_ref{};
  std::string reason{};

  static constexpr std::string_view wire_name = "Alternative";
  [[nodiscard]] static constexpr auto wire_members() {
    return std::tuple{detail::always("toolRef", &alternative::tool_ref),
                      detail::maybe("reason", &alternative::reason)};
  }
  friend bool operator==(const alternative&, const alternative&) = default;
};

/// A call to make next, ready to be sent.
struct recommended_call {
  std::string tool{};
  open_object arguments{};  ///< absent is written as `null`

  static constexpr std::string_view wire_name = "RecommendedCall";
  [[nodiscard]] static constexpr auto wire_members() {
    return std::tuple{detail::always("tool", &recommended_call::tool),
                      detail::always("arguments", &recommended_call::arguments)};
  }
  friend bool operator==(const recommended_call&, const recommended_call&) = default;
};

/// What may follow a successful call.
struct call_next_action {
  bool recommended = false;
  std::string tool_ref{};
  std::string reason{};
  std::optional<recommended_call> example_call{};

  static constexpr std::string_view wire_name = "CallNextAction";
  [[nodiscard]] static constexpr auto wire_members() {
    return std::tuple{detail::maybe("recommended", &call_next_action::recommended),
                      detail::maybe("toolRef", &call_next_action::tool_ref),
                      detail::maybe("reason", &call_next_action::reason),
                      detail::maybe("exampleCall", &call_next_action::example_call)};
  }
  friend bool operator==(const call_next_action&, const call_next_action&) = default;
};

/// A call that went well. What an adapter shows beside the result are `all_notices` (render.hpp).
struct call_result {
  bool ok = false;
  std::string tool_ref{};
  open_value result{};
  std::string result_summary{};
  std::vector<call_next_action> next_actions{};
  std::vector<std::string> notices{};  ///< what the agent must know beside the result
  std::optional<std::int64_t> cached_age_seconds{};  ///< present if the result comes from the cache

  static constexpr std::string_view wire_name = "CallResult";
  [[nodiscard]] static constexpr auto wire_members() {
    return std::tuple{detail::always("ok", &call_result::ok),
                      detail::always("toolRef", &call_result::tool_ref),
                      detail::maybe("result", &call_result::result),
                      detail::maybe("resultSummary", &call_result::result_summary),
                      detail::maybe("nextActions", &call_result::next_actions),
                      detail::maybe("notices", &call_result::notices),
                      detail::maybe("cachedAgeSeconds", &call_result::cached_age_seconds)};
  }
  friend bool operator==(const call_result&, const call_result&) = default;
};

/// One of several tools that fit about as well, with all that is needed to choose and call it.
struct candidate {
  std::string tool_ref{};
  std::string server_id{};
  std::string name{};  ///< the tool's name on its server
  std::string title{};
  std::string description{};
  open_object input_schema{};

  static constexpr std::string_view wire_name = "Candidate";
  [[nodiscard]] static constexpr auto wire_members() {
    return std::tuple{detail::always("toolRef", &candidate::tool_ref),
                      detail::always("serverId", &candidate::server_id),
                      detail::always("name", &candidate::name),
                      detail::maybe("title", &candidate::title),
                      detail::maybe("description", &candidate::description),
                      detail::maybe("inputSchema", &candidate::input_schema)};
  }
  friend bool operator==(const candidate&, const candidate&) = default;
};

/// How much the catalog holds and how old it is.
struct catalog_stats {
  std::int64_t configured_servers = 0;
  std::int64_t indexed_tools = 0;
  std::int64_t fresh_tools = 0;
  std::int64_t stale_tools = 0;
  std::optional<std::int64_t> catalog_age_seconds{};  ///< absent: never indexed

  static constexpr std::string_view wire_name = "CatalogStats";
  [[nodiscard]] static constexpr auto wire_members() {
    return std::tuple{detail::always("configuredServers", &catalog_stats::configured_servers),
                      detail::always("indexedTools", &catalog_stats::indexed_tools),
                      detail::always("freshTools", &catalog_stats::fresh_tools),
                      detail::always("staleTools", &catalog_stats::stale_tools),
                      detail::maybe("catalogAgeSeconds", &catalog_stats::catalog_age_seconds)};
  }
  friend bool operator==(const catalog_stats&, const catalog_stats&) = default;
};

/// A worked call of a described tool.
struct example {
  std::string request{};
  open_object arguments{};

  static constexpr std::string_view wire_name = "Example";
  [[nodiscard]] static constexpr auto wire_members() {
    return std::tuple{detail::maybe("request", &example::request),
                      detail::maybe("arguments", &example::arguments)};
  }
  friend bool operator==(const example&, const example&) = default;
};

/// Another tool that has to do with the described one.
struct related_tool {
  std::string tool_ref{};
  std::string relationship{};

  static constexpr std::string_view wire_name = "RelatedTool";
  [[nodiscard]] static constexpr auto wire_members() {
    return std::tuple{detail::always("toolRef", &related_tool::tool_ref),
                      detail::maybe("relationship", &related_tool::relationship)};
  }
  friend bool operator==(const related_tool&, const related_tool&) = default;
};

/// What the catalog knows about a tool's reachability.
struct tool_status {
  bool callable_now = false;
  std::string server_status{};
  std::string catalog_freshness{};

  static constexpr std::string_view wire_name = "ToolStatus";
  [[nodiscard]] static constexpr auto wire_members() {
    return std::tuple{detail::always("callableNow", &tool_status::callable_now),
                      detail::maybe("serverStatus", &tool_status::server_status),
                      detail::maybe("catalogFreshness", &tool_status::catalog_freshness)};
  }
  friend bool operator==(const tool_status&, const tool_status&) = default;
};

/// All about one tool.
struct describe_result {
  std::string tool_ref{};
  std::string title{};
  std::string description{};
  open_object input_schema{};
  std::vector<std::string> usage_hints{};
  std::vector<example> examples{};
  std::optional<contract::recommended_call> recommended_call{};
  std::vector<related_tool> related_tools{};
  std::optional<tool_status> status{};

  static constexpr std::string_view wire_name = "DescribeResult";
  [[nodiscard]] static constexpr auto wire_members() {
    return std::tuple{detail::always("toolRef", &describe_result::tool_ref),
                      detail::maybe("title", &describe_result::title),
                      detail::maybe("description", &describe_result::description),
                      detail::maybe("inputSchema", &describe_result::input_schema),
                      detail::maybe("usageHints", &describe_result::usage_hints),
                      detail::maybe("examples", &describe_result::examples),
                      detail::maybe("recommendedCall", &describe_result::recommended_call),
                      detail::maybe("relatedTools", &describe_result::related_tools),
                      detail::maybe("status", &describe_result::status)};
  }
  friend bool operator==(const describe_result&, const describe_result&) = default;
};

/// One finding of the doctor.
struct doctor_check {
  std::string name{};
  std::string status{};  ///< `check_ok`, `check_warn` or `check_error`
  std::string detail{};

  static constexpr std::string_view wire_name = "DoctorCheck";
  [[nodiscard]] static constexpr auto wire_members() {
    return std::tuple{detail::always("name", &doctor_check::name),
                      detail::always("status", &doctor_check::status),
                      detail::maybe("detail", &doctor_check::detail)};
  }
  friend bool operator==(const doctor_check&, const doctor_check&) = default;
};

/// The doctor's report.
struct doctor_result {
  bool ok = false;
  std::optional<std::vector<doctor_check>> checks{};  ///< absent is written as `null`
  std::string agent_instruction{};

  static constexpr std::string_view wire_name = "DoctorResult";
  [[nodiscard]] static constexpr auto wire_members() {
    return std::tuple{detail::always("ok", &doctor_result::ok),
                      detail::always("checks", &doctor_result::checks),
                      detail::maybe("agentInstruction", &doctor_result::agent_instruction)};
  }
  friend bool operator==(const doctor_result&, const doctor_result&) = default;
};

/// A failure and the way out of it. errors.hpp makes them.
struct error {
  std::string type{};
  std::string tool_ref{};
  std::string server_id{};
  bool retryable = false;
  std::string message{};
  std::string agent_instruction{};

  static constexpr std::string_view wire_name = "Error";
  [[nodiscard]] static constexpr auto wire_members() {
    return std::tuple{detail::always("type", &error::type),
                      detail::maybe("toolRef", &error::tool_ref),
                      detail::maybe("serverId", &error::server_id),
                      detail::always("retryable", &error::retryable),
                      detail::always("message", &error::message),
                      detail::always("agentInstruction", &error::agent_instruction)};
  }
  friend bool operator==(const error&, const error&) = default;
};

/// An answer that is an error.
struct error_envelope {
  bool ok = false;
  std::optional<contract::error> error{};  ///< absent is written as `null`

  static constexpr std::string_view wire_name = "ErrorEnvelope";
  [[nodiscard]] static constexpr auto wire_members() {
    return std::tuple{detail::always("ok", &error_envelope::ok),
                      detail::always("error", &error_envelope::error)};
  }
  friend bool operator==(const error_envelope&, const error_envelope&) = default;
};

/// What a schema asks for, where the schema itself is not shown.
struct schema_preview {
  std::vector<std::string> required{};
  std::vector<std::string> properties{};

  static constexpr std::string_view wire_name = "SchemaPreview";
  [[nodiscard]] static constexpr auto wire_members() {
    return std::tuple{detail::maybe("required", &schema_preview::required),
                      detail::maybe("properties", &schema_preview::properties)};
  }
  friend bool operator==(const schema_preview&, const schema_preview&) = default;
};

/// The tool that find chose.
struct selected_tool {
  std::string tool_ref{};
  std::string title{};
  bool callable_now = false;
  std::string server_status{};
  std::optional<contract::schema_preview> schema_preview{};
  open_object input_schema{};
  std::optional<contract::recommended_call> recommended_call{};

  static constexpr std::string_view wire_name = "SelectedTool";
  [[nodiscard]] static constexpr auto wire_members() {
    return std::tuple{detail::always("toolRef", &selected_tool::tool_ref),
                      detail::maybe("title", &selected_tool::title),
                      detail::always("callableNow", &selected_tool::callable_now),
                      detail::maybe("serverStatus", &selected_tool::server_status),
                      detail::maybe("schemaPreview", &selected_tool::schema_preview),
                      detail::maybe("inputSchema", &selected_tool::input_schema),
                      detail::maybe("recommendedCall", &selected_tool::recommended_call)};
  }
  friend bool operator==(const selected_tool&, const selected_tool&) = default;
};

/// The step that find recommends.
struct next_action {
  std::string tool{};
  std::string tool_ref{};
  open_object arguments{};
  std::string reason{};

  static constexpr std::string_view wire_name = "NextAction";
  [[nodiscard]] static constexpr auto wire_members() {
    return std::tuple{detail::maybe("tool", &next_action::tool),
                      detail::maybe("toolRef", &next_action::tool_ref),
                      detail::maybe("arguments", &next_action::arguments),
                      detail::maybe("reason", &next_action::reason)};
  }
  friend bool operator==(const next_action&, const next_action&) = default;
};

/// A tool that is often called after the selected one.
struct followup_tool {
  std::string tool_ref{};
  std::string when{};

  static constexpr std::string_view wire_name = "FollowupTool";
  [[nodiscard]] static constexpr auto wire_members() {
    return std::tuple{detail::always("toolRef", &followup_tool::tool_ref),
                      detail::maybe("when", &followup_tool::when)};
  }
  friend bool operator==(const followup_tool&, const followup_tool&) = default;
};

/// A decision about which tool to use, never just a list.
struct find_result {
  std::string query{};
  std::string decision{};
  std::string selected_tool_ref{};
  std::string confidence{};
  std::string reason{};
  std::optional<selected_tool> selected{};
  std::vector<candidate> candidates{};
  std::vector<error> errors{};
  std::optional<contract::catalog_stats> catalog_stats{};
  std::optional<contract::next_action> next_action{};
  std::vector<followup_tool> likely_followup_tools{};
  std::vector<alternative> alternatives{};
  std::vector<std::string> avoid{};
  std::string agent_instruction{};

  static constexpr std::string_view wire_name = "FindResult";
  [[nodiscard]] static constexpr auto wire_members() {
    return std::tuple{detail::always("query", &find_result::query),
                      detail::always("decision", &find_result::decision),
                      detail::maybe("selectedToolRef", &find_result::selected_tool_ref),
                      detail::maybe("confidence", &find_result::confidence),
                      detail::maybe("reason", &find_result::reason),
                      detail::maybe("selected", &find_result::selected),
                      detail::maybe("candidates", &find_result::candidates),
                      detail::maybe("errors", &find_result::errors),
                      detail::maybe("catalogStats", &find_result::catalog_stats),
                      detail::maybe("nextAction", &find_result::next_action),
                      detail::maybe("likelyFollowupTools", &find_result::likely_followup_tools),
                      detail::maybe("alternatives", &find_result::alternatives),
                      detail::maybe("avoid", &find_result::avoid),
                      detail::maybe("agentInstruction", &find_result::agent_instruction)};
  }
  friend bool operator==(const find_result&, const find_result&) = default;
};

/// One line of a list.
struct listed_tool {
  std::string tool_ref{};
  std::string title{};
  std::string server_id{};
  std::string freshness{};
  bool callable_now = false;

  static constexpr std::string_view wire_name = "ListedTool";
  [[nodiscard]] static constexpr auto wire_members() {
    return std::tuple{detail::always("toolRef", &listed_tool::tool_ref),
                      detail::maybe("title", &listed_tool::title),
                      detail::always("serverId", &listed_tool::server_id),
                      detail::maybe("freshness", &listed_tool::freshness),
                      detail::always("callableNow", &listed_tool::callable_now)};
  }
  friend bool operator==(const listed_tool&, const listed_tool&) = default;
};

/// The indexed tools, or a page of them.
struct list_result {
  std::optional<std::vector<listed_tool>> tools{};  ///< absent is written as `null`
  std::optional<contract::catalog_stats> catalog_stats{};
  std::string agent_instruction{};

  static constexpr std::string_view wire_name = "ListResult";
  [[nodiscard]] static constexpr auto wire_members() {
    return std::tuple{detail::always("tools", &list_result::tools),
                      detail::maybe("catalogStats", &list_result::catalog_stats),
                      detail::maybe("agentInstruction", &list_result::agent_instruction)};
  }
  friend bool operator==(const list_result&, const list_result&) = default;
};

/// A plain message.
struct message {
  bool ok = false;
  std::string text{};  ///< `message` on the wire

  static constexpr std::string_view wire_name = "Message";
  [[nodiscard]] static constexpr auto wire_members() {
    return std::tuple{detail::always("ok", &message::ok), detail::always("message", &message::text)};
  }
  friend bool operator==(const message&, const message&) = default;
};

/// Every type of the contract, by its C++ type.
template <class... T>
struct type_list {};
using wire_types =
    type_list<alternative, call_next_action, call_result, candidate, catalog_stats, describe_result,
              doctor_check, doctor_result, error, error_envelope, example, find_result, followup_tool,
              list_result, listed_tool, message, next_action, recommended_call, related_tool,
              schema_preview, selected_tool, tool_status>;

/// Calls `f` with a `std::type_identity` of the type that is called `name` on the wire; false if there is none.
template <class F>
constexpr bool with_wire_type(std::string_view name, F&& f);

namespace detail {

template <class F, class... T>
constexpr bool with_wire_type(std::string_view name, F& f, type_list<T...>) {
  return ((T::wire_name == name && (static_cast<void>(f(std::type_identity<T>{})), true)) || ...);
}

}  // namespace detail

template <class F>
constexpr bool with_wire_type(std::string_view name, F&& f) {
  return detail::with_wire_type(name, f, wire_types{});
}

/// Whether `T` is a type of the contract.
template <class T>
concept wire_type = requires {
  { T::wire_name } -> std::convertible_to<std::string_view>;
  T::wire_members();
};

}  // namespace contract
}  // namespace v0_1
}  // namespace codemode
