// Units with other flags in one program: each keeps the kernel of its own flags, whatever the order of linking,
// and all answer the same. (Without the kernels' names that tell flags apart the linker keeps one of two functions
// with one name: a plain unit would meet AVX-512, or a fast one would get the slow kernel.)

#include "unit.hpp"

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <iterator>
#include <string>
#include <vector>

namespace odr {
report plain();
report avx2();
#if defined(ODR_AVX512)
report avx512();
#endif
}  // namespace odr

namespace {

int failures = 0;

void check(bool holds, const char* what) {
  if (holds) return;
  std::printf("failed: %s\n", what);
  ++failures;
}

bool close(const std::vector<float>& a, const std::vector<float>& b) {
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i)
    if (!(std::fabs(a[i] - b[i]) < 1e-4F)) return false;
  return a.size() == b.size() && !a.empty();
}

}  // namespace

int main() {
#if defined(ODR_AVX512)
  const bool runs = __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("fma") != 0;
#else
  const bool runs = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
#endif
  if (!runs) {
    std::puts("skipped: this processor cannot run the fast unit");
    return 77;
  }
  const odr::report units[] = {
      odr::plain(),
      odr::avx2(),
#if defined(ODR_AVX512)
      odr::avx512(),
#endif
  };
  check(units[0].width == ODR_PLAIN_WIDTH, "the plain unit has vectors of the build's flags");
  check(units[1].width >= 8, "the AVX2 unit has vectors of 8 floats");
#if defined(ODR_AVX512)
  check(units[2].width == 16, "the AVX-512 unit has vectors of 16 floats");
#endif
  check(units[0].answers.find("missing_argument") != std::string::npos, "the third request is refused");
  check(units[0].answers.find("ring_bell") != std::string::npos, "the second request is planned");
  for (std::size_t i = 1; i < std::size(units); ++i) {
    check(units[i].answers == units[0].answers, "all units answer the same");
    check(units[i].best == units[0].best, "all units choose the same kernel");
    check(close(units[i].logits, units[0].logits), "the logits of all kernels agree");
    for (std::size_t j = 0; j < i; ++j)
      if (units[i].width != units[j].width)
        check(units[i].portable != units[j].portable, "units of other flags have kernels of their own");
  }
  std::printf("%zu units, dispatched to %s, %d failed\n", std::size(units), units[0].best.c_str(), failures);
  return failures == 0 ? 0 : 1;
}
