// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Reads files through assimp: see assimp.h. The child process that runs assimp writes one byte (1:
// done, 0: failed), followed by the GLB file or by an error message.
#define _POSIX_C_SOURCE 200809L
#include "io/assimp.h"

#include <string.h>
#include <strings.h>

bool io_is_assimp_name(const char* name) {
    static const char* const endings[] = {".fbx", ".dae",   ".3ds", ".3mf", ".x",   ".x3d",
                                          ".lwo", ".ms3d",  ".ase", ".ac",  ".b3d", ".md2",
                                          ".md3", ".blend", ".smd", ".amf"};
    const char* dot = strrchr(name, '.');
    for (size_t i = 0; dot != NULL && i < sizeof endings / sizeof *endings; ++i) {
        if (strcasecmp(dot, endings[i]) == 0) {
            return true;
        }
    }
    return false;
}

#ifdef ABUT_HAVE_ASSIMP

#include "io/assimp_glb.h"
#include "io/child.h"
#include "io/clean.h"

#include <assimp/cimport.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

// Limits of the child. Processor time grows with the file size. The wall-clock limit is four times
// that, because the machine may be busy.
#define MOST_MEMORY ((uint64_t)8 << 30)
enum { LEAST_SECONDS = 60, BYTES_A_SECOND = 1 << 20, MOST_SECONDS = 1 << 20, CLOCK_FACTOR = 4 };
static const char seconds_variable[] = "ABUT_ASSIMP_SECONDS";

static void send_all(int to, const void* bytes, size_t size) {
    const char* at = bytes;
    while (size != 0) {
        const ssize_t count = write(to, at, size);
        if (count < 0 && errno != EINTR) {
            return;  // the parent has closed the pipe
        }
        at += count < 0 ? 0 : count;
        size -= count < 0 ? 0 : (size_t)count;
    }
}

static void import(void* user, int to) {
    const char* path = user;
    char* glb = NULL;
    size_t size = 0;
    const struct aiScene* scene = aiImportFile(path, aiProcess_Triangulate);
    const bool done = scene != NULL && scene->mRootNode != NULL && assimp_glb(scene, &glb, &size);
    const char* reason = scene == NULL ? aiGetErrorString() : "it has no nodes";
    const char mark = done ? 1 : 0;
    send_all(to, &mark, 1);
    if (done) {
        send_all(to, glb, size);
    } else {
        send_all(to, reason, strlen(reason) + 1);
    }
}

// the limit of processor time in seconds; 0 after an error was written to `error`
static unsigned seconds_for(off_t size, io_error* error) {
    const char* text = getenv(seconds_variable);
    char* end = NULL;
    const long given = text == NULL ? 0 : strtol(text, &end, 10);
    if (text != NULL && (end == text || *end != '\0' || given < 1)) {
        io_fail(error,
                "%s is the time limit of assimp per file in seconds: a whole number such as 120",
                seconds_variable);
        return 0;
    }
    const long chosen = given > 0 ? given : LEAST_SECONDS + (long)(size / BYTES_A_SECOND);
    return (unsigned)(chosen < MOST_SECONDS ? chosen : MOST_SECONDS);
}

static bool fail(child_end end, const char* path, unsigned seconds, io_error* error) {
    switch (end) {
        case CHILD_TOO_LONG:
            return io_fail_in(error, path,
                              "assimp, which reads this format, needs more than %u s for it; save "
                              "it as glTF, OBJ or PLY, or set %s to more",
                              seconds, seconds_variable);
        case CHILD_NOT_BEGUN: return io_fail_in(error, path, "there is not enough memory for it");
        default:
            return io_fail_in(error, path,
                              "assimp, which reads this format, crashed; the file is damaged");
    }
}

static bool look_at(const char* path, struct stat* info, io_error* error) {
    if (stat(path, info) != 0) {
        return errno == ENOENT
                   ? io_fail_in(error, path, "there is no such file")
                   : io_fail_in(error, path, "it cannot be opened: %s", strerror(errno));
    }
    if (S_ISDIR(info->st_mode)) {
        return io_fail_in(error, path, "this is a folder where a file is needed");
    }
    return S_ISREG(info->st_mode) ||
           io_fail_in(error, path, "this is a pipe or a device; save it to a file first");
}

bool io_assimp_to_glb(const char* path, char** glb, size_t* size, io_error* error) {
    struct stat info;
    char* bytes = NULL;
    if (!look_at(path, &info, error)) {
        return false;
    }
    const unsigned seconds = seconds_for(info.st_size, error);
    if (seconds == 0) {
        return false;
    }
    const child_limits limits = {seconds, CLOCK_FACTOR * seconds, MOST_MEMORY};
    const child_end end = child_run(import, (void*)path, &limits, &bytes, size);
    if (end != CHILD_DONE || *size == 0) {
        free(bytes);
        return fail(end, path, seconds, error);
    }
    if (bytes[0] != 1) {
        bytes[*size - 1] = '\0';
        io_fail_in(error, path, "assimp, which reads this format, cannot: %.400s",
                   *size == 1 ? "" : io_clean(bytes + 1));
        free(bytes);
        return false;
    }
    memmove(bytes, bytes + 1, --*size);
    *glb = bytes;
    return true;
}

#else

bool io_assimp_to_glb(const char* path, char** glb, size_t* size, io_error* error) {
    (void)glb;
    (void)size;
    return io_fail_in(error, path,
                      "this format is read through assimp, which this abut was built without; save "
                      "it as glTF, OBJ or PLY");
}

#endif
