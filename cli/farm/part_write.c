// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Writes parts: see part.h.
#include "cli/farm/part.h"
#include "cli/farm/part_seal.h"
#include "cli/message.h"

#include <stdlib.h>
#include <string.h>

typedef struct text {
    char* bytes;
    size_t size;
    size_t room;
} text;

struct part_writer {
    json_t* head;
    json_t* objects;       // their descriptions; NULL: not yet known
    text frames;           // lines
    uint64_t* topologies;  // of the last frame
    size_t object_count;
};

static void put(text* t, const char* bytes, size_t size) {
    if (t->room - t->size < size) {
        t->room = 2 * t->room + size + 4096;
        t->bytes = reallocate(t->bytes, t->room, 1);
    }
    memcpy(t->bytes + t->size, bytes, size);
    t->size += size;
}

static void put_text(text* t, const char* words) {
    put(t, words, strlen(words));
}

static int put_json_bytes(const char* bytes, size_t size, void* user) {
    put(user, bytes, size);
    return 0;
}

static void put_json(text* t, const json_t* json) {
    const size_t flags = JSON_COMPACT | JSON_ENSURE_ASCII | JSON_ENCODE_ANY;
    if (json_dump_callback(json, put_json_bytes, t, flags) != 0) {
        exit(complain("there is not enough memory"));
    }
}

static void put_field(text* t, const char* key, const json_t* value) {
    put_text(t, "\"");
    put_text(t, key);
    put_text(t, "\": ");
    put_json(t, value);
    put_text(t, ",\n");
}

part_writer* part_writer_open(json_t* head, size_t object_count) {
    part_writer* p = allocate(1, sizeof *p);
    p->head = head;
    p->object_count = object_count;
    return p;
}

void part_writer_free(part_writer* p) {
    if (p != NULL) {
        json_decref(p->head);
        json_decref(p->objects);
        free(p->frames.bytes);
        free(p->topologies);
        free(p);
    }
}

void part_writer_add(part_writer* p, const outcome* o) {
    const size_t size = p->object_count * sizeof *p->topologies;
    json_t* json = outcome_to_json(o, p->topologies, p->object_count);
    if (p->frames.size != 0) {
        put_text(&p->frames, ",\n");
    }
    put_json(&p->frames, json);
    json_decref(json);
    if (p->topologies == NULL) {
        p->topologies = allocate(p->object_count, sizeof *p->topologies);
    }
    memcpy(p->topologies, o->topologies, size);
}

void part_writer_describe(part_writer* p, json_t* objects) {
    json_decref(p->objects);
    p->objects = objects;
}

char* part_writer_text(const part_writer* p, const baseline* known, size_t* size) {
    text t = {0};
    const char* key = NULL;
    json_t* value = NULL;
    put_text(&t, "{");
    json_object_foreach(p->head, key, value) {
        put_field(&t, key, value);
    }
    put_text(&t, "\"frames\": [\n");
    put(&t, p->frames.bytes != NULL ? p->frames.bytes : "", p->frames.size);
    put_text(&t, "\n],\n");
    if (p->objects != NULL) {
        put_field(&t, "described", p->objects);
    }
    if (known != NULL) {
        json_t* seen = baseline_seen_json(known);
        put_field(&t, "seen", seen);
        json_decref(seen);
    }
    char seal[SEAL_SIZE + 1];
    seal_make(t.bytes, t.size, seal);
    put_text(&t, seal);
    *size = t.size;
    return t.bytes;
}
