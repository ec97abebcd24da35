# SPDX-FileCopyrightText: 2026 The abut authors
# SPDX-License-Identifier: MIT
"""A filter of VTK that marks touching triangles. It needs VTK's Python modules, also those inside ParaView.

    from abut.vtk import Contact
    contact = Contact()
    contact.SetInputConnection(reader.GetOutputPort())
    contact.Update()
    marks = contact.GetOutput().GetCellData().GetArray("touching")
"""

from __future__ import annotations

from typing import Any

import numpy as np
from vtkmodules.util.numpy_support import numpy_to_vtk  # type: ignore[import]
from vtkmodules.util.vtkAlgorithm import VTKPythonAlgorithmBase  # type: ignore[import]
from vtkmodules.vtkCommonDataModel import vtkPolyData  # type: ignore[import]

from ._meshes import triangles_of
from ._scene import Scene
from ._shape import Shape


class Contact(VTKPythonAlgorithmBase):  # type: ignore[misc]
    """Copies its first input and adds the cell array "touching": with how many triangles each one touches.

    With one input it looks for contact within the surface, with two for contact between them. Cells must be triangles.
    """

    def __init__(self) -> None:
        super().__init__(nInputPorts=2, nOutputPorts=1, inputType="vtkPolyData", outputType="vtkPolyData")
        self.margin = 0.0

    def SetMargin(self, margin: float) -> None:
        """Sets the distance at which triangles count as touching."""
        if margin != self.margin:
            self.margin = float(margin)
            self.Modified()

    def GetMargin(self) -> float:
        """Returns the distance at which triangles count as touching."""
        return self.margin

    def GetOutput(self) -> Any:
        """Returns the surface with its marks."""
        return self.GetOutputDataObject(0)

    def FillInputPortInformation(self, port: int, information: Any) -> int:
        """Called by VTK: the second input is optional."""
        information.Set(self.INPUT_REQUIRED_DATA_TYPE(), "vtkPolyData")
        if port == 1:
            information.Set(self.INPUT_IS_OPTIONAL(), 1)
        return 1

    def RequestData(self, request: Any, inputs: Any, outputs: Any) -> int:
        """Called by VTK: computes the output."""
        first = vtkPolyData.GetData(inputs[0], 0)
        second = vtkPolyData.GetData(inputs[1], 0) if inputs[1].GetNumberOfInformationObjects() else None
        scene = Scene()
        a = scene.add(Shape(*triangles_of(first, None)))
        if second is None:
            pairs = scene.collide_self(a, margin=self.margin)
            touching = np.concatenate([pairs["triangle_a"], pairs["triangle_b"]])
        else:
            touching = scene.collide(a, scene.add(Shape(*triangles_of(second, None))), margin=self.margin)["triangle_a"]
        marks = numpy_to_vtk(np.bincount(touching, minlength=a.shape.triangle_count).astype(np.int32), deep=True)
        marks.SetName("touching")
        output = vtkPolyData.GetData(outputs, 0)
        output.ShallowCopy(first)
        output.GetCellData().AddArray(marks)
        output.GetCellData().SetActiveScalars("touching")
        return 1
