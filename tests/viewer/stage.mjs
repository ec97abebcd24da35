// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Tests the 3D view of a report in a real browser: framing, camera flights, outlines, markers,
// labels, frames in between, a lost graphics context, no WebGL, mouse, keys and touch.
//
//     node stage.mjs ABUT NODE_MODULES FOLDER_FOR_SCREENSHOTS
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const [abut, modules, folder] = process.argv.slice(2).map((path) => resolve(path));
const browsers = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const executablePath = browsers.find((path) => existsSync(path));
if (!executablePath) {
    console.log('skipped: no Chromium here');
    process.exit(77);
}
const { chromium } = createRequire(join(modules, 'here.js'))('playwright-core');
mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--enable-unsafe-swiftshader', '--disable-background-networking'],
});
let passed = 0;

function check(what, condition) {
    assert.ok(condition, what);
    ++passed;
}

// a ball of 16 x 12 facets, as OBJ
function ball(name, [x, y, z], radius) {
    const lines = [`v ${x} ${y} ${z + radius}`, `v ${x} ${y} ${z - radius}`];
    const vertex = (i, j) => (i === 0 ? 1 : i === 12 ? 2 : 3 + (i - 1) * 16 + (j % 16));
    for (let i = 1; i < 12; ++i) {
        for (let j = 0; j < 16; ++j) {
            const [t, p] = [(Math.PI * i) / 12, (Math.PI * j) / 8];
            lines.push(`v ${x + radius * Math.sin(t) * Math.cos(p)} ${y + radius * Math.sin(t) * Math.sin(p)} ${z + radius * Math.cos(t)}`);
        }
    }
    for (let i = 0; i < 12; ++i) {
        for (let j = 0; j < 16; ++j) {
            const [a, b, c, d] = [vertex(i, j), vertex(i + 1, j), vertex(i + 1, j + 1), vertex(i, j + 1)];
            lines.push(...(b !== c ? [`f ${a} ${b} ${c}`] : []), ...(a !== d ? [`f ${a} ${c} ${d}`] : []));
        }
    }
    writeFileSync(join(folder, name), `${lines.join('\n')}\n`);
    return join(folder, name);
}

// a cube of side 1
function cube(name, [x, y, z]) {
    const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => `v ${x + (k & 1)} ${y + ((k >> 1) & 1)} ${z + (k >> 2)}`);
    const faces = ['1 3 4', '1 4 2', '5 6 8', '5 8 7', '1 2 6', '1 6 5', '3 7 8', '3 8 4', '1 5 7', '1 7 3', '2 4 8', '2 8 6'];
    writeFileSync(join(folder, name), `${[...corners, ...faces.map((f) => `f ${f}`)].join('\n')}\n`);
    return join(folder, name);
}

// exit codes 0 and 1 are answers
function report(name, args) {
    const html = join(folder, `${name}.html`);
    try {
        execFileSync(abut, ['check', ...args, '--html', html], { stdio: 'pipe' });
    } catch (error) {
        assert.ok(error.status === 1, `abut check ${args.join(' ')}: ${error.stderr}`);
    }
    return html;
}

async function open(file, options = {}, before = null) {
    const context = await browser.newContext({ viewport: { width: 1000, height: 640 }, offline: true, ...options });
    const page = await context.newPage();
    const problems = [];
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(error.message));
    if (before) {
        await page.addInitScript(before);
    }
    await page.goto(`file://${file}`);
    await page.waitForSelector('html[data-ready=yes]', { timeout: 60000 });
    return { page, problems, context, close: async () => { check(`no errors: ${problems}`, problems.length === 0); await context.close(); } };
}

const picture = async (page) => createHash('sha1').update(await page.locator('#stage').screenshot()).digest('hex');
const luminance = (c) => [0.2126, 0.7152, 0.0722].reduce((sum, w, k) => {
    const x = c[k] / 255;
    return sum + w * (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
}, 0);
const contrast = (a, b) => {
    const [x, y] = [luminance(a), luminance(b)];
    return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
};
const place = (page) => page.evaluate(() => globalThis.abut.stage.camera.place);
const still = (page) => page.waitForFunction(() => !globalThis.abut.stage.camera.flight);

const [one, deep, far] = [ball('one.obj', [0, 0, 0], 1), ball('deep.obj', [1.5, 0.3, 0.4], 1), ball('far.obj', [-4, 3, 0], 0.7)];

// where the corners of all boxes lie, in pixels
const spread = (page) => page.evaluate(() => {
    const { stage } = globalThis.abut;
    const points = stage.bodies.flatMap(({ positions }) => Array.from({ length: positions.length / 3 },
        (_, v) => stage.camera.project([...positions.subarray(3 * v, 3 * v + 3)])));
    const [x, y] = [0, 1].map((d) => points.map((p) => p[d]));
    return [Math.min(...x), Math.min(...y), Math.max(...x), Math.max(...y)];
});

async function framing(file) {
    const { page, close } = await open(file);
    const cases = [{ top: 0, right: 0, bottom: 0, left: 0 }, { top: 80, right: 300, bottom: 90, left: 0 }, { left: 500 }, { top: 300, right: 20 }];
    for (const insets of cases) {
        for (const axis of ['y', 'z']) {
            await page.evaluate(([given, up]) => {
                const { stage } = globalThis.abut;
                stage.insets = given;
                stage.setUp(up);
                stage.frameFront();
            }, [insets, axis]);
            const [left, top, right, bottom] = await spread(page);
            const free = { top: 0, right: 0, bottom: 0, left: 0, ...insets };
            check(`framed in ${JSON.stringify(insets)}, ${axis} up: ${[left, top, right, bottom]}`, left >= free.left && top >= free.top
                && right <= 1000 - free.right && bottom <= 640 - free.bottom);
            const [wide, high] = [(right - left) / (1000 - free.right - free.left), (bottom - top) / (640 - free.top - free.bottom)];
            check(`the bodies fill the free part of the view: ${wide}, ${high}`, Math.max(wide, high) > 0.55);
        }
    }
    await close();
}

// colours of the picture at some points, three numbers each; transparent pixels have the page's
// background
const pixels = (page, points) => page.evaluate((list) => {
    const { stage } = globalThis.abut;
    const { gl, canvas, ratio } = stage.renderer;
    stage.draw();
    return list.map(([x, y]) => {
        const out = new Uint8Array(4);
        gl.readPixels(Math.round(x * ratio - 0.5), Math.round(canvas.height - y * ratio - 0.5), 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, out);
        return [0, 1, 2].map((k) => out[k] + (1 - out[3] / 255) * 255 * stage.paint.ground[k]);
    });
}, points);

// the middle of an outline's edge, and points across it: { middle, beside }
const edgeSpots = (page) => page.evaluate(() => {
    const { camera, outline } = globalThis.abut.stage;
    const ends = outline.array;
    return Array.from({ length: ends.length / 6 }, (_, i) => {
        const [a, b] = [camera.project([...ends.subarray(6 * i, 6 * i + 3)]), camera.project([...ends.subarray(6 * i + 3, 6 * i + 6)])];
        const length = Math.hypot(b[0] - a[0], b[1] - a[1]);
        const across = [(b[1] - a[1]) / length, (a[0] - b[0]) / length];
        const at = (share) => [a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])];
        return [0.3, 0.5, 0.7].map((share) => ({ length, middle: at(share),
            beside: [-2, 2].map((n) => [at(share)[0] + n * across[0], at(share)[1] + n * across[1]]) }));
    }).flat();
});

async function flights(file, theme) {
    const { page, close } = await open(file, { colorScheme: theme });
    await page.evaluate(() => { globalThis.abut.stage.frameFront(); });
    const start = await place(page);
    const before = await picture(page);
    const flying = await page.evaluate(() => {
        const { stage } = globalThis.abut;
        stage.flyTo({ a: 0, b: 1, triangles: [[0, 130], [1, 200]] });
        return stage.camera.flight !== null;
    });
    check('the camera flies to the pair', flying);
    await still(page);
    const near = await place(page);
    check(`the camera comes nearer: ${start.distance}, ${near.distance}`, near.distance < 0.9 * start.distance);
    const spots = await edgeSpots(page);
    check('both triangles have outlines', spots.length === 18);
    const insets = await page.evaluate(() => globalThis.abut.stage.insets);
    check('the pair is in the free part of the view', spots.every(({ middle: [x, y] }) => x > insets.left && x < 1000 - insets.right
        && y > insets.top && y < 640 - insets.bottom));
    await outlined(page, spots, theme);
    // from behind, through the bodies
    await page.evaluate(() => globalThis.abut.stage.camera.turnBy(Math.PI, 0));
    await outlined(page, await edgeSpots(page), theme);
    await page.screenshot({ path: join(folder, `flight-${theme}.png`) });
    await page.evaluate(() => { globalThis.abut.stage.flyBack(); });
    await still(page);
    const back = await place(page);
    check('the camera flies back to its old place', Math.abs(back.distance - start.distance) < 1e-9 && back.target.every((x, d) => Math.abs(x - start.target[d]) < 1e-9));
    check('no body is dimmed', (await picture(page)) === before);
    // a patch of two triangles has one outline
    const edges = await page.evaluate(() => {
        const { stage } = globalThis.abut;
        const { index } = stage.bodies[0];
        const sharing = [40];
        for (let t = 0; t < index.length / 3 && sharing.length < 2; ++t) {
            const common = [0, 1, 2].filter((c) => index.subarray(120, 123).includes(index[3 * t + c])).length;
            if (t !== 40 && common === 2) {
                sharing.push(t);
            }
        }
        stage.flyTo({ a: 0, triangles: sharing.map((t) => [0, t]) });
        const count = stage.outline.array.length / 6;
        stage.flyBack(false);
        return count;
    });
    check(`two triangles with a common edge have four around them: ${edges}`, edges === 4);
    await close();
}

// a dark line and a light one beside it are visible on any background
async function outlined(page, spots, theme) {
    const long = spots.filter(({ length }) => length > 14);
    check('the pair is large enough to be seen', long.length >= 6);
    const cores = await pixels(page, long.map(({ middle }) => middle));
    const halos = await pixels(page, long.flatMap(({ beside }) => beside));
    const seen = cores.filter((core, i) => contrast(core, halos[2 * i]) >= 4.5 || contrast(core, halos[2 * i + 1]) >= 4.5);
    check(`the outline is seen everywhere in ${theme}: ${seen.length} of ${cores.length}`, seen.length >= 0.8 * cores.length);
}

// contact behind a surface shines through it
async function glow(file) {
    const { page, close } = await open(file);
    const spots = await page.evaluate(() => {
        const { stage } = globalThis.abut;
        stage.markers([]);
        stage.options.segments = false;
        stage.frameAll([-1, -0.2, -0.27]); // from the other side of the first ball
        const { first } = stage.found.lists.find(({ a, b }) => a === 0 && b === 1);
        return Array.from(first.subarray(0, 20), (t) => {
            const corners = stage.bodies[0].corners(t);
            return stage.camera.project([0, 1, 2].map((d) => corners.reduce((sum, p) => sum + p[d] / 3, 0)));
        });
    });
    const lit = await pixels(page, spots);
    await page.evaluate(() => { globalThis.abut.stage.options.contacts = false; });
    const plain = await pixels(page, spots);
    const [red, blue] = [0, 2].map((k) => lit.map((c, i) => c[k] - plain[i][k]));
    check(`hidden contact is seen: ${red.map(Math.round)}`, red.every((x, i) => x > 8 && blue[i] < -8));
    await close();
}

async function markers(file) {
    const { page, close } = await open(file);
    const size = async (distance) => {
        await page.evaluate((d) => {
            const { stage } = globalThis.abut;
            stage.markers([]);
            stage.frameFront();
            stage.camera.go({ ...stage.camera.place, target: [0, 0, 0].map((_, k) => -stage.data.origin[k]), distance: d });
            stage.draw();
        }, distance);
        const [x, y] = await page.evaluate(() => globalThis.abut.stage.camera.project(globalThis.abut.data.origin.map((c) => -c)));
        const row = Array.from({ length: 61 }, (_, k) => [x - 30 + k, y]);
        const without = await pixels(page, row);
        await page.evaluate(() => globalThis.abut.stage.markers([{ position: [0, 0, 0], kind: 'between', label: 'here' }]));
        const marked = await pixels(page, row);
        return marked.filter((c, k) => c.some((v, d) => Math.abs(v - without[k][d]) > 8)).length;
    };
    const [close_, distant] = [await size(4), await size(15)];
    check(`a marker inside a body shows, as large from near as from far: ${close_}, ${distant}`, close_ > 9 && close_ < 25 && Math.abs(close_ - distant) <= 2);
    const words = async (positions) => {
        await page.evaluate((list) => globalThis.abut.stage.markers(list.map((position, i) => ({ position, label: `word ${i}` }))), positions);
        return (await labels(page)).map(({ text }) => text);
    };
    assert.deepEqual(await words([[0, 0, 0], [0, 0, 0.01]]), ['word 0'], 'of labels on each other the first shows');
    assert.deepEqual(await words([[0, 0, 1], [0, 0, -1]]), ['word 0', 'word 1'], 'labels apart from each other show');
    const clicked = await page.evaluate(() => {
        const { stage } = globalThis.abut;
        stage.markers([{ position: [0, 0, 0], select: () => { globalThis.clicked = true; } }]);
        return stage.camera.project(globalThis.abut.data.origin.map((c) => -c));
    });
    const box = await page.locator('#stage').boundingBox();
    await page.mouse.click(box.x + clicked[0] + 2, box.y + clicked[1]);
    check('a click on a marker is reported', await page.evaluate(() => globalThis.clicked === true));
    await close();
}

const labels = (page) => page.evaluate(() => [...document.querySelectorAll('.label')].filter((e) => e.style.visibility === 'visible').map((e) => {
    const style = getComputedStyle(e);
    const numbers = (text) => text.match(/[\d.]+/g).map(Number);
    const { left, top, right, bottom } = e.getBoundingClientRect();
    return { text: e.textContent, colour: numbers(style.color), ground: numbers(style.backgroundColor), left, top, right, bottom };
}));

async function numbers(file, theme, expected) {
    const { page, close } = await open(file, { colorScheme: theme });
    const shown = await labels(page);
    check(`the number stands at its line: ${shown.map((l) => l.text)}`, shown.some(({ text }) => Math.abs(Number(text) - expected) < 1e-3));
    for (const { text, colour, ground } of shown) {
        check(`${text} has a background`, ground.length === 3 || ground[3] === 1);
        check(`${text} can be read`, contrast(colour, ground) >= 4.5);
    }
    const apart_ = (a, b) => a.left > b.right || b.left > a.right || a.top > b.bottom || b.top > a.bottom;
    check('labels do not overlap', shown.every((a, i) => shown.every((b, k) => i >= k || apart_(a, b))));
    await page.screenshot({ path: join(folder, `numbers-${theme}.png`) });
    await close();
}

async function between() {
    for (let f = 0; f < 3; ++f) {
        ball(`step_${f}.obj`, [-3 + 3 * f, 1.2, 0.3], 0.4);
    }
    const { page, close } = await open(report('between', [join(folder, 'step_*.obj'), one, '--sweep']));
    const result = await page.evaluate(async () => {
        const { stage } = globalThis.abut;
        const body = stage.bodies.findIndex((_, b) => stage.data.info.bodies[b].startsWith('step'));
        const at = async (show) => { await show(); return stage.bodies[body].positions[0]; };
        const [first, last, middle] = [await at(() => stage.show(0)), await at(() => stage.show(1)), await at(() => stage.showBetween(1, 0.25))];
        return { first, last, middle, ghosts: stage.bodies.map((b) => b.ghosts.length), body };
    });
    check(`a quarter of the way: ${JSON.stringify(result)}`, Math.abs(result.middle - (0.75 * result.first + 0.25 * result.last)) < 1e-4
        && Math.abs(result.last - result.first) > 2.9);
    check('a moving body is shown at both ends', result.ghosts[result.body] === 2 && result.ghosts[1 - result.body] === 0);
    const withEnds = await picture(page);
    await page.screenshot({ path: join(folder, 'between.png') });
    await page.evaluate(() => { globalThis.abut.stage.bodies.forEach((b) => { b.ghosts = []; }); globalThis.abut.stage.draw(); });
    check('both ends are drawn', (await picture(page)) !== withEnds);
    await close();
}

async function lostCard(file) {
    const { page, close } = await open(file);
    const before = await picture(page);
    await page.evaluate(() => {
        const { stage } = globalThis.abut;
        globalThis.loser = stage.renderer.gl.getExtension('WEBGL_lose_context');
        globalThis.loser.loseContext();
    });
    await page.waitForFunction(() => globalThis.abut.stage.renderer.lost);
    check('the page says that the picture is lost', (await page.locator('.no-picture').innerText()).includes('graphics card'));
    await page.evaluate(() => { globalThis.abut.stage.draw(); globalThis.loser.restoreContext(); });
    await page.waitForFunction(() => !globalThis.abut.stage.renderer.lost);
    check('the note goes away', (await page.locator('.no-picture').count()) === 0);
    check('a lost picture comes back', (await picture(page)) === before);
    await close();
}

async function withoutGraphics(file) {
    const { page, close } = await open(file, {}, () => {
        const get = HTMLCanvasElement.prototype.getContext;
        HTMLCanvasElement.prototype.getContext = function context(kind, ...more) {
            return kind === 'webgl2' ? null : get.call(this, kind, ...more);
        };
    });
    check('the page says that there is no WebGL 2', (await page.locator('.no-picture').innerText()).includes('WebGL 2'));
    check('without WebGL 2 the lists are there', (await page.locator('#bodies li').count()) === 3);
    await close();
}

async function stillness(file) {
    const { page, close } = await open(file, { reducedMotion: 'reduce' });
    const moved = await page.evaluate(() => {
        const { stage } = globalThis.abut;
        const before = stage.camera.distance;
        stage.flyTo({ a: 0, b: 1, triangles: [[0, 130], [1, 200]] });
        return { flight: stage.camera.flight ?? null, share: stage.camera.distance / before };
    });
    check('with reduced motion the camera moves at once', moved.flight === null && moved.share < 0.9);
    await close();
}

async function hands(file) {
    const { page, close } = await open(file, { hasTouch: true });
    const start = await place(page);
    await page.mouse.move(300, 300);
    await page.mouse.wheel(0, -300);
    await page.waitForTimeout(50);
    const nearer = await place(page);
    check('the wheel comes nearer', nearer.distance < 0.8 * start.distance);
    await page.mouse.down();
    await page.mouse.move(380, 320, { steps: 4 });
    await page.mouse.up();
    const turned = await place(page);
    check('a drag turns', turned.away.some((x, d) => Math.abs(x - nearer.away[d]) > 0.1) && turned.target.every((x, d) => x === nearer.target[d]));
    await page.mouse.down({ button: 'right' });
    await page.mouse.move(340, 320, { steps: 4 });
    await page.mouse.up({ button: 'right' });
    const shifted = await place(page);
    check('a right drag shifts', shifted.target.some((x, d) => Math.abs(x - turned.target[d]) > 1e-3) && shifted.away.every((x, d) => x === turned.away[d]));
    await page.keyboard.press('Shift+ArrowRight');
    check('keys turn', (await place(page)).away.some((x, d) => Math.abs(x - shifted.away[d]) > 0.01));
    const { distance } = await place(page);
    await page.keyboard.press('+');
    check('keys come nearer', (await place(page)).distance < 0.9 * distance);
    const client = await page.context().newCDPSession(page);
    const touch = (type, points) => client.send('Input.dispatchTouchEvent', { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });
    const apart_ = await place(page);
    await touch('touchStart', [[300, 300]]);
    await touch('touchStart', [[300, 300], [360, 300]]);
    await touch('touchMove', [[270, 300], [390, 300]]);
    await touch('touchMove', [[240, 300], [420, 300]]);
    await touch('touchEnd', []);
    await page.waitForTimeout(50);
    check('two fingers come nearer', (await place(page)).distance < 0.5 * apart_.distance);
    await close();
}

const three = report('three', [one, deep, far]);
await framing(three);
await flights(three, 'light');
await flights(three, 'dark');
await glow(three);
await markers(three);
const cubes = [cube('cube.obj', [0, 0, 0]), cube('into.obj', [0.75, 0.2, 0.1]), cube('off.obj', [1.625, 0.2, 0.1])];
await numbers(report('depth', [cubes[0], cubes[1], '--depth']), 'light', 0.25);
await numbers(report('nearest', [cubes[0], cubes[2], '--nearest']), 'dark', 0.625);
await between();
await lostCard(three);
await withoutGraphics(three);
await stillness(three);
await hands(three);
await browser.close();
console.log(`${passed} checks passed`);
