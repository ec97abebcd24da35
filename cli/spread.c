// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The command under mpirun: see spread.h. Ranks take chunks of frames of a check from a common counter. Each
// chunk is a run of this command by itself that writes a part (cli/farm), the parts travel to rank 0, and
// `abut merge` makes the outputs there, which have the bytes of one run. If a chunk fails, rank 0 runs the
// whole check, so that messages are those of one process, too. Rank 0 shows the progress of all ranks.
// Demos of dynamics run on all ranks, which share the bodies (spread_ranks.c).
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
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "cli/check_options.h"
#include "cli/command.h"
#include "cli/demo_dynamics.h"
#include "cli/message.h"
#include "cli/object.h"
#include "cli/progress.h"
#include "cli/spread_ranks.h"
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
    MPI_Win window;          // the counters below, at rank 0
    progress bar;            // of rank 0
} spread;

enum { CHUNK_NEXT, FRAMES_DONE, RANKS_DONE, COUNTERS };

bool spread_is_wanted(void) {
    return getenv(CHILD) == NULL && (getenv("OMPI_COMM_WORLD_SIZE") != NULL ||
                                     getenv("PMI_SIZE") != NULL || getenv("PMIX_RANK") != NULL);
}

// ---- what can be spread

// Parses the arguments of a command; false: they are wrong. Free `given` in any case.
static bool parse(const char* name, int argc, char** argv, option_spec options[MOST_OPTIONS],
                  size_t* count, arguments* given) {
    *count = command_options(find_command(name), options);
    return arguments_parse(name, options, *count, argc - 2, argv + 2, given) && !given->help;
}

// Finds the number of frames; 0: this check cannot be spread, or fails.
static uint32_t count_frames(int argc, char** argv) {
    arguments given;
    option_spec options[MOST_OPTIONS];
    size_t count = 0;
    uint32_t frames = 0;
    if (!parse("check", argc, argv, options, &count, &given)) {
        arguments_free(&given);
        return 0;
    }
    const option_value* v = given.values;
    bool fits = given.plain_count > 0;
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

// Whether a demo can be shared by ranks: one of dynamics, without outputs that need all bodies at one place.
static bool is_shared_demo(int argc, char** argv) {
    static const char* const odd[] = {"snapshot", "checkpoint", "resume", "list", "html"};
    arguments given;
    option_spec options[MOST_OPTIONS];
    size_t count = 0;
    bool fits = parse("demo", argc, argv, options, &count, &given) && given.plain_count == 1;
    bool known = false;
    for (size_t k = 0; k < DYNAMICS_KINDS && fits; ++k) {
        known = known || strcmp(given.plain[0], dynamics_kinds[k].name) == 0;
    }
    for (size_t i = 0; i < count; ++i) {
        for (size_t k = 0; k < sizeof odd / sizeof *odd; ++k) {
            fits = fits && !(given.values[i].given && strcmp(options[i].name, odd[k]) == 0);
        }
    }
    arguments_free(&given);
    return fits && known;
}

// Does what follows without messages until they are let through again, because the command itself says the
// same later; returns the file of the messages.
static int hush(void) {
    const int kept = dup(STDERR_FILENO);
    const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(nothing, STDERR_FILENO);
    close(nothing);
    return kept;
}

static void let_through(int kept) {
    dup2(kept, STDERR_FILENO);
    close(kept);
}

// What can be spread, decided by rank 0.
typedef struct plan {
    uint32_t frames;  // of a check; 0: it is not spread
    uint32_t demo;    // 1: a demo of dynamics
} plan;

static plan make_plan(int argc, char** argv) {
    plan p = {0};
    const int kept = hush();
    if (strcmp(argv[1], "check") == 0) {
        p.frames = count_frames(argc, argv);
    } else if (strcmp(argv[1], "demo") == 0) {
        p.demo = is_shared_demo(argc, argv) ? 1 : 0;
    }
    let_through(kept);
    return p;
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

// ---- common counters

// Adds to a counter at rank 0; returns what it was.
static uint32_t count_up(const spread* s, int counter, uint32_t more) {
    uint32_t before = 0;
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, s->window);
    MPI_Fetch_and_op(&more, &before, MPI_UINT32_T, 0, counter, MPI_SUM, s->window);
    MPI_Win_unlock(0, s->window);
    return before;
}

// Waits a moment. Rank 0 shows how many frames are done, and so lets MPI serve the others.
static void pause_shortly(spread* s) {
    const struct timespec moment = {.tv_nsec = 20000000};
    nanosleep(&moment, NULL);
    if (s->rank == 0) {
        progress_step(&s->bar, count_up(s, FRAMES_DONE, 0));
    }
}

// runs this command with other arguments; returns its exit code
static int run_self(spread* s, char** words, bool silent) {
    posix_spawn_file_actions_t files;
    pid_t child = 0;
    pid_t ended = 0;
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
    const int flags = silent && s->rank == 0 ? WNOHANG : 0;
    while ((ended = waitpid(child, &code, flags)) == 0 || (ended < 0 && errno == EINTR)) {
        if (ended == 0) {
            pause_shortly(s);
        }
    }
    return WIFEXITED(code) ? WEXITSTATUS(code) : EXIT_FAILED;
}

static void part_path(const spread* s, uint32_t chunk, char path[PATH_SIZE + 32]) {
    snprintf(path, PATH_SIZE + 32, "%s/%08u.json", s->folder, chunk);
}

static bool check_chunk(spread* s, uint32_t chunk) {
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
    const int code = run_self(s, words, true);
    free(words);
    count_up(s, FRAMES_DONE, end - first);
    return code == EXIT_NOTHING || code == EXIT_FOUND;
}

static int merge_parts(spread* s) {
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
    const int code = run_self(s, words, false);
    free(words);
    free(paths);
    return code;
}

// ---- chunks

static void open_counters(spread* s) {
    uint32_t* counters = NULL;
    MPI_Win_allocate(s->rank == 0 ? COUNTERS * (MPI_Aint)sizeof *counters : 0, sizeof *counters,
                     MPI_INFO_NULL, MPI_COMM_WORLD, &counters, &s->window);
    if (s->rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, s->window);
        memset(counters, 0, COUNTERS * sizeof *counters);
        MPI_Win_unlock(0, s->window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

// Takes chunks from the counter at rank 0 until there are none; false: one failed.
static bool check_chunks(spread* s) {
    bool good = true;
    open_counters(s);
    if (s->rank == 0) {
        s->bar = progress_begin("frame", s->frames);
    }
    for (uint32_t chunk; good && (chunk = count_up(s, CHUNK_NEXT, 1)) < s->chunks;) {
        good = check_chunk(s, chunk);
        s->done[chunk] = good;
    }
    count_up(s, RANKS_DONE, 1);
    while (s->rank == 0 && count_up(s, RANKS_DONE, 0) < (uint32_t)s->ranks) {
        pause_shortly(s);
    }
    progress_end(&s->bar);
    MPI_Win_free(&s->window);
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

// ---- the terminal

// mpirun gives each rank a terminal of its own for the standard output, which changes ends of lines, and a
// pipe for messages. A bar is drawn where mpirun itself has its messages.
static void use_terminal(void) {
    char path[64];
    struct termios mode;
    if (tcgetattr(STDOUT_FILENO, &mode) == 0) {
        mode.c_oflag &= ~(tcflag_t)OPOST;
        tcsetattr(STDOUT_FILENO, TCSANOW, &mode);
    }
    snprintf(path, sizeof path, "/proc/%ld/fd/2", (long)getppid());
    const int file = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    if (file >= 0 && isatty(file) == 1) {
        progress_show_on(file);  // to the end
    } else if (file >= 0) {
        close(file);
    }
}

// ranks that have no output
static void keep_silent(void) {
    const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(nothing, STDOUT_FILENO);
    dup2(nothing, STDERR_FILENO);
    close(nothing);
}

static int share_demo(const spread* s, int (*run)(int argc, char** argv)) {
    swarm_ranks* ranks = spread_ranks_make();
    if (s->rank != 0) {
        keep_silent();
    }
    dynamics_share(ranks);
    const int code = run(s->argc, s->argv);
    dynamics_share(NULL);
    spread_ranks_free(ranks);
    return s->rank == 0 ? code : EXIT_NOTHING;
}

int spread_main(int argc, char** argv, int (*alone)(int argc, char** argv)) {
    spread s = {.argc = argc, .argv = argv};
    int code = -1;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &s.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &s.ranks);
    setenv(CHILD, "1", 1);
    if (s.rank == 0) {
        use_terminal();
    }
    if (s.ranks > 1 && argc > 2) {
        plan p = s.rank == 0 ? make_plan(argc, argv) : (plan){0};
        MPI_Bcast(&p, 2, MPI_UINT32_T, 0, MPI_COMM_WORLD);
        const uint32_t most = CHUNKS_PER_RANK * (uint32_t)s.ranks;
        s.frames = p.frames;
        s.chunks = s.frames < most ? s.frames : most;
        code = p.demo != 0 ? share_demo(&s, alone) : s.frames > 1 ? spread_check(&s) : -1;
    }
    if (code < 0) {
        code = s.rank == 0 ? alone(argc, argv) : EXIT_NOTHING;
    }
    MPI_Finalize();
    return code;
}
