#!/usr/bin/env python3
"""Robot models from their own files (MJCF) on Asperity and on MuJoCo: processor time per step, in turns, in one run.

`asperity import` writes the scene, at a keyframe where there is one; MuJoCo (libmujoco-dev, steps_mujoco) reads the file itself, without the
pictures and the meshes that are not there. Servos hold the keyframe on both sides, motors are off. Contacts are soft there
and rigid here, so that the two do not touch the same at every step.

  cmake --preset bench && cmake --build --preset bench --target asperity steps_asperity steps_mujoco
  bench/robots/imported.py --models FOLDER [--build build/bench] [--repeat N] [--steps N]

ratio      of the medians over chunks of steps; mean: over all steps, the dear ones count
uncert.    steps that are not certified, or not resolved
"""
import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

# folder, model, keyframe or None: as the file has it, whether servos hold it
MODELS = [("unitree_go1", "scene.xml", "home", True), ("shadow_hand", "scene_right.xml", None, True),
          ("agility_cassie", "scene.xml", "home", False)]
LIMIT = 300  # s that a run may take


def readable(text, folder):
    """The model without pictures, and with a tetrahedron in place of a mesh that is not there."""
    below = re.search(r'meshdir="([^"]*)"', text)

    def mesh(found):
        name = re.search(r'file="([^"]*)"', found[0])[1]
        if any(os.path.exists(os.path.join(folder, place, name)) for place in (below[1] if below else "", "assets")):
            return found[0]
        title = re.search(r'name="([^"]*)"', found[0])
        title = title[1] if title else os.path.splitext(os.path.basename(name))[0]
        return f'<mesh name="{title}" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>'

    def picture(found):
        name = re.search(r'name="([^"]*)"', found[0])
        name = name[1] if name else os.path.splitext(os.path.basename(re.search(r'file="([^"]*)"', found[0])[1]))[0]
        return f'<texture name="{name}" type="2d" builtin="flat" width="8" height="8"/>'

    text = re.sub(r'<texture[^>]*?file="[^"]*"[^>]*?/>', picture, text)
    return re.sub(r'<mesh[^>]*?file="[^"]*"[^>]*?/>', mesh, text)


def said_by(command, **rest):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=LIMIT, **rest)
    if done.returncode:
        sys.exit(f"{' '.join(str(w) for w in command)}: {done.stderr.strip()[-300:]}")
    return done.stdout


def measure(options, folder, entry):
    name, model, key, hold = entry
    own = os.path.join(folder, name)
    shutil.copytree(os.path.join(options.models, name), own, dirs_exist_ok=True)
    scene = os.path.join(folder, "scene.json")
    said_by([os.path.join(options.build, "cli/asperity"), "import", os.path.join(own, model), *(["--keyframe", key] if key else []),
             *(["--hold"] if hold else []), "-o", scene, "--quiet"])
    for file in os.listdir(own):
        if file.endswith(".xml"):
            path = os.path.join(own, file)
            with open(path, encoding="utf-8") as f:
                text = readable(f.read(), own)
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
    ours, theirs = [], []
    for _ in range(options.repeat):
        ours.append(json.loads(said_by([os.path.join(options.build, "bench/robots/steps_asperity"), scene, options.steps, 1])))
        theirs.append(json.loads(said_by([os.path.join(options.build, "bench/robots/steps_mujoco"), model, options.steps, 1, *([key] if key else [])], cwd=own)))
    us, mean, other = (statistics.median(said[key] for said in runs) for runs, key in ((ours, "us"), (ours, "mean"), (theirs, "us")))
    print(f"{name + (', ' + key if key else ''):30s} {ours[0]['contacts'] / options.steps:9.1f} {theirs[0]['contacts'] / options.steps:9.1f} {us:9.1f} {mean:9.1f} "
          f"{other:9.1f} {us / other:9.1f} {ours[0]['uncertified']:8d} {ours[0]['unresolved']:8d}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", required=True, help="folder of model folders: unitree_go1, shadow_hand, agility_cassie")
    parser.add_argument("--build", default="build/bench")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--steps", type=int, default=1000)
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    if not os.path.exists(os.path.join(options.build, "bench/robots/steps_mujoco")):
        sys.exit("no steps_mujoco: install libmujoco-dev and build the preset bench again")
    print("processor time per step, us\n%-30s %9s %9s %9s %9s %9s %9s %8s %8s" %
          ("model, keyframe", "contacts", "mujoco's", "asperity", "mean", "mujoco", "ratio", "uncert.", "unres."))
    with tempfile.TemporaryDirectory() as folder:
        for entry in MODELS:
            measure(options, folder, entry)


if __name__ == "__main__":
    main()
