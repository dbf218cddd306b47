// codemode find: which tool fits a query.

#include "arguments.hpp"
#include "command.hpp"
#include "jsonl.hpp"
#include "tool_files.hpp"

#include <codemode/contract/find.hpp>
#include <codemode/contract/json.hpp>
#include <codemode/contract/render.hpp>

#include <array>
#include <charconv>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace cli {
namespace {

namespace contract = codemode::contract;
using codemode::json::element;

constexpr std::string_view help =
    R"(usage: codemode find [FILE]
       codemode find --catalog DIR [--format human|concise|json] QUERY

Without --catalog: reads lines {"id","catalog","index","query","options","semantic"} from FILE or standard input and
answers {"id", ...FindResult}. "catalog" is a file {"servers":[{"id","status","tools"}]}.

With --catalog: looks for QUERY in the tools of DIR/*.json, one server a file with {"tools":[...]}, and prints the
human form.
)";

struct loaded {
  contract::tool_catalog catalog;
  std::unique_ptr<contract::tool_index> index;
};

/// Catalog files that were read, by path and kind of index.
class catalogs {
 public:
  loaded* get(const std::string& path, bool production) {
    auto& slot = files_[{path, production}];
    if (!slot) {
      auto made = std::make_unique<loaded>();
      if (!read_catalog(path.c_str(), production, made->catalog)) return nullptr;
      made->index = std::make_unique<contract::tool_index>(made->catalog);
      slot = std::move(made);
    }
    return slot.get();
  }

 private:
  std::map<std::pair<std::string, bool>, std::unique_ptr<loaded>> files_;
};

std::int64_t integer_of(const element& object, std::string_view name, std::int64_t otherwise) {
  const auto found = member_of(object, name);
  if (!found || found->kind() != codemode::json::kind::number) return otherwise;
  std::int64_t n = otherwise;
  const std::string_view raw = found->raw();
  std::from_chars(raw.data(), raw.data() + raw.size(), n);
  return n;
}

contract::semantic_answer semantic_of(const element& line) {
  contract::semantic_answer answer;
  const auto given = member_of(line, "semantic");
  if (!given) return answer;
  if (given->is_string()) {
    if (!given->equals("unavailable")) answer.is = contract::semantic_answer::state::failed;
    return answer;
  }
  if (!given->is_array()) return answer;
  answer.is = contract::semantic_answer::state::hits;
  for (const element item : given->items()) {
    contract::semantic_hit hit;
    hit.tool_ref = string_of(item, "toolRef");
    if (const auto score = member_of(item, "score")) {
      const std::string_view raw = score->raw();
      std::from_chars(raw.data(), raw.data() + raw.size(), hit.score);
    }
    answer.hits.push_back(std::move(hit));
  }
  return answer;
}

/// Appends the members of a value after those that are there.
template <class T>
void append_members(std::string& reply, const T& value) {
  std::string text;
  contract::write_json(value, text);
  reply += ',';
  reply.append(text, 1, text.size() - 2);
}

exit_code answer_queries(const char* path) {
  catalogs files;
  contract::search::workspace work;
  return answer_lines(path, [&](const element& line, std::string& reply) {
    loaded* const found = files.get(string_of(line, "catalog"), string_of(line, "index") == "production");
    if (found == nullptr) {
      reply += ",\"error\":\"the catalog cannot be read\"";
      return;
    }
    contract::find_options options;
    if (const auto given = member_of(line, "options")) {
      options.max_results = integer_of(*given, "maxResults", options.max_results);
      options.include_full_schemas = is_true(*given, "includeFullSchemas");
      if (member_of(*given, "ageSeconds")) options.catalog_age_seconds = integer_of(*given, "ageSeconds", 0);
    }
    append_members(reply, contract::find_tool(*found->index, string_of(line, "query"), options, work, semantic_of(line)));
  });
}

}  // namespace

exit_code run_find(std::span<const std::string_view> arguments) {
  constexpr std::array options{option{"--catalog", option::value}, option{"--format", option::value}, option{"--help"},
                               option{"-h"}};
  std::string folder;
  std::string_view format = contract::format_human;
  std::string operand;
  bool has_operand = false;
  argument_reader reader{arguments, options};
  for (argument a = reader.next(); a.what != argument::end; a = reader.next()) {
    if (a.what == argument::known && a.name == "--catalog") {
      folder = a.text;
    } else if (a.what == argument::known && a.name == "--format" && contract::is_known_format(a.text)) {
      format = a.text;
    } else if (a.what == argument::known && (a.name == "--help" || a.name == "-h")) {
      output out{STDOUT_FILENO};
      out.append(help);
      out.flush();
      return exit_done;
    } else if (a.what == argument::operand && (!has_operand || !folder.empty())) {
      if (has_operand) operand += ' ';
      operand += a.text;
      has_operand = true;
    } else {
      output err{STDERR_FILENO};
      err.append(help);
      err.flush();
      return exit_usage;
    }
  }
  if (folder.empty()) return answer_queries(has_operand ? operand.c_str() : "-");
  contract::tool_catalog catalog;
  if (!read_folder(folder.c_str(), catalog)) return fail("cannot read tool lists from ", folder);
  const contract::tool_index index(catalog);
  std::string text;
  contract::write_output(contract::find_tool(index, operand), format, text);
  output out{STDOUT_FILENO};
  out.append(text);
  return out.close() ? exit_done : exit_failure;
}

}  // namespace cli
