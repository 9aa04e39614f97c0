"""read_vtk.py RUN.pvd: what VTK's own reader finds, as JSON: per frame time, bodies' points and bounds, contacts' forces, beams' lines."""
import json
import os
import sys
import xml.etree.ElementTree as tree

from vtkmodules.vtkIOXML import vtkXMLPolyDataReader


def read(path):
    reader = vtkXMLPolyDataReader()
    reader.SetFileName(path)
    reader.Update()
    if reader.GetErrorCode():
        sys.exit(f"{path}: error {reader.GetErrorCode()}")
    return reader.GetOutput()


frames = {}
for entry in tree.parse(sys.argv[1]).getroot().iter("DataSet"):
    data = read(os.path.join(os.path.dirname(sys.argv[1]), entry.get("file")))
    frame = frames.setdefault(float(entry.get("timestep")), {})
    if entry.get("name") == "bodies":
        frame["points"], frame["polys"] = data.GetNumberOfPoints(), data.GetNumberOfPolys()
        frame["bounds"] = data.GetBounds()
        velocity = data.GetCellData().GetArray("velocity")
        frame["velocity"] = velocity.GetTuple(0) if frame["polys"] else None
    elif entry.get("name") == "beams":
        frame["lines"] = data.GetNumberOfLines()
    else:
        force = data.GetPointData().GetArray("force")
        frame["forces"] = [force.GetTuple(i) for i in range(data.GetNumberOfPoints())]
        frame["verts"] = data.GetNumberOfVerts()
json.dump([{"time": t, **frame} for t, frame in sorted(frames.items())], sys.stdout)
