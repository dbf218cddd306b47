#pragma once

/// @file
/// Names as a provider takes them: property keys (schema.md 3.3) and tools (16.2), renamed so that the way back is known.

#include <codemode/schema/descriptor.hpp>
#include <codemode/text/utf8.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace schema {

namespace detail {

[[nodiscard]] constexpr bool is_ascii_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
[[nodiscard]] constexpr bool fits_character(char32_t c, const key_rule& rule) noexcept {
  if (c >= 0x80) return false;
  const auto a = static_cast<char>(c);
  return is_ascii_letter(a) || (a >= '0' && a <= '9') || rule.punctuation.view().find(a) != std::string_view::npos;
}

/// `base`, or `base_2`, `base_3`, ... cut so that the length holds: the first that is not in the sorted list `taken`, to
/// which it is added.
inline std::string take_free_name(std::string base, std::vector<std::string>& taken, std::size_t length) {
  std::string name = base;
  for (std::size_t n = 2;; ++n) {
    const auto at = std::lower_bound(taken.begin(), taken.end(), name);
    if (at == taken.end() || *at != name) {
      taken.insert(at, name);
      return name;
    }
    const std::string suffix = "_" + std::to_string(n);
    const std::size_t keep = length > suffix.size() ? length - suffix.size() : 0;
    name = base.substr(0, keep) + suffix;
  }
}

/// Each code point outside the rule becomes `_`; not cut.
inline std::string replaced(std::string_view name, const key_rule& rule) {
  std::string out;
  while (!name.empty()) {
    const text::decoded d = text::decode(name);
    out.push_back(fits_character(d.code_point, rule) ? static_cast<char>(d.code_point) : '_');
    name.remove_prefix(d.size);
  }
  return out;
}

}  // namespace detail

/// Whether a name needs no change.
[[nodiscard]] constexpr bool fits_key(std::string_view name, const key_rule& rule) noexcept {
  if (!rule.present) return true;
  if (name.empty() || name.size() > rule.length()) return false;
  for (const char c : name)
    if (!detail::fits_character(static_cast<unsigned char>(c), rule)) return false;
  return true;
}
[[nodiscard]] constexpr bool fits_tool(std::string_view name, const key_rule& rule) noexcept {
  if (!fits_key(name, rule)) return false;
  return !rule.present || !rule.first_letter_or_underscore || name[0] == '_' || detail::is_ascii_letter(name[0]);
}

/// Gives each property name its name on the wire. Names that fit stay.
inline void wire_keys(const std::vector<std::string>& names, const key_rule& rule, std::vector<std::string>& out) {
  out = names;
  if (!rule.present) return;
  std::vector<std::string> taken;
  for (const std::string& n : names)
    if (fits_key(n, rule)) taken.push_back(n);
  std::sort(taken.begin(), taken.end());
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (fits_key(names[i], rule)) continue;
    std::string base = detail::replaced(names[i], rule).substr(0, rule.length());
    if (base.empty()) base = "_";
    out[i] = detail::take_free_name(std::move(base), taken, rule.length());
  }
}

/// What became of a tool's name.
enum class renaming : std::uint8_t { kept, rule, duplicate };

/// A tool's name on the wire.
struct wire_tool {
  std::string name{};
  renaming why = renaming::kept;
};

/// Gives each tool its name on the wire, in order; the names given are all different.
inline void wire_tools(const std::vector<std::string_view>& names, const key_rule& rule, std::vector<wire_tool>& out) {
  out.clear();
  std::vector<std::string> taken;
  for (const std::string_view n : names)
    if (fits_tool(n, rule)) taken.emplace_back(n);
  std::sort(taken.begin(), taken.end());
  taken.erase(std::unique(taken.begin(), taken.end()), taken.end());
  std::vector<std::string> seen;
  for (const std::string_view n : names) {
    const bool fits = fits_tool(n, rule);
    const auto at = std::lower_bound(seen.begin(), seen.end(), n);
    const bool again = at != seen.end() && *at == n;
    if (fits && !again) {
      out.push_back({std::string{n}, renaming::kept});
    } else {
      const std::size_t length = rule.present ? rule.length() : 1'000'000'000;
      std::string base{n};
      if (rule.present) {
        base = detail::replaced(n, rule);
        if (rule.first_letter_or_underscore && (base.empty() || (base[0] != '_' && !detail::is_ascii_letter(base[0]))))
          base.insert(0, "_");
        base = base.substr(0, length);
        if (base.empty()) base = "_";
      }
      out.push_back({detail::take_free_name(std::move(base), taken, length),
                     !fits && !again ? renaming::rule : renaming::duplicate});
    }
    if (!again) seen.insert(at, std::string{n});
  }
}

}  // namespace schema
}  // namespace v0_1
}  // namespace codemode
