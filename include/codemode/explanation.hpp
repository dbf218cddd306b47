#pragma once

/// @file
/// What the planner saw in an instruction: its tokens with their roles, links and probabilities. Made on
/// request, in fixed storage, for people who want to know why.

#include <codemode/decoder/confidence.hpp>
#include <codemode/decoder/scores.hpp>
#include <codemode/frontend/token.hpp>
#include <codemode/plan.hpp>
#include <codemode/result.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace codemode {
inline namespace v0_1 {

/// One token of an explanation.
struct explained_token {
  std::uint32_t begin = 0;  ///< half-open byte range in the instruction
  std::uint32_t end = 0;
  token_kind kind = token_kind::word;
  token_role role = token_role::none;  ///< the likeliest role
  float probability = 0;               ///< of that role
  std::int16_t argument = -1;          ///< for a value in the best reading: the token that names its argument, or -1
  std::uint8_t calls = 0;              ///< for a value in the best reading: bit set of its calls, in the plan's order
};

/// Probability of each reason to refuse that lies in the sentence, `class_codes` in order; the first is none.
using class_probabilities = std::array<float, class_count>;

/// Everything about one call of `planner::plan`. Borrows the instruction.
struct explanation {
  std::string_view instruction{};
  std::array<explained_token, max_tokens> token_list{};
  std::size_t token_count = 0;
  class_probabilities classes{};
  float parallel = 0;      ///< probability that several calls run together
  float last = 0;          ///< probability that only the last result is wanted
  float confidence = 0;    ///< calibrated probability of the best plan, 0 where the catalog allows none
  std::array<float, confidence_figure_count> figures{};  ///< what the confidence weighs, `confidence_figure` in order
  bool planned = false;    ///< whether the catalog allows a plan at all
  bool ran = false;        ///< false where the instruction was refused before the network was asked

  [[nodiscard]] std::span<const explained_token> tokens() const noexcept { return {token_list.data(), token_count}; }
};

}  // namespace v0_1
}  // namespace codemode
