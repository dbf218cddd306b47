#pragma once

/// @file
/// The weights that ship with the library, unpacked on first use.

#include <codemode/network/default_weights_data.hpp>
#include <codemode/weights.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace detail {

/// Bytes of text in base 85, five characters for four bytes, most significant first (ZeroMQ RFC 32).
[[nodiscard]] inline std::vector<std::byte> decode_base85(std::span<const weights_text> pieces, std::size_t size) {
  constexpr std::string_view alphabet =
      "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";
  std::array<std::uint8_t, 256> digit{};
  for (std::size_t i = 0; i < alphabet.size(); ++i)
    digit[static_cast<unsigned char>(alphabet[i])] = static_cast<std::uint8_t>(i);
  std::vector<std::byte> out;
  out.reserve(size + 4);
  for (const auto piece : pieces)
    for (std::size_t i = 0; i + 5 <= piece.size; i += 5) {
      std::uint32_t v = 0;
      for (std::size_t k = 0; k < 5; ++k) v = v * 85 + digit[static_cast<unsigned char>(piece.characters[i + k])];
      for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<std::byte>(v >> shift & 0xFFU));
    }
  out.resize(size);
  return out;
}

}  // namespace detail

/// The weights that ship with the library. Unpacked once, on first use, by whichever thread comes first;
/// const afterwards and shared by all planners.
[[nodiscard]] inline const weights& default_weights() {
  // The embedded bytes are checked by a test; should someone damage them, the planner refuses everything.
  static const weights w =
      weights::parse(detail::decode_base85(detail::default_weights_text, detail::default_weights_size))
          .value_or(weights{});
  return w;
}

}  // namespace v0_1
}  // namespace codemode
