// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Frames of a page that plays while its check still runs: each is checked when it is shown. The page around this one has
// the program that does it (web/page), and gives the function `give` to the frame element that this page is in.
//
// A check may take longer than frames last. Frames are then left out, so that the motion keeps its pace. If it takes very
// long, the motion plays without checks, and the frame where it stops is checked.

const SLOW = 150; // milliseconds of a check, above which frames are not checked while they play
const STREAMS = ['positions', 'grids', 'points', 'ids'];

export class Live {
    constructor() {
        this.playing = false;
        this.took = 0;           // milliseconds of the last check
        this.meshes = new Map(); // the bytes of those that came with a frame
    }

    get isSlow() {
        return this.took > SLOW;
    }

    // whether the next frame is checked
    get checks() {
        return !(this.playing && this.isSlow);
    }

    // A frame as the page would store it, a chunk of its own: { checked, frame, chunk, meshes, streams }.
    async frame(place) {
        const checked = this.checks;
        const { parts, took } = await window.frameElement.give(place, checked);
        const named = new Map(parts.map(({ name, number, bytes }) => [name === 'mesh' ? `mesh-${number}` : name, bytes]));
        this.took = checked ? took : this.took;
        for (const [name, bytes] of named) {
            if (name.startsWith('mesh-')) {
                this.meshes.set(name, bytes);
            }
        }
        const { frame, chunk, meshes } = JSON.parse(new TextDecoder().decode(named.get('frame')));
        return { checked, frame, chunk, meshes, streams: STREAMS.map((name) => named.get(name)) };
    }
}
