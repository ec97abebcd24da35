# The CMake package of abut: the targets abut::abut and, if it was built, abut::openmp.
#
#     find_package(abut CONFIG REQUIRED [COMPONENTS [static|shared] [openmp]])
#
# Without static or shared, BUILD_SHARED_LIBS decides. If it is not set, or its choice is not installed, the
# package takes the shared library if that is installed, else the static one. Without openmp, abut::openmp is
# defined if it is installed and its dependencies are found.
set(abut_kind shared)
if((DEFINED BUILD_SHARED_LIBS AND NOT BUILD_SHARED_LIBS) OR
   NOT EXISTS "${CMAKE_CURRENT_LIST_DIR}/abut-shared.cmake")
    set(abut_kind static)
endif()
if(NOT EXISTS "${CMAKE_CURRENT_LIST_DIR}/abut-${abut_kind}.cmake")
    set(abut_kind shared)
endif()
foreach(kind shared static)
    if(kind IN_LIST abut_FIND_COMPONENTS)
        set(abut_kind ${kind})
    endif()
endforeach()

if(EXISTS "${CMAKE_CURRENT_LIST_DIR}/abut-${abut_kind}.cmake")
    include("${CMAKE_CURRENT_LIST_DIR}/abut-${abut_kind}.cmake")
    set(abut_${abut_kind}_FOUND TRUE)
else()
    set(abut_FOUND FALSE)
    set(abut_NOT_FOUND_MESSAGE "the ${abut_kind} library is not installed")
    return()
endif()

if(EXISTS "${CMAKE_CURRENT_LIST_DIR}/abut-openmp-${abut_kind}.cmake")
    set(abut_openmp_FOUND TRUE)
    # users of the static library must link OpenMP, too; a project in C++ alone only has that of C++
    if(abut_kind STREQUAL static AND NOT TARGET OpenMP::OpenMP_C)
        get_property(abut_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
        if("C" IN_LIST abut_languages)
            find_package(OpenMP QUIET COMPONENTS C)
        else()
            find_package(OpenMP QUIET COMPONENTS CXX)
            if(TARGET OpenMP::OpenMP_CXX)
                add_library(OpenMP::OpenMP_C INTERFACE IMPORTED)
                target_link_libraries(OpenMP::OpenMP_C INTERFACE OpenMP::OpenMP_CXX)
            endif()
        endif()
        if(NOT TARGET OpenMP::OpenMP_C)
            set(abut_openmp_FOUND FALSE)
        endif()
    endif()
    if(abut_openmp_FOUND)
        include("${CMAKE_CURRENT_LIST_DIR}/abut-openmp-${abut_kind}.cmake")
    endif()
endif()

foreach(component IN LISTS abut_FIND_COMPONENTS)
    if(abut_FIND_REQUIRED_${component} AND NOT abut_${component}_FOUND)
        set(abut_FOUND FALSE)
        set(abut_NOT_FOUND_MESSAGE "the component '${component}' is not installed")
    endif()
endforeach()
