// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The report's page: puts its parts together, plays, and listens to the keyboard.
import { Data } from './data.js';
import { Panel } from './panel.js';
import { Stage } from './stage.js';
import { Timeline } from './timeline.js';

const element = (id) => document.getElementById(id);

function say(message) {
    element('message').textContent = message;
    element('message').hidden = false;
}

class Player {
    constructor(data) {
        this.data = data;
        this.frame = -1;
        this.wanted = -1; // the frame to show next, while another one is being made
        this.playing = false;
        this.stage = new Stage(element('stage'), data);
        this.panel = new Panel(data, this.stage);
        this.timeline = new Timeline(element('timeline'), data, (frame) => this.go(frame));
    }

    // Frames asked for while one is being made replace each other: scrubbing never piles up.
    async go(frame) {
        const last = this.data.frames.length - 1;
        this.wanted = Math.min(Math.max(frame, 0), last);
        if (this.busy) {
            return;
        }
        this.busy = true;
        while (this.wanted !== this.frame) {
            const next = this.wanted;
            await this.stage.show(next);
            this.frame = next;
            this.timeline.set(next);
            this.panel.show(next, this.stage.found);
            element('clock').textContent = `${next + 1} / ${last + 1}`;
        }
        this.busy = false;
        document.documentElement.dataset.frame = this.frame;
    }

    play(on) {
        this.playing = on && this.data.frames.length > 1;
        element('play').textContent = this.playing ? '\u275a\u275a' : '\u25b6';
        if (this.playing) {
            this.since = performance.now();
            this.from = this.frame >= this.data.frames.length - 1 ? 0 : this.frame;
            requestAnimationFrame(() => this.#tick());
        }
    }

    #tick() {
        if (!this.playing) {
            return;
        }
        const passed = ((performance.now() - this.since) / 1000) * this.data.info.fps;
        this.go(Math.floor(this.from + passed) % this.data.frames.length);
        requestAnimationFrame(() => this.#tick());
    }

    step(by) {
        this.play(false);
        this.go(this.frame + by);
    }

    nextContact() {
        const count = this.data.frames.length;
        for (let k = 1; k <= count; ++k) {
            const frame = (this.frame + k) % count;
            if (this.timeline.touches(frame)) {
                this.play(false);
                this.go(frame);
                return;
            }
        }
    }
}

function theme(player, dark) {
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
    player.stage.colours(dark);
    player.timeline.draw();
}

const isDark = () => document.documentElement.dataset.theme === 'dark';

function togglePanel(player) {
    const main = document.querySelector('main');
    main.dataset.panel = main.dataset.panel === 'off' ? 'on' : 'off';
    player.stage.resize();
}

function setLevel(player, level) {
    player.stage.options.level = level;
    element('level').value = level;
    element('level-name').textContent = level < 0 ? 'none' : level;
    player.stage.refresh();
}

function turnUp(player) {
    player.stage.setUp(player.stage.up === 'y' ? 'z' : 'y');
    player.stage.frameFront();
}

function listen(player) {
    const { stage } = player;
    const switches = { 'show-contacts': 'contacts', 'show-segments': 'segments', 'show-edges': 'edges', 'see-through': 'through' };
    for (const [id, option] of Object.entries(switches)) {
        element(id).addEventListener('change', (event) => {
            stage.options[option] = event.target.checked;
            stage.refresh();
        });
    }
    element('level').addEventListener('input', (event) => setLevel(player, Number(event.target.value)));
    element('play').addEventListener('click', () => player.play(!player.playing));
    element('next-contact').addEventListener('click', () => player.nextContact());
    element('frame-all').addEventListener('click', () => stage.frameAll());
    element('up').addEventListener('click', () => turnUp(player));
    element('theme').addEventListener('click', () => theme(player, !isDark()));
    element('panel-toggle').addEventListener('click', () => togglePanel(player));
    const keys = {
        ' ': () => player.play(!player.playing),
        ArrowLeft: () => player.step(-1),
        ArrowRight: () => player.step(1),
        Home: () => player.step(-Infinity),
        End: () => player.step(Infinity),
        n: () => player.nextContact(),
        f: () => stage.frameAll(),
        d: () => theme(player, !isDark()),
        i: () => togglePanel(player),
        u: () => turnUp(player),
        b: () => setLevel(player, stage.options.level >= 4 ? -1 : stage.options.level + 1),
    };
    addEventListener('keydown', (event) => {
        const action = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
        if (action && !event.ctrlKey && !event.metaKey && !event.altKey && event.target.type !== 'range') {
            event.preventDefault();
            action();
        }
    });
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
    if (matchMedia('(max-width: 640px)').matches) {
        togglePanel(player);
    }
    const worst = data.frames.reduce((best, _, f) => {
        const n = ({ between, self }) => between + self;
        return n(data.counts(f)) > n(data.counts(best)) ? f : best;
    }, 0);
    await player.go(worst);
    player.stage.resize();
    player.stage.frameFront();
    globalThis.abut = player;
    document.documentElement.dataset.ready = 'yes';
}

start().catch((error) => say(`The report cannot be shown: ${error.message}`));
