// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A hash of the inputs of a check: of the contents of all files that its objects name, in their order, and of
// the baseline. Names and dates do not matter.
#ifndef CLI_FARM_INPUTS_H
#define CLI_FARM_INPUTS_H

#include "cli/farm/part_seal.h"

/// Hashes the inputs noted since `mark` (io_input_mark()), and one more file, which may be NULL. False after
/// an error message.
bool inputs_sum(size_t mark, const char* more, char sum[SUM_SIZE + 1]);

#endif
