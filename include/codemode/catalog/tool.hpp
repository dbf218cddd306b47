#pragma once

/// @file
/// One tool of a catalog, as the inference contract has it.

#include <codemode/plan.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace codemode {
inline namespace v0_1 {

/// One argument that a tool takes.
struct parameter {
  std::string_view name{};  ///< decoded UTF-8, any non-empty text
  value_type type = value_type::string;
  bool required = false;
};

/// What a tool returns.
enum class return_kind : std::uint8_t { text, object, array };
[[nodiscard]] constexpr std::string_view to_string(return_kind k) noexcept {
  return k == return_kind::text ? "text" : k == return_kind::object ? "object" : "array";
}

/// One catalog entry. All views point into the catalog that it belongs to.
struct tool {
  std::string_view name{};                      ///< a JavaScript identifier, decoded UTF-8
  std::span<const parameter> parameters{};      ///< 0 to 4, in the catalog's order
  return_kind returns = return_kind::text;
  std::span<const std::string_view> properties{};  ///< declared properties, in order

  /// Index of the parameter called `n`, or -1.
  [[nodiscard]] constexpr int find(std::string_view n) const noexcept {
    for (std::size_t i = 0; i < parameters.size(); ++i)
      if (parameters[i].name == n) return static_cast<int>(i);
    return -1;
  }
  /// Whether `n` is a declared property.
  [[nodiscard]] constexpr bool declares(std::string_view n) const noexcept {
    for (const auto p : properties)
      if (p == n) return true;
    return false;
  }
};

}  // namespace v0_1
}  // namespace codemode
