// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Baselines of abut check: contact that is known does not count, whatever the order of triangles and the
// names of files. Lists of pairs of a run without a baseline are the oracle.
#define _POSIX_C_SOURCE 200809L
#include "support/gltf_maker.h"
#include "support/random.h"
#include "support/world.h"
#include "test_command_support.h"

enum { MOST = 64 };

// a box whose vertices and triangles are in a random order, with turned corners; sides cut in n by n
typedef struct mesh {
    double at[MOST * MOST][3];
    int corners[MOST * MOST][3];
    int vertex_count;
    int triangle_count;
} mesh;

static void add_face(mesh* m, const double lo[3], const double hi[3], int axis, int side, int n) {
    const int u = (axis + 1) % 3;
    const int v = (axis + 2) % 3;
    const int first = m->vertex_count;
    for (int i = 0; i < (n + 1) * (n + 1); ++i) {
        double* at = m->at[m->vertex_count++];
        at[axis] = side ? hi[axis] : lo[axis];
        at[u] = lo[u] + (hi[u] - lo[u]) * (i % (n + 1)) / n;
        at[v] = lo[v] + (hi[v] - lo[v]) * (double)(i / (n + 1)) / n;
    }
    for (int i = 0; i < n * n; ++i) {
        const int c = first + i % n + (i / n) * (n + 1);
        const int quad[4] = {c, c + 1, c + n + 2, c + n + 1};
        for (int k = 0; k < 2; ++k) {
            int* to = m->corners[m->triangle_count++];
            to[0] = quad[0];
            to[side ? 1 : 2] = quad[1 + k];
            to[side ? 2 : 1] = quad[2 + k];
        }
    }
}

static void write_mesh(const char* name, const mesh* m, test_random* random) {
    FILE* file = fopen(name, "w");
    uint32_t places[MOST * MOST];
    uint32_t order[MOST * MOST];
    uint32_t turned[MOST * MOST];
    assert_non_null(file);
    for (int i = 0; i < MOST * MOST; ++i) {
        order[i] = turned[i] = (uint32_t)i;
    }
    if (random != NULL) {
        random_permutation(random, order, (uint32_t)m->vertex_count);
        random_permutation(random, turned, (uint32_t)m->triangle_count);
    }
    for (int i = 0; i < m->vertex_count; ++i) {
        places[order[i]] = (uint32_t)i + 1;
        fprintf(file, "v %.17g %.17g %.17g\n", m->at[order[i]][0], m->at[order[i]][1],
                m->at[order[i]][2]);
    }
    for (int i = 0; i < m->triangle_count; ++i) {
        const int* c = m->corners[turned[i]];
        const int turn = random != NULL ? (int)random_below(random, 3) : 0;
        fprintf(file, "f %u %u %u\n", places[c[turn]], places[c[(turn + 1) % 3]],
                places[c[(turn + 2) % 3]]);
    }
    assert_int_equal(fclose(file), 0);
}

// a box around (x, y, 0); n cuts of a side
static void write_box(const char* name, double x, double y, double half, int n,
                      test_random* random) {
    static mesh m;
    const double lo[3] = {x - half, y - half, -half};
    const double hi[3] = {x + half, y + half, half};
    m.vertex_count = m.triangle_count = 0;
    for (int face = 0; face < 6; ++face) {
        add_face(&m, lo, hi, face / 2, face % 2, n);
    }
    write_mesh(name, &m, random);
}

static void write_scene(test_random* random) {
    write_box("shirt.obj", 0, 0, 1, 2, random);
    write_box("body.obj", 1.5, 0.1, 1, 2, random);
    write_box("pin.obj", -0.5, 0, 0.1, 1, random);
}

#define SCENE "check shirt.obj body.obj pin.obj "

// the lines of a baseline that are keys
static char* keys_of(const char* name) {
    char* text = read_whole(name);
    char* to = text;
    for (char* line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        if (strlen(line) == 16 && strspn(line, "0123456789abcdef") == 16) {
            memmove(to, line, 16);
            to += 16;
        }
    }
    *to = '\0';
    return text;
}

static void test_what_is_written_is_known(void** state) {
    (void)state;
    write_scene(NULL);
    assert_prints(SCENE "--write-baseline known.txt", 1, "Contact.");
    assert_json_number(SCENE "--json -", 1, "frames 0 between 0 pairs", 62);
    assert_prints(SCENE "--baseline known.txt --csv c.csv --html h.html", 0,
                  "Nothing touches between the objects or within one; 63 known.|Known by the "
                  "baseline: 62 pairs of triangles and 1 object inside another.");
    assert_json_number(SCENE "--baseline known.txt --json -", 0, "frames 0 aside known", 63);
    assert_json_number(SCENE "--baseline known.txt --json -", 0, "summary baseline gone", 0);
    char* csv = read_whole("c.csv");
    char* html = read_whole("h.html");
    assert_non_null(strstr(csv, ",aside,,known,62,"));
    assert_non_null(strstr(html, "63 known"));
    free(csv);
    free(html);
    // depth and distances, too
    assert_prints(SCENE "--depth --baseline known.txt", 0, "2 regions");
    assert_exit(SCENE "--within 3 --write-baseline near.txt", 1);
    assert_prints(SCENE "--within 3 --baseline near.txt", 0, "3 distances");
    assert_exit(SCENE "--within 3 --baseline known.txt", 1);
    assert_exit("check shirt.obj pin.obj --within 3 --features --write-baseline features.txt", 1);
    assert_prints("check shirt.obj pin.obj --within 3 --features --baseline features.txt", 0,
                  "pairs of features");
    assert_exit("check shirt.obj body.obj --depth --write-baseline depth.txt", 1);
    assert_exit("check shirt.obj body.obj --depth --baseline depth.txt", 0);
    assert_exit("check shirt.obj body.obj --baseline depth.txt", 0);
}

// other orders of vertices, triangles, corners and objects, and other names of files
static void test_orders_and_names_do_not_matter(void** state) {
    (void)state;
    write_scene(NULL);
    assert_exit(SCENE "--write-baseline known.txt", 1);
    char* keys = keys_of("known.txt");
    assert_int_equal(strlen(keys), 63 * 16);
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        test_random random = random_seed(seed);
        write_scene(&random);
        assert_exit(SCENE "--baseline known.txt", 0);
        assert_exit(SCENE "--write-baseline again.txt", 1);
        assert_int_equal(rename("shirt.obj", "a.obj") | rename("body.obj", "b.obj"), 0);
        assert_exit("check pin.obj b.obj a.obj --baseline known.txt", 0);
        char* again = keys_of("again.txt");
        assert_string_equal(keys, again);
        free(again);
    }
    free(keys);
}

static void test_new_contact_counts_and_old_is_gone(void** state) {
    (void)state;
    write_scene(NULL);
    assert_exit(SCENE "--write-baseline known.txt", 1);
    write_box("hat.obj", 0, 1.9, 1, 1, NULL);
    assert_prints(SCENE "hat.obj --baseline known.txt", 1, "Contact; 63 known.|touches hat.obj");
    outcome o = run_expecting(SCENE "hat.obj --baseline known.txt", 1);
    assert_null(strstr(o.out, "shirt.obj touches body.obj"));
    free_outcome(&o);
    assert_prints("check shirt.obj pin.obj --baseline known.txt", 0,
                  "Gone: 62 known findings (contact) of shirt.obj and body.obj.");
    assert_json_number("check shirt.obj pin.obj --baseline known.txt --json -", 0,
                       "summary baseline gone", 62);
    assert_json_number("check shirt.obj pin.obj --baseline known.txt --json -", 0,
                       "summary baseline gone_from 0 count", 62);
    // replaced in place, it forgets what is gone
    assert_exit("check shirt.obj pin.obj --baseline known.txt --write-baseline known.txt", 0);
    assert_json_number("check shirt.obj pin.obj --baseline known.txt --json -", 0,
                       "summary baseline count", 1);
}

static void test_components_survive_remeshing(void** state) {
    (void)state;
    write_scene(NULL);
    assert_exit(SCENE "--write-baseline triangles.txt", 1);
    assert_exit(SCENE "--by component --write-baseline parts.txt", 1);
    write_box("shirt.obj", 0, 0, 1, 5, NULL);
    assert_exit(SCENE "--baseline triangles.txt", 1);
    assert_prints(SCENE "--baseline parts.txt", 0, "known");
    // one for one: a twin of the shirt is not the shirt
    write_box("twin.obj", 0.02, 0, 1, 2, NULL);
    assert_prints(SCENE "twin.obj --baseline parts.txt --ignore shirt,twin", 1,
                  "body.obj touches twin.obj");
    outcome o = run_expecting(SCENE "twin.obj --baseline parts.txt --ignore shirt,twin", 1);
    assert_null(strstr(o.out, "shirt.obj touches body.obj"));
    free_outcome(&o);
    // one that is moved far is another one
    write_box("body.obj", 1.3, 0.3, 1, 2, NULL);
    assert_exit(SCENE "--baseline parts.txt", 1);
    assert_refuses(SCENE "--baseline parts.txt --by triangle", "by component");
    assert_refuses(SCENE "--by face --baseline parts.txt", "'triangle' or 'component'");
    assert_refuses(SCENE "--by component", "--write-baseline");
}

// a model whose node rests in contact with another, and moves: the animation begins apart
static void write_model(const char* name) {
    static gltf_maker m;
    static const float corners[8][3] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                                        {-1, -1, 1},  {1, -1, 1},  {-1, 1, 1},  {1, 1, 1}};
    static const uint16_t faces[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                       2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    static const float times[3] = {0, 1, 2};
    static const float places[3][3] = {{5, 0, 0}, {1.5F, 0, 0}, {0, 1.5F, 0}};
    gltf_maker_begin(&m);
    gltf_maker_add(&m, corners, sizeof corners, 8, MADE_FLOAT, "VEC3", "");
    gltf_maker_add(&m, faces, sizeof faces, 36, MADE_UINT16, "SCALAR", "");
    gltf_maker_add(&m, times, sizeof times, 3, MADE_FLOAT, "SCALAR", "");
    gltf_maker_add(&m, places, sizeof places, 3, MADE_FLOAT, "VEC3", "");
    size_t size = 0;
    char* text = gltf_maker_text(
        &m,
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}],"
        "\"nodes\":[{\"name\":\"still\",\"mesh\":0},{\"name\":\"guest\",\"mesh\":0,"
        "\"translation\":[1.5,0,0]}],\"scenes\":[{\"nodes\":[0,1]}],\"scene\":0,"
        "\"animations\":[{\"samplers\":[{\"input\":2,\"output\":3,\"interpolation\":\"STEP\"}],"
        "\"channels\":[{\"sampler\":0,\"target\":{\"node\":1,\"path\":\"translation\"}}]}]",
        NULL, &size);
    FILE* file = fopen(name, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    free(text);
}

static void test_rest_and_frames(void** state) {
    (void)state;
    write_model("model.gltf");
    assert_prints("check model.gltf --fps 1", 1, "Contact in 2 of 3 frames (1-2)");
    assert_prints("check model.gltf --fps 1 --baseline rest", 1,
                  "Contact in 1 of 3 frames (2); |known|guest");
    assert_prints("check model.gltf --fps 1 --baseline 0", 1, "Contact in 2 of 3 frames (1-2).");
    assert_prints("check model.gltf --fps 1 --baseline 1", 1, "Contact in 1 of 3 frames (2)");
    assert_prints("check model.gltf --fps 1 --baseline rest --by component", 0, "known");
    assert_prints("check model.gltf --fps 1 --baseline rest --jobs 3", 1, "1 of 3 frames (2)");
    assert_refuses("check model.gltf --fps 1 --baseline 7", "no such frame|0 to 2");
    // instances of one mesh have the same corners: their nodes tell them apart
    assert_exit("check model.gltf --fps 1 --frames 1 --write-baseline one.txt", 1);
    assert_exit("check model.gltf --fps 1 --frames 1 --baseline one.txt", 0);
    assert_int_equal(rename("model.gltf", "other.gltf"), 0);
    assert_exit("check other.gltf --fps 1 --frames 1 --baseline one.txt", 0);
}

static void test_bad_baselines_are_refused(void** state) {
    (void)state;
    write_scene(NULL);
    assert_refuses(SCENE "--baseline none.txt", "none.txt");
    write_file("bad.txt", "hello\n");
    assert_refuses(SCENE "--baseline bad.txt", "is not a baseline");
    write_file("bad.txt", "");
    assert_refuses(SCENE "--baseline bad.txt", "is not a baseline");
    write_file("bad.txt", "abut baseline 1 by triangle\n0123456789abcdef\n");
    assert_refuses(SCENE "--baseline bad.txt", "line 2|two names");
    write_file("bad.txt", "abut baseline 1 by triangle\ncontact \"a\" \"b\n");
    assert_refuses(SCENE "--baseline bad.txt", "line 2|quotation marks");
    write_file("bad.txt", "abut baseline 1 by triangle\ncontact \"a\" \"b\"\n0123x\n");
    assert_refuses(SCENE "--baseline bad.txt", "line 3|16 hexadecimal digits");
    write_file("bad.txt",
               "abut baseline 1 by component\ncontact 0123456789abcdef 0123456789abcdef\n");
    assert_refuses(SCENE "--baseline bad.txt", "line 2|component above");
    assert_refuses(SCENE "--write-baseline shirt.obj", "write-baseline");
    // a failure leaves the old file
    assert_exit(SCENE "--write-baseline known.txt", 1);
    char* before = read_whole("known.txt");
    write_file("pin.obj", "v 0 0 x\n");
    assert_exit(SCENE "--write-baseline known.txt", 2);
    char* after = read_whole("known.txt");
    assert_string_equal(before, after);
    free(before);
    free(after);
}

// changed bytes are refused in a sentence or harmless
static void test_damaged_baselines_do_no_harm(void** state) {
    (void)state;
    write_scene(NULL);
    assert_exit(SCENE "--by component --write-baseline parts.txt", 1);
    assert_exit(SCENE "--write-baseline known.txt", 1);
    const uint32_t count = effort(12, 100, 1000);
    for (uint32_t seed = 1; seed <= count; ++seed) {
        test_random random = random_seed(seed);
        char* text = read_whole(seed % 2 ? "known.txt" : "parts.txt");
        const uint32_t size = (uint32_t)strlen(text);
        for (int i = 0; i < 3; ++i) {
            text[random_below(&random, size)] = (char)(1 + random_below(&random, 255));
        }
        write_file("damaged.txt", text);
        outcome o = run(SCENE "--baseline damaged.txt");
        if (o.code > 2 || strchr(o.err, '\x1b') != NULL || strchr(o.out, '\x1b') != NULL) {
            fail_msg("seed %u: exit code %d: %s", seed, o.code, o.err);
        }
        free_outcome(&o);
        free(text);
    }
}

// whether a list of pairs has this one
static bool has_pair(const char* list, const char* pair) {
    const char* entry;
    const size_t length = (size_t)(json_skip(pair) - pair);
    for (size_t i = 0; (entry = json_entry(list, i, NULL)) != NULL; ++i) {
        if (strncmp(entry, pair, length) == 0) {
            return true;
        }
    }
    return false;
}

// with the pairs of a frame as baseline, those of other frames are what that frame does not have
static void test_random_frames(void** state) {
    (void)state;
    const uint32_t count = effort(4, 20, 200);
    for (uint32_t seed = 1; seed <= count; ++seed) {
        test_random random = random_seed(seed);
        write_box("still.obj", 0, 0, 1, 3, NULL);
        for (int i = 0; i < 4; ++i) {
            char name[32];
            snprintf(name, sizeof name, "way_%d.obj", i);
            write_box(name, random_double(&random, -2, 2), random_double(&random, -2, 2), 0.9, 2,
                      NULL);
        }
        outcome all = run("check still.obj 'way_*.obj' --between --pairs --json -");
        outcome left = run("check still.obj 'way_*.obj' --between --pairs --json - --baseline 2");
        const char* base = json_at(json_root(all.out), "frames 2 between 0 list");
        for (int f = 0; f < 4; ++f) {
            char path[64];
            snprintf(path, sizeof path, "frames %d between 0 list", f);
            const char* now = json_at(json_root(all.out), path);
            const char* counted = json_at(json_root(left.out), path);
            size_t expected = 0;
            const char* pair;
            for (size_t i = 0; (pair = json_entry(now, i, NULL)) != NULL; ++i) {
                const bool new = !has_pair(base, pair);
                expected += new;
                if (has_pair(counted, pair) != new) {
                    fail_msg("seed %u, frame %d: pair %.12s", seed, f, pair);
                }
            }
            assert_int_equal(json_size(counted), expected);
            snprintf(path, sizeof path, "frames %d aside known", f);
            assert_int_equal(json_number(json_root(left.out), path), json_size(now) - expected);
        }
        free_outcome(&all);
        free_outcome(&left);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_what_is_written_is_known),
        IN_FOLDER(test_orders_and_names_do_not_matter),
        IN_FOLDER(test_new_contact_counts_and_old_is_gone),
        IN_FOLDER(test_components_survive_remeshing),
        IN_FOLDER(test_rest_and_frames),
        IN_FOLDER(test_bad_baselines_are_refused),
        IN_FOLDER(test_damaged_baselines_do_no_harm),
        IN_FOLDER(test_random_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
