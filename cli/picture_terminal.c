// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Shows pictures in terminals: see picture_terminal.h.
//
// Based on: the kitty graphics protocol, the inline images protocol of iTerm2, and the VT330/VT340 manual
// for sixel.
#define _POSIX_C_SOURCE 200809L
#include "cli/picture_terminal.h"

#include "cli/base64.h"
#include "cli/message.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 3072, LEVELS = 6, COLOURS = LEVELS * LEVELS * LEVELS, BAND = 6 };

// ---- which protocol

static bool is_set(const char* variable) {
    const char* value = getenv(variable);
    return value != NULL && value[0] != '\0';
}

static bool is_one_of(const char* variable, const char* const* values, size_t count) {
    const char* value = getenv(variable);
    for (size_t i = 0; i < count && value != NULL; ++i) {
        if (strcmp(value, values[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool begins(const char* variable, const char* with) {
    const char* value = getenv(variable);
    return value != NULL && strncmp(value, with, strlen(with)) == 0;
}

static picture_protocol detect(void) {
    static const char* const kitty[] = {"xterm-kitty", "xterm-ghostty"};
    static const char* const kitty_programs[] = {"ghostty", "WezTerm"};
    static const char* const iterm[] = {"iTerm.app"};
    static const char* const sixel[] = {"foot", "foot-extra", "mlterm", "yaft-256color"};
    if (isatty(STDOUT_FILENO) != 1 || is_set("TMUX") || is_set("STY") || begins("TERM", "screen") ||
        begins("TERM", "tmux")) {
        return PICTURES_OFF;
    }
    if (is_one_of("TERM", kitty, 2) || is_one_of("TERM_PROGRAM", kitty_programs, 2)) {
        return PICTURES_KITTY;
    }
    if (is_one_of("TERM_PROGRAM", iterm, 1)) {
        return PICTURES_ITERM;
    }
    return is_one_of("TERM", sixel, 4) ? PICTURES_SIXEL : PICTURES_OFF;
}

bool picture_protocol_read(const char* text, picture_protocol* out) {
    static const char* const names[] = {"off", "kitty", "iterm", "sixel", "blocks"};
    if (strcmp(text, "auto") == 0) {
        *out = detect();
        return true;
    }
    for (int i = 0; i < 5; ++i) {
        if (strcmp(text, names[i]) == 0) {
            *out = (picture_protocol)i;
            return true;
        }
    }
    return false;
}

// ---- kitty and iTerm2: PNG files

// in pieces; q=2: the terminal must not answer
static void show_kitty(const uint8_t* bytes, size_t size) {
    for (size_t at = 0; at < size; at += PIECE) {
        const size_t piece = size - at < PIECE ? size - at : PIECE;
        printf("\033_G%sm=%d;", at == 0 ? "f=100,a=T,q=2," : "", at + piece < size);
        base64_write(stdout, bytes + at, piece);
        printf("\033\\");
    }
    printf("\n");
}

static void show_iterm(const uint8_t* bytes, size_t size) {
    printf("\033]1337;File=inline=1;size=%zu:", size);
    base64_write(stdout, bytes, size);
    printf("\a\n");
}

// ---- sixel: bands of six rows, colour by colour

// the nearest of six levels each of red, green and blue
static uint8_t cube_of(colour c) {
    const unsigned r = (c.r * (LEVELS - 1u) + 127) / 255;
    const unsigned g = (c.g * (LEVELS - 1u) + 127) / 255;
    const unsigned b = (c.b * (LEVELS - 1u) + 127) / 255;
    return (uint8_t)((r * LEVELS + g) * LEVELS + b);
}

static void print_palette(void) {
    for (int i = 0; i < COLOURS; ++i) {
        const int levels[3] = {i / LEVELS / LEVELS, i / LEVELS % LEVELS, i % LEVELS};
        printf("#%d;2;%d;%d;%d", i, 100 * levels[0] / (LEVELS - 1), 100 * levels[1] / (LEVELS - 1),
               100 * levels[2] / (LEVELS - 1));
    }
}

// a character for six pixels below each other, repeated
static void print_run(char c, uint32_t count) {
    if (count > 3) {
        printf("!%u%c", (unsigned)count, c);
    }
    for (uint32_t i = 0; i < count && count <= 3; ++i) {
        putchar(c);
    }
}

static void print_colour(const uint8_t* pixels, uint32_t width, uint32_t rows, uint8_t number) {
    char last = '?';
    uint32_t count = 0;
    printf("#%d", number);
    for (uint32_t x = 0; x < width; ++x) {
        unsigned bits = 0;
        for (uint32_t y = 0; y < rows; ++y) {
            bits |= (pixels[(size_t)width * y + x] == number ? 1u : 0u) << y;
        }
        const char c = (char)('?' + bits);
        if (c != last) {
            print_run(last, count);
            count = 0;
        }
        last = c;
        ++count;
    }
    if (last != '?') {
        print_run(last, count);
    }
    putchar('$');
}

static void show_sixel(const picture* p) {
    uint8_t* pixels = allocate((size_t)BAND * p->width, 1);
    printf("\033Pq\"1;1;%u;%u", (unsigned)p->width, (unsigned)p->height);
    print_palette();
    for (uint32_t top = 0; top < p->height; top += BAND) {
        const uint32_t rows = p->height - top < BAND ? p->height - top : BAND;
        bool used[COLOURS] = {false};
        for (uint32_t y = 0; y < rows; ++y) {
            for (uint32_t x = 0; x < p->width; ++x) {
                const uint8_t number = cube_of(picture_pixel(p, x, top + y));
                pixels[(size_t)p->width * y + x] = number;
                used[number] = true;
            }
        }
        for (int i = 0; i < COLOURS; ++i) {
            if (used[i]) {
                print_colour(pixels, p->width, rows, (uint8_t)i);
            }
        }
        putchar('-');
    }
    printf("\033\\\n");
    free(pixels);
}

void picture_show(const picture* p, picture_protocol by) {
    uint8_t* bytes = NULL;
    size_t size = 0;
    if (by == PICTURES_SIXEL) {
        show_sixel(p);
    } else if (by == PICTURES_BLOCKS) {
        picture_print(p);
    } else if (by != PICTURES_OFF && picture_png(p, 8, &bytes, &size)) {
        if (by == PICTURES_KITTY) {
            show_kitty(bytes, size);
        } else {
            show_iterm(bytes, size);
        }
        free(bytes);
    }
}
