# The interface target codemode::codemode, the same name built and installed.
include(GNUInstallDirs)

# GLOBAL: whoever adds this project by add_subdirectory links the target from outside this folder.
# A simdjson that the surrounding project made itself is taken as it is.
if(NOT TARGET simdjson::simdjson)
  find_package(simdjson REQUIRED GLOBAL)
endif()

# Debian's xsimd CMake target asks for a library xtl that is not there (xsimd issue 869), so only
# xsimd's include directory is used, here and in codemodeConfig.cmake.
find_path(CODEMODE_XSIMD_INCLUDE_DIR xsimd/xsimd.hpp REQUIRED
          DOC "Folder that holds xsimd/xsimd.hpp")
mark_as_advanced(CODEMODE_XSIMD_INCLUDE_DIR)

add_library(codemode INTERFACE)
add_library(codemode::codemode ALIAS codemode)
target_compile_features(codemode INTERFACE cxx_std_20)
target_include_directories(codemode INTERFACE
  "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
  "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
target_link_libraries(codemode INTERFACE simdjson::simdjson)
if(NOT CODEMODE_DISPATCH)
  target_compile_definitions(codemode INTERFACE CODEMODE_NO_DISPATCH)
endif()

# A compiler's own folder must not be named again: that would change the order of its search.
if(NOT CODEMODE_XSIMD_INCLUDE_DIR IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
  target_include_directories(codemode SYSTEM INTERFACE
    "$<BUILD_INTERFACE:${CODEMODE_XSIMD_INCLUDE_DIR}>")
endif()
