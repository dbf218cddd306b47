# Warnings as errors for the project's own programs; users of the target are left alone.
add_library(codemode_warnings INTERFACE)
target_compile_options(codemode_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror)
