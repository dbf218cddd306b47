#pragma once

/// @file
/// What every kernel is told: one matrix product with its epilogue.

#include <cstddef>
#include <cstdint>

namespace codemode {
inline namespace v0_1 {
namespace detail {
namespace kernels {

using size_type = std::size_t;

/// What happens to a finished output.
enum class epilogue : std::uint8_t {
  plain,      ///< y = w x + b
  rectified,  ///< y = max(0, w x + b)
  residual    ///< y = scale (skip + max(0, w x + b))
};

/// y[t][o] = epilogue(b[o] + sum over taps k and inputs i of w[o][k][i] x[t + k * dilation][i]).
struct product_call {
  const float* x = nullptr;  ///< row of the first token's first tap
  size_type x_stride = 0;    ///< floats from row to row, also of `skip`
  size_type tokens = 0;
  size_type taps = 1;
  size_type dilation = 0;
  size_type inputs = 0;
  const float* weights = nullptr;  ///< [outputs / 16][taps][inputs][16]
  const float* bias = nullptr;
  size_type outputs = 0;           ///< a multiple of 16
  const float* skip = nullptr;     ///< rows that `residual` adds
  float* y = nullptr;
  size_type y_stride = 0;
  epilogue finish = epilogue::plain;
  float scale = 1;                 ///< of `residual`
};

}  // namespace kernels
}  // namespace detail
}  // namespace v0_1
}  // namespace codemode
