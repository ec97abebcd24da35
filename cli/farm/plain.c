// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Merges plain JSON of checks, which is not trusted: see plain.h.
#include "cli/farm/plain.h"

#include "cli/farm/fields.h"
#include "cli/findings.h"
#include "cli/json.h"
#include "cli/labels.h"
#include "cli/message.h"
#include "cli/output.h"

#include <stdlib.h>
#include <string.h>

bool is_plain(const json_t* root) {
    return json_is_array(json_object_get(root, "objects")) &&
           json_is_array(json_object_get(root, "frames")) &&
           json_is_object(json_object_get(root, "asked"));
}

static bool damaged(const plain* p, const char* what) {
    complain("%s is damaged: its %s cannot be read", p->path, what);
    return false;
}

// ---- what fits

// the JSON of what these options ask for is not enough
static bool is_enough(const plain* p) {
    static const char* const keys[] = {"rules", "baseline", "fail_if", "seconds"};
    const json_t* summary = json_object_get(p->root, "summary");
    const json_t* asked = json_object_get(p->root, "asked");
    const char* odd = json_object_get(p->root, "events") != NULL      ? "events"
                      : json_is_true(json_object_get(asked, "depth")) ? "depths"
                                                                      : NULL;
    for (size_t i = 0; i < sizeof keys / sizeof *keys && odd == NULL; ++i) {
        odd = json_object_get(summary, keys[i]) != NULL ? keys[i] : NULL;
    }
    if (odd != NULL) {
        complain("%s is plain JSON, which is not enough to merge its %s: write parts with --part",
                 p->path, odd);
    }
    return odd == NULL;
}

static bool read_range(plain* p) {
    const json_t* frames = json_object_get(p->root, "frames");
    const size_t count = json_array_size(frames);
    for (size_t i = 0; i < count; ++i) {
        uint64_t frame = 0;
        const json_t* at = json_array_get(frames, i);
        if (!json_is_object(at) || !field_count(at, "frame", UINT32_MAX, &frame) ||
            !json_is_integer(json_object_get(at, "number")) ||
            !json_is_boolean(json_object_get(at, "contact"))) {
            return damaged(p, "frames");
        }
        p->first = i == 0 ? (size_t)frame : p->first;
        p->last = (size_t)frame;
        if (p->last != p->first + i) {
            return damaged(p, "frames");
        }
    }
    return count != 0 || damaged(p, "frames");
}

static bool same(const plain* x, const plain* y, const char* key) {
    const json_t* a = json_object_get(x->root, key);
    const json_t* b = json_object_get(y->root, key);
    if (a != b && json_equal(a, b) != 1) {
        complain("%s and %s are not of one run: \"%s\" differs", x->path, y->path, key);
        return false;
    }
    return true;
}

// the names of the objects; their triangles may change from frame to frame
static bool same_objects(const plain* x, const plain* y) {
    const json_t* a = json_object_get(x->root, "objects");
    const json_t* b = json_object_get(y->root, "objects");
    bool equal = json_array_size(a) == json_array_size(b) && json_array_size(a) != 0;
    for (size_t i = 0; i < json_array_size(a) && equal; ++i) {
        equal = json_equal(json_object_get(json_array_get(a, i), "name"),
                           json_object_get(json_array_get(b, i), "name")) == 1;
    }
    if (!equal) {
        complain("%s and %s are not of the same objects", x->path, y->path);
    }
    return equal;
}

static json_int_t number_at(const plain* p, size_t frame) {
    const json_t* at = json_array_get(json_object_get(p->root, "frames"), frame - p->first);
    return json_integer_value(json_object_get(at, "number"));
}

static int compare(const void* x, const void* y) {
    const plain* p = x;
    const plain* q = y;
    return (p->first > q->first) - (p->first < q->first);
}

// two files in order: the second begins behind the end of the first
static bool follows(const plain* p, const plain* next) {
    const json_t* asked = json_object_get(p->root, "asked");
    if (next->first <= p->last) {
        complain("frame %lld is in both %s and %s", (long long)number_at(next, next->first),
                 p->path, next->path);
        return false;
    }
    if (next->first > p->last + 1) {
        complain("frames between %lld (%s) and %lld (%s) are in no file",
                 (long long)number_at(p, p->last), p->path, (long long)number_at(next, next->first),
                 next->path);
        return false;
    }
    if (json_is_true(json_object_get(asked, "sweep"))) {
        complain("the step from %s to %s is in neither: write parts with --part", p->path,
                 next->path);
        return false;
    }
    return true;
}

static bool order(plain* list, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        if (!is_enough(&list[i]) || !read_range(&list[i]) || !same(&list[i], &list[0], "abut") ||
            !same(&list[i], &list[0], "asked") || !same_objects(&list[i], &list[0])) {
            return false;
        }
    }
    qsort(list, count, sizeof *list, compare);
    for (size_t i = 0; i + 1 < count; ++i) {
        if (!follows(&list[i], &list[i + 1])) {
            return false;
        }
    }
    return true;
}

// ---- the verdict

static bool read_question(const plain* p, question* q) {
    const json_t* asked = json_object_get(p->root, "asked");
    q->limited = json_is_number(json_object_get(asked, "within"));
    return (field_flag(asked, "between", &q->between) && field_flag(asked, "self", &q->self) &&
            field_flag(asked, "nearest", &q->nearest) && field_real(asked, "margin", &q->margin)) ||
           damaged(p, "question");
}

// adds the bodies inside others of a frame to the verdict
static bool add_frame(verdict* v, const json_t* frame, size_t objects) {
    const json_t* list = json_object_get(frame, "inside");
    findings now = {.contact = json_is_true(json_object_get(frame, "contact")), .touching = true};
    now.list = allocate(json_array_size(list), sizeof *now.list);
    bool read = true;
    for (size_t i = 0; i < json_array_size(list) && read; ++i) {
        const json_t* at = json_array_get(list, i);
        uint64_t inner = 0;
        uint64_t outer = 0;
        finding* f = &now.list[now.count++];
        read = field_count(at, "inner", objects - 1, &inner) &&
               field_count(at, "outer", objects - 1, &outer) &&
               field_flag(at, "partly", &f->partly);
        f->a = (uint32_t)inner;
        f->b = (uint32_t)outer;
        f->inside = INSIDE_A_IN_B;
    }
    if (read) {
        verdict_add(v, &now);
    }
    findings_free(&now);
    return read;
}

static bool add_verdict(verdict* v, const plain* p) {
    uint64_t near = 0;
    const json_t* frames = json_object_get(p->root, "frames");
    const size_t objects = json_array_size(json_object_get(p->root, "objects"));
    for (size_t i = 0; i < json_array_size(frames); ++i) {
        if (!add_frame(v, json_array_get(frames, i), objects)) {
            return damaged(p, "frames");
        }
    }
    // frames do not say whether they are only near
    if (!field_count(json_object_get(p->root, "summary"), "frames_near", json_array_size(frames),
                     &near)) {
        return damaged(p, "summary");
    }
    v->near += (size_t)near;
    return v->near <= v->touching || damaged(p, "summary");
}

static char** make_labels(const plain* p, size_t* count) {
    const json_t* objects = json_object_get(p->root, "objects");
    *count = json_array_size(objects);
    const char** names = allocate(*count, sizeof *names);
    for (size_t i = 0; i < *count; ++i) {
        const char* name = json_string_value(json_object_get(json_array_get(objects, i), "name"));
        names[i] = name != NULL ? name : "?";
    }
    char** labels = labels_make(names, *count);
    free(names);
    return labels;
}

// ---- the output

static json_t* make_summary(const plain* p, const verdict* v, const question* q) {
    char text[VERDICT_SIZE];
    size_t count = 0;
    char** labels = make_labels(p, &count);
    json_t* summary = json_object();
    json_object_set_new(summary, "frames", json_count(v->frames));
    json_object_set_new(summary, "frames_touching", json_count(v->touching));
    json_object_set_new(summary, "frames_near", json_count(v->near));
    json_object_set_new(summary, "verdict",
                        json_text(verdict_text(v, q, (const char* const*)labels, text)));
    json_t* settings = json_object_get(json_object_get(p->root, "summary"), "settings");
    if (settings != NULL) {
        json_object_set(summary, "settings", settings);
    }
    labels_free(labels, count);
    return summary;
}

static void put_list(json_output* out, const char* key, const plain* list, size_t count) {
    json_begin_list(out, key);
    for (size_t i = 0; i < count; ++i) {
        const json_t* all = json_object_get(list[i].root, key);
        for (size_t k = 0; k < json_array_size(all); ++k) {
            json_add(out, NULL, json_incref(json_array_get(all, k)));
        }
    }
    json_end_list(out);
}

static bool write_json(const plain* list, size_t count, const char* path, json_t* summary) {
    json_output out;
    if (!json_claim(path) || !json_open(&out, path)) {
        json_decref(summary);
        return false;
    }
    json_begin(&out);
    json_add(&out, "abut", json_incref(json_object_get(list[0].root, "abut")));
    json_add(&out, "asked", json_incref(json_object_get(list[0].root, "asked")));
    put_list(&out, "objects", list, 1);
    put_list(&out, "frames", list, count);
    json_add(&out, "summary", summary);
    return json_close(&out);
}

int plain_merge(plain* list, size_t count, const char* output) {
    question q = {0};
    verdict said = {0};
    if (!order(list, count) || !read_question(&list[0], &q)) {
        return EXIT_FAILED;
    }
    q.inside = json_array_size(json_object_get(list[0].root, "objects")) > 1 &&
               (q.between || q.nearest);
    bool done = true;
    for (size_t i = 0; i < count && done; ++i) {
        done = add_verdict(&said, &list[i]);
    }
    done = done && write_json(list, count, output, make_summary(&list[0], &said, &q));
    const int code = !done ? EXIT_FAILED : verdict_found(&said) ? EXIT_FOUND : EXIT_NOTHING;
    verdict_free(&said);
    return code;
}
