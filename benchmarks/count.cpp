// One pass over the requests for each stage and length, for a tool that counts instructions: everything that is
// to be counted runs inside `measured`. Prints a line `stage tokens requests` for each of its calls, in order.

#include "stages.hpp"

#include <array>
#include <cstddef>
#include <cstdio>
#include <span>

// C linkage, so that the tool knows its name.
extern "C" __attribute__((noinline)) void measured(bench::stages& s, const bench::named_stage& what) {
  for (std::size_t i = 0; i < s.in.lines.size(); ++i) (s.*what.run)(i);
}

int main() {
  for (const std::size_t tokens : {12U, 30U, 120U}) {
    bench::stages s(tokens);
    for (const auto list : {std::span<const bench::named_stage>(bench::stage_list),
                            std::span<const bench::named_stage>(bench::whole_list)})
      for (const auto& what : list) {
        // Memory that grows with the first use has grown, and lazy binding is done.
        for (std::size_t i = 0; i < s.in.lines.size(); ++i) (s.*what.run)(i);
        measured(s, what);
        std::printf("%s %zu %zu\n", what.name, tokens, s.in.lines.size());
      }
  }
  return 0;
}
