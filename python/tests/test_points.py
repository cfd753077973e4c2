"""Partitions from given centres, and neighbours among other samples, against NumPy and SciPy."""

import unittest

import numpy as np
from scipy.sparse import csr_matrix
from scipy.spatial.distance import cdist

import orthant


def points(n, m=4, seed=1):
    return np.random.default_rng(seed).normal(size=(n, m))


class Lloyd(unittest.TestCase):
    def test_centres_are_means_and_labels_the_nearest(self):
        x = points(500)
        weights = np.random.default_rng(2).uniform(size=500)
        for samples in (x, csr_matrix(x), x.astype(np.float32)):
            exact = samples.toarray() if samples is not x and hasattr(samples, "toarray") else np.asarray(samples, dtype=float)
            found = orthant.lloyd(samples, x[:6], weights, iterations=500)
            self.assertTrue(found.report["settled"])
            apart = cdist(exact, found.centers, "sqeuclidean")
            np.testing.assert_array_equal(found.labels, apart.argmin(axis=1))
            np.testing.assert_allclose(found.number("inertia"), weights @ apart.min(axis=1))
            for c in range(6):
                own = found.labels == c
                np.testing.assert_allclose(found.centers[c], np.average(exact[own], axis=0, weights=weights[own]), atol=1e-12)

    def test_assigns_alone(self):
        x = points(50)
        found = orthant.lloyd(x, x[:3], iterations=0)
        np.testing.assert_array_equal(found.centers, x[:3])
        self.assertEqual((found.number("iterations"), list(found.labels[:3])), (0, [0, 1, 2]))

    def test_clusters_left_without_samples(self):
        x, start = np.array([[-14.0], [-14], [-4], [-4], [36]]), [[-14.0], [26], [986]]
        for emptied, centers in (("origin", [-9, 0, 36]), ("heaviest", [-9, -9, 36])):
            np.testing.assert_array_equal(orthant.lloyd(x, start, iterations=1, emptied=emptied).centers.ravel(), centers)
        with self.assertRaisesRegex(ValueError, 'emptied is "middle"; give origin or heaviest'):
            orthant.lloyd(x, start, emptied="middle")

    def test_trace(self):
        x = points(300)
        found = orthant.lloyd(x, x[:5], iterations=100, trace=True)
        self.assertEqual(len(found.objective), found.number("iterations"))
        self.assertTrue(np.all(np.diff(found.objective) <= 1e-12))

    def test_greedy_start(self):
        x = points(200)
        draws = np.random.default_rng(0).uniform(size=(4, 3))
        chosen, apart = [7], cdist(x, x, "sqeuclidean")
        for row in draws:
            nearest = apart[chosen].min(axis=0)
            candidates = np.searchsorted(np.cumsum(nearest), row * nearest.sum())
            chosen.append(min(candidates, key=lambda j: np.minimum(nearest, apart[j]).sum()))
        for samples in (x, csr_matrix(x)):
            found = orthant.lloyd(samples, draws=draws, first=7, iterations=0)
            np.testing.assert_allclose(found.centers, x[chosen])
        with self.assertRaisesRegex(ValueError, "start and draws are both given"):
            orthant.lloyd(x, x[:2], draws=draws)
        weights = np.zeros(len(x))
        weights[[3, 7, 11, 15, 19]] = 1  # the only ones that can be drawn
        found = orthant.lloyd(x, None, weights, draws=draws, first=7, iterations=0, weighted=True)
        self.assertEqual({tuple(c) for c in found.centers}, {tuple(c) for c in x[[3, 7, 11, 15, 19]]})

    def test_refusals(self):
        x = points(20)
        for wrong, says in (
            ({"start": x[:2, :3]}, "the start has 3 columns and the samples have 4"),
            ({"start": x[:2], "weights": -np.ones(20)}, "the weight of sample 1"),
            ({"start": x[:2], "iterations": 1.5}, "iterations is 1.5; give a whole number"),
            ({"start": x[:2], "tolerance": np.nan}, "give a finite number"),
            ({}, "start is None"),
            ({"draws": [[1.0]]}, r"draw 1 \(counting from 1\) is 1"),
            ({"draws": [[0.5]], "first": 20}, "the first centre is sample 20 of 20"),
            ({"start": x[:2] * np.inf}, "of the start is"),
        ):
            with self.subTest(says), self.assertRaisesRegex(ValueError, says):
                orthant.lloyd(x, **wrong)


class Nearest(unittest.TestCase):
    NAMES = {"euclidean": "euclidean", "cosine": "cosine", "manhattan": "cityblock", "chebyshev": "chebyshev"}

    def test_against_all_distances(self):
        for m in (3, 30):
            x, new = points(200, m), points(40, m, seed=5)
            for metric, name in self.NAMES.items():
                apart = cdist(new, x, name)
                order = np.argsort(apart, axis=1)[:, :6]
                for samples, queries in ((x, new), (csr_matrix(x), csr_matrix(new)), (csr_matrix(x), new), (x, csr_matrix(new))):
                    if samples is not x and metric in ("manhattan", "chebyshev"):
                        continue
                    with self.subTest(metric=metric, m=m, samples=type(samples).__name__, queries=type(queries).__name__):
                        indices, distances = orthant.nearest(samples, queries, 6, metric=metric)
                        np.testing.assert_array_equal(indices, order)
                        np.testing.assert_allclose(distances, np.take_along_axis(apart, order, axis=1), atol=1e-12)
                        radius = np.median(apart) / 2
                        graph = orthant.nearest(samples, queries, radius=radius, metric=metric)
                        self.assertEqual(graph.shape, (40, 200))
                        np.testing.assert_allclose(graph.toarray(), np.where(apart <= radius, apart, 0), atol=1e-12)

    def test_types_are_searched_as_they_are(self):
        x = np.random.default_rng(5).integers(0, 120, size=(300, 20)).astype(float)
        queries = x[::7] + 1
        for metric in ("euclidean", "cosine"):
            neighbors, nearest = orthant.neighbors(x, 4, metric=metric), orthant.nearest(x, queries, 4, metric=metric)
            for kind in (np.float32, np.float16, np.uint8, np.int8, ">f2", np.int16):
                for given in (x.astype(kind), np.asfortranarray(x.astype(kind)), x.repeat(2, axis=0).astype(kind)[::2]):
                    for want, got in zip(neighbors, orthant.neighbors(given, 4, metric=metric)):
                        np.testing.assert_array_equal(got, want)
                    for want, got in zip(nearest, orthant.nearest(given, queries.astype(kind), 4, metric=metric)):
                        np.testing.assert_array_equal(got, want)
                    self.assertEqual(orthant.neighbors(given, radius=9, metric="chebyshev").nnz, orthant.neighbors(x, radius=9, metric="chebyshev").nnz)
        spoiled = x.astype(np.float16)
        spoiled[3, 2] = np.inf
        with self.assertRaisesRegex(ValueError, "row 4, column 3"):
            orthant.neighbors(spoiled, 4)

    def test_refusals(self):
        x = points(20)
        with self.assertRaisesRegex(TypeError, "nearest takes k or radius"):
            orthant.nearest(x, x)
        for given, says in (({"k": 21}, "21 neighbours requested of 20 samples"), ({"radius": -1}, "give a finite number ≥ 0"), ({"k": 2, "metric": "sine"}, "there is no metric")):
            with self.subTest(says), self.assertRaisesRegex(ValueError, says):
                orthant.nearest(x, x[:2], **given)


if __name__ == "__main__":
    unittest.main()
