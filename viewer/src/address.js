// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The address of the page holds the frame and the view, so that a link leads to what its sender sees:
// #frame=12&time=0.25&up=y&target=x,y,z&away=x,y,z&distance=d. Frames count from 0.

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
    return {
        frame: Number.isInteger(frame) && frame >= 0 ? frame : null,
        time: time >= 0 && time <= 1 ? time : null,
        up: ['y', 'z'].includes(values.get('up')) ? values.get('up') : null,
        place: target && away && away.some((x) => x !== 0) && distance > 0 ? { target, away, distance } : null,
    };
}

export function addressOf({ frame, time, up, place }) {
    const list = (vector) => vector.map((x) => Number(x.toPrecision(7))).join(',');
    const at = time === undefined ? '' : `&time=${Number(time.toPrecision(7))}`;
    return `#frame=${frame}${at}&up=${up}&target=${list(place.target)}&away=${list(place.away)}&distance=${list([place.distance])}`;
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
