"""Principal components with weights, missing entries, whitening and samples that arrive in parts; weights in k-means."""

import unittest

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA, IncrementalPCA

import orthant

RANDOM = np.random.default_rng(3)
X = RANDOM.standard_normal((80, 3)) @ RANDOM.standard_normal((3, 9)) + 0.3 * RANDOM.standard_normal((80, 9)) + 2
WEIGHTS = RANDOM.integers(0, 4, 80).astype(float)


class Weights(unittest.TestCase):
    def test_samples_count_as_often_as_they_weigh(self):
        ours, theirs = orthant.PCA(3).fit(X, sample_weight=WEIGHTS), PCA(3).fit(np.repeat(X, WEIGHTS.astype(int), axis=0))
        np.testing.assert_allclose(abs(ours.components_), abs(theirs.components_), atol=1e-10)
        np.testing.assert_allclose(ours.mean_, theirs.mean_, atol=1e-12)
        np.testing.assert_allclose(ours.explained_variance_ratio_, theirs.explained_variance_ratio_, rtol=1e-10)
        np.testing.assert_allclose(ours.transform(X), ours.embedding_)
        np.testing.assert_array_equal(orthant.embed(X, "pca", dim=3, weights=WEIGHTS).embedding, ours.embedding_)

    def test_kmeans_counts_them(self):
        ours = orthant.KMeans(3, random_state=1).fit(X, sample_weight=WEIGHTS)
        theirs = KMeans(3, init=ours.cluster_centers_, n_init=1).fit(X, sample_weight=WEIGHTS)
        np.testing.assert_allclose(ours.inertia_, theirs.inertia_, rtol=1e-9)
        np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, atol=1e-5)

    def test_wrong_ones_are_refused(self):
        for weights, words in ((-WEIGHTS - 1, "the weight of sample 1"), (0 * WEIGHTS, "0 of 80 samples have a weight above 0"), (WEIGHTS[:5], "5 weights of 80 samples")):
            for estimator in (orthant.PCA(2), orthant.KMeans(2)):
                with self.assertRaisesRegex(ValueError, words):
                    estimator.fit(X, sample_weight=weights)


class Whitening(unittest.TestCase):
    def test_is_scikit_learns(self):
        ours, theirs = orthant.PCA(3, whiten=True).fit(X), PCA(3, whiten=True).fit(X)
        np.testing.assert_allclose(abs(ours.transform(X)), abs(theirs.transform(X)), atol=1e-9)
        np.testing.assert_allclose(abs(ours.components_), abs(theirs.components_), atol=1e-10)
        np.testing.assert_allclose(ours.inverse_transform(ours.transform(X)), theirs.inverse_transform(theirs.transform(X)), atol=1e-9)
        np.testing.assert_allclose(ours.score_samples(X), PCA(3).fit(X).score_samples(X), rtol=1e-8)


class Missing(unittest.TestCase):
    def test_entries_are_expected(self):
        gone = RANDOM.random(X.shape) < 0.1
        gone[:, 0] = False
        holes = np.where(gone, np.nan, X)
        model = orthant.PCA(3, missing="weight").fit(holes)
        filled = model.inverse_transform(model.transform(holes))
        error, plain = np.sqrt(((filled - X)[gone] ** 2).mean()), np.sqrt(((np.nanmean(holes, axis=0) - X)[gone] ** 2).mean())
        self.assertLess(error, 0.5 * plain)
        np.testing.assert_array_equal(model.transform(holes), model.embedding_)
        self.assertGreater(model.noise_variance_, 0)
        with self.assertRaisesRegex(ValueError, "without missing entries"):
            model.score_samples(holes)
        np.testing.assert_array_equal(orthant.PCA(3, missing="weight").fit(X).embedding_, orthant.PCA(3).fit(X).embedding_)


class Parts(unittest.TestCase):
    def test_are_the_whole(self):
        for weights in (None, WEIGHTS + 0.5):
            for whiten in (False, True):
                whole, parts = orthant.PCA(3, whiten=whiten).fit(X, sample_weight=weights), orthant.PCA(3, whiten=whiten)
                for lo, hi in ((0, 10), (10, 45), (45, 80)):
                    rows = sp.csr_matrix(X[lo:hi]) if lo == 10 else X[lo:hi]
                    parts.partial_fit(rows, sample_weight=None if weights is None else weights[lo:hi])
                np.testing.assert_allclose(parts.explained_variance_, whole.explained_variance_, rtol=1e-10)
                np.testing.assert_allclose(parts.explained_variance_ratio_, whole.explained_variance_ratio_, rtol=1e-10)
                np.testing.assert_allclose(abs(parts.transform(X)), abs(whole.transform(X)), atol=1e-9)
                np.testing.assert_allclose(parts.inverse_transform(parts.transform(X)), whole.inverse_transform(whole.transform(X)), atol=1e-9)
                np.testing.assert_allclose(parts.score_samples(X), whole.score_samples(X), rtol=1e-8)
                self.assertEqual(list(parts.get_feature_names_out()), list(whole.get_feature_names_out()))
        self.assertFalse(hasattr(parts, "embedding_"))
        np.testing.assert_array_equal(parts.fit(X).transform(X), orthant.PCA(3, whiten=True).fit(X).embedding_)

    def test_are_closer_to_the_whole_than_scikit_learns(self):
        whole, ours, theirs = PCA(3).fit(X), orthant.PCA(3), IncrementalPCA(3)
        for lo in range(0, 80, 20):
            ours.partial_fit(X[lo : lo + 20])
            theirs.partial_fit(X[lo : lo + 20])
        np.testing.assert_allclose(ours.mean_, theirs.mean_, atol=1e-12)
        np.testing.assert_allclose(ours.explained_variance_, theirs.explained_variance_, rtol=0.05)  # theirs keeps 3 components of each part
        for name in ("explained_variance_", "components_"):
            off = [abs(abs(getattr(e, name)) - abs(getattr(whole, name))).max() for e in (ours, theirs)]
            self.assertLess(off[0], 1e-10)
            self.assertLess(off[0], off[1])
        full = IncrementalPCA(9).fit(X)  # all components: nothing is lost between parts
        np.testing.assert_allclose(full.explained_variance_[:3], ours.explained_variance_, rtol=1e-10)
        np.testing.assert_allclose(abs(full.components_[:3]), abs(ours.components_), atol=1e-9)

    def test_refuse(self):
        with self.assertRaisesRegex(ValueError, "without missing entries"):
            orthant.PCA(2, missing="weight").partial_fit(X)
        with self.assertRaisesRegex(ValueError, "3 weights of 80 samples"):
            orthant.PCA(2).partial_fit(X, sample_weight=[1, 1, 1])
        with self.assertRaisesRegex(ValueError, "at least one is above 0"):
            orthant.PCA(2).partial_fit(X, sample_weight=0 * WEIGHTS)
        with self.assertRaisesRegex(ValueError, "a whole number from 1 to 3"):
            orthant.PCA(5).partial_fit(X[:4])


if __name__ == "__main__":
    unittest.main()
