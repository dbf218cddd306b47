// Plans every instruction of a corpus folder and compares with its label.
//
//   evaluate FOLDER [--only FILE] [--weights FILE] [--threshold P] [--show N] [--figures FILE] [--confidence FILE]
//
// Prints a table by kind of writer (the first letter of an id) and the confusions of codes; --show prints the first N
// that are not right; --figures writes a line for each instruction that the network was asked about:
// `id plannable right figure...`, which calibrate.py fits; --confidence writes `id plannable right confidence` for every
// instruction, which benchmarks/accuracy/reliability.py draws (0 where there is no plan).

#include "read_corpus.hpp"
#include "shapes.hpp"

#include <codemode/diagnostic.hpp>
#include <codemode/plan_json.hpp>
#include <codemode/planner.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace train;

/// The labelled plan as JSON, written by the library itself.
std::string json_of(const plan_spec& p) {
  std::vector<std::string> strings;
  strings.reserve(codemode::max_calls * codemode::max_arguments);
  codemode::plan out;
  out.mode = static_cast<codemode::mode>(p.mode);
  out.output.kind = p.last ? codemode::output_kind::last : codemode::output_kind::all;
  for (const auto& c : p.calls) {
    auto& call = out.call_list[out.call_count++];
    call.tool = c.tool;
    for (const auto& [name, v] : c.arguments) {
      if (v.type == value_type::string) {
        auto& s = strings.emplace_back();
        codemode::text::append_json_string(s, v.text);
        call.add(name, codemode::value::string(s));
      } else if (v.type == value_type::number) {
        call.add(name, codemode::value::number(v.number));
      } else {
        call.add(name, codemode::value::boolean(v.boolean));
      }
    }
  }
  for (const auto& f : p.fields) out.output.add_field(f);
  out.output.limit = static_cast<std::int16_t>(p.limit);
  std::string json;
  codemode::write_json(out, json);
  return json;
}

std::string tools_json(const schema& tools) {
  std::string s = "[";
  const auto quoted = [&](std::string_view x) { codemode::text::append_json_string(s, x); };
  for (const auto& t : tools.specs()) {
    s += s.size() > 1 ? ",{\"name\":" : "{\"name\":";
    quoted(t.name);
    s += ",\"arguments\":{";
    for (const auto& a : t.arguments) {
      if (&a != t.arguments.data()) s += ',';
      quoted(a.name);
      s += ':';
      quoted(to_string(a.type));
    }
    s += "},\"required\":[";
    bool first = true;
    for (const auto& a : t.arguments) {
      if (!a.required) continue;
      if (!first) s += ',';
      first = false;
      quoted(a.name);
    }
    s += "],\"returns\":{\"kind\":";
    quoted(to_string(t.returns));
    if (!t.properties.empty()) {
      s += ",\"properties\":[";
      for (const auto& p : t.properties) {
        if (&p != t.properties.data()) s += ',';
        quoted(p);
      }
      s += ']';
    }
    s += "}}";
  }
  return s + "]";
}

struct counts {
  int plannable = 0, exact = 0, wrong = 0, unplannable = 0, accepted = 0, code = 0;

  void print(const char* name) const {
    const auto share = [](int a, int b) { return b == 0 ? 0.0 : static_cast<double>(a) / b; };
    std::printf("%-6s %5d plannable: exact %.3f wrong %.3f refused %.3f | %5d others: false %.3f code %.3f\n", name,
                plannable, share(exact, plannable), share(wrong, plannable), share(plannable - exact - wrong, plannable),
                unplannable, share(accepted, unplannable), share(code, unplannable - accepted));
  }
};

struct options {
  std::string folder, only_file, weights_file, figures_file, confidence_file;
  float threshold = codemode::default_threshold;
  int show = 0;
};

template <class Shape>
int evaluate(const codemode::basic_weights<Shape>& weights, const options& o) {
  std::set<std::string> only;
  if (!o.only_file.empty()) {
    std::ifstream in(o.only_file);
    for (std::string line; std::getline(in, line);)
      if (!line.empty() && line[0] != '#') only.insert(line);
  }
  int show = o.show;
  codemode::basic_planner<Shape> planner(weights);
  std::ofstream figures;
  if (!o.figures_file.empty()) figures.open(o.figures_file);
  std::ofstream confidence;
  if (!o.confidence_file.empty()) confidence.open(o.confidence_file);

  std::map<char, counts> kinds;
  counts all;
  std::map<std::string, int> confusions;
  std::map<const schema*, codemode::catalog> catalogs;
  const bool read = read_corpus(o.folder, [&](frame&& f) {
    if (!only.empty() && only.count(f.id.substr(0, f.id.find('-'))) == 0) return;
    auto found = catalogs.find(f.tools.get());
    if (found == catalogs.end()) {
      auto c = codemode::catalog::parse(tools_json(*f.tools));
      if (!c) return;
      found = catalogs.emplace(f.tools.get(), std::move(*c)).first;
    }
    const bool plannable = f.code == "ok";
    const std::string want = plannable ? json_of(f.plan) : f.code;
    const auto answer = planner.plan(f.text, found->second, {.threshold = o.threshold, .explain = true});
    std::string got;
    if (answer) codemode::write_json(*answer, got);
    else got = to_string(answer.error().code);
    if (figures.is_open() || confidence.is_open()) {
      // whether the best plan is right, accepted or not
      const bool planned = planner.explain().planned;
      const float sure = planner.explain().confidence;
      const auto seen = planner.explain().figures;
      std::string best;
      if (planned)
        if (const auto p = planner.plan(f.text, found->second, {.threshold = 0})) codemode::write_json(*p, best);
      const bool right = planned && best == want;
      if (figures.is_open() && planned) {
        figures << f.id << ' ' << plannable << ' ' << right;
        for (const float x : seen) figures << ' ' << x;
        figures << '\n';
      }
      if (confidence.is_open()) confidence << f.id << ' ' << plannable << ' ' << right << ' ' << (planned ? sure : 0.0F) << '\n';
    }
    for (counts* c : {&kinds[f.id[0]], &all}) {
      if (plannable) {
        ++c->plannable;
        c->exact += answer && got == want ? 1 : 0;
        c->wrong += answer && got != want ? 1 : 0;
      } else {
        ++c->unplannable;
        c->accepted += answer ? 1 : 0;
        c->code += !answer && got == want ? 1 : 0;
      }
    }
    if (!plannable && !answer && got != want) ++confusions[want + " -> " + got];
    const bool right = plannable ? answer && got == want : !answer;
    if (!right && show > 0) {
      --show;
      std::printf("--- %s\n%s\nwant %s\n got %s  (confidence %.2f)\n", f.id.c_str(), f.text.c_str(), want.c_str(), got.c_str(),
                  static_cast<double>(planner.explain().confidence));
    }
  });
  if (!read) return 1;
  for (const auto& [kind, c] : kinds) c.print(std::string(1, kind).c_str());
  all.print("all");
  std::vector<std::pair<int, std::string>> sorted;
  for (const auto& [what, n] : confusions) sorted.emplace_back(n, what);
  std::sort(sorted.rbegin(), sorted.rend());
  for (std::size_t i = 0; i < sorted.size() && i < 20; ++i) std::printf("%5d %s\n", sorted[i].first, sorted[i].second.c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  options o;
  for (int i = 1; i < argc; ++i) {
    const std::string a = argv[i];
    const auto next = [&] { return i + 1 < argc ? std::string(argv[++i]) : std::string(); };
    if (a == "--only") o.only_file = next();
    else if (a == "--weights") o.weights_file = next();
    else if (a == "--figures") o.figures_file = next();
    else if (a == "--confidence") o.confidence_file = next();
    else if (a == "--threshold") o.threshold = std::strtof(next().c_str(), nullptr);
    else if (a == "--show") o.show = std::atoi(next().c_str());
    else o.folder = a;
  }
  if (o.folder.empty()) {
    std::fprintf(stderr, "usage: evaluate FOLDER [--only FILE] [--weights FILE] [--threshold P] [--show N] [--figures FILE] [--confidence FILE]\n");
    return 2;
  }
  const auto run = [&](const auto& weights) { return evaluate(weights, o); };
  return o.weights_file.empty() ? run(codemode::default_weights()) : with_weights(o.weights_file, run);
}
