// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The page: takes files, has them checked in a worker, and shows the report that the command wrote. The report is the
// page of 'abut check --html' in a frame, so that what is shown is what is saved. A check that takes longer shows the model
// meanwhile (live.js).
import { droppedFiles, objectsOf, stemOf } from './gather.js';
import { LivePlayer, viewerIn, whenReady } from './live.js';
import { Options, commandLine } from './options.js';
import { SAMPLES } from './samples.js';
import { Session, Stopped } from './session.js';
import { startWorker } from './worker.js';

const element = (id) => document.getElementById(id);
const JSON_FILE = 'abut-result.json';
const HTML_FILE = 'abut-report.html';
const INFO_FILE = 'abut-info.json';
const DEMANDS = [['ask-depth', 'depth'], ['ask-distance', 'nearest']]; // buttons, and the options that they switch
const MOST_LIVE = 50000; // frames of a model that plays before its check has ended
const CANNOT_CHECK = 2; // the exit code of a check that failed; 1 is contact

class Page {
    constructor() {
        this.session = new Session();
        this.options = new Options(element('fields'));
        this.files = []; // with their bytes
        this.objects = [];
        this.result = null; // the bytes of the last check
        this.turn = 0; // counts checks: a later one replaces an earlier one
        this.live = new LivePlayer(element('live'), () => this.#showsLive());
        this.resumed = null; // the view that the next report shows
        this.shownFiles = null; // those of the report
        this.arriving = 0; // the turn of the report
        this.several = false; // whether there are two objects or more
    }

    // ---- what is said

    say(text) {
        element('status').textContent = text;
    }

    complain(text) {
        element('trouble-text').textContent = text;
        element('trouble').hidden = text === '';
    }

    busy(text) {
        element('work').hidden = text === null;
        element('work-text').textContent = text ?? '';
        element('progress').removeAttribute('value');
        document.documentElement.dataset.state = text === null ? 'idle' : 'busy';
    }

    progress({ what, done, total }) {
        if (total > 0) {
            element('progress').value = done / total;
            element('work-text').textContent = `${what} ${Math.min(done + 1, total)} of ${total}`;
        } else {
            element('progress').removeAttribute('value');
            element('work-text').textContent = `${what} \u2026`;
        }
    }

    // ---- checks

    // takes new files: {name, file} of a drop, or {name, bytes}
    async take(given) {
        const turn = ++this.turn;
        this.session.stop();
        this.live.end();
        this.complain('');
        this.busy('Reading the files \u2026');
        try {
            const files = await Promise.all(given.map(async ({ name, file, bytes }) => ({ name, bytes: bytes ?? new Uint8Array(await file.arrayBuffer()) })));
            if (turn !== this.turn) {
                return;
            }
            const objects = objectsOf(files.map(({ name }) => name));
            if (objects.length === 0) {
                throw new Error(`There is no model among ${files.length === 1 ? files[0].name : `these ${files.length} files`}: .glb, .gltf, .obj, .ply, .stl and .off are read.`);
            }
            [this.files, this.objects] = [files, objects];
            this.options.forget();
            this.options.setAnimations([]);
            this.options.inputs.get('animation').value = 'all';
            await this.check(true);
        } catch (error) {
            if (turn === this.turn) {
                this.busy(null);
                this.complain(error.message);
            }
        }
    }

    args() {
        return ['check', ...this.objects, ...this.options.args()];
    }

    // what the command runs; the first of new files asks for the names of animations
    #runs(isNew) {
        const check = { args: [...this.args(), '--threads', '1', '--json', JSON_FILE, '--html', HTML_FILE], outputs: [JSON_FILE, HTML_FILE], failsFrom: CANNOT_CHECK };
        const info = { args: ['info', ...this.objects, '--json', INFO_FILE], outputs: [INFO_FILE], failsFrom: Infinity };
        return isNew ? [info, check] : [check];
    }

    async check(isNew) {
        const turn = ++this.turn;
        this.resumed = this.#shownView();
        this.live.end();
        this.complain('');
        this.busy('Starting \u2026');
        this.say(`Checking ${this.objects.join(', ')}`);
        try {
            const answers = await this.session.run(this.files, this.#runs(isNew), (progress) => this.#follow(progress, turn));
            if (turn !== this.turn) {
                return;
            }
            this.busy(null);
            this.live.settle();
            if (isNew) {
                this.#takeInfo(answers.shift().files[0]);
            }
            this.#show(answers[0]);
        } catch (error) {
            if (turn === this.turn) {
                this.busy(null);
                this.live.settle();
                this.#fail(error);
            }
        }
    }

    // the view of these files that is shown now; null if there is none
    #shownView() {
        return this.live.view ?? (this.shownFiles === this.files ? viewerIn(element('report'))?.view ?? null : null);
    }

    // follows a check; one that comes to its frames plays them
    #follow(progress, turn) {
        if (turn !== this.turn) {
            return; // a message of a worker that was ended
        }
        this.progress(progress);
        if (progress.what === 'frame' && progress.total > 1 && progress.total <= MOST_LIVE) {
            this.live.begin(this.files, ['live', ...this.objects, ...this.options.args()], this.resumed);
        }
    }

    #showsLive() {
        element('welcome').hidden = true;
        this.result = null; // of other files, or other settings
        element('save-json').disabled = element('save-html').disabled = true;
        this.#enable();
    }

    // what can be asked of these files
    #enable() {
        this.options.several = this.several;
        for (const [id, name] of DEMANDS) {
            element(id).disabled = this.objects.length === 0 || !this.options.canAsk(name);
            element(id).setAttribute('aria-pressed', String(this.options.asks(name)));
        }
    }

    // asks for depth or distance also, or no longer
    demand(name) {
        this.options.demand(name, !this.options.asks(name));
        this.check(false);
    }

    #takeInfo(bytes) {
        if (bytes) {
            const { objects } = JSON.parse(new TextDecoder().decode(bytes));
            this.several = objects.length > 1;
            const animated = objects.find(({ animations }) => animations?.length > 0);
            this.options.setAnimations(animated?.animations.map(({ name }) => name) ?? []);
        }
    }

    #fail(error) {
        this.say(error instanceof Stopped ? 'Stopped' : 'The check failed');
        if (!(error instanceof Stopped)) {
            this.complain(error.message);
        }
    }

    #show({ failed, err, files: [json, html] }) {
        const words = err.replace(/^abut: (warning: )?/gm, '').trim();
        this.complain(words);
        if (failed || !html) {
            this.say('The check failed');
            this.complain(words || 'The check failed without a reason.');
            return;
        }
        this.result = { json, html };
        this.shownFiles = this.files;
        this.arriving = this.turn;
        const frame = element('report');
        frame.srcdoc = new TextDecoder().decode(html);
        frame.hidden = false;
        element('welcome').hidden = true;
        element('save-json').disabled = element('save-html').disabled = false;
        this.#enable();
        document.title = `${stemOf(this.objects)}: what touches?`;
        document.documentElement.dataset.shown = String(this.turn);
    }

    // the report is ready: it takes the place of the model that was played
    arrive(viewer) {
        if (this.arriving !== this.turn) {
            return; // another check has begun
        }
        const view = this.live.view ?? this.resumed;
        if (view) {
            viewer.resume(view);
        }
        this.live.end();
    }

    // ---- saving

    save(bytes, type, ending) {
        const link = Object.assign(document.createElement('a'), { href: URL.createObjectURL(new Blob([bytes], { type })), download: stemOf(this.objects) + ending });
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    }
}

// ---- the report in its frame: it has the origin of the page, so drops on it are drops on the page

function listenToDrops(target, page) {
    const veil = element('veil');
    const carriesFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes('Files');
    target.addEventListener('dragover', (event) => {
        if (carriesFiles(event)) {
            event.preventDefault();
            veil.hidden = false;
        }
    });
    if (target === document) { // the veil then lies over the report, too
        target.addEventListener('dragleave', (event) => { veil.hidden = event.relatedTarget === null; });
    }
    target.addEventListener('drop', async (event) => {
        veil.hidden = true;
        if (carriesFiles(event)) {
            event.preventDefault();
            page.take(await droppedFiles(event.dataTransfer));
        }
    });
}

function followFrame(page, frame, onReady) {
    frame.addEventListener('load', () => {
        const inside = frame.contentDocument;
        if (!inside?.getElementById('verdict')) {
            return;
        }
        listenToDrops(inside, page);
        const root = inside.documentElement;
        const follow = () => {
            document.documentElement.dataset.theme = root.dataset.theme ?? '';
            page.say(inside.getElementById('verdict').textContent);
        };
        new MutationObserver(follow).observe(root, { attributes: true, attributeFilter: ['data-theme', 'data-ready'] });
        follow();
        whenReady(frame, onReady);
    });
}

// ---- controls

function listenToSettings(page) {
    const dialog = element('settings');
    const { options } = page;
    let before = [];
    const describe = () => {
        const args = page.objects.length > 0 ? page.args() : ['check', 'MODEL', ...options.args()];
        element('command').textContent = commandLine(args);
    };
    element('settings-open').addEventListener('click', () => {
        before = options.values;
        dialog.returnValue = '';
        describe();
        dialog.showModal();
    });
    element('settings-form').addEventListener('input', describe);
    element('reset').addEventListener('click', () => { options.reset(); describe(); });
    dialog.addEventListener('close', () => {
        if (dialog.returnValue !== 'check') {
            options.values = before;
        } else if (page.objects.length > 0) {
            page.check(false);
        }
    });
}

function listenToSamples(page) {
    for (const [i, { name, files }] of SAMPLES.entries()) {
        const button = Object.assign(document.createElement('button'), { textContent: name, type: 'button' });
        button.addEventListener('click', () => page.take(files()));
        element('sample-buttons').append(button);
        element('sample').append(Object.assign(document.createElement('option'), { value: String(i), textContent: name }));
    }
    element('sample').addEventListener('change', ({ target }) => {
        const sample = SAMPLES[Number(target.value)];
        target.value = '';
        page.take(sample.files());
    });
}

function startPage() {
    const page = new Page();
    const choose = () => element('chosen').click();
    const clicks = {
        open: choose,
        'open-too': choose,
        stop: () => page.session.stop(),
        'trouble-close': () => page.complain(''),
        'save-json': () => page.save(page.result.json, 'application/json', '.json'),
        'save-html': () => page.save(page.result.html, 'text/html', '.html'),
    };
    for (const [id, action] of Object.entries(clicks)) {
        element(id).addEventListener('click', action);
    }
    for (const [id, name] of DEMANDS) {
        element(id).addEventListener('click', () => page.demand(name));
    }
    element('chosen').addEventListener('change', ({ target }) => {
        page.take([...target.files].map((file) => ({ name: file.name, file })));
        target.value = ''; // the same files may be chosen again
    });
    addEventListener('keydown', (event) => {
        if (event.key.toLowerCase() === 'o' && !event.ctrlKey && !event.metaKey && !event.altKey && !event.target.closest('dialog, select')) {
            choose();
        }
    });
    listenToSettings(page);
    listenToSamples(page);
    listenToDrops(document, page);
    followFrame(page, element('report'), (viewer) => page.arrive(viewer));
    followFrame(page, element('live'), () => {});
    document.documentElement.dataset.theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : '';
    document.documentElement.dataset.state = 'idle';
    globalThis.abut = page;
}

// the same program serves the page and its worker
if (typeof document === 'undefined') {
    startWorker();
} else {
    startPage();
}
