#pragma once

/// @file
/// JSON text to a tree.

#include <codemode/json/reader.hpp>
#include <codemode/schema/import.hpp>

#include <string_view>

namespace codemode {
inline namespace v0_1 {
namespace schema {

/// Reads a schema. The tree owns what it needs of `text`. For many schemas keep a reader and use `import_schema`.
[[nodiscard]] inline result<tree, import_error> read_schema(std::string_view text) {
  json::reader reader;
  const auto document = reader.read(text);
  if (!document) {
    import_error e;
    e.code = import_errc::invalid_json;
    e.what = document.error().what;
    e.json = document.error();
    return e;
  }
  return import_schema(document->root());
}

}  // namespace schema
}  // namespace v0_1
}  // namespace codemode
