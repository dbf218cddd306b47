#pragma once

/// @file
/// Enums and constants: which values travel as strings, and how (schema.md 3.4).

#include <codemode/json/value.hpp>
#include <codemode/schema/descriptor.hpp>
#include <codemode/schema/node.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace schema {

/// JSON type of a value; integers are numbers.
[[nodiscard]] inline json_type type_of_value(const json::element& e) noexcept {
  switch (e.kind()) {
    case json::kind::null: return json_type::null;
    case json::kind::boolean: return json_type::boolean;
    case json::kind::number: return json_type::number;
    case json::kind::string: return json_type::string;
    case json::kind::array: return json_type::array;
    case json::kind::object: return json_type::object;
  }
  return json_type::none;
}
[[nodiscard]] inline bool is_of_type(const json::element& e, json_type t) noexcept {
  if (t == json_type::integer)
    return e.kind() == json::kind::number && json::is_whole(json::to_double(e.raw()));
  return type_of_value(e) == t;
}
[[nodiscard]] inline value_kind kind_of_value(const json::element& e) noexcept {
  switch (e.kind()) {
    case json::kind::null: return value_kind::null;
    case json::kind::boolean: return value_kind::boolean;
    case json::kind::number: return value_kind::number;
    case json::kind::string: return e.content().empty() ? value_kind::empty_string : value_kind::string;
    default: return value_kind::structured;
  }
}

/// The one JSON type of a node's values, or `none`. Layer: `link(index)`, `json(index)`.
template <class Layer>
[[nodiscard]] json_type common_type(const Layer& l, const node& n) {
  json_type t = json_type::none;
  for (index i = 0; i < n.count; ++i) {
    const json_type v = type_of_value(l.json(l.link(n.first + i)));
    if (t != json_type::none && v != t) return json_type::none;
    t = v;
  }
  return t;
}

/// Kinds of a node's values that the dialect does not take.
template <class Layer>
[[nodiscard]] value_kind_set foreign_kinds(const Layer& l, const node& n, const descriptor& d) {
  value_kind_set out;
  if (!d.enum_types_restricted) return out;
  for (index i = 0; i < n.count; ++i) {
    const value_kind k = kind_of_value(l.json(l.link(n.first + i)));
    if (!d.enum_value_types.has(k)) out.add(k);
  }
  return out;
}

/// Whether the values of a const or enum travel as strings.
template <class Layer>
[[nodiscard]] bool is_coded(const Layer& l, const node& n, const descriptor& d) {
  if (foreign_kinds(l, n, d).bits != 0) return true;
  if (!d.enum_single_type) return false;
  if (n.declared == json_type::none) return common_type(l, n) == json_type::none;
  for (index i = 0; i < n.count; ++i)
    if (!is_of_type(l.json(l.link(n.first + i)), n.declared)) return true;
  return false;
}

/// The `type` of a const or enum that is not coded, or `none`.
template <class Layer>
[[nodiscard]] json_type wire_type(const Layer& l, const node& n, const descriptor& d) {
  if (n.declared != json_type::none) return n.declared;
  const json_type t = common_type(l, n);
  if (t == json_type::number || t == json_type::string) return t;
  if (t != json_type::none &&
      (n.kind == node_kind::constant || (t == json_type::boolean && d.enum_single_type)))
    return t;
  return json_type::none;
}

/// The type that an option of a union of constants declares or implies.
template <class Layer>
[[nodiscard]] json_type implied_type(const Layer& l, const node& n) {
  return n.declared != json_type::none ? n.declared : common_type(l, n);
}

/// Whether a union is emitted as one enum.
template <class Layer>
[[nodiscard]] bool becomes_enum(const Layer& l, const node& n, const descriptor& d) {
  if (d.allow_const || n.kind != node_kind::union_of) return false;
  bool solid = false;
  for (index i = 0; i < n.count; ++i) {
    const node_kind k = l.get_node(l.link(n.first + i)).kind;
    if (k == node_kind::null) continue;
    if (k != node_kind::constant && k != node_kind::enumeration) return false;
    solid = true;
  }
  return solid;
}
template <class Layer>
[[nodiscard]] bool has_null_option(const Layer& l, const node& n) {
  for (index i = 0; i < n.count; ++i)
    if (l.get_node(l.link(n.first + i)).kind == node_kind::null) return true;
  return false;
}

/// The text that stands for a value: a string as it is, the empty string as two quotes, others as JSON.
/// `plain` false: all as JSON.
inline void append_coded_text(const json::element& v, bool plain, std::string& out) {
  if (!plain || !v.is_string()) json::write_compact(v, out);
  else if (v.content().empty()) out.append("\"\"");
  else v.decode(out);
}

/// Whether the texts of a node's values are all different as they are. Layer as above.
template <class Layer>
[[nodiscard]] bool plain_texts_differ(const Layer& l, const node& n) {
  // Only a string can have the text of another value, so without strings, or with nothing else, they differ.
  bool strings = false;
  bool others = false;
  bool empty = false;
  for (index i = 0; i < n.count; ++i) {
    const json::element v = l.json(l.link(n.first + i));
    if (v.is_string()) {
      strings = true;
      empty = empty || v.content().empty();
    } else {
      others = true;
    }
  }
  const bool repeats = repeated(l, n);
  if (repeats) return false;
  if (!strings || (!others && !empty)) return true;
  std::string a;
  std::string b;
  for (index i = 0; i < n.count; ++i) {
    const json::element v = l.json(l.link(n.first + i));
    if (v.is_string() && !v.content().empty()) continue;
    a.clear();
    append_coded_text(v, true, a);
    for (index k = 0; k < n.count; ++k) {
      const json::element w = l.json(l.link(n.first + k));
      if (k == i || !w.is_string() || w.content().empty()) continue;
      if (w.equals(a)) return false;
    }
  }
  return true;
}

/// Whether two of a node's values are written the same.
template <class Layer>
[[nodiscard]] bool repeated(const Layer& l, const node& n) {
  if (n.count <= 32) {
    for (index i = 1; i < n.count; ++i)
      for (index k = 0; k < i; ++k)
        if (json::same(l.json(l.link(n.first + i)), l.json(l.link(n.first + k)))) return true;
    return false;
  }
  std::vector<std::string> texts(n.count);
  for (index i = 0; i < n.count; ++i) json::write_compact(l.json(l.link(n.first + i)), texts[i]);
  std::sort(texts.begin(), texts.end());
  return std::adjacent_find(texts.begin(), texts.end()) != texts.end();
}

}  // namespace schema
}  // namespace v0_1
}  // namespace codemode
