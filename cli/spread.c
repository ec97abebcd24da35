// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The command under mpirun: see spread.h. Ranks take chunks of frames from a common counter. Each chunk is
// a run of this command by itself that writes a part (cli/farm), the parts travel to rank 0, and `abut
// merge` makes the outputs there, which have the bytes of one run. If a chunk fails, rank 0 runs the whole
// check, so that messages are those of one process, too.
#define _POSIX_C_SOURCE 200809L
#include "cli/spread.h"

#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/check_options.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/object.h"
#include "io/file.h"

#define CHUNKS_PER_RANK 4u
#define PATH_SIZE 512
#define CHILD "ABUT_SPREAD_CHILD"  // set in the environment of chunks
#define MOST_SENT 0x40000000       // bytes of one message

extern char** environ;

typedef struct spread {
    int rank;
    int ranks;
    int argc;
    char** argv;
    uint32_t frames;
    uint32_t chunks;
    char folder[PATH_SIZE];  // of the parts of this rank
    bool* done;              // chunks of this rank
} spread;

bool spread_is_wanted(void) {
    return getenv(CHILD) == NULL && (getenv("OMPI_COMM_WORLD_SIZE") != NULL ||
                                     getenv("PMI_SIZE") != NULL || getenv("PMIX_RANK") != NULL);
}

// ---- what can be spread

// Finds the number of frames; 0: this check cannot be spread, or fails.
static uint32_t count_frames(int argc, char** argv) {
    arguments given;
    option_spec options[MOST_OPTIONS];
    const size_t count = command_options(find_command("check"), options);
    uint32_t frames = 0;
    if (!arguments_parse("check", options, count, argc - 2, argv + 2, &given)) {
        arguments_free(&given);
        return 0;
    }
    const option_value* v = given.values;
    bool fits = given.plain_count > 0 && !given.help;
    static const int odd[] = {CHECK_FRAMES,  CHECK_PART,           CHECK_RESUME,
                              CHECK_EACH,    CHECK_DEPTH,          CHECK_VTK,
                              CHECK_VERBOSE, CHECK_WRITE_BASELINE, CHECK_CONFIG};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; ++i) {
        fits = fits && !v[odd[i]].given;
    }
    for (size_t i = 0; i < given.plain_count; ++i) {
        fits = fits && strcmp(given.plain[i], "-") != 0;
    }
    const double fps = fits ? chosen_fps(&v[CHECK_FPS]) : 0;
    object_list objects = {0};
    const io_model_settings settings = {v[CHECK_ANIMATION].text, fps};
    if (fits && fps > 0 && access(".abut.toml", F_OK) != 0 &&
        objects_find(&objects, given.plain, given.plain_count, &settings)) {
        frames = (uint32_t)objects.frames;
    }
    objects_free(&objects);
    arguments_free(&given);
    return frames;
}

// ---- commands of their own

// Whether an argument is an option for an output, which only the merged run has.
static bool is_output(const char* argument, bool* alone) {
    static const char* const names[] = {"json",  "json-lines", "csv",  "junit",
                                        "sarif", "markdown",   "html", "quiet"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        const size_t length = strlen(names[i]);
        if (strncmp(argument, "--", 2) == 0 && strncmp(argument + 2, names[i], length) == 0 &&
            (argument[2 + length] == '\0' || argument[2 + length] == '=')) {
            *alone = argument[2 + length] == '=' || strcmp(names[i], "quiet") == 0;
            return true;
        }
    }
    return false;
}

// copies the arguments that are for outputs, or all others
static size_t copy_arguments(const spread* s, bool outputs, char** to) {
    size_t count = 0;
    for (int i = 2; i < s->argc; ++i) {
        bool alone = true;
        const bool output = is_output(s->argv[i], &alone);
        const int words = output && !alone && i + 1 < s->argc ? 2 : 1;
        for (int k = 0; k < words && output == outputs; ++k) {
            to[count++] = s->argv[i + k];
        }
        i += words - 1;
    }
    return count;
}

// runs this command with other arguments; returns its exit code
static int run_self(char** words, bool silent) {
    posix_spawn_file_actions_t files;
    pid_t child = 0;
    int code = 0;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    if (silent) {
        posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
    }
    const bool started = posix_spawn(&child, "/proc/self/exe", &files, NULL, words, environ) == 0;
    posix_spawn_file_actions_destroy(&files);
    if (!started) {
        return EXIT_FAILED;
    }
    while (waitpid(child, &code, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(code) ? WEXITSTATUS(code) : EXIT_FAILED;
}

static void part_path(const spread* s, uint32_t chunk, char path[PATH_SIZE + 32]) {
    snprintf(path, PATH_SIZE + 32, "%s/%08u.json", s->folder, chunk);
}

static bool check_chunk(const spread* s, uint32_t chunk) {
    char** words = allocate((size_t)s->argc + 16, sizeof *words);
    char range[64];
    char path[PATH_SIZE + 32];
    const uint32_t first = (uint32_t)((uint64_t)s->frames * chunk / s->chunks);
    const uint32_t end = (uint32_t)((uint64_t)s->frames * (chunk + 1) / s->chunks);
    snprintf(range, sizeof range, "%u:%u", first, end - 1);
    part_path(s, chunk, path);
    char* more[] = {"--frames", range, "--part", path, "--quiet", NULL};
    words[0] = s->argv[0];
    words[1] = "check";
    const size_t count = 2 + copy_arguments(s, false, words + 2);
    memcpy(words + count, more, sizeof more);
    const int code = run_self(words, true);
    free(words);
    return code == EXIT_NOTHING || code == EXIT_FOUND;
}

static int merge_parts(const spread* s) {
    char** words = allocate((size_t)s->argc + s->chunks + 8, sizeof *words);
    char(*paths)[PATH_SIZE + 32] = allocate(s->chunks, sizeof *paths);
    size_t count = 0;
    words[count++] = s->argv[0];
    words[count++] = "merge";
    for (uint32_t c = 0; c < s->chunks; ++c) {
        part_path(s, c, paths[c]);
        words[count++] = paths[c];
    }
    count += copy_arguments(s, true, words + count);
    words[count] = NULL;
    const int code = run_self(words, false);
    free(words);
    free(paths);
    return code;
}

// ---- chunks

// Takes chunks from the counter at rank 0 until there are none; false: one failed.
static bool check_chunks(spread* s) {
    uint32_t* counter = NULL;
    MPI_Win window;
    bool good = true;
    MPI_Win_allocate(s->rank == 0 ? sizeof *counter : 0, sizeof *counter, MPI_INFO_NULL,
                     MPI_COMM_WORLD, &counter, &window);
    if (s->rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        *counter = 0;
        MPI_Win_unlock(0, window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (uint32_t chunk = 0; good;) {
        const uint32_t one = 1;
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
        MPI_Fetch_and_op(&one, &chunk, MPI_UINT32_T, 0, 0, MPI_SUM, window);
        MPI_Win_unlock(0, window);
        if (chunk >= s->chunks) {
            break;
        }
        good = check_chunk(s, chunk);
        s->done[chunk] = good;
    }
    MPI_Win_free(&window);
    return good;
}

// ---- parts travel to rank 0

static bool send_parts(const spread* s) {
    bool good = true;
    for (uint32_t c = 0; c < s->chunks; ++c) {
        char path[PATH_SIZE + 32];
        char* bytes = NULL;
        size_t size = 0;
        io_error error;
        part_path(s, c, path);
        if (!s->done[c]) {
            continue;
        }
        good = io_read_file(path, &bytes, &size, &error) && size < MOST_SENT && good;
        MPI_Send(bytes, good ? (int)size : 0, MPI_BYTE, 0, (int)(c % 32768), MPI_COMM_WORLD);
        free(bytes);
    }
    return good;
}

static bool write_part(const spread* s, uint32_t chunk, const void* bytes, size_t size) {
    char path[PATH_SIZE + 32];
    part_path(s, chunk, path);
    FILE* file = fopen(path, "wb");
    const bool written = file != NULL && fwrite(bytes, 1, size, file) == size;
    return (file == NULL || fclose(file) == 0) && written;
}

static bool receive_parts(const spread* s) {
    bool good = true;
    for (uint32_t c = 0; c < s->chunks; ++c) {
        MPI_Status status;
        int size = 0;
        if (s->done[c]) {
            continue;
        }
        MPI_Probe(MPI_ANY_SOURCE, (int)(c % 32768), MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_BYTE, &size);
        char* bytes = allocate((size_t)size + 1, 1);
        MPI_Recv(bytes, size, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status);
        good = size > 0 && write_part(s, c, bytes, (size_t)size) && good;
        free(bytes);
    }
    return good;
}

static void remove_parts(const spread* s) {
    for (uint32_t c = 0; c < s->chunks; ++c) {
        char path[PATH_SIZE + 32];
        part_path(s, c, path);
        unlink(path);
    }
    rmdir(s->folder);
}

static bool all_good(bool good) {
    int worst = good ? 0 : 1;
    MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return worst == 0;
}

// Checks all chunks and merges them; -1: this did not work, so rank 0 runs alone.
static int spread_check(spread* s) {
    const char* temporary = getenv("TMPDIR");
    int code = -1;
    snprintf(s->folder, sizeof s->folder, "%.400s/abut-XXXXXX",
             temporary != NULL ? temporary : "/tmp");
    s->done = allocate(s->chunks, sizeof *s->done);
    memset(s->done, 0, s->chunks * sizeof *s->done);
    if (all_good(mkdtemp(s->folder) != NULL) && all_good(check_chunks(s)) &&
        all_good(s->rank == 0 ? receive_parts(s) : send_parts(s))) {
        code = s->rank == 0 ? merge_parts(s) : EXIT_NOTHING;
    }
    remove_parts(s);
    free(s->done);
    return code;
}

int spread_main(int argc, char** argv, int (*alone)(int argc, char** argv)) {
    spread s = {.argc = argc, .argv = argv};
    int code = -1;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &s.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &s.ranks);
    setenv(CHILD, "1", 1);
    if (s.ranks > 1 && argc > 2 && strcmp(argv[1], "check") == 0) {
        s.frames = s.rank == 0 ? count_frames(argc, argv) : 0;
        MPI_Bcast(&s.frames, 1, MPI_UINT32_T, 0, MPI_COMM_WORLD);
        const uint32_t most = CHUNKS_PER_RANK * (uint32_t)s.ranks;
        s.chunks = s.frames < most ? s.frames : most;
        code = s.frames > 1 ? spread_check(&s) : -1;
    }
    if (code < 0) {
        code = s.rank == 0 ? alone(argc, argv) : EXIT_NOTHING;
    }
    MPI_Finalize();
    return code;
}
