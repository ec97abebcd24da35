// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Picking a skinned character of three.js. The body takes the state of the skeleton; only what is near the ray is
// skinned, so that picking costs the same however large the character is.
import { Bone, Float32BufferAttribute, CylinderGeometry, Matrix4, Ray, Skeleton, SkinnedMesh, Uint16BufferAttribute, Vector3 }
    from 'three';
import { Scene } from 'abut';
import { addMesh, castRay } from 'abut/three';

// an arm along y, from 0 to 2, with an elbow at 1
const geometry = new CylinderGeometry(0.2, 0.2, 2, 32, 60).translate(0, 1, 0);
const position = geometry.attributes.position;
const joints = [];
const weights = [];
for (let i = 0; i < position.count; ++i) {
    const bent = Math.min(1, Math.max(0, 4 * (position.getY(i) - 0.875)));
    joints.push(0, 1, 0, 0);
    weights.push(1 - bent, bent, 0, 0);
}
geometry.setAttribute('skinIndex', new Uint16BufferAttribute(joints, 4));
geometry.setAttribute('skinWeight', new Float32BufferAttribute(weights, 4));
const arm = new SkinnedMesh(geometry);
const [shoulder, elbow] = [new Bone(), new Bone()];
elbow.position.y = 1;
shoulder.add(elbow);
arm.add(shoulder);
arm.updateMatrixWorld(true);
arm.bind(new Skeleton([shoulder, elbow]), new Matrix4());
arm.name = 'arm';

const scene = new Scene();
const character = addMesh(scene, arm);
const ray = new Ray(new Vector3(0.8, 1, 5), new Vector3(0, 0, -1)); // raycaster.ray in a page

for (const angle of [0, -Math.PI / 2]) {
    elbow.rotation.z = angle;
    arm.updateMatrixWorld(true);
    character.update();
    const hit = castRay(scene, ray);
    console.log(hit === null ? 'nothing there'
        : `${hit.body.name}, triangle ${hit.triangle}, at ${hit.point.map((x) => x.toFixed(2)).join(' ')}`);
}
