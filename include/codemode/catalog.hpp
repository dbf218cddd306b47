#pragma once

/// @file
/// Catalogs: the tools that an instruction may name, read from JSON and checked to the letter of the
/// inference contract.

#include <codemode/catalog/name_index.hpp>
#include <codemode/catalog/tool.hpp>
#include <codemode/detail/text_arena.hpp>
#include <codemode/json/document.hpp>
#include <codemode/json/reader.hpp>
#include <codemode/plan.hpp>
#include <codemode/result.hpp>
#include <codemode/text/unicode.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace codemode {
inline namespace v0_1 {

/// Longest JSON text of a catalog's array, in bytes.
inline constexpr std::size_t max_catalog_size = std::size_t{1} << 20U;

/// One to eight tools.
///
/// Reading checks everything: exactly the members `name`, `arguments`, `required` and `returns`, none of them
/// repeated; names that are JavaScript identifiers and unique; 0 to 4 arguments, each `"string"`, `"number"` or
/// `"boolean"`; required names that are distinct arguments; `returns` of a known kind with distinct, non-empty
/// properties, which text has not. Member names may be written with escapes. What breaks a rule is
/// refused with `invalid_catalog`, text that is no JSON with `invalid_json`; the diagnostic's views point into
/// the JSON text that was handed in, its range counts bytes of that text. A tool without a usable name is called
/// by its place, `#1` to `#8`.
///
/// Const use from many threads is safe. Moving keeps all views into the catalog valid.
class catalog {
 public:
  /// An empty catalog, to be filled by `assign`.
  catalog() = default;
  catalog(catalog&&) noexcept = default;
  catalog& operator=(catalog&&) noexcept = default;
  catalog(const catalog&) = delete;
  catalog& operator=(const catalog&) = delete;
  ~catalog() = default;

  /// Reads the JSON array of tools. The catalog owns all of its text; `json` may go.
  [[nodiscard]] static result<catalog> parse(std::string_view json) { return make(json, ownership::own); }

  /// Reads the JSON array of tools without copying: `json` must stay as long as the catalog. Strings with
  /// escapes are decoded into memory of the catalog.
  [[nodiscard]] static result<catalog> borrow(std::string_view json) { return make(json, ownership::borrow); }

  /// Replaces the content by the tools of `json`, which is borrowed as in `borrow`. Reuses the memory of
  /// the catalog and of `reader`: no allocation once both have met their largest text. The catalog is
  /// empty after a failure. Views into the old content are invalid.
  [[nodiscard]] std::optional<diagnostic> assign(std::string_view json, json::reader& reader) {
    return assign_text(json, reader, ownership::borrow);
  }

  /// The same for an array that has been read already, as a part of a larger document. The document's text
  /// is borrowed, its nodes are not.
  [[nodiscard]] std::optional<diagnostic> assign(const json::element& array) {
    return assign_array(array, ownership::borrow);
  }

  /// Forgets all tools, keeps the memory.
  void clear() {
    drop_tools();
    names_.build({});
  }

  [[nodiscard]] std::size_t size() const noexcept { return tools_.size(); }
  [[nodiscard]] bool empty() const noexcept { return tools_.empty(); }
  [[nodiscard]] const tool& operator[](std::size_t i) const noexcept { return tools_[i]; }
  [[nodiscard]] const tool* begin() const noexcept { return tools_.data(); }
  [[nodiscard]] const tool* end() const noexcept { return tools_.data() + tools_.size(); }
  /// All tools in the catalog's order.
  [[nodiscard]] std::span<const tool> tools() const noexcept { return tools_; }
  /// The tool called `name`, or null.
  [[nodiscard]] const tool* find(std::string_view name) const noexcept {
    for (const tool& t : tools_)
      if (t.name == name) return &t;
    return nullptr;
  }
  /// All names, in the form in which instructions are searched for them.
  [[nodiscard]] const name_index& names() const noexcept { return names_; }

 private:
  enum class ownership : bool { borrow, own };
  using fault = std::optional<diagnostic>;

  // The members of an entry; null where missing.
  struct entry {
    std::optional<json::element> name, arguments, required, returns;
    std::string_view label{};  // what diagnostics call the tool
  };

  [[nodiscard]] static result<catalog> make(std::string_view json, ownership o) {
    json::reader reader;
    catalog c;
    if (auto bad = c.assign_text(json, reader, o)) return *bad;
    return c;
  }

  void drop_tools() noexcept {
    tools_.clear();
    parameters_.clear();
    properties_.clear();
  }

  [[nodiscard]] fault assign_text(std::string_view json, json::reader& reader, ownership o) {
    const auto document = reader.read(json);
    if (document) return assign_array(document->root(), o);
    clear();
    return document.error();
  }

  [[nodiscard]] fault assign_array(const json::element& array, ownership o) {
    drop_tools();
    fault bad = read_array(array, o);
    if (bad) clear();
    else names_.build(tools_);
    return bad;
  }

  [[nodiscard]] static diagnostic refuse(std::string_view label, std::string_view member,
                                         const json::element& at, std::string_view what) noexcept {
    diagnostic d;
    d.code = errc::invalid_catalog;
    d.tool = label;
    d.argument = member;
    d.found = at.raw();
    d.what = what;
    d.begin = at.begin_offset();
    d.end = at.end_offset();
    return d;
  }

  [[nodiscard]] fault read_array(const json::element& array, ownership o) {
    const std::string_view raw = array.raw();
    if (!array.is_array()) return refuse({}, {}, array, "a catalog must be a JSON array of tools");
    if (raw.size() > max_catalog_size) {
      diagnostic d = refuse({}, {}, array, "a catalog must not be longer than 1 MiB");
      d.needed = raw.size();
      return d;
    }
    if (array.size() == 0 || array.size() > max_tools) {
      diagnostic d = refuse({}, {}, array, "a catalog must have 1 to 8 tools");
      d.needed = array.size();
      return d;
    }
    // Decoding never lengthens, so one block of the text's size holds every string and stays in place.
    const std::span nodes{array.at(), array.at()->extent};
    const bool decodes = o == ownership::own || std::any_of(nodes.begin(), nodes.end(),
                                                            [](const json::node& n) { return n.escaped; });
    text_.reset(decodes ? raw.size() : 0);

    std::array<std::size_t, max_tools + 1> first_parameter{};
    std::array<std::size_t, max_tools + 1> first_property{};
    std::size_t i = 0;
    for (const json::element e : array.items()) {
      if (auto bad = read_entry(e, i, o)) return bad;
      ++i;
      first_parameter[i] = parameters_.size();
      first_property[i] = properties_.size();
    }
    // Both lists have stopped growing.
    for (i = 0; i < tools_.size(); ++i) {
      tools_[i].parameters =
          std::span{parameters_}.subspan(first_parameter[i], first_parameter[i + 1] - first_parameter[i]);
      tools_[i].properties =
          std::span{properties_}.subspan(first_property[i], first_property[i + 1] - first_property[i]);
    }
    return std::nullopt;
  }

  [[nodiscard]] fault read_entry(const json::element& e, std::size_t index, ownership o) {
    static constexpr std::array<std::string_view, max_tools> places{"#1", "#2", "#3", "#4",
                                                                    "#5", "#6", "#7", "#8"};
    entry parts;
    parts.label = places[index];
    if (!e.is_object())
      return refuse(parts.label, {}, e,
                    "a tool must be an object with the members name, arguments, required and returns");
    if (auto name = e.find("name"); name && name->is_string() && !name->content().empty())
      parts.label = name->content();
    if (auto bad = split(e, parts)) return bad;

    tool& t = tools_.emplace_back();
    if (auto bad = read_name(parts, t, o)) return bad;
    const std::size_t first = parameters_.size();
    if (auto bad = read_arguments(parts, o)) return bad;
    if (auto bad = read_required(parts, std::span{parameters_}.subspan(first))) return bad;
    return read_returns(parts, t, o);
  }

  /// Finds the members; none may be missing, repeated or unknown.
  [[nodiscard]] fault split(const json::element& e, entry& parts) {
    if (const auto repeated = duplicates_.find_key(e))
      return refuse(parts.label, repeated->content(), *repeated, "a member of a tool must not be repeated");
    for (const json::member m : e.members()) {
      if (m.key.equals("name")) parts.name = m.value;
      else if (m.key.equals("arguments")) parts.arguments = m.value;
      else if (m.key.equals("required")) parts.required = m.value;
      else if (m.key.equals("returns")) parts.returns = m.value;
      else
        return refuse(parts.label, m.key.content(), m.key,
                      "a tool must have no members but name, arguments, required and returns");
    }
    std::string_view missing;
    if (!parts.returns) missing = "returns";
    if (!parts.required) missing = "required";
    if (!parts.arguments) missing = "arguments";
    if (!parts.name) missing = "name";
    if (missing.empty()) return std::nullopt;
    diagnostic d = refuse(parts.label, missing, e, "this member of the tool is missing");
    d.found = {};  // it would be the whole entry
    return d;
  }

  [[nodiscard]] fault read_name(const entry& parts, tool& t, ownership o) {
    const json::element& name = *parts.name;
    if (!name.is_string()) return refuse(parts.label, "name", name, "the name of a tool must be a string");
    t.name = keep(name, o);  // a lone surrogate becomes U+FFFD, which is in no identifier
    if (!text::is_identifier(t.name))
      return refuse(
          parts.label, "name", name,
          "the name of a tool must be a JavaScript identifier: letters, digits, _ and $, no digit first");
    if (find(t.name) != &t)
      return refuse(parts.label, "name", name, "the name of a tool must be unique in the catalog");
    return std::nullopt;
  }

  [[nodiscard]] fault read_arguments(const entry& parts, ownership o) {
    const json::element& arguments = *parts.arguments;
    if (!arguments.is_object())
      return refuse(parts.label, "arguments", arguments, "arguments must be an object of names and types");
    if (const auto repeated = duplicates_.find_key(arguments))
      return refuse(parts.label, repeated->content(), *repeated,
                    "the name of an argument must not be repeated in arguments");
    if (arguments.size() > max_arguments) {
      diagnostic d =
          refuse(parts.label, "arguments", arguments, "a tool must not have more than 4 arguments");
      d.needed = arguments.size();
      return d;
    }
    for (const json::member m : arguments.members()) {
      if (m.key.content().empty())
        return refuse(parts.label, "arguments", m.key, "the name of an argument must not be empty");
      if (m.key.lone_surrogate())
        return refuse(parts.label, m.key.content(), m.key,
                      "the name of an argument must not have a surrogate escape without its partner");
      parameter p;
      if (m.value.is_string() && m.value.equals("string")) p.type = value_type::string;
      else if (m.value.is_string() && m.value.equals("number")) p.type = value_type::number;
      else if (m.value.is_string() && m.value.equals("boolean")) p.type = value_type::boolean;
      else
        return refuse(parts.label, m.key.content(), m.value,
                      "the type of an argument in arguments must be \"string\", \"number\" or \"boolean\"");
      p.name = keep(m.key, o);
      parameters_.push_back(p);
    }
    return std::nullopt;
  }

  [[nodiscard]] static fault read_required(const entry& parts, std::span<parameter> parameters) {
    const json::element& required = *parts.required;
    if (!required.is_array())
      return refuse(parts.label, "required", required, "required must be an array of argument names");
    for (const json::element e : required.items()) {
      if (!e.is_string())
        return refuse(parts.label, "required", e, "required must hold nothing but argument names");
      const auto p = std::find_if(parameters.begin(), parameters.end(),
                                  [&e](const parameter& x) { return e.equals(x.name); });
      if (p == parameters.end())
        return refuse(parts.label, "required", e, "a name in required must be one of the tool's arguments");
      if (p->required) return refuse(parts.label, "required", e, "a name in required must not be repeated");
      p->required = true;
    }
    return std::nullopt;
  }

  [[nodiscard]] fault read_returns(const entry& parts, tool& t, ownership o) {
    const json::element& returns = *parts.returns;
    if (!returns.is_object())
      return refuse(parts.label, "returns", returns, "returns must be an object with a kind");
    if (const auto repeated = duplicates_.find_key(returns))
      return refuse(parts.label, "returns", *repeated, "a member of returns must not be repeated");
    std::optional<json::element> kind;
    std::optional<json::element> properties;
    for (const json::member m : returns.members()) {
      if (m.key.equals("kind")) kind = m.value;
      else if (m.key.equals("properties")) properties = m.value;
      else
        return refuse(parts.label, "returns", m.key, "returns must have no members but kind and properties");
    }
    if (!kind) return refuse(parts.label, "returns", returns, "the kind is missing in returns");
    if (kind->is_string() && kind->equals("text")) t.returns = return_kind::text;
    else if (kind->is_string() && kind->equals("object")) t.returns = return_kind::object;
    else if (kind->is_string() && kind->equals("array")) t.returns = return_kind::array;
    else
      return refuse(parts.label, "returns", *kind,
                    "the kind in returns must be \"text\", \"object\" or \"array\"");
    if (!properties) return std::nullopt;
    if (t.returns == return_kind::text)
      return refuse(parts.label, "returns", *properties,
                    "a tool that returns text must have no properties in returns");
    return read_properties(parts, *properties, o);
  }

  [[nodiscard]] fault read_properties(const entry& parts, const json::element& properties, ownership o) {
    if (!properties.is_array())
      return refuse(parts.label, "returns", properties, "properties in returns must be an array of names");
    for (const json::element e : properties.items()) {
      if (!e.is_string() || e.content().empty())
        return refuse(parts.label, "returns", e,
                      "properties in returns must hold nothing but strings that are not empty");
      if (e.lone_surrogate())
        return refuse(parts.label, "returns", e,
                      "a property in returns must not have a surrogate escape without its partner");
    }
    if (const auto repeated = duplicates_.find_item(properties))
      return refuse(parts.label, "returns", *repeated, "a property in returns must not be repeated");
    for (const json::element e : properties.items()) properties_.push_back(keep(e, o));
    return std::nullopt;
  }

  /// The decoded string, in the text that was read or in the catalog's own memory.
  [[nodiscard]] std::string_view keep(const json::element& string, ownership o) {
    if (o == ownership::borrow && !string.escaped()) return string.content();
    const std::size_t from = text_.size();
    string.decode(text_);
    return text_.since(from);
  }

  std::vector<tool> tools_;
  std::vector<parameter> parameters_;
  std::vector<std::string_view> properties_;
  detail::text_arena text_;
  json::duplicate_finder duplicates_;
  name_index names_;
};

}  // namespace v0_1
}  // namespace codemode
