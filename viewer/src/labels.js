// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Words and numbers at points of the picture: elements on a ground of their own, which follow the points. Where two
// would lie on each other the one that was given later is left out until there is room.

const APART = 3; // pixels between two

export class Labels {
    constructor(canvas) {
        this.layer = document.createElement('div');
        this.layer.className = 'labels';
        this.layer.setAttribute('aria-hidden', 'true'); // what they say stands in the panel, too
        canvas.after(this.layer);
        this.entries = [];
    }

    // list: { position, text, kind, away: pixels from the point }
    set(list) {
        this.entries = list.map((entry) => {
            const element = document.createElement('span');
            element.className = `label ${entry.kind ?? ''}`;
            element.textContent = entry.text;
            return { ...entry, element };
        });
        this.layer.replaceChildren(...this.entries.map((entry) => entry.element));
        // read at once: each read after a change would make the browser lay out all again
        for (const entry of this.entries) {
            entry.width = entry.element.offsetWidth;
            entry.height = entry.element.offsetHeight;
        }
    }

    // puts each at its point, within the part of the picture that is free
    place(camera) {
        const { top, right, bottom, left } = camera.insets;
        const taken = [];
        for (const entry of this.entries) {
            const at = camera.project(entry.position);
            const { width, height } = entry;
            let shown = at !== null && at[0] >= left && at[0] <= camera.width - right && at[1] >= top && at[1] <= camera.height - bottom;
            if (shown) {
                const x = Math.round(at[0] + width + 12 > camera.width - right ? at[0] - width - 10 : at[0] + 10);
                const y = Math.round(at[1] - height - 8 < top ? at[1] + 8 : at[1] - height - 8);
                shown = taken.every((t) => x > t.x + t.width + APART || x + width + APART < t.x
                    || y > t.y + t.height + APART || y + height + APART < t.y);
                if (shown) {
                    taken.push({ x, y, width, height });
                    entry.element.style.transform = `translate(${x}px, ${y}px)`;
                }
            }
            entry.element.style.visibility = shown ? 'visible' : 'hidden';
        }
        this.shown = taken.length;
    }
}
