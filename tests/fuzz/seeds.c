// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Writes small files from which the fuzzers start: seeds FOLDER. FOLDER has a folder for each
// fuzzer.
#include "support/gltf_maker.h"
#include "support/meshopt_maker.h"
#include "support/npz_maker.h"
#include "support/vtk_maker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_seed(const char* folder, const char* name, const char* bytes, size_t size) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE* file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
        fprintf(stderr, "seeds: cannot write %s\n", path);
        exit(1);
    }
}

static void write_models(const char* folder) {
    static gltf_maker m;
    static const float xyz[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
    static const uint8_t corners[] = {0, 1, 2, 3, 0, 1};
    static const float times[] = {0, 0.5F, 1};
    static const float weights[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0.5F, 0.5F, 0, 0, 1, 0, 0, 0};
    static const uint8_t joints[16] = {0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const float rotations[12] = {0, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0};
    static const char* const rest[] = {
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}],"
        "\"nodes\":[{\"mesh\":0}]",
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"JOINTS_0\":4,\"WEIGHTS_0\":"
        "3},"
        "\"indices\":1,\"mode\":5,\"targets\":[{\"POSITION\":0}]}]}],\"skins\":[{\"joints\":[1,2]}]"
        ","
        "\"nodes\":[{\"mesh\":0,\"skin\":0},{\"children\":[2]},{}],\"animations\":[{\"samplers\":["
        "{\"input\":2,\"output\":5}],\"channels\":[{\"sampler\":0,\"target\":{\"node\":1,\"path\":"
        "\"rotation\"}}]},{\"name\":\"b\",\"samplers\":[{\"input\":2,\"output\":2,"
        "\"interpolation\":"
        "\"STEP\"}],\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"weights\"}}]}]",
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":6},\"mode\":6}]}],"
        "\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0,\"scale\":[1,2,3]}]",
    };
    gltf_maker_begin(&m);
    gltf_maker_add(&m, xyz, sizeof xyz, 4, MADE_FLOAT, "VEC3", "");
    gltf_maker_add(&m, corners, sizeof corners, 6, MADE_UINT8, "SCALAR", "");
    gltf_maker_add(&m, times, sizeof times, 3, MADE_FLOAT, "SCALAR", "");
    gltf_maker_add(&m, weights, sizeof weights, 4, MADE_FLOAT, "VEC4", "");
    gltf_maker_add(&m, joints, sizeof joints, 4, MADE_UINT8, "VEC4", "");
    gltf_maker_add(&m, rotations, sizeof rotations, 3, MADE_FLOAT, "VEC4", "");
    gltf_maker_accessor(
        &m,
        "{\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\","
        "\"sparse\":{\"count\":1,\"indices\":{\"bufferView\":1,\"componentType\":5121"
        "},\"values\":{\"bufferView\":3}}}");
    for (size_t i = 0; i < sizeof rest / sizeof *rest; ++i) {
        char name[32];
        size_t size = 0;
        char* bytes = gltf_maker_glb(&m, rest[i], &size);
        snprintf(name, sizeof name, "%zu.glb", i);
        write_seed(folder, name, bytes, size);
        free(bytes);
        bytes = gltf_maker_text(&m, rest[i], NULL, &size);
        snprintf(name, sizeof name, "%zu.gltf", i);
        write_seed(folder, name, bytes, size);
        free(bytes);
    }
}

// compressed streams, and a model that has one
static void write_streams(const char* folder, const char* models) {
    static gltf_maker m;
    static unsigned char data[49 * 12];
    test_random random = random_seed(1);
    uint32_t corners[3 * 32];
    size_t size = 0;
    for (size_t i = 0; i < sizeof data; ++i) {
        data[i] = (unsigned char)(i / 12 * (i % 12));
    }
    for (unsigned kind = 0; kind < 4; ++kind) {
        char name[32];
        made_stream s = kind < 2    ? make_attributes(&random, (int)kind, data, 49, 12)
                        : kind == 2 ? make_triangles(&random, 32, corners)
                                    : make_indices(&random, corners, 94);
        char* seed = malloc(s.size + 3);
        if (seed == NULL) {
            exit(1);
        }
        seed[0] = (char)(kind < 2 ? 9 : kind - 1);
        seed[1] = (char)(kind < 2 ? 2 : 1);
        seed[2] = (char)(kind < 2 ? 16 : 31);
        memcpy(seed + 3, s.bytes, s.size);
        snprintf(name, sizeof name, "%u", kind);
        write_seed(folder, name, seed, s.size + 3);
        if (kind == 1) {
            gltf_maker_begin(&m);
            gltf_maker_packed_view(&m, "KHR_meshopt_compression", s.bytes, s.size, sizeof data,
                                   "\"byteStride\":12,\"count\":49,\"mode\":\"ATTRIBUTES\","
                                   "\"filter\":\"EXPONENTIAL\"");
        }
        free(seed);
        free(s.bytes);
    }
    gltf_maker_accessor(&m,
                        "{\"bufferView\":0,\"componentType\":5126,\"count\":48,\"type\":\"VEC3\"}");
    char* glb = gltf_maker_glb(&m,
                               "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],"
                               "\"nodes\":[{\"mesh\":0}]",
                               &size);
    write_seed(models, "packed.glb", glb, size);
    free(glb);
}

static void write_meshes(const char* folder) {
    static const char* const texts[] = {
        "\0v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
        "\0v 0 0 0\nv 1e-3 .5 0\nv 0 1 0\nv 1 1 1\nf 1/1/1 2//2 -1/3 4\n",
        "\1ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty "
        "double z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 "
        "0\n0 1 0\n3 0 1 2\n",
        "\1ply\nformat binary_big_endian 1.0\nelement vertex 1\nproperty uchar x\nproperty uchar "
        "y\nproperty uchar z\nelement face 1\nproperty list uchar uchar "
        "vertex_indices\nend_header\nabc\3\1\1\1",
        "\2OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        char name[32];
        snprintf(name, sizeof name, "%zu", i);
        write_seed(folder, name, texts[i], 1 + strlen(texts[i] + 1));
    }
}

// writes bytes behind the byte that selects an ending
static void write_ended(const char* folder, const char* name, char ending, const made_bytes* made) {
    char* bytes = malloc(made->size + 1);
    if (bytes == NULL) {
        exit(1);
    }
    bytes[0] = ending;
    memcpy(bytes + 1, made->bytes, made->size);
    write_seed(folder, name, bytes, made->size + 1);
    free(bytes);
}

static void write_arrays(const char* meshes, const char* caches) {
    static const char* const names[] = {"v.npy", "faces.npy"};
    const double numbers[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 2};
    const double corners[3] = {0, 1, 2};
    const made_bytes both[2] = {make_npy(numbers, 18, "<f4", "(2, 3, 3)", 0, 0),
                                make_npy(corners, 3, "|u1", "(1, 3)", 0, 0)};
    for (int packed = 0; packed < 2; ++packed) {
        const made_bytes zip = make_npz(names, both, 2, packed == 1);
        write_ended(meshes, packed == 1 ? "packed" : "stored", 5, &zip);
        write_ended(caches, packed == 1 ? "packed" : "stored", 4, &zip);
        free(zip.bytes);
    }
    write_ended(meshes, "npy", 6, &both[0]);
    write_ended(caches, "npy", 3, &both[0]);
    free(both[0].bytes);
    free(both[1].bytes);
}

// a tetrahedron with a triangle, in all storages; and a list of files
static void write_vtk(const char* meshes, const char* lists) {
    static const double xyz[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const double corners[7] = {0, 1, 2, 3, 1, 2, 3};
    static const double ends[2] = {4, 7};
    static const double types[2] = {10, 5};
    static const char list[] =
        "<VTKFile type=\"Collection\"><Collection><DataSet timestep=\"1\" file=\"a.vtp\"/><DataSet "
        "timestep=\"2\" file=\"b.vtp\"/></Collection></VTKFile>";
    for (unsigned i = 0; i < 2 * VTK_STORAGES; ++i) {
        char name[32];
        vtk_maker m = {.storage = (vtk_storage)(i % VTK_STORAGES), .packed = i >= VTK_STORAGES};
        vtk_maker_begin(&m, "UnstructuredGrid");
        vtk_maker_add(&m, "<Piece><Points>");
        vtk_maker_array(&m, "Float32", "p", xyz, 12);
        vtk_maker_add(&m, "</Points><Cells>");
        vtk_maker_array(&m, "UInt8", "connectivity", corners, 7);
        vtk_maker_array(&m, "Int32", "offsets", ends, 2);
        vtk_maker_array(&m, "UInt8", "types", types, 2);
        vtk_maker_add(&m, "</Cells></Piece>");
        vtk_maker_end(&m, "UnstructuredGrid");
        const made_bytes made = {(unsigned char*)m.text, m.size};
        snprintf(name, sizeof name, "vtk%u", i);
        write_ended(meshes, name, 7, &made);
        free(m.text);
    }
    write_seed(lists, "list", list, sizeof list - 1);
}

static void write_caches(const char* folder) {
    static const char pc2[] =
        "\0POINTCACHE2\0\1\0\0\0\1\0\0\0\0\0\0\0\0\0\200\77\2\0\0\0"
        "abcdefghijklabcdefghijkl";
    static const char mdd[] = "\1\0\0\0\2\0\0\0\1\0\0\0\0\0\0\0\0abcdefghijklabcdefghijkl";
    static const char raw[] = "\2abcdefghijkl";
    write_seed(folder, "pc2", pc2, sizeof pc2 - 1);
    write_seed(folder, "mdd", mdd, sizeof mdd - 1);
    write_seed(folder, "raw", raw, sizeof raw - 1);
}

static void write_settings(const char* folder) {
    static const char text[] =
        "# a comment\n[check]\nignore = [\"a,b\", 'c*']\nfail-if = \"depth > 5mm\"\nself = "
        "true\nmargin = 0.5\n";
    write_seed(folder, "settings", text, strlen(text));
}

static void write_baselines(const char* folder) {
    static const char triangles[] =
        "abut baseline 1 by triangle\n# known\ncontact \"a.obj\" \"b\\n.obj\"\n1dd045f8d3377d1d\n"
        "inside \"a.obj\" \"c.obj\"\n47a8df2ba6fff2cb\n";
    static const char components[] =
        "abut baseline 1 by component\ncomponent 35f26c6ba05e0de6 \"\" 0 0 3 1 1 4 \"a.obj\"\n"
        "component 0c93cd8a5f0e6e2f \"n\" -1 -1 0.5 2 2 0.5 \"b.obj\"\ncontact 35f26c6ba05e0de6 "
        "0c93cd8a5f0e6e2f\n";
    write_seed(folder, "triangles", triangles, strlen(triangles));
    write_seed(folder, "components", components, strlen(components));
}

// a part without its seal
static void write_part(const char* folder) {
    static const char text[] =
        "{\"abut_part\": 1,\n\"abut\": \"0.9.0\",\n\"inputs\": \"00\",\n\"objects\": "
        "[\"a_*.obj\",\"b.obj\"],\n\"options\": "
        "[\"--sweep\",\"--ignore=a,b\",\"--baseline=rest\",\"--fail-if="
        "depth > 1%\"],\n\"frame_count\": 2,\n\"run\": [0,1],\n\"range\": [0,1],\n\"numbers\": "
        "[7,2],\n\"clips\": [\"x\",2],\n\"names\": [\"a_*.obj\",7,\"b.obj:n\",5],\n\"metres\": "
        "1.0,\n"
        "\"diagonal\": 2.5,\n\"baseline\": "
        "{\"by_component\":false,\"groups\":[[0,\"a\",\"b\"]],\"keys\":["
        "\"0123456789abcdef\",0]},\n\"frames\": "
        "[\n{\"json\":{\"frame\":0},\"rows\":\"0,1,pair\\n\",\"found\":[{"
        "\"b\":1,\"pairs\":3,\"sweeps\":2,\"first\":0.5,\"distance\":0.0,\"point_a\":[0.0,1.0,2.0],"
        "\"point_b\":[0.0,1."
        "0,2.0],\"inside\":1}],\"distance\":\"inf\",\"measures\":[{\"b\":1,\"kind\":\"cuts\","
        "\"depth\":1.5,"
        "\"distance\":0.0,\"place\":[0.0,0.0,0.0],\"start\":-0.5,\"stop\":0.0}],\"aside\":[{\"b\":"
        "1,\"pairs\":2}],"
        "\"triangles\":[\"0123456789abcdef\",\"0123456789abcdef\"]},\n{\"frame\":1,\"json\":{"
        "\"frame\":1},\"rows\":"
        "\"\",\"found\":[],\"distance\":\"inf\",\"measures\":[],\"aside\":[],\"missing\":1}\n],"
        "\n\"described\": [],\n"
        "\"seen\": [0,1],\n";
    write_seed(folder, "part", text, strlen(text));
}

int main(int argc, char** argv) {
    char folder[512];
    char second[512];
    if (argc != 2) {
        fprintf(stderr, "usage: seeds FOLDER\n");
        return 1;
    }
    snprintf(folder, sizeof folder, "%s/gltf", argv[1]);
    write_models(folder);
    snprintf(second, sizeof second, "%s/meshopt", argv[1]);
    write_streams(second, folder);
    snprintf(folder, sizeof folder, "%s/mesh", argv[1]);
    write_meshes(folder);
    snprintf(second, sizeof second, "%s/cache", argv[1]);
    write_caches(second);
    write_arrays(folder, second);
    snprintf(second, sizeof second, "%s/pvd", argv[1]);
    write_vtk(folder, second);
    snprintf(folder, sizeof folder, "%s/config", argv[1]);
    write_settings(folder);
    snprintf(folder, sizeof folder, "%s/baseline", argv[1]);
    write_baselines(folder);
    snprintf(folder, sizeof folder, "%s/part", argv[1]);
    write_part(folder);
    return 0;
}
