// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The picture: bodies, touching triangles, where they cross, boxes of the tree.
import {
    AmbientLight, ArrowHelper, Box3, BufferAttribute, BufferGeometry, Color, DirectionalLight, DoubleSide, Group, HemisphereLight,
    LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial, MeshStandardMaterial, PerspectiveCamera, Scene, Sphere,
    Vector3, WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';

const PALETTE = ['#5b8def', '#e3b23c', '#52b788', '#b084cc', '#4db6c6', '#d98e73', '#8a9a5b', '#c77d98'];
const SMOOTH_UP_TO = 150000; // vertices whose normals are worked out in every frame
const LEVEL_COLOURS = ['#8b94a7', '#5b8def', '#52b788', '#e3b23c', '#e8863a'];

export const colourOf = (body) => PALETTE[body % PALETTE.length];

// the twelve edges of a box, as numbers of its eight corners
const EDGES = [0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 1, 3, 4, 6, 5, 7, 0, 4, 1, 5, 2, 6, 3, 7];

class Body {
    constructor(number) {
        this.geometry = null;
        this.mesh = null;
        this.material = new MeshStandardMaterial({
            color: colourOf(number), side: DoubleSide, roughness: 0.72, metalness: 0.0,
            polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 2,
        });
        this.hits = new MeshBasicMaterial({
            color: '#d62839', side: DoubleSide, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1,
        });
        this.wires = new LineBasicMaterial({ color: '#000', transparent: true, opacity: 0.22 });
        this.group = new Group();
    }

    // a mesh with these triangles
    async remesh(number, data) {
        const { vertices, index } = await data.mesh(number);
        if (this.mesh === number) {
            return;
        }
        this.mesh = number;
        this.index = index;
        this.geometry?.dispose();
        this.group.clear();
        this.geometry = new BufferGeometry();
        this.positions = new BufferAttribute(new Float32Array(3 * vertices), 3);
        this.geometry.setAttribute('position', this.positions);
        this.geometry.setIndex(new BufferAttribute(index, 1));
        this.smooth = vertices <= SMOOTH_UP_TO;
        this.material.flatShading = !this.smooth;
        this.material.needsUpdate = true;
        const hit = new BufferGeometry();
        hit.setAttribute('position', this.positions);
        this.hitMesh = new Mesh(hit, this.hits);
        this.wire = null;
        this.surface = new Mesh(this.geometry, this.material);
        for (const object of [this.surface, this.hitMesh]) {
            object.frustumCulled = false;
            this.group.add(object);
        }
    }

    move(positions) {
        this.positions.array.set(positions);
        this.positions.needsUpdate = true;
        if (this.smooth) {
            this.geometry.computeVertexNormals();
        }
    }

    highlight(triangles) {
        const corners = new Uint32Array(3 * triangles.length);
        triangles.forEach((t, i) => {
            for (let c = 0; c < 3; ++c) {
                corners[3 * i + c] = this.index[3 * t + c];
            }
        });
        this.hitMesh.geometry.setIndex(new BufferAttribute(corners, 1));
    }

    showEdges(on) {
        if (on && !this.wire) {
            const ends = new Uint32Array(2 * this.index.length);
            for (let t = 0; t < this.index.length; t += 3) {
                for (let c = 0; c < 3; ++c) {
                    ends[2 * (t + c)] = this.index[t + c];
                    ends[2 * (t + c) + 1] = this.index[t + ((c + 1) % 3)];
                }
            }
            const geometry = new BufferGeometry();
            geometry.setAttribute('position', this.positions);
            geometry.setIndex(new BufferAttribute(ends, 1));
            this.wire = new LineSegments(geometry, this.wires);
            this.wire.frustumCulled = false;
            this.group.add(this.wire);
        }
        if (this.wire) {
            this.wire.visible = on;
        }
    }
}

export class Stage {
    constructor(canvas, data) {
        this.canvas = canvas;
        this.panel = document.getElementById('panel');
        this.data = data;
        this.options = { contacts: true, segments: true, edges: false, through: false, level: -1 };
        this.renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true, preserveDrawingBuffer: true });
        this.scene = new Scene();
        this.camera = new PerspectiveCamera(38, 1, 0.01, 1000);
        this.setUp(data.info.up);
        const key = new DirectionalLight('#fff', 1.9);
        key.position.set(-0.6, 1, 0.8);
        this.camera.add(key);
        this.scene.add(this.camera, new HemisphereLight('#fff', '#aab2c4', 1.25), new AmbientLight('#fff', 0.25));
        this.bodies = data.info.bodies.map((_, i) => new Body(i));
        this.bodies.forEach((body) => this.scene.add(body.group));
        this.segments = new LineSegments(new BufferGeometry(), new LineBasicMaterial());
        this.behind = new LineSegments(this.segments.geometry,
            new LineBasicMaterial({ depthTest: false, transparent: true, opacity: 0.14 }));
        this.boxes = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ transparent: true, opacity: 0.85 }));
        this.marker = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ depthTest: false }));
        this.gaps = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ depthTest: false }));
        for (const lines of [this.segments, this.behind, this.boxes, this.gaps, this.marker]) {
            lines.frustumCulled = false;
            lines.renderOrder = 2;
            this.scene.add(lines);
        }
        this.ways = new Group();
        this.scene.add(this.ways);
        new ResizeObserver(() => this.resize()).observe(canvas);
    }

    // the axis that points up; controls take it once
    setUp(axis) {
        const target = this.controls?.target.clone() ?? new Vector3();
        this.controls?.dispose();
        this.up = axis;
        this.camera.up.set(0, axis === 'y' ? 1 : 0, axis === 'z' ? 1 : 0);
        this.controls = new OrbitControls(this.camera, this.canvas);
        this.controls.target.copy(target);
        this.controls.addEventListener('change', () => this.draw());
        this.controls.update();
    }

    // from the front, to the left and above
    frameFront() {
        const away = this.up === 'z' ? new Vector3(-0.5, -1, 0.55) : new Vector3(-0.5, 0.45, 1);
        this.frameAll(away.normalize());
    }

    colours(dark) {
        for (const lines of [this.segments, this.behind]) {
            lines.material.color = new Color(dark ? '#fff' : '#16181d');
        }
        this.gaps.material.color = new Color(dark ? '#7fb0ff' : '#2962c4');
        this.marker.material.color = new Color(dark ? '#ffd60a' : '#0b5cff');
        for (const body of this.bodies) {
            body.wires.color = new Color(dark ? '#fff' : '#000');
            body.hits.color = new Color(dark ? '#ff4d5e' : '#d62839');
        }
        this.draw();
    }

    resize() {
        const { clientWidth: width, clientHeight: height } = this.canvas;
        if (width === 0 || height === 0) {
            return;
        }
        this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
        this.renderer.setSize(width, height, false);
        this.camera.aspect = width / height;
        // what lies under the panel does not count: the middle is that of the rest
        this.covered = this.panel?.offsetParent && width > 640 ? this.panel.offsetWidth + 16 : 0;
        this.camera.setViewOffset(width, height, this.covered / 2, 0, width, height);
        this.camera.updateProjectionMatrix();
        this.draw();
    }

    async show(frame) {
        const [state, found] = await Promise.all([this.data.state(frame), this.data.found(frame)]);
        await Promise.all(state.bodies.map((b, i) => this.bodies[i].remesh(b.mesh, this.data)));
        state.bodies.forEach((b, i) => this.bodies[i].move(b.positions));
        this.state = state;
        this.found = found;
        this.frameInfo = this.data.frames[frame];
        this.#showFound();
        this.refresh();
    }

    #showFound() {
        const touching = this.bodies.map(() => new Set());
        for (const { a, b, first, second } of this.found.lists) {
            first.forEach((t) => touching[a].add(t));
            second.forEach((t) => touching[b].add(t));
        }
        this.bodies.forEach((body, i) => body.highlight([...touching[i]]));
        this.#lines(this.segments, this.found.segments);
        this.#showWays();
        const gaps = this.frameInfo.gaps ?? [];
        this.#lines(this.gaps, gaps.flatMap((g) => g.map((x, k) => x - this.data.origin[k % 3])));
        this.behind.geometry = this.segments.geometry;
        this.mark(null);
    }

    // the ways out of where bodies are inside each other
    #showWays() {
        this.ways.clear();
        for (const way of this.frameInfo.ways ?? []) {
            const [from, to] = [0, 3].map((k) => new Vector3(...way.slice(k, k + 3).map((x, d) => x - this.data.origin[d])));
            const step = to.sub(from);
            const length = Math.max(step.length(), 1e-30);
            const arrow = new ArrowHelper(step.clone().normalize(), from, length, this.marker.material.color, 0.35 * length, 0.22 * length);
            for (const part of [arrow.line, arrow.cone]) {
                part.material.depthTest = false;
                part.renderOrder = 3;
            }
            this.ways.add(arrow);
        }
    }

    #lines(object, ends) {
        object.geometry.dispose();
        object.geometry = new BufferGeometry();
        object.geometry.setAttribute('position', new BufferAttribute(Float32Array.from(ends), 3));
    }

    // what the switches say
    refresh() {
        const o = this.options;
        for (const body of this.bodies) {
            if (!body.geometry) {
                continue;
            }
            body.hitMesh.visible = o.contacts;
            body.material.transparent = o.through;
            body.material.opacity = o.through ? 0.3 : 1;
            body.material.depthWrite = !o.through;
            body.material.needsUpdate = true;
            body.showEdges(o.edges);
        }
        this.segments.visible = o.segments;
        this.behind.visible = o.segments;
        this.boxes.visible = o.level >= 0;
        if (o.level >= 0 && this.state) {
            this.boxes.material.color = new Color(LEVEL_COLOURS[o.level]);
            this.#lines(this.boxes, this.state.boxes(o.level).flatMap((corners) => boxEdges(corners)));
        }
        this.draw();
    }

    hide(body, hidden) {
        this.bodies[body].group.visible = !hidden;
        this.draw();
    }

    // shows which pair is meant, by the outlines of both triangles; null: none
    mark(pair) {
        const ends = [];
        for (const [number, triangle] of pair ?? []) {
            const body = this.bodies[number];
            const corners = [0, 1, 2].map((c) => body.index[3 * triangle + c])
                .map((v) => body.positions.array.slice(3 * v, 3 * v + 3));
            [0, 1, 1, 2, 2, 0].forEach((c) => ends.push(...corners[c]));
        }
        this.#lines(this.marker, ends);
        if (ends.length > 0) {
            const centre = new Vector3();
            for (let i = 0; i < ends.length; i += 3) {
                centre.add(new Vector3(ends[i], ends[i + 1], ends[i + 2]));
            }
            this.#lookAt(centre.multiplyScalar(3 / ends.length));
        }
        this.draw();
    }

    #lookAt(point) {
        const step = point.clone().sub(this.controls.target);
        this.controls.target.add(step);
        this.camera.position.add(step);
        this.controls.update();
    }

    frameAll(turn) {
        const box = new Box3();
        for (const body of this.bodies) {
            if (body.geometry && body.group.visible) {
                body.geometry.computeBoundingBox();
                box.union(body.geometry.boundingBox);
            }
        }
        if (box.isEmpty()) {
            return;
        }
        const sphere = box.getBoundingSphere(new Sphere());
        const radius = Math.max(sphere.radius, 1e-30);
        const half = (this.camera.fov * Math.PI) / 360;
        const free = 1 - (this.covered ?? 0) / this.canvas.clientWidth;
        const narrow = Math.min(half, Math.atan(Math.tan(half) * this.camera.aspect * free));
        const away = turn ?? this.camera.position.clone().sub(this.controls.target).normalize();
        this.controls.target.copy(sphere.center);
        this.camera.position.copy(sphere.center).addScaledVector(away, (1.04 * radius) / Math.sin(narrow));
        this.camera.near = radius / 500;
        this.camera.far = radius * 50;
        this.camera.updateProjectionMatrix();
        this.controls.update();
        this.draw();
    }

    draw() {
        this.renderer.render(this.scene, this.camera);
    }
}

function boxEdges(corners) {
    const out = [];
    for (let i = 0; i < corners.length; i += 6) {
        for (const k of EDGES) {
            for (let d = 0; d < 3; ++d) {
                out.push(corners[i + d + ((k >> d) & 1 ? 3 : 0)]);
            }
        }
    }
    return out;
}
