#pragma once

/// @file
/// callTool: one call of one tool, checked, bounded, masked and explained (contract.md, 2.4, 2.5, 2.12.8 to 2.12.13).
///
/// The library opens no connection. The host gives callables that reach a server and call a tool; everything
/// around them is here: which checks come first, what is asked for, what an agent is told when it goes wrong.

#include <codemode/contract/cache.hpp>
#include <codemode/contract/errors.hpp>
#include <codemode/contract/find.hpp>
#include <codemode/contract/open_value.hpp>
#include <codemode/contract/redact.hpp>
#include <codemode/contract/related.hpp>
#include <codemode/contract/render.hpp>
#include <codemode/contract/result_budget.hpp>
#include <codemode/contract/tool_catalog.hpp>
#include <codemode/contract/types.hpp>
#include <codemode/contract/validate.hpp>
#include <codemode/result.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace contract {

/// Default of a server's `callTimeout`.
inline constexpr std::chrono::milliseconds default_call_timeout{60'000};

/// What the broker must know of a configured server.
struct server_config {
  std::string id{};
  bool enabled = true;
  named_values headers{};      ///< resolved; used for masking and in cache keys only
  named_values environment{};  ///< resolved
  std::chrono::milliseconds call_timeout{0};  ///< 0 or less: the default
  bool oauth = false;          ///< a sign-in flow is configured
};

/// Answer of `host::connect`: the way to the server, and the tool's schema as the server lists it now.
struct connect_reply {
  enum class state : std::uint8_t {
    ready,           ///< connected
    refused,         ///< no connection; `cause`
    no_session,      ///< something answered, but no session came about
    bad_transport,   ///< the configuration names nothing that could be started; `cause`
    timed_out,
    cancelled
  };
  enum class listing : std::uint8_t {
    unknown,  ///< the server cannot list its tools, or the host did not ask: called unchecked
    listed,   ///< `live_schema` is the tool's input schema, absent if it has none
    gone      ///< the server lists tools, and this one is not among them
  };
  state is = state::ready;
  std::string cause{};
  listing tool = listing::unknown;
  open_object live_schema{};
};

/// One part of a tool's answer.
struct content_part {
  std::string type{"text"};  ///< `text`, `image`, `audio`, `resource`, `resource_link`
  std::string text{};        ///< of a text
  std::string mime_type{};
  std::string uri{};
  std::size_t bytes = 0;     ///< size of what is not text
};

/// Answer of `host::call`.
struct call_reply {
  enum class state : std::uint8_t { answered, failed, timed_out, cancelled };
  state is = state::answered;
  bool sent = true;          ///< whether the request may have reached the server, where `is` is no answer
  std::string cause{};       ///< of a failure
  bool tool_error = false;   ///< the tool itself reports an error in its content
  open_value structured{};   ///< structured content, if there is any
  std::vector<content_part> content{};
};

/// A call that waits for permission.
struct call_request {
  std::string_view tool_ref{};
  std::string_view server_id{};
  std::string_view name{};
  const open_object* arguments = nullptr;
};

/// Answer of `host::authorize`.
struct permission {
  enum class state : std::uint8_t { allow, deny, ask };
  state is = state::allow;
  std::string reason{};  ///< shown to the agent
};

/// What the host does for the broker. Each callable may be empty but `call`. Callables are given the time that is
/// left; they answer `timed_out` when it has passed, after they have sent the protocol's cancellation downstream.
struct host {
  std::function<permission(const call_request&, const tool_entry*)> authorize{};  ///< empty: everything is allowed
  std::function<connect_reply(const server_config&, std::string_view tool, std::chrono::milliseconds left)> connect{};
  std::function<call_reply(const server_config&, std::string_view tool, const open_object& arguments, std::chrono::milliseconds left)> call{};
  std::function<std::chrono::steady_clock::time_point()> now{};  ///< empty: the steady clock
  std::function<void(const call_request&, const content_part&)> take_part{};  ///< gets parts that are no text
};

struct call_options {
  std::int64_t max_result_bytes = default_max_result_bytes;  ///< 0 or less: no bound
  bool use_cache = true;
  cache_options cache{};
  validation_limits validation{};
};

/// Calls tools. Keeps the cache; one thread at a time. The catalog is borrowed and may change between calls.
class broker {
 public:
  broker(const tool_catalog& catalog, std::vector<server_config> servers, contract::host host, const call_options& options = {})
      : catalog_(catalog), servers_(std::move(servers)), host_(std::move(host)), options_(options), cache_(options.cache) {}

  [[nodiscard]] const std::vector<server_config>& servers() const noexcept { return servers_; }
  [[nodiscard]] result_cache& cache() noexcept { return cache_; }

  /// Calls a tool. The reference is split at its first dot, so that tools' names may hold dots; a tool need not be
  /// catalogued. Absent arguments are sent as none.
  [[nodiscard]] result<call_result, contract::error> call(std::string_view tool_ref, const open_object& arguments) {
    const std::size_t dot = tool_ref.find('.');
    if (dot == std::string_view::npos || dot == 0 || dot + 1 == tool_ref.size()) return errors::bad_tool_ref(tool_ref);
    const std::string_view server_id = tool_ref.substr(0, dot);
    const auto server = std::find_if(servers_.begin(), servers_.end(), [&](const server_config& s) { return s.id == server_id; });
    if (server == servers_.end()) return errors::server_not_configured(tool_ref, server_id);
    if (!server->enabled) return errors::server_disabled(tool_ref, server_id);
    attempt a{tool_ref, tool_ref.substr(dot + 1), *server, arguments, catalog_.find(tool_ref), {}, {}, {}};

    if (a.entry != nullptr) a.problems = argument_problems(a.entry->input_schema, arguments, options_.validation);
    // What only an old entry refuses is asked of the server itself before it is refused.
    const bool ask_server = !a.problems.empty() && !a.entry->fresh && a.entry->callable_now && host_.connect;
    if (!a.problems.empty() && !ask_server) return errors::invalid_arguments(tool_ref, server_id, a.problems);
    if (auto refused = authorize(a)) return std::move(*refused);

    const bool cached = options_.use_cache && a.entry != nullptr && a.entry->read_only && a.problems.empty();
    const result_cache::time_point started = now();
    result_cache::key key{};
    if (cached) {
      key = cache_key(a);
      if (auto hit = cache_.find(key, started)) return std::move(*hit);
    }
    auto got = run(a, started);
    if (a.entry == nullptr || !a.entry->read_only) cache_.drop_server(server_id);
    else if (cached && got) cache_.store(key, server_id, *got, now());
    return got;
  }

 private:
  struct attempt {
    std::string_view tool_ref;
    std::string_view name;
    const server_config& server;
    const open_object& arguments;
    const tool_entry* entry;
    std::vector<std::string> problems;
    std::vector<std::string> notices;
    secret_list secrets;
  };
  using answer = result<call_result, contract::error>;

  [[nodiscard]] std::chrono::steady_clock::time_point now() const { return host_.now ? host_.now() : std::chrono::steady_clock::now(); }

  [[nodiscard]] static side_effects effects_of(const attempt& a, bool sent) noexcept {
    const bool harmless = a.entry != nullptr && (a.entry->read_only || a.entry->idempotent);
    return sent && !harmless ? side_effects::possible : side_effects::none;
  }

  [[nodiscard]] std::optional<contract::error> authorize(const attempt& a) const {
    if (!host_.authorize) return std::nullopt;
    const permission p = host_.authorize(call_request{a.tool_ref, a.server.id, a.name, &a.arguments}, a.entry);
    if (p.is == permission::state::allow) return std::nullopt;
    return errors::call_not_allowed(a.tool_ref, a.server.id, bounded(p.reason), p.is == permission::state::ask);
  }

  [[nodiscard]] result_cache::key cache_key(const attempt& a) const {
    detail::sha256 configuration;
    for (const named_values* list : {&a.server.headers, &a.server.environment}) {
      for (const auto& [name, value] : *list) {
        configuration.append(name);
        configuration.append(std::string_view{"\0", 1});
        configuration.append(value);
        configuration.append(std::string_view{"\0", 1});
      }
      configuration.append(std::string_view{"\0", 1});
    }
    return result_cache::make_key("call", a.tool_ref, detail::hex(a.entry->schema_hash), detail::hex(configuration.finish()),
                                  a.arguments.absent() ? std::string_view{"null"} : a.arguments.text());
  }

  [[nodiscard]] answer run(attempt& a, std::chrono::steady_clock::time_point started) {
    a.secrets = secret_list(a.server.headers, a.server.environment);
    const std::chrono::milliseconds limit = a.server.call_timeout.count() > 0 ? a.server.call_timeout : default_call_timeout;
    const auto left = [&] {
      return (std::max)(std::chrono::milliseconds{0}, limit - std::chrono::duration_cast<std::chrono::milliseconds>(now() - started));
    };
    if (host_.connect) {
      const connect_reply reply = host_.connect(a.server, a.name, left());
      if (auto failed = check_connection(a, reply, limit)) return std::move(*failed);
      if (auto changed = check_drift(a, reply)) return std::move(*changed);
      if (left().count() == 0) return errors::deadline_passed(a.tool_ref, a.server.id, limit.count(), side_effects::none);
    }
    static const open_object none = open_object::empty_object();
    const call_reply reply = host_.call(a.server, a.name, a.arguments.absent() ? none : a.arguments, left());
    switch (reply.is) {
      case call_reply::state::timed_out:
        return errors::deadline_passed(a.tool_ref, a.server.id, limit.count(), effects_of(a, reply.sent));
      case call_reply::state::cancelled:
        return errors::call_cancelled(a.tool_ref, a.server.id, effects_of(a, reply.sent));
      case call_reply::state::failed:
        return errors::transport_failed(a.tool_ref, a.server.id, bounded(a.secrets.masked(reply.cause)), effects_of(a, reply.sent));
      case call_reply::state::answered:
        break;
    }
    return finish(a, reply);
  }

  [[nodiscard]] std::optional<contract::error> check_connection(const attempt& a, const connect_reply& reply, std::chrono::milliseconds limit) const {
    const auto cause = [&] { return bounded(a.secrets.masked(reply.cause)); };
    switch (reply.is) {
      case connect_reply::state::ready:
        return std::nullopt;
      case connect_reply::state::refused:
        if (a.server.oauth && is_about_sign_in(reply.cause)) return errors::auth_unavailable(a.tool_ref, a.server.id, cause());
        return errors::server_offline(a.tool_ref, a.server.id, cause());
      case connect_reply::state::no_session:
        return errors::no_session(a.tool_ref, a.server.id);
      case connect_reply::state::bad_transport:
        return errors::bad_transport(a.tool_ref, a.server.id, cause());
      case connect_reply::state::timed_out:
        return errors::deadline_passed(a.tool_ref, a.server.id, limit.count(), side_effects::none);
      case connect_reply::state::cancelled:
        return errors::call_cancelled(a.tool_ref, a.server.id, side_effects::none);
    }
    return std::nullopt;
  }

  /// 401, unauthorized, oauth, or a word that begins with auth and is not author(s).
  [[nodiscard]] static bool is_about_sign_in(std::string_view cause) {
    for (const std::string_view sign : {"401", "unauthorized", "oauth"})
      if (detail::contains_no_case(cause, sign)) return true;
    for (std::size_t i = 0; i < cause.size(); ++i) {
      if (i > 0 && (detail::is_ascii_letter(cause[i - 1]) || detail::is_ascii_digit(cause[i - 1]))) continue;
      std::size_t end = i;
      std::string word;
      while (end < cause.size() && detail::is_ascii_letter(cause[end])) word += detail::ascii_lower(cause[end++]);
      if (word.starts_with("auth") && word != "author" && word != "authors") return true;
    }
    return false;
  }

  /// Compares the schema that the server lists now with the catalogued one (contract.md, 2.12.8).
  [[nodiscard]] std::optional<contract::error> check_drift(attempt& a, const connect_reply& reply) const {
    if (a.entry == nullptr) return std::nullopt;
    if (reply.tool == connect_reply::listing::gone) return errors::tool_gone(a.tool_ref, a.server.id);
    if (reply.tool == connect_reply::listing::unknown || hash_schema(reply.live_schema) == a.entry->schema_hash) {
      if (a.problems.empty()) return std::nullopt;
      return errors::invalid_arguments(a.tool_ref, a.server.id, a.problems);
    }
    const std::vector<std::string> problems = argument_problems(reply.live_schema, a.arguments, options_.validation);
    if (!problems.empty()) {
      std::string preview;
      if (const auto p = preview_of(reply.live_schema)) write_json(*p, preview);
      return errors::schema_changed(a.tool_ref, a.server.id, problems, bounded(preview, 1024));
    }
    a.notices.emplace_back("the schema of this tool has changed since it was indexed, and these arguments still fit; refresh the index before you rely on the catalogued one");
    return std::nullopt;
  }

  [[nodiscard]] answer finish(attempt& a, const call_reply& reply) {
    std::string text;
    bool any = false;
    for (const content_part& part : reply.content) {
      if (part.type != "text") continue;
      if (any) text += '\n';
      text += part.text;
      any = true;
    }
    if (reply.tool_error) {
      const std::size_t first = text.find_first_not_of(" \t\r\n\v\f");
      const std::size_t last = text.find_last_not_of(" \t\r\n\v\f");
      text = first == std::string::npos ? std::string{} : text.substr(first, last + 1 - first);
      return errors::tool_failed(a.tool_ref, a.server.id, bounded(a.secrets.masked(text)));
    }
    name_parts(a, reply);
    call_result r;
    r.ok = true;
    r.tool_ref = a.tool_ref;
    const bool structured = !reply.structured.absent() && !reply.structured.cursor().is_null();
    std::size_t places = 0;
    r.result = a.secrets.masked(structured ? reply.structured : open_value::string(text), places);
    if (places > 0)
      a.notices.push_back(std::to_string(places) + (places == 1 ? " place" : " places") +
                          " in this result held a secret of the server's configuration and shows **** instead: do not write this text back");
    r.result_summary = summarize_result(a.name, r.result);
    std::string cut = fit_result(r.result, options_.max_result_bytes);
    if (!cut.empty()) {
      r.result_summary += truncated_mark;
      // What was cut is the first thing to know of a result.
      a.notices.insert(a.notices.begin(), std::move(cut));
    }
    r.notices = std::move(a.notices);
    if (a.entry != nullptr)
      for (const followup_tool& f : followups_of(catalog_, *a.entry)) {
        call_next_action& next = r.next_actions.emplace_back();
        next.tool_ref = f.tool_ref;
        next.reason = f.when;
        if (const tool_entry* e = catalog_.find(f.tool_ref)) next.example_call = recommended_call_of(*e);
      }
    return r;
  }

  /// Parts that are no text are named and handed to the host, so that nothing is lost without a word.
  void name_parts(attempt& a, const call_reply& reply) const {
    std::string list;
    std::size_t named = 0;
    std::size_t parts = 0;
    for (const content_part& part : reply.content) {
      if (part.type == "text" || (part.bytes == 0 && part.uri.empty())) continue;
      if (host_.take_part) host_.take_part(call_request{a.tool_ref, a.server.id, a.name, &a.arguments}, part);
      ++parts;
      if (named == 8) continue;
      ++named;
      if (!list.empty()) list += ", ";
      list += bounded(part.type, 64);
      if (!part.mime_type.empty()) list += " " + bounded(part.mime_type, 64);
      if (part.bytes > 0) list += " of " + std::to_string(part.bytes) + " bytes";
      if (!part.uri.empty()) list += " at " + bounded(a.secrets.masked(part.uri), 256);
    }
    if (parts > named) list += " and " + std::to_string(parts - named) + " more";
    if (parts > 0) a.notices.push_back("beside its text the tool gave " + list + ", which is not shown here");
  }

  const tool_catalog& catalog_;
  std::vector<server_config> servers_;
  contract::host host_;
  call_options options_;
  result_cache cache_;
};

/// The content blocks of a result for a protocol adapter: the payload, and the notices if there are any, each line
/// led by `tag` (contract.md, 2.4.6).
[[nodiscard]] inline std::vector<std::string> content_blocks(const call_result& r, std::string_view tag) {
  std::vector<std::string> blocks;
  const json_cursor c = r.result.cursor();
  blocks.push_back(c.is_string() ? c.string() : std::string(c.text()));
  std::string lines;
  const std::vector<std::string> notices = all_notices(r);
  for (const std::string& notice : notices) {
    if (!lines.empty()) lines += '\n';
    lines += tag;
    lines += notice;
  }
  if (!notices.empty()) blocks.push_back(std::move(lines));
  return blocks;
}

}  // namespace contract
}  // namespace v0_1
}  // namespace codemode
