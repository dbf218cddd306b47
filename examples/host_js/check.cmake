# Runs the program's answers to REQUESTS in the host and looks for what must have been called.
execute_process(
  COMMAND ${PROGRAM} plan --js ${REQUESTS}
  COMMAND ${NODE} ${CMAKE_CURRENT_LIST_DIR}/host.mjs
  RESULTS_VARIABLE results OUTPUT_VARIABLE output ERROR_VARIABLE errors)
message("${output}${errors}")
if(NOT results STREQUAL "0;0")
  message(FATAL_ERROR "the program and the host ended with ${results}")
endif()
foreach(part
    "  calls   get_customer({\"id\":41})"
    "  calls   get_weather({\"city\":\"Zürich\"})"
    "  gives   {\"temperature\":21,\"sky\":\"clear over Zürich\"}"
    "  refused unsupported_condition: ")
  string(FIND "${output}" "${part}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "the host did not print: ${part}")
  endif()
endforeach()
