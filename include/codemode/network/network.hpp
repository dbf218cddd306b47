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

/// Working memory of a network, aligned to 64 bytes; make it once and reuse it.
template <class Shape>
struct network_workspace {
  static constexpr std::size_t rows = max_tokens + 2 * Shape::margin();
  static constexpr std::size_t head_stride = Shape::padded(Shape::heads);
  static constexpr std::size_t evidence_stride = Shape::padded(Shape::evidence);
  // Two activation buffers with rows of zeros at both ends. The heads are written where the input rows were,
  // and features may stand where the second buffer will be.
  alignas(64) std::array<float, rows * Shape::channels> even;
  alignas(64) std::array<float, rows * Shape::channels> odd;
  alignas(64) std::array<float, max_tokens * head_stride> wide;
  alignas(64) std::array<float, max_tokens * evidence_stride> evidence;
  std::array<float, Shape::evidence> pooled;

  /// Memory for the features of an input; `run` reads them before it needs it.
  [[nodiscard]] std::span<float, max_tokens * Shape::features> feature_rows() noexcept {
    if constexpr (rows * Shape::channels >= max_tokens * Shape::features)
      return std::span<float, max_tokens * Shape::features>{odd.data(), max_tokens * Shape::features};
    else
      return std::span<float, max_tokens * Shape::features>{feature_memory.data(), max_tokens * Shape::features};
  }

 private:
  static constexpr bool narrow = rows * Shape::channels < max_tokens * Shape::features;
  alignas(64) std::array<float, narrow ? max_tokens * Shape::features : 1> feature_memory;
};

/// What the network answers: views into its workspace, valid until the next run.
template <class Shape>
class network_output {
 public:
  network_output(const network_workspace<Shape>& w, const detail::packed_weights<Shape>& p) noexcept
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
    return work_->evidence[t * network_workspace<Shape>::evidence_stride + n] + Shape::evidence_bias;
  }
  /// Evidence `n` of all tokens: the logarithm of the sum of exponentials, plus a bias.
  [[nodiscard]] float pooled(std::size_t n) const noexcept { return work_->pooled[n]; }

 private:
  [[nodiscard]] const float* head(std::size_t t) const noexcept {
    return work_->wide.data() + t * network_workspace<Shape>::head_stride;
  }

  const network_workspace<Shape>* work_;
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

  /// Runs over 1 to `max_tokens` tokens. Allocates nothing.
  network_output<Shape> run(const network_input& in, network_workspace<Shape>& w) const noexcept {
    const std::size_t n = in.tokens;
    const auto& p = weights_->packed();
    embed(in, w);
    constexpr std::size_t c = Shape::channels;
    constexpr std::size_t margin = Shape::margin();
    for (auto* buffer : {&w.even, &w.odd}) {
      std::fill_n(buffer->begin(), static_cast<std::ptrdiff_t>(margin * c), 0.0F);
      std::fill_n(buffer->begin() + static_cast<std::ptrdiff_t>((margin + n) * c),
                  static_cast<std::ptrdiff_t>(margin * c), 0.0F);
    }
    float* x = w.even.data() + margin * c;
    float* y = w.odd.data() + margin * c;
    multiply(p.input, w.wide.data(), Shape::inputs, n, x, c, epilogue::rectified);
    for (std::size_t l = 0; l < Shape::layers; ++l) {
      detail::kernels::product_call call;
      call.x = x - Shape::dilations[l] * c;
      call.x_stride = c;
      call.tokens = n;
      call.taps = 3;
      call.dilation = Shape::dilations[l];
      call.inputs = c;
      call.weights = p.convolutions[l].weights.data();
      call.bias = p.convolutions[l].bias.data();
      call.outputs = c;
      call.skip = x;
      call.y = y;
      call.y_stride = c;
      call.finish = epilogue::residual;
      product_(call);
      std::swap(x, y);
    }
    using work = network_workspace<Shape>;
    multiply(p.heads, x, c, n, w.wide.data(), work::head_stride, epilogue::plain);
    multiply(p.hidden, x, c, n, y, c, epilogue::rectified);
    multiply(p.evidence, y, c, n, w.evidence.data(), work::evidence_stride, epilogue::plain);
    pool(w, n);
    return {w, p};
  }

 private:
  using epilogue = detail::kernels::epilogue;
  static_assert(Shape::inputs <= network_workspace<Shape>::head_stride, "input rows share the heads' memory");
  static_assert(Shape::padded(Shape::evidence_hidden) <= Shape::channels);

  /// Input rows: embeddings, then features.
  void embed(const network_input& in, network_workspace<Shape>& w) const noexcept {
    for (std::size_t t = 0; t < in.tokens; ++t) {
      float* row = w.wide.data() + t * Shape::inputs;
      weights_->word_embedding(in.words[t], row);
      weights_->prefix_embedding(in.prefixes[t], row + Shape::word_dims);
      weights_->suffix_embedding(in.suffixes[t], row + Shape::word_dims + Shape::letter_dims);
      std::copy_n(in.features + t * in.feature_stride, Shape::features, row + Shape::word_dims + 2 * Shape::letter_dims);
    }
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
    call.skip = x;
    call.y = y;
    call.y_stride = y_stride;
    call.finish = finish;
    product_(call);
  }

  void pool(network_workspace<Shape>& w, std::size_t n) const noexcept {
    constexpr std::size_t stride = network_workspace<Shape>::evidence_stride;
    for (std::size_t e = 0; e < Shape::evidence; ++e) {
      float most = w.evidence[e];
      for (std::size_t t = 1; t < n; ++t) most = (std::max)(most, w.evidence[t * stride + e]);
      float sum = 0;
      for (std::size_t t = 0; t < n; ++t) sum += std::exp(w.evidence[t * stride + e] - most);
      w.pooled[e] = most + std::log(sum) + Shape::evidence_bias + weights_->packed().pool[e];
    }
  }

  const basic_weights<Shape>* weights_;
  detail::kernels::product_function product_;
};

}  // namespace v0_1
}  // namespace codemode
