#pragma once

/// @file
/// Everything. Programs that want less to compile include the header of what they use: planner.hpp for
/// plans, javascript.hpp for their JavaScript, plan.hpp alone for the types.

#include <codemode/config.hpp>
#include <codemode/plan.hpp>
#include <codemode/result.hpp>
#include <codemode/text/sink.hpp>
