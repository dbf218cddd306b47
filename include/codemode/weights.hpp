#pragma once

/// @file
/// Weights of a network: parsed from bytes, checked, unpacked for the kernels. The format is described in
/// network/README.md; files come from examples/train/export.py.

#include <codemode/frontend/features.hpp>
#include <codemode/frontend/vocabulary.hpp>
#include <codemode/network/shape.hpp>
#include <codemode/result.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace codemode {
inline namespace v0_1 {

/// Coefficients of the confidence that every weights file carries.
inline constexpr std::size_t calibration_count = 16;

namespace detail {

/// CRC-32 (ISO 3309, polynomial 0xEDB88320) of `bytes`.
[[nodiscard]] inline std::uint32_t crc32(std::span<const std::byte> bytes) noexcept {
  std::array<std::uint32_t, 256> table;
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t c = i;
    for (int k = 0; k < 8; ++k) c = (c & 1U) != 0 ? 0xEDB8'8320U ^ c >> 1U : c >> 1U;
    table[i] = c;
  }
  std::uint32_t crc = 0xFFFF'FFFFU;
  for (const auto b : bytes) crc = table[(crc ^ static_cast<std::uint32_t>(b)) & 0xFFU] ^ crc >> 8U;
  return ~crc;
}

/// Little-endian bytes, read in order; reading past the end is remembered and gives zeros.
class byte_reader {
 public:
  explicit byte_reader(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}

  [[nodiscard]] std::span<const std::byte> take(std::size_t n) noexcept {
    if (n > bytes_.size() - at_) {
      failed_ = true;
      at_ = bytes_.size();
      return {};
    }
    at_ += n;
    return bytes_.subspan(at_ - n, n);
  }
  [[nodiscard]] std::uint32_t u32() noexcept {
    const auto b = take(4);
    std::uint32_t x = 0;
    for (std::size_t i = b.size(); i-- > 0;) x = x << 8U | static_cast<std::uint32_t>(b[i]);
    return x;
  }
  [[nodiscard]] std::uint8_t u8() noexcept {
    const auto b = take(1);
    return b.empty() ? std::uint8_t{0} : static_cast<std::uint8_t>(b[0]);
  }
  [[nodiscard]] float f32() noexcept { return std::bit_cast<float>(u32()); }

  [[nodiscard]] bool failed() const noexcept { return failed_; }
  [[nodiscard]] std::size_t left() const noexcept { return bytes_.size() - at_; }

 private:
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

/// The matrices as the kernels want them: [block of 16 outputs][tap][input][16], outputs padded with zeros.
template <class Shape>
struct packed_weights {
  template <std::size_t Outputs, std::size_t Inputs, std::size_t Taps>
  struct layer {
    static constexpr std::size_t outputs = Outputs;
    static constexpr std::size_t padded = Shape::padded(Outputs);
    static constexpr std::size_t inputs = Inputs;
    static constexpr std::size_t taps = Taps;
    alignas(64) std::array<float, padded * Inputs * Taps> weights{};
    alignas(64) std::array<float, padded> bias{};
  };
  layer<Shape::channels, Shape::inputs, 1> input{};
  std::array<layer<Shape::channels, Shape::channels, 3>, Shape::layers> convolutions{};
  layer<Shape::heads, Shape::channels, 1> heads{};
  layer<Shape::evidence_hidden, Shape::channels, 1> hidden{};
  layer<Shape::evidence, Shape::evidence_hidden, 1> evidence{};
  std::array<std::array<float, 2 * Shape::reach + 1>, Shape::links> relative{};
  std::array<float, Shape::evidence> pool{};
};

}  // namespace detail

/// Weights of a network of `Shape`. Immutable once parsed; share one between any number of planners and
/// threads. Movable.
template <class Shape>
class basic_weights {
 public:
  using shape = Shape;
  static constexpr std::string_view magic = "CMWEIGHT";
  static constexpr std::uint32_t format_version = 1;

  /// Reads a weights file. `bytes` may go afterwards. Refuses with `bad_weights`, saying what is wrong:
  /// foreign, another version, another shape or feature set, truncated, damaged, or without calibration.
  [[nodiscard]] static result<basic_weights> parse(std::span<const std::byte> bytes) {
    basic_weights w;
    if (auto what = w.read(bytes); !what.empty()) {
      diagnostic d;
      d.code = errc::bad_weights;
      d.what = what;
      return d;
    }
    return w;
  }

  /// Weights of zeros: a planner over them refuses everything.
  basic_weights() : packed_(std::make_unique<detail::packed_weights<Shape>>()) {}

  [[nodiscard]] const vocabulary& words() const noexcept { return words_; }
  /// Coefficients of the confidence (`confidence_figure` in order, then zeros).
  [[nodiscard]] std::span<const float> calibration() const noexcept { return calibration_; }
  /// The matrices; for the network.
  [[nodiscard]] const detail::packed_weights<Shape>& packed() const noexcept { return *packed_; }

  /// Writes the embedding of word `id` to `out`; ids behind the vocabulary read as unknown.
  void word_embedding(std::uint16_t id, float* out) const noexcept { embed(word_table_, id, Shape::word_dims, out); }
  void prefix_embedding(std::uint16_t row, float* out) const noexcept {
    embed(prefix_table_, row, Shape::letter_dims, out);
  }
  void suffix_embedding(std::uint16_t row, float* out) const noexcept {
    embed(suffix_table_, row, Shape::letter_dims, out);
  }

 private:
  struct table {
    std::vector<float> scales;
    std::vector<std::int8_t> values;
  };


  static void embed(const table& t, std::size_t row, std::size_t dims, float* out) noexcept {
    if (row >= t.scales.size()) row = vocabulary::unknown;
    if (row >= t.scales.size()) {
      for (std::size_t i = 0; i < dims; ++i) out[i] = 0.0F;
      return;
    }
    const float scale = t.scales[row];
    for (std::size_t i = 0; i < dims; ++i) out[i] = scale * static_cast<float>(t.values[row * dims + i]);
  }

  [[nodiscard]] std::string_view read(std::span<const std::byte> bytes) {
    detail::byte_reader in(bytes);
    const auto head = in.take(magic.size());
    if (head.size() < magic.size()) return "the weights are truncated";
    if (std::memcmp(head.data(), magic.data(), magic.size()) != 0) return "these are no weights of codemode";
    if (in.u32() != format_version) return "the weights have another format version";
    if (bytes.size() < 64) return "the weights are truncated";
    // The checksum comes first, so that all that follows is what was written.
    if (detail::crc32(bytes.first(bytes.size() - 4)) != detail::byte_reader(bytes.last(4)).u32())
      return "the weights are damaged or truncated: their checksum is wrong";
    if (in.u32() != feature_set) return "the weights were trained on another set of features";
    const std::array<std::size_t, 11> sizes{Shape::channels, Shape::word_dims, Shape::letter_dims,     letter_rows,
                                            Shape::features, Shape::roles,     Shape::links,           Shape::link_dims,
                                            Shape::reach,    Shape::evidence_hidden, Shape::evidence};
    for (const auto n : sizes)
      if (in.u32() != n) return "the weights have another shape";
    if (in.u32() != Shape::layers) return "the weights have another shape";
    for (const auto d : Shape::dilations)
      if (in.u32() != d) return "the weights have another shape";
    const std::uint32_t words = in.u32();
    const std::uint32_t coefficients = in.u32();
    if (coefficients != calibration_count) return "the weights are not calibrated";
    bool calibrated = false;
    for (auto& c : calibration_) {
      c = in.f32();
      if (!std::isfinite(c)) return "the weights hold a number that is not finite";
      calibrated = calibrated || c != 0.0F;
    }
    if (!calibrated) return "the weights are not calibrated";
    if (words > 60000) return "the vocabulary is too large";
    for (std::uint32_t i = 0; i < words && !in.failed(); ++i) {
      const auto b = in.take(in.u8());
      words_.add({reinterpret_cast<const char*>(b.data()), b.size()});
    }
    words_.build();
    read_table(in, words + vocabulary::first_id, Shape::word_dims, word_table_);
    read_table(in, letter_rows, Shape::letter_dims, prefix_table_);
    read_table(in, letter_rows, Shape::letter_dims, suffix_table_);
    read_layer(in, packed_->input);
    for (auto& c : packed_->convolutions) read_layer(in, c);
    read_layer(in, packed_->heads);
    for (auto& r : packed_->relative)
      for (auto& x : r) x = finite(in.f32());
    read_layer(in, packed_->hidden);
    read_layer(in, packed_->evidence);
    for (auto& x : packed_->pool) x = finite(in.f32());
    if (in.failed() || in.left() < 4) return "the weights are truncated";
    if (in.left() > 4) return "the weights have bytes to spare";
    if (!finite_) return "the weights hold a number that is not finite";
    return {};
  }

  float finite(float x) noexcept {
    finite_ = finite_ && std::isfinite(x);
    return x;
  }

  void read_table(detail::byte_reader& in, std::size_t rows, std::size_t dims, table& t) {
    if (in.left() < rows * (4 + dims)) {
      static_cast<void>(in.take(in.left() + 1));
      return;
    }
    t.scales.resize(rows);
    for (auto& s : t.scales) s = finite(in.f32());
    t.values.resize(rows * dims);
    const auto b = in.take(rows * dims);
    for (std::size_t i = 0; i < b.size(); ++i) t.values[i] = static_cast<std::int8_t>(b[i]);
  }

  /// Rows of [tap][input] int8 with a scale each, then the biases.
  template <class Layer>
  void read_layer(detail::byte_reader& in, Layer& layer) {
    constexpr std::size_t columns = Layer::taps * Layer::inputs;
    if (in.left() < Layer::outputs * (8 + columns)) {
      static_cast<void>(in.take(in.left() + 1));
      return;
    }
    std::array<float, Layer::outputs> scales;
    for (auto& s : scales) s = finite(in.f32());
    for (std::size_t o = 0; o < Layer::outputs; ++o) {
      const auto row = in.take(columns);
      float* to = layer.weights.data() + o / Shape::block * (columns * Shape::block) + o % Shape::block;
      for (std::size_t c = 0; c < columns; ++c)
        to[c * Shape::block] = scales[o] * static_cast<float>(static_cast<std::int8_t>(row[c]));
    }
    for (std::size_t o = 0; o < Layer::outputs; ++o) layer.bias[o] = finite(in.f32());
  }

  vocabulary words_;
  std::array<float, calibration_count> calibration_{};
  table word_table_, prefix_table_, suffix_table_;
  std::unique_ptr<detail::packed_weights<Shape>> packed_;
  bool finite_ = true;
};

/// Weights of the shape that ships with the library.
using weights = basic_weights<default_shape>;

}  // namespace v0_1
}  // namespace codemode
