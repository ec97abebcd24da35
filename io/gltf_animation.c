// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Animations of a glTF document: selects those to play, reads their tracks, and evaluates a track
// at a time. See gltf.h. Rotations are interpolated on the shorter arc, as the specification
// requires.
#include "io/gltf.h"
#include "src/base/angle.h"

#include <stdio.h>
#include <stdlib.h>

#define MOST_FRAMES 10000000.0

// ---- values

// the last key that is not after `time`; the first key if all are after it
static size_t key_before(const gltf_track* track, double time) {
    size_t low = 0;
    size_t high = track->key_count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (track->times[middle] <= time) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static void slerp(const double a[4], const double b[4], double s, double out[4]) {
    double cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    const double sign = cosine < 0 ? -1 : 1;
    cosine = fmin(cosine * sign, 1);
    const double angle = abut__angle_of_cosine(cosine);
    const double sine = abut__sine_of_acute(angle);
    // nearly equal: interpolate linearly; the caller normalises
    const double from = sine < 1e-8 ? 1 - s : abut__sine_of_acute((1 - s) * angle) / sine;
    const double to = sign * (sine < 1e-8 ? s : abut__sine_of_acute(s * angle) / sine);
    for (int k = 0; k < 4; ++k) {
        out[k] = from * a[k] + to * b[k];
    }
}

static void cubic(const gltf_track* track, size_t key, double s, double step, double* out) {
    const size_t width = track->width;
    const double* before = track->values + 3 * width * key;
    const double* after = before + 3 * width;
    const double s2 = s * s;
    const double s3 = s2 * s;
    for (size_t k = 0; k < width; ++k) {
        out[k] = (2 * s3 - 3 * s2 + 1) * before[width + k] +
                 step * (s3 - 2 * s2 + s) * before[2 * width + k] +
                 (3 * s2 - 2 * s3) * after[width + k] + step * (s3 - s2) * after[k];
    }
}

static void interpolate(const gltf_track* track, size_t key, double time, double* out) {
    const size_t width = track->width;
    const double* a = track->values + width * key;
    const double step = track->times[key + 1] - track->times[key];
    const double s = step > 0 ? (time - track->times[key]) / step : 1;
    if (track->interpolation == GLTF_CUBIC) {
        cubic(track, key, s, step, out);
    } else if (track->path == GLTF_ROTATION) {
        slerp(a, a + 4, s, out);
    } else {
        for (size_t k = 0; k < width; ++k) {
            out[k] = (1 - s) * a[k] + s * a[width + k];
        }
    }
}

// Files store key times as floats: a time that rounds to a key's float is taken as that key's time.
static double time_of_key(const gltf_track* track, double time) {
    const double rounded = (double)(float)time;
    return track->times[key_before(track, rounded)] == rounded ? rounded : time;
}

void gltf_track_value(const gltf_track* track, double time, double* out) {
    time = time_of_key(track, time);
    const size_t key = key_before(track, time);
    const size_t width = track->width;
    const bool between = time > track->times[key] && key + 1 < track->key_count;
    if (between && track->interpolation != GLTF_STEP) {
        interpolate(track, key, time, out);
    } else {
        const size_t place = track->interpolation == GLTF_CUBIC ? 3 * key + 1 : key;
        memcpy(out, track->values + width * place, width * sizeof *out);
    }
    if (track->path == GLTF_ROTATION) {
        const double length = sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2] +
                                   out[3] * out[3]);
        for (int k = 0; k < 4; ++k) {  // a spline can pass through 0: use the identity there
            out[k] = length > 0 ? out[k] / length : k == 3;
        }
    }
}

// ---- reading

typedef struct reader {
    gltf_file* file;
    io_model* model;
    gltf_entry of;  // the animation
    json_t* samplers;
    size_t sampler_count;
    double** times;  // by sampler; NULL until it is read
    double** values;
    gltf_accessor* inputs;
    gltf_accessor* outputs;
} reader;

// hands an array to the graph, which frees it: tracks share them
static bool keep_sample(const reader* r, double* numbers) {
    gltf_graph* graph = r->model->graph;
    if ((graph->sample_count & (graph->sample_count - 1)) == 0) {  // full when a power of two
        const size_t room = graph->sample_count == 0 ? 1 : 2 * graph->sample_count;
        double** grown = gltf_charge(r->file, room, sizeof *grown)
                             ? realloc(graph->samples, room * sizeof *grown)
                             : NULL;
        if (grown == NULL) {
            free(numbers);
            gltf_fail(r->file, "there is not enough memory for its animations");
            return false;
        }
        graph->samples = grown;
    }
    graph->samples[graph->sample_count++] = numbers;
    return true;
}

static bool read_numbers(const reader* r, size_t index, gltf_accessor* a, double** out) {
    if (!gltf_accessor_open(r->file, index, 0, a)) {
        return false;
    }
    double* numbers = gltf_allocate(r->file, a->count, a->components * sizeof *numbers);
    if (numbers == NULL || !keep_sample(r, numbers)) {
        return false;
    }
    *out = numbers;
    return gltf_accessor_numbers(r->file, a, numbers);
}

static bool check_times(const reader* r, size_t sampler) {
    const gltf_accessor* a = &r->inputs[sampler];
    if (a->components != 1) {
        return gltf_fail(r->file, "animation %zu: the times of sampler %zu are not single numbers",
                         r->of.index, sampler);
    }
    for (size_t i = 1; i < a->count; ++i) {
        if (r->times[sampler][i] < r->times[sampler][i - 1]) {
            return gltf_fail(r->file, "animation %zu: the times of sampler %zu go back at key %zu",
                             r->of.index, sampler, i);
        }
    }
    return true;
}

static bool read_sampler(reader* r, size_t sampler) {
    json_t* json = json_array_get(r->samplers, sampler);
    size_t input = 0;
    size_t output = 0;
    return r->values[sampler] != NULL ||
           (gltf_required_size(r->file, &r->of, json, "input", &input) &&
            gltf_required_size(r->file, &r->of, json, "output", &output) &&
            read_numbers(r, input, &r->inputs[sampler], &r->times[sampler]) &&
            read_numbers(r, output, &r->outputs[sampler], &r->values[sampler]) &&
            check_times(r, sampler));
}

static int index_of(const char* word, const char* const* words, int count) {
    for (int i = 0; word != NULL && i < count; ++i) {
        if (strcmp(word, words[i]) == 0) {
            return i;
        }
    }
    return -1;
}

static bool read_interpolation(const reader* r, size_t sampler, gltf_track* track) {
    static const char* const words[] = {"STEP", "LINEAR", "CUBICSPLINE"};
    json_t* value = json_object_get(json_array_get(r->samplers, sampler), "interpolation");
    const int index = value == NULL ? GLTF_LINEAR : index_of(json_string_value(value), words, 3);
    if (index < 0) {
        return gltf_fail(r->file, "animation %zu: sampler %zu has an unknown interpolation",
                         r->of.index, sampler);
    }
    track->interpolation = index == 0 ? GLTF_STEP : index == 1 ? GLTF_LINEAR : GLTF_CUBIC;
    return true;
}

// refuses rotations that are not unit quaternions
static bool check_rotations(const reader* r, const gltf_track* track) {
    const size_t stride = track->interpolation == GLTF_CUBIC ? 12 : 4;
    const size_t first = track->interpolation == GLTF_CUBIC ? 4 : 0;
    for (size_t i = 0; i < track->key_count; ++i) {
        const double* q = track->values + stride * i + first;
        const double length_sq = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
        if (!(length_sq > 0.5 && length_sq < 2)) {
            return gltf_fail(r->file,
                             "animation %zu: the rotation of node %zu at key %zu is not a unit "
                             "quaternion",
                             r->of.index, track->node, i);
        }
    }
    return true;
}

static bool fill_track(reader* r, size_t sampler, gltf_track* track) {
    const gltf_node* node = &r->model->graph->nodes[track->node];
    if (!read_sampler(r, sampler) || !read_interpolation(r, sampler, track)) {
        return false;
    }
    const gltf_accessor* out = &r->outputs[sampler];
    track->width = track->path == GLTF_ROTATION  ? 4
                   : track->path != GLTF_WEIGHTS ? 3
                                                 : r->model->meshes[node->mesh].field_count;
    track->key_count = r->inputs[sampler].count;
    track->times = r->times[sampler];
    track->values = r->values[sampler];
    const size_t components = track->path == GLTF_WEIGHTS ? 1 : track->width;
    const size_t parts = track->interpolation == GLTF_CUBIC ? 3 : 1;
    if (out->components != components ||
        out->count * components != track->key_count * parts * track->width) {
        return gltf_fail(r->file,
                         "animation %zu: node %zu needs %zu numbers per key, but %zu keys have %zu",
                         r->of.index, track->node, parts * track->width, track->key_count,
                         out->count * out->components);
    }
    if (track->path != GLTF_WEIGHTS && node->has_matrix) {
        return gltf_fail(r->file, "animation %zu moves node %zu, which has a fixed matrix",
                         r->of.index, track->node);
    }
    return track->path != GLTF_ROTATION || check_rotations(r, track);
}

// reads one channel; skips it if it has no target or an unknown one
static bool read_channel(reader* r, json_t* channel, gltf_tracks* clip) {
    static const char* const words[] = {"translation", "rotation", "scale", "weights"};
    json_t* target = json_object_get(channel, "target");
    const int path = index_of(json_string_value(json_object_get(target, "path")), words, 4);
    gltf_track* track = &clip->tracks[clip->count];
    size_t sampler = 0;
    if (!gltf_size(r->file, &r->of, target, "node", GLTF_NONE, &track->node) ||
        !gltf_required_size(r->file, &r->of, channel, "sampler", &sampler)) {
        return false;
    }
    if (track->node == GLTF_NONE || path < 0) {
        return true;
    }
    if (track->node >= r->model->graph->node_count || sampler >= r->sampler_count) {
        return gltf_fail(r->file,
                         "animation %zu has a channel whose node or sampler does not exist",
                         r->of.index);
    }
    track->path = path == 0   ? GLTF_TRANSLATION
                  : path == 1 ? GLTF_ROTATION
                  : path == 2 ? GLTF_SCALE
                              : GLTF_WEIGHTS;
    if (track->path == GLTF_WEIGHTS && r->model->graph->nodes[track->node].weights == NULL) {
        return true;  // its mesh has no morph targets
    }
    ++clip->count;
    return fill_track(r, sampler, track);
}

static bool measure_clip(const reader* r, const gltf_tracks* tracks, io_model_clip* clip) {
    for (size_t i = 0; i < tracks->count; ++i) {
        const gltf_track* track = &tracks->tracks[i];
        clip->duration = fmax(clip->duration, track->times[track->key_count - 1]);
    }
    const double frames = floor(clip->duration * r->model->fps + 1e-6) + 1;
    if (!(frames + (double)r->model->frame_count <= MOST_FRAMES)) {
        return gltf_fail(r->file,
                         "animation %zu lasts %g s, which is more than %g frames; give a smaller "
                         "--fps",
                         r->of.index, clip->duration, MOST_FRAMES);
    }
    clip->frame_count = (size_t)frames;
    r->model->frame_count += clip->frame_count;
    return true;
}

static bool read_channels(reader* r, json_t* channels, size_t count, io_model_clip* clip) {
    gltf_graph* graph = r->model->graph;
    gltf_tracks* tracks = &graph->clips[r->model->clip_count - 1];
    tracks->tracks = gltf_allocate(r->file, count, sizeof *tracks->tracks);
    if (tracks->tracks == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; ++i) {
        if (!read_channel(r, json_array_get(channels, i), tracks)) {
            return false;
        }
    }
    return measure_clip(r, tracks, clip);
}

static bool read_clip(gltf_file* file, io_model* model, size_t index) {
    reader r = {.file = file, .model = model};
    json_t* channels = NULL;
    size_t count = 0;
    io_model_clip* clip = &model->clips[model->clip_count++];
    if (!gltf_find(file, "animations", "animation", index, &r.of) ||
        !gltf_list(file, r.of.value, "samplers", &r.samplers, &r.sampler_count) ||
        !gltf_list(file, r.of.value, "channels", &channels, &count)) {
        return false;
    }
    clip->name = gltf_text(file, r.of.value, "name");
    const size_t n = r.sampler_count;
    r.times = gltf_allocate(file, n, sizeof *r.times);
    r.values = gltf_allocate(file, n, sizeof *r.values);
    r.inputs = gltf_allocate(file, n, sizeof *r.inputs);
    r.outputs = gltf_allocate(file, n, sizeof *r.outputs);
    const bool done = clip->name != NULL && r.times != NULL && r.values != NULL &&
                      r.inputs != NULL && r.outputs != NULL &&
                      read_channels(&r, channels, count, clip);
    free(r.times);
    free(r.values);
    free(r.inputs);
    free(r.outputs);
    return done;
}

// ---- which ones

static bool fail_name(const gltf_file* file, const char* wanted, json_t* list, size_t count) {
    char names[256] = "";
    size_t used = 0;
    for (size_t i = 0; i < count && i < 8; ++i) {
        const char* name = json_string_value(json_object_get(json_array_get(list, i), "name"));
        char excerpt[IO_EXCERPT_SIZE];
        name = name == NULL || name[0] == '\0' ? "(unnamed)" : name;
        const int more = snprintf(names + used, sizeof names - used, "%s%zu %s", i == 0 ? "" : ", ",
                                  i, io_excerpt(name, name + strlen(name), excerpt));
        used += more > 0 && (size_t)more < sizeof names - used ? (size_t)more : 0;
    }
    if (count == 0) {
        return gltf_fail(file, "it has no animation, so there is no '%.40s'", wanted);
    }
    return gltf_fail(file, "it has no animation '%.40s'; it has: %s%s", wanted, names,
                     count > 8 ? ", ..." : "");
}

// by name first, then by number
static size_t find_animation(const char* wanted, json_t* list, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        const char* name = json_string_value(json_object_get(json_array_get(list, i), "name"));
        if (name != NULL && strcmp(name, wanted) == 0) {
            return i;
        }
    }
    size_t number = 0;
    for (const char* c = wanted; *c != '\0'; ++c) {
        if (*c < '0' || *c > '9' || number > count) {
            return GLTF_NONE;
        }
        number = 10 * number + (size_t)(*c - '0');
    }
    return number < count ? number : GLTF_NONE;
}

bool gltf_read_clips(gltf_file* file, const io_model_settings* settings, io_model* model) {
    json_t* list = NULL;
    size_t count = 0;
    if (!gltf_list(file, file->root, "animations", &list, &count)) {
        return false;
    }
    const char* wanted = settings->animation;
    size_t first = 0;
    size_t end = count < 1 ? count : 1;
    if (wanted != NULL) {
        first = find_animation(wanted, list, count);
        const bool all = first == GLTF_NONE && strcmp(wanted, "all") == 0;
        if (first == GLTF_NONE && !all) {
            return fail_name(file, wanted, list, count);
        }
        first = all ? 0 : first;
        end = all ? count : first + 1;
    }
    model->clips = gltf_allocate(file, end - first, sizeof *model->clips);
    model->graph->clips = gltf_allocate(file, end - first, sizeof *model->graph->clips);
    if (model->clips == NULL || model->graph->clips == NULL) {
        return false;
    }
    for (size_t i = first; i < end; ++i) {
        if (!read_clip(file, model, i)) {
            return false;
        }
    }
    model->frame_count = model->clip_count == 0 ? 1 : model->frame_count;
    return true;
}
