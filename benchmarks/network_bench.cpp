// The network: its convolutions against the peak of the same instruction set, and the whole of it.

#include "peak.hpp"

#include <codemode/network/default_weights.hpp>
#include <codemode/network/network.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace codemode;
using bench::instruction_set;
using bench::seconds;
namespace kernels = bench::kernels;
using shape = default_shape;

/// An input of random tokens.
struct random_input {
  explicit random_input(std::size_t tokens) : count(tokens), features(tokens * feature_count) {
    std::mt19937 rng(7);
    for (auto* ids : {&words, &prefixes, &suffixes})
      for (std::size_t t = 0; t < tokens; ++t) ids->push_back(static_cast<std::uint16_t>(rng() % 1000));
    for (auto& f : features) f = rng() % 5 == 0 ? 1.0F : 0.0F;
  }
  [[nodiscard]] network_input view() const {
    return {count, words.data(), prefixes.data(), suffixes.data(), features.data(), feature_count};
  }
  std::size_t count;
  std::vector<std::uint16_t> words, prefixes, suffixes;
  std::vector<float> features;
};

/// Multiplications and additions of the convolutions over `tokens` tokens.
double convolution_flops(std::size_t tokens) {
  return 2.0 * static_cast<double>(shape::layers * shape::channels * shape::channels * 3 * tokens);
}

/// All convolutions of the network, with its own weights and buffers, as `network::run` calls them.
void convolve(kernels::product_function product, std::size_t tokens, network_workspace<shape>& w) {
  constexpr std::size_t c = shape::channels;
  const auto& p = default_weights().packed();
  float* x = w.last.data() + shape::margin() * c;
  float* y = w.other.data() + shape::margin() * c;
  for (std::size_t l = 0; l < shape::layers; ++l) {
    kernels::product_call call;
    call.x = x - shape::dilations[l] * c;
    call.x_stride = c;
    call.tokens = tokens;
    call.taps = 3;
    call.dilation = shape::dilations[l];
    call.inputs = c;
    call.weights = p.convolutions[l].weights.data();
    call.bias = p.convolutions[l].bias.data();
    call.outputs = c;
    call.skip = x;
    call.y = y;
    call.y_stride = c;
    call.finish = kernels::epilogue::residual;
    call.scale = shape::residual_scale;
    product(call);
    std::swap(x, y);
  }
}

/// Times `work` alone and the peak between its runs; reports the best of both.
template <class Work>
void measure(benchmark::State& state, instruction_set set, double flops, Work&& work) {
  bench::peak_meter peak(set);
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t n = 0; auto _ : state) {
    const double took = seconds(work);
    state.SetIterationTime(took);
    best = (std::min)(best, took);
    if (n++ % 2 == 0) peak.measure();
  }
  state.counters["min_us"] = best * 1e6;
  state.counters["GFLOP/s"] = flops / best / 1e9;
  state.counters["peak"] = peak.flops() / 1e9;
  state.counters["share_%"] = 100 * flops / best / peak.flops();
}

void convolutions(benchmark::State& state, instruction_set set) {
  const auto tokens = static_cast<std::size_t>(state.range(0));
  auto w = std::make_unique<network_workspace<shape>>();
  w->last.fill(0.25F);
  w->other.fill(0.25F);
  const auto product = kernels::product_for(set);
  measure(state, set, convolution_flops(tokens), [&] { convolve(product, tokens, *w); });
}

/// The share counts all products, so that what is not multiplied (embeddings, sums of exponentials) shows.
void whole(benchmark::State& state, instruction_set set) {
  const random_input in(static_cast<std::size_t>(state.range(0)));
  auto w = std::make_unique<network_workspace<shape>>();
  const network<shape> net(default_weights(), kernels::product_for(set));
  const double others = 2.0 * static_cast<double>(in.count * (shape::inputs * shape::channels +
                                                              shape::channels * (shape::heads + shape::evidence_hidden) +
                                                              shape::evidence_hidden * shape::evidence));
  measure(state, set, convolution_flops(in.count) + others, [&] {
    const auto out = net.run(in.view(), *w);
    benchmark::DoNotOptimize(out.pooled(0));
  });
}

const bool registered = [] {
  for (const auto set : {instruction_set::portable, instruction_set::avx2, instruction_set::avx512}) {
    if (kernels::product_for(set) == nullptr) continue;
    const std::string name(kernels::to_string(set));
    for (const auto& [what, function] : {std::pair{"convolutions/", &convolutions}, std::pair{"network/", &whole}})
      benchmark::RegisterBenchmark((what + name).c_str(), function, set)
          ->Arg(12)->Arg(30)->Arg(120)
          ->UseManualTime()
          ->Unit(benchmark::kMicrosecond);
  }
  return true;
}();

}  // namespace
