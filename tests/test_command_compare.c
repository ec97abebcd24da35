// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// abut compare: which events of two checks are new, worse, better, gone or the same; names of
// strangers in all outputs; files that are none of abut's.
#include "test_command_support.h"

// An event of objects 0 and `b` for a file.
static const char* event(char text[256], int b, const char* kind, int first, int last,
                         const char* depth, int pairs) {
    snprintf(text, 256,
             "{\"a\": 0, \"b\": %d, \"kind\": \"%s\", \"first\": %d, \"last\": %d, \"worst\": %d, "
             "\"frames\": %d, \"depth\": %s, \"pairs\": %d}",
             b, kind, first, last, first, last - first + 1, depth, pairs);
    return text;
}

// Writes a file with up to three events; NULL ends them.
static void write_take(const char* name, const char* second, const char* const events[3]) {
    char text[2048];
    int used = snprintf(text, sizeof text,
                        "{\"objects\": [{\"name\": \"shirt\"}, {\"name\": \"%s\"}], \"events\": [",
                        second);
    for (int i = 0; i < 3 && events[i] != NULL; ++i) {
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%s", i > 0 ? ", " : "",
                         events[i]);
    }
    snprintf(text + used, sizeof text - (size_t)used, "]}");
    write_file(name, text);
}

static void test_each_change(void** state) {
    (void)state;
    static const struct {
        const char* kinds[2];
        int frames[2][2];
        const char* depths[2];
        int pairs[2];
        int code;
        const char* text;
    } cases[] = {
        {{"cuts", "cuts"}, {{1, 5}, {1, 5}}, {"2", "2.01"}, {7, 7}, 0, "1 the same"},
        {{"cuts", "cuts"}, {{1, 5}, {1, 5}}, {"2", "2.1"}, {7, 1}, 1, "1 worse|worse "},
        {{"cuts", "cuts"}, {{1, 5}, {1, 5}}, {"2", "1.9"}, {7, 9}, 0, "1 better|better "},
        {{"touches", "cuts"}, {{1, 5}, {1, 5}}, {"9", "1"}, {7, 7}, 1, "1 worse"},
        {{"inside", "between"}, {{1, 5}, {1, 5}}, {"1", "9"}, {7, 7}, 0, "1 better"},
        {{"cuts", "cuts"}, {{1, 5}, {5, 10}}, {"2", "2"}, {7, 1}, 1, "1 worse"},
        {{"cuts", "cuts"}, {{1, 5}, {1, 5}}, {"2", "2"}, {7, 8}, 1, "1 worse"},
        {{"cuts", "cuts"},
         {{1, 5}, {6, 9}},
         {"2", "1"},
         {7, 1},
         1,
         "1 new, 0 worse, 0 better, 1 gone"},
        {{"cuts", "cuts"}, {{1, 5}, {1, 5}}, {"null", "null"}, {7, 7}, 0, "1 the same"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        for (int k = 0; k < 2; ++k) {
            char text[256];
            const char* events[3] = {event(text, 1, cases[i].kinds[k], cases[i].frames[k][0],
                                           cases[i].frames[k][1], cases[i].depths[k],
                                           cases[i].pairs[k])};
            write_take(k == 0 ? "a.json" : "b.json", "body", events);
        }
        assert_prints("compare a.json b.json", cases[i].code, cases[i].text);
    }
}

// Of several events of the same objects, those that overlap longest belong together.
static void test_events_match_by_their_frames(void** state) {
    (void)state;
    char texts[5][256];
    const char* before[3] = {event(texts[0], 1, "cuts", 0, 9, "1", 1),
                             event(texts[1], 1, "cuts", 20, 29, "5", 1)};
    const char* after[3] = {event(texts[2], 1, "cuts", 8, 27, "5", 1),
                            event(texts[3], 1, "cuts", 0, 6, "1", 1),
                            event(texts[4], 0, "cuts", 3, 3, "1", 1)};
    write_take("a.json", "body", before);
    write_take("b.json", "body", after);
    assert_prints("compare a.json b.json --all", 1,
                  "1 new, 1 worse, 1 better, 0 gone, 0 the same.|new     shirt with itself|worse   "
                  "shirt and body|8 to 27|better  shirt and body|0 to 6");
    assert_prints("compare a.json b.json --json -", 1,
                  "\"new\": 1|\"gone\": 0|\"changes\": [|\"change\": \"new\"|\"before\": null");
}

static void test_a_real_check(void** state) {
    (void)state;
    write_file("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    write_file("b.obj", "v 0.2 0.2 -1\nv 0.3 0.2 1\nv 0.2 0.3 1\nf 1 2 3\n");
    assert_exit("check a.obj b.obj --events --json a.json", 1);
    write_file("b.obj", "v 0.2 0.2 -5\nv 0.3 0.2 -4\nv 0.2 0.3 -4\nf 1 2 3\n");
    assert_exit("check a.obj b.obj --events --json b.json", 0);
    assert_prints("compare a.json b.json", 0, "0 new, 0 worse, 0 better, 1 gone, 0 the same.");
    assert_prints("compare b.json a.json", 1, "1 new, 0 worse, 0 better, 0 gone, 0 the same.");
}

static void test_hostile_names(void** state) {
    (void)state;
    char text[256];
    const char* events[3] = {event(text, 1, "cuts", 0, 0, "1", 1)};
    const char* none[3] = {NULL};
    write_take("a.json", "</td><script>alert(1)</script>&\\u001b[31m\\u202ex\\n", none);
    write_take("b.json", "</td><script>alert(1)</script>&\\u001b[31m\\u202ex\\n", events);
    outcome o = run_expecting("compare a.json b.json --html page.html", 1);
    assert_null(strchr(o.out, '\033'));
    free_outcome(&o);
    char* page = read_whole("page.html");
    assert_null(strstr(page, "<script"));
    assert_null(strchr(page, '\033'));
    assert_non_null(strstr(page, "&#60;script&#62;alert(1)"));
    assert_non_null(strstr(page, "Content-Security-Policy"));
    free(page);
}

static void test_refuses(void** state) {
    (void)state;
    const char* none[3] = {NULL};
    write_take("a.json", "body", none);
    assert_refuses("compare a.json", "compare needs two files");
    assert_refuses("compare a.json nowhere.json", "nowhere.json cannot be read");
    assert_refuses("compare a.json a.json --html a.json", "a.json");
    static const char* const wrong[] = {
        "",
        "[]",
        "{}",
        "{\"events\": 3}",
        "{\"objects\": [{}], \"events\": []}",
        "{\"objects\": [], \"events\": [{}]}",
        "{\"objects\": [], \"events\": [7]}",
        "{\"objects\": [{\"name\": \"x\"}], \"events\": [{\"a\": 0, \"b\": 1, \"kind\": \"cuts\", "
        "\"first\": 0, \"last\": 0, \"worst\": 0, \"frames\": 1, \"depth\": 1, \"pairs\": 1}]}",
        "{\"objects\": [{\"name\": \"x\"}], \"events\": [{\"a\": 0, \"b\": 0, \"kind\": \"kind\", "
        "\"first\": 0, \"last\": 0, \"worst\": 0, \"frames\": 1, \"depth\": 1, \"pairs\": 1}]}",
        "{\"objects\": [{\"name\": \"x\"}], \"events\": [{\"a\": -1, \"b\": 0, \"kind\": \"cuts\", "
        "\"first\": 0, \"last\": 0, \"worst\": 0, \"frames\": 1, \"depth\": 1, \"pairs\": 1}]}",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        write_file("b.json", wrong[i]);
        assert_refuses("compare a.json b.json", "b.json");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_each_change),  IN_FOLDER(test_events_match_by_their_frames),
        IN_FOLDER(test_a_real_check), IN_FOLDER(test_hostile_names),
        IN_FOLDER(test_refuses),
    };
    return cmocka_run_group_tests_name("command_compare", tests, NULL, NULL);
}
