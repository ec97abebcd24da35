// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The adapters for three.js, against its own skinning and morphing on the processor, and against its raycaster. With
// npm's release, and with the file that ABUT_THREE names (Debian's r111).
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import test from 'node:test';
import * as abut from 'abut';
import { addMesh, boneTransforms, castRay, shapeOfGeometry } from 'abut/three';
import * as newest from 'three';
import { randomNumbers } from './oracle.mjs';

const releases = [newest];
if (process.env.ABUT_THREE) {
    releases.push(createRequire(import.meta.url)(process.env.ABUT_THREE));
}

function attribute(THREE, numbers, size) {
    return new THREE.BufferAttribute(numbers, size);
}
function setAttribute(geometry, name, value) {
    (geometry.setAttribute ?? geometry.addAttribute).call(geometry, name, value);
}

// a tube along y with rings of vertices, bones at its joints, and morph targets
function tube(THREE, { skinned, relative, interleaved = false }) {
    const [rings, sides] = [9, 8];
    const count = rings * sides;
    const random = randomNumbers(7);
    const positions = new Float32Array(3 * count);
    const skinIndex = new Uint16Array(4 * count);
    const skinWeight = new Float32Array(4 * count);
    const index = [];
    for (let i = 0; i < count; ++i) {
        const ring = Math.floor(i / sides);
        const angle = (2 * Math.PI * (i % sides)) / sides;
        positions.set([Math.cos(angle), ring, Math.sin(angle)], 3 * i);
        const bone = Math.min(2, Math.floor(ring / 3));
        const weight = (ring % 3) / 3;
        skinIndex.set([bone, Math.min(2, bone + 1), 0, 0], 4 * i);
        skinWeight.set([1 - weight, weight, 0, 0], 4 * i);
        if (ring < rings - 1) {
            const next = ring * sides + ((i + 1) % sides);
            index.push(i, next, i + sides, next, next + sides, i + sides);
        }
    }
    const geometry = new THREE.BufferGeometry();
    geometry.setIndex(index);
    if (interleaved) {
        const buffer = new Float32Array(5 * count);
        for (let i = 0; i < count; ++i) {
            buffer.set(positions.subarray(3 * i, 3 * i + 3), 5 * i + 1);
        }
        setAttribute(geometry, 'position',
            new THREE.InterleavedBufferAttribute(new THREE.InterleavedBuffer(buffer, 5), 3, 1));
    } else {
        setAttribute(geometry, 'position', attribute(THREE, positions, 3));
    }
    const target = () => attribute(THREE, Float32Array.from(positions, (x) => (relative ? 0 : x) + (random(9) - 4) / 8), 3);
    geometry.morphAttributes.position = [target(), target()];
    geometry.morphTargetsRelative = relative;
    const material = new THREE.MeshBasicMaterial();
    let mesh;
    if (skinned) {
        setAttribute(geometry, 'skinIndex', attribute(THREE, skinIndex, 4));
        setAttribute(geometry, 'skinWeight', attribute(THREE, skinWeight, 4));
        mesh = new THREE.SkinnedMesh(geometry, material);
        const bones = [0, 3, 3].map((y) => {
            const bone = new THREE.Bone();
            bone.position.y = y;
            return bone;
        });
        bones[0].add(bones[1]);
        bones[1].add(bones[2]);
        mesh.add(bones[0]);
        mesh.position.set(4, 0, 1); // bound elsewhere than it is used
        mesh.rotation.y = 0.5;
        mesh.updateMatrixWorld(true);
        mesh.bind(new THREE.Skeleton(bones));
        bones[1].rotation.z = 0.8;
        bones[2].rotation.x = -1.1;
        bones[2].scale.set(1.2, 0.8, 1);
    } else {
        mesh = new THREE.Mesh(geometry, material);
    }
    mesh.updateMorphTargets?.();
    mesh.morphTargetInfluences = [0.75, -0.5];
    mesh.position.set(0.5, 2, -1);
    mesh.rotation.set(0.3, 0.2, 0.1);
    mesh.scale.set(2, 1, 0.5);
    mesh.name = 'tube';
    mesh.updateMatrixWorld(true);
    mesh.skeleton?.update();
    return mesh;
}

// where three.js has a vertex, in the world: r111 neither morphs on the processor nor returns morphed vertices
function expected(THREE, mesh, i) {
    const vector = new THREE.Vector3();
    if (mesh.getVertexPosition !== undefined) {
        return mesh.getVertexPosition(i, vector).applyMatrix4(mesh.matrixWorld);
    }
    const at = (a) => new THREE.Vector3(a.getX(i), a.getY(i), a.getZ(i));
    const rest = at(mesh.geometry.attributes.position);
    vector.copy(rest);
    mesh.geometry.morphAttributes.position.forEach((target, k) => {
        const by = at(target);
        vector.addScaledVector(mesh.geometry.morphTargetsRelative ? by : by.sub(rest), mesh.morphTargetInfluences[k]);
    });
    if (mesh.isSkinnedMesh) {
        const { skinIndex, skinWeight } = mesh.geometry.attributes;
        const bound = vector.clone().applyMatrix4(mesh.bindMatrix);
        vector.set(0, 0, 0);
        for (const get of ['getX', 'getY', 'getZ', 'getW']) {
            const bone = skinIndex[get](i);
            const matrix = new THREE.Matrix4().multiplyMatrices(mesh.skeleton.bones[bone].matrixWorld,
                mesh.skeleton.boneInverses[bone]);
            vector.addScaledVector(bound.clone().applyMatrix4(matrix), skinWeight[get](i));
        }
        vector.applyMatrix4(mesh.bindMatrixInverse);
    }
    return vector.applyMatrix4(mesh.matrixWorld);
}

for (const THREE of releases) {
    for (const skinned of [false, true]) {
        for (const relative of [false, true]) {
            const title = `r${THREE.REVISION}: a ${skinned ? 'SkinnedMesh' : 'Mesh'} with morph targets, ` +
                (relative ? 'relative' : 'absolute');
            test(title, () => {
                const scene = new abut.Scene();
                for (const interleaved of [false, true]) {
                    const mesh = tube(THREE, { skinned, relative, interleaved });
                    const { body } = addMesh(scene, mesh);
                    assert.equal(body.name, 'tube');
                    const vertices = body.worldVertices();
                    for (let i = 0; i < vertices.length / 3; ++i) {
                        const v = expected(THREE, mesh, i);
                        for (const [d, x] of [v.x, v.y, v.z].entries()) {
                            assert.ok(Math.abs(vertices[3 * i + d] - x) < 2e-6, `vertex ${i}: ${vertices[3 * i + d]}, ${x}`);
                        }
                    }
                }
            });
        }
    }

    test(`r${THREE.REVISION}: picking a skinned character agrees with its triangles`, () => {
        const scene = new abut.Scene();
        const mesh = tube(THREE, { skinned: true, relative: true });
        const added = addMesh(scene, mesh);
        const vertices = added.body.worldVertices();
        const index = mesh.geometry.index.array;
        let hits = 0;
        for (let k = 0; k < 200; ++k) {
            const random = randomNumbers(k + 1);
            const origin = new THREE.Vector3(random(100) / 10 - 5, random(150) / 10 - 2, 20);
            const ray = new THREE.Ray(origin, new THREE.Vector3(0, 0, -1));
            let least = Infinity; // by three.js, triangle by triangle
            for (let t = 0; t < index.length; t += 3) {
                const corner = [0, 1, 2].map((c) => new THREE.Vector3(...vertices.subarray(3 * index[t + c], 3 * index[t + c] + 3)));
                const point = ray.intersectTriangle(...corner, false, new THREE.Vector3());
                least = point === null ? least : Math.min(least, point.distanceTo(origin));
            }
            const hit = castRay(scene, ray);
            assert.equal(hit === null, least === Infinity, `ray ${k}`);
            if (hit !== null) {
                assert.ok(Math.abs(hit.t - least) < 1e-6, `ray ${k}: ${hit.t}, ${least}`);
                assert.equal(hit.body.user, added);
                ++hits;
            }
        }
        assert.ok(hits > 20, `${hits}`);
    });

    test(`r${THREE.REVISION}: a cloth whose positions change, and a geometry without an index`, () => {
        const scene = new abut.Scene();
        const geometry = new (THREE.PlaneBufferGeometry ?? THREE.PlaneGeometry)(1, 1, 20, 20);
        const mesh = new THREE.Mesh(geometry, new THREE.MeshBasicMaterial());
        mesh.position.x = 3;
        mesh.updateMatrixWorld(true);
        const cloth = addMesh(scene, mesh, { free: true });
        assert.equal(scene.collideSelf(cloth.body).length, 0);
        const position = geometry.attributes.position;
        for (let i = 0; i < position.count; ++i) { // fold it through itself
            const x = position.getX(i);
            position.setXYZ(i, Math.sin(9 * x) * 0.2, position.getY(i), Math.sin(18 * x) * 0.2);
        }
        cloth.update();
        assert.ok(scene.collideSelf(cloth.body).length > 0);
        assert.ok(cloth.body.box().min[0] > 2);
        const soup = shapeOfGeometry(geometry.toNonIndexed());
        assert.equal(soup.triangleCount, 800);
        assert.equal(boneTransforms(tube(THREE, { skinned: true, relative: true })).length, 48);
        cloth.dispose();
        assert.equal(scene.bodies.length, 0);
    });
}
