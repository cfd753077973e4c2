"""The estimators of maps, as users of umap-learn, openTSNE, scikit-learn and pacmap expect them."""

import pickle
import unittest
import warnings

import numpy as np

try:
    import sklearn  # noqa: F401
except ImportError:
    raise unittest.SkipTest("scikit-learn is not installed")

import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier, KNeighborsTransformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import orthant

MAPS = (orthant.UMAP, orthant.TSNE, orthant.PaCMAP)


def groups(n=240, m=6, seed=1):
    """Four groups of samples, which overlap a little, and which group each is of."""
    draw = np.random.default_rng(seed)
    y = np.arange(n) % 4
    return draw.normal(size=(n, m)) + 4 * draw.normal(size=(4, m))[y], y


def quick(kind, **parameters):
    """A map of few steps."""
    few = {orthant.UMAP: {"n_epochs": 60}, orthant.TSNE: {"max_iter": 120, "early_exaggeration_iter": 60}, orthant.PaCMAP: {"num_iters": 90}}
    return kind(**{**few[kind], **parameters})


def purity(embedding, y):
    return KNeighborsClassifier(5).fit(embedding, y).score(embedding, y)


class Maps(unittest.TestCase):
    def setUp(self):
        quiet = warnings.catch_warnings()
        quiet.__enter__()
        self.addCleanup(quiet.__exit__, None, None, None)
        warnings.simplefilter("ignore")  # maps of few steps are doubtful

    def test_names_of_the_originals(self):
        """They are the engine's parameters, and do what these do."""
        x, _ = groups()
        for e, method, parameters in (
            (orthant.UMAP(), "umap", {}),
            (
                orthant.UMAP(12, 3, min_dist=0.3, spread=2, n_epochs=50, init="pca", negative_sample_rate=3, set_op_mix_ratio=0.5, local_connectivity=2, repulsion_strength=1.5, learning_rate=0.5, random_state=4, n_jobs=1),
                "umap",
                {"neighbors": 11, "dim": 3, "min_dist": 0.3, "spread": 2, "epochs": 50, "init": "pca", "negatives": 3, "mix": 0.5, "connectivity": 2, "repulsion": 1.5, "rate": 0.5, "seed": 4},
            ),
            (orthant.UMAP(n_epochs="auto", init=None, dens_lambda=3), "umap", {}),
            (orthant.UMAP(densmap=True), "umap", {"density": 2}),
            (orthant.UMAP(densmap=True, dens_lambda=0.5), "umap", {"density": 0.5}),
            (
                orthant.TSNE(1, perplexity=12, early_exaggeration=8, early_exaggeration_iter=40, exaggeration=1.5, learning_rate=300, max_iter=90, init="random", theta=0.7, random_state=4, n_jobs=1),
                "tsne",
                {"dim": 1, "perplexity": 12, "early_exaggeration": 8, "early_iterations": 40, "exaggeration": 1.5, "rate": 300, "iterations": 90, "init": "random", "theta": 0.7, "seed": 4},
            ),
            (orthant.TSNE(n_iter=50, early_exaggeration_iter=40, angle=0.7, initialization="random", exaggeration=None), "tsne", {"iterations": 90, "early_iterations": 40, "theta": 0.7, "init": "random"}),
            (orthant.PaCMAP(), "pacmap", {}),
            (orthant.PaCMAP(local=True), "pacmap", {"local": True}),
            (orthant.PaCMAP(3, 7, MN_ratio=1, FP_ratio=3, lr=0.5, num_iters=100, random_state=4), "pacmap", {"dim": 3, "neighbors": 7, "mid_near": 1, "further": 3, "rate": 0.5, "iterations": 100, "seed": 4}),
        ):
            with self.subTest(repr(e)):
                want = orthant.embed(x, method, **parameters)
                np.testing.assert_array_equal(e.fit_transform(x), want.embedding)
                np.testing.assert_array_equal(clone(e).fit(x).embedding_, want.embedding)

    def test_other_names(self):
        """What is given under them is the parameter's: get_params, clone and searches know one name for each."""
        e = orthant.TSNE(n_iter=500, angle=0.3, early_exaggeration_iter=100)
        self.assertEqual((e.max_iter, e.theta), (600, 0.3))
        self.assertFalse({"n_iter", "angle", "initialization"} & set(e.get_params()))
        self.assertEqual((e.set_params(n_iter=80, early_exaggeration_iter=20).max_iter, e.set_params(angle=0.5).theta), (100, 0.5))
        self.assertEqual(clone(e).get_params(), e.get_params())
        for name in ("n_iter", "angle", "initialization", "openTSNE", "800"):
            self.assertIn(name, orthant.TSNE.__doc__)
        for call in (lambda: orthant.TSNE(steps=5), lambda: orthant.UMAP(angle=0.5), lambda: orthant.UMAP(epochs=50)):
            with self.assertRaisesRegex(TypeError, "unexpected keyword argument"):
                call()
        with self.assertRaises(ValueError):
            e.set_params(steps=5)

    def test_two_thousand_samples(self):
        x, y = groups(2500, 10)
        for kind in MAPS:
            with self.subTest(kind.__name__):
                e = kind().fit(x[:2000])
                self.assertEqual((e.embedding_.shape, e.n_features_in_), ((2000, 2), 10))
                self.assertGreater(purity(e.embedding_, y[:2000]), 0.97)
                new = e.transform(x[2000:])
                self.assertGreater(KNeighborsClassifier(5).fit(e.embedding_, y[:2000]).score(new, y[2000:]), 0.95)

    def test_new_samples(self):
        x, _ = groups(280)
        for kind in MAPS:
            with self.subTest(kind.__name__):
                with self.assertRaises(NotFittedError):
                    kind().transform(x)
                e = quick(kind).fit(x[:240])
                np.testing.assert_array_equal(e.transform(x[:240]), e.embedding_)
                y = e.transform(x[240:])
                np.testing.assert_array_equal(e.transform(x[250:251]), y[10:11])
                again = pickle.loads(pickle.dumps(e))
                np.testing.assert_array_equal(again.transform(x[240:]), y)
                np.testing.assert_array_equal(again.embedding_, e.embedding_)
                with self.assertRaisesRegex(ValueError, "6 features"):
                    e.transform(x[:, :5])

    def test_types_and_names(self):
        x, _ = groups()
        for kind in MAPS:
            with self.subTest(kind.__name__):
                e = quick(kind).fit(x.astype(np.float32))
                self.assertEqual((e.embedding_.dtype, e.transform(x[:3].astype(np.float32)).dtype), (np.float32, np.float32))
                name = kind.__name__.lower()
                self.assertEqual(list(e.get_feature_names_out()), [name + "0", name + "1"])
                rows = sp.csr_matrix(np.where(np.abs(x) > 1, x, 0))
                np.testing.assert_allclose(quick(kind, init="random").fit_transform(rows).shape, (240, 2))

    def test_starts(self):
        x, _ = groups()
        start = np.random.default_rng(3).normal(size=(240, 2))
        for kind in MAPS:
            with self.subTest(kind.__name__):
                e = quick(kind, init=start)
                got = e.fit_transform(x)
                want = orthant.embed(x, kind._orthant_method, start=start, **{kind._orthant_keys[name]: e.get_params()[name] for name in quick(kind)._orthant_keys if quick(kind)._differs(name)})
                np.testing.assert_array_equal(got, want.embedding)
                np.testing.assert_array_equal(clone(e).fit(x).embedding_, got)
                np.testing.assert_array_equal(quick(kind, init=start.tolist()).fit_transform(x), got)
                self.assertGreater(np.abs(got - quick(kind).fit_transform(x)).max(), 1e-3)
                for wrong, phrase in ((start[:, :1], "start is 240 × 1"), (start[1:], "start is 239 × 2"), (start * np.nan, "start has no sample with coordinates"), (np.where(np.arange(2) < 1, np.nan, start), "start has coordinates that are NaN"), (start[0], "init has 1 dimensions"), ([["a"]], "init has entries"), ("best", 'init is "?best'), (3, "init has 0 dimensions")):
                    with self.assertRaisesRegex(ValueError, phrase):
                        quick(kind, init=wrong).fit(x)

    def test_classes(self):
        x, y = groups()
        some = np.where(np.arange(240) % 3 == 0, y, -1)
        plain = quick(orthant.UMAP).fit(x)
        self.assertFalse(hasattr(plain, "classes_"))
        for labels, codes, classes in (
            (y, y, [0, 1, 2, 3]), (some, some, [0, 1, 2, 3]), (some * 1.0, some, [0, 1, 2, 3]), (np.array(["a", "b", "c", "d"])[y], y, ["a", "b", "c", "d"]),
            (np.where(some < 0, -1, np.array(["a", "b", "c", "d"], object)[some]), some, ["a", "b", "c", "d"]), (list(np.where(some < 0, -1, 10 - 2 * some)), np.where(some < 0, -1, 3 - some), [4, 6, 8, 10]),
        ):
            e = quick(orthant.UMAP).fit(x, labels)
            want = orthant.embed(x, "umap", epochs=60, labels=codes, target_weight=0.5)
            np.testing.assert_array_equal(e.embedding_, want.embedding)
            self.assertEqual(list(e.classes_), classes)
            self.assertGreater(np.abs(e.embedding_ - plain.embedding_).max(), 0.1)
        np.testing.assert_array_equal(quick(orthant.UMAP, target_weight=0.8).fit_transform(x, y), orthant.embed(x, "umap", epochs=60, labels=y, target_weight=0.8).embedding)
        for e, labels in ((quick(orthant.UMAP), np.full(240, -1)), (quick(orthant.UMAP, target_weight=0), y), (quick(orthant.UMAP, target_weight=0), x[:, 0]), (quick(orthant.UMAP, target_weight=0.9), None)):
            np.testing.assert_array_equal(e.fit_transform(x, labels), plain.embedding_)
        self.assertFalse(hasattr(e.fit(x, y).fit(x), "classes_"))
        overlap = x + np.random.default_rng(5).normal(size=x.shape) * 4
        self.assertGreater(purity(orthant.UMAP().fit_transform(overlap, y), y), 0.97)
        self.assertLess(purity(orthant.UMAP().fit_transform(overlap), y), 0.9)
        for wrong, phrase in ((x[:, 0], "Unknown label type: continuous.*target_weight=0"), (y[:9], "inconsistent"), (np.column_stack([y, y]), "1d"), (np.ma.masked_equal(y, 1), "y has masked entries")):
            with self.assertRaisesRegex(ValueError, phrase):
                quick(orthant.UMAP).fit(x, wrong)
        for kind in (orthant.TSNE, orthant.PaCMAP):
            np.testing.assert_array_equal(quick(kind).fit_transform(x, y), quick(kind).fit_transform(x))

    def test_pipelines(self):
        x, y = groups()
        for kind in MAPS:
            with self.subTest(kind.__name__):
                p = make_pipeline(StandardScaler(), quick(kind), KNeighborsClassifier(5)).fit(x[:180], y[:180])
                self.assertGreater(p.score(x[180:], y[180:]), 0.8)
        name = "umap__n_neighbors"
        search = GridSearchCV(make_pipeline(quick(orthant.UMAP), KNeighborsClassifier(5)), {name: [5, 15]}, cv=3, error_score="raise").fit(x, y)
        self.assertIn(search.best_params_[name], (5, 15))
        search = GridSearchCV(make_pipeline(quick(orthant.TSNE), KNeighborsClassifier(5)), {"tsne__angle": [0.3, 0.6]}, cv=3, error_score="raise").fit(x, y)
        self.assertIn(search.best_params_["tsne__angle"], (0.3, 0.6))

    def test_graphs_in_place_of_samples(self):
        """n_neighbors counts the sample itself in umap-learn, and does not in KNeighborsTransformer."""
        x, y = groups()
        for k in (14, 20):  # all that are stored
            g = KNeighborsTransformer(n_neighbors=k, mode="distance").fit_transform(x)
            np.testing.assert_array_equal(quick(orthant.UMAP, metric="precomputed").fit(g).embedding_, quick(orthant.UMAP, n_neighbors=k + 1).fit(x).embedding_)
        np.testing.assert_array_equal(quick(orthant.UMAP, metric="precomputed", n_neighbors=10).fit(g).embedding_, quick(orthant.UMAP, n_neighbors=10).fit(x).embedding_)
        np.testing.assert_array_equal(quick(orthant.UMAP, n_neighbors=10).fit(x, graph=g).embedding_, quick(orthant.UMAP, n_neighbors=10).fit(x).embedding_)
        np.testing.assert_array_equal(quick(orthant.UMAP, metric="precomputed", n_neighbors=21).fit(g, y).embedding_, quick(orthant.UMAP, n_neighbors=21).fit(x, y).embedding_)
        for k, phrase in ((22, "n_neighbors is 22, which counts the sample itself, and row 0 .* stores 20 neighbours"), (1, "n_neighbors is 1; give a whole number ≥ 2")):
            with self.assertRaisesRegex(ValueError, phrase):
                quick(orthant.UMAP, metric="precomputed", n_neighbors=k).fit(g)
        self.assertEqual(quick(orthant.TSNE, metric="precomputed", perplexity=6).fit(g).embedding_.shape, (240, 2))
        with self.assertRaisesRegex(ValueError, "no rule for new samples"):
            quick(orthant.TSNE, metric="precomputed", perplexity=6).fit(g).transform(g)

    def test_pairs_of_structures(self):
        """PaCMAP measures all pairs by a metric or by distances, and chooses n_neighbors of the lists of a graph."""
        x, _ = groups()
        far = np.abs(x[:, None] - x).sum(axis=2)
        start = x[:, :2] / 50
        got = quick(orthant.PaCMAP, metric="precomputed", init=start).fit(far).embedding_
        np.testing.assert_array_equal(quick(orthant.PaCMAP, metric="precomputed", init=start, n_jobs=3).fit(far).embedding_, got)
        np.testing.assert_array_equal(quick(orthant.PaCMAP, init=start).fit(x, distances=far).embedding_, got)
        self.assertGreater(np.abs(quick(orthant.PaCMAP, init=start).fit(x).embedding_ - got).max(), 0.1)
        for few in ({}, {"n_neighbors": 6}):
            lists = orthant.neighbors(x, few.get("n_neighbors", 10) + 50)
            np.testing.assert_array_equal(quick(orthant.PaCMAP, **few).fit(x, graph=lists).embedding_, quick(orthant.PaCMAP, **few).fit(x).embedding_)
        with self.assertRaisesRegex(ValueError, "X is a sparse matrix, whose unstored distances are not known; give all distances as an array"):
            orthant.PaCMAP(metric="precomputed").fit(KNeighborsTransformer(n_neighbors=20).fit_transform(x))
        with self.assertRaisesRegex(ValueError, "mid_near needs the samples in addition to their graph; give both, or all distances, or take mid_near=0"):
            orthant.embed(None, "pacmap", graph=lists)

    def test_wrong_parameters(self):
        x, y = groups(60)
        for e, phrase in (
            (orthant.UMAP(n_neighbors=1), "n_neighbors is 1; give a whole number from 2 to 60, since it counts the sample itself"), (orthant.UMAP(n_neighbors=61), "n_neighbors is 61 of 60 samples"),
            (orthant.UMAP(n_neighbors=2.5), "n_neighbors is 2.5"), (orthant.UMAP(n_epochs=0), "n_epochs is 0"), (orthant.UMAP(negative_sample_rate=-1), "negative_sample_rate is -1"),
            (orthant.UMAP(set_op_mix_ratio=2), "set_op_mix_ratio is 2"), (orthant.UMAP(local_connectivity=0), "local_connectivity is 0"), (orthant.UMAP(repulsion_strength=-1), "repulsion_strength is -1"),
            (orthant.UMAP(densmap=2), "densmap is 2; give True or False"), (orthant.UMAP(densmap=True, dens_lambda=-1), "dens_lambda is -1"),
            (orthant.UMAP(learning_rate=0), "learning_rate is 0"), (orthant.UMAP(target_weight=2), "target_weight is 2"), (orthant.UMAP(min_dist=5), "min_dist is 5"), (orthant.UMAP(metric="sine"), "there is no metric .sine. .did you mean .cosine"),
            (orthant.TSNE(perplexity=40), "perplexity is 40 for 60 samples"), (orthant.TSNE(n_components=4), "n_components is 4; give 1, 2 or 3|dim is 4; give 1, 2 or 3"), (orthant.TSNE(n_iter="many"), "max_iter is"), (orthant.TSNE(early_exaggeration_iter=-1), "early_exaggeration_iter is -1"),
            (orthant.TSNE(learning_rate="fast"), "learning_rate is"), (orthant.TSNE(angle=-1), "theta is -1"), (orthant.TSNE(random_state=-1), 'random_state is "?-1'), (orthant.TSNE(n_jobs=0), "n_jobs"),
            (orthant.PaCMAP(MN_ratio=-1), "MN_ratio is -1"), (orthant.PaCMAP(FP_ratio="x"), "FP_ratio is"), (orthant.PaCMAP(lr=0), "lr is 0"), (orthant.PaCMAP(num_iters=2.5), 'num_iters is "?2.5'), (orthant.PaCMAP(n_neighbors=60), "60 neighbours requested of 60"),
        ):
            with self.subTest(repr(e)), self.assertRaisesRegex(ValueError, phrase):
                e.fit(x, y)

    def test_divergence(self):
        x, _ = groups()
        start = quick(orthant.TSNE, max_iter=1).fit(x)
        e = orthant.TSNE().fit(x)
        self.assertEqual((start.n_iter_, e.n_iter_), (1, 750))
        self.assertLess(e.kl_divergence_, start.kl_divergence_)
        self.assertAlmostEqual(e.kl_divergence_, orthant.evaluate("kl-divergence", x=x, embedding=e.embedding_, perplexity=30).report["value"], delta=0.05)
        for kind in (orthant.UMAP, orthant.PaCMAP):
            self.assertFalse(hasattr(quick(kind).fit(x), "kl_divergence_"))

    def test_few_samples(self):
        x, _ = groups(9)
        for kind in MAPS:
            self.assertEqual(kind().fit(x).embedding_.shape, (9, 2))

    def test_seeds_and_threads(self):
        x, _ = groups()
        for kind in MAPS:
            with self.subTest(kind.__name__):
                first = quick(kind).fit_transform(x)
                np.testing.assert_array_equal(quick(kind, n_jobs=1, random_state=1).fit_transform(x), first)
                self.assertGreater(np.abs(quick(kind, random_state=2, init="random").fit_transform(x) - quick(kind, init="random").fit_transform(x)).max(), 1e-3)

    def test_functions(self):
        x, y = groups()
        r = orthant.embed(x, "umap", neighbors=14, min_dist=0.1, model=True)
        np.testing.assert_array_equal(r.embedding, orthant.UMAP(n_neighbors=15, min_dist=0.1).fit_transform(x))
        np.testing.assert_array_equal(r.model().transform(x), r.embedding)
        with self.assertRaisesRegex(ValueError, 'no parameter "n_neighbors" \\(did you mean "neighbors"'):
            orthant.embed(x, "umap", n_neighbors=15)


if __name__ == "__main__":
    unittest.main()
