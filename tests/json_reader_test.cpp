#include <codemode/json/reader.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

using codemode::errc;
namespace json = codemode::json;

namespace {

/// JSON by the grammar of RFC 8259, byte by byte and recursive: slow, obvious, and nothing like the reader.
class slow_checker {
 public:
  explicit slow_checker(std::string_view s) : s_(s) {}
  bool valid() {
    if (!codemode::text::is_valid_utf8(s_)) return false;
    blanks();
    if (!value(0)) return false;
    blanks();
    return i_ == s_.size();
  }

 private:
  char at() const { return i_ < s_.size() ? s_[i_] : '\0'; }
  bool take(char c) {
    if (i_ < s_.size() && s_[i_] == c) {
      ++i_;
      return true;
    }
    return false;
  }
  bool take(std::string_view word) {
    for (const char c : word)
      if (!take(c)) return false;
    return true;
  }
  void blanks() {
    while (take(' ') || take('\t') || take('\n') || take('\r')) {
    }
  }
  bool digits() {
    const std::size_t from = i_;
    while (at() >= '0' && at() <= '9') ++i_;
    return i_ > from;
  }
  bool number() {
    take('-');
    if (!take('0') && !digits()) return false;
    if (take('.') && !digits()) return false;
    if (take('e') || take('E')) {
      if (!take('+')) take('-');
      if (!digits()) return false;
    }
    return true;
  }
  bool string() {
    if (!take('"')) return false;
    while (i_ < s_.size()) {
      const char c = s_[i_++];
      if (c == '"') return true;
      if (static_cast<unsigned char>(c) < 0x20) return false;
      if (c != '\\') continue;
      if (i_ == s_.size()) return false;
      const char e = s_[i_++];
      if (e != 'u') {
        if (std::string_view("\"\\/bfnrt").find(e) == std::string_view::npos) return false;
        continue;
      }
      for (int k = 0; k < 4; ++k, ++i_)
        if (i_ == s_.size() ||
            std::string_view("0123456789abcdefABCDEF").find(s_[i_]) == std::string_view::npos)
          return false;
    }
    return false;
  }
  bool value(int depth) {
    if (depth > 500) return false;
    if (take('{')) {
      blanks();
      if (take('}')) return true;
      do {
        blanks();
        if (!string()) return false;
        blanks();
        if (!take(':')) return false;
        blanks();
        if (!value(depth + 1)) return false;
        blanks();
      } while (take(','));
      return take('}');
    }
    if (take('[')) {
      blanks();
      if (take(']')) return true;
      do {
        blanks();
        if (!value(depth + 1)) return false;
        blanks();
      } while (take(','));
      return take(']');
    }
    if (at() == '"') return string();
    if (at() == 't') return take("true");
    if (at() == 'f') return take("false");
    if (at() == 'n') return take("null");
    return number();
  }

  std::string_view s_;
  std::size_t i_ = 0;
};

/// Writes the tree again from the nodes, without white space: nodes that lie give another text.
void write(const json::element& e, std::string& out) {
  switch (e.kind()) {
    case json::kind::array: {
      out += '[';
      std::size_t n = 0;
      for (const json::element item : e.items()) {
        if (n++ != 0) out += ',';
        write(item, out);
      }
      CHECK(n == e.size());
      out += ']';
      break;
    }
    case json::kind::object: {
      out += '{';
      std::size_t n = 0;
      for (const json::member m : e.members()) {
        if (n++ != 0) out += ',';
        out += m.key.raw();
        out += ':';
        write(m.value, out);
      }
      CHECK(n == e.size());
      out += '}';
      break;
    }
    default:
      out += e.raw();
  }
}

std::string without_blanks(std::string_view text) {
  std::string out;
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (inside && c == '\\') out += text[i++];
    else if (c == '"') inside = !inside;
    if (inside || std::string_view(" \t\r\n").find(c) == std::string_view::npos) out += text[i];
  }
  return out;
}

/// A text in a block of its own, so that a sanitizer sees every byte read beyond its end.
class exact_copy {
 public:
  explicit exact_copy(std::string_view s) : size_(s.size()), bytes_(new char[s.size()]) {
    s.copy(bytes_.get(), s.size());
  }
  std::string_view view() const { return {bytes_.get(), size_}; }

 private:
  std::size_t size_;
  std::unique_ptr<char[]> bytes_;
};

bool accepts(json::reader& reader, std::string_view text) {
  const exact_copy copy(text);
  const auto document = reader.read(copy.view());
  if (document) {
    std::string again;
    write(document->root(), again);
    CHECK(again == without_blanks(text));
    CHECK(document->nodes().size() == document->root().at()->extent);
  } else {
    CHECK(document.error().code == errc::invalid_json);
    CHECK(document.error().begin <= document.error().end);
    CHECK(document.error().end <= text.size());
    CHECK_FALSE(document.error().what.empty());
  }
  return document.has_value();
}

/// Byte offset of the fault in `text`.
std::size_t fault_at(std::string_view text) {
  json::reader reader;
  const auto document = reader.read(text);
  REQUIRE_FALSE(document.has_value());
  return document.error().begin;
}

std::string random_value(std::mt19937& random, int depth) {
  const auto pick = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  static const std::vector<std::string> scalars{"0",
                                                "-0",
                                                "1e400",
                                                "-12.50E+3",
                                                "123456789012345678901234567890",
                                                "true",
                                                "false",
                                                "null",
                                                "\"\"",
                                                "\"a\"",
                                                "\"\\u00e9\"",
                                                "\"\\ud83d\\ude00\"",
                                                "\"\\ud800\"",
                                                "\"\\\\\"",
                                                "\"\\\"\"",
                                                "\"{}[],:\"",
                                                "\"\xF0\x9F\x98\x80\"",
                                                "\"\\u0000\"",
                                                "\"\x7F\"",
                                                "\"\\/\\b\\f\\n\\r\\t\""};
  static const std::vector<std::string> blanks{"", "", "", " ", "\n", "\t\r\n  ", std::string(70, ' ')};
  const auto blank = [&] { return blanks[pick(static_cast<unsigned>(blanks.size()))]; };
  const unsigned kind = depth <= 0 ? 0 : pick(3);
  if (kind == 0) return scalars[pick(static_cast<unsigned>(scalars.size()))];
  std::string out = kind == 1 ? "[" : "{";
  const unsigned n = pick(4);
  for (unsigned i = 0; i < n; ++i) {
    if (i != 0) out += ",";
    out += blank();
    if (kind == 2) out += "\"k" + std::to_string(pick(3)) + "\"" + blank() + ":" + blank();
    out += random_value(random, depth - 1) + blank();
  }
  return out + (kind == 1 ? "]" : "}");
}

}  // namespace

TEST_CASE("nodes describe the text") {
  json::reader reader;
  const std::string_view text = R"( {"a" : [1, {"b":"x\u0041"} ], "c": null} )";
  const auto document = reader.read(text);
  REQUIRE(document.has_value());
  CHECK(document->text().data() == text.data());
  const json::element root = document->root();
  CHECK(root.is_object());
  CHECK(root.raw() == text.substr(1, text.size() - 2));
  CHECK(root.size() == 2);
  const auto a = root.find("a");
  REQUIRE(a.has_value());
  CHECK(a->is_array());
  CHECK(a->size() == 2);
  CHECK(a->raw() == R"([1, {"b":"x\u0041"} ])");
  CHECK(a->at()->extent == 5);
  std::vector<std::string_view> items;
  for (const json::element e : a->items()) items.push_back(e.raw());
  CHECK(items == std::vector<std::string_view>{"1", R"({"b":"x\u0041"})"});
  CHECK(root.find("c")->kind() == json::kind::null);
  CHECK_FALSE(root.find("b").has_value());
  CHECK(document->nodes().size() == 9);
}

TEST_CASE("strings are decoded on demand") {
  json::reader reader;
  const auto decoded = [&](std::string_view text) {
    const auto document = reader.read(text);
    REQUIRE(document.has_value());
    std::string out;
    document->root().decode(out);
    CHECK(out.size() <= document->root().content().size());
    if (!document->root().lone_surrogate()) CHECK(document->root().equals(out));
    CHECK_FALSE(document->root().equals(out + "x"));
    CHECK_FALSE(document->root().equals("\xFF"));
    return out;
  };
  using namespace std::string_view_literals;
  CHECK(decoded(R"("")").empty());
  CHECK(decoded(R"("plain")") == "plain");
  CHECK(decoded(R"("\"\\\/\b\f\n\r\t")") == "\"\\/\b\f\n\r\t");
  CHECK(decoded(R"("\u0000")") == "\0"sv);
  CHECK(decoded(R"("a\u00E9\u00e9b")") == "a\u00E9\u00E9b");
  CHECK(decoded(R"("\ud83d\ude00")") == "\U0001F600");
  CHECK(decoded(R"("\uFFFF\uD7FF\uE000")") == "\uFFFF\uD7FF\uE000");
  CHECK(decoded(R"("x\ud800y")") == "x\uFFFDy");
  CHECK(decoded(R"("\ud800\ud83d\ude00")") == "\uFFFD\U0001F600");
}

TEST_CASE("lone surrogate escapes are well-formed and flagged") {
  json::reader reader;
  const auto lone = [&](std::string_view text) {
    const auto document = reader.read(text);
    REQUIRE(document.has_value());
    CHECK(document->root().escaped());
    return document->root().lone_surrogate();
  };
  CHECK(lone(R"("\ud800")"));
  CHECK(lone(R"("\uDBFFx")"));
  CHECK(lone(R"("\udc00")"));
  CHECK(lone(R"("\udc00\ud800")"));
  CHECK(lone(R"("\ud83d\ude00\ud83d")"));
  CHECK(lone(R"("\ud800\u0041")"));
  CHECK(lone(R"("\ud800\ue000")"));
  CHECK(lone(R"("\ud800\n")"));
  CHECK_FALSE(lone(R"("\ud83d\ude00")"));
  CHECK_FALSE(lone(R"("\ud7ff\ue000")"));
  CHECK_FALSE(lone(R"("\\ud800")"));
}

TEST_CASE("errors tell the byte offset") {
  CHECK(fault_at("") == 0);
  CHECK(fault_at("  ") == 2);
  CHECK(fault_at("[1") == 2);
  CHECK(fault_at("[1 2]") == 3);
  CHECK(fault_at(R"({"a" 1})") == 5);
  CHECK(fault_at(R"({"a":1,})") == 7);
  CHECK(fault_at(R"({1:1})") == 1);
  CHECK(fault_at("[1,]") == 3);
  CHECK(fault_at("[tru]") == 1);
  CHECK(fault_at("[1.5.2]") == 1);
  CHECK(fault_at("{} x") == 3);
  CHECK(fault_at("[1}") == 2);
  CHECK(fault_at(R"(["ab\q"])") == 4);
  CHECK(fault_at(R"(["ab\u12g4"])") == 4);
  CHECK(fault_at("[\"a\x01\"]") == 3);
  CHECK(fault_at("[\"a\n\"]") == 3);
  CHECK(fault_at("[\"a\xC3\"]") == 3);
  CHECK(fault_at("[\xFF]") == 1);
  CHECK(fault_at(R"([1,"abc)") == 3);
  CHECK(fault_at(R"(["abc\"])") == 1);
  CHECK(fault_at("\xEF\xBB\xBF{}") == 0);
}

TEST_CASE("the reader and the slow checker accept the same texts") {
  json::reader reader;
  // By hand first: each is a rule of the grammar.
  const std::vector<std::pair<std::string, bool>> cases{{"0", true},
                                                        {"-0", true},
                                                        {"-", false},
                                                        {"+1", false},
                                                        {"01", false},
                                                        {"-01", false},
                                                        {"1.", false},
                                                        {".5", false},
                                                        {"1e", false},
                                                        {"1e+", false},
                                                        {"1E-5", true},
                                                        {"1e400", true},
                                                        {"0x1", false},
                                                        {"1_000", false},
                                                        {"NaN", false},
                                                        {"Infinity", false},
                                                        {"-Infinity", false},
                                                        {std::string(5000, '9'), true},
                                                        {"true", true},
                                                        {"True", false},
                                                        {"truex", false},
                                                        {"nul", false},
                                                        {"null null", false},
                                                        {"\"a\"", true},
                                                        {"'a'", false},
                                                        {"\"a\"\"b\"", false},
                                                        {"\"a\"b", false},
                                                        {"b\"a\"", false},
                                                        {"1\"a\"", false},
                                                        {"\"\\\"", false},
                                                        {"\"\\\\\"", true},
                                                        {"\"\\", false},
                                                        {"\"\\u123\"", false},
                                                        {"\"\\x41\"", false},
                                                        {"\"\\U0041\"", false},
                                                        {"\"\t\"", false},
                                                        {"\"\x7f\"", true},
                                                        {"\"\xC0\x80\"", false},
                                                        {"\"\xED\xA0\x80\"", false},
                                                        {"\xC2\xA0"
                                                         "1",
                                                         false},
                                                        {"\f1", false},
                                                        {"\v1", false},
                                                        {"1\xE2\x80\xA8", false},
                                                        {"[]", true},
                                                        {"[", false},
                                                        {"]", false},
                                                        {"[]]", false},
                                                        {"[,]", false},
                                                        {"[1,,2]", false},
                                                        {"[1:2]", false},
                                                        {"{}", true},
                                                        {"{", false},
                                                        {"}", false},
                                                        {"{\"a\"}", false},
                                                        {"{\"a\":}", false},
                                                        {"{\"a\":1 \"b\":2}", false},
                                                        {"{\"a\":1,\"a\":2}", true},
                                                        {"{\"a\":1}}", false},
                                                        {"{a:1}", false},
                                                        {"[\"a\":1]", false},
                                                        {"{1}", false},
                                                        {"{\"a\",1}", false},
                                                        {"/**/1", false},
                                                        {"1//", false},
                                                        {"[1]#", false},
                                                        {std::string("1\0", 2), false},
                                                        {std::string("\0"
                                                                     "1",
                                                                     2),
                                                         false},
                                                        {std::string("[1,\0]", 5), false},
                                                        {"\"" + std::string(200, ' ') + "\"", true}};
  for (const auto& [example, valid] : cases) {
    const std::string& text = example;  // a structured binding cannot be captured
    CAPTURE(text);
    CHECK(slow_checker(text).valid() == valid);
    CHECK(accepts(reader, text) == valid);
  }
  // Then generated ones, whole, cut anywhere and damaged.
  std::mt19937 random(20240607);
  static const std::string damage = "{}[],:\"\\0123456789-+.eEtfnu \n\x01\x7F\x80\xC3\xA9\xED\xFF/";
  std::size_t disagreements = 0;
  std::size_t accepted = 0;
  for (int round = 0; round < 4000; ++round) {
    const std::string text = random_value(random, 4);
    if (!accepts(reader, text)) ++disagreements;
    std::string bad = text;
    const unsigned edits = 1 + static_cast<unsigned>(random() % 3);
    for (unsigned k = 0; k < edits && !bad.empty(); ++k) {
      const std::size_t at = random() % bad.size();
      const char c = damage[random() % damage.size()];
      switch (random() % 4) {
        case 0:
          bad[at] = c;
          break;
        case 1:
          bad.insert(bad.begin() + static_cast<std::ptrdiff_t>(at), c);
          break;
        case 2:
          bad.erase(at, 1);
          break;
        default:
          bad.resize(at);
      }
    }
    const bool expected = slow_checker(bad).valid();
    accepted += expected ? 1U : 0U;
    if (accepts(reader, bad) != expected) {
      CAPTURE(bad);
      CHECK(expected);  // shows the text
      ++disagreements;
    }
  }
  CHECK(disagreements == 0);
  CHECK(accepted > 100);  // damage that changes nothing is met too
}

TEST_CASE("a text of any length and any place of a fault is read") {
  // Tokens at every place of the blocks in which the text is scanned.
  json::reader reader;
  for (std::size_t n = 0; n < 200; ++n) {
    const std::string text = "[\"" + std::string(n, 'a') + "\"," + std::string(n % 7, ' ') + "1]";
    CHECK(accepts(reader, text));
    for (const std::size_t cut : {text.size() - 1, text.size() / 2, n / 2})
      CHECK_FALSE(accepts(reader, text.substr(0, cut)));
  }
}

TEST_CASE("deep nesting neither overflows the stack nor takes quadratic time") {
  constexpr std::size_t depth = 1'000'000;
  json::reader reader;
  const std::string arrays = std::string(depth, '[') + std::string(depth, ']');
  const auto document = reader.read(arrays);
  REQUIRE(document.has_value());
  CHECK(document->nodes().size() == depth);
  CHECK(document->root().at()->extent == depth);
  CHECK(document->nodes().back().begin == depth - 1);

  std::string objects;
  for (std::size_t i = 0; i < depth; ++i) objects += "{\"a\":";
  CHECK_FALSE(reader.read(objects).has_value());
  objects += "0" + std::string(depth, '}');
  CHECK(reader.read(objects).has_value());
  objects.back() = ']';
  const auto wrong = reader.read(objects);
  REQUIRE_FALSE(wrong.has_value());
  CHECK(wrong.error().begin == objects.size() - 1);
}

TEST_CASE("keys are compared as they decode") {
  json::reader reader;
  const auto find = [&](std::string_view text, std::string_view name) {
    const auto document = reader.read(text);
    REQUIRE(document.has_value());
    const auto e = document->root().find(name);
    return e ? std::string(e->raw()) : std::string("-");
  };
  CHECK(find(R"({"\u0069nstruction":1})", "instruction") == "1");
  CHECK(find(R"({"inst\u0072uctio\u006e":1})", "instruction") == "1");
  CHECK(find(R"({"instruction\u0000":1})", "instruction") == "-");
  CHECK(find(R"({"instructio":1,"instructionx":2,"instruction":3,"instruction":4})", "instruction") == "3");
  CHECK(find(R"({"\ud83d\ude00":1})", "\U0001F600") == "1");
  CHECK(find(R"({"\ud83d":1})", "\uFFFD") == "-");
  CHECK(find(R"({"":1})", "") == "1");
  CHECK(find(R"({"__proto__":1})", "__proto__") == "1");
}

TEST_CASE("duplicates are found, few or many") {
  json::reader reader;
  json::duplicate_finder duplicates;
  const auto repeated = [&](std::string_view text) {
    const auto document = reader.read(text);
    REQUIRE(document.has_value());
    const auto e = document->root().is_object() ? duplicates.find_key(document->root())
                                                : duplicates.find_item(document->root());
    return e ? static_cast<int>(e->begin_offset()) : -1;
  };
  CHECK(repeated("{}") == -1);
  CHECK(repeated(R"({"a":1,"b":{"a":1,"a":1}})") == -1);
  CHECK(repeated(R"({"a":1,"\u0061":2})") == 7);
  CHECK(repeated(R"({"\ud800":1,"\uD800":2})") == 12);
  CHECK(repeated(R"({"\ud800":1,"\ud801":2,"\ufffd":3})") == -1);
  CHECK(repeated(R"(["a","b","b","a"])") == 9);

  constexpr int many = 100'000;
  std::string text = "{";
  for (int i = 0; i < many; ++i) text += "\"k" + std::to_string((i * 7919) % many) + "\":0,";
  CHECK(repeated(text + "\"x\":0}") == -1);
  // The first repetition in source order is told, whatever the order of sorting.
  CHECK(repeated(text + "\"k\\u0039\":0,\"k1\":0}") == static_cast<int>(text.size()));
  CHECK(repeated(text + "\"k1\":0,\"k9\":0}") == static_cast<int>(text.size()));
  // Keys that share a long beginning.
  text = "{";
  for (int i = 0; i < 2'000; ++i) text += "\"" + std::string(300, 'z') + std::to_string(i) + "\":0,";
  CHECK(repeated(text + "\"x\":0}") == -1);
}

TEST_CASE("a reader can be moved, reused after failures and outgrown") {
  json::reader first;
  CHECK_FALSE(first.read("[").has_value());
  json::reader second = std::move(first);
  const std::string longer = "[" + std::string(100'000, ' ') + "]";
  CHECK(second.read("[]").has_value());
  CHECK(second.read(longer).has_value());
  CHECK(second.read("{}").has_value());
  first = json::reader{};
  CHECK(first.read("[]").has_value());
}

TEST_CASE("a text that is too long for 32-bit offsets is refused unread") {
  json::reader reader;
  const char byte = '[';
  const std::string_view claims_much(&byte, json::max_text_size + 1);
  const auto document = reader.read(claims_much);
  REQUIRE_FALSE(document.has_value());
  CHECK(document.error().needed == json::max_text_size + 1);
}
