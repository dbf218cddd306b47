// A sink over memory that must not be written is refused.
// expect: (no matching function|could not convert|no viable conversion|no matching constructor)
#include <codemode/text/sink.hpp>

#include <array>
#include <span>

std::size_t use(std::array<char, 4>& buffer) {
#ifdef CODEMODE_WRONG
  codemode::buffer_sink sink{std::span<const char>{buffer}};
#else
  codemode::buffer_sink sink{std::span<char>{buffer}};
#endif
  return sink.needed();
}
