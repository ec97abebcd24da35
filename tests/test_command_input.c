// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Input of the command: standard input, gzip, unknown formats, errors in files; and the progress
// bar on a terminal.
#define _GNU_SOURCE  // for a terminal of our own
#include "test_command_support.h"

#include "support/gltf_maker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <time.h>
#include <zlib.h>

static void write_bytes(const char* name, const void* bytes, size_t size) {
    FILE* file = fopen(name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void write_glb(const char* name) {
    static gltf_maker m;
    static const float xyz[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    size_t size = 0;
    gltf_maker_begin(&m);
    gltf_maker_add(&m, xyz, sizeof xyz, 3, MADE_FLOAT, "VEC3", "");
    char* bytes = gltf_maker_glb(&m,
                                 "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]"
                                 ",\"nodes\":[{\"mesh\":0}]",
                                 &size);
    write_bytes(name, bytes, size);
    free(bytes);
}

static void pack(const char* name, const char* packed) {
    char* text = read_whole(name);
    struct stat info;
    assert_int_equal(stat(name, &info), 0);
    gzFile file = gzopen(packed, "wb");
    assert_non_null(file);
    assert_int_equal(gzwrite(file, text, (unsigned)info.st_size), info.st_size);
    assert_int_equal(gzclose(file), Z_OK);
    free(text);
}

static const char* const off_text = "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
static const char* const stl_text =
    "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\n"
    "endfacet\nendsolid\n";
static const char* const ply_text =
    "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
    "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
    "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";

static void write_inputs(void) {
    write_square("a.obj", 0, 0, 0);
    write_file("a.off", off_text);
    write_file("a.stl", stl_text);
    write_file("a.ply", ply_text);
    write_glb("a.glb");
}

static void assert_format(const char* arguments, const char* name, const char* format) {
    outcome o = run_expecting(arguments, 0);
    assert_json_text(json_root(o.out), "objects 0 name", name);
    assert_json_text(json_root(o.out), "objects 0 format", format);
    assert_string_equal(o.err, "");
    free_outcome(&o);
}

static void test_standard_input(void** state) {
    (void)state;
    write_inputs();
    assert_format("info - --json - <a.obj", "standard input", "OBJ");
    assert_format("info - --json - <a.off", "standard input", "OFF");
    assert_format("info - --json - <a.stl", "standard input", "STL");
    assert_format("info - --json - <a.ply", "standard input", "PLY");
    assert_format("info - --json - <a.glb", "standard input", "glTF");
    pack("a.glb", "a.glb.gz");
    assert_format("info - --json - <a.glb.gz", "standard input", "glTF");
    write_crossing("b.obj");
    assert_exit("check - b.obj <a.obj", 1);
    // all threads, each with its own frames, see the same mesh
    write_square("f_1.obj", 0, 0, 0);
    write_square("f_2.obj", 0, 0, 0);
    assert_json_number("check - 'f_*.obj' --between --jobs 2 --json - <b.obj", 1,
                       "summary frames_touching", 2);
    assert_refuses("check - </dev/null", "standard input: the file is empty");
    assert_refuses("check - <.out", "standard input");
    write_file("bad.obj", "v 0 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 30\n");
    assert_refuses("check - <bad.obj", "standard input: face 1 (line 4)");
}

static void test_packed_files(void** state) {
    (void)state;
    write_inputs();
    pack("a.obj", "p.obj.gz");
    pack("a.ply", "p.PLY.GZ");
    pack("a.off", "p.off.gz");
    pack("a.stl", "p.stl.gz");
    pack("a.glb", "p.glb.gz");
    assert_format("info p.obj.gz --json -", "p.obj.gz", "OBJ");
    assert_format("info p.PLY.GZ --json -", "p.PLY.GZ", "PLY");
    assert_format("info p.off.gz --json -", "p.off.gz", "OFF");
    assert_format("info p.stl.gz --json -", "p.stl.gz", "STL");
    assert_format("info p.glb.gz --json -", "p.glb.gz", "glTF");
    pack("a.obj", "f_07.obj.gz");
    pack("a.obj", "f_08.obj.gz");
    assert_json_number("check 'f_*.obj.gz' --json -", 0, "frames 1 number", 8);
    pack("a.obj", "solid.fbx.gz");
    assert_refuses("check solid.fbx.gz", "solid.fbx.gz|unpack it first");
    pack("a.obj", "c.pc2.gz");
    assert_refuses("check a.obj+c.pc2.gz", "c.pc2.gz|point cache|unpack it");
}

static void test_packed_files_that_are_damaged(void** state) {
    (void)state;
    write_inputs();
    pack("a.obj", "p.obj.gz");
    struct stat info;
    assert_int_equal(stat("p.obj.gz", &info), 0);
    FILE* file = fopen("p.obj.gz", "rb");
    char bytes[4096];
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_int_equal(size, info.st_size);
    write_bytes("cut.obj.gz", bytes, size - 9);
    assert_refuses("check cut.obj.gz", "cut.obj.gz|end early|cut off");
    bytes[size - 6] ^= 1;  // the checksum
    write_bytes("bad.obj.gz", bytes, size);
    assert_refuses("check bad.obj.gz", "bad.obj.gz|damaged");
    write_bytes("head.obj.gz", bytes, 3);
    assert_refuses("check head.obj.gz", "head.obj.gz|end early");
}

// two gzip members, one after the other, are one file
static void test_packed_in_two_pieces(void** state) {
    (void)state;
    write_file("one", "v 0 0 0\nv 1 0 0\n");
    write_file("two", "v 0 1 0\nf 1 2 3\n");
    pack("one", "one.gz");
    pack("two", "two.gz");
    assert_int_equal(system("cat one.gz two.gz >both.obj.gz"), 0);
    assert_format("info both.obj.gz --json -", "both.obj.gz", "OBJ");
}

// a small file that unpacks to a huge one
static void test_file_that_unpacks_to_too_much_is_refused(void** state) {
    (void)state;
    static char zeros[1 << 20];
    memset(zeros, '\n', sizeof zeros);
    gzFile file = gzopen("bomb.obj.gz", "wb9");
    assert_non_null(file);
    for (int i = 0; i < 80; ++i) {
        assert_int_equal(gzwrite(file, zeros, sizeof zeros), sizeof zeros);
    }
    assert_int_equal(gzclose(file), Z_OK);
    assert_refuses("check bomb.obj.gz", "bomb.obj.gz|unpacks to more than 64 MiB|gunzip");
}

static void test_obj_errors_count_as_obj_does(void** state) {
    (void)state;
    static const struct {
        const char* text;
        const char* said;
    } cases[] = {
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n",
         "face 1 (line 4) uses vertex 9, but there are only 3 vertices, 1 to 3"},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 2 -4\n",
         "face 2 (line 5) uses vertex -4|a negative number counts back|only 3 come before it"},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 0\n", "face 1 (line 4) uses vertex 0|count from 1"},
        {"v 0 0 0\nv 1 x 0\n", "vertex 2 (line 2) has 'x'"},
        {"v 0 0 0\nv 1 inf 0\n", "vertex 2 (line 2)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        write_file("bad.obj", cases[i].text);
        assert_refuses("check bad.obj", cases[i].said);
    }
    write_file("bad.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 7\n");  // OFF counts from 0
    assert_refuses("check bad.off", "face 0 (line 6) uses vertex 7|only 3 vertices, 0 to 2");
}

// the message names every known ending
static void test_unknown_format_lists_all_formats(void** state) {
    (void)state;
    static const char* const endings[] = {"obj", "ply",   "off", "stl", "gltf", "glb",
                                          "fbx", "dae",   "3ds", "3mf", "x",    "x3d",
                                          "lwo", "ms3d",  "ase", "ac",  "b3d",  "md2",
                                          "md3", "blend", "smd", "amf"};
    write_file("picture.png", "\x89PNG\r\n");
    outcome o = run_expecting("check picture.png", 2);
    assert_says("check", o.err,
                "OBJ, PLY, OFF, STL|.npz|.gltf|.glb|.pc2|.mdd|.f32|.gz|standard input");
    for (size_t i = 0; i < sizeof endings / sizeof *endings; ++i) {
        char name[32];
        char arguments[64];
        if (i >= 4) {
            snprintf(name, sizeof name, ".%s", endings[i]);
            assert_says("check picture.png", o.err, name);
        }
        snprintf(name, sizeof name, "junk.%s", endings[i]);
        snprintf(arguments, sizeof arguments, "check junk.%s", endings[i]);
        write_file(name, "\x89PNG\r\n");
        outcome junk = run_expecting(arguments, 2);
        assert_null(strstr(junk.err, "none of the formats"));
        free_outcome(&junk);
    }
    free_outcome(&o);
}

// ---- the bar

typedef struct heard {
    char text[1 << 16];
    size_t size;
    double first;  // seconds until the first byte
    bool taken;    // the command has read the mesh
    int status;
} heard;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void run_child(const char* terminal, const char* kind, const char* object) {
    const int err = open(terminal, O_RDWR | O_NOCTTY);
    const int out = open(".out", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (err < 0 || out < 0 || dup2(err, 2) != 2 || dup2(out, 1) != 1 ||
        setenv("TERM", kind, 1) != 0) {
        _exit(99);
    }
    execl(ABUT_COMMAND, "abut", "check", object, (char*)NULL);
    _exit(98);
}

// the output of the command on a terminal, while it waits for a mesh that is sent late
static void listen_to(const char* kind, const char* object, heard* h) {
    const int own = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(own >= 0 && grantpt(own) == 0 && unlockpt(own) == 0);
    char terminal[128];
    assert_int_equal(ptsname_r(own, terminal, sizeof terminal), 0);
    // keeps the terminal open after the command has ended
    const int keep = open(terminal, O_RDWR | O_NOCTTY);
    int mesh[2];
    assert_int_equal(pipe(mesh), 0);
    signal(SIGPIPE, SIG_IGN);  // a command that ends early fails the test like any other error
    const double start = now();
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(mesh[1]);
        dup2(mesh[0], 0);
        run_child(terminal, kind, object);
    }
    close(mesh[0]);
    h->size = 0;
    h->first = -1;
    bool sent = false;
    for (;;) {
        struct pollfd from = {.fd = own, .events = POLLIN};
        if (poll(&from, 1, 20) == 1 && h->size + 1 < sizeof h->text) {
            const ssize_t got = read(own, h->text + h->size, sizeof h->text - 1 - h->size);
            assert_true(got > 0);
            h->first = h->first < 0 ? now() - start : h->first;
            h->size += (size_t)got;
        } else if (sent && waitpid(child, &h->status, WNOHANG) == child) {
            break;
        }
        if (!sent && (h->first >= 0 || now() - start > 3)) {
            static const char text[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
            h->taken = write(mesh[1], text, sizeof text - 1) == (ssize_t)sizeof text - 1;
            close(mesh[1]);
            sent = true;
        }
    }
    h->text[h->size] = '\0';
    close(keep);
    close(own);
}

// The command waits for its mesh, which is sent only after the bar was shown. So the bar is seen
// during preparation on a machine of any speed.
static void test_bar_is_shown_during_preparation(void** state) {
    (void)state;
    static heard h;
    listen_to("xterm", "-", &h);
    assert_true(h.taken);
    assert_true(WIFEXITED(h.status) && WEXITSTATUS(h.status) == 0);
    if (h.first < 0) {
        fail_msg("no bar was shown in 3 s");
    }
    assert_says("check -", h.text, "\r[|standard input");
    // the bar is erased at the end
    assert_true(h.size >= 4);
    assert_string_equal(h.text + h.size - 4, "\r\x1b[K");
    print_message("the bar was there after %.0f ms\n", 1e3 * h.first);
}

static void test_no_bar_on_dumb_or_missing_terminals(void** state) {
    (void)state;
    static heard h;
    write_square("a.obj", 0, 0, 0);
    listen_to("dumb", "-", &h);
    assert_int_equal(h.size, 0);
    outcome o = run_expecting("check a.obj", 0);  // no terminal
    assert_string_equal(o.err, "");
    free_outcome(&o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_standard_input),
        IN_FOLDER(test_packed_files),
        IN_FOLDER(test_packed_files_that_are_damaged),
        IN_FOLDER(test_packed_in_two_pieces),
        IN_FOLDER(test_file_that_unpacks_to_too_much_is_refused),
        IN_FOLDER(test_obj_errors_count_as_obj_does),
        IN_FOLDER(test_unknown_format_lists_all_formats),
        IN_FOLDER(test_bar_is_shown_during_preparation),
        IN_FOLDER(test_no_bar_on_dumb_or_missing_terminals),
    };
    return cmocka_run_group_tests_name("command_input", tests, NULL, NULL);
}
