// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The report's page: connects its parts, plays the frames, and handles the keyboard.
import { keepAddress, readAddress } from './address.js';
import { Data } from './data.js';
import { EventList } from './events.js';
import { Panel } from './panel.js';
import { Picked } from './picked.js';
import { eventTarget, spotOf, targetOf } from './places.js';
import { Stage } from './stage.js';
import { Timeline } from './timeline.js';
import { element } from './words.js';

const MOST_REST = 60; // milliseconds between two frames that are checked while they play
const LEAST_FREE = 320; // pixels of picture beside the card about what was clicked
const isNarrow = () => matchMedia('(max-width: 640px)').matches;

function say(message) {
    element('message').textContent = message;
    element('message').hidden = false;
}

class Player {
    constructor(data) {
        this.data = data;
        this.frame = -1;
        this.time = undefined; // between the frame before (0) and the frame (1); undefined: in the frame
        this.wanted = null; // what to show next, while something else is being prepared
        this.playing = false;
        this.turn = 0; // counts how often playing began
        this.markersOn = true;
        this.stage = new Stage(element('stage'), data);
        this.event = {}; // the chosen event and patch, as numbers
        this.beside = false; // whether a flight keeps off the card about what was clicked
        this.panel = new Panel(data, this.stage, {
            onPick: (entry, part) => this.pick(entry, part), onBodies: () => this.mark(), onContour: (n) => this.pickContour(n, undefined, true),
        });
        this.events = new EventList(data, (event, patch) => this.pickEvent(event, patch));
        this.picked = new Picked(data, { onClose: () => this.unpick(), onShow: () => setInsets(this) });
        this.stage.onTap = (what) => this.#tapped(what);
        this.timeline = new Timeline(element('timeline'), data, (frame) => { this.play(false); this.go(frame); });
        element('play').disabled = data.frames.length < 2;
        element('next-contact').disabled = this.stops.length === 0;
    }

    // the frames with contact; more of them come if frames are checked while they play
    get stops() {
        return this.data.stops();
    }

    // A frame requested while another is being prepared replaces earlier requests, so that scrubbing does not lag.
    async go(frame, time) {
        const last = this.data.frames.length - 1;
        this.wanted = { frame: Math.min(Math.max(frame, 0), last), time };
        if (!this.busy) {
            this.busy = this.#follow().catch((error) => this.#lose(error)).finally(() => { this.busy = null; });
        }
        return this.busy;
    }

    // a frame that cannot be shown
    #lose(error) {
        this.play(false);
        say(`The frame cannot be shown: ${error.message}`);
    }

    async #follow() {
        while (this.wanted.frame !== this.frame || this.wanted.time !== this.time) {
            const { frame, time } = this.wanted;
            await (time === undefined ? this.stage.show(frame) : this.stage.showBetween(frame, time));
            this.found = await this.data.found(frame);
            this.picked.hide();
            [this.frame, this.time] = [frame, time];
            this.#update();
            await this.mark();
        }
        document.documentElement.dataset.frame = this.frame;
        document.documentElement.dataset.time = this.time ?? '';
    }

    #update() {
        const { frame, time, data } = this;
        const count = data.frames.length;
        if (data.live) {
            this.timeline.refresh();
            this.#keepInView();
            element('next-contact').disabled = this.stops.length === 0;
        }
        this.timeline.set(frame, time);
        this.stage.onView(); // the address holds the frame, too
        this.panel.show(frame, this.found, time);
        const label = time === undefined ? data.label(frame) : `${data.label(frame - 1)} \u2192 ${data.label(frame)}`;
        element('clock').textContent = `frame ${label} (${frame + 1} of ${count})`;
        // screen readers announce the frame where playing stops, not every frame
        if (!this.playing) {
            element('status').textContent = element('timeline').getAttribute('aria-valuetext');
        }
    }

    // Where the motion leads is not known before it is played: shows all of the bodies again, if they leave the picture and
    // the view was not chosen.
    #keepInView() {
        const { target, away, distance } = this.stage.camera;
        const isSame = this.framed && [...target, ...away, distance].every((x, i) => x === this.framed[i]);
        if (isSame && !this.stage.isInView) {
            this.stage.frameAll();
            this.keepFramed();
        }
    }

    // remembers a view that was not chosen
    keepFramed() {
        const { target, away, distance } = this.stage.camera;
        this.framed = [...target, ...away, distance];
    }

    // sets a marker for each row of the list, except those of hidden bodies
    async mark() {
        const { frame, panel, stage, data } = this;
        const state = await data.state(this.time === undefined ? frame : frame - 1 + this.time);
        const shown = (body) => stage.bodies[body].visible !== false;
        const markers = await Promise.all(panel.rows.map(async (entry, i) => {
            const position = data.kept(frame) && this.markersOn && shown(entry.a) && shown(entry.b)
                ? await spotOf(data, frame, state, entry) : null;
            const kind = this.time !== undefined ? 'swept' : data.kinds.find(({ of }) => of(entry) > 0)?.key ?? 'near';
            // distances and depths are shown at their lines
            const label = entry.pairs || entry.swept ? panel.count(entry) : entry.inside && !entry.regions ? 'inside' : '';
            return { position, kind, label, current: i === panel.current, select: () => panel.pick(i) };
        }));
        stage.markers(markers.filter(({ position }) => position));
    }

    // goes to the worst frame of an event, or of one of its patches, and flies there
    async pickEvent(event, patch) {
        const all = this.data.events[event];
        const part = all?.patches[patch];
        if (!all) {
            return;
        }
        this.play(false);
        const { kind, worst } = part ?? all;
        const swept = this.data.frames[worst].found.find((f) => f.a === all.a && f.b === all.b)?.first;
        await this.stopAt({ frame: worst, time: kind === 'between' ? swept : undefined });
        // the patch that makes the event as bad as it is
        const shown = part ?? all.patches.find((p) => p.worst === worst && p.depth === all.depth);
        this.event = { event, patch: part ? patch : undefined };
        this.events.choose(event, this.event.patch);
        this.stage.flyTo(await eventTarget(this.data, this.found, all, shown));
        element('fly-back').hidden = false;
        this.stage.onView();
    }

    // the next event in the order of the list, or the one before
    nextEvent(by) {
        const count = this.data.events?.length ?? 0;
        if (count > 0) {
            const from = this.event.event ?? (by > 0 ? -1 : 0);
            this.pickEvent((from + by + count) % count);
        }
    }

    #tapped(what) {
        if (!what) {
            this.unpick();
        } else if (what.contour !== undefined) {
            this.pickContour(what.contour, what.segment);
        } else {
            this.pickSurface(what);
        }
    }

    // shows what a contour is; `fly` also goes there
    pickContour(n, segment, fly = false) {
        const contour = this.found.contours[n];
        this.play(false);
        this.stage.chooseContour(n);
        this.beside = fly;
        this.picked.contour(contour, segment);
        if (fly) {
            const points = [];
            for (let i = 0; i < contour.points.length; i += 3) {
                points.push([0, 1, 2].map((d) => contour.points[i + d] + this.data.origin[d]));
            }
            this.stage.flyTo({ a: contour.a, b: contour.b, points });
            element('fly-back').hidden = false;
        }
    }

    nextContour() {
        const count = this.stage.contours.length;
        if (count > 0) {
            this.contour = ((this.contour ?? -1) + 1) % count;
            this.pickContour(this.contour, undefined, true);
        }
    }

    // shows what a triangle is, and what is closest to it
    pickSurface(hit) {
        const { data, stage } = this;
        const surface = stage.bodies[hit.body];
        this.play(false);
        this.beside = false;
        const other = stage.chooseSurface(hit);
        const touching = stage.found.lists.flatMap(({ a, b, first, second }) => Array.from(first, (t, k) => [[a, t, b, second[k]], [b, second[k], a, t]]).flat())
            .filter(([body, triangle]) => body === hit.body && triangle === hit.triangle).map(([, , body, triangle]) => [body, triangle]);
        const errors = [hit.body, other?.body].map((body) => stage.state.bodies[body]?.error ?? 0);
        this.picked.surface(hit, [...surface.index.subarray(3 * hit.triangle, 3 * hit.triangle + 3)], other, touching,
            errors[0] + errors[1], { drawn: data.kept(this.frame), single: data.info.bodies.length === 1 });
    }

    // what is in the middle of the view
    pickMiddle() {
        const { camera } = this.stage;
        const [x, y] = camera.middle;
        this.#tapped(this.stage.at([camera.width / 2 + x, camera.height / 2 + y]));
    }

    unpick() {
        this.picked.hide();
        this.stage.unchoose();
    }

    // leaves the chosen event
    #leaveEvent() {
        this.event = {};
        this.events.choose(undefined);
        this.stage.onView();
    }

    // flies to a contact of two bodies; goes to the time of a swept contact first
    async pick(entry, part) {
        this.play(false);
        const swept = part ? part.time : this.time ?? (entry.swept && !entry.list ? entry.first : undefined);
        if (swept !== this.time && (swept === undefined || this.data.keptStep(this.frame))) {
            await this.go(this.frame, swept);
        }
        const state = await this.data.state(this.time === undefined ? this.frame : this.frame - 1 + this.time);
        const target = this.data.kept(this.frame) ? await targetOf(this.data, this.frame, state, entry, part) : null;
        if (target) {
            this.#leaveEvent();
            this.mark();
            this.stage.flyTo(target);
            element('fly-back').hidden = false;
        }
    }

    // flies back to the view before the first visited contact; with `stay` it only leaves the contact
    flyBack(stay = false) {
        if (!stay) {
            this.stage.flyBack();
        }
        this.unpick();
        this.#leaveEvent();
        this.panel.unpick();
        element('fly-back').hidden = true;
        this.mark();
    }

    showAll() {
        this.stage.frameAll();
        this.keepFramed();
        this.flyBack(true);
    }

    play(on) {
        const changed = this.playing !== (on && this.data.frames.length > 1);
        this.playing = on && this.data.frames.length > 1;
        this.stage.isPlaying = this.playing;
        if (this.data.live) {
            this.data.live.playing = this.playing;
        }
        element('play').textContent = this.playing ? '\u275a\u275a' : '\u25b6';
        element('play').setAttribute('aria-pressed', String(this.playing));
        element('play').setAttribute('aria-label', this.playing ? 'Pause' : 'Play');
        if (this.playing && changed) {
            this.since = performance.now();
            this.from = this.frame >= this.data.frames.length - 1 ? 0 : this.frame;
            const turn = ++this.turn;
            requestAnimationFrame(() => this.#tick(turn));
        } else if (changed) {
            element('status').textContent = element('timeline').getAttribute('aria-valuetext');
            this.#checkShown();
        }
    }

    // checks the frame where the motion has stopped, if it was not while it played
    async #checkShown() {
        await this.busy;
        if (!this.playing && !this.busy && this.frame >= 0 && !this.data.checked(this.frame)) {
            const { frame } = this;
            this.frame = -1;
            this.go(frame);
        }
    }

    // What is shown, for a page that replaces this one: see resume().
    get view() {
        const { camera, up } = this.stage;
        const [panel, dark] = [document.querySelector('main').dataset.panel === 'on', isDark()];
        return { frame: this.frame, time: this.time, count: this.data.frames.length, playing: this.playing, up, place: camera.place, origin: this.data.origin, panel, dark };
    }

    #tick(turn) {
        if (!this.playing || turn !== this.turn) {
            return;
        }
        const begun = performance.now();
        const passed = ((begun - this.since) / 1000) * this.data.info.fps;
        const shown = this.go(Math.floor(this.from + passed) % this.data.frames.length);
        if (this.data.live) { // leaves time to the check, which may have the same processor
            shown.then(() => requestAnimationFrame(() => setTimeout(() => this.#tick(turn), Math.min(performance.now() - begun, MOST_REST))));
        } else {
            requestAnimationFrame(() => this.#tick(turn));
        }
    }

    step(by) {
        this.play(false);
        this.go(this.frame + by);
    }

    nextContact() {
        const here = this.frame - (this.time === undefined ? 0 : 1 - this.time);
        const at = ({ frame, time }) => frame - (time === undefined ? 0 : 1 - time);
        const next = this.stops.find((stop) => at(stop) > here + 1e-9) ?? this.stops[0];
        if (next) {
            this.play(false);
            this.stopAt(next);
        }
    }

    // shows a swept contact at its time, if both frames of the step are stored
    stopAt({ frame, time }) {
        return this.go(frame, time !== undefined && this.data.keptStep(frame) ? time : undefined);
    }
}

// ---- layout

// sets the insets of the picture that bars and panel cover
function setInsets(player) {
    const height = innerHeight;
    const width = innerWidth;
    const box = (selector) => document.querySelector(selector).getBoundingClientRect();
    const panelOn = document.querySelector('main').dataset.panel === 'on';
    const panel = box('#panel');
    const top = Math.max(box('header').bottom, isNarrow() ? box('#tools').bottom : 0);
    const card = element('picked').hidden ? null : box('#picked');
    const bottom = height - (isNarrow() && card ? card.top : isNarrow() && panelOn ? panel.top : box('nav').top);
    const right = panelOn && !isNarrow() ? width - panel.left : 0;
    const left = card && player.beside && !isNarrow() && width - right - card.right > LEAST_FREE ? card.right : 0;
    player.stage.insets = { top, right, bottom, left };
}

function theme(player, dark) {
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
    element('theme').setAttribute('aria-pressed', String(dark));
    player.stage.colours(dark);
    player.timeline.draw();
}

const isDark = () => document.documentElement.dataset.theme === 'dark';

function showPanel(player, on) {
    document.querySelector('main').dataset.panel = on ? 'on' : 'off';
    element('panel-toggle').setAttribute('aria-expanded', String(on));
    setInsets(player);
    if (isNarrow()) {
        player.showAll(); // the free area has changed
    }
}

const togglePanel = (player) => showPanel(player, document.querySelector('main').dataset.panel !== 'on');

function setLevel(player, level) {
    player.stage.options.level = level;
    element('level').value = level;
    element('level-name').textContent = level < 0 ? 'none' : level;
    player.stage.refresh();
}

function setUp(player, axis) {
    player.stage.setUp(axis);
    element('up').setAttribute('aria-pressed', String(axis === 'z'));
    player.stage.frameFront();
    player.keepFramed();
    player.flyBack(true);
}

const turnUp = (player) => setUp(player, player.stage.up === 'y' ? 'z' : 'y');

// ---- keys

function keysOf(player) {
    const { stage } = player;
    return [
        { keys: [' '], shown: 'Space', does: 'play or pause, where no button has the focus', action: () => player.play(!player.playing) },
        { keys: ['n'], shown: 'N', does: 'next contact', action: () => player.nextContact() },
        { keys: ['e'], shown: 'E', does: 'next event, the worst first; with Shift the one before', action: (event) => player.nextEvent(event.shiftKey ? -1 : 1) },
        { keys: ['c'], shown: 'C', does: 'next contour of the frame', action: () => player.nextContour() },
        { keys: ['p'], shown: 'P', does: 'what is in the middle: triangle, body, closest other surface', action: () => player.pickMiddle() },
        { keys: ['ArrowLeft'], shown: '\u2190', does: 'previous frame', action: () => player.step(-1) },
        { keys: ['ArrowRight'], shown: '\u2192', does: 'next frame', action: () => player.step(1) },
        { keys: ['Home'], shown: 'Home', does: 'first frame', action: () => player.step(-Infinity) },
        { keys: ['End'], shown: 'End', does: 'last frame', action: () => player.step(Infinity) },
        { keys: ['Escape'], shown: 'Esc', does: 'back from a contact to the previous view', action: () => player.flyBack() },
        { keys: ['f'], shown: 'F', does: 'show all bodies', action: () => player.showAll() },
        { keys: ['u'], shown: 'U', does: 'Z up, or Y up', action: () => turnUp(player) },
        { keys: ['d'], shown: 'D', does: 'dark or light', action: () => theme(player, !isDark()) },
        { keys: ['i'], shown: 'I', does: 'show or hide the details', action: () => togglePanel(player) },
        { keys: ['b'], shown: 'B', does: 'boxes of the search tree, level by level', action: () => setLevel(player, stage.options.level >= 4 ? -1 : stage.options.level + 1) },
        { keys: [], shown: 'Shift + arrows', does: 'rotate the view; with Ctrl, pan it' },
        { keys: [], shown: '+ and \u2212', does: 'zoom in and out' },
        { keys: ['?'], shown: '?', does: 'these keys', action: () => element('keys').showModal() },
    ];
}

// whether an element handles the space bar itself
const takesSpace = (target) => target instanceof Element && target.closest('button, input, select, textarea, summary, a[href], dialog') !== null;

function listenToKeys(player) {
    const all = keysOf(player);
    element('key-list').append(...all.flatMap(({ shown, does }) => [
        Object.assign(document.createElement('dt'), { textContent: shown }),
        Object.assign(document.createElement('dd'), { textContent: does }),
    ]));
    addEventListener('keydown', (event) => {
        const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
        const entry = all.find(({ keys }) => keys.includes(key));
        const taken = (key === ' ' && takesSpace(event.target)) || (event.target.type === 'range' && key.length > 1 && key !== 'Escape');
        if (entry && !taken && !element('keys').open && !event.ctrlKey && !event.metaKey && !event.altKey) {
            event.preventDefault();
            entry.action(event);
        }
    });
}

function listen(player) {
    const { stage } = player;
    // a body inside another one is visible only through it
    if (player.data.frames[player.data.info.worst].found.some((f) => f.inside)) {
        stage.options.through = true;
        element('see-through').checked = true;
    }
    const switches = { 'show-contacts': 'contacts', 'show-segments': 'segments', 'show-edges': 'edges', 'see-through': 'through' };
    for (const [id, option] of Object.entries(switches)) {
        element(id).addEventListener('change', (event) => {
            stage.options[option] = event.target.checked;
            stage.refresh();
        });
    }
    const clicks = {
        play: () => player.play(!player.playing),
        'next-contact': () => player.nextContact(),
        'frame-all': () => player.showAll(),
        up: () => turnUp(player),
        theme: () => theme(player, !isDark()),
        'panel-toggle': () => togglePanel(player),
        'fly-back': () => player.flyBack(),
        help: () => element('keys').showModal(),
    };
    for (const [id, action] of Object.entries(clicks)) {
        element(id).addEventListener('click', action);
    }
    element('show-markers').addEventListener('change', (event) => {
        player.markersOn = event.target.checked;
        player.mark();
    });
    element('level').addEventListener('input', (event) => setLevel(player, Number(event.target.value)));
    new ResizeObserver(() => setInsets(player)).observe(element('stage'));
    listenToKeys(player);
}

// Shows what the address says, as far as it says it; otherwise the worst frame from the front.
async function showAddress(player, { frame, time, event, up, place }) {
    const { data, stage } = player;
    const { worst } = data.info;
    const known = frame !== null && frame < data.frames.length;
    await player.stopAt(known ? { frame, time: time ?? undefined }
        : { frame: worst, time: data.touchesAtRest(worst) ? undefined : data.firstSwept(worst) });
    showPanel(player, !isNarrow());
    setUp(player, up ?? data.info.up);
    if (event && data.events?.[event.event]) {
        await player.pickEvent(event.event, event.patch);
        if (known && frame !== player.frame) {
            await player.stopAt({ frame, time: time ?? undefined });
        }
    }
    if (place) {
        stage.camera.go(place);
    }
}

// Shows what another page has shown, as far as this one has it.
async function resume(player, { frame, time, count, playing, up, place, origin, panel, dark }) {
    const { data, stage } = player;
    theme(player, dark);
    showPanel(player, panel);
    setUp(player, up);
    if (count === data.frames.length) {
        await player.stopAt({ frame, time });
    }
    stage.camera.go({ ...place, target: place.target.map((x, d) => x + (origin[d] - data.origin[d])) });
    player.play(playing);
}

async function start() {
    const data = new Data();
    if (data.frames.length === 0) {
        say('This report has no frames.');
        return;
    }
    const player = new Player(data);
    listen(player);
    theme(player, matchMedia('(prefers-color-scheme: dark)').matches);
    await showAddress(player, readAddress(location.hash));
    player.stage.onView = keepAddress(() => ({ frame: player.frame, time: player.time, ...player.event, up: player.stage.up, place: player.stage.camera.place }));
    addEventListener('hashchange', () => showAddress(player, readAddress(location.hash)));
    player.resume = (view) => resume(player, view);
    globalThis.abut = player;
    document.documentElement.dataset.ready = 'yes';
}

start().catch((error) => say(`The report cannot be shown: ${error.message}`));
