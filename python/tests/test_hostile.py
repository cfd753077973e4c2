"""Every public function with wrong arguments: a ValueError or TypeError that names the argument, and never a crash, a hang or a result."""

import os
import subprocess
import sys
import unittest

import numpy as np

import orthant

try:
    import scipy.sparse as sp
except ImportError:
    sp = None

# What no count is: above what any is, too.
COUNTS = (-1, 0, 2.5, 2.0, "2", b"2", True, np.True_, float("inf"), float("nan"), None, [2], np.array([2]), 1j, 2**31, 2**53 + 1, 2**63, 2**64 + 3, -(2**64) + 3, 10**5000)
REALS = ("1", b"1", True, float("inf"), float("nan"), [1.0], 1j, 10**400, object())


def samples(n=40, m=6, seed=1):
    return np.random.default_rng(seed).uniform(size=(n, m))


def symmetric(n=12):
    a = samples(n, n)
    return a + a.T + 2 * n * np.eye(n)


X, A = samples(), symmetric()
RUNS = orthant.factorize_runs(X, [2], 4, iterations=5)

# The calls, by the name of the argument in messages.
WHOLE = [
    ("rank", lambda k: orthant.factorize(X, "nmf", k)), ("rank", lambda k: orthant.learn(X, "nmf", k, solver="minibatch")), ("clusters", lambda k: orthant.cluster(X, "kmeans", k)),
    ("count", lambda k: orthant.select(X, "ds3", k)), ("dim", lambda k: orthant.denoise(X, k)), ("k", lambda k: orthant.neighbors(X, k)),
    ("k", lambda k: orthant.nearest(X, X, k)), ("k", lambda k: orthant.eigsh(A, k)), ("k", lambda k: orthant.largest(A, k)), ("k", lambda k: orthant.svds(A, k)),
    ("rank", lambda k: orthant.factorize_runs(X, [k], 2)), ("runs", lambda k: orthant.factorize_runs(X, 2, k)),
    ("rank", lambda k: orthant.consensus(X, RUNS, 2 if k is None else k)), ("rank", lambda k: RUNS.h(k)), ("iterations", lambda k: orthant.lloyd(X, X[:2], iterations=k)),
    ("threads", lambda k: orthant.set_num_threads(k)),
]  # fmt: skip
PARAMETERS = [
    ("dim", lambda k: orthant.embed(X, "pca", dim=k)), ("neighbors", lambda k: orthant.embed(X, "lle", neighbors=k)), ("neighbors", lambda k: orthant.cluster(X, "lp-rna", 2, neighbors=k)),
    ("neighbors", lambda k: orthant.evaluate("trustworthiness", X, X[:, :2], neighbors=k)), ("iterations", lambda k: orthant.factorize(X, "nmf", 2, iterations=k)),
    ("batch", lambda k: orthant.learn(X, "nmf", 2, solver="minibatch", batch=k)), ("restarts", lambda k: orthant.cluster(X, "kmeans", 2, restarts=k)),
]  # fmt: skip
REAL = [
    ("sigma", lambda v: orthant.eigsh(A, 2, sigma=v)), ("tol", lambda v: orthant.eigsh(A, 2, tol=v)), ("end", lambda v: orthant.eigsh(A, interval=(v, 2))), ("end", lambda v: orthant.eigsh(A, interval=(2, v))),
    ("shift", lambda v: orthant.cholesky(A, v)), ("shift", lambda v: orthant.ldlt(A, v)), ("shift", lambda v: orthant.ldlt(A).update_values(A, v)), ("radius", lambda v: orthant.neighbors(X, radius=v)),
    ("radius", lambda v: orthant.nearest(X, X, radius=v)), ("tolerance", lambda v: orthant.lloyd(X, X[:2], tolerance=v)), ("gamma", lambda v: orthant.embed(X, "lle", gamma=v)),
    ("local_density_threshold", lambda v: orthant.consensus(X, RUNS, local_density_threshold=v)), ("local_neighborhood_size", lambda v: orthant.consensus(X, RUNS, local_neighborhood_size=v)),
]  # fmt: skip
ARRAYS = [
    ("x", X, lambda x: orthant.embed(x, "pca").embedding), ("x", X, lambda x: orthant.factorize(x, "nmf", 2, iterations=3).w), ("x", X, lambda x: orthant.cluster(x, "kmeans", 2).labels),
    ("x", X, lambda x: orthant.select(x, "dpp", 2)), ("x", X, lambda x: orthant.neighbors(x, 2)[1]), ("x", X, lambda x: orthant.denoise(x).samples), ("x", X, lambda x: orthant.learn(x, "nmf", 2, solver="minibatch").h),
    ("x", X, lambda x: orthant.factorize_runs(x, 2, 1, iterations=3).errors), ("x", X, lambda x: orthant.consensus(x, RUNS, local_density_threshold=2).usages), ("x", X, lambda x: orthant.lloyd(x, X[:2]).labels), ("start", X[:2], lambda s: orthant.lloyd(X, s).labels),
    ("weights", X[:, 0], lambda w: orthant.lloyd(X, X[:2], w).labels), ("draws", samples(1, 3), lambda d: orthant.lloyd(X, draws=d).labels), ("x", X, lambda x: orthant.nearest(x, X, 2)[1]),
    ("queries", X, lambda q: orthant.nearest(X, q, 2)[1]), ("start", X[:6, :2], lambda s: orthant.embed(X, "npca", start=s, iterations=3).embedding), ("start", X[:, :2], lambda w: orthant.factorize(X, "nmf", 2, start_w=w, start_h=X[:2], iterations=3).w),
    ("start_h", X[:2], lambda h: orthant.factorize(X, "nmf", 2, start_w=X[:, :2], start_h=h, iterations=3).w), ("A", A, lambda a: orthant.eigsh(a, 2)[0]), ("M", A, lambda m: orthant.eigsh(A, 2, m)[0]), ("A", A, lambda a: orthant.largest(a, 2)[0]),
    ("A", X, lambda a: orthant.svds(a, 2)[1]), ("A", A, lambda a: orthant.cholesky(a).logdet()), ("A", A, lambda a: orthant.ldlt(a).logdet()[1]), ("b", A[0], lambda b: orthant.ldlt(A).solve(b)), ("null", A[:, :1] * 0 + 1, lambda v: orthant.eigsh(12 * np.eye(12) - np.ones((12, 12)), 2, null=v)[0]),
    ("X0", A[:, :2], lambda v: orthant.eigsh(A, 2, X0=v)[0]), ("embedding", X[:, :2], lambda y: orthant.evaluate("trustworthiness", X, y)), ("truth", X[:, :2], lambda t: orthant.evaluate("dev", embedding=X[:, :2], truth=t)), ("w", X[:, :2], lambda w: orthant.evaluate("reconstruction", X, w=w, h=X[:2])),
    ("distances", np.linalg.norm(X[:, None] - X, axis=2), lambda d: orthant.embed(None, "mds", distances=d).embedding), ("runs", X[:12].reshape(6, 2, 6), lambda h: orthant.consensus(X, h, local_density_threshold=2).spectra), ("levels", X, lambda v: orthant.consensus(X, RUNS, levels=v, local_density_threshold=2).levels),
]  # fmt: skip
INTEGERS = [
    ("labels", np.arange(40) % 3, lambda y: orthant.embed(X, "lda", labels=y).embedding), ("labels", np.arange(40) % 3, lambda y: orthant.evaluate("nmi", labels=y, predicted=np.arange(40) % 2)),
    ("predicted", np.arange(40) % 3, lambda y: orthant.evaluate("nmi", labels=np.arange(40) % 2, predicted=y)),
]  # fmt: skip


class Arguments(unittest.TestCase):
    def refused(self, call, value, name):
        said = "10**5000" if type(value) is int and value > 2**99 else repr(value)
        with self.subTest(name, value=said):
            try:
                call(value)
            except (ValueError, TypeError) as error:
                self.assertIn(name, str(error))
                self.assertLess(len(str(error)), 2000)
            else:
                self.fail(f"{said} was taken")

    def test_counts(self):
        for name, call in WHOLE:
            for value in COUNTS:
                if not (value is None and name in ("k", "threads", "rank") or value == 0 and name == "iterations"):
                    self.refused(call, value, name)

    def test_counts_among_parameters(self):
        for name, call in PARAMETERS:
            for value in COUNTS:
                if value is not None:
                    self.refused(call, value, name)

    def test_ranks(self):
        for value in COUNTS:
            if np.ndim(value) == 0:
                self.refused(lambda k: orthant.factorize_runs(X, k, 2), value, "rank")

    def test_real_numbers(self):
        for name, call in REAL:
            for value in REALS:
                self.refused(call, value, name)

    def test_counts_of_numpy_are_counts(self):
        for k in (np.int8(2), np.uint64(2), np.array(2), np.int32(2)):
            np.testing.assert_array_equal(orthant.neighbors(X, k)[0], orthant.neighbors(X, 2)[0])
            np.testing.assert_array_equal(orthant.embed(X, "pca", dim=k).embedding, orthant.embed(X, "pca", dim=2).embedding)

    def test_a_batch_beyond_the_samples_is_all_of_them(self):
        want = orthant.learn(X, "nmf", 2, solver="minibatch").h
        np.testing.assert_array_equal(orthant.learn(X, "nmf", 2, solver="minibatch", batch=2**31 - 1).h, want)


class Estimators(unittest.TestCase):
    def test_parameters_by_their_own_names(self):
        try:
            from orthant import estimators
        except ImportError:
            self.skipTest("scikit-learn is not there")
        for cls in (estimators.LLE, estimators.PCA, estimators.NMF, estimators.GNMF, estimators.KMeans, estimators.SpectralClustering, estimators.NPCA):
            for name in ("n_components", "n_clusters", "n_neighbors", "max_iter", "n_init", "random_state", "n_jobs"):
                for value in (-1, 2.5, "2", True, float("inf"), 2**64 + 3, [2]):
                    if name not in cls._signature() or name == "n_jobs" and value == -1 or name == "n_components" and value == "auto":
                        continue
                    with self.subTest(cls.__name__, name=name, value=value), self.assertRaises((ValueError, TypeError)) as raised:
                        cls(**{name: value}).fit(X)
                    self.assertIn(name, str(raised.exception))


class Arrays(unittest.TestCase):
    def test_one_conversion(self):
        """The same samples in other forms make the same bits."""
        for name, good, call in ARRAYS:
            single = good.astype(np.float32)
            want, of_single = call(good), call(single.astype(np.float64))
            forms = [
                (good.astype(">f8"), want), (np.asfortranarray(good), want), (np.repeat(good, 2, axis=-1)[..., ::2], want), (good[::-1].copy()[::-1], want),
                (good.astype(np.longdouble), want), (good.astype(object), want), (np.array([repr(float(v)) for v in good.reshape(-1)]).reshape(good.shape), want), (np.ma.masked_array(good), want), (good.tolist(), want), (single.astype(">f4").astype(np.float64), of_single),
            ]  # fmt: skip
            fixed = good.copy()
            fixed.flags.writeable = False
            for given, same in [*forms, (fixed, want)]:
                with self.subTest(name, type=getattr(given, "dtype", list)):
                    np.testing.assert_array_equal(call(given), same)

    def test_what_is_no_array_of_real_numbers(self):
        for name, good, call in ARRAYS:
            mask = np.zeros(good.shape, bool)
            mask[(0,) * good.ndim] = True
            for bad in (good.astype(complex), np.full(good.shape, "a"), np.full(good.shape, object()), np.ma.masked_array(good, mask), [[1.0, 2.0], [3.0]], "x", object(), {}, np.datetime64("2020-01-01")):
                if name == "distances" and isinstance(bad, str):
                    continue  # a parameter of some methods
                if good is A and getattr(bad, "dtype", None) == complex:
                    bad = bad + 1j  # not Hermitian, which eigsh would take
                with self.subTest(name, bad=repr(bad)[:40]), self.assertRaises((ValueError, TypeError)) as raised:
                    call(bad)
                self.assertIn(name, str(raised.exception))

    def test_whole_numbers(self):
        for name, good, call in INTEGERS:
            for same in (good.astype(">i2"), good.astype(np.uint64), good.astype(object), good.astype(str), np.array(list("abc"))[good], good.tolist(), good[::-1].copy()[::-1]):
                np.testing.assert_array_equal(call(same), call(good))
            for bad in (good + 0.5, good.astype(float), (good + 0.5).astype(object), np.where(good, "a", None), good.astype(complex), good.astype(np.uint64) + np.uint64(2**63), np.ma.masked_equal(good, 1), good[:, None]):
                with self.subTest(name, bad=bad.dtype), self.assertRaises(ValueError) as raised:
                    call(bad)
                self.assertIn(name, str(raised.exception))

    def test_frames(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not there")
        columns = list("abcdef")
        frame, queries = pandas.DataFrame(X, columns=columns), pandas.DataFrame(X[:5], columns=columns)
        np.testing.assert_array_equal(orthant.nearest(frame, queries, 2)[0], orthant.nearest(X, X[:5], 2)[0])
        found = orthant.nearest(frame, queries, radius=0.3)
        self.assertEqual(found.shape, (5, 40))
        np.testing.assert_array_equal(orthant.lloyd(frame, queries).labels, orthant.lloyd(X, X[:5]).labels)
        np.testing.assert_array_equal(orthant.svds(frame, 2)[1], orthant.svds(X, 2)[1])
        np.testing.assert_array_equal(orthant.eigsh(pandas.DataFrame(A), 2)[0], orthant.eigsh(A, 2)[0])
        self.assertEqual(orthant.evaluate("trustworthiness", frame, pandas.DataFrame(X[:, :2])), orthant.evaluate("trustworthiness", X, X[:, :2]))
        with self.assertRaisesRegex(ValueError, "queries: column 'a' is of type object .'u' in it.; give numbers"):
            orthant.nearest(frame, frame.assign(a="u"), 2)

    def test_spellings_of_other_libraries(self):
        for call, hint in (
            (lambda: orthant.embed(X, "pca", n_components=5), '"dim"'), (lambda: orthant.embed(X, "lle", n_neighbors=5), '"neighbors"'), (lambda: orthant.embed(X, "pca", random_state=5), '"seed"'), (lambda: orthant.embed(X, "pca", scale="standard"), '"standardize"'),
            (lambda: orthant.factorize(X, "nmf", 2, n_components=2), '"rank"'), (lambda: orthant.cluster(X, "kmeans", 2, n_clusters=2), '"clusters"'), (lambda: orthant.cluster(X, "kmeans", 2, n_init=2), '"restarts"'),
            (lambda: orthant.embed(X, "isomap", affinity="rbf"), "give affinities of your own"), (lambda: orthant.factorize(X, "nmf", 2, max_iter=3), '"iterations"'), (lambda: orthant.svds(X, 2, random_state=1), '"seed"'), (lambda: orthant.neighbors(X, 2, n_jobs=2), '"threads"'),
        ):  # fmt: skip
            with self.subTest(hint), self.assertRaises(ValueError) as raised:
                call()
            self.assertIn(hint, str(raised.exception))


DAMAGES = """
def damaged(form):
    n = 200
    a = sp.random(n, n, 0.05, "csr", random_state=1)
    a = (a + a.T + sp.identity(n)).asformat(form)
    if form == "coo":
        for part, value in (("row", 10**6), ("row", -5), ("col", 10**6), ("col", n)):
            b = a.copy(); getattr(b, part)[5] = value; yield part, b
        b = a.copy(); b.row = b.row[:-3]; yield "row", b
        b = a.copy(); b.data = b.data[:-3]; yield "data", b
        b = a.copy(); b.col = b.col.astype(float)
        if b.col.dtype.kind == "f": yield "col", b  # newer releases of SciPy make them whole
        return
    for at, value in ((5, 10**6), (5, -7), (0, 3), (-1, 10**6), (n // 2, 0)):
        b = a.copy(); b.indptr[at] = value; yield "indptr", b
    for value in (10**6, -1, n):
        b = a.copy(); b.indices[7] = value; yield "column", b
    b = a.copy(); b.indptr = b.indptr[:-2]; yield "indptr", b
    b = a.copy(); b.indptr = b.indptr.astype(float); yield "indptr", b
    b = a.copy(); b.indices = b.indices + 0.5; yield "indices", b
    b = a.copy(); b.indices = b.indices[:-9]; yield "indptr", b
    b = a.copy(); b.data = b.data[:-9]; yield "indptr", b
    b = a.copy(); b.data = b.data + 1j; yield "omplex", b
"""

SPARSE = """
import sys, numpy as np, scipy.sparse as sp, orthant
from orthant import estimators
x = np.random.default_rng(1).uniform(size=(200, 200))
runs = orthant.factorize_runs(x, 2, 4, iterations=3)
model = orthant.embed(x, "pca", model=True).model()
factor = orthant.ldlt(sp.identity(200, format="csr"))
calls = {
    "embed": lambda a: orthant.embed(a, "pca"), "factorize": lambda a: orthant.factorize(a, "nmf", 2), "cluster": lambda a: orthant.cluster(a, "kmeans", 2), "neighbors": lambda a: orthant.neighbors(a, 2),
    "learn": lambda a: orthant.learn(a, "nmf", 2, solver="minibatch"), "graph": lambda a: orthant.embed(None, "isomap", graph=a), "affinities": lambda a: orthant.embed(None, "le", affinities=a), "runs": lambda a: orthant.factorize_runs(a, 2, 2),
    "consensus": lambda a: orthant.consensus(a, runs), "levels": lambda a: orthant.consensus(x, runs, levels=a), "transform": model.transform, "mapper": orthant.Mapper(model), "eigsh": lambda a: orthant.eigsh(a, 2), "mass": lambda a: orthant.eigsh(sp.identity(200, format="csr"), 2, a), "largest": lambda a: orthant.largest(a, 2), "svds": lambda a: orthant.svds(a, 2),
    "cholesky": orthant.cholesky, "ldlt": orthant.ldlt, "update_values": factor.update_values, "shortest_paths": lambda a: orthant.shortest_paths(a, [0]), "connected_components": orthant.connected_components, "spectral_init": orthant.spectral_init,
    "lloyd": lambda a: orthant.lloyd(a, x[:2]), "nearest": lambda a: orthant.nearest(a, x, 2), "queries": lambda a: orthant.nearest(x, a, 2), "PCA": lambda a: estimators.PCA().fit(a), "KMeans": lambda a: estimators.KMeans().fit(a), "predict": estimators.KMeans(3).fit(x).predict,
    "precomputed": lambda a: estimators.Isomap(metric="precomputed").fit(a), "affinity": lambda a: estimators.SpectralClustering(affinity="precomputed").fit(a),
}
"""

ACCEL = """
from orthant import accel
calls = {
    "KMeans": lambda a: accel.KMeans(2, n_init=1).fit(a), "predict": accel.KMeans(2, n_init=1).fit(x).predict, "transform": accel.KMeans(2, n_init=1).fit(x).transform, "NMF": lambda a: accel.NMF(2).fit(a),
    "TruncatedSVD": lambda a: accel.TruncatedSVD(2).fit(a), "neighbors": lambda a: accel.NearestNeighbors().fit(a), "precomputed": lambda a: accel.NearestNeighbors(metric="precomputed").fit(a), "queries": lambda a: accel.NearestNeighbors(algorithm="brute").fit(x).kneighbors(a), "distances": lambda a: accel.NearestNeighbors(metric="precomputed").fit(x).kneighbors(a),
    "Isomap": lambda a: accel.Isomap().fit(a), "paths": lambda a: accel.Isomap(metric="precomputed").fit(a), "SpectralEmbedding": lambda a: accel.SpectralEmbedding(affinity="precomputed").fit(a), "SpectralClustering": lambda a: accel.SpectralClustering(2, affinity="precomputed").fit(a),
}
"""

CHECK = """
for name, call in calls.items():
    for form in ("csr", "csc", "coo"):
        for part, bad in damaged(form):
            print(name, form, part, file=sys.stderr, flush=True)  # what a crash was in
            try:
                call(bad)
            except (ValueError, TypeError) as error:
                assert part in str(error) or {"column": "indices", "omplex": "Hermitian"}.get(part, part) in str(error), f"{name}, {form}: {part} is not in {error}"
            else:
                raise SystemExit(f"{name}: a {form} with a damaged {part} was taken")
"""


@unittest.skipIf(sp is None, "SciPy is not there")
class Damaged(unittest.TestCase):
    """Sparse matrices whose arrays do not go together, in a process of their own."""

    def check(self, *parts):
        path = os.path.dirname(os.path.dirname(os.path.abspath(orthant.__file__)))
        found = subprocess.run([sys.executable, "-W", "ignore", "-c", "".join(parts)], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path, "ORTHANT_ACCEL": ""}, timeout=120)
        self.assertEqual(found.returncode, 0, "\n".join(found.stderr.splitlines()[-8:]))

    def test_functions_and_estimators(self):
        try:
            import sklearn  # noqa: F401
        except ImportError:
            self.skipTest("scikit-learn is not there")
        self.check(SPARSE, DAMAGES, CHECK)

    def test_accelerated_classes(self):
        try:
            import sklearn  # noqa: F401
        except ImportError:
            self.skipTest("scikit-learn is not there")
        self.check("import sys, numpy as np, scipy.sparse as sp\nx = np.random.default_rng(1).uniform(size=(200, 200))\n", ACCEL, DAMAGES, CHECK)


if __name__ == "__main__":
    unittest.main()
