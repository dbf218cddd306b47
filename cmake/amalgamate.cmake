# Writes the library as one header.
#
#   cmake -D INCLUDE_DIR=include -D OUTPUT=codemode.hpp -P cmake/amalgamate.cmake
#
# Starts from codemode/codemode.hpp and puts each <codemode/...> header where it is first included; a
# header without `#pragma once` (text that is instantiated several times) is put at every place.
# Other includes stay as they are: their own guards work. With FORWARD_DIR, a folder codemode/ of
# headers is written there that only include OUTPUT, so that programs written for the many headers
# compile against the one.
#
# The text is cut at include directives only, so that the weights pass through in one piece.
cmake_minimum_required(VERSION 3.25)

foreach(variable INCLUDE_DIR OUTPUT)
  if(NOT ${variable})
    message(FATAL_ERROR "amalgamate.cmake: say -D ${variable}=...")
  endif()
  get_filename_component(${variable} "${${variable}}" ABSOLUTE)
endforeach()

set(include_pattern "\n[ \t]*#[ \t]*include[ \t]*<(codemode/[A-Za-z0-9_/.-]+)>[^\n]*")

# How many #if are open at the end of `text`, in variable `out`.
function(open_conditionals text out)
  string(REGEX MATCHALL "\n[ \t]*#[ \t]*if" opened "${text}")
  string(REGEX MATCHALL "\n[ \t]*#[ \t]*endif" closed "${text}")
  list(LENGTH opened opened)
  list(LENGTH closed closed)
  math(EXPR depth "${opened} - ${closed}")
  set(${out} ${depth} PARENT_SCOPE)
endfunction()

# Appends the header `name` to the property `text`; `conditional` says that an #if is open around it.
function(put_header name conditional)
  get_property(seen GLOBAL PROPERTY seen)
  get_property(maybe GLOBAL PROPERTY seen_conditionally)
  if(name IN_LIST seen)
    if(name IN_LIST maybe AND NOT conditional)
      message(FATAL_ERROR "amalgamate.cmake: <${name}> is first included inside an #if and needed "
                          "outside it later; include it at the top of the file as well")
    endif()
    return()
  endif()
  if(NOT EXISTS "${INCLUDE_DIR}/${name}")
    message(FATAL_ERROR "amalgamate.cmake: there is no <${name}> in ${INCLUDE_DIR}")
  endif()

  file(READ "${INCLUDE_DIR}/${name}" rest)
  string(PREPEND rest "\n")
  set_property(GLOBAL APPEND PROPERTY used "${name}")
  if(rest MATCHES "\n#pragma once\n")
    set_property(GLOBAL APPEND PROPERTY seen "${name}")
    if(conditional)
      set_property(GLOBAL APPEND PROPERTY seen_conditionally "${name}")
    endif()
    string(REPLACE "\n#pragma once\n" "\n" rest "${rest}")
  endif()

  set_property(GLOBAL APPEND_STRING PROPERTY text "\n// ---- ${name}")
  set(depth 0)
  while(rest MATCHES "${include_pattern}")
    set(directive "${CMAKE_MATCH_0}")
    set(next "${CMAKE_MATCH_1}")
    string(FIND "${rest}" "${directive}" at)
    string(SUBSTRING "${rest}" 0 ${at} before)
    string(LENGTH "${directive}" length)
    math(EXPR at "${at} + ${length}")
    string(SUBSTRING "${rest}" ${at} -1 rest)
    set_property(GLOBAL APPEND_STRING PROPERTY text "${before}")
    open_conditionals("${before}" opened)
    math(EXPR depth "${depth} + ${opened}")
    if(conditional OR depth GREATER 0)
      put_header("${next}" TRUE)
    else()
      put_header("${next}" FALSE)
    endif()
  endwhile()
  set_property(GLOBAL APPEND_STRING PROPERTY text "${rest}")
endfunction()

file(READ "${INCLUDE_DIR}/codemode/config.hpp" config)
string(REGEX MATCH "CODEMODE_VERSION_STRING \"([^\"]+)\"" _ "${config}")
set(version "${CMAKE_MATCH_1}")
get_filename_component(license "${CMAKE_CURRENT_LIST_DIR}/../LICENSE" ABSOLUTE)
file(READ "${license}" license)
string(REGEX REPLACE "\n$" "" license "${license}")
string(REPLACE "\n" "\n// " license "\n${license}")
string(REGEX REPLACE " +\n" "\n" license "${license}")

set_property(GLOBAL PROPERTY text
"// codemode ${version}, the whole library in one header, written by cmake/amalgamate.cmake.
// Needs C++20, xsimd's headers and simdjson (headers and library).
//${license}
#pragma once
")
put_header("codemode/codemode.hpp" FALSE)

# A header that the umbrella does not reach would be missing without a word.
file(GLOB_RECURSE all RELATIVE "${INCLUDE_DIR}" "${INCLUDE_DIR}/codemode/*.hpp"
     "${INCLUDE_DIR}/codemode/*.inl")
get_property(used GLOBAL PROPERTY used)
list(REMOVE_ITEM all ${used})
if(all)
  string(REPLACE ";" " " all "${all}")
  message(FATAL_ERROR "amalgamate.cmake: codemode/codemode.hpp does not reach ${all}; include there what is "
                      "meant for users")
endif()

get_property(text GLOBAL PROPERTY text)
get_filename_component(folder "${OUTPUT}" DIRECTORY)
file(MAKE_DIRECTORY "${folder}")
file(WRITE "${OUTPUT}.new" "${text}")
file(COPY_FILE "${OUTPUT}.new" "${OUTPUT}" ONLY_IF_DIFFERENT)
file(REMOVE "${OUTPUT}.new")

if(FORWARD_DIR)
  list(REMOVE_DUPLICATES used)
  foreach(name IN LISTS used)
    file(CONFIGURE OUTPUT "${FORWARD_DIR}/${name}"
         CONTENT "#pragma once\n#include \"@OUTPUT@\"\n" @ONLY)
  endforeach()
endif()
