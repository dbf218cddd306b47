#pragma once

// A catalog made by hand, and an instruction cut against it: no parser needed.

#include <codemode/frontend/lexer.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace fixture {

using namespace codemode;

struct tools {
  std::vector<std::vector<parameter>> parameters;
  std::vector<std::vector<std::string_view>> properties;
  std::vector<tool> list;
  name_index names;

  tools& add(std::string_view name, std::vector<parameter> p, return_kind kind = return_kind::text,
             std::vector<std::string_view> q = {}) {
    parameters.push_back(std::move(p));
    properties.push_back(std::move(q));
    list.push_back({name, {}, kind, {}});
    for (std::size_t i = 0; i < list.size(); ++i) {
      list[i].parameters = parameters[i];
      list[i].properties = properties[i];
    }
    names.build(list);
    return *this;
  }
};

/// Tokens as one text: `kind:spelling` with a blank between, names with T, A, P for what they may be.
inline std::string cut(std::string_view text, const tools& t) {
  static token_list out;
  if (const auto d = tokenize(text, t.list, t.names, out)) return "!" + std::string(to_string(d->code));
  std::string s;
  for (const auto& k : out.view()) {
    if (!s.empty()) s += ' ';
    s += k.kind == token_kind::word      ? (k.malformed_number ? 'm' : 'w')
         : k.kind == token_kind::sign    ? 's'
         : k.kind == token_kind::string  ? 'q'
         : k.kind == token_kind::number  ? 'n'
         : k.kind == token_kind::boolean ? 'b'
                                         : 'N';
    if (k.tools != 0) s += 'T';
    if (k.parameters != 0) s += 'A';
    if (k.properties != 0) s += 'P';
    s += ':';
    s += text.substr(k.begin, k.end - k.begin);
  }
  return s;
}

}  // namespace fixture
