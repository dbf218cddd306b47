#pragma once

// New samples from hand-written ones: other names in the spelling of the mention, other values, another
// catalog, context before or after, calls joined, and edits that turn a good instruction into a refusal.

#include "align.hpp"
#include "corpus.hpp"
#include "phrases.hpp"

#include <codemode/text/json_text.hpp>
#include <codemode/text/number.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace train {

class random_source {
 public:
  explicit random_source(std::uint64_t seed) : engine_(seed) {}
  double unit() { return std::uniform_real_distribution<double>(0, 1)(engine_); }
  bool chance(double p) { return unit() < p; }
  int integer(int low, int high) { return std::uniform_int_distribution<int>(low, high)(engine_); }
  template <class Range>
  const auto& pick(const Range& r) {
    return r[static_cast<std::size_t>(integer(0, static_cast<int>(std::size(r)) - 1))];
  }
  std::mt19937_64& engine() { return engine_; }

 private:
  std::mt19937_64 engine_;
};

/// What exchanging draws from.
struct pools {
  std::vector<tool_spec> tools;
  std::vector<std::string> tool_names, argument_names, property_names;
  std::vector<std::string> strings;  // JSON literals
  std::vector<std::string> numbers;  // JSON literals
  std::vector<std::string> contexts;    // harvested from accepted instructions
  struct clause {
    std::string code;
    char place;  // b before, a after, s a sentence of its own
    std::string text;
  };
  std::vector<clause> harmless, refusing;  // hand-written clauses, see data/clauses.txt
  std::vector<std::string> background;  // hand-written: words of schedule, order and the like that change nothing
  std::vector<const frame*> singles;  // one call, no shaping, short
  /// A hand-written way to put calls together, see data/joins.txt: what stands before, between and behind the pieces.
  struct joining {
    struct piece {
      std::string before;
      std::size_t part = 0;
      bool name = false;  // the name of the part's tool, not the part
    };
    std::string code;  // serial, parallel or a refusal
    std::vector<std::size_t> order;  // parts in the order of execution
    std::vector<piece> pieces;
    std::string tail;
  };
  std::vector<joining> joinings;
};

inline constexpr std::string_view english_names[] = {
    "list", "get",  "open", "find", "first", "last",  "order", "name",  "time",  "all",  "top",   "limit",
    "next", "then", "send", "run",  "show",  "search", "status", "level", "type", "count", "text", "user",
    "file", "report", "move", "set", "start", "stop", "call",  "total", "page",  "query", "state", "note",
    "for",  "with", "date", "only", "each",  "check", "update", "result", "value", "number", "and", "to", "from", "in"};

inline std::string json_string(std::string_view content) {
  std::string s = "\"";
  codemode::text::append_json_content(s, content);
  return s + "\"";
}

inline std::string capitalised(std::string w) {
  if (!w.empty() && w[0] >= 'a' && w[0] <= 'z') w[0] = static_cast<char>(w[0] - 'a' + 'A');
  return w;
}

/// `name` spelled loosely in the way in which `mention` spells its own name.
inline std::string restyle(std::string_view mention, const std::string& name, random_source& rng) {
  auto words = words_of(name);
  const auto old = words_of(mention);
  if (words.empty() || old.empty()) return name;
  static const std::vector<std::string> joints{" ", "_", "-", " "};
  std::string joint = old.size() > 1 ? std::string(mention.substr(old[0].end, old[1].begin - old[0].end))
                                     : rng.pick(joints);
  const auto spelled = [&](const word_range& w) { return std::string(mention.substr(w.begin, w.end - w.begin)); };
  const auto upper = [](const std::string& s) {
    bool any = false;
    for (const char c : s) {
      if (c >= 'a' && c <= 'z') return false;
      any = any || (c >= 'A' && c <= 'Z');
    }
    return any;
  };
  const auto capital = [](const std::string& s) { return !s.empty() && s[0] >= 'A' && s[0] <= 'Z'; };
  bool all_upper = true, all_capital = true;
  for (const auto& w : old) {
    all_upper = all_upper && upper(spelled(w)) && w.end - w.begin > 1;
    all_capital = all_capital && capital(spelled(w));
  }
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string w = words[i].lower;
    if (all_upper) {
      for (char& c : w)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    } else if (all_capital || (i == 0 && capital(spelled(old[0]))) || (i > 0 && joint.empty())) {
      w = capitalised(w);
    }
    if (i > 0) out += joint;
    out += w;
  }
  return out;
}

/// Tokenizes and keeps the frame; false where the text is not clean.
inline bool cut(frame& f) {
  return !codemode::tokenize(f.text, f.tools->tools(), f.tools->index(), f.tokens);
}

/// Moves labels to the tokens of `to`, whose text has the old token `k` at byte `at[k]`.
inline bool move_labels(const frame& from, const std::vector<std::size_t>& at, frame& to,
                        const std::map<std::string, std::string>* names = nullptr, bool same_size = false) {
  std::map<std::size_t, int> starts;
  for (std::size_t k = 0; k < to.tokens.count; ++k) starts[to.tokens[k].begin] = static_cast<int>(k);
  const auto& l = *from.lab;
  std::vector<int> map(from.tokens.count, -1);
  for (std::size_t k = 0; k < from.tokens.count; ++k) {
    const auto s = starts.find(at[k]);
    bool ok = s != starts.end();
    if (ok && same_size) {
      const auto& t = to.tokens[static_cast<std::size_t>(s->second)];
      ok = t.end - t.begin == from.tokens[k].end - from.tokens[k].begin;
    }
    if (ok) map[k] = s->second;
    else if (l.roles[k] != r_none && l.roles[k] != r_mention) return false;
  }
  labels r;
  r.roles.assign(to.tokens.count, r_none);
  for (std::size_t k = 0; k < from.tokens.count; ++k)
    if (map[k] >= 0) r.roles[static_cast<std::size_t>(map[k])] = l.roles[k];
  for (const int a : l.anchors) r.anchors.push_back(map[static_cast<std::size_t>(a)]);
  for (const auto& x : l.links) {
    const auto n = names != nullptr && names->count(x.name) != 0 ? names->at(x.name) : x.name;
    r.links.push_back({map[static_cast<std::size_t>(x.value)], x.call, map[static_cast<std::size_t>(x.mention)], n});
  }
  r.limit = l.limit < 0 ? -1 : map[static_cast<std::size_t>(l.limit)];
  for (std::size_t k = 0; k < to.tokens.count; ++k) {
    if (to.tokens[k].tools != 0 && r.roles[k] == r_none) r.roles[k] = r_mention;
    if (to.tokens[k].tools == 0 && r.roles[k] == r_mention) r.roles[k] = r_none;
  }
  to.lab = std::move(r);
  return true;
}

/// Whether the labels fit the tokens: calls on tool mentions, values on values, arguments named.
inline bool sound(const frame& f) {
  const auto& l = *f.lab;
  for (std::size_t c = 0; c < l.anchors.size(); ++c) {
    const auto k = static_cast<std::size_t>(l.anchors[c]);
    if (l.roles[k] == r_call) {
      const int tool = f.tools->find(f.plan.calls[c].tool);
      if (tool < 0 || (f.tokens[k].tools >> tool & 1) == 0) return false;
    } else if (!f.tokens[k].is_value()) {
      return false;
    }
  }
  for (const auto& x : l.links) {
    if (x.value < 0 || x.mention < 0 || !f.tokens[static_cast<std::size_t>(x.value)].is_value()) return false;
    const int tool = f.tools->find(f.plan.calls[static_cast<std::size_t>(x.call)].tool);
    if (tool < 0) return false;
    const int p = f.tools->specs()[static_cast<std::size_t>(tool)].find(x.name);
    if (p < 0) return false;
    const auto bit = codemode::parameter_bit(static_cast<std::size_t>(tool), static_cast<std::size_t>(p));
    if ((f.tokens[static_cast<std::size_t>(x.mention)].parameters & bit) == 0) return false;
  }
  std::size_t fields = 0;
  for (std::size_t k = 0; k < f.tokens.count; ++k)
    if (l.roles[k] == r_property) {
      if (f.tokens[k].properties == 0) return false;
      ++fields;
    }
  return fields == f.plan.fields.size();
}

class augmenter {
 public:
  augmenter(const pools& p, random_source& rng) : pools_(p), rng_(rng) {}

  /// A variant of `f` with other names, values and distractors, or nothing where it does not come out clean.
  std::optional<frame> vary(const frame& f) {
    frame g;
    g.id = f.id;
    g.code = f.code;
    g.plan = f.plan;
    names_.clear();
    if (!exchange_catalog(f, g)) return std::nullopt;
    std::vector<std::size_t> at;
    write_text(f, g, at);
    if (!cut(g) || g.tokens.count == 0) return std::nullopt;
    if (!f.lab) return g;
    rename_plan(g.plan);
    if (!move_labels(f, at, g, &names_)) return std::nullopt;
    // the limit may have been exchanged
    if (g.lab->limit >= 0) g.plan.limit = static_cast<int>(g.tokens[static_cast<std::size_t>(g.lab->limit)].number);
    if (!sound(g)) return std::nullopt;
    return g;
  }

  /// The frame with a harmless sentence before or after.
  std::optional<frame> with_context(const frame& f) {
    if (pools_.contexts.empty()) return std::nullopt;
    const auto& c = !pools_.background.empty() && rng_.chance(0.4) ? rng_.pick(pools_.background) : rng_.pick(pools_.contexts);
    frame g;
    g.id = f.id;
    g.code = f.code;
    g.plan = f.plan;
    g.tools = f.tools;
    std::size_t shift = 0;
    const std::string joint = rng_.chance(0.7) ? " " : "\n";
    if (rng_.chance(0.5)) {
      g.text = c + joint + f.text;
      shift = c.size() + joint.size();
    } else {
      std::string t = trimmed(f.text);
      const char last = t.empty() ? ' ' : t.back();
      g.text = t + (last == '.' || last == '!' || last == '?' ? "" : ".") + joint + c;
    }
    if (!cut(g)) return std::nullopt;
    if (!f.lab) return g;
    std::vector<std::size_t> at;
    for (std::size_t k = 0; k < f.tokens.count; ++k) at.push_back(f.tokens[k].begin + shift);
    if (!move_labels(f, at, g, nullptr, true) || !sound(g)) return std::nullopt;
    return g;
  }

  /// The frame with a hand-written clause: one that changes nothing, or one that makes it a refusal.
  std::optional<frame> with_clause(const frame& f, bool refusing) {
    const auto& pool = refusing ? pools_.refusing : pools_.harmless;
    if (pool.empty()) return std::nullopt;
    const auto& c = rng_.pick(pool);
    frame g;
    g.id = f.id;
    g.code = refusing ? c.code : f.code;
    g.plan = f.plan;
    g.tools = f.tools;
    std::size_t shift = 0;
    const auto stop = [](char x) { return x == '.' || x == '!' || x == '?'; };
    const bool alone = c.place == 's';
    if (c.place == 'b' || (alone && rng_.chance(0.35))) {
      const std::string joint = alone ? " " : rng_.chance(0.85) ? ", " : " ";
      g.text = c.text + joint + f.text;
      shift = c.text.size() + joint.size();
    } else {
      std::string t = trimmed(f.text);
      std::string end;
      if (!alone && !t.empty() && stop(t.back())) {
        end = t.substr(t.size() - 1);
        t.pop_back();
      }
      if (alone && !t.empty() && !stop(t.back())) t += '.';
      g.text = t + (alone ? " " : rng_.chance(0.6) ? ", " : rng_.chance(0.2) ? " - " : " ") + c.text + end;
    }
    if (!cut(g)) return std::nullopt;
    if (!f.lab || refusing) return g;
    std::vector<std::size_t> at;
    for (std::size_t k = 0; k < f.tokens.count; ++k) at.push_back(f.tokens[k].begin + shift);
    if (!move_labels(f, at, g, nullptr, true) || !sound(g)) return std::nullopt;
    return g;
  }

  /// Frames joined to one instruction. All but at most one must be single calls; a refusal stays one.
  std::optional<frame> join(std::vector<const frame*> parts);

  /// A good frame edited into a refusal whose code is certain, or nothing where none fits.
  std::optional<frame> spoil(const frame& f);

 private:
  static std::string trimmed(const std::string& s) {
    const auto e = s.find_last_not_of(" \n\t\r");
    return e == std::string::npos ? std::string() : s.substr(0, e + 1);
  }

  const std::string& renamed(const std::string& n) const {
    const auto i = names_.find(n);
    return i == names_.end() ? n : i->second;
  }

  void rename_plan(plan_spec& p) const {
    for (auto& c : p.calls) {
      c.tool = renamed(c.tool);
      for (auto& a : c.arguments) a.first = renamed(a.first);
    }
    for (auto& x : p.fields) x = renamed(x);
  }

  std::string fresh(const std::string& old, const std::vector<std::string>& source, std::set<std::string>& taken) {
    const auto lower = [](std::string s) {
      for (char& c : s)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
      return s;
    };
    for (int i = 0; i < 20; ++i) {
      const std::string n = rng_.chance(0.08) ? std::string(rng_.pick(english_names)) : rng_.pick(source);
      if (taken.insert(lower(n)).second) return n;
    }
    taken.insert(lower(old));
    return old;
  }

  bool exchange_catalog(const frame& f, frame& g) {
    const auto& specs = f.tools->specs();
    std::vector<char> keep(specs.size(), 0);
    for (std::size_t k = 0; k < f.tokens.count; ++k)
      for (std::size_t i = 0; i < specs.size(); ++i)
        if ((f.tokens[k].tools >> i & 1) != 0) keep[i] = 1;
    const double share = rng_.unit();
    std::vector<tool_spec> chosen;
    for (std::size_t i = 0; i < specs.size(); ++i)
      if (keep[i] != 0 || rng_.chance(share)) chosen.push_back(specs[i]);
    if (chosen.empty()) chosen.push_back(specs[0]);
    std::set<std::string> taken;
    if (rng_.chance(0.8)) {
      static constexpr double shares[] = {0.5, 0.9, 1.0};
      const double p = rng_.pick(shares);
      const auto rename = [&](const std::string& n, const std::vector<std::string>& source) {
        if (names_.count(n) == 0) {
          std::string to = rng_.chance(p) ? fresh(n, source, taken) : n;
          taken.insert(to);
          names_[n] = std::move(to);
        }
      };
      for (const auto& t : chosen) {
        rename(t.name, pools_.tool_names);
        for (const auto& a : t.arguments) rename(a.name, pools_.argument_names);
        for (const auto& q : t.properties) rename(q, pools_.property_names);
      }
      std::set<std::string> distinct;
      for (const auto& [from, to] : names_)
        if (!distinct.insert(to).second) return false;
      for (auto& t : chosen) {
        t.name = renamed(t.name);
        if (!codemode::text::is_identifier(t.name)) return false;
        for (auto& a : t.arguments) a.name = renamed(a.name);
        for (auto& q : t.properties) q = renamed(q);
      }
    }
    std::set<std::string> have;
    for (const auto& t : chosen) have.insert(t.name);
    if (have.size() != chosen.size()) return false;
    if (chosen.size() < 8 && rng_.chance(0.7)) {
      const int more = rng_.integer(0, 8 - static_cast<int>(chosen.size()));
      for (int i = 0; i < more; ++i) {
        const auto& t = rng_.pick(pools_.tools);
        if (have.insert(t.name).second) chosen.push_back(t);
      }
    }
    std::shuffle(chosen.begin(), chosen.end(), rng_.engine());
    g.tools = std::make_shared<schema>(std::move(chosen));
    return true;
  }

  /// The name that the mention `k` stands for, or empty where it is only a word.
  std::string source_name(const frame& f, std::size_t k) const {
    const token& t = f.tokens[k];
    const auto& names = f.tools->index().names();
    const auto any = [&](auto&& fits) -> std::string {
      for (std::size_t i = 0; i < t.name_count; ++i) {
        const auto& e = names[static_cast<std::size_t>(t.names[i])];
        if (fits(e)) return std::string(e.text);
      }
      return {};
    };
    const auto tool = [](const codemode::name_entry& e) { return e.tool_mask != 0; };
    const auto argument = [](const codemode::name_entry& e) { return e.parameter_mask != 0; };
    const auto property = [](const codemode::name_entry& e) { return e.property_mask != 0; };
    if (f.lab) {
      switch (f.lab->roles[k]) {
        case r_call:
        case r_mention: return any(tool);
        case r_argument:
          for (const auto& l : f.lab->links)
            if (l.mention == static_cast<int>(k)) return l.name;
          return any(argument);
        case r_property:
          for (const auto& x : f.plan.fields)
            if (auto n = any([&](const codemode::name_entry& e) { return e.text == x; }); !n.empty()) return n;
          return any(property);
        default:
          // Words that happen to be names stay; what looks like a name only moves along.
          if (words_of(f.spelled(k)).size() < 2 && plain(f.spelled(k))) return {};
          return any([](const codemode::name_entry&) { return true; });
      }
    }
    if (t.tools != 0) return any(tool);
    if (t.parameters != 0) return any(argument);
    return any(property);
  }

  static bool plain(std::string_view s) {
    for (const char c : s)
      if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))) return false;
    return true;
  }

  std::string new_number(const std::string& old) {
    if (old.find_first_of(".eE") != std::string::npos && rng_.chance(0.7)) {
      const int digits = rng_.integer(1, 2);
      const int scale = digits == 1 ? 10 : 100;
      int n = rng_.integer(old[0] == '-' ? -500 : 0, 20000);
      if (n % 10 == 0) ++n;
      std::string s = n < 0 ? "-" : "";
      n = n < 0 ? -n : n;
      std::string fraction = std::to_string(n % scale);
      while (static_cast<int>(fraction.size()) < digits) fraction.insert(0, "0");
      return s + std::to_string(n / scale) + "." + fraction;
    }
    if (rng_.chance(0.5)) return rng_.pick(pools_.numbers);
    switch (rng_.integer(0, 3)) {
      case 0: return std::to_string(rng_.integer(0, 20));
      case 1: return std::to_string(rng_.integer(0, 100));
      case 2: return std::to_string(rng_.integer(100, 10000));
      default: return std::to_string(rng_.integer(1, 9));
    }
  }

  /// Writes the text of `g` and where each old token now begins.
  void write_text(const frame& f, frame& g, std::vector<std::size_t>& at) {
    std::map<std::string, std::string> strings;
    std::map<double, std::string> numbers;
    std::set<std::string> used;
    const bool values = rng_.chance(0.8);
    std::size_t position = 0;
    const double rephrase = rng_.chance(0.6) ? 0.35 : 0.0;
    const bool typos = rng_.chance(0.15);
    const bool lower = rng_.chance(0.06);
    const bool bare = rng_.chance(0.05);
    for (std::size_t k = 0; k < f.tokens.count; ++k) {
      const token& t = f.tokens[k];
      const auto role = f.lab ? f.lab->roles[k] : static_cast<unsigned char>(r_none);
      // Commas and stops left out.
      if (bare && t.kind == token_kind::sign && (f.spelled(k) == "," || f.spelled(k) == ".") && k + 1 < f.tokens.count &&
          f.tokens[k + 1].begin > t.end) {
        g.text.append(f.text, position, t.begin - position);
        at.push_back(g.text.size());
        position = t.end;
        continue;
      }
      // Another phrase for the same; the tokens of the old one are marked as gone.
      if (rephrase > 0 && t.kind == token_kind::word && rng_.chance(rephrase)) {
        std::string phrase;
        if (const std::size_t n = other_phrase(f, k, phrase); n != 0) {
          g.text.append(f.text, position, t.begin - position);
          g.text += t.line_start || capital(f.spelled(k)) ? capitalised(phrase) : phrase;
          for (std::size_t i = 0; i < n; ++i) at.push_back(gone);
          k += n - 1;
          position = f.tokens[k].end;
          continue;
        }
      }
      g.text.append(f.text, position, t.begin - position);
      at.push_back(g.text.size());
      std::string s(f.spelled(k));
      switch (t.kind) {
        case token_kind::name: {
          const auto name = source_name(f, k);
          if (name.empty() || renamed(name) == name) break;
          const auto& to = renamed(name);
          if (t.quoted_name) s = json_string(to);
          else if (s == name) s = to;
          else s = restyle(s, to, rng_);
          break;
        }
        case token_kind::string: {
          auto& to = strings[s];
          if (to.empty()) {
            to = s;
            if (values && rng_.chance(0.8))
              for (int i = 0; i < 8; ++i) {
                const auto& x = rng_.pick(pools_.strings);
                if (used.insert(x).second) {
                  to = x;
                  break;
                }
              }
          }
          s = to;
          break;
        }
        case token_kind::number: {
          if (role == r_limit) {
            if (values) s = std::to_string(rng_.chance(0.5) ? rng_.integer(0, 100) : rng_.integer(1, 25));
            break;
          }
          const bool mark = t.line_start && k + 1 < f.tokens.count &&
                            (f.spelled(k + 1) == "." || f.spelled(k + 1) == ")");
          if (!values || mark || (f.lab && role == r_none) || (!f.lab && f.code == "unsupported_shaping")) break;
          auto& to = numbers[t.number];
          if (to.empty()) {
            to = s;
            if (rng_.chance(0.8)) {
              auto x = new_number(s);
              if (used.insert(x).second) to = std::move(x);
            }
          }
          s = to;
          break;
        }
        case token_kind::boolean:
          if (f.lab && values && rng_.chance(0.4)) {
            const bool capital = s[0] == 'T' || s[0] == 'F';
            const bool loud = s.size() > 1 && s[1] >= 'A' && s[1] <= 'Z';
            const bool to = !t.boolean;
            s = loud ? (to ? "TRUE" : "FALSE") : capital ? (to ? "True" : "False") : to ? "true" : "false";
          }
          break;
        case token_kind::word:
          if (role == r_limit && values && t.number > 1) {
            static const std::vector<std::string> words{"two", "three", "four", "five", "six", "seven", "eight",
                                                        "nine", "ten", "twelve", "fifteen", "twenty"};
            auto w = rng_.pick(words);
            s = s[0] >= 'A' && s[0] <= 'Z' ? capitalised(w) : w;
          } else if (role == r_none && !t.number_word) {
            if (typos && s.size() > 3 && rng_.chance(0.12)) misspell(s);
            if (lower)
              for (char& c : s)
                if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
          }
          break;
        case token_kind::sign: break;
      }
      g.text += s;
      position = t.end;
    }
    g.text.append(f.text, position, f.text.size() - position);
  }

  static constexpr std::size_t gone = static_cast<std::size_t>(-1);

  static bool capital(std::string_view s) { return !s.empty() && s[0] >= 'A' && s[0] <= 'Z'; }

  /// Another phrase for the one at token `k`: how many tokens that takes, or 0.
  std::size_t other_phrase(const frame& f, std::size_t k, std::string& phrase) {
    for (const auto& g : phrase_groups()) {
      if (!g.only_for.empty() && g.only_for != f.code) continue;
      std::size_t longest = 0;
      for (const auto& p : g.phrases) {
        if (p.size() <= longest || k + p.size() > f.tokens.count) continue;
        bool fits = true;
        for (std::size_t i = 0; i < p.size() && fits; ++i) {
          const token& t = f.tokens[k + i];
          fits = t.kind == token_kind::word && codemode::detail::equals_ignoring_case(f.spelled(k + i), p[i]) &&
                 (!f.lab || f.lab->roles[k + i] == r_none) && (i == 0 || !t.line_start);
        }
        if (fits) longest = p.size();
      }
      if (longest == 0) continue;
      const auto& to = rng_.pick(g.phrases);
      for (std::size_t i = 0; i < to.size(); ++i) phrase += (i == 0 ? "" : " ") + to[i];
      return longest;
    }
    return 0;
  }

  /// One letter doubled, dropped or exchanged with the next, inside the word.
  void misspell(std::string& s) {
    for (const char c : s)
      if (static_cast<unsigned char>(c) >= 0x80 || c == '\'') return;
    const auto i = static_cast<std::size_t>(rng_.integer(1, static_cast<int>(s.size()) - 2));
    switch (rng_.integer(0, 2)) {
      case 0: s.insert(i, 1, s[i]); break;
      case 1: s.erase(i, 1); break;
      default: std::swap(s[i], s[i + 1]); break;
    }
  }

  const pools& pools_;
  random_source& rng_;
  std::map<std::string, std::string> names_;  // old name -> new name of the variant in hand
};


// --- joining -----------------------------------------------------------------------------------------

inline constexpr std::string_view serial_joints[] = {
    ", then ", " then ", "; then ", ", and then ", ". Then ", ". After that ", ", after that ", "; ", " -> ", " → ",
    ". Next, ", ", followed by ", ", and ", ". And ", "\n", ". When that is done, ", ", next ", " && ", ". Afterwards ",
    ", afterwards ", " | ", ". Once that has finished, ", ". Also ", ", also ", ". Second: ", ". Finally ", " and ",
    ". Besides that, ", "; after it ", ". As soon as that's through, ", "\n\n", ", plus ", " => ", " followed by "};
inline constexpr std::string_view parallel_joints[] = {
    " and at the same time ", ", and in parallel ", " in parallel with ", " and simultaneously ", ", concurrently ",
    " while at the same time running ", " & in parallel ", ", and alongside it, ", ". At the same time, ",
    "; meanwhile ", ", side by side with ", " together with, at the same moment, ", ". In parallel to that, ",
    ", and concurrently ", " and, without waiting for it, "};
inline constexpr std::string_view parallel_heads[] = {
    "In parallel: ", "At the same time, ", "Run these concurrently: ", "parallel: ", "Simultaneously: ",
    "All at once: ", "Side by side, please: ", "do these in parallel - ", "par: ", "Start these together: ",
    "Concurrently, please:\n", "Without waiting for one another: "};
inline constexpr std::string_view parallel_tails[] = {
    ", in parallel", ", all at the same time", ", concurrently", " - all at once", ", simultaneously",
    ". Run them in parallel.", ". Do them side by side.",
    ". No need to wait for one before the next, start them together.", " (in parallel)", ". These can go concurrently.",
    ", none waiting for the other", ". Fire them off simultaneously."};
inline constexpr std::string_view last_tails[] = {
    ", and return only the last result", ". Only the final result, please.", ", just the last result",
    " (last result only)", ". I only need what the last call returns.", "; give me the final one only",
    ". Return just the result of the last call.", ". Skip the earlier results, the last one is enough.",
    ". Output: last.", ", last output only", ". Nothing but the final answer.", ", keep only the last reply"};
inline constexpr std::string_view all_tails[] = {
    ", and return all results", ". Show me every result.", "; all results please", ". I need all the results.",
    ", report everything back", " and give me the results of each", ". Output: all.", ". Return both results.",
    ". I want to see what each of them says."};

/// A line of data/joins.txt; nothing where it is none.
inline std::optional<pools::joining> parse_joining(std::string_view line) {
  const auto first = line.find('\t');
  if (line.empty() || line[0] == '#' || first == std::string_view::npos) return std::nullopt;
  const auto second = line.find('\t', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  pools::joining j;
  j.code = line.substr(0, first);
  for (const char c : line.substr(first + 1, second - first - 1)) j.order.push_back(static_cast<std::size_t>(c - '1'));
  const auto text = line.substr(second + 1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == 'n') {
      j.tail += '\n';
      ++i;
    } else if (text[i] == '{') {
      const bool name = text[i + 1] == 'n';
      const std::size_t digit = i + (name ? 2 : 1);
      j.pieces.push_back({std::exchange(j.tail, {}), static_cast<std::size_t>(text[digit] - '1'), name});
      i = digit + 1;
    } else {
      j.tail += text[i];
    }
  }
  return j;
}

inline std::optional<frame> augmenter::join(std::vector<const frame*> parts) {
  std::vector<tool_spec> tools;
  std::string code = "ok";
  for (const auto* f : parts) {
    if (f->code != "ok") code = f->code;
    for (std::size_t i = 0; i < f->tools->specs().size(); ++i) {
      const auto& t = f->tools->specs()[i];
      bool needed = false;
      for (std::size_t k = 0; k < f->tokens.count; ++k) needed = needed || (f->tokens[k].tools >> i & 1) != 0;
      if (!needed) continue;
      const auto same = std::find_if(tools.begin(), tools.end(), [&](const tool_spec& x) { return x.name == t.name; });
      if (same == tools.end()) tools.push_back(t);
      else if (same->arguments.size() != t.arguments.size() || same->returns != t.returns) return std::nullopt;
    }
  }
  if (tools.empty() || tools.size() > 8) return std::nullopt;
  std::shuffle(tools.begin(), tools.end(), rng_.engine());

  frame g;
  g.id = "join";
  g.tools = std::make_shared<schema>(std::move(tools));
  bool parallel = rng_.chance(0.4);
  const bool mixed = parts.size() == 3 && code == "ok" && rng_.chance(0.12);
  const pools::joining* joining = nullptr;
  if (!mixed && parts.size() <= 3 && !pools_.joinings.empty() && rng_.chance(0.5))
    for (int i = 0; i < 8 && joining == nullptr; ++i) {
      const auto& j = rng_.pick(pools_.joinings);
      const bool fits = j.order.size() == parts.size() && (code == "ok" || j.code == "serial" || j.code == "parallel");
      if (fits && (j.code == "serial" || rng_.chance(j.code == "parallel" ? 0.7 : 0.5))) joining = &j;
    }
  const double style = rng_.unit();
  std::string head, tail;
  std::vector<std::string> joints;
  if (joining != nullptr) {
    parallel = joining->code == "parallel";
    if (joining->code != "serial" && joining->code != "parallel") code = joining->code;
    tail = joining->tail;
  } else if (mixed) {
    const std::string a(rng_.pick(parallel_joints)), b(rng_.pick(serial_joints));
    static constexpr std::string_view thens[] = {", then ", ". Then ", ", and after that ", "; afterwards ",
                                                 ". When both are done, ", ", and only then ", " -> "};
    const std::string c(rng_.pick(thens));
    if (rng_.chance(0.6)) joints = {a, c};
    else joints = {c, a};
    code = "unsupported_schedule";
    parallel = false;
  } else if (parallel) {
    if (style < 0.35 && parts.size() == 2) {
      joints = {std::string(rng_.pick(parallel_joints))};
    } else {
      static constexpr std::string_view plain[] = {", ", " and ", "; ", ", and ", "\n", " + ", " & ", " / "};
      const std::string c(rng_.pick(plain));
      joints.assign(parts.size() - 1, c);
      if (parts.size() > 2 && rng_.chance(0.5)) joints.back() = ", and ";
      if (style < 0.7) head = rng_.pick(parallel_heads);
      else tail = rng_.pick(parallel_tails);
    }
  } else {
    for (std::size_t i = 1; i < parts.size(); ++i) joints.emplace_back(rng_.pick(serial_joints));
    if (rng_.chance(0.15)) {
      static constexpr std::string_view heads[] = {"First ", "1. ", "First of all, ", "Two things: ", "One after another: ",
                                                   "In this order: ", "seq: ", "Step 1: "};
      head = rng_.pick(heads);
      if (head == "1. " || head == "Step 1: ")
        for (std::size_t i = 0; i < joints.size(); ++i)
          joints[i] = (head == "1. " ? "\n" + std::to_string(i + 2) + ". " : "\nStep " + std::to_string(i + 2) + ": ");
    }
  }
  const double o = rng_.unit();
  bool last = false;
  if (o < 0.25) {
    tail += rng_.pick(last_tails);
    last = true;
  } else if (o < 0.45) {
    tail += rng_.pick(all_tails);
  }
  if (joining == nullptr && !tail.empty() && tail[0] == '.' && head.empty() && rng_.chance(0.15)) {
    // the remark in front instead of behind
    head = tail.substr(2) + (tail.back() == '.' ? " " : ". ");
    head[0] = capitalised(head.substr(0, 1))[0];
    tail.clear();
  }
  g.text = head;
  std::vector<std::size_t> offsets(parts.size());
  std::vector<std::pair<std::size_t, std::size_t>> names;  // where a part's tool is named apart from it
  const auto add_part = [&](std::size_t i, bool closed) {
    const auto& source = parts[i]->text;
    const auto first = source.find_first_not_of(" \n\t");
    std::string s = trimmed(source).substr(first == std::string::npos ? 0 : first);
    if (!closed)
      while (!s.empty() && (s.back() == '.' || s.back() == '!' || s.back() == ';' || s.back() == ' ')) s.pop_back();
    offsets[i] = g.text.size() - (first == std::string::npos ? 0 : first);
    g.text += s;
  };
  if (joining != nullptr) {
    for (std::size_t k = 0; k < joining->pieces.size(); ++k) {
      const auto& piece = joining->pieces[k];
      g.text += piece.before;
      const frame& f = *parts[piece.part];
      if (!piece.name) {
        add_part(piece.part, k + 1 == joining->pieces.size() && tail.empty());
        continue;
      }
      if (!f.lab) return std::nullopt;
      const auto anchor = static_cast<std::size_t>(f.lab->anchors[0]);
      if (f.tokens[anchor].tools == 0) return std::nullopt;
      for (std::size_t other = 0; other < parts.size(); ++other)
        if (other != piece.part && parts[other]->lab && parts[other]->plan.calls[0].tool == f.plan.calls[0].tool)
          return std::nullopt;  // the name would not tell which of the two calls is meant
      names.emplace_back(piece.part, g.text.size());
      g.text += f.spelled(anchor);
    }
  } else {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (i > 0) g.text += joints[i - 1];
      add_part(i, i + 1 == parts.size() && tail.empty());
    }
  }
  g.text += tail;
  if (!cut(g)) return std::nullopt;
  if (parts.size() > 3 && code == "ok") code = "too_many_calls";
  g.code = code;
  if (code != "ok") return g;

  labels r;
  r.roles.assign(g.tokens.count, r_none);
  std::map<std::size_t, int> starts;
  for (std::size_t k = 0; k < g.tokens.count; ++k) starts[g.tokens[k].begin] = static_cast<int>(k);
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const frame& f = *parts[p];
    const auto& l = *f.lab;
    std::vector<int> map(f.tokens.count, -1);
    for (std::size_t k = 0; k < f.tokens.count; ++k) {
      const auto s = starts.find(f.tokens[k].begin + offsets[p]);
      if (s != starts.end()) {
        const auto& t = g.tokens[static_cast<std::size_t>(s->second)];
        if (t.end - t.begin == f.tokens[k].end - f.tokens[k].begin) map[k] = s->second;
      }
      if (map[k] < 0 && l.roles[k] != r_none) return std::nullopt;
      if (map[k] >= 0) r.roles[static_cast<std::size_t>(map[k])] = l.roles[k];
    }
    r.anchors.push_back(map[static_cast<std::size_t>(l.anchors[0])]);
    const auto place = static_cast<int>(p);
    for (const auto& x : l.links)
      r.links.push_back({map[static_cast<std::size_t>(x.value)], place, map[static_cast<std::size_t>(x.mention)], x.name});
    g.plan.calls.push_back(f.plan.calls[0]);
  }
  // Where a tool is named before its call, the first mention is the call's, as in align.hpp.
  for (const auto& [p, at] : names) {
    const auto s = starts.find(at);
    if (s == starts.end()) return std::nullopt;
    if (s->second > r.anchors[p]) continue;
    std::swap(r.roles[static_cast<std::size_t>(s->second)], r.roles[static_cast<std::size_t>(r.anchors[p])]);
    r.anchors[p] = s->second;
  }
  if (joining != nullptr) {
    const auto anchors = r.anchors;
    const auto calls = g.plan.calls;
    std::vector<int> turn(parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
      r.anchors[i] = anchors[joining->order[i]];
      g.plan.calls[i] = calls[joining->order[i]];
      turn[joining->order[i]] = static_cast<int>(i);
    }
    for (auto& x : r.links) x.call = turn[static_cast<std::size_t>(x.call)];
  }
  for (std::size_t k = 0; k < g.tokens.count; ++k)
    if (g.tokens[k].tools != 0 && r.roles[k] == r_none) r.roles[k] = r_mention;
  g.plan.mode = parallel ? 2 : 1;
  g.plan.last = last;
  g.lab = std::move(r);
  if (!sound(g)) return std::nullopt;
  return g;
}

// --- spoiling ----------------------------------------------------------------------------------------

inline std::optional<frame> augmenter::spoil(const frame& f) {
  if (!f.lab) return std::nullopt;
  const auto& l = *f.lab;
  frame g;
  g.id = f.id;
  g.plan = f.plan;
  g.text = f.text;
  auto specs = f.tools->specs();
  std::vector<std::size_t> at;
  for (std::size_t k = 0; k < f.tokens.count; ++k) at.push_back(f.tokens[k].begin);
  int foreign = -1;
  // Replaces or lengthens the token `k`.
  const auto rewrite = [&](std::size_t k, const std::string& s) {
    const auto old = f.tokens[k].end - f.tokens[k].begin;
    g.text.replace(f.tokens[k].begin, old, s);
    for (std::size_t j = k + 1; j < at.size(); ++j) at[j] = at[j] + s.size() - old;
  };
  const auto spec_of = [&](std::size_t call) -> tool_spec& {
    return specs[static_cast<std::size_t>(f.tools->find(f.plan.calls[call].tool))];
  };
  bool relabel = true;
  switch (rng_.integer(0, 11)) {
    case 0: {  // an argument that the tool does not have
      if (l.links.empty()) return std::nullopt;
      const auto& x = rng_.pick(l.links);
      auto& s = spec_of(static_cast<std::size_t>(x.call));
      s.arguments.erase(s.arguments.begin() + s.find(x.name));
      foreign = x.mention;
      g.code = "unknown_argument";
      break;
    }
    case 1:  // an undeclared field
    case 2: {
      if (f.plan.fields.empty()) return std::nullopt;
      const auto name = rng_.pick(f.plan.fields);
      auto& p = spec_of(0).properties;
      p.erase(std::find(p.begin(), p.end(), name));
      for (std::size_t k = 0; k < f.tokens.count; ++k)
        if (l.roles[k] == r_property)
          for (std::size_t i = 0; i < f.tokens[k].name_count; ++i)
            if (f.tools->index().names()[static_cast<std::size_t>(f.tokens[k].names[i])].text == name)
              foreign = static_cast<int>(k);
      g.code = "unsupported_shaping";
      break;
    }
    case 3: {  // another type in the catalog
      if (l.links.empty()) return std::nullopt;
      const auto& x = rng_.pick(l.links);
      auto& s = spec_of(static_cast<std::size_t>(x.call));
      auto& a = s.arguments[static_cast<std::size_t>(s.find(x.name))];
      a.type = static_cast<value_type>((static_cast<int>(a.type) + rng_.integer(1, 2)) % 3);
      g.code = "type_mismatch";
      break;
    }
    case 4: {  // a called tool is not in the catalog
      const auto c = static_cast<std::size_t>(rng_.integer(0, static_cast<int>(f.plan.calls.size()) - 1));
      if (specs.size() < 2) return std::nullopt;
      if (f.plan.calls.size() > 1 && f.plan.calls[c].arguments.empty()) return std::nullopt;
      g.code = f.plan.calls.size() == 1 ? "no_call" : "unattached_value";
      foreign = l.anchors[c];
      if (l.roles[static_cast<std::size_t>(foreign)] != r_call) return std::nullopt;
      specs.erase(specs.begin() + f.tools->find(f.plan.calls[c].tool));
      relabel = false;
      break;
    }
    case 5: {  // a required argument is not given
      const auto c = static_cast<std::size_t>(rng_.integer(0, static_cast<int>(f.plan.calls.size()) - 1));
      auto& s = spec_of(c);
      std::vector<argument_spec*> spare;
      for (auto& a : s.arguments) {
        bool given = false;
        for (const auto& v : f.plan.calls[c].arguments) given = given || v.first == a.name;
        if (!given) spare.push_back(&a);
      }
      if (!spare.empty()) {
        rng_.pick(spare)->required = true;
      } else if (s.arguments.size() < 4) {
        argument_spec a{rng_.pick(pools_.argument_names), static_cast<value_type>(rng_.integer(0, 2)), true};
        if (s.find(a.name) >= 0 || f.tools->index().find_exact(a.name) >= 0) return std::nullopt;
        s.arguments.push_back(a);
      } else {
        return std::nullopt;
      }
      g.code = "missing_argument";
      break;
    }
    case 6: {  // the tool returns no array
      if (f.plan.fields.empty() && f.plan.limit < 0) return std::nullopt;
      spec_of(0).returns = return_kind::object;
      g.code = "unsupported_shaping";
      break;
    }
    case 7: {  // the same argument again
      if (l.links.empty()) return std::nullopt;
      const auto& x = rng_.pick(l.links);
      const auto v = static_cast<std::size_t>(x.value);
      static constexpr std::string_view joints[] = {", ", " and ", ", and ", " ", ", no wait, ", "; "};
      const std::string other = f.tokens[v].kind == token_kind::string   ? rng_.pick(pools_.strings)
                                : f.tokens[v].kind == token_kind::number ? new_number(std::string(f.spelled(v)))
                                                                         : (f.tokens[v].boolean ? "false" : "true");
      const bool behind = x.mention < x.value;
      const std::string more = behind ? std::string(f.spelled(static_cast<std::size_t>(x.mention))) +
                                            (rng_.chance(0.3) ? "=" : " ") + other
                                      : other + " as " + std::string(f.spelled(static_cast<std::size_t>(x.mention)));
      rewrite(v, std::string(f.spelled(v)) + std::string(rng_.pick(joints)) + more);
      g.code = "duplicate_argument";
      relabel = false;
      break;
    }
    case 8: {  // a value of another type in the text
      if (l.links.empty()) return std::nullopt;
      const auto& x = rng_.pick(l.links);
      const auto v = static_cast<std::size_t>(x.value);
      const std::string s = f.tokens[v].kind == token_kind::string
                                ? (rng_.chance(0.7) ? rng_.pick(pools_.numbers) : std::string("true"))
                                : "\"" + std::string(f.spelled(v)) + "\"";
      rewrite(v, s);
      g.code = "type_mismatch";
      break;
    }
    case 9: {  // no literal
      if (l.links.empty()) return std::nullopt;
      const auto& x = rng_.pick(l.links);
      const auto v = static_cast<std::size_t>(x.value);
      for (const auto& y : l.links)
        if (&y != &x && y.value == x.value) return std::nullopt;
      std::string s;
      const std::string plain(f.spelled(static_cast<std::size_t>(x.mention)));
      if (f.tokens[v].kind == token_kind::string) {
        s = std::string(f.spelled(v));
        s = s.substr(1, s.size() - 2);
        if (s.find_first_of("\\\"'") != std::string::npos || s.size() > 24 || s.empty()) return std::nullopt;
        switch (rng_.integer(0, 5)) {
          case 0: s = "'" + s + "'"; break;
          case 1: s = "<" + plain + ">"; break;
          case 2: s = "{{" + plain + "}}"; break;
          case 3: s = "$" + plain; break;
          case 4: s = "`" + s + "`"; break;
          default: break;
        }
      } else if (f.tokens[v].kind == token_kind::number) {
        static constexpr std::string_view words[] = {"two", "three", "seven", "a dozen", "twelve", "forty", "N",
                                                     "{{n}}", "thirty", "a few", "five"};
        s = rng_.pick(words);
      } else {
        static constexpr std::string_view words[] = {"yes", "on", "off", "no", "enabled"};
        s = rng_.pick(words);
      }
      rewrite(v, s);
      g.code = "missing_value";
      relabel = false;
      break;
    }
    case 10: {  // a value that belongs to nothing
      std::vector<std::size_t> places;
      for (std::size_t k = 0; k < f.tokens.count; ++k)
        if (f.tokens[k].is_value() || f.tokens[k].tools != 0) places.push_back(k);
      if (places.empty()) return std::nullopt;
      const auto k = rng_.pick(places);
      const std::string v = rng_.chance(0.6) ? rng_.pick(pools_.strings) : rng_.pick(pools_.numbers);
      static constexpr std::string_view joints[] = {" ", ", ", " and ", " (", ", also "};
      const std::string j(rng_.pick(joints));
      if (l.roles[k] == r_limit) return std::nullopt;
      rewrite(k, std::string(f.spelled(k)) + j + v + (j == " (" ? ")" : ""));
      g.code = "unattached_value";
      relabel = false;
      break;
    }
    default: {  // a limit out of range
      if (l.limit < 0 || f.tokens[static_cast<std::size_t>(l.limit)].kind != token_kind::number) return std::nullopt;
      const int kind = rng_.integer(0, 2);
      rewrite(static_cast<std::size_t>(l.limit), kind == 0   ? std::to_string(rng_.integer(101, 2000))
                                                 : kind == 1 ? "-" + std::to_string(rng_.integer(1, 20))
                                                             : std::to_string(rng_.integer(1, 20)) + ".5");
      g.code = "unsupported_shaping";
      break;
    }
  }
  g.tools = std::make_shared<schema>(std::move(specs));
  if (!cut(g) || g.tokens.count == 0) return std::nullopt;
  if (foreign >= 0 || relabel) {
    // Roles of the tokens that are still what they were; the foreign word gets its own role.
    std::map<std::size_t, std::size_t> starts;
    for (std::size_t k = 0; k < g.tokens.count; ++k) starts[g.tokens[k].begin] = k;
    labels r;
    r.roles.assign(g.tokens.count, relabel ? static_cast<unsigned char>(r_none) : static_cast<unsigned char>(r_unknown));
    for (std::size_t k = 0; k < f.tokens.count; ++k) {
      const auto s = starts.find(at[k]);
      if (s == starts.end()) continue;
      auto& role = r.roles[s->second];
      if (static_cast<int>(k) == foreign) {
        role = g.tokens[s->second].kind == token_kind::name ? static_cast<unsigned char>(r_unknown)
                                                            : static_cast<unsigned char>(r_foreign);
      } else if (relabel) {
        role = l.roles[k];
        // a shared mention may have lost its meaning for one call only
        if (role == r_argument && foreign < 0) role = r_argument;
      }
    }
    for (std::size_t k = 0; k < g.tokens.count; ++k)
      if (relabel && g.tokens[k].tools != 0 && r.roles[k] == r_none) r.roles[k] = r_mention;
    g.lab = std::move(r);
  }
  return g;
}

}  // namespace train
