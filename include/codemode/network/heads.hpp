#pragma once

/// @file
/// What the network's heads mean: roles of tokens, reasons to refuse, evidence and links. The order of each is
/// part of the weights.

#include <codemode/config.hpp>
#include <codemode/result.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace codemode {
inline namespace v0_1 {

/// What a token is in the plan. The order is that of the network's role head.
enum class token_role : std::uint8_t {
  none,      ///< free English, layout, or a value that is not used
  call,      ///< a tool mention that is a call
  mention,   ///< a tool mention that is no call: an exclusion, a remark, a further mention
  argument,  ///< names the argument of a value
  value,     ///< given to an argument
  limit,     ///< the limit of the output
  property,  ///< a projected field
  new_call,  ///< the value that begins a further call of a tool
  foreign,   ///< a word used as a name that the catalog does not have
  spare
};
inline constexpr std::size_t role_count = 10;

/// `"none"`, `"call"`, ...
[[nodiscard]] constexpr std::string_view to_string(token_role r) noexcept {
  constexpr std::array<std::string_view, role_count> names{"none",  "call",     "mention",  "argument", "value",
                                                           "limit", "property", "new_call", "foreign",  "spare"};
  return names[static_cast<std::size_t>(r)];
}

/// Classes of the network's refusal head, in its order; the first is acceptance.
inline constexpr std::size_t class_count = 16;
inline constexpr std::array<errc, class_count> class_codes{
    errc::low_confidence,  // class 0 is "no reason to refuse"
    errc::unsupported_dependency, errc::unsupported_condition, errc::unsupported_loop,   errc::unsupported_schedule,
    errc::unsupported_shaping,    errc::ambiguous,             errc::no_call,            errc::missing_argument,
    errc::missing_value,          errc::unknown_argument,      errc::duplicate_argument, errc::type_mismatch,
    errc::unattached_value,       errc::too_many_calls,        errc::bad_number};
/// Places of the other evidence sums.
inline constexpr std::size_t evidence_parallel = 16;
inline constexpr std::size_t evidence_serial = 17;
inline constexpr std::size_t evidence_last = 18;
inline constexpr std::size_t evidence_all = 19;

/// Pair scores of the network: which argument mention a value belongs to, which calls, which call is first.
enum class link_kind : std::uint8_t { argument, call, order };

}  // namespace v0_1
}  // namespace codemode
