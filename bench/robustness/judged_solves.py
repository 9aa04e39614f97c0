#!/usr/bin/env python3
"""FCLIB problems through `asperity solve`, judged independently of the program.

    judged_solves.py run [options] SOURCE...      a CSV line per solve
    judged_solves.py table CSV... [--baseline F]  what was solved, as Markdown; --baseline: stored results of a peer

Every solve is a process of its own with a cold start. Its processor time (reading, set-up and saving included) is compared with
the limit, so that a busy machine does no harm; the wall clock gets `--patience` times as much. The reaction that the program
saved is read back, u = W r + q is recomputed from the problem's own file, and

    E1 = ||F_1|| / max(||q||, ||u||, ||r||),  E2 = ||F_rho|| / max(||r||, rho ||q||),  E3 = ||F_rho|| / (rho ||q||),
    F_rho = r - P_K(r - rho (u + mu ||u_T|| n)),  rho = rows / trace(W).

solved: E1 <= tol within the limit. false: the program said "solved" although E1 > tol or E2 > tol (beyond rounding).

--units L,M,T multiplies the units of length, mass and time: in contact space W is divided by M and q multiplied by L/T; dofs of
rigid bodies (sixes: three linear, three angular, M block diagonal) take their own powers of L.

Needs python3 with numpy, scipy and h5py.
"""
import argparse
import collections
import csv
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import h5py
import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as spla

FIELDS = ["file", "contacts", "length", "mass", "time", "solver", "tol", "status", "iterations", "cpu_s", "wall_s", "E1", "E2",
          "E3", "norm_r", "solved", "false"]
ROUNDING = 1 + 1e-3  # the program recomputes its residuals in another order
GRACE = 2  # s of processor time beyond the limit, then the process is ended
BODY = 6
LARGEST_DENSE = 3000  # columns solved for at once


def read_matrix(group):
    rows, columns = int(group["m"][0]), int(group["n"][0])
    if int(group["nz"][0]) != -1:
        raise ValueError(f"{group.name}: only compressed columns are judged")
    return sp.csc_matrix((group["x"][:], group["i"][:], group["p"][:]), shape=(rows, columns))


class Problem:
    """u = W r + q with W applied, never formed."""

    def __init__(self, path):
        with h5py.File(path, "r") as f:
            group = f["fclib_local"] if "fclib_local" in f else f["fclib_global"]
            self.dimension = int(group["spacedim"][0])
            self.mu = group["vectors/mu"][:]
            if "W" in group:
                self.W = read_matrix(group["W"])
                self.q = group["vectors/q"][:]
                trace = self.W.diagonal().sum()
            else:
                self.W = None
                self.H, self.lu = read_matrix(group["H"]), spla.splu(read_matrix(group["M"]))
                self.q = self.H.T @ self.lu.solve(group["vectors/f"][:]) + group["vectors/w"][:]
                trace = 0.0
                for first in range(0, self.H.shape[1], LARGEST_DENSE):
                    part = self.H[:, first:first + LARGEST_DENSE].toarray()
                    trace += float(np.sum(part * self.lu.solve(part)))
        self.rho = len(self.q) / trace

    def velocity(self, r):
        return (self.W @ r if self.W is not None else self.H.T @ self.lu.solve(self.H @ r)) + self.q

    def natural_map(self, r, u, rho):
        r, u = r.reshape(len(self.mu), -1), u.reshape(len(self.mu), -1)
        x = r - rho * u
        x[:, 0] -= rho * self.mu * np.linalg.norm(u[:, 1:], axis=1)
        slip = np.linalg.norm(x[:, 1:], axis=1)
        normal = np.maximum(x[:, 0] + self.mu * slip, 0) / (1 + self.mu**2)  # on the cone's boundary, or its tip
        factor = np.where(slip > 0, self.mu * normal / np.where(slip > 0, slip, 1), 0)
        inside = slip <= self.mu * x[:, 0]
        normal, factor = np.where(inside, x[:, 0], normal), np.where(inside, 1, factor)
        return np.linalg.norm(r - np.column_stack([normal, x[:, 1:] * factor[:, None]]))

    def judge(self, r):
        u, norm = self.velocity(r), np.linalg.norm
        scaled = self.natural_map(r, u, self.rho)
        return dict(E1=self.natural_map(r, u, 1.0) / (max(norm(self.q), norm(u), norm(r)) or 1.0),
                    E2=scaled / (max(norm(r), self.rho * norm(self.q)) or 1.0),
                    E3=scaled / (self.rho * norm(self.q) or 1.0), norm_r=norm(r))


def dof_factors(M, length):
    """What a velocity of each dof is multiplied by, beyond L/T: 1/L for the angular ones of rigid bodies."""
    M, n = M.tocoo(), M.shape[0]
    rigid = n % BODY == 0 and np.all(M.row // BODY == M.col // BODY)
    return np.where(np.arange(n) % BODY >= BODY // 2, 1 / length, 1.0) if rigid else np.ones(n)


def change_units(source, target, length, mass, duration):
    shutil.copyfile(source, target)
    speed = length / duration
    with h5py.File(target, "r+") as f:
        if "fclib_local" in f:
            group = f["fclib_local"]
            group["W/x"][:] = group["W/x"][:] / mass
            group["vectors/q"][:] = group["vectors/q"][:] * speed
            return
        group = f["fclib_global"]
        M, H = read_matrix(group["M"]), read_matrix(group["H"])
        factor = dof_factors(M, length)
        column = np.repeat(np.arange(M.shape[1]), np.diff(M.indptr))
        group["M/x"][:] = mass * M.data / factor[M.indices] / factor[column]
        group["H/x"][:] = H.data / factor[H.indices]
        group["vectors/f"][:] = mass * speed * group["vectors/f"][:] / factor
        group["vectors/w"][:] = speed * group["vectors/w"][:]


def find_files(sources):
    found = []
    for source in sources:
        if os.path.isdir(source):
            for folder, _, names in os.walk(source):
                found += [os.path.join(folder, name) for name in names if name.endswith(".hdf5")]
        else:
            found.append(source)
    return sorted(found, key=os.path.basename)


def solve(options, path, solver, tol, saved):
    if os.path.exists(saved):
        os.remove(saved)
    command = [options.program, "solve", "--json", "--solver", solver, "--tol", repr(tol), "--max-time",
               repr(options.limit * options.patience), "--save", saved, path]
    seconds = int(options.limit) + GRACE
    began = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                               env=dict(os.environ, OPENBLAS_NUM_THREADS="1"),
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds)))
    text = process.stdout.read()
    _, code, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(code)
    report = json.loads(text) if text.startswith("{") else {}
    ended = "ended at the limit" if process.returncode < 0 else f"exit code {process.returncode}"
    status = report.get("status", ended)
    return dict(status=status, iterations=report.get("iterations", 0), cpu_s=usage.ru_utime + usage.ru_stime,
                wall_s=time.monotonic() - began)


def run_one(options, problem, path, solver, tol, saved):
    row = solve(options, path, solver, tol, saved)
    row.update(solver=solver, tol=tol, E1=float("nan"), E2=float("nan"), E3=float("nan"), norm_r=float("nan"))
    if os.path.exists(saved):
        with h5py.File(saved, "r") as f:
            row.update(problem.judge(f["solution/r"][:]))
    row["solved"] = int(row["E1"] <= tol * ROUNDING and row["cpu_s"] <= options.limit)
    row["false"] = int(row["status"] == "solved" and not (row["E1"] <= tol * ROUNDING and row["E2"] <= tol * ROUNDING))
    return row


def run(options):
    files = [f for f in find_files(options.sources) if options.match in f]
    files = files[options.first::options.every]
    with tempfile.TemporaryDirectory() as work, open(options.csv, "w", newline="") as out:
        writer = csv.DictWriter(out, FIELDS)
        writer.writeheader()
        for units in options.units:
            for source in files:
                path = os.path.join(work, "problem.hdf5")
                change_units(source, path, *units)
                problem = Problem(path)
                for solver in options.solvers.split(","):
                    for tol in options.tol:
                        row = run_one(options, problem, path, solver, tol, os.path.join(work, "saved.hdf5"))
                        row.update(file=os.path.basename(source), contacts=len(problem.mu), length=units[0], mass=units[1],
                                   time=units[2])
                        writer.writerow({k: f"{v:.6g}" if isinstance(v, float) else v for k, v in row.items()})
                        out.flush()


def is_inflated(row, smallest):
    """Neither small E3 nor a norm within ten times the smallest one known for the problem."""
    norm = row["norm_r"] / (row["mass"] * row["length"] / row["time"])
    return row["E3"] > 100 * row["tol"] and norm > 10 * smallest[row["file"]]


def read_rows(paths):
    rows = []
    for path in paths:
        with open(path, newline="") as f:
            rows += list(csv.DictReader(f))
    for row in rows:
        for key in FIELDS:
            row[key] = row[key] if key in ("file", "solver", "status") else float(row[key])
    return rows


def peer_counts(path):
    counts = collections.Counter()
    with open(path, newline="") as f:
        for row in csv.DictReader(f):
            counts[row["solver"], float(row["tol"])] += int(row["solved"])
            counts[row["solver"], float(row["tol"]), "of"] += 1
    return counts


def table(options):
    rows = read_rows(options.sources)
    smallest = collections.defaultdict(lambda: float("inf"))
    for row in rows:
        if row["solved"] and row["E2"] <= 100 * row["tol"]:
            norm = row["norm_r"] / (row["mass"] * row["length"] / row["time"])
            smallest[row["file"]] = min(smallest[row["file"]], norm)
    groups = collections.defaultdict(list)
    for row in rows:
        groups[row["solver"], f"{row['length']:g}, {row['mass']:g}, {row['time']:g}", row["tol"]].append(row)
    print("| solver | units (L, M, T) | tol | solved | fraction | false | E2 > 100 tol | inflated | largest CPU s of solved |")
    print("|---|---|---|---|---|---|---|---|---|")
    for (solver, units, tol), group in groups.items():
        solved = [r for r in group if r["solved"]]
        print(f"| {solver} | {units} | {tol:g} | {len(solved)} of {len(group)} | {len(solved) / len(group):.3f} | "
              f"{sum(int(r['false']) for r in group)} | {sum(r['E2'] > 100 * tol for r in solved)} | "
              f"{sum(is_inflated(r, smallest) for r in solved)} | {max([r['cpu_s'] for r in solved], default=0):.2f} |")
    if options.baseline:
        print("\n| peer | tol | solved | fraction |\n|---|---|---|---|")
        counts = peer_counts(options.baseline)
        for key in sorted(k for k in counts if len(k) == 3):
            solved, of = counts[key[:2]], counts[key]
            print(f"| {key[0]} | {key[1]:g} | {solved} of {of} | {solved / of:.3f} |")
    if options.unsolved:
        for row in rows:
            if not row["solved"] or row["false"]:
                print(f"{row['solver']:8} {row['tol']:g} {row['length']:g},{row['mass']:g},{row['time']:g} {row['file'][:50]:50} "
                      f"{row['status']:16} E1 {row['E1']:.2e} E2 {row['E2']:.2e} {row['cpu_s']:.2f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["run", "table"])
    parser.add_argument("sources", nargs="+", help="run: folders or files; table: CSV files")
    parser.add_argument("--program", default="build/release/cli/asperity")
    parser.add_argument("--solvers", default="nsgs,admm,ipm,newton,aclm")
    parser.add_argument("--tol", default="1e-8", type=lambda s: [float(x) for x in s.split(",")])
    parser.add_argument("--units", default="1,1,1", help="L,M,T; several separated by colons",
                        type=lambda s: [tuple(float(x) for x in u.split(",")) for u in s.split(":")])
    parser.add_argument("--limit", default=10.0, type=float, help="processor time of a solve, s")
    parser.add_argument("--patience", default=10.0, type=float, help="wall-clock time over --limit")
    parser.add_argument("--every", default=1, type=int, help="every n-th file only")
    parser.add_argument("--first", default=0, type=int, help="index of the first file")
    parser.add_argument("--match", default="", help="only paths that hold this text")
    parser.add_argument("--csv", default="judged_solves.csv")
    parser.add_argument("--baseline")
    parser.add_argument("--unsolved", action="store_true", help="list what was not solved")
    options = parser.parse_args()
    run(options) if options.action == "run" else table(options)


if __name__ == "__main__":
    sys.exit(main())
