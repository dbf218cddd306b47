#pragma once

/// @file
/// The network's answers as log-probabilities.

#include <codemode/frontend/token.hpp>
#include <codemode/network/heads.hpp>
#include <codemode/plan.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace codemode {
inline namespace v0_1 {

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
