// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// What stands beside the picture: counts of the frame, bodies, work, pairs.
import { colourOf } from './stage.js';

const MOST_PAIRS = 300; // entries of the list; nobody reads more
const number = (n) => n.toLocaleString('en');
const element = (id) => document.getElementById(id);

function row(list, name, value, hit = false) {
    const term = document.createElement('dt');
    const entry = document.createElement('dd');
    term.textContent = name;
    entry.textContent = value;
    entry.classList.toggle('hit', hit);
    list.append(term, entry);
}

export class Panel {
    constructor(data, stage) {
        this.data = data;
        this.stage = stage;
        this.triangles = data.info.chunks[0]?.bodies.reduce((n, b) => n + data.info.meshes[b.mesh].triangles, 0) ?? 0;
        element('title').textContent = data.info.title;
        document.title = `${data.info.title} - abut`;
        this.#verdict();
        this.#bodies();
        const size = document.documentElement.outerHTML.length / 1e6;
        const every = data.info.stride > 1 ? ` Positions of every ${data.info.stride}. frame are kept.` : '';
        element('about').textContent = `abut ${data.info.abut}, ${size.toFixed(1)} MB.${every}`;
    }

    #verdict() {
        const frames = this.data.frames;
        const touching = frames.filter((_, f) => Object.values(this.data.counts(f)).some((n) => n > 0)).length;
        const line = element('verdict');
        const bold = document.createElement('b');
        bold.textContent = touching > 0 ? 'Contact' : '';
        line.replaceChildren(bold, touching > 0 ? ` in ${touching} of ${frames.length} frames`
            : `Nothing touches in ${frames.length} frame${frames.length === 1 ? '' : 's'}`,
        `, ${number(this.triangles)} triangles`);
    }

    #bodies() {
        const list = element('bodies');
        this.data.info.bodies.forEach((name, i) => {
            const item = document.createElement('li');
            const label = document.createElement('label');
            const box = Object.assign(document.createElement('input'), { type: 'checkbox', checked: true });
            const colour = document.createElement('i');
            const text = document.createElement('span');
            box.addEventListener('change', () => this.stage.hide(i, !box.checked));
            colour.style.background = colourOf(i);
            text.textContent = name || `body ${i}`;
            label.append(box, colour, text);
            item.append(label);
            list.append(item);
        });
    }

    show(frame, found) {
        const f = this.data.frames[frame];
        const { between, self } = this.data.counts(frame);
        element('frame-number').textContent = f.frame;
        const counts = element('found');
        counts.replaceChildren();
        if (f.between) {
            row(counts, 'pairs between bodies', number(between), between > 0);
        }
        if (f.self) {
            row(counts, 'pairs within bodies', number(self), self > 0);
        }
        if (f.gaps) {
            const least = Math.min(...f.gaps.map((g) => Math.hypot(g[3] - g[0], g[4] - g[1], g[5] - g[2])));
            row(counts, 'least distance', Number.isFinite(least) ? least.toPrecision(4) : '-', least === 0);
        }
        if (f.ways) {
            const lengths = f.ways.map((w) => Math.hypot(w[3] - w[0], w[4] - w[1], w[5] - w[2]));
            row(counts, 'regions inside', number(lengths.length), lengths.length > 0);
            row(counts, 'deepest', lengths.length > 0 ? Math.max(...lengths).toPrecision(3) : '-');
        }
        this.#work(f.work);
        this.#pairs(frame, found, between + self);
    }

    #work(work) {
        const list = element('work');
        list.replaceChildren();
        row(list, 'boxes compared', number(work.boxes_tested));
        row(list, 'blocks opened', number(work.blocks));
        row(list, 'vertices moved', number(work.vertices));
        row(list, 'proven apart', number(work.nodes_apart + work.blocks_apart));
        row(list, 'exact tests', number(work.exact));
        const all = (this.triangles * (this.triangles - 1)) / 2;
        row(list, 'of all pairs', all > 0 ? `${((100 * work.exact) / all).toPrecision(2)} %` : '');
    }

    #pairs(frame, found, all) {
        const list = element('pairs');
        const items = [];
        for (const { a, b, first, second } of found.lists) {
            for (let i = 0; i < first.length && items.length < MOST_PAIRS; ++i) {
                items.push(this.#pair(a, first[i], b, second[i]));
            }
        }
        list.replaceChildren(...items);
        element('pairs-note').textContent = all === 0 ? 'Nothing touches in this frame.'
            : all > items.length ? `The first ${number(items.length)} of ${number(all)}.` : '';
    }

    #pair(a, first, b, second) {
        const button = document.createElement('button');
        const name = (i) => this.data.info.bodies[i] || `body ${i}`;
        button.textContent = a === b ? `${name(a)} ${first} \u00d7 ${second}` : `${name(a)} ${first} \u00d7 ${name(b)} ${second}`;
        button.addEventListener('click', () => {
            element('pairs').querySelectorAll('[aria-current]').forEach((other) => other.removeAttribute('aria-current'));
            button.setAttribute('aria-current', 'true');
            this.stage.mark([[a, first], [b, second]]);
        });
        const item = document.createElement('li');
        item.append(button);
        return item;
    }
}
