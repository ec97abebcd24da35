# SPDX-FileCopyrightText: 2026 The abut authors
# SPDX-License-Identifier: MIT
"""A body model as SMPL has it: shape fields, skinning weights, a pose. Where does it touch itself?"""

import numpy as np

import abut

# a tube of 40 rings with 24 vertices each, which bends at its middle
rings, around = 40, 24
height, angle = np.meshgrid(np.linspace(0, 2, rings), np.linspace(0, 2 * np.pi, around, endpoint=False), indexing="ij")
V = np.stack([0.2 * np.cos(angle), 0.2 * np.sin(angle), height], -1).reshape(-1, 3)
corner = np.arange(rings * around).reshape(rings, around)
here, up, side = corner[:-1], corner[1:], np.roll(corner, -1, axis=1)
F = np.concatenate([np.stack([here, side[:-1], up], -1).reshape(-1, 3),
                    np.stack([side[:-1], side[1:], up], -1).reshape(-1, 3)])

# ten lines: fields that make it thicker, weights of two bones, poses
bend = 1 / (1 + np.exp(-8 * (V[:, 2] - 1)))
thicker = V * [1, 1, 0]
shape = abut.Shape(V, F, fields=[thicker], weights=np.stack([1 - bend, bend], axis=1))
scene = abut.Scene()
body = scene.add(shape, name="arm")
for degrees in (0, 60, 120, 170):
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    forearm = np.array([[1, 0, 0, 0], [0, c, -s, s], [0, s, c, 1 - c]])
    body.pose([np.eye(3, 4), forearm], coordinates=[0.5])
    print(f"{degrees:3} degrees: {len(scene.collide_self(body))} pairs of triangles touch")
