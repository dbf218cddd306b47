include(${CMAKE_CURRENT_LIST_DIR}/../build_and_run.cmake)
build_and_run(${CMAKE_CURRENT_LIST_DIR} -D CODEMODE_SOURCE=${CODEMODE_SOURCE})
