// Any bytes as a value of every type of the agent contract: what is read is written, read again and written the same;
// text forms never let control characters through.

#include "check.hpp"

#include <codemode/contract/json.hpp>
#include <codemode/contract/read.hpp>
#include <codemode/contract/render.hpp>
#include <codemode/json/reader.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace {

namespace contract = codemode::contract;

/// No control character but line feeds and the tabs of lists, no direction mark.
void check_clean(std::string_view text, bool tabs) {
  fuzz::check(codemode::text::is_valid_utf8(text));
  for (std::size_t i = 0; i < text.size();) {
    const auto d = codemode::text::decode(text.substr(i));
    const char32_t c = d.code_point;
    if (c != U'\n' && !(tabs && c == U'\t')) fuzz::check(!contract::detail::is_unsafe_in_text(c));
    i += d.size;
  }
}

template <class T>
void run(const codemode::json::element& root) {
  using fuzz::check;
  const auto value = contract::read<T>(root);
  if (!value) return check(value.error().begin <= value.error().end);
  std::string once;
  contract::write_json(*value, once);
  check(contract::json_size(*value) == once.size());
  codemode::json::reader reader;
  const auto document = reader.read(once);
  check(document.has_value());
  const auto again = contract::read<T>(document->root());
  check(again.has_value());
  std::string twice;
  contract::write_json(*again, twice);
  check(once == twice);
  std::string indented;
  contract::write_indented_json(*value, indented);
  check(reader.read(indented).has_value());
  if constexpr (contract::renderable<T>)
    for (const std::string_view format : {contract::format_human, contract::format_concise}) {
      std::string text;
      contract::render(*value, format, text);
      check_clean(text, std::is_same_v<T, contract::list_result>);
    }
}

template <class... T>
void run_all(const codemode::json::element& root, contract::type_list<T...>) {
  (run<T>(root), ...);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::input in(data, size);
  static codemode::json::reader reader;
  const auto document = reader.read(in.text());
  if (document) run_all(document->root(), contract::wire_types{});
  return 0;
}
