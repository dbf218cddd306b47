#pragma once

#include "answer.hpp"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

namespace cli {

/// Answers the lines of a batch on several threads. Order and bytes do not depend on their number. Its
/// memory is that of one batch: the lines stay where the reader has them.
class answer_pool {
 public:
  answer_pool(const plan_settings& settings, unsigned jobs)
      : started_(static_cast<std::ptrdiff_t>(jobs)), finished_(static_cast<std::ptrdiff_t>(jobs)) {
    for (unsigned i = 0; i < jobs; ++i) answerers_.push_back(std::make_unique<answerer>(settings));
    for (unsigned i = 1; i < jobs; ++i)
      threads_.emplace_back([this, i] {
        for (;;) {
          started_.arrive_and_wait();
          if (stop_) return;
          work(*answerers_[i]);
          finished_.arrive_and_wait();
        }
      });
    answers_.resize(jobs == 1 ? 1 : std::size_t{jobs} * 32);
  }
  answer_pool(const answer_pool&) = delete;
  answer_pool& operator=(const answer_pool&) = delete;
  ~answer_pool() {
    stop_ = true;
    if (!threads_.empty()) started_.arrive_and_wait();
    for (std::thread& t : threads_) t.join();
  }

  /// How many lines a batch may have.
  [[nodiscard]] std::size_t batch_size() const noexcept { return answers_.size(); }

  /// The answers to `lines`, in order; valid until the next call. The first is the file's line `number`.
  std::span<const answer> run(std::span<const std::string_view> lines, std::size_t number) {
    lines_ = lines;
    number_ = number;
    next_ = 0;
    if (!threads_.empty()) started_.arrive_and_wait();
    work(*answerers_[0]);
    if (!threads_.empty()) finished_.arrive_and_wait();
    return std::span{answers_}.first(lines.size());
  }

 private:
  void work(answerer& make) {
    for (std::size_t i = next_++; i < lines_.size(); i = next_++) make(lines_[i], number_ + i, answers_[i]);
  }

  std::vector<std::unique_ptr<answerer>> answerers_;
  std::vector<answer> answers_;
  std::span<const std::string_view> lines_;
  std::size_t number_ = 1;
  std::atomic<std::size_t> next_{0};
  bool stop_ = false;
  std::barrier<> started_, finished_;
  std::vector<std::thread> threads_;
};

}  // namespace cli
