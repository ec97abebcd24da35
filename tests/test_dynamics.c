// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Dynamics of modal bodies: impulses against the conservation laws, whole piles against the energy
// and against a second run. The library's exact answers on every frame of a pile and of a shoal are
// compared with those of free bodies that get all vertices.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dynamics/pile.h"
#include "dynamics/shoal.h"
#include "dynamics/triangle.h"
#include "support/threads.h"
#include "support/world.h"

static pile* chairs[SWARM_MANNERS];

static pile_def small_pile(uint32_t bodies, swarm_manner manner) {
    pile_def def = pile_def_default();
    def.bodies = bodies;
    def.triangles = effort(800, 2500, 2500);  // computing the modes of a chair takes longest
    def.level = 7;
    def.manner = manner;
    return def;
}

static pile* make_pile(const pile_def* def) {
    pile* p = NULL;
    REQUIRE_OK(pile_create(def, &p, NULL));
    return p;
}

// one chair of a kind, made once for all tests
static const swarm* one_chair(swarm_manner manner) {
    if (chairs[manner] == NULL) {
        const pile_def def = small_pile(1, manner);
        chairs[manner] = make_pile(&def);
    }
    return pile_swarm(chairs[manner]);
}

static int free_chairs(void** state) {
    (void)state;
    for (uint32_t m = 0; m < SWARM_MANNERS; ++m) {
        pile_destroy(chairs[m]);
    }
    return 0;
}

static shoal* make_shoal(uint32_t bodies, double sway) {
    shoal_def def = shoal_def_default();
    shoal* s = NULL;
    def.bodies = bodies;
    def.triangles = 1500;
    def.level = 6;
    def.bridge_triangles = effort(700, 8000, 8000);
    def.bridge_level = 12;
    def.sway = sway;
    REQUIRE_OK(shoal_create(&def, &s, NULL));
    return s;
}

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// --- one body ----------------------------------------------------------------------------------

static void random_state(test_random* random, modal_body* body) {
    for (int d = 0; d < 3; ++d) {
        body->velocity[d] = random_double(random, -2, 2);
        body->spin[d] = random_double(random, -2, 2);
    }
    for (int j = 0; j < MODAL_MOST; ++j) {
        body->q[j] = random_double(random, -0.1, 0.1);
        body->rate[j] = random_double(random, -1, 1);
    }
}

static void random_direction(test_random* random, double direction[3]) {
    double length = 0;
    while (length < 0.1) {
        for (int d = 0; d < 3; ++d) {
            direction[d] = random_double(random, -1, 1);
        }
        length = sqrt(dot(direction, direction));
    }
    for (int d = 0; d < 3; ++d) {
        direction[d] /= length;
    }
}

// An impulse p at a point changes the velocity there by give x p along it, the momentum by p, and
// the energy by p (v + v') / 2, for any modes.
static void test_push_obeys_mechanics(void** state) {
    (void)state;
    const swarm* s = one_chair(SWARM_DEFORMABLE);
    modal_model free = s->model;
    const modal_model* model = &free;
    for (uint32_t j = 0; j < model->mode_count; ++j) {
        free.mode_give[j] = 1 / free.mode_mass[j];  // instantaneous: springs have no effect yet
    }
    for (uint32_t seed = 1; seed <= 50; ++seed) {
        test_random random = random_seed(seed);
        where("seed %u", seed);
        const abut_frame frame = frame_random(&random, 3);
        modal_body body = modal_body_at(model, &frame);
        random_state(&random, &body);
        const modal_body before = body;
        const uint32_t proxy = random_below(&random, model->proxy_count);
        double point[3];
        double direction[3];
        double v[2][3];
        modal_body_place(model, &body, proxy, point);
        random_direction(&random, direction);
        const double size = random_double(&random, -1, 1);
        modal_body_velocity(model, &body, proxy, point, v[0]);
        modal_body_push(model, &body, proxy, point, direction, size);
        modal_body_velocity(model, &body, proxy, point, v[1]);
        const double give = modal_body_give(model, &body, proxy, point, direction);
        const double gained = dot(v[1], direction) - dot(v[0], direction);
        REQUIRE(fabs(gained - size * give) <= 1e-9 * fabs(size * give));
        const double work = size * (dot(v[1], direction) + dot(v[0], direction)) / 2;
        const double energy = modal_body_kinetic(model, &body) - modal_body_kinetic(model, &before);
        REQUIRE(fabs(energy - work) <= 1e-9 * (fabs(energy) + fabs(size)));
        for (int d = 0; d < 3; ++d) {
            const double momentum = model->mass * (body.velocity[d] - before.velocity[d]);
            REQUIRE(fabs(momentum - size * direction[d]) <= 1e-12);
        }
    }
}

// the velocity at contacts is the derivative of the point's motion
static void test_velocity_is_motion(void** state) {
    (void)state;
    const swarm* s = one_chair(SWARM_DEFORMABLE);
    modal_model quick = s->model;
    const modal_model* model = &quick;
    const double small = 1e-6;
    quick.step_seconds = small;
    for (uint32_t seed = 1; seed <= 20; ++seed) {
        test_random random = random_seed(seed);
        where("seed %u", seed);
        const abut_frame frame = frame_random(&random, 3);
        modal_body body = modal_body_at(model, &frame);
        random_state(&random, &body);
        for (int j = 0; j < MODAL_MOST; ++j) {
            body.q[j] *= 0.1;  // below the strain limit
        }
        const uint32_t proxy = random_below(&random, model->proxy_count);
        double from[3];
        double to[3];
        double v[3];
        modal_body_place(model, &body, proxy, from);
        modal_body_velocity(model, &body, proxy, from, v);
        modal_body_move(model, &body);
        modal_body_place(model, &body, proxy, to);
        for (int d = 0; d < 3; ++d) {
            REQUIRE(fabs((to[d] - from[d]) / small - v[d]) <= 1e-3);
        }
    }
}

// R I R^T spin
static void angular_momentum(const modal_model* model, const modal_body* body, double out[3]) {
    double own[3] = {0, 0, 0};
    double turned[3];
    for (int i = 0; i < 9; ++i) {
        own[i % 3] += body->frame.r[i / 3][i % 3] * body->spin[i / 3];
    }
    for (int d = 0; d < 3; ++d) {
        turned[d] = dot(model->inertia[d], own);
    }
    for (int d = 0; d < 3; ++d) {
        out[d] = dot(body->frame.r[d], turned);
    }
}

// in free flight the centre falls by Galilei's law, and a spinning body keeps its energy
static void test_free_flight(void** state) {
    (void)state;
    const swarm* s = one_chair(SWARM_RIGID);
    modal_model quick = s->model;
    const modal_model* model = &quick;
    test_random random = random_seed(7);
    const abut_frame frame = frame_random(&random, 3);
    modal_body body = modal_body_at(model, &frame);
    random_state(&random, &body);
    const modal_body start = body;
    quick.step_seconds = 1e-3;
    for (int i = 0; i < 1000; ++i) {
        modal_body_accelerate(model, &body, 9.81);
        modal_body_move(model, &body);
    }
    REQUIRE(fabs(body.frame.t[0] - start.frame.t[0] - start.velocity[0]) < 1e-9);
    REQUIRE(fabs(body.frame.t[2] - start.frame.t[2] - start.velocity[2] + 9.81 / 2) < 0.01);
    modal_body spun[2] = {start, body};
    memset(spun[0].velocity, 0, sizeof spun[0].velocity);
    memset(spun[1].velocity, 0, sizeof spun[1].velocity);
    const double energy = modal_body_kinetic(model, &spun[0]);
    REQUIRE(fabs(modal_body_kinetic(model, &spun[1]) / energy - 1) < 0.01);
    double momentum[2][3];
    angular_momentum(model, &start, momentum[0]);
    angular_momentum(model, &body, momentum[1]);
    for (int d = 0; d < 3; ++d) {
        REQUIRE(fabs(momentum[1][d] - momentum[0][d]) < 1e-9);
    }
    for (int i = 0; i < 3; ++i) {
        REQUIRE(fabs(dot(body.frame.r[i], body.frame.r[i]) - 1) < 1e-12);
        REQUIRE(fabs(dot(body.frame.r[i], body.frame.r[(i + 1) % 3])) < 1e-12);
    }
}

// However strong the impact, no vertex moves farther than the strain limit, and the modes ring
// down.
static void test_strain_is_limited(void** state) {
    (void)state;
    const swarm* s = one_chair(SWARM_DEFORMABLE);
    const modal_model* model = &s->model;
    const abut_frame frame = abut_frame_identity();
    modal_body body = modal_body_at(model, &frame);
    test_random random = random_seed(3);
    for (uint32_t j = 0; j < model->mode_count; ++j) {
        body.rate[j] = random_double(&random, -1e3, 1e3);
    }
    double most = 0;
    double energy = INFINITY;
    for (int step = 0; step < 600; ++step) {
        modal_body_accelerate(model, &body, 0);
        modal_body_move(model, &body);
        double farthest_sq = 0;
        for (size_t i = 0; i < model->from->vertex_count; i += 7) {
            double moved[3] = {0, 0, 0};
            for (size_t j = 0; j < model->mode_count; ++j) {
                for (size_t d = 0; d < 3; ++d) {
                    const size_t at = (j * model->from->vertex_count + i) * 3 + d;
                    moved[d] += (double)model->from->fields[at] * body.q[j];
                }
            }
            farthest_sq = fmax(farthest_sq, dot(moved, moved));
        }
        double sum = 0;
        for (uint32_t j = 0; j < model->mode_count; ++j) {
            sum += fabs(body.q[j]) * model->reach[j];
        }
        where("step %d", step);
        REQUIRE(sum <= model->strain_limit * (1 + 1e-6));
        REQUIRE(sqrt(farthest_sq) <= sum * (1 + 1e-6));
        most = fmax(most, sqrt(farthest_sq));
        const double now = modal_body_kinetic(model, &body) + modal_body_stored(model, &body, 0);
        REQUIRE(now <= energy * (1 + 1e-9));
        energy = now;
    }
    REQUIRE(most > 0.1 * model->strain_limit);
    REQUIRE(energy < 1e-6);
}

// a contact stops an approaching body and never holds one that leaves
static void test_contacts_push_and_never_pull(void** state) {
    (void)state;
    const swarm* s = one_chair(SWARM_DEFORMABLE);
    for (uint32_t seed = 1; seed <= 50; ++seed) {
        test_random random = random_seed(seed);
        where("seed %u", seed);
        const abut_frame frame = frame_random(&random, 3);
        modal_body body = modal_body_at(&s->model, &frame);
        random_state(&random, &body);
        const modal_body before = body;
        modal_contact c = {.body = {0, CONTACT_FIXED}, .depth = 1e-3};
        double v[3];
        c.proxy[0] = random_below(&random, s->model.proxy_count);
        modal_body_place(&s->model, &body, c.proxy[0], c.point);
        random_direction(&random, c.normal);
        modal_body_velocity(&s->model, &body, c.proxy[0], c.point, v);
        const double speed = dot(v, c.normal);
        contact_solve(&s->def.law, &s->model, &body, &c, 1);
        modal_body_velocity(&s->model, &body, c.proxy[0], c.point, v);
        if (speed > 0.1) {
            REQUIRE(memcmp(&before, &body, sizeof body) == 0);
        } else if (speed < 0) {
            REQUIRE(c.push > 0 && dot(v, c.normal) > speed && dot(v, c.normal) < 0.1);
            REQUIRE(sqrt(dot(c.drag, c.drag)) <= s->def.law.friction * c.push * (1 + 1e-9));
        }
    }
}

// --- piles -------------------------------------------------------------------------------------

static double energy_of(const swarm* s) {
    return swarm_kinetic(s) + swarm_stored(s);
}

// Energy decreases, and chairs come to rest on the ground, at most a fiftieth of their size deep.
static void test_pile_comes_to_rest(void** state) {
    (void)state;
    for (uint32_t m = 0; m < SWARM_MANNERS; ++m) {
        const pile_def def = small_pile(18, (swarm_manner)m);
        pile* p = make_pile(&def);
        const swarm* s = pile_swarm(p);
        const double start = energy_of(s);
        double last = start;
        double fastest = 0;
        for (uint32_t step = 0; step < 600; ++step) {
            REQUIRE_OK(pile_step(p, NULL));
            where("%s, step %u", swarm_manner_name(def.manner), step);
            REQUIRE(energy_of(s) <= last + 0.0005 * start);  // contacts store and return a little
            last = fmin(last, energy_of(s));
            fastest = fmax(fastest, swarm_kinetic(s));
        }
        REQUIRE(fastest > 0.1 * start);
        REQUIRE(swarm_kinetic(s) < 0.005 * fastest);
        REQUIRE(swarm_deepest(s, 0) <= 0.02 * (2 * s->model.radius));
        REQUIRE(s->work.contacts > 0);
        for (uint32_t i = 0; i < s->count; ++i) {
            REQUIRE(fabs(s->bodies[i].frame.t[0]) < 10 && fabs(s->bodies[i].frame.t[1]) < 10);
            REQUIRE(s->bodies[i].frame.t[2] > 0 && s->bodies[i].frame.t[2] < 3);
        }
        pile_destroy(p);
    }
}

// As many chairs as in the paper, with as many triangles, in a lattice so dense that each one cuts
// others.
static void crowd_chairs(const swarm* s, uint32_t step) {
    const uint32_t side = (uint32_t)ceil(cbrt(s->count));
    for (uint32_t i = 0; i < s->count; ++i) {
        const double angle = 0.7 * i + 0.01 * step;
        abut_frame frame = abut_frame_identity();
        frame.r[0][0] = frame.r[1][1] = cos(angle);
        frame.r[1][0] = sin(angle);
        frame.r[0][1] = -frame.r[1][0];
        frame.t[0] = 0.5 * (i % side);
        frame.t[1] = 0.5 * (i / side % side);
        frame.t[2] = 0.5 * (i / side / side);
        double q[MODAL_MOST];
        for (uint32_t j = 0; j < s->model.field_count; ++j) {
            q[j] = 0.3 * sin(1.7 * i + 2.3 * j + step);
        }
        REQUIRE_OK(abut_body_set_frame(s->scene, s->ids[i], &frame, NULL));
        REQUIRE_OK(abut_body_set_coordinates(s->scene, s->ids[i], q, s->model.field_count, NULL));
    }
}

static uint32_t bodies_in_contact(const swarm* s) {
    bool* touched = calloc(abut_scene_body_limit(s->scene), sizeof *touched);
    assert_non_null(touched);
    size_t count = 0;
    const abut_pair* pairs = abut_collide_result_pairs(s->exact, &count);
    uint32_t bodies = 0;
    for (size_t i = 0; i < 2 * count; ++i) {
        const uint32_t body = i % 2 == 0 ? pairs[i / 2].body_a : pairs[i / 2].body_b;
        bodies += !touched[body];
        touched[body] = true;
    }
    free(touched);
    return bodies;
}

static void test_thousands_in_contact_are_small(void** state) {
    (void)state;
    pile_def def = pile_def_default();
    def.bodies = effort(301, 3601, 3601);
    pile* p = make_pile(&def);
    const swarm* s = pile_swarm(p);
    const double own = (double)swarm_state_bytes(s);
    REQUIRE(pile_bytes_per_body(p) > own && pile_bytes_per_body(p) <= own + 256);
    // otherwise queries within the chairs evaluate all of them
    REQUIRE_OK(abut_shape_build_certificates(abut_body_shape(s->scene, s->ids[0]), NULL));
    for (uint32_t step = 0; step < effort(1, 2, 4); ++step) {
        where("step %u", step);
        crowd_chairs(s, step);
        REQUIRE_OK(abut_collide_all(s->scene, NULL, s->exact, NULL));
        REQUIRE(bodies_in_contact(s) == def.bodies);
        REQUIRE_OK(abut_collide_self_all(s->scene, NULL, s->exact, NULL));
    }
    print_message("%u chairs, each in contact: %.0f MB at most\n", def.bodies,
                  (double)s->most_bytes / 1e6);
    REQUIRE(s->most_bytes < (size_t)effort(160, 512, 512) << 20);
    pile_destroy(p);
}

// chairs with fields whose coordinates are 0 move like chairs without fields, bit by bit
static void test_locked_modes_are_rigid(void** state) {
    (void)state;
    const pile_def defs[2] = {small_pile(12, SWARM_RIGID), small_pile(12, SWARM_REDUNDANT)};
    pile* piles[2] = {make_pile(&defs[0]), make_pile(&defs[1])};
    REQUIRE(pile_swarm(piles[0])->model.field_count == 0);
    REQUIRE(pile_swarm(piles[1])->model.field_count == 10);
    for (uint32_t step = 0; step < 250; ++step) {
        REQUIRE_OK(pile_step(piles[0], NULL));
        REQUIRE_OK(pile_step(piles[1], NULL));
    }
    REQUIRE(pile_swarm(piles[0])->work.pushes > 1000);
    REQUIRE(memcmp(pile_swarm(piles[0])->bodies, pile_swarm(piles[1])->bodies,
                   12 * sizeof(modal_body)) == 0);
    pile_destroy(piles[0]);
    pile_destroy(piles[1]);
}

// every run gives the same bits, with any number of threads
static void test_same_bits_on_every_run(void** state) {
    (void)state;
    modal_body first[12];
    for (uint32_t run = 0; run < effort(2, 3, 3); ++run) {
        test_threads* threads = threads_create(1 + run, run);
        const abut_context_def context = threads_context_def(threads);
        pile_def def = small_pile(12, SWARM_DEFORMABLE);
        def.context = &context;
        pile* p = make_pile(&def);
        for (uint32_t step = 0; step < effort(120, 250, 250); ++step) {
            REQUIRE_OK(pile_step(p, NULL));
        }
        where("run %u", run);
        if (run == 0) {
            memcpy(first, pile_swarm(p)->bodies, sizeof first);
        }
        REQUIRE(memcmp(first, pile_swarm(p)->bodies, sizeof first) == 0);
        pile_destroy(p);
        threads_destroy(threads);
    }
}

static void test_measured_modes_have_the_same_frames(void** state) {
    (void)state;
    const pile_def def = small_pile(12, SWARM_DEFORMABLE);
    pile_cost cost;
    REQUIRE_OK(pile_measure(&def, effort(80, 150, 150), 4, 2, &cost, NULL));
    REQUIRE(cost.frames == 4);
    REQUIRE(cost.contacts[SWARM_DEFORMABLE] > 0);
    REQUIRE(cost.pairs[SWARM_RIGID] == cost.pairs[SWARM_REDUNDANT]);
    for (uint32_t m = 0; m < SWARM_MANNERS; ++m) {
        REQUIRE(cost.proxies_seconds[m] >= 0 && cost.exact_seconds[m] >= 0);
    }
}

// --- exact answers -----------------------------------------------------------------------------

// a scene of free bodies that copies another one
typedef struct copy {
    const abut_scene* of;
    abut_context* context;
    abut_scene* scene;
    abut_collide_result* result[2];  // of the original and of the copy
    abut_body_id bodies[64];
    uint32_t count;
    double* room;
} copy;

// uses the context of the original scene
static copy copy_open(abut_context* context, const abut_scene* of) {
    copy c = {.of = of, .context = context, .count = abut_scene_body_limit(of)};
    uint32_t most = 0;
    REQUIRE(c.count <= 64);
    REQUIRE_OK(abut_scene_create(context, NULL, &c.scene, NULL));
    REQUIRE_OK(abut_collide_result_create(context, &c.result[0], NULL));
    REQUIRE_OK(abut_collide_result_create(context, &c.result[1], NULL));
    for (uint32_t i = 0; i < c.count; ++i) {
        abut_shape* shape = NULL;
        const abut_mesh* mesh = abut_shape_mesh(abut_body_shape(of, abut_scene_body_at(of, i)));
        REQUIRE_OK(motion_create(context, mesh, NULL, &shape, NULL));
        REQUIRE_OK(abut_body_create(c.scene, shape, NULL, &c.bodies[i], NULL));
        abut_shape_destroy(shape);
        most = abut_mesh_vertex_count(mesh) > most ? abut_mesh_vertex_count(mesh) : most;
    }
    c.room = test_alloc(3 * (size_t)most, sizeof *c.room);
    return c;
}

static void copy_close(copy* c) {
    free(c->room);
    abut_collide_result_destroy(c->result[0]);
    abut_collide_result_destroy(c->result[1]);
    abut_scene_destroy(c->scene);
}

// compares the pairs of both scenes in the current state; returns their number
static size_t copy_check(copy* c) {
    size_t count[2];
    for (uint32_t i = 0; i < c->count; ++i) {
        const abut_body_id id = abut_scene_body_at(c->of, i);
        const abut_frame frame = abut_body_frame(c->of, id);
        const uint32_t vertices = abut_mesh_vertex_count(
            abut_shape_mesh(abut_body_shape(c->of, id)));
        for (uint32_t v = 0; v < vertices; ++v) {
            REQUIRE_OK(abut_body_vertex(c->of, id, v, c->room + 3 * (size_t)v, NULL));
        }
        REQUIRE_OK(abut_body_set_positions(c->scene, c->bodies[i],
                                           abut_positions_f64(c->room, vertices), NULL));
        REQUIRE_OK(abut_body_set_frame(c->scene, c->bodies[i], &frame, NULL));
    }
    REQUIRE_OK(abut_collide_all(c->of, NULL, c->result[0], NULL));
    REQUIRE_OK(abut_collide_all(c->scene, NULL, c->result[1], NULL));
    const abut_pair* pairs[2] = {abut_collide_result_pairs(c->result[0], &count[0]),
                                 abut_collide_result_pairs(c->result[1], &count[1])};
    REQUIRE(count[0] == count[1]);
    REQUIRE(count[0] == 0 || memcmp(pairs[0], pairs[1], count[0] * sizeof **pairs) == 0);
    return count[0];
}

// in every frame of a crash, with contacts so soft that chairs cut each other
static void test_pile_pairs_equal_those_of_free_bodies(void** state) {
    (void)state;
    pile_def def = small_pile(10, SWARM_DEFORMABLE);
    def.triangles = 2500;  // coarser chairs hardly cut each other
    def.stiffness = 4;
    pile* p = make_pile(&def);
    copy c = copy_open(pile_swarm(p)->context, pile_swarm(p)->scene);
    size_t pairs = 0;
    double flexed = 0;
    const uint32_t steps = effort(150, 400, 900);
    for (uint32_t step = 0; step < steps; ++step) {
        REQUIRE_OK(pile_step(p, NULL));
        where("step %u", step);
        pairs += step % effort(3, 1, 1) == 0 ? copy_check(&c) : 0;
        flexed = fmax(flexed, fabs(pile_swarm(p)->bodies[0].q[0]));
    }
    REQUIRE(pairs > effort(20, 100, 100));
    REQUIRE(flexed > 0.05);
    copy_close(&c);
    pile_destroy(p);
}

static void test_shoal_pairs_equal_those_of_free_bodies(void** state) {
    (void)state;
    shoal* s = make_shoal(20, 0.3);
    copy c = copy_open(shoal_swarm(s)->context, shoal_swarm(s)->scene);
    size_t pairs = 0;
    const uint32_t steps = effort(150, 400, 900);
    for (uint32_t step = 0; step < steps; ++step) {
        REQUIRE_OK(shoal_step(s, NULL));
        where("step %u", step);
        pairs += step % effort(3, 1, 1) == 0 ? copy_check(&c) : 0;
    }
    REQUIRE(pairs > effort(5, 20, 20));
    copy_close(&c);
    shoal_destroy(s);
}

// --- fish --------------------------------------------------------------------------------------

// fish come to rest on a bridge that does not move
static void test_shoal_lies_on_the_bridge(void** state) {
    (void)state;
    const uint32_t fish = effort(15, 40, 40);
    shoal* s = make_shoal(fish, 0);
    const swarm* all = shoal_swarm(s);
    double fastest = 0;
    for (uint32_t step = 0; step < 600; ++step) {
        REQUIRE_OK(shoal_step(s, NULL));
        fastest = fmax(fastest, swarm_kinetic(all));
    }
    REQUIRE(shoal_on_bridge(s) >= fish - fish / 10);  // a few may slip through the railing
    REQUIRE(swarm_kinetic(all) < 0.01 * fastest);
    shoal_destroy(s);
}

// compared with a fine sampling of the triangle, whose distance can only be greater
static void test_nearest_point_of_a_triangle(void** state) {
    (void)state;
    enum { PARTS = 60 };
    for (uint32_t seed = 1; seed <= 200; ++seed) {
        test_random random = random_seed(seed);
        double t[3][3];
        double point[3];
        double nearest[3];
        for (int i = 0; i < 9; ++i) {
            t[i / 3][i % 3] = random_double(&random, -1, 1);
        }
        for (int d = 0; d < 3; ++d) {
            point[d] = random_double(&random, -2, 2);
        }
        const double distance = sqrt(triangle_nearest(t, point, nearest));
        double sampled_sq = INFINITY;
        double on_triangle_sq = INFINITY;
        for (int i = 0; i <= PARTS; ++i) {
            for (int j = 0; i + j <= PARTS; ++j) {
                double off[3];
                double on[3];
                for (int d = 0; d < 3; ++d) {
                    const double x = t[0][d] + (t[1][d] - t[0][d]) * i / PARTS +
                                     (t[2][d] - t[0][d]) * j / PARTS;
                    off[d] = x - point[d];
                    on[d] = x - nearest[d];
                }
                sampled_sq = fmin(sampled_sq, dot(off, off));
                on_triangle_sq = fmin(on_triangle_sq, dot(on, on));
            }
        }
        where("seed %u", seed);
        const double grain = 3.5 / PARTS;  // every point has a sample within this distance
        REQUIRE(distance <= sqrt(sampled_sq) + 1e-12);
        REQUIRE(distance >= sqrt(sampled_sq) - grain);
        REQUIRE(sqrt(on_triangle_sq) <= grain);
        double off[3];
        for (int d = 0; d < 3; ++d) {
            off[d] = point[d] - nearest[d];
        }
        REQUIRE(fabs(sqrt(dot(off, off)) - distance) < 1e-12);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_push_obeys_mechanics),
        cmocka_unit_test(test_velocity_is_motion),
        cmocka_unit_test(test_free_flight),
        cmocka_unit_test(test_strain_is_limited),
        cmocka_unit_test(test_contacts_push_and_never_pull),
        cmocka_unit_test(test_pile_comes_to_rest),
        cmocka_unit_test(test_thousands_in_contact_are_small),
        cmocka_unit_test(test_locked_modes_are_rigid),
        cmocka_unit_test(test_same_bits_on_every_run),
        cmocka_unit_test(test_measured_modes_have_the_same_frames),
        cmocka_unit_test(test_pile_pairs_equal_those_of_free_bodies),
        cmocka_unit_test(test_shoal_pairs_equal_those_of_free_bodies),
        cmocka_unit_test(test_shoal_lies_on_the_bridge),
        cmocka_unit_test(test_nearest_point_of_a_triangle),
    };
    return cmocka_run_group_tests(tests, NULL, free_chairs);
}
