// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Clicks on events, contours and surfaces of reports in a real browser, and reads what the page says then. Bodies of
// known size at known places, the JSON and 'abut closest' are the oracles.
//
//     node picks.mjs ABUT NODE_MODULES FOLDER_FOR_SCREENSHOTS [PART...]
//
// Parts are the names of functions below; without a PART all are tested.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { abut, box, check, equal, folder, open, run, runParts, show, text } from './support.mjs';

const put = (name, model) => writeFileSync(join(folder, name), model);
const read = (name) => JSON.parse(readFileSync(join(folder, name), 'utf8'));
const close = (x, y, error = 1e-6) => Math.abs(x - y) <= error * (1 + Math.abs(y));

// two meshes as one
function joined(first, second) {
    const count = first.split('\n').filter((line) => line.startsWith('v ')).length;
    return first + second.replace(/^f (.*)$/gm, (_, corners) => `f ${corners.split(' ').map((c) => Number(c) + count).join(' ')}`);
}

// How deep the two legs of a body stand in a plate, by frame. One leg leaves the plate in frame 3, and comes back.
const DEEP = [[-0.2, 0.05], [0.1, 0.1], [0.2, 0.15], [0.3, -0.2], [0.1, 0.12]];

function makeModels() {
    mkdirSync(join(folder, 'legs'), { recursive: true });
    DEEP.forEach(([one, other], f) => put(`legs/l_${f}.obj`, joined(box([1, 1, 1 - one], [2, 2, 3], 3), box([4, 4, 1 - other], [5.5, 5.5, 3], 4))));
    put('plate.obj', box([0, 0, 0], [6, 6, 1], 14));
    put('big.obj', box([0, 0, 0], [2, 2, 2], 3));
    put('open.obj', box([1.03, 0.31, 0.33], [3, 1.7, 1.74], 3, 1));
    put('sheet.obj', 'v -1 0.5 1.1\nv 1 0.5 1.1\nv 1 1.6 1.1\nv -1 1.6 1.1\nf 1 2 3\nf 1 3 4\n');
    put('apart.obj', box([3.4, 0.3, 0.3], [4, 1.7, 1.7], 3));
}

const camera = (page) => page.evaluate(() => {
    const { stage, data } = globalThis.abut;
    return { ...stage.camera.place, target: stage.camera.target.map((x, d) => x + data.origin[d]) };
});
const chosen = (page) => page.evaluate(() => globalThis.abut.event);
// the triangles that a flight shows, by body, each by its middle
const outlined = (page) => page.evaluate(() => {
    const { stage, data } = globalThis.abut;
    return stage.focus.triangles.map(([body, triangle]) => [body, ...[0, 1, 2].map((d) => data.origin[d]
        + stage.bodies[body].corners(triangle).reduce((sum, p) => sum + p[d] / 3, 0))]);
});

// ---- events

// the list agrees with how the bodies were made, and with the JSON
async function events() {
    run(['check', 'legs', 'plate.obj', '--between', '--events', '--html', 'legs.html', '--json', 'legs.json']);
    const { page, done } = await open('legs.html');
    const [answer] = read('legs.json').events;
    const listed = await page.evaluate(() => globalThis.abut.data.events);
    equal('one event', [listed.length, read('legs.json').events.length, await page.locator('#events > li').count()], [1, 1, 1]);
    const [event] = listed;
    equal('as in the JSON', ['a', 'b', 'kind', 'first', 'last', 'worst', 'depth', 'pairs', 'place'].map((key) => event[key]),
        ['a', 'b', 'kind', 'first', 'last', 'worst', 'depth', 'pairs', 'place'].map((key) => answer[key]));
    const patches = event.patches.map((p) => [p.first, p.last, p.worst, Number(p.depth.toFixed(9))]);
    equal('patches, the worst first', patches, [[1, 4, 3, 0.3], [0, 2, 2, 0.15], [4, 4, 4, 0.12]]);
    const across = event.patches.map((p) => p.size);
    check(`their sizes: ${across}`, [Math.SQRT2, 1.5 * Math.SQRT2, 1.5 * Math.SQRT2].every((size, i) => close(across[i], size)));
    const row = await text(page, 'events');
    check(`the row: ${row}`, ['legs and plate.obj', 'depth 0.3', 'frames 0 to 4, worst 3', '3 patches'].every((part) => row.includes(part)));
    // a click leads to the worst frame and its place
    const before = await camera(page);
    await page.locator('#events .pick').first().click();
    await page.waitForSelector('html[data-frame="3"]');
    await page.waitForFunction(() => globalThis.abut.stage.focus);
    const there = await camera(page);
    check(`the camera looks at the deepest leg: ${there.target}, ${there.distance} of ${before.distance}`,
        Math.hypot(there.target[0] - 1.5, there.target[1] - 1.5, there.target[2] - 1) < 0.6 && there.distance < 0.7 * before.distance);
    equal('it is marked', await page.locator('#events .pick').first().getAttribute('aria-current'), 'true');
    await page.locator('#events .expand').click();
    await page.locator('#events .triangles button').nth(1).click();
    await page.waitForSelector('html[data-frame="2"]');
    await page.waitForFunction(() => globalThis.abut.event.patch === 1 && globalThis.abut.stage.focus);
    const around = await outlined(page);
    check(`only this patch is outlined: ${around.length}`, around.length > 8 && around.every(([, x, y]) => x > 3 && y > 3));
    await page.screenshot({ path: join(folder, 'event.png') });
    await done();
}

// Patches are what pairs connect: a search over the pairs of the JSON finds the same.
async function patches() {
    const sheet = (n, height) => {
        const spots = Array.from({ length: (n + 1) ** 2 }, (_, i) => [(4 * (i % (n + 1))) / n, (4 * Math.floor(i / (n + 1))) / n]);
        const cells = spots.map((_, i) => i).filter((i) => i % (n + 1) < n && i < n * (n + 1));
        return spots.map(([x, y]) => `v ${x} ${y} ${height(x, y)}\n`).join('')
            + cells.map((i) => `f ${i + 1} ${i + 2} ${i + n + 3}\nf ${i + 1} ${i + n + 3} ${i + n + 2}\n`).join('');
    };
    put('wave.obj', sheet(24, (x, y) => 0.4 * Math.sin(3.1 * x) * Math.cos(0.2 * y) + 0.05));
    put('flat.obj', sheet(17, (x) => 0.013 * x));
    run(['check', 'wave.obj', 'flat.obj', '--between', '--html', 'patches.html', '--json', 'patches.json', '--pairs']);
    const [{ list }] = read('patches.json').frames[0].between;
    const left = new Set(list.map((_, k) => k));
    const expected = [];
    while (left.size > 0) {
        const found = [[...left][0]];
        left.delete(found[0]);
        for (const k of found) {
            for (const other of left) {
                if (list[other][0] === list[k][0] || list[other][1] === list[k][1]) {
                    left.delete(other);
                    found.push(other);
                }
            }
        }
        const triangles = [0, 1].reduce((sum, side) => sum + new Set(found.map((k) => list[k][side])).size, 0);
        expected.push(`${found.length} pairs, ${triangles} triangles`);
    }
    const { page, done } = await open('patches.html');
    const [event] = await page.evaluate(() => globalThis.abut.data.events);
    check(`several patches: ${expected}`, expected.length >= 3 && expected.length <= 8);
    equal('patches', event.patches.map((p) => `${p.pairs} pairs, ${p.triangles} triangles`).sort(), expected.sort());
    equal('all are listed', event.all, expected.length);
    await done();
}

// the address holds frame, event and camera
async function address() {
    const { page, done } = await open('legs.html');
    await page.locator('#events .expand').click();
    await page.locator('#events .triangles button').nth(1).click();
    await page.waitForFunction(() => globalThis.abut.event.patch === 1 && globalThis.abut.stage.focus);
    await page.keyboard.press('Shift+ArrowRight');
    await page.waitForTimeout(600);
    const hash = await page.evaluate(() => location.hash);
    check(`the address: ${hash}`, hash.startsWith('#frame=2&event=1.2&up='));
    const [place, triangles] = [await camera(page), await outlined(page)];
    await page.goto('about:blank');
    await done();
    const again = await open(`legs.html${hash}`);
    equal('a link leads to the event', [await chosen(again.page), await again.page.evaluate(() => globalThis.abut.frame)], [{ event: 0, patch: 1 }, 2]);
    equal('its patch is outlined', await outlined(again.page), triangles);
    const there = await camera(again.page);
    check('and to the view', there.away.every((x, d) => close(x, place.away[d], 1e-5)) && close(there.distance, place.distance, 1e-5));
    await again.page.keyboard.press('Escape');
    equal('Esc leaves it', await chosen(again.page), {});
    await again.page.waitForFunction(() => !location.hash.includes('event'));
    await again.page.evaluate(() => { location.hash = '#event=1'; });
    await again.page.waitForFunction(() => globalThis.abut.event.event === 0);
    equal('an event alone is an address', await again.page.evaluate(() => globalThis.abut.frame), 3);
    await again.page.goto('about:blank');
    const wrong = await open('legs.html#event=99&frame=1');
    equal('an event that is not there does no harm', [await chosen(wrong.page), await wrong.page.evaluate(() => globalThis.abut.frame)], [{}, 1]);
    await wrong.done();
}

// without a mouse: E goes from event to event, Enter presses a row
async function keys() {
    run(['check', 'legs', 'plate.obj', 'big.obj', '--between', '--html', 'three.html', '--json', 'three.json']);
    equal('events only of the page are not in the JSON', Object.hasOwn(read('three.json'), 'events'), false);
    const { page, done } = await open('three.html');
    const count = await page.locator('#events > li').count();
    check(`several events: ${count}`, count >= 2);
    const depths = await page.evaluate(() => globalThis.abut.data.events.map((e) => e.depth));
    check(`the worst first: ${depths}`, depths.every((d, i) => i === 0 || d <= depths[i - 1]));
    const wait = (event) => page.waitForFunction((e) => globalThis.abut.event.event === e, event);
    await page.keyboard.press('e');
    await wait(0);
    await page.keyboard.press('e');
    await wait(1);
    await page.keyboard.press('Shift+E');
    await wait(0);
    await page.keyboard.press('Shift+E');
    await wait(count - 1);
    await page.locator('#events .pick').nth(1).focus();
    await page.keyboard.press('Enter');
    await wait(1);
    await page.keyboard.press('Escape');
    await page.keyboard.press('c');
    await page.waitForSelector('#picked:not([hidden])');
    check('C shows a contour', (await text(page, 'picked-title')).startsWith('Contour of '));
    await page.keyboard.press('Escape');
    check('Esc closes the card', !(await page.locator('#picked').isVisible()));
    await page.evaluate(() => globalThis.abut.showAll());
    await page.keyboard.press('p');
    await page.waitForSelector('#picked:not([hidden])');
    check('P shows what is in the middle', /^(Triangle|Contour)/.test(await text(page, 'picked-title')));
    await page.locator('#picked-close').click();
    check('the cross closes it', !(await page.locator('#picked').isVisible()));
    await done();
}

// the worst events have pictures with contact in red
async function pictures() {
    const { page, done } = await open('three.html');
    const red = await page.evaluate(async () => Promise.all([...document.querySelectorAll('#events img')].map(async (image) => {
        await image.decode();
        const canvas = document.createElement('canvas');
        [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
        const context = canvas.getContext('2d');
        context.drawImage(image, 0, 0);
        const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
        let count = 0;
        for (let i = 0; i < data.length; i += 4) {
            count += data[i] > 130 && data[i + 1] < 80 && data[i + 2] < 90;
        }
        return [canvas.width, canvas.height, count];
    })));
    check(`pictures: ${JSON.stringify(red)}`, red.length >= 2 && red.every(([w, h, n]) => w === 192 && h === 128 && n > 30));
    check('they are small', readFileSync(join(folder, 'three.html'), 'utf8').match(/data:image\/png;base64,[A-Za-z0-9+/=]{100,}/g).every((p) => p.length < 16000));
    await done();
}

// ---- contours

const lengthOf = ({ points, closed }) => points.reduce((sum, p, i) => sum + (i > 0 || closed
    ? Math.hypot(...p.map((x, d) => x - points[(i + points.length - 1) % points.length][d])) : 0), 0);

// A spot of the screen where a contour is, and nothing else is clicked; null if there is none.
const spotOf = (page, n) => page.evaluate((number) => {
    const { stage } = globalThis.abut;
    const { points, closed } = stage.contours[number];
    const count = points.length / 3;
    const canvas = document.getElementById('stage').getBoundingClientRect();
    for (let k = 0; k < count - (closed ? 0 : 1); ++k) {
        const middle = [0, 1, 2].map((d) => (points[3 * k + d] + points[3 * ((k + 1) % count) + d]) / 2);
        const [x, y] = stage.camera.project(middle);
        const marker = stage.marked.some(({ at }) => Math.hypot(...stage.camera.project(at).map((c, d) => c - [x, y][d])) < 20);
        const covered = document.elementFromPoint(x + canvas.x, y + canvas.y)?.id !== 'stage';
        if (!marker && !covered && stage.at([x, y])?.contour === number) {
            return { x: x + canvas.x, y: y + canvas.y, segment: stage.at([x, y]).segment };
        }
    }
    return null;
}, n);

async function contours() {
    run(['check', 'big.obj', 'sheet.obj', 'open.obj', '--between', '--html', 'lines.html', '--json', 'lines.json', '--pairs']);
    const { page, done } = await open('lines.html');
    const [{ contours: expected }] = read('lines.json').frames;
    const shown = await page.evaluate(() => globalThis.abut.stage.contours.map((c) => ({ ...c, points: undefined, pairs: [...c.pairs] })));
    equal('contours as in the JSON', shown.map(({ a, b, closed, ends, pairs }) => ({ a, b, closed, ends, pairs })),
        expected.map(({ a, b, closed, ends, triangles }) => ({ a, b, closed, ends, pairs: triangles.flat() })));
    check('their lengths', shown.every(({ length }, i) => close(length, lengthOf(expected[i]), 1e-6)));
    const names = ['big.obj', 'sheet.obj', 'open.obj'];
    const kinds = new Set();
    let clicked = 0;
    await page.evaluate(() => { globalThis.abut.stage.options.through = true; globalThis.abut.stage.draw(); });
    for (const [n, contour] of expected.entries()) {
        const spot = await spotOf(page, n);
        if (!spot) {
            continue;
        }
        await page.mouse.click(spot.x, spot.y);
        const [title, card] = [await text(page, 'picked-title'), (await text(page, 'picked-rows')).replaceAll('\n', ' ')];
        equal(`contour ${n}: bodies`, title, `Contour of ${names[contour.a]} and ${names[contour.b]}`);
        const parts = [`length ${Number(shown[n].length.toPrecision(4))}`, `segments ${contour.triangles.length}`,
            `triangles of this segment ${contour.triangles[spot.segment].join(' \u00d7 ')}`,
            contour.closed ? 'line closed' : 'line open: ',
            ...(contour.ends.includes('border of a') ? [`at the border of ${names[contour.a]}`] : []),
            ...(contour.ends.includes('border of b') ? [`at the border of ${names[contour.b]}`] : [])];
        check(`contour ${n}: ${card}, not ${parts}`, parts.every((part) => card.includes(part)));
        kinds.add(contour.closed ? 'closed' : contour.ends.join());
        ++clicked;
    }
    check(`contours were clicked: ${clicked}, ${[...kinds]}`, clicked >= 2 && kinds.size >= 2);
    await page.screenshot({ path: join(folder, 'contour.png') });
    // the list of a row leads there, too
    await page.locator('#contacts .expand', { hasText: 'Contours' }).first().click();
    const [first] = await page.locator('#contacts [id^=contours-] button').allInnerTexts();
    await page.locator('#contacts [id^=contours-] button').first().click();
    check(`the list leads to ${first}`, (await text(page, 'picked-rows')).replaceAll('\n', ' ').startsWith(`length ${first.split(' ')[0]} `));
    await page.waitForFunction(() => globalThis.abut.stage.focus);
    await done();
}

// ---- surfaces

// Which triangle is in front at a spot, by corners in the picture: shares no code with the page's rays.
const frontAt = (page, x, y) => page.evaluate(([px, py]) => {
    const { stage } = globalThis.abut;
    let best = null;
    stage.bodies.forEach((surface, body) => {
        for (let t = 0; 3 * t < surface.index.length; ++t) {
            const corners = surface.corners(t);
            const [a, b, c] = corners.map((p) => stage.camera.project(p));
            const turn = (p, q, r) => (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
            const all = turn(a, b, c);
            const weights = [turn(b, c, [px, py]) / all, turn(c, a, [px, py]) / all, turn(a, b, [px, py]) / all];
            // one divided by the distance is linear in the picture
            const near = corners.map((p) => 1 / stage.camera.eye.reduce((sum, e, d) => sum + (e - p[d]) * stage.camera.away[d], 0));
            const at = weights.reduce((sum, w, i) => sum + w * near[i], 0);
            if (Math.min(...weights) > 0.02 && at > (best?.at ?? 0)) {
                best = { at, body, triangle: t, rim: Math.min(...weights) };
            } else if (Math.min(...weights) > -0.02 && at > (best?.at ?? 0) * 0.99) {
                best = { at, rim: 0 }; // too close to an edge to say
            }
        }
    });
    return best;
}, [x, y]);

async function surfaces() {
    run(['check', 'big.obj', 'open.obj', 'apart.obj', '--between', '--html', 'surfaces.html', '--json', 'surfaces.json', '--pairs']);
    const { page, done } = await open('surfaces.html');
    await page.evaluate(() => { globalThis.abut.stage.options.segments = false; globalThis.abut.stage.markers([]); });
    const names = ['big.obj', 'open.obj', 'apart.obj'];
    const touching = new Set(read('surfaces.json').frames[0].between.flatMap(({ a, b, list }) => list.flatMap(([s, t]) => [`${a} ${s}`, `${b} ${t}`])));
    const canvas = await page.locator('#stage').boundingBox();
    const hits = [];
    let seed = 12345;
    const random = () => { seed = (seed * 1103515245 + 12345) % 2147483648; return seed / 2147483648; };
    for (let i = 0; i < 60 && hits.length < 14; ++i) {
        const [x, y] = [20 + 460 * random(), 90 + 330 * random()];
        const front = await frontAt(page, x, y);
        if (front && front.rim === 0) {
            continue;
        }
        if (await page.locator('#picked').isVisible()) {
            await page.locator('#picked-close').click(); // it may lie on the spot
        }
        await page.mouse.click(canvas.x + x, canvas.y + y);
        equal(`seed 12345, click ${i}: there is a surface`, await page.locator('#picked').isVisible(), front !== null);
        if (!front) {
            continue;
        }
        const card = (await text(page, 'picked-rows')).replaceAll('\n', ' ');
        equal(`seed 12345, click ${i}: triangle`, await text(page, 'picked-title'), `Triangle ${front.triangle} of ${names[front.body]}`);
        equal(`seed 12345, click ${i}: touches`, card.includes('touches '), touching.has(`${front.body} ${front.triangle}`));
        const [, point, triangle, other, distance, error] = /point \(([^)]*)\).*closest other surface triangle (\d+) of (\S+) distance (\S+) \u00b1 (\S+)/.exec(card) ?? [];
        hits.push({ body: names[front.body], point, triangle: Number(triangle), other, distance: Number(distance), error: Number(error) });
    }
    check(`surfaces were hit: ${hits.length}`, hits.length >= 10 && new Set(hits.map((h) => h.body)).size >= 2);
    for (const [i, hit] of hits.entries()) {
        put('point.txt', `${hit.point.replaceAll(',', ' ')}\n`);
        const args = ['closest', ...names.filter((name) => name !== hit.body), '--points', 'point.txt', '--json', '-'];
        const { closest: [best] } = JSON.parse(execFileSync(abut, args, { cwd: folder, encoding: 'utf8' }));
        const slack = hit.error + 2e-3; // the card shows the point with four digits
        check(`hit ${i}: ${JSON.stringify(hit)}, and abut closest says ${best.distance}`, Math.abs(best.distance - hit.distance) <= slack);
    }
    check('the card says what its numbers are', (await text(page, 'picked-note')).includes('16 bits'));
    await page.screenshot({ path: join(folder, 'surface.png') });
    await page.mouse.click(canvas.x + 8, canvas.y + 300);
    check('a click beside closes the card', !(await page.locator('#picked').isVisible()));
    await done();
}

// ---- names of strangers

async function hostile() {
    mkdirSync(join(folder, 'names'), { recursive: true });
    const names = ['a</script><img src=x onerror=hacked=1>.obj', 'b"\'`&lt;\n\u202e.obj'];
    put(join('names', names[0].replaceAll('/', '\u2215')), box([0, 0, 0], [2, 2, 2], 2));
    writeFileSync(Buffer.concat([Buffer.from(join(folder, 'names/')), Buffer.from(names[1]), Buffer.from([0xff, 0xc3, 0x28]), Buffer.from('.obj')]),
        box([1, 0.3, 0.3], [3, 1.7, 1.7], 2));
    const shell = 'for f in "$1"/*; do set -- "$@" "$f"; done; shift; exec "$0" check "$@" --between --events --html hostile.html --pictures off';
    try {
        execFileSync('sh', ['-c', shell, abut, 'names'], { cwd: folder, stdio: 'pipe' });
    } catch (error) {
        equal('hostile: exit', [error.status, String(error.stderr)], [1, '']);
    }
    const html = readFileSync(join(folder, 'hostile.html'));
    check('no name is markup', !html.includes('<img src=x') && !html.includes(Buffer.from([0xff, 0xc3, 0x28])));
    const { page, done } = await open('hostile.html');
    const shown = await text(page, 'events');
    check(`names are text: ${shown}`, shown.includes('<img src=x onerror=hacked=1>'));
    await page.locator('#events .pick').first().click();
    await page.waitForFunction(() => globalThis.abut.event.event === 0);
    await page.keyboard.press('c');
    check('in a card, too', (await text(page, 'picked-title')).includes('<img src=x'));
    equal('nothing ran', await page.evaluate(() => [globalThis.hacked ?? null, document.querySelectorAll('img[src="x"]').length]), [null, 0]);
    await page.screenshot({ path: join(folder, 'hostile.png') });
    await done();
}

// ---- a phone

async function phone() {
    const { page, done } = await open('legs.html', { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true });
    await page.locator('#panel-toggle').tap();
    await page.locator('#events .pick').first().tap();
    await page.waitForFunction(() => globalThis.abut.event.event === 0);
    check('nothing is wider than the screen', await page.evaluate(() => document.documentElement.scrollWidth <= 360));
    await page.screenshot({ path: join(folder, 'phone-event.png') });
    await page.keyboard.press('p');
    await page.waitForSelector('#picked:not([hidden])');
    const [card, bar] = [await page.locator('#picked').boundingBox(), await page.locator('nav').boundingBox()];
    check('the card is above the bar', card.x >= 0 && card.x + card.width <= 360 && card.y + card.height <= bar.y && card.y > 300);
    check('the panel makes room for it', !(await page.locator('#panel').isVisible()));
    await page.screenshot({ path: join(folder, 'phone-card.png') });
    await done();
}

makeModels();
await runParts([events, patches, address, keys, pictures, contours, surfaces, hostile, phone]);
