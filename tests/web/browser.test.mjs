// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The package in a browser, in the page and in a worker, under a strict policy: all files come from one server, which
// counts the requests. Skipped without Chromium.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import test from 'node:test';
import { instructionSet } from 'abut';

const FOLDER = new URL('node_modules/abut/', import.meta.url);
const CODE = `import { Scene, shape, instructionSet } from './abut/index.js';
    const scene = new Scene();
    const body = scene.add(shape([0,0,0, 1,0,0, 0,1,0, 0.2,0.2,-1, 0.2,0.2,1, 0.3,0.9,1]));
    const answer = instructionSet() + '-' + scene.collideSelf(body).length;`;
const PAGE = '<!doctype html><title>test</title><script type="module" src="page.js"></script>';
const FILES = {
    '/': ['text/html', PAGE],
    '/page.js': ['text/javascript', `${CODE}
        fetch('/page-found-' + answer);
        const worker = new Worker('worker.js', { type: 'module' });`],
    '/worker.js': ['text/javascript', `${CODE}\nfetch('/worker-found-' + answer);`],
};
const types = { js: 'text/javascript', wasm: 'application/wasm' };

function serve(requests, both) {
    return createServer((request, response) => {
        requests.push(request.url);
        if (requests.filter((url) => url.includes('-found-')).length === 2) {
            both();
        }
        const name = request.url.startsWith('/abut/') ? request.url.slice(6) : null;
        let [type, body] = FILES[request.url] ?? [null, null];
        if (name !== null && /^[a-z-]+\.(js|wasm)$/.test(name)) {
            [type, body] = [types[name.split('.')[1]], readFileSync(new URL(name, FOLDER))];
        }
        response.writeHead(body === null ? 404 : 200, { 'Content-Type': type ?? 'text/plain',
            'Content-Security-Policy': "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; " +
                "worker-src 'self'" });
        response.end(body ?? '');
    });
}

const missing = spawnSync('chromium', ['--version']).status !== 0;
test('in Chromium, in the page and in a worker', { skip: missing && 'Chromium is missing' }, async () => {
    const requests = [];
    let both;
    const found = new Promise((resolve) => { both = resolve; });
    const server = serve(requests, both);
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    const profile = mkdtempSync(`${tmpdir()}/abut-browser-`);
    const browser = spawn('chromium', ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
        '--disable-background-networking', '--disable-component-update', '--disable-sync', `--user-data-dir=${profile}`,
        '--remote-debugging-port=0', `http://127.0.0.1:${server.address().port}/`], { stdio: 'ignore' });
    const ended = new Promise((resolve) => browser.on('exit', resolve));
    const late = setTimeout(both, 100000);
    await Promise.race([found, ended]);
    clearTimeout(late);
    browser.kill();
    await ended;
    server.closeAllConnections?.();
    server.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    const set = instructionSet(); // of the module that this project has
    assert.deepEqual(requests.filter((url) => url.includes('-found-')).sort(),
        [`/page-found-${set}-1`, `/worker-found-${set}-1`]);
    assert.ok(requests.includes('/abut/abut.wasm') && !requests.includes('/abut/abut-scalar.wasm'), requests.join());
});
