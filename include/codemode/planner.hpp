#pragma once

/// @file
/// The front door of the planner: an instruction and a catalog become a validated plan or a reason why not.
///
///     auto catalog = codemode::catalog::parse(tools_json);
///     codemode::planner planner;
///     auto plan = planner.plan("Call list_users with team \"blue\".", *catalog);
///
/// A planner owns its working memory (`planner_workspace_size` bytes at most) and allocates it once, when it
/// is made. After that `plan` allocates nothing, whatever it is given.

#include <codemode/catalog.hpp>
#include <codemode/decoder/decide.hpp>
#include <codemode/explanation.hpp>
#include <codemode/frontend/features.hpp>
#include <codemode/frontend/lexer.hpp>
#include <codemode/fwd.hpp>
#include <codemode/network/default_weights.hpp>
#include <codemode/network/network.hpp>
#include <codemode/plan.hpp>
#include <codemode/result.hpp>
#include <codemode/text/utf8.hpp>
#include <codemode/weights.hpp>

#include <cmath>
#include <cstddef>
#include <memory>
#include <string_view>
#include <type_traits>

namespace codemode {
inline namespace v0_1 {

/// Working memory of one planner with weights of the shipped shape, in bytes, at most.
inline constexpr std::size_t planner_workspace_size = 256 * 1024;

/// Below this calibrated confidence a plan is refused unless the caller says otherwise. Chosen on held-out
/// instructions of the training corpus.
inline constexpr float default_threshold = 0.35F;

/// Options of `planner::plan`.
struct plan_options {
  float threshold = default_threshold;  ///< least confidence of a plan, 0..1; higher trades answers for precision
  bool explain = false;                 ///< also fill `planner::explain()`
};

/// Plans instructions. A pure function of its input: the same instruction, catalog, options and weights give
/// the same plan. One planner a thread; catalogs and weights are shared and const. `planner` is that of the shape
/// of the shipped weights; a network of another size has a planner of its own.
template <class Shape>
class basic_planner {
 public:
  /// With the weights that ship with the library.
  basic_planner() requires std::is_same_v<Shape, default_shape> : basic_planner(default_weights()) {}
  /// With other weights, which must outlive the planner.
  explicit basic_planner(const basic_weights<Shape>& w) : weights_(&w), work_(std::make_unique<workspace>()) {}

  /// The plan of `instruction` over `tools`, or the reason why there is none. The plan borrows both: it is
  /// valid while they are, and until the next call of `plan`. The views of a diagnostic likewise.
  /// Byte ranges of diagnostics are those of `instruction`.
  [[nodiscard]] result<codemode::plan> plan(std::string_view instruction, const catalog& tools,
                                            plan_options options = {}) noexcept {
    auto& w = *work_;
    if (options.explain) begin_explanation(instruction);
    if (const auto bad = text::find_invalid_utf8(instruction); bad < instruction.size()) {
      diagnostic d;
      d.code = errc::invalid_record;
      d.begin = bad;
      d.end = bad + 1;
      d.what = "the instruction is not UTF-8";
      return d;
    }
    if (auto fault = tokenize(instruction, tools.tools(), tools.names(), w.tokens)) return *fault;
    if (!names_a_tool(w.tokens)) {
      if (options.explain) explain_tokens();
      diagnostic d;
      d.code = errc::no_call;
      return d;
    }
    write_features(instruction, tools.tools(), tools.names(), w.tokens, weights_->words(), w.features);
    const auto output = network_type(*weights_).run(
        {w.tokens.count, w.features.words.data(), w.features.prefixes.data(), w.features.suffixes.data(),
         w.features.values.data(), feature_count},
        w.network);
    detail::confidence_figures figures{};
    auto answer = detail::decide(instruction, tools.tools(), tools.names(), w.tokens, output, weights_->calibration(),
                                 options.threshold, w.search, figures);
    if (options.explain) explain_decision(figures);
    return answer;
  }

  /// What the last call of `plan` with `explain` saw. Borrows that call's instruction.
  [[nodiscard]] const explanation& explain() const noexcept { return work_->explained; }

 private:
  using network_type = network<Shape>;

  struct workspace {
    token_list tokens{};
    network_workspace<Shape> network{};
    token_features features{network.feature_rows(), {}, {}, {}};
    detail::search_workspace search{};
    explanation explained{};
  };
  static_assert(!std::is_same_v<Shape, default_shape> || sizeof(workspace) <= planner_workspace_size);

  [[nodiscard]] static bool names_a_tool(const token_list& tokens) noexcept {
    for (const auto& t : tokens.view())
      if (t.tools != 0) return true;
    return false;
  }

  void begin_explanation(std::string_view instruction) noexcept {
    auto& e = work_->explained;
    e = explanation{};
    e.instruction = instruction;
  }

  void explain_tokens() noexcept {
    auto& e = work_->explained;
    e.token_count = work_->tokens.count;
    for (std::size_t k = 0; k < e.token_count; ++k) {
      const token& t = work_->tokens[k];
      e.token_list[k].begin = t.begin;
      e.token_list[k].end = t.end;
      e.token_list[k].kind = t.kind;
    }
  }

  void explain_decision(const detail::confidence_figures& figures) noexcept {
    explain_tokens();
    auto& e = work_->explained;
    const auto& s = work_->search.scores;
    const auto& found = work_->search.found;
    e.ran = true;
    e.planned = found.allowed;
    e.figures = figures;
    e.confidence = found.allowed ? detail::confidence_of(figures, weights_->calibration()) : 0.0F;
    for (std::size_t c = 0; c < class_count; ++c) e.classes[c] = std::exp(s.classes[c]);
    e.parallel = 1.0F / (1.0F + std::exp(-s.parallel));
    e.last = 1.0F / (1.0F + std::exp(-s.last));
    for (std::size_t k = 0; k < e.token_count; ++k) {
      std::size_t best = 0;
      for (std::size_t r = 1; r < role_count; ++r)
        if (s.roles[k][r] > s.roles[k][best]) best = r;
      e.token_list[k].role = static_cast<token_role>(best);
      e.token_list[k].probability = std::exp(s.roles[k][best]);
    }
    if (!found.allowed) return;
    const auto& r = found.best;
    for (std::size_t i = 0; i < r.calls.count; ++i) {
      const std::size_t c = r.order[i];
      for (std::size_t p = 0; p < max_arguments; ++p) {
        const auto v = r.values.slots[c][p];
        if (v == detail::no_token) continue;
        e.token_list[v].calls = static_cast<std::uint8_t>(e.token_list[v].calls | 1U << i);
        e.token_list[v].argument = r.values.mentions[c][p];
      }
    }
  }

  const basic_weights<Shape>* weights_;
  std::unique_ptr<workspace> work_;
};

}  // namespace v0_1
}  // namespace codemode
