# Installs the development files to STAGE and moves them to PREFIX.
file(REMOVE_RECURSE ${STAGE} ${PREFIX})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${STAGE} --component codemode_development
                COMMAND_ERROR_IS_FATAL ANY)
file(RENAME ${STAGE} ${PREFIX})

# Nothing in the tree may know where it was built or staged.
file(GLOB_RECURSE files ${PREFIX}/share/*)
foreach(file IN LISTS files)
  file(READ ${file} text)
  foreach(path ${STAGE} ${BUILD})
    string(FIND "${text}" "${path}" at)
    if(NOT at EQUAL -1)
      message(FATAL_ERROR "${file} names ${path}")
    endif()
  endforeach()
endforeach()
