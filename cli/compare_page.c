// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Writes the page of 'abut compare': see compare_page.h.
#include "cli/compare_page.h"

#include "io/clean.h"

#include <math.h>
#include <string.h>

static const char style[] =
    "<style>:root{--ground:#f4f5f7;--card:#fff;--line:#d5d9e0;--ink:#1b2230;--faint:#5b6478;"
    "--new:#c81e31;--worse:#a8560a;--better:#18713f;--gone:#2962c4;--same:#5b6478}"
    "@media (prefers-color-scheme:dark){:root{--ground:#12151b;--card:#1b2029;--line:#3a4353;"
    "--ink:#e8ebf1;--faint:#a3adbf;--new:#ff7783;--worse:#ffab61;--better:#5fcf8f;--gone:#7fb0ff;"
    "--same:#a3adbf}}"
    "body{margin:0;padding:24px;background:var(--ground);color:var(--ink);"
    "font:15px/1.45 system-ui,sans-serif}h1{font-size:22px;margin:0 0 4px}"
    "p{margin:0 0 16px;color:var(--faint)}.sums{display:flex;flex-wrap:wrap;gap:10px;"
    "margin:0 0 16px}.sums span{padding:6px 12px;border:1px solid var(--line);border-radius:6px;"
    "background:var(--card)}table{border-collapse:collapse;width:100%;background:var(--card)}"
    "th,td{padding:6px 10px;border:1px solid var(--line);text-align:left;vertical-align:middle}"
    "th{font-weight:600;color:var(--faint)}td.n{text-align:right;"
    "font-variant-numeric:tabular-nums}td b{font-weight:600}"
    ".new{color:var(--new)}.worse{color:var(--worse)}.better{color:var(--better)}"
    ".gone{color:var(--gone)}.same{color:var(--same)}svg{display:block;width:220px;height:22px}"
    ".wide{overflow-x:auto}@media (max-width:640px){body{padding:12px}th,td{padding:5px 7px}"
    "td:nth-child(2){overflow-wrap:anywhere;min-width:8em}}"
    "</style>";

// Text of strangers: characters of HTML as references, and those that steer or reorder text as '?'.
static void put_text(FILE* file, const char* text) {
    for (const char* at = text; *at != '\0';) {
        uint32_t code;
        const size_t size = io_character(at, &code);
        if (code == UINT32_MAX || io_is_control(code)) {
            fputc('?', file);
        } else if (strchr("&<>\"'", *at) != NULL) {
            fprintf(file, "&#%d;", *at);
        } else {
            fwrite(at, 1, size, file);
        }
        at += size;
    }
}

static void put_depth(FILE* file, const take_event* e) {
    if (e == NULL) {
        fputs("<td>", file);
    } else if (isnan(e->depth)) {
        fputs("<td class=n>?", file);
    } else {
        fprintf(file, "<td class=n>%.4g", e->depth);
    }
}

static void put_frames(FILE* file, const take_event* e) {
    if (e == NULL) {
        fputs("<td>", file);
    } else if (e->first == e->last) {
        fprintf(file, "<td class=n>%llu", (unsigned long long)e->first);
    } else {
        fprintf(file, "<td class=n>%llu to %llu", (unsigned long long)e->first,
                (unsigned long long)e->last);
    }
}

static void put_kind(FILE* file, const take_event* e) {
    fputs("<td>", file);
    if (e != NULL) {
        put_text(file, e->kind);
        fputs(e->fails ? ", fails" : "", file);
    }
}

// Both events as bars over all frames, the one before above.
static void put_bars(FILE* file, const change* c, uint64_t first, uint64_t last) {
    const take_event* events[2] = {c->before, c->after};
    const double all = (double)(last - first) + 1;
    fputs("<td><svg viewBox=\"0 0 220 22\" aria-hidden=true>", file);
    for (int i = 0; i < 2; ++i) {
        const take_event* e = events[i];
        fprintf(file, "<rect x=0 y=%d width=220 height=8 fill=\"var(--ground)\"/>", 2 + 10 * i);
        if (e != NULL) {
            const double x = 220 * (double)(e->first - first) / all;
            const double width = fmax(2, 220 * ((double)(e->last - e->first) + 1) / all);
            fprintf(file, "<rect x=%.2f y=%d width=%.2f height=8 fill=\"var(--%s)\"/>", x,
                    2 + 10 * i, width, i == 0 ? "faint" : change_name(c->kind));
        }
    }
    fputs("</svg>", file);
}

static void put_row(FILE* file, const change* c, uint64_t first, uint64_t last) {
    const take_event* e = c->after != NULL ? c->after : c->before;
    fprintf(file, "<tr><td class=%s><b>%s</b><td>", change_name(c->kind), change_name(c->kind));
    put_text(file, e->a);
    if (strcmp(e->a, e->b) != 0) {
        fputs(" and ", file);
        put_text(file, e->b);
    } else {
        fputs(" with itself", file);
    }
    put_kind(file, c->before);
    put_kind(file, c->after);
    put_depth(file, c->before);
    put_depth(file, c->after);
    put_frames(file, c->before);
    put_frames(file, c->after);
    put_bars(file, c, first, last);
    fputs("</tr>\n", file);
}

static void put_sums(FILE* file, const change* changes, size_t count) {
    size_t sums[CHANGES] = {0};
    for (size_t i = 0; i < count; ++i) {
        ++sums[changes[i].kind];
    }
    fputs("<div class=sums>", file);
    for (int k = 0; k < CHANGES; ++k) {
        fprintf(file, "<span class=%s><b>%zu</b> %s</span>", change_name((change_kind)k), sums[k],
                change_name((change_kind)k));
    }
    fputs("</div>\n", file);
}

void compare_page(FILE* file, const take* before, const take* after, const change* changes,
                  size_t count) {
    const uint64_t first = before->first < after->first ? before->first : after->first;
    const uint64_t last = before->last > after->last ? before->last : after->last;
    fputs(
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport "
        "content=\"width=device-width\"><meta http-equiv=\"Content-Security-Policy\" "
        "content=\"default-src 'none'; style-src 'unsafe-inline'\"><title>Two takes</title>",
        file);
    fputs(style, file);
    fputs("<h1>Two takes</h1><p>Before: ", file);
    put_text(file, before->path);
    fputs(". After: ", file);
    put_text(file, after->path);
    fputs(".</p>\n", file);
    put_sums(file, changes, count);
    fputs(
        "<div class=wide><table><thead><tr><th rowspan=2>change<th rowspan=2>which<th "
        "colspan=2>kind<th "
        "colspan=2>depth<th colspan=2>frames<th rowspan=2>before above, after below</tr><tr>"
        "<th>before<th>after<th>before<th>after<th>before<th>after</tr></thead><tbody>\n",
        file);
    for (size_t i = 0; i < count; ++i) {
        put_row(file, &changes[i], first, last);
    }
    fputs("</tbody></table></div></html>\n", file);
}
