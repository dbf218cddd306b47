#pragma once

/// @file
/// A reading of an instruction while the decoder searches: which calls, and which value goes where. Readings
/// that the catalog forbids are searched too, marked with the fault, so that the best of them explains a
/// refusal and competes with the plans that are allowed.

#include <codemode/decoder/scores.hpp>
#include <codemode/plan.hpp>
#include <codemode/result.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace codemode {
inline namespace v0_1 {
namespace detail {

inline constexpr std::uint8_t no_token = 0xFF;

/// A fault of a reading; tokens, calls and arguments are indices.
struct fault {
  errc code = errc::low_confidence;
  std::uint8_t token = no_token;     ///< token at fault
  std::uint8_t tool = 0xFF;          ///< index of the tool at fault
  std::uint8_t parameter = 0xFF;     ///< index of its argument
};

/// The calls of a reading: tokens that begin them, in text order, and their tools.
struct call_set {
  float score = 0;
  std::array<std::uint8_t, max_calls> tokens{};
  std::array<std::uint8_t, max_calls> tools{};
  std::uint8_t count = 0;
  bool excludes = false;  ///< a tool is mentioned that is not called
  std::optional<detail::fault> fault{};
};

/// A reading of the values behind a call set.
struct hypothesis {
  float score = 0;
  /// Token of the value of argument p of call c, or `no_token`.
  std::array<std::array<std::uint8_t, max_arguments>, max_calls> slots{};
  /// Token that names that argument.
  std::array<std::array<std::uint8_t, max_arguments>, max_calls> mentions{};
  std::uint8_t limit = no_token;  ///< token of the limit
  bool faulty = false;
  detail::fault fault{};
  std::uint64_t linked[2]{};  ///< argument mentions that have a value

  hypothesis() noexcept {
    for (auto& s : slots) s.fill(no_token);
  }
  void link(std::size_t token_index) noexcept { linked[token_index / 64] |= std::uint64_t{1} << (token_index % 64); }
  [[nodiscard]] bool is_linked(std::size_t token_index) const noexcept {
    return (linked[token_index / 64] >> (token_index % 64) & 1U) != 0;
  }
  /// Marks the first fault; later ones do not replace it.
  void blame(const detail::fault& f) noexcept {
    if (!faulty) fault = f;
    faulty = true;
  }
};

/// The best readings so far, best first, at most `N`. Equal scores keep their order of arrival, so that the
/// search is deterministic.
template <class T, std::size_t N>
class best_list {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return items_[order_[i]]; }
  void clear() noexcept { size_ = 0; }
  /// Whether a reading of `score` would be kept: among the best, and not hopelessly behind.
  [[nodiscard]] bool wants(float score, float window) const noexcept {
    if (size_ == 0) return true;
    if (score < items_[order_[0]].score - window) return false;
    return size_ < N || score > items_[order_[size_ - 1]].score;
  }
  void add(const T& item) noexcept {
    std::uint8_t slot;
    if (size_ < N) {
      slot = static_cast<std::uint8_t>(size_++);
    } else if (item.score > items_[order_[size_ - 1]].score) {
      slot = order_[size_ - 1];
    } else {
      return;
    }
    std::size_t i = size_ - 1;
    for (; i > 0 && items_[order_[i - 1]].score < item.score; --i) order_[i] = order_[i - 1];
    order_[i] = slot;
    items_[slot] = item;
  }

 private:
  static_assert(N < 256);
  std::array<T, N> items_{};
  std::array<std::uint8_t, N> order_{};
  std::size_t size_ = 0;
};

}  // namespace detail
}  // namespace v0_1
}  // namespace codemode
