"""Python inside the library: functions around a step, exceptions, Ctrl-C, threads."""

import gc
import os
import signal
import threading
import unittest

import asperity
from asperity import Model, World
from common import cart, main, sliding_ball


class CallbackTest(unittest.TestCase):
    def setUp(self):
        self.world = World(Model.from_dict(cart()))

    def test_a_controller_balances_the_pole(self):
        def control(world):
            x, th = world.joints["coordinate"]
            dx, dth = world.joints["rate"]
            world.inputs[0] = 9.05 * x + 11.6 * dx - 70.6 * th - 18.5 * dth

        self.world.before_step = control
        self.world.set_joint("pivot", 1e-3)
        self.world.run(until=1)
        self.assertLess(abs(self.world.joint("pivot").coordinate), 1e-3)
        self.world.before_step = None
        self.world.run(until=4)
        self.assertGreater(abs(self.world.joint("pivot").coordinate), 0.1)

    def test_after_a_step_its_info_is_there(self):
        seen = []
        self.world.after_step = lambda world: seen.append((world.info.step, world.time))
        self.world.run(steps=3)
        self.assertEqual([step for step, _ in seen], [1, 2, 3])
        self.assertAlmostEqual(seen[-1][1], self.world.time)

    def test_an_exception_ends_the_run_and_is_raised_again(self):
        class Mine(Exception):
            pass

        def fail(world):
            if world.time > 0.0095:
                raise Mine("no further")

        for name in ("before_step", "after_step"):
            with self.subTest(name):
                self.world.reset()
                setattr(self.world, name, fail)
                with self.assertRaisesRegex(Mine, "no further"):
                    self.world.run()
                self.assertAlmostEqual(self.world.time, 0.01)
                with self.assertRaises(Mine):
                    self.world.step()
                setattr(self.world, name, None)
                self.assertTrue(self.world.step().certified)

    def test_callbacks_may_stop_but_not_step(self):
        self.world.after_step = lambda world: world.stop("enough") if world.info.step == 4 else None
        run = self.world.run()
        self.assertEqual((run.steps, run.stop_reason), (4, "enough"))
        self.world.stop(None)
        for call in ("step", "run", "reset", "close"):
            self.world.after_step = lambda world, call=call: getattr(world, call)()
            with self.assertRaises(asperity.BusyError):
                self.world.step()
        with self.assertRaises(ValueError):
            self.world.before_step = 3

    def test_a_scenes_stop_condition_ends_the_run(self):
        scene = sliding_ball(stop=[{"when": "ball.x > 0.1", "message": "far enough"}])
        run = World(Model.from_dict(scene)).run()
        self.assertEqual(run.stop_reason, "far enough")
        self.assertLess(run.time, 0.2)

    def test_control_c_ends_a_run_after_a_whole_step(self):
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            self.world.run(until=1e5)
        timer.join()
        step = round(self.world.time / 0.001)
        self.assertAlmostEqual(self.world.time, step * 0.001)
        self.assertTrue(self.world.step().certified)

    def test_two_threads_cannot_step_one_world(self):
        inside, go = threading.Event(), threading.Event()

        def wait(world):
            inside.set()
            go.wait(20)

        self.world.before_step = wait
        thread = threading.Thread(target=self.world.step)
        thread.start()
        inside.wait(20)
        for use in (self.world.step, self.world.save, lambda: self.world.q, lambda: self.world.contacts, self.world.close):
            with self.assertRaises(asperity.BusyError):
                use()
        self.assertIn("stepped by another thread", repr(self.world))
        go.set()
        thread.join()
        self.assertAlmostEqual(self.world.time, 0.001)

    def test_threads_that_share_a_world_get_errors_and_no_crash(self):
        errors = []

        def use():
            for _ in range(300):
                try:
                    self.world.step()
                    self.world.save(), self.world.joints, self.world.mass_matrix(), self.world.reset()
                except asperity.BusyError:
                    pass
                except BaseException as error:
                    errors.append(error)

        threads = [threading.Thread(target=use) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(errors, [])
        self.assertTrue(self.world.step().certified)

    def test_worlds_of_one_model_step_in_threads_to_the_same_bits(self):
        model = Model.from_dict(sliding_ball())
        hashes = []

        def go():
            world = World(model)
            world.run()
            hashes.append(world.state_hash)

        threads = [threading.Thread(target=go) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual((len(hashes), len(set(hashes))), (4, 1))

    def test_worlds_with_callbacks_are_freed(self):
        import weakref

        world = World(Model.from_dict(cart()))
        world.after_step = lambda w: None
        world.step()
        gone = weakref.ref(world._core)
        del world
        gc.collect()
        self.assertIsNone(gone())

    def test_calls_keep_no_memory(self):
        from asperity._native import lib

        context = self.world._core.context.pointer

        def use(count):
            for _ in range(count):
                self.world.step()
                self.world.joints, self.world.contacts, self.world.contact_wrenches, self.world.info.energy
                self.world.apply_wrench("cart", [1, 0])
                self.world.q[0] = 0.1
                self.world.reset()
                self.world.save()
            gc.collect()
            return lib.asp_context_memory_in_use(context), len(gc.get_objects())

        use(20)
        bytes_before, objects_before = use(20)
        bytes_after, objects_after = use(200)
        self.assertEqual(bytes_before, bytes_after)
        self.assertLess(objects_after - objects_before, 10)


if __name__ == "__main__":
    main()
