# No CMake project: the compiler, pkg-config and nothing else.
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
find_program(pkg_config NAMES pkg-config pkgconf REQUIRED)
set(ENV{PKG_CONFIG_PATH} ${PREFIX}/share/pkgconfig:$ENV{PKG_CONFIG_PATH})

execute_process(COMMAND ${pkg_config} --modversion codemode
                OUTPUT_VARIABLE version OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
if(NOT version STREQUAL CODEMODE_VERSION)
  message(FATAL_ERROR "pkg-config says version ${version}, expected ${CODEMODE_VERSION}")
endif()

execute_process(COMMAND ${pkg_config} --cflags --libs codemode
                OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(flags UNIX_COMMAND "${flags}")
separate_arguments(own_flags UNIX_COMMAND "${CMAKE_CXX_FLAGS}")
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -std=c++20 ${own_flags} ${CMAKE_CURRENT_LIST_DIR}/../main.cpp
                        -o ${WORK}/consumer ${flags}
                COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${WORK}/consumer COMMAND_ERROR_IS_FATAL ANY)
