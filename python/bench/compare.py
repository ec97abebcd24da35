# SPDX-FileCopyrightText: 2026 The abut authors
# SPDX-License-Identifier: MIT
"""Which tool is right, and how fast: abut from Python beside C, Open3D, VTK and Blender, on the same meshes in the same run.

    compare.py PACKAGE_FOLDER [--quick]

Each row of the first table is a ratio: above 1, abut is faster. The second table counts pairs that each tool misses and
pairs that it invents. Where tools differ, integers decide (tests/exact_touch.py), and not abut. All coordinates are float32
numbers, so that tools that hold floats see the same mesh. A tool that is missing is named and left out.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Callable, Optional

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests"))
sys.path.insert(0, str(Path(sys.argv[1]).resolve()) if len(sys.argv) > 1 else "")

import abut  # noqa: E402
from exact_touch import integers, touch  # noqa: E402

Mesh = tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]
Pairs = set[tuple[int, int]]
QUICK = "--quick" in sys.argv


def sheet(n: int, fold: float) -> Mesh:
    """Returns a sheet of 2 (n - 1)^2 triangles with waves, which cuts itself where it folds."""
    x, y = np.meshgrid(np.linspace(0, 1, n), np.linspace(0, 1, n), indexing="ij")
    shift = fold * np.sin(25 * x + 3 * y) / 25
    points = np.stack([x + 3 * shift * np.cos(9 * y), y, shift * np.cos(40 * x)], -1).reshape(-1, 3)
    i = np.arange(n * n).reshape(n, n)
    faces = np.concatenate([np.stack([i[:-1, :-1], i[1:, :-1], i[1:, 1:]], -1).reshape(-1, 3),
                            np.stack([i[:-1, :-1], i[1:, 1:], i[:-1, 1:]], -1).reshape(-1, 3)])
    return points.astype(np.float32).astype(np.float64), faces


def median_seconds(work: Callable[[int], Any], rounds: int) -> float:
    seconds = []
    for number in range(rounds):
        start = time.perf_counter()
        work(number)
        seconds.append(time.perf_counter() - start)
    return float(np.median(seconds))


# ---- C beside Python

def c_program(folder: Path) -> Optional[Path]:
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    library = Path(abut.__file__).parent
    program = folder / "cloth"
    subprocess.run([compiler, "-O2", "-std=gnu17", f"-I{HERE.parents[1]}/include", str(HERE / "cloth.c"), "-o", str(program),
                    f"-L{library}", "-labut_python", f"-Wl,-rpath,{library}"], check=True)
    return program


def c_seconds(program: Path, folder: Path, frames: Any, faces: Any, rounds: int) -> tuple[float, int]:
    path = folder / "frames"
    head = np.array([frames.shape[1], len(faces), len(frames)], np.uint32)
    path.write_bytes(head.tobytes() + faces.astype(np.uint32).tobytes() + np.ascontiguousarray(frames).tobytes())
    told = subprocess.run([str(program), str(path), str(rounds)], check=True, capture_output=True, text=True).stdout
    seconds, found = told.split()
    return float(seconds), int(found)


def python_seconds(frames: Any, faces: Any, rounds: int) -> tuple[float, int]:
    context = abut.Context(threads=1)
    scene = abut.Scene(context=context)
    body = scene.add(abut.Shape(frames[0], faces, context=context))
    found = 0

    def step(number: int) -> None:
        nonlocal found
        body.positions = frames[number % len(frames)]
        found += len(scene.collide_self(body))

    return median_seconds(step, rounds), found


def rows_beside_c(folder: Path) -> list[tuple[str, float, float, float]]:
    program = c_program(folder)
    if program is None:
        print("no C compiler: two rows are left out")
        return []
    rows = []
    points, faces = sheet(91, 1.0)
    frames = np.stack([points + [0, 0, 0.01] * np.sin(30 * points[:, :1] + k) for k in range(8)])
    best: list[tuple[float, float]] = []
    for _ in range(1 if QUICK else 5):
        c, c_found = c_seconds(program, folder, frames, faces, 40 if QUICK else 200)
        python, found = python_seconds(frames, faces, 40 if QUICK else 200)
        assert found == c_found
        best.append((c, python))
    c, python = (float(np.median(column)) for column in zip(*best))
    rows.append(("C call over Python call, self cloth16k", python * 1e3, c * 1e3, c / python))
    triangle = np.array([[[0, 0, 0], [1, 0, 0], [0, 1, 0]]], float)
    best = [(c_seconds(program, folder, triangle, np.array([[0, 1, 2]]), 5000)[0],
             python_seconds(triangle, np.array([[0, 1, 2]]), 5000)[0]) for _ in range(1 if QUICK else 5)]
    c, python = (float(np.median(column)) for column in zip(*best))
    rows.append(("overhead of pose + self over C, 20 us over it", python * 1e3, c * 1e3, 20e-6 / max(python - c, 1e-9)))
    return rows


# ---- other tools: each returns seconds and pairs

def abut_self(mesh: Mesh) -> tuple[float, Pairs]:
    start = time.perf_counter()
    found = abut.self_intersections(*mesh)
    seconds = time.perf_counter() - start
    return seconds, {(int(a), int(b)) for a, b in found}


def open3d_self(mesh: Mesh) -> tuple[float, Pairs]:
    import open3d  # type: ignore[import]

    made = open3d.geometry.TriangleMesh(open3d.utility.Vector3dVector(mesh[0]), open3d.utility.Vector3iVector(mesh[1]))
    start = time.perf_counter()
    found = np.asarray(made.get_self_intersecting_triangles())
    seconds = time.perf_counter() - start
    return seconds, {(min(int(a), int(b)), max(int(a), int(b))) for a, b in found}


def vtk_filter(mesh_a: Mesh, mesh_b: Mesh) -> Any:
    """Returns VTK's collision filter for two meshes, all contacts, and the points of the first."""
    from vtkmodules.util.numpy_support import numpy_to_vtk, numpy_to_vtkIdTypeArray  # type: ignore[import]
    from vtkmodules.vtkCommonCore import vtkPoints  # type: ignore[import]
    from vtkmodules.vtkCommonDataModel import vtkCellArray, vtkPolyData  # type: ignore[import]
    from vtkmodules.vtkCommonMath import vtkMatrix4x4  # type: ignore[import]
    from vtkmodules.vtkFiltersModeling import vtkCollisionDetectionFilter  # type: ignore[import]

    filter_ = vtkCollisionDetectionFilter()
    datas = []
    for number, (points, faces) in enumerate((mesh_a, mesh_b)):
        coordinates = vtkPoints()
        coordinates.SetData(numpy_to_vtk(points, deep=True))
        cells = vtkCellArray()
        cells.ImportLegacyFormat(numpy_to_vtkIdTypeArray(
            np.c_[np.full(len(faces), 3), faces].astype(np.int64).ravel(), deep=True))
        data = vtkPolyData()
        data.SetPoints(coordinates)
        data.SetPolys(cells)
        filter_.SetInputData(number, data)
        filter_.SetMatrix(number, vtkMatrix4x4())
        datas.append((coordinates, data))
    filter_.SetBoxTolerance(0.0)
    filter_.SetCellTolerance(0.0)
    filter_.SetCollisionModeToAllContacts()
    filter_.GenerateScalarsOff()
    return filter_, datas


def vtk_pairs(filter_: Any) -> list[tuple[int, int]]:
    from vtkmodules.util.numpy_support import vtk_to_numpy

    if not filter_.GetNumberOfContacts():
        return []
    a, b = (vtk_to_numpy(filter_.GetContactCells(number)) for number in (0, 1))
    return list(zip(a.tolist(), b.tolist()))


def without_neighbours(pairs: Any, faces: Any) -> Pairs:
    corners = [set(face) for face in faces.tolist()]
    return {(min(a, b), max(a, b)) for a, b in pairs if a != b and not corners[a] & corners[b]}


def vtk_self(mesh: Mesh) -> tuple[float, Pairs]:
    filter_, _ = vtk_filter(mesh, mesh)
    start = time.perf_counter()
    filter_.Update()
    seconds = time.perf_counter() - start
    return seconds, without_neighbours(vtk_pairs(filter_), mesh[1])


BLENDER = """
import json, sys, time
import numpy as np
from mathutils.bvhtree import BVHTree
data = np.load(sys.argv[-1])
points, faces = data["points"].tolist(), data["faces"].tolist()
start = time.perf_counter()
tree = BVHTree.FromPolygons(points, faces, all_triangles=True, epsilon=0.0)
built = time.perf_counter()
found = tree.overlap(tree)
print("RESULT" + json.dumps([built - start, time.perf_counter() - built, found]))
"""


def blender_self(mesh: Mesh) -> tuple[float, Pairs]:
    if shutil.which("blender") is None:
        raise ImportError("blender")
    with tempfile.TemporaryDirectory() as folder:
        np.savez(Path(folder) / "mesh.npz", points=mesh[0], faces=mesh[1])
        (Path(folder) / "overlap.py").write_text(BLENDER)
        told = subprocess.run(["blender", "-b", "--factory-startup", "--python-exit-code", "3", "-P",
                               f"{folder}/overlap.py", "--", f"{folder}/mesh.npz"], capture_output=True, text=True, check=True)
    line = next(line for line in told.stdout.splitlines() if line.startswith("RESULT"))
    built, asked, found = json.loads(line[len("RESULT"):])
    return built + asked, without_neighbours(found, mesh[1])


TOOLS: dict[str, Callable[[Mesh], tuple[float, Pairs]]] = {
    "abut": abut_self, "Open3D": open3d_self, "VTK": vtk_self, "Blender BVHTree": blender_self,
}


def judge(mesh: Mesh, answers: dict[str, tuple[float, Pairs]]) -> Pairs:
    """Returns the right pairs: those that all tools find, and of the others those that integers confirm."""
    everybody = set.intersection(*(pairs for _, pairs in answers.values()))
    points = mesh[0]
    right = set(everybody)
    for a, b in set.union(*(pairs for _, pairs in answers.values())) - everybody:
        corners = integers([*points[mesh[1][a]], *points[mesh[1][b]]])
        if touch(corners[:3], corners[3:]):
            right.add((a, b))
    return right


def table_of_who_is_right(name: str, mesh: Mesh, rows: list[tuple[str, float, float, float]], label: dict[str, str]) -> None:
    answers = {}
    for tool, work in TOOLS.items():
        try:
            answers[tool] = min((work(mesh) for _ in range(1 if QUICK or tool != "abut" else 5)), key=lambda a: a[0])
        except ImportError as error:
            print(f"{tool} is missing ({error}): left out")
    right = judge(mesh, answers)
    print(f"\n{name}: {len(mesh[1])} triangles, {len(right)} pairs touch")
    print(f"  {'tool':<18} {'ms':>12} {'missed':>8} {'invented':>9}")
    for tool, (seconds, pairs) in answers.items():
        print(f"  {tool:<18} {seconds * 1e3:12.2f} {len(right - pairs):8} {len(pairs - right):9}")
    for tool, row in label.items():
        if tool in answers:
            ours, theirs = answers["abut"][0], answers[tool][0]
            rows.append((row, ours * 1e3, theirs * 1e3, theirs / ours))


def ball(n: int) -> Mesh:
    """Returns a ball of 4 n (n - 1) triangles in the middle of a sheet."""
    turn, height = np.meshgrid(np.linspace(0, 2 * np.pi, 2 * n, endpoint=False), np.linspace(0, np.pi, n + 1)[1:-1])
    rings = np.stack([np.cos(turn) * np.sin(height), np.sin(turn) * np.sin(height), np.cos(height)], -1).reshape(-1, 3)
    points = [0.5, 0.5, 0] + 0.3 * np.concatenate([rings, [[0, 0, 1], [0, 0, -1]]])
    i = np.arange(len(rings)).reshape(n - 1, 2 * n)
    j = np.roll(i, -1, axis=1)
    top, bottom = len(rings), len(rings) + 1
    faces = np.concatenate([np.stack(corners, -1).reshape(-1, 3) for corners in (
        (i[:-1], i[1:], j[1:]), (i[:-1], j[1:], j[:-1]),
        (np.full_like(i[0], top), i[0], j[0]), (np.full_like(i[0], bottom), j[-1], i[-1]))])
    return points.astype(np.float32).astype(np.float64), faces


def row_of_vtk(name: str, a: Mesh, b: Mesh, lift: float, rows: list[tuple[str, float, float, float]]) -> None:
    """Lifts the first mesh a little each frame."""
    frames = [a[0] + [0, 0, lift * k] for k in range(4 if QUICK else 8)]
    scene = abut.Scene(context=abut.Context(threads=1))
    moving, still = (scene.add(abut.Shape(*mesh, context=scene.context)) for mesh in (a, b))
    found: list[int] = []

    def ours(number: int) -> None:
        moving.positions = frames[number % len(frames)]
        found.append(len(scene.collide(moving, still)))

    seconds = median_seconds(ours, 10 * len(frames))
    print(f"\n{name}: {len(a[1])} and {len(b[1])} triangles, {int(np.median(found))} pairs touch")
    try:
        from vtkmodules.util.numpy_support import vtk_to_numpy
        filter_, datas = vtk_filter(a, b)
    except ImportError as error:
        print(f"VTK is missing ({error}): left out")
        return

    def theirs(number: int) -> None:
        points = datas[0][0]
        vtk_to_numpy(points.GetData())[:] = frames[number]
        points.Modified()
        datas[0][1].Modified()
        filter_.Update()

    rows.append((name, seconds * 1e3, (theirs_seconds := median_seconds(theirs, len(frames))) * 1e3, theirs_seconds / seconds))


AT_LEAST = {"C call over Python call, self cloth16k": 0.9, "overhead of pose + self over C, 20 us over it": 1.0,
            "self_intersections 100k vs Open3D": 100.0, "update + collide 20k vs VTK collision filter": 100.0,
            "self at a frame, 50k vs Blender BVHTree overlap": 3.0, "crossing sheets 20k vs VTK": 0.0}


def main() -> int:
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    rows: list[tuple[str, float, float, float]] = []
    print(f"abut {abut.__version__}, {abut.Context().isa}, Python {sys.version.split()[0]}, numpy {np.__version__}")
    with tempfile.TemporaryDirectory() as folder:
        rows += rows_beside_c(Path(folder))
    large = 41 if QUICK else 225
    table_of_who_is_right("sheet with folds", sheet(large, 1.0), rows, {"Open3D": "self_intersections 100k vs Open3D"})
    table_of_who_is_right("sheet, folded more", sheet(41 if QUICK else 159, 1.7), rows,
                          {"Blender BVHTree": "self at a frame, 50k vs Blender BVHTree overlap"})
    row_of_vtk("update + collide 20k vs VTK collision filter", sheet(72, 0.3), ball(51), 0.02, rows)
    row_of_vtk("crossing sheets 20k vs VTK", sheet(72, 1.0), sheet(72, 0.5), 0.002, rows)
    print(f"\n{'row':<50} {'abut, ms':>12} {'other, ms':>12} {'ratio':>9} {'at least':>9}")
    for name, ours, theirs, ratio in rows:
        print(f"{name:<50} {ours:12.4g} {theirs:12.4g} {ratio:9.3g} {AT_LEAST[name]:9.3g}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
