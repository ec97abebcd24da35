// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Fronts: the entries where a traversal ended, from which the next one starts. If the budget ran
// out and nothing has changed since, the pending entries are continued. Otherwise a new step
// begins: parents that now stop replace their entries, then all entries are tested again and opened
// where they overlap. A front covers all pairs at any time, whatever the bodies do.
//
// Where the motion of bodies is known ahead, a kinetic list (separation_list.h) replaces the
// entries: it computes when it must be examined again. Budgets apply to entries only.
#include "query/front_size.h"
#include "query/separation_list.h"

typedef struct abut__front_job {
    abut_body_id a;
    abut_body_id b;
    uint64_t serial_a;  // of the shapes that the entries belong to
    uint64_t serial_b;
    uint64_t change_a;  // of the bodies when the entries were made
    uint64_t change_b;
    size_t first;
    size_t count;
    abut__list* list;  // replaces the entries; NULL: none
} abut__front_job;

// A list that is not in use, with the bodies it was made for: it has the right size for them.
typedef struct abut__front_spare {
    uint32_t body[2];
    abut__list* list;
} abut__front_spare;

// stores a list for later use, or frees it without memory to do so
static void store_spare(abut_front* front, abut__list* list) {
    if (list == NULL) {
        return;
    }
    abut__front_spare* place = abut__push(front->context, &front->spare, 1);
    if (place == NULL) {
        abut__list_free(list);
        return;
    }
    abut__list_empty(list);
    *place = (abut__front_spare){{list->owner[0], list->owner[1]}, list};
}

// returns a list for two bodies: their last one, or another spare one, or a new one; NULL: no
// memory
static abut__list* take_list(abut_front* front, const abut__job* job) {
    abut__front_spare* spare = front->spare.data;
    const size_t count = front->spare.count;
    size_t at = count;
    for (size_t i = 0; i < count; ++i) {
        if (at == count || (spare[i].body[0] == job->view[0].body->index &&
                            spare[i].body[1] == job->view[1].body->index)) {
            at = i;
        }
    }
    abut__list* list = at < count ? spare[at].list
                                  : abut__list_make(front->context, ABUT__LIST_BATCHED);
    if (at < count) {
        spare[at] = spare[count - 1];
        --front->spare.count;
    }
    if (list != NULL) {
        list->owner[0] = job->view[0].body->index;
        list->owner[1] = job->view[1].body->index;
    }
    return list;
}

const char* abut__front_conflict(const abut_scene* scene, const abut_front* front,
                                 uint64_t budget) {
    return front != NULL && front->context != scene->context
               ? "the front belongs to another context than the scene"
           : budget > 0 && front == NULL ? "a budget needs a front to continue from"
                                         : NULL;
}

abut_status abut_front_create(abut_context* context, abut_front** front, abut_error* error) {
    if (context == NULL || front == NULL) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "context and the place for the front must not be NULL");
    }
    abut_front* made = abut__alloc_zero(context, 1, sizeof *made);
    if (made == NULL) {
        return abut__fail_memory(error);
    }
    made->context = context;
    *front = made;
    return ABUT_OK;
}

void abut_front_destroy(abut_front* front) {
    if (front != NULL) {
        const abut_context* context = front->context;
        abut_front_clear(front);
        abut__drop(context, &front->spare);
        abut__drop(context, &front->lists);
        abut__drop(context, &front->jobs);
        abut__drop(context, &front->entries);
        abut__free(context, front, 1, sizeof *front);
    }
}

// releases lists of a query that did not complete
static void drop_lists(abut_front* front) {
    for (size_t j = 0; j < front->lists.count; ++j) {
        store_spare(front, front->lists.data[j]);
    }
    front->lists.count = 0;
}

// drops everything but the lists of the current query
static void clear_entries(abut_front* front) {
    for (size_t j = 0; j < front->jobs.count; ++j) {
        store_spare(front, front->jobs.data[j].list);
    }
    front->jobs.count = front->entries.count = front->pending = 0;
}

void abut_front_clear(abut_front* front) {
    drop_lists(front);
    clear_entries(front);
    for (size_t i = 0; i < front->spare.count; ++i) {
        abut__list_free(front->spare.data[i].list);
    }
    front->spare.count = 0;
}

size_t abut__front_size(const abut_front* front) {
    const abut__front_job* jobs = front->jobs.data;
    size_t size = front->entries.count;
    for (size_t j = 0; j < front->jobs.count; ++j) {
        size += jobs[j].list != NULL ? jobs[j].list->entry_count : 0;
    }
    return size;
}

size_t abut_front_pending(const abut_front* front) {
    return front->pending;
}

static bool same_id(abut_body_id id, const abut__body* body) {
    return id.index == body->index && id.generation == body->generation;
}

// returns the front's part of a job, perhaps of other shapes; NULL: none
static abut__front_job* find_bodies(const abut__run* run, const abut_front* front,
                                    const abut__job* job) {
    if (front->scene != run->scene->serial) {
        return NULL;
    }
    abut__front_job* jobs = front->jobs.data;
    const uint64_t key = (uint64_t)job->view[0].body->index << 32 | job->view[1].body->index;
    size_t lo = 0;
    size_t hi = front->jobs.count;
    while (lo < hi) {
        const size_t middle = lo + (hi - lo) / 2;
        if (((uint64_t)jobs[middle].a.index << 32 | jobs[middle].b.index) < key) {
            lo = middle + 1;
        } else {
            hi = middle;
        }
    }
    return lo < front->jobs.count && same_id(jobs[lo].a, job->view[0].body) &&
                   same_id(jobs[lo].b, job->view[1].body)
               ? &jobs[lo]
               : NULL;
}

// returns the front's part of a job; NULL: none, or of another shape
static abut__front_job* find_job(const abut__run* run, const abut_front* front,
                                 const abut__job* job) {
    abut__front_job* known = find_bodies(run, front, job);
    return known != NULL && known->serial_a == job->view[0].shape->serial &&
                   known->serial_b == job->view[1].shape->serial
               ? known
               : NULL;
}

static bool same_query(const abut_front* front, const abut__settings* def) {
    return front->margin == def->margin && front->features == def->features &&
           front->neighbours == def->include_neighbours && front->filter.fn == def->filter.fn &&
           front->filter.user == def->filter.user;
}

// whether pending entries can be continued: the same query and jobs, and nothing moved
static bool can_resume(const abut__run* run, const abut_front* front, size_t job_count) {
    if (front->pending == 0 || !same_query(front, run->def) || front->jobs.count != job_count) {
        return false;
    }
    for (size_t j = 0; j < job_count; ++j) {
        const abut__front_job* known = find_job(run, front, &run->jobs[j]);
        if (known == NULL || known->change_a != run->jobs[j].view[0].body->change ||
            known->change_b != run->jobs[j].view[1].body->change) {
            return false;
        }
    }
    return true;
}

static abut_status add_seed(const abut__run* run, abut__workspace* work, abut__entry entry) {
    abut__entry* place = abut__push(run->context, &work->seeds, 1);
    if (place == NULL) {
        return ABUT_ERR_NO_MEMORY;
    }
    *place = entry;
    return ABUT_OK;
}

static abut_status resume_job(const abut__run* run, abut__workspace* work, uint32_t job,
                              const abut__front_job* known) {
    const abut__entry* entries = run->def->front->entries.data + known->first;
    for (size_t i = 0; i < known->count; ++i) {
        const bool pending = (entries[i].flags & ABUT__ENTRY_PENDING) != 0;
        const abut__entry seed = {job, entries[i].a, entries[i].b,
                                  pending ? ABUT__ENTRY_TEST : ABUT__ENTRY_STOPPED};
        const abut_status status = add_seed(run, work, seed);
        if (status != ABUT_OK) {
            return status;
        }
    }
    return ABUT_OK;
}

static bool same_entry(const abut__entry* x, const abut__entry* y) {
    return x->a == y->a && x->b == y->b;
}

static bool is_under(const abut__job* job, abut__entry entry, const abut__entry* ancestor) {
    const uint32_t level = abut__entry_level(job, ancestor);
    while (abut__entry_level(job, &entry) > level) {
        abut__entry parent;
        if (!abut__entry_parent(job, &entry, &parent)) {
            return false;
        }
        entry = parent;
    }
    return same_entry(&entry, ancestor);
}

// returns the highest ancestor such that it and all between stop
static abut__entry stopped_ancestor(const abut__run* run, abut__worker* worker, abut__entry entry) {
    const abut__job* job = &run->jobs[entry.job];
    abut__entry parent;
    while (abut__entry_parent(job, &entry, &parent) && abut__entry_stops(run, worker, &parent)) {
        entry = parent;
    }
    return entry;
}

// Parents that stop replace everything below them.
static abut_status coarsen_job(const abut__run* run, abut__workspace* work, uint32_t job_index,
                               const abut__front_job* known) {
    const abut__job* job = &run->jobs[job_index];
    const abut__entry* entries = run->def->front->entries.data + known->first;
    const size_t begin = work->seeds.count;
    abut__entry last_father = {0};
    bool last_stays = false;
    for (size_t i = 0; i < known->count;) {
        abut__entry entry = {job_index, entries[i].a, entries[i].b, ABUT__ENTRY_TEST};
        abut__entry parent;
        const bool has_parent = abut__entry_parent(job, &entry, &parent);
        const bool known_to_stay = last_stays && has_parent && same_entry(&parent, &last_father);
        abut__entry top = entry;
        if (has_parent && !known_to_stay) {
            top = stopped_ancestor(run, &run->workers[0], entry);
            last_father = parent;
            last_stays = same_entry(&top, &entry);
        }
        ++i;
        if (!same_entry(&top, &entry)) {
            while (work->seeds.count > begin &&
                   is_under(job, work->seeds.data[work->seeds.count - 1], &top)) {
                --work->seeds.count;
            }
            while (i < known->count &&
                   is_under(job, (abut__entry){job_index, entries[i].a, entries[i].b, 0}, &top)) {
                ++i;
            }
            top.flags = ABUT__ENTRY_STOPPED;
        }
        const abut_status status = add_seed(run, work, top);
        if (status != ABUT_OK) {
            return status;
        }
    }
    return ABUT_OK;
}

// Brings the job's list to the current state; NULL: it has none, or there is no memory for it.
static abut__list* list_at_present(const abut__run* run, const abut__job* job,
                                   abut__front_job* known) {
    const bool rests[2] = {known != NULL && known->change_a == job->view[0].body->change,
                           known != NULL && known->change_b == job->view[1].body->change};
    abut__list_side sides[2];
    abut__list* list = known != NULL ? known->list : NULL;
    if (known != NULL) {
        known->list = NULL;
    }
    if (abut__list_fits(job, rests, sides)) {
        list = list != NULL ? list : take_list(run->def->front, job);
        if (list != NULL &&
            abut__list_go(list, job, job->margin, sides, &run->workers[0].reader.counters)) {
            return list;
        }
        abut__list_free(list);  // no memory: it may be inconsistent
        return NULL;
    }
    store_spare(run->def->front, list);
    return NULL;
}

static abut_status bring_lists(abut__run* run, abut__workspace* work) {
    abut_front* front = run->def->front;
    drop_lists(front);
    if (!abut__reserve(run->context, &front->lists, work->jobs.count)) {
        return ABUT_ERR_NO_MEMORY;
    }
    abut__list** lists = front->lists.data;
    for (size_t j = 0; j < work->jobs.count; ++j) {
        // lists check their shapes themselves
        lists[j] = list_at_present(run, &run->jobs[j], find_bodies(run, front, &run->jobs[j]));
        work->jobs.data[j].listed = lists[j] != NULL;
        front->lists.count = j + 1;
    }
    return ABUT_OK;
}

abut_status abut__front_seeds(abut__run* run, abut__workspace* work) {
    const abut_front* front = run->def->front;
    const bool resume = front != NULL && can_resume(run, front, work->jobs.count);
    work->seeds.count = 0;
    if (front != NULL) {
        drop_lists(run->def->front);
        if (!resume && run->def->budget == 0) {
            const abut_status status = bring_lists(run, work);
            if (status != ABUT_OK) {
                return status;
            }
        }
    }
    for (uint32_t j = 0; j < work->jobs.count; ++j) {
        const abut__front_job* known = front != NULL ? find_job(run, front, &run->jobs[j]) : NULL;
        abut__list* list = front != NULL && j < front->lists.count ? front->lists.data[j] : NULL;
        abut_status status = ABUT_OK;
        if (list != NULL) {
            status = abut__list_leaves(list, &run->jobs[j], j, &work->seeds) ? ABUT_OK
                                                                             : ABUT_ERR_NO_MEMORY;
        } else if (known == NULL || known->count == 0) {
            // opening the roots costs no more than comparing the boxes around all their children
            const uint32_t flags = run->keep ? ABUT__ENTRY_TEST : 0;
            status = add_seed(run, work, (abut__entry){j, 0, 0, flags});
        } else {
            status = resume ? resume_job(run, work, j, known) : coarsen_job(run, work, j, known);
        }
        if (status != ABUT_OK) {
            return status;
        }
    }
    return ABUT_OK;
}

// copies the entries of all tasks in order; jobs are consecutive
static abut_status copy_entries(abut__run* run, uint32_t task_count) {
    abut_front* front = run->def->front;
    for (uint32_t t = 0; t < task_count; ++t) {
        const abut__task* task = &run->tasks[t];
        const abut__entry* kept = task->kept.data;
        for (size_t i = 0; i < task->kept.count; ++i) {
            abut__entry* place = abut__push(run->context, &front->entries, 1);
            if (place == NULL) {
                return ABUT_ERR_NO_MEMORY;
            }
            *place = kept[i];
            front->pending += (kept[i].flags & ABUT__ENTRY_PENDING) != 0;
            ++front->jobs.data[kept[i].job].count;
        }
    }
    return ABUT_OK;
}

abut_status abut__front_keep(abut__run* run, abut__workspace* work, uint32_t task_count) {
    abut_front* front = run->def->front;
    // lists are up to date before the descent, which need not be complete
    const bool whole = !(work->stopped || (run->def->any && work->found));
    clear_entries(front);
    front->margin = run->def->margin;
    front->features = run->def->features;
    front->neighbours = run->def->include_neighbours;
    front->filter = run->def->filter;
    front->scene = run->scene->serial;
    if (!abut__reserve(run->context, &front->jobs, work->jobs.count)) {
        return ABUT_ERR_NO_MEMORY;
    }
    abut__front_job* jobs = front->jobs.data;
    abut__list* const* lists = front->lists.data;
    for (size_t j = 0; j < work->jobs.count; ++j) {
        const abut__job* job = &run->jobs[j];
        jobs[j] = (abut__front_job){{job->view[0].body->index, job->view[0].body->generation},
                                    {job->view[1].body->index, job->view[1].body->generation},
                                    job->view[0].shape->serial,
                                    job->view[1].shape->serial,
                                    job->view[0].body->change,
                                    job->view[1].body->change,
                                    0,
                                    0,
                                    j < front->lists.count ? lists[j] : NULL};
    }
    front->jobs.count = work->jobs.count;
    front->lists.count = 0;
    const abut_status status = copy_entries(run, whole ? task_count : 0);
    if (status != ABUT_OK) {
        abut_front_clear(front);
        return status;
    }
    size_t first = 0;
    for (size_t j = 0; j < front->jobs.count; ++j) {
        jobs[j].first = first;
        first += jobs[j].count;
    }
    return front->pending > 0 ? ABUT_INCOMPLETE : ABUT_OK;
}
