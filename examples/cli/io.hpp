#pragma once

// Reading lines and writing text through file descriptors (POSIX). Streams would hide errno, and stdio
// would wait for a full block where a line typed into a pipe should be answered at once.

#include <fcntl.h>
#include <unistd.h>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>
#include <utility>

namespace cli {

/// Collects text and writes it to a descriptor. After the first failure the rest is dropped and
/// `error()` keeps the reason; nothing is printed here.
class output {
 public:
  explicit output(int descriptor) noexcept : descriptor_(descriptor) {}
  output(const output&) = delete;
  output& operator=(const output&) = delete;

  void append(std::string_view text) noexcept {
    if (text.size() > sizeof buffer_ - used_) {
      flush();
      if (text.size() > sizeof buffer_) {
        write_all(text);
        return;
      }
    }
    std::memcpy(buffer_ + used_, text.data(), text.size());
    used_ += text.size();
  }

  /// Writes what is collected; false if that or anything before failed.
  bool flush() noexcept {
    write_all({buffer_, used_});
    used_ = 0;
    return error_ == 0;
  }

  /// Flushes and closes: some file systems tell only then that the text did not arrive.
  bool close() noexcept {
    flush();
    if (::close(descriptor_) != 0 && error_ == 0) error_ = errno;
    return error_ == 0;
  }

  [[nodiscard]] int error() const noexcept { return error_; }

 private:
  void write_all(std::string_view text) noexcept {
    while (!text.empty() && error_ == 0) {
      const ::ssize_t n = ::write(descriptor_, text.data(), text.size());
      if (n >= 0) {
        text.remove_prefix(static_cast<std::size_t>(n));
      } else if (errno != EINTR) {
        error_ = errno;
      }
    }
  }

  int descriptor_;
  int error_ = 0;
  std::size_t used_ = 0;
  char buffer_[65536];
};

/// A descriptor that is closed at the end, unless it is standard input.
class input_file {
 public:
  input_file() noexcept = default;
  input_file(const input_file&) = delete;
  input_file& operator=(const input_file&) = delete;
  ~input_file() {
    if (descriptor_ > STDIN_FILENO) ::close(descriptor_);
  }

  /// Opens `path`, or takes standard input for "-". False with errno where it cannot be opened.
  bool open(const char* path) noexcept {
    descriptor_ = std::string_view{path} == "-" ? STDIN_FILENO : ::open(path, O_RDONLY | O_CLOEXEC);
    return descriptor_ >= 0;
  }
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

 private:
  int descriptor_ = -1;
};

/// Cuts a descriptor's bytes into lines. The buffer grows with the longest line and is never larger
/// than twice that (or one chunk); what has been handed out is forgotten.
class line_reader {
 public:
  explicit line_reader(int descriptor) noexcept : descriptor_(descriptor) {}

  enum class status {
    lines,     ///< `next` has at least one line to give
    end,       ///< the input has ended and every line was given
    failed,    ///< reading failed, errno says why
    no_memory  ///< the line is longer than memory allows
  };

  /// Reads until there is a whole line. Lines handed out before are no longer valid. Takes what one
  /// read gives, so that lines that arrive slowly are seen at once.
  status fill() noexcept {
    if (last_line_given_) return status::end;
    discard_given();
    for (;;) {
      if (scanned_ < used_) {
        if (std::memchr(buffer_.get() + scanned_, '\n', used_ - scanned_) != nullptr) return status::lines;
        scanned_ = used_;
      }
      if (ended_) return begin_ < used_ ? status::lines : status::end;
      if (used_ == capacity_ && !grow()) return status::no_memory;
      const ::ssize_t n = ::read(descriptor_, buffer_.get() + used_, capacity_ - used_);
      if (n < 0) {
        if (errno == EINTR) continue;
        return status::failed;
      }
      if (n == 0) ended_ = true;
      used_ += static_cast<std::size_t>(n);
      if (at_start_) skip_byte_order_mark();
    }
  }

  /// The next whole line without its line end, valid until `fill`. False where there is none; the
  /// last line of the input need not have an end.
  bool next(std::string_view& line) noexcept {
    if (begin_ == used_) return false;
    const char* const first = buffer_.get() + begin_;
    const std::size_t skip = scanned_ > begin_ ? scanned_ - begin_ : 0;
    const void* const end = std::memchr(first + skip, '\n', used_ - begin_ - skip);
    if (end != nullptr) {
      line = {first, static_cast<std::size_t>(static_cast<const char*>(end) - first)};
      begin_ += line.size() + 1;
    } else {
      scanned_ = used_;
      if (!ended_) return false;
      line = {first, used_ - begin_};
      begin_ = used_;
      last_line_given_ = true;
    }
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    return true;
  }

  /// Bytes read so far.
  [[nodiscard]] std::size_t bytes_read() const noexcept { return discarded_ + used_; }

 private:
  static constexpr std::size_t first_capacity = std::size_t{256} * 1024;

  void discard_given() noexcept {
    if (begin_ == 0) return;
    std::memmove(buffer_.get(), buffer_.get() + begin_, used_ - begin_);
    discarded_ += begin_;
    used_ -= begin_;
    scanned_ = scanned_ > begin_ ? scanned_ - begin_ : 0;
    begin_ = 0;
  }

  bool grow() noexcept {
    const std::size_t capacity = capacity_ == 0 ? first_capacity : capacity_ * 2;
    std::unique_ptr<char[]> bigger{new (std::nothrow) char[capacity]};
    if (!bigger) return false;
    if (used_ != 0) std::memcpy(bigger.get(), buffer_.get(), used_);
    buffer_ = std::move(bigger);
    capacity_ = capacity;
    return true;
  }

  // Some editors put U+FEFF before the first line; JSON does not allow it there.
  void skip_byte_order_mark() noexcept {
    constexpr std::string_view mark = "\xEF\xBB\xBF";
    const std::string_view start{buffer_.get(), used_};
    if (!ended_ && start.size() < mark.size() && mark.starts_with(start)) return;  // wait for the rest
    at_start_ = false;
    if (start.starts_with(mark)) begin_ = scanned_ = mark.size();
  }

  int descriptor_;
  bool ended_ = false;
  bool at_start_ = true;
  bool last_line_given_ = false;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  std::size_t used_ = 0;       // bytes in the buffer
  std::size_t begin_ = 0;      // first byte not handed out
  std::size_t scanned_ = 0;    // bytes known to hold no line end after `begin_`
  std::size_t discarded_ = 0;  // bytes that were in the buffer before
};

}  // namespace cli
