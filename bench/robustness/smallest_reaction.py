#!/usr/bin/env python3
"""The reaction of smallest norm by another way than the program's: smallest_reaction.py [--program P] FILE...

The velocities u of a solution fix the state of every contact: open (r = 0), sliding (r_T = -mu r_N u_T/|u_T|), sticking (r in K). The
reactions that give these velocities are the affine set W r = W r0 within a product of rays and cones; the one nearest to 0 in
the norm of (mu r_N, r_T) is found by Dykstra's alternating projections. A line per file: the norm of `asperity solve`, of
`asperity solve --minimum-norm`, of Dykstra's, and the distance between the last two reactions, relative.

Needs python3 with numpy, scipy and h5py.
"""
import argparse
import os
import subprocess
import tempfile

import h5py
import numpy as np

from judged_solves import Problem

OPEN = 1e-7  # velocity over the largest one, below which a contact is closed, or sticks
ROUNDS = 200000
STILL = 1e-13


def solve(program, path, *flags):
    with tempfile.TemporaryDirectory() as work:
        saved = os.path.join(work, "saved.hdf5")
        subprocess.run([program, "solve", "--quiet", "--polish", "--tol", "1e-9", *flags, "--save", saved, path], check=True)
        with h5py.File(saved, "r") as f:
            return f["solution/r"][:]


def project_on_states(x, u, small):
    """x in scaled rows; the nearest point that the states of the contacts allow."""
    r, u = x.reshape(len(small), -1).copy(), u.reshape(len(small), -1)
    slip = np.linalg.norm(u[:, 1:], axis=1)
    is_open, slides = u[:, 0] > small, slip > small
    direction = np.column_stack([np.ones(len(r)), -u[:, 1:] / np.where(slides, slip, 1)[:, None]])
    along = np.maximum(np.sum(r * direction, axis=1) / 2, 0)  # |direction|^2 = 2
    length = np.linalg.norm(r[:, 1:], axis=1)
    edge = np.maximum(r[:, 0] + length, 0) / 2
    on_cone = np.column_stack([edge, r[:, 1:] * (edge / np.where(length > 0, length, 1))[:, None]])
    stuck = np.where((length <= r[:, 0])[:, None], r, on_cone)
    return np.where(is_open[:, None], 0, np.where(slides[:, None], along[:, None] * direction, stuck)).ravel()


def dykstra(problem, r0, u):
    rows, d = len(r0), problem.dimension
    scale = np.ones(rows)
    scale[::d] = problem.mu
    W = np.array([problem.velocity(e) - problem.q for e in np.eye(rows)]).T / scale  # acts on scaled rows
    _, sizes, basis = np.linalg.svd(W)
    basis = basis[:np.sum(sizes > 1e-10 * sizes[0])]
    target = basis @ (scale * r0)
    small = np.full(len(problem.mu), OPEN * np.max(np.abs(problem.q)))
    x, correction = np.zeros(rows), np.zeros(rows)
    for _ in range(ROUNDS):
        on_plane = x - basis.T @ (basis @ x - target)
        after = project_on_states(on_plane + correction, u, small)
        correction += on_plane - after
        moved, x = np.linalg.norm(after - x), after
        if moved < STILL * np.linalg.norm(x):
            break
    return x, scale


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--program", default="build/release/cli/asperity")
    options = parser.parse_args()
    for path in options.files:
        problem = Problem(path)
        plain, smallest = solve(options.program, path), solve(options.program, path, "--minimum-norm")
        x, scale = dykstra(problem, plain, problem.velocity(plain))
        norm = np.linalg.norm
        print(f"{os.path.basename(path)}: plain {norm(scale * plain):.8g}, minimum-norm {norm(scale * smallest):.8g}, "
              f"Dykstra {norm(x):.8g}, apart {norm(scale * smallest - x) / norm(x):.1e}", flush=True)


if __name__ == "__main__":
    main()
