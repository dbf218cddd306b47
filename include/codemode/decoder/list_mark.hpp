#pragma once

/// @file
/// Which numbers are the layout of a list and no values.

#include <codemode/frontend/lexer.hpp>
#include <codemode/frontend/token.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>

namespace codemode {
inline namespace v0_1 {
namespace detail {

/// Whether token `v` of `text` can be the mark of an item: `1.`, `2)`, `(3)`, `Step 1:`, `#2`, a whole number from 1
/// to 20. Behind another word than one that counts items a number is somebody's value, and so is one at the end. The
/// decoder lets a mark go unused where the network says that it is nothing.
[[nodiscard]] inline bool is_list_mark(std::string_view text, const token_list& tokens,
                                       std::size_t v) noexcept {
  constexpr std::array<std::string_view, 13> counting{"step",  "item",    "part",  "task",   "point",
                                                      "phase", "section", "stage", "action", "job",
                                                      "query", "call",    "todo"};
  constexpr std::array<std::string_view, 6> leading{"and", "then", "first", "next", "finally", "plus"};
  const token& t = tokens[v];
  if (t.kind != token_kind::number || t.number != std::floor(t.number) || t.number < 1 || t.number > 20)
    return false;
  const auto sign = [&](std::size_t k) {
    return k < tokens.count && tokens[k].kind == token_kind::sign ? text[tokens[k].begin] : '\0';
  };
  const auto is_one_of = [&](const token& word, std::span<const std::string_view> words) {
    for (const std::string_view w : words)
      if (equals_ignoring_case(text.substr(word.begin, word.end - word.begin), w)) return true;
    return false;
  };
  if (t.line_start) return true;
  const char next = sign(v + 1);
  const bool closed = v + 2 < tokens.count && (next == '.' || next == ')' || next == ':' || next == '/' ||
                                               next == '-' || next == ']');
  if (v == 0) return closed;
  const token& before = tokens[v - 1];
  if (sign(v - 1) == '(' || sign(v - 1) == '#') return true;
  if (before.kind != token_kind::word) return closed;
  return is_one_of(before, counting) || (closed && is_one_of(before, leading));
}

}  // namespace detail
}  // namespace v0_1
}  // namespace codemode
