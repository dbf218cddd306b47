#pragma once

/// @file
/// Intersections: the one node that says the same, where there is one, and a superset where there is none
/// (schema.md 3.8).

#include <codemode/schema/layers.hpp>
#include <codemode/schema/validate.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace schema {

/// JSON type of what a node admits (integer counts as number, record as object, tuple as array), or `none`.
/// `root`: what references to the root mean.
[[nodiscard]] inline json_type type_class(const layers& l, index i, index root) {
  std::size_t steps = 0;
  while (l.get_node(i).kind == node_kind::reference) {
    if (++steps > l.source().definitions().size() + 1) return json_type::none;
    const index d = l.get_node(i).a;
    i = d == root_definition ? root : l.definition_node(d);
  }
  const node& n = l.get_node(i);
  switch (n.kind) {
    case node_kind::constant:
    case node_kind::enumeration: return common_type(l, n);
    case node_kind::integer:
    case node_kind::number: return json_type::number;
    case node_kind::record:
    case node_kind::object: return json_type::object;
    case node_kind::tuple:
    case node_kind::array: return json_type::array;
    case node_kind::string: return json_type::string;
    case node_kind::boolean: return json_type::boolean;
    case node_kind::null: return json_type::null;
    default: return json_type::none;
  }
}

/// Merges nodes. One merger serves one emission: it bounds the pairs that are put through the table, and remembers what
/// became of each intersection.
class merger {
 public:
  static constexpr unsigned max_nesting = 24;
  static constexpr std::size_t max_pairs = 32;
  static constexpr std::int32_t max_merges = 4096;

  void start(layers& l, validator& v) {
    l_ = &l;
    v_ = &v;
    left_ = max_merges;
    merged_.clear();
    supersets_.clear();
    trail_.clear();
  }

  /// The merged node of an intersection, its annotations joined as for a wrapper; `none` where it does not merge.
  [[nodiscard]] index merged(index all) {
    index& known = slot(merged_, all);
    if (known != unknown) return known;
    const index made = merge_all(all, 0);
    trail_.clear();
    return slot(merged_, all) = made;
  }

  /// The superset of an intersection.
  [[nodiscard]] index superset(index all) {
    index& known = slot(supersets_, all);
    if (known != unknown) return known;
    const index made = make_superset(all);
    return slot(supersets_, all) = made;
  }

 private:
  static constexpr index unknown = 0xFFFF'FFF0U;

  [[nodiscard]] index& slot(std::vector<index>& row, index i) {
    if (row.size() <= i) row.resize(l_->node_count(), unknown);
    return row[i];
  }
  [[nodiscard]] node get(index i) const { return l_->get_node(i); }

  /// `make` is a copy that may be changed: other lists, other pointers.
  [[nodiscard]] index add(node n) {
    n.remarks = none;
    n.left_out = none;
    return l_->add(n);
  }

  // ---------------------------------------------------------------- annotations and extras

  /// The first one given wins, different descriptions are joined.
  [[nodiscard]] index first_annotations(index a, index b) {
    if (a == none || b == none) return a == none ? b : a;
    const index x = find_value(*l_, a, keyword::description);
    const index y = find_value(*l_, b, keyword::description);
    const index out = overlaid(*l_, a, b);
    if (x != none && y != none && l_->json(x).is_string() && l_->json(y).is_string() &&
        !json::same(l_->json(x), l_->json(y)))
      l_->made()[find_entry(*l_, out, entry_key(keyword::description)) - l_->base()].value = l_->add_joined(x, y);
    return out;
  }
  /// Both lists of extras; false where they say different things.
  [[nodiscard]] bool join_extras(index a, index b, index& out) {
    for (index i = a; i != none; i = l_->get(i).next) {
      const index o = find_entry(*l_, b, l_->get(i).key);
      if (o != none && !json::same(l_->json(l_->get(i).value), l_->json(l_->get(o).value))) return false;
    }
    out = overlaid(*l_, a, b);
    return true;
  }
  /// A node with the annotations and extras of both.
  [[nodiscard]] index joined(node n, const node& a, const node& b) {
    n.annotations = first_annotations(a.annotations, b.annotations);
    if (!join_extras(a.extras, b.extras, n.extras)) return none;
    n.lost = overlaid(*l_, a.lost, b.lost);
    return add(n);
  }
  [[nodiscard]] index titles_of(index annotations) { return filtered(annotations, true); }
  [[nodiscard]] index without_titles(index i) {
    node n = get(i);
    n.annotations = filtered(n.annotations, false);
    return add(n);
  }
  /// Title and description of a list, or all but those.
  [[nodiscard]] index filtered(index list, bool titles) {
    entry_list out;
    for (index i = list; i != none; i = l_->get(i).next) {
      const entry e = l_->get(i);
      const bool title = e.key == entry_key(keyword::title) || e.key == entry_key(keyword::description);
      if (title == titles) out.add(l_->made(), e.key, e.value, l_->base());
    }
    return out.head;
  }

  // ---------------------------------------------------------------- the table

  [[nodiscard]] index merge_all(index all, unsigned depth) {
    const node outer = get(all);
    if (outer.count == 0) return none;
    const std::size_t mark = trail_.size();
    index made = follow(l_->link(outer.first), depth);
    trail_.resize(mark);
    for (index i = 1; made != none && i < outer.count; ++i) made = pair(made, l_->link(outer.first + i), depth);
    trail_.resize(mark);
    if (made == none) return none;
    node n = get(made);
    n.place = outer.place;
    n.source = outer.source;
    n.json = outer.json;
    n.view = outer.view;
    n.annotations = joined_over(*l_, outer.annotations, n.annotations);
    if (!join_extras(outer.extras, n.extras, n.extras)) return none;
    n.lost = overlaid(*l_, outer.lost, n.lost);
    // A merged enum or union keeps its list; what proves it is the intersection.
    return add(n);
  }

  /// Follows references and merges nested intersections. What was followed stays on the trail.
  [[nodiscard]] index follow(index i, unsigned depth) {
    for (;;) {
      const node n = get(i);
      if (n.kind == node_kind::reference) {
        for (const index t : trail_)
          if (t == n.a) return none;
        trail_.push_back(n.a);
        const index target = n.a == root_definition ? l_->source().root() : l_->definition_node(n.a);
        node copy = get(target);
        if (n.annotations != none || n.extras != none) {
          copy.annotations = joined_over(*l_, n.annotations, copy.annotations);
          if (!join_extras(n.extras, copy.extras, copy.extras)) return none;
        }
        i = add(copy);
      } else if (n.kind == node_kind::all_of) {
        // Nested intersections are merged anew.
        if (depth > max_nesting || ++nested_ > 4 * max_nesting) return none;
        i = merge_all(i, depth);
        --nested_;
        if (i == none) return none;
      } else {
        return i;
      }
    }
  }

  [[nodiscard]] index pair(index x, index y, unsigned depth) {
    if (--left_ < 0 || depth > max_nesting) return none;
    const std::size_t mark = trail_.size();
    const index a = follow(x, depth);
    if (a == none) return trail_.resize(mark), none;
    // The second one does not see what the first one followed.
    const std::size_t aside = aside_.size();
    aside_.insert(aside_.end(), trail_.begin() + static_cast<std::ptrdiff_t>(mark), trail_.end());
    trail_.resize(mark);
    const index b = follow(y, depth);
    trail_.insert(trail_.end(), aside_.begin() + static_cast<std::ptrdiff_t>(aside), aside_.end());
    aside_.resize(aside);
    index made = none;
    if (b != none) made = table(a, b, depth);
    trail_.resize(mark);
    if (made == none) return none;
    if (l_->is_source(made)) made = add(get(made));
    node& n = l_->change(made);
    n.place = get(a).place;
    n.source = proof::both;
    n.json = a;
    n.view = b;
    return made;
  }

  [[nodiscard]] static bool is_constant(const node& n) noexcept {
    return n.kind == node_kind::constant || n.kind == node_kind::enumeration;
  }

  [[nodiscard]] index table(index x, index y, unsigned depth) {
    const node a = get(x);
    const node b = get(y);
    using enum node_kind;
    if (a.kind == never || b.kind == never) return none;
    if (a.kind == any || b.kind == any) return joined(a.kind == any ? b : a, a, b);
    if (a.kind == union_of || b.kind == union_of) return unions(x, y, depth);
    if (a.kind == nullable || b.kind == nullable) return nullables(x, y, depth);
    if (is_constant(a) || is_constant(b)) return constants(a, b);
    const auto numeric = [](const node& n) { return n.kind == number || n.kind == integer; };
    if (numeric(a) && numeric(b)) {
      node n = a;
      n.kind = a.kind == integer || b.kind == integer ? integer : number;
      return tighter(a.limits, b.limits, n.limits) ? joined(n, a, b) : none;
    }
    const auto mapping = [](const node& n) { return n.kind == object || n.kind == record; };
    if (mapping(a) && mapping(b)) return objects(a, b, depth);
    if (a.kind != b.kind) return none;
    switch (a.kind) {
      case string: return strings(a, b);
      case array: {
        node n = a;
        if (!tighter(a.limits, b.limits, n.limits)) return none;
        n.a = both(a.a, b.a, depth);
        return n.a == none ? none : joined(n, a, b);
      }
      case boolean:
      case null: return joined(a, a, b);
      case tuple: return l_->equal(x, y) ? joined(a, a, b) : none;
      default: return none;
    }
  }

  /// Nested merge; equal sources stay as they are.
  [[nodiscard]] index both(index a, index b, unsigned depth) { return l_->equal(a, b) ? a : pair(a, b, depth + 1); }

  [[nodiscard]] index unions(index x, index y, unsigned depth) {
    const node a = get(x);
    const node b = get(y);
    const auto options = [&](index i, const node& n) {
      std::vector<index> out;
      if (n.kind != node_kind::union_of) out.push_back(without_titles(i));
      else
        for (index k = 0; k < n.count; ++k) out.push_back(l_->link(n.first + k));
      return out;
    };
    const std::vector<index> left = options(x, a);
    const std::vector<index> right = options(y, b);
    if (left.size() * right.size() > max_pairs) return none;
    std::vector<index> made;
    for (const index p : left)
      for (const index q : right) {
        const json_type s = type_class(*l_, p, l_->source().root());
        const json_type t = type_class(*l_, q, l_->source().root());
        if (s != json_type::none && t != json_type::none && s != t) continue;
        const index one = pair(p, q, depth + 1);
        if (one == none) return none;
        made.push_back(one);
      }
    if (made.empty()) return none;
    index annotations = none;
    index extras = none;
    for (const node* n : {&a, &b}) {
      if (n->kind == node_kind::union_of) {
        annotations = first_annotations(annotations, n->annotations);
        if (!join_extras(extras, n->extras, extras)) return none;
      } else {
        annotations = first_annotations(annotations, titles_of(n->annotations));
      }
    }
    if (made.size() == 1) {
      node n = get(made[0]);
      n.annotations = joined_over(*l_, annotations, n.annotations);
      return join_extras(extras, n.extras, n.extras) ? add(n) : none;
    }
    node n = a.kind == node_kind::union_of ? a : b;
    n.one_of = (a.kind == node_kind::union_of && a.one_of) || (b.kind == node_kind::union_of && b.one_of);
    n.annotations = annotations;
    n.extras = extras;
    n.first = l_->link_end();
    n.count = static_cast<index>(made.size());
    for (const index o : made) l_->add_link(o);
    return add(n);
  }

  [[nodiscard]] index nullables(index x, index y, unsigned depth) {
    const node a = get(x);
    const node b = get(y);
    if (a.kind == b.kind) {
      node n = a;
      n.a = both(a.a, b.a, depth);
      return n.a == none ? none : joined(n, a, b);
    }
    const auto opened = [&](index i, const node& n) {
      if (n.kind != node_kind::nullable) return i;
      node inner = get(n.a);
      inner.annotations = joined_over(*l_, n.annotations, inner.annotations);
      if (!join_extras(n.extras, inner.extras, inner.extras)) return none;
      return add(inner);
    };
    const index p = opened(x, a);
    const index q = opened(y, b);
    return p == none || q == none ? none : pair(p, q, depth + 1);
  }

  [[nodiscard]] index constants(const node& a, const node& b) {
    node n = a;
    const index first = l_->link_end();
    if (is_constant(a) && is_constant(b)) {
      for (index i = 0; i < a.count; ++i)
        for (index k = 0; k < b.count; ++k)
          if (json::same(l_->json(l_->link(a.first + i)), l_->json(l_->link(b.first + k)))) {
            l_->add_link(l_->link(a.first + i));
            break;
          }
      if (a.kind == node_kind::constant || b.kind == node_kind::constant) n.kind = node_kind::constant;
      if (n.declared == json_type::none) n.declared = b.declared;
    } else {
      const node& fixed = is_constant(a) ? a : b;
      const node& scalar = is_constant(a) ? b : a;
      json_type t = json_type::none;
      switch (scalar.kind) {
        case node_kind::string: t = json_type::string; break;
        case node_kind::number: t = json_type::number; break;
        case node_kind::integer: t = json_type::integer; break;
        case node_kind::boolean: t = json_type::boolean; break;
        default: return none;
      }
      if (constrained(scalar)) return none;
      n = fixed;
      for (index i = 0; i < fixed.count; ++i)
        if (is_of_type(l_->json(l_->link(fixed.first + i)), t)) l_->add_link(l_->link(fixed.first + i));
      if (n.declared == json_type::none) n.declared = t;
    }
    n.first = first;
    n.count = l_->link_end() - first;
    return n.count == 0 ? none : joined(n, a, b);
  }
  /// Whether a scalar has a constraint; the format of a number is none.
  [[nodiscard]] bool constrained(const node& n) const {
    if (n.kind == node_kind::string) return n.count != 0 || n.limits != none;
    for (index i = n.limits; i != none; i = l_->get(i).next)
      if (l_->get(i).key != entry_key(keyword::format)) return true;
    return false;
  }

  /// The limits of both. False where something that has no order differs.
  [[nodiscard]] bool tighter(index a, index b, index& out) {
    entry_list made;
    for (index i = a; i != none; i = l_->get(i).next) {
      entry e = l_->get(i);
      const index o = find_entry(*l_, b, e.key);
      if (o != none) {
        const json::element x = l_->json(e.value);
        const json::element y = l_->json(l_->get(o).value);
        switch (static_cast<keyword>(e.key)) {
          case keyword::minimum:
          case keyword::exclusive_minimum:
          case keyword::min_length:
          case keyword::min_items:
            if (json::to_double(y.raw()) > json::to_double(x.raw())) e.value = l_->get(o).value;
            break;
          case keyword::maximum:
          case keyword::exclusive_maximum:
          case keyword::max_length:
          case keyword::max_items:
            if (json::to_double(y.raw()) < json::to_double(x.raw())) e.value = l_->get(o).value;
            break;
          default:
            if (!number_format(e.key) && !json::same(x, y)) return false;
            break;
        }
      }
      made.add(l_->made(), e.key, e.value, l_->base());
    }
    for (index i = b; i != none; i = l_->get(i).next) {
      const entry e = l_->get(i);
      if (find_entry(*l_, a, e.key) == none) made.add(l_->made(), e.key, e.value, l_->base());
    }
    out = made.head;
    return true;
  }
  [[nodiscard]] bool number_format(index key) const noexcept {
    return numbers_ && key == entry_key(keyword::format);
  }

  [[nodiscard]] index strings(const node& a, const node& b) {
    node n = a;
    numbers_ = false;
    const bool good = tighter(a.limits, b.limits, n.limits);
    numbers_ = true;
    if (!good) return none;
    n.first = l_->link_end();
    for (const node* s : {&a, &b})
      for (index i = 0; i < s->count; ++i) {
        const index p = l_->link(s->first + i);
        bool known = false;
        for (index k = n.first; k < l_->link_end(); ++k) known = known || json::same(l_->json(l_->link(k)), l_->json(p));
        if (!known) l_->add_link(p);
      }
    n.count = l_->link_end() - n.first;
    return joined(n, a, b);
  }

  // ---------------------------------------------------------------- objects

  [[nodiscard]] index find_property(const node& n, index name, index hint) const {
    // Two objects mostly list what they share in the same order.
    for (index k = 0; k < n.count; ++k) {
      const index i = n.first + (hint + k) % n.count;
      if (l_->same_name(l_->property(i).name, name)) return i;
    }
    return none;
  }

  [[nodiscard]] index objects(const node& a, const node& b, unsigned depth) {
    if (a.kind == node_kind::record && b.kind == node_kind::record) {
      node n = a;
      n.b = both(a.b, b.b, depth);
      if (n.b == none) return none;
      n.a = both(a.a, b.a, depth);
      return n.a == none ? none : joined(n, a, b);
    }
    const auto empty = [](const node& n) { return n.kind == node_kind::object && n.count == 0 && n.a == none; };
    if (a.kind == node_kind::record && empty(b)) return joined(a, a, b);
    if (b.kind == node_kind::record && empty(a)) return joined(b, a, b);
    node left = a;
    node right = b;
    if (!as_object(left) || !as_object(right)) return none;
    std::vector<property> props;
    index hint = 0;
    for (index i = 0; i < left.count; ++i) {
      const property p = l_->property(left.first + i);
      const index found = right.count == 0 ? none : find_property(right, p.name, hint);
      if (found == none) {
        if (!undeclared(p, b, right.a, depth, props)) return none;
        continue;
      }
      hint = found - right.first + 1;
      const property q = l_->property(found);
      const index value = both(p.value, q.value, depth);
      if (value == none) return none;
      props.push_back({p.name, value, p.optional && q.optional});
    }
    hint = 0;
    for (index i = 0; i < right.count; ++i) {
      const property q = l_->property(right.first + i);
      const index found = left.count == 0 ? none : find_property(left, q.name, hint);
      if (found != none) {
        hint = found - left.first + 1;
        continue;
      }
      if (!undeclared(q, a, left.a, depth, props)) return none;
    }
    index tail = none;
    if (left.a == closed || right.a == closed) tail = closed;
    else if (left.a != none && right.a != none) {
      if (get(left.a).kind == node_kind::any) tail = right.a;
      else if (get(right.a).kind == node_kind::any) tail = left.a;
      else {
        tail = both(left.a, right.a, depth);
        if (tail == none) return none;
      }
    } else {
      tail = left.a != none ? left.a : right.a;
    }
    node n = a.kind == node_kind::object ? a : b;
    n.first = l_->property_end();
    n.count = static_cast<index>(props.size());
    for (const property& p : props) l_->add_property(p);
    n.a = tail;
    return joined(n, a, b);
  }
  /// Reads a record as an object without properties, which only one with free keys can be.
  [[nodiscard]] bool as_object(node& n) const {
    if (n.kind == node_kind::object) return true;
    const node& key = l_->get_node(n.b);
    if (key.kind != node_kind::string || key.limits != none || key.count != 0 || key.extras != none) return false;
    n.count = 0;
    n.first = 0;
    return true;
  }
  /// Adds a property that the other object does not declare.
  [[nodiscard]] bool undeclared(const property& p, const node& other, index tail, unsigned depth,
                                std::vector<property>& out) {
    if (tail == closed && !matches_pattern(p, other)) return p.optional;
    if (tail != none && tail != closed && get(tail).kind != node_kind::any) {
      const index value = both(p.value, tail, depth);
      if (value == none) return false;
      out.push_back({p.name, value, p.optional});
      return true;
    }
    out.push_back(p);
    return true;
  }
  [[nodiscard]] bool matches_pattern(const property& p, const node& other) {
    const index patterns = find_value(*l_, other.extras, keyword::pattern_properties);
    if (patterns == none || patterns >= l_->source().source_count()) return false;
    std::string name;
    l_->json(p.name).decode(name);
    const json::element map = l_->json(patterns);
    if (!map.is_object()) return false;
    for (const json::member m : map.members())
      if (v_->occurs(l_->source().index_of(m.key), name)) return true;
    return false;
  }

  // ---------------------------------------------------------------- superset

  [[nodiscard]] index make_superset(index all) {
    const node outer = get(all);
    std::vector<index> flat;
    std::vector<index> seen;
    flatten(all, flat, seen, 0);
    bool objects = false;
    for (const index i : flat) objects = objects || get(i).kind == node_kind::object;
    if (!objects) {
      node chosen;
      chosen.place = outer.place;
      for (const index i : flat)
        if (get(i).kind != node_kind::any) {
          chosen = get(i);
          break;
        }
      chosen.annotations = joined_over(*l_, outer.annotations, chosen.annotations);
      return add(chosen);
    }
    std::vector<property> props;
    bool all_closed = true;
    node n;
    n.kind = node_kind::object;
    n.made_by = outer.made_by;
    for (const index i : flat) {
      const node m = get(i);
      all_closed = all_closed && m.kind == node_kind::object && m.a == closed;
      if (m.kind != node_kind::object) continue;
      n.annotations = first_annotations(n.annotations, m.annotations);
      for (index k = 0; k < m.count; ++k) {
        const property p = l_->property(m.first + k);
        property* known = nullptr;
        for (property& q : props)
          if (l_->same_name(q.name, p.name)) known = &q;
        if (known == nullptr) {
          props.push_back(p);
        } else {
          known->optional = known->optional && p.optional;
        }
      }
    }
    n.place = outer.place;
    n.source = outer.source;
    n.json = outer.json;
    n.view = outer.view;
    n.first = l_->property_end();
    n.count = static_cast<index>(props.size());
    for (const property& p : props) l_->add_property(p);
    n.a = all_closed ? closed : none;
    n.annotations = joined_over(*l_, outer.annotations, n.annotations);
    return add(n);
  }

  void flatten(index i, std::vector<index>& out, std::vector<index>& seen, unsigned depth) {
    if (depth > 4 * max_depth) return;
    const node n = get(i);
    switch (n.kind) {
      case node_kind::reference:
        for (const index s : seen)
          if (s == n.a) return;
        seen.push_back(n.a);
        flatten(n.a == root_definition ? l_->source().root() : l_->definition_node(n.a), out, seen, depth + 1);
        return;
      case node_kind::all_of:
        for (index k = 0; k < n.count; ++k) flatten(l_->link(n.first + k), out, seen, depth + 1);
        return;
      case node_kind::nullable: flatten(n.a, out, seen, depth + 1); return;
      default: out.push_back(i); return;
    }
  }

  layers* l_ = nullptr;
  validator* v_ = nullptr;
  std::int32_t left_ = max_merges;
  unsigned nested_ = 0;
  bool numbers_ = true;
  std::vector<index> trail_;
  std::vector<index> aside_;
  std::vector<index> merged_;
  std::vector<index> supersets_;
};

}  // namespace schema
}  // namespace v0_1
}  // namespace codemode
