#!/usr/bin/env python3
"""Writes ../wall-under-quake.json: a dry wall of 60 blocks in running bond, and one block beside it, on shaken ground.

    ./make-wall.py > ../wall-under-quake.json
"""
import json

LENGTH, HEIGHT, DEPTH, GAP, COURSES, COUNT, DENSITY = 0.4, 0.2, 0.25, 0.004, 8, 7, 2000


def block(name, x, y, z, length):
    size = [round(length - GAP, 4), DEPTH, HEIGHT]
    return {"name": name, "position": [round(x, 4), y, z],
            "shapes": [{"type": "box", "size": size, "density": DENSITY, "material": "stone"}]}


def wall():
    for course in range(COURSES):
        z = round(HEIGHT * (course + 0.5), 4)
        lengths = [LENGTH] * COUNT if course % 2 == 0 else [LENGTH / 2] + [LENGTH] * (COUNT - 1) + [LENGTH / 2]
        x = -LENGTH * COUNT / 2
        for i, length in enumerate(lengths):
            yield block(f"block {course + 1}-{i + 1}", x + length / 2, 0, z, length)
            x += length


lines = [
    '{ "$schema": "../schema/scene.schema.json",',
    '  "name": "a dry wall of 60 blocks under an accelerogram",',
    '  "description": "The ground follows tables/quake.csv. Friction on the ground is smaller than between the blocks, so that the wall slides as one: like the single block beside it, which is Newmark\'s.",',
    '  "parameters": { "base": { "value": 0.2, "range": [0, 2], "description": "friction on the ground" },',
    '                  "stone": { "value": 0.7, "range": [0, 2], "description": "friction between blocks" },',
    '                  "scale": { "value": 1, "description": "of the record" },',
    '                  "duration": { "value": 25, "unit": "s", "range": [0, null] } },',
    '  "tables": [ { "name": "quake", "file": "tables/quake.csv", "argument": "time", "column": "accel", "integrate": 2 } ],',
    '  "gravity": [0, 0, -9.81],',
    '  "materials": [ { "pair": ["stone", "ground"], "friction": "base" }, { "pair": ["stone", "stone"], "friction": "stone" } ],',
    '  "bodies": [',
    '    { "name": "ground", "motion": { "position": ["scale*table(quake, t)", 0, 0] }, "shapes": [ { "type": "half-space", "material": "ground" } ] },',
]
bodies = list(wall())
assert len(bodies) == 60
bodies.append(block("single", 0, 2, HEIGHT / 2, LENGTH))
lines += ["    " + json.dumps(body) + ("," if body is not bodies[-1] else " ],") for body in bodies]
lines += [
    '  "probes": [ { "name": "wall slip", "value": "block_1_4.x - ground.x", "unit": "m" },',
    '              { "name": "top against foot", "value": "block_8_4.x - block_1_4.x + 0.2", "unit": "m" },',
    '              { "name": "single slip", "value": "single.x - ground.x", "unit": "m" } ],',
    '  "run": { "dt": 0.005, "until": "duration", "output_every": 10 } }',
]
print("\n".join(lines))
