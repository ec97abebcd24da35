// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Files that the command writes: conversions without loss, reductions with a stated error, and
// contacts for other programs.
#define _POSIX_C_SOURCE 200809L
#include "io/alike.h"
#include "io/cache.h"
#include "io/output.h"
#include "io/mesh_file.h"
#include "support/random.h"
#include "test_command_support.h"

#include <math.h>
#include <time.h>

enum { VERTICES = 12, FRAMES = 9 };

// a fan of triangles over random vertices
static void write_fan(const char* name, test_random* random) {
    FILE* file = fopen(name, "w");
    assert_non_null(file);
    for (int i = 0; i < VERTICES; ++i) {
        fprintf(file, "v %.9g %.9g %.9g\n", random_double(random, -1, 1),
                random_double(random, -1, 1), random_double(random, -1, 1));
    }
    for (int i = 1; i + 2 <= VERTICES; ++i) {
        fprintf(file, "f 1 %d %d\n", i + 1, i + 2);
    }
    assert_int_equal(fclose(file), 0);
}

static void write_cache(const char* name, const float* xyz, size_t frames) {
    io_pc2_writer w;
    io_error error = {""};
    assert_true(io_pc2_begin(&w, name, VERTICES, frames, &error));
    for (size_t f = 0; f < frames; ++f) {
        io_pc2_add(&w, xyz + 3 * VERTICES * f);
    }
    assert_true(io_pc2_end(&w, &error));
    assert_true(io_outputs_commit(&error));
}

static void random_frames(test_random* random, float xyz[3 * VERTICES * FRAMES]) {
    for (size_t i = 0; i < 3 * VERTICES * FRAMES; ++i) {
        xyz[i] = (float)random_double(random, -1, 1);
    }
}

static size_t bytes_of(const char* name, char** bytes) {
    struct stat info;
    assert_int_equal(stat(name, &info), 0);
    FILE* file = fopen(name, "rb");
    assert_non_null(file);
    *bytes = malloc((size_t)info.st_size + 1);
    assert_non_null(*bytes);
    assert_int_equal(fread(*bytes, 1, (size_t)info.st_size, file), info.st_size);
    fclose(file);
    return (size_t)info.st_size;
}

static void assert_same_bytes(const char* a, const char* b) {
    char* of_a;
    char* of_b;
    const size_t size = bytes_of(a, &of_a);
    if (bytes_of(b, &of_b) != size || memcmp(of_a, of_b, size) != 0) {
        fail_msg("%s and %s differ", a, b);
    }
    free(of_a);
    free(of_b);
}

// ---- caches

static void test_pc2_round_trip_keeps_all_bits(void** unused) {
    (void)unused;
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        test_random random = random_seed(seed);
        float xyz[3 * VERTICES * FRAMES];
        random_frames(&random, xyz);
        xyz[5] = 0;
        xyz[7] = 1e-40F;  // a denormal
        xyz[9] = -0.0F;
        write_fan("a.obj", &random);
        write_cache("a.pc2", xyz, FRAMES);
        assert_exit("convert a.obj+a.pc2 b.pc2", 0);
        assert_same_bytes("a.pc2", "b.pc2");
        assert_exit("convert a.obj+a.pc2 c_%03d.obj", 0);
        assert_exit("convert 'c_*.obj' d.pc2", 0);
        assert_same_bytes("a.pc2", "d.pc2");
        assert_exit("convert a.obj+a.pc2 part.pc2 --frames 2:4", 0);
        io_cache part;
        io_error error = {""};
        float frame[3 * VERTICES];
        assert_true(io_cache_open("part.pc2", &part, &error));
        assert_int_equal(part.frame_count, 3);
        assert_true(io_cache_read(&part, 1, 1, frame, &error));
        assert_memory_equal(frame, xyz + 3 * 3 * VERTICES, sizeof frame);
        io_cache_close(&part);
        assert_int_equal(unlink("b.obj") | unlink("d.obj") | unlink("part.obj"), 0);
    }
}

// the rows of a CSV without the last two columns (the names of the objects) and the frame numbers
static char* without_names(const char* path) {
    char* table = read_whole(path);
    char* out = table;
    for (char* line = table; *line != '\0';) {
        char* end = line + strcspn(line, "\n");
        char* cut = end;
        for (int commas = 0; commas < 3; commas += *cut == ',') {
            assert_true(--cut > line);
        }
        memmove(out, line, (size_t)(cut - line));
        out += cut - line;
        *out++ = '\n';
        line = end + (*end == '\n');
    }
    *out = '\0';
    return table;
}

// the same frames as PC2, MDD, raw floats and meshes give the same pairs
static void test_caches_agree(void** unused) {
    (void)unused;
    test_random random = random_seed(7);
    float xyz[3 * VERTICES * FRAMES];
    random_frames(&random, xyz);
    write_fan("a.obj", &random);
    write_cache("a.pc2", xyz, FRAMES);
    FILE* mdd = fopen("a.mdd", "wb");
    assert_non_null(mdd);
    const uint32_t head[2 + FRAMES] = {FRAMES, VERTICES};
    for (size_t i = 0; i < 2 + FRAMES + 3 * VERTICES * FRAMES; ++i) {
        uint32_t bits = i < 2 + FRAMES ? head[i] : 0;
        if (i >= 2 + FRAMES) {
            memcpy(&bits, &xyz[i - 2 - FRAMES], sizeof bits);
        }
        const uint8_t big[4] = {(uint8_t)(bits >> 24), (uint8_t)(bits >> 16), (uint8_t)(bits >> 8),
                                (uint8_t)bits};
        assert_int_equal(fwrite(big, 1, 4, mdd), 4);
    }
    fclose(mdd);
    for (size_t f = 0; f < FRAMES; ++f) {
        char name[32];
        snprintf(name, sizeof name, "a_%zu.f32", f);
        FILE* raw = fopen(name, "wb");
        assert_non_null(raw);
        assert_int_equal(fwrite(xyz + 3 * VERTICES * f, 12, VERTICES, raw), VERTICES);
        fclose(raw);
    }
    assert_exit("convert a.obj+a.pc2 m_%d.obj", 0);
    static const char* const objects[] = {"a.obj+a.pc2", "a.obj+a.mdd", "'a.obj+a_*.f32'",
                                          "'m_*.obj'"};
    char* first = NULL;
    for (size_t i = 0; i < 4; ++i) {
        char arguments[256];
        snprintf(arguments, sizeof arguments, "check %s --self --neighbours --csv out.csv --json -",
                 objects[i]);
        outcome o = run_expecting(arguments, 1);
        assert_json_text(json_root(o.out), "objects 0 motion", "flight");
        assert_int_equal(json_size(json_at(json_root(o.out), "frames")), FRAMES);
        free_outcome(&o);
        char* table = without_names("out.csv");
        if (first != NULL) {
            assert_string_equal(table, first);
            free(table);
        } else {
            first = table;
        }
    }
    free(first);
}

static void put(const char* name, const void* bytes, size_t size) {
    FILE* file = fopen(name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static void test_bad_caches_are_named(void** unused) {
    (void)unused;
    test_random random = random_seed(3);
    float xyz[3 * VERTICES * FRAMES];
    char* good;
    random_frames(&random, xyz);
    write_fan("a.obj", &random);
    write_cache("a.pc2", xyz, FRAMES);
    const size_t size = bytes_of("a.pc2", &good);
    for (size_t cut = 0; cut < size; cut += 1 + cut / 3) {
        put("cut.pc2", good, cut);
        assert_refuses("check a.obj+cut.pc2", "cut.pc2");
    }
    static const struct {
        size_t place;
        uint32_t value;
        const char* says;
    } cases[] = {
        {12, 2, "version 1"},
        {16, 0, "0 vertices|damaged"},
        {16, 0xffffffff, "damaged"},
        {16, VERTICES - 1, "belong together"},
        {28, 0, "0 frames"},
        {28, 0x80000000, "damaged"},
        {28, 0x7fffffff, "cut off"},
        {32 + 12, 0x7fc00000, "vertex 1|not finite|frame 0"},
        {32 + 12 * VERTICES, 0x7f800000, "vertex 0|not finite|frame 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char* bad = malloc(size);
        assert_non_null(bad);
        memcpy(bad, good, size);
        for (size_t k = 0; k < 4; ++k) {
            bad[cases[i].place + k] = (char)(cases[i].value >> 8 * k);
        }
        put("bad.pc2", bad, size);
        free(bad);
        assert_refuses("check a.obj+bad.pc2", cases[i].says);
    }
    put("huge.mdd", "\x7f\xff\xff\xff\x3f\xff\xff\xff", 8);
    assert_refuses("check a.obj+huge.mdd", "huge.mdd|cut off");
    put("minus.mdd", "\xff\xff\xff\xff\xff\xff\xff\xff", 8);
    assert_refuses("check a.obj+minus.mdd", "minus.mdd|damaged");
    put("odd.f32", "12345", 5);
    assert_refuses("check a.obj+odd.f32", "odd.f32|multiple of 12");
    assert_refuses("check a.obj+nowhere.pc2", "nowhere.pc2");
    free(good);
}

// the partition of vertices by all frames, against a comparison of all pairs
static void test_vertex_classes_equal_all_pairs(void** unused) {
    (void)unused;
    enum { COUNT = 60, STEPS = 4 };
    for (uint64_t seed = 1; seed <= 50; ++seed) {
        test_random random = random_seed(seed);
        static float frames[STEPS][3 * COUNT];
        uint32_t classes[COUNT];
        io_alike alike;
        assert_true(io_alike_begin(&alike, COUNT));
        for (size_t s = 0; s < STEPS; ++s) {
            for (size_t i = 0; i < 3 * COUNT; ++i) {
                // few different places; vertices v and v + COUNT / 3 move alike
                frames[s][i] = i >= 3 * COUNT / 3 ? frames[s][i % (3 * COUNT / 3)]
                                                  : (float)random_below(&random, 2);
            }
            frames[s][3 * (size_t)random_below(&random, COUNT)] += 1;
            assert_true(io_alike_part(&alike, NULL, frames[s]));
        }
        io_alike_classes(&alike, classes);
        for (uint32_t v = 0; v < COUNT; ++v) {
            uint32_t lowest = v;
            for (uint32_t u = v; u-- > 0;) {
                bool same = true;
                for (size_t s = 0; s < STEPS; ++s) {
                    for (size_t k = 0; k < 3; ++k) {
                        same = same && frames[s][3 * u + k] == frames[s][3 * v + k];
                    }
                }
                lowest = same ? u : lowest;
            }
            if (classes[v] != lowest) {
                fail_msg("seed %llu: vertex %u is of class %u, not %u", (unsigned long long)seed, v,
                         classes[v], lowest);
            }
        }
        io_alike_free(&alike);
    }
}

// ---- reductions

// frames that are combinations of two shapes need two targets; one is too few
static void test_reduction_states_its_error(void** unused) {
    (void)unused;
    test_random random = random_seed(5);
    float base[3][3 * VERTICES];
    float xyz[3 * VERTICES * FRAMES];
    for (size_t i = 0; i < 3 * 3 * VERTICES; ++i) {
        base[i / (3 * VERTICES)][i % (3 * VERTICES)] = (float)random_double(&random, -1, 1);
    }
    for (size_t f = 0; f < FRAMES; ++f) {
        for (size_t i = 0; i < 3 * VERTICES; ++i) {
            xyz[3 * VERTICES * f + i] = base[0][i] + (float)cos((double)f) * base[1][i] +
                                        0.3F * (float)sin((double)f) * base[2][i];
        }
    }
    write_fan("a.obj", &random);
    write_cache("a.pc2", xyz, FRAMES);
    double stated[3] = {0};
    for (int m = 1; m <= 2; ++m) {
        char arguments[128];
        snprintf(arguments, sizeof arguments, "convert a.obj+a.pc2 r%d.glb --reduce %d", m, m);
        outcome o = run_expecting(arguments, 0);
        assert_says(arguments, o.out, "largest distance to the original is ");
        stated[m] = strtod(strstr(o.out, "original is ") + 12, NULL);
        free_outcome(&o);
        // the stated error is that of the file
        snprintf(arguments, sizeof arguments, "convert r%d.glb back%d.pc2", m, m);
        assert_exit(arguments, 0);
        io_cache back;
        io_error error = {""};
        char name[32];
        float frame[3 * VERTICES];
        double worst = 0;
        snprintf(name, sizeof name, "back%d.pc2", m);
        assert_true(io_cache_open(name, &back, &error));
        assert_int_equal(back.frame_count, FRAMES);
        for (size_t f = 0; f < FRAMES; ++f) {
            assert_true(io_cache_read(&back, f, 1, frame, &error));
            for (size_t v = 0; v < VERTICES; ++v) {
                double sum = 0;
                for (size_t k = 3 * v; k < 3 * v + 3; ++k) {
                    sum += pow((double)frame[k] - (double)xyz[3 * VERTICES * f + k], 2);
                }
                worst = fmax(worst, sqrt(sum));
            }
        }
        io_cache_close(&back);
        if (!(fabs(worst - stated[m]) < 1e-5)) {
            fail_msg("%d targets: the stated error is %g, the error of the file %g", m, stated[m],
                     worst);
        }
    }
    assert_true(stated[1] > 0.01);
    assert_true(stated[2] < 1e-5);
    assert_exit("convert a.obj+a.pc2 all.glb", 0);
    outcome o = run_expecting("info all.glb --json -", 0);
    assert_json_text(json_root(o.out), "objects 0 motion", "modal");
    assert_int_equal(json_number(json_root(o.out), "objects 0 frames"), FRAMES);
    assert_int_equal(json_number(json_root(o.out), "objects 0 fields"), FRAMES - 1);
    assert_int_equal(json_number(json_root(o.out), "objects 0 animations 0 frames"), FRAMES);
    free_outcome(&o);
}

static void test_targets_move_in_turn(void** unused) {
    (void)unused;
    write_square("a.obj", 0, 0, 0);
    const float up[12] = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1};
    const float aside[12] = {1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0};
    put("b_up.f32", up, sizeof up);
    put("c_aside.f32", aside, sizeof aside);
    assert_exit("convert a.obj t.glb --targets '*.f32' --fps 10", 0);
    assert_exit("convert t.glb t.pc2 --fps 10", 0);
    io_cache cache;
    io_error error = {""};
    float frame[12];
    assert_true(io_cache_open("t.pc2", &cache, &error));
    assert_int_equal(cache.frame_count, 21);
    assert_true(io_cache_read(&cache, 5, 1, frame, &error));
    assert_true(fabsf(frame[2] - 1) < 1e-6F && fabsf(frame[0]) < 1e-6F);
    assert_true(io_cache_read(&cache, 15, 1, frame, &error));
    assert_true(fabsf(frame[2]) < 1e-6F && fabsf(frame[0] - 1) < 1e-6F);
    io_cache_close(&cache);
    put("d_bad.f32", up, 44);
    assert_refuses("convert a.obj t.glb --targets '*.f32'", "d_bad.f32|44 bytes");
    assert_refuses("convert a.obj t.glb --targets 'x*.f32'", "no file matches");
}

static void test_convert_refuses(void** unused) {
    (void)unused;
    write_square("a.obj", 0, 0, 0);
    write_crossing("b_2.obj");
    write_square("b_1.obj", 0, 0, 0);
    assert_refuses("convert a.obj", "needs an object and a file");
    assert_refuses("convert a.obj a.obj", "overwrite");
    assert_refuses("convert a.obj a.xyz", ".obj, .pc2, .glb");
    assert_refuses("convert a.obj a", ".obj, .pc2, .glb");
    assert_refuses("convert a.obj b.pc2 --reduce 3", "--reduce");
    assert_refuses("convert 'b_*.obj' b.pc2", "triangles change in frame 2");
    assert_refuses("convert 'b_*.obj' b.glb", "triangles change in frame 2");
    assert_refuses("convert a.obj nowhere/b.obj", "nowhere/b.obj|cannot be written");
    assert_exit("convert 'b_*.obj' c.obj", 0);
    assert_same_bytes("c_0001.obj", "c_0001.obj");
}

// ---- VTK

// the number of a tag's attribute, such as NumberOfPoints="12"
static size_t attribute(const char* text, const char* name) {
    const char* at = strstr(text, name);
    assert_non_null(at);
    assert_memory_equal(at + strlen(name), "=\"", 2);
    return (size_t)strtoul(at + strlen(name) + 2, NULL, 10);
}

// bytes of an array's base64, and the byte count in front of it
static void check_array(const char* text, const char* name, size_t bytes) {
    char mark[64];
    snprintf(mark, sizeof mark, "Name=\"%s\"", name);
    const char* at = strstr(text, mark);
    assert_non_null(at);
    const char* from = strchr(at, '>') + 1;
    const size_t length = strcspn(from, "<");
    assert_int_equal(length % 4, 0);
    size_t decoded = length / 4 * 3;
    decoded -= from[length - 1] == '=';
    decoded -= from[length - 2] == '=';
    assert_int_equal(decoded, bytes + 8);
}

// tags are closed in the order of opening
static void check_tags(const char* text) {
    char open[16][64];
    size_t depth = 0;
    for (const char* at = strchr(text, '<'); at != NULL; at = strchr(at + 1, '<')) {
        const char* end = strchr(at, '>');
        assert_non_null(end);
        if (at[1] == '?' || end[-1] == '/') {
            continue;
        }
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at + 1 + (at[1] == '/'), " >"),
                 at + 1 + (at[1] == '/'));
        if (at[1] == '/') {
            assert_true(depth > 0);
            assert_string_equal(open[--depth], name);
        } else {
            assert_true(depth < 16);
            strcpy(open[depth++], name);
        }
    }
    assert_int_equal(depth, 0);
}

static void test_vtk_files_are_complete(void** unused) {
    (void)unused;
    write_square("a.obj", 0, 0, 0);
    write_crossing("b.obj");
    assert_exit("check a.obj b.obj --between --vtk out --csv out.csv", 1);
    char* surface = read_whole("out/surface_0000.vtp");
    char* contacts = read_whole("out/contacts_0000.vtp");
    char* contours = read_whole("out/contours_0000.vtp");
    char* list = read_whole("out/contacts.pvd");
    char* table = read_whole("out.csv");
    check_tags(surface);
    check_tags(contacts);
    check_tags(contours);
    check_tags(list);
    assert_int_equal(attribute(surface, "NumberOfPoints"), 7);
    assert_int_equal(attribute(surface, "NumberOfPolys"), 3);
    check_array(surface, "Points", 7 * 24);
    check_array(surface, "connectivity", 9 * 8);
    check_array(surface, "offsets", 3 * 8);
    check_array(surface, "touching", 3 * 4);
    const size_t lines = attribute(contacts, "NumberOfLines");
    assert_true(lines >= 1);
    check_array(contacts, "Points", 2 * lines * 24);
    check_array(contacts, "triangle_a", lines * 4);
    // a triangle through both halves of a square: one line from border to border
    assert_int_equal(attribute(contours, "NumberOfLines"), 1);
    assert_int_equal(attribute(contours, "NumberOfPoints"), lines + 1);
    check_array(contours, "connectivity", (lines + 1) * 8);
    check_array(contours, "length", 8);
    free(contours);
    assert_says("pvd", list, "surface_0000.vtp|contacts_0000.vtp|timestep=\"0\"|contours_0000.vtp");
    size_t rows = 0;
    for (const char* c = table; *c != '\0'; ++c) {
        rows += *c == '\n';
    }
    assert_int_equal(rows, lines + 1);
    free(surface);
    free(contacts);
    free(list);
    free(table);
    assert_exit("convert a.obj b.obj both.pvd", 0);
    char* both = read_whole("both.pvd");
    check_tags(both);
    assert_says("pvd", both, "both_0000.vtp");
    free(both);
    assert_refuses("check a.obj --csv b.obj", "overwrite");
}

// ---- several frames at a time

static void test_jobs_give_the_same_answer(void** unused) {
    (void)unused;
    test_random random = random_seed(11);
    float xyz[3 * VERTICES * FRAMES];
    random_frames(&random, xyz);
    write_fan("a.obj", &random);
    write_cache("a.pc2", xyz, FRAMES);
    for (int i = 0; i < 5; ++i) {  // a sequence with changing triangles
        char name[32];
        snprintf(name, sizeof name, "s_%d.obj", i);
        if (i % 2 == 0) {
            write_square(name, 0, 0, 0.1 * i);
        } else {
            write_crossing(name);
        }
    }
    char* first = NULL;
    char* said = NULL;
    for (int jobs = 1; jobs <= 4; ++jobs) {
        char arguments[256];
        snprintf(arguments, sizeof arguments,
                 "check a.obj+a.pc2 's_*.obj' --neighbours --between --csv out.csv --jobs %d",
                 jobs);
        outcome o = run_expecting(arguments, 1);
        char* changed = strstr(o.out, "The triangles of ");
        assert_non_null(changed);
        char* table = read_whole("out.csv");
        if (first == NULL) {
            first = table;
            said = strdup(changed);
        } else {
            assert_string_equal(table, first);
            assert_string_equal(changed, said);
            free(table);
        }
        free_outcome(&o);
    }
    free(first);
    free(said);
}

// ---- real data

static void test_face_data_in_motion(void** unused) {
    (void)unused;
    need_data("morph_face/neutral.obj");
    const char* effort = getenv("ABUT_TEST_EFFORT");
    const bool quick = effort != NULL && strcmp(effort, "quick") == 0;  // one target of eight
    assert_exit(quick ? "convert '" ABUT_SHARED_DATA
                        "/morph_face/neutral.obj' face.glb --targets '" ABUT_SHARED_DATA
                        "/morph_face/jaw*.delta.f32' --fps 2"
                      : "convert '" ABUT_SHARED_DATA
                        "/morph_face/neutral.obj' face.glb --targets '" ABUT_SHARED_DATA
                        "/morph_face/*.delta.f32' --fps 2",
                0);
    // by fields and by positions; some frame uses each target, so the vertex classes are the same
    outcome o = run_expecting("check face.glb --self --fps 2 --csv fields.csv --json -", 1);
    assert_json_text(json_root(o.out), "objects 0 motion", "modal");
    assert_int_equal(json_number(json_root(o.out), "objects 0 vertices"), 26719);
    assert_int_equal(json_number(json_root(o.out), "objects 0 triangles"), 52220);
    free_outcome(&o);
    assert_exit("convert face.glb f_%02d.obj --fps 2", 0);
    assert_exit("check 'f_*.obj' --self --csv frames.csv --fps 2", 1);
    char* fields = without_names("fields.csv");
    char* frames = without_names("frames.csv");
    assert_string_equal(fields, frames);
    free(fields);
    free(frames);
}

static void test_kick_data_converts_to_pc2(void** unused) {
    (void)unused;
    need_data("morph_face/neutral.obj");
    assert_exit("convert '" ABUT_SHARED_DATA "/vertex_anim/Kick/topology.obj+" ABUT_SHARED_DATA
                "/vertex_anim/Kick/frame_*.f32' kick.pc2",
                0);
    io_cache cache;
    io_error error = {""};
    assert_true(io_cache_open("kick.pc2", &cache, &error));
    assert_int_equal(cache.frame_count, 16);
    assert_int_equal(cache.vertex_count, 12811);
    io_cache_close(&cache);
    assert_exit("convert kick.obj+kick.pc2 again.pc2", 0);
    assert_same_bytes("kick.pc2", "again.pc2");
    outcome o = run_expecting("check kick.obj+kick.pc2 --json -", 1);
    assert_int_equal(json_size(json_at(json_root(o.out), "frames")), 16);
    free_outcome(&o);
}

static void assert_out(const char* arguments, const char* wanted) {
    outcome o = run_expecting(arguments, 0);
    if (strcmp(o.out, wanted) != 0) {
        fail_msg("abut %s: prints '%s', not '%s'", arguments, o.out, wanted);
    }
    free_outcome(&o);
}

static void test_reported_output_names_exist(void** state) {
    (void)state;
    for (int i = 3; i < 6; ++i) {
        char name[32];
        snprintf(name, sizeof name, "s_%d.obj", i);
        write_square(name, 0, 0, i);
    }
    assert_out("convert 's_*.obj' q.obj", "Wrote 3 frames, q_0003.obj to q_0005.obj.\n");
    assert_out("convert 's_*.obj' a%db.vtp", "Wrote 3 frames, a3b.vtp to a5b.vtp.\n");
    assert_out("convert 's_*.obj' l.OBJ", "Wrote 3 frames, l_0003.OBJ to l_0005.OBJ.\n");
    assert_out("convert s_3.obj one.OBJ", "Wrote 1 frame to one.OBJ.\n");
    assert_out("convert 's_*.obj' one_%03d.Obj --frames 4", "Wrote 1 frame to one_004.Obj.\n");
    assert_out("convert 's_*.obj' l.pvd",
               "Wrote 3 frames to l.pvd, which lists l_0003.vtp to l_0005.vtp.\n");
    static const char* const names[] = {"q_0003.obj", "q_0005.obj",  "a4b.vtp",    "l_0003.OBJ",
                                        "one.OBJ",    "one_004.Obj", "l_0004.vtp", "l.pvd"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        if (access(names[i], F_OK) != 0) {
            fail_msg("there is no %s", names[i]);
        }
    }
    // a list of files is one file
    assert_refuses("convert 's_*.obj' h%04d.pvd", "h%04d.pvd|list|leave out %04d");
    assert_int_not_equal(access("h%04d.pvd", F_OK), 0);
    assert_int_not_equal(access("h0003.pvd", F_OK), 0);
}

static void test_convert_reports_what_it_wrote(void** state) {
    (void)state;
    static const float shift[12] = {1};
    write_square("n.obj", 0, 0, 0);
    FILE* file = fopen("t.glb", "wb");
    assert_non_null(file);
    fwrite(shift, sizeof shift, 1, file);
    assert_int_equal(fclose(file), 0);
    assert_refuses("convert n.obj t.glb --targets t.glb", "t.glb|would overwrite an input");
    assert_int_equal(rename("t.glb", "t.f32"), 0);
    assert_out("convert n.obj t.glb --targets t.f32",
               "Wrote 1 morph target, moved in a second, to t.glb.\n");
    assert_int_equal(system("cp t.f32 u.f32"), 0);
    assert_out("convert n.obj t.glb --targets '?.f32'",
               "Wrote 2 morph targets, moved one after the other, to t.glb.\n");
}

// values beyond the range of float
static void test_no_infinite_coordinate_is_written(void** state) {
    (void)state;
    static const char far[] = "v 0 0 0\nv 1 0 0\nv 0 1 -1e39\nf 1 2 3\n";
    write_square("s_1.obj", 0, 0, 0);
    write_file("far.obj", far);
    write_file("old.glb", "old");
    write_file("old.pc2", "old");
    assert_refuses("convert far.obj old.glb", "far.obj|vertex 2|-1e+39|.obj");
    assert_refuses("convert s_1.obj far.obj old.glb", "far.obj|vertex 2|-1e+39");
    assert_refuses("convert far.obj old.pc2", "far.obj|vertex 2|-1e+39|.obj");
    assert_refuses("convert far.obj old.glb --reduce 1", "far.obj|vertex 2");
    // both end positions are floats, their difference is not
    write_file("w_1.obj", "v 0 0 0\nv 3e38 0 0\nv 0 1 0\nf 1 2 3\n");
    write_file("w_2.obj", "v 0 0 0\nv -3e38 0 0\nv 0 1 0\nf 1 2 3\n");
    assert_refuses("convert 'w_*.obj' old.glb", "w_*.obj|vertex 1");
    char* bytes = read_whole("old.glb");
    assert_string_equal(bytes, "old");
    free(bytes);
    assert_exit("convert far.obj far.vtp", 0);
    assert_exit("convert far.obj again.obj", 0);
    assert_exit("convert 'w_*.obj' w.pc2", 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_pc2_round_trip_keeps_all_bits),
        IN_FOLDER(test_caches_agree),
        IN_FOLDER(test_bad_caches_are_named),
        cmocka_unit_test(test_vertex_classes_equal_all_pairs),
        IN_FOLDER(test_reduction_states_its_error),
        IN_FOLDER(test_targets_move_in_turn),
        IN_FOLDER(test_convert_refuses),
        IN_FOLDER(test_reported_output_names_exist),
        IN_FOLDER(test_convert_reports_what_it_wrote),
        IN_FOLDER(test_no_infinite_coordinate_is_written),
        IN_FOLDER(test_vtk_files_are_complete),
        IN_FOLDER(test_jobs_give_the_same_answer),
        IN_FOLDER(test_face_data_in_motion),
        IN_FOLDER(test_kick_data_converts_to_pc2),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
