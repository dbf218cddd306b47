// The most multiply-adds that the processor does with `vec`: chains enough to hide the latency, as many as 16
// registers hold beside two factors, nothing loaded or stored. Included once for each instruction set, in a
// class that names its `vec`.

static constexpr std::size_t chains = 14;

/// Runs `rounds` x `chains` multiply-adds. The factors come from outside, so that nothing can be worked out
/// beforehand; the chains begin with different values, so that no two become one.
static __attribute__((noinline)) float run(std::size_t rounds, float factor, float term) {
  vec sum[chains];
  const vec f = vec::broadcast(factor);
  const vec t = vec::broadcast(term);
  CODEMODE_UNROLL
  for (std::size_t i = 0; i < chains; ++i) sum[i] = vec::broadcast(term * static_cast<float>(i + 2));
  for (std::size_t r = 0; r < rounds; r += 4) {
    CODEMODE_UNROLL
    for (std::size_t k = 0; k < 4; ++k) {
      CODEMODE_UNROLL
      for (std::size_t i = 0; i < chains; ++i) sum[i] = vec::multiply_add(sum[i], f, t);
    }
  }
  vec all = sum[0];
  CODEMODE_UNROLL
  for (std::size_t i = 1; i < chains; ++i) all = vec::add(all, sum[i]);
  float out[vec::width];
  vec::store(out, all);
  float last = 0;
  for (std::size_t i = 0; i < vec::width; ++i) last += out[i];
  return last;
}
