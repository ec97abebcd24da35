// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A cloth of three.js that falls on a ball and stops where it would touch: each step is swept, and the vertices of
// features that meet on the way stay where they were. It never cuts through the ball, however fast it falls.
import { Mesh, PlaneGeometry, SphereGeometry } from 'three';
import { Scene } from 'abut';
import { addMesh, positionsOf } from 'abut/three';

const MARGIN = 0.01; // the cloth stops this far from the ball
const STEP = 1 / 60;

const clothMesh = new Mesh(new PlaneGeometry(2, 2, 24, 24).rotateX(-Math.PI / 2).translate(0, 1.2, 0));
const ballMesh = new Mesh(new SphereGeometry(0.7, 24, 16));

const scene = new Scene();
const cloth = addMesh(scene, clothMesh, { free: true }).body;
const ball = addMesh(scene, ballMesh, { free: true, body: { isStatic: true } }).body;

const before = positionsOf(clothMesh.geometry); // what three.js draws
const velocity = new Float32Array(before.length);
const after = new Float32Array(before.length);

// Takes one step, and returns how many vertices were stopped.
function step() {
    for (let i = 0; i < before.length; ++i) {
        velocity[i] -= i % 3 === 1 ? 9.81 * STEP : 0;
        after[i] = before[i] + velocity[i] * STEP;
    }
    const stopped = new Set();
    for (;;) {
        cloth.setPositions(before);
        cloth.setPositions(after);
        const contacts = scene.sweep(cloth, ball, { margin: MARGIN });
        const news = [...contacts].flatMap((contact) => contact.verticesA).filter((vertex) => !stopped.has(vertex));
        if (news.length === 0) {
            break;
        }
        for (const vertex of news) {
            stopped.add(vertex);
            for (let i = 3 * vertex; i < 3 * vertex + 3; ++i) {
                velocity[i] = 0;
                after[i] = before[i];
            }
        }
    }
    before.set(after);
    clothMesh.geometry.attributes.position.needsUpdate = true;
    return stopped.size;
}

let stopped = 0;
for (let frame = 0; frame < 60; ++frame) {
    stopped = step();
    if (scene.collide(cloth, ball).length > 0) {
        throw new Error(`frame ${frame}: the cloth cuts the ball`);
    }
}
const { distance } = scene.nearest(cloth, ball);
console.log(`${stopped} vertices rest on the ball, ${distance.toFixed(3)} above it`);
