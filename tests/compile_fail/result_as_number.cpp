// A result is no number and no flag by accident: only a condition may ask it.
// expect: (cannot convert|no viable conversion|could not convert)
#include <codemode/result.hpp>

bool use(const codemode::result<int>& r) {
#ifdef CODEMODE_WRONG
  bool good = r;
  return good;
#else
  return r ? true : false;
#endif
}
