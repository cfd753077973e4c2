"""Embeddings by a projection: axes, the way back, and the likelihood of principal components."""

import unittest
import warnings

import numpy as np
import scipy.sparse as sp

try:
    from sklearn.decomposition import PCA
except ImportError:
    raise unittest.SkipTest("scikit-learn is not installed") from None

import orthant
from orthant import _linear
from orthant._base import Mapping

ALL = [kind for kind in (getattr(orthant, name) for name in orthant.estimators.__all__) if issubclass(kind, Mapping)]


def samples(n=120, m=6, seed=1):
    draw = np.random.default_rng(seed)
    return draw.normal(size=(n, m)) @ np.diag([5, 3, 2, 1, 0.5, 0.3]) @ np.linalg.qr(draw.normal(size=(m, m)))[0] + 10 * np.arange(m)


class Projections(unittest.TestCase):
    def test_they_are_the_methods_whose_models_are_linear(self):
        x, y = np.abs(samples()), np.arange(120) % 3
        for kind in ALL:
            with self.subTest(kind.__name__), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                e = kind().fit(x, y)
                self.assertEqual(e._model().info["kind"] == "linear", isinstance(e, _linear.Projection))

    def test_there_and_back(self):
        """The coordinates are projections. The inverse and the projection return the coordinates, and with as many components as features also the samples."""
        x, y = np.abs(samples()), np.arange(120) % 3
        for kind in ALL:
            if not issubclass(kind, _linear.Projection):
                continue
            for given in (x, x.astype(np.float32)):
                with self.subTest(kind.__name__, type=given.dtype.name), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    e = kind(n_components=2).fit(given, y)
                    size, near = np.abs(e.embedding_).max(), 1e-9 if given is x else 2e-3
                    made = (given - e.mean_) @ e.components_.T + e._orthant_shift
                    np.testing.assert_allclose(made, e.transform(given), atol=near * size)
                    back = e.inverse_transform(e.transform(given))
                    self.assertEqual((back.shape, back.dtype, e.components_.dtype), (x.shape, given.dtype, given.dtype))
                    np.testing.assert_allclose(e.transform(back), e.transform(given), atol=near * size)
        for kind in (orthant.PCA, orthant.ClassicalMDS):
            e = kind(n_components=6).fit(x)
            np.testing.assert_allclose(e.inverse_transform(e.embedding_), x, atol=1e-9)

    def test_the_nearest_to_the_mean(self):
        """Of the samples with given coordinates: by PCA those in the plane of the components, as scikit-learn's."""
        x = samples()
        ours, own = orthant.PCA(2).fit(x), PCA(2).fit(x)
        np.testing.assert_allclose(ours.inverse_transform(ours.transform(x)), own.inverse_transform(own.transform(x)), atol=1e-9)

    def test_mistakes(self):
        e = orthant.PCA(2).fit(samples())
        with self.assertRaisesRegex(ValueError, r"Y is of shape \(3, 4\); give one row a sample, with 2 coordinates"):
            e.inverse_transform(np.ones((3, 4)))
        d = np.abs(samples(20)[:, :1] - samples(20)[:, :1].T)
        e = orthant.ClassicalMDS(metric="precomputed").fit(d)
        self.assertFalse(hasattr(e, "components_"))
        with self.assertRaisesRegex(ValueError, "no way back to samples"):
            e.inverse_transform(e.embedding_)


class Principal(unittest.TestCase):
    def test_variances_and_likelihood_are_scikit_learns(self):
        x, new = samples(), samples(30, seed=2)
        for k in (1, 2, 6, None):
            ours, own = orthant.PCA(k).fit(x), PCA(k, svd_solver="full").fit(x)
            for name in ("explained_variance_", "explained_variance_ratio_", "singular_values_", "mean_"):
                np.testing.assert_allclose(getattr(ours, name), getattr(own, name), rtol=1e-9)
            np.testing.assert_allclose(np.abs(ours.components_), np.abs(own.components_), atol=1e-9)
            self.assertAlmostEqual(ours.noise_variance_, own.noise_variance_, places=9)
            np.testing.assert_allclose(ours.score_samples(new), own.score_samples(new), rtol=1e-8)
            self.assertAlmostEqual(ours.score(new), own.score(new), places=7)
        self.assertEqual(list(ours.get_feature_names_out()), [f"pca{j}" for j in range(6)])

    def test_sparse_samples(self):
        a = sp.random(200, 12, 0.3, "csr", random_state=1)
        sparse, full = orthant.PCA(3).fit(a), orthant.PCA(3).fit(a.toarray())
        np.testing.assert_allclose(sparse.explained_variance_ratio_, full.explained_variance_ratio_, rtol=1e-6)
        np.testing.assert_allclose(sparse.score_samples(a), full.score_samples(a.toarray()), rtol=1e-5)

    def test_without_noise_there_is_no_likelihood(self):
        x = samples(m=6) @ np.diag([1, 1, 0, 0, 0, 0])
        with self.assertRaisesRegex(ValueError, "the likelihood is not defined; fit fewer components"):
            orthant.PCA(4).fit(x).score(x)


if __name__ == "__main__":
    unittest.main()
