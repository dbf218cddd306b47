#pragma once

/// @file
/// What is wrong with a template, and where.

#include <codemode/config.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace codemode {
inline namespace v0_1 {

/// Why a template cannot be parsed or rendered. `message` says what was found and what was expected.
struct template_error {
  /// When it was noticed.
  enum class phase : std::uint8_t {
    parse,  ///< the template itself is wrong
    render  ///< a helper or partial is missing or refused
  };
  std::string message{};
  std::size_t line = 1;    ///< of the tag at fault, from 1
  std::size_t column = 1;  ///< in code points, from 1
  phase when = phase::parse;

  /// The message with its place, for people.
  [[nodiscard]] std::string text() const {
    return message + " (line " + std::to_string(line) + ", column " + std::to_string(column) +
           (when == phase::parse ? ", while parsing)" : ", while rendering)");
  }
};

}  // namespace v0_1
}  // namespace codemode
