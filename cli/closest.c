// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// abut closest: the closest points of objects for the points of a file.
#include "cli/command.h"
#include "cli/json.h"
#include "cli/message.h"
#include "cli/object.h"
#include "cli/output.h"
#include "cli/point_file.h"
#include "cli/table.h"

#include <abut/closest.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { POINTS, SIGNED, MOST, WITHIN, FRAME, ANIMATION, FPS, JSON, CSV, THREADS, OPTIONS };
enum { ROWS_SHOWN = 20 };

static const option_spec options[OPTIONS] = {
    [POINTS] = {"points", OPTION_TEXT, "FILE",
                "the points: three numbers a line, x y z, separated by\n"
                "blanks, commas or semicolons; empty lines and those\n"
                "that begin with # are skipped; - is the standard input"},
    [SIGNED] = {"signed", OPTION_FLAG, NULL,
                "distances of points inside a closed object are\n"
                "negative, and 'side' says on which side a point is"},
    [MOST] = {"most", OPTION_WHOLE, "N", "the N closest triangles of each point [1]"},
    [WITHIN] = {"within", OPTION_NUMBER, "D",
                "leave out triangles farther than D from the point;\n"
                "without --most: all triangles within D"},
    [FRAME] = {"frames", OPTION_RANGE, "N",
               "which frame of a sequence or animation; numbers are\n"
               "those of the file names, or count from 0 [the first]"},
    [ANIMATION] = ANIMATION_OPTION,
    [FPS] = FPS_OPTION,
    [JSON] = {"json", OPTION_TEXT, "FILE", "write JSON to FILE; - is the standard output"},
    [CSV] = {"csv", OPTION_TEXT, "FILE",
             "write a row for each answer to FILE; - is the standard\n"
             "output"},
    [THREADS] = {"threads", OPTION_WHOLE, "N", "use N threads [one for each core]"},
};

typedef struct job {
    const arguments* given;
    object_list objects;
    world w;
    json_output json;
    FILE* csv;
    point_file points;
    abut_closest_result* result;
} job;

static const char* side_name(abut_side side) {
    return side == ABUT_SIDE_INSIDE    ? "inside"
           : side == ABUT_SIDE_OUTSIDE ? "outside"
           : side == ABUT_SIDE_SURFACE ? "surface"
                                       : "undefined";
}

static const char* feature_name(abut_feature feature) {
    return feature == ABUT_FEATURE_VERTEX ? "vertex"
           : feature == ABUT_FEATURE_EDGE ? "edge"
                                          : "face";
}

static const char* object_name(const job* j, const abut_closest_point* row) {
    return j->objects.objects[j->w.number_of[row->body]].name;
}

static json_t* row_json(const job* j, const abut_closest_point* row) {
    json_t* json = json_object();
    json_object_set_new(json, "point", json_count(row->point));
    json_object_set_new(json, "distance", json_finite(row->distance));
    json_object_set_new(json, "object", json_text(object_name(j, row)));
    json_object_set_new(json, "triangle", json_count(row->triangle));
    json_object_set_new(json, "closest", json_vector(row->nearest.point));
    json_object_set_new(json, "weights", json_vector(row->nearest.weights));
    json_object_set_new(json, "feature", json_text(feature_name(row->nearest.feature)));
    json_object_set_new(json, "index", json_count(row->nearest.index));
    if (j->given->values[SIGNED].given) {
        json_object_set_new(json, "side", json_text(side_name(row->side)));
    }
    return json;
}

// a name in quotes, with those in it doubled
static void write_name(FILE* file, const char* name) {
    fputc('"', file);
    for (const char* c = name; *c != '\0'; ++c) {
        fputs(*c == '"' ? "\"\"" : (char[2]){*c, '\0'}, file);
    }
    fputc('"', file);
}

static void write_csv(const job* j, const abut_closest_point* rows, size_t count) {
    fprintf(j->csv,
            "point,distance,object,triangle,x,y,z,weight0,weight1,weight2,feature,index%s\n",
            j->given->values[SIGNED].given ? ",side" : "");
    for (size_t i = 0; i < count; ++i) {
        const abut_closest_point* row = &rows[i];
        const abut_witness* n = &row->nearest;
        fprintf(j->csv, "%u,%.17g,", row->point, row->distance);
        write_name(j->csv, object_name(j, row));
        fprintf(j->csv, ",%u,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%s,%u", row->triangle, n->point[0],
                n->point[1], n->point[2], n->weights[0], n->weights[1], n->weights[2],
                feature_name(n->feature), n->index);
        fprintf(j->csv, "%s%s\n", j->given->values[SIGNED].given ? "," : "",
                j->given->values[SIGNED].given ? side_name(row->side) : "");
    }
}

static void print_rows(const job* j, const abut_closest_point* rows, size_t count) {
    const bool sides = j->given->values[SIGNED].given;
    table* t = table_create(sides ? "point|distance|side|<object|triangle|<feature"
                                  : "point|distance|<object|triangle|<feature");
    for (size_t i = 0; i < count && i < ROWS_SHOWN; ++i) {
        char name[NAME_SIZE];
        table_number(t, STYLE_PLAIN, rows[i].point);
        table_cell(t, STYLE_PLAIN, "%.6g", rows[i].distance);
        if (sides) {
            table_cell(t, STYLE_PLAIN, "%s", side_name(rows[i].side));
        }
        table_cell(t, STYLE_PLAIN, "%s", shown_name(object_name(j, &rows[i]), 40, name));
        table_number(t, STYLE_PLAIN, rows[i].triangle);
        table_cell(t, STYLE_PLAIN, "%s", feature_name(rows[i].nearest.feature));
    }
    table_print(t, 0);
    table_destroy(t);
    if (count > ROWS_SHOWN) {
        printf("%zu more; --csv or --json writes all.\n", count - ROWS_SHOWN);
    } else if (count == 0) {
        printf("No triangle is near enough to a point.\n");
    }
}

static bool write_answer(job* j) {
    size_t count = 0;
    const abut_closest_point* rows = abut_closest_result_points(j->result, &count);
    const bool quiet = json_takes_stdout(&j->json) || output_is_stdout(j->given->values[CSV].text);
    json_begin(&j->json);
    json_add(&j->json, "abut", json_text(ABUT_VERSION_STRING));
    json_add(&j->json, "points", json_count(j->points.count));
    json_begin_list(&j->json, "closest");
    for (size_t i = 0; i < count && j->json.file != NULL; ++i) {
        json_add(&j->json, NULL, row_json(j, &rows[i]));
    }
    json_end_list(&j->json);
    if (j->csv != NULL) {
        write_csv(j, rows, count);
        FILE* file = j->csv;
        j->csv = NULL;
        if (!output_end(file)) {
            return false;
        }
    }
    if (!quiet) {
        print_rows(j, rows, count);
    }
    return json_close(&j->json);
}

static bool ask(job* j) {
    const option_value* v = j->given->values;
    abut_closest_def def = abut_closest_def_default();
    abut_error error;
    def.sign = v[SIGNED].given;
    def.max_distance = v[WITHIN].given ? v[WITHIN].number : INFINITY;
    def.most = v[MOST].given ? v[MOST].first : v[WITHIN].given ? 0 : 1;
    abut_status status = abut_closest_result_create(j->w.context, &j->result, &error);
    if (status == ABUT_OK) {
        status = abut_closest_all(j->w.scene, abut_positions_f64(j->points.xyz, j->points.count),
                                  &def, j->result, &error);
    }
    if (status != ABUT_OK) {
        complain("%s", error.message);
    }
    return status == ABUT_OK;
}

static bool show_objects(job* j) {
    const option_value* v = j->given->values;
    const io_model_settings settings = {v[ANIMATION].text, chosen_fps(&v[FPS])};
    size_t first = 0;
    size_t last = 0;
    if (settings.fps == 0 ||
        !objects_find(&j->objects, j->given->plain, j->given->plain_count, &settings) ||
        !frames_choose(&j->objects.names, &v[FRAME], &first, &last)) {
        return false;
    }
    if (v[FRAME].given && first != last) {
        complain("--frames %s: closest looks at one frame", v[FRAME].text);
        return false;
    }
    return json_claim(v[JSON].text) && output_claim_report("csv", v[CSV].text) &&
           world_open(&j->w, v[THREADS].first) && objects_show(&j->objects, &j->w, first);
}

static bool open_outputs(job* j) {
    const char* csv = j->given->values[CSV].text;
    if (!json_open(&j->json, j->given->values[JSON].text)) {
        return false;
    }
    j->csv = csv != NULL ? output_open_report(csv) : NULL;
    return csv == NULL || j->csv != NULL;
}

static int work(job* j) {
    const char* points = j->given->values[POINTS].text;
    if (j->given->plain_count == 0 || points == NULL) {
        return complain(
            "closest needs an object, and a file of points: abut closest shirt.obj "
            "--points points.txt");
    }
    return point_file_read(&j->points, points) && show_objects(j) && open_outputs(j) && ask(j) &&
                   write_answer(j)
               ? EXIT_NOTHING
               : EXIT_FAILED;
}

static int run(const arguments* given) {
    job j = {.given = given};
    const int code = work(&j);
    json_drop(&j.json);  // no-op after success
    output_drop(j.csv);
    abut_closest_result_destroy(j.result);
    point_file_free(&j.points);
    world_close(&j.w);
    objects_free(&j.objects);
    return code;
}

const command closest_command = {
    .name = "closest",
    .summary = "find the closest points of objects, and signed distances",
    .usage = "closest OBJECT... --points FILE [options]",
    .about = OBJECT_HELP
    "\n"
    "For each point of FILE the closest triangle of all objects, its closest point, and which\n"
    "feature of the triangle that is (vertex, edge or face). Points count from 0. A distance is\n"
    "0 if and only if the point lies on the surface. Only the parts of an animated model that\n"
    "are near a point are evaluated. An open object has no inside: with --signed its side is\n"
    "'undefined', and the distance has no sign. The sign is that of the closest object alone.",
    .options = options,
    .option_count = OPTIONS,
    .examples =
        "abut closest shirt.obj --points points.txt\n"
        "abut closest fox.glb --animation 1 --frames 12 --points points.csv --signed --json -\n"
        "abut closest room.ply --points path.txt --within 0.1 --csv near.csv",
    .exits = "0 done, 2 a file could not be read",
    .run = run,
};
