#include <codemode/diagnostic.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>

using codemode::diagnostic;
using codemode::errc;
using codemode::to_message;

namespace {

diagnostic of(errc code) {
  diagnostic d;
  d.code = code;
  return d;
}

std::string quoted(std::string_view s) {
  diagnostic d = of(errc::bad_string);
  d.what = "x";
  d.found = s;
  std::string m = to_message(d);
  CHECK(m.starts_with("X (found '"));
  CHECK(m.ends_with("')."));
  return m.substr(10, m.size() - 13);
}

}  // namespace

TEST_CASE("every code has a sentence of its own") {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < codemode::errc_count; ++i) {
    const errc code = static_cast<errc>(i);
    const std::string m = to_message(of(code));
    CAPTURE(m);
    CHECK(m.size() > 20);
    CHECK(m.front() >= 'A');
    CHECK(m.front() <= 'Z');
    CHECK(m.back() == '.');
    CHECK(m.find('\n') == std::string::npos);
    CHECK(codemode::default_message(code).back() != '.');
    CHECK(seen.insert(m).second);
    CHECK(m != "Unknown failure.");
  }
  CHECK(to_message(of(static_cast<errc>(codemode::errc_count))) == "Unknown failure.");
}

TEST_CASE("a sentence names all that is known") {
  diagnostic d = of(errc::type_mismatch);
  d.what = "the value must be a number";
  CHECK(to_message(d) == "The value must be a number.");
  d.tool = "get_order";
  CHECK(to_message(d) == "Tool 'get_order': the value must be a number.");
  d.argument = "id";
  CHECK(to_message(d) == "Tool 'get_order', argument 'id': the value must be a number.");
  d.found = "\"5\"";
  CHECK(to_message(d) == "Tool 'get_order', argument 'id': the value must be a number (found '\"5\"').");
  d.begin = 17;
  d.end = 20;
  CHECK(to_message(d) ==
        "Tool 'get_order', argument 'id': the value must be a number (found '\"5\"', bytes 17 to 20).");
  d.tool = {};
  CHECK(to_message(d) == "Argument 'id': the value must be a number (found '\"5\"', bytes 17 to 20).");
  d.code = errc::invalid_record;
  CHECK(to_message(d) == "Member 'id': the value must be a number (found '\"5\"', bytes 17 to 20).");
  d = of(errc::buffer_too_small);
  d.needed = 1234567890123;
  CHECK(to_message(d).ends_with(" (1234567890123 bytes needed)."));
  d.code = errc::invalid_catalog;
  d.tool = "#3";
  d.argument = "name";
  d.needed = 9;
  CHECK(to_message(d).starts_with("Tool '#3', member 'name': the catalog"));
  CHECK(to_message(d).ends_with(" (there are 9)."));
  d = of(errc::no_call);
  d.what = "nothing to do. ";
  CHECK(to_message(d) == "Nothing to do.");
}

TEST_CASE("foreign text is safe to show") {
  using namespace std::string_view_literals;
  CHECK(quoted("plain \u00E9\u540D\U0001F600 \"x\"") == "plain \u00E9\u540D\U0001F600 \"x\"");
  CHECK(quoted("a'b") == "a\\'b");
  CHECK(quoted("a\n\r\tb") == "a\\n\\r\\tb");
  CHECK(quoted("\x1B[31m\x07\x7F") == "\\u{1B}[31m\\u{7}\\u{7F}");
  CHECK(quoted("\0"sv) == "\\u{0}");
  CHECK(quoted("\u0085\u009B\u00A0") == "\\u{85}\\u{9B}\\u{A0}");
  CHECK(quoted("\u202E\u2066\u200F\u061C") == "\\u{202E}\\u{2066}\\u{200F}\\u{61C}");
  CHECK(quoted("\u2028\uFEFF\u200B") == "\\u{2028}\\u{FEFF}\\u{200B}");
  CHECK(quoted("\U000E0041\U0010FFFF") == "\\u{E0041}\\u{10FFFF}");
  CHECK(quoted("\xFF\xC3") == "\\xFF\\xC3");
  CHECK(quoted("\xE2\x82x") == "\\xE2\\x82x");
}

TEST_CASE("no byte of a message can steer a terminal") {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  for (std::size_t from = 0; from < all.size(); from += 60) {
    diagnostic d = of(errc::unattached_value);
    d.tool = d.argument = d.found = std::string_view(all).substr(from, 60);
    for (const char c : to_message(d)) CHECK(static_cast<unsigned char>(c) >= 0x20);
    CHECK(codemode::text::is_valid_utf8(to_message(d)));
  }
}

TEST_CASE("long foreign text is cut, at a whole character") {
  std::string s;
  for (int i = 0; i < 200; ++i) s += "\u00E9";
  CHECK(quoted(s) == s.substr(0, 160) + "...");
  CHECK(quoted(s.substr(0, 160)) == s.substr(0, 160));
}

TEST_CASE("a sentence goes to any sink") {
  diagnostic d = of(errc::no_call);
  std::array<char, 16> small{};
  codemode::buffer_sink buffer(small);
  write_message(d, buffer);
  CHECK(buffer.needed() == to_message(d).size());
  CHECK_FALSE(buffer.finish().has_value());
  CHECK(std::string_view(small.data(), small.size()) == std::string_view(to_message(d)).substr(0, 16));
  codemode::counting_sink count;
  write_message(d, count);
  CHECK(count.size() == to_message(d).size());
}
