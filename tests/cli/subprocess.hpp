#pragma once

// Runs a program with bytes on its standard input and collects what it writes (POSIX).

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace test {

/// A file descriptor that closes itself.
class descriptor {
 public:
  descriptor() = default;
  explicit descriptor(int number) : number_(number) {}
  descriptor(descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  descriptor& operator=(descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~descriptor() { close(); }

  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }
  [[nodiscard]] int get() const { return number_; }

 private:
  int number_ = -1;
};

struct pipe_pair {
  descriptor read_end, write_end;
  pipe_pair() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) == 0) {
      read_end = descriptor{ends[0]};
      write_end = descriptor{ends[1]};
    }
  }
};

/// What became of a program.
struct outcome {
  int exit_code = -1;  ///< -1 if it did not end by itself
  int signal = 0;
  long peak_kib = 0;  ///< its largest resident memory
  std::string out, err;
};

/// A running program. Its three standard descriptors are what the caller hands over.
class child {
 public:
  child(const std::vector<std::string>& command, int in, int out, int err) {
    std::vector<char*> arguments;
    arguments.reserve(command.size() + 1);
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    ::posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
    // The tests ignore SIGPIPE; the program must find it as a shell leaves it.
    ::posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    ::sigset_t defaults;
    ::sigemptyset(&defaults);
    ::sigaddset(&defaults, SIGPIPE);
    ::posix_spawnattr_setsigdefault(&attributes, &defaults);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    if (::posix_spawn(&pid_, arguments[0], &actions, &attributes, arguments.data(), environ) != 0) pid_ = -1;
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
  }
  child(const child&) = delete;
  child& operator=(const child&) = delete;
  ~child() {
    if (pid_ > 0) wait();
  }

  /// Waits for the end.
  outcome wait() {
    outcome result;
    int status = 0;
    ::rusage usage{};
    if (pid_ > 0 && ::wait4(pid_, &status, 0, &usage) == pid_) {
      if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
      if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
      result.peak_kib = usage.ru_maxrss;
    }
    pid_ = -1;
    return result;
  }

 private:
  ::pid_t pid_ = -1;
};

/// Feeds `input` to the program and collects both outputs until it ends. With `piece`, at most so many
/// bytes are handed over at a time.
inline outcome run(const std::vector<std::string>& command, std::string_view input = {},
                   std::size_t piece = std::string_view::npos) {
  pipe_pair in, out, err;
  child program{command, in.read_end.get(), out.write_end.get(), err.write_end.get()};
  in.read_end.close();
  out.write_end.close();
  err.write_end.close();
  ::fcntl(in.write_end.get(), F_SETFL, O_NONBLOCK);

  std::string text_out, text_err;
  const auto collect = [](descriptor& from, short events, std::string& to) {
    if (events == 0) return;
    std::array<char, 65536> buffer{};
    const ::ssize_t n = ::read(from.get(), buffer.data(), buffer.size());
    if (n > 0) to.append(buffer.data(), static_cast<std::size_t>(n));
    else if (n == 0 || errno != EINTR) from.close();
  };
  while (out.read_end.get() >= 0 || err.read_end.get() >= 0) {
    if (input.empty()) in.write_end.close();
    // poll ignores the descriptors that are closed (-1).
    std::array<::pollfd, 3> wait{
        {{in.write_end.get(), POLLOUT, 0}, {out.read_end.get(), POLLIN, 0}, {err.read_end.get(), POLLIN, 0}}};
    if (::poll(wait.data(), wait.size(), -1) < 0) {
      if (errno == EINTR) continue;
      break;
    }
    if (wait[0].revents != 0) {
      const std::string_view part = input.substr(0, piece);
      const ::ssize_t n = ::write(in.write_end.get(), part.data(), part.size());
      if (n > 0) input.remove_prefix(static_cast<std::size_t>(n));
      else if (errno != EINTR && errno != EAGAIN) input = {};
    }
    collect(out.read_end, wait[1].revents, text_out);
    collect(err.read_end, wait[2].revents, text_err);
  }
  outcome result = program.wait();
  result.out = std::move(text_out);
  result.err = std::move(text_err);
  return result;
}

}  // namespace test
