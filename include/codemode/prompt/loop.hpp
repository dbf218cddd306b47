#pragma once

/// @file
/// The loop of a run (prompt.md, section 8): request, answer, calls, output, and again. Private; `prompt::run`
/// binds it to a host's context.

#include <codemode/prompt/dispatch.hpp>
#include <codemode/prompt/output.hpp>
#include <codemode/prompt/run_state.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace prompt {
namespace detail {

class run_loop {
 public:
  explicit run_loop(const run_setup& setup)
      : setup_(setup), run_(setup), tools_only_(setup.tools_only || setup.mode == mode::tools) {
    output_share_ = run_.output_retries;
    max_iterations_ =
        run_.output_retries + run_.forget_retries + setup.tool_iterations + run_.tool_retries + 1;
    if (setup.resume) {
      run_.tool_retries = (std::min)(run_.tool_retries, setup.resume->tool_retries);
      run_.output_retries = (std::min)(run_.output_retries, setup.resume->output_retries);
      run_.forget_retries = (std::min)(run_.forget_retries, setup.resume->forget_retries);
      promoted_ = setup.resume->promoted;
      choice_satisfied_ = setup.resume->choice_satisfied;
    }
  }

  [[nodiscard]] outcome run() {
    const bool whole_first = setup_.mode == mode::result || setup_.mode == mode::tools;  // S0
    const auto& first = whole_first ? setup_.execute : setup_.stream;
    model_ = first ? &first : whole_first ? &setup_.stream : &setup_.execute;
    if (!*model_) return finish(ending{status::no_model, {}, {}});
    if (setup_.deadline)
      run_.executor().call_at(*setup_.deadline, [source = run_.stop.source()]() mutable { source.request_stop(); });

    if (auto end = resolve()) return finish(std::move(*end));  // S1
    if (auto end = build()) return finish(std::move(*end));    // S2
    run_.request = &request_;
    if (!resume_calls() || !plan()) return close();
    while (iterate()) {}
    return close();
  }

 private:
  struct ending {
    prompt::status status = prompt::status::failed;
    std::optional<run_error> error{};
    std::optional<json::value> output{};
  };
  /// What one model call has given so far.
  struct answer {
    std::string content{};
    std::string refusal{};
    std::optional<prompt::reasoning> reasoning{};
    std::optional<prompt::usage> usage{};
    std::optional<finish_reason> finish{};
    std::optional<model_error> error{};
    std::string model{};
    bool cut = false;
    bool any_chunk = false;
  };

  // ---- ends
  bool end(status s, std::optional<run_error> e = {}, std::optional<json::value> output = {}) {
    end_ = ending{s, std::move(e), std::move(output)};
    return false;
  }
  bool fail(error_kind kind, std::string_view what) { return end(status::failed, run_.error(kind, what)); }
  bool fail_with_rejection(error_kind kind, std::string_view what) {
    run_error e = run_.error(kind, what);
    if (rejection_) e.cause = std::make_shared<const run_error>(*rejection_);
    return end(status::failed, std::move(e));
  }

  /// The closing events (15.3).
  [[nodiscard]] outcome close() {
    events::text_complete text;
    text.content = run_.text;
    run_.emit(text);
    if (last_usage_ && output_tokens(*last_usage_) > 0) {
      events::response_tokens tokens;
      tokens.tokens = output_tokens(*last_usage_);
      run_.emit(tokens);
    }
    events::usage used;
    used.usage = &usage_;
    run_.emit(used);
    if (end_.status == status::suspended) {
      run_.emit(events::suspend{});
    } else if (end_.output || end_.status == status::complete) {
      events::complete complete;
      complete.output = end_.output ? &*end_.output : nullptr;
      run_.emit(complete);
    }
    if (end_.status == status::aborted && run_.stop.by_deadline(setup_.stop))
      end_.error = run_.error(error_kind::deadline, "the deadline of the run has passed");
    return finish(std::move(end_));
  }
  [[nodiscard]] outcome finish(ending e) {
    outcome o;
    o.status = e.status;
    o.error = std::move(e.error);
    o.output = std::move(e.output);
    o.messages = std::move(run_.messages);
    o.usage = std::move(usage_);
    o.usage_reported = usage_reported_;
    o.iterations = run_.iterations;
    o.pending = std::move(run_.pending);
    if (setup_.mode != mode::stream_tools)
      std::stable_sort(run_.results.begin(), run_.results.end(), [](const auto& a, const auto& b) {
        return a.request != b.request ? a.request < b.request : a.index < b.index;
      });
    o.tool_results.reserve(run_.results.size());
    for (auto& r : run_.results) o.tool_results.push_back(std::move(r.result));
    o.resume = {run_.tool_retries, run_.output_retries, run_.forget_retries, promoted_, choice_satisfied_};
    return o;
  }

  // ---- resolve and build (sections 5 and 6)
  [[nodiscard]] std::optional<ending> resolve() {
    auto got = setup_.resolve();
    if (std::holds_alternative<incompatible>(got)) return ending{status::incompatible, {}, {}};
    if (auto* e = std::get_if<run_error>(&got)) return ending{status::failed, std::move(*e), {}};
    run_.resolved = std::move(*std::get_if<resolution>(&got));
    definitions_.clear();
    for (const auto& t : run_.resolved.tools) definitions_.push_back(t->definition);
    schema_text_ = run_.resolved.schema.is_text() ? std::string{} : texts::schema_instruction(run_.resolved.schema);
    return std::nullopt;
  }

  [[nodiscard]] std::optional<run_error> check_choice() const {
    const std::optional<prompt::tool_choice> choice = effective_choice();
    if (choice_satisfied_ || withdrawn_ || maxed_ || !choice || !choice->is_fixed()) return std::nullopt;
    if (run_.resolved.tools.empty())
      return run_.error(error_kind::configuration,
                        "toolChoice asks for a tool but no tool is selected; select one or drop toolChoice");
    if (choice->what == tool_choice::kind::tool &&
        std::none_of(definitions_.begin(), definitions_.end(), [&](const auto& d) { return d.name == choice->tool; }))
      return run_.error(error_kind::configuration,
                        texts::join({"toolChoice names \"", choice->tool, "\", which is not among the selected tools; "
                                     "select it or drop toolChoice"}));
    return std::nullopt;
  }
  [[nodiscard]] std::optional<prompt::tool_choice> effective_choice() const {
    return overlay_.tool_choice ? overlay_.tool_choice : run_.resolved.config.tool_choice;
  }

  [[nodiscard]] std::optional<ending> build() {
    if (auto e = check_choice()) return ending{status::failed, std::move(e), {}};
    message_list& messages = run_.messages;
    if (setup_.messages) {
      messages.reserve(setup_.messages->size() + 8);
      auto first = setup_.messages->begin();
      if (first != setup_.messages->end() && (*first)->role == role::system) {
        const std::string_view given = (*first)->content;
        const std::string& ours = run_.resolved.system;
        if (given == ours || (given.starts_with(ours) && given.substr(ours.size()) == schema_text_)) ++first;
      }
      messages.insert(messages.end(), first, setup_.messages->end());
    }
    place_system();
    if (std::all_of(messages.begin(), messages.end(), [](const auto& m) { return m->role == role::system; }) &&
        !setup_.user_turn.empty())
      messages.push_back(make_message(role::user, setup_.user_turn));
    if (setup_.resume) mend_history();
    if (setup_.check_history)
      if (auto e = check_pairing()) return ending{status::failed, std::move(e), {}};
    return std::nullopt;
  }

  /// The system message of this run: first, replaced in place, absent when empty.
  void place_system() {
    std::string text = run_.resolved.system;
    if (current_delivery() == delivery::prompt) text += schema_text_;
    message_list& messages = run_.messages;
    if (system_ && system_->content == text) return;
    const auto at = std::find(messages.begin(), messages.end(), system_);
    const bool placed = system_ && at != messages.end();
    system_ = text.empty() ? nullptr : make_message(role::system, std::move(text));
    if (placed && system_) *at = system_;
    else if (placed) messages.erase(at);
    else if (system_) messages.insert(messages.begin(), system_);
  }

  /// Ids of calls in the last assistant message that have no answer yet and that `setup.answers` settles.
  [[nodiscard]] bool is_resumed(std::string_view id) const {
    return std::any_of(setup_.answers.begin(), setup_.answers.end(), [id](const auto& a) { return a.call_id == id; });
  }

  /// Answers with T6 what an earlier run with `tools_complete` off left unanswered.
  void mend_history() {
    message_list mended;
    std::vector<std::string> open;
    const auto flush = [&] {
      for (const std::string& id : open) {
        auto m = std::make_shared<message>();
        m->role = role::tool;
        m->tool_call_id = id;
        m->content = std::string{texts::aborted};
        m->state = call_state::aborted;
        mended.push_back(std::move(m));
      }
      open.clear();
    };
    for (const message_ptr& m : run_.messages) {
      if (m->role == role::user || m->role == role::assistant) flush();
      if (m->role == role::tool) std::erase(open, m->tool_call_id);
      for (const tool_call& c : m->tool_calls) open.push_back(c.id);
      mended.push_back(m);
    }
    std::erase_if(open, [this](const std::string& id) { return is_resumed(id); });
    flush();
    run_.messages = std::move(mended);
  }

  [[nodiscard]] std::optional<run_error> check_pairing() const {
    std::vector<std::string_view> open;
    std::string wrong;
    const auto blame = [&wrong](std::string_view id) { wrong += texts::join({wrong.empty() ? "" : ", ", id}); };
    for (const message_ptr& m : run_.messages) {
      if (m->role == role::tool) {
        const auto at = std::find(open.begin(), open.end(), m->tool_call_id);
        if (at == open.end()) blame(m->tool_call_id);
        else open.erase(at);
      } else if (m->role != role::system) {
        for (const std::string_view id : open) blame(id);
        open.clear();
        for (const tool_call& c : m->tool_calls) open.push_back(c.id);
      }
    }
    for (const std::string_view id : open)
      if (!is_resumed(id)) blame(id);
    if (wrong.empty()) return std::nullopt;
    return run_.error(error_kind::history, texts::join({"calls and answers in the messages do not pair: ", wrong,
                                                        "; append the missing answers, each once and behind its call"}));
  }

  [[nodiscard]] delivery current_delivery() const {
    if (run_.resolved.schema.is_text()) return delivery::text;
    if (setup_.delivery == schema_delivery::structured) return delivery::structured;
    if (setup_.delivery == schema_delivery::prompt || promoted_) return delivery::prompt;
    return run_.resolved.schema.can_express(setup_.output_descriptor) ? delivery::structured : delivery::prompt;
  }

  /// Fills `request_` for the next call (6.2, 6.3). The messages are a view.
  void make_request() {
    request_ = prompt::request{};
    request_.name = setup_.name;
    request_.overlay(run_.resolved.config);
    request_.overlay(overlay_);
    if (!request_.max_tokens) request_.max_tokens = setup_.max_output_tokens;
    if (request_.tool_choice && request_.tool_choice->is_fixed() && choice_satisfied_) request_.tool_choice.reset();
    if (!definitions_.empty() && !withdrawn_ && !maxed_) {
      for (tool_definition& d : definitions_) d.descriptor = setup_.tools_descriptor;
      request_.tools = definitions_;
    } else {
      request_.tool_choice.reset();
      request_.tools_one_at_a_time.reset();
    }
    request_.format.delivery = current_delivery();
    request_.format.schema = run_.resolved.schema ? &run_.resolved.schema : nullptr;
    request_.format.strict = setup_.strict;
    request_.format.descriptor = setup_.output_descriptor;
    request_.system = run_.resolved.system;
    request_.iterations = run_.iterations;
    request_.messages = run_.messages;
  }

  // ---- forgetting (section 13)
  [[nodiscard]] std::optional<std::int64_t> window(const usage* call) const {
    const auto& own = overlay_.model_context_window ? overlay_.model_context_window
                                                    : run_.resolved.config.model_context_window;
    if (own && *own > 0) return own;
    if (setup_.context_window && *setup_.context_window > 0) return setup_.context_window;
    if (call != nullptr && total_tokens(*call) > 0) return total_tokens(*call);
    return std::nullopt;
  }
  void forget(const usage* call) {
    const auto room = window(call);
    if (!room) return;
    const auto sizes = message_sizes(run_.messages, setup_.estimate, call);
    if (!sizes) return;
    std::optional<std::int64_t> reserve = overlay_.max_tokens ? overlay_.max_tokens : run_.resolved.config.max_tokens;
    if (!reserve) reserve = setup_.max_output_tokens;
    if (!reserve) reserve = (std::min)(std::int64_t{4096}, *room / 4);
    const std::int64_t target = *room - *reserve;
    if (setup_.forget) run_.messages = setup_.forget({run_.messages, *sizes, target});
    else forget_groups(run_.messages, *sizes, target);
  }

  // ---- one iteration
  [[nodiscard]] bool iterate() {
    if (run_.iterations >= max_iterations_) {  // S3
      if (tools_only_ && run_.successes > 0) return end(status::complete);
      return fail_with_rejection(error_kind::iterations,
                                 texts::join({"no answer after ", std::to_string(max_iterations_), " iterations"}));
    }
    if (setup_.max_total_tokens && total_tokens(usage_) >= *setup_.max_total_tokens) {
      if (tools_only_ && run_.successes > 0) return end(status::complete);
      return fail_with_rejection(error_kind::tokens,
                                 texts::join({"the limit of ", std::to_string(*setup_.max_total_tokens),
                                              " tokens is reached"}));
    }
    if (run_.stop.requested()) return end(status::aborted);
    for (;;) {
      place_system();
      forget(nullptr);  // S4
      if (auto e = check_choice()) return end(status::failed, std::move(e));
      answer a;
      std::unique_ptr<call_batch> batch;
      if (!call_model(a, batch)) return false;  // S5, S6
      if (a.error && !a.cut) return model_failed(a, *batch);  // S7
      bool again = false;
      if (!judge(a, *batch, again)) return false;  // S8
      if (!again) return round(a, *batch);
    }
  }

  /// Calls the model, again if its failure is worth it. False if the run ends.
  [[nodiscard]] bool call_model(answer& a, std::unique_ptr<call_batch>& batch) {
    for (std::size_t attempt = 0;; ++attempt) {
      a = answer{};
      make_request();
      run_.text_mark = run_.text.size();
      events::request started;
      started.iterations = run_.iterations;
      run_.emit(started);
      if (run_.stop.requested()) return end(status::aborted);
      ++run_.requests;
      batch = std::make_unique<call_batch>(run_, true);
      call_once(a, *batch);
      const bool repeats = a.error && !a.cut && attempt < setup_.model_retries && !batch->any_started() &&
                           (a.error->what == model_error_class::transient ||
                            a.error->what == model_error_class::overloaded);
      if (!repeats) return true;
      const auto pause = a.error->retry_after.value_or(setup_.model_retry_delay * (std::int64_t{1} << (std::min)(attempt, std::size_t{10})));
      if (setup_.deadline && clock::now() + pause >= *setup_.deadline) return true;  // it could only be late
      if (a.any_chunk) run_.emit_reset(reset_reason::request_error);
      events::retry retry;
      retry.error = &*a.error;
      retry.attempt = attempt + 1;
      run_.emit(retry);
      sleep(pause);
      if (run_.stop.requested()) return end(status::aborted);
    }
  }
  void sleep(std::chrono::milliseconds pause) {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock{mutex};
    (void)never.wait_for(lock, run_.stop.token(), pause, [] { return false; });
  }

  void call_once(answer& a, call_batch& batch) {
    const chunk_sink on_chunk = [&](const chunk& c) {
      a.any_chunk = true;
      take(a, batch, c);
      return !run_.stop.requested();
    };
    const std::stop_token token = run_.stop.token();
    model_result got = guarded([&] { return (*model_)(request_, token, on_chunk); },
                               [](std::string why) { return model_result{model_error{std::move(why), {}, {}}}; });
    if (!got) {
      a.error = std::move(got.error());
      if (run_.stop.requested()) a.cut = true;
    } else if (a.any_chunk) {  // only what no chunk gave
      chunk rest;
      if (!a.usage && got->usage) rest.usage = &*got->usage;
      if (!a.finish) rest.finish = got->finish;
      if (a.model.empty()) rest.model = got->model;
      if (rest.usage != nullptr || rest.finish || !rest.model.empty()) take(a, batch, rest);
    } else {
      batch.not_streamed();
      if (run_.stop.requested()) a.cut = true;  // came too late
      take_whole(a, batch, *got);
    }
    if (a.any_chunk && run_.stop.requested() && !a.finish) a.cut = true;  // the stream ended early
    if (!a.cut && !a.error && a.finish != finish_reason::length) batch.complete_all();
    if (a.usage) last_usage_ = a.usage;
  }
  /// A whole response as the chunks of section 3.3.
  void take_whole(answer& a, call_batch& batch, const response& r) {
    if (!r.refusal.empty() || r.reasoning) {
      chunk c;
      c.refusal = r.refusal;
      if (r.reasoning) c.reasoning = &*r.reasoning;
      take(a, batch, c);
    }
    for (const tool_call& t : r.tool_calls) {
      chunk c;
      c.named = c.arguments = c.call = chunk::call_view{t.id, t.name, t.arguments, true};
      take(a, batch, c);
    }
    chunk c;
    c.content = r.content;
    c.finish = r.finish;
    if (r.usage) c.usage = &*r.usage;
    c.model = r.model;
    if (!c.content.empty() || c.finish || c.usage != nullptr || !c.model.empty()) take(a, batch, c);
  }

  void count(answer& a, const usage& u) {
    if (!a.usage) a.usage.emplace();
    *a.usage += u;
    usage_ += u;
    usage_reported_ = true;
  }
  /// One chunk; after a stop only its usage counts.
  void take(answer& a, call_batch& batch, const chunk& c) {
    if (run_.stop.requested()) {
      a.cut = true;
      if (c.usage != nullptr) count(a, *c.usage);
      return;
    }
    if (c.usage != nullptr) {
      const bool first = !a.usage;
      count(a, *c.usage);
      if (first) {
        events::request_usage e;
        e.usage = c.usage;
        run_.emit(e);
      }
    }
    if (!c.content.empty()) {
      a.content += c.content;
      run_.emit_text(c.content);
    }
    if (!c.refusal.empty()) {
      a.refusal += c.refusal;
      run_.emit_text(c.refusal);
    }
    if (c.reasoning != nullptr && !c.reasoning->is_empty()) {
      if (!a.reasoning) a.reasoning.emplace();
      *a.reasoning += *c.reasoning;
      events::reason_partial e;
      e.reasoning = c.reasoning;
      run_.emit(e);
    }
    if (c.named) batch.named(*c.named);
    if (c.arguments) batch.argued(*c.arguments, c.arguments_are_delta);
    if (c.call) batch.completed(*c.call);
    if (c.finish) a.finish = c.finish;
    if (!c.model.empty()) a.model = c.model;
    batch.poll();
  }

  // ---- failures of the model
  [[nodiscard]] bool model_failed(answer& a, call_batch& batch) {
    const bool plain = a.error->what == model_error_class::unknown || a.error->what == model_error_class::schema_rejected;
    if (plain && setup_.runtime_schema_fallback && setup_.delivery == schema_delivery::automatic &&
        request_.format.delivery == delivery::structured && !promoted_ && run_.output_retries > 0 &&
        !batch.any_started()) {
      promoted_ = true;
      run_.emit_reset(reset_reason::request_error);
      --run_.output_retries;
      ++run_.iterations;
      return true;
    }
    return settle_and_fail(a, batch, run_.error(error_kind::model, a.error->message));
  }
  /// Records calls that already ran (8.5), then fails; a suspended one outlives the failure.
  [[nodiscard]] bool settle_and_fail(answer& a, call_batch& batch, run_error e) {
    if (batch.any_started()) {
      batch.keep_started();
      run_.append(assistant(a, &batch));
      batch.wait();
      batch.append_answers();
      run_.pending = batch.suspended_ids();
    }
    return end(run_.pending.empty() ? status::failed : status::suspended, std::move(e));
  }
  [[nodiscard]] static message_ptr assistant(answer& a, const call_batch* batch) {
    auto m = std::make_shared<message>();
    m->role = role::assistant;
    m->content = a.content;
    m->reasoning = a.reasoning;
    if (batch != nullptr) m->tool_calls = batch->as_message();
    return m;
  }

  // ---- S8
  [[nodiscard]] bool judge(answer& a, call_batch& batch, bool& again) {
    if (a.reasoning) {
      events::reason e;
      e.reasoning = &*a.reasoning;
      run_.emit(e);
    }
    if (a.cut) {
      batch.drop_incomplete();
      return true;
    }
    if (!a.finish || (*a.finish == finish_reason::tool_calls && batch.calls().empty()))
      a.finish = batch.calls().empty() ? finish_reason::stop : finish_reason::tool_calls;
    const bool filtered = *a.finish == finish_reason::content_filter;
    if (!a.refusal.empty() || filtered || *a.finish == finish_reason::refusal) {
      const std::string_view ours = filtered ? "the answer was filtered" : "the model refused";
      events::refusal e;
      e.content = a.refusal.empty() ? ours : std::string_view{a.refusal};
      e.from_model = !a.refusal.empty();
      run_.emit(e);
      return settle_and_fail(a, batch, run_.error(filtered ? error_kind::content_filter : error_kind::refusal, e.content));
    }
    if (*a.finish != finish_reason::length) return true;
    if (batch.any_started()) {
      batch.drop_incomplete();
      return true;
    }
    if (run_.stop.requested()) return end(status::aborted);  // S8a
    const usage* const call = last_usage_ ? &*last_usage_ : nullptr;
    if (call == nullptr && !(window(nullptr) && message_sizes(run_.messages, setup_.estimate, nullptr)))
      return fail(error_kind::length, "the answer was cut at the token limit and nothing tells how large the messages "
                                      "are; report usage, or set contextWindow and an estimator");
    if (run_.forget_retries == 0)
      return fail(error_kind::length, "the answer was cut at the token limit and no forgetRetries are left");
    forget(call);
    --run_.forget_retries;
    run_.emit_reset(reset_reason::length);
    again = true;
    return true;
  }

  // ---- S9 to S17
  [[nodiscard]] bool round(answer& a, call_batch& batch) {
    if (!a.content.empty()) {
      events::text e;
      e.content = a.content;
      run_.emit(e);
    }
    const bool has_calls = !batch.calls().empty();
    if (has_calls) {  // S10
      for (const auto& c : batch.calls())
        if (c->tool && std::find(called_.begin(), called_.end(), c->call.name) == called_.end())
          called_.push_back(c->call.name);
      run_.append(assistant(a, &batch));
      batch.dispatch();
      if (!settle_round(batch)) return false;
    } else if (!a.cut || !a.content.empty() || a.reasoning) {
      run_.append(assistant(a, nullptr));
    }
    if (run_.stop.requested() && (has_calls || a.cut)) return end(status::aborted);  // S11
    const bool interrupted = batch.count(call_state::interrupted) != 0;
    if (!interrupted) {  // S12
      const std::size_t most = setup_.tools_max.value_or(0);
      const bool enough = most > 0 && run_.successes >= most;
      if (tools_only_) {
        if (!has_calls || enough) return end(status::complete);
      } else if (run_.successes > 0 && batch.count(call_state::invalid) == 0) {
        choice_satisfied_ = true;
      }
      if (enough) maxed_ = true;
    }
    if (has_calls && setup_.tool_rounds && ++rounds_ >= *setup_.tool_rounds) maxed_ = true;
    if (interrupted || (!has_calls && (a.cut || a.finish != finish_reason::length)))  // S13
      if (!take_output(a, interrupted)) return false;
    if (!run_.stop.requested() && (!ask_reconfig() || !resolve_again())) return false;  // S15, S16
    ++run_.iterations;                                                                  // S17
    return true;
  }
  /// Answers, counters, the retry account. False if a call is suspended.
  [[nodiscard]] bool settle_round(call_batch& batch) {
    run_.pending = batch.suspended_ids();
    batch.append_answers();
    const std::size_t invalid = batch.count(call_state::invalid);
    const std::size_t failed = batch.count(call_state::error) + batch.count(call_state::unknown);
    run_.parse_errors += invalid;
    run_.call_errors += failed;
    run_.successes += batch.count(call_state::success);
    if (!run_.pending.empty()) return end(status::suspended);
    if (invalid + failed != 0) {
      if (run_.tool_retries > 0) --run_.tool_retries;
      else withdrawn_ = true;
    }
    return true;
  }

  [[nodiscard]] bool take_output(answer& a, bool interrupted) {
    const bool structured = request_.format.delivery == delivery::structured;
    auto judged = judge_output(a.content, run_.resolved.schema, structured, request_.format.descriptor, setup_.parse,
                               setup_.validate);
    if (auto* v = std::get_if<json::value>(&judged))
      return end(interrupted ? status::interrupted : status::complete, {}, std::move(*v));
    if (interrupted) return end(status::interrupted);
    if (run_.stop.requested()) return end(status::aborted);
    rejection& r = *std::get_if<rejection>(&judged);
    const std::string text = run_.cut(r.text);
    rejection_ = run_.error(error_kind::output, text);
    rejection_->reason = r.reason;
    rejection_->raw = std::move(r.text);
    if (run_.output_retries == 0) return end(status::failed, rejection_);
    --run_.output_retries;
    if (r.reason == reset_reason::json_parsing && structured && setup_.runtime_schema_fallback &&
        setup_.delivery == schema_delivery::automatic)
      promoted_ = true;
    run_.emit_reset(r.reason);
    auto m = std::make_shared<message>();
    m->role = role::user;
    m->content = text;
    m->correction = true;
    run_.append(std::move(m));
    return true;
  }

  // ---- section 12
  [[nodiscard]] bool ask_reconfig() {
    if (!setup_.reconfig) return true;
    reconfig_stats stats;
    stats.iteration = run_.iterations;
    stats.max_iterations = max_iterations_;
    stats.tool_parse_errors = run_.parse_errors;
    stats.tool_call_errors = run_.call_errors;
    stats.tool_successes = run_.successes;
    stats.tools = called_;
    stats.tool_retries = run_.tool_retries;
    stats.output_retries = run_.output_retries;
    stats.forget_retries = run_.forget_retries;
    stats.usage = usage_;
    auto got = setup_.reconfig(stats);
    if (const auto* e = std::get_if<hook_error>(&got)) return fail(error_kind::hook, texts::join({"reconfig: ", e->message}));
    const auto* changes = std::get_if<reconfig_changes>(&got);
    if (changes == nullptr) return true;
    if (changes->config) {
      if (changes->config->tool_choice) choice_satisfied_ = false;
      overlay_.overlay(*changes->config);
    }
    if (changes->tool_retries) {
      run_.tool_retries = *changes->tool_retries;
      withdrawn_ = run_.tool_retries == 0;
    }
    if (changes->output_retries) {
      // More corrections than the budget has room for raise the budget with them.
      if (*changes->output_retries > output_share_) {
        max_iterations_ += *changes->output_retries - output_share_;
        output_share_ = *changes->output_retries;
      }
      run_.output_retries = *changes->output_retries;
    }
    if (changes->forget_retries) run_.forget_retries = *changes->forget_retries;
    if (changes->max_iterations) {
      if (*changes->max_iterations <= 0) return fail_with_rejection(error_kind::reconfig_stop, "reconfig ended the run");
      max_iterations_ = run_.iterations + static_cast<std::size_t>(*changes->max_iterations);
    }
    return true;
  }
  [[nodiscard]] bool resolve_again() {
    if (!setup_.dynamic || run_.stop.requested()) return true;
    if (auto failed = resolve()) {
      if (failed->status == status::incompatible)
        return fail(error_kind::incompatible, "a later resolve says that the prompt does not apply");
      return end(failed->status, std::move(failed->error));
    }
    place_system();
    return true;
  }

  // ---- calls that no model answer of this run made
  /// Runs a batch of calls like those of an answer. False if the run ends.
  [[nodiscard]] bool settle_early(call_batch& batch) {
    if (!settle_round(batch)) return false;
    if (run_.stop.requested()) return end(status::aborted);
    if (batch.count(call_state::interrupted) != 0) return end(status::interrupted);
    return true;
  }
  /// Answers what a suspended run left open (decision "Resume").
  [[nodiscard]] bool resume_calls() {
    if (setup_.answers.empty()) return true;
    const auto last = std::find_if(run_.messages.rbegin(), run_.messages.rend(),
                                   [](const auto& m) { return m->role == role::assistant; });
    if (last == run_.messages.rend()) return true;
    const message_ptr owner = *last;
    make_request();
    call_batch batch{run_, false};
    std::vector<std::pair<call_record*, const resume_answer*>> open;
    for (const tool_call& c : owner->tool_calls)
      for (const resume_answer& a : setup_.answers)
        if (a.call_id == c.id) open.emplace_back(&batch.add_complete(c), &a);
    for (const auto& [call, given] : open)
      if (given->outcome) batch.settle(*call, *given->outcome);
    batch.dispatch();
    return settle_early(batch);
  }
  /// Lets a local planner make the first calls (decision "The planner as a tool").
  [[nodiscard]] bool plan() {
    if (!setup_.plan || run_.messages.empty() || run_.messages.back()->role != role::user) return true;
    make_request();
    if (request_.tools.empty() || run_.stop.requested()) return true;
    auto planned = setup_.plan(run_.messages.back()->content, run_.resolved.tools);
    if (const auto* refused = std::get_if<plan_refusal>(&planned)) {
      events::plan_refused e;
      e.why = refused->why;
      run_.emit(e);
      return true;
    }
    call_batch batch{run_, false};
    for (const tool_call& c : *std::get_if<std::vector<tool_call>>(&planned)) (void)batch.add_complete(c);
    if (batch.calls().empty()) return true;
    answer nothing;
    run_.append(assistant(nothing, &batch));
    batch.dispatch();
    return settle_early(batch);
  }

  const run_setup& setup_;
  run_state run_;
  const std::function<model_result(request&, const std::stop_token&, const chunk_sink&)>* model_ = nullptr;
  prompt::request request_{};
  std::vector<tool_definition> definitions_{};
  std::string schema_text_{};
  request_fields overlay_{};
  message_ptr system_{};
  std::size_t max_iterations_ = 0;
  std::size_t output_share_ = 0;  ///< of the budget
  std::size_t rounds_ = 0;
  bool tools_only_ = false;
  bool withdrawn_ = false;
  bool maxed_ = false;
  bool choice_satisfied_ = false;
  bool promoted_ = false;
  bool usage_reported_ = false;
  prompt::usage usage_{};
  std::optional<prompt::usage> last_usage_{};
  std::optional<run_error> rejection_{};
  std::vector<std::string> called_{};
  ending end_{};
};

}  // namespace detail
}  // namespace prompt
}  // namespace v0_1
}  // namespace codemode
