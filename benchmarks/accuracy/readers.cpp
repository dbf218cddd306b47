// Answers record lines with readers that leave out one part of the planner each, so that what each part is worth can be
// seen side by side (ablations.py runs all of them and scores them).
//
//   compare_readers READER [FILE|-] [--weights WEIGHTS]
//
// READER is
//   rules     no network at all: hand-written rules over the same tokens, then the same decoder
//   greedy    the network's best answer for each token and pair by itself, which the catalog then allows or not
//   unlinked  the network's roles, but values go to the nearest argument and the call before them, in written order
//   network   the planner
// Answers are `{"id":...,"plan":...}` or `{"id":...,"code":CODE}`. With --weights the planner uses that network, which may
// be of another size. The planner tells on standard error `channels N microseconds X`, the median time of a plan of 24 to
// 36 tokens (frontier.py draws these).

#include "../../examples/train/shapes.hpp"

#include <codemode/decoder/decide.hpp>
#include <codemode/frontend/features.hpp>
#include <codemode/frontend/lexer.hpp>
#include <codemode/network/default_weights.hpp>
#include <codemode/network/network.hpp>
#include <codemode/plan_json.hpp>
#include <codemode/planner.hpp>
#include <codemode/record.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace codemode;

constexpr float sure = 8;

/// Answers of the heads as tables, to be filled by a reader; what the decoder asks of a network.
struct answers {
  std::array<std::array<float, role_count>, max_tokens> roles{};
  std::array<float, max_tokens> no_argument{};
  std::array<std::array<std::array<float, max_tokens>, max_tokens>, 3> links{};
  std::array<float, evidence_all + 1> sums{};

  [[nodiscard]] float role(std::size_t k, std::size_t r) const { return roles[k][r]; }
  [[nodiscard]] float none(std::size_t k) const { return no_argument[k]; }
  [[nodiscard]] float pair(std::size_t l, std::size_t i, std::size_t j) const { return links[l][i][j]; }
  [[nodiscard]] float pooled(std::size_t n) const { return sums[n]; }
  [[nodiscard]] float evidence(std::size_t, std::size_t) const { return 0; }

  template <class Output>
  void copy(const Output& net, std::size_t n) {
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t r = 0; r < role_count; ++r) roles[k][r] = net.role(k, r);
      no_argument[k] = net.none(k);
      for (std::size_t l = 0; l < links.size(); ++l)
        for (std::size_t j = 0; j < n; ++j) links[l][k][j] = net.pair(l, k, j);
    }
    for (std::size_t e = 0; e < sums.size(); ++e) sums[e] = net.pooled(e);
  }
  std::array<float, max_tokens>& row(link_kind l, std::size_t k) {
    return links[static_cast<std::size_t>(l)][k];
  }
};

class reader {
 public:
  reader(std::string_view text, const catalog& tools, const token_list& tokens)
      : text_(text), tools_(tools), tokens_(tokens) {}

  /// Every answer becomes a certainty.
  void harden(answers& a) const {
    for (std::size_t k = 0; k < tokens_.count; ++k) {
      std::size_t best = 0;
      for (std::size_t r = 1; r < role_count; ++r)
        if (a.roles[k][r] > a.roles[k][best]) best = r;
      for (std::size_t r = 0; r < role_count; ++r) a.roles[k][r] = r == best ? 4 * sure : 0;
      std::size_t to = max_tokens;
      float most = a.no_argument[k];
      for (std::size_t j = 0; j < tokens_.count; ++j)
        if (tokens_[j].parameters != 0 && a.row(link_kind::argument, k)[j] > most) {
          most = a.row(link_kind::argument, k)[j];
          to = j;
        }
      a.no_argument[k] = to == max_tokens ? 4 * sure : 0;
      for (std::size_t j = 0; j < tokens_.count; ++j) {
        a.row(link_kind::argument, k)[j] = j == to ? 4 * sure : 0;
        for (const auto l : {link_kind::call, link_kind::order}) {
          float& x = a.row(l, k)[j];
          x = x > 0 ? 4 * sure : -4 * sure;
        }
      }
    }
  }

  /// Links by place: the nearest argument mention, the call before a value, calls as they are written.
  void link_by_place(answers& a) const {
    for (std::size_t k = 0; k < tokens_.count; ++k) {
      std::size_t call = max_tokens;
      for (std::size_t j = 0; j < tokens_.count; ++j) {
        const float far =
            static_cast<float>(j > k ? 2 * (j - k) : 2 * (k - j) - 1);  // a name before a value is nearer
        a.row(link_kind::argument, k)[j] = -far;
        a.row(link_kind::call, k)[j] = -sure;
        a.row(link_kind::order, k)[j] = k < j ? sure : -sure;
        if (is_call(a, j) && (j <= k || call == max_tokens)) call = j;
      }
      if (call != max_tokens) a.row(link_kind::call, k)[call] = sure;
      a.no_argument[k] = -9;
    }
  }

  /// Everything by rules.
  void read(answers& a) const {
    const std::size_t n = tokens_.count;
    for (std::size_t k = 0; k < n; ++k) a.roles[k][at(token_role::none)] = sure;
    unsigned called = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const token& t = tokens_[k];
      if (t.tools == 0) continue;
      const bool excluded =
          near_before(k, 4, {"not", "don't", "dont", "never", "skip", "without", "instead", "no", "omit"});
      const bool again = (called & t.tools) != 0 && !values_follow(k);
      be(a, k, excluded || again ? token_role::mention : token_role::call);
      if (!excluded) called |= t.tools;
    }
    std::vector<bool> taken(n, false);
    for (std::size_t k = 0; k < n; ++k) {
      const token& t = tokens_[k];
      if (!t.is_value() || t.tools != 0) continue;
      if (t.kind == token_kind::number && is_limit(k)) {
        be(a, k, token_role::limit);
        continue;
      }
      for (std::size_t d = 1; d <= 4; ++d) {
        const std::size_t j = k >= d && names_argument(k - d, taken)                ? k - d
                              : k + d < n && d <= 3 && names_argument(k + d, taken) ? k + d
                                                                                    : n;
        if (j == n) continue;
        be(a, k, token_role::value);
        be(a, j, token_role::argument);
        taken[j] = true;
        break;
      }
    }
    for (std::size_t k = 0; k < n; ++k)
      if (tokens_[k].properties != 0 && tokens_[k].tools == 0 && !taken[k]) be(a, k, token_role::property);
    link_by_place(a);
    for (std::size_t k = 0; k < n; ++k)
      if (word(k) == "after" || (word(k) == "before" && k + 1 < n && word(k + 1) == "that") ||
          (word(k) == "first" && k > 0 && word(k - 1) == "but"))
        turn_round(a, k);

    a.sums.fill(0);
    for (std::size_t c = 1; c < class_count; ++c) a.sums[c] = -sure;
    accuse(a, errc::unsupported_condition,
           {"if", "unless", "whenever", "depending", "provided", "otherwise"});
    accuse(a, errc::unsupported_loop, {"each", "every", "until", "repeat", "twice", "retry", "again"});
    accuse(a, errc::unsupported_shaping,
           {"sort", "sorted", "average", "sum", "count", "oldest", "newest", "latest", "filter", "group",
            "grouped", "highest", "lowest", "total", "recent", "random"});
    accuse(a, errc::ambiguous, {"or", "either", "maybe"});
    accuse(a, errc::unsupported_dependency, {"returns", "returned", "its", "from"},
           {"id", "result", "answer", "output"});
    const bool parallel = has({"parallel", "concurrently", "simultaneously", "together"}) ||
                          has_pair("at", "once") || has_pair("same", "time") || has_pair("side", "by");
    const bool last = has_pair("last", "result") || has_pair("final", "result") || has_pair("last", "one") ||
                      has_pair("the", "last") || has_pair("final", "one");
    a.sums[evidence_parallel] = parallel ? sure : -sure;
    a.sums[evidence_last] = last ? sure : -sure;
  }

 private:
  static constexpr std::size_t at(token_role r) { return static_cast<std::size_t>(r); }
  static void be(answers& a, std::size_t k, token_role r) {
    a.roles[k].fill(0);
    a.roles[k][at(r)] = sure;
  }
  static bool is_call(const answers& a, std::size_t k) {
    std::size_t best = 0;
    for (std::size_t r = 1; r < role_count; ++r)
      if (a.roles[k][r] > a.roles[k][best]) best = r;
    return best == at(token_role::call) || best == at(token_role::new_call);
  }
  [[nodiscard]] std::string word(std::size_t k) const {
    std::string w(text_.substr(tokens_[k].begin, tokens_[k].end - tokens_[k].begin));
    for (char& c : w) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return w;
  }
  [[nodiscard]] bool is_one(std::size_t k, std::initializer_list<std::string_view> words) const {
    const auto w = word(k);
    for (const auto x : words)
      if (w == x) return true;
    return false;
  }
  [[nodiscard]] bool near_before(std::size_t k, std::size_t reach,
                                 std::initializer_list<std::string_view> words) const {
    for (std::size_t d = 1; d <= reach && d <= k; ++d)
      if (is_one(k - d, words)) return true;
    return false;
  }
  [[nodiscard]] bool has(std::initializer_list<std::string_view> words) const {
    for (std::size_t k = 0; k < tokens_.count; ++k)
      if (tokens_[k].kind == token_kind::word && is_one(k, words)) return true;
    return false;
  }
  [[nodiscard]] bool has_pair(std::string_view first, std::string_view second) const {
    for (std::size_t k = 1; k < tokens_.count; ++k)
      if (word(k - 1) == first && word(k) == second) return true;
    return false;
  }
  void accuse(answers& a, errc code, std::initializer_list<std::string_view> words,
              std::initializer_list<std::string_view> beside = {}) const {
    if (!has(words) || (beside.size() != 0 && !has(beside))) return;
    for (std::size_t c = 1; c < class_count; ++c)
      if (class_codes[c] == code) a.sums[c] = sure;
  }
  [[nodiscard]] bool names_argument(std::size_t k, const std::vector<bool>& taken) const {
    return tokens_[k].parameters != 0 && !taken[k] && !tokens_[k].is_value();
  }
  [[nodiscard]] bool values_follow(std::size_t k) const {
    for (std::size_t j = k + 1; j < tokens_.count && tokens_[j].tools == 0; ++j)
      if (tokens_[j].is_value()) return true;
    return false;
  }
  [[nodiscard]] bool is_limit(std::size_t k) const {
    if (k > 0 && tokens_[k - 1].parameters != 0) return false;
    return near_before(k, 2, {"limit", "top", "first", "most", "max", "than", "only"}) ||
           (k + 1 < tokens_.count && is_one(k + 1, {"rows", "results", "entries", "items", "lines"}));
  }
  /// The calls on both sides of token `k` change places.
  void turn_round(answers& a, std::size_t k) const {
    for (std::size_t i = 0; i < k; ++i)
      for (std::size_t j = k; j < tokens_.count; ++j) {
        a.row(link_kind::order, i)[j] = -sure;
        a.row(link_kind::order, j)[i] = sure;
      }
  }

  std::string_view text_;
  const catalog& tools_;
  const token_list& tokens_;
};

struct workspace {
  token_list tokens{};
  network_workspace<default_shape> net{};
  token_features features{net.feature_rows(), {}, {}, {}};
  detail::search_workspace search{};
  answers table{};
};

result<plan> answer(std::string_view how, std::string_view text, const catalog& tools, workspace& w) {
  if (auto fault = tokenize(text, tools.tools(), tools.names(), w.tokens)) return *fault;
  const reader read(text, tools, w.tokens);
  w.table = {};
  if (how == "rules") {
    read.read(w.table);
  } else {
    write_features(text, tools.tools(), tools.names(), w.tokens, default_weights().words(), w.features);
    const auto out = network<default_shape>(default_weights())
                         .run({w.tokens.count, w.features.words.data(), w.features.prefixes.data(),
                               w.features.suffixes.data(), w.features.values.data(), feature_count},
                              w.net);
    w.table.copy(out, w.tokens.count);
    if (how == "greedy") read.harden(w.table);
    if (how == "unlinked") read.link_by_place(w.table);
  }
  detail::confidence_figures figures{};
  auto r = detail::decide(text, tools.tools(), tools.names(), w.tokens, w.table,
                          default_weights().calibration(), 0.0F, w.search, figures);
  if (!r) return r;
  // The confidence was fitted for another reader. So the sentence must give no likelier reason to refuse, and no reading
  // that the catalog forbids may be better.
  const auto& f = w.search.found;
  const auto& classes = w.search.scores.classes;
  if (*std::max_element(classes.begin(), classes.end()) <= classes[0] &&
      !(f.has_forbidden && f.forbidden.score > f.best.score))
    return r;
  return detail::refusal_writer<answers>(text, tools.tools(), w.tokens, w.table, w.search).run();
}

void write_answer(const record& r, const result<plan>& p) {
  std::string out = "{\"id\":";
  out += r.id().empty() ? "null" : r.id();
  if (p) {
    out += ",\"plan\":";
    write_json(*p, out);
  } else {
    out += ",\"code\":\"";
    out += to_string(p.error().code);
    out += '"';
  }
  out += "}\n";
  std::fputs(out.c_str(), stdout);
}

template <class Shape>
int plan_all(const basic_weights<Shape>& weights, std::istream& in) {
  using clock = std::chrono::steady_clock;
  basic_planner<Shape> planner(weights);
  std::vector<double> times;
  token_list tokens;
  record r;
  for (std::string line; std::getline(in, line);) {
    const auto bad = r.assign(line);
    write_answer(r, bad ? result<plan>(*bad) : planner.plan(r.instruction(), r.tools()));
    if (bad || tokenize(r.instruction(), r.tools().tools(), r.tools().names(), tokens) || tokens.count < 24 ||
        tokens.count > 36)
      continue;
    double best = 1e9;  // of a few, since machines are noisy
    for (int i = 0; i < 9; ++i) {
      const auto start = clock::now();
      static_cast<void>(planner.plan(r.instruction(), r.tools()));
      const std::chrono::duration<double, std::micro> took = clock::now() - start;
      best = (std::min)(best, took.count());
    }
    times.push_back(best);
  }
  std::sort(times.begin(), times.end());
  std::fprintf(stderr, "channels %zu microseconds %.1f\n", Shape::channels,
               times.empty() ? 0.0 : times[times.size() / 2]);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view how = argc > 1 ? argv[1] : "";
  if (how != "rules" && how != "greedy" && how != "unlinked" && how != "network") {
    std::fputs("usage: compare_readers rules|greedy|unlinked|network [FILE|-]\n", stderr);
    return 2;
  }
  std::string path = "-", weights_path;
  for (int i = 2; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--weights" && i + 1 < argc) weights_path = argv[++i];
    else path = argv[i];
  }
  std::ifstream file;
  if (path != "-") {
    file.open(path);
    if (!file) {
      std::fprintf(stderr, "compare_readers: cannot read %s\n", path.c_str());
      return 3;
    }
  }
  std::istream& in = file.is_open() ? file : std::cin;
  if (!weights_path.empty())
    return train::with_weights(weights_path, [&](const auto& w) { return plan_all(w, in); });
  if (how == "network") return plan_all(default_weights(), in);
  const auto w = std::make_unique<workspace>();
  record r;
  for (std::string line; std::getline(in, line);) {
    const auto bad = r.assign(line);
    write_answer(r, bad ? result<plan>(*bad) : answer(how, r.instruction(), r.tools(), *w));
  }
  return 0;
}
