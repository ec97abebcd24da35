// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Shapes: a mesh and the way it moves. Any number of bodies share one.
import { calls, failure, floats, indices, isDouble, keep, ModuleArray, release, triples, withStaged } from './core.js';

const finished = new FinalizationRegistry((state) => free(state));

function free(state) {
    if (state.pointer !== 0) {
        calls().web_shape_destroy(state.pointer);
        state.pointer = 0;
    }
    if (state.keyframes !== 0 && state.bodies === 0) {
        release(state.keyframes); // bodies read them
        state.keyframes = 0;
    }
}

const hidden = Symbol('shape');

/** A mesh and its motion: see shape(), modal(), blend() and flight(), which make shapes. */
export class Shape {
    #state;
    constructor(key, motion, state, vertexCount, triangleCount) {
        if (key !== hidden) {
            throw new TypeError('abut: shapes are made by shape(), modal(), blend() and flight()');
        }
        this.#state = state;
        this.motion = motion;
        this.vertexCount = vertexCount;
        this.triangleCount = triangleCount;
        finished.register(this, state, this);
    }
    /** Used by Scene. */
    use(change) {
        if (this.#state.pointer === 0 && change > 0) {
            throw new Error('abut: this shape was disposed of');
        }
        this.#state.bodies += change;
        if (this.#state.pointer === 0) {
            free(this.#state);
        }
        return this.#state.pointer;
    }
    /** Frees the shape's memory as soon as no body has it. Without this call garbage collection does. */
    dispose() {
        finished.unregister(this);
        free(this.#state);
    }
}
Shape.prototype[Symbol.dispose ?? Symbol.for('Symbol.dispose')] = Shape.prototype.dispose;

/** Makes a mesh for the time of `use`, and a shape of what that returns. */
function make(motion, positions, index, options, use, state = { pointer: 0, keyframes: 0, bodies: 0 }) {
    const points = triples(positions, 'positions');
    const count = points.length / 3;
    const corners = index === null || index === undefined
        ? Uint32Array.from({ length: 3 * Math.floor(count / 3) }, (_, i) => i) // as three.js has it
        : indices(index, 'the index');
    if (corners.length % 3 !== 0) {
        throw new RangeError(`abut: the index must have three numbers a triangle, but it has ${corners.length}`);
    }
    const classes = optional(options.classes, 'classes', count);
    const tags = optional(options.tags, 'tags', corners.length / 3);
    withStaged([points, corners, classes, tags], ([p, c, classesAt, tagsAt]) => {
        const mesh = calls().web_mesh_create(p, count, isDouble(points), c, corners.length / 3, classesAt,
            options.weld === false ? 1 : 0, tagsAt);
        if (mesh === 0) {
            throw failure();
        }
        try {
            state.pointer = use(mesh, count);
        } finally {
            calls().web_mesh_destroy(mesh);
        }
    });
    if (state.pointer === 0) {
        const error = failure();
        free(state);
        throw error;
    }
    return new Shape(hidden, motion, state, count, corners.length / 3);
}

function optional(numbers, what, count) {
    if (numbers === null || numbers === undefined) {
        return null;
    }
    if (numbers.length !== count) {
        throw new RangeError(`abut: ${what} must have ${count} numbers, but there are ${numbers.length}`);
    }
    return indices(numbers, what);
}

/** A shape of free motion: every state gives all positions. */
export function shape(positions, index = null, options = {}) {
    return make('free', positions, index, options, (mesh) => calls().web_shape_free(mesh));
}

/** Fields as the module reads them: four words each, see web_field in web/module/objects.c. */
function withFields(fields, vertexCount, use) {
    const isList = (field) => Array.isArray(field) || ArrayBuffer.isView(field) || field instanceof ModuleArray;
    const values = fields.map((field) => triples(isList(field) ? field : field.values, 'displacements'));
    const vertices = fields.map((field) => (!isList(field) && field.vertices ? indices(field.vertices, 'vertices') : null));
    values.forEach((array, i) => {
        const wanted = vertices[i] === null ? vertexCount : vertices[i].length;
        if (array.length !== 3 * wanted) {
            throw new RangeError(`abut: field ${i} must have ${wanted} displacements, but it has ${array.length / 3}`);
        }
    });
    const counts = values.map((array) => array.length / 3);
    return withStaged([...values, ...vertices], (addresses) => {
        const words = new Uint32Array(4 * fields.length);
        values.forEach((array, i) => {
            words.set([addresses[i], counts[i], isDouble(array), addresses[fields.length + i]], 4 * i);
        });
        return withStaged([words], ([at]) => use(at, fields.length));
    });
}

/** A shape of modal motion: rest positions plus displacement fields (modes, morph targets), weighted by coordinates. */
export function modal(positions, index, fields, options = {}) {
    return make('modal', positions, index, options, (mesh, count) =>
        withFields(fields, count, (at, number) => calls().web_shape_modal(mesh, at, number)));
}

/**
 * A shape of blend motion: weights times transforms of nodes, as for skinned characters. `weights` has nodeCount,
 * nodes and values, perVertex of them each, and options.fields may move the rest positions first.
 */
export function blend(positions, index, weights, options = {}) {
    const nodes = indices(weights.nodes, 'nodes');
    const values = floats(weights.values, 'weights');
    const first = weights.first ? indices(weights.first, 'first') : null;
    return make('blend', positions, index, options, (mesh, count) => {
        const wanted = first === null ? count * weights.perVertex : (first[count] ?? -1);
        if (nodes.length !== wanted || values.length !== wanted) {
            throw new RangeError(`abut: there must be ${wanted} nodes and weights, but there are ${nodes.length} ` +
                `and ${values.length}`);
        }
        return withStaged([first, nodes, values], ([f, n, v]) =>
            withFields(options.fields ?? [], count, (at, number) =>
                calls().web_shape_blend(mesh, weights.nodeCount, weights.perVertex ?? 0, f, n, v, isDouble(values),
                    weights.normalise === false ? 0 : 1, at, number)));
    });
}

/** A shape of flight motion: vertices move straight from keyframe to keyframe. */
export function flight(positions, index, keyframes, options = {}) {
    const times = Float64Array.from(keyframes, (keyframe) => keyframe.time);
    const size = floats(positions, 'positions').length;
    const single = keyframes.every((keyframe) => floats(keyframe.positions, 'positions') instanceof Float32Array);
    const all = new (single ? Float32Array : Float64Array)(size * keyframes.length);
    keyframes.forEach((keyframe, i) => {
        const given = floats(keyframe.positions, 'positions');
        if (given.length !== size) {
            throw new RangeError(`abut: keyframe ${i} must have ${size / 3} positions, but it has ${given.length / 3}`);
        }
        all.set(given, i * size);
    });
    const bad = all.findIndex((x) => !Number.isFinite(x));
    if (bad >= 0) {
        const vertex = Math.floor((bad % size) / 3);
        throw new RangeError(`abut: vertex ${vertex} of keyframe ${Math.floor(bad / size)} is not finite`);
    }
    const state = { pointer: 0, keyframes: all.length > 0 ? keep(all) : 0, bodies: 0 };
    try {
        return make('flight', positions, index, options, (mesh) => withStaged([times], ([t]) =>
            calls().web_shape_flight(mesh, t, keyframes.length, state.keyframes, single ? 0 : 1)), state);
    } catch (error) {
        free(state);
        throw error;
    }
}

