"""The things that an editor shows: types, documentation whose examples run, reprs; progress bars and pictures."""

import ast
import contextlib
import doctest
import importlib
import inspect
import io
import os
import sys
import typing
import unittest
import warnings
from unittest import mock

import numpy as np

import orthant
from orthant import _progress

try:
    import sklearn  # noqa: F401

    ESTIMATORS = [getattr(orthant, name) for name in orthant.estimators.__all__]
except ImportError:
    ESTIMATORS = []

MODULES = ("_calls", "_results", "_runs", "_solvers", "_threads", "_plot", "_evaluate", "_points", "_mapper", "anndata") + (("estimators", "_base", "_clustering", "_linear") if ESTIMATORS else ())


def samples(n=90, m=4, seed=1):
    return np.random.default_rng(seed).uniform(size=(n, m))


def public():
    """Yields (name, function) of all that the package offers, methods with the name of their class."""
    for name in orthant.__all__:
        thing = getattr(orthant, name)
        yield from methods(name, thing) if inspect.isclass(thing) else [(name, thing)]
    module = importlib.import_module("orthant.anndata")
    yield from ((f"anndata.{name}", getattr(module, name)) for name in module.__all__)
    for kind in ESTIMATORS:
        yield from methods(kind.__name__, kind)


def methods(name, kind):
    for own in dir(kind):
        function = inspect.getattr_static(kind, own)
        function = getattr(function, "fget", None) or getattr(function, "__func__", function)
        function = inspect.unwrap(function) if callable(function) else function
        if inspect.isfunction(function) and function.__module__.startswith("orthant") and (own == "__init__" or not own.startswith("_")):
            yield f"{name}.{own}", function


class Documentation(unittest.TestCase):
    def test_everything_has_types(self):
        seen = 0
        for name, function in public():
            if "ConvergenceWarning" in name or name.endswith("Error"):
                continue
            with self.subTest(name):
                hints, seen = typing.get_type_hints(function), seen + 1
                for parameter in inspect.signature(function).parameters.values():
                    if parameter.name != "self" and parameter.name != "cls":
                        self.assertIn(parameter.name, hints)
                self.assertIn("return", hints)
        self.assertGreater(seen, 40 + 3 * len(ESTIMATORS))
        self.assertTrue(os.path.exists(os.path.join(os.path.dirname(orthant.__file__), "py.typed")))

    def test_everything_has_documentation_with_an_example(self):
        for name in orthant.__all__:
            if inspect.isclass(getattr(orthant, name)) and issubclass(getattr(orthant, name), (Exception, Warning)):
                continue
            with self.subTest(name):
                self.assertIn("Examples\n", inspect.getdoc(getattr(orthant, name)))
        for name, function in public():
            with self.subTest(name):
                text = inspect.getdoc(function)
                if name.endswith("__init__"):
                    continue
                self.assertTrue(text)
                takes = [p for p in inspect.signature(function).parameters if p not in ("self", "cls")]
                if (name in orthant.__all__ or name.startswith("anndata.")) and inspect.isfunction(function) and takes:
                    self.assertIn("Parameters\n---", text)
        for kind in ESTIMATORS:
            for part in ("Parameters\n---", "Attributes\n---", "Examples\n---"):
                self.assertIn(part, inspect.getdoc(kind), kind.__name__)

    def test_the_examples_run(self):
        tried = 0
        for name in MODULES:
            with self.subTest(name), warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()) as told:
                warnings.simplefilter("ignore")
                found = doctest.testmod(importlib.import_module(f"orthant.{name}"))
                self.assertEqual(found.failed, 0, told.getvalue())
                tried += found.attempted
        self.assertGreater(tried, 70)

    def test_the_stub_has_every_name(self):
        with open(os.path.join(os.path.dirname(orthant.__file__), "__init__.pyi"), encoding="utf-8") as f:
            imports = ast.parse(f.read()).body
        names = {alias.asname: (node.module, alias.name) for node in imports for alias in node.names}
        self.assertLessEqual({*orthant.__all__, "__version__", "estimators", *(kind.__name__ for kind in ESTIMATORS)}, set(names))
        for name, (module, within) in names.items():
            if ESTIMATORS or "estimators" not in (name, module):
                self.assertIs(getattr(orthant, name), getattr(importlib.import_module(f"orthant.{module}" if module else "orthant"), within))

    def test_reprs(self):
        if not ESTIMATORS:
            self.skipTest("scikit-learn is not installed")
        self.assertEqual(repr(orthant.LLE(n_neighbors=7, n_jobs=2)), "LLE(n_jobs=2, n_neighbors=7)")
        self.assertEqual(repr(orthant.KMeans()), "KMeans()")
        for kind in ESTIMATORS:
            self.assertIn(kind.__name__, kind()._repr_html_() if hasattr(kind(), "_repr_html_") else sklearn.utils.estimator_html_repr(kind()))


class Progress(unittest.TestCase):
    def test_a_line_of_text(self):
        with mock.patch.dict(sys.modules, {"tqdm": None, "tqdm.auto": None}), contextlib.redirect_stderr(io.StringIO()) as told:
            with _progress.following(True) as bar:
                bar("search of neighbours", 0.25)
                bar("solve", 1)
        self.assertEqual(told.getvalue(), "\rsearch of neighbours:  25 %\rsolve: 100 %               \r" + " " * 12 + "\r")

    def test_a_bar_of_tqdm(self):
        try:
            import tqdm  # noqa: F401
        except ImportError:
            self.skipTest("tqdm is not installed")
        with contextlib.redirect_stderr(io.StringIO()) as told, _progress.following(True) as bar:
            bar("search", 0.5)
            bar("solve", 0.25)
            bar("solve", 0.75)
            self.assertEqual((bar.bar.n, bar.bar.desc), (75, "solve"))
        self.assertIn("search:", told.getvalue())

    def at_once(self):
        """Reports progress as often as possible."""
        for name, value in (("_TELL", 0), ("_PATIENCE", 1)):
            patch = mock.patch(f"orthant._calls.{name}", value)
            patch.start()
            self.addCleanup(patch.stop)

    @unittest.skipUnless(ESTIMATORS, "scikit-learn is not installed")
    def test_estimators_show_it(self):
        self.at_once()
        x, told = np.abs(np.random.default_rng(1).normal(size=(1500, 60))), []
        fitted = orthant.CIMNMF(20, max_iter=40, progress=lambda phase, share: told.append((phase, share))).fit(x)
        self.assertTrue(told and all(isinstance(phase, str) and 0 <= share <= 1 for phase, share in told))
        quiet = orthant.CIMNMF(20, max_iter=40).fit(x)
        np.testing.assert_array_equal(fitted.components_, quiet.components_)
        with mock.patch.dict(sys.modules, {"tqdm": None, "tqdm.auto": None}), contextlib.redirect_stderr(io.StringIO()) as text:
            orthant.CIMNMF(20, max_iter=40, progress=True).fit(x)
        self.assertRegex(text.getvalue(), r"\r.*: +\d+ %")
        with self.assertRaisesRegex(ValueError, "progress is 'yes'; give True"):
            orthant.PCA(progress="yes").fit(x)

    @unittest.skipUnless(hasattr(getattr(orthant, "PCA", None), "set_callbacks"), "scikit-learn has no callbacks before 1.9")
    def test_callbacks_of_scikit_learn(self):
        self.at_once()
        told = []

        class Callback:
            def setup(self, estimator, context):
                told.append(("setup", context.task_name))

            def teardown(self, estimator, context):
                told.append(("teardown", context.task_name))

            def on_fit_task_begin(self, estimator, context):
                told.append(("begin", context.task_name))

            def on_fit_task_end(self, estimator, context):
                told.append(("end", context.task_name))

        x = np.abs(np.random.default_rng(1).normal(size=(1500, 60)))
        estimator = orthant.CIMNMF(20, max_iter=40).set_callbacks(Callback())
        shown = []
        estimator.set_params(progress=lambda phase, share: shown.append(phase)).fit(x)
        self.assertEqual(told[:2] + told[-2:], [("setup", "fit"), ("begin", "fit"), ("end", "fit"), ("teardown", "fit")])
        phases = list(dict.fromkeys(shown))
        self.assertEqual([name for event, name in told if event == "begin" and name not in ("fit", "1 %")], phases)
        for event in ("begin", "end"):
            self.assertEqual(told.count((event, "1 %")), 100 * len(phases))
        with self.assertRaises(ValueError):
            estimator.fit(-x)
        self.assertEqual(told[-1], ("teardown", "fit"))
        self.assertFalse(hasattr(estimator, "_callback_fit_ctx"))

    def test_functions_show_it(self):
        made = []

        class Bar(list):
            def __call__(self, phase, share):
                self.append((phase, share))

            def close(self):
                made.append(self)

        self.at_once()
        with mock.patch.object(_progress, "_bar", Bar):
            x = np.abs(np.random.default_rng(1).normal(size=(2000, 60)))
            orthant.factorize(x, "cim-nmf", 20, iterations=60, progress=True)
            orthant.factorize_runs(x, 5, 3, iterations=30, progress=True)
            orthant.svds(x, 5, progress=True)
        self.assertGreater(len(made[0]), 0)
        self.assertTrue(all(isinstance(phase, str) and 0 <= share <= 1 for bar in made for phase, share in bar))
        orthant.embed(samples(), "pca", progress=False)
        with self.assertRaisesRegex(ValueError, "progress is 'yes'; give True"):
            orthant.factorize(x, "cim-nmf", 20, iterations=100, progress="yes")


class Pictures(unittest.TestCase):
    def setUp(self):
        try:
            import matplotlib
        except ImportError:
            self.skipTest("matplotlib is not installed")
        matplotlib.use("Agg")
        from matplotlib import pyplot

        self.pyplot = pyplot
        self.addCleanup(pyplot.close, "all")

    def test_planes_lines_and_space(self):
        x = samples()
        for d in (1, 2, 3):
            ax = orthant.plot(orthant.embed(x, "pca", dim=d), title="a roll")
            self.assertEqual((ax.name, ax.get_title()), ("3d" if d == 3 else "rectilinear", "a roll"))
            ax.figure.canvas.draw()
        drawn = orthant.plot(x[:, :2]).collections[0].get_offsets()
        np.testing.assert_allclose(drawn, x[:, :2])

    def test_labels(self):
        x = samples()[:, :2]
        ax = orthant.plot(x, np.repeat(["b", "a", "c"], 30))
        self.assertEqual([t.get_text() for t in ax.get_legend().get_texts()], ["a", "b", "c"])
        np.testing.assert_allclose(ax.collections[0].get_offsets(), x[30:60])
        self.assertEqual(len(ax.figure.axes), 1)
        ax = orthant.plot(x, x[:, 0])
        self.assertEqual((len(ax.figure.axes), ax.get_legend()), (2, None))
        np.testing.assert_allclose(ax.collections[0].get_array(), x[:, 0])
        values = np.where(np.arange(90) == 5, np.nan, x[:, 0])
        ax = orthant.plot(x, values)
        ax.figure.canvas.draw()
        self.assertEqual([int(255 * c + 0.5) for c in ax.collections[0].get_facecolors()[5]], [0xC4, 0xC8, 0xCE, 255])
        ax = orthant.plot(x, np.repeat(["c10", "c2", "c1"], 30))
        self.assertEqual([t.get_text() for t in ax.get_legend().get_texts()], ["c1", "c2", "c10"])
        np.testing.assert_allclose(ax.collections[0].get_offsets(), x[60:])
        holes = x.copy()
        holes[3] = np.nan
        self.assertEqual(len(orthant.plot(holes, np.arange(90) % 2).collections[0].get_offsets()), 45)

    def test_axes_and_mistakes(self):
        x = samples()
        figure, ax = self.pyplot.subplots()
        self.assertIs(orthant.plot(x[:, :2], ax=ax, size=3.0), ax)
        self.assertEqual(ax.collections[0].get_sizes(), [3.0])
        for wrong, told in ((lambda: orthant.plot(x[:, :3], ax=ax), 'projection="3d"'), (lambda: orthant.plot(x[:, :2], [1, 2]), "for 90 samples"), (lambda: orthant.plot(x[:, 0]), "one row a sample"), (lambda: orthant.plot(x[:, :2], np.arange(90)), "have 90 classes")):
            with self.assertRaisesRegex(ValueError, told):
                wrong()
        if ESTIMATORS:
            e = orthant.PCA().fit(x)
            np.testing.assert_allclose(orthant.plot(e).collections[0].get_offsets(), e.embedding_)

    def test_without_matplotlib(self):
        with mock.patch.dict(sys.modules, {"matplotlib": None}), self.assertRaisesRegex(ImportError, "matplotlib, which is not installed"):
            orthant.plot(samples()[:, :2])


if __name__ == "__main__":
    unittest.main()
