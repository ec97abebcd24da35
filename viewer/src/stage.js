// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The picture: bodies, touching triangles, contours where they cross, separating translations (ways), distances (gaps),
// markers, boxes of the tree; and what is under a click.
//
// Points in arguments are in the coordinates of the files. Internally they are relative to data.origin, because the
// graphics card has floats only.
import { Camera, follow } from './camera.js';
import { Numbers, Renderer, rgb } from './gl.js';
import { Labels } from './labels.js';
import { closestOther, contourAt, firstOnRay, rayThrough, segmentsOf } from './pick.js';
import { Surface } from './surface.js';
import { add, boxCorners, cross, dot, growBox, length, mix, noBox, sub, unit } from './vector.js';

const PALETTE = ['#5b8def', '#e3b23c', '#52b788', '#b084cc', '#4db6c6', '#d98e73', '#8a9a5b', '#c77d98'];
const LEVEL_COLOURS = ['#8b94a7', '#5b8def', '#52b788', '#e3b23c', '#e8863a'];
// markers: CSS variable of the colour, default colour, shape (0 disc, 1 square, 2 diamond, 3 triangle)
const KINDS = {
    between: ['--between', '#ff5d6c', 0], self: ['--within', '#ffab61', 0], swept: ['--swept', '#f2d24b', 3],
    depth: ['--depth', '#c9a5ff', 2], near: ['--near', '#7fb0ff', 1], inside: ['--inside', '#6fd3a5', 2],
};
const GLOW = 0.14;        // of touching triangles behind surfaces, for each of their sides
const MARKER = 15;        // pixels across
const LINE_REACH = 8;     // pixels from a click to a contour
const MANY = 40;          // an outline with more edges has thinner lines
const FLIGHT = 0.7;       // seconds
const SAMPLES = 5000;     // points of a body that are used for framing
const INK = '#10131a';
const PAPER = '#ffffff';
const FRONT = { z: [-0.5, -1, 0.55], y: [-0.5, 0.45, 1] }; // from the front, to the left and above

const NO_WEBGL = 'This browser cannot draw the picture, because it has no WebGL 2: switch hardware acceleration on, or open the '
    + 'page in a recent Firefox, Chrome, Edge or Safari.';
const LOST = 'The browser has lost its connection to the graphics card and cannot draw the picture. If it does not come back by itself, reload the page.';

export const colourOf = (body) => PALETTE[body % PALETTE.length];

// the twelve edges of a box, as pairs of corner numbers
const EDGES = [0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 1, 3, 4, 6, 5, 7, 0, 4, 1, 5, 2, 6, 3, 7];

const three = (n) => Number(n.toPrecision(3)).toString();

export class Stage {
    constructor(canvas, data) {
        this.canvas = canvas;
        this.data = data;
        this.options = { contacts: true, segments: true, edges: false, through: false, level: -1 };
        this.bodies = data.info.bodies.map((_, i) => new Surface(rgb(colourOf(i))));
        this.segments = new Numbers();
        this.boxes = new Numbers();
        this.gaps = new Numbers();
        this.ways = new Numbers();
        this.points = new Numbers();
        this.current = new Numbers(); // the markers drawn larger
        this.outline = new Numbers();
        this.contours = [];           // of the frame
        this.chosen = new Numbers();  // the segments of the chosen contour
        this.probed = new Numbers();  // the outline of the chosen triangle, and of the closest one
        this.probe = new Numbers();   // the line between them
        this.marked = [];             // all markers as given
        this.focus = null;            // the target of flyTo
        this.before = null;           // the view before flyTo
        this.ticket = 0;
        this.isPlaying = false;
        this.onView = () => {};       // called when the camera has moved
        this.onTap = () => {};        // called with what is under a click: see at()
        this.camera = new Camera(() => { this.#drawSoon(); this.onView(); });
        this.labels = new Labels(canvas);
        this.renderer = Renderer.on(canvas, (lost) => {
            this.#replacePicture(lost ? LOST : null);
            this.draw();
        });
        this.#replacePicture(this.renderer ? null : NO_WEBGL);
        follow(this.camera, canvas, (x, y) => this.#tap(x, y));
        this.setUp(data.info.up);
        this.colours(false);
        new ResizeObserver(() => this.resize()).observe(canvas);
    }

    // shows a note in place of the picture; null removes it
    #replacePicture(text) {
        this.note?.remove();
        if (text) {
            this.note = document.createElement('p');
            this.note.className = 'no-picture';
            this.note.setAttribute('role', 'alert');
            this.note.textContent = `${text} The lists and numbers on this page are complete without it.`;
            this.canvas.after(this.note);
        }
    }

    // sets the axis that points up: 'y' or 'z'
    setUp(axis) {
        this.up = axis;
        this.camera.setUp(axis);
        this.draw();
    }

    // Pixels at the edges that are covered; null: those that header, panel and timeline cover. Framing uses the rest.
    set insets(insets) {
        this.givenInsets = insets && { top: 0, right: 0, bottom: 0, left: 0, ...insets };
        this.resize();
    }

    get insets() {
        return this.camera.insets;
    }

    frameFront() {
        this.frameAll(unit(FRONT[this.up] ?? FRONT.z));
    }

    frameAll(away = this.camera.away) {
        const box = this.#bounds();
        if (box.low[0] > box.high[0]) {
            return;
        }
        this.before = null;
        this.#clearFocus();
        this.camera.extent = Math.max(length(sub(box.high, box.low)), 1e-30);
        const place = this.camera.fit(this.#sample(), unit(away));
        this.camera.go({ ...place, distance: Math.max(place.distance, 1e-6 * this.camera.extent) });
    }

    // whether all visible bodies lie in the free area of the picture, or little beside it
    get isInView() {
        const { insets: { top, right, bottom, left }, width, height } = this.camera;
        const points = this.#sample();
        const slack = 0.02 * Math.min(width, height);
        let inView = true;
        for (let i = 0; i < points.length && inView; i += 30) { // one in ten
            const at = this.camera.project(points.slice(i, i + 3));
            inView = at !== null && at[0] > left - slack && at[0] < width - right + slack && at[1] > top - slack && at[1] < height - bottom + slack;
        }
        return inView;
    }

    // a sample of the points of each visible body, its extreme points included
    #sample() {
        const out = [];
        for (const body of this.bodies.filter(({ mesh, visible }) => mesh !== null && visible)) {
            for (const { array } of [body.place, ...body.ghosts]) {
                const step = 3 * Math.max(Math.ceil(array.length / 3 / SAMPLES), 1);
                for (let i = 0; i < array.length; i += step) {
                    out.push(array[i], array[i + 1], array[i + 2]);
                }
            }
        }
        return out;
    }

    // the box of all visible bodies
    #bounds() {
        const box = noBox();
        for (const body of this.bodies) {
            if (body.mesh !== null && body.visible && body.positions.length > 0) {
                growBox(box, [...body.bounds.low, ...body.bounds.high]);
            }
        }
        return box;
    }

    // reads the colours of the current style
    colours(dark) {
        const style = getComputedStyle(document.documentElement);
        this.styled = (name, otherwise) => {
            const colour = style.getPropertyValue(name).trim();
            return rgb(/^#([0-9a-f]{3}){1,2}$/i.test(colour) ? colour : otherwise);
        };
        this.paint = {
            ground: this.styled('--ground', dark ? '#12151b' : '#f4f5f7'),
            line: rgb(dark ? PAPER : '#16181d'),
            core: rgb(dark ? PAPER : INK),   // lines that are visible on any background: a core with a halo
            halo: rgb(dark ? INK : PAPER),
            gap: this.styled('--near', dark ? '#9cc2ff' : '#1d4fa8'),
            way: this.styled('--depth', dark ? '#ffd60a' : '#0b3fb8'),
            hit: rgb(dark ? '#ff4d5e' : '#d62839'),
            wire: rgb(dark ? '#fff' : '#000'),
        };
        this.#fillMarkers();
        this.draw();
    }

    resize() {
        const { clientWidth: width, clientHeight: height } = this.canvas;
        if (width === 0 || height === 0) {
            return;
        }
        this.renderer?.resize(width, height, Math.min(devicePixelRatio, 2));
        this.camera.insets = this.givenInsets ?? this.#covered(width, height);
        Object.assign(this.camera, { width, height });
        this.draw();
    }

    // the pixels that the other parts of the page cover
    #covered(width, height) {
        const box = (selector) => {
            const element = document.querySelector(selector);
            return element?.offsetParent ? element.getBoundingClientRect() : null;
        };
        const [header, nav, panel] = ['main > header', 'main > nav', '#panel'].map(box);
        const beside = panel && panel.left > width / 2;
        return {
            top: Math.max(header?.bottom ?? 0, 0), bottom: Math.max(height - (nav?.top ?? height), 0), left: 0,
            right: beside ? width - panel.left : 0,
        };
    }

    // shows the bodies in a frame
    async show(frame) {
        ++this.ticket;
        const [state, found] = await Promise.all([this.data.state(frame), this.data.found(frame)]);
        await this.#remesh(state);
        state.bodies.forEach((b, i) => {
            this.bodies[i].move(b.positions);
        });
        this.between = null;
        this.#take(state, found, this.data.frames[frame]);
    }

    // Shows the bodies between the frame before (`time` 0) and this frame (`time` 1), and faintly in both frames.
    async showBetween(frame, time) {
        const ticket = ++this.ticket;
        const [from, to, found] = await Promise.all(
            [this.data.state(Math.max(frame - 1, 0)), this.data.state(frame), this.data.found(frame)]);
        await this.#remesh(to);
        if (ticket !== this.ticket) {
            return false;
        }
        to.bodies.forEach((b, i) => {
            const [first, last] = [from.bodies[i], b.positions];
            const moves = first?.mesh === b.mesh && first.positions.some((x, k) => x !== last[k]);
            this.bodies[i].move(moves ? first.positions.map((x, k) => x + time * (last[k] - x)) : last,
                moves ? [first.positions, last] : []);
        });
        this.between = { frame, time };
        this.#take(to, { ...found, lists: [], segments: [], contours: [] }, {});
        this.found = found;
        return true;
    }

    async #remesh(state) {
        const meshes = await Promise.all(state.bodies.map((b) => this.data.mesh(b.mesh)));
        state.bodies.forEach((b, i) => this.bodies[i].remesh(b.mesh, meshes[i]));
    }

    // takes the findings of what is shown now
    #take(state, found, info) {
        this.state = state;
        this.found = found;
        const touching = this.bodies.map(() => new Set());
        for (const { a, b, first, second } of found.lists) {
            first.forEach((t) => touching[a].add(t));
            second.forEach((t) => touching[b].add(t));
        }
        this.bodies.forEach((body, i) => body.mesh !== null && body.highlight([...touching[i]]));
        this.contours = found.contours;
        this.segments.set(Float32Array.from([...found.segments, ...found.contours.flatMap(segmentsOf)]));
        this.#unchoose();
        this.gaps.set(Float32Array.from((info.gaps ?? []).flatMap((g) => this.#inside(g))));
        this.ways.set(Float32Array.from((info.ways ?? []).flatMap((w) => this.#inside(w))));
        this.#clearFocus();
        this.#relabel();
        this.refresh();
    }

    // converts from the coordinates of the files
    #inside(numbers) {
        return Array.from(numbers, (x, k) => x - this.data.origin[k % 3]);
    }

    // Sets markers of constant size, on top of everything: { position, kind: see KINDS, label, current: drawn larger,
    // select: called at a click }.
    markers(list) {
        this.marked = list.map((entry) => ({ ...entry, at: this.#inside(entry.position) }));
        this.#fillMarkers();
        this.#relabel();
        this.draw();
    }

    #fillMarkers() {
        const numbers = (entries) => Float32Array.from(entries.flatMap(({ at, kind }) => {
            const [name, colour, shape] = KINDS[kind] ?? KINDS.between;
            return [...at, ...this.styled(name, colour), shape];
        }));
        this.points.set(numbers(this.marked.filter((entry) => !entry.current)));
        this.current.set(numbers(this.marked.filter((entry) => entry.current)));
    }

    // makes labels of markers, then of separating translations and distances, the most important first
    #relabel() {
        const measured = (ends, kind, order) => {
            const list = [];
            for (let i = 0; i < ends.length; i += 6) {
                const [a, b] = [[...ends.subarray(i, i + 3)], [...ends.subarray(i + 3, i + 6)]];
                list.push({ position: mix(a, b, 0.5), ends: [a, b], size: length(sub(b, a)), kind });
            }
            return list.sort((x, y) => order * (x.size - y.size)).map((entry) => ({ ...entry, text: three(entry.size) }));
        };
        this.labels.set([
            ...this.marked.filter((entry) => entry.label).map(({ at, label, kind }) => ({ position: at, text: label, kind })),
            ...measured(this.ways.array, 'depth', -1),
            ...measured(this.gaps.array, 'near', 1),
        ]);
    }

    // selects the marker under a click
    #tap(x, y) {
        let best = null;
        for (const entry of this.marked) {
            const at = entry.select && this.camera.project(entry.at);
            const far = at ? Math.hypot(at[0] - x, at[1] - y) : Infinity;
            if (far < (best?.far ?? MARKER)) {
                best = { far, entry };
            }
        }
        if (best) {
            best.entry.select(best.entry);
        } else {
            this.onTap(this.at([x, y]));
        }
    }

    // What is at a spot of the picture: { contour, segment } or { body, triangle, point }, the contour and the body as
    // numbers, the point relative to data.origin; null if there is nothing. A contour behind a surface is passed.
    at(spot) {
        const ray = rayThrough(this.camera, spot);
        const shown = (body) => this.bodies[body].mesh !== null && this.bodies[body].visible;
        const hit = firstOnRay(this.bodies, ray, shown);
        const listed = this.options.segments ? this.contours.map((c) => (shown(c.a) && shown(c.b) ? c : { points: [], closed: false })) : [];
        const line = contourAt(listed, spot, (p) => this.camera.project(p), LINE_REACH);
        if (!line) {
            return hit;
        }
        const { points } = this.contours[line.contour];
        const deep = (p) => dot(sub(this.camera.eye, p), this.camera.away);
        const behind = hit && deep([...points.subarray(3 * line.segment, 3 * line.segment + 3)]) > deep(hit.point) + 0.02 * this.camera.distance;
        return behind && !this.options.through && !this.focus ? hit : line;
    }

    // marks a contour of the frame, and what was chosen before no longer
    chooseContour(number) {
        this.#unchoose();
        this.chosen.set(Float32Array.from(segmentsOf(this.contours[number])));
        this.draw();
    }

    // Marks a triangle that at() found, and the closest one of other bodies, which it returns; null if there is none.
    chooseSurface(hit) {
        this.#unchoose();
        const shown = (body) => this.bodies[body].mesh !== null && this.bodies[body].visible;
        const other = closestOther(this.bodies, hit.body, hit.point, shown);
        this.probed.set(Float32Array.from([hit, other].filter(Boolean).flatMap(({ body, triangle }) => this.bodies[body].outline([triangle]))));
        this.probe.set(Float32Array.from(other ? [...hit.point, ...other.point] : []));
        this.draw();
        return other;
    }

    unchoose() {
        this.#unchoose();
        this.draw();
    }

    #unchoose() {
        [this.chosen, this.probed, this.probe].forEach((numbers) => numbers.set(new Float32Array(0)));
    }

    // applies the options
    refresh() {
        const { level } = this.options;
        if (level >= 0 && this.state) {
            this.boxes.set(Float32Array.from(this.state.boxes(level).flatMap((corners) => boxEdges(corners))));
        }
        this.draw();
    }

    hide(body, hidden) {
        this.bodies[body].visible = !hidden;
        this.draw();
    }

    // Flies to a pair, outlines it and dims the rest: { a, b: bodies, triangles: [[body, triangle], ...], points: [[x, y,
    // z], ...] }, all of which are optional. Without triangles and points it flies to both bodies as a whole. Resolves
    // when it arrives.
    flyTo(target) {
        const triangles = (target.triangles ?? []).filter(([b, t]) => 3 * t < (this.bodies[b]?.index?.length ?? 0));
        const bodies = new Set([target.a, target.b, ...triangles.map(([b]) => b)].filter((b) => this.bodies[b]?.index));
        const corners = triangles.map(([b, t]) => this.bodies[b].corners(t));
        let points = [...corners.flat(), ...(target.points ?? []).map((p) => this.#inside(p))];
        if (points.length === 0) {
            points = [...bodies].flatMap((b) => boxCorners(this.bodies[b].bounds));
        }
        if (points.length === 0) {
            return Promise.resolve();
        }
        this.before ??= this.camera.place;
        this.#setFocus(target, bodies, triangles);
        this.draw();
        return this.camera.fly(this.#placeFor(points, corners), this.#seconds());
    }

    #seconds() {
        return matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : FLIGHT;
    }

    // Ends the dimming of flyTo and, unless `move` is false, flies back to the view before it.
    flyBack(move = true) {
        const { before } = this;
        this.before = null;
        this.#clearFocus();
        this.draw();
        return before && move ? this.camera.fly(before, this.#seconds()) : Promise.resolve();
    }

    #setFocus(target, bodies, triangles) {
        const parts = [...bodies].map((b) => {
            const own = [...new Set(triangles.filter(([body]) => body === b).map(([, t]) => t))];
            return { body: this.bodies[b], own, index: new Numbers(this.bodies[b].part(own)) };
        });
        this.focus = { ...target, bodies, parts };
        this.outline.set(Float32Array.from(parts.flatMap(({ body, own }) => body.outline(own))));
    }

    #clearFocus() {
        this.focus = null;
        this.outline.set(new Float32Array(0));
    }

    // the view of a target: the current direction, unless it is along the triangles, near enough to distinguish them
    #placeFor(points, corners) {
        const normals = corners.map(([p, q, r]) => unit(cross(sub(q, p), sub(r, p))));
        let { away } = this.camera;
        const steepest = normals.reduce((best, n) => (Math.abs(dot(n, away)) > Math.abs(dot(best, away)) ? n : best), normals[0] ?? away);
        if (Math.abs(dot(steepest, away)) < 0.35) {
            away = unit(add(away, steepest, dot(steepest, away) < 0 ? -0.8 : 0.8));
        }
        const near = this.camera.fit(points.flat(), away);
        const all = this.camera.fit(this.#sample(), away).distance;
        const distance = Math.max(Math.min(2.4 * near.distance, Math.max(1.15 * near.distance, all)), 0.012 * all, 1e-30);
        return { ...near, distance };
    }

    #drawSoon() {
        this.pending ??= requestAnimationFrame(() => {
            this.pending = null;
            this.#drawNow();
        });
    }

    // draws now; while it plays, once for all changes of a frame
    draw() {
        if (this.isPlaying) {
            this.#drawSoon();
        } else {
            this.#drawNow();
        }
    }

    #drawNow() {
        const { renderer, camera } = this;
        if (!camera || camera.height <= 1) {
            return;
        }
        const view = camera.view(boxCorners(this.#bounds()));
        if (renderer && !renderer.lost) {
            renderer.begin(view);
            this.#drawBodies();
            this.#drawLines();
        }
        this.labels.place(camera);
    }

    // how a body is drawn; bodies that are not the target of flyTo are dimmed
    #look(number) {
        const { focus, options, paint } = this;
        const opacity = options.through ? 0.3 : 1;
        const look = { lit: 1, back: 2, fade: paint.ground, faded: 0 };
        if (!focus) {
            return { ...look, opacity };
        }
        return focus.bodies.has(number) ? { ...look, opacity: 0.34, faded: 0.3 } : { ...look, opacity: 0.08, faded: 0.4 };
    }

    #drawBodies() {
        const { renderer, focus, paint } = this;
        const shown = this.bodies.map((body, number) => ({ body, look: this.#look(number) }))
            .filter(({ body }) => body.mesh !== null && body.visible && body.positions.length > 0);
        const surface = ({ body, look }) => renderer.triangles(body.place, body.normals, body.triangles, { ...look, colour: body.colour });
        const hits = ({ body }, opacity, onTop = false) => this.options.contacts
            && renderer.triangles(body.place, null, body.hits, { lit: 0, back: 1, colour: paint.hit, opacity, onTop });
        const solid = shown.filter(({ look }) => look.opacity === 1);
        const clear = shown.filter(({ look }) => look.opacity < 1).sort((a, b) => this.#behind(b.body) - this.#behind(a.body));
        solid.forEach(surface);
        if (!focus) {
            solid.forEach((entry) => hits(entry, GLOW, true));
            shown.forEach((entry) => hits(entry, 1));
        }
        clear.forEach(surface);
        if (focus) {
            clear.filter(({ body }) => focus.parts.some((part) => part.body === body)).forEach((entry) => hits(entry, 0.16));
        }
        for (const { body, look } of shown) {
            body.ghosts.forEach((place) => renderer.triangles(place, null, body.triangles,
                { ...look, colour: body.colour, opacity: 0.13 }));
            if (this.options.edges) {
                renderer.edges(body.place, body.edges, { colour: paint.wire, opacity: focus ? 0.1 : 0.22 });
            }
        }
        if (focus) {
            renderer.inFront();
            focus.parts.forEach(({ body, index }) => renderer.triangles(body.place, null, index, { lit: 1, colour: body.colour }));
        }
    }

    // the distance of a body's centre behind the origin, seen from the eye; orders bodies by depth
    #behind(body) {
        return -dot(mix(body.bounds.low, body.bounds.high, 0.5), this.camera.away);
    }

    #drawLines() {
        const { renderer, options, paint, focus } = this;
        const dim = focus && this.outline.array.length > 0 ? 0.35 : 1;
        const fit = (ends, width, colour, more = {}) => {
            renderer.lines(ends, { width: width + 3, colour: paint.halo, onTop: true, opacity: dim, ...more });
            renderer.lines(ends, { width, colour, onTop: true, opacity: dim, ...more });
        };
        if (options.segments) {
            renderer.lines(this.segments, { width: 1.4, colour: paint.line, opacity: dim, onTop: focus !== null });
            renderer.lines(this.segments, { width: 1.4, colour: paint.line, opacity: 0.14 * dim, onTop: true });
        }
        if (options.level >= 0) {
            renderer.lines(this.boxes, { width: 1.2, colour: rgb(LEVEL_COLOURS[options.level]), opacity: 0.85 * dim });
        }
        fit(this.gaps, 2, paint.gap);
        renderer.lines(this.ways, { width: 5.5, cut: 11, colour: paint.halo, onTop: true, opacity: dim });
        renderer.heads(this.ways, { width: 13, cut: 15, grow: 1.5, colour: paint.halo, onTop: true, opacity: dim });
        renderer.lines(this.ways, { width: 2.5, cut: 11, round: 0, colour: paint.way, onTop: true, opacity: dim });
        renderer.heads(this.ways, { width: 13, cut: 15, colour: paint.way, onTop: true, opacity: dim });
        fit(this.chosen, 3.4, paint.way, { opacity: 1 });
        fit(this.probed, 2.4, paint.core, { opacity: 1 });
        fit(this.probe, 2, paint.gap, { opacity: 1 });
        // thinner lines if there are many, because they would hide the triangles
        fit(this.outline, this.outline.array.length > 6 * MANY ? 1.6 : 2.4, paint.core, { opacity: 1 });
        const rims = { inner: paint.halo, outer: paint.core };
        renderer.points(this.points, { width: MARKER, opacity: focus ? 0.5 : 1, ...rims });
        renderer.points(this.current, { width: 1.4 * MARKER, ...rims });
    }
}

function boxEdges(corners) {
    const out = [];
    for (let i = 0; i < corners.length; i += 6) {
        for (const k of EDGES) {
            for (let d = 0; d < 3; ++d) {
                out.push(corners[i + d + ((k >> d) & 1 ? 3 : 0)]);
            }
        }
    }
    return out;
}
