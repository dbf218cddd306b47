// Any bytes as a catalog: parse, borrow and assign agree, and what is accepted keeps the contract.

#include "check.hpp"

#include <codemode/catalog.hpp>
#include <codemode/text/unicode.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string_view>

namespace {

void check_contract(const codemode::catalog& c) {
  using fuzz::check;
  check(c.size() >= 1 && c.size() <= codemode::max_tools);
  std::set<std::string_view> names;
  for (const codemode::tool& t : c) {
    check(codemode::text::is_identifier(t.name) && names.insert(t.name).second);
    check(c.find(t.name) == &t && c.names().find_exact(t.name) >= 0);
    check(t.parameters.size() <= codemode::max_arguments);
    std::set<std::string_view> arguments;
    for (const codemode::parameter& p : t.parameters) {
      check(!p.name.empty() && codemode::text::is_valid_utf8(p.name) && arguments.insert(p.name).second);
      check(c.names().find_exact(p.name) >= 0);
    }
    check(t.returns != codemode::return_kind::text || t.properties.empty());
    std::set<std::string_view> properties;
    for (const std::string_view p : t.properties)
      check(!p.empty() && codemode::text::is_valid_utf8(p) && properties.insert(p).second);
  }
}

bool same(const codemode::catalog& a, const codemode::catalog& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const codemode::tool& x = a[i];
    const codemode::tool& y = b[i];
    if (x.name != y.name || x.returns != y.returns || x.parameters.size() != y.parameters.size())
      return false;
    for (std::size_t k = 0; k < x.parameters.size(); ++k) {
      const codemode::parameter& p = x.parameters[k];
      const codemode::parameter& q = y.parameters[k];
      if (p.name != q.name || p.type != q.type || p.required != q.required) return false;
    }
    if (!std::equal(x.properties.begin(), x.properties.end(), y.properties.begin(), y.properties.end()))
      return false;
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::input in(data, size);
  static codemode::json::reader reader;
  static codemode::catalog reused;

  const auto bad = reused.assign(in.text(), reader);
  const auto owned = codemode::catalog::parse(in.text());
  const auto borrowed = codemode::catalog::borrow(in.text());
  fuzz::check(owned.has_value() != bad.has_value() && borrowed.has_value() != bad.has_value());
  if (bad) {
    fuzz::check(bad->code == codemode::errc::invalid_json || bad->code == codemode::errc::invalid_catalog);
    fuzz::check_refusal(*bad, in.text());
    fuzz::check(fuzz::same(*bad, owned.error()) && fuzz::same(*bad, borrowed.error()) && reused.empty());
    return 0;
  }
  check_contract(*owned);
  fuzz::check(same(*owned, *borrowed) && same(*owned, reused));
  reused.clear();  // it borrows the input
  return 0;
}
