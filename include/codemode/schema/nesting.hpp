#pragma once

/// @file
/// How deep JSON is nested, asked before anything walks it by recursion.

#include <codemode/json/document.hpp>

#include <cstddef>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace schema {
namespace detail {

/// Whether more than `levels` arrays and objects lie inside one another. One pass over the values, no recursion.
[[nodiscard]] inline bool is_nested_deeper(const json::element& e, std::size_t levels) {
  std::vector<const json::node*> ends;
  const json::node* n = e.at();
  for (const json::node* const end = n + n->extent; n != end; ++n) {
    while (!ends.empty() && ends.back() <= n) ends.pop_back();
    if (n->kind != json::kind::array && n->kind != json::kind::object) continue;
    ends.push_back(n + n->extent);
    if (ends.size() > levels) return true;
  }
  return false;
}

}  // namespace detail
}  // namespace schema
}  // namespace v0_1
}  // namespace codemode
