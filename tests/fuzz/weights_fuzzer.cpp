// Any bytes as weights: refused with a reason, or a network over them runs. Random bytes would never get past the
// checksum, and no file of random bytes is as long as a network; so the first byte says how the rest is read:
//   0  as the file          1  as the file without its checksum
//   2  as changes {position of two bytes, value} of a good file, whose checksum is then put right
//   3  the same, the file being cut to a length of two bytes first

#include "../reference_network.hpp"
#include "check.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace {

using shape = codemode::network_shape<16, 1>;
using weights = codemode::basic_weights<shape>;

std::vector<std::byte> file_of(std::span<const std::uint8_t> in) {
  static const std::vector<std::byte> good = fixture::reference_network<shape>(1).file();
  std::vector<std::byte> file;
  if (in.empty()) return file;
  const unsigned form = in[0] % 4;
  in = in.subspan(1);
  const auto two = [](std::span<const std::uint8_t> s) { return static_cast<std::size_t>(s[0] | s[1] << 8); };
  if (form < 2) {
    for (const auto b : in) file.push_back(static_cast<std::byte>(b));
    if (form == 1) file.resize(file.size() + 4);
  } else {
    file = good;
    if (form == 3 && in.size() >= 2) {
      file.resize(two(in) % file.size());
      in = in.subspan(2);
    }
    for (; in.size() >= 3 && !file.empty(); in = in.subspan(3))
      file[two(in) % file.size()] = static_cast<std::byte>(in[2]);
  }
  if (form != 0 && file.size() >= 4) fixture::seal(file);
  return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = file_of({data, size});
  // In a block of its own size, so that AddressSanitizer sees every byte read beyond its end.
  const std::unique_ptr<std::byte[]> block(new std::byte[bytes.size()]);
  for (std::size_t i = 0; i < bytes.size(); ++i) block[i] = bytes[i];
  const auto w = weights::parse({block.get(), bytes.size()});
  if (!w) {
    fuzz::check(w.error().code == codemode::errc::bad_weights);
    fuzz::check_refusal(w.error(), {});
    return 0;
  }
  for (const float c : w->calibration()) fuzz::check(std::isfinite(c));
  const auto& words = w->words();
  for (std::size_t i = 0; i < words.count(); ++i) {
    const auto id = words.find(words.word(i));
    fuzz::check(id >= codemode::vocabulary::first_id && words.word(id - codemode::vocabulary::first_id) == words.word(i));
  }
  static const auto work = std::make_unique<codemode::network_workspace<shape>>();
  const fixture::random_tokens in(3, 20, 1);
  // Finite weights may overflow; what they answer is then of no use, but reads nothing that it must not.
  static_cast<void>(codemode::network<shape>(*w).run(in.view(), *work).pooled(0));
  return 0;
}
