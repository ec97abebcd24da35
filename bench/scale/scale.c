// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The program behind `abut bench scale`. Started without mpirun it starts itself by mpirun with 1, 2, 4
// and 8 ranks for each scene, once with the same scene for all (strong) and once with a scene that grows with
// the ranks (weak), and prints the rows. Started by mpirun (`run SCENE COUNT STEPS`) it moves a scene as a
// world and prints counts, which do not depend on the machine. `plain SCENE COUNT STEPS` is the same in one
// scene without MPI.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/scale/scale.h"

// ---- all rows

// One run, as its line of output says.
typedef struct outcome {
    double exact_tests;
    double whole_bytes;
    double sent_bytes;
    double neighbours;
    double balance;
    double memory;
    double rows;
} outcome;

static double value_of(const char* line, const char* name) {
    char key[64];
    snprintf(key, sizeof key, " %s ", name);
    const char* at = strstr(line, key);
    return at != NULL ? strtod(at + strlen(key), NULL) : 0;
}

// runs this program, prints its line and reads it
static outcome run_child(const char* self, int ranks, const char* name, uint32_t bodies,
                         uint32_t steps) {
    char command[1024];
    char line[1024] = "";
    if (ranks == 0) {
        snprintf(command, sizeof command, "'%s' plain %s %u %u", self, name, bodies, steps);
    } else {
        snprintf(command, sizeof command,
                 "mpirun --allow-run-as-root --oversubscribe --mca mpi_yield_when_idle 0 -n %d "
                 "'%s' run %s %u %u",
                 ranks, self, name, bodies, steps);
    }
    FILE* child = popen(command, "r");
    if (child != NULL) {
        if (fgets(line, sizeof line, child) != NULL) {
            printf("%s", line);
            fflush(stdout);
        }
        pclose(child);
    }
    return (outcome){value_of(line, "exact_tests"), value_of(line, "whole_bytes"),
                     value_of(line, "sent_bytes"),  value_of(line, "neighbours"),
                     value_of(line, "balance"),     value_of(line, "memory"),
                     value_of(line, "rows")};
}

static void print_row(const char* name, double value, double least, double aim) {
    printf("row %-58s %10.3g   at least %-5.3g aim %-5.3g %s\n", name, value, least, aim,
           value >= aim     ? "reached"
           : value >= least ? "enough"
                            : "short");
}

static const int rank_counts[] = {1, 2, 4, 8};
enum { RANK_COUNTS = sizeof rank_counts / sizeof *rank_counts };

// All numbers of ranks for one scene; the last is that of 8 ranks. `same` becomes the number of exact tests
// of one process over that of ranks where they differ most from 1, and 0 where rows differ.
static outcome run_strong(const char* self, const char* name, uint32_t count, uint32_t steps,
                          outcome* plain, double* same) {
    outcome last = {0};
    *plain = run_child(self, 0, name, count, steps);
    *same = 1;
    for (size_t k = 0; k < RANK_COUNTS; ++k) {
        last = run_child(self, rank_counts[k], name, count, steps);
        const double tests = last.exact_tests > 0 ? plain->exact_tests / last.exact_tests : 0;
        *same = last.rows != plain->rows ? 0 : fmin(*same, fmin(tests, 1 / tests));
    }
    return last;
}

// as many bodies on each rank
static void run_weak(const char* self, const char* name, uint32_t per_rank, uint32_t steps) {
    for (size_t k = 0; k < RANK_COUNTS; ++k) {
        run_child(self, rank_counts[k], name, per_rank * (uint32_t)rank_counts[k], steps);
    }
}

static void run_rows(const char* self, bool quick) {
    const uint32_t part = quick ? 20 : 1;
    const uint32_t steps = quick ? 2 : 3;
    outcome plain;
    outcome cloth;
    double same[6];
    double whole;
    printf("# strong: the same scene for all numbers of ranks; ranks 0: one process without MPI\n");
    const outcome shoal = run_strong(self, "fish", 12000 / part, steps, &plain, &same[0]);
    const outcome people = run_strong(self, "characters", 1000 / part, steps, &plain, &same[1]);
    run_strong(self, "chairs", 3601 / part, steps, &plain, &same[2]);
    run_strong(self, "chairs", 30000 / part, steps, &plain, &same[3]);
    const outcome soft = run_strong(self, "free_fish", 400 / part, steps, &plain, &same[5]);
    run_strong(self, "cloth", 4000000 / part, 1, &cloth, &whole);
    const outcome sea = run_strong(self, "fish", 100000 / part, steps, &plain, &same[4]);
    printf("# weak: the scene grows with the number of ranks\n");
    run_weak(self, "fish", 12500 / part, steps);
    run_weak(self, "characters", quick ? 25 : 125, steps);
    run_weak(self, "chairs", 3750 / part, steps);
    run_weak(self, "cloth", 500000 / part, 1);
    double least = 1;
    for (int k = 0; k < 6; ++k) {
        least = fmin(least, same[k]);
    }
    printf("# rows\n");
    print_row("whole meshes over bytes sent, 12 000 fish", shoal.whole_bytes / shoal.sent_bytes, 50,
              300);
    print_row("whole meshes over bytes sent, 1000 characters",
              people.whole_bytes / people.sent_bytes, 20, 100);
    print_row("balance, 8 ranks, 100 000 fish: mean over largest", sea.balance, 0.7, 0.9);
    print_row("exact tests, one process over sum of ranks", least, 1, 1);
    print_row("memory, one process over largest of 8 ranks, 100 000 fish",
              plain.memory / sea.memory, 4, 7);
    print_row("neighbours, all over talked to, 8 ranks, 100 000 fish", 7 / sea.neighbours, 1.3, 2);
    printf("free fish: whole meshes over bytes sent %.3g\n", soft.whole_bytes / soft.sent_bytes);
    printf("cloth: %s\n",
           whole > 0 ? "rows of all numbers of ranks are those of one process" : "ROWS DIFFER");
}

static uint32_t count_of(const char* text) {
    return (uint32_t)strtoul(text, NULL, 10);
}

static void run_one(bool world, const char* name, uint32_t count, uint32_t steps) {
    if (strcmp(name, "cloth") == 0) {
        (world ? cloth_run : cloth_run_plain)(count, steps);
    } else {
        (world ? crowd_run : crowd_run_plain)(name, count, steps);
    }
}

int main(int argc, char** argv) {
    const bool world = argc == 5 && strcmp(argv[1], "run") == 0;
    const bool plain = argc == 5 && strcmp(argv[1], "plain") == 0;
    if (world) {
        MPI_Init(&argc, &argv);
    }
    if (world || plain) {
        run_one(world, argv[2], count_of(argv[3]), count_of(argv[4]));
    } else {
        run_rows(argv[0], argc > 1 && strcmp(argv[1], "--quick") == 0);
    }
    if (world) {
        MPI_Finalize();
    }
    return 0;
}
