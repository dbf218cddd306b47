#pragma once

/// @file
/// What a provider takes: every field of a dialect (schema.md 2.1).

#include <codemode/schema/keyword.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace codemode {
inline namespace v0_1 {
namespace schema {

/// A short text inside an object, so that the object is a structural type. Longer text is cut.
template <std::size_t N>
struct inline_text {
  std::array<char, N> bytes{};
  std::uint16_t size = 0;

  constexpr inline_text() noexcept = default;
  constexpr inline_text(std::string_view s) noexcept {  // NOLINT: a text is meant
    size = static_cast<std::uint16_t>(s.size() < N ? s.size() : N);
    for (std::size_t i = 0; i < size; ++i) bytes[i] = s[i];
  }
  constexpr inline_text(const char* s) noexcept : inline_text(std::string_view{s}) {}  // NOLINT
  [[nodiscard]] constexpr std::string_view view() const noexcept { return {bytes.data(), size}; }
  friend constexpr bool operator==(const inline_text&, const inline_text&) noexcept = default;
};

enum class record_encoding : std::uint8_t { array_of_pairs, open_record };
enum class tuple_encoding : std::uint8_t { object_numeric_keys, prefix_items, items_union };
enum class any_encoding : std::uint8_t {
  recursive_strict, recursive_open, flat, unconstrained,
  nothing,  ///< "none": there is no spelling, and such a schema is not sendable
  json_string,
  unknown  ///< a name that is none of these; `check_consistency` tells
};
enum class root_shape : std::uint8_t { any, object, object_or_union, unknown };

/// String formats that may be emitted at all (schema.md 3.2). `regex` is none of them.
enum class string_format : std::uint8_t {
  date_time, date, time, duration, email, idn_email, hostname, idn_hostname, ipv4, ipv6, uri, uri_reference, iri,
  iri_reference, uuid, uri_template, json_pointer, relative_json_pointer
};
inline constexpr std::array<std::string_view, 18> string_format_names{
    "date-time", "date", "time", "duration", "email", "idn-email", "hostname", "idn-hostname", "ipv4", "ipv6", "uri",
    "uri-reference", "iri", "iri-reference", "uuid", "uri-template", "json-pointer", "relative-json-pointer"};

/// A set of formats.
struct format_set {
  std::uint32_t bits = 0;
  constexpr format_set() noexcept = default;
  template <class... F>
  constexpr explicit format_set(string_format first, F... more) noexcept
      : bits(((1U << static_cast<unsigned>(first)) | ... | (1U << static_cast<unsigned>(more)))) {}
  [[nodiscard]] static constexpr format_set all() noexcept {
    format_set s;
    s.bits = (1U << string_format_names.size()) - 1U;
    return s;
  }
  [[nodiscard]] constexpr bool has(std::string_view name) const noexcept {
    for (std::size_t i = 0; i < string_format_names.size(); ++i)
      if (string_format_names[i] == name) return ((bits >> i) & 1U) != 0;
    return false;
  }
  friend constexpr bool operator==(format_set, format_set) noexcept = default;
};

/// What a value of an enum is, as far as dialects tell apart.
enum class value_kind : std::uint8_t { boolean, empty_string, null, number, string, structured };
inline constexpr std::array<std::string_view, 6> value_kind_names{"boolean", "empty-string", "null",
                                                                  "number",  "string",       "structured"};
struct value_kind_set {
  std::uint8_t bits = 0;
  constexpr value_kind_set() noexcept = default;
  template <class... K>
  constexpr explicit value_kind_set(value_kind first, K... more) noexcept
      : bits(static_cast<std::uint8_t>(((1U << static_cast<unsigned>(first)) | ... |
                                        (1U << static_cast<unsigned>(more))))) {}
  [[nodiscard]] static constexpr value_kind_set all() noexcept {
    value_kind_set s;
    s.bits = 63;
    return s;
  }
  constexpr void add(value_kind k) noexcept {
    bits = static_cast<std::uint8_t>(bits | (1U << static_cast<unsigned>(k)));
  }
  [[nodiscard]] constexpr bool has(value_kind k) const noexcept { return ((bits >> static_cast<unsigned>(k)) & 1U) != 0; }
  friend constexpr bool operator==(value_kind_set, value_kind_set) noexcept = default;
};

/// Features of regular expressions that a provider may refuse.
enum class regex_feature : std::uint8_t { lookaround, backreference, word_boundary, unicode_property, inline_modifier };
inline constexpr std::array<std::string_view, 5> regex_feature_names{"lookaround", "backreference", "word-boundary",
                                                                     "unicode-property", "inline-modifier"};
/// Features in the order in which they are reported.
struct regex_feature_list {
  std::array<regex_feature, 5> features{};
  std::uint8_t size = 0;
  constexpr regex_feature_list() noexcept = default;
  template <class... F>
  constexpr explicit regex_feature_list(regex_feature first, F... more) noexcept
      : features{first, more...}, size(static_cast<std::uint8_t>(1 + sizeof...(more))) {}
  constexpr void add(regex_feature f) noexcept {
    if (size < features.size()) features[size++] = f;
  }
  friend constexpr bool operator==(const regex_feature_list&, const regex_feature_list&) noexcept = default;
};

/// A number that may be absent. Limits are whole; other values are told by `check_consistency`.
struct limit {
  bool present = false;
  double value = 0;
  constexpr limit() noexcept = default;
  constexpr limit(double v) noexcept : present(true), value(v) {}  // NOLINT: a number is meant
  friend constexpr bool operator==(const limit&, const limit&) noexcept = default;
};

/// Which keys fit: ASCII letters, digits and `punctuation`, at most `max_length` of them.
struct key_rule {
  bool present = false;
  inline_text<16> punctuation{};
  double max_length = 0;
  bool first_letter_or_underscore = false;  ///< for tool names
  constexpr key_rule() noexcept = default;
  constexpr key_rule(std::string_view p, double length, bool letter_first = false) noexcept
      : present(true), punctuation(p), max_length(length), first_letter_or_underscore(letter_first) {}
  [[nodiscard]] constexpr std::size_t length() const noexcept {
    return max_length >= 1 ? static_cast<std::size_t>(max_length) : 1;
  }
  friend constexpr bool operator==(const key_rule&, const key_rule&) noexcept = default;
};

/// Ceilings for one schema.
struct size_limits {
  bool present = false;
  limit object_properties{}, nesting_depth{}, total_string_chars{}, total_enum_values{}, large_enum_value_count{},
      large_enum_string_chars{};
  friend constexpr bool operator==(const size_limits&, const size_limits&) noexcept = default;
};

/// Which annotation keywords are emitted: all, or the known ones of a set.
struct annotation_set {
  bool all = true;
  keyword_set known{};
  friend constexpr bool operator==(const annotation_set&, const annotation_set&) noexcept = default;
};

/// Thresholds up to which a provider enforces what it accepts.
struct enforced_up_to {
  limit length{}, items{}, properties{};
  friend constexpr bool operator==(const enforced_up_to&, const enforced_up_to&) noexcept = default;
};

/// One dialect. A structural type and an immutable value; a custom one is a changed copy:
///
///     constexpr auto azure = [] { auto d = openai_strict; d.id = "azure-strict"; d.allow_minimum_maximum = false; return d; }();
///
/// The defaults are those of `lenient`.
struct descriptor {
  inline_text<64> id{"lenient"};
  inline_text<64> family{"lenient"};
  bool strict = false;
  bool object_all_fields_required = false;
  bool object_closed_by_default = false;
  record_encoding records = record_encoding::open_record;
  tuple_encoding tuples = tuple_encoding::prefix_items;
  bool allow_all_of = true;
  bool allow_any_of = true;
  bool allow_one_of = true;
  bool allow_root_ref = true;
  bool allow_defs_ref = true;
  bool emit_property_ordering = false;
  format_set string_formats = format_set::all();
  bool allow_pattern = true;
  bool allow_multiple_patterns = true;
  bool allow_min_max_length = true;
  bool allow_min_max_items = true;
  bool allow_minimum_maximum = true;
  bool optional_as_nullable = false;
  any_encoding any = any_encoding::recursive_open;
  bool supports_recursion = true;
  bool structured_output_always_strict = false;
  limit max_strict_tools{};
  limit max_strict_optional_params{};
  limit max_strict_union_types{};
  size_limits sizes{};
  limit max_enum_values{};
  inline_text<256> json_fallback_instruction{
      "Answer with one JSON value that satisfies this schema, and with nothing else."};

  root_shape root = root_shape::any;
  root_shape output_root = root_shape::any;
  annotation_set annotations{};
  keyword_set extras = sets::extra_names;
  bool allow_ref_siblings = true;
  bool allow_const = true;
  value_kind_set enum_value_types = value_kind_set::all();
  bool enum_types_restricted = false;  ///< `enum_value_types` is a set, not "all"
  bool enum_single_type = false;
  bool allow_exclusive_bounds = true;
  bool allow_multiple_of = true;
  bool allow_property_names = true;
  bool omit_empty_required = false;
  key_rule property_keys{};
  limit max_min_items{};
  regex_feature_list unsupported_regex{};
  bool pattern_matches_whole = false;
  bool recursion_only_optional = false;
  bool nullable_keyword = false;
  bool any_of_stands_alone = false;
  bool allow_additional_properties = true;
  bool strict_flag = false;
  key_rule tool_names{};
  limit max_tools{};
  limit advice_max_items_sum{};
  limit advice_max_depth{};
  enforced_up_to advice_enforced_up_to{};

  /// Whether an annotation is emitted. An unknown keyword only where all are.
  [[nodiscard]] constexpr bool emits_annotation(keyword k) const noexcept {
    return annotations.all || annotations.known.has(k);
  }
  [[nodiscard]] constexpr bool emits_extra(keyword k) const noexcept { return extras.has(k); }
  [[nodiscard]] constexpr root_shape root_rule(bool output) const noexcept { return output ? output_root : root; }
  /// Whether an intersection that merges is emitted as the merged node (3.8).
  [[nodiscard]] constexpr bool merges() const noexcept { return !allow_all_of || object_closed_by_default; }

  /// Dialects are the same if their ids are.
  friend constexpr bool operator==(const descriptor& a, const descriptor& b) noexcept { return a.id == b.id; }
};

/// What a schema is sent for.
enum class use : std::uint8_t { tool, output };

}  // namespace schema
}  // namespace v0_1
}  // namespace codemode
