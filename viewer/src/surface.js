// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A body in the picture: its triangles, their positions, and which of them are highlighted.
import { Numbers } from './gl.js';
import { growBox, noBox, smoothNormals } from './vector.js';

const SMOOTH_UP_TO = 150000; // largest number of vertices with smooth normals, computed in every frame

export class Surface {
    constructor(colour) {
        this.colour = colour;
        this.mesh = null;     // number of its current mesh
        this.visible = true;
        this.ghosts = [];     // the same triangles at other positions, drawn faintly
    }

    // sets the triangles
    remesh(number, { vertices, index }) {
        if (this.mesh === number) {
            return;
        }
        this.mesh = number;
        this.index = index;
        this.triangles = new Numbers(index);
        this.place = new Numbers(new Float32Array(3 * vertices));
        this.normals = vertices <= SMOOTH_UP_TO ? new Numbers(new Float32Array(3 * vertices)) : null;
        this.hits = new Numbers(new Uint32Array(0));
        this.wires = null;
        this.ghosts = [];
    }

    get positions() {
        return this.place.array;
    }

    // sets the positions, and others at which the body is drawn faintly
    move(positions, others = []) {
        this.place.set(positions);
        this.ghosts = others.map((other) => new Numbers(other));
        this.box = null;
        if (this.normals) {
            smoothNormals(positions, this.index, this.normals.array);
            this.normals.stale = true;
        }
    }

    // the box of all that is drawn of the body
    get bounds() {
        this.box ??= [this.place, ...this.ghosts].reduce((box, { array }) => growBox(box, array), noBox());
        return this.box;
    }

    corner(vertex) {
        return [...this.positions.subarray(3 * vertex, 3 * vertex + 3)];
    }

    corners(triangle) {
        return [0, 1, 2].map((c) => this.corner(this.index[3 * triangle + c]));
    }

    // the corners of some triangles, as vertex numbers
    part(triangles) {
        const out = new Uint32Array(3 * triangles.length);
        triangles.forEach((t, i) => out.set(this.index.subarray(3 * t, 3 * t + 3), 3 * i));
        return out;
    }

    highlight(triangles) {
        this.hits.set(this.part(triangles));
    }

    // the boundary edges of some triangles: two points each, six numbers
    outline(triangles) {
        const edges = new Map();
        for (const t of triangles) {
            for (let c = 0; c < 3; ++c) {
                const [v, w] = [this.index[3 * t + c], this.index[3 * t + ((c + 1) % 3)]];
                const key = `${Math.min(v, w)} ${Math.max(v, w)}`;
                edges.set(key, edges.has(key) ? null : [v, w]);
            }
        }
        return [...edges.values()].filter(Boolean).flatMap(([v, w]) => [...this.corner(v), ...this.corner(w)]);
    }

    // all edges, as pairs of vertices; made at the first call
    get edges() {
        if (!this.wires) {
            const { index } = this;
            const ends = new Uint32Array(2 * index.length);
            for (let k = 0; k < index.length; ++k) {
                ends[2 * k] = index[k];
                ends[2 * k + 1] = index[k % 3 === 2 ? k - 2 : k + 1];
            }
            this.wires = new Numbers(ends);
        }
        return this.wires;
    }
}
