// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Runs a WebAssembly program that was compiled for WASI (preview 1) on files in memory. It has the calls that the
// command uses, and no others: the program sees no network and no file of the user's machine.
import { File, Folder, find } from './files.js';

const OK = 0;
const BAD_FILE = 8;
const EXISTS = 20;
const INVALID = 28;
const IS_FOLDER = 31;
const MISSING = 44;
const NOT_FOLDER = 54;
const NOT_EMPTY = 55;
const CANNOT_SEEK = 70;
const KINDS = { stream: 0, folder: 3, file: 4 };
const TOP = 3; // the descriptor of the folder that holds all files
const ALL_RIGHTS = 0xffffffffffffffffn;

class Exit extends Error {
    constructor(code) {
        super(`exit code ${code}`);
        this.code = code;
    }
}

// the program's output, piece by piece
class Stream {
    constructor() {
        this.pieces = [];
    }

    get text() {
        const decoder = new TextDecoder();
        return this.pieces.map((piece) => decoder.decode(piece, { stream: true })).join('') + decoder.decode();
    }
}

const kindOf = (node) => (node instanceof File ? KINDS.file : node instanceof Folder ? KINDS.folder : KINDS.stream);

class System {
    constructor({ top, args, environment, progress, part }) {
        this.top = top;
        this.lists = { args, environment };
        this.progress = progress;
        this.part = part;
        this.out = new Stream();
        this.err = new Stream();
        this.open = [{ node: new Stream() }, { node: this.out }, { node: this.err }, { node: top }];
        this.numbers = new Map(); // of nodes
    }

    // ---- memory of the program

    get view() {
        return new DataView(this.memory.buffer);
    }

    bytesAt(at, size) {
        return new Uint8Array(this.memory.buffer, at >>> 0, size >>> 0);
    }

    textAt(at, size) {
        return new TextDecoder().decode(this.bytesAt(at, size));
    }

    // the pieces of a list of buffers
    pieces(at, count) {
        return Array.from({ length: count }, (_, i) =>
            this.bytesAt(this.view.getUint32(at + 8 * i, true), this.view.getUint32(at + 8 * i + 4, true)));
    }

    numberOf(node) {
        if (!this.numbers.has(node)) {
            this.numbers.set(node, BigInt(this.numbers.size + 1));
        }
        return this.numbers.get(node);
    }

    writeStatus(node, at) {
        this.bytesAt(at, 64).fill(0);
        this.view.setBigUint64(at, 1n, true);
        this.view.setBigUint64(at + 8, this.numberOf(node), true);
        this.view.setUint8(at + 16, kindOf(node));
        this.view.setBigUint64(at + 24, 1n, true);
        this.view.setBigUint64(at + 32, BigInt(node.size ?? 0), true);
        return OK;
    }

    // where a path leads, from an open folder
    place(descriptor, path, length) {
        const from = this.open[descriptor]?.node;
        return from instanceof Folder ? find(from, this.textAt(path, length)) : undefined;
    }

    // ---- arguments and environment

    #sizes(list, countAt, bytesAt) {
        const encoded = list.map((text) => new TextEncoder().encode(text).length + 1);
        this.view.setUint32(countAt, list.length, true);
        this.view.setUint32(bytesAt, encoded.reduce((sum, size) => sum + size, 0), true);
        return OK;
    }

    #texts(list, pointersAt, at) {
        list.forEach((text, i) => {
            const bytes = new TextEncoder().encode(`${text}\0`);
            this.view.setUint32(pointersAt + 4 * i, at, true);
            this.bytesAt(at, bytes.length).set(bytes);
            at += bytes.length;
        });
        return OK;
    }

    // ---- open files

    #write(descriptor, at, count, writtenAt) {
        const file = this.open[descriptor];
        if (!file || file.node instanceof Folder) {
            return BAD_FILE;
        }
        let written = 0;
        for (const piece of this.pieces(at, count)) {
            if (file.node instanceof File) {
                file.node.write(file.at, piece);
                file.at += piece.length;
            } else {
                file.node.pieces.push(piece.slice());
            }
            written += piece.length;
        }
        this.view.setUint32(writtenAt, written, true);
        return OK;
    }

    #read(descriptor, at, count, readAt) {
        const file = this.open[descriptor];
        if (!file || file.node instanceof Folder) {
            return file ? IS_FOLDER : BAD_FILE;
        }
        let read = 0;
        for (const piece of file.node instanceof File ? this.pieces(at, count) : []) {
            const part = file.node.bytes.subarray(file.at, file.at + piece.length);
            piece.set(part);
            file.at += part.length;
            read += part.length;
        }
        this.view.setUint32(readAt, read, true);
        return OK;
    }

    #seek(descriptor, offset, from, at) {
        const file = this.open[descriptor];
        if (!(file?.node instanceof File)) {
            return file ? CANNOT_SEEK : BAD_FILE;
        }
        const place = Number(offset) + [0, file.at, file.node.size][from];
        if (!(place >= 0)) {
            return INVALID;
        }
        file.at = place;
        this.view.setBigUint64(at, BigInt(place), true);
        return OK;
    }

    #list(descriptor, at, size, cookie, usedAt) {
        const folder = this.open[descriptor]?.node;
        if (!(folder instanceof Folder)) {
            return NOT_FOLDER;
        }
        const entries = [['.', folder], ['..', folder], ...folder.entries];
        let used = 0;
        for (let i = Number(cookie); i < entries.length && used < size; ++i) {
            const [name, node] = entries[i];
            const bytes = new TextEncoder().encode(name);
            const entry = new Uint8Array(24 + bytes.length);
            const view = new DataView(entry.buffer);
            view.setBigUint64(0, BigInt(i + 1), true);
            view.setBigUint64(8, this.numberOf(node), true);
            view.setUint32(16, bytes.length, true);
            view.setUint8(20, kindOf(node));
            entry.set(bytes, 24);
            const part = entry.subarray(0, size - used); // an entry that is cut off is asked for again
            this.bytesAt(at + used, part.length).set(part);
            used += part.length;
        }
        this.view.setUint32(usedAt, used, true);
        return OK;
    }

    #openPath(descriptor, _follow, path, length, how, _rights, _inherited, _flags, openedAt) {
        const [create, folder, exclusive, cut] = [1, 2, 4, 8].map((bit) => (how & bit) !== 0);
        const place = this.place(descriptor, path, length);
        if (!place || (!place.node && !create)) {
            return MISSING;
        }
        if (place.node && exclusive) {
            return EXISTS;
        }
        if (folder && !(place.node instanceof Folder)) {
            return NOT_FOLDER;
        }
        if (!place.node) {
            place.node = new File();
            place.parent.entries.set(place.name, place.node);
        } else if (cut && place.node instanceof File) {
            place.node.size = 0;
        }
        this.open.push({ node: place.node, at: 0 });
        this.view.setUint32(openedAt, this.open.length - 1, true);
        return OK;
    }

    // ---- names

    #remove(descriptor, path, length, kind) {
        const place = this.place(descriptor, path, length);
        if (!place?.node || !place.parent) {
            return MISSING;
        }
        if (!(place.node instanceof kind)) {
            return kind === Folder ? NOT_FOLDER : IS_FOLDER;
        }
        if (place.node.entries?.size > 0) {
            return NOT_EMPTY;
        }
        place.parent.entries.delete(place.name);
        return OK;
    }

    #rename(from, path, length, to, newPath, newLength) {
        const old = this.place(from, path, length);
        const place = this.place(to, newPath, newLength);
        if (!old?.node || !old.parent || !place?.parent) {
            return MISSING;
        }
        old.parent.entries.delete(old.name);
        place.parent.entries.set(place.name, old.node);
        return OK;
    }

    #makeFolder(descriptor, path, length) {
        const place = this.place(descriptor, path, length);
        if (!place?.parent || place.node) {
            return place?.node ? EXISTS : MISSING;
        }
        place.parent.entries.set(place.name, new Folder());
        return OK;
    }

    // ---- time and chance

    #clock(which, _precision, at) {
        const milliseconds = which === 0 ? Date.now() : performance.now();
        this.view.setBigUint64(at, BigInt(Math.round(milliseconds * 1e6)), true);
        return OK;
    }

    #random(at, size) {
        for (let done = 0; done < size; done += 65536) { // the most that one call gives
            crypto.getRandomValues(this.bytesAt(at + done, Math.min(65536, size - done)));
        }
        return OK;
    }

    // everything is ready at once
    #poll(wishes, events, count, countAt) {
        for (let i = 0; i < count; ++i) {
            this.bytesAt(events + 32 * i, 32).fill(0);
            this.view.setBigUint64(events + 32 * i, this.view.getBigUint64(wishes + 48 * i, true), true);
            this.view.setUint8(events + 32 * i + 10, this.view.getUint8(wishes + 48 * i + 8));
        }
        this.view.setUint32(countAt, count, true);
        return OK;
    }

    // ---- the imports of the program

    #describe(descriptor, at) {
        const file = this.open[descriptor];
        if (!file) {
            return BAD_FILE;
        }
        this.bytesAt(at, 24).fill(0);
        this.view.setUint8(at, kindOf(file.node));
        this.view.setBigUint64(at + 8, ALL_RIGHTS, true);
        this.view.setBigUint64(at + 16, ALL_RIGHTS, true);
        return OK;
    }

    #statusOf(node, at) {
        return node ? this.writeStatus(node, at) : MISSING;
    }

    imports() {
        const { args, environment } = this.lists;
        const onOpen = (action) => (descriptor) => (this.open[descriptor] ? action(descriptor) : BAD_FILE);
        const system = {
            args_sizes_get: (count, bytes) => this.#sizes(args, count, bytes),
            args_get: (pointers, at) => this.#texts(args, pointers, at),
            environ_sizes_get: (count, bytes) => this.#sizes(environment, count, bytes),
            environ_get: (pointers, at) => this.#texts(environment, pointers, at),
            clock_time_get: (...given) => this.#clock(...given),
            random_get: (...given) => this.#random(...given),
            poll_oneoff: (...given) => this.#poll(...given),
            proc_exit: (code) => { throw new Exit(code); },
            fd_close: onOpen((descriptor) => { delete this.open[descriptor]; return OK; }),
            fd_sync: onOpen(() => OK),
            fd_fdstat_get: (...given) => this.#describe(...given),
            fd_fdstat_set_flags: onOpen(() => OK),
            fd_filestat_get: (descriptor, at) => (this.open[descriptor] ? this.writeStatus(this.open[descriptor].node, at) : BAD_FILE),
            fd_prestat_get: (descriptor, at) => {
                if (descriptor !== TOP) {
                    return BAD_FILE;
                }
                this.view.setUint32(at, 0, true);
                this.view.setUint32(at + 4, 1, true);
                return OK;
            },
            fd_prestat_dir_name: (_descriptor, at) => { this.bytesAt(at, 1)[0] = 0x2f; return OK; },
            fd_read: (...given) => this.#read(...given),
            fd_write: (...given) => this.#write(...given),
            fd_seek: (...given) => this.#seek(...given),
            fd_readdir: (...given) => this.#list(...given),
            path_open: (...given) => this.#openPath(...given),
            path_create_directory: (...given) => this.#makeFolder(...given),
            path_remove_directory: (...given) => this.#remove(...given, Folder),
            path_unlink_file: (...given) => this.#remove(...given, File),
            path_rename: (...given) => this.#rename(...given),
            path_filestat_get: (descriptor, _follow, path, length, at) => this.#statusOf(this.place(descriptor, path, length)?.node, at),
            path_filestat_set_times: () => OK,
            path_readlink: (descriptor, path, length) => (this.place(descriptor, path, length)?.node ? INVALID : MISSING),
        };
        const progress = (what, length, done, total) => this.progress?.(this.textAt(what, length), done, total);
        const part = (name, length, number, at, size) => this.part?.(this.textAt(name, length), number, this.bytesAt(at, size).slice());
        return { wasi_snapshot_preview1: system, abut: { progress, part } };
    }
}

// A program with its files. Calls throw what the engine throws if the program fails: no memory, no stack, an unreachable
// instruction.
export class Program {
    #system;
    #instance;

    // `progress(what, done, total)` and `part(name, number, bytes)` are called by the program
    constructor(module, { top = new Folder(), args, environment = [], progress = null, part = null }) {
        this.#system = new System({ top, args, environment, progress, part });
        this.#instance = new WebAssembly.Instance(module, this.#system.imports());
        this.#system.memory = this.#instance.exports.memory;
    }

    // Calls an exported function. Returns its answer, or the code with which the program has ended.
    call(name, ...args) {
        try {
            return this.#instance.exports[name](...args) ?? 0;
        } catch (error) {
            if (!(error instanceof Exit)) {
                throw error;
            }
            return error.code;
        }
    }

    // runs it to its end; returns the exit code
    start() {
        return this.call('_start');
    }

    get out() {
        return this.#system.out.text;
    }

    get err() {
        return this.#system.err.text;
    }

    // bytes of memory
    get size() {
        return this.#system.memory.buffer.byteLength;
    }
}
