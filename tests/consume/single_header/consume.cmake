include(${CMAKE_CURRENT_LIST_DIR}/../build_and_run.cmake)
execute_process(COMMAND ${CMAKE_COMMAND} -D INCLUDE_DIR=${CODEMODE_SOURCE}/include
                        -D OUTPUT=${WORK}.include/codemode.hpp -P ${CODEMODE_SOURCE}/cmake/amalgamate.cmake
                COMMAND_ERROR_IS_FATAL ANY)
build_and_run(${CMAKE_CURRENT_LIST_DIR} -D SINGLE_INCLUDE_DIR=${WORK}.include)
