# Installs libraries, headers, CMake package, pkg-config files and the manual page; cli/CMakeLists.txt installs
# the command. A shared and a static build may be installed in the same prefix: the package then offers both.
include(CMakePackageConfigHelpers)
set(ABUT_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/abut)
if(BUILD_SHARED_LIBS)
    set(ABUT_KIND shared)
else()
    set(ABUT_KIND static)
endif()

# installs one library and the file that defines its imported target
function(abut_install_library target package)
    install(TARGETS ${target} EXPORT ${package}
            LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
    install(EXPORT ${package} NAMESPACE abut:: FILE ${package}-${ABUT_KIND}.cmake
            DESTINATION ${ABUT_PACKAGE_DIR})
    configure_file(${PROJECT_SOURCE_DIR}/cmake/${package}.pc.in ${package}.pc @ONLY)
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${package}.pc
            DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
    add_dependencies(installed ${target})
endfunction()

# everything that `make install` needs; the target "all" includes tests and examples
add_custom_target(installed)

# paths in a .pc file are relative to it, so that the prefix can be moved; absolute paths stay absolute
file(RELATIVE_PATH ABUT_PC_PREFIX "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
foreach(dir LIBDIR INCLUDEDIR)
    if(IS_ABSOLUTE "${CMAKE_INSTALL_${dir}}")
        set(ABUT_PC_${dir} "${CMAKE_INSTALL_${dir}}")
    else()
        set(ABUT_PC_${dir} "\${prefix}/${CMAKE_INSTALL_${dir}}")
    endif()
endforeach()

abut_install_library(abut abut)
set(ABUT_HEADERS_LEFT_OUT)
if(TARGET abut_threads)
    set(ABUT_PC_THREADS "${CMAKE_THREAD_LIBS_INIT}")
    abut_install_library(abut_threads abut-threads)
    set_target_properties(abut_threads PROPERTIES INSTALL_RPATH "$ORIGIN")  # libabut is in the same folder
else()
    list(APPEND ABUT_HEADERS_LEFT_OUT PATTERN threads.h EXCLUDE)
endif()
if(TARGET abut_openmp)
    # libraries that a program needs with the static library
    list(TRANSFORM OpenMP_C_LIB_NAMES PREPEND "-l" OUTPUT_VARIABLE ABUT_PC_OPENMP)
    list(JOIN ABUT_PC_OPENMP " " ABUT_PC_OPENMP)
    abut_install_library(abut_openmp abut-openmp)
    set_target_properties(abut_openmp PROPERTIES INSTALL_RPATH "$ORIGIN")
else()
    list(APPEND ABUT_HEADERS_LEFT_OUT PATTERN openmp.h EXCLUDE)
endif()
if(TARGET abut_mpi)
    abut_install_library(abut_mpi abut-mpi)
    set_target_properties(abut_mpi PROPERTIES INSTALL_RPATH "$ORIGIN")
else()
    list(APPEND ABUT_HEADERS_LEFT_OUT PATTERN mpi.h EXCLUDE)
endif()

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/abut DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN *.h ${ABUT_HEADERS_LEFT_OUT})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/abutConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_SOURCE_DIR}/cmake/abutConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/abutConfigVersion.cmake
        DESTINATION ${ABUT_PACKAGE_DIR})

# the manual page is made from the help of the command, so the command must run on this machine
if(ABUT_BUILD_COMMAND OR ABUT_BUILD_TESTS)
    add_dependencies(installed abut_command)
    if(NOT CMAKE_CROSSCOMPILING)
        add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/abut.1
            COMMAND ${PROJECT_SOURCE_DIR}/scripts/manpage $<TARGET_FILE:abut_command>
                    ${PROJECT_BINARY_DIR}/abut.1
            DEPENDS abut_command ${PROJECT_SOURCE_DIR}/scripts/manpage
                    ${PROJECT_SOURCE_DIR}/scripts/manpage.awk
            COMMENT "Writing the manual page" VERBATIM)
        add_custom_target(manpage ALL DEPENDS ${PROJECT_BINARY_DIR}/abut.1)
        add_dependencies(installed manpage)
        install(FILES ${PROJECT_BINARY_DIR}/abut.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
        # completions, made by the command from its own options
        foreach(shell bash zsh fish)
            add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/completion.${shell}
                COMMAND $<TARGET_FILE:abut_command> completion ${shell} > ${PROJECT_BINARY_DIR}/completion.${shell}
                DEPENDS abut_command COMMENT "Writing the completion for ${shell}" VERBATIM)
        endforeach()
        add_custom_target(completions ALL DEPENDS ${PROJECT_BINARY_DIR}/completion.bash
                          ${PROJECT_BINARY_DIR}/completion.zsh ${PROJECT_BINARY_DIR}/completion.fish)
        add_dependencies(installed completions)
        install(FILES ${PROJECT_BINARY_DIR}/completion.bash RENAME abut
                DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
        install(FILES ${PROJECT_BINARY_DIR}/completion.zsh RENAME _abut
                DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
        install(FILES ${PROJECT_BINARY_DIR}/completion.fish RENAME abut.fish
                DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
    endif()
endif()
