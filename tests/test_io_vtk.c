// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// XML files of VTK: surfaces in all ways that arrays can be stored, the surfaces of solids, lists of
// files; and files that are wrong, cut off or malicious.
#include "io/mesh_file.h"
#include "io/sequence.h"
#include "support/random.h"
#include "support/vtk_maker.h"
#include "test_command_support.h"

#include <math.h>

static bool parse(const char* name, const char* text, size_t size, io_mesh* mesh, io_error* error) {
    // a copy of exactly this size, so that a sanitizer reports each byte read beyond the end
    char* copy = malloc(size == 0 ? 1 : size);
    assert_non_null(copy);
    memcpy(copy, text, size);
    const bool done = io_parse_mesh(name, copy, size, mesh, error);
    free(copy);
    return done;
}

// ---- surfaces

enum { POINTS = 30, POLYGONS = 12, MOST_CORNERS = 5 };

typedef struct surface {
    double xyz[3 * POINTS];
    double corners[POLYGONS * MOST_CORNERS];
    double ends[POLYGONS];
    size_t corner_count;
    double strip[6];
} surface;

static void draw(test_random* random, surface* s) {
    s->corner_count = 0;
    for (size_t i = 0; i < (size_t)3 * POINTS; ++i) {
        s->xyz[i] = random_dyadic(random, 100, 0.25);
    }
    for (size_t f = 0; f < POLYGONS; ++f) {
        for (uint32_t k = 3 + random_below(random, MOST_CORNERS - 2); k > 0; --k) {
            s->corners[s->corner_count++] = random_below(random, POINTS);
        }
        s->ends[f] = (double)s->corner_count;
    }
    for (size_t k = 0; k < 6; ++k) {
        s->strip[k] = random_below(random, POINTS);
    }
}

static void add_piece(vtk_maker* m, const surface* s, uint64_t seed) {
    static const char* const reals[] = {"Float32", "Float64", "Int16"};
    static const char* const wholes[] = {"Int64", "Int32", "UInt8", "UInt64"};
    const double end = 6;
    vtk_maker_add(m, "<Piece NumberOfPoints=\"%d\" NumberOfPolys=\"%d\">\n<PointData>", POINTS,
                  POLYGONS);
    vtk_maker_array(m, "Float32", "speed", s->xyz, POINTS);
    vtk_maker_add(m, "</PointData><CellData/>\n<Points>\n");
    vtk_maker_array(m, reals[seed % 2], "Points", s->xyz, (size_t)3 * POINTS);
    vtk_maker_add(m, "</Points>\n<Verts></Verts><Polys>\n");
    vtk_maker_array(m, wholes[seed % 4], "connectivity", s->corners, s->corner_count);
    vtk_maker_array(m, wholes[(seed + 1) % 4], "offsets", s->ends, POLYGONS);
    vtk_maker_add(m, "</Polys>\n<Strips>");
    vtk_maker_array(m, "Int64", "connectivity", s->strip, 6);
    vtk_maker_array(m, "Int64", "offsets", &end, 1);
    vtk_maker_add(m, "</Strips>\n</Piece>\n");
}

// checks the triangles of a piece; returns the next triangle
static size_t check_piece(const io_mesh* mesh, const surface* s, size_t piece, size_t t) {
    for (size_t f = 0, start = 0; f < POLYGONS; start = (size_t)s->ends[f++]) {
        for (size_t k = start + 1; k + 1 < (size_t)s->ends[f]; ++k, ++t) {
            assert_int_equal(mesh->triangles[3 * t], piece * POINTS + (size_t)s->corners[start]);
            assert_int_equal(mesh->triangles[3 * t + 1], piece * POINTS + (size_t)s->corners[k]);
            assert_int_equal(mesh->triangles[3 * t + 2],
                             piece * POINTS + (size_t)s->corners[k + 1]);
        }
    }
    for (size_t k = 0; k < 4; ++k, ++t) {
        const double* c = s->strip + k;
        assert_int_equal(mesh->triangles[3 * t], piece * POINTS + (size_t)c[0]);
        assert_int_equal(mesh->triangles[3 * t + 1],
                         piece * POINTS + (size_t)c[k % 2 == 0 ? 1 : 2]);
        assert_int_equal(mesh->triangles[3 * t + 2],
                         piece * POINTS + (size_t)c[k % 2 == 0 ? 2 : 1]);
    }
    return t;
}

static vtk_maker make(uint64_t seed, surface pieces[2]) {
    test_random random = random_seed(seed);
    vtk_maker m = {.storage = (vtk_storage)(seed % VTK_STORAGES),
                   .packed = seed / 4 % 2 == 1,
                   .big_endian = seed / 8 % 2 == 1,
                   .long_header = seed / 16 % 2 == 1};
    vtk_maker_begin(&m, "PolyData");
    for (size_t i = 0; i < 2; ++i) {
        draw(&random, &pieces[i]);
        add_piece(&m, &pieces[i], seed / 3);
    }
    vtk_maker_end(&m, "PolyData");
    return m;
}

static void test_surfaces_in_all_storages(void** unused) {
    (void)unused;
    for (uint64_t seed = 0; seed < 96; ++seed) {
        surface pieces[2];
        io_mesh mesh;
        io_error error = {""};
        vtk_maker m = make(seed, pieces);
        if (!parse(seed % 2 == 0 ? "a.vtp" : "a", m.text, m.size, &mesh, &error)) {
            fail_msg("seed %llu: %s", (unsigned long long)seed, error.message);
        }
        assert_int_equal(mesh.vertex_count, 2 * POINTS);
        assert_int_equal(mesh.format, IO_FORMAT_VTK);
        for (size_t i = 0; i < (size_t)6 * POINTS; ++i) {
            if (mesh.positions[i] != pieces[i / (3 * POINTS)].xyz[i % (3 * POINTS)]) {
                fail_msg("seed %llu: coordinate %zu is %g", (unsigned long long)seed, i,
                         mesh.positions[i]);
            }
        }
        const size_t middle = check_piece(&mesh, &pieces[0], 0, 0);
        assert_int_equal(check_piece(&mesh, &pieces[1], 1, middle), mesh.triangle_count);
        io_mesh_free(&mesh);
        free(m.text);
    }
}

// ---- solids: a block of cubes, each cut in another way

enum { SIDE = 3, CORNERS = (SIDE + 1) * (SIDE + 1) * (SIDE + 1) };

typedef struct solid {
    double xyz[3 * (CORNERS + SIDE * SIDE * SIDE)];
    size_t points;
    double corners[4096];
    size_t corner_count;
    double ends[1024];
    double types[1024];
    size_t count;
} solid;

static void add_cell(solid* s, int type, const int* picks, size_t count, const int cube[9]) {
    for (size_t k = 0; k < count; ++k) {
        s->corners[s->corner_count++] = cube[picks[k]];
    }
    s->types[s->count] = type;
    s->ends[s->count++] = (double)s->corner_count;
}

// Cuts a cube, whose corners are in the order of a hexahedron and whose centre is number 8. All cuts
// of one block agree on the faces between cubes, because squares stay squares.
static void cut_cube(solid* s, uint32_t way, const int cube[9]) {
    static const int whole[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    static const int voxel[8] = {0, 1, 3, 2, 4, 5, 7, 6};
    static const int pyramids[6][5] = {{0, 1, 2, 3, 8}, {4, 7, 6, 5, 8}, {0, 4, 5, 1, 8},
                                       {1, 5, 6, 2, 8}, {2, 6, 7, 3, 8}, {3, 7, 4, 0, 8}};
    if (way == 0) {
        add_cell(s, 12, whole, 8, cube);
    } else if (way == 1) {
        add_cell(s, 11, voxel, 8, cube);
    } else {
        for (size_t i = 0; i < 6; ++i) {
            add_cell(s, 14, pyramids[i], 5, cube);
        }
    }
}

static int corner_number(int x, int y, int z) {
    return (z * (SIDE + 1) + y) * (SIDE + 1) + x;
}

static void draw_block(test_random* random, solid* s) {
    s->points = CORNERS;
    s->count = s->corner_count = 0;
    for (int i = 0; i < CORNERS; ++i) {
        s->xyz[3 * i] = i % (SIDE + 1);
        s->xyz[3 * i + 1] = i / (SIDE + 1) % (SIDE + 1);
        s->xyz[3 * i + 2] = i / ((SIDE + 1) * (SIDE + 1));
    }
    for (int i = 0; i < SIDE * SIDE * SIDE; ++i) {
        const int x = i % SIDE;
        const int y = i / SIDE % SIDE;
        const int z = i / SIDE / SIDE;
        const int cube[9] = {corner_number(x, y, z),
                             corner_number(x + 1, y, z),
                             corner_number(x + 1, y + 1, z),
                             corner_number(x, y + 1, z),
                             corner_number(x, y, z + 1),
                             corner_number(x + 1, y, z + 1),
                             corner_number(x + 1, y + 1, z + 1),
                             corner_number(x, y + 1, z + 1),
                             (int)s->points};
        double* centre = s->xyz + 3 * s->points++;
        centre[0] = x + 0.5;
        centre[1] = y + 0.5;
        centre[2] = z + 0.5;
        cut_cube(s, random_below(random, 3), cube);
    }
}

static double signed_volume(const io_mesh* mesh) {
    double sum = 0;
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        const double* a = mesh->positions + (size_t)3 * mesh->triangles[3 * t];
        const double* b = mesh->positions + (size_t)3 * mesh->triangles[3 * t + 1];
        const double* c = mesh->positions + (size_t)3 * mesh->triangles[3 * t + 2];
        sum += a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
               a[2] * (b[0] * c[1] - b[1] * c[0]);
    }
    return sum / 6;
}

// every directed edge has its opposite
static void assert_closed(const io_mesh* mesh, uint64_t seed) {
    for (size_t i = 0; i < 3 * mesh->triangle_count; ++i) {
        const uint32_t a = mesh->triangles[i];
        const uint32_t b = mesh->triangles[i / 3 * 3 + (i + 1) % 3];
        size_t found = 0;
        for (size_t k = 0; k < 3 * mesh->triangle_count; ++k) {
            found += mesh->triangles[k] == b && mesh->triangles[k / 3 * 3 + (k + 1) % 3] == a;
        }
        if (found != 1) {
            fail_msg("seed %llu: edge %u %u has %zu opposites", (unsigned long long)seed, a, b,
                     found);
        }
    }
}

static io_mesh read_solid(const solid* s, uint64_t seed) {
    vtk_maker m = {.storage = (vtk_storage)(seed % VTK_STORAGES), .packed = seed % 2 == 1};
    io_mesh mesh;
    io_error error = {""};
    vtk_maker_begin(&m, "UnstructuredGrid");
    vtk_maker_add(&m, "<Piece><Points>");
    vtk_maker_array(&m, "Float64", "p", s->xyz, 3 * s->points);
    vtk_maker_add(&m, "</Points><Cells>");
    vtk_maker_array(&m, "Int64", "connectivity", s->corners, s->corner_count);
    vtk_maker_array(&m, "Int64", "offsets", s->ends, s->count);
    vtk_maker_array(&m, "UInt8", "types", s->types, s->count);
    vtk_maker_add(&m, "</Cells></Piece>");
    vtk_maker_end(&m, "UnstructuredGrid");
    if (!parse("a.vtu", m.text, m.size, &mesh, &error)) {
        fail_msg("seed %llu: %s", (unsigned long long)seed, error.message);
    }
    free(m.text);
    return mesh;
}

static void test_solids_have_their_surface(void** unused) {
    (void)unused;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        static solid s;
        test_random random = random_seed(seed);
        draw_block(&random, &s);
        // a square of the outside as a cell of its own, and a line: neither adds anything
        static const int square[4] = {0, 1, 5, 4};
        const int same[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
        add_cell(&s, 9, square, 4, same);
        add_cell(&s, 3, square, 2, same);
        io_mesh mesh = read_solid(&s, seed);
        assert_int_equal(mesh.vertex_count, s.points);
        assert_int_equal(mesh.face_count, 6 * SIDE * SIDE);
        assert_true(signed_volume(&mesh) == SIDE * SIDE * SIDE);
        assert_closed(&mesh, seed);
        io_mesh_free(&mesh);
    }
}

// cells alone, turned outwards: their volume is positive
static void test_single_solids(void** unused) {
    (void)unused;
    static const struct {
        int type;
        size_t corners;
        double volume;
        double xyz[24];
    } cells[] = {
        {10, 4, 1.0 / 6, {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}},
        {13, 6, 0.5, {0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 1, 1, 1, 0, 1}},
        {14, 5, 1.0 / 3, {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1}},
    };
    for (size_t i = 0; i < sizeof cells / sizeof *cells; ++i) {
        static solid s;
        static const int all[8] = {0, 1, 2, 3, 4, 5, 6, 7};
        const int same[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
        s = (solid){.points = cells[i].corners};
        memcpy(s.xyz, cells[i].xyz, sizeof cells[i].xyz);
        add_cell(&s, cells[i].type, all, cells[i].corners, same);
        io_mesh mesh = read_solid(&s, i);
        assert_true(fabs(signed_volume(&mesh) - cells[i].volume) < 1e-12);
        assert_closed(&mesh, i);
        io_mesh_free(&mesh);
    }
}

// ---- lists of files

static void test_lists_of_files(void** unused) {
    (void)unused;
    io_sequence files;
    io_error error = {""};
    write_file("b&1.vtp", "x");
    write_file("a.pvd",
               "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\"><Collection>\n"
               "<DataSet timestep=\"0.5\" part=\"0\" file=\"late.vtp\"/>\n"
               "<DataSet timestep=\"-1e1\" file='b&amp;1.vtp'/>\n"
               "<DataSet timestep=\"0.25\" file=\"sub%20/x.vtu\"></DataSet>\n"
               "</Collection></VTKFile>\n");
    if (!io_sequence_list("a.pvd", &files, &error)) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(files.count, 3);
    assert_string_equal(files.paths[0], "b&1.vtp");
    assert_string_equal(files.paths[1], "sub%20/x.vtu");
    assert_string_equal(files.paths[2], "late.vtp");
    assert_null(files.numbers);
    io_sequence_free(&files);
    static const char* const bad[][2] = {
        {"<VTKFile type=\"PolyData\"/>", "no list of files"},
        {"", "no list of files"},
        {"<VTKFile type=\"Collection\"><Collection/></VTKFile>", "names no files"},
        {"<VTKFile type=\"Collection\"><DataSet/></VTKFile>", "no name"},
        {"<VTKFile type=\"Collection\"><DataSet file=\"../a.vtp\"/></VTKFile>",
         "not in the folder"},
        {"<VTKFile type=\"Collection\"><DataSet file=\"/etc/passwd\"/></VTKFile>",
         "not in the folder"},
        {"<VTKFile type=\"Collection\"><DataSet timestep=\"x\" file=\"a.vtp\"/></VTKFile>",
         "damaged timestep"},
        {"<VTKFile type=\"Collection\"><DataSet timestep=\"1\" file=\"a.vtp\"/>"
         "<DataSet timestep=\"1.0\" file=\"b.vtp\"/></VTKFile>",
         "several files of the time 1"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        write_file("bad.pvd", bad[i][0]);
        assert_false(io_sequence_list("bad.pvd", &files, &error));
        assert_says("bad.pvd", error.message, bad[i][1]);
    }
}

// what the command writes, it reads
static void test_the_command_reads_what_it_writes(void** unused) {
    (void)unused;
    write_file("a_1.obj",
               "v 0 0 0\nv 4 0 0\nv 0 4 0\nv 1 1 1\nv 1 2 2\nv 2 1 2\nf 1 2 3\nf 4 5 6\n");
    write_file("a_2.obj",
               "v 0 0 0\nv 4 0 0\nv 0 4 0\nv 1 1 -1\nv 1 2 2\nv 2 1 2\nf 1 2 3\nf 4 5 6\n");
    outcome o = run_expecting("convert 'a_*.obj' b.pvd", 0);
    free_outcome(&o);
    o = run_expecting("check b.pvd --self", 1);
    assert_says("check", o.out, "Contact in 1 of 2 frames (1)");
    free_outcome(&o);
    o = run_expecting("check b.pvd --json b.pvd", 2);
    free_outcome(&o);
    o = run_expecting("check --self - < b_0002.vtp", 1);
    free_outcome(&o);
}

// ---- what is wrong

#define HEAD "<VTKFile type=\"PolyData\"><PolyData><Piece>"
#define TAIL "</Piece></PolyData></VTKFile>"
#define XYZ \
    "<Points><DataArray type=\"Float32\" format=\"ascii\">0 0 0 1 0 0 0 1 0</DataArray></Points>"
#define POLYS(corners, ends)                                                           \
    "<Polys><DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\">" corners \
    "</DataArray><DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">" ends    \
    "</DataArray>"                                                                     \
    "</Polys>"
#define POINTS_AS(format, content) \
    HEAD "<Points><DataArray type=\"Float32\" " format ">" content "</DataArray></Points>" TAIL

static void test_defects_are_named(void** unused) {
    (void)unused;
    static const char* const cases[][2] = {
        {"<VTKFile type=\"ImageData\"/>", "type ImageData|PolyData"},
        {"<VTKFile type=\"Collection\"/>", "list of files|.pvd"},
        {"<VTKFile type=\"PolyData\" compressor=\"vtkLZ4DataCompressor\"/>",
         "vtkLZ4DataCompressor"},
        {HEAD TAIL, "no vertices"},
        {HEAD XYZ TAIL, "no faces"},
        {HEAD XYZ POLYS("0 1 2", "3"), "does not end"},
        {HEAD XYZ POLYS("0 1 3", "3") TAIL, "cell 0 uses vertex 3"},
        {HEAD XYZ POLYS("0 1 -2", "3") TAIL, "cell 0 uses vertex -2"},
        {HEAD XYZ POLYS("0 1 2", "4") TAIL, "cell 0|not there"},
        {HEAD XYZ POLYS("0 1 2 0 1 2", "6 3") TAIL, "cell 1|not there"},
        {HEAD XYZ POLYS("0 1", "2") TAIL, "cell 0|three corners"},
        {HEAD XYZ POLYS("0 1 x", "3") TAIL, "'x'"},
        {HEAD XYZ POLYS("0 1 2.5", "3") TAIL, "'.5'"},
        {HEAD
         "<Points><DataArray format=\"ascii\" type=\"Float32\">0 nan 0</DataArray></Points>" TAIL,
         "'nan'"},
        {HEAD "<Points><DataArray type=\"Float32\" format=\"ascii\">0 0</DataArray></Points>" TAIL,
         "multiple of 3"},
        {POINTS_AS("format=\"binary\"", "AAAA"), "cut off"},
        {POINTS_AS("format=\"binary\"", "DAAAAA"), "cut off"},
        {POINTS_AS("format=\"binary\"", "/////w=="), "cut off"},
        {POINTS_AS("format=\"binary\"", "A=AA"), "cut off"},
        {POINTS_AS("format=\"appended\" offset=\"0\"", ""), "appended data"},
        {"<VTKFile type=\"PolyData\" "
         "compressor=\"vtkZLibDataCompressor\"><Piece><Points><DataArray "
         "type=\"Float32\" format=\"binary\">AQAAAP///38AAAAA/////w==</DataArray></Points></Piece>",
         "cut off"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        io_mesh mesh;
        io_error error = {""};
        if (parse("bad.vtp", cases[i][0], strlen(cases[i][0]), &mesh, &error)) {
            fail_msg("accepted: %s", cases[i][0]);
        }
        assert_null(mesh.positions);
        assert_non_null(strstr(error.message, "bad.vtp"));
        assert_says(cases[i][0], error.message, cases[i][1]);
    }
}

// cut off at every byte, and with random bytes changed: an error or a mesh, never a crash
static void test_damage_is_survived(void** unused) {
    (void)unused;
    test_random random = random_seed(1);
    size_t refused = 0;
    for (uint64_t seed = 0; seed < 8; ++seed) {
        surface pieces[2];
        vtk_maker m = make(seed, pieces);
        for (size_t round = 0; round < 500; ++round) {
            io_mesh mesh;
            io_error error = {""};
            char* copy = malloc(m.size);
            assert_non_null(copy);
            memcpy(copy, m.text, m.size);
            const bool cut = round % 2 == 0;
            for (size_t k = 0; k < 3 && !cut; ++k) {
                copy[random_below(&random, (uint32_t)m.size)] = (char)random_below(&random, 256);
            }
            if (parse("bad.vtp", copy, cut ? random_below(&random, (uint32_t)m.size) : m.size,
                      &mesh, &error)) {
                io_mesh_free(&mesh);
            } else {
                assert_non_null(strstr(error.message, "bad.vtp"));
                ++refused;
            }
            free(copy);
        }
        free(m.text);
    }
    assert_true(refused > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_surfaces_in_all_storages),
        cmocka_unit_test(test_solids_have_their_surface),
        cmocka_unit_test(test_single_solids),
        IN_FOLDER(test_lists_of_files),
        IN_FOLDER(test_the_command_reads_what_it_writes),
        cmocka_unit_test(test_defects_are_named),
        cmocka_unit_test(test_damage_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
