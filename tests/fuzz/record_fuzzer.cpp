// Any bytes as an input line: a reused record answers as a fresh one does, and what it accepts is text.

#include "check.hpp"

#include <codemode/record.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using codemode::errc;
  using fuzz::check;
  const fuzz::input in(data, size);
  static codemode::record reused;
  const auto bad = reused.assign(in.text());
  codemode::record fresh;
  const auto again = fresh.assign(in.text());

  check(bad.has_value() == again.has_value());
  check(reused.id() == fresh.id() && reused.instruction() == fresh.instruction());
  check(reused.tools().size() == fresh.tools().size());
  if (!reused.id().empty()) {
    // What is echoed is JSON: it can stand in an answer line.
    codemode::json::reader reader;
    const auto id = reader.read(reused.id());
    check(id.has_value());
    check(id->root().is_string() || id->root().kind() == codemode::json::kind::number);
  }
  if (bad) {
    check(bad->code == errc::invalid_json || bad->code == errc::invalid_record ||
          bad->code == errc::invalid_catalog || bad->code == errc::bad_string);
    fuzz::check_refusal(*bad, in.text());
    check(fuzz::same(*bad, *again));
    check(reused.tools().empty() && reused.instruction().empty());
    return 0;
  }
  check(codemode::text::is_valid_utf8(reused.instruction()));
  check(reused.tools().size() >= 1 && reused.tools().size() <= codemode::max_tools);
  return 0;
}
