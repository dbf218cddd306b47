#pragma once

/// @file
/// Nodes to the schema that a provider gets (schema.md 3), with its losses (15) and what lint says of it (16). Used
/// through emit.hpp.

#include <codemode/schema/constants.hpp>
#include <codemode/schema/draft.hpp>
#include <codemode/schema/finding.hpp>
#include <codemode/schema/names.hpp>
#include <codemode/schema/patterns.hpp>
#include <codemode/schema/perspective.hpp>
#include <codemode/text/number.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace schema {
namespace detail {

/// What emission keeps from one schema to the next: its memory.
struct emitter_state {
  schema::draft draft;
  finding_row findings;
  std::vector<loss> losses;           ///< each place, keyword and action; may hold repeats until sorted
  std::vector<std::uint8_t> cut;      ///< by node: a reference that was cut
  bool failed = false;                ///< more schema objects than allowed, or too deep
  index schema = none;                ///< the root in the draft

  struct local {
    index place;
    index key;
    action done;
    index json;             ///< what describeLosses shows: a JSON value,
    std::uint32_t from;     ///< or text (JSON string content), if `size` is not 0
    std::uint32_t size;
  };
  std::vector<local> locals;

  struct definition_state {
    index schema = none;
    index scope = none;
    bool defined = false;
    bool converting = false;
  };
  std::vector<definition_state> definitions;  ///< the last one is the one that says anything
  std::vector<index> order;                   ///< definitions by first use
  std::vector<std::uint8_t> optional_passed;
  std::vector<index> merging;

  /// What a definition or an option of a oneOf holds: whether it loses or codes anything, and the references in it.
  struct scope {
    bool loose = false;
    index uses = none;
    std::uint32_t seen = 0;
  };
  struct scope_use {
    index what;   ///< a definition, or a scope
    index next;
    bool inner;
  };
  std::vector<scope> scopes;
  std::vector<scope_use> uses;
  std::vector<index> scope_stack;
  std::vector<std::pair<index, index>> one_ofs;  ///< node, scope of its options
  std::vector<std::uint8_t> loose;               ///< by node: a oneOf that cannot stay one
  std::vector<index> todo;
  std::string text;
  std::string text2;
};

/// One emission. `Dialect` is called for the descriptor: a constant one lets the compiler leave out what it does not do.
template <class Dialect>
class emitter {
 public:
  emitter(Dialect dialect, emitter_state& s, perspective& v, bool describe, double max_nodes) noexcept
      : dialect_(dialect), s_(s), v_(v), l_(v.parts()), describe_(describe), max_nodes_(max_nodes) {}

  /// Repeats the emission until no oneOf that stayed holds a loss (3.8). False where it would be too large.
  bool run(bool lint) {
    s_.loose.clear();
    name_any();
    for (;;) {
      reset(lint);
      once();
      if (s_.failed) return false;
      bool more = false;
      for (const auto& [node, scope] : s_.one_ofs)
        if (is_loose(scope)) {
          mark(s_.loose, node);
          more = true;
        }
      if (!more) return true;
    }
  }

 private:
  using element = json::element;
  using enum keyword;
  enum class wrap : std::uint8_t { no, any_of, type };
  static constexpr index any_definition = draft::any_definition;

  [[nodiscard]] constexpr const descriptor& d() const noexcept { return dialect_.get(); }
  [[nodiscard]] node get(index i) const { return l_.get_node(i); }
  [[nodiscard]] draft& out() noexcept { return s_.draft; }

  // ---------------------------------------------------------------- state

  void mark(std::vector<std::uint8_t>& row, index i) {
    if (row.size() <= i) row.resize(l_.node_count(), 0);
    row[i] = 1;
  }
  [[nodiscard]] static bool marked(const std::vector<std::uint8_t>& row, index i) noexcept {
    return i < row.size() && row[i] != 0;
  }

  void reset(bool lint) {
    s_.draft.start(l_);
    s_.draft.name_any(s_.text2);
    s_.findings.start(lint);
    s_.losses.clear();
    s_.cut.clear();
    s_.failed = false;
    s_.locals.clear();
    s_.definitions.assign(l_.source().definitions().size() + 1, {});
    s_.order.clear();
    s_.optional_passed.assign(1, 0);
    s_.merging.clear();
    s_.scopes.assign(1, {});
    s_.uses.clear();
    s_.scope_stack.assign(1, 0);
    s_.one_ofs.clear();
    made_ = 0;
    depth_ = 0;
  }

  [[nodiscard]] emitter_state::definition_state& definition(index i) noexcept {
    return i == any_definition ? s_.definitions.back() : s_.definitions[i];
  }

  /// A name for the definition that says anything, other than all of the source's.
  void name_any() {
    s_.text2 = "Any";
    const auto taken = [&] {
      for (const schema::definition& x : l_.source().definitions())
        if (l_.json(x.name).equals(s_.text2)) return true;
      return false;
    };
    if (!taken()) return;
    s_.text2 = "AnyValue";
    for (std::size_t n = 2; taken(); ++n) s_.text2 = "AnyValue" + std::to_string(n);
  }

  void make(std::size_t n = 1) noexcept {
    made_ += n;
    if (static_cast<double>(made_) > max_nodes_) s_.failed = true;
  }

  [[nodiscard]] bool is_loose(index scope) {
    ++visit_;
    s_.todo.assign(1, scope);
    while (!s_.todo.empty()) {
      const index here = s_.todo.back();
      s_.todo.pop_back();
      emitter_state::scope& x = s_.scopes[here];
      if (x.loose) return true;
      if (x.seen == visit_) continue;
      x.seen = visit_;
      for (index u = x.uses; u != none; u = s_.uses[u].next) {
        const index next = s_.uses[u].inner               ? s_.uses[u].what
                           : s_.uses[u].what == root_definition ? 0
                                                                : definition(s_.uses[u].what).scope;
        if (next != none) s_.todo.push_back(next);
      }
    }
    return false;
  }
  [[nodiscard]] emitter_state::scope& scope() noexcept { return s_.scopes[s_.scope_stack.back()]; }
  void open_scope() {
    s_.scopes.emplace_back();
    s_.scope_stack.push_back(static_cast<index>(s_.scopes.size() - 1));
  }
  void use_in_scope(index what, bool inner) {
    s_.uses.push_back({what, scope().uses, inner});
    scope().uses = static_cast<index>(s_.uses.size() - 1);
  }

  // ---------------------------------------------------------------- reporting

  /// A loss of the node in hand. `json` is what describeLosses shows.
  void lose(index place, index key, action done, index json, finding_code code, std::string_view subject) {
    s_.locals.push_back({place, key, done, json, 0, 0});
    if (is_real(done)) scope().loose = true;
    s_.findings.add(place, code, subject, done);
  }
  void lose(index place, keyword k, action done, index json = none,
            finding_code code = finding_code::keyword_unsupported) {
    lose(place, entry_key(k), done, json, code, to_string(k));
  }
  /// The same, showing text that stands at the end of the draft's from `from` on.
  void lose_text(index place, keyword k, action done, std::size_t from, finding_code code, std::string_view subject) {
    lose(place, entry_key(k), done, none, code, subject);
    s_.locals.back().from = static_cast<std::uint32_t>(from);
    s_.locals.back().size = static_cast<std::uint32_t>(out().text().size() - from);
  }
  /// A loss of another node than the one in hand.
  void drop(index place, index key) {
    s_.losses.push_back({place, key, action::dropped});
    scope().loose = true;
  }
  void note(index place, finding_code code, std::string_view subject, action done) {
    s_.findings.add(place, code, subject, done);
  }
  /// Text of a key, or of a JSON string, for a subject.
  [[nodiscard]] std::string_view key_text(index key) {
    return key < first_unknown_key ? to_string(static_cast<keyword>(key)) : name_text(key - first_unknown_key);
  }
  [[nodiscard]] std::string_view name_text(index json) {
    if (!s_.findings.on()) return {};
    s_.text.clear();
    l_.json(json).decode(s_.text);
    return s_.text;
  }

  // ---------------------------------------------------------------- frame

  void once() {
    const std::size_t frame = s_.locals.size();
    for (const root_change& c : v_.changes()) {
      const std::string_view subject =
          c.done == action::dropped && c.json == none ? std::string_view{"null"} : to_string(c.said);
      if (c.as_text) {
        const std::size_t from = out().text().size();
        out().text().append(v_.fold_text());
        lose_text(c.place, c.said, c.done, from, finding_code::root_combinator, subject);
      } else {
        lose(c.place, entry_key(c.said), c.done, c.json, finding_code::root_combinator, subject);
      }
    }
    const index schema = convert(v_.root(), wrap::no, frame);
    if (s_.failed) return;
    put_definitions(schema);
    s_.schema = schema;
  }

  /// Definitions that are reached from the root, by first use.
  void put_definitions(index schema) {
    if (!d().allow_defs_ref || s_.order.empty()) return;
    std::vector<std::uint8_t> used(s_.definitions.size(), 0);
    s_.todo.assign(1, schema);
    while (!s_.todo.empty()) {
      const draft::item x = out().at(s_.todo.back());
      s_.todo.pop_back();
      if (x.what == draft::kind::reference && x.a != root_definition) {
        const std::size_t slot = x.a == any_definition ? used.size() - 1 : x.a;
        if (used[slot] == 0) {
          used[slot] = 1;
          s_.todo.push_back(definition(x.a).schema);
        }
      } else if (x.what == draft::kind::object || x.what == draft::kind::array) {
        for (index c = x.a; c != none; c = out().cell_at(c).next) s_.todo.push_back(out().cell_at(c).value);
      }
    }
    index defs_object = none;
    for (const index i : s_.order) {
      if (used[i == any_definition ? used.size() - 1 : i] == 0) continue;
      if (defs_object == none) {
        defs_object = out().object();
        out().set(schema, defs, defs_object);
      }
      if (i == any_definition) {
        const std::size_t from = out().text().size();
        (void)from;
        out().add_member(defs_object, out().made_name(s_.text2), definition(i).schema);
      } else {
        out().add_member(defs_object, first_unknown_key + l_.source().definitions()[i].name, definition(i).schema);
      }
    }
  }

  /// The emitted schema of a node. `w` tells the spelling of a nullable around it.
  [[nodiscard]] index convert(index i, wrap w = wrap::no) { return convert(i, w, s_.locals.size()); }

  [[nodiscard]] index convert(index i, wrap w, std::size_t frame) {
    if (s_.failed) return out().object();
    // Merged nodes can nest deeper than the source.
    if (depth_ > 3 * max_depth) {
      s_.failed = true;
      return out().object();
    }
    ++depth_;
    const index made = convert_nested(i, w, frame);
    --depth_;
    return made;
  }

  [[nodiscard]] index convert_nested(index i, wrap w, std::size_t frame) {
    const node n = get(i);
    if (n.kind == node_kind::all_of) {
      const bool again = std::find(s_.merging.begin(), s_.merging.end(), i) != s_.merging.end();
      const index other = resolved(i, n, again);
      if (other != none) {
        s_.merging.push_back(i);
        const index made = convert(other, w, frame);
        s_.merging.pop_back();
        return made;
      }
    }
    index schema = none;
    if (n.kind == node_kind::reference) {
      schema = reference(i, n, w);
    } else if (n.kind == node_kind::any) {
      schema = any(i, n, w);
    } else {
      if (n.kind != node_kind::nullable && n.kind != node_kind::union_of) make();
      schema = body(i, n);
    }
    if (s_.failed) return schema;
    if (!(n.kind == node_kind::reference && out().has(schema, ref))) finish(i, n, schema, frame);
    for (std::size_t k = frame; k < s_.locals.size(); ++k)
      s_.losses.push_back({s_.locals[k].place, s_.locals[k].key, s_.locals[k].done});
    s_.locals.resize(frame);
    return schema;
  }

  [[nodiscard]] index body(index i, const node& n) {
    switch (n.kind) {
      case node_kind::string: return string(n);
      case node_kind::number:
      case node_kind::integer: return number(n);
      case node_kind::boolean: return typed("\"boolean\"");
      case node_kind::null: return null(n);
      case node_kind::constant:
      case node_kind::enumeration: return constant(n, n.made_by);
      case node_kind::array: return array(n);
      case node_kind::tuple: return tuple(n);
      case node_kind::object: return object(i, n);
      case node_kind::record: return record(i, n);
      case node_kind::union_of: return union_of(i, n);
      case node_kind::all_of: return all_of_members(n);
      case node_kind::nullable: return nullable_of(n.a);
      default: {
        const index never = out().object();
        out().set(never, not_, out().object());
        return never;
      }
    }
  }

  void finish(index i, const node& n, index schema, std::size_t frame) {
    put_extras(i, n, schema);
    put_annotations(n, schema);
    if (describe_ && !out().has(schema, ref)) describe(schema, frame);
    if (d().any_of_stands_alone && out().has(schema, any_of)) stand_alone(n, schema);
  }

  [[nodiscard]] index typed(std::string_view type_literal) {
    const index schema = out().object();
    out().set(schema, type, type_literal);
    return schema;
  }
  [[nodiscard]] static constexpr std::string_view type_literal(json_type t) noexcept {
    constexpr std::string_view names[]{"", "\"string\"", "\"number\"", "\"integer\"", "\"boolean\"", "\"null\"", "\"array\"",
                                       "\"object\""};
    return names[static_cast<std::size_t>(t)];
  }

  // ---------------------------------------------------------------- extras and annotations

  static constexpr keyword_set root_combinators{any_of, one_of, all_of, not_, enum_};

  /// Whether an extra of a node is emitted; `combinator` tells that it is not because it stands at the root.
  [[nodiscard]] bool emits(index i, const node& n, keyword k, bool& combinator) {
    combinator = i == v_.root() && root_combinators.has(k) && has_root_rule();
    return d().emits_extra(k) && !combinator && !is_blocked(n, k);
  }
  [[nodiscard]] bool has_root_rule() const noexcept {
    const root_shape rule = d().root_rule(v_.output());
    return rule == root_shape::object || rule == root_shape::object_or_union;
  }
  [[nodiscard]] bool is_blocked(const node& n, keyword k) {
    if (n.kind == node_kind::object && d().property_keys.present && !all_fit(n)) return true;
    return n.kind == node_kind::record && d().records == record_encoding::array_of_pairs &&
           (k == min_properties || k == max_properties);
  }
  [[nodiscard]] bool any_extra(index i, const node& n) {
    bool combinator = false;
    for (index e = n.extras; e != none; e = l_.get(e).next)
      if (emits(i, n, static_cast<keyword>(l_.get(e).key), combinator)) return true;
    return false;
  }
  void report_lost(const node& n) {
    for (index e = n.lost; e != none; e = l_.get(e).next)
      lose(n.place, static_cast<keyword>(l_.get(e).key), action::dropped, l_.get(e).value);
  }
  /// Tells the extras that are not emitted.
  void report_extras(index i, const node& n) {
    for (index e = n.extras; e != none; e = l_.get(e).next) {
      const entry x = l_.get(e);
      const auto k = static_cast<keyword>(x.key);
      bool combinator = false;
      if (emits(i, n, k, combinator)) continue;
      const finding_code code = combinator ? finding_code::root_combinator : finding_code::keyword_unsupported;
      if (!sets::combinators.has(k)) {
        lose(n.place, k, action::dropped, x.value, code);
        continue;
      }
      const std::size_t from = out().text().size();
      append_alternatives(l_.json(x.value));
      lose_text(n.place, k, action::dropped, from, code, to_string(k));
    }
    report_lost(n);
  }
  void put_extras(index i, const node& n, index schema) {
    bool combinator = false;
    for (index e = n.extras; e != none; e = l_.get(e).next) {
      const entry x = l_.get(e);
      const auto k = static_cast<keyword>(x.key);
      if (!emits(i, n, k, combinator)) continue;
      if (sets::combinators.has(k)) make(l_.json(x.value).size());
      out().set(schema, k, out().json(x.value));
    }
    report_extras(i, n);
  }
  /// Required names of each alternative.
  void append_alternatives(const element& branches) {
    std::string& t = out().text();
    bool first = true;
    for (const element b : branches.items()) {
      if (!first) t.append(" | ");
      first = false;
      const element names = (*b.members().begin()).value;
      bool first_name = true;
      if (names.is_array())
        for (const element x : names.items()) {
          if (!first_name) t.append(", ");
          first_name = false;
          if (x.is_string()) t.append(x.content());
        }
    }
  }

  [[nodiscard]] bool emits_annotation(index key) const noexcept {
    return key < first_unknown_key ? d().emits_annotation(static_cast<keyword>(key)) : d().annotations.all;
  }
  [[nodiscard]] bool any_annotation(const node& n) const noexcept {
    for (index e = n.annotations; e != none; e = l_.get(e).next)
      if (emits_annotation(l_.get(e).key)) return true;
    return false;
  }
  void report_annotations(const node& n) {
    for (index e = n.annotations; e != none; e = l_.get(e).next)
      if (!emits_annotation(l_.get(e).key))
        lose(n.place, l_.get(e).key, action::dropped, l_.get(e).value, finding_code::annotation_unsupported,
             key_text(l_.get(e).key));
  }
  void put_annotations(const node& n, index schema) {
    if (n.annotations == none) return;
    report_annotations(n);
    apply_annotations(n, schema);
  }
  void apply_annotations(const node& n, index schema) {
    // In the order title, description, default, examples, deprecated, readOnly, writeOnly, then the rest.
    constexpr auto first = static_cast<std::size_t>(title);
    std::array<index, 7> known{};
    known.fill(none);
    for (index e = n.annotations; e != none; e = l_.get(e).next) {
      const entry x = l_.get(e);
      if (x.key >= first && x.key < first + known.size() && emits_annotation(x.key)) known[x.key - first] = x.value;
    }
    for (std::size_t k = 0; k < known.size(); ++k) {
      if (known[k] == none) continue;
      const auto word = static_cast<keyword>(first + k);
      if (word == description) put_description(schema, known[k]);
      else out().set(schema, word, out().json(known[k]));
    }
    for (index e = n.annotations; e != none; e = l_.get(e).next) {
      const entry x = l_.get(e);
      if ((x.key < first || x.key >= first + known.size()) && emits_annotation(x.key))
        out().set_key(schema, x.key, out().json(x.value));
    }
  }
  /// A description of the source goes before what stands there.
  void put_description(index schema, index json) {
    const index before = out().get(schema, description);
    const element e = l_.json(json);
    if (before == none || !e.is_string()) {
      out().set(schema, description, out().json(json));
      return;
    }
    const std::size_t from = begin_text();
    out().text().append(e.content());
    append_joined(before);
    out().set(schema, description, out().made(from, true));
  }
  [[nodiscard]] std::size_t begin_text() noexcept { return out().text().size(); }
  /// Appends a space and the content of a string that was emitted, unless either is empty.
  void append_joined(index item, std::size_t from) {
    s_.text.clear();
    append_content(item, s_.text);
    std::string& t = out().text();
    if (!s_.text.empty() && t.size() > from) t.push_back(' ');
    t.append(s_.text);
  }
  void append_joined(index item) {
    s_.text.clear();
    append_content(item, s_.text);
    if (s_.text.empty()) return;
    out().text().push_back(' ');
    out().text().append(s_.text);
  }
  void append_content(index i, std::string& to) const {
    const draft::item& x = s_.draft.at(i);
    if (x.what == draft::kind::json) {
      if (l_.json(x.a).is_string()) to.append(l_.json(x.a).content());
    } else if (x.what == draft::kind::content) {
      const std::string piece{std::string_view{s_.draft.made_text()}.substr(x.a, x.b)};
      to.append(piece);
    } else if (x.what == draft::kind::literal && x.a >= 2) {
      to.append(std::string_view{x.text + 1, x.a - 2});
    }
  }

  /// 3.12
  void stand_alone(const node& n, index schema) {
    for (const keyword k : {title, default_})
      if (out().take(schema, k) != none) lose(n.place, k, action::dropped, none, finding_code::anyof_siblings);
    const index text = out().take(schema, description);
    if (text == none) return;
    const index branch = innermost_branch(schema);
    const std::size_t from = begin_text();
    s_.text.clear();
    append_content(text, s_.text);
    out().text().append(s_.text);
    if (const index inner = out().get(branch, description); inner != none) append_joined(inner, from);
    out().set(branch, description, out().made(from, true));
    lose(n.place, description, action::rewritten, none, finding_code::anyof_siblings);
  }
  [[nodiscard]] index innermost_branch(index schema) noexcept {
    for (index list = out().get(schema, any_of); list != none; list = out().get(schema, any_of))
      schema = out().first(list);
    return schema;
  }

  // ---------------------------------------------------------------- describeLosses

  static constexpr keyword_set describable =
      keyword_set{format, min_length, max_length, content_encoding, pattern, minimum, maximum, exclusive_minimum,
                  exclusive_maximum, multiple_of, min_items, max_items, property_names, pattern_properties, prefix_items,
                  items, any_of, one_of, all_of, default_, examples, deprecated} |
      sets::extras;

  [[nodiscard]] bool is_described(const emitter_state::local& x) const noexcept {
    return (x.done == action::dropped || x.done == action::widened) && x.key < first_unknown_key &&
           describable.has(static_cast<keyword>(x.key)) &&
           (x.size != 0 || (x.json != none && l_.json(x.json).kind() != json::kind::null));
  }
  void describe(index schema, std::size_t frame) {
    std::vector<std::string_view> words;
    for (std::size_t k = frame; k < s_.locals.size(); ++k)
      if (is_described(s_.locals[k])) words.push_back(to_string(static_cast<keyword>(s_.locals[k].key)));
    if (words.empty()) return;
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    std::string text;
    for (const std::string_view word : words) {
      std::vector<std::string> values;
      for (std::size_t k = frame; k < s_.locals.size(); ++k) {
        const emitter_state::local& x = s_.locals[k];
        if (!is_described(x) || to_string(static_cast<keyword>(x.key)) != word) continue;
        std::string value = shown(x);
        if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(std::move(value));
      }
      std::string joined;
      for (const std::string& v : values) {
        if (!joined.empty() || &v != &values[0]) joined.append(" and ");
        joined.append(v);
      }
      constexpr std::size_t longest = 300;
      if (code_points(joined) > longest) continue;
      text.append(text.empty() ? "[" : "; ");
      text.append(word);
      text.append(": ");
      text.append(joined);
      for (std::size_t k = frame; k < s_.locals.size(); ++k)
        if (is_described(s_.locals[k]) && to_string(static_cast<keyword>(s_.locals[k].key)) == word)
          s_.locals[k].done = action::described;
    }
    if (text.empty()) return;
    text.push_back(']');
    const std::size_t from = begin_text();
    if (const index before = out().get(schema, description); before != none) {
      s_.text.clear();
      append_content(before, s_.text);
      out().text().append(s_.text);
      if (!s_.text.empty()) out().text().push_back(' ');
    }
    out().text().append(text);
    out().set(schema, description, out().made(from, true));
  }
  /// What a loss shows, as JSON string content.
  [[nodiscard]] std::string shown(const emitter_state::local& x) const {
    if (x.json == none) return std::string{std::string_view{s_.draft.made_text()}.substr(x.from, x.size)};
    const element e = l_.json(x.json);
    if (e.is_string()) return std::string{e.content()};
    std::string compact;
    json::write_compact(e, compact);
    std::string content;
    text::append_json_content(content, compact);
    return content;
  }
  [[nodiscard]] static std::size_t code_points(std::string_view content) noexcept {
    std::size_t n = 0;
    text::json_string_reader r(content);
    for (; !r.done(); ++n) (void)r.next();
    return n;
  }

  // ---------------------------------------------------------------- leaves

  [[nodiscard]] index limit_value(const node& n, keyword k) const { return find_value(l_, n.limits, k); }

  /// Emits a constraint, or tells that it is dropped.
  void gated(const node& n, index schema, keyword k, bool allowed) {
    const index v = limit_value(n, k);
    if (v == none) return;
    if (allowed) out().set(schema, k, out().json(v));
    else lose(n.place, k, action::dropped, v);
  }

  [[nodiscard]] index null(const node& n) {
    if (!d().nullable_keyword) return typed("\"null\"");
    lose(n.place, entry_key(type), action::widened, none, finding_code::null_type, "null");
    const index schema = typed("\"string\"");
    out().set(schema, nullable, "true");
    return schema;
  }

  [[nodiscard]] index string(const node& n) {
    const index schema = typed("\"string\"");
    if (const index f = limit_value(n, format); f != none) {
      const element e = l_.json(f);
      if (!e.escaped() && d().string_formats.has(e.content())) out().set(schema, format, out().json(f));
      else lose(n.place, entry_key(format), action::dropped, f, finding_code::format_unsupported, name_text(f));
    }
    if (n.limits != none) {
      gated(n, schema, min_length, d().allow_min_max_length);
      gated(n, schema, max_length, d().allow_min_max_length);
      gated(n, schema, content_encoding, d().allow_min_max_length && d().emits_extra(content_encoding));
      best_effort(n, schema, d().advice_enforced_up_to.length, {min_length, max_length});
    }
    patterns(n, schema);
    return schema;
  }

  void patterns(const node& n, index schema) {
    index only = none;
    index list = none;
    for (index i = 0; i < n.count; ++i) {
      const index p = l_.link(n.first + i);
      if (!d().allow_pattern) {
        lose(n.place, pattern, action::dropped, p);
        continue;
      }
      index wire = none;
      if (d().unsupported_regex.size != 0 || d().pattern_matches_whole) {
        const element e = l_.json(p);
        std::string& decoded = s_.text;
        std::string_view source = e.content();
        if (e.escaped()) {
          decoded.clear();
          e.decode(decoded);
          source = decoded;
        }
        if (const auto feature = foreign_feature(source, d())) {
          lose(n.place, entry_key(pattern), action::dropped, p, finding_code::pattern_syntax,
               regex_feature_names[static_cast<std::size_t>(*feature)]);
          continue;
        }
        if (d().pattern_matches_whole) {
          std::string whole;
          if (!append_whole_match(source, whole)) {
            lose(n.place, pattern, action::dropped, p, finding_code::pattern_anchoring);
            continue;
          }
          if (whole != source) {
            const std::size_t from = begin_text();
            text::append_json_content(out().text(), whole);
            wire = out().made(from, true);
          }
        }
      }
      if (only != none && !d().allow_multiple_patterns) {
        lose(n.place, pattern, action::dropped, p);
        continue;
      }
      if (wire != none) lose(n.place, pattern, action::rewritten, none, finding_code::pattern_anchoring);
      else wire = out().json(p);
      if (only == none) {
        only = wire;
        continue;
      }
      if (list == none) {
        list = out().array();
        add_pattern(list, only);
      }
      add_pattern(list, wire);
    }
    if (list != none) out().set(schema, all_of, list);
    else if (only != none) out().set(schema, pattern, only);
  }
  void add_pattern(index list, index wire) {
    make();
    const index schema = typed("\"string\"");
    out().set(schema, pattern, wire);
    out().add_item(list, schema);
  }

  /// Advice on bounds that are sent but enforced only up to a point.
  void best_effort(const node& n, index schema, const limit& up_to, std::initializer_list<keyword> bounds) {
    if (!s_.findings.on() || !up_to.present) return;
    for (const keyword k : bounds)
      if (const index v = out().get(schema, k); v != none && out().at(v).what == draft::kind::json)
        advise(n, k, out().at(v).a, up_to);
  }
  void advise(const node& n, keyword k, index json, const limit& up_to) {
    const element e = l_.json(json);
    if (e.kind() != json::kind::number || json::to_double(e.raw()) <= up_to.value) return;
    s_.text.assign(to_string(k));
    s_.text.push_back(' ');
    json::append_number(s_.text, e.raw());
    s_.text.append(" > ");
    append_limit(s_.text, up_to);
    note(n.place, finding_code::best_effort, s_.text, action::advice);
  }
  static void append_limit(std::string& to, const limit& x) {
    const text::number_text t = text::format_number(x.value);
    to.append(t.view());
  }
  void best_effort_extras(index i, const node& n) {
    if (!s_.findings.on() || !d().advice_enforced_up_to.properties.present) return;
    bool combinator = false;
    for (const keyword k : {min_properties, max_properties})
      if (const index v = find_value(l_, n.extras, k); v != none && emits(i, n, k, combinator))
        advise(n, k, v, d().advice_enforced_up_to.properties);
  }

  [[nodiscard]] index number(const node& n) {
    const index schema = typed(n.kind == node_kind::integer ? "\"integer\"" : "\"number\"");
    if (n.limits == none) return schema;
    bound(n, schema, minimum, exclusive_minimum);
    bound(n, schema, maximum, exclusive_maximum);
    gated(n, schema, multiple_of, d().allow_minimum_maximum && d().allow_multiple_of);
    return schema;
  }

  void bound(const node& n, index schema, keyword inclusive, keyword exclusive) {
    if (!d().allow_minimum_maximum) {
      gated(n, schema, inclusive, false);
      gated(n, schema, exclusive, false);
      return;
    }
    const index m = limit_value(n, inclusive);
    const index x = limit_value(n, exclusive);
    if (x == none) {
      if (m != none) out().set(schema, inclusive, out().json(m));
      return;
    }
    const double mv = m == none ? 0 : json::to_double(l_.json(m).raw());
    const double xv = json::to_double(l_.json(x).raw());
    const bool low = inclusive == minimum;
    const auto tighter = [low](double a, double b) { return low ? a > b : a < b; };
    if (d().allow_exclusive_bounds) {
      if (m == none || !tighter(mv, xv)) out().set(schema, exclusive, out().json(x));
      else out().set(schema, inclusive, out().json(m));
      return;
    }
    action done = action::rewritten;
    if (n.kind == node_kind::integer) {
      const double made = low ? std::floor(xv) + 1 : std::ceil(xv) - 1;
      if (m != none && tighter(mv, made)) {
        out().set(schema, inclusive, out().json(m));
      } else {
        const std::size_t from = begin_text();
        const text::number_text t = text::format_number(made);
        out().text().append(t.view());
        out().set(schema, inclusive, out().made(from, false));
      }
    } else if (m != none && tighter(mv, xv)) {
      out().set(schema, inclusive, out().json(m));
    } else {
      out().set(schema, inclusive, out().json(x));
      done = action::widened;
    }
    lose(n.place, exclusive, done, x, finding_code::exclusive_bound);
  }

  // ---------------------------------------------------------------- constants

  [[nodiscard]] index constant(const node& n, keyword k) {
    const bool constant = n.kind == node_kind::constant;
    const bool capped = !constant && d().max_enum_values.present && n.count > d().max_enum_values.value;
    index schema = none;
    if (is_coded(l_, n, d())) {
      scope().loose = true;
      schema = typed("\"string\"");
      if (!capped) put_coded(n, schema);
      tell_coded(n, k);
    } else {
      schema = out().object();
      const json_type t = wire_type(l_, n, d());
      if (t != json_type::none) out().set(schema, type, type_literal(t));
      if (constant && d().allow_const) {
        out().set(schema, const_, out().json(l_.link(n.first)));
      } else {
        if (!capped) {
          const index values = out().array();
          for (index i = 0; i < n.count; ++i) out().add_item(values, out().json(l_.link(n.first + i)));
          out().set(schema, enum_, values);
        }
        if (constant) lose(n.place, entry_key(k), action::rewritten, none, finding_code::const_unsupported, "const");
      }
    }
    if (capped) {
      out().set(schema, description, cap_text(n));
      s_.text.assign(std::to_string(n.count));
      lose(n.place, entry_key(k), action::described, none, finding_code::enum_too_long, s_.text);
    }
    return schema;
  }
  void put_coded(const node& n, index schema) {
    const bool plain = plain_texts_differ(l_, n);
    const index values = out().array();
    for (index i = 0; i < n.count; ++i) {
      const index v = l_.link(n.first + i);
      s_.text.clear();
      append_coded_text(l_.json(v), plain, s_.text);
      const std::size_t from = begin_text();
      text::append_json_content(out().text(), s_.text);
      out().add_item(values, out().made(from, true));
    }
    out().set(schema, enum_, values);
  }
  void tell_coded(const node& n, keyword k) {
    const value_kind_set kinds = foreign_kinds(l_, n, d());
    if (kinds.bits == 0) {
      lose(n.place, entry_key(k), action::rewritten, none, finding_code::enum_mixed, "enum");
      return;
    }
    s_.text.clear();
    for (std::size_t i = 0; i < value_kind_names.size(); ++i) {
      if (!kinds.has(static_cast<value_kind>(i))) continue;
      if (!s_.text.empty()) s_.text.append(", ");
      s_.text.append(value_kind_names[i]);
    }
    lose(n.place, entry_key(k), action::rewritten, none, finding_code::enum_value_type, s_.text);
  }
  [[nodiscard]] index cap_text(const node& n) {
    const std::size_t from = begin_text();
    std::string& t = out().text();
    t.append("Allowed values (");
    t.append(std::to_string(n.count));
    t.append("): ");
    for (index i = 0; i < n.count; ++i) {
      if (i != 0) t.append(", ");
      const element v = l_.json(l_.link(n.first + i));
      if (v.is_string()) {
        t.append(v.content());
        continue;
      }
      s_.text.clear();
      json::write_compact(v, s_.text);
      text::append_json_content(t, s_.text);
    }
    return out().made(from, true);
  }

  // ---------------------------------------------------------------- objects and records

  [[nodiscard]] bool fits(index name) const {
    const element e = l_.json(name);
    return !e.escaped() && fits_key(e.content(), d().property_keys);
  }
  [[nodiscard]] bool all_fit(const node& n) const {
    if (!d().property_keys.present) return true;
    for (index i = 0; i < n.count; ++i)
      if (!fits(l_.property(n.first + i).name)) return false;
    return true;
  }
  /// Keys of a node's properties on the wire: empty where all stay.
  [[nodiscard]] std::vector<index> renamed_keys(const node& n) {
    std::vector<index> keys;
    if (all_fit(n)) return keys;
    std::vector<std::string> names(n.count);
    for (index i = 0; i < n.count; ++i) l_.json(l_.property(n.first + i).name).decode(names[i]);
    std::vector<std::string> wire;
    wire_keys(names, d().property_keys, wire);
    for (index i = 0; i < n.count; ++i)
      keys.push_back(wire[i] == names[i] ? first_unknown_key + l_.property(n.first + i).name : out().made_name(wire[i]));
    return keys;
  }
  [[nodiscard]] index key_value(index key) {
    return (key & draft::made_key) != 0 ? out().made_name_value(key) : out().json(key - first_unknown_key);
  }

  [[nodiscard]] index object(index self, const node& n) {
    const bool closes = d().allow_additional_properties && (d().object_closed_by_default || n.a == closed);
    index sent = 0;
    for (index i = 0; i < n.count; ++i) {
      const property p = l_.property(n.first + i);
      if (l_.is_sent(p)) ++sent;
      else if (!closes) lose(get(p.value).place, properties, action::dropped);
    }
    if (d().any == any_encoding::json_string && sent == 0 && self != v_.root()) {
      lose(n.place, entry_key(type), action::widened, none, finding_code::empty_object, "object");
      return any_schema();
    }
    const std::vector<index> renamed = renamed_keys(n);
    const index schema = typed("\"object\"");
    const index props = out().object();
    out().set(schema, properties, props);
    for (index i = 0; i < n.count && !s_.failed; ++i) {
      const property p = l_.property(n.first + i);
      if (!l_.is_sent(p)) continue;
      const index key = renamed.empty() ? first_unknown_key + p.name : renamed[i];
      const index value = property_schema(p);
      out().add_member(props, key, value);
      if ((key & draft::made_key) != 0)
        lose(get(p.value).place, entry_key(properties), action::rewritten, none, finding_code::property_key,
             name_text(p.name));
    }
    const index needed = out().array();
    bool any_needed = false;
    for (index i = 0; i < n.count; ++i) {
      const property p = l_.property(n.first + i);
      if (!l_.is_sent(p) || (p.optional && !d().object_all_fields_required)) continue;
      any_needed = true;
      out().add_item(needed, key_value(renamed.empty() ? first_unknown_key + p.name : renamed[i]));
      if (p.optional)
        note(get(p.value).place, finding_code::property_not_required, name_text(p.name), action::encoded);
    }
    if (any_needed || !d().omit_empty_required) out().set(schema, required, needed);
    tail(n, schema);
    if (d().emit_property_ordering && (sent != 0 || !d().omit_empty_required)) {
      const index order = out().array();
      for (index i = 0; i < n.count; ++i)
        if (l_.is_sent(l_.property(n.first + i)))
          out().add_item(order, key_value(renamed.empty() ? first_unknown_key + l_.property(n.first + i).name : renamed[i]));
      out().set(schema, property_ordering, order);
    }
    best_effort_extras(self, n);
    return schema;
  }

  [[nodiscard]] index property_schema(const property& p) {
    const std::uint8_t passed = s_.optional_passed.back();
    if (p.optional) s_.optional_passed.back() = 1;
    if (s_.findings.on() && v_.invalid_default(p.value))
      note(get(p.value).place, finding_code::default_invalid, "default", action::dropped);
    const bool nulls = p.optional && d().optional_as_nullable &&
                       !(d().emits_annotation(default_) && v_.default_of(p.value) != none);
    const index schema = nulls ? nullable_of(p.value) : convert(p.value);
    s_.optional_passed.back() = passed;
    return schema;
  }

  void tail(const node& n, index schema) {
    const bool is_node = n.a != none && n.a != closed;
    bool lost = false;
    if (!d().allow_additional_properties) {
      lost = n.a != none;
    } else if (d().object_closed_by_default) {
      out().set(schema, additional_properties, "false");
      lost = is_node;
      if (n.a == none) note(n.place, finding_code::object_open, "additionalProperties", action::encoded);
    } else if (n.a == closed) {
      out().set(schema, additional_properties, "false");
    } else if (is_node) {
      const index value = convert(n.a);
      out().set(schema, additional_properties, value);
    }
    if (lost)
      lose(n.place, additional_properties, action::dropped, none,
           is_node ? finding_code::open_tail : finding_code::keyword_unsupported);
  }

  [[nodiscard]] index record(index self, const node& n) {
    if (d().records == record_encoding::array_of_pairs) return pairs(n);
    const std::size_t losses = s_.losses.size();
    const std::size_t findings = s_.findings.size();
    const index key = convert(n.b);
    const index schema = typed("\"object\"");
    if (is_plain(key)) {
      const index annotations = get(n.b).annotations;
      for (const keyword k : {title, description})
        if (out().has(key, k) && find_value(l_, annotations, k) != none) {
          drop(get(n.b).place, entry_key(k));
          note(get(n.b).place, finding_code::annotation_unsupported, to_string(k), action::dropped);
        }
      if (!d().allow_property_names && source_has(n, property_names))
        note(n.place, finding_code::keyword_unsupported, "propertyNames", action::encoded);
    } else if (d().allow_property_names) {
      out().set(schema, property_names, key);
    } else {
      s_.losses.resize(losses);  // the key is not emitted
      s_.findings.truncate(findings);
      lose(n.place, n.made_by, action::dropped, source_value(n, n.made_by));
    }
    const index value = convert(n.a);
    out().set(schema, additional_properties, value);
    best_effort_extras(self, n);
    return schema;
  }
  [[nodiscard]] index source_value(const node& n, keyword k) const {
    if (n.source != proof::view || !l_.source().views()[n.view].keywords.has(k)) return none;
    const element e = l_.json(n.json);
    if (!e.is_object()) return none;
    const auto v = e.find(to_string(k));
    return v ? l_.source().index_of(*v) : none;
  }
  [[nodiscard]] bool source_has(const node& n, keyword k) const { return source_value(n, k) != none; }
  /// Whether a key schema says no more than "string".
  [[nodiscard]] bool is_plain(index schema) const {
    const draft& x = s_.draft;
    if (x.at(schema).what != draft::kind::object) return false;
    bool is_string = false;
    for (index c = x.at(schema).a; c != none; c = x.cell_at(c).next) {
      const draft::cell& m = x.cell_at(c);
      if (m.key == entry_key(type)) {
        const draft::item& t = x.at(m.value);
        is_string = t.what == draft::kind::literal && std::string_view{t.text, t.a} == "\"string\"";
      } else if (m.key != entry_key(title) && m.key != entry_key(description)) {
        return false;
      }
    }
    return is_string;
  }

  [[nodiscard]] index pairs(const node& n) {
    note(n.place, finding_code::map_unsupported, "map", action::encoded);
    make();
    const index pair = typed("\"object\"");
    const index props = out().object();
    out().set(pair, properties, props);
    const index key = convert(n.b);
    out().add_member(props, out().made_name("key"), key);
    const index value = convert(n.a);
    out().add_member(props, out().made_name("value"), value);
    put_key_value(pair, required);
    if (d().allow_additional_properties) out().set(pair, additional_properties, "false");
    if (d().emit_property_ordering) put_key_value(pair, property_ordering);
    const index schema = typed("\"array\"");
    out().set(schema, items, pair);
    return schema;
  }
  void put_key_value(index schema, keyword k) {
    const index list = out().array();
    out().add_item(list, out().literal("\"key\""));
    out().add_item(list, out().literal("\"value\""));
    out().set(schema, k, list);
  }

  // ---------------------------------------------------------------- arrays and tuples

  [[nodiscard]] index array(const node& n) {
    const index schema = typed("\"array\"");
    const index item = convert(n.a);
    out().set(schema, items, item);
    if (n.limits == none) return schema;
    const index low = limit_value(n, min_items);
    const bool small = low != none && d().max_min_items.present &&
                       json::to_double(l_.json(low).raw()) <= d().max_min_items.value;
    gated(n, schema, min_items, d().allow_min_max_items || small);
    gated(n, schema, max_items, d().allow_min_max_items);
    best_effort(n, schema, d().advice_enforced_up_to.items, {min_items, max_items});
    return schema;
  }

  [[nodiscard]] index number_item(index value) {
    const std::size_t from = begin_text();
    out().text().append(std::to_string(value));
    return out().made(from, false);
  }

  [[nodiscard]] index tuple(const node& n) {
    const std::size_t mark = tuple_work_.size();
    for (index i = 0; i < n.count && !s_.failed; ++i) {
      const index item = l_.link(n.first + i);
      const index made = i >= n.b && d().optional_as_nullable ? nullable_of(item) : convert(item);
      tuple_work_.push_back(made);
    }
    const index rest = n.a == none ? none : convert(n.a);
    const std::vector<index> all(tuple_work_.begin() + static_cast<std::ptrdiff_t>(mark), tuple_work_.end());
    tuple_work_.resize(mark);
    if (d().tuples == tuple_encoding::object_numeric_keys && rest == none) return keyed_tuple(n, all);
    std::vector<index> members;
    for (const index m : all) add_different(members, m);
    if (rest != none) add_different(members, rest);
    const index schema = typed("\"array\"");
    bool lost = false;
    if (d().tuples == tuple_encoding::prefix_items) {
      if (members.size() == 1) {
        out().set(schema, items, members[0]);
      } else {
        const index list = out().array();
        for (const index m : all) out().add_item(list, m);
        out().set(schema, prefix_items, list);
        if (rest != none) out().set(schema, items, rest);
      }
    } else {
      lost = members.size() > 1;
      if (lost) {
        make();
        const index list = out().array();
        for (const index m : members) out().add_item(list, m);
        const index choice = out().object();
        out().set(choice, any_of, list);
        out().set(schema, items, choice);
      } else if (members.size() == 1) {
        out().set(schema, items, members[0]);
      } else {
        const index choice = out().object();  // a tuple of nothing
        out().set(choice, any_of, out().array());
        out().set(schema, items, choice);
      }
    }
    if (d().allow_min_max_items) put_tuple_bounds(n, schema, rest != none);
    else lost = true;
    if (lost) {
      const std::size_t from = begin_text();
      append_tuple_text(n);
      lose_text(n.place, n.made_by, action::widened, from, finding_code::tuple_unsupported, to_string(n.made_by));
    } else if (d().tuples != tuple_encoding::prefix_items) {
      note(n.place, finding_code::tuple_unsupported, to_string(n.made_by), action::encoded);
    }
    return schema;
  }
  void add_different(std::vector<index>& members, index m) {
    for (const index k : members)
      if (out().same(k, m)) return;
    members.push_back(m);
  }
  void put_tuple_bounds(const node& n, index schema, bool open) {
    if (!open) {
      out().set(schema, min_items, number_item(n.b));
      out().set(schema, max_items, number_item(n.count));
      return;
    }
    const index low = limit_value(n, min_items);
    const index high = limit_value(n, max_items);
    out().set(schema, min_items, low == none ? number_item(n.count) : out().json(low));
    if (high != none) out().set(schema, max_items, out().json(high));
  }
  [[nodiscard]] index keyed_tuple(const node& n, const std::vector<index>& all) {
    note(n.place, finding_code::tuple_unsupported, to_string(n.made_by), action::encoded);
    const index schema = typed("\"object\"");
    const index props = out().object();
    out().set(schema, properties, props);
    const index needed = out().array();
    const index order = out().array();
    for (std::size_t i = 0; i < all.size(); ++i) {
      const index key = out().made_name(std::to_string(i));
      out().add_member(props, key, all[i]);
      out().add_item(needed, out().made_name_value(key));
      out().add_item(order, out().made_name_value(key));
    }
    out().set(schema, required, needed);
    if (d().allow_additional_properties) out().set(schema, additional_properties, "false");
    if (d().emit_property_ordering) out().set(schema, property_ordering, order);
    return schema;
  }
  void append_tuple_text(const node& n) {
    const auto name = [&](index i) -> std::string_view {
      const node x = get(v_.followed(i));
      if ((x.kind == node_kind::constant || x.kind == node_kind::enumeration) && x.declared != json_type::none)
        return to_string(x.declared);
      if (x.kind == node_kind::integer) return "integer";
      const json_type t = type_class(l_, i, v_.root());
      return t == json_type::none ? std::string_view{"any"} : to_string(t);
    };
    for (index i = 0; i < n.count; ++i) {
      if (i != 0) out().text().append(", ");
      out().text().append(name(l_.link(n.first + i)));
    }
    if (n.a != none) {
      out().text().append(", then ");
      out().text().append(name(n.a));
    }
  }

  // ---------------------------------------------------------------- nullable

  [[nodiscard]] index nullable_of(index i) {
    wrap w = wrap::no;
    if (!d().nullable_keyword) w = d().allow_any_of ? wrap::any_of : wrap::type;
    const index schema = convert(i, w);
    return s_.failed ? schema : make_nullable(schema);
  }

  [[nodiscard]] bool admits_null(index schema) const noexcept {
    const index t = s_.draft.get(schema, type);
    if (t == none) return false;
    const auto is_null = [&](index i) {
      const draft::item& x = s_.draft.at(i);
      return x.what == draft::kind::literal && std::string_view{x.text, x.a} == "\"null\"";
    };
    if (s_.draft.at(t).what != draft::kind::array) return is_null(t);
    for (index c = s_.draft.at(t).a; c != none; c = s_.draft.cell_at(c).next)
      if (is_null(s_.draft.cell_at(c).value)) return true;
    return false;
  }

  [[nodiscard]] index make_nullable(index schema) {
    if (d().nullable_keyword) {
      out().set(innermost_branch(schema), nullable, "true");
      return schema;
    }
    if (admits_null(schema)) return schema;
    if (const index branches = out().get(schema, any_of); branches != none) {
      if (out().at(branches).what == draft::kind::json) return schema;
      for (index c = out().at(branches).a; c != none; c = out().cell_at(c).next)
        if (admits_null(out().cell_at(c).value)) return schema;
      make();
      out().add_item(branches, typed("\"null\""));
      return schema;
    }
    if (!asserts(schema)) return schema;
    if (d().allow_any_of) return null_branch(schema);
    if (const index t = out().get(schema, type); t != none) {
      index list = t;
      if (out().at(t).what != draft::kind::array) {
        list = out().array();
        out().add_item(list, t);
        out().set(schema, type, list);
      }
      out().add_item(list, out().literal("\"null\""));
    }
    if (const index values = out().get(schema, enum_); values != none) {
      out().add_item(values, out().literal("null"));
    } else if (const index value = out().take(schema, const_); value != none) {
      const index list = out().array();
      out().add_item(list, value);
      out().add_item(list, out().literal("null"));
      out().set(schema, enum_, list);
    }
    return schema;
  }
  [[nodiscard]] bool asserts(index schema) const noexcept {
    for (const keyword k : {type, enum_, const_, ref, any_of, one_of, all_of, not_})
      if (s_.draft.has(schema, k)) return true;
    return false;
  }
  [[nodiscard]] index null_branch(index schema) {
    make(2);
    const index wrapper = out().object();
    const index branches = out().array();
    out().set(wrapper, any_of, branches);
    if (const index target = out().take(schema, ref); target != none) {
      // Annotations of a reference sit on the wrapper.
      const index bare = out().object();
      out().set(bare, ref, target);
      out().add_item(branches, bare);
      for (index c = out().at(schema).a; c != none; c = out().cell_at(c).next) {
        const draft::cell x = out().cell_at(c);
        out().set_key(wrapper, x.key, x.value);
      }
    } else {
      const index text = out().take(schema, description);
      out().add_item(branches, schema);
      if (text != none) out().set(wrapper, description, text);
    }
    out().add_item(branches, typed("\"null\""));
    return wrapper;
  }

  // ---------------------------------------------------------------- unions and intersections

  [[nodiscard]] index union_of(index i, const node& n) {
    if (becomes_enum(l_, n, d())) return union_of_constants(i, n);
    if (!d().nullable_keyword) return spelled(i, n, false);
    const bool null_option = has_null_option(l_, n);
    if (!null_option) return spelled(i, n, false);
    index solid = none;
    index count = 0;
    for (index k = 0; k < n.count; ++k)
      if (get(l_.link(n.first + k)).kind != node_kind::null) {
        solid = l_.link(n.first + k);
        ++count;
      }
    if (count == 0) {
      make();
      return null(n);
    }
    const index schema = count == 1 ? convert(solid) : spelled(i, n, true);
    return s_.failed ? schema : make_nullable(schema);
  }

  [[nodiscard]] index spelled(index i, const node& n, bool without_null) {
    make();
    const bool keep = n.one_of && d().allow_one_of && !marked(s_.loose, i);
    if (keep) open_scope();
    const index options = out().array();
    for (index k = 0; k < n.count && !s_.failed; ++k) {
      const index o = l_.link(n.first + k);
      if (without_null && get(o).kind == node_kind::null) continue;
      const index made = convert(o);
      out().add_item(options, made);
    }
    const index schema = out().object();
    if (keep) {
      const index inner = s_.scope_stack.back();
      s_.scope_stack.pop_back();
      s_.one_ofs.emplace_back(i, inner);
      if (s_.scopes[inner].loose) scope().loose = true;
      use_in_scope(inner, true);
      out().set(schema, one_of, options);
      return schema;
    }
    if (n.one_of) {
      const std::size_t from = begin_text();
      out().text().append("exactly one");
      lose_text(n.place, one_of, all_disjoint(n) ? action::rewritten : action::widened, from,
                finding_code::oneof_unsupported, "oneOf");
    }
    out().set(schema, any_of, options);
    return schema;
  }

  [[nodiscard]] index union_of_constants(index i, const node& n) {
    const index united = v_.united_enum(i);
    make();
    lose(n.place, n.made_by, action::rewritten, none, finding_code::union_of_constants);
    for (index k = 0; k < n.count; ++k) {
      const node o = get(l_.link(n.first + k));
      for (index e = o.annotations; e != none; e = l_.get(e).next) {
        const index key = l_.get(e).key;
        if (key != entry_key(title) && key != entry_key(description) && emits_annotation(key)) continue;
        drop(o.place, key);
        note(o.place, finding_code::annotation_unsupported, key_text(key), action::dropped);
      }
    }
    const index schema = constant(get(united), n.made_by);
    return has_null_option(l_, n) ? make_nullable(schema) : schema;
  }

  /// The merged node or superset that is emitted for an intersection, if any.
  [[nodiscard]] index resolved(index i, const node& n, bool again) {
    index other = none;
    const resolution how = v_.resolve(i, other, again);
    if (how == resolution::merged)
      lose(n.place, n.made_by, action::rewritten, none, finding_code::allof_unsupported);
    else if (how == resolution::superset)
      lose(n.place, n.made_by, action::widened, source_value(n, n.made_by), finding_code::allof_unsupported);
    return other;
  }

  [[nodiscard]] index all_of_members(const node& n) {
    const index members = out().array();
    const bool flat = d().allow_all_of;
    for (index k = 0; k < n.count && !s_.failed; ++k) {
      const index m = convert(l_.link(n.first + k));
      const index inner = out().is_only(m, all_of) ? out().get(m, all_of) : none;
      if (flat && inner != none && out().at(inner).what == draft::kind::array) {
        for (index c = out().at(inner).a; c != none; c = out().cell_at(c).next)
          out().add_item(members, out().cell_at(c).value);
      } else {
        out().add_item(members, m);
      }
    }
    const index schema = out().object();
    out().set(schema, flat ? all_of : any_of, members);
    return schema;
  }

  // ---------------------------------------------------------------- disjoint options (3.8)

  [[nodiscard]] bool all_disjoint(const node& n) const {
    for (index i = 0; i < n.count; ++i)
      for (index k = i + 1; k < n.count; ++k)
        if (!disjoint(v_.followed(l_.link(n.first + i)), v_.followed(l_.link(n.first + k)))) return false;
    return true;
  }
  [[nodiscard]] static bool is_constant(const node& n) noexcept {
    return n.kind == node_kind::constant || n.kind == node_kind::enumeration;
  }
  [[nodiscard]] bool common_value(const node& a, const node& b) const {
    for (index i = 0; i < a.count; ++i)
      for (index k = 0; k < b.count; ++k)
        if (json::same(l_.json(l_.link(a.first + i)), l_.json(l_.link(b.first + k)))) return true;
    return false;
  }
  [[nodiscard]] bool disjoint(index x, index y) const {
    const node a = get(x);
    const node b = get(y);
    if (is_constant(a) && is_constant(b)) return !common_value(a, b);
    const json_type s = type_class(l_, x, v_.root());
    const json_type t = type_class(l_, y, v_.root());
    if (is_constant(a) || is_constant(b)) {
      const node& fixed = is_constant(a) ? a : b;
      const node& other = is_constant(a) ? b : a;
      json_type of = is_constant(a) ? t : s;
      if (of == json_type::none) return false;
      if (other.kind == node_kind::integer) of = json_type::integer;
      for (index i = 0; i < fixed.count; ++i)
        if (is_of_type(l_.json(l_.link(fixed.first + i)), of)) return false;
      return true;
    }
    if (s != json_type::none && t != json_type::none && s != t) return true;
    if (a.kind != node_kind::object || b.kind != node_kind::object) return false;
    for (index i = 0; i < a.count; ++i) {
      const property p = l_.property(a.first + i);
      if (p.optional) continue;
      const node mine = get(v_.followed(p.value));
      if (!is_constant(mine)) continue;
      for (index k = 0; k < b.count; ++k) {
        const property q = l_.property(b.first + k);
        if (q.optional || !l_.same_name(p.name, q.name)) continue;
        const node other = get(v_.followed(q.value));
        if (is_constant(other) && !common_value(mine, other)) return true;
      }
    }
    return false;
  }

  // ---------------------------------------------------------------- any

  [[nodiscard]] index any(index i, const node& n, wrap w) {
    index schema = any_schema();
    if (out().has(schema, ref) && !d().allow_ref_siblings) {
      const bool beside = any_extra(i, n) || (any_annotation(n) && w != wrap::any_of);
      if (beside) schema = out().copy(definition(any_definition).schema);
    }
    make(out().size(schema));
    return schema;
  }

  void add_scalars(index branches) {
    for (const std::string_view t : {"\"string\"", "\"number\"", "\"boolean\"", "\"null\""})
      out().add_item(branches, typed(t));
  }
  [[nodiscard]] index any_reference() {
    const index r = out().object();
    out().set(r, ref, out().reference(any_definition));
    return r;
  }

  [[nodiscard]] index any_schema() {
    switch (d().any) {
      case any_encoding::json_string: {
        const index schema = typed("\"string\"");
        out().set(schema, description, "\"Any JSON value, written as JSON text.\"");
        return schema;
      }
      case any_encoding::flat: {
        const index schema = out().object();
        const index branches = out().array();
        out().set(schema, any_of, branches);
        add_scalars(branches);
        out().add_item(branches, typed("\"array\""));
        out().add_item(branches, open_object());
        return schema;
      }
      case any_encoding::recursive_open:
      case any_encoding::recursive_strict: break;
      default: return out().object();
    }
    if (!definition(any_definition).defined) {
      definition(any_definition).defined = true;
      s_.order.push_back(any_definition);
      s_.scopes.emplace_back();
      definition(any_definition).scope = static_cast<index>(s_.scopes.size() - 1);
      const index schema = out().object();
      definition(any_definition).schema = schema;
      const index branches = out().array();
      out().set(schema, any_of, branches);
      add_scalars(branches);
      const index list = typed("\"array\"");
      out().set(list, items, any_reference());
      out().add_item(branches, list);
      out().add_item(branches, d().any == any_encoding::recursive_open ? any_object() : any_pairs());
      make(out().size(schema));
    }
    return any_reference();
  }
  [[nodiscard]] index open_object() {
    const index schema = typed("\"object\"");
    out().set(schema, additional_properties, "true");
    return schema;
  }
  [[nodiscard]] index any_object() {
    const index schema = typed("\"object\"");
    out().set(schema, additional_properties, any_reference());
    return schema;
  }
  [[nodiscard]] index any_pairs() {
    const index pair = typed("\"object\"");
    const index props = out().object();
    out().set(pair, properties, props);
    out().add_member(props, out().made_name("key"), typed("\"string\""));
    out().add_member(props, out().made_name("value"), any_reference());
    put_key_value(pair, required);
    out().set(pair, additional_properties, "false");
    const index schema = typed("\"array\"");
    out().set(schema, items, pair);
    return schema;
  }

  // ---------------------------------------------------------------- references

  [[nodiscard]] index reference_to(index definition) {
    const index r = out().object();
    out().set(r, ref, out().reference(definition));
    return r;
  }
  [[nodiscard]] std::string_view definition_text(index d) {
    return d == root_definition ? std::string_view{"#"} : name_text(l_.source().definitions()[d].name);
  }

  [[nodiscard]] index reference(index i, const node& n, wrap w) {
    const index name = n.a;
    const bool back = name == root_definition || definition(name).converting;
    report_annotations(n);
    report_extras(i, n);
    const bool annotated = any_annotation(n);
    const bool extra = any_extra(i, n);
    if (back && (!back_edge_allowed(name) || (w == wrap::type && name == root_definition))) return cut(i, n);
    const bool first = !back && !definition(name).defined;
    if (first) define(name);
    if (s_.failed) return out().object();
    use_in_scope(name, false);
    if (!back && !d().allow_defs_ref) {
      lose(n.place, entry_key(ref), action::inlined, none, finding_code::ref_unsupported, definition_text(name));
      if (!first) make(out().size(definition(name).schema));
      return s_.failed ? out().object() : out().copy(definition(name).schema);
    }
    make();
    const index schema = reference_to(name);
    if (!annotated && !extra) return schema;
    if (d().allow_ref_siblings || (w == wrap::any_of && !extra)) {
      bool combinator = false;
      for (index e = n.extras; e != none; e = l_.get(e).next)
        if (emits(i, n, static_cast<keyword>(l_.get(e).key), combinator))
          out().set(schema, static_cast<keyword>(l_.get(e).key), out().json(l_.get(e).value));
      apply_annotations(n, schema);
      return schema;
    }
    const index body = back ? none : body_of(name);
    if (body == none) {
      for (index e = n.annotations; e != none; e = l_.get(e).next)
        if (emits_annotation(l_.get(e).key))
          lose(n.place, l_.get(e).key, action::dropped, none, finding_code::ref_siblings, key_text(l_.get(e).key));
      bool combinator = false;
      for (index e = n.extras; e != none; e = l_.get(e).next)
        if (emits(i, n, static_cast<keyword>(l_.get(e).key), combinator))
          lose(n.place, static_cast<keyword>(l_.get(e).key), action::dropped, none, finding_code::ref_siblings);
      return schema;
    }
    lose(n.place, ref, action::inlined, none, finding_code::ref_siblings);
    make(out().size(body) - 1);
    return s_.failed ? schema : out().copy(body);
  }

  /// The converted definition, through definitions that are only references.
  [[nodiscard]] index body_of(index name) {
    for (std::size_t steps = 0; steps <= s_.definitions.size(); ++steps) {
      if (name == root_definition) return none;
      const index body = definition(name).schema;
      if (body == none || !out().is_only(body, ref)) return body;
      name = out().at(out().get(body, ref)).a;
    }
    return none;
  }

  [[nodiscard]] bool back_edge_allowed(index name) const noexcept {
    if (!d().supports_recursion) return false;
    if (!(name == root_definition ? d().allow_root_ref : d().allow_defs_ref)) return false;
    return !d().recursion_only_optional || s_.optional_passed.back() != 0;
  }

  void define(index name) {
    definition(name).defined = true;
    definition(name).converting = true;
    s_.order.push_back(name);
    s_.optional_passed.push_back(0);
    open_scope();
    definition(name).scope = s_.scope_stack.back();
    const index schema = convert(l_.definition_node(name));
    definition(name).schema = schema;
    s_.scope_stack.pop_back();
    s_.optional_passed.pop_back();
    definition(name).converting = false;
  }

  [[nodiscard]] index cut(index i, const node& n) {
    mark(s_.cut, i);
    lose(n.place, entry_key(ref), action::widened, none, finding_code::recursion_cut, definition_text(n.a));
    index schema = outline(v_.target(n), false);
    if (out().has(schema, ref) && !d().allow_ref_siblings) schema = out().copy(definition(any_definition).schema);
    const std::size_t from = begin_text();
    out().text().append("Cut recursion: same shape as ");
    if (n.a == root_definition) out().text().append("the root");
    else out().text().append(l_.json(l_.source().definitions()[n.a].name).content());
    out().text().append(".");
    if (const index inner = out().get(schema, description); inner != none) append_joined(inner);
    out().set(schema, description, out().made(from, true));
    make(out().size(schema));
    return schema;
  }

  [[nodiscard]] index bare_array() {
    const index schema = typed("\"array\"");
    if (d().any == any_encoding::unconstrained && d().recursion_only_optional) out().set(schema, items, out().object());
    return schema;
  }

  [[nodiscard]] index outline(index i, bool deep) {
    if (d().any == any_encoding::json_string) return any_schema();
    i = v_.followed(i);
    const node n = get(i);
    switch (n.kind) {
      case node_kind::nullable: return outline(n.a, deep);
      case node_kind::string: return typed("\"string\"");
      case node_kind::number: return typed("\"number\"");
      case node_kind::integer: return typed("\"integer\"");
      case node_kind::boolean: return typed("\"boolean\"");
      case node_kind::null: return typed("\"null\"");
      case node_kind::constant:
      case node_kind::enumeration: {
        if (is_coded(l_, n, d())) return typed("\"string\"");
        const json_type t = wire_type(l_, n, d());
        return t == json_type::none ? any_schema() : typed(type_literal(t));
      }
      case node_kind::object:
      case node_kind::record:
      case node_kind::all_of: return open_object();
      case node_kind::tuple: return bare_array();
      case node_kind::array: {
        if (deep) return bare_array();
        const index schema = typed("\"array\"");
        const index item = outline(n.a, true);
        out().set(schema, items, item);
        return schema;
      }
      case node_kind::union_of: {
        if (deep) return any_schema();
        std::vector<index> kept;
        for (index k = 0; k < n.count; ++k) add_different(kept, outline(l_.link(n.first + k), true));
        if (kept.size() == 1) return kept[0];
        const index branches = out().array();
        for (const index k : kept) out().add_item(branches, k);
        const index schema = out().object();
        out().set(schema, any_of, branches);
        return schema;
      }
      default: return any_schema();
    }
  }

  Dialect dialect_;
  emitter_state& s_;
  perspective& v_;
  layers& l_;
  bool describe_;
  double max_nodes_;
  std::size_t made_ = 0;
  std::uint32_t depth_ = 0;
  std::uint32_t visit_ = 0;
  std::vector<index> tuple_work_;
};

}  // namespace detail
}  // namespace schema
}  // namespace v0_1
}  // namespace codemode
