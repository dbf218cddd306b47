#pragma once

/// @file
/// The network: token features through residual convolutions to the heads. Shapes and formulas are in
/// network/README.md. Work grows with the number of tokens; nothing is padded to `max_tokens`.

#include <codemode/network/kernels.hpp>
#include <codemode/network/shape.hpp>
#include <codemode/plan.hpp>
#include <codemode/weights.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

namespace codemode {
inline namespace v0_1 {

/// What the network reads: ids and feature rows of `tokens` tokens (at most `max_tokens`).
struct network_input {
  std::size_t tokens = 0;
  const std::uint16_t* words = nullptr;
  const std::uint16_t* prefixes = nullptr;
  const std::uint16_t* suffixes = nullptr;
  const float* features = nullptr;
  std::size_t feature_stride = 0;  ///< floats from row to row
};

/// Working memory of a network, aligned to 64 bytes; make it once and reuse it. `sizeof` is its size: 150 KiB
/// for `default_shape`.
///
/// Two buffers of activations, [token][channel] with rows of zeros at both ends, take turns; what a step no
/// longer needs is overwritten. The last convolution writes to `last` whatever the number of layers, so that
/// the heads, the largest result, can be written over all that `other` held:
///
///     last    features (lent)       activations ... activations of the last layer
///     other   input rows            activations ... hidden, then heads; evidence behind them
///
/// With an odd number of layers the first column is exchanged.
template <class Shape>
struct network_workspace {
  static constexpr std::size_t rows = max_tokens + 2 * Shape::margin();
  static constexpr std::size_t head_stride = Shape::padded(Shape::heads);
  static constexpr std::size_t hidden_stride = Shape::padded(Shape::evidence_hidden);
  static constexpr std::size_t evidence_stride = Shape::padded(Shape::evidence);
  static constexpr bool starts_in_last = Shape::layers % 2 == 0;

  static constexpr std::size_t evidence_at = max_tokens * (std::max)(head_stride, hidden_stride);
  static constexpr std::size_t input_size = max_tokens * Shape::inputs;
  static constexpr std::size_t feature_size = max_tokens * Shape::features;
  static constexpr std::size_t last_size =
      (std::max)(rows * Shape::channels, starts_in_last ? feature_size : input_size);
  static constexpr std::size_t other_size =
      (std::max)({rows * Shape::channels, evidence_at + max_tokens * evidence_stride,
                  starts_in_last ? input_size : feature_size});

  alignas(64) std::array<float, last_size> last;
  alignas(64) std::array<float, other_size> other;
  std::array<float, Shape::evidence> pooled;

  /// Memory for the features of an input; `run` reads them before it writes there.
  [[nodiscard]] std::span<float, feature_size> feature_rows() noexcept {
    return std::span<float, feature_size>{starts_in_last ? last.data() : other.data(), feature_size};
  }
};

/// What the network answers: views into its workspace, valid until the next run.
template <class Shape>
class network_output {
  using work = network_workspace<Shape>;

 public:
  network_output(const work& w, const detail::packed_weights<Shape>& p) noexcept
      : work_(&w), packed_(&p) {}

  /// Logit of role `r` of token `t`.
  [[nodiscard]] float role(std::size_t t, std::size_t r) const noexcept { return head(t)[r]; }
  /// Logit that value `t` belongs to no argument mention.
  [[nodiscard]] float none(std::size_t t) const noexcept { return head(t)[Shape::roles]; }
  /// Score of link `l` from token `i` to token `j`.
  [[nodiscard]] float pair(std::size_t l, std::size_t i, std::size_t j) const noexcept {
    const float* q = head(i) + Shape::roles + 1 + 2 * l * Shape::link_dims;
    const float* k = head(j) + Shape::roles + 1 + (2 * l + 1) * Shape::link_dims;
    float sum = 0;
    for (std::size_t d = 0; d < Shape::link_dims; ++d) sum += q[d] * k[d];
    constexpr auto reach = static_cast<std::ptrdiff_t>(Shape::reach);
    const auto distance = std::clamp(static_cast<std::ptrdiff_t>(j) - static_cast<std::ptrdiff_t>(i), -reach, reach);
    return sum * scale_ + packed_->relative[l][static_cast<std::size_t>(distance + reach)];
  }
  /// Evidence `n` of token `t`.
  [[nodiscard]] float evidence(std::size_t t, std::size_t n) const noexcept {
    return work_->other[work::evidence_at + t * work::evidence_stride + n] + Shape::evidence_bias;
  }
  /// Evidence `n` of all tokens: the logarithm of the sum of exponentials, plus a bias.
  [[nodiscard]] float pooled(std::size_t n) const noexcept { return work_->pooled[n]; }

 private:
  [[nodiscard]] const float* head(std::size_t t) const noexcept {
    return work_->other.data() + t * work::head_stride;
  }

  const work* work_;
  const detail::packed_weights<Shape>* packed_;
  float scale_ = 1.0F / std::sqrt(static_cast<float>(Shape::link_dims));
};

/// A network over weights that it borrows. Cheap to make; const and thread-safe, the workspace is the caller's.
template <class Shape>
class network {
 public:
  explicit network(const basic_weights<Shape>& w, detail::kernels::product_function product =
                                                      detail::kernels::best_product()) noexcept
      : weights_(&w), product_(product) {}

  /// Runs over at most `max_tokens` tokens; ids that the weights do not have read as unknown. Allocates
  /// nothing. The answer borrows `w` and the weights.
  network_output<Shape> run(const network_input& in, network_workspace<Shape>& w) const noexcept {
    const std::size_t n = in.tokens;
    const auto& p = weights_->packed();
    float* const input = work::starts_in_last ? w.other.data() : w.last.data();
    float* x = (work::starts_in_last ? w.last.data() : w.other.data()) + margin_size;
    float* y = input + margin_size;
    embed(in, input);
    multiply(p.input, input, Shape::inputs, n, x, Shape::channels, epilogue::rectified);
    for (float* rows : {x, y}) {
      std::fill_n(rows - margin_size, margin_size, 0.0F);
      std::fill_n(rows + n * Shape::channels, margin_size, 0.0F);
    }
    for (std::size_t l = 0; l < Shape::layers; ++l) {
      convolve(p.convolutions[l], Shape::dilations[l], x, n, y);
      std::swap(x, y);
    }
    float* const out = w.other.data();
    float* const evidence = out + work::evidence_at;
    multiply(p.hidden, x, Shape::channels, n, out, work::hidden_stride, epilogue::rectified);
    multiply(p.evidence, out, work::hidden_stride, n, evidence, work::evidence_stride, epilogue::plain);
    multiply(p.heads, x, Shape::channels, n, out, work::head_stride, epilogue::plain);
    pool(evidence, n, w.pooled);
    return {w, p};
  }

 private:
  using work = network_workspace<Shape>;
  using epilogue = detail::kernels::epilogue;
  static constexpr std::size_t margin_size = Shape::margin() * Shape::channels;

  /// Input rows: embeddings, then features.
  void embed(const network_input& in, float* row) const noexcept {
    for (std::size_t t = 0; t < in.tokens; ++t, row += Shape::inputs) {
      weights_->word_embedding(in.words[t], row);
      weights_->prefix_embedding(in.prefixes[t], row + Shape::word_dims);
      weights_->suffix_embedding(in.suffixes[t], row + Shape::word_dims + Shape::letter_dims);
      std::copy_n(in.features + t * in.feature_stride, Shape::features, row + Shape::word_dims + 2 * Shape::letter_dims);
    }
  }

  /// y = scale (x + max(0, convolution of x)); both have rows of zeros around them.
  template <class Layer>
  void convolve(const Layer& layer, std::size_t dilation, const float* x, std::size_t n, float* y) const noexcept {
    detail::kernels::product_call call;
    call.x = x - dilation * Shape::channels;
    call.x_stride = Shape::channels;
    call.tokens = n;
    call.taps = Layer::taps;
    call.dilation = dilation;
    call.inputs = Layer::inputs;
    call.weights = layer.weights.data();
    call.bias = layer.bias.data();
    call.outputs = Layer::padded;
    call.skip = x;
    call.y = y;
    call.y_stride = Shape::channels;
    call.finish = epilogue::residual;
    call.scale = Shape::residual_scale;
    product_(call);
  }

  template <class Layer>
  void multiply(const Layer& layer, const float* x, std::size_t x_stride, std::size_t n, float* y, std::size_t y_stride,
                epilogue finish) const noexcept {
    detail::kernels::product_call call;
    call.x = x;
    call.x_stride = x_stride;
    call.tokens = n;
    call.inputs = Layer::inputs;
    call.weights = layer.weights.data();
    call.bias = layer.bias.data();
    call.outputs = Layer::padded;
    call.y = y;
    call.y_stride = y_stride;
    call.finish = finish;
    product_(call);
  }

  /// Logarithms of the sums of exponentials over the tokens.
  void pool(const float* evidence, std::size_t n, std::array<float, Shape::evidence>& pooled) const noexcept {
    constexpr std::size_t stride = work::evidence_stride;
    for (std::size_t e = 0; e < Shape::evidence; ++e) {
      float most = -std::numeric_limits<float>::infinity();
      for (std::size_t t = 0; t < n; ++t) most = (std::max)(most, evidence[t * stride + e]);
      float sum = 0;
      for (std::size_t t = 0; t < n; ++t) sum += std::exp(evidence[t * stride + e] - most);
      pooled[e] = most + std::log(sum) + Shape::evidence_bias + weights_->packed().pool[e];
    }
  }

  const basic_weights<Shape>* weights_;
  detail::kernels::product_function product_;
};

}  // namespace v0_1
}  // namespace codemode
