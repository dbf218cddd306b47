#pragma once

/// @file
/// A plan as JavaScript: the body of an async function that makes the plan's calls and returns their records.

#include <codemode/call_style.hpp>
#include <codemode/plan.hpp>
#include <codemode/result.hpp>
#include <codemode/text/javascript_text.hpp>
#include <codemode/text/number.hpp>
#include <codemode/text/sink.hpp>
#include <codemode/text/unicode.hpp>
#include <codemode/text/utf8.hpp>

#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>

namespace codemode {
inline namespace v0_1 {

/// How a plan is compiled.
struct javascript_options {
  call_style style{};  ///< how the host's tools are called
};

namespace detail {

/// Writes one body. The text is fixed but for names, values and the suffix of the local names, all of which
/// pass through one function each.
template <text_sink S>
class javascript_writer {
 public:
  javascript_writer(const plan& p, const javascript_options& options, S& sink) noexcept
      : plan_(p), style_(options.style), sink_(sink), dollars_(free_suffix()) {}

  void write() {
    helpers();
    const auto calls = plan_.calls();
    const bool all = plan_.output.kind == output_kind::all;
    if (calls.size() > 1 && plan_.mode == mode::parallel) {
      put("return (await Promise.allSettled([\n");
      list(calls, "");
      if (all) {
        put("])).map((settled) => settled.value);\n");
      } else {
        put("]))[");
        number(static_cast<double>(calls.size() - 1));
        put("].value;\n");
      }
    } else if (calls.size() > 1 && all) {
      put("return [\n");
      list(calls, "await ");
      put("];\n");
    } else {
      for (std::size_t i = 0; i < calls.size(); ++i) {
        put(i + 1 < calls.size() ? "await " : "return ");
        run(calls[i], "");
        put(";\n");
      }
    }
  }

 private:
  void put(std::string_view s) { sink_.append(s); }
  void string(std::string_view utf8) { text::append_javascript_string(sink_, utf8); }
  void number(double x) {
    const auto text = text::format_number(x);
    put(std::isfinite(x) ? text.view() : std::string_view{"null"});
  }

  // --- local names ---------------------------------------------------------------------------------

  // What the body declares begins with `$`, so that it meets no parameter of the function that it is put in.
  // A host's object or prefix could still give one of these names to a tool. Each of the three calls at most
  // rules out one length of suffix, so one of four is free.
  static constexpr std::string_view local_names[] = {"$text", "$run", "$need", "$field", "$shape"};

  [[nodiscard]] std::size_t free_suffix() const noexcept {
    for (std::size_t n = 0;; ++n) {
      bool taken = false;
      for (const call& c : plan_.calls()) taken = taken || is_local(c, n);
      if (!taken) return n;
    }
  }

  /// Whether the variable through which `c` is made has the name of a local with `n` dollars behind it.
  [[nodiscard]] bool is_local(const call& c, std::size_t n) const noexcept {
    const std::string_view head = style_.name();
    const std::string_view tail = style_.form() == call_form::prefix ? c.tool : std::string_view{};
    for (const std::string_view name : local_names) {
      const auto letter = [&](std::size_t i) { return i < name.size() ? name[i] : '$'; };
      const std::size_t size = name.size() + n;
      bool same = head.size() + tail.size() == size;
      for (std::size_t i = 0; same && i < size; ++i)
        same = letter(i) == (i < head.size() ? head[i] : tail[i - head.size()]);
      if (same) return true;
    }
    return false;
  }

  void local(std::string_view name) {
    put(name);
    for (std::size_t i = 0; i < dollars_; ++i) put("$");
  }
  void declare(std::string_view name) {
    put("const ");
    local(name);
    put(" = ");
  }

  // --- helpers, of which a body has those that it needs --------------------------------------------

  void helpers() {
    // Whatever was thrown becomes a string: looking at it can throw too (getters, revoked proxies, objects
    // that no string can be made of).
    declare("$text");
    put("(thrown) => {\n"
        "  try {\n"
        "    const text = thrown !== null && typeof thrown === \"object\" ? thrown.message : thrown;\n"
        "    return typeof text === \"string\" && text !== \"\" ? text : String(thrown);\n"
        "  } catch (_) {\n"
        "    return \"the tool threw a value that has no text\";\n"
        "  }\n"
        "};\n");
    // The await is inside the try, so that a rejection is that call's failure as well.
    declare("$run");
    put("async (call) => {\n"
        "  try {\n"
        "    return { ok: true, value: await call() };\n"
        "  } catch (thrown) {\n"
        "    return { ok: false, error: ");
    local("$text");
    put("(thrown) };\n"
        "  }\n"
        "};\n");
    if (style_.form() != call_form::prefix) need_helper();
    if (shapes()) shape_helper();
  }

  // What every object inherits is no tool. It is told by where it is: on the object that ends the chain of
  // prototypes, whatever its realm, or on the one that all functions have below that, for a host that is a
  // function or a class of static methods. (`hasOwnProperty` of the host itself would refuse proxies and
  // class instances.) `f.prototype` tells the class that a host is an instance of.
  void need_helper() {
    declare("$need");
    put("(host, name) => {\n"
        "  const f = host[name];\n"
        "  let isTool = typeof f === \"function\";\n"
        "  for (let o = host, up; isTool && o !== null; o = up) {\n"
        "    up = Object.getPrototypeOf(o);\n"
        "    const isRoot = up === null || (typeof o === \"function\" && Object.getPrototypeOf(up) === "
        "null);\n"
        "    if (isRoot && o !== host && Object.prototype.hasOwnProperty.call(o, name) && o[name] === f) "
        "isTool = false;\n");
    if (calls_tool("constructor"))
      put("    if (name === \"constructor\" && f.prototype === o) isTool = false;\n");
    if (calls_tool("__proto__")) put("    if (name === \"__proto__\" && up === f) isTool = false;\n");
    put("  }\n"
        "  if (!isTool) throw \"there is no tool \\\"\" + name + \"\\\"\";\n"
        "};\n");
  }

  void shape_helper() {
    const auto fields = plan_.output.fields();
    if (!fields.empty()) {
      declare("$field");
      put("(row, index, name) => {\n"
          "  const isObject = row !== null && typeof row === \"object\" && !Array.isArray(row);\n"
          "  if (isObject && Object.prototype.hasOwnProperty.call(row, name)) return row[name];\n"
          "  throw \"row \" + index + \" (counted from 0) \" + (isObject ? \"\" : \"is no object and \") + "
          "\"has no field \\\"\" + name + \"\\\"\";\n"
          "};\n");
    }
    declare("$shape");
    put("(rows) => {\n"
        "  if (!Array.isArray(rows)) throw \"the tool returned no array of rows\";\n"
        "  const out = [];\n");
    // With fields every row is looked at, also beyond the limit: projection comes first.
    put("  for (let i = 0; i < rows.length");
    if (fields.empty()) {
      put(" && i < ");
      number(plan_.output.limit);
    }
    put("; i++) {\n");
    if (fields.empty()) {
      put("    out.push(rows[i]);\n");
    } else {
      put("    const row = rows[i];\n"
          "    const picked = { ");
      for (std::size_t i = 0; i < fields.size(); ++i) {
        if (i > 0) put(", ");
        key(fields[i]);
        put(": ");
        local("$field");
        put("(row, i, ");
        string(fields[i]);
        put(")");
      }
      put(" };\n    ");
      if (plan_.output.has_limit()) {
        put("if (i < ");
        number(plan_.output.limit);
        put(") ");
      }
      put("out.push(picked);\n");
    }
    put("  }\n"
        "  return out;\n"
        "};\n");
  }

  [[nodiscard]] bool shapes() const noexcept {
    return !plan_.output.fields().empty() || plan_.output.has_limit();
  }
  [[nodiscard]] bool calls_tool(std::string_view name) const noexcept {
    for (const call& c : plan_.calls())
      if (c.tool == name) return true;
    return false;
  }

  // --- calls ---------------------------------------------------------------------------------------

  void list(std::span<const call> calls, std::string_view before) {
    for (std::size_t i = 0; i < calls.size(); ++i) {
      put("  ");
      put(before);
      run(calls[i], "  ");
      put(i + 1 < calls.size() ? ",\n" : "\n");
    }
  }

  /// One call in a thunk of its own, so that all that goes wrong in it, a synchronous throw and a tool that
  /// is not there included, is its own failure.
  void run(const call& c, std::string_view indent) {
    const auto line = [&] {
      put("\n  ");
      put(indent);
    };
    local("$run");
    put("(async () => {");
    line();
    const bool by_prefix = style_.form() == call_form::prefix;
    const bool spelled = !by_prefix || is_identifier_tail(c.tool);
    if (!by_prefix) {
      local("$need");
      put("(");
      put(style_.name());
      put(", ");
      string(c.tool);
      put(");");
    } else {
      if (spelled) {
        put("if (typeof ");
        callee(c);
        put(" !== \"function\") ");
      }
      put("throw \"there is no tool \\\"");
      text::append_javascript_content(sink_, c.tool);
      put("\\\"\";");
    }
    if (spelled) {
      line();
      put("return ");
      if (shapes()) {
        local("$shape");
        put("(await ");
      }
      callee(c);
      arguments(c);
      put(shapes() ? ");" : ";");
    }
    put("\n");
    put(indent);
    put("})");
  }

  void callee(const call& c) {
    put(style_.name());
    if (style_.form() == call_form::prefix) {
      put(c.tool);
    } else if (style_.form() == call_form::member && is_ascii_identifier(c.tool)) {
      put(".");
      put(c.tool);
    } else {
      put("[");
      string(c.tool);
      put("]");
    }
  }

  void arguments(const call& c) {
    put("({");
    std::string_view before = " ";
    for (const argument& a : c.arguments()) {
      put(before);
      before = ", ";
      key(a.name);
      put(": ");
      literal(a.value);
    }
    put(c.arguments().empty() ? "})" : " })");
  }

  /// A key is always quoted; `"__proto__": x` would set the prototype, a computed key does not.
  void key(std::string_view name) {
    const bool computed = name == "__proto__";
    if (computed) put("[");
    string(name);
    if (computed) put("]");
  }

  void literal(const value& v) {
    if (v.type() == value_type::string) text::append_javascript_literal(sink_, v.json());
    else if (v.type() == value_type::number) number(v.as_number());
    else put(v.as_boolean() ? "true" : "false");
  }

  /// Engines know identifiers of different Unicode versions; ASCII is safe in all.
  [[nodiscard]] static bool is_ascii_identifier(std::string_view s) noexcept {
    return text::ascii_prefix(s) == s.size() && text::is_identifier(s);
  }

  /// Whether `s` behind an identifier makes an identifier.
  [[nodiscard]] static bool is_identifier_tail(std::string_view s) noexcept {
    while (!s.empty()) {
      const text::decoded d = text::decode(s);
      if (!d.valid || !text::is_id_continue(d.code_point)) return false;
      s.remove_prefix(d.size);
    }
    return true;
  }

  const plan& plan_;
  const call_style style_;
  S& sink_;
  const std::size_t dollars_;
};

}  // namespace detail

/// Appends a plan as the body of an async function, `async function (tools) { BODY }`, that makes the calls
/// and returns what the plan's output says. Nothing here runs it.
///
/// - A call's record is `{ok: true, value}` or `{ok: false, error}`; `error` is always a string: the thrown
///   object's `message`, or its text. Every call is made in an async function of its own: a tool that
///   throws at once, rejects or is missing fails alone, and every call that was started is awaited.
/// - Serial calls go on after a failure, in order; parallel ones are started in order, then awaited by
///   `Promise.allSettled`. `all` returns the records in call order, `last` the last call's.
/// - Tools are called as methods (`tools["x"](args)`), so `this` is the host. A tool is missing if it is no
///   function, or what every object or function inherits (`toString`), or the `constructor` of the host's
///   class; tools of proxies, class instances and prototypes are found. With a prefix it is missing if
///   there is no such function.
/// - `fields` copies own properties of every row and fails with the index of the first row that is no
///   object or lacks one, also beyond `limit`, which then keeps the first rows; `limit` alone takes rows of
///   any kind.
/// - `await` unwraps: a result that has a method `then` becomes what that method gives, and a `then` that
///   never answers is waited for.
///
/// The text ends with a line break and may stand in an async function of any kind of code: strict or not,
/// script or module, without `eval`. It needs ES2020 and, of the globals, only `Array`, `Object`, `Promise`
/// and `String`, so bare contexts of Node's `vm` and QuickJS run it. Names it declares begin with `$` and
/// never meet those that it calls. It has no comments and no template literals. Names and values are string
/// literals, numbers and booleans (a number that is not finite, which `check` refuses, is `null`), escaped
/// so that they end neither a page's script nor a comment nor a template that the text is put in. Only a
/// tool called through a prefix or as a member is an identifier.
///
/// The counts of a plan that was made by hand must be within its arrays. Does not allocate.
template <text_sink S>
void write_javascript(const plan& p, S& sink, const javascript_options& options = {}) {
  detail::javascript_writer<S>(p, options, sink).write();
}

/// The body in `buffer`, to which the answer points; `buffer_too_small` with the size needed. 4 KiB hold
/// the plans of ordinary instructions.
[[nodiscard]] inline result<std::string_view> write_javascript(
    const plan& p, std::span<char> buffer, const javascript_options& options = {}) noexcept {
  buffer_sink sink(buffer);
  write_javascript(p, sink, options);
  return sink.finish();
}

}  // namespace v0_1
}  // namespace codemode
