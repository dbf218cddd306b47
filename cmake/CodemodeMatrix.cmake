# A workflow preset of CMake 3.25 can only chain the steps of one configure preset. So the presets
# `check` and `full` configure this driver in place of the project: building it configures and builds
# each preset below in build/<preset>, and its ctest is that of all of them, with one summary.
#
#   cmake --workflow --preset check    every change: minutes
#   cmake --workflow --preset full     both compilers, every preset, the long checks: an hour or more
enable_testing()

set(check_builds release clang-asan tsan fuzz)
set(full_builds release debug asan tsan no-exceptions native
                clang-release clang-asan clang-tsan clang-no-exceptions fuzz)
# What `check` leaves to `full` so that it stays short: the sanitizers over everything but the planner's way.
set(check_tests_clang-asan
    "^(alloc|catalog|decoder|diagnostic|examples|features|fwd|javascript|json_reader|json_text|lexer|name_index|network|number|plan_json|planner|reading_allocation|record|refusal|unicode|utf8|vocabulary|weights)_test$")
set(check_long_builds "")
set(full_long_builds release fuzz)
if(NOT CODEMODE_MATRIX MATCHES "^(check|full)$")
  message(FATAL_ERROR "CODEMODE_MATRIX is check or full, not ${CODEMODE_MATRIX}")
endif()

set(previous "")
set(tests "")
foreach(preset IN LISTS ${CODEMODE_MATRIX}_builds)
  set(long OFF)
  if(preset IN_LIST ${CODEMODE_MATRIX}_long_builds)
    set(long ON)
  endif()
  set(matching "")
  if(DEFINED ${CODEMODE_MATRIX}_tests_${preset})
    set(matching -D "CODEMODE_TESTS_MATCHING=${${CODEMODE_MATRIX}_tests_${preset}}" -D CODEMODE_BUILD_EXAMPLES=OFF)
  endif()
  add_custom_target(matrix-${preset} ALL
    COMMAND ${CMAKE_COMMAND} -E echo "== ${preset}"
    COMMAND ${CMAKE_COMMAND} --preset ${preset} -D CODEMODE_LONG_CHECKS=${long} ${matching}
    COMMAND ${CMAKE_COMMAND} --build --preset ${preset}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    USES_TERMINAL VERBATIM)
  if(previous)
    add_dependencies(matrix-${preset} matrix-${previous})
  endif()
  set(previous ${preset})
  string(APPEND tests "subdirs(\"${PROJECT_SOURCE_DIR}/build/${preset}\")\n")
endforeach()

file(WRITE ${PROJECT_BINARY_DIR}/matrix_tests.cmake "${tests}")
set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${PROJECT_BINARY_DIR}/matrix_tests.cmake)
