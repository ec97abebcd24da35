// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Uses all types of the package. It is checked and never run: the checker must find the errors that are expected, and
// no other.
import { AbutError, blend, Body, flight, modal, ModuleArray, Pairs, Scene, shape, Shape } from 'abut';
import { init, initSync } from 'abut/manual';
import { addMesh, castRay, MeshBody } from 'abut/three';
import { BufferGeometry, Matrix4, Mesh, Ray, SkinnedMesh } from 'three';

const scene = new Scene();
const made: Shape = shape(new Float32Array(9), [0, 1, 2], { weld: false });
const body: Body = scene.add(made, { frame: new Matrix4(), name: 'sheet' });
body.setPositions(new ModuleArray(Float32Array, 9));
body.setPositions([0, 0, 0]);
const pairs: Pairs = scene.collideSelf(body, { margin: 0.1 });
for (const { bodyA, triangleA, triangleB } of pairs) {
    console.log(bodyA.name, triangleA + triangleB);
}
const numbers: Uint32Array = pairs.data;
const distance: number | undefined = scene.nearest(body, body)?.distance;
const first = scene.cast([0, 0, 0], [0, 0, 1], { all: true }).at(0)?.weights[2];
const side = scene.closest([0, 0, 0], { sign: true }).at(0)?.side === 'inside';
const time: number = scene.sweepAll().time;
const depth = scene.depth(body, body).copy().map((region) => region.depth);
modal([0, 0, 0], [0, 0, 0], [new Float32Array(3), { values: [1, 2, 3], vertices: [0] }]);
blend([0, 0, 0], null, { nodeCount: 1, perVertex: 1, nodes: [0], values: [1] }, { fields: [] });
flight([0, 0, 0], [0, 0, 0], [{ time: 0, positions: [0, 0, 0] }]);
const added: MeshBody = addMesh(scene, new Mesh(new BufferGeometry()), { free: true });
added.update();
addMesh(scene, new SkinnedMesh(new BufferGeometry()));
const point = castRay(scene, new Ray())?.point[0];
try {
    body.setTime(1);
} catch (error) {
    if (error instanceof AbutError && error.element === 'vertex') {
        console.log(error.index, error.body?.name);
    }
}
await init(fetch('abut.wasm'));
initSync(new Uint8Array());
// @ts-expect-error there is no such query
scene.collideNothing();
// @ts-expect-error shapes are made by functions
new Shape();
// @ts-expect-error a name is no position
body.setPositions('here');
export { depth, distance, first, numbers, point, side, time };
