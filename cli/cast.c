// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// abut cast: finds which triangles rays meet.
#include "cli/cast_rays.h"
#include "cli/command.h"
#include "cli/json.h"
#include "cli/message.h"
#include "cli/object.h"
#include "cli/output.h"
#include "cli/terminal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FROM, TO, RAYS, BEYOND, RADIUS, ALL, ANIMATION, TIME, FPS, THREADS, JSON, CSV, OPTIONS };

static const option_spec options[OPTIONS] = {
    [FROM] = {"from", OPTION_TEXT, "X,Y,Z", "where the ray begins, in world coordinates"},
    [TO] = {"to", OPTION_TEXT, "X,Y,Z", "where it ends"},
    [RAYS] = {"rays", OPTION_TEXT, "FILE",
              "more rays: a line each, six numbers, where it begins\n"
              "and where it ends; - is the standard input"},
    [BEYOND] = {"beyond", OPTION_FLAG, NULL, "rays go on beyond their ends"},
    [RADIUS] = {"radius", OPTION_NUMBER, "R", "a sphere of this radius goes along the ray [0]"},
    [ALL] = {"all", OPTION_FLAG, NULL, "all triangles that a ray meets, in order [the first]"},
    [ANIMATION] = ANIMATION_OPTION,
    [TIME] = {"time", OPTION_NUMBER, "SECONDS",
              "the time of the animation; of a sequence of meshes the\n"
              "nearest frame [0]"},
    [FPS] = FPS_OPTION,
    [THREADS] = {"threads", OPTION_WHOLE, "N", "use N threads [one per core]"},
    [JSON] = {"json", OPTION_TEXT, "FILE", "write JSON to FILE; - is the standard output"},
    [CSV] = {"csv", OPTION_TEXT, "FILE",
             "write a row for each hit to FILE; - is the standard output"},
};

typedef struct job {
    object_list objects;
    world w;
    json_output json;
    FILE* csv;
    ray_table rays;
    abut_cast_result* result;
    size_t frame;
    double fps;
} job;

static const char* side_name(abut_ray_side side) {
    return side == ABUT_RAY_SIDE_FRONT ? "front" : side == ABUT_RAY_SIDE_BACK ? "back" : "edge";
}

// the point of a hit
static void point_of(const job* j, const abut_ray_hit* hit, double out[3]) {
    const abut_body_id body = abut_scene_body_at(j->w.scene, hit->body);
    const abut_mesh* mesh = abut_shape_mesh(abut_body_shape(j->w.scene, body));
    const uint32_t* corner = abut_mesh_triangles(mesh) + 3 * (size_t)hit->triangle;
    out[0] = out[1] = out[2] = 0;
    for (int c = 0; c < 3; ++c) {
        double p[3];
        abut_body_world_vertex(j->w.scene, body, corner[c], p, NULL);
        for (int d = 0; d < 3; ++d) {
            out[d] += hit->weights[c] * p[d];
        }
    }
}

static const char* object_name(const job* j, const abut_ray_hit* hit) {
    return j->objects.objects[j->w.number_of[hit->body]].name;
}

// ---- outputs

static json_t* hit_json(const job* j, const abut_ray_hit* hit) {
    double point[3];
    json_t* json = json_object();
    point_of(j, hit, point);
    json_object_set_new(json, "ray", json_count(hit->ray));
    json_object_set_new(json, "object", json_text(object_name(j, hit)));
    json_object_set_new(json, "triangle", json_count(hit->triangle));
    json_object_set_new(json, "side", json_text(side_name(hit->side)));
    json_object_set_new(json, "t", json_finite(hit->t));
    json_object_set_new(json, "point", json_vector(point));
    json_object_set_new(json, "weights", json_vector(hit->weights));
    return json;
}

static void put_csv(const job* j, const abut_ray_hit* hit) {
    double p[3];
    point_of(j, hit, p);
    fprintf(j->csv, "%u,%u,%u,%s,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", hit->ray,
            j->w.number_of[hit->body], hit->triangle, side_name(hit->side), hit->t, p[0], p[1],
            p[2], hit->weights[0], hit->weights[1], hit->weights[2]);
}

static void print_hit(const job* j, const abut_ray_hit* hit) {
    char name[NAME_SIZE];
    double p[3];
    point_of(j, hit, p);
    printf("ray %u meets triangle %u of %s from the %s at t = %.9g, point %.9g %.9g %.9g\n",
           hit->ray, hit->triangle, shown_name(object_name(j, hit), 40, name),
           hit->side == ABUT_RAY_SIDE_EDGE_ON ? "edge" : side_name(hit->side), hit->t, p[0], p[1],
           p[2]);
}

static void print_all(const job* j, const abut_ray_hit* hits, size_t count) {
    size_t met = 0;
    const uint8_t* each = abut_cast_result_met(j->result, NULL);
    for (size_t i = 0; i < count; ++i) {
        print_hit(j, &hits[i]);
    }
    for (size_t i = 0; i < j->rays.count; ++i) {
        met += each[i];
    }
    printf("%zu of %zu %s met a triangle.\n", met, j->rays.count,
           j->rays.count == 1 ? "ray" : "rays");
}

static void write_json(job* j, const abut_ray_hit* hits, size_t count) {
    json_begin(&j->json);
    json_add(&j->json, "abut", json_text(ABUT_VERSION_STRING));
    json_add(&j->json, "time", json_real((double)j->frame / j->fps));
    json_add(&j->json, "rays", json_count(j->rays.count));
    json_begin_list(&j->json, "hits");
    for (size_t i = 0; i < count; ++i) {
        json_add(&j->json, NULL, hit_json(j, &hits[i]));
    }
    json_end_list(&j->json);
}

static bool write_all(job* j, const arguments* given) {
    size_t count = 0;
    const abut_ray_hit* hits = abut_cast_result_hits(j->result, &count);
    const char* csv = given->values[CSV].text;
    if (j->json.file != NULL) {
        write_json(j, hits, count);
    }
    if (j->csv != NULL) {
        fprintf(j->csv, "ray,object,triangle,side,t,x,y,z,weight_0,weight_1,weight_2\n");
        for (size_t i = 0; i < count; ++i) {
            put_csv(j, &hits[i]);
        }
    }
    if (!json_takes_stdout(&j->json) && !(csv != NULL && output_is_stdout(csv))) {
        print_all(j, hits, count);
    }
    FILE* written = j->csv;
    j->csv = NULL;
    return (written == NULL || output_end(written)) &&
           (j->json.file == NULL || json_close(&j->json));
}

// ---- the query

static bool cast(job* j, const arguments* given) {
    abut_error error;
    abut_cast_def def = abut_cast_def_default();
    abut_rays rays = abut_rays_segments(j->rays.from, j->rays.to, j->rays.count);
    static const double endless = INFINITY;
    def.mode = given->values[ALL].given ? ABUT_CAST_ALL : ABUT_CAST_FIRST;
    def.radius = given->values[RADIUS].given ? given->values[RADIUS].number : 0;
    double* tmax = NULL;
    if (given->values[BEYOND].given) {
        tmax = allocate(j->rays.count, sizeof *tmax);
        for (size_t i = 0; i < j->rays.count; ++i) {
            tmax[i] = endless;
        }
        rays.tmax = (abut_ray_limits){tmax, 0, ABUT_SCALAR_F64};
    }
    abut_status status = abut_cast_result_create(j->w.context, &j->result, &error);
    status = status == ABUT_OK ? abut_cast_all(j->w.scene, rays, &def, j->result, &error) : status;
    free(tmax);
    if (status != ABUT_OK) {
        complain("%s", error.message);
    }
    return status == ABUT_OK;
}

// Frames are chosen so that one of them is at the time.
static bool choose_frame(job* j, const arguments* given) {
    const double time = given->values[TIME].given ? given->values[TIME].number : 0;
    j->fps = chosen_fps(&given->values[FPS]);
    if (j->fps > 0 && time > 0) {
        const double frame = fmax(1, round(time * j->fps));
        if (!(frame < 1e9)) {
            complain("--time %g is too late", time);
            return false;
        }
        j->frame = (size_t)frame;
        j->fps = frame / time;
    }
    return j->fps > 0;
}

static bool read_rays(job* j, const arguments* given) {
    const option_value* v = given->values;
    if (v[RADIUS].given && v[BEYOND].given) {
        complain("--radius and --beyond do not go together: a sphere ends where its ray ends");
        return false;
    }
    if (v[FROM].given != v[TO].given) {
        complain("--from and --to belong together");
        return false;
    }
    if (!v[FROM].given && !v[RAYS].given) {
        complain("cast needs a ray: --from X,Y,Z --to X,Y,Z, or --rays FILE");
        return false;
    }
    if (v[FROM].given) {
        double* ray = rays_add(&j->rays);
        if (!ray_point("--from", v[FROM].text, ray) ||
            !ray_point("--to", v[TO].text, rays_end(&j->rays))) {
            return false;
        }
    }
    return !v[RAYS].given || rays_read(&j->rays, v[RAYS].text);
}

static bool open_outputs(job* j, const arguments* given) {
    const char* json = given->values[JSON].text;
    const char* csv = given->values[CSV].text;
    if (json != NULL && csv != NULL && output_is_stdout(json) && output_is_stdout(csv)) {
        complain("--json and --csv cannot both be the standard output");
        return false;
    }
    if (!json_claim(json) || !output_claim_report("csv", csv) || !inputs_apart() ||
        !json_open(&j->json, json)) {
        return false;
    }
    j->csv = csv != NULL ? output_open_report(csv) : NULL;
    return csv == NULL || j->csv != NULL;
}

static bool work(job* j, const arguments* given) {
    if (given->plain_count == 0) {
        complain("cast needs an object: a file, a folder, or a quoted pattern");
        return false;
    }
    if (!read_rays(j, given) || !choose_frame(j, given)) {
        return false;
    }
    const io_model_settings settings = {given->values[ANIMATION].text, j->fps};
    const uint32_t threads = given->values[THREADS].given ? given->values[THREADS].first : 0;
    return objects_find(&j->objects, given->plain, given->plain_count, &settings) &&
           world_open(&j->w, threads) && open_outputs(j, given) &&
           objects_show(&j->objects, &j->w, 0) && objects_show(&j->objects, &j->w, j->frame) &&
           cast(j, given) && write_all(j, given);
}

static int run(const arguments* given) {
    job j = {0};
    const bool done = work(&j, given);
    if (j.csv != NULL) {
        output_drop(j.csv);
    }
    json_drop(&j.json);  // no-op after success
    abut_cast_result_destroy(j.result);
    world_close(&j.w);
    objects_free(&j.objects);
    rays_free(&j.rays);
    return done ? EXIT_NOTHING : EXIT_FAILED;
}

const command cast_command = {
    .name = "cast",
    .summary = "find the triangles that rays meet",
    .usage = "cast OBJECT... [options]",
    .about = OBJECT_HELP
    "\n"
    "A ray begins at --from, where t is 0, and ends at --to, where t is 1. Which triangle\n"
    "it meets first is decided exactly; a ray through an edge or a corner meets all\n"
    "triangles there, and the one with the lowest number comes first. Models are taken in\n"
    "their pose at --time, and only what is near a ray is computed. 'front' means that the\n"
    "ray comes from the side from which the corners are seen counterclockwise. Weights are\n"
    "those of the corners. Rays, objects and triangles count from 0; a ray of --from comes\n"
    "before those of --rays. With --radius, t is where the sphere first touches, and the\n"
    "point is that of the triangle.",
    .options = options,
    .option_count = OPTIONS,
    .examples =
        "abut cast shirt.obj --from 0,0,5 --to 0,0,-5\n"
        "abut cast fox.glb --animation 1 --time 0.4 --rays rays.txt --all --csv hits.csv",
    .exits = "0 done, 2 it could not be done",
    .run = run,
};
