// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Takes a picture of a report as it opens, or in another frame:
//
//     node shoot.mjs NODE_MODULES REPORT.html PICTURE.png [FRAME] [light|dark]
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const [modules, page, picture] = process.argv.slice(2, 5).map((path) => resolve(path));
const [frame = '', theme = 'light'] = process.argv.slice(5);
const { chromium } = createRequire(join(modules, 'here.js'))('playwright-core');
const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) => existsSync(path));
const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--enable-unsafe-swiftshader', '--disable-background-networking'],
});
const view = await browser.newPage({ viewport: { width: 1100, height: 660 }, colorScheme: theme });
await view.goto(`file://${page}`);
await view.waitForSelector('html[data-ready=yes]', { timeout: 60000 });
if (frame !== '') {
    await view.evaluate((f) => globalThis.abut.go(f), Number(frame));
    await view.waitForSelector(`html[data-frame="${frame}"]`);
}
await view.screenshot({ path: picture });
await browser.close();
