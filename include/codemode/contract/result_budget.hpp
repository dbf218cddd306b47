#pragma once

/// @file
/// Making results fit: the byte budget of a call and its one-line summary (contract.md, 2.4.4 and 2.4.5).

#include <codemode/contract/open_value.hpp>
#include <codemode/contract/quote.hpp>
#include <codemode/text/utf8.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace codemode {
inline namespace v0_1 {
namespace contract {

/// Default of `budgets.callTool.maxResultBytes`.
inline constexpr std::int64_t default_max_result_bytes = 65536;
/// Most code points of a summary.
inline constexpr std::size_t summary_code_points = 200;
inline constexpr std::string_view truncated_mark = " (truncated)";

namespace detail {

/// The first bytes of a text, cut at the last line end, else at the last space, else at a code point.
[[nodiscard]] inline std::string_view cut_text(std::string_view text, std::size_t limit) noexcept {
  if (text.size() <= limit) return text;
  const std::string_view head = text.substr(0, limit);
  for (const char separator : {'\n', ' '}) {
    const std::size_t at = head.rfind(separator);
    if (at != std::string_view::npos && at > 0) return head.substr(0, at);
  }
  std::size_t end = limit;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80) --end;
  return text.substr(0, end);
}

[[nodiscard]] inline std::string code_points(std::string_view text, std::size_t most) {
  std::size_t i = 0;
  for (; most > 0 && i < text.size(); --most) i += text::decode(text.substr(i)).size;
  return std::string(text.substr(0, i));
}
[[nodiscard]] inline std::size_t count_code_points(std::string_view text) noexcept {
  std::size_t n = 0;
  for (std::size_t i = 0; i < text.size(); ++n) i += text::decode(text.substr(i)).size;
  return n;
}

}  // namespace detail

/// Cuts a result to `limit` bytes of compact JSON: arrays keep whole items, everything else becomes a text. The
/// answer is the notice that says what was cut, or empty. A limit of 0 or less is none, one below 16 acts as 16.
[[nodiscard]] inline std::string fit_result(open_value& result, std::int64_t limit) {
  if (limit <= 0 || result.absent()) return {};
  const std::size_t most = (std::max)(static_cast<std::size_t>(limit), std::size_t{16});
  if (result.text().size() <= most) return {};
  const std::string setting = "budgets.callTool.maxResultBytes is " + std::to_string(most) + "; narrow the call to get the rest";
  const json_cursor c = result.cursor();
  if (c.is_array()) {
    std::size_t size = 2;
    std::size_t kept = 0;
    std::size_t end = 1;
    std::size_t total = 0;
    bool full = false;
    for (const json_cursor item : c.items()) {
      ++total;
      if (full) continue;
      size += item.text().size() + (kept > 0 ? 1 : 0);
      if (size > most) {
        full = true;
        continue;
      }
      ++kept;
      end = static_cast<std::size_t>(item.text().data() - c.text().data()) + item.text().size();
    }
    if (kept > 0) {
      std::string text(c.text().substr(0, end));
      text += ']';
      result = open_value::trusted(std::move(text));
      return "only " + std::to_string(kept) + " of " + std::to_string(total) + " items are shown: " + setting;
    }
  }
  const bool json = !c.is_string();
  const std::string text = json ? std::string(c.text()) : c.string();
  const std::string kept{detail::cut_text(text, most)};
  std::string notice = "only " + std::to_string(kept.size()) + " of " + std::to_string(text.size()) + " bytes are kept: " + setting;
  if (json) notice += "; what is left is text and no longer valid JSON";
  result = open_value::string(kept);
  return notice;
}

/// One line about a result before it is cut: the tool, quoted, and the first line of a text.
[[nodiscard]] inline std::string summarize_result(std::string_view tool_name, const open_value& result) {
  std::string text = quote_name(tool_name);
  const json_cursor c = result.cursor();
  const std::string content = c.string();
  if (!c.is_string()) {
    text += " gave a structured result";
  } else if (content.empty()) {
    text += " gave no content";
  } else {
    const std::size_t line = content.find('\n');
    text += ": " + content.substr(0, line);
    if (line != std::string::npos) text += " ...";
  }
  if (detail::count_code_points(text) <= summary_code_points) return text;
  return detail::code_points(text, summary_code_points - 4) + " ...";
}

}  // namespace contract
}  // namespace v0_1
}  // namespace codemode
