#pragma once

// The configuration file: {"mcpServers":{"ID":{"command","args","env","disabled","timeout","callTimeout"}}}, as other
// MCP hosts have it.

#include "json_rpc.hpp"

#include <codemode/contract/call.hpp>
#include <codemode/diagnostic.hpp>
#include <codemode/json/reader.hpp>

#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mcp {

struct server_entry {
  contract::server_config config{};
  std::string command{};
  std::vector<std::string> arguments{};
  std::chrono::milliseconds timeout{5000};  ///< for start and listing
};

struct configuration {
  std::vector<server_entry> servers{};
  std::vector<std::string> warnings{};
  std::string error{};  ///< why the file cannot be used
};

/// Replaces `{env:NAME}` by the variable; what is not set stays and is told.
[[nodiscard]] inline std::string resolved(std::string_view value, std::string_view where, std::vector<std::string>& warnings) {
  std::string out;
  for (std::size_t i = 0; i < value.size();) {
    const std::size_t size = contract::detail::reference_size(value.substr(i));
    if (size == 0) {
      out += value[i++];
      continue;
    }
    const std::string name(value.substr(i + 5, size - 6));
    if (const char* set = std::getenv(name.c_str())) {
      out += set;
    } else {
      out += value.substr(i, size);
      warnings.push_back("the variable " + name + " of " + std::string(where) + " is not set");
    }
    i += size;
  }
  return out;
}

[[nodiscard]] inline std::chrono::milliseconds milliseconds_of(const element& server, std::string_view name, std::chrono::milliseconds otherwise) {
  const auto found = member_of(server, name);
  std::int64_t n = 0;
  if (!found || found->kind() != codemode::json::kind::number) return otherwise;
  const std::string_view raw = found->raw();
  std::from_chars(raw.data(), raw.data() + raw.size(), n);
  return n > 0 ? std::chrono::milliseconds{n} : otherwise;
}

[[nodiscard]] inline configuration read_configuration(std::string_view text) {
  configuration c;
  codemode::json::reader reader;
  const auto document = reader.read(text);
  if (!document) {
    codemode::write_message(document.error(), c.error);
    return c;
  }
  const auto servers = member_of(document->root(), "mcpServers");
  if (!servers || !servers->is_object()) {
    c.error = "there is no object mcpServers in it";
    return c;
  }
  for (const codemode::json::member m : servers->members()) {
    server_entry s;
    m.key.decode(s.config.id);
    const std::string& id = s.config.id;
    if (id.find('.') != std::string::npos || id.empty()) {
      c.warnings.push_back(contract::errors::bad_server_id(id).message);
      continue;
    }
    s.command = string_of(m.value, "command");
    if (const auto arguments = member_of(m.value, "args"); arguments && arguments->is_array())
      for (const element a : arguments->items())
        if (a.is_string()) a.decode(s.arguments.emplace_back());
    if (const auto variables = member_of(m.value, "env"); variables && variables->is_object())
      for (const codemode::json::member v : variables->members()) {
        std::string name;
        std::string value;
        v.key.decode(name);
        if (v.value.is_string()) v.value.decode(value);
        if (const auto kind = contract::secret_kind(value); !kind.empty())
          c.warnings.push_back("environment." + name + " of server " + id + " holds a secret (" + std::string(kind) +
                               "): write {env:NAME} instead and rotate it");
        s.config.environment.emplace_back(name, resolved(value, "server " + id + ", environment." + name, c.warnings));
      }
    const auto flag = [&](std::string_view name) {
      const auto found = member_of(m.value, name);
      return found && found->kind() == codemode::json::kind::boolean ? found : std::nullopt;
    };
    if (const auto disabled = flag("disabled")) s.config.enabled = !disabled->is_true();
    if (const auto enabled = flag("enabled")) s.config.enabled = enabled->is_true();
    s.timeout = milliseconds_of(m.value, "timeout", s.timeout);
    s.config.call_timeout = milliseconds_of(m.value, "callTimeout", contract::default_call_timeout);
    c.servers.push_back(std::move(s));
  }
  return c;
}

}  // namespace mcp
