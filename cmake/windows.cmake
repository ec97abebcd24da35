# Toolchain for 64-bit Windows on Debian; programs run under wine.
#     cmake -B build/windows -DCMAKE_TOOLCHAIN_FILE=cmake/windows.cmake -DABUT_BUILD_COMMAND=OFF ...
# Needs gcc-mingw-w64-x86-64-posix and wine64.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
set(CMAKE_CROSSCOMPILING_EMULATOR wine64)
# The stack of Windows is aligned to 16 bytes, and gcc stores wider vectors there as if it were more (gcc bug 54412):
# let the assembler write moves that need no alignment. Tables for unwinding make gcc 12 fail (i386_pe_seh_unwind_emit).
set(CMAKE_C_FLAGS_INIT "-Wa,-muse-unaligned-vector-move -fno-asynchronous-unwind-tables")
# one file, without libraries of the compiler beside it
set(CMAKE_SHARED_LINKER_FLAGS_INIT -static)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
set(CMAKE_FIND_ROOT_PATH /usr/x86_64-w64-mingw32)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
