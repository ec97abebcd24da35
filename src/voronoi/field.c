// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The banded second-order Voronoi diagram, axis by axis: see field.h.
#include "voronoi/field.h"

#include <math.h>

#define SLABS 16u  // tasks of a pass, for any number of threads

static size_t place_of(const abut__field* field, uint32_t cell) {
    const uint32_t x = cell % field->size[0];
    return (size_t)(cell / field->size[0]) * field->row + ABUT__BAND_MOST + x;
}

static abut__labels labels_at(const abut__field* field, uint32_t turn, size_t at) {
    int32_t* data = field->numbers[turn].data + at;
    abut__labels labels;
    for (int i = 0; i < 2; ++i) {
        labels.distance[i] = data + (size_t)(3 * i) * field->stride;
        labels.body[i] = data + (size_t)(3 * i + 1) * field->stride;
        labels.site[i] = data + (size_t)(3 * i + 2) * field->stride;
    }
    return labels;
}

static bool reserve(const abut_context* context, abut__field* field) {
    const size_t rows = (size_t)field->size[1] * field->size[2];
    field->row = (field->size[0] + 2 * ABUT__BAND_MOST + 15) / 16 * 16;
    field->stride = rows * field->row + 2 * ABUT__BAND_MOST;
    for (int turn = 0; turn < 2; ++turn) {
        field->numbers[turn].count = field->filled[turn].count = 0;
        if (abut__push(context, &field->numbers[turn], ABUT__LABEL_ROWS * field->stride) == NULL ||
            abut__push(context, &field->filled[turn], rows) == NULL) {
            return false;
        }
    }
    return true;
}

// ---- seeds

static void clear_rows(abut__field* field, uint32_t turn, size_t first, size_t count) {
    const abut__labels labels = labels_at(field, turn, first);
    for (int i = 0; i < 2; ++i) {
        for (size_t k = 0; k < count; ++k) {
            labels.distance[i][k] = ABUT__LABEL_FAR;
            labels.body[i][k] = labels.site[i][k] = -1;
        }
    }
}

typedef struct seeding {
    const abut__sites* sites;
    const abut__grid_cells* grid;
    abut__field* field;
} seeding;

// Seeds a cell with the first two bodies in it, each with its first triangle there.
static void seed_cell(const seeding* s, uint32_t cell, uint32_t row) {
    const uint32_t* first = s->grid->cell_first.data;
    const uint32_t* in_cell = s->grid->in_cell.data;
    const abut__site_place* places = s->sites->places.data;
    if (first[cell] == first[cell + 1]) {
        return;
    }
    const abut__labels labels = labels_at(s->field, 0, place_of(s->field, cell));
    const uint32_t owner = places[in_cell[first[cell]]].body;
    *labels.distance[0] = 0;
    *labels.body[0] = (int32_t)owner;
    *labels.site[0] = (int32_t)in_cell[first[cell]];
    s->field->filled[0].data[row] = 1;
    for (uint32_t i = first[cell] + 1; i < first[cell + 1]; ++i) {
        if (places[in_cell[i]].body != owner) {
            *labels.distance[1] = 0;
            *labels.body[1] = (int32_t)places[in_cell[i]].body;
            *labels.site[1] = (int32_t)in_cell[i];
            return;
        }
    }
}

static void slab_of(uint32_t index, uint32_t count, uint32_t* first, uint32_t* end) {
    *first = (uint32_t)((uint64_t)count * index / SLABS);
    *end = (uint32_t)((uint64_t)count * (index + 1) / SLABS);
}

static void seed_slab(void* argument, uint32_t index, uint32_t worker) {
    const seeding* s = argument;
    abut__field* field = s->field;
    const uint32_t rows = field->size[1] * field->size[2];
    uint32_t first;
    uint32_t end;
    (void)worker;
    slab_of(index, rows, &first, &end);
    memset(field->filled[0].data + first, 0, end - first);
    for (int turn = 0; turn < 2; ++turn) {
        clear_rows(field, (uint32_t)turn, (size_t)first * field->row,
                   (size_t)(end - first) * field->row);
    }
    if (end == rows) {  // cells that are read beyond the last row
        clear_rows(field, 0, (size_t)rows * field->row, 2 * ABUT__BAND_MOST);
        clear_rows(field, 1, (size_t)rows * field->row, 2 * ABUT__BAND_MOST);
    }
    for (uint32_t row = first; row < end; ++row) {
        for (uint32_t x = 0; x < field->size[0]; ++x) {
            seed_cell(s, row * field->size[0] + x, row);
        }
    }
}

// ---- passes

typedef struct spreading {
    const abut_context* context;
    abut__field* field;
    uint32_t axis;
} spreading;

// Spreads labels to a row from the rows along the axis, at most as far as the band.
static void spread_row(const spreading* s, uint32_t row) {
    abut__field* field = s->field;
    const uint32_t turn = field->current;
    const uint8_t* filled = field->filled[turn].data;
    uint8_t* fill = field->filled[1 - turn].data;
    const size_t at = (size_t)row * field->row + ABUT__BAND_MOST;
    const abut__labels into = labels_at(field, 1 - turn, at);
    fill[row] = 0;
    if (s->axis == 0) {
        const abut__labels from = labels_at(field, turn, at);
        if (filled[row] != 0) {
            s->context->kernels->spread_labels(&into, &from, 1, -(int32_t)field->band,
                                               (int32_t)field->band, field->size[0]);
            fill[row] = 1;
        }
        return;
    }
    const uint32_t step = s->axis == 1 ? 1 : field->size[1];
    const uint32_t place = row / step % field->size[s->axis];
    const int32_t low = -(int32_t)(place < field->band ? place : field->band);
    const uint32_t after = field->size[s->axis] - 1 - place;
    const int32_t high = (int32_t)(after < field->band ? after : field->band);
    bool any = false;
    for (int32_t k = low; k <= high && !any; ++k) {
        any = filled[(int64_t)row + (int64_t)k * step] != 0;
    }
    if (any) {
        const abut__labels from = labels_at(field, turn, at);
        s->context->kernels->spread_labels(&into, &from, (ptrdiff_t)step * field->row, low, high,
                                           field->size[0]);
        fill[row] = 1;
    }
}

// Rows without labels keep the contents of two passes ago, which are empty, since labels never
// vanish.
static void spread_slab(void* argument, uint32_t index, uint32_t worker) {
    const spreading* s = argument;
    uint32_t first;
    uint32_t end;
    (void)worker;
    slab_of(index, s->field->size[1] * s->field->size[2], &first, &end);
    for (uint32_t row = first; row < end; ++row) {
        spread_row(s, row);
    }
}

bool abut__field_make(const abut_context* context, const abut__sites* sites,
                      const abut__grid_cells* grid, uint32_t band, abut__field* field) {
    memcpy(field->size, grid->size, sizeof field->size);
    field->band = band < ABUT__BAND_MOST ? band : ABUT__BAND_MOST;
    field->current = 0;
    if (!reserve(context, field)) {
        return false;
    }
    seeding s = {sites, grid, field};
    abut__run_tasks(context, SLABS, seed_slab, &s);
    for (uint32_t axis = 0; axis < 3; ++axis) {
        spreading pass = {context, field, axis};
        abut__run_tasks(context, SLABS, spread_slab, &pass);
        field->current = 1 - field->current;
    }
    return true;
}

void abut__field_labels(const abut__field* field, uint32_t cell, abut__label labels[2]) {
    const abut__labels at = labels_at(field, field->current, place_of(field, cell));
    for (int i = 0; i < 2; ++i) {
        labels[i] = (abut__label){*at.distance[i], *at.body[i], *at.site[i]};
    }
}

abut__label abut__field_other(const abut__field* field, uint32_t cell, uint32_t body) {
    abut__label labels[2];
    abut__field_labels(field, cell, labels);
    return labels[labels[0].body == (int32_t)body ? 1 : 0];
}

// Beyond the band other bodies may be anywhere, but no nearer than the next cell along an axis.
float abut__label_below(const abut__field* field, int32_t distance_sq) {
    const float beyond = (float)(field->band + 1);
    const float distance = sqrtf((float)distance_sq);
    return (distance < beyond ? distance : beyond) - ABUT__DIAGONAL;
}

void abut__field_free(const abut_context* context, abut__field* field) {
    for (int turn = 0; turn < 2; ++turn) {
        abut__drop(context, &field->numbers[turn]);
        abut__drop(context, &field->filled[turn]);
    }
}
