// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Draws with WebGL 2: shaded surfaces, edges, lines with a width in pixels, arrow heads, points of constant size.
// All data of the graphics card is kept here as well, so that it can be restored after the WebGL context was lost.

const MESH = {
    vertex: `#version 300 es
    in vec3 position;
    in vec3 normal;
    uniform mat4 toClip, toEye;
    out vec3 eyePosition, eyeNormal;
    void main() {
        gl_Position = toClip * vec4(position, 1.0);
        eyePosition = (toEye * vec4(position, 1.0)).xyz;
        eyeNormal = mat3(toEye) * normal;
    }`,
    fragment: `#version 300 es
    precision highp float;
    in vec3 eyePosition, eyeNormal;
    uniform vec3 colour, eyeUp, fade;
    uniform float opacity, lit, smoothed, faded;
    out vec4 pixel;
    vec3 fromLinear(vec3 c) {
        return mix(12.92 * c, 1.055 * pow(max(c, 1e-4), vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c));
    }
    vec3 toLinear(vec3 c) {
        return mix(c / 12.92, pow((c + 0.055) / 1.055, vec3(2.4)), step(0.04045, c));
    }
    vec3 shade(vec3 normal) {
        vec3 light = normalize(vec3(-0.35, 0.5, 1.0));
        vec3 view = normalize(-eyePosition);
        float sky = 0.5 + 0.5 * dot(normal, eyeUp);
        vec3 around = 0.40 * mix(vec3(0.40, 0.445, 0.55), vec3(1.0), sky) + 0.08;
        float gloss = pow(max(dot(normal, normalize(light + view)), 0.0), 12.0);
        return fromLinear(toLinear(colour) * (around + 0.54 * max(dot(normal, light), 0.0)) + 0.02 * gloss);
    }
    void main() {
        vec3 normal = normalize(cross(dFdx(eyePosition), dFdy(eyePosition)));
        if (smoothed > 0.5) {
            // smooth shading, but flat at sharp edges
            vec3 round = normalize(gl_FrontFacing ? eyeNormal : -eyeNormal);
            normal = normalize(mix(normal, round, smoothstep(0.70, 0.86, dot(normal, round))));
        }
        vec3 seen = lit > 0.5 ? shade(normal) : colour;
        pixel = vec4(mix(seen, fade, faded) * opacity, opacity);
    }`,
};

// Moves ends of lines that lie behind the eye to the front of it. `size` is that of the picture in pixels.
const ENDS = `
    in vec3 from, to;
    uniform mat4 toClip;
    uniform vec2 size;
    uniform float bias;
    const float LEAST = 1e-6;
    vec4 a, b;
    vec2 along;      // unit vector from one end to the other, in pixels
    float reach;     // length of the line in pixels
    bool ends() {
        a = toClip * vec4(from, 1.0);
        b = toClip * vec4(to, 1.0);
        float least = LEAST * max(abs(a.w), abs(b.w));
        if (a.w <= least && b.w <= least) {
            return false;
        }
        if (a.w <= least) { a = mix(a, b, (least - a.w) / (b.w - a.w)); }
        if (b.w <= least) { b = mix(b, a, (least - b.w) / (a.w - b.w)); }
        vec2 way = (b.xy / b.w - a.xy / a.w) * 0.5 * size;
        reach = length(way);
        along = reach > 1e-3 ? way / reach : vec2(0.0, 1.0);
        return true;
    }`;

const COLOUR = `#version 300 es
    precision highp float;
    uniform vec3 colour;
    uniform float opacity;
    out vec4 pixel;
    void main() { pixel = vec4(colour * opacity, opacity); }`;

// Lines; `cut` pixels at the second end are left out for an arrow head.
const LINE = {
    vertex: `#version 300 es
    ${ENDS}
    uniform float width, cut, round;
    void main() {
        if (!ends()) {
            gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
            return;
        }
        bool second = gl_VertexID >= 2;
        float side = gl_VertexID % 2 == 0 ? -0.5 : 0.5;
        vec4 p = second ? b : a;
        float more = second ? 0.5 * width * round - min(cut, 0.6 * reach) : -0.5 * width * round;
        vec2 offset = along * more + vec2(-along.y, along.x) * side * width;
        gl_Position = p + vec4(offset * 2.0 / size * p.w, -bias * p.w, 0.0);
    }`,
    fragment: COLOUR,
};

// arrow heads: a triangle of constant size, smaller for short arrows
const HEAD = {
    vertex: `#version 300 es
    ${ENDS}
    uniform float width, cut, grow;
    void main() {
        if (!ends()) {
            gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
            return;
        }
        float depth = max(min(cut, 0.6 * reach), 0.6 * cut);
        float share = depth / cut;
        vec2 across = vec2(-along.y, along.x) * (0.5 * width * share + 1.3 * grow);
        vec2 tail = -along * (depth + grow);
        vec2 offset = gl_VertexID == 0 ? along * 2.4 * grow : gl_VertexID == 1 ? tail + across : tail - across;
        gl_Position = b + vec4(offset * 2.0 / size * b.w, -bias * b.w, 0.0);
    }`,
    fragment: COLOUR,
};

// Points: a disc, a square, a diamond or a triangle with a dark and a light rim, visible on any background.
const POINT = {
    vertex: `#version 300 es
    in vec3 position;
    in vec4 look;   // colour and shape
    uniform mat4 toClip;
    uniform float width;
    out vec4 kind;
    void main() {
        gl_Position = toClip * vec4(position, 1.0);
        gl_PointSize = width;
        kind = look;
    }`,
    fragment: `#version 300 es
    precision highp float;
    in vec4 kind;
    uniform float width, opacity;
    uniform vec3 inner, outer;
    out vec4 pixel;
    float far(vec2 p) {
        int shape = int(kind.w + 0.5);
        if (shape == 1) { return 1.15 * max(abs(p.x), abs(p.y)); }
        if (shape == 2) { return 0.95 * (abs(p.x) + abs(p.y)); }
        if (shape == 3) { p.y = -p.y; return 1.1 * max(-p.y * 1.3 + 0.1, 0.95 * abs(p.x) + 0.55 * p.y + 0.3); }
        return length(p);
    }
    void main() {
        float r = far(2.0 * gl_PointCoord - 1.0);
        float soft = 2.0 / width;
        float cover = 1.0 - smoothstep(1.0 - soft, 1.0, r);
        vec3 c = mix(kind.rgb, inner, smoothstep(0.56, 0.56 + soft, r));
        c = mix(c, outer, smoothstep(0.78, 0.78 + soft, r));
        pixel = vec4(c, 1.0) * cover * opacity;
    }`,
};

// an array that is uploaded to the graphics card at its first use, and again after a change or a context loss
export class Numbers {
    constructor(array = new Float32Array(0)) {
        this.set(array);
    }

    set(array) {
        this.array = array;
        this.stale = true;
    }
}

export function rgb(hex) {
    const digits = hex.length === 4 ? [...hex.slice(1)].map((c) => c + c).join('') : hex.slice(1);
    return [0, 2, 4].map((k) => parseInt(digits.slice(k, k + 2), 16) / 255);
}

function compile(gl, { vertex, fragment }) {
    const program = gl.createProgram();
    const kinds = [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]];
    const shaders = kinds.map(([kind, text]) => {
        const shader = gl.createShader(kind);
        gl.shaderSource(shader, text);
        gl.compileShader(shader);
        gl.attachShader(program, shader);
        return shader;
    });
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) {
        throw new Error(`the graphics driver refuses a program: ${gl.getProgramInfoLog(program)} ${
            shaders.map((s) => gl.getShaderInfoLog(s)).join(' ')}`);
    }
    const uniforms = new Map();
    for (let i = 0; i < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); ++i) {
        const { name, type } = gl.getActiveUniform(program, i);
        uniforms.set(name, { type, at: gl.getUniformLocation(program, name) });
    }
    const inputs = new Map();
    for (let i = 0; i < gl.getProgramParameter(program, gl.ACTIVE_ATTRIBUTES); ++i) {
        const { name } = gl.getActiveAttrib(program, i);
        inputs.set(name, gl.getAttribLocation(program, name));
    }
    return { program, uniforms, inputs };
}

export class Renderer {
    // null if the browser has no WebGL 2; calls `told(true)` when the context is lost, `told(false)` when it is restored
    static on(canvas, told) {
        const settings = { antialias: true, alpha: true, preserveDrawingBuffer: true };
        const gl = canvas.getContext('webgl2', settings);
        return gl ? new Renderer(canvas, gl, told) : null;
    }

    constructor(canvas, gl, told) {
        this.gl = gl;
        this.canvas = canvas;
        this.lost = false;
        this.#prepare();
        canvas.addEventListener('webglcontextlost', (event) => {
            event.preventDefault(); // allows the browser to restore it
            this.lost = true;
            told(true);
        });
        canvas.addEventListener('webglcontextrestored', () => {
            this.lost = false;
            this.#prepare();
            told(false);
        });
    }

    #prepare() {
        const { gl } = this;
        this.buffers = new WeakMap();
        this.programs = { mesh: compile(gl, MESH), line: compile(gl, LINE), head: compile(gl, HEAD), point: compile(gl, POINT) };
        gl.enable(gl.BLEND);
        gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
        gl.depthFunc(gl.LEQUAL);
    }

    resize(width, height, ratio) {
        this.ratio = ratio;
        this.canvas.width = Math.round(width * ratio);
        this.canvas.height = Math.round(height * ratio);
    }

    // begins a picture with this view: { toClip, toEye, eyeUp }
    begin(view) {
        const { gl } = this;
        this.view = view;
        gl.viewport(0, 0, this.canvas.width, this.canvas.height);
        gl.clearColor(0, 0, 0, 0);
        gl.depthMask(true);
        gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    }

    // everything drawn from now on is in front of what was drawn before
    inFront() {
        this.gl.depthMask(true);
        this.gl.clear(this.gl.DEPTH_BUFFER_BIT);
    }

    #bind(target, numbers) {
        const { gl } = this;
        let buffer = this.buffers.get(numbers);
        gl.bindBuffer(target, buffer ?? (buffer = gl.createBuffer()));
        if (numbers.stale || !this.buffers.has(numbers)) {
            gl.bufferData(target, numbers.array, gl.DYNAMIC_DRAW);
            this.buffers.set(numbers, buffer);
            numbers.stale = false;
        }
    }

    // sets a program, its uniforms, and its inputs: name -> [numbers, components, stride, offset, per instance]
    #use({ program, uniforms, inputs }, values, arrays) {
        const { gl } = this;
        gl.useProgram(program);
        for (const [name, { type, at }] of uniforms) {
            const value = values[name] ?? this.view[name];
            if (type === gl.FLOAT_MAT4) {
                gl.uniformMatrix4fv(at, false, value);
            } else if (type === gl.FLOAT) {
                gl.uniform1f(at, Number(value ?? 0));
            } else {
                gl[type === gl.FLOAT_VEC2 ? 'uniform2fv' : 'uniform3fv'](at, value ?? [0, 0, 0]);
            }
        }
        const used = [];
        for (const [name, at] of inputs) {
            const array = arrays[name];
            if (array) {
                const [numbers, components, stride = 0, offset = 0, instances = 0] = array;
                this.#bind(gl.ARRAY_BUFFER, numbers);
                gl.enableVertexAttribArray(at);
                gl.vertexAttribPointer(at, components, gl.FLOAT, false, stride, offset);
                gl.vertexAttribDivisor(at, instances);
                used.push(at);
            }
        }
        return () => used.forEach((at) => {
            gl.vertexAttribDivisor(at, 0);
            gl.disableVertexAttribArray(at);
        });
    }

    #depth(tested, written) {
        const { gl } = this;
        gl[tested ? 'enable' : 'disable'](gl.DEPTH_TEST);
        gl.depthMask(written);
    }

    // Triangles of a surface. If it is transparent, its far side is drawn first.
    triangles(positions, normals, index, look) {
        const { gl } = this;
        const opacity = look.opacity ?? 1;
        if (index.array.length === 0 || opacity === 0) {
            return;
        }
        const done = this.#use(this.programs.mesh, { ...look, opacity, smoothed: normals ? 1 : 0 },
            { position: [positions, 3], normal: normals && [normals, 3] });
        this.#bind(gl.ELEMENT_ARRAY_BUFFER, index);
        this.#depth(look.onTop !== true, opacity === 1 && look.onTop !== true);
        gl.enable(gl.POLYGON_OFFSET_FILL);
        gl.polygonOffset(look.back ?? 0, look.back ?? 0);
        for (const side of opacity < 1 ? [gl.FRONT, gl.BACK] : [0]) {
            gl[side ? 'enable' : 'disable'](gl.CULL_FACE);
            if (side) {
                gl.cullFace(side);
            }
            gl.drawElements(gl.TRIANGLES, index.array.length, gl.UNSIGNED_INT, 0);
        }
        gl.disable(gl.CULL_FACE);
        gl.disable(gl.POLYGON_OFFSET_FILL);
        done();
    }

    // edges of a surface, one pixel wide: two vertices each
    edges(positions, index, look) {
        const { gl } = this;
        const done = this.#use(this.programs.mesh, look, { position: [positions, 3] });
        this.#bind(gl.ELEMENT_ARRAY_BUFFER, index);
        this.#depth(true, false);
        gl.drawElements(gl.LINES, index.array.length, gl.UNSIGNED_INT, 0);
        done();
    }

    // lines, or heads of arrows: six numbers each
    #spans(program, ends, look, vertices) {
        const { gl } = this;
        const count = ends.array.length / 6;
        if (count === 0) {
            return;
        }
        const pixels = (n) => (n ?? 0) * this.ratio;
        const done = this.#use(program, {
            opacity: 1, bias: look.onTop ? 0 : 4e-5, round: 1, ...look, width: pixels(look.width), cut: pixels(look.cut),
            grow: pixels(look.grow), size: [this.canvas.width, this.canvas.height],
        }, { from: [ends, 3, 24, 0, 1], to: [ends, 3, 24, 12, 1] });
        this.#depth(look.onTop !== true, false);
        gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, vertices, count);
        done();
    }

    lines(ends, look) {
        this.#spans(this.programs.line, ends, look, 4);
    }

    heads(ends, look) {
        this.#spans(this.programs.head, ends, look, 3);
    }

    // points on top of everything: three coordinates, colour and shape each
    points(points, look) {
        const { gl } = this;
        if (points.array.length === 0) {
            return;
        }
        const done = this.#use(this.programs.point, { opacity: 1, ...look, width: look.width * this.ratio },
            { position: [points, 3, 28, 0], look: [points, 4, 28, 12] });
        this.#depth(false, false);
        gl.drawArrays(gl.POINTS, 0, points.array.length / 7);
        done();
    }
}
