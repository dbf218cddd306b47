#pragma once

#include <codemode/planner.hpp>

#include <string>

namespace cli {

enum class explain_form : unsigned char { none, text, json };

/// A table for people: tokens with their roles, links and probabilities.
void explain_text(const codemode::explanation& e, bool colour, std::string& to);

/// The same as one JSON object.
void explain_json(const codemode::explanation& e, std::string& to);

}  // namespace cli
