"""The outputs of tasks: results, and models for new samples."""

from __future__ import annotations

import json
import os
from ctypes import addressof, byref, c_double, c_int32, c_int64, c_size_t, c_void_p, create_string_buffer
from typing import Any

import numpy as np

from . import _library, _sparse
from ._arrays import _TYPES, _path, _rows, _text, samples
from ._library import INT64, OK, Buffer, Room, ask, library, raise_for
from ._types import Progress, Samples

# The size in entries of a block of new samples that are converted to float64.
_BLOCK = 1 << 22


class Result:
    """The result of a task: arrays by name, and a report.

    ``embedding``, ``eigenvalues``, ``w``, ``h``, ``labels``, ``indices`` ... are attributes if the task made them (see
    :meth:`array`); ``report`` is a dict with the keys of the command's ``--json``. ``feature_names`` and ``sample_names`` are the
    names of the columns and rows of a frame or table, otherwise None. ``kept`` has the numbers of the rows that ``missing="drop"`` left, if it left some out.
    ``dir(result)`` lists the arrays.

    Examples
    --------
    >>> import numpy, orthant
    >>> r = orthant.embed(numpy.eye(6), "pca", dim=2)
    >>> "embedding" in r, r.embedding.shape, r.report["method"]
    (True, (6, 2), 'pca')
    """

    converged: bool
    feature_names: list[str] | None
    sample_names: list[Any] | None
    kept: np.ndarray | None

    feature_names = sample_names = kept = None

    def __init__(self, handle: int, converged: bool = True) -> None:
        self._handle, self.converged, self._report = handle, converged, None

    def __del__(self):
        if getattr(self, "_handle", None) and _library._loaded is not None:
            _library._loaded.orthant_result_free(self._handle)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self.array(name)
        except ValueError as error:
            elsewhere = f'; report["{name}"] has it' if name in self.report else ""
            raise AttributeError(str(error) + elsewhere) from None

    def __reduce__(self):
        raise TypeError("an orthant.Result cannot be pickled or copied: it is held by the library; take its arrays, or its model()")

    def array(self, name: str, dtype: Any = None) -> np.ndarray:
        """Returns an array of the result: float64 (or float32, if asked) or int64. One column makes one dimension.
        """
        lib, error = library(), Room()
        n, m, kind, key = c_int64(), c_int64(), c_int32(), _text(name, "the name of the array")
        raise_for(lib.orthant_shape(self._handle, key, byref(n), byref(m), byref(kind), error.text), error)
        if kind.value == INT64:
            dtype = np.int64
        dtype = np.dtype(dtype or np.float64)
        kind = INT64 if dtype == np.int64 else _TYPES[dtype]

        def fill(address):
            raise_for(lib.orthant_copy(self._handle, key, Buffer(address, n.value, m.value, m.value, kind), error.text), error)

        out = lib.filled((n.value, m.value), dtype, fill)
        return out[:, 0] if name in _COLUMNS else out

    def __dir__(self):
        """The attributes, and the names of the arrays that this task made."""
        return sorted({*super().__dir__(), *(name for name in _ARRAYS if name in self)})

    def __contains__(self, name):
        """Reports whether there is an array of that name."""
        key = _text(name, "the name of the array")
        return library().orthant_shape(self._handle, key, None, None, None, None) == OK

    def affinities(self) -> Any:
        """Returns the weights between samples, a csr_matrix of SciPy, if the clustering kept them (``keep_affinities=True``).
        """
        return self._rows("affinities")

    def _rows(self, name):
        """Returns a square matrix in compressed rows."""
        from scipy.sparse import csr_matrix

        data, indices, indptr = (self.array(f"{name}_{part}") for part in ("data", "indices", "indptr"))
        n = len(indptr) - 1
        return csr_matrix((data, indices, indptr), shape=(n, n))

    def number(self, name: str) -> float:
        """Returns "iterations", "converged", "sound", "warnings", "components" ... (orthant.h lists them).
        """
        value, error = c_double(), Room()
        raise_for(library().orthant_number(self._handle, _text(name, "the name of the number"), byref(value), error.text), error)
        return value.value

    @property
    def report(self) -> dict[str, Any]:
        """Everything about the result except its arrays.
        """
        if self._report is None:
            self._report = json.loads(ask(library().orthant_report, self._handle))
        return self._report

    @property
    def quality(self) -> dict[str, Any] | None:
        """The measured quality of the result: ``verdict`` ("sound", "doubtful" or "not judged"), its ``sentence``, ``not_judged`` and the scores behind them, or None for a task without a verdict.
        """
        return self.report.get("quality")

    def model(self) -> Model:
        """Returns the :class:`Model` of a task with ``model=True``.
        """
        handle, error = c_void_p(), Room()
        raise_for(library().orthant_model_of(self._handle, byref(handle), error.text), error)
        return Model(handle.value)

    def __repr__(self):
        about = self.report
        return f"<orthant.Result of {about.get('method', 'a task')}, {about['samples']} samples>"


_COLUMNS = {
    "eigenvalues", "mean", "offset", "singular_values", "sizes", "residuals", "objective", "labels", "exemplars", "affinities_data", "affinities_indices", "affinities_indptr",
    "graph_data", "graph_indices", "graph_indptr", "ranks", "seeds", "label_samples", "layer_sizes", "layer_persistences",
    "spanning_from", "spanning_to", "spanning_distances", "core_distances",
}

# The names of all arrays that a task can make, except those of a rank (see orthant.h).
_ARRAYS = _COLUMNS | {
    "embedding", "projection", "tree", "layers", "memberships", "w", "h", "own", "learned", "centers", "indices", "distances", "samples", "vectors", "u", "v", "errors", "objectives", "iterations",
    "held_out_losses", "held_out_errors", "spectra", "usages", "scores", "levels", "rates",
}  # fmt: skip


class Model:
    """A fitted method, which gives new samples labels, or coordinates in the embedding of the fit.

    It can be saved, loaded and pickled; ``orthant transform`` reads the same files.

    Examples
    --------
    >>> import numpy, orthant
    >>> model = orthant.embed(numpy.eye(6), "pca", dim=2, model=True).model()
    >>> orthant.Model.from_bytes(model.to_bytes()).transform(numpy.eye(6)[:3]).shape
    (3, 2)
    """

    def __init__(self, handle: int | None = None, saved: bytes | None = None) -> None:
        self._handle, self._saved, self._info = handle, saved, None

    def __del__(self):
        if getattr(self, "_handle", None) and _library._loaded is not None:
            _library._loaded.orthant_model_free(self._handle)

    @classmethod
    def load(cls, path: str | os.PathLike) -> Model:
        """Reads a model from a file.
        """
        handle, error = c_void_p(), Room()
        raise_for(library().orthant_load(_path(path), byref(handle), error.text), error)
        return cls(handle.value)

    def save(self, path: str | os.PathLike) -> None:
        """Writes the model to a file, which is replaced as a whole or not at all.
        """
        error = Room()
        raise_for(library().orthant_save(self._live(), _path(path), error.text), error)

    def _live(self):
        """Returns the handle; after unpickling it is made from the bytes on first use."""
        if self._handle is None:
            handle, error = c_void_p(), Room()
            raise_for(library().orthant_load_bytes(self._saved, len(self._saved), byref(handle), error.text), error)
            self._handle, self._saved = handle.value, None
        return self._handle

    def to_bytes(self) -> bytes:
        """Returns the bytes that save would write.
        """
        if self._handle is None:
            return self._saved
        lib, needed, error = library(), c_size_t(), Room()
        raise_for(lib.orthant_save_bytes(self._handle, None, 0, byref(needed), error.text), error)
        buffer = create_string_buffer(needed.value)
        raise_for(lib.orthant_save_bytes(self._handle, addressof(buffer), needed.value, byref(needed), error.text), error)
        return buffer.raw

    @classmethod
    def from_bytes(cls, saved: bytes) -> Model:
        """Reads a model from the bytes that to_bytes returned.
        """
        model = cls(saved=bytes(saved))
        model._live()
        return model

    def __getstate__(self):
        return {"saved": self.to_bytes()}

    def __setstate__(self, state):
        self.__init__(saved=state["saved"])

    @property
    def info(self) -> dict[str, Any]:
        """A dict with "method", "params", "samples", "features", "dim", "clusters" (0: the model gives coordinates), "kind" and "program".
        """
        if self._info is None:
            self._info = json.loads(ask(library().orthant_model_info, self._live()))
        return self._info

    def transform(self, x: Samples, *, dataset: int | None = None, threads: int | None = None, backend: str | None = None, memory: int | None = None, progress: Progress = None, dtype: Any = None) -> np.ndarray:
        """Returns the coordinates of the rows of x, one row each. The coordinates of a row do not depend on the other rows.

        ``dataset`` is the label of the dataset of the rows, among those that :func:`factorize` was given as ``datasets``; without it
        they are mapped by the shared components. The model of a clustering gives labels, as :meth:`predict` does. If the work needs more than memory, in bytes (by default the
        available memory), a MemoryError is raised before it begins.
        """
        array = "labels" if self.info["clusters"] else "embedding"
        return self._in_blocks(x, array, dtype, {"dataset": dataset, "threads": threads, "backend": backend, "memory": memory}, progress)

    def predict(self, x: Samples, *, threads: int | None = None, backend: str | None = None, memory: int | None = None, progress: Progress = None) -> np.ndarray:
        """Returns the labels of the rows of x by the model of a clustering. The label of a row does not depend on the other rows.
        """
        if self.info["clusters"] == 0:
            raise ValueError(f"{self.info['method']}: the model gives coordinates and no labels; use transform, or fit the model of a clustering")
        return self._in_blocks(x, "labels", None, {"threads": threads, "backend": backend, "memory": memory}, progress)

    def _in_blocks(self, x, array, dtype, parameters, progress):
        """Applies the model block by block if rows have to be converted to float64, so that no copy of all rows is made."""
        x, _, _ = samples(x)
        x = x if _sparse.is_sparse(x) else _rows(x)
        rows = max(1, _BLOCK // max(x.shape[1], 1))
        if _sparse.is_sparse(x) or x.dtype == np.float64 or len(x) <= rows:
            return self._apply(x, parameters, progress).array(array, dtype)
        return np.concatenate([self._apply(x[i : i + rows], parameters, progress).array(array, dtype) for i in range(0, len(x), rows)])

    def _apply(self, x, parameters, progress):
        by = self._live()

        def start(lib, matrix, parameters, options, handle, error):
            return lib.orthant_transform(by, parameters, matrix, options, byref(handle), error)

        from ._calls import _run

        return _run(start, x, parameters, progress=progress, completes=False)

    def __repr__(self):
        about = self.info
        to = f"the labels of {about['clusters']} clusters" if about["clusters"] else about["dim"]
        return f"<orthant.Model of {about['method']}, {about['features']} columns to {to}>"
