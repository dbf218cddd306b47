# The interface target codemode::codemode. Debian's xsimd CMake target asks for a library that is not
# there (xsimd issue 869), so only xsimd's include directory is used.
find_package(simdjson REQUIRED)
find_path(CODEMODE_XSIMD_INCLUDE_DIR xsimd/xsimd.hpp REQUIRED
          DOC "Folder that holds xsimd/xsimd.hpp")

add_library(codemode INTERFACE)
add_library(codemode::codemode ALIAS codemode)
target_compile_features(codemode INTERFACE cxx_std_20)
target_include_directories(codemode INTERFACE
  $<BUILD_INTERFACE:${CMAKE_CURRENT_LIST_DIR}/../include>
  $<INSTALL_INTERFACE:include>)
target_link_libraries(codemode INTERFACE simdjson::simdjson)
if(NOT CODEMODE_XSIMD_INCLUDE_DIR STREQUAL "/usr/include")
  target_include_directories(codemode SYSTEM INTERFACE $<BUILD_INTERFACE:${CODEMODE_XSIMD_INCLUDE_DIR}>)
endif()
