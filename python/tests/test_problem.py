"""Contact problems from matrices and files: the program's bits, all methods, callbacks, mistakes."""

import copy
import gc
import glob
import os
import pickle
import random
import subprocess
import tempfile
import unittest

import asperity
import numpy as np
from asperity import ContactProblem, Law, Model, World
from common import PROGRAM, SOURCE, main, sliding_ball

FOLDER = os.environ.get("ASPERITY_FCLIB_DIR", os.path.join(SOURCE, "../shared/data/fclib"))


def block_on_slope(mu, slope):
    """A point of 1 kg on a slope, at rest: global form with one contact; f: gravity over one second."""
    f = 9.81 * np.array([-np.cos(slope), np.sin(slope), 0])
    return ContactProblem(M=np.eye(3), H=np.eye(3), f=f, mu=[mu])


class FilesTest(unittest.TestCase):
    def check(self, path, folder):
        solution = ContactProblem.from_fclib(path).solve()
        saved = os.path.join(folder, "saved.hdf5")
        subprocess.run([PROGRAM, "solve", path, "--save", saved, "--quiet"], check=True)
        mine = os.path.join(folder, "mine.hdf5")
        ContactProblem.from_fclib(path).write_fclib(mine, solution)
        self.assertTrue(solution.solved, path)
        for file in (saved, mine):
            self.assertEqual(stored_reactions(file).tobytes(), contact_rows(path, solution.r).tobytes(), path)

    def test_reactions_are_the_programs_bit_for_bit(self):
        files = sorted(glob.glob(os.path.join(SOURCE, "tests/data/fclib/*.hdf5")))
        self.assertEqual(len(files), 6)
        with tempfile.TemporaryDirectory() as folder:
            for path in files:
                self.check(path, folder)

    @unittest.skipUnless(os.path.isdir(FOLDER), "no FCLIB files (set ASPERITY_FCLIB_DIR)")
    def test_ten_more_problems_of_a_collection(self):
        files = [path for path in sorted(glob.glob(FOLDER + "/fc3d/*.hdf5")) if os.path.getsize(path) < 400_000]
        with tempfile.TemporaryDirectory() as folder:
            for path in random.Random(1).sample(files, 10):
                self.check(path, folder)


def contact_rows(path, r):
    """r of a problem without equality rows: as FCLIB stores it."""
    problem = ContactProblem.from_fclib(path)
    return r[: sum(law.rows for law in problem.laws if law.kind != "equality")]


def stored_reactions(path):
    """/solution/r of a file, by the program's own reader: written again as text it keeps every bit."""
    import ctypes
    import ctypes.util

    hdf5 = ctypes.CDLL(ctypes.util.find_library("hdf5_serial") or ctypes.util.find_library("hdf5"))
    hdf5.H5open()
    for name in ("H5Fopen", "H5Dopen2", "H5Dget_space", "H5Sget_simple_extent_npoints"):
        getattr(hdf5, name).restype = ctypes.c_int64
    number = ctypes.c_int64
    native = number.in_dll(hdf5, "H5T_NATIVE_DOUBLE_g")
    file = hdf5.H5Fopen(os.fsencode(path), 0, number(0))
    data = hdf5.H5Dopen2(number(file), b"/solution/r", number(0))
    count = hdf5.H5Sget_simple_extent_npoints(number(hdf5.H5Dget_space(number(data))))
    out = np.empty(count)
    hdf5.H5Dread(number(data), native, number(0), number(0), number(0), ctypes.c_void_p(out.ctypes.data))
    hdf5.H5Fclose(number(file))
    return out


class SolveTest(unittest.TestCase):
    def test_a_block_sticks_iff_the_slope_is_below_mu(self):
        for slope, speed in ((0.2, 0.0), (0.3, 9.81 * (np.sin(0.3) - 0.25 * np.cos(0.3)))):
            solution = block_on_slope(0.25, slope).solve(tolerance=1e-12)
            self.assertTrue(solution.solved)
            np.testing.assert_allclose(solution.x, [0, speed, 0], atol=1e-11)
            np.testing.assert_allclose(solution.r[0], 9.81 * np.cos(slope))

    def test_methods_and_forms_agree(self):
        problem = block_on_slope(0.25, 0.3)
        wanted = problem.solve().r
        problem.reduce()
        local = ContactProblem(W=problem.W, q=problem.q, mu=[0.25])
        for each in (problem, local):
            for method in asperity.methods():
                if method in ("lemke", "pgs"):
                    continue
                solution = each.solve(method)
                self.assertTrue(solution.solved, method)
                np.testing.assert_allclose(solution.r, wanted, atol=1e-6)
        polygon = [Law("coulomb", mu=0.25, cone="inscribed", directions=4)]
        solution = ContactProblem(W=problem.W, q=problem.q, laws=polygon).solve("lemke")
        np.testing.assert_allclose(solution.r, wanted, atol=1e-9)
        with self.assertRaises(asperity.AsperityError):
            problem.solve("lemke")

    def test_the_judge_knows_better(self):
        problem = block_on_slope(0.25, 0.3)
        solution = problem.solve()
        self.assertEqual(problem.judge(solution.r)["E2"], solution.residual)
        self.assertGreater(problem.judge(2 * solution.r)["E2"], 0.1)

    def test_a_good_start_needs_no_iterations(self):
        path = sorted(glob.glob(os.path.join(SOURCE, "tests/data/fclib/*.hdf5")))[0]
        problem = ContactProblem.from_fclib(path)
        cold = problem.solve()
        warm = problem.solve(start=cold.r)
        self.assertTrue(warm.solved)
        self.assertLess(warm.iterations, cold.iterations)

    def test_callbacks_see_iterates_and_may_end_the_solve(self):
        path = sorted(glob.glob(os.path.join(SOURCE, "tests/data/fclib/*.hdf5")))[0]
        problem, seen = ContactProblem.from_fclib(path), []
        problem.solve("nsgs", callback=lambda *it: seen.append(it))
        self.assertGreater(len(seen), 3)
        self.assertEqual(seen[0][1], "nsgs")
        self.assertLess(seen[-1][2], seen[0][2])

        def fail(iteration, method, residual):
            raise KeyError("enough")

        with self.assertRaisesRegex(KeyError, "enough"):
            problem.solve("nsgs", callback=fail)
        self.assertTrue(problem.solve().solved)

    def test_laws_of_other_kinds(self):
        laws = [Law("equality", rows=2), Law("unilateral"), Law("box", limit=3)]
        problem = ContactProblem(M=np.eye(4), H=np.eye(4), f=[1, 2, -3, 10], laws=laws)
        solution = problem.solve()
        np.testing.assert_allclose(solution.x, [0, 0, 0, 7], atol=1e-9)
        np.testing.assert_allclose(solution.r, [-1, -2, 3, -3], atol=1e-9)
        self.assertEqual([law.kind for law in problem.laws], ["equality", "unilateral", "box"])
        np.testing.assert_array_equal(problem.offsets, [0, 2, 3, 4])

    def test_matrices_come_back(self):
        H = np.array([[1.0, 0, 0], [0, 2, 0], [0, 0, 3], [4, 0, 5]])
        problem = ContactProblem(M=np.diag([1.0, 2, 3, 4]), H=H, f=np.arange(4.0), mu=[0.5])
        np.testing.assert_array_equal(problem.H, H)
        np.testing.assert_array_equal(problem.M, np.diag([1, 2, 3, 4]))
        np.testing.assert_array_equal(problem.f, np.arange(4))
        value, row, start, shape = problem.sparse("H")
        self.assertEqual((value.tolist(), row.tolist(), start.tolist()), ([1, 4, 2, 3, 5], [0, 3, 1, 2, 3], [0, 2, 3, 5]))

    def test_sparse_matrices_are_taken_as_dense_ones(self):
        try:
            from scipy.sparse import csr_matrix
        except ImportError:
            self.skipTest("python3-scipy is missing")
        a = ContactProblem(M=csr_matrix(np.eye(3)), H=csr_matrix(np.eye(3)), f=[-1, 0.1, 0], mu=[0.2])
        b = ContactProblem(M=np.eye(3), H=np.eye(3), f=[-1, 0.1, 0], mu=[0.2])
        np.testing.assert_array_equal(a.solve().r, b.solve().r)

    def test_what_is_wrong_is_named(self):
        eye = np.eye(3)
        for make, message in (
            (lambda: ContactProblem(M=eye, H=eye, f=[1, 2], mu=[1]), r"f: shape \(2,\) does not fit; it must be \(3,\)"),
            (lambda: ContactProblem(M=eye, H=np.eye(4), f=[1, 2, 3], mu=[1]), "H: shape"),
            (lambda: ContactProblem(M=eye * np.nan, H=eye, f=[1, 2, 3], mu=[1]), r"M\[0, 0\]: nan is not finite"),
            (lambda: ContactProblem(M=eye, H=eye, f=[1, 2, 3], mu=[-1]), "-1"),
            (lambda: ContactProblem(M=eye, H=eye, f=[1, 2, 3]), "give mu"),
            (lambda: ContactProblem(M=eye, W=eye, q=[1, 2, 3], mu=[1]), "give either W and q"),
            (lambda: ContactProblem(W=eye, q=["a", "b", "c"], mu=[1]), "q: dtype"),
            (lambda: ContactProblem(W=eye, q=[1, 2, 3], laws=[Law("rubber")]), "laws.0..kind: 'rubber' is not known"),
            (lambda: ContactProblem(W=eye, q=[1, 2, 3], mu=[1], dimension=4), "dimension"),
            (lambda: ContactProblem(W=eye, q=[1, 2, 3], laws=[Law("equality", rows="3")]), "laws.0..rows: '3' is not a whole number"),
            (lambda: ContactProblem(W=eye, q=[1, 2, 3], laws=[Law("equality", rows=2**40)]), "laws.0..rows: .* is more than"),
            (lambda: ContactProblem(W=eye, q=[1, 2, 3], laws=[Law(mu="a")]), "laws.0..mu: dtype"),
            (lambda: ContactProblem(W=eye, q=[1, 2, 3], laws=[Law("sliding", mu=1, direction=(1, 0, 0))]), "laws.0..direction: shape"),
            (lambda: block_on_slope(1, 0).solve(max_iterations=2**40), "max_iterations: .* is more than"),
            (lambda: block_on_slope(1, 0).solve(tolerance="small"), "tolerance: dtype"),
            (lambda: block_on_slope(1, 0).solve("magic"), "method: 'magic' is not known; use auto"),
            (lambda: block_on_slope(1, 0).solve(start=[1]), "start: shape"),
            (lambda: block_on_slope(1, 0).solve(tolerance=-1), "tolerance"),
        ):
            with self.assertRaisesRegex(ValueError, message):
                make()
        with self.assertRaisesRegex(FileNotFoundError, "no-file.hdf5"):
            ContactProblem.from_fclib("no-file.hdf5")

    def test_copies_and_pickles_are_problems_of_their_own(self):
        whole = block_on_slope(0.3, 0.2)
        reduced = block_on_slope(0.3, 0.2)
        reduced.reduce()
        local = ContactProblem(W=np.eye(3), q=[-1, 0.2, 0.1], mu=[0.5])
        for problem in (whole, reduced, local, World(Model.from_dict(sliding_ball())).problem("step")):
            wanted = problem.solve().r
            for again in (copy.copy(problem), copy.deepcopy(problem), pickle.loads(pickle.dumps(problem))):
                self.assertEqual((again.rows, again.dofs, again.laws), (problem.rows, problem.dofs, problem.laws))
                np.testing.assert_array_equal(again.solve().r, wanted)
                np.testing.assert_array_equal(again.W, problem.W)
                np.testing.assert_array_equal(again.blocks, problem.blocks)
                del again
                gc.collect()
            np.testing.assert_array_equal(problem.solve().r, wanted)

    def test_matrices_by_columns_are_taken_as_dense_ones(self):
        problem = block_on_slope(0.3, 0.2)
        again = ContactProblem(M=problem.sparse("M"), H=problem.sparse("H"), f=problem.f, w=problem.w, laws=problem.laws)
        np.testing.assert_array_equal(again.solve().r, problem.solve().r)
        M = problem.sparse("M")
        for bad in (M._replace(data=M.data[:-1]), M._replace(indptr=M.indptr[:-1]), M._replace(indices=M.indices + 100)):
            with self.assertRaisesRegex(ValueError, "M: "):
                ContactProblem(M=bad, H=problem.sparse("H"), f=problem.f, laws=problem.laws)
        lists = asperity.Columns(M.data.tolist(), M.indices.tolist(), M.indptr.tolist(), M.shape)
        again = ContactProblem(M=lists, H=problem.sparse("H"), f=problem.f, laws=problem.laws)
        np.testing.assert_array_equal(again.M, problem.M)
        for bad in (M.indices + 2**32, M.indices - 1, M.indices + 0.5, [M.indices]):  # the first: 0, 1, ... as an int of C
            with self.assertRaisesRegex(ValueError, "M.indices: "):
                ContactProblem(M=M._replace(indices=bad), H=problem.sparse("H"), f=problem.f, laws=problem.laws)

    def test_a_solution_of_another_problem_is_not_written(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "p.hdf5")
            with self.assertRaisesRegex(ValueError, r"solution.r: shape \(3,\) does not fit"):
                ContactProblem(W=np.eye(6), q=np.ones(6), mu=[1, 1]).write_fclib(path, block_on_slope(1, 0).solve())
            with self.assertRaisesRegex(ValueError, "solution: int"):
                block_on_slope(1, 0).write_fclib(path, 3)

    def test_linear_complementarity(self):
        M, q = np.array([[2.0, 1], [1, 2]]), np.array([-5.0, -6])
        for method in ("lemke", "pgs"):
            z, status, residual = asperity.solve_lcp(M, q, method)
            np.testing.assert_allclose(z, [4 / 3, 7 / 3], rtol=1e-8)
            self.assertEqual(status, "solved")
        self.assertEqual(asperity.solve_lcp([[0.0]], [-1.0])[1], "ray")


if __name__ == "__main__":
    main()
