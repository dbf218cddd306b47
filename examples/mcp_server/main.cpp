// An MCP server that finds, describes and calls the tools of other MCP servers, and plans calls from an instruction.
//
//     codemode_mcp_server CONFIG.json
//
// Speaks JSON-RPC 2.0 over standard input and output, one message a line. Downstream servers are started when tools
// are first asked for. One thread; a call that runs listens for its cancellation.

#include "downstream.hpp"

#include <codemode/bridge/mcp_catalog.hpp>
#include <codemode/bridge/planner_errors.hpp>
#include <codemode/catalog.hpp>
#include <codemode/contract.hpp>
#include <codemode/javascript.hpp>
#include <codemode/plan_json.hpp>
#include <codemode/planner.hpp>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mcp {
namespace {

constexpr std::string_view notice_tag = "[codemode] ";
constexpr std::array<std::string_view, 4> protocols{newest_protocol, "2025-06-18", "2025-03-26", "2024-11-05"};

/// One text block, or more.
std::string tool_result(const std::vector<std::string>& blocks, bool failed, std::string_view meta = {}) {
  std::string s = "{\"content\":[";
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    s += i > 0 ? ",{\"type\":\"text\",\"text\":" : "{\"type\":\"text\",\"text\":";
    contract::append_wire_string(s, blocks[i]);
    s += '}';
  }
  s += failed ? "],\"isError\":true" : "],\"isError\":false";
  if (!meta.empty()) {
    s += ",\"_meta\":";
    s += meta;
  }
  return s + "}";
}

template <class T>
std::string json_result(const T& value, bool failed = false) {
  std::string text;
  contract::write_json(value, text);
  return tool_result({text}, failed);
}
std::string json_result(const contract::error& e) { return json_result(contract::envelope(e), true); }

class server {
 public:
  explicit server(configuration c) : configuration_(std::move(c)), client_(0, 1) {
    for (const server_entry& s : configuration_.servers) {
      catalog_.set_unreachable(s.config.id, contract::status_unknown);
      servers_.push_back(std::make_unique<downstream>(s, [this](::pollfd (&own)[2], milliseconds left) { return wait(own, left); }));
    }
    std::vector<contract::server_config> configs;
    for (const server_entry& s : configuration_.servers) configs.push_back(s.config);
    contract::host host;
    host.connect = [this](const contract::server_config& s, std::string_view tool, milliseconds left) { return connect(s, tool, left); };
    host.call = [this](const contract::server_config& s, std::string_view tool, const contract::open_object& arguments, milliseconds left) {
      return find_server(s.id)->call(tool, arguments.text(), left);
    };
    broker_ = std::make_unique<contract::broker>(catalog_, std::move(configs), std::move(host));
  }

  void run() {
    std::string line;
    for (;;) {
      while (next_line(line)) handle(line);
      if (client_.ended() || client_.broken()) return;
      std::vector<::pollfd> polled{{client_.in(), POLLIN, 0}, {client_.wants_write() ? client_.out() : -1, POLLOUT, 0}};
      for (const auto& s : servers_) polled.push_back({s->descriptor(), POLLIN, 0});
      ::poll(polled.data(), polled.size(), -1);
      if (polled[1].revents != 0) client_.flush();
      if (polled[0].revents != 0) client_.read();
      for (std::size_t i = 0; i < servers_.size(); ++i)
        if (polled[i + 2].revents != 0) servers_[i]->drain();
    }
  }

 private:
  bool next_line(std::string& line) {
    if (!waiting_.empty()) {
      line = std::move(waiting_.front());
      waiting_.pop_front();
      return true;
    }
    return client_.next(line);
  }

  /// Waits for a downstream server, and listens to the client meanwhile: requests wait, a cancellation of the request
  /// in hand ends it, a ping is answered.
  bool wait(::pollfd (&own)[2], milliseconds left) {
    ::pollfd polled[4]{own[0], own[1], {client_.ended() ? -1 : client_.in(), POLLIN, 0}, {client_.wants_write() ? client_.out() : -1, POLLOUT, 0}};
    constexpr milliseconds longest{60'000};
    ::poll(polled, 4, static_cast<int>((std::min)(left, longest).count()));
    own[0].revents = polled[0].revents;
    own[1].revents = polled[1].revents;
    if (polled[3].revents != 0) client_.flush();
    if (polled[2].revents != 0) client_.read();
    std::string line;
    bool cancelled = client_.ended() || client_.broken();
    while (client_.next(line)) {
      codemode::json::reader reader;
      const auto document = reader.read(line);
      const bool object = document && document->root().is_object();
      const std::string method = object ? string_of(document->root(), "method") : std::string{};
      if (method == "notifications/cancelled") {
        const auto params = member_of(document->root(), "params");
        const auto id = params ? member_of(*params, "requestId") : std::nullopt;
        if (id && id->raw() == current_) {
          cancelled = true;
          continue;
        }
        if (id) std::erase_if(waiting_, [&](const std::string& w) { return asks_with_id(w, id->raw()); });
      } else if (const auto id = object ? document->root().find("id") : std::nullopt; id && method == "ping") {
        client_.send(response(id->raw(), "{}"));
      } else {
        waiting_.push_back(std::move(line));
      }
    }
    return cancelled;
  }

  static bool asks_with_id(const std::string& line, std::string_view id) {
    codemode::json::reader reader;
    const auto document = reader.read(line);
    if (!document || !document->root().is_object()) return false;
    const auto given = document->root().find("id");
    return given && given->raw() == id;
  }

  void handle(const std::string& line) {
    const auto document = reader_.read(line);
    if (!document) return client_.send(error_response("null", parse_error, "the message is no JSON"));
    const element root = document->root();
    if (!root.is_object()) return client_.send(error_response("null", invalid_request, "a message is one JSON object"));
    const auto given = root.find("id");
    const bool usable = given && (given->is_string() || given->kind() == codemode::json::kind::number);
    const std::string id{usable ? given->raw() : std::string_view{"null"}};
    const std::string method = string_of(root, "method");
    if (method.empty()) {
      // An answer to something that we did not ask is passed over; a request without a method is not.
      if (!root.find("result") && !root.find("error")) client_.send(error_response(id, invalid_request, "there is no method"));
      return;
    }
    if (!usable) {
      if (given) client_.send(error_response("null", invalid_request, "the id must be a string or a number"));
      return;  // notifications ask for nothing
    }
    current_ = id;
    const auto params = member_of(root, "params");
    if (method == "initialize") client_.send(response(id, initialize(params ? string_of(*params, "protocolVersion") : std::string{})));
    else if (method == "ping") client_.send(response(id, "{}"));
    else if (method == "tools/list") client_.send(response(id, tool_list()));
    else if (method == "tools/call") call_own_tool(id, params);
    else client_.send(error_response(id, method_not_found, "there is no method " + method));
    current_.clear();
  }

  /// The ids of the servers, for texts: at most twelve.
  [[nodiscard]] std::string breadcrumb() const {
    constexpr std::size_t most = 12;
    std::vector<std::string_view> ids;
    for (const server_entry& s : configuration_.servers)
      if (s.config.enabled) ids.push_back(s.config.id);
    if (ids.empty()) return {};
    std::sort(ids.begin(), ids.end());
    std::string s = "\n\nServers behind it: ";
    for (std::size_t i = 0; i < ids.size() && i < most; ++i) {
      if (i > 0) s += ", ";
      s += ids[i];
    }
    if (ids.size() > most) s += " (+" + std::to_string(ids.size() - most) + " more)";
    return s + ".";
  }

  [[nodiscard]] std::string initialize(std::string_view asked) const {
    const bool known = std::find(protocols.begin(), protocols.end(), asked) != protocols.end();
    std::string s = "{\"protocolVersion\":\"" + std::string(known ? asked : newest_protocol) +
                    "\",\"capabilities\":{\"tools\":{\"listChanged\":false}},\"serverInfo\":{\"name\":\"codemode\",\"version\":\"" CODEMODE_VERSION_STRING
                    "\"},\"instructions\":";
    contract::append_wire_string(s, "Tools of other servers are reached through this one. When a task needs a tool that you do not see, use findTool with a few "
                                    "words about the task before you say that it cannot be done; then callTool with the toolRef that it names." + breadcrumb());
    return s + "}";
  }

  [[nodiscard]] std::string tool_list() const {
    std::string s = "{\"tools\":[";
    const auto add = [&](std::string_view name, std::string_view title, const std::string& description, std::string_view schema, bool read_only) {
      if (s.back() == '}') s += ',';
      s += "{\"name\":\"" + std::string(name) + "\",\"title\":\"" + std::string(title) + "\",\"description\":";
      contract::append_wire_string(s, description);
      s += ",\"inputSchema\":" + std::string(schema) + ",\"annotations\":{\"readOnlyHint\":" + (read_only ? "true" : "false") + "}}";
    };
    add("findTool", "Find a tool", "Finds the tool for a task among all connected servers and says whether to use it. Returns a decision, the toolRef, its schema and the next step." + breadcrumb(),
        R"({"type":"object","properties":{"query":{"type":"string","description":"what is to be done, in a few words: the action and the thing"}},"required":["query"]})", true);
    add("describeTool", "Describe a tool", "Shows one tool's schema, hints and an example call.",
        R"({"type":"object","properties":{"toolRef":{"type":"string","description":"as findTool gave it: server.tool"},"path":{"type":"string","description":"JSON pointer into a large schema: shows only that part"}},"required":["toolRef"]})", true);
    add("callTool", "Call a tool", "Calls a tool of a connected server. Arguments must fit the schema that findTool or describeTool showed.",
        R"({"type":"object","properties":{"toolRef":{"type":"string","description":"as findTool gave it: server.tool"},"arguments":{"type":"object","description":"arguments of that tool"}},"required":["toolRef"]})", false);
    add("planTools", "Plan calls", "Turns one explicit instruction, which names tools and gives every argument, into a checked plan of one to three calls and JavaScript for it. Calls nothing.",
        R"({"type":"object","properties":{"instruction":{"type":"string","description":"for example: Call get_user with id 7, then list_orders with limit 5."},"toolRefs":{"type":"array","items":{"type":"string"},"maxItems":8,"description":"tools that it may name; without it they are found"}},"required":["instruction"]})", true);
    return s + "]}";
  }

  void call_own_tool(const std::string& id, const std::optional<element>& params) {
    if (!params || !params->is_object()) return client_.send(error_response(id, invalid_params, "there are no params"));
    const std::string name = string_of(*params, "name");
    const auto given = member_of(*params, "arguments");
    contract::open_object arguments = contract::open_object::empty_object();
    if (given) {
      auto value = contract::open_value::from(*given);
      if (!value || !given->is_object()) return client_.send(response(id, json_result(contract::errors::arguments_not_an_object({}, "arguments of " + name))));
      arguments = contract::open_object{std::move(*value)};
    }
    // The document that holds them is gone once a downstream server is waited for: from here on only copies.
    if (name == "findTool") return client_.send(response(id, find(arguments)));
    if (name == "describeTool") return client_.send(response(id, describe(arguments)));
    if (name == "callTool") return client_.send(response(id, call(arguments)));
    if (name == "planTools") return client_.send(response(id, plan(arguments)));
    client_.send(response(id, json_result(contract::errors::unknown_tool(name, std::vector<std::string>{"findTool", "describeTool", "callTool", "planTools"}))));
  }

  /// A string argument; `false` after a refusal was made.
  static bool take_string(const contract::open_object& arguments, std::string_view name, std::string& to, std::string& refusal) {
    const contract::json_cursor value = arguments.cursor()[name];
    if (value.is_string()) {
      to = value.string();
      return true;
    }
    const std::vector<std::string> problems{value ? "field " + contract::quote_name(name) + " must be string" : "missing required field " + contract::quote_name(name)};
    refusal = json_result(contract::errors::invalid_arguments({}, {}, problems));
    return false;
  }

  std::string find(const contract::open_object& arguments) {
    std::string query;
    std::string refusal;
    if (!take_string(arguments, "query", query, refusal)) return refusal;
    refresh();
    contract::find_options options;
    options.catalog_age_seconds = age();
    return json_result(contract::find_tool(*index_, query, options, work_));
  }

  std::string describe(const contract::open_object& arguments) {
    std::string tool_ref;
    std::string refusal;
    if (!take_string(arguments, "toolRef", tool_ref, refusal)) return refusal;
    refresh();
    const std::string path = arguments.cursor()["path"].string();
    const auto answer = contract::describe_tool(catalog_, tool_ref, {.path = path});
    return answer ? json_result(*answer) : json_result(answer.error());
  }

  std::string call(const contract::open_object& arguments) {
    std::string tool_ref;
    std::string refusal;
    if (!take_string(arguments, "toolRef", tool_ref, refusal)) return refusal;
    const contract::json_cursor given = arguments.cursor()["arguments"];
    if (given && !given.is_object()) return json_result(contract::errors::arguments_not_an_object(tool_ref, "they are " + contract::bounded(given.text(), 64)));
    refresh();
    const auto answer = broker_->call(tool_ref, given ? contract::open_object{contract::open_value::copy(given)} : contract::open_object{});
    if (!answer) return json_result(answer.error());
    contract::object_builder meta;
    meta.set_string("toolRef", answer->tool_ref);
    meta.set_string("resultSummary", answer->result_summary);
    contract::object_builder outer;
    outer.set("codemode", meta.finish());
    return tool_result(contract::content_blocks(*answer, notice_tag), false, outer.finish().text());
  }

  std::string plan(const contract::open_object& arguments) {
    std::string instruction;
    std::string refusal;
    if (!take_string(arguments, "instruction", instruction, refusal)) return refusal;
    refresh();
    std::vector<const contract::tool_entry*> tools;
    for (const contract::json_cursor ref : arguments.cursor()["toolRefs"].items()) {
      const std::string tool_ref = ref.string();
      const contract::tool_entry* e = catalog_.find(tool_ref);
      if (e == nullptr) return json_result(contract::errors::unknown_tool(tool_ref, contract::detail::near_refs(catalog_, tool_ref)));
      tools.push_back(e);
    }
    if (tools.empty()) {
      index_->rank(instruction, codemode::bridge::most_planner_tools * 2, work_);
      for (const auto& hit : work_.hits) tools.push_back(&catalog_.entries()[hit.tool]);
    }
    const codemode::bridge::planner_catalog made = codemode::bridge::to_planner_catalog(tools);
    const auto catalog = codemode::catalog::parse(made.json);
    if (!catalog) return json_result(codemode::bridge::to_error(catalog.error()));
    const auto planned = planner_.plan(instruction, *catalog);
    if (!planned) return json_result(codemode::bridge::to_error(planned.error()));
    std::string text = "{\"plan\":";
    codemode::write_json(*planned, text);
    std::string script;
    codemode::write_javascript(*planned, script);
    text += ",\"javascript\":";
    contract::append_wire_string(text, script);
    contract::object_builder names;
    for (const auto& [name, ref] : made.names) names.set_string(name, ref);
    text += ",\"toolRefs\":";
    text += names.finish().text();
    text += ",\"agentInstruction\":\"Nothing has been called. Run the JavaScript with a host that maps these names to the toolRefs, or use callTool for each call of the plan in its order.\"}";
    return tool_result({text}, false);
  }

  [[nodiscard]] downstream* find_server(std::string_view id) const {
    for (const auto& s : servers_)
      if (s->entry().config.id == id) return s.get();
    return nullptr;
  }

  contract::connect_reply connect(const contract::server_config& config, std::string_view tool, milliseconds left) {
    downstream* const s = find_server(config.id);
    contract::connect_reply reply = s->connect(left);
    if (reply.is != contract::connect_reply::state::ready) {
      catalog_.set_unreachable(config.id, contract::status_offline);
      return reply;
    }
    // The list that the session has is the live one, unless the server has said that it has changed.
    std::string cause;
    auto tools = s->list_changed() ? s->list((std::min)(left, s->entry().timeout), cause) : std::nullopt;
    if (tools) live_[config.id] = *tools;
    const auto known = live_.find(config.id);
    if (known == live_.end()) return reply;
    reply.tool = contract::connect_reply::listing::gone;
    for (const contract::tool_entry& e : known->second)
      if (e.name == tool) {
        reply.tool = contract::connect_reply::listing::listed;
        reply.live_schema = e.input_schema;
      }
    return reply;
  }

  /// Lists every server that is new, has changed its list or has died. Starts all before it waits for one.
  void refresh() {
    for (const auto& s : servers_) s->drain();
    bool changed = !index_;
    std::vector<downstream*> due;
    for (const auto& s : servers_)
      if (s->entry().config.enabled && (!s->running() || s->list_changed()) && clock::now() >= retry_at_[s.get()]) due.push_back(s.get());
    for (downstream* s : due) s->launch();
    for (downstream* s : due) {
      changed = true;
      const std::string& id = s->entry().config.id;
      const contract::connect_reply reply = s->connect(s->entry().timeout);
      std::string cause = reply.cause;
      auto tools = reply.is == contract::connect_reply::state::ready ? s->list(s->entry().timeout, cause) : std::nullopt;
      if (tools) {
        live_[id] = *tools;
        catalog_.set_server(id, contract::status_online, std::move(*tools));
        indexed_ = clock::now();
      } else {
        live_.erase(id);
        catalog_.set_unreachable(id, contract::status_offline);
        // One that cannot be reached is not waited for again by every request.
        retry_at_[s] = clock::now() + std::chrono::seconds{30};
        std::fprintf(stderr, "codemode_mcp_server: server %s: %s\n", id.c_str(), cause.c_str());
      }
    }
    if (changed || index_->outdated()) index_ = std::make_unique<contract::tool_index>(catalog_, index_ ? index_->lexicon() : nullptr);
  }

  [[nodiscard]] std::optional<std::int64_t> age() const {
    if (!indexed_) return std::nullopt;
    return std::chrono::duration_cast<std::chrono::seconds>(clock::now() - *indexed_).count();
  }

  configuration configuration_;
  line_channel client_;
  codemode::json::reader reader_;
  std::deque<std::string> waiting_;
  std::string current_;
  std::vector<std::unique_ptr<downstream>> servers_;
  std::map<const downstream*, clock::time_point> retry_at_;
  std::map<std::string, std::vector<contract::tool_entry>, std::less<>> live_;
  contract::tool_catalog catalog_;
  std::unique_ptr<contract::tool_index> index_;
  std::unique_ptr<contract::broker> broker_;
  contract::search::workspace work_;
  codemode::planner planner_;
  std::optional<clock::time_point> indexed_;
};

bool read_file(const char* path, std::string& text) {
  std::FILE* const file = std::fopen(path, "rb");
  if (file == nullptr) return false;
  char block[65536];
  for (std::size_t n = 0; (n = std::fread(block, 1, sizeof block, file)) > 0;) text.append(block, n);
  const bool good = std::ferror(file) == 0;
  std::fclose(file);
  return good;
}

}  // namespace
}  // namespace mcp

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  if (argc != 2) {
    std::fputs("usage: codemode_mcp_server CONFIG.json\n\nCONFIG.json holds {\"mcpServers\":{\"ID\":{\"command\",\"args\",\"env\"}}}.\n", stderr);
    return 2;
  }
  std::string text;
  if (!mcp::read_file(argv[1], text)) {
    std::fprintf(stderr, "codemode_mcp_server: cannot read %s\n", argv[1]);
    return 3;
  }
  mcp::configuration configuration = mcp::read_configuration(text);
  if (!configuration.error.empty()) {
    std::fprintf(stderr, "codemode_mcp_server: %s: %s\n", argv[1], configuration.error.c_str());
    return 3;
  }
  for (const std::string& w : configuration.warnings) std::fprintf(stderr, "codemode_mcp_server: %s\n", w.c_str());
  mcp::server server(std::move(configuration));
  server.run();
  return 0;
}
