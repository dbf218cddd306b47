#pragma once

/// @file
/// Messages of a conversation (prompt.md, section 3.1).

#include <codemode/json/owned_value.hpp>
#include <codemode/prompt/reasoning.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace prompt {

enum class role : std::uint8_t { system, user, assistant, tool };

/// `"system"`, `"user"`, `"assistant"`, `"tool"`.
[[nodiscard]] constexpr std::string_view to_string(role r) noexcept {
  constexpr std::array<std::string_view, 4> names{"system", "user", "assistant", "tool"};
  return names[static_cast<std::size_t>(r)];
}

/// A call that a model asks for. `arguments` is the model's text and is never formatted again.
struct tool_call {
  std::string id{};
  std::string name{};
  std::string arguments{};
};

/// Where a call stands (section 7.3). On a tool message it says what the text is about, so that nobody has to
/// read the markers back.
enum class call_state : std::uint8_t {
  named,        ///< its name is known
  complete,     ///< its arguments are, too
  parsed,       ///< the arguments were accepted
  running,      ///< the tool runs
  success,      ///< the tool gave a value
  error,        ///< the tool or its transformer failed
  interrupted,  ///< the tool returned control
  suspended,    ///< the tool waits for work outside
  aborted,      ///< it ran into the stop, or was never started because of it
  invalid,      ///< the arguments were refused
  unknown,      ///< no offered tool has this name
  not_run       ///< left alone on purpose
};

/// `"named"`, `"complete"`, ..., `"not_run"`.
[[nodiscard]] constexpr std::string_view to_string(call_state s) noexcept {
  constexpr std::array<std::string_view, 12> names{"named",       "complete",  "parsed",  "running", "success", "error",
                                                   "interrupted", "suspended", "aborted", "invalid", "unknown", "not_run"};
  return names[static_cast<std::size_t>(s)];
}

/// A part of a message that is more than text. The loop never looks inside.
struct content_part {
  enum class kind : std::uint8_t { text, image, file, audio };
  enum class source : std::uint8_t {
    text,   ///< `data` is text
    url,    ///< `data` is an address
    bytes,  ///< `data` is raw bytes
    host    ///< `handle` means something to the host
  };
  kind type = kind::text;
  source from = source::text;
  std::string data{};
  std::shared_ptr<void> handle{};
  std::string format{};
};

/// One message. Shared and not changed once it is in a conversation.
struct message {
  prompt::role role = prompt::role::user;
  std::string content{};
  std::vector<content_part> parts{};  ///< in place of `content`, if not empty
  std::optional<std::int64_t> tokens{};  ///< known size, used for forgetting only
  std::string name{};                 ///< sender
  std::string tool_call_id{};         ///< on role tool: the call that it answers
  std::vector<tool_call> tool_calls{};  ///< on role assistant
  std::string refusal{};
  std::optional<prompt::reasoning> reasoning{};
  json::value cache{};                ///< carried, not interpreted
  std::optional<call_state> state{};  ///< on role tool, if this library wrote it
  bool correction = false;            ///< a user message that the loop wrote (section 13.1)
};

using message_ptr = std::shared_ptr<const message>;
using message_list = std::vector<message_ptr>;

/// A message of `r` with `content`.
[[nodiscard]] inline message_ptr make_message(role r, std::string content) {
  auto m = std::make_shared<message>();
  m->role = r;
  m->content = std::move(content);
  return m;
}
/// The answer to the call `id`.
[[nodiscard]] inline message_ptr make_answer(std::string id, std::string content) {
  auto m = std::make_shared<message>();
  m->role = role::tool;
  m->tool_call_id = std::move(id);
  m->content = std::move(content);
  return m;
}
/// A list to share with a run: `context.messages = conversation({make_message(role::user, "Hello")})`.
[[nodiscard]] inline std::shared_ptr<const message_list> conversation(message_list messages) {
  return std::make_shared<const message_list>(std::move(messages));
}

}  // namespace prompt
}  // namespace v0_1
}  // namespace codemode
