// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Finds what is under a click, and what is closest to a point: plain loops over all triangles, once a click.
import { add, cross, dot, length, mix, scale, sub } from './vector.js';

const at = (points, v) => [points[3 * v], points[3 * v + 1], points[3 * v + 2]];
export const cornersOf = ({ index, positions }, triangle) => [0, 1, 2].map((c) => at(positions, index[3 * triangle + c]));

// how far along a ray a triangle is (Moeller and Trumbore, 1997); Infinity if the ray misses it
function along(origin, direction, [p, q, r]) {
    const [u, v] = [sub(q, p), sub(r, p)];
    const side = cross(direction, v);
    const volume = dot(u, side);
    if (volume === 0) {
        return Infinity;
    }
    const off = sub(origin, p);
    const a = dot(off, side) / volume;
    const turned = cross(off, u);
    const b = dot(direction, turned) / volume;
    const t = dot(v, turned) / volume;
    return a >= 0 && b >= 0 && a + b <= 1 && t > 0 ? t : Infinity;
}

// The first triangle on a ray: { body, triangle, point }; null if there is none. Bodies have `index` and `positions`;
// those that `shown` leaves out are passed.
export function firstOnRay(bodies, { origin, direction }, shown = () => true) {
    let best = null;
    bodies.forEach((surface, body) => {
        for (let t = 0; shown(body) && surface.index && 3 * t < surface.index.length; ++t) {
            const far = along(origin, direction, cornersOf(surface, t));
            if (far < (best?.far ?? Infinity)) {
                best = { far, body, triangle: t };
            }
        }
    });
    return best && { body: best.body, triangle: best.triangle, point: add(origin, direction, best.far) };
}

const clamp = (x) => Math.min(Math.max(x, 0), 1);

function onSegment(p, a, b) {
    const way = sub(b, a);
    const size = dot(way, way);
    return mix(a, b, size > 0 ? clamp(dot(sub(p, a), way) / size) : 0);
}

// the point of a triangle that is closest to p
export function closestOn(p, [a, b, c]) {
    const [u, v, w] = [sub(b, a), sub(c, a), sub(p, a)];
    const normal = cross(u, v);
    const area = dot(normal, normal);
    if (area > 0) {
        const s = dot(cross(w, v), normal) / area;
        const t = dot(cross(u, w), normal) / area;
        if (s >= 0 && t >= 0 && s + t <= 1) {
            return add(add(a, u, s), v, t);
        }
    }
    const ends = [onSegment(p, a, b), onSegment(p, b, c), onSegment(p, c, a)];
    return ends.reduce((best, q) => (length(sub(q, p)) < length(sub(best, p)) ? q : best));
}

// The triangle of other bodies than `own` that is closest to a point: { body, triangle, point, distance }; null if there
// is none.
export function closestOther(bodies, own, point, shown = () => true) {
    let best = null;
    bodies.forEach((surface, body) => {
        for (let t = 0; body !== own && shown(body) && surface.index && 3 * t < surface.index.length; ++t) {
            const corners = cornersOf(surface, t);
            // no point of the triangle is closer than its box
            const gap = [0, 1, 2].map((d) => Math.max(Math.min(corners[0][d], corners[1][d], corners[2][d]) - point[d],
                point[d] - Math.max(corners[0][d], corners[1][d], corners[2][d]), 0));
            if (length(gap) < (best?.distance ?? Infinity)) {
                const on = closestOn(point, corners);
                const distance = length(sub(on, point));
                if (distance < (best?.distance ?? Infinity)) {
                    best = { body, triangle: t, point: on, distance };
                }
            }
        }
    });
    return best;
}

// the distance of a spot on the screen from the line between two others; Infinity if one is behind the eye
function apart([x, y], a, b) {
    if (!a || !b) {
        return Infinity;
    }
    const on = onSegment([x, y, 0], [...a, 0], [...b, 0]);
    return Math.hypot(on[0] - x, on[1] - y);
}

// The contour at a spot of the screen, at most `reach` pixels away: { contour, segment }; null if there is none.
export function contourAt(contours, spot, project, reach) {
    let best = null;
    contours.forEach((contour, number) => {
        const { points, closed } = contour;
        const count = points.length / 3;
        let from = project(at(points, 0));
        for (let k = 0; k < count - (closed ? 0 : 1); ++k) {
            const to = project(at(points, (k + 1) % count));
            const far = apart(spot, from, to);
            if (far <= (best?.far ?? reach)) {
                best = { far, contour: number, segment: k };
            }
            from = to;
        }
    });
    return best && { contour: best.contour, segment: best.segment };
}

// the ends of the segments of a contour: six numbers each
export function segmentsOf({ points, closed }) {
    const count = points.length / 3;
    const out = [];
    for (let k = 0; k < count - (closed ? 0 : 1); ++k) {
        out.push(...at(points, k), ...at(points, (k + 1) % count));
    }
    return out;
}

// The pairs of a list that are in one patch with a pair [a, b]: those that it shares triangles with, and so on. Their
// numbers in the list; none if the list has not this pair.
export function patchOf({ a, b, first, second }, [wantedA, wantedB]) {
    const uses = new Map(); // pairs by triangle
    const keys = (k) => [`${a} ${first[k]}`, `${b} ${second[k]}`];
    let start = -1;
    for (let k = 0; k < first.length; ++k) {
        for (const key of keys(k)) {
            const known = uses.get(key);
            if (known) {
                known.push(k);
            } else {
                uses.set(key, [k]);
            }
        }
        start = first[k] === wantedA && second[k] === wantedB ? k : start;
    }
    const found = new Set(start < 0 ? [] : [start]);
    for (const k of found) {
        keys(k).forEach((key) => uses.get(key).forEach((other) => found.add(other)));
    }
    return [...found].sort((x, y) => x - y);
}

// the ray through a spot of the screen
export function rayThrough(camera, [x, y]) {
    const [right, up, away] = camera.axes;
    const [mx, my] = camera.middle;
    const slope = camera.pixel / camera.distance;
    const over = [(x - camera.width / 2 - mx) * slope, (camera.height / 2 + my - y) * slope];
    return { origin: camera.eye, direction: add(add(scale(away, -1), right, over[0]), up, over[1]) };
}
