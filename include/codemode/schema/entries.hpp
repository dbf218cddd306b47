#pragma once

/// @file
/// Lists of annotations, extras and limits, and how those of two nodes become one (schema.md 3.1, 3.8).

#include <codemode/schema/node.hpp>

#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace schema {

/// A list that is being made.
struct entry_list {
  index head = none;
  index tail = none;

  /// Adds an entry at the end; `base` is the index of the row's first entry.
  void add(std::vector<entry>& row, index key, index value, index base = 0) {
    const auto i = static_cast<index>(row.size()) + base;
    row.push_back({key, value, none});
    if (tail == none) head = i;
    else row[tail - base].next = i;
    tail = i;
  }
};

namespace detail {

/// Whether two keys are the same word. Layer: `json(index)`.
template <class Layer>
[[nodiscard]] bool same_key(const Layer& l, index a, index b) {
  if (a == b) return true;
  if (a < first_unknown_key || b < first_unknown_key) return false;
  return l.json(a - first_unknown_key).compare(l.json(b - first_unknown_key)) == 0;
}

}  // namespace detail

/// The entry with a key, or `none`. Layer: `get(index)`, `json(index)`.
template <class Layer>
[[nodiscard]] index find_entry(const Layer& l, index list, index key) {
  for (index i = list; i != none; i = l.get(i).next)
    if (detail::same_key(l, l.get(i).key, key)) return i;
  return none;
}
template <class Layer>
[[nodiscard]] index find_value(const Layer& l, index list, keyword k) {
  const index i = find_entry(l, list, entry_key(k));
  return i == none ? none : l.get(i).value;
}

/// Whether two lists have a key in common.
template <class Layer>
[[nodiscard]] bool share_key(const Layer& l, index a, index b) {
  for (index i = a; i != none; i = l.get(i).next)
    if (find_entry(l, b, l.get(i).key) != none) return true;
  return false;
}

/// `over` laid over `under`: what both have is of `over`. Layer: also `made()`, `base()`.
template <class Layer>
[[nodiscard]] index overlaid(const Layer& l, index over, index under) {
  if (over == none) return under;
  if (under == none) return over;
  entry_list out;
  for (index i = under; i != none; i = l.get(i).next) {
    const entry e = l.get(i);
    const index o = find_entry(l, over, e.key);
    out.add(l.made(), e.key, o == none ? e.value : l.get(o).value, l.base());
  }
  for (index i = over; i != none; i = l.get(i).next) {
    const entry e = l.get(i);
    if (find_entry(l, under, e.key) == none) out.add(l.made(), e.key, e.value, l.base());
  }
  return out.head;
}

/// Annotations of a wrapper over those inside: descriptions joined, others overriding (schema.md 3.1). Layer: also
/// `add_joined(a, b)`, the JSON string of both texts with a space between.
template <class Layer>
[[nodiscard]] index joined_over(const Layer& l, index outer, index inner) {
  if (outer == none) return inner;
  if (inner == none) return outer;
  const index a = find_value(l, outer, keyword::description);
  const index b = find_value(l, inner, keyword::description);
  const index out = overlaid(l, outer, inner);
  if (a != none && b != none && l.json(a).is_string() && l.json(b).is_string())
    l.made()[find_entry(l, out, entry_key(keyword::description)) - l.base()].value = l.add_joined(a, b);
  return out;
}

}  // namespace schema
}  // namespace v0_1
}  // namespace codemode
