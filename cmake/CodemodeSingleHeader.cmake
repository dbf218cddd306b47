# Target codemode_single_header: writes single_include/codemode.hpp in the build tree.
# Target codemode_single: an interface like codemode::codemode that offers only that header, under the
# names of all of them, so that our own programs can be compiled against it.
file(GLOB_RECURSE CODEMODE_HEADERS CONFIGURE_DEPENDS
     ${PROJECT_SOURCE_DIR}/include/codemode/*.hpp ${PROJECT_SOURCE_DIR}/include/codemode/*.inl)
set(CODEMODE_SINGLE_HEADER ${PROJECT_BINARY_DIR}/single_include/codemode.hpp)
set(forward_dir ${PROJECT_BINARY_DIR}/single_include_forward)

add_custom_command(
  OUTPUT ${CODEMODE_SINGLE_HEADER}
  COMMAND ${CMAKE_COMMAND} -D INCLUDE_DIR=${PROJECT_SOURCE_DIR}/include
          -D OUTPUT=${CODEMODE_SINGLE_HEADER} -D FORWARD_DIR=${forward_dir}
          -P ${PROJECT_SOURCE_DIR}/cmake/amalgamate.cmake
  COMMAND ${CMAKE_COMMAND} -E touch ${CODEMODE_SINGLE_HEADER}
  DEPENDS ${CODEMODE_HEADERS} ${PROJECT_SOURCE_DIR}/cmake/amalgamate.cmake ${PROJECT_SOURCE_DIR}/LICENSE
  COMMENT "Writing single_include/codemode.hpp"
  VERBATIM)
add_custom_target(codemode_single_header DEPENDS ${CODEMODE_SINGLE_HEADER})

add_library(codemode_single INTERFACE)
add_dependencies(codemode_single codemode_single_header)
target_compile_features(codemode_single INTERFACE cxx_std_20)
target_include_directories(codemode_single INTERFACE ${forward_dir})
if(NOT CODEMODE_XSIMD_INCLUDE_DIR IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
  target_include_directories(codemode_single SYSTEM INTERFACE ${CODEMODE_XSIMD_INCLUDE_DIR})
endif()
target_link_libraries(codemode_single INTERFACE simdjson::simdjson)
