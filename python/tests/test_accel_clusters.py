"""The clusterings of orthant.accel compared with scikit-learn's own: the same starts, partitions, warnings and errors."""

import contextlib
import io
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

import sklearn.cluster
import sklearn.neighbors
from scipy.sparse import csr_matrix, issparse
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist
from sklearn.datasets import make_blobs, make_moons
from sklearn.metrics.pairwise import pairwise_kernels

from orthant import accel
from orthant.accel import _kernels

VERSION = tuple(map(int, sklearn.__version__.split(".")[:2]))


def blobs(n=600, m=5, centers=6, spread=2.0, dtype=np.float64):
    return (make_blobs(n, m, centers=centers, cluster_std=spread, random_state=3)[0] + 7).astype(dtype)


def strictly():
    return mock.patch.dict(os.environ, {"ORTHANT_ACCEL": "strict"})


class KMeans(unittest.TestCase):
    def beside(self, x, sample_weight=None, **parameters):
        """Fits both, asserts that they are equal, and returns ours."""
        own = sklearn.cluster.KMeans(**parameters).fit(x, sample_weight=sample_weight)
        with strictly():
            ours = accel.KMeans(**parameters).fit(x, sample_weight=sample_weight)
            labels, score, apart = ours.predict(x), ours.score(x, sample_weight=sample_weight), ours.transform(x)
        tolerance = 1e-4 if x.dtype == np.float32 else 1e-9
        np.testing.assert_array_equal(ours.labels_, own.labels_)
        self.assertEqual((ours.labels_.dtype, ours.cluster_centers_.dtype, type(ours.n_iter_), ours.n_iter_), (own.labels_.dtype, own.cluster_centers_.dtype, type(own.n_iter_), own.n_iter_))
        np.testing.assert_allclose(ours.cluster_centers_, own.cluster_centers_, rtol=tolerance, atol=tolerance)
        np.testing.assert_allclose(ours.inertia_, own.inertia_, rtol=tolerance)
        np.testing.assert_array_equal(labels, own.predict(x))
        self.assertEqual(labels.dtype, own.predict(x).dtype)
        np.testing.assert_allclose(score, own.score(x, sample_weight=sample_weight), rtol=tolerance)
        self.assertEqual(apart.dtype, own.transform(x).dtype)
        np.testing.assert_allclose(apart, own.transform(x), rtol=tolerance, atol=tolerance)
        self.assertEqual(list(ours.get_feature_names_out()), list(own.get_feature_names_out()))
        return ours

    def test_the_same_seed_gives_the_same_partition(self):
        weights = np.random.default_rng(1).uniform(size=600)
        for x in (blobs(), csr_matrix(np.maximum(blobs() - 8, 0)), blobs(dtype=np.float32), blobs(m=40, spread=8)):
            for parameters in (
                {"n_clusters": 6, "n_init": 3, "random_state": 4},
                {"n_clusters": 9, "n_init": 2, "random_state": 5, "algorithm": "elkan", "tol": 0},
                {"n_clusters": 4, "n_init": 10, "random_state": 6, "init": "random"},
                {"n_clusters": 3, "n_init": 1, "random_state": 7, "max_iter": 2},
                {"n_clusters": 1, "n_init": 1, "random_state": 7},
            ):
                for given in (None, weights):
                    with self.subTest(**parameters, x=type(x).__name__, dtype=x.dtype, weights=given is not None):
                        self.beside(x, given, **parameters)

    def test_starts_given(self):
        x = blobs()
        for init in (x[:5], x[:5].tolist(), lambda X, k, random_state: X[random_state.permutation(len(X))[:k]]):
            self.beside(x, n_clusters=5, n_init=1, init=init, random_state=1)

    def test_clusters_that_run_empty(self):
        x = blobs(200)
        self.beside(x, n_clusters=3, n_init=1, init=np.vstack([x[:2], 1000 + x[:1]]))
        self.beside(np.array([[0.0], [0.0], [10.0], [10.0], [51.0]]), n_clusters=3, n_init=1, init=np.array([[0.0], [40.0], [1000.0]]), max_iter=1)
        self.beside(np.array([[0.0], [0.0], [0.0], [50.0]]), [1, 1, 1, 0], n_clusters=2, n_init=1, init=np.array([[0.0], [40.0]]))

    def test_a_shared_random_state_is_advanced_alike(self):
        drawn = [np.random.RandomState(2), np.random.RandomState(2)]
        for cls, state in zip((accel.KMeans, sklearn.cluster.KMeans), drawn):
            cls(7, n_init=3, random_state=state).fit(blobs())
        self.assertEqual(drawn[0].randint(1 << 30), drawn[1].randint(1 << 30))

    def test_what_it_prints(self):
        for parameters in ({"tol": 0}, {"tol": 0.5}, {"algorithm": "elkan", "tol": 0}):
            told = []
            for cls in (accel.KMeans, sklearn.cluster.KMeans):
                with contextlib.redirect_stdout(io.StringIO()) as out:
                    cls(4, n_init=1, random_state=1, verbose=1, **parameters).fit(blobs())
                told.append([word.rstrip(".") for word in out.getvalue().split()])
            self.assertEqual(len(told[0]), len(told[1]))
            for ours, own in zip(*told):
                try:
                    self.assertAlmostEqual(float(ours), float(own), delta=1e-9 * abs(float(own)))
                except ValueError:
                    self.assertEqual(ours, own)

    def test_warnings_and_errors(self):
        x = np.array([[0.0, 0], [0, 1], [1, 0], [1, 0]])
        for cls in (accel.KMeans, sklearn.cluster.KMeans):
            with self.assertWarnsRegex(sklearn.exceptions.ConvergenceWarning, r"distinct clusters \(3\) found smaller than n_clusters \(4\)") as caught:
                cls(4, n_init=1, random_state=1).fit(x)
            if cls is accel.KMeans or VERSION < (1, 3):  # from then on a wrapper of scikit-learn is named
                self.assertEqual(caught.filename, __file__)
            if VERSION < (1, 4):
                with self.assertWarnsRegex(FutureWarning, "default value of `n_init`"):
                    cls(2).fit(x)
            with self.assertRaisesRegex(ValueError, "n_samples=4 should be >= n_clusters=5"):
                cls(5, n_init=1).fit(x)
            with self.assertRaisesRegex(ValueError, "The shape of the initial centers"):
                cls(2, n_init=1, init=x[:1]).fit(x)
            with self.assertRaisesRegex(ValueError, "X has 1 features"):
                cls(2, n_init=1).fit(x).predict(x[:, :1])

    def test_samples_far_from_the_origin(self):
        # scikit-learn's predict compares products, which have lost their digits here; ours measures the undecided cases.
        x = blobs(spread=0.5) + 1e8
        ours = accel.KMeans(6, n_init=1, random_state=0).fit(x)
        np.testing.assert_array_equal(ours.predict(x), np.linalg.norm(x[:, None] - ours.cluster_centers_, axis=2).argmin(axis=1))

    def test_refusal_leaves_the_draws(self):
        states = [np.random.RandomState(2), np.random.RandomState(2)]
        weights = np.ones(600)
        weights[3] = -1  # which the engine refuses
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ours, own = (
                cls(4, n_init=1, init=lambda X, k, random_state: X[random_state.permutation(len(X))[:k]], random_state=state).fit(blobs(), sample_weight=weights)
                for cls, state in zip((accel.KMeans, sklearn.cluster.KMeans), states)
            )
        np.testing.assert_array_equal(ours.labels_, own.labels_)
        self.assertEqual(states[0].randint(1 << 30), states[1].randint(1 << 30))

    def test_pickles(self):
        x = blobs()
        ours = accel.KMeans(4, n_init=1, random_state=1).fit(x)
        again = pickle.loads(pickle.dumps(ours))
        self.assertIs(type(again), accel.KMeans)
        np.testing.assert_array_equal(again.predict(x), ours.labels_)


class SpectralClustering(unittest.TestCase):
    def beside(self, x, **parameters):
        """Fits both, and checks that their affinities and labels are equal; of several components, whose null vectors have no one basis, the partitions."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            own = sklearn.cluster.SpectralClustering(**parameters).fit(x)
            with strictly():
                ours = accel.SpectralClustering(**parameters).fit(x)
        a, b = (m.toarray() if issparse(m) else m for m in (ours.affinity_matrix_, own.affinity_matrix_))
        np.testing.assert_allclose(a, b, atol=1e-12 * np.abs(b).max())
        self.assertEqual((issparse(ours.affinity_matrix_), ours.labels_.dtype), (issparse(own.affinity_matrix_), own.labels_.dtype))
        if connected_components(b)[0] > 1:
            np.testing.assert_array_equal(ours.labels_[:, None] == ours.labels_, own.labels_[:, None] == own.labels_)
        else:
            np.testing.assert_array_equal(ours.labels_, own.labels_)

    def test_affinities_and_labels(self):
        x = make_moons(150, noise=0.05, random_state=0)[0]
        for assign in ("kmeans", "discretize", "cluster_qr"):
            for given in (
                {"affinity": "nearest_neighbors", "n_neighbors": 12},
                {"gamma": 12.0},
                {"affinity": "laplacian", "gamma": 5.0, "eigen_solver": "lobpcg"},
                {"affinity": "poly", "degree": 2, "gamma": 1.0, "coef0": 2.0, "n_components": 3},
            ):
                with self.subTest(assign=assign, **given):
                    self.beside(x, n_clusters=3, assign_labels=assign, random_state=1, **given)

    def test_kernels(self):
        x = np.abs(blobs(40, 4))
        for name in ("additive_chi2", "chi2", "cosine", "linear", "polynomial", "rbf", "laplacian", "sigmoid"):
            for samples in (x, csr_matrix(x)):
                if samples is not x and "chi2" in name:
                    continue
                with self.subTest(name):
                    want = pairwise_kernels(samples, metric=name, filter_params=True, gamma=0.01, degree=2, coef0=0.5)
                    np.testing.assert_allclose(_kernels.of_samples(samples, name, gamma=0.01, degree=2, coef0=0.5), want, rtol=1e-9, atol=1e-9 * np.abs(want).max())
        with self.assertRaisesRegex(ValueError, "X contains negative values"):
            _kernels.of_samples(-x, "chi2", gamma=1.0)

    def test_precomputed(self):
        x = blobs(120, 3, centers=3, spread=1.0)
        affinities = np.exp(-0.1 * cdist(x, x) ** 2)
        self.beside(affinities, n_clusters=3, affinity="precomputed", random_state=0)
        self.beside(csr_matrix(np.where(affinities > 0.05, affinities, 0)), n_clusters=3, affinity="precomputed", random_state=0)
        graph = sklearn.neighbors.kneighbors_graph(x, 12, mode="distance", include_self=True)
        self.beside(graph, n_clusters=3, affinity="precomputed_nearest_neighbors", n_neighbors=7, random_state=0)

    def test_warnings_and_errors(self):
        x = np.vstack([blobs(30, 2), blobs(30, 2) + 1000])
        for cls in (accel.SpectralClustering, sklearn.cluster.SpectralClustering):
            with self.assertWarnsRegex(UserWarning, "Graph is not fully connected"):
                cls(2, affinity="nearest_neighbors", n_neighbors=4, random_state=0).fit(x)
            with self.assertWarnsRegex(UserWarning, "API has changed"):
                cls(2, random_state=0).fit(blobs(5, 5))
            with self.assertRaisesRegex(ValueError, "n_neighbors"):
                cls(2, n_neighbors=0).fit(x)

    def test_function_with_parameters(self):
        x = blobs(30, 3)
        self.beside(x, n_clusters=2, affinity=lambda a, b, scale: np.exp(-np.sum((a - b) ** 2) / scale), kernel_params={"scale": 30.0}, random_state=0)


if __name__ == "__main__":
    unittest.main()
