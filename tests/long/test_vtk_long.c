// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The files that the command writes for ParaView, read by VTK itself.
#define _POSIX_C_SOURCE 200809L
#include "test_command_support.h"

#define PYTHON "/usr/bin/python3"

static const char script[] =
    "import sys, vtk\n"
    "r = vtk.vtkXMLPolyDataReader()\n"
    "r.SetFileName(sys.argv[1])\n"
    "r.Update()\n"
    "o = r.GetOutput()\n"
    "d = o.GetCellData()\n"
    "print(o.GetNumberOfPoints(), o.GetNumberOfPolys(), o.GetNumberOfLines())\n"
    "for name in sys.argv[2:]:\n"
    "    a = d.GetArray(name)\n"
    "    print(name, sum(a.GetValue(i) for i in range(a.GetNumberOfTuples())))\n"
    "for i in range(min(3, o.GetNumberOfPoints())):\n"
    "    print('%.17g %.17g %.17g' % o.GetPoint(i))\n"
    "print('points', o.GetNumberOfVerts())\n";

static char* read_by_vtk(const char* arguments) {
    char command[512];
    snprintf(command, sizeof command, PYTHON " read.py %s > seen", arguments);
    assert_int_equal(system(command), 0);
    return read_whole("seen");
}

static void need_vtk(void) {
    if (system(PYTHON " -c 'import vtk' > /dev/null 2>&1") != 0) {
        print_message("skipped: there is no VTK for %s\n", PYTHON);
        skip();
    }
}

// a triangle falls through a floor: three corners meet it halfway, and in the end it is 1 below
static void test_vtk_reads_sweeps_and_distances(void** unused) {
    (void)unused;
    need_vtk();
    write_file("read.py", script);
    write_file("floor.obj", "v 0 0 0\nv 4 0 0\nv 0 4 0\nf 1 2 3\n");
    write_file("f_1.obj", "v 1 1 1\nv 2 1 1\nv 1 2 1\nf 1 2 3\n");
    write_file("f_2.obj", "v 1 1 -1\nv 2 1 -1\nv 1 2 -1\nf 1 2 3\n");
    outcome o = run_expecting(
        "check 'f_*.obj' floor.obj --between --sweep --nearest --fps 1 --vtk out", 1);
    free_outcome(&o);
    char* seen = read_by_vtk("out/sweep_0002.vtp body_a body_b step time");
    assert_says("sweep", seen, "3 0 0\nbody_a 0\nbody_b 3\nstep 1.49|time 1.49|points 3\n");
    free(seen);
    seen = read_by_vtk("out/nearest_0002.vtp body_b distance");
    assert_says("nearest", seen, "2 0 1\nbody_b 1\ndistance 1.0\n|points 0\n");
    free(seen);
}

static void test_vtk_reads_the_same_counts(void** unused) {
    (void)unused;
    need_vtk();
    write_file("read.py", script);
    write_square("a.obj", 0.1, 0, 0);
    write_crossing("b.obj");
    outcome o = run_expecting("check a.obj b.obj --between --vtk out --json - --pairs", 1);
    const int pairs = (int)json_number(json_root(o.out), "frames 0 between 0 pairs");
    free_outcome(&o);
    char wanted[256];
    char* seen = read_by_vtk("out/surface_0000.vtp body triangle touching");
    snprintf(wanted, sizeof wanted,
             "7 3 0\nbody 1\ntriangle 1\ntouching %d\n0.10000000000000001 0 0\n", 2 * pairs);
    assert_int_equal(strncmp(seen, wanted, strlen(wanted)), 0);
    free(seen);
    seen = read_by_vtk("out/contacts_0000.vtp body_a body_b");
    snprintf(wanted, sizeof wanted, "%d 0 %d\nbody_a 0\nbody_b %d\n", 2 * pairs, pairs, pairs);
    assert_int_equal(strncmp(seen, wanted, strlen(wanted)), 0);
    free(seen);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_vtk_reads_the_same_counts),
        IN_FOLDER(test_vtk_reads_sweeps_and_distances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
