"""The machinery of orthant.accel: patching, where a call runs, how that is reported, and pickles."""

import contextlib
import copy
import io
import os
import pickle
import pkgutil
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import numpy as np

try:
    import sklearn  # noqa: F401
except ImportError:
    raise unittest.SkipTest("scikit-learn is not there") from None

import sklearn.manifold

import orthant.accel
from orthant.accel import _dispatch, _settings


def samples(n=80, m=3, seed=1):
    return np.random.default_rng(seed).uniform(size=(n, m))


def environment(**given):
    cleared = {name: "" for name in ("ORTHANT_ACCEL", "ORTHANT_ACCEL_LOG") if name not in given}
    return mock.patch.dict(os.environ, {**cleared, **given})


def program(test, *arguments, **given):
    """Runs Python, and returns its standard output and error."""
    path = os.path.dirname(os.path.dirname(os.path.abspath(orthant.__file__)))
    found = subprocess.run([sys.executable, "-W", "ignore", *arguments], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path, "ORTHANT_ACCEL": "", "ORTHANT_ACCEL_LOG": "", **given})
    test.assertEqual(found.returncode, 0, found.stderr)
    return found.stdout, found.stderr


CLASSES = {**orthant.accel.CLASSES, **{name: of for name, of in orthant.accel.NEWER.items() if hasattr(orthant.accel, name)}}


class Patching(unittest.TestCase):
    def setUp(self):
        self.addCleanup(orthant.accel.unpatch)

    def test_patch_and_unpatch(self):
        own = sklearn.manifold.LocallyLinearEmbedding
        orthant.accel.patch()
        self.assertIs(sklearn.manifold.LocallyLinearEmbedding, orthant.accel.LocallyLinearEmbedding)
        self.assertTrue(issubclass(orthant.accel.LocallyLinearEmbedding, own))
        orthant.accel.patch()  # twice does no harm
        self.assertEqual(orthant.accel.patched(), sorted([*CLASSES, *orthant.accel.FUNCTIONS]))
        orthant.accel.unpatch()
        self.assertIs(sklearn.manifold.LocallyLinearEmbedding, own)
        self.assertEqual(orthant.accel.patched(), [])

    def test_one_name(self):
        orthant.accel.patch("LocallyLinearEmbedding")
        self.assertEqual(orthant.accel.patched(), ["LocallyLinearEmbedding"])
        with self.assertRaisesRegex(ValueError, "'Bubble' is not accelerated; there are: LocallyLinearEmbedding"):
            orthant.accel.patch("Bubble")

    def test_every_class_keeps_its_parameters_and_names(self):
        for name, (module, _) in CLASSES.items():
            ours, own = getattr(orthant.accel, name), getattr(sys.modules[module], name)
            self.assertEqual(ours().get_params(), own().get_params())
            self.assertEqual((ours.__name__, ours.__module__), (name, module))
            self.assertEqual(repr(ours()), repr(own()))


class Programs(unittest.TestCase):
    SCRIPT = "import sys, sklearn.manifold as m\nprint(sys.argv[1:], m.LocallyLinearEmbedding.__mro__[1].__name__)\n"

    def test_script_with_arguments(self):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "program.py")
            with open(path, "w") as f:
                f.write(self.SCRIPT)
            self.assertEqual(program(self, "-m", "orthant.accel", path, "a", "-b")[0], "['a', '-b'] Accelerated\n")

    def test_module_with_arguments(self):
        with tempfile.TemporaryDirectory() as directory:
            with open(os.path.join(directory, "a_module.py"), "w") as f:
                f.write(self.SCRIPT)
            with contextlib.chdir(directory) if hasattr(contextlib, "chdir") else mock.patch("os.getcwd", return_value=directory):
                self.assertEqual(program(self, "-m", "orthant.accel", "-m", "a_module", "x")[0], "['x'] Accelerated\n")

    def test_environment(self):
        line = "import orthant, orthant.accel; print(orthant.accel.patched() != [])"
        self.assertEqual(program(self, "-c", line, ORTHANT_ACCEL="1")[0], "True\n")
        self.assertEqual(program(self, "-c", line, ORTHANT_ACCEL="strict")[0], "True\n")
        self.assertEqual(program(self, "-c", line, ORTHANT_ACCEL="off")[0], "False\n")
        self.assertEqual(program(self, "-c", line)[0], "False\n")

    def test_log_on_the_standard_error(self):
        line = """if True:
            import numpy, orthant.accel
            x = numpy.random.default_rng(1).uniform(size=(80, 3))
            orthant.accel.LocallyLinearEmbedding(n_neighbors=8).fit(x)
            orthant.accel.LocallyLinearEmbedding(n_neighbors=2, reg=0).fit(x)"""
        told = program(self, "-c", line, ORTHANT_ACCEL_LOG="info")[1]
        self.assertIn("orthant.accel: LocallyLinearEmbedding.fit: the engine", told)
        self.assertIn("orthant.accel: LocallyLinearEmbedding.fit: scikit-learn's own code (reg is 0, and the engine regularises always)", told)
        self.assertEqual(program(self, "-c", line)[1], "")


class Dispatch(unittest.TestCase):
    def run_one(self, engine, reason=None):
        return _dispatch.dispatch(orthant.accel.LocallyLinearEmbedding(), "fit", engine, lambda: "own", reason)

    def refuse(self):
        raise _dispatch.Refused("no such thing")

    def test_where_it_runs(self):
        with environment():
            self.assertEqual(self.run_one(lambda: "engine"), "engine")
            self.assertEqual(self.run_one(lambda: "engine", "an exotic metric"), "own")
            self.assertEqual(self.run_one(self.refuse), "own")
        with environment(ORTHANT_ACCEL="off"):
            self.assertEqual(self.run_one(lambda: "engine"), "own")

    def test_strict_runs_nothing_of_scikit_learn(self):
        with environment(ORTHANT_ACCEL="strict"):
            self.assertEqual(self.run_one(lambda: "engine"), "engine")
            with self.assertRaisesRegex(orthant.accel.StrictError, "LocallyLinearEmbedding.fit would run scikit-learn's own code .an exotic metric."):
                self.run_one(lambda: "engine", "an exotic metric")
            with self.assertRaisesRegex(orthant.accel.StrictError, "no such thing"):
                self.run_one(self.refuse)

    def test_an_error_of_ours_is_told_and_errors_about_input_are_raised(self):
        def forked(*_):
            raise RuntimeError("the process forked")

        with environment(), self.assertLogs(_settings.logger, "INFO") as told:
            self.assertEqual(self.run_one(lambda: _dispatch.ask(forked)), "own")
        self.assertIn("the engine says: the process forked", told.output[0])
        with environment(), self.assertRaisesRegex(ValueError, r"Expected n_neighbors (<= n_samples,  |< n_samples, )but n_samples = 5, n_neighbors = 8"):
            orthant.accel.LocallyLinearEmbedding(n_neighbors=8).fit(samples(5))

    def test_bad_environment(self):
        with environment(ORTHANT_ACCEL="fast"), self.assertRaisesRegex(ValueError, "ORTHANT_ACCEL is 'fast'; give 1, strict or off"):
            self.run_one(lambda: "engine")
        with environment(ORTHANT_ACCEL_LOG="loud"), self.assertRaisesRegex(ValueError, "ORTHANT_ACCEL_LOG is 'loud'; give info or off"):
            self.run_one(lambda: "engine")

    def test_remarks_of_the_engine_are_logged_and_no_warnings(self):
        import warnings

        with environment(), warnings.catch_warnings(), self.assertLogs(_settings.logger, "INFO") as told:
            warnings.simplefilter("error")
            # Two clusters: the engine warns of the joint problem, and scikit-learn does not.
            orthant.accel.LocallyLinearEmbedding(n_neighbors=8).fit(np.vstack([samples(), samples() + 10]))
        self.assertIn("it remarks: the neighbour graph has 2 components", told.output[0])

    def test_threads(self):
        import joblib

        self.assertIsNone(_dispatch.threads(None))
        self.assertEqual(_dispatch.threads(-1), orthant.get_num_threads())
        self.assertEqual(_dispatch.threads(3), 3)
        self.assertEqual(_dispatch.threads(-2), max(1, orthant.get_num_threads() - 1))
        within = joblib.Parallel(n_jobs=2, backend="threading")(joblib.delayed(_dispatch.threads)(None) for _ in range(2))
        self.assertEqual(within, [1, 1])


class Strict(unittest.TestCase):
    """With ORTHANT_ACCEL=strict no numerical code of scikit-learn runs: its solvers and searches are trapped."""

    TRAPPED = (
        "sklearn.manifold._locally_linear.locally_linear_embedding",
        "sklearn.manifold._locally_linear.null_space",
        "sklearn.manifold._locally_linear.barycenter_weights",
        "sklearn.manifold._locally_linear.NearestNeighbors",
        "sklearn.manifold._isomap.NearestNeighbors",
        "sklearn.manifold._isomap.KernelPCA",
        "sklearn.manifold._isomap.kneighbors_graph",
        "sklearn.manifold._isomap.radius_neighbors_graph",
        "sklearn.manifold._isomap.shortest_path",
        "sklearn.manifold._isomap._fix_connected_components",
        "sklearn.manifold._spectral_embedding.spectral_embedding",
        "sklearn.manifold._spectral_embedding.kneighbors_graph",
        "sklearn.manifold._spectral_embedding.rbf_kernel",
        "sklearn.manifold._spectral_embedding.eigsh",
        "sklearn.manifold._spectral_embedding.lobpcg",
        "sklearn.neighbors.NearestNeighbors.fit",
        "sklearn.neighbors.NearestNeighbors.kneighbors",
        "sklearn.decomposition._pca.linalg.svd",
        "sklearn.decomposition._pca.randomized_svd",
        "sklearn.decomposition._pca.svds",
        "sklearn.decomposition._pca._infer_dimension",
        "sklearn.decomposition._pca.PCA._fit_full",
        "sklearn.decomposition._pca.PCA._fit_truncated",
        "sklearn.cluster._kmeans._kmeans_plusplus",
        "sklearn.cluster._kmeans._kmeans_single_lloyd",
        "sklearn.cluster._kmeans._kmeans_single_elkan",
        "sklearn.cluster._kmeans._labels_inertia",
        "sklearn.cluster._kmeans.euclidean_distances",
        "sklearn.cluster._kmeans.row_norms",
        "sklearn.cluster._spectral.spectral_embedding",
        "sklearn.cluster._spectral.pairwise_kernels",
        "sklearn.cluster._spectral.kneighbors_graph",
        "sklearn.cluster._spectral.k_means",
        "sklearn.cluster._spectral.discretize",
        "sklearn.cluster._spectral.cluster_qr",
        "sklearn.decomposition._truncated_svd.svds",
        "sklearn.decomposition._truncated_svd.randomized_svd",
        "sklearn.decomposition._truncated_svd.safe_sparse_dot",
        "sklearn.neighbors._base.ArgKmin.compute",
        "sklearn.neighbors._base.KDTree",
        "sklearn.decomposition._nmf._initialize_nmf",
        "sklearn.decomposition._nmf.randomized_svd",
        "sklearn.decomposition._nmf._fit_coordinate_descent",
        "sklearn.decomposition._nmf._fit_multiplicative_update",
        "sklearn.decomposition._nmf._beta_divergence",
    )

    def test_solvers_of_scikit_learn_are_trapped(self):
        import sklearn.decomposition

        x = samples(90, 4)
        apart = np.vstack([x, x + 5])
        tried = [
            *((accel_class("LocallyLinearEmbedding", n_neighbors=12, method=method), x) for method in ("standard", "modified", "hessian", "ltsa")),
            *((accel_class("PCA", n_components=count, svd_solver=solver), x) for count, solver in ((2, "full"), (2, "randomized"), (2, "arpack"), ("mle", "auto"), (0.5, "auto"), (None, "auto"))),
            *((accel_class("Isomap", **given), apart) for given in ({"n_neighbors": 6}, {"n_neighbors": None, "radius": 1.0})),
            *((accel_class("KMeans", n_clusters=4, n_init=2, init=init, algorithm=algorithm), x) for init, algorithm in (("k-means++", "lloyd"), ("random", "elkan"))),
            *((accel_class("SpectralClustering", n_clusters=3, affinity=affinity, assign_labels=assign), x) for affinity, assign in (("rbf", "kmeans"), ("nearest_neighbors", "discretize"), ("cosine", "cluster_qr"))),
            *((accel_class("TruncatedSVD", algorithm=algorithm), x) for algorithm in ("arpack", "randomized")),
            (accel_class("KNeighborsTransformer"), x),
            (accel_class("RadiusNeighborsTransformer"), x),
            *((accel_class("NMF", n_components=2, **given), x) for given in ({}, {"init": "random"}, {"solver": "mu"}, {"solver": "mu", "beta_loss": 1, "init": "nndsvdar"})),
            *((accel_class("SpectralEmbedding", affinity=affinity), x) for affinity in ("nearest_neighbors", "rbf")),
        ]
        with contextlib.ExitStack() as traps, environment(ORTHANT_ACCEL="strict"):
            for name in self.TRAPPED:
                module, _, function = name.rpartition(".")
                if not hasattr(pkgutil.resolve_name(module), function):
                    name = f"{module}._{function}"  # as scikit-learn 1.9 has some
                traps.enter_context(mock.patch(name, side_effect=AssertionError(f"{name} ran")))
            with self.assertRaisesRegex(AssertionError, "ran"):  # the traps do catch
                sklearn.decomposition.PCA().fit(x)
            for estimator, given in tried:
                with self.subTest(repr(estimator)):
                    estimator.fit_transform(given) if hasattr(estimator, "fit_transform") else estimator.fit_predict(given)
                    if hasattr(estimator, "predict"):
                        estimator.predict(given[:5])
                        estimator.score(given[:5])
                    if hasattr(estimator, "transform"):
                        estimator.transform(given[:5] + 0.01)


def accel_class(name, **parameters):
    return getattr(orthant.accel, name)(**parameters)


class Derived(orthant.accel.PCA):
    pass


class Processes(unittest.TestCase):
    @unittest.skipIf(os.environ.get("ORTHANT_WORKER") == "1", "a worker works in forks (test_worker.py)")
    def test_a_forked_child_runs_scikit_learns_own_code(self):
        line = """if True:
            import os, sys, numpy, orthant.accel
            x = numpy.random.default_rng(1).uniform(size=(80, 3))
            orthant.accel.PCA(2).fit(x)
            child = os.fork()
            if child == 0:
                ok = orthant.accel.PCA(2).fit_transform(x).shape == (80, 2)
                sys.stderr.flush()
                os._exit(0 if ok else 1)
            sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))"""
        told = program(self, "-c", line, ORTHANT_ACCEL_LOG="info")[1]
        self.assertIn("PCA.fit_transform: scikit-learn's own code (the engine says:", told)

    def test_workers_of_joblib(self):
        import joblib

        x = samples()
        want = orthant.accel.PCA(2).fit_transform(x)
        for backend in ("loky", "threading"):
            for got in joblib.Parallel(n_jobs=2, backend=backend)(joblib.delayed(orthant.accel.PCA(2).fit_transform)(x) for _ in range(2)):
                np.testing.assert_allclose(got, want, atol=1e-9)


class Pickles(unittest.TestCase):
    def test_loads_as_scikit_learns_class_without_orthant(self):
        x = samples()
        fitted = orthant.accel.LocallyLinearEmbedding(n_neighbors=8).fit(x)
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "fitted.pickle")
            with open(path, "wb") as f:
                pickle.dump((fitted, x), f)
            out, _ = program(self, "-I", "-c", f"import pickle, sys; e, x = pickle.load(open({path!r}, 'rb')); print(type(e).__mro__[0].__module__, 'orthant' in sys.modules, e.transform(x + 0.01)[:3].tolist())")
        module, loaded, rows = out.split(" ", 2)
        self.assertEqual((module, loaded), ("sklearn.manifold._locally_linear", "False"))
        np.testing.assert_allclose(np.array(eval(rows)), fitted.transform(x + 0.01)[:3], atol=1e-9)

    def test_a_class_derived_from_an_accelerated_one_keeps_its_name(self):
        self.assertEqual((Derived.__name__, Derived.__module__), ("Derived", __name__))
        fitted = Derived(n_components=2).fit(samples())
        again = pickle.loads(pickle.dumps(fitted))
        self.assertIs(type(again), Derived)
        np.testing.assert_array_equal(again.components_, fitted.components_)

    def test_stays_accelerated_where_orthant_is(self):
        x = samples()
        for name in CLASSES:
            cls = getattr(orthant.accel, name)
            for again in (pickle.loads(pickle.dumps(cls)), type(pickle.loads(pickle.dumps(cls()))), type(copy.copy(cls())), type(copy.deepcopy(cls()))):
                self.assertIs(again, cls)
        fitted = orthant.accel.LocallyLinearEmbedding(n_neighbors=8).fit(x)
        again = pickle.loads(pickle.dumps(fitted))
        self.assertIs(type(again), orthant.accel.LocallyLinearEmbedding)
        np.testing.assert_array_equal(again.transform(x + 0.01), fitted.transform(x + 0.01))


class Quiet(unittest.TestCase):
    def test_warnings_of_the_functions_still_come(self):
        with self.assertWarnsRegex(UserWarning, "2 components"), contextlib.redirect_stderr(io.StringIO()):
            orthant.embed(np.vstack([samples(), samples() + 10]), "lle", neighbors=8, components="joint")


if __name__ == "__main__":
    unittest.main()
