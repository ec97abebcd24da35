# SPDX-FileCopyrightText: 2026 The abut authors
# SPDX-License-Identifier: MIT
"""A lock for many readers or one writer: queries of a scene run at once, changes run alone."""

from __future__ import annotations

import threading


class Reading:
    """Lets queries in, any number at once."""

    __slots__ = ("_gate",)

    def __init__(self, gate: Gate) -> None:
        self._gate = gate

    def __enter__(self) -> None:
        gate = self._gate
        with gate.lock:
            while gate.writing or gate.waiting:
                gate.free.wait()
            gate.readers += 1

    def __exit__(self, *_: object) -> None:
        gate = self._gate
        with gate.lock:
            gate.readers -= 1
            if not gate.readers and gate.waiting:
                gate.free.notify_all()


class Writing:
    """Lets one change in, when all queries have ended. Changes that wait go before new queries."""

    __slots__ = ("_gate",)

    def __init__(self, gate: Gate) -> None:
        self._gate = gate

    def __enter__(self) -> None:
        gate = self._gate
        with gate.lock:
            gate.waiting += 1
            while gate.writing or gate.readers:
                gate.free.wait()
            gate.waiting -= 1
            gate.writing = True

    def __exit__(self, *_: object) -> None:
        gate = self._gate
        with gate.lock:
            gate.writing = False
            gate.free.notify_all()


class Gate:
    """The lock. `reading` and `writing_alone` are used with `with`."""

    __slots__ = ("lock", "free", "readers", "waiting", "writing", "reading", "writing_alone")

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.free = threading.Condition(self.lock)
        self.readers = 0
        self.waiting = 0
        self.writing = False
        self.reading = Reading(self)
        self.writing_alone = Writing(self)
