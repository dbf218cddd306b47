#pragma once

/// @file
/// All that is to say of a schema, or of a whole request, for a dialect: what the provider would refuse or reinterpret if
/// it were sent as it is, what emission loses, and why it is not sendable (schema.md 16).

#include <codemode/schema/express.hpp>
#include <codemode/schema/finding.hpp>
#include <codemode/schema/names.hpp>
#include <codemode/text/sink.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace schema {

/// One finding. Sorted by pointer, code, subject and action.
struct finding {
  std::string pointer{};
  finding_code code{};
  std::string subject{};
  action done{};
  friend bool operator==(const finding&, const finding&) = default;
  friend auto operator<=>(const finding& a, const finding& b) {
    if (const auto c = a.pointer <=> b.pointer; c != 0) return c;
    if (const auto c = to_string(a.code) <=> to_string(b.code); c != 0) return c;
    if (const auto c = a.subject <=> b.subject; c != 0) return c;
    return to_string(a.done) <=> to_string(b.done);
  }
};

/// A finding of a request: `tool` is absent for the request itself.
struct request_finding {
  std::optional<std::string> tool{};
  finding found{};
  friend bool operator==(const request_finding&, const request_finding&) = default;
  friend auto operator<=>(const request_finding& a, const request_finding& b) {
    if (const auto c = a.tool <=> b.tool; c != 0) return c;
    return a.found <=> b.found;
  }
};

namespace detail {

/// Sum of maxItems over all arrays, each schema once.
[[nodiscard]] inline double max_items_sum(perspective& v) {
  layers& l = v.parts();
  std::vector<std::uint8_t> seen;
  double total = 0;
  std::vector<index> todo{v.root()};
  while (!todo.empty()) {
    index i = todo.back();
    todo.pop_back();
    if (l.get_node(i).kind == node_kind::reference) i = v.target(l.get_node(i));
    if (l.get_node(i).kind == node_kind::all_of) {
      index other = none;
      (void)v.resolve(i, other);
      if (other != none) i = other;
    }
    if (seen.size() <= i) seen.resize(l.node_count(), 0);
    if (seen[i] != 0) continue;
    seen[i] = 1;
    const node n = l.get_node(i);
    if (n.kind == node_kind::array || n.kind == node_kind::tuple)
      if (const index m = find_value(l, n.limits, keyword::max_items); m != none) total += json::to_double(l.json(m).raw());
    l.for_children(n, [&](index c) { todo.push_back(c); });
  }
  return total;
}

/// What is to say of the spelling of the source, wherever emission may lead.
class spelling_remarks {
 public:
  spelling_remarks(workspace& w, std::vector<finding>& out)
      : v_(w.view()), l_(v_.parts()), t_(l_.source()), d_(v_.dialect()), out_(out) {}

  void run() {
    std::vector<std::uint8_t> seen;
    std::vector<index> todo{t_.root()};
    while (!todo.empty()) {
      const index i = todo.back();
      todo.pop_back();
      if (seen.size() <= i) seen.resize(l_.node_count(), 0);
      if (seen[i] != 0) continue;
      seen[i] = 1;
      const node n = l_.get_node(i);
      for (index r = n.remarks; r != none; r = t_.remarks()[r].next) tell(n.place, t_.remarks()[r]);
      if (n.kind == node_kind::object)
        for (index k = 0; k < n.count; ++k) {
          const index value = l_.property(n.first + k).value;
          if (v_.invalid_default(value)) add(l_.get_node(value).place, finding_code::default_invalid, "default", action::dropped);
        }
      if (d_.nullable_keyword) null_spelling(n);
      if (n.kind == node_kind::reference)
        todo.push_back(n.a == root_definition ? t_.root() : l_.definition_node(n.a));
      l_.for_children(n, [&](index c) { todo.push_back(c); });
      for (index o = n.left_out; o != none; o = t_.left_out()[o].second) todo.push_back(t_.left_out()[o].first);
    }
    for (const auto& [place, r] : t_.adopted()) tell(place, r);
  }

 private:
  void add(index place, finding_code code, std::string_view subject, action done) {
    out_.push_back({t_.pointer(place), code, std::string{subject}, done});
  }

  void null_spelling(const node& n) {
    const bool nulls = n.kind == node_kind::nullable || (n.kind == node_kind::union_of && has_null_option(l_, n));
    if (n.kind == node_kind::union_of && n.made_by == keyword::type)
      add(n.place, finding_code::type_list, "type", action::encoded);
    else if (nulls && (n.made_by == keyword::type || n.made_by == keyword::any_of || n.made_by == keyword::one_of))
      add(n.place, finding_code::null_spelling, to_string(n.made_by), action::encoded);
  }

  void tell(index place, const remark& r) {
    using code = remark::code;
    const bool closed_meta = !d_.annotations.all;
    const std::string_view word =
        r.subject < keyword_count ? to_string(static_cast<keyword>(r.subject)) : std::string_view{};
    switch (r.what) {
      case code::meta_keyword:
        if (closed_meta) add(place, finding_code::meta_keyword, word, action::dropped);
        break;
      case code::keyword_misplaced:
        if (closed_meta) add(place, finding_code::keyword_misplaced, word, action::dropped);
        break;
      case code::schema_untyped:
        if (closed_meta)
          add(place, finding_code::schema_untyped, to_string(static_cast<json_type>(r.subject)), action::rewritten);
        break;
      case code::untyped_constant:
        if (closed_meta) add(place, finding_code::schema_untyped, word, action::rewritten);
        break;
      case code::untyped_any:
        if (closed_meta) add(place, finding_code::schema_untyped, "any", action::encoded);
        break;
      case code::boolean_schema:
        add(place, finding_code::boolean_schema, r.subject != 0 ? "true" : "false", action::encoded);
        break;
      case code::nullable_keyword: add(place, finding_code::nullable_keyword, "nullable", action::rewritten); break;
      case code::draft4_bound: add(place, finding_code::draft4_bound, word, action::rewritten); break;
      case code::empty_array_as_map: add(place, finding_code::empty_array_as_map, word, action::rewritten); break;
      case code::tuple_draft07: add(place, finding_code::tuple_draft07, "items", action::rewritten); break;
      case code::array_without_items: add(place, finding_code::array_without_items, "items", action::encoded); break;
      case code::required_empty:
        if (d_.omit_empty_required) add(place, finding_code::required_empty, "required", action::encoded);
        break;
      case code::required_undeclared: {
        std::string name;
        l_.json(r.subject).decode(name);
        add(place, finding_code::required_undeclared, name, action::rewritten);
        break;
      }
      case code::plain_property_names:
        if (!d_.allow_property_names) add(place, finding_code::keyword_unsupported, "propertyNames", action::encoded);
        break;
    }
  }

  perspective& v_;
  layers& l_;
  const tree& t_;
  const descriptor& d_;
  std::vector<finding>& out_;
};

}  // namespace detail

/// All findings of a schema for a descriptor, of the emission that describes no losses. Leaves that in the workspace.
[[nodiscard]] inline std::vector<finding> lint(const tree& source, const descriptor& d, workspace& w,
                                               emit_options options = {}) {
  std::vector<finding> out;
  options.describe_losses = false;
  (void)emit(source, d, w, options, true);
  if (!w.state().failed)
    for (const raw_finding& f : w.state().findings.all())
      out.push_back({source.pointer(f.place), f.code, std::string{w.state().findings.subject(f)}, f.done});
  detail::spelling_remarks{w, out}.run();
  const std::vector<reason> blocked = reasons_against(w, false, options.max_emitted_nodes);
  out.erase(std::remove_if(out.begin(), out.end(),
                           [&](const finding& f) {
                             if (f.code != finding_code::schema_untyped && f.code != finding_code::boolean_schema &&
                                 f.code != finding_code::array_without_items)
                               return false;
                             return std::any_of(blocked.begin(), blocked.end(), [&](const reason& r) {
                               return r.pointer == f.pointer &&
                                      (r.code == reason_code::any_unsupported ||
                                       r.code == reason_code::never_unsupported ||
                                       r.code == reason_code::root_not_object);
                             });
                           }),
            out.end());
  for (const reason& r : blocked) out.push_back({r.pointer, finding_of(r.code), r.subject, action::blocked});
  if (d.strict)
    for (const reason& r : detail::allowance_problems(w.view()))
      out.push_back({r.pointer, finding_of(r.code), r.subject, action::blocked});
  const double sum = detail::max_items_sum(w.view());
  if (d.advice_max_items_sum.present && sum > d.advice_max_items_sum.value)
    out.push_back({{}, finding_code::max_items_sum,
                   detail::number_text_of(sum) + " > " + detail::number_text_of(d.advice_max_items_sum.value),
                   action::advice});
  if (d.advice_max_depth.present) {
    const features f = analyze_sent(w.view());
    if (static_cast<double>(f.max_nesting_depth) > d.advice_max_depth.value)
      out.push_back({{}, finding_code::deep_nesting, detail::measured_over(f.max_nesting_depth, d.advice_max_depth.value),
                     action::advice});
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

/// A tool of a request.
struct named_source {
  std::string_view name{};
  const tree* source = nullptr;
};

/// All findings of a request.
[[nodiscard]] inline std::vector<request_finding> lint_request(const std::vector<named_source>& tools, const descriptor& d,
                                                               workspace& w) {
  std::vector<request_finding> out;
  const auto add = [&out](std::optional<std::string> tool, finding_code code, std::string subject, action done) {
    out.push_back({std::move(tool), {{}, code, std::move(subject), done}});
  };
  std::vector<std::string_view> names;
  for (const named_source& t : tools) names.push_back(t.name);
  std::vector<wire_tool> wire;
  wire_tools(names, d.tool_names, wire);
  for (std::size_t i = 0; i < tools.size(); ++i)
    if (wire[i].why != renaming::kept)
      add(std::string{names[i]}, wire[i].why == renaming::rule ? finding_code::tool_name : finding_code::tool_name_duplicate,
          wire[i].name, action::rewritten);
  if (d.max_tools.present && static_cast<double>(tools.size()) > d.max_tools.value)
    add(std::nullopt, finding_code::too_many_tools, detail::measured_over(tools.size(), d.max_tools.value), action::blocked);
  std::uint64_t strict_tools = 0;
  std::uint64_t optional = 0;
  std::uint64_t unions = 0;
  double items = 0;
  for (const named_source& t : tools) {
    const std::vector<finding> found = lint(*t.source, d, w);
    items += detail::max_items_sum(w.view());
    const auto blocked =
        std::find_if(found.begin(), found.end(), [](const finding& f) { return f.done == action::blocked; });
    if (blocked != found.end()) {
      add(std::string{t.name}, d.strict ? finding_code::tool_not_strict : finding_code::tool_not_sendable,
          std::string{to_string(blocked->code)}, d.strict ? action::degraded : action::blocked);
      continue;
    }
    const features f = analyze_sent(w.view());
    ++strict_tools;
    optional += f.optional_parameter_count;
    unions += f.union_type_count;
  }
  const auto check = [&](finding_code code, std::uint64_t n, const limit& most) {
    if (most.present && static_cast<double>(n) > most.value)
      add(std::nullopt, code, detail::measured_over(n, most.value), action::degraded);
  };
  check(finding_code::strict_tools, strict_tools, d.max_strict_tools);
  check(finding_code::optional_parameters, optional, d.max_strict_optional_params);
  check(finding_code::union_types, unions, d.max_strict_union_types);
  if (d.advice_max_items_sum.present && items > d.advice_max_items_sum.value)
    add(std::nullopt, finding_code::max_items_sum,
        detail::number_text_of(items) + " > " + detail::number_text_of(d.advice_max_items_sum.value), action::advice);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace schema
}  // namespace v0_1
}  // namespace codemode
