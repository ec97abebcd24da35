// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Adapters for three.js: bodies of its meshes. They read the objects that they are given and import nothing, so any
// release of three.js will do.
//
// A Mesh is a blend body with one node, its world matrix, which may scale and shear. A SkinnedMesh has a node for each
// bone: its state is taken from the skeleton, and no vertex is skinned. Morph targets are fields of either. A mesh whose
// positions change is a free body (option `free`).
import { blend, shape } from './shapes.js';

function number(attribute, i, k) {
    return k === 0 ? attribute.getX(i) : k === 1 ? attribute.getY(i) : k === 2 ? attribute.getZ(i) : attribute.getW(i);
}

/** The numbers of an attribute, `size` a vertex, without a copy if they lie in one array. */
function numbersOf(attribute, size) {
    const plain = !attribute.isInterleavedBufferAttribute && attribute.itemSize === size && !attribute.normalized;
    if (plain && (attribute.array instanceof Float32Array || attribute.array instanceof Float64Array)) {
        return attribute.array.length === size * attribute.count ? attribute.array
            : attribute.array.subarray(0, size * attribute.count);
    }
    const out = new Float64Array(size * attribute.count);
    for (let i = 0; i < out.length; ++i) {
        out[i] = number(attribute, Math.floor(i / size), i % size);
    }
    return out;
}

/** The position attribute of a geometry as numbers. */
export function positionsOf(geometry) {
    const position = geometry.attributes?.position;
    if (position === undefined) {
        throw new TypeError('abut: the geometry must be a BufferGeometry with positions');
    }
    return numbersOf(position, 3);
}

/** The index of a geometry; null if it has none, then each three vertices are a triangle. */
export function indexOf(geometry) {
    return geometry.index === null || geometry.index === undefined ? null : geometry.index.array;
}

/** A shape of free motion of a geometry. */
export function shapeOfGeometry(geometry, options = {}) {
    return shape(positionsOf(geometry), indexOf(geometry), options);
}

/** Morph targets as fields: displacements of all vertices. */
function fieldsOf(geometry) {
    const targets = geometry.morphAttributes?.position ?? [];
    const rest = positionsOf(geometry);
    return targets.map((target) => {
        const values = numbersOf(target, 3);
        return geometry.morphTargetsRelative ? values : Float64Array.from(values, (x, i) => x - rest[i]);
    });
}

/** Weights of a skinned geometry; a vertex without any follows the first bone, as in normalizeSkinWeights(). */
function weightsOf(mesh) {
    const { skinIndex, skinWeight } = mesh.geometry.attributes;
    const nodes = Uint32Array.from(numbersOf(skinIndex, 4));
    const values = Float64Array.from(numbersOf(skinWeight, 4));
    for (let i = 0; i < values.length; i += 4) {
        if (values[i] + values[i + 1] + values[i + 2] + values[i + 3] === 0) {
            values[i] = 1;
        }
    }
    return { nodeCount: mesh.skeleton.bones.length, perVertex: 4, nodes, values, normalise: true };
}

/** A shape of a Mesh or SkinnedMesh: of blend motion, or with options.free of free motion. */
export function shapeOfMesh(mesh, options = {}) {
    const geometry = mesh.geometry;
    if (options.free) {
        return shapeOfGeometry(geometry, options);
    }
    const count = geometry.attributes.position.count;
    const weights = mesh.isSkinnedMesh ? weightsOf(mesh)
        : { nodeCount: 1, perVertex: 1, nodes: new Uint32Array(count), values: new Float64Array(count).fill(1) };
    return blend(positionsOf(geometry), indexOf(geometry), weights, { ...options, fields: fieldsOf(geometry) });
}

// the product of affine matrices, given and returned in columns
function product(a, b, out) {
    for (let c = 0; c < 4; ++c) {
        for (let r = 0; r < 4; ++r) {
            let sum = c === 3 && r < 3 ? a[12 + r] : 0;
            for (let k = 0; k < 3; ++k) {
                sum += a[4 * k + r] * b[4 * c + k];
            }
            out[4 * c + r] = r === 3 ? (c === 3 ? 1 : 0) : sum;
        }
    }
    return out;
}

/** The transforms of the bones of a skinned mesh, from rest to world, 16 numbers each, in columns. */
export function boneTransforms(mesh, out = new Float64Array(16 * mesh.skeleton.bones.length)) {
    const { bones, boneInverses } = mesh.skeleton;
    const left = product(mesh.matrixWorld.elements, mesh.bindMatrixInverse.elements, new Float64Array(16));
    const right = mesh.bindMatrix.elements;
    const one = new Float64Array(16);
    const two = new Float64Array(16);
    for (let i = 0; i < bones.length; ++i) {
        product(left, bones[i].matrixWorld.elements, one);
        product(one, boneInverses[i].elements, two);
        product(two, right, out.subarray(16 * i, 16 * i + 16));
    }
    return out;
}

/**
 * A mesh as a body of a scene. update() takes its state: world matrices must be up to date (scene.updateMatrixWorld()
 * of three.js, which a renderer calls).
 */
export class MeshBody {
    #free;
    #transforms;
    constructor(scene, mesh, options = {}) {
        this.mesh = mesh;
        this.#free = options.free === true;
        this.shape = options.shape ?? shapeOfMesh(mesh, options);
        this.body = scene.add(this.shape, { name: mesh.name || null, ...options.body });
        this.body.user = this;
        this.#transforms = new Float64Array(this.#free ? 0 : 16 * (mesh.isSkinnedMesh ? mesh.skeleton.bones.length : 1));
        this.update();
    }
    update() {
        const mesh = this.mesh;
        if (this.#free) {
            this.body.setPositions(positionsOf(mesh.geometry));
            this.body.setFrame(mesh.matrixWorld);
            return;
        }
        if (mesh.isSkinnedMesh) {
            boneTransforms(mesh, this.#transforms);
        } else {
            this.#transforms.set(mesh.matrixWorld.elements);
        }
        const targets = mesh.geometry.morphAttributes?.position?.length ?? 0;
        const influences = Array.from({ length: targets }, (_, i) => mesh.morphTargetInfluences?.[i] ?? 0);
        this.body.setTransforms(this.#transforms, influences);
    }
    dispose() {
        this.body.remove();
        this.shape.dispose();
    }
}

/** Adds a Mesh or SkinnedMesh to a scene of abut: see MeshBody. */
export function addMesh(scene, mesh, options = {}) {
    return new MeshBody(scene, mesh, options);
}

/** What a Ray of three.js (raycaster.ray) meets first in a scene of abut, with the point; null if nothing. */
export function castRay(scene, ray, options = {}) {
    const { origin: o, direction: d } = ray;
    const hit = scene.cast([o.x, o.y, o.z], [d.x, d.y, d.z], options).at(0);
    return hit === undefined ? null : { ...hit, point: [o.x + hit.t * d.x, o.y + hit.t * d.y, o.z + hit.t * d.z] };
}
