#pragma once

/// @file
/// The keywords of JSON Schema that the library knows, and the sets that its rules speak of.

#include <codemode/config.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace codemode {
inline namespace v0_1 {
namespace schema {

/// A known keyword. Everything else in a schema is an annotation that is carried along.
enum class keyword : std::uint8_t {
  type, const_, enum_, ref, any_of, one_of, all_of,
  properties, required, additional_properties, property_names, pattern_properties,
  min_properties, max_properties, dependent_required, dependent_schemas, unevaluated_properties,
  items, prefix_items, additional_items, min_items, max_items, unique_items, contains, min_contains,
  max_contains, unevaluated_items,
  pattern, format, min_length, max_length, content_encoding, content_media_type, content_schema,
  minimum, maximum, exclusive_minimum, exclusive_maximum, multiple_of,
  not_, if_, then_, else_,
  meta_schema, meta_id, anchor, comment, vocabulary, dynamic_ref, dynamic_anchor, defs, definitions,
  nullable,
  title, description, default_, examples, deprecated, read_only, write_only,
  property_ordering,  ///< written for Gemini, never read
};

inline constexpr std::size_t keyword_count = 61;

namespace detail {

inline constexpr std::array<std::string_view, keyword_count> keyword_names{
    "type", "const", "enum", "$ref", "anyOf", "oneOf", "allOf",
    "properties", "required", "additionalProperties", "propertyNames", "patternProperties",
    "minProperties", "maxProperties", "dependentRequired", "dependentSchemas", "unevaluatedProperties",
    "items", "prefixItems", "additionalItems", "minItems", "maxItems", "uniqueItems", "contains", "minContains",
    "maxContains", "unevaluatedItems",
    "pattern", "format", "minLength", "maxLength", "contentEncoding", "contentMediaType", "contentSchema",
    "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
    "not", "if", "then", "else",
    "$schema", "$id", "$anchor", "$comment", "$vocabulary", "$dynamicRef", "$dynamicAnchor", "$defs", "definitions",
    "nullable",
    "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly",
    "propertyOrdering"};

/// Spreads the keywords over 256 places with few collisions.
[[nodiscard]] constexpr std::size_t keyword_hash(std::string_view s) noexcept {
  const auto at = [s](std::size_t i) noexcept { return static_cast<unsigned char>(s[i]); };
  return (at(0) * 7U + at(s.size() - 1) * 31U + at(s.size() / 2) * 3U + s.size() * 17U) & 255U;
}

struct keyword_table {
  std::array<std::uint8_t, 256> first{};
  std::array<std::uint8_t, keyword_count> next{};
};

/// Chains by hash; 255 ends one. `propertyOrdering` is not in it: it is never read.
inline constexpr keyword_table keywords_by_hash = [] {
  keyword_table t;
  t.first.fill(255);
  t.next.fill(255);
  for (std::size_t i = 0; i + 1 < keyword_count; ++i) {
    std::uint8_t& slot = t.first[keyword_hash(keyword_names[i])];
    t.next[i] = slot;
    slot = static_cast<std::uint8_t>(i);
  }
  return t;
}();

}  // namespace detail

/// The keyword as it is written.
[[nodiscard]] constexpr std::string_view to_string(keyword k) noexcept {
  return detail::keyword_names[static_cast<std::size_t>(k)];
}

/// The keyword that is written so, or nothing.
[[nodiscard]] constexpr std::optional<keyword> find_keyword(std::string_view name) noexcept {
  if (name.empty()) return std::nullopt;
  for (std::uint8_t i = detail::keywords_by_hash.first[detail::keyword_hash(name)]; i != 255;
       i = detail::keywords_by_hash.next[i])
    if (detail::keyword_names[i] == name) return static_cast<keyword>(i);
  return std::nullopt;
}

/// A set of keywords. A structural type, so that descriptors can be template arguments.
struct keyword_set {
  std::uint64_t bits = 0;

  constexpr keyword_set() noexcept = default;
  constexpr explicit keyword_set(std::uint64_t b) noexcept : bits(b) {}
  template <class... K>
  constexpr explicit keyword_set(keyword first, K... more) noexcept
      : bits(((std::uint64_t{1} << static_cast<unsigned>(first)) | ... |
              (std::uint64_t{1} << static_cast<unsigned>(more)))) {}

  [[nodiscard]] static constexpr keyword_set all() noexcept { return keyword_set{~std::uint64_t{0}}; }
  [[nodiscard]] constexpr bool has(keyword k) const noexcept {
    return ((bits >> static_cast<unsigned>(k)) & 1U) != 0;
  }
  [[nodiscard]] constexpr bool empty() const noexcept { return bits == 0; }
  constexpr void add(keyword k) noexcept { bits |= std::uint64_t{1} << static_cast<unsigned>(k); }
  constexpr void remove(keyword k) noexcept { bits &= ~(std::uint64_t{1} << static_cast<unsigned>(k)); }

  [[nodiscard]] friend constexpr keyword_set operator|(keyword_set a, keyword_set b) noexcept {
    return keyword_set{a.bits | b.bits};
  }
  [[nodiscard]] friend constexpr keyword_set operator&(keyword_set a, keyword_set b) noexcept {
    return keyword_set{a.bits & b.bits};
  }
  /// What is in `a` and not in `b`.
  [[nodiscard]] friend constexpr keyword_set operator-(keyword_set a, keyword_set b) noexcept {
    return keyword_set{a.bits & ~b.bits};
  }
  [[nodiscard]] friend constexpr bool operator==(keyword_set, keyword_set) noexcept = default;
};

/// The JSON types, as `type` names them.
enum class json_type : std::uint8_t { none, string, number, integer, boolean, null, array, object };

[[nodiscard]] constexpr std::string_view to_string(json_type t) noexcept {
  constexpr std::string_view names[]{"", "string", "number", "integer", "boolean", "null", "array", "object"};
  return names[static_cast<std::size_t>(t)];
}
/// The type that is written so, or `none`.
[[nodiscard]] constexpr json_type type_from_string(std::string_view s) noexcept {
  for (std::uint8_t i = 1; i < 8; ++i)
    if (to_string(static_cast<json_type>(i)) == s) return static_cast<json_type>(i);
  return json_type::none;
}

namespace sets {

using enum keyword;

/// Keywords that speak of one type.
inline constexpr keyword_set string_family{pattern, format, min_length, max_length, content_encoding,
                                           content_media_type, content_schema};
inline constexpr keyword_set number_family{minimum, maximum, exclusive_minimum, exclusive_maximum, multiple_of, format};
inline constexpr keyword_set array_family{items, prefix_items, additional_items, min_items, max_items, unique_items,
                                          contains, min_contains, max_contains, unevaluated_items};
inline constexpr keyword_set object_family{properties, required, additional_properties, property_names,
                                           pattern_properties, min_properties, max_properties, dependent_required,
                                           dependent_schemas, unevaluated_properties};
inline constexpr keyword_set families = string_family | number_family | array_family | object_family;

/// Assertions that are carried and not modelled (schema.md 1.1).
inline constexpr keyword_set extras{unique_items, min_properties, max_properties, min_contains, max_contains,
                                    dependent_required, content_media_type, not_, if_, then_, else_, contains,
                                    dependent_schemas, unevaluated_properties, unevaluated_items, content_schema};
/// Those of them that hold schemas.
inline constexpr keyword_set schema_extras{not_, if_, then_, else_, contains, dependent_schemas,
                                           unevaluated_properties, unevaluated_items, content_schema};
inline constexpr keyword_set combinators{any_of, one_of, all_of};
inline constexpr keyword_set assertions =
    families | extras | combinators | keyword_set{type, const_, enum_, ref};
/// Never emitted and no loss (schema.md 1.2.12).
inline constexpr keyword_set meta{meta_schema, meta_id, anchor, comment, vocabulary, dynamic_ref, dynamic_anchor};
inline constexpr keyword_set known_annotations{title, description, default_, examples, deprecated, read_only,
                                               write_only};
/// Whatever `supportedExtras` may name.
inline constexpr keyword_set extra_names =
    extras | combinators | keyword_set{content_encoding, pattern_properties, property_names};

[[nodiscard]] constexpr keyword_set family(json_type t) noexcept {
  switch (t) {
    case json_type::string: return string_family;
    case json_type::number:
    case json_type::integer: return number_family;
    case json_type::array: return array_family;
    case json_type::object: return object_family;
    default: return {};
  }
}

}  // namespace sets

}  // namespace schema
}  // namespace v0_1
}  // namespace codemode
