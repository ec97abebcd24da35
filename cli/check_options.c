// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The options of abut check, with their help.
#include "cli/check_options.h"

#include "cli/object.h"
#include "cli/processor.h"

const option_spec check_options[CHECK_OPTIONS] = {
    [CHECK_BETWEEN] = {"between", OPTION_FLAG, NULL, "look for contact between objects"},
    [CHECK_SELF] = {"self", OPTION_FLAG, NULL,
                    "look for contact within each object, between\n"
                    "triangles that share no vertex\n"
                    "[both, if neither is given; one object: --self]"},
    [CHECK_NEIGHBOURS] = {"neighbours", OPTION_FLAG, NULL,
                          "within an object, also report triangles that share\n"
                          "a vertex and overlap beyond it, and triangles that\n"
                          "coincide (implies --self)"},
    [CHECK_SWEEP] = {"sweep", OPTION_FLAG, NULL,
                     "also look for contact between each frame and the\n"
                     "next: vertices with faces, edges with edges"},
    [CHECK_MARGIN] = {"margin", OPTION_NUMBER, "X",
                      "triangles at most X apart count as found (exit\n"
                      "code 1), in the unit of the files [0]"},
    [CHECK_NEAREST] = {"nearest", OPTION_FLAG, NULL,
                       "report how far apart objects are, and where they are\n"
                       "closest: for every two, or, with more than 32 objects,\n"
                       "for each and the one closest to it. Distance 0 is\n"
                       "contact. Other contact is looked for only with\n"
                       "--between, --self, --sweep or --margin"},
    [CHECK_WITHIN] = {"within", OPTION_NUMBER, "D",
                      "as --nearest, but only for objects that are at most D\n"
                      "apart; these count as found (exit code 1)"},
    [CHECK_FEATURES] = {"features", OPTION_FLAG, NULL,
                        "with --within: also the vertices and faces, and the\n"
                        "pairs of edges, that are at most D apart, between\n"
                        "objects, and with --self within them. --csv lists\n"
                        "them, and --json with --pairs"},
    [CHECK_DEPTH] = {"depth", OPTION_FLAG, NULL,
                     "report how deep closed objects are inside each other,\n"
                     "region by region, and the direction that separates\n"
                     "them; with --self also inside themselves. Other contact\n"
                     "is looked for only on request, as with --nearest.\n"
                     "Regions are tracked from frame to frame, so --jobs is\n"
                     "not possible"},
    [CHECK_COMPONENTS] = {"components", OPTION_FLAG, NULL,
                          "split meshes of any format, and sequences of them,\n"
                          "into their connected components: each counts as an\n"
                          "object. Other kinds of objects are refused"},
    [CHECK_EACH] = {"each", OPTION_FLAG, NULL,
                    "every OBJECT is a scene of its own, with its own verdict\n"
                    "and baseline; the exit code is the worst. Baselines\n"
                    "are files in a folder, --html is a list of pages, --csv\n"
                    "has a column with the scene, --vtk a folder for each"},
    [CHECK_IGNORE] = {"ignore", OPTION_LIST, "A,B",
                      "contact between A and B does not count; A alone: within\n"
                      "A. A and B are names of objects, files, nodes, materials\n"
                      "or groups, or patterns such as 'cloth*'. What is ignored\n"
                      "is counted in all outputs. May be given several times"},
    [CHECK_ONLY] = {"only", OPTION_LIST, "A,B",
                    "only contact between A and B counts, the same way"},
    [CHECK_EXPECT] = {"expect", OPTION_LIST, "A,B",
                      "contact between A and B must be there, in every frame:\n"
                      "it does not count as found, and a frame without it does"},
    [CHECK_BASELINE] = {"baseline", OPTION_TEXT, "WHICH",
                        "contact that is known does not count: that at rest\n"
                        "(rest: models without animation, others in their first\n"
                        "frame), that of a frame (its number), or that of a file\n"
                        "(as --write-baseline writes it). What is gone is said"},
    [CHECK_BY] = {"by", OPTION_TEXT, "WHAT",
                  "know contact by two triangles, which are known by their\n"
                  "corners at rest (triangle), or by two connected\n"
                  "components, known by their boxes at rest (component)\n"
                  "[triangle, or as the file has it]"},
    [CHECK_WRITE_BASELINE] = {"write-baseline", OPTION_TEXT, "FILE",
                              "write what counts as contact now to FILE"},
    [CHECK_EVENTS] = {"events", OPTION_FLAG, NULL,
                      "measure contact, and gather that of consecutive frames:\n"
                      "kind, first, last and worst frame, depth, place"},
    [CHECK_INTERVALS] = {"intervals", OPTION_FLAG, NULL,
                         "events also have the times at which contact begins and\n"
                         "ends, between frames: those of the continuous motion of\n"
                         "sequences and of objects that stand still, others by\n"
                         "sweeps (implies --events and --sweep)"},
    [CHECK_FAIL_IF] = {"fail-if", OPTION_TEXT, "CONDITION",
                       "exit code 1 only if an event meets the condition, such\n"
                       "as 'depth > 2mm or pairs > 10 or length > 5 frames'\n"
                       "(implies --events): depth, distance, length, pairs with\n"
                       "> >= < <= = !=; cuts, touches, between, inside, near;\n"
                       "and, or, not, (). Units are mm, cm, m, % (of the\n"
                       "diagonal in the first frame), frames, s"},
    [CHECK_UNITS] = {"units", OPTION_TEXT, "UNIT",
                     "what one unit of the files is: mm, cm or m [glTF: m]"},
    [CHECK_CONFIG] = {"config", OPTION_TEXT, "FILE",
                      "take settings from FILE; none: from no file [.abut.toml,\n"
                      "here or above, up to the folder with .git]"},
    [CHECK_FRAMES] = {"frames", OPTION_RANGE, "A:B",
                      "check frames A to B only, both included. Numbers are\n"
                      "those of the file names, or count from 0; A:, :B and\n"
                      "a single A are allowed [all]"},
    [CHECK_PART] = {"part", OPTION_TEXT, "FILE",
                    "these frames are a part of a run of all frames: write\n"
                    "FILE for 'abut merge'. With --sweep the step to the first\n"
                    "of them is a part of it"},
    [CHECK_RESUME] = {"resume", OPTION_TEXT, "FILE",
                      "continue the run of FILE, if it is there, and keep in it\n"
                      "what is done, about once a second. The outputs are those\n"
                      "of a run without interruption"},
    [CHECK_ANIMATION] = ANIMATION_OPTION,
    [CHECK_FPS] = FPS_OPTION,
    [CHECK_PAIRS] = {"pairs", OPTION_FLAG, NULL,
                     "list the touching triangles and contours in the JSON"},
    [CHECK_JSON] = {"json", OPTION_TEXT, "FILE", "write JSON to FILE; - is the standard output"},
    [CHECK_JSON_LINES] = {"json-lines", OPTION_TEXT, "FILE",
                          "write the same as lines, each at once: the objects,\n"
                          "every frame, the summary"},
    [CHECK_JUNIT] = {"junit", OPTION_TEXT, "FILE",
                     "write JUnit XML: a test case for each event (implies\n"
                     "--events)"},
    [CHECK_SARIF] = {"sarif", OPTION_TEXT, "FILE",
                     "write SARIF 2.1.0: a result for each event (implies\n"
                     "--events)"},
    [CHECK_MARKDOWN] = {"markdown", OPTION_TEXT, "FILE",
                        "write a summary in Markdown, with the worst events, for\n"
                        "the page of a job on a build server (implies --events)"},
    [CHECK_CSV] = {"csv", OPTION_TEXT, "FILE",
                   "write everything found to FILE, one row each: pairs,\n"
                   "contacts between frames, distances, features, regions,\n"
                   "objects inside others; the column \"kind\" says which;\n"
                   "- is the standard output"},
    [CHECK_VTK] = {"vtk", OPTION_TEXT, "FOLDER",
                   "write surfaces, shared segments, contacts between\n"
                   "frames, distances and separating translations to\n"
                   "FOLDER, for ParaView: open contacts.pvd there"},
    [CHECK_HTML] = {"html", OPTION_TEXT, "FILE",
                    "write a report to FILE: a page that shows the objects\n"
                    "in motion and where they touch, for any browser;\n"
                    "- is the standard output"},
    [CHECK_QUIET] = {"quiet", OPTION_FLAG, NULL, "print no table; the exit code is the answer"},
    [CHECK_VERBOSE] = {"verbose", OPTION_FLAG, NULL,
                       "also report the work, in the table and the JSON:\n"
                       "times and counters, which differ from run to run"},
    [CHECK_JOBS] = {"jobs", OPTION_WHOLE, "N",
                    "check N frames at a time, with one thread each\n"
                    "instead of --threads; the answer is the same. Not\n"
                    "possible with --depth [1]"},
    [CHECK_THREADS] = THREADS_OPTION,
    [CHECK_NO_CACHE] = {"no-cache", OPTION_FLAG, NULL,
                        "neither use nor keep prepared shapes: see 'abut help\n"
                        "cache'"},
};
