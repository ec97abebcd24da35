// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The package: errors, memory, lifetime of objects, rows, and queries with known answers.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import test from 'node:test';
import { Worker } from 'node:worker_threads';
import * as abut from 'abut';

// a closed box from lo to hi, with outward triangles
const BOX = [0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7, 0, 1, 5, 0, 5, 4, 1, 2, 6, 1, 6, 5, 2, 3, 7, 2, 7, 6, 3, 0, 4, 3, 4, 7];
const box = ([a, b, c], [x, y, z]) => [a, b, c, x, b, c, x, y, c, a, y, c, a, b, z, x, b, z, x, y, z, a, y, z];
const moved = (x, y, z) => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, z, 1];
const unit = () => abut.shape(box([0, 0, 0], [1, 1, 1]), BOX);

function grid(n) {
    const positions = new Float32Array(3 * n * n);
    const index = [];
    for (let i = 0; i < n * n; ++i) {
        positions.set([i % n, Math.floor(i / n), 0], 3 * i);
        if (i % n < n - 1 && i < n * (n - 1)) {
            index.push(i, i + 1, i + n, i + 1, i + n + 1, i + n);
        }
    }
    return [positions, index];
}

function wave(positions, n, t) {
    for (let i = 0; i < n * n; ++i) {
        const x = i % n;
        positions[3 * i] = 0.5 * n * Math.sin((x / n) * (2 + 3 * Math.sin(t))) ;
        positions[3 * i + 2] = 0.4 * n * Math.cos((x / n) * (3 + 2 * Math.cos(t)));
    }
}

test('wrong input raises and names what is wrong', () => {
    const scene = new abut.Scene();
    const body = scene.add(unit(), { name: 'crate' });
    const refused = (call, kind, about) => assert.throws(call, (error) => {
        assert.ok(error instanceof kind, `${error.name}: ${error.message}`);
        assert.match(error.message, about);
        return true;
    });
    const bad = box([0, 0, 0], [1, 1, 1]);
    bad[13] = NaN;
    refused(() => body.setPositions(bad), abut.AbutError, /crate.*vertex 4/);
    try {
        body.setPositions(bad);
    } catch (error) {
        assert.deepEqual([error.status, error.element, error.index, error.body], ['invalid data', 'vertex', 4, body]);
    }
    assert.deepEqual(Array.from(body.vertices()), box([0, 0, 0], [1, 1, 1])); // the state stays
    refused(() => abut.shape([0, 0, 0, 1, 0, 0, 0, 1, 0], [0, 1, 9]), abut.AbutError, /triangle 0 uses vertex 9/);
    refused(() => abut.shape([0, 0, 0, 1, 0, 0, 0, 1, 0], [0, 1, -1]), abut.AbutError, /triangle 0/);
    refused(() => abut.shape([0, 0, NaN, 1, 0, 0, 0, 1, 0], [0, 1, 2]), abut.AbutError, /vertex 0/);
    refused(() => abut.shape([0, 0], [0, 0, 0]), RangeError, /three numbers/);
    refused(() => abut.shape([0, 0, 0], [0, 0]), RangeError, /three numbers a triangle/);
    refused(() => abut.shape([], []), abut.AbutError, /./);
    refused(() => abut.shape('no', []), TypeError, /positions/);
    refused(() => body.setPositions([0, 0, 0]), abut.AbutError, /./);
    refused(() => body.setCoordinates([1]), abut.AbutError, /./);
    refused(() => body.setFrame([1, 2, 3]), RangeError, /16 numbers/);
    refused(() => body.setFrame([2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1]), abut.AbutError, /./);
    refused(() => body.setFrame([1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]), RangeError, /last row/);
    refused(() => scene.add({}), TypeError, /shape/);
    refused(() => scene.collide(body, body), abut.AbutError, /./);
    refused(() => scene.collide(body, new abut.Scene().add(unit())), TypeError, /another scene/);
    refused(() => scene.collideSelf(body, { margin: -1 }), abut.AbutError, /margin/);
    refused(() => scene.cast([0, 0, 0], [1, 0]), RangeError, /three numbers/);
    refused(() => scene.cast([0, 0, 0], [1, NaN, 0]), abut.AbutError, /./);
    refused(() => abut.modal([0, 0, 0], [0, 0, 0], [[1, 1, 1, 2, 2, 2]]), RangeError, /field 0/);
    refused(() => abut.blend([0, 0, 0], [0, 0, 0], { nodeCount: 1, perVertex: 1, nodes: [5], values: [1] }),
        abut.AbutError, /node/);
    refused(() => abut.flight([0, 0, 0], [0, 0, 0], [{ time: 0, positions: [0, 0, Infinity] }]), RangeError, /vertex 0/);
    refused(() => new abut.Shape(), TypeError, /shape\(\)/);
    assert.equal(scene.collideSelf(body).length, 0); // all is as before
});

test('sizes that do not fit into 32 bits are refused', () => {
    const scene = new abut.Scene();
    assert.throws(() => new abut.ModuleArray(Float64Array, 2 ** 29 - 1), /memory|Invalid/);
    // 2^16 fields of a few vertices, and more weights than there are
    assert.throws(() => abut.modal([0, 0, 0], [0, 0, 0], Array(70000).fill([1, 1, 1])), abut.AbutError);
    assert.throws(() => abut.blend([0, 0, 0], [0, 0, 0],
        { nodeCount: 0x7fffffff, perVertex: 1, nodes: [0], values: [1] }), abut.AbutError);
    scene.dispose();
});

test('memory does not grow over 1000 frames', () => {
    const n = 40;
    const scene = new abut.Scene();
    const [positions, index] = grid(n);
    const body = scene.add(abut.shape(positions, index));
    const floor = scene.add(unit(), { isStatic: true });
    const frame = (k) => {
        wave(positions, n, (2 * Math.PI * (k % 100)) / 100);
        body.setPositions(positions);
        scene.collideSelf(body);
        scene.collideAll();
        scene.nearest(body, floor);
        scene.cast([5, 5, 100], [0, 0, -1]);
        scene.closest([5, 5, 100]);
        scene.sweepSelf(body, { earliestOnly: true });
    };
    for (let k = 0; k < 200; ++k) {
        frame(k);
    }
    const before = abut.memoryBytes();
    for (let k = 200; k < 1200; ++k) {
        frame(k);
    }
    assert.equal(abut.memoryBytes(), before);
    scene.dispose();
});

test('objects that are disposed of, or collected, give their memory back', async () => {
    const [positions, index] = grid(60);
    const use = (dispose) => {
        const scene = new abut.Scene();
        const shape = abut.flight(positions, index, [{ time: 0, positions }, { time: 1, positions }]);
        const body = scene.add(shape);
        body.setTime(0.5);
        scene.collideSelf(body);
        if (dispose) {
            shape.dispose();
            scene.collideSelf(body); // the body keeps its shape
            scene.dispose();
        }
    };
    const rounds = async (dispose) => {
        for (let k = 0; k < 200; ++k) {
            use(dispose);
            if (!dispose) {
                globalThis.gc();
                await new Promise((resolve) => setImmediate(resolve));
            }
        }
        return abut.memoryBytes();
    };
    for (let k = 0; k < 4; ++k) {
        use(true);
    }
    const before = abut.memoryBytes();
    assert.equal(await rounds(true), before);
    if (globalThis.gc !== undefined) { // node --expose-gc
        assert.ok((await rounds(false)) < before + 32 * 2 ** 20); // some wait for the collector
    }
});

test('what was disposed of raises', () => {
    const scene = new abut.Scene();
    const shape = unit();
    const body = scene.add(shape);
    body.remove();
    assert.throws(() => body.setFrame(moved(0, 0, 0)), /not in its scene/);
    const other = scene.add(shape);
    assert.equal(scene.bodies.length, 1);
    shape.dispose();
    assert.throws(() => scene.add(shape), /disposed/);
    scene.dispose();
    scene.dispose();
    assert.throws(() => other.box(), /not in its scene/);
    assert.throws(() => scene.collideAll(), /disposed/);
});

test('rows stay valid until the next query of their kind', () => {
    const scene = new abut.Scene();
    const a = scene.add(unit());
    const b = scene.add(unit(), { frame: moved(0.5, 0.5, 0.5) });
    const pairs = scene.collide(a, b);
    assert.ok(pairs.length > 0);
    const copy = pairs.copy();
    assert.deepEqual(copy[0], pairs.at(0));
    assert.deepEqual(pairs.at(-1), copy[copy.length - 1]);
    assert.equal(pairs.at(pairs.length), undefined);
    assert.deepEqual(Array.from(pairs.triangles()), copy.flatMap((p) => [p.triangleA, p.triangleB]));
    assert.equal(copy[0].bodyA, a);
    scene.nearest(a, b); // another kind
    assert.equal(pairs.at(0).bodyB, b);
    scene.collideSelf(a);
    assert.throws(() => pairs.at(0), /later query/);
});

test('positions in the module are set without a copy', () => {
    const scene = new abut.Scene();
    const [positions, index] = grid(10);
    const body = scene.add(abut.shape(positions, index));
    const own = new abut.ModuleArray(Float32Array, positions.length);
    own.array.set(positions);
    own.array[2] = 5;
    body.setPositions(own);
    assert.equal(body.vertices()[2], 5);
    own.array[2] = 6;
    assert.equal(body.vertices()[2], 5);
    body.borrowPositions(own);
    assert.equal(body.vertices()[2], 6);
    assert.throws(() => body.borrowPositions(positions), TypeError);
    body.setPositions(positions);
    own.dispose();
    assert.throws(() => own.array, /disposed/);
});

test('distance, depth, sweep, rays and closest points of boxes', () => {
    const scene = new abut.Scene();
    const a = scene.add(unit());
    const b = scene.add(unit(), { frame: moved(3, 0, 0) });
    const near = scene.nearest(a, b);
    assert.deepEqual([near.distance, near.gap], [2, 2]);
    assert.deepEqual([near.a.point[0], near.b.point[0]], [1, 3]);
    assert.equal(scene.nearest(a, b, { maxDistance: 1.5 }), null);
    assert.equal(scene.nearestAll().length, 2);

    b.setFrame(moved(0.75, 0.1, 0.1));
    const regions = scene.depth(a, b);
    assert.ok(regions.defined);
    assert.equal(regions.length, 1);
    const region = regions.at(0);
    assert.ok(Math.abs(region.depth - 0.25) < 1e-6 && region.direction[0] < -0.999, JSON.stringify(region));
    assert.equal(region.kind, 'contact');
    assert.equal(region.pairs.length, scene.collide(a, b).length);

    const hits = scene.cast([0.5, 0.25, -1, 0.5, 0.25, 9], [0, 0, 1, 0, 0, 1], { all: true, body: a });
    assert.deepEqual(Array.from(hits, (h) => [h.ray, h.t, h.side]), [[0, 1, 'front'], [0, 2, 'back']]);
    const [closest] = scene.closest([0.5, 0.25, 0.125], { body: a, sign: true });
    assert.deepEqual([closest.distance, closest.side], [-0.125, 'inside']);

    const flat = scene.add(abut.shape([0, 0, 10, 4, 0, 10, 0, 4, 10]), { name: 'sheet' });
    const ball = scene.add(abut.shape([1, 1, 12, 1, 1.5, 12, 1.5, 1, 12]));
    flat.setPositions([0, 0, 10, 4, 0, 10, 0, 4, 10]);
    ball.setPositions([1, 1, 12, 1, 1.5, 12, 1.5, 1, 12]);
    flat.endStep();
    ball.setPositions([1, 1, 8, 1, 1.5, 8, 1.5, 1, 8]);
    const swept = scene.sweep(flat, ball);
    assert.ok(Math.abs(swept.time - 0.5) < 1e-9);
    assert.equal(swept.at(0).bodyA.name, 'sheet');
    assert.equal(scene.sweep(flat, ball, { earliestOnly: true }).time, swept.time);
});

test('a worker gets the compiled module by a message', async () => {
    const folder = fileURLToPath(new URL('.', import.meta.resolve?.('abut') ?? new URL('node_modules/abut/', import.meta.url)));
    const bytes = readFileSync(`${folder}/abut.wasm`);
    const code = `import { parentPort, workerData } from 'node:worker_threads';
        import { initSync, Scene, shape } from '${new URL(`file://${folder}/manual.js`)}';
        initSync(workerData);
        const scene = new Scene();
        const body = scene.add(shape([0,0,0, 1,0,0, 0,1,0, 0.2,0.2,-1, 0.2,0.2,1, 0.3,0.9,1]));
        parentPort.postMessage(scene.collideSelf(body).length);`;
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`),
        { workerData: await WebAssembly.compile(bytes) });
    const answer = await new Promise((resolve, reject) => worker.on('message', resolve).on('error', reject));
    assert.equal(answer, 1);
});
