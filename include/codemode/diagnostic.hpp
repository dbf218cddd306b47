#pragma once

/// @file
/// Diagnostics as sentences for people.

#include <codemode/result.hpp>
#include <codemode/text/sink.hpp>
#include <codemode/text/utf8.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace codemode {
inline namespace v0_1 {

/// What `code` says where a diagnostic brings no text of its own, and how to mend it. No capital, no full stop.
[[nodiscard]] constexpr std::string_view default_message(errc code) noexcept {
  switch (code) {
    case errc::invalid_json:
      return "the line is not one JSON object in UTF-8; write {\"instruction\": \"...\", \"tools\": [...]} "
             "on one line, no member twice";
    case errc::invalid_record:
      return "the record needs an instruction (a string) and tools (an array of 1 to 8 tools)";
    case errc::invalid_catalog:
      return "the catalog breaks a rule; every tool has exactly the members name, arguments, required and "
             "returns";
    case errc::too_long:
      return "the instruction has more than 128 tokens; shorten it or split it";
    case errc::bad_string:
      return "this is no JSON string; close it with a double quote and write special characters as JSON "
             "escapes";
    case errc::bad_number:
      return "the number is not exact in JavaScript; write a JSON number that a double holds exactly, as in "
             "5 or 0.25";
    case errc::no_call:
      return "the instruction calls no tool of the catalog; name the tool to call";
    case errc::too_many_calls:
      return "the instruction makes more than three calls; split it";
    case errc::missing_argument:
      return "a required argument has no value; give its name and its value, as in team \"blue\"";
    case errc::missing_value:
      return "the argument is named but has no literal value; write a string in double quotes, a number, "
             "true or false";
    case errc::unknown_argument:
      return "the tool has no argument of this name; use a name of the catalog";
    case errc::duplicate_argument:
      return "the argument is given twice in one call; give it once";
    case errc::type_mismatch:
      return "the value is not of the argument's type; write a string in double quotes, a number without "
             "them, a boolean as true or false";
    case errc::unattached_value:
      return "the value belongs to no argument of a call; put the argument's name before it, or leave it out";
    case errc::unsupported_dependency:
      return "a call cannot use what an earlier call returns; write the value out, or plan the calls one by "
             "one";
    case errc::unsupported_condition:
      return "calls cannot depend on a condition; decide it first and ask for plain calls";
    case errc::unsupported_loop:
      return "calls cannot be repeated by a loop; name each call, at most three";
    case errc::unsupported_schedule:
      return "serial and parallel calls cannot be mixed; let all calls run one after another, or all at the "
             "same time";
    case errc::unsupported_shaping:
      return "only 1 to 3 declared fields and a limit of 0 to 100 can be asked for, of one call that returns "
             "an array; "
             "of several calls, all results or the last";
    case errc::ambiguous:
      return "the instruction can be read in two ways; say it in one";
    case errc::low_confidence:
      return "the planner is not sure enough of its plan; name the tools and arguments exactly as in the "
             "catalog";
    case errc::buffer_too_small:
      return "the buffer is too small for the text; call again with one of the size needed";
    case errc::bad_weights:
      return "the weights are damaged or not made for this version; load the file that belongs to it";
    case errc::invalid_plan:
      return "the plan breaks the rules of plans";
  }
  return "unknown failure";
}

namespace detail {

/// Whether `c` could disturb a terminal or the order of the text around it: controls, line and paragraph
/// separators, invisible formatting, bidirectional marks, tags, private use, what is not assigned a character.
[[nodiscard]] constexpr bool is_unsafe(char32_t c) noexcept {
  if (c < 0x20 || (c >= 0x7F && c <= 0xA0)) return true;
  return c == 0xAD || c == 0x61C || c == 0x180E || (c >= 0x200B && c <= 0x200F) ||
         (c >= 0x2028 && c <= 0x202F) || (c >= 0x2060 && c <= 0x206F) || (c >= 0xE000 && c <= 0xF8FF) ||
         c == 0xFEFF || (c >= 0xFFF0 && c <= 0xFFFB) || c >= 0xE0000;
}

/// Appends `n` in base 16 or 10.
template <text_sink S>
constexpr void append_integer(S& sink, std::size_t n, int base = 10) {
  std::array<char, 24> digits{};
  std::size_t first = digits.size();
  do {
    digits[--first] = "0123456789ABCDEF"[n % static_cast<std::size_t>(base)];
    n /= static_cast<std::size_t>(base);
  } while (n != 0);
  sink.append(std::string_view{digits.data() + first, digits.size() - first});
}

/// Appends foreign text between single quotes, at most 80 characters of it, in a form that is safe to show:
/// `\n`-like escapes, `\u{...}` for what is unsafe, `\xNN` for bytes that are no UTF-8.
template <text_sink S>
constexpr void append_quoted(S& sink, std::string_view s) {
  sink.append("'");
  for (std::size_t shown = 0; !s.empty(); ++shown) {
    if (shown == 80) {
      sink.append("...");
      break;
    }
    const text::decoded d = text::decode(s);
    if (!d.valid) {
      sink.append("\\x");
      const auto byte = static_cast<unsigned char>(s.front());
      append_integer(sink, byte / 16U, 16);
      append_integer(sink, byte % 16U, 16);
      s.remove_prefix(1);
      continue;
    }
    switch (d.code_point) {
      case U'\n':
        sink.append("\\n");
        break;
      case U'\r':
        sink.append("\\r");
        break;
      case U'\t':
        sink.append("\\t");
        break;
      case U'\'':
        sink.append("\\'");
        break;
      default:
        if (is_unsafe(d.code_point)) {
          sink.append("\\u{");
          append_integer(sink, d.code_point, 16);
          sink.append("}");
        } else {
          sink.append(s.substr(0, d.size));
        }
    }
    s.remove_prefix(d.size);
  }
  sink.append("'");
}

}  // namespace detail

/// Appends one English sentence that says what is wrong and how to mend it, without a line break: the tool and
/// the argument or member at fault, `what` or the code's `default_message`, then in brackets the token or value
/// that was found, its range in bytes (half-open) and the size met or needed, as far as the diagnostic has them.
/// Text from outside is cut at 80 characters and escaped, so that it can go to a terminal. Allocates nothing itself.
///
///     Tool 'list_users', argument 'team': the value is not of the argument's type; ... (found '5', bytes 21 to 22).
template <text_sink S>
constexpr void write_message(const diagnostic& d, S& sink) {
  const bool of_json =
      d.code == errc::invalid_json || d.code == errc::invalid_record || d.code == errc::invalid_catalog;
  const bool has_subject = !d.tool.empty() || !d.argument.empty();
  if (!d.tool.empty()) {
    sink.append("Tool ");
    detail::append_quoted(sink, d.tool);
  }
  if (!d.argument.empty()) {
    sink.append(d.tool.empty() ? (of_json ? "Member " : "Argument ")
                               : (of_json ? ", member " : ", argument "));
    detail::append_quoted(sink, d.argument);
  }
  if (has_subject) sink.append(": ");

  std::string_view clause = d.what.empty() ? default_message(d.code) : d.what;
  while (!clause.empty() && (clause.back() == '.' || clause.back() == ' ')) clause.remove_suffix(1);
  if (!has_subject && !clause.empty() && clause.front() >= 'a' && clause.front() <= 'z') {
    const char capital = static_cast<char>(clause.front() - 'a' + 'A');
    sink.append(std::string_view{&capital, 1});
    clause.remove_prefix(1);
  }
  sink.append(clause);

  std::string_view before = " (";
  const auto next = [&sink, &before] {
    sink.append(before);
    before = ", ";
  };
  if (!d.found.empty()) {
    next();
    sink.append("found ");
    detail::append_quoted(sink, d.found);
  }
  if (d.end > d.begin) {
    next();
    sink.append("bytes ");
    detail::append_integer(sink, d.begin);
    sink.append(" to ");
    detail::append_integer(sink, d.end);
  }
  if (d.needed != 0) {
    next();
    if (d.code == errc::buffer_too_small) {
      detail::append_integer(sink, d.needed);
      sink.append(" bytes needed");
    } else {
      sink.append("there are ");
      detail::append_integer(sink, d.needed);
    }
  }
  sink.append(before == " (" ? "." : ").");
}

/// The sentence of `write_message` as a string.
[[nodiscard]] inline std::string to_message(const diagnostic& d) {
  std::string s;
  write_message(d, s);
  return s;
}

}  // namespace v0_1
}  // namespace codemode
