# Toolchain for 32-bit WebAssembly on Debian, with the C library of WASI; programs run under node.
#     cmake --preset wasm
# Needs clang-22, lld-22, wasi-libc and libclang-rt-22-dev-wasm32 (scripts/setup wasm).
option(ABUT_WASM_SIMD "WebAssembly with 128-bit vectors" ON)
option(ABUT_ONLY_WASM_KERNELS "With the vectors: leave the scalar kernels out, for a smaller module" OFF)
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang-22)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)  # the name of the folder of the C library; clang prefers wasm32-wasip1
set(CMAKE_C_FLAGS_INIT -Wno-deprecated)  # and warns of the older name
set(CMAKE_AR ar)  # its archives have no index of symbols, and lld reads them without
set(CMAKE_CROSSCOMPILING_EMULATOR ${CMAKE_CURRENT_LIST_DIR}/../scripts/run-wasm)
# the stack lies below all data, so that an overflow traps
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,-z,stack-size=1048576,--stack-first")
set(CMAKE_FIND_ROOT_PATH /usr/lib/wasm32-wasi)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
