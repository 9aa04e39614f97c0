#!/usr/bin/env python3
"""A second reader of MJCF and URDF, with equations of motion of its own: the answers of the oracles on MuJoCo, without it.

  own_oracle.py MODEL bodies [KEYFRAME]                 as import_oracle.mjs
  own_oracle.py MODEL accelerations COUNT [KEYFRAME]    as motion_oracle.mjs
  own_oracle.py MODEL swing SECONDS [KEYFRAME]

It shares no code with the program: ElementTree, joint coordinates, M(q) = sum of J^T m J + armature, Newton-Euler for what
depends on velocities (Featherstone, Rigid Body Dynamics Algorithms, ch. 5 and 6; in world axes), Runge-Kutta of order 4 for
swings (0.25 ms; 1 ms where there are more than eight coordinates). Meshes: MuJoCo's rule "legacy" (pyramids over the faces,
each counted positive: the tip in the middle of the surface for the centre of mass, then there for mass and inertia). What it
does not read (tendons with springs, fluids, springs of ball joints, mimic in motion, meshes that MuJoCo builds) ends it with a line that says so.
"""
import copy
import json
import math
import os
import random
import re
import sys
import xml.etree.ElementTree as ET

import numpy as np


def quat(R):
    """Of a rotation matrix."""
    K = np.array([[R[0, 0] - R[1, 1] - R[2, 2], 0, 0, 0], [R[0, 1] + R[1, 0], R[1, 1] - R[0, 0] - R[2, 2], 0, 0],
                  [R[0, 2] + R[2, 0], R[1, 2] + R[2, 1], R[2, 2] - R[0, 0] - R[1, 1], 0],
                  [R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1], np.trace(R)]]) / 3
    x, y, z, w = np.linalg.eigh(K)[1][:, 3]
    return np.array([w, x, y, z]) * (1 if w >= 0 else -1)


def matrix(q):
    w, x, y, z = np.array(q, float) / np.linalg.norm(q)
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def turn(axis, angle):
    """Rodrigues."""
    a = np.array(axis, float) / np.linalg.norm(axis)
    K = np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])
    return np.eye(3) + math.sin(angle) * K + (1 - math.cos(angle)) * K @ K


def to_z(v):
    v = np.array(v, float) / np.linalg.norm(v)
    across, c = np.cross([0, 0, 1.0], v), v[2]
    return turn(across, math.atan2(np.linalg.norm(across), c)) if np.linalg.norm(across) > 1e-14 else turn([1, 0, 0], 0 if c > 0 else math.pi)


class Mass:
    def __init__(self, m=0.0, c=(0, 0, 0), I=None):
        self.m, self.c, self.I = m, np.array(c, float), np.zeros((3, 3)) if I is None else np.array(I, float)

    def moved(self, R, p):
        return Mass(self.m, R @ self.c + p, R @ self.I @ R.T)

    def plus(self, other):
        if self.m + other.m == 0:
            return self
        c = (self.m * self.c + other.m * other.c) / (self.m + other.m)
        I = sum(x.I + x.m * ((x.c - c) @ (x.c - c) * np.eye(3) - np.outer(x.c - c, x.c - c)) for x in (self, other))
        return Mass(self.m + other.m, c, I)


class Joint:
    def __init__(self, **words):
        self.name = self.kind = None
        self.axis, self.point = np.array([0, 0, 1.0]), np.zeros(3)
        self.q0 = self.ref = self.rest = self.stiffness = self.damping = self.armature = 0.0
        self.range = self.start = None
        self.__dict__.update(words)

    def size(self):
        return {"free": 6, "ball": 3}.get(self.kind, 1)


class Body:
    def __init__(self, name, parent, R, p):
        self.name, self.parent, self.R, self.p, self.joints, self.mass, self.mocap = name, parent, R, p, [], Mass(), False


# ---- MJCF ----

def read_mesh(path, scale, refpos, refquat):
    """Triangles, n x 3 x 3."""
    if path.lower().endswith(".obj"):
        v, f = [], []
        for line in open(path):
            w = line.split()
            if w[:1] == ["v"]:
                v.append([float(x) for x in w[1:4]])
            elif w[:1] == ["f"]:
                k = [int(x.split("/")[0]) for x in w[1:]]
                k = [x - 1 if x > 0 else len(v) + x for x in k]
                f += [[k[0], k[i], k[i + 1]] for i in range(1, len(k) - 1)]
        T = np.array(v)[np.array(f)]
    else:
        raw = open(path, "rb").read()
        n = int.from_bytes(raw[80:84], "little")
        T = np.frombuffer(raw, np.dtype([("n", "<3f4"), ("v", "<9f4"), ("a", "<u2")]), n, 84)["v"].astype(float).reshape(-1, 3, 3)
    return ((T - refpos) @ matrix(refquat)) * scale  # matrix(q)^T x, as rows


def hull(points):
    from scipy.spatial import ConvexHull
    return points[ConvexHull(points).simplices]


def legacy(T):
    """Mass of density 1 by MuJoCo's rule."""
    cross = np.cross(T[:, 1] - T[:, 0], T[:, 2] - T[:, 0])
    area, middle = np.linalg.norm(cross, axis=1) / 2, T.mean(axis=1)
    hub = (area[:, None] * middle).sum(axis=0) / area.sum()
    vol = np.abs(np.einsum("ij,ij->i", cross, middle - hub)) / 6
    c = hub + 0.75 * (vol[:, None] * (middle - hub)).sum(axis=0) / vol.sum()
    D = T - c
    vol2 = np.abs(np.einsum("ij,ij->i", cross, D.mean(axis=1))) / 6
    P = np.zeros((3, 3))
    for j in range(3):
        for k in range(3):
            s = sum(2 * D[:, a, j] * D[:, a, k] for a in range(3))
            s = s + sum(D[:, a, j] * D[:, b, k] + D[:, a, k] * D[:, b, j] for a, b in ((0, 1), (0, 2), (1, 2)))
            P[j, k] = (vol2 * s).sum() / 20
    return Mass(vol2.sum(), c, np.trace(P) * np.eye(3) - P)


class Mjcf:
    def __init__(self, path, key):
        self.folder, self.bodies, self.actuators, self.meshes, self.odd, self.unnamed = os.path.dirname(path), [], [], {}, None, 0
        root = self.root = ET.parse(path).getroot()
        self.include(root)
        self.replicate(root)
        for word in ("composite", "flexcomp"):
            if root.find(f".//{word}") is not None:
                raise SystemExit(f"Error: {word} is not read by this script")
        self.compiler = {}
        for node in root.iter("compiler"):
            self.compiler.update(node.attrib)
        self.degrees = self.compiler.get("angle", "degree") == "degree"
        self.classes = {"main": (None, [])}
        for node in root.findall("default"):
            self.read_class(node, None)
        self.gravity = np.array([0, 0, -9.81])
        for node in root.findall("option"):
            if "gravity" in node.attrib:
                self.gravity = self.floats(node.get("gravity"))
            if any(float(node.get(k, 0)) for k in ("density", "viscosity")):
                self.odd = "fluids"
            for flag in node.findall("flag"):
                if flag.get("gravity") == "disable":
                    self.gravity = np.zeros(3)
        for world in root.findall("worldbody"):
            self.walk(world, -1, np.eye(3), np.zeros(3), "main")
        total = float(self.compiler.get("settotalmass", 0))
        if total > 0:
            by = total / sum(b.mass.m for b in self.bodies)
            for b in self.bodies:
                b.mass.m, b.mass.I = b.mass.m * by, b.mass.I * by
        joints = [j for b in self.bodies for j in b.joints]
        if key:
            keys = [k for k in root.iter("key") if k.get("name") == key]
            q = list(self.floats(keys[0].get("qpos", ""))) if keys else []
            for j in joints:
                n = {"free": 7, "ball": 4}.get(j.kind, 1)
                if q:
                    j.start, q = (q[0] if n == 1 else np.array(q[:n])), q[n:]
        for j in joints:
            if j.range and j.kind in ("hinge", "slide"):
                j.start = min(max(j.start, j.range[0]), j.range[1])
        acting = ("stiffness", "damping", "armature")
        self.tendons = any(float(self.words(t, "main", "tendon").get(k, 0)) for part in root.findall("tendon") for t in part for k in acting)
        self.read_actuators({j.name: j for j in joints})

    @staticmethod
    def floats(text):
        return np.array([float(x) for x in text.replace(",", " ").split()])

    def include(self, node):
        for i, child in reversed(list(enumerate(node))):
            self.include(child)
            if child.tag == "include":
                inner = ET.parse(os.path.join(self.folder, child.get("file"))).getroot()
                self.include(inner)
                node[i:i + 1] = list(inner)

    def replicate(self, node):
        """Frames in place of replicate, inner ones first: copy k is turned and moved k times; names get sep and k."""
        for i, child in reversed(list(enumerate(node))):
            self.replicate(child)
            if child.tag != "replicate":
                continue
            count, sep, frames = int(child.get("count", 0)), child.get("sep", ""), []
            digits = len(str(count))
            for k in range(count):
                frame = ET.Element("frame", {"repeat": str(k), **{w: child.get(w) for w in ("offset", "euler", "childclass") if w in child.attrib}})
                for part in copy.deepcopy(list(child)):
                    for named in part.iter():
                        if "name" in named.attrib:
                            named.set("name", f"{named.get('name')}{sep}{k:0{digits}d}")
                        elif named.tag == "attach":
                            named.set("suffix", f"{named.get('suffix', '')}{sep}{k:0{digits}d}")
                    frame.append(part)
                frames.append(frame)
            node[i:i + 1] = frames

    def repeated(self, node):
        """The frame of a copy: the pose of one step, as often as it says."""
        R, p = np.eye(3), np.zeros(3)
        if "repeat" not in node.attrib:
            return self.pose(node.attrib)
        step, move = self.pose({w: node.get(w) for w in ("euler",) if w in node.attrib})[0], self.floats(node.get("offset", "0 0 0"))
        for _ in range(int(node.get("repeat"))):
            R, p = R @ step, p + R @ move
        return R, p

    def read_class(self, node, parent):
        name = node.get("class", "main") if parent else "main"
        if not parent and node.get("class"):
            self.classes[node.get("class")] = self.classes["main"]
        elements = self.classes.setdefault(name, (parent, []))[1]
        for child in node:
            if child.tag == "default":
                self.read_class(child, name)
            else:
                elements.append(child)

    def defaults(self, name, tags):
        parent, elements = self.classes[name]
        return (self.defaults(parent, tags) if parent else []) + [e for e in elements if e.tag in tags]

    def words(self, node, inherited, tag=None):
        """Attributes with those of the class; a shorter list of numbers replaces the first of a longer one."""
        out = {}
        for part in self.defaults(node.get("class", inherited), (tag or node.tag,)) + [node]:
            for key, value in part.attrib.items():
                if key in ("size", "friction", "gear") and key in out:
                    old, new = out[key].split(), value.split()
                    value = " ".join(new + old[len(new):])
                if key in ("euler", "axisangle", "xyaxes", "zaxis"):
                    for other in ("euler", "axisangle", "xyaxes", "zaxis"):
                        out.pop(other, None)
                out[key] = value
        return out

    def angle(self, x):
        return math.radians(x) if self.degrees else x

    def pose(self, w):
        p = self.floats(w["pos"]) if "pos" in w else np.zeros(3)
        if "axisangle" in w:
            v = self.floats(w["axisangle"])
            return turn(v[:3], self.angle(v[3])), p
        if "euler" in w:
            R = np.eye(3)
            for letter, x in zip(self.compiler.get("eulerseq", "xyz"), self.floats(w["euler"])):
                part = turn(np.eye(3)["xyz".index(letter.lower())], self.angle(x))
                R = R @ part if letter.islower() else part @ R
            return R, p
        if "xyaxes" in w:
            v = self.floats(w["xyaxes"])
            x = v[:3] / np.linalg.norm(v[:3])
            y = v[3:] - x * (x @ v[3:])
            y /= np.linalg.norm(y)
            return np.column_stack([x, y, np.cross(x, y)]), p
        if "zaxis" in w:
            return to_z(self.floats(w["zaxis"])), p
        return matrix(self.floats(w["quat"])) if "quat" in w else np.eye(3), p

    def mesh(self, name):
        if name not in self.meshes:
            for node in self.root.iter("mesh"):
                file = node.get("file")
                if (node.get("name") or os.path.splitext(os.path.basename(file or ""))[0]) != name:
                    continue
                w = self.words(node, "main")
                if w.get("inertia", "legacy") != "legacy" or "builtin" in w:
                    raise SystemExit("Error: meshes that MuJoCo builds, and other rules than legacy, are not read by this script")
                if not file:
                    self.meshes[name] = legacy(hull(self.floats(w["vertex"]).reshape(-1, 3) * self.floats(w.get("scale", "1 1 1"))))
                    break
                where = os.path.join(self.folder, self.compiler.get("meshdir", self.compiler.get("assetdir", "")), file)
                self.meshes[name] = legacy(read_mesh(where, self.floats(w.get("scale", "1 1 1")), self.floats(w.get("refpos", "0 0 0")),
                                                     self.floats(w.get("refquat", "1 0 0 0"))))
        return self.meshes[name]

    def geom(self, node, inherited):
        """Its mass in the frame of the body."""
        w = self.words(node, inherited)
        R, p = self.pose(w)
        kind, s = w.get("type", "sphere"), list(self.floats(w.get("size", ""))) + [0, 0, 0]
        low, high = self.floats(self.compiler.get("inertiagrouprange", "0 5"))
        if kind in ("plane", "hfield") or not low <= float(w.get("group", 0)) <= high or float(w.get("mass", 1)) == 0:
            return Mass()
        if "fromto" in w:
            e = self.floats(w["fromto"])
            p, R, half = (e[:3] + e[3:]) / 2, to_z(e[:3] - e[3:]), np.linalg.norm(e[:3] - e[3:]) / 2
            s = [s[0], half, 0] if kind in ("capsule", "cylinder") else [s[0], s[0], half]
        r, h = s[0], s[1]
        if kind == "sphere":
            V, I = 4 / 3 * math.pi * r**3, [0.4 * r * r] * 3
        elif kind == "box":
            V, I = 8 * s[0] * s[1] * s[2], [(s[1]**2 + s[2]**2) / 3, (s[0]**2 + s[2]**2) / 3, (s[0]**2 + s[1]**2) / 3]
        elif kind == "ellipsoid":
            V, I = 4 / 3 * math.pi * s[0] * s[1] * s[2], [(s[1]**2 + s[2]**2) / 5, (s[0]**2 + s[2]**2) / 5, (s[0]**2 + s[1]**2) / 5]
        elif kind == "cylinder":
            V, I = 2 * math.pi * r * r * h, [(3 * r * r + 4 * h * h) / 12] * 2 + [r * r / 2]
        elif kind == "capsule":
            a, b = 2 * math.pi * r * r * h, 4 / 3 * math.pi * r**3
            V = a + b  # two half balls: 0.4 r^2, their centres at h + 3 r/8
            x = (a * (3 * r * r + 4 * h * h) / 12 + b * (0.4 * r * r + h * h + 0.75 * h * r)) / V
            I = [x, x, (a * r * r / 2 + b * 0.4 * r * r) / V]
        elif kind == "mesh":
            unit = self.mesh(w["mesh"])
            m = float(w["mass"]) if "mass" in w else float(w.get("density", 1000)) * unit.m
            return Mass(m, unit.c, unit.I * m / unit.m).moved(R, p)
        else:
            raise SystemExit(f"Error: geoms of type {kind} are not read by this script")
        m = float(w["mass"]) if "mass" in w else float(w.get("density", 1000)) * V
        return Mass(m, (0, 0, 0), m * np.diag(I)).moved(R, p)

    def joint(self, node, inherited, R, p):
        w = self.words(node, inherited, "joint") if node.tag == "joint" else {"type": "free", **node.attrib}
        j = Joint(name=w.get("name"), kind=w.get("type", "hinge"))
        unit = self.angle if j.kind == "hinge" else float
        j.axis = R @ self.floats(w.get("axis", "0 0 1"))
        if j.kind in ("hinge", "slide"):
            j.axis = j.axis / np.linalg.norm(j.axis)
        j.point = R @ self.floats(w.get("pos", "0 0 0")) + p
        j.ref = j.start = unit(float(w.get("ref", 0)))
        j.rest = unit(float(w.get("springref", 0)))
        j.stiffness, j.damping, j.armature = (float(w.get(k, "0").split()[0]) for k in ("stiffness", "damping", "armature"))
        auto = "range" in w and self.compiler.get("autolimits", "true") == "true"
        if w.get("limited", "auto") == "true" or (w.get("limited", "auto") == "auto" and auto):
            j.range = [unit(x) for x in self.floats(w["range"])]
            if not j.range[0] < j.range[1]:
                j.range = None
        if "actuatorfrcrange" in w:
            j.frcrange = self.floats(w["actuatorfrcrange"])
        if j.kind == "ball":
            if j.stiffness or j.damping or j.armature:
                self.odd = "springs of ball joints"
            j.start = np.array([1.0, 0, 0, 0])
        return j

    def attach(self, node, index, R, p):
        """A body of another model and what hangs on it, its names with the prefix."""
        if not node.get("model") or not node.get("body"):
            raise SystemExit("Error: attach of a frame is not read by this script")
        paths = {}
        for m in self.root.iter("model"):
            path = os.path.join(self.folder, m.get("file"))
            paths[m.get("name") or ET.parse(path).getroot().get("model")] = path
        sub = Mjcf(paths[node.get("model")], None)
        places = {}
        for i, body in enumerate(sub.bodies):
            if body.name == node.get("body") or body.parent in places:
                top = body.parent not in places
                body.parent = index if top else places[body.parent]
                body.R, body.p = (R @ body.R, R @ body.p + p) if top else (body.R, body.p)
                body.name = body.name and node.get("prefix", "") + body.name + node.get("suffix", "")
                for j in body.joints:
                    j.name = j.name and node.get("prefix", "") + j.name + node.get("suffix", "")
                    if j.kind == "free":
                        j.start = np.concatenate([body.p, quat(body.R)])
                places[i] = len(self.bodies)
                self.bodies.append(body)
        if sub.odd or sub.actuators:
            self.odd = "actuators of attached models"

    def walk(self, node, index, R, p, inherited):
        """What stands in a body or a frame in it; R, p: of the frame in the body."""
        body = self.bodies[index] if index >= 0 else None
        for child in node:
            if child.tag in ("joint", "freejoint"):
                joint = self.joint(child, inherited, R, p)
                if joint.kind == "free":
                    joint.start = np.concatenate([body.p, quat(body.R)])
                body.joints.append(joint)
            elif child.tag == "geom" and body:
                body.geoms.append((child, inherited, R, p))
            elif child.tag == "inertial" and body:
                Q, c = self.pose(child.attrib)
                I = np.diag(self.floats(child.get("diaginertia", "0 0 0")))
                if "fullinertia" in child.attrib:
                    a = self.floats(child.get("fullinertia"))
                    I = np.array([[a[0], a[3], a[4]], [a[3], a[1], a[5]], [a[4], a[5], a[2]]])
                body.given = Mass(float(child.get("mass")), (0, 0, 0), I).moved(Q, c).moved(R, p)
            elif child.tag == "attach":
                self.attach(child, index, R, p)
            elif child.tag == "frame":
                Q, c = self.repeated(child)
                self.walk(child, index, R @ Q, R @ c + p, child.get("childclass", inherited))
            elif child.tag == "body":
                self.add_body(child, index, R, p, inherited)

    def add_body(self, child, index, R, p, inherited):
        Q, c = self.pose(child.attrib)
        if not child.get("name"):
            self.unnamed += 1
        made = Body(child.get("name") or f"body{self.unnamed}", index, R @ Q, R @ c + p)
        made.geoms, made.given, made.mocap = [], None, child.get("mocap") == "true"
        if float(child.get("gravcomp", 0)):
            self.odd = "gravcomp"
        self.bodies.append(made)
        self.walk(child, len(self.bodies) - 1, np.eye(3), np.zeros(3), child.get("childclass", inherited))
        how = self.compiler.get("inertiafromgeom", "auto")
        if made.given and how != "true":
            made.mass = made.given
        elif how != "false":
            for geom, words, Q, c in made.geoms:
                made.mass = made.mass.plus(self.geom(geom, words).moved(Q, c))
        made.mass.m = max(made.mass.m, float(self.compiler.get("boundmass", 0)))
        least = float(self.compiler.get("boundinertia", 0))
        if least > 0:
            w, V = np.linalg.eigh(made.mass.I)
            made.mass.I = V @ np.diag(np.maximum(w, least)) @ V.T

    def read_actuators(self, joints):
        kinds = ("general", "motor", "position", "velocity")
        for section in self.root.findall("actuator"):
            for node in section:
                if node.tag not in kinds or node.get("joint") not in joints or joints[node.get("joint")].size() > 1:
                    self.actuators = None  # forces of these are not known here
                    return
                gain, bias, w = 1.0, [0.0] * 3, {}
                for part in self.defaults(node.get("class", "main"), kinds) + [node]:
                    w.update(part.attrib)
                    if part.tag == "motor":
                        gain, bias = 1.0, [0.0] * 3
                    elif part.tag == "position":
                        gain = float(part.get("kp", gain))
                        bias = [0, -gain, -float(part.get("kv", -bias[2]))]
                    elif part.tag == "velocity":
                        gain = float(part.get("kv", gain))
                        bias = [0, 0, -gain]
                    else:
                        gain = self.floats(part.get("gainprm", str(gain)))[0]
                        if "biasprm" in part.attrib:
                            bias = (list(self.floats(part.get("biasprm"))) + [0, 0, 0])[:3]
                if "dampratio" in w or "timeconst" in w or w.get("dyntype", "none") != "none" or "inheritrange" in w:
                    self.actuators = None
                    return
                if node.tag == "general" and w.get("biastype", "none") == "none":
                    bias = [0.0] * 3
                clip = lambda k: self.floats(w[k]) if k in w and w.get(k[:-5] + "limited", "auto") != "false" else None
                self.actuators.append((node.get("name"), joints[node.get("joint")], float(w.get("gear", "1").split()[0]), gain, bias,
                                       clip("ctrlrange"), clip("forcerange")))


# ---- URDF ----

def lenient(path):
    """The root, also of files that begin with text before the declaration, or lack its version or prefixes."""
    text = re.sub(r"^.*?(?=<\?xml|<robot)", "", open(path, encoding="utf-8", errors="replace").read(), flags=re.S)
    text = re.sub(r"<\?xml.*?\?>", "", text, flags=re.S)
    prefixes = set(re.findall(r"[<\s/]([A-Za-z_][\w.-]*):[A-Za-z_]", re.sub(r"<!--.*?-->|\"[^\"]*\"", "", text, flags=re.S))) - {"xmlns"}
    new = "".join(f' xmlns:{p}="urn:{p}"' for p in sorted(prefixes) if f"xmlns:{p}" not in text)
    return ET.fromstring(text.replace("<robot", "<robot" + new, 1))


class Urdf:
    def __init__(self, path, _key):
        root = lenient(path)
        links, joints = {l.get("name"): l for l in root.findall("link")}, root.findall("joint")
        self.bodies, self.actuators, self.gravity, self.tendons, self.odd = [], [], np.array([0, 0, -9.81]), False, None
        below = {j.find("child").get("link") for j in joints}
        on_world = [] if "world" in links else [j for j in joints if j.find("parent").get("link") == "world"]
        first = [(name, -1, np.eye(3), np.zeros(3), None) for name in links if name not in below]
        for item in first + [(j.find("child").get("link"), -1, *self.origin(j), j) for j in on_world]:
            queue = [item]
            while queue:
                queue += self.add(links, joints, *queue.pop(0))
        self.follow(joints)

    def follow(self, joints):
        """Joints that mimic others start where those put them, before limits."""
        by_name = {j.name: j for b in self.bodies for j in b.joints}
        for node in joints:
            mimic = node.find("mimic")
            if mimic is None or node.get("name") not in by_name:
                continue
            j, other = by_name[node.get("name")], by_name.get(mimic.get("joint"))
            j.start = float(mimic.get("multiplier", 1)) * (other.start if other else 0) + float(mimic.get("offset", 0))
            self.tendons = True  # coupled: no equations of motion here

    @staticmethod
    def origin(node):
        o = node.find("origin") if node is not None else None
        get = lambda k: [float(x) for x in ((o.get(k) if o is not None else None) or "0 0 0").replace(",", " ").split()]
        r, p, y = get("rpy")
        return turn([0, 0, 1], y) @ turn([0, 1, 0], p) @ turn([1, 0, 0], r), np.array(get("xyz"))

    def add(self, links, joints, name, parent, R, p, joint):
        link = links[name]
        body = Body(name, parent, R, p)
        inertial = link.find("inertial")
        if inertial is not None:
            I = {k: float(v) for k, v in inertial.find("inertia").attrib.items()} if inertial.find("inertia") is not None else {}
            g = lambda k: I.get(k, 0.0)
            body.mass = Mass(float(inertial.find("mass").get("value")), (0, 0, 0),
                             [[g("ixx"), g("ixy"), g("ixz")], [g("ixy"), g("iyy"), g("iyz")], [g("ixz"), g("iyz"), g("izz")]])
            body.mass = body.mass.moved(*self.origin(inertial))
        if joint is not None and joint.get("type") != "fixed":
            kind = {"revolute": "hinge", "continuous": "hinge", "prismatic": "slide", "floating": "free", "spherical": "ball"}[joint.get("type")]
            axis = joint.find("axis")
            j = Joint(name=joint.get("name"), kind=kind, start=np.array([1.0, 0, 0, 0]) if kind == "ball" else 0.0)
            j.axis = np.array([float(x) for x in (axis.get("xyz") if axis is not None else "1 0 0").split()])
            j.axis = j.axis / np.linalg.norm(j.axis)
            limit, dynamics = joint.find("limit"), joint.find("dynamics")
            if limit is not None and joint.get("type") in ("revolute", "prismatic"):
                low, high = float(limit.get("lower", 0)), float(limit.get("upper", 0))
                j.start = min(max(0.0, low), high) if low <= high else 0.0
            if dynamics is not None:
                j.damping = float(dynamics.get("damping", 0))
            most = float(limit.get("effort", 0)) if limit is not None else 0
            if 0 < most < 1e15 and kind in ("hinge", "slide"):
                self.actuators.append((j.name, j, 1.0, 1.0, [0.0] * 3, None, (-most, most)))
            if kind == "free":
                j.start = np.concatenate([p, quat(R)])
            body.joints.append(j)
        self.bodies.append(body)
        index = len(self.bodies) - 1
        return [(j.find("child").get("link"), index, *self.origin(j), j) for j in joints if j.find("parent").get("link") == name]


# ---- motion ----

class Motion:
    def __init__(self, model):
        self.model, self.joints = model, [j for b in model.bodies for j in b.joints]
        at = 0
        for j in self.joints:
            j.at, at = at, at + j.size()
        self.nv = at
        self.start = [j.start for j in self.joints]

    def forward(self, q, v=None, a=None):
        """Poses; with v the twists (w, of the origin v), Jacobians, and accelerations where those of the coordinates are a."""
        out, z = [], np.zeros(3)
        v = np.zeros(self.nv) if v is None else v
        a = np.zeros(self.nv) if a is None else a
        k = 0
        for body in self.model.bodies:
            up = out[body.parent] if body.parent >= 0 else (np.eye(3), z, z, z, z, z, np.zeros((6, self.nv)))
            R, p, w, u, dw, du, J = up
            arm = R @ body.p
            J = J.copy()
            J[3:] -= np.array([[0, -arm[2], arm[1]], [arm[2], 0, -arm[0]], [-arm[1], arm[0], 0]]) @ J[:3]
            u, du = u + np.cross(w, arm), du + np.cross(dw, arm) + np.cross(w, np.cross(w, arm))
            R, p = R @ body.R, p + arm
            for j in body.joints:
                x, s = q[k], slice(j.at, j.at + j.size())
                k += 1
                if j.kind == "free":  # linear velocity in the world, angular in the body
                    R, p = matrix(x[3:]), np.array(x[:3], float)
                    w, u = R @ v[s][3:], v[s][:3]
                    dw, du = R @ a[s][3:], a[s][:3]  # d(R w)/dt = R dw, as w x w = 0
                    J[:3, s], J[3:, s] = np.hstack([np.zeros((3, 3)), R]), np.hstack([np.eye(3), np.zeros((3, 3))])
                    continue
                axis = R @ j.axis
                if j.kind == "slide":
                    step = axis * (x - j.ref)
                    J[3:] -= np.array([[0, -step[2], step[1]], [step[2], 0, -step[0]], [-step[1], step[0], 0]]) @ J[:3]
                    u = u + np.cross(w, step)
                    du = du + np.cross(dw, step) + np.cross(w, np.cross(w, step)) + 2 * np.cross(w, axis * v[s][0]) + axis * a[s][0]
                    u, p = u + axis * v[s][0], p + step
                    J[3:, j.at] = axis
                    continue
                hub = R @ j.point  # the point that stays, from the origin
                Q = turn(j.axis, x - j.ref) if j.kind == "hinge" else matrix(x)
                R2 = R @ Q
                spin = axis[:, None] if j.kind == "hinge" else R2  # ball: rates in the frame of the child
                rate = spin @ v[s]
                u_hub, du_hub = u + np.cross(w, hub), du + np.cross(dw, hub) + np.cross(w, np.cross(w, hub))
                S = np.array([[0, -hub[2], hub[1]], [hub[2], 0, -hub[0]], [-hub[1], hub[0], 0]])
                J[3:] -= S @ J[:3]
                dw = dw + spin @ a[s] + np.cross(w, rate)
                w = w + rate
                J[:3, s] = spin
                arm = -(R2 @ j.point)
                u, du = u_hub + np.cross(w, arm), du_hub + np.cross(dw, arm) + np.cross(w, np.cross(w, arm))
                J[3:] -= np.array([[0, -arm[2], arm[1]], [arm[2], 0, -arm[0]], [-arm[1], arm[0], 0]]) @ J[:3]
                p, R = p + hub + arm, R2
            out.append((R, p, w, u, dw, du, J))
        return out

    def accelerate(self, q, v, ctrl=None, damped=True):
        M, f = np.zeros((self.nv, self.nv)), np.zeros(self.nv)
        for body, (R, _, w, _, dw, du, J) in zip(self.model.bodies, self.forward(q, v)):
            m, I = body.mass.m, R @ body.mass.I @ R.T
            c = R @ body.mass.c
            C = np.array([[0, -c[2], c[1]], [c[2], 0, -c[0]], [-c[1], c[0], 0]])
            Jc = J[3:] - C @ J[:3]
            ac = du + np.cross(dw, c) + np.cross(w, np.cross(w, c))
            M += m * Jc.T @ Jc + J[:3].T @ I @ J[:3]
            f -= m * Jc.T @ (ac - self.model.gravity) + J[:3].T @ (I @ dw + np.cross(w, I @ w))
        drive = np.zeros(self.nv)
        for (_, j, gear, gain, bias, crange, frange), u in zip(self.model.actuators or [], [] if ctrl is None else ctrl):
            u = min(max(u, crange[0]), crange[1]) if crange is not None else u
            force = gain * u + bias[0] + bias[1] * gear * q[self.joints.index(j)] + bias[2] * gear * v[j.at]
            force = min(max(force, frange[0]), frange[1]) if frange is not None else force
            drive[j.at] += gear * force
        for j, x in zip(self.joints, q):
            if j.kind in ("hinge", "slide"):
                if getattr(j, "frcrange", None) is not None:
                    drive[j.at] = min(max(drive[j.at], j.frcrange[0]), j.frcrange[1])
                M[j.at, j.at] += j.armature
                f[j.at] += -j.stiffness * (x - j.rest) - (j.damping * v[j.at] if damped else 0)
        return np.linalg.solve(M, f + drive) if self.nv else f

    def move(self, q, v, h):
        """Coordinates after h at constant rates."""
        out = []
        for j, x in zip(self.joints, q):
            r = v[j.at:j.at + j.size()]
            if j.kind in ("hinge", "slide"):
                out.append(x + h * r[0])
                continue
            w, old = (r[3:], x[3:]) if j.kind == "free" else (r, x)
            n = np.linalg.norm(w)
            new = quat(matrix(old) @ (turn(w, n * h) if n > 0 else np.eye(3)))
            out.append(np.concatenate([x[:3] + h * r[:3], new]) if j.kind == "free" else new)
        return out

    def told(self, q, v, a=None):
        said = {}
        for body, (R, p, w, u, dw, du, _) in zip(self.model.bodies, self.forward(q, v, a)):
            if body.name:
                said[body.name] = {"p": list(p), "q": list(quat(R)), "w": list(w), "v": list(u),
                                   "a": None if a is None else list(dw) + list(du)}
        return said


def main():
    path, what, rest = sys.argv[1], sys.argv[2], sys.argv[3:]
    amount, key = (0, rest[0] if rest else None) if what == "bodies" else (float(rest[0]), rest[1] if len(rest) > 1 else None)
    tag = "robot" if re.search(r"<robot[\s>]", open(path, errors="replace").read()) else "mujoco"
    model = {"mujoco": Mjcf, "robot": Urdf}[tag](path, key)
    motion, rows = Motion(model), []
    if what == "bodies":
        weld = []
        for body, (R, p, *_) in zip(model.bodies, motion.forward(motion.start)):
            weld.append(0 if body.mocap else len(rows) + 1 if body.joints else weld[body.parent] if body.parent >= 0 else 0)
            w, V = np.linalg.eigh(R @ body.mass.I @ R.T)
            rows.append({"name": body.name, "weld": weld[-1], "mass": body.mass.m, "inertia": list(w), "position": list(p),
                         "orientation": list(quat(R)), "centre": list(p + R @ body.mass.c), "axes": list(V.reshape(9))})
        print(json.dumps({"bodies": rows}))
        return
    if model.tendons or model.odd or (model.actuators is None and what == "accelerations"):
        raise SystemExit(f"Error: {model.odd or 'tendons or actuators of this kind'}: not read by this script")
    draw, said = random.Random(12345), {"actuators": [a[0] for a in model.actuators or []], "states": []}
    signed = lambda: 2 * draw.random() - 1
    if what == "accelerations":
        for _ in range(int(amount)):
            q = []
            for j in motion.joints:
                if j.kind in ("hinge", "slide"):
                    most = 1.2 if j.kind == "hinge" else 0.3
                    half = min(0.45 * (j.range[1] - j.range[0]), most) if j.range else most
                    q.append((min(max(j.start, j.range[0] + half), j.range[1] - half) if j.range else j.start) + half * signed())
                else:
                    r = np.array([1, 0.4 * signed(), 0.4 * signed(), 0.4 * signed()])
                    r /= np.linalg.norm(r)
                    q.append(np.concatenate([j.start[:3], r]) if j.kind == "free" else r)
            v = np.array([signed() for _ in range(motion.nv)])
            ctrl = [(c[0] + c[1]) / 2 + 0.6 * (c[1] - c[0]) * signed() if c is not None else signed() for *_, c, _ in model.actuators]
            said["states"].append({"ctrl": ctrl, "bodies": motion.told(q, v, motion.accelerate(q, v, ctrl))})
    else:
        q, v = motion.start, np.array([0.5 * signed() for _ in range(motion.nv)])
        h = 2.5e-4 if motion.nv <= 8 else 1e-3
        said["states"].append({"bodies": motion.told(q, v)})
        f = lambda q, v: motion.accelerate(q, v, None, False)
        for _ in range(round(amount / h)):
            k1 = f(q, v)
            q2, v2 = motion.move(q, v, h / 2), v + h / 2 * k1
            k2 = f(q2, v2)
            q3, v3 = motion.move(q, v2, h / 2), v + h / 2 * k2
            k3 = f(q3, v3)
            q4, v4 = motion.move(q, v3, h), v + h * k3
            q, v = motion.move(q, (v + 2 * v2 + 2 * v3 + v4) / 6, h), v + h / 6 * (k1 + 2 * k2 + 2 * k3 + f(q4, v4))
        said["states"].append({"bodies": motion.told(q, v)})
    print(json.dumps(said))


main()
