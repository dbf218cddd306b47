#pragma once

/// @file
/// SHA-256 (FIPS 180-4), for schema hashes and cache keys. Not for secrets: it takes no care of timing.

#include <codemode/config.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace codemode {
inline namespace v0_1 {
namespace contract {
namespace detail {

using sha256_digest = std::array<std::uint8_t, 32>;

/// Takes text piece by piece (a text sink) and gives its digest.
class sha256 {
 public:
  constexpr void append(std::string_view piece) noexcept {
    for (const char c : piece) {
      block_[used_++] = static_cast<std::uint8_t>(c);
      if (used_ == block_.size()) compress();
    }
    size_ += piece.size();
  }

  [[nodiscard]] constexpr sha256_digest finish() noexcept {
    const std::uint64_t bits = size_ * 8;
    append(std::string_view{"\x80", 1});
    while (used_ != 56) append(std::string_view{"\0", 1});
    for (int shift = 56; shift >= 0; shift -= 8) {
      const char byte = static_cast<char>(static_cast<std::uint8_t>(bits >> shift));
      append(std::string_view{&byte, 1});
    }
    sha256_digest digest{};
    for (std::size_t i = 0; i < 32; ++i)
      digest[i] = static_cast<std::uint8_t>(state_[i / 4] >> (24 - 8 * (i % 4)));
    return digest;
  }

 private:
  static constexpr std::array<std::uint32_t, 64> k{
      0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
      0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
      0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
      0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
      0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
      0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
      0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
      0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

  [[nodiscard]] static constexpr std::uint32_t rotate(std::uint32_t x, unsigned n) noexcept {
    return (x >> n) | (x << (32U - n));
  }

  constexpr void compress() noexcept {
    std::array<std::uint32_t, 64> w{};
    for (std::size_t i = 0; i < 16; ++i)
      w[i] = static_cast<std::uint32_t>(block_[4 * i]) << 24U | static_cast<std::uint32_t>(block_[4 * i + 1]) << 16U |
             static_cast<std::uint32_t>(block_[4 * i + 2]) << 8U | block_[4 * i + 3];
    for (std::size_t i = 16; i < 64; ++i) {
      const std::uint32_t a = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ (w[i - 15] >> 3U);
      const std::uint32_t b = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ (w[i - 2] >> 10U);
      w[i] = w[i - 16] + a + w[i - 7] + b;
    }
    std::array<std::uint32_t, 8> s = state_;
    for (std::size_t i = 0; i < 64; ++i) {
      const std::uint32_t choose = (s[4] & s[5]) ^ (~s[4] & s[6]);
      const std::uint32_t t1 =
          s[7] + (rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25)) + choose + k[i] + w[i];
      const std::uint32_t most = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
      const std::uint32_t t2 = (rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22)) + most;
      s = {t1 + t2, s[0], s[1], s[2], s[3] + t1, s[4], s[5], s[6]};
    }
    for (std::size_t i = 0; i < 8; ++i) state_[i] += s[i];
    used_ = 0;
  }

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, 64> block_{};
  std::size_t used_ = 0;
  std::uint64_t size_ = 0;
};

/// The digest in lower-case hexadecimal.
[[nodiscard]] inline std::string hex(const sha256_digest& digest) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string s;
  s.reserve(64);
  for (const std::uint8_t b : digest) {
    s += digits[b >> 4U];
    s += digits[b & 15U];
  }
  return s;
}

}  // namespace detail
}  // namespace contract
}  // namespace v0_1
}  // namespace codemode
