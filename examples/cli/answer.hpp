#pragma once

#include "explain.hpp"

#include <codemode/diagnostic.hpp>
#include <codemode/javascript.hpp>
#include <codemode/plan_json.hpp>
#include <codemode/planner.hpp>
#include <codemode/record.hpp>
#include <codemode/text/json_text.hpp>
#include <codemode/weights.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace cli {

/// What `codemode plan` was asked to do.
struct plan_settings {
  bool javascript = false;
  codemode::javascript_options javascript_style{};
  codemode::plan_options planning{};
  explain_form explain = explain_form::none;
  bool colour = false;                         ///< of the explanations
  const codemode::weights* weights = nullptr;  ///< null for those of the library
};

/// The answer to one line, without its line end, and the explanation for people.
struct answer {
  std::string line;
  std::string explanation;

  /// Forgets the text; keeps little memory, so that one long line does not stay for ever.
  void clear() {
    for (std::string* text : {&line, &explanation}) {
      if (text->capacity() > 65536) std::string{}.swap(*text);
      text->clear();
    }
  }
};

/// Answers lines, one after another. One for each thread.
class answerer {
 public:
  explicit answerer(const plan_settings& settings)
      : settings_(settings),
        planner_(settings.weights ? codemode::planner{*settings.weights} : codemode::planner{}) {}

  /// Answers `line`, which is the file's line `number`.
  void operator()(std::string_view line, std::size_t number, answer& to) {
    to.clear();
    to.line = "{";
    if (const auto bad = record_.assign(line)) {
      begin(to.line);
      reject(*bad, to.line);
    } else {
      begin(to.line);
      const auto plan = planner_.plan(record_.instruction(), record_.tools(), settings_.planning);
      if (plan) accept(*plan, to.line);
      else reject(plan.error(), to.line);
      if (settings_.explain == explain_form::json) {
        to.line += ",\"explain\":";
        explain_json(planner_.explain(), to.line);
      } else if (settings_.explain == explain_form::text) {
        explain_text(planner_.explain(), number, record_.id(), settings_.colour, to.explanation);
      }
    }
    to.line += "}\n";
  }

 private:
  void begin(std::string& line) const {
    if (record_.id().empty()) return;
    line += "\"id\":";
    line += record_.id();
    line += ',';
  }

  void accept(const codemode::plan& plan, std::string& line) {
    line += "\"plan\":";
    codemode::write_json(plan, line);
    if (!settings_.javascript) return;
    script_.clear();
    codemode::write_javascript(plan, script_, settings_.javascript_style);
    line += ",\"js\":";
    codemode::text::append_json_string(line, script_);
  }

  void reject(const codemode::diagnostic& reason, std::string& line) {
    message_.clear();
    codemode::write_message(reason, message_);
    line += "\"diagnostic\":";
    codemode::text::append_json_string(line, message_);
    line += ",\"code\":\"";
    line += to_string(reason.code);
    line += '"';
  }

  const plan_settings& settings_;
  codemode::record record_;
  codemode::planner planner_;
  std::string script_;
  std::string message_;
};

}  // namespace cli
