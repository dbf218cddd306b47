#pragma once

/// @file
/// Candidates for the calls of an instruction: the most probable choice of mentions, and that choice with
/// doubtful mentions flipped.

#include <codemode/decoder/hypothesis.hpp>
#include <codemode/decoder/scores.hpp>
#include <codemode/frontend/token.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace codemode {
inline namespace v0_1 {
namespace detail {

inline constexpr std::size_t call_set_limit = 12;
/// Readings whose log-probability is this far behind the best are dropped.
inline constexpr float search_window = 7.0F;

using call_set_list = best_list<call_set, call_set_limit>;

class call_set_finder {
 public:
  call_set_finder(const token_list& tokens, const token_scores& scores) noexcept : tokens_(tokens), scores_(scores) {}

  void run(call_set_list& out) noexcept {
    collect();
    const std::uint32_t combinations = std::uint32_t{1} << flip_count_;
    for (std::uint32_t flips = 0; flips < combinations; ++flips) {
      float score = base_;
      for (std::size_t i = 0; i < flip_count_; ++i)
        if ((flips >> i & 1U) != 0) score += flips_[i].cost;
      if (out.wants(score, search_window)) build(flips, score, out);
    }
  }

 private:
  static constexpr std::size_t flip_limit = 6;
  struct flip {
    float cost = 0;  // <= 0, what it costs to read the token the other way
    std::uint8_t token = no_token;
  };

  /// Best reading of every token, and the tokens of which another reading is not far behind.
  void collect() noexcept {
    for (std::size_t k = 0; k < tokens_.count; ++k) {
      const token& t = tokens_[k];
      if (t.tools != 0) {
        const float yes = scores_.role(k, token_role::call);
        consider(k, yes, log_not(yes));
      } else if (t.is_value()) {
        const float yes = scores_.role(k, token_role::new_call);
        // What else a value is gets its score when values are read.
        if (yes > -4.0F) consider(k, yes, log_not(yes));
      }
    }
  }

  void consider(std::size_t k, float yes, float no) noexcept {
    const bool call = yes > no;
    chosen_[k] = call;
    base_ += call ? yes : no;
    const float cost = call ? no - yes : yes - no;
    if (cost < -search_window) return;
    std::size_t i = flip_count_ < flip_limit ? flip_count_++ : flip_limit;
    if (i == flip_limit) {
      if (cost <= flips_[flip_limit - 1].cost) return;
      i = flip_limit - 1;
    }
    for (; i > 0 && flips_[i - 1].cost < cost; --i) flips_[i] = flips_[i - 1];
    flips_[i] = {cost, static_cast<std::uint8_t>(k)};
  }

  void build(std::uint32_t flips, float score, call_set_list& out) const noexcept {
    auto chosen = chosen_;
    for (std::size_t i = 0; i < flip_count_; ++i)
      if ((flips >> i & 1U) != 0) chosen[flips_[i].token] = !chosen[flips_[i].token];
    call_set s;
    s.score = score;
    std::uint8_t tool_of_last = no_token;
    std::uint8_t excluded = no_token;
    std::size_t total = 0;
    for (std::size_t k = 0; k < tokens_.count; ++k) {
      const token& t = tokens_[k];
      if (!chosen[k]) {
        if (t.tools != 0 && excluded == no_token) excluded = static_cast<std::uint8_t>(k);
        continue;
      }
      if (t.tools != 0) {
        tool_of_last = static_cast<std::uint8_t>(std::countr_zero(t.tools));
        if (std::popcount(t.tools) > 1 && !s.fault)
          s.fault = detail::fault{errc::ambiguous, static_cast<std::uint8_t>(k), 0xFF, 0xFF};
      } else if (tool_of_last == no_token) {
        return;  // a further call needs a tool that was named before
      }
      if (total < max_calls) {
        s.tokens[total] = static_cast<std::uint8_t>(k);
        s.tools[total] = tool_of_last;
      } else if (!s.fault) {
        s.fault = detail::fault{errc::too_many_calls, static_cast<std::uint8_t>(k), tool_of_last, 0xFF};
      }
      ++total;
    }
    s.excludes = excluded != no_token;
    if (total == 0) {
      s.fault = detail::fault{errc::no_call, excluded, 0xFF, 0xFF};
      if (s.excludes) s.fault->tool = static_cast<std::uint8_t>(std::countr_zero(tokens_[excluded].tools));
    }
    s.count = static_cast<std::uint8_t>(total < max_calls ? total : max_calls);
    out.add(s);
  }

  const token_list& tokens_;
  const token_scores& scores_;
  std::array<bool, max_tokens> chosen_{};
  std::array<flip, flip_limit> flips_{};
  std::size_t flip_count_ = 0;
  float base_ = 0;
};

}  // namespace detail
}  // namespace v0_1
}  // namespace codemode
