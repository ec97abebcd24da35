# SPDX-FileCopyrightText: 2026 The abut authors
# SPDX-License-Identifier: MIT
"""Checks frames and gathers events: intervals of frames in which two objects, or one with itself, touch."""

import abut
import numpy as np

from . import gather


class Contact:
    """What touches in a frame between two objects: pairs of triangles, and the polygons of each side."""

    def __init__(self, names, pairs, polygons):
        self.names = names
        self.pairs = pairs
        self.polygons = polygons


class Event:
    """An interval of frames in which two objects touch."""

    def __init__(self, names, first):
        self.names = names
        self.first = self.last = self.worst_frame = first
        self.worst = 0

    def add(self, frame, count):
        self.last = frame
        if count > self.worst:
            self.worst, self.worst_frame = count, frame

    @property
    def title(self):
        a, b = self.names
        return f"{a} with itself" if a == b else f"{a} and {b}"


class Checker:
    """The objects of a check as bodies of one scene."""

    def __init__(self, things, depsgraph, only_new=False):
        self.scene = abut.Scene()
        self.sources, self.bodies = [], []
        for thing in things:
            source = gather.source_of(thing, depsgraph)
            self.sources.append(source)
            self.bodies.append(self.scene.add(source.shape, name=thing.name))
        self.frames = {}  # number: contacts
        self.known = {}  # names: pairs of triangles that touch at rest
        if only_new:
            self.remember_rest(depsgraph)

    def remember_rest(self, depsgraph):
        """Remembers what touches at rest. Objects that are evaluated have no rest pose: their current frame counts."""
        for source, body in zip(self.sources, self.bodies):
            if not source.rest(body):
                source.update(body, depsgraph)
        for contact in self.ask():
            self.known[contact.names] = {tuple(pair) for pair in contact.pairs.tolist()}

    def update(self, depsgraph):
        for number, (source, body) in enumerate(zip(self.sources, self.bodies)):
            if not source.update(body, depsgraph):
                body.remove()
                self.sources[number] = gather.source_of(source.thing, depsgraph)
                self.bodies[number] = self.scene.add(self.sources[number].shape, name=source.thing.name)
                self.sources[number].update(self.bodies[number], depsgraph)

    def ask(self):
        """Returns the contacts of the current states."""
        rows = np.concatenate([self.scene.collide_all(), self.scene.collide_self_all()])
        number_of = {body.index: number for number, body in enumerate(self.bodies)}
        contacts = []
        keys = rows["body_a"].astype(np.int64) << 32 | rows["body_b"]
        for key in np.unique(keys):
            some = rows[keys == key]
            a, b = (self.sources[number_of[int(body)]] for body in (some["body_a"][0], some["body_b"][0]))
            pairs = np.stack([some["triangle_a"], some["triangle_b"]], axis=1)
            names = (a.thing.name, b.thing.name)
            known = self.known.get(names)
            if known:
                pairs = pairs[[tuple(pair) not in known for pair in pairs.tolist()]]
            if len(pairs):
                polygons = (np.unique(a.polygons[pairs[:, 0]]), np.unique(b.polygons[pairs[:, 1]]))
                contacts.append(Contact(names, pairs, polygons))
        return contacts

    def check(self, frame, depsgraph):
        """Checks the frame that the scene is in, and remembers what was found."""
        self.update(depsgraph)
        self.frames[frame] = self.ask()
        return self.frames[frame]

    def events(self):
        """Returns the events of all frames that were checked, worst first."""
        ended, running = [], {}
        for frame in sorted(self.frames):
            now = {contact.names: len(contact.pairs) for contact in self.frames[frame]}
            for names in [names for names in running if names not in now]:
                ended.append(running.pop(names))
            for names, count in now.items():
                running.setdefault(names, Event(names, frame)).add(frame, count)
        return sorted([*ended, *running.values()], key=lambda event: (-event.worst, event.first, event.names))

    def touching_polygons(self, frame):
        """Returns for each object's name the polygons that touch something in the frame."""
        found = {}
        for contact in self.frames.get(frame, []):
            for name, polygons in zip(contact.names, contact.polygons):
                found.setdefault(name, []).append(polygons)
        return {name: np.unique(np.concatenate(parts)) for name, parts in found.items()}

    def push_outs(self):
        """Returns translations that separate closed objects: name, a point on it, the translation."""
        found = []
        for i, a in enumerate(self.bodies):
            for b in self.bodies[i + 1:]:
                for region in self.scene.depth(a, b).regions:
                    found.append((a.name, region["point_a"], region["depth"] * region["direction"]))
        return found
