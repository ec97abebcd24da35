// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The list of events, the worst first: contact of two bodies over consecutive frames, with a picture, its patches, and a
// button that goes there.
import { colourOf } from './stage.js';
import { chip, element, four, make, note, number, opener, some } from './words.js';

const KINDS = { cuts: 'cuts through', inside: 'inside', between: 'between frames', touches: 'only touches', near: 'within the clearance' };
const FIRST_SHOWN = 12; // events; a button shows all
const PICTURE = 'data:image/png;base64,';

export class EventList {
    // `onPick(event, patch)` goes to an event, or to one of its patches; both are numbers, the patch may be undefined
    constructor(data, onPick) {
        this.data = data;
        this.onPick = onPick;
        this.events = data.events ?? [];
        element('events-section').hidden = data.events === null;
        element('events').append(...this.events.map((event, i) => this.#row(event, i)));
        this.#cut();
        const { eventCount } = data;
        note('events-note', this.events.length === 0 ? 'There are none.'
            : eventCount > this.events.length ? `The ${number(this.events.length)} worst of ${number(eventCount)}; --events --json FILE lists all.` : '');
    }

    // hides all but the first events behind a button
    #cut() {
        const hidden = [...element('events').children].slice(FIRST_SHOWN);
        hidden.forEach((item) => { item.hidden = true; });
        element('events-more').hidden = hidden.length === 0;
        element('events-more').textContent = `Show all ${number(this.events.length)}`;
        element('events-more').addEventListener('click', () => {
            hidden.forEach((item) => { item.hidden = false; });
            element('events-more').hidden = true;
            hidden[0].querySelector('button').focus();
        });
    }

    title({ a, b }) {
        return a === b ? `${this.data.name(a)} and itself` : `${this.data.name(a)} and ${this.data.name(b)}`;
    }

    frames({ first, last, worst }) {
        const label = (f) => this.data.label(f);
        return first === last ? `frame ${label(first)}` : `frames ${label(first)} to ${label(last)}, worst ${label(worst)}`;
    }

    // how bad it is: a depth, or how far open surfaces reach beyond each other
    severity({ kind, depth, extent, distance }) {
        if (distance !== undefined) {
            return `distance ${four(distance)}`;
        }
        return depth > 0 ? `${extent ? 'extent' : 'depth'} ${four(depth)}` : KINDS[kind];
    }

    words(event) {
        const [patch] = event.patches;
        return [
            event.fails && 'fails',
            event.depth > 0 && KINDS[event.kind],
            this.frames(event),
            event.pairs > 0 && `up to ${some(event.pairs, 'pair', 'pairs')} of triangles`,
            event.all > 1 && `${number(event.all)} patches`,
            event.all === 1 && patch?.size > 0 && `${four(patch.size)} across`,
        ].filter(Boolean).join('; ');
    }

    #row(event, i) {
        const [colours, title] = [[...new Set([event.a, event.b])].map((body) => chip(colourOf(body))), this.title(event)];
        const pick = make('button', { className: 'pick', title: 'Go there' },
            make('span', { className: 'names' }, ...colours, make('span', { textContent: title })),
            make('span', { className: `count${event.fails === false ? '' : ' hit'}`, textContent: this.severity(event) }),
            make('small', { textContent: this.words(event) }));
        if (event.picture?.startsWith(PICTURE)) {
            pick.classList.add('pictured');
            pick.prepend(make('img', { src: event.picture, alt: '', width: 96, height: 64, decoding: 'async' }));
        }
        pick.addEventListener('click', () => this.onPick(i));
        const item = make('li', {}, pick);
        if (event.patches.length > 1) {
            item.append(...opener('Patches', `Patches of ${title}`, `patches-${i}`, () => this.#patches(event, i)));
        }
        return item;
    }

    #patches(event, i) {
        const rows = event.patches.map((patch, p) => {
            const size = patch.size > 0 ? `${four(patch.size)} across, ${some(patch.pairs, 'pair', 'pairs')}; ` : '';
            const made = make('button', { textContent: `${this.severity(patch)}; ${size}${this.frames(patch)}` });
            made.addEventListener('click', () => this.onPick(i, p));
            return make('li', {}, made);
        });
        const cut = event.all > rows.length ? [make('li', { className: 'note', textContent: `The ${rows.length} worst of ${number(event.all)}.` })] : [];
        return [...cut, ...rows];
    }

    // marks the chosen event, and opens the list of its patches if one of these is chosen; undefined: none
    choose(event, patch) {
        element('events').querySelectorAll('[aria-current]').forEach((other) => other.removeAttribute('aria-current'));
        const item = event === undefined ? null : element('events').children[event];
        if (!item) {
            return;
        }
        item.hidden = false;
        const open = item.querySelector('.expand');
        if (patch !== undefined && open?.getAttribute('aria-expanded') === 'false') {
            open.click();
        }
        const button = patch === undefined ? item.querySelector('.pick') : item.querySelectorAll('.triangles button')[patch];
        button?.setAttribute('aria-current', 'true');
        item.scrollIntoView({ block: 'nearest' });
    }
}
