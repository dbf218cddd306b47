#pragma once

/// @file
/// An owned JSON value that is easy to make and to change: what tools take and give, template variables,
/// open parts of requests. Needs no parser; `json::parse_value` (json/parse_value.hpp) makes one from text.

#include <codemode/text/json_text.hpp>
#include <codemode/text/number.hpp>
#include <codemode/text/sink.hpp>

#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace json {

struct value_member;

/// A JSON value that owns all below it. Objects keep the order of their members and at most one of a name.
/// Whole numbers that fit 64 bits are exact, all others are doubles. Copying copies the tree. Text is UTF-8
/// and is not checked here.
class value {
 public:
  using array = std::vector<value>;
  using object = std::vector<value_member>;

  // Bodies stand below: they need `value_member`, which needs this class.
  value() noexcept;  ///< null
  value(const value& other);
  value(value&& other) noexcept;
  value& operator=(const value& other);
  value& operator=(value&& other) noexcept;
  ~value();
  value(std::nullptr_t) noexcept;
  value(bool b) noexcept;
  template <class T>
    requires(std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char>)
  value(T n) noexcept;
  value(double n) noexcept;
  value(std::string s) noexcept;
  value(std::string_view s);
  value(const char* s);
  value(array items) noexcept;
  value(object members) noexcept;

  /// An object of these members.
  [[nodiscard]] static value make_object(std::initializer_list<value_member> members);
  [[nodiscard]] static value make_object();
  /// An array of these items.
  [[nodiscard]] static value make_array(std::initializer_list<value> items);
  [[nodiscard]] static value make_array();

  [[nodiscard]] bool is_null() const noexcept { return data_.index() == 0; }
  [[nodiscard]] bool is_boolean() const noexcept { return data_.index() == 1; }
  [[nodiscard]] bool is_number() const noexcept { return data_.index() >= 2 && data_.index() <= 4; }
  [[nodiscard]] bool is_string() const noexcept { return data_.index() == 5; }
  [[nodiscard]] bool is_array() const noexcept { return data_.index() == 6; }
  [[nodiscard]] bool is_object() const noexcept { return data_.index() == 7; }

  [[nodiscard]] bool is_true() const noexcept {
    const bool* b = std::get_if<bool>(&data_);
    return b != nullptr && *b;
  }
  [[nodiscard]] bool is_false() const noexcept { return is_boolean() && !is_true(); }
  /// The number as a double; 0 if it is none.
  [[nodiscard]] double number() const noexcept {
    if (const auto* i = std::get_if<std::int64_t>(&data_)) return static_cast<double>(*i);
    if (const auto* u = std::get_if<std::uint64_t>(&data_)) return static_cast<double>(*u);
    if (const auto* d = std::get_if<double>(&data_)) return *d;
    return 0;
  }
  /// Whether it is a number without a fraction.
  [[nodiscard]] bool is_whole_number() const noexcept {
    if (const auto* d = std::get_if<double>(&data_)) return std::isfinite(*d) && std::floor(*d) == *d;
    return is_number();
  }
  /// The number cut to 64 bits, held at the ends of the range; 0 if it is none.
  [[nodiscard]] std::int64_t integer() const noexcept {
    if (const auto* i = std::get_if<std::int64_t>(&data_)) return *i;
    if (std::holds_alternative<std::uint64_t>(data_)) return INT64_MAX;
    const double d = number();
    if (!(d > -9.2e18)) return d < 0 ? INT64_MIN : 0;
    return d >= 9.2e18 ? INT64_MAX : static_cast<std::int64_t>(d);
  }
  /// The string; empty if it is none. Valid while the value is unchanged.
  [[nodiscard]] std::string_view string() const& noexcept {
    const auto* s = std::get_if<std::string>(&data_);
    return s != nullptr ? std::string_view{*s} : std::string_view{};
  }
  void string() const&& = delete;

  /// Items of an array; an empty list for others.
  [[nodiscard]] const array& items() const noexcept;
  /// Members of an object in order; an empty list for others.
  [[nodiscard]] const object& members() const noexcept;
  /// Items to change; the value becomes an array if it is none.
  [[nodiscard]] array& make_items();
  /// Members to change; the value becomes an object if it is none. Names must stay distinct.
  [[nodiscard]] object& make_members();

  /// The member called `name`, or null pointer. Valid while the value is unchanged.
  [[nodiscard]] const value* find(std::string_view name) const noexcept;
  [[nodiscard]] value* find(std::string_view name) noexcept;
  /// Sets the member called `name`; a new one goes to the end. The value becomes an object if it is none.
  value& set(std::string_view name, value v);
  /// Removes the member called `name`, if there is one.
  void erase(std::string_view name);
  /// Appends an item; the value becomes an array if it is none.
  value& push(value v);

  /// JSON equality: the order of members does not count, 1 equals 1.0.
  [[nodiscard]] friend bool operator==(const value& a, const value& b) noexcept { return a.equals(b); }

  /// Appends the number's text as JavaScript prints it; whole numbers of 64 bits with all digits.
  template <text_sink S>
  void append_number(S& sink) const {
    std::array<char, 24> digits{};
    char* end = nullptr;
    if (const auto* i = std::get_if<std::int64_t>(&data_))
      end = std::to_chars(digits.data(), digits.data() + digits.size(), *i).ptr;
    else if (const auto* u = std::get_if<std::uint64_t>(&data_))
      end = std::to_chars(digits.data(), digits.data() + digits.size(), *u).ptr;
    if (end != nullptr) {
      sink.append(std::string_view{digits.data(), static_cast<std::size_t>(end - digits.data())});
      return;
    }
    const text::number_text printed = text::format_number(number(), text::negative_zero::drop);
    sink.append(printed.view());
  }

 private:
  [[nodiscard]] bool equals(const value& other) const noexcept;

  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, array, object> data_;
};

/// One member of an object.
struct value_member {
  std::string name{};
  json::value value{};
};

inline value::value() noexcept = default;
inline value::value(const value& other) = default;
inline value::value(value&& other) noexcept = default;
inline value& value::operator=(const value& other) = default;
inline value& value::operator=(value&& other) noexcept = default;
inline value::~value() = default;
inline value::value(std::nullptr_t) noexcept {}
inline value::value(bool b) noexcept : data_(b) {}
template <class T>
  requires(std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char>)
inline value::value(T n) noexcept {
  if constexpr (std::is_signed_v<T>) data_ = static_cast<std::int64_t>(n);
  else if (static_cast<std::uint64_t>(n) <= static_cast<std::uint64_t>(INT64_MAX)) data_ = static_cast<std::int64_t>(n);
  else data_ = static_cast<std::uint64_t>(n);
}
inline value::value(double n) noexcept : data_(n) {}
inline value::value(std::string s) noexcept : data_(std::move(s)) {}
inline value::value(std::string_view s) : data_(std::string{s}) {}
inline value::value(const char* s) : data_(std::string{s}) {}
inline value::value(array items) noexcept : data_(std::move(items)) {}
inline value::value(object members) noexcept : data_(std::move(members)) {}
inline value value::make_object() { return value{object{}}; }
inline value value::make_object(std::initializer_list<value_member> members) { return value{object(members)}; }
inline value value::make_array() { return value{array{}}; }
inline value value::make_array(std::initializer_list<value> items) { return value{array(items)}; }

inline const value::array& value::items() const noexcept {
  static const array none{};
  const auto* a = std::get_if<array>(&data_);
  return a != nullptr ? *a : none;
}
inline const value::object& value::members() const noexcept {
  static const object none{};
  const auto* o = std::get_if<object>(&data_);
  return o != nullptr ? *o : none;
}
inline value::array& value::make_items() {
  if (!is_array()) data_ = array{};
  return *std::get_if<array>(&data_);
}
inline value::object& value::make_members() {
  if (!is_object()) data_ = object{};
  return *std::get_if<object>(&data_);
}
inline const value* value::find(std::string_view name) const noexcept {
  for (const value_member& m : members())
    if (m.name == name) return &m.value;
  return nullptr;
}
inline value* value::find(std::string_view name) noexcept {
  if (auto* o = std::get_if<object>(&data_))
    for (value_member& m : *o)
      if (m.name == name) return &m.value;
  return nullptr;
}
inline value& value::set(std::string_view name, value v) {
  if (value* old = find(name)) {
    *old = std::move(v);
    return *old;
  }
  return make_members().emplace_back(value_member{std::string{name}, std::move(v)}).value;
}
inline void value::erase(std::string_view name) {
  if (auto* o = std::get_if<object>(&data_))
    std::erase_if(*o, [name](const value_member& m) { return m.name == name; });
}
inline value& value::push(value v) { return make_items().emplace_back(std::move(v)); }

inline bool value::equals(const value& other) const noexcept {
  if (is_number() && other.is_number()) {
    const auto* a = std::get_if<std::int64_t>(&data_);
    const auto* b = std::get_if<std::int64_t>(&other.data_);
    if (a != nullptr && b != nullptr) return *a == *b;
    const auto* c = std::get_if<std::uint64_t>(&data_);
    const auto* d = std::get_if<std::uint64_t>(&other.data_);
    if (c != nullptr && d != nullptr) return *c == *d;
    return number() == other.number();
  }
  if (data_.index() != other.data_.index()) return false;
  if (is_boolean()) return is_true() == other.is_true();
  if (is_string()) return string() == other.string();
  if (is_array()) return items() == other.items();
  if (is_object()) {
    if (members().size() != other.members().size()) return false;
    for (const value_member& m : members()) {
      const value* theirs = other.find(m.name);
      if (theirs == nullptr || !m.value.equals(*theirs)) return false;
    }
  }
  return true;
}

/// Appends `v` as JSON. `indent` 0 is the compact form; otherwise each item and member has a line of its own,
/// `indent` blanks deeper than its parent. Numbers that JSON lacks (infinities, NaN) become null.
template <text_sink S>
void append_json(S& sink, const value& v, std::size_t indent = 0, std::size_t depth = 0) {
  const auto line = [&](std::size_t level) {
    if (indent == 0) return;
    sink.append(std::string_view{"\n"});
    for (std::size_t i = 0; i < level * indent; ++i) sink.append(std::string_view{" "});
  };
  if (v.is_null()) sink.append(std::string_view{"null"});
  else if (v.is_boolean()) sink.append(v.is_true() ? std::string_view{"true"} : std::string_view{"false"});
  else if (v.is_number()) {
    if (std::isfinite(v.number())) v.append_number(sink);
    else sink.append(std::string_view{"null"});
  } else if (v.is_string()) text::append_json_string(sink, v.string());
  else if (v.is_array()) {
    sink.append(std::string_view{"["});
    bool first = true;
    for (const value& item : v.items()) {
      if (!first) sink.append(std::string_view{","});
      first = false;
      line(depth + 1);
      append_json(sink, item, indent, depth + 1);
    }
    if (!first) line(depth);
    sink.append(std::string_view{"]"});
  } else {
    sink.append(std::string_view{"{"});
    bool first = true;
    for (const value_member& m : v.members()) {
      if (!first) sink.append(std::string_view{","});
      first = false;
      line(depth + 1);
      text::append_json_string(sink, m.name);
      sink.append(indent == 0 ? std::string_view{":"} : std::string_view{": "});
      append_json(sink, m.value, indent, depth + 1);
    }
    if (!first) line(depth);
    sink.append(std::string_view{"}"});
  }
}

/// `v` as compact JSON.
[[nodiscard]] inline std::string to_json(const value& v) {
  std::string out;
  append_json(out, v);
  return out;
}

}  // namespace json
}  // namespace v0_1
}  // namespace codemode
