// Weights files: the embedded one is whole, and whatever is wrong with another is said.

#include <codemode/network/default_weights.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace codemode;

std::vector<std::byte> embedded() {
  return detail::decode_base85(detail::default_weights_text, detail::default_weights_size);
}

void seal(std::vector<std::byte>& b) {
  const auto crc = detail::crc32(std::span(b).first(b.size() - 4));
  for (std::size_t i = 0; i < 4; ++i) b[b.size() - 4 + i] = static_cast<std::byte>(crc >> (8 * i) & 0xFFU);
}
void put(std::vector<std::byte>& b, std::size_t at, std::uint32_t v) {
  for (std::size_t i = 0; i < 4; ++i) b[at + i] = static_cast<std::byte>(v >> (8 * i) & 0xFFU);
}
std::string fault(const std::vector<std::byte>& b) {
  const auto w = weights::parse(b);
  if (w) return "accepted";
  CHECK(w.error().code == errc::bad_weights);
  return std::string(w.error().what);
}

constexpr std::size_t version_at = 8, features_at = 12, channels_at = 16, layers_at = 60, words_at = 96,
                      coefficients_at = 100, calibration_at = 104;

TEST_CASE("the embedded weights are whole and calibrated") {
  const auto w = weights::parse(embedded());
  REQUIRE(w);
  CHECK(w->words().count() > 1000);
  CHECK(w->words().find("then") >= vocabulary::first_id);
  CHECK(w->words().find("no such word") == vocabulary::unknown);
  CHECK(w->calibration().size() == calibration_count);
  CHECK(default_weights().words().count() == w->words().count());
}

TEST_CASE("CRC-32 is the common one") {
  const std::string s = "123456789";
  CHECK(detail::crc32(std::as_bytes(std::span(s.data(), s.size()))) == 0xCBF43926U);
}

TEST_CASE("truncated at any length") {
  const auto whole = embedded();
  std::mt19937 rng(1);
  std::vector<std::size_t> lengths{0, 1, 7, 8, 11, 12, 63, 64, 100, whole.size() - 5, whole.size() - 4, whole.size() - 1};
  for (int i = 0; i < 20; ++i) lengths.push_back(std::uniform_int_distribution<std::size_t>(0, whole.size() - 1)(rng));
  for (const auto n : lengths) {
    CAPTURE(n);
    auto b = whole;
    b.resize(n);
    CHECK(fault(b) != "accepted");
    if (n >= 68) {  // also with a checksum that fits
      seal(b);
      CHECK(fault(b) != "accepted");
    }
  }
}

TEST_CASE("one damaged byte anywhere") {
  const auto whole = embedded();
  std::mt19937 rng(2);
  for (int i = 0; i < 40; ++i) {
    auto b = whole;
    const auto at = std::uniform_int_distribution<std::size_t>(0, b.size() - 1)(rng);
    b[at] ^= static_cast<std::byte>(1U << std::uniform_int_distribution<unsigned>(0, 7)(rng));
    CAPTURE(at);
    CHECK(fault(b) != "accepted");
  }
}

TEST_CASE("foreign, other version, other shape, other features, uncalibrated, not finite, too long") {
  const auto whole = embedded();
  const auto changed = [&](std::size_t at, std::uint32_t v) {
    auto b = whole;
    put(b, at, v);
    seal(b);
    return fault(b);
  };
  auto b = whole;
  b[0] = std::byte{'X'};
  CHECK(fault(b) == "these are no weights of codemode");
  CHECK(changed(version_at, 2) == "the weights have another format version");
  CHECK(changed(features_at, 99) == "the weights were trained on another set of features");
  CHECK(changed(channels_at, 64) == "the weights have another shape");
  CHECK(changed(layers_at, 7) == "the weights have another shape");
  CHECK(changed(layers_at + 4, 3) == "the weights have another shape");
  CHECK(changed(words_at, 60001) == "the vocabulary is too large");
  CHECK(changed(coefficients_at, 0) == "the weights are not calibrated");
  CHECK(changed(calibration_at, 0x7F80'0000) == "the weights hold a number that is not finite");
  b = whole;
  for (std::size_t i = 0; i < calibration_count; ++i) put(b, calibration_at + 4 * i, 0);
  seal(b);
  CHECK(fault(b) == "the weights are not calibrated");
  b = whole;
  put(b, b.size() - 8, 0x7FC0'0000);  // the last bias
  seal(b);
  CHECK(fault(b) == "the weights hold a number that is not finite");
  b = whole;
  b.insert(b.end() - 4, std::byte{0});
  seal(b);
  CHECK(fault(b) == "the weights have bytes to spare");
}

}  // namespace
