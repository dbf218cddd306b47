#pragma once

/// @file
/// The searching decoder: the most probable reading of the values among those that the catalog allows,
/// beside the most probable one that it forbids.

#include <codemode/catalog/name_index.hpp>
#include <codemode/catalog/tool.hpp>
#include <codemode/decoder/call_sets.hpp>
#include <codemode/decoder/hypothesis.hpp>
#include <codemode/decoder/list_mark.hpp>
#include <codemode/decoder/property.hpp>
#include <codemode/decoder/scores.hpp>
#include <codemode/frontend/token.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace codemode {
inline namespace v0_1 {
namespace detail {

inline constexpr std::size_t beam_width = 12;

/// A complete reading.
struct reading {
  float score = 0;
  call_set calls{};
  hypothesis values{};
  std::array<std::uint8_t, max_calls> order{0, 1, 2};  ///< calls in the order of execution
  std::array<std::uint8_t, max_fields> fields{no_token, no_token, no_token};  ///< tokens of the fields
  std::uint8_t field_count = 0;
  codemode::mode mode = mode::single;
  output_kind kind = output_kind::last;
};

/// What the search found.
struct findings {
  reading best{};      ///< best reading that the catalog allows, if `allowed`
  reading forbidden{};  ///< best reading that it forbids, if `has_forbidden`
  bool allowed = false;
  bool has_forbidden = false;
  float second = 0;  ///< score of the second best allowed reading, if `has_second`
  bool has_second = false;
};

/// Working memory of a search; lives in the planner's workspace.
struct search_workspace {
  token_scores scores{};
  call_set_list sets{};
  std::array<best_list<hypothesis, beam_width>, 2> beams{};  // readings up to the value in hand, and behind it
  findings found{};
};

/// One search. `Output` is the network's output: `role`, `none`, `pair`, `pooled`.
template <class Output>
class searcher {
 public:
  searcher(std::string_view text, std::span<const tool> tools, const name_index& names, const token_list& tokens,
           const Output& net, search_workspace& w) noexcept
      : text_(text), tools_(tools), names_(names), tokens_(tokens), net_(net), w_(w) {}

  void run() noexcept {
    w_.found = findings{};
    w_.scores.read(net_, tokens_.count);
    w_.sets.clear();
    call_set_finder(tokens_, w_.scores).run(w_.sets);
    gather();
    for (std::size_t i = 0; i < w_.sets.size(); ++i) {
      if (w_.found.allowed && w_.sets[i].score + common_ < w_.found.best.score - search_window) break;
      read_values(w_.sets[i]);
    }
  }

 private:
  struct attachment {
    float score = 0;
    std::uint8_t mention = no_token;
    std::uint8_t calls = 0;  // bit set of positions in the call set
    std::int32_t name = -1;  // entry of the name index
  };

  [[nodiscard]] float role(std::size_t k, token_role r) const noexcept { return w_.scores.role(k, r); }
  [[nodiscard]] float pair(link_kind l, std::size_t from, std::size_t to) const noexcept {
    return net_.pair(static_cast<std::size_t>(l), from, to);
  }

  /// Argument mentions, and what is true of the tokens whatever the calls are.
  void gather() noexcept {
    mention_count_ = 0;
    foreign_token_ = no_token;
    float most = std::log(0.5F);
    common_ = 0;
    for (std::size_t k = 0; k < tokens_.count; ++k) {
      if (tokens_[k].parameters != 0) mentions_[mention_count_++] = static_cast<std::uint8_t>(k);
      const float f = role(k, token_role::foreign);
      common_ += log_not(f);
      if (f > most) {
        most = f;
        foreign_token_ = static_cast<std::uint8_t>(k);
      }
    }
    foreign_gain_ = foreign_token_ == no_token ? 0.0F : most - log_not(most);
  }

  // --- values --------------------------------------------------------------------------------------

  void read_values(const call_set& set) noexcept {
    beam_ = &w_.beams[0];
    next_ = &w_.beams[1];
    beam_->clear();
    hypothesis start;
    start.score = set.score + common_;
    if (set.fault) start.blame(*set.fault);
    beam_->add(start);
    for (std::size_t v = 0; v < tokens_.count; ++v) {
      if (tokens_[v].is_value()) {
        read_value(set, v);
      } else if (tokens_[v].number_word) {
        read_number_word(v);
      } else {
        continue;
      }
      std::swap(beam_, next_);
      if (beam_->empty()) return;
    }
    for (std::size_t b = 0; b < beam_->size(); ++b) finish(set, (*beam_)[b]);
  }

  void offer(const hypothesis& h) noexcept {
    if (next_->wants(h.score, search_window)) next_->add(h);
  }

  void read_number_word(std::size_t v) noexcept {
    next_->clear();
    const float yes = role(v, token_role::limit);
    const float no = log_not(yes);
    for (std::size_t b = 0; b < beam_->size(); ++b) {
      hypothesis h = (*beam_)[b];
      h.score += no;
      offer(h);
      if (yes < -search_window) continue;
      h = (*beam_)[b];
      h.score += yes;
      set_limit(h, v);
      offer(h);
    }
  }

  void set_limit(hypothesis& h, std::size_t v) noexcept {
    const double x = tokens_[v].number;
    if (h.limit != no_token || x != std::floor(x) || x < 0 || x > static_cast<double>(max_limit))
      h.blame({errc::unsupported_shaping, static_cast<std::uint8_t>(v), 0xFF, 0xFF});
    h.limit = static_cast<std::uint8_t>(v);
  }

  void read_value(const call_set& set, std::size_t v) noexcept {
    next_->clear();
    const token& t = tokens_[v];
    bool begins_call = false;
    for (std::size_t c = 0; c < set.count; ++c) begins_call = begins_call || set.tokens[c] == v;
    attach_options(set, v, begins_call);
    const bool spare = is_spare(set, v);
    // Where a value begins a call its role is part of the call set's score; else the other roles are left.
    const float given = begins_call ? 0.0F : role(v, token_role::value) - log_not(role(v, token_role::new_call));
    for (std::size_t b = 0; b < beam_->size(); ++b) {
      for (std::size_t a = 0; a < option_count_; ++a) {
        hypothesis h = (*beam_)[b];
        h.score += given + options_[a].score;
        if (!next_->wants(h.score, search_window)) continue;
        attach(set, h, v, options_[a]);
        offer(h);
      }
      if (begins_call) continue;
      if (t.kind == token_kind::number && role(v, token_role::limit) > -search_window) {
        hypothesis h = (*beam_)[b];
        h.score += role(v, token_role::limit) + none_score_;
        set_limit(h, v);
        offer(h);
      }
      // Not used: English, layout, an excluded tool's value or a repetition.
      hypothesis h = (*beam_)[b];
      h.score += log_add(role(v, token_role::none), role(v, token_role::property)) + none_score_;
      if (!spare && !repeats_another(h, v)) h.blame({errc::unattached_value, static_cast<std::uint8_t>(v), 0xFF, 0xFF});
      offer(h);
    }
  }

  /// The likeliest ways to give value `v` to an argument of some calls, in `options_`.
  void attach_options(const call_set& set, std::size_t v, bool begins_call) noexcept {
    option_count_ = 0;
    const float none = net_.none(v);
    float most = none;
    std::array<float, max_tokens> score;
    for (std::size_t i = 0; i < mention_count_; ++i) {
      score[i] = pair(link_kind::argument, v, mentions_[i]);
      most = score[i] > most ? score[i] : most;
    }
    float sum = std::exp(none - most);
    for (std::size_t i = 0; i < mention_count_; ++i) sum += std::exp(score[i] - most);
    const float total = most + std::log(sum);
    none_score_ = none - total;
    std::array<float, max_calls> with{}, without{};
    for (std::size_t c = 0; c < set.count; ++c) {
      const float x = pair(link_kind::call, v, set.tokens[c]);
      with[c] = log_sigmoid(x);
      without[c] = log_sigmoid(-x);
    }
    for (std::size_t i = 0; i < mention_count_; ++i) {
      const std::uint8_t m = mentions_[i];
      const float link_score = score[i] - total;
      if (link_score < -search_window || m == v) continue;
      bool is_call = false;
      for (std::size_t c = 0; c < set.count; ++c) is_call = is_call || set.tokens[c] == m;
      if (is_call) continue;
      for (unsigned calls = 1; calls < 1U << set.count; ++calls) {
        float s = link_score;
        bool own = !begins_call;
        for (std::size_t c = 0; c < set.count; ++c) {
          const bool in = (calls >> c & 1U) != 0;
          s += in ? with[c] : without[c];
          own = own || (in && set.tokens[c] == v);
        }
        if (own) keep_option({s, m, static_cast<std::uint8_t>(calls), -1});
      }
    }
  }

  void keep_option(const attachment& a) noexcept {
    if (option_count_ > 0 && a.score < options_[0].score - search_window) return;
    std::size_t i = option_count_ < option_limit ? option_count_++ : option_limit;
    if (i == option_limit) {
      if (a.score <= options_[option_limit - 1].score) return;
      i = option_limit - 1;
    }
    for (; i > 0 && options_[i - 1].score < a.score; --i) options_[i] = options_[i - 1];
    options_[i] = a;
  }

  /// The parameter of tool `i` that mention `m` names: an exact spelling first, then the only loose one.
  /// -1 for none, -2 where two fit.
  [[nodiscard]] int parameter_of(std::size_t i, std::size_t m) const noexcept {
    const auto of_tool = [&](std::uint32_t set) { return set >> (i * max_arguments) & 0xFU; };
    const std::uint32_t exact = of_tool(tokens_[m].exact_parameters);
    const std::uint32_t any = exact != 0 ? exact : of_tool(tokens_[m].parameters);
    if (any == 0) return -1;
    return std::popcount(any) > 1 ? -2 : std::countr_zero(any);
  }

  void attach(const call_set& set, hypothesis& h, std::size_t v, const attachment& a) const noexcept {
    h.link(a.mention);
    for (std::size_t c = 0; c < set.count; ++c) {
      if ((a.calls >> c & 1U) == 0) continue;
      const std::size_t i = set.tools[c];
      const int p = parameter_of(i, a.mention);
      const auto token_index = static_cast<std::uint8_t>(v);
      const auto tool_index = static_cast<std::uint8_t>(i);
      if (p < 0) {
        h.blame({p == -1 ? errc::unknown_argument : errc::ambiguous, a.mention, tool_index, 0xFF});
        continue;
      }
      const auto slot = static_cast<std::size_t>(p);
      if (tools_[i].parameters[slot].type != tokens_[v].type()) {
        h.blame({errc::type_mismatch, token_index, tool_index, static_cast<std::uint8_t>(p)});
      } else if (h.slots[c][slot] != no_token) {
        h.blame({errc::duplicate_argument, token_index, tool_index, static_cast<std::uint8_t>(p)});
      } else {
        h.slots[c][slot] = token_index;
        h.mentions[c][slot] = a.mention;
      }
    }
  }

  /// Every value must be used, but for values beside an excluded tool, layout, the words `true` and `false` as English,
  /// and repetitions.
  [[nodiscard]] bool is_spare(const call_set& set, std::size_t v) const noexcept {
    return tokens_[v].is_boolean || (set.excludes && beside_excluded(set, v)) || is_list_mark(text_, tokens_, v);
  }
  [[nodiscard]] bool repeats_another(const hypothesis& h, std::size_t v) const noexcept {
    const token& t = tokens_[v];
    for (std::size_t j = 0; j < tokens_.count; ++j) {
      if (j == v || !tokens_[j].is_value() || tokens_[j].type() != t.type()) continue;
      const bool same = t.kind == token_kind::number ? tokens_[j].number == t.number : spelled(j) == spelled(v);
      if (!same) continue;
      if (j > v) return true;  // may still be used
      if (h.limit == j) return true;
      for (const auto& call : h.slots)
        for (const auto slot : call)
          if (slot == j) return true;
    }
    return false;
  }

  /// Whether the tool mention before value `v` or the one behind it is not called, so that the value may be its.
  [[nodiscard]] bool beside_excluded(const call_set& set, std::size_t v) const noexcept {
    const auto excluded = [&](std::size_t k) {
      for (std::size_t c = 0; c < set.count; ++c)
        if (set.tokens[c] == k) return false;  // another mention of a called tool may exclude it: no get_user id 7
      return true;
    };
    for (std::size_t k = v; k-- > 0;)
      if (tokens_[k].tools != 0) {
        if (excluded(k)) return true;
        break;
      }
    for (std::size_t k = v + 1; k < tokens_.count; ++k)
      if (tokens_[k].tools != 0) return excluded(k);
    return false;
  }

  [[nodiscard]] std::string_view spelled(std::size_t k) const noexcept {
    return text_.substr(tokens_[k].begin, tokens_[k].end - tokens_[k].begin);
  }

  // --- the rest of a plan --------------------------------------------------------------------------

  void finish(const call_set& set, hypothesis h) noexcept {
    reading r;
    r.calls = set;
    // Argument mentions without a value.
    fault valueless{};
    float valueless_gain = 0;
    for (std::size_t i = 0; i < mention_count_; ++i) {
      const std::uint8_t m = mentions_[i];
      bool is_call = false;
      for (std::size_t c = 0; c < set.count; ++c) is_call = is_call || set.tokens[c] == m;
      if (is_call) continue;
      const float yes = role(m, token_role::argument);
      if (h.is_linked(m)) {
        h.score += yes;
        continue;
      }
      h.score += log_not(yes);
      if (const float gain = yes - log_not(yes); gain > valueless_gain) {
        valueless_gain = gain;
        valueless.code = errc::missing_value;
        valueless.token = m;
        for (std::size_t c = 0; c < set.count; ++c)
          if (const int p = parameter_of(set.tools[c], m); p >= 0) {
            valueless.tool = set.tools[c];
            valueless.parameter = static_cast<std::uint8_t>(p);
          }
      }
    }
    const bool sound = !h.faulty;
    check_required(set, h);
    read_fields(set, h, r);
    read_schedule(set, h, r);
    r.score = h.score;
    r.values = h;
    keep(r);
    // The same reading with the fault that explains what it leaves over, where that is likelier. It also says more
    // than that an argument is missing.
    if (!sound || (h.faulty && h.fault.code != errc::missing_argument)) return;
    if (valueless_gain > 0) keep_blamed(r, valueless, valueless_gain);
    if (foreign_gain_ > 0)
      keep_blamed(r, {errc::unknown_argument, foreign_token_, set.count > 0 ? set.tools[0] : no_token, 0xFF}, foreign_gain_);
  }

  void keep_blamed(reading r, const fault& f, float gain) noexcept {
    r.score += gain;
    r.values.faulty = true;
    r.values.fault = f;
    keep(r);
  }

  void check_required(const call_set& set, hypothesis& h) const noexcept {
    for (std::size_t c = 0; c < set.count; ++c) {
      const auto& parameters = tools_[set.tools[c]].parameters;
      for (std::size_t p = 0; p < parameters.size(); ++p) {
        if (!parameters[p].required || h.slots[c][p] != no_token) continue;
        h.blame({errc::missing_argument, set.tokens[c], set.tools[c], static_cast<std::uint8_t>(p)});
        return;
      }
    }
  }

  [[nodiscard]] named_property property(std::size_t tool_index, std::size_t k) const noexcept {
    return property_of(tokens_[k], spelled(k), tool_index, names_);
  }

  void read_fields(const call_set& set, hypothesis& h, reading& r) const noexcept {
    std::uint8_t first = no_token;
    bool too_many = false;
    bool undeclared = false;
    for (std::size_t k = 0; k < tokens_.count; ++k) {
      if (tokens_[k].properties == 0) continue;
      bool used = h.is_linked(k);
      for (std::size_t c = 0; c < set.count; ++c) used = used || set.tokens[c] == k;
      if (used) continue;
      const float yes = role(k, token_role::property);
      const float no = log_not(yes);
      if (yes <= no) {
        h.score += no;
        continue;
      }
      h.score += yes;
      if (first == no_token) first = static_cast<std::uint8_t>(k);
      const auto p = set.count == 1 ? property(set.tools[0], k) : named_property{};
      if (p.ambiguous) h.blame({errc::ambiguous, static_cast<std::uint8_t>(k), set.tools[0], 0xFF});
      if (p.name.empty()) {
        undeclared = true;
        continue;
      }
      bool again = false;
      for (std::size_t f = 0; f < r.field_count; ++f) again = again || property(set.tools[0], r.fields[f]).name == p.name;
      if (again) continue;
      if (r.field_count == max_fields) {
        too_many = true;
        continue;
      }
      r.fields[r.field_count++] = static_cast<std::uint8_t>(k);
    }
    const bool shaped = first != no_token || h.limit != no_token;
    if (!shaped || set.count == 0) return;
    const std::uint8_t place = first != no_token ? first : h.limit;
    if (set.count > 1 || tools_[set.tools[0]].returns != return_kind::array || too_many || undeclared)
      h.blame({errc::unsupported_shaping, place, set.tools[0], 0xFF});
  }

  void read_schedule(const call_set& set, hypothesis& h, reading& r) const noexcept {
    if (set.count < 2) return;
    const bool parallel = w_.scores.parallel > 0;
    const bool last = w_.scores.last > 0;
    r.mode = parallel ? mode::parallel : mode::serial;
    r.kind = last ? output_kind::last : output_kind::all;
    h.score += log_sigmoid(std::abs(w_.scores.parallel)) + log_sigmoid(std::abs(w_.scores.last));
    // The likeliest order of execution.
    std::array<std::array<float, max_calls>, max_calls> before{};
    for (std::size_t a = 0; a < set.count; ++a)
      for (std::size_t b = 0; b < set.count; ++b)
        if (a != b) before[a][b] = pair(link_kind::order, set.tokens[a], set.tokens[b]);
    constexpr std::array<std::array<std::uint8_t, 3>, 6> orders{
        {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}};
    float most = -1e9F;
    for (const auto& o : orders) {
      if (set.count == 2 && o[2] != 2) continue;
      float s = 0;
      for (std::size_t i = 0; i < set.count; ++i)
        for (std::size_t j = i + 1; j < set.count; ++j)
          s += 0.5F * (log_sigmoid(before[o[i]][o[j]]) + log_sigmoid(-before[o[j]][o[i]]));
      if (s > most) {
        most = s;
        r.order = o;
      }
    }
    h.score += most;
  }

  void keep(const reading& r) noexcept {
    findings& f = w_.found;
    if (r.values.faulty) {
      if (!f.has_forbidden || r.score > f.forbidden.score) {
        f.forbidden = r;
        f.has_forbidden = true;
      }
      return;
    }
    if (!f.allowed) {
      f.best = r;
      f.allowed = true;
    } else if (r.score > f.best.score) {
      f.second = f.best.score;
      f.has_second = true;
      f.best = r;
    } else if (!f.has_second || r.score > f.second) {
      f.second = r.score;
      f.has_second = true;
    }
  }

  static constexpr std::size_t option_limit = 8;

  std::string_view text_;
  std::span<const tool> tools_;
  const name_index& names_;
  const token_list& tokens_;
  const Output& net_;
  search_workspace& w_;
  best_list<hypothesis, beam_width>* beam_ = nullptr;
  best_list<hypothesis, beam_width>* next_ = nullptr;
  std::array<std::uint8_t, max_tokens> mentions_{};
  std::size_t mention_count_ = 0;
  std::array<attachment, option_limit> options_{};
  std::size_t option_count_ = 0;
  float none_score_ = 0;
  float common_ = 0;
  float foreign_gain_ = 0;
  std::uint8_t foreign_token_ = no_token;
};

}  // namespace detail
}  // namespace v0_1
}  // namespace codemode
