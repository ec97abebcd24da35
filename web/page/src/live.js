// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Plays a model while its check runs: the viewer of the report in a frame, whose frames come from a model that is open in
// a worker of its own. A check that ends soon needs none of this, and a file that cannot be read never gets here.
import { OpenModel } from './session.js';

const AFTER = 300; // milliseconds of a check, after which its model is shown
const PAGE_FILE = 'abut-live.html';

// the viewer in a frame; undefined before it is ready
export const viewerIn = (frame) => frame.contentDocument?.defaultView?.abut;

// calls `action` with the viewer in a frame, once it is ready
export function whenReady(frame, action) {
    const root = frame.contentDocument?.documentElement;
    if (root?.dataset.ready === 'yes') {
        action(viewerIn(frame));
    } else if (root) {
        const observer = new MutationObserver(() => {
            if (root.dataset.ready === 'yes') {
                observer.disconnect();
                action(viewerIn(frame));
            }
        });
        observer.observe(root, { attributes: true, attributeFilter: ['data-ready'] });
    }
}

export class LivePlayer {
    #model = null;
    #timer = 0;
    #begun = null; // the view that it began with, as text

    // `onShow()` is called when a model is shown
    constructor(frame, onShow) {
        this.frame = frame;
        this.onShow = onShow;
        frame.give = (place, asks) => this.#model.frame(place, asks);
    }

    get isShown() {
        return !this.frame.hidden;
    }

    // what it shows, for the viewer that replaces it; null if that is still what it began with
    get view() {
        const view = this.isShown && this.#begun !== null ? viewerIn(this.frame)?.view ?? null : null;
        return JSON.stringify(view) === this.#begun ? null : view;
    }

    // the check has come to its frames: plays them in a moment, unless end() is called before; `view` is resumed
    begin(files, args, view) {
        if (this.#timer === 0) {
            this.#timer = setTimeout(() => this.#open(files, args, view), AFTER);
        }
    }

    async #open(files, args, view) {
        const model = new OpenModel();
        this.#model = model;
        const page = await model.open(files, args, PAGE_FILE).catch(() => null);
        if (page && this.#model === model) {
            this.frame.addEventListener('load', () => whenReady(this.frame, (viewer) => this.#play(model, viewer, view)), { once: true });
            this.frame.srcdoc = new TextDecoder().decode(page);
            this.frame.hidden = false;
            this.onShow();
        }
    }

    async #play(model, viewer, view) {
        if (view) {
            await viewer.resume(view);
        }
        this.#begun = this.#model === model ? JSON.stringify(viewer.view) : null;
        if (!view && !matchMedia('(prefers-reduced-motion: reduce)').matches) {
            viewer.play(true);
        }
    }

    // the check has ended: a model that is not shown yet will not be
    settle() {
        if (!this.isShown) {
            this.end();
        }
    }

    end() {
        clearTimeout(this.#timer);
        this.#timer = 0;
        this.#begun = null;
        this.#model?.end();
        this.#model = null;
        if (this.isShown) {
            this.frame.hidden = true;
            this.frame.srcdoc = '';
        }
    }
}
