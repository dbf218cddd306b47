#pragma once

/// @file
/// An emitted schema while it is being made: a tree whose objects can still change, in rows that keep their memory.

#include <codemode/schema/layers.hpp>
#include <codemode/text/json_text.hpp>
#include <codemode/text/sink.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace schema {

/// The schema in the making. Values are named by index.
class draft {
 public:
  enum class kind : std::uint8_t {
    object, array,
    json,       ///< a value of the source: `a`
    literal,    ///< static JSON text: `text`, `a` bytes
    made,       ///< JSON text of ours: `a`, `b` bytes
    content,    ///< content of a JSON string of ours: `a`, `b` bytes
    reference   ///< a `$ref` value: definition `a`
  };
  struct item {
    kind what = kind::object;
    index a = none;  ///< first cell of a container
    index b = none;  ///< last cell
    const char* text = nullptr;
  };
  struct cell {
    index key = none;
    index value = none;
    index next = none;
  };
  /// Keys: a keyword, 64 plus a JSON string of the source, or this bit and a made text.
  static constexpr index made_key = 0x8000'0000U;
  /// In place of a definition: the one that says anything.
  static constexpr index any_definition = 0xFFFF'FFFCU;

  void start(const layers& l) {
    l_ = &l;
    items_.clear();
    cells_.clear();
    text_.clear();
    made_keys_.clear();
  }

  [[nodiscard]] const item& at(index i) const noexcept { return items_[i]; }
  [[nodiscard]] const cell& cell_at(index i) const noexcept { return cells_[i]; }
  [[nodiscard]] std::string& text() noexcept { return text_; }
  [[nodiscard]] const std::string& made_text() const noexcept { return text_; }

  [[nodiscard]] index object() { return add({}); }
  [[nodiscard]] index array() { return add({kind::array}); }
  [[nodiscard]] index json(index i) { return add({kind::json, i}); }
  [[nodiscard]] index literal(std::string_view s) {
    return add({kind::literal, static_cast<index>(s.size()), none, s.data()});
  }
  [[nodiscard]] index reference(index definition) { return add({kind::reference, definition}); }
  /// The text from `from` to the end of `text()`, as JSON or as content of a string.
  [[nodiscard]] index made(std::size_t from, bool content) {
    return add({content ? kind::content : kind::made, static_cast<index>(from), static_cast<index>(text_.size() - from)});
  }
  [[nodiscard]] index made_name(std::string_view name) {
    const std::size_t from = text_.size();
    text::append_json_content(text_, name);
    made_keys_.push_back(made(from, true));
    return made_key | static_cast<index>(made_keys_.size() - 1);
  }
  /// The value that a made key is.
  [[nodiscard]] index made_name_value(index key) const noexcept { return made_keys_[key & ~made_key]; }

  /// Appends a member.
  void add_member(index object, index key, index value) {
    const auto c = static_cast<index>(cells_.size());
    cells_.push_back({key, value, none});
    item& o = items_[object];
    if (o.b == none) o.a = c;
    else cells_[o.b].next = c;
    o.b = c;
  }
  void add_item(index array, index value) { add_member(array, none, value); }

  /// The value of a keyword, or `none`.
  [[nodiscard]] index get(index object, keyword k) const noexcept {
    if (items_[object].what != kind::object) return none;
    for (index c = items_[object].a; c != none; c = cells_[c].next)
      if (cells_[c].key == entry_key(k)) return cells_[c].value;
    return none;
  }
  [[nodiscard]] bool has(index object, keyword k) const noexcept { return get(object, k) != none; }
  /// Sets a keyword, in its place if it is there.
  void set(index object, keyword k, index value) { set_key(object, entry_key(k), value); }
  void set_key(index object, index key, index value) {
    for (index c = items_[object].a; c != none; c = cells_[c].next)
      if (cells_[c].key == key) {
        cells_[c].value = value;
        return;
      }
    add_member(object, key, value);
  }
  void set(index object, keyword k, std::string_view json_text) { set(object, k, literal(json_text)); }
  /// Takes a keyword away; its value, or `none`.
  index take(index object, keyword k) noexcept {
    item& o = items_[object];
    index before = none;
    for (index c = o.a; c != none; before = c, c = cells_[c].next) {
      if (cells_[c].key != entry_key(k)) continue;
      if (before == none) o.a = cells_[c].next;
      else cells_[before].next = cells_[c].next;
      if (o.b == c) o.b = before;
      return cells_[c].value;
    }
    return none;
  }
  [[nodiscard]] std::size_t count(index container) const noexcept {
    std::size_t n = 0;
    for (index c = items_[container].a; c != none; c = cells_[c].next) ++n;
    return n;
  }
  [[nodiscard]] index first(index container) const noexcept { return cells_[items_[container].a].value; }
  /// Whether an object consists of this keyword alone.
  [[nodiscard]] bool is_only(index object, keyword k) const noexcept {
    const item& o = items_[object];
    return o.what == kind::object && o.a != none && o.a == o.b && cells_[o.a].key == entry_key(k);
  }

  [[nodiscard]] index copy(index i) {
    const item from = items_[i];
    if (from.what != kind::object && from.what != kind::array) return i;
    const index made = add({from.what});
    for (index c = from.a; c != none; c = cells_[c].next) {
      const cell x = cells_[c];
      const index value = copy(x.value);
      add_member(made, x.key, value);
    }
    return made;
  }

  /// JSON equality.
  [[nodiscard]] bool same(index x, index y) const {
    if (x == y) return true;
    const item& a = items_[x];
    const item& b = items_[y];
    if (a.what == kind::object && b.what == kind::object) {
      if (count(x) != count(y)) return false;
      for (index c = a.a; c != none; c = cells_[c].next) {
        const index other = find(y, cells_[c].key);
        if (other == none || !same(cells_[c].value, other)) return false;
      }
      return true;
    }
    if (a.what == kind::array && b.what == kind::array) {
      index d = b.a;
      for (index c = a.a; c != none; c = cells_[c].next, d = cells_[d].next)
        if (d == none || !same(cells_[c].value, cells_[d].value)) return false;
      return d == none;
    }
    if (a.what == kind::json && b.what == kind::json) return json::same(l_->json(a.a), l_->json(b.a));
    if (a.what == kind::reference || b.what == kind::reference) return a.what == b.what && a.a == b.a;
    if (a.what <= kind::array || b.what <= kind::array) return false;
    std::string s;
    std::string t;
    write(x, s);
    write(y, t);
    return s == t;
  }

  /// Schema objects in a schema: itself and all that stand where a schema stands (3.1).
  [[nodiscard]] std::size_t size(index schema) const {
    std::size_t n = 0;
    std::vector<index> todo{schema};
    const auto all = [&](index container) {
      if (items_[container].what == kind::json) {
        n += l_->json(items_[container].a).size();
        return;
      }
      for (index c = items_[container].a; c != none; c = cells_[c].next) todo.push_back(cells_[c].value);
    };
    while (!todo.empty()) {
      const index s = todo.back();
      todo.pop_back();
      ++n;
      if (items_[s].what != kind::object) continue;
      for (index c = items_[s].a; c != none; c = cells_[c].next) {
        if (cells_[c].key >= first_unknown_key) continue;
        switch (static_cast<keyword>(cells_[c].key)) {
          case keyword::properties:
          case keyword::defs:
          case keyword::any_of:
          case keyword::one_of:
          case keyword::all_of:
          case keyword::prefix_items: all(cells_[c].value); break;
          case keyword::items:
          case keyword::additional_properties:
          case keyword::property_names:
            if (items_[cells_[c].value].what == kind::object) todo.push_back(cells_[c].value);
            else if (items_[cells_[c].value].what == kind::json && l_->json(items_[cells_[c].value].a).is_object()) ++n;
            break;
          default: break;
        }
      }
    }
    return n;
  }

  /// Writes a value.
  template <text_sink S>
  void write(index i, S& sink) const {
    const item& x = items_[i];
    switch (x.what) {
      case kind::object: {
        sink.append(std::string_view{"{"});
        for (index c = x.a; c != none; c = cells_[c].next) {
          if (c != x.a) sink.append(std::string_view{","});
          write_key(cells_[c].key, sink);
          sink.append(std::string_view{":"});
          write(cells_[c].value, sink);
        }
        sink.append(std::string_view{"}"});
        break;
      }
      case kind::array: {
        sink.append(std::string_view{"["});
        for (index c = x.a; c != none; c = cells_[c].next) {
          if (c != x.a) sink.append(std::string_view{","});
          write(cells_[c].value, sink);
        }
        sink.append(std::string_view{"]"});
        break;
      }
      case kind::json: {
        const json::element e = l_->json(x.a);
        if (e.is_string() && !e.escaped()) sink.append(e.raw());
        else json::write_compact(e, sink);
        break;
      }
      case kind::literal: sink.append(std::string_view{x.text, x.a}); break;
      case kind::made: sink.append(std::string_view{text_}.substr(x.a, x.b)); break;
      case kind::content:
        sink.append(std::string_view{"\""});
        sink.append(std::string_view{text_}.substr(x.a, x.b));
        sink.append(std::string_view{"\""});
        break;
      case kind::reference:
        if (x.a == root_definition) {
          sink.append(std::string_view{"\"#\""});
        } else {
          sink.append(std::string_view{"\"#/$defs/"});
          write_escaped_token(definition_content(x.a), sink);
          sink.append(std::string_view{"\""});
        }
        break;
    }
  }
  /// Name of the definition that says anything; set before it is written.
  void name_any(std::string_view content) { any_name_ = content; }
  /// Name of a definition, as JSON string content.
  [[nodiscard]] std::string_view definition_content(index d) const noexcept {
    return d == any_definition ? std::string_view{any_name_} : l_->json(l_->source().definitions()[d].name).content();
  }

 private:
  [[nodiscard]] index add(const item& x) {
    items_.push_back(x);
    return static_cast<index>(items_.size() - 1);
  }
  [[nodiscard]] index find(index object, index key) const noexcept {
    for (index c = items_[object].a; c != none; c = cells_[c].next)
      if (same_key(cells_[c].key, key)) return cells_[c].value;
    return none;
  }
  [[nodiscard]] bool same_key(index a, index b) const noexcept {
    if (a == b) return true;
    if (a < first_unknown_key || b < first_unknown_key) return false;
    std::string s;
    std::string t;
    write_key(a, s);
    write_key(b, t);
    return s == t;
  }
  template <text_sink S>
  void write_key(index key, S& sink) const {
    if ((key & made_key) != 0) {
      write(made_keys_[key & ~made_key], sink);
      return;
    }
    if (key >= first_unknown_key) {
      sink.append(l_->json(key - first_unknown_key).raw());
      return;
    }
    sink.append(std::string_view{"\""});
    sink.append(to_string(static_cast<keyword>(key)));
    sink.append(std::string_view{"\""});
  }
  template <text_sink S>
  static void write_escaped_token(std::string_view content, S& sink) {
    for (std::size_t i = 0; i < content.size();) {
      const std::size_t stop = (std::min)(content.find_first_of("~/", i), content.size());
      std::size_t end = stop;
      // A solidus may itself be written as an escape.
      if (stop < content.size() && content[stop] == '/' && stop > i && content[stop - 1] == '\\') --end;
      if (end > i) sink.append(content.substr(i, end - i));
      if (stop < content.size()) sink.append(content[stop] == '~' ? std::string_view{"~0"} : std::string_view{"~1"});
      i = stop + 1;
    }
  }

  const layers* l_ = nullptr;
  std::vector<item> items_;
  std::vector<cell> cells_;
  std::vector<index> made_keys_;
  std::string text_;
  std::string any_name_;
};

}  // namespace schema
}  // namespace v0_1
}  // namespace codemode
