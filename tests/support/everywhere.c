// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT

#include "support/everywhere.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/world.h"

abut_isa isa_of(int set) {
#if defined(__wasm__)
    static const abut_isa all[ISA_SETS] = {ABUT_ISA_SCALAR, ABUT_ISA_SIMD128};
#else
    static const abut_isa all[ISA_SETS] = {ABUT_ISA_SCALAR, ABUT_ISA_AVX2, ABUT_ISA_AVX512};
#endif
    return all[set];
}

const abut__kernels* kernels_of(int set) {
    abut_isa isa = isa_of(set);
    const abut__kernels* kernels = abut__kernels_choose(&isa);
    return isa == isa_of(set) ? kernels : NULL;
}

static everywhere begin(const uint32_t* workers, uint64_t shuffle, bool cross) {
    everywhere e = {.list = workers, .shuffle = shuffle, .cross = cross};
    FOR_EACH_KERNELS(set, kernels) {
        e.sets[e.set_count++] = isa_of(set);
    }
    while (workers[e.worker_count] != 0) {
        ++e.worker_count;
    }
    return e;
}

everywhere everywhere_each(const uint32_t* workers, uint64_t shuffle) {
    return begin(workers, shuffle, false);
}

everywhere everywhere_cross(const uint32_t* workers, uint64_t shuffle) {
    return begin(workers, shuffle, true);
}

// sets up the present run; false behind the last
static bool choose(everywhere* e) {
    const uint32_t run = e->next++;
    e->first = run == 0;
    if (e->cross) {
        const bool some = run < e->worker_count * e->set_count;
        e->workers = some ? e->list[run / e->set_count] : 0;
        e->isa = e->sets[run % e->set_count];
        e->same_set = e->isa == e->sets[0];
        return some;
    }
    const bool sets = run > e->worker_count;
    e->workers = run == 0 || sets ? 0 : e->list[run - 1];
    e->same_set = !sets;
    e->isa = ABUT_ISA_BEST;
    if (sets && run - e->worker_count - 1 < e->set_count) {
        e->isa = e->sets[run - e->worker_count - 1];
    }
    return run < 1 + e->worker_count + e->set_count;
}

bool everywhere_next(everywhere* e) {
    if (e->threads != NULL) {
        threads_destroy(e->threads);
        e->threads = NULL;
    }
    if (!choose(e)) {
        return false;
    }
    e->def = abut_context_def_default();
    e->def.isa = e->isa;
    if (e->workers > 0) {
        e->threads = threads_create(e->workers, e->workers > 1 ? e->shuffle : 0);
        e->def.tasks = threads_tasks(e->threads);
    }
    snprintf(e->text, sizeof e->text, "%u workers, %s", e->workers, abut_isa_name(e->isa));
    return true;
}

bool reference_same(reference* r, const void* bytes, size_t size) {
    if (!r->known) {
        r->bytes = test_alloc(size + 1, 1);
        memcpy(r->bytes, bytes != NULL ? bytes : "", bytes != NULL ? size : 0);
        r->size = size;
        r->known = true;
    }
    if (bytes == NULL) {
        return size == 0 && r->size == 0;
    }
    return size == r->size && memcmp(bytes, r->bytes, size) == 0;
}

void reference_free(reference* r) {
    free(r->bytes);
    *r = (reference){0};
}
