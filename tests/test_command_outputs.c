// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Files that the command writes: it never overwrites an input, never writes two outputs to one
// file, and replaces an old file only by a complete new one.
#define _GNU_SOURCE
#include "test_command_support.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <time.h>

static const char old_text[] = "an old file\n";

static void assert_file_is(const char* what, const char* name, const char* text) {
    char* now = read_whole(name);
    if (strcmp(now, text) != 0) {
        fail_msg("abut %s: %s is now '%.60s...'", what, name, now);
    }
    free(now);
}

// files whose names end with .tmp; those of folders below are not counted
static size_t count_temporaries(const char* where) {
    size_t count = 0;
    DIR* list = opendir(where);
    assert_non_null(list);
    for (const struct dirent* e; (e = readdir(list)) != NULL;) {
        const size_t length = strlen(e->d_name);
        count += length > 4 && strcmp(e->d_name + length - 4, ".tmp") == 0;
    }
    closedir(list);
    return count;
}

// one triangle, three frames: a PC2 cache of 32 + 3 * 36 bytes
static void write_cache(const char* name, uint32_t frames) {
    FILE* file = fopen(name, "wb");
    assert_non_null(file);
    const uint32_t head[5] = {1, 3, 0, 0x3f800000, frames};
    fwrite("POINTCACHE2", 1, 12, file);
    fwrite(head, sizeof head, 1, file);
    for (uint32_t f = 0; f < frames; ++f) {
        const float xyz[9] = {0, 0, (float)f, 1, 0, (float)f, 0, 1, (float)f};
        fwrite(xyz, sizeof xyz, 1, file);
    }
    assert_int_equal(fclose(file), 0);
}

static void write_triangle(const char* name) {
    write_file(name, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
}

// a model with a buffer and an image beside it
static void write_model(void) {
    const float xyz[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    FILE* file = fopen("m.bin", "wb");
    assert_non_null(file);
    fwrite(xyz, sizeof xyz, 1, file);
    assert_int_equal(fclose(file), 0);
    write_file("a picture.png", "not read");
    write_file(
        "m.gltf",
        "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"uri\":\"m.bin\",\"byteLength\":36}],"
        "\"images\":[{\"uri\":\"a%20picture.png\"}],"
        "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],\"accessors\":[{\"bufferView\":0,"
        "\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}],\"meshes\":[{\"primitives\":["
        "{\"attributes\":{\"POSITION\":0}}]}],\"nodes\":[{\"mesh\":0}],\"scenes\":[{\"nodes\":"
        "[0]}]}");
}

static char* checksum(const char* names) {
    char command[512];
    snprintf(command, sizeof command, "cksum %s >.sum", names);
    assert_int_equal(system(command), 0);
    return read_whole(".sum");
}

// ---- what is refused

static void test_no_output_is_an_input(void** state) {
    (void)state;
    static const char inputs[] =
        "m.obj t.obj t.pc2 s_1.obj s_2.obj s_3.obj c_0000.obj c_0001.obj m.gltf m.bin "
        "'a picture.png' d.f32 intersected.txt";
    static const char* const cases[] = {
        "check m.obj --html m.obj",
        "check m.obj --html ./m.obj",
        "check m.obj --html link",
        "check m.obj --html hard",
        "check link --html m.obj",
        "check m.obj --html sub/../m.obj",
        "check m.obj --csv hard",
        "check m.obj --json hard",
        "check m.obj --json linked/m.obj",
        "check t.obj+t.pc2 --html t.pc2",
        "check t.obj+t.pc2 --csv t.pc2",
        "check t.obj+t.pc2 --json t.pc2",
        "check t.obj+t.pc2 --html t.obj",
        "check t.obj+t.pc2 --csv cache_link",
        "check 's_*.obj' --html s_2.obj",
        "check 's_*.obj' --html s_3.obj --jobs 2",
        "check m.gltf --html m.gltf",
        "check m.gltf --csv m.gltf",
        "check m.gltf --csv m.bin",
        "check m.gltf --html 'a picture.png'",
        "check s_1.obj --vtk in",
        "info m.obj --json hard",
        "verify tritri intersected.txt --json intersected.txt",
        "convert m.obj ./m.obj",
        "convert m.obj link.obj",
        "convert 'c_*.obj' c.obj",
        "convert 's_*.obj' s_%d.obj",
        "convert 's_*.obj' s_%d.vtp",
        "convert t.obj+t.pc2 t.pc2",
        "convert t.obj+t.pc2 ./t.pc2",
        "convert t.obj+t.pc2 cache_link.pc2",
        "convert m.gltf link.glb",
        "convert t.obj target.glb --targets d.f32",
    };
    write_square("m.obj", 0, 0, 0);
    write_triangle("t.obj");
    write_cache("t.pc2", 3);
    write_model();
    write_square("s_1.obj", 0, 0, 0);
    write_square("s_2.obj", 0, 0, 1);
    write_square("s_3.obj", 0, 0, 2);
    write_square("c_0000.obj", 0, 0, 1);
    write_square("c_0001.obj", 0, 0, 2);
    FILE* file = fopen("d.f32", "wb");
    assert_non_null(file);
    fwrite((float[9]){1}, 36, 1, file);
    fclose(file);
    write_file("intersected.txt", "0 0 0\n1 0 0\n0 1 0\n0 0 0\n1 0 0\n0 1 0\n");
    assert_int_equal(system(
                         "mkdir sub in && ln -s m.obj link && ln m.obj hard && ln -s . linked && "
                         "ln -s m.obj link.obj && ln -s t.pc2 cache_link && "
                         "ln -s t.pc2 cache_link.pc2 && ln -s m.bin link.glb && "
                         "ln -s ../s_1.obj in/surface_0000.vtp && ln -s d.f32 target.glb && "
                         "ln -s s_2.obj s_1.vtp"),
                     0);
    char* before = checksum(inputs);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        assert_warns(cases[i], 2, "overw");
        char* now = checksum(inputs);
        if (strcmp(before, now) != 0) {
            fail_msg("abut %s: changed an input", cases[i]);
        }
        free(now);
        assert_int_equal(count_temporaries("."), 0);
    }
    free(before);
}

static void test_no_two_outputs_are_one_file(void** state) {
    (void)state;
    static const char* const cases[] = {
        "check m.obj --json out --csv out",
        "check m.obj --json out --html ./out",
        "check m.obj --csv out --html sub/../out",
        "check m.obj --csv new --html to_new",
        "check m.obj --csv old --html to_old",
        "check m.obj --csv old --html hard_old",
        "check m.obj --json sub/contacts.pvd --vtk sub",
        "check m.obj --json - --csv /dev/stdout",
        "check m.obj --csv /dev/stdout --html /dev/fd/1",
        "check m.obj --csv fifo --html fifo",
        "check m.obj --csv .out",
        "check m.obj --html .err",
    };
    write_square("m.obj", 0, 0, 0);
    write_file("old", old_text);
    assert_int_equal(system(
                         "mkdir sub && ln -s new to_new && ln -s old to_old && ln old hard_old && "
                         "mkfifo fifo"),
                     0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        assert_warns(cases[i], 2, "file");
        assert_file_is(cases[i], "old", old_text);
        assert_int_not_equal(access("out", F_OK), 0);
        assert_int_not_equal(access("new", F_OK), 0);
    }
    // any number of outputs may go to /dev/null
    outcome o = run_expecting("check m.obj --quiet --json /dev/null --csv /dev/null", 0);
    assert_string_equal(o.err, "");
    free_outcome(&o);
}

// ---- how files are replaced

static void test_links_and_permissions_are_preserved(void** state) {
    (void)state;
    struct stat info;
    write_square("m.obj", 0, 0, 0);
    write_file("old.csv", old_text);
    assert_int_equal(system(
                         "mkdir sub && ln -s ../old.csv sub/link.csv && ln -s fresh.csv far.csv && "
                         "chmod 640 old.csv"),
                     0);
    assert_exit("check m.obj --quiet --csv sub/link.csv", 0);
    assert_int_equal(lstat("sub/link.csv", &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(stat("old.csv", &info), 0);
    assert_int_equal(info.st_mode & 07777, 0640);
    char* text = read_whole("old.csv");
    assert_string_not_equal(text, old_text);
    free(text);
    // a link to a file that does not exist yet, and the umask
    const mode_t before = umask(027);
    assert_exit("check m.obj --quiet --csv far.csv", 0);
    umask(before);
    assert_int_equal(lstat("far.csv", &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(lstat("fresh.csv", &info), 0);
    assert_true(S_ISREG(info.st_mode));
    assert_int_equal(info.st_mode & 07777, 0640);
    assert_int_equal(count_temporaries("."), 0);
    assert_int_equal(count_temporaries("sub"), 0);
    assert_refuses("check m.obj --quiet --csv sub", "folder");
    assert_refuses("check m.obj --quiet --csv no/such.csv", "no/such.csv|cannot be written");
}

// an output through a pipe is complete, too, if the command succeeds
static void test_pipes_are_written_directly(void** state) {
    (void)state;
    static const char* const kinds[] = {"check t.obj+t.pc2 --quiet --csv",
                                        "check t.obj --quiet --html", "check t.obj --quiet --json",
                                        "info t.obj --json", "convert t.obj+t.pc2 --quiet"};
    static const char* const names[] = {"x.csv", "x.html", "x.json", "y.json", "x.pc2"};
    write_triangle("t.obj");
    write_cache("t.pc2", 3);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        char arguments[256];
        char command[512];
        struct stat info;
        snprintf(arguments, sizeof arguments, "%s %s", kinds[i], names[i]);
        outcome o = run(arguments);
        assert_int_not_equal(o.code, 2);
        free_outcome(&o);
        snprintf(command, sizeof command,
                 "mv %s whole && mkfifo %s && rm -f got && ((cat %s >part; mv part got) & )",
                 names[i], names[i], names[i]);
        assert_int_equal(system(command), 0);
        o = run(arguments);
        assert_int_not_equal(o.code, 2);
        free_outcome(&o);
        assert_int_equal(lstat(names[i], &info), 0);
        assert_true(S_ISFIFO(info.st_mode));
        for (int k = 0; k < 20000 && access("got", F_OK) != 0; ++k) {
            nanosleep(&(struct timespec){0, 1000000}, NULL);
        }
        // times differ from run to run
        strcpy(command, "sed /seconds/d whole >w; sed /seconds/d got >g; cmp w g");
        assert_int_equal(system(command), 0);
    }
}

// ---- runs that leave the old file unchanged

static void write_old_files(void) {
    assert_int_equal(system("mkdir -p vtk"), 0);
    static const char* const names[] = {
        "o.csv", "o.json", "o.html", "vtk/contacts.pvd", "vtk/surface_0001.vtp",
        "o.pc2", "o.glb",  "o.pvd",  "q_0001.obj",       "o_0001.vtp"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        write_file(names[i], old_text);
    }
}

static void assert_old_files(const char* what) {
    static const char* const names[] = {
        "o.csv", "o.json", "o.html", "vtk/contacts.pvd", "vtk/surface_0001.vtp",
        "o.pc2", "o.glb",  "o.pvd",  "q_0001.obj",       "o_0001.vtp"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        assert_file_is(what, names[i], old_text);
    }
    assert_int_equal(count_temporaries("."), 0);
    assert_int_equal(count_temporaries("vtk"), 0);
}

static const char* const all_outputs[] = {
    "check 's_*.obj' --csv o.csv --json o.json --html o.html --vtk vtk",
    "convert 's_*.obj' o.pc2",
    "convert 's_*.obj' o.glb",
    "convert 's_*.obj' o.pvd",
    "convert 's_*.obj' q.obj",
};
enum { ALL_OUTPUTS = sizeof all_outputs / sizeof *all_outputs };

static void test_an_unreadable_frame_leaves_old_files(void** state) {
    (void)state;
    write_square("s_1.obj", 0, 0, 0);
    write_triangle("s_2.obj");  // other triangles: frames are read one after the other
    write_square("s_3.obj", 0, 0, 0);
    write_file("s_4.obj", "v 0 0 nan\n");
    write_old_files();
    for (size_t i = 0; i < ALL_OUTPUTS; ++i) {
        assert_exit(all_outputs[i], 2);
        assert_old_files(all_outputs[i]);
    }
    // without that frame all files are new
    assert_int_equal(unlink("s_4.obj"), 0);
    outcome o = run(all_outputs[0]);
    assert_int_not_equal(o.code, 2);
    free_outcome(&o);
    static const char* const names[] = {"o.csv", "o.json", "o.html", "vtk/contacts.pvd",
                                        "vtk/surface_0001.vtp"};
    for (size_t i = 0; i < 5; ++i) {
        char* now = read_whole(names[i]);
        assert_string_not_equal(now, old_text);
        free(now);
    }
}

static void test_a_limit_of_size_leaves_old_files(void** state) {
    (void)state;
    const struct rlimit limit = {256, RLIM_INFINITY};
    struct rlimit before;
    for (int i = 1; i < 10; ++i) {
        char name[32];
        snprintf(name, sizeof name, "s_%d.obj", i);
        write_square(name, 0, 0, 0.1 * i);
    }
    write_square("m.obj", 0, 0, 0.1);
    write_crossing("n.obj");
    write_old_files();
    static const char* const cases[] = {
        "check m.obj 's_*.obj' --csv o.csv --quiet",
        "check m.obj n.obj --pairs --json o.json --quiet",
        "check m.obj --html o.html --quiet",
        "check 's_*.obj' --vtk vtk --quiet",
        "convert 's_*.obj' o.pc2",
        "convert 's_*.obj' o.glb",
        "convert 's_*.obj' o.pvd",
    };
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        outcome o = run(cases[i]);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_int_equal(o.code, 2);
        assert_says(cases[i], o.err, "cannot be written: File too large");
        free_outcome(&o);
        assert_old_files(cases[i]);
    }
}

static void test_full_device_is_reported(void** state) {
    (void)state;
    static const char* const cases[] = {
        "check m.obj --quiet --html /dev/full",
        "check m.obj --quiet --csv /dev/full",
        "check m.obj --quiet --json /dev/full",
        "info m.obj --json /dev/full",
        "demo tear --frames 1 --triangles 500 --snapshot /dev/full --json o.json",
    };
    write_square("m.obj", 0, 0, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        outcome o = run_expecting(cases[i], 2);
        assert_says(cases[i], o.err,
                    "abut: /dev/full: it cannot be written: No space left on device");
        assert_ptr_equal(strchr(o.err, '\n'), o.err + strlen(o.err) - 1);
        free_outcome(&o);
    }
}

// if the printed text cannot be written, the run fails, and no file is replaced
static void test_an_unwritable_standard_output_leaves_old_files(void** state) {
    (void)state;
    static const char* const cases[] = {
        "check 's_*.obj' --csv o.csv --json o.json --html o.html --vtk vtk",
        "convert 's_*.obj' o.pc2",
        "convert 's_*.obj' o.glb",
        "convert 's_*.obj' o.pvd",
        "convert 's_*.obj' q.obj",
        "info s_1.obj --json o.json",
        "demo fish --triangles 200 --frames 1 --json o.json --html o.html",
    };
    static const char* const ways[] = {">/dev/full", ">&-"};
    write_square("s_1.obj", 0, 0, 0);
    write_square("s_2.obj", 0, 0, 1);
    write_old_files();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        for (size_t k = 0; k < 2; ++k) {
            char arguments[256];
            snprintf(arguments, sizeof arguments, "%s %s", cases[i], ways[k]);
            outcome o = run_expecting(arguments, 2);
            assert_says(arguments, o.err, "the output could not be written");
            assert_ptr_equal(strchr(o.err, '\n'), o.err + strlen(o.err) - 1);
            free_outcome(&o);
            assert_old_files(arguments);
        }
    }
    // a reader that closes the pipe early is no error, nor is a closed standard output that is not
    // needed
    assert_int_equal(system("{ sleep 0.2; '" ABUT_COMMAND "' check s_1.obj --csv o.csv; } | true"),
                     0);
    assert_int_equal(system("grep -q ^frame,time o.csv"), 0);
    write_old_files();
    assert_exit("check s_1.obj --quiet --csv o.csv >&-", 0);
    assert_int_equal(system("grep -q ^frame,time o.csv"), 0);
}

// a folder that a failed run created is removed
static void test_a_failure_leaves_no_folder(void** state) {
    (void)state;
    write_square("s_1.obj", 0, 0, 0);
    write_triangle("s_2.obj");
    write_file("s_3.obj", "v 0 0 nan\n");
    assert_int_equal(mkdir("old", 0777), 0);
    assert_exit("check 's_*.obj' --vtk new", 2);
    assert_exit("check 's_*.obj' --vtk old", 2);
    assert_exit("check s_1.obj --vtk new --html no/x.html", 2);
    assert_exit("check s_1.obj --vtk new >/dev/full", 2);
    assert_int_not_equal(access("new", F_OK), 0);
    assert_int_equal(access("old", F_OK), 0);
    assert_exit("check s_1.obj --vtk new --quiet", 0);
    assert_int_equal(access("new/contacts.pvd", F_OK), 0);
    // an existing folder keeps its content, whatever happens
    assert_exit("check 's_*.obj' --vtk new", 2);
    assert_int_equal(access("new/contacts.pvd", F_OK), 0);
}

// outputs are checked before the queries run: the damaged table is not reported
static void test_verify_refuses_its_inputs_at_once(void** state) {
    (void)state;
    static const char* const names[] = {"d/near_negatives.csv", "d/scene/edge-edge/1.csv",
                                        "d/scene/vertex-face/2.csv"};
    assert_int_equal(system("mkdir -p d/scene/edge-edge d/scene/vertex-face"), 0);
    for (size_t i = 0; i < 3; ++i) {
        write_file(names[i], "damaged\ndamaged\n");
    }
    for (size_t i = 0; i < 3; ++i) {
        char arguments[128];
        snprintf(arguments, sizeof arguments, "verify ccd d --json %s", names[i]);
        assert_refuses(arguments, "would overwrite an input");
        assert_file_is(arguments, names[i], "damaged\ndamaged\n");
    }
}

// ---- signals

static pid_t start(const char* arguments) {
    char command[512];
    snprintf(command, sizeof command, "exec '%s' %s >.out 2>.err </dev/null", ABUT_COMMAND,
             arguments);
    const pid_t child = fork();
    if (child == 0) {
        // a shell starts background jobs with these signals ignored, and children inherit that
        signal(SIGINT, SIG_DFL);
        signal(SIGQUIT, SIG_DFL);
        execl("/bin/sh", "sh", "-c", command, (char*)NULL);
        _exit(9);
    }
    return child;
}

static int signal_of(pid_t child) {
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : -1;
}

static void wait_for_temporary(const char* where, pid_t child) {
    for (int i = 0; i < 20000; ++i) {
        int status;
        if (count_temporaries(where) != 0) {
            return;
        }
        assert_int_equal(waitpid(child, &status, WNOHANG), 0);
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    kill(child, SIGKILL);
    fail_msg("there is no temporary file in %s", where);
}

static void test_signals_leave_old_files(void** state) {
    (void)state;
    const int numbers[] = {SIGINT,  SIGTERM, SIGHUP,    SIGQUIT, SIGUSR1,      SIGUSR2,
                           SIGPOLL, SIGPROF, SIGVTALRM, SIGALRM, SIGRTMIN + 1, SIGKILL};
    write_triangle("t.obj");
    write_cache("t.pc2", 30000);
    write_old_files();
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        const pid_t child = start(
            "check t.obj+t.pc2 --csv o.csv --json o.json --html o.html --vtk vtk");
        wait_for_temporary("vtk", child);
        assert_int_equal(kill(child, numbers[i]), 0);
        assert_int_equal(signal_of(child), numbers[i]);
        if (numbers[i] == SIGKILL) {
            // SIGKILL cannot be handled, so the temporary file stays
            assert_true(count_temporaries(".") > 0);
            assert_int_equal(system("rm .*.tmp vtk/.*.tmp"), 0);
        } else if (numbers[i] == SIGINT) {
            char* said = read_whole(".err");
            assert_string_equal(said, "abut: stopped; existing files are unchanged\n");
            free(said);
        }
        assert_old_files("check");
    }
}

static void test_a_signal_leaves_no_folder(void** state) {
    (void)state;
    write_triangle("t.obj");
    write_cache("t.pc2", 30000);
    const pid_t child = start("check t.obj+t.pc2 --vtk new --csv o.csv");
    wait_for_temporary(".", child);
    for (int i = 0; i < 20000 && access("new", F_OK) != 0; ++i) {
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    wait_for_temporary("new", child);
    assert_int_equal(kill(child, SIGTERM), 0);
    assert_int_equal(signal_of(child), SIGTERM);
    assert_int_not_equal(access("new", F_OK), 0);
}

// a query of one frame that would run for hours
static void test_ctrl_c_works_inside_a_frame(void** state) {
    (void)state;
    enum { MANY = 30000 };
    FILE* file = fopen("slow.obj", "w");
    assert_non_null(file);
    for (int i = 0; i < MANY; ++i) {  // slivers that all cross each other
        fprintf(file, "v 0 %d 0\nv 1 %d 0\nv 1 %d 1e-3\n", i, MANY - i, MANY - i);
        fprintf(file, "f %d %d %d\n", 3 * i + 1, 3 * i + 2, 3 * i + 3);
    }
    assert_int_equal(fclose(file), 0);
    write_file("o.csv", old_text);
    const pid_t child = start("check slow.obj --csv o.csv --threads 2");
    wait_for_temporary(".", child);
    nanosleep(&(struct timespec){0, 200000000}, NULL);
    assert_int_equal(kill(child, SIGINT), 0);
    assert_int_equal(signal_of(child), SIGINT);
    assert_file_is("check slow.obj", "o.csv", old_text);
    assert_int_equal(count_temporaries("."), 0);
}

static void test_nohup_is_respected(void** state) {
    (void)state;
    write_triangle("t.obj");
    write_cache("t.pc2", 3000);
    signal(SIGHUP, SIG_IGN);
    const pid_t child = start("check t.obj+t.pc2 --quiet --csv o.csv --html o.html");
    signal(SIGHUP, SIG_DFL);
    for (int i = 0; i < 20000 && count_temporaries(".") == 0; ++i) {
        nanosleep(&(struct timespec){0, 100000}, NULL);
    }
    assert_int_equal(kill(child, SIGHUP), 0);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(access("o.csv", F_OK), 0);
    assert_int_equal(access("o.html", F_OK), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_no_output_is_an_input),
        IN_FOLDER(test_no_two_outputs_are_one_file),
        IN_FOLDER(test_links_and_permissions_are_preserved),
        IN_FOLDER(test_pipes_are_written_directly),
        IN_FOLDER(test_an_unreadable_frame_leaves_old_files),
        IN_FOLDER(test_a_limit_of_size_leaves_old_files),
        IN_FOLDER(test_full_device_is_reported),
        IN_FOLDER(test_an_unwritable_standard_output_leaves_old_files),
        IN_FOLDER(test_a_failure_leaves_no_folder),
        IN_FOLDER(test_verify_refuses_its_inputs_at_once),
        IN_FOLDER(test_signals_leave_old_files),
        IN_FOLDER(test_a_signal_leaves_no_folder),
        IN_FOLDER(test_ctrl_c_works_inside_a_frame),
        IN_FOLDER(test_nohup_is_respected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
