// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// What the figures share: a body, what bounds it on the first levels of its tree, and drawing both
// as SVG. That bounds hold every vertex below them is checked, and the program fails if they do not.
#ifndef FIGURES_PICTURE_H
#define FIGURES_PICTURE_H

#include <stdio.h>

#include "abut/abut.h"
#include "body/body.h"
#include "scene/scene.h"
#include "scenes/scenes.h"

enum { LEVELS = 4, FAN_OUT = 4, BLOCK = 8 };  // of trees as figures have them

typedef struct volume {
    bool sphere;
    double lo[3];  // of a box
    double hi[3];
    double c[3];  // of a sphere
    double r;
    int hue;  // of its ancestor on level 1
} volume;

typedef struct picture picture;
struct picture {
    const scene_body* subject;
    double* xyz;  // deformed
    abut_context* context;
    abut_scene* scene;
    abut_body_id body;
    // what bounds a child of a node
    volume (*child)(const picture* p, uint32_t node, uint32_t k);
    volume* volumes[LEVELS];
    size_t count[LEVELS];
    // how it is seen: right, up and towards the eye; the middle; how long 1 is
    double view[3][3];
    double middle[3];
    double scale;
};

// Ends the program with a sentence unless all is fine.
void need(bool fine, const char* what);

void picture_open(picture* p, const scene_body* subject);
void picture_close(picture* p);
// The settings of the subject's tree.
abut_shape_def picture_shape_def(void);
// The subject's mesh, to be destroyed once there is a shape of it, and its fields.
abut_mesh* picture_mesh(const picture* p);
void picture_fields(const picture* p, abut_field fields[64]);
// Adds a body of a shape, which it destroys together with the mesh.
void picture_set_body(picture* p, abut_mesh* mesh, abut_shape* shape);
// Reads all vertices of the body's state.
void picture_read_vertices(picture* p);
const abut__body* picture_body(const picture* p);

// Finds what bounds the body: `root` on level 0, then children; blocks stay on all levels below.
void picture_find_volumes(picture* p, const volume* root);
// The box that the library gives a child of a node.
volume picture_bound(const picture* p, uint32_t node, uint32_t k);
// The least box of the vertices below.
volume picture_best(const picture* p, abut__ref ref);
double volume_content(const volume* v);

void draw_begin(FILE* file, int width, int height, const char* title);
void draw_end(FILE* file);
// Defines the subject, for draw_level().
void draw_subject(FILE* file, const picture* p);
// The subject and the volumes of a level, about a point of the page.
void draw_level(FILE* file, picture* p, int level, int x, int y);

#endif
