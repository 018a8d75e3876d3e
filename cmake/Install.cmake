# Install, export and describe: find_package(twofold [COMPONENTS core twofold cuda attention]) and pkg-config. Relocatable.
include(CMakePackageConfigHelpers)

set(targets twofold_core twofold_library)
if(TARGET twofold_cuda)
  list(APPEND targets twofold_cuda)
endif()
if(TARGET twofold_attention)
  list(APPEND targets twofold_attention)
endif()
install(TARGETS ${targets} EXPORT twofoldTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/twofold DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.hpp" PATTERN "*.cuh" PATTERN "*.h")
install(EXPORT twofoldTargets NAMESPACE twofold:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/twofold)
if(TARGET twofold)
  install(TARGETS twofold RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

configure_package_config_file(cmake/twofoldConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/twofoldConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/twofold NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/twofoldConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/twofoldCheck.cmake cmake/twofoldCheckRun.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/twofold)   # twofold_check()
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/twofoldConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/twofoldConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/twofold)

# The .pc file finds its prefix from where it lies, so that a moved tree still works.
file(RELATIVE_PATH TWOFOLD_PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
set(TWOFOLD_PC_REQUIRES "")
if(TBB_FOUND)
  set(TWOFOLD_PC_REQUIRES "tbb")
endif()
configure_file(cmake/twofold.pc.in ${CMAKE_CURRENT_BINARY_DIR}/twofold.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/twofold.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
