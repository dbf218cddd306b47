#pragma once

/// @file
/// Forward declarations of what programs name in their own headers. Costs next to nothing to include; do not
/// declare these types in another way.

#include <cstddef>
#include <cstdint>

namespace codemode {
inline namespace v0_1 {

enum class errc : std::uint8_t;
enum class mode : std::uint8_t;
enum class output_kind : std::uint8_t;
enum class return_kind : std::uint8_t;
enum class token_kind : std::uint8_t;
enum class token_role : std::uint8_t;
enum class value_type : std::uint8_t;

struct argument;
struct call;
struct diagnostic;
struct explanation;
struct output;
struct parameter;
struct plan;
struct plan_options;
struct token;
struct tool;

class buffer_sink;
class catalog;
class owned_plan;
class record;
class value;

template <class T, class E>
class result;

template <std::size_t Channels, std::size_t... Dilations>
struct network_shape;
/// The shape of the weights that ship with the library.
using default_shape = network_shape<96, 1, 2, 4, 8, 1, 2, 4, 1>;

template <class Shape>
class basic_planner;
using planner = basic_planner<default_shape>;

}  // namespace v0_1
}  // namespace codemode
