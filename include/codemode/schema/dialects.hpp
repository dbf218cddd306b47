#pragma once

/// @file
/// The built-in dialects (schema.md 2.2). Where the values come from is told there, cell by cell.

#include <codemode/schema/descriptor.hpp>

#include <array>

namespace codemode {
inline namespace v0_1 {
namespace schema {

namespace detail {

inline constexpr format_set formats_openai{string_format::date_time, string_format::time,  string_format::date,
                                           string_format::duration,  string_format::email, string_format::hostname,
                                           string_format::ipv4,      string_format::ipv6,  string_format::uuid};
inline constexpr format_set formats_anthropic{
    string_format::date_time, string_format::time, string_format::date, string_format::duration, string_format::email,
    string_format::hostname,  string_format::ipv4, string_format::ipv6, string_format::uuid,     string_format::uri};
inline constexpr format_set formats_google{string_format::date_time, string_format::date, string_format::time};
inline constexpr format_set formats_xai{string_format::date, string_format::time, string_format::date_time,
                                        string_format::email, string_format::uuid, string_format::ipv4,
                                        string_format::ipv6,  string_format::uri};
inline constexpr value_kind_set scalar_kinds{value_kind::string, value_kind::empty_string, value_kind::number,
                                             value_kind::boolean};
inline constexpr annotation_set title_description{false, keyword_set{keyword::title, keyword::description}};
inline constexpr annotation_set title_description_default{
    false, keyword_set{keyword::title, keyword::description, keyword::default_}};

constexpr descriptor openai_base() noexcept {
  descriptor d;
  d.family = "openai";
  d.root = d.output_root = root_shape::object;
  d.strict_flag = true;
  d.tool_names = {"_-", 64};
  d.max_tools = 128;
  return d;
}

constexpr descriptor anthropic_base() noexcept {
  descriptor d;
  d.family = "anthropic";
  d.root = root_shape::object;
  d.property_keys = {"_.-", 64};
  d.strict_flag = true;
  d.tool_names = {"_-", 128};
  return d;
}

constexpr descriptor google_base() noexcept {
  descriptor d;
  d.family = "google";
  d.allow_all_of = d.allow_any_of = d.allow_one_of = d.allow_defs_ref = false;
  d.emit_property_ordering = true;
  d.string_formats = formats_google;
  d.allow_pattern = d.allow_multiple_patterns = d.allow_min_max_length = false;
  d.any = any_encoding::unconstrained;
  d.max_enum_values = 40;
  d.root = root_shape::object;
  d.annotations = title_description;
  d.extras = {};
  d.allow_ref_siblings = d.allow_const = false;
  d.enum_value_types = value_kind_set{value_kind::string, value_kind::number};
  d.enum_types_restricted = true;
  d.enum_single_type = true;
  d.allow_exclusive_bounds = d.allow_multiple_of = d.allow_property_names = false;
  d.omit_empty_required = true;
  d.recursion_only_optional = true;
  d.tool_names = {"_.:-", 64, true};
  d.max_tools = 128;
  d.advice_max_items_sum = 960;
  d.advice_max_depth = 4;
  return d;
}

constexpr descriptor xai_base() noexcept {
  descriptor d;
  d.family = "xai";
  d.root = root_shape::object_or_union;
  d.allow_ref_siblings = false;
  d.enum_value_types = scalar_kinds;
  d.enum_types_restricted = true;
  d.unsupported_regex =
      regex_feature_list{regex_feature::lookaround, regex_feature::backreference, regex_feature::word_boundary,
                         regex_feature::unicode_property, regex_feature::inline_modifier};
  d.pattern_matches_whole = true;
  d.max_tools = 200;
  d.advice_enforced_up_to = {2048, 256, 64};
  d.any = any_encoding::flat;
  d.supports_recursion = d.allow_root_ref = false;
  return d;
}

}  // namespace detail

/// Whatever JSON Schema can say: for prompts, and for providers that take anything.
inline constexpr descriptor lenient{};

inline constexpr descriptor openai_strict = [] {
  descriptor d = detail::openai_base();
  d.id = "openai-strict";
  d.strict = d.object_all_fields_required = d.object_closed_by_default = true;
  d.records = record_encoding::array_of_pairs;
  d.tuples = tuple_encoding::object_numeric_keys;
  d.allow_all_of = d.allow_one_of = false;
  d.string_formats = detail::formats_openai;
  d.allow_multiple_patterns = d.allow_min_max_length = false;
  d.optional_as_nullable = true;
  d.any = any_encoding::recursive_strict;
  d.sizes = {true, 5000, 10, 120000, 1000, 250, 15000};
  d.annotations = detail::title_description;
  d.extras = {};
  d.allow_ref_siblings = false;
  d.enum_value_types = detail::scalar_kinds;
  d.enum_types_restricted = true;
  d.enum_single_type = true;
  d.unsupported_regex = regex_feature_list{regex_feature::lookaround, regex_feature::backreference};
  return d;
}();

/// OpenAI with an explicit `strict: false`.
inline constexpr descriptor openai_non_strict = [] {
  descriptor d = detail::openai_base();
  d.id = "openai-non-strict";
  d.unsupported_regex = regex_feature_list{regex_feature::lookaround};
  return d;
}();

inline constexpr descriptor anthropic_strict = [] {
  descriptor d = detail::anthropic_base();
  d.id = "anthropic-strict";
  d.strict = d.object_closed_by_default = true;
  d.records = record_encoding::array_of_pairs;
  d.tuples = tuple_encoding::items_union;
  d.allow_one_of = d.allow_root_ref = false;
  d.string_formats = detail::formats_anthropic;
  d.allow_multiple_patterns = d.allow_min_max_length = d.allow_min_max_items = d.allow_minimum_maximum = false;
  d.any = any_encoding::nothing;
  d.supports_recursion = false;
  d.structured_output_always_strict = true;
  d.max_strict_tools = 20;
  d.max_strict_optional_params = 24;
  d.max_strict_union_types = 16;
  d.annotations = detail::title_description_default;
  d.extras = {};
  d.allow_ref_siblings = false;
  d.enum_value_types = detail::scalar_kinds;
  d.enum_types_restricted = true;
  d.max_min_items = 1;
  d.unsupported_regex =
      regex_feature_list{regex_feature::lookaround, regex_feature::backreference, regex_feature::word_boundary};
  return d;
}();

inline constexpr descriptor anthropic_non_strict = [] {
  descriptor d = detail::anthropic_base();
  d.id = "anthropic-non-strict";
  return d;
}();

/// Gemini's `parametersJsonSchema` and `responseJsonSchema`.
inline constexpr descriptor google_strict = [] {
  descriptor d = detail::google_base();
  d.id = "google-strict";
  d.strict = true;
  return d;
}();

inline constexpr descriptor google_non_strict = [] {
  descriptor d = detail::google_base();
  d.id = "google-non-strict";
  d.allow_any_of = d.allow_one_of = d.allow_defs_ref = true;
  d.emit_property_ordering = false;
  return d;
}();

inline constexpr descriptor xai_strict = [] {
  descriptor d = detail::xai_base();
  d.id = "xai-strict";
  d.strict = true;
  d.allow_all_of = d.allow_multiple_patterns = false;
  d.string_formats = detail::formats_xai;
  d.annotations = detail::title_description_default;
  d.extras = keyword_set{keyword::content_encoding, keyword::min_properties, keyword::max_properties};
  return d;
}();

inline constexpr descriptor xai_non_strict = [] {
  descriptor d = detail::xai_base();
  d.id = "xai-non-strict";
  d.extras = sets::extra_names - keyword_set{keyword::min_contains, keyword::max_contains};
  return d;
}();

/// Gemini's older `parameters` and `responseSchema`.
inline constexpr descriptor google_openapi = [] {
  descriptor d;
  d.id = d.family = "google-openapi";
  d.records = record_encoding::array_of_pairs;
  d.tuples = tuple_encoding::items_union;
  d.allow_all_of = d.allow_one_of = d.allow_root_ref = d.allow_defs_ref = false;
  d.emit_property_ordering = true;
  d.string_formats = format_set{string_format::date_time};
  d.allow_multiple_patterns = false;
  d.any = any_encoding::json_string;
  d.supports_recursion = false;
  d.max_enum_values = 40;
  d.root = root_shape::object;
  d.annotations = detail::title_description_default;
  d.extras = keyword_set{keyword::min_properties, keyword::max_properties};
  d.allow_ref_siblings = d.allow_const = false;
  d.enum_value_types = value_kind_set{value_kind::string};
  d.enum_types_restricted = true;
  d.enum_single_type = true;
  d.allow_exclusive_bounds = d.allow_multiple_of = d.allow_property_names = false;
  d.omit_empty_required = true;
  d.unsupported_regex = regex_feature_list{regex_feature::lookaround, regex_feature::backreference};
  d.nullable_keyword = d.any_of_stands_alone = true;
  d.allow_additional_properties = false;
  d.tool_names = {"_.:-", 64, true};
  d.max_tools = 128;
  d.advice_max_items_sum = 960;
  d.advice_max_depth = 4;
  return d;
}();

/// All of them.
inline constexpr std::array<const descriptor*, 10> built_in_dialects{
    &lenient,           &openai_strict, &openai_non_strict, &anthropic_strict, &anthropic_non_strict, &google_strict,
    &google_non_strict, &xai_strict,    &xai_non_strict,    &google_openapi};

/// The built-in dialect with an id, or null.
[[nodiscard]] constexpr const descriptor* find_built_in(std::string_view id) noexcept {
  for (const descriptor* d : built_in_dialects)
    if (d->id.view() == id) return d;
  return nullptr;
}

}  // namespace schema
}  // namespace v0_1
}  // namespace codemode
