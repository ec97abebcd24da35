// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Files and names from strangers: a model reads nothing beyond its folder, no name moves a terminal,
// and nothing that is no file is waited for.
#define _GNU_SOURCE
#include "test_command_support.h"

#include <sys/types.h>

// ---- addresses in glTF

static void write_buffer(const char* name) {
    const float xyz[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    FILE* file = fopen(name, "wb");
    assert_non_null(file);
    fwrite(xyz, sizeof xyz, 1, file);
    assert_int_equal(fclose(file), 0);
}

// a model whose only buffer has this address, with a node, a mesh and an animation of this name
static void write_model(const char* name, const char* uri, const char* called) {
    char text[4096];
    snprintf(text, sizeof text,
             "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"uri\":\"%s\",\"byteLength\":36}],"
             "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],\"accessors\":[{\"bufferView\":0,"
             "\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"},{\"componentType\":5126,"
             "\"count\":2,\"type\":\"SCALAR\"}],\"meshes\":[{\"name\":\"%s\",\"primitives\":["
             "{\"attributes\":{\"POSITION\":0}}]}],\"nodes\":[{\"mesh\":0,\"name\":\"%s\"},"
             "{\"mesh\":0,\"name\":\"%s 2\"}],\"scenes\":[{\"nodes\":[0,1]}]}",
             uri, called, called, called);
    write_file(name, text);
}

static void test_buffers_are_in_the_folder(void** state) {
    (void)state;
    char absolute[128];
    char encoded[128];
    char text[256];
    assert_int_equal(system("mkdir -p models/sub other"), 0);
    write_buffer("secret.bin");
    write_buffer("models/my file.bin");
    write_buffer("models/sub/b.bin");
    assert_int_equal(system(
                         "ln -s ../secret.bin models/out.bin && ln -s sub/b.bin models/in.bin && "
                         "ln -s ../other models/away && cp secret.bin other/"),
                     0);
    snprintf(absolute, sizeof absolute, "%s/secret.bin", folder);
    snprintf(encoded, sizeof encoded, "%%2F%s/secret.bin", folder + 1);
    const char* const refused[] = {absolute,
                                   encoded,
                                   "../secret.bin",
                                   "%2e%2e/secret.bin",
                                   "%2E%2E%2Fsecret.bin",
                                   ".%2e/secret.bin",
                                   "sub/../../secret.bin",
                                   "sub/%2e%2e/%2e%2e/secret.bin",
                                   "..\\\\secret.bin",
                                   "..%5Csecret.bin",
                                   "file:../secret.bin",
                                   "file:///etc/passwd",
                                   "http://example/a.bin",
                                   "C:/secret.bin",
                                   "sub/b.bin%00",
                                   "",
                                   "out.bin",
                                   "away/secret.bin"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; ++i) {
        write_model("models/m.gltf", refused[i], "a");
        outcome o = run("info models/m.gltf");
        if (o.code != 2) {
            fail_msg("the buffer '%s' was read", refused[i]);
        }
        assert_says(refused[i], o.err, "buffer 0|save the model with its buffers");
        free_outcome(&o);
    }
    static const char* const read[] = {"my%20file.bin",
                                       "my file.bin",
                                       "sub/b.bin",
                                       "./sub/b.bin",
                                       "in.bin",
                                       "sub%2Fb.bin",
                                       "data:application/octet-stream;base64,"
                                       "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA",
                                       "DATA:;base64,"
                                       "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAA%41"};
    for (size_t i = 0; i < sizeof read / sizeof *read; ++i) {
        write_model("models/m.gltf", read[i], "a");
        snprintf(text, sizeof text, "info models/m.gltf");
        outcome o = run_expecting(text, 0);
        free_outcome(&o);
        assert_int_equal(chdir("models"), 0);
        o = run_expecting("info m.gltf", 0);
        free_outcome(&o);
        assert_int_equal(chdir(".."), 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_buffers_are_in_the_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
