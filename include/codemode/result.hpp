#pragma once

/// @file
/// Failures as values: the stable rejection codes, `diagnostic`, and `result<T>`.

#include <codemode/config.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

namespace codemode {
inline namespace v0_1 {

/// Why something was refused. The planner's codes are those of its answer lines and never change;
/// the last group belongs to the library itself. Names are given by `to_string`.
enum class errc : std::uint8_t {
  invalid_json,            ///< the line is not one JSON object, is not UTF-8, or repeats a member of the record
  invalid_record,          ///< `instruction`, `tools` or `id` missing or of the wrong type, or 0 or more than 8 tools
  invalid_catalog,         ///< a catalog entry breaks the contract
  too_long,                ///< more than 128 frontend tokens
  bad_string,              ///< an unterminated string or a bad escape
  bad_number,              ///< a number that is not exact in JavaScript
  no_call,                 ///< no catalog tool is to be called
  too_many_calls,          ///< more than three calls
  missing_argument,        ///< a call lacks a required argument
  missing_value,           ///< an argument is plainly given but its value is no literal
  unknown_argument,        ///< a value is given to a name that the called tool does not have
  duplicate_argument,      ///< the same argument twice in one call
  type_mismatch,           ///< a value of another type than the argument's
  unattached_value,        ///< a value that belongs to nothing
  unsupported_dependency,  ///< a call needs an earlier call's result
  unsupported_condition,   ///< if, unless, only when, depending on
  unsupported_loop,        ///< for each, repeat, twice, until, retry
  unsupported_schedule,    ///< serial and parallel mixed in one request
  unsupported_shaping,     ///< filter, sort, aggregate, or fields and limit where they cannot be
  ambiguous,               ///< two readings remain
  low_confidence,          ///< the best plan is below the caller's threshold
  buffer_too_small,        ///< a caller's buffer is full; `diagnostic::needed` tells the size in bytes
  bad_weights,             ///< weights are damaged, truncated, foreign or uncalibrated
  invalid_plan,            ///< a plan made by hand breaks the plan's rules
};

/// Number of codes in `errc`.
inline constexpr std::size_t errc_count = 24;

/// The stable spelling of a code, as in answer lines (`"missing_argument"`).
[[nodiscard]] constexpr std::string_view to_string(errc c) noexcept {
  constexpr std::array<std::string_view, errc_count> names{
      "invalid_json",         "invalid_record",      "invalid_catalog",
      "too_long",             "bad_string",          "bad_number",
      "no_call",              "too_many_calls",      "missing_argument",
      "missing_value",        "unknown_argument",    "duplicate_argument",
      "type_mismatch",        "unattached_value",    "unsupported_dependency",
      "unsupported_condition", "unsupported_loop",   "unsupported_schedule",
      "unsupported_shaping",  "ambiguous",           "low_confidence",
      "buffer_too_small",     "bad_weights",         "invalid_plan"};
  const auto i = static_cast<std::size_t>(c);
  return i < names.size() ? names[i] : std::string_view{"unknown"};
}

/// The code that `to_string` spells as `name`, or nothing.
[[nodiscard]] constexpr std::optional<errc> errc_from_string(std::string_view name) noexcept {
  for (std::size_t i = 0; i < errc_count; ++i)
    if (to_string(static_cast<errc>(i)) == name) return static_cast<errc>(i);
  return std::nullopt;
}

/// A failure: what, where and about whom. Small, trivially copyable, free of allocation.
///
/// The views borrow: `tool` and `argument` point into the catalog (or, for a catalog that could not be
/// read, into its source text), `found` into the text that was read, `what` is static text. They are
/// valid as long as those are. `write_message` (diagnostic.hpp) makes the sentence.
struct diagnostic {
  errc code = errc::invalid_json;
  std::string_view tool{};      ///< tool at fault, or empty
  std::string_view argument{};  ///< argument (or catalog member) at fault, or empty
  std::string_view found{};     ///< token or value at fault, as written, or empty
  std::string_view what{};      ///< static text that says what is wrong and how to mend it, or empty
  std::size_t begin = 0;        ///< half-open byte range of the fault in the decoded instruction or the text read
  std::size_t end = 0;          ///< equal to `begin` where no place is known
  std::size_t needed = 0;       ///< for `buffer_too_small`: bytes needed; for limits: the size met
};

/// A value of `T` or the reason why there is none. Look before you take: `value()`, `*` and `->` need
/// `has_value()`, `error()` needs `!has_value()`. Never throws.
template <class T, class E = diagnostic>
class [[nodiscard]] result {
 public:
  using value_type = T;
  using error_type = E;

  constexpr result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  constexpr result(E error) : state_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] constexpr bool has_value() const noexcept { return state_.index() == 0; }
  [[nodiscard]] constexpr explicit operator bool() const noexcept { return has_value(); }

  [[nodiscard]] constexpr T& value() & noexcept { return *std::get_if<0>(&state_); }
  [[nodiscard]] constexpr const T& value() const& noexcept { return *std::get_if<0>(&state_); }
  [[nodiscard]] constexpr T&& value() && noexcept { return std::move(*std::get_if<0>(&state_)); }
  [[nodiscard]] constexpr T& operator*() & noexcept { return value(); }
  [[nodiscard]] constexpr const T& operator*() const& noexcept { return value(); }
  [[nodiscard]] constexpr T&& operator*() && noexcept { return std::move(*this).value(); }
  [[nodiscard]] constexpr T* operator->() noexcept { return std::get_if<0>(&state_); }
  [[nodiscard]] constexpr const T* operator->() const noexcept { return std::get_if<0>(&state_); }

  [[nodiscard]] constexpr E& error() & noexcept { return *std::get_if<1>(&state_); }
  [[nodiscard]] constexpr const E& error() const& noexcept { return *std::get_if<1>(&state_); }

  /// The value, or `other` where there is none.
  [[nodiscard]] constexpr T value_or(T other) const& { return has_value() ? value() : std::move(other); }
  [[nodiscard]] constexpr T value_or(T other) && {
    return has_value() ? std::move(*this).value() : std::move(other);
  }

 private:
  std::variant<T, E> state_;
};

}  // namespace v0_1
}  // namespace codemode
