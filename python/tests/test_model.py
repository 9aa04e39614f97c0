"""Models from files, texts and dicts; mistakes are named."""

import copy
import pickle
import unittest

import asperity
import numpy as np
from asperity import Model, World
from common import cart, main, scene, sliding_ball


class ModelTest(unittest.TestCase):
    def test_a_file_and_its_text_give_the_same_model(self):
        one = Model.from_file(scene("sphere-slides-then-rolls.json"))
        two = Model.from_string(one.scene)
        self.assertEqual((one.bodies, one.options), (two.bodies, two.options))
        self.assertEqual(one.options["scheme"], "stewart-trinkle")

    def test_sizes_names_and_kinds(self):
        model = Model.from_dict(sliding_ball())
        self.assertEqual((model.dimension, model.dofs, model.q_size, model.v_size, model.state_size), (3, 6, 14, 12, 27))
        self.assertEqual(model.bodies, ["ground", "ball"])
        self.assertEqual([model.body_kind(name) for name in model.bodies], ["fixed", "dynamic"])
        self.assertEqual(model.body_mass("ball"), 1)
        np.testing.assert_allclose(np.diag(model.body_inertia("ball")), 0.4)
        np.testing.assert_array_equal(model.gravity, [0, 0, -9.81])
        self.assertEqual(Model.from_dict(cart()).joint_kind("pivot"), "revolute")

    def test_numpy_numbers_and_arrays_in_a_dict(self):
        changed = sliding_ball(gravity=np.array([0, 0, -1.5]))
        changed["bodies"][1]["mass"] = np.float64(3)
        model = Model.from_dict(changed)
        self.assertEqual(model.gravity[2], -1.5)
        self.assertEqual(model.body_mass(1), 3)

    def test_parameters_take_the_place_of_the_files(self):
        with_parameter = sliding_ball(parameters={"m": 2})
        with_parameter["bodies"][1]["mass"] = "m"
        self.assertEqual(Model.from_dict(with_parameter).body_mass("ball"), 2)
        model = Model.from_dict(with_parameter, parameters={"m": 5})
        self.assertEqual((model.body_mass("ball"), model.parameters), (5, {"m": 5}))
        with self.assertRaisesRegex(ValueError, "mm"):
            Model.from_dict(with_parameter, parameters={"mm": 5})
        with self.assertRaisesRegex(ValueError, r"parameters\['m'\]: nan is not finite"):
            Model.from_dict(with_parameter, parameters={"m": float("nan")})

    def test_mistakes_carry_file_key_and_what_would_be_right(self):
        wrong = sliding_ball(gravty=[0, 0, 1])
        wrong["bodies"][1]["mass"] = -1
        with self.assertRaises(asperity.InputError) as caught:
            Model.from_dict(wrong, label="mine.json")
        self.assertEqual(len(caught.exception.mistakes), 2)
        self.assertRegex(str(caught.exception), "mine.json: /bodies/1/mass: -1")
        self.assertRegex(str(caught.exception), "gravity")
        with self.assertRaisesRegex(FileNotFoundError, "nowhere.json"):
            Model.from_file("nowhere.json")

    def test_what_json_cannot_say_is_refused_by_its_path(self):
        wrong = sliding_ball()
        wrong["bodies"][1]["position"] = [0, 0, float("inf")]
        with self.assertRaisesRegex(ValueError, "/bodies/1/position/2: inf is not finite"):
            Model.from_dict(wrong)
        with self.assertRaisesRegex(ValueError, "/gravity: a scene cannot hold object"):
            Model.from_dict(sliding_ball(gravity=object()))
        with self.assertRaises(ValueError):
            Model.from_dict("text")
        with self.assertRaises(ValueError):
            Model.from_string({})

    def test_names_that_are_not_there_get_a_suggestion(self):
        model = Model.from_dict(sliding_ball())
        with self.assertRaisesRegex(ValueError, "body 'bal': not in the model; did you mean 'ball'"):
            model.body_index("bal")
        with self.assertRaisesRegex(ValueError, "body 7: the model has 2"):
            model.body_index(7)

    def test_models_are_pickled_with_their_parameters(self):
        with_parameter = sliding_ball(parameters={"m": 2})
        with_parameter["bodies"][1]["mass"] = "m"
        model = pickle.loads(pickle.dumps(Model.from_dict(with_parameter, parameters={"m": 7})))
        self.assertEqual((model.body_mass("ball"), model.name), (7, "ball"))

    def test_a_closed_model_raises_and_its_worlds_live_on(self):
        model = Model.from_dict(sliding_ball())
        world = asperity.World(model)
        model.close()
        with self.assertRaises(asperity.ClosedError):
            model.bodies
        self.assertTrue(world.step().certified)

    def test_robot_models_come_from_files_and_texts(self):
        for name, joints in (("robots/leg.xml", 2), ("robots/arm.urdf", 4), ("robots/crane.sdf", 2)):
            with self.subTest(name):
                model = Model.from_file(scene(name))
                self.assertEqual(len(model.joints), joints)
                with open(scene(name), encoding="utf-8") as file:
                    again = Model.from_string(file.read())
                self.assertEqual((again.bodies, again.joints), (model.bodies, model.joints))
                self.assertTrue(World(again).step().certified)

    def test_mistakes_in_a_robots_text_name_its_label(self):
        with self.assertRaisesRegex(ValueError, "^my robot:1: not well-formed XML"):
            Model.from_string("<mujoco><body></mujoco>", label="my robot")

    def test_a_robot_model_is_pickled_as_imported(self):
        model = Model.from_file(scene("robots/desk-arm.urdf"), {"import.control": ["shoulder=4*sin(4*t)", "elbow=-1.5*sin(4*t)"]})
        again = pickle.loads(pickle.dumps(model))
        self.assertEqual(World(again).state_hash, World(model).state_hash)
        self.assertEqual(again.scene, model.scene)

    def test_a_closed_model_leaves_its_worlds_whole(self):
        model = Model.from_dict(sliding_ball())
        world = World(model)
        model.close()
        world.step()
        self.assertEqual(world.body("ball").name, "ball")
        self.assertGreater(world.energy["kinetic"], 0)
        with self.assertRaisesRegex(RuntimeError, "closed"):
            model.bodies

    def test_what_is_no_text_number_or_model_is_named(self):
        model = Model.from_dict(sliding_ball())
        world = World(model)
        endless = {}
        endless["bodies"] = [endless]
        for call, pattern in (
            (lambda: Model.from_file("a\0b.json"), "NUL"),
            (lambda: Model.from_dict(sliding_ball(), parameters=[1]), "parameters: list is not a dict"),
            (lambda: Model.from_string("{}", label="a\0b"), "NUL"),
            (lambda: Model.from_string('{"name": "\udc80"}'), "scene: not a text of Unicode"),
            (lambda: world.body("\udc80"), "body: .* not a text of Unicode"),
            (lambda: World(model, dt=10**400), "dt: .* is neither a number nor a text"),
            (lambda: Model.from_dict(endless), "scene: .* contains itself"),
            (lambda: asperity.ModelBuilder(bodies=3).body("a"), "bodies: int is not a list"),
            (lambda: world.body("ball\0x"), "body: 'ball.x00x' has a NUL"),
            (lambda: world.run(steps=2.5), "steps: 2.5 is not a whole number"),
            (lambda: world.run(steps=2**70), "steps: .* is more than"),
            (lambda: world.stop(3), "reason: int is not a text"),
            (lambda: asperity.rollout(model, steps=2.5), "steps: 2.5 is not a whole number"),
            (lambda: asperity.rollout(model, steps=1, threads=1.5), "threads: 1.5 is not a whole number"),
            (lambda: asperity.rollout(world, steps=1), "model: World is not"),
            (lambda: asperity.Batch(world, 2), "model: World is not"),
            (lambda: asperity.Batch(model, "2"), "count: '2' is not a whole number"),
            (lambda: asperity.Batch(model, 2).reset([7]), "which: .7. is neither a mask"),
            (lambda: asperity.analyze("x"), "subject: str is not"),
            (lambda: asperity.statics(3), "subject: int is not"),
            (lambda: asperity.Environment(model, 3), "reward: int is not a function"),
            (lambda: asperity.block_role(-1), "role: -1 is not at least 0"),
            (lambda: asperity.ContactProblem(W=np.eye(3), q=[-1, 0, 0], laws=["x"]), r"laws\[0\]: str is not"),
        ):
            with self.assertRaisesRegex(ValueError, pattern):
                call()

    def test_worlds_are_not_copied_in_silence(self):
        world = World(Model.from_dict(sliding_ball()))
        for call in (copy.copy, copy.deepcopy, pickle.dumps):
            with self.assertRaisesRegex(TypeError, "world.save"):
                call(world)
        again = World(pickle.loads(pickle.dumps(world.model)))
        world.step()
        again.restore(world.save())
        self.assertEqual(again.state_hash, world.state_hash)


if __name__ == "__main__":
    main()
