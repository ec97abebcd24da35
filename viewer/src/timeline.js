// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Shows the frames as bars, whose heights grow with the numbers of findings by kind, with frame numbers
// below and a legend of the colours. A click or a drag goes to a frame; hovering shows its findings.
import { element, number } from './words.js';

const AXIS = 16; // pixels below the bars, for numbers
const MOST_BAR = 36; // largest width of a bar in pixels

// the smallest step of 1, 2, 5, 10, 20, ... frames at which labels of this width do not overlap
function tickStep(count, width, labelWidth) {
    const least = (count * labelWidth) / Math.max(width, 1);
    let step = 1;
    for (let k = 0; step < least; ++k) {
        step = [1, 2, 5][k % 3] * 10 ** Math.floor(k / 3);
    }
    return step;
}

export class Timeline {
    constructor(canvas, data, go) {
        this.canvas = canvas;
        this.data = data;
        this.frame = 0;
        this.#count();
        const move = (event) => {
            if (event.buttons & 1 || event.type === 'pointerdown') {
                go(this.frameAt(event.clientX));
            }
            this.#hover(event);
        };
        canvas.addEventListener('pointerdown', (event) => {
            canvas.setPointerCapture(event.pointerId);
            move(event);
        });
        canvas.addEventListener('pointermove', move);
        canvas.addEventListener('pointerleave', () => { element('tip').hidden = true; });
        canvas.setAttribute('aria-valuemin', 1);
        canvas.setAttribute('aria-valuemax', this.counts.length);
        this.#legend();
        new ResizeObserver(() => this.draw()).observe(canvas);
    }

    #count() {
        const { data } = this;
        this.counts = data.frames.map((_, f) => data.counts(f));
        this.sums = this.counts.map((c) => data.kinds.reduce((n, { key }) => n + c[key], 0));
        this.most = this.sums.reduce((a, b) => Math.max(a, b), 1);
    }

    // takes findings that came later
    refresh() {
        this.#count();
        this.#legend();
    }

    frameAt(x) {
        const box = this.canvas.getBoundingClientRect();
        const at = Math.floor(((x - box.left) / box.width) * this.counts.length);
        return Math.min(Math.max(at, 0), this.counts.length - 1);
    }

    touches(frame) {
        return this.data.touches(frame);
    }

    // describes the findings of a frame
    describe(frame) {
        const found = this.data.kinds.filter(({ key }) => this.counts[frame][key] > 0)
            .map(({ key, name, one }) => (this.counts[frame][key] === 1 ? `1 ${one}` : `${number(this.counts[frame][key])} ${name}`));
        const left = this.data.kept(frame) ? [] : ['not drawn: left out of this page'];
        return [...(found.length > 0 ? found : [this.data.checked(frame) ? 'nothing touches' : 'not checked yet']), ...left];
    }

    #hover(event) {
        const frame = this.frameAt(event.clientX);
        const tip = element('tip');
        const lines = [`Frame ${this.data.label(frame)}`, ...this.describe(frame)];
        tip.replaceChildren(...lines.map((line) => Object.assign(document.createElement('div'), { textContent: line })));
        tip.hidden = false;
        const track = tip.parentElement.getBoundingClientRect();
        const edge = document.documentElement.clientWidth - 8 - tip.offsetWidth - track.left;
        const left = event.clientX - track.left - tip.offsetWidth / 2;
        tip.style.left = `${Math.max(Math.min(left, edge), 8 - track.left)}px`;
    }

    #legend() {
        const entry = (text, swatch) => {
            const item = document.createElement('li');
            const colour = document.createElement('i');
            swatch(colour);
            item.append(colour, text);
            return item;
        };
        const items = this.data.kinds.map(({ name, colour }) => entry(name, (i) => { i.style.background = `var(${colour})`; }));
        const left = this.data.frames.filter((_, f) => !this.data.kept(f)).length;
        if (left > 0) {
            items.push(entry(`${number(left)} of ${number(this.counts.length)} frames not drawn`, (i) => i.classList.add('left-out')));
        }
        if (this.data.kinds.length === 0) {
            items.push(entry(this.data.live ? 'nothing touches so far' : 'nothing touches in any frame', (i) => i.remove()));
        }
        element('legend').replaceChildren(...items);
    }

    // sets the current frame; `time` lies between the frame before and this one, or is undefined
    set(frame, time) {
        this.frame = frame;
        this.time = time;
        const label = this.data.label(frame);
        const where = time === undefined ? `frame ${label}` : `between frames ${this.data.label(frame - 1)} and ${label}`;
        this.canvas.setAttribute('aria-valuenow', frame + 1);
        this.canvas.setAttribute('aria-valuetext', [`${where}, ${number(frame + 1)} of ${number(this.counts.length)}`, ...this.describe(frame)].join('; '));
        this.draw();
    }

    // draws the bars; a bar is at least a pixel wide, and of frames that share a pixel the highest is drawn
    draw() {
        const ratio = Math.min(devicePixelRatio, 2);
        const width = this.canvas.clientWidth;
        const height = this.canvas.clientHeight - AXIS;
        this.canvas.width = Math.round(width * ratio);
        this.canvas.height = Math.round((height + AXIS) * ratio);
        const context = this.canvas.getContext('2d');
        context.scale(ratio, ratio);
        const style = getComputedStyle(document.documentElement);
        const colour = (name) => style.getPropertyValue(name).trim();
        this.#bars(context, width, height, colour);
        this.#axis(context, width, height, colour);
        const shift = this.time === undefined ? 0 : this.time - 1;
        const x = ((this.frame + shift + 0.5) / this.counts.length) * width;
        context.fillStyle = colour('--accent');
        context.fillRect(x - 1, 0, 2, height);
        context.beginPath();
        context.arc(x, 4, 4, 0, 7);
        context.fill();
    }

    #bars(context, width, height, colour) {
        const count = this.counts.length;
        const each = width / count;
        const wide = Math.min(Math.max(each - (each > 5 ? 1 : 0), 1), MOST_BAR);
        this.counts.forEach((counts, f) => {
            const middle = (f + 0.5) * each;
            const sum = this.sums[f];
            // square roots keep small counts visible beside large ones
            const all = sum > 0 ? Math.max(Math.sqrt(sum / this.most) * (height - 12), 3) : 0;
            let bottom = height - 3;
            for (const kind of this.data.kinds.filter(({ key }) => counts[key] > 0)) {
                const high = Math.max((all * counts[kind.key]) / sum, 3);
                // swept contacts are drawn between the frames
                const left = middle - wide / 2 - (kind.key === 'swept' && f > 0 ? each / 2 : 0);
                context.fillStyle = colour(kind.colour);
                context.fillRect(left, bottom - high, wide, high);
                bottom -= high;
            }
            // the line below shows which frames are drawn in the picture, or checked so far
            const kept = this.data.kept(f) && this.data.checked(f);
            context.fillStyle = colour(kept ? '--faint' : '--line');
            context.fillRect(f * each, height - (kept ? 2 : 1), Math.max(each - (each > 5 ? 1 : 0), 1), kept ? 2 : 1);
        });
    }

    #axis(context, width, height, colour) {
        const count = this.counts.length;
        context.font = `11px ${getComputedStyle(this.canvas).fontFamily}`;
        context.fillStyle = colour('--faint');
        context.textBaseline = 'bottom';
        const sample = Array.from({ length: 24 }, (_, i) => this.data.label(Math.floor((i * (count - 1)) / 23)));
        const labelWidth = Math.max(...sample.map((text) => context.measureText(text).width)) + 14;
        const step = tickStep(count, width, labelWidth);
        let end = -Infinity; // of the label before: the first one and the last one are moved inwards
        for (let f = 0; f < count; f += step) {
            const text = this.data.label(f);
            const half = context.measureText(text).width / 2;
            const x = Math.min(Math.max(((f + 0.5) / count) * width - half, 0), width - 2 * half);
            if (x > end + 4) {
                context.fillText(text, x, height + AXIS);
                end = x + 2 * half;
            }
        }
        this.ticks = Math.ceil(count / step);
    }
}
