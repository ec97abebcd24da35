// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Scenes, their bodies, and questions to them.
import { calls, doubles, failure, floats, isDouble, memory, ModuleArray, stage, triples } from './core.js';
import { ClosestPoints, DistancePairs, Pairs, RayHits, Regions, rowsOf, SweepPairs } from './rows.js';
import { Shape } from './shapes.js';

const finished = new FinalizationRegistry((state) => free(state));

function free(state) {
    for (const { name, pointer } of state.results.values()) {
        calls()[`web_${name}_destroy`](pointer);
    }
    state.results.clear();
    if (state.pointer !== 0) {
        calls().web_scene_destroy(state.pointer);
        calls().web_free(state.words);
        state.pointer = 0;
    }
}

/** Column-major 4 x 4 elements (or an object with `elements`, as three.js has) as rows of a rotation, then a translation. */
function frameNumbers(frame) {
    const e = frame.elements ?? frame;
    if (e.length !== 16) {
        throw new RangeError(`abut: a frame has 16 numbers, in columns, but this one has ${e.length}`);
    }
    if (e[3] !== 0 || e[7] !== 0 || e[11] !== 0 || e[15] !== 1) {
        throw new RangeError('abut: the last row of a frame must be 0 0 0 1');
    }
    return Float64Array.of(e[0], e[4], e[8], e[1], e[5], e[9], e[2], e[6], e[10], e[12], e[13], e[14]);
}

/** A shape in a scene, with a state: made by Scene.add(). */
export class Body {
    #scene;
    #state;
    #id;
    constructor(scene, state, shape, id, name) {
        this.#scene = scene;
        this.#state = state;
        this.#id = id;
        this.shape = shape;
        this.name = name;
        /** For the caller. */
        this.user = null;
    }
    get scene() {
        return this.#scene;
    }
    /** The number by which rows and `data` name the body. */
    get index() {
        return this.#id[0];
    }
    /** Used by Scene: the index and the generation. */
    id() {
        if (this.#scene.body(this.#id[0]) !== this || this.#state.pointer === 0) {
            throw new Error(`abut: ${this.name} is not in its scene any more`);
        }
        return this.#id;
    }
    #call(name, ...rest) {
        const id = this.id();
        if (calls()[name](this.#state.pointer, id[0], id[1], ...rest) === 0) {
            throw failure((index) => this.#scene.body(index));
        }
    }
    #positions(name, positions) {
        const given = triples(positions, 'positions');
        const count = given.length / 3;
        const [at] = stage(given);
        this.#call(name, at, count, isDouble(given));
    }
    /** Free motion: the positions of all vertices, x, y, z each. The state before stays, for sweeps. */
    setPositions(positions) {
        this.#positions('web_body_set_positions', positions);
    }
    /**
     * Free motion: the same without any copy, of a ModuleArray, which must stay as it is until the next state is set.
     * Sweeps do not see the state before.
     */
    borrowPositions(positions) {
        if (!(positions instanceof ModuleArray) && positions.buffer !== memory().buffer) {
            throw new TypeError('abut: only a ModuleArray can be borrowed');
        }
        this.#positions('web_body_borrow_positions', positions);
    }
    /** Modal motion: a coordinate for each field. */
    setCoordinates(coordinates) {
        const given = doubles(coordinates, 'coordinates');
        const [at] = stage(given);
        this.#call('web_body_set_coordinates', at, given.length);
    }
    /** Blend motion: a transform for each node, 16 numbers in columns or 12 in rows; and coordinates of fields. */
    setTransforms(transforms, coordinates = [], { layout = 'columns' } = {}) {
        const given = floats(transforms, 'transforms');
        const moved = doubles(coordinates, 'coordinates');
        const size = layout === 'columns' ? 16 : 12;
        if (given.length % size !== 0) {
            throw new RangeError(`abut: transforms must have ${size} numbers each, but there are ${given.length} numbers`);
        }
        const count = given.length / size;
        const [at, coordinatesAt] = stage(given, moved);
        this.#call('web_body_set_transforms', at, count, isDouble(given), size === 16 ? 1 : 0, coordinatesAt,
            moved.length);
    }
    /** Flight motion: the time. */
    setTime(time) {
        this.#call('web_body_set_time', time);
    }
    /** A rotation and a translation, as 16 numbers in columns or a Matrix4 of three.js, that all motions have. */
    setFrame(frame) {
        const [at] = stage(frameNumbers(frame));
        this.#call('web_body_set_frame', at);
    }
    /** Sweeps see the body at rest until it gets another state. */
    endStep() {
        this.#call('web_body_end_step');
    }
    #vertices(world, out) {
        const size = 3 * this.shape.vertexCount;
        const target = out ?? new Float64Array(size);
        const [at] = stage(new Float64Array(size));
        this.#call('web_body_vertices', world, 0, this.shape.vertexCount, at);
        target.set(new Float64Array(memory().buffer, at, size));
        return target;
    }
    /** The positions that answers are about: in the shape's coordinates, and in the world's. */
    vertices(out = null) {
        return this.#vertices(0, out);
    }
    worldVertices(out = null) {
        return this.#vertices(1, out);
    }
    /** A box around the whole body, in world axes. */
    box() {
        const [at] = stage(new Float64Array(6));
        this.#call('web_body_box', at);
        const numbers = Array.from(new Float64Array(memory().buffer, at, 6));
        return { min: numbers.slice(0, 3), max: numbers.slice(3) };
    }
    /** Takes the body out of its scene. */
    remove() {
        this.#scene.remove(this);
    }
}

const TWO = 0;
const SELF = 1;
const ALL = 2;
const SELF_ALL = 3;
const none = [0, 0];

/** Bodies that are queried together. */
export class Scene {
    #state;
    #bodies = new Map(); // by index
    #count = 0;
    constructor() {
        const pointer = calls().web_scene_create();
        if (pointer === 0) {
            throw failure();
        }
        this.#state = { pointer, words: calls().web_alloc(64), results: new Map() };
        finished.register(this, this.#state, this);
    }
    #pointer() {
        if (this.#state.pointer === 0) {
            throw new Error('abut: this scene was disposed of');
        }
        return this.#state.pointer;
    }
    /** Adds a body at the rest positions of its shape. */
    add(shape, { frame = null, isStatic = false, groups = 1, mask = 0xffffffff, name = null } = {}) {
        if (!(shape instanceof Shape)) {
            throw new TypeError('abut: Scene.add() takes a shape, made by shape(), modal(), blend() or flight()');
        }
        const [frameAt] = stage(frame === null ? null : frameNumbers(frame));
        const pointer = shape.use(1);
        if (calls().web_body_create(this.#pointer(), pointer, frameAt, isStatic ? 1 : 0, groups, mask,
            this.#state.words) === 0) {
            shape.use(-1);
            throw failure();
        }
        const id = Array.from(new Uint32Array(memory().buffer, this.#state.words, 2));
        const body = new Body(this, this.#state, shape, id, name ?? `body ${this.#count}`);
        ++this.#count;
        this.#bodies.set(id[0], body);
        return body;
    }
    /** Removes a body. */
    remove(body) {
        const [index, generation] = this.#id(body);
        if (calls().web_body_destroy(this.#pointer(), index, generation) === 0) {
            throw failure();
        }
        this.#bodies.delete(index);
        body.shape.use(-1);
    }
    /** The bodies of the scene. */
    get bodies() {
        return Array.from(this.#bodies.values());
    }
    /** The body of an index in rows; null if there is none. */
    body(index) {
        return this.#bodies.get(index) ?? null;
    }
    /** Frees the memory of the scene and its bodies. Without this call garbage collection does. */
    dispose() {
        finished.unregister(this);
        const bodies = this.bodies;
        this.#bodies.clear();
        free(this.#state);
        bodies.forEach((body) => body.shape.use(-1));
    }

    #id(body) {
        if (!(body instanceof Body) || body.scene !== this) {
            throw new TypeError('abut: the body belongs to another scene');
        }
        return body.id();
    }
    // which bodies a query is about: [kind, index and generation of each]
    #which(a, b) {
        return [b === null ? SELF : TWO, ...this.#id(a), ...(b === null ? none : this.#id(b))];
    }
    // the result of a kind of question, made when it is first needed. Those that follow bodies from state to state
    // are one for each question
    #result(name, key = name) {
        let result = this.#state.results.get(key);
        if (result === undefined) {
            const pointer = calls()[`web_${name}_create`]();
            if (pointer === 0) {
                throw failure();
            }
            result = { name, pointer };
            this.#state.results.set(key, result);
        }
        return result;
    }
    #ask(name, kind, arguments_, key = name) {
        const pointer = this.#pointer();
        const result = this.#result(name, key);
        result.serial = (result.serial ?? 0) + 1;
        if (calls()[`web_${name}`](pointer, ...arguments_, result.pointer) === 0) {
            throw failure((index) => this.body(index));
        }
        const [address, count] = rowsOf(name, result.pointer, this.#state.words);
        const rows = new kind(this, result, address, count);
        return [rows, result.pointer];
    }

    #collide(which, { margin = 0, neighbours = false } = {}) {
        return this.#ask('collide', Pairs, [...which, margin, neighbours ? 2 : 0])[0];
    }
    /** The pairs of triangles of two bodies that touch, or are at most options.margin apart. */
    collide(a, b, options = {}) {
        return this.#collide(this.#which(a, b), options);
    }
    /** The same within a body, among triangles that share no vertex. */
    collideSelf(body, options = {}) {
        return this.#collide(this.#which(body, null), options);
    }
    /** The same between all bodies, and within each body. */
    collideAll(options = {}) {
        return this.#collide([ALL, ...none, ...none], options);
    }
    collideSelfAll(options = {}) {
        return this.#collide([SELF_ALL, ...none, ...none], options);
    }

    #nearest(which, { maxDistance = Infinity } = {}) {
        return this.#ask('nearest', DistancePairs, [...which, maxDistance], `nearest ${which}`)[0];
    }
    /** The closest triangles of two bodies, with points; null if they are farther apart than options.maxDistance. */
    nearest(a, b, options = {}) {
        return this.#nearest(this.#which(a, b), options).at(0) ?? null;
    }
    /** For each triangle of a body the closest one of the same body that shares no vertex with it. */
    nearestSelf(body, options = {}) {
        return this.#nearest(this.#which(body, null), options);
    }
    /** For each body the closest other one. */
    nearestAll(options = {}) {
        return this.#nearest([ALL, ...none, ...none], options);
    }

    #depth(which, { oneRegion = false, shortest = false } = {}) {
        const flags = (oneRegion ? 8 : 0) + (shortest ? 16 : 0);
        const [rows, result] = this.#ask('depth', Regions, [...which, flags], `depth ${which}`);
        rows.defined = calls().web_depth_defined(result) !== 0;
        rows.pairsAt = calls().web_depth_pairs(result, 0);
        return rows;
    }
    /** Regions in which two closed surfaces penetrate, each with the translation of `a` that separates it. */
    depth(a, b, options = {}) {
        return this.#depth(this.#which(a, b), options);
    }
    /** The same of a body with itself. */
    depthSelf(body, options = {}) {
        return this.#depth(this.#which(body, null), options);
    }

    #sweep(which, { margin = 0, earliestOnly = false } = {}) {
        const [rows, result] = this.#ask('sweep', SweepPairs, [...which, margin, earliestOnly ? 4 : 0]);
        rows.time = calls().web_sweep_time(result);
        return rows;
    }
    /** All contacts of two bodies on the way from the last state to this one; `time` of the rows is the earliest. */
    sweep(a, b, options = {}) {
        return this.#sweep(this.#which(a, b), options);
    }
    /** The same within a body, between all bodies, and within each body. */
    sweepSelf(body, options = {}) {
        return this.#sweep(this.#which(body, null), options);
    }
    sweepAll(options = {}) {
        return this.#sweep([ALL, ...none, ...none], options);
    }
    sweepSelfAll(options = {}) {
        return this.#sweep([SELF_ALL, ...none, ...none], options);
    }

    /**
     * Rays: `origins` and `directions` have three numbers a ray. The first triangle that each ray meets, or all of
     * them (options.all), of one body (options.body) or of the whole scene. With options.ends the directions are end
     * points; only then options.radius may be above 0.
     */
    cast(origins, directions, { body = null, all = false, ends = false, radius = 0 } = {}) {
        const from = triples(doubles(origins, 'origins'), 'origins');
        const to = triples(doubles(directions, 'directions'), 'directions');
        if (from.length !== to.length) {
            throw new RangeError(`abut: there are ${from.length / 3} origins and ${to.length / 3} directions`);
        }
        const id = body === null ? none : this.#id(body);
        const count = from.length / 3;
        const [fromAt, toAt] = stage(from, to);
        return this.#ask('cast', RayHits, [body === null ? 1 : 0, ...id, fromAt, toAt, count, ends ? 1 : 0,
            all ? 1 : 0, radius])[0];
    }

    /**
     * The triangle that is closest to each point, or up to options.most of them, of one body (options.body) or of the
     * whole scene, as far as options.maxDistance. With options.sign distances are negative inside closed surfaces.
     */
    closest(points, { body = null, maxDistance = Infinity, most = 1, sign = false } = {}) {
        const at = triples(doubles(points, 'points'), 'points');
        const id = body === null ? none : this.#id(body);
        const count = at.length / 3;
        const [address] = stage(at);
        return this.#ask('closest', ClosestPoints, [body === null ? 1 : 0, ...id, address, count, maxDistance, most,
            sign ? 1 : 0])[0];
    }
}
Scene.prototype[Symbol.dispose ?? Symbol.for('Symbol.dispose')] = Scene.prototype.dispose;

