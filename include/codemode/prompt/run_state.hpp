#pragma once

/// @file
/// State of a run that the loop and the dispatch of calls share. Private.

#include <codemode/prompt/run_types.hpp>

#include <atomic>
#include <chrono>
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
#include <utility>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace prompt {
namespace detail {

/// The stop of a run: the caller's token and the deadline in one source.
class run_stop {
 public:
  run_stop(const std::stop_token& outer, std::optional<clock::time_point> deadline)
      : deadline_(deadline), link_(outer, [this] { source_.request_stop(); }) {}
  run_stop(const run_stop&) = delete;
  run_stop& operator=(const run_stop&) = delete;

  /// Whether it is time to stop; notices a deadline that has passed.
  [[nodiscard]] bool requested() {
    if (source_.stop_requested()) return true;
    if (!deadline_ || clock::now() < *deadline_) return false;
    source_.request_stop();
    return true;
  }
  /// Whether the deadline is what stopped the run.
  [[nodiscard]] bool by_deadline(const std::stop_token& outer) const noexcept {
    return deadline_ && !outer.stop_requested() && clock::now() >= *deadline_;
  }
  [[nodiscard]] std::stop_token token() const noexcept { return source_.get_token(); }
  [[nodiscard]] const std::stop_source& source() const noexcept { return source_; }

 private:
  std::optional<clock::time_point> deadline_;
  std::stop_source source_;
  std::stop_callback<std::function<void()>> link_;
};

/// A tool's work, claimed by the thread that does it: the executor's, or the loop's while it waits.
struct tool_job {
  std::atomic<bool> claimed{false};
  std::atomic<bool> timed_out{false};
  std::stop_source stop{};
  std::function<tool_outcome()> work{};
};

/// Ends of calls on their way from the tools' threads to the loop's.
class mailbox {
 public:
  struct letter {
    std::size_t call = 0;
    tool_outcome outcome{};
  };
  void put(letter l) {
    // Notified under the lock: the reader may destroy this as soon as it has the last letter.
    const std::lock_guard lock{mutex_};
    letters_.push_back(std::move(l));
    arrived_.notify_one();
  }
  [[nodiscard]] bool take(letter& out) {
    const std::lock_guard lock{mutex_};
    return pop(out);
  }
  void wait(letter& out) {
    std::unique_lock lock{mutex_};
    arrived_.wait(lock, [this] { return !letters_.empty(); });
    (void)pop(out);
  }

 private:
  bool pop(letter& out) {
    if (letters_.empty()) return false;
    out = std::move(letters_.front());
    letters_.pop_front();
    return true;
  }
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<letter> letters_;
};

/// What the loop and its batches share. One thread uses it.
struct run_state {
  explicit run_state(const run_setup& s) : setup(s), stop(s.stop, s.deadline) {
    tool_retries = s.tool_retries;
    output_retries = s.output_retries;
    forget_retries = s.forget_retries;
  }

  const run_setup& setup;
  run_stop stop;
  prompt::request* request = nullptr;  ///< the latest model call
  message_list messages{};
  resolution resolved{};
  std::size_t iterations = 0;
  std::size_t requests = 0;
  std::size_t parse_errors = 0;
  std::size_t call_errors = 0;
  std::size_t successes = 0;
  std::size_t tool_retries = 0;
  std::size_t output_retries = 0;
  std::size_t forget_retries = 0;
  std::vector<std::string> pending{};
  std::string text{};        ///< what textComplete will say
  std::size_t text_mark = 0;  ///< its length at the last request
  struct placed_result {
    std::size_t request;
    std::size_t index;
    tool_result result;
  };
  std::vector<placed_result> results{};

  template <class E>
  void emit(E e) {
    e.during = request;
    if (setup.visitor) setup.visitor(event{std::move(e)});
  }
  void emit_text(std::string_view piece) {
    text += piece;
    events::text_partial e;
    e.content = piece;
    emit(e);
  }
  void emit_reset(reset_reason why) {
    text.resize(text_mark);
    events::text_reset e;
    e.reason = why;
    emit(e);
  }
  void append(message_ptr m) {
    events::message e;
    e.message = m;
    messages.push_back(std::move(m));
    if (request != nullptr) request->messages = messages;
    emit(std::move(e));
  }
  [[nodiscard]] std::string cut(std::string s) const { return texts::cut(std::move(s), setup.error_limit); }
  [[nodiscard]] run_error error(error_kind kind, std::string_view what) const {
    run_error e;
    e.kind = kind;
    e.message = texts::join({setup.name, ": ", what});
    return e;
  }
  /// The executor; a pool of this run's own if the host brings none.
  [[nodiscard]] prompt::executor& executor() {
    if (!setup.executor && !own_pool) own_pool = std::make_shared<thread_pool>();
    return setup.executor ? *setup.executor : *own_pool;
  }
  [[nodiscard]] std::shared_ptr<prompt::executor> shared_executor() const {
    return setup.executor ? setup.executor : own_pool;
  }

  std::shared_ptr<prompt::executor> own_pool{};
};

}  // namespace detail
}  // namespace prompt
}  // namespace v0_1
}  // namespace codemode
