"""The factorisations of orthant.accel compared with scikit-learn's own: the same factors, iterations, warnings and errors."""

import os
import pickle
import unittest
import warnings
from unittest import mock

import numpy as np

try:
    import sklearn  # noqa: F401
except ImportError:
    raise unittest.SkipTest("scikit-learn is not there") from None

import sklearn.decomposition
from scipy.sparse import csc_matrix, csr_matrix

from orthant import accel


def positive(n=60, m=25, dtype=np.float64, zeros=0.3):
    """Samples of five parts, with noise and zeros."""
    rng = np.random.default_rng(6)
    x = rng.gamma(1, size=(n, 5)) @ rng.gamma(0.5, size=(5, m)) + 0.1 * rng.uniform(size=(n, m))
    return np.where(rng.uniform(size=x.shape) < zeros, 0, x).astype(dtype)


def strictly():
    return mock.patch.dict(os.environ, {"ORTHANT_ACCEL": "strict"})


class NMF(unittest.TestCase):
    def beside(self, x, tolerance=1e-7, **parameters):
        """Fits both, asserts that they are equal, and returns ours and scikit-learn's."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            own = sklearn.decomposition.NMF(**parameters)
            want = own.fit_transform(x)
            encoded = own.transform(x)
            with strictly():
                ours = accel.NMF(**parameters)
                got = ours.fit_transform(x)
                again = ours.transform(x)
        self.assertEqual((got.dtype, ours.components_.dtype, again.dtype, type(ours.n_iter_)), (want.dtype, own.components_.dtype, encoded.dtype, type(own.n_iter_)))
        self.assertEqual(ours.n_iter_, own.n_iter_)
        grows = parameters.get("beta_loss") == 1 and parameters.get("alpha_W", 0) * parameters.get("l1_ratio", 0) > 0
        if grows:
            encoded = again  # scikit-learn adds the L1 penalty once more in each iteration of transform
        for a, b in ((got, want), (ours.components_, own.components_), (again, encoded)):
            np.testing.assert_allclose(a, b, atol=tolerance * np.abs(b).max(), rtol=0)
        np.testing.assert_allclose(ours.reconstruction_err_, own.reconstruction_err_, rtol=max(tolerance, 1e-7))
        self.assertEqual((ours.n_components_, list(ours.get_feature_names_out())), (own.n_components_, list(own.get_feature_names_out())))
        return ours, own

    def test_the_same_factors_after_the_same_iterations(self):
        for x in (positive(), csr_matrix(positive()), csc_matrix(positive(25, 60))):
            for solver in ({"solver": "cd"}, {"solver": "mu"}, {"solver": "mu", "beta_loss": 1}):
                if "beta_loss" in solver and isinstance(x, csc_matrix):
                    continue  # scikit-learn divides by the entries of WH in another order
                for init in ("random", "nndsvda", "nndsvdar"):
                    for penalty in ({}, {"alpha_W": 0.003, "alpha_H": 0.001, "l1_ratio": 0.4}, {"alpha_W": 0.002, "l1_ratio": 1.0}):
                        with self.subTest(x=type(x).__name__, **solver, init=init, **penalty):
                            self.beside(x, n_components=4, init=init, random_state=3, max_iter=60, **solver, **penalty)

    def test_the_divergence_of_columns_and_of_rows_is_one(self):
        x, parameters = positive(), {"n_components": 3, "solver": "mu", "beta_loss": 1, "random_state": 0, "init": "random", "max_iter": 50, "tol": 0}
        np.testing.assert_allclose(accel.NMF(**parameters).fit_transform(csc_matrix(x)), accel.NMF(**parameters).fit_transform(x), atol=1e-9)

    def test_other_divergences(self):
        x = positive(zeros=0)
        for beta in ("itakura-saito", -0.5, 0.5, 1.5, 3.0):
            for penalty in ({}, {"alpha_W": 0.003, "alpha_H": 0.001, "l1_ratio": 0.4}):
                with self.subTest(beta=beta, **penalty):
                    self.beside(x, 1e-6, n_components=3, init="random", random_state=3, max_iter=40, solver="mu", beta_loss=beta, **penalty)
        for beta in (0.5, 1.5, 3.0):
            self.beside(csr_matrix(positive()), 1e-6, n_components=3, init="random", random_state=3, max_iter=40, solver="mu", beta_loss=beta)
        for cls in (accel.NMF, sklearn.decomposition.NMF):
            with self.assertRaisesRegex(ValueError, "When beta_loss <= 0 and X contains zeros"):
                cls(3, solver="mu", beta_loss=0).fit(positive())

    def test_encoding_with_a_penalty_comes_to_its_minimum(self):
        x, parameters = positive(), {"n_components": 3, "solver": "mu", "beta_loss": 1, "alpha_W": 0.01, "l1_ratio": 1.0, "max_iter": 20000, "tol": 1e-12}
        fitted = accel.NMF(random_state=0, **parameters).fit(x)
        w, h = fitted.transform(x), fitted.components_
        slope = h.sum(axis=1) + 0.01 * x.shape[1] - (x / np.maximum(w @ h, 1e-300)) @ h.T
        self.assertLess(np.abs(w * slope).max(), 1e-3)
        self.assertGreater(slope.min(), -1e-3)

    def test_tolerances(self):
        for tol in (0, 1e-2, 1e-4):
            for solver in ("cd", "mu"):
                self.beside(positive(), n_components=3, init="random", random_state=1, tol=tol, solver=solver, max_iter=130)

    def test_sizes_and_types(self):
        self.beside(positive(30, 6), init="random", random_state=0)  # as many components as columns
        self.beside(positive(12, 20), n_components=15, random_state=0)
        self.beside(positive(dtype=np.float32), 2e-3, n_components=3, init="random", random_state=0, max_iter=30, tol=0)
        self.beside(positive(zeros=0).astype(np.int64) + 1, n_components=2, init="nndsvd")

    def test_factors_given(self):
        x = positive()
        rng = np.random.default_rng(0)
        w, h = rng.uniform(size=(60, 3)), rng.uniform(size=(3, 25))
        own, ours = (cls(3, init="custom", max_iter=15, tol=0).fit(x, W=w.copy(), H=h.copy()) for cls in (sklearn.decomposition.NMF, accel.NMF))
        np.testing.assert_allclose(ours.components_, own.components_, atol=1e-9)

    def test_a_shared_random_state_is_advanced_alike(self):
        for init in ("random", "nndsvd", "nndsvdar"):
            states = [np.random.RandomState(2), np.random.RandomState(2)]
            ours, own = (cls(3, init=init, random_state=state, max_iter=20, tol=0).fit(positive()) for cls, state in zip((accel.NMF, sklearn.decomposition.NMF), states))
            np.testing.assert_allclose(ours.components_, own.components_, atol=1e-6)
            self.assertEqual(states[0].randint(1 << 30), states[1].randint(1 << 30))

    def test_warnings_and_errors(self):
        for cls in (accel.NMF, sklearn.decomposition.NMF):
            with self.assertWarnsRegex(sklearn.exceptions.ConvergenceWarning, "Maximum number of iterations 2 reached"):
                cls(3, max_iter=2).fit(positive())
            with self.assertRaisesRegex(ValueError, "Negative values in data passed to NMF"):
                cls(3).fit(-positive())
            with self.assertRaisesRegex(ValueError, "init = 'nndsvd' can only be used when"):
                cls(26, init="nndsvd").fit(positive())
            with self.assertRaisesRegex(ValueError, "solver 'cd' does not handle beta_loss = 1"):
                cls(3, beta_loss=1).fit(positive())
            with self.assertRaisesRegex(ValueError, "X has 24 features"):
                cls(3, max_iter=2).fit(positive()).transform(positive()[:, 1:])

    def test_what_falls_back(self):
        for parameters in ({"shuffle": True}, {"verbose": 1}):
            with strictly(), self.assertRaises(accel.StrictError):
                accel.NMF(3, **parameters).fit(positive())

    def test_pickles(self):
        ours = accel.NMF(3, random_state=1).fit(positive())
        again = pickle.loads(pickle.dumps(ours))
        self.assertIs(type(again), accel.NMF)
        np.testing.assert_allclose(again.transform(positive()), ours.transform(positive()), atol=1e-9)


class TruncatedSVD(unittest.TestCase):
    def test_triplets_and_variances(self):
        for x in (positive(m=14), csr_matrix(positive(m=14)), csc_matrix(positive(14, 60)), positive(m=14, dtype=np.float32), positive(m=14, zeros=0).astype(np.int64)):
            for parameters in ({"algorithm": "arpack", "n_components": 4}, {"n_components": 3, "n_iter": 12}, {"n_components": 14, "n_iter": 3}):
                if parameters["n_components"] == 14 and parameters.get("algorithm") == "arpack":
                    continue
                with self.subTest(x=type(x).__name__, dtype=x.dtype, **parameters):
                    own = sklearn.decomposition.TruncatedSVD(random_state=1, **parameters)
                    if x.dtype == np.int64 and "algorithm" in parameters:
                        x = x.astype(float)  # which ARPACK needs
                    want = own.fit_transform(x)
                    with strictly():
                        ours = accel.TruncatedSVD(random_state=1, **parameters)
                        got, transformed = ours.fit_transform(x), ours.transform(x)
                    tolerance = 1e-4 if x.dtype == np.float32 else 1e-7
                    self.assertEqual((got.dtype, ours.components_.dtype, transformed.dtype), (want.dtype, own.components_.dtype, own.transform(x).dtype))
                    for a, b in ((got, want), (transformed, own.transform(x)), (ours.components_, own.components_)):
                        np.testing.assert_allclose(a, b, atol=tolerance * np.abs(b).max())
                    for name in ("explained_variance_", "explained_variance_ratio_", "singular_values_"):
                        np.testing.assert_allclose(getattr(ours, name), getattr(own, name), rtol=tolerance, atol=tolerance * np.abs(getattr(own, name)).max())
                        self.assertEqual(getattr(ours, name).dtype, getattr(own, name).dtype)
                    np.testing.assert_allclose(ours.inverse_transform(got), own.inverse_transform(want), atol=tolerance * np.abs(want).max())
                    self.assertEqual(list(ours.get_feature_names_out()), list(own.get_feature_names_out()))

    def test_many_rows_get_exact_triplets(self):
        x = np.random.default_rng(0).normal(size=(9000, 250)) * np.geomspace(1, 0.01, 250)
        truth = np.linalg.svd(x, full_matrices=False)
        for algorithm in ("arpack", "randomized"):
            with strictly():
                ours = accel.TruncatedSVD(6, algorithm=algorithm, random_state=0)
                scores = ours.fit_transform(x)
            np.testing.assert_allclose(ours.singular_values_, truth[1][:6], rtol=1e-10)
            np.testing.assert_allclose(np.abs(ours.components_ @ truth[2][:6].T), np.eye(6), atol=1e-8)
            np.testing.assert_allclose(scores, x @ ours.components_.T, atol=1e-8)
            states = [np.random.RandomState(2), np.random.RandomState(2)]
            for cls, state in zip((accel.TruncatedSVD, sklearn.decomposition.TruncatedSVD), states):
                cls(3, algorithm=algorithm, n_iter=1, random_state=state).fit(x)
            self.assertEqual(states[0].randint(1 << 30), states[1].randint(1 << 30))

    def test_more_components_than_samples(self):
        ours, own = (cls(12, random_state=0).fit(positive(8, 20)) for cls in (accel.TruncatedSVD, sklearn.decomposition.TruncatedSVD))
        self.assertEqual(ours.components_.shape, own.components_.shape)

    def test_a_shared_random_state_is_advanced_alike(self):
        for algorithm in ("arpack", "randomized"):
            states = [np.random.RandomState(2), np.random.RandomState(2)]
            for cls, state in zip((accel.TruncatedSVD, sklearn.decomposition.TruncatedSVD), states):
                cls(3, algorithm=algorithm, random_state=state).fit(positive(m=14))
            self.assertEqual(states[0].randint(1 << 30), states[1].randint(1 << 30))

    def test_errors(self):
        for cls in (accel.TruncatedSVD, sklearn.decomposition.TruncatedSVD):
            for given, says in (({"n_components": 15}, r"n_components\(15\) must be <= n_features\(14\)"), ({"n_components": 14, "algorithm": "arpack"}, "must be an integer satisfying")):
                with self.assertRaisesRegex(ValueError, says):
                    cls(**given).fit(positive(m=14))


if __name__ == "__main__":
    unittest.main()
