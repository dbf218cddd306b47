#pragma once

/// @file
/// A model's answer in the dialect's spelling to the natural value (schema.md 4). Used through wire.hpp.

#include <codemode/json/reader.hpp>
#include <codemode/json/value.hpp>
#include <codemode/schema/constants.hpp>
#include <codemode/schema/names.hpp>
#include <codemode/schema/nesting.hpp>
#include <codemode/schema/perspective.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace schema {
namespace detail {

/// JSON texts that were found inside strings.
class inner_texts {
 public:
  void clear() noexcept { count_ = 0; }
  /// The value that a JSON text is, or nothing. Stays until `clear`.
  [[nodiscard]] std::optional<json::element> read(std::string_view text) {
    const auto document = reader_.read(text);
    if (!document) return std::nullopt;
    if (count_ == texts_.size()) texts_.emplace_back();
    piece& p = texts_[count_++];
    p.text.assign(text);
    p.nodes.assign(document->nodes().begin(), document->nodes().end());
    return json::element{p.text.data(), p.nodes.data()};
  }

 private:
  struct piece {
    std::string text;
    std::vector<json::node> nodes;
  };
  json::reader reader_;
  std::deque<piece> texts_;
  std::size_t count_ = 0;
};

/// Decodes values of one view. Keeps its memory.
class decoder {
 public:
  using element = json::element;

  /// `cut`: by node, the references that emission cut.
  void start(perspective& v, const std::vector<std::uint8_t>& cut) {
    v_ = &v;
    l_ = &v.parts();
    d_ = &v.dialect();
    cut_ = &cut;
    admits_.clear();
    inner_.clear();
    temporaries_ = 0;
    pairs_ = d_->records == record_encoding::array_of_pairs;
    json_text_ = d_->any == any_encoding::json_string;
    recursive_strict_ = d_->any == any_encoding::recursive_strict;
  }

  /// Decodes a value; the answer is the root of `out`.
  void run(const element& wire, json::tape& out) {
    out_ = &out;
    out.clear();
    temporaries_ = 0;
    inner_.clear();
    if (is_nested_deeper(wire, max_depth)) {
      out.copy(wire);  // validation refuses it
      return;
    }
    const element clean = without_repeats(wire);
    if (!decode(v_->root(), clean, false)) {
      out.clear();
      out.copy(clean);
    }
  }

  /// JSON value of a text, or nothing.
  [[nodiscard]] std::optional<element> json_of(const element& string) {
    std::string text;
    string.decode(text);
    return inner_.read(text);
  }

  /// Names of an object's properties on the wire, in order.
  void wire_names(const node& n, std::vector<std::string>& natural, std::vector<std::string>& wire) const {
    natural.resize(n.count);
    for (index i = 0; i < n.count; ++i) {
      natural[i].clear();
      l_->json(l_->property(n.first + i).name).decode(natural[i]);
    }
    wire_keys(natural, d_->property_keys, wire);
  }

 private:
  [[nodiscard]] node get(index i) const { return l_->get_node(i); }
  bool put(const element& e) {
    out_->copy(e);
    return true;
  }
  [[nodiscard]] json::tape& temporary() {
    if (temporaries_ == tapes_.size()) tapes_.emplace_back();
    json::tape& t = tapes_[temporaries_++];
    t.clear();
    return t;
  }

  /// Of members that occur twice the last one counts, in the place of the first.
  [[nodiscard]] element without_repeats(const element& e) {
    bool any = false;
    const json::node* const first = e.at();
    for (const json::node* n = first; n != first + first->extent && !any; ++n)
      if (n->kind == json::kind::object && n->count > 1) any = duplicates_.find_key(element{e.text(), n}).has_value();
    if (!any) return e;
    json::tape& t = temporary();
    copy_once(e, t);
    return t.root();
  }
  static void copy_once(const element& e, json::tape& to) {
    if (e.is_array()) {
      const std::uint32_t at = to.open(json::kind::array);
      for (const element x : e.items()) copy_once(x, to);
      to.close(at, static_cast<std::uint32_t>(e.size()));
    } else if (e.is_object()) {
      const std::uint32_t at = to.open(json::kind::object);
      std::uint32_t count = 0;
      for (auto i = e.members().begin(); i != e.members().end(); ++i) {
        const json::member m = *i;
        bool before = false;
        element last = m.value;
        for (const json::member other : e.members()) {
          if (other.key.compare(m.key) != 0) continue;
          before = before || other.key.at() < m.key.at();
          last = other.value;
        }
        if (before) continue;
        to.copy(m.key);
        copy_once(last, to);
        ++count;
      }
      to.close(at, count);
    } else {
      to.copy(e);
    }
  }

  /// Appends the natural value. False, in an exact pass, where the value is not in the dialect's own spelling; what was
  /// appended is of no use then.
  [[nodiscard]] bool decode(index i, element value, bool exact) {
    const node n = get(i);
    switch (n.kind) {
      case node_kind::constant:
      case node_kind::enumeration: return constant(n, value, exact);
      case node_kind::any: return any(value, exact);
      case node_kind::nullable: return value.kind() == json::kind::null ? put(value) : decode(n.a, value, exact);
      case node_kind::reference: return reference(i, n, value, exact);
      case node_kind::all_of: return all(i, n, value, exact);
      case node_kind::union_of: return union_of(i, n, value, exact);
      case node_kind::array:
      case node_kind::record:
      case node_kind::tuple:
      case node_kind::object: break;
      default: return put(value);
    }
    if (json_text_ && value.is_string() && (!exact || (n.kind == node_kind::object && sends_nothing(n))))
      if (const auto inner = json_of(value); inner && (inner->is_array() || inner->is_object())) value = *inner;
    switch (n.kind) {
      case node_kind::array: return array(n, value, exact);
      case node_kind::record: return record(n, value, exact);
      case node_kind::tuple: return tuple(n, value, exact);
      default: return object(n, value, exact);
    }
  }

  [[nodiscard]] bool sends_nothing(const node& n) const {
    for (index i = 0; i < n.count; ++i)
      if (l_->is_sent(l_->property(n.first + i))) return false;
    return true;
  }

  // ---------------------------------------------------------------- constants and any

  [[nodiscard]] bool constant(const node& n, const element& value, bool exact) {
    if (!is_coded(*l_, n, *d_)) return put(value);
    if (!value.is_string()) return exact ? false : put(value);
    const bool plain = plain_texts_differ(*l_, n);
    std::string text;
    for (index k = 0; k < n.count; ++k) {
      const element v = l_->json(l_->link(n.first + k));
      text.clear();
      append_coded_text(v, plain, text);
      if (value.equals(text)) return put(v);
    }
    return put(value);
  }

  [[nodiscard]] bool any(const element& value, bool exact) {
    if (json_text_) {
      if (value.is_string()) {
        const auto inner = json_of(value);
        return put(inner ? *inner : value);
      }
      if (exact) return false;
    }
    if (recursive_strict_) open_pairs(value);
    else put(value);
    return true;
  }

  [[nodiscard]] static bool is_pair(const element& e) {
    if (!e.is_object() || e.size() != 2) return false;
    const auto key = e.find("key");
    return key && key->is_string() && e.find("value");
  }
  [[nodiscard]] static bool all_pairs(const element& list) {
    for (const element e : list.items())
      if (!is_pair(e)) return false;
    return true;
  }
  /// Pair arrays inside an any become objects.
  void open_pairs(const element& value) {
    if (value.is_array()) {
      if (value.size() != 0 && all_pairs(value)) {
        const std::uint32_t at = out_->open(json::kind::object);
        std::uint32_t count = 0;
        for (const element e : value.items()) {
          out_->copy(*e.find("key"));
          open_pairs(*e.find("value"));
          ++count;
        }
        out_->close(at, count);
        drop_repeated(at, false);
        return;
      }
      const std::uint32_t at = out_->open(json::kind::array);
      for (const element e : value.items()) open_pairs(e);
      out_->close(at, static_cast<std::uint32_t>(value.size()));
    } else if (value.is_object()) {
      const std::uint32_t at = out_->open(json::kind::object);
      for (const json::member m : value.members()) {
        out_->copy(m.key);
        open_pairs(m.value);
      }
      out_->close(at, static_cast<std::uint32_t>(value.size()));
    } else {
      out_->copy(value);
    }
  }

  /// Of equal keys in the object at `at` the last one stays: in its own place, or in that of the first.
  void drop_repeated(std::uint32_t at, bool in_own_place) {
    if (!duplicates_.find_key(out_->at(at))) return;
    json::tape& t = temporary();
    const element object = out_->at(at);
    const std::uint32_t made = t.open(json::kind::object);
    std::uint32_t count = 0;
    for (const json::member m : object.members()) {
      bool before = false;
      bool after = false;
      element last = m.value;
      for (const json::member other : object.members()) {
        if (other.key.compare(m.key) != 0) continue;
        before = before || other.key.at() < m.key.at();
        after = after || other.key.at() > m.key.at();
        last = other.value;
      }
      if (in_own_place ? after : before) continue;
      t.copy(m.key);
      t.copy(last);
      ++count;
    }
    t.close(made, count);
    out_->truncate(at);
    out_->copy(t.root());
  }

  // ---------------------------------------------------------------- containers

  [[nodiscard]] bool array(const node& n, const element& value, bool exact) {
    if (!value.is_array()) return put(value);
    if (exact && recursive_strict_ && value.size() != 0 && l_->get_node(n.a).kind == node_kind::any && all_pairs(value))
      return false;
    const std::uint32_t at = out_->open(json::kind::array);
    for (const element e : value.items())
      if (!decode(n.a, e, exact)) return false;
    out_->close(at, static_cast<std::uint32_t>(value.size()));
    return true;
  }

  [[nodiscard]] bool record(const node& n, const element& value, bool exact) {
    if (value.is_object()) {
      if (exact && pairs_) return false;
      const std::uint32_t at = out_->open(json::kind::object);
      for (const json::member m : value.members()) {
        out_->copy(m.key);
        if (!decode(n.a, m.value, exact)) return false;
      }
      out_->close(at, static_cast<std::uint32_t>(value.size()));
      return true;
    }
    if (!pairs_) return put(value);
    if (!value.is_array()) return exact ? false : put(value);
    if (exact && !all_pairs(value)) return false;
    for (const element e : value.items())
      if (!is_readable(e)) return put(value);
    const std::uint32_t at = out_->open(json::kind::object);
    for (const element e : value.items()) {
      if (!record_key(n.b, *e.find("key"), exact)) return false;
      if (!decode(n.a, *e.find("value"), exact)) return false;
    }
    out_->close(at, static_cast<std::uint32_t>(value.size()));
    drop_repeated(at, true);
    return true;
  }
  /// Whether an entry of a map can be read: extra members, and keys that are numbers or booleans, are fine.
  [[nodiscard]] static bool is_readable(const element& e) {
    if (!e.is_object()) return false;
    const auto key = e.find("key");
    return key && e.find("value") &&
           (key->is_string() || key->kind() == json::kind::boolean || key->kind() == json::kind::number);
  }
  [[nodiscard]] bool record_key(index key_node, const element& key, bool exact) {
    element text = key;
    if (!key.is_string()) {
      std::string compact;
      json::write_compact(key, compact);
      json::tape& t = temporary();
      t.string(compact);
      text = t.root();
    }
    const std::uint32_t at = out_->size();
    if (!decode(key_node, text, exact)) return false;
    if (!out_->at(at).is_string()) {
      std::string compact;
      json::write_compact(out_->at(at), compact);
      out_->truncate(at);
      out_->string(compact);
    }
    return true;
  }

  [[nodiscard]] bool tuple(const node& n, const element& value, bool exact) {
    const bool keyed = d_->tuples == tuple_encoding::object_numeric_keys && n.a == none;
    if (keyed && value.is_object()) return keyed_tuple(n, value, exact);
    if (keyed && exact) return false;
    if (!value.is_array()) return put(value);
    const std::uint32_t at = out_->open(json::kind::array);
    index i = 0;
    for (const element e : value.items()) {
      const index item = i < n.count ? l_->link(n.first + i) : n.a;
      if (item == none) put(e);
      else if (!decode(item, e, exact)) return false;
      ++i;
    }
    end_tuple(n, at, i);
    return true;
  }
  [[nodiscard]] bool keyed_tuple(const node& n, const element& value, bool exact) {
    if (value.size() == 0) return put(value);
    index highest = 0;
    for (const json::member m : value.members()) {
      const auto i = position_of(m.key, n.count);
      if (!i) return put(value);
      highest = (std::max)(highest, *i);
    }
    const std::uint32_t at = out_->open(json::kind::array);
    for (index i = 0; i <= highest; ++i) {
      std::optional<element> item;
      for (const json::member m : value.members())
        if (position_of(m.key, n.count) == i) item = m.value;
      if (item) {
        if (!decode(l_->link(n.first + i), *item, exact)) return false;
      } else {
        json::tape& t = temporary();
        t.null();
        if (!decode(l_->link(n.first + i), t.root(), exact)) return false;
      }
    }
    end_tuple(n, at, highest + 1);
    return true;
  }
  /// A key that is a decimal index below `n`, without leading zeros.
  [[nodiscard]] static std::optional<index> position_of(const element& key, index n) {
    const std::string_view s = key.content();
    if (key.escaped() || s.empty() || s.size() > 9 || (s.size() > 1 && s[0] == '0')) return std::nullopt;
    index i = 0;
    for (const char c : s) {
      if (c < '0' || c > '9') return std::nullopt;
      i = i * 10 + static_cast<index>(c - '0');
    }
    return i < n ? std::optional<index>{i} : std::nullopt;
  }
  /// Closes a tuple of `count` items, without the nulls that stand for absent ones.
  void end_tuple(const node& n, std::uint32_t at, index count) {
    out_->close(at, count);
    if (!d_->optional_as_nullable) return;
    std::vector<std::uint32_t> starts;
    std::uint32_t here = at + 1;
    for (index i = 0; i < count; ++i) {
      starts.push_back(here);
      here += out_->node_at(here).extent;
    }
    index start = count;
    while (start > n.b && out_->node_at(starts[start - 1]).kind == json::kind::null && (start <= n.count || n.a != none))
      --start;
    for (index i = start; i < count; ++i)
      if (!admits_null(i < n.count ? l_->link(n.first + i) : n.a)) {
        out_->truncate(starts[i]);
        out_->close(at, i);
        return;
      }
  }

  [[nodiscard]] static std::optional<element> find(const element& object, const element& name) {
    for (const json::member m : object.members())
      if (m.key.compare(name) == 0) return m.value;
    return std::nullopt;
  }

  [[nodiscard]] bool object(const node& n, const element& value, bool exact) {
    if (!value.is_object()) return put(value);
    std::vector<std::string> natural;
    std::vector<std::string> wire;
    if (renames(n)) wire_names(n, natural, wire);
    const std::uint32_t at = out_->open(json::kind::object);
    std::uint32_t count = 0;
    index hint = 0;
    for (const json::member m : value.members()) {
      bool renamed = false;
      const index k = property_of(n, m.key, hint, wire, natural, renamed);
      if (k == none) {
        if (exact && d_->object_closed_by_default) return false;
        out_->copy(m.key);
        ++count;
        if (n.a != none && n.a != closed) {
          if (!decode(n.a, m.value, exact)) return false;
        } else {
          put(m.value);
        }
        continue;
      }
      hint = k + 1;
      const property p = l_->property(n.first + k);
      if (renamed && find(value, l_->json(p.name))) continue;  // the natural name wins
      const bool null = m.value.kind() == json::kind::null;
      if (null && !admits_null(p.value)) {
        const index given = v_->default_of(p.value);
        if (given == none && p.optional) continue;
        out_->copy(l_->json(p.name));
        ++count;
        if (given != none) out_->copy(l_->json(given));
        else out_->null();
        continue;
      }
      out_->copy(l_->json(p.name));
      ++count;
      if (!decode(p.value, m.value, exact)) return false;
    }
    for (index k = 0; k < n.count; ++k) {
      const property p = l_->property(n.first + k);
      const index given = v_->default_of(p.value);
      if (given == none || find(value, l_->json(p.name))) continue;
      bool there = false;
      if (!wire.empty())
        for (const json::member m : value.members()) there = there || m.key.equals(wire[k]);
      if (there) continue;
      out_->copy(l_->json(p.name));
      out_->copy(l_->json(given));
      ++count;
    }
    out_->close(at, count);
    return true;
  }
  [[nodiscard]] bool renames(const node& n) const {
    if (!d_->property_keys.present) return false;
    for (index i = 0; i < n.count; ++i) {
      const element name = l_->json(l_->property(n.first + i).name);
      if (name.escaped() || !fits_key(name.content(), d_->property_keys)) return true;
    }
    return false;
  }
  /// Which property a wire name means: a natural name wins. The search starts where the last one ended.
  [[nodiscard]] index property_of(const node& n, const element& key, index hint, const std::vector<std::string>& wire,
                                  const std::vector<std::string>& natural, bool& renamed) const {
    for (index k = 0; k < n.count; ++k) {
      const index i = hint + k < n.count ? hint + k : hint + k - n.count;
      if (l_->json(l_->property(n.first + i).name).compare(key) == 0) return i;
    }
    for (index k = 0; k < wire.size(); ++k)
      if (wire[k] != natural[k] && key.equals(wire[k])) {
        renamed = true;
        return k;
      }
    return none;
  }

  [[nodiscard]] bool admits_null(index i) {
    if (admits_.size() <= i) admits_.resize(l_->node_count(), 0);
    if (admits_[i] == 0) {
      admits_[i] = 1;
      const bool yes = admits(i);
      if (admits_.size() <= i) admits_.resize(l_->node_count(), 0);
      admits_[i] = yes ? 2 : 1;
    }
    return admits_[i] == 2;
  }
  [[nodiscard]] bool admits(index i) {
    const node n = get(i);
    switch (n.kind) {
      case node_kind::any: return !d_->optional_as_nullable;
      case node_kind::null:
      case node_kind::nullable: return true;
      case node_kind::union_of: {
        bool any = false;
        for (index k = 0; k < n.count; ++k) any = any || admits_null(l_->link(n.first + k));
        if (!any || !n.one_of) return any;
        json::tape& t = temporary();
        t.null();
        return v_->checks().accepts(i, t.root());
      }
      case node_kind::reference: return admits_null(v_->target(n));
      case node_kind::all_of: {
        index other = none;
        (void)v_->resolve(i, other);
        if (other != none) return admits_null(other);
        for (index k = 0; k < n.count; ++k)
          if (!admits_null(l_->link(n.first + k))) return false;
        return true;
      }
      default: return false;
    }
  }

  // ---------------------------------------------------------------- references, intersections, unions

  [[nodiscard]] bool reference(index i, const node& n, element value, bool exact) {
    if (json_text_ && i < cut_->size() && (*cut_)[i] != 0) {
      if (value.is_string()) {
        if (const auto inner = json_of(value)) value = *inner;
        exact = false;
      } else if (exact) {
        return false;
      }
    }
    return decode(v_->target(n), value, exact);
  }

  [[nodiscard]] bool all(index i, const node& n, element value, bool exact) {
    index other = none;
    if (v_->resolve(i, other) == resolution::merged) return decode(other, value, exact);
    if (n.count == 0) return put(value);
    // Each member decodes what the one before made.
    const std::uint32_t at = out_->size();
    for (index k = 0; k < n.count; ++k) {
      if (!decode(l_->link(n.first + k), value, exact)) return false;
      if (k + 1 == n.count) break;
      json::tape& t = temporary();
      t.copy(out_->at(at));
      out_->truncate(at);
      value = t.root();
    }
    return true;
  }

  [[nodiscard]] bool union_of(index i, const node& n, const element& value, bool exact) {
    if (becomes_enum(*l_, n, *d_)) {
      if (value.kind() == json::kind::null) return put(value);
      return constant(get(v_->united_enum(i)), value, exact);
    }
    const std::uint32_t at = out_->size();
    const auto attempt = [&](index option, bool only_exact, bool alone) {
      const bool good = decode(option, value, only_exact) && v_->checks().accepts(option, out_->at(at)) &&
                        (!alone || v_->checks().accepts(i, out_->at(at)));
      if (!good) out_->truncate(at);
      return good;
    };
    // For a oneOf first only what the whole union accepts.
    for (int round = n.one_of ? 0 : 1; round < 2; ++round) {
      const bool alone = round == 0;
      for (const bool fixed : {true, false})
        for (index k = 0; k < n.count; ++k)
          if (is_fixed(l_->link(n.first + k)) == fixed && attempt(l_->link(n.first + k), true, alone)) return true;
      if (exact) continue;
      for (index k = 0; k < n.count; ++k)
        if (attempt(l_->link(n.first + k), false, alone)) return true;
    }
    if (exact) return false;
    if (value.is_object())
      for (index k = 0; k < n.count; ++k) {
        const index target = object_of(l_->link(n.first + k));
        if (target != none && tags_match(get(target), value)) return decode(target, value, false);
      }
    return put(value);
  }
  /// An option, references and nullables followed.
  [[nodiscard]] index inside(index i) const {
    for (std::size_t steps = 0; steps <= 2 * l_->source().definitions().size() + max_depth; ++steps) {
      const node& n = l_->get_node(i);
      if (n.kind == node_kind::reference) i = v_->target(n);
      else if (n.kind == node_kind::nullable) i = n.a;
      else break;
    }
    return i;
  }
  [[nodiscard]] bool is_fixed(index i) const {
    const node& n = l_->get_node(inside(i));
    return n.kind == node_kind::constant || n.kind == node_kind::enumeration || becomes_enum(*l_, n, *d_);
  }
  [[nodiscard]] index object_of(index i) const {
    i = inside(i);
    return l_->get_node(i).kind == node_kind::object ? i : none;
  }
  /// Whether all properties that are constants have their value.
  [[nodiscard]] bool tags_match(const node& n, const element& value) {
    std::vector<std::string> natural;
    std::vector<std::string> wire;
    if (renames(n)) wire_names(n, natural, wire);
    for (index k = 0; k < n.count; ++k) {
      const property p = l_->property(n.first + k);
      const node tag = get(p.value);
      if (tag.kind != node_kind::constant) continue;
      auto given = find(value, l_->json(p.name));
      if (!given && !wire.empty()) given = value.find(wire[k]);
      if (!given) return false;
      const element wanted = l_->json(l_->link(tag.first));
      if (json::same(*given, wanted)) continue;
      if (!is_coded(*l_, tag, *d_) || !given->is_string()) return false;
      std::string text;
      append_coded_text(wanted, plain_texts_differ(*l_, tag), text);
      if (!given->equals(text)) return false;
    }
    return true;
  }

  perspective* v_ = nullptr;
  layers* l_ = nullptr;
  const descriptor* d_ = nullptr;
  const std::vector<std::uint8_t>* cut_ = nullptr;
  json::tape* out_ = nullptr;
  bool pairs_ = false;
  bool json_text_ = false;
  bool recursive_strict_ = false;
  std::vector<std::uint8_t> admits_;
  inner_texts inner_;
  std::deque<json::tape> tapes_;
  std::size_t temporaries_ = 0;
  json::duplicate_finder duplicates_;
};

}  // namespace detail
}  // namespace schema
}  // namespace v0_1
}  // namespace codemode
