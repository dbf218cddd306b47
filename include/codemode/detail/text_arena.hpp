#pragma once

/// @file
/// A growing text of which views are handed out: it never moves while it is being filled.

#include <codemode/config.hpp>

#include <cstddef>
#include <string_view>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace detail {

/// Text in one block whose views survive moving the arena (`std::string` keeps short text inside itself).
/// A text sink.
class text_arena {
 public:
  /// Empties the arena and makes room for `capacity` bytes; more must not be appended. Allocates only
  /// where that is more than ever before.
  void reset(std::size_t capacity) {
    bytes_.clear();
    bytes_.reserve(capacity);
  }
  void append(std::string_view piece) { bytes_.insert(bytes_.end(), piece.begin(), piece.end()); }

  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size(); }
  /// All text from offset `from` on.
  [[nodiscard]] std::string_view since(std::size_t from) const noexcept {
    return {bytes_.data() + from, bytes_.size() - from};
  }

 private:
  std::vector<char> bytes_;
};

}  // namespace detail
}  // namespace v0_1
}  // namespace codemode
