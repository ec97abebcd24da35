// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Labels at points of the picture: elements with an opaque background, which follow the points. If two would overlap,
// the later one in the list is hidden until there is room.

const APART = 3; // pixels between two labels

// the direction from a point to its label: perpendicular to its line, upwards; without a line, up and to the right
function beside({ ends }, camera) {
    const [a, b] = (ends ?? []).map((end) => camera.project(end));
    const far = a && b ? Math.hypot(b[0] - a[0], b[1] - a[1]) : 0;
    if (far < 4) {
        return [0.8, -0.6];
    }
    const across = [(b[1] - a[1]) / far, (a[0] - b[0]) / far];
    return across[1] > 0 ? [-across[0], -across[1]] : across;
}

// the upper left corner of a label beside its point, within the free area
function corner(at, [dx, dy], { width, height }, camera) {
    const { top, right, bottom, left } = camera.insets;
    const away = 9 + (Math.abs(dx) * width + Math.abs(dy) * height) / 2;
    const within = (x, low, high) => Math.round(Math.max(Math.min(x, high), low));
    return [within(at[0] + dx * away - width / 2, left + 2, camera.width - right - width - 2),
        within(at[1] + dy * away - height / 2, top + 2, camera.height - bottom - height - 2)];
}

export class Labels {
    constructor(canvas) {
        this.layer = document.createElement('div');
        this.layer.className = 'labels';
        this.layer.setAttribute('aria-hidden', 'true'); // the panel has the same information
        canvas.after(this.layer);
        this.entries = [];
    }

    // list: { position, text, kind, ends: the ends of its line, which the label must not cover }
    set(list) {
        this.entries = list.map((entry) => {
            const element = document.createElement('span');
            element.className = `label ${entry.kind ?? ''}`;
            element.textContent = entry.text;
            return { ...entry, element };
        });
        this.layer.replaceChildren(...this.entries.map((entry) => entry.element));
        // read all sizes in one pass: a read after a change makes the browser repeat the layout
        for (const entry of this.entries) {
            entry.width = entry.element.offsetWidth;
            entry.height = entry.element.offsetHeight;
        }
    }

    // puts each label at its point, within the free area of the picture
    place(camera) {
        const { top, right, bottom, left } = camera.insets;
        const taken = [];
        for (const entry of this.entries) {
            const at = camera.project(entry.position);
            const { width, height } = entry;
            let shown = at !== null && at[0] >= left && at[0] <= camera.width - right && at[1] >= top && at[1] <= camera.height - bottom;
            if (shown) {
                const [x, y] = corner(at, beside(entry, camera), entry, camera);
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
