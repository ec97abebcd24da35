// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The command itself on a large static mesh: from an STL file, whose triangles have their own
// corners that the command joins, and from a PLY file, which numbers its vertices. Both files are
// binary and have the same triangles, in a temporary folder. Times are processor times of the whole
// process, with one thread.
#define _GNU_SOURCE
#include "bench/hard.h"

#include "scenes/scenes.h"

#include <abut/abut.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_ROUNDS = 5, PLY = 0, STL = 1, ANSWER = 2, FILES = 3 };

typedef struct cloth {
    uint32_t vertex_count;
    uint32_t triangle_count;
    float* xyz;
    uint32_t* triangles;
} cloth;

typedef struct folder {
    char path[256];
    char file[FILES][300];
} folder;

// The last frame of a tablecloth, which has folds that touch.
static cloth make_cloth(const bench_options* options) {
    scene* s = scene_create("tablecloth", 1000000, 2, options->seed);
    const scene_body* b = scene_get_body(s, 0);
    const size_t numbers = 3 * (size_t)b->vertex_count;
    const size_t corners = 3 * (size_t)b->triangle_count;
    cloth c = {b->vertex_count, b->triangle_count, bench_alloc(numbers, sizeof *c.xyz),
               bench_alloc(corners, sizeof *c.triangles)};
    double* xyz = bench_alloc(numbers, sizeof *xyz);
    scene_positions(s, 0, scene_frame_count(s) - 1, xyz);
    for (size_t i = 0; i < numbers; ++i) {
        c.xyz[i] = (float)xyz[i];
    }
    memcpy(c.triangles, b->triangles, corners * sizeof *c.triangles);
    free(xyz);
    scene_destroy(s);
    return c;
}

static bool write_ply(const cloth* c, const char* path) {
    FILE* file = fopen(path, "wb");
    if (file == NULL) {
        return false;
    }
    fprintf(file,
            "ply\nformat binary_little_endian 1.0\nelement vertex %u\nproperty float x\n"
            "property float y\nproperty float z\nelement face %u\n"
            "property list uchar uint vertex_indices\nend_header\n",
            c->vertex_count, c->triangle_count);
    fwrite(c->xyz, 3 * sizeof(float), c->vertex_count, file);
    for (size_t t = 0; t < c->triangle_count; ++t) {
        fputc(3, file);
        fwrite(c->triangles + 3 * t, sizeof(uint32_t), 3, file);
    }
    const bool written = ferror(file) == 0;
    return fclose(file) == 0 && written;
}

static bool write_stl(const cloth* c, const char* path) {
    static const char none[80] = {0};
    FILE* file = fopen(path, "wb");
    if (file == NULL) {
        return false;
    }
    fwrite(none, 1, sizeof none, file);
    fwrite(&c->triangle_count, sizeof c->triangle_count, 1, file);
    for (size_t i = 0; i < 3 * (size_t)c->triangle_count; ++i) {
        if (i % 3 == 0) {
            fwrite(none, 4, 3, file);  // the normal
        }
        fwrite(c->xyz + 3 * (size_t)c->triangles[i], sizeof(float), 3, file);
        if (i % 3 == 2) {
            fwrite(none, 1, 2, file);
        }
    }
    const bool written = ferror(file) == 0;
    return fclose(file) == 0 && written;
}

// Makes the folder and both files; false after removing what was made.
static bool open_folder(folder* f, const cloth* c) {
    static const char* const names[FILES] = {"mesh.ply", "mesh.stl", "answer.json"};
    const char* base = getenv("TMPDIR");
    snprintf(f->path, sizeof f->path, "%s/abut-bench-XXXXXX", base != NULL ? base : "/tmp");
    if (mkdtemp(f->path) == NULL) {
        return false;
    }
    for (int i = 0; i < FILES; ++i) {
        snprintf(f->file[i], sizeof f->file[i], "%s/%s", f->path, names[i]);
    }
    return write_ply(c, f->file[PLY]) && write_stl(c, f->file[STL]);
}

static void close_folder(const folder* f) {
    for (int i = 0; i < FILES; ++i) {
        (void)unlink(f->file[i]);
    }
    (void)rmdir(f->path);
}

// Becomes the command; the kernel ends it with its parent.
_Noreturn static void become_command(const char* mesh, const char* answer) {
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)setenv("ABUT_ISA", abut_isa_name(bench_isa()), 1);
    execl("/proc/self/exe", "abut", "check", "--self", "--quiet", "--threads", "1", mesh, "--json",
          answer, (char*)NULL);
    _exit(127);
}

// Runs the command; returns its milliseconds, or a negative number if it failed.
static double run_command(const char* mesh, const char* answer) {
    const pid_t process = fork();
    struct rusage used;
    int status = 0;
    if (process == 0) {
        become_command(mesh, answer);
    }
    if (process < 0 || wait4(process, &status, 0, &used) != process || !WIFEXITED(status) ||
        WEXITSTATUS(status) > 1) {
        return -1;
    }
    return 1e3 * (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-3 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

// Reads what the command found: all that follows the names of the objects. Empty: nothing.
static void read_answer(const char* path, char* text, size_t size) {
    FILE* file = fopen(path, "r");
    const size_t read = file != NULL ? fread(text, 1, size - 1, file) : 0;
    text[read] = '\0';
    const char* frames = strstr(text, "\"frames\"");
    memmove(text, frames != NULL ? frames : "", frames != NULL ? strlen(frames) + 1 : 1);
    if (file != NULL) {
        fclose(file);
    }
}

static uint64_t pairs_in(const char* answer) {
    const char* pairs = strstr(answer, "\"pairs\": ");
    return pairs != NULL ? strtoull(pairs + strlen("\"pairs\": "), NULL, 10) : 0;
}

static bool take_turns(const folder* f, uint32_t rounds, bench_row* row, bench_report* report) {
    double ms[2][MOST_ROUNDS];
    char answer[2][4096];
    for (uint32_t r = 0; r < rounds; ++r) {
        for (int kind = PLY; kind <= STL; ++kind) {
            ms[kind][r] = run_command(f->file[kind], f->file[ANSWER]);
            read_answer(f->file[ANSWER], answer[kind], sizeof answer[kind]);
            if (ms[kind][r] < 0 || answer[kind][0] == '\0') {
                bench_report_note(report, "%s: left out, the command cannot read %s.", row->name,
                                  kind == PLY ? "PLY" : "STL");
                return false;
            }
        }
    }
    row->ours_ms = bench_median(ms[STL], rounds);
    row->other_ms = bench_median(ms[PLY], rounds);
    row->ratio = row->other_ms / row->ours_ms;
    row->same_answer = strcmp(answer[PLY], answer[STL]) == 0;
    snprintf(row->other, sizeof row->other, "the command on PLY");
    bench_report_note(report, "%s: %llu pairs within the cloth.", row->name,
                      (unsigned long long)pairs_in(answer[PLY]));
    return true;
}

bool hard_command(const bench_options* options, bench_row* row, bench_report* report) {
    cloth c = make_cloth(options);
    folder f = {0};
    const bool made = open_folder(&f, &c);
    const bool measured = made && take_turns(&f, options->quick ? 1 : MOST_ROUNDS, row, report);
    if (!made) {
        bench_report_note(report, "%s: left out, no files can be written in %s.", row->name,
                          f.path);
    }
    close_folder(&f);
    free(c.xyz);
    free(c.triangles);
    return measured;
}
