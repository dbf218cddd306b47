// The planner: every stage apart, and the whole against the network alone.

#include "stages.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace {

using bench::stages;

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// One stage over all requests of a length; the time is that of one request.
void stage(benchmark::State& state, bench::named_stage what) {
  stages s(static_cast<std::size_t>(state.range(0)));
  const std::size_t count = s.in.lines.size();
  double best = std::numeric_limits<double>::infinity();
  for (auto _ : state) {
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < count; ++i) (s.*what.run)(i);
    const double took = seconds_since(begin) / static_cast<double>(count);
    state.SetIterationTime(took);
    best = (std::min)(best, took);
  }
  state.counters["min_us"] = best * 1e6;
}

/// The whole and the network alone in turn, so that both meet the same disturbances.
void against_network(benchmark::State& state, bench::named_stage what) {
  stages s(static_cast<std::size_t>(state.range(0)));
  const std::size_t count = s.in.lines.size();
  std::vector<double> all;
  std::vector<double> alone;
  std::vector<double> best(count, std::numeric_limits<double>::infinity());
  std::vector<double> best_alone = best;
  for (auto _ : state) {
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      auto begin = std::chrono::steady_clock::now();
      s.network_alone(i);
      alone.push_back(seconds_since(begin));
      best_alone[i] = (std::min)(best_alone[i], alone.back());
      begin = std::chrono::steady_clock::now();
      (s.*what.run)(i);
      all.push_back(seconds_since(begin));
      best[i] = (std::min)(best[i], all.back());
      sum += all.back();
    }
    state.SetIterationTime(sum / static_cast<double>(count));
  }
  double sum = 0;
  double sum_alone = 0;
  for (std::size_t i = 0; i < count; ++i) {
    sum += best[i];
    sum_alone += best_alone[i];
  }
  const auto quantile = [](std::vector<double>& of, double q) {
    const auto at = of.begin() + static_cast<std::ptrdiff_t>(q * static_cast<double>(of.size() - 1));
    std::nth_element(of.begin(), at, of.end());
    return *at * 1e6;
  };
  state.counters["min_us"] = sum / static_cast<double>(count) * 1e6;
  state.counters["p50_us"] = quantile(all, 0.50);
  state.counters["p99_us"] = quantile(all, 0.99);
  state.counters["of_network"] = sum / sum_alone;
  state.counters["p50_of_network"] = quantile(all, 0.50) / quantile(alone, 0.50);
}

/// Lines of JSON as they come, every length in turn, each with a catalog of its own.
void lines(benchmark::State& state) {
  std::array<stages, 3> s{stages(12), stages(30), stages(120)};
  std::size_t count = 0;
  std::size_t bytes = 0;
  for (auto& x : s) {
    count += x.in.lines.size();
    bytes += x.in.bytes() + x.in.lines.size();
  }
  for (auto _ : state)
    for (auto& x : s)
      for (std::size_t i = 0; i < x.in.lines.size(); ++i) x.line(i);
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(count));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(bytes));
}
BENCHMARK(lines)->Unit(benchmark::kMicrosecond);

const bool registered = [] {
  const auto add = [](const std::string& name, auto function, const bench::named_stage& what) {
    benchmark::RegisterBenchmark(name.c_str(), function, what)
        ->Arg(12)->Arg(30)->Arg(120)
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  };
  for (const auto& s : bench::stage_list) add(std::string("stage/") + s.name, &stage, s);
  for (const auto& s : bench::whole_list) add(std::string("whole/") + s.name, &against_network, s);
  return true;
}();

}  // namespace
