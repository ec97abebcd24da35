// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// All built-in scenes: the hashes of the pairs must be those that the native program tests/machines/answers prints.
// ABUT_POSITIONS is the file that it recorded, ABUT_ANSWERS what it printed.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import * as abut from 'abut';

// FNV-1a of 64 bits, in two halves
class Hash {
    #high = 0xcbf29ce4;
    #low = 0x84222325;
    add(bytes) {
        let [high, low] = [this.#high, this.#low];
        for (const byte of bytes) {
            low = (low ^ byte) >>> 0;
            const product = low * 0x1b3; // the prime is 2^40 + 0x1b3
            high = (Math.imul(high, 0x1b3) + Math.floor(product / 2 ** 32) + (low << 8)) >>> 0;
            low = product >>> 0;
        }
        [this.#high, this.#low] = [high, low];
    }
    text() {
        return [this.#high, this.#low].map((x) => x.toString(16).padStart(8, '0')).join('');
    }
}

class Answer {
    count = 0;
    hash = new Hash();
    add(pairs) {
        this.count += pairs.length;
        this.hash.add(new Uint8Array(BigUint64Array.of(BigInt(pairs.length)).buffer));
        if (pairs.length > 0) {
            const data = pairs.data;
            this.hash.add(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
        }
    }
}

function* scenesOf(file) {
    const bytes = readFileSync(file);
    let at = 0;
    const take = (Type, count) => {
        const part = bytes.buffer.slice(bytes.byteOffset + at, bytes.byteOffset + at + count * Type.BYTES_PER_ELEMENT);
        at += count * Type.BYTES_PER_ELEMENT;
        return new Type(part);
    };
    while (at < bytes.length) {
        const name = new TextDecoder().decode(take(Uint8Array, 32)).split('\0')[0];
        const [bodyCount, frameCount] = take(Uint32Array, 2);
        const bodies = [];
        for (let i = 0; i < bodyCount; ++i) {
            const [vertices, triangles] = take(Uint32Array, 3);
            bodies.push({ index: take(Uint32Array, 3 * triangles), rest: take(Float64Array, 3 * vertices), frames: [] });
        }
        for (let frame = 0; frame < frameCount; ++frame) {
            bodies.forEach((body) => body.frames.push(take(Float64Array, body.rest.length)));
        }
        yield { name, bodies, frameCount };
    }
}

const rotated = [0.6, (0.8 * 12) / 13, (0.8 * 5) / 13, 0, -0.8, (0.6 * 12) / 13, (0.6 * 5) / 13, 0, 0, -5 / 13, 12 / 13, 0,
    1 / 16, 0, 0, 1];
const settings = { double: {}, float: { single: true }, turned: { turned: true }, margin: { margin: 1 / 128 } };

function lineOf(scene, name, { single = false, turned = false, margin = 0 }) {
    const space = new abut.Scene();
    const bodies = scene.bodies.map((body, i) => {
        const shape = abut.shape(body.rest, body.index);
        const made = space.add(shape, turned && i === 1 ? { frame: rotated } : {});
        shape.dispose();
        return made;
    });
    const between = new Answer();
    const self = new Answer();
    for (let frame = 0; frame < scene.frameCount; ++frame) {
        bodies.forEach((body, i) => {
            const positions = scene.bodies[i].frames[frame];
            body.setPositions(single ? Float32Array.from(positions) : positions);
        });
        between.add(space.collideAll({ margin }));
        self.add(space.collideSelfAll({ margin }));
    }
    space.dispose();
    return [scene.name, name, between.count, between.hash.text(), self.count, self.hash.text()].join(' ');
}

test(`the hashes of all built-in scenes are those of the native library (${abut.instructionSet()})`, () => {
    const native = new Set();
    for (const line of readFileSync(process.env.ABUT_ANSWERS, 'utf8').split('\n')) {
        const words = line.trim().split(/\s+/);
        if (words.length === 9) {
            native.add([...words.slice(0, 4), ...words.slice(5, 7)].join(' '));
        }
    }
    let count = 0;
    for (const scene of scenesOf(process.env.ABUT_POSITIONS)) {
        for (const [name, setting] of Object.entries(settings)) {
            const line = lineOf(scene, name, setting);
            assert.ok(native.has(line), `the native program does not print: ${line}`);
            ++count;
        }
    }
    assert.equal(count, native.size);
    assert.ok(count > 100);
});
