#pragma once

/// @file
/// A calibrated probability that a plan is the one meant.
///
/// The logit is linear in a few figures of the search; its coefficients are fitted on instructions that
/// training never saw and travel with the weights (Platt, "Probabilistic outputs for support vector
/// machines", 1999).

#include <codemode/decoder/search.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>

namespace codemode {
inline namespace v0_1 {

/// Figures of a search that the calibration weighs, in this order.
enum class confidence_figure : std::size_t {
  one,          ///< always 1
  acceptance,   ///< log-probability that there is no reason to refuse, at least -8
  plan,         ///< log-probability of the plan, at least -16
  margin,       ///< how far the second best plan is behind, at most 8
  forbidden,    ///< how far the best reading that the catalog forbids is ahead, -8..4
  several,      ///< 1 for two or three calls
  length,       ///< tokens / 64
  refusal,      ///< log-probability of the likeliest refusal, at least -8
  count
};
inline constexpr std::size_t confidence_figure_count = static_cast<std::size_t>(confidence_figure::count);

namespace detail {

using confidence_figures = std::array<float, confidence_figure_count>;

[[nodiscard]] inline confidence_figures figures_of(const findings& f, const token_scores& scores,
                                                   std::size_t tokens) noexcept {
  confidence_figures x{};
  const auto at = [&x](confidence_figure c) -> float& { return x[static_cast<std::size_t>(c)]; };
  at(confidence_figure::one) = 1;
  at(confidence_figure::acceptance) = (std::max)(scores.classes[0], -8.0F);
  at(confidence_figure::plan) = (std::max)(f.best.score, -16.0F);
  at(confidence_figure::margin) = f.has_second ? (std::min)(f.best.score - f.second, 8.0F) : 8.0F;
  at(confidence_figure::forbidden) =
      f.has_forbidden ? std::clamp(f.forbidden.score - f.best.score, -8.0F, 4.0F) : -8.0F;
  at(confidence_figure::several) = f.best.calls.count > 1 ? 1.0F : 0.0F;
  at(confidence_figure::length) = static_cast<float>(tokens) / 64.0F;
  float worst = -8;
  for (std::size_t c = 1; c < class_count; ++c) worst = (std::max)(worst, scores.classes[c]);
  at(confidence_figure::refusal) = worst;
  return x;
}

/// `coefficients` as in the weights; missing ones count as 0.
[[nodiscard]] inline float confidence_of(const confidence_figures& x, std::span<const float> coefficients) noexcept {
  float logit = 0;
  for (std::size_t i = 0; i < x.size() && i < coefficients.size(); ++i) logit += x[i] * coefficients[i];
  return 1.0F / (1.0F + std::exp(-logit));
}

}  // namespace detail
}  // namespace v0_1
}  // namespace codemode
