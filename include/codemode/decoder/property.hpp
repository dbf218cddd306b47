#pragma once

/// @file
/// Which declared property a token names.

#include <codemode/catalog/name_index.hpp>
#include <codemode/frontend/token.hpp>

#include <cstddef>
#include <string_view>

namespace codemode {
inline namespace v0_1 {
namespace detail {

/// What a token says about the properties of one tool.
struct named_property {
  std::string_view name{};  ///< the property, or empty
  bool ambiguous = false;   ///< a loose spelling that fits two of them
};

/// The property of tool `tool_index` that `t`, spelled `spelled`, names: an exact spelling first, then the only
/// loose one.
[[nodiscard]] inline named_property property_of(const token& t, std::string_view spelled, std::size_t tool_index,
                                                const name_index& names) noexcept {
  named_property found;
  if ((t.properties >> tool_index & 1U) == 0) return found;
  for (std::size_t n = 0; n < t.name_count; ++n) {
    const auto& e = names.names()[static_cast<std::size_t>(t.names[n])];
    if ((e.property_mask >> tool_index & 1U) == 0) continue;
    if (e.text == spelled) return {e.text, false};
    found.ambiguous = !found.name.empty();
    if (found.ambiguous) break;
    found.name = e.text;
  }
  // It may be one of so many names of this spelling that the token does not keep them all.
  if (found.name.empty() || t.name_count == max_token_names) found.ambiguous = true;
  return found;
}

}  // namespace detail
}  // namespace v0_1
}  // namespace codemode
