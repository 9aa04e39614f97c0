"""Quaternions (w, x, y, z) for scripts that draw or turn scenes."""
import math


def product(a, b):
    w, x, y, z = a
    p, q, r, s = b
    return [w * p - x * q - y * r - z * s, w * q + x * p + y * s - z * r, w * r - x * s + y * p + z * q,
            w * s + x * r - y * q + z * p]


def turn(q, v):
    """The vector v, turned by q."""
    return product(product(q, [0] + list(v)), [q[0], -q[1], -q[2], -q[3]])[1:]


def axis_angle(axis, angle):
    s = math.sin(angle / 2)
    return [math.cos(angle / 2)] + [s * c for c in axis]


def drawn(draw):
    """A random rotation, all alike."""
    q = [draw.gauss(0, 1) for _ in range(4)]
    length = math.sqrt(sum(c * c for c in q))
    return [c / length for c in q]
