#pragma once

/// @file
/// Regular expressions on the wire: features that a provider refuses, and whole-string matching (schema.md 3.2).

#include <codemode/schema/descriptor.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace codemode {
inline namespace v0_1 {
namespace schema {

namespace detail {

/// Features that a pattern uses, one bit each.
[[nodiscard]] constexpr unsigned regex_features(std::string_view p) noexcept {
  unsigned found = 0;
  const auto add = [&found](regex_feature f) { found |= 1U << static_cast<unsigned>(f); };
  bool in_class = false;
  for (std::size_t i = 0; i < p.size();) {
    const char c = p[i];
    if (c == '\\') {
      const char next = i + 1 < p.size() ? p[i + 1] : '\0';
      const char third = i + 2 < p.size() ? p[i + 2] : '\0';
      if ((next == 'p' || next == 'P') && third == '{') add(regex_feature::unicode_property);
      if (!in_class) {
        if ((next >= '1' && next <= '9') || (next == 'k' && third == '<')) add(regex_feature::backreference);
        if (next == 'b' || next == 'B') add(regex_feature::word_boundary);
      }
      i += 2;
      continue;
    }
    if (in_class) {
      in_class = c != ']';
    } else if (c == '[') {
      in_class = true;
    } else if (c == '(') {
      const std::string_view rest = p.substr(i + 1);
      if (rest.starts_with("?=") || rest.starts_with("?!") || rest.starts_with("?<=") || rest.starts_with("?<!")) {
        add(regex_feature::lookaround);
      } else if (rest.starts_with('?')) {
        std::size_t k = 1;
        bool letters = false;
        bool dash = false;
        while (k < rest.size()) {
          const char x = rest[k];
          if ((x >= 'a' && x <= 'z') || (x >= 'A' && x <= 'Z')) letters = true;
          else if (x == '-' && !dash) dash = true;
          else break;
          ++k;
        }
        if ((letters || dash) && k < rest.size() && (rest[k] == ')' || rest[k] == ':'))
          add(regex_feature::inline_modifier);
      }
    }
    ++i;
  }
  return found;
}

}  // namespace detail

/// The first feature, in the descriptor's order, that a pattern uses and the dialect does not take.
[[nodiscard]] constexpr std::optional<regex_feature> foreign_feature(std::string_view pattern, const descriptor& d) noexcept {
  if (d.unsupported_regex.size == 0) return std::nullopt;
  const unsigned used = detail::regex_features(pattern);
  for (std::size_t i = 0; i < d.unsupported_regex.size; ++i)
    if ((used >> static_cast<unsigned>(d.unsupported_regex.features[i])) & 1U) return d.unsupported_regex.features[i];
  return std::nullopt;
}

/// Appends the pattern for a provider that matches the whole string. False where an anchor stands inside; what was
/// appended is of no use then.
[[nodiscard]] inline bool append_whole_match(std::string_view p, std::string& out) {
  constexpr std::string_view anything = "[\\s\\S]*";
  std::size_t begin = 0;
  for (;;) {
    // One alternative: up to a bar on the top level.
    std::size_t i = begin;
    int depth = 0;
    bool in_class = false;
    const bool start = i < p.size() && p[i] == '^';
    if (start) ++i;
    bool end = false;
    bool inside = false;  // an anchor that may not be the last character
    for (; i < p.size(); ++i) {
      const char c = p[i];
      if (c == '|' && !in_class && depth == 0) break;
      if (end) inside = true;
      end = false;
      if (c == '\\') {
        ++i;
      } else if (in_class) {
        in_class = c != ']';
      } else if (c == '[') {
        in_class = true;
      } else if (c == '(') {
        ++depth;
      } else if (c == ')') {
        --depth;
      } else if (c == '^') {
        inside = true;
      } else if (c == '$') {
        end = true;
      }
    }
    if (i > p.size()) i = p.size();
    if (inside) return false;
    if (!start) out.append(anything);
    out.append(p.substr(begin, i - begin));
    if (!end) out.append(anything);
    if (i == p.size()) return true;
    out.push_back('|');
    begin = i + 1;
  }
}

}  // namespace schema
}  // namespace v0_1
}  // namespace codemode
