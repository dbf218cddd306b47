#pragma once

/// @file
/// Text as JavaScript source: string literals that stay one literal wherever the source is pasted, and words
/// that no variable can be called.

#include <codemode/text/json_text.hpp>
#include <codemode/text/sink.hpp>
#include <codemode/text/utf8.hpp>

#include <array>
#include <cstdint>
#include <string_view>

namespace codemode {
inline namespace v0_1 {
namespace text {
namespace detail {

/// Whether `c`, standing behind `previous` in a string, is written as an escape in JavaScript source.
/// JSON's escapes, and those that keep the text harmless where source is embedded without care: `<`
/// (`</script>`, `<!--`), a backtick and the brace of `${` (template literals), the slash of `*` `/`
/// (comments); and controls of text direction, so that a reviewer sees the order that the engine sees.
[[nodiscard]] constexpr bool needs_javascript_escape(char32_t c, char32_t previous) noexcept {
  switch (c) {
    case U'<':
    case U'`':
    case 0x061C:
      return true;
    case U'{':
      return previous == U'$';
    case U'/':
      return previous == U'*';
    default:
      break;
  }
  const bool direction =
      c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
  return direction || needs_json_escape(c);
}

/// Writes the content of one string literal from pieces.
template <text_sink S>
class javascript_content {
 public:
  constexpr explicit javascript_content(S& sink) noexcept : sink_(sink) {}

  /// Any bytes; those that are no UTF-8 become U+FFFD.
  constexpr void append_text(std::string_view utf8) {
    append_escaped(
        sink_, utf8, [this](char32_t c) { return needs_escape(c); },
        [this](char32_t c) { append_escape(c); });
  }

  /// A surrogate comes out as its escape.
  constexpr void append(char32_t c) {
    if (needs_escape(c)) {
      append_escape(c);
    } else {
      const encoded bytes = encode(c);
      sink_.append(bytes.view());
    }
  }

 private:
  [[nodiscard]] constexpr bool needs_escape(char32_t c) noexcept {
    const bool needs = needs_javascript_escape(c, previous_);
    previous_ = c;
    return needs;
  }
  constexpr void append_escape(char32_t c) {
    if (needs_json_escape(c)) append_json_escape(sink_, c);
    else append_unicode_escape(sink_, static_cast<std::uint16_t>(c));
  }

  S& sink_;
  char32_t previous_ = 0;
};

}  // namespace detail

/// Appends `utf8` as the content of a JavaScript string literal in double quotes, without the quotes. Bytes
/// that are no UTF-8 become U+FFFD.
template <text_sink S>
constexpr void append_javascript_content(S& sink, std::string_view utf8) {
  detail::javascript_content<S>(sink).append_text(utf8);
}

/// Appends `utf8` as a JavaScript string literal in double quotes.
template <text_sink S>
constexpr void append_javascript_string(S& sink, std::string_view utf8) {
  sink.append(std::string_view{"\""});
  append_javascript_content(sink, utf8);
  sink.append(std::string_view{"\""});
}

/// Appends a JSON string literal as a JavaScript string literal of the same content, lone surrogates
/// included. Any bytes are safe, as for `append_json_literal`.
template <text_sink S>
constexpr void append_javascript_literal(S& sink, std::string_view json) {
  sink.append(std::string_view{"\""});
  detail::javascript_content<S> content(sink);
  json_string_reader reader(json);
  while (!reader.done()) {
    content.append_text(reader.take_run());
    if (!reader.done()) content.append(reader.next());
  }
  sink.append(std::string_view{"\""});
}

/// Whether `word` cannot be the name of a variable in an async function of strict mode or in a module.
[[nodiscard]] constexpr bool is_javascript_reserved(std::string_view word) noexcept {
  constexpr std::array<std::string_view, 48> words{
      "arguments", "await",      "break",     "case",   "catch",    "class",  "const",      "continue",
      "debugger",  "default",    "delete",    "do",     "else",     "enum",   "eval",       "export",
      "extends",   "false",      "finally",   "for",    "function", "if",     "implements", "import",
      "in",        "instanceof", "interface", "let",    "new",      "null",   "package",    "private",
      "protected", "public",     "return",    "static", "super",    "switch", "this",       "throw",
      "true",      "try",        "typeof",    "var",    "void",     "while",  "with",       "yield"};
  for (const std::string_view w : words)
    if (w == word) return true;
  return false;
}

}  // namespace text
}  // namespace v0_1
}  // namespace codemode
