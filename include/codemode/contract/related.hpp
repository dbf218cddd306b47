#pragma once

/// @file
/// What the catalog alone tells about tools that belong together (contract.md, 2.11.3 and 2.12.6): follow-ups,
/// tools to avoid, usage hints, related tools. Never more than three of each, and nothing is claimed that the
/// catalog does not show.

#include <codemode/contract/search/words.hpp>
#include <codemode/contract/tool_catalog.hpp>
#include <codemode/contract/types.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace contract {
namespace detail {

inline constexpr std::size_t most_related = 3;

/// Stems of a tool's name: the verb first, as names of tools have it, then the things.
struct name_parts {
  std::array<search::word, 8> words{};
  std::size_t count = 0;

  explicit name_parts(std::string_view name) noexcept {
    search::for_each_word(name, [&](const search::cut_word& w) {
      if (count < words.size()) words[count++] = search::stem(w.folded.view());
    });
  }
  [[nodiscard]] std::string_view verb() const noexcept { return count > 0 ? words[0].view() : std::string_view{}; }
  [[nodiscard]] bool shares_noun(const name_parts& o) const noexcept {
    for (std::size_t i = 1; i < count; ++i)
      for (std::size_t j = 1; j < o.count; ++j)
        if (words[i].view() == o.words[j].view() && words[i].size() > 2) return true;
    return false;
  }
};

[[nodiscard]] inline bool lists(std::string_view verb) noexcept {
  return verb == "list" || verb == "search" || verb == "find" || verb == "query";
}
[[nodiscard]] inline bool reads(std::string_view verb) noexcept {
  return verb == "get" || verb == "read" || verb == "fetch" || verb == "describ" || verb == "show" || verb == "view";
}
[[nodiscard]] inline bool makes(std::string_view verb) noexcept {
  return verb == "creat" || verb == "add" || verb == "new";
}

/// Calls `f(entry, parts)` for the other tools of the entry's server that share a noun with it.
template <class F>
void for_each_relative(const tool_catalog& catalog, const tool_entry& e, F&& f) {
  const name_parts mine(e.name);
  for (const tool_entry& other : catalog.entries()) {
    if (other.server_id != e.server_id || other.name == e.name) continue;
    const name_parts parts(other.name);
    if (mine.shares_noun(parts)) f(other, mine, parts);
  }
}

}  // namespace detail

/// Tools that are often called next: reading what a list gives, reading what was made.
[[nodiscard]] inline std::vector<followup_tool> followups_of(const tool_catalog& catalog, const tool_entry& e) {
  std::vector<followup_tool> out;
  detail::for_each_relative(catalog, e, [&](const tool_entry& other, const auto& mine, const auto& parts) {
    if (out.size() == detail::most_related || !other.callable_now) return;
    if (detail::lists(mine.verb()) && detail::reads(parts.verb()))
      out.push_back({other.tool_ref, "to read one of the entries that " + e.name + " gives"});
    else if (detail::makes(mine.verb()) && detail::reads(parts.verb()))
      out.push_back({other.tool_ref, "to check what " + e.name + " has made"});
  });
  return out;
}

/// Destructive tools beside the selected one, not to be called without asking.
[[nodiscard]] inline std::vector<std::string> avoid_beside(const tool_catalog& catalog, const tool_entry& e) {
  std::vector<std::string> out;
  if (e.destructive) return out;
  detail::for_each_relative(catalog, e, [&](const tool_entry& other, const auto&, const auto&) {
    if (out.size() < detail::most_related && other.destructive) out.push_back(other.tool_ref);
  });
  return out;
}

/// Other tools for the same things on the same server.
[[nodiscard]] inline std::vector<related_tool> related_to(const tool_catalog& catalog, const tool_entry& e) {
  std::vector<related_tool> out;
  const auto add = [&](bool read_pairs) {
    detail::for_each_relative(catalog, e, [&](const tool_entry& other, const auto& mine, const auto& parts) {
      const bool pair = (detail::lists(mine.verb()) && detail::reads(parts.verb())) ||
                        (detail::reads(mine.verb()) && detail::lists(parts.verb()));
      if (out.size() == detail::most_related || pair != read_pairs) return;
      out.push_back({other.tool_ref, !pair ? "works on the same things of this server"
                                     : detail::lists(parts.verb()) ? "finds what this tool reads"
                                                                   : "reads what this tool finds"});
    });
  };
  add(true);
  add(false);
  return out;
}

/// What to heed in a call, as far as schema and annotations tell.
[[nodiscard]] inline std::vector<std::string> usage_hints_of(const tool_entry& e) {
  std::vector<std::string> out;
  const std::vector<std::string> required = required_names(e.input_schema);
  if (!required.empty()) {
    std::string hint = "needs ";
    for (std::size_t i = 0; i < required.size(); ++i) {
      if (i > 0) hint += i + 1 == required.size() ? " and " : ", ";
      hint += required[i];
    }
    out.push_back(std::move(hint));
  }
  if (e.destructive) out.emplace_back("its server says that it destroys data: ask the user before the call");
  if (e.read_only) out.emplace_back("its server says that it changes nothing");
  return out;
}

}  // namespace contract
}  // namespace v0_1
}  // namespace codemode
