// codemode call: calls against servers that a line describes, for tests of everything around a call.

#include "arguments.hpp"
#include "command.hpp"
#include "jsonl.hpp"
#include "tool_files.hpp"

#include <codemode/contract/call.hpp>
#include <codemode/contract/describe.hpp>
#include <codemode/contract/json.hpp>
#include <codemode/contract/read.hpp>

#include <array>
#include <charconv>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace cli {
namespace {

namespace contract = codemode::contract;
using codemode::json::element;
using std::chrono::milliseconds;

constexpr std::string_view help =
    R"(usage: codemode call [FILE]

Reads lines {"id","op",...} from FILE or standard input and answers each. "op" is call, cache, recommended, validate,
adapter, scrub, redact, secretKind or schemaHash; what a server answers is a part of the line.
)";

std::int64_t number_of(const element& object, std::string_view name, std::int64_t otherwise) {
  const auto found = member_of(object, name);
  std::int64_t n = otherwise;
  if (found && found->kind() == codemode::json::kind::number) {
    const std::string_view raw = found->raw();
    std::from_chars(raw.data(), raw.data() + raw.size(), n);
  }
  return n;
}

contract::open_object object_of(const element& from, std::string_view name) {
  const auto found = member_of(from, name);
  if (!found) return {};
  auto value = contract::open_value::from(*found);
  return value ? contract::open_object{std::move(*value)} : contract::open_object{};
}

contract::named_values values_of(const element& from, std::string_view name) {
  contract::named_values values;
  if (const auto found = member_of(from, name); found && found->is_object())
    for (const codemode::json::member m : found->members()) {
      std::string key;
      std::string value;
      m.key.decode(key);
      if (m.value.is_string()) m.value.decode(value);
      values.emplace_back(std::move(key), std::move(value));
    }
  return values;
}

/// A value of the contract as members after those that are there.
template <class T>
void append_members(std::string& reply, const T& value) {
  std::string text;
  contract::write_json(value, text);
  if (text.size() <= 2) return;
  reply += ',';
  reply.append(text, 1, text.size() - 2);
}

template <class Strings>
void append_strings(std::string& reply, std::string_view name, const Strings& strings) {
  reply += ",\"";
  reply += name;
  reply += "\":[";
  for (std::size_t i = 0; i < strings.size(); ++i) {
    if (i > 0) reply += ',';
    contract::append_wire_string(reply, strings[i]);
  }
  reply += ']';
}

void append_string(std::string& reply, std::string_view name, std::string_view value) {
  reply += ",\"";
  reply += name;
  reply += "\":";
  contract::append_wire_string(reply, value);
}

/// Servers that answer what a line says. The clock stands still but for what they say that they take.
class scripted_servers {
 public:
  explicit scripted_servers(const element& line) {
    if (const auto found = member_of(line, "downstream")) script_ = *found;
  }

  std::vector<std::string> contacted;
  std::string called;
  std::int64_t calls = 0;

  [[nodiscard]] contract::host host() {
    contract::host h;
    h.now = [this] { return std::chrono::steady_clock::time_point{} + clock_; };
    h.connect = [this](const contract::server_config& s, std::string_view, milliseconds) { return connect(s); };
    h.call = [this](const contract::server_config&, std::string_view tool, const contract::open_object&, milliseconds left) {
      return call(tool, left);
    };
    return h;
  }

 private:
  contract::connect_reply connect(const contract::server_config& s) {
    contacted.push_back(s.id);
    contract::connect_reply r;
    if (!script_.at()) return r;
    if (member_of(script_, "connectFails")) {
      r.is = contract::connect_reply::state::refused;
      r.cause = string_of(script_, "connectFails");
    } else if (is_true(script_, "noSession")) {
      r.is = contract::connect_reply::state::no_session;
    } else if (member_of(script_, "liveSchema")) {
      r.tool = contract::connect_reply::listing::listed;
      r.live_schema = object_of(script_, "liveSchema");
    } else if (is_true(script_, "unlisted")) {
      r.tool = contract::connect_reply::listing::gone;
    }
    return r;
  }

  contract::call_reply call(std::string_view tool, milliseconds left) {
    called = tool;
    ++calls;
    contract::call_reply r;
    if (!script_.at()) {
      r.content.emplace_back().text = "ok";
      return r;
    }
    const milliseconds delay{number_of(script_, "delayMs", 0)};
    if (delay > left) {
      clock_ += left;
      r.is = contract::call_reply::state::timed_out;
      return r;
    }
    clock_ += delay;
    if (member_of(script_, "transportError")) {
      r.is = contract::call_reply::state::failed;
      r.cause = string_of(script_, "transportError");
      return r;
    }
    r.tool_error = is_true(script_, "isError");
    if (const auto structured = member_of(script_, "structuredContent"))
      if (auto value = contract::open_value::from(*structured)) r.structured = std::move(*value);
    if (const auto content = member_of(script_, "content"); content && content->is_array())
      for (const element item : content->items()) {
        contract::content_part& part = r.content.emplace_back();
        part.type = string_of(item, "type", "text");
        part.text = string_of(item, "text");
        part.mime_type = string_of(item, "mimeType");
        part.bytes = string_of(item, "data").size() / 4 * 3;
      }
    return r;
  }

  element script_{};
  milliseconds clock_{0};
};

class caller {
 public:
  void operator()(const element& line, std::string& reply) {
    const std::string op = string_of(line, "op");
    if (op == "validate") {
      append_strings(reply, "problems", contract::argument_problems(object_of(line, "schema"), object_of(line, "arguments")));
    } else if (op == "call") {
      call(line, reply);
    } else if (op == "cache") {
      cache(line, reply);
    } else if (op == "recommended") {
      recommended(line, reply);
    } else if (op == "adapter") {
      adapter(line, reply);
    } else if (op == "scrub") {
      const auto input = member_of(line, "input");
      if (!input) return;
      const contract::secret_list secrets(values_of(*input, "headers"), values_of(*input, "environment"));
      append_string(reply, "text", secrets.masked(string_of(*input, "message")));
    } else if (op == "redact") {
      const auto input = member_of(line, "input");
      for (const std::string_view name : {"headers", "environment"}) {
        contract::object_builder shown;
        if (input)
          for (const auto& [key, value] : values_of(*input, name)) shown.set_string(key, contract::redacted(value));
        reply += ",\"";
        reply += name;
        reply += "\":";
        reply += shown.finish().text();
      }
    } else if (op == "secretKind") {
      append_string(reply, "kind", contract::secret_kind(string_of(line, "input")));
    } else if (op == "schemaHash") {
      schema_hash(line, reply);
    } else {
      append_string(reply, "error", "there is no op of that name");
    }
  }

 private:
  const contract::tool_catalog* catalog_of(const element& line, std::string& reply) {
    const std::string path = string_of(line, "catalog");
    auto& slot = catalogs_[path];
    if (!slot) {
      slot = std::make_unique<contract::tool_catalog>();
      if (!read_catalog(path.c_str(), true, *slot)) {
        append_string(reply, "error", "the catalog cannot be read");
        slot.reset();
      }
    }
    return slot.get();
  }

  /// Every server of the catalog is configured; the line may add and change some.
  static std::vector<contract::server_config> servers_of(const element& line, const contract::tool_catalog& catalog) {
    std::vector<contract::server_config> servers;
    for (const contract::server_state& s : catalog.servers()) servers.emplace_back().id = s.id;
    const auto given = member_of(line, "servers");
    if (!given || !given->is_object()) return servers;
    for (const codemode::json::member m : given->members()) {
      std::string id;
      m.key.decode(id);
      auto at = std::find_if(servers.begin(), servers.end(), [&](const auto& s) { return s.id == id; });
      if (at == servers.end()) at = servers.insert(at, contract::server_config{});
      at->id = id;
      if (const auto enabled = member_of(m.value, "enabled")) at->enabled = enabled->is_true();
      at->headers = values_of(m.value, "headers");
      at->environment = values_of(m.value, "environment");
      at->call_timeout = milliseconds{number_of(m.value, "callTimeout", 0)};
      // Configured unless it is absent or false; null counts.
      const auto oauth = m.value.is_object() ? m.value.find("oauth") : std::nullopt;
      at->oauth = oauth && !(oauth->kind() == codemode::json::kind::boolean && !oauth->is_true());
    }
    return servers;
  }

  static contract::call_options options_of(const element& line) {
    contract::call_options options;
    options.max_result_bytes = number_of(line, "maxResultBytes", options.max_result_bytes);
    if (const auto cache = member_of(line, "cache")) {
      options.cache.lifetime = std::chrono::seconds{number_of(*cache, "ttlSeconds", 300)};
      options.cache.entries = static_cast<std::size_t>(number_of(*cache, "maxEntries", 1024));
    }
    return options;
  }

  void call(const element& line, std::string& reply) {
    const auto request = member_of(line, "call");
    const contract::tool_catalog* catalog = catalog_of(line, reply);
    if (catalog == nullptr || !request) return;
    scripted_servers servers(line);
    contract::broker broker(*catalog, servers_of(line, *catalog), servers.host(), options_of(line));
    const auto answer = broker.call(string_of(*request, "toolRef"), object_of(*request, "arguments"));
    if (answer) append_members(reply, *answer);
    else append_members(reply, contract::envelope(answer.error()));
    append_strings(reply, "contacted", servers.contacted);
    append_string(reply, "downstreamName", servers.called);
  }

  void cache(const element& line, std::string& reply) {
    const auto requests = member_of(line, "calls");
    const contract::tool_catalog* catalog = catalog_of(line, reply);
    if (catalog == nullptr || !requests || !requests->is_array()) return;
    scripted_servers servers(line);
    contract::broker broker(*catalog, servers_of(line, *catalog), servers.host(), options_of(line));
    reply += ",\"servedFromCache\":[";
    bool first = true;
    for (const element request : requests->items()) {
      const auto answer = broker.call(string_of(request, "toolRef"), object_of(request, "arguments"));
      if (!first) reply += ',';
      first = false;
      reply += answer && answer->cached_age_seconds ? "true" : "false";
    }
    reply += "],\"downstreamCalls\":" + std::to_string(servers.calls);
  }

  void recommended(const element& line, std::string& reply) {
    const auto request = member_of(line, "call");
    const contract::tool_catalog* catalog = catalog_of(line, reply);
    if (catalog == nullptr || !request) return;
    const auto answer = contract::describe_tool(*catalog, string_of(*request, "toolRef"));
    if (answer) append_members(reply, *answer);
    else append_members(reply, contract::envelope(answer.error()));
  }

  static void adapter(const element& line, std::string& reply) {
    const auto value = member_of(line, "value");
    if (!value) return;
    const auto result = contract::read<contract::call_result>(*value);
    if (result) append_strings(reply, "blocks", contract::content_blocks(*result, "codemode: "));
    else append_string(reply, "error", "the value is no CallResult");
  }

  static void schema_hash(const element& line, std::string& reply) {
    // A missing schema counts as one that asks for an object; one that is no object has no hash.
    const auto input = line.find("input");
    const bool none = !input || input->kind() == codemode::json::kind::null;
    if (!none && !input->is_object()) {
      reply += ",\"error\":true";
      return;
    }
    append_string(reply, "sha256", contract::detail::hex(contract::hash_schema(none ? contract::open_object{} : object_of(line, "input"))));
  }

  std::map<std::string, std::unique_ptr<contract::tool_catalog>> catalogs_;
};

}  // namespace

exit_code run_call(std::span<const std::string_view> arguments) {
  const bool asks = arguments.size() == 1 && (arguments[0] == "--help" || arguments[0] == "-h");
  if (asks || arguments.size() > 1) {
    output out{asks ? STDOUT_FILENO : STDERR_FILENO};
    out.append(help);
    out.flush();
    return asks ? exit_done : exit_usage;
  }
  const std::string path{arguments.empty() ? std::string_view{"-"} : arguments[0]};
  caller call;
  return answer_lines(path.c_str(), [&](const element& line, std::string& reply) { call(line, reply); });
}

}  // namespace cli
