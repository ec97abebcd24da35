// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Reads surfaces from the XML files of VTK: PolyData (.vtp) and UnstructuredGrid (.vtu). All pieces
// of a file become one mesh. See vtk_array.h and vtk_cells.h.
#include "io/vtk_cells.h"

// where an array stands, and which one it is
typedef enum place { PLACE_OTHER, PLACE_POINTS, PLACE_POLYGONS, PLACE_STRIPS, PLACE_CELLS } place;
enum { LISTS = 3 };  // polygons, strips, cells

typedef struct cell_list {
    vtk_numbers corners;
    vtk_numbers ends;
    vtk_numbers types;
} cell_list;

typedef struct piece {
    vtk_numbers points;
    cell_list lists[LISTS];
} piece;

typedef struct reader {
    vtk_file file;
    io_builder* b;
    place now;
    piece piece;
    bool in_piece;
} reader;

static void drop_piece(piece* p) {
    vtk_numbers_free(&p->points);
    for (size_t i = 0; i < LISTS; ++i) {
        vtk_numbers_free(&p->lists[i].corners);
        vtk_numbers_free(&p->lists[i].ends);
        vtk_numbers_free(&p->lists[i].types);
    }
}

static place place_of(const xml_tag* tag) {
    return xml_is(tag, "Points")   ? PLACE_POINTS
           : xml_is(tag, "Polys")  ? PLACE_POLYGONS
           : xml_is(tag, "Strips") ? PLACE_STRIPS
           : xml_is(tag, "Cells")  ? PLACE_CELLS
                                   : PLACE_OTHER;
}

static bool read_array(reader* r, const xml_tag* tag) {
    if (r->now == PLACE_POINTS) {
        return r->piece.points.given || vtk_read_reals(&r->file, tag, &r->piece.points);
    }
    cell_list* list = &r->piece.lists[r->now - PLACE_POLYGONS];
    vtk_numbers* to = xml_has(tag, "Name", "connectivity") ? &list->corners
                      : xml_has(tag, "Name", "offsets")    ? &list->ends
                      : xml_has(tag, "Name", "types")      ? &list->types
                                                           : NULL;
    return to == NULL || vtk_read_wholes(&r->file, tag, to);
}

static bool add_points(reader* r) {
    const vtk_numbers* points = &r->piece.points;
    const size_t count = points->count / 3;
    if (points->count % 3 != 0) {
        return io_fail_in(r->b->error, r->b->name,
                          "its points have %zu numbers, which is not a multiple of 3; is it cut "
                          "off?",
                          points->count);
    }
    if (!io_reserve_vertices(r->b, r->b->mesh.vertex_count + count)) {
        return false;
    }
    for (size_t i = 0; i < count; ++i) {
        if (!io_add_vertex(r->b, points->reals + 3 * i, 0)) {
            return false;
        }
    }
    return true;
}

static bool add_list(reader* r, size_t index, size_t first_vertex) {
    static const int64_t types[LISTS] = {VTK_POLYGON, VTK_STRIP, VTK_POLYGON};
    const cell_list* list = &r->piece.lists[index];
    const bool cells = index == PLACE_CELLS - PLACE_POLYGONS;
    if (!list->corners.given && !list->ends.given) {
        return true;
    }
    if (list->corners.given != list->ends.given ||
        (cells && (!list->types.given || list->types.count != list->ends.count))) {
        return io_fail_in(r->b->error, r->b->name,
                          "its cells lack the arrays connectivity, offsets or types; is it cut "
                          "off?");
    }
    const vtk_cells found = {.corners = list->corners.wholes,
                             .corner_count = list->corners.count,
                             .ends = list->ends.wholes,
                             .count = list->ends.count,
                             .types = cells ? list->types.wholes : NULL,
                             .type = types[index],
                             .first_vertex = first_vertex,
                             .vertex_count = r->b->mesh.vertex_count - first_vertex};
    return vtk_add_cells(&r->file, r->b, &found);
}

static bool end_piece(reader* r) {
    const size_t first = r->b->mesh.vertex_count;
    bool done = add_points(r);
    for (size_t i = 0; i < LISTS && done; ++i) {
        done = add_list(r, i, first);
    }
    drop_piece(&r->piece);
    return done;
}

static bool read_tag(reader* r, const xml_tag* tag) {
    if (xml_is(tag, "Piece")) {
        r->in_piece = tag->opens && !tag->closes;
        return tag->opens || end_piece(r);
    }
    if (xml_is(tag, "DataArray")) {
        return !tag->opens || r->now == PLACE_OTHER || !r->in_piece || read_array(r, tag);
    }
    const place found = place_of(tag);
    if (found != PLACE_OTHER) {
        r->now = tag->opens && !tag->closes ? found : PLACE_OTHER;
    }
    return true;
}

// the appended data are no XML
static const char* text_end(const reader* r) {
    return r->file.appended != NULL ? r->file.appended : r->file.end;
}

static bool read_all(reader* r, const char* at) {
    xml_tag tag;
    while (xml_next(&at, text_end(r), &tag)) {
        if (!read_tag(r, &tag)) {
            return false;
        }
        if (xml_is(&tag, "AppendedData")) {
            break;
        }
    }
    return !r->in_piece ||
           io_fail_in(r->b->error, r->b->name, "its last piece does not end; is it cut off?");
}

static bool fail_kind(const reader* r, const xml_tag* first) {
    const char* value = "unknown";
    size_t length = 7;
    char type[40];
    if (xml_has(first, "type", "Collection")) {
        return io_fail_in(r->b->error, r->b->name,
                          "this is a list of files; give it by its name, which ends in .pvd");
    }
    if (!xml_attribute(first, "type", &value, &length) ||
        !xml_copy(value, length, type, sizeof type)) {
        memcpy(type, "unknown", 8);
    }
    char excerpt[IO_EXCERPT_SIZE];
    return io_fail_in(r->b->error, r->b->name,
                      "this file of VTK is of the type %s; PolyData (.vtp) and UnstructuredGrid "
                      "(.vtu) can be read",
                      io_excerpt(type, type + strlen(type), excerpt));
}

bool io_is_vtk(const char* bytes, size_t size) {
    const char* at = bytes;
    const size_t looked = size < 4096 ? size : 4096;
    xml_tag tag;
    return size != 0 && bytes[0] != '\0' && xml_next(&at, bytes + looked, &tag) &&
           xml_is(&tag, "VTKFile");
}

bool io_parse_vtk(io_builder* b, const char* bytes, size_t size) {
    reader r = {.b = b};
    xml_tag first;
    if (!vtk_open(&r.file, b->name, bytes, size, &first, b->error)) {
        return false;
    }
    if (!xml_has(&first, "type", "PolyData") && !xml_has(&first, "type", "UnstructuredGrid")) {
        return fail_kind(&r, &first);
    }
    const bool done = read_all(&r, first.end);
    drop_piece(&r.piece);
    return done;
}
