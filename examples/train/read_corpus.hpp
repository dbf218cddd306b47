#pragma once

// Reads catalogs.jsonl and instructions.jsonl.

#include "corpus.hpp"

#include <codemode/json/reader.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <string>

namespace train {

inline std::string content(const codemode::json::element& e) {
  std::string s;
  e.decode(s);
  return s;
}

inline std::vector<tool_spec> read_tools(const codemode::json::element& list) {
  std::vector<tool_spec> out;
  for (const auto& t : list.items()) {
    auto& s = out.emplace_back();
    s.name = content(*t.find("name"));
    for (const auto& a : t.find("arguments")->members()) {
      const auto type = content(a.value);
      s.arguments.push_back({content(a.key),
                             type == "string"   ? value_type::string
                             : type == "number" ? value_type::number
                                                : value_type::boolean,
                             false});
    }
    for (const auto& r : t.find("required")->items())
      if (const int i = s.find(content(r)); i >= 0) s.arguments[static_cast<std::size_t>(i)].required = true;
    const auto returns = *t.find("returns");
    const auto kind = content(*returns.find("kind"));
    s.returns = kind == "text" ? return_kind::text : kind == "object" ? return_kind::object : return_kind::array;
    if (const auto p = returns.find("properties"))
      for (const auto& x : p->items()) s.properties.push_back(content(x));
  }
  return out;
}

inline literal read_literal(const codemode::json::element& e) {
  literal v;
  if (e.is_string()) {
    v.text = content(e);
  } else if (e.kind() == codemode::json::kind::number) {
    v.type = value_type::number;
    v.number = std::strtod(std::string(e.raw()).c_str(), nullptr);
  } else {
    v.type = value_type::boolean;
    v.boolean = e.is_true();
  }
  return v;
}

inline plan_spec read_plan(const codemode::json::element& e) {
  plan_spec p;
  const auto mode = content(*e.find("mode"));
  p.mode = mode == "single" ? 0 : mode == "serial" ? 1 : 2;
  for (const auto& c : e.find("calls")->items()) {
    auto& s = p.calls.emplace_back();
    s.tool = content(*c.find("tool"));
    for (const auto& a : c.find("args")->members()) s.arguments.emplace_back(content(a.key), read_literal(a.value));
  }
  const auto o = *e.find("output");
  p.last = content(*o.find("kind")) == "last";
  if (const auto f = o.find("fields"))
    for (const auto& x : f->items()) p.fields.push_back(content(x));
  if (const auto n = o.find("limit")) p.limit = static_cast<int>(read_literal(*n).number);
  return p;
}

/// Calls `take(frame&&)` for every instruction of `folder`, in order; false where a file cannot be read.
template <class Take>
bool read_corpus(const std::string& folder, Take&& take) {
  codemode::json::reader reader;
  std::map<std::string, std::shared_ptr<const schema>> catalogs;
  const auto lines = [&](const std::string& path, auto&& f) {
    std::ifstream in(path);
    if (!in) {
      std::fprintf(stderr, "cannot read %s\n", path.c_str());
      return false;
    }
    for (std::string line; std::getline(in, line);) {
      const auto document = reader.read(line);
      if (!document) {
        std::fprintf(stderr, "%s holds a line that is no JSON\n", path.c_str());
        return false;
      }
      f(document->root());
    }
    return true;
  };
  if (!lines(folder + "/catalogs.jsonl", [&](const codemode::json::element& e) {
        catalogs[content(*e.find("id"))] = std::make_shared<schema>(read_tools(*e.find("tools")));
      }))
    return false;
  return lines(folder + "/instructions.jsonl", [&](const codemode::json::element& e) {
    frame f;
    f.id = content(*e.find("id"));
    f.text = content(*e.find("instruction"));
    f.tools = catalogs.at(content(*e.find("catalog")));
    const auto expect = *e.find("expect");
    if (const auto p = expect.find("plan")) {
      f.code = "ok";
      f.plan = read_plan(*p);
    } else {
      f.code = content(*expect.find("reject"));
    }
    take(std::move(f));
  });
}

}  // namespace train
