// What `codemode plan --explain` shows.

#include "explain.hpp"

#include <codemode/decoder/scores.hpp>
#include <codemode/result.hpp>
#include <codemode/text/json_text.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>

namespace cli {
namespace {

using codemode::token_role;

/// `x` with so many decimals.
void append_fixed(std::string& to, float x, int decimals) {
  std::array<char, 64> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), x, std::chars_format::fixed, decimals).ptr;
  to.append(text.data(), end);
}

void append_count(std::string& to, std::size_t n) { to += std::to_string(n); }

/// Name of class `c`; the first is acceptance and has no code.
std::string_view class_name(std::size_t c) { return c == 0 ? "none" : to_string(codemode::class_codes[c]); }

std::string_view text_of(const codemode::explanation& e, std::size_t token) {
  const auto& t = e.token_list[token];
  return e.instruction.substr(t.begin, t.end - t.begin);
}

/// No limit and no blanks, as a width of `append_cell`.
constexpr std::size_t unlimited = 0;

/// Appends at most `width` characters of `text` and fills up with blanks. What could steer a terminal is
/// shown as a dot.
void append_cell(std::string& to, std::string_view text, std::size_t width) {
  std::size_t shown = 0;
  for (std::size_t i = 0; i < text.size(); ++shown) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    const bool control =
        lead < 0x20 || lead == 0x7F ||
        (lead == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0);
    if (shown + 1 == width && i + size < text.size()) {
      to += "\xE2\x80\xA6";  // an ellipsis
      ++shown;
      break;
    }
    if (control) to += '.';
    else to += text.substr(i, size);
    i += size;
  }
  to.append(width > shown ? width - shown : 0, ' ');
}

std::string_view colour_of(token_role role) {
  switch (role) {
    case token_role::call:
      return "\033[1;32m";
    case token_role::argument:
      return "\033[36m";
    case token_role::value:
    case token_role::new_call:
      return "\033[33m";
    case token_role::limit:
    case token_role::property:
      return "\033[35m";
    case token_role::foreign:
      return "\033[31m";
    default:
      return "\033[2m";
  }
}

/// Where a value goes in the best reading: `team, call 1`.
void append_link(std::string& to, const codemode::explanation& e, const codemode::explained_token& t) {
  if (t.calls == 0) return;
  if (t.argument >= 0) {
    append_cell(to, text_of(e, static_cast<std::size_t>(t.argument)), unlimited);
    to += ", ";
  }
  to += "call";
  for (std::size_t c = 0; c < codemode::max_calls; ++c)
    if ((t.calls >> c & 1) != 0) {
      to += ' ';
      append_count(to, c + 1);
    }
}

}  // namespace

void explain_text(const codemode::explanation& e, std::size_t line, std::string_view id, bool colour,
                  std::string& to) {
  const auto paint = [&](std::string_view code) {
    if (colour) to += code;
  };
  paint("\033[1m");
  to += "-- line ";
  append_count(to, line);
  if (!id.empty()) {
    to += ", id ";
    to += id;
  }
  paint("\033[0m");
  to += '\n';
  for (const auto& t : e.tokens()) {
    if (e.ran) paint(colour_of(t.role));
    to += "  ";
    append_cell(to, e.instruction.substr(t.begin, t.end - t.begin), 28);
    to += ' ';
    append_cell(to, to_string(t.kind), 8);
    if (e.ran) {
      append_cell(to, to_string(t.role), 9);
      append_fixed(to, t.probability, 2);
      to += "  ";
      append_link(to, e, t);
    }
    while (to.back() == ' ') to.pop_back();
    paint("\033[0m");
    to += '\n';
  }
  if (!e.ran) {
    to += "  refused before the network was asked\n";
    return;
  }
  to += "  reasons to refuse: ";
  std::array<std::size_t, codemode::class_count> order{};
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return e.classes[a] > e.classes[b]; });
  for (std::size_t i = 0; i < 3; ++i) {
    if (i > 0) to += ", ";
    to += class_name(order[i]);
    to += ' ';
    append_fixed(to, e.classes[order[i]], 2);
  }
  to += "\n  in parallel ";
  append_fixed(to, e.parallel, 2);
  to += ", only the last result ";
  append_fixed(to, e.last, 2);
  to += '\n';
  if (e.planned) {
    to += "  confidence ";
    append_fixed(to, e.confidence, 3);
    to += '\n';
  } else {
    to += "  the catalog allows no plan\n";
  }
}

void explain_json(const codemode::explanation& e, std::string& to) {
  constexpr int decimals = 4;
  to += "{\"network\":";
  to += e.ran ? "true" : "false";
  if (e.ran) {
    to += ",\"confidence\":";
    if (e.planned) append_fixed(to, e.confidence, decimals);
    else to += "null";
    to += ",\"parallel\":";
    append_fixed(to, e.parallel, decimals);
    to += ",\"last\":";
    append_fixed(to, e.last, decimals);
    to += ",\"refusal\":{";
    for (std::size_t c = 0; c < e.classes.size(); ++c) {
      to += c == 0 ? "\"" : ",\"";
      to += class_name(c);
      to += "\":";
      append_fixed(to, e.classes[c], decimals);
    }
    to += '}';
  }
  to += ",\"tokens\":[";
  std::string_view comma;
  for (const auto& t : e.tokens()) {
    to += comma;
    comma = ",";
    to += "{\"text\":";
    codemode::text::append_json_string(to, e.instruction.substr(t.begin, t.end - t.begin));
    to += ",\"begin\":";
    append_count(to, t.begin);
    to += ",\"end\":";
    append_count(to, t.end);
    to += ",\"kind\":\"";
    to += to_string(t.kind);
    to += '"';
    if (e.ran) {
      to += ",\"role\":\"";
      to += to_string(t.role);
      to += "\",\"probability\":";
      append_fixed(to, t.probability, decimals);
    }
    if (t.calls != 0) {
      if (t.argument >= 0) {
        to += ",\"argument\":";
        append_count(to, static_cast<std::size_t>(t.argument));
      }
      to += ",\"calls\":[";
      std::string_view inner;
      for (std::size_t c = 0; c < codemode::max_calls; ++c)
        if ((t.calls >> c & 1) != 0) {
          to += inner;
          inner = ",";
          append_count(to, c);
        }
      to += ']';
    }
    to += '}';
  }
  to += "]}";
}

}  // namespace cli
