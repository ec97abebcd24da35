// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Draws progress bars: see progress.h.
#define _DEFAULT_SOURCE  // for the width of a terminal
#include "cli/progress.h"

#include "cli/terminal.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { MOST_BARS = 16, WIDTH = 24, LINE_SIZE = 512 };

typedef struct bar {
    uint64_t id;
    double start;
    const char* what;
    char name[NAME_SIZE];  // what is worked on; empty if there are steps
    uint64_t done;
    uint64_t total;
} bar;

static struct {
    pthread_mutex_t lock;
    int file;      // the terminal
    bool checked;  // `wanted` is known
    bool wanted;
    bool drawn;
    uint64_t last_id;
    bar bars[MOST_BARS];
    size_t count;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER, .file = STDERR_FILENO};

double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// ---- drawing; call with the lock held

// bypasses stdio: a process forked at this moment would inherit its lock
static void put(const char* text, size_t size) {
    all.drawn = write(all.file, text, size) > 0;
}

static void wipe(void) {
    if (all.drawn) {
        static const char text[] = "\r\x1b[K";
        put(text, sizeof text - 1);
        all.drawn = false;
    }
}

static size_t terminal_width(void) {
    struct winsize size = {0};
    return ioctl(all.file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

// the bytes of a text that fit in so many columns
static size_t fitting(const char* text, size_t columns) {
    size_t size = 0;
    for (; text[size] != '\0'; ++size) {
        if (((unsigned char)text[size] & 0xC0) != 0x80 && columns-- == 0) {
            break;
        }
    }
    return size;
}

static void describe(const bar* b, double seconds, char text[LINE_SIZE]) {
    const double part = b->total == 0 ? 0 : (double)b->done / (double)b->total;
    char filled[WIDTH + 1] = {0};
    char time[NUMBER_SIZE];
    for (int i = 0; i < WIDTH; ++i) {
        filled[i] = i < (int)(part * WIDTH) ? '=' : ' ';
    }
    if (b->done == 0) {  // a mark that moves back and forth shows activity
        const int turn = (int)fmod(seconds * 10, 2 * WIDTH);
        filled[turn < WIDTH ? turn : 2 * WIDTH - 1 - turn] = '=';
    }
    if (b->total == 0) {
        snprintf(text, LINE_SIZE, "[%s]  %s %s, %s", filled, b->what, b->name,
                 duration(floor(seconds * 10) / 10, time));
        return;
    }
    const uint64_t now = b->done < b->total ? b->done + 1 : b->total;
    const bool known = b->done != 0;  // the time of a step is known
    snprintf(text, LINE_SIZE, "[%s] %3.0f %%  %s %llu of %llu, %s%s", filled, 100 * part, b->what,
             (unsigned long long)now, (unsigned long long)b->total,
             duration(known ? ceil(seconds * (1 - part) / part) : floor(seconds * 10) / 10, time),
             known ? " left" : "");
}

static void draw(void) {
    if (!all.wanted || all.count == 0) {
        return;
    }
    const bar* b = &all.bars[all.count - 1];
    char text[LINE_SIZE];
    char line[LINE_SIZE + 16];
    describe(b, seconds_now() - b->start, text);
    const int size = snprintf(line, sizeof line, "\r%.*s\x1b[K",
                              (int)fitting(text, terminal_width() - 1), text);
    put(line, (size_t)size);
}

static void* draw_loop(void* unused) {
    const struct timespec first = {.tv_nsec = 50000000};
    const struct timespec pause = {.tv_nsec = 100000000};
    nanosleep(&first, NULL);
    for (;;) {
        pthread_mutex_lock(&all.lock);
        draw();
        pthread_mutex_unlock(&all.lock);
        nanosleep(&pause, NULL);
    }
    return unused;
}

// ---- bars

// starts the drawing thread with all signals blocked, so that others handle them
static bool start_thread(void) {
    pthread_t thread;
    sigset_t every;
    sigset_t before;
    sigfillset(&every);
    pthread_sigmask(SIG_BLOCK, &every, &before);
    const bool started = pthread_create(&thread, NULL, draw_loop, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started && pthread_detach(thread) == 0;
}

static void check_terminal_once(void) {
    if (!all.checked) {
        const char* kind = getenv("TERM");
        all.checked = true;
        all.wanted = isatty(all.file) == 1 && kind != NULL && strcmp(kind, "dumb") != 0 &&
                     start_thread();
    }
}

static progress begin(const char* what, const char* name, uint64_t total) {
    progress p = {.start = seconds_now()};
    pthread_mutex_lock(&all.lock);
    check_terminal_once();
    if (all.wanted && all.count < MOST_BARS) {
        bar* b = &all.bars[all.count++];
        *b = (bar){.id = ++all.last_id, .start = p.start, .what = what, .total = total};
        if (name != NULL) {
            shown_name(name, WIDTH, b->name);
        }
        p.id = b->id;
    }
    pthread_mutex_unlock(&all.lock);
    return p;
}

progress progress_begin(const char* what, uint64_t total) {
    return begin(what, NULL, total);
}

progress progress_begin_on(const char* what, const char* name) {
    return begin(what, name, 0);
}

// the index of a bar; `count` if it has ended
static size_t place_of(const progress* p) {
    size_t i = 0;
    while (i < all.count && all.bars[i].id != p->id) {
        ++i;
    }
    return i;
}

void progress_step(progress* p, uint64_t done) {
    if (p->id == 0) {
        return;
    }
    pthread_mutex_lock(&all.lock);
    const size_t place = place_of(p);
    if (place < all.count) {
        all.bars[place].done = done;
    }
    pthread_mutex_unlock(&all.lock);
}

void progress_end(progress* p) {
    if (p->id == 0) {
        return;
    }
    pthread_mutex_lock(&all.lock);
    const size_t place = place_of(p);
    if (place < all.count) {
        memmove(&all.bars[place], &all.bars[place + 1],
                (all.count - place - 1) * sizeof all.bars[0]);
        --all.count;
    }
    wipe();
    pthread_mutex_unlock(&all.lock);
}

void progress_wipe(void) {
    pthread_mutex_lock(&all.lock);
    wipe();
    pthread_mutex_unlock(&all.lock);
}

void progress_show_on(int file) {
    pthread_mutex_lock(&all.lock);
    all.file = file;
    pthread_mutex_unlock(&all.lock);
}

void progress_silence(void) {
    pthread_mutex_lock(&all.lock);
    wipe();
    all.checked = true;
    all.wanted = false;
    pthread_mutex_unlock(&all.lock);
}
