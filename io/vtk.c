// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Writes files for VTK and ParaView: see vtk.h. An array is base64 of its byte count and its bytes.
#include "io/vtk.h"

#include "io/output.h"

#include <stdlib.h>
#include <string.h>

// writes base64; input may come in pieces of any size
typedef struct encoder {
    FILE* file;
    unsigned char held[3];
    size_t count;
} encoder;

static void flush(encoder* e) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint32_t bits = (uint32_t)e->held[0] << 16 | (uint32_t)e->held[1] << 8 | e->held[2];
    const char text[4] = {digits[bits >> 18], digits[bits >> 12 & 63],
                          e->count > 1 ? digits[bits >> 6 & 63] : '=',
                          e->count > 2 ? digits[bits & 63] : '='};
    fwrite(text, 1, sizeof text, e->file);
    memset(e->held, 0, sizeof e->held);
    e->count = 0;
}

static void put(encoder* e, const void* bytes, size_t size) {
    const unsigned char* b = bytes;
    for (size_t i = 0; i < size; ++i) {
        e->held[e->count++] = b[i];
        if (e->count == 3) {
            flush(e);
        }
    }
}

static void begin_array(encoder* e, const char* type, const char* name, int components,
                        uint64_t size) {
    fprintf(e->file,
            "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"binary\">", type,
            name, components);
    put(e, &size, sizeof size);
}

static void end_array(encoder* e) {
    if (e->count != 0) {
        flush(e);
    }
    fprintf(e->file, "</DataArray>\n");
}

static void write_cells(encoder* e, const io_vtk_cells* c) {
    const size_t corners = c->ends == NULL      ? c->cell_count * c->corner_count
                           : c->cell_count == 0 ? 0
                                                : c->ends[c->cell_count - 1];
    begin_array(e, "Int64", "connectivity", 1, 8 * (uint64_t)corners);
    for (size_t i = 0; i < corners; ++i) {
        const int64_t corner = c->corners[i];
        put(e, &corner, sizeof corner);
    }
    end_array(e);
    begin_array(e, "Int64", "offsets", 1, 8 * (uint64_t)c->cell_count);
    for (size_t i = 1; i <= c->cell_count; ++i) {
        const int64_t offset = (int64_t)(c->ends != NULL ? c->ends[i - 1] : i * c->corner_count);
        put(e, &offset, sizeof offset);
    }
    end_array(e);
}

// VTK stores strings as the decimal codes of their bytes, each string ended by 0
static void write_texts(FILE* file, const io_vtk_cells* c) {
    if (c->text_count == 0) {
        return;
    }
    fprintf(file,
            "<FieldData>\n<DataArray type=\"String\" Name=\"%s\" NumberOfTuples=\"%zu\" "
            "format=\"ascii\">",
            c->texts_name, c->text_count);
    const char* at = c->texts;
    for (size_t i = 0; i < c->text_count; ++i) {
        do {
            fprintf(file, "%d ", (unsigned char)*at);
        } while (*at++ != '\0');
    }
    fprintf(file, "</DataArray>\n</FieldData>\n");
}

static void write_document(FILE* file, const io_vtk_cells* c) {
    encoder e = {.file = file};
    const uint16_t one = 1;
    unsigned char low;
    memcpy(&low, &one, 1);
    const char* kind = c->corner_count == 1 ? "Verts" : c->corner_count == 2 ? "Lines" : "Polys";
    fprintf(file,
            "<?xml version=\"1.0\"?>\n"
            "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"%s\" header_type=\"UInt64\">\n"
            "<PolyData>\n",
            low == 1 ? "LittleEndian" : "BigEndian");
    write_texts(file, c);
    fprintf(file,
            "<Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"%zu\" NumberOfLines=\"%zu\" "
            "NumberOfStrips=\"0\" NumberOfPolys=\"%zu\">\n<Points>\n",
            c->point_count, c->corner_count == 1 ? c->cell_count : 0,
            c->corner_count == 2 ? c->cell_count : 0, c->corner_count > 2 ? c->cell_count : 0);
    begin_array(&e, "Float64", "Points", 3, 24 * (uint64_t)c->point_count);
    put(&e, c->points, 24 * c->point_count);
    end_array(&e);
    fprintf(file, "</Points>\n<%s>\n", kind);
    write_cells(&e, c);
    fprintf(file, "</%s>\n<CellData>\n", kind);
    for (size_t i = 0; i < c->column_count; ++i) {
        const io_vtk_column* column = &c->columns[i];
        if (column->kind != IO_VTK_NUMBERS) {
            const int reals = column->kind == IO_VTK_VECTORS ? 3 : 1;
            begin_array(&e, "Float64", column->name, reals,
                        8 * (uint64_t)reals * (uint64_t)c->cell_count);
            put(&e, column->reals, 8 * (size_t)reals * c->cell_count);
        } else {
            begin_array(&e, "UInt32", column->name, 1, 4 * (uint64_t)c->cell_count);
            put(&e, column->values, 4 * c->cell_count);
        }
        end_array(&e);
    }
    fprintf(file, "</CellData>\n</Piece>\n</PolyData>\n</VTKFile>\n");
}

bool io_write_vtp(const char* path, const io_vtk_cells* cells, io_error* error) {
    FILE* file = io_output_open(path, error);
    if (file == NULL) {
        return false;
    }
    write_document(file, cells);
    return io_output_end(file, error);
}

bool io_pvd_begin(io_pvd* list, const char* path, io_error* error) {
    *list = (io_pvd){io_output_open(path, error), path};
    if (list->file == NULL) {
        return false;
    }
    fprintf(
        list->file,
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n");
    return true;
}

void io_pvd_add(io_pvd* list, double time, int part, const char* name) {
    fprintf(list->file, "<DataSet timestep=\"%.17g\" part=\"%d\" file=\"", time, part);
    for (const char* c = name; *c != '\0'; ++c) {
        switch (*c) {
            case '&': fputs("&amp;", list->file); break;
            case '<': fputs("&lt;", list->file); break;
            case '"': fputs("&quot;", list->file); break;
            default: fputc(*c, list->file); break;
        }
    }
    fprintf(list->file, "\"/>\n");
}

bool io_pvd_end(io_pvd* list, io_error* error) {
    if (list->file == NULL) {
        return true;
    }
    FILE* file = list->file;
    list->file = NULL;
    fprintf(file, "</Collection>\n</VTKFile>\n");
    return io_output_end(file, error);
}

void io_pvd_drop(io_pvd* list) {
    io_output_drop(list->file);
    list->file = NULL;
}
