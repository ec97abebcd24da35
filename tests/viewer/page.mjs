// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Opens reports in a real browser. They draw, the picture follows the frame, the page agrees with
// the JSON, it works by keyboard and on a phone, and nothing is fetched or fails.
//
//     node page.mjs ABUT NODE_MODULES FOLDER_FOR_SCREENSHOTS [PART...]
//
// Parts are the names of functions below; without a PART all are tested.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { box, check, equal, folder, open, run, runParts, show, text } from './support.mjs';

// the drawn picture, without the elements that lie on it
const picture = async (page) => createHash('sha1').update(await page.evaluate(() => {
    globalThis.abut.stage.draw();
    return document.getElementById('stage').toDataURL();
})).digest('hex');
const pairsOf = (list) => (list ?? []).reduce((sum, entry) => sum + entry.pairs, 0);
const regionsOf = (list) => (list ?? []).reduce((sum, entry) => sum + entry.regions.length, 0);
const sweptOf = (list) => (list ?? []).reduce((sum, entry) => sum + entry.vertex_face + entry.edge_edge, 0);

// ---- models

function makeModels() {
    const put = (name, model) => writeFileSync(join(folder, name), model);
    put('big.obj', box([0, 0, 0], [2, 2, 2], 3));
    put('fine.obj', box([0, 0, 0], [2, 2, 2], 9));
    put('small.obj', box([0.8, 0.8, 0.8], [1.2, 1.2, 1.2], 2));
    put('open.obj', box([1, 0.3, 0.3], [3, 1.7, 1.7], 3, 1));
    put('cut.obj', box([1, 0.3, 0.3], [3, 1.7, 1.7], 3));
    put('apart.obj', box([3, 0.3, 0.3], [4, 1.7, 1.7], 3));
    put('wall.obj', box([0.35, 0, 0], [0.42, 2, 2], 3));
    mkdirSync(join(folder, 'fly'), { recursive: true });
    for (let f = 0; f < 6; ++f) {
        put(`fly/f_${40 + 10 * f}.obj`, box([-3 + 1.3 * f, 0.7, 0.75], [-2.5 + 1.3 * f, 1.2, 1.25], 2));
    }
    // the box comes near, goes in and grows, has most contacts in frame 6, and leaves again
    mkdirSync(join(folder, 'dive'), { recursive: true });
    for (let f = 0; f < 12; ++f) {
        const x = 1.2 + 0.25 * Math.abs(f - 6);
        const half = 0.7 - 0.1 * Math.abs(f - 6);
        put(`dive/d_${String(f).padStart(2, '0')}.obj`, box([x, 1.01 - half, 1.02 - half], [x + 1, 1.01 + half, 1.02 + half], 4));
    }
}

// ---- parts

// a scene: the page says the same as the JSON
async function scenePage(name, args) {
    run(['demo', ...args, '--html', `${name}.html`, '--json', `${name}.json`]);
    const answer = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));
    const opened = await open(`${name}.html`);
    const { page } = opened;
    const counts = await page.evaluate(() => globalThis.abut.timeline.counts);
    equal(`${name}: between`, counts.map((c) => c.between), answer.frames.map((f) => pairsOf(f.between)));
    equal(`${name}: within`, counts.map((c) => c.self), answer.frames.map((f) => pairsOf(f.self)));
    equal(`${name}: regions`, counts.map((c) => c.depth), answer.frames.map((f) => regionsOf(f.depth)));
    const touching = counts.filter((c) => Object.values(c).some((n) => n > 0)).length;
    check(`${name}: the verdict counts frames`, (await text(page, 'verdict')).includes(
        touching > 0 ? `in ${touching} of ${counts.length} frames` : `in any of ${counts.length} frames`));
    await show(page, 0);
    const first = await picture(page);
    await show(page, counts.length - 1);
    await page.screenshot({ path: join(folder, `${name}.png`) });
    check(`${name}: the picture follows the frame`, first !== await picture(page));
    await show(page, 0);
    check(`${name}: a frame looks the same again`, first === await picture(page));
    return { ...opened, answer, counts };
}

async function tablecloth() {
    const { page, requests, counts, done } = await scenePage('tablecloth', ['tablecloth', '--triangles', '3000', '--frames', '24']);
    const before = await picture(page);
    await page.locator('#level').fill('2');
    check('boxes show', (await picture(page)) !== before);
    await page.locator('#level').fill('-1');
    await page.locator('body').press('n');
    const touching = counts.findIndex((c, f) => f > 0 && c.between + c.self > 0);
    await page.waitForSelector(`html[data-frame="${touching}"]`);
    const bar = await page.locator('#timeline').boundingBox();
    await page.mouse.click(bar.x + bar.width * 0.999, bar.y + bar.height / 2);
    await page.waitForSelector(`html[data-frame="${counts.length - 1}"]`);
    await page.keyboard.press('d');
    equal('dark', await page.locator('html').getAttribute('data-theme'), 'dark');
    await page.screenshot({ path: join(folder, 'tablecloth-dark.png') });
    equal('requests, but for the file itself', requests.filter((u) => !u.startsWith('data:') && !u.startsWith('blob:')).length, 1);
    check('below 5 MB', statSync(join(folder, 'tablecloth.html')).size < 5e6);
    await done();
}

// Space acts on the focused element and plays only if there is none; Play comes first
async function keyboard() {
    const { page, done } = await open('tablecloth.html');
    const playing = () => page.evaluate(() => globalThis.abut.playing);
    const focus = () => page.evaluate(() => document.activeElement.id);
    await page.keyboard.press('Tab');
    equal('first in the tab order', await focus(), 'play');
    await page.keyboard.press('Space');
    equal('Space on Play plays', await playing(), true);
    equal('Play is pressed', await page.locator('#play').getAttribute('aria-pressed'), 'true');
    await page.waitForFunction((f) => globalThis.abut.frame !== f, await page.evaluate(() => globalThis.abut.frame));
    await page.keyboard.press('Space');
    equal('and pauses', await playing(), false);
    await page.locator('#show-edges').focus();
    await page.keyboard.press('Space');
    equal('Space ticks a box', await page.locator('#show-edges').isChecked(), true);
    equal('and does not play', await playing(), false);
    await page.locator('#theme').focus();
    await page.keyboard.press('Space');
    equal('Space presses a button', await page.locator('#theme').getAttribute('aria-pressed'), 'true');
    equal('and does not play either', await playing(), false);
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press('Space');
    equal('Space plays if nothing has the focus', await playing(), true);
    await page.keyboard.press('Space');
    await show(page, 3);
    await page.locator('#timeline').focus();
    await page.keyboard.press('ArrowRight');
    await page.waitForSelector('html[data-frame="4"]');
    check('the slider shows the frame', /^frame 4, 5 of 24; .+/.test(await page.locator('#timeline').getAttribute('aria-valuetext')));
    check('screen readers get the frame, too', (await page.locator('#status[aria-live=polite]').textContent()).startsWith('frame 4,'));
    equal('details are open', await page.locator('#panel-toggle').getAttribute('aria-expanded'), 'true');
    await page.keyboard.press('i');
    equal('details are closed', await page.locator('#panel-toggle').getAttribute('aria-expanded'), 'false');
    check('a closed panel is invisible', !(await page.locator('#panel').isVisible()));
    equal('Z up', [await text(page, 'up'), await page.locator('#up').getAttribute('aria-pressed')], ['Z up', 'true']);
    await page.keyboard.press('u');
    equal('Y up', await page.locator('#up').getAttribute('aria-pressed'), 'false');
    await page.keyboard.press('?');
    check('? shows the keys', await page.locator('#keys').isVisible() && (await text(page, 'keys')).includes('next contact'));
    await page.keyboard.press('n');
    equal('keys rest while they are explained', await page.evaluate(() => globalThis.abut.frame), 4);
    await page.keyboard.press('Escape');
    check('Esc closes it', !(await page.locator('#keys').isVisible()));
    await done();
}

// the address holds the frame and the view: a page opened with it shows the same; a wrong one does no harm
async function address() {
    const { page, done } = await open('tablecloth.html');
    await show(page, 5);
    await page.keyboard.press('Shift+ArrowRight');
    await page.waitForFunction(() => location.hash.startsWith('#frame=5&'));
    await page.waitForTimeout(600);
    const hash = await page.evaluate(() => location.hash);
    const place = await page.evaluate(() => globalThis.abut.stage.camera.place);
    await done();
    await page.goto('about:blank');
    const again = await open(`tablecloth.html${hash}`);
    equal('the frame of a link', await again.page.evaluate(() => globalThis.abut.frame), 5);
    const there = await again.page.evaluate(() => globalThis.abut.stage.camera.place);
    const off = Math.hypot(...place.away.map((x, d) => x - there.away[d])) + Math.abs(place.distance / there.distance - 1);
    check(`the view of a link: ${off}`, off < 1e-5);
    await again.page.evaluate(() => { location.hash = '#frame=7'; });
    await again.page.waitForFunction(() => globalThis.abut.frame === 7);
    await again.done();
    await page.goto('about:blank');
    const wrong = await open('tablecloth.html#frame=99999&target=a,b&away=0,0,0&distance=-1&up=x&time=7');
    equal('a wrong link shows the worst frame', await wrong.page.evaluate(() => globalThis.abut.frame === globalThis.abut.data.info.worst), true);
    await wrong.done();
}

// one row for each two bodies; a click flies there, Esc flies back; a marker for each
async function rows() {
    const { page, done } = await scenePage('ring', ['ring', '--triangles', '6000', '--frames', '12', '--between']);
    const frame = await page.evaluate(() => globalThis.abut.data.info.worst);
    await show(page, frame);
    const found = await page.evaluate((f) => globalThis.abut.data.frames[f].found.filter((x) => x.pairs), frame);
    const picks = page.locator('#contacts > li > .pick');
    equal('rows', await picks.count(), found.length);
    equal('counts', (await page.locator('#contacts .count').allInnerTexts()).map((t) => Number(t.replace(',', ''))),
        found.map((x) => x.pairs).sort((x, y) => y - x));
    const markers = await page.evaluate(() => globalThis.abut.stage.marked.length);
    equal('markers', markers, found.length);
    const before = await picture(page);
    await picks.first().click();
    await page.waitForSelector('#fly-back:not([hidden])');
    equal('the row is marked', await picks.first().getAttribute('aria-current'), 'true');
    check('a click flies there', (await picture(page)) !== before);
    await page.screenshot({ path: join(folder, 'ring-near.png') });
    await page.keyboard.press('Escape');
    await page.waitForSelector('#fly-back[hidden]', { state: 'attached' });
    check('Esc flies back', (await picture(page)) === before);
    const expand = page.locator('#contacts .expand').first();
    await expand.click();
    equal('the row is open', await expand.getAttribute('aria-expanded'), 'true');
    const listed = await page.locator('#contacts .triangles').first().locator('button').count();
    check(`triangles are listed: ${listed}`, listed > 0 && listed <= 60);
    const most = Math.max(...found.map((x) => x.pairs));
    if (most > listed) {
        check('the page says that the list is cut', (await page.locator('#contacts .triangles').first().innerText()).includes(`The first ${listed} of ${most}`));
    }
    await done();
}

// numbers below the bars, the text of tips, the legend of colours
async function timeline() {
    const { page, done } = await open('tablecloth.html');
    const kinds = await page.evaluate(() => globalThis.abut.data.kinds.map((k) => k.name));
    equal('the legend names each kind', (await page.locator('#legend li').allInnerTexts()).map((t) => t.trim()), kinds);
    check('frames have numbers', await page.evaluate(() => globalThis.abut.timeline.ticks) >= 5);
    const bar = await page.locator('#timeline').boundingBox();
    const last = await page.evaluate(() => globalThis.abut.data.frames.length - 1);
    await page.mouse.move(bar.x + bar.width * 0.999, bar.y + bar.height / 2);
    check('hovering shows a tip', await page.locator('#tip').isVisible());
    const tip = await text(page, 'tip');
    const count = await page.evaluate((f) => globalThis.abut.data.counts(f).between, last);
    check(`the tip shows the frame and its contents: ${tip}`, tip.includes(`Frame ${last}`) && tip.includes(count.toLocaleString('en')));
    const box = await page.locator('#tip').boundingBox();
    check('the tip is on the screen', box.x >= 0 && box.x + box.width <= 800);
    await done();
}

async function phone() {
    const { page, done } = await open('tablecloth.html', { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true });
    check('nothing is wider than the screen', await page.evaluate(() => document.documentElement.scrollWidth <= 360));
    check('details are closed at first', !(await page.locator('#panel').isVisible()));
    await page.screenshot({ path: join(folder, 'phone.png') });
    await page.locator('#panel-toggle').tap();
    check('details open', await page.locator('#panel').isVisible());
    const boxes = {};
    for (const id of ['header', '#tools', '#panel', 'nav', '#next-contact']) {
        boxes[id] = await page.locator(id).boundingBox();
    }
    const bottom = (b) => b.y + b.height;
    check('next contact stays', boxes['#next-contact'] && boxes['#next-contact'].width > 60 && bottom(boxes['#next-contact']) <= 740);
    check('the panel is above the bar', bottom(boxes['#panel']) <= boxes.nav.y);
    const free = boxes['#panel'].y - bottom(boxes.header);
    check(`the model has room: ${free} of 740`, free >= 0.25 * 740);
    check('buttons are large enough', await page.evaluate(() => [...document.querySelectorAll('#tools button:not([hidden]), nav button')]
        .every((b) => b.getBoundingClientRect().height >= 30 && b.scrollWidth <= b.clientWidth + 1)));
    await page.screenshot({ path: join(folder, 'phone-details.png') });
    await done();
}

// Each text has a contrast of 4.5 with its background, and the background is opaque: never the
// picture.
async function contrast() {
    const { page, done } = await open('tablecloth.html');
    await page.locator('#contacts .expand').first().click();
    await page.evaluate(() => document.getElementById('keys').show());
    for (const theme of ['light', 'dark']) {
        await page.evaluate((wanted) => {
            if (document.documentElement.dataset.theme !== wanted) {
                document.getElementById('theme').click();
            }
        }, theme);
        const bad = await page.evaluate(() => {
            const parse = (c) => (c.match(/[\d.]+/g) ?? []).map(Number);
            const light = (rgb) => rgb.slice(0, 3).map((x) => x / 255).map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4))
                .reduce((n, x, i) => n + x * [0.2126, 0.7152, 0.0722][i], 0);
            const ground = (e) => {
                for (let at = e; at && at.id !== 'stage' && at.tagName !== 'MAIN'; at = at.parentElement) {
                    const colour = parse(getComputedStyle(at).backgroundColor);
                    if (colour.length === 3 || colour[3] === 1) {
                        return colour;
                    }
                    if (colour[3] > 0) {
                        return null; // the picture shines through
                    }
                }
                return null;
            };
            const out = [];
            const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
            for (let node = walker.nextNode(); node; node = walker.nextNode()) {
                const e = node.parentElement;
                if (node.textContent.trim() === '' || !e.checkVisibility() || e.classList.contains('unseen')) {
                    continue;
                }
                const behind = ground(e);
                const [x, y] = [light(parse(getComputedStyle(e).color)), behind ? light(behind) : 0];
                const ratio = behind ? (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05) : 0;
                if (ratio < 4.5) {
                    out.push(`${node.textContent.trim().slice(0, 30)}: ${ratio.toFixed(2)}`);
                }
            }
            // texts on the timeline
            const style = getComputedStyle(document.documentElement);
            const hex = (name) => style.getPropertyValue(name).trim().match(/[0-9a-f]{2}/gi).map((h) => parseInt(h, 16));
            const [x, y] = [light(hex('--faint')), light(hex('--card'))];
            if ((Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05) < 4.5) {
                out.push('numbers of the timeline');
            }
            return out;
        });
        equal(`texts of too little contrast, ${theme}`, bad, []);
    }
    await done();
}

// The page's text for contacts that are no pairs of triangles. The exit code agrees.
async function verdicts() {
    const cases = [
        { name: 'inside', args: ['big.obj', 'small.obj'], exit: 0, verdict: 'No surfaces touch; small.obj is inside big.obj', row: 'no surfaces touch; small.obj is inside big.obj', stops: 0 },
        { name: 'open', args: ['open.obj', 'big.obj', '--depth'], exit: 1, verdict: 'Contact', remark: 'open.obj is open (12 boundary edges)', row: 'pairs of triangles touch', stops: 1 },
        { name: 'depth', args: ['cut.obj', 'big.obj', '--depth'], exit: 1, verdict: 'Contact', row: 'inside each other in 1 place, at most', stops: 1 },
        { name: 'nearest', args: ['big.obj', 'apart.obj', '--nearest'], exit: 0, verdict: 'Nothing touches', row: '1 apart', stops: 0 },
        { name: 'zero', args: ['big.obj', 'cut.obj', '--nearest'], exit: 1, verdict: 'Contact', row: 'distance 0', stops: 1 },
        { name: 'within', args: ['big.obj', 'apart.obj', '--within', '1.5'], exit: 1, verdict: 'Within the distance', row: '1 apart', stops: 1 },
        { name: 'free', args: ['big.obj', 'apart.obj'], exit: 0, verdict: 'Nothing touches', stops: 0 },
    ];
    for (const { name, args, exit, verdict, remark, row, stops } of cases) {
        equal(`${name}: exit`, run(['check', ...args, '--html', `${name}.html`]), exit);
        const { page, done } = await open(`${name}.html`);
        const said = await text(page, 'verdict');
        check(`${name}: verdict '${said}'`, said.startsWith(verdict));
        check(`${name}: remark`, !remark || (await text(page, 'remarks')).includes(remark));
        const list = await text(page, 'contacts');
        check(`${name}: row '${list}'`, row ? list.includes(row) : list === '');
        check(`${name}: 'Nothing touches' is where nothing is`, (await text(page, 'contacts-note')).includes('Nothing touches') === !row);
        equal(`${name}: stops`, await page.evaluate(() => globalThis.abut.stops.length), stops);
        equal(`${name}: next contact`, await page.locator('#next-contact').isDisabled(), stops === 0);
        const counted = await page.evaluate(() => globalThis.abut.timeline.sums[0]);
        check(`${name}: the timeline counts it: ${counted}`, (counted > 0) === (stops > 0 || name === 'inside'));
        equal(`${name}: what is inside is seen`, await page.locator('#see-through').isChecked(), name === 'inside');
        const markers = await page.evaluate(() => globalThis.abut.stage.marked.length);
        equal(`${name}: markers`, markers, row ? 1 : 0);
        await page.screenshot({ path: join(folder, `${name}.png`) });
        await done();
    }
}

// swept contacts, at their time, in frames with the numbers of their files
async function sweep() {
    equal('sweep: exit', run(['check', 'fly', 'wall.obj', '--sweep', '--html', 'sweep.html', '--json', 'sweep.json']), 1);
    const answer = JSON.parse(readFileSync(join(folder, 'sweep.json'), 'utf8'));
    const { page, done } = await open('sweep.html');
    const counts = await page.evaluate(() => globalThis.abut.timeline.counts.map((c) => c.swept));
    equal('sweep: counts', counts, answer.frames.map((f) => sweptOf(f.sweep)));
    equal('sweep: labels', await page.evaluate(() => globalThis.abut.data.frames.map((_, f) => globalThis.abut.data.label(f))),
        ['40', '50', '60', '70', '80', '90']);
    const frame = counts.findIndex((n) => n > 0);
    const first = Math.min(...answer.frames[frame].sweep.filter((s) => s.first !== undefined).map((s) => s.first));
    const at = () => page.evaluate(() => [globalThis.abut.frame, globalThis.abut.time]);
    equal('it opens at the contact', await at(), [frame, first]);
    check('and says so', (await text(page, 'frame-title')).startsWith('Between frames 60 and 70'));
    check('the verdict', (await text(page, 'verdict')).startsWith('Contact in 1 of 6 frames'));
    check('the row', (await text(page, 'contacts')).includes('between the frame before and this one'));
    // the box and the wall touch at that time: their positions show it
    const high = await page.evaluate(async () => {
        const { data, frame: f, time } = globalThis.abut;
        const { positions } = (await data.state(f - 1 + time)).bodies[0];
        return Math.max(...positions.filter((_, i) => i % 3 === 0)) + data.origin[0];
    });
    check(`the surface is where it touches: ${high}`, Math.abs(high - 0.35) < 1e-3);
    const point = await page.evaluate(async () => {
        const { data, frame: f } = globalThis.abut;
        return (await data.found(f)).sweeps[0].contacts[0].point[0] + data.origin[0];
    });
    check(`the contact is where it touches: ${point}`, Math.abs(point - 0.35) < 1e-3);
    await page.screenshot({ path: join(folder, 'sweep.png') });
    const between = await picture(page);
    await show(page, frame);
    check('the frame looks different', (await picture(page)) !== between);
    await page.locator('body').press('n');
    await page.waitForSelector(`html[data-frame="${frame}"]:not([data-time=""])`);
    equal('next contact goes to the time', await at(), [frame, first]);
    await page.locator('#contacts .pick').first().click();
    await page.waitForSelector('#fly-back:not([hidden])');
    await page.screenshot({ path: join(folder, 'sweep-near.png') });
    await done();
}

// A page without room for all frames: which frames it draws, and what it says about the others.
async function room() {
    const args = ['check', 'dive', 'fine.obj', '--between', '--json', 'room.json'];
    run([...args, '--html', 'whole.html']);
    run([...args, '--html', 'room.html'], { env: { ABUT_REPORT_MB: '0.009' } });
    run([...args, '--html', 'tight.html'], { env: { ABUT_REPORT_MB: '0.0015' } });
    const pairs = JSON.parse(readFileSync(join(folder, 'room.json'), 'utf8')).frames.map((f) => pairsOf(f.between));
    check(`frames differ: ${pairs}`, new Set(pairs).size > 3);
    const whole = await open('whole.html');
    const keptOf = (page) => page.evaluate(() => globalThis.abut.data.frames.map((_, f) => globalThis.abut.data.kept(f)));
    equal('all frames are drawn', (await keptOf(whole.page)).filter((k) => !k).length, 0);
    equal('nothing to remark', await whole.page.locator('#remarks').isVisible(), false);
    await whole.done();
    for (const name of ['room', 'tight']) {
        const { page, done } = await open(`${name}.html`);
        const kept = await keptOf(page);
        const drawn = kept.filter((k) => k).length;
        check(`${name}: some frames are left out: ${drawn}`, drawn > 0 && drawn < kept.length);
        check(`${name}: it opens in a frame that is drawn`, kept[await page.evaluate(() => globalThis.abut.frame)]);
        const worst = Math.max(...pairs);
        check(`${name}: the worst is drawn`, kept[pairs.indexOf(worst)] && pairs[await page.evaluate(() => globalThis.abut.frame)] === worst);
        const [most, least] = [Math.max(0, ...pairs.filter((n, f) => !kept[f])), Math.min(...pairs.filter((n, f) => kept[f] && n > 0))];
        check(`${name}: the worst first: ${most} left out, ${least} drawn`, most <= least);
        check(`${name}: the header says so`, (await text(page, 'remarks')).includes(`This page draws ${drawn} of ${kept.length} frames`));
        check(`${name}: the legend says so`, (await text(page, 'legend')).includes(`${kept.length - drawn} of ${kept.length} frames not drawn`));
        for (const f of kept.keys()) {
            await show(page, f);
            const painted = await page.evaluate(async (frame) => {
                const { lists, segments } = await globalThis.abut.data.found(frame);
                return [lists.reduce((n, l) => n + l.first.length, 0), segments.length];
            }, f);
            check(`${name}: frame ${f} is painted if it is drawn: ${painted}`, kept[f] ? painted[0] > 0 === pairs[f] > 0 : painted[0] + painted[1] === 0);
            check(`${name}: frame ${f} says so`, (await text(page, 'panel')).includes('This frame is not drawn') === !kept[f]);
            const said = (await page.locator('#contacts .count').allInnerTexts()).reduce((n, t) => n + Number(t.replace(',', '')), 0);
            equal(`${name}: frame ${f} is counted`, said, pairs[f]);
        }
        await page.screenshot({ path: join(folder, `${name}.png`) });
        await done();
    }
    const { page, done } = await open('tight.html');
    const listed = await page.evaluate(async () => (await globalThis.abut.data.found(globalThis.abut.frame)).lists[0].first.length);
    const all = Math.max(...pairs);
    check(`not all pairs are painted: ${listed} of ${all}`, listed < all);
    check('the panel says so', (await text(page, 'left-out')).includes(`Painted: ${listed} of ${all} pairs`));
    await done();
}

// Without --verbose a page depends on input and options alone.
async function equalRuns() {
    const args = ['check', 'dive', 'big.obj', '--sweep', '--html'];
    run([...args, 'one.html', '--threads', '1']);
    run([...args, 'two.html', '--threads', '2']);
    run([...args, 'jobs.html', '--jobs', '3']);
    const read = (name) => createHash('sha1').update(readFileSync(join(folder, name))).digest('hex');
    equal('runs with other threads', read('two.html'), read('one.html'));
    equal('runs with other jobs', read('jobs.html'), read('one.html'));
    const { page, done } = await open('one.html');
    check('no work is shown', !(await page.locator('#work-section').isVisible()));
    await done();
    run([...args, 'verbose.html', '--verbose']);
    const verbose = await open('verbose.html');
    check('--verbose shows it', (await text(verbose.page, 'work-section')).includes('exact tests'));
    await verbose.done();
}

// a sequence with changing triangles, and a name that would close elements of the page
async function sequence() {
    const name = '</script><b>x';
    mkdirSync(join(folder, 'steps'), { recursive: true });
    for (let f = 0; f < 3; ++f) {
        const z = 0.5 - 0.5 * f;
        const extra = f === 2 ? 'v 5 5 5\nv 6 5 5\nv 5 6 5\nf 7 8 9\n' : '';
        writeFileSync(join(folder, 'steps', `s_${f}.obj`),
            `v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0.2 0.2 ${z}\nv 0.3 0.2 ${z + 1}\nv 0.2 0.3 ${z + 1}\n${extra}f 1 2 3\nf 4 5 6\n`);
    }
    writeFileSync(join(folder, 'x.obj'), 'v 9 9 9\nv 10 9 9\nv 9 10 9\nf 1 2 3\n');
    run(['check', 'steps/s_*.obj', 'x.obj', '--html', 'sequence.html']);
    const html = readFileSync(join(folder, 'sequence.html'), 'utf8');
    writeFileSync(join(folder, 'sequence.html'), html.replaceAll('"x.obj"', JSON.stringify(name).replaceAll('<', '\\u003c')));
    const { page, done } = await open('sequence.html');
    equal('pairs within', await page.evaluate(() => globalThis.abut.timeline.counts.map((c) => c.self)), [0, 1, 1]);
    for (const f of [0, 1, 2]) {
        await show(page, f);
    }
    const [triangles, z] = await page.evaluate(async () => {
        const { data } = globalThis.abut;
        const [body] = (await data.state(2)).bodies;
        return [(await data.mesh(body.mesh)).index.length / 3, body.positions[11] + data.origin[2]];
    });
    equal('the last frame has its own triangles', triangles, 3);
    check(`positions are right: ${z}`, Math.abs(z + 0.5) < 1e-3);
    check('a name is shown as text', (await text(page, 'bodies')).includes(name));
    await done();
}

// in the first bodies vanish and appear; the second has depths
async function scenes() {
    for (const scene of ['breaking', 'combs']) {
        const { page, done } = await scenePage(scene, [scene, '--triangles', '3000', '--frames', '8', '--between']);
        const names = await page.evaluate(() => globalThis.abut.data.info.bodies);
        equal(`${scene}: names that are equal`, names.length - new Set(names).size, 0);
        await done();
    }
}

makeModels();
await runParts([tablecloth, keyboard, address, rows, timeline, phone, contrast, verdicts, sweep, room, equalRuns, sequence, scenes]);
