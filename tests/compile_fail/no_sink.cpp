// A writer's target is a sink or a buffer; what is neither is named by its concept.
// expect: (text_sink|no matching function)
#include <codemode/plan.hpp>
#include <codemode/plan_json.hpp>

#include <string>

void use(const codemode::plan& p) {
#ifdef CODEMODE_WRONG
  char text = 0;
#else
  std::string text;
#endif
  codemode::write_json(p, text);
}
