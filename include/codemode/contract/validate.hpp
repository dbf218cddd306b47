#pragma once

/// @file
/// The one door through which arguments are checked before a call (contract.md, 2.4.2 and 2.12.4).
///
/// Strict about values, lenient about schemas: schemas come from servers, and one that is faulty must not make a
/// tool uncallable. A type name that JSON Schema does not have, a reference that leads nowhere or outside and a pattern
/// that does not compile check nothing. Works on wire text, so that nothing is parsed again.

#include <codemode/contract/open_value.hpp>
#include <codemode/contract/quote.hpp>
#include <codemode/text/regex.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace contract {

/// Bounds of one validation. What lies beyond them is not checked.
struct validation_limits {
  int depth = 64;                ///< nesting of schemas and values, references included
  std::size_t steps = 200'000;   ///< schemas applied to values, alternatives included
};

namespace detail {

class argument_validator {
 public:
  argument_validator(json_cursor root, const validation_limits& limits) noexcept : root_(root), left_(limits.steps), most_(limits.depth) {}

  [[nodiscard]] std::vector<std::string> run(json_cursor arguments) {
    check(root_, arguments);
    std::sort(problems_.begin(), problems_.end());
    return std::move(problems_);
  }

 private:
  void say(std::string_view text) {
    ++count_;
    if (quiet_ > 0) return;
    std::string& p = problems_.emplace_back();
    if (path_.empty()) p = "arguments ";
    else {
      p = "field ";
      append_quoted(p, path_);
      p += ' ';
    }
    p += text;
  }

  void check(json_cursor schema, json_cursor value) {
    if (depth_ >= most_ || left_ == 0) return;
    --left_;
    if (schema.text() == "false") return say("is not allowed");
    if (!schema.is_object()) return;
    ++depth_;
    check_members(schema, value);
    --depth_;
  }

  [[nodiscard]] bool fits(json_cursor schema, json_cursor value) {
    const std::size_t before = count_;
    ++quiet_;
    check(schema, value);
    --quiet_;
    const bool good = count_ == before;
    count_ = before;
    return good;
  }

  [[nodiscard]] static bool is_whole(json_cursor v) noexcept {
    if (v.integer()) return true;
    const auto x = v.number();
    return x && std::isfinite(*x) && std::floor(*x) == *x;
  }
  /// Whether the value is of the named type; nothing for a name that JSON Schema does not have.
  [[nodiscard]] static std::optional<bool> is_of(json_cursor name, json_cursor v) noexcept {
    if (name.equals("string")) return v.is_string();
    if (name.equals("number")) return v.is_number();
    if (name.equals("integer")) return v.is_number() && is_whole(v);
    if (name.equals("boolean")) return v.is_boolean();
    if (name.equals("array")) return v.is_array();
    if (name.equals("object")) return v.is_object();
    if (name.equals("null")) return v.is_null();
    return std::nullopt;
  }

  /// False, with a problem, if no type fits: then the other keywords would only repeat that.
  [[nodiscard]] bool check_type(json_cursor type, json_cursor v) {
    std::string names;
    bool any = false;
    bool unknown = false;
    const auto look = [&](json_cursor name) {
      const auto is = is_of(name, v);
      unknown = unknown || !is;
      any = any || is.value_or(false);
      if (!names.empty()) names += " or ";
      name.decode(names);
    };
    if (type.is_string()) look(type);
    else
      for (const json_cursor item : type.items()) look(item);
    if (names.empty() || any || unknown) return true;
    say("must be " + names);
    return false;
  }

  void check_members(json_cursor s, json_cursor v) {
    if (const json_cursor ref = s["$ref"]; ref.is_string())
      if (const json_cursor target = resolve(ref)) check(target, v);
    // A nullable schema of OpenAPI takes null whatever its type says.
    if (v.is_null() && s["nullable"].is_true()) return;
    if (const json_cursor type = s["type"]; type && !check_type(type, v)) return;
    if (const json_cursor list = s["enum"]; list.is_array()) {
      bool found = false;
      for (const json_cursor item : list.items()) found = found || same(item, v);
      if (!found) say("must be one of " + shortened(list.text()));
    }
    if (const json_cursor only = s["const"]; only && !same(only, v)) say("must be " + shortened(only.text()));
    if (v.is_number()) check_number(s, v);
    else if (v.is_string()) check_string(s, v);
    else if (v.is_array()) check_array(s, v);
    else if (v.is_object()) check_object(s, v);
    check_combinations(s, v);
  }

  /// Equal as JSON: wire text has one form for each value but for whole numbers written as doubles.
  [[nodiscard]] static bool same(json_cursor a, json_cursor b) noexcept { return a.text() == b.text(); }

  [[nodiscard]] static std::string shortened(std::string_view text) {
    constexpr std::size_t most = 300;
    if (text.size() <= most) return std::string(text);
    std::size_t end = most;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80) --end;
    return std::string(text.substr(0, end)) + " ...";
  }

  [[nodiscard]] static bool less(json_cursor a, json_cursor b) noexcept {
    const auto x = a.integer();
    const auto y = b.integer();
    if (x && y) return *x < *y;
    return a.number().value_or(0) < b.number().value_or(0);
  }
  void check_number(json_cursor s, json_cursor v) {
    const auto bound = [&](std::string_view name, auto broken) {
      if (const json_cursor b = s[name]; b.is_number() && broken(b)) say(std::string(name) + " is " + std::string(b.text()));
    };
    bound("minimum", [&](json_cursor b) { return s["exclusiveMinimum"].is_true() ? !less(b, v) : less(v, b); });
    bound("maximum", [&](json_cursor b) { return s["exclusiveMaximum"].is_true() ? !less(v, b) : less(b, v); });
    bound("exclusiveMinimum", [&](json_cursor b) { return !less(b, v); });
    bound("exclusiveMaximum", [&](json_cursor b) { return !less(v, b); });
    bound("multipleOf", [&](json_cursor b) {
      if (const auto n = v.integer(), m = b.integer(); n && m) return *m > 0 && *n % *m != 0;
      const double step = b.number().value_or(0);
      if (!(step > 0)) return false;
      const double q = v.number().value_or(0) / step;
      return std::fabs(q - std::round(q)) > 1e-9 * (std::max)(1.0, std::fabs(q));
    });
  }

  void check_count(json_cursor s, std::size_t n, std::string_view low, std::string_view high) {
    if (const auto b = s[low].number(); b && static_cast<double>(n) < *b) say(std::string(low) + " is " + std::string(s[low].text()));
    if (const auto b = s[high].number(); b && static_cast<double>(n) > *b) say(std::string(high) + " is " + std::string(s[high].text()));
  }

  [[nodiscard]] static bool occurs(const std::string& pattern, std::string_view in) {
    text::regex program;
    return !program.compile(pattern) || program.search(in) != text::match::no;
  }

  void check_string(json_cursor s, json_cursor v) {
    const bool counted = s["minLength"] || s["maxLength"];
    const json_cursor pattern = s["pattern"];
    if (!counted && !pattern.is_string()) return;
    const std::string content = v.string();
    if (counted) {
      const auto units = static_cast<std::size_t>(std::count_if(content.begin(), content.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80; }));
      check_count(s, units, "minLength", "maxLength");
    }
    if (pattern.is_string() && !occurs(pattern.string(), content)) say("must match the pattern " + shortened(pattern.text()));
  }

  void check_array(json_cursor s, json_cursor v) {
    const json_cursor prefix = s["prefixItems"].is_array() ? s["prefixItems"] : s["items"].is_array() ? s["items"] : json_cursor{};
    const json_cursor rest = s["items"].is_array() ? s["additionalItems"] : s["items"];
    const json_cursor contains = s["contains"];
    json_items::iterator known = prefix.items().begin();
    std::size_t n = 0;
    std::size_t contained = 0;
    for (const json_cursor item : v.items()) {
      const std::size_t size = path_.size();
      path_ += "[" + std::to_string(n++) + "]";
      if (known != prefix.items().end()) {
        check(*known, item);
        ++known;
      } else if (rest) {
        check(rest, item);
      }
      path_.resize(size);
      if (contains && fits(contains, item)) ++contained;
    }
    check_count(s, n, "minItems", "maxItems");
    if (contains) {
      const double least = s["minContains"].number().value_or(1);
      const double most = s["maxContains"].number().value_or(HUGE_VAL);
      if (static_cast<double>(contained) < least || static_cast<double>(contained) > most) say("holds too few or too many items of the kind in contains");
    }
    if (s["uniqueItems"].is_true()) {
      std::vector<std::string_view> seen;
      for (const json_cursor item : v.items()) seen.push_back(item.text());
      std::sort(seen.begin(), seen.end());
      if (std::adjacent_find(seen.begin(), seen.end()) != seen.end()) say("must not repeat an item");
    }
  }

  void missing(std::string_view name) {
    ++count_;
    if (quiet_ > 0) return;
    std::string where = path_;
    if (!where.empty()) where += '.';
    where += name;
    problems_.push_back("missing required field " + quote_name(where));
  }

  void check_object(json_cursor s, json_cursor v) {
    for (const json_cursor name : s["required"].items())
      if (name.is_string())
        if (const std::string n = name.string(); !v[n]) missing(n);
    const json_cursor properties = s["properties"];
    const json_cursor patterns = s["patternProperties"];
    const json_cursor extra = s["additionalProperties"];
    const json_cursor names = s["propertyNames"];
    std::size_t n = 0;
    for (const json_member& m : v.members()) {
      ++n;
      const std::string name = m.name.string();
      const std::size_t size = path_.size();
      if (!path_.empty()) path_ += '.';
      path_ += name;
      const json_cursor own = properties[name];
      bool declared = static_cast<bool>(own);
      if (own) check(own, m.value);
      for (const json_member& p : patterns.members()) {
        if (!occurs(p.name.string(), name)) continue;
        declared = true;
        check(p.value, m.value);
      }
      if (!declared && extra.text() == "false") say("is not a declared field");
      else if (!declared && extra) check(extra, m.value);
      if (names && !fits(names, m.name)) say("is not an allowed name");
      path_.resize(size);
    }
    check_count(s, n, "minProperties", "maxProperties");
    for (const json_member& m : s["dependentRequired"].members())
      if (v[m.name.string()])
        for (const json_cursor needed : m.value.items())
          if (const std::string name = needed.string(); !v[name]) missing(name);
    for (const json_member& m : s["dependentSchemas"].members())
      if (v[m.name.string()]) check(m.value, v);
  }

  void check_combinations(json_cursor s, json_cursor v) {
    for (const json_cursor part : s["allOf"].items()) check(part, v);
    const auto alternatives = [&](std::string_view name, bool one) {
      const json_cursor list = s[name];
      std::size_t all = 0;
      std::size_t fit = 0;
      for (const json_cursor option : list.items()) {
        ++all;
        fit += fits(option, v) ? 1U : 0U;
      }
      if (all == 0 || left_ == 0) return;
      if (fit == 0) say("fits none of the " + std::to_string(all) + " forms that are allowed here");
      else if (one && fit > 1) say("fits " + std::to_string(fit) + " forms of which only one may fit");
    };
    alternatives("anyOf", false);
    alternatives("oneOf", true);
    if (const json_cursor no = s["not"]; no && fits(no, v)) say("has a form that is excluded");
    if (const json_cursor condition = s["if"]) {
      const json_cursor branch = s[fits(condition, v) ? "then" : "else"];
      if (branch) check(branch, v);
    }
  }

  /// What a reference inside the schema means; nothing for one that leads nowhere or outside.
  [[nodiscard]] json_cursor resolve(json_cursor reference) const {
    const std::string ref = reference.string();
    if (ref == "#") return root_;
    if (!ref.starts_with("#/")) return {};
    json_cursor at = root_;
    std::string_view rest = std::string_view{ref}.substr(1);
    while (!rest.empty() && at) {
      rest.remove_prefix(1);
      const std::size_t end = (std::min)(rest.find('/'), rest.size());
      const std::string step = unescaped(rest.substr(0, end));
      rest.remove_prefix(end);
      if (at.is_object()) {
        at = at[step];
      } else {
        json_cursor found;
        std::size_t i = 0;
        for (const json_cursor item : at.items())
          if (std::to_string(i++) == step) found = item;
        at = found;
      }
    }
    return at;
  }
  /// A step of a JSON pointer in a URI fragment.
  [[nodiscard]] static std::string unescaped(std::string_view step) {
    std::string out;
    for (std::size_t i = 0; i < step.size(); ++i) {
      unsigned byte = 0;
      if (step[i] == '~' && i + 1 < step.size() && (step[i + 1] == '0' || step[i + 1] == '1')) {
        out += step[++i] == '0' ? '~' : '/';
      } else if (step[i] == '%' && i + 2 < step.size() &&
                 std::from_chars(step.data() + i + 1, step.data() + i + 3, byte, 16).ptr == step.data() + i + 3) {
        out += static_cast<char>(static_cast<unsigned char>(byte));
        i += 2;
      } else {
        out += step[i];
      }
    }
    return out;
  }

  json_cursor root_;
  std::size_t left_;
  int most_;
  int depth_ = 0;
  unsigned quiet_ = 0;
  std::size_t count_ = 0;
  std::string path_;
  std::vector<std::string> problems_;
};

}  // namespace detail

/// What is wrong with the arguments of a call, sorted by their bytes: `missing required field "x"`,
/// `field "x" must be string`, nested names as paths (`meta.k`, `tags[0]`). Absent arguments act as none. Empty
/// if nothing is wrong, or if the schema asks for nothing.
[[nodiscard]] inline std::vector<std::string> argument_problems(const open_object& schema, const open_object& arguments,
                                                                const validation_limits& limits = {}) {
  if (schema.empty()) return {};
  const json_cursor given = arguments.absent() ? json_cursor{"{}"} : arguments.cursor();
  return detail::argument_validator(schema.cursor(), limits).run(given);
}

}  // namespace contract
}  // namespace v0_1
}  // namespace codemode
