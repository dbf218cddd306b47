#pragma once

/// @file
/// The tree that a template is compiled into. Private to the template headers.

#include <codemode/json/owned_value.hpp>

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
namespace detail {

/// White space as JavaScript's `\s` has it. Writes the length of the first code point of `s` to `size`.
[[nodiscard]] inline bool is_template_space(std::string_view s, std::size_t& size) noexcept {
  if (s.empty()) return false;
  const char c = s.front();
  size = 1;
  if (c == ' ' || (c >= '\t' && c <= '\r')) return true;
  if (static_cast<unsigned char>(c) < 0x80) return false;
  const text::decoded d = text::decode(s);
  size = d.size;
  const char32_t p = d.code_point;
  return d.valid && (p == 0xA0 || p == 0xFEFF || p == 0x1680 || (p >= 0x2000 && p <= 0x200A) || p == 0x2028 ||
                     p == 0x2029 || p == 0x202F || p == 0x205F || p == 0x3000);
}

[[nodiscard]] inline std::string_view trim_left(std::string_view s) noexcept {
  for (std::size_t n = 0; is_template_space(s, n);) s.remove_prefix(n);
  return s;
}

[[nodiscard]] inline std::string_view trim_right(std::string_view s) noexcept {
  while (!s.empty()) {
    std::size_t at = s.size() - 1;
    while (at > 0 && (static_cast<unsigned char>(s[at]) & 0xC0U) == 0x80U) --at;
    std::size_t n = 0;
    if (!is_template_space(s.substr(at), n)) break;
    s = s.substr(0, at);
  }
  return s;
}

/// Length of the name at the start of `s` (section 19.2): anything but white space and reserved characters.
[[nodiscard]] inline std::size_t name_length(std::string_view s) noexcept {
  constexpr std::string_view reserved = "!\"#%&'()*+,./;<=>@[\\]^`{|}~";
  std::size_t i = 0;
  while (i < s.size()) {
    std::size_t n = 1;
    if (reserved.find(s[i]) != std::string_view::npos || is_template_space(s.substr(i), n)) break;
    i += n;
  }
  return i;
}

struct template_call;

/// A value inside a tag: a path, a literal, or a helper call in parentheses.
struct template_expression {
  enum class kind : std::uint8_t { path, literal, call };

  kind what = kind::path;
  std::string text{};                ///< as written; the name to look up for a literal in output position
  std::vector<std::string> names{};  ///< steps of a path
  std::size_t up = 0;                ///< `../` at its head
  bool data = false;                 ///< begins with @
  bool plain = false;                ///< one name and nothing else: may be a helper
  bool from_this = false;            ///< begins with `this` or `.`: never a block parameter
  bool absent = false;               ///< the literal `undefined`
  json::value literal{};
  std::shared_ptr<const template_call> call{};
};

/// `head argument... name=value...`
struct template_call {
  template_expression head{};
  std::vector<template_expression> arguments{};
  std::vector<std::pair<std::string, template_expression>> hash{};
};

/// One piece of a template.
struct template_node {
  enum class kind : std::uint8_t { text, output, block, raw, partial, inline_partial };

  kind what = kind::text;
  std::size_t offset = 0;    ///< of its tag in the source
  std::string text{};        ///< text; body of a raw block; indentation of a partial
  bool escapes = false;      ///< output by `{{x}}`, not `{{{x}}}` or `{{&x}}`
  bool has_inverse = false;  ///< an inverse was written
  bool has_body = false;     ///< a partial in block form
  template_call call{};      ///< of output and blocks; a partial's name is its head
  std::vector<std::string> parameters{};
  std::vector<template_node> body{};
  std::vector<template_node> inverse{};
};

}  // namespace detail
}  // namespace v0_1
}  // namespace codemode
