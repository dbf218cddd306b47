#pragma once

/// @file
/// Makes an output out of an answer's text, or says why it is none (prompt.md, section 10). Private.

#include <codemode/json/parse_value.hpp>
#include <codemode/prompt/error.hpp>
#include <codemode/prompt/json_schema.hpp>
#include <codemode/prompt/texts.hpp>
#include <codemode/prompt/tool_parse.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace prompt {
namespace detail {

/// Why a text is no output, and what the model is told.
struct rejection {
  reset_reason reason = reset_reason::json_parsing;
  std::string text{};
};

/// End of the balanced region that opens at `at`, or nothing. Linear in its length.
[[nodiscard]] inline std::optional<std::size_t> region_end(std::string_view s, std::size_t at) {
  std::string open;
  bool quoted = false;
  for (std::size_t i = at; i < s.size(); ++i) {
    const char c = s[i];
    if (quoted) {
      if (c == '\\') ++i;
      else if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      open.push_back(c);
    } else if (c == '}' || c == ']') {
      if (open.empty() || open.back() != (c == '}' ? '{' : '[')) return std::nullopt;
      open.pop_back();
      if (open.empty()) return i + 1;
    }
  }
  return std::nullopt;
}

/// The JSON value in `content`, or why there is none.
[[nodiscard]] inline std::variant<json::value, std::string> find_json(std::string_view content,
                                                                      std::string_view openers) {
  while (!content.empty() && is_blank(content.substr(0, 1))) content.remove_prefix(1);
  while (!content.empty() && is_blank(content.substr(content.size() - 1))) content.remove_suffix(1);
  json::reader reader;
  auto whole = json::parse_value(content, reader);
  if (whole) return std::move(*whole);
  std::string fault = json_fault(whole.error());
  // Openings that never close would make the search quadratic; text that has so many is no JSON.
  constexpr std::size_t most_unclosed = 1000;
  std::size_t unclosed = 0;
  for (std::size_t i = 0; i < content.size() && unclosed < most_unclosed; ++i) {
    if (openers.find(content[i]) == std::string_view::npos) continue;
    const auto end = region_end(content, i);
    if (!end) {
      ++unclosed;
      continue;
    }
    auto part = json::parse_value(content.substr(i, *end - i), reader);
    if (part) return std::move(*part);
    i = *end - 1;
  }
  return fault;
}

/// Judges an answer. `structured`: the schema went out as structured output, in `descriptor`'s form.
[[nodiscard]] inline std::variant<json::value, rejection> judge_output(std::string_view content,
                                                                       const json_schema& schema, bool structured,
                                                                       std::string_view descriptor,
                                                                       const value_parser& parse,
                                                                       const value_check& validate) {
  json::value v;
  if (schema.is_text()) {
    v = json::value{content};
    if (schema)
      if (const auto problems = schema.check(v); !problems.empty())
        return rejection{reset_reason::schema_parsing, texts::wrong_format(problems)};
  } else {
    auto found = find_json(content, schema.openers());
    if (const auto* fault = std::get_if<std::string>(&found))
      return rejection{reset_reason::json_parsing, texts::not_json(*fault)};
    v = std::move(*std::get_if<json::value>(&found));
    if (structured) v = schema.decode(std::move(v), descriptor);
    if (parse) {
      auto got = parse(std::move(v));
      if (auto* e = std::get_if<hook_error>(&got)) return rejection{reset_reason::schema_parsing, std::move(e->message)};
      v = std::move(*std::get_if<json::value>(&got));
    } else if (const auto problems = schema.check(v); !problems.empty()) {
      return rejection{reset_reason::schema_parsing, texts::wrong_format(problems)};
    }
  }
  if (validate)
    if (auto refused = validate(v)) return rejection{reset_reason::validation, texts::rejected(refused->message)};
  return v;
}

}  // namespace detail
}  // namespace prompt
}  // namespace v0_1
}  // namespace codemode
