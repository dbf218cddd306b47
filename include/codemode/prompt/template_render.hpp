#pragma once

/// @file
/// Walks a template's tree and writes text. Private.
///
/// Contexts, `@` data, block parameters and inline partials are lists on the stack, so that nothing is
/// allocated for them.

#include <codemode/prompt/template_error.hpp>
#include <codemode/prompt/template_helper.hpp>
#include <codemode/prompt/template_lexer.hpp>
#include <codemode/prompt/template_syntax.hpp>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace detail {

/// A template as it was compiled.
struct compiled_template {
  std::string source{};
  std::vector<template_node> nodes{};
};

/// Where text goes, whatever the sink's type.
struct template_output {
  void* target = nullptr;
  void (*put)(void*, std::string_view) = nullptr;

  void append(std::string_view s) const { put(target, s); }
  template <text_sink S>
  [[nodiscard]] static template_output to(S& sink) {
    return {&sink, [](void* t, std::string_view s) { static_cast<S*>(t)->append(s); }};
  }
};

/// Puts text before every line, but not after the last line feed.
class template_indenter {
 public:
  template_indenter(template_output out, std::string_view indent) noexcept : out_(out), indent_(indent) {}
  void append(std::string_view s) {
    while (!s.empty()) {
      if (at_start_) out_.append(indent_);
      const std::size_t line = s.find('\n');
      at_start_ = line != std::string_view::npos;
      const std::size_t n = at_start_ ? line + 1 : s.size();
      out_.append(s.substr(0, n));
      s.remove_prefix(n);
    }
  }

 private:
  template_output out_;
  std::string_view indent_;
  bool at_start_ = true;
};

/// Escapes for HTML (section 19.3).
class template_escaper {
 public:
  explicit template_escaper(template_output out) noexcept : out_(out) {}
  void append(std::string_view s) {
    for (;;) {
      const std::size_t i = s.find_first_of("&<>\"'`=");
      out_.append(s.substr(0, i));
      if (i == std::string_view::npos) return;
      switch (s[i]) {
        case '&': out_.append("&amp;"); break;
        case '<': out_.append("&lt;"); break;
        case '>': out_.append("&gt;"); break;
        case '"': out_.append("&quot;"); break;
        case '\'': out_.append("&#x27;"); break;
        case '`': out_.append("&#x60;"); break;
        default: out_.append("&#x3D;"); break;
      }
      s.remove_prefix(i + 1);
    }
  }

 private:
  template_output out_;
};

/// What the host added.
struct template_environment {
  std::span<const std::pair<std::string, template_helper>> helpers{};
  std::span<const std::pair<std::string, std::shared_ptr<const compiled_template>>> partials{};
  bool escape = false;
  std::size_t max_depth = 100;
};

class template_renderer {
  using node_kind = template_node::kind;
  using value = json::value;

  struct context_list {
    const value* here = nullptr;
    const context_list* outer = nullptr;
  };
  struct data_frame {
    const data_frame* outer = nullptr;
    std::optional<std::size_t> index{};
    const value* key = nullptr;  ///< null pointer: the index
    bool is_item = false;        ///< first and last are known
    bool first = false;
    bool last = false;
  };
  struct parameter_list {
    std::string_view name{};
    const value* bound = nullptr;
    const parameter_list* next = nullptr;
  };
  struct partial_body;
  struct inline_list {
    std::string name{};
    const partial_body* body = nullptr;
    const inline_list* next = nullptr;
  };
  struct scope {
    const context_list* contexts = nullptr;
    const data_frame* data = nullptr;
    const parameter_list* parameters = nullptr;
    const inline_list* inlines = nullptr;
    const partial_body* block = nullptr;
    const compiled_template* home = nullptr;  ///< whose text errors point into
  };
  struct partial_body {
    const std::vector<template_node>* nodes = nullptr;
    scope where{};
  };
  /// A value and, if it had to be made, its place.
  struct operand {
    const value* at = nullptr;
    value made{};
    operand() = default;
    operand(const operand&) = delete;
    operand& operator=(const operand&) = delete;
    void make(value v) {
      made = std::move(v);
      at = &made;
    }
  };

 public:
  template_renderer(const compiled_template& root, const value& data, const template_environment& environment)
      : root_(root), root_data_(data), environment_(environment) {}

  [[nodiscard]] std::optional<template_error> run(template_output out) {
    const context_list contexts{&root_data_, nullptr};
    const data_frame data{};
    if (render(root_.nodes, 0, {&contexts, &data, nullptr, nullptr, nullptr, &root_}, out)) return std::nullopt;
    return std::move(error_);
  }

 private:
  // ---- failures
  bool fail(std::size_t offset, const scope& s, std::string message) {
    if (!error_) error_ = make_template_error(s.home->source, offset, std::move(message), template_error::phase::render);
    return false;
  }

  // ---- values
  [[nodiscard]] static bool very_same(const value* a, const value* b) noexcept {
    if (a == b) return true;
    if (a == nullptr || b == nullptr) return false;
    const auto is_tree = [](const value* v) { return v->is_array() || v->is_object(); };
    return !is_tree(a) && !is_tree(b) && a->is_null() == b->is_null() && *a == *b;
  }
  [[nodiscard]] static bool is_empty(const value* v) noexcept {
    return v == nullptr || v->is_null() || v->is_false() || (v->is_string() && v->string().empty()) ||
           (v->is_array() && v->items().empty());
  }
  [[nodiscard]] static std::optional<std::size_t> as_index(std::string_view name) noexcept {
    if (name.empty() || (name.size() > 1 && name.front() == '0')) return std::nullopt;
    std::size_t n = 0;
    const auto r = std::from_chars(name.data(), name.data() + name.size(), n);
    if (r.ec != std::errc{} || r.ptr != name.data() + name.size()) return std::nullopt;
    return n;
  }
  /// Steps from `o` to its member `name`. Own members only.
  static void step(operand& o, std::string_view name) {
    const value* const v = o.at;
    o.at = nullptr;
    if (v == nullptr) return;
    if (v->is_object()) {
      o.at = v->find(name);
    } else if (v->is_array()) {
      const auto i = as_index(name);
      if (name == "length") o.make(v->items().size());
      else if (i && *i < v->items().size()) o.at = &v->items()[*i];
    } else if (v->is_string()) {
      std::size_t count = 0;
      const auto i = as_index(name);
      std::string found;
      for (std::string_view s = v->string(); !s.empty(); ++count) {
        const text::decoded d = text::decode(s);
        if (i && *i == count) found = s.substr(0, d.size);
        s.remove_prefix(d.size);
      }
      if (name == "length") o.make(count);
      else if (i && *i < count) o.make(std::move(found));
    }
  }
  [[nodiscard]] static const parameter_list* find_parameter(const scope& s, std::string_view name) noexcept {
    for (const parameter_list* p = s.parameters; p != nullptr; p = p->next)
      if (p->name == name) return p;
    return nullptr;
  }
  [[nodiscard]] const template_helper* find_helper(std::string_view name) const noexcept {
    for (const auto& [n, h] : environment_.helpers)
      if (n == name) return &h;
    return nullptr;
  }
  enum class builtin : std::uint8_t { none, if_, unless, each, with, lookup, log, json };
  [[nodiscard]] static builtin find_builtin(std::string_view name) noexcept {
    constexpr std::string_view names[]{"", "if", "unless", "each", "with", "lookup", "log", "json"};
    for (std::size_t i = 1; i < std::size(names); ++i)
      if (names[i] == name) return static_cast<builtin>(i);
    return builtin::none;
  }
  /// The name by which a call may mean a helper, or nothing.
  [[nodiscard]] static std::string_view helper_name(const template_call& c) noexcept {
    if (c.head.what == template_expression::kind::literal) return c.head.text;
    return c.head.plain ? std::string_view{c.head.names.front()} : std::string_view{};
  }
  [[nodiscard]] bool names_helper(const template_call& c, const scope& s) const noexcept {
    const std::string_view name = helper_name(c);
    if (name.empty() || find_parameter(s, name) != nullptr) return false;
    if (find_helper(name) != nullptr) return true;
    const builtin b = find_builtin(name);
    // `{{json}}` alone is a member of that name, as templates of other hosts have it.
    return b != builtin::none && (b != builtin::json || !c.arguments.empty());
  }

  static void look_up_data(const template_expression& p, const scope& s, operand& out, std::string_view name,
                           const value& root) {
    const data_frame* frame = s.data;
    for (std::size_t i = 0; i < p.up && frame != nullptr; ++i) frame = frame->outer;
    if (frame == nullptr) return;
    if (name == "root") {
      out.at = &root;
      return;
    }
    for (; frame != nullptr; frame = frame->outer) {  // frames inherit what they do not set
      if (name == "index" && frame->index) return out.make(*frame->index);
      if (name == "key" && frame->is_item) {
        if (frame->key != nullptr) out.at = frame->key;
        else out.make(*frame->index);
        return;
      }
      if (name == "first" && frame->is_item) return out.make(frame->first);
      if (name == "last" && frame->is_item) return out.make(frame->last);
    }
  }
  void look_up(const template_expression& p, const scope& s, operand& out) const {
    std::size_t next = 0;
    if (p.data) {
      if (p.names.empty()) return;
      look_up_data(p, s, out, p.names.front(), root_data_);
      next = 1;
    } else {
      const parameter_list* bound = nullptr;
      if (!p.names.empty() && p.up == 0 && !p.from_this) bound = find_parameter(s, p.names.front());
      if (bound != nullptr) {
        out.at = bound->bound;
        next = 1;
      } else {
        const context_list* c = s.contexts;
        for (std::size_t i = 0; i < p.up && c != nullptr; ++i) c = c->outer;
        out.at = c != nullptr ? c->here : nullptr;
      }
    }
    for (; next < p.names.size(); ++next) step(out, p.names[next]);
  }
  /// The value of an expression; false after a failure.
  [[nodiscard]] bool evaluate(const template_expression& e, const scope& s, std::size_t offset, operand& out) {
    switch (e.what) {
      case template_expression::kind::literal:
        out.at = e.absent ? nullptr : &e.literal;
        return true;
      case template_expression::kind::path: look_up(e, s, out); return true;
      case template_expression::kind::call: break;
    }
    if (!names_helper(*e.call, s)) return fail(offset, s, "there is no helper '" + e.call->head.text + "'");
    return call_helper(*e.call, nullptr, s, offset, out);
  }
  /// What a tag without helper shows.
  void look(const template_call& c, const scope& s, operand& out) const {
    if (c.head.what != template_expression::kind::literal) return look_up(c.head, s, out);
    if (const parameter_list* p = find_parameter(s, c.head.text)) {
      out.at = p->bound;
      return;
    }
    out.at = s.contexts->here;
    step(out, c.head.text);
  }
  /// A tag with arguments must name a helper.
  [[nodiscard]] bool check_plain(const template_call& c, const scope& s, std::size_t offset) {
    if (c.arguments.empty() && c.hash.empty()) return true;
    return fail(offset, s, "there is no helper '" + c.head.text + "'");
  }

  // ---- helpers
  /// Calls a helper, for a block if `node` is given. The block's text comes back as a string.
  [[nodiscard]] bool call_helper(const template_call& c, const template_node* node, const scope& s,
                                 std::size_t offset, operand& out) {
    const std::string_view name = helper_name(c);
    const template_helper* helper = find_helper(name);
    if (helper == nullptr) return call_builtin(find_builtin(name), c, s, offset, out);

    const std::size_t count = c.arguments.size();
    const auto operands = std::make_unique<operand[]>(count + c.hash.size());
    std::vector<helper_call::argument> arguments;
    std::vector<helper_call::hash_entry> hash;
    for (std::size_t i = 0; i < count; ++i) {
      if (!evaluate(c.arguments[i], s, offset, operands[i])) return false;
      arguments.push_back(operands[i].at);
    }
    for (std::size_t i = 0; i < c.hash.size(); ++i) {
      if (!evaluate(c.hash[i].second, s, offset, operands[count + i])) return false;
      hash.push_back({c.hash[i].first, operands[count + i].at});
    }
    const helper_call::renderer render = [&](bool inverse, const value* context, std::optional<std::size_t> index) {
      std::string text;
      const value* const here = context != nullptr ? context : s.contexts->here;
      data_frame frame;
      frame.outer = s.data;
      frame.index = index;
      scope inner = s;
      if (index) inner.data = &frame;
      const template_output into = template_output::to(text);
      (void)(inverse ? render_inverse(*node, s, into) : render_body(*node, inner, here, {}, into));
      return text;
    };
    helper_result got =
        (*helper)(helper_call{arguments, hash, s.contexts->here, node != nullptr ? &render : nullptr});
    if (error_) return false;
    if (auto* e = std::get_if<helper_error>(&got)) return fail(offset, s, std::move(e->message));
    if (auto* v = std::get_if<value>(&got)) out.make(std::move(*v));
    return true;
  }

  [[nodiscard]] bool call_builtin(builtin b, const template_call& c, const scope& s, std::size_t offset,
                                  operand& out) {
    operand first;
    operand second;
    switch (b) {
      case builtin::lookup: {
        if (c.arguments.empty()) return true;
        if (!evaluate(c.arguments[0], s, offset, first)) return false;
        if (c.arguments.size() > 1) {
          if (!evaluate(c.arguments[1], s, offset, second)) return false;
          if (second.at != nullptr && second.at->is_string()) step(first, second.at->string());
          else step(first, text_form(second.at));
        }
        if (first.at == &first.made) out.make(std::move(first.made));
        else out.at = first.at;
        return true;
      }
      case builtin::json: {
        if (c.arguments.empty()) return true;
        if (!evaluate(c.arguments[0], s, offset, first)) return false;
        out.make(first.at != nullptr ? json::to_json(*first.at) : std::string{"null"});
        return true;
      }
      case builtin::log:
      case builtin::none: return true;
      default: return fail(offset, s, "'" + c.head.text + "' is a block, write {{#" + c.head.text + " ...}}");
    }
  }

  // ---- blocks
  /// Renders a block's body in `context`, with values for its parameters.
  [[nodiscard]] bool render_body(const template_node& n, const scope& s, const value* context,
                                 std::span<const value* const> values, template_output out) {
    if (n.what == node_kind::raw) {
      out.append(n.text);
      return true;
    }
    const context_list entered{context, s.contexts};
    scope inner = s;
    if (!very_same(context, s.contexts->here)) inner.contexts = &entered;
    parameter_list bound[2];
    for (std::size_t i = 0; i < n.parameters.size() && i < values.size(); ++i) {
      bound[i] = {n.parameters[i], values[i], inner.parameters};
      inner.parameters = &bound[i];
    }
    return render(n.body, 0, inner, out);
  }
  [[nodiscard]] bool render_inverse(const template_node& n, const scope& s, template_output out) {
    return render(n.inverse, 0, s, out);
  }
  [[nodiscard]] bool render_each(const template_node& n, const scope& s, const value* v, template_output out) {
    const bool is_object = v != nullptr && v->is_object();
    const std::size_t count = v == nullptr ? 0 : is_object ? v->members().size() : v->items().size();
    for (std::size_t i = 0; i < count; ++i) {
      const value key = is_object ? value{v->members()[i].name} : value{i};
      const value* const item = is_object ? &v->members()[i].value : &v->items()[i];
      data_frame frame{s.data, i, &key, true, i == 0, i + 1 == count};
      scope inner = s;
      inner.data = &frame;
      const value* const values[]{item, &key};
      if (!render_body(n, inner, item, values, out)) return false;
    }
    return count != 0 || render_inverse(n, s, out);
  }
  [[nodiscard]] bool render_section(const template_node& n, const scope& s, const value* v, template_output out) {
    if (v == nullptr || v->is_null() || v->is_false()) return render_inverse(n, s, out);
    if (v->is_array()) return render_each(n, s, v, out);
    return render_body(n, s, v->is_true() ? s.contexts->here : v, {}, out);
  }
  [[nodiscard]] bool render_block(const template_node& n, const scope& s, template_output out) {
    operand v;
    if (!names_helper(n.call, s)) {
      if (!check_plain(n.call, s, n.offset)) return false;
      look(n.call, s, v);
      return render_section(n, s, v.at, out);
    }
    const std::string_view name = helper_name(n.call);
    const builtin b = find_helper(name) != nullptr ? builtin::none : find_builtin(name);
    if (b == builtin::none || b > builtin::with) {
      if (!call_helper(n.call, &n, s, n.offset, v)) return false;
      append_text_form(out, v.at);
      return true;
    }
    const std::size_t count = n.call.arguments.size();
    if (b == builtin::each ? count == 0 : count != 1)
      return fail(n.offset, s, "#" + n.call.head.text + " takes one argument, found " + std::to_string(count));
    if (!evaluate(n.call.arguments[0], s, n.offset, v)) return false;
    if (b == builtin::each) return render_each(n, s, v.at, out);
    if (b == builtin::with) {
      const value* const values[]{v.at};
      return is_empty(v.at) ? render_inverse(n, s, out) : render_body(n, s, v.at, values, out);
    }
    bool yes = !is_empty(v.at);
    if (yes && v.at->is_number() && v.at->number() == 0) {
      yes = false;
      for (const auto& [key, expression] : n.call.hash) {
        operand include;
        if (!evaluate(expression, s, n.offset, include)) return false;
        if (key == "includeZero") yes = !is_empty(include.at);
      }
    }
    return yes == (b == builtin::if_) ? render_body(n, s, s.contexts->here, {}, out) : render_inverse(n, s, out);
  }

  // ---- partials
  [[nodiscard]] bool render_partial(const template_node& n, const scope& s, template_output out) {
    operand computed;
    std::string made_name;
    std::string_view name = n.call.head.text;
    if (n.call.head.what == template_expression::kind::call) {
      if (!evaluate(n.call.head, s, n.offset, computed)) return false;
      made_name = text_form(computed.at);
      name = made_name;
    }
    const partial_body* found = nullptr;
    partial_body registered;
    const bool is_block = name == "@partial-block";
    if (is_block) {
      found = s.block;
      if (found == nullptr) return fail(n.offset, s, "there is no partial block here");
    } else {
      for (const inline_list* i = s.inlines; i != nullptr && found == nullptr; i = i->next)
        if (i->name == name) found = i->body;
      if (found == nullptr)
        for (const auto& [known, compiled] : environment_.partials)
          if (known == name) {
            registered.nodes = &compiled->nodes;
            registered.where.home = compiled.get();
            found = &registered;
            break;
          }
    }
    if (found == nullptr) {
      if (n.has_body) return render(n.body, 0, s, out);
      return fail(n.offset, s, "there is no partial '" + std::string{name} + "'");
    }
    operand context;
    context.at = s.contexts->here;
    if (!n.call.arguments.empty()) {
      context.at = nullptr;
      if (!evaluate(n.call.arguments[0], s, n.offset, context)) return false;
    }
    if (!n.call.hash.empty()) {
      value laid = context.at != nullptr && context.at->is_object() ? *context.at : value::make_object();
      for (const auto& [key, expression] : n.call.hash) {
        operand v;
        if (!evaluate(expression, s, n.offset, v)) return false;
        if (v.at != nullptr) laid.set(key, *v.at);
        else laid.erase(key);
      }
      context.make(std::move(laid));
    }
    if (depth_ >= environment_.max_depth)
      return fail(n.offset, s, "partials are nested deeper than " + std::to_string(environment_.max_depth));
    ++depth_;
    const context_list entered{context.at, s.contexts};
    scope inner = s;
    if (!very_same(context.at, s.contexts->here)) inner.contexts = &entered;
    inner.parameters = found->where.parameters;
    inner.home = found->where.home;
    const partial_body block{&n.body, s};
    if (is_block) {
      inner.data = found->where.data;
      inner.block = found->where.block;
    } else if (n.has_body) {
      inner.block = &block;
    }
    template_indenter indenter{out, n.text};
    const template_output into = n.text.empty() ? out : template_output::to(indenter);
    const bool ok = n.has_body ? render_with_inlines(n.body, 0, s, *found->nodes, inner, into)
                               : render(*found->nodes, 0, inner, into);
    --depth_;
    return ok;
  }
  /// Makes the inline partials of a partial block visible in that partial, one stack frame each.
  [[nodiscard]] bool render_with_inlines(const std::vector<template_node>& block, std::size_t from, const scope& s,
                                         const std::vector<template_node>& nodes, scope inner, template_output out) {
    for (std::size_t i = from; i < block.size(); ++i) {
      if (block[i].what != node_kind::inline_partial) continue;
      partial_body body{&block[i].body, s};
      inline_list defined;
      if (!define(block[i], s, defined)) return false;
      defined.body = &body;
      defined.next = inner.inlines;
      inner.inlines = &defined;
      return render_with_inlines(block, i + 1, s, nodes, inner, out);
    }
    return render(nodes, 0, inner, out);
  }
  [[nodiscard]] bool define(const template_node& n, const scope& s, inline_list& out) {
    operand name;
    const template_expression& e = n.call.arguments[0];
    if (!evaluate(e, s, n.offset, name)) return false;
    out.name = text_form(name.at);
    return true;
  }

  // ---- nodes
  [[nodiscard]] bool render(const std::vector<template_node>& nodes, std::size_t from, const scope& s,
                            template_output out) {
    for (std::size_t i = from; i < nodes.size(); ++i) {
      const template_node& n = nodes[i];
      switch (n.what) {
        case node_kind::text: out.append(n.text); break;
        case node_kind::output: {
          operand v;
          if (names_helper(n.call, s)) {
            if (!call_helper(n.call, nullptr, s, n.offset, v)) return false;
          } else {
            if (!check_plain(n.call, s, n.offset)) return false;
            if (n.call.head.what == template_expression::kind::call) {
              if (!evaluate(n.call.head, s, n.offset, v)) return false;
            } else {
              look(n.call, s, v);
            }
          }
          if (environment_.escape && n.escapes) {
            template_escaper escaper{out};
            append_text_form(escaper, v.at);
          } else {
            append_text_form(out, v.at);
          }
          break;
        }
        case node_kind::block:
        case node_kind::raw:
          if (!render_block(n, s, out)) return false;
          break;
        case node_kind::partial:
          if (!render_partial(n, s, out)) return false;
          break;
        case node_kind::inline_partial: {
          // Visible in the rest of this block: the rest is rendered with one more entry.
          partial_body body{&n.body, s};
          inline_list defined;
          if (!define(n, s, defined)) return false;
          defined.body = &body;
          defined.next = s.inlines;
          scope inner = s;
          inner.inlines = &defined;
          return render(nodes, i + 1, inner, out);
        }
      }
    }
    return true;
  }

  const compiled_template& root_;
  const value& root_data_;
  const template_environment& environment_;
  std::optional<template_error> error_;
  std::size_t depth_ = 0;
};

}  // namespace detail
}  // namespace v0_1
}  // namespace codemode
