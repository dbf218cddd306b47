#pragma once

/// @file
/// The words that a network knows by name.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace codemode {
inline namespace v0_1 {

/// Words to ids: `first_id` onwards, in the order given. Looking up allocates nothing.
class vocabulary {
 public:
  static constexpr std::uint16_t unknown = 1;   ///< id of words that are not in the list
  static constexpr std::uint16_t first_id = 8;  ///< below are the ids of kinds of tokens

  vocabulary() = default;
  /// Copies `words`: case folded UTF-8, at most 65,000 of them.
  template <class String>
  explicit vocabulary(const std::vector<String>& words) {
    for (const auto& w : words) add(w);
    build();
  }

  /// Adds a word; `build` makes it findable.
  void add(std::string_view word) {
    starts_.push_back(static_cast<std::uint32_t>(text_.size()));
    text_.append(word);
  }
  void build() {
    starts_.push_back(static_cast<std::uint32_t>(text_.size()));
    std::size_t size = 64;
    while (size < starts_.size() * 2) size *= 2;
    slots_.assign(size, 0);
    for (std::size_t w = 0; w < count(); ++w) {
      std::size_t i = hash(word(w)) & (size - 1);
      while (slots_[i] != 0) i = (i + 1) & (size - 1);
      slots_[i] = static_cast<std::uint16_t>(w + first_id);
    }
  }

  [[nodiscard]] std::size_t count() const noexcept { return starts_.empty() ? 0 : starts_.size() - 1; }
  [[nodiscard]] std::string_view word(std::size_t i) const noexcept {
    return std::string_view(text_).substr(starts_[i], starts_[i + 1] - starts_[i]);
  }

  /// Id of `folded`, or `unknown`.
  [[nodiscard]] std::uint16_t find(std::string_view folded) const noexcept {
    if (slots_.empty()) return unknown;
    for (std::size_t i = hash(folded);; ++i) {
      const std::uint16_t id = slots_[i & (slots_.size() - 1)];
      if (id == 0) return unknown;
      if (word(static_cast<std::size_t>(id - first_id)) == folded) return id;
    }
  }

 private:
  [[nodiscard]] static std::size_t hash(std::string_view s) noexcept {
    std::uint32_t h = 0x811c'9dc5U;
    for (const char c : s) h = (h ^ static_cast<unsigned char>(c)) * 0x0100'0193U;
    return h ^ (h >> 15U);
  }

  std::string text_;
  std::vector<std::uint32_t> starts_;
  std::vector<std::uint16_t> slots_;
};

}  // namespace v0_1
}  // namespace codemode
