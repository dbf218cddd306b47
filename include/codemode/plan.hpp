#pragma once

/// @file
/// What the planner answers: one to three calls with their arguments, how they run, and what comes back.
/// A plan borrows its text; `owned_plan` stands alone. JSON comes from plan_json.hpp, JavaScript from
/// javascript.hpp.

#include <codemode/config.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace codemode {
inline namespace v0_1 {

/// Limits of the inference contract.
inline constexpr std::size_t max_calls = 3;
inline constexpr std::size_t max_arguments = 4;
inline constexpr std::size_t max_fields = 3;
inline constexpr std::size_t max_tools = 8;
inline constexpr std::size_t max_tokens = 128;
inline constexpr std::size_t max_limit = 100;

/// Type of an argument and of a value.
enum class value_type : std::uint8_t { string, number, boolean };

/// `"string"`, `"number"` or `"boolean"`.
[[nodiscard]] constexpr std::string_view to_string(value_type t) noexcept {
  return t == value_type::string ? "string" : t == value_type::number ? "number" : "boolean";
}

/// A literal. A string is kept as it stands in JSON, quotes included, so that a plan can borrow the
/// instruction; `decode_json_string` (text/json_text.hpp) gives its content.
class value {
 public:
  constexpr value() noexcept = default;
  /// `json` is a JSON string with its quotes; it is borrowed.
  [[nodiscard]] static constexpr value string(std::string_view json) noexcept {
    value v;
    v.type_ = value_type::string;
    v.json_ = json;
    return v;
  }
  [[nodiscard]] static constexpr value number(double x) noexcept {
    value v;
    v.type_ = value_type::number;
    v.number_ = x;
    return v;
  }
  [[nodiscard]] static constexpr value boolean(bool x) noexcept {
    value v;
    v.type_ = value_type::boolean;
    v.boolean_ = x;
    return v;
  }

  [[nodiscard]] constexpr value_type type() const noexcept { return type_; }
  /// The JSON string with quotes and escapes; only for `value_type::string`.
  [[nodiscard]] constexpr std::string_view json() const noexcept { return json_; }
  [[nodiscard]] constexpr double as_number() const noexcept { return number_; }
  [[nodiscard]] constexpr bool as_boolean() const noexcept { return boolean_; }

 private:
  std::string_view json_{};
  double number_ = 0;
  value_type type_ = value_type::boolean;
  bool boolean_ = false;
};

/// One argument of a call: the catalog's name (decoded UTF-8) and its value.
struct argument {
  std::string_view name{};
  codemode::value value{};
};

/// One call; arguments are in the catalog's order.
struct call {
  std::string_view tool{};
  std::array<argument, max_arguments> argument_list{};
  std::uint8_t argument_count = 0;

  [[nodiscard]] constexpr std::span<const argument> arguments() const noexcept {
    return {argument_list.data(), argument_count};
  }
  /// Adds an argument; false where four are there already.
  constexpr bool add(std::string_view name, codemode::value v) noexcept {
    if (argument_count >= max_arguments) return false;
    argument_list[argument_count++] = {name, v};
    return true;
  }
};

/// How the calls run.
enum class mode : std::uint8_t {
  single,   ///< one call
  serial,   ///< one after another, also after a failure
  parallel  ///< started together
};
[[nodiscard]] constexpr std::string_view to_string(mode m) noexcept {
  return m == mode::single ? "single" : m == mode::serial ? "serial" : "parallel";
}

/// What comes back: every call's record, or the last call's alone.
enum class output_kind : std::uint8_t { all, last };
[[nodiscard]] constexpr std::string_view to_string(output_kind k) noexcept {
  return k == output_kind::all ? "all" : "last";
}

/// The output of a plan. `fields` and `limit` only for one call of an array tool.
struct output {
  output_kind kind = output_kind::last;
  std::array<std::string_view, max_fields> field_list{};
  std::uint8_t field_count = 0;
  std::int16_t limit = -1;  ///< 0..100, or -1 for none

  [[nodiscard]] constexpr std::span<const std::string_view> fields() const noexcept {
    return {field_list.data(), field_count};
  }
  [[nodiscard]] constexpr bool has_limit() const noexcept { return limit >= 0; }
  constexpr bool add_field(std::string_view f) noexcept {
    if (field_count >= max_fields) return false;
    field_list[field_count++] = f;
    return true;
  }
};

/// A validated plan. Trivially copyable. Names point into the catalog, strings into the instruction:
/// valid while both are (and, from a planner, until its next `plan()`).
struct plan {
  codemode::mode mode = codemode::mode::single;
  std::array<call, max_calls> call_list{};
  std::uint8_t call_count = 0;
  codemode::output output{};
  float confidence = 1.0F;  ///< calibrated probability that the plan is the one meant, 0..1

  [[nodiscard]] constexpr std::span<const call> calls() const noexcept {
    return {call_list.data(), call_count};
  }
};

}  // namespace v0_1
}  // namespace codemode
