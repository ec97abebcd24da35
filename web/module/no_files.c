// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The C library writes to files by these three calls of WASI, which formatting a message brings along. The module has
// no files: defined here, the calls fail, and the module imports nothing.
#include <wasi/api.h>

__wasi_errno_t __wasi_fd_close(__wasi_fd_t fd) {
    (void)fd;
    return __WASI_ERRNO_BADF;
}
__wasi_errno_t __wasi_fd_seek(__wasi_fd_t fd, __wasi_filedelta_t offset, __wasi_whence_t whence,
                              __wasi_filesize_t* place) {
    (void)fd;
    (void)offset;
    (void)whence;
    *place = 0;
    return __WASI_ERRNO_BADF;
}
__wasi_errno_t __wasi_fd_write(__wasi_fd_t fd, const __wasi_ciovec_t* parts, size_t count,
                               __wasi_size_t* written) {
    (void)fd;
    (void)parts;
    (void)count;
    *written = 0;
    return __WASI_ERRNO_BADF;
}
