# build_and_run(source [-D...]): configures the project `source` in WORK as a user would, builds it and
# runs its program `consumer`.
function(build_and_run source)
  file(REMOVE_RECURSE ${WORK})
  execute_process(
    COMMAND ${CMAKE_COMMAND} -S ${source} -B ${WORK} -G ${CMAKE_GENERATOR}
            -D CMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}
            -D CMAKE_CXX_FLAGS=${CMAKE_CXX_FLAGS}
            -D CMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE}
            -D CODEMODE_XSIMD_INCLUDE_DIR=${CODEMODE_XSIMD_INCLUDE_DIR}
            ${ARGN}
    COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${WORK} COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${WORK}/consumer COMMAND_ERROR_IS_FATAL ANY)
endfunction()
