#pragma once

/// @file
/// From ranked tools to a decision: use one, name several, or refuse.
///
/// Two questions are asked. Does the catalog have the capability at all: how much of what the query asks for, by
/// weight, does the best tool answer, and does it do the action that is asked for? And is the best tool clearly
/// the best: how far behind is the next one that is not the same thing? The bounds below were chosen on
/// queries made from tools' own texts and on the workbench catalog, see benchmarks.

#include <codemode/contract/search/search.hpp>
#include <codemode/contract/tool_catalog.hpp>
#include <codemode/contract/types.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>

namespace codemode {
inline namespace v0_1 {
namespace contract {
namespace search {

/// What to do with the hits of a workspace.
struct verdict {
  enum class kind : std::uint8_t { nothing, one, several };
  kind is = kind::nothing;
  std::size_t count = 0;            ///< how many of the hits to name
  std::string_view confidence{};    ///< of `one`
};

/// The bounds of a decision.
struct decision_bounds {
  float refuse = 0.36F;       ///< least evidence of a tool that is shown at all
  float high = 0.80F;         ///< evidence for high confidence
  float medium = 0.55F;
  float close = 0.12F;        ///< a runner-up nearer than this, relative to the best, fits about as well
  float close_weak = 0.22F;   ///< the same where the evidence is weak
};

/// How sure it is that a tool answers the query, 0 to 1, from its evidence alone.
[[nodiscard]] inline float evidence(const hit& h, bool asks_action) noexcept {
  if (h.name == named::reference || h.name == named::written) return 1;
  if (h.name == named::whole) return 0.95F;
  float e = 0.62F * h.coverage + 0.22F * h.direct + 0.16F * h.name_coverage;
  if (asks_action) e *= 0.70F + 0.30F * h.action;
  return e;
}

[[nodiscard]] inline verdict decide(const workspace& w, const tool_catalog& catalog, const decision_bounds& bounds = {}) {
  verdict v;
  if (w.hits.empty()) return v;
  const hit& top = w.hits.front();
  const float sure = evidence(top, w.asks_action);
  if (sure < bounds.refuse) return v;

  // Tools that fit about as well as the best, and those of the same name on other servers.
  const float width = sure < bounds.medium ? bounds.close_weak : bounds.close;
  std::size_t count = 1;
  while (count < w.hits.size()) {
    const hit& next = w.hits[count];
    if (next.name != top.name && top.name != named::no) break;
    if (next.score < top.score * (1 - width)) break;
    ++count;
  }
  static_cast<void>(catalog);
  if (count > 1) {
    v.is = verdict::kind::several;
    v.count = (std::min)(count, std::size_t{5});
    return v;
  }
  v.is = verdict::kind::one;
  v.count = 1;
  v.confidence = sure >= bounds.high ? confidence_high : sure >= bounds.medium ? confidence_medium : confidence_low;
  return v;
}

}  // namespace search
}  // namespace contract
}  // namespace v0_1
}  // namespace codemode
