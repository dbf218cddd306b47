#pragma once

/// @file
/// What lint finds (schema.md 16): codes, and the row in which they are collected.

#include <codemode/schema/loss.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace schema {

/// Codes of lint, in the order of their names. Reasons of section 6 are among them under the same names.
enum class finding_code : std::uint8_t {
  allof_unsupported, annotation_unsupported, any_unsupported, anyof_siblings, array_without_items, best_effort,
  boolean_schema, const_unsupported, deep_nesting, default_invalid, draft4_bound, emission_too_large,
  empty_array_as_map, empty_object, enum_mixed, enum_too_long, enum_value_type, exclusive_bound, format_unsupported,
  keyword_misplaced, keyword_unsupported, map_unsupported, max_items_sum, meta_keyword, never_unsupported, null_spelling,
  null_type, nullable_keyword, object_open, oneof_unsupported, open_tail, optional_parameters, pattern_anchoring,
  pattern_syntax, property_key, property_not_required, recursion_cut, recursion_unsupported, ref_siblings,
  ref_unsupported, required_empty, required_undeclared, root_combinator, root_not_object, schema_untyped, size_limit,
  strict_tools, too_many_tools, tool_name, tool_name_duplicate, tool_not_sendable, tool_not_strict, tuple_draft07,
  tuple_unsupported, type_list, union_of_constants, union_types, union_unsupported
};
inline constexpr std::size_t finding_code_count = 58;

[[nodiscard]] constexpr std::string_view to_string(finding_code c) noexcept {
  constexpr std::string_view names[]{
      "allof-unsupported", "annotation-unsupported", "any-unsupported", "anyof-siblings", "array-without-items",
      "best-effort", "boolean-schema", "const-unsupported", "deep-nesting", "default-invalid", "draft4-bound",
      "emission-too-large", "empty-array-as-map", "empty-object", "enum-mixed", "enum-too-long", "enum-value-type",
      "exclusive-bound", "format-unsupported", "keyword-misplaced", "keyword-unsupported", "map-unsupported",
      "max-items-sum", "meta-keyword", "never-unsupported", "null-spelling", "null-type", "nullable-keyword",
      "object-open", "oneof-unsupported", "open-tail", "optional-parameters", "pattern-anchoring", "pattern-syntax",
      "property-key", "property-not-required", "recursion-cut", "recursion-unsupported", "ref-siblings",
      "ref-unsupported", "required-empty", "required-undeclared", "root-combinator", "root-not-object",
      "schema-untyped", "size-limit", "strict-tools", "too-many-tools", "tool-name", "tool-name-duplicate",
      "tool-not-sendable", "tool-not-strict", "tuple-draft07", "tuple-unsupported", "type-list", "union-of-constants",
      "union-types", "union-unsupported"};
  static_assert(sizeof names / sizeof names[0] == finding_code_count);
  return names[static_cast<std::size_t>(c)];
}

/// The finding that a reason is.
[[nodiscard]] constexpr finding_code finding_of(reason_code r) noexcept {
  for (std::size_t i = 0; i < finding_code_count; ++i)
    if (to_string(static_cast<finding_code>(i)) == to_string(r)) return static_cast<finding_code>(i);
  return finding_code::allof_unsupported;
}

/// One finding, with its subject in the row's text.
struct raw_finding {
  index place = 0;
  finding_code code{};
  action done{};
  std::uint32_t subject = 0;
  std::uint32_t subject_size = 0;
};

/// Findings as they are made. Off, it takes nothing.
class finding_row {
 public:
  void start(bool on) noexcept {
    on_ = on;
    row_.clear();
    text_.clear();
  }
  [[nodiscard]] bool on() const noexcept { return on_; }
  void add(index place, finding_code code, std::string_view subject, action done) {
    if (!on_) return;
    row_.push_back({place, code, done, static_cast<std::uint32_t>(text_.size()), static_cast<std::uint32_t>(subject.size())});
    text_.append(subject);
  }
  [[nodiscard]] std::size_t size() const noexcept { return row_.size(); }
  void truncate(std::size_t n) noexcept { row_.resize(n); }
  [[nodiscard]] const std::vector<raw_finding>& all() const noexcept { return row_; }
  [[nodiscard]] std::string_view subject(const raw_finding& f) const noexcept {
    return std::string_view{text_}.substr(f.subject, f.subject_size);
  }

 private:
  bool on_ = false;
  std::vector<raw_finding> row_;
  std::string text_;
};

}  // namespace schema
}  // namespace v0_1
}  // namespace codemode
