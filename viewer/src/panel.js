// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The text beside the picture: the verdict, the findings of the frame, which bodies touch which, and the
// work if the page has it.
import { colourOf } from './stage.js';
import { chip, element, four, make, note, number, opener, row, some } from './words.js';

const MOST_ROWS = 100; // pairs of bodies in the list
const MOST_TRIANGLES = 60; // of an expanded row
export class Panel {
    constructor(data, stage, { onPick, onBodies, onContour }) {
        this.data = data;
        this.stage = stage;
        this.onPick = onPick;
        this.onContour = onContour;
        this.rows = [];
        this.current = -1; // the selected row
        this.triangles = data.info.chunks[0]?.meshes.reduce((n, m) => n + data.info.meshes[m].triangles, 0) ?? 0;
        element('title').textContent = data.info.title;
        document.title = `${data.info.title} - abut`;
        this.#verdict();
        this.#bodies(onBodies);
        const size = document.documentElement.outerHTML.length / 1e6;
        element('about').textContent = `abut ${data.info.abut}, ${size.toFixed(1)} MB`;
    }

    // ---- about all frames

    #verdict() {
        if (this.data.live) {
            this.#verdictSoFar();
            return;
        }
        const { verdict, contact } = this.data.info;
        element('verdict').replaceChildren(make('b', { textContent: verdict, className: contact ? 'hit' : 'clear' }), `. ${some(this.triangles, 'triangle', 'triangles')}.`);
        note('remarks', this.#remarks().join(' '));
    }

    // of a page that plays while it is checked
    #verdictSoFar() {
        const { data } = this;
        const touching = data.frames.filter((_, f) => data.touches(f)).length;
        element('verdict').replaceChildren(make('b', { textContent: `Contact in ${number(touching)}`, className: touching > 0 ? 'hit' : '' }),
            ` of ${number(data.checkedCount)} frames checked so far. ${some(this.triangles, 'triangle', 'triangles')}.`);
        note('remarks', data.live.isSlow ? `A check takes ${(data.live.took / 1000).toFixed(1)} seconds: frames are checked where the motion stops.` : '');
    }

    // important limits of the result: undefined depths, frames that are missing or not drawn
    #remarks() {
        const { frames, info } = this.data;
        const remarks = [];
        const undefinedOnes = new Set(frames.flatMap((f) => f.found.filter((x) => x.undefined && x.contact).map((x) => x.undefined)));
        if (undefinedOnes.size > 0) {
            const [first] = undefinedOnes;
            remarks.push(`${first[0].toUpperCase()}${first.slice(1)}${undefinedOnes.size > 1 ? `, and ${some(undefinedOnes.size - 1, 'more pair', 'more pairs')} of bodies` : ''}.`);
        }
        if (info.announced > frames.length) {
            remarks.push(`Stopped after ${number(frames.length)} of ${number(info.announced)} frames.`);
        }
        const drawn = frames.filter((_, f) => this.data.kept(f)).length;
        const left = frames.filter((_, f) => !this.data.kept(f) && this.data.touches(f)).length;
        if (drawn < frames.length) {
            remarks.push(`This page draws ${number(drawn)} of ${number(frames.length)} frames and lists the findings of all. `
                + (left > 0 ? `Of the frames with contact it does not draw the ${number(left)} with the least.` : 'It draws every frame with contact.'));
        }
        return remarks;
    }

    #bodies(onBodies) {
        element('bodies').append(...this.data.info.bodies.map((_, i) => {
            const box = make('input', { type: 'checkbox', checked: true });
            box.addEventListener('change', () => {
                this.stage.hide(i, !box.checked);
                onBodies();
            });
            return make('li', {}, make('label', {}, box, chip(colourOf(i)), make('span', { textContent: this.data.name(i), title: this.data.name(i) })));
        }));
    }

    // ---- about a frame

    // `found` is what is drawn of the frame; `time` lies between the frame before and this one, or is undefined
    show(frame, found, time) {
        const f = this.data.frames[frame];
        const label = this.data.label(frame);
        if (this.data.live) {
            this.#verdictSoFar();
        }
        element('frame-title').textContent = time === undefined ? `Frame ${label}`
            : `Between frames ${this.data.label(frame - 1)} and ${label}, after ${(100 * time).toFixed(1)} % of the step`;
        note('left-out', this.#leftOut(frame, found));
        this.#found(frame);
        this.#work(f.work);
        this.#contacts(frame, found, time);
    }

    #leftOut(frame, found) {
        const f = this.data.frames[frame];
        if (!this.data.kept(frame)) {
            const { from, to } = this.data.around(frame);
            const surface = from[0] === to[0] ? `shows frame ${this.data.label(from[0])}`
                : `lies between frames ${this.data.label(from[0])} and ${this.data.label(to[0])}`;
            return `This frame is not drawn: the page has room for ${number(this.data.stored.length)} of ${number(this.data.frames.length)} frames `
                + `(ABUT_REPORT_MB=${Math.ceil(4 * this.data.info.budget)} makes room for more). The surface ${surface}; no contact is painted on it.`;
        }
        const all = found.lists.reduce((n, l) => n + l.all, 0);
        const listed = found.lists.reduce((n, l) => n + l.first.length, 0);
        const parts = all > listed ? [`Painted: ${number(listed)} of ${number(all)} pairs of triangles.`] : [];
        if (f.no_step) {
            parts.push('The triangles of a body change in this frame: contact since the frame before is not known.');
        }
        return parts.join(' ');
    }

    #found(frame) {
        const list = element('found');
        const counts = this.data.counts(frame);
        const { asked } = this.data.info;
        const f = this.data.frames[frame];
        list.replaceChildren();
        for (const kind of this.data.allKinds) {
            const always = { between: asked.between, self: asked.self, swept: asked.sweep && frame > 0, depth: asked.depth }[kind.key];
            if (always || counts[kind.key] > 0) {
                row(list, kind.name, number(counts[kind.key]), counts[kind.key] > 0 && this.data.touches(frame));
            }
        }
        const depths = f.found.filter((x) => x.depth !== undefined).map((x) => x.depth);
        if (depths.length > 0) {
            row(list, 'deepest', four(Math.max(...depths)), true);
        }
        const distances = f.found.filter((x) => x.distance !== undefined).map((x) => x.distance);
        if (asked.nearest) {
            row(list, 'least distance', distances.length > 0 ? four(Math.min(...distances)) : '-');
        }
    }

    #work(work) {
        element('work-section').hidden = !work;
        if (!work) {
            return;
        }
        const list = element('work');
        list.replaceChildren();
        row(list, 'boxes compared', number(work.boxes_tested));
        row(list, 'blocks opened', number(work.blocks));
        row(list, 'vertices moved', number(work.vertices));
        row(list, 'proven free of contact', number(work.nodes_apart + work.blocks_apart));
        row(list, 'exact tests', number(work.exact));
        const all = (this.triangles * (this.triangles - 1)) / 2;
        row(list, 'share of all pairs', all > 0 ? `${((100 * work.exact) / all).toPrecision(2)} %` : '');
    }

    // ---- pairs of bodies

    #contacts(frame, found, time) {
        const all = this.data.frames[frame].found.filter((f) => time === undefined || f.swept > 0)
            .map((f) => this.#entry(f, found))
            .sort((x, y) => Boolean(y.contact) - Boolean(x.contact) || y.weight - x.weight || (x.distance ?? 0) - (y.distance ?? 0));
        this.rows = all.slice(0, MOST_ROWS);
        this.current = -1;
        element('contacts').replaceChildren(...this.rows.map((entry, i) => this.#row(entry, i)));
        note('contacts-note', !this.data.checked(frame) ? 'This frame is not checked yet.' : all.length === 0 ? 'Nothing touches in this frame.'
            : all.length > this.rows.length ? `The ${number(this.rows.length)} worst of ${number(all.length)} pairs of bodies; --json FILE lists all.` : '');
    }

    #entry(f, found) {
        const same = (x) => x.a === f.a && x.b === f.b;
        const list = found.lists.find(same);
        const sweep = found.sweeps.find(same);
        const contours = found.contours.map((contour, n) => [contour, n])
            .filter(([{ a, b }]) => Math.min(a, b) === f.a && Math.max(a, b) === f.b);
        return { ...f, list, sweep, contours, weight: (f.pairs ?? 0) + (f.swept ?? 0) + (f.regions ?? 0) };
    }

    // the number of contacts of two bodies; empty if there is no count
    count({ pairs, swept, regions }) {
        const count = pairs ?? swept ?? regions;
        return count === undefined ? '' : number(count);
    }

    title({ a, b }) {
        return a === b ? `${this.data.name(a)} and itself` : `${this.data.name(a)} and ${this.data.name(b)}`;
    }

    // describes the findings for two bodies
    words(f) {
        const { asked } = this.data.info;
        const [inner, outer] = f.inside === 'b' ? [f.b, f.a] : [f.a, f.b];
        return [
            f.undefined,
            f.pairs && (asked.margin > 0 ? `${some(f.pairs, 'pair', 'pairs')} of triangles within the margin`
                : f.pairs === 1 ? '1 pair of triangles touches' : `${number(f.pairs)} pairs of triangles touch`),
            f.regions && `inside each other in ${some(f.regions, 'place', 'places')}${f.depth === undefined ? '' : `, at most ${four(f.depth)} deep`}`,
            f.swept && `${some(f.swept, 'contact', 'contacts')} between the frame before and this one, the first after ${(100 * f.first).toFixed(1)} % of the step`,
            f.distance !== undefined && (f.distance === 0 ? 'distance 0' : `${four(f.distance)} apart`),
            f.inside && `no surfaces touch; ${this.data.name(inner)} is ${f.partly ? 'partly ' : ''}inside ${this.data.name(outer)}`,
        ].filter(Boolean).join('; ');
    }

    #row(entry, i) {
        const colours = [...new Set([entry.a, entry.b])].map((body) => chip(colourOf(body)));
        const pick = make('button', { className: 'pick', title: 'Fly there' },
            make('span', { className: 'names' }, ...colours, make('span', { textContent: this.title(entry) })),
            make('span', { className: `count${entry.contact ? ' hit' : ''}`, textContent: this.count(entry) }),
            make('small', { textContent: this.words(entry) }));
        pick.addEventListener('click', () => this.pick(i));
        const item = make('li', {}, pick);
        if (entry.list || entry.sweep) {
            item.append(...opener('Triangles', `Triangles of ${this.title(entry)}`, `triangles-${i}`, () => this.#triangles(entry, i)));
        }
        if (entry.contours.length > 0) {
            item.append(...opener('Contours', `Contours of ${this.title(entry)}`, `contours-${i}`, () => this.#contourList(entry)));
        }
        return item;
    }

    // the contours of two bodies, the longest first
    #contourList(entry) {
        const sorted = [...entry.contours].sort(([x], [y]) => y.length - x.length);
        const rows = sorted.slice(0, MOST_TRIANGLES).map(([contour, n]) => {
            const made = make('button', { textContent: `${four(contour.length)} long, ${contour.closed ? 'closed' : 'open'}, ${some(contour.pairs.length / 2, 'segment', 'segments')}` });
            made.addEventListener('click', () => this.onContour(n));
            return make('li', {}, made);
        });
        const cut = sorted.length > rows.length ? [make('li', { className: 'note', textContent: `The ${rows.length} longest of ${number(sorted.length)}.` })] : [];
        return [...cut, ...rows];
    }

    #triangles(entry, i) {
        const { list, sweep } = entry;
        const button = (text, part) => {
            const made = make('button', { textContent: text });
            made.addEventListener('click', () => this.pick(i, part, made));
            return make('li', {}, made);
        };
        const pairs = Array.from({ length: Math.min(list?.first.length ?? 0, MOST_TRIANGLES) }, (_, k) =>
            button(`${list.first[k]} \u00d7 ${list.second[k]}`, { first: list.first[k], second: list.second[k] }));
        const swept = (sweep?.contacts ?? []).slice(0, MOST_TRIANGLES).map((c) =>
            button(`${c.first} \u00d7 ${c.second}, after ${(100 * c.time).toFixed(1)} %`, c));
        const all = (list?.all ?? 0) + (sweep?.all ?? 0);
        const shown = pairs.length + swept.length;
        const cut = all > shown ? [make('li', { className: 'note', textContent: `The first ${number(shown)} of ${number(all)}; --json FILE --pairs and --csv FILE list all.` })] : [];
        return [...cut, ...pairs, ...swept];
    }

    // selects a row and flies there; `part` is one pair of its triangles
    pick(i, part, button) {
        this.unpick();
        this.current = i;
        const item = element('contacts').children[i];
        (button ?? item?.querySelector('.pick'))?.setAttribute('aria-current', 'true');
        this.onPick(this.rows[i], part);
    }

    unpick() {
        this.current = -1;
        element('contacts').querySelectorAll('[aria-current]').forEach((other) => other.removeAttribute('aria-current'));
    }
}
