# codemode_add_test(NAME name [arguments of add_test] [LABELS ...] [TIMEOUT seconds] [PROPERTIES ...])
#
# add_test with the prefix that tells the builds of a matrix apart in one summary, and with a limit
# of time for every test, so that a hanging program is a failure and not a silent machine.
function(codemode_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;TIMEOUT" "LABELS;PROPERTIES;COMMAND")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  set(name "${CODEMODE_TEST_PREFIX}${arg_NAME}")
  add_test(NAME ${name} COMMAND ${arg_COMMAND})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS "${arg_LABELS}"
                       SKIP_RETURN_CODE 77 ${arg_PROPERTIES})
endfunction()

# For test programs: CODEMODE_TEST_LONG asks for the long form, CODEMODE_TEST_SLOW for fewer repetitions, as
# under AddressSanitizer at -O0 a plan takes a hundred times as long.
set(CODEMODE_TEST_DEFINITIONS "")
if(CODEMODE_LONG_CHECKS)
  list(APPEND CODEMODE_TEST_DEFINITIONS CODEMODE_TEST_LONG)
endif()
if(CMAKE_CXX_FLAGS MATCHES "sanitize=[a-z,]*address")
  list(APPEND CODEMODE_TEST_DEFINITIONS CODEMODE_TEST_SLOW)
endif()
