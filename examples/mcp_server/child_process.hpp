#pragma once

// A child process with its standard input and output on pipes; its standard error is ours.

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

extern char** environ;

namespace mcp {

class child_process {
 public:
  child_process() = default;
  child_process(const child_process&) = delete;
  child_process& operator=(const child_process&) = delete;
  ~child_process() { stop(); }

  /// Starts a program found by PATH. The message of a failure, or empty.
  [[nodiscard]] std::string start(const std::string& command, const std::vector<std::string>& arguments,
                                  const std::vector<std::pair<std::string, std::string>>& environment) {
    stop();
    int to_child[2];
    int from_child[2];
    if (::pipe2(to_child, O_CLOEXEC) != 0) return std::strerror(errno);
    if (::pipe2(from_child, O_CLOEXEC) != 0) {
      const std::string message = std::strerror(errno);
      ::close(to_child[0]);
      ::close(to_child[1]);
      return message;
    }
    std::vector<std::string> words{command};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& w : words) argv.push_back(w.data());
    argv.push_back(nullptr);

    std::vector<std::string> variables;
    for (char** v = environ; *v != nullptr; ++v) {
      const std::string_view entry = *v;
      const std::string_view name = entry.substr(0, entry.find('='));
      if (std::none_of(environment.begin(), environment.end(), [&](const auto& e) { return e.first == name; })) variables.emplace_back(entry);
    }
    for (const auto& [name, value] : environment) variables.push_back(name + "=" + value);
    std::vector<char*> envp;
    for (std::string& v : variables) envp.push_back(v.data());
    envp.push_back(nullptr);

    ::posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, to_child[0], STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, from_child[1], STDOUT_FILENO);
    // A group of its own, so that what the command starts ends with it; and the default of signals that we ignore.
    ::posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    ::sigset_t defaults;
    ::sigemptyset(&defaults);
    ::sigaddset(&defaults, SIGPIPE);
    ::posix_spawnattr_setsigdefault(&attributes, &defaults);
    ::posix_spawnattr_setpgroup(&attributes, 0);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    const int failed = ::posix_spawnp(&pid_, command.c_str(), &actions, &attributes, argv.data(), envp.data());
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(to_child[0]);
    ::close(from_child[1]);
    if (failed != 0) {
      ::close(to_child[1]);
      ::close(from_child[0]);
      pid_ = -1;
      return std::strerror(failed);
    }
    in_ = to_child[1];
    out_ = from_child[0];
    return {};
  }

  /// Where to write to the child, and where to read from it.
  [[nodiscard]] int input() const noexcept { return in_; }
  [[nodiscard]] int output() const noexcept { return out_; }

  /// Closes the pipes and ends the child: it may end by itself for a moment, then it must.
  void stop() {
    if (pid_ < 0) return;
    ::close(in_);
    ::close(out_);
    const auto ended = [&](int tries) {
      for (int i = 0; i < tries; ++i) {
        if (::waitpid(pid_, nullptr, WNOHANG) != 0) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds{5});
      }
      return false;
    };
    bool gone = ended(20);
    // The leader may be gone and children of it not: the group is told in any case.
    ::kill(-pid_, SIGTERM);
    if (!gone) gone = ended(40);
    if (!gone) {
      ::kill(-pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    pid_ = -1;
    in_ = out_ = -1;
  }

 private:
  ::pid_t pid_ = -1;
  int in_ = -1;
  int out_ = -1;
};

}  // namespace mcp
