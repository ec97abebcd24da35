// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A summary in Markdown, with the tables of GitHub: a section for each scene, and in it the worst events. It is
// meant for the summary of a job on a build server ($GITHUB_STEP_SUMMARY) or for a comment.
#ifndef CLI_GATE_MARKDOWN_H
#define CLI_GATE_MARKDOWN_H

#include "cli/gate/scene.h"

#include <stdio.h>

/// Writes a scene. Names are escaped, so that they are no markup.
void markdown_scene(FILE* file, const scene* s);

#endif
