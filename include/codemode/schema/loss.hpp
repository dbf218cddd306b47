#pragma once

/// @file
/// What emission says less than the source, or says otherwise (schema.md 15), and why a schema is not sent (6).

#include <codemode/schema/node.hpp>

#include <cstdint>
#include <string_view>

namespace codemode {
inline namespace v0_1 {
namespace schema {

/// What became of a keyword. The order is that of the names.
enum class action : std::uint8_t {
  advice,     ///< nothing is done (lint)
  blocked,    ///< not sendable (lint)
  degraded,   ///< sent non-strict (lint)
  described,  ///< dropped or widened, but its content is in a description
  dropped,    ///< gone: the model is not told
  encoded,    ///< rewritten by the dialect's encoding, decoded exactly (lint)
  inlined,    ///< a reference replaced by a copy
  rewritten,  ///< spelled differently with the same effect after decoding
  widened     ///< replaced by something weaker
};
[[nodiscard]] constexpr std::string_view to_string(action a) noexcept {
  constexpr std::string_view names[]{"advice",  "blocked", "degraded",  "described", "dropped",
                                     "encoded", "inlined", "rewritten", "widened"};
  return names[static_cast<std::size_t>(a)];
}
/// Whether a value that the emitted schema accepts may fail the source.
[[nodiscard]] constexpr bool is_real(action a) noexcept {
  return a == action::described || a == action::dropped || a == action::widened;
}

/// One loss: the pointer of the schema, the source's keyword, and what became of it.
struct loss {
  index place = 0;
  index key = 0;  ///< as in `entry`
  action done = action::dropped;
  friend constexpr bool operator==(const loss&, const loss&) noexcept = default;
};

/// Why a schema cannot be sent, or expressed.
enum class reason_code : std::uint8_t {
  allof_unsupported, any_unsupported, emission_too_large, never_unsupported, optional_parameters,
  recursion_unsupported, root_not_object, size_limit, union_types, union_unsupported
};
[[nodiscard]] constexpr std::string_view to_string(reason_code c) noexcept {
  constexpr std::string_view names[]{"allof-unsupported",   "any-unsupported",       "emission-too-large",
                                     "never-unsupported",   "optional-parameters",   "recursion-unsupported",
                                     "root-not-object",     "size-limit",            "union-types",
                                     "union-unsupported"};
  return names[static_cast<std::size_t>(c)];
}

}  // namespace schema
}  // namespace v0_1
}  // namespace codemode
