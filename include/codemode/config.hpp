#pragma once

/// @file
/// Version of the library and every macro that it reads or sets.
///
/// | macro | default | meaning |
/// | --- | --- | --- |
/// | `CODEMODE_VERSION_MAJOR/MINOR/PATCH` | set here | version of these headers |
/// | `CODEMODE_NO_DISPATCH` | not defined | leave out the AVX2/AVX-512 kernels that are chosen at run time |

#define CODEMODE_VERSION_MAJOR 0
#define CODEMODE_VERSION_MINOR 1
#define CODEMODE_VERSION_PATCH 0
#define CODEMODE_VERSION_STRING "0.1.0"

/// Everything lives in `codemode`; the inline namespace keeps two versions in one program apart.
namespace codemode {
inline namespace v0_1 {}
}  // namespace codemode

/// Inlines a kernel into its instruction set's region, and unrolls its register tiles. Not for users.
#if defined(__clang__)
#define CODEMODE_INLINE inline __attribute__((always_inline))
#define CODEMODE_UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define CODEMODE_INLINE inline __attribute__((always_inline))
#define CODEMODE_UNROLL _Pragma("GCC unroll 16")
#else
#define CODEMODE_INLINE inline
#define CODEMODE_UNROLL
#endif
