/// Writes random plans with their JSON and JavaScript, one JSON object a line, for the engines of tests/js:
///
///     {"truth": ..., "plan": ..., "js": "...", "object" or "prefix": "...", "seed": n}
///
/// `truth` is the plan written by means of its own (names as \u escapes, strings as they were made, numbers by
/// printf), so that a fault of the library's writers cannot hide in both sides of the comparison.
///
///     random_plans COUNT [SEED]

#include <codemode/javascript.hpp>
#include <codemode/plan_check.hpp>
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

/// Names that mean something somewhere: to objects, to JavaScript, to the compiled text, to a page around it.
constexpr std::string_view hazards[] = {
    "__proto__",   "constructor", "toString",   "valueOf",   "hasOwnProperty", "isPrototypeOf", "then",
    "prototype",   "name",        "length",     "call",      "apply",          "bind",          "toJSON",
    "delete",      "import",      "await",      "class",     "return",         "eval",          "this",
    "__defineGetter__",           "tools",      "$run",      "$text",          "$need",         "undefined",
    "0",           "1",           "-1",         "01",        "4294967295",     "1e3",           "NaN",
    "first name",  "user-id",     "a.b",        "</script>", "<!--",           "-->",           "*/",
    "/*",          "//",          "`",          "${x}",      "\"",             "\\",            "'",
    "\n",          "\r\n",        "\t",         "\u2028",    "\u2029",         "\u202E",        "\uFEFF",
    "caf\u00e9",   "\u65e5\u672c", "\U0001F600", "\u00df",   "e\u0301",        "]",             "});",
};
constexpr std::string_view identifiers[] = {
    "list_users", "getOrder", "ping", "send2", "$", "_", "$$", "x", "caf\u00e9", "\u65e5\u672c", "\u03b1\u03b2",
};
constexpr std::string_view styles[] = {
    "tools[]", "tools[]", "tools[]", "codemode.", "codemode.", "external_", "external_", "$run.", "$need[]",
    "$shape.", "\u00e9t\u00e9.", "$", "_", "$te$", "text.", "Tools$[]",
};

class generator {
 public:
  explicit generator(std::uint64_t seed) : random_(seed) {}

  /// A plan that keeps the rules, with hard names and values. Valid until the next.
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
      c.tool = i > 0 && chance(4) ? p.call_list[0].tool : keep(by_prefix && !chance(8) ? identifier() : name());
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
    const std::size_t kind = below(8);
    if (kind < 3) return std::string(pick(hazards));
    return kind < 6 ? identifier() : random_text(8);
  }

  /// A JSON string literal in any spelling, half pairs included (the planner refuses them, a caller may not).
  std::string literal() {
    std::string s = "\"";
    for (std::size_t n = below(10); n > 0; --n) {
      const char32_t c = code_point();
      switch (below(6)) {
        case 0: s += unit(static_cast<std::uint32_t>(below(0x10000))); break;
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
        case 3: codemode::text::append_json_content(s, pick(hazards)); break;
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
      case 0: return chance(2) ? -0.0 : 0.0;
      case 1: return static_cast<double>(below(2001)) - 1000;
      case 2: return (chance(2) ? -1 : 1) * static_cast<double>(random_() & ((std::uint64_t{1} << 53) - 1));
      case 3: return static_cast<double>(below(1'000'000)) / 100;
      case 4: {
        constexpr std::array<double, 9> edges{5e-324, 1e-7, 1e-6,   9007199254740991.0,      0.1 + 0.2,
                                              -2.5,   1e15, 1.5e-9, 2.2250738585072014e-308};
        return edges[below(edges.size())];
      }
      default: {
        const double x = std::ldexp(static_cast<double>(random_() >> 11U), -static_cast<int>(below(100)));
        return x > codemode::text::max_safe_integer ? 0.5 : x;
      }
    }
  }
  codemode::value value() {
    switch (below(4)) {
      case 0: return codemode::value::number(number());
      case 1: return codemode::value::boolean(chance(2));
      default: return codemode::value::string(keep(literal()));
    }
  }

  std::mt19937_64 random_;
  std::deque<std::string> texts_;
};

/// A JSON string of nothing but \u escapes.
std::string escaped(std::string_view utf8) {
  std::string s = "\"";
  const auto unit = [&s](char32_t u) {
    std::array<char, 12> out{};
    std::snprintf(out.data(), out.size(), "\\u%04x", static_cast<unsigned>(u));
    s += out.data();
  };
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
  return s + "\"";
}

std::string truth(const plan& p) {
  std::string s = "{\"mode\":" + escaped(to_string(p.mode)) + ",\"calls\":[";
  for (std::size_t i = 0; i < p.call_count; ++i) {
    s += (i == 0 ? "" : ",") + ("{\"tool\":" + escaped(p.call_list[i].tool)) + ",\"args\":[";
    std::string_view comma;
    for (const auto& a : p.call_list[i].arguments()) {
      s += std::string(comma) + "[" + escaped(a.name) + ",";
      comma = ",";
      switch (a.value.type()) {
        case codemode::value_type::string: s += a.value.json(); break;
        case codemode::value_type::boolean: s += a.value.as_boolean() ? "true" : "false"; break;
        case codemode::value_type::number: {
          std::array<char, 40> out{};
          std::snprintf(out.data(), out.size(), "%.17g", a.value.as_number());
          s += out.data();
        }
      }
      s += "]";
    }
    s += "]}";
  }
  s += "],\"output\":{\"kind\":" + escaped(to_string(p.output.kind)) + ",\"fields\":[";
  for (std::size_t i = 0; i < p.output.field_count; ++i)
    s += (i == 0 ? "" : ",") + escaped(p.output.field_list[i]);
  return s + "],\"limit\":" + std::to_string(p.output.limit) + "}}";
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

    std::string line = "{\"truth\":" + truth(p) + ",\"plan\":";
    codemode::write_json(p, line);
    std::string js;
    codemode::write_javascript(p, js, {.style = *style});
    line += ",\"js\":";
    codemode::text::append_json_string(line, js);
    line += (by_prefix ? ",\"prefix\":" : ",\"object\":") + escaped(style->name());
    line += ",\"seed\":" + std::to_string(random.seed()) + "}\n";
    std::fwrite(line.data(), 1, line.size(), stdout);
  }
  return std::fflush(stdout) == 0 ? 0 : 3;
}
