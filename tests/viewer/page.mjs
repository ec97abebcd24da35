// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Opens reports in a real browser: they draw, the picture follows the frame, the timeline says what
// the JSON says, nothing is fetched and nothing fails.
//
//     node page.mjs ABUT NODE_MODULES FOLDER_FOR_SCREENSHOTS
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
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

// exit codes 0 and 1 are answers
function run(args) {
    try {
        execFileSync(abut, args, { stdio: 'pipe' });
    } catch (error) {
        assert.ok(error.status === 1, `abut ${args.join(' ')}: ${error.stderr}`);
    }
}

async function open(file, options = {}) {
    const context = await browser.newContext({ viewport: { width: 1100, height: 720 }, offline: true, ...options });
    const page = await context.newPage();
    const problems = [];
    const requests = [];
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('request', (request) => requests.push(request.url()));
    await page.goto(`file://${file}`);
    await page.waitForSelector('html[data-ready=yes]', { timeout: 60000 });
    return { page, problems, requests, context };
}

const show = async (page, frame) => {
    await page.evaluate((f) => globalThis.abut.go(f), frame);
    await page.waitForSelector(`html[data-frame="${frame}"]`);
};
const picture = async (page) =>
    createHash('sha1').update(await page.locator('#stage').screenshot()).digest('hex');
const pairsOf = (list) => (list ?? []).reduce((sum, entry) => sum + entry.pairs, 0);

// a scene: what the page says is what the JSON says
async function scenePage(name, args) {
    const html = join(folder, `${name}.html`);
    const json = join(folder, `${name}.json`);
    run(['demo', ...args, '--html', html, '--json', json]);
    const answer = JSON.parse(readFileSync(json, 'utf8'));
    const { page, problems, requests, context } = await open(html);
    const counts = await page.evaluate(() => globalThis.abut.timeline.counts);
    check('one bar a frame', counts.length === answer.frames.length);
    answer.frames.forEach((f, i) => {
        check(`frame ${i} between`, counts[i].between === pairsOf(f.between));
        check(`frame ${i} within`, counts[i].self === pairsOf(f.self));
    });
    await show(page, 0);
    const first = await picture(page);
    await show(page, counts.length - 1);
    const last = await picture(page);
    await page.screenshot({ path: join(folder, `${name}.png`) });
    check('the picture follows the frame', first !== last);
    await show(page, 0);
    check('a frame looks the same again', (await picture(page)) === first);
    return { page, problems, requests, context, answer, counts, html };
}

async function tablecloth() {
    const { page, problems, requests, context, counts, html } = await scenePage('tablecloth', ['tablecloth']);
    const before = await picture(page);
    await page.locator('#level').fill('2');
    check('boxes show', (await picture(page)) !== before);
    await page.locator('#level').fill('-1');
    await page.locator('#stage').focus();
    await page.keyboard.press('n');
    const touching = counts.findIndex((c, f) => f > 0 && c.between + c.self > 0);
    await page.waitForSelector(`html[data-frame="${touching}"]`);
    check('the list has pairs', (await page.locator('#pairs button').count()) > 0);
    await page.locator('#pairs button').first().click();
    const box = await page.locator('#timeline').boundingBox();
    await page.mouse.click(box.x + box.width * 0.999, box.y + box.height / 2);
    await page.waitForSelector(`html[data-frame="${counts.length - 1}"]`);
    await page.keyboard.press('d');
    check('dark', (await page.locator('html').getAttribute('data-theme')) === 'dark');
    await page.screenshot({ path: join(folder, 'tablecloth-dark.png') });
    await page.keyboard.press(' ');
    await page.waitForFunction(() => globalThis.abut.frame > 2 && globalThis.abut.frame < 30);
    check('it plays', true);
    check(`no errors: ${problems}`, problems.length === 0);
    check(`one request, the file itself: ${requests}`, requests.filter((u) => !u.startsWith('data:') && !u.startsWith('blob:')).length === 1);
    check('below 20 MB', statSync(html).size < 20e6);
    await context.close();
}

async function phone() {
    const { page, problems, context } = await open(join(folder, 'tablecloth.html'),
        { viewport: { width: 390, height: 780 }, isMobile: true, hasTouch: true });
    check('nothing is wider than the screen', await page.evaluate(() => document.documentElement.scrollWidth <= 390));
    await page.locator('#panel-toggle').tap();
    check('details open', await page.locator('#panel').isVisible());
    await page.screenshot({ path: join(folder, 'phone.png') });
    check(`no errors: ${problems}`, problems.length === 0);
    await context.close();
}

// a sequence whose triangles change, with a name that would end the page's elements
async function sequence() {
    const name = '</script><b>x';
    const files = join(folder, 'steps');
    mkdirSync(files, { recursive: true });
    for (let f = 0; f < 3; ++f) {
        const z = 0.5 - 0.5 * f;
        const extra = f === 2 ? 'v 5 5 5\nv 6 5 5\nv 5 6 5\nf 7 8 9\n' : '';
        writeFileSync(join(files, `s_${f}.obj`),
            `v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0.2 0.2 ${z}\nv 0.3 0.2 ${z + 1}\nv 0.2 0.3 ${z + 1}\n${extra}f 1 2 3\nf 4 5 6\n`);
    }
    writeFileSync(join(folder, 'x.obj'), 'v 9 9 9\nv 10 9 9\nv 9 10 9\nf 1 2 3\n');
    const html = join(folder, 'sequence.html');
    run(['check', join(files, 's_*.obj'), join(folder, 'x.obj'), '--html', html]);
    const text = readFileSync(html, 'utf8');
    writeFileSync(html, text.replaceAll('"x.obj"', JSON.stringify(name).replaceAll('<', '\\u003c')));
    const { page, problems, context } = await open(html);
    const counts = await page.evaluate(() => globalThis.abut.timeline.counts.map((c) => c.self));
    assert.deepEqual(counts, [0, 1, 1]);
    for (const f of [0, 1, 2]) {
        await show(page, f);
    }
    const triangles = await page.evaluate(() => globalThis.abut.stage.bodies[0].index.length / 3);
    check('the last frame has its own triangles', triangles === 3);
    const z = await page.evaluate(() => globalThis.abut.stage.bodies[0].positions[11] + globalThis.abut.data.origin[2]);
    check(`positions are right: ${z}`, Math.abs(z + 0.5) < 1e-3);
    check('a name is text', (await page.locator('#bodies').innerText()).includes(name));
    check(`no errors: ${problems}`, problems.length === 0);
    await context.close();
}

await tablecloth();
await phone();
await sequence();
// in the third bodies vanish and appear, in the fourth depths are asked for
for (const scene of ['ring', 'curtain', 'breaking', 'combs']) {
    const { problems, context } = await scenePage(scene, [scene, '--triangles', '4000', '--frames', '12', '--between']);
    check(`no errors: ${problems}`, problems.length === 0);
    await context.close();
}
await browser.close();
console.log(`${passed} checks passed`);
