// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The WebAssembly module of the npm package: the library behind functions whose arguments are
// numbers, as JavaScript calls them. Pointers are addresses in the module's memory. A body is given
// by the index and the generation of its id. A call that can fail returns 0 or NULL after a failure,
// and web_error() has the reason.
#ifndef ABUT_WEB_MODULE_H
#define ABUT_WEB_MODULE_H

#include <abut/abut.h>

// Exports a function under its name. JavaScript calls it, and nothing in C, so it has no declaration.
#pragma clang diagnostic ignored "-Wmissing-prototypes"
#define WEB(name) __attribute__((export_name(#name))) name

// The module's only state: its context, made by the first call that needs it, and the last error.
abut_context* web_context(void);
abut_error* web_last_error(void);

static inline bool web_ok(abut_status status) {
    return status == ABUT_OK;
}
static inline abut_body_id web_body(uint32_t index, uint32_t generation) {
    return (abut_body_id){index, generation};
}
static inline abut_positions web_positions(const void* data, size_t count, int is_double) {
    return is_double != 0 ? abut_positions_f64(data, count) : abut_positions_f32(data, count);
}

#endif
