"""A model over blocks, called as Dask, Ray Data and Spark call it. tests/dask_cluster.py has a real cluster of Dask."""

import functools
import os
import pickle
import subprocess
import sys
import tempfile
import threading
import types
import unittest
from unittest import mock

import numpy as np
import scipy.sparse as sp
from test_data import Exported, pandas_or_skip, pyarrow_or_skip

import orthant
from orthant import _arrow, _mapper

NAMES = ["a", "b", "c"]


def samples(n=120, m=3, seed=1):
    return np.random.default_rng(seed).uniform(size=(n, m))


@functools.lru_cache
def lle():
    return orthant.embed(samples(), "lle", neighbors=8, model=True).model()


@functools.lru_cache
def kmeans():
    return orthant.cluster(samples(), "kmeans", 4, model=True).model()


X = samples(60, seed=2)


def frame(pandas, index=None):
    return pandas.DataFrame({"id": [f"row {i}" for i in range(60)], "c": X[:, 2], "a": X[:, 0], "b": X[:, 1]}, index=index)


class Blocks(unittest.TestCase):
    def setUp(self):
        self.want = lle().transform(X)

    def test_arrays(self):
        mapper = orthant.Mapper(lle())
        np.testing.assert_array_equal(np.concatenate([mapper(X[i : i + 7]) for i in range(0, 60, 7)]), self.want)
        np.testing.assert_array_equal(orthant.Mapper(lle(), [3, 0, 1])(np.c_[X[:, 1:], np.ones(60), X[:, 0]]), self.want)
        np.testing.assert_array_equal(mapper(Exported(X)), self.want)
        self.assertEqual(orthant.Mapper(lle(), dtype="float32")(X).dtype, np.float32)
        labels = orthant.Mapper(kmeans())(X)
        np.testing.assert_array_equal(labels, kmeans().predict(X))
        pca = orthant.embed(samples(), "pca", model=True).model()
        np.testing.assert_array_equal(orthant.Mapper(pca)(sp.csr_matrix(X)), pca.transform(sp.csr_matrix(X)))

    def test_no_rows(self):
        """Dask asks by such blocks what comes out; of arrays they have no columns either."""
        for mapper, shape, kind in ((orthant.Mapper(lle(), dtype="float32"), (0, 2), np.float32), (orthant.Mapper(kmeans()), (0,), np.int64)):
            for empty in (np.empty((0, 0)), X[:0]):
                self.assertEqual((mapper(empty).shape, mapper(empty).dtype), (shape, kind))
        self.assertEqual(orthant.Mapper(lle(), [2, 0, 1])(np.empty((0, 0))).shape, (0, 2))

    def test_frames(self):
        pandas = pandas_or_skip(self)
        given = frame(pandas, index=np.arange(60)[::-1] * 2)
        mapped = orthant.Mapper(lle(), NAMES, keep=["id"])(given)
        self.assertEqual(list(mapped), ["id", "y1", "y2"])
        np.testing.assert_array_equal(mapped[["y1", "y2"]], self.want)
        np.testing.assert_array_equal(mapped.index, given.index)
        self.assertEqual(list(mapped["id"]), list(given["id"]))
        mapped = orthant.Mapper(kmeans(), names=["part"])(given[NAMES])
        np.testing.assert_array_equal(mapped["part"], kmeans().predict(X))
        empty = orthant.Mapper(lle(), NAMES)(given[:0])
        self.assertEqual((list(empty), empty.shape, set(empty.dtypes)), (["y1", "y2"], (0, 2), {np.dtype(float)}))

    def test_dicts(self):
        """As Ray Data's map_batches gives them: a dict of arrays that may only be read, samples as columns or as one tensor."""
        columns = {"id": np.array([f"row {i}" for i in range(60)]), "data": X.astype(float), **dict(zip(NAMES, X.T.copy()))}
        for part in columns.values():
            part.flags.writeable = False
        for mapper in (orthant.Mapper(lle(), NAMES, keep=["id"]), orthant.Mapper(lle(), "data", keep=["id"])):
            mapped = pickle.loads(pickle.dumps(mapper))(dict(columns))
            self.assertEqual(list(mapped), ["id", "y1", "y2"])
            self.assertTrue(all(isinstance(part, np.ndarray) and len(part) == 60 for part in mapped.values()))
            np.testing.assert_array_equal(np.column_stack([mapped["y1"], mapped["y2"]]), self.want)
        np.testing.assert_array_equal(orthant.Mapper(lle())({"data": X})["y2"], self.want[:, 1])

    def test_iterators(self):
        """As Spark gives them: one after the other, none before it is asked for."""
        pandas, seen = pandas_or_skip(self), []

        def batches():
            for i in range(0, 60, 25):
                seen.append(i)
                yield frame(pandas)[i : i + 25]

        mapper = orthant.Mapper(lle(), NAMES, keep=["id"])
        mapped = functools.wraps(mapper, assigned=("__doc__",))(lambda batches: mapper(batches))(batches())  # what pandas_udf does to a function
        first = next(mapped)
        self.assertEqual((seen, len(first)), ([0], 25))
        np.testing.assert_array_equal(pandas.concat([first, *mapped])[["y1", "y2"]], self.want)
        self.assertEqual(mapper.schema, "y1 double, y2 double")
        self.assertEqual(orthant.Mapper(lle(), dtype="float32", names=["u", "v"]).schema, "u float, v float")
        self.assertEqual(list(mapper(iter([]))), [])

    def test_as_a_worker_of_spark(self):
        """A daemon that has loaded no library forks, and the child unpickles the function, calls it and gives the results back."""
        pandas_or_skip(self)
        script = """if True:
            import os, pickle, sys, numpy, pandas, orthant
            function, frames = sys.stdin.buffer.read().split(b"END")
            r, w = os.pipe()
            if os.fork() == 0:
                mapped = list(pickle.loads(function)(iter(pickle.loads(frames))))
                with os.fdopen(w, "wb") as out:
                    pickle.dump(mapped, out)
                os._exit(0)
            os.close(w)
            sys.stdout.buffer.write(os.fdopen(r, "rb").read())"""
        import pandas

        mapper = orthant.Mapper(lle(), NAMES)
        given = pickle.dumps(mapper) + b"END" + pickle.dumps([frame(pandas)[:31], frame(pandas)[31:]])
        found = subprocess.run([sys.executable, "-c", script], input=given, capture_output=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}, timeout=120)
        self.assertEqual(found.returncode, 0, found.stderr)
        np.testing.assert_array_equal(np.concatenate(pickle.loads(found.stdout)), self.want)

    def test_pyarrow(self):
        pyarrow = pyarrow_or_skip(self)
        table = pyarrow.table({"id": [f"row {i}" for i in range(60)], "c": X[:, 2], "a": X[:, 0], "b": X[:, 1]})
        mapper = orthant.Mapper(lle(), NAMES, keep=["id"])
        for block in (table, table.to_batches()[0], pyarrow.concat_tables([table[:20], table[20:]])):
            mapped = mapper(block)
            self.assertEqual((type(mapped), mapped.schema.names, mapped.schema.field("y1").type), (type(block), ["id", "y1", "y2"], pyarrow.float64()))
            np.testing.assert_array_equal(np.column_stack([mapped.column(1), mapped.column(2)]), self.want)
            self.assertEqual(mapped.column(0).to_pylist(), table.column(0).to_pylist())
        reader = pyarrow.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=17))
        mapped = pyarrow.Table.from_batches(list(mapper(reader)))
        np.testing.assert_array_equal(np.column_stack([mapped["y1"], mapped["y2"]]), self.want)
        self.assertEqual(mapper(table[:0]).num_rows, 0)

    def test_tables_of_stand_ins(self):
        """Stands in for pyarrow and polars if they are not installed."""

        class Table(Exported):
            def select(self, names):
                return type(self)({name: self.given[name] for name in names})

        class Arrow(Table):
            schema = property(lambda self: types.SimpleNamespace(names=list(self.given), get_field_index=list(self.given).index))
            from_arrays = classmethod(lambda kind, arrays, names: kind(dict(zip(names, arrays))))

            def column(self, j):
                return list(self.given.values())[j]

        class Frame(Table):
            columns = property(lambda self: list(self.given))

            def __getitem__(self, name):
                return self.given[name]

        Arrow.__module__, Frame.__module__ = "pyarrow.lib", "polars.dataframe.frame"
        given = {"id": np.arange(60), **dict(zip("cab", X[:, [2, 0, 1]].T.copy()))}
        with mock.patch.dict(sys.modules, {"pyarrow": types.SimpleNamespace(array=np.array)}):
            for kind in (Arrow, Frame):
                mapped = orthant.Mapper(lle(), NAMES, keep=["id"])(kind(given))
                self.assertEqual((type(mapped), list(mapped.given)), (kind, ["id", "y1", "y2"]))
                np.testing.assert_array_equal(mapped.given["id"], given["id"])
                np.testing.assert_array_equal(_arrow.matrix(mapped.select(["y1", "y2"]))[0], self.want)
        np.testing.assert_array_equal(orthant.Mapper(lle(), NAMES)(Exported(given)), self.want)  # of another library


class Loading(unittest.TestCase):
    def setUp(self):
        _mapper._held.clear()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "lle.model")
        lle().save(self.path)

    def test_once_a_process(self):
        loads = []
        real = orthant.Model.from_bytes

        def load(saved):
            loads.append(threading.get_ident())
            return real(saved)

        mapper, found = orthant.Mapper(self.path), [None] * 8
        with mock.patch.object(orthant.Model, "from_bytes", load):

            def task(i):
                found[i] = pickle.loads(pickle.dumps(mapper))(X)

            started = [threading.Thread(target=task, args=(i,)) for i in range(8)]
            for thread in started:
                thread.start()
            for thread in started:
                thread.join()
        self.assertEqual(len(loads), 1)
        for y in found:
            np.testing.assert_array_equal(y, lle().transform(X))

    def test_no_more_models_than_some(self):
        mappers = [orthant.Mapper(orthant.embed(samples(seed=i), "pca", model=True).model()) for i in range(_mapper._KEPT + 2)]
        self.assertEqual(len(_mapper._held), _mapper._KEPT)
        self.assertEqual(mappers[0](X).shape, (60, 2))  # rebuilt from its state

    def test_a_path_is_all_that_travels(self):
        text = pickle.dumps(orthant.Mapper(self.path))
        self.assertLess(len(text), 1000)
        kmeans().save(self.path)
        with self.assertRaisesRegex(ValueError, "lle.model is not the model any more that the Mapper was made for; make the Mapper anew"):
            pickle.loads(text)(X)
        os.remove(self.path)
        with self.assertRaisesRegex(FileNotFoundError, "the model cannot be read .*: put it where all processes see it, or give the Model itself.*lle.model"):
            pickle.loads(text)(X)

    def test_an_estimator(self):
        try:
            fitted = orthant.LLE(n_neighbors=8).fit(samples())
        except ImportError:
            self.skipTest("scikit-learn is not installed")
        np.testing.assert_array_equal(orthant.Mapper(fitted)(X), fitted.transform(X))

    def test_tokens_tell_results_apart(self):
        def token(*given, **more):
            return orthant.Mapper(*given, **more).__dask_tokenize__()

        same = {repr(token(given, NAMES, threads=threads)) for given in (lle(), self.path) for threads in (None, 1)}
        self.assertEqual(len(same), 1)
        others = [token(kmeans(), NAMES), token(lle()), token(lle(), NAMES[::-1]), token(lle(), NAMES, keep=["id"]), token(lle(), NAMES, dtype="f4"), token(lle(), NAMES, names="uv")]
        self.assertEqual(len({*same, *map(repr, others)}), 7)


class Refusals(unittest.TestCase):
    def test_what_is_wrong_is_named(self):
        x = {name: X[:, j] for j, name in enumerate(NAMES)}
        for call, told in (
            (lambda: orthant.Mapper(X), "the model is ndarray; give an orthant.Model"),
            (lambda: orthant.Mapper(lle(), ["a", "a"]), "columns are .*, one of them twice"),
            (lambda: orthant.Mapper(lle(), dtype=int), "dtype is int64; give float64 or float32"),
            (lambda: orthant.Mapper(lle(), ["a", "d"])(x), r"the block has no column 'd'; its columns are \['a', 'b', 'c'\]"),
            (lambda: orthant.Mapper(lle(), keep=["id"])(x), "the block has no column 'id'"),
            (lambda: orthant.Mapper(lle(), keep=["id"])(X), "keep is for blocks whose columns have names"),
            (lambda: orthant.Mapper(lle(), NAMES)(X), "the block is an array of 3 columns, and 'a' is not one of them; give columns= by their numbers"),
            (lambda: orthant.Mapper(lle(), [0, 1, 3])(X), "and 3 is not one of them"),
            (lambda: orthant.Mapper(lle(), NAMES, keep=["y1"])({**x, "y1": X[:, 0]}), "'y1' would be a kept column and a coordinate; give names="),
            (lambda: orthant.Mapper(lle(), names=["u"])(x), "the model makes 2 column.*: give as many names"),
            (lambda: orthant.Mapper(lle(), ["a", "b"])(x), "2 columns"),
            (lambda: orthant.Mapper(lle())({}), "name them by columns="),
            (lambda: orthant.Mapper(lle())(X[0]), "the block has 1 dimensions; give 2, one sample a row"),
            (lambda: orthant.Mapper(lle())({**x, "b": np.array(["x"] * 60)}), "the block has entries of type"),
        ):
            with self.assertRaisesRegex(ValueError, told):
                call()


class Dask(unittest.TestCase):
    """Its collections, computed in this process."""

    def setUp(self):
        try:
            import dask  # noqa: F401
        except ImportError:
            self.skipTest("Dask is not installed (Debian: python3-dask)")

    def test_map_blocks(self):
        import dask.array as da

        x = da.from_array(X, chunks=(13, 3))
        y = x.map_blocks(orthant.Mapper(lle()), chunks=(x.chunks[0], (2,)))
        self.assertEqual((y.shape, y.dtype), ((60, 2), np.float64))
        np.testing.assert_array_equal(y.compute(scheduler="synchronous"), lle().transform(X))
        self.assertEqual(y.name, x.map_blocks(orthant.Mapper(lle()), chunks=(x.chunks[0], (2,))).name)
        with self.assertRaisesRegex(ValueError, "samples of 1 columns where the model was fitted to 3"):  # though it asks by such a block, too
            da.from_array(np.ones((2, 1)), chunks=(1, 1)).map_blocks(orthant.Mapper(lle())).compute(scheduler="synchronous")
        labels = x.map_blocks(orthant.Mapper(kmeans()), drop_axis=1)
        self.assertEqual((labels.shape, labels.dtype), ((60,), np.int64))
        np.testing.assert_array_equal(labels.compute(scheduler="threads"), kmeans().predict(X))

    def test_map_partitions(self):
        pandas = pandas_or_skip(self)
        try:
            import dask.dataframe as dd
        except ImportError:
            self.skipTest("Dask's frames need another version of pandas")
        given = frame(pandas)
        y = dd.from_pandas(given, npartitions=4).map_partitions(orthant.Mapper(lle(), NAMES, keep=["id"]))
        self.assertEqual(list(y.columns), ["id", "y1", "y2"])
        found = y.compute(scheduler="synchronous")
        np.testing.assert_array_equal(found[["y1", "y2"]], lle().transform(X))
        np.testing.assert_array_equal(found.index, given.index)


if __name__ == "__main__":
    unittest.main()
