#pragma once

// Aligns an instruction with its plan: which mention is a call, which token is which argument's value.

#include "corpus.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace train {

class aligner {
 public:
  explicit aligner(frame& f) : f_(f), n_(f.tokens.count) {}

  /// Sets `f.lab`, or says why it could not.
  std::string run() {
    l_.roles.assign(n_, r_none);
    l_.anchors.assign(f_.plan.calls.size(), -1);
    if (auto w = place_calls(); !w.empty()) return w;
    if (auto w = place_values(); !w.empty()) return w;
    if (auto w = place_new_calls(); !w.empty()) return w;
    if (auto w = place_output(); !w.empty()) return w;
    for (std::size_t k = 0; k < n_; ++k)
      if (f_.tokens[k].tools != 0 && l_.roles[k] == r_none) l_.roles[k] = r_mention;
    f_.lab = std::move(l_);
    return {};
  }

 private:
  std::string place_calls() {
    for (std::size_t i = 0; i < f_.tools->specs().size(); ++i) {
      std::vector<int> calls;
      for (std::size_t c = 0; c < f_.plan.calls.size(); ++c)
        if (f_.plan.calls[c].tool == f_.tools->specs()[i].name) calls.push_back(static_cast<int>(c));
      if (calls.empty()) continue;
      std::vector<int> mentions;
      for (std::size_t k = 0; k < n_; ++k)
        if ((f_.tokens[k].tools >> i & 1) != 0) mentions.push_back(static_cast<int>(k));
      if (mentions.empty()) return "tool not mentioned";
      if (mentions.size() > calls.size()) {
        const auto quality = [&](int k) {
          const token& t = f_.tokens[static_cast<std::size_t>(k)];
          return (t.exact_tool ? 2 : 0) + (t.parameters == 0 && t.properties == 0 ? 1 : 0);
        };
        std::stable_sort(mentions.begin(), mentions.end(), [&](int a, int b) { return quality(a) > quality(b); });
        mentions.resize(calls.size());
        std::sort(mentions.begin(), mentions.end());
      }
      for (std::size_t m = 0; m < mentions.size(); ++m)
        l_.anchors[static_cast<std::size_t>(calls[m])] = mentions[m];
    }
    return {};
  }

  bool anchored(int k) const { return std::find(l_.anchors.begin(), l_.anchors.end(), k) != l_.anchors.end(); }

  /// The mention of argument `name` of `call` that belongs to value token `k`, or -1.
  int nearest_mention(int k, std::size_t call, const std::string& name, double* cost) const {
    const int tool = f_.tools->find(f_.plan.calls[call].tool);
    const int p = f_.tools->specs()[static_cast<std::size_t>(tool)].find(name);
    const auto bit = codemode::parameter_bit(static_cast<std::size_t>(tool), static_cast<std::size_t>(p));
    int best = -1;
    double least = std::numeric_limits<double>::max();
    for (std::size_t m = 0; m < n_; ++m) {
      if ((f_.tokens[m].parameters & bit) == 0 || anchored(static_cast<int>(m)) || static_cast<int>(m) == k) continue;
      const int d = k - static_cast<int>(m);
      double c = d > 0 ? d : 1.5 * -d + 1;
      // another value between them, or a loose spelling where an exact one is near, is less likely
      for (int j = (std::min)(k, static_cast<int>(m)) + 1; j < (std::max)(k, static_cast<int>(m)); ++j)
        if (f_.tokens[static_cast<std::size_t>(j)].is_value()) c += 1.0;
      if ((f_.tokens[m].exact_parameters & bit) == 0) c += 0.5;
      if (c < least) {
        least = c;
        best = static_cast<int>(m);
      }
    }
    if (cost != nullptr) *cost = best < 0 ? 1e3 : least;
    return best;
  }

  double cost(int k, std::size_t call, const std::string& name) const {
    double c = 0;
    nearest_mention(k, call, name, &c);
    const int a = l_.anchors[call];
    if (a >= 0) {
      const int d = k - a;
      c += 0.2 * (d > 0 ? d : -1.3 * d);
      // a mention of another called tool between them
      for (int j = (std::min)(k, a) + 1; j < (std::max)(k, a); ++j)
        if (f_.tokens[static_cast<std::size_t>(j)].tools != 0 && anchored(j)) c += 1.5;
    }
    return c;
  }

  std::string place_values() {
    struct need {
      std::size_t call;
      std::string name;
      literal value;
      bool done = false;
    };
    std::vector<need> needs;
    for (std::size_t c = 0; c < f_.plan.calls.size(); ++c)
      for (const auto& [name, v] : f_.plan.calls[c].arguments) needs.push_back({c, name, v});
    for (std::size_t i = 0; i < needs.size(); ++i) {
      if (needs[i].done) continue;
      std::vector<std::size_t> group;
      for (std::size_t j = i; j < needs.size(); ++j)
        if (!needs[j].done && needs[j].value == needs[i].value) {
          group.push_back(j);
          needs[j].done = true;
        }
      std::vector<int> tokens;
      for (std::size_t k = 0; k < n_; ++k)
        if (f_.tokens[k].is_value() && literal_of(f_, k) == needs[i].value) tokens.push_back(static_cast<int>(k));
      if (tokens.empty()) return "value not found";
      std::vector<int> chosen(group.size(), tokens[0]);
      if (tokens.size() >= group.size() && group.size() <= 4 && tokens.size() <= 6) {
        best_assignment(group, needs, tokens, chosen);
      } else if (tokens.size() > 1) {
        for (std::size_t g = 0; g < group.size(); ++g) {
          const auto& q = needs[group[g]];
          chosen[g] = *std::min_element(tokens.begin(), tokens.end(), [&](int a, int b) {
            return cost(a, q.call, q.name) < cost(b, q.call, q.name);
          });
        }
      }
      for (std::size_t g = 0; g < group.size(); ++g) {
        const auto& q = needs[group[g]];
        const int m = nearest_mention(chosen[g], q.call, q.name, nullptr);
        if (m < 0) return "argument not named";
        l_.links.push_back({chosen[g], static_cast<int>(q.call), m, q.name});
        l_.roles[static_cast<std::size_t>(chosen[g])] = r_value;
        l_.roles[static_cast<std::size_t>(m)] = r_argument;
      }
    }
    return {};
  }

  /// Distinct tokens for the needs of one value, at the least cost.
  template <class Needs>
  void best_assignment(const std::vector<std::size_t>& group, const Needs& needs, const std::vector<int>& tokens,
                       std::vector<int>& chosen) const {
    std::vector<int> order(tokens.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
    double least = std::numeric_limits<double>::max();
    std::vector<std::vector<double>> table(group.size());
    for (std::size_t g = 0; g < group.size(); ++g)
      for (const int k : tokens) table[g].push_back(cost(k, needs[group[g]].call, needs[group[g]].name));
    do {
      double sum = 0;
      for (std::size_t g = 0; g < group.size(); ++g) sum += table[g][static_cast<std::size_t>(order[g])];
      if (sum < least) {
        least = sum;
        for (std::size_t g = 0; g < group.size(); ++g) chosen[g] = tokens[static_cast<std::size_t>(order[g])];
      }
    } while (std::next_permutation(order.begin(), order.end()));
  }

  /// Calls without a mention of their own begin at their first own value.
  std::string place_new_calls() {
    for (std::size_t c = 0; c < l_.anchors.size(); ++c) {
      if (l_.anchors[c] >= 0) continue;
      int first = -1;
      for (const auto& l : l_.links) {
        if (l.call != static_cast<int>(c)) continue;
        const bool own = std::none_of(l_.links.begin(), l_.links.end(), [&](const labels::link& o) {
          return o.value == l.value && o.call != l.call;
        });
        if (own && (first < 0 || l.value < first)) first = l.value;
      }
      if (first < 0) return "repeated call without a value of its own";
      l_.anchors[c] = first;
      l_.roles[static_cast<std::size_t>(first)] = r_new_call;
    }
    for (const int a : l_.anchors)
      if (l_.roles[static_cast<std::size_t>(a)] != r_new_call) l_.roles[static_cast<std::size_t>(a)] = r_call;
    auto sorted = l_.anchors;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) return "two calls at one place";
    return {};
  }

  std::string place_output() {
    static constexpr std::string_view cues[] = {"first", "top", "limit", "most", "only", "cap", "max", "maximum",
                                                "rows", "row", "results", "result", "entries", "items", "last", "than",
                                                "up", "just", "records", "hits", "lines", "keep", "show", "do",
                                                "enough", "fewer", "more", "capped", "stop", "give", "want", "need"};
    if (f_.plan.limit >= 0) {
      double least = 1e9;
      for (std::size_t k = 0; k < n_; ++k) {
        const token& t = f_.tokens[k];
        const bool fits = (t.kind == token_kind::number || t.number_word) && t.number == f_.plan.limit;
        if (!fits || l_.roles[k] != r_none) continue;
        double near = 50 + (t.number_word ? 5 : 0);
        for (std::size_t j = 0; j < n_; ++j)
          for (const auto cue : cues)
            if (codemode::detail::equals_ignoring_case(f_.spelled(j), cue)) {
              const double d = j < k ? static_cast<double>(k - j) : static_cast<double>(j - k) + 0.5;
              near = (std::min)(near, d);
            }
        if (near < least) {
          least = near;
          l_.limit = static_cast<int>(k);
        }
      }
      if (l_.limit < 0) return "limit not found";
      l_.roles[static_cast<std::size_t>(l_.limit)] = r_limit;
    }
    if (f_.plan.fields.empty()) return {};
    // The cluster of field mentions: for each field the mention nearest to mentions of the other fields.
    const int tool = f_.tools->find(f_.plan.calls[0].tool);
    const auto is_field = [&](std::size_t k, const std::string& name) {
      const token& t = f_.tokens[k];
      if ((t.properties >> tool & 1) == 0) return false;
      for (std::size_t i = 0; i < t.name_count; ++i)
        if (f_.tools->index().names()[static_cast<std::size_t>(t.names[i])].text == name) return true;
      return false;
    };
    int position = -1;
    for (const auto& name : f_.plan.fields) {
      std::vector<int> fits;
      for (std::size_t k = 0; k < n_; ++k)
        if (is_field(k, name) && l_.roles[k] == r_none) fits.push_back(static_cast<int>(k));
      if (fits.empty()) return "field not found";
      std::vector<int> later;
      for (const int k : fits)
        if (k > position) later.push_back(k);
      if (later.empty()) later = fits;
      int best = later[0];
      int least = 1000;
      for (const int k : later) {
        int d = 0;
        for (const auto& other : f_.plan.fields) {
          if (other == name) continue;
          int nearest = 500;
          for (std::size_t j = 0; j < n_; ++j)
            if (is_field(j, other)) nearest = (std::min)(nearest, std::abs(k - static_cast<int>(j)));
          d += nearest;
        }
        if (d < least) {
          least = d;
          best = k;
        }
      }
      position = best;
      l_.roles[static_cast<std::size_t>(best)] = r_property;
    }
    return {};
  }

  frame& f_;
  std::size_t n_;
  labels l_;
};

}  // namespace train
