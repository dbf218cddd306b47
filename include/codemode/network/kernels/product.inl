// Text of the matrix product, included once for each instruction set inside a class that has `vec` (a vector
// of floats: `width`, `load`, `store`, `broadcast`, `zero`, `multiply_add`, `multiply`, `add`, `maximum`) and
// the size of its register tile, `tile_tokens` x `tile_vectors`. No standard header and no lambda may stand
// here: for x86 the region is compiled for another target than the rest of the file.
//
// A convolution is a product over overlapping rows, tap k of token t being row t + k * dilation: nothing is
// copied. Weights are packed as [block of 16 outputs][tap][input][16], so that a tile reads them as one stream
// for each block, and a tile's sums stay in registers from the bias to the epilogue. Each input of a token is
// loaded once and used for all vectors; each vector of weights is loaded once and used for all tokens.

static_assert(16 % vec::width == 0);

/// Outputs `output ...` (`Vectors` vectors of them) of tokens `token ...` (`Tokens` of them). Not forced
/// inline: one call costs nothing beside its hundreds of multiplications, and compiles faster.
template <size_type Tokens, size_type Vectors>
static void tile(const product_call& p, size_type token, size_type output) {
  constexpr size_type per_block = 16 / vec::width;
  const size_type stride = p.x_stride;
  const size_type inputs = p.inputs;
  const size_type block_size = p.taps * inputs * 16;
  const float* weight = p.weights + output / 16 * block_size + output % 16;
  vec sum[Tokens][Vectors];
  CODEMODE_UNROLL
  for (size_type t = 0; t < Tokens; ++t) {
    CODEMODE_UNROLL
    for (size_type v = 0; v < Vectors; ++v) sum[t][v] = vec::load(p.bias + output + v * vec::width);
  }
  for (size_type k = 0; k < p.taps; ++k) {
    const float* row = p.x + (token + k * p.dilation) * stride;
    for (size_type i = 0; i < inputs; ++i) {
      vec column[Vectors];
      CODEMODE_UNROLL
      for (size_type v = 0; v < Vectors; ++v)
        column[v] = vec::load(weight + v / per_block * block_size + v % per_block * vec::width);
      CODEMODE_UNROLL
      for (size_type t = 0; t < Tokens; ++t) {
        const vec input = vec::broadcast(row[t * stride + i]);
        CODEMODE_UNROLL
        for (size_type v = 0; v < Vectors; ++v) sum[t][v] = vec::multiply_add(input, column[v], sum[t][v]);
      }
      weight += 16;
    }
  }
  if (p.finish != epilogue::plain) {
    const vec zero = vec::zero();
    CODEMODE_UNROLL
    for (size_type t = 0; t < Tokens; ++t) {
      CODEMODE_UNROLL
      for (size_type v = 0; v < Vectors; ++v) sum[t][v] = vec::maximum(sum[t][v], zero);
    }
  }
  if (p.finish == epilogue::residual) {
    const float* skip = p.skip + token * stride + output;
    const vec scale = vec::broadcast(p.scale);
    CODEMODE_UNROLL
    for (size_type t = 0; t < Tokens; ++t) {
      CODEMODE_UNROLL
      for (size_type v = 0; v < Vectors; ++v)
        sum[t][v] = vec::multiply(vec::add(vec::load(skip + t * stride + v * vec::width), sum[t][v]), scale);
    }
  }
  float* y = p.y + token * p.y_stride + output;
  CODEMODE_UNROLL
  for (size_type t = 0; t < Tokens; ++t) {
    CODEMODE_UNROLL
    for (size_type v = 0; v < Vectors; ++v) vec::store(y + t * p.y_stride + v * vec::width, sum[t][v]);
  }
}

/// The tile of `n` tokens, 1 to `Tokens`.
template <size_type Tokens, size_type Vectors>
static CODEMODE_INLINE void tile_of(size_type n, const product_call& p, size_type token, size_type output) {
  if constexpr (Tokens == 1)
    tile<1, Vectors>(p, token, output);
  else if (n == Tokens)
    tile<Tokens, Vectors>(p, token, output);
  else
    tile_of<Tokens - 1, Vectors>(n, p, token, output);
}

/// All tokens of one group of vectors, in as few tiles as possible and these as even as possible: a last tile
/// of one or two tokens would run at a fraction of the speed, as it has too few sums to hide the latency.
template <size_type Vectors>
static void columns(const product_call& p, size_type output) {
  size_type tiles = (p.tokens + tile_tokens - 1) / tile_tokens;
  for (size_type t = 0; tiles != 0; --tiles) {
    const size_type n = (p.tokens - t + tiles - 1) / tiles;
    tile_of<tile_tokens, Vectors>(n, p, t, output);
    t += n;
  }
}

/// The whole product.
static void product(const product_call& p) {
  constexpr size_type group = tile_vectors * vec::width;
  size_type output = 0;
  for (; output + group <= p.outputs; output += group) columns<tile_vectors>(p, output);
  if constexpr (group > 16) {
    for (; output < p.outputs; output += 16) columns<16 / vec::width>(p, output);
  }
}
