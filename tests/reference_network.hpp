#pragma once

// Random weights of any shape, as a file of the library's format and as plain numbers, and the network computed
// from the numbers as its README defines it: loops over doubles that share nothing with the library's kernels,
// packing or buffers.

#include <codemode/network/network.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fixture {

/// Little-endian bytes of a weights file.
class weights_writer {
 public:
  void u32(std::uint32_t v) {
    for (unsigned i = 0; i < 32; i += 8) bytes_.push_back(static_cast<std::byte>(v >> i & 0xFFU));
  }
  void f32(float v) { u32(std::bit_cast<std::uint32_t>(v)); }
  void i8(int v) { bytes_.push_back(static_cast<std::byte>(static_cast<std::int8_t>(v))); }
  void text(std::string_view s) {
    for (const char c : s) bytes_.push_back(static_cast<std::byte>(c));
  }
  void size_and_text(std::string_view s) {
    bytes_.push_back(static_cast<std::byte>(s.size()));
    text(s);
  }
  /// Ends the file with its checksum.
  [[nodiscard]] std::vector<std::byte> sealed() {
    u32(codemode::detail::crc32(bytes_));
    return bytes_;
  }

 private:
  std::vector<std::byte> bytes_;
};

/// Replaces the checksum at the end by the right one.
inline void seal(std::vector<std::byte>& file) {
  const auto crc = codemode::detail::crc32(std::span(file).first(file.size() - 4));
  for (std::size_t i = 0; i < 4; ++i) file[file.size() - 4 + i] = static_cast<std::byte>(crc >> (8 * i) & 0xFFU);
}

/// A matrix [row][column] of rows that are int8 times a scale, and biases.
struct plain_layer {
  std::size_t rows = 0, columns = 0;
  std::vector<double> values, bias;
  [[nodiscard]] double at(std::size_t r, std::size_t c) const { return values[r * columns + c]; }
};

template <class Shape>
class reference_network {
 public:
  using row = std::vector<double>;

  explicit reference_network(unsigned seed, const std::vector<std::string>& words = {"and", "then", "with"})
      : rng_(seed) {
    using codemode::letter_rows;
    out_.text("CMWEIGHT");
    out_.u32(1);
    out_.u32(codemode::feature_set);
    for (const std::size_t v : {Shape::channels, Shape::word_dims, Shape::letter_dims, letter_rows, Shape::features,
                                Shape::roles, Shape::links, Shape::link_dims, Shape::reach, Shape::evidence_hidden,
                                Shape::evidence, Shape::layers})
      out_.u32(static_cast<std::uint32_t>(v));
    for (const auto d : Shape::dilations) out_.u32(static_cast<std::uint32_t>(d));
    out_.u32(static_cast<std::uint32_t>(words.size()));
    out_.u32(16);
    for (int i = 0; i < 16; ++i) out_.f32(0.5F);
    for (const auto& w : words) out_.size_and_text(w);
    emb_ = layer(words.size() + codemode::vocabulary::first_id, Shape::word_dims, 1, false);
    pre_ = layer(letter_rows, Shape::letter_dims, 1, false);
    suf_ = layer(letter_rows, Shape::letter_dims, 1, false);
    inp_ = layer(Shape::channels, Shape::inputs, 0.3, true);
    for (std::size_t l = 0; l < Shape::layers; ++l) conv_.push_back(layer(Shape::channels, 3 * Shape::channels, 0.1, true));
    heads_ = layer(Shape::heads, Shape::channels, 0.3, true);
    rel_ = floats(Shape::links * (2 * Shape::reach + 1));
    t1_ = layer(Shape::evidence_hidden, Shape::channels, 0.3, true);
    ev_ = layer(Shape::evidence, Shape::evidence_hidden, 0.3, true);
    pool_ = floats(Shape::evidence);
    file_ = out_.sealed();
  }

  [[nodiscard]] const std::vector<std::byte>& file() const { return file_; }

  /// Computes the heads' rows and the evidence of every token.
  void run(const codemode::network_input& in) {
    std::vector<row> x;
    for (std::size_t t = 0; t < in.tokens; ++t) {
      row r;
      append(r, emb_, in.words[t]);
      append(r, pre_, in.prefixes[t]);
      append(r, suf_, in.suffixes[t]);
      for (std::size_t f = 0; f < Shape::features; ++f)
        r.push_back(static_cast<double>(in.features[t * in.feature_stride + f]));
      x.push_back(rectified(product(inp_, r)));
    }
    for (std::size_t l = 0; l < Shape::layers; ++l) {
      const std::size_t d = Shape::dilations[l];
      std::vector<row> y;
      for (std::size_t t = 0; t < x.size(); ++t) {
        row taps;  // [tap][input], zeros beyond the ends
        for (std::size_t k = 0; k < 3; ++k) {
          const std::size_t at = t + k * d;
          const row& tap = at >= d && at - d < x.size() ? x[at - d] : row(Shape::channels, 0.0);
          taps.insert(taps.end(), tap.begin(), tap.end());
        }
        row z = rectified(product(conv_[l], taps));
        for (std::size_t c = 0; c < z.size(); ++c) z[c] = 0.8 * (x[t][c] + z[c]);
        y.push_back(std::move(z));
      }
      x = std::move(y);
    }
    heads.clear();
    evidence.clear();
    for (const auto& r : x) {
      heads.push_back(product(heads_, r));
      evidence.push_back(product(ev_, rectified(product(t1_, r))));
      for (auto& e : evidence.back()) e -= 4;
    }
  }

  [[nodiscard]] double pair(std::size_t l, std::size_t i, std::size_t j) const {
    constexpr auto reach = static_cast<long>(Shape::reach);
    double sum = 0;
    for (std::size_t d = 0; d < Shape::link_dims; ++d)
      sum += heads[i][Shape::roles + 1 + 2 * l * Shape::link_dims + d] *
             heads[j][Shape::roles + 1 + (2 * l + 1) * Shape::link_dims + d];
    const long distance = (std::min)((std::max)(static_cast<long>(j) - static_cast<long>(i), -reach), reach);
    return sum / std::sqrt(static_cast<double>(Shape::link_dims)) +
           rel_[l * (2 * Shape::reach + 1) + static_cast<std::size_t>(distance + reach)];
  }
  [[nodiscard]] double pooled(std::size_t n) const {
    double sum = 0;
    for (const auto& e : evidence) sum += std::exp(e[n]);
    return std::log(sum) + pool_[n];
  }

  std::vector<row> heads, evidence;

 private:
  [[nodiscard]] static row product(const plain_layer& m, const row& x) {
    row y = m.bias;
    for (std::size_t r = 0; r < m.rows; ++r)
      for (std::size_t c = 0; c < m.columns; ++c) y[r] += m.at(r, c) * x[c];
    return y;
  }
  [[nodiscard]] static row rectified(row y) {
    for (auto& v : y) v = (std::max)(v, 0.0);
    return y;
  }
  static void append(row& r, const plain_layer& table, std::size_t id) {
    if (id >= table.rows) id = codemode::vocabulary::unknown;
    for (std::size_t c = 0; c < table.columns; ++c) r.push_back(table.at(id, c));
  }

  /// Scales, int8 values and, where asked for, biases; about `size` large.
  plain_layer layer(std::size_t rows, std::size_t columns, double size, bool biased) {
    plain_layer m{rows, columns, {}, {}};
    std::vector<float> scales;
    for (std::size_t r = 0; r < rows; ++r) {
      scales.push_back(static_cast<float>(size * (0.5 + unit_(rng_)) / 127));
      out_.f32(scales.back());
    }
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < columns; ++c) {
        const int q = static_cast<int>(rng_() % 255) - 127;
        out_.i8(q);
        m.values.push_back(static_cast<double>(scales[r]) * q);
      }
    if (biased) m.bias = floats(rows);
    return m;
  }
  std::vector<double> floats(std::size_t n) {
    std::vector<double> v;
    for (std::size_t i = 0; i < n; ++i) {
      const auto f = static_cast<float>(unit_(rng_) - 0.5);
      out_.f32(f);
      v.push_back(static_cast<double>(f));
    }
    return v;
  }

  std::mt19937 rng_;
  std::uniform_real_distribution<double> unit_{0, 1};
  weights_writer out_;
  std::vector<std::byte> file_;
  plain_layer emb_, pre_, suf_, inp_, heads_, t1_, ev_;
  std::vector<plain_layer> conv_;
  std::vector<double> rel_, pool_;
};

/// A random input of the reference and the network.
struct random_tokens {
  random_tokens(std::size_t n, std::size_t words, unsigned seed) : features(n * stride) {
    std::mt19937 rng(seed);
    for (std::size_t t = 0; t < n; ++t) {
      ids[0].push_back(static_cast<std::uint16_t>(rng() % words));
      for (auto* letters : {&ids[1], &ids[2]})
        letters->push_back(static_cast<std::uint16_t>(rng() % codemode::letter_rows));
      for (std::size_t f = 0; f < codemode::feature_count; ++f)
        if (rng() % 5 == 0) features[t * stride + f] = static_cast<float>(rng() % 5) * 0.25F;
    }
  }
  [[nodiscard]] codemode::network_input view() const {
    return {ids[0].size(), ids[0].data(), ids[1].data(), ids[2].data(), features.data(), stride};
  }
  static constexpr std::size_t stride = codemode::feature_count + 3;
  std::vector<std::uint16_t> ids[3];
  std::vector<float> features;
};

}  // namespace fixture
