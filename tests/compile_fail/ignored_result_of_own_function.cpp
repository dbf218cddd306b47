// The type itself says so: a function of the user's that returns one needs no attribute.
// expect: nodiscard|unused-result|unused-value
#include <codemode/result.hpp>

codemode::result<int> half(int x) {
  if (x % 2 == 0) return x / 2;
  return codemode::diagnostic{};
}

int use() {
#ifdef CODEMODE_WRONG
  half(3);
  return 0;
#else
  return half(3).value_or(0);
#endif
}
