// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The tests include <setjmp.h> for cmocka. The cmocka.h beside this file needs nothing of it.
