#pragma once

/// @file
/// A plan as JSON, in the form of the planner's answer lines.

#include <codemode/plan.hpp>
#include <codemode/result.hpp>
#include <codemode/text/json_text.hpp>
#include <codemode/text/number.hpp>
#include <codemode/text/sink.hpp>

#include <cmath>
#include <span>
#include <string_view>

namespace codemode {
inline namespace v0_1 {

/// Appends a value as JSON. A string is written in one form, whatever escapes it had; negative zero is
/// `-0`. A number that is not finite, which `check` refuses, is `null`.
template <text_sink S>
void write_json(const value& v, S& sink) {
  switch (v.type()) {
    case value_type::string:
      text::append_json_literal(sink, v.json());
      return;
    case value_type::number: {
      const auto number = text::format_number(v.as_number());
      sink.append(std::isfinite(v.as_number()) ? number.view() : std::string_view{"null"});
      return;
    }
    case value_type::boolean:
      break;
  }
  sink.append(v.as_boolean() ? std::string_view{"true"} : std::string_view{"false"});
}

/// Appends a plan as compact JSON, members in this order and `fields` and `limit` only where the plan has
/// them:
///
///     {"mode":"single","calls":[{"tool":"list_users","args":{"team":"blue"}}],
///      "output":{"kind":"last","fields":["id"],"limit":5}}
///
/// Raw UTF-8 with only the escapes that JSON needs and those of U+2028 and U+2029. The counts of a plan
/// that was made by hand must be within its arrays; apart from that every plan gives well-formed JSON
/// (`check` tells whether it is a good plan). Does not allocate.
template <text_sink S>
void write_json(const plan& p, S& sink) {
  const auto put = [&sink](std::string_view s) { sink.append(s); };
  put("{\"mode\":\"");
  put(to_string(p.mode));
  put("\",\"calls\":[");
  std::string_view comma;
  for (const call& c : p.calls()) {
    put(comma);
    comma = ",";
    put("{\"tool\":");
    text::append_json_string(sink, c.tool);
    put(",\"args\":{");
    std::string_view inner_comma;
    for (const argument& a : c.arguments()) {
      put(inner_comma);
      inner_comma = ",";
      text::append_json_string(sink, a.name);
      put(":");
      write_json(a.value, sink);
    }
    put("}}");
  }
  put("],\"output\":{\"kind\":\"");
  put(to_string(p.output.kind));
  put("\"");
  if (!p.output.fields().empty()) {
    put(",\"fields\":[");
    std::string_view inner_comma;
    for (const std::string_view field : p.output.fields()) {
      put(inner_comma);
      inner_comma = ",";
      text::append_json_string(sink, field);
    }
    put("]");
  }
  if (p.output.has_limit()) {
    put(",\"limit\":");
    const auto limit = text::format_number(p.output.limit);
    put(limit.view());
  }
  put("}}");
}

/// The plan as JSON in `buffer`, to which the answer points; `buffer_too_small` with the size needed.
[[nodiscard]] inline result<std::string_view> write_json(const plan& p, std::span<char> buffer) noexcept {
  buffer_sink sink(buffer);
  write_json(p, sink);
  return sink.finish();
}

}  // namespace v0_1
}  // namespace codemode
