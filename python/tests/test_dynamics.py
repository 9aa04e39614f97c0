"""Mass matrix, Jacobians, forward and inverse dynamics, all solutions, statics: against closed forms and differences."""

import unittest

import asperity
import numpy as np
from asperity import Model, World
from common import cart, main, scene, sliding_ball

m, M, l, g, inertia = 0.2, 1.0, 0.5, 9.81, 0.02  # of the cart and its pole


class MechanismTest(unittest.TestCase):
    def setUp(self):
        self.world = World(Model.from_dict(cart()))
        self.angle = 0.4
        self.world.set_joint("pivot", self.angle, 0.7)

    def minimal(self):
        """Of the textbook: coordinates of rail and pivot; the pole leans to -x where the joint turns forwards."""
        off = -m * l * np.cos(self.angle)
        return np.array([[M + m, off], [off, inertia + m * l * l]])

    def test_mass_matrix(self):
        np.testing.assert_allclose(self.world.mass_matrix(), np.diag([M, M, 1, m, m, inertia]))
        names, N = self.world.minimal_coordinates()
        self.assertEqual(names, ["rail", "pivot"])
        np.testing.assert_allclose(self.world.constraint_jacobian() @ N, 0, atol=1e-12)
        np.testing.assert_allclose(self.world.mass_matrix(minimal=True), self.minimal(), atol=1e-12)

    def test_jacobians_against_differences(self):
        world, x = self.world, self.world.x
        tip = world.body("pole").position + 0.5 * np.array([-np.sin(self.angle), np.cos(self.angle)])
        J = world.jacobian("pole", tip)
        moved = J @ x
        np.testing.assert_allclose(moved, [x[0] - 0.7 * np.cos(self.angle), -0.7 * np.sin(self.angle), 0.7], atol=1e-12)
        np.testing.assert_allclose(world.coordinate_jacobian("pivot") @ x, 0.7)
        np.testing.assert_allclose(world.joint_jacobian("pivot") @ x, 0, atol=1e-12)

    def test_forward_dynamics_is_the_textbooks_and_the_steps(self):
        self.world.apply_wrench("cart", [2, 0])
        load = np.array([2 - m * l * np.sin(self.angle) * 0.7**2, m * g * l * np.sin(self.angle)])
        wanted = np.linalg.solve(self.minimal(), load)
        before = self.world.state_hash
        forward = self.world.forward_dynamics()
        self.assertEqual(self.world.state_hash, before)
        rates = [self.world.coordinate_jacobian(name) @ forward.x for name in ("rail", "pivot")]
        np.testing.assert_allclose(rates, wanted, rtol=1e-9)
        self.assertTrue(forward.solution.solved)
        rate = self.world.joint("pivot").rate
        self.world.step()
        self.assertAlmostEqual((self.world.joint("pivot").rate - rate) / 0.001, wanted[1], delta=0.05)

    def test_inverse_dynamics_gives_back_the_efforts(self):
        forward = self.world.forward_dynamics()
        free = self.world.inverse_dynamics(forward.x)
        np.testing.assert_allclose(free.effort, 0, atol=1e-9)
        np.testing.assert_allclose(free.remainder, 0, atol=1e-9)
        _, N = self.world.minimal_coordinates()
        wanted = np.array([1.0, -2.0])
        # what the joints' own motion adds to x' = N y'
        drift = forward.x - N @ [self.world.coordinate_jacobian(name) @ forward.x for name in ("rail", "pivot")]
        driven = self.world.inverse_dynamics(N @ wanted + drift)
        load = np.array([-m * l * np.sin(self.angle) * 0.7**2, m * g * l * np.sin(self.angle)])
        np.testing.assert_allclose(driven.effort, self.minimal() @ wanted - load, rtol=1e-9)

    def test_problems_of_a_world(self):
        problem = self.world.problem("acceleration")
        self.assertEqual({asperity.block_role(role) for role in problem.blocks["role"]}, {"joint"})
        with self.assertRaisesRegex(ValueError, "level: 'velocity' is not known"):
            self.world.problem("velocity")
        with self.assertRaisesRegex(ValueError, "acceleration: shape"):
            self.world.inverse_dynamics([1, 2])


class BodiesTest(unittest.TestCase):
    def test_a_sliding_ball_accelerates_by_friction(self):
        world = World(Model.from_dict(sliding_ball()))
        forward = world.forward_dynamics()
        np.testing.assert_allclose(forward.acceleration[6:], [-0.2 * g, 0, 0, 0, 0.2 * g / 0.4, 0], atol=1e-8)
        self.assertEqual(asperity.block_role(forward.problem.blocks["role"][0]), "contact")
        free = sliding_ball()
        free["bodies"][1]["position"] = [0, 0, 5]
        np.testing.assert_allclose(World(Model.from_dict(free)).forward_dynamics().acceleration[6:9], [0, 0, -g])

    def test_a_floating_mechanism_gets_velocities_of_a_body(self):
        floating = cart()
        del floating["joints"][0]
        world = World(Model.from_dict(floating))
        names, N = world.minimal_coordinates()
        self.assertEqual(names, ["pivot", "cart.vx", "cart.vy", "cart.w"])
        self.assertEqual(world.mass_matrix(minimal=True).shape, (4, 4))

    def test_jacobian_in_space_moves_a_point(self):
        world = World(Model.from_dict(sliding_ball()))
        ball = world.body("ball")
        ball.velocity[:] = 1, 2, 3
        ball.angular_velocity[:] = 0.1, -0.2, 0.3
        point = ball.position + [0.3, 0.4, 0.5]
        moved = world.jacobian("ball", point) @ world.x
        np.testing.assert_allclose(moved[:3], [1, 2, 3] + np.cross([0.1, -0.2, 0.3], [0.3, 0.4, 0.5]))
        np.testing.assert_array_equal(world.jacobian("ground"), 0)

    def test_painleves_rod_has_several_solutions(self):
        model = Model.from_file(scene("painleve-three-solutions.json"))
        for level, count in (("acceleration", 2), ("impulse", 2), ("step", 3)):
            found = asperity.analyze(model, level)
            self.assertTrue(found.complete and not found.unique)
            self.assertEqual(len(found.solutions), count)

    def test_analysis_of_a_ball_is_unique(self):
        found = asperity.analyze(World(Model.from_dict(sliding_ball())), "step")
        self.assertTrue(found.exists and found.unique_motion)
        self.assertEqual(found.solutions[0].modes, ["slide"])

    def test_a_box_stands_up_to_the_load_that_friction_holds(self):
        box = sliding_ball()
        box["bodies"][1]["shapes"] = [{"type": "box", "size": [1, 1, 1], "material": "rubber"}]
        box["bodies"][1].update(position=[0, 0, 0.5], velocity=[0, 0, 0])
        load = np.array([1.0, 0, 0, 0, 0, 0])
        found = asperity.statics(Model.from_dict(box), load)
        self.assertTrue(found.stands)
        self.assertAlmostEqual(found.load_factor, 0.2 * g, places=6)
        with self.assertRaisesRegex(ValueError, "load: shape"):
            asperity.statics(Model.from_dict(box), [1])


if __name__ == "__main__":
    main()
