#pragma once

// What holds of every answer of a planner, whatever the instruction and the weights are.

#include <codemode/catalog.hpp>
#include <codemode/diagnostic.hpp>
#include <codemode/javascript.hpp>
#include <codemode/plan_check.hpp>
#include <codemode/plan_json.hpp>
#include <codemode/planner.hpp>
#include <codemode/text/utf8.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace test {

/// Whether `i` is the border of a code point of `text`.
[[nodiscard]] inline bool is_border(std::string_view text, std::size_t i) {
  return i == text.size() || (i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U);
}

/// The first promise that an answer breaks, or nothing.
[[nodiscard]] inline std::string_view broken_promise(const codemode::result<codemode::plan>& answer,
                                                     std::string_view instruction, const codemode::catalog& tools) {
  using namespace codemode;
  const bool readable = text::is_valid_utf8(instruction);
  if (!answer) {
    const diagnostic& d = answer.error();
    if (d.begin > d.end || d.end > instruction.size()) return "the range lies outside of the instruction";
    if (readable && !(is_border(instruction, d.begin) && is_border(instruction, d.end)))
      return "the range cuts a code point";
    if (!d.tool.empty() && tools.find(d.tool) == nullptr) return "the diagnostic names a tool that is not there";
    const std::string message = to_message(d);
    if (message.empty() || !text::is_valid_utf8(message)) return "the message is no UTF-8";
    for (const char c : message)
      if (static_cast<unsigned char>(c) < 0x20) return "the message has a control character";
    if (d.code == errc::invalid_json || d.code == errc::invalid_catalog || d.code > errc::low_confidence)
      return "the code is none of a planner's";
    if (d.code == errc::invalid_record && readable) return "the instruction was readable";
    return {};
  }
  if (!readable) return "an instruction that is no UTF-8 was planned";
  if (!(answer->confidence >= 0 && answer->confidence <= 1)) return "the confidence is no probability";
  if (const auto fault = check(*answer, tools.tools())) return fault->what;
  std::string json;
  write_json(*answer, json);
  if (!text::is_valid_utf8(json) || !json.starts_with("{\"mode\":\"")) return "the plan's JSON is none";
  std::string js;
  write_javascript(*answer, js);
  if (!text::is_valid_utf8(js) || js.empty()) return "the plan's JavaScript is none";
  // Strings borrow the instruction.
  for (const auto& c : answer->calls())
    for (const auto& a : c.arguments())
      if (a.value.type() == value_type::string &&
          instruction.find(a.value.json()) == std::string_view::npos)
        return "a string does not stand in the instruction";
  return {};
}

/// An answer as text, to be compared.
[[nodiscard]] inline std::string answer_text(const codemode::result<codemode::plan>& answer) {
  std::string s;
  if (answer) {
    codemode::write_json(*answer, s);
    return s + std::to_string(answer->confidence);
  }
  s = std::string(to_string(answer.error().code)) + ' ' + std::to_string(answer.error().begin) + ' ' +
      std::to_string(answer.error().end) + ' ';
  codemode::write_message(answer.error(), s);
  return s;
}

}  // namespace test
