// The forward declarations are those of the types: including everything behind them compiles.

#include <codemode/fwd.hpp>

#include <codemode/codemode.hpp>

#include <doctest/doctest.h>

#include <type_traits>

namespace {

// A header of a program that only names the types.
codemode::planner* some_planner = nullptr;
const codemode::catalog* some_catalog = nullptr;
const codemode::plan* some_plan = nullptr;

TEST_CASE("forward declared types are the library's") {
  CHECK(some_planner == nullptr);
  CHECK(some_catalog == nullptr);
  CHECK(some_plan == nullptr);
  static_assert(std::is_class_v<codemode::planner> && sizeof(codemode::planner) > 0);
  static_assert(sizeof(codemode::catalog) > 0 && sizeof(codemode::record) > 0 && sizeof(codemode::owned_plan) > 0);
  static_assert(std::is_trivially_copyable_v<codemode::plan> && std::is_trivially_copyable_v<codemode::diagnostic>);
}

}  // namespace
