// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The page's side of workers. Every job has a worker of its own, which is ended after it, after a failure and on
// request: whatever a file does to the command, it is gone then, with all of its memory.

async function unpack(text) {
    const packed = Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
    return new Response(stream).arrayBuffer();
}

// The page holds the module as text; it is unpacked and compiled once.
let compiled = null;
const compile = () => (compiled ??= unpack(document.getElementById('module').textContent).then((bytes) => WebAssembly.compile(bytes)));

// the program of the page is that of the worker, too: see main.js
let address = null;
const program = () => (address ??= URL.createObjectURL(new Blob([document.getElementById('program').textContent], { type: 'text/javascript' })));

export class Stopped extends Error {
    constructor() {
        super('it was stopped');
    }
}

export class Session {
    #end = null; // ends the current job

    // Resolves to the answers of worker.js; rejects with Stopped after stop(), otherwise with the reason.
    async run(files, runs, onProgress) {
        this.stop();
        const module = await compile();
        this.stop();
        const worker = new Worker(program());
        try {
            return await new Promise((resolve, reject) => {
                this.#end = () => reject(new Stopped());
                worker.addEventListener('message', ({ data }) => {
                    if (data.progress) {
                        onProgress(data.progress);
                    } else if (data.answers) {
                        resolve(data.answers);
                    } else {
                        reject(new Error(`The check broke off: ${data.crash}. The page goes on; other files are not affected.`));
                    }
                });
                worker.addEventListener('error', (event) => {
                    event.preventDefault();
                    reject(new Error(`The check broke off: ${event.message ?? 'the worker failed'}.`));
                });
                worker.postMessage({ module, files, runs });
            });
        } finally {
            worker.terminate();
            this.#end = null;
        }
    }

    stop() {
        this.#end?.();
        this.#end = null;
    }
}

// A model that stays open in a worker, to check frames while they are played: see web/command/live.c.
export class OpenModel {
    #worker = null;
    #waiting = null; // what is called with the next answer
    #queue = Promise.resolve();

    // Resolves to the bytes of its page; null if the command refuses the files or it was ended.
    async open(files, args, output) {
        const module = await compile();
        if (this.#worker === 'ended') {
            return null;
        }
        this.#worker = new Worker(program());
        this.#worker.addEventListener('message', ({ data }) => this.#answer(data));
        this.#worker.addEventListener('error', (event) => {
            event.preventDefault();
            this.#answer({ crash: event.message ?? 'the worker failed' });
        });
        return (await this.#ask({ open: { module, files, args, output } })).page ?? null;
    }

    // Resolves to { parts, took } of a frame. Frames follow each other.
    frame(place, asks) {
        const next = this.#queue.then(() => this.#ask({ place, asks }));
        this.#queue = next.catch(() => {});
        return next.then(({ given }) => {
            if (!given.parts) {
                throw new Error(given.err.replace(/^abut: /gm, '').trim() || 'the program gave no reason');
            }
            return given;
        });
    }

    #ask(job) {
        if (this.#worker === 'ended') {
            return Promise.reject(new Stopped());
        }
        return new Promise((resolve, reject) => {
            this.#waiting = { resolve, reject };
            this.#worker.postMessage(job);
        });
    }

    #answer(data) {
        const waiting = this.#waiting;
        this.#waiting = null;
        if (data.crash) {
            this.end();
            waiting?.reject(new Error(`The program broke off: ${data.crash}`));
        } else {
            waiting?.resolve(data);
        }
    }

    end() {
        const worker = this.#worker;
        this.#worker = 'ended';
        worker?.terminate?.();
        this.#waiting?.reject(new Stopped());
        this.#waiting = null;
    }
}
