#pragma once

/// @file
/// The nodes of a schema: one row of small records that name each other by index (schema.md 1.1).

#include <codemode/json/value.hpp>
#include <codemode/schema/keyword.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace schema {

/// Deepest nesting of schemas, references included, and of JSON values that is taken. What is deeper is refused with a
/// clear error, which bounds the stack of everything that walks over nodes.
inline constexpr std::uint32_t max_depth = 512;

enum class node_kind : std::uint8_t {
  string, number, integer, boolean, null, constant, enumeration, array, tuple, object, record, union_of, all_of,
  nullable, reference, any, never
};

/// Name of a kind in reasons and findings; unions and intersections are named by their keyword.
[[nodiscard]] constexpr std::string_view to_string(node_kind k) noexcept {
  constexpr std::string_view names[]{"string", "number", "integer", "boolean", "null", "const", "enum", "array", "tuple",
                                     "object", "map", "union", "all", "nullable", "ref", "any", "never"};
  return names[static_cast<std::size_t>(k)];
}

/// Index of a node, and of anything else in a row.
using index = std::uint32_t;
inline constexpr index none = 0xFFFF'FFFFU;
/// In place of an object's tail: no other properties.
inline constexpr index closed = 0xFFFF'FFFEU;
/// In place of a definition: the root.
inline constexpr index root_definition = 0xFFFF'FFFDU;

/// What a node's source says, for validation.
enum class proof : std::uint8_t {
  view,    ///< the JSON schema `json`, of which `view` tells the keywords that count
  both,    ///< the sources of nodes `json` and `view`
  options, ///< that of one of the node's options
  values,  ///< that it is one of the node's values
  nothing  ///< anything
};

/// One node. What the fields hold depends on the kind:
///
/// | kind | first, count | a | b |
/// | --- | --- | --- | --- |
/// | string | patterns (JSON strings) | | |
/// | constant, enumeration | values (JSON) | | |
/// | array | | item | |
/// | tuple | items | rest or `none` | items that are needed |
/// | object | properties | tail: `none` (unset), `closed`, a node | |
/// | record | | value | key |
/// | union_of, all_of | options, members | | |
/// | nullable | | inner | |
/// | reference | | definition or `root_definition` | |
struct node {
  node_kind kind = node_kind::any;
  keyword made_by = keyword::type;          ///< keyword that made a union, intersection, nullable, tuple, record, never
  json_type declared = json_type::none;     ///< `type` beside const or enum
  bool one_of = false;
  proof source = proof::nothing;
  index place = 0;                          ///< its pointer
  index json = none;                        ///< see `proof`
  index view = 0;
  index first = 0;
  index count = 0;
  index a = none;
  index b = none;
  index limits = none;                      ///< lists of entries
  index annotations = none;
  index extras = none;
  index lost = none;                        ///< extras with a reference inside, which are never emitted
  index remarks = none;
  index left_out = none;                    ///< options that are never
};

/// A property of an object.
struct property {
  index name = none;  ///< JSON string
  index value = none;
  bool optional = false;
};

/// One member of a list: a keyword, or 64 plus the JSON string of an unknown one, and its JSON value.
struct entry {
  index key = none;
  index value = none;
  index next = none;
};
inline constexpr index first_unknown_key = 64;
[[nodiscard]] constexpr index entry_key(keyword k) noexcept { return static_cast<index>(k); }

/// One step of a pointer: to a keyword, a name (JSON string) or an item.
struct place {
  enum class step : std::uint8_t { keyword, name, item };
  index parent = none;
  index token = 0;
  step kind = step::keyword;
};

/// What lint has to say of a spelling. The subject is a keyword, a type, or a JSON string.
struct remark {
  enum class code : std::uint8_t {
    meta_keyword, keyword_misplaced, schema_untyped, untyped_constant, untyped_any, boolean_schema, nullable_keyword,
    draft4_bound, empty_array_as_map, tuple_draft07, array_without_items, required_empty, required_undeclared,
    plain_property_names
  };
  code what{};
  index subject = 0;
  index next = none;
};

/// Which keywords of a JSON schema count, and a type that was pushed into it.
struct source_view {
  keyword_set keywords = keyword_set::all();
  index type = none;  ///< JSON value of `type`, or `none`
};

struct definition {
  index name = none;  ///< JSON string
  index node = none;
};

/// The rows that nodes are made of. A tree has them, and so has what is made of a tree on the way.
struct rows {
  std::vector<schema::node> nodes;
  std::vector<index> links;
  std::vector<property> properties;
  std::vector<entry> entries;
  json::tape json;

  void clear() noexcept {
    nodes.clear();
    links.clear();
    properties.clear();
    entries.clear();
    json.clear();
  }
};

}  // namespace schema
}  // namespace v0_1
}  // namespace codemode
