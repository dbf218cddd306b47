// One unit, compiled several times with other flags. ODR_UNIT names its one function.

#include "unit.hpp"

#include <codemode/javascript.hpp>
#include <codemode/plan_json.hpp>
#include <codemode/planner.hpp>
#include <codemode/record.hpp>

#include <array>
#include <memory>
#include <string>
#include <string_view>

namespace odr {
namespace {

namespace kernels = codemode::detail::kernels;

constexpr std::array<std::string_view, 3> lines{
    R"({"instruction":"Call get_user with id 7.","tools":[{"name":"get_user","arguments":{"id":"number"},)"
    R"("required":["id"],"returns":{"kind":"object"}}]})",
    R"({"instruction":"First open_gate with gate \"east\", then call ring_bell with times 3. Return all results.",)"
    R"("tools":[{"name":"open_gate","arguments":{"gate":"string"},"required":["gate"],"returns":{"kind":"object"}},)"
    R"({"name":"ring_bell","arguments":{"times":"number"},"required":["times"],"returns":{"kind":"text"}}]})",
    R"({"instruction":"Call get_user.","tools":[{"name":"get_user","arguments":{"id":"number"},)"
    R"("required":["id"],"returns":{"kind":"object"}}]})"};

void answer(report& r) {
  codemode::planner planner;
  codemode::record record;
  for (const auto line : lines) {
    if (record.assign(line)) {
      r.answers += "no record\n";
      continue;
    }
    const auto plan = planner.plan(record.instruction(), record.tools());
    if (plan) {
      codemode::write_json(*plan, r.answers);
      codemode::write_javascript(*plan, r.answers);
    } else {
      r.answers += codemode::to_string(plan.error().code);
    }
    r.answers += '\n';
  }
}

void run_kernels(report& r) {
  constexpr std::size_t tokens = 13;
  using shape = codemode::default_shape;
  std::array<std::uint16_t, tokens> words{}, prefixes{}, suffixes{};
  std::vector<float> features(tokens * codemode::feature_count);
  for (std::size_t t = 0; t < tokens; ++t) {
    words[t] = static_cast<std::uint16_t>(8 + 11 * t);
    prefixes[t] = static_cast<std::uint16_t>(1 + 7 * t);
    suffixes[t] = static_cast<std::uint16_t>(1 + 5 * t);
  }
  for (std::size_t i = 0; i < features.size(); i += 7) features[i] = 1;
  const auto work = std::make_unique<codemode::network_workspace<shape>>();
  using kernels::instruction_set;
  for (const auto s :
       {instruction_set::scalar, instruction_set::portable, instruction_set::avx2, instruction_set::avx512}) {
    const auto product = kernels::product_for(s);
    if (product == nullptr) continue;
    if (product == kernels::best_product()) r.best = kernels::to_string(s);
    const auto out = codemode::network<shape>(codemode::default_weights(), product)
                         .run({tokens, words.data(), prefixes.data(), suffixes.data(), features.data(),
                               codemode::feature_count},
                              *work);
    for (std::size_t t = 0; t < tokens; ++t)
      for (std::size_t role = 0; role < shape::roles; ++role) r.logits.push_back(out.role(t, role));
  }
}

}  // namespace

report ODR_UNIT();
report ODR_UNIT() {
  report r;
  r.width = kernels::portable<kernels::build>::vec::width;
  r.portable = reinterpret_cast<const void*>(kernels::product_for(kernels::instruction_set::portable));
  answer(r);
  run_kernels(r);
  return r;
}

}  // namespace odr
