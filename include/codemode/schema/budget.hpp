#pragma once

/// @file
/// What one request may hold in strict form, shared out over its tools and its output (schema.md 7).

#include <codemode/schema/express.hpp>
#include <codemode/schema/registry.hpp>

#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace schema {

/// Why an item is not sent strict.
enum class degraded_for : std::uint8_t {
  nothing,                 ///< it is strict
  descriptor_not_strict,
  not_requested,
  not_sendable,            ///< the first reason of section 6 is told with it
  size_limit,
  optional_parameters,     ///< the schema alone exceeds the allowance
  union_types,
  strict_tools_spent,      ///< others have used it up
  optional_parameters_spent,
  union_types_spent
};

/// The descriptor that an item gets.
struct allocation {
  const descriptor* dialect = nullptr;
  degraded_for why = degraded_for::nothing;
  reason_code first_reason = reason_code::root_not_object;  ///< for `not_sendable`

  /// The reason by its name, empty for none.
  [[nodiscard]] constexpr std::string_view reason() const noexcept {
    switch (why) {
      case degraded_for::nothing: return {};
      case degraded_for::descriptor_not_strict: return "descriptor-not-strict";
      case degraded_for::not_requested: return "not-requested";
      case degraded_for::not_sendable: return to_string(first_reason);
      case degraded_for::size_limit: return "size-limit";
      case degraded_for::optional_parameters: return "optional-parameters";
      case degraded_for::union_types: return "union-types";
      case degraded_for::strict_tools_spent: return "strict-tools-spent";
      case degraded_for::optional_parameters_spent: return "optional-parameters-spent";
      case degraded_for::union_types_spent: return "union-types-spent";
    }
    return {};
  }
};

/// How much a caller wants a tool strict.
struct strict_request {
  enum class form : std::uint8_t { absent, never, required, preferred };
  form kind = form::absent;
  double priority = 0;  ///< for `preferred`

  /// Items are served in descending order of this.
  [[nodiscard]] constexpr double order() const noexcept {
    switch (kind) {
      case form::required: return std::numeric_limits<double>::infinity();
      case form::never: return -std::numeric_limits<double>::infinity();
      case form::preferred: return priority > 0 ? priority : 0;
      default: return 0;
    }
  }
};

/// The stricter of two descriptors, as far as allowances go.
[[nodiscard]] inline const descriptor& strictest_of(const descriptor& a, const descriptor& b) noexcept {
  if (a.strict != b.strict) return a.strict ? a : b;
  if (!a.strict) return a;
  const auto sum = [](const descriptor& d) noexcept {
    constexpr double endless = std::numeric_limits<double>::infinity();
    const auto of = [](const limit& l) noexcept { return l.present ? l.value : endless; };
    return of(d.max_strict_tools) + of(d.max_strict_optional_params) + of(d.max_strict_union_types);
  };
  return sum(b) < sum(a) ? b : a;
}

/// The allowances of one request.
class schema_budget {
 public:
  /// What is left; infinite where there is no limit. May be negative.
  struct counters {
    double strict_tools = 0;
    double optional_params = 0;
    double union_types = 0;
  };

  /// Borrows the descriptors and the registry.
  schema_budget(const descriptor& tool, const descriptor& output, const descriptor_registry& registry)
      : tool_(tool), output_(output), registry_(registry) {
    constexpr double endless = std::numeric_limits<double>::infinity();
    const auto of = [](const limit& l) noexcept { return l.present ? l.value : endless; };
    const descriptor& shared = strictest_of(tool, output);
    left_ = {of(shared.max_strict_tools), of(shared.max_strict_optional_params), of(shared.max_strict_union_types)};
    initial_ = left_;
  }

  [[nodiscard]] allocation allocate_tool(const tree& source, const strict_request& wish) {
    return allocate(source, wish, use::tool);
  }
  [[nodiscard]] allocation allocate_output(const tree& source, const strict_request& wish) {
    return allocate(source, wish, use::output);
  }
  [[nodiscard]] const counters& remaining() const noexcept { return left_; }

 private:
  [[nodiscard]] allocation allocate(const tree& source, const strict_request& wish, use purpose) {
    const bool tool = purpose == use::tool;
    const descriptor& d = tool ? tool_ : output_;
    const auto degrade = [&](degraded_for why) {
      return allocation{d.strict ? &registry_.get(d.family.view(), false) : &d, why};
    };
    const bool always = !tool && d.strict && d.structured_output_always_strict;
    if (!always) {
      if (!d.strict) return degrade(degraded_for::descriptor_not_strict);
      if (wish.kind == strict_request::form::absent || wish.kind == strict_request::form::never ||
          (wish.kind == strict_request::form::preferred && !(wish.priority > 0)))
        return degrade(degraded_for::not_requested);
    }
    (void)emit(source, d, work_, {.purpose = purpose});
    const features f = analyze_sent(work_.view());
    const auto optional = static_cast<double>(f.optional_parameter_count);
    const auto unions = static_cast<double>(f.union_type_count);
    const auto charge = [&] {
      if (tool) left_.strict_tools -= 1;
      left_.optional_params -= optional;
      left_.union_types -= unions;
      return allocation{&d, degraded_for::nothing};
    };
    if (always) return charge();
    if (const auto reasons = reasons_against(work_, false); !reasons.empty()) {
      allocation a = degrade(degraded_for::not_sendable);
      a.first_reason = reasons.front().code;
      return a;
    }
    if (!check_sizes(f, d).empty()) return degrade(degraded_for::size_limit);
    if (optional > initial_.optional_params) return degrade(degraded_for::optional_parameters);
    if (unions > initial_.union_types) return degrade(degraded_for::union_types);
    if (wish.kind == strict_request::form::preferred) {
      if (tool && left_.strict_tools <= 0) return degrade(degraded_for::strict_tools_spent);
      if (left_.optional_params < optional) return degrade(degraded_for::optional_parameters_spent);
      if (left_.union_types < unions) return degrade(degraded_for::union_types_spent);
    }
    return charge();
  }

  const descriptor& tool_;
  const descriptor& output_;
  const descriptor_registry& registry_;
  counters left_{};
  counters initial_{};
  workspace work_;
};

}  // namespace schema
}  // namespace v0_1
}  // namespace codemode
