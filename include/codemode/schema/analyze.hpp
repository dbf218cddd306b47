#pragma once

/// @file
/// Counting what providers limit (schema.md 5).

#include <codemode/schema/perspective.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace schema {

/// Counters end here.
inline constexpr std::uint64_t saturated_count = (std::uint64_t{1} << 53U) - 1U;

/// What a schema holds. `enums` lists the first 4,096; `enum_values` sums all.
struct features {
  static constexpr std::size_t max_listed_enums = 4096;
  struct enum_size {
    std::uint64_t value_count = 0;
    std::uint64_t string_value_chars = 0;
    friend bool operator==(const enum_size&, const enum_size&) = default;
  };

  bool has_recursion = false;
  std::uint64_t optional_parameter_count = 0;
  std::uint64_t union_type_count = 0;
  std::uint64_t record_count = 0;
  std::uint64_t tuple_count = 0;
  std::uint64_t object_property_count = 0;
  std::uint64_t string_size_chars = 0;
  std::uint64_t max_nesting_depth = 0;
  std::uint64_t enum_values = 0;
  std::vector<enum_size> enums{};
};

/// A violated bound of `schemaSizeLimits`.
struct size_problem {
  std::string_view code{};  ///< static text
  std::uint64_t measured = 0;
  double bound = 0;
};

namespace detail {

class analyzer {
 public:
  explicit analyzer(const layers& l) : l_(l) {}

  [[nodiscard]] features run(index root) {
    features f;
    path_.assign(l_.source().definitions().size(), 0);
    walk(f, root, 0, 0);
    if (!tangled_) return f;
    features all;
    all.has_recursion = true;
    all.optional_parameter_count = all.union_type_count = all.record_count = all.tuple_count = saturated_count;
    all.object_property_count = all.string_size_chars = all.max_nesting_depth = all.enum_values = saturated_count;
    return all;
  }

 private:
  static constexpr std::size_t max_memos = 16'384;

  static void add(std::uint64_t& to, std::uint64_t n) noexcept { to = (std::min)(saturated_count, to + n); }

  [[nodiscard]] static std::uint64_t chars(const json::element& s) noexcept {
    std::uint64_t n = 0;
    if (!s.escaped()) {
      for (const char c : s.content()) n += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1U : 0U;
      return n;
    }
    text::json_string_reader r(s.raw());
    for (; !r.done(); ++n) (void)r.next();
    return n;
  }

  /// Definitions that one reaches, sorted.
  [[nodiscard]] const std::vector<index>& reached(index d) {
    if (reach_.empty()) {
      reach_.resize(l_.source().definitions().size());
      known_.assign(reach_.size(), 0);
    }
    if (known_[d] != 0) return reach_[d];
    known_[d] = 1;
    std::vector<index> todo{l_.definition_node(d)};
    std::vector<index>& found = reach_[d];
    while (!todo.empty()) {
      const node& n = l_.get_node(todo.back());
      todo.pop_back();
      if (n.kind != node_kind::reference) {
        l_.for_children(n, [&](index c) { todo.push_back(c); });
        continue;
      }
      if (n.a == root_definition) continue;
      const auto at = std::lower_bound(found.begin(), found.end(), n.a);
      if (at != found.end() && *at == n.a) continue;
      found.insert(at, n.a);
      todo.push_back(l_.definition_node(n.a));
    }
    return found;
  }

  void reference(features& f, index d, std::uint64_t depth, std::uint32_t level) {
    if (d == root_definition || path_[d] != 0) {
      f.has_recursion = true;
      return;
    }
    // Counted once for each set of definitions on the path that it reaches.
    std::string key(reinterpret_cast<const char*>(&d), sizeof d);
    std::vector<index> kept;
    for (const index r : reached(d))
      if (path_[r] != 0) {
        key.append(reinterpret_cast<const char*>(&r), sizeof r);
        kept.push_back(r);
      }
    auto known = memo_.find(key);
    if (known == memo_.end()) {
      if (memo_.size() >= max_memos) {
        tangled_ = true;
        return;
      }
      known = memo_.emplace(std::move(key), features{}).first;
      // What is on the path and not reached makes no difference.
      std::vector<std::uint8_t> outer(path_.size(), 0);
      std::swap(outer, path_);
      for (const index r : kept) path_[r] = 1;
      path_[d] = 1;
      features sub;
      walk(sub, l_.definition_node(d), 0, level + 1);
      std::swap(outer, path_);
      known->second = std::move(sub);
    }
    const features& sub = known->second;
    f.has_recursion = f.has_recursion || sub.has_recursion;
    add(f.optional_parameter_count, sub.optional_parameter_count);
    add(f.union_type_count, sub.union_type_count);
    add(f.record_count, sub.record_count);
    add(f.tuple_count, sub.tuple_count);
    add(f.object_property_count, sub.object_property_count);
    add(f.string_size_chars, sub.string_size_chars);
    add(f.enum_values, sub.enum_values);
    f.max_nesting_depth = (std::max)(f.max_nesting_depth, (std::min)(saturated_count, depth + sub.max_nesting_depth));
    const std::size_t room = features::max_listed_enums - f.enums.size();
    f.enums.insert(f.enums.end(), sub.enums.begin(),
                   sub.enums.begin() + static_cast<std::ptrdiff_t>((std::min)(room, sub.enums.size())));
  }

  void walk(features& f, index i, std::uint64_t depth, std::uint32_t level) {
    if (tangled_) return;
    if (level > 4 * max_depth) {
      tangled_ = true;
      return;
    }
    const node& n = l_.get_node(i);
    const auto deeper = [&](std::uint64_t by) {
      depth += by;
      f.max_nesting_depth = (std::max)(f.max_nesting_depth, depth);
    };
    switch (n.kind) {
      case node_kind::reference: reference(f, n.a, depth, level); return;
      case node_kind::constant:
      case node_kind::enumeration: {
        std::uint64_t strings = 0;
        for (index k = 0; k < n.count; ++k) {
          const json::element v = l_.json(l_.link(n.first + k));
          if (v.is_string()) strings += chars(v);
        }
        add(f.string_size_chars, strings);
        if (n.kind == node_kind::enumeration) {
          add(f.enum_values, n.count);
          if (f.enums.size() < features::max_listed_enums) f.enums.push_back({n.count, strings});
        }
        return;
      }
      case node_kind::object:
        deeper(1);
        for (index k = 0; k < n.count; ++k) {
          const property& p = l_.property(n.first + k);
          if (!l_.is_sent(p)) continue;
          add(f.object_property_count, 1);
          add(f.string_size_chars, chars(l_.json(p.name)));
          add(f.optional_parameter_count, p.optional ? 1 : 0);
          walk(f, p.value, depth, level + 1);
        }
        if (n.a != none && n.a != closed) walk(f, n.a, depth, level + 1);
        return;
      case node_kind::record:
        add(f.record_count, 1);
        add(f.object_property_count, 2);
        add(f.string_size_chars, 8);
        deeper(2);
        break;
      case node_kind::tuple: {
        add(f.tuple_count, 1);
        add(f.object_property_count, n.count);
        add(f.string_size_chars, n.count);
        add(f.optional_parameter_count, n.count - n.b);
        bool differs = false;
        index first = none;
        l_.for_children(n, [&](index c) {
          if (first == none) first = c;
          else differs = differs || !l_.equal(first, c);
        });
        if (differs) add(f.union_type_count, 1);
        deeper(1);
        break;
      }
      case node_kind::array: deeper(1); break;
      case node_kind::union_of:
      case node_kind::nullable: add(f.union_type_count, 1); break;
      default: break;
    }
    l_.for_children(n, [&](index c) { walk(f, c, depth, level + 1); });
  }

  const layers& l_;
  bool tangled_ = false;
  std::vector<std::uint8_t> path_;
  std::vector<std::vector<index>> reach_;
  std::vector<std::uint8_t> known_;
  std::unordered_map<std::string, features> memo_;
};

}  // namespace detail

/// Counts of what is in the workspace's view, from the root that is sent.
[[nodiscard]] inline features analyze_sent(const perspective& v) {
  return detail::analyzer{v.parts()}.run(v.root());
}

/// Counts of a source.
[[nodiscard]] inline features analyze(const tree& source) {
  layers l;
  l.start(source);
  return detail::analyzer{l}.run(source.root());
}

/// Every violated size bound of a descriptor, in a fixed order; empty when it has none.
[[nodiscard]] inline std::vector<size_problem> check_sizes(const features& f, const descriptor& d) {
  std::vector<size_problem> out;
  if (!d.sizes.present) return out;
  const auto check = [&](std::string_view code, std::uint64_t measured, const limit& bound) {
    if (bound.present && static_cast<double>(measured) > bound.value) out.push_back({code, measured, bound.value});
  };
  check("maxObjectProperties", f.object_property_count, d.sizes.object_properties);
  check("maxNestingDepth", f.max_nesting_depth, d.sizes.nesting_depth);
  check("maxTotalStringChars", f.string_size_chars, d.sizes.total_string_chars);
  check("maxTotalEnumValues", f.enum_values, d.sizes.total_enum_values);
  for (const features::enum_size& e : f.enums)
    if (d.sizes.large_enum_value_count.present &&
        static_cast<double>(e.value_count) > d.sizes.large_enum_value_count.value)
      check("maxLargeEnumStringChars", e.string_value_chars, d.sizes.large_enum_string_chars);
  return out;
}

}  // namespace schema
}  // namespace v0_1
}  // namespace codemode
