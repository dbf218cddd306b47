// Any bytes as a query, and as the texts of a tool: a search ends, answers in its budget, in order, and the same again.

#include "check.hpp"

#include <codemode/contract/errors.hpp>
#include <codemode/contract/find.hpp>
#include <codemode/contract/json.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

namespace contract = codemode::contract;

contract::tool_entry make_tool(std::string_view server, std::string_view name, std::string_view description) {
  contract::tool_entry e;
  e.server_id = server;
  e.name = name;
  e.tool_ref = e.server_id + "." + e.name;
  e.title = description.substr(0, 20);
  e.description = description;
  return e;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using fuzz::check;
  const fuzz::input in(data, size);
  const std::string_view query = in.text();
  contract::tool_catalog catalog;
  catalog.set_server("git", contract::status_online,
                     {make_tool("git", "list_branches", "Lists the branches of a repository"), make_tool("git", "deleteBranch", "Deletes a branch"),
                      make_tool("git", "fuzzed", query), make_tool("git", std::string("n") + std::string(query.substr(0, 40)), "A tool with a fuzzed name")});
  catalog.set_server("mail", contract::status_offline, {make_tool("mail", "send_message", "Sends an email to somebody")});
  static const auto lexicon = std::make_shared<const contract::search::lexicon_map>();
  const contract::tool_index index(catalog, lexicon);
  contract::search::workspace work;
  index.rank(query, 5, work);
  for (std::size_t i = 0; i < work.hits.size(); ++i) {
    check(work.hits[i].tool < catalog.size());
    check(work.hits[i].coverage >= 0 && work.hits[i].coverage <= 1);
    if (i > 0) check(work.hits[i - 1].score >= work.hits[i].score);
  }
  const contract::find_result r = contract::find_tool(index, query, {}, work);
  check(contract::check_instruction(r) == contract::instruction_fault::none);
  check(contract::find_tool(index, query, {}, work) == r);
  check(r.candidates.size() <= 5 && r.alternatives.size() < 5);
  std::string text;
  contract::write_json(r, text);
  std::string echoed;
  contract::append_wire_content(echoed, query);
  check(text.size() <= 6000 + echoed.size());
  return 0;
}
