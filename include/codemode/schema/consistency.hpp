#pragma once

/// @file
/// Whether a descriptor contradicts itself (schema.md 9).

#include <codemode/schema/descriptor.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace codemode {
inline namespace v0_1 {
namespace schema {

/// A contradiction. The code is stable; `what` says how to mend it.
struct consistency_problem {
  std::string_view code{};
  std::string_view what{};
};

/// The problems of a descriptor, in a fixed order.
struct consistency_report {
  std::array<consistency_problem, 20> problems{};
  std::size_t count = 0;

  [[nodiscard]] constexpr bool empty() const noexcept { return count == 0; }
  [[nodiscard]] constexpr const consistency_problem* begin() const noexcept { return problems.data(); }
  [[nodiscard]] constexpr const consistency_problem* end() const noexcept { return problems.data() + count; }
  constexpr void add(std::string_view code, std::string_view what) noexcept {
    if (count < problems.size()) problems[count++] = {code, what};
  }
};

namespace detail {

[[nodiscard]] constexpr bool is_whole_from(double x, double least) noexcept {
  return x >= least && x <= 9007199254740991.0 && static_cast<double>(static_cast<std::int64_t>(x)) == x;
}

}  // namespace detail

/// Checks a descriptor, at compile time if wished: `static_assert(check_consistency(mine).empty())`.
[[nodiscard]] constexpr consistency_report check_consistency(const descriptor& d) noexcept {
  consistency_report out;
  if (d.any == any_encoding::unknown) {
    out.add("any-encoding-unknown", "anyEncoding is none of the six encodings");
    return out;
  }
  const bool recursive = d.any == any_encoding::recursive_strict || d.any == any_encoding::recursive_open;
  if ((recursive || d.any == any_encoding::flat) && !d.allow_any_of)
    out.add("any-needs-anyof", "anyEncoding spells anything with anyOf, which allowAnyOf forbids");
  if (recursive && !d.allow_defs_ref)
    out.add("any-needs-defs", "a recursive anyEncoding needs $defs, which allowDefsRef forbids");
  if (recursive && !d.supports_recursion)
    out.add("any-needs-recursion", "a recursive anyEncoding needs reference cycles, which supportsRecursion forbids");
  if (d.max_enum_values.present && !detail::is_whole_from(d.max_enum_values.value, 1))
    out.add("enum-cap-not-positive-integer", "maxEnumValues must be a whole number from 1");
  if (d.sizes.present) {
    if (!d.strict) out.add("size-limits-on-non-strict", "schemaSizeLimits belong to a strict descriptor");
    const auto field = [&out](const limit& l, std::string_view code) {
      if (l.present && !detail::is_whole_from(l.value, 1)) out.add(code, "a size limit must be a whole number from 1");
    };
    field(d.sizes.object_properties, "size-limit-not-positive-integer:maxObjectProperties");
    field(d.sizes.nesting_depth, "size-limit-not-positive-integer:maxNestingDepth");
    field(d.sizes.total_string_chars, "size-limit-not-positive-integer:maxTotalStringChars");
    field(d.sizes.total_enum_values, "size-limit-not-positive-integer:maxTotalEnumValues");
    field(d.sizes.large_enum_value_count, "size-limit-not-positive-integer:largeEnumValueCount");
    field(d.sizes.large_enum_string_chars, "size-limit-not-positive-integer:maxLargeEnumStringChars");
    if (d.sizes.large_enum_value_count.present && d.sizes.total_enum_values.present &&
        d.sizes.large_enum_value_count.value >= d.sizes.total_enum_values.value)
      out.add("large-enum-threshold-unreachable", "largeEnumValueCount must be below maxTotalEnumValues");
  }
  if (d.root == root_shape::unknown || d.output_root == root_shape::unknown)
    out.add("root-shape-unknown", "rootShape and outputRootShape are any, object or object-or-union");
  if (d.enum_types_restricted && !d.enum_value_types.has(value_kind::string))
    out.add("enum-value-types-without-string", "enumValueTypes must allow strings: other values travel as those");
  if (d.nullable_keyword && (d.allow_defs_ref || d.allow_root_ref))
    out.add("nullable-keyword-needs-inlining", "nullableKeyword cannot stand beside $ref: allowDefsRef and allowRootRef must be off");
  if (d.property_keys.present && !detail::is_whole_from(d.property_keys.max_length, 8))
    out.add("property-key-length-too-small", "propertyKeys.maxLength must be a whole number from 8");
  return out;
}

}  // namespace schema
}  // namespace v0_1
}  // namespace codemode
