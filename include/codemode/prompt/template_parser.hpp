#pragma once

/// @file
/// Tokens to the tree of a template. Private.

#include <codemode/prompt/template_lexer.hpp>

#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace detail {

/// Reads what stands inside one tag. After a failure `message()` says why and all else is void.
class template_tag_reader {
 public:
  explicit template_tag_reader(std::string_view inner) noexcept : rest_(inner) {}

  [[nodiscard]] const std::string& message() const noexcept { return message_; }

  /// `head argument* name=value*`
  [[nodiscard]] bool call(template_call& out, std::size_t depth = 0) {
    if (done()) return fail("the tag is empty, expected a name");
    return value(out.head, depth) && arguments(out, depth);
  }
  /// The head of a partial: its name, at most one context, hash members.
  [[nodiscard]] bool partial(template_call& out) {
    if (done()) return fail("expected the name of a partial");
    if (!value(out.head, 0) || !arguments(out, 0)) return false;
    return out.arguments.size() <= 1 ||
           fail("a partial takes one context, found " + std::to_string(out.arguments.size()));
  }
  /// `as |a b|`, if it is there.
  [[nodiscard]] bool parameters(std::vector<std::string>& out) {
    if (!at_parameters()) return true;
    rest_.remove_prefix(rest_.find('|') + 1);
    const std::size_t end = rest_.find('|');
    if (end == std::string_view::npos) return fail("the block parameters are not closed, expected |");
    std::string_view names = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    for (names = trim_left(names); !names.empty(); names = trim_left(names)) {
      const std::size_t n = name_length(names);
      if (n == 0) return fail("found '" + std::string{names} + "', expected the name of a block parameter");
      out.emplace_back(names.substr(0, n));
      names.remove_prefix(n);
    }
    return !out.empty() || fail("expected names between the bars of the block parameters");
  }
  [[nodiscard]] bool end() { return done() || fail("found '" + std::string{rest_.substr(0, 20)} + "', expected }}"); }

 private:
  /// Deepest nesting of calls in parentheses.
  static constexpr std::size_t max_depth = 100;

  bool fail(std::string message) {
    message_ = std::move(message);
    return false;
  }
  [[nodiscard]] bool done() noexcept {
    rest_ = trim_left(rest_);
    return rest_.empty();
  }
  [[nodiscard]] bool at_parameters() noexcept {
    if (done() || !rest_.starts_with("as")) return false;
    const std::string_view behind = trim_left(rest_.substr(2));
    return behind.size() < rest_.size() - 2 && behind.starts_with('|');
  }

  [[nodiscard]] bool arguments(template_call& out, std::size_t depth) {
    while (!done() && rest_.front() != ')' && !at_parameters()) {
      // name= or [any name]=
      std::size_t n = name_length(rest_);
      std::string_view key = rest_.substr(0, n);
      if (n == 0 && rest_.starts_with('[')) {
        n = rest_.find(']');
        if (n != std::string_view::npos) key = rest_.substr(1, n++ - 1);
        else n = 0;
      }
      const std::string_view behind = trim_left(rest_.substr(n));
      if (n != 0 && behind.starts_with('=')) {
        rest_ = behind.substr(1);
        if (done() || rest_.front() == ')') return fail("expected a value after " + std::string{key} + "=");
        out.hash.emplace_back(std::string{key}, template_expression{});
        if (!value(out.hash.back().second, depth)) return false;
      } else {
        if (!out.hash.empty()) return fail("expected name=value after the first one");
        if (!value(out.arguments.emplace_back(), depth)) return false;
      }
    }
    return true;
  }

  [[nodiscard]] static bool ends_literal(std::string_view rest) noexcept {
    std::size_t n = 0;
    return rest.empty() || std::string_view{"~}=)]"}.find(rest.front()) != std::string_view::npos ||
           is_template_space(rest, n);
  }
  /// Length of a number literal at the start of the rest, or 0.
  [[nodiscard]] std::size_t number_length() const noexcept {
    const auto digits = [this](std::size_t& i) {
      const std::size_t from = i;
      while (i < rest_.size() && rest_[i] >= '0' && rest_[i] <= '9') ++i;
      return i != from;
    };
    std::size_t i = rest_.starts_with('-') ? 1 : 0;
    if (!digits(i)) return 0;
    if (i < rest_.size() && rest_[i] == '.') {
      std::size_t j = i + 1;
      if (digits(j)) i = j;
    }
    return ends_literal(rest_.substr(i)) && !rest_.substr(i).starts_with('=') ? i : 0;
  }

  [[nodiscard]] bool value(template_expression& out, std::size_t depth) {
    if (done()) return fail("the tag ends, expected a value");
    const char c = rest_.front();
    if (c == '(') {
      if (depth >= max_depth) return fail("calls are nested too deeply");
      rest_.remove_prefix(1);
      auto inner = std::make_shared<template_call>();
      if (!call(*inner, depth + 1)) return false;
      if (done() || rest_.front() != ')') return fail("a call in parentheses is not closed, expected )");
      rest_.remove_prefix(1);
      out.what = template_expression::kind::call;
      out.text = inner->head.text;
      out.call = std::move(inner);
      return true;
    }
    if (c == '"' || c == '\'') {
      std::size_t k = 1;
      for (; k < rest_.size() && rest_[k] != c; ++k) {
        if (rest_[k] == '\\' && k + 1 < rest_.size() && rest_[k + 1] == c) ++k;
        out.text += rest_[k];
      }
      if (k >= rest_.size()) return fail(std::string{"a string is not closed, expected "} + c);
      rest_.remove_prefix(k + 1);
      out.what = template_expression::kind::literal;
      out.literal = json::value{out.text};
      return true;
    }
    if (const std::size_t n = number_length(); n != 0) {
      const std::string_view digits = rest_.substr(0, n);
      rest_.remove_prefix(n);
      out.what = template_expression::kind::literal;
      std::int64_t whole = 0;
      double real = 0;
      const char* const last = digits.data() + n;
      if (const auto r = std::from_chars(digits.data(), last, whole); r.ec == std::errc{} && r.ptr == last) {
        out.literal = json::value{whole};
      } else {
        std::from_chars(digits.data(), last, real);
        out.literal = json::value{real};
      }
      out.literal.append_number(out.text);
      return true;
    }
    const std::string_view word = rest_.substr(0, name_length(rest_));
    if ((word == "true" || word == "false" || word == "null" || word == "undefined") &&
        ends_literal(rest_.substr(word.size()))) {
      rest_.remove_prefix(word.size());
      out.what = template_expression::kind::literal;
      out.text = word;
      out.absent = word == "undefined";
      if (word == "true" || word == "false") out.literal = json::value{word == "true"};
      return true;
    }
    return path(out);
  }

  [[nodiscard]] bool path(template_expression& out) {
    const std::string_view start = rest_;
    out.what = template_expression::kind::path;
    out.data = rest_.starts_with('@');
    if (out.data) rest_.remove_prefix(1);
    bool plain = true;
    for (bool first = true;; first = false) {
      enum class step : std::uint8_t { name, self, parent } what = step::name;
      std::string word;
      std::size_t space = 0;
      const auto ends_dot = [&](std::string_view behind) {
        return behind.empty() || std::string_view{"/)=}~"}.find(behind.front()) != std::string_view::npos ||
               is_template_space(behind, space);
      };
      if (rest_.starts_with("..")) {
        what = step::parent;
        word = "..";
        rest_.remove_prefix(2);
      } else if (rest_.starts_with('.') && ends_dot(rest_.substr(1))) {
        what = step::self;
        word = ".";
        rest_.remove_prefix(1);
      } else if (rest_.starts_with('[')) {
        std::size_t k = 1;
        for (; k < rest_.size() && rest_[k] != ']'; ++k) {
          if (rest_[k] == '\\' && k + 1 < rest_.size() && rest_[k + 1] == ']') ++k;
          word += rest_[k];
        }
        if (k >= rest_.size()) return fail("a bracket is not closed, expected ]");
        rest_.remove_prefix(k + 1);
      } else {
        const std::size_t n = name_length(rest_);
        if (n == 0)
          return fail(rest_.empty() ? "the path '" + std::string{start} + "' ends, expected a name"
                                    : "found '" + std::string{rest_.substr(0, 20)} + "', expected a name");
        word = rest_.substr(0, n);
        if (!first && number_length() != 0)
          return fail("write [" + word + "] for the number " + word + " at the end of a path");
        if (word == "this") what = step::self;
        rest_.remove_prefix(n);
      }
      if (what == step::name) {
        out.names.push_back(std::move(word));
      } else {
        if (!out.names.empty()) return fail("'" + word + "' is allowed only at the start of a path");
        plain = false;
        if (what == step::parent) ++out.up;
        else out.from_this = true;
      }
      if (rest_.empty() || (rest_.front() != '.' && rest_.front() != '/')) break;
      rest_.remove_prefix(1);
    }
    out.text = start.substr(0, start.size() - rest_.size());
    out.plain = plain && out.names.size() == 1 && !out.data;
    return true;
  }

  std::string_view rest_;
  std::string message_;
};

/// Builds the tree of a whole template.
class template_builder {
 public:
  using kind = template_token::kind;

  explicit template_builder(std::string_view source) : source_(source), lexer_(source) {}

  [[nodiscard]] bool run(std::vector<template_node>& out) {
    if (!lexer_.run()) {
      error_ = std::move(lexer_.error());
      return false;
    }
    const template_token* end = nullptr;
    return program(nullptr, out, end, 0);
  }
  [[nodiscard]] template_error& error() noexcept { return error_; }

 private:
  /// Deepest nesting of blocks: parsing and rendering are recursive.
  static constexpr std::size_t max_depth = 200;

  bool fail(const template_token& at, std::string message) {
    error_ = make_template_error(source_, at.offset, std::move(message), template_error::phase::parse);
    return false;
  }
  bool fail(const template_token& at, const template_tag_reader& reader) { return fail(at, reader.message()); }
  [[nodiscard]] static std::string inner(const template_token& t) {
    return std::string{trim_right(trim_left(t.text))};
  }

  /// Nodes up to an else, a closing tag, or the end of the template.
  [[nodiscard]] bool program(const template_token* opener, std::vector<template_node>& out,
                             const template_token*& end, std::size_t depth) {
    auto& tokens = lexer_.tokens();
    while (next_ < tokens.size()) {
      template_token& t = tokens[next_++];
      switch (t.what) {
        case kind::comment: break;
        case kind::text:
          if (t.text.empty()) break;
          out.emplace_back().text = std::move(t.text);
          break;
        case kind::close:
        case kind::otherwise:
          if (opener == nullptr)
            return fail(t, t.what == kind::close ? "found {{/" + inner(t) + "}} without an open block"
                                                 : "found {{else}} without an open block");
          end = &t;
          return true;
        default:
          if (!statement(t, out, depth)) return false;
      }
    }
    end = nullptr;
    return opener == nullptr || fail(*opener, "the block '" + inner(*opener) + "' is not closed");
  }

  [[nodiscard]] bool statement(const template_token& t, std::vector<template_node>& out, std::size_t depth) {
    if (depth > max_depth) return fail(t, "blocks are nested too deeply");
    template_node& node = out.emplace_back();
    node.offset = t.offset;
    template_tag_reader reader{t.text};
    switch (t.what) {
      case kind::output:
      case kind::triple:
      case kind::ampersand:
        node.what = template_node::kind::output;
        node.escapes = t.what == kind::output;
        return (reader.call(node.call) && reader.end()) || fail(t, reader);
      case kind::open:
      case kind::inverse: {
        node.what = template_node::kind::block;
        if (!(reader.call(node.call) && reader.parameters(node.parameters) && reader.end())) return fail(t, reader);
        const template_token* end = nullptr;
        if (!program(&t, node.body, end, depth + 1) || !chain(t, node, end, depth + 1)) return false;
        const std::string& name = node.call.head.what == template_expression::kind::call
                                      ? std::string{} : node.call.head.text;
        if (!closes(t, name, *end)) return false;
        if (t.what == kind::inverse) {
          std::swap(node.body, node.inverse);
          node.has_inverse = true;
        }
        return true;
      }
      case kind::raw_open: {
        node.what = template_node::kind::raw;
        if (!(reader.call(node.call) && reader.end())) return fail(t, reader);
        for (; lexer_.tokens()[next_].what == kind::text; ++next_) node.text += lexer_.tokens()[next_].text;
        ++next_;  // its closing tag
        return true;
      }
      case kind::partial:
        node.what = template_node::kind::partial;
        if (!(reader.partial(node.call) && reader.end())) return fail(t, reader);
        if (t.alone) node.text = t.indent;
        return true;
      case kind::partial_block:
      case kind::decorator: {
        const bool inlined = t.what == kind::decorator;
        node.what = inlined ? template_node::kind::inline_partial : template_node::kind::partial;
        node.has_body = true;
        if (!((inlined ? reader.call(node.call) : reader.partial(node.call)) && reader.end()))
          return fail(t, reader);
        const template_token* end = nullptr;
        if (!program(&t, node.body, end, depth + 1)) return false;
        if (end->what != kind::close)
          return fail(*end, "found {{else}} in a partial, expected {{/" + node.call.head.text + "}}");
        if (!closes(t, node.call.head.text, *end)) return false;
        if (inlined && (node.call.head.text != "inline" || node.call.arguments.size() != 1))
          return fail(t, "found the decorator '" + node.call.head.text + "', expected inline and one name");
        return true;
      }
      default: break;
    }
    return fail(t, "found a tag that does not belong here");
  }

  /// The part of a block behind its else; chained blocks nest.
  [[nodiscard]] bool chain(const template_token& opener, template_node& node, const template_token*& end,
                           std::size_t depth) {
    if (end->what == kind::close) return true;
    if (depth > max_depth) return fail(*end, "blocks are nested too deeply");
    node.has_inverse = true;
    const template_token& otherwise = *end;
    if (inner(otherwise).empty()) {
      if (!program(&opener, node.inverse, end, depth)) return false;
      return end->what == kind::close || fail(*end, "found a second {{else}}, expected the end of the block");
    }
    template_tag_reader reader{otherwise.text};
    template_node& next = node.inverse.emplace_back();
    next.what = template_node::kind::block;
    next.offset = otherwise.offset;
    if (!(reader.call(next.call) && reader.parameters(next.parameters) && reader.end()))
      return fail(otherwise, reader);
    return program(&opener, next.body, end, depth + 1) && chain(opener, next, end, depth + 1);
  }

  [[nodiscard]] bool closes(const template_token& opener, const std::string& name, const template_token& end) {
    std::string found = inner(end);
    if (found.size() >= 2 && (found.front() == '"' || found.front() == '\'')) found = found.substr(1, found.size() - 2);
    if (found == name && !found.empty()) return true;
    (void)opener;
    return fail(end, "expected {{/" + name + "}} for {{#" + name + "}}, found {{/" + found + "}}");
  }

  std::string_view source_;
  template_lexer lexer_;
  std::size_t next_ = 0;
  template_error error_;
};

}  // namespace detail
}  // namespace v0_1
}  // namespace codemode
