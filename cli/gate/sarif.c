// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Makes SARIF: see sarif.h.
#include "cli/gate/sarif.h"

#include "cli/gate/identity.h"
#include "cli/message.h"

#include <abut/base.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sarif_begin(sarif* f) {
    *f = (sarif){json_array(), json_array()};
}

// a file as a URI: all but plain characters are written as %XX
static json_t* uri_of(const char* name, size_t length) {
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
    char* text = allocate(3 * length + 1, 1);
    size_t used = 0;
    for (size_t i = 0; i < length; ++i) {
        if (strchr(plain, name[i]) != NULL) {
            text[used++] = name[i];
        } else {
            used += (size_t)snprintf(text + used, 4, "%%%02X", (unsigned char)name[i]);
        }
    }
    text[used] = '\0';
    json_t* uri = json_string(text);
    free(text);
    return uri;
}

static json_t* message_of(const char* text) {
    return json_pack("{s: o}", "text", json_text(text));
}

static json_t* location_of(const object* o) {
    json_t* physical = json_pack("{s: {s: o}}", "artifactLocation", "uri",
                                 uri_of(o->name, o->file_length));
    return json_pack("{s: o, s: [{s: o, s: s}]}", "physicalLocation", physical, "logicalLocations",
                     "fullyQualifiedName", json_text(o->name), "kind", "object");
}

// the same for contact of the same kind between the same objects
static json_t* fingerprint_of(const scene* s, const event* e) {
    char text[32];
    const char* x = s->objects->objects[e->now.a].name;
    const char* y = s->objects->objects[e->now.b].name;
    snprintf(text, sizeof text, "%016" PRIx64,
             pair_key(FINDING_CONTACT, text_key(x), text_key(y)) + (uint64_t)e->kind);
    return json_pack("{s: s}", "abutContact/v1", text);
}

static json_t* result_of(const scene* s, const event* e) {
    char text[EVENT_TEXT_SIZE];
    json_t* json = json_object();
    json_t* places = json_array();
    json_array_append_new(places, location_of(&s->objects->objects[e->now.a]));
    if (e->now.a != e->now.b) {
        json_array_append_new(places, location_of(&s->objects->objects[e->now.b]));
    }
    json_object_set_new(json, "ruleId", json_string(contact_kind_name(e->kind)));
    json_object_set_new(json, "ruleIndex", json_count(e->kind));
    json_object_set_new(json, "level", json_string(e->fails ? "error" : "note"));
    json_object_set_new(json, "message", message_of(event_text(s, e, text)));
    json_object_set_new(json, "locations", places);
    json_object_set_new(json, "partialFingerprints", fingerprint_of(s, e));
    json_object_set_new(json, "properties",
                        event_json(e, s->names, s->gate->given.fps, s->gate->condition != NULL));
    return json;
}

void sarif_scene(sarif* f, const scene* s) {
    if (s->code == EXIT_FAILED) {
        json_array_append_new(f->notifications, json_pack("{s: s, s: o}", "level", "error",
                                                          "message", message_of(s->error)));
        return;
    }
    for (size_t i = 0; i < s->gate->events.count; ++i) {
        json_array_append_new(f->results, result_of(s, &s->gate->events.list[i]));
    }
}

static json_t* rules_of(void) {
    json_t* list = json_array();
    for (int i = 0; i < KINDS; ++i) {
        json_array_append_new(
            list, json_pack("{s: s, s: {s: s}}", "id", contact_kind_name((contact_kind)i),
                            "shortDescription", "text", contact_kind_text((contact_kind)i)));
    }
    return list;
}

void sarif_end(sarif* f, json_output* out) {
    json_t* driver = json_pack("{s: s, s: s, s: o}", "name", "abut", "version", ABUT_VERSION_STRING,
                               "rules", rules_of());
    const bool good = json_array_size(f->notifications) == 0;
    json_t* invocation = json_pack("{s: b, s: o}", "executionSuccessful", good,
                                   "toolExecutionNotifications", f->notifications);
    json_t* runs = json_pack("[{s: {s: o}, s: [o], s: o, s: s}]", "tool", "driver", driver,
                             "invocations", invocation, "results", f->results, "columnKind",
                             "utf16CodeUnits");
    json_begin(out);
    json_add(out, "$schema", json_string("https://json.schemastore.org/sarif-2.1.0.json"));
    json_add(out, "version", json_string("2.1.0"));
    json_add(out, "runs", runs);
    *f = (sarif){0};
}
