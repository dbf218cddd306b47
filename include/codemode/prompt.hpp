#pragma once

/// @file
/// The prompt loop's front door: prompts, tools and agents over a model that the host calls.
///
///     namespace cp = codemode::prompt;
///     auto weather = cp::make_tool<>({.name = "weather", .description = "Weather of a city", .schema = schema,
///                                     .call = [](const auto& args, const auto&) { ... }});
///     cp::prompt<> ask{{.name = "ask", .content = "You help {{user}}.", .tools = {weather}}};
///     cp::context<> host;
///     host.execute = [&](cp::request& r, const auto&, const auto&, const std::stop_token& stop) { ... };
///     host.messages = cp::conversation({cp::make_message(cp::role::user, "Will it rain?")});
///     cp::outcome o = ask.run(host);

#include <codemode/prompt/agent.hpp>
#include <codemode/prompt/component.hpp>
#include <codemode/prompt/context.hpp>
#include <codemode/prompt/error.hpp>
#include <codemode/prompt/event.hpp>
#include <codemode/prompt/executor.hpp>
#include <codemode/prompt/json_schema.hpp>
#include <codemode/prompt/message.hpp>
#include <codemode/prompt/prompt.hpp>
#include <codemode/prompt/request.hpp>
#include <codemode/prompt/run_types.hpp>
#include <codemode/prompt/template.hpp>
#include <codemode/prompt/tool.hpp>
#include <codemode/prompt/usage.hpp>
#include <codemode/prompt/window.hpp>
