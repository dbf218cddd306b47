#pragma once

/// @file
/// Where tools run, and a clock that calls back.

#include <codemode/config.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace prompt {

using clock = std::chrono::steady_clock;

/// What a host may put in place of the default pool. Both functions may be called from any thread.
class executor {
 public:
  using task = std::function<void()>;

  executor() = default;
  executor(const executor&) = delete;
  executor& operator=(const executor&) = delete;
  virtual ~executor() = default;

  /// Runs `t` soon, on whichever thread. Every task must run once, or the run that gave it waits for ever.
  virtual void run(task t) = 0;
  /// Runs `t` at `when` or shortly after. A task that is no longer due when the executor ends may be dropped.
  virtual void call_at(clock::time_point when, task t) = 0;
  /// For executors without threads: runs one waiting task on the calling thread. The loop calls it where it
  /// would wait. False: nothing was done.
  virtual bool work() { return false; }
};

/// The default executor: up to `max_threads` threads, started when needed, and one for the clock. Its end waits
/// for tasks that were given to `run` and drops those of `call_at`.
class thread_pool final : public executor {
 public:
  /// 0: as many threads as the machine has cores, at least 4.
  explicit thread_pool(std::size_t max_threads = 0)
      : max_threads_(max_threads != 0 ? max_threads
                                      : (std::max)(std::size_t{4}, static_cast<std::size_t>(std::thread::hardware_concurrency()))) {}
  ~thread_pool() override {
    {
      const std::lock_guard lock{mutex_};
      ending_ = true;
    }
    wake_workers_.notify_all();
    wake_clock_.notify_all();
    for (std::thread& t : workers_) t.join();
    if (clock_.joinable()) clock_.join();
  }

  void run(task t) override {
    const std::lock_guard lock{mutex_};
    tasks_.push_back(std::move(t));
    if (tasks_.size() > idle_ && workers_.size() < max_threads_) workers_.emplace_back([this] { work_off(); });
    wake_workers_.notify_one();
  }

  void call_at(clock::time_point when, task t) override {
    const std::lock_guard lock{mutex_};
    alarms_.push_back({when, std::move(t)});
    std::push_heap(alarms_.begin(), alarms_.end(), later);
    if (!clock_.joinable()) clock_ = std::thread{[this] { watch_clock(); }};
    wake_clock_.notify_one();
  }

 private:
  struct alarm {
    clock::time_point when;
    task what;
  };
  [[nodiscard]] static bool later(const alarm& a, const alarm& b) noexcept { return a.when > b.when; }

  void work_off() {
    std::unique_lock lock{mutex_};
    for (;;) {
      ++idle_;
      wake_workers_.wait(lock, [this] { return ending_ || !tasks_.empty(); });
      --idle_;
      if (tasks_.empty()) return;
      const task t = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      t();
      lock.lock();
    }
  }
  void watch_clock() {
    std::unique_lock lock{mutex_};
    while (!ending_) {
      if (alarms_.empty()) {
        wake_clock_.wait(lock);
      } else if (clock::now() < alarms_.front().when) {
        const clock::time_point due = alarms_.front().when;  // the heap may move while waiting
        wake_clock_.wait_until(lock, due);
      } else {
        std::pop_heap(alarms_.begin(), alarms_.end(), later);
        const task t = std::move(alarms_.back().what);
        alarms_.pop_back();
        lock.unlock();
        t();
        lock.lock();
      }
    }
  }

  const std::size_t max_threads_;
  std::mutex mutex_;
  std::condition_variable wake_workers_;
  std::condition_variable wake_clock_;
  std::deque<task> tasks_;
  std::vector<alarm> alarms_;
  std::vector<std::thread> workers_;
  std::thread clock_;
  std::size_t idle_ = 0;
  bool ending_ = false;
};

}  // namespace prompt
}  // namespace v0_1
}  // namespace codemode
