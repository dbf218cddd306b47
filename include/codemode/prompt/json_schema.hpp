#pragma once

/// @file
/// The door between the loop and schemas: everything that the loop asks of a schema is asked here.

#include <codemode/json/owned_value.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace prompt {

/// What is wrong with a value.
struct schema_problem {
  std::string pointer{};              ///< JSON Pointer into the value
  std::string detail{};               ///< what is expected there
  std::optional<json::value> found{};  ///< the value, if it is a short scalar
};

namespace detail {

/// What the wire form of a dialect changes.
struct wire_dialect {
  std::string_view id;
  bool pairs;               ///< maps travel as arrays of key and value
  bool unions;              ///< anyOf can be said
  bool nullable_optionals;  ///< optional members are required and may be null
};

[[nodiscard]] inline const wire_dialect& find_dialect(std::string_view id) noexcept {
  static constexpr wire_dialect dialects[]{{"lenient", false, true, false},
                                           {"openai-strict", true, true, true},
                                           {"openai-non-strict", false, true, false},
                                           {"anthropic-strict", true, true, false},
                                           {"google-strict", false, false, false}};
  for (const wire_dialect& d : dialects)
    if (d.id == id) return d;
  return dialects[0];  // an unknown descriptor is lenient
}

using schema_value = json::value;

[[nodiscard]] inline const schema_value* schema_member(const schema_value& schema, std::string_view name) noexcept {
  return schema.find(name);
}
[[nodiscard]] inline bool type_is(const schema_value& schema, std::string_view type) noexcept {
  const schema_value* t = schema.find("type");
  return t != nullptr && t->is_string() && t->string() == type;
}
[[nodiscard]] inline bool has_properties(const schema_value& schema) noexcept {
  const schema_value* p = schema.find("properties");
  return p != nullptr && !p->members().empty();
}
[[nodiscard]] inline const schema_value* property(const schema_value& schema, std::string_view name) noexcept {
  const schema_value* p = schema.find("properties");
  return p != nullptr ? p->find(name) : nullptr;
}
[[nodiscard]] inline bool requires_member(const schema_value& schema, std::string_view name) noexcept {
  if (const schema_value* r = schema.find("required"))
    for (const schema_value& n : r->items())
      if (n.string() == name) return true;
  return false;
}
/// An open map: no members of its own, values of one kind.
[[nodiscard]] inline bool is_map(const schema_value& schema) noexcept {
  const schema_value* required = schema.find("required");
  const schema_value* more = schema.find("additionalProperties");
  return !has_properties(schema) && (required == nullptr || required->items().empty()) && type_is(schema, "object") &&
         (more == nullptr ? schema.find("properties") == nullptr : !more->is_false());
}
[[nodiscard]] inline bool admits_null(const schema_value& schema) noexcept {
  if (!schema.is_object()) return !schema.is_false();
  if (const schema_value* t = schema.find("type")) {
    if (t->string() == "null") return true;
    for (const schema_value& one : t->items())
      if (one.string() == "null") return true;
  }
  if (const schema_value* c = schema.find("const")) return c->is_null();
  if (const schema_value* e = schema.find("enum")) {
    for (const schema_value& one : e->items())
      if (one.is_null()) return true;
    return false;
  }
  for (const std::string_view key : {"anyOf", "oneOf"})
    if (const schema_value* u = schema.find(key)) {
      for (const schema_value& branch : u->items())
        if (admits_null(branch)) return true;
      return false;
    }
  return schema.find("type") == nullptr && schema.members().empty();
}

/// Wire form to natural form; what makes no sense stays as it is.
[[nodiscard]] inline json::value decode_wire(const schema_value& schema, json::value v, const wire_dialect& d) {
  static const schema_value anything{true};
  if (!schema.is_object()) return v;
  if (v.is_array() && type_is(schema, "array")) {
    const schema_value* items = schema.find("items");
    for (json::value& item : v.make_items()) item = decode_wire(items != nullptr ? *items : anything, std::move(item), d);
    return v;
  }
  if (is_map(schema)) {
    const schema_value* more = schema.find("additionalProperties");
    const schema_value& inner = more != nullptr ? *more : anything;
    if (v.is_array() && d.pairs) {
      json::value out = json::value::make_object();
      for (json::value& pair : v.make_items()) {
        const json::value* key = pair.find("key");
        json::value* held = pair.find("value");
        if (key == nullptr || held == nullptr || !(key->is_string() || key->is_number() || key->is_boolean())) continue;
        const std::string name = key->is_string() ? std::string{key->string()} : json::to_json(*key);
        out.set(name, decode_wire(inner, std::move(*held), d));
      }
      return out;
    }
    if (v.is_object())
      for (json::value_member& m : v.make_members()) m.value = decode_wire(inner, std::move(m.value), d);
    return v;
  }
  if (!v.is_object()) return v;
  json::value out = json::value::make_object();
  for (json::value_member& m : v.make_members()) {
    const schema_value* node = property(schema, m.name);
    if (node == nullptr) {
      out.set(m.name, std::move(m.value));
      continue;
    }
    const bool needed = requires_member(schema, m.name);
    const bool is_open = node->is_true() || (node->is_object() && node->members().empty());
    if (m.value.is_null() && (!admits_null(*node) || (is_open && d.nullable_optionals && !needed))) {
      if (const schema_value* def = node->find("default")) out.set(m.name, *def);
      else if (needed) out.set(m.name, json::value{});
    } else {
      out.set(m.name, decode_wire(*node, std::move(m.value), d));
    }
  }
  return out;
}

/// Sets the defaults of absent members.
inline void fill_defaults(const schema_value& schema, json::value& v) {
  if (!schema.is_object()) return;
  if (v.is_array()) {
    if (const schema_value* items = schema.find("items"))
      for (json::value& item : v.make_items()) fill_defaults(*items, item);
  } else if (v.is_object()) {
    const schema_value* properties = schema.find("properties");
    if (properties == nullptr) return;
    for (const auto& [name, node] : properties->members()) {
      if (json::value* held = v.find(name)) fill_defaults(node, *held);
      else if (const schema_value* def = node.find("default")) v.set(name, *def);
    }
  }
}

[[nodiscard]] inline bool has_type(const json::value& v, std::string_view type) noexcept {
  if (type == "null") return v.is_null();
  if (type == "boolean") return v.is_boolean();
  if (type == "integer") return v.is_whole_number();
  if (type == "number") return v.is_number();
  if (type == "string") return v.is_string();
  if (type == "array") return v.is_array();
  return type == "object" && v.is_object();
}

[[nodiscard]] inline std::size_t code_points(std::string_view s) noexcept {
  std::size_t n = 0;
  for (const char c : s) n += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1U : 0U;
  return n;
}

/// Collects what is wrong with a value.
class schema_checker {
 public:
  schema_checker(const schema_value& root, std::vector<schema_problem>& out) noexcept : root_(root), out_(out) {}

  void check(const schema_value& schema, const json::value& v, const std::string& at, std::size_t depth = 0) {
    if (schema.is_true() || depth > max_depth) return;
    if (schema.is_false()) return bad(at, "nothing is allowed here", nullptr);
    if (const schema_value* ref = schema.find("$ref")) {
      if (const schema_value* target = resolve(ref->string())) check(*target, v, at, depth + 1);
      return;
    }
    if (const schema_value* t = schema.find("type")) {
      if (!fits_type(*t, v)) return bad(at, "expected " + type_text(*t), &v);
    }
    if (const schema_value* c = schema.find("const"); c != nullptr && !(*c == v))
      bad(at, "must be " + json::to_json(*c), &v);
    if (const schema_value* e = schema.find("enum")) {
      bool found = false;
      for (const schema_value& one : e->items()) found = found || one == v;
      if (!found) bad(at, "must be one of " + json::to_json(*e), &v);
    }
    for (const std::string_view key : {"anyOf", "oneOf"})
      if (const schema_value* u = schema.find(key)) {
        std::size_t fitting = 0;
        for (const schema_value& branch : u->items()) {
          std::vector<schema_problem> found;
          schema_checker{root_, found}.check(branch, v, at, depth + 1);
          if (found.empty()) ++fitting;
        }
        if (fitting == 0) bad(at, "fits none of the alternatives", &v);
        else if (fitting > 1 && key == "oneOf") bad(at, "fits several of the alternatives", &v);
      }
    if (const schema_value* all = schema.find("allOf"))
      for (const schema_value& one : all->items()) check(one, v, at, depth + 1);
    if (v.is_string()) check_string(schema, v, at);
    else if (v.is_number()) check_number(schema, v, at);
    else if (v.is_array()) check_array(schema, v, at, depth);
    else if (v.is_object()) check_object(schema, v, at, depth);
  }

 private:
  static constexpr std::size_t max_depth = 300;

  void bad(const std::string& at, std::string what, const json::value* v) {
    schema_problem& p = out_.emplace_back();
    p.pointer = at;
    p.detail = std::move(what);
    if (v != nullptr && !v->is_array() && !v->is_object() && json::to_json(*v).size() <= 60) p.found = *v;
  }
  [[nodiscard]] static std::string step(const std::string& at, std::string_view name) {
    std::string out = at + "/";
    for (const char c : name) {
      if (c == '~') out += "~0";
      else if (c == '/') out += "~1";
      else out += c;
    }
    return out;
  }
  [[nodiscard]] const schema_value* resolve(std::string_view ref) const {
    const schema_value* at = &root_;
    if (ref.starts_with('#')) ref.remove_prefix(1);
    while (!ref.empty() && at != nullptr) {
      if (ref.front() == '/') ref.remove_prefix(1);
      const std::string_view token = ref.substr(0, ref.find('/'));
      ref.remove_prefix(token.size());
      if (token.empty()) continue;
      std::string name;
      for (std::size_t i = 0; i < token.size(); ++i) {
        if (token[i] == '~' && i + 1 < token.size()) name += token[++i] == '1' ? '/' : '~';
        else name += token[i];
      }
      at = at->find(name);
    }
    return at;
  }
  [[nodiscard]] static bool fits_type(const schema_value& t, const json::value& v) {
    if (t.is_string()) return has_type(v, t.string());
    for (const schema_value& one : t.items())
      if (has_type(v, one.string())) return true;
    return false;
  }
  [[nodiscard]] static std::string type_text(const schema_value& t) {
    if (t.is_string()) return std::string{t.string()};
    std::string out;
    for (const schema_value& one : t.items()) {
      if (!out.empty()) out += " or ";
      out += one.string();
    }
    return out;
  }
  void check_string(const schema_value& schema, const json::value& v, const std::string& at) {
    const std::size_t n = code_points(v.string());
    if (const schema_value* m = schema.find("minLength"); m != nullptr && static_cast<double>(n) < m->number())
      bad(at, "must have at least " + json::to_json(*m) + " characters", &v);
    if (const schema_value* m = schema.find("maxLength"); m != nullptr && static_cast<double>(n) > m->number())
      bad(at, "must have at most " + json::to_json(*m) + " characters", &v);
  }
  void check_number(const schema_value& schema, const json::value& v, const std::string& at) {
    const double x = v.number();
    const auto limit = [&](std::string_view key, auto broken, std::string_view text) {
      const schema_value* m = schema.find(key);
      if (m != nullptr && m->is_number() && broken(m->number())) bad(at, std::string{text} + json::to_json(*m), &v);
    };
    limit("minimum", [x](double m) { return x < m; }, "must be at least ");
    limit("maximum", [x](double m) { return x > m; }, "must be at most ");
    limit("exclusiveMinimum", [x](double m) { return x <= m; }, "must be above ");
    limit("exclusiveMaximum", [x](double m) { return x >= m; }, "must be below ");
    limit("multipleOf", [x](double m) { return m > 0 && std::fmod(x, m) != 0; }, "must be a multiple of ");
  }
  void check_array(const schema_value& schema, const json::value& v, const std::string& at, std::size_t depth) {
    const auto n = static_cast<double>(v.items().size());
    if (const schema_value* m = schema.find("minItems"); m != nullptr && n < m->number())
      bad(at, "must have at least " + json::to_json(*m) + " items", nullptr);
    if (const schema_value* m = schema.find("maxItems"); m != nullptr && n > m->number())
      bad(at, "must have at most " + json::to_json(*m) + " items", nullptr);
    if (const schema_value* items = schema.find("items"))
      for (std::size_t i = 0; i < v.items().size(); ++i)
        check(*items, v.items()[i], at + "/" + std::to_string(i), depth + 1);
  }
  void check_object(const schema_value& schema, const json::value& v, const std::string& at, std::size_t depth) {
    if (const schema_value* r = schema.find("required"))
      for (const schema_value& name : r->items())
        if (v.find(name.string()) == nullptr) bad(step(at, name.string()), "is required", nullptr);
    const schema_value* more = schema.find("additionalProperties");
    for (const auto& [name, held] : v.members()) {
      if (const schema_value* node = property(schema, name)) check(*node, held, step(at, name), depth + 1);
      else if (more != nullptr && more->is_false()) bad(step(at, name), "is not a known property", nullptr);
      else if (more != nullptr && more->is_object()) check(*more, held, step(at, name), depth + 1);
    }
  }

  const schema_value& root_;
  std::vector<schema_problem>& out_;
};

/// Whether a dialect can say what the schema says.
[[nodiscard]] inline bool can_express(const schema_value& s, const wire_dialect& d) {
  if (!s.is_object() || d.unions) return true;
  for (const std::string_view key : {"anyOf", "oneOf"})
    if (const schema_value* u = s.find(key)) {
      std::size_t real = 0;
      for (const schema_value& b : u->items()) {
        if (!(type_is(b, "null") && b.members().size() == 1)) ++real;
        if (!can_express(b, d)) return false;
      }
      if (!(real == 1 && u->items().size() == 2)) return false;
    }
  if (const schema_value* t = s.find("type")) {
    std::size_t real = 0;
    for (const schema_value& one : t->items()) real += one.string() != "null" ? 1U : 0U;
    if (real > 1) return false;
  }
  if (const schema_value* p = s.find("properties"))
    for (const auto& m : p->members())
      if (!can_express(m.value, d)) return false;
  for (const std::string_view key : {"items", "additionalProperties"})
    if (const schema_value* inner = s.find(key); inner != nullptr && !can_express(*inner, d)) return false;
  return true;
}

}  // namespace detail

/// A schema as tools and prompts hold it. Copies share it. Empty means: there is none.
class json_schema {
 public:
  json_schema() noexcept = default;
  /// A JSON Schema; false and null give an empty one.
  explicit json_schema(json::value source) {
    if (!source.is_null() && !source.is_false()) source_ = std::make_shared<const json::value>(std::move(source));
  }

  [[nodiscard]] explicit operator bool() const noexcept { return source_ != nullptr; }
  /// The JSON Schema it was made from; only if not empty.
  [[nodiscard]] const json::value& source() const noexcept { return *source_; }
  /// Whether an output of this schema is plain text: there is no schema, or its root is a string.
  [[nodiscard]] bool is_text() const noexcept { return source_ == nullptr || detail::type_is(*source_, "string"); }
  /// Which opening brackets may begin a value: `{`, `[`, or both if the root has no single type.
  [[nodiscard]] std::string_view openers() const noexcept {
    if (detail::type_is(*source_, "array")) return "[";
    const json::value* t = source_->find("type");
    return t != nullptr && t->is_string() ? "{" : "{[";
  }
  [[nodiscard]] bool can_express(std::string_view descriptor) const {
    return source_ == nullptr || detail::can_express(*source_, detail::find_dialect(descriptor));
  }
  /// A value in the dialect's form as a natural one.
  [[nodiscard]] json::value decode(json::value v, std::string_view descriptor) const {
    return source_ == nullptr ? std::move(v) : detail::decode_wire(*source_, std::move(v), detail::find_dialect(descriptor));
  }
  /// Fills defaults and tells what is wrong.
  [[nodiscard]] std::vector<schema_problem> check(json::value& v) const {
    std::vector<schema_problem> found;
    if (source_ == nullptr) return found;
    detail::fill_defaults(*source_, v);
    detail::schema_checker{*source_, found}.check(*source_, v, {});
    return found;
  }
  /// The schema of a member of the root, or an empty one.
  [[nodiscard]] const json::value* property(std::string_view name) const noexcept {
    return source_ == nullptr ? nullptr : detail::property(*source_, name);
  }
  /// Whether `v` fits the schema of the member `name` of the root.
  [[nodiscard]] bool property_accepts(std::string_view name, const json::value& v) const {
    const json::value* node = property(name);
    if (node == nullptr) return true;
    std::vector<schema_problem> found;
    detail::schema_checker{*source_, found}.check(*node, v, {});
    return found.empty();
  }
  /// Appends the schema in the lenient dialect, indented, for a prompt.
  template <text_sink S>
  void write_lenient(S& sink) const {
    json::append_json(sink, *source_, 2);
  }

 private:
  std::shared_ptr<const json::value> source_{};
};

}  // namespace prompt
}  // namespace v0_1
}  // namespace codemode
