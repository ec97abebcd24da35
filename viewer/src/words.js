// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Makes elements, and puts numbers and names into words. Names come from files of strangers: they become text, never
// markup.

export const element = (id) => document.getElementById(id);
export const number = (n) => n.toLocaleString('en');
export const some = (n, one, many) => `${number(n)} ${n === 1 ? one : many}`;
export const four = (x) => Number(x.toPrecision(4)).toString();

export function make(tag, properties = {}, ...children) {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
}

// a name and a value in a list of such
export function row(list, name, value, hit = false) {
    list.append(make('dt', { textContent: name }), make('dd', { textContent: value, className: hit ? 'hit' : '' }));
}

// a text that is hidden if it is empty
export function note(id, text) {
    element(id).textContent = text;
    element(id).hidden = text === '';
}

// a small square in a colour
export function chip(colour) {
    const made = make('i');
    made.style.background = colour;
    return made;
}

// a button that opens a list, which `fill` makes at the first opening
export function opener(text, label, id, fill) {
    const list = make('ol', { className: 'triangles', hidden: true, id });
    const open = make('button', { className: 'expand', textContent: text });
    open.setAttribute('aria-expanded', 'false');
    open.setAttribute('aria-controls', id);
    open.setAttribute('aria-label', label);
    open.addEventListener('click', () => {
        list.hidden = !list.hidden;
        open.setAttribute('aria-expanded', String(!list.hidden));
        if (!list.hidden && list.childElementCount === 0) {
            list.append(...fill());
        }
    });
    return [open, list];
}
