#pragma once

/// @file
/// The kernel over xsimd's batch: for the instruction set of the build's own flags, on every processor that
/// xsimd knows. xsimd 8.1 has no batch at all for some (WebAssembly, RISC-V); then there is no such kernel.

#include <codemode/config.hpp>
#include <codemode/network/kernels/call.hpp>

#include <cstring>  // xsimd 8.1 uses it without including it

#include <xsimd/xsimd.hpp>

namespace codemode {
inline namespace v0_1 {
namespace detail {
namespace kernels {

#if defined(XSIMD_NO_SUPPORTED_ARCHITECTURE)
struct unknown_architecture {};
using build = unknown_architecture;
#else
/// The build's own instruction set. It is a parameter of every kernel's type: a function whose code depends
/// on flags but whose name does not would leave one copy in a program that is built with two sets of flags,
/// and the order of linking would decide which.
using build = xsimd::default_arch;

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
    static CODEMODE_INLINE vec multiply_add(vec a, vec b, vec c) {
#if XSIMD_WITH_AVX512F
      // xsimd 8.1 has no multiply-add for AVX-512, and clang does not fuse what it has instead.
      if constexpr (width == 16) return {batch(_mm512_fmadd_ps(a.x, b.x, c.x))};
#endif
      return {xsimd::fma(a.x, b.x, c.x)};
    }
    static CODEMODE_INLINE vec multiply(vec a, vec b) { return {a.x * b.x}; }
    static CODEMODE_INLINE vec add(vec a, vec b) { return {a.x + b.x}; }
    // Not xsimd::max: g++ 12 warns of its AVX-512 form, whose header passes an undefined register.
    static CODEMODE_INLINE vec maximum(vec a, vec b) { return {xsimd::select(a.x > b.x, a.x, b.x)}; }
  };
  // As many sums as the registers hold beside a column of weights and one input: 32 of 16 floats, 16 of 8 or
  // of 4. The last need room for a product too, as SSE has no multiply-add.
  static constexpr size_type tile_tokens = vec::width >= 16 ? 12 : vec::width >= 8 ? 6 : 2;
  static constexpr size_type tile_vectors = vec::width >= 8 ? 2 : 4;

#include <codemode/network/kernels/product.inl>
};
#endif

}  // namespace kernels
}  // namespace detail
}  // namespace v0_1
}  // namespace codemode
