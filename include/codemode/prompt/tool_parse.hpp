#pragma once

/// @file
/// Reads the arguments of a call (prompt.md, section 7.2): limit, JSON, wire form, checks, one repair.

#include <codemode/json/parse_value.hpp>
#include <codemode/prompt/error.hpp>
#include <codemode/prompt/json_schema.hpp>
#include <codemode/prompt/texts.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace prompt {

/// Replaces the checks of a schema: the decoded value, or why it is refused.
using value_parser = std::function<std::variant<json::value, hook_error>(json::value)>;
/// Looks at a value that fits its schema: nothing, or why it is refused.
using value_check = std::function<std::optional<hook_error>(const json::value&)>;

namespace detail {

/// What became of arguments.
struct parsed_arguments {
  json::value value{};
  std::optional<std::string> error{};
  bool too_long = false;
  bool repair_tried = false;
  bool repaired = false;
  std::vector<std::string> repaired_fields{};
};

[[nodiscard]] inline bool is_blank(std::string_view s) noexcept {
  return s.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

/// JSON fault as one line.
[[nodiscard]] inline std::string json_fault(const diagnostic& d) {
  return texts::join({d.what, " (at byte ", std::to_string(d.begin), ")"});
}

[[nodiscard]] inline parsed_arguments parse_arguments(std::string_view raw, const json_schema& schema,
                                                      std::string_view descriptor, std::optional<std::size_t> limit,
                                                      const value_parser& custom, const value_check& validate) {
  parsed_arguments out;
  if (limit && raw.size() > *limit) {
    out.too_long = true;
    out.error = texts::join({"the text is longer than ", std::to_string(*limit),
                             " bytes; do not send the same call again, split the work into smaller calls"});
    return out;
  }
  auto read = json::parse_value(is_blank(raw) ? std::string_view{"{}"} : raw);
  if (!read) {
    out.error = texts::join({"not valid JSON: ", json_fault(read.error())});
    return out;
  }
  const auto accept = [&](json::value v) {
    if (validate)
      if (auto refused = validate(v)) out.error = std::move(refused->message);
    out.value = std::move(v);
  };
  if (custom) {
    auto got = custom(schema.decode(std::move(*read), descriptor));
    if (auto* e = std::get_if<hook_error>(&got)) out.error = std::move(e->message);
    else accept(std::move(*std::get_if<json::value>(&got)));
    return out;
  }
  json::value natural = schema.decode(*read, descriptor);
  std::vector<schema_problem> problems = schema.check(natural);
  if (problems.empty()) {
    accept(std::move(natural));
    return out;
  }
  // Models send nested values as quoted JSON; only fields that are wrong as they stand are read again.
  bool helped = false;
  std::vector<std::string> fields;
  json::value mended = *read;
  if (mended.is_object())
    for (json::value_member& m : mended.make_members()) {
      if (!m.value.is_string() || schema.property(m.name) == nullptr) continue;
      const std::string_view text = m.value.string();
      const std::size_t first = text.find_first_not_of(" \t\r\n");
      if (first == std::string_view::npos || (text[first] != '{' && text[first] != '[')) continue;
      if (schema.property_accepts(m.name, m.value)) continue;
      fields.push_back(m.name);
      auto inner = json::parse_value(text);
      if (!inner) continue;
      out.repaired_fields.push_back(m.name);
      m.value = std::move(*inner);
      helped = true;
    }
  if (!fields.empty()) {
    out.repair_tried = true;
    if (!helped) {
      out.repaired_fields = fields;
      std::string names;
      for (const std::string& f : fields) names += (names.empty() ? "" : ", ") + f;
      out.error = names + " must be plain JSON, not quoted text";
      return out;
    }
    natural = schema.decode(std::move(mended), descriptor);
    problems = schema.check(natural);
    if (problems.empty()) {
      out.repaired = true;
      accept(std::move(natural));
      return out;
    }
  }
  out.error = texts::problem_line(problems);
  return out;
}

}  // namespace detail
}  // namespace prompt
}  // namespace v0_1
}  // namespace codemode
