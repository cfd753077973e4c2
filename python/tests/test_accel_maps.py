"""The classes of umap-learn, openTSNE, PaCMAP and pynndescent on the engine, and scikit-learn's TSNE."""

import os
import pickle
import subprocess
import sys
import unittest
import warnings
from unittest import mock

import numpy as np

try:
    import sklearn  # noqa: F401
    from scipy.sparse import coo_matrix, csr_matrix, issparse
    from scipy.spatial.distance import cdist
    from sklearn.base import clone
except ImportError:
    raise unittest.SkipTest("scikit-learn is not there") from None

import orthant
import orthant.accel
from orthant.accel import _fuzzy, _importing
from orthant.accel._curve import find_ab_params, min_dist_and_spread

# The libraries need numba and are slow to import: these tests are about the mapping, and run on what is provided without them.
_LIBRARIES = ("umap", "openTSNE", "pacmap", "pynndescent")


def groups(n=150, m=6, seed=1):
    rng = np.random.default_rng(seed)
    return (rng.normal(size=(n, m)) + 8 * (np.arange(n) % 3)[:, None]).astype(np.float32), np.arange(n) % 3


class _Without:
    """Finds none of the libraries."""

    def find_spec(self, fullname, path=None, target=None):
        if fullname.partition(".")[0] in _LIBRARIES:
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)
        return None


def setUpModule():
    hidden = _Without()
    sys.meta_path.insert(0, hidden)
    try:
        for name in _LIBRARIES:
            if f"orthant.accel.{name}" not in sys.modules:
                __import__(f"orthant.accel.{name}")
    finally:
        sys.meta_path.remove(hidden)


def strict():
    return mock.patch.dict(os.environ, {"ORTHANT_ACCEL": "strict"})


class UMAP(unittest.TestCase):
    def setUp(self):
        from orthant.accel.umap import UMAP

        self.cls = UMAP
        self.x, self.y = groups()
        context = strict()
        context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)
        caught = warnings.catch_warnings()
        caught.__enter__()
        warnings.simplefilter("ignore")
        self.addCleanup(caught.__exit__, None, None, None)

    def assertSame(self, a, b):
        np.testing.assert_array_equal(np.asarray(a, dtype=np.float32), np.asarray(b, dtype=np.float32))

    def test_a_fit_is_that_of_the_function(self):
        mapper = self.cls(random_state=3, n_neighbors=10, min_dist=0.2, spread=1.5, n_epochs=60, learning_rate=0.7, repulsion_strength=1.2, negative_sample_rate=4, set_op_mix_ratio=0.5, local_connectivity=2.0)
        expected = orthant.embed(self.x, "umap", seed=3, neighbors=9, min_dist=0.2, spread=1.5, epochs=60, rate=0.7, repulsion=1.2, negatives=4, mix=0.5, connectivity=2)
        self.assertSame(mapper.fit_transform(self.x), expected.embedding)
        self.assertEqual(mapper.embedding_.dtype, np.float32)

    def test_metrics_and_components(self):
        for metric, keywords, name in (("manhattan", None, "manhattan"), ("cosine", None, "cosine"), ("minkowski", {"p": 3}, "minkowski=3")):
            found = self.cls(random_state=3, n_epochs=20, n_components=3, metric=metric, metric_kwds=keywords).fit(self.x).embedding_
            self.assertSame(found, orthant.embed(self.x, "umap", seed=3, epochs=20, dim=3, metric=name).embedding)

    def test_hellinger(self):
        p = abs(self.x) / abs(self.x).sum(axis=1, keepdims=True)
        D = np.sqrt(np.maximum(1 - np.sqrt(p) @ np.sqrt(p).T, 0))
        np.fill_diagonal(D, 0)
        mapper = self.cls(metric="hellinger", n_epochs=20).fit(abs(self.x))
        np.testing.assert_allclose(mapper._knn_dists[:, 1:], np.sort(D, axis=1)[:, 1:15], atol=1e-3)
        with self.assertRaisesRegex(orthant.accel.StrictError, "no rule"):
            mapper.transform(abs(self.x[:2]) + 1)

    def test_classes_and_numbers(self):
        y = np.where(np.arange(len(self.y)) % 5 == 0, -1, self.y)
        found = self.cls(random_state=3, n_epochs=20, target_weight=0.7).fit(self.x, y).embedding_
        self.assertSame(found, orthant.embed(self.x, "umap", seed=3, epochs=20, labels=y, target_weight=0.7).embedding)
        found = self.cls(random_state=3, n_epochs=20, target_metric="l2").fit(self.x, self.y * 1.5).embedding_
        self.assertSame(found, orthant.embed(self.x, "umap", seed=3, epochs=20, targets=self.y * 1.5, target_weight=0.5, target_metric="euclidean").embedding)

    def test_new_samples(self):
        mapper = self.cls(random_state=3, n_epochs=20).fit(self.x)
        model = orthant.embed(self.x, "umap", seed=3, epochs=20, model=True).model()
        self.assertSame(mapper.transform(self.x[:9] + 0.01), model.transform(self.x[:9] + np.float32(0.01)))
        self.assertIs(mapper.transform(self.x.copy()), mapper.embedding_)

    def test_the_graph(self):
        mapper = self.cls(n_neighbors=8, n_epochs=5).fit(self.x)
        graph = mapper.graph_
        self.assertTrue(issparse(graph) and graph.format == "csr" and graph.dtype == np.float32)
        self.assertEqual(abs(graph - graph.T).max(), 0)
        distances = np.sort(cdist(self.x, self.x), axis=1)[:, :8]
        np.testing.assert_allclose(mapper._rhos, distances[:, 1], rtol=1e-5)
        np.testing.assert_allclose(np.exp(-np.maximum(distances[:, 1:] - distances[:, [1]], 0) / mapper._sigmas[:, None]).sum(axis=1), 3.0, atol=1e-3)
        graphs = self.cls(n_neighbors=8, transform_mode="graph").fit(self.x)
        self.assertEqual(abs(graphs.graph_ - graph).max(), 0)
        self.assertEqual(graphs.transform(self.x[:4] + 0.1).shape, (4, len(self.x)))

    def test_precomputed_distances_and_lists(self):
        D = cdist(self.x, self.x)
        expected = orthant.embed(None, "umap", distances=D.astype(np.float32), seed=3, epochs=20).embedding
        self.assertSame(self.cls(metric="precomputed", random_state=3, n_epochs=20).fit(D).embedding_, expected)
        self.assertSame(self.cls(metric="precomputed", random_state=3, n_epochs=20).fit(csr_matrix(D + 1e-300)).embedding_.shape, expected.shape)

    def test_a_start(self):
        start = np.random.default_rng(2).uniform(0, 10, size=(len(self.x), 2)).astype(np.float32)
        found = self.cls(init=start, n_epochs=1, learning_rate=1e-6, random_state=1).fit(self.x).embedding_
        self.assertGreater(np.corrcoef(found[:, 0], start[:, 0])[0, 1], 0.9999)

    def test_duplicates_have_one_place(self):
        x = np.vstack([self.x, self.x[:20]])
        found = self.cls(unique=True, n_epochs=20).fit(x)
        self.assertSame(found.embedding_[:20], found.embedding_[-20:])

    def test_samples_far_from_all_have_no_place(self):
        x = np.vstack([self.x, [[1000.0] * 6]])
        with self.assertWarnsRegex(UserWarning, "A few of your vertices were disconnected"):
            warnings.simplefilter("always")
            found = self.cls(disconnection_distance=100.0, n_epochs=20).fit(x)
        self.assertTrue(np.isnan(found.embedding_[-1]).all() and np.isfinite(found.embedding_[:-1]).all())

    def test_densities(self):
        found = self.cls(densmap=True, dens_lambda=1.5, random_state=3, n_epochs=40).fit(self.x)
        self.assertSame(found.embedding_, orthant.embed(self.x, "umap", seed=3, epochs=40, density=1.5).embedding)
        with self.assertRaises(NotImplementedError):
            found.transform(self.x[:3] + 1)

    def test_further_samples(self):
        found = self.cls(n_epochs=40, random_state=3).fit(self.x[:100])
        found.update(self.x[100:])
        self.assertEqual(found.embedding_.shape, (len(self.x), 2))
        self.assertEqual(abs(found.graph_ - self.cls(n_epochs=1).fit(self.x).graph_).max(), 0)
        near, _ = orthant.neighbors(found.embedding_.astype(float), 5)
        self.assertGreater(np.mean(self.y[near] == self.y[:, None]), 0.99)

    def test_errors_are_umap_learns(self):
        for parameters, text in (({"n_neighbors": 1}, "n_neighbors must be greater than 1"), ({"min_dist": 2.0}, "min_dist must be less than"), ({"metric": "foo"}, "recognised string"), ({"init": "foo"}, "init")):
            with self.assertRaisesRegex(ValueError, text):
                self.cls(**parameters).fit(self.x)

    def test_what_the_engine_does_not_do(self):
        for parameters in ({"densmap": True, "output_dens": True}, {"output_metric": "haversine"}, {"metric": lambda a, b: 0.0}):
            with self.assertRaises(orthant.accel.StrictError):
                self.cls(**parameters).fit(abs(self.x))
            with mock.patch.dict(os.environ, {"ORTHANT_ACCEL": ""}), self.assertRaisesRegex(ImportError, "umap-learn, whose own code does, is not installed"):
                self.cls(**parameters).fit(abs(self.x))

    def test_pickles_and_clones(self):
        mapper = self.cls(random_state=3, n_epochs=20).fit(self.x)
        again = pickle.loads(pickle.dumps(mapper))
        self.assertSame(again.embedding_, mapper.embedding_)
        self.assertEqual(abs(again.graph_ - mapper.graph_).max(), 0)
        self.assertEqual(clone(mapper).random_state, 3)


class CallsOfScanpy(unittest.TestCase):
    """The calls of scanpy.pp.neighbors and scanpy.tl.umap, as they stand there."""

    def test_a_graph_and_its_map(self):
        from orthant.accel import umap

        x, _ = groups()
        with strict():
            indices, distances, _ = umap.nearest_neighbors(x, 15, "euclidean", {}, False, np.random.RandomState(0))
            connectivities = umap.fuzzy_simplicial_set(
                coo_matrix(([], ([], [])), shape=(len(x), 1)), 15, None, None, knn_indices=indices, knn_dists=distances, set_op_mix_ratio=1.0, local_connectivity=1.0
            )[0].tocsr()
            a, b = umap.find_ab_params(1.0, 0.5)
            arguments = (x, connectivities.tocoo(), 2, 1.0, a, b, 1.0, 5, 100, "spectral", np.random.RandomState(0), "euclidean", {})
            found, _ = umap.simplicial_set_embedding(*arguments, densmap=False, densmap_kwds={}, output_dens=False, verbose=False)
        self.assertEqual((found.shape, found.dtype), ((len(x), 2), np.float32))
        near, _ = orthant.neighbors(found, 10)
        self.assertGreater(np.mean(near % 3 == (np.arange(len(x)) % 3)[:, None]), 0.99)
        expected = orthant.embed(None, "umap", affinities=connectivities, min_dist=0.5, epochs=100, seed=int(np.random.RandomState(0).randint(1, 2**31 - 1))).embedding
        np.testing.assert_array_equal(found, expected.astype(np.float32))

    def test_a_map_of_a_table_of_cells(self):
        try:
            import anndata
        except ImportError as error:
            self.skipTest(f"{error}; Debian: python3-anndata")
        from orthant.accel import umap

        x, y = groups()
        cells = anndata.AnnData(x, obs={"kind": y.astype(str)}, dtype=x.dtype) if tuple(map(int, anndata.__version__.split(".")[:2])) < (0, 10) else anndata.AnnData(x, obs={"kind": y.astype(str)})
        indices, distances, _ = umap.nearest_neighbors(x, 12, "euclidean", {}, False, np.random.RandomState(0))
        empty = coo_matrix(([], ([], [])), shape=(len(x), 1))
        cells.obsp["connectivities"] = umap.fuzzy_simplicial_set(empty, 12, None, None, knn_indices=indices, knn_dists=distances)[0].tocsr()
        cells.uns["neighbors"] = {"connectivities_key": "connectivities", "params": {"n_neighbors": 12, "method": "umap", "metric": "euclidean"}}
        known = cells.uns["neighbors"]
        with strict():  # the lines of scanpy.tl.umap
            a, b = umap.find_ab_params(1.0, 0.5)
            cells.obsm["X_umap"], _ = umap.simplicial_set_embedding(
                data=cells.X, graph=cells.obsp[known["connectivities_key"]].tocoo(), n_components=2, initial_alpha=1.0, a=a, b=b, gamma=1.0, negative_sample_rate=5,
                n_epochs=200, init="spectral", random_state=np.random.RandomState(0), metric=known["params"].get("metric", "euclidean"),
                metric_kwds=known["params"].get("metric_kwds", {}), densmap=False, densmap_kwds={}, output_dens=False, verbose=False,
            )  # fmt: skip
        found = cells[cells.obs["kind"] == "1"].obsm["X_umap"]
        self.assertEqual((cells.obsm["X_umap"].shape, found.shape), ((len(x), 2), (len(x) // 3, 2)))
        near, _ = orthant.neighbors(cells.obsm["X_umap"], 8)
        self.assertGreater(np.mean(y[near] == y[:, None]), 0.99)

    def test_the_way_back_from_the_curve(self):
        for min_dist, spread in ((0.1, 1.0), (0.5, 1.0), (0.01, 2.0), (0.3, 0.4)):
            np.testing.assert_allclose(min_dist_and_spread(*find_ab_params(spread, min_dist)), (min_dist, spread), rtol=1e-4, atol=1e-4)


class Fuzzy(unittest.TestCase):
    def test_classes_weaken_edges_between_them(self):
        x, y = groups(60)
        indices, distances = orthant.neighbors(x + np.random.default_rng(3).normal(size=x.shape) * 9, 8)
        itself = np.arange(60)[:, None]
        graph, _, _ = _fuzzy.graph(np.hstack([itself, indices]), np.hstack([0 * itself, distances]), 9)
        bound = _fuzzy.of_classes(graph, y, 0.5).toarray()
        self.assertLess(bound[y[:, None] != y].max(), 0.5)
        np.testing.assert_allclose(bound.max(axis=1), 1)


class SklearnTSNE(unittest.TestCase):
    def test_a_fit_is_that_of_the_function(self):
        x, _ = groups()
        with strict():
            tsne = orthant.accel.TSNE(random_state=5, perplexity=20, n_iter=300)
            found = tsne.fit_transform(x)
        expected = orthant.embed(x, "tsne", seed=5, perplexity=20, iterations=300, init="pca", theta=0.5, rate=4 * tsne.learning_rate_)
        np.testing.assert_array_equal(found, expected.embedding.astype(np.float32))
        self.assertEqual((tsne.n_iter_, tsne.kl_divergence_), (299, expected.report["objective"]["last"]))

    def test_exact_is_the_same_descent_over_all_pairs(self):
        x, y = groups(60)
        with strict():
            found = orthant.accel.TSNE(random_state=5, method="exact", init="random", n_iter=400, perplexity=15).fit_transform(x)
        near, _ = orthant.neighbors(found.astype(float), 5)
        self.assertGreater(np.mean(y[near] == y[:, None]), 0.95)

    def test_verbose_is_scikit_learns(self):
        with strict(), self.assertRaises(orthant.accel.StrictError):
            orthant.accel.TSNE(verbose=1).fit(groups()[0])


class OpenTSNE(unittest.TestCase):
    def test_a_fit_is_that_of_the_function(self):
        from orthant.accel.openTSNE import TSNE, TSNEEmbedding

        x, _ = groups()
        with strict():
            found = TSNE(random_state=5, perplexity=20, n_iter=100).fit(x)
            placed = found.transform(x[:5] + np.float32(0.01))
        expected = orthant.embed(x, "tsne", seed=5, perplexity=20, iterations=350, init="pca", model=True)
        np.testing.assert_array_equal(np.asarray(found), expected.embedding)
        np.testing.assert_allclose(placed, expected.model().transform(np.float64(x[:5] + np.float32(0.01))))
        self.assertIsInstance(found, TSNEEmbedding)
        self.assertEqual(found.kl_divergence, expected.report["objective"]["last"])

    def test_wrong_starts(self):
        from orthant.accel.openTSNE import TSNE

        with strict(), self.assertRaisesRegex(ValueError, "different number of points"):
            TSNE().fit(groups()[0], initialization=np.zeros((3, 2)))


class PaCMAP(unittest.TestCase):
    def test_a_fit_is_that_of_the_function(self):
        from orthant.accel.pacmap import LocalMAP, PaCMAP

        x, _ = groups()
        for cls, more in ((PaCMAP, {}), (LocalMAP, {"local": True})):
            with strict():
                mapper = cls(random_state=5)
                found = mapper.fit_transform(x)
                placed = mapper.transform(x[:5] + np.float32(0.01))
            expected = orthant.embed(x, "pacmap", seed=5, init="pca", model=True, **more)
            np.testing.assert_array_equal(found, expected.embedding.astype(np.float32))
            np.testing.assert_array_equal(placed, expected.model().transform(x[:5] + np.float32(0.01)).astype(np.float32))
            self.assertEqual(mapper.pair_neighbors.shape, (len(x) * 10, 2))

    def test_a_tree_is_made_only_when_it_is_read(self):
        from orthant.accel.pacmap import PaCMAP

        with strict():
            mapper = PaCMAP(random_state=5, save_tree=True).fit(groups()[0])
        self.assertIsNone(mapper.set_params(save_tree=False).tree)
        with self.assertRaisesRegex(AttributeError, "not installed"):
            mapper.xmin
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(mapper)).embedding_, mapper.embedding_)

    def test_other_phases_are_pacmaps(self):
        from orthant.accel.pacmap import PaCMAP

        with strict(), self.assertRaises(orthant.accel.StrictError):
            PaCMAP(num_iters=(10, 10, 400)).fit(groups()[0])


class NNDescent(unittest.TestCase):
    def test_neighbours_and_queries(self):
        from orthant.accel.pynndescent import NNDescent

        x, _ = groups()
        with strict():
            index = NNDescent(x, "manhattan", {}, 10)
            indices, distances = index.neighbor_graph
            found = index.query(x[:7] + 0.1, k=4, epsilon=0.2)
        others = orthant.neighbors(x, 9, metric="manhattan")
        np.testing.assert_array_equal(indices, np.hstack([np.arange(len(x))[:, None], others[0]]))
        np.testing.assert_allclose(distances[:, 1:], others[1], rtol=1e-6)
        np.testing.assert_array_equal(found[0], orthant.nearest(x, x[:7] + np.float32(0.1), 4, metric="manhattan")[0])
        again = pickle.loads(pickle.dumps(index))
        np.testing.assert_array_equal(again.query(x[:7], 3)[0], index.query(x[:7], 3)[0])

    def test_update(self):
        from orthant.accel.pynndescent import NNDescent

        x, _ = groups()
        with strict():
            index = NNDescent(x[:100], n_neighbors=10)
            index.update(xs_fresh=x[100:], xs_updated=-x[:5], updated_indices=range(5))
            whole = np.vstack([-x[:5], x[5:]])
        np.testing.assert_array_equal(index.neighbor_graph[0], NNDescent(whole, n_neighbors=10).neighbor_graph[0])


class Importing(unittest.TestCase):
    """In processes of their own: what is imported cannot be taken back."""

    def program(self, text, *arguments, **given):
        path = os.path.dirname(os.path.dirname(os.path.abspath(orthant.__file__)))
        environment = {**os.environ, "PYTHONPATH": path, "ORTHANT_ACCEL": "", "ORTHANT_ACCEL_LOG": "", **given}
        return subprocess.run([sys.executable, "-W", "ignore", *arguments, "-c", text], capture_output=True, text=True, env=environment)

    def test_patch_imports_no_library(self):
        found = self.program("import sys, orthant.accel\northant.accel.patch()\nprint([n for n in ('umap', 'numba', 'pynndescent', 'openTSNE', 'pacmap', 'hdbscan') if n in sys.modules])")
        self.assertEqual(found.stdout, "[]\n", found.stderr)

    def test_provided_only_if_asked(self):
        used = "import numpy, umap, pynndescent\nfrom hdbscan import HDBSCAN\nfrom umap.umap_ import simplicial_set_embedding, find_ab_params\nfrom openTSNE import TSNE\nfrom pacmap import PaCMAP\nx = numpy.random.default_rng(1).normal(size=(60, 4))\nprint(umap.UMAP(n_epochs=5).fit_transform(x).shape, TSNE(n_iter=5, perplexity=5).fit(x).shape, PaCMAP().fit_transform(x).shape, pynndescent.NNDescent(x, n_neighbors=4).neighbor_graph[0].shape, HDBSCAN().fit(x).labels_.shape)"
        hidden = "import sys, importlib.machinery\nown = importlib.machinery.PathFinder.find_spec\nimportlib.machinery.PathFinder.find_spec = lambda name, path=None, target=None: None if name.partition('.')[0] in ('umap', 'openTSNE', 'pacmap', 'pynndescent', 'hdbscan') else own(name, path, target)\n"
        found = self.program(hidden + "import orthant.accel\northant.accel.patch(provide=True)\n" + used)
        self.assertEqual(found.stdout, "(60, 2) (60, 2) (60, 2) (60, 4) (60,)\n", found.stderr)
        found = self.program(hidden + "import orthant.accel\northant.accel.patch()\nimport umap")
        self.assertIn("ModuleNotFoundError: No module named 'umap'", found.stderr)

    def test_nothing_is_expected_after_unpatch(self):
        orthant.accel.patch("umap.UMAP")
        orthant.accel.unpatch("umap.UMAP")
        self.assertNotIn(_importing._finder, sys.meta_path)


if __name__ == "__main__":
    unittest.main()
