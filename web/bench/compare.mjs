// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The npm package beside the native library, beside itself without vectors, and beside three-mesh-bvh, on the same
// models in the same run: compare.mjs NATIVE FOLDER [--quick]. `make bench SUITES=web` prepares FOLDER.
//
// Rows are ratios: above 1, abut in WebAssembly with vectors is better. The second table counts the pairs that each
// library misses and invents. Where they differ, integers decide (tests/web/oracle.mjs), and not abut. All positions are
// floats, so that both see the same mesh.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import * as THREE from 'three';
import { MeshBVH, SAH } from 'three-mesh-bvh';
import { walkInChromium } from './browser.mjs';
import { exact, randomMesh, randomNumbers, touch } from './oracle.mjs';

const PACKAGE = new URL('node_modules/abut/', import.meta.url);
const median = (values) => values.slice().sort((a, b) => a - b)[values.length >> 1];

function load(file) {
    const bytes = readFileSync(file);
    const head = new Uint32Array(bytes.buffer, bytes.byteOffset, 3);
    const [vertices, triangles, frameCount] = head;
    const index = new Uint32Array(bytes.buffer.slice(bytes.byteOffset + 12, bytes.byteOffset + 12 + 12 * triangles));
    const frames = Array.from({ length: frameCount }, (_, i) => {
        const at = bytes.byteOffset + 12 + 12 * triangles + 12 * vertices * i;
        return new Float32Array(bytes.buffer.slice(at, at + 12 * vertices));
    });
    return { index, frames };
}

// Writes random triangles on a lattice, where corners on faces and triangles in one plane are frequent.
function writeLattice(file) {
    const [positions, index] = randomMesh(randomNumbers(1), 3000, 1000, 16);
    const head = Uint32Array.of(positions.length / 3, index.length / 3, 1);
    writeFileSync(file, Buffer.concat([head, index, Float32Array.from(positions)].map((a) => Buffer.from(a.buffer))));
}

// The least time of all rounds for each frame, then the median over the frames: of the update and of the query.
function timed(model, rounds, update, query) {
    const updates = model.frames.map(() => Infinity);
    const queries = model.frames.map(() => Infinity);
    const answers = [];
    for (let round = 0; round < rounds; ++round) {
        model.frames.forEach((positions, i) => {
            const start = performance.now();
            update(positions);
            const updated = performance.now();
            const answer = query();
            queries[i] = Math.min(queries[i], performance.now() - updated);
            updates[i] = Math.min(updates[i], updated - start);
            answers[i] = round === 0 ? Array.from(answer.triangles()) : answers[i];
        });
    }
    const both = updates.map((u, i) => u + queries[i]);
    return { update: median(updates), query: median(queries), both: median(both), answers };
}

async function abutOf(model, rounds, wasm) {
    const { init, Scene, shape } = await import(new URL('manual.js', PACKAGE));
    await init(readFileSync(new URL(wasm, PACKAGE)));
    const scene = new Scene();
    const body = scene.add(shape(model.frames[0], model.index, { weld: false })); // neighbours share an index in both
    return timed(model, rounds, (positions) => body.setPositions(positions), () => scene.collideSelf(body));
}

// Each module in a worker of its own, because a program has one instance of the package.
function inWorker(file, rounds, wasm) {
    return new Promise((resolve, reject) => {
        new Worker(new URL(import.meta.url), { workerData: { file, rounds, wasm } }).on('message', resolve)
            .on('error', reject);
    });
}

// The numbers that sorted triangles had before.
function idsOf(before, after) {
    const keyed = new Map();
    const key = (index, t) => `${index[3 * t]} ${index[3 * t + 1]} ${index[3 * t + 2]}`;
    for (let t = 0; t < before.length / 3; ++t) {
        keyed.set(key(before, t), [...(keyed.get(key(before, t)) ?? []), t]);
    }
    return Uint32Array.from({ length: after.length / 3 }, (_, t) => keyed.get(key(after, t)).pop());
}

// three-mesh-bvh with the settings that are fastest on cloth16k: of leaves of 1, 3 and 10 triangles, split at centres and
// by areas, direct and indirect. It sorts the triangles of the geometry, so their ids are looked up.
function bvhOf(model, rounds) {
    const geometry = new THREE.BufferGeometry();
    const position = new THREE.BufferAttribute(model.frames[0].slice(), 3);
    geometry.setAttribute('position', position);
    geometry.setIndex(new THREE.BufferAttribute(model.index.slice(), 1));
    const bvh = new MeshBVH(geometry, { targetLeafSize: 1, strategy: SAH });
    const identity = new THREE.Matrix4();
    const index = geometry.index.array;
    const ids = idsOf(model.index, index);
    const share = (a, b) => {
        for (let i = 3 * a; i < 3 * a + 3; ++i) {
            if (index[i] === index[3 * b] || index[i] === index[3 * b + 1] || index[i] === index[3 * b + 2]) {
                return true;
            }
        }
        return false;
    };
    const query = () => {
        const found = [];
        bvh.bvhcast(bvh, identity, {
            intersectsTriangles(s, t, i, j) {
                if (ids[i] < ids[j] && !share(i, j) && s.intersectsTriangle(t)) {
                    found.push(ids[i], ids[j]);
                }
                return false;
            },
        });
        return { triangles: () => found };
    };
    return timed(model, rounds, (positions) => {
        position.array.set(positions);
        bvh.refit();
    }, query);
}

// Pairs of all frames that are right: those on which both agree, and those that integers confirm.
function judge(model, answers) {
    const keys = answers.map((frames) => frames.map((list) => {
        const set = new Set();
        for (let i = 0; i < list.length; i += 2) {
            set.add(`${list[i]} ${list[i + 1]}`);
        }
        return set;
    }));
    const counts = answers.map(() => ({ missed: 0, invented: 0 }));
    let right = 0;
    model.frames.forEach((positions, f) => {
        const corner = (t) => [0, 1, 2].map((k) => [0, 1, 2].map((d) => exact(positions[3 * model.index[3 * t + k] + d])));
        for (const key of new Set(keys.flatMap((frames) => [...frames[f]]))) {
            const agreed = keys.every((frames) => frames[f].has(key));
            const [a, b] = key.split(' ').map(Number);
            const isRight = agreed || touch(corner(a), corner(b));
            right += isRight ? 1 : 0;
            keys.forEach((frames, i) => {
                counts[i].missed += isRight && !frames[f].has(key) ? 1 : 0;
                counts[i].invented += !isRight && frames[f].has(key) ? 1 : 0;
            });
        }
    });
    return { right, counts };
}

function packedBytes() {
    const names = readdirSync(PACKAGE).filter((name) => name === 'abut.wasm' || name.endsWith('.js'));
    return names.reduce((sum, name) => sum + gzipSync(readFileSync(new URL(name, PACKAGE)), { level: 9 }).length, 0);
}

async function main() {
    const [native, folder, quick] = process.argv.slice(2);
    const rounds = quick ? 3 : 60; // the engine compiles hot functions again, better, in the first ones
    const models = [['tablecloth', 'tablecloth', 16200, 40], ['curtain', 'curtain', 16200, 10], ['shirt', 'shirt', 16200, 4],
        ['coil', 'coil', 8000, 4], ['lattice', null, 1000, 1]];
    const rows = [];
    const tables = [];
    for (const [name, scene, triangles, frames] of quick ? [models[0], models[4]] : models) {
        const file = join(folder, `${name}.bin`);
        if (scene === null) {
            writeLattice(file);
        } else {
            execFileSync(native, ['record', file, scene, triangles, quick ? 4 : frames]);
        }
        const model = load(file);
        const isMain = name === 'tablecloth';
        const simd = await inWorker(file, isMain ? rounds : 3, 'abut.wasm');
        const bvh = bvhOf(model, quick ? 1 : 5); // the least of several, as of abut: a busy machine slows both
        if (isMain) {
            const scalar = await inWorker(file, quick ? 1 : 5, 'abut-scalar.wasm');
            const here = execFileSync(native, ['time', file, 'scalar', rounds]).toString().trim().split(' ').map(Number);
            const pairs = simd.answers.reduce((sum, list) => sum + list.length / 2, 0);
            if (JSON.stringify(scalar.answers) !== JSON.stringify(simd.answers) || here[2] !== pairs) {
                throw new Error(`answers differ: ${here[2]} pairs natively, ${pairs} in WebAssembly`);
            }
            rows.push(['native SSE2 over wasm, self cloth16k', simd.query, here[1], here[1] / simd.query, 0.65, 0.85]);
            rows.push(['wasm without vectors over wasm, self cloth16k', simd.query, scalar.query,
                scalar.query / simd.query, 1.3, 2]);
            rows.push(['update+self cloth16k vs three-mesh-bvh', simd.both, bvh.both, bvh.both / simd.both, 10, 40]);
        }
        const { right, counts } = judge(model, [simd.answers, bvh.answers]);
        tables.push([name, model, right, [['abut', simd, counts[0]], ['three-mesh-bvh', bvh, counts[1]]]]);
    }
    const walk = join(folder, 'walk.bin');
    const walkPairs = Number(execFileSync(native, ['walk', walk, 30000, 30]).toString());
    const walked = await walkInChromium(PACKAGE, walk, quick ? 2 : 20);
    if (walked === null) {
        console.log('skipped: frames per second in Chromium, which is missing');
    } else if (walked.pairs !== walkPairs) {
        throw new Error(`answers differ: ${walkPairs} pairs natively, ${walked.pairs} in Chromium`);
    } else {
        const rate = 1000 / walked.milliseconds;
        rows.push([`frames/s over 60, walk ${walked.triangles}, self, Chromium`, rate, 60, rate / 60, 1, 3]);
    }
    const size = packedBytes();
    rows.push(['size limit 1 MB over wasm + js, gzipped (kB)', size / 1000, 1048.576, 1048576 / size, 1, 2]);

    console.log(`${'row'.padEnd(48)} ${'abut'.padStart(10)} ${'other'.padStart(10)} ${'ratio'.padStart(8)} at least      aim`);
    for (const [name, ours, theirs, ratio, least, aim] of rows) {
        console.log(`${name.padEnd(48)} ${ours.toPrecision(4).padStart(10)} ${theirs.toPrecision(4).padStart(10)} ` +
            `${ratio.toPrecision(3).padStart(8)} ${String(least).padStart(8)} ${String(aim).padStart(8)}`);
    }
    console.log(`\nUpdate and self query, ms a frame; pairs of all frames (node ${process.version}, three-mesh-bvh beside it)`);
    for (const [name, model, right, tools] of tables) {
        console.log(`${name}: ${model.index.length / 3} triangles, ${model.frames.length} frames, ${right} pairs touch`);
        for (const [tool, { both }, { missed, invented }] of tools) {
            console.log(`  ${tool.padEnd(16)} ${both.toPrecision(4).padStart(10)} ms ${String(missed).padStart(7)} missed ` +
                `${String(invented).padStart(7)} invented`);
        }
    }
    return rows.every(([, , , ratio, least]) => ratio >= least) || quick ? 0 : 1;
}

if (isMainThread) {
    process.exitCode = await main();
} else {
    const { file, rounds, wasm } = workerData;
    const { update, query, both, answers } = await abutOf(load(file), rounds, wasm);
    parentPort.postMessage({ update, query, both, answers });
}
