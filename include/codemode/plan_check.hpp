#pragma once

/// @file
/// The rules of plans, for plans that did not come from the planner (those follow them by construction).

#include <codemode/catalog/tool.hpp>
#include <codemode/plan.hpp>
#include <codemode/result.hpp>
#include <codemode/text/json_text.hpp>
#include <codemode/text/number.hpp>
#include <codemode/text/utf8.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace codemode {
inline namespace v0_1 {
namespace detail {

[[nodiscard]] constexpr diagnostic invalid_plan(std::string_view what, std::string_view tool = {},
                                                std::string_view argument = {},
                                                std::string_view found = {}) noexcept {
  diagnostic d;
  d.code = errc::invalid_plan;
  d.what = what;
  d.tool = tool;
  d.argument = argument;
  d.found = found;
  return d;
}

[[nodiscard]] constexpr bool is_name(std::string_view s) noexcept {
  return !s.empty() && text::is_valid_utf8(s);
}

[[nodiscard]] constexpr std::optional<diagnostic> check_value(const call& c, const argument& a) noexcept {
  if (a.value.type() == value_type::string) {
    const auto fault = text::check_json_string(a.value.json());
    if (!fault) return std::nullopt;
    diagnostic d = invalid_plan(fault->what, c.tool, a.name, fault->found);
    d.begin = fault->begin;
    d.end = fault->end;
    return d;
  }
  // Every double that is not whole is smaller than this, and NaN is not.
  const double x = a.value.as_number();
  if (a.value.type() == value_type::number && !(x >= -text::max_safe_integer && x <= text::max_safe_integer))
    return invalid_plan("a number of a plan is finite and, if whole, within plus or minus 9007199254740991",
                        c.tool, a.name);
  return std::nullopt;
}

[[nodiscard]] constexpr std::optional<diagnostic> check_call(const call& c) noexcept {
  if (!is_name(c.tool)) return invalid_plan("a call needs the name of its tool, in UTF-8", c.tool);
  if (c.argument_count > max_arguments) return invalid_plan("a call has at most four arguments", c.tool);
  const auto arguments = c.arguments();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const argument& a = arguments[i];
    if (!is_name(a.name)) return invalid_plan("an argument needs a name, in UTF-8", c.tool, a.name);
    for (std::size_t k = 0; k < i; ++k)
      if (arguments[k].name == a.name) return invalid_plan("the argument is given twice", c.tool, a.name);
    if (auto fault = check_value(c, a)) return fault;
  }
  return std::nullopt;
}

[[nodiscard]] constexpr std::optional<diagnostic> check_output(const plan& p) noexcept {
  const output& o = p.output;
  if (o.kind != output_kind::all && o.kind != output_kind::last)
    return invalid_plan("the output's kind is all or last");
  if (o.field_count > max_fields) return invalid_plan("an output has at most three fields");
  if (o.limit < -1 || o.limit > static_cast<int>(max_limit))
    return invalid_plan("a limit is 0 to 100, or -1 for none");
  if (p.call_count == 1) {
    if (o.kind != output_kind::last) return invalid_plan("the output of one call is its last result");
  } else if (o.field_count != 0 || o.has_limit()) {
    return invalid_plan("fields and a limit are only for one call");
  }
  const auto fields = o.fields();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (!is_name(fields[i])) return invalid_plan("a field needs a name, in UTF-8", {}, {}, fields[i]);
    for (std::size_t k = 0; k < i; ++k)
      if (fields[k] == fields[i]) return invalid_plan("the field is named twice", {}, {}, fields[i]);
  }
  return std::nullopt;
}

[[nodiscard]] constexpr std::optional<diagnostic> check_against(const call& c, const tool& t) noexcept {
  int previous = -1;
  for (const argument& a : c.arguments()) {
    const int index = t.find(a.name);
    if (index < 0) return invalid_plan("the tool has no argument of this name", c.tool, a.name);
    if (t.parameters[static_cast<std::size_t>(index)].type != a.value.type())
      return invalid_plan("the value is not of the argument's type", c.tool, a.name);
    if (index < previous) return invalid_plan("the arguments are not in the catalog's order", c.tool, a.name);
    previous = index;
  }
  for (const parameter& needed : t.parameters) {
    bool given = !needed.required;
    for (const argument& a : c.arguments()) given = given || a.name == needed.name;
    if (!given) return invalid_plan("a required argument has no value", c.tool, needed.name);
  }
  return std::nullopt;
}

}  // namespace detail

/// `invalid_plan` with the first rule that `p` breaks, or nothing: one to three calls and a mode that fits
/// their number; names not empty and in UTF-8; no argument and no field twice; strings that are JSON
/// strings, numbers that are exact in JavaScript; `last`, fields and limit only where they may be. Counts
/// beyond the arrays of the plan are found, not followed. The answer borrows from the plan. Does not
/// allocate.
[[nodiscard]] constexpr std::optional<diagnostic> check(const plan& p) noexcept {
  if (p.call_count == 0 || p.call_count > max_calls)
    return detail::invalid_plan("a plan has one to three calls");
  if (p.mode != mode::single && p.mode != mode::serial && p.mode != mode::parallel)
    return detail::invalid_plan("the mode is single, serial or parallel");
  if ((p.mode == mode::single) != (p.call_count == 1))
    return detail::invalid_plan("the mode is single for one call, else serial or parallel");
  for (const call& c : p.calls())
    if (auto fault = detail::check_call(c)) return fault;
  return detail::check_output(p);
}

/// As above, and that the plan fits the catalog `tools`: its tools are there, arguments are theirs, of
/// their type, in the catalog's order, none of the required ones missing; fields and limit only of a tool
/// that returns an array, fields among its declared properties. The answer borrows from the plan and the
/// catalog.
[[nodiscard]] constexpr std::optional<diagnostic> check(const plan& p, std::span<const tool> tools) noexcept {
  if (auto fault = check(p)) return fault;
  for (const call& c : p.calls()) {
    const tool* named = nullptr;
    for (const tool& t : tools)
      if (t.name == c.tool) named = &t;
    if (named == nullptr) return detail::invalid_plan("the catalog has no tool of this name", c.tool);
    if (auto fault = detail::check_against(c, *named)) return fault;
    if (p.output.fields().empty() && !p.output.has_limit()) continue;
    if (named->returns != return_kind::array)
      return detail::invalid_plan("fields and a limit are only for a tool that returns an array", c.tool);
    for (const std::string_view field : p.output.fields())
      if (!named->declares(field))
        return detail::invalid_plan("the tool declares no property of this name", c.tool, {}, field);
  }
  return std::nullopt;
}

}  // namespace v0_1
}  // namespace codemode
