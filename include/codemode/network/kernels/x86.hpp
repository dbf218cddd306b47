#pragma once

/// @file
/// Kernels for AVX2 and AVX-512 in builds without such flags: the same text compiled inside target regions,
/// over the compiler's vector types, chosen at run time (kernels.hpp).
///
/// xsimd 8.1 cannot choose at run time in one file (a target region around its include has no effect), and it
/// has no multiply-add for AVX-512, so the vector types are our own here. A region adds its instruction set to
/// the build's own; `Build` names that, so that copies from differently built files stay apart.

#include <codemode/config.hpp>
#include <codemode/network/kernels/call.hpp>

#if !defined(CODEMODE_NO_DISPATCH) && (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
#define CODEMODE_X86_DISPATCH 1

#include <immintrin.h>  // before the regions: a standard header inside one would be compiled for its target

namespace codemode {
inline namespace v0_1 {
namespace detail {
namespace kernels {

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif

/// 16 registers of 8 floats: 12 sums, a column of two vectors, an input.
template <class Build>
struct avx2 {
  struct vec {
    static constexpr size_type width = 8;
    __m256 x;
    static CODEMODE_INLINE vec load(const float* p) { return {_mm256_loadu_ps(p)}; }
    static CODEMODE_INLINE void store(float* p, vec v) { _mm256_storeu_ps(p, v.x); }
    static CODEMODE_INLINE vec broadcast(float f) { return {_mm256_set1_ps(f)}; }
    static CODEMODE_INLINE vec zero() { return {_mm256_setzero_ps()}; }
    static CODEMODE_INLINE vec multiply_add(vec a, vec b, vec c) { return {_mm256_fmadd_ps(a.x, b.x, c.x)}; }
    static CODEMODE_INLINE vec multiply(vec a, vec b) { return {_mm256_mul_ps(a.x, b.x)}; }
    static CODEMODE_INLINE vec add(vec a, vec b) { return {_mm256_add_ps(a.x, b.x)}; }
    static CODEMODE_INLINE vec maximum(vec a, vec b) { return {_mm256_max_ps(a.x, b.x)}; }
  };
  static constexpr size_type tile_tokens = 6;
  static constexpr size_type tile_vectors = 2;

#include <codemode/network/kernels/product.inl>
};

#if defined(__clang__)
#pragma clang attribute pop
#pragma clang attribute push(__attribute__((target("avx512f"))), apply_to = function)
#else
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx512f")
#endif

/// 32 registers of 16 floats: 24 sums, a column of two vectors, inputs.
template <class Build>
struct avx512 {
  struct vec {
    static constexpr size_type width = 16;
    __m512 x;
    static CODEMODE_INLINE vec load(const float* p) { return {_mm512_loadu_ps(p)}; }
    static CODEMODE_INLINE void store(float* p, vec v) { _mm512_storeu_ps(p, v.x); }
    static CODEMODE_INLINE vec broadcast(float f) { return {_mm512_set1_ps(f)}; }
    static CODEMODE_INLINE vec zero() { return {_mm512_setzero_ps()}; }
    static CODEMODE_INLINE vec multiply_add(vec a, vec b, vec c) { return {_mm512_fmadd_ps(a.x, b.x, c.x)}; }
    static CODEMODE_INLINE vec multiply(vec a, vec b) { return {_mm512_mul_ps(a.x, b.x)}; }
    static CODEMODE_INLINE vec add(vec a, vec b) { return {_mm512_add_ps(a.x, b.x)}; }
    // The masked form: g++ 12 warns of the unmasked one, whose header passes an undefined register.
    static CODEMODE_INLINE vec maximum(vec a, vec b) { return {_mm512_mask_max_ps(a.x, 0xFFFF, a.x, b.x)}; }
  };
  static constexpr size_type tile_tokens = 12;
  static constexpr size_type tile_vectors = 2;

#include <codemode/network/kernels/product.inl>
};

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

}  // namespace kernels
}  // namespace detail
}  // namespace v0_1
}  // namespace codemode

#endif
