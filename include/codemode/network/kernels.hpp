#pragma once

/// @file
/// Chooses the kernel: AVX-512, AVX2 or what the build's flags give, once per network, by asking the processor.

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
enum class instruction_set : std::uint8_t { scalar, portable, avx2, avx512 };
[[nodiscard]] constexpr std::string_view to_string(instruction_set s) noexcept {
  return s == instruction_set::scalar     ? "scalar"
         : s == instruction_set::portable ? "portable"
         : s == instruction_set::avx2     ? "avx2"
                                          : "avx512";
}

using product_function = void (*)(const product_call&);

/// The kernel for `s`, or null where this build or processor has none.
[[nodiscard]] inline product_function product_for(instruction_set s) noexcept {
  switch (s) {
    case instruction_set::scalar: return &scalar::product::run;
    case instruction_set::portable:
#if !defined(XSIMD_NO_SUPPORTED_ARCHITECTURE)
      return &portable<xsimd::default_arch>::product::run;
#else
      return nullptr;
#endif
#if defined(CODEMODE_X86_DISPATCH)
    case instruction_set::avx2:
      return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 ? &avx2::product::run : nullptr;
    case instruction_set::avx512: return __builtin_cpu_supports("avx512f") != 0 ? &avx512::product::run : nullptr;
#else
    case instruction_set::avx2:
    case instruction_set::avx512: return nullptr;
#endif
  }
  return nullptr;
}

/// The fastest kernel here.
[[nodiscard]] inline product_function best_product() noexcept {
  for (const auto s : {instruction_set::avx512, instruction_set::avx2, instruction_set::portable})
    if (const auto f = product_for(s); f != nullptr) return f;
  return &scalar::product::run;
}

}  // namespace kernels
}  // namespace detail
}  // namespace v0_1
}  // namespace codemode
