#pragma once

/// @file
/// The kernel over xsimd's batch for the build's own flags: every processor that xsimd knows. Whatever
/// depends on the instruction set carries it in its type, so that objects built with different flags can be
/// linked.

#include <codemode/config.hpp>
#include <codemode/network/kernels/call.hpp>
#include <codemode/network/kernels/scalar.hpp>

#include <cstring>

#include <xsimd/xsimd.hpp>

namespace codemode {
inline namespace v0_1 {
namespace detail {
namespace kernels {

#if !defined(XSIMD_NO_SUPPORTED_ARCHITECTURE)

/// Kernel for architecture `Arch` of xsimd.
template <class Arch>
struct portable {
  struct vec {
    using batch = xsimd::batch<float, Arch>;
    static constexpr size_type width = batch::size;
    batch x;
    static CODEMODE_INLINE vec load(const float* p) { return {batch::load_unaligned(p)}; }
    static CODEMODE_INLINE void store(float* p, vec v) { v.x.store_unaligned(p); }
    static CODEMODE_INLINE vec broadcast(float f) { return {batch(f)}; }
    static CODEMODE_INLINE vec zero() { return {batch(0.0F)}; }
    static CODEMODE_INLINE vec multiply_add(vec a, vec b, vec c) { return {xsimd::fma(a.x, b.x, c.x)}; }
    static CODEMODE_INLINE vec multiply(vec a, vec b) { return {a.x * b.x}; }
    static CODEMODE_INLINE vec add(vec a, vec b) { return {a.x + b.x}; }
    static CODEMODE_INLINE vec maximum(vec a, vec b) { return {xsimd::max(a.x, b.x)}; }
  };
  static constexpr size_type tile_tokens = vec::width >= 16 ? 8 : vec::width >= 8 ? 4 : 2;
  static constexpr size_type tile_vectors = vec::width >= 8 ? 2 : 4;

#include <codemode/network/kernels/product.inl>
};

#endif

}  // namespace kernels
}  // namespace detail
}  // namespace v0_1
}  // namespace codemode
