#pragma once

#include <unistd.h>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string_view>

namespace cli {

/// Tells a person at a terminal how far the work is, a few times a second. Silent where standard error
/// is no terminal, or where the answers go to one.
class progress {
 public:
  progress() noexcept : shown_(::isatty(STDERR_FILENO) == 1 && ::isatty(STDOUT_FILENO) != 1) {}
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;
  ~progress() {
    if (printed_) print("\r\033[K");
  }

  void update(std::size_t lines, std::size_t bytes) noexcept {
    if (!shown_) return;
    const auto now = std::chrono::steady_clock::now();
    if (printed_ && now - last_ < std::chrono::milliseconds{200}) return;
    last_ = now;
    char text[96];
    const int n = std::snprintf(text, sizeof text, "\r\033[K%zu lines, %.1f MB", lines,
                                static_cast<double>(bytes) / 1e6);
    if (n > 0) print({text, static_cast<std::size_t>(n)});
    printed_ = true;
  }

 private:
  // Nothing depends on whether a person saw it.
  static void print(std::string_view text) noexcept {
    (void)!::write(STDERR_FILENO, text.data(), text.size());
  }

  bool shown_;
  bool printed_ = false;
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace cli
