// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The worker's side: runs the command on the files that the page sends, and answers with what it wrote; or keeps it open
// and answers with single frames (web/command/live.c).
import { Folder, find, put } from './files.js';
import { Program } from './wasi.js';

const PAUSE = 50; // milliseconds between two messages about progress

function reporter() {
    let last = 0;
    let told = '';
    return (what, done, total) => {
        const now = performance.now();
        if (what !== told || done === total || now - last >= PAUSE) {
            [last, told] = [now, what];
            postMessage({ progress: { what, done, total } });
        }
    };
}

function folderOf(files) {
    const top = new Folder();
    files.forEach(({ name, bytes }) => put(top, name, bytes));
    return top;
}

// One job: `files` are put into an empty folder, the runs follow each other, and the answer has the code, the texts
// and the wanted outputs of each. A run that fails ends the job.
function work({ module, files, runs }) {
    const top = folderOf(files);
    const answers = [];
    for (const { args, outputs, failsFrom } of runs) {
        const program = new Program(module, { top, args: ['abut', ...args], progress: reporter() });
        const answer = { code: program.start() };
        Object.assign(answer, { out: program.out, err: program.err, memory: program.size, failed: answer.code >= failsFrom });
        answer.files = outputs.map((name) => find(top, name)?.node?.bytes.slice());
        answers.push(answer);
        if (answer.failed) {
            break;
        }
    }
    return answers;
}

// A program that stays open. The answer to its start is the page that it wrote, null if it failed; that to a place of a
// frame has the parts of this frame, null if it failed, the milliseconds that it took, and the bytes of memory.
class Open {
    #parts = [];

    constructor({ module, files, args, output }) {
        const top = folderOf(files);
        const part = (name, number, bytes) => this.#parts.push({ name, number, bytes });
        this.program = new Program(module, { top, args: ['abut', ...args], part });
        this.page = this.program.start() === 0 ? find(top, output)?.node?.bytes.slice() ?? null : null;
    }

    frame(place, asks) {
        this.#parts = [];
        const begun = performance.now();
        const code = this.program.call('live_frame', place, asks ? 1 : 0);
        const { err, size } = this.program;
        return { parts: code === 0 ? this.#parts : null, took: performance.now() - begun, err, memory: size };
    }
}

let opened = null;

// what a message asks for: [answer, arrays that it gives away]
function answerTo(job) {
    if (job.open) {
        opened = new Open(job.open);
        return [{ page: opened.page }, opened.page ? [opened.page.buffer] : []];
    }
    if (job.place !== undefined) {
        const given = opened.frame(job.place, job.asks);
        return [{ given }, (given.parts ?? []).map(({ bytes }) => bytes.buffer)];
    }
    const answers = work(job);
    return [{ answers }, answers.flatMap(({ files }) => files.filter(Boolean).map((bytes) => bytes.buffer))];
}

export function startWorker() {
    addEventListener('message', ({ data }) => {
        try {
            postMessage(...answerTo(data));
        } catch (error) {
            postMessage({ crash: String(error?.message ?? error) });
        }
    });
}
