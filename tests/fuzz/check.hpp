#pragma once

#include <codemode/diagnostic.hpp>
#include <codemode/result.hpp>
#include <codemode/text/utf8.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

namespace fuzz {

/// Ends the run where a promise is broken, so that libFuzzer keeps the input.
inline void check(bool holds) {
  if (!holds) std::abort();
}

/// The input in a block of its own size, so that AddressSanitizer sees every byte read beyond its end.
class input {
 public:
  input(const std::uint8_t* data, std::size_t size) : size_(size), bytes_(new char[size]) {
    for (std::size_t i = 0; i < size; ++i) bytes_[i] = static_cast<char>(data[i]);
  }
  [[nodiscard]] std::string_view text() const { return {bytes_.get(), size_}; }

 private:
  std::size_t size_;
  std::unique_ptr<char[]> bytes_;
};

/// What holds of every refusal of `text`: its range lies inside, its views can be read, its sentence is clean.
inline void check_refusal(const codemode::diagnostic& d, std::string_view text) {
  check(d.begin <= d.end && d.end <= text.size());
  check(!d.what.empty());
  const std::string message = codemode::to_message(d);
  check(codemode::text::is_valid_utf8(message));
  for (const char c : message) check(static_cast<unsigned char>(c) >= 0x20);
}

/// Whether two refusals say the same.
inline bool same(const codemode::diagnostic& a, const codemode::diagnostic& b) {
  return a.code == b.code && a.tool == b.tool && a.argument == b.argument && a.found == b.found &&
         a.what == b.what && a.begin == b.begin && a.end == b.end && a.needed == b.needed;
}

}  // namespace fuzz
