# Writes and installs the software bill of materials (SPDX 2.3), build/PRESET/abut.spdx.json: abut and what it
# links to. The time is that of SOURCE_DATE_EPOCH if it is set.
string(TIMESTAMP ABUT_SBOM_CREATED "%Y-%m-%dT%H:%M:%SZ" UTC)
set(ABUT_SBOM_PACKAGES "")
set(ABUT_SBOM_RELATIONS "")

# abut_sbom_add(NAME VERSION LICENCE PART): adds a library; PART says which part of abut links to it
function(abut_sbom_add name version licence part)
    if("${version}" STREQUAL "")
        set(version NOASSERTION)
    endif()
    set(ABUT_SBOM_PACKAGES "${ABUT_SBOM_PACKAGES},
    {
      \"SPDXID\": \"SPDXRef-${name}\",
      \"name\": \"${name}\",
      \"versionInfo\": \"${version}\",
      \"supplier\": \"NOASSERTION\",
      \"downloadLocation\": \"NOASSERTION\",
      \"filesAnalyzed\": false,
      \"licenseConcluded\": \"${licence}\",
      \"licenseDeclared\": \"${licence}\",
      \"copyrightText\": \"NOASSERTION\"
    }" PARENT_SCOPE)
    set(ABUT_SBOM_RELATIONS "${ABUT_SBOM_RELATIONS},
    {\"spdxElementId\": \"SPDXRef-abut\", \"relationshipType\": \"DYNAMIC_LINK\", \"relatedSpdxElement\": \"SPDXRef-${name}\", \"comment\": \"${part}\"}" PARENT_SCOPE)
endfunction()

abut_sbom_add(libc "" LGPL-2.1-or-later "the library and the command")
if(TARGET abut_openmp)
    abut_sbom_add(openmp "${OpenMP_C_VERSION}" NOASSERTION "the companion library abut_openmp")
endif()
if(TARGET abut_mpi)
    abut_sbom_add(mpi "${MPI_C_VERSION}" NOASSERTION "the companion library abut_mpi")
endif()
if(ABUT_BUILD_COMMAND OR ABUT_BUILD_TESTS)
    abut_sbom_add(jansson "${JANSSON_VERSION}" MIT "the command")
    abut_sbom_add(zlib "${ZLIB_VERSION}" Zlib "the command")
    if(ASSIMP_FOUND)
        abut_sbom_add(assimp "${ASSIMP_VERSION}" BSD-3-Clause "the command")
    endif()
    if(TARGET abut_draco)
        abut_sbom_add(draco "${DRACO_VERSION}" Apache-2.0 "the command")
    endif()
endif()
string(UUID ABUT_SBOM_ID NAMESPACE 6ba7b811-9dad-11d1-80b4-00c04fd430c8
       NAME "${ABUT_SBOM_PACKAGES}" TYPE SHA1)
configure_file(${PROJECT_SOURCE_DIR}/cmake/abut.spdx.json.in ${PROJECT_BINARY_DIR}/abut.spdx.json @ONLY)
if(ABUT_BUILD_COMMAND)
    install(FILES ${PROJECT_BINARY_DIR}/abut.spdx.json DESTINATION ${CMAKE_INSTALL_DOCDIR})
endif()
