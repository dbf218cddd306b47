#pragma once

// Reading tool lists from files: a catalog of several servers, or a folder with one server a file.

#include "io.hpp"
#include "jsonl.hpp"

#include <codemode/contract/tool_catalog.hpp>
#include <codemode/json/reader.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace cli {

/// The whole of a file; false if it cannot be read.
inline bool read_text(const char* path, std::string& text) {
  input_file file;
  if (!file.open(path)) return false;
  text.clear();
  char block[65536];
  for (;;) {
    const ::ssize_t n = ::read(file.descriptor(), block, sizeof block);
    if (n == 0) return true;
    if (n < 0 && errno != EINTR) return false;
    if (n > 0) text.append(block, static_cast<std::size_t>(n));
  }
}

/// Adds the tools of a list to a catalog. With `production`, title and description are aliases too, as after an
/// index run; else the aliases are those of the list.
inline void add_server(codemode::contract::tool_catalog& catalog, std::string_view id, std::string_view status,
                       const codemode::json::element* tools, bool production) {
  std::vector<codemode::contract::tool_entry> entries;
  if (tools != nullptr && tools->is_array())
    for (const codemode::json::element item : tools->items()) {
      auto entry = codemode::contract::read_tool(item, id);
      if (!entry) continue;
      if (production) entry->aliases = {entry->title, entry->description};
      entries.push_back(std::move(*entry));
    }
  catalog.set_server(id, status, std::move(entries));
}

/// Reads `{"servers":[{"id","status","tools"}]}`. False if the file is no such text.
inline bool read_catalog(const char* path, bool production, codemode::contract::tool_catalog& catalog) {
  std::string text;
  codemode::json::reader reader;
  if (!read_text(path, text)) return false;
  const auto document = reader.read(text);
  if (!document) return false;
  const auto servers = member_of(document->root(), "servers");
  if (!servers || !servers->is_array()) return false;
  for (const codemode::json::element server : servers->items()) {
    const auto tools = member_of(server, "tools");
    add_server(catalog, string_of(server, "id"), string_of(server, "status", codemode::contract::status_unknown),
               tools ? &*tools : nullptr, production);
  }
  return true;
}

/// Reads every `ID.json` of a folder, `{"tools":[...]}` each.
inline bool read_folder(const char* path, codemode::contract::tool_catalog& catalog) {
  std::error_code bad;
  std::vector<std::filesystem::path> files;
  for (const auto& item : std::filesystem::directory_iterator(path, bad))
    if (item.path().extension() == ".json") files.push_back(item.path());
  if (bad || files.empty()) return false;
  std::sort(files.begin(), files.end());
  codemode::json::reader reader;
  for (const auto& file : files) {
    std::string text;
    if (!read_text(file.c_str(), text)) return false;
    const auto document = reader.read(text);
    if (!document) return false;
    const auto tools = member_of(document->root(), "tools");
    add_server(catalog, file.stem().string(), codemode::contract::status_online, tools ? &*tools : nullptr, false);
  }
  return true;
}

}  // namespace cli
