#pragma once

/// @file
/// What a model tells of its thinking (prompt.md, section 3.5).

#include <codemode/config.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace prompt {

/// One block of reasoning in a provider's form. Carried, not interpreted.
struct reasoning_detail {
  std::optional<std::string> id{};
  std::string type{};
  std::string format{};
  std::optional<std::int64_t> index{};
  std::optional<std::string> summary{};
  std::optional<std::string> text{};
  std::optional<std::string> signature{};
  std::optional<std::string> data{};
};

/// Reasoning as text and as details.
struct reasoning {
  std::optional<std::string> content{};
  std::vector<reasoning_detail> details{};

  [[nodiscard]] bool is_empty() const noexcept { return !content && details.empty(); }
};

namespace detail {

inline void append(std::optional<std::string>& to, const std::optional<std::string>& more) {
  if (!more) return;
  if (to) *to += *more;
  else to = more;
}
inline void merge(reasoning_detail& to, const reasoning_detail& more) {
  append(to.summary, more.summary);
  append(to.text, more.text);
  append(to.data, more.data);
  if (more.signature) to.signature = more.signature;
  if (more.id) to.id = more.id;
  if (more.index) to.index = more.index;
  if (!more.type.empty()) to.type = more.type;
  if (!more.format.empty()) to.format = more.format;
}

}  // namespace detail

/// Appends a delta: content is appended; a detail merges into the one of the same id, else of the same index;
/// where no detail on either side has one of these, into the one of the same type; else it is new.
inline reasoning& operator+=(reasoning& to, const reasoning& delta) {
  detail::append(to.content, delta.content);
  for (const reasoning_detail& d : delta.details) {
    const auto named = [](const reasoning_detail& x) { return x.id || x.index; };
    const bool by_type = !named(d) && std::none_of(to.details.begin(), to.details.end(), named);
    const auto same = std::find_if(to.details.begin(), to.details.end(), [&](const reasoning_detail& x) {
      if (d.id && x.id) return *d.id == *x.id;
      if (d.index && x.index) return *d.index == *x.index;
      return by_type && x.type == d.type;
    });
    if (same != to.details.end()) detail::merge(*same, d);
    else to.details.push_back(d);
  }
  return to;
}

}  // namespace prompt
}  // namespace v0_1
}  // namespace codemode
