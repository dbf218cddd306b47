#pragma once

/// @file
/// Kernels for AVX2 and AVX-512 in builds without such flags: the same text compiled inside target regions,
/// over the compiler's vector types, chosen at run time (kernels.hpp). xsimd 8.1 cannot choose at run time in
/// one file and has no multiply-add for AVX-512, so the vector type is our own here.

#include <codemode/config.hpp>
#include <codemode/network/kernels/call.hpp>

#if !defined(CODEMODE_NO_DISPATCH) && (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
#define CODEMODE_X86_DISPATCH 1

#include <immintrin.h>

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
namespace avx2 {

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
inline constexpr size_type tile_tokens = 4;
inline constexpr size_type tile_vectors = 2;

#include <codemode/network/kernels/product.inl>

}  // namespace avx2
#if defined(__clang__)
#pragma clang attribute pop
#pragma clang attribute push(__attribute__((target("avx512f"))), apply_to = function)
#else
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx512f")
#endif
namespace avx512 {

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
inline constexpr size_type tile_tokens = 8;
inline constexpr size_type tile_vectors = 2;

#include <codemode/network/kernels/product.inl>

}  // namespace avx512
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
