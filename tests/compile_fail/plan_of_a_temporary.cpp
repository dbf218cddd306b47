// What an owned plan gives out must not outlive it.
// expect: (use of deleted function|call to deleted)
#include <codemode/owned_plan.hpp>

codemode::owned_plan make();

std::size_t use() {
#ifdef CODEMODE_WRONG
  const codemode::plan& p = make().get();
#else
  const codemode::owned_plan owned = make();
  const codemode::plan& p = owned.get();
#endif
  return p.call_count;
}
