message(FATAL_ERROR "this test needs ${WHAT}")
