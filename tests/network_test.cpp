// The network against logits that PyTorch computed from the same quantised weights and, in other shapes, against
// plain loops; every kernel against the plain sum.

#include "reference_network.hpp"

#include <codemode/network/default_weights.hpp>
#include <codemode/network/network.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <fstream>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace codemode;
namespace kernels = codemode::detail::kernels;
using kernels::instruction_set;

std::vector<instruction_set> available() {
  std::vector<instruction_set> out;
  for (const auto s :
       {instruction_set::scalar, instruction_set::portable, instruction_set::avx2, instruction_set::avx512})
    if (kernels::product_for(s) != nullptr) out.push_back(s);
  return out;
}

TEST_CASE("products of every instruction set agree with the plain sum, tiles or not") {
  std::mt19937 rng(3);
  std::uniform_real_distribution<float> unit(-1, 1);
#ifdef CODEMODE_TEST_SLOW
  constexpr std::array<std::size_t, 5> lengths{1, 2, 3, 5, 13};
#else
  constexpr std::array<std::size_t, 8> lengths{1, 2, 3, 5, 8, 13, 30, 128};
#endif
  for (const std::size_t tokens : lengths)
    for (const std::size_t outputs : {16U, 32U, 48U, 96U, 160U})
      for (const std::size_t taps : {1U, 3U})
        for (const std::size_t dilation : {1U, 2U, 8U}) {
          const std::size_t inputs = outputs;
          const std::size_t margin = 8;
          std::vector<float> x((tokens + 2 * margin) * inputs), w(outputs * inputs * taps), b(outputs);
          for (auto* v : {&x, &w, &b})
            for (auto& f : *v) f = unit(rng);
          for (const auto finish : {kernels::epilogue::plain, kernels::epilogue::rectified, kernels::epilogue::residual}) {
            for (const auto set : available()) {
              std::vector<float> y(tokens * outputs + 16, 77.0F);
              kernels::product_call call;
              call.x = x.data() + (taps == 3 ? margin - dilation : margin) * inputs;
              call.x_stride = inputs;
              call.tokens = tokens;
              call.taps = taps;
              call.dilation = dilation;
              call.inputs = inputs;
              call.weights = w.data();
              call.bias = b.data();
              call.outputs = outputs;
              call.skip = x.data() + margin * inputs;
              call.y = y.data();
              call.y_stride = outputs;
              call.finish = finish;
              call.scale = 0.8F;
              kernels::product_for(set)(call);
              for (std::size_t i = tokens * outputs; i < y.size(); ++i) REQUIRE(y[i] == 77.0F);
              std::uniform_int_distribution<std::size_t> t_of(0, tokens - 1), o_of(0, outputs - 1);
              for (int n = 0; n < 8; ++n) {
                const std::size_t t = n == 0 ? tokens - 1 : t_of(rng);
                const std::size_t o = n == 0 ? outputs - 1 : o_of(rng);
                double sum = static_cast<double>(b[o]);
                for (std::size_t k = 0; k < taps; ++k)
                  for (std::size_t i = 0; i < inputs; ++i)
                    sum += static_cast<double>(w[(o / 16 * taps * inputs + k * inputs + i) * 16 + o % 16]) *
                           static_cast<double>(call.x[(t + k * dilation) * inputs + i]);
                if (finish != kernels::epilogue::plain) sum = sum < 0 ? 0 : sum;
                if (finish == kernels::epilogue::residual)
                  sum = 0.8 * (static_cast<double>(call.skip[t * inputs + o]) + sum);
                CAPTURE(to_string(set));
                REQUIRE(std::abs(static_cast<double>(y[t * outputs + o]) - sum) < 2e-4);
              }
            }
          }
        }
}

struct stored_case {
  std::size_t tokens = 0;
  std::vector<std::uint16_t> ids[3];
  std::vector<float> features, roles, none, pooled;
  struct pair {
    std::size_t i, j;
    double score;
  };
  std::vector<pair> pairs[3];
};

std::vector<stored_case> read_cases() {
  std::ifstream in(CODEMODE_TEST_DATA "/network_cases.txt");
  std::vector<stored_case> out;
  std::string line;
  const auto next = [&] {
    std::getline(in, line);
    return std::istringstream(line);
  };
  while (std::getline(in, line)) {
    stored_case c;
    c.tokens = static_cast<std::size_t>(std::stoul(line.substr(5)));
    for (auto& v : c.ids) {
      auto s = next();
      for (unsigned x = 0; s >> x;) v.push_back(static_cast<std::uint16_t>(x));
    }
    c.features.resize(c.tokens * feature_count);
    for (std::size_t t = 0; t < c.tokens; ++t) {
      auto s = next();
      std::size_t i = 0;
      char colon = 0;
      for (float x = 0; s >> i >> colon >> x;) c.features[t * feature_count + i] = x;
    }
    for (auto* v : {&c.roles, &c.none, &c.pooled}) {
      auto s = next();
      for (float x = 0; s >> x;) v->push_back(x);
    }
    for (auto& v : c.pairs) {
      auto s = next();
      char comma = 0;
      stored_case::pair p{};
      while (s >> p.i >> comma >> p.j >> comma >> p.score) v.push_back(p);
    }
    out.push_back(std::move(c));
  }
  return out;
}

TEST_CASE("logits agree with PyTorch to 1e-4 on stored cases, whatever the instruction set") {
  const auto cases = read_cases();
  REQUIRE(cases.size() == 5);
  auto work = std::make_unique<network_workspace<default_shape>>();
  for (const auto set : available()) {
    CAPTURE(to_string(set));
    const network<default_shape> net(default_weights(), kernels::product_for(set));
    for (const auto& c : cases) {
      CAPTURE(c.tokens);
      const auto out = net.run({c.tokens, c.ids[0].data(), c.ids[1].data(), c.ids[2].data(), c.features.data(), feature_count}, *work);
      const auto near = [](double a, double b) { return std::abs(a - b) <= 1e-4 * (1 + std::abs(b)); };
      REQUIRE(c.roles.size() == c.tokens * role_count);
      for (std::size_t t = 0; t < c.tokens; ++t) {
        for (std::size_t r = 0; r < role_count; ++r)
          REQUIRE(near(static_cast<double>(out.role(t, r)), static_cast<double>(c.roles[t * role_count + r])));
        REQUIRE(near(static_cast<double>(out.none(t)), static_cast<double>(c.none[t])));
      }
      REQUIRE(c.pooled.size() == default_shape::evidence);
      for (std::size_t e = 0; e < c.pooled.size(); ++e)
        REQUIRE(near(static_cast<double>(out.pooled(e)), static_cast<double>(c.pooled[e])));
      for (std::size_t l = 0; l < 3; ++l) {
        REQUIRE(c.pairs[l].size() == 12);
        for (const auto& p : c.pairs[l]) REQUIRE(near(static_cast<double>(out.pair(l, p.i, p.j)), p.score));
      }
    }
  }
}

template <class Shape>
void compare(unsigned seed, std::size_t tokens, bool lend) {
  fixture::reference_network<Shape> expected(seed);
  const auto w = basic_weights<Shape>::parse(expected.file());
  REQUIRE(w);
  auto work = std::make_unique<network_workspace<Shape>>();
  for (const auto set : available()) {
    work->last.fill(-1e9F);  // what was there before must not matter
    work->other.fill(1e9F);
    const network<Shape> net(*w, kernels::product_for(set));
    const fixture::random_tokens in(tokens, 20, seed + static_cast<unsigned>(tokens));  // some ids are unknown
    expected.run(in.view());
    auto lent = in.view();
    if (lend) {  // features in the workspace itself, as the planner has them
      const auto rows = work->feature_rows();
      for (std::size_t t = 0; t < tokens; ++t)
        std::copy_n(lent.features + t * lent.feature_stride, Shape::features, rows.data() + t * Shape::features);
      lent.features = rows.data();
      lent.feature_stride = Shape::features;
    }
    const auto out = net.run(lent, *work);
    CAPTURE(to_string(set));
    CAPTURE(tokens);
    const auto near = [](float a, double b) { return std::abs(static_cast<double>(a) - b) <= 1e-4 * (1 + std::abs(b)); };
    for (std::size_t t = 0; t < tokens; ++t) {
      for (std::size_t r = 0; r < Shape::roles; ++r) REQUIRE(near(out.role(t, r), expected.heads[t][r]));
      REQUIRE(near(out.none(t), expected.heads[t][Shape::roles]));
      for (std::size_t n = 0; n < Shape::evidence; ++n) REQUIRE(near(out.evidence(t, n), expected.evidence[t][n]));
      for (std::size_t l = 0; l < Shape::links; ++l) {
        REQUIRE(near(out.pair(l, t, tokens - 1 - t), expected.pair(l, t, tokens - 1 - t)));
        REQUIRE(near(out.pair(l, t, 0), expected.pair(l, t, 0)));
      }
    }
    for (std::size_t n = 0; n < Shape::evidence; ++n) REQUIRE(near(out.pooled(n), expected.pooled(n)));
  }
}

TEST_CASE("other shapes agree with plain loops: odd layers, few channels, wide dilations, any length") {
#ifdef CODEMODE_TEST_SLOW
  const std::vector<std::size_t> lengths{1, 7};
#else
  const std::vector<std::size_t> lengths{1, 2, 3, 7, 12, 13, 25, 128};
#endif
  unsigned seed = 1;
  for (const auto tokens : lengths) {
    const bool lend = seed % 2 == 0;
    compare<network_shape<16, 1>>(seed++, tokens, lend);
    compare<network_shape<32, 1, 2, 4, 16>>(seed++, tokens, lend);
    compare<network_shape<48, 8, 1, 3>>(seed++, tokens, !lend);
    compare<network_shape<64, 1, 2, 4, 8, 1, 2>>(seed++, tokens, lend);
    compare<network_shape<128, 2, 1, 1>>(seed++, tokens, lend);
  }
  compare<default_shape>(seed, lengths.back(), true);
}

TEST_CASE("a workspace that was used before changes nothing") {
  const auto cases = read_cases();
  auto fresh = std::make_unique<network_workspace<default_shape>>();
  auto used = std::make_unique<network_workspace<default_shape>>();
  used->last.fill(1e9F);
  used->other.fill(-1e9F);
  const network<default_shape> net(default_weights());
  for (std::size_t i = cases.size(); i-- > 0;) {
    const auto& c = cases[i];
    const network_input in{c.tokens, c.ids[0].data(), c.ids[1].data(), c.ids[2].data(), c.features.data(), feature_count};
    const auto a = net.run(in, *fresh);
    const auto b = net.run(in, *used);
    for (std::size_t e = 0; e < default_shape::evidence; ++e) REQUIRE(a.pooled(e) == b.pooled(e));
  }
}

}  // namespace
