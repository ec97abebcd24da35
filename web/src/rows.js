// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Rows of answers, read where they lie in the module's memory. web/module/queries.c proves the offsets used here.
import { calls, memory } from './core.js';

const words = (address, count) => new Uint32Array(memory().buffer, address, count);
const view = (address, size) => new DataView(memory().buffer, address, size);
const triple = (row, at) => [row.getFloat64(at, true), row.getFloat64(at + 8, true), row.getFloat64(at + 16, true)];
const features = ['vertex', 'edge', 'face'];

/**
 * The rows of an answer, sorted, with those of equal bodies together. Rows are read when they are asked for. They
 * belong to the scene and are valid until its next query of the same kind; copy() keeps them.
 */
export class Rows {
    #scene;
    #result;
    #serial;
    #address;
    constructor(scene, result, address, length) {
        this.#scene = scene;
        this.#result = result;
        this.#serial = result.serial;
        this.#address = address;
        this.length = length;
    }
    /** Used by the classes of rows. */
    address() {
        if (this.#serial !== this.#result.serial) {
            throw new Error('abut: a later query has replaced these rows; use copy() to keep rows');
        }
        return this.#address;
    }
    bodyAt(index) {
        return this.#scene.body(index);
    }
    at(i) {
        if (!Number.isInteger(i) || i < -this.length || i >= this.length) {
            return undefined;
        }
        const k = i < 0 ? i + this.length : i;
        return this.read(view(this.address() + k * this.rowBytes, this.rowBytes));
    }
    *[Symbol.iterator]() {
        for (let i = 0; i < this.length; ++i) {
            yield this.at(i);
        }
    }
    /** All rows as an array of objects, which stays valid. */
    copy() {
        return Array.from(this);
    }
    bodies(row) {
        return { bodyA: this.bodyAt(row.getUint32(0, true)), bodyB: this.bodyAt(row.getUint32(4, true)),
            triangleA: row.getUint32(8, true), triangleB: row.getUint32(12, true) };
    }
}

/** Pairs of triangles that touch. */
export class Pairs extends Rows {
    rowBytes = 16;
    read(row) {
        return this.bodies(row);
    }
    /** Four numbers a pair without a copy: body a, body b, triangle a, triangle b. A view of the module's memory. */
    get data() {
        return words(this.address(), 4 * this.length);
    }
    /** Two numbers a pair: triangle a, triangle b. A copy. */
    triangles() {
        const data = this.data;
        const out = new Uint32Array(2 * this.length);
        for (let i = 0; i < this.length; ++i) {
            out[2 * i] = data[4 * i + 2];
            out[2 * i + 1] = data[4 * i + 3];
        }
        return out;
    }
}

function witness(row, at) {
    return { point: triple(row, at), weights: triple(row, at + 24), feature: features[row.getUint32(at + 48, true)],
        index: row.getUint32(at + 52, true) };
}

/** Pairs of triangles with their distance and closest points. */
export class DistancePairs extends Rows {
    rowBytes = 144;
    read(row) {
        return { ...this.bodies(row), distance: row.getFloat64(16, true), gap: row.getFloat64(24, true), a: witness(row, 32), b: witness(row, 88) };
    }
}

const contacts = ['vertex-face', 'face-vertex', 'edge-edge'];
const used = (row, at) => [0, 4, 8].map((k) => row.getUint32(at + k, true)).filter((v) => v !== 0xffffffff);

/** Contacts within a step; `time` is the earliest of them, Infinity without any. */
export class SweepPairs extends Rows {
    rowBytes = 128;
    time = Infinity;
    read(row) {
        return { ...this.bodies(row), kind: contacts[row.getUint32(16, true)], undecided: row.getUint8(20) !== 0,
            verticesA: used(row, 24), verticesB: used(row, 36), time: row.getFloat64(48, true),
            weightsA: triple(row, 56), weightsB: triple(row, 80), normal: triple(row, 104) };
    }
}

/** Triangles that rays meet, ascending by ray. */
export class RayHits extends Rows {
    rowBytes = 48;
    read(row) {
        return { ray: row.getUint32(0, true), body: this.bodyAt(row.getUint32(4, true)),
            triangle: row.getUint32(8, true), side: ['front', 'back', 'edge-on'][row.getUint32(12, true)],
            t: row.getFloat64(16, true), weights: triple(row, 24) };
    }
}

const sides = ['outside', 'inside', 'surface', 'partly', 'undefined'];

/** Triangles that are closest to points, ascending by point. */
export class ClosestPoints extends Rows {
    rowBytes = 80;
    read(row) {
        return { point: row.getUint32(0, true), body: this.bodyAt(row.getUint32(4, true)),
            triangle: row.getUint32(8, true), side: sides[row.getUint32(12, true)],
            distance: row.getFloat64(16, true), nearest: witness(row, 24) };
    }
}

const regionKinds = ['contact', 'inside-b', 'inside-a', 'fold'];

/** Regions of contact; `defined` is false if a surface is open or of mixed orientation. */
export class Regions extends Rows {
    rowBytes = 152;
    defined = false;
    read(row) {
        return { id: row.getUint32(0, true), kind: regionKinds[row.getUint32(4, true)], direction: triple(row, 8),
            depth: row.getFloat64(32, true), upper: row.getFloat64(40, true), lower: row.getFloat64(48, true),
            pointA: triple(row, 56), pointB: triple(row, 80), interlocked: row.getUint8(104) !== 0,
            isNew: row.getUint8(105) !== 0, turnAngle: row.getFloat64(112, true), jump: row.getFloat64(120, true),
            pairs: this.#pairs(row.getUint32(128, true), row.getUint32(132, true)) };
    }
    #pairs(first, count) {
        const data = words(this.pairsAt + 16 * first, 4 * count);
        return Array.from({ length: count }, (_, i) => [data[4 * i + 2], data[4 * i + 3]]);
    }
}

/** Reads the rows of a result: their address and number. */
export function rowsOf(name, result, countAt) {
    const address = calls()[`web_${name}_rows`](result, countAt);
    return [address, words(countAt, 1)[0]];
}
