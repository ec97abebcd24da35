# SPDX-FileCopyrightText: 2026 The abut authors
# SPDX-License-Identifier: MIT
"""A sheet falls on a ball: which triangles touch, and when in each step they first do."""

import numpy as np

import abut

n = 40
x, y = np.meshgrid(np.linspace(-1, 1, n), np.linspace(-1, 1, n), indexing="ij")
sheet = np.stack([x, y, np.zeros_like(x)], -1).reshape(-1, 3)
i = np.arange(n * n).reshape(n, n)
faces = np.concatenate([np.stack([i[:-1, :-1], i[1:, :-1], i[1:, 1:]], -1).reshape(-1, 3),
                        np.stack([i[:-1, :-1], i[1:, 1:], i[:-1, 1:]], -1).reshape(-1, 3)])
u, v = np.meshgrid(np.linspace(0, np.pi, 20), np.linspace(0, 2 * np.pi, 40, endpoint=False), indexing="ij")
ball = np.stack([np.sin(u) * np.cos(v), np.sin(u) * np.sin(v), np.cos(u)], -1).reshape(-1, 3) * 0.5
j = np.arange(20 * 40).reshape(20, 40)
ball_faces = np.stack([j[:-1], j[1:], np.roll(j, -1, axis=1)[:-1]], -1).reshape(-1, 3)

scene = abut.Scene()
cloth = scene.add(abut.Shape(sheet, faces), name="cloth")
scene.add(abut.Shape(ball, ball_faces), name="ball", static=True)
cloth.positions = sheet + [0, 0, 0.62]
for step in range(1, 6):
    cloth.positions = sheet + [0, 0, 0.62 - 0.05 * step]
    contacts = scene.sweep_all()
    first = f"first at {contacts['time'].min():.3f} of the step" if len(contacts) else "none"
    print(f"step {step}: {len(scene.collide_all())} pairs touch; contacts in the step: {first}")
