// Any bytes from a downstream server or a client: configurations, tools as they are listed, arguments against schemas,
// results that are masked and cut.

#include "check.hpp"

#include "../../examples/mcp_server/configuration.hpp"
#include "../../examples/mcp_server/json_rpc.hpp"

#include <codemode/bridge/mcp_catalog.hpp>
#include <codemode/contract.hpp>
#include <codemode/json/reader.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace contract = codemode::contract;
  using fuzz::check;
  const fuzz::input in(data, size);
  const mcp::configuration configuration = mcp::read_configuration(in.text());
  for (const auto& s : configuration.servers) check(!s.config.id.empty() && s.config.id.find('.') == std::string::npos);

  codemode::json::reader reader;
  const auto document = reader.read(in.text());
  if (!document) {
    const contract::secret_list secrets({{"Authorization", std::string(in.text())}}, {});
    static_cast<void>(secrets.masked(in.text()));
    static_cast<void>(contract::redacted(in.text()));
    return 0;
  }
  const auto value = contract::open_value::from(document->root());
  if (!value) return 0;
  // The same text as a tool, as a schema, as arguments and as a result.
  const auto entry = contract::read_tool(document->root(), "s");
  if (entry) {
    const contract::tool_entry* const tools[]{&*entry};
    const auto made = codemode::bridge::to_planner_catalog(tools);
    if (!made.names.empty()) check(codemode::catalog::parse(made.json).has_value());
    static_cast<void>(contract::preview_of(entry->input_schema));
  }
  if (value->cursor().is_object()) {
    const contract::open_object object{*value};
    static_cast<void>(contract::argument_problems(object, object, {.depth = 64, .steps = 2000}));
    check(contract::hash_schema(object) == contract::hash_schema(object));
  }
  const contract::secret_list secrets({}, {{"KEY", "abcd"}, {"URL", "x://u:hunter22@h"}});
  std::size_t places = 0;
  contract::open_value masked = secrets.masked(*value, places);
  check(reader.read(masked.text()).has_value());
  const std::string notice = contract::fit_result(masked, 64);
  check(reader.read(masked.text()).has_value());
  if (!notice.empty()) check(masked.text().size() <= 64 * 6 + 2);
  static_cast<void>(contract::summarize_result("tool", masked));
  // Messages that hold it are JSON again.
  check(reader.read(mcp::response("1", value->text())).has_value());
  check(reader.read(mcp::error_response("1", mcp::parse_error, in.text())).has_value());
  return 0;
}
