#pragma once

/// @file
/// A value against its source: JSON Schema 2020-12 and the older spellings that import mends. Formats and
/// `unevaluated...` are not asserted.

#include <codemode/schema/layers.hpp>
#include <codemode/schema/reference.hpp>
#include <codemode/text/regex.hpp>

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace schema {

/// What is wrong with a value, and where. `write_message` (decode.hpp) makes a sentence that a model understands.
struct violation {
  std::string instance{};     ///< JSON pointer into the value
  index schema = none;        ///< the JSON schema that says so
  keyword said = keyword::type;
  std::string expected{};     ///< what the keyword asks, as JSON
  std::string found{};        ///< the value as JSON, cut where it is long
};

/// Validates values against the JSON that nodes were made from. Keeps compiled patterns and its memory.
class validator {
 public:
  /// Nested deeper than this a value counts as wrong; references that go in circles end here too.
  static constexpr unsigned max_nesting = 1200;

  void start(const layers& l) {
    layers_ = &l;
    if (patterns_of_ != l.source().text().data()) {
      patterns_.clear();
      patterns_of_ = l.source().text().data();
    }
  }

  /// Whether the whole source accepts a value.
  [[nodiscard]] bool accepts(const json::element& value) {
    errors_ = nullptr;
    return check(value, 0, whole_view_);
  }
  /// Whether the source of a node accepts a value.
  [[nodiscard]] bool accepts(index node, const json::element& value) {
    errors_ = nullptr;
    return node_accepts(node, value);
  }
  /// All violations of the whole source, outermost keywords first.
  [[nodiscard]] bool violations(const json::element& value, std::vector<violation>& out) {
    errors_ = &out;
    path_.clear();
    const bool good = check(value, 0, whole_view_);
    errors_ = nullptr;
    return good;
  }

  /// Whether a pattern (a JSON string, by index) occurs in a text; patterns that are not understood occur everywhere.
  [[nodiscard]] bool occurs(index pattern, std::string_view text) {
    for (auto& p : patterns_)
      if (p.first == pattern) return p.second->search(text) != text::match::no;
    auto made = std::make_unique<compiled>();
    layers_->json(pattern).decode(made->source);
    (void)made->program.compile(made->source);
    patterns_.emplace_back(pattern, std::move(made));
    return patterns_.back().second->search(text) != text::match::no;
  }

 private:
  using element = json::element;

  struct compiled {
    std::string source;
    text::regex program;
    [[nodiscard]] text::match search(std::string_view s) { return program.search(s); }
  };
  struct step {
    element key{};
    index item = 0;
    bool named = false;
  };

  [[nodiscard]] bool node_accepts(index i, const element& value) {
    const node n = layers_->get_node(i);
    switch (n.source) {
      case proof::view: return check(value, n.json, layers_->source().views()[n.view]);
      case proof::both: return node_accepts(n.json, value) && node_accepts(n.view, value);
      case proof::options:
        for (index k = 0; k < n.count; ++k)
          if (node_accepts(layers_->link(n.first + k), value)) return true;
        return false;
      case proof::values:
        for (index k = 0; k < n.count; ++k)
          if (json::same(layers_->json(layers_->link(n.first + k)), value)) return true;
        return false;
      case proof::nothing: break;
    }
    return true;
  }

  /// Whether a value is valid without telling why.
  [[nodiscard]] bool quiet(const element& value, const element& schema, index pushed = none) {
    std::vector<violation>* const kept = std::exchange(errors_, nullptr);
    const bool good = sub(value, schema, pushed);
    errors_ = kept;
    return good;
  }

  [[nodiscard]] bool sub(const element& value, const element& schema, index pushed = none) {
    source_view v;
    if (pushed != none && pushes_into(schema)) v.type = pushed;
    return check(value, index_of(schema), v);
  }
  [[nodiscard]] index index_of(const element& e) const noexcept { return layers_->source().index_of(e); }
  [[nodiscard]] static bool pushes_into(const element& branch) {
    if (branch.kind() == json::kind::boolean) return branch.is_true();
    if (!branch.is_object()) return false;
    for (const json::member m : branch.members())
      if (m.key.equals("type") || m.key.equals("$ref") || m.key.equals("const") || m.key.equals("enum")) return false;
    return true;
  }

  bool wrong(const element& value, index schema, keyword k, const element& expected) {
    if (errors_ == nullptr) return false;
    violation& v = errors_->emplace_back();
    write_path(v.instance);
    v.schema = schema;
    v.said = k;
    if (expected.at() != nullptr) json::write_compact(expected, v.expected);
    json::write_compact(value, v.found);
    constexpr std::size_t longest = 200;
    if (v.found.size() > longest) {
      std::size_t cut = longest;
      while ((static_cast<unsigned char>(v.found[cut]) & 0xC0U) == 0x80U) --cut;
      v.found.resize(cut);
      v.found.append("...");
    }
    return false;
  }
  void write_path(std::string& out) const {
    for (const step& s : path_) {
      out.push_back('/');
      if (!s.named) {
        char digits[16];
        const auto done = std::to_chars(digits, digits + sizeof digits, s.item);
        out.append(digits, done.ptr);
        continue;
      }
      std::string name;
      s.key.decode(name);
      for (const char c : name) {
        if (c == '~') out.append("~0");
        else if (c == '/') out.append("~1");
        else out.push_back(c);
      }
    }
  }

  [[nodiscard]] bool check(const element& value, index schema, const source_view& view) {
    if (nesting_ >= max_nesting) return wrong(value, schema, keyword::type, {});
    ++nesting_;
    const bool good = check_nested(value, schema, view);
    --nesting_;
    return good;
  }

  [[nodiscard]] bool check_nested(const element& value, index schema, const source_view& view) {
    const element s = layers_->json(schema);
    const keyword_set counted = view.keywords;
    index pushed = none;
    bool good = true;
    if (view.type != none) {
      const keyword_set said = counted - sets::extras;
      if (said == keyword_set{keyword::any_of, keyword::type} || said == keyword_set{keyword::one_of, keyword::type})
        pushed = view.type;
      else
        good = check_type(value, layers_->json(view.type), schema);
    }
    if (s.kind() == json::kind::boolean) {
      if (s.is_true()) return good;
      return wrong(value, schema, keyword::not_, {});
    }
    if (!s.is_object()) return good;
    if (value.kind() == json::kind::null && counted.has(keyword::nullable)) {
      const auto n = s.find("nullable");
      if (n && n->kind() == json::kind::boolean && n->is_true()) return true;
    }
    for (const json::member m : s.members()) {
      const auto k = m.key.escaped() ? std::nullopt : find_keyword(m.key.content());
      if (!k || !counted.has(*k)) continue;
      if (*k == keyword::type) {
        if (view.type == none) good = check_type(value, m.value, schema) && good;
      } else {
        good = assert_keyword(value, s, schema, *k, m.value, pushed) && good;
      }
      if (!good && errors_ == nullptr) return false;
    }
    return good;
  }

  [[nodiscard]] bool check_type(const element& value, const element& type, index schema) {
    const auto is = [&](const element& t) {
      return t.is_string() && is_of_type(value, type_from_string(t.content()));
    };
    bool good = false;
    if (type.is_array()) {
      for (const element t : type.items()) good = good || is(t);
    } else {
      good = is(type);
    }
    return good || wrong(value, schema, keyword::type, type);
  }

  [[nodiscard]] bool assert_keyword(const element& v, const element& s, index schema, keyword k, const element& x,
                                    index pushed) {
    switch (k) {
      case keyword::ref: return reference(v, schema, x);
      case keyword::const_: return json::same(v, x) || wrong(v, schema, k, x);
      case keyword::enum_: {
        if (!x.is_array()) return true;
        for (const element e : x.items())
          if (json::same(v, e)) return true;
        return wrong(v, schema, k, x);
      }
      case keyword::all_of: {
        bool good = true;
        if (x.is_array())
          for (const element e : x.items()) good = sub(v, e) && good;
        return good;
      }
      case keyword::any_of: {
        if (!x.is_array()) return true;
        for (const element e : x.items())
          if (quiet(v, e, pushed)) return true;
        return wrong(v, schema, k, x);
      }
      case keyword::one_of: {
        if (!x.is_array()) return true;
        unsigned n = 0;
        for (const element e : x.items()) n += quiet(v, e, pushed) ? 1U : 0U;
        return n == 1 || wrong(v, schema, k, x);
      }
      case keyword::not_: return !quiet(v, x) || wrong(v, schema, k, x);
      case keyword::if_: {
        const auto branch = s.find(quiet(v, x) ? "then" : "else");
        return !branch || sub(v, *branch);
      }
      default: break;
    }
    switch (v.kind()) {
      case json::kind::number: return number(v, s, schema, k, x);
      case json::kind::string: return string(v, schema, k, x);
      case json::kind::array: return array(v, s, schema, k, x);
      case json::kind::object: return object(v, s, schema, k, x);
      default: return true;
    }
  }

  [[nodiscard]] bool reference(const element& v, index schema, const element& x) {
    index target = layers_->source().target_of(index_of(x));
    if (target == none) {
      std::string text;
      x.decode(text);
      const auto found = resolve_reference(layers_->source().source(), text, [](const element&, bool, std::uint32_t) {});
      if (!found) return wrong(v, schema, keyword::ref, x);
      target = index_of(*found);
    }
    return check(v, target, whole_view_);
  }

  [[nodiscard]] bool number(const element& v, const element& s, index schema, keyword k, const element& x) {
    if (!sets::number_family.has(k) || k == keyword::format) return true;
    const double value = json::to_double(v.raw());
    if (x.kind() == json::kind::boolean) {
      // Draft 4: the bound is the other keyword.
      if (!x.is_true()) return true;
      const auto bound = s.find(k == keyword::exclusive_minimum ? "minimum" : "maximum");
      if (!bound || bound->kind() != json::kind::number) return true;
      const double b = json::to_double(bound->raw());
      return (k == keyword::exclusive_minimum ? value > b : value < b) || wrong(v, schema, k, *bound);
    }
    if (x.kind() != json::kind::number) return true;
    const double b = json::to_double(x.raw());
    bool good = true;
    switch (k) {
      case keyword::minimum: good = value >= b; break;
      case keyword::maximum: good = value <= b; break;
      case keyword::exclusive_minimum: good = value > b; break;
      case keyword::exclusive_maximum: good = value < b; break;
      default:
        if (b != 0) {
          const double q = value / b;
          const double off = std::fabs(q - std::nearbyint(q));
          good = off <= 1e-9 * (std::max)(1.0, std::fabs(q));
        }
        break;
    }
    return good || wrong(v, schema, k, x);
  }

  [[nodiscard]] static std::size_t length(const element& v) noexcept {
    if (!v.escaped()) {
      std::size_t n = 0;
      for (const char c : v.content()) n += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1U : 0U;
      return n;
    }
    std::size_t n = 0;
    text::json_string_reader r(v.raw());
    for (; !r.done(); ++n) (void)r.next();
    return n;
  }

  [[nodiscard]] bool string(const element& v, index schema, keyword k, const element& x) {
    switch (k) {
      case keyword::min_length:
        return static_cast<double>(length(v)) >= json::to_double(x.raw()) || wrong(v, schema, k, x);
      case keyword::max_length:
        return static_cast<double>(length(v)) <= json::to_double(x.raw()) || wrong(v, schema, k, x);
      case keyword::pattern: {
        if (!x.is_string()) return true;
        std::string decoded;
        std::string_view text = v.content();
        if (v.escaped()) {
          v.decode(decoded);
          text = decoded;
        }
        return occurs(index_of(x), text) || wrong(v, schema, k, x);
      }
      default: return true;
    }
  }

  [[nodiscard]] bool array(const element& v, const element& s, index schema, keyword k, const element& x) {
    const auto size = static_cast<double>(v.size());
    switch (k) {
      case keyword::min_items: return size >= json::to_double(x.raw()) || wrong(v, schema, k, x);
      case keyword::max_items: return size <= json::to_double(x.raw()) || wrong(v, schema, k, x);
      case keyword::unique_items:
        return x.kind() != json::kind::boolean || !x.is_true() || unique(v) || wrong(v, schema, k, x);
      case keyword::prefix_items: return x.is_array() ? prefix(v, x) : true;
      case keyword::items:
        if (x.is_array()) {
          if (x.size() == 0) return true;
          if (s.find("prefixItems")) return true;
          return prefix(v, x);
        }
        return from(v, s.find("prefixItems"), x);
      case keyword::additional_items: {
        const auto items = s.find("items");
        if (!items || !items->is_array() || items->size() == 0) return true;
        return from(v, items, x);
      }
      case keyword::contains: {
        std::size_t n = 0;
        for (const element e : v.items()) n += quiet(e, x) ? 1U : 0U;
        const auto low = s.find("minContains");
        const auto high = s.find("maxContains");
        const double least = low && low->kind() == json::kind::number ? json::to_double(low->raw()) : 1;
        const bool good = static_cast<double>(n) >= least &&
                          (!high || high->kind() != json::kind::number || static_cast<double>(n) <= json::to_double(high->raw()));
        return good || wrong(v, schema, k, x);
      }
      default: return true;
    }
  }
  [[nodiscard]] static bool unique(const element& v) {
    // Few items are compared pair by pair, many by their sorted text.
    if (v.size() <= 64) {
      for (auto i = v.items().begin(); i != v.items().end(); ++i) {
        auto k = i;
        for (++k; k != v.items().end(); ++k)
          if (json::same(*i, *k)) return false;
      }
      return true;
    }
    std::vector<std::string> texts(v.size());
    std::size_t n = 0;
    for (const element e : v.items()) json::write_compact(e, texts[n++]);
    std::sort(texts.begin(), texts.end());
    return std::adjacent_find(texts.begin(), texts.end()) == texts.end();
  }
  [[nodiscard]] bool prefix(const element& v, const element& schemas) {
    bool good = true;
    auto s = schemas.items().begin();
    index i = 0;
    for (const element e : v.items()) {
      if (i == schemas.size()) break;
      good = item(e, i, *s) && good;
      ++s;
      ++i;
    }
    return good;
  }
  [[nodiscard]] bool from(const element& v, const std::optional<element>& prefix, const element& schema) {
    const std::size_t skip = prefix && prefix->is_array() ? prefix->size() : 0;
    bool good = true;
    index i = 0;
    for (const element e : v.items()) {
      if (i >= skip) good = item(e, i, schema) && good;
      if (!good && errors_ == nullptr) return false;
      ++i;
    }
    return good;
  }
  [[nodiscard]] bool item(const element& e, index i, const element& schema) {
    path_.push_back({{}, i, false});
    const bool good = sub(e, schema);
    path_.pop_back();
    return good;
  }

  [[nodiscard]] bool object(const element& v, const element& s, index schema, keyword k, const element& x) {
    switch (k) {
      case keyword::required: {
        if (!x.is_array()) return true;
        bool good = true;
        for (const element name : x.items()) good = good && (!name.is_string() || find_name(v, name));
        return good || wrong(v, schema, k, x);
      }
      case keyword::min_properties:
        return static_cast<double>(v.size()) >= json::to_double(x.raw()) || wrong(v, schema, k, x);
      case keyword::max_properties:
        return static_cast<double>(v.size()) <= json::to_double(x.raw()) || wrong(v, schema, k, x);
      case keyword::properties: {
        if (!x.is_object()) return true;
        bool good = true;
        auto likely = x.members().begin();
        for (const json::member m : v.members())
          if (const auto p = find_from(x, m.key, likely)) good = member(m, *p) && good;
        return good;
      }
      case keyword::pattern_properties: {
        if (!x.is_object()) return true;
        bool good = true;
        for (const json::member m : v.members())
          for (const json::member p : x.members())
            if (key_matches(p.key, m.key)) good = member(m, p.value) && good;
        return good;
      }
      case keyword::additional_properties: return additional(v, s, schema, x);
      case keyword::property_names: {
        for (const json::member m : v.members())
          if (!quiet(m.key, x)) return wrong(v, schema, k, x);
        return true;
      }
      case keyword::dependent_required: {
        if (!x.is_object()) return true;
        for (const json::member d : x.members())
          if (find_name(v, d.key) && d.value.is_array())
            for (const element name : d.value.items())
              if (!find_name(v, name)) return wrong(v, schema, k, d.value);
        return true;
      }
      case keyword::dependent_schemas: {
        if (!x.is_object()) return true;
        bool good = true;
        for (const json::member d : x.members())
          if (find_name(v, d.key)) good = sub(v, d.value) && good;
        return good;
      }
      default: return true;
    }
  }
  [[nodiscard]] static bool find_name(const element& object, const element& name) noexcept {
    for (const json::member m : object.members())
      if (m.key.compare(name) == 0) return true;
    return false;
  }
  /// Properties mostly come in the order of the schema, so the search starts where the last one ended.
  template <class Iterator>
  [[nodiscard]] static std::optional<element> find_from(const element& object, const element& name, Iterator& likely) {
    const auto end = object.members().end();
    for (auto i = likely; i != end; ++i)
      if ((*i).key.compare(name) == 0) {
        const element found = (*i).value;
        likely = ++i;
        return found;
      }
    for (auto i = object.members().begin(); i != likely; ++i)
      if ((*i).key.compare(name) == 0) return (*i).value;
    return std::nullopt;
  }
  [[nodiscard]] bool member(const json::member& m, const element& schema) {
    path_.push_back({m.key, 0, true});
    const bool good = sub(m.value, schema);
    path_.pop_back();
    return good;
  }
  [[nodiscard]] bool key_matches(const element& pattern, const element& key) {
    std::string decoded;
    key.decode(decoded);
    return occurs(index_of(pattern), decoded);
  }
  [[nodiscard]] bool additional(const element& v, const element& s, index schema, const element& x) {
    if (x.kind() == json::kind::boolean && x.is_true()) return true;
    if (x.is_array()) return true;
    const auto properties = s.find("properties");
    const auto patterns = s.find("patternProperties");
    bool good = true;
    std::optional<json::children<json::member>::iterator> likely;
    if (properties && properties->is_object()) likely = properties->members().begin();
    for (const json::member m : v.members()) {
      if (likely && find_from(*properties, m.key, *likely)) continue;
      bool known = false;
      if (patterns && patterns->is_object())
        for (const json::member p : patterns->members()) known = known || key_matches(p.key, m.key);
      if (known) continue;
      if (x.kind() == json::kind::boolean) {
        if (errors_ == nullptr) return false;
        good = wrong(m.key, schema, keyword::additional_properties, x);
      } else {
        good = member(m, x) && good;
      }
    }
    return good;
  }

  const layers* layers_ = nullptr;
  const char* patterns_of_ = nullptr;
  std::vector<std::pair<index, std::unique_ptr<compiled>>> patterns_;
  std::vector<violation>* errors_ = nullptr;
  std::vector<step> path_;
  unsigned nesting_ = 0;
  source_view whole_view_{};
};

}  // namespace schema
}  // namespace v0_1
}  // namespace codemode
