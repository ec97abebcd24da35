// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The worker's side: runs the command on the files that the page sends, and answers with what it wrote.
import { Folder, find, put } from './files.js';
import { run } from './wasi.js';

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

// One job: `files` are put into an empty folder, the runs follow each other, and the answer has the code, the texts
// and the wanted outputs of each. A run that fails ends the job.
function work({ module, files, runs }) {
    const top = new Folder();
    files.forEach(({ name, bytes }) => put(top, name, bytes));
    const answers = [];
    for (const { args, outputs, failsFrom } of runs) {
        const answer = run(module, { top, args: ['abut', ...args], progress: reporter() });
        answer.files = outputs.map((name) => find(top, name)?.node?.bytes.slice());
        answer.failed = answer.code >= failsFrom;
        answers.push(answer);
        if (answer.failed) {
            break;
        }
    }
    return answers;
}

export function startWorker() {
    addEventListener('message', ({ data }) => {
        try {
            const answers = work(data);
            postMessage({ answers }, answers.flatMap(({ files }) => files.filter(Boolean).map((bytes) => bytes.buffer)));
        } catch (error) {
            postMessage({ crash: String(error?.message ?? error) });
        }
    });
}
