// A user's program, the same for every way in: it plans, it compiles to JavaScript, it looks at the answer.
#ifndef CODEMODE_CONSUMER_HAS_HEADER
#include <codemode/plan.hpp>
#include <codemode/text/sink.hpp>
#endif

#include <cstdio>
#include <string>

int main() {
  std::string text;
  text.append(to_string(codemode::errc::no_call));
  return text == "no_call" ? 0 : 1;
}
