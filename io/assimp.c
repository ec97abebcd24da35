// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Files that assimp reads: see assimp.h. The child process that runs it answers with one byte (1:
// done, 0: failed) and the GLB file or a sentence.
#define _POSIX_C_SOURCE 200809L
#include "io/assimp.h"

#include <string.h>
#include <strings.h>

bool io_is_assimp_name(const char* name) {
    static const char* const endings[] = {".stl", ".fbx", ".dae",   ".3ds", ".3mf", ".x",
                                          ".x3d", ".lwo", ".ms3d",  ".ase", ".ac",  ".b3d",
                                          ".md2", ".md3", ".blend", ".smd", ".amf"};
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

#include <assimp/cimport.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// what the child may use; assimp needs a multiple of the file's size
#define MOST_MEMORY ((rlim_t)8 << 30)

static void send_all(int to, const void* bytes, size_t size) {
    const char* at = bytes;
    while (size != 0) {
        const ssize_t count = write(to, at, size);
        if (count < 0 && errno != EINTR) {
            return;  // nobody listens any more
        }
        at += count < 0 ? 0 : count;
        size -= count < 0 ? 0 : (size_t)count;
    }
}

static void import(const char* path, int to) {
#if !defined(__SANITIZE_ADDRESS__)
    const struct rlimit limit = {MOST_MEMORY, MOST_MEMORY};
    setrlimit(RLIMIT_AS, &limit);
#endif
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
        send_all(to, reason, strlen(reason));
    }
}

// all that comes until the other end is closed; NULL when memory is short
static char* receive_all(int from, size_t* size) {
    size_t room = 1 << 16;
    char* bytes = malloc(room);
    *size = 0;
    while (bytes != NULL) {
        const ssize_t count = read(from, bytes + *size, room - *size);
        if (count == 0 || (count < 0 && errno != EINTR)) {
            break;
        }
        *size += count < 0 ? 0 : (size_t)count;
        if (*size == room) {
            char* grown = realloc(bytes, 2 * room);
            if (grown == NULL) {
                free(bytes);
            }
            bytes = grown;
            room *= 2;
        }
    }
    return bytes;
}

static bool judge(const char* path, int status, char* bytes, size_t size, io_error* error) {
    if (bytes == NULL) {
        return io_fail_in(error, path, "there is not enough memory for it");
    }
    if (!WIFEXITED(status) || size == 0) {
        return io_fail_in(error, path,
                          "assimp, which reads this format, fell over it; the file is damaged");
    }
    if (bytes[0] != 1) {
        for (size_t i = 1; i < size; ++i) {
            bytes[i] = (unsigned char)bytes[i] < ' ' || bytes[i] == 127 ? ' ' : bytes[i];
        }
        return io_fail_in(error, path, "assimp, which reads this format, cannot: %.*s",
                          size < 400 ? (int)size - 1 : 400, bytes + 1);
    }
    return true;
}

bool io_assimp_to_glb(const char* path, char** glb, size_t* size, io_error* error) {
    struct stat info;
    int ends[2];
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) {
        return io_fail_in(error, path, "there is no such file");
    }
    if (pipe(ends) != 0) {
        return io_fail_in(error, path, "no pipe can be had: %s", strerror(errno));
    }
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        import(path, ends[1]);
        _exit(0);
    }
    close(ends[1]);
    char* bytes = child < 0 ? NULL : receive_all(ends[0], size);
    close(ends[0]);
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!judge(path, status, bytes, *size, error) || bytes == NULL) {
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
