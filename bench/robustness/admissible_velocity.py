#!/usr/bin/env python3
"""Does a global FCLIB problem have an admissible velocity, H^T v + w in K* for some v?

    admissible_velocity.py FILE...      a line per file: the largest margin t, and "yes" or "no"

Where there is one, a solution exists (Acary, Cadoux, Lemarechal, Malick, ZAMM 91, 2011). Where there is none, a self-stress H r = 0, r in K
with w.r < 0 exists (Farkas), along which methods let r grow; then a solution is not excluded, but nothing promises it.

    max t  over  (H^T v + w)_N - mu |(H^T v + w)_T| >= t |w|_max max(1, mu),  t <= 1

as a linear program, each cone inside a polygon of 128 sides. Needs python3 with numpy, scipy and h5py.
"""
import sys

import h5py
import numpy as np
from scipy.optimize import linprog

from judged_solves import read_matrix

SIDES = 128
ROUNDING = 1e-6


def margin(path):
    with h5py.File(path, "r") as f:
        group = f["fclib_global"]
        H, w, mu = read_matrix(group["H"]).toarray(), group["vectors/w"][:], group["vectors/mu"][:]
    scale = np.max(np.abs(w), initial=0) or 1.0
    rows, right = [], []
    for i, friction in enumerate(mu):
        block = slice(3 * i, 3 * i + 3)
        for angle in 2 * np.pi * np.arange(SIDES if friction > 0 else 1) / SIDES:
            side = np.array([1, friction * np.cos(angle), friction * np.sin(angle)]) / max(1, friction)
            rows.append(np.append(-(H[:, block] @ side), 1))
            right.append(side @ w[block] / scale)
    n = H.shape[0]
    result = linprog(np.append(np.zeros(n), -1), A_ub=np.array(rows), b_ub=right, bounds=[(None, None)] * n + [(None, 1)])
    return -result.fun if result.status == 0 else float("nan")


for path in sys.argv[1:]:
    t = margin(path)
    print(f"{path}: margin {t:.3g}, {'yes' if t >= -ROUNDING else 'no'}")
