// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Times the npm package in headless Chromium, in a worker, on a skinned figure that walks: walkInChromium() resolves to
// { milliseconds, pairs }, of a frame and of all frames; null if there is no Chromium. A frame is its transforms and a
// query within the figure.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';

const LONGEST = 120000; // milliseconds
const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync', '--remote-debugging-port=0'];
const TYPES = { js: 'text/javascript', wasm: 'application/wasm', bin: 'application/octet-stream', html: 'text/html' };

const PAGE = '<!doctype html><title>bench</title><script type="module">new Worker("worker.js", { type: "module" });</script>';

// in the browser: the numbers that native.c writes, then rounds over all frames; as in compare.mjs, the time of a frame is
// the least of all rounds, and that of the figure the median of its frames
async function work(rounds) {
    const { Scene, blend } = await import('./abut/index.js');
    const bytes = await (await fetch('figure.bin')).arrayBuffer();
    let at = 0;
    const take = (Type, count) => {
        const size = Type.BYTES_PER_ELEMENT * count;
        const array = new Type(bytes.slice(at, at + size));
        at += size;
        return array;
    };
    const [vertices, triangles, nodeCount, fieldCount, influences, frameCount] = take(Uint32Array, 6);
    const index = take(Uint32Array, 3 * triangles);
    const rest = take(Float32Array, 3 * vertices);
    const fields = Array.from({ length: fieldCount }, () => take(Float32Array, 3 * vertices));
    const weights = { nodeCount, first: take(Uint32Array, vertices + 1), nodes: take(Uint32Array, influences), values: take(Float32Array, influences) };
    const frames = Array.from({ length: frameCount }, () => [take(Float64Array, 12 * nodeCount), take(Float64Array, fieldCount)]);
    const scene = new Scene();
    const body = scene.add(blend(rest, index, weights, { fields }));
    const least = frames.map(() => Infinity);
    let pairs = 0;
    for (let round = 0; round < rounds; ++round) {
        pairs = 0;
        frames.forEach(([transforms, coordinates], i) => {
            const start = performance.now();
            body.setTransforms(transforms, coordinates, { layout: 'rows' });
            const { length } = scene.collideSelf(body);
            least[i] = Math.min(least[i], performance.now() - start);
            pairs += length;
        });
    }
    const milliseconds = least.sort((a, b) => a - b)[least.length >> 1];
    await fetch('found', { method: 'POST', body: JSON.stringify({ milliseconds, pairs, triangles }) });
}

function serve(folder, figure, rounds, found) {
    const texts = { '/': PAGE, '/worker.js': `${work}\nwork(${rounds}).catch((error) => fetch('found', { method: 'POST', body: JSON.stringify({ error: String(error) }) }));` };
    const files = { '/figure.bin': figure };
    return createServer(async (request, response) => {
        if (request.method === 'POST') {
            let text = '';
            for await (const piece of request) {
                text += piece;
            }
            found(JSON.parse(text));
        }
        const [, name] = /^\/abut\/([a-z-]+\.(?:js|wasm))$/.exec(request.url) ?? [];
        const file = name ? new URL(name, folder) : files[request.url];
        const body = texts[request.url] ?? (file ? readFileSync(file) : '');
        const ending = request.url === '/' ? 'html' : request.url.split('.').pop();
        // a page of its own group has a fine clock
        response.writeHead(200, { 'content-type': TYPES[ending] ?? 'text/plain', 'cross-origin-opener-policy': 'same-origin',
            'cross-origin-embedder-policy': 'require-corp' });
        response.end(body);
    });
}

export async function walkInChromium(folder, figure, rounds) {
    if (spawnSync('chromium', ['--version']).status !== 0) {
        return null;
    }
    let found;
    const answer = new Promise((resolve) => { found = resolve; });
    const server = serve(folder, figure, rounds, found);
    await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
    const profile = mkdtempSync(`${tmpdir()}/abut-browser-`);
    const browser = spawn('chromium', [...FLAGS, `--user-data-dir=${profile}`, `http://127.0.0.1:${server.address().port}/`], { stdio: 'ignore' });
    const ended = new Promise((resolve) => { browser.on('exit', resolve); });
    const late = setTimeout(() => found({ error: 'it took too long' }), LONGEST);
    const result = await Promise.race([answer, ended.then(() => ({ error: 'Chromium ended' }))]);
    clearTimeout(late);
    browser.kill();
    await ended;
    server.closeAllConnections?.();
    server.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    if (result.error) {
        throw new Error(`in Chromium: ${result.error}`);
    }
    return result;
}
