// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The instance of the WebAssembly module: how it starts, its memory, arrays in it, and errors.

let instance = null; // the exports of the module
let bytes = null; // the whole memory; made anew when it has grown
let scratch = { address: 0, size: 0 };

/** The functions of the module (web/module/). */
export function calls() {
    if (instance === null) {
        throw new Error("abut: call init() first, or import 'abut' instead of 'abut/manual'");
    }
    return instance;
}

function started(made) {
    instance = made.exports;
    instance._initialize?.();
    bytes = null;
    scratch = { address: 0, size: 0 };
    return instance;
}

/** True if this engine has the 128-bit vectors of WebAssembly. */
export function hasVectors() {
    // a module with one function: i32.const 0, i8x16.splat, i8x16.popcnt
    return WebAssembly.validate(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10,
        10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11));
}

/** Starts the module from its bytes, a compiled module, or a response of fetch(). Later calls do nothing. */
export async function init(source) {
    if (instance !== null) {
        return;
    }
    source = await source;
    if (typeof Response !== 'undefined' && source instanceof Response) {
        if (!source.ok) {
            throw new Error(`abut: ${source.url} could not be loaded: ${source.status}`);
        }
        source = await source.arrayBuffer();
    }
    const made = await WebAssembly.instantiate(source, {});
    if (instance === null) {
        started(made instanceof WebAssembly.Instance ? made : made.instance);
    }
}

/** Starts the module at once, for workers, from its bytes or a compiled module. Later calls do nothing. */
export function initSync(source) {
    if (instance === null) {
        const module = source instanceof WebAssembly.Module ? source : new WebAssembly.Module(source);
        started(new WebAssembly.Instance(module, {}));
    }
}

/** The module's memory as bytes. Do not keep it: memory that grows gets another buffer. */
export function memory() {
    const buffer = calls().memory.buffer;
    if (bytes === null || bytes.buffer !== buffer) {
        bytes = new Uint8Array(buffer);
    }
    return bytes;
}

/** Bytes that the module has, which includes memory that is free. */
export function memoryBytes() {
    return memory().byteLength;
}

/** The instruction set of the module: 'simd128' or 'scalar'. */
export function instructionSet() {
    return ['none', 'scalar', 'avx2', 'avx512', 'simd128'][calls().web_isa()];
}

// ---- arrays

const finished = new FinalizationRegistry((address) => instance?.web_free(address));

function allocate(size) {
    const address = size < 0xffffff00 ? calls().web_alloc(size) : 0; // addresses have 32 bits
    if (address === 0) {
        throw new AbutError('out of memory', { status: 'out of memory' });
    }
    return address;
}

/**
 * An array of numbers in the module's memory. Positions that are written there are read by setPositions() without
 * a copy on the way. `array` is a view of it; take it again after any call, because memory that grows gets another
 * buffer and older views become empty.
 */
export class ModuleArray {
    #address;
    #type;
    constructor(type, length) {
        this.#type = type;
        this.#address = allocate(length * type.BYTES_PER_ELEMENT);
        this.length = length;
        memory().fill(0, this.#address, this.#address + length * type.BYTES_PER_ELEMENT);
        finished.register(this, this.#address, this);
    }
    get array() {
        if (this.#address === 0) {
            throw new Error('abut: this array was disposed of');
        }
        return new this.#type(memory().buffer, this.#address, this.length);
    }
    dispose() {
        if (this.#address !== 0) {
            finished.unregister(this);
            calls().web_free(this.#address);
            this.#address = 0;
        }
    }
}
ModuleArray.prototype[Symbol.dispose ?? Symbol.for('Symbol.dispose')] = ModuleArray.prototype.dispose;

const padded = (array) => (array.byteLength + 63) & ~63;

/** Where arrays are that lie in the module's memory; -1 for others, which must be copied there. */
function residents(arrays) {
    const buffer = memory().buffer;
    return arrays.map((array) => (array === null || array.length === 0 ? 0
        : array.buffer === buffer ? array.byteOffset : -1));
}

/** Bytes for the copies of arrays. */
function room(arrays, places) {
    return arrays.reduce((sum, array, i) => sum + (places[i] === -1 ? padded(array) : 0), 0);
}

function copyTo(address, arrays, places) {
    return places.map((place, i) => {
        if (place !== -1) {
            return place;
        }
        const array = arrays[i];
        const at = address;
        memory().set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), at);
        address += padded(array);
        return at;
    });
}

/** Copies arrays to memory that the next call uses again, and returns their addresses; 0 for null. */
export function stage(...arrays) {
    const places = residents(arrays); // before memory grows
    const size = room(arrays, places);
    if (scratch.size < size) {
        calls().web_free(scratch.address);
        scratch = { address: 0, size: 0 };
        scratch = { address: allocate(size), size };
    }
    return copyTo(scratch.address, arrays, places);
}

/** Copies arrays to memory of their own for one call of `use`, which gets an array of their addresses. */
export function withStaged(arrays, use) {
    const places = residents(arrays);
    const area = allocate(room(arrays, places));
    try {
        return use(copyTo(area, arrays, places));
    } finally {
        calls().web_free(area);
    }
}

/** Copies an array to memory that stays until freed by release(). */
export function keep(array) {
    const address = allocate(array.byteLength);
    memory().set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), address);
    return address;
}
export function release(address) {
    instance?.web_free(address);
}

/** The numbers as Float32Array or Float64Array, without a copy if they are one. */
export function floats(numbers, what) {
    if (numbers instanceof Float32Array || numbers instanceof Float64Array) {
        return numbers;
    }
    if (numbers instanceof ModuleArray) {
        return numbers.array;
    }
    if (Array.isArray(numbers) || ArrayBuffer.isView(numbers)) {
        return Float64Array.from(numbers);
    }
    throw new TypeError(`abut: ${what} must be an array of numbers`);
}

export function doubles(numbers, what) {
    const given = floats(numbers, what);
    return given instanceof Float64Array ? given : Float64Array.from(given);
}

export function triples(numbers, what) {
    const given = floats(numbers, what);
    if (given.length % 3 !== 0) {
        throw new RangeError(`abut: ${what} must have three numbers each, but there are ${given.length} numbers`);
    }
    return given;
}

/** Indices as Uint32Array. One that is no index becomes the greatest number, which the library refuses. */
export function indices(numbers, what) {
    if (numbers instanceof Uint32Array) {
        return numbers;
    }
    if (Array.isArray(numbers) || ArrayBuffer.isView(numbers)) {
        return Uint32Array.from(numbers, (n) => (Number.isInteger(n) && n >= 0 && n <= 0xffffffff ? n : 0xffffffff));
    }
    throw new TypeError(`abut: ${what} must be an array of indices`);
}

export const isDouble = (array) => (array instanceof Float64Array ? 1 : 0);

// ---- errors

const statuses = ['ok', 'incomplete', 'invalid argument', 'invalid data', 'out of memory', 'limit', 'state', 'version'];
const elements = [null, 'vertex', 'triangle', 'body', 'node', 'entry'];

/**
 * What the library refused. `element` ('vertex', 'triangle', ...) and `index` name what is wrong, `body` whose it is.
 */
export class AbutError extends Error {
    constructor(message, { status = 'invalid argument', element = null, index = null, body = null } = {}) {
        super(message);
        this.name = 'AbutError';
        this.status = status;
        this.element = element;
        this.index = index;
        this.body = body;
    }
}

export function text(address) {
    const end = memory().indexOf(0, address);
    return new TextDecoder().decode(memory().slice(address, end));
}

/** The last error of the module; `bodyAt` finds the body of an id. */
export function failure(bodyAt = () => null) {
    const wasm = calls();
    const element = elements[wasm.web_error_element()] ?? null;
    const generation = wasm.web_error_body(1);
    const body = generation === 0 ? null : bodyAt(wasm.web_error_body(0));
    const message = text(wasm.web_error_message());
    return new AbutError(body === null ? message : `${body.name}: ${message}`, {
        status: statuses[wasm.web_error_status()],
        element,
        index: element === null ? null : wasm.web_error_index(),
        body,
    });
}
