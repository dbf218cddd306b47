#pragma once

/// @file
/// A source as one descriptor sees it: intersections resolved (schema.md 3.8), the root that is sent (3.11), defaults
/// that count (4.2).

#include <codemode/schema/descriptor.hpp>
#include <codemode/schema/layers.hpp>
#include <codemode/schema/loss.hpp>
#include <codemode/schema/merge.hpp>
#include <codemode/schema/validate.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace schema {

/// Something that was done to the root. What it shows to a model is a JSON value, or text (JSON string content).
struct root_change {
  index place = 0;
  keyword said = keyword::type;
  action done = action::dropped;
  index json = none;
  bool as_text = false;
};

/// Why a root cannot be sent.
struct root_block {
  reason_code code = reason_code::root_not_object;
  std::string_view subject{};  ///< static text
};

/// How an intersection is emitted.
enum class resolution : std::uint8_t { merged, superset, all_of, any_of };

/// One source under one descriptor. Borrows both; keeps its memory.
class perspective {
 public:
  void start(const tree& t, const descriptor& d, use purpose) {
    d_ = &d;
    output_ = purpose == use::output;
    l_.start(t);
    v_.start(l_);
    m_.start(l_, v_);
    defaults_.clear();
    united_.clear();
    objects_.clear();
    changes_.clear();
    fold_text_.clear();
    blocked_ = false;
    find_root();
  }

  [[nodiscard]] layers& parts() noexcept { return l_; }
  [[nodiscard]] const layers& parts() const noexcept { return l_; }
  [[nodiscard]] validator& checks() noexcept { return v_; }
  [[nodiscard]] merger& merges() noexcept { return m_; }
  [[nodiscard]] const descriptor& dialect() const noexcept { return *d_; }
  [[nodiscard]] bool output() const noexcept { return output_; }

  /// The root that is sent, and what was done to make it.
  [[nodiscard]] index root() const noexcept { return root_; }
  [[nodiscard]] bool can_be_sent() const noexcept { return !blocked_; }
  [[nodiscard]] const root_block& block() const noexcept { return block_; }
  [[nodiscard]] const std::vector<root_change>& changes() const noexcept { return changes_; }
  /// Required names of the alternatives of a folded root, as JSON string content.
  [[nodiscard]] std::string_view fold_text() const noexcept { return fold_text_; }

  [[nodiscard]] index target(const node& reference) const noexcept {
    return reference.a == root_definition ? root_ : l_.definition_node(reference.a);
  }
  /// Follows references from a node, at most once through each definition.
  [[nodiscard]] index followed(index i) const noexcept {
    for (std::size_t steps = 0; l_.get_node(i).kind == node_kind::reference; ++steps) {
      if (steps > l_.source().definitions().size() + 1) break;
      i = target(l_.get_node(i));
    }
    return i;
  }

  /// How an intersection is emitted, and the node in its place, if any. `again`: it is met inside itself.
  [[nodiscard]] resolution resolve(index all, index& other, bool again = false) {
    if (d_->merges() && !again) {
      other = m_.merged(all);
      if (other != none) return resolution::merged;
    }
    other = none;
    if (d_->allow_all_of) return resolution::all_of;
    if (!d_->strict) {
      if (again) {
        node any;
        any.place = l_.get_node(all).place;
        other = l_.add(any);
      } else {
        other = m_.superset(all);
      }
      return resolution::superset;
    }
    return resolution::any_of;
  }

  /// JSON value of a property's default, or `none` if it has none or its source refuses it.
  [[nodiscard]] index default_of(index i) {
    const index raw = raw_default(i);
    if (raw == none) return none;
    if (defaults_.size() <= i) defaults_.resize(l_.node_count(), unknown);
    if (defaults_[i] == unknown) {
      const index good = v_.accepts(i, l_.json(raw)) ? raw : none;
      defaults_[i] = good;
    }
    return defaults_[i];
  }
  [[nodiscard]] bool invalid_default(index i) { return raw_default(i) != none && default_of(i) == none; }

 private:
  static constexpr index unknown = 0xFFFF'FFF0U;

  [[nodiscard]] index raw_default(index i) {
    index annotations = l_.get_node(i).annotations;
    if (l_.get_node(i).kind == node_kind::all_of) {
      index other = none;
      (void)resolve(i, other);
      if (other != none) annotations = l_.get_node(other).annotations;
    }
    return find_value(l_, annotations, keyword::default_);
  }

  // ---------------------------------------------------------------- the root

  void find_root() {
    const index source = l_.source().root();
    root_ = source;
    const root_shape rule = d_->root_rule(output_);
    if (rule == root_shape::any || rule == root_shape::unknown) {
      if (asserts_nothing(l_.get_node(source))) root_ = bare_object(source);
      return;
    }
    index made = source;
    if (!shape(made, rule, 0)) {
      blocked_ = true;
      changes_.clear();
      root_ = source;
      return;
    }
    if (l_.get_node(made).place != l_.get_node(source).place) {
      node n = l_.get_node(made);
      n.place = l_.get_node(source).place;
      made = l_.add(n);
    }
    root_ = made;
  }

  bool refuse(reason_code code, std::string_view subject) {
    block_ = {code, subject};
    return false;
  }
  bool refuse(const node& n) { return refuse(reason_code::root_not_object, kind_name(n)); }
  [[nodiscard]] static std::string_view kind_name(const node& n) noexcept {
    return n.kind == node_kind::all_of || n.kind == node_kind::union_of ? to_string(n.made_by) : to_string(n.kind);
  }

  /// A node with the annotations and extras of a wrapper around it.
  [[nodiscard]] index unwrapped(const node& wrapper, index inner) {
    node n = l_.get_node(inner);
    n.annotations = joined_over(l_, wrapper.annotations, n.annotations);
    n.extras = overlaid(l_, n.extras, wrapper.extras);
    return l_.add(n);
  }

  [[nodiscard]] bool shape(index& made, root_shape rule, unsigned depth) {
    std::size_t references = 0;
    index at = made;
    for (;;) {
      const node n = l_.get_node(at);
      if (n.kind == node_kind::union_of && rule == root_shape::object && n.count == 1) {
        changes_.push_back({n.place, n.made_by, action::rewritten, none, false});
        at = unwrapped(n, l_.link(n.first));
      } else if (n.kind == node_kind::nullable) {
        changes_.push_back({n.place, n.made_by, action::dropped, none, false});
        at = unwrapped(n, n.a);
      } else if (n.kind == node_kind::reference) {
        if (n.a == root_definition || ++references > l_.source().definitions().size()) return refuse(n);
        at = unwrapped(n, l_.definition_node(n.a));
      } else if (n.kind == node_kind::all_of) {
        const index merged = m_.merged(at);
        if (merged != none) {
          changes_.push_back({n.place, n.made_by, action::rewritten, none, false});
          at = merged;
        } else if (!d_->strict) {
          changes_.push_back({n.place, n.made_by, action::widened, value_of(n), false});
          at = m_.superset(at);
        } else {
          return refuse(reason_code::allof_unsupported, to_string(n.made_by));
        }
      } else {
        break;
      }
    }
    made = at;
    const node n = l_.get_node(at);
    const bool open_record = d_->records == record_encoding::open_record;
    if (n.kind == node_kind::object || (n.kind == node_kind::record && open_record)) return true;
    if (asserts_nothing(n)) {
      made = bare_object(at);
      return true;
    }
    if (n.kind == node_kind::any && open_record) {
      made = map_of_any(n);
      return true;
    }
    if (n.kind == node_kind::union_of) return shape_union(made, rule, depth);
    return refuse(n);
  }

  /// JSON value of the keyword that made a node, in its source.
  [[nodiscard]] index value_of(const node& n) const {
    if (n.source != proof::view) return none;
    const json::element e = l_.json(n.json);
    if (!e.is_object()) return none;
    const auto v = e.find(to_string(n.made_by));
    return v ? l_.source().index_of(*v) : none;
  }

  /// Whether a root is for tools an object without properties.
  [[nodiscard]] bool asserts_nothing(const node& n) const noexcept {
    return !output_ && n.kind == node_kind::any && n.extras == none && n.lost == none;
  }
  [[nodiscard]] index bare_object(index any) {
    const node from = l_.get_node(any);
    node n;
    n.kind = node_kind::object;
    n.place = from.place;
    n.annotations = from.annotations;
    return l_.add(n);
  }
  [[nodiscard]] index map_of_any(const node& from) {
    node n;
    n.place = from.place;
    n.kind = node_kind::string;
    const index key = l_.add(n);
    n.kind = node_kind::any;
    const index value = l_.add(n);
    n.kind = node_kind::record;
    n.made_by = keyword::property_names;
    n.a = value;
    n.b = key;
    n.annotations = from.annotations;
    n.extras = from.extras;
    return l_.add(n);
  }

  // ---------------------------------------------------------------- unions at the root

  struct read_option {
    std::vector<index> objects;
    bool whole = false;
  };
  struct known_definition {
    index definition;
    read_option read;
  };

  [[nodiscard]] bool shape_union(index& made, root_shape rule, unsigned depth) {
    if (depth > max_depth) return refuse(l_.get_node(made));
    const node n = l_.get_node(made);
    std::vector<read_option> read(n.count);
    bool any = false;
    for (index i = 0; i < n.count; ++i) {
      if (!objects_of(l_.link(n.first + i), read[i], 0)) return refuse(n);
      any = any || !read[i].objects.empty();
    }
    if (!any) return refuse(n);
    if (rule == root_shape::object_or_union) {
      std::vector<index> stay;
      for (index i = 0; i < n.count; ++i)
        if (read[i].whole) stay.push_back(l_.link(n.first + i));
      if (stay.size() == n.count) return true;
      if (!stay.empty()) {
        changes_.push_back({n.place, n.made_by, action::dropped, value_of(n), false});
        if (stay.size() == 1) {
          made = unwrapped(n, stay[0]);
          return shape(made, rule, depth + 1);
        }
        node u = n;
        u.first = l_.link_end();
        u.count = static_cast<index>(stay.size());
        for (const index s : stay) l_.add_link(s);
        made = l_.add(u);
        return true;
      }
    }
    made = fold(n, read);
    return true;
  }

  static void add_once(std::vector<index>& to, const std::vector<index>& from) {
    for (const index i : from)
      if (std::find(to.begin(), to.end(), i) == to.end()) to.push_back(i);
  }

  /// The objects that an option stands for, and whether it is wholly made of objects. False: it blocks the root.
  [[nodiscard]] bool objects_of(index i, read_option& out, unsigned depth) {
    if (depth > max_depth) return true;
    const node n = l_.get_node(i);
    switch (n.kind) {
      case node_kind::object:
        out = {{i}, true};
        return true;
      case node_kind::reference: {
        for (const known_definition& k : objects_)
          if (k.definition == n.a) {
            out = k.read;
            return true;
          }
        const std::size_t slot = objects_.size();
        objects_.push_back({n.a, {}});
        read_option read;
        const index target = n.a == root_definition ? l_.source().root() : l_.definition_node(n.a);
        if (!objects_of(target, read, depth + 1)) return false;
        objects_[slot].read = read;
        out = std::move(read);
        return true;
      }
      case node_kind::nullable:
        if (!objects_of(n.a, out, depth + 1)) return false;
        out.whole = false;
        return true;
      case node_kind::union_of: {
        out.whole = true;
        for (index k = 0; k < n.count; ++k) {
          read_option part;
          if (!objects_of(l_.link(n.first + k), part, depth + 1)) return false;
          add_once(out.objects, part.objects);
          out.whole = out.whole && part.whole;
        }
        return true;
      }
      case node_kind::all_of: {
        const index merged = m_.merged(i);
        return objects_of(merged != none ? merged : m_.superset(i), out, depth + 1);
      }
      case node_kind::record:
      case node_kind::any: {
        if (d_->records != record_encoding::open_record) return false;
        node o;
        o.kind = node_kind::object;
        o.place = n.place;
        o.source = n.source;
        o.json = n.json;
        o.view = n.view;
        o.a = n.kind == node_kind::record ? n.a : i;
        out = {{l_.add(o)}, n.kind == node_kind::record};
        return true;
      }
      default:
        out = {};
        return true;
    }
  }

  [[nodiscard]] index fold(const node& n, const std::vector<read_option>& read) {
    std::vector<index> objects;
    for (const read_option& r : read) add_once(objects, r.objects);
    std::vector<property> props;
    std::vector<std::vector<index>> met;
    std::vector<std::size_t> required;
    for (const index o : objects) {
      const node object = l_.get_node(o);
      for (index i = 0; i < object.count; ++i) {
        const property p = l_.property(object.first + i);
        std::size_t k = 0;
        while (k < props.size() && !l_.same_name(props[k].name, p.name)) ++k;
        if (k == props.size()) {
          props.push_back({p.name, none, true});
          met.emplace_back();
          required.push_back(0);
        }
        met[k].push_back(p.value);
        required[k] += p.optional ? 0U : 1U;
      }
    }
    bool all_closed = true;
    index tail = none;
    for (const index o : objects) {
      const node object = l_.get_node(o);
      all_closed = all_closed && object.a == closed;
      if (tail == none && object.a != none && object.a != closed) tail = object.a;
    }
    for (std::size_t k = 0; k < props.size(); ++k) {
      props[k].value = fold_property(met[k]);
      props[k].optional = required[k] != objects.size() || met[k].size() != objects.size();
    }
    node folded = n;
    folded.kind = node_kind::object;
    folded.one_of = false;
    folded.remarks = none;
    folded.left_out = none;
    folded.first = l_.property_end();
    folded.count = static_cast<index>(props.size());
    for (const property& p : props) l_.add_property(p);
    folded.a = all_closed ? closed : tail;
    if (objects.size() > 1) {
      tell_alternatives(objects);
      // The fold only, not the intersection that led to it.
      changes_.erase(std::remove_if(changes_.begin(), changes_.end(),
                                    [](const root_change& c) { return c.done != action::dropped; }),
                     changes_.end());
      changes_.push_back({n.place, n.made_by, action::widened, none, true});
    } else if (read.size() > 1) {
      changes_.push_back({n.place, n.made_by, action::dropped, value_of(n), false});
    }
    return l_.add(folded);
  }

  void tell_alternatives(const std::vector<index>& objects) {
    fold_text_.clear();
    for (std::size_t o = 0; o < objects.size(); ++o) {
      if (o != 0) fold_text_.append(" | ");
      const node object = l_.get_node(objects[o]);
      bool first = true;
      for (index i = 0; i < object.count; ++i) {
        const property p = l_.property(object.first + i);
        if (p.optional) continue;
        if (!first) fold_text_.append(", ");
        first = false;
        fold_text_.append(l_.json(p.name).content());
      }
    }
  }

  [[nodiscard]] index fold_property(const std::vector<index>& nodes) {
    std::vector<index> kept;
    for (const index i : nodes) {
      if (l_.is_never(i)) continue;
      bool known = false;
      for (const index k : kept) known = known || l_.equal(i, k);
      if (!known) kept.push_back(i);
    }
    if (kept.empty()) return nodes[0];
    if (kept.size() == 1) return kept[0];
    const bool constants = std::all_of(kept.begin(), kept.end(), [&](index i) {
      const node_kind k = l_.get_node(i).kind;
      return k == node_kind::constant || k == node_kind::enumeration;
    });
    node n;
    n.place = l_.get_node(kept[0]).place;
    n.made_by = keyword::any_of;
    n.kind = node_kind::union_of;
    n.source = proof::options;
    n.first = l_.link_end();
    n.count = static_cast<index>(kept.size());
    for (const index k : kept) l_.add_link(k);
    const index u = l_.add(n);
    return constants ? united_enum(u) : u;
  }

 public:
  /// One enum of all values of a union's const and enum options (3.4).
  [[nodiscard]] index united_enum(index i) {
    if (united_.size() <= i) united_.resize(l_.node_count(), none);
    if (united_[i] != none) return united_[i];
    const node u = l_.get_node(i);
    node n;
    n.kind = node_kind::enumeration;
    n.made_by = keyword::enum_;
    n.place = u.place;
    n.source = proof::values;
    n.first = l_.link_end();
    bool first = true;
    bool mixed = false;
    for (index k = 0; k < u.count; ++k) {
      const node o = l_.get_node(l_.link(u.first + k));
      if (o.kind == node_kind::null) continue;
      const json_type t = implied_type(l_, o);
      mixed = mixed || (!first && t != n.declared);
      n.declared = t;
      first = false;
      for (index v = 0; v < o.count; ++v) {
        const index value = l_.link(o.first + v);
        bool known = false;
        for (index w = n.first; w < l_.link_end() && !known; ++w)
          known = json::same(l_.json(l_.link(w)), l_.json(value));
        if (!known) l_.add_link(value);
      }
    }
    if (mixed) n.declared = json_type::none;
    n.count = l_.link_end() - n.first;
    return united_[i] = l_.add(n);
  }

 private:
  const descriptor* d_ = nullptr;
  bool output_ = false;
  layers l_;
  validator v_;
  merger m_;
  index root_ = 0;
  bool blocked_ = false;
  root_block block_{};
  std::vector<root_change> changes_;
  std::string fold_text_;
  std::vector<index> defaults_;
  std::vector<index> united_;
  std::vector<known_definition> objects_;
};

}  // namespace schema
}  // namespace v0_1
}  // namespace codemode
