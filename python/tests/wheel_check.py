"""wheel_check.py SCENE: the installed wheel steps a world, solves a problem, reads a result and makes its page, with its own libraries."""

import importlib.metadata
import os
import sys

import numpy as np

import asperity

world = asperity.World(asperity.Model.from_file(sys.argv[1]))
run = world.run(out="ball.h5")
assert run.certified and run.resolved
assert abs(world.body("ball").velocity[0] - 10 / 7) < 1e-9
assert asperity.Result("ball.h5").bodies["ball.x"].shape == (6,)
assert importlib.metadata.version("asperity") == asperity.__version__
problem = asperity.ContactProblem(M=np.eye(3), H=np.eye(3), f=[-9.81, 2.9, 0], mu=[0.25])
assert problem.solve().solved
with open("/proc/self/maps", encoding="utf-8") as file:
    mapped = {line.split()[-1] for line in file if ".so" in line}
ours = [path for path in mapped if "asperity.libs" in path]
foreign = [path for path in mapped if os.path.basename(path).startswith(("libasperity", "libhdf5", "libcjson", "libsundials", "libamd")) and path not in ours]
assert ours and not foreign, foreign
print(f"asperity {asperity.__version__}, Python {sys.version.split()[0]}, numpy {np.__version__}: {len(ours)} bundled libraries loaded, all checks passed")
