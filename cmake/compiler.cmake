# Flags that every target shares, as the interface target abut_compiler_flags.
add_library(abut_compiler_flags INTERFACE)
target_compile_options(abut_compiler_flags INTERFACE
    -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes
    -Wno-psabi           # vectors are passed to inline functions only
    -ffp-contract=off    # promise 4: a fused operation would change bits between machines
    -fno-math-errno -fno-trapping-math)
if(ABUT_WERROR)
    target_compile_options(abut_compiler_flags INTERFACE -Werror)
endif()
if(ABUT_SANITIZE)
    target_compile_options(abut_compiler_flags INTERFACE
        -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all
        -fno-omit-frame-pointer)
    target_link_options(abut_compiler_flags INTERFACE -fsanitize=address,undefined)
endif()
