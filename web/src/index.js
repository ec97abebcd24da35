// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The package as most programs import it: the module is loaded and started before the import is done. Engines without
// 128-bit vectors get a module without them.
import { hasVectors, init } from './core.js';

const url = hasVectors() ? new URL('./abut.wasm', import.meta.url) : new URL('./abut-scalar.wasm', import.meta.url);

async function load() {
    if (url.protocol === 'file:' && typeof process !== 'undefined' && process.versions?.node) {
        const { readFile } = await import(/* webpackIgnore: true */ /* @vite-ignore */ 'node:fs/promises');
        return readFile(url);
    }
    return fetch(url);
}
await init(load());

export * from './manual.js';
