# SPDX-FileCopyrightText: 2026 The abut authors
# SPDX-License-Identifier: MIT
"""A lock for many readers or one writer: queries of a scene run at once, changes run alone."""

from __future__ import annotations

import threading
from typing import Callable


class Reading:
    """Lets queries in, any number at once."""

    __slots__ = ("_gate",)

    def __init__(self, gate: Gate) -> None:
        self._gate = gate

    def __enter__(self) -> None:
        gate = self._gate
        with gate.lock:
            if gate.writing or gate.waiting:
                gate.sleep_while(lambda: gate.writing or gate.waiting > 0)
            gate.readers += 1

    def __exit__(self, *_: object) -> None:
        gate = self._gate
        with gate.lock:
            gate.readers -= 1
            if gate.sleepers and not gate.readers:
                gate.free.notify_all()


class Writing:
    """Lets one change in, when all queries have ended. Changes that wait go before new queries."""

    __slots__ = ("_gate",)

    def __init__(self, gate: Gate) -> None:
        self._gate = gate

    def __enter__(self) -> None:
        gate = self._gate
        with gate.lock:
            if gate.writing or gate.readers:
                gate.waiting += 1
                try:
                    gate.sleep_while(lambda: gate.writing or gate.readers > 0)
                finally:
                    gate.waiting -= 1
            gate.writing = True

    def __exit__(self, *_: object) -> None:
        gate = self._gate
        with gate.lock:
            gate.writing = False
            if gate.sleepers:
                gate.free.notify_all()


class Gate:
    """The lock. `reading` and `writing_alone` are used with `with`."""

    __slots__ = ("lock", "free", "readers", "waiting", "sleepers", "writing", "reading", "writing_alone")

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.free = threading.Condition(self.lock)
        self.readers = 0  # queries inside
        self.waiting = 0  # changes that wait
        self.sleepers = 0  # threads that wait
        self.writing = False  # a change is inside
        self.reading = Reading(self)
        self.writing_alone = Writing(self)

    def sleep_while(self, is_closed: Callable[[], bool]) -> None:
        """Waits, with the lock held, until the gate is open for the caller."""
        self.sleepers += 1
        try:
            while is_closed():
                self.free.wait()
        finally:
            self.sleepers -= 1
