#pragma once

/// @file
/// Calls of the host's callables: one that throws counts as one that returned an error with that text.

#include <codemode/config.hpp>

#if defined(__cpp_exceptions)
#include <exception>
#endif
#include <string>
#include <utility>

namespace codemode {
inline namespace v0_1 {
namespace prompt {
namespace detail {

/// `f()`, or `on_throw(text)` if it throws. Without exceptions it is `f()`.
template <class F, class G>
auto guarded(F&& f, G&& on_throw) -> decltype(f()) {
#if defined(__cpp_exceptions)
  try {
    return f();
  } catch (const std::exception& e) {
    return on_throw(std::string{e.what()});
  } catch (...) {
    return on_throw(std::string{"an exception of unknown type"});
  }
#else
  (void)on_throw;
  return f();
#endif
}

}  // namespace detail
}  // namespace prompt
}  // namespace v0_1
}  // namespace codemode
