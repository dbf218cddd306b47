// Speed and size of the tool index, without a framework: prints one line a figure.
//
//     find [TOOLS [QUERIES]]        default 10000 tools, 2000 queries
//
// Tools are made of words in the proportions of real ones: some words are in every tenth tool, most are rare. The text
// of a catalog is what a server would send: names, titles, descriptions and schemas.

#include <codemode/contract/find.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace contract = codemode::contract;
using clock_type = std::chrono::steady_clock;

double microseconds(clock_type::duration d) { return std::chrono::duration<double, std::micro>(d).count(); }

class maker {
 public:
  std::string word() {
    // Zipf's law, roughly: the rank is a power of a uniform number.
    const double u = std::uniform_real_distribution<double>(0, 1)(random_);
    const auto rank = static_cast<std::size_t>(8000.0 * u * u * u);
    return rank < std::size(common_) ? std::string(common_[rank]) : spell(rank);
  }
  std::string words(int n, const char* join) {
    std::string s;
    for (int i = 0; i < n; ++i) s += (i > 0 ? join : "") + word();
    return s;
  }
  int between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

 private:
  static std::string spell(std::size_t rank) {
    static constexpr const char* syllables[]{"ba", "ker", "lo", "min", "sta", "tu", "ro", "ven", "di", "pla", "ca", "ner"};
    std::string s;
    for (std::size_t n = rank + 7; n > 0; n /= 12) s += syllables[n % 12];
    return s;
  }
  static constexpr const char* common_[]{"list", "get", "create", "update", "delete", "search", "issue", "file", "project", "user", "page", "message",
                                         "record", "table", "query", "branch", "repository", "channel", "board", "card", "comment", "event", "task", "item"};
  std::mt19937 random_{42};
};

}  // namespace

int main(int argc, char** argv) {
  const int tools = argc > 1 ? std::atoi(argv[1]) : 10'000;
  const int queries = argc > 2 ? std::atoi(argv[2]) : 2'000;
  maker make;
  contract::tool_catalog catalog;
  std::size_t text = 0;
  for (int server = 0; server * 40 < tools; ++server) {
    std::vector<contract::tool_entry> entries;
    const std::string id = make.word() + std::to_string(server);
    for (int i = 0; i < 40 && server * 40 + i < tools; ++i) {
      contract::tool_entry& e = entries.emplace_back();
      e.server_id = id;
      e.name = make.words(make.between(2, 3), "_") + std::to_string(i);
      e.tool_ref = e.server_id + "." + e.name;
      e.title = make.words(3, " ");
      e.description = make.words(make.between(8, 60), " ");
      contract::object_builder properties;
      for (int p = make.between(1, 6); p > 0; --p) {
        contract::object_builder property;
        property.set_string("type", "string").set_string("description", make.words(make.between(4, 12), " "));
        properties.set(make.word(), property.finish());
      }
      contract::object_builder schema;
      schema.set_string("type", "object").set("properties", properties.finish());
      e.input_schema = schema.finish();
      text += e.name.size() + e.title.size() + e.description.size() + e.input_schema.text().size();
    }
    catalog.set_server(id, contract::status_online, std::move(entries));
  }

  auto started = clock_type::now();
  const contract::tool_index index(catalog);
  const double build = microseconds(clock_type::now() - started);
  const double memory = static_cast<double>(index.memory());
  std::printf("tools                 %zu\n", catalog.size());
  std::printf("postings              %zu\n", index.index().posting_count());
  std::printf("index build           %.1f ms, %.1f us a tool, %.1f MB/s of text\n", build / 1000, build / tools, static_cast<double>(text) / build);
  std::printf("index memory          %.0f bytes a tool, %.2f of the catalog's text (%.0f bytes a tool)\n", memory / tools, memory / static_cast<double>(text),
              static_cast<double>(text) / tools);

  contract::search::workspace work;
  std::vector<double> rank;
  std::vector<double> answer;
  for (int i = 0; i < queries; ++i) {
    const std::string query = make.words(make.between(2, 7), " ");
    started = clock_type::now();
    index.rank(query, 8, work);
    rank.push_back(microseconds(clock_type::now() - started));
    started = clock_type::now();
    const auto r = contract::find_tool(index, query, {}, work);
    answer.push_back(microseconds(clock_type::now() - started));
    if (r.query.size() != query.size()) return 1;
  }
  for (auto* times : {&rank, &answer}) {
    std::sort(times->begin(), times->end());
    const auto at = [&](double share) { return (*times)[static_cast<std::size_t>(share * static_cast<double>(times->size() - 1))]; };
    std::printf("%s p50 %.1f us, p90 %.1f us, p99 %.1f us\n", times == &rank ? "ranking              " : "answer of findTool   ", at(0.5), at(0.9), at(0.99));
  }
  return 0;
}
