#pragma once

/// @file
/// The network's answers as log-probabilities, in the names that the decoder uses.

#include <codemode/frontend/token.hpp>
#include <codemode/plan.hpp>
#include <codemode/result.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

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
enum class link : std::uint8_t { argument, call, order };

namespace detail {

[[nodiscard]] inline float log_sigmoid(float x) noexcept {
  return x < 0 ? x - std::log1p(std::exp(x)) : -std::log1p(std::exp(-x));
}
[[nodiscard]] inline float log_add(float a, float b) noexcept {
  const float m = a > b ? a : b;
  return m + std::log1p(std::exp((a > b ? b : a) - m));
}
/// log(1 - e^x) for x <= 0, bounded below.
[[nodiscard]] inline float log_not(float x) noexcept {
  constexpr float floor = -12.0F;
  if (x > -1e-5F) return floor;
  const float y = std::log1p(-std::exp(x));
  return y < floor ? floor : y;
}

/// Log-probabilities of the heads for one instruction.
struct token_scores {
  std::array<std::array<float, role_count>, max_tokens> roles{};
  std::array<float, class_count> classes{};
  float parallel = 0;  ///< logit: parallel against serial
  float last = 0;      ///< logit: last result against all

  [[nodiscard]] float role(std::size_t token_index, token_role r) const noexcept {
    return roles[token_index][static_cast<std::size_t>(r)];
  }

  /// Reads `net`, an output of the network with `role`, `pooled`.
  template <class Output>
  void read(const Output& net, std::size_t tokens) noexcept {
    for (std::size_t k = 0; k < tokens; ++k) {
      float most = net.role(k, 0);
      for (std::size_t r = 1; r < role_count; ++r) most = net.role(k, r) > most ? net.role(k, r) : most;
      float sum = 0;
      for (std::size_t r = 0; r < role_count; ++r) sum += std::exp(net.role(k, r) - most);
      const float total = most + std::log(sum);
      for (std::size_t r = 0; r < role_count; ++r) roles[k][r] = net.role(k, r) - total;
    }
    // Acceptance has no evidence of its own: its logit is 0.
    float most = 0;
    for (std::size_t c = 1; c < class_count; ++c) most = net.pooled(c) > most ? net.pooled(c) : most;
    float sum = std::exp(-most);
    for (std::size_t c = 1; c < class_count; ++c) sum += std::exp(net.pooled(c) - most);
    const float total = most + std::log(sum);
    classes[0] = -total;
    for (std::size_t c = 1; c < class_count; ++c) classes[c] = net.pooled(c) - total;
    parallel = net.pooled(evidence_parallel) - net.pooled(evidence_serial);
    last = net.pooled(evidence_last) - net.pooled(evidence_all);
  }
};

}  // namespace detail
}  // namespace v0_1
}  // namespace codemode
