# The interface target abut_compiler_flags: flags of every target.
add_library(abut_compiler_flags INTERFACE)
target_compile_options(abut_compiler_flags INTERFACE
    -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes
    -Wno-psabi           # vectors are passed to inline functions only
    -ffp-contract=off    # promise 4: a fused operation would change bits between machines
    -fno-math-errno -fno-trapping-math)
# the results do not depend on the folder of the build
target_compile_options(abut_compiler_flags INTERFACE
    -ffile-prefix-map=${PROJECT_SOURCE_DIR}=. -ffile-prefix-map=${PROJECT_BINARY_DIR}=build)
if(ABUT_WERROR)
    target_compile_options(abut_compiler_flags INTERFACE -Werror)
endif()
if(ABUT_SANITIZE)
    target_compile_options(abut_compiler_flags INTERFACE
        -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all
        -fno-omit-frame-pointer)
    target_compile_definitions(abut_compiler_flags INTERFACE ABUT_SANITIZED)  # gcc defines a macro for this, clang does not
    target_link_options(abut_compiler_flags INTERFACE -fsanitize=address,undefined)
endif()

# Input files are not trusted, so everything is built with the compiler's protection against overflows.
# Sanitizers find more and cannot be combined with it. The kernels (src/simd/kernels) are built without it,
# because they use only arrays of fixed sizes.
# WebAssembly has none of it: its stack holds no return addresses, and every access is within the module's memory.
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "wasm32")
    return()
endif()
if(NOT ABUT_SANITIZE)
    target_compile_options(abut_compiler_flags INTERFACE -fstack-protector-strong -fstack-clash-protection
        $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE> $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>)
endif()
if(WIN32)
    target_link_options(abut_compiler_flags INTERFACE -fstack-protector-strong)  # links its functions
else()
    target_link_options(abut_compiler_flags INTERFACE -Wl,-z,relro,-z,now,-z,noexecstack)
endif()
