#pragma once

/// @file
/// Everything. Programs that want less to compile include the header of what they use: planner.hpp for
/// plans, javascript.hpp for their JavaScript, plan.hpp alone for the types.

#include <codemode/bridge/mcp_catalog.hpp>
#include <codemode/bridge/planner_errors.hpp>
#include <codemode/call_style.hpp>
#include <codemode/catalog.hpp>
#include <codemode/config.hpp>
#include <codemode/contract.hpp>
#include <codemode/diagnostic.hpp>
#include <codemode/explanation.hpp>
#include <codemode/fwd.hpp>
#include <codemode/javascript.hpp>
#include <codemode/json/value.hpp>
#include <codemode/owned_plan.hpp>
#include <codemode/plan.hpp>
#include <codemode/plan_check.hpp>
#include <codemode/plan_json.hpp>
#include <codemode/planner.hpp>
#include <codemode/prompt.hpp>
#include <codemode/record.hpp>
#include <codemode/result.hpp>
#include <codemode/schema.hpp>
#include <codemode/text/sink.hpp>
#include <codemode/weights.hpp>
