#pragma once

/// @file
/// JSON text to an owned `json::value`.

#include <codemode/json/reader.hpp>
#include <codemode/json/owned_value.hpp>

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace codemode {
inline namespace v0_1 {
namespace json {

/// Deepest nesting that `to_value` takes. A tree is walked and freed by recursion, so that text from a
/// stranger must not choose how much stack that is.
inline constexpr std::size_t max_value_depth = 256;

namespace detail {

[[nodiscard]] inline value number_value(std::string_view raw) {
  std::int64_t i = 0;
  const char* const end = raw.data() + raw.size();
  if (const auto r = std::from_chars(raw.data(), end, i); r.ec == std::errc{} && r.ptr == end && raw != "-0") return i;
  std::uint64_t u = 0;
  if (const auto r = std::from_chars(raw.data(), end, u); r.ec == std::errc{} && r.ptr == end) return u;
  double d = 0;
  const auto r = std::from_chars(raw.data(), end, d);
  if (r.ec != std::errc{}) {
    // Out of range: libstdc++ leaves `d` alone, so say which way it went.
    const std::size_t e = raw.find_first_of("eE");
    const bool tiny = e != std::string_view::npos && raw.substr(e + 1).starts_with('-');
    d = tiny ? 0.0 : raw.starts_with('-') ? -HUGE_VAL : HUGE_VAL;
  }
  return d;
}

[[nodiscard]] inline bool fill_value(const element& e, value& out, std::size_t depth) {
  if (depth > max_value_depth) return false;
  switch (e.kind()) {
    case kind::null: out = value{}; return true;
    case kind::boolean: out = value{e.is_true()}; return true;
    case kind::number: out = number_value(e.raw()); return true;
    case kind::string: {
      std::string s;
      e.decode(s);
      out = value{std::move(s)};
      return true;
    }
    case kind::array: {
      value::array& items = (out = value::make_array()).make_items();
      items.reserve(e.size());
      for (const element item : e.items())
        if (!fill_value(item, items.emplace_back(), depth + 1)) return false;
      return true;
    }
    case kind::object: break;
  }
  out = value::make_object();
  for (const member m : e.members()) {
    std::string name;
    m.key.decode(name);
    // Of members with one name the last counts, in the place of the first.
    if (!fill_value(m.value, out.set(name, value{}), depth + 1)) return false;
  }
  return true;
}

}  // namespace detail

/// The value at `e`, owned. `invalid_json` if it is nested deeper than `max_value_depth`. Of members with the
/// same name the last counts; a lone surrogate becomes U+FFFD.
[[nodiscard]] inline result<value> to_value(const element& e) {
  value out;
  if (detail::fill_value(e, out, 0)) return out;
  diagnostic d;
  d.code = errc::invalid_json;
  d.what = "the value is nested too deeply";
  d.needed = max_value_depth;
  return d;
}

/// Reads `text` as one JSON value, with the memory of `with`. Refuses like `reader::read` and `to_value`.
[[nodiscard]] inline result<value> parse_value(std::string_view text, reader& with) {
  const auto document = with.read(text);
  if (!document) return document.error();
  return to_value(document->root());
}

/// The same with a reader of its own.
[[nodiscard]] inline result<value> parse_value(std::string_view text) {
  reader own;
  return parse_value(text, own);
}

}  // namespace json
}  // namespace v0_1
}  // namespace codemode
