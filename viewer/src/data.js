// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// What the page shows, out of its elements: see cli/report.c, which writes them. Numbers are unpacked
// chunk by chunk when they are needed, so that a long animation opens at once.

const CHUNKS_KEPT = 12;

async function unpack(id) {
    const element = document.getElementById(id);
    if (!element) {
        throw new Error(`the page lacks its part '${id}'`);
    }
    const bytes = Uint8Array.from(atob(element.textContent.trim()), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    return new Uint8Array(await new Response(stream).arrayBuffer());
}

// bytes of equal weight stand together
function words16(bytes, at, count) {
    const out = new Uint16Array(count);
    for (let i = 0; i < count; ++i) {
        out[i] = bytes[at + i] | (bytes[at + count + i] << 8);
    }
    return out;
}

function words32(bytes, at, count) {
    const out = new Uint32Array(count);
    for (let k = 0; k < 4; ++k) {
        for (let i = 0; i < count; ++i) {
            out[i] |= bytes[at + k * count + i] << (8 * k);
        }
    }
    return out;
}

// Points as differences, coordinate after coordinate; relative to `origin`, which keeps what is far
// away sharp.
function points(bytes, at, count, frames, grid, origin) {
    const all = [];
    let last = null;
    for (let f = 0; f < frames; ++f) {
        const now = words16(bytes, at + f * 6 * count, 3 * count);
        const out = new Float32Array(3 * count);
        for (let d = 0; d < 3; ++d) {
            const low = grid.low[d] - origin[d];
            for (let i = 0; i < count; ++i) {
                const k = d * count + i;
                now[k] += last ? last[k] : i > 0 ? now[k - 1] : 0;
                out[3 * i + d] = low + grid.step[d] * now[k];
            }
        }
        last = now;
        all.push(out);
    }
    return all;
}

export class Data {
    constructor() {
        this.info = JSON.parse(document.getElementById('report').textContent);
        this.frames = this.info.frames;
        this.meshes = new Map();
        this.chunks = new Map();
        this.stored = []; // frames with positions: [frame, chunk, place in it]
        this.info.chunks.forEach((chunk, c) => chunk.frames.forEach((f, k) => this.stored.push([f, c, k])));
        const first = this.info.chunks[0]?.bodies[0];
        this.origin = first ? first.low : [0, 0, 0];
    }

    // pairs between bodies and within them
    counts(frame) {
        const sum = (list) => (list ?? []).reduce((n, c) => n + c[2], 0);
        const f = this.frames[frame];
        return { between: sum(f.between), self: sum(f.self) };
    }

    contacts(frame) {
        const f = this.frames[frame];
        return [...(f.between ?? []), ...(f.self ?? [])].map(([a, b, count, listed]) => ({ a, b, count, listed }));
    }

    mesh(number) {
        if (!this.meshes.has(number)) {
            this.meshes.set(number, this.#readMesh(number));
        }
        return this.meshes.get(number);
    }

    async #readMesh(number) {
        const { vertices, triangles } = this.info.meshes[number];
        const steps = words32(await unpack(`mesh-${number}`), 0, 3 * triangles);
        let last = 0;
        for (let i = 0; i < steps.length; ++i) {
            last = (last + ((steps[i] >>> 1) ^ -(steps[i] & 1))) >>> 0;
            steps[i] = last;
        }
        return { vertices, index: steps };
    }

    chunk(number) {
        const known = this.chunks.get(number);
        this.chunks.delete(number); // the last used stand last
        this.chunks.set(number, known ?? this.#readChunk(number));
        if (this.chunks.size > CHUNKS_KEPT) {
            this.chunks.delete(this.chunks.keys().next().value);
        }
        return this.chunks.get(number);
    }

    async #readChunk(number) {
        const info = this.info.chunks[number];
        const [positions, boxes, segments, pairs] = await Promise.all(
            ['positions', 'boxes', 'segments', 'pairs'].map((name) => unpack(`${name}-${number}`)));
        let at = 0;
        const bodies = info.bodies.map((body) => {
            const count = this.info.meshes[body.mesh].vertices;
            const frames = body.moved ? info.frames.length : 1;
            const first = at;
            at += 6 * count * frames;
            return { mesh: body.mesh, states: points(positions, first, count, frames, body, this.origin) };
        });
        return {
            bodies,
            ...this.#boxes(info, boxes),
            ...this.#found(number, info, segments, pairs),
        };
    }

    #boxes(info, bytes) {
        const corners = points(bytes, 0, bytes.length / 6, 1, info.boxes, this.origin)[0];
        const firsts = [];
        let at = 0;
        for (const counts of info.box_counts) {
            firsts.push(counts.map((count) => [at, (at += count)]));
        }
        return { corners, boxRanges: firsts };
    }

    // pairs of triangles and segments of every frame up to the chunk's end
    #found(number, info, segmentBytes, pairBytes) {
        const ends = points(segmentBytes, 0, segmentBytes.length / 6, 1, info.segments, this.origin)[0];
        const ids = words32(pairBytes, 0, pairBytes.length / 4);
        const first = number > 0 ? this.info.chunks[number - 1].end : 0;
        const found = [];
        let pair = 0;
        let segment = 0;
        for (let f = first; f < info.end; ++f) {
            const lists = this.contacts(f).map(({ a, b, listed }) => {
                const entry = { a, b, first: ids.subarray(pair, pair + listed),
                    second: ids.subarray(pair + listed, pair + 2 * listed) };
                pair += 2 * listed;
                return entry;
            });
            const count = this.frames[f].segments;
            found.push({ lists, segments: ends.subarray(6 * segment, 6 * (segment + count)) });
            segment += count;
        }
        return { firstFound: first, found };
    }

    async found(frame) {
        const number = this.info.chunks.findIndex((chunk) => frame < chunk.end);
        const chunk = await this.chunk(number);
        return chunk.found[frame - chunk.firstFound];
    }

    // The bodies' positions at a frame: those of one that has them, or in between of two.
    async state(frame) {
        let k = this.stored.findLastIndex(([f]) => f <= frame);
        k = Math.max(k, 0);
        const [f0, c0, k0] = this.stored[k];
        const [f1, c1, k1] = this.stored[Math.min(k + 1, this.stored.length - 1)];
        const from = await this.chunk(c0);
        const to = f1 > frame && f0 < frame ? await this.chunk(c1) : from;
        const share = f1 > f0 ? (frame - f0) / (f1 - f0) : 0;
        const bodies = from.bodies.map((body, i) => {
            const a = body.states[Math.min(k0, body.states.length - 1)];
            const other = to.bodies[i];
            if (share <= 0 || to === from && c1 !== c0 || other?.mesh !== body.mesh) {
                return { mesh: body.mesh, positions: a };
            }
            const b = other.states[Math.min(k1, other.states.length - 1)];
            return { mesh: body.mesh, positions: a === b ? a : a.map((x, j) => x + share * (b[j] - x)) };
        });
        return { bodies, boxes: (level) => this.#levelBoxes(from, k0, level) };
    }

    #levelBoxes(chunk, place, level) {
        const ranges = chunk.boxRanges[place] ?? [];
        const levels = ranges.length / Math.max(chunk.bodies.length, 1);
        return ranges.filter((_, i) => i % levels === level)
            .map(([first, end]) => chunk.corners.subarray(6 * first, 6 * end));
    }
}
