// What the network is told of each token beside its word.

#include "frontend_fixture.hpp"

#include <codemode/frontend/features.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

using namespace codemode::detail;  // the places of the features: f_tool, ...
using codemode::return_kind;
using codemode::value_type;
using codemode::word_id;

namespace {

const fixture::tools& office() {
  static const fixture::tools t = [] {
    fixture::tools made;
    made.add("list_users", {{"team", value_type::string, true}, {"active", value_type::boolean, false}},
             return_kind::array, {"id", "name"});
    made.add("get_user", {{"id", value_type::number, true}}, return_kind::object, {"id"});
    made.add("ping", {});
    return made;
  }();
  return t;
}

/// The features of one text.
class seen {
 public:
  explicit seen(std::string_view text, const fixture::tools& tools = office()) : text_(text) {
    static const codemode::vocabulary words(std::vector<std::string>{"call", "then", "list", ",", "caf\xC3\xA9"});
    REQUIRE_FALSE(codemode::tokenize(text, tools.list, tools.names, tokens_));
    // What an earlier instruction left must not shine through.
    std::fill(memory_->begin(), memory_->end(), 77.0F);
    codemode::write_features(text, tools.list, tools.names, tokens_, words, features_);
  }

  [[nodiscard]] std::size_t at(std::string_view spelled, std::size_t nth = 0) const {
    for (std::size_t k = 0; k < tokens_.count; ++k)
      if (text_.substr(tokens_[k].begin, tokens_[k].end - tokens_[k].begin) == spelled && nth-- == 0) return k;
    FAIL("no such token: " << spelled);
    return 0;
  }
  [[nodiscard]] float of(std::string_view spelled, feature f, std::size_t nth = 0) const {
    return features_.row(at(spelled, nth))[f];
  }
  [[nodiscard]] bool is(std::string_view spelled, feature f, std::size_t nth = 0) const {
    return of(spelled, f, nth) == 1.0F;
  }
  [[nodiscard]] word_id word(std::string_view spelled, std::size_t nth = 0) const {
    return static_cast<word_id>(features_.words[at(spelled, nth)]);
  }
  [[nodiscard]] const codemode::token_features& all() const { return features_; }
  [[nodiscard]] std::size_t count() const { return tokens_.count; }

 private:
  using rows = std::array<float, codemode::max_tokens * codemode::feature_count>;
  std::string_view text_;
  codemode::token_list tokens_;
  std::unique_ptr<rows> memory_ = std::make_unique<rows>();
  codemode::token_features features_{*memory_, {}, {}, {}};
};

TEST_CASE("words are known by name, names only where they are words") {
  const seen s("Call ping, list_users team \"x\" 5 true 5pm caf\xC3\xA9 CAF\xC3\x89 xyzzy");
  CHECK(s.word("Call") == static_cast<word_id>(codemode::vocabulary::first_id));
  CHECK(s.word("ping") == word_id::name);
  CHECK(s.word(",") == static_cast<word_id>(codemode::vocabulary::first_id + 3));
  CHECK(s.word("list_users") == word_id::long_name);
  CHECK(s.word("\"x\"") == word_id::string);
  CHECK(s.word("5") == word_id::number);
  CHECK(s.word("true") == word_id::boolean);
  CHECK(s.word("5pm") == word_id::malformed_number);
  CHECK(s.word("caf\xC3\xA9") == s.word("CAF\xC3\x89"));
  CHECK(s.word("xyzzy") == word_id::unknown);

  fixture::tools t;
  t.add("list", {{"then", value_type::string, false}});
  const seen english("list then", t);
  CHECK(english.word("list") == static_cast<word_id>(codemode::vocabulary::first_id + 2));
  CHECK(english.is("list", f_word_like_tool));
  CHECK(english.is("then", f_word_like_argument));
  CHECK_FALSE(english.is("then", f_word_like_tool));
}

TEST_CASE("letters of words are hashed, those of names are not") {
  const seen s("xyzzy xyzA qqzzy ping");
  const auto& f = s.all();
  CHECK(f.prefixes[0] == f.prefixes[1]);
  CHECK(f.prefixes[0] != f.prefixes[2]);
  CHECK(f.suffixes[0] == f.suffixes[2]);
  CHECK(f.suffixes[0] != f.suffixes[1]);
  CHECK(f.prefixes[3] == 0);
  CHECK(f.suffixes[3] == 0);
  // Too long to be a word that anybody knows.
  const std::string name(1000, 'q');
  const seen l(name);
  CHECK(l.word(name) == word_id::unknown);
  CHECK(l.all().prefixes[0] == 0);
}

TEST_CASE("tools") {
  const seen s("call list_users team \"x\" then get user , then list_users");
  CHECK(s.is("list_users", f_tool));
  CHECK(s.is("list_users", f_exact_tool));
  CHECK_FALSE(s.is("get user", f_exact_tool));
  CHECK(s.is("list_users", f_returns_array));
  CHECK_FALSE(s.is("get user", f_returns_array));
  CHECK(s.is("list_users", f_tool_after));
  CHECK_FALSE(s.is("list_users", f_tool_before));
  CHECK(s.is("list_users", f_tool_before, 1));
  CHECK(s.is("list_users", f_required_named));
  CHECK(s.is("get user", f_required_missing));
  CHECK_FALSE(s.is("list_users", f_segment_missing));
  CHECK(s.is("list_users", f_segment_missing, 1));
  CHECK(s.is("list_users", f_value_in_segment));
  CHECK(s.is("call", f_no_tool_yet));
  CHECK_FALSE(s.is("then", f_no_tool_yet));
  CHECK(seen("ping").is("ping", f_no_parameters));
  CHECK(seen("ping").is("ping", f_one_tool));
  CHECK(seen("list_users").is("list_users", f_one_array_tool));
}

TEST_CASE("arguments belong to tools on the left and right") {
  const seen s("team get_user id 5 list_users id team=\"x\"");
  CHECK_FALSE(s.is("team", f_of_left));
  CHECK_FALSE(s.is("team", f_of_right));
  CHECK(s.is("team", f_of_any));
  CHECK(s.is("team", f_named_after));
  CHECK(s.is("id", f_of_left));
  CHECK(s.is("id", f_required_by_left));
  CHECK(s.is("id", f_left_number));
  CHECK(s.is("id", f_value_follows));
  CHECK(s.is("id", f_property));
  CHECK_FALSE(s.is("id", f_of_left, 1));
  CHECK(s.is("team", f_of_left, 1));
  CHECK(s.is("team", f_left_string, 1));
  CHECK(s.is("team", f_value_follows, 1));  // behind the sign
  CHECK(s.is("team", f_named_before, 1));
  CHECK(s.is("id", f_declared_left, 1));
}

TEST_CASE("values and the arguments that they fit") {
  const seen s("list_users team \"x\" active 5 \"x\" \"ping\" -1");
  CHECK(s.is("\"x\"", f_string));
  CHECK(s.is("\"x\"", f_left_fits_left));
  CHECK(s.is("\"x\"", f_value_after));
  CHECK(s.is("\"x\"", f_value_before, 1));
  CHECK(s.is("5", f_number));
  CHECK(s.is("5", f_left_fits_none));
  CHECK(s.is("5", f_type_nowhere));
  CHECK(s.is("5", f_limit_range));
  CHECK(s.is("-1", f_negative_or_fraction));
  CHECK_FALSE(s.is("-1", f_limit_range));
  CHECK(s.is("\"ping\"", f_string_is_tool));
  CHECK_FALSE(s.is("\"x\"", f_string_is_tool));
}

TEST_CASE("layout: lines, sentences, brackets, marks of a list, glue") {
  const seen s("1. ping({x}) now!\n2) Go --team [five] \xE2\x80\x9C'");
  CHECK(s.is("1", f_list_mark));
  CHECK(s.is("2", f_list_mark));
  CHECK(s.is("1", f_line_start));
  CHECK(s.is("2", f_line_start));
  CHECK_FALSE(s.is("now", f_line_start));
  CHECK(s.is("2", f_sentence_start));
  CHECK(s.is("ping", f_call_syntax));
  CHECK(s.is("x", f_in_parentheses));
  CHECK(s.is("x", f_in_braces));
  CHECK_FALSE(s.is("now", f_in_parentheses));
  CHECK(s.is("five", f_in_brackets));
  CHECK(s.is("five", f_number_word));
  CHECK(s.is("team", f_flag));
  CHECK(s.is("Go", f_capital));
  CHECK(s.is("\xE2\x80\x9C", f_curly_quote));
  CHECK(s.is("'", f_single_quote));
  CHECK_FALSE(seen("ping 5 times").is("5", f_list_mark));
}

TEST_CASE("words that are a name but for a final s") {
  const seen s("names teams nam");
  CHECK(s.is("names", f_near_property));
  CHECK(s.is("teams", f_near_parameter));
  CHECK_FALSE(s.is("nam", f_near_property));
  fixture::tools t;
  t.add("q", {{"tags", value_type::string, false}});
  CHECK(seen("tag", t).is("tag", f_near_parameter));
}

TEST_CASE("closing brackets that were never opened, and deep ones") {
  const seen s(")))]]]}}} x ((((((( y");
  CHECK_FALSE(s.is("x", f_in_parentheses));
  CHECK(s.is("y", f_in_parentheses));
}

TEST_CASE("every feature of every text is a small number, and twice the same") {
  std::mt19937 random{3};
  const std::vector<std::string> words{"list_users", "get user", "ping", "team", "id", "name", "\"x\"", "5", "-0.5", "1e9", "true",
                                       "five", "5pm", "(", ")", "{", "]", ".", "\n", "then", "teams", "\xF0\x9F\x98\x80", "--", "="};
  for (int round = 0; round < 300; ++round) {
    std::string text;
    for (std::size_t n = random() % 60; n > 0; --n) text += words[random() % words.size()] + " ";
    const seen first(text);
    const seen second(text);
    std::size_t bad = 0;
    for (std::size_t k = 0; k < first.count(); ++k) {
      for (std::size_t f = 0; f < codemode::feature_count; ++f) {
        const float x = first.all().row(k)[f];
        bad += !(x >= 0 && x <= 3) || x != second.all().row(k)[f] || (f >= f_end && x != 0) ? 1U : 0U;
      }
      bad += first.all().prefixes[k] >= codemode::letter_rows || first.all().suffixes[k] >= codemode::letter_rows ? 1U : 0U;
    }
    CHECK_MESSAGE(bad == 0, text);
  }
}

}  // namespace
