// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Reads the data of the page from its elements, which cli/report.c and cli/report_keep.c write. Numbers
// are unpacked chunk by chunk when they are needed, so that a long animation opens at once. In a page that plays while it
// is checked (live.js) each frame is a chunk that comes when it is needed.
import { Live } from './live.js';

const CHUNKS_KEPT = 12;
const LIVE_VERTICES = 1e7; // of frames that are kept of such a page
const NOTHING = { lists: [], segments: new Float32Array(0), sweeps: [], contours: [] };

// The kinds of findings, in the order in which bars are stacked. `of` counts them in a finding.
const KINDS = [
    { key: 'between', colour: '--between', name: 'pairs between bodies', one: 'pair between bodies',
        of: (f) => (f.a !== f.b ? f.pairs ?? 0 : 0) },
    { key: 'self', colour: '--within', name: 'pairs within a body', one: 'pair within a body',
        of: (f) => (f.a === f.b ? f.pairs ?? 0 : 0) },
    { key: 'swept', colour: '--swept', name: 'contacts between two frames', one: 'contact between two frames',
        of: (f) => f.swept ?? 0 },
    { key: 'depth', colour: '--depth', name: 'places where bodies are inside each other', one: 'place where bodies are inside each other',
        of: (f) => f.regions ?? 0 },
    { key: 'near', colour: '--near', of: (f) => (f.contact && f.distance !== undefined ? 1 : 0) },
    { key: 'inside', colour: '--inside', name: 'bodies inside others, surfaces apart', one: 'body inside another, surfaces apart',
        of: (f) => (f.inside && !f.regions ? 1 : 0) },
];

async function unpack(id) {
    const element = document.getElementById(id);
    if (!element) {
        throw new Error(`the part '${id}' of the page is missing`);
    }
    const bytes = Uint8Array.from(atob(element.textContent.trim()), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    return new Uint8Array(await new Response(stream).arrayBuffer());
}

// `gaps` and `ways` (separating translations) become pairs of points; `lines` adds bodies and lengths
function prepare(frame) {
    const lines = [...(frame.gaps ?? []), ...(frame.ways ?? [])].map((line) => (
        { ends: [line.slice(0, 3), line.slice(3, 6)], a: line[6], b: line[7], length: line[8] }));
    return { ...frame, lines, gaps: frame.gaps?.map((line) => line.slice(0, 6)), ways: frame.ways?.map((line) => line.slice(0, 6)) };
}

// the number of findings of each kind
const countsOf = (frame) => Object.fromEntries(KINDS.map((kind) => [kind.key, frame.found.reduce((n, x) => n + kind.of(x), 0)]));

// Reads numbers one after the other. Bytes of equal significance are stored together.
class Reader {
    constructor(bytes) {
        this.bytes = bytes;
        this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
        this.at = 0;
    }

    words16(count) {
        const out = new Uint16Array(count);
        for (let i = 0; i < count; ++i) {
            out[i] = this.bytes[this.at + i] | (this.bytes[this.at + count + i] << 8);
        }
        this.at += 2 * count;
        return out;
    }

    words32(count) {
        const out = new Uint32Array(count);
        for (let k = 0; k < 4; ++k) {
            for (let i = 0; i < count; ++i) {
                out[i] |= this.bytes[this.at + k * count + i] << (8 * k);
            }
        }
        this.at += 4 * count;
        return out;
    }

    grid() {
        const [x, y, z, step] = [0, 8, 16, 24].map((k) => this.view.getFloat64(this.at + k, true));
        this.at += 32;
        return { low: [x, y, z], step };
    }

    // points stored as differences, from `last` or from the point before
    points(count, last) {
        const now = this.words16(3 * count);
        for (let i = 0; i < now.length; ++i) {
            now[i] += last ? last[i] : i % count > 0 ? now[i - 1] : 0;
        }
        return now;
    }
}

// Coordinates relative to `origin`: floats keep their precision also far from 0.
function coordinates(words, grid, origin) {
    const count = words.length / 3;
    const out = new Float32Array(words.length);
    for (let d = 0; d < 3; ++d) {
        const low = grid.low[d] - origin[d];
        for (let i = 0; i < count; ++i) {
            out[3 * i + d] = low + grid.step * words[d * count + i];
        }
    }
    return out;
}

export class Data {
    constructor() {
        this.info = JSON.parse(document.getElementById('report').textContent);
        this.live = this.info.live ? new Live() : null;
        this.frames = this.info.frames.map(prepare);
        this.origin = this.info.origin;
        this.events = this.info.events ?? null; // the worst first; null: contact was not measured
        this.eventCount = this.info.event_count ?? 0; // of all, also those that are not listed
        this.meshes = new Map();
        this.chunks = new Map();
        this.bare = new Set(); // frames that came without findings, because checks are slow
        this.stored = this.#storedFrames(); // ascending: [frame, chunk, place in it]
        this.places = new Map(this.stored.map(([f, c, k]) => [f, [c, k]]));
        const limit = this.info.asked.within === undefined ? 'at distance 0' : 'within the distance';
        this.allKinds = KINDS.map((kind) => (kind.key !== 'near' ? kind
            : { ...kind, name: `pairs of bodies ${limit}`, one: `pair of bodies ${limit}` }));
        this.allCounts = this.frames.map(countsOf);
        this.checkedCount = this.live ? 0 : this.frames.length;
        this.#chooseKinds();
    }

    #storedFrames() {
        return this.live ? this.frames.map((_, f) => [f, f, 0])
            : this.info.chunks.flatMap((chunk, c) => chunk.frames.map(([f], k) => [f, c, k]));
    }

    // the kinds that are found in some frame
    #chooseKinds() {
        this.kinds = this.allKinds.filter(({ key }) => this.allCounts.some((c) => c[key] > 0));
    }

    // ---- names

    name(body) {
        return this.info.bodies[body] || `body ${body + 1}`;
    }

    // the label of a frame, as in the table and the files
    label(frame) {
        return this.frames[frame].label ?? String(this.frames[frame].frame);
    }

    // ---- findings

    // the count of each kind
    counts(frame) {
        return this.allCounts[frame];
    }

    touches(frame) {
        return this.frames[frame].found.some((f) => f.contact);
    }

    // whether there is contact in the frame itself, beyond swept contacts
    touchesAtRest(frame) {
        return this.frames[frame].found.some((f) => f.contact && (!f.swept || f.pairs || f.regions || f.distance !== undefined));
    }

    // the time of the earliest swept contact before a frame; undefined if there is none
    firstSwept(frame) {
        const times = this.frames[frame].found.filter((f) => f.swept > 0).map((f) => f.first);
        return times.length > 0 ? Math.min(...times) : undefined;
    }

    // all contacts in the order of time: { frame }, or { frame, time } for a swept contact before the frame
    stops() {
        return this.frames.flatMap((_, frame) => {
            const time = this.firstSwept(frame);
            return [...(time === undefined ? [] : [{ frame, time }]), ...(this.touchesAtRest(frame) ? [{ frame }] : [])];
        });
    }

    // whether a frame can be drawn, and whether the step to it can
    kept(frame) {
        return this.places.has(frame);
    }

    keptStep(frame) {
        return this.kept(frame) && this.kept(frame - 1);
    }

    // whether the findings of a frame are known
    checked(frame) {
        return !this.live || this.frames[frame].checked === true;
    }

    // takes the findings of a frame that came later
    #take(place, frame) {
        this.checkedCount += this.checked(place) ? 0 : 1;
        this.frames[place] = { ...prepare(frame), checked: true };
        this.allCounts[place] = countsOf(frame);
        this.#chooseKinds();
    }

    // ---- meshes and chunks

    mesh(number) {
        if (!this.meshes.has(number)) {
            this.meshes.set(number, this.#readMesh(number));
        }
        return this.meshes.get(number);
    }

    async #readMesh(number) {
        const { vertices, triangles } = this.info.meshes[number];
        const steps = new Reader(this.live?.meshes.get(`mesh-${number}`) ?? await unpack(`mesh-${number}`)).words32(3 * triangles);
        let last = 0;
        for (let i = 0; i < steps.length; ++i) {
            last = (last + ((steps[i] >>> 1) ^ -(steps[i] & 1))) >>> 0;
            steps[i] = last;
        }
        return { vertices, index: steps };
    }

    chunk(number) {
        if (this.bare.size > 0 && this.live.checks && this.bare.delete(number)) {
            this.chunks.delete(number); // now with findings
        }
        const known = this.chunks.get(number);
        this.chunks.delete(number); // the most recently used are last
        this.chunks.set(number, known ?? this.#readChunk(number));
        if (this.chunks.size > this.#mostChunks()) {
            this.chunks.delete(this.chunks.keys().next().value);
        }
        return this.chunks.get(number);
    }

    #mostChunks() {
        const vertices = this.info.meshes.reduce((sum, mesh) => sum + mesh.vertices, 1);
        return this.live ? Math.max(CHUNKS_KEPT, LIVE_VERTICES / vertices) : CHUNKS_KEPT;
    }

    async #readChunk(number) {
        if (this.live) {
            return this.#readLive(number);
        }
        const info = this.info.chunks[number];
        const streams = await Promise.all(['positions', 'grids', 'points', 'ids'].map((name) => unpack(`${name}-${number}`)));
        return this.#unpackChunk(info, streams, info.frames.map(([f]) => this.frames[f]));
    }

    async #readLive(number) {
        try {
            const { checked, frame, chunk, meshes, streams } = await this.live.frame(number);
            this.info.meshes = meshes;
            if (checked) {
                this.#take(number, frame);
            } else {
                this.bare.add(number);
            }
            return this.#unpackChunk(chunk, streams, [frame]);
        } catch (error) {
            this.chunks.delete(number);
            throw error;
        }
    }

    #unpackChunk(info, streams, frames) {
        const [positions, grids, points, ids] = streams.map((bytes) => new Reader(bytes));
        let before = [];
        return info.frames.map((row, k) => {
            const states = this.#readStates(info, k, before, positions, grids);
            before = states;
            return { meshes: info.meshes, states, ...this.#readFound(row, frames[k], grids, points, ids) };
        });
    }

    // '0': same as before; '1': a new grid; '2': the grid before, as differences
    #readStates(info, k, before, positions, grids) {
        return [...info.flags[k]].map((flag, body) => {
            if (flag === '0') {
                return before[body];
            }
            const grid = flag === '1' ? grids.grid() : before[body].grid;
            const count = this.info.meshes[info.meshes[body]].vertices;
            const words = positions.points(count, flag === '2' ? before[body].words : null);
            return { grid, words, positions: coordinates(words, grid, this.origin) };
        });
    }

    #readFound([, boxes, segments, waypoints, lines, boxCounts, triangles, swept, contours, traced], frame, grids, points, ids) {
        const [corners, ends, ways, bends] = [boxes, segments, waypoints, lines].map((count) => {
            const grid = grids.grid();
            return coordinates(points.points(count, null), grid, this.origin);
        });
        const counts = ids.words32(boxCounts);
        const pairs = ids.words32(triangles);
        const times = ids.words32(swept);
        const [rows, along] = [ids.words32(contours), ids.words32(traced)];
        return {
            corners, counts,
            found: { segments: ends, lists: this.#lists(frame, pairs, ends), sweeps: this.#sweeps(frame, times, ways),
                contours: this.#contours(rows, along, bends) },
        };
    }

    // Contours: bodies, why both ends are there, points, the length, and the triangles of a and b in `pairs`, segment by
    // segment.
    #contours(rows, along, bends) {
        const lengths = new Float32Array(rows.buffer);
        let [point, pair] = [0, 0];
        return Array.from({ length: rows.length / 5 }, (_, i) => {
            const [a, b, why, count] = rows.subarray(5 * i, 5 * i + 4);
            const ends = [why & 0xffff, why >>> 16].map((end) => this.info.ends[end]);
            const closed = ends[0] === 'closed';
            const segments = count - (closed ? 0 : 1);
            const entry = { a, b, ends, closed, length: lengths[5 * i + 4], points: bends.subarray(3 * point, 3 * (point + count)),
                pairs: along.subarray(2 * pair, 2 * (pair + segments)) };
            point += count;
            pair += segments;
            return entry;
        });
    }

    #lists(frame, pairs, ends) {
        let pair = 0;
        let end = 0;
        return frame.lists.map(([a, b, all, listed, segments]) => {
            const entry = { a, b, all, first: pairs.subarray(pair, pair + listed),
                second: pairs.subarray(pair + listed, pair + 2 * listed), segments: ends.subarray(end, end + 6 * segments) };
            pair += 2 * listed;
            end += 6 * segments;
            return entry;
        });
    }

    #sweeps(frame, numbers, points) {
        let at = 0;
        return frame.sweeps.map(([a, b, all, listed]) => {
            const contacts = Array.from({ length: listed }, (_, i) => {
                const [first, second, time] = numbers.subarray(3 * (at + i), 3 * (at + i) + 3);
                return { first, second, time: time / 4294967295, point: points.subarray(3 * (at + i), 3 * (at + i) + 3) };
            });
            at += listed;
            return { a, b, all, contacts: contacts.sort((x, y) => x.time - y.time) };
        });
    }

    // ---- frames

    // what is drawn of a frame; empty if the frame was dropped
    async found(frame) {
        const place = this.places.get(frame);
        return place ? (await this.chunk(place[0]))[place[1]].found : NOTHING;
    }

    // The stored frames at or around a time, and the fraction of the time between them.
    around(time) {
        const k = Math.max(this.stored.findLastIndex(([f]) => f <= time), 0);
        const from = this.stored[k];
        const to = from[0] < time ? this.stored[Math.min(k + 1, this.stored.length - 1)] : from;
        return { from, to, share: to[0] > from[0] ? Math.min((time - from[0]) / (to[0] - from[0]), 1) : 0 };
    }

    // The positions of the bodies at a frame or a time between two, interpolated where that is not stored.
    async state(time) {
        const { from: [, c0, k0], to: [, c1, k1], share } = this.around(time);
        const from = (await this.chunk(c0))[k0];
        const to = (await this.chunk(c1))[k1];
        const bodies = from.states.map((body, i) => {
            const mesh = from.meshes[i];
            const [a, b] = [body.positions, to.states[i].positions];
            const error = Math.max(body.grid.step, to.states[i].grid.step); // more than that of a position
            return { mesh, error, positions: share === 0 || to.meshes[i] !== mesh || a === b ? a : a.map((x, j) => x + share * (b[j] - x)) };
        });
        return { bodies, boxes: (level) => this.#levelBoxes(from, level) };
    }

    // the boxes of a level, by body
    #levelBoxes({ corners, counts }, level) {
        const out = [];
        let at = 0;
        counts.forEach((count, i) => {
            if (i % this.info.levels === level) {
                out.push(corners.subarray(3 * at, 3 * (at + 2 * count)));
            }
            at += 2 * count;
        });
        return out;
    }
}
