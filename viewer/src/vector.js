// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Vectors of three numbers, and matrices of sixteen in column-major order as in WebGL.

export const add = (a, b, s = 1) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
export const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scale = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const length = (a) => Math.hypot(a[0], a[1], a[2]);
export const mix = (a, b, t) => [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), a[2] + t * (b[2] - a[2])];

export function unit(a) {
    const size = length(a);
    return size > 0 ? scale(a, 1 / size) : [0, 0, 1];
}

// `a` rotated around a unit `axis`
export function turn(a, axis, angle) {
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    return add(add(scale(a, c), cross(axis, a), s), axis, dot(axis, a) * (1 - c));
}

export function product(a, b) {
    const out = new Float64Array(16);
    for (let column = 0; column < 4; ++column) {
        for (let row = 0; row < 4; ++row) {
            for (let k = 0; k < 4; ++k) {
                out[4 * column + row] += a[4 * k + row] * b[4 * column + k];
            }
        }
    }
    return out;
}

// homogeneous coordinates of a point
export function transform(m, p) {
    return [0, 1, 2, 3].map((row) => m[row] * p[0] + m[4 + row] * p[1] + m[8 + row] * p[2] + m[12 + row]);
}

// An empty box, and a box extended by points.
export const noBox = () => ({ low: [Infinity, Infinity, Infinity], high: [-Infinity, -Infinity, -Infinity] });

export function growBox(box, points) {
    for (let i = 0; i < points.length; ++i) {
        const d = i % 3;
        const x = points[i];
        if (x < box.low[d]) {
            box.low[d] = x;
        }
        if (x > box.high[d]) {
            box.high[d] = x;
        }
    }
    return box;
}

// the eight corners of a box; none if it is empty
export function boxCorners({ low, high }) {
    return low[0] > high[0] ? []
        : [0, 1, 2, 3, 4, 5, 6, 7].map((k) => [0, 1, 2].map((d) => ((k >> d) & 1 ? high[d] : low[d])));
}

// area-weighted normals at the vertices
export function smoothNormals(positions, index, normals) {
    normals.fill(0);
    for (let t = 0; t < index.length; t += 3) {
        const [i, j, k] = [3 * index[t], 3 * index[t + 1], 3 * index[t + 2]];
        const ux = positions[j] - positions[i];
        const uy = positions[j + 1] - positions[i + 1];
        const uz = positions[j + 2] - positions[i + 2];
        const vx = positions[k] - positions[i];
        const vy = positions[k + 1] - positions[i + 1];
        const vz = positions[k + 2] - positions[i + 2];
        const nx = uy * vz - uz * vy;
        const ny = uz * vx - ux * vz;
        const nz = ux * vy - uy * vx;
        for (const v of [i, j, k]) {
            normals[v] += nx;
            normals[v + 1] += ny;
            normals[v + 2] += nz;
        }
    }
    // normalised here, because squares of tiny areas underflow in the shader
    for (let v = 0; v < normals.length; v += 3) {
        const size = Math.hypot(normals[v], normals[v + 1], normals[v + 2]);
        if (size > 0) {
            normals[v] /= size;
            normals[v + 1] /= size;
            normals[v + 2] /= size;
        }
    }
}
