// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Turns files that were dropped or chosen into names for the command: which of them are objects, which belong to
// others (buffers of a .gltf), and which are the frames of a sequence.

const OBJECTS = /\.(glb|gltf|obj|ply|stl|off|vtp|vtu|npz|npy)(\.gz)?$/i;

// all files below an entry of a drop
async function filesOf(entry) {
    if (entry.isFile) {
        const file = await new Promise((resolve, reject) => { entry.file(resolve, reject); });
        return [{ name: entry.fullPath.replace(/^\//, ''), file }];
    }
    const reader = entry.createReader();
    const all = [];
    for (;;) { // a call returns some of the entries
        const some = await new Promise((resolve, reject) => { reader.readEntries(resolve, reject); });
        if (some.length === 0) {
            return all;
        }
        for (const child of some) {
            all.push(...await filesOf(child));
        }
    }
}

// The files of a drop, folders included. Call it in the event: the entries are gone afterwards.
export async function droppedFiles(transfer) {
    const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
    if (entries.length === 0) {
        return [...transfer.files].map((file) => ({ name: file.name, file }));
    }
    return (await Promise.all(entries.map(filesOf))).flat();
}

// the name with its last number replaced, for files that may be frames
const patternOf = (name) => name.replace(/\d+(?=\D*$)/, '*');

// The objects among the names, as arguments of the command: files whose names differ only in their last number are
// one sequence. Names with letters of patterns stay single files.
export function objectsOf(names) {
    const groups = new Map();
    for (const name of names.filter((each) => OBJECTS.test(each))) {
        const single = /\.(glb|gltf)(\.gz)?$/i.test(name) || /[*?[\]%\\]/.test(name);
        const key = single ? name : patternOf(name);
        groups.set(key, [...(groups.get(key) ?? []), name]);
    }
    return [...groups].map(([pattern, group]) => (group.length > 1 ? pattern : group[0])).map((name) => name.replace(/^-/, './-'));
}

// A name for what is saved.
export function stemOf(objects) {
    const name = (objects[0] ?? 'abut').split('/').pop().replace(/(\.[a-z0-9]+)(\.gz)?$/i, '').replace(/[*_\-. ]+$/, '');
    return name === '' ? 'abut' : name;
}
