// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The card about what was clicked in the picture: a triangle of a surface and what is closest to it, or a contour. It says
// what its numbers are.
import { element, four, make, number, row, some } from './words.js';

// why a contour ends, by the names of include/abut/contour.h
const ENDS = {
    'border of a': ({ a }) => `at the border of ${a}`,
    'border of b': ({ b }) => `at the border of ${b}`,
    branch: () => 'where three lines or more meet',
    area: () => 'where triangles in one plane overlap',
    vertex: () => 'in a vertex where its two sheets come together',
    neighbours: () => 'at triangles that share a vertex, which are compared only with --neighbours',
    degenerate: () => 'at a triangle without area',
    touch: () => 'where the surfaces touch without crossing',
    missing: () => 'where a rule or the baseline puts pairs aside',
};

const vector = (v) => `(${v.map(four).join(', ')})`;

export class Picked {
    // `onShow` is called after the card appears or disappears, `onClose` at a click on its cross
    constructor(data, { onShow, onClose }) {
        this.data = data;
        this.onShow = onShow;
        element('picked-close').addEventListener('click', onClose);
    }

    hide() {
        if (!element('picked').hidden) {
            this.#appear(false);
        }
    }

    #appear(on) {
        element('picked').hidden = !on;
        document.querySelector('main').dataset.picked = on ? 'on' : 'off';
        this.onShow();
    }

    #show(title, rows, remark) {
        element('picked-title').textContent = title;
        element('picked-rows').replaceChildren();
        rows.filter(Boolean).forEach(([name, value]) => row(element('picked-rows'), name, value));
        element('picked-note').replaceChildren(...remark.map((text) => make('span', { textContent: `${text} ` })));
        this.#appear(true);
        element('status').textContent = `${title}. ${rows.filter(Boolean).map((pair) => pair.join(': ')).join('. ')}`;
    }

    // why and where a contour ends, in words
    ends({ a, b, closed, ends }) {
        if (closed) {
            return 'closed';
        }
        const names = { a: this.data.name(a), b: this.data.name(b) };
        const [from, to] = ends.map((end) => ENDS[end]?.(names) ?? 'for an unknown reason');
        return from === to ? `open: both ends are ${from}` : `open: it begins ${from}, and ends ${to}`;
    }

    contour(contour, segment) {
        const { a, b, pairs, length } = contour;
        const own = (side) => new Set(pairs.filter((_, k) => k % 2 === side)).size;
        const [nameA, nameB] = [this.data.name(a), this.data.name(b)];
        this.#show(a === b ? `Contour of ${nameA} with itself` : `Contour of ${nameA} and ${nameB}`, [
            ['length', four(length)],
            ['line', this.ends(contour)],
            ['segments', number(pairs.length / 2)],
            a === b ? ['triangles', number(new Set(pairs).size)] : [`triangles of ${nameA}`, number(own(0))],
            a !== b && [`triangles of ${nameB}`, number(own(1))],
            segment !== undefined && ['triangles of this segment', `${pairs[2 * segment]} \u00d7 ${pairs[2 * segment + 1]}`],
        ], ['The surfaces cross along this line. Its length is that of the exact answer, in the unit of the files; the line is drawn with 16 bits.']);
    }

    // `hit` and `other` as pick.js finds them; `touching` lists pairs that the triangle is in; `error` is that of positions
    surface(hit, corners, other, touching, error, { drawn, single }) {
        const name = this.data.name(hit.body);
        const point = hit.point.map((x, d) => x + this.data.origin[d]);
        const partners = new Map();
        touching.forEach(([body, triangle]) => partners.set(body, [...(partners.get(body) ?? []), triangle]));
        const touches = [...partners].map(([body, list]) => (list.length === 1 ? `triangle ${list[0]} of ${this.data.name(body)}`
            : `${some(list.length, 'triangle', 'triangles')} of ${this.data.name(body)}`));
        this.#show(`Triangle ${hit.triangle} of ${name}`, [
            ['corners', corners.join(', ')],
            ['point', vector(point)],
            touches.length > 0 && ['touches', touches.join('; ')],
            ['closest other surface', other ? `triangle ${other.triangle} of ${this.data.name(other.body)}` : 'none'],
            other && ['distance', `${four(other.distance)} \u00b1 ${Number(error.toPrecision(1))}`],
        ], [
            'Numbers of triangles and corners count from 0.',
            other ? 'The distance is that of the point, computed in this page from positions with 16 bits; \u2018abut closest\u2019 computes it from doubles.' : '',
            single ? 'There is only one body.' : !other ? 'All other bodies are hidden or empty.' : '',
            drawn ? '' : 'This frame is not drawn: positions lie between those of two others.',
        ].filter(Boolean));
    }
}
