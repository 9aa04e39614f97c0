"""Chains of links of 0.2 m, joined by hinges, as scenes."""

LINK = 0.2  # m
KINDS = {"hanging": (10, 100, 1000), "swinging": (1, 2, 4, 8, 16, 32, 100, 1000), "dropped": (10, 100, 1000)}


def draw(links, kind):
    """hanging: from its end, straight, hinges about y; swinging: let go level, hinges about y and z in turn; dropped: the
    same, loose, with a ball in every link, 0.25 m above a floor with a bump every metre, beside the middle of the chain."""
    bodies, joints = [], []
    down = kind == "hanging"
    for i in range(links):
        along = LINK * (i + 0.5)
        position = [0, 0, -along] if down else [along, 0, 0.3 if kind == "dropped" else 0]
        body = {"name": f"link{i}", "mass": 0.1, "inertia": [3.5e-4, 3.5e-4, 3.5e-4], "position": position}
        if kind == "dropped":
            body["shapes"] = [{"type": "sphere", "radius": 0.05}]
        bodies.append(body)
        start = [0, 0, -LINK * i] if down else [LINK * i, 0, position[2]]
        if i > 0 or kind != "dropped":
            joints.append({"name": f"hinge{i}", "type": "revolute", "bodies": [f"link{i - 1}" if i else "ground", f"link{i}"],
                           "point": start, "axis": [0, 1, 0] if down or i % 2 == 0 else [0, 0, 1]})
    ground = {"name": "ground", "fixed": True}
    if kind == "dropped":
        bumps = range(0, round(links * LINK) + 1)
        ground["shapes"] = [{"type": "half-space"}] + [{"type": "sphere", "radius": 0.1, "position": [x, 0.03, 0]} for x in bumps]
    return {"name": f"chain {links} {kind}", "gravity": [0, 0, -9.81], "bodies": [ground] + bodies, "joints": joints,
            "materials": [{"pair": ["*", "*"], "friction": 0.5}] if kind == "dropped" else [],
            "run": {"dt": 1e-3, "until": 10}}


def all_of():
    return [draw(links, kind) for kind, sizes in KINDS.items() for links in sizes]
