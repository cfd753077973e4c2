"""Many factorisations of one matrix, and their consensus. Only NumPy is needed, and SciPy for sparse data."""

import doctest
import unittest
import warnings

import numpy as np

import orthant
from orthant import _calls, _runs

try:
    import scipy.sparse
except ImportError:
    scipy = None


def counts(n=120, m=24, parts=4, seed=1):
    """Returns n mixtures of a few parts, as counts, and the parts."""
    draw = np.random.default_rng(seed)
    h = draw.gamma(0.3, size=(parts, m)) + 0.02
    w = draw.dirichlet(np.full(parts, 0.4), size=n)
    return draw.poisson(60 * w @ (h / h.sum(1, keepdims=True))).astype(float), h


class TestRuns(unittest.TestCase):
    def test_runs_are_factorisations(self):
        x, _ = counts()
        forms = [("nmf", x, 0), ("nmf", x.astype(np.float32), 0), ("nmf", x[::2], 0), ("nmf-kl", x, 0), ("cim-nmf", x, 0)]
        if scipy:
            forms += [("nmf", scipy.sparse.csr_array(x), 0), ("nmf-kl", scipy.sparse.coo_matrix(x), 1e-7)]
        for method, data, off in forms:
            more = {"iterations": 15, "backend": "native"}
            r = orthant.factorize_runs(data, [5, 2], 3, method, seed=4, keep_w=True, **more)
            self.assertEqual((list(r.ranks), list(r.seeds), r.errors.shape, r.report["runs"]), ([5, 2], [4, 5, 6], (2, 3), 3))
            self.assertEqual(r.report["method"], method)
            n, m = data.shape
            for rank in (5, 2):
                self.assertEqual((r.h(rank).shape, r.w(rank).shape), ((3, rank, m), (3, n, rank)))
                for run in range(3):
                    one = orthant.factorize(data, method, rank, seed=4 + run, **more)
                    np.testing.assert_allclose(r.h(rank, run), one.h, rtol=0, atol=off)
                    np.testing.assert_allclose(r.w(rank, run), one.w, rtol=0, atol=off * one.w.max())
                    self.assertAlmostEqual(r.errors_of(rank)[run], one.number("relative_error"), places=9)
                    np.testing.assert_array_equal(r.labels(rank)[run], np.argmax(r.w(rank, run), axis=1))
                self.assertEqual(r.best(rank), np.argmin(r.errors_of(rank)))

    def test_threads_do_not_matter(self):
        x, _ = counts(400, 60)
        for data in [x] + ([scipy.sparse.csr_array(x)] if scipy else []):
            one, two = (orthant.factorize_runs(data, range(3, 6), 4, threads=threads, iterations=20) for threads in (1, 2))
            for rank in (3, 4, 5):
                np.testing.assert_array_equal(one.h(rank), two.h(rank))
            parts = [orthant.consensus(data, r, 4, local_density_threshold=2, threads=threads) for r, threads in ((one, 1), (two, 2))]
            for name in ("spectra", "usages", "scores", "levels"):
                np.testing.assert_array_equal(parts[0].array(name), parts[1].array(name))

    def test_one_rank_and_its_defaults(self):
        x, _ = counts()
        r = orthant.factorize_runs(x, np.int64(3), 2)
        self.assertEqual((list(r.ranks), list(r.seeds), r.report["method"]), ([3], [1, 2], "nmf"))
        np.testing.assert_array_equal(r.label_samples, np.arange(len(x)))
        self.assertEqual([one["rank"] for one in r.report["results"]], [3, 3])
        self.assertIn("2 of each rank of [3]", repr(r))
        with self.assertRaisesRegex(ValueError, "keep_w=True"):
            r.w(3)
        with self.assertRaisesRegex(ValueError, "no runs of rank 4; there are some of 3"):
            r.h(4)
        with self.assertRaisesRegex(ValueError, "from 0 to 1"):
            r.h(3, 2)

    def test_bad_input(self):
        x, _ = counts(30, 6)
        for says, arguments, more in [
            ("nmf: rank 7 for 30 × 6 data; give ranks from 1 to 6", (x, [2, 7], 2), {}),
            ("a rank is 0", (x, 0, 2), {}),
            ("a rank is 2.5", (x, [2.5], 2), {}),
            ("a rank is True", (x, True, 2), {}),
            ("ranks are None", (x, None, 2), {}),
            ("ranks are empty", (x, [], 2), {}),
            ("rank 3 is given twice", (x, [3, 3], 2), {}),
            ("runs is 0; give a whole number ≥ 1", (x, 2, 0), {}),
            ("runs is -1", (x, 2, -1), {}),
            ("runs is 10000000000", (x, 2, 10**10), {}),
            ("row 1, column 2 .* is -1", (np.where(np.arange(180).reshape(30, 6) == 1, -1, x), 2, 2), {}),
            ("row 1, column 2 .* is NaN", (np.where(np.arange(180).reshape(30, 6) == 1, np.nan, x), 2, 2), {}),
            ("is .Inf", (np.where(np.arange(180).reshape(30, 6) == 1, np.inf, x), 2, 2), {}),
            ("x is None", (None, 2, 2), {}),
            ("give 2, one sample a row", (x[0], 2, 2), {}),
            ("many runs are made by nmf, nmf-kl, nmf-beta, l21-nmf, cim-nmf", (x, 2, 2, "gnmf"), {}),
            ('did you mean "nmf-kl"', (x, 2, 2, "nmf-k"), {}),
            ('did you mean "iterations"', (x, 2, 2), {"iteration": 3}),
            ('no parameter "model"', (x, 2, 2), {"model": True}),
            ("seed", (x, 2, 2), {"seed": 2**63 - 1}),
        ]:
            with self.subTest(says), self.assertRaisesRegex(ValueError, says) as raised:
                orthant.factorize_runs(*arguments, **more)
            self.assertNotIn("\n", str(raised.exception))
        with self.assertRaisesRegex(MemoryError, "take smaller ranks or fewer runs"):
            orthant.factorize_runs(x, 2, 10**8, memory=2**30)

    @unittest.skipUnless(scipy, "SciPy is not there")
    def test_bad_sparse_input(self):
        x, _ = counts(30, 6)
        components = orthant.factorize_runs(x, 2, 8).h(2)
        for value, says in ((np.nan, "NaN"), (-2, "-2")):
            a = scipy.sparse.csr_matrix(x)
            a.data[3] = value
            with self.assertRaisesRegex(ValueError, says):
                orthant.factorize_runs(a, 2, 2)
            with self.assertRaisesRegex(ValueError, says):
                orthant.consensus(a, components, local_density_threshold=2)
        for method in ("l21-nmf", "cim-nmf"):
            got, want = (orthant.factorize_runs(form, 2, 2, method, iterations=10) for form in (scipy.sparse.csr_matrix(x), x))
            np.testing.assert_allclose(got.h(2), want.h(2), rtol=1e-8, atol=1e-10)

    def test_not_converged(self):
        x, _ = counts()
        # scikit-learn's class where another test has loaded that.
        with self.assertWarnsRegex(_calls.convergence_warning(), "2 of 2 runs"):
            r = orthant.factorize_runs(x, 3, 2, solver="mu", tolerance=1e-300)
        self.assertFalse(r.converged)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assertTrue(orthant.factorize_runs(x, 3, 2, iterations=5).converged)  # a limit that was chosen

    def test_the_example(self):
        self.assertEqual(doctest.testmod(_runs).failed, 0)

    def test_cancelling(self):
        x, _ = counts(2000, 200)

        def enough(phase, share):
            raise KeyError(phase)

        with self.assertRaises(KeyError):
            orthant.factorize_runs(x, 20, 4, iterations=10**7, progress=enough)


class TestConsensus(unittest.TestCase):
    def test_the_parts_are_found(self):
        x, h = counts(400, 40)
        r = orthant.factorize_runs(x, [4, 6], 12)
        c = orthant.consensus(x, r, 4)
        self.assertEqual((c.spectra.shape, c.usages.shape, c.scores.shape, c.levels.shape), ((4, 40), (400, 4), (4, 40), (4, 40)))
        np.testing.assert_allclose(c.spectra.sum(1), 1)
        unit = [part / np.linalg.norm(part, axis=1, keepdims=True) for part in (c.spectra, h)]
        cosines = unit[0] @ unit[1].T
        self.assertGreater(cosines.max(0).min(), 0.95)
        self.assertEqual(sorted(cosines.argmax(1)), [0, 1, 2, 3])
        self.assertGreater(c.stability, 0.9)
        self.assertEqual([len(r.report["stability"][i]["parts"]) for i in (0, 1)], [4, 6])
        self.assertGreater(min(part["cosine"] for part in c.report["parts"]), 0.95)
        self.assertAlmostEqual(sum(part["share"] for part in c.report["parts"]), 1)
        self.assertGreater(c.stability, orthant.consensus(x, r, 6, local_density_threshold=2).stability)
        self.assertTrue(0.9 < c.cophenetic_correlation <= 1 + 1e-9)
        residual = x - c.usages @ c.spectra
        self.assertAlmostEqual(c.relative_error, np.linalg.norm(residual) / np.linalg.norm(x), places=9)
        self.assertAlmostEqual(c.number("prediction_error") / np.sum(residual**2), 1, places=9)
        self.assertEqual(c.report["runs"], 12)
        self.assertIn("12 runs of rank 4", repr(c))

    def test_components_of_ones_own(self):
        x, _ = counts()
        r = orthant.factorize_runs(x, 4, 8, "nmf-kl")
        want = orthant.consensus(x, r, local_density_threshold=2)
        got = orthant.consensus(x, r.h(4), labels=r.labels(4), local_density_threshold=2, method="nmf-kl")
        for name in ("spectra", "usages", "scores", "levels"):
            np.testing.assert_array_equal(got.array(name), want.array(name))
        self.assertEqual(got.cophenetic_correlation, want.cophenetic_correlation)
        bare = orthant.consensus(x, r.h(4), local_density_threshold=2)
        self.assertTrue(np.isnan(bare.cophenetic_correlation))
        self.assertIsNone(bare.report["cophenetic_correlation"])
        self.assertGreater(np.abs(bare.usages - want.usages).max(), 1e-6)  # by the squared error

    def test_levels(self):
        x, _ = counts()
        r = orthant.factorize_runs(x, 4, 8)
        levels = np.column_stack([x, x[:, :3] ** 2, np.ones(len(x))])
        c = orthant.consensus(x, r, levels=levels, local_density_threshold=2)
        self.assertEqual(c.scores.shape, (4, 28))
        self.assertTrue(np.isnan(c.scores[:, -1]).all() and np.isfinite(c.scores[:, :-1]).all())
        scaled = (levels[:, :-1] - levels[:, :-1].mean(0)) / levels[:, :-1].std(0)
        want = np.linalg.lstsq(c.usages, scaled, rcond=None)[0]
        np.testing.assert_allclose(c.scores[:, :-1], want, rtol=1e-9, atol=1e-12)
        if scipy:
            same = orthant.consensus(scipy.sparse.csr_array(x), r, levels=scipy.sparse.csc_matrix(levels), local_density_threshold=2)
            np.testing.assert_allclose(same.scores[:, :-1], c.scores[:, :-1], rtol=1e-5, atol=1e-8)

    def test_bad_input(self):
        x, _ = counts(40, 8)
        r = orthant.factorize_runs(x, [2, 3], 5)
        h = r.h(3)
        negative, none = h.copy(), h.copy()
        negative[1, 0, 2], none[1, 0, 2] = -1, np.nan
        for says, arguments, more in [
            ("rank is None where there are runs of 2, 3", (x, r), {}),
            ("no runs of rank 4", (x, r, 4), {}),
            ("x has 39 samples where the runs factorised 40", (x[1:], r, 3), {}),
            ("components of 8 columns for data of 7", (x[:, 1:], h), {}),
            ("rank is 2 where the components are of rank 3", (x, h, 2), {}),
            ("2 dimensions", (x, h[0]), {}),
            ("make at least 4 runs", (x, h[:3]), {}),
            ("component 4, column 3 .* is -1", (x, negative), {}),
            ("component 4, column 3 .* is NaN", (x, none), {}),
            ("row 1, column 1 .* is -1", (x - (np.arange(320).reshape(40, 8) == 0) * (x + 1), r, 3), {}),
            ("NaN", (np.where(x > 2, np.nan, x), r, 3), {}),
            ("labels of 4 runs where there are components of 5", (x, h), {"labels": r.labels(3)[:4]}),
            ("labels are of type float64", (x, h), {"labels": np.zeros((5, 40))}),
            ("levels have 39 rows for 40 samples", (x, r, 3), {"levels": x[1:]}),
            ("levels per million is NaN", (x, r, 3), {"levels": np.where(x > 2, np.nan, x)}),
            ("local_density_threshold is 0; give a finite number > 0", (x, r, 3), {"local_density_threshold": 0}),
            ("local_density_threshold is nan; give a finite number > 0", (x, r, 3), {"local_density_threshold": float("nan")}),
            ("local_neighborhood_size is 'all'; give", (x, r, 3), {"local_neighborhood_size": "all"}),
            ("above 0 and up to 1", (x, r, 3), {"local_neighborhood_size": 1.2}),
            ('did you mean "seed"', (x, r, 3), {"sed": 1}),
            ("x is None", (None, r, 3), {}),
        ]:
            with self.subTest(says), self.assertRaisesRegex(ValueError, says) as raised:
                orthant.consensus(*arguments, **more)
            self.assertNotIn("\n", str(raised.exception))
        with self.assertRaisesRegex(MemoryError, "the limit is 1000 B"):
            orthant.consensus(x, r, 3, memory=1000)


if __name__ == "__main__":
    unittest.main()
