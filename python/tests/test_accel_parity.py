"""The classes of orthant.accel compared with scikit-learn's own: the same numbers, types, warnings and errors."""

import contextlib
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
import sklearn.manifold
from scipy.sparse import csr_matrix
from scipy.sparse import random as sparse_random
from sklearn.datasets import make_blobs, make_swiss_roll

from orthant import accel


def roll(n=301, dtype=np.float64):
    return make_swiss_roll(n, random_state=0)[0].astype(dtype)


def many(n=120, m=30):
    """Samples of more columns than neighbours, without ties."""
    rng = np.random.default_rng(2)
    return rng.normal(size=(n, 6)) @ rng.normal(size=(6, m)) + 0.3 * rng.normal(size=(n, m))


def sheet(n=160, m=30):
    """Samples near a curved sheet in many columns, each of which others list among their neighbours."""
    rng = np.random.default_rng(4)
    flat = rng.uniform(size=(n, 2))
    return np.column_stack([flat, flat**2]) @ rng.normal(size=(4, m)) + 0.01 * rng.normal(size=(n, m))


@contextlib.contextmanager
def strictly():
    with mock.patch.dict(os.environ, {"ORTHANT_ACCEL": "strict"}):
        yield


class Beside(unittest.TestCase):
    def agree(self, ours, own, tolerance, signs=False):
        """Asserts that two embeddings are equal, except for the signs of columns if neither has a rule."""
        self.assertEqual((ours.shape, ours.dtype), (own.shape, own.dtype))
        if signs:
            ours = ours * np.sign((ours * own).sum(axis=0))
        np.testing.assert_allclose(ours, own, atol=tolerance * np.abs(own).max(), rtol=0)


class LocallyLinear(Beside):
    def test_four_methods_and_new_samples(self):
        for x in (roll(), roll(300), sheet()):
            for method in ("standard", "modified", "hessian", "ltsa"):
                for d in (1, 2):
                    with self.subTest(method=method, d=d, n=len(x)):
                        parameters = {"n_neighbors": 14, "n_components": d, "method": method}
                        own = sklearn.manifold.LocallyLinearEmbedding(eigen_solver="dense", **parameters).fit(x)
                        with strictly():
                            ours = accel.LocallyLinearEmbedding(**parameters).fit(x)
                            new = ours.transform(x + 0.01)
                        self.agree(ours.embedding_, own.embedding_, 1e-7, signs=True)
                        self.assertAlmostEqual(ours.reconstruction_error_, own.reconstruction_error_, delta=1e-8)
                        self.agree(new, own.transform(x + 0.01), 1e-7, signs=True)

    def test_attributes(self):
        x = roll().astype(np.float32)
        ours, own = accel.LocallyLinearEmbedding(n_neighbors=9).fit(x), sklearn.manifold.LocallyLinearEmbedding(n_neighbors=9).fit(x)
        self.assertEqual(ours.embedding_.dtype, own.embedding_.dtype)
        self.assertEqual(list(ours.get_feature_names_out()), list(own.get_feature_names_out()))
        np.testing.assert_array_equal(ours.nbrs_.kneighbors(x)[1], own.nbrs_.kneighbors(x)[1])

    def test_what_falls_back(self):
        x = roll()[:, :2]
        for parameters in ({"reg": 0, "n_neighbors": 2}, {"method": "ltsa", "n_neighbors": 9}):
            with strictly(), self.assertRaises(accel.StrictError):
                accel.LocallyLinearEmbedding(**parameters).fit(x)
        own = sklearn.manifold.LocallyLinearEmbedding(n_neighbors=2, reg=0, eigen_solver="dense").fit(roll()).embedding_
        np.testing.assert_array_equal(accel.LocallyLinearEmbedding(n_neighbors=2, reg=0, eigen_solver="dense").fit(roll()).embedding_, own)


class Principal(Beside):
    def test_all_solvers_and_counts(self):
        wide = many(20, 30)
        for x in (many(), wide, wide.astype(np.float32), many(600, 30)):
            tolerance = 1e-5 if x.dtype == np.float32 else 1e-9
            for count in (1, 3, 0.7, None):
                for whiten in (False, True):
                    if whiten and count is None:
                        continue  # the last coordinate of the wide samples is zero, and would be divided by rounding
                    with self.subTest(shape=x.shape, count=count, whiten=whiten):
                        parameters = {"n_components": count, "whiten": whiten, "svd_solver": "full"}
                        own = sklearn.decomposition.PCA(**parameters)
                        want = own.fit_transform(x)
                        with strictly():
                            ours = accel.PCA(**parameters)
                            got = ours.fit_transform(x)
                            transformed = ours.transform(x)
                        self.agree(got, want, tolerance)
                        self.agree(transformed, own.transform(x), tolerance)
                        for name in ("mean_", "explained_variance_", "explained_variance_ratio_", "singular_values_"):
                            self.agree(getattr(ours, name), getattr(own, name), tolerance)
                        rows = len(own.components_) - (count is None and x.shape[0] <= x.shape[1])  # the last axis of these is any
                        self.agree(ours.components_[:rows], own.components_[:rows], tolerance)
                        np.testing.assert_allclose(ours.noise_variance_, own.noise_variance_, rtol=1e3 * tolerance, atol=1e-12)

    @unittest.skipIf(tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 5), "PCA of sparse samples is compared from scikit-learn 1.5 on")
    def test_sparse_samples(self):
        for shape in ((80, 20), (20, 60)):
            x = sparse_random(*shape, 0.2, "csr", random_state=1)
            for given in (x, x.tocsc(), x.astype(np.float32)):
                tolerance = 1e-5 if given.dtype == np.float32 else 1e-8
                for count, solver in ((1, "auto"), (3, "arpack"), (3, "covariance_eigh")):
                    with self.subTest(shape=shape, type=given.dtype.name, count=count, solver=solver), strictly():
                        ours = accel.PCA(count, svd_solver=solver)
                        got = ours.fit_transform(given)
                        own = sklearn.decomposition.PCA(count, svd_solver="full").fit(given.toarray())
                        self.agree(got, own.transform(given.toarray()), tolerance)
                        self.agree(ours.transform(given), got, tolerance)
                        for name in ("mean_", "explained_variance_", "explained_variance_ratio_", "singular_values_", "components_"):
                            self.agree(getattr(ours, name), getattr(own, name), tolerance)
                        np.testing.assert_allclose(ours.noise_variance_, own.noise_variance_, rtol=1e3 * tolerance)

    def test_centred_samples(self):
        x = many()
        x -= x.mean(axis=0)
        for count in (2, None):
            ours, own = accel.PCA(count).fit(x), sklearn.decomposition.PCA(count).fit(x)
            self.agree(ours.components_, own.components_, 1e-9)
            self.agree(ours.transform(x), own.transform(x), 1e-9)

    def test_far_from_the_origin(self):
        x = many() + 1e6
        ours, own = accel.PCA(3).fit(x), sklearn.decomposition.PCA(3).fit(x)
        self.agree(ours.components_, own.components_, 1e-8)

    def test_variances_that_the_gram_matrix_does_not_tell(self):
        x = many(100, 4) * [1, 1e-4, 1e-7, 1e-9]
        with strictly():
            ours = accel.PCA().fit(x)
        np.testing.assert_allclose(ours.singular_values_, sklearn.decomposition.PCA().fit(x).singular_values_, rtol=1e-6)

    def test_minka(self):
        from sklearn.decomposition._pca import _infer_dimension

        from orthant.accel import _minka

        for n, m in ((40, 6), (500, 12)):
            variances = np.sort(np.random.default_rng(m).exponential(size=m))[::-1]
            self.assertEqual(_minka.components(variances, n), _infer_dimension(variances, n))

    def test_randomized_is_nearer_to_the_truth_than_scikit_learns(self):
        x = np.random.default_rng(3).normal(size=(600, 200))
        truth = sklearn.decomposition.PCA(5, svd_solver="full").fit(x).singular_values_
        np.testing.assert_allclose(accel.PCA(5, svd_solver="randomized", random_state=0).fit(x).singular_values_, truth, rtol=1e-10)


class Geodesic(Beside):
    def beside(self, x, tolerance, new=None, **parameters):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            own = sklearn.manifold.Isomap(eigen_solver="dense", **parameters).fit(x)
            with strictly():
                ours = accel.Isomap(**parameters).fit(x)
                got = None if new is None else ours.transform(new)
        self.agree(ours.embedding_, own.embedding_, tolerance)
        np.testing.assert_allclose(ours.dist_matrix_, own.dist_matrix_, rtol=1e-5 if ours.dist_matrix_.dtype == np.float32 else 1e-12)
        np.testing.assert_allclose(ours.reconstruction_error(), own.reconstruction_error(), rtol=1e-4 if ours.dist_matrix_.dtype == np.float32 else 1e-8)
        if new is not None:
            self.agree(got, own.transform(new), tolerance)
        self.agree(ours.kernel_pca_.transform(-0.5 * own.dist_matrix_[:5] ** 2), own.kernel_pca_.transform(-0.5 * own.dist_matrix_[:5] ** 2), tolerance)

    def test_neighbours_and_radius(self):
        x, y = roll(), roll(40) + 0.1
        self.beside(x, 1e-8, y, n_neighbors=9)
        self.beside(x, 1e-8, y, n_neighbors=9, n_components=3)
        self.beside(x, 1e-8, y, n_neighbors=None, radius=6.0)
        self.beside(x, 1e-8, n_neighbors=9, metric="manhattan")
        self.beside(x, 1e-8, n_neighbors=9, metric="chebyshev")
        self.beside(many(), 1e-8, many(5), n_neighbors=9)
        self.beside(x.astype(np.float32), 1e-4, y.astype(np.float32), n_neighbors=9)

    def test_components_are_joined_with_the_warning(self):
        x = make_blobs(90, centers=4, n_features=3, cluster_std=0.5, random_state=1)[0]
        with self.assertWarnsRegex(UserWarning, "The number of connected components of the neighbors graph is 4 > 1. Completing the graph"):
            accel.Isomap(n_neighbors=4).fit(x)
        self.beside(x, 1e-8, x + 0.01, n_neighbors=4)
        self.beside(x, 1e-8, n_neighbors=None, radius=2.0)

    def test_distances_in_place_of_samples(self):
        from sklearn.metrics import pairwise_distances
        from sklearn.neighbors import KNeighborsTransformer, kneighbors_graph

        x = roll(120)
        self.beside(pairwise_distances(x), 1e-8, pairwise_distances(x[:9] + 0.1, x), n_neighbors=9, metric="precomputed")
        listed = KNeighborsTransformer(n_neighbors=40).fit_transform(x)  # each sample itself is stored
        self.beside(listed, 1e-8, n_neighbors=9, metric="precomputed")
        self.beside(listed, 1e-8, n_neighbors=None, radius=14.0, metric="precomputed")
        with self.assertRaisesRegex(ValueError, "10 neighbors per samples are required"):
            accel.Isomap(n_neighbors=9, metric="precomputed").fit(kneighbors_graph(x, 9, mode="distance"))
        self.beside(csr_matrix(x), 1e-8, n_neighbors=9)


class Spectral(Beside):
    def beside(self, x, tolerance=1e-7, **parameters):
        own = sklearn.manifold.SpectralEmbedding(random_state=0, **parameters).fit(x)
        with strictly():
            ours = accel.SpectralEmbedding(**parameters).fit(x)
        self.agree(ours.embedding_, own.embedding_, tolerance)
        dense = [a.toarray() if hasattr(a, "toarray") else a for a in (ours.affinity_matrix_, own.affinity_matrix_)]
        np.testing.assert_allclose(*dense, rtol=0, atol=1e-6 if x.dtype == np.float32 else 1e-12)

    def test_affinities(self):
        from sklearn.metrics.pairwise import rbf_kernel
        from sklearn.neighbors import kneighbors_graph

        x = roll()
        self.beside(x)
        self.beside(x, n_neighbors=9, n_components=3)
        self.beside(x.astype(np.float32), n_neighbors=9)
        self.beside(x, affinity="rbf", gamma=0.05)
        self.beside(csr_matrix(x), affinity="rbf", gamma=0.05)
        self.beside(rbf_kernel(x, gamma=0.05), affinity="precomputed")
        self.beside(x, affinity=lambda x: rbf_kernel(x, gamma=0.05))
        listed = kneighbors_graph(x, 9, mode="distance")
        self.beside(0.5 * (listed + listed.T), affinity="precomputed")
        self.beside(listed, affinity="precomputed_nearest_neighbors", n_neighbors=8)

    def test_disconnected_warns(self):
        x = np.vstack([roll(60), roll(60) + 1000])
        with self.assertWarnsRegex(UserWarning, "Graph is not fully connected, spectral embedding may not work as expected."):
            ours = accel.SpectralEmbedding(n_neighbors=6).fit(x).embedding_
        # The one remaining null vector separates the two.
        self.assertEqual(len({*np.sign(ours[:60, 0])} & {*np.sign(ours[60:, 0])}), 0)

    def test_what_falls_back(self):
        for x, parameters in ((roll(30), {"n_components": 29, "affinity": "rbf"}), (csr_matrix(roll(30)), {})):
            with strictly(), self.assertRaises(accel.StrictError):
                accel.SpectralEmbedding(**parameters).fit(x)


@unittest.skipUnless(hasattr(accel, "ClassicalMDS"), "scikit-learn has no ClassicalMDS before 1.8")
class ClassicalMDS(unittest.TestCase):
    def beside(self, x, **parameters):
        own = sklearn.manifold.ClassicalMDS(**parameters).fit(x)
        with strictly():
            ours = accel.ClassicalMDS(**parameters).fit(x)
            np.testing.assert_allclose(ours.dissimilarity_matrix_, own.dissimilarity_matrix_, atol=1e-6)
        loss = 1e-5 if x.dtype == np.float32 else 1e-9
        np.testing.assert_allclose(ours.embedding_, own.embedding_, atol=loss * np.abs(own.embedding_).max())
        np.testing.assert_allclose(ours.eigenvalues_, own.eigenvalues_, rtol=loss)
        self.assertEqual((ours.embedding_.dtype, ours.dissimilarity_matrix_.dtype, ours.n_features_in_), (own.embedding_.dtype, own.dissimilarity_matrix_.dtype, own.n_features_in_))
        self.assertEqual(sorted(vars(pickle.loads(pickle.dumps(ours)))), sorted(vars(own)))

    def test_as_scikit_learns(self):
        x = np.random.default_rng(4).normal(size=(60, 5)) * [5, 3, 2, 1, 1e-3]
        for metric in ("euclidean", "l2", "l1", "cityblock", "chebyshev", "cosine", "canberra"):
            self.beside(x, metric=metric, n_components=3)
        self.beside(x, n_components=5)
        self.beside(x.astype(np.float32))
        self.beside((10 * x).astype(int))
        self.beside(np.random.default_rng(5).normal(size=(20, 300)), n_components=7)
        self.beside(x, metric="minkowski", metric_params={"p": 3})
        self.beside(np.linalg.norm(x[:, None] - x, axis=2), metric="precomputed")

    def test_what_falls_back(self):
        flat = np.random.default_rng(4).normal(size=(40, 2)) @ np.eye(2, 4)
        for x, parameters in ((flat, {"n_components": 5}), (flat @ flat.T, {"metric": "cosine", "n_components": 39}), (flat, {"metric": "sqeuclidean", "n_components": 30}), (flat, {"metric": lambda a, b: abs(a - b).sum()})):
            with strictly(), self.assertRaises(accel.StrictError):
                accel.ClassicalMDS(**parameters).fit(x)


def passes(check, estimator):
    """Reports whether scikit-learn's own class passes one of its checks: NMF does not pass the check of transform with its default iterations, and TSNE refuses 20 samples at its default perplexity."""
    try:
        check(estimator)
    except (AssertionError, ValueError):
        return False
    return True


class Checks(unittest.TestCase):
    def test_checks_of_scikit_learn_that_its_own_class_passes(self):
        from sklearn.utils import estimator_checks

        def checks(estimator):
            if hasattr(estimator_checks, "estimator_checks_generator"):  # from 1.6 on
                return estimator_checks.estimator_checks_generator(estimator)
            return estimator_checks.check_estimator(estimator, generate_only=True)

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for name in (*accel.CLASSES, *(name for name in accel.NEWER if hasattr(accel, name))):
                for estimator, check in checks(getattr(accel, name)()):
                    with self.subTest(name=name, check=check.func.__name__):
                        try:
                            check(estimator)
                        except (AssertionError, ValueError):
                            if passes(check, type(estimator)._accel_stands_for()):
                                raise


if __name__ == "__main__":
    unittest.main()
