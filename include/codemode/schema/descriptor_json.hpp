#pragma once

/// @file
/// Descriptors as JSON: an id, or `{"base": id, "set": {field: value}}` with the field names of schema.md 2.1.

#include <codemode/json/document.hpp>
#include <codemode/json/value.hpp>
#include <codemode/schema/dialects.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace codemode {
inline namespace v0_1 {
namespace schema {

namespace detail {

class descriptor_reader {
 public:
  /// Sets one field. False where there is no such field, or its value has the wrong type.
  [[nodiscard]] static bool set(descriptor& d, std::string_view name, const json::element& v) {
    struct flag {
      std::string_view name;
      bool descriptor::*member;
    };
    static constexpr flag flags[]{
        {"strict", &descriptor::strict},
        {"objectAllFieldsRequired", &descriptor::object_all_fields_required},
        {"objectClosedByDefault", &descriptor::object_closed_by_default},
        {"allowAllOf", &descriptor::allow_all_of},
        {"allowAnyOf", &descriptor::allow_any_of},
        {"allowOneOf", &descriptor::allow_one_of},
        {"allowRootRef", &descriptor::allow_root_ref},
        {"allowDefsRef", &descriptor::allow_defs_ref},
        {"emitPropertyOrdering", &descriptor::emit_property_ordering},
        {"allowPattern", &descriptor::allow_pattern},
        {"allowMultiplePatterns", &descriptor::allow_multiple_patterns},
        {"allowMinMaxLength", &descriptor::allow_min_max_length},
        {"allowMinMaxItems", &descriptor::allow_min_max_items},
        {"allowMinimumMaximum", &descriptor::allow_minimum_maximum},
        {"optionalAsNullable", &descriptor::optional_as_nullable},
        {"supportsRecursion", &descriptor::supports_recursion},
        {"structuredOutputAlwaysStrict", &descriptor::structured_output_always_strict},
        {"allowRefSiblings", &descriptor::allow_ref_siblings},
        {"allowConst", &descriptor::allow_const},
        {"enumSingleType", &descriptor::enum_single_type},
        {"allowExclusiveBounds", &descriptor::allow_exclusive_bounds},
        {"allowMultipleOf", &descriptor::allow_multiple_of},
        {"allowPropertyNames", &descriptor::allow_property_names},
        {"omitEmptyRequired", &descriptor::omit_empty_required},
        {"patternMatchesWhole", &descriptor::pattern_matches_whole},
        {"recursionOnlyOptional", &descriptor::recursion_only_optional},
        {"nullableKeyword", &descriptor::nullable_keyword},
        {"anyOfStandsAlone", &descriptor::any_of_stands_alone},
        {"allowAdditionalProperties", &descriptor::allow_additional_properties},
        {"strictFlag", &descriptor::strict_flag}};
    for (const flag& f : flags)
      if (f.name == name) {
        if (v.kind() != json::kind::boolean) return false;
        d.*f.member = v.is_true();
        return true;
      }
    struct number {
      std::string_view name;
      limit descriptor::*member;
    };
    static constexpr number numbers[]{{"maxStrictTools", &descriptor::max_strict_tools},
                                      {"maxStrictOptionalParams", &descriptor::max_strict_optional_params},
                                      {"maxStrictUnionTypes", &descriptor::max_strict_union_types},
                                      {"maxEnumValues", &descriptor::max_enum_values},
                                      {"maxMinItems", &descriptor::max_min_items},
                                      {"maxTools", &descriptor::max_tools},
                                      {"adviceMaxItemsSum", &descriptor::advice_max_items_sum},
                                      {"adviceMaxDepth", &descriptor::advice_max_depth}};
    for (const number& f : numbers)
      if (f.name == name) return set_limit(d.*f.member, v);
    return set_other(d, name, v);
  }

 private:
  [[nodiscard]] static bool set_limit(limit& l, const json::element& v) {
    if (v.kind() == json::kind::null) {
      l = {};
      return true;
    }
    if (v.kind() != json::kind::number) return false;
    l = json::to_double(v.raw());
    return true;
  }
  [[nodiscard]] static std::string text(const json::element& v) {
    std::string s;
    if (v.is_string()) v.decode(s);
    return s;
  }
  template <std::size_t N>
  [[nodiscard]] static std::size_t position(const std::array<std::string_view, N>& names, const json::element& v) {
    for (std::size_t i = 0; i < N; ++i)
      if (v.is_string() && v.equals(names[i])) return i;
    return N;
  }
  [[nodiscard]] static bool set_root(root_shape& r, const json::element& v) {
    if (!v.is_string()) return false;
    constexpr std::array<std::string_view, 3> names{"any", "object", "object-or-union"};
    r = static_cast<root_shape>(position(names, v));
    return true;
  }
  [[nodiscard]] static bool is_all(const json::element& v) { return v.is_string() && v.equals("all"); }
  [[nodiscard]] static bool set_keys(key_rule& r, const json::element& v) {
    r = {};
    if (v.kind() == json::kind::null) return true;
    if (!v.is_object()) return false;
    r.present = true;
    for (const json::member m : v.members()) {
      if (m.key.equals("punctuation")) r.punctuation = std::string_view{text(m.value)};
      else if (m.key.equals("maxLength") && m.value.kind() == json::kind::number)
        r.max_length = json::to_double(m.value.raw());
      else if (m.key.equals("first")) r.first_letter_or_underscore = m.value.is_string() && m.value.equals("letter-or-underscore");
      else return false;
    }
    return true;
  }

  [[nodiscard]] static bool set_other(descriptor& d, std::string_view name, const json::element& v) {
    if (name == "id" || name == "family" || name == "jsonFallbackInstruction") {
      if (name == "jsonFallbackInstruction" && v.kind() == json::kind::null) return true;
      if (!v.is_string()) return false;
      const std::string s = text(v);
      if (name == "id") d.id = std::string_view{s};
      else if (name == "family") d.family = std::string_view{s};
      else d.json_fallback_instruction = std::string_view{s};
      return true;
    }
    if (name == "recordEncoding") {
      constexpr std::array<std::string_view, 2> names{"array-of-pairs", "open-record"};
      const std::size_t i = position(names, v);
      d.records = static_cast<record_encoding>(i);
      return i < names.size();
    }
    if (name == "tupleEncoding") {
      constexpr std::array<std::string_view, 3> names{"object-numeric-keys", "prefix-items", "items-union"};
      const std::size_t i = position(names, v);
      d.tuples = static_cast<tuple_encoding>(i);
      return i < names.size();
    }
    if (name == "anyEncoding") {
      constexpr std::array<std::string_view, 6> names{"recursive-strict", "recursive-open", "flat",
                                                      "unconstrained",    "none",           "json-string"};
      d.any = static_cast<any_encoding>(position(names, v));
      return v.is_string();
    }
    if (name == "rootShape") return set_root(d.root, v);
    if (name == "outputRootShape") return set_root(d.output_root, v);
    if (name == "propertyKeys") return set_keys(d.property_keys, v);
    if (name == "toolNames") return set_keys(d.tool_names, v);
    if (name == "schemaSizeLimits") return set_sizes(d.sizes, v);
    if (name == "adviceEnforcedUpTo") return set_enforced(d.advice_enforced_up_to, v);
    return set_list(d, name, v);
  }
  [[nodiscard]] static bool set_sizes(size_limits& s, const json::element& v) {
    s = {};
    if (v.kind() == json::kind::null) return true;
    if (!v.is_object()) return false;
    s.present = true;
    bool good = true;
    for (const json::member m : v.members()) {
      limit* const l = m.key.equals("maxObjectProperties")       ? &s.object_properties
                       : m.key.equals("maxNestingDepth")         ? &s.nesting_depth
                       : m.key.equals("maxTotalStringChars")     ? &s.total_string_chars
                       : m.key.equals("maxTotalEnumValues")      ? &s.total_enum_values
                       : m.key.equals("largeEnumValueCount")     ? &s.large_enum_value_count
                       : m.key.equals("maxLargeEnumStringChars") ? &s.large_enum_string_chars
                                                                 : nullptr;
      good = l != nullptr && set_limit(*l, m.value) && good;
    }
    return good;
  }
  [[nodiscard]] static bool set_enforced(enforced_up_to& e, const json::element& v) {
    e = {};
    if (v.kind() == json::kind::null) return true;
    if (!v.is_object()) return false;
    bool good = true;
    for (const json::member m : v.members()) {
      limit* const l = m.key.equals("length") ? &e.length : m.key.equals("items") ? &e.items : m.key.equals("properties") ? &e.properties : nullptr;
      good = l != nullptr && set_limit(*l, m.value) && good;
    }
    return good;
  }
  [[nodiscard]] static bool set_list(descriptor& d, std::string_view name, const json::element& v) {
    const bool all = is_all(v);
    if (!all && !v.is_array()) return false;
    if (name == "supportedStringFormats") {
      d.string_formats = all ? format_set::all() : format_set{};
      if (!all)
        for (const json::element e : v.items()) {
          const std::size_t i = position(string_format_names, e);
          if (i < string_format_names.size()) d.string_formats.bits |= 1U << i;
        }
      return true;
    }
    if (name == "supportedAnnotations" || name == "supportedExtras") {
      keyword_set s;
      if (!all)
        for (const json::element e : v.items())
          if (e.is_string())
            if (const auto k = find_keyword(e.content())) s.add(*k);
      if (name == "supportedExtras") d.extras = all ? sets::extra_names : s;
      else d.annotations = {all, s};
      return true;
    }
    if (name == "enumValueTypes") {
      d.enum_types_restricted = !all;
      d.enum_value_types = all ? value_kind_set::all() : value_kind_set{};
      if (!all)
        for (const json::element e : v.items()) {
          const std::size_t i = position(value_kind_names, e);
          if (i == value_kind_names.size()) return false;
          d.enum_value_types.add(static_cast<value_kind>(i));
        }
      return true;
    }
    if (name == "unsupportedRegex" && !all) {
      d.unsupported_regex = {};
      for (const json::element e : v.items()) {
        const std::size_t i = position(regex_feature_names, e);
        if (i == regex_feature_names.size()) return false;
        d.unsupported_regex.add(static_cast<regex_feature>(i));
      }
      return true;
    }
    return false;
  }
};

}  // namespace detail

/// A descriptor from its id, or from a built-in one and fields to set; nothing where a field is unknown or has a value of
/// the wrong type. An unknown id gives `lenient` (schema.md 8).
[[nodiscard]] inline std::optional<descriptor> read_descriptor(const json::element& e) {
  const auto by_id = [](const json::element& id) {
    std::string s;
    if (id.is_string()) id.decode(s);
    const descriptor* const d = find_built_in(s);
    return d != nullptr ? *d : lenient;
  };
  if (e.is_string()) return by_id(e);
  if (!e.is_object()) return std::nullopt;
  descriptor d;
  if (const auto base = e.find("base")) d = by_id(*base);
  if (const auto set = e.find("set"); set && set->is_object())
    for (const json::member m : set->members()) {
      std::string name;
      m.key.decode(name);
      if (!detail::descriptor_reader::set(d, name, m.value)) return std::nullopt;
    }
  return d;
}

}  // namespace schema
}  // namespace v0_1
}  // namespace codemode
