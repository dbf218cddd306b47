#pragma once

// One line of `codemode prompt run`: the line is the model, the tools and the hooks; the library is the loop.

#include "prompt_json.hpp"

#include <codemode/prompt.hpp>

#include <cmath>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

namespace cli {

/// Runs one tool at a time, in the order they were started, when the loop waits or looks between chunks: so a
/// scripted run goes the same way every time. A tool that waits for the stop lets the others go on.
class scripted_executor final : public cp::executor {
 public:
  ~scripted_executor() override {
    for (std::thread& t : threads_) t.join();
  }
  void run(task t) override { tasks_.push_back(std::move(t)); }
  void call_at(cp::clock::time_point, task) override {}  // scripts have no clock
  bool work() override {
    if (tasks_.empty()) return false;
    task t = std::move(tasks_.front());
    tasks_.pop_front();
    std::unique_lock lock{mutex_};
    yielded_ = false;
    threads_.emplace_back([this, t = std::move(t)] {
      t();
      yield();
    });
    changed_.wait(lock, [this] { return yielded_; });
    return true;
  }
  /// The running tool lets the loop go on.
  void yield() {
    const std::lock_guard lock{mutex_};
    yielded_ = true;
    changed_.notify_all();
  }

 private:
  std::deque<task> tasks_;
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool yielded_ = false;
};

class scenario {
 public:
  explicit scenario(const value& line) : line_(line), prompt_line_(*member(line, "prompt")) {}

  [[nodiscard]] value play() {
    const value* stop = line_.find("stop");
    if (stop != nullptr && stop->string() == "before") stop_.request_stop();
    if (stop != nullptr)
      if (const value* on = stop->find("on")) stop_on_ = *on;

    make_tools();
    const cp::prompt<> p{make_prompt()};
    cp::context<> c = make_context();
    cp::run_options options;
    options.mode = read_mode();
    options.visitor = [this](const cp::event& e) { visit(e); };
    const cp::outcome o = p.run(c, options);
    return report(o, options.mode);
  }

 private:
  using context = cp::context<>;
  using outcome_kind = cp::tool_outcome::kind;

  static const value* member(const value& v, std::string_view name) {
    static const value none = value::make_object();
    const value* m = v.find(name);
    return m != nullptr ? m : &none;
  }
  /// The n-th call gives the n-th entry, the last one repeats.
  template <class T>
  static auto series(const T& list) {
    return [&list, n = std::size_t{0}]() mutable -> const value& {
      const value& v = list[(std::min)(n, list.size() - 1)];
      ++n;
      return v;
    };
  }
  /// A value that may differ from resolve to resolve.
  static std::function<const value&()> per_resolve(const value& v) {
    if (const value* list = v.find("perResolve")) return series(list->items());
    return [&v]() -> const value& { return v; };
  }

  static cp::tool_outcome read_step(const value& step) {
    if (step.find("error") != nullptr) return cp::tool_outcome::error(text_of(step, "error"));
    if (step.find("interrupt") != nullptr) return cp::tool_outcome::interrupt(text_of(step, "interrupt"));
    if (step.find("suspend") != nullptr) return cp::tool_outcome::suspend(text_of(step, "suspend"));
    const value* v = step.find("return");
    return v == nullptr ? cp::tool_outcome::nothing() : cp::tool_outcome::value(*v);
  }
  static std::variant<value, cp::hook_error> read_parse(const value& step) {
    if (step.find("error") != nullptr) return cp::hook_error{text_of(step, "error")};
    const value* v = step.find("value");
    return v != nullptr ? *v : value{};
  }
  static std::optional<cp::hook_error> read_check(const value& step) {
    if (!step.is_string()) return std::nullopt;
    return cp::hook_error{std::string{step.string()}};
  }

  // ---- tools
  void make_tools() {
    const value* list = line_.find("tools");
    if (list == nullptr) return;
    for (const value& t : list->items()) {
      cp::tool_config<> config;
      config.name = text_of(t, "name");
      config.description = text_of(t, "description");
      if (const value* i = t.find("instructions")) config.instructions = std::string{i->string()};
      if (const value* i = t.find("input")) config.input = *i;
      if (const value* s = t.find("parameters")) config.schema = cp::json_schema{*s};
      config.max_args_length = count_of(t, "maxArgsLength");
      if (const value* p = t.find("parse"))
        config.parse = [next = series(p->items())](value, const context&) mutable { return read_parse(next()); };
      if (const value* v = t.find("validate"))
        config.validate = [next = series(v->items())](const value&, const context&) mutable { return read_check(next()); };
      if (flag_of(t, "applicable") == false) config.applicable = [](const context&) { return false; };
      const value* script = t.find("script");
      auto steps = std::make_shared<std::function<const value&()>>();
      if (script != nullptr && !script->items().empty()) *steps = series(script->items());
      config.call = [this, steps, name = config.name](const value& arguments, const auto& site) {
        return call_tool(*steps, name, arguments, site);
      };
      auto made = cp::make_tool<>(std::move(config));
      if (flag_of(t, "dynamic").value_or(false)) dynamic_tools_.push_back(made);
      else own_tools_.push_back(made);
    }
  }
  cp::tool_outcome call_tool(const std::function<const value&()>& steps, const std::string& name, const value& arguments,
                             const cp::call_context<cp::nothing, cp::nothing>& site) {
    std::unique_lock lock{mutex_};
    tool_runs_.push(value::make_object({{"tool", name}, {"args", arguments}, {"toolCallId", site.call().id}}));
    static const value nothing = value::make_object();
    const value& step = steps ? steps() : nothing;
    lock.unlock();
    if (flag_of(step, "stop").value_or(false)) stop_.request_stop();
    if (!flag_of(step, "waitStop").value_or(false)) return read_step(step);
    if (!site.stop().stop_requested()) executor_->yield();
    std::mutex m;
    std::condition_variable_any stopped;
    std::unique_lock waiting{m};
    (void)stopped.wait(waiting, site.stop(), [] { return false; });
    return cp::tool_outcome::error("stopped");
  }

  // ---- the prompt
  cp::prompt_config<> make_prompt() {
    const value& p = prompt_line_;
    cp::prompt_config<> c;
    c.name = text_of(p, "name");
    if (const value* content = p.find("content"))
      c.content = [next = per_resolve(*content)](const value&, const context&) -> cp::field_result<std::string> {
        return std::string{next().string()};
      };
    c.user_turn = optional_text(p, "userTurn");
    if (const value* input = p.find("input"))
      c.input = [next = per_resolve(*input)](const value&, const context&) -> cp::field_result<value> { return next(); };
    if (const value* schema = p.find("schema"))
      c.schema = [next = per_resolve(*schema)](const value&, const context&) -> cp::field_result<cp::json_schema> {
        return cp::json_schema{next()};
      };
    const std::string delivery = text_of(p, "delivery");
    if (delivery == "structured") c.schema_delivery = cp::schema_delivery::structured;
    if (delivery == "prompt") c.schema_delivery = cp::schema_delivery::prompt;
    c.runtime_schema_fallback = flag_of(p, "runtimeSchemaFallback").value_or(true);
    if (const value* config = p.find("config"))
      c.config = [next = per_resolve(*config)](const value&, const context&) -> cp::field_result<cp::request_fields> {
        const value& v = next();
        if (v.is_false()) return cp::incompatible{};
        if (v.is_null()) return std::monostate{};
        return read_fields(v);
      };
    if (const value* retool = p.find("retool"))
      c.retool = [this, next = per_resolve(*retool)](const value&, const context&) -> cp::field_result<cp::tool_selection<>> {
        return choose_tools(next());
      };
    c.tools = own_tools_;
    const std::string execution = text_of(p, "toolExecution");
    if (execution == "sequential") c.tool_execution = cp::tool_execution::sequential;
    if (execution == "parallel") c.tool_execution = cp::tool_execution::parallel;
    c.tool_retries = count_of(p, "toolRetries");
    c.output_retries = count_of(p, "outputRetries");
    c.forget_retries = count_of(p, "forgetRetries");
    c.tool_iterations = count_of(p, "toolIterations").value_or(3);
    c.tools_max = count_of(p, "toolsMax");
    c.tools_only = flag_of(p, "toolsOnly").value_or(false);
    c.tools_complete = flag_of(p, "toolsComplete").value_or(true);
    c.dynamic = flag_of(p, "dynamic").value_or(false);
    c.exclude_messages = flag_of(p, "excludeMessages").value_or(false);
    c.validation_error_max_length = integer_of(p, "validationErrorMaxLength").value_or(4096);
    if (const value* r = p.find("reconfig"))
      c.reconfig = [this, next = series(r->items())](const cp::reconfig_stats& stats, const context&) mutable {
        return reconfigure(stats, next());
      };
    if (const value* v = p.find("parse"))
      c.parse = [next = series(v->items())](value, const context&) mutable { return read_parse(next()); };
    if (const value* v = p.find("validate"))
      c.validate = [next = series(v->items())](const value&, const context&) mutable { return read_check(next()); };
    if (const value* table = p.find("onToolResult"))
      c.on_tool_result = [table](const cp::call_info& i, const std::optional<value>& v,
                                 const context&) -> std::variant<std::optional<value>, cp::hook_error> {
        const value* step = find_hook(*table, i.call.name);
        if (step == nullptr || step->is_string()) return v;
        if (step->find("error") != nullptr) return cp::hook_error{text_of(*step, "error")};
        const value* given = step->find("return");
        return given == nullptr ? std::optional<value>{} : std::optional<value>{*given};
      };
    if (const value* table = p.find("onToolIntercept"))
      c.on_tool_intercept = [table](const cp::call_info& i, const context&) -> std::optional<cp::tool_outcome> {
        const value* step = find_hook(*table, i.call.name);
        if (step == nullptr || step->is_string()) return std::nullopt;
        return read_step(*step);
      };
    return c;
  }
  static const value* find_hook(const value& table, std::string_view tool) {
    const value* step = table.find(tool);
    return step != nullptr ? step : table.find("*");
  }
  cp::field_result<cp::tool_selection<>> choose_tools(const value& v) const {
    if (v.is_false()) return cp::incompatible{};
    if (v.is_null()) return std::monostate{};
    cp::tool_selection<> chosen;
    for (const value& name : v.items()) {
      bool found = false;
      for (const auto& t : dynamic_tools_)
        if (t->name() == name.string()) {
          chosen.tools.push_back(t);
          found = true;
        }
      if (!found) chosen.names.emplace_back(name.string());
    }
    return chosen;
  }
  std::variant<std::monostate, cp::reconfig_changes, cp::hook_error> reconfigure(const cp::reconfig_stats& s, const value& step) {
    value tools = value::make_array();
    for (const std::string& t : s.tools) tools.push(t);
    stats_.push(value::make_object({{"iteration", s.iteration},
                                    {"maxIterations", s.max_iterations},
                                    {"toolParseErrors", s.tool_parse_errors},
                                    {"toolCallErrors", s.tool_call_errors},
                                    {"toolSuccesses", s.tool_successes},
                                    {"tools", std::move(tools)},
                                    {"toolRetries", s.tool_retries},
                                    {"outputRetries", s.output_retries},
                                    {"forgetRetries", s.forget_retries}}));
    if (!step.is_object()) return std::monostate{};
    cp::reconfig_changes changes;
    if (const value* config = step.find("config")) changes.config = read_fields(*config);
    changes.max_iterations = integer_of(step, "maxIterations");
    changes.tool_retries = count_of(step, "toolRetries");
    changes.output_retries = count_of(step, "outputRetries");
    changes.forget_retries = count_of(step, "forgetRetries");
    return changes;
  }

  // ---- context and model
  context make_context() {
    const value& v = *member(line_, "context");
    context c;
    cp::message_list messages;
    if (const value* list = v.find("messages"))
      for (const value& m : list->items()) messages.push_back(read_message(m));
    c.messages = cp::conversation(std::move(messages));
    c.user_turn = optional_text(v, "userTurn");
    c.context_window = integer_of(v, "contextWindow");
    c.max_output_tokens = integer_of(v, "maxOutputTokens");
    c.output_retries = count_of(v, "outputRetries");
    c.forget_retries = count_of(v, "forgetRetries");
    c.tool_retries = count_of(v, "toolRetries");
    if (const value* f = v.find("format")) {
      c.tools_descriptor = text_of(*f, "tools");
      c.output_descriptor = text_of(*f, "output");
    }
    if (const value* e = v.find("estimate")) {
      const auto fixed = integer_of(*e, "fixed");
      const double each = number_of(*e, "perChar").value_or(0);
      c.estimate = [fixed, each](const cp::message& m) -> std::optional<std::int64_t> {
        if (fixed) return fixed;
        return static_cast<std::int64_t>(std::ceil(each * static_cast<double>(code_points(m.content))));
      };
    }
    c.stop = stop_.get_token();
    c.executor = executor_;
    const value* given = line_.find("access");
    const std::string_view access = given != nullptr ? given->string() : std::string_view{"execute"};
    if (access == "execute" || access == "both")
      c.execute = [this](cp::request& r, const auto&, const auto&, const std::stop_token&) { return answer(r, nullptr); };
    if (access == "stream" || access == "both")
      c.stream = [this](cp::request& r, const auto&, const auto&, const std::stop_token&, const cp::chunk_sink& sink) {
        return answer(r, &sink);
      };
    return c;
  }
  static std::size_t code_points(std::string_view s) {
    std::size_t n = 0;
    for (const char c : s) n += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1U : 0U;
    return n;
  }

  cp::model_result answer(const cp::request& r, const cp::chunk_sink* sink) {
    const auto& answers = member(line_, "model")->items();
    std::size_t n = calls_++;
    if (n >= answers.size()) {
      if (answers.empty() || !flag_of(line_, "modelRepeats").value_or(false))
        return cp::model_error{"the script has no answer for this call", {}, {}};
      n = answers.size() - 1;
    }
    note(r);
    const value& a = answers[n];
    if (flag_of(a, "stop").value_or(false)) stop_.request_stop();
    const value* thrown = a.find("throw");
    if (const value* chunks = a.find("chunks")) {
      if (sink != nullptr)
        for (const value& c : chunks->items()) send(c, *sink);
      if (thrown != nullptr) return cp::model_error{std::string{thrown->string()}, {}, {}};
      return cp::response{};
    }
    if (thrown != nullptr) return cp::model_error{std::string{thrown->string()}, {}, {}};
    cp::response out;
    out.content = text_of(a, "content");
    out.refusal = text_of(a, "refusal");
    if (const value* calls = a.find("toolCalls"))
      for (const value& c : calls->items()) out.tool_calls.push_back(read_call(c));
    if (const value* f = a.find("finishReason")) out.finish = read_finish(f);
    else out.finish = out.tool_calls.empty() ? cp::finish_reason::stop : cp::finish_reason::tool_calls;
    if (const value* u = a.find("usage")) out.usage = read_usage(*u);
    if (const value* x = a.find("reasoning")) out.reasoning = read_reasoning(*x);
    return out;
  }
  static void send(const value& v, const cp::chunk_sink& sink) {
    cp::chunk c;
    const auto view = [&v](std::string_view name, std::optional<cp::chunk::call_view>& to) {
      const value* call = v.find(name);
      if (call == nullptr || !call->is_object()) return;
      const auto field = [call](std::string_view key) {
        const value* s = call->find(key);
        return s != nullptr ? s->string() : std::string_view{};
      };
      const value* arguments = call->find("arguments");
      to = cp::chunk::call_view{field("id"), field("name"), field("arguments"), arguments != nullptr && arguments->is_string()};
    };
    const auto text = [&v](std::string_view name) {
      const value* s = v.find(name);
      return s != nullptr ? s->string() : std::string_view{};
    };
    c.content = text("content");
    c.refusal = text("refusal");
    cp::usage usage;
    if (const value* u = v.find("usage"); u != nullptr && u->is_object()) {
      usage = read_usage(*u);
      c.usage = &usage;
    }
    cp::reasoning reasoning;
    if (const value* r = v.find("reasoning"); r != nullptr && !r->is_null()) {
      reasoning = read_reasoning(*r);
      c.reasoning = &reasoning;
    }
    view("named", c.named);
    view("arguments", c.arguments);
    view("call", c.call);
    c.finish = read_finish(v.find("finishReason"));
    (void)sink(c);
  }
  /// Keeps the request as it was when the call began.
  void note(const cp::request& r) {
    value seen = value::make_object();
    seen.set("iterations", r.iterations);
    value& roles = seen.set("roles", value::make_array());
    std::string_view system;
    for (const cp::message_ptr& m : r.messages) {
      if (m->role == cp::role::system && system.empty()) system = m->content;
      roles.push(cp::to_string(m->role));
    }
    value& tools = seen.set("tools", value::make_array());
    for (const cp::tool_definition& t : r.tools) tools.push(t.name);
    constexpr std::array<std::string_view, 3> deliveries{"text", "schema", "prompt"};
    seen.set("delivery", deliveries[static_cast<std::size_t>(r.format.delivery)]);
    seen.set("system", r.system);
    seen.set("systemMessage", system);
    if (r.format.schema != nullptr) seen.set("schema", r.format.schema->source());
    if (r.tool_choice) seen.set("toolChoice", write_choice(*r.tool_choice));
    put(seen, "maxTokens", r.max_tokens);
    put(seen, "temperature", r.temperature);
    put(seen, "toolsOneAtATime", r.tools_one_at_a_time);
    put(seen, "name", r.name);
    requests_.push(std::move(seen));
  }

  // ---- what happened
  void visit(const cp::event& e) {
    value facts = write_event(e);
    if (stop_on_.is_array() && stop_on_.items().size() <= facts.items().size()) {
      bool same = true;
      for (std::size_t i = 0; i < stop_on_.items().size(); ++i) same = same && stop_on_.items()[i] == facts.items()[i];
      if (same) stop_.request_stop();
    }
    if (const auto* o = std::get_if<cp::events::tool_output>(&e)) {
      value shown = value::make_object({{"callId", o->call_id}, {"tool", o->tool}});
      shown.set("result", o->result != nullptr ? *o->result : value{});
      shown.set("toModel", o->to_model != nullptr ? *o->to_model : value{});
      outputs_.push(std::move(shown));
    } else if (const auto* f = std::get_if<cp::events::tool_error>(&e)) {
      if (f->result != nullptr)
        outputs_.push(value::make_object({{"callId", f->call_id}, {"tool", f->tool}, {"result", *f->result}}));
    } else if (const auto* t = std::get_if<cp::events::text_partial>(&e)) {
      pieces_.push(t->content);
    }
    events_.push(std::move(facts));
  }
  [[nodiscard]] cp::mode read_mode() const {
    const std::string m = text_of(line_, "mode");
    return m == "result"          ? cp::mode::result
           : m == "tools"         ? cp::mode::tools
           : m == "streamTools"   ? cp::mode::stream_tools
           : m == "streamContent" ? cp::mode::stream_content
                                  : cp::mode::stream;
  }
  [[nodiscard]] value report(const cp::outcome& o, cp::mode mode) {
    value out = value::make_object();
    out.set("status", cp::to_string(o.status));
    if (o.output) out.set("result", *o.output);
    if (o.error) out.set("error", write_error(*o.error));
    out.set("events", std::move(events_));
    value& messages = out.set("messages", value::make_array());
    for (const cp::message_ptr& m : o.messages) messages.push(write_message(*m));
    out.set("requests", std::move(requests_));
    out.set("toolRuns", std::move(tool_runs_));
    out.set("toolOutputs", std::move(outputs_));
    out.set("reconfigStats", std::move(stats_));
    out.set("usage", o.usage_reported ? write_usage(o.usage) : value{});
    value& pending = out.set("pending", value::make_array());
    for (const std::string& id : o.pending) pending.push(id);
    value yielded = value::make_array();
    if (mode == cp::mode::tools || mode == cp::mode::stream_tools)
      for (const cp::tool_result& r : o.tool_results)
        yielded.push(value::make_object({{"tool", r.tool}, {"result", or_null(r.result)}}));
    if (mode == cp::mode::stream_content) yielded = std::move(pieces_);
    out.set("yielded", std::move(yielded));
    out.set("iterations", o.iterations);
    return out;
  }

  const value& line_;
  const value& prompt_line_;
  std::shared_ptr<scripted_executor> executor_ = std::make_shared<scripted_executor>();
  std::stop_source stop_;
  value stop_on_;
  std::vector<std::shared_ptr<const cp::tool<>>> own_tools_, dynamic_tools_;
  std::size_t calls_ = 0;
  std::mutex mutex_;
  value events_ = value::make_array(), requests_ = value::make_array(), tool_runs_ = value::make_array(),
        outputs_ = value::make_array(), stats_ = value::make_array(), pieces_ = value::make_array();
};

/// The answer to one line, without its id.
inline value run_scenario_line(const value& line) {
  if (line.find("prompt") == nullptr)
    return value::make_object({{"status", "failed"},
                               {"error", value::make_object({{"kind", "configuration"}, {"message", "the line has no prompt"}})}});
  return scenario{line}.play();
}

}  // namespace cli
