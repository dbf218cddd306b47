#pragma once

/// @file
/// A tree, and above it what one descriptor makes of it: merged nodes, the root that is sent. Indices below a row's
/// length in the tree mean the tree's, the others mean what was made.

#include <codemode/schema/constants.hpp>
#include <codemode/schema/entries.hpp>
#include <codemode/schema/tree.hpp>

#include <string>
#include <utility>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace schema {

/// The two layers. Borrows the tree; keeps its memory from one use to the next.
class layers {
 public:
  void start(const tree& t) {
    tree_ = &t;
    rows_.clear();
    const rows& r = t.parts();
    nodes_ = static_cast<index>(r.nodes.size());
    links_ = static_cast<index>(r.links.size());
    properties_ = static_cast<index>(r.properties.size());
    entries_ = static_cast<index>(r.entries.size());
    json_ = t.json_count();
  }

  [[nodiscard]] const tree& source() const noexcept { return *tree_; }
  [[nodiscard]] index node_count() const noexcept { return nodes_ + static_cast<index>(rows_.nodes.size()); }
  [[nodiscard]] bool is_source(index node) const noexcept { return node < nodes_; }

  /// Valid until the next node is made.
  [[nodiscard]] const node& get_node(index i) const noexcept {
    return i < nodes_ ? tree_->parts().nodes[i] : rows_.nodes[i - nodes_];
  }
  [[nodiscard]] index link(index i) const noexcept {
    return i < links_ ? tree_->parts().links[i] : rows_.links[i - links_];
  }
  [[nodiscard]] const schema::property& property(index i) const noexcept {
    return i < properties_ ? tree_->parts().properties[i] : rows_.properties[i - properties_];
  }
  [[nodiscard]] const entry& get(index i) const noexcept {
    return i < entries_ ? tree_->parts().entries[i] : rows_.entries[i - entries_];
  }
  [[nodiscard]] json::element json(index i) const noexcept {
    return i < json_ ? tree_->json(i) : rows_.json.at(i - json_);
  }

  /// What entry operations ask of a layer.
  [[nodiscard]] std::vector<entry>& made() const noexcept { return rows_.entries; }
  [[nodiscard]] index base() const noexcept { return entries_; }
  [[nodiscard]] index add_joined(index a, index b) const {
    text_.assign("\"");
    text_.append(json(a).content());
    text_.append(" ");
    text_.append(json(b).content());
    text_.append("\"");
    return json_ + rows_.json.scalar(json::kind::string, text_);
  }

  [[nodiscard]] index add(const node& n) {
    rows_.nodes.push_back(n);
    return node_count() - 1;
  }
  [[nodiscard]] node& change(index i) noexcept { return rows_.nodes[i - nodes_]; }
  [[nodiscard]] index link_end() const noexcept { return links_ + static_cast<index>(rows_.links.size()); }
  void add_link(index i) { rows_.links.push_back(i); }
  [[nodiscard]] index property_end() const noexcept {
    return properties_ + static_cast<index>(rows_.properties.size());
  }
  void add_property(const schema::property& p) { rows_.properties.push_back(p); }

  [[nodiscard]] index definition_node(index d) const noexcept { return tree_->definitions()[d].node; }

  /// Whether a node is never, references followed.
  [[nodiscard]] bool is_never(index i) const noexcept {
    while (get_node(i).kind == node_kind::reference)
      i = get_node(i).a == root_definition ? tree_->root() : definition_node(get_node(i).a);
    return get_node(i).kind == node_kind::never;
  }
  /// Whether a property is sent: all are, but the optional ones that are never (3.3).
  [[nodiscard]] bool is_sent(const schema::property& p) const noexcept { return !p.optional || !is_never(p.value); }

  [[nodiscard]] bool same_name(index a, index b) const noexcept { return a == b || json(a).compare(json(b)) == 0; }

  template <class F>
  void for_children(const node& n, F f) const {
    switch (n.kind) {
      case node_kind::array:
      case node_kind::nullable: f(n.a); break;
      case node_kind::record:
        f(n.b);
        f(n.a);
        break;
      case node_kind::object:
        for (index i = 0; i < n.count; ++i) f(property(n.first + i).value);
        if (n.a != none && n.a != closed) f(n.a);
        break;
      case node_kind::tuple:
      case node_kind::union_of:
      case node_kind::all_of:
        for (index i = 0; i < n.count; ++i) f(link(n.first + i));
        if (n.kind == node_kind::tuple && n.a != none) f(n.a);
        break;
      default: break;
    }
  }

  /// Whether two sources are equal: the nodes are, annotations and extras included, pointers aside.
  [[nodiscard]] bool equal(index x, index y) const {
    if (x == y) return true;
    if (x >= closed || y >= closed) return false;
    const node& a = get_node(x);
    const node& b = get_node(y);
    if (a.kind != b.kind || a.count != b.count || a.declared != b.declared || a.one_of != b.one_of) return false;
    if (!equal_entries(a.limits, b.limits) || !equal_entries(a.annotations, b.annotations) ||
        !equal_entries(a.extras, b.extras))
      return false;
    switch (a.kind) {
      case node_kind::string:
      case node_kind::constant:
      case node_kind::enumeration:
        for (index i = 0; i < a.count; ++i)
          if (!json::same(json(link(a.first + i)), json(link(b.first + i)))) return false;
        return true;
      case node_kind::array:
      case node_kind::nullable: return equal(a.a, b.a);
      case node_kind::record: return equal(a.b, b.b) && equal(a.a, b.a);
      case node_kind::reference: return a.a == b.a;
      case node_kind::object:
        for (index i = 0; i < a.count; ++i) {
          const schema::property& p = property(a.first + i);
          const schema::property& q = property(b.first + i);
          if (p.optional != q.optional || !same_name(p.name, q.name) || !equal(p.value, q.value)) return false;
        }
        return equal(a.a, b.a);
      case node_kind::tuple:
        if (a.b != b.b || !equal(a.a, b.a)) return false;
        [[fallthrough]];
      case node_kind::union_of:
      case node_kind::all_of:
        for (index i = 0; i < a.count; ++i)
          if (!equal(link(a.first + i), link(b.first + i))) return false;
        return true;
      default: return true;
    }
  }

 private:
  [[nodiscard]] bool equal_entries(index a, index b) const {
    std::size_t n = 0;
    for (index i = a; i != none; i = get(i).next) {
      ++n;
      const index o = find_entry(*this, b, get(i).key);
      if (o == none || !json::same(json(get(i).value), json(get(o).value))) return false;
    }
    for (index i = b; i != none; i = get(i).next) {
      if (n == 0) return false;
      --n;
    }
    return n == 0;
  }

  const tree* tree_ = nullptr;
  mutable rows rows_;
  mutable std::string text_;
  index nodes_ = 0;
  index links_ = 0;
  index properties_ = 0;
  index entries_ = 0;
  index json_ = 0;
};

}  // namespace schema
}  // namespace v0_1
}  // namespace codemode
