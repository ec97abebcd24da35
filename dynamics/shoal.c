// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Fish on a bridge: see shoal.h.
#include "dynamics/shoal.h"

#include <math.h>
#include <stdlib.h>

#include "dynamics/triangle.h"

#define FISH_SCALE 0.25  // of the scene's fish, which is a metre long
#define WATER (-2.2)     // height of the feet of the bridge's pillars
#define START 2.2        // height of the lowest fish above the bridge's arches

struct shoal {
    scene* fish;
    scene* bridge;
    swarm swarm;
    double bytes_per_body;
    // the bridge
    double sway;
    modal_model model;
    abut_body_id body;
    double q[MODAL_MOST];
    double rate[MODAL_MOST];
    // Its vertices, computed on demand in each step:
    double (*vertices)[3];
    uint32_t* seen;  // number of the step + 1
};

shoal_def shoal_def_default(void) {
    return (shoal_def){.bodies = 300,
                       .triangles = 24776,
                       .fields = 3,
                       .level = 7,
                       .bridge_triangles = 60000,
                       .bridge_fields = 10,
                       .sway = 0.25,
                       .seed = 1};
}

static abut_status fail_memory(abut_error* error) {
    if (error != NULL) {
        *error = (abut_error){.status = ABUT_ERR_NO_MEMORY, .message = "out of memory"};
    }
    return ABUT_ERR_NO_MEMORY;
}

// ---- making it

// Adds layers of columns over the deck.
static abut_status add_fish(shoal* s, const shoal_def* def, abut_error* error) {
    const double spacing = 2.05 * s->swarm.model.radius;
    const uint32_t across = (uint32_t)(1.2 / spacing);
    const uint32_t wanted = def->bodies / across / 4 + 1;  // few fish get low layers
    const uint32_t room = (uint32_t)(10.5 / spacing);
    const uint32_t along = wanted < room ? wanted : room;
    abut_status status = ABUT_OK;
    for (uint32_t i = 0; i < def->bodies && status == ABUT_OK; ++i) {
        const uint32_t layer = i / (across * along);
        abut_frame frame;
        swarm_random_turn(def->seed, 8 * i, frame.r);
        frame.t[0] = spacing * ((double)(i / across % along) - 0.5 * ((double)along - 1));
        frame.t[1] = spacing * ((double)(i % across) - 0.5 * ((double)across - 1));
        frame.t[2] = START + spacing * (double)layer;
        const double velocity[3] = {swarm_random(def->seed, 8 * i + 3, -0.1, 0.1),
                                    swarm_random(def->seed, 8 * i + 4, -0.1, 0.1), 0};
        status = swarm_add(&s->swarm, &frame, velocity, error);
    }
    return status;
}

static abut_status open_swarm(shoal* s, const shoal_def* def, abut_error* error) {
    swarm_def settings = swarm_def_default();
    settings.context = def->context;
    settings.ranks = def->ranks;
    settings.from = scene_get_body(s->fish, 0);
    settings.scale = FISH_SCALE;
    settings.manner = def->manner;
    settings.proxy_level = def->level;
    settings.pitch = 3;
    settings.damping = 0.3;  // limp
    settings.strain_limit = 0.04;
    settings.air = 2;  // limits the falling speed to 5 metres per second: 3 cm a step
    settings.law.most_speed = 0.5;
    abut_status status = swarm_open(&s->swarm, &settings, def->bodies, error);
    const size_t before = s->swarm.bytes;
    if (status == ABUT_OK) {
        status = swarm_agree(&s->swarm, add_fish(s, def, error), error);
    }
    return status == ABUT_OK ? swarm_measure(&s->swarm, before, &s->bytes_per_body, error) : status;
}

// The level with 1.5 to 3 triangles per proxy.
static uint32_t level_of(uint32_t triangles) {
    uint32_t level = 0;
    while (3 * (UINT64_C(1) << level) < triangles) {
        ++level;
    }
    return level;
}

// The bridge is the last body of the scene, so that contacts list the fish first. Of several ranks the leading
// one has it, in the world and in a scene of its own, which tells where its vertices are.
static abut_status add_bridge(shoal* s, const shoal_def* def, abut_error* error) {
    const uint32_t leaves = level_of(scene_get_body(s->bridge, 0)->triangle_count);
    const modal_model_def model = {.from = scene_get_body(s->bridge, 0),
                                   .scale = 1,
                                   .proxy_level = def->bridge_level > 0 ? def->bridge_level
                                                                        : leaves,
                                   .fields = true,
                                   .vibrate = true,
                                   .pitch = 1};
    s->sway = def->sway;
    s->vertices = calloc(model.from->vertex_count, sizeof *s->vertices);
    s->seen = calloc(model.from->vertex_count, sizeof *s->seen);
    if (s->vertices == NULL || s->seen == NULL) {
        return fail_memory(error);
    }
    abut_status status = modal_model_make(&s->model, s->swarm.context, &model, error);
    if (status == ABUT_OK) {
        status = abut_body_create(s->swarm.scene, s->model.shape, NULL, &s->body, error);
    }
    if (status == ABUT_OK && def->ranks != NULL) {
        const abut_frame frame = abut_frame_identity();
        status = swarm_give(def->ranks, &s->model, error);
        status = status == ABUT_OK
                     ? def->ranks->add(def->ranks, def->bodies, s->model.shape, &frame, error)
                     : status;
    }
    return status;
}

abut_status shoal_create(const shoal_def* def, shoal** made, abut_error* error) {
    shoal* s = calloc(1, sizeof *s);
    *made = NULL;
    if (s == NULL) {
        return fail_memory(error);
    }
    s->fish = scene_create_with("fish", &(scene_options){.triangles = def->triangles,
                                                         .frames = 1,
                                                         .seed = 1,
                                                         .fields = def->fields});
    s->bridge = scene_create_with("bridge", &(scene_options){.triangles = def->bridge_triangles,
                                                             .frames = 1,
                                                             .seed = 1,
                                                             .fields = def->bridge_fields});
    abut_status status = s->fish == NULL || s->bridge == NULL ? fail_memory(error)
                                                              : open_swarm(s, def, error);
    if (status == ABUT_OK) {
        const bool leads = swarm_leads(&s->swarm);
        status = swarm_agree(&s->swarm, leads ? add_bridge(s, def, error) : ABUT_OK, error);
    }
    if (status != ABUT_OK) {
        shoal_destroy(s);
        return status;
    }
    *made = s;
    return ABUT_OK;
}

void shoal_destroy(shoal* s) {
    if (s != NULL) {
        modal_model_free(&s->model);
        swarm_close(&s->swarm);
        scene_destroy(s->fish);
        scene_destroy(s->bridge);
        free(s->vertices);
        free(s->seen);
        free(s);
    }
}

// ---- a step

// Every mode oscillates at its own frequency, higher ones with smaller amplitude.
static abut_status sway_bridge(shoal* s, abut_error* error) {
    const double time = s->swarm.work.steps * s->swarm.def.step_seconds;
    for (uint32_t j = 0; j < s->model.field_count; ++j) {
        const double pace = sqrt(s->model.frequency_sq[j]);
        const double size = s->sway / s->model.reach[j] / (1 + (double)(j * j));
        s->q[j] = size * sin(pace * time);
        s->rate[j] = size * pace * cos(pace * time);
    }
    swarm_ranks* ranks = s->swarm.def.ranks;
    const abut_status status = abut_body_set_coordinates(s->swarm.scene, s->body, s->q,
                                                         s->model.field_count, error);
    return status == ABUT_OK && ranks != NULL
               ? ranks->set(ranks, s->swarm.count, NULL, s->q, s->model.field_count, error)
               : status;
}

static const double* vertex_at(shoal* s, uint32_t vertex) {
    if (s->seen[vertex] != s->swarm.work.steps + 1) {
        s->seen[vertex] = s->swarm.work.steps + 1;
        abut_body_vertex(s->swarm.scene, s->body, vertex, s->vertices[vertex], NULL);
    }
    return s->vertices[vertex];
}

// The point of the bridge that is nearest to the centre of a sphere.
typedef struct nearest {
    double distance_sq;
    double facing;  // squared cosine of the angle between normal and direction to the centre;
                    // breaks ties at edges
    bool behind;    // the centre is on the inner side of the triangle
    double point[3];
    uint32_t proxy;
} nearest;

static void test_triangle(shoal* s, uint32_t triangle, const double centre[3], nearest* best) {
    double t[3][3];
    double on[3];
    double side[3] = {0, 0, 0};  // normal times twice the area
    for (int c = 0; c < 3; ++c) {
        const double* v = vertex_at(s, s->model.from->triangles[3 * (size_t)triangle + (size_t)c]);
        for (int d = 0; d < 3; ++d) {
            t[c][d] = v[d];
        }
    }
    const double distance_sq = triangle_nearest(t, centre, on);
    if (distance_sq > best->distance_sq * (1 + 1e-9)) {
        return;
    }
    double along = 0;
    double size_sq = 0;
    for (int d = 0; d < 3; ++d) {
        const int e = (d + 1) % 3;
        const int f = (d + 2) % 3;
        side[d] = (t[1][e] - t[0][e]) * (t[2][f] - t[0][f]) -
                  (t[1][f] - t[0][f]) * (t[2][e] - t[0][e]);
        along += side[d] * (centre[d] - on[d]);
        size_sq += side[d] * side[d];
    }
    const double facing = along * along / (size_sq * distance_sq + 1e-300);
    if (distance_sq < best->distance_sq * (1 - 1e-9) || facing > best->facing) {
        best->distance_sq = distance_sq;
        best->facing = facing;
        best->behind = along < 0;
        for (int d = 0; d < 3; ++d) {
            best->point[d] = on[d];
        }
    }
}

// Adds the contact of a fish's proxy with the bridge, which pushes it out, also from the inside.
static bool touch_bridge(shoal* s, const abut_proxy_pair* found, const nearest* near) {
    const double radius = s->swarm.model.proxies[found->proxy_a].radius;
    const double distance = sqrt(near->distance_sq);
    const double sign = near->behind ? -1 : 1;
    if (sign * distance >= radius || distance == 0) {
        return true;
    }
    modal_contact c = {.body = {found->body_a, CONTACT_FIXED},
                       .proxy = {found->proxy_a, 0},
                       .depth = radius - sign * distance};
    const float* u = s->model.u + (size_t)near->proxy * s->model.field_count * 3;
    for (size_t d = 0; d < 3; ++d) {
        c.point[d] = near->point[d];
        c.normal[d] = sign * (found->centre_a[d] - near->point[d]) / distance;
        for (uint32_t j = 0; j < s->model.field_count; ++j) {
            c.surface[d] += (double)u[3 * j + d] * s->rate[j];
        }
    }
    return swarm_touch(&s->swarm, &c);
}

// Contacts are sorted by fish and by proxy of the fish. Each proxy gets one contact, the nearest.
static bool touch_bridge_all(shoal* s, const abut_proxy_pair* found, size_t count) {
    bool done = true;
    for (size_t first = 0, end; first < count && done; first = end) {
        nearest best = {.distance_sq = INFINITY};
        for (end = first;
             end < count && found[end].body_a == found[first].body_a &&
             found[end].body_b == found[first].body_b && found[end].proxy_a == found[first].proxy_a;
             ++end) {
            if (found[end].body_b != s->swarm.count) {
                continue;
            }
            size_t triangle_count = 0;
            const uint32_t* triangles = abut_shape_proxy_triangles(
                s->model.shape, found[end].proxy_b, &triangle_count);
            const double before = best.distance_sq;
            for (size_t i = 0; i < triangle_count; ++i) {
                test_triangle(s, triangles[i], found[first].centre_a, &best);
            }
            best.proxy = best.distance_sq < before ? found[end].proxy_b : best.proxy;
        }
        done = best.distance_sq == INFINITY || touch_bridge(s, &found[first], &best);
    }
    return done;
}

void shoal_restore(shoal* s, const modal_body* states, const swarm_work* work) {
    swarm_restore(&s->swarm, states, work);
}

abut_status shoal_step(shoal* s, abut_error* error) {
    const abut_proxy_pair* found;
    size_t count;
    swarm_accelerate(&s->swarm);
    abut_status status = swarm_leads(&s->swarm) ? sway_bridge(s, error) : ABUT_OK;
    status = swarm_agree(&s->swarm, status, error);
    if (status == ABUT_OK) {
        status = swarm_update(&s->swarm, error);
    }
    if (status == ABUT_OK) {
        status = swarm_collide(&s->swarm, &found, &count, error);
    }
    if (status != ABUT_OK) {
        return status;
    }
    const swarm_time start = swarm_now();
    const bool done = touch_bridge_all(s, found, count);
    swarm_add_time(&s->swarm.work.solve, start);
    return swarm_solve(&s->swarm, done && swarm_touch_ground(&s->swarm, WATER), error);
}

// ---- what it is like

const swarm* shoal_swarm(const shoal* s) {
    return &s->swarm;
}

abut_body_id shoal_bridge(const shoal* s) {
    return s->body;
}

const modal_model* shoal_bridge_model(const shoal* s) {
    return &s->model;
}

const double* shoal_bridge_coordinates(const shoal* s) {
    return s->q;
}

uint32_t shoal_on_bridge(const shoal* s) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->swarm.count; ++i) {
        count += s->swarm.bodies[i].frame.t[2] > -0.5;
    }
    return count;
}

double shoal_bytes_per_body(const shoal* s) {
    return s->bytes_per_body;
}
