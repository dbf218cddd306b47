#pragma once

#include <codemode/planner.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace cli {

enum class explain_form : unsigned char { none, text, json };

/// A table for people: the tokens with their roles, links and probabilities, then what the whole instruction
/// looks like. `line` counts from 1; `id` is the record's, or empty.
void explain_text(const codemode::explanation& e, std::size_t line, std::string_view id, bool colour,
                  std::string& to);

/// The same as one JSON object.
void explain_json(const codemode::explanation& e, std::string& to);

}  // namespace cli
