#pragma once

// The stages of the planner, one by one and as a whole, over the requests of data/requests.jsonl.

#include <codemode/catalog.hpp>
#include <codemode/javascript.hpp>
#include <codemode/plan_json.hpp>
#include <codemode/planner.hpp>
#include <codemode/record.hpp>

#include <array>
#include <cstddef>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

using namespace codemode;

/// The lines of `tokens` tokens: 12, 30 or 120, as the id says.
inline std::vector<std::string> request_lines(std::size_t tokens) {
  const std::string prefix = "{\"id\": \"" + std::to_string(tokens) + "-";
  std::ifstream in(CODEMODE_BENCHMARK_DATA "/requests.jsonl");
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(prefix)) lines.push_back(line);
  if (lines.empty()) throw std::runtime_error("no such requests in " CODEMODE_BENCHMARK_DATA "/requests.jsonl");
  return lines;
}

/// Requests that are read once and planned often.
struct requests {
  explicit requests(std::size_t tokens) : lines(request_lines(tokens)), records(lines.size()) {
    for (std::size_t i = 0; i < lines.size(); ++i)
      if (records[i].assign(lines[i])) throw std::runtime_error("no record: " + lines[i]);
  }
  requests(const requests&) = delete;  // the records point into the lines
  requests& operator=(const requests&) = delete;

  [[nodiscard]] std::size_t bytes() const {
    std::size_t sum = 0;
    for (const auto& line : lines) sum += line.size();
    return sum;
  }

  std::vector<std::string> lines;
  std::vector<record> records;
};

/// What a planner does, held open between the stages. The answers are checked once, before anything is measured.
class stages {
 public:
  explicit stages(std::size_t tokens)
      : in(tokens), work_(in.records.size()), buffer_(std::make_unique<std::array<char, 65536>>()) {
    for (std::size_t i = 0; i < work_.size(); ++i) {
      work_[i] = std::make_unique<work>();
      tokenize(i);
      if (work_[i]->tokens.count != tokens) throw std::runtime_error("another number of tokens: " + in.lines[i]);
      features(i);
      network_alone(i);
      decide(i);
      if (!work_[i]->answer) throw std::runtime_error("no plan: " + in.lines[i]);
    }
  }

  void read_record(std::size_t i) {
    if (reused_.assign(in.lines[i])) throw std::runtime_error("no record");
  }
  void read_catalog(std::size_t i) {
    if (catalog_.assign(tools_text(i), reader_)) throw std::runtime_error("no catalog");
  }
  void tokenize(std::size_t i) {
    const record& r = in.records[i];
    if (codemode::tokenize(r.instruction(), r.tools().tools(), r.tools().names(), work_[i]->tokens))
      throw std::runtime_error("no tokens");
  }
  void features(std::size_t i) {
    const record& r = in.records[i];
    work& w = *work_[i];
    write_features(r.instruction(), r.tools().tools(), r.tools().names(), w.tokens, default_weights().words(),
                   w.features);
  }
  void network_alone(std::size_t i) {
    work& w = *work_[i];
    w.output = net_.run({w.tokens.count, w.features.words.data(), w.features.prefixes.data(),
                         w.features.suffixes.data(), w.features.values.data(), feature_count},
                        w.network);
  }
  void decide(std::size_t i) {
    const record& r = in.records[i];
    work& w = *work_[i];
    detail::confidence_figures figures{};
    w.answer = detail::decide(r.instruction(), r.tools().tools(), r.tools().names(), w.tokens, w.output,
                              default_weights().calibration(), default_threshold, w.search, figures);
  }
  void plan_json(std::size_t i) { text_ = write_json(*work_[i]->answer, *buffer_); }
  void javascript(std::size_t i) { text_ = write_javascript(*work_[i]->answer, *buffer_); }

  /// Instruction to plan.
  void plan(std::size_t i) {
    const record& r = in.records[i];
    answer_ = planner_.plan(r.instruction(), r.tools());
  }
  /// Instruction to JavaScript.
  void plan_and_javascript(std::size_t i) {
    plan(i);
    text_ = write_javascript(*answer_, *buffer_);
  }
  /// A line of JSON with a catalog of its own to a plan as JSON.
  void line(std::size_t i) {
    read_record(i);
    answer_ = planner_.plan(reused_.instruction(), reused_.tools());
    text_ = write_json(*answer_, *buffer_);
  }

  requests in;

 private:
  struct work {
    token_list tokens{};
    // Rows of their own: in the network's buffer they would be overwritten by its first run.
    std::array<float, max_tokens * feature_count> rows{};
    token_features features{rows, {}, {}, {}};
    network_workspace<default_shape> network{};
    network_output<default_shape> output{network, default_weights().packed()};
    detail::search_workspace search{};
    result<codemode::plan> answer{diagnostic{}};
  };

  [[nodiscard]] std::string_view tools_text(std::size_t i) const {
    const std::string_view line = in.lines[i];
    const auto begin = line.find("\"tools\": ") + 9;
    return line.substr(begin, line.size() - 1 - begin);
  }

  std::vector<std::unique_ptr<work>> work_;
  std::unique_ptr<std::array<char, 65536>> buffer_;
  network<default_shape> net_{default_weights()};
  codemode::planner planner_;
  record reused_;
  json::reader reader_;
  catalog catalog_;
  // The last results are kept, so that nothing is left out as unused.
  result<codemode::plan> answer_{diagnostic{}};
  result<std::string_view> text_{std::string_view{}};
};

/// A stage by its name in the figures.
struct named_stage {
  const char* name;
  void (stages::*run)(std::size_t request);
};
inline constexpr std::array<named_stage, 8> stage_list{{{"record", &stages::read_record},
                                                        {"catalog", &stages::read_catalog},
                                                        {"tokenize", &stages::tokenize},
                                                        {"features", &stages::features},
                                                        {"network", &stages::network_alone},
                                                        {"decide", &stages::decide},
                                                        {"plan_json", &stages::plan_json},
                                                        {"javascript", &stages::javascript}}};
inline constexpr std::array<named_stage, 3> whole_list{{{"plan", &stages::plan},
                                                        {"plan_and_javascript", &stages::plan_and_javascript},
                                                        {"line", &stages::line}}};

}  // namespace bench
