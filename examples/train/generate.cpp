// Makes training samples from the corpus.
//
//   generate words FOLDER [--exclude FILE]            word counts, "count word" a line
//   generate check FOLDER                             how many instructions align with their plans
//   generate samples FOLDER --vocabulary FILE [--exclude FILE | --only FILE] [--variants N] [--passes N] [--seed N]
//                                                   [--background FILE] [--clauses FILE] [--joins FILE] [--spoil P] [--text]
//
// FOLDER holds catalogs.jsonl and instructions.jsonl as check_corpus.py writes them; --exclude and --only name a
// file with one corpus file's stem a line (`a33`). Samples go to standard output in the form that samples.py reads;
// with --text in a form for readers.

#include "augment.hpp"
#include "read_corpus.hpp"

#include <codemode/frontend/features.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <set>
#include <string>

namespace {

using namespace train;

struct options {
  std::string vocabulary, exclude, only, background, clauses, joins;
  int variants = 8;
  int passes = 1;
  unsigned seed = 7;
  bool text = false;
  double spoil = 0.12;
};

std::set<std::string> stems(const std::string& path) {
  std::set<std::string> out;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);)
    if (!line.empty() && line[0] != '#') out.insert(line);
  return out;
}

pools make_pools(const std::vector<frame>& frames) {
  pools p;
  std::set<const schema*> seen;
  std::set<std::string> tools, arguments, properties, strings, contexts;
  for (const auto& f : frames) {
    if (seen.insert(f.tools.get()).second)
      for (const auto& t : f.tools->specs()) {
        p.tools.push_back(t);
        tools.insert(t.name);
        for (const auto& a : t.arguments) arguments.insert(a.name);
        for (const auto& q : t.properties) properties.insert(q);
      }
    for (std::size_t k = 0; k < f.tokens.count; ++k) {
      if (f.tokens[k].kind == token_kind::string) strings.insert(std::string(f.spelled(k)));
      if (f.tokens[k].kind == token_kind::number) p.numbers.emplace_back(f.spelled(k));
    }
    if (!f.lab) continue;
    if (f.plan.calls.size() == 1 && f.plan.fields.empty() && f.plan.limit < 0 && f.tokens.count < 30)
      p.singles.push_back(&f);
    // Sentences that hold nothing of the plan, nor anything that could be taken for it.
    std::size_t begin = 0;
    for (std::size_t i = 0; i < f.text.size(); ++i) {
      const bool stop = (f.text[i] == '.' || f.text[i] == '!' || f.text[i] == '?') &&
                        (i + 1 == f.text.size() || f.text[i + 1] == ' ' || f.text[i + 1] == '\n');
      if (!stop && f.text[i] != '\n') continue;
      bool clean = true;
      for (std::size_t k = 0; k < f.tokens.count; ++k) {
        const auto& t = f.tokens[k];
        if (t.begin < begin || t.begin > i) continue;
        clean = clean && t.kind != token_kind::name && !t.is_value() && !t.number_word;
      }
      auto s = f.text.substr(begin, i + 1 - begin);
      while (!s.empty() && (s.front() == ' ' || s.front() == '\n')) s.erase(0, 1);
      while (!s.empty() && s.back() == '\n') s.pop_back();
      if (clean && s.size() > 8 && s.size() < 160) contexts.insert(s);
      begin = i + 1;
    }
  }
  p.tool_names.assign(tools.begin(), tools.end());
  p.argument_names.assign(arguments.begin(), arguments.end());
  p.property_names.assign(properties.begin(), properties.end());
  p.strings.assign(strings.begin(), strings.end());
  p.contexts.assign(contexts.begin(), contexts.end());
  return p;
}

/// Little-endian bytes of one sample.
class sample_writer {
 public:
  void write(const frame& f, const codemode::token_features& x) {
    bytes_.clear();
    const std::size_t n = f.tokens.count;
    u16(n);
    u8(static_cast<std::size_t>(class_of(f.code)));
    const bool ok = f.code == "ok";
    u8(!ok || f.plan.mode == 0 ? 255 : static_cast<std::size_t>(f.plan.mode - 1));
    u8(!ok || f.plan.calls.size() == 1 ? 255 : f.plan.last ? 1U : 0U);
    for (std::size_t k = 0; k < n; ++k) u16(x.words[k]);
    for (std::size_t k = 0; k < n; ++k) u16(x.prefixes[k]);
    for (std::size_t k = 0; k < n; ++k) u16(x.suffixes[k]);
    for (std::size_t k = 0; k < n; ++k) u8(f.lab ? f.lab->roles[k] : static_cast<std::size_t>(r_unknown));
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t i = 0; i < codemode::feature_count; ++i)
        u8(static_cast<std::size_t>(std::lround((std::min)(x.row(k)[i], 2.1F) * 120.0F)));
    std::vector<std::size_t> arguments, calls, order, loose;
    if (ok && f.lab) {
      const auto& l = *f.lab;
      std::set<std::pair<int, int>> pairs;
      std::set<int> values;
      for (const auto& y : l.links) {
        pairs.insert({y.value, y.mention});
        values.insert(y.value);
      }
      for (const auto& [v, m] : pairs) {
        arguments.push_back(static_cast<std::size_t>(v));
        arguments.push_back(static_cast<std::size_t>(m));
      }
      for (const int v : values)
        for (std::size_t k = 0; k < n; ++k) {
          if (f.tokens[k].tools == 0 && l.roles[k] != r_new_call) continue;
          bool yes = false;
          for (const auto& y : l.links)
            yes = yes || (y.value == v && l.anchors[static_cast<std::size_t>(y.call)] == static_cast<int>(k));
          calls.insert(calls.end(), {static_cast<std::size_t>(v), k, yes ? 1U : 0U});
        }
      for (std::size_t a = 0; a < l.anchors.size(); ++a)
        for (std::size_t b = 0; b < l.anchors.size(); ++b)
          if (a != b)
            order.insert(order.end(), {static_cast<std::size_t>(l.anchors[a]), static_cast<std::size_t>(l.anchors[b]),
                                       a < b ? 1U : 0U});
      for (std::size_t k = 0; k < n; ++k)
        if (f.tokens[k].is_value() && values.count(static_cast<int>(k)) == 0) loose.push_back(k);
    }
    for (const auto* list : {&arguments, &calls, &order, &loose}) {
      u16(list->size());
      for (const auto v : *list) u8(v);
    }
    const auto size = static_cast<std::uint32_t>(bytes_.size());
    std::fwrite(&size, 4, 1, stdout);
    std::fwrite(bytes_.data(), 1, bytes_.size(), stdout);
  }

 private:
  void u8(std::size_t x) { bytes_.push_back(static_cast<char>(x)); }
  void u16(std::size_t x) {
    u8(x & 0xFF);
    u8(x >> 8);
  }
  std::string bytes_;
};

int words(const std::vector<frame>& frames) {
  std::map<std::string, int> counts;
  for (const auto& f : frames) {
    std::set<std::string> own;
    for (std::size_t k = 0; k < f.tokens.count; ++k) {
      const auto& t = f.tokens[k];
      if (t.malformed_number || t.is_value()) continue;
      std::array<char, 64> buffer;
      const auto w = codemode::detail::fold_into(f.spelled(k), buffer);
      if (w.empty() || (t.kind == token_kind::name && words_of(f.spelled(k)).size() != 1)) continue;
      own.insert(std::string(w));
    }
    for (const auto& w : own) ++counts[w];
  }
  for (const auto& [w, c] : counts) std::printf("%d %s\n", c, w.c_str());
  return 0;
}

/// A sample for readers: its text, then the code or the calls in order with their arguments' tokens.
void print(const frame& f) {
  std::printf("> %s\n= %s", f.text.c_str(), f.code.c_str());
  if (f.code == "ok" && f.lab) {
    std::printf(" %s", f.plan.mode == 2 ? "parallel" : f.plan.mode == 1 ? "serial" : "single");
    for (std::size_t c = 0; c < f.lab->anchors.size(); ++c) {
      std::printf("; %s", std::string(f.spelled(static_cast<std::size_t>(f.lab->anchors[c]))).c_str());
      for (const auto& l : f.lab->links)
        if (l.call == static_cast<int>(c))
          std::printf(" %s=%s", l.name.c_str(), std::string(f.spelled(static_cast<std::size_t>(l.value))).c_str());
    }
    std::printf("; %s", f.plan.last ? "last" : "all");
  }
  std::printf("\n");
}

int samples(const std::vector<frame>& frames, const options& o) {
  std::vector<std::string> list;
  std::ifstream in(o.vocabulary);
  for (std::string line; std::getline(in, line);) list.push_back(line);
  const codemode::vocabulary vocabulary(list);
  pools p = make_pools(frames);
  if (!o.background.empty()) {
    std::ifstream lines(o.background);
    for (std::string line; std::getline(lines, line);)
      if (!line.empty() && line[0] != '#') p.background.push_back(line);
  }
  if (!o.clauses.empty()) {
    std::ifstream lines(o.clauses);
    for (std::string line; std::getline(lines, line);) {
      const auto tab = line.find('\t');
      if (line.empty() || line[0] == '#' || tab == std::string::npos || tab + 3 > line.size()) continue;
      pools::clause c{line.substr(0, tab), line[tab + 1], line.substr(tab + 3)};
      (c.code == "ok" ? p.harmless : p.refusing).push_back(std::move(c));
    }
  }
  if (!o.joins.empty()) {
    std::ifstream lines(o.joins);
    for (std::string line; std::getline(lines, line);)
      if (auto j = parse_joining(line)) p.joinings.push_back(std::move(*j));
  }
  random_source rng(o.seed);
  augmenter a(p, rng);
  std::vector<float> rows(codemode::max_tokens * codemode::feature_count);
  codemode::token_features features{
      std::span<float, codemode::max_tokens * codemode::feature_count>(rows.data(), rows.size()), {}, {}, {}};
  sample_writer out;
  const auto emit = [&](const frame& f) {
    if (o.text) return print(f);
    codemode::write_features(f.text, f.tools->tools(), f.tools->index(), f.tokens, vocabulary, features);
    out.write(f, features);
  };
  if (o.variants == 0) {
    for (const auto& f : frames) emit(f);
    return 0;
  }
  long made = 0, dropped = 0, spoiled = 0, joined = 0;
  for (int pass = 0; pass < o.passes; ++pass) {
    std::vector<const frame*> order;
    for (const auto& f : frames) order.insert(order.end(), static_cast<std::size_t>(o.variants), &f);
    std::shuffle(order.begin(), order.end(), rng.engine());
    for (const frame* source : order) {
      std::optional<frame> made_frame;
      const frame* f = source;
      const bool single = f->lab && f->plan.calls.size() == 1 && f->plan.fields.empty() && f->plan.limit < 0;
      const bool joinable = single || (!f->lab && (f->code == "unsupported_condition" || f->code == "unsupported_loop" ||
                                                   f->code == "unsupported_dependency"));
      if (joinable && rng.chance(0.22)) {
        const int more = rng.chance(0.03) ? 3 : rng.chance(0.6) ? 1 : 2;
        std::vector<const frame*> parts{f};
        for (int i = 0; i < more; ++i) parts.push_back(rng.pick(p.singles));
        std::shuffle(parts.begin(), parts.end(), rng.engine());
        if (auto j = a.join(parts)) {
          made_frame = std::move(j);
          f = &*made_frame;
          ++joined;
        }
      }
      if (f->lab && f->code == "ok" && rng.chance(o.spoil))
        if (auto s = a.spoil(*f)) {
          made_frame = std::move(s);
          f = &*made_frame;
          ++spoiled;
        }
      if (f->code == "ok" && rng.chance(0.16)) {
        if (auto c = a.with_clause(*f, rng.chance(0.5))) {
          made_frame = std::move(c);
          f = &*made_frame;
        }
      }
      if (f->code == "ok" || !f->lab)
        if (rng.chance(0.25))
          if (auto c = a.with_context(*f)) {
            made_frame = std::move(c);
            f = &*made_frame;
          }
      if (f->code != "ok" && f->lab) {  // spoiled ones keep their names
        emit(*f);
        ++made;
        continue;
      }
      if (auto v = a.vary(*f)) {
        emit(*v);
        ++made;
      } else {
        ++dropped;
      }
    }
  }
  std::fprintf(stderr, "%ld samples, %ld dropped, %ld joined, %ld spoiled\n", made, dropped, joined, spoiled);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  options o;
  std::vector<std::string> plain;
  for (int i = 1; i < argc; ++i) {
    const std::string s = argv[i];
    const auto next = [&] { return i + 1 < argc ? std::string(argv[++i]) : std::string(); };
    if (s == "--vocabulary") o.vocabulary = next();
    else if (s == "--exclude") o.exclude = next();
    else if (s == "--only") o.only = next();
    else if (s == "--variants") o.variants = std::atoi(next().c_str());
    else if (s == "--passes") o.passes = std::atoi(next().c_str());
    else if (s == "--seed") o.seed = static_cast<unsigned>(std::atoi(next().c_str()));
    else if (s == "--clauses") o.clauses = next();
    else if (s == "--background") o.background = next();
    else if (s == "--joins") o.joins = next();
    else if (s == "--text") o.text = true;
    else if (s == "--spoil") o.spoil = std::atof(next().c_str());
    else plain.push_back(s);
  }
  if (plain.size() != 2) {
    std::fprintf(stderr, "usage: generate words|check|samples FOLDER [options]\n");
    return 2;
  }
  const auto exclude = o.exclude.empty() ? std::set<std::string>() : stems(o.exclude);
  const auto only = o.only.empty() ? std::set<std::string>() : stems(o.only);
  std::map<std::string, int> faults;
  std::vector<frame> frames;
  int aligned = 0, rejected = 0;
  if (!read_corpus(plain[1], [&](frame&& f) {
        const auto stem = f.id.substr(0, f.id.find('-'));
        if (exclude.count(stem) != 0 || (!only.empty() && only.count(stem) == 0)) return;
        if (const auto fault = codemode::tokenize(f.text, f.tools->tools(), f.tools->index(), f.tokens)) {
          ++faults["lexer " + std::string(codemode::to_string(fault->code)) + (f.code == "ok" ? " in a plan" : "")];
          if (plain[0] == "check" && f.code == "ok")
            std::printf("%s %s: %s\n", f.id.c_str(), std::string(codemode::to_string(fault->code)).c_str(), f.text.c_str());
          return;
        }
        if (f.tokens.count == 0 || class_of(f.code) < 0) {
          ++faults["not learned: " + f.code];
          if (plain[0] == "check") std::printf("%s %s: %s\n", f.id.c_str(), f.code.c_str(), f.text.c_str());
          return;
        }
        if (f.code == "ok") {
          const auto why = aligner(f).run();
          if (!why.empty()) {
            ++faults[why];
            if (plain[0] == "check") std::printf("%s %s: %s\n", f.id.c_str(), why.c_str(), f.text.c_str());
            return;
          }
          ++aligned;
        } else {
          ++rejected;
        }
        frames.push_back(std::move(f));
      }))
    return 1;
  std::fprintf(stderr, "%d plans aligned, %d rejections\n", aligned, rejected);
  for (const auto& [why, n] : faults) std::fprintf(stderr, "  %5d %s\n", n, why.c_str());
  if (plain[0] == "words") return words(frames);
  if (plain[0] == "samples") return samples(frames, o);
  return 0;
}
