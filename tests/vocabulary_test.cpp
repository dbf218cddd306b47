// Words to ids.

#include <codemode/frontend/features.hpp>
#include <codemode/frontend/vocabulary.hpp>
#include <codemode/network/default_weights.hpp>

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

using codemode::vocabulary;

TEST_CASE("an empty vocabulary knows nothing") {
  const vocabulary none;
  CHECK(none.count() == 0);
  CHECK(none.find("call") == vocabulary::unknown);
  const vocabulary built(std::vector<std::string>{});
  CHECK(built.count() == 0);
  CHECK(built.find("") == vocabulary::unknown);
}

TEST_CASE("ids follow the order of the words") {
  const vocabulary v(std::vector<std::string>{"call", "then", "don't", "\xC3\xA4nderung", ","});
  CHECK(v.count() == 5);
  CHECK(v.find("call") == vocabulary::first_id);
  CHECK(v.find("then") == vocabulary::first_id + 1);
  CHECK(v.find("don't") == vocabulary::first_id + 2);
  CHECK(v.find("\xC3\xA4nderung") == vocabulary::first_id + 3);
  CHECK(v.find(",") == vocabulary::first_id + 4);
  CHECK(v.word(3) == "\xC3\xA4nderung");
  for (const auto* other : {"", "cal", "calls", "Call", "an"}) CHECK(v.find(other) == vocabulary::unknown);
}

TEST_CASE("every word of a large vocabulary is found, and no other") {
  std::vector<std::string> words;
  for (int i = 0; i < 20000; ++i) words.push_back("w" + std::to_string(i));
  const vocabulary v(words);
  REQUIRE(v.count() == words.size());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    wrong += v.find(words[i]) != vocabulary::first_id + i ? 1U : 0U;
    wrong += v.find(words[i] + "x") != vocabulary::unknown ? 1U : 0U;
  }
  CHECK(wrong == 0);
}

TEST_CASE("the ids of kinds of tokens are below those of words") {
  CHECK(static_cast<std::uint16_t>(codemode::word_id::malformed_number) < vocabulary::first_id);
  CHECK(static_cast<std::uint16_t>(codemode::word_id::unknown) == vocabulary::unknown);
}

TEST_CASE("the shipped words are folded, distinct, and found") {
  const vocabulary& v = codemode::default_weights().words();
  REQUIRE(v.count() > 500);
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < v.count(); ++i) {
    const auto w = v.word(i);
    CAPTURE(w);
    CHECK(seen.insert(w).second);
    CHECK(v.find(w) == vocabulary::first_id + i);
    std::array<char, 256> buffer;
    CHECK(codemode::detail::fold_into(w, buffer) == w);
  }
  for (const auto* w : {"call", "then", "and", "with"}) CHECK(v.find(w) != vocabulary::unknown);
}
