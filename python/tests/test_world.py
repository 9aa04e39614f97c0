"""Worlds: steps, views, states, what is refused."""

import copy
import json
import pickle
import subprocess
import unittest

import asperity
import numpy as np
from asperity import Model, World
from common import PROGRAM, cart, main, scene, sliding_ball


class StepTest(unittest.TestCase):
    def setUp(self):
        self.world = World(Model.from_dict(sliding_ball()))

    def test_what_a_step_told_is_kept_by_copies_and_pickles(self):
        info = self.world.step()
        for again in (copy.copy(info), copy.deepcopy(info), pickle.loads(pickle.dumps(info))):
            self.assertEqual(repr(again), repr(info))
            self.assertEqual(again.residuals, info.residuals)

    def test_a_run_ends_in_the_bits_of_the_programs(self):
        for name in ("sphere-slides-then-rolls.json", "four-bar-in-space.json"):
            world = World(Model.from_file(scene(name)))
            run = world.run()
            command = [PROGRAM, "run", scene(name), "--out", "none", "--json", "--quiet"]
            told = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
            self.assertEqual((run.steps, run.uncertified), (told["steps"], told["steps_uncertified"]))
            for body in told["final"]["bodies"]:
                np.testing.assert_array_equal(world.body(body["name"]).velocity, body["velocity"])

    def test_every_step_says_whether_it_is_certified_and_resolved(self):
        self.assertFalse(self.world.certified)
        info = self.world.step()
        self.assertTrue(info.certified and info.resolved and self.world.certified and self.world.resolved)
        self.assertLess(info.residual, 1e-8)
        self.assertEqual(info.residual, self.world.residual)
        self.assertEqual((info.step, info.contacts, info.status), (1, 1, "solved"))
        self.assertIn("energy", info.measures)
        self.world.step()
        self.assertEqual(info.step, 1)  # a copy

    def test_sliding_friction_is_mu_times_the_normal_force(self):
        self.world.step()
        (contact,) = self.world.contacts
        np.testing.assert_allclose(contact["force"], [-0.2 * 9.81, 0, 9.81], rtol=1e-12)
        self.assertEqual(asperity.CONTACT_MODES[contact["mode"]], "slide")
        wrench = self.world.body("ball").contact_wrench
        np.testing.assert_allclose(wrench, [-0.2 * 9.81, 0, 9.81, 0, 0.2 * 9.81, 0], atol=1e-12)
        np.testing.assert_allclose(self.world.contact_wrenches.sum(axis=0)[:3], 0, atol=1e-12)

    def test_a_run_counts_records_and_ends_where_it_is_asked(self):
        run = self.world.run(until=0.1, record=4)
        self.assertEqual((run.steps, run.certified, run.resolved, run.contacts), (10, True, True, 1))
        np.testing.assert_allclose(run.states[:, 0], [0, 0.04, 0.08, 0.1], atol=1e-15)
        np.testing.assert_array_equal(run.states[-1], self.world.get_state())
        self.assertEqual(self.world.run(steps=3).steps, 3)
        self.assertEqual(self.world.run(until=0.1).steps, 0)

    def test_reset_goes_back_to_the_start_and_views_follow(self):
        start, q = self.world.get_state(), self.world.q
        self.world.run(steps=7)
        end = self.world.get_state()
        for _ in range(3):
            self.world.reset()
            np.testing.assert_array_equal(self.world.get_state(), start)
            self.assertIs(q, self.world.q)
            self.assertEqual(self.world.info.step, 0)
            self.world.run(steps=7)
            np.testing.assert_array_equal(self.world.get_state(), end)

    def test_saved_worlds_go_on_to_the_same_bits(self):
        self.world.run(steps=5)
        saved = self.world.save()
        self.world.run(steps=5)
        other = World(self.world.model)
        other.restore(saved)
        other.run(steps=5)
        self.assertEqual(other.state_hash, self.world.state_hash)
        with self.assertRaises(asperity.AsperityError):
            other.restore(b"nothing of the kind")
        with self.assertRaises(ValueError):
            other.restore("text")

    def test_options_by_keyword(self):
        world = World(self.world.model, dt=0.02, scheme="stewart-trinkle", friction_model="inscribed", tol=1e-9, watch=False)
        options = world.options
        self.assertEqual((options["dt"], options["scheme"], options["friction.model"]), (0.02, "stewart-trinkle", "inscribed"))
        self.assertEqual((options["tolerance"], options["watch"]), (1e-9, False))
        with self.assertRaisesRegex(ValueError, "shceme: no such option of a run; did you mean scheme"):
            World(self.world.model, shceme="x")
        with self.assertRaisesRegex(ValueError, "moreau-jean"):
            World(self.world.model, scheme="x")
        with self.assertRaisesRegex(ValueError, "dt"):
            World(self.world.model, dt=0)
        with self.assertRaisesRegex(ValueError, "dt"):
            World(self.world.model, dt=[1, 2])
        self.assertIn("dt", asperity.option_names())

    def test_a_result_file_is_written(self):
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            self.world.run(until=0.1, out=folder + "/r.h5")
            facts = subprocess.run([PROGRAM, "info", "--json", folder + "/r.h5"], capture_output=True, text=True, check=True)
            self.assertIn("ball", facts.stdout)
        with self.assertRaisesRegex(OSError, "no-such-folder"):
            self.world.run(steps=1, out="no-such-folder/r.h5")


class ViewTest(unittest.TestCase):
    def setUp(self):
        self.world = World(Model.from_dict(sliding_ball()))

    def test_views_are_no_copies_and_stay_current(self):
        q, v, position = self.world.q, self.world.v, self.world.body("ball").position
        self.world.step()
        self.assertTrue(np.shares_memory(q, self.world.q) and np.shares_memory(q, position))
        self.assertGreater(position[0], 0)
        self.assertLess(v[6], 2)

    def test_what_is_written_moves_the_world(self):
        ball = self.world.body("ball")
        ball.position[2] = 11
        ball.velocity[:] = 0
        self.world.step()
        self.assertAlmostEqual(ball.position[2], 11 - 9.81 * 0.01**2 / 2)
        self.world.v = np.zeros(12)
        self.assertEqual(self.world.energy["kinetic"], 0)
        self.world.time = 3
        self.assertEqual(self.world.step().time, 3.01)

    def test_what_is_wrong_is_refused_by_name_and_leaves_the_state(self):
        before = self.world.get_state()
        for change, message in (
            (lambda w: w.q.__setitem__(7, np.nan), "body ball: its position or velocity is not finite"),
            (lambda w: w.q.__setitem__(10, 2), "body ball: its quaternion has length 2"),
            (lambda w: w.q.__setitem__(0, 2), "body ground is fixed"),
            (lambda w: w.v.__setitem__(6, np.inf), "ball"),
        ):
            change(self.world)
            with self.assertRaisesRegex(ValueError, message):
                self.world.step()
            np.testing.assert_array_equal(self.world.get_state(), before)
        for wrong, message in (
            (lambda: self.world.set_state(np.zeros(3)), r"state: shape \(3,\) does not fit; it must be \(27,\)"),
            (lambda: self.world.set_state(q="text"), "q: dtype"),
            (lambda: self.world.set_state(q=np.zeros(14, complex)), "q: dtype complex128 is not real numbers"),
            (lambda: self.world.set_state(v=np.full(12, np.nan)), r"v\[0\]: nan is not finite"),
            (lambda: setattr(self.world, "q", np.zeros((2, 7))), "q: shape"),
            (lambda: setattr(self.world, "time", np.nan), "time: nan is not finite"),
            (lambda: self.world.apply_wrench("ball", force=[1, 2]), r"force: shape \(2,\) does not fit"),
            (lambda: self.world.apply_wrench("ball", force=[np.nan, 0, 0]), r"force\[0\]: nan is not finite"),
            (lambda: self.world.apply_wrench("ground", force=[1, 0, 0]), "body ground is fixed"),
            (lambda: self.world.run(until=np.nan), "until"),
        ):
            with self.assertRaisesRegex(ValueError, message):
                wrong()
            np.testing.assert_array_equal(self.world.get_state(), before)

    def test_states_are_set_and_got(self):
        self.world.run(steps=3)
        state = self.world.get_state()
        self.world.run(steps=3)
        self.world.set_state(state)
        np.testing.assert_allclose(self.world.get_state(), state, rtol=1e-15, atol=1e-15)  # quaternions are made unit again
        other = World(self.world.model)
        other.set_state(q=self.world.q, v=self.world.v)
        np.testing.assert_array_equal(other.q, self.world.q)

    def test_a_wrench_acts_through_one_step(self):
        ball = self.world.body("ball")
        ball.position[2] = 5
        ball.velocity[:] = 0
        ball.apply_wrench(force=[3, 0, 9.81], torque=[0.4, 0, 0])
        self.world.step()
        np.testing.assert_allclose(ball.velocity, [0.03, 0, 0], atol=1e-15)
        np.testing.assert_allclose(ball.angular_velocity, [0.01, 0, 0], atol=1e-15)
        self.world.step()
        np.testing.assert_allclose(ball.velocity, [0.03, 0, -0.0981], atol=1e-15)
        ball.apply_wrench(force=[0, 0, 1], point=ball.position + [0, 1, 0])
        self.world.step()
        np.testing.assert_allclose(ball.angular_velocity[0], 0.01 + 0.01 / 0.4)

    def test_a_closed_world_raises_and_its_arrays_stay(self):
        q = self.world.q
        ball = self.world.body("ball")
        self.world.close()
        for use in (self.world.step, self.world.run, self.world.save, lambda: self.world.q, lambda: self.world.contacts,
                    lambda: ball.position, lambda: self.world.time, self.world.reset):
            with self.assertRaises(asperity.ClosedError):
                use()
        self.assertEqual(q[9], 1)
        q[9] = 2

    def test_arrays_outlive_their_world(self):
        q = World(self.world.model).q
        junk = [World(self.world.model) for _ in range(20)]
        self.assertEqual((q[9], len(junk)), (1, 20))


class JointTest(unittest.TestCase):
    def setUp(self):
        self.world = World(Model.from_dict(cart()))

    def test_inputs_push(self):
        self.assertEqual(self.world.model.inputs, ["push"])
        self.world.inputs[0] = 5
        self.world.step()
        self.assertGreater(self.world.joint("rail").rate, 0)
        self.assertEqual(self.world.inputs[0], 5)
        self.world.set_input("push", 1, rate=2)
        self.world.step()
        self.assertAlmostEqual(self.world.inputs[0], 1.002)
        self.world.inputs[0] = np.nan
        with self.assertRaisesRegex(ValueError, "push"):
            self.world.step()
        with self.assertRaisesRegex(ValueError, "inputs: shape"):
            self.world.inputs = [1, 2]

    def test_inputs_that_follow_the_state_cannot_be_set(self):
        sensed = cart()
        sensed["forces"][0]["force"] = ["push - 3*cart.x", 0]
        model = Model.from_dict(sensed)
        self.assertEqual((sorted(model.inputs), model.controls), (["cart.x", "push"], ["push"]))
        world = World(model)
        world.inputs[model.input_index("cart.x")] = 1
        with self.assertRaisesRegex(ValueError, "input cart.x follows the state and cannot be set"):
            world.step()
        out = asperity.rollout(model, controls=np.ones((5, 1)))
        self.assertTrue(out.certified.all() and out.states[0, -1, 1] > 0)

    def test_joints_are_set_and_read(self):
        pivot = self.world.joint("pivot")
        pivot.set(0.3, rate=1)
        self.assertAlmostEqual(pivot.coordinate, 0.3)
        self.assertAlmostEqual(pivot.rate, 1)
        np.testing.assert_allclose(self.world.body("pole").position, 0.5 * np.array([-np.sin(0.3), np.cos(0.3)]))
        self.assertEqual(self.world.joints.dtype.names[:2], ("coordinate", "rate"))
        self.world.step()
        self.assertGreater(np.linalg.norm(pivot.force), 0)
        with self.assertRaisesRegex(ValueError, "value: nan"):
            pivot.set(np.nan)

    def test_joints_that_were_torn_are_closed(self):
        self.world.body("pole").position[0] = 0.2
        self.world.satisfy_joints()
        tip = self.world.body("pole").position - self.world.body("cart").position
        self.assertAlmostEqual(np.hypot(*tip), 0.5)


if __name__ == "__main__":
    main()
