// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Pictures of events in the terminal: what the protocols carry is decoded again, and nothing of the kind
// goes where it is not known to be understood.
#define _XOPEN_SOURCE 700
#include "test_png_support.h"

#include <fcntl.h>
#include <time.h>

enum { WIDTH = 360, HEIGHT = 240 };

static void write_scene(void) {
    static const char cube[] =
        "v %g 0 0\nv %g 2 0\nv %g 2 2\nv %g 0 2\nv %g 0 0\nv %g 2 0\nv %g 2 2\nv %g 0 2\n"
        "f 1 3 2\nf 1 4 3\nf 5 6 7\nf 5 7 8\nf 1 2 6\nf 1 6 5\nf 4 7 3\nf 4 8 7\nf 2 3 7\nf 2 7 6\n"
        "f 1 8 4\nf 1 5 8\n";
    for (int i = 0; i < 2; ++i) {
        char text[1024];
        const double lo = 1.5 * i;
        const double hi = lo + 2;
        snprintf(text, sizeof text, cube, lo, lo, lo, lo, hi, hi, hi, hi);
        write_file(i == 0 ? "a.obj" : "b.obj", text);
    }
}

// ---- decoding

static int digit_of(char c) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char* at = c != '\0' ? strchr(digits, c) : NULL;
    return at != NULL ? (int)(at - digits) : -1;
}

// appends the bytes of base64 text up to a character that has none
static const char* decode(const char* text, FILE* to) {
    while (digit_of(text[0]) >= 0) {
        const int d[4] = {digit_of(text[0]), digit_of(text[1]), digit_of(text[2]),
                          digit_of(text[3])};
        assert_true(d[1] >= 0);
        fputc((4 * d[0] + d[1] / 16) & 0xff, to);
        if (d[2] >= 0) {
            fputc((16 * d[1] + d[2] / 4) & 0xff, to);
        }
        if (d[3] >= 0) {
            fputc((64 * d[2] + d[3]) & 0xff, to);
        }
        text += 4;
    }
    return text;
}

static image decode_kitty(const char* out) {
    FILE* file = fopen("kitty.png", "wb");
    const char* at = strstr(out, "\033_G");
    bool more = true;
    assert_non_null(file);
    assert_non_null(at);
    assert_int_equal(strncmp(at, "\033_Gf=100,a=T,q=2,m=", 19), 0);
    for (int i = 0; more; ++i) {
        assert_int_equal(strncmp(at, "\033_G", 3), 0);
        const char* data = strchr(at, ';');
        assert_non_null(data);
        more = data[-1] == '1';
        const char* end = decode(data + 1, file);
        assert_true(end - data - 1 <= 4096);
        at = strstr(end, "\033\\");
        assert_true(at != NULL && at - end <= 2);  // '=' of the last one
        at += 2;
    }
    assert_int_equal(*at, '\n');
    fclose(file);
    return read_png("kitty.png");
}

static image decode_iterm(const char* out) {
    FILE* file = fopen("iterm.png", "wb");
    const char* at = strstr(out, "\033]1337;File=inline=1;size=");
    assert_non_null(file);
    assert_non_null(at);
    const long size = strtol(strstr(at, "size=") + 5, NULL, 10);
    const char* end = decode(strchr(at, ':') + 1, file);
    end += strspn(end, "=");
    assert_int_equal(*end, '\a');
    assert_int_equal(ftell(file), size);
    fclose(file);
    return read_png("iterm.png");
}

typedef struct sixel {
    uint8_t palette[256][3];
    uint8_t (*pixels)[3];
    size_t x;
    size_t top;
    int colour;
} sixel;

static void put_sixel(sixel* s, char c, long count) {
    assert_true(c >= '?' && c <= '~');
    for (long i = 0; i < count; ++i, ++s->x) {
        for (size_t y = 0; y < 6; ++y) {
            if ((c - '?') >> y & 1) {
                assert_true(s->x < WIDTH && s->top + y < HEIGHT);
                memcpy(s->pixels[(s->top + y) * WIDTH + s->x], s->palette[s->colour], 3);
            }
        }
    }
}

// "#n" chooses a colour, "#n;2;r;g;b" defines it in per cent
static const char* read_colour(sixel* s, const char* at) {
    char* end;
    s->colour = (int)strtol(at + 1, &end, 10);
    assert_true(s->colour < 256);
    if (*end == ';') {
        assert_int_equal(strtol(end + 1, &end, 10), 2);
        for (int k = 0; k < 3; ++k) {
            s->palette[s->colour][k] = (uint8_t)(strtol(end + 1, &end, 10) * 255 / 100);
        }
    }
    return end;
}

static void decode_sixel(const char* out, uint8_t (*pixels)[3]) {
    sixel s = {.pixels = pixels};
    const char* at = strstr(out, "\033Pq\"1;1;360;240");
    assert_non_null(at);
    at += strlen("\033Pq\"1;1;360;240");
    while (*at != '\033') {
        char* end;
        if (*at == '#') {
            at = read_colour(&s, at);
        } else if (*at == '!') {
            const long count = strtol(at + 1, &end, 10);
            put_sixel(&s, *end, count);
            at = end + 1;
        } else {
            if (*at == '$' || *at == '-') {
                s.x = 0;
                s.top += *at == '-' ? 6 : 0;
            } else {
                put_sixel(&s, *at, 1);
            }
            ++at;
        }
    }
    assert_int_equal(s.top, HEIGHT);
    assert_int_equal(at[1], '\\');
}

// ---- tests

static outcome check_with(const char* protocol) {
    char command[256];
    snprintf(command, sizeof command, "check a.obj b.obj --between --pictures %s", protocol);
    outcome o = run(command);
    assert_int_equal(o.code, 1);
    assert_string_equal(o.err, "");
    assert_non_null(strstr(o.out, "a.obj and b.obj, frame 0\n"));
    return o;
}

static size_t count_red(const image* i) {
    size_t count = 0;
    for (uint32_t y = 0; y < i->height; ++y) {
        const uint8_t* row = i->rows + y * (1 + 3 * (size_t)i->width) + 1;
        for (uint32_t x = 0; x < i->width; ++x) {
            count += row[3 * x] > 120 && row[3 * x + 1] < 70 && row[3 * x + 2] < 80;
        }
    }
    return count;
}

static void test_protocols_carry_the_same_picture(void** state) {
    (void)state;
    write_scene();
    outcome kitty = check_with("kitty");
    outcome iterm = check_with("iterm");
    outcome sixels = check_with("sixel");
    outcome blocks = check_with("blocks");
    image one = decode_kitty(kitty.out);
    image two = decode_iterm(iterm.out);
    uint8_t(*pixels)[3] = calloc((size_t)WIDTH * HEIGHT, 3);
    assert_non_null(pixels);
    assert_true(one.width == WIDTH && one.height == HEIGHT && two.width == WIDTH);
    assert_memory_equal(one.rows, two.rows, (size_t)HEIGHT * (1 + 3 * WIDTH));
    assert_true(count_red(&one) > 500);
    decode_sixel(sixels.out, pixels);
    for (size_t i = 0; i < (size_t)WIDTH * HEIGHT; ++i) {
        const uint8_t* p = one.rows + i / WIDTH * (1 + 3 * (size_t)WIDTH) + 1 + 3 * (i % WIDTH);
        for (int k = 0; k < 3; ++k) {
            assert_true(abs(p[k] - pixels[i][k]) <= 27);  // six levels each
        }
    }
    assert_non_null(strstr(blocks.out, "\u2580"));
    free(pixels);
    free(one.rows);
    free(two.rows);
    free_outcome(&kitty);
    free_outcome(&iterm);
    free_outcome(&sixels);
    free_outcome(&blocks);
}

// runs a command line on a terminal, and returns what appears there
static char* on_terminal(const char* environment, const char* arguments) {
    char line[1024];
    const int master = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
    snprintf(line, sizeof line, "env -u TMUX -u STY -u TERM_PROGRAM %s '%s' %s >%s 2>&1 </dev/null",
             environment, ABUT_COMMAND, arguments, ptsname(master));
    const int keep = open(ptsname(master),
                          O_RDWR | O_NOCTTY);  // so that the master never ends early
    assert_true(keep >= 0);
    const pid_t child = fork();
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", line, (char*)NULL);
        _exit(127);
    }
    char* text = calloc(1, 1 << 20);
    assert_non_null(text);
    assert_int_equal(fcntl(master, F_SETFL, O_NONBLOCK), 0);
    size_t used = 0;
    for (bool ended = false;;) {
        const ssize_t got = read(master, text + used, (1 << 20) - 1 - used);
        used += got > 0 ? (size_t)got : 0;
        if (got <= 0 && ended) {
            break;
        }
        if (got <= 0) {
            ended = waitpid(child, NULL, WNOHANG) == child;
            nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
        }
    }
    close(keep);
    close(master);
    return text;
}

static void test_only_known_terminals_get_pictures(void** state) {
    static const struct {
        const char* environment;
        const char* arguments;
        const char* wanted;  // NULL: nothing
    } cases[] = {
        {"TERM=xterm-kitty", "--events", "\033_G"},
        {"TERM=xterm-256color TERM_PROGRAM=WezTerm", "--events", "\033_G"},
        {"TERM=xterm-256color TERM_PROGRAM=iTerm.app", "--events", "\033]1337"},
        {"TERM=foot", "--events", "\033Pq"},
        {"TERM=xterm-256color", "--events", NULL},
        {"TERM=dumb", "--events", NULL},
        {"TERM=xterm-kitty", "", NULL},
        {"TERM=xterm-kitty", "--events --pictures off", NULL},
        {"TERM=xterm-kitty", "--events --quiet", NULL},
        {"TERM=xterm-kitty TMUX=x", "--events", NULL},
        {"TERM=screen-256color TERM_PROGRAM=WezTerm", "--events", NULL},
    };
    static const char* const all[] = {"\033_G", "\033]1337", "\033Pq"};
    (void)state;
    write_scene();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char arguments[256];
        snprintf(arguments, sizeof arguments, "check a.obj b.obj --between %s", cases[i].arguments);
        char* text = on_terminal(cases[i].environment, arguments);
        for (int k = 0; k < 3; ++k) {
            const bool wanted = cases[i].wanted != NULL && strcmp(cases[i].wanted, all[k]) == 0;
            if ((strstr(text, all[k]) != NULL) != wanted) {
                fail_msg("%s abut %s: %s", cases[i].environment, arguments,
                         wanted ? "no picture" : "a picture");
            }
        }
        free(text);
    }
    outcome o = run("check a.obj b.obj --between --events --pictures auto");  // no terminal
    assert_null(strchr(o.out, '\033'));
    free_outcome(&o);
}

static void test_refuses(void** state) {
    (void)state;
    write_scene();
    outcome o = run("check a.obj b.obj --pictures png");
    assert_int_equal(o.code, 2);
    assert_non_null(strstr(o.err, "--pictures needs off, auto, kitty, iterm, sixel or blocks"));
    free_outcome(&o);
}

int main(void) {
    const struct CMUnitTest tests[] = {IN_FOLDER(test_protocols_carry_the_same_picture),
                                       IN_FOLDER(test_only_known_terminals_get_pictures),
                                       IN_FOLDER(test_refuses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
