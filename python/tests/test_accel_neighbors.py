"""The searches of orthant.accel compared with scikit-learn's own: the same lists, types and errors."""

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

import sklearn.neighbors
from scipy.sparse import csr_matrix, issparse
from scipy.spatial.distance import cdist

from orthant import accel


def samples(n=150, m=4, seed=1, dtype=np.float64):
    return np.random.default_rng(seed).normal(size=(n, m)).astype(dtype)


def strictly():
    return mock.patch.dict(os.environ, {"ORTHANT_ACCEL": "strict"})


class Searches(unittest.TestCase):
    def same(self, ours, own, tolerance=1e-9):
        """Asserts that two results are equal: arrays, arrays of arrays, graphs."""
        if isinstance(own, tuple):
            self.assertEqual(len(ours), len(own))
            for a, b in zip(ours, own):
                self.same(a, b, tolerance)
        elif issparse(own):
            self.assertEqual((ours.shape, ours.dtype, ours.format), (own.shape, own.dtype, own.format))
            np.testing.assert_array_equal(ours.indptr, own.indptr)
            np.testing.assert_allclose(ours.toarray(), own.toarray(), atol=tolerance)
        elif own.dtype == object:
            for a, b in zip(ours, own, strict=True):
                self.assertEqual(a.dtype.kind, b.dtype.kind)
                np.testing.assert_allclose(np.sort(a), np.sort(b), atol=tolerance)
        else:
            self.assertEqual((ours.shape, ours.dtype), (own.shape, own.dtype))
            np.testing.assert_allclose(ours, own, atol=tolerance)

    def beside(self, x, new, radius=1.0, tolerance=1e-6, **parameters):
        own = sklearn.neighbors.NearestNeighbors(radius=radius, **parameters).fit(x)
        with strictly():
            ours = accel.NearestNeighbors(radius=radius, **parameters).fit(x)
            self.assertEqual((ours._fit_method, ours.effective_metric_, ours.n_samples_fit_), (own._fit_method, own.effective_metric_, own.n_samples_fit_))
            for queries in (None, new, x, new[:2]):
                for call in (
                    lambda e: e.kneighbors(queries, 6), lambda e: e.kneighbors(queries, return_distance=False), lambda e: e.kneighbors_graph(queries, 3),
                    lambda e: e.kneighbors_graph(queries, mode="distance"), lambda e: e.radius_neighbors(queries), lambda e: e.radius_neighbors(queries, 0.5 * radius, return_distance=False),
                    lambda e: e.radius_neighbors_graph(queries, mode="distance"), lambda e: e.radius_neighbors(queries, sort_results=True),
                ):
                    self.same(call(ours), call(own), tolerance)

    def test_metrics_algorithms_and_columns(self):
        for m in (3, 30):
            x, new = samples(m=m), samples(60, m, seed=2)
            for metric in ({}, {"p": 1}, {"metric": "chebyshev"}, {"metric": "cosine"}, {"metric": "manhattan"}, {"metric": "l2"}):
                for algorithm in ("auto", "brute", "kd_tree", "ball_tree"):
                    if algorithm.endswith("tree") and metric.get("metric") == "cosine":
                        continue
                    name = metric.get("metric", "cityblock" if metric.get("p") == 1 else "euclidean").replace("manhattan", "cityblock").replace("l2", "euclidean")
                    with self.subTest(m=m, algorithm=algorithm, **metric):
                        self.beside(x, new, radius=float(np.quantile(cdist(x, x, name), 0.1)), algorithm=algorithm, **metric)

    def test_types_and_sparse_samples(self):
        self.beside(samples(dtype=np.float32), samples(20, dtype=np.float32), tolerance=1e-3)
        x, new = np.abs(samples(m=12)), np.abs(samples(40, 12, seed=3))
        thin = [csr_matrix(np.where((a > 0.5) | (np.arange(12) == 0), a, 0)) for a in (x, new)]
        self.beside(*thin, radius=2.0, tolerance=1e-6)
        self.beside(*thin, radius=0.3, metric="cosine", tolerance=1e-6)
        rng = np.random.default_rng(0)
        self.beside(rng.permutation(1 << 12)[:300].reshape(100, 3), rng.permutation(1 << 12)[:60].reshape(20, 3), radius=900.0)

    def test_known_distances(self):
        x, new = samples(60), samples(20, seed=3)
        D, E = cdist(x, x), cdist(new, x)
        own, ours = sklearn.neighbors.NearestNeighbors(metric="precomputed").fit(D), accel.NearestNeighbors(metric="precomputed").fit(D)
        with strictly():
            for queries in (None, E):
                self.same(ours.kneighbors(queries), own.kneighbors(queries))
                self.same(ours.radius_neighbors(queries), own.radius_neighbors(queries))
            with self.assertRaisesRegex(ValueError, "Precomputed metric requires shape"):
                ours.kneighbors(E[:, 1:])
        graph = sklearn.neighbors.NearestNeighbors().fit(x).kneighbors_graph(x, 9, mode="distance")
        own, ours = sklearn.neighbors.NearestNeighbors(metric="precomputed").fit(graph), accel.NearestNeighbors(metric="precomputed").fit(graph)
        self.same(ours.kneighbors(None, 4), own.kneighbors(None, 4))
        self.same(ours.radius_neighbors(None, 1.0), own.radius_neighbors(None, 1.0))
        for e in (ours, own):
            with self.assertRaisesRegex(ValueError, "10 neighbors per samples are required, but some samples have only 9"):
                e.kneighbors(graph, 10)

    def test_duplicates(self):
        x = np.repeat(samples(20), 4, axis=0)
        own, ours = sklearn.neighbors.NearestNeighbors(algorithm="brute").fit(x), accel.NearestNeighbors(algorithm="brute").fit(x)
        for k in (1, 2, 3, 7):
            np.testing.assert_allclose(ours.kneighbors(None, k)[0], own.kneighbors(None, k)[0], atol=1e-7)
            self.assertTrue(np.all(ours.kneighbors(None, k)[1] != np.arange(80)[:, None]))
        np.testing.assert_array_equal(accel.NearestNeighbors(n_neighbors=1).fit(np.ones((3, 1))).kneighbors()[1], [[1], [0], [1]])

    def test_transformers(self):
        x, new = samples(), samples(30, seed=2)
        for name, given in (("KNeighborsTransformer", {"n_neighbors": 4}), ("RadiusNeighborsTransformer", {"radius": 1.2})):
            for mode in ("distance", "connectivity"):
                own = getattr(sklearn.neighbors, name)(mode=mode, **given)
                with strictly():
                    ours = getattr(accel, name)(mode=mode, **given)
                    self.same(ours.fit_transform(x), own.fit_transform(x))
                    self.same(ours.transform(new), own.transform(new))
                self.assertEqual(list(ours.get_feature_names_out()), list(own.get_feature_names_out()))

    def test_functions(self):
        x = samples()
        for include in (False, True, "auto"):
            for mode in ("distance", "connectivity"):
                with strictly():
                    ours = accel.kneighbors_graph(x, 5, mode=mode, include_self=include), accel.radius_neighbors_graph(x, 1.0, mode=mode, include_self=include)
                own = sklearn.neighbors.kneighbors_graph(x, 5, mode=mode, include_self=include), sklearn.neighbors.radius_neighbors_graph(x, 1.0, mode=mode, include_self=include)
                self.same(ours, own)
        self.same(accel.kneighbors_graph(accel.NearestNeighbors().fit(x), 5), sklearn.neighbors.kneighbors_graph(x, 5))

    def test_errors(self):
        x = samples(20)
        many = ["Expected n_neighbors <= n_samples,  but n_samples = 20, n_neighbors = 21"] * 2
        if tuple(map(int, sklearn.__version__.split(".")[:2])) >= (1, 4):
            many = [f"Expected n_neighbors {of}, n_samples_fit = 20, n_samples = 20" for of in ("<= n_samples_fit, but n_neighbors = 21", "< n_samples_fit, but n_neighbors = 20")]
        for cls in (accel.NearestNeighbors, sklearn.neighbors.NearestNeighbors):
            fitted = cls().fit(x)
            for call, kind, says in (
                (lambda: fitted.kneighbors(x, 21), ValueError, many[0]),
                (lambda: fitted.kneighbors(n_neighbors=20), ValueError, many[1]),
                (lambda: fitted.kneighbors(x, 0), ValueError, "Expected n_neighbors > 0. Got 0"),
                (lambda: fitted.kneighbors(x, 2.5), TypeError, "enter integer value"),
                (lambda: fitted.kneighbors(x[:, 1:]), ValueError, "X has 3 features"),
                (lambda: fitted.radius_neighbors(x, return_distance=False, sort_results=True), ValueError, "return_distance must be True"),
                (lambda: fitted.kneighbors(csr_matrix(x)), ValueError, "tree does not work with sparse matrices"),
                (lambda: cls(metric="precomputed").fit(np.abs(x)), ValueError, "Precomputed matrix must be square"),
                (lambda: cls(algorithm="kd_tree", metric="cosine").fit(x), ValueError, "Metric 'cosine' not valid"),
                (lambda: cls(metric="chebyshev").fit(csr_matrix(x)), ValueError, "Metric 'chebyshev' not valid for sparse input"),
            ):
                with self.subTest(says), self.assertRaisesRegex(kind, says):
                    call()
            with self.assertWarnsRegex(UserWarning, "cannot use tree with sparse input"):
                cls(algorithm="kd_tree").fit(csr_matrix(x))

    def test_what_falls_back(self):
        x = samples()
        for parameters in ({"p": 3}, {"metric": "canberra"}, {"metric": lambda a, b: abs(a - b).sum()}, {"metric": "seuclidean", "metric_params": {"V": np.ones(4)}}):
            own, ours = sklearn.neighbors.NearestNeighbors(**parameters).fit(x), accel.NearestNeighbors(**parameters).fit(x)
            self.same(ours.kneighbors(x), own.kneighbors(x))
            with strictly(), self.assertRaises(accel.StrictError):
                accel.NearestNeighbors(**parameters).fit(x)

    def test_the_tree_is_made_when_it_is_asked_for(self):
        x = samples()
        ours = accel.NearestNeighbors().fit(x)
        self.assertNotIn("_tree", ours.__dict__)
        again = pickle.loads(pickle.dumps(ours))
        self.assertIs(type(again), accel.NearestNeighbors)
        self.same(again.kneighbors(x), ours.kneighbors(x))
        classifier = sklearn.neighbors.KNeighborsClassifier(3).fit(ours, np.arange(150) % 2)
        np.testing.assert_array_equal(classifier.kneighbors(x)[1], ours.kneighbors(x, 3)[1])

    def test_a_direction_that_is_none_falls_back(self):
        x = samples()
        x[3] = 0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            own, ours = sklearn.neighbors.NearestNeighbors(metric="cosine").fit(x), accel.NearestNeighbors(metric="cosine").fit(x)
            self.same(ours.kneighbors(x[:3], 2), own.kneighbors(x[:3], 2))


if __name__ == "__main__":
    unittest.main()
