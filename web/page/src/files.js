// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A file system in memory: folders, files and nothing else. It is what the command sees of the world.

export class File {
    constructor(bytes = new Uint8Array()) {
        this.room = bytes; // may be longer than the file
        this.size = bytes.length;
    }

    get bytes() {
        return this.room.subarray(0, this.size);
    }

    write(at, bytes) {
        const end = at + bytes.length;
        if (end > this.room.length) {
            const grown = new Uint8Array(Math.max(end, 2 * this.room.length, 1 << 16));
            grown.set(this.bytes);
            this.room = grown;
        }
        this.room.fill(0, this.size, Math.max(at, this.size)); // a gap reads as zeros
        this.room.set(bytes, at);
        this.size = Math.max(this.size, end);
    }
}

export class Folder {
    constructor() {
        this.entries = new Map();
    }
}

// Where a path leads, from a folder: the folder above its last part, that part, and what is there, if anything.
// undefined if a folder on the way is missing, or above the top.
export function find(top, path) {
    const way = [];
    let place = { parent: null, name: '', node: top };
    for (const part of path.split('/')) {
        if (part === '' || part === '.') {
            continue;
        }
        if (!(place.node instanceof Folder)) {
            return undefined;
        }
        if (part === '..') {
            if (way.length === 0) {
                return undefined;
            }
            place = way.pop();
        } else {
            way.push(place);
            place = { parent: place.node, name: part, node: place.node.entries.get(part) };
        }
    }
    return place;
}

// Puts a file at a path, and makes the folders above it.
export function put(top, path, bytes) {
    const parts = path.split('/').filter((part) => part !== '');
    const name = parts.pop();
    let folder = top;
    for (const part of parts) {
        if (!folder.entries.has(part)) {
            folder.entries.set(part, new Folder());
        }
        folder = folder.entries.get(part);
    }
    folder.entries.set(name, new File(bytes));
}
