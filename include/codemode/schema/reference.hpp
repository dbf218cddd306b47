#pragma once

/// @file
/// `#/...` references: a JSON pointer in a URI fragment.

#include <codemode/json/document.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace codemode {
inline namespace v0_1 {
namespace schema {
namespace detail {

[[nodiscard]] inline std::string percent_decoded(std::string_view s) {
  std::string out;
  for (std::size_t i = 0; i < s.size(); ++i) {
    unsigned value = 0;
    const char* const digits = s.data() + i + 1;
    if (s[i] == '%' && i + 2 < s.size() && std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2) {
      out.push_back(static_cast<char>(static_cast<unsigned char>(value)));
      i += 2;
    } else {
      out.push_back(s[i]);
    }
  }
  return out;
}

/// A token of a JSON pointer without its escapes.
[[nodiscard]] inline std::string unescaped_token(std::string_view token) {
  std::string out;
  for (std::size_t i = 0; i < token.size(); ++i) {
    if (token[i] == '~' && i + 1 < token.size() && (token[i + 1] == '0' || token[i + 1] == '1')) {
      out.push_back(token[i + 1] == '0' ? '~' : '/');
      ++i;
    } else {
      out.push_back(token[i]);
    }
  }
  return out;
}

}  // namespace detail

/// The value that a local reference means within a document, or nothing. `step(key, is_item, item)` is called for each
/// step on the way.
template <class Step>
[[nodiscard]] std::optional<json::element> resolve_reference(const json::element& root, std::string_view reference,
                                                             Step step) {
  if (!reference.starts_with('#')) return std::nullopt;
  const std::string pointer = detail::percent_decoded(reference.substr(1));
  json::element here = root;
  if (!pointer.empty() && pointer[0] != '/') return std::nullopt;
  for (std::size_t i = 0; i < pointer.size();) {
    const std::size_t end = (std::min)(pointer.find('/', i + 1), pointer.size());
    const std::string token = detail::unescaped_token(std::string_view{pointer}.substr(i + 1, end - i - 1));
    i = end;
    if (here.is_object()) {
      std::optional<json::member> hit;
      for (const json::member m : here.members())
        if (m.key.equals(token)) hit = m;
      if (!hit) return std::nullopt;
      step(hit->key, false, std::uint32_t{0});
      here = hit->value;
    } else if (here.is_array()) {
      std::uint32_t n = 0;
      const auto done = std::from_chars(token.data(), token.data() + token.size(), n);
      if (done.ec != std::errc{} || done.ptr != token.data() + token.size() || n >= here.size()) return std::nullopt;
      auto item = here.items().begin();
      for (std::uint32_t k = 0; k < n; ++k) ++item;
      step(json::element{}, true, n);
      here = *item;
    } else {
      return std::nullopt;
    }
  }
  return here;
}

}  // namespace schema
}  // namespace v0_1
}  // namespace codemode
