#pragma once

/// @file
/// Forgetting: what leaves a conversation that is larger than the model's window (prompt.md, section 13).

#include <codemode/prompt/message.hpp>
#include <codemode/prompt/usage.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace prompt {

/// Size of a message in tokens, or nothing.
using message_estimator = std::function<std::optional<std::int64_t>(const message&)>;

/// A rough estimator: four bytes a token, rounded up.
[[nodiscard]] inline std::optional<std::int64_t> estimate_by_bytes(const message& m) {
  std::size_t bytes = m.content.size();
  for (const tool_call& c : m.tool_calls) bytes += c.name.size() + c.arguments.size();
  for (const content_part& p : m.parts) bytes += p.type == content_part::kind::text ? p.data.size() : 0;
  return static_cast<std::int64_t>((bytes + 3) / 4);
}

/// What a `forget` hook gets in place of the built-in trimming.
struct forget_request {
  const message_list& messages;
  const std::vector<std::int64_t>& sizes;
  std::int64_t target = 0;  ///< the sizes should sum up to no more than this
};
using forget_hook = std::function<message_list(const forget_request&)>;

namespace detail {

/// Size of each message, or nothing if nothing tells.
[[nodiscard]] inline std::optional<std::vector<std::int64_t>> message_sizes(const message_list& messages,
                                                                            const message_estimator& estimate,
                                                                            const usage* call) {
  std::vector<std::int64_t> sizes;
  sizes.reserve(messages.size());
  constexpr std::int64_t unknown = -1;
  std::int64_t sum = 0;
  std::int64_t missing = 0;
  for (const message_ptr& m : messages) {
    std::int64_t size = unknown;
    if (m->tokens && *m->tokens > 0) size = *m->tokens;
    else if (estimate)
      if (const auto e = estimate(*m)) size = (std::max)(*e, std::int64_t{0});
    sizes.push_back(size);
    if (size == unknown) ++missing;
    else sum += size;
  }
  if (missing == 0) return sizes;
  const auto known = static_cast<std::int64_t>(sizes.size()) - missing;
  std::int64_t share = 0;
  if (call != nullptr) share = (std::max)(std::int64_t{0}, input_tokens(*call) - sum) / missing;
  else if (known > 0) share = sum / known;
  else return std::nullopt;
  std::replace(sizes.begin(), sizes.end(), unknown, share);
  return sizes;
}

/// Removes whole groups, oldest first, until the rest fits. A group is a message that is neither system nor tool,
/// with the tool messages after it. System messages, the group of the last question and the last group stay.
inline void forget_groups(message_list& messages, const std::vector<std::int64_t>& sizes, std::int64_t target) {
  std::int64_t total = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  if (total <= target) return;
  constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::vector<std::size_t> group(messages.size(), none);
  std::size_t groups = 0;
  std::size_t question = none;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const message& m = *messages[i];
    if (m.role == role::system) continue;
    if (m.role != role::tool || groups == 0) ++groups;
    group[i] = groups - 1;
    if (m.role == role::user && !m.correction) question = groups - 1;
  }
  std::vector<bool> gone(messages.size(), false);
  for (std::size_t g = 0; g + 1 < groups && total > target; ++g) {
    if (g == question) continue;
    for (std::size_t i = 0; i < messages.size(); ++i)
      if (group[i] == g) {
        gone[i] = true;
        total -= sizes[i];
      }
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < messages.size(); ++i)
    if (!gone[i]) {
      if (kept != i) messages[kept] = std::move(messages[i]);
      ++kept;
    }
  messages.resize(kept);
}

}  // namespace detail
}  // namespace prompt
}  // namespace v0_1
}  // namespace codemode
