#pragma once

/// @file
/// Schemas said in C++: `object().required("city", string().describe("Name of the city")).optional("days", integer().between(1, 7))`.

#include <codemode/json/value.hpp>
#include <codemode/schema/read.hpp>
#include <codemode/text/json_text.hpp>
#include <codemode/text/number.hpp>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace schema {

/// A schema in the making: a value that is copied and nested freely. Each call adds one keyword; calls that do not fit the
/// type are a lint remark, as in JSON. `build` makes the tree.
///
/// A shape that is used in several places is copied to each, unless it is given a name with `define` and used through `ref`.
class shape {
 public:
  /// Annotations.
  shape describe(std::string_view text) && { return std::move(*this).text("description", text); }
  shape title(std::string_view text) && { return std::move(*this).text("title", text); }
  /// A default, as JSON text.
  shape default_json(std::string_view json) && { return std::move(*this).raw("default", json); }
  /// Any keyword with its value as JSON text.
  shape keyword(std::string_view name, std::string_view json) && { return std::move(*this).raw(name, json); }

  /// Numbers.
  shape minimum(double x) && { return std::move(*this).number("minimum", x); }
  shape maximum(double x) && { return std::move(*this).number("maximum", x); }
  shape between(double low, double high) && { return std::move(*this).minimum(low).maximum(high); }
  shape above(double x) && { return std::move(*this).number("exclusiveMinimum", x); }
  shape below(double x) && { return std::move(*this).number("exclusiveMaximum", x); }
  shape multiple_of(double x) && { return std::move(*this).number("multipleOf", x); }

  /// Strings.
  shape format(std::string_view name) && { return std::move(*this).text("format", name); }
  shape pattern(std::string_view regex) && { return std::move(*this).text("pattern", regex); }
  shape length(std::uint32_t low, std::uint32_t high) && {
    return std::move(*this).number("minLength", low).number("maxLength", high);
  }

  /// Arrays.
  shape items(std::uint32_t low, std::uint32_t high) && {
    return std::move(*this).number("minItems", low).number("maxItems", high);
  }
  shape unique() && { return std::move(*this).raw("uniqueItems", "true"); }

  /// Objects. Properties keep their order.
  shape required(std::string_view name, const shape& value) && {
    add_property(name, value);
    if (!required_.empty()) required_ += ',';
    text::append_json_string(required_, name);
    return std::move(*this);
  }
  shape optional(std::string_view name, const shape& value) && {
    add_property(name, value);
    return std::move(*this);
  }
  /// No other properties.
  shape closed() && { return std::move(*this).raw("additionalProperties", "false"); }
  /// Other properties are of this shape.
  shape others(const shape& value) && { return std::move(*this).raw("additionalProperties", value.json()); }

  /// Gives a name to a shape that `ref(name)` means. Names belong to the whole schema: say them at its root.
  shape define(std::string_view name, const shape& value) && {
    if (!definitions_.empty()) definitions_ += ',';
    text::append_json_string(definitions_, name);
    definitions_ += ':';
    definitions_ += value.json();
    return std::move(*this);
  }

  /// The shape, or null.
  [[nodiscard]] shape nullable() const {
    shape s;
    return std::move(s).raw("anyOf", "[" + json() + ",{\"type\":\"null\"}]");
  }

  /// The schema as JSON text.
  [[nodiscard]] std::string json() const {
    std::string out = "{" + members_;
    const auto add = [&out](std::string_view name, const std::string& text, char open, char close) {
      if (out.size() > 1) out += ',';
      text::append_json_string(out, name);
      out += ':';
      out += open;
      out += text;
      out += close;
    };
    if (object_) add("properties", properties_, '{', '}');
    if (!required_.empty()) add("required", required_, '[', ']');
    if (!definitions_.empty()) add("$defs", definitions_, '{', '}');
    return out + "}";
  }
  /// The tree of the schema. Refused where a reference has no definition, or a keyword a value of the wrong type.
  [[nodiscard]] result<tree, import_error> build() const { return read_schema(json()); }

  /// @name Makers
  /// @{
  [[nodiscard]] static shape of_type(std::string_view type) {
    shape s;
    return std::move(s).text("type", type);
  }
  [[nodiscard]] static shape of_object() {
    shape s = of_type("object");
    s.object_ = true;
    return s;
  }
  [[nodiscard]] static shape of_raw(std::string_view keyword, const std::string& json) {
    shape s;
    return std::move(s).raw(keyword, json);
  }
  [[nodiscard]] static std::string list(const std::vector<shape>& shapes) {
    std::string out = "[";
    for (const shape& s : shapes) {
      if (out.size() > 1) out += ',';
      out += s.json();
    }
    return out + "]";
  }
  /// @}

 private:
  void key(std::string_view name) {
    if (!members_.empty()) members_ += ',';
    text::append_json_string(members_, name);
    members_ += ':';
  }
  shape raw(std::string_view name, std::string_view json) && {
    key(name);
    members_ += json;
    return std::move(*this);
  }
  shape text(std::string_view name, std::string_view value) && {
    key(name);
    text::append_json_string(members_, value);
    return std::move(*this);
  }
  shape number(std::string_view name, double x) && {
    key(name);
    const text::number_text t = text::format_number(x);
    members_ += t.view();
    return std::move(*this);
  }
  void add_property(std::string_view name, const shape& value) {
    object_ = true;
    if (!properties_.empty()) properties_ += ',';
    text::append_json_string(properties_, name);
    properties_ += ':';
    properties_ += value.json();
  }

  std::string members_;
  std::string properties_;
  std::string required_;
  std::string definitions_;
  bool object_ = false;
};

[[nodiscard]] inline shape string() { return shape::of_type("string"); }
[[nodiscard]] inline shape integer() { return shape::of_type("integer"); }
[[nodiscard]] inline shape number() { return shape::of_type("number"); }
[[nodiscard]] inline shape boolean() { return shape::of_type("boolean"); }
[[nodiscard]] inline shape null() { return shape::of_type("null"); }
/// Anything.
[[nodiscard]] inline shape anything() { return {}; }
[[nodiscard]] inline shape object() { return shape::of_object(); }
/// An array of one shape.
[[nodiscard]] inline shape array(const shape& item) { return shape::of_type("array").keyword("items", item.json()); }
/// An array with a shape for each place.
[[nodiscard]] inline shape tuple(const std::vector<shape>& items) {
  return shape::of_type("array").keyword("prefixItems", shape::list(items));
}
/// An object whose keys are free and whose values have one shape.
[[nodiscard]] inline shape map(const shape& value) {
  return shape::of_type("object").keyword("additionalProperties", value.json());
}
/// One of these texts.
[[nodiscard]] inline shape one_of_texts(std::initializer_list<std::string_view> values) {
  std::string list = "[";
  for (const std::string_view v : values) {
    if (list.size() > 1) list += ',';
    text::append_json_string(list, v);
  }
  return shape::of_type("string").keyword("enum", list + "]");
}
/// One value, as JSON text.
[[nodiscard]] inline shape constant_json(std::string_view json) { return shape::of_raw("const", std::string{json}); }
/// At least one of these.
[[nodiscard]] inline shape any_of(const std::vector<shape>& options) { return shape::of_raw("anyOf", shape::list(options)); }
/// Exactly one of these.
[[nodiscard]] inline shape one_of(const std::vector<shape>& options) { return shape::of_raw("oneOf", shape::list(options)); }
/// All of these.
[[nodiscard]] inline shape all_of(const std::vector<shape>& members) { return shape::of_raw("allOf", shape::list(members)); }
/// A shape that was defined at the root.
[[nodiscard]] inline shape ref(std::string_view name) {
  std::string pointer = "#/$defs/";
  for (const char c : name) {
    if (c == '~') pointer += "~0";
    else if (c == '/') pointer += "~1";
    else if (c == '%') pointer += "%25";
    else pointer += c;
  }
  std::string text;
  text::append_json_string(text, pointer);
  return shape::of_raw("$ref", text);
}
/// The root.
[[nodiscard]] inline shape root_ref() { return shape::of_raw("$ref", "\"#\""); }

}  // namespace schema
}  // namespace v0_1
}  // namespace codemode
