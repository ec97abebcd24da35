// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Shared by the tests of edits: the check of a refused edit.
#ifndef ABUT_TESTS_TEST_EDIT_SUPPORT_H
#define ABUT_TESTS_TEST_EDIT_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/world.h"

// requires that an edit fails with this status and element and changes nothing
static inline void refuse(const abut_shape* shape, const motion_edit_def* def, abut_status status,
                          abut_element element, uint64_t index, const char* what) {
    where("%s", what);
    abut_error error = {0};
    abut_shape* edited = NULL;
    abut_edit_work work = {7, 7, 7, 7, 7, 7};
    REQUIRE_STATUS(motion_edit(shape, def, &edited, &work, &error), status);
    REQUIRE(edited == NULL && work.blocks_built == 7 && work.bounds_reused == 7);
    REQUIRE(error.status == status && error.element == element && error.message[0] != '\0');
    REQUIRE(element == ABUT_ELEMENT_NONE || error.index == index);
    REQUIRE_OK(abut_shape_validate(shape, NULL));
}

#endif  // ABUT_TESTS_TEST_EDIT_SUPPORT_H
