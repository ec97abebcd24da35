// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Types of the adapters for three.js. Objects are described by what is read of them, so that any release fits.
import type { Body, BodyOptions, CastOptions, MeshOptions, RayHit, Scene, Shape, Triple } from './manual.js';

export interface MatrixLike {
    readonly elements: ArrayLike<number>;
}
export interface GeometryLike {
    readonly attributes: object;
    readonly index: { readonly array: ArrayLike<number> } | null;
    readonly morphAttributes?: object;
    readonly morphTargetsRelative?: boolean;
}
export interface MeshLike {
    readonly name: string;
    readonly geometry: GeometryLike;
    readonly matrixWorld: MatrixLike;
    readonly morphTargetInfluences?: number[];
}
export interface SkinnedMeshLike extends MeshLike {
    readonly isSkinnedMesh: boolean;
    readonly bindMatrix: MatrixLike;
    readonly bindMatrixInverse: MatrixLike;
    readonly skeleton: { readonly bones: readonly { readonly matrixWorld: MatrixLike }[];
        readonly boneInverses: readonly MatrixLike[] };
}
export interface VectorLike {
    readonly x: number;
    readonly y: number;
    readonly z: number;
}
export interface RayLike {
    readonly origin: VectorLike;
    readonly direction: VectorLike;
}

export function positionsOf(geometry: GeometryLike): Float32Array | Float64Array;
export function indexOf(geometry: GeometryLike): Uint32Array | Uint16Array | null;
export function shapeOfGeometry(geometry: GeometryLike, options?: MeshOptions): Shape;
export function shapeOfMesh(mesh: MeshLike | SkinnedMeshLike, options?: MeshOptions & { free?: boolean }): Shape;
export function boneTransforms(mesh: SkinnedMeshLike, out?: Float64Array): Float64Array;

export interface MeshBodyOptions extends MeshOptions {
    /** Positions of the geometry change: a free body [false]. */
    free?: boolean;
    /** Of a mesh with the same geometry. */
    shape?: Shape;
    body?: BodyOptions;
}
export class MeshBody {
    constructor(scene: Scene, mesh: MeshLike | SkinnedMeshLike, options?: MeshBodyOptions);
    readonly mesh: MeshLike | SkinnedMeshLike;
    readonly shape: Shape;
    readonly body: Body;
    /** Takes the state of the mesh: world matrices must be up to date. */
    update(): void;
    dispose(): void;
}
export function addMesh(scene: Scene, mesh: MeshLike | SkinnedMeshLike, options?: MeshBodyOptions): MeshBody;
export function castRay(scene: Scene, ray: RayLike, options?: CastOptions): (RayHit & { point: Triple }) | null;
