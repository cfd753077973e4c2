"""Factorisations that learn batch by batch."""

import os
import tempfile
import unittest
import warnings

import numpy as np

try:
    import scipy.sparse as sp
    import sklearn  # noqa: F401
except ImportError:
    raise unittest.SkipTest("scikit-learn is not installed")

import orthant
from orthant import _calls

CLASSES = (orthant.NMF, orthant.NMFKL)


def parts(n=1200, m=40, rank=5, seed=0):
    """Samples that are sums of parts, with a little noise."""
    draw = np.random.default_rng(seed)
    return draw.random((n, rank)) * (draw.random((n, rank)) < 0.6) @ draw.random((rank, m)) + 0.01 * draw.random((n, m))


def wrong(estimator, X):
    return np.linalg.norm(X - estimator.inverse_transform(estimator.transform(X))) / np.linalg.norm(X)


class Learning(unittest.TestCase):
    def test_pieces_teach_what_all_in_one_go_teach(self):
        X = parts()
        for cls in CLASSES:
            with self.subTest(cls.__name__):
                whole = cls(5, solver="minibatch", batch=100).partial_fit(X)
                pieces = cls(5, solver="minibatch", batch=100)
                for lo in range(0, len(X), 300):
                    self.assertIs(pieces.partial_fit(X[lo : lo + 300]), pieces)
                np.testing.assert_array_equal(pieces.components_, whole.components_)
                np.testing.assert_array_equal(pieces.transform(X), whole.transform(X))
                first = wrong(pieces, X)
                for _ in range(15):
                    pieces.partial_fit(X)
                self.assertLess(wrong(pieces, X), 0.9 * first)
                sparse = cls(5, solver="minibatch", batch=100).partial_fit(sp.csr_array(X))
                np.testing.assert_allclose(sparse.components_, whole.components_, rtol=1e-6, atol=1e-9)

    def test_fit_begins_anew_and_is_the_one_of_the_function(self):
        X = parts()
        for cls, name in zip(CLASSES, ("nmf", "nmf-kl")):
            with self.subTest(cls.__name__):
                estimator = cls(5, solver="minibatch", batch=100).partial_fit(X[:200])
                W = estimator.fit_transform(X)
                result = orthant.factorize(X, name, 5, solver="minibatch", batch=100)
                np.testing.assert_array_equal(estimator.components_, result.array("h"))
                np.testing.assert_array_equal(W, result.array("w"))
                fresh = cls(5, solver="minibatch", batch=100).partial_fit(X[:200])
                np.testing.assert_array_equal(estimator.partial_fit(X[:200]).components_, fresh.components_)

    def test_a_file_in_place_of_an_array(self):
        X = parts()
        with tempfile.TemporaryDirectory() as folder:
            for kind in (np.float64, np.float32):
                path = os.path.join(folder, "x.npy")
                np.save(path, X.astype(kind))
                file = np.load(path, mmap_mode="r")
                self.assertTrue(np.shares_memory(_calls._rows(file), file))
                a = orthant.NMF(5, solver="minibatch", batch=100).fit(file)
                b = orthant.NMF(5, solver="minibatch", batch=100).fit(X.astype(kind))
                np.testing.assert_array_equal(a.components_, b.components_)
                del file

    def test_refusals(self):
        X = parts(300)
        self.assertFalse(hasattr(orthant.NMF(5), "partial_fit"))
        self.assertFalse(hasattr(orthant.NMFKL(5, solver="mu"), "partial_fit"))
        learned = orthant.NMF(5, solver="minibatch").partial_fit(X)
        with self.assertRaisesRegex(ValueError, "features"):
            learned.partial_fit(X[:, :30])
        with self.assertRaisesRegex(ValueError, "another rank"):
            learned.set_params(n_components=4).partial_fit(X)
        with self.assertRaisesRegex(ValueError, "Negative values"):
            orthant.NMF(5, solver="minibatch").partial_fit(-X)
        with self.assertRaisesRegex(ValueError, "choose that solver"):
            orthant.learn(X, "nmf", 5)
        with self.assertRaisesRegex(ValueError, "forget is 1.5"):
            orthant.NMF(5, solver="minibatch", forget=1.5).fit(X)

    def test_nothing_is_warned_of(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            orthant.NMF(5, solver="minibatch").partial_fit(parts(300))


if __name__ == "__main__":
    unittest.main()
