// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The address of the page holds the frame, the event and the view, so that a link leads to what its sender sees:
// #frame=12&time=0.25&event=3.1&up=y&target=x,y,z&away=x,y,z&distance=d. Frames count from 0. Events count from 1, the worst
// first, and so do their patches behind the point. #event=1 alone leads to the worst event.

const PAUSE = 250; // milliseconds between two changes of the address

const numbers = (text, count) => {
    const found = (text ?? '').split(',').map(Number);
    return text && found.length === count && found.every(Number.isFinite) ? found : null;
};

// What an address says; null for what it lacks, or what is no number.
export function readAddress(hash) {
    const values = new URLSearchParams(hash.replace(/^#/, ''));
    const frame = numbers(values.get('frame'), 1)?.[0];
    const time = numbers(values.get('time'), 1)?.[0];
    const target = numbers(values.get('target'), 3);
    const away = numbers(values.get('away'), 3);
    const distance = numbers(values.get('distance'), 1)?.[0];
    const [, event, patch] = /^(\d{1,9})(?:\.(\d{1,9}))?$/.exec(values.get('event') ?? '') ?? [];
    return {
        event: event > 0 ? { event: event - 1, patch: patch > 0 ? patch - 1 : undefined } : null,
        frame: Number.isInteger(frame) && frame >= 0 ? frame : null,
        time: time >= 0 && time <= 1 ? time : null,
        up: ['y', 'z'].includes(values.get('up')) ? values.get('up') : null,
        place: target && away && away.some((x) => x !== 0) && distance > 0 ? { target, away, distance } : null,
    };
}

export function addressOf({ frame, time, event, patch, up, place }) {
    const list = (vector) => vector.map((x) => Number(x.toPrecision(7))).join(',');
    const at = time === undefined ? '' : `&time=${Number(time.toPrecision(7))}`;
    const which = event === undefined ? '' : `&event=${event + 1}${patch === undefined ? '' : `.${patch + 1}`}`;
    return `#frame=${frame}${at}${which}&up=${up}&target=${list(place.target)}&away=${list(place.away)}&distance=${list([place.distance])}`;
}

// Returns a function to call after each change; the address follows a little later.
export function keepAddress(read) {
    let waiting = 0;
    return () => {
        clearTimeout(waiting);
        waiting = setTimeout(() => {
            try {
                history.replaceState(null, '', addressOf(read()));
            } catch {
                // a page inside another one may not change its address
            }
        }, PAUSE);
    };
}
