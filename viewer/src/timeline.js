// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The frames as bars, as high as pairs touch; a click or a drag goes there.

export class Timeline {
    constructor(canvas, data, go) {
        this.canvas = canvas;
        this.frame = 0;
        this.counts = data.frames.map((_, f) => data.counts(f));
        this.most = Math.max(1, ...this.counts.map((c) => c.between + c.self));
        const move = (event) => {
            if (event.buttons & 1 || event.type === 'pointerdown') {
                const box = canvas.getBoundingClientRect();
                go(Math.floor(((event.clientX - box.left) / box.width) * this.counts.length));
            }
        };
        canvas.addEventListener('pointerdown', (event) => {
            canvas.setPointerCapture(event.pointerId);
            move(event);
        });
        canvas.addEventListener('pointermove', move);
        canvas.setAttribute('aria-valuemin', 0);
        canvas.setAttribute('aria-valuemax', this.counts.length - 1);
        new ResizeObserver(() => this.draw()).observe(canvas);
    }

    touches(frame) {
        return this.counts[frame].between + this.counts[frame].self > 0;
    }

    set(frame) {
        this.frame = frame;
        this.canvas.setAttribute('aria-valuenow', frame);
        this.draw();
    }

    // a bar is at least a pixel wide; of frames that share a pixel the highest shows
    draw() {
        const ratio = Math.min(devicePixelRatio, 2);
        const width = (this.canvas.width = Math.round(this.canvas.clientWidth * ratio));
        const height = (this.canvas.height = Math.round(this.canvas.clientHeight * ratio));
        const context = this.canvas.getContext('2d');
        const style = getComputedStyle(document.documentElement);
        const colour = (name) => style.getPropertyValue(name).trim();
        const count = this.counts.length;
        const room = height - 4 * ratio;
        const gap = width / count > 5 * ratio ? ratio : 0;
        context.fillStyle = colour('--line');
        context.fillRect(0, height - ratio, width, ratio);
        this.counts.forEach(({ between, self }, f) => {
            const left = (f / count) * width;
            const wide = Math.max(width / count - gap, ratio);
            // small counts stay visible beside large ones
            const scale = (n) => (n > 0 ? Math.max(Math.sqrt(n / this.most) * room, 2 * ratio) : 0);
            const all = scale(between + self);
            const lower = between + self > 0 ? (all * between) / (between + self) : 0;
            context.fillStyle = colour('--bar-self');
            context.fillRect(left, height - ratio - all, wide, all - lower);
            context.fillStyle = colour('--hit');
            context.fillRect(left, height - ratio - lower, wide, lower);
        });
        const x = ((this.frame + 0.5) / count) * width;
        context.fillStyle = colour('--accent');
        context.fillRect(x - ratio, 0, 2 * ratio, height);
        context.beginPath();
        context.arc(x, 4 * ratio, 4 * ratio, 0, 7);
        context.fill();
    }
}
