// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Types of the package. docs/web.md explains them.

/** Numbers; typed arrays of floats are used as they are, others are copied. */
export type Numbers = Float32Array | Float64Array | ModuleArray | readonly number[];
export type Indices = Uint32Array | Uint16Array | Uint8Array | Int32Array | readonly number[];
/** 16 numbers in columns, as three.js and glTF have them. */
export type Matrix = ArrayLike<number> | { readonly elements: ArrayLike<number> };
export type Triple = [number, number, number];

/** Starts the module. Only for 'abut/manual'; 'abut' does it by itself. */
export function init(source: Source | Response | Promise<Source | Response>): Promise<void>;
/** Starts the module at once, for workers. */
export function initSync(source: Source): void;
export type Source = ArrayBuffer | Uint8Array | WebAssembly.Module;
/** True if this engine has the 128-bit vectors of WebAssembly: abut.wasm needs them, abut-scalar.wasm does not. */
export function hasVectors(): boolean;
export function instructionSet(): 'simd128' | 'scalar';
/** Bytes of the module's memory. It grows and never shrinks. */
export function memoryBytes(): number;

/** What the library refused. */
export class AbutError extends Error {
    constructor(message: string, details?: Partial<Pick<AbutError, 'status' | 'element' | 'index' | 'body'>>);
    status: 'invalid argument' | 'invalid data' | 'out of memory' | 'limit' | 'state' | 'version' | 'incomplete' | 'ok';
    /** What is wrong, and its number. */
    element: 'vertex' | 'triangle' | 'body' | 'node' | 'entry' | null;
    index: number | null;
    /** Whose it is. */
    body: Body | null;
}

/** Numbers in the module's memory, which states take without a copy on the way. */
export class ModuleArray<T extends Float32Array | Float64Array = Float32Array | Float64Array> {
    constructor(type: { new (buffer: ArrayBufferLike, offset: number, length: number): T; BYTES_PER_ELEMENT: number },
        length: number);
    readonly length: number;
    /** A view. Take it again after any call: memory that grows gets another buffer. */
    readonly array: T;
    dispose(): void;
}

export interface MeshOptions {
    /** Vertices at one rest position count as one vertex [true]. */
    weld?: boolean;
    /** Which vertices count as one: equal numbers. */
    classes?: Indices;
    /** A number a triangle, for the caller. */
    tags?: Indices;
}
/** Displacements of all vertices, or of those listed. */
export type Field = Numbers | { values: Numbers; vertices?: Indices };
export interface Weights {
    nodeCount: number;
    /** Influences a vertex; or `first`: influences of vertex i are first[i] .. first[i + 1] - 1. */
    perVertex?: number;
    first?: Indices;
    nodes: Indices;
    values: Numbers;
    /** Divide the weights of a vertex by their sum [true]. */
    normalise?: boolean;
}
export interface Keyframe {
    time: number;
    positions: Numbers;
}

/** A mesh and the way it moves; any number of bodies share one. */
export class Shape {
    private constructor();
    readonly motion: 'free' | 'modal' | 'blend' | 'flight';
    readonly vertexCount: number;
    readonly triangleCount: number;
    /** Frees its memory as soon as no body has it; otherwise garbage collection does. */
    dispose(): void;
}
/** Free motion: each state gives all positions. */
export function shape(positions: Numbers, index?: Indices | null, options?: MeshOptions): Shape;
/** Modal motion: rest positions plus fields weighted by coordinates. */
export function modal(positions: Numbers, index: Indices | null, fields: readonly Field[], options?: MeshOptions): Shape;
/** Blend motion: weights times transforms of nodes. */
export function blend(positions: Numbers, index: Indices | null, weights: Weights,
    options?: MeshOptions & { fields?: readonly Field[] }): Shape;
/** Flight motion: straight from keyframe to keyframe. */
export function flight(positions: Numbers, index: Indices | null, keyframes: readonly Keyframe[],
    options?: MeshOptions): Shape;

/** A shape in a scene, with a state. */
export class Body {
    private constructor();
    readonly scene: Scene;
    readonly shape: Shape;
    /** The number that rows' `data` has. */
    readonly index: number;
    name: string;
    /** For the caller. */
    user: unknown;
    setPositions(positions: Numbers): void;
    borrowPositions(positions: ModuleArray): void;
    setCoordinates(coordinates: Numbers): void;
    setTransforms(transforms: Numbers, coordinates?: Numbers, options?: { layout?: 'columns' | 'rows' }): void;
    setTime(time: number): void;
    setFrame(frame: Matrix): void;
    endStep(): void;
    vertices(out?: Float64Array | Float32Array | null): Float64Array | Float32Array;
    worldVertices(out?: Float64Array | Float32Array | null): Float64Array | Float32Array;
    box(): { min: number[]; max: number[] };
    remove(): void;
}

/** Rows of an answer, valid until the scene's next query of the same kind. */
export abstract class Rows<Row> implements Iterable<Row> {
    readonly length: number;
    at(i: number): Row | undefined;
    [Symbol.iterator](): Iterator<Row>;
    copy(): Row[];
}
export interface Pair {
    bodyA: Body;
    bodyB: Body;
    triangleA: number;
    triangleB: number;
}
export class Pairs extends Rows<Pair> {
    /** Four numbers a pair, a view of the module's memory: body a, body b, triangle a, triangle b. */
    readonly data: Uint32Array;
    /** Two numbers a pair, copied. */
    triangles(): Uint32Array;
}
export interface Witness {
    point: Triple;
    /** Of the triangle's corners. */
    weights: Triple;
    feature: 'vertex' | 'edge' | 'face';
    index: number;
}
export interface DistancePair extends Pair {
    distance: number;
    /** The distance without the thickness of both, if they have one; otherwise the distance. */
    gap: number;
    a: Witness;
    b: Witness;
}
export class DistancePairs extends Rows<DistancePair> {}
export interface SweepPair extends Pair {
    kind: 'vertex-face' | 'face-vertex' | 'edge-edge';
    undecided: boolean;
    verticesA: number[];
    verticesB: number[];
    /** 0 at the last state, 1 at this one. */
    time: number;
    weightsA: Triple;
    weightsB: Triple;
    normal: Triple;
}
export class SweepPairs extends Rows<SweepPair> {
    /** The earliest time; Infinity without a contact. */
    readonly time: number;
}
export interface RayHit {
    ray: number;
    body: Body;
    triangle: number;
    side: 'front' | 'back' | 'edge-on';
    /** The point is origin + t direction. */
    t: number;
    weights: Triple;
}
export class RayHits extends Rows<RayHit> {}
export interface ClosestPoint {
    point: number;
    body: Body;
    triangle: number;
    side: 'outside' | 'inside' | 'surface' | 'partly' | 'undefined';
    distance: number;
    nearest: Witness;
}
export class ClosestPoints extends Rows<ClosestPoint> {}
export interface Region {
    id: number;
    kind: 'contact' | 'inside-b' | 'inside-a' | 'fold';
    /** Moving a by depth times direction separates the region. */
    direction: Triple;
    depth: number;
    upper: number;
    lower: number;
    pointA: Triple;
    pointB: Triple;
    interlocked: boolean;
    isNew: boolean;
    turnAngle: number;
    jump: number;
    pairs: [number, number][];
}
export class Regions extends Rows<Region> {
    /** False if a surface is open or of mixed orientation. */
    readonly defined: boolean;
}

export interface BodyOptions {
    frame?: Matrix | null;
    isStatic?: boolean;
    /** Bits of the groups that the body is in [1], and that it meets [all]. */
    groups?: number;
    mask?: number;
    name?: string | null;
}
export interface CollideOptions {
    /** Triangles at most this far apart count [0]. */
    margin?: number;
    /** Within a body: also triangles that share a vertex, if they share more than that [false]. */
    neighbours?: boolean;
}
export interface NearestOptions {
    maxDistance?: number;
}
export interface DepthOptions {
    oneRegion?: boolean;
    shortest?: boolean;
}
export interface SweepOptions {
    margin?: number;
    earliestOnly?: boolean;
}
export interface CastOptions {
    body?: Body | null;
    all?: boolean;
    /** Directions are end points. */
    ends?: boolean;
    radius?: number;
}
export interface ClosestOptions {
    body?: Body | null;
    maxDistance?: number;
    most?: number;
    sign?: boolean;
}

/** Bodies that are queried together. */
export class Scene {
    constructor();
    readonly bodies: Body[];
    add(shape: Shape, options?: BodyOptions): Body;
    remove(body: Body): void;
    body(index: number): Body | null;
    dispose(): void;
    collide(a: Body, b: Body, options?: CollideOptions): Pairs;
    collideSelf(body: Body, options?: CollideOptions): Pairs;
    collideAll(options?: CollideOptions): Pairs;
    collideSelfAll(options?: CollideOptions): Pairs;
    nearest(a: Body, b: Body, options?: NearestOptions): DistancePair | null;
    nearestSelf(body: Body, options?: NearestOptions): DistancePairs;
    nearestAll(options?: NearestOptions): DistancePairs;
    depth(a: Body, b: Body, options?: DepthOptions): Regions;
    depthSelf(body: Body, options?: DepthOptions): Regions;
    sweep(a: Body, b: Body, options?: SweepOptions): SweepPairs;
    sweepSelf(body: Body, options?: SweepOptions): SweepPairs;
    sweepAll(options?: SweepOptions): SweepPairs;
    sweepSelfAll(options?: SweepOptions): SweepPairs;
    cast(origins: Numbers, directions: Numbers, options?: CastOptions): RayHits;
    closest(points: Numbers, options?: ClosestOptions): ClosestPoints;
}
