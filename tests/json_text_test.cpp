#include <codemode/text/json_text.hpp>

#include <doctest/doctest.h>

#include <array>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace text = codemode::text;
using codemode::errc;

namespace {

std::string written(std::string_view utf8) {
  std::string out;
  text::append_json_string(out, utf8);
  return out;
}

std::string rewritten(std::string_view literal) {
  std::string out;
  text::append_json_literal(out, literal);
  return out;
}

std::string content(std::string_view literal) {
  std::string out;
  const auto fault = text::decode_json_string(literal, out);
  return fault ? "refused" : out;
}

constexpr bool decodes_at_compile_time() {
  std::array<char, 8> buffer{};
  const auto content = text::decode_json_string(R"("\u00e9\n")", buffer);
  return content.has_value() && *content == "\u00e9\n";
}
static_assert(decodes_at_compile_time());
static_assert(text::scan_json_string(R"("a\"b" c)").size == 6);

}  // namespace

TEST_CASE("text is written with only the escapes that JSON needs") {
  CHECK(written("") == R"("")");
  CHECK(written("plain / text") == R"("plain / text")");
  CHECK(written("say \"hi\" \\ back") == R"("say \"hi\" \\ back")");
  CHECK(written("\b\f\n\r\t") == R"("\b\f\n\r\t")");
  CHECK(written(std::string_view("\0\x01\x1f\x7f", 4)) == "\"\\u0000\\u0001\\u001f\x7f\"");
  CHECK(written("caf\u00e9 \u65e5\u672c \U0001F600") == "\"caf\u00e9 \u65e5\u672c \U0001F600\"");
  CHECK(written("a\u2028b\u2029c") == R"("a\u2028b\u2029c")");
  CHECK(written("</script>") == R"("</script>")");
}

TEST_CASE("bytes that are no UTF-8 are written as U+FFFD") {
  CHECK(written("a\x80z") == "\"a\uFFFDz\"");
  CHECK(written("\xC3") == "\"\uFFFD\"");
  CHECK(written("\xED\xA0\x80") == "\"\uFFFD\uFFFD\uFFFD\"");
  CHECK(written("\xF0\x9F\x98\"") == "\"\uFFFD\\\"\"");
}

TEST_CASE("a literal is decoded") {
  CHECK(content(R"("")").empty());
  CHECK(content(R"("blue")") == "blue");
  CHECK(content(R"("\"\\\/\b\f\n\r\t")") == "\"\\/\b\f\n\r\t");
  CHECK(content(R"("\u00e9\u65e5\uD83D\uDE00")") == "\u00e9\u65e5\U0001F600");
  CHECK(content(R"("\u0000")") == std::string_view("\0", 1));
  CHECK(content("\"caf\u00e9\"") == "caf\u00e9");
}

TEST_CASE("what is no JSON string is refused with its place") {
  struct refusal {
    std::string_view literal;
    std::size_t begin;
    std::size_t end;
  };
  for (const auto& r : {
           refusal{"", 0, 0},
           refusal{"blue", 0, 1},
           refusal{"'blue'", 0, 1},
           refusal{"\"blue", 5, 5},
           refusal{"\"blue\\", 6, 6},
           refusal{"\"blue\\\"", 7, 7},
           refusal{R"("a" )", 3, 4},
           refusal{R"("a""b")", 3, 4},
           refusal{"\"a\nb\"", 2, 3},
           refusal{std::string_view("\"\0\"", 3), 1, 2},
           refusal{R"("ab\x41")", 3, 4},
           refusal{R"("\u12")", 1, 2},
           refusal{R"("\u12g4")", 1, 2},
           refusal{R"("\U0041")", 1, 2},
           refusal{R"("x\ud83d")", 2, 3},
           refusal{R"("x\ud83d\u0041")", 2, 3},
           refusal{R"("x\ude00\ud83d")", 2, 3},
           refusal{R"("\ud83d\ud83d\ude00")", 1, 2},
           refusal{"\"\xC3\"", 1, 2},
           refusal{"\"\xED\xA0\x80\"", 1, 2},
       }) {
    CAPTURE(r.literal);
    std::string out = "kept";
    const auto fault = text::decode_json_string(r.literal, out);
    REQUIRE(fault.has_value());
    CHECK(fault->code == errc::bad_string);
    CHECK(fault->begin == r.begin);
    CHECK(fault->end == r.end);
    CHECK(fault->found == r.literal.substr(r.begin, r.end - r.begin));
    CHECK(!fault->what.empty());
    CHECK(out == "kept");
    std::array<char, 64> buffer{};
    const auto in_buffer = text::decode_json_string(r.literal, buffer);
    CHECK(!in_buffer.has_value());
  }
}

TEST_CASE("the end of a string is found inside a text") {
  const auto first = text::scan_json_string(R"("a \" b", team "c")");
  CHECK(first.ok);
  CHECK(first.size == 8);
  const auto open = text::scan_json_string(R"("a \" b)");
  CHECK(!open.ok);
  CHECK(open.unterminated);
  const auto bad = text::scan_json_string(R"("a \q")");
  CHECK(!bad.ok);
  CHECK(!bad.unterminated);
  CHECK(bad.offset == 3);
}

TEST_CASE("a buffer that is too small tells the size needed") {
  const std::string_view literal = R"("ab\u00e9\ud83d\ude00")";
  std::array<char, 16> buffer{};
  for (std::size_t size = 0; size < 8; ++size) {
    const auto r = text::decode_json_string(literal, std::span<char>(buffer).first(size));
    REQUIRE(!r.has_value());
    CHECK(r.error().code == errc::buffer_too_small);
    CHECK(r.error().needed == 8);
  }
  const auto r = text::decode_json_string(literal, std::span<char>(buffer).first(8));
  REQUIRE(r.has_value());
  CHECK(*r == "ab\u00e9\U0001F600");
  CHECK(r->data() == buffer.data());
}

TEST_CASE("a literal is written again in one form") {
  CHECK(rewritten(R"("\u0062l\u0075e")") == R"("blue")");
  CHECK(rewritten(R"("a\/b")") == R"("a/b")");
  CHECK(rewritten(R"("\u000a\u0022\u005C\u001F\u2028")") == R"("\n\"\\\u001f\u2028")");
  CHECK(rewritten(R"("\uD83D\uDE00")") == "\"\U0001F600\"");
  CHECK(rewritten("\"\u2028\"") == R"("\u2028")");
}

TEST_CASE("a literal that was made by hand stays one JSON string") {
  CHECK(rewritten(R"("x\uD83Dy")") == R"("x\ud83dy")");
  CHECK(rewritten(R"("\uDE00\uD83D")") == R"("\ude00\ud83d")");
  CHECK(rewritten("") == R"("")");
  CHECK(rewritten("\"") == R"("")");
  CHECK(rewritten("blue") == R"("blue")");
  CHECK(rewritten("a\"b") == R"("a\"b")");
  CHECK(rewritten("\"a\nb\"") == R"("a\nb")");
  CHECK(rewritten(R"("a\qb")") == "\"a\uFFFDqb\"");
  CHECK(rewritten("\"a\\\"") == "\"a\uFFFD\"");
  CHECK(rewritten("\"a\xFF\"") == "\"a\uFFFD\"");
}

TEST_CASE("random texts survive both ways, random bytes stay valid") {
  std::mt19937 random(7);
  const std::vector<std::string> parts{"a",        "\"",   "\\",     "\\u",    "d83d",
                                       "\\ude00",  "\n",   "\u2028", "\u00e9", "\U0001F600",
                                       "\xED\xA0", "\xFF", "\\n",    "/",      std::string(1, '\0')};
  for (int i = 0; i < 20000; ++i) {
    std::string bytes;
    for (auto n = random() % 12; n > 0; --n) bytes += parts[random() % parts.size()];
    const std::string as_text = written(bytes);
    REQUIRE(text::is_valid_utf8(as_text));
    REQUIRE(!text::check_json_string(as_text).has_value());
    if (text::is_valid_utf8(bytes)) REQUIRE(content(as_text) == bytes);
    REQUIRE(rewritten(as_text) == as_text);

    for (const std::string& literal : {bytes, "\"" + bytes + "\""}) {
      const std::string again = rewritten(literal);
      REQUIRE(text::is_valid_utf8(again));
      REQUIRE(rewritten(again) == again);
      // Whatever comes in, the output is one JSON string, but for lone surrogates.
      const auto fault = text::check_json_string(again);
      if (fault) REQUIRE(again.find("\\ud") != std::string::npos);
      if (!text::check_json_string(literal)) {
        REQUIRE(!fault.has_value());
        REQUIRE(content(again) == content(literal));
      }
    }
  }
}
