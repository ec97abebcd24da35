// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The check of test_sweep_exact on millions of queries, in as many processes as there are processors.
// Usage: test_sweep_long [queries [seed [processes]]], 10000000 queries by default.
#define _POSIX_C_SOURCE 200809L  // processes, clocks

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "test_sweep_checks.h"

enum { PIECE = 50000 };  // queries between two lines of progress

static uint64_t query_count = 10000000;
static uint64_t first_seed = 1;
static uint32_t process_count = 0;

static void add_counts(sweep_counts* sum, const sweep_counts* part) {
    sum->contacts += part->contacts;
    sum->near += part->near;
    sum->undecided += part->undecided;
    sum->worst = fmax(sum->worst, part->worst);
}

// One process: checks every n-th piece and writes its counts to the pipe. A failed check prints its
// message and ends the process without counts.
static void run_pieces(uint32_t process, int pipe_end) {
    for (uint64_t first = (uint64_t)process * PIECE; first < query_count;
         first += (uint64_t)process_count * PIECE) {
        const uint64_t left = query_count - first;
        const sweep_counts counts = sweep_check_some(first_seed, first,
                                                     left < PIECE ? left : PIECE);
        if (write(pipe_end, &counts, sizeof counts) != (ssize_t)sizeof counts) {
            _exit(2);
        }
    }
    _exit(0);
}

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static sweep_counts gather(int pipe_end) {
    const uint64_t pieces = (query_count + PIECE - 1) / PIECE;
    const double start = seconds_now();
    sweep_counts sum = {0, 0, 0, 0};
    sweep_counts counts;
    for (uint64_t piece = 1; read(pipe_end, &counts, sizeof counts) == (ssize_t)sizeof counts;
         ++piece) {
        add_counts(&sum, &counts);
        if (piece % 10 == 0 || piece == pieces) {
            const double seconds = seconds_now() - start;
            print_message("%llu of %llu pieces, %.0f queries a second, %.0f s to go\n",
                          (unsigned long long)piece, (unsigned long long)pieces,
                          (double)(piece * PIECE) / seconds,
                          seconds * (double)(pieces - piece) / (double)piece);
            (void)fflush(stdout);
        }
    }
    return sum;
}

static void test_nothing_is_missed_in_millions(void** state) {
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    print_message("%llu queries, seed %llu, %u processes\n", (unsigned long long)query_count,
                  (unsigned long long)first_seed, process_count);
    (void)fflush(stdout);
    for (uint32_t p = 0; p < process_count; ++p) {
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            (void)close(ends[0]);
            run_pieces(p, ends[1]);
        }
    }
    (void)close(ends[1]);
    const sweep_counts counts = gather(ends[0]);
    (void)close(ends[0]);
    for (uint32_t p = 0; p < process_count; ++p) {
        int status = -1;
        assert_true(wait(&status) > 0);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    sweep_print(first_seed, query_count, &counts);
    assert_true(counts.contacts > query_count / 5);
    assert_true(counts.undecided <= query_count / 500);
}

int main(int argc, char** argv) {
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    query_count = argc > 1 ? strtoull(argv[1], NULL, 10) : query_count;
    first_seed = argc > 2 ? strtoull(argv[2], NULL, 10) : first_seed;
    process_count = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10)
                             : (uint32_t)(processors > 0 ? processors : 1);
    process_count = process_count > 0 ? process_count : 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_is_missed_in_millions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
