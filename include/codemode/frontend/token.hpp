#pragma once

/// @file
/// Tokens of an instruction, as the network and the decoder see them.

#include <codemode/plan.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace codemode {
inline namespace v0_1 {

/// Kind of a token.
enum class token_kind : std::uint8_t {
  word,     ///< letters, digits, `_`, `$` and inner apostrophes; also digits glued to signs (`3.2.1`)
  sign,     ///< any other single character
  name,     ///< a mention of a catalog name, however many words or signs it has
  string,   ///< a JSON string with its quotes
  number,   ///< a JSON number
  boolean   ///< `true` or `false` in any letter case
};
[[nodiscard]] constexpr std::string_view to_string(token_kind k) noexcept {
  constexpr std::array<std::string_view, 6> names{"word", "sign", "name", "string", "number", "boolean"};
  return names[static_cast<std::size_t>(k)];
}

/// Names that fit the span of one token are kept side by side: one word may be a tool, an argument and a
/// property at once.
inline constexpr std::size_t max_token_names = 4;

/// One token; ranges are half-open, in bytes of the instruction.
struct token {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  double number = 0;                 ///< value of a number token, or of a number word from one to twenty
  std::uint32_t parameters = 0;      ///< `parameter_bit`s that the token may name
  std::uint32_t exact_parameters = 0;  ///< those spelled exactly
  std::array<std::int32_t, max_token_names> names{-1, -1, -1, -1};  ///< entries of the catalog's name index
  std::uint8_t name_count = 0;
  std::uint8_t tools = 0;            ///< bit set of the tools that the token may name
  std::uint8_t properties = 0;       ///< bit set of the tools that declare it as a property
  token_kind kind = token_kind::word;
  bool exact_tool = false;
  bool exact_property = false;
  bool boolean = false;              ///< value of a boolean token
  bool is_boolean = false;           ///< `true`/`false`, also where it is a name too
  bool malformed_number = false;     ///< digits glued to letters or signs
  bool number_word = false;          ///< a word from one to twenty; `number` holds it
  bool line_start = false;
  bool quoted_name = false;          ///< `"team":`, a mention in quotes

  /// Whether the token can be given to an argument.
  [[nodiscard]] constexpr bool is_value() const noexcept {
    return kind == token_kind::string || kind == token_kind::number || is_boolean;
  }
  /// Type of a value token.
  [[nodiscard]] constexpr value_type type() const noexcept {
    return kind == token_kind::string   ? value_type::string
           : kind == token_kind::number ? value_type::number
                                        : value_type::boolean;
  }
};

/// The tokens of one instruction in fixed storage.
struct token_list {
  std::array<token, max_tokens> items{};
  std::size_t count = 0;

  [[nodiscard]] std::span<const token> view() const noexcept { return {items.data(), count}; }
  [[nodiscard]] const token& operator[](std::size_t i) const noexcept { return items[i]; }
  [[nodiscard]] token& operator[](std::size_t i) noexcept { return items[i]; }
};

}  // namespace v0_1
}  // namespace codemode
