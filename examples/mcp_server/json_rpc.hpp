#pragma once

// JSON-RPC 2.0 messages as text.

#include <codemode/contract/open_value.hpp>
#include <codemode/contract/wire_text.hpp>
#include <codemode/json/document.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace mcp {

namespace contract = codemode::contract;
using codemode::json::element;

enum rpc_code : int { parse_error = -32700, invalid_request = -32600, method_not_found = -32601, invalid_params = -32602 };

/// The member `name` of an object if it is there; not null.
[[nodiscard]] inline std::optional<element> member_of(const element& object, std::string_view name) {
  if (!object.is_object()) return std::nullopt;
  const auto found = object.find(name);
  if (!found || found->kind() == codemode::json::kind::null) return std::nullopt;
  return found;
}
[[nodiscard]] inline std::string string_of(const element& object, std::string_view name) {
  std::string text;
  if (const auto found = member_of(object, name); found && found->is_string()) found->decode(text);
  return text;
}

/// The wire text of a value; `null` for one that has none.
[[nodiscard]] inline std::string wire_text(const element& e) {
  const auto value = contract::open_value::from(e);
  return value ? std::string(value->text()) : std::string("null");
}

/// `id` is JSON text.
[[nodiscard]] inline std::string response(std::string_view id, std::string_view result) {
  std::string s = "{\"jsonrpc\":\"2.0\",\"id\":";
  s += id;
  s += ",\"result\":";
  s += result;
  return s + "}";
}
[[nodiscard]] inline std::string error_response(std::string_view id, rpc_code code, std::string_view message) {
  std::string s = "{\"jsonrpc\":\"2.0\",\"id\":";
  s += id;
  s += ",\"error\":{\"code\":" + std::to_string(static_cast<int>(code)) + ",\"message\":";
  contract::append_wire_string(s, message);
  return s + "}}";
}
[[nodiscard]] inline std::string request(long id, std::string_view method, std::string_view params) {
  std::string s = "{\"jsonrpc\":\"2.0\",\"id\":" + std::to_string(id) + ",\"method\":";
  contract::append_wire_string(s, method);
  s += ",\"params\":";
  s += params;
  return s + "}";
}
[[nodiscard]] inline std::string notification(std::string_view method, std::string_view params) {
  std::string s = "{\"jsonrpc\":\"2.0\",\"method\":";
  contract::append_wire_string(s, method);
  s += ",\"params\":";
  s += params;
  return s + "}";
}

}  // namespace mcp
