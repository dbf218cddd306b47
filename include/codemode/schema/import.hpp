#pragma once

/// @file
/// JSON Schema to nodes: 2020-12, and the spellings of older drafts and of careless servers (schema.md 1.2).

#include <codemode/json/document.hpp>
#include <codemode/result.hpp>
#include <codemode/schema/entries.hpp>
#include <codemode/schema/nesting.hpp>
#include <codemode/schema/reference.hpp>
#include <codemode/schema/tree.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace schema {

/// Why a schema cannot be taken.
enum class import_errc : std::uint8_t {
  invalid_json,           ///< the text is no JSON; `json` tells more
  not_a_schema,           ///< an object or a boolean was expected
  bad_keyword,            ///< the value of a known keyword has the wrong type
  unknown_type,           ///< `type` names no JSON type
  duplicate_member,       ///< a member twice in one object
  reference_not_local,    ///< only references into the same document are followed
  reference_unresolved,   ///< nothing is there
  reference_loop,         ///< references that lead back to themselves with no structure in between
  too_deep,               ///< nested deeper than `max_depth`, references included
  too_large               ///< more than 2^31 values
};

[[nodiscard]] constexpr std::string_view to_string(import_errc c) noexcept {
  constexpr std::string_view names[]{"invalid_json", "not_a_schema", "bad_keyword", "unknown_type", "duplicate_member",
                                     "reference_not_local", "reference_unresolved", "reference_loop", "too_deep",
                                     "too_large"};
  return names[static_cast<std::size_t>(c)];
}

/// A failed import. `what` is static text.
struct import_error {
  import_errc code = import_errc::not_a_schema;
  std::string pointer{};      ///< of the schema at fault
  std::string subject{};      ///< keyword, reference or name at fault, or empty
  std::string_view what{};
  diagnostic json{};          ///< for `invalid_json`; its views point into the text that was read
};

/// Makes a tree of a schema that has been read. Used through `import_schema`.
class importer {
 public:
  [[nodiscard]] result<tree, import_error> run(const json::element& source) {
    adopt_text(source);
    // A level of a schema nests with up to three values. Counted also inside values such as `default`, which later
    // steps walk by recursion.
    if (detail::is_nested_deeper(source, std::size_t{3} * max_depth)) {
      fail(import_errc::too_deep, 0, {}, "the schema is nested too deeply");
      return *std::move(error_);
    }
    t_.views_.push_back({keyword_set::all(), none});
    t_.places_.push_back({});
    import_root();
    if (!error_) check_loops();
    if (!error_) leave_out_never();
    if (error_) return *std::move(error_);
    std::sort(t_.targets_.begin(), t_.targets_.end());
    t_.targets_.erase(std::unique(t_.targets_.begin(), t_.targets_.end()), t_.targets_.end());
    return std::move(t_);
  }

 private:
  using enum keyword;
  using element = json::element;

  /// How an object schema without anything in it is read (rule 9).
  enum class bare : std::uint8_t { map, object, sibling };

  /// A schema, the keywords of it that count, and a `type` pushed into it.
  struct body {
    index json = none;
    keyword_set has{};
    index type = none;
    bool draft4_minimum = false;  ///< `exclusiveMinimum: true`: `minimum` is the exclusive bound
    bool draft4_maximum = false;
  };

  // ---------------------------------------------------------------- text and errors

  void adopt_text(const element& source) {
    const std::string_view raw = source.raw();
    t_.text_.assign(raw.begin(), raw.end());
    const json::node* const from = source.at();
    t_.source_.assign(from, from + from->extent);
    const std::uint32_t shift = from->begin;
    for (json::node& n : t_.source_) {
      n.begin -= shift;
      n.end -= shift;
    }
    // A tree keeps what it needs and no spare room: about a node for each schema, fewer than one for three values.
    const std::size_t schemas = t_.source_.size() / 5 + 4;
    t_.rows_.nodes.reserve(schemas);
    t_.places_.reserve(schemas);
  }

  index fail(import_errc code, index place, std::string_view subject, std::string_view what) {
    if (!error_) {
      error_.emplace();
      error_->code = code;
      if (place < t_.places_.size()) error_->pointer = t_.pointer(place);
      error_->subject = subject;
      error_->what = what;
    }
    return none;
  }
  index fail(import_errc code, index place, keyword k, std::string_view what) {
    return fail(code, place, to_string(k), what);
  }

  [[nodiscard]] element at(index i) const noexcept { return t_.json(i); }
  [[nodiscard]] index id(const element& e) const noexcept { return t_.index_of(e); }
  [[nodiscard]] node& nd(index i) noexcept { return t_.rows_.nodes[i]; }

  // ---------------------------------------------------------------- small makers

  [[nodiscard]] index make(node_kind k, index place) {
    const auto i = static_cast<index>(t_.rows_.nodes.size());
    node& n = t_.rows_.nodes.emplace_back();
    n.kind = k;
    n.place = place;
    return i;
  }
  [[nodiscard]] index step(index parent, keyword k) {
    t_.places_.push_back({parent, static_cast<index>(k), place::step::keyword});
    return static_cast<index>(t_.places_.size() - 1);
  }
  [[nodiscard]] index step_name(index parent, index name) {
    t_.places_.push_back({parent, name, place::step::name});
    return static_cast<index>(t_.places_.size() - 1);
  }
  [[nodiscard]] index step_item(index parent, index item) {
    t_.places_.push_back({parent, item, place::step::item});
    return static_cast<index>(t_.places_.size() - 1);
  }
  void say(index node, remark::code what, index subject = 0) {
    t_.remarks_.push_back({what, subject, nd(node).remarks});
    nd(node).remarks = static_cast<index>(t_.remarks_.size() - 1);
  }
  /// The JSON string "string", for property names.
  [[nodiscard]] index string_type() {
    if (string_type_ == none) string_type_ = t_.source_count() + t_.rows_.json.scalar(json::kind::string, "\"string\"");
    return string_type_;
  }
  /// `{}`, where a server sent `[]`.
  [[nodiscard]] index empty_object() {
    if (empty_object_ == none) {
      const index i = t_.rows_.json.open(json::kind::object);
      t_.rows_.json.close(i, 0);
      empty_object_ = t_.source_count() + i;
    }
    return empty_object_;
  }

  void proves(index node, const body& b) { proves(node, b, b.has); }
  void proves(index node, const body& b, keyword_set keywords) {
    if (b.json == none) return;
    const node_view v = view_of(b, keywords);
    nd(node).source = proof::view;
    nd(node).json = b.json;
    nd(node).view = v;
  }
  using node_view = index;
  [[nodiscard]] node_view view_of(const body& b, keyword_set keywords) {
    source_view v{keywords, b.type};
    if (b.draft4_minimum) v.keywords = v.keywords | keyword_set{minimum, exclusive_minimum};
    if (b.draft4_maximum) v.keywords = v.keywords | keyword_set{maximum, exclusive_maximum};
    // Most schemas count whole.
    if (keywords == whole_ && b.type == none) return 0;
    if (t_.views_.size() > 1 && t_.views_.back().keywords == v.keywords && t_.views_.back().type == v.type)
      return static_cast<index>(t_.views_.size() - 1);
    t_.views_.push_back(v);
    return static_cast<index>(t_.views_.size() - 1);
  }

  // ---------------------------------------------------------------- reading keywords

  [[nodiscard]] element get(const body& b, keyword k) const noexcept {
    if (k == type && b.type != none) return at(b.type);
    if (k == exclusive_minimum && b.draft4_minimum) k = minimum;
    if (k == exclusive_maximum && b.draft4_maximum) k = maximum;
    const std::string_view name = to_string(k);
    const element object = at(b.json);
    for (const json::member m : object.members())
      if (m.key.equals(name)) return m.value;
    return {};
  }
  [[nodiscard]] index get_id(const body& b, keyword k) const noexcept {
    if (k == type && b.type != none) return b.type;
    return id(get(b, k));
  }

  /// Members of a map; an empty array counts as an empty one.
  [[nodiscard]] bool is_map(const element& e) const noexcept { return e.is_object() || (e.is_array() && e.size() == 0); }
  [[nodiscard]] index as_map(const element& e) { return e.is_object() ? id(e) : empty_object(); }
  [[nodiscard]] static std::size_t map_size(const element& e) noexcept { return e.is_object() ? e.size() : 0; }

  [[nodiscard]] static bool is_only(const element& e, keyword k) noexcept {
    return e.is_object() && e.size() == 1 && (*e.members().begin()).key.equals(to_string(k));
  }
  [[nodiscard]] static keyword_set keywords_of(const element& object) noexcept {
    keyword_set s;
    std::string_view name;
    for (const json::member m : object.members()) {
      name = m.key.content();
      if (const auto k = m.key.escaped() ? find_escaped(m.key) : find_keyword(name)) s.add(*k);
    }
    return s;
  }
  [[nodiscard]] static std::optional<keyword> find_escaped(const element& key) noexcept {
    for (std::size_t i = 0; i + 1 < keyword_count; ++i)
      if (key.equals(detail::keyword_names[i])) return static_cast<keyword>(i);
    return std::nullopt;
  }
  [[nodiscard]] static std::optional<keyword> keyword_of(const element& key) noexcept {
    return key.escaped() ? find_escaped(key) : find_keyword(key.content());
  }
  /// `true`, or a schema that asserts nothing that is known.
  [[nodiscard]] static bool asserts_nothing(const element& e) noexcept {
    if (e.kind() == json::kind::boolean) return e.is_true();
    return e.is_object() && (keywords_of(e) & sets::assertions).empty();
  }
  [[nodiscard]] static bool says_only_string(const element& e) noexcept {
    if (!e.is_object() || (keywords_of(e) & sets::assertions) != keyword_set{type}) return false;
    const auto t = e.find("type");
    return t && t->is_string() && t->equals("string");
  }
  [[nodiscard]] static bool required_only(const element& branches) noexcept {
    if (!branches.is_array() || branches.size() == 0) return false;
    for (const element b : branches.items())
      if (!is_only(b, required)) return false;
    return true;
  }
  [[nodiscard]] bool has_reference(const element& e) {
    scan_.assign(1, e);
    while (!scan_.empty()) {
      const element here = scan_.back();
      scan_.pop_back();
      if (here.is_array()) {
        for (const element x : here.items()) scan_.push_back(x);
      } else if (here.is_object()) {
        for (const json::member m : here.members()) {
          if (m.key.equals("$ref")) return true;
          scan_.push_back(m.value);
        }
      }
    }
    return false;
  }

  // ---------------------------------------------------------------- root and references

  void import_root() {
    index json = 0;
    index place = 0;
    std::vector<index> outer;
    roots_.push_back(0);
    for (;;) {
      const element e = at(json);
      if (!e.is_object()) break;
      const keyword_set has = keywords_of(e);
      if ((has & sets::assertions) != keyword_set{ref}) break;
      if (const auto n = e.find("nullable"); n && n->kind() == json::kind::boolean && n->is_true()) break;
      if (!check_members(e, place)) return;
      outer.push_back(json);
      for (const json::member m : e.members())
        if (const auto k = keyword_of(m.key); k && sets::meta.has(*k))
          t_.adopted_.emplace_back(place, remark{remark::code::meta_keyword, entry_key(*k), none});
      const auto target = locate(*e.find("$ref"), place);
      if (!target) return;
      if (std::find(roots_.begin(), roots_.end(), target->json) != roots_.end()) {
        fail(import_errc::reference_loop, place, ref, "a loop of references with no structure in between");
        return;
      }
      roots_.push_back(target->json);
      json = target->json;
      place = target->place;
    }
    t_.root_ = schema(json, place, bare::object);
    if (error_) return;
    for (auto i = outer.rbegin(); i != outer.rend(); ++i)
      annotate(t_.root_, at(*i));
  }

  struct found {
    index json;
    index place;
  };

  /// What a reference means; remembers it for validation.
  [[nodiscard]] std::optional<found> locate(const element& reference, index place) {
    if (!reference.is_string()) {
      fail(import_errc::bad_keyword, place, ref, "$ref must be a string");
      return std::nullopt;
    }
    std::string text;
    reference.decode(text);
    if (!text.starts_with('#') || (text.size() > 1 && text[1] != '/' && text[1] != '%')) {
      fail(import_errc::reference_not_local, place, text, "only references into the same document are followed");
      return std::nullopt;
    }
    found t{0, 0};
    const auto resolved = resolve_reference(t_.source(), text, [&](const element& key, bool item, index n) {
      t.place = item ? step_item(t.place, n) : step_name(t.place, id(key));
    });
    if (!resolved) {
      fail(import_errc::reference_unresolved, place, text, "the reference does not resolve");
      return std::nullopt;
    }
    t.json = id(*resolved);
    t_.targets_.emplace_back(id(reference), t.json);
    return t;
  }

  [[nodiscard]] index reference(const body& b, index place) {
    const auto t = locate(get(b, ref), place);
    if (!t) return none;
    const index made = make(node_kind::reference, place);
    if (std::find(roots_.begin(), roots_.end(), t->json) != roots_.end()) {
      nd(made).a = root_definition;
      return made;
    }
    const auto known = std::lower_bound(by_json_.begin(), by_json_.end(), std::pair<index, index>{t->json, 0});
    if (known != by_json_.end() && known->first == t->json) {
      nd(made).a = known->second;
      return made;
    }
    const auto d = static_cast<index>(t_.definitions_.size());
    nd(made).a = d;
    by_json_.insert(known, {t->json, d});
    t_.definitions_.push_back({definition_name(t->place), none});
    const index node = schema(t->json, t->place);
    t_.definitions_[d].node = node;
    return made;
  }

  /// The last step of a pointer, with a number behind it where the name is taken.
  [[nodiscard]] index definition_name(index place) {
    const schema::place& p = t_.places_[place];
    std::string base;
    if (p.kind == place::step::item) base = std::to_string(p.token);
    else at(p.token).decode(base);
    std::string name = base;
    for (std::uint32_t n = 2; !names_taken(name); ++n) name = base + "_" + std::to_string(n);
    if (p.kind == place::step::name && name == base) return p.token;
    return t_.source_count() + t_.rows_.json.string(name);
  }
  /// Takes a name that is free.
  [[nodiscard]] bool names_taken(const std::string& name) {
    const auto i = std::lower_bound(names_.begin(), names_.end(), name);
    if (i != names_.end() && *i == name) return false;
    names_.insert(i, name);
    return true;
  }

  // ---------------------------------------------------------------- one schema

  /// The node of a schema. `type` is a type pushed into it.
  [[nodiscard]] index schema(index json, index place, bare b = bare::map, index pushed = none) {
    if (error_) return none;
    if (depth_ > max_depth) return fail(import_errc::too_deep, place, {}, "the schema is nested too deeply");
    ++depth_;
    const index made = schema_at_depth(json, place, b, pushed);
    --depth_;
    return made;
  }

  [[nodiscard]] index schema_at_depth(index json, index place, bare b, index pushed) {
    const element e = at(json);
    if (e.kind() == json::kind::boolean) {
      if (pushed != none) {
        body c{json, keyword_set{type}, pushed};
        return typed(c, place, b);
      }
      const index made = make(e.is_true() ? node_kind::any : node_kind::never, place);
      nd(made).made_by = not_;
      nd(made).source = proof::view;
      nd(made).json = json;
      say(made, remark::code::boolean_schema, e.is_true() ? 1 : 0);
      return made;
    }
    if (!is_map(e)) return fail(import_errc::not_a_schema, place, {}, "a schema is an object or a boolean");
    body c{json, {}, pushed};
    index first_remark = none;
    bool nullable_flag = false;
    if (e.is_object()) {
      if (!check_members(e, place)) return none;
      for (const json::member m : e.members()) {
        const auto k = keyword_of(m.key);
        if (!k) continue;
        if (sets::meta.has(*k)) note(first_remark, remark::code::meta_keyword, *k);
        take_keyword(c, *k, m.value, first_remark);
        if (*k == nullable && m.value.kind() == json::kind::boolean) {
          nullable_flag = m.value.is_true();
          note(first_remark, remark::code::nullable_keyword, nullable);
        }
      }
      mend_bounds(c);
    }
    const bool pushed_type = pushed != none && !c.has.has(type);
    if (pushed_type) c.has.add(type);
    const keyword_set all = c.has;
    c.has = all & sets::assertions;
    const keyword_set outer_whole = std::exchange(whole_, c.has);
    index made = assertions(c, place, b);
    whole_ = outer_whole;
    if (made == none) return none;
    if (nullable_flag && nd(made).kind != node_kind::nullable && nd(made).kind != node_kind::null) {
      const index wrapper = make(node_kind::nullable, place);
      nd(wrapper).made_by = nullable;
      nd(wrapper).a = made;
      nd(wrapper).source = proof::view;
      nd(wrapper).json = json;
      // The node inside says the same without the word.
      if (nd(made).source == proof::view && nd(made).view == 0) {
        t_.views_.push_back({c.has, c.type});
        nd(made).view = static_cast<index>(t_.views_.size() - 1);
      }
      if (c.type != none) {
        t_.views_.push_back({all | keyword_set{nullable}, c.type});
        nd(wrapper).view = static_cast<index>(t_.views_.size() - 1);
      }
      made = wrapper;
    }
    if (e.is_object()) annotate(made, e);
    if (first_remark != none) {
      index last = first_remark;
      while (t_.remarks_[last].next != none) last = t_.remarks_[last].next;
      t_.remarks_[last].next = nd(made).remarks;
      nd(made).remarks = first_remark;
    }
    return made;
  }

  /// Refuses members that occur twice.
  [[nodiscard]] bool check_members(const element& object, index place) {
    if (const auto twice = duplicates_.find_key(object)) {
      std::string name;
      twice->decode(name);
      fail(import_errc::duplicate_member, place, name, "the member occurs twice");
      return false;
    }
    return true;
  }

  /// Puts a remark before a list of them.
  void note(index& list, remark::code what, keyword k) {
    t_.remarks_.push_back({what, entry_key(k), list});
    list = static_cast<index>(t_.remarks_.size() - 1);
  }

  /// Enters a keyword, mended by rule 0.
  void take_keyword(body& c, keyword k, const element& v, index& remarks) {
    const bool empty_array = v.is_array() && v.size() == 0;
    switch (k) {
      case exclusive_minimum:
      case exclusive_maximum:
        if (v.kind() == json::kind::boolean) {
          note(remarks, remark::code::draft4_bound, k);
          if (v.is_true()) (k == exclusive_minimum ? c.draft4_minimum : c.draft4_maximum) = true;
          return;
        }
        break;
      case items:
        if (empty_array) {
          note(remarks, remark::code::empty_array_as_map, k);
          return;
        }
        break;
      case properties:
      case pattern_properties:
      case defs:
      case definitions:
      case dependent_schemas:
      case dependent_required:
      case additional_properties:
        if (empty_array) note(remarks, remark::code::empty_array_as_map, k);
        break;
      default:
        break;
    }
    if (k == type && c.type != none) c.type = none;  // its own type wins over a pushed one
    c.has.add(k);
  }
  /// `exclusiveMinimum: true` takes the place of `minimum`, if there is one.
  static void mend_bounds(body& c) noexcept {
    if (c.draft4_minimum) {
      c.draft4_minimum = c.has.has(minimum);
      c.has.remove(minimum);
      if (c.draft4_minimum) c.has.add(exclusive_minimum);
    }
    if (c.draft4_maximum) {
      c.draft4_maximum = c.has.has(maximum);
      c.has.remove(maximum);
      if (c.draft4_maximum) c.has.add(exclusive_maximum);
    }
  }

  /// Gives a node the annotations of an object schema, over those it has.
  void annotate(index made, const element& e) {
    entry_list own;
    for (const json::member m : e.members()) {
      const auto k = keyword_of(m.key);
      if (k && (sets::assertions.has(*k) || sets::meta.has(*k) || *k == defs || *k == definitions || *k == nullable))
        continue;
      own.add(t_.rows_.entries, k ? entry_key(*k) : first_unknown_key + id(m.key), id(m.value));
    }
    if (own.head == none) return;
    node& n = nd(made);
    if (n.annotations == none) {
      n.annotations = own.head;
      return;
    }
    const source_layer layer{t_};
    n.annotations = joined_over(layer, own.head, n.annotations);
  }

  /// Entry operations during import: everything lives in the tree.
  struct source_layer {
    tree& t;
    [[nodiscard]] json::element json(index i) const noexcept { return t.json(i); }
    [[nodiscard]] entry get(index i) const noexcept { return t.rows_.entries[i]; }
    [[nodiscard]] std::vector<entry>& made() const noexcept { return t.rows_.entries; }
    [[nodiscard]] index base() const noexcept { return 0; }
    [[nodiscard]] index add_joined(index a, index b) const {
      std::string text{"\""};
      text.append(json(a).content());
      text.append(" ");
      text.append(json(b).content());
      text.append("\"");
      return t.source_count() + t.rows_.json.scalar(json::kind::string, text);
    }
  };

  // ---------------------------------------------------------------- assertions

  /// The node of assertion keywords alone.
  [[nodiscard]] index assertions(body c, index place, bare b) {
    if (c.has == keyword_set{not_}) {
      const element n = get(c, not_);
      if ((n.kind() == json::kind::boolean && n.is_true()) || (n.is_object() && n.size() == 0)) {
        const index made = make(node_kind::never, place);
        nd(made).made_by = not_;
        proves(made, c);
        return made;
      }
    }
    if (c.has.has(ref)) return with_reference(c, place);
    if (c.has.has(const_) || c.has.has(enum_)) return constant(c, place);
    keyword_set kept;
    for (const keyword k : {any_of, one_of, all_of}) {
      if (!c.has.has(k)) continue;
      const element branches = get(c, k);
      if (!branches.is_array()) return fail(import_errc::bad_keyword, place, k, "a list of schemas was expected");
      if (required_only(branches)) kept.add(k);
    }
    if (kept.empty()) return combined(c, place, b);
    body rest = c;
    rest.has = c.has - kept;
    const index made = combined(rest, place, b);
    if (made == none) return none;
    for (const keyword k : {any_of, one_of, all_of})
      if (kept.has(k)) put(nd(made).extras, entry_key(k), get_id(c, k));
    widen_proof(made, c, kept);
    return made;
  }

  /// The node also stands for keywords that were left aside.
  void widen_proof(index made, const body& c, keyword_set more) {
    if (nd(made).source == proof::view && nd(made).json == c.json) {
      source_view v = t_.views_[nd(made).view];
      if (nd(made).view == 0) return;
      v.keywords = v.keywords | more;
      t_.views_.push_back(v);
      nd(made).view = static_cast<index>(t_.views_.size() - 1);
      return;
    }
    // Two schemas say it together.
    index a = make(nd(made).kind, nd(made).place);
    nd(a).source = nd(made).source;
    nd(a).json = nd(made).json;
    nd(a).view = nd(made).view;
    const index b = make(node_kind::any, nd(made).place);
    proves(b, c, more);
    nd(made).source = proof::both;
    nd(made).json = a;
    nd(made).view = b;
  }

  void put(index& list, index key, index value) {
    entry_list l;
    l.head = list;
    for (index i = list; i != none; i = t_.rows_.entries[i].next) l.tail = i;
    l.add(t_.rows_.entries, key, value);
    list = l.head;
  }

  /// Gives a node the extras of a body.
  void take_extras(index made, const body& c, keyword_set among = sets::extras) {
    const keyword_set own = c.has & sets::extras & among;
    if (own.empty()) return;
    entry_list kept;
    entry_list lost;
    kept.head = nd(made).extras;
    for (index i = kept.head; i != none; i = t_.rows_.entries[i].next) kept.tail = i;
    lost.head = nd(made).lost;
    for (index i = lost.head; i != none; i = t_.rows_.entries[i].next) lost.tail = i;
    const element object = at(c.json);
    for (const json::member m : object.members()) {
      const auto k = keyword_of(m.key);
      if (!k || !own.has(*k)) continue;
      const bool map = *k == dependent_schemas || *k == dependent_required;
      const index value = map ? as_map(m.value) : id(m.value);
      if (sets::schema_extras.has(*k) && has_reference(m.value)) lost.add(t_.rows_.entries, entry_key(*k), value);
      else kept.add(t_.rows_.entries, entry_key(*k), value);
    }
    nd(made).extras = kept.head;
    nd(made).lost = lost.head;
  }

  [[nodiscard]] index with_reference(const body& c, index place) {
    const index made = reference(c, place);
    if (made == none) return none;
    body rest = c;
    rest.has.remove(ref);
    if (!(rest.has - sets::extras).empty()) {
      const index other = assertions(rest, place, bare::sibling);
      if (other == none) return none;
      body alone = c;
      alone.has = keyword_set{ref};
      proves(made, alone);
      return all_of_nodes({made, other}, place, ref, c);
    }
    proves(made, c);
    take_extras(made, rest);
    return made;
  }

  [[nodiscard]] index all_of_nodes(std::initializer_list<index> members, index place, keyword by, const body& c) {
    const index made = make(node_kind::all_of, place);
    nd(made).made_by = by;
    nd(made).first = static_cast<index>(t_.rows_.links.size());
    nd(made).count = static_cast<index>(members.size());
    t_.rows_.links.insert(t_.rows_.links.end(), members);
    proves(made, c);
    return made;
  }

  [[nodiscard]] index constant(const body& c, index place) {
    json_type declared = json_type::none;
    if (c.has.has(type)) {
      const element t = get(c, type);
      if (t.is_string()) {
        declared = type_of(t);
      } else if (t.is_array()) {
        std::size_t others = 0;
        for (const element x : t.items())
          if (x.is_string() && !x.equals("null")) {
            ++others;
            declared = type_of(x);
          }
        if (others != 1) declared = json_type::none;
      }
    }
    const bool untyped = !c.has.has(type);
    index made = none;
    if (c.has.has(const_)) {
      const index value = get_id(c, const_);
      if (at(value).kind() == json::kind::null) {
        made = make(node_kind::null, place);
        proves(made, c);
        return made;
      }
      made = make(node_kind::constant, place);
      nd(made).first = static_cast<index>(t_.rows_.links.size());
      nd(made).count = 1;
      nd(made).declared = declared;
      nd(made).made_by = const_;
      t_.rows_.links.push_back(value);
      proves(made, c);
      if (untyped) say(made, remark::code::untyped_constant, entry_key(const_));
      return made;
    }
    const element values = get(c, enum_);
    if (!values.is_array()) return fail(import_errc::bad_keyword, place, enum_, "enum must be an array");
    if (values.size() == 0) {
      made = make(node_kind::never, place);
      nd(made).made_by = enum_;
      proves(made, c);
      return made;
    }
    const auto first = static_cast<index>(t_.rows_.links.size());
    for (const element v : values.items())
      if (v.kind() != json::kind::null) t_.rows_.links.push_back(id(v));
    const auto count = static_cast<index>(t_.rows_.links.size() - first);
    if (count == 0) {
      made = make(node_kind::null, place);
      proves(made, c);
      return made;
    }
    made = make(node_kind::enumeration, place);
    nd(made).first = first;
    nd(made).count = count;
    nd(made).declared = declared;
    nd(made).made_by = enum_;
    proves(made, c);
    if (untyped) say(made, remark::code::untyped_constant, entry_key(enum_));
    if (count == values.size()) return made;
    const index wrapper = make(node_kind::nullable, place);
    nd(wrapper).a = made;
    nd(wrapper).made_by = c.has.has(type) && get(c, type).is_array() ? type : enum_;
    proves(wrapper, c);
    return wrapper;
  }
  [[nodiscard]] static json_type type_of(const element& e) noexcept {
    return e.escaped() ? json_type::none : type_from_string(e.content());
  }

  // ---------------------------------------------------------------- combinators

  [[nodiscard]] index combined(const body& c, index place, bare b) {
    if (c.has.has(any_of)) return alternatives(any_of, c, place);
    if (c.has.has(one_of)) return alternatives(one_of, c, place);
    if (c.has.has(all_of)) return intersection(c, place);
    return typed(c, place, b);
  }

  [[nodiscard]] index alternatives(keyword k, const body& c, index place) {
    const element branches = get(c, k);
    if (branches.size() == 0) return fail(import_errc::bad_keyword, place, k, "there is no alternative");
    body rest = c;
    rest.has.remove(k);
    keyword_set modelled = rest.has - sets::extras;
    index pushed = none;
    keyword_set said{k};
    if (modelled == keyword_set{type}) {
      pushed = get_id(rest, type);
      modelled = {};
      said.add(type);  // validation pushes it as well
    }
    std::size_t nulls = 0;
    for (const element x : branches.items()) nulls += is_null_schema(x) ? 1U : 0U;
    const index list = step(place, k);
    index made = none;
    const auto branch = [&](index i, const element& x) {
      const index where = step_item(list, i);
      return schema(id(x), where, bare::map, pushes_into(x) ? pushed : none);
    };
    if (branches.size() == 2 && nulls == 1) {
      index i = 0;
      index inner = none;
      for (const element x : branches.items()) {
        if (!is_null_schema(x)) inner = branch(i, x);
        ++i;
      }
      if (inner == none) return none;
      made = make(node_kind::nullable, place);
      nd(made).a = inner;
    } else {
      const std::size_t mark = work_.size();
      index i = 0;
      for (const element x : branches.items()) {
        const index option = branch(i++, x);
        if (option == none) return none;
        work_.push_back(option);
      }
      made = make(node_kind::union_of, place);
      nd(made).one_of = k == one_of;
      take_links(made, mark);
    }
    nd(made).made_by = k;
    body shown = c;
    if (pushed != none) shown.type = pushed;
    if (!modelled.empty()) {
      proves(made, shown, said);
      const index siblings = assertions(rest, place, bare::sibling);
      if (siblings == none) return none;
      return all_of_nodes({siblings, made}, place, k, c);
    }
    proves(made, shown, said | (rest.has & sets::extras));
    take_extras(made, rest);
    return made;
  }
  [[nodiscard]] static bool is_null_schema(const element& e) noexcept {
    if (!is_only(e, type)) return false;
    const element t = (*e.members().begin()).value;
    return t.is_string() && t.equals("null");
  }
  /// Whether a sibling `type` speaks of a branch as well.
  [[nodiscard]] static bool pushes_into(const element& branch) noexcept {
    if (branch.kind() == json::kind::boolean) return branch.is_true();
    return branch.is_object() && (keywords_of(branch) & keyword_set{type, ref, const_, enum_}).empty();
  }
  void take_links(index made, std::size_t mark) {
    nd(made).first = static_cast<index>(t_.rows_.links.size());
    nd(made).count = static_cast<index>(work_.size() - mark);
    t_.rows_.links.insert(t_.rows_.links.end(), work_.begin() + static_cast<std::ptrdiff_t>(mark), work_.end());
    work_.resize(mark);
  }

  [[nodiscard]] index intersection(const body& c, index place) {
    const element members = get(c, all_of);
    body rest = c;
    rest.has.remove(all_of);
    const bool modelled = !(rest.has - sets::extras).empty();
    if (modelled && inferred(rest).first == json_type::string &&
        std::all_of(members.items().begin(), members.items().end(),
                    [](const element& m) { return is_only(m, pattern); })) {
      const index made = typed(rest, place, bare::map);
      if (made == none) return none;
      const std::size_t mark = work_.size();
      for (index i = 0; i < nd(made).count; ++i) work_.push_back(t_.rows_.links[nd(made).first + i]);
      for (const element m : members.items()) {
        const element p = (*m.members().begin()).value;
        if (!p.is_string()) return fail(import_errc::bad_keyword, place, pattern, "pattern must be a string");
        work_.push_back(id(p));
      }
      take_links(made, mark);
      proves(made, c);
      return made;
    }
    const index list = step(place, all_of);
    const std::size_t mark = work_.size();
    if (modelled) work_.push_back(none);
    index i = 0;
    for (const element m : members.items()) {
      const index member = schema(id(m), step_item(list, i++));
      if (member == none) return none;
      work_.push_back(member);
    }
    if (!modelled && members.size() == 1) {
      const index only = work_.back();
      work_.resize(mark);
      if (!(rest.has & sets::extras).empty()) {
        widen_proof(only, rest, rest.has);
        take_extras(only, rest);
      }
      return only;
    }
    if (modelled) {
      const index siblings = assertions(rest, place, bare::sibling);
      if (siblings == none) return none;
      work_[mark] = siblings;
    }
    const index made = make(node_kind::all_of, place);
    nd(made).made_by = all_of;
    take_links(made, mark);
    proves(made, c);
    if (!modelled) take_extras(made, rest);
    return made;
  }

  // ---------------------------------------------------------------- types

  /// The type, and whether it was inferred from the keywords.
  [[nodiscard]] std::pair<json_type, bool> inferred(const body& c) const noexcept {
    if (c.has.has(type)) {
      element t = get(c, type);
      if (t.is_array() && t.size() == 1) t = *t.items().begin();
      // A list of several is no one type, whatever else is said.
      return {t.is_string() ? type_of(t) : json_type::none, false};
    }
    const auto any = [&c](keyword_set s) noexcept { return !(c.has & s).empty(); };
    if (any(keyword_set{properties, required, additional_properties, property_names, pattern_properties}))
      return {json_type::object, true};
    if (any(keyword_set{items, prefix_items, min_items, max_items})) return {json_type::array, true};
    if (any(keyword_set{pattern, format, min_length, max_length, content_encoding})) return {json_type::string, true};
    if (any(keyword_set{minimum, maximum, exclusive_minimum, exclusive_maximum, multiple_of}))
      return {json_type::number, true};
    return {json_type::none, true};
  }

  [[nodiscard]] index typed(const body& c, index place, bare b) {
    if (c.has.has(type)) {
      const element t = get(c, type);
      if (t.is_array()) {
        if (t.size() == 0) return fail(import_errc::bad_keyword, place, type, "the list of types is empty");
        for (const element x : t.items())
          if (!x.is_string() || type_of(x) == json_type::none)
            return fail(import_errc::unknown_type, place, x.raw(), "there is no such JSON type");
        if (t.size() > 1) return type_list(c, t, place, b);
      } else if (!t.is_string() || type_of(t) == json_type::none) {
        return fail(import_errc::unknown_type, place, t.raw(), "there is no such JSON type");
      }
    }
    const auto [kind, guessed] = inferred(c);
    if (kind == json_type::none) {
      const index made = make(node_kind::any, place);
      proves(made, c);
      take_extras(made, c);
      say(made, remark::code::untyped_any);
      return made;
    }
    const keyword_set misplaced = (c.has & sets::families) - sets::family(kind);
    body own = c;
    own.has = c.has - misplaced;
    index made = none;
    switch (kind) {
      case json_type::string: made = string_node(own, place); break;
      case json_type::number: made = number_node(node_kind::number, own, place); break;
      case json_type::integer: made = number_node(node_kind::integer, own, place); break;
      case json_type::boolean: made = make(node_kind::boolean, place); break;
      case json_type::null: made = make(node_kind::null, place); break;
      case json_type::array: made = array_node(own, place); break;
      default: made = object_node(own, place, b); break;
    }
    if (made == none) return none;
    proves(made, own);
    for (std::size_t i = 0; i < keyword_count; ++i)
      if (misplaced.has(static_cast<keyword>(i)))
        say(made, remark::code::keyword_misplaced, static_cast<index>(i));
    if (guessed) say(made, remark::code::schema_untyped, static_cast<index>(kind));
    take_extras(made, own);
    return made;
  }

  [[nodiscard]] index type_list(const body& c, const element& types, index place, bare b) {
    body rest = c;
    const auto of_type = [&](const element& t) {
      body one = rest;
      one.type = id(t);
      return one;
    };
    const bool has_null = std::any_of(types.items().begin(), types.items().end(),
                                      [](const element& t) { return t.equals("null"); });
    if (types.size() == 2 && has_null) {
      const element first = *types.items().begin();
      const element other = first.equals("null") ? *++types.items().begin() : first;
      const index inner = typed(of_type(other), place, b);
      if (inner == none) return none;
      const index made = make(node_kind::nullable, place);
      nd(made).made_by = type;
      nd(made).a = inner;
      proves(made, c);
      return made;
    }
    const std::size_t mark = work_.size();
    keyword_set listed;
    for (const element t : types.items()) {
      const keyword_set family = sets::family(type_of(t));
      listed = listed | family;
      body one = of_type(t);
      one.has = (c.has & family) | keyword_set{type};
      const index option = typed(one, place, b == bare::sibling ? bare::sibling : bare::map);
      if (option == none) return none;
      work_.push_back(option);
    }
    const index made = make(node_kind::union_of, place);
    nd(made).made_by = type;
    take_links(made, mark);
    proves(made, c);
    const keyword_set misplaced = (c.has & sets::families) - listed;
    for (std::size_t i = 0; i < keyword_count; ++i)
      if (misplaced.has(static_cast<keyword>(i)))
        say(made, remark::code::keyword_misplaced, static_cast<index>(i));
    take_extras(made, c, sets::extras - sets::families);
    return made;
  }

  /// Carries the constraints of a leaf or array over to its node.
  bool take_limits(index made, const body& c, std::initializer_list<keyword> limits, index place) {
    entry_list list;
    for (const keyword k : limits) {
      if (!c.has.has(k)) continue;
      const element v = get(c, k);
      const bool text = k == format || k == content_encoding;
      if (text ? !v.is_string() : v.kind() != json::kind::number) {
        fail(import_errc::bad_keyword, place, k, text ? "a string was expected" : "a number was expected");
        return false;
      }
      list.add(t_.rows_.entries, entry_key(k), id(v));
    }
    nd(made).limits = list.head;
    return true;
  }

  [[nodiscard]] index string_node(const body& c, index place) {
    const index made = make(node_kind::string, place);
    if (c.has.has(pattern)) {
      const element p = get(c, pattern);
      if (!p.is_string()) return fail(import_errc::bad_keyword, place, pattern, "pattern must be a string");
      nd(made).first = static_cast<index>(t_.rows_.links.size());
      nd(made).count = 1;
      t_.rows_.links.push_back(id(p));
    }
    return take_limits(made, c, {format, min_length, max_length, content_encoding}, place) ? made : none;
  }

  [[nodiscard]] index number_node(node_kind k, const body& c, index place) {
    const index made = make(k, place);
    return take_limits(made, c, {minimum, maximum, exclusive_minimum, exclusive_maximum, multiple_of, format}, place)
               ? made
               : none;
  }

  [[nodiscard]] index array_node(const body& c, index place) {
    const bool has_items = c.has.has(items);
    const element item = has_items ? get(c, items) : element{};
    const bool draft07 = has_items && item.is_array();
    if (c.has.has(prefix_items) || draft07) return tuple_node(c, place, draft07 && !c.has.has(prefix_items));
    const index made = make(node_kind::array, place);
    if (!take_limits(made, c, {min_items, max_items}, place)) return none;
    if (has_items) {
      const index below = schema(id(item), step(place, items));
      if (below == none) return none;
      nd(made).a = below;
    } else {
      const index below = make(node_kind::any, place);
      nd(made).a = below;
      say(made, remark::code::array_without_items);
    }
    return made;
  }

  [[nodiscard]] index tuple_node(const body& c, index place, bool draft07) {
    const keyword k = draft07 ? items : prefix_items;
    const keyword rest_keyword = draft07 ? additional_items : items;
    const element prefix = get(c, k);
    if (!prefix.is_array()) return fail(import_errc::bad_keyword, place, k, "a list of schemas was expected");
    const index list = step(place, k);
    const std::size_t mark = work_.size();
    index i = 0;
    for (const element p : prefix.items()) {
      const index item = schema(id(p), step_item(list, i++));
      if (item == none) return none;
      work_.push_back(item);
    }
    index rest = none;
    if (c.has.has(rest_keyword)) {
      const element r = get(c, rest_keyword);
      if (r.kind() != json::kind::boolean || r.is_true()) {
        rest = schema(id(r), step(place, rest_keyword));
        if (rest == none) return none;
      }
    }
    const index made = make(node_kind::tuple, place);
    take_links(made, mark);
    nd(made).made_by = k;
    nd(made).a = rest;
    nd(made).b = nd(made).count;
    if (c.has.has(min_items)) {
      const element m = get(c, min_items);
      if (m.kind() != json::kind::number) return fail(import_errc::bad_keyword, place, min_items, "a number was expected");
      const double need = json::to_double(m.raw());
      if (need < nd(made).count) nd(made).b = need > 0 ? static_cast<index>(need) : 0;
    }
    if (rest != none && !take_limits(made, c, {min_items, max_items}, place)) return none;
    if (draft07) say(made, remark::code::tuple_draft07);
    return made;
  }

  [[nodiscard]] index object_node(const body& c, index place, bare b) {
    const auto map = [&](keyword k) { return c.has.has(k) ? get(c, k) : element{}; };
    for (const keyword k : {properties, pattern_properties})
      if (c.has.has(k) && !is_map(get(c, k))) return fail(import_errc::bad_keyword, place, k, "an object was expected");
    if (c.has.has(required) && !get(c, required).is_array())
      return fail(import_errc::bad_keyword, place, required, "a list of names was expected");
    const bool any_property = c.has.has(properties) && map_size(map(properties)) != 0;
    const bool any_required = c.has.has(required) && map(required).size() != 0;
    const bool some = any_property || any_required;
    const std::size_t patterns = c.has.has(pattern_properties) ? map_size(map(pattern_properties)) : 0;
    const bool has_additional = c.has.has(additional_properties);
    const element additional = has_additional ? map(additional_properties) : element{};
    const bool additional_bool = has_additional && additional.kind() == json::kind::boolean;
    const bool additional_false = additional_bool && !additional.is_true();
    bool names = c.has.has(property_names);
    const bool plain = names && (asserts_nothing(map(property_names)) || says_only_string(map(property_names)));
    const bool ignored_names = plain && some;
    if (ignored_names) names = false;
    const bool maplike = has_additional || c.has.has(property_names) || c.has.has(pattern_properties);

    index made = none;
    if (some) {
      made = declared(c, place, additional_false, additional_bool);
    } else if (additional_false && patterns != 1) {
      made = make(node_kind::object, place);
      nd(made).a = closed;
    } else if ((c.has.has(properties) && !maplike) || (b != bare::map && !maplike)) {
      made = make(node_kind::object, place);
    }
    if (error_) return none;
    if (made != none) {
      if (c.has.has(pattern_properties))
        put_map(made, pattern_properties, as_map(map(pattern_properties)));
      if (names) put_map(made, property_names, get_id(c, property_names));
    } else if (patterns == 1 && (!has_additional || additional_false)) {
      made = pattern_record(map(pattern_properties), place);
    } else {
      made = record_node(c, place, names, !has_additional || (additional_bool && additional.is_true()));
      if (made != none && patterns != 0) put_map(made, pattern_properties, get_id(c, pattern_properties));
    }
    if (made == none) return none;
    if (c.has.has(required) && map(required).size() == 0) say(made, remark::code::required_empty);
    if (ignored_names) say(made, remark::code::plain_property_names);
    return made;
  }

  /// An extra of an object that may hold schemas.
  void put_map(index made, keyword k, index value) {
    put(has_reference(at(value)) ? nd(made).lost : nd(made).extras, entry_key(k), value);
  }

  [[nodiscard]] index pattern_record(const element& patterns, index place) {
    const json::member m = *patterns.members().begin();
    const index where = step_name(step(place, pattern_properties), id(m.key));
    const index key = make(node_kind::string, where);
    nd(key).first = static_cast<index>(t_.rows_.links.size());
    nd(key).count = 1;
    t_.rows_.links.push_back(id(m.key));
    const index value = schema(id(m.value), where);
    if (value == none) return none;
    const index made = make(node_kind::record, place);
    nd(made).made_by = pattern_properties;
    nd(made).a = value;
    nd(made).b = key;
    return made;
  }

  [[nodiscard]] index record_node(const body& c, index place, bool names, bool open) {
    index key = none;
    if (!names) {
      key = make(node_kind::string, place);
    } else {
      const element n = get(c, property_names);
      const bool push = n.is_object() && (keywords_of(n) & (sets::combinators | keyword_set{type, ref, const_, enum_})).empty();
      key = schema(id(n), step(place, property_names), bare::map, push ? string_type() : none);
    }
    if (key == none) return none;
    const index value = open ? make(node_kind::any, place)
                             : schema(get_id(c, additional_properties), step(place, additional_properties));
    if (value == none) return none;
    const index made = make(node_kind::record, place);
    nd(made).made_by = property_names;
    nd(made).a = value;
    nd(made).b = key;
    return made;
  }

  /// An object with properties, or with required names that it does not declare.
  [[nodiscard]] index declared(const body& c, index place, bool additional_false, bool additional_bool) {
    const element props = c.has.has(properties) ? get(c, properties) : element{};
    const bool any = c.has.has(properties) && props.is_object();
    const element needed = c.has.has(required) ? get(c, required) : element{};
    const std::size_t needed_size = c.has.has(required) ? needed.size() : 0;
    std::vector<element> names;
    for (std::size_t i = 0; needed_size != 0 && i == 0; ++i)
      for (const element n : needed.items()) {
        if (!n.is_string()) return fail(import_errc::bad_keyword, place, required, "a list of names was expected");
        names.push_back(n);
      }
    std::stable_sort(names.begin(), names.end(), less_);
    const std::size_t mark = props_.size();
    if (any) {
      if (!check_members(props, place)) return none;
      const index list = step(place, properties);
      for (const json::member m : props.members()) {
        const index value = schema(id(m.value), step_name(list, id(m.key)));
        if (value == none) return none;
        props_.push_back({id(m.key), value, !std::binary_search(names.begin(), names.end(), m.key, less_)});
      }
    }
    index tail = none;
    if (c.has.has(additional_properties)) {
      if (additional_false) tail = closed;
      else if (additional_bool) tail = make(node_kind::any, place);
      else tail = schema(get_id(c, additional_properties), step(place, additional_properties));
      if (tail == none) return none;
    }
    const index made = make(node_kind::object, place);
    if (needed_size != 0) undeclared(made, props, any, needed, tail, place);
    nd(made).first = static_cast<index>(t_.rows_.properties.size());
    nd(made).count = static_cast<index>(props_.size() - mark);
    t_.rows_.properties.insert(t_.rows_.properties.end(), props_.begin() + static_cast<std::ptrdiff_t>(mark), props_.end());
    props_.resize(mark);
    nd(made).a = tail;
    return made;
  }

  /// Names that are required and not declared become properties (rule 9).
  void undeclared(index made, const element& props, bool any, const element& needed, index tail, index place) {
    std::vector<element> known;
    if (any)
      for (const json::member m : props.members()) known.push_back(m.key);
    std::sort(known.begin(), known.end(), less_);
    for (const element n : needed.items()) {
      const auto at = std::lower_bound(known.begin(), known.end(), n, less_);
      if (at != known.end() && at->compare(n) == 0) continue;
      known.insert(at, n);
      const bool typed_tail = tail != none && tail != closed;
      const index value = typed_tail ? tail : make(node_kind::any, place);
      props_.push_back({id(n), value, false});
      say(made, remark::code::required_undeclared, id(n));
    }
  }

  struct by_text {
    bool operator()(const element& a, const element& b) const noexcept { return a.compare(b) < 0; }
  };

  // ---------------------------------------------------------------- whole graph

  template <class F>
  void for_children(const node& n, F f) {
    switch (n.kind) {
      case node_kind::array:
      case node_kind::nullable: f(n.a); break;
      case node_kind::record:
        f(n.b);
        f(n.a);
        break;
      case node_kind::object:
        for (index i = 0; i < n.count; ++i) f(t_.rows_.properties[n.first + i].value);
        if (n.a != none && n.a != closed) f(n.a);
        break;
      case node_kind::tuple:
      case node_kind::union_of:
      case node_kind::all_of:
        for (index i = 0; i < n.count; ++i) f(t_.rows_.links[n.first + i]);
        if (n.kind == node_kind::tuple && n.a != none) f(n.a);
        break;
      default: break;
    }
  }

  /// A cycle of references that passes no object, record, array or tuple admits no value.
  void check_loops() {
    std::vector<std::uint8_t> state(t_.definitions_.size() + 1, 0);  // 0 new, 1 on the way, 2 done
    const auto slot = [&](index d) { return d == root_definition ? t_.definitions_.size() : d; };
    // Each frame is a definition whose chain of references is being followed.
    const auto follow = [&](auto&& self, index n, std::uint32_t depth) -> bool {
      if (depth > 4 * max_depth) return false;
      const node here = nd(n);
      if (here.kind == node_kind::reference) {
        std::uint8_t& s = state[slot(here.a)];
        if (s == 1) return false;
        if (s == 2) return true;
        s = 1;
        const bool good = self(self, here.a == root_definition ? t_.root_ : t_.definitions_[here.a].node, depth + 1);
        state[slot(here.a)] = 2;
        return good;
      }
      if (here.kind != node_kind::union_of && here.kind != node_kind::all_of && here.kind != node_kind::nullable)
        return true;
      bool good = true;
      for_children(here, [&](index c) { good = good && self(self, c, depth + 1); });
      return good;
    };
    const auto from = [&](index d, index n) {
      if (state[slot(d)] == 2) return true;
      state[slot(d)] = 1;
      const bool good = follow(follow, n, 0);
      state[slot(d)] = 2;
      return good;
    };
    bool good = from(root_definition, t_.root_);
    for (index d = 0; good && d < t_.definitions_.size(); ++d) good = from(d, t_.definitions_[d].node);
    if (!good) fail(import_errc::reference_loop, 0, ref, "a loop of references with no structure in between");
  }

  [[nodiscard]] bool is_never(index n) {
    while (nd(n).kind == node_kind::reference)
      n = nd(n).a == root_definition ? t_.root_ : t_.definitions_[nd(n).a].node;
    return nd(n).kind == node_kind::never;
  }

  /// Unions lose the options that are never; a nullable never is null (rule 6).
  void leave_out_never() {
    const bool any = std::any_of(t_.rows_.nodes.begin(), t_.rows_.nodes.end(),
                                 [](const node& n) { return n.kind == node_kind::never; });
    if (!any) return;
    // Children are made before their parents, except across references; so one pass is mostly enough.
    for (bool changed = true; changed;) {
      changed = false;
      const auto count = static_cast<index>(t_.rows_.nodes.size());
      for (index i = 0; i < count; ++i) changed = leave_out_never(i) || changed;
    }
  }

  bool leave_out_never(index i) {
    if (nd(i).kind == node_kind::nullable) {
      if (!is_never(nd(i).a)) return false;
      remember_left_out(i, nd(i).a);
      nd(i).kind = node_kind::null;
      nd(i).a = none;
      return true;
    }
    if (nd(i).kind != node_kind::union_of) return false;
    index kept = 0;
    const node u = nd(i);
    for (index k = 0; k < u.count; ++k) {
      const index option = t_.rows_.links[u.first + k];
      if (is_never(option)) remember_left_out(i, option);
      else t_.rows_.links[u.first + kept++] = option;
    }
    if (kept == u.count) return false;
    nd(i).count = kept;
    if (kept == 0) {
      nd(i).kind = node_kind::never;
      nd(i).made_by = not_;
    } else if (kept == 1) {
      stand_alone(i, t_.rows_.links[u.first]);
    }
    return true;
  }
  void remember_left_out(index i, index option) {
    t_.left_out_.emplace_back(option, nd(i).left_out);
    nd(i).left_out = static_cast<index>(t_.left_out_.size() - 1);
  }

  /// A union becomes its only option, which keeps its pointer; annotations as for a wrapper.
  void stand_alone(index u, index option) {
    const source_layer layer{t_};
    if (share_key(layer, nd(u).extras, nd(option).extras)) return;
    const node outer = nd(u);
    node made = nd(option);
    made.annotations = joined_over(layer, outer.annotations, made.annotations);
    made.extras = overlaid(layer, outer.extras, made.extras);
    made.lost = overlaid(layer, outer.lost, made.lost);
    if (outer.extras != none) {
      const index a = make(made.kind, made.place);
      nd(a).source = made.source;
      nd(a).json = made.json;
      nd(a).view = made.view;
      nd(a).first = made.first;
      nd(a).count = made.count;
      const index b = make(node_kind::any, made.place);
      keyword_set more;
      for (index e = outer.extras; e != none; e = t_.rows_.entries[e].next)
        more.add(static_cast<keyword>(t_.rows_.entries[e].key));
      t_.views_.push_back({more, none});
      nd(b).source = proof::view;
      nd(b).json = outer.json;
      nd(b).view = static_cast<index>(t_.views_.size() - 1);
      made.source = proof::both;
      made.json = a;
      made.view = b;
    }
    const auto chain = [](auto& row, index first, index second, auto next) {
      if (first == none) return second;
      index last = first;
      while (next(row[last]) != none) last = next(row[last]);
      next(row[last]) = second;
      return first;
    };
    made.remarks = chain(t_.remarks_, outer.remarks, made.remarks, [](remark& r) -> index& { return r.next; });
    made.left_out = chain(t_.left_out_, outer.left_out, made.left_out,
                          [](std::pair<index, index>& p) -> index& { return p.second; });
    nd(u) = made;
    // The option is not reached any more; its lists belong to the union now.
    nd(option).remarks = none;
    nd(option).left_out = none;
  }

  tree t_;
  std::optional<import_error> error_;
  std::uint32_t depth_ = 0;
  keyword_set whole_{};                            // of the schema in hand
  std::vector<index> roots_;                       // JSON values that mean the root
  std::vector<std::pair<index, index>> by_json_;   // JSON value, definition; sorted
  std::vector<std::string> names_;                 // of definitions; sorted
  std::vector<index> work_;                        // children being collected
  std::vector<property> props_;
  std::vector<element> scan_;
  json::duplicate_finder duplicates_;
  index string_type_ = none;
  index empty_object_ = none;
  by_text less_;
};

/// Makes a tree of a schema that has been read. The tree owns a copy of the schema's text; `source` may be a part of a
/// larger document. Linear in its size, up to sorting; allocates what the tree holds.
[[nodiscard]] inline result<tree, import_error> import_schema(const json::element& source) {
  return importer{}.run(source);
}

}  // namespace schema
}  // namespace v0_1
}  // namespace codemode
