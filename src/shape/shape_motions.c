// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Creating and editing shapes of modal, blend and flight motion: the settings and calls of each.
#include "motion/flight.h"
#include "motion/modal.h"
#include "shape/shape.h"

// ---- modal

abut_modal_def abut_modal_def_default(void) {
    abut_modal_def def;
    memset(&def, 0, sizeof def);
    def.shape = abut_shape_def_default();
    def.cookie = ABUT__COOKIE + ABUT__KIND_MODAL;
    return def;
}

// A shape with proxies is made with its tree, so that they are there to be read.
static abut_status create_modal(abut_context* context, const abut_mesh* mesh,
                                const abut_modal_def* def, abut_shape** shape, abut_error* error) {
    if (shape == NULL) {
        return abut__shape_create_checked(context, mesh, &def->shape, &abut__modal_motion, def,
                                          NULL, error);
    }
    abut_shape* made = NULL;
    abut_status status = abut__shape_create_checked(context, mesh, &def->shape, &abut__modal_motion,
                                                    def, &made, error);
    if (status == ABUT_OK && def->proxy_level > 0) {
        status = abut_shape_build_tree(made, error);
    }
    if (status != ABUT_OK) {
        abut_shape_destroy(made);
        return status;
    }
    *shape = made;
    return ABUT_OK;
}

abut_status abut_shape_create_modal(abut_context* context, const abut_mesh* mesh,
                                    const abut_modal_def* def, abut_shape** shape,
                                    abut_error* error) {
    const abut_modal_def defaults = abut_modal_def_default();
    def = def != NULL ? def : &defaults;
    const abut_status status = abut__check_kind(def->cookie, ABUT__KIND_MODAL, "modal shape",
                                                error);
    return status == ABUT_OK ? create_modal(context, mesh, def, shape, error) : status;
}

abut_modal_edit_def abut_modal_edit_def_default(void) {
    abut_modal_edit_def def;
    memset(&def, 0, sizeof def);
    def.edit = abut_shape_edit_def_default();
    def.cookie = ABUT__COOKIE + ABUT__KIND_MODAL_EDIT;
    return def;
}

static abut_status fail_no_edit(abut_error* error) {
    return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0, "the edit is NULL");
}

abut_status abut_shape_edit_modal(const abut_shape* shape, const abut_modal_edit_def* edit,
                                  abut_shape** edited, abut_edit_work* work, abut_error* error) {
    if (edit == NULL) {
        return fail_no_edit(error);
    }
    const abut_status status = abut__check_kind(edit->cookie, ABUT__KIND_MODAL_EDIT, "modal edit",
                                                error);
    return status == ABUT_OK ? abut__shape_edit_as(shape, &abut__modal_motion, &edit->edit, edit,
                                                   edited, work, error)
                             : status;
}

// ---- blend

abut_blend_def abut_blend_def_default(void) {
    abut_blend_def def;
    memset(&def, 0, sizeof def);
    def.shape = abut_shape_def_default();
    def.cookie = ABUT__COOKIE + ABUT__KIND_BLEND;
    return def;
}

abut_status abut__shape_create_blend(abut_context* context, const abut_mesh* mesh,
                                     const abut_blend_def* def, abut__blend_bound bound,
                                     abut_shape** shape, abut_error* error) {
    if (def == NULL) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "a blend shape needs weights, but its settings are NULL");
    }
    const abut__blend_given given = {def, bound};
    const abut_status status = abut__check_kind(def->cookie, ABUT__KIND_BLEND, "blend shape",
                                                error);
    return status == ABUT_OK ? abut__shape_create_checked(context, mesh, &def->shape,
                                                          &abut__blend_motion, &given, shape, error)
                             : status;
}

abut_status abut_shape_create_blend(abut_context* context, const abut_mesh* mesh,
                                    const abut_blend_def* def, abut_shape** shape,
                                    abut_error* error) {
    return abut__shape_create_blend(context, mesh, def, ABUT__BLEND_BOUND_AUTO, shape, error);
}

abut_blend_edit_def abut_blend_edit_def_default(void) {
    abut_blend_edit_def def;
    memset(&def, 0, sizeof def);
    def.edit = abut_shape_edit_def_default();
    def.cookie = ABUT__COOKIE + ABUT__KIND_BLEND_EDIT;
    return def;
}

abut_status abut_shape_edit_blend(const abut_shape* shape, const abut_blend_edit_def* edit,
                                  abut_shape** edited, abut_edit_work* work, abut_error* error) {
    if (edit == NULL) {
        return fail_no_edit(error);
    }
    const abut_status status = abut__check_kind(edit->cookie, ABUT__KIND_BLEND_EDIT, "blend edit",
                                                error);
    return status == ABUT_OK ? abut__shape_edit_as(shape, &abut__blend_motion, &edit->edit, edit,
                                                   edited, work, error)
                             : status;
}

// ---- flight

abut_flight_def abut_flight_def_default(void) {
    abut_flight_def def;
    memset(&def, 0, sizeof def);
    def.shape = abut_shape_def_default();
    def.cookie = ABUT__COOKIE + ABUT__KIND_FLIGHT;
    return def;
}

abut_status abut_shape_create_flight(abut_context* context, const abut_mesh* mesh,
                                     const abut_flight_def* def, abut_shape** shape,
                                     abut_error* error) {
    const abut_flight_def defaults = abut_flight_def_default();
    def = def != NULL ? def : &defaults;
    const abut_status status = abut__check_kind(def->cookie, ABUT__KIND_FLIGHT, "flight shape",
                                                error);
    return status == ABUT_OK ? abut__shape_create_checked(context, mesh, &def->shape,
                                                          &abut__flight_motion, def, shape, error)
                             : status;
}

abut_flight_edit_def abut_flight_edit_def_default(void) {
    abut_flight_edit_def def;
    memset(&def, 0, sizeof def);
    def.edit = abut_shape_edit_def_default();
    def.cookie = ABUT__COOKIE + ABUT__KIND_FLIGHT_EDIT;
    return def;
}

abut_status abut_shape_edit_flight(const abut_shape* shape, const abut_flight_edit_def* edit,
                                   abut_shape** edited, abut_edit_work* work, abut_error* error) {
    if (edit == NULL) {
        return fail_no_edit(error);
    }
    const abut_status status = abut__check_kind(edit->cookie, ABUT__KIND_FLIGHT_EDIT, "flight edit",
                                                error);
    return status == ABUT_OK ? abut__shape_edit_as(shape, &abut__flight_motion, &edit->edit, edit,
                                                   edited, work, error)
                             : status;
}
