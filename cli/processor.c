// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Chooses the number of threads and the instruction set: see processor.h.
#include "cli/processor.h"

#include "cli/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_THREADS 1024  // the library's limit

static bool is_available(abut_isa isa) {
    abut_context* context = NULL;
    abut_context_def def = abut_context_def_default();
    def.isa = isa;
    const bool available = abut_context_create(&def, &context, NULL) == ABUT_OK;
    abut_context_destroy(context);
    return available;
}

static bool is_known(int isa) {
    return strcmp(abut_isa_name((abut_isa)isa), "unknown") != 0;
}

static bool choose_isa(abut_context_def* def) {
    const char* wish = getenv("ABUT_ISA");
    char list[128] = "";
    if (wish == NULL || wish[0] == '\0') {
        return true;
    }
    for (int isa = ABUT_ISA_BEST; is_known(isa); ++isa) {
        const char* name = abut_isa_name((abut_isa)isa);
        const size_t used = strlen(list);
        if (!is_available((abut_isa)isa)) {
            continue;
        }
        if (strcmp(wish, name) == 0) {
            def->isa = (abut_isa)isa;
            return true;
        }
        if (isa != ABUT_ISA_BEST) {
            snprintf(list + used, sizeof list - used, "%s%s", used != 0 ? ", " : "", name);
        }
    }
    complain("ABUT_ISA is '%s', which is not an instruction set of this machine; it has: %s", wish,
             list);
    return false;
}

bool processor_settings(uint32_t wanted, abut_context_def* def, abut_threads** pool) {
    *def = abut_context_def_default();
    if (wanted > MOST_THREADS) {
        complain("--threads %u: at most %d are possible", wanted, MOST_THREADS);
        return false;
    }
    if (!choose_isa(def)) {
        return false;
    }
    if (wanted != 1) {
        abut_error error;
        if (abut_threads_create(wanted, pool, &error) != ABUT_OK) {
            complain("%s", error.message);
            return false;
        }
        def->tasks = abut_threads_tasks(*pool);
    }
    return true;
}
