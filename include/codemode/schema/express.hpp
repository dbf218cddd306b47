#pragma once

/// @file
/// Whether a schema may be sent as a tool's parameters, or as a structured output, with every reason against it
/// (schema.md 6).

#include <codemode/schema/analyze.hpp>
#include <codemode/schema/emit.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace schema {

/// One reason. Sorted by pointer, code and subject.
struct reason {
  std::string pointer{};
  reason_code code = reason_code::root_not_object;
  std::string subject{};
  friend bool operator==(const reason&, const reason&) = default;
  friend auto operator<=>(const reason& a, const reason& b) {
    if (const auto c = a.pointer <=> b.pointer; c != 0) return c;
    if (const auto c = to_string(a.code) <=> to_string(b.code); c != 0) return c;
    return a.subject <=> b.subject;
  }
};

namespace detail {

[[nodiscard]] inline std::string number_text_of(double x) {
  const text::number_text t = text::format_number(x);
  return std::string{t.view()};
}
[[nodiscard]] inline std::string measured_over(std::uint64_t n, double bound) {
  return std::to_string(n) + " > " + number_text_of(bound);
}

/// The walk of section 6 over what was emitted.
class feasibility {
 public:
  feasibility(workspace& w, bool output) : w_(w), v_(w.view()), l_(v_.parts()), d_(v_.dialect()), output_(output) {}

  [[nodiscard]] std::vector<reason> run() {
    if (!v_.can_be_sent()) add(l_.source().root(), v_.block().code, v_.block().subject);
    seen_.assign(l_.source().definitions().size(), 0);
    path_.assign(seen_.size(), 0);
    walk(v_.root(), 0);
    std::sort(found_.begin(), found_.end());
    found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
    return std::move(found_);
  }

 private:
  [[nodiscard]] node get(index i) const { return l_.get_node(i); }
  void add(index i, reason_code code, std::string_view subject) {
    found_.push_back({l_.source().pointer(get(i).place), code, std::string{subject}});
  }

  void walk(index i, std::uint32_t level) {
    if (level > 4 * max_depth) return;
    const node n = get(i);
    switch (n.kind) {
      case node_kind::reference: reference(i, n, level); return;
      case node_kind::union_of:
        if (becomes_enum(l_, n, d_)) return;
        if (!d_.allow_any_of) add(i, reason_code::union_unsupported, to_string(n.made_by));
        break;
      case node_kind::all_of: intersection(i, n, level); return;
      case node_kind::any:
        if (d_.any == any_encoding::nothing) add(i, reason_code::any_unsupported, "any");
        return;
      case node_kind::never:
        if (!d_.emits_extra(keyword::not_))
          add(i, reason_code::never_unsupported, n.made_by == keyword::enum_ ? "enum" : "never");
        return;
      case node_kind::record: walk(n.a, level + 1); return;
      case node_kind::object:
        for (index k = 0; k < n.count; ++k) {
          const property p = l_.property(n.first + k);
          if (l_.is_sent(p)) walk(p.value, level + 1);
        }
        if (n.a != none && n.a != closed && !d_.object_closed_by_default && d_.allow_additional_properties)
          walk(n.a, level + 1);
        return;
      default: break;
    }
    std::vector<index> below;
    l_.for_children(n, [&](index c) { below.push_back(c); });
    for (const index c : below) walk(c, level + 1);
  }

  void reference(index i, const node& n, std::uint32_t level) {
    const std::vector<std::uint8_t>& cuts = w_.state().cut;
    const bool cut = i < cuts.size() && cuts[i] != 0;
    const bool on_path = n.a == root_definition || path_[n.a] != 0;
    const auto tell = [&] {
      std::string name = "#";
      if (n.a != root_definition) {
        name.clear();
        l_.json(l_.source().definitions()[n.a].name).decode(name);
      }
      add(i, reason_code::recursion_unsupported, name);
    };
    if (cut || on_path) {
      if (d_.any == any_encoding::nothing) {
        if (on_path) tell();
      } else if (cut && output_) {
        tell();
      }
    }
    if (on_path || seen_[n.a] != 0) return;
    seen_[n.a] = path_[n.a] = 1;
    walk(v_.target(n), level + 1);
    path_[n.a] = 0;
  }

  void intersection(index i, const node& n, std::uint32_t level) {
    index other = none;
    const bool again = std::find(merging_.begin(), merging_.end(), i) != merging_.end();
    const resolution how = v_.resolve(i, other, again);
    if (how == resolution::merged || how == resolution::superset) {
      merging_.push_back(i);
      walk(other, level + 1);
      merging_.pop_back();
      return;
    }
    bool objects = false;
    if (d_.object_closed_by_default)
      for (index k = 0; k < n.count; ++k) objects = objects || leads_to_object(l_.link(n.first + k), 0);
    if ((how == resolution::any_of || objects) && !(i == v_.root() && !v_.can_be_sent()))
      add(i, reason_code::allof_unsupported, to_string(n.made_by));
    for (index k = 0; k < n.count; ++k) walk(l_.link(n.first + k), level + 1);
  }
  [[nodiscard]] bool leads_to_object(index i, std::uint32_t level) const {
    const node& n = l_.get_node(i);
    switch (n.kind) {
      case node_kind::object:
      case node_kind::record:
      case node_kind::reference: return true;
      case node_kind::nullable: return level < max_depth && leads_to_object(n.a, level + 1);
      case node_kind::union_of:
      case node_kind::all_of:
        for (index k = 0; level < max_depth && k < n.count; ++k)
          if (leads_to_object(l_.link(n.first + k), level + 1)) return true;
        return false;
      default: return false;
    }
  }

  workspace& w_;
  perspective& v_;
  layers& l_;
  const descriptor& d_;
  bool output_;
  std::vector<reason> found_;
  std::vector<std::uint8_t> seen_;
  std::vector<std::uint8_t> path_;
  std::vector<index> merging_;
};

/// Where this schema alone exceeds what one request allows.
[[nodiscard]] inline std::vector<reason> allowance_problems(const perspective& v) {
  const descriptor& d = v.dialect();
  const features f = analyze_sent(v);
  std::vector<reason> out;
  for (const size_problem& p : check_sizes(f, d))
    out.push_back({{}, reason_code::size_limit, std::string{p.code} + " " + measured_over(p.measured, p.bound)});
  if (d.max_strict_optional_params.present &&
      static_cast<double>(f.optional_parameter_count) > d.max_strict_optional_params.value)
    out.push_back({{}, reason_code::optional_parameters,
                   measured_over(f.optional_parameter_count, d.max_strict_optional_params.value)});
  if (d.max_strict_union_types.present && static_cast<double>(f.union_type_count) > d.max_strict_union_types.value)
    out.push_back({{}, reason_code::union_types, measured_over(f.union_type_count, d.max_strict_union_types.value)});
  return out;
}

}  // namespace detail

/// Reasons against what the workspace has just emitted. `output`: as a structured output, else as a tool.
[[nodiscard]] inline std::vector<reason> reasons_against(workspace& w, bool output, double max_nodes = 65'536) {
  std::vector<reason> found;
  if (w.state().failed)
    found.push_back({{}, reason_code::emission_too_large, detail::number_text_of(max_nodes)});
  else
    found = detail::feasibility{w, output}.run();
  if (output && w.view().dialect().structured_output_always_strict) {
    for (reason& r : detail::allowance_problems(w.view())) found.push_back(std::move(r));
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
  }
  return found;
}

/// Every reason why a schema cannot be sent as a tool's parameters; none: it can.
[[nodiscard]] inline std::vector<reason> sendable(const tree& source, const descriptor& d, workspace& w,
                                                  emit_options options = {}) {
  options.purpose = use::tool;
  (void)emit(source, d, w, options);
  return reasons_against(w, false, options.max_emitted_nodes);
}

/// Every reason why a schema cannot be a structured output; none: it can.
[[nodiscard]] inline std::vector<reason> can_express(const tree& source, const descriptor& d, workspace& w,
                                                     emit_options options = {}) {
  options.purpose = use::output;
  (void)emit(source, d, w, options);
  return reasons_against(w, true, options.max_emitted_nodes);
}

}  // namespace schema
}  // namespace v0_1
}  // namespace codemode
