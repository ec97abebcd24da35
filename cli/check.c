// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// abut check: finds which triangles of the objects touch, frame by frame. check_job.h does it.
#include "cli/check_job.h"
#include "cli/check_options.h"
#include "cli/command.h"
#include "cli/gate/config.h"
#include "cli/message.h"
#include "cli/object.h"

static int run_all(const arguments* given, const char* settings) {
    const option_value* v = given->values;
    check_shared all = {.each = v[CHECK_EACH].given,
                        .settings = settings,
                        .json_path = v[CHECK_JSON].text,
                        .lines_path = v[CHECK_JSON_LINES].text,
                        .junit_path = v[CHECK_JUNIT].text,
                        .sarif_path = v[CHECK_SARIF].text,
                        .markdown_path = v[CHECK_MARKDOWN].text,
                        .csv_path = v[CHECK_CSV].text,
                        .html_path = v[CHECK_HTML].text};
    if (all.each && (v[CHECK_PART].given || v[CHECK_RESUME].given)) {
        return complain("--each does not go with --%s: a part is one of one scene",
                        v[CHECK_PART].given ? "part" : "resume");
    }
    int code = all.each && given->plain_count != 0
                   ? shared_run_each(&all, given, !v[CHECK_QUIET].given, check_scene)
                   : check_scene(&all, given, 1);
    if (all.open && (code != EXIT_FAILED || all.each) && !shared_close(&all)) {
        code = EXIT_FAILED;
    }
    shared_drop(&all);
    return code;
}

static int run(const arguments* given) {
    config settings = {0};
    const bool read = config_read(&settings, &given->values[CHECK_CONFIG], "check", check_options,
                                  CHECK_OPTIONS, given);
    const int code = read ? run_all(&settings.merged, settings.path) : EXIT_FAILED;
    config_free(&settings);
    return code;
}

const command check_command = {
    .name = "check",
    .summary = "find which triangles touch, or how far apart objects are",
    .usage = "check OBJECT... [options]",
    .about = OBJECT_HELP
    "\n"
    "The longest animation sets the number of frames; a shorter one stays at its last frame.\n"
    "The answer is exact: touching in a single point counts as contact, and every reported\n"
    "pair touches. Vertices of an object that are at the same place at rest, and move\n"
    "alike, count as one vertex. With --sweep vertices move on straight lines from frame to\n"
    "frame, and no contact between frames is missed; features that come within 1e-6 of an\n"
    "edge length may be reported, too. An open surface has no depth: --depth says so, and\n"
    "how many pairs touch. An object wholly inside another one is reported; it counts as\n"
    "contact with --depth only.\n"
    "Files are written at the very end: Ctrl-C or a failure leaves old files unchanged.",
    .options = check_options,
    .option_count = CHECK_OPTIONS,
    .examples =
        "abut check shirt.obj                        does the shirt cut itself?\n"
        "abut check fox.glb --animation all          does the fox, in any of its animations?\n"
        "abut check 'cloth_*.ply' ball.obj --between --json contacts.json --pairs\n"
        "abut check 'cloth_*.ply' --self --sweep     does it pass through itself in between?\n"
        "abut check robot.obj room.obj --nearest     how far is it from the walls?\n"
        "abut check hand.obj --self --depth          how deep is a finger in the palm?\n"
        "abut check shot.glb --ignore 'hair*,head' --expect foot,floor",
    .exits =
        "0 nothing found, 1 contact, objects within D, or missing expected contact (with\n"
        "--fail-if: an event meets the condition), 2 it could not be checked",
    .run = run,
};
