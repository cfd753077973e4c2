"""The density clusterings of orthant.accel: hdbscan's class and functions, without hdbscan, and scikit-learn's class, beside its own."""

import importlib
import os
import pickle
import sys
import unittest
import warnings
from unittest import mock

import numpy as np

try:
    import sklearn.cluster
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import minimum_spanning_tree
    from scipy.spatial.distance import cdist
    from sklearn.base import clone
    from sklearn.datasets import make_blobs
except ImportError:
    raise unittest.SkipTest("scikit-learn is not there") from None

import orthant
import orthant.accel
from orthant.accel import _density


class _Without:
    """Does not find hdbscan: these tests are about what is made of the engine's tree."""

    def find_spec(self, fullname, path=None, target=None):
        if fullname.partition(".")[0] == "hdbscan":
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)
        return None


def setUpModule():
    hidden = _Without()
    sys.meta_path.insert(0, hidden)
    try:
        importlib.import_module("orthant.accel.hdbscan")
    finally:
        sys.meta_path.remove(hidden)


def strict():
    return mock.patch.dict(os.environ, {"ORTHANT_ACCEL": "strict"})


def blobs(n=240, m=2, centers=4, noise=30, seed=3):
    rng = np.random.default_rng(seed)
    return np.vstack([make_blobs(n, m, centers=centers, random_state=seed)[0], rng.uniform(-12, 12, size=(noise, m))])


def reachability(x, k):
    """The mutual reachability distances by definition, with core distances to the k-th other sample."""
    d = cdist(x, x)
    core = np.sort(d, axis=1)[:, k]
    return np.maximum(d, np.maximum(core[:, None], core))


class HDBSCAN(unittest.TestCase):
    def setUp(self):
        from orthant.accel import hdbscan

        self.hdbscan = hdbscan

    def fit(self, x, **parameters):
        with strict():
            return self.hdbscan.HDBSCAN(**parameters).fit(x)

    def test_min_samples_leaves_the_sample_itself_out(self):
        x = blobs()
        for parameters in ({}, {"min_samples": 3}, {"min_cluster_size": 12, "cluster_selection_method": "leaf"}, {"cluster_selection_epsilon": 0.8}, {"max_cluster_size": 50}):
            ours = self.fit(x, **parameters)
            more = {name: value for name, value in parameters.items() if name != "min_samples"}
            k = parameters.get("min_samples", parameters.get("min_cluster_size", 5))
            expected = orthant.cluster(x, "hdbscan", min_samples=k + 1, standardize="none", **more)
            np.testing.assert_array_equal(ours.labels_, expected.labels)
            np.testing.assert_array_equal(ours.probabilities_, expected.probabilities[:, 0])
            self.assertEqual(ours.labels_.dtype, np.int64)

    def test_the_tree_is_the_shortest_of_mutual_reachability(self):
        x = blobs()
        ours = self.fit(x, min_samples=4, gen_min_span_tree=True)
        edges, d = ours._min_spanning_tree, reachability(x, 4)
        np.testing.assert_allclose(d[edges[:, 0].astype(int), edges[:, 1].astype(int)], edges[:, 2], rtol=1e-12)
        np.testing.assert_allclose(edges[:, 2], np.sort(minimum_spanning_tree(d).data), rtol=1e-12)
        self.assertIsNone(self.fit(x, min_samples=4)._min_spanning_tree)
        joins = ours._single_linkage_tree
        np.testing.assert_array_equal(joins[:, 2], edges[:, 2])
        self.assertEqual(joins[-1, 3], len(x))

    def test_trees_agree_with_labels_and_probabilities(self):
        rng = np.random.default_rng(5)
        lattice = rng.integers(0, 9, size=(200, 2)) + 0.0  # equal samples, and edges of one length
        duplicates = np.repeat(blobs(60, noise=5), 4, axis=0)
        for x in (blobs(), blobs(300, 12), lattice, duplicates, np.arange(40.0)[:, None] ** 2, blobs(400, seed=8)):
            for parameters in ({}, {"min_samples": 2, "cluster_selection_method": "leaf"}, {"min_cluster_size": 15, "min_samples": 1}):
                ours = self.fit(x, **parameters)
                n, table, labels = len(x), ours._condensed_tree, ours.labels_
                parents = dict(zip(table["child"].tolist(), table["parent"].tolist()))
                parts = table[table["child"] >= n]
                self.assertTrue((parts["child"] > parts["parent"]).all())
                self.assertEqual(sorted(table["child"]), [*range(n), *range(n + 1, n + 1 + len(parts))])
                self.assertTrue((np.unique(parts["parent"], return_counts=True)[1] == 2).all())  # as hdbscan's plots expect
                sizes = np.zeros(2 * n, int)
                for row in table[np.argsort(-table["parent"], kind="stable")]:
                    sizes[row["parent"]] += row["child_size"]
                self.assertEqual(sizes[n], n)
                np.testing.assert_array_equal(sizes[parts["child"]], parts["child_size"])
                self.assertTrue((parts["child_size"] >= ours.min_cluster_size).all())
                chosen = n + ours._accel_fitted["tree"].numbered(labels)[ours._accel_fitted["tree"].chosen(labels)]
                self.assertEqual(list(chosen), sorted(chosen))  # hdbscan's functions number the clusters in this order
                ends, density = np.zeros(2 * n), np.zeros(n)
                np.maximum.at(ends, table["parent"], table["lambda_val"])
                single = table[table["child"] < n]
                density[single["child"]] = single["lambda_val"]
                for i in range(n):
                    at = i
                    while at in parents and at not in chosen:
                        at = parents[at]
                    label = list(chosen).index(at) if at in chosen else -1
                    self.assertEqual(label, labels[i])
                    if label >= 0:
                        self.assertAlmostEqual(ours.probabilities_[i], 1 if density[i] == np.inf else min(density[i], ends[at]) / ends[at])
                self.assertTrue(((ours.outlier_scores_ >= 0) & (ours.outlier_scores_ <= 1)).all())
                self.assertTrue(((ours.cluster_persistence_ > 0) & (ours.cluster_persistence_ <= 1)).all())
                self.assertEqual(len(ours.cluster_persistence_), labels.max() + 1)

    def test_new_samples(self):
        x = blobs()
        ours = self.fit(x, prediction_data=True, min_samples=4)
        new = np.vstack([x + np.random.default_rng(2).normal(size=x.shape) / 4, [[90.0, 90.0]]])
        with strict():
            labels, probabilities, joined = self.hdbscan.approximate_predict(ours, new, return_connecting_points=True)
        d, core = cdist(new, x), np.sort(cdist(x, x), axis=1)[:, 3]
        table, chosen = ours._condensed_tree, ours._accel_fitted["tree"]
        chosen = list(len(x) + chosen.numbered(ours.labels_)[chosen.chosen(ours.labels_)])
        up, births = dict(zip(table["child"], table["parent"])), dict(zip(table["child"], table["lambda_val"]))
        for i in range(len(new)):
            near = np.argsort(d[i])[:8]
            reach = np.maximum(np.maximum(core[near], d[i][near[4]]), d[i][near])
            first = near[reach.argmin()]
            at, density = up[first], 1 / reach.min()
            while births[first] > density and at > len(x) and births[at] >= density:
                at = up[at]
            while at in up and at not in chosen:
                at = up[at]
            label = chosen.index(at) if at in chosen else -1
            most = table["lambda_val"][table["parent"] == at].max()
            self.assertEqual((joined[i], labels[i]), (first, label))
            self.assertAlmostEqual(probabilities[i], min(density, most) / most if label >= 0 else 0)
        self.assertEqual((labels[-1], labels.dtype), (-1, np.int32))
        with self.assertRaisesRegex(ValueError, "dimension does not match"):
            self.hdbscan.approximate_predict(ours, new[:, :1])
        with self.assertRaisesRegex(AttributeError, "No prediction data"):
            self.hdbscan.approximate_predict(self.fit(x), new)
        with self.assertWarnsRegex(UserWarning, "does not have any defined clusters"):
            self.assertEqual(set(self.hdbscan.approximate_predict(self.fit(x, min_cluster_size=200, prediction_data=True), new)[0]), {-1})

    def test_samples_that_are_not_finite_are_noise(self):
        x = blobs()
        y = np.vstack([[[np.nan, 1]], x[:100], [[1, np.inf]], x[100:]])
        ours, rest, kept = self.fit(y, gen_min_span_tree=True), self.fit(x), np.r_[1:101, 102 : len(y)]
        np.testing.assert_array_equal(ours.labels_[[0, 101]], -1)
        np.testing.assert_array_equal(ours.probabilities_[[0, 101]], 0)
        np.testing.assert_array_equal(ours.labels_[kept], rest.labels_)
        np.testing.assert_array_equal(ours.outlier_scores_[kept], rest.outlier_scores_)
        table, joins = ours._condensed_tree, ours._single_linkage_tree
        np.testing.assert_array_equal(np.sort(table["child"][table["child"] < len(y)]), np.arange(len(y)))
        self.assertEqual(table["parent"].min(), len(y))
        self.assertEqual((len(joins), joins[-1, 3]), (len(y) - 1, len(y)))
        self.assertEqual(len(np.unique(joins[:, :2])), 2 * (len(y) - 1))

    def test_metrics_and_distances(self):
        x, d = blobs(), cdist(blobs(), blobs())
        same = self.fit(x).labels_
        np.testing.assert_array_equal(self.fit(d, metric="precomputed").labels_, same)
        np.testing.assert_array_equal(self.fit(csr_matrix(d), metric="precomputed").labels_, same)
        np.testing.assert_array_equal(self.fit(csr_matrix(x)).labels_, same)
        np.testing.assert_array_equal(self.fit(x, metric="minkowski", p=2).labels_, same)
        np.testing.assert_array_equal(self.fit(x * 3, metric="seuclidean", V=np.full(2, 9.0)).labels_, same)
        for metric, of_scipy in (("manhattan", "cityblock"), ("infinity", "chebyshev"), ("canberra", "canberra")):
            np.testing.assert_array_equal(self.fit(x, metric=metric).labels_, self.fit(cdist(x, x, of_scipy), metric="precomputed").labels_)
        apart = np.kron(np.eye(2), d)
        with self.assertRaisesRegex(ValueError, "multiple connected components"):
            self.fit(csr_matrix(apart), metric="precomputed")
        with self.assertRaisesRegex(ValueError, "less than 5 neighbors"):
            self.fit(_chain(30), metric="precomputed")

    def test_what_the_engine_does_not_do(self):
        for parameters in ({"alpha": 0.5}, {"match_reference_implementation": True}, {"cluster_selection_epsilon_max": 2.0}, {"metric": cdist}, {"metric": "cosine"}, {"metric": "minkowski", "p": 3, "algorithm": "generic"}):
            with self.subTest(**parameters), self.assertRaises(orthant.accel.StrictError):
                self.fit(blobs(), **parameters)
        with self.assertRaisesRegex(ImportError, "alpha is 0.5.*not installed"):
            self.hdbscan.HDBSCAN(alpha=0.5).fit(blobs())

    def test_errors_are_hdbscans(self):
        for parameters, error, text in (
            ({"min_samples": -1}, ValueError, "positive"), ({"min_cluster_size": 1}, ValueError, "greater than one"), ({"min_cluster_size": "fail"}, ValueError, "integers"),
            ({"alpha": -1}, ValueError, "Alpha"), ({"metric": "minkowski"}, TypeError, "no p value"), ({"algorithm": "some"}, TypeError, "Unknown algorithm"),
            ({"algorithm": "boruvka_kdtree", "metric": "precomputed"}, ValueError, "Cannot use"), ({"leaf_size": 0}, ValueError, "Leaf size"),
            ({"cluster_selection_method": "some"}, ValueError, "Invalid Cluster"), ({"cluster_selection_epsilon": -1.0}, ValueError, "Epsilon"),
        ):  # fmt: skip
            with self.subTest(**parameters), self.assertRaisesRegex(error, text):
                self.fit(blobs(), **parameters)

    def test_few_samples_and_one_cluster(self):
        np.testing.assert_array_equal(self.fit([[1.0, 2.0], [3.0, 4.0]]).labels_, [-1, -1])
        x = np.random.default_rng(0).uniform(size=(90, 2))
        self.assertEqual(set(self.fit(x, min_cluster_size=91).labels_), {-1})
        self.assertEqual(set(self.fit(x, min_cluster_size=60, allow_single_cluster=True).labels_), {-1, 0})
        self.assertEqual(set(self.fit(x, min_cluster_size=60, allow_single_cluster=True, cluster_selection_method="leaf").labels_), {-1})

    def test_pickles_and_clones(self):
        ours = self.fit(blobs(), min_samples=3)
        again = pickle.loads(pickle.dumps(ours))
        np.testing.assert_array_equal(again.labels_, ours.labels_)
        np.testing.assert_array_equal(again._condensed_tree, ours._condensed_tree)
        np.testing.assert_array_equal(again.outlier_scores_, ours.outlier_scores_)
        self.assertEqual(clone(ours).get_params(), ours.get_params())
        self.assertEqual(type(again).__module__, "hdbscan")


def _chain(n):
    """Stored distances by which each sample has one neighbour or two."""
    at = np.arange(n - 1)
    one = csr_matrix((np.ones(n - 1), (at, at + 1)), shape=(n, n))
    return one + one.T


class SklearnHDBSCAN(unittest.TestCase):
    def setUp(self):
        if not hasattr(sklearn.cluster, "HDBSCAN"):
            self.skipTest(f"scikit-learn {sklearn.__version__} has no HDBSCAN")

    def beside(self, x, **parameters):
        """Fits both, and asserts that they agree but for samples that edges of one length join."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            own = sklearn.cluster.HDBSCAN(**parameters).fit(x.copy())
            with strict():
                ours = orthant.accel.HDBSCAN(**parameters).fit(x.copy())
        numbers = {}
        for a, b in zip(own.labels_, ours.labels_):
            if a >= 0 and b >= 0:
                numbers.setdefault(a, b)
        np.testing.assert_array_equal([numbers.get(a, a) if a >= 0 else a for a in own.labels_], ours.labels_)
        np.testing.assert_allclose(ours.probabilities_, own.probabilities_, atol=1e-12)
        self.assertEqual((ours.labels_.dtype, ours.probabilities_.dtype), (own.labels_.dtype, own.probabilities_.dtype))
        np.testing.assert_allclose(ours._single_linkage_tree_[ours._single_linkage_tree_.dtype.names[2]], own._single_linkage_tree_[own._single_linkage_tree_.dtype.names[2]])
        for cut in (0.5, 2.0):
            self.assertEqual(len(set(ours.dbscan_clustering(cut))), len(set(own.dbscan_clustering(cut))))
        return ours, own

    def test_min_samples_counts_the_sample_itself(self):
        x = blobs(seed=4)  # min_samples=2: no edge has the length of another, but for pairs of nearest samples
        for parameters in ({"min_samples": 2}, {"min_samples": 1}, {"min_samples": 2, "min_cluster_size": 20}, {"min_samples": 2, "metric": "manhattan"}, {"min_samples": 2, "max_cluster_size": 100}):
            with self.subTest(**parameters):
                self.beside(x, **parameters)
        d = cdist(x, x)
        self.beside(d, metric="precomputed", min_samples=2)
        self.beside(csr_matrix(d), metric="precomputed", min_samples=1)

    def test_samples_that_are_not_finite(self):
        x = blobs(seed=4)
        x[3, 0], x[5, 1] = np.nan, np.inf
        ours, _ = self.beside(x, min_samples=2)
        self.assertEqual((ours.labels_[3], ours.labels_[5]), (-3, -2))
        self.assertTrue(np.isnan(ours.probabilities_[3]))

    def test_centers(self):
        ours, own = self.beside(blobs(seed=4), min_samples=2, store_centers="both")
        for name in ("centroids_", "medoids_"):
            np.testing.assert_allclose(sorted(getattr(ours, name).tolist()), sorted(getattr(own, name).tolist()))


class Trees(unittest.TestCase):
    def test_parts_of_one_length(self):
        # Three groups of three samples, all joined at distance 4, and a sample that leaves at 9.
        joins = np.array(
            [[0, 1, 1, 2], [10, 2, 1, 3], [3, 4, 2, 2], [12, 5, 2, 3], [6, 7, 3, 2], [14, 8, 3, 3], [11, 13, 4, 6], [16, 15, 4, 9], [17, 9, 9, 10]], dtype=float
        )  # fmt: skip
        tree = _density.Condensed(joins, 3)
        self.assertEqual((tree.parent, tree.size, tree.birth), ([-1, 0, 0, 2, 2], [10, 3, 6, 3, 3], [0.0, 0.25, 0.25, 0.25, 0.25]))
        np.testing.assert_array_equal(tree.of, [1] * 3 + [3] * 3 + [4] * 3 + [0])
        np.testing.assert_allclose(tree.density, [1] * 3 + [1 / 2] * 3 + [1 / 3] * 3 + [1 / 9])
        labels = np.array([1] * 3 + [0] * 3 + [2] * 3 + [-1])
        self.assertEqual((tree.chosen(labels), list(tree.numbered(labels))), ([3, 1, 4], [0, 3, 1, 2, 4]))


if __name__ == "__main__":
    unittest.main()
