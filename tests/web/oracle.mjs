// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Which triangles touch, by brute force in integers (BigInt): the oracle of the tests of the npm package. Two closed
// triangles share a point exactly if an edge of one shares a point with the other. Nothing here is taken from abut.

const sign = (x) => (x > 0n ? 1 : x < 0n ? -1 : 0);
const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const isZero = (a) => a[0] === 0n && a[1] === 0n && a[2] === 0n;

// The double as a multiple of 2^-149, which every float is.
export function exact(x) {
    const scaled = x * 2 ** 149;
    if (!Number.isInteger(scaled)) {
        throw new Error(`the oracle cannot take ${x}`);
    }
    return BigInt(scaled);
}

// ---- in a plane: the axis k is left out

const turn = (a, b, c, k) => {
    const [x, y] = k === 0 ? [1, 2] : k === 1 ? [0, 2] : [0, 1];
    return sign((b[x] - a[x]) * (c[y] - a[y]) - (b[y] - a[y]) * (c[x] - a[x]));
};
const between = (a, b, x) => [0, 1, 2].every((d) => (a[d] <= x[d] && x[d] <= b[d]) || (b[d] <= x[d] && x[d] <= a[d]));

function segmentsTouch(a, b, c, d, k) {
    const abc = turn(a, b, c, k);
    const abd = turn(a, b, d, k);
    const cda = turn(c, d, a, k);
    const cdb = turn(c, d, b, k);
    if (abc * abd < 0 && cda * cdb < 0) {
        return true;
    }
    return (abc === 0 && between(a, b, c)) || (abd === 0 && between(a, b, d)) ||
        (cda === 0 && between(c, d, a)) || (cdb === 0 && between(c, d, b));
}

function inside(x, t, k) {
    const turns = [0, 1, 2].map((i) => turn(t[i], t[(i + 1) % 3], x, k));
    return turns.every((s) => s >= 0) || turns.every((s) => s <= 0);
}

// ---- in space

function segmentTouches(p, q, t, normal) {
    const a = dot(normal, minus(p, t[0]));
    const b = dot(normal, minus(q, t[0]));
    if (sign(a) * sign(b) > 0) {
        return false;
    }
    if (a === 0n && b === 0n) {
        const k = normal.findIndex((n) => n !== 0n);
        return inside(p, t, k) || inside(q, t, k) ||
            [0, 1, 2].some((i) => segmentsTouch(p, q, t[i], t[(i + 1) % 3], k));
    }
    // the point where the segment meets the plane, times a - b
    const w = a - b;
    const x = [0, 1, 2].map((d) => p[d] * w + (q[d] - p[d]) * a);
    const sides = [0, 1, 2].map((i) => {
        const e = minus(t[(i + 1) % 3], t[i]);
        return sign(dot(normal, cross(e, [0, 1, 2].map((d) => x[d] - t[i][d] * w)))) * sign(w);
    });
    return sides.every((s) => s >= 0);
}

export function hasArea(t) {
    return !isZero(cross(minus(t[1], t[0]), minus(t[2], t[0])));
}

// Triangles with an area, as three points of three integers.
export function touch(s, t) {
    for (let d = 0; d < 3; ++d) {
        const low = (u) => u.reduce((m, v) => (v[d] < m ? v[d] : m), u[0][d]);
        const high = (u) => u.reduce((m, v) => (v[d] > m ? v[d] : m), u[0][d]);
        if (high(s) < low(t) || high(t) < low(s)) {
            return false;
        }
    }
    const ns = cross(minus(s[1], s[0]), minus(s[2], s[0]));
    const nt = cross(minus(t[1], t[0]), minus(t[2], t[0]));
    return [0, 1, 2].some((i) => segmentTouches(s[i], s[(i + 1) % 3], t, nt) ||
        segmentTouches(t[i], t[(i + 1) % 3], s, ns));
}

const corners = (points, index, k) => [0, 1, 2].map((i) =>
    [0, 1, 2].map((d) => points[3 * index[3 * k + i] + d]));

// All pairs within a mesh that touch and share no class of vertices, as "a b", ascending.
export function selfPairs(vertices, index, classes) {
    const points = Array.from(vertices, exact);
    const triangles = Array.from({ length: index.length / 3 }, (_, k) => corners(points, index, k));
    const found = [];
    for (let a = 0; a < triangles.length; ++a) {
        for (let b = a + 1; b < triangles.length; ++b) {
            const shared = [0, 1, 2].some((i) => [0, 1, 2].some((j) =>
                classes[index[3 * a + i]] === classes[index[3 * b + j]]));
            if (!shared && touch(triangles[a], triangles[b])) {
                found.push(`${a} ${b}`);
            }
        }
    }
    return found;
}

// The same between two meshes, given as [vertices, index].
export function pairsBetween([verticesA, indexA], [verticesB, indexB]) {
    const a = Array.from(verticesA, exact);
    const b = Array.from(verticesB, exact);
    const found = [];
    for (let i = 0; i < indexA.length / 3; ++i) {
        for (let k = 0; k < indexB.length / 3; ++k) {
            if (touch(corners(a, indexA, i), corners(b, indexB, k))) {
                found.push(`${i} ${k}`);
            }
        }
    }
    return found;
}

// ---- random meshes on a lattice, where special cases are frequent

export function randomNumbers(seed) {
    let state = seed >>> 0;
    return (n) => { // an integer below n, by a generator of 32 bits
        state = (state + 0x6d2b79f5) >>> 0;
        let z = Math.imul(state ^ (state >>> 15), state | 1);
        z ^= z + Math.imul(z ^ (z >>> 7), z | 61);
        return ((z ^ (z >>> 14)) >>> 0) % n;
    };
}

// Positions that are multiples of 1/4, and triangles that have an area.
export function randomMesh(random, vertexCount, triangleCount, size) {
    const positions = Float64Array.from({ length: 3 * vertexCount }, () => random(4 * size) / 4);
    const index = [];
    while (index.length < 3 * triangleCount) {
        const t = [random(vertexCount), random(vertexCount), random(vertexCount)];
        if (hasArea(t.map((v) => [0, 1, 2].map((d) => exact(positions[3 * v + d]))))) {
            index.push(...t);
        }
    }
    return [positions, Uint32Array.from(index)];
}

// Equal rest positions are one class.
export function classesOf(positions) {
    return Array.from({ length: positions.length / 3 }, (_, v) => positions.slice(3 * v, 3 * v + 3).join());
}
