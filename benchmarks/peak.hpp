#pragma once

// The processor's peak, measured in the process that measures the kernels: on shared machines only ratios
// inside one run mean anything.

#include <codemode/network/kernels.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace bench {

namespace kernels = codemode::detail::kernels;
using kernels::instruction_set;

struct portable_peak {
  using vec = kernels::portable<kernels::build>::vec;
#include "peak.inl"
};

#if defined(CODEMODE_X86_DISPATCH)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif
struct avx2_peak {
  using vec = kernels::avx2<kernels::build>::vec;
#include "peak.inl"
};
#if defined(__clang__)
#pragma clang attribute pop
#pragma clang attribute push(__attribute__((target("avx512f"))), apply_to = function)
#else
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx512f")
#endif
struct avx512_peak {
  using vec = kernels::avx512<kernels::build>::vec;
#include "peak.inl"
};
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

/// Seconds that `f` takes.
template <class F>
double seconds(F&& f) {
  const auto begin = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// The best of many short runs: what disturbs a run makes it slower, never faster.
class peak_meter {
 public:
  explicit peak_meter(instruction_set set) : set_(set) {}

  void measure() {
    constexpr std::size_t rounds = 2400;  // some ten microseconds: long beside the clock, short beside a time slice
    volatile float factor = 0.999F;
    volatile float term = 0.0011F;
    std::size_t width = 0;
    const auto timed = [&]<class Peak>(Peak) {
      width = Peak::vec::width;
      return seconds([&] { sink_ = Peak::run(rounds, factor, term); });
    };
    double took = 0;
    switch (set_) {
#if defined(CODEMODE_X86_DISPATCH)
      case instruction_set::avx512: took = timed(avx512_peak{}); break;
      case instruction_set::avx2: took = timed(avx2_peak{}); break;
#endif
      default: took = timed(portable_peak{}); break;
    }
    best_ = (std::max)(best_, static_cast<double>(2 * rounds * portable_peak::chains * width) / took);
  }
  /// Floating-point operations per second.
  [[nodiscard]] double flops() const { return best_; }

 private:
  instruction_set set_;
  double best_ = 0;
  volatile float sink_ = 0;
};

}  // namespace bench
