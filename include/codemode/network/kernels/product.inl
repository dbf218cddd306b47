// Text of the matrix product, included once for each instruction set inside a scope of its own that has
// `vec` (a vector of floats with `width`, `load`, `store`, `broadcast`, `multiply_add`, `add`, `maximum`,
// `zero`) and `tile_tokens`, `tile_vectors`. No standard header and no lambda may stand here: for x86 the
// region is compiled for another target than the rest of the file.
//
// A convolution is a product over overlapping rows: tap k of token t is row t + k * dilation. Weights are
// packed as [block of 16 outputs][tap][input][16]; a tile of tokens x vectors stays in registers.

struct product {
  /// Epilogues of a product.
  struct plain {
    static CODEMODE_INLINE vec finish(vec acc, const float*) { return acc; }
  };
  struct rectified {
    static CODEMODE_INLINE vec finish(vec acc, const float*) { return vec::maximum(acc, vec::zero()); }
  };
  /// 0.8 (x + max(0, y)), x being the row that the convolution read.
  struct residual {
    static CODEMODE_INLINE vec finish(vec acc, const float* x) {
      return vec::multiply(vec::add(vec::load(x), vec::maximum(acc, vec::zero())), vec::broadcast(0.8F));
    }
  };

  template <class Epilogue, size_type Tokens, size_type Vectors>
  static CODEMODE_INLINE void product_tile(const float* x, size_type stride, size_type taps, size_type dilation, size_type inputs,
                                    const float* w, const float* bias, const float* skip, float* y, size_type y_stride) {
    constexpr size_type per_block = 16 / vec::width;
    const size_type block_size = taps * inputs * 16;
    vec acc[Tokens][Vectors];
    CODEMODE_UNROLL
    for (size_type t = 0; t < Tokens; ++t) {
      CODEMODE_UNROLL
      for (size_type v = 0; v < Vectors; ++v) acc[t][v] = vec::load(bias + v * vec::width);
    }
    for (size_type k = 0; k < taps; ++k) {
      const float* row = x + k * dilation * stride;
      const float* weight = w + k * inputs * 16;
      for (size_type i = 0; i < inputs; ++i) {
        vec column[Vectors];
        CODEMODE_UNROLL
        for (size_type v = 0; v < Vectors; ++v)
          column[v] = vec::load(weight + v / per_block * block_size + v % per_block * vec::width + i * 16);
        CODEMODE_UNROLL
        for (size_type t = 0; t < Tokens; ++t) {
          const vec input = vec::broadcast(row[t * stride + i]);
          CODEMODE_UNROLL
          for (size_type v = 0; v < Vectors; ++v) acc[t][v] = vec::multiply_add(input, column[v], acc[t][v]);
        }
      }
    }
    CODEMODE_UNROLL
    for (size_type t = 0; t < Tokens; ++t) {
      CODEMODE_UNROLL
      for (size_type v = 0; v < Vectors; ++v)
        vec::store(y + t * y_stride + v * vec::width,
                   Epilogue::finish(acc[t][v], skip + t * stride + v * vec::width));
    }
  }

  /// All tokens of one group of vectors.
  template <class Epilogue, size_type Vectors>
  static CODEMODE_INLINE void product_columns(const product_call& p, size_type output) {
    const float* w = p.weights + output / 16 * (p.taps * p.inputs * 16) + output % 16;
    const float* bias = p.bias + output;
    const float* skip = p.skip + output;
    float* y = p.y + output;
    size_type t = 0;
    for (; t + tile_tokens <= p.tokens; t += tile_tokens)
      product_tile<Epilogue, tile_tokens, Vectors>(p.x + t * p.x_stride, p.x_stride, p.taps, p.dilation, p.inputs, w, bias,
                                                   skip + t * p.x_stride, y + t * p.y_stride, p.y_stride);
    if constexpr (tile_tokens > 4) {
      for (; t + 4 <= p.tokens; t += 4)
        product_tile<Epilogue, 4, Vectors>(p.x + t * p.x_stride, p.x_stride, p.taps, p.dilation, p.inputs, w, bias,
                                           skip + t * p.x_stride, y + t * p.y_stride, p.y_stride);
    }
    for (; t + 2 <= p.tokens; t += 2)
      product_tile<Epilogue, 2, Vectors>(p.x + t * p.x_stride, p.x_stride, p.taps, p.dilation, p.inputs, w, bias,
                                         skip + t * p.x_stride, y + t * p.y_stride, p.y_stride);
    for (; t < p.tokens; ++t)
      product_tile<Epilogue, 1, Vectors>(p.x + t * p.x_stride, p.x_stride, p.taps, p.dilation, p.inputs, w, bias,
                                         skip + t * p.x_stride, y + t * p.y_stride, p.y_stride);
  }

  template <class Epilogue>
  static CODEMODE_INLINE void product_all(const product_call& p) {
    constexpr size_type group = tile_vectors * vec::width;
    constexpr size_type least = vec::width * tile_vectors > 16 ? 16 / vec::width : tile_vectors;
    size_type output = 0;
    for (; output + group <= p.outputs; output += group) product_columns<Epilogue, tile_vectors>(p, output);
    for (; output < p.outputs; output += least * vec::width) product_columns<Epilogue, least>(p, output);
  }

  static void run(const product_call& p) {
    switch (p.finish) {
      case epilogue::plain: product_all<plain>(p); break;
      case epilogue::rectified: product_all<rectified>(p); break;
      case epilogue::residual: product_all<residual>(p); break;
    }
  }
};
