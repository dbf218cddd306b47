#pragma once

/// @file
/// From the network's answers to a plan or a refusal: search, confidence, and what to say.

#include <codemode/catalog/name_index.hpp>
#include <codemode/catalog/tool.hpp>
#include <codemode/decoder/confidence.hpp>
#include <codemode/decoder/property.hpp>
#include <codemode/decoder/refusal.hpp>
#include <codemode/decoder/search.hpp>
#include <codemode/frontend/token.hpp>
#include <codemode/plan.hpp>
#include <codemode/result.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace codemode {
inline namespace v0_1 {
namespace detail {

/// The plan of a reading that the catalog allows.
[[nodiscard]] inline plan plan_of(const reading& r, std::string_view text, std::span<const tool> tools,
                                  const name_index& names, const token_list& tokens) noexcept {
  plan p;
  p.mode = r.mode;
  p.output.kind = r.kind;
  p.call_count = r.calls.count;
  for (std::size_t i = 0; i < r.calls.count; ++i) {
    const std::size_t c = r.order[i];
    const tool& called = tools[r.calls.tools[c]];
    call& out = p.call_list[i];
    out.tool = called.name;
    for (std::size_t q = 0; q < called.parameters.size(); ++q) {
      const std::uint8_t v = r.values.slots[c][q];
      if (v == no_token) continue;
      const token& t = tokens[v];
      const value x = t.kind == token_kind::string   ? value::string(text.substr(t.begin, t.end - t.begin))
                      : t.kind == token_kind::number ? value::number(t.number)
                                                     : value::boolean(t.boolean);
      out.add(called.parameters[q].name, x);
    }
  }
  for (std::size_t f = 0; f < r.field_count; ++f) {
    const token& t = tokens[r.fields[f]];
    p.output.add_field(property_of(t, text.substr(t.begin, t.end - t.begin), r.calls.tools[0], names).name);
  }
  if (r.values.limit != no_token) p.output.limit = static_cast<std::int16_t>(tokens[r.values.limit].number);
  return p;
}

/// Searches and decides. `calibration` are the coefficients of the confidence; `figures` receives what they weigh.
template <class Output>
[[nodiscard]] result<plan> decide(std::string_view text, std::span<const tool> tools, const name_index& names,
                                  const token_list& tokens, const Output& net, std::span<const float> calibration,
                                  float threshold, search_workspace& w, confidence_figures& figures) noexcept {
  searcher<Output>(text, tools, names, tokens, net, w).run();
  figures = figures_of(w.found, w.scores, tokens.count);
  if (w.found.allowed) {
    const float confidence = confidence_of(figures, calibration);
    if (confidence >= threshold) {
      plan p = plan_of(w.found.best, text, tools, names, tokens);
      p.confidence = confidence;
      return p;
    }
  }
  return refusal_writer<Output>(text, tools, tokens, net, w).run();
}

}  // namespace detail
}  // namespace v0_1
}  // namespace codemode
