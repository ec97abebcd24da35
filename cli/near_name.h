// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Finds the file that was probably meant, if the name of an object is wrong.
#ifndef CLI_NEAR_NAME_H
#define CLI_NEAR_NAME_H

#include <stdbool.h>

/// If a file of this name is missing, and its folder has an object of a similar name, prints "there is
/// no such file; did you mean ...?" and returns true. Of "mesh+cache" both parts are looked at.
/// Patterns and - are left alone.
bool complain_of_name(const char* name);

#endif
