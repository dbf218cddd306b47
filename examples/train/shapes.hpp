#pragma once

// Networks of other sizes than the shipped one, chosen by what a weights file says.

#include <codemode/diagnostic.hpp>
#include <codemode/network/shape.hpp>
#include <codemode/weights.hpp>

#include <cstddef>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

namespace train {

template <std::size_t Channels>
using sized = codemode::network_shape<Channels, 1, 2, 4, 8, 1, 2, 4, 1>;

/// Calls `f` with the weights of `path` in the type of their shape: 32, 48, 64, 96 or 128 channels. Says on standard
/// error what is wrong and returns 1 if they cannot be read.
template <class F>
int with_weights(const std::string& path, F&& f) {
  std::ifstream in(path, std::ios::binary);
  const std::vector<char> file{std::istreambuf_iterator<char>(in), {}};
  const auto bytes = std::as_bytes(std::span(file));
  constexpr std::size_t channels_at = 16;  // behind the magic, the version and the feature set
  std::size_t channels = 0;
  for (std::size_t i = 4; i-- > 0;)
    if (channels_at + i < bytes.size())
      channels = channels << 8 | std::to_integer<std::size_t>(bytes[channels_at + i]);
  const auto read = [&]<class Shape>(Shape) {
    auto w = codemode::basic_weights<Shape>::parse(bytes);
    if (w) return f(*w);
    std::fprintf(stderr, "%s: %s\n", path.c_str(), codemode::to_message(w.error()).c_str());
    return 1;
  };
  switch (channels) {
    case 32:
      return read(sized<32>{});
    case 48:
      return read(sized<48>{});
    case 64:
      return read(sized<64>{});
    case 128:
      return read(sized<128>{});
    default:
      return read(codemode::default_shape{});
  }
}

}  // namespace train
