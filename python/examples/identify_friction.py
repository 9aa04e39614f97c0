"""Friction from a measured slide: a box is pushed off at 1.5 m/s and its way is measured; which mu fits?

Many runs at once (rollout), one model for each mu by a parameter of the scene; then the parabola through the best three."""

import asperity
import numpy as np

scene = {
    "gravity": [0, 0, -9.81],
    "parameters": {"mu": 0.3},
    "materials": [{"pair": ["steel", "wood"], "friction": "mu"}],
    "bodies": [
        {"name": "table", "fixed": True, "shapes": [{"type": "half-space", "material": "wood"}]},
        {"name": "box", "mass": 0.5, "position": [0, 0, 0.05], "velocity": [1.5, 0, 0],
         "shapes": [{"type": "box", "size": [0.2, 0.1, 0.1], "material": "steel"}]},
    ],
    "run": {"dt": 0.005},
}
times = 0.05 * np.arange(1, 9)
noise = 1e-4 * np.array([1, -2, 0, 1, 2, -1, 0, -1])  # m
truth = 0.27
measured = 1.5 * times - truth * 9.81 * times**2 / 2 + noise


def misfit(mu):
    model = asperity.Model.from_dict(scene, parameters={"mu": mu})
    out = asperity.rollout(model, steps=80)
    assert out.certified.all()
    way = out.states[0, 9::10, 1 + 7]  # x of the box, body 1
    return ((way - measured) ** 2).sum()


grid = np.linspace(0.2, 0.35, 16)
errors = np.array([misfit(mu) for mu in grid])
best = int(errors.argmin())
parabola = np.polyfit(grid[best - 1 : best + 2], errors[best - 1 : best + 2], 2)
print(f"mu = {-parabola[1] / (2 * parabola[0]):.3f}, measured with mu = {truth}")
