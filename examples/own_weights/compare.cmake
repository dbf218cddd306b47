execute_process(COMMAND ${PROGRAM} plan ${REQUESTS} OUTPUT_VARIABLE default COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${PROGRAM} plan --weights ${WEIGHTS} ${REQUESTS} OUTPUT_VARIABLE own
                COMMAND_ERROR_IS_FATAL ANY)
if(NOT default OR NOT default STREQUAL own)
  message(FATAL_ERROR "the default weights from a file answer differently:\n${default}\n${own}")
endif()
