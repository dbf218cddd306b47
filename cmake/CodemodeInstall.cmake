# Install rules. All of the library is text, so everything but the program goes to folders that do
# not depend on the architecture.
include(CMakePackageConfigHelpers)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        COMPONENT codemode_development FILES_MATCHING PATTERN "*.hpp" PATTERN "*.inl")
install(TARGETS codemode EXPORT codemodeTargets)
install(EXPORT codemodeTargets NAMESPACE codemode::
        DESTINATION ${CMAKE_INSTALL_DATADIR}/cmake/codemode COMPONENT codemode_development)

configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/codemodeConfig.cmake.in ${PROJECT_BINARY_DIR}/codemodeConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_DATADIR}/cmake/codemode
  NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may change interfaces.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/codemodeConfigVersion.cmake
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)

# The prefix is found from the file's own place (pcfiledir), so that an installed tree can be moved.
set(pc_dir ${CMAKE_INSTALL_DATADIR}/pkgconfig)
if(IS_ABSOLUTE "${pc_dir}")
  set(CODEMODE_PC_PREFIX "${CMAKE_INSTALL_PREFIX}")
else()
  file(RELATIVE_PATH up "/${pc_dir}" "/")
  string(REGEX REPLACE "/$" "" up "${up}")
  set(CODEMODE_PC_PREFIX "\${pcfiledir}/${up}")
endif()
if(IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(CODEMODE_PC_INCLUDEDIR "${CMAKE_INSTALL_INCLUDEDIR}")
else()
  set(CODEMODE_PC_INCLUDEDIR "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
set(CODEMODE_PC_CFLAGS "")
if(NOT CODEMODE_DISPATCH)
  set(CODEMODE_PC_CFLAGS " -DCODEMODE_NO_DISPATCH")
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/codemode.pc.in ${PROJECT_BINARY_DIR}/codemode.pc @ONLY)

install(FILES ${PROJECT_BINARY_DIR}/codemodeConfig.cmake
              ${PROJECT_BINARY_DIR}/codemodeConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_DATADIR}/cmake/codemode COMPONENT codemode_development)
install(FILES ${PROJECT_BINARY_DIR}/codemode.pc
        DESTINATION ${pc_dir} COMPONENT codemode_development)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE
        DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT codemode_development)
