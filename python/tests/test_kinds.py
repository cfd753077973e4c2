"""Kinds of samples × functions and estimators: one conversion, by which both read the same or refuse with the same words."""

import re
import types
import unittest
import warnings

import numpy as np
import scipy.sparse as sp

import orthant
from orthant import _arrays, _interchange

try:
    import pandas
except ImportError:
    pandas = None
try:
    import sklearn
except ImportError:
    sklearn = None

# Float32 numbers, which all kinds hold exactly, and whole ones.
X = np.random.default_rng(1).uniform(size=(60, 4)).astype(np.float32).astype(np.float64)
WHOLE = np.random.default_rng(2).integers(0, 100, size=(60, 4))
HALF = X.astype(np.float16)
KIND = np.repeat(["u", "v"], 30)


def frozen(x):
    x = x.copy()
    x.flags.writeable = False
    return x


class Polars:
    """A frame of another library: what older polars have."""

    def __init__(self, frame):
        self.frame, self.columns, self.shape = frame, list(frame.columns), frame.shape

    def __dataframe__(self, nan_as_null=False, allow_copy=True):
        return self.frame.__dataframe__(nan_as_null, allow_copy)


class Plain:
    """What has to_numpy and nothing else."""

    def __init__(self, x):
        self.x, self.shape = x, x.shape

    def to_numpy(self):
        return self.x


def annotated(x):
    """What has the parts of an AnnData."""
    return types.SimpleNamespace(X=x, obs={"kind": KIND, "other": KIND}, obs_names=[f"cell{i}" for i in range(len(x))] if not sp.issparse(x) else range(x.shape[0]), var_names=[f"g{j}" for j in range(x.shape[1])])


def kinds():
    """Returns (name, samples, the array that they are)."""
    records = np.array([tuple(row) for row in X], dtype=[(name, float) for name in "abcd"])
    yield from (
        ("the other order of bytes", X.astype(">f8"), X), ("float32 in it", X.astype(">f4"), X), ("whole numbers in it", WHOLE.astype(">i2"), WHOLE), ("read-only", frozen(X), X),
        ("columns", np.asfortranarray(X), X), ("every second row", np.repeat(X, 2, axis=0)[::2], X), ("backwards", X[::-1].copy()[::-1], X), ("float16", HALF, HALF), ("long doubles", X.astype(np.longdouble), X),
        ("truths", WHOLE > 50, WHOLE > 50), ("int64", WHOLE, WHOLE), ("uint64", WHOLE.astype(np.uint64), WHOLE), ("objects", X.astype(object), X), ("texts of numbers", np.array([[repr(float(v)) for v in row] for row in X]), X),
        ("records", records, X), ("a masked array without a mask", np.ma.masked_array(X), X), ("lists", X.tolist(), X), ("a matrix", np.matrix(X), X), ("to_numpy", Plain(X), X),
        ("AnnData", annotated(X), X), ("sparse AnnData", annotated(sp.csr_matrix(WHOLE)), WHOLE),
        *((form, sp.csr_matrix(WHOLE).asformat(form), WHOLE) for form in ("csr", "csc", "coo", "lil", "dok", "dia", "bsr")),
        ("csr in the other order of bytes", sp.csr_matrix(WHOLE.astype(">f8")), WHOLE), ("csr of truths", sp.csr_matrix(WHOLE > 50), WHOLE > 50),
    )  # fmt: skip
    if pandas is None:
        return
    frame = pandas.DataFrame(X, columns=list("abcd"))
    codes = np.arange(60) % 3
    third = np.column_stack([X[:, :3], np.array([1.5, 2.5, 3.5])[codes]])
    yield from (
        ("a frame", frame, X), ("a frame in the other order of bytes", pandas.DataFrame(X.astype(">f8")), X), ("a frame of objects", frame.astype(object), X),
        ("categories that are numbers", frame.assign(d=pandas.Categorical.from_codes(codes, [1.5, 2.5, 3.5])), third), ("Float64", frame.astype("Float64"), X),
        ("Int64", pandas.DataFrame(WHOLE).astype("Int64"), WHOLE), ("boolean", pandas.DataFrame(WHOLE > 50).astype("boolean"), WHOLE > 50), ("a frame of float16", pandas.DataFrame(HALF), HALF),
        ("a sparse frame", pandas.DataFrame(WHOLE).astype(pandas.SparseDtype(float, 0)), WHOLE), ("columns of one name", pandas.DataFrame(X, columns=list("aabb")), X),
        ("the interchange protocol", Polars(frame), X), ("its whole numbers", Polars(pandas.DataFrame(WHOLE, columns=list("abcd"))), WHOLE), ("its truths", Polars(frame > 0.5), X > 0.5),
    )  # fmt: skip


def refused():
    """Returns (name, samples, words)."""
    yield from (
        ("complex numbers", X + 1j, "Complex data not supported: x has entries of type complex128; give real numbers, such as x.real"), ("words", np.where(X < 0.5, X.astype(str), "a"), "could not convert string to float: 'a'"),
        ("dates", WHOLE.astype("M8[D]"), "x has entries of type datetime64"), ("records with words", np.array([(1.0, "u")] * 60, dtype=[("a", float), ("b", "U1")]), "x: column 'b' is of type <U1 ('u' in it); give numbers, or leave it out"),
        ("masked entries", np.ma.masked_array(X, X > 0.9), "x has masked entries, which are missing; fill them in by x.filled(...)"),
    )  # fmt: skip
    if pandas is None:
        return
    frame = pandas.DataFrame(X, columns=list("abcd"))
    yield from (
        ("a column of words", frame.assign(d=KIND), "x: column 'd' is of type object ('u' in it); give numbers, or leave it out"),
        ("categories that are words", frame.assign(d=pandas.Categorical(KIND)), "x: column 'd' is of type category ('u', 'v'); give numbers, or leave it out"),
        ("a column of dates", frame.assign(d=pandas.date_range("2020", periods=60)), "x: column 'd' is of type datetime64"),
        ("the interchange protocol with words", Polars(frame.assign(d=KIND)), "x: column 'd' is of type STRING; give numbers, or leave it out"),
        ("its categories that are words", Polars(frame.assign(d=pandas.Categorical(KIND))), "x: column 'd' is a column of categories; give numbers, or leave it out"),
    )  # fmt: skip


class Kinds(unittest.TestCase):
    def test_functions(self):
        for name, given, plain in kinds():
            with self.subTest(name):
                plain = plain.astype(np.float64)
                np.testing.assert_array_equal(orthant.embed(given, "pca").embedding, orthant.embed(sp.csr_matrix(plain) if "sparse A" in name or sp.issparse(given) else plain, "pca").embedding)
                model = orthant.cluster(given, "kmeans", 3, model=True).model()
                np.testing.assert_array_equal(model.predict(given), model.predict(plain))
        for name, given, words in refused():
            with self.subTest(name), self.assertRaises((ValueError, TypeError)) as raised:
                orthant.embed(given, "pca")
            self.assertIn(words, str(raised.exception))

    @unittest.skipIf(sklearn is None, "scikit-learn is not installed")
    def test_estimators(self):
        for name, given, plain in kinds():
            with self.subTest(name), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                warnings.filterwarnings("error", message=".*feature names")
                plain = plain.astype(np.float64)
                found = orthant.PCA().fit(given)
                np.testing.assert_array_equal(found.embedding_, orthant.embed(given, "pca", model="try").embedding.astype(found.embedding_.dtype))
                np.testing.assert_allclose(found.transform(given), found.embedding_, atol=1e-6 * np.abs(plain).max())
                np.testing.assert_array_equal(orthant.KMeans(3).fit(given).predict(given), orthant.KMeans(3).fit(given).labels_)
                np.testing.assert_allclose(np.abs(found.embedding_), np.abs(orthant.PCA().fit_transform(plain)), atol=1e-6 * np.abs(plain).max())
        for name, given, words in refused():
            with self.subTest(name), self.assertRaises((ValueError, TypeError)) as raised:
                orthant.PCA().fit(given)
            self.assertIn(re.sub(r"\bx\b", "X", words), str(raised.exception))

    @unittest.skipIf(sklearn is None, "scikit-learn is not installed")
    def test_names(self):
        adata = annotated(X)
        found = orthant.embed(adata, "pca")
        self.assertEqual((found.feature_names, found.sample_names[:2]), (["g0", "g1", "g2", "g3"], ["cell0", "cell1"]))
        self.assertEqual(list(orthant.PCA().fit(adata).feature_names_in_), found.feature_names)
        np.testing.assert_array_equal(orthant.embed(adata, "lda", dim=1, labels="kind").embedding, orthant.LDA(1).fit(adata, "kind").embedding_)
        with self.assertRaisesRegex(ValueError, "labels is 'type', and obs has no such column; there are: 'kind', 'other'"):
            orthant.embed(adata, "lda", labels="type")
        if pandas is not None:
            categories = orthant.PCA().fit(pandas.DataFrame(X, columns=list("abcd")).assign(d=pandas.Categorical(WHOLE[:, 0])))
            self.assertEqual(list(categories.feature_names_in_), list("abcd"))
            self.assertEqual(orthant.embed(Polars(pandas.DataFrame(X, columns=list("abcd"))), "pca").feature_names, list("abcd"))

    def test_annotated_data(self):
        try:
            import anndata
        except ImportError:
            self.skipTest("anndata is not installed")
        adata = anndata.AnnData(X.astype(np.float32), obs=pandas.DataFrame({"kind": pandas.Categorical(KIND)}, index=[f"cell{i}" for i in range(60)]))
        found = orthant.embed(adata, "lda", dim=1, labels="kind")
        np.testing.assert_array_equal(found.embedding, orthant.embed(X, "lda", dim=1, labels=KIND).embedding)
        self.assertEqual(found.sample_names[0], "cell0")
        part = adata[10:50]
        np.testing.assert_array_equal(orthant.embed(part, "pca").embedding, orthant.embed(X[10:50], "pca").embedding)

    def test_nothing_is_copied_that_can_be_read_in_place(self):
        for kind in (np.float64, np.float32, np.uint8):
            x = (X * 200).astype(kind)
            fixed = x.view()
            fixed.flags.writeable = False
            for given in (x, fixed, np.ma.masked_array(x), x[::2], x[:, 1:3], annotated(x)):
                read, _, _ = _arrays.samples(given)
                self.assertTrue(np.shares_memory(_arrays._rows(read), x))
            if pandas is not None:
                self.assertTrue(np.shares_memory(_arrays._rows(_arrays.samples(pandas.DataFrame(x))[0]), x))

    @unittest.skipIf(sklearn is None, "scikit-learn is not installed")
    def test_estimators_copy_nothing_either(self):
        for kind in (np.float64, np.float32):
            x = X.astype(kind)
            self.assertTrue(np.shares_memory(orthant.PCA()._samples(x, reset=True), x))
            if pandas is not None:
                self.assertTrue(np.shares_memory(orthant.PCA()._samples(pandas.DataFrame(x, columns=list("abcd")), reset=True), x))

    @unittest.skipIf(pandas is None, "pandas is not installed")
    def test_the_interchange_protocol(self):
        """Also of categories and of what is missing."""
        frame = pandas.DataFrame({"a": X[:, 0], "b": WHOLE[:, 0], "c": pandas.Categorical.from_codes(np.arange(60) % 3 - 1, [1.5, 2.5])})
        array, names = _interchange.matrix(frame)
        np.testing.assert_array_equal(array, np.column_stack([X[:, 0], WHOLE[:, 0], np.array([np.nan, 1.5, 2.5])[np.arange(60) % 3]]))
        self.assertEqual(names, list("abc"))
        self.assertEqual(_interchange.matrix(frame[["a"]].astype(np.float32))[0].dtype, np.float32)

        values, valid = np.arange(9, dtype=np.int32), np.array([0b11110111, 1], np.uint8)
        buffer = lambda x: types.SimpleNamespace(ptr=x.ctypes.data, bufsize=x.nbytes)  # noqa: E731
        column = types.SimpleNamespace(  # as Arrow has it: bits say which entries are valid, and there is an offset
            dtype=(0, 32, "i", "="), size=lambda: 7, offset=2, describe_null=(3, 0),
            get_buffers=lambda: {"data": (buffer(values), (0, 32, "i", "=")), "validity": (buffer(valid), (20, 1, "b", "="))},
        )  # fmt: skip
        np.testing.assert_array_equal(_interchange._column(column, "x"), [2, np.nan, 4, 5, 6, 7, 8])


class Missing(unittest.TestCase):
    """missing=, as the command has it."""

    def forms(self):
        lacking = X.copy()
        lacking[3, 1] = lacking[5, 0] = lacking[5, 2] = np.nan
        yield lacking
        yield np.ma.masked_array(X, np.isnan(lacking))
        yield np.where(np.isnan(lacking), None, lacking)
        if pandas is not None:
            yield pandas.DataFrame(lacking).astype("Float64")
            yield Polars(pandas.DataFrame(lacking, columns=list("abcd")))

    def test_words(self):
        whole, mean = np.delete(X, [3, 5], axis=0), X.copy()
        for row, column in ((3, 1), (5, 0), (5, 2)):
            mean[row, column] = np.mean(np.delete(X[:, column], {1: 3}.get(column, 5)))
        for given in self.forms():
            with self.subTest(type(given)):
                with self.assertWarnsRegex(UserWarning, 'left out by missing="drop": 2 of 60 rows of x, which lack a value; results have 58 rows'):
                    found = orthant.embed(given, "pca", missing="drop")
                np.testing.assert_array_equal(found.embedding, orthant.embed(whole, "pca").embedding)
                np.testing.assert_array_equal(found.kept, np.delete(np.arange(60), [3, 5]))
                found = orthant.embed(given, "pca", missing="mean")
                np.testing.assert_allclose(found.embedding, orthant.embed(mean, "pca").embedding, atol=1e-12)
                self.assertIsNone(found.kept)
                self.assertEqual(orthant.factorize(given, "nmf", 2, missing="weight", iterations=5).w.shape, (60, 2))
                with self.assertRaisesRegex(ValueError, 'missing="drop"'):
                    orthant.embed(given, "pca", missing="error")
                with self.assertRaisesRegex(ValueError, "missing is 'median'; give \"error\", \"drop\", \"mean\" or \"weight\""):
                    orthant.embed(given, "pca", missing="median")

    def test_what_goes_with_the_rows(self):
        given = next(iter(self.forms()))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = orthant.embed(given, "lda", dim=1, labels=KIND, missing="drop")
            np.testing.assert_array_equal(found.embedding, orthant.embed(np.delete(X, [3, 5], axis=0), "lda", dim=1, labels=np.delete(KIND, [3, 5])).embedding)
            chosen = orthant.select(given, "dpp", 20, missing="drop")
            np.testing.assert_array_equal(chosen, np.delete(np.arange(60), [3, 5])[orthant.select(np.delete(X, [3, 5], axis=0), "dpp", 20)])
            for call, words in (
                (lambda: orthant.neighbors(given, 3, missing="drop"), "the result would no longer go with them"),
                (lambda: orthant.embed(given, "isomap", graph=orthant.neighbors(X, 5), missing="drop"), "graph would no longer go with them; give missing=\"mean\""),
                (lambda: orthant.embed(given, "lda", labels=KIND[:9], missing="drop"), "labels: there are 9 for 60 samples"),
                (lambda: orthant.embed(given, "lda", labels=np.ma.masked_equal(WHOLE[:, 0], WHOLE[0, 0]), missing="drop"), "labels has masked entries"),
                (lambda: orthant.embed(np.where(X < 0.5, np.nan, np.inf), "pca", missing="mean"), "is inf, which is not a missing value"),
                (lambda: orthant.embed(np.full((9, 2), np.nan), "pca", missing="drop"), "leaves none"),
                (lambda: orthant.embed(np.column_stack([X, X[:, 0] * np.nan]), "pca", missing="mean"), r"column 5 \(counting from 1\) has no value in any row"),
                (lambda: orthant.embed(sp.csr_matrix(X), "pca", missing="mean"), "is for dense samples, but x is sparse"),
                (lambda: orthant.embed(X, "lle", missing="weight"), 'missing="weight" is for methods with the parameter missing .*, and lle has none; give missing="drop" or "mean"'),
            ):
                with self.subTest(words), self.assertRaisesRegex(ValueError, words):
                    call()

    def test_columns_of_unequal_spread(self):
        with self.assertWarnsRegex(UserWarning, r'column 3 has the standard deviation .*; standardize="standard" \(or minmax, robust\) gives all columns equal weight'):
            orthant.embed(X * [1, 1, 1e4, 1], "pca")


class Results(unittest.TestCase):
    def test_dir_lists_the_arrays(self):
        listed = dir(orthant.embed(X, "pca"))
        self.assertLessEqual({"embedding", "eigenvalues", "residuals", "report", "model"}, set(listed))
        self.assertNotIn("w", listed)
        self.assertLessEqual({"w", "h"}, set(dir(orthant.factorize(X, "nmf", 2, iterations=3))))
        found = orthant.cluster(X, "kmeans", 2)
        for name in dir(found):
            if name not in ("affinities", "model", "array", "number"):
                getattr(found, name)

    def test_the_parts_of_pairs_have_names(self):
        a = np.diag(np.arange(1.0, 9))
        for found in (orthant.eigsh(a, 2), orthant.largest(a, 2), orthant.eigsh(a, 2, return_residuals=True)):
            values, vectors = found[:2]
            self.assertIs(found.values, values)
            self.assertIs(found.vectors, vectors)
        u, s, vt = found = orthant.svds(X, 2)
        self.assertTrue(found.u is u and found.s is s and found.vt is vt)


if __name__ == "__main__":
    unittest.main()
