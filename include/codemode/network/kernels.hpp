#pragma once

/// @file
/// Chooses the kernel: AVX-512, AVX2 or what the build's flags give, by asking the processor.

#include <codemode/config.hpp>
#include <codemode/network/kernels/call.hpp>
#include <codemode/network/kernels/portable.hpp>
#include <codemode/network/kernels/scalar.hpp>
#include <codemode/network/kernels/x86.hpp>

#include <cstdint>
#include <string_view>

namespace codemode {
inline namespace v0_1 {
namespace detail {
namespace kernels {

/// Instruction sets that a kernel exists for.
enum class instruction_set : std::uint8_t {
  scalar,    ///< no vectors
  portable,  ///< what the build's flags name
  avx2,      ///< with FMA, chosen at run time
  avx512     ///< chosen at run time
};
/// `"scalar"`, `"portable"`, ...
[[nodiscard]] constexpr std::string_view to_string(instruction_set s) noexcept {
  return s == instruction_set::scalar     ? "scalar"
         : s == instruction_set::portable ? "portable"
         : s == instruction_set::avx2     ? "avx2"
                                          : "avx512";
}

using product_function = void (*)(const product_call&);

/// The kernel for `s`, or null where this build or this processor has none.
template <class Build = build>
[[nodiscard]] product_function product_for(instruction_set s) noexcept {
  switch (s) {
    case instruction_set::scalar:
      return &scalar<Build>::product;
    case instruction_set::portable:
#if !defined(XSIMD_NO_SUPPORTED_ARCHITECTURE)
      return &portable<Build>::product;
#else
      break;
#endif
    case instruction_set::avx2:
#if defined(CODEMODE_X86_DISPATCH)
      if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0) return &avx2<Build>::product;
#endif
      break;
    case instruction_set::avx512:
#if defined(CODEMODE_X86_DISPATCH)
      if (__builtin_cpu_supports("avx512f") != 0) return &avx512<Build>::product;
#endif
      break;
  }
  return nullptr;
}

/// The fastest kernel here.
template <class Build = build>
[[nodiscard]] product_function best_product() noexcept {
  for (const auto s : {instruction_set::avx512, instruction_set::avx2, instruction_set::portable})
    if (const auto f = product_for<Build>(s); f != nullptr) return f;
  return product_for<Build>(instruction_set::scalar);
}

}  // namespace kernels
}  // namespace detail
}  // namespace v0_1
}  // namespace codemode
