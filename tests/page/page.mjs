// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Uses the page of 'make web' in a real browser: drops models and hostile files, and compares its JSON and HTML with
// those of the command of this machine, byte for byte. Counts requests, from a server and from a disk.
//
//     node page.mjs INDEX.html ABUT NODE_MODULES FOLDER_FOR_SCREENSHOTS MODELS [PART...]
//
// Parts are the names of functions below; without a PART all are tested. MODELS is the folder with Fox.glb and others; without it those are left out, and the last line says so.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';

const [index, abut, modules, folder, models] = process.argv.slice(2, 7).map((path) => resolve(path));
const wanted = process.argv.slice(7);

function skip(why) {
    console.log(`skipped: ${why}`);
    process.exit(77);
}

const browsers = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const executablePath = browsers.find((path) => existsSync(path)) ?? skip('there is no Chromium: apt-get install chromium');
const { chromium } = createRequire(join(modules, 'here.js'))('playwright-core');
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--enable-unsafe-swiftshader', '--disable-background-networking'] });
mkdirSync(folder, { recursive: true });
let passed = 0;
let failed = 0;
let leftOut = 0;

function check(what, condition) {
    if (condition) {
        ++passed;
    } else {
        ++failed;
        console.log(`FAILED: ${what}`);
    }
}

const equal = (what, found, expected) =>
    check(`${what}: ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`, JSON.stringify(found) === JSON.stringify(expected));

// ---- a server that counts

const served = [];
const server = createServer((request, response) => {
    served.push(request.url);
    response.writeHead(request.url === '/' ? 200 : 404, { 'content-type': 'text/html' });
    response.end(request.url === '/' ? readFileSync(index) : '');
});
await new Promise((ready) => { server.listen(0, '127.0.0.1', ready); });
const here = `http://127.0.0.1:${server.address().port}/`;

// ---- the page

async function open(address = here, options = {}) {
    const context = await browser.newContext({ viewport: { width: 1100, height: 700 }, reducedMotion: 'reduce', ...options });
    const page = await context.newPage();
    const problems = [];
    const requests = [];
    page.setDefaultTimeout(120000);
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('request', (request) => !request.url().startsWith('blob:') && requests.push(request.url()));
    await page.goto(address);
    await page.waitForSelector('html[data-state=idle]');
    return { page, problems, requests };
}

const idle = async (page) => {
    await page.waitForFunction(() => document.documentElement.dataset.state === 'idle');
    return page.textContent('#trouble-text');
};

// drops files as the system does; returns what the page complains of
async function drop(page, files) {
    const encoded = files.map(({ name, bytes }) => ({ name, bytes: Buffer.from(bytes).toString('base64') }));
    const transfer = await page.evaluateHandle((list) => {
        const data = new DataTransfer();
        for (const { name, bytes } of list) {
            data.items.add(new File([Uint8Array.from(atob(bytes), (letter) => letter.charCodeAt(0))], name));
        }
        return data;
    }, encoded);
    await page.evaluate(() => { document.documentElement.dataset.state = 'dropping'; });
    await page.dispatchEvent('#place', 'drop', { dataTransfer: transfer });
    return idle(page);
}

const shown = async (page) => {
    const frame = await (await page.$('#report')).contentFrame();
    await frame.waitForSelector('html[data-ready=yes]');
    return frame;
};

// the bytes of the files and of the result, which travel as text
const bytesOf = async (page, what) => (await page.evaluate(async (which) => {
    const { files, result } = globalThis.abut;
    const texts = (which === 'files' ? files.map(({ bytes }) => bytes) : [result.json, result.html]).map((bytes) => new Promise((done) => {
        const reader = new FileReader();
        reader.onload = () => done(reader.result.replace(/^.*,/, ''));
        reader.readAsDataURL(new Blob([bytes]));
    }));
    return Promise.all(texts);
}, what)).map((text) => Buffer.from(text, 'base64'));

const resultOf = async (page) => {
    const [json, html] = await bytesOf(page, 'result');
    return { args: await page.evaluate(() => globalThis.abut.args()), json, html };
};

// what the command of this machine writes for the same arguments and files
function native(files, args) {
    const cwd = mkdtempSync(join(tmpdir(), 'abut-page-'));
    files.forEach(({ name, bytes }) => writeFileSync(join(cwd, name), bytes));
    try {
        execFileSync(abut, [...args, '--json', 'a.json', '--html', 'a.html'], { cwd, stdio: 'pipe', env: { ...process.env, XDG_CACHE_HOME: cwd } });
    } catch (error) {
        if (error.status !== 1) {
            throw new Error(`abut ${args.join(' ')}: ${error.stderr}`);
        }
    }
    const [json, html] = ['a.json', 'a.html'].map((name) => readFileSync(join(cwd, name)));
    rmSync(cwd, { recursive: true });
    return { json, html };
}

async function compare(page, what, files) {
    await shown(page);
    const { args, json, html } = await resultOf(page);
    const expected = native(files, args);
    check(`${what}: the JSON equals that of the command (${json.length} and ${expected.json.length} bytes)`, json.equals(expected.json));
    check(`${what}: the HTML equals that of the command (${html.length} and ${expected.html.length} bytes)`, html.equals(expected.html));
    return JSON.parse(json.toString());
}

const modelFile = (name) => ({ name, bytes: readFileSync(join(models, name)) });

// ---- the tests

async function samples() {
    const { page, problems } = await open();
    const names = await page.locator('#sample-buttons button').allInnerTexts();
    check('there are samples', names.length >= 3);
    for (const [i, name] of names.entries()) {
        await page.evaluate(() => { document.documentElement.dataset.state = 'dropping'; });
        await page.selectOption('#sample', String(i));
        equal(`${name}: complaints`, await idle(page), '');
        const fileNames = await page.evaluate(() => globalThis.abut.files.map((file) => file.name));
        const bytes = await bytesOf(page, 'files');
        const result = await compare(page, name, fileNames.map((each, k) => ({ name: each, bytes: bytes[k] })));
        const touching = result.frames.filter(({ contact }) => contact).length;
        check(`${name}: touches in some frames and not in others (${touching})`, touching > 0 && touching < result.frames.length);
        await page.screenshot({ path: join(folder, `sample-${i}.png`) });
    }
    equal('samples: problems', problems, []);
    await page.context().close();
}

async function droppedModels() {
    for (const name of ['Fox.glb', 'RiggedFigure.glb', 'AnimatedMorphCube.glb', 'SimpleSkin.gltf']) {
        if (!existsSync(join(models, name))) {
            ++leftOut;
            continue;
        }
        const { page, problems } = await open();
        equal(`${name}: complaints`, await drop(page, [modelFile(name)]), '');
        const result = await compare(page, name, [modelFile(name)]);
        equal(`${name}: problems`, problems, []);
        check(`${name}: the live region has the verdict`, /frames|touch|Nothing/.test(await page.textContent('#status')));
        if (name === 'Fox.glb') {
            equal('Fox: frames of all animations', result.frames.length, 160);
            equal('Fox: animations to choose from', await page.locator('#option-animation option').count(), 4);
        }
        await page.screenshot({ path: join(folder, `${name}.png`) });
        await page.context().close();
    }
}

const wedge = (name, angle) => ({ name, bytes: Buffer.from(`v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0.2 0.2 ${angle}\nv 1 1 1\nv 0.3 0.1 1\nf 1 2 3\nf 4 5 6\n`) });

// ---- models that are played while they are checked

// a strip that rolls up until it touches itself
function longSequence(frames, columns, rows) {
    return Array.from({ length: frames }, (_, frame) => {
        const turn = 0.4 + 11.6 * frame / (frames - 1);
        const lines = [];
        for (let i = 0; i <= columns; ++i) {
            for (let j = 0; j <= rows; ++j) {
                const [u, v] = [i / columns, j / rows];
                const radius = 4 / turn * (1 - 0.05 * u * turn / 4) + 0.02 * Math.sin(9 * v + 5 * u) * Math.min(1, turn / 6);
                lines.push(`v ${radius * Math.sin(u * turn)} ${2 * v - 1} ${4 / turn - radius * Math.cos(u * turn)}`);
            }
        }
        for (let i = 0; i < columns * (rows + 1); ++i) {
            if (i % (rows + 1) < rows) {
                lines.push(`f ${i + 1} ${i + rows + 2} ${i + 2}`, `f ${i + 2} ${i + rows + 2} ${i + rows + 3}`);
            }
        }
        return { name: `strip_${String(frame).padStart(3, '0')}.obj`, bytes: Buffer.from(`${lines.join('\n')}\n`) };
    });
}

// gives files to the page without waiting for the check
const give = (page, files) => page.evaluate((list) => {
    globalThis.abut.take(list.map(({ name, text }) => ({ name, bytes: new TextEncoder().encode(text) })));
}, files.map(({ name, bytes }) => ({ name, text: bytes.toString() })));

// lets the next check end only after release()
const hold = (page) => page.evaluate(() => {
    const { session } = globalThis.abut;
    const { run } = session;
    const held = new Promise((resolve) => { globalThis.release = resolve; });
    session.run = async (...given) => {
        delete session.run;
        const answers = await run.apply(session, given);
        await held;
        return answers;
    };
});
const release = (page) => page.evaluate(() => globalThis.release());

// how many workers there are; the browser tells of their end a little later
async function workersOf(page) {
    for (let i = 0; i < 50 && page.workers().length > 0; ++i) {
        await new Promise((done) => { setTimeout(done, 100); });
    }
    return page.workers().length;
}

const livePlayer = async (page) => {
    await page.waitForSelector('#live:not([hidden])');
    await page.waitForFunction(() => document.getElementById('live').contentDocument?.documentElement.dataset.ready === 'yes');
};

// the findings of the frames that were checked so far, as the viewer has them: [place, pairs]
const liveFindings = (page) => page.evaluate(() => {
    const { data } = document.getElementById('live').contentWindow.abut;
    return data.frames.flatMap((frame, place) => (data.checked(place) ? [[place, frame.found.reduce((sum, f) => sum + (f.pairs ?? 0), 0)]] : []));
});

async function live() {
    const { page, problems } = await open(here, { reducedMotion: 'no-preference' });
    const files = longSequence(100, 60, 12);
    await hold(page);
    await give(page, files);
    await livePlayer(page);
    const playing = () => page.evaluate(() => { const { frame, playing: on } = document.getElementById('live').contentWindow.abut; return { frame, on }; });
    check('live: it plays', (await playing()).on);
    await page.waitForFunction(() => document.getElementById('live').contentWindow.abut.data.checkedCount > 5);
    await page.screenshot({ path: join(folder, 'live.png') });
    // a frame with contact, while the check still runs: its triangles are marked
    const marked = await page.evaluate(async () => {
        const viewer = document.getElementById('live').contentWindow.abut;
        viewer.play(false);
        await viewer.busy;
        await viewer.go(99);
        return { frame: viewer.frame, marked: viewer.stage.bodies[0].hits.array.length / 3, markers: viewer.stage.marked.length };
    });
    check(`live: triangles are marked (${JSON.stringify(marked)})`, marked.frame === 99 && marked.marked > 10 && marked.markers === 1);
    // slow checks: the motion goes on without them, and the frame where it stops is checked
    const slow = await page.evaluate(async () => {
        const viewer = document.getElementById('live').contentWindow.abut;
        const { data } = viewer;
        const before = document.getElementById('live').give;
        document.getElementById('live').give = async (place, asks) => ({ ...await before(place, asks), took: 1000 });
        const from = data.frames.findIndex((_, place) => place >= 30 && !data.checked(place));
        await viewer.go(from);
        viewer.play(true);
        const remark = document.getElementById('live').contentDocument.getElementById('remarks').textContent;
        const known = data.checkedCount;
        const until = (condition) => new Promise((done) => { const wait = () => (condition() ? done() : setTimeout(wait, 20)); wait(); });
        await until(() => viewer.frame > from + 5 || viewer.frame < from || !viewer.playing);
        const played = data.checkedCount - known;
        viewer.play(false);
        const begun = performance.now();
        await until(() => data.checked(Math.max(viewer.frame, 0)) || performance.now() > begun + 20000);
        document.getElementById('live').give = before;
        const message = document.getElementById('live').contentDocument.getElementById('message').textContent;
        return { remark, played, checked: data.checked(viewer.frame), message };
    });
    check(`live: slow checks (${JSON.stringify(slow)})`, /1.0 seconds/.test(slow.remark) && slow.played === 0 && slow.checked);
    const memory = await page.evaluate(async () => {
        const { give: frame } = document.getElementById('live');
        const sizes = [];
        for (let i = 0; i < 400; ++i) {
            sizes.push((await frame(i % 100, true)).memory);
        }
        return [sizes[99], sizes[399]];
    });
    equal('live: memory after 100 and 400 frames', memory[1], memory[0]);
    const found = await liveFindings(page);
    const view = await page.evaluate(() => document.getElementById('live').contentWindow.abut.view);
    await release(page);
    equal('live: complaints', await idle(page), '');
    const result = await compare(page, 'after playing', files);
    await page.waitForSelector('#live', { state: 'hidden' });
    const pairs = (frame) => frame.self.reduce((sum, each) => sum + each.pairs, 0);
    equal('live: pairs of frames checked while they play', found, found.map(([place]) => [place, pairs(result.frames[place])]));
    const after = await page.evaluate(() => document.getElementById('report').contentWindow.abut.view);
    equal('live: the report goes on where it was', [after.frame, after.playing], [view.frame, view.playing]);
    check('live: with the same view', Math.abs(after.place.distance / view.place.distance - 1) < 1e-6);
    equal('live: problems', problems, []);
    await page.context().close();
}

// a closed ball with three radii
function ball([x, y, z], [a, b, c], steps = 8) {
    const lines = [];
    for (let i = 0; i <= steps; ++i) {
        for (let j = 0; j < 2 * steps; ++j) {
            const [down, around] = [Math.PI * i / steps, Math.PI * j / steps];
            const point = [x + a * Math.sin(down) * Math.cos(around), y + b * Math.sin(down) * Math.sin(around), z + c * Math.cos(down)];
            lines.push(`v ${point.map((each) => each.toFixed(6)).join(' ')}`);
        }
    }
    for (let i = 0; i < steps; ++i) {
        for (let j = 0; j < 2 * steps; ++j) {
            const [at, next] = [2 * steps * i + j + 1, 2 * steps * i + (j + 1) % (2 * steps) + 1];
            lines.push(...(i > 0 ? [`f ${at} ${at + 2 * steps} ${next}`] : []));
            lines.push(...(i < steps - 1 ? [`f ${next} ${at + 2 * steps} ${next + 2 * steps}`] : []));
        }
    }
    return Buffer.from(`${lines.join('\n')}\n`);
}

// A ball that passes through a plate: its translation turns a little in every frame, so its digits show whether sines
// and angles are the same.
const passing = () => [...Array.from({ length: 20 }, (_, k) => ({ name: `ball_${String(k).padStart(2, '0')}.obj`,
    bytes: ball([-1 + 0.1 * k, 0.1 * Math.sin(k), 0.05 * k], [0.6, 0.84, 0.48]) })), { name: 'plate.obj', bytes: ball([0, 0, 0], [0.4, 1.5, 1.5]) }];

// depth and distances, at a click, with the bytes of the command
async function demands() {
    const { page, problems } = await open();
    await page.evaluate(() => { document.documentElement.dataset.state = 'dropping'; });
    await page.selectOption('#sample', '2'); // two rings
    await idle(page);
    await shown(page);
    const names = await page.evaluate(() => globalThis.abut.files.map((file) => file.name));
    const files = (await bytesOf(page, 'files')).map((bytes, i) => ({ name: names[i], bytes }));
    for (const [button, expected] of [['#ask-distance', /--self --between.*--nearest|--nearest/], ['#ask-depth', /--depth --nearest/]]) {
        await page.evaluate(() => { document.documentElement.dataset.state = 'asked'; });
        await page.click(button);
        equal(`${button}: complaints`, await idle(page), '');
        equal(`${button}: pressed`, await page.getAttribute(button, 'aria-pressed'), 'true');
        const result = await compare(page, button, files);
        const args = await page.evaluate(() => globalThis.abut.args().join(' '));
        check(`${button}: ${args}`, expected.test(args) && /--self --between/.test(args));
        check(`${button}: contact within objects is still asked for`, result.frames.some((frame) => frame.contact));
        await page.screenshot({ path: join(folder, `${button.slice(1)}.png`) });
    }
    for (const button of ['#ask-depth', '#ask-distance']) {
        await page.evaluate(() => { document.documentElement.dataset.state = 'asked'; });
        await page.click(button);
        await idle(page);
    }
    equal('both off again', await page.evaluate(() => globalThis.abut.args().join(' ')), 'check rings.gltf --animation all');
    equal('a ball through a plate: complaints', await drop(page, passing()), '');
    await shown(page);
    await page.evaluate(() => { document.documentElement.dataset.state = 'asked'; });
    await page.click('#ask-depth');
    await idle(page);
    const turning = await compare(page, 'a ball through a plate', passing());
    check('a ball through a plate: translations turn', turning.frames.some(({ depth }) => depth?.some(({ regions }) => regions?.some(({ turn }) => turn > 0))));
    await page.screenshot({ path: join(folder, 'passing.png') });
    // one object has a depth within itself, and no distance
    await drop(page, [wedge('one.obj', -1)]);
    await shown(page);
    equal('one object: distance', await page.isDisabled('#ask-distance'), true);
    await page.evaluate(() => { document.documentElement.dataset.state = 'asked'; });
    await page.click('#ask-depth');
    equal('one object: complaints', await idle(page), '');
    await compare(page, 'the depth of one object', [wedge('one.obj', -1)]);
    equal('demands: problems', problems, []);
    await page.context().close();
}

async function severalFiles() {
    const { page } = await open();
    const frames = [1, 0.5, -1].map((angle, i) => wedge(`cloth_0${i}.obj`, angle));
    equal('a sequence: complaints', await drop(page, frames), '');
    const sequence = await compare(page, 'a sequence', frames);
    equal('a sequence: frames that touch', sequence.frames.map(({ contact }) => contact), [false, false, true]);
    const two = [wedge('left.obj', 1), wedge('right.obj', 0.5)];
    equal('two objects: complaints', await drop(page, two), '');
    const both = await compare(page, 'two objects', two);
    equal('two objects', both.objects.map(({ name }) => name), ['left.obj', 'right.obj']);
    await page.context().close();
}

async function settings() {
    const { page } = await open();
    const file = wedge('wedge.obj', 0.1);
    await drop(page, [file]);
    await page.click('#settings-open');
    await page.check('#option-self');
    await page.check('#option-pairs');
    await page.fill('#option-margin', '0.5');
    await page.screenshot({ path: join(folder, 'settings.png') });
    equal('the command', await page.textContent('#command'), 'abut check wedge.obj --self --pairs --animation all --margin 0.5');
    await page.evaluate(() => { document.documentElement.dataset.state = 'asked'; });
    await page.click('#settings button[value=check]');
    equal('settings: complaints', await idle(page), '');
    const result = await compare(page, 'settings', [file]);
    check('the margin finds the pair', result.frames[0].contact === true);
    // a wrong setting is refused in the command's words, and the last result stays
    await page.click('#settings-open');
    await page.fill('#option-frames', 'nonsense');
    await page.evaluate(() => { document.documentElement.dataset.state = 'asked'; });
    await page.click('#settings button[value=check]');
    check('a wrong setting is named', /--frames/.test(await idle(page)));
    check('the last result stays', await page.isVisible('#report'));
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('#save-json')]);
    equal('the name of the saved file', download.suggestedFilename(), 'wedge.json');
    check('the saved file is the result', readFileSync(await download.path()).equals((await resultOf(page)).json));
    await page.context().close();
}

function hostileFiles() {
    const random = Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 2654435761 >>> 7) & 255));
    const glb = (text) => {
        const json = Buffer.from(text.padEnd(Math.ceil(text.length / 4) * 4));
        const head = Buffer.alloc(20);
        head.write('glTF');
        [2, 20 + json.length, json.length, 0x4e4f534a].forEach((number, i) => head.writeUInt32LE(number, 4 + 4 * i));
        return Buffer.concat([head, json]);
    };
    const huge = '{"asset":{"version":"2.0"},"nodes":[{"mesh":0}],"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"accessors":[{"componentType":5126,"type":"VEC3","count":4294967295}]}';
    return [
        { name: 'random.glb', bytes: random },
        ...['obj', 'glb', 'gltf', 'ply', 'stl', 'off'].map((ending) => ({ name: `empty.${ending}`, bytes: Buffer.alloc(0) })),
        { name: 'deep.gltf', bytes: Buffer.from('['.repeat(1000000)) },
        { name: 'huge.glb', bytes: glb(huge) },
        { name: 'numbers.ply', bytes: Buffer.from('ply\nformat ascii 1.0\nelement vertex 4000000000\nproperty float x\nproperty float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n') },
        { name: 'bomb.obj.gz', bytes: gzipSync(Buffer.alloc(600 << 20)) },
        { name: 'half.stl', bytes: Buffer.concat([Buffer.alloc(80), Buffer.from([255, 255, 255, 255]), random]) },
        { name: 'notes.txt', bytes: Buffer.from('no model') },
        { name: '<img src=x onerror=alert(1)>.obj', bytes: Buffer.from('v 0 0\n') },
    ];
}

async function hostile() {
    const { page, problems, requests } = await open();
    const before = requests.length;
    for (const file of hostileFiles()) {
        const begun = Date.now();
        const complaint = await drop(page, [file]);
        check(`${file.name}: there is a reason (${complaint.slice(0, 80)}), after ${Date.now() - begun} ms`, complaint.length > 10);
    }
    await page.screenshot({ path: join(folder, 'hostile.png') });
    equal('hostile: requests', requests.length, before);
    equal('hostile: problems', problems, []);
    // the page goes on
    const file = wedge('good.obj', -1);
    equal('after hostile files: complaints', await drop(page, [file]), '');
    await compare(page, 'after hostile files', [file]);
    await page.context().close();
}

// an animation of days, with a triangle in two keys
function days() {
    const numbers = Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1e5, 0, 0, 0, 0, 0, 1);
    const view = (byteOffset, byteLength) => ({ buffer: 0, byteOffset, byteLength });
    const accessor = (bufferView, type, count, more = {}) => ({ bufferView, componentType: 5126, type, count, ...more });
    return Buffer.from(JSON.stringify({
        asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0] }], nodes: [{ mesh: 0 }],
        meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }], bufferViews: [view(0, 36), view(36, 8), view(44, 24)],
        accessors: [accessor(0, 'VEC3', 3, { min: [0, 0, 0], max: [1, 1, 0] }), accessor(1, 'SCALAR', 2, { min: [0], max: [1e5] }), accessor(2, 'VEC3', 2)],
        animations: [{ samplers: [{ input: 1, output: 2 }], channels: [{ sampler: 0, target: { node: 0, path: 'translation' } }] }],
        buffers: [{ byteLength: 68, uri: `data:application/octet-stream;base64,${Buffer.from(numbers.buffer).toString('base64')}` }],
    }));
}

// a check without end is ended on request, and so is a program that breaks
async function stopping() {
    const { page } = await open();
    await give(page, [{ name: 'days.gltf', bytes: days() }]);
    await page.waitForFunction(() => /of 3000001/.test(document.getElementById('work-text').textContent));
    await new Promise((done) => { setTimeout(done, 1000); });
    equal('an animation of days is not played before its check', [await page.isVisible('#live'), page.workers().length], [false, 1]);
    await page.click('#stop');
    equal('an animation of days: complaints', await idle(page), '');
    equal('an animation of days: workers', await workersOf(page), 0);
    const waves = 700;
    const lines = [];
    for (let i = 0; i < waves; ++i) { // long triangles that all cross each other
        const turn = Math.PI * i / waves;
        lines.push(`v ${Math.cos(turn)} ${Math.sin(turn)} 0`, `v ${-Math.cos(turn)} ${-Math.sin(turn)} 0`, `v 0 ${1e-3 * i} 1`);
    }
    lines.push(...Array.from({ length: waves }, (_, i) => `f ${3 * i + 1} ${3 * i + 2} ${3 * i + 3}`));
    const bytes = Buffer.from(`${lines.join('\n')}\n`);
    const files = Array.from({ length: 40 }, (_, i) => ({ name: `star_${i}.obj`, bytes }));
    await page.evaluate((list) => { globalThis.abut.take(list.map(({ name, text }) => ({ name, bytes: new TextEncoder().encode(text) }))); },
        files.map(({ name, bytes: each }) => ({ name, text: each.toString() })));
    await page.waitForFunction(() => /\d of 40/.test(document.getElementById('work-text').textContent));
    await page.click('#stop');
    equal('stopped: complaints', await idle(page), '');
    equal('stopped: said', await page.textContent('#status'), 'Stopped');
    // the engine's own failures: a module that is unreachable at once
    const broken = await page.evaluate(async () => {
        const bytes = Uint8Array.from([0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 5, 3, 1, 0, 1, 7, 19, 2, 6, 95, 115, 116, 97, 114, 116, 0, 0, 6, 109, 101, 109, 111, 114, 121, 2, 0, 10, 5, 1, 3, 0, 0, 11]);
        const post = Worker.prototype.postMessage;
        Worker.prototype.postMessage = function send(job, ...rest) { return post.call(this, { ...job, module: new WebAssembly.Module(bytes) }, ...rest); };
        await globalThis.abut.take([{ name: 'a.obj', bytes: new Uint8Array(1) }]);
        Worker.prototype.postMessage = post;
        return document.getElementById('trouble-text').textContent;
    });
    check(`a program that breaks off is reported (${broken})`, /broke off: unreachable/.test(broken));
    const file = wedge('good.obj', -1);
    equal('after that: complaints', await drop(page, [file]), '');
    await compare(page, 'after that', [file]);
    await page.context().close();
}

// everything at once: files while a check runs, while a model plays, and settings faster than checks
async function rush() {
    const { page, problems } = await open(here, { reducedMotion: 'no-preference' });
    const strip = longSequence(60, 60, 12);
    await hold(page);
    await give(page, strip);
    await livePlayer(page);
    const [random] = hostileFiles();
    check('a hostile file while a model plays: there is a reason', (await drop(page, [random])).length > 10);
    equal('a hostile file while a model plays: that is gone', await page.isVisible('#live'), false);
    await release(page);
    equal('a hostile file while a model plays: workers', await workersOf(page), 0);
    // many files in a row, of which the last one counts
    for (let i = 0; i < 8; ++i) {
        await give(page, i % 3 === 1 ? [random] : i % 3 === 2 ? strip : [wedge(`wedge${i}.obj`, 1)]);
    }
    const last = wedge('last.obj', -1);
    equal('many files: complaints', await drop(page, [last]), '');
    await compare(page, 'the last of many files', [last]);
    // animations faster than their checks
    await page.evaluate(() => { document.documentElement.dataset.state = 'dropping'; });
    await page.selectOption('#sample', '2');
    await idle(page);
    await shown(page);
    const names = await page.evaluate(() => globalThis.abut.files.map((file) => file.name));
    const rings = (await bytesOf(page, 'files')).map((bytes, i) => ({ name: names[i], bytes }));
    await page.evaluate(async () => {
        for (const animation of ['0', '1', 'all', '0', '1', '1', '0', '1']) {
            globalThis.abut.options.inputs.get('animation').value = animation;
            globalThis.abut.check(false);
            await new Promise((done) => { setTimeout(done, 40); });
        }
    });
    equal('animations: complaints', await idle(page), '');
    const result = await compare(page, 'the last of many animations', rings);
    equal('animations: frames', result.frames.length, 61);
    await page.waitForSelector('#live', { state: 'hidden' });
    equal('after all: workers', await workersOf(page), 0);
    equal('after all: problems', problems, []);
    await page.context().close();
}

async function connections() {
    served.length = 0;
    const { page, requests } = await open();
    await page.click('#sample-buttons button:first-child');
    await shown(page);
    equal('requests that reached the server', served, ['/']);
    equal('requests of the page', requests, [here]);
    const refused = await page.evaluate(async (address) => {
        const broken = [];
        document.addEventListener('securitypolicyviolation', (event) => broken.push(event.effectiveDirective));
        await fetch(`${address}secret`).catch(() => {});
        Object.assign(new Image(), { src: `${address}picture` });
        await new Promise((done) => { setTimeout(done, 200); });
        return broken;
    }, here);
    equal('connections that the policy refuses', refused.sort(), ['connect-src', 'img-src']);
    const inside = await (await shown(page)).evaluate(async (address) => fetch(`${address}secret`).then(() => 'sent', () => 'refused'), here);
    equal('a connection of the report', inside, 'refused');
    equal('after that', served, ['/']);
    await page.context().close();
}

async function disk() {
    const { page, problems, requests } = await open(`file://${index}`, { offline: true, viewport: { width: 390, height: 844 }, colorScheme: 'dark', hasTouch: true, isMobile: true });
    equal('from a disk: the theme', await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
    await page.screenshot({ path: join(folder, 'phone-empty.png') });
    // by keyboard alone
    await page.focus('#sample-buttons button:nth-child(3)');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.documentElement.dataset.shown);
    await shown(page);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    check(`a phone needs no scrolling to the side (${wide})`, wide <= 390);
    await page.screenshot({ path: join(folder, 'phone.png') });
    equal('from a disk: problems', problems, []);
    equal('from a disk: requests', requests, [`file://${index}`]);
    const unnamed = await page.evaluate(() => [...document.querySelectorAll('button, input, select, iframe, dialog')]
        .filter((each) => !(each.textContent.trim() || each.title || each.getAttribute('aria-label') || each.labels?.length || each.getAttribute('aria-labelledby'))).map(({ id }) => id));
    equal('controls without a name', unnamed, []);
    await page.context().close();
}

for (const part of [samples, droppedModels, severalFiles, settings, live, demands, hostile, rush, stopping, connections, disk].filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
    const begun = Date.now();
    await part().catch((error) => check(`${part.name}: ${error.message.split('\n')[0]}`, false));
    console.log(`${part.name}: ${((Date.now() - begun) / 1000).toFixed(1)} s`);
}
await browser.close();
server.close();
console.log(`${passed} passed, ${failed} failed${leftOut > 0 ? `, ${leftOut} skipped` : ''}`);
process.exit(failed > 0 ? 1 : 0);
