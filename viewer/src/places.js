// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Finds where the contact of two bodies is: for markers, and to fly there.
import { patchOf } from './pick.js';

const MOST_POINTS = 3000; // of a contact that are used to find its middle

function mean(points) {
    const sum = [0, 0, 0];
    points.forEach((p) => p.forEach((x, d) => { sum[d] += x / points.length; }));
    return sum;
}

// The point closest to the mean of all points: for a ring this is a point on it, not its empty middle.
function central(points) {
    if (points.length === 0) {
        return null;
    }
    const middle = mean(points);
    const away = (p) => p.reduce((n, x, d) => n + (x - middle[d]) ** 2, 0);
    return points.reduce((best, p) => (away(p) < away(best) ? p : best));
}

const triples = (flat) => {
    const step = 3 * Math.max(Math.ceil(flat.length / 3 / MOST_POINTS), 1);
    const out = [];
    for (let i = 0; i + 2 < flat.length; i += step) {
        out.push([flat[i], flat[i + 1], flat[i + 2]]);
    }
    return out;
};

// the lines between two bodies, the longest first
const linesOf = (data, frame, { a, b }) => data.frames[frame].lines
    .filter((line) => (line.a === a && line.b === b) || (line.a === b && line.b === a)).sort((x, y) => y.length - x.length);

// the centroids of triangles
async function middles(data, state, body, triangles) {
    const { mesh, positions } = state.bodies[body];
    const { index } = await data.mesh(mesh);
    const step = Math.max(1, Math.ceil(triangles.length / MOST_POINTS));
    return Array.from(triangles).filter((_, i) => i % step === 0).map((t) => mean([0, 1, 2].map((c) => {
        const v = 3 * index[3 * t + c];
        return [positions[v], positions[v + 1], positions[v + 2]];
    })));
}

// The points of a contact, in the coordinates of the files: where surfaces cross, or else centroids of touching
// triangles, or else the ends of lines.
async function pointsOf(data, frame, state, entry) {
    const whole = (points) => points.map((p) => p.map((x, d) => x + data.origin[d]));
    const { list, sweep, contours } = entry;
    const crossing = [...(contours ?? []).flatMap(([contour]) => triples(contour.points)), ...triples(list?.segments ?? [])];
    if (crossing.length > 0) {
        return whole(crossing);
    }
    if (list?.first.length > 0) {
        return whole(await middles(data, state, entry.a, list.first));
    }
    if (sweep?.contacts.length > 0) {
        return whole([[...sweep.contacts[0].point]]);
    }
    const [line] = linesOf(data, frame, entry);
    if (line) {
        return [mean(line.ends)];
    }
    if (entry.inside && data.kept(frame)) {
        return whole([mean(triples(state.bodies[entry.inside === 'a' ? entry.a : entry.b].positions))]);
    }
    return [];
}

export async function spotOf(data, frame, state, entry) {
    return central(await pointsOf(data, frame, state, entry));
}

// The target of a flight: triangles, each with its body, or points; null if nothing is drawn.
export async function targetOf(data, frame, state, entry, part) {
    const { a, b, list, sweep } = entry;
    if (part) {
        return { a, b, triangles: [[a, part.first], [b, part.second]] };
    }
    if (list?.first.length > 0) {
        return { a, b, triangles: [...Array.from(list.first, (t) => [a, t]), ...Array.from(list.second, (t) => [b, t])] };
    }
    if (sweep?.contacts.length > 0) {
        return { a, b, triangles: [[a, sweep.contacts[0].first], [b, sweep.contacts[0].second]] };
    }
    const ends = linesOf(data, frame, entry).flatMap((line) => line.ends);
    if (ends.length > 0) {
        return { a, b, points: ends };
    }
    return entry.inside && data.kept(frame) ? { a: entry.inside === 'a' ? a : b } : null;
}

// The target of an event, or of one of its patches, in its worst frame: the triangles of the patch, if the page has them;
// or else all that touch there; or else a box around its place.
export async function eventTarget(data, found, event, patch) {
    const { a, b } = event;
    const { pair, place, size } = patch ?? event;
    const list = found.lists.find((l) => l.a === a && l.b === b);
    const pairs = list && pair ? patchOf(list, pair) : [];
    if (pairs.length > 0) {
        return { a, b, triangles: pairs.flatMap((k) => [[a, list.first[k]], [b, list.second[k]]]) };
    }
    const half = (size ?? 0) / 2;
    return { a, b, points: [-1, 1].map((side) => place.map((x) => x + side * half)) };
}
