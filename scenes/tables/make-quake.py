#!/usr/bin/env python3
"""Makes quake.csv: a synthetic accelerogram of 5,000 samples at 200 Hz, and computes how far a rigid block slides on it.

    ./make-quake.py > quake.csv          the record
    ./make-quake.py --slide 0.3          Newmark's sliding block: slip of a block with this friction coefficient, m

The ground's displacement is a sum of sines between 0.4 and 9 Hz under one envelope, with amplitudes of ground that
filters noise (Kanai 1957, Tajimi 1960: resonance at 2.5 Hz, damping 0.6); its second derivative is taken exactly, so
that velocity and displacement of the record end at zero but for what rounding and interpolation leave. The largest
acceleration is 5 m/s^2. Phases come from a generator written out here, so that the file never changes.

The block (Newmark 1965): w is its velocity relative to the ground, a the ground's acceleration, mu g what friction can
give. It sticks while |a| <= mu g, and slides with w' = -a - mu g sign(w) until w is zero. Small explicit steps; no part
of Asperity is used.
"""
import math
import sys

SAMPLES, RATE, PEAK, GRAVITY = 5000, 200.0, 5.0, 9.81
SINES, LOW, HIGH, GROUND, DAMPING = 60, 0.4, 9.0, 2.5, 0.6
RISE, DECAY, LENGTH = 3.0, 0.55, SAMPLES / RATE


def phases():
    state = 20261117
    for _ in range(SINES):
        state = (6364136223846793005 * state + 1442695040888963407) % 2**64
        yield 2 * math.pi * (state >> 11) / 2**53


def envelope(t):
    """(t/RISE)^3 exp(-DECAY t) (1 - (t/LENGTH)^4)^3 with its first two derivatives, by products of jets."""
    def product(f, g):
        return (f[0] * g[0], f[1] * g[0] + f[0] * g[1], f[2] * g[0] + 2 * f[1] * g[1] + f[0] * g[2])

    s = t / RISE
    rise = (s**3, 3 * s**2 / RISE, 6 * s / RISE**2)
    e = math.exp(-DECAY * t)
    fall = (e, -DECAY * e, DECAY**2 * e)
    b = 1 - (t / LENGTH) ** 4
    b1, b2 = -4 * t**3 / LENGTH**4, -12 * t**2 / LENGTH**4
    end = (b**3, 3 * b**2 * b1, 6 * b * b1**2 + 3 * b**2 * b2)
    return product(product(rise, fall), end)


def record():
    frequencies = [LOW * (HIGH / LOW) ** (i / (SINES - 1)) for i in range(SINES)]
    waves = []
    for f, phase in zip(frequencies, phases()):
        r = (f / GROUND) ** 2
        power = (1 + 4 * DAMPING**2 * r) / ((1 - r) ** 2 + 4 * DAMPING**2 * r)
        omega = 2 * math.pi * f
        waves.append((math.sqrt(power * f) / omega**2, omega, phase))
    accelerations = []
    for i in range(SAMPLES):
        t = i / RATE
        w, w1, w2 = envelope(t)
        total = 0.0
        for amplitude, omega, phase in waves:
            s, c = math.sin(omega * t + phase), math.cos(omega * t + phase)
            total += amplitude * (w2 * s + 2 * w1 * omega * c - w * omega**2 * s)
        accelerations.append(total)
    scale = PEAK / max(abs(a) for a in accelerations)
    return [float(f"{scale * a:.6f}") for a in accelerations]


def slide(accelerations, mu, parts=200):
    h, w, slip, limit = 1 / RATE / parts, 0.0, 0.0, mu * GRAVITY
    for left, right in zip(accelerations, accelerations[1:]):
        for k in range(parts):
            a = left + (right - left) * (k + 0.5) / parts
            if w == 0 and abs(a) <= limit:
                continue
            direction = math.copysign(1, w if w != 0 else -a)
            new = w + h * (-a - limit * direction)
            if w != 0 and new * w <= 0:  # stops within the step
                slip += w * h / 2 * w / (w - new)
                w = 0.0
            else:
                slip += h * (w + new) / 2
                w = new
    return slip


def main():
    accelerations = record()
    if len(sys.argv) == 3 and sys.argv[1] == "--slide":
        print(f"{slide(accelerations, float(sys.argv[2])):.6f}")
        return
    print("# synthetic, made by make-quake.py")
    print("time,accel")
    for i, a in enumerate(accelerations):
        print(f"{i / RATE:.3f},{a:.6f}")


if __name__ == "__main__":
    main()
