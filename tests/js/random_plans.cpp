/// Writes random plans with their JSON and JavaScript, one JSON object a line, for the engines of tests/js:
///
///     {"truth": ..., "plan": ..., "js": "...", "object" or "prefix": "...", "seed": n}
///
/// `truth` is the plan written by means of its own (names as \u escapes, strings as they were made, numbers
/// by printf), so that a fault of the library's writers cannot hide in both sides of the comparison.
///
///     random_plans COUNT [SEED]

#include <codemode/javascript.hpp>
#include <codemode/plan_json.hpp>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace {

using codemode::plan;

/// Names that objects and functions have of themselves.
constexpr std::string_view members[] = {
    "__proto__", "constructor", "toString", "valueOf", "hasOwnProperty", "isPrototypeOf", "__defineGetter__",
    "prototype", "name",        "length",   "call",    "apply",          "bind",          "then",
};
/// Names that mean something to JavaScript, to the compiled text, to a page around it.
constexpr std::string_view hazards[] = {
    "delete", "import",     "await",      "class",        "return",     "eval",
    "this",   "toJSON",     "tools",      "undefined",    "$run",       "$text",
    "$need",  "first name", "user-id",    "a.b",          "0",          "1",
    "-1",     "01",         "4294967295", "1e3",          "NaN",        "'",
    "<!--",   "-->",        "*/",         "</script>",    "/*",         "//",
    "`",      "${x}",       "\"",         "\\",           "\n",         "\r\n",
    "\t",     "]",          "});",        "\u2028",       "\u2029",     "\u202E",
    "\uFEFF", "e\u0301",    "caf\u00e9",  "\u65e5\u672c", "\U0001F600", "\u00df",
};
constexpr std::string_view identifiers[] = {
    "list_users", "getOrder",  "ping",         "send2",        "$", "_", "$$",
    "x",          "caf\u00e9", "\u65e5\u672c", "\u03b1\u03b2",
};
constexpr std::string_view styles[] = {
    "tools[]", "tools[]", "tools[]",        "codemode.", "codemode.", "external_", "external_", "$run.",
    "$need[]", "$shape.", "\u00e9t\u00e9.", "$",         "_",         "$te$",      "text.",     "Tools$[]",
};

class generator {
 public:
  // One draw an expression: compilers order the arguments of a call differently, and the plans of a seed are
  // to be the same everywhere.
  explicit generator(std::uint64_t seed) : random_(seed) {}

  /// A plan that keeps the rules (but for half surrogate pairs), with hard names and values. Valid until
  /// the next.
  plan make(bool by_prefix) {
    texts_.clear();
    plan p;
    const std::size_t calls = below(3) == 0 ? 1 : 2 + below(2);
    p.call_count = static_cast<std::uint8_t>(calls);
    if (calls > 1) {
      p.mode = chance(2) ? codemode::mode::serial : codemode::mode::parallel;
      p.output.kind = chance(2) ? codemode::output_kind::all : codemode::output_kind::last;
    }
    for (std::size_t i = 0; i < calls; ++i) {
      codemode::call& c = p.call_list[i];
      c.tool = i > 0 && chance(4) ? p.call_list[0].tool : keep(by_prefix ? name_behind_prefix() : name());
      for (std::size_t n = below(codemode::max_arguments + 1); n > 0; --n) {
        const std::string_view argument = keep(name());
        bool met = false;
        for (const auto& a : c.arguments()) met = met || a.name == argument;
        if (!met) c.add(argument, value());
      }
    }
    if (calls == 1 && !chance(3)) {
      for (std::size_t n = below(codemode::max_fields + 1); n > 0; --n) {
        const std::string_view field = keep(chance(2) ? std::string(pick(identifiers)) : name());
        bool met = false;
        for (const auto f : p.output.fields()) met = met || f == field;
        if (!met) p.output.add_field(field);
      }
      if (chance(2)) p.output.limit = static_cast<std::int16_t>(chance(3) ? below(101) : below(6));
    }
    return p;
  }

  std::string_view style() { return pick(styles); }
  std::uint32_t seed() { return static_cast<std::uint32_t>(random_()); }

 private:
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
  bool chance(std::size_t one_in) { return below(one_in) == 0; }
  template <std::size_t N>
  std::string_view pick(const std::string_view (&list)[N]) {
    return list[below(N)];
  }
  std::string_view keep(std::string text) { return texts_.emplace_back(std::move(text)); }

  char32_t code_point() {
    for (;;) {
      constexpr std::array<char32_t, 5> tops{0x80, 0x250, 0x3000, 0x10000, 0x110000};
      const auto c = static_cast<char32_t>(below(tops[below(tops.size())]));
      if (codemode::text::is_scalar_value(c)) return c;
    }
  }
  std::string random_text(std::size_t most) {
    std::string s;
    for (std::size_t n = 1 + below(most); n > 0; --n) {
      if (chance(4)) {
        s += pick(hazards);
      } else {
        const auto bytes = codemode::text::encode(code_point());
        s += bytes.view();
      }
    }
    return s;
  }
  std::string identifier() {
    std::string s(pick(identifiers));
    while (chance(2)) s += pick(identifiers);
    return s;
  }
  std::string name() {
    switch (below(8)) {
      case 0:
      case 1:
        return std::string(pick(members));
      case 2:
      case 3:
        return std::string(pick(hazards));
      case 4:
      case 5:
        return random_text(8);
      default:
        return identifier();
    }
  }

  /// Mostly an identifier. No random code points: an engine knows letters that Unicode 14 had not, and would
  /// find a tool where the library sees a name that cannot be spelled.
  std::string name_behind_prefix() { return chance(8) ? std::string(pick(hazards)) : identifier(); }

  /// A JSON string literal in any spelling, half pairs included (the planner refuses them, a caller may not).
  std::string literal() {
    std::string s = "\"";
    for (std::size_t n = below(10); n > 0; --n) {
      const char32_t c = code_point();
      switch (below(6)) {
        case 0:
          s += unit(static_cast<std::uint32_t>(below(0x10000)));
          break;
        case 1:
          s += unit(0xD800 + static_cast<std::uint32_t>(below(0x400)));
          s += unit(0xDC00 + static_cast<std::uint32_t>(below(0x400)));
          break;
        case 2: {
          constexpr std::string_view letters = "\"\\/bfnrt";
          s += '\\';
          s += letters[below(letters.size())];
          break;
        }
        case 3:
          codemode::text::append_json_content(s, pick(hazards));
          break;
        default:
          if (c < 0x20 || c == U'"' || c == U'\\') {
            s += unit(c);
          } else {
            const auto bytes = codemode::text::encode(c);
            s += bytes.view();
          }
      }
    }
    return s + "\"";
  }
  std::string unit(std::uint32_t u) {
    std::array<char, 12> out{};
    std::snprintf(out.data(), out.size(), chance(2) ? "\\u%04x" : "\\u%04X", u);
    return out.data();
  }
  double number() {
    switch (below(6)) {
      case 0:
        return chance(2) ? -0.0 : 0.0;
      case 1:
        return static_cast<double>(below(2001)) - 1000;
      case 2: {
        const auto whole = static_cast<double>(random_() & ((std::uint64_t{1} << 53) - 1));
        return chance(2) ? -whole : whole;
      }
      case 3:
        return static_cast<double>(below(1'000'000)) / 100;
      case 4: {
        constexpr std::array<double, 9> edges{5e-324, 1e-7, 1e-6,   9007199254740991.0,     0.1 + 0.2,
                                              -2.5,   1e15, 1.5e-9, 2.2250738585072014e-308};
        return edges[below(edges.size())];
      }
      default: {
        const auto digits = static_cast<double>(random_() >> 11U);
        const double x = std::ldexp(digits, -static_cast<int>(below(100)));
        return x > codemode::text::max_safe_integer ? 0.5 : x;
      }
    }
  }
  codemode::value value() {
    switch (below(4)) {
      case 0:
        return codemode::value::number(number());
      case 1:
        return codemode::value::boolean(chance(2));
      default:
        return codemode::value::string(keep(literal()));
    }
  }

  std::mt19937_64 random_;
  std::deque<std::string> texts_;
};

/// Appends a JSON string of nothing but \u escapes.
void append_escaped(std::string& s, std::string_view utf8) {
  const auto unit = [&s](char32_t u) {
    std::array<char, 12> out{};
    std::snprintf(out.data(), out.size(), "\\u%04x", static_cast<unsigned>(u));
    s += out.data();
  };
  s += '"';
  while (!utf8.empty()) {
    const auto d = codemode::text::decode(utf8);
    utf8.remove_prefix(d.size);
    if (d.code_point < 0x10000) {
      unit(d.code_point);
    } else {
      unit(0xD800 + ((d.code_point - 0x10000) >> 10U));
      unit(0xDC00 + ((d.code_point - 0x10000) & 0x3FFU));
    }
  }
  s += '"';
}

void append_truth(std::string& s, const codemode::value& v) {
  std::array<char, 40> number{};
  switch (v.type()) {
    case codemode::value_type::string:
      s += v.json();
      return;
    case codemode::value_type::boolean:
      s += v.as_boolean() ? "true" : "false";
      return;
    case codemode::value_type::number:
      break;
  }
  std::snprintf(number.data(), number.size(), "%.17g", v.as_number());
  s += number.data();
}

void append_truth(std::string& s, const plan& p) {
  s += "{\"mode\":";
  append_escaped(s, to_string(p.mode));
  s += ",\"calls\":[";
  std::string_view before;
  for (const auto& c : p.calls()) {
    s += before;
    before = ",";
    s += "{\"tool\":";
    append_escaped(s, c.tool);
    s += ",\"args\":[";
    std::string_view before_argument;
    for (const auto& a : c.arguments()) {
      s += before_argument;
      before_argument = ",";
      s += '[';
      append_escaped(s, a.name);
      s += ',';
      append_truth(s, a.value);
      s += ']';
    }
    s += "]}";
  }
  s += "],\"output\":{\"kind\":";
  append_escaped(s, to_string(p.output.kind));
  s += ",\"fields\":[";
  before = "";
  for (const auto f : p.output.fields()) {
    s += before;
    before = ",";
    append_escaped(s, f);
  }
  s += "],\"limit\":";
  s += std::to_string(p.output.limit);
  s += "}}";
}

std::optional<std::uint64_t> parse(std::string_view s) {
  std::uint64_t x = 0;
  const auto [end, ec] = std::from_chars(s.data(), s.data() + s.size(), x);
  if (ec != std::errc{} || end != s.data() + s.size()) return std::nullopt;
  return x;
}

}  // namespace

int main(int argc, char** argv) {
  const auto count = parse(argc > 1 ? argv[1] : "");
  const auto seed = parse(argc > 2 ? argv[2] : "1");
  if (!count || !seed) {
    std::fputs("usage: random_plans COUNT [SEED]\n", stderr);
    return 2;
  }
  generator random(*seed);
  for (std::uint64_t i = 0; i < *count; ++i) {
    const auto style = codemode::parse_call_style(random.style());
    if (!style) return 3;
    const bool by_prefix = style->form() == codemode::call_form::prefix;
    const plan p = random.make(by_prefix);

    std::string line = "{\"truth\":";
    append_truth(line, p);
    line += ",\"plan\":";
    codemode::write_json(p, line);
    std::string js;
    codemode::write_javascript(p, js, {.style = *style});
    line += ",\"js\":";
    codemode::text::append_json_string(line, js);
    line += by_prefix ? ",\"prefix\":" : ",\"object\":";
    append_escaped(line, style->name());
    line += ",\"seed\":";
    line += std::to_string(random.seed());
    line += "}\n";
    std::fwrite(line.data(), 1, line.size(), stdout);
  }
  return std::fflush(stdout) == 0 ? 0 : 3;
}
