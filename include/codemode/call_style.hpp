#pragma once

/// @file
/// How compiled JavaScript reaches the host's tools.

#include <codemode/result.hpp>
#include <codemode/text/javascript_text.hpp>
#include <codemode/text/unicode.hpp>

#include <cstdint>
#include <string_view>

namespace codemode {
inline namespace v0_1 {

/// Form of a call in JavaScript.
enum class call_form : std::uint8_t {
  bracket,  ///< `tools["list_users"](...)`
  member,   ///< `codemode.list_users(...)`; a bracket where the name is no ASCII identifier
  prefix    ///< `external_list_users(...)`
};

/// A call form with the name of the object, or the prefix. Only good names get in, so compiled code cannot be
/// broken through it: the default is `tools[...]`, all others come from `parse_call_style`. Borrows its name.
class call_style {
 public:
  constexpr call_style() noexcept = default;

  [[nodiscard]] constexpr call_form form() const noexcept { return form_; }
  /// The object's name, or the prefix.
  [[nodiscard]] constexpr std::string_view name() const noexcept { return name_; }

 private:
  constexpr call_style(call_form form, std::string_view name) noexcept : form_(form), name_(name) {}
  friend constexpr result<call_style> parse_call_style(std::string_view) noexcept;

  call_form form_ = call_form::bracket;
  std::string_view name_ = "tools";
};

/// Reads `tools[]` (a bracket), `codemode.` (a member) or `external_` (a prefix, which ends in `_` or `$`),
/// with any JavaScript identifier that is no reserved word. The style borrows from `s`. What else is given
/// is `invalid_plan`, with `what` saying the forms there are.
[[nodiscard]] constexpr result<call_style> parse_call_style(std::string_view s) noexcept {
  std::string_view name = s;
  call_form form = call_form::prefix;
  if (s.ends_with("[]")) {
    form = call_form::bracket;
    name.remove_suffix(2);
  } else if (s.ends_with('.')) {
    form = call_form::member;
    name.remove_suffix(1);
  }
  diagnostic d;
  d.code = errc::invalid_plan;
  d.found = s;
  if (!text::is_identifier(name) || (form == call_form::prefix && !s.ends_with('_') && !s.ends_with('$'))) {
    d.what = "a call style is like tools[], codemode. or external_, with a JavaScript identifier";
    return d;
  }
  if (text::is_javascript_reserved(name)) {
    d.what = "a reserved word of JavaScript cannot hold the tools";
    return d;
  }
  return call_style(form, name);
}

}  // namespace v0_1
}  // namespace codemode
