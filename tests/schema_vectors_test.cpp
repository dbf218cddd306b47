// The golden vectors of the schema specification through the answers of `codemode schema`. All of them where the shared
// folder is beside the repository, else the part that is in tests/data.

#include "../examples/cli/schema_answers.hpp"

#include <codemode/json/value.hpp>

#include <doctest/doctest.h>

#include <fstream>
#include <string>
#include <string_view>

namespace {

namespace json = codemode::json;
using json::element;

std::string folder() {
  const std::string shared = std::string{CODEMODE_TEST_DATA} + "/../../../shared/vectors/schema/";
  if (std::ifstream{shared + "emit.jsonl"}) return shared;
  return std::string{CODEMODE_TEST_DATA} + "/schema/";
}

bool same_member(const element& a, std::string_view name, const element& b, std::string_view other) {
  const auto x = a.find(name);
  const auto y = b.find(other);
  if (!x || !y) return !x && !y;
  return json::same(*x, *y);
}

bool is_true(const element& object, std::string_view name, bool otherwise = false) {
  const auto v = object.find(name);
  return v ? v->is_true() : otherwise;
}

std::string kind_of(const element& answer) {
  std::string kind;
  if (const auto e = answer.find("error"))
    if (const auto k = e->is_object() ? e->find("kind") : std::nullopt) k->decode(kind);
  return kind;
}

bool right_emission(const element& want, const element& got) {
  if (want.find("sendable") && !same_member(want, "sendable", got, "sendable")) return false;
  if (want.find("error")) return kind_of(got) == kind_of(want) && !got.find("schema");
  return !got.find("error") && same_member(want, "expected", got, "schema") && same_member(want, "losses", got, "losses");
}

bool right_decoding(const element& want, const element& got) {
  if (!same_member(want, "expected", got, "value") || is_true(want, "valid", true) != is_true(got, "valid")) return false;
  const auto error = want.find("error");
  if (!error) return got.find("errors")->size() == 0;
  for (const element e : got.find("errors")->items())
    for (const element path : error->find("paths")->items())
      if (json::same(*e.find("path"), path)) return true;
  return false;
}

bool right_counts(const element& want, const element& got) {
  for (const json::member m : want.find("expected")->members()) {
    std::string name;
    m.key.decode(name);
    const auto mine = got.find("features")->find(name);
    if (!mine || !json::same(*mine, m.value)) return false;
  }
  for (const std::string_view part : {"sizeProblems", "sent"})
    if (const auto all = want.find(part))
      for (const json::member m : all->members()) {
        std::string name;
        m.key.decode(name);
        if (!json::same(*got.find(part)->find(name), m.value)) return false;
      }
  return true;
}

bool right_parse(const element& want, const element& got) {
  if (!same_member(want, "repair", got, "repair")) return false;
  const auto error = want.find("error");
  if (!error) return same_member(want, "expected", got, "value");
  return kind_of(want) == kind_of(got) && (!error->find("fields") || same_member(*error, "fields", *got.find("error"), "fields"));
}

bool right_budget(const element& want, const element& got) {
  auto id = got.find("descriptors")->items().begin();
  auto why = got.find("reasons")->items().begin();
  for (const element step : want.find("steps")->items()) {
    if (!json::same(*step.find("expected"), *id) || !json::same(*step.find("reason"), *why)) return false;
    ++id;
    ++why;
  }
  return same_member(want, "remaining", got, "remaining");
}

bool right_codes(const element& want, const element& got) {
  const auto problems = got.find("problems");
  if (problems->size() != want.find("expected")->size()) return false;
  auto mine = problems->items().begin();
  for (const element code : want.find("expected")->items()) {
    if (!json::same(*(*mine).find("code"), code)) return false;
    ++mine;
  }
  return true;
}

bool right(std::string_view verb, const element& want, const element& got) {
  if (verb == "emit") return right_emission(want, got);
  if (verb == "decode") return right_decoding(want, got);
  if (verb == "analyze") return right_counts(want, got);
  if (verb == "parse") return right_parse(want, got);
  if (verb == "budget") return right_budget(want, got);
  if (verb == "consistency") return right_codes(want, got);
  if (verb == "lint") return same_member(want, "expected", got, "findings");
  if (!same_member(want, "expected", got, "expressible")) return false;
  const auto reasons = want.find("reasons");
  return reasons ? json::same(*reasons, *got.find("reasons")) : got.find("reasons")->size() == 0;
}

}  // namespace

TEST_CASE("golden vectors") {
  cli::schema_answers answers;
  json::reader cases;
  json::reader replies;
  for (const std::string_view verb : {"emit", "decode", "analyze", "express", "budget", "parse", "consistency", "lint"}) {
    std::ifstream file{folder() + std::string{verb} + ".jsonl"};
    REQUIRE(file);
    unsigned total = 0;
    unsigned good = 0;
    std::string reply;
    for (std::string line; std::getline(file, line);) {
      const auto want = cases.read(line);
      REQUIRE(want.has_value());
      reply.clear();
      answers.answer(verb, line, reply);
      const auto got = replies.read(reply);
      REQUIRE_MESSAGE(got.has_value(), reply);
      ++total;
      const bool is_right = right(verb, want->root(), got->root());
      good += is_right ? 1U : 0U;
      CHECK_MESSAGE(is_right, verb, " ", line.substr(0, 200), "\n", reply.substr(0, 600));
    }
    MESSAGE(verb, ": ", good, " of ", total);
    CHECK(total > 10);
  }
}
