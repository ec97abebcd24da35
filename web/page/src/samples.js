// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Samples that the page makes itself, so that an empty page shows something in one click. Each is a list of files.

const text = (name, content) => ({ name, bytes: new TextEncoder().encode(content) });

// ---- surfaces over a grid: `point(u, v)` with u and v from 0 to 1, which are the same place if the surface is closed there

function grid(columns, rows, point, { closedAlong = false, closedAcross = false } = {}) {
    const points = [];
    const triangles = [];
    for (let i = 0; i <= columns; ++i) {
        for (let j = 0; j <= rows; ++j) {
            points.push(point((closedAlong ? i % columns : i) / columns, (closedAcross ? j % rows : j) / rows));
        }
    }
    for (let i = 0; i < columns; ++i) {
        for (let j = 0; j < rows; ++j) {
            const a = i * (rows + 1) + j;
            triangles.push([a, a + rows + 1, a + 1], [a + 1, a + rows + 1, a + rows + 2]);
        }
    }
    return { points, triangles };
}

// ---- a strip that rolls up until it touches itself: a sequence of OBJ files

function rollingStrip() {
    const FRAMES = 36;
    return Array.from({ length: FRAMES }, (_, frame) => {
        const turn = 0.4 + 11.6 * frame / (FRAMES - 1); // in all
        const mesh = grid(120, 16, (u, v) => {
            // a spiral of constant length: the radius shrinks along it, so that its turns come close
            const radius = 4 / turn * (1 - 0.05 * u * turn / 4);
            const wave = 0.02 * Math.sin(9 * v + 5 * u) * Math.min(1, turn / 6);
            const angle = u * turn;
            return [(radius + wave) * Math.sin(angle), 2 * v - 1, 4 / turn - (radius + wave) * Math.cos(angle)];
        });
        const lines = [...mesh.points.map((p) => `v ${p.map((x) => x.toFixed(6)).join(' ')}`),
            ...mesh.triangles.map((t) => `f ${t.map((i) => i + 1).join(' ')}`)];
        return text(`strip_${String(frame).padStart(2, '0')}.obj`, `${lines.join('\n')}\n`);
    });
}

// ---- glTF: arrays become accessors of one buffer

class Model {
    constructor() {
        this.bytes = [];
        this.json = { asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [] }], nodes: [], meshes: [], accessors: [], bufferViews: [], animations: [] };
    }

    accessor(rows, type, Type = Float32Array) {
        const data = new Uint8Array(new Type(rows.flat()).buffer);
        const { accessors, bufferViews } = this.json;
        bufferViews.push({ buffer: 0, byteOffset: this.bytes.length, byteLength: data.length });
        const accessor = { bufferView: bufferViews.length - 1, componentType: { Float32Array: 5126, Uint32Array: 5125, Uint8Array: 5121 }[Type.name], count: rows.length, type };
        if (type === 'VEC3') {
            accessor.min = [0, 1, 2].map((k) => Math.min(...rows.map((row) => Math.fround(row[k]))));
            accessor.max = [0, 1, 2].map((k) => Math.max(...rows.map((row) => Math.fround(row[k]))));
        }
        this.bytes.push(...data, ...new Uint8Array((4 - data.length % 4) % 4));
        return accessors.push(accessor) - 1;
    }

    mesh({ points, triangles }, more = {}) {
        const attributes = { POSITION: this.accessor(points, 'VEC3'), ...more };
        return this.json.meshes.push({ primitives: [{ attributes, indices: this.accessor(triangles.flat(), 'SCALAR', Uint32Array) }] }) - 1;
    }

    node(node, inScene = true) {
        const index = this.json.nodes.push(node) - 1;
        if (inScene) {
            this.json.scenes[0].nodes.push(index);
        }
        return index;
    }

    // keys: [time, value]
    animate(name, node, path, keys) {
        const input = this.accessor(keys.map(([time]) => time), 'SCALAR');
        const output = this.accessor(keys.map(([, value]) => value), path === 'rotation' ? 'VEC4' : 'VEC3');
        this.json.animations.push({ name, samplers: [{ input, output }], channels: [{ sampler: 0, target: { node, path } }] });
    }

    file(name) {
        const letters = this.bytes.map((byte) => String.fromCharCode(byte)).join('');
        this.json.buffers = [{ byteLength: this.bytes.length, uri: `data:application/octet-stream;base64,${btoa(letters)}` }];
        return text(name, JSON.stringify(this.json));
    }
}

const aboutX = (angle) => [Math.sin(angle / 2), 0, 0, Math.cos(angle / 2)];
const aboutZ = (angle) => [0, 0, Math.sin(angle / 2), Math.cos(angle / 2)];

// ---- two rings, one in the other: they touch where one swings too far

function rings() {
    const model = new Model();
    const ring = grid(64, 20, (u, v) => {
        const [around, across] = [2 * Math.PI * u, 2 * Math.PI * v];
        const radius = 1 + 0.22 * Math.cos(across);
        return [radius * Math.cos(around), radius * Math.sin(around), 0.22 * Math.sin(across)];
    }, { closedAlong: true, closedAcross: true });
    const mesh = model.mesh(ring);
    model.node({ name: 'ring', mesh });
    const other = model.node({ name: 'other ring', mesh, translation: [1, 0, 0], rotation: aboutX(Math.PI / 2) });
    model.animate('swing', other, 'rotation', [0, 0.5, 1, 1.5, 2].map((time, i) => [time, aboutX(Math.PI / 2 + [0, 0.75, 0, -0.95, 0][i])]));
    model.animate('pull', other, 'translation', [[0, [1, 0, 0]], [0.7, [1.75, 0, 0]], [1.6, [0.4, 0, 0]], [2, [1, 0, 0]]]);
    return [model.file('rings.gltf')];
}

// ---- an arm of three bones that bends into itself: skinned

function bendingArm() {
    const model = new Model();
    const points = [];
    const skin = { joints: [], weights: [] };
    const arm = grid(90, 24, (u, v) => {
        const radius = 0.42 * (1 - 0.35 * u);
        points.push(u);
        return [6 * u, radius * Math.cos(2 * Math.PI * v), radius * Math.sin(2 * Math.PI * v)];
    }, { closedAcross: true });
    for (const u of points) { // each vertex follows two neighbouring bones
        const along = Math.min(Math.max(3 * u - 0.5, 0), 1.999);
        const bone = Math.floor(along);
        const part = Math.min(Math.max((along - bone - 0.25) * 2, 0), 1);
        skin.joints.push([bone, bone + 1, 0, 0]);
        skin.weights.push([1 - part, part, 0, 0]);
    }
    const mesh = model.mesh(arm, { JOINTS_0: model.accessor(skin.joints, 'VEC4', Uint8Array), WEIGHTS_0: model.accessor(skin.weights, 'VEC4') });
    const hand = model.node({ name: 'hand', translation: [2, 0, 0] }, false);
    const forearm = model.node({ name: 'forearm', translation: [2, 0, 0], children: [hand] }, false);
    const upper = model.node({ name: 'upper arm', children: [forearm] });
    const back = (x) => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -x, 0, 0, 1];
    model.json.skins = [{ joints: [upper, forearm, hand], inverseBindMatrices: model.accessor([back(0), back(2), back(4)], 'MAT4') }];
    model.node({ name: 'arm', mesh, skin: 0 });
    model.animate('fist', hand, 'rotation', [[0, aboutZ(0)], [1, aboutZ(2.9)], [2, aboutZ(0)]]);
    model.animate('elbow', forearm, 'rotation', [[0, aboutZ(0)], [1, aboutZ(2.7)], [2, aboutZ(0)]]);
    return [model.file('arm.gltf')];
}

export const SAMPLES = [
    { name: 'Bending arm', files: bendingArm },
    { name: 'Rolling strip', files: rollingStrip },
    { name: 'Two rings', files: rings },
];
