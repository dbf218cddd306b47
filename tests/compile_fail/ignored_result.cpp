// A result must be looked at.
// expect: nodiscard|unused-result|unused-value
#include <codemode/text/sink.hpp>

#include <array>

void write() {
  std::array<char, 8> buffer{};
  codemode::buffer_sink sink{buffer};
  sink.append("text");
#ifdef CODEMODE_WRONG
  sink.finish();
#else
  if (!sink.finish()) return;
#endif
}
