// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Prints hashes of answers, to compare machines and instruction sets (promise 4):
//
//     answers record FILE      writes the positions of all scenes
//     answers print FILE ISA   reads them, runs queries, prints one line per scene and setting
//
// Positions travel in a file because the scenes use sine and cosine, whose last bits differ from
// one C library to another. Both machines must be little-endian with the same sizes of types.
#include <abut/abut.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/scenes.h"

enum { TRIANGLES = 1500, FRAMES = 8, MOST_BODIES = 256, NAME_SIZE = 32 };

static void need(bool condition, const char* what) {
    if (!condition) {
        fprintf(stderr, "answers: %s\n", what);
        exit(2);
    }
}

static void* allocate(size_t count, size_t size) {
    void* memory = calloc(count, size);
    need(memory != NULL, "out of memory");
    return memory;
}

// ---- the file: for each scene a head, its bodies, then the positions of all bodies in every frame

typedef struct scene_head {
    char name[NAME_SIZE];
    uint32_t bodies;
    uint32_t frames;
} scene_head;

typedef struct body_head {
    uint32_t vertices;
    uint32_t triangles;
    uint32_t moves;
} body_head;

static void put(FILE* file, const void* data, size_t size) {
    need(fwrite(data, 1, size, file) == size, "cannot write the file");
}

static void get(FILE* file, void* data, size_t size) {
    need(fread(data, 1, size, file) == size, "the file ends too early");
}

static void record_scene(FILE* file, const char* name) {
    scene* s = scene_create(name, TRIANGLES, FRAMES, 1);
    need(s != NULL, name);
    scene_head head = {.bodies = scene_body_count(s), .frames = scene_frame_count(s)};
    snprintf(head.name, sizeof head.name, "%s", name);
    put(file, &head, sizeof head);
    for (uint32_t i = 0; i < head.bodies; ++i) {
        const scene_body* body = scene_get_body(s, i);
        const body_head about = {body->vertex_count, body->triangle_count, body->moves};
        put(file, &about, sizeof about);
        put(file, body->triangles, sizeof(uint32_t[3]) * body->triangle_count);
        put(file, body->rest, sizeof(double[3]) * body->vertex_count);
    }
    for (uint32_t frame = 0; frame < head.frames; ++frame) {
        for (uint32_t i = 0; i < head.bodies; ++i) {
            const uint32_t count = scene_get_body(s, i)->vertex_count;
            double* xyz = allocate(count, sizeof(double[3]));
            scene_positions(s, i, frame, xyz);
            put(file, xyz, sizeof(double[3]) * count);
            free(xyz);
        }
    }
    scene_destroy(s);
}

static void record(FILE* file) {
    size_t count = 0;
    const scene_kind* kinds = scene_kinds(&count);
    for (size_t i = 0; i < count; ++i) {
        record_scene(file, kinds[i].name);
    }
}

// ---- hashes: FNV-1a over bytes

static const uint64_t hash_start = UINT64_C(14695981039346656037);

static void hash_bytes(uint64_t* hash, const void* data, size_t size) {
    for (size_t i = 0; i < size; ++i) {
        *hash = (*hash ^ ((const unsigned char*)data)[i]) * UINT64_C(1099511628211);
    }
}

typedef struct answer {
    uint64_t count;
    uint64_t pairs;   // hash
    uint64_t shared;  // hash of the shared vertices
} answer;

static void add_result(answer* sum, const abut_collide_result* result) {
    size_t count = 0;
    const abut_pair* pairs = abut_collide_result_pairs(result, &count);
    const abut_intersection* shared = abut_collide_result_intersections(result, NULL);
    const uint64_t wide = count;
    sum->count += count;
    hash_bytes(&sum->pairs, &wide, sizeof wide);
    hash_bytes(&sum->pairs, pairs, count * sizeof *pairs);
    for (size_t i = 0; shared != NULL && i < count; ++i) {
        hash_bytes(&sum->shared, &shared[i].count, sizeof shared[i].count);
        hash_bytes(&sum->shared, shared[i].points, shared[i].count * sizeof shared[i].points[0]);
    }
}

// ---- queries

typedef struct setting {
    const char* name;
    bool as_float;  // positions are rounded to float first
    bool turned;    // body 1 gets a frame
    bool shared;
    double margin;
} setting;

static const setting settings[] = {
    {"double", false, false, true, 0},
    {"float", true, false, false, 0},
    {"turned", false, true, false, 0},
    {"margin", false, false, false, 1.0 / 128},
};

typedef struct loaded {
    scene_head head;
    body_head about[MOST_BODIES];
    uint32_t* triangles[MOST_BODIES];
    double* rest[MOST_BODIES];
    double* frames[MOST_BODIES];  // one frame after the other
} loaded;

static bool load(FILE* file, loaded* s) {
    if (fread(&s->head, sizeof s->head, 1, file) != 1) {
        return false;
    }
    need(s->head.bodies <= MOST_BODIES, "too many bodies");
    for (uint32_t i = 0; i < s->head.bodies; ++i) {
        get(file, &s->about[i], sizeof s->about[i]);
        const body_head* about = &s->about[i];
        s->triangles[i] = allocate(about->triangles, sizeof(uint32_t[3]));
        s->rest[i] = allocate(about->vertices, sizeof(double[3]));
        s->frames[i] = allocate((size_t)about->vertices * s->head.frames, sizeof(double[3]));
        get(file, s->triangles[i], sizeof(uint32_t[3]) * about->triangles);
        get(file, s->rest[i], sizeof(double[3]) * about->vertices);
    }
    for (uint32_t frame = 0; frame < s->head.frames; ++frame) {
        for (uint32_t i = 0; i < s->head.bodies; ++i) {
            const size_t size = (size_t)s->about[i].vertices * 3;
            get(file, s->frames[i] + frame * size, size * sizeof(double));
        }
    }
    return true;
}

static void unload(loaded* s) {
    for (uint32_t i = 0; i < s->head.bodies; ++i) {
        free(s->triangles[i]);
        free(s->rest[i]);
        free(s->frames[i]);
    }
}

static abut_body_id add_body(abut_context* context, abut_scene* space, const loaded* s, uint32_t i,
                             bool turned) {
    abut_mesh* mesh = NULL;
    abut_shape* shape = NULL;
    abut_body_id body = {0};
    abut_mesh_def mesh_def = abut_mesh_def_default();
    mesh_def.positions = abut_positions_f64(s->rest[i], s->about[i].vertices);
    mesh_def.triangles = s->triangles[i];
    mesh_def.triangle_count = s->about[i].triangles;
    abut_body_def body_def = abut_body_def_default();
    if (turned) {
        // rotations by 3-4-5 and 5-12-13 triangles, one after the other
        static const double rotation[3][3] = {
            {0.6, -0.8, 0},
            {0.8 * 12 / 13, 0.6 * 12 / 13, -5.0 / 13},
            {0.8 * 5 / 13, 0.6 * 5 / 13, 12.0 / 13},
        };
        memcpy(body_def.frame.r, rotation, sizeof rotation);
        body_def.frame.t[0] = 1.0 / 16;
    }
    need(abut_mesh_create(context, &mesh_def, &mesh, NULL) == ABUT_OK, "no mesh");
    need(abut_shape_create(context, mesh, NULL, &shape, NULL) == ABUT_OK, "no shape");
    need(abut_body_create(space, shape, &body_def, &body, NULL) == ABUT_OK, "no body");
    abut_shape_destroy(shape);
    abut_mesh_destroy(mesh);
    return body;
}

static void set_positions(abut_scene* space, abut_body_id body, const double* xyz, size_t count,
                          bool as_float) {
    abut_positions positions = abut_positions_f64(xyz, count);
    float* rounded = NULL;
    if (as_float) {
        rounded = allocate(count, sizeof(float[3]));
        for (size_t k = 0; k < 3 * count; ++k) {
            rounded[k] = (float)xyz[k];
        }
        positions = abut_positions_f32(rounded, count);
    }
    need(abut_body_set_positions(space, body, positions, NULL) == ABUT_OK, "bad positions");
    free(rounded);
}

static void print_queries(abut_context* context, const loaded* s, const setting* how) {
    abut_scene* space = NULL;
    abut_collide_result* result = NULL;
    abut_body_id bodies[MOST_BODIES];
    abut_counters work = {0};
    answer between = {0, hash_start, hash_start};
    answer self = between;
    uint64_t work_hash = hash_start;
    abut_collide_def def = abut_collide_def_default();
    def.margin = how->margin;
    def.intersections = how->shared;
    def.head.counters = &work;
    need(abut_scene_create(context, NULL, &space, NULL) == ABUT_OK, "no scene");
    need(abut_collide_result_create(context, &result, NULL) == ABUT_OK, "no result");
    for (uint32_t i = 0; i < s->head.bodies; ++i) {
        bodies[i] = add_body(context, space, s, i, how->turned && i == 1);
    }
    for (uint32_t frame = 0; frame < s->head.frames; ++frame) {
        for (uint32_t i = 0; i < s->head.bodies; ++i) {
            const size_t count = s->about[i].vertices;
            set_positions(space, bodies[i], s->frames[i] + 3 * count * frame, count, how->as_float);
        }
        need(abut_collide_all(space, &def, result, NULL) == ABUT_OK, "collide failed");
        add_result(&between, result);
        need(abut_collide_self_all(space, &def, result, NULL) == ABUT_OK, "self failed");
        add_result(&self, result);
    }
    hash_bytes(&work_hash, &work, sizeof work);
    printf("%-14s %-7s %8" PRIu64 " %016" PRIx64 " %016" PRIx64 " %8" PRIu64 " %016" PRIx64
           " %016" PRIx64 " %016" PRIx64 "\n",
           s->head.name, how->name, between.count, between.pairs, between.shared, self.count,
           self.pairs, self.shared, work_hash);
    abut_collide_result_destroy(result);
    abut_scene_destroy(space);
}

// ---- single pairs on a small lattice, where special cases are frequent, some off by one ulp

static uint64_t random_bits(uint64_t* state) {
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static double random_coordinate(uint64_t* state) {
    const uint64_t bits = random_bits(state);
    double x = 1 + (double)(bits % 5) / 4;
    uint64_t pattern;
    memcpy(&pattern, &x, sizeof pattern);
    pattern += (bits >> 8) % 8 == 0;
    memcpy(&x, &pattern, sizeof x);
    return x;
}

static void query_single_pairs(void) {
    uint64_t state = 1;
    answer sum = {0, hash_start, hash_start};
    for (int n = 0; n < 20000; ++n) {
        double corner[2][3][3];
        for (int k = 0; k < 18; ++k) {
            (&corner[0][0][0])[k] = random_coordinate(&state);
        }
        bool touch = false;
        bool within = false;
        abut_intersection shared = {0};
        need(abut_triangles_touch(corner[0], corner[1], &touch, &shared) == ABUT_OK, "touch");
        need(abut_triangles_within(corner[0], corner[1], 0.25, &within) == ABUT_OK, "within");
        const unsigned char answers[2] = {touch, within};
        sum.count += touch;
        hash_bytes(&sum.pairs, answers, sizeof answers);
        hash_bytes(&sum.shared, &shared.count, sizeof shared.count);
        hash_bytes(&sum.shared, shared.points, shared.count * sizeof shared.points[0]);
    }
    printf("%-14s %-7s %8" PRIu64 " %016" PRIx64 " %016" PRIx64 "\n", "single", "pairs", sum.count,
           sum.pairs, sum.shared);
}

static abut_isa isa_of(const char* name) {
    for (int isa = ABUT_ISA_BEST; isa <= ABUT_ISA_SIMD128; ++isa) {
        if (strcmp(abut_isa_name((abut_isa)isa), name) == 0) {
            return (abut_isa)isa;
        }
    }
    need(false, "unknown instruction set");
    return ABUT_ISA_BEST;
}

// exit code 3: this machine lacks the instruction set
static int print_answers(FILE* file, const char* isa) {
    abut_context* context = NULL;
    abut_context_def def = abut_context_def_default();
    def.isa = isa_of(isa);
    if (abut_context_create(&def, &context, NULL) != ABUT_OK) {
        return 3;
    }
    loaded* s = allocate(1, sizeof *s);
    while (load(file, s)) {
        for (size_t i = 0; i < sizeof settings / sizeof settings[0]; ++i) {
            print_queries(context, s, &settings[i]);
        }
        unload(s);
    }
    free(s);
    abut_context_destroy(context);
    query_single_pairs();
    return 0;
}

int main(int argc, char** argv) {
    const bool recording = argc == 3 && strcmp(argv[1], "record") == 0;
    need(recording || (argc == 4 && strcmp(argv[1], "print") == 0),
         "usage: answers record FILE, answers print FILE ISA");
    FILE* file = fopen(argv[2], recording ? "wb" : "rb");
    need(file != NULL, "cannot open the file");
    int code = 0;
    if (recording) {
        record(file);
    } else {
        code = print_answers(file, argv[3]);
    }
    need(fclose(file) == 0, "cannot close the file");
    return code;
}
