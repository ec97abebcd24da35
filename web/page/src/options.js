// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The settings of the check: a form, the arguments of the command that it stands for, and their text.

const SWITCHES = [
    ['self', 'contact within each object'],
    ['between', 'contact between objects'],
    ['neighbours', 'within an object: also triangles that share a vertex and overlap beyond it'],
    ['sweep', 'contact between each frame and the next'],
    ['depth', 'how deep closed objects are inside each other'],
    ['nearest', 'how far apart objects are'],
    ['components', 'each connected component of a mesh is an object'],
    ['events', 'gather contact of consecutive frames, worst first'],
    ['pairs', 'list the touching triangles in the JSON'],
];
const VALUES = [
    ['margin', 'triangles at most this far apart count', 'number'],
    ['within', 'distances up to', 'number'],
    ['fps', 'frames per second of an animation', 'number'],
    ['frames', 'only these frames, such as 10:20', 'text'],
];
const DEFAULTS = { animation: 'all' };

const make = (tag, properties, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
};

// a word as a shell takes it
const quoted = (word) => (/^[\w./:=+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

export const commandLine = (args) => ['abut', ...args].map(quoted).join(' ');

export class Options {
    constructor(fields) {
        this.inputs = new Map();
        this.several = false; // whether there are two objects or more
        this.demanded = new Set();
        this.added = false;   // whether demand() has added questions
        for (const [name, text] of SWITCHES) {
            this.#add(fields, name, text, make('input', { type: 'checkbox' }), '');
        }
        this.#add(fields, 'animation', 'animation', make('select'), 'value');
        for (const [name, text, type] of VALUES) {
            this.#add(fields, name, text, make('input', { type, step: 'any', min: '0' }), 'value');
        }
        this.setAnimations([]);
        this.reset();
    }

    #add(fields, name, text, input, className) {
        input.id = `option-${name}`;
        this.inputs.set(name, input);
        fields.append(make('label', { className }, ...(className ? [text, input] : [input, text])));
    }

    // ---- depth and distance on demand

    asks(name) {
        return this.inputs.get(name).checked;
    }

    // whether the command takes an option for these objects: distances need two
    canAsk(name) {
        return name !== 'nearest' || this.several || this.asks('components');
    }

    // Switches an option of a question on or off. Without other questions the command would answer this one alone, so the
    // questions of its default are added, and taken away with the last demand.
    demand(name, on) {
        const [self, between] = ['self', 'between'].map((each) => this.inputs.get(each));
        this.inputs.get(name).checked = on;
        this.demanded[on ? 'add' : 'delete'](name);
        if (on && !self.checked && !between.checked) {
            self.checked = true;
            between.checked = this.several;
            this.added = true;
        } else if (this.added && !this.asks('depth') && !this.asks('nearest')) {
            self.checked = between.checked = false;
            this.added = false;
        }
    }

    // forgets what was demanded of other files
    forget() {
        [...this.demanded].forEach((name) => this.demand(name, false));
    }

    // ---- the form

    // the choices for a model with animations
    setAnimations(names) {
        const select = this.inputs.get('animation');
        const option = (value, text) => make('option', { value, textContent: text });
        select.replaceChildren(option('all', names.length > 0 ? `all ${names.length}, one after the other` : 'all'),
            ...names.map((name, i) => option(String(i), name || `number ${i}`)));
        select.disabled = names.length < 2;
    }

    reset() {
        for (const [name, input] of this.inputs) {
            input.checked = DEFAULTS[name] === true;
            if (input.type !== 'checkbox') {
                input.value = DEFAULTS[name] ?? '';
            }
        }
    }

    // the arguments after `abut check OBJECT...`
    args() {
        return [...this.inputs].flatMap(([name, input]) => {
            if (input.type === 'checkbox') {
                return input.checked ? [`--${name}`] : [];
            }
            return input.value.trim() === '' ? [] : [`--${name}`, input.value.trim()];
        });
    }

    get values() {
        return [...this.inputs].map(([name, input]) => [name, input.checked, input.value]);
    }

    set values(all) {
        for (const [name, checked, value] of all) {
            Object.assign(this.inputs.get(name), { value, checked });
        }
    }
}
