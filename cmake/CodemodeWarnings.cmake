# Warnings as errors for the project's own programs; users of codemode::codemode are left alone.
add_library(codemode_warnings INTERFACE)
target_compile_options(codemode_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror)

# What the library promises to do without. Not for test programs: doctest's REQUIRE throws.
add_library(codemode_no_exceptions INTERFACE)
target_compile_options(codemode_no_exceptions INTERFACE -fno-exceptions -fno-rtti)
