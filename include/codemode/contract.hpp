#pragma once

/// @file
/// The agent contract: what an agent is told, and which tool it finds.

#include <codemode/contract/cache.hpp>
#include <codemode/contract/call.hpp>
#include <codemode/contract/describe.hpp>
#include <codemode/contract/errors.hpp>
#include <codemode/contract/find.hpp>
#include <codemode/contract/json.hpp>
#include <codemode/contract/open_value.hpp>
#include <codemode/contract/quote.hpp>
#include <codemode/contract/read.hpp>
#include <codemode/contract/redact.hpp>
#include <codemode/contract/related.hpp>
#include <codemode/contract/render.hpp>
#include <codemode/contract/result_budget.hpp>
#include <codemode/contract/tool_catalog.hpp>
#include <codemode/contract/types.hpp>
#include <codemode/contract/validate.hpp>
#include <codemode/contract/wire_text.hpp>
