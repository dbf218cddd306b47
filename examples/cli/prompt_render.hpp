#pragma once

// One line of `codemode prompt render`: {id, template, data, partials?, helpers?, escape?} to
// {id, text} or {id, error}.

#include <codemode/json/owned_value.hpp>
#include <codemode/prompt/template.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cli {

namespace helpers {

using codemode::helper_call;
using codemode::helper_error;
using codemode::helper_result;
using codemode::text_form;
using codemode::json::value;

inline helper_result upper(const helper_call& c) {
  std::string s = text_form(c.at(0));
  for (char& x : s)
    if (x >= 'a' && x <= 'z') x = static_cast<char>(x - 'a' + 'A');
  return value{std::move(s)};
}
inline helper_result join(const helper_call& c) {
  if (c.at(0) == nullptr || !c.at(0)->is_array()) return helper_error{"join takes a list"};
  std::string out;
  for (const value& item : c.at(0)->items()) {
    if (&item != c.at(0)->items().data()) out += text_form(c.at(1));
    out += text_form(&item);
  }
  return value{std::move(out)};
}
inline helper_result eq(const helper_call& c) {
  const value* a = c.at(0);
  const value* b = c.at(1);
  return value{a == nullptr || b == nullptr ? a == b : *a == *b};
}
inline helper_result add(const helper_call& c) {
  const value* a = c.at(0);
  const value* b = c.at(1);
  if (a == nullptr || b == nullptr || !a->is_number() || !b->is_number()) return helper_error{"add takes two numbers"};
  return value{a->number() + b->number()};
}
inline helper_result hash(const helper_call& c) {
  std::vector<std::string> pairs;
  for (const helper_call::hash_entry& e : c.hash())
    pairs.push_back(std::string{e.name} + "=" +
                    (e.value == nullptr ? "undefined" : e.value->is_null() ? "null" : text_form(e.value)));
  std::sort(pairs.begin(), pairs.end());
  std::string out;
  for (const std::string& p : pairs) out += (out.empty() ? "" : ",") + p;
  return value{std::move(out)};
}
inline helper_result nothing(const helper_call&) { return {}; }
inline helper_result verbatim(const helper_call& c) { return value{c.body()}; }
inline helper_result wrap(const helper_call& c) {
  const std::string tag = text_form(c.hash("tag"));
  return value{"<" + tag + ">" + c.body() + "</" + tag + ">"};
}
inline helper_result times(const helper_call& c) {
  std::string out;
  const auto n = c.at(0) != nullptr ? c.at(0)->integer() : 0;
  for (std::int64_t i = 0; i < n; ++i) out += c.body(value{i}, static_cast<std::size_t>(i));
  return value{std::move(out)};
}
inline helper_result choose(const helper_call& c) {
  const value* v = c.at(0);
  const bool yes = v != nullptr && !v->is_null() && !v->is_false() && !(v->is_string() && v->string().empty()) &&
                   !(v->is_number() && v->number() == 0);
  return value{yes ? c.body() : c.inverse()};
}

inline codemode::template_helper find(std::string_view name) {
  if (name == "upper") return upper;
  if (name == "join") return join;
  if (name == "eq") return eq;
  if (name == "add") return add;
  if (name == "hash") return hash;
  if (name == "nothing") return nothing;
  if (name == "verbatim") return verbatim;
  if (name == "wrap") return wrap;
  if (name == "times") return times;
  if (name == "choose") return choose;
  return {};
}

}  // namespace helpers

inline codemode::json::value error_json(const codemode::template_error& e) {
  using codemode::json::value;
  value out = value::make_object({{"kind", "template"}, {"message", e.text()}});
  out.set("line", e.line);
  out.set("column", e.column);
  out.set("phase", e.when == codemode::template_error::phase::parse ? "parse" : "render");
  return value::make_object({{"error", std::move(out)}});
}

/// The answer to one line, without its id.
inline codemode::json::value render_line(const codemode::json::value& line) {
  using codemode::json::value;
  codemode::template_library library;
  if (const value* names = line.find("helpers"))
    for (const value& name : names->items())
      if (auto helper = helpers::find(name.string())) library.add_helper(std::string{name.string()}, std::move(helper));
  if (const value* partials = line.find("partials"))
    for (const auto& [name, text] : partials->members())
      if (const auto error = library.add_partial(name, std::string{text.string()})) return error_json(*error);
  const value* text = line.find("template");
  auto parsed = codemode::prompt_template::parse(std::string{text != nullptr ? text->string() : std::string_view{}});
  if (!parsed) return error_json(parsed.error());
  const value nothing;
  const value* data = line.find("data");
  const value* escape = line.find("escape");
  codemode::template_options options;
  options.library = &library;
  options.escape = escape != nullptr && escape->is_true();
  auto rendered = parsed->render(data != nullptr ? *data : nothing, options);
  if (!rendered) return error_json(rendered.error());
  return value::make_object({{"text", std::move(*rendered)}});
}

}  // namespace cli
