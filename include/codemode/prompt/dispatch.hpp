#pragma once

/// @file
/// The calls of one answer: read, run, answered (prompt.md, sections 7.3 to 7.6 and 9). Private.
///
/// All of this is on the loop's thread; only `tool_job::work` runs elsewhere.

#include <codemode/prompt/guard.hpp>
#include <codemode/prompt/run_state.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace prompt {
namespace detail {

/// One call on its way.
struct call_record {
  std::size_t index = 0;      ///< in the answer
  std::string raw_id{};       ///< as the model gave it
  tool_call call{};           ///< with an id that is distinct
  std::shared_ptr<const bound_tool> tool{};  ///< empty: unknown
  call_state state = call_state::named;
  bool complete = false;
  bool started = false;
  bool marker = false;        ///< the answer is a synthetic text
  json::value arguments{};
  std::optional<std::string> answer{};
  std::shared_ptr<tool_job> job{};
  std::optional<std::stop_callback<std::function<void()>>> link{};
};

class call_batch {
 public:
  call_batch(run_state& run, bool streamed) : run_(run), streamed_(streamed), execution_(run.setup.execution) {
    if (run.request->tools_one_at_a_time.value_or(false) && !run.request->tools.empty())
      execution_ = tool_execution::sequential;
    for (const tool_definition& d : run.request->tools)
      for (const auto& t : run.resolved.tools)
        if (t->definition.name == d.name) offered_.push_back(t);
  }
  call_batch(const call_batch&) = delete;
  call_batch& operator=(const call_batch&) = delete;
  // A failed hook must not leave tools behind that refer to this batch.
  ~call_batch() { wait(); }

  // ---- while the answer comes in (section 8.4)
  void named(const chunk::call_view& c) { (void)add(c); }
  void argued(const chunk::call_view& c, bool delta) {
    call_record* call = newest(c.id);
    if (call == nullptr || call->complete) return;
    if (delta) call->call.arguments += c.arguments;
    else call->call.arguments = c.arguments;
    tell_arguments(*call);
  }
  void completed(const chunk::call_view& c) {
    call_record* call = newest(c.id);
    if (call == nullptr || call->complete) {
      if (c.name.empty()) return;
      call = &add(c);
      if (c.has_arguments) call->call.arguments = c.arguments;
      tell_arguments(*call);
    } else if (c.has_arguments) {
      call->call.arguments = c.arguments;
    }
    call->complete = true;
    if (execution_ == tool_execution::immediate && streamed_ && !any_unknown() && !run_.stop.requested() && parse(*call))
      start(*call);
  }
  void not_streamed() noexcept { streamed_ = false; }
  void complete_all() noexcept {
    for (const auto& c : calls_) c->complete = true;
  }
  /// Drops calls that were cut off.
  void drop_incomplete() {
    std::erase_if(calls_, [](const auto& c) { return !c->complete; });
  }

  [[nodiscard]] const std::vector<std::unique_ptr<call_record>>& calls() const noexcept { return calls_; }
  [[nodiscard]] bool any_started() const noexcept {
    return std::any_of(calls_.begin(), calls_.end(), [](const auto& c) { return c->started; });
  }
  void keep_started() {
    std::erase_if(calls_, [](const auto& c) { return !c->started; });
  }
  [[nodiscard]] std::size_t count(call_state s) const noexcept {
    return static_cast<std::size_t>(
        std::count_if(calls_.begin(), calls_.end(), [s](const auto& c) { return c->state == s; }));
  }
  [[nodiscard]] std::vector<tool_call> as_message() const {
    std::vector<tool_call> out;
    out.reserve(calls_.size());
    for (const auto& c : calls_) out.push_back(c->call);
    return out;
  }

  // ---- ends of calls
  /// Delivers what has ended, without waiting.
  void poll() {
    do {
      mailbox::letter l;
      while (running_ != 0 && mail_->take(l)) finish(l);
    } while (running_ != 0 && run_.executor().work());
  }
  /// Waits until no tool runs.
  void wait() {
    while (running_ != 0) {
      poll();
      if (running_ == 0) break;
      if (run_.setup.nested && work_off_own()) continue;
      mailbox::letter l;
      mail_->wait(l);
      finish(l);
    }
  }

  // ---- the batch (section 7.6)
  void dispatch() {
    if (any_unknown()) {
      for (const auto& c : calls_) {
        if (!is_unstarted(*c)) continue;
        if (run_.stop.requested()) break;
        if (!c->tool) refuse_unknown(*c);
        else if (parse(*c)) leave(*c, call_state::not_run, texts::not_run_sibling);
      }
    } else if (execution_ == tool_execution::sequential) {
      run_in_sequence();
    } else {
      for (const auto& c : calls_) {
        if (!is_unstarted(*c) || c->state == call_state::parsed) continue;
        if (run_.stop.requested()) break;
        (void)parse(*c);
      }
      for (const auto& c : calls_) {
        if (c->state != call_state::parsed) continue;
        if (run_.stop.requested()) break;
        start(*c);
      }
    }
    wait();
    for (const auto& c : calls_)
      if (is_unstarted(*c)) leave(*c, call_state::aborted, texts::aborted);
  }

  /// Appends the answers in call order. Synthetic ones may be left out where the run ends with this round.
  void append_answers() {
    const bool last = run_.stop.requested() || count(call_state::suspended) != 0 || count(call_state::interrupted) != 0;
    for (const auto& c : calls_) {
      if (!c->answer || (c->marker && last && !run_.setup.tools_complete)) continue;
      run_.append(answer_message(*c));
    }
  }
  [[nodiscard]] message_ptr answer_message(const call_record& c) const {
    auto m = std::make_shared<message>();
    m->role = role::tool;
    m->tool_call_id = c.call.id;
    m->content = *c.answer;
    m->state = c.state;
    return m;
  }
  [[nodiscard]] std::vector<std::string> suspended_ids() const {
    std::vector<std::string> ids;
    for (const auto& c : calls_)
      if (c->state == call_state::suspended) ids.push_back(c->call.id);
    return ids;
  }
  /// Adds a call that is complete as it stands and keeps its id (resumed and planned calls).
  call_record& add_complete(const tool_call& call) {
    call_record& c = *calls_.emplace_back(std::make_unique<call_record>());
    c.index = calls_.size() - 1;
    c.raw_id = call.id;
    c.call = call;
    c.tool = find_tool(call.name);
    c.state = c.tool ? call_state::complete : call_state::unknown;
    c.complete = true;
    return c;
  }
  /// Ends a call with what was found outside (a resumed run). Without events: the call had its own in the run
  /// that was suspended.
  void settle(call_record& c, tool_outcome o) {
    if (auto read = json::parse_value(is_blank(c.call.arguments) ? std::string_view{"{}"} : std::string_view{c.call.arguments}))
      c.arguments = std::move(*read);
    switch (o.what) {
      case tool_outcome::kind::suspend: c.state = call_state::suspended; return;
      case tool_outcome::kind::interrupt: return leave(c, call_state::interrupted, texts::interrupted(o.text));
      case tool_outcome::kind::error:
        c.state = call_state::error;
        return answer(c, run_.cut(texts::tool_failed(c.call.name, o.text, c.arguments)));
      case tool_outcome::kind::value: break;
    }
    (void)record(c, std::move(o.result));
  }

 private:
  [[nodiscard]] std::shared_ptr<const bound_tool> find_tool(std::string_view name) const {
    for (const auto& t : offered_)
      if (t->definition.name == name) return t;
    return nullptr;
  }
  [[nodiscard]] bool any_unknown() const noexcept {
    return std::any_of(calls_.begin(), calls_.end(), [](const auto& c) { return !c->tool; });
  }
  [[nodiscard]] static bool is_unstarted(const call_record& c) noexcept {
    return !c.answer && (c.state == call_state::named || c.state == call_state::complete ||
                         c.state == call_state::unknown || c.state == call_state::parsed);
  }
  [[nodiscard]] call_record* newest(std::string_view id) noexcept {
    for (auto c = calls_.rbegin(); c != calls_.rend(); ++c)
      if ((*c)->raw_id == id) return c->get();
    return nullptr;
  }
  /// An id that no other call of the answer has; empty and repeated ones are replaced (D19).
  [[nodiscard]] std::string distinct_id(std::string_view raw) const {
    const auto taken = [this](std::string_view id) {
      return std::any_of(calls_.begin(), calls_.end(), [id](const auto& c) { return c->call.id == id; });
    };
    if (!raw.empty() && !taken(raw)) return std::string{raw};
    const std::string base =
        texts::join({"call_", std::to_string(run_.iterations), "_", std::to_string(calls_.size())});
    std::string id = base;
    for (std::size_t n = 2; taken(id); ++n) id = texts::join({base, "_", std::to_string(n)});
    return id;
  }
  template <class E>
  [[nodiscard]] E about(const call_record& c) const {
    E e;
    e.tool = c.tool ? std::string_view{c.tool->definition.name} : std::string_view{};
    e.call_id = c.call.id;
    return e;
  }
  call_record& add(const chunk::call_view& v) {
    auto c = std::make_unique<call_record>();
    c->index = calls_.size();
    c->raw_id = v.id;
    c->call.id = distinct_id(v.id);
    c->call.name = v.name;
    c->tool = find_tool(v.name);
    c->state = c->tool ? call_state::named : call_state::unknown;
    calls_.push_back(std::move(c));
    call_record& added = *calls_.back();
    if (added.tool) run_.emit(about<events::tool_parse_name>(added));
    return added;
  }
  void tell_arguments(const call_record& c) {
    if (!c.tool) return;
    auto e = about<events::tool_parse_arguments>(c);
    e.arguments = c.call.arguments;
    run_.emit(e);
  }

  // ---- arguments
  [[nodiscard]] bool parse(call_record& c) {
    std::string_view descriptor;  // as the host left it: it may pin another one while the model is called
    for (const tool_definition& d : run_.request->tools)
      if (d.name == c.call.name) descriptor = d.descriptor;
    parsed_arguments p = parse_arguments(c.call.arguments, c.tool->definition.parameters, descriptor,
                                         c.tool->max_arguments, c.tool->parse, c.tool->validate);
    if (p.repair_tried) {
      auto e = about<events::tool_repair>(c);
      e.fields = &p.repaired_fields;
      e.success = p.repaired;
      run_.emit(e);
    }
    if (!p.error) {
      c.arguments = std::move(p.value);
      c.state = call_state::parsed;
      return true;
    }
    c.state = call_state::invalid;
    std::string_view raw = c.call.arguments;
    while (!raw.empty() && is_blank(raw.substr(0, 1))) raw.remove_prefix(1);
    while (!raw.empty() && is_blank(raw.substr(raw.size() - 1))) raw.remove_suffix(1);
    const bool nothing = raw.empty() || raw == "{}";
    answer(c, run_.cut(nothing ? texts::no_arguments(c.call.name, *p.error)
                               : texts::bad_arguments(c.call.name, *p.error, c.call.arguments, p.too_long)));
    auto e = about<events::tool_error>(c);
    e.error = *p.error;
    e.raw_arguments = c.call.arguments;
    run_.emit(e);
    return false;
  }
  void refuse_unknown(call_record& c) {
    std::vector<std::string_view> names;
    for (const tool_definition& d : run_.request->tools) names.push_back(d.name);
    answer(c, run_.cut(texts::unknown_tool(c.call.name, names)));
    auto e = about<events::tool_error>(c);
    e.error = *c.answer;
    e.raw_arguments = c.call.arguments;
    run_.emit(e);
  }

  // ---- running
  void start(call_record& c) {
    c.started = true;
    c.state = call_state::running;
    auto e = about<events::tool_start>(c);
    e.arguments = &c.arguments;
    run_.emit(e);
    if (run_.stop.requested()) return finish_call(c, tool_outcome::error("stopped"));
    if (run_.setup.intercept)
      if (auto given = run_.setup.intercept({c.call, c.arguments})) {
        if (execution_ == tool_execution::sequential) return finish_call(c, std::move(*given));
        ++running_;  // takes its turn among the calls that run
        return mail_->put({c.index, std::move(*given)});
      }

    c.job = std::make_shared<tool_job>();
    // Linked by hand: the call's own source also hears of its time limit.
    c.link.emplace(run_.stop.token(), [job = c.job.get()] { job->stop.request_stop(); });
    if (c.tool->timeout)
      run_.executor().call_at(clock::now() + *c.tool->timeout, [weak = std::weak_ptr<tool_job>{c.job}] {
        if (const auto job = weak.lock()) {
          job->timed_out = true;
          job->stop.request_stop();
        }
      });
    const std::stop_token token = c.job->stop.get_token();
    if (execution_ != tool_execution::sequential) (void)run_.executor();  // tools that run prompts share it
    c.job->work = [tool = c.tool.get(), call = &c.call, arguments = &c.arguments, token,
                   deadline = run_.setup.deadline, executor = run_.shared_executor()] {
      const call_site site{*call, token, deadline, executor};
      return guarded([&] { return tool->call(*arguments, site); },
                     [](std::string why) { return tool_outcome::error(std::move(why)); });
    };
    if (execution_ == tool_execution::sequential) {
      tool_outcome o = c.job->work();
      finish_call(c, std::move(o));
      return;
    }
    ++running_;
    waiting_.push_back(c.job);
    run_.executor().run([mail = mail_, job = c.job, index = c.index] { do_job(*mail, *job, index); });
  }
  static void do_job(mailbox& mail, tool_job& job, std::size_t index) {
    if (job.claimed.exchange(true)) return;
    mailbox::letter l{index, job.work()};
    // What the work holds, the executor among it, must be gone before the run can end.
    job.work = nullptr;
    mail.put(std::move(l));
  }
  /// Lets a nested run use the thread it waits on, so that nesting cannot use up the pool.
  [[nodiscard]] bool work_off_own() {
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
      const std::shared_ptr<tool_job> job = waiting_[i];
      if (job->claimed.load()) continue;
      for (const auto& c : calls_)
        if (c->job == job) {
          do_job(*mail_, *job, c->index);
          return true;
        }
    }
    return false;
  }
  void finish(mailbox::letter& l) {
    --running_;
    for (const auto& c : calls_)
      if (c->index == l.call) return finish_call(*c, std::move(l.outcome));
  }

  void finish_call(call_record& c, tool_outcome o) {
    c.link.reset();
    const bool timed_out = c.job && c.job->timed_out.load();
    if (c.job) std::erase(waiting_, c.job);
    using kind = tool_outcome::kind;
    if (timed_out && o.what != kind::value)
      o = tool_outcome::error(
          texts::join({"it did not end within its limit of ", std::to_string(c.tool->timeout->count()), " ms"}));
    switch (o.what) {
      case kind::value: return succeed(c, std::move(o.result));
      case kind::suspend: {
        c.state = call_state::suspended;
        auto e = about<events::tool_suspend>(c);
        e.arguments = &c.arguments;
        return run_.emit(e);
      }
      case kind::interrupt: {
        leave(c, call_state::interrupted, texts::interrupted(o.text));
        auto e = about<events::tool_interrupt>(c);
        e.arguments = &c.arguments;
        return run_.emit(e);
      }
      case kind::error: break;
    }
    if (run_.stop.requested()) {
      leave(c, call_state::aborted, texts::aborted);
    } else {
      c.state = call_state::error;
      answer(c, run_.cut(texts::tool_failed(c.call.name, o.text, c.arguments)));
    }
    auto e = about<events::tool_error>(c);
    e.arguments = &c.arguments;
    e.error = o.text;
    run_.emit(e);
  }
  /// Keeps a result, lets the transformer present it and writes the answer. Gives the transformer's error, if any.
  [[nodiscard]] std::optional<std::string> record(call_record& c, std::optional<json::value> raw) {
    tool_result r;
    r.tool = c.call.name;
    r.call_id = c.call.id;
    r.result = std::move(raw);
    std::optional<std::string> failed;
    if (run_.setup.transform) {
      auto shown = run_.setup.transform({c.call, c.arguments}, r.result);
      if (auto* e = std::get_if<hook_error>(&shown)) failed = std::move(e->message);
      else r.to_model = std::move(*std::get_if<std::optional<json::value>>(&shown));
    } else {
      r.to_model = r.result;
    }
    r.transformed = !failed;
    c.state = failed ? call_state::error : call_state::success;
    if (failed) answer(c, run_.cut(texts::transformer_failed(c.call.name, *failed)));
    else c.answer = texts::answer(r.to_model ? &*r.to_model : nullptr);
    run_.results.push_back({run_.requests, c.index, std::move(r)});
    return failed;
  }
  void succeed(call_record& c, std::optional<json::value> raw) {
    const std::optional<std::string> failed = record(c, std::move(raw));
    const tool_result& kept = run_.results.back().result;
    const json::value* const result = kept.result ? &*kept.result : nullptr;
    if (failed) {
      auto e = about<events::tool_error>(c);
      e.arguments = &c.arguments;
      e.error = *failed;
      e.result = result;
      return run_.emit(e);
    }
    auto e = about<events::tool_output>(c);
    e.arguments = &c.arguments;
    e.result = result;
    e.to_model = kept.to_model ? &*kept.to_model : nullptr;
    run_.emit(e);
  }

  void run_in_sequence() {
    const bool limited = run_.request->tools_one_at_a_time.value_or(false) && run_.setup.tools_max.value_or(0) > 0;
    for (const auto& c : calls_) {
      if (!is_unstarted(*c)) continue;
      if (count(call_state::interrupted) != 0 || count(call_state::suspended) != 0) {
        leave(*c, call_state::not_run, texts::not_run_sequence);
      } else if (run_.stop.requested()) {
        break;
      } else if (limited && run_.successes + count(call_state::success) >= *run_.setup.tools_max) {
        leave(*c, call_state::not_run, texts::not_run_limit);
      } else if (parse(*c)) {
        start(*c);
      }
    }
  }

  // ---- answers
  /// Keeps the text for the answer; the host may replace texts that are ours.
  void answer(call_record& c, std::string_view text) {
    c.answer = std::string{text};
    if (run_.setup.synthesize)
      if (auto own = run_.setup.synthesize(c.state, c.call, text)) c.answer = std::move(*own);
  }
  void leave(call_record& c, call_state s, std::string_view text) {
    c.state = s;
    c.marker = true;
    answer(c, text);
  }

  run_state& run_;
  bool streamed_;
  tool_execution execution_;
  std::vector<std::shared_ptr<const bound_tool>> offered_;
  std::vector<std::unique_ptr<call_record>> calls_;
  std::vector<std::shared_ptr<tool_job>> waiting_;
  std::shared_ptr<mailbox> mail_ = std::make_shared<mailbox>();  // a task may end after this batch
  std::size_t running_ = 0;
};

}  // namespace detail
}  // namespace prompt
}  // namespace v0_1
}  // namespace codemode
