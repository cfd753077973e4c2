"""The scikit-learn estimators."""

import os
import pickle
import sys
import unittest
import warnings
from unittest import mock

import numpy as np

try:
    import sklearn
except ImportError:
    raise unittest.SkipTest("scikit-learn is not installed")

from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_checks

import orthant
from orthant import _base, _expected_failures

ALL = [getattr(orthant, name) for name in orthant.estimators.__all__]
PYTHON = os.path.dirname(os.path.dirname(os.path.abspath(orthant.__file__)))
SKLEARN = tuple(int(part) for part in sklearn.__version__.split(".")[:2])


def roll(n=300, seed=1):
    draw = np.random.default_rng(seed)
    t, h = draw.uniform(4.7, 14.1, n), draw.uniform(0, 21, n)
    return np.column_stack([t * np.cos(t), h, t * np.sin(t)]), t


def clouds(n, seed=3):
    """Two clouds in different directions from the origin, n samples each."""
    draw = np.random.default_rng(seed)
    return np.concatenate([draw.normal([6, 6, 0, 0], 0.4, (n, 4)), draw.normal([0, 0, 6, 6], 0.4, (n, 4))])


class Auto(unittest.TestCase):
    def test_numbers_that_are_found(self):
        x, _ = roll(600)
        solid = np.random.default_rng(2).normal(size=(600, 3)) @ np.random.default_rng(3).normal(size=(3, 6))
        for kind in (orthant.LTSA, orthant.Isomap, orthant.LaplacianEigenmaps):
            with self.subTest(kind.__name__):
                found = kind(n_components="auto", n_neighbors="auto").fit(x)
                self.assertEqual(found.embedding_.shape, (600, 2))
                self.assertEqual(found.transform(x[:4]).shape, (4, 2))
                self.assertEqual(len(found.get_feature_names_out()), 2)
        self.assertEqual(orthant.PCA(n_components="auto").fit_transform(solid).shape, (600, 3))
        self.assertIn('"auto"', orthant.LTSA.__doc__)


class Checks(unittest.TestCase):
    def test_check_estimator(self):
        for kind in ALL:
            with self.subTest(kind.__name__), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                if SKLEARN >= (1, 6):
                    estimator_checks.check_estimator(kind(), expected_failed_checks=_expected_failures.expected_failures(kind()))
                else:
                    estimator_checks.check_estimator(kind())

    @unittest.skipIf(SKLEARN >= (1, 6), "the checks are called otherwise from 1.6 on")
    def test_expected_failures_are_not_excuses(self):
        """Every check that is left out fails indeed, for some method of its kind at least."""
        failed, left_out = set(), set()
        for kind in ALL:
            for check, reason in _expected_failures.expected_failures(kind()).items():
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    estimator = kind()
                    if "max_iter" in estimator.get_params():
                        estimator.set_params(max_iter=5)
                    left_out.add((check, reason))
                    try:
                        getattr(estimator_checks, check)(kind.__name__, estimator)
                    except Exception:
                        failed.add((check, reason))
        self.assertEqual(left_out - failed, set())

    def test_every_task_has_a_class(self):
        made = {(kind._orthant_method, kind.__name__.endswith("Clustering") or hasattr(kind, "fit_predict")) for kind in ALL}
        for method in orthant.methods():
            for task in method["tasks"]:
                if task in ("embed", "factorize", "cluster"):
                    self.assertIn((method["name"], task == "cluster"), made)


class Behaviour(unittest.TestCase):
    def test_the_methods_are_the_librarys(self):
        x, _ = roll()
        got = orthant.NEML(n_neighbors=10, n_components=2, eta=0.5).fit(x)
        want = orthant.embed(x, "neml", neighbors=10, dim=2, eta=0.5)
        np.testing.assert_array_equal(got.embedding_, want.embedding)
        self.assertEqual(got.report_["params"]["eta"], 0.5)
        labels = orthant.SpectralClustering(n_clusters=3, n_neighbors=8).fit_predict(x)
        np.testing.assert_array_equal(labels, orthant.cluster(x, "spectral", 3, neighbors=8).labels)
        parts = orthant.GNMF(3, n_neighbors=4, lam=2.5, shift="columns").fit(x)
        want = orthant.factorize(x, "gnmf", 3, neighbors=4, lambda_=2.5, shift="columns")
        np.testing.assert_array_equal(parts.components_, want.h)
        self.assertEqual(parts.n_iter_, 200)

    def test_new_samples(self):
        x, t = roll(800)
        fit = orthant.LTSA(n_neighbors=8).fit(x[:600])
        y = fit.transform(x[600:])
        # The length along the roll is about t²/2, and an affine function of the coordinates.
        known, new = np.column_stack([fit.embedding_, np.ones(600)]), np.column_stack([y, np.ones(200)])
        affine = np.linalg.lstsq(known, t[:600] ** 2, rcond=None)[0]
        self.assertGreater(np.corrcoef(new @ affine, t[600:] ** 2)[0, 1], 0.99)
        np.testing.assert_array_equal(np.vstack([fit.transform(row[None]) for row in x[600:610]]), y[:10])

    def test_samples_of_the_fit_come_back(self):
        """Of every embedding with a rule for new samples, however approximate that is."""
        x, t = roll(800)
        for kind in ALL:
            if not issubclass(kind, _base.Mapping):
                continue
            with self.subTest(kind.__name__), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                fit = kind().fit(x, np.digitize(t, [8, 11]))
                off = np.linalg.norm(fit.transform(x) - fit.embedding_)
                self.assertLess(off / np.linalg.norm(fit.embedding_ - fit.embedding_.mean(axis=0)), 0.1)

    def test_labels_of_new_samples(self):
        """Of every clustering with a rule for them, each sample on its own."""
        x, new = clouds(60), clouds(9, seed=4)
        found = set()
        for kind in ALL:
            if not hasattr(kind, "predict"):
                continue
            found.add(kind.__name__)
            with self.subTest(kind.__name__), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                settings = {"HDBSCAN": {"min_cluster_size": 10}, "Leiden": {"resolution": 0.05}}  # they find the number
                e = kind(**settings.get(kind.__name__, {"n_clusters": 2}))
                np.testing.assert_array_equal(e.fit_predict(x), np.repeat([0, 1], 60))
                np.testing.assert_array_equal(e.predict(new), np.repeat([0, 1], 9))
                np.testing.assert_array_equal(e.predict(x), e.labels_)
                np.testing.assert_array_equal(pickle.loads(pickle.dumps(e)).predict(new[5:11]), e.predict(new)[5:11])
                with self.assertRaises(NotFittedError):
                    kind().predict(new)
                with self.assertRaisesRegex(ValueError, "3 features"):
                    e.predict(new[:, :3])
        self.assertLessEqual({"KMeans", "SpectralClustering", "LNPClustering", "SMCEClustering", "DS3", "ESCFFS"}, found)

    def test_centres(self):
        x, _ = roll()
        e = orthant.KMeans(n_clusters=4).fit(x.astype(np.float32))
        self.assertEqual((e.cluster_centers_.shape, e.cluster_centers_.dtype), ((4, 3), np.float32))
        nearest = ((x[:, None] - e.cluster_centers_) ** 2).sum(axis=2)
        np.testing.assert_array_equal(nearest.argmin(axis=1), e.labels_)
        self.assertAlmostEqual(e.inertia_ / nearest.min(axis=1).sum(), 1, places=5)
        np.testing.assert_allclose(e.transform(x), np.sqrt(nearest), rtol=1e-4)
        np.testing.assert_array_equal(e.fit_transform(x), e.transform(x))
        self.assertAlmostEqual(e.score(x) / -e.inertia_, 1, places=5)
        self.assertEqual(list(e.get_feature_names_out()), ["kmeans0", "kmeans1", "kmeans2", "kmeans3"])

    def test_what_clusterings_find(self):
        """Affinities of every clustering by a similarity graph, by which spectral clustering finds the same, and exemplars."""
        x = clouds(60)
        for kind in (orthant.SpectralClustering, orthant.LNPClustering, orthant.SMCEClustering, orthant.ESCFFS):
            with self.subTest(kind.__name__), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                e = kind(n_clusters=2).fit(x)
                w = e.affinity_matrix_
                self.assertEqual((w.shape, abs(w - w.T).max(), w.diagonal().max()), ((120, 120), 0, 0))
                np.testing.assert_array_equal(orthant.SpectralClustering(2).fit_predict(x, affinities=w), e.labels_)
        self.assertEqual(orthant.cluster(x, "smce", 2, keep_affinities=True).affinities().shape, (120, 120))
        e = orthant.DS3(n_clusters=2).fit(x)
        np.testing.assert_array_equal(e.labels_[e.exemplars_], np.arange(2))
        self.assertFalse(hasattr(orthant.KMeans(2).fit(x), "affinity_matrix_"))

    def test_condensed_tree(self):
        """Each sample and each component but the first is a child once."""
        tree = orthant.HDBSCAN(min_cluster_size=10, min_samples=4).fit(clouds(40)).condensed_tree_
        self.assertEqual(tree.dtype.names, ("parent", "child", "lambda_val", "child_size"))
        np.testing.assert_array_equal(np.sort(tree["child"])[:80], np.arange(80))
        self.assertEqual((tree["parent"].min(), len(np.unique(tree["child"]))), (80, len(tree)))
        for c in tree[tree["child_size"] > 1]:
            self.assertEqual(c["child_size"], sum(r["child_size"] for r in tree[tree["parent"] == c["child"]]))

    def test_memberships(self):
        """The clouds are clusters, in which their samples are most likely."""
        x = clouds(40)
        e = orthant.HDBSCAN(min_cluster_size=10, min_samples=4, memberships=True).fit(x)
        self.assertEqual(e.memberships_.shape, (80, 2))
        self.assertLessEqual(e.memberships_.sum(axis=1).max(), 1 + 1e-12)
        np.testing.assert_array_equal(e.memberships_.argmax(axis=1), np.repeat([0, 1], 40))

    def test_layers(self):
        """Of a clustering by density, each the leaves of its size."""
        x = np.vstack([clouds(40), clouds(40, seed=3) + 100])
        e = orthant.HDBSCAN(min_cluster_size=10, min_samples=4, layers=5).fit(x)
        self.assertEqual((e.layers_.shape, e.layers_.dtype), ((160, len(e.layer_sizes_)), np.int64))
        self.assertTrue((np.diff(e.layer_sizes_) > 0).all() and (e.layer_persistences_ > 0).all())
        for labels, size in zip(e.layers_.T, e.layer_sizes_):
            leaves = orthant.HDBSCAN(min_cluster_size=int(size), min_samples=4, cluster_selection_method="leaf")
            np.testing.assert_array_equal(leaves.fit_predict(x), labels)
        self.assertFalse(hasattr(orthant.HDBSCAN().fit(x), "layers_"))

    @unittest.skipUnless(os.path.exists(os.path.join(PYTHON, "build_estimators.py")), "an installed package makes no classes")
    def test_class_names(self):
        with mock.patch.object(sys, "path", [PYTHON, *sys.path]):
            import build_estimators
        for name, title, want in (
            ("neml", "Nonlinear embedding preserving multiple local-linearities", "NEML"), ("gs-gnmf", "Group-sparse graph NMF", "GSGNMF"),
            ("le", "Laplacian eigenmaps", "LaplacianEigenmaps"), ("sammon-mapping", "Sammon mapping", "SammonMapping"),
        ):
            self.assertEqual(build_estimators.class_name({"name": name, "title": title, "tasks": ["embed"]}, "embed"), want)

    def test_parameters(self):
        e = orthant.LPRNA(p=7, lam=3)
        self.assertEqual(e.get_params()["lam"], 3)
        with self.assertWarns(FutureWarning):
            self.assertEqual(clone(e.set_params(p=9)).n_neighbors, 9)
        with self.assertWarns(FutureWarning):
            self.assertEqual(clone(e.set_params(warm=3)).warm, 3)
        with self.assertRaises(ValueError):
            e.set_params(q=1)
        for kind in ALL:
            self.assertIn("Parameters", kind.__doc__)
            switches = {name for pair in getattr(kind, "_orthant_switches", {}).values() for name in pair}
            self.assertEqual(set(kind().get_params()), set(kind._orthant_keys) | switches | set(kind().get_params()) & {"n_components", "n_clusters", "random_state", "n_jobs", "progress", "metric", "affinity"})

    def test_wrong_parameters(self):
        x, _ = roll()
        for e, phrase in (
            (orthant.LLE(n_neighbors=0), "neighbors"), (orthant.LLE(gamma="big"), "gamma"), (orthant.LLE(n_jobs=0), "n_jobs"),
            (orthant.Isomap(n_neighbors=2, components="error"), "components"), (orthant.LLE(n_components=2.5), "n_components"), (orthant.NMF(), "Negative values"), (orthant.LLE(backend="cray"), "cray"),
        ):
            with self.assertRaises(ValueError, msg=repr(e)) as raised:
                e.fit(x)
            self.assertIn(phrase, str(raised.exception))
        with self.assertRaises(MemoryError):
            orthant.Isomap(memory_limit=1000).fit(x)
        with self.assertRaises(MemoryError):
            orthant.Isomap().fit(x).set_params(memory_limit=1000).transform(x)
        with self.assertRaises(NotFittedError):
            orthant.LLE().transform(x)
        with self.assertRaises(ValueError):
            orthant.LDA().fit(x, None)

    def test_negative_samples(self):
        """They are taken, or refused as the tags say: of iris, whose species are far apart (check_positive_only_tag_during_fit)."""
        x, y = load_iris(return_X_y=True)
        x -= x.mean()
        for kind in ALL:
            with self.subTest(kind.__name__), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                e = kind()
                if e._positive():
                    with self.assertRaisesRegex(ValueError, "Negative values in data"):
                        e.fit(x, y)
                else:
                    e.fit(x, y)

    def test_all_components(self):
        """None is what scikit-learn's class takes it for, where that takes it, else a clear error."""
        x, _ = roll()
        self.assertEqual(orthant.PCA(n_components=None).fit_transform(x).shape, (300, 3))
        np.testing.assert_array_equal(orthant.PCA(n_components=None).fit_transform(x), orthant.PCA(3).fit_transform(x))
        self.assertEqual(orthant.PCA(n_components=None).fit_transform(np.eye(5, 9)).shape, (5, 4))
        for kind in (orthant.NMF, orthant.NMFKL):
            self.assertEqual(kind(n_components=None).fit(np.abs(x)).components_.shape, (3, 3))
        given = ("n_components", "n_clusters")
        for kind in ALL:
            if getattr(kind, "_orthant_finds_clusters", False):
                continue
            name = given[hasattr(kind, "fit_predict")]
            e = kind().set_params(**{name: None})
            if e._orthant_whole or isinstance(e, _base.Embedding) and isinstance(e, _base.Supervised):
                continue
            with self.subTest(kind.__name__), self.assertRaisesRegex(ValueError, f"^{name} is None, which means nothing to {kind.__name__}; give a whole number"):
                e.fit(np.abs(x), np.arange(300) % 3)

    def test_masked_arrays(self):
        x, t = roll()
        y = np.digitize(t, [8, 11])
        some, none = np.ma.masked_array(x, mask=x > 13), np.ma.masked_array(x, mask=np.zeros(x.shape, bool))
        np.testing.assert_array_equal(orthant.PCA().fit_transform(none), orthant.PCA().fit_transform(x))
        pca, nmf = orthant.PCA().fit(x), orthant.NMF().fit(np.abs(x))
        for call, name in (
            (lambda: orthant.PCA().fit(some), "X"), (lambda: orthant.LLE().fit_transform(some), "X"), (lambda: pca.transform(some), "X"),
            (lambda: orthant.NMF().fit_transform(np.abs(some)), "X"), (lambda: nmf.transform(np.abs(some)), "X"), (lambda: nmf.inverse_transform(np.ma.masked_less(np.eye(2), 1)), "W"),
            (lambda: orthant.KMeans().fit(some), "X"), (lambda: orthant.LDA().fit(some, y), "X"), (lambda: orthant.LDA().fit(x, np.ma.masked_equal(y, 1)), "y"),
        ):
            with self.assertRaises(ValueError, msg=name) as raised:
                call()
            self.assertIn(f"{name} has masked entries", str(raised.exception))
            self.assertIn(f"{name}.filled(", str(raised.exception))

    def test_supervised(self):
        x, t = roll()
        names = np.array(["inner", "middle", "outer"])[np.digitize(t, [8, 11])]
        y = orthant.LDA().fit_transform(x, names)
        self.assertEqual(y.shape, (300, 2))
        np.testing.assert_array_equal(orthant.LDA().fit(x, names).classes_, ["inner", "middle", "outer"])

    def test_seeds_and_threads(self):
        x = np.abs(roll()[0])
        first = orthant.NMF(3, max_iter=20).fit_transform(x)
        np.testing.assert_array_equal(orthant.NMF(3, max_iter=20, n_jobs=1).fit_transform(x), first)
        np.testing.assert_array_equal(orthant.NMF(3, max_iter=20, random_state=1).fit_transform(x), first)
        self.assertGreater(np.abs(orthant.NMF(3, max_iter=20, random_state=2).fit_transform(x) - first).max(), 1e-6)
        drawn = orthant.NMF(3, max_iter=20, random_state=np.random.RandomState(5)).fit_transform(x)
        np.testing.assert_array_equal(orthant.NMF(3, max_iter=20, random_state=np.random.RandomState(5)).fit_transform(x), drawn)

    def test_types_stay(self):
        x = roll()[0].astype(np.float32)
        e = orthant.LLE().fit(x)
        self.assertEqual((e.embedding_.dtype, e.transform(x).dtype), (np.float32, np.float32))
        self.assertEqual(orthant.LLE().fit_transform(x.astype(int)).dtype, np.float64)

    def test_convergence_is_warned_about(self):
        x = np.abs(roll()[0])
        with self.assertWarns(ConvergenceWarning):
            orthant.NMF(2, tol=1e-300).fit(x)

    def test_disconnected_graphs(self):
        x = np.concatenate([roll(80)[0], roll(80)[0] + 1000])
        with self.assertWarnsRegex(UserWarning, "2 components"):
            orthant.LLE().fit(x)
        with self.assertRaisesRegex(ValueError, "2 components"):
            orthant.LLE(components="error").fit(x)
        for kind in (orthant.Isomap, orthant.LNP):
            with self.assertWarnsRegex(UserWarning, "2 components .*between nearest samples, the longest of length"):
                e = kind().fit(x)
            self.assertEqual(e.report_["params"]["components"], "bridge")
            self.assertTrue(np.isfinite(e.embedding_).all())
            np.testing.assert_allclose(e.transform(x[:3]), e.embedding_[:3], atol=1e-6 * np.abs(e.embedding_).max())
        with self.assertWarnsRegex(UserWarning, "2 components .*each is embedded on its own"):
            e = orthant.Isomap(components="each").fit(x)
        with self.assertRaisesRegex(ValueError, "no rule for new samples"):
            e.transform(x[:3])
        with self.assertRaisesRegex(ValueError, "2 components"):
            orthant.Isomap(components="error").fit(x)
        with self.assertWarns(UserWarning):
            y = orthant.LLE(components="largest").fit_transform(x)
        self.assertEqual(np.isnan(y).all(axis=1).sum(), 80)

    def test_certificates(self):
        x = np.random.default_rng(1).uniform(size=(400, 3)) * [1, 1, 0]
        sure = orthant.LTSA(certified=True).fit(x)
        self.assertEqual((sure.certificate_["below"], sure.certificate_["known"], sure.certificate_["pairs"]), (3, 3, 2))
        plain = orthant.LTSA().fit(x)
        self.assertIsNone(plain.certificate_)
        np.testing.assert_array_equal(sure.embedding_, plain.embedding_)
        self.assertNotIn("certified", orthant.PCA().get_params())

    def test_pickles(self):
        x, _ = roll()
        for e in (orthant.Isomap(), orthant.LaplacianEigenmaps(), orthant.LNP(), orthant.NMMS(), orthant.GNMF(shift="global")):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                e.fit(x)
            again = pickle.loads(pickle.dumps(e))
            np.testing.assert_array_equal(again.transform(x[:9]), e.transform(x[:9]))

    def test_pipelines_and_names(self):
        x, t = roll(800)
        p = make_pipeline(StandardScaler(), orthant.NEML(n_neighbors=8), KNeighborsClassifier(3))
        inner = (t < 9).astype(int)
        p.fit(x[:600], inner[:600])
        self.assertGreater(p.score(x[600:], inner[600:]), 0.9)
        search = GridSearchCV(p, {"neml__n_neighbors": [8, 12]}, cv=3, n_jobs=2, error_score="raise").fit(x, inner)
        self.assertIn(search.best_params_["neml__n_neighbors"], (8, 12))
        self.assertEqual(list(orthant.NEML().fit(x).get_feature_names_out()), ["neml0", "neml1"])
        w = orthant.NMF(3).fit(np.abs(x))
        self.assertEqual(list(w.get_feature_names_out()), ["nmf0", "nmf1", "nmf2"])
        np.testing.assert_allclose(w.inverse_transform(np.eye(3)), w.components_)

    def test_the_offset_is_part_of_the_inverse(self):
        x = np.random.default_rng(4).normal(size=(40, 5)) * 10 + np.arange(5)
        for parts in (orthant.RMNMF(3), orthant.NMF(3, shift="columns")):
            w = parts.fit_transform(x)
            left = np.linalg.norm(x - parts.inverse_transform(w)) / np.linalg.norm(x - parts.offset_)
            self.assertGreater(np.abs(parts.offset_).min(), 0)
            self.assertAlmostEqual(left, parts.reconstruction_err_, places=9)

    def test_set_output(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not installed")
        x, _ = roll()
        frame = pandas.DataFrame(x, columns=["a", "b", "c"], index=range(5, 305))
        e = orthant.LLE().set_output(transform="pandas")
        y = e.fit_transform(frame)
        self.assertEqual((list(y.columns), y.index[0]), (["lle0", "lle1"], 5))
        self.assertEqual(list(e.feature_names_in_), ["a", "b", "c"])
        self.assertEqual(list(e.transform(frame[:3]).columns), ["lle0", "lle1"])


if __name__ == "__main__":
    unittest.main()
