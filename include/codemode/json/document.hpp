#pragma once

/// @file
/// A JSON text that has been read: a flat row of nodes over the text, and cursors into it. Made by
/// `json::reader` (json/reader.hpp); this header needs no parser.
///
/// The text is known to be well-formed as a whole: RFC 8259 grammar, UTF-8, escapes. Nothing is decoded or
/// converted: a number is its text, so numbers of any size are fine, and a string is its source range.

#include <codemode/text/json_text.hpp>
#include <codemode/text/sink.hpp>
#include <codemode/text/utf8.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace json {

/// Kind of a JSON value.
enum class kind : std::uint8_t { null, boolean, number, string, array, object };

/// `"null"`, `"boolean"`, ...
[[nodiscard]] constexpr std::string_view to_string(kind k) noexcept {
  constexpr std::string_view names[]{"null", "boolean", "number", "string", "array", "object"};
  return names[static_cast<std::size_t>(k)];
}

/// One value, or the key of a member. Children follow their parent: an array's items, an object's members as
/// key and value in turn, in source order.
struct node {
  std::uint32_t begin = 0;  ///< half-open byte range in the text, quotes and brackets included
  std::uint32_t end = 0;
  std::uint32_t extent = 1;  ///< nodes of this value, itself and all below: the next sibling is that far
  std::uint32_t count = 0;   ///< items of an array, members of an object
  json::kind kind = json::kind::null;
  bool escaped = false;         ///< a string with a backslash
  bool lone_surrogate = false;  ///< a string with a surrogate escape that has no partner: no Unicode text
};

template <class Item>
class children;
struct member;

/// A cursor at one value. Two pointers, copy freely; valid as long as the document and its text.
class element {
 public:
  constexpr element() noexcept = default;
  constexpr element(const char* text, const node* at) noexcept : text_(text), node_(at) {}

  [[nodiscard]] constexpr json::kind kind() const noexcept { return node_->kind; }
  [[nodiscard]] constexpr bool is_string() const noexcept { return kind() == json::kind::string; }
  [[nodiscard]] constexpr bool is_array() const noexcept { return kind() == json::kind::array; }
  [[nodiscard]] constexpr bool is_object() const noexcept { return kind() == json::kind::object; }

  /// Half-open byte range in the text.
  [[nodiscard]] constexpr std::size_t begin_offset() const noexcept { return node_->begin; }
  [[nodiscard]] constexpr std::size_t end_offset() const noexcept { return node_->end; }
  /// The value as it is written.
  [[nodiscard]] constexpr std::string_view raw() const noexcept {
    return {text_ + node_->begin, node_->end - node_->begin};
  }
  /// Items of an array, members of an object, 0 for others.
  [[nodiscard]] constexpr std::size_t size() const noexcept { return node_->count; }
  /// Whether a boolean is `true`.
  [[nodiscard]] constexpr bool is_true() const noexcept { return text_[node_->begin] == 't'; }

  /// Items of an array; only for arrays.
  [[nodiscard]] constexpr children<element> items() const noexcept;
  /// Members of an object; only for objects.
  [[nodiscard]] constexpr children<member> members() const noexcept;
  /// Value of the first member called `name`, or nothing; escapes in keys are understood. Only for objects.
  [[nodiscard]] constexpr std::optional<element> find(std::string_view name) const noexcept;

  /// @name Strings
  /// Only for strings.
  /// @{

  /// What stands between the quotes, escapes as written. It is the text itself if not `escaped()`.
  [[nodiscard]] constexpr std::string_view content() const noexcept {
    return {text_ + node_->begin + 1, node_->end - node_->begin - 2};
  }
  [[nodiscard]] constexpr bool escaped() const noexcept { return node_->escaped; }
  /// Whether the string has no UTF-8 form, because a surrogate escape stands alone in it.
  [[nodiscard]] constexpr bool lone_surrogate() const noexcept { return node_->lone_surrogate; }
  /// Whether the string decodes to `s`.
  [[nodiscard]] constexpr bool equals(std::string_view s) const noexcept {
    if (!escaped()) return content() == s;
    text::json_string_reader mine(raw());
    while (!mine.done()) {
      const text::decoded d = text::decode(s);
      if (!d.valid || mine.next() != d.code_point) return false;
      s.remove_prefix(d.size);
    }
    return s.empty();
  }
  /// Order of two strings by code points as they decode, which is also the order of their UTF-8 bytes:
  /// negative, zero or positive.
  [[nodiscard]] constexpr int compare(const element& other) const noexcept {
    if (!escaped() && !other.escaped()) return content().compare(other.content());
    text::json_string_reader a(raw());
    text::json_string_reader b(other.raw());
    while (!a.done() && !b.done()) {
      const char32_t x = a.next();
      const char32_t y = b.next();
      if (x != y) return x < y ? -1 : 1;
    }
    return a.done() ? (b.done() ? 0 : -1) : 1;
  }
  /// Appends the decoded string as UTF-8, never more bytes than `content()` has. A lone surrogate becomes
  /// U+FFFD: look at `lone_surrogate()` first.
  template <text_sink S>
  constexpr void decode(S& sink) const {
    std::string_view rest = content();
    if (!escaped()) {
      sink.append(rest);
      return;
    }
    for (;;) {
      const std::size_t plain = (std::min)(rest.find('\\'), rest.size());
      if (plain != 0) sink.append(rest.substr(0, plain));
      rest.remove_prefix(plain);
      if (rest.empty()) return;
      const text::json_escape e = text::read_json_escape(rest);
      const text::encoded utf8 = text::encode(e.code_point);
      sink.append(utf8.view());
      rest.remove_prefix(e.valid() ? e.size : rest.size());
    }
  }
  /// @}

  [[nodiscard]] constexpr const node* at() const noexcept { return node_; }
  [[nodiscard]] constexpr const char* text() const noexcept { return text_; }

 private:
  const char* text_ = nullptr;
  const node* node_ = nullptr;
};

/// One member of an object.
struct member {
  element key{};
  element value{};
};

/// The items of an array or the members of an object: a forward range of `element` or `member`.
template <class Item>
class children {
 public:
  class iterator {
   public:
    using value_type = Item;
    using difference_type = std::ptrdiff_t;
    using iterator_concept = std::forward_iterator_tag;

    constexpr iterator() noexcept = default;
    constexpr iterator(const char* text, const node* at) noexcept : text_(text), node_(at) {}

    [[nodiscard]] constexpr Item operator*() const noexcept {
      if constexpr (has_key) return {element{text_, node_}, element{text_, node_ + 1}};
      else return {text_, node_};
    }
    constexpr iterator& operator++() noexcept {
      if constexpr (has_key) ++node_;
      node_ += node_->extent;
      return *this;
    }
    constexpr iterator operator++(int) noexcept {
      iterator old = *this;
      ++*this;
      return old;
    }
    [[nodiscard]] friend constexpr bool operator==(const iterator& a, const iterator& b) noexcept {
      return a.node_ == b.node_;
    }

   private:
    static constexpr bool has_key = requires(Item i) { i.key; };
    const char* text_ = nullptr;
    const node* node_ = nullptr;
  };

  constexpr explicit children(const element& parent) noexcept : parent_(parent) {}
  [[nodiscard]] constexpr iterator begin() const noexcept { return {parent_.text(), parent_.at() + 1}; }
  [[nodiscard]] constexpr iterator end() const noexcept {
    return {parent_.text(), parent_.at() + parent_.at()->extent};
  }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return parent_.size(); }

 private:
  element parent_;
};

constexpr children<element> element::items() const noexcept { return children<element>{*this}; }
constexpr children<member> element::members() const noexcept { return children<member>{*this}; }

constexpr std::optional<element> element::find(std::string_view name) const noexcept {
  for (const member m : members())
    if (m.key.equals(name)) return m.value;
  return std::nullopt;
}

/// A whole JSON text. A view: valid until its reader reads again, and while the text is.
class document {
 public:
  constexpr document() noexcept = default;
  constexpr document(std::string_view text, std::span<const node> nodes) noexcept
      : text_(text), nodes_(nodes) {}

  /// The text as it was handed to the reader.
  [[nodiscard]] constexpr std::string_view text() const noexcept { return text_; }
  /// All nodes, the root first; never empty in a document that a reader made.
  [[nodiscard]] constexpr std::span<const node> nodes() const noexcept { return nodes_; }
  [[nodiscard]] constexpr element root() const noexcept { return {text_.data(), nodes_.data()}; }

 private:
  std::string_view text_{};
  std::span<const node> nodes_{};
};

/// Finds strings that are the same when decoded, among the keys of an object or the items of an array of
/// strings. Reuses its memory; n log n comparisons however the strings are chosen.
class duplicate_finder {
 public:
  /// The later one, in source order, of the first pair of equal keys, or nothing. Only for objects.
  [[nodiscard]] std::optional<element> find_key(const element& object) {
    strings_.clear();
    for (const member m : object.members()) strings_.push_back(m.key);
    return find();
  }
  /// The same for the items of an array; only if all of them are strings.
  [[nodiscard]] std::optional<element> find_item(const element& array) {
    strings_.clear();
    for (const element e : array.items()) strings_.push_back(e);
    return find();
  }

 private:
  [[nodiscard]] std::optional<element> find() {
    // Few strings, the usual case, are compared pair by pair.
    constexpr std::size_t few = 12;
    if (strings_.size() <= few) {
      for (std::size_t i = 1; i < strings_.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
          if (strings_[i].compare(strings_[j]) == 0) return strings_[i];
      return std::nullopt;
    }
    std::sort(strings_.begin(), strings_.end(), [](const element& a, const element& b) {
      const int order = a.compare(b);
      return order != 0 ? order < 0 : a.begin_offset() < b.begin_offset();
    });
    std::optional<element> found;
    for (std::size_t i = 1; i < strings_.size(); ++i) {
      if (strings_[i].compare(strings_[i - 1]) != 0) continue;
      if (!found || strings_[i].begin_offset() < found->begin_offset()) found = strings_[i];
    }
    return found;
  }

  std::vector<element> strings_;
};

}  // namespace json
}  // namespace v0_1
}  // namespace codemode
