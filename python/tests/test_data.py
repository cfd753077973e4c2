"""Data as other libraries have it: frames, Arrow, DLPack, memory maps, AnnData."""

import ctypes
import os
import tempfile
import types
import unittest
import unittest.mock
import warnings

import numpy as np
import scipy.sparse as sp

import orthant
from orthant import _arrow, _calls, _data, _results, _sparse


def samples(n=60, m=4, seed=1):
    return np.random.default_rng(seed).uniform(size=(n, m))


def pandas_or_skip(test):
    try:
        import pandas
    except ImportError:
        test.skipTest("pandas is not installed")
    return pandas


def pyarrow_or_skip(test):
    try:
        import pyarrow
    except ImportError:
        test.skipTest("pyarrow is not installed")
    return pyarrow


_new = ctypes.pythonapi.PyCapsule_New
_new.restype, _new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
FORMATS = {np.dtype(kind): form for form, kind in _arrow._TYPES.items()}


class Exported:
    """What gives its entries by Arrow's interface: columns by name, or one array of rows as lists of one length."""

    def __init__(self, given, nulls=(), offset=0):
        self.given, self.nulls, self.offset, self.kept = given, nulls, offset, []

    def leaf(self, name, x, offset=0):
        schema, array = _arrow.Schema(format=FORMATS[x.dtype], name=name.encode()), _arrow.Array(length=len(x) - offset, offset=offset, n_buffers=2)
        valid = np.ones(-(-len(x) // 8) * 8, np.uint8)
        valid[list(self.nulls)] = 0
        bits = np.packbits(valid, bitorder="little")
        buffers = (ctypes.c_void_p * 2)(bits.ctypes.data if len(self.nulls) else None, x.ctypes.data)
        array.buffers, array.null_count = ctypes.cast(buffers, ctypes.POINTER(ctypes.c_void_p)), len(self.nulls)
        self.kept += [schema, array, bits, buffers, x]
        return schema, array

    def parent(self, form, children, length, offset=0):
        schema, array = _arrow.Schema(format=form, n_children=len(children)), _arrow.Array(length=length, offset=offset, n_children=len(children), n_buffers=1)
        schemas = (ctypes.POINTER(_arrow.Schema) * len(children))(*(ctypes.pointer(s) for s, _ in children))
        arrays = (ctypes.POINTER(_arrow.Array) * len(children))(*(ctypes.pointer(a) for _, a in children))
        buffers = (ctypes.c_void_p * 1)(None)
        schema.children, array.children = schemas, arrays
        array.buffers = ctypes.cast(buffers, ctypes.POINTER(ctypes.c_void_p))
        self.kept += [schema, array, schemas, arrays, buffers]
        return schema, array

    def __arrow_c_array__(self, requested_schema=None):
        if isinstance(self.given, dict):
            children = [self.leaf(name, x, 1 if name == "shifted" else 0) for name, x in self.given.items()]
            schema, array = self.parent(b"+s", children, len(next(iter(self.given.values()))) - self.offset, self.offset)
        else:
            n, m = self.given.shape
            schema, array = self.parent(b"+w:%d" % m, [self.leaf("item", self.given.reshape(-1))], n - self.offset, self.offset)
        return _new(ctypes.addressof(schema), b"arrow_schema", None), _new(ctypes.addressof(array), b"arrow_array", None)


class NullRows(Exported):
    """Lists of one length, of which the third is null."""

    def parent(self, form, children, length, offset=0):
        schema, array = super().parent(form, children, length, offset)
        bits = np.packbits(np.arange(-(-length // 8) * 8) != 2, bitorder="little")
        buffers = (ctypes.c_void_p * 1)(bits.ctypes.data)
        array.buffers, array.null_count = ctypes.cast(buffers, ctypes.POINTER(ctypes.c_void_p)), 1
        self.kept += [bits, buffers]
        return schema, array


class Arrow(unittest.TestCase):
    def test_columns(self):
        x = samples()
        given = {"a": x[:, 0].copy(), "b": (x[:, 1] * 100).astype(np.int32), "c": x[:, 2].astype(np.float32)}
        array, names = _arrow.matrix(Exported(given))
        np.testing.assert_array_equal(array, np.column_stack([column.astype(float) for column in given.values()]))
        self.assertEqual(names, ["a", "b", "c"])
        found = orthant.embed(Exported(given), "pca")
        np.testing.assert_array_equal(found.embedding, orthant.embed(array, "pca").embedding)
        self.assertEqual((found.feature_names, found.sample_names), (["a", "b", "c"], None))
        self.assertEqual(_arrow.matrix(Exported({"a": given["c"]}))[0].dtype, np.float32)

    def test_offsets(self):
        """Of the parent, and of a column of its own."""
        x = samples(9, 2)
        array, _ = _arrow.matrix(Exported({"a": x[:, 0].copy(), "shifted": np.concatenate([[7.0], x[:, 1]])}, offset=3))
        np.testing.assert_array_equal(array, x[3:])

    def test_rows_are_read_in_place(self):
        for kind in (np.float64, np.float32, np.uint8):
            x = (samples() * 200).astype(kind)
            array, names = _arrow.matrix(Exported(x, offset=2))
            np.testing.assert_array_equal(array, x[2:])
            self.assertTrue(np.shares_memory(array, x))
            self.assertIsNone(names)
            self.assertIs(_calls._rows(array), array)

    def test_what_is_wrong_is_named(self):
        x = samples()
        with self.assertRaisesRegex(ValueError, r"pca: row 4, column 1 \(counting from 1\) is NaN; .* or give missing=\"drop\""):
            orthant.embed(Exported({"a": x[:, 0].copy()}, nulls=(3, 8)), "pca")
        with self.assertRaisesRegex(ValueError, r"x has 1 nulls, the first in row 3 \(counting from 1\); leave out these rows"):
            orthant.embed(NullRows(x), "pca")
        text = Exported({"a": x[:, 0].copy()})
        real = _arrow._TYPES.copy()
        with unittest.mock.patch.dict(_arrow._TYPES, clear=True), self.assertRaisesRegex(ValueError, "x: column 'a' is of Arrow's type 'g'; give numbers"):
            orthant.embed(text, "pca")
        self.assertEqual(real, _arrow._TYPES)

    def test_estimators(self):
        try:
            import sklearn  # noqa: F401
        except ImportError:
            self.skipTest("scikit-learn is not installed")
        x = samples()
        table = Exported({name: x[:, j].copy() for j, name in enumerate("abcd")})
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            e = orthant.PCA().fit(table)
            np.testing.assert_array_equal(e.transform(table), orthant.PCA().fit(x).transform(x))
        self.assertEqual(list(e.feature_names_in_), list("abcd"))
        with self.assertRaisesRegex(ValueError, r"the columns of X are \['b', 'a', 'c', 'd'\], and those of the fit were"):
            e.transform(Exported({name: x[:, 0].copy() for name in "bacd"}))
        self.assertEqual(orthant.KMeans(2).fit(Exported(x)).labels_.shape, (60,))

    def test_pyarrow(self):
        pyarrow = pyarrow_or_skip(self)
        x = samples()
        table = pyarrow.table({name: x[:, j] for j, name in enumerate("abcd")})
        pieces = pyarrow.concat_tables([table.slice(0, 7), table.slice(7)])
        for given in (table, pieces, table.to_batches()[0], pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(x.ravel()), 4)):
            np.testing.assert_array_equal(orthant.embed(given, "pca").embedding, orthant.embed(x, "pca").embedding)
        self.assertEqual(orthant.embed(pieces, "pca").feature_names, list("abcd"))
        flags = pyarrow.table({"a": pyarrow.array([True, False, True] * 20), "b": pyarrow.array(x[:, 0])})
        np.testing.assert_array_equal(_arrow.matrix(flags)[0][:, 0], [1, 0, 1] * 20)
        holes = pyarrow.table({"a": pyarrow.array([1.0, None, 2.0]), "b": pyarrow.array([1, 2, None])})
        np.testing.assert_array_equal(_arrow.matrix(holes)[0], [[1, 1], [np.nan, 2], [2, np.nan]])
        with self.assertRaisesRegex(ValueError, "column 'word' is of Arrow's type"):
            orthant.embed(pyarrow.table({"word": ["a", "b"]}), "pca")


class Frames(unittest.TestCase):
    def test_pandas(self):
        pandas = pandas_or_skip(self)
        x = samples()
        frame = pandas.DataFrame(x, columns=list("abcd"), index=[f"cell{i}" for i in range(60)])
        found = orthant.embed(frame, "pca")
        np.testing.assert_array_equal(found.embedding, orthant.embed(x, "pca").embedding)
        self.assertEqual((found.feature_names, found.sample_names[:2]), (list("abcd"), ["cell0", "cell1"]))
        self.assertIsNone(orthant.embed(frame.reset_index(drop=True), "pca").sample_names)
        self.assertTrue(np.shares_memory(_data.entered(pandas.DataFrame(x))[0], x))
        mixed = frame.astype({"a": np.float32}).assign(b=np.arange(60), c=frame["c"].astype("Float64"))
        np.testing.assert_allclose(_data.entered(mixed)[0][:, 1], np.arange(60))
        with self.assertRaisesRegex(ValueError, "x: column 'word' is of type .*; give numbers, or leave it out"):
            orthant.embed(frame.assign(word="a"), "pca")
        with self.assertRaisesRegex(ValueError, "NaN"):
            orthant.embed(frame.assign(c=pandas.array([None] + [1.0] * 59, dtype="Float64")), "pca")

    def test_polars(self):
        try:
            import polars
        except ImportError:
            self.skipTest("polars is not installed")
        x = samples()
        frame = polars.DataFrame({name: x[:, j] for j, name in enumerate("abcd")})
        found = orthant.embed(frame, "pca")
        np.testing.assert_array_equal(found.embedding, orthant.embed(x, "pca").embedding)
        self.assertEqual(found.feature_names, list("abcd"))
        self.assertEqual(list(orthant.PCA().fit(frame).feature_names_in_), list("abcd"))


    def test_streams_as_polars_exports_them(self):
        """Of pieces, by a frame that has nothing but the stream, as where polars is not installed."""
        pyarrow = pyarrow_or_skip(self)
        x = samples()
        table = pyarrow.table({name: x[:, j] for j, name in enumerate("abcd")})
        pieces = pyarrow.concat_tables([table.slice(0, 7), table.slice(7, 0), table.slice(7, 30), table.slice(37)])

        class Frame:
            columns, shape = list("abcd"), x.shape

            def __arrow_c_stream__(self, requested_schema=None):
                return pieces.__arrow_c_stream__(requested_schema)

        found = orthant.embed(Frame(), "pca")
        np.testing.assert_array_equal(found.embedding, orthant.embed(x, "pca").embedding)
        self.assertEqual(found.feature_names, list("abcd"))
        self.assertEqual(orthant.factorize(Frame(), "nmf", 2, shift="columns").feature_names, list("abcd"))


class Tensor:
    """An object with DLPack's interface and no other."""

    def __init__(self, x, device=1):
        self.x, self.device = x, device

    def __dlpack__(self, **options):
        return self.x.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.device, 0


class InPlace(unittest.TestCase):
    def test_dlpack(self):
        x = samples()
        self.assertTrue(np.shares_memory(_data.entered(Tensor(x))[0], x))
        np.testing.assert_array_equal(orthant.embed(Tensor(x), "pca").embedding, orthant.embed(x, "pca").embedding)
        with self.assertRaisesRegex(ValueError, "x lies on another device; copy it to main memory"):
            orthant.embed(Tensor(x, device=2), "pca")

    def test_compressed_rows_are_not_copied(self):
        for kind in (np.float64, np.float32):
            for form in (sp.csr_matrix, sp.csr_array):
                a = form(sp.random(50, 20, 0.3, "csr", random_state=1), dtype=kind)
                read, _ = _sparse.csr(_sparse.summed(a))
                self.assertEqual((read.data, read.indices, read.indptr), (a.data.ctypes.data, a.indices.ctypes.data, a.indptr.ctypes.data))

    def test_memory_maps_that_may_only_be_read(self):
        x = samples(300, 6).astype(np.float32)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.npy")
            np.save(path, x)
            mapped = np.load(path, mmap_mode="r")
            self.assertTrue(np.shares_memory(_calls._rows(mapped), mapped))
            for method in ("pca", "lle", "le"):
                np.testing.assert_array_equal(orthant.embed(mapped, method).embedding, orthant.embed(x, method).embedding)
            np.testing.assert_array_equal(orthant.factorize(mapped, "nmf", 2, iterations=5).w, orthant.factorize(x, "nmf", 2, iterations=5).w)
            a = sp.csr_matrix(x)
            for part in (a.data, a.indices, a.indptr):
                part.flags.writeable = False
            np.testing.assert_allclose(orthant.embed(a, "isomap", neighbors=8).embedding, orthant.embed(x, "isomap", neighbors=8).embedding, atol=1e-6)
            del mapped

    def test_new_samples_in_blocks(self):
        """Float32 samples become float64 some rows after the other, and each has the coordinates that it has alone."""
        x = samples(500, 6).astype(np.float32)
        for model, call in ((orthant.embed(x, "lle", neighbors=8, model=True).model(), "transform"), (orthant.cluster(x, "kmeans", 4, model=True).model(), "predict")):
            want = getattr(model, call)(x.astype(np.float64))
            with unittest.mock.patch.object(_results, "_BLOCK", 6 * 70), unittest.mock.patch.object(_calls.Model, "_apply", autospec=True, side_effect=_calls.Model._apply) as applied:
                np.testing.assert_array_equal(getattr(model, call)(x), want)
            self.assertEqual([len(each.args[1]) for each in applied.call_args_list], [70] * 7 + [10])


class Annotated(unittest.TestCase):
    """What looks like AnnData, and AnnData itself where it is installed."""

    def data(self, x):
        return types.SimpleNamespace(X=x, layers={"counts": np.round(9 * x)}, obsm={"X_few": x[:, :3].copy()}, obsp={}, varm={}, obs={"kind": np.repeat(["a", "b"], len(x) // 2)}, uns={})

    def check(self, adata, x):
        from orthant import anndata

        result = anndata.embed(adata, "lle", neighbors=8, use_rep="X_few")
        np.testing.assert_array_equal(adata.obsm["X_lle"], orthant.embed(x[:, :3], "lle", neighbors=8).embedding)
        self.assertEqual((adata.uns["X_lle"]["method"], adata.uns["X_lle"]["params"]["neighbors"], adata.uns["X_lle"]["of"]), ("lle", 8, {"use_rep": "X_few"}))
        self.assertIn("eigenvalues", result)
        anndata.factorize(adata, "nmf", 3, layer="counts", iterations=20)
        want = orthant.factorize(np.round(9 * x), "nmf", 3, iterations=20)
        np.testing.assert_array_equal(adata.obsm["X_nmf"], want.w)
        np.testing.assert_array_equal(adata.varm["nmf"], want.h.T)
        anndata.neighbors(adata, 8)
        anndata.embed(adata, "le", graph="distances", key_added="X_spectrum")
        np.testing.assert_array_equal(adata.obsm["X_spectrum"], orthant.embed(None, "le", graph=orthant.neighbors(x, 8)).embedding)
        w = adata.obsp["distances"].copy()
        w.data = np.exp(-w.data)
        adata.obsp["connectivities"] = w.maximum(w.T)
        anndata.cluster(adata, "spectral", 2, affinities="connectivities", key_added="parts")
        want = orthant.cluster(None, "spectral", 2, affinities=w.maximum(w.T)).labels
        self.assertEqual(list(adata.obs["parts"]), [str(label) for label in want])
        anndata.embed(adata, "lda", dim=1, labels="kind")
        self.assertEqual(adata.obsm["X_lda"].shape, (60, 1))
        for call, told in (
            (lambda: anndata.embed(adata, "lle", use_rep="X_umap"), "obsm has no 'X_umap'; there are: 'X_few'"),
            (lambda: anndata.embed(adata, "le", graph="d"), "obsp has no 'd'"),
            (lambda: anndata.factorize(adata, "nmf", 2, layer="raw"), "layers has no 'raw'; there are: 'counts'"),
            (lambda: anndata.embed(adata, "pca", layer="counts", use_rep="X_few"), "give one of them"),
        ):
            with self.assertRaisesRegex(ValueError, told):
                call()

    def test_by_its_attributes(self):
        x = samples()
        adata = self.data(x)
        self.check(adata, x)

    def test_anndata(self):
        try:
            import anndata
        except ImportError:
            self.skipTest("anndata is not installed")
        x = samples()
        plain = self.data(x)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            adata = anndata.AnnData(x, layers=plain.layers, obsm=plain.obsm, obs=plain.obs)
        self.check(adata, x)
        self.assertEqual(str(adata.obs["parts"].dtype), "category")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "found.h5ad")
            adata.write_h5ad(path)
            again = anndata.read_h5ad(path)
            np.testing.assert_array_equal(again.obsm["X_lle"], adata.obsm["X_lle"])
            self.assertEqual(again.uns["X_lle"]["method"], "lle")


if __name__ == "__main__":
    unittest.main()
