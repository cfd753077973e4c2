"""The solvers: eigenpairs, triplets, factors, paths. NumPy alone is needed, SciPy for most."""

import doctest
import os
import pickle
import signal
import subprocess
import unittest
import warnings

import numpy as np

import orthant
from orthant import _solvers
from test_calls import in_a_process

try:
    import scipy.sparse as sp
    from scipy.sparse.csgraph import dijkstra
    from scipy.sparse.linalg import LinearOperator, aslinearoperator
except ImportError:
    sp = None


def beads(n, of=None):
    """A string of n beads between walls, with eigenvalues 2 − 2cos(jπ/(n+1))."""
    return (of or sp.csr_matrix)(sp.diags([np.full(n, 2.0), -np.ones(n - 1), -np.ones(n - 1)], [0, 1, -1]))


def spectrum(n):
    return 2 - 2 * np.cos(np.arange(1, n + 1) * np.pi / (n + 1))


@unittest.skipIf(sp is None, "no SciPy")
class Eigenpairs(unittest.TestCase):
    def test_pair_with_what_was_measured(self):
        a = beads(900)
        found = orthant.eigsh(a, 3)
        values, vectors = found
        np.testing.assert_allclose(values, spectrum(900)[:3], rtol=1e-7)
        self.assertEqual(vectors.shape, (900, 3))
        np.testing.assert_allclose(vectors.T @ vectors, np.eye(3), atol=1e-10)
        self.assertTrue(np.all(found.residuals < 1e-9))
        np.testing.assert_allclose(found.residuals, np.linalg.norm(a @ vectors - vectors * values, axis=0) / 4, atol=1e-15)
        self.assertAlmostEqual(found.next, spectrum(900)[3], delta=1e-5)
        self.assertIn("solver", found.report["plan"])
        proof = orthant.eigsh(a, 3, certified=True).report["certificate"]
        self.assertEqual((proof["below"], proof["known"], proof["pairs"], proof["missed"]), (3, 3, 3, 0))
        self.assertGreater(proof["shift"] - proof["bound"], found[0][2])
        values, vectors, residuals = orthant.eigsh(a, 3, return_residuals=True)
        np.testing.assert_array_equal(residuals, found.residuals)
        again = pickle.loads(pickle.dumps(found))
        np.testing.assert_array_equal(again.residuals, found.residuals)
        self.assertEqual((again.next, len(again)), (found.next, 2))

    def test_inside_the_spectrum(self):
        n = 500
        a, all = beads(n), spectrum(n)
        for sigma in (1.234, 3.9):
            values, vectors = orthant.eigsh(a, 7, sigma=sigma)
            want = np.sort(all[np.argsort(abs(all - sigma))[:7]])
            np.testing.assert_allclose(values, want, rtol=1e-9)
            np.testing.assert_allclose(a @ vectors, vectors * values, atol=1e-8)
        found = orthant.eigsh(a, interval=(1, 1.49), M=np.full(n, 2.0))
        np.testing.assert_allclose(found[0], all[(all > 2) & (all < 2.98)] / 2, rtol=1e-9)
        proof = found.report["certificate"]
        self.assertEqual((proof["below"], proof["pairs"]), (np.sum(all < 2.98), len(found[0])))

    def test_a_shift_on_an_eigenvalue_is_moved_and_told(self):
        n = 24
        line = beads(n)
        grid = (sp.kron(line, sp.identity(n)) + sp.kron(sp.identity(n), line)).tocsr()
        all = np.add.outer(spectrum(n), spectrum(n)).ravel()
        self.assertEqual(np.sum(abs(all - 4) < 1e-9), n)
        with self.assertWarnsRegex(UserWarning, "sigma moved from 4 to 4.000.*, off an eigenvalue"):
            found = orthant.eigsh(grid, 5, sigma=4)
        np.testing.assert_allclose(found[0], 4, atol=1e-9)
        self.assertIn("sigma moved from 4 to 4.000", found.report["plan"]["reason"])
        self.assertLess(found.residuals.max(), 1e-10)

    def test_intervals_may_be_empty(self):
        found = orthant.eigsh(np.array([[2.0]]), interval=(1, 3))
        np.testing.assert_allclose(found[0], [2.0])
        for matrix, interval in (([[2.0]], (3, 4)), (np.diag([1.0, 2, 3, 4]), (1.2, 1.8)), (np.diag([1.0, 2, 3, 4]), (-3, 0))):
            values, vectors = orthant.eigsh(np.array(matrix), interval=interval)
            self.assertEqual((values.shape, vectors.shape), ((0,), (len(matrix), 0)))

    def test_penalties_on_the_diagonal(self):
        n = 2000
        diagonal = np.full(n, 2.0)
        diagonal[[0, -1]] = 1e30
        path = sp.diags([diagonal, np.full(n - 1, -1.0), np.full(n - 1, -1.0)], [0, 1, -1], format="csr")
        want = 4 * np.sin(np.arange(1, 5) * np.pi / (2 * (n - 1))) ** 2
        for sigma in (0, -1e-6):
            found = orthant.eigsh(path, 4, sigma=sigma)
            np.testing.assert_allclose(found[0], want, rtol=1e-7)
            self.assertEqual(found.errors.shape, (4,))
            self.assertTrue((found.errors < 1e-3 * want).all())
            self.assertEqual(found.digits.tolist(), found.report["digits"])

    def test_rows_without_mass(self):
        for n in (120, 1200):
            a, free = beads(n), np.arange(n) % 3 != 0
            mass = np.where(free, 0.0, 2.0)
            light, heavy = a[free][:, free], a[~free][:, ~free]
            condensed = heavy - a[~free][:, free] @ np.linalg.solve(light.toarray(), a[free][:, ~free].toarray())
            want = np.linalg.eigvalsh(np.asarray(condensed)) / 2
            for m in (mass, sp.diags(mass, format="csr")):
                found = orthant.eigsh(a, 5, M=m)
                np.testing.assert_allclose(found[0], want[:5], rtol=1e-9)
                self.assertEqual(found.report["infinite_eigenvalues"], free.sum())
                self.assertLess(found.residuals.max(), 1e-10)
                self.assertTrue((found.digits >= 6).all())
                inside = orthant.eigsh(a, M=m, interval=((want[2] + want[3]) / 2, (want[6] + want[7]) / 2))
                np.testing.assert_allclose(inside[0], want[3:7], rtol=1e-9)
            with self.assertRaisesRegex(ValueError, f"M has entries in {n // 3} of {n} rows"):
                orthant.eigsh(a, n // 3 + 1, M=mass)

    def test_an_interval_with_too_many_pairs(self):
        n = 100
        line = beads(n)
        grid = (sp.kron(line, sp.identity(n)) + sp.kron(sp.identity(n), line)).tocsr()
        count = np.sum(abs(np.add.outer(spectrum(n), spectrum(n)) - 4.001) < 3)
        with self.assertRaisesRegex(MemoryError, f"the interval holds {count} eigenvalues, whose pairs need"):
            orthant.eigsh(grid, interval=(1.001, 7.001), memory=300 << 20)

    def test_indefinite_factor(self):
        n = 200
        a = beads(n)
        factor = orthant.ldlt(a, shift=-1.5)
        below = int(np.sum(spectrum(n) < 1.5))
        self.assertEqual(factor.inertia(), (n - below, below, 0))
        self.assertLess(factor.report["inertia"]["bound"], 1e-9)
        sign, logarithm = np.linalg.slogdet(a.toarray() - 1.5 * np.eye(n))
        self.assertEqual(factor.logdet()[0], sign)
        self.assertAlmostEqual(factor.logdet()[1], logarithm, delta=1e-9)
        b = np.cos(np.arange(2.0 * n)).reshape(n, 2)
        np.testing.assert_allclose(a @ factor.solve(b) - 1.5 * factor.solve(b), b, atol=1e-9)
        factor.update_values(2 * a, shift=-5)
        self.assertEqual(factor.inertia()[1], int(np.sum(spectrum(n) < 2.5)))
        with self.assertRaisesRegex(TypeError, "orthant.LDLT cannot be pickled"):
            pickle.dumps(factor)

    def test_an_indefinite_factor_says_what_is_not_certain(self):
        path = sp.diags([1e-310, 1e-310], [-1, 1], shape=(4, 4)).tocsr()
        factor = orthant.ldlt(path)
        self.assertEqual(factor.inertia(), (2, 2, 0))
        self.assertTrue(factor.report["inertia"]["certain"])
        with self.assertWarnsRegex(UserWarning, "the inertia is not certain: an eigenvalue is zero"):
            singular = orthant.ldlt(sp.diags([1.0, 1.0], [-1, 1], shape=(3, 3)).tocsr())
        self.assertEqual(singular.inertia(), (1, 1, 1))

    def test_every_way_to_give_a_matrix(self):
        n = 300
        a = beads(n)
        want = orthant.eigsh(a, 2)
        kinds = [beads(n, kind) for kind in (sp.csr_array, sp.csc_matrix, sp.coo_array, sp.lil_matrix, sp.dia_matrix)]
        wide = beads(n)
        wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
        unsorted = a.copy()
        for i in range(n):
            row = slice(unsorted.indptr[i], unsorted.indptr[i + 1])
            unsorted.indices[row], unsorted.data[row] = unsorted.indices[row][::-1].copy(), unsorted.data[row][::-1].copy()
        whole = a.astype(np.int64)
        for b in [*kinds, wide, unsorted, whole, a.astype(np.float32), a.toarray(), np.asfortranarray(a.toarray())]:
            values, vectors = orthant.eigsh(b, 2)
            np.testing.assert_array_equal(values, want[0])
            np.testing.assert_array_equal(vectors, want[1])
        product = lambda x: a @ x  # noqa: E731
        product_with_shape = type("Products", (), {"shape": (n, n), "__call__": lambda self, x: product(x)})()
        for b in (aslinearoperator(a), LinearOperator((n, n), matvec=product, dtype=float), product_with_shape):
            values, vectors = orthant.eigsh(b, 2)
            np.testing.assert_allclose(values, want[0], rtol=1e-6)

    def test_canonical_matrices_are_read_where_they_lie(self):
        from orthant import _sparse

        for a in (beads(9), beads(9, sp.csr_array)):
            described, held = _sparse.csr(a)
            self.assertEqual((described.data, described.indices, described.indptr), (a.data.ctypes.data, a.indices.ctypes.data, a.indptr.ctypes.data))

    def test_generalised(self):
        n = 400
        a, consistent = beads(n), sp.diags([np.full(n, 4.0), np.ones(n - 1), np.ones(n - 1)], [0, 1, -1]).tocsr() / 6
        masses = 1 + np.arange(n) % 3
        for m, full in ((consistent, consistent.toarray()), (masses, np.diag(masses)), (consistent.toarray(), consistent.toarray())):
            values, vectors = orthant.eigsh(a, 3, M=m, sigma=-0.1)
            half = np.linalg.cholesky(full)
            inverse = np.linalg.inv(half)
            np.testing.assert_allclose(values, np.linalg.eigvalsh(inverse @ a.toarray() @ inverse.T)[:3], rtol=1e-6)
            np.testing.assert_allclose(vectors.T @ full @ vectors, np.eye(3), atol=1e-9)

    def test_null_vectors_and_starts(self):
        n = 500
        path = sp.csgraph.laplacian(sp.diags([np.ones(n - 1)] * 2, [1, -1])).tocsr()
        want = 2 - 2 * np.cos(np.arange(4) * np.pi / n)
        values, vectors = orthant.eigsh(path, 2, null=np.ones(n))
        np.testing.assert_allclose(values, want[1:3], rtol=1e-6)
        np.testing.assert_allclose(vectors.sum(0), 0, atol=1e-10)
        again, _ = orthant.eigsh(path, 2, null=np.ones((n, 1)), X0=vectors)
        np.testing.assert_allclose(again, want[1:3], rtol=1e-6)
        np.testing.assert_allclose(orthant.eigsh(path, 2)[0], want[:2], atol=1e-10)
        alone = sp.block_diag([path, sp.csr_matrix((2, 2))]).tocsr()  # two vertices without edges
        np.testing.assert_allclose(orthant.eigsh(alone, 4)[0], [0, 0, 0, want[1]], atol=1e-9)

    def test_largest(self):
        a = beads(300) - 3 * sp.eye(300, format="csr")
        want = (spectrum(300) - 3)[::-1]
        for b in (a, a.toarray(), aslinearoperator(a)):
            found = orthant.largest(b, 2)
            np.testing.assert_allclose(found[0], want[:2], rtol=1e-9)
            self.assertAlmostEqual(found.next, want[2], delta=1e-5)
            self.assertLess(max(found.residuals), 1e-8)
        self.assertEqual(len(orthant.largest(a, 2, return_residuals=True)), 3)

    def test_which_as_scipy(self):
        from scipy.sparse.linalg import eigsh

        a = (beads(250) - sp.diags(np.linspace(0, 5, 250))).tocsr()
        start = np.ones(250)
        for which in ("LM", "LA", "SA", "BE"):
            want = eigsh(a, 5, which=which, v0=start, return_eigenvectors=False, tol=1e-12)
            for b in (a, a.toarray(), aslinearoperator(a)):
                values, vectors = found = orthant.eigsh(b, 5, which=which, v0=start)
                np.testing.assert_allclose(values, np.sort(want), atol=1e-9)
                np.testing.assert_allclose(a @ vectors, vectors * values, atol=1e-6)
                np.testing.assert_allclose(vectors.T @ vectors, np.eye(5), atol=1e-9)
                self.assertEqual((found.residuals.shape, found.errors.shape, len(found.report["digits"])), ((5,), (5,), 5))
        values = np.linalg.eigvalsh(a.toarray())
        near = np.sort(values[np.argsort(abs(values))[:5]])
        for found in (orthant.eigsh(a, 5, which="SM"), orthant.eigsh(a, 5, sigma=0, which="LM")):
            np.testing.assert_allclose(found[0], near, rtol=1e-9)
        np.testing.assert_allclose(orthant.eigsh(a, 3, which="SA").next, values[3], atol=1e-5)
        for n in (6, 300):  # one eigenvalue at both ends
            same = orthant.eigsh(sp.identity(n, format="csr") * 3, 4, which="BE")
            np.testing.assert_allclose(same[1].T @ same[1], np.eye(4), atol=1e-9)
        self.assertEqual(orthant.eigsh(-np.eye(5), 3, which="LM")[0].tolist(), [-1.0] * 3)

    def test_hermitian(self):
        random = np.random.default_rng(6)
        for n, dense in ((40, True), (400, False)):
            b = sp.random(n, n, 4 / n, random_state=7) + 1j * sp.random(n, n, 4 / n, random_state=8)
            a = (b + b.conj().T + sp.diags(np.linspace(5, 30, n))).tocsr()
            all = np.linalg.eigvalsh(a.toarray())
            for given in (a, a.toarray(), aslinearoperator(a))[: 3 if dense else 1]:
                values, vectors = found = orthant.eigsh(given, 4)
                np.testing.assert_allclose(values, all[:4], rtol=1e-8)
                np.testing.assert_allclose(a @ vectors, vectors * values, atol=1e-6)
                np.testing.assert_allclose(vectors.conj().T @ vectors, np.eye(4), atol=1e-8)
                self.assertLess(found.residuals.max(), 1e-9)
                self.assertAlmostEqual(found.next, all[4], delta=1e-5)
            np.testing.assert_allclose(orthant.eigsh(a, 3, which="LA")[0], all[-3:], rtol=1e-9)
            np.testing.assert_allclose(orthant.largest(a, 3)[0], all[::-1][:3], rtol=1e-9)
            inside = orthant.eigsh(a, interval=((all[9] + all[10]) / 2, (all[14] + all[15]) / 2))
            np.testing.assert_allclose(inside[0], all[10:15], rtol=1e-9)
            masses = 1 + random.uniform(size=n)
            values, vectors = orthant.eigsh(a, 3, M=masses)
            np.testing.assert_allclose(a @ vectors, masses[:, None] * vectors * values, atol=1e-6)
            np.testing.assert_allclose(vectors.conj().T @ (masses[:, None] * vectors), np.eye(3), atol=1e-8)
        multiple = np.kron(np.eye(3), np.array([[2, 1j], [-1j, 2]]))  # 1 and 3, three times each
        values, vectors = orthant.eigsh(multiple, 4)
        np.testing.assert_allclose(values, [1, 1, 1, 3], atol=1e-12)
        np.testing.assert_allclose(vectors.conj().T @ vectors, np.eye(4), atol=1e-12)
        np.testing.assert_allclose(multiple @ vectors, vectors * values, atol=1e-12)

    def test_svds(self):
        a = sp.random(300, 200, 0.1, format="csr", random_state=1)
        u, s, vt = np.linalg.svd(a.toarray(), full_matrices=False)
        for b in (a, sp.csr_array(a), a.tocsc(), a.toarray(), a.toarray().astype(np.float32), aslinearoperator(a)):
            found = orthant.svds(b, 3)
            left, values, right = found
            near = 1e-5 if getattr(b, "dtype", None) == np.float32 else 1e-9
            np.testing.assert_allclose(values, s[:3], rtol=near)
            self.assertEqual((left.shape, right.shape), ((300, 3), (3, 200)))
            np.testing.assert_allclose(left @ np.diag(values) @ right, u[:, :3] @ np.diag(s[:3]) @ vt[:3], atol=max(near, 1e-7))
            np.testing.assert_allclose(found.next, s[3], rtol=1e-5)
            self.assertEqual(found.residuals.shape, (3,))

    def test_threads_change_no_bit(self):
        a = beads(3000)
        one, two = orthant.eigsh(a, 3, threads=1), orthant.eigsh(a, 3, threads=2)
        np.testing.assert_array_equal(one[1], two[1])
        a = sp.random(1500, 1000, 0.05, format="csr", random_state=1)
        one, two = orthant.svds(a, 3, threads=1), orthant.svds(a, 3, threads=2)
        np.testing.assert_array_equal(one[0], two[0])

    def test_refusals(self):
        a, n = beads(30), 30
        lopsided, nan, twice, beyond, coarse = a.copy(), a.copy(), a.copy(), a.copy(), a.copy()
        lopsided.data[1], nan.data[4], twice.indices[1], beyond.indices[1], coarse.indptr[2] = 7, np.nan, 0, n, 1
        far = beads(n)
        far.indices, far.indptr = far.indices.astype(np.int64), far.indptr.astype(np.int64)
        far.indices[1] = 1 << 32
        masked = np.ma.masked_array(a.toarray(), a.toarray() == 2)
        bad = type("Bad", (), {"shape": (n, n), "matmat": lambda self, x: x[:3]})()
        for says, call in {
            r"eigsh: A: the matrix is not symmetric: the entry in row 0, column 1 .* give equal entries, or \(A \+ Aᵀ\)/2": lambda: orthant.eigsh(lopsided, 2),
            r"row 1, column 2 \(counting from 0\) is nan|NaN": lambda: orthant.eigsh(nan, 2),
            r"row 0 has column 0 twice .*sum_duplicates": lambda: orthant.eigsh(twice, 2),
            r"row 0 has an entry in column 30 of a 30 × 30": lambda: orthant.eigsh(beyond, 2),
            r"column 4294967296 of a 30 × 30": lambda: orthant.eigsh(far, 2),
            r"indptr\[2\] is 1 behind 2": lambda: orthant.eigsh(coarse, 2),
            r"30 eigenpairs requested of a matrix of order 30": lambda: orthant.eigsh(a, 30),
            r"k is 0": lambda: orthant.eigsh(a, 0),
            r"k is 2.5; give a whole number": lambda: orthant.eigsh(a, 2.5),
            r"below sigma = 1": lambda: orthant.eigsh(a, 2, sigma=1, certified=True),
            r"k is missing": lambda: orthant.eigsh(a),
            r"which is 'LR'; give": lambda: orthant.eigsh(a, 2, which="LR"),
            r"which='SA' with a sigma asks for pairs far from it": lambda: orthant.eigsh(a, 2, sigma=1, which="SA"),
            r"M is given, which which='LA'": lambda: orthant.eigsh(a, 2, M=np.ones(n), which="LA"),
            r"v0 is another name for X0": lambda: orthant.eigsh(a, 2, X0=np.ones(n), v0=np.ones(n)),
            r"an interval stands in place of which": lambda: orthant.eigsh(a, interval=(1, 2), which="LA"),
            r"the pairs of a complex matrix are not counted": lambda: orthant.eigsh(a * (1 + 0j), 2, certified=True),
            r"A is not Hermitian: the entry in row \d+, column \d+": lambda: orthant.eigsh(a * 1j, 2),
            r"only the largest triplets": lambda: orthant.svds(a, 2, which="SM"),
            r"an interval stands in place of k": lambda: orthant.eigsh(a, 2, interval=(1, 2)),
            r"the interval goes from 2.* to 1": lambda: orthant.eigsh(a, interval=(2, 1)),
            r"sigma is nan; give a finite number": lambda: orthant.eigsh(a, 2, sigma=np.nan),
            r"tolerance 2; give a number": lambda: orthant.eigsh(a, 2, tol=2),
            r"A is 30 × 4": lambda: orthant.eigsh(a[:, :4], 2),
            r"A has 1 dimension": lambda: orthant.eigsh(np.ones(3), 2),
            r"A has entries of type complex128": lambda: orthant.svds(a * 1j, 2),
            r"A has masked entries": lambda: orthant.eigsh(masked, 2),
            r"A is str; give": lambda: orthant.eigsh("A", 2),
            r"M is not positive definite: diagonal entry 0 in row 0": lambda: orthant.eigsh(a, 2, M=np.zeros(n)),
            r"the diagonal M has 3 entries": lambda: orthant.eigsh(a, 2, M=np.ones(3)),
            r"M: the matrix is not symmetric": lambda: orthant.eigsh(a, 2, M=lopsided),
            r"vector 0 \(counting from 0\) is not a null vector of A": lambda: orthant.eigsh(a, 2, null=np.ones(n)),
            r"null: it is 3 × 1": lambda: orthant.eigsh(a, 2, null=np.ones(3)),
            r"entry 2 of start vector 0": lambda: orthant.eigsh(a, 2, X0=np.array([0, 0, np.inf] + [0.0] * 27)),
            r"no parameter \"sed\"": lambda: orthant.eigsh(a, 2, sed=1),
            r"operator made float64 of shape \(3, \d+\)": lambda: orthant.eigsh(bad, 2),
            r"complex numbers": lambda: orthant.svds(aslinearoperator(a * 1j), 2),
            r"products: the matrix is 30 × 4": lambda: orthant.largest(aslinearoperator(a[:, :4]), 2),
            r"largest: 31 eigenpairs": lambda: orthant.largest(a, 31),
            r"svds: 5 singular triplets requested of a 30 × 4": lambda: orthant.svds(a[:, :4], 5),
            r"without rmatmat": lambda: orthant.svds(type("F", (), {"shape": (300, 400), "matmat": lambda self, x: np.ones((300, x.shape[1]))})(), 2),
        }.items():
            with self.subTest(says), self.assertRaisesRegex(ValueError, says) as caught:
                call()
            self.assertNotIn("\n", str(caught.exception))
        with self.assertRaisesRegex(MemoryError, "eigsh: A: its entries need about .* where the limit is 1000 B"):
            orthant.eigsh(a, 2, memory=1000)

    def test_what_an_operator_raises_comes_back(self):
        def fail(x):
            raise ZeroDivisionError("enough")

        with self.assertRaisesRegex(ZeroDivisionError, "enough"):
            orthant.eigsh(LinearOperator((300, 300), matvec=fail, matmat=fail, dtype=float), 2)

    def test_the_best_found_comes_with_a_warning(self):
        hard = sp.diags(np.geomspace(1e-14, 1, 400)).tocsr()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = orthant.eigsh(aslinearoperator(hard), 2)
        self.assertEqual(found.report["converged"], not caught)


@unittest.skipIf(sp is None, "no SciPy")
class Factors(unittest.TestCase):
    def test_solve_and_logdet(self):
        n = 500
        a = beads(n)
        for b in (a, beads(n, sp.csr_array), a.tocsc(), a.toarray()):
            c = orthant.cholesky(b)
            self.assertEqual(c.shape, (n, n))
            self.assertAlmostEqual(c.logdet(), np.log(n + 1), delta=1e-10)
            for right in (np.ones(n), np.arange(n), np.random.default_rng(1).normal(size=(n, 70)), np.asfortranarray(np.ones((n, 3), np.float32))):
                before = right.copy()
                x = c.solve(right)
                self.assertEqual((x.shape, x.dtype), (right.shape, np.float64))
                np.testing.assert_allclose(a @ x, right, atol=1e-8)
                np.testing.assert_array_equal(right, before)
        many = np.random.default_rng(1).normal(size=(n, 70))
        np.testing.assert_array_equal(c.solve(many)[:, :64], c.solve(many[:, :64]))

    def test_update_values(self):
        a = beads(300)
        c = orthant.cholesky(a, shift=1)
        fresh = orthant.cholesky(2 * a, shift=1)
        c.update_values(2 * a)
        b = np.arange(300.0)
        np.testing.assert_array_equal(c.solve(b), fresh.solve(b))
        c.update_values(a, shift=0)
        self.assertEqual(c.shift, 0)
        self.assertAlmostEqual(c.logdet(), np.log(301), delta=1e-10)
        for b, says in ((beads(301), "order 301 for a factor of order 300"), (sp.eye(300, format="csr"), "row 0 .* other places"), (sp.triu(a).tocsr(), "other places|not symmetric")):
            with self.assertRaisesRegex(ValueError, says):
                c.update_values(b)
            self.assertAlmostEqual(c.logdet(), np.log(301), delta=1e-10)
        with self.assertRaisesRegex(np.linalg.LinAlgError, "pivot .* in row and column"):
            c.update_values(a, shift=-3)
        with self.assertRaisesRegex(np.linalg.LinAlgError, "no factor"):
            c.solve(np.ones(300))
        c.update_values(a)
        self.assertAlmostEqual(c.logdet(), np.log(301), delta=1e-10)

    def test_in_place(self):
        a = beads(60)
        for factor in (orthant.cholesky(a), orthant.ldlt(a, shift=-1.5)):
            b = np.random.default_rng(2).normal(size=(60, 70))
            want, out = factor.solve(b), np.empty((60, 70))
            self.assertIs(factor.solve(b, out=out), out)
            np.testing.assert_array_equal(out, want)
            self.assertIs(factor.solve(b, out=b), b)
            np.testing.assert_array_equal(b, want)
            for wrong in (np.empty((60, 70), np.float32), np.empty((70, 60)), np.empty((60, 70), order="F"), [1.0]):
                with self.assertRaisesRegex(ValueError, "give a writable array of float64 in C order, of the shape of b"):
                    factor.solve(want, out=wrong)

    def test_parts(self):
        n = 80
        a = (beads(n) + sp.kron(sp.diags([np.ones(7)] * 2, [1, -1]), sp.identity(10))).tocsr()
        a.setdiag(7)
        full, random = a.toarray(), np.random.default_rng(3)
        factor = orthant.cholesky(a)
        L, order = factor.L(), factor.P()
        np.testing.assert_allclose((L @ L.T).toarray(), full[np.ix_(order, order)], atol=1e-13)
        self.assertEqual(sp.triu(L, 1).nnz, 0)
        for x in (random.normal(size=n), random.normal(size=(n, 11))):
            np.testing.assert_array_equal(factor.apply_P(x), x[order])
            np.testing.assert_array_equal(factor.apply_Pt(factor.apply_P(x)), x)
            np.testing.assert_allclose(factor.apply("L", x), L @ x, atol=1e-12)
            np.testing.assert_allclose(factor.apply("L^T", x), L.T @ x, atol=1e-12)
            np.testing.assert_allclose(L @ factor.solve_L(x), x, atol=1e-12)
            np.testing.assert_allclose(L.T @ factor.solve_Lt(x), x, atol=1e-12)
            np.testing.assert_array_equal(factor.apply_Pt(factor.solve_Lt(factor.solve_L(factor.apply_P(x)))), factor.solve(x))
        shifted = orthant.ldlt(a, shift=-7.3)
        L, D, order = shifted.L(), shifted.D(), shifted.P()
        np.testing.assert_allclose((L @ D @ L.T).toarray(), (full - 7.3 * np.eye(n))[np.ix_(order, order)], atol=1e-11)
        self.assertEqual(np.sum(np.linalg.eigvalsh(D.toarray()) < 0), shifted.inertia()[1])
        x = random.normal(size=n)
        np.testing.assert_allclose(shifted.apply("P^T L^-T D^-1 L^-1 P", x), shifted.solve(x), atol=1e-10)
        np.testing.assert_allclose(D @ shifted.solve_D(x), x, atol=1e-10)
        for call, says in ((lambda: factor.apply("L R", x), 'no part "R"'), (lambda: factor.apply("D", x), "LLᵀ has no part"), (lambda: factor.apply(3, x), "parts is 3"), (lambda: shifted.update(x), "LDLᵀ takes no vectors")):
            with self.assertRaisesRegex(ValueError, says):
                call()

    def test_inverse(self):
        a = (beads(70) + sp.kron(sp.diags([np.ones(6)] * 2, [1, -1]), sp.identity(10))).tocsr()
        a.sort_indices()
        for shift, made in ((5.0, orthant.cholesky), (-1.7, orthant.ldlt)):
            factor, want = made(a, shift=shift), np.linalg.inv(a.toarray() + shift * np.eye(70))
            np.testing.assert_allclose(factor.inverse_diagonal(), want.diagonal(), rtol=1e-9)
            on, all = factor.inverse_entries(a), factor.inverse_entries()
            np.testing.assert_array_equal(on.indices, a.indices)
            for found in (on, all):
                np.testing.assert_allclose(found.toarray()[found.toarray() != 0], want[found.toarray() != 0], atol=1e-10)
            self.assertGreaterEqual(all.nnz, on.nnz)
            sign, logarithm = np.linalg.slogdet(a.toarray() + shift * np.eye(70))
            self.assertEqual(factor.slogdet()[0], sign)
            self.assertAlmostEqual(factor.slogdet()[1], logarithm, delta=1e-9)
            with self.assertRaisesRegex(ValueError, "is not at a place of L"):
                factor.inverse_entries(sp.csr_matrix(np.ones((70, 70))))

    def test_update_and_downdate(self):
        n = 60
        a = beads(n)
        factor, random = orthant.cholesky(a, shift=1), np.random.default_rng(4)
        full = np.zeros((n, 20))
        for j in range(20):
            i = random.integers(n - 1)
            full[i : i + 2, j] = random.normal(size=2)
        b = random.normal(size=n)
        for w in (full, sp.csc_matrix(full), full[:, 0]):
            dense = np.reshape(w.toarray() if sp.issparse(w) else w, (n, -1))
            factor.update(w)
            np.testing.assert_allclose((a + sp.identity(n)) @ factor.solve(b) + dense @ (dense.T @ factor.solve(b)), b, atol=1e-11)
            factor.update(w, subtract=True)
            np.testing.assert_allclose(factor.solve(b), orthant.cholesky(a, shift=1).solve(b), atol=1e-11)
        before = factor.solve(b)
        with self.assertRaisesRegex(np.linalg.LinAlgError, "would not be positive definite, and the factor is as it was"):
            factor.update(10 * full, subtract=True)
        with self.assertRaisesRegex(ValueError, "joins rows .* which L does not"):
            factor.update(np.ones(n))
        np.testing.assert_array_equal(factor.solve(b), before)

    def test_refusals(self):
        a = beads(40)
        c = orthant.cholesky(a)
        laplacian = sp.csgraph.laplacian(sp.diags([np.ones(39)] * 2, [1, -1])).tocsr()
        for error, says, call in (
            (np.linalg.LinAlgError, "positive definite", lambda: orthant.cholesky(-a)),
            (np.linalg.LinAlgError, "not positive definite", lambda: orthant.cholesky(laplacian)),
            (ValueError, "not positive definite", lambda: orthant.cholesky(-a)),
            (ValueError, "not symmetric", lambda: orthant.cholesky(sp.tril(a).tocsr())),
            (ValueError, "shift is nan; give a finite number", lambda: orthant.cholesky(a, shift=np.nan)),
            (ValueError, "A is LinearOperator|A is .*Operator; give", lambda: orthant.cholesky(aslinearoperator(a))),
            (ValueError, "b is of type float64 and of shape \\(3,\\)", lambda: c.solve(np.ones(3))),
            (ValueError, "b has entries of type complex128", lambda: c.solve(np.ones(40) * 1j)),
            (ValueError, "b is sparse", lambda: c.solve(a)),
            (ValueError, "NaN in row 0", lambda: c.solve(np.full(40, np.nan))),
            (MemoryError, "cholesky: A: its entries need", lambda: orthant.cholesky(a, memory=1000)),
            (TypeError, "cannot be pickled", lambda: pickle.dumps(c)),
        ):
            with self.subTest(says), self.assertRaisesRegex(error, says):
                call()


@unittest.skipIf(sp is None, "no SciPy")
class LaplacianSolver(unittest.TestCase):
    def grid(self, n):
        line = sp.diags([np.ones(n - 1)] * 2, [1, -1])
        return sp.csr_matrix(sp.csgraph.laplacian(sp.kron(line, sp.eye(n)) + sp.kron(sp.eye(n), line)))

    def test_solutions_are_least_squares(self):
        a = sp.block_diag([self.grid(9), self.grid(6), self.grid(5) + sp.eye(25)]).tocsr()
        rng = np.random.default_rng(1)
        b = a @ rng.normal(size=(142, 11))
        solver = orthant.laplacian_solver(a, tol=1e-12)
        plan = solver.report["plan"]
        self.assertEqual((plan["components"], plan["singular_components"]), (3, 2))
        x = solver.solve(b)
        self.assertLess(solver.residual, 1e-12)
        self.assertGreater(solver.iterations, 0)
        np.testing.assert_allclose(x, np.linalg.lstsq(a.toarray(), b, rcond=1e-10)[0], atol=1e-9)
        np.testing.assert_allclose(solver.solve(b[:, 3]), x[:, 3], atol=1e-10)

    def test_preconditioners_agree_on_any_number_of_threads(self):
        a, b = self.grid(40), np.random.default_rng(2).normal(size=1600)
        b -= b.mean()
        found = []
        for settings in ({"preconditioner": "diagonal"}, {"splits": 1}, {"threads": 1}, {"threads": 2}):
            solver = orthant.laplacian_solver(a, tol=1e-11, **settings)
            found.append(solver.solve(b))
            self.assertLess(np.linalg.norm(a @ found[-1] - b) / np.linalg.norm(b), 2e-11)
            np.testing.assert_allclose(found[-1], found[0], atol=1e-8)
        np.testing.assert_array_equal(found[2], found[3])

    def test_positive_entries(self):
        a = sp.csr_matrix(np.array([[3.0, 1, -1], [1, 2, 0], [-1, 0, 1]]))
        np.testing.assert_allclose(orthant.laplacian_solver(a).solve(a @ [1.0, 2, 3]), [1, 2, 3], atol=1e-7)

    def test_refusals(self):
        a = self.grid(8)
        solver = orthant.laplacian_solver(a)
        rough = np.random.default_rng(3).normal(size=64)
        for error, says, call in (
            (ValueError, "dominant", lambda: orthant.laplacian_solver(a - sp.eye(64))),
            (ValueError, "not symmetric", lambda: orthant.laplacian_solver(sp.triu(a).tocsr())),
            (ValueError, "mean", lambda: solver.solve(np.ones(64))),
            (ValueError, "shape \\(3,\\)", lambda: solver.solve(np.ones(3))),
            (ValueError, "sparse", lambda: solver.solve(a)),
            (ValueError, "tolerance is 0.5", lambda: orthant.laplacian_solver(a, tol=0.5)),
            (ValueError, "approximate cholesky", lambda: orthant.laplacian_solver(a, preconditioner="ilu")),
            (ValueError, "residual", lambda: orthant.laplacian_solver(a, preconditioner="diagonal", iterations=2).solve(rough - rough.mean())),
            (TypeError, "cannot be pickled", lambda: pickle.dumps(solver)),
        ):
            with self.subTest(says), self.assertRaisesRegex(error, says):
                call()


@unittest.skipIf(sp is None, "no SciPy")
class Graphs(unittest.TestCase):
    def test_shortest_paths_are_those_of_dijkstra(self):
        g = sp.random(200, 200, 0.02, format="csr", random_state=2)
        want = dijkstra(g, directed=False)
        np.testing.assert_allclose(orthant.shortest_paths(g), want, rtol=1e-12)
        np.testing.assert_allclose(orthant.shortest_paths(sp.csr_array(g), [3, 7]), want[[3, 7]], rtol=1e-12)
        self.assertEqual(orthant.shortest_paths(g, 5).shape, (1, 200))

    def test_lists_of_neighbours(self):
        x = np.random.default_rng(3).uniform(size=(150, 2))
        lists = orthant.neighbors(x, 6)
        rows = np.repeat(np.arange(150), 6)
        g = sp.csr_matrix((lists[1].ravel(), (rows, lists[0].ravel())), shape=(150, 150))
        np.testing.assert_array_equal(orthant.shortest_paths(lists), orthant.shortest_paths(g))
        self.assertEqual(orthant.connected_components(lists)[0], orthant.connected_components(g)[0])

    def test_components(self):
        g = sp.block_diag([np.ones((3, 3)), np.ones((2, 2)), [[0]]]).tocsr()
        count, labels = orthant.connected_components(g)
        self.assertEqual(count, 3)
        np.testing.assert_array_equal(labels, [0, 0, 0, 1, 1, 2])

    def test_refusals(self):
        g = beads(20)
        for says, call in {
            "length -1": lambda: orthant.shortest_paths(g),
            "the graph is ndarray, in which a zero may be": lambda: orthant.shortest_paths(g.toarray()),
            "source 0 .* is vertex 20 of a graph of 20": lambda: orthant.shortest_paths(abs(g), [20]),
            "sources are of type float64": lambda: orthant.shortest_paths(abs(g), [0.5]),
            "the graph is 3 × 20": lambda: orthant.connected_components(g[:3]),
            "graph: indices of": lambda: orthant.connected_components((np.ones((3, 2), int), np.ones((2, 2)))),
        }.items():
            with self.subTest(says), self.assertRaisesRegex(ValueError, says):
                call()


@unittest.skipIf(sp is None, "no SciPy")
class Starts(unittest.TestCase):
    def test_eigenvectors_of_the_normalised_laplacian(self):
        w = sp.random(300, 300, 0.02, random_state=5)
        w = (w + w.T).tocsr()
        w.setdiag(0)
        w.eliminate_zeros()
        w += sp.diags([np.full(299, 0.1)] * 2, [1, -1])  # a path makes it connected
        w = w.tocsr()
        laplacian = sp.csgraph.laplacian(w, normed=True).toarray()
        values, vectors = np.linalg.eigh(laplacian)
        y = orthant.spectral_init(w, 2)
        self.assertEqual((y.shape, y.dtype), ((300, 2), np.float64))
        np.testing.assert_allclose(np.abs(np.sum(y * vectors[:, 1:3], axis=0)), 1, atol=1e-8)
        self.assertTrue(np.all(y[np.abs(y).argmax(0), [0, 1]] > 0))
        np.testing.assert_array_equal(orthant.spectral_init(sp.csr_array(w), 2, threads=1), y)
        self.assertAlmostEqual(np.abs(orthant.spectral_init(w, scale="umap")).max(), 10)
        self.assertAlmostEqual(orthant.spectral_init(w, scale="tsne")[:, 0].std(), 1e-4, delta=1e-12)

    def test_components_stand_apart(self):
        ring = sp.diags([np.ones(49)] * 2, [1, -1])
        w = sp.block_diag([ring] * 7 + [sp.csr_matrix((1, 1))]).tocsr()
        y = orthant.spectral_init(w)
        boxes = [(y[lo : lo + 50].min(0), y[lo : lo + 50].max(0)) for lo in range(0, 350, 50)]
        for a in range(7):
            for b in range(a):
                self.assertTrue(np.any((boxes[a][0] >= boxes[b][1] - 1e-9) | (boxes[b][0] >= boxes[a][1] - 1e-9)))
        self.assertTrue(np.isfinite(y).all())

    def test_refusals(self):
        w = abs(beads(20))
        for says, call in {
            "the graph is ndarray; give a sparse matrix of weights": lambda: orthant.spectral_init(w.toarray()),
            "20 coordinates requested of 20 vertices": lambda: orthant.spectral_init(w, 20),
            "the weight in row 0, column 1 .* is -1": lambda: orthant.spectral_init(beads(20)),
            "not symmetric": lambda: orthant.spectral_init(sp.triu(w)),
            "give each or error or joint": lambda: orthant.spectral_init(w, components="all"),
            "has 2 components": lambda: orthant.spectral_init(sp.block_diag([w, w]), components="error"),
            "dim is 1.5": lambda: orthant.spectral_init(w, 1.5),
        }.items():
            with self.subTest(says), self.assertRaisesRegex(ValueError, says):
                call()


@unittest.skipIf(sp is None, "no SciPy")
class Documentation(unittest.TestCase):
    def test_examples_say_what_they_print(self):
        self.assertEqual(doctest.testmod(_solvers).failed, 0)

    def test_the_page_on_solvers(self):
        path = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "solvers.md")
        if not os.path.exists(path):
            self.skipTest("the package alone")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for title in ("In Python", "Factors as tools"):
            section = text.split("## " + title)[1].split("\n## ")[0]
            test = doctest.DocTestParser().get_doctest(section, {}, "solvers.md", path, 0)
            self.assertGreater(len(test.examples), 4)
            self.assertEqual(doctest.DocTestRunner().run(test).failed, 0)

    def test_a_graph_of_ones_own(self):  # docs/solvers.md
        x = np.random.default_rng(1).normal(size=(200, 3))
        indices, _ = orthant.neighbors(x, 8)
        n, k = indices.shape
        graph = sp.csr_array((np.ones(n * k), (np.repeat(np.arange(n), k), indices.ravel())), shape=(n, n))
        self.assertEqual(orthant.spectral_init(graph.maximum(graph.T), scale="umap").shape, (n, 2))


@unittest.skipIf(sp is None, "no SciPy")
class Interrupts(unittest.TestCase):
    def test_ctrl_c_ends_a_solver(self):
        child = in_a_process(
            self,
            """
            import numpy as np, scipy.sparse as sp, orthant
            n = 40
            grid = sp.diags([np.full(n, 6.0), -np.ones(n - 1), -np.ones(n - 1)], [0, 1, -1])
            eye = sp.eye(n)
            line = sp.diags([-np.ones(n - 1)] * 2, [1, -1])
            a = sp.kron(sp.kron(grid, eye), eye) + sp.kron(sp.kron(eye, line), eye) + sp.kron(sp.kron(eye, eye), line)
            print("go", flush=True)
            try:
                while True:
                    orthant.eigsh(a, 40)
            except KeyboardInterrupt:
                print("ended", flush=True)
            """,
        )
        self.assertEqual(child.stdout.readline(), "go\n")
        with self.assertRaises(subprocess.TimeoutExpired):
            child.wait(0.5)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=30)
        self.assertEqual((out, child.returncode), ("ended\n", 0), err)


if __name__ == "__main__":
    unittest.main()
