"""Graphs, affinities and distances in place of a search, and sparse samples, from Python."""

import pickle
import unittest
import warnings

import numpy as np

try:
    import scipy.sparse as sp
    import sklearn
except ImportError:
    raise unittest.SkipTest("SciPy or scikit-learn is not installed")

from sklearn.base import clone
from sklearn.neighbors import KNeighborsTransformer, RadiusNeighborsTransformer
from sklearn.pipeline import make_pipeline

import orthant
from orthant import _sparse, _structure

ALL = [getattr(orthant, name) for name in orthant.estimators.__all__]
SKLEARN = tuple(int(part) for part in sklearn.__version__.split(".")[:2])
METHODS = {m["name"]: m for m in orthant.methods()}


def samples(n=200, m=3, seed=1):
    return np.random.default_rng(seed).uniform(size=(n, m))


def scattered(n=120, m=40, seed=2):
    return sp.random(n, m, 0.3, format="csr", random_state=seed)


def distances(x):
    return np.linalg.norm(x[:, None] - x[None], axis=2)


def matrix(indices, far, kind=sp.csr_matrix):
    """The matrix of n × k lists, in their order."""
    n, k = indices.shape
    return kind((far.reshape(-1), indices.reshape(-1).astype(np.int32), np.arange(n + 1, dtype=np.int32) * k), shape=(n, n))


def found(e):
    return next(getattr(e, name) for name in ("labels_", "embedding_", "components_") if hasattr(e, name))


def pairwise(e):
    return e.__sklearn_tags__().input_tags.pairwise if SKLEARN >= (1, 6) else e._get_tags()["pairwise"]


def quiet(test):
    def run(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            test(self)

    return run


class Functions(unittest.TestCase):
    def test_a_graph_is_the_search(self):
        """In every form, for every method that takes one, with the samples and, if it can, instead of them."""
        x = samples()
        indices, far = orthant.neighbors(x, 9)
        forms = [(indices, far), (indices.astype(np.int32), far), matrix(indices, far), matrix(indices, far, sp.csr_array), matrix(indices, far).tocsc(), matrix(indices, far).tocoo()]
        for name in ("le", "isomap", "diffusion-maps", "lle", "ltsa", "npp", "nolpp"):
            want = orthant.embed(x, name, neighbors=9, components="largest").embedding
            for form in forms if name == "le" else forms[:3]:
                np.testing.assert_array_equal(orthant.embed(x, name, graph=form, components="largest").embedding, want)
                if "graph" in METHODS[name]["instead_of_samples"]:
                    np.testing.assert_array_equal(orthant.embed(None, name, graph=form, components="largest").embedding, want)
        want = orthant.cluster(x, "spectral", 3, neighbors=9).labels
        np.testing.assert_array_equal(orthant.cluster(None, "spectral", 3, graph=(indices, far)).labels, want)
        want = orthant.factorize(x, "gnmf", 2, neighbors=9).w
        np.testing.assert_array_equal(orthant.factorize(x, "gnmf", 2, graph=(indices, far)).w, want)

    def test_every_method_that_says_so_takes_a_graph(self):
        x = samples(150)
        indices, far = orthant.neighbors(x, 20)
        for name, method in METHODS.items():
            more = {"labels": np.arange(150) % 3} if method["supervised"] else {}
            for task, call in (("embed", lambda **g: orthant.embed(x, name, **g, **more)), ("factorize", lambda **g: orthant.factorize(x, name, 2, iterations=3, **g, **more)), ("cluster", lambda **g: orthant.cluster(x, name, 0 if method.get("finds_clusters") else 2, **g))):
                if task not in method["tasks"]:
                    continue
                with self.subTest(name, task=task), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    if "graph" in method["beside_samples"]:
                        call(graph=(indices, far))
                    else:  # or takes one in place of the samples
                        with self.assertRaisesRegex(ValueError, "smacof: samples and a graph are given together" if name == "smacof" else "takes no neighbour graph"):
                            call(graph=(indices, far))

    def test_affinities_and_distances(self):
        n = 12
        ring = sp.csr_matrix(np.roll(np.eye(n), 1, axis=0) + np.roll(np.eye(n), -1, axis=0))
        for w in (ring, sp.csr_array(ring), ring.astype(np.float32), ring.tocoo(), 3 * ring):
            np.testing.assert_allclose(orthant.embed(None, "le", affinities=w).eigenvalues, 1 - np.cos(2 * np.pi / n), rtol=1e-12)
        x = samples(80)
        d = distances(x)
        for name in ("mds", "isomap"):
            np.testing.assert_allclose(orthant.embed(None, name, distances=d).eigenvalues, orthant.embed(x, name).eigenvalues, rtol=1e-9)

    def test_sparse_samples(self):
        s = scattered()
        dense = s.toarray()
        for name, method in METHODS.items():
            if not method["keeps_sparse"] or "embed" not in method["tasks"]:
                continue
            with self.subTest(name), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                start = {"init": "spectral"} if name == "tsne" else {}  # whose many steps let the rounding of principal components grow
                got, want = (orthant.embed(x, name, components="largest", **start) for x in (sp.csr_array(s), dense))
                self.assertTrue(got.report["sparse"])
                near = 0.02 if name in ("nle", "nlle", "nmms") else 1e-5  # those that iterate end near each other
                np.testing.assert_allclose(np.abs(got.embedding), np.abs(want.embedding), atol=near * np.nanmax(np.abs(want.embedding)))
        for form in (s, s.astype(np.float32).astype(float), s.tocsc(), s.tocoo(), sp.csr_array(s)):
            # With hals the number of sweeps depends on the cost of a product, which differs for sparse samples.
            got, want = (orthant.factorize(x, "nmf", 3, solver="mu", iterations=5).w for x in (form, dense))
            np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-9)
        for got, want in zip(orthant.neighbors(s, 5), orthant.neighbors(dense, 5)):
            np.testing.assert_allclose(got, want, rtol=1e-12)
        m = orthant.embed(s, "isomap", model=True, components="bridge").model()
        np.testing.assert_allclose(m.transform(s[:9]), m.transform(dense[:9]), atol=1e-8)
        for name in ("lda", "lpp"):
            if not METHODS[name]["keeps_sparse"]:
                with self.assertRaisesRegex(ValueError, "needs dense samples"):
                    orthant.embed(s, name)

    def test_metrics_and_radius(self):
        """SciPy measures the same distances; within a radius there is a matrix, which is a graph."""
        from scipy.spatial.distance import cdist

        x = samples(80)
        few = np.abs(np.round(x))  # with zeros, and many equal entries
        few[:, 0] += 1
        for metric in ("euclidean", "cosine", "correlation", "manhattan", "chebyshev", "hamming", "jaccard"):
            with self.subTest(metric):
                data = few if metric in ("hamming", "jaccard") else x
                far = cdist(data != 0 if metric == "jaccard" else data, data != 0 if metric == "jaccard" else data, {"manhattan": "cityblock"}.get(metric, metric))
                np.fill_diagonal(far, np.inf)
                radius = np.quantile(far, 0.1) * (1 + 1e-9)
                sparse = [sp.csr_array(data)] if metric in ("euclidean", "cosine", "correlation", "hamming", "jaccard") else []
                for form in [data, *sparse]:
                    indices, distances = orthant.neighbors(form, 7, metric=metric)
                    np.testing.assert_allclose(distances, np.sort(far)[:, :7], atol=1e-12)
                    np.testing.assert_allclose(np.take_along_axis(far, indices, 1), distances, atol=1e-12)
                    graph = orthant.neighbors(form, radius=radius, metric=metric)
                    self.assertIsInstance(graph, sp.csr_matrix)
                    rows, cols = np.nonzero(far <= radius)
                    np.testing.assert_array_equal(graph.indices, cols)
                    np.testing.assert_array_equal(np.repeat(np.arange(80), np.diff(graph.indptr)), rows)
                    np.testing.assert_allclose(graph.data, far[rows, cols], atol=1e-12)
                self.assertEqual(orthant.embed(None, "le", graph=graph, components="each").embedding.shape, (80, 2))
        self.assertEqual(orthant.neighbors(x, radius=0).nnz, 0)
        indices, distances = orthant.neighbors(np.random.default_rng(0).normal(size=(3000, 60)), 5, metric="cosine", method="approximate", recall=0.9)
        self.assertTrue(np.all(distances >= 0) and np.all(distances <= 2) and np.all(np.diff(distances) >= 0))
        with self.assertRaisesRegex(MemoryError, "pairs"):
            orthant.neighbors(np.ones((3000, 2)), radius=1, memory=64 << 20)

    def test_parameters_of_the_same_name(self):
        """A word is the method's parameter, in functions and in estimators, also together with a matrix."""
        x = samples()
        lists = orthant.neighbors(x, 9)
        want = orthant.embed(x, "le", neighbors=9, graph="mutual", components="largest")
        self.assertEqual(want.report["params"]["graph"], "mutual")
        np.testing.assert_array_equal(orthant.embed(x, "le", graph=lists, graph_="mutual", components="largest").embedding, want.embedding)
        for e in (orthant.LaplacianEigenmaps(n_neighbors=9, graph="mutual", components="largest").fit(x), orthant.LaplacianEigenmaps(graph="mutual", components="largest").fit(x, graph=lists), orthant.LaplacianEigenmaps(graph="mutual", components="largest", metric="precomputed").fit(matrix(*lists))):
            np.testing.assert_array_equal(e.embedding_, want.embedding)
        with self.assertRaisesRegex(ValueError, "given twice"):
            orthant.embed(x, "le", graph="mutual", graph_="union")
        y = abs(x)
        want = orthant.embed(y, "nmms", distances="geodesic", neighbors=9, iterations=5)
        self.assertEqual(want.report["params"]["distances"], "geodesic")
        self.assertEqual(orthant.NMMS(distances="geodesic", max_iter=5, components="largest").fit(y).report_["params"]["distances"], "geodesic")
        e = orthant.NMMS(distances="geodesic", max_iter=5, components="largest", metric="precomputed").fit(matrix(*lists))
        np.testing.assert_allclose(e.embedding_, want.embedding, atol=1e-9)

    def test_what_is_stored_twice_is_added_up_in_samples(self):
        s = scattered()
        twice = sp.csr_matrix((np.repeat(s.data / 2, 2), np.repeat(s.indices, 2), s.indptr * 2), shape=s.shape)
        np.testing.assert_array_equal(orthant.factorize(twice, "nmf", 2, iterations=5).w, orthant.factorize(s, "nmf", 2, iterations=5).w)
        self.assertEqual(twice.nnz, 2 * s.nnz)  # the caller's is as it was

    def test_nothing_is_copied(self):
        for kind in (sp.csr_matrix, sp.csr_array):
            s = kind(scattered())
            self.assertIs(_sparse.summed(s), s)
            read, _ = _sparse.csr(s)
            self.assertEqual((read.data, read.indices, read.indptr), (s.data.ctypes.data, s.indices.ctypes.data, s.indptr.ctypes.data))
            self.assertIs(_structure.once(s, "graph"), s)

    def test_wrong_structures(self):
        x = samples(4, 2)
        good = sp.csr_matrix(([1.0, 1.0, 2.0, 2.0], [1, 0, 3, 2], [0, 1, 2, 3, 4]), shape=(4, 4))

        def changed(at, value):
            g = good.copy()
            g.data[at] = value
            return g

        index = good.copy()
        index.indices[2] = 9
        wide = good.copy()
        wide.indices, wide.indptr = np.array([1, 0, 2**40, 2]), wide.indptr.astype(np.int64)
        lists = np.array([[1], [0], [3], [2]])
        for given, phrase in (
            ({"graph": changed(2, -1)}, "row 3, column 4 .* the distance is -1"), ({"graph": changed(1, np.nan)}, "row 1, column 0 .* is NaN"), ({"graph": changed(1, np.inf)}, "Inf"),
            ({"graph": index}, "column 9"), ({"graph": wide}, "1099511627776"), ({"graph": good[:3]}, "3 × 4; give a square one"),
            ({"graph": sp.csr_matrix(([1.0, 2, 1], [1, 1, 0], [0, 2, 3, 3, 3]), shape=(4, 4))}, "twice"), ({"graph": sp.coo_matrix(([1.0, 2], ([0, 0], [1, 1])), shape=(4, 4))}, "1 of its entries are stored at the place of another"),
            ({"graph": good.toarray()}, "give a sparse matrix of distances, or"), ({"graph": (lists, lists[:3])}, "indices of shape"), ({"graph": (lists + 0.5, lists)}, "graph: indices are of type float64"),
            ({"graph": (lists + 1, lists)}, "lists sample 4 of 4"), ({"graph": (lists[:, 0], lists[:, 0])}, "n × k"), ({"graph": (lists, lists * -1.0)}, "distance is -1"),
            ({"graph": (lists, np.ma.masked_equal(lists, 3))}, "masked"), ({"graph": good.astype(complex)}, "complex"),
            ({"affinities": good.toarray()}, "give a sparse matrix"), ({"affinities": changed(3, 5)}, "not symmetric: row 3, column 4"), ({"affinities": changed(slice(0, 2), -3)}, "is -3"), ({"affinities": changed(0, np.nan)}, "NaN"),
            ({"affinities": good[:3]}, "3 × 4"), ({"graph": good, "affinities": good}, "given together; give one"), ({"graph": good, "distances": distances(x)}, "more than one"),
            ({"distances": good}, "unstored entries"), ({"distances": distances(x)[:3]}, "3 × 4"), ({"distances": distances(x) + np.triu(np.ones((4, 4)), 1)}, "symmetric"), ({"distances": -distances(x)}, "row .* column"),
            ({"distances": distances(x) * np.nan}, "NaN"), ({"distances": [["a"]]}, "type"), ({"graph": good, "neighbors": 2}, "neighbors is given together with a graph"),
            ({}, "x is None"),
        ):
            with self.subTest(phrase), self.assertRaisesRegex(ValueError, phrase) as raised:
                orthant.embed(None, "le", **given)
            self.assertNotIn("\n", str(raised.exception))
        for call, phrase in (
            (lambda: orthant.embed(samples(5), "le", graph=good), "a graph of 4 samples for data of 5"), (lambda: orthant.embed(None, "lle", graph=good), "needs the samples"),
            (lambda: orthant.embed(x, "mds", distances=distances(x)), "together"), (lambda: orthant.embed(None, "isomap", affinities=good), "takes no affinities"),
            (lambda: orthant.neighbors(good, 1, method="approximate"), "search exactly"), (lambda: orthant.neighbors(changed(1, np.nan), 1), "is NaN"), (lambda: orthant.select(good, "ds3", 2), "dense"), (lambda: orthant.embed(sp.csr_matrix((3, 0)), "le"), "3 × 0"),
            (lambda: orthant.embed(changed(0, np.nan), "le"), "is NaN"), (lambda: orthant.embed(index, "le"), "column 9"),
        ):
            with self.subTest(phrase), self.assertRaisesRegex(ValueError, phrase):
                call()


class Estimators(unittest.TestCase):
    @quiet
    def test_pipelines_with_neighbours_of_scikit_learn(self):
        """The same to the bit as the estimators find themselves, with the sample itself stored, and with more neighbours than requested."""
        x = samples()
        for kind in (orthant.Isomap, orthant.LaplacianEigenmaps, orthant.DiffusionMaps, orthant.SpectralClustering):
            want = found(kind(n_neighbors=9).fit(x))
            p = make_pipeline(KNeighborsTransformer(n_neighbors=9, mode="distance"), kind(metric="precomputed"))
            np.testing.assert_array_equal(found(p.fit(x)[-1]), want)
            more = make_pipeline(KNeighborsTransformer(n_neighbors=30, mode="distance"), kind(metric="precomputed", n_neighbors=9))
            np.testing.assert_array_equal(found(more.fit(x)[-1]), want)
            lists = orthant.neighbors(x, 9)
            np.testing.assert_array_equal(found(kind(metric="precomputed").fit(matrix(*lists, sp.csr_array))), want)
        few = KNeighborsTransformer(n_neighbors=5, mode="distance").fit_transform(x)
        with self.assertRaisesRegex(ValueError, r"n_neighbors is 8, and row 0 .* stores 5 neighbours"):
            orthant.Isomap(metric="precomputed", n_neighbors=8).fit(few)
        radius = RadiusNeighborsTransformer(radius=0.4).fit_transform(x)
        e = orthant.Isomap(metric="precomputed").fit(radius)
        self.assertEqual(e.report_["details"]["most_neighbors"], np.diff(radius.indptr).max() - 1)

    def test_zeros(self):
        """A stored zero joins two samples; an entry that is not stored joins none."""
        g = sp.csr_matrix(([0.0, 0, 1, 1, 1, 1], [1, 0, 2, 1, 3, 2], [0, 1, 3, 5, 6]), shape=(4, 4))
        y = orthant.Isomap(n_components=1, metric="precomputed").fit_transform(g)[:, 0]
        np.testing.assert_allclose(np.abs(y - y[0]), [0, 0, 1, 2], atol=1e-9)

    @quiet
    def test_full_distances(self):
        x = samples(90)
        d = distances(x)
        for kind in ALL:
            if "metric" not in kind().get_params():
                continue
            if not kind._orthant_instead:
                with self.assertRaisesRegex(ValueError, "needs the samples, too; give them, and graph or distances"):
                    kind(metric="precomputed").fit(d)
                continue
            with self.subTest(kind.__name__):
                more = {orthant.NLE: {"weights": "binary"}, orthant.TSNE: {"init": "spectral"}, orthant.PaCMAP: {"init": "spectral"}}.get(kind, {})  # what needs no samples
                k = {"n_neighbors": 9} if "n_neighbors" in kind().get_params() else {}
                e = kind(metric="precomputed", **k, **more).fit(d)
                self.assertEqual(e.n_features_in_, 90)
                self.assertEqual([pairwise(kind()), pairwise(kind(metric="precomputed"))], [False, True])
                if kind is not orthant.NMMS:
                    want = kind(**k, **more).fit(x)
                    np.testing.assert_allclose(np.abs(found(e)), np.abs(found(want)), atol=1e-6 * np.abs(found(want)).max())
                with self.assertRaisesRegex(ValueError, "no rule for new samples"):
                    (e.predict if hasattr(e, "predict") else e.transform)(d)
        with self.assertRaisesRegex(ValueError, "unstored distances are not known"):
            orthant.ClassicalMDS(metric="precomputed").fit(sp.csr_matrix(d))

    @quiet
    def test_metrics_of_estimators(self):
        x = np.abs(samples(90)) + 0.1
        new = 4 * x[::3]  # of the same directions
        tried = 0
        for kind in ALL:
            if "graph" not in METHODS[kind._orthant_method]["beside_samples"] or "n_neighbors" not in kind().get_params() or kind is orthant.PaCMAP:
                continue
            with self.subTest(kind.__name__):
                k = {"n_neighbors": 9 + len(kind._orthant_itself)}
                want = found(kind(**k).fit(x, graph=orthant.neighbors(x, 9, metric="manhattan")))
                for name in ("manhattan", "cityblock", "l1"):
                    np.testing.assert_array_equal(found(kind(metric=name, **k).fit(x)), want)
                tried += 1
        self.assertGreater(tried, 20)
        for e in (orthant.UMAP(metric="cosine"), orthant.PaCMAP(distance="cosine"), orthant.TSNE(metric="cosine", perplexity=9)):
            np.testing.assert_array_equal(e.fit(x).transform(new), e.embedding_[::3])
            self.assertEqual(clone(e).get_params()["metric"], "cosine")
        e = orthant.LaplacianEigenmaps(metric="cosine").fit(x)
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(e)).transform(new), e.transform(x[::3]))
        np.testing.assert_array_equal(orthant.embed(x, "le", metric="cosine").embedding, e.embedding_)
        with self.assertRaisesRegex(ValueError, 'metric="cosine" does not apply: it searches for no nearest samples'):
            orthant.embed(x, "pca", metric="cosine")

    @quiet
    def test_affinities(self):
        x = samples()
        g = KNeighborsTransformer(n_neighbors=9, mode="connectivity").fit_transform(x)
        w = g.maximum(g.T)
        want = orthant.LaplacianEigenmaps(n_neighbors=8, weights="binary").fit(x)  # of connectivity the sample itself is one
        for kind in (sp.csr_matrix, sp.csr_array, sp.csc_matrix, lambda a: a.toarray()):
            e = orthant.LaplacianEigenmaps(affinity="precomputed").fit(kind(w))
            np.testing.assert_allclose(e.eigenvalues_, want.eigenvalues_, rtol=1e-9)
            np.testing.assert_array_equal(orthant.LaplacianEigenmaps(affinity="precomputed", n_neighbors=3).fit(kind(w)).embedding_, e.embedding_)
        two = sp.block_diag([np.ones((9, 9)), np.ones((7, 7))]).tocsr()
        np.testing.assert_array_equal(orthant.SpectralClustering(2, affinity="precomputed").fit_predict(two), np.repeat([0, 1], [9, 7]))
        skew = w.copy()
        skew.data[0] = 7
        for e, X, phrase in (
            (orthant.LaplacianEigenmaps(affinity="precomputed"), skew, "not symmetric"), (orthant.LaplacianEigenmaps(affinity="precomputed"), -w, "is -1"), (orthant.LaplacianEigenmaps(affinity="precomputed", weights="heat"), w, "weights is given together with affinities"),
            (orthant.LaplacianEigenmaps(affinity="precomputed"), x, "200 × 3, which are not affinities"), (orthant.Isomap(metric="precomputed"), x, "200 × 3, which are not distances"),
            (orthant.LaplacianEigenmaps(affinity="precomputed", metric="precomputed"), w, 'both "precomputed"'), (orthant.LaplacianEigenmaps(affinity="rbf"), x, "affinity is 'rbf'"),
            (orthant.Isomap(metric=abs), x, "metric is <built-in function abs>; give the name of a metric"), (orthant.Isomap(metric="sine"), x, "there is no metric"), (orthant.Isomap(metric="precomputed"), sp.coo_matrix(([1.0, 2], ([0, 0], [1, 1])), shape=(4, 4)), "place of another"),
            (orthant.Isomap(metric="precomputed", n_neighbors=0), g, "n_neighbors is 0"),
        ):
            with self.subTest(phrase), self.assertRaisesRegex(ValueError, phrase):
                e.fit(X)

    @quiet
    def test_graphs_beside_samples(self):
        """fit(X, graph=) of every estimator that has it, in place of its search."""
        x = samples(150)
        lists = orthant.neighbors(x, 20)
        seen = 0
        for kind in ALL:
            e = kind().set_params(**({"max_iter": 5} if "max_iter" in kind().get_params() else {}))
            if "graph" not in METHODS[kind._orthant_method]["beside_samples"]:
                with self.assertRaises(TypeError):
                    e.fit(x, graph=lists)
                continue
            with self.subTest(kind.__name__):
                seen += 1
                if kind is orthant.PaCMAP:  # which chooses its pairs among more neighbours, where it searches
                    self.assertEqual(found(e.fit(x, graph=lists)).shape, (150, 2))
                elif "n_neighbors" in e.get_params():
                    itself = 1 if "n_neighbors" in kind._orthant_itself else 0  # counts as a neighbour
                    want = clone(e).set_params(n_neighbors=20 + itself).fit(x)
                    np.testing.assert_array_equal(found(clone(e).fit(x, graph=lists)), found(want))
                    np.testing.assert_array_equal(found(clone(e).set_params(n_neighbors=16).fit(x, graph=matrix(*lists))), found(clone(e).set_params(n_neighbors=16).fit(x)))
        self.assertGreater(seen, 15)
        e = orthant.LLE()
        np.testing.assert_array_equal(e.fit_transform(x, graph=lists), e.embedding_)
        np.testing.assert_allclose(e.transform(x[:5]), e.embedding_[:5], atol=1e-3)
        p = make_pipeline(orthant.LLE())
        np.testing.assert_array_equal(p.fit_transform(x, lle__graph=lists), e.embedding_)
        np.testing.assert_array_equal(orthant.LLE(n_neighbors=20).fit_transform(x, distances=distances(x)), orthant.LLE(n_neighbors=20).fit_transform(x, graph=lists))
        c = orthant.GNMFClustering(2, max_iter=5)
        np.testing.assert_array_equal(c.fit_predict(x, graph=lists), c.labels_)
        with self.assertRaisesRegex(ValueError, "graph is given together with an X that is no samples but distances"):
            orthant.Isomap(metric="precomputed").fit(matrix(*lists), graph=lists)
        with self.assertRaisesRegex(ValueError, "a graph of 150 samples for data of 149"):
            orthant.LLE().fit(x[1:], graph=lists)

    @quiet
    def test_sparse_samples(self):
        s, new = scattered(), scattered(30, seed=5)
        for kind in ALL:
            e = kind().set_params(**({"max_iter": 20} if "max_iter" in kind().get_params() else {}))
            y = np.arange(120) % 3
            if not METHODS[kind._orthant_method]["keeps_sparse"]:
                with self.subTest(kind.__name__), self.assertRaisesRegex(TypeError, "(?i)sparse"):
                    e.fit(s, y)
                continue
            with self.subTest(kind.__name__):
                if "shift" in e.get_params():
                    s, new = abs(s), abs(new)
                e.set_params(**{"components": "largest"} if "components" in e.get_params() else {})
                e.fit(s, y)
                again = clone(e).fit(sp.csr_array(s), y)
                np.testing.assert_array_equal(found(again), found(e))
                if hasattr(e, "transform"):
                    np.testing.assert_allclose(e.transform(new), e.transform(new.toarray()), atol=1e-6)
                if hasattr(e, "predict") and e._orthant_model is not None:
                    np.testing.assert_array_equal(e.predict(new), e.predict(new.toarray()))


if __name__ == "__main__":
    unittest.main()
