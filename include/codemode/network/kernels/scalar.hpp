#pragma once

/// @file
/// The kernel without vectors: the yardstick of the others, and what is left where xsimd has no batch.

#include <codemode/config.hpp>
#include <codemode/network/kernels/call.hpp>

namespace codemode {
inline namespace v0_1 {
namespace detail {
namespace kernels {

/// `Build` names the flags of the translation unit, so that differently built copies stay apart.
template <class Build>
struct scalar {
  struct vec {
    static constexpr size_type width = 1;
    float x;
    static CODEMODE_INLINE vec load(const float* p) { return {*p}; }
    static CODEMODE_INLINE void store(float* p, vec v) { *p = v.x; }
    static CODEMODE_INLINE vec broadcast(float x) { return {x}; }
    static CODEMODE_INLINE vec zero() { return {0}; }
    static CODEMODE_INLINE vec multiply_add(vec a, vec b, vec c) { return {a.x * b.x + c.x}; }
    static CODEMODE_INLINE vec multiply(vec a, vec b) { return {a.x * b.x}; }
    static CODEMODE_INLINE vec add(vec a, vec b) { return {a.x + b.x}; }
    static CODEMODE_INLINE vec maximum(vec a, vec b) { return a.x > b.x ? a : b; }
  };
  static constexpr size_type tile_tokens = 2;
  static constexpr size_type tile_vectors = 4;

#include <codemode/network/kernels/product.inl>
};

}  // namespace kernels
}  // namespace detail
}  // namespace v0_1
}  // namespace codemode
