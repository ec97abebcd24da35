# Library, headers, CMake package and pkg-config file; the command installs itself in cli/.
include(CMakePackageConfigHelpers)
set(ABUT_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/abut)

install(TARGETS abut EXPORT abut
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/abut DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN *.h)

# the exported targets are the whole package: it depends on nothing that must be found
install(EXPORT abut NAMESPACE abut:: FILE abutConfig.cmake DESTINATION ${ABUT_PACKAGE_DIR})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/abutConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/abutConfigVersion.cmake DESTINATION ${ABUT_PACKAGE_DIR})

# paths in the .pc are relative to it, so that the prefix may move
file(RELATIVE_PATH ABUT_PC_PREFIX "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
configure_file(cmake/abut.pc.in abut.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/abut.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
