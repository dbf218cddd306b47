#pragma once

// One downstream MCP server: started when it is first needed, asked over its standard input and output, restarted when
// it has died.

#include "child_process.hpp"
#include "configuration.hpp"
#include "json_rpc.hpp"
#include "line_channel.hpp"

#include <codemode/contract/call.hpp>
#include <codemode/contract/tool_catalog.hpp>
#include <codemode/json/reader.hpp>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <poll.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mcp {

using clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// Version of the protocol that is asked for first; servers may answer with an older one.
inline constexpr std::string_view newest_protocol = "2025-11-25";

/// What became of a request to a downstream server.
struct rpc_outcome {
  enum class state { answered, refused, ended, timed_out, cancelled };
  state is = state::ended;
  std::string message{};  ///< of an error
  std::string result{};   ///< JSON text
};

class downstream {
 public:
  /// `idle(left)` is called while an answer is awaited, with the descriptors of this server; it waits for at most
  /// `left` and tells whether the wait is to be given up.
  using waiter = std::function<bool(::pollfd (&own)[2], milliseconds left)>;

  downstream(const server_entry& entry, waiter wait) : entry_(entry), wait_(std::move(wait)) {}

  [[nodiscard]] const server_entry& entry() const noexcept { return entry_; }
  [[nodiscard]] bool running() const noexcept { return ready_; }
  /// Whether the server has said since the last listing that its list has changed, or was started anew.
  [[nodiscard]] bool list_changed() const noexcept { return list_changed_; }

  /// Starts the process without waiting for it, so that several start at once.
  void launch() {
    if (channel_ || entry_.command.empty()) return;
    start_error_ = process_.start(entry_.command, entry_.arguments, entry_.config.environment);
    if (!start_error_.empty()) return;
    channel_ = std::make_unique<line_channel>(process_.output(), process_.input());
    initialize_id_ = send_request("initialize", "{\"protocolVersion\":\"" + std::string(newest_protocol) +
                                                    "\",\"capabilities\":{},\"clientInfo\":{\"name\":\"codemode\",\"version\":\"" CODEMODE_VERSION_STRING "\"}}");
    ready_ = false;
  }

  /// Makes sure that there is a session.
  [[nodiscard]] contract::connect_reply connect(milliseconds limit) {
    contract::connect_reply reply;
    using state = contract::connect_reply::state;
    if (entry_.command.empty()) {
      reply.is = state::bad_transport;
      reply.cause = "it has no command";
      return reply;
    }
    if (ready_) drain();  // not before: the answer to initialize must not be passed over
    if (ready_ && channel_ && !channel_->ended() && !channel_->broken()) return reply;
    if (ready_) close();
    launch();
    if (!channel_) {
      reply.is = state::refused;
      reply.cause = entry_.command + ": " + start_error_;
      return reply;
    }
    const rpc_outcome o = await(initialize_id_, clock::now() + limit);
    if (o.is == rpc_outcome::state::answered) {
      channel_->send(notification("notifications/initialized", "{}"));
      ready_ = true;
      list_changed_ = true;
      return reply;
    }
    close();
    reply.is = o.is == rpc_outcome::state::cancelled ? state::cancelled : o.is == rpc_outcome::state::refused ? state::no_session : state::refused;
    reply.cause = o.is == rpc_outcome::state::timed_out ? "it did not answer to initialize in time"
                  : o.is == rpc_outcome::state::ended   ? "it ended before it answered to initialize"
                                                        : o.message;
    return reply;
  }

  /// All pages of the tool list. Nothing if the server cannot list; `cause` tells why.
  [[nodiscard]] std::optional<std::vector<contract::tool_entry>> list(milliseconds limit, std::string& cause) {
    const clock::time_point deadline = clock::now() + limit;
    std::vector<contract::tool_entry> tools;
    std::string cursor;
    constexpr int most_pages = 1000;  // a server whose cursors never end
    for (int page = 0; page < most_pages; ++page) {
      std::string params = "{}";
      if (!cursor.empty()) {
        params = "{\"cursor\":";
        contract::append_wire_string(params, cursor);
        params += '}';
      }
      const rpc_outcome o = await(send_request("tools/list", params), deadline);
      if (o.is != rpc_outcome::state::answered) {
        cause = o.is == rpc_outcome::state::timed_out ? "its list did not come in time" : o.is == rpc_outcome::state::ended ? "it ended while it was listed" : o.message;
        if (o.is == rpc_outcome::state::ended) close();
        return std::nullopt;
      }
      codemode::json::reader reader;
      const auto document = reader.read(o.result);
      if (!document) break;
      if (const auto items = member_of(document->root(), "tools"); items && items->is_array())
        for (const element item : items->items()) {
          auto entry = contract::read_tool(item, entry_.config.id);
          if (!entry) continue;
          if (entry->input_schema.absent()) entry->input_schema = contract::open_object{contract::open_value::trusted("{\"type\":\"object\"}")};
          tools.push_back(std::move(*entry));
        }
      const std::string next = string_of(document->root(), "nextCursor");
      if (next.empty() || next == cursor) break;
      cursor = next;
    }
    list_changed_ = false;
    return tools;
  }

  [[nodiscard]] contract::call_reply call(std::string_view tool, std::string_view arguments, milliseconds limit) {
    std::string params = "{\"name\":";
    contract::append_wire_string(params, tool);
    params += ",\"arguments\":";
    params += arguments;
    params += '}';
    const long id = send_request("tools/call", params);
    const rpc_outcome o = await(id, clock::now() + limit);
    contract::call_reply reply;
    using state = contract::call_reply::state;
    switch (o.is) {
      case rpc_outcome::state::answered:
        read_result(o.result, reply);
        break;
      case rpc_outcome::state::refused:
        reply.is = state::failed;
        reply.cause = o.message;
        break;
      case rpc_outcome::state::ended:
        reply.is = state::failed;
        reply.cause = "the server ended before it answered";
        close();
        break;
      case rpc_outcome::state::timed_out:
      case rpc_outcome::state::cancelled:
        reply.is = o.is == rpc_outcome::state::timed_out ? state::timed_out : state::cancelled;
        if (channel_)
          channel_->send(notification("notifications/cancelled", "{\"requestId\":" + std::to_string(id) + ",\"reason\":\"" +
                                                                     (reply.is == state::timed_out ? "timeout" : "cancelled by the client") + "\"}"));
        break;
    }
    return reply;
  }

  /// Takes in what has arrived while nobody asked: notifications, requests, late answers.
  void drain() {
    if (!channel_) return;
    channel_->flush();
    channel_->read();
    std::string line;
    rpc_outcome ignored;
    while (channel_->next(line)) take(line, -1, ignored);
    if (channel_->ended() || channel_->broken()) close();
  }
  [[nodiscard]] int descriptor() const noexcept { return channel_ ? channel_->in() : -1; }

  void close() {
    channel_.reset();
    process_.stop();
    ready_ = false;
    list_changed_ = true;
  }

 private:
  long send_request(std::string_view method, std::string_view params) {
    if (channel_) channel_->send(request(++last_id_, method, params));
    return last_id_;
  }

  [[nodiscard]] rpc_outcome await(long id, clock::time_point deadline) {
    rpc_outcome outcome;
    std::string line;
    for (;;) {
      if (!channel_) return outcome;
      while (channel_->next(line))
        if (take(line, id, outcome)) return outcome;
      if (channel_->ended() || channel_->broken()) {
        outcome.is = rpc_outcome::state::ended;
        return outcome;
      }
      const auto left = std::chrono::ceil<milliseconds>(deadline - clock::now());
      if (left.count() <= 0) {
        outcome.is = rpc_outcome::state::timed_out;
        return outcome;
      }
      ::pollfd own[2]{{channel_->in(), POLLIN, 0}, {channel_->wants_write() ? channel_->out() : -1, POLLOUT, 0}};
      if (wait_(own, left)) {
        outcome.is = rpc_outcome::state::cancelled;
        return outcome;
      }
      if (own[1].revents != 0) channel_->flush();
      if (own[0].revents != 0) channel_->read();
    }
  }

  /// Takes a line; true if it is the answer to `id`. What is no JSON-RPC is passed over: servers print.
  bool take(const std::string& line, long id, rpc_outcome& outcome) {
    const auto document = reader_.read(line);
    if (!document || !document->root().is_object()) return false;
    const element root = document->root();
    const std::string method = string_of(root, "method");
    const auto given = root.find("id");
    if (!method.empty()) {
      if (given) answer(method, given->raw());
      else if (method == "notifications/tools/list_changed") list_changed_ = true;
      return false;
    }
    if (!given || given->raw() != std::to_string(id)) return false;
    if (const auto result = root.find("result")) {
      outcome.is = rpc_outcome::state::answered;
      outcome.result = result->raw();
    } else {
      outcome.is = rpc_outcome::state::refused;
      const auto error = member_of(root, "error");
      outcome.message = error ? string_of(*error, "message") : "the server gave an answer without result";
    }
    return true;
  }

  /// Requests of the server: only ping is offered.
  void answer(const std::string& method, std::string_view id) {
    channel_->send(method == "ping" ? response(id, "{}") : error_response(id, method_not_found, "this client does not offer " + method));
  }

  static void read_result(const std::string& text, contract::call_reply& reply) {
    codemode::json::reader reader;
    const auto document = reader.read(text);
    if (!document || !document->root().is_object()) {
      reply.is = contract::call_reply::state::failed;
      reply.cause = "the server's answer is no object";
      return;
    }
    const element root = document->root();
    if (const auto failed = member_of(root, "isError")) reply.tool_error = failed->kind() == codemode::json::kind::boolean && failed->is_true();
    if (const auto structured = member_of(root, "structuredContent"))
      if (auto value = contract::open_value::from(*structured)) reply.structured = std::move(*value);
    const auto content = member_of(root, "content");
    if (!content || !content->is_array()) return;
    for (const element item : content->items()) {
      contract::content_part& part = reply.content.emplace_back();
      part.type = string_of(item, "type");
      part.text = string_of(item, "text");
      part.mime_type = string_of(item, "mimeType");
      part.uri = string_of(item, "uri");
      part.bytes = string_of(item, "data").size() / 4 * 3;
      if (const auto resource = member_of(item, "resource")) {
        part.mime_type = string_of(*resource, "mimeType");
        part.uri = string_of(*resource, "uri");
        part.bytes = string_of(*resource, "text").size() + string_of(*resource, "blob").size() / 4 * 3;
      }
    }
  }

  const server_entry& entry_;
  waiter wait_;
  child_process process_;
  std::unique_ptr<line_channel> channel_;
  codemode::json::reader reader_;
  std::string start_error_;
  long last_id_ = 0;
  long initialize_id_ = 0;
  bool ready_ = false;
  bool list_changed_ = true;
};

}  // namespace mcp
