# Flags that every target shares, as the interface target abut_compiler_flags.
add_library(abut_compiler_flags INTERFACE)
target_compile_options(abut_compiler_flags INTERFACE
    -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes
    -Wno-psabi           # vectors are passed to inline functions only
    -ffp-contract=off    # promise 4: a fused operation would change bits between machines
    -fno-math-errno -fno-trapping-math)
# what is built does not depend on the folder it was built in
target_compile_options(abut_compiler_flags INTERFACE
    -ffile-prefix-map=${PROJECT_SOURCE_DIR}=. -ffile-prefix-map=${PROJECT_BINARY_DIR}=build)
if(ABUT_WERROR)
    target_compile_options(abut_compiler_flags INTERFACE -Werror)
endif()
if(ABUT_SANITIZE)
    target_compile_options(abut_compiler_flags INTERFACE
        -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all
        -fno-omit-frame-pointer)
    target_compile_definitions(abut_compiler_flags INTERFACE ABUT_SANITIZED)  # gcc has a macro of its own, clang none
    target_link_options(abut_compiler_flags INTERFACE -fsanitize=address,undefined)
endif()

# Files come from strangers, so everything that is linked gets what the compiler has against overflows.
# Sanitizers find more, and the two do not mix. The kernels (src/simd/kernels) leave it out: they see
# arrays of fixed sizes alone.
if(NOT ABUT_SANITIZE)
    target_compile_options(abut_compiler_flags INTERFACE -fstack-protector-strong -fstack-clash-protection
        $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE> $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>)
endif()
target_link_options(abut_compiler_flags INTERFACE -Wl,-z,relro,-z,now,-z,noexecstack)
