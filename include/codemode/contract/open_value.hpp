#pragma once

/// @file
/// Open values: JSON whose members the contract does not name, such as arguments, results and schemas.
///
/// A value is kept as its wire text: compact, members sorted by the bytes of their names at every depth, numbers
/// and escapes in their one form. So writing it is a copy, comparing it is comparing text, its size on the wire
/// is known, and a catalog of ten thousand schemas takes little more than their text. `json_cursor` walks it.

#include <codemode/contract/wire_text.hpp>
#include <codemode/json/document.hpp>
#include <codemode/result.hpp>
#include <codemode/text/json_text.hpp>
#include <codemode/text/number.hpp>
#include <codemode/text/sink.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace contract {

/// How whole numbers of a JSON text are understood.
enum class whole_numbers : std::uint8_t {
  exact,      ///< those that fit 64 bits keep all digits (contract.md, 2.12.5)
  as_doubles  ///< every number is a double, as in schema hashes
};

class json_members;
class json_items;

/// A place in a wire text: one value of it. A view, valid as long as the text; it may be empty, which stands for
/// no value. Everything is read from the text as it is asked for, without allocation.
class json_cursor {
 public:
  constexpr json_cursor() noexcept = default;
  /// `text` is one value of a wire text (`open_value::text`), nothing else.
  constexpr explicit json_cursor(std::string_view text) noexcept : text_(text) {}

  [[nodiscard]] constexpr std::string_view text() const noexcept { return text_; }
  [[nodiscard]] constexpr explicit operator bool() const noexcept { return !text_.empty(); }
  [[nodiscard]] constexpr bool is_null() const noexcept { return text_ == "null"; }
  [[nodiscard]] constexpr bool is_true() const noexcept { return text_ == "true"; }
  [[nodiscard]] constexpr bool is_boolean() const noexcept { return text_ == "true" || text_ == "false"; }
  [[nodiscard]] constexpr bool is_string() const noexcept { return text_.starts_with('"'); }
  [[nodiscard]] constexpr bool is_object() const noexcept { return text_.starts_with('{'); }
  [[nodiscard]] constexpr bool is_array() const noexcept { return text_.starts_with('['); }
  [[nodiscard]] constexpr bool is_number() const noexcept {
    return !text_.empty() && (text_[0] == '-' || (text_[0] >= '0' && text_[0] <= '9'));
  }

  /// Whether the string reads as `s`, which is UTF-8. False for what is no string.
  [[nodiscard]] constexpr bool equals(std::string_view s) const noexcept {
    if (!is_string()) return false;
    text::json_string_reader mine(text_);
    while (!mine.done()) {
      const std::string_view run = mine.take_run();
      if (!s.starts_with(run)) return false;
      s.remove_prefix(run.size());
      if (mine.done()) break;
      const text::encoded c = text::encode(mine.next());
      if (!s.starts_with(c.view())) return false;
      s.remove_prefix(c.view().size());
    }
    return s.empty();
  }

  /// Appends the string's content as UTF-8; nothing for what is no string.
  template <text_sink S>
  constexpr void decode(S& sink) const {
    if (!is_string()) return;
    text::json_string_reader mine(text_);
    while (!mine.done()) {
      const std::string_view run = mine.take_run();
      if (!run.empty()) sink.append(run);
      if (mine.done()) break;
      const text::encoded c = text::encode(mine.next());
      sink.append(c.view());
    }
  }
  /// The string's content, or empty. Allocates.
  [[nodiscard]] std::string string() const {
    std::string s;
    decode(s);
    return s;
  }
  /// A number in the range of 64 bits without point and exponent.
  [[nodiscard]] std::optional<std::int64_t> integer() const noexcept {
    if (!is_number()) return std::nullopt;
    std::int64_t n = 0;
    const auto r = std::from_chars(text_.data(), text_.data() + text_.size(), n);
    if (r.ec != std::errc{} || r.ptr != text_.data() + text_.size()) return std::nullopt;
    return n;
  }
  /// Any number as a double.
  [[nodiscard]] std::optional<double> number() const noexcept {
    if (!is_number()) return std::nullopt;
    double x = 0;
    const auto r = std::from_chars(text_.data(), text_.data() + text_.size(), x);
    if (r.ec != std::errc{}) return std::nullopt;
    return x;
  }

  /// Members of an object, in order of their names; none for anything else.
  [[nodiscard]] constexpr json_members members() const noexcept;
  /// Items of an array; none for anything else.
  [[nodiscard]] constexpr json_items items() const noexcept;
  /// The member called `name`, or an empty cursor, also where this is no object.
  [[nodiscard]] constexpr json_cursor operator[](std::string_view name) const noexcept;

 private:
  std::string_view text_{};
};

namespace detail {

/// Bytes of the string at the start of `s`, quotes included.
[[nodiscard]] constexpr std::size_t string_size(std::string_view s) noexcept {
  for (std::size_t i = 1; i < s.size(); ++i) {
    if (s[i] == '\\') ++i;
    else if (s[i] == '"') return i + 1;
  }
  return s.size();
}

/// Bytes of the value at the start of `s`, a part of a wire text.
[[nodiscard]] constexpr std::size_t value_size(std::string_view s) noexcept {
  std::size_t depth = 0;
  std::size_t i = 0;
  while (i < s.size()) {
    switch (s[i]) {
      case '"':
        i += string_size(s.substr(i));
        break;
      case '{':
      case '[':
        ++depth;
        ++i;
        continue;
      case '}':
      case ']':
        if (depth == 0) return i;
        --depth;
        ++i;
        break;
      case ',':
      case ':':
        if (depth == 0) return i;
        ++i;
        continue;
      default:
        ++i;
        continue;
    }
    if (depth == 0) return i;
  }
  return s.size();
}

}  // namespace detail

/// A member of an object in a wire text.
struct json_member {
  json_cursor name{};  ///< a string
  json_cursor value{};
};

/// Range over the members of an object.
class json_members {
 public:
  class iterator {
   public:
    constexpr iterator() noexcept = default;
    constexpr explicit iterator(std::string_view rest) noexcept : rest_(rest) { take(); }
    [[nodiscard]] constexpr const json_member& operator*() const noexcept { return here_; }
    [[nodiscard]] constexpr const json_member* operator->() const noexcept { return &here_; }
    constexpr iterator& operator++() noexcept {
      take();
      return *this;
    }
    [[nodiscard]] constexpr bool operator==(const iterator& o) const noexcept {
      return here_.name.text().data() == o.here_.name.text().data();
    }

   private:
    // `rest_` begins at a name, or at the comma before one.
    constexpr void take() noexcept {
      if (rest_.starts_with(',')) rest_.remove_prefix(1);
      if (!rest_.starts_with('"')) {
        here_ = {};
        return;
      }
      const std::size_t name = detail::string_size(rest_);
      here_.name = json_cursor{rest_.substr(0, name)};
      rest_.remove_prefix((std::min)(name + 1, rest_.size()));
      const std::size_t value = detail::value_size(rest_);
      here_.value = json_cursor{rest_.substr(0, value)};
      rest_.remove_prefix(value);
    }
    std::string_view rest_{};
    json_member here_{};
  };
  constexpr explicit json_members(std::string_view object) noexcept
      : inside_(object.starts_with('{') ? object.substr(1) : std::string_view{}) {}
  [[nodiscard]] constexpr iterator begin() const noexcept { return iterator{inside_}; }
  [[nodiscard]] constexpr iterator end() const noexcept { return {}; }

 private:
  std::string_view inside_;
};

/// Range over the items of an array.
class json_items {
 public:
  class iterator {
   public:
    constexpr iterator() noexcept = default;
    constexpr explicit iterator(std::string_view rest) noexcept : rest_(rest) { take(); }
    [[nodiscard]] constexpr const json_cursor& operator*() const noexcept { return here_; }
    [[nodiscard]] constexpr const json_cursor* operator->() const noexcept { return &here_; }
    constexpr iterator& operator++() noexcept {
      take();
      return *this;
    }
    [[nodiscard]] constexpr bool operator==(const iterator& o) const noexcept {
      return here_.text().data() == o.here_.text().data();
    }

   private:
    constexpr void take() noexcept {
      if (rest_.starts_with(',')) rest_.remove_prefix(1);
      const std::size_t size = detail::value_size(rest_);
      here_ = size == 0 ? json_cursor{} : json_cursor{rest_.substr(0, size)};
      rest_.remove_prefix(size);
    }
    std::string_view rest_{};
    json_cursor here_{};
  };
  constexpr explicit json_items(std::string_view array) noexcept
      : inside_(array.starts_with('[') ? array.substr(1) : std::string_view{}) {}
  [[nodiscard]] constexpr iterator begin() const noexcept { return iterator{inside_}; }
  [[nodiscard]] constexpr iterator end() const noexcept { return {}; }

 private:
  std::string_view inside_;
};

constexpr json_members json_cursor::members() const noexcept { return json_members{text_}; }
constexpr json_items json_cursor::items() const noexcept { return json_items{text_}; }
constexpr json_cursor json_cursor::operator[](std::string_view name) const noexcept {
  for (const json_member& m : members())
    if (m.name.equals(name)) return m.value;
  return {};
}

namespace detail {

/// Appends a number's wire form. False for one beyond the range of a double, which has none.
template <text_sink S>
[[nodiscard]] bool append_wire_number(S& sink, std::string_view literal, whole_numbers whole) {
  const char* const first = literal.data();
  const char* const last = first + literal.size();
  if (whole == whole_numbers::exact && literal != "-0") {
    std::int64_t n = 0;
    const auto r = std::from_chars(first, last, n);
    if (r.ec == std::errc{} && r.ptr == last) {
      sink.append(literal);
      return true;
    }
  }
  double x = 0;
  const auto r = std::from_chars(first, last, x);
  if (r.ec == std::errc::result_out_of_range) {
    const auto exact = text::parse_exact_number(literal);
    if (exact || exact.error() != text::number_fault::inexact) return false;
    x = literal.starts_with('-') ? -0.0 : 0.0;
  }
  if (!std::isfinite(x)) return false;
  const text::number_text text = text::format_number(x);
  sink.append(text.view());
  return true;
}

/// Appends a string of a document as a wire string.
template <text_sink S>
void append_wire_string_of(S& sink, const json::element& string) {
  sink.append(std::string_view{"\""});
  if (!string.escaped()) {
    append_wire_content(sink, string.content());
  } else {
    text::json_string_reader reader(string.raw());
    while (!reader.done()) {
      append_wire_content(sink, reader.take_run());
      if (reader.done()) break;
      const text::encoded c = text::encode(reader.next());
      append_wire_content(sink, c.view());
    }
  }
  sink.append(std::string_view{"\""});
}

/// Writes values of documents as wire text. Iterative, so that no nesting overflows the stack; reuses its
/// memory.
class wire_writer {
 public:
  /// False where a number is beyond the range of a double.
  template <text_sink S>
  [[nodiscard]] bool write(S& sink, const json::element& root, whole_numbers whole) {
    frames_.clear();
    members_.clear();
    bool ok = open(sink, root, whole);
    while (ok && !frames_.empty()) {
      frame& f = frames_.back();
      if (f.next == f.end) {
        sink.append(std::string_view{f.object ? "}" : "]"});
        members_.resize(f.begin);
        frames_.pop_back();
        continue;
      }
      if (f.next != f.begin) sink.append(std::string_view{","});
      const json::member m = members_[f.next++];
      if (f.object) {
        append_wire_string_of(sink, m.key);
        sink.append(std::string_view{":"});
      }
      ok = open(sink, m.value, whole);
    }
    return ok;
  }

 private:
  struct frame {
    std::size_t begin, next, end;
    bool object;
  };

  template <text_sink S>
  [[nodiscard]] bool open(S& sink, const json::element& e, whole_numbers whole) {
    switch (e.kind()) {
      case json::kind::string:
        append_wire_string_of(sink, e);
        return true;
      case json::kind::number:
        return append_wire_number(sink, e.raw(), whole);
      case json::kind::array:
        sink.append(std::string_view{"["});
        push_items(e);
        return true;
      case json::kind::object:
        sink.append(std::string_view{"{"});
        push_members(e);
        return true;
      default:
        sink.append(e.raw());
        return true;
    }
  }

  void push_items(const json::element& e) {
    const std::size_t begin = members_.size();
    for (const json::element item : e.items()) members_.push_back({{}, item});
    frames_.push_back({begin, begin, members_.size(), false});
  }

  void push_members(const json::element& e) {
    const std::size_t begin = members_.size();
    for (const json::member m : e.members()) members_.push_back(m);
    const auto first = members_.begin() + static_cast<std::ptrdiff_t>(begin);
    // Of members with the same name the last one counts: it comes first among equals, and is kept.
    std::sort(first, members_.end(), [](const json::member& a, const json::member& b) {
      const int order = a.key.compare(b.key);
      return order != 0 ? order < 0 : a.key.begin_offset() > b.key.begin_offset();
    });
    members_.erase(std::unique(first, members_.end(),
                               [](const json::member& a, const json::member& b) {
                                 return a.key.compare(b.key) == 0;
                               }),
                   members_.end());
    frames_.push_back({begin, begin, members_.size(), true});
  }

  std::vector<frame> frames_;
  std::vector<json::member> members_;
};

}  // namespace detail

/// Any JSON value, or none. A value owns its wire text; copying copies that.
class open_value {
 public:
  /// No value: `absent()`.
  open_value() noexcept = default;

  [[nodiscard]] static open_value null() { return open_value{"null"}; }
  [[nodiscard]] static open_value boolean(bool b) { return open_value{b ? "true" : "false"}; }
  [[nodiscard]] static open_value integer(std::int64_t n) {
    char digits[24];
    const auto r = std::to_chars(digits, digits + sizeof digits, n);
    return open_value{std::string(digits, r.ptr)};
  }
  /// Absent for what is not finite, for which JSON has no text.
  [[nodiscard]] static open_value number(double x) {
    if (!std::isfinite(x)) return {};
    const text::number_text text = text::format_number(x);
    return open_value{std::string(text.view())};
  }
  /// A string of any bytes; those that are no UTF-8 become U+FFFD.
  [[nodiscard]] static open_value string(std::string_view s) {
    std::string text;
    text.reserve(s.size() + 2);
    append_wire_string(text, s);
    return open_value{std::move(text)};
  }
  /// A value of a document. `invalid_json` for a number beyond the range of a double.
  [[nodiscard]] static result<open_value> from(const json::element& e,
                                               whole_numbers whole = whole_numbers::exact) {
    std::string text;
    text.reserve(e.raw().size());
    detail::wire_writer writer;
    if (writer.write(text, e, whole)) return open_value{std::move(text)};
    diagnostic d;
    d.code = errc::invalid_json;
    d.begin = e.begin_offset();
    d.end = e.end_offset();
    d.what = "a number in this value is too large for a double";
    return d;
  }
  /// A part of another wire text.
  [[nodiscard]] static open_value copy(json_cursor c) { return open_value{std::string(c.text())}; }
  /// Text that is known to be wire text already, as `text()` gave it; it is not checked.
  [[nodiscard]] static open_value trusted(std::string text) { return open_value{std::move(text)}; }

  [[nodiscard]] bool absent() const noexcept { return text_.empty(); }
  /// The wire text; empty if absent. Valid until the value changes.
  [[nodiscard]] std::string_view text() const noexcept { return text_; }
  [[nodiscard]] json_cursor cursor() const noexcept { return json_cursor{text_}; }

  friend bool operator==(const open_value&, const open_value&) = default;

 private:
  explicit open_value(std::string text) noexcept : text_(std::move(text)) {}
  std::string text_{};
};

/// A JSON object with any members, or none.
class open_object {
 public:
  /// No object: `absent()`, which is not an object without members.
  open_object() noexcept = default;
  /// The value if it is an object; else absent.
  explicit open_object(open_value v) : value_(v.cursor().is_object() ? std::move(v) : open_value{}) {}
  /// An object without members.
  [[nodiscard]] static open_object empty_object() { return open_object{open_value::trusted("{}")}; }

  [[nodiscard]] bool absent() const noexcept { return value_.absent(); }
  /// Whether there is no member, also if absent.
  [[nodiscard]] bool empty() const noexcept { return value_.text().size() <= 2; }
  [[nodiscard]] std::string_view text() const noexcept { return value_.text(); }
  [[nodiscard]] json_cursor cursor() const noexcept { return value_.cursor(); }
  [[nodiscard]] const open_value& value() const noexcept { return value_; }

  friend bool operator==(const open_object&, const open_object&) = default;

 private:
  open_value value_{};
};

/// Makes an object member by member, in any order.
class object_builder {
 public:
  /// Sets a member; an absent value counts as null. The last value of a name is kept.
  object_builder& set(std::string_view name, const open_value& v) {
    return set_text(name, v.absent() ? std::string_view{"null"} : v.text());
  }
  object_builder& set(std::string_view name, const open_object& o) { return set(name, o.value()); }
  object_builder& set_string(std::string_view name, std::string_view s) {
    return set(name, open_value::string(s));
  }
  /// The object; the builder is empty afterwards.
  [[nodiscard]] open_object finish() {
    std::stable_sort(members_.begin(), members_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::string text = "{";
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (i + 1 < members_.size() && members_[i + 1].first == members_[i].first) continue;
      if (text.size() > 1) text += ',';
      append_wire_string(text, members_[i].first);
      text += ':';
      text += members_[i].second;
    }
    text += '}';
    members_.clear();
    return open_object{open_value::trusted(std::move(text))};
  }

 private:
  object_builder& set_text(std::string_view name, std::string_view value) {
    members_.emplace_back(std::string(name), std::string(value));
    return *this;
  }
  std::vector<std::pair<std::string, std::string>> members_;
};

}  // namespace contract
}  // namespace v0_1
}  // namespace codemode
