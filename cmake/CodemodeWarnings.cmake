# Warnings as errors for the project's own programs; users of codemode::codemode are left alone.
add_library(codemode_warnings INTERFACE)
target_compile_options(codemode_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror
  # GCC 12 takes "text" + std::string for an overlapping copy (GCC bug 105651).
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>)

# What the library promises to do without. Not for test programs: doctest's REQUIRE throws.
add_library(codemode_no_exceptions INTERFACE)
target_compile_options(codemode_no_exceptions INTERFACE -fno-exceptions -fno-rtti)
