#pragma once

/// @file
/// One tool schema, every provider's dialect.
///
///     auto tree = codemode::schema::read_schema(input_schema);                    // result<tree, import_error>
///     codemode::schema::workspace work;
///     auto sent = codemode::schema::emit<codemode::schema::openai_strict>(*tree, work);
///     std::string text;
///     sent.write(text);                                                           // what the provider gets
///     for (const auto& loss : sent.losses()) ...                                  // what it does not say
///
/// The way back is `wire_decoder` and `argument_parser`; `lint`, `sendable`, `can_express`, `analyze` and
/// `schema_budget` tell in advance.

#include <codemode/schema/analyze.hpp>
#include <codemode/schema/budget.hpp>
#include <codemode/schema/builder.hpp>
#include <codemode/schema/consistency.hpp>
#include <codemode/schema/descriptor.hpp>
#include <codemode/schema/descriptor_json.hpp>
#include <codemode/schema/dialects.hpp>
#include <codemode/schema/emit.hpp>
#include <codemode/schema/express.hpp>
#include <codemode/schema/import.hpp>
#include <codemode/schema/lint.hpp>
#include <codemode/schema/parse.hpp>
#include <codemode/schema/read.hpp>
#include <codemode/schema/reflect.hpp>
#include <codemode/schema/registry.hpp>
#include <codemode/schema/tool_list.hpp>
#include <codemode/schema/tools.hpp>
#include <codemode/schema/wire.hpp>
