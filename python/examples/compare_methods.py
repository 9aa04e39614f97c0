"""FCLIB problems solved by several methods: which reach the tolerance, in how many iterations?

compare_methods.py [FILE.hdf5 ...]"""

import glob
import os
import sys

import asperity

here = os.path.dirname(os.path.realpath(__file__))
files = sys.argv[1:] or sorted(glob.glob(os.path.join(here, "../../tests/data/fclib/*.hdf5")))[:2]
for path in files:
    problem = asperity.ContactProblem.from_fclib(path)
    print(f"{os.path.basename(path)}: {problem}")
    for method in ("auto", "ipm"):
        history = []
        solution = problem.solve(method, tolerance=1e-8, callback=lambda i, name, residual: history.append(residual))
        print(f"  {method}: {solution.status}, E2 below 1e-8: {solution.residual < 1e-8}, callbacks: {len(history) > 0}")
