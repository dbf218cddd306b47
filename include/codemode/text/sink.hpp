#pragma once

/// @file
/// Where writers put text: any type with `append(std::string_view)` (a `std::string` is one), or a
/// caller's buffer through `buffer_sink`.

#include <codemode/result.hpp>

#include <concepts>
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

namespace codemode {
inline namespace v0_1 {

/// Takes text piece by piece. Pieces are whole as UTF-8 only together.
template <class S>
concept text_sink = requires(S& sink, std::string_view piece) { sink.append(piece); };

/// Writes into a caller's buffer and keeps counting after its end, so that one failed call tells the
/// size needed. Never writes past the end, never allocates, adds no terminating zero.
class buffer_sink {
 public:
  constexpr explicit buffer_sink(std::span<char> buffer) noexcept : buffer_(buffer) {}

  constexpr void append(std::string_view piece) noexcept {
    if (needed_ < buffer_.size()) {
      const std::size_t room = buffer_.size() - needed_;
      const std::size_t n = piece.size() < room ? piece.size() : room;
      for (std::size_t i = 0; i < n; ++i) buffer_[needed_ + i] = piece[i];
    }
    needed_ += piece.size();
  }

  /// Bytes that the whole text takes.
  [[nodiscard]] constexpr std::size_t needed() const noexcept { return needed_; }

  /// The text, or `buffer_too_small` with `needed`.
  [[nodiscard]] constexpr result<std::string_view> finish() const noexcept {
    if (needed_ <= buffer_.size()) return std::string_view{buffer_.data(), needed_};
    diagnostic d;
    d.code = errc::buffer_too_small;
    d.what = "the buffer is too small for the text; call again with one of the size needed";
    d.needed = needed_;
    return d;
  }

 private:
  std::span<char> buffer_;
  std::size_t needed_ = 0;
};

/// Counts bytes and keeps none.
class counting_sink {
 public:
  constexpr void append(std::string_view piece) noexcept { size_ += piece.size(); }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }

 private:
  std::size_t size_ = 0;
};

/// A sink that hands each piece to a callable.
template <class F>
class function_sink {
 public:
  constexpr explicit function_sink(F f) : f_(std::move(f)) {}
  constexpr void append(std::string_view piece) { f_(piece); }

 private:
  F f_;
};

}  // namespace v0_1
}  // namespace codemode
