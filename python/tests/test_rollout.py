"""Many runs at the same time: equal bits at any number of threads, exceptions, environments, the builder."""

import copy
import os
import pickle
import signal
import sys
import threading
import types
import unittest
from unittest import mock

import asperity
import numpy as np
from asperity import Batch, Environment, Model, ModelBuilder, World, rollout
from common import cart, main, sliding_ball


class RolloutTest(unittest.TestCase):
    def setUp(self):
        self.model = Model.from_dict(cart())
        world = World(self.model)
        self.states = []
        for angle in np.linspace(-0.3, 0.3, 6):
            world.reset()
            world.set_joint("pivot", angle)
            self.states.append(world.get_state())
        self.controls = np.random.default_rng(3).normal(size=(6, 40, 1))

    def test_bits_do_not_depend_on_threads_and_are_those_of_a_world(self):
        one = rollout(self.model, self.states, self.controls, threads=1)
        two = rollout(self.model, self.states, self.controls, threads=2)
        np.testing.assert_array_equal(one.states, two.states)
        self.assertTrue(one.certified.all() and two.certified.all())
        self.assertLess(one.residual.max(), 1e-8)
        world = World(self.model)
        world.reset()
        world.set_state(self.states[4])
        for k in range(40):
            world.inputs[:] = self.controls[4, k]
            world.step()
            np.testing.assert_array_equal(one.states[4, k], world.get_state())

    def test_one_state_or_one_control_serves_all(self):
        out = rollout(self.model, self.states[0], self.controls)
        self.assertEqual(out.states.shape, (6, 40, self.model.state_size))
        out = rollout(self.model, self.states, self.controls[0], threads=2)
        self.assertEqual(out.certified.shape, (6, 40))
        self.assertEqual(rollout(self.model, steps=5).states.shape[:2], (1, 5))

    def test_what_is_wrong_is_named(self):
        for call, message in (
            (lambda: rollout(self.model, np.zeros((6, 3)), self.controls), r"states: shape \(6, 3\) does not fit"),
            (lambda: rollout(self.model, self.states, np.zeros((6, 40, 2))), "controls: shape"),
            (lambda: rollout(self.model, self.states, np.zeros(40)), r"controls: shape \(40,\) .* \(steps, 1\) or \(runs, steps, 1\)"),
            (lambda: rollout(self.model, self.states, np.full((6, 4, 1), np.nan)), r"controls\[0, 0, 0\]: nan"),
            (lambda: rollout(self.model, self.states), "give controls"),
            (lambda: rollout(self.model, self.states, self.controls, threads=0), "threads: 0"),
            (lambda: rollout(self.model, self.states, self.controls, dtt=1), "dtt: no such option"),
        ):
            with self.assertRaisesRegex(ValueError, message):
                call()

    def test_control_c_ends_a_rollout(self):
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            rollout(self.model, self.states[:2], steps=400_000, threads=2)
        timer.join()



class BatchTest(unittest.TestCase):
    def setUp(self):
        self.model = Model.from_dict(cart())
        self.batch = Batch(self.model, 5, threads=2)

    def test_worlds_of_a_batch_are_worlds_bit_for_bit(self):
        controls = np.linspace(-2, 2, 5)[:, None]
        self.assertEqual(self.batch.step(controls, steps=30), 0)
        self.assertTrue(self.batch.certified.all() and self.batch.resolved.all() and self.batch.residual.max() < 1e-8)
        for i in range(5):
            world = World(self.model)
            world.inputs[:] = controls[i]
            world.run(steps=30)
            np.testing.assert_array_equal(self.batch.states[i], world.get_state())
            other = World(self.model)
            other.restore(self.batch.save(i))
            self.assertEqual(other.state_hash, world.state_hash)
        self.batch.restore(0, self.batch.save(4))
        np.testing.assert_array_equal(self.batch.q[0], self.batch.q[4])
        self.assertGreater(self.batch.memory["worlds"], 0)

    def test_worlds_are_reset_and_set(self):
        start = self.batch.states
        self.batch.step(np.ones((5, 1)), steps=3)
        self.batch.reset([True, False, False, True, False])
        np.testing.assert_allclose(self.batch.time, [0, 0.003, 0.003, 0, 0.003])
        self.batch.reset([])
        self.batch.reset(np.flatnonzero(np.zeros(5)))
        np.testing.assert_allclose(self.batch.time, [0, 0.003, 0.003, 0, 0.003])
        self.batch.reset()
        np.testing.assert_array_equal(self.batch.states, start)
        q = self.batch.q[1]
        q[0] += 0.1
        self.batch.set_state(1, q=q)
        self.assertAlmostEqual(self.batch.q[1, 0], start[1, 1] + 0.1)
        self.assertEqual(self.batch.errors, {})

    def test_what_is_wrong_is_named(self):
        for call, message in (
            (lambda: Batch(self.model, 0), "count: 0"),
            (lambda: Batch(self.model, 1, threads=0), "threads: 0"),
            (lambda: self.batch.step(np.zeros((4, 1))), r"controls: shape \(4, 1\) does not fit"),
            (lambda: self.batch.step(np.full((5, 1), np.nan)), r"controls\[0, 0\]: nan"),
            (lambda: self.batch.set_state(9), "world 9: the batch has 5"),
            (lambda: self.batch.set_state(-1), "world -1: the batch has 5"),
            (lambda: self.batch.set_state(1.5), "world: 1.5 is not a whole number"),
            (lambda: Batch(self.model, 2**40), "count: .* is more than"),
            (lambda: self.batch.set_state(0, q=[1]), "q: shape"),
            (lambda: self.batch.restore(0, "text"), "saved: str"),
        ):
            with self.assertRaisesRegex(ValueError, message):
                call()
        with self.batch:
            self.batch.step()
        with self.assertRaises(asperity.ClosedError):
            self.batch.step()

    def test_a_forked_process_steps_on_several_threads(self):
        self.batch.step(steps=2)  # threads that the child has not
        wanted = Batch(self.model, 3, threads=1)
        wanted.step(steps=2)
        child = os.fork()
        if child == 0:
            signal.alarm(60)  # a child that waits for ever ends by it
            here = Batch(self.model, 3, threads=2)
            here.step(steps=2)
            os._exit(0 if here.q.tobytes() == wanted.q.tobytes() else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_batches_are_not_copied_in_silence(self):
        for call in (copy.copy, copy.deepcopy, pickle.dumps):
            with self.assertRaisesRegex(TypeError, "save"):
                call(self.batch)


class EnvironmentTest(unittest.TestCase):
    def test_episodes(self):
        def begin(world, random):
            world.set_joint("pivot", random.uniform(-0.1, 0.1))

        environment = Environment(
            Model.from_dict(cart()),
            reward=lambda world: -abs(world.joint("pivot").coordinate),
            observe=lambda world: np.concatenate((world.joints["coordinate"], world.joints["rate"])),
            terminated=lambda world: abs(world.joint("pivot").coordinate) > 0.5,
            begin=begin, low=-1, high=1, steps_per_action=20, max_steps=100,
        )
        first, info = environment.reset(seed=4)
        self.assertEqual((first.shape, info), ((4,), {}))
        again, _ = environment.reset(seed=4)
        np.testing.assert_array_equal(first, again)
        seen, reward, terminated, truncated, info = environment.step([5.0])
        self.assertEqual((environment.world.inputs[0], terminated, truncated, info["certified"]), (1, False, False, True))
        self.assertAlmostEqual(info["time"], 0.02)
        while not (terminated or truncated):
            action = environment.action_space.sample()
            self.assertTrue(environment.action_space.contains(action))
            _, reward, terminated, truncated, _ = environment.step(action)
        self.assertTrue(terminated)
        self.assertLess(reward, -0.5)
        with self.assertRaisesRegex(ValueError, "action: shape"):
            environment.step([1, 2])
        with self.assertRaisesRegex(ValueError, "low: .* is neither a number nor one for each of 1 actions"):
            Environment(Model.from_dict(cart()), reward=len, low=[1, 2])
        for low, high in ((1, -1), (np.nan, 1), (0, np.nan)):
            with self.assertRaisesRegex(ValueError, "low, high: .* are not intervals"):
                Environment(Model.from_dict(cart()), reward=len, low=low, high=high)
        with self.assertRaisesRegex(ValueError, r"actions: give a list of names, \['push'\]"):
            Environment(Model.from_dict(cart()), reward=len, actions="push")
        with environment:
            pass
        with self.assertRaises(asperity.ClosedError):
            environment.reset()

    def test_gymnasium_gets_its_own_types(self):
        environment = Environment(Model.from_dict(cart()), reward=lambda world: world.time, low=-1, high=1)
        with mock.patch.dict(sys.modules, {"gymnasium": None}), self.assertRaisesRegex(ImportError, "needs gymnasium"):
            environment.for_gymnasium()

        class Env:
            seeds = []

            def reset(self, *, seed=None, options=None):
                Env.seeds.append(seed)

        stand_in = types.SimpleNamespace(Env=Env, spaces=types.SimpleNamespace(Box=lambda **words: words))
        with mock.patch.dict(sys.modules, {"gymnasium": stand_in}):
            wrapped = environment.for_gymnasium()
        self.assertIsInstance(wrapped, Env)
        self.assertEqual((wrapped.action_space["shape"], wrapped.action_space["dtype"]), ((1,), np.float64))
        observation, info = wrapped.reset(seed=7)
        self.assertEqual((observation.shape, info, Env.seeds), (wrapped.observation_space["shape"], {}, [7]))
        self.assertAlmostEqual(wrapped.step([0.5])[1], environment.world.time)


class BuilderTest(unittest.TestCase):
    def test_a_built_scene_is_the_written_one(self):
        builder = ModelBuilder(name="ball", gravity=[0, 0, -9.81]).material("rubber", "floor", friction=0.2)
        builder.body("ground", fixed=True, shapes=[builder.shape("half-space", material="floor")])
        ball = builder.shape("sphere", radius=1, material="rubber")
        builder.body("ball", mass=1, position=np.array([0, 0, 1]), velocity=[2, 0, 0], shapes=[ball]).run(dt=0.01, until=0.5)
        built, written = World(builder.build()), World(Model.from_dict(sliding_ball()))
        built.run()
        written.run()
        self.assertEqual(built.state_hash, written.state_hash)
        self.assertEqual(Model.from_string(builder.to_json()).bodies, ["ground", "ball"])

    def test_mistakes_are_the_librarys(self):
        builder = ModelBuilder().body("a", mass=-1).joint("j", "hinge", "a", "world")
        self.assertEqual(len(builder.mistakes()), 2)
        self.assertEqual(ModelBuilder().body("a", mass=1, inertia=[1, 1, 1]).input("u").mistakes(), [])
        with self.assertRaises(asperity.InputError):
            builder.build()


if __name__ == "__main__":
    main()
