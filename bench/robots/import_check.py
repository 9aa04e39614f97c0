#!/usr/bin/env python3
"""Robot models read by `asperity import` and by MuJoCo: masses, centres of mass, inertias and poses beside each other.

  import_check.py ASPERITY PACKAGE/mujoco.js [--keyframe NAME] MODEL ...
  import_check.py ASPERITY own [--keyframe NAME] MODEL ...

PACKAGE: where `npm install @mujoco/mujoco` put it; skipped (code 77) where it is missing. own: own_oracle.py in its place,
which reads MJCF and URDF by itself. For each model: the relative error of
the mass of all that moves, the largest distance of centres of mass and of body frames (m), the largest difference of
orientations, the relative error of the inertia about the common centre of mass. Before them: how many elements were
translated, approximated and ignored. Where the import closed loops that the file leaves open, MuJoCo's kinematics are asked
at the same coordinates, and how far its constraints are open there.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))


def rotation(q):
    w, x, y, z = np.array(q) / np.linalg.norm(q)
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def total(parts):
    """Mass, centre and inertia about it of (mass, centre, inertia in world axes)."""
    mass = sum(m for m, _, _ in parts)
    if mass == 0:
        return 0.0, np.zeros(3), np.zeros((3, 3))
    centre = sum(m * c for m, c, _ in parts) / mass
    inertia = np.zeros((3, 3))
    for m, c, part in parts:
        d = c - centre
        inertia += part + m * (d @ d * np.eye(3) - np.outer(d, d))
    return mass, centre, inertia


def of_scene(scene):
    parts, frames = [], {}
    for body in scene["bodies"]:
        if body.get("fixed") or "motion" in body:
            continue
        R, p = rotation(body.get("orientation", [1, 0, 0, 0])), np.array(body.get("position", [0, 0, 0]), float)
        i = list(body["inertia"]) + [0, 0, 0]
        own = np.array([[i[0], i[3], i[4]], [i[3], i[1], i[5]], [i[4], i[5], i[2]]])
        parts.append((body["mass"], p + R @ np.array(body.get("center_of_mass", [0, 0, 0]), float), R @ own @ R.T))
        frames[body["name"]] = (p, R)
    return total(parts), frames


def of_mujoco(model):
    parts, frames = [], {}
    for body in model["bodies"]:
        if body["weld"] == 0:
            continue
        A = np.array(body["axes"]).reshape(3, 3)
        parts.append((body["mass"], np.array(body["centre"]), A @ np.diag(body["inertia"]) @ A.T))
        if body["name"]:
            frames[body["name"]] = (np.array(body["position"]), rotation(body["orientation"]))
    return total(parts), frames


def call(words):
    done = subprocess.run(words, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr.strip().splitlines()


def check(options, model):
    folder = tempfile.mkdtemp()
    try:
        return compare(options, model, folder)
    finally:
        shutil.rmtree(folder)


def compare(options, model, folder):
    out = os.path.join(folder, "scene.json")
    key = ["--keyframe", options.keyframe] if options.keyframe else []
    code, said, errors = call([options.asperity, "import", "--json", "--anywhere", *key, model, "-o", out])
    if code:
        return {"model": model, "error": errors[0] if errors else f"code {code}"}
    report = json.loads(said)
    with open(out) as file:
        (mass, centre, inertia), frames = of_scene(json.load(file))
    row = {"model": model, **{kind: report[kind] for kind in ("translated", "approximated", "ignored")}, "mass": mass}
    own = [sys.executable, os.path.join(HERE, "own_oracle.py"), model, "bodies"]
    there = ["node", os.path.join(HERE, "import_oracle.mjs"), options.package, model]
    closed = any("loops were open" in entry["reason"] for entry in report["entries"])
    if closed and options.package != "own":  # MuJoCo's kinematics at our coordinates, and its constraints there
        at = os.path.join(folder, "poses.json")
        with open(at, "w") as file, open(out) as scene:
            poses = {b["name"]: b.get("position", [0, 0, 0]) + b.get("orientation", [1, 0, 0, 0]) for b in json.load(scene)["bodies"]}
            json.dump(poses, file)
        there += ([options.keyframe] if options.keyframe else []) + ["--at", at]
        code, said, errors = call(there)
    else:
        code, said, errors = call((own if options.package == "own" else there) + ([options.keyframe] if options.keyframe else []))
    if code:
        row["oracle"] = next((line for line in errors if "Error:" in line), f"code {code}")
        return row
    (mass_o, centre_o, inertia_o), frames_o = of_mujoco(json.loads(said))
    row["open"] = json.loads(said).get("open", 0) if closed and options.package != "own" else None
    common = [name for name in frames if name in frames_o]
    row["mass_error"] = abs(mass - mass_o) / mass_o if mass_o else abs(mass)
    row["centre_error"] = float(np.linalg.norm(centre - centre_o))
    row["inertia_error"] = float(np.abs(inertia - inertia_o).max() / max(np.abs(inertia_o).max(), 1e-300)) if mass_o else 0
    row["position_error"] = max((float(np.linalg.norm(frames[n][0] - frames_o[n][0])) for n in common), default=0)
    row["orientation_error"] = max((float(np.abs(frames[n][1] - frames_o[n][1]).max()) for n in common), default=0)
    row["bodies"] = len(common)
    return row


def counts(row):
    return f"{row['translated']:5} {row['approximated']:4} {row['ignored']:4}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--keyframe")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("asperity")
    parser.add_argument("package")
    parser.add_argument("models", nargs="+")
    options = parser.parse_args()
    if options.package != "own" and not os.path.exists(options.package):
        print(f"skipped: {options.package} is missing (npm install @mujoco/mujoco)")
        sys.exit(77)
    rows = [check(options, model) for model in options.models]
    if options.json:
        print(json.dumps({"rows": rows}, indent=1))
        return
    for row in rows:
        name = "/".join(row["model"].split("/")[-2:])
        if "error" in row:
            print(f"{name:44} not imported: {row['error']}")
        elif "oracle" in row:
            print(f"{name:44} {counts(row)}  mass {row['mass']:.6g} kg; the oracle: {row['oracle'][:120]}")
        else:
            print(f"{name:44} {counts(row)}  mass {row['mass_error']:.1e}  centre {row['centre_error']:.1e}  "
                  f"inertia {row['inertia_error']:.1e}  fk {row['position_error']:.1e} {row['orientation_error']:.1e} "
                  f"({row['bodies']} bodies)" + ("" if row["open"] is None else f"; loops closed, there open by {row['open']:.1e}"))


main()
