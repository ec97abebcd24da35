# SPDX-FileCopyrightText: 2026 The abut authors
# SPDX-License-Identifier: MIT
"""Objects of Blender as bodies of abut.

An object whose only modifier is an armature, or that only has shape keys, becomes a skinned body: a frame sets its bones and
keys, and queries move the vertices that they need. Every other object is evaluated, and its vertices are set.
"""

import numpy as np

import abut


def triangles(mesh):
    """Returns vertices, triangles and the polygon of each triangle."""
    mesh.calc_loop_triangles()
    points = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", points)
    corners = np.empty(3 * len(mesh.loop_triangles), np.int32)
    mesh.loop_triangles.foreach_get("vertices", corners)
    polygons = np.empty(len(mesh.loop_triangles), np.int32)
    mesh.loop_triangles.foreach_get("polygon_index", polygons)
    return points.reshape(-1, 3), corners.reshape(-1, 3), polygons


def visible_modifiers(thing):
    return [modifier for modifier in thing.modifiers if modifier.show_viewport]


def is_plain_key(block, basis):
    return block.relative_key == basis and not block.vertex_group


def can_be_skinned(thing):
    """Returns whether vertices follow from bones and shape keys alone, by linear blending."""
    modifiers = visible_modifiers(thing)
    keys = thing.data.shape_keys
    if keys is not None and (not keys.use_relative or keys.key_blocks is None or thing.show_only_shape_key):
        return False
    if keys is not None and not all(is_plain_key(block, keys.reference_key) for block in keys.key_blocks[1:]):
        return False
    if not modifiers:
        return keys is not None
    only = modifiers[0]
    return (len(modifiers) == 1 and only.type == "ARMATURE" and only.object is not None and only.use_vertex_groups
            and not only.use_bone_envelopes and not only.use_deform_preserve_volume and not only.vertex_group
            and not only.use_multi_modifier)


class Evaluated:
    """An object whose evaluated mesh is read in every frame, in world coordinates."""

    def __init__(self, thing, depsgraph):
        self.thing = thing
        points, self.faces, self.polygons = self.read(depsgraph)
        self.shape = abut.Shape(points, self.faces)

    def read(self, depsgraph):
        evaluated = self.thing.evaluated_get(depsgraph)
        mesh = evaluated.to_mesh()
        try:
            points, faces, polygons = triangles(mesh)
        finally:
            evaluated.to_mesh_clear()
        matrix = np.array(evaluated.matrix_world, float)
        return points @ matrix[:3, :3].T + matrix[:3, 3], faces, polygons

    def update(self, body, depsgraph):
        """Sets the state of this frame. Returns False if the triangles changed, so that the body must be made again."""
        points, faces, polygons = self.read(depsgraph)
        if len(points) != self.shape.vertex_count or not np.array_equal(faces, self.faces):
            return False
        body.positions = points
        return True

    def rest(self, body):
        return False


class Skinned:
    """An object that bones and shape keys move."""

    def __init__(self, thing, depsgraph):
        self.thing = thing
        mesh = thing.data
        points, self.faces, self.polygons = triangles(mesh)
        keys = mesh.shape_keys
        self.keys = [] if keys is None else list(keys.key_blocks[1:])
        if keys is not None:
            points = self.key_points(keys.reference_key, len(points))
        fields = [self.key_points(key, len(points)) - points for key in self.keys]
        modifiers = visible_modifiers(thing)
        self.armature = modifiers[0].object if modifiers else None
        self.bones = self.used_bones()
        weights = self.read_weights(len(points))
        self.shape = abut.Shape(points.astype(np.float64), self.faces, weights=weights, normalise=True,
                                fields=[field.astype(np.float64) for field in fields] if fields else None)

    @staticmethod
    def key_points(key, count):
        points = np.empty(3 * count, np.float32)
        key.data.foreach_get("co", points)
        return points.reshape(-1, 3)

    def used_bones(self):
        """Returns pairs of a vertex group and a bone; groups of other names move nothing."""
        if self.armature is None:
            return []
        bones = self.armature.data.bones
        return [(group.index, group.name) for group in self.thing.vertex_groups
                if group.name in bones and bones[group.name].use_deform]

    def read_weights(self, count):
        """Returns a dense matrix. Its last column is the object itself, for vertices that no bone moves."""
        weights = np.zeros((count, len(self.bones) + 1))
        column = {group: number for number, (group, _) in enumerate(self.bones)}
        for vertex in self.thing.data.vertices:
            for element in vertex.groups:
                if element.group in column:
                    weights[vertex.index, column[element.group]] = element.weight
        weights[weights.sum(axis=1) <= 0, -1] = 1
        return weights

    def transforms(self):
        """Returns the world transform of each bone's vertices in this frame, and that of the object."""
        world = np.array(self.thing.matrix_world, float)
        if self.armature is None:
            return world[None]
        into = np.linalg.inv(np.array(self.armature.matrix_world, float)) @ world
        out = np.array(self.armature.matrix_world, float)
        found = []
        for _, name in self.bones:
            pose = np.array(self.armature.pose.bones[name].matrix, float)
            rest = np.array(self.armature.data.bones[name].matrix_local, float)
            found.append(out @ pose @ np.linalg.inv(rest) @ into)
        return np.array([*found, world])

    def update(self, body, depsgraph):
        body.pose(self.transforms()[:, :3], [0.0 if key.mute else key.value for key in self.keys])
        return True

    def rest(self, body):
        """Puts the body into its rest pose. Returns whether it has one."""
        world = np.array(self.thing.matrix_world, float)[:3]
        body.pose(np.repeat(world[None], self.shape.node_count, axis=0), np.zeros(len(self.keys)))
        return True


def source_of(thing, depsgraph):
    """Returns the source of an object's states."""
    if can_be_skinned(thing):
        return Skinned(thing, depsgraph)
    return Evaluated(thing, depsgraph)
