#pragma once

// Lines over a pair of descriptors, without blocking: JSON-RPC over standard input and output, as MCP has it.

#include <cerrno>
#include <cstddef>
#include <deque>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace mcp {

/// Cuts what arrives into lines and keeps what cannot be written yet.
class line_channel {
 public:
  /// A line that is longer ends the channel: nothing that is honest is as long.
  static constexpr std::size_t longest_line = std::size_t{64} << 20U;

  line_channel(int in, int out) : in_(in), out_(out) {
    set_nonblocking(in_);
    set_nonblocking(out_);
  }

  [[nodiscard]] int in() const noexcept { return in_; }
  [[nodiscard]] int out() const noexcept { return out_; }
  [[nodiscard]] bool ended() const noexcept { return ended_ && lines_.empty(); }
  [[nodiscard]] bool broken() const noexcept { return broken_; }
  [[nodiscard]] bool wants_write() const noexcept { return !broken_ && !pending_.empty(); }

  /// Reads what is there.
  void read() {
    char block[65536];
    for (;;) {
      const ::ssize_t n = ::read(in_, block, sizeof block);
      if (n > 0) {
        take({block, static_cast<std::size_t>(n)});
        if (partial_.size() > longest_line) {
          partial_.clear();
          ended_ = true;
          return;
        }
        continue;
      }
      if (n < 0 && errno == EINTR) continue;
      if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
      ended_ = true;
      return;
    }
  }

  /// The next whole line; false if there is none yet.
  bool next(std::string& line) {
    if (lines_.empty()) return false;
    line = std::move(lines_.front());
    lines_.pop_front();
    return true;
  }

  /// Sends a line. What does not fit into the pipe waits for `flush`.
  void send(std::string_view line) {
    if (broken_) return;
    pending_ += line;
    pending_ += '\n';
    flush();
  }

  void flush() {
    while (!pending_.empty() && !broken_) {
      const ::ssize_t n = ::write(out_, pending_.data(), pending_.size());
      if (n > 0) pending_.erase(0, static_cast<std::size_t>(n));
      else if (n < 0 && errno == EINTR) continue;
      else if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
      else broken_ = true;
    }
  }

 private:
  static void set_nonblocking(int descriptor) {
    const int flags = ::fcntl(descriptor, F_GETFL);
    if (flags >= 0) ::fcntl(descriptor, F_SETFL, flags | O_NONBLOCK);
  }

  void take(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      if (end == std::string_view::npos) {
        partial_ += text;
        return;
      }
      partial_ += text.substr(0, end);
      if (!partial_.empty() && partial_.back() == '\r') partial_.pop_back();
      if (!partial_.empty()) lines_.push_back(std::move(partial_));
      partial_.clear();
      text.remove_prefix(end + 1);
    }
  }

  int in_;
  int out_;
  bool ended_ = false;
  bool broken_ = false;
  std::string partial_;
  std::string pending_;
  std::deque<std::string> lines_;
};

}  // namespace mcp
