#pragma once

/// @file
/// Sizes of a network, fixed at compile time.

#include <codemode/frontend/features.hpp>
#include <codemode/fwd.hpp>
#include <codemode/network/heads.hpp>

#include <array>
#include <cstddef>

namespace codemode {
inline namespace v0_1 {

/// A network of `Channels` channels (a multiple of 16) with one residual convolution for each dilation.
template <std::size_t Channels, std::size_t... Dilations>
struct network_shape {
  static constexpr std::size_t channels = Channels;
  static constexpr std::size_t layers = sizeof...(Dilations);
  static constexpr std::array<std::size_t, layers> dilations{Dilations...};

  static constexpr std::size_t word_dims = 32;     ///< size of a word's embedding
  static constexpr std::size_t letter_dims = 12;   ///< of the first and of the last letters
  static constexpr std::size_t features = feature_count;
  static constexpr std::size_t inputs = word_dims + 2 * letter_dims + features;
  static constexpr std::size_t roles = role_count;
  static constexpr std::size_t links = 3;          ///< value to argument, value to call, call before call
  static constexpr std::size_t link_dims = 24;
  static constexpr std::size_t reach = 24;         ///< relative distances are clamped to this
  static constexpr std::size_t heads = roles + 1 + 2 * link_dims * links;
  static constexpr std::size_t evidence_hidden = 48;
  static constexpr std::size_t evidence = 24;
  static constexpr float residual_scale = 0.8F;
  static constexpr float evidence_bias = -4.0F;

  /// Outputs are computed in blocks of that many.
  static constexpr std::size_t block = 16;
  [[nodiscard]] static constexpr std::size_t padded(std::size_t n) noexcept { return (n + block - 1) / block * block; }
  /// Rows of zeros that a convolution needs before and behind the tokens.
  [[nodiscard]] static constexpr std::size_t margin() noexcept {
    std::size_t most = 0;
    for (const auto d : dilations) most = d > most ? d : most;
    return most;
  }

  static_assert(Channels % block == 0 && Channels >= 16 && Channels <= 256 && layers >= 1 && layers <= 16);
};

}  // namespace v0_1
}  // namespace codemode
