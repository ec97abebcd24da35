// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The camera: an eye that looks at a target, orbits around it, zooms, pans and flies.
// Mouse: drag orbits, right drag (or drag with Shift) pans, the wheel zooms. Touch: one finger orbits, two pan and zoom.
// Keys: Shift and arrows orbit; Ctrl, Shift and arrows pan; + and - zoom in and out.
import { add, cross, dot, length, mix, product, scale, sub, transform, turn, unit } from './vector.js';

const HALF = Math.tan((19 * Math.PI) / 180); // half the visible height at distance 1
const STEEPEST = 0.02;                       // radians from straight above or below
const MARGIN = 1.07;                         // factor of free space around what is framed

export class Camera {
    constructor(changed) {
        this.changed = () => {
            this.toClip = null;
            changed();
        };
        this.target = [0, 0, 0];
        this.away = [0, 0, 1]; // unit vector from the target to the eye
        this.distance = 1;
        this.up = [0, 0, 1];
        this.extent = 1;       // size of the scene, which limits the zoom
        this.width = this.height = 1;
        this.insets = { top: 0, right: 0, bottom: 0, left: 0 };
    }

    get eye() {
        return add(this.target, this.away, this.distance);
    }

    // unit vectors to the right, up and from the target to the eye
    get axes() {
        const right = unit(cross(this.up, this.away));
        return [right, cross(this.away, right), this.away];
    }

    setUp(axis) {
        this.up = axis === 'y' ? [0, 1, 0] : [0, 0, 1];
        this.#keepOffPoles();
    }

    // the middle of the free area, in pixels from the middle of the picture; down is positive
    get middle() {
        const { top, right, bottom, left } = this.insets;
        return [(left - right) / 2, (top - bottom) / 2];
    }

    // width and height of the free area, at least a fifth of the picture
    get free() {
        const { top, right, bottom, left } = this.insets;
        return [Math.max(this.width - left - right, 0.2 * this.width), Math.max(this.height - top - bottom, 0.2 * this.height)];
    }

    // matrices of this view; the far plane lies behind all `points`
    view(points = []) {
        const [right, up, away] = this.axes;
        const { eye } = this;
        const toEye = new Float64Array([
            right[0], up[0], away[0], 0, right[1], up[1], away[1], 0, right[2], up[2], away[2], 0,
            -dot(right, eye), -dot(up, eye), -dot(away, eye), 1]);
        const near = this.distance / 100;
        const far = points.reduce((most, p) => Math.max(most, 1.01 * dot(sub(eye, p), away)), 2 * this.distance);
        const [x, y] = this.middle;
        const projection = new Float64Array([
            this.height / this.width / HALF, 0, 0, 0, 0, 1 / HALF, 0, 0,
            (-2 * x) / this.width, (2 * y) / this.height, (far + near) / (near - far), -1,
            0, 0, (2 * far * near) / (near - far), 0]);
        const toClip = product(projection, toEye);
        this.toClip = toClip;
        return {
            toClip: new Float32Array(toClip), toEye: new Float32Array(toEye),
            eyeUp: [dot(right, this.up), dot(up, this.up), dot(away, this.up)],
        };
    }

    // projects a point to CSS pixels from the upper left corner of the picture; null if it is behind the eye
    project(point) {
        const [x, y, , w] = transform(this.toClip ?? (this.view(), this.toClip), point);
        return w > 0 ? [(0.5 + (0.5 * x) / w) * this.width, (0.5 - (0.5 * y) / w) * this.height] : null;
    }

    // the size of a pixel at the target
    get pixel() {
        return (2 * HALF * this.distance) / this.height;
    }

    // The nearest view in which all these points, three numbers each, lie in the free area. In each direction the points
    // touch both sides of the area or are centred in it.
    fit(points, away = this.away) {
        const axes = [unit(cross(this.up, away))];
        axes.push(cross(away, axes[0]));
        const slopes = this.free.map((n) => (HALF * n) / this.height / MARGIN);
        const most = [-Infinity, -Infinity, -Infinity, -Infinity];
        let [low, high] = [Infinity, -Infinity];
        for (let i = 0; i + 2 < points.length; i += 3) {
            const p = [points[i], points[i + 1], points[i + 2]];
            const z = dot(p, away);
            low = Math.min(low, z);
            high = Math.max(high, z);
            for (let d = 0; d < 2; ++d) {
                const x = dot(p, axes[d]);
                most[2 * d] = Math.max(most[2 * d], slopes[d] * z + x);
                most[2 * d + 1] = Math.max(most[2 * d + 1], slopes[d] * z - x);
            }
        }
        const eye = Math.max(...slopes.map((slope, d) => (most[2 * d] + most[2 * d + 1]) / (2 * slope)));
        const middle = (low + high) / 2;
        const target = axes.reduce((sum, axis, d) => add(sum, axis, (most[2 * d] - most[2 * d + 1]) / 2), scale(away, middle));
        return { target, away, distance: eye - middle };
    }

    get place() {
        return { target: this.target, away: this.away, distance: this.distance };
    }

    // jumps to a view
    go({ target, away, distance }) {
        this.stop();
        Object.assign(this, { target, away: unit(away), distance });
        this.#keepOffPoles();
        this.changed();
    }

    // Flies to a view; resolves when it arrives, or when something else moves the camera.
    fly(to, seconds) {
        this.stop();
        if (!(seconds > 0)) {
            this.go(to);
            return Promise.resolve();
        }
        const from = this.place;
        const start = performance.now();
        const ratio = to.distance / from.distance;
        return new Promise((resolve) => {
            const step = () => {
                const t = Math.min((performance.now() - start) / (1000 * seconds), 1);
                const s = t * t * (3 - 2 * t);
                const distance = from.distance * ratio ** s;
                // the new target keeps its place in the picture while the view zooms
                const share = Math.abs(ratio - 1) > 1e-3 ? (1 - distance / from.distance) / (1 - ratio) : s;
                const away = unit(mix(from.away, to.away, s));
                Object.assign(this, { distance, away, target: mix(from.target, to.target, share) });
                this.#keepOffPoles();
                if (t === 1) {
                    this.stop();
                } else {
                    this.flight.frame = requestAnimationFrame(step);
                }
                this.changed();
            };
            this.flight = { resolve, frame: requestAnimationFrame(step) };
        });
    }

    stop() {
        const { flight } = this;
        this.flight = null;
        if (flight) {
            cancelAnimationFrame(flight.frame);
            flight.resolve();
        }
    }

    #keepOffPoles() {
        const height = dot(this.away, this.up);
        const most = Math.cos(STEEPEST);
        if (Math.abs(height) > most) {
            const level = sub(this.away, scale(this.up, height));
            const side = length(level) > 1e-9 ? unit(level) : unit(cross(this.up, [0.3, 1, 0.2]));
            this.away = unit(add(scale(this.up, Math.sign(height) * most), side, Math.sin(STEEPEST)));
        }
    }

    // orbits by two angles: around the up axis, and towards it
    turnBy(around, over) {
        this.stop();
        const away = turn(this.away, this.up, around);
        const steep = Math.acos(Math.min(Math.max(dot(away, this.up), -1), 1));
        const next = Math.min(Math.max(steep + over, STEEPEST), Math.PI - STEEPEST);
        const right = unit(cross(this.up, away));
        this.away = unit(turn(away, right, next - steep));
        this.changed();
    }

    // pans by pixels
    shiftBy(x, y) {
        this.stop();
        const [right, up] = this.axes;
        this.target = add(add(this.target, right, -x * this.pixel), up, y * this.pixel);
        this.changed();
    }

    // zooms by a factor; the point under pixel (x, y) stays there
    zoomBy(factor, x = null, y = null) {
        this.stop();
        const limited = Math.min(Math.max(this.distance * factor, 1e-5 * this.extent), 1e3 * this.extent);
        const share = limited / this.distance;
        if (x !== null) {
            const [right, up] = this.axes;
            const [mx, my] = this.middle;
            const over = [x - this.width / 2 - mx, y - this.height / 2 - my].map((n) => n * this.pixel * (1 - share));
            this.target = add(add(this.target, right, over[0]), up, -over[1]);
        }
        this.distance = limited;
        this.changed();
    }
}

// elements that handle keys themselves
const KEEPS_KEYS = 'input, select, textarea, dialog, [role=slider]';

// connects a camera to mouse, touch and keys on an element; `tap` is called for a click without a drag
export function follow(camera, element, tap) {
    const fingers = new Map();
    let moved = 0;
    const spot = (event) => {
        const box = element.getBoundingClientRect();
        return [event.clientX - box.left, event.clientY - box.top];
    };
    const turnBy = (x, y) => camera.turnBy((-2 * Math.PI * x) / camera.height, (-2 * Math.PI * y) / camera.height);
    const pinch = () => {
        const [[ax, ay], [bx, by]] = [...fingers.values()];
        return { x: (ax + bx) / 2, y: (ay + by) / 2, wide: Math.max(Math.hypot(bx - ax, by - ay), 1) };
    };
    element.addEventListener('pointerdown', (event) => {
        element.setPointerCapture(event.pointerId);
        fingers.set(event.pointerId, spot(event));
        moved = fingers.size > 1 ? Infinity : 0;
    });
    element.addEventListener('pointermove', (event) => {
        const last = fingers.get(event.pointerId);
        if (!last) {
            return;
        }
        const now = spot(event);
        const [x, y] = [now[0] - last[0], now[1] - last[1]];
        moved += Math.abs(x) + Math.abs(y);
        const before = fingers.size === 2 ? pinch() : null;
        fingers.set(event.pointerId, now);
        if (before) {
            const after = pinch();
            camera.shiftBy(after.x - before.x, after.y - before.y);
            camera.zoomBy(before.wide / after.wide, after.x, after.y);
        } else if (fingers.size === 1 && (event.buttons & 6 || event.shiftKey || event.ctrlKey || event.metaKey)) {
            camera.shiftBy(x, y);
        } else if (fingers.size === 1 && moved > 3) {
            turnBy(x, y);
        }
    });
    for (const kind of ['pointerup', 'pointercancel']) {
        element.addEventListener(kind, (event) => {
            if (fingers.delete(event.pointerId) && kind === 'pointerup' && moved <= 3) {
                tap(...spot(event));
            }
        });
    }
    element.addEventListener('contextmenu', (event) => event.preventDefault());
    element.addEventListener('wheel', (event) => {
        event.preventDefault();
        const lines = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? camera.height : 1;
        const by = Math.min(Math.max(event.deltaY * lines * (event.ctrlKey ? 5 : 1), -240), 240);
        camera.zoomBy(Math.exp(by / 600), ...spot(event));
    }, { passive: false });
    // in the capture phase, because the page handles arrows without modifiers
    addEventListener('keydown', (event) => {
        const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
        const arrow = event.shiftKey && arrows[event.key];
        const nearer = { '+': 0.8, '=': 0.8, '-': 1.25 }[event.key];
        const taken = event.altKey || event.metaKey || (event.target instanceof Element && event.target.closest(KEEPS_KEYS));
        if (taken || (!arrow && (!nearer || event.ctrlKey))) {
            return;
        }
        event.preventDefault();
        event.stopPropagation();
        if (!arrow) {
            camera.zoomBy(nearer);
        } else if (event.ctrlKey) {
            camera.shiftBy(40 * arrow[0], 40 * arrow[1]);
        } else {
            turnBy(40 * arrow[0], 40 * arrow[1]);
        }
    }, { capture: true });
}
