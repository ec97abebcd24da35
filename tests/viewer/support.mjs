// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Shared by the tests of the report in a browser: running the command, opening pages, and checks that go on after a
// failure. The arguments are those of the tests: ABUT NODE_MODULES FOLDER_FOR_SCREENSHOTS [PART...].
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const [command, modules, target] = process.argv.slice(2, 5).map((path) => resolve(path));
const wanted = process.argv.slice(5);
export const abut = command;
export const folder = target;

function skip(why) {
    console.log(`skipped: ${why}`);
    process.exit(77);
}

function playwright() {
    try {
        return createRequire(join(modules, 'here.js'))('playwright-core');
    } catch {
        return skip(`playwright-core is not in ${modules}: tests/viewer/modules fetches it`);
    }
}

const browsers = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const executablePath = browsers.find((path) => existsSync(path)) ?? skip('there is no Chromium: apt-get install chromium');
const browser = await playwright().chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--enable-unsafe-swiftshader', '--disable-background-networking'],
});
mkdirSync(folder, { recursive: true });
let passed = 0;
let failed = 0;

// continues after a failure, so that one run reports all
export function check(what, condition) {
    if (condition) {
        ++passed;
    } else {
        ++failed;
        console.log(`FAILED: ${what}`);
    }
}

export function equal(what, found, expected) {
    check(`${what}: ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`, JSON.stringify(found) === JSON.stringify(expected));
}

// exit codes 0 and 1 are answers
export function run(args, { cwd = folder, env = {} } = {}) {
    try {
        execFileSync(abut, args, { stdio: 'pipe', cwd, env: { ...process.env, ...env } });
        return 0;
    } catch (error) {
        if (error.status !== 1) {
            throw new Error(`abut ${args.join(' ')}: ${error.stderr}`);
        }
        return 1;
    }
}

let desk = null; // one page for all that is looked at on a desk: a new one for each takes longer

export async function open(file, options) {
    const settings = { viewport: { width: 800, height: 560 }, offline: true, reducedMotion: 'reduce', ...options };
    const page = (!options && desk) || await (await browser.newContext(settings)).newPage();
    desk = options ? desk : page;
    const problems = [];
    const requests = [];
    page.setDefaultTimeout(120000); // a busy machine draws slowly
    page.removeAllListeners();
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('request', (request) => requests.push(request.url()));
    await page.goto(`file://${join(folder, file)}`);
    await page.waitForSelector('html[data-ready=yes]');
    const done = async () => {
        equal(`${file}: errors`, problems, []);
        await (options && page.context().close());
    };
    return { page, problems, requests, done };
}

// ---- what a page shows

export const show = async (page, frame) => {
    await page.evaluate((f) => globalThis.abut.go(f), frame);
    await page.waitForSelector(`html[data-frame="${frame}"]`);
};
export const text = (page, id) => page.locator(`#${id}`).innerText();

// ---- models and parts

// a box of n x n squares a side, as OBJ; without the side `without`
export function box(low, high, n, without) {
    const points = [];
    const number = new Map();
    const faces = [];
    const corner = (p) => {
        const key = p.map((x) => x.toFixed(9)).join();
        if (!number.has(key)) {
            number.set(key, points.push(p));
        }
        return number.get(key);
    };
    for (let side = 0; side < 6; ++side) {
        const axis = side >> 1;
        const at = (s, t) => {
            const p = [0, 0, 0];
            p[axis] = side & 1 ? high[axis] : low[axis];
            // the other axes change places on the lower side, so that all normals point outwards
            const [u, v] = side & 1 ? [(axis + 1) % 3, (axis + 2) % 3] : [(axis + 2) % 3, (axis + 1) % 3];
            p[u] = low[u] + (s / n) * (high[u] - low[u]);
            p[v] = low[v] + (t / n) * (high[v] - low[v]);
            return corner(p);
        };
        for (let s = 0; s < n && side !== without; ++s) {
            for (let t = 0; t < n; ++t) {
                const [a, b, c, d] = [at(s, t), at(s + 1, t), at(s + 1, t + 1), at(s, t + 1)];
                faces.push([a, b, c], [a, c, d]);
            }
        }
    }
    return `${points.map((p) => `v ${p.join(' ')}\n`).join('')}${faces.map((f) => `f ${f.join(' ')}\n`).join('')}`;
}

// runs the parts that were asked for, prints the result, and sets the exit code
export async function runParts(parts) {
    for (const part of parts.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
        try {
            await part();
        } catch (error) {
            check(`${part.name}: ${error.message}`, false);
        }
    }
    await browser.close();
    console.log(`${passed} checks passed, ${failed} failed`);
    process.exitCode = failed > 0 ? 1 : 0;
}
