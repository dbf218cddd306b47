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
