"""Functions on arrays, and the results and models that they make."""

import json
import math
import numbers
import os
import time
from ctypes import byref, c_double, c_int32, c_int64, c_size_t, c_void_p, cast, create_string_buffer, pointer, sizeof

import numpy as np

from . import _data, _library, _sparse, _structure, _threads
from ._library import BUSY, FLOAT32, FLOAT64, INT64, NOT_CONVERGED, OK, UINT8, Matrix, Options, Room, ask, library, raise_for
from ._structure import unmasked
from ._warning import convergence_warning, heard, warn  # noqa: F401

_TYPES = {np.dtype(np.float64): FLOAT64, np.dtype(np.float32): FLOAT32, np.dtype(np.uint8): UINT8}


def _text(text, what):
    """Returns a str as the library reads it, up to a NUL: one within would cut it short."""
    if not isinstance(text, str):
        raise ValueError(f"{what} is {text!r}; give a str")
    if "\0" in text:
        raise ValueError(f"{what} is {text!r}, with a NUL character in it; leave that out")
    return text.encode()


def _path(path):
    """Returns a path as the library reads it."""
    name = os.fsencode(path)
    if b"\0" in name:
        raise ValueError(f"the path is {path!r}, with a NUL character in it; leave that out")
    return name


def _rows(x, what="x"):
    """Returns an array of samples that the library can read, x itself where that is possible.

    No copy is made of float64, float32 or uint8 whose rows are contiguous, one after the
    other or with gaps. Other integers, booleans and float16 become float64.
    """
    if x is None:
        raise ValueError(f"{what} is None; give the samples, one a row")
    x, _, _ = _data.entered(x, what)
    unmasked(x, what)
    x = np.asarray(x)
    if x.ndim != 2:
        raise ValueError(f"{what} has {x.ndim} dimensions; give 2, one sample a row")
    if not x.dtype.isnative:
        raise ValueError(f"{what} has the other byte order ({x.dtype.str}); convert it by x.astype(x.dtype.newbyteorder('='))")
    if x.dtype not in _TYPES:
        if x.dtype.kind not in "biuf" or x.dtype.itemsize > 8:
            raise ValueError(f"{what} has entries of type {x.dtype}; give real numbers, such as by x.astype(float)")
        x = x.astype(np.float64)
    n, m = x.shape
    if x.flags.c_contiguous and x.flags.aligned:
        return x
    size = x.itemsize
    between, within = x.strides
    if not (x.flags.aligned and (m < 2 or within == size) and n > 1 and between % size == 0 and between >= m * size):
        x = x.copy(order="C")
    return x


def _matrix(x):
    n, m = x.shape
    stride = m if n < 2 else x.strides[0] // x.itemsize
    return Matrix(x.ctypes.data, n, m, max(stride, m), _TYPES[x.dtype])


def _labels(labels, what="labels"):
    """Returns the classes of samples as int64; any whole numbers will do."""
    unmasked(labels, what)
    given = np.asarray(labels)
    if given.ndim != 1 or given.dtype.kind not in "biu":
        raise ValueError(f"{what} are of type {given.dtype} in {given.ndim} dimension(s); give one whole number for each sample")
    return np.ascontiguousarray(given, dtype=np.int64)


def _json(parameters):
    """Returns parameters as JSON; None means the default, and a final _ makes room for lambda_."""
    if parameters.get("threads") is None:
        parameters = {**parameters, "threads": _threads.default()}
    plain = {}
    for key, value in parameters.items():
        if isinstance(value, np.generic):
            value = value.item()
        if value is not None:
            name = key[:-1] if key.endswith("_") else key
            if name in plain:
                raise ValueError(f"{name!r} is given twice, once as {name + '_'!r}; keep one of them")
            plain[name] = value
    try:
        return json.dumps(plain, allow_nan=True).encode() if plain else None
    except TypeError as error:
        raise ValueError(f"a parameter is neither a number, a word nor a boolean: {error}") from error


# How long a wait in the library lasts, in ms: between two waits Python handles Ctrl-C.
_PATIENCE = 50

# The entries of a block of new samples that are not float64.
_BLOCK = 1 << 22

# The least time between two calls of progress, in s.
_TELL = 0.1


def _told(parameters, **near):
    """Returns (parameters, near): a word is the value of a method's parameter of that name, such as graph="mutual"."""
    for name in [name for name, given in near.items() if isinstance(given, str)]:
        if name + "_" in parameters:
            raise ValueError(f"{name!r} is given twice, once as {name + '_'!r}; keep one of them")
        parameters = {**parameters, name + "_": near[name]}
        near[name] = None
    return parameters, near


def _run(start, x, parameters, labels=None, start_w=None, start_h=None, progress=None, made=None, **near):
    """Starts a task in the background, waits for it, and returns its Result, of the class made.

    The waiting is done without the GIL and in short turns, so that KeyboardInterrupt
    and what progress raises cancel the task. Its inputs are referred to until it ended.
    """
    x, columns, rows = _data.entered(x)
    options = Options(struct_size=sizeof(Options), patience=_PATIENCE)
    held = _structure.enter(options, **near)
    if labels is not None:
        labels = _labels(labels)
        options.labels, options.labels_count = labels.ctypes.data, len(labels)
    for field, given in (("start", start_w), ("start_h", start_h)):
        if given is not None:
            given = _rows(given, field)
            held += [given, _matrix(given)]
            setattr(options, field, pointer(held[-1]))
    matrix = None
    if _sparse.is_sparse(x):
        samples, arrays = _sparse.csr(_sparse.summed(x), "x")
        held += [samples, arrays]
        options.samples = pointer(samples)
    elif x is not None or not any(part is not None for part in near.values()):
        x = _rows(x)
        matrix = _matrix(x)
    lib, handle, error = library(), c_void_p(), Room()
    try:
        status = start(lib, matrix, _json(parameters), options, handle, error.text)
        if status == BUSY:
            status = _wait(lib, handle, error, progress)
        raise_for(status, error)
        result = (made or Result)(handle.value, status != NOT_CONVERGED)
        result.feature_names, result.sample_names = columns, rows
    except BaseException:
        lib.orthant_result_free(handle)  # which cancels, and waits until x is no longer read
        raise
    if status == NOT_CONVERGED:
        warn(str(error), convergence_warning())
    if result.number("warnings") > 0:
        for text in result.report["warnings"]:
            warn(text, UserWarning)
    return result


def _wait(lib, handle, error, progress):
    share, phase, told = c_double(), Room(64), time.monotonic()
    wait = lib.orthant_wait
    while True:
        status = wait(handle, _PATIENCE, byref(share), phase.text, error.text)
        if status != BUSY:
            return status
        if progress is not None and time.monotonic() - told >= _TELL:
            told = time.monotonic()
            progress(str(phase), share.value)


class Result:
    """What a task made: arrays by name, and all that is known of it.

    ``embedding``, ``eigenvalues``, ``w``, ``h``, ``labels``, ``indices`` ... are attributes where the task made
    them (see :meth:`array`); ``report`` is a dict with the keys of the command's ``--json``. ``feature_names`` and ``sample_names``
    are the names of the columns and rows of a frame or table, else None.
    """

    feature_names = sample_names = None

    def __init__(self, handle, converged=True):
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
            raise AttributeError(str(error)) from None

    def __reduce__(self):
        raise TypeError("an orthant.Result cannot be pickled or copied: it is held by the library; take its arrays, or its model()")

    def array(self, name, dtype=None):
        """Returns an array of the result: float64 (or float32, if asked) or int64. One column makes one dimension."""
        lib, error = library(), Room()
        n, m, kind, key = c_int64(), c_int64(), c_int32(), _text(name, "the name of the array")
        raise_for(lib.orthant_shape(self._handle, key, byref(n), byref(m), byref(kind), error.text), error)
        if kind.value == INT64:
            dtype = np.int64
        out = np.empty((n.value, m.value), dtype=dtype or np.float64)
        kind = INT64 if out.dtype == np.int64 else _TYPES[out.dtype]
        to = Matrix(out.ctypes.data, n.value, m.value, m.value, kind)
        raise_for(lib.orthant_copy(self._handle, key, to, error.text), error)
        return out[:, 0] if name in _COLUMNS else out

    def __contains__(self, name):
        """Tells whether there is an array of that name."""
        key = _text(name, "the name of the array")
        return library().orthant_shape(self._handle, key, None, None, None, None) == OK

    def affinities(self):
        """Returns the weights between samples of a clustering that was asked for them (``keep_affinities=True``), a csr_matrix of SciPy."""
        return self._rows("affinities")

    def _rows(self, name):
        """Returns a square matrix in compressed rows."""
        from scipy.sparse import csr_matrix

        data, indices, indptr = (self.array(f"{name}_{part}") for part in ("data", "indices", "indptr"))
        n = len(indptr) - 1
        return csr_matrix((data, indices, indptr), shape=(n, n))

    def number(self, name):
        """Returns "iterations", "converged", "sound", "warnings", "components" ... (orthant.h lists them)."""
        value, error = c_double(), Room()
        raise_for(library().orthant_number(self._handle, _text(name, "the name of the number"), byref(value), error.text), error)
        return value.value

    @property
    def report(self):
        """All that is known of the result besides its arrays."""
        if self._report is None:
            self._report = json.loads(ask(library().orthant_report, self._handle))
        return self._report

    @property
    def quality(self):
        """What was measured of the result: ``sound``, ``verdict`` and the scores behind them, or None of a task without a verdict."""
        return self.report.get("quality")

    def model(self):
        """Returns the :class:`Model` of a task that was asked for one (``model=True``)."""
        handle, error = c_void_p(), Room()
        raise_for(library().orthant_model_of(self._handle, byref(handle), error.text), error)
        return Model(handle.value)

    def __repr__(self):
        about = self.report
        return f"<orthant.Result of {about.get('method', 'a task')}, {about['samples']} samples>"


_COLUMNS = {
    "eigenvalues", "offset", "singular_values", "sizes", "residuals", "objective", "labels", "exemplars", "affinities_data", "affinities_indices", "affinities_indptr",
    "graph_data", "graph_indices", "graph_indptr", "ranks", "seeds", "label_samples",
}


class Model:
    """A fitted method, which gives new samples coordinates beside those of the samples it was fitted to, or labels.

    It can be saved, loaded and pickled; ``orthant transform`` reads the same files.
    """

    def __init__(self, handle=None, saved=None):
        self._handle, self._saved, self._info = handle, saved, None

    def __del__(self):
        if getattr(self, "_handle", None) and _library._loaded is not None:
            _library._loaded.orthant_model_free(self._handle)

    @classmethod
    def load(cls, path):
        """Reads a model from a file."""
        handle, error = c_void_p(), Room()
        raise_for(library().orthant_load(_path(path), byref(handle), error.text), error)
        return cls(handle.value)

    def save(self, path):
        """Writes the model to a file, which is replaced as a whole or not at all."""
        error = Room()
        raise_for(library().orthant_save(self._live(), _path(path), error.text), error)

    def _live(self):
        """Returns the handle, made anew from the bytes of a pickle when it is first needed."""
        if self._handle is None:
            handle, error = c_void_p(), Room()
            raise_for(library().orthant_load_bytes(self._saved, len(self._saved), byref(handle), error.text), error)
            self._handle, self._saved = handle.value, None
        return self._handle

    def to_bytes(self):
        """Returns what save would write."""
        if self._handle is None:
            return self._saved
        lib, needed, error = library(), c_size_t(), Room()
        raise_for(lib.orthant_save_bytes(self._handle, None, 0, byref(needed), error.text), error)
        buffer = create_string_buffer(needed.value)
        raise_for(lib.orthant_save_bytes(self._handle, cast(buffer, c_void_p), needed.value, byref(needed), error.text), error)
        return buffer.raw

    @classmethod
    def from_bytes(cls, saved):
        """Reads what to_bytes returned."""
        model = cls(saved=bytes(saved))
        model._live()
        return model

    def __getstate__(self):
        return {"saved": self.to_bytes()}

    def __setstate__(self, state):
        self.__init__(saved=state["saved"])

    @property
    def info(self):
        """A dict with "method", "params", "samples", "features", "dim", "clusters" (0: the model gives coordinates), "kind" and "program"."""
        if self._info is None:
            self._info = json.loads(ask(library().orthant_model_info, self._live()))
        return self._info

    def transform(self, x, *, threads=None, backend=None, progress=None, dtype=None):
        """Returns the coordinates of the rows of x, one row each. A row's do not depend on the others.

        The model of a clustering gives labels, as :meth:`predict` does.
        """
        array = "labels" if self.info["clusters"] else "embedding"
        return self._in_blocks(x, array, dtype, threads, backend, progress)

    def predict(self, x, *, threads=None, backend=None, progress=None):
        """Returns the labels of the rows of x by the model of a clustering. A row's does not depend on the others."""
        if self.info["clusters"] == 0:
            raise ValueError(f"{self.info['method']}: the model gives coordinates and no labels; use transform, or fit the model of a clustering")
        return self._in_blocks(x, "labels", None, threads, backend, progress)

    def _in_blocks(self, x, array, dtype, *running):
        """Applies the model to some rows after the other where these become float64 for that, so that no copy of all is made."""
        x = x if _sparse.is_sparse(x) else _rows(x)
        rows = max(1, _BLOCK // max(x.shape[1], 1))
        if _sparse.is_sparse(x) or x.dtype == np.float64 or len(x) <= rows:
            return self._apply(x, *running).array(array, dtype)
        return np.concatenate([self._apply(x[i : i + rows], *running).array(array, dtype) for i in range(0, len(x), rows)])

    def _apply(self, x, threads, backend, progress):
        by = self._live()

        def start(lib, matrix, parameters, options, handle, error):
            return lib.orthant_transform(by, parameters, matrix, options, byref(handle), error)

        return _run(start, x, {"threads": threads, "backend": backend}, progress=progress)

    def __repr__(self):
        about = self.info
        to = f"the labels of {about['clusters']} clusters" if about["clusters"] else about["dim"]
        return f"<orthant.Model of {about['method']}, {about['features']} columns to {to}>"


def embed(x, method, *, labels=None, start=None, graph=None, affinities=None, distances=None, progress=None, **parameters):
    """Reduces samples (rows of x) to a few coordinates.

    x is an array, or a sparse matrix or array of SciPy for methods that keep it sparse ("keeps_sparse" of ``orthant.methods()``). Instead of
    x (which is None then) or beside it, as "instead_of_samples" and "beside_samples" tell, at most one of these is given:
    graph, the neighbours of every sample with their distances, as (indices, distances), both n × k, or as a sparse n × n matrix (stored
    zeros are distances of zero, what is not stored is no neighbour, the sample itself does not count); affinities, a sparse symmetric n × n
    matrix of the weights of edges; distances, a full n × n array. (A word is the method's parameter of that name, which can be written
    graph_="mutual" beside a graph.)

    Parameters are those of the method, of all methods, and of the run (``orthant.methods()`` lists them):
    ``embed(x, "neml", neighbors=15, dim=2, seed=1, threads=2, model=True)``. labels are the classes of the samples for
    supervised methods, start that of an iterative one. progress(phase, share) is called now and then; what
    it raises cancels the work, and so does Ctrl-C. Returns a :class:`Result` with ``embedding``.
    """

    def begin(lib, matrix, text, options, handle, error):
        return lib.orthant_embed(_text(method, "the method"), text, matrix, options, byref(handle), error)

    parameters, near = _told(parameters, graph=graph, affinities=affinities, distances=distances)
    return _run(begin, x, parameters, labels, start, None, progress, **near)


def factorize(x, method, rank, *, labels=None, start_w=None, start_h=None, graph=None, affinities=None, distances=None, progress=None, **parameters):
    """Approximates x by w h with nonnegative factors, w of n × rank and h of rank × m.

    Returns a :class:`Result` with ``w`` and ``h``. The rest is as in :func:`embed`.
    """

    def begin(lib, matrix, text, options, handle, error):
        return lib.orthant_factorize(_text(method, "the method"), int(rank), text, matrix, options, byref(handle), error)

    parameters, near = _told(parameters, graph=graph, affinities=affinities, distances=distances)
    return _run(begin, x, parameters, labels, start_w, start_h, progress, **near)


def learn(x, method, rank, *, learned=None, progress=None, **parameters):
    """Learns the components of samples that come little by little, by nmf or nmf-kl with ``solver="minibatch"``.

    Returns a :class:`Result` with ``h``, and with ``learned``, all that is known of the samples so far: given to the next call, of the
    same method, rank and columns, that goes on. ``model=True`` keeps what gives samples their coordinates. The rest is as in :func:`embed`.
    """

    def begin(lib, matrix, text, options, handle, error):
        return lib.orthant_learn(_text(method, "the method"), int(rank), text, matrix, options, byref(handle), error)

    return _run(begin, x, parameters, start_w=learned, progress=progress)


def cluster(x, method, clusters, *, graph=None, affinities=None, distances=None, progress=None, **parameters):
    """Partitions samples; returns a :class:`Result` with ``labels`` (kmeans: and ``centers``).

    ``model=True`` keeps what gives new samples their labels, ``keep_affinities=True`` the weights between samples (``Result.affinities()``).
    ``ds3`` and ``esc-ffs`` have ``exemplars``, too. The rest is as in :func:`embed`.
    """

    def begin(lib, matrix, text, options, handle, error):
        return lib.orthant_cluster(_text(method, "the method"), int(clusters), text, matrix, options, byref(handle), error)

    parameters, near = _told(parameters, graph=graph, affinities=affinities, distances=distances)
    return _run(begin, x, parameters, progress=progress, **near)


def select(x, method, count, *, progress=None, **parameters):
    """Chooses exemplars among the samples; returns the rows of x that they are, in the order of choice or weight."""

    def begin(lib, matrix, text, options, handle, error):
        return lib.orthant_select(_text(method, "the method"), int(count), text, matrix, options, byref(handle), error)

    return _run(begin, x, parameters, progress=progress).array("indices")[:, 0]


def neighbors(x, k=None, *, radius=None, metric="euclidean", progress=None, **parameters):
    """Finds the k nearest neighbours of every sample among the others, or all within a radius.

    With k returns (indices, distances), both n × k, nearest first; with radius a csr_matrix of SciPy with the distances, n × n. The other
    functions take either as graph. x is an array, or a sparse matrix or array of SciPy. metric is "euclidean", "cosine", "correlation",
    "manhattan", "chebyshev", "hamming" or "jaccard"; of a sparse x the first, the second and the last two. method="approximate" and
    recall=0.99 are for many samples of many columns, as an array, by k.
    """
    if (k is None) == (radius is None):
        raise TypeError("neighbors takes k or radius: give one of them")
    count = 0
    if radius is None:
        if not isinstance(k, numbers.Integral):
            raise ValueError(f"k is {k!r}; give a whole number ≥ 1")
        count = int(k)
    elif isinstance(radius, numbers.Real) and 0 <= radius < math.inf:
        parameters["radius"] = float(radius)
    else:
        raise ValueError(f"radius is {radius!r}; give a finite number ≥ 0")

    def begin(lib, matrix, text, options, handle, error):
        return lib.orthant_neighbors(count, text, matrix, options, byref(handle), error)

    found = _run(begin, x, dict(parameters, metric=metric), progress=progress)
    return (found.array("indices"), found.array("distances")) if radius is None else found._rows("graph")


def denoise(x, dim=2, *, neighbors="auto", progress=None, **parameters):
    """Moves samples onto the surface of dim dimensions that they lie near; returns a :class:`Result` with ``samples``, n × m.

    Planes are fitted to so many neighbours of each sample, with "auto" to as many as the samples show. ``report["denoised"]`` is
    False, and ``samples`` are those given, where it is not certain that they stray from a surface by noise; ``report["reason"]`` says
    why then, and ``report["noise"]`` how far they stray. :func:`embed` does so first with ``denoise="auto"`` or ``neighbors="auto"``.
    """

    def begin(lib, matrix, text, options, handle, error):
        return lib.orthant_denoise(int(dim), text, matrix, options, byref(handle), error)

    return _run(begin, x, dict(parameters, neighbors=neighbors), progress=progress)


def methods():
    """Returns a list of dicts, one for each method: name, title, tasks, parameters ..."""
    return json.loads(ask(library().orthant_methods))["methods"]


def info():
    """Returns a dict about the library and the machine: version, instruction set, backends, and the
    threads and memory that this process may take with who says so ("threads", "memory_bytes", "limits")."""
    return json.loads(ask(library().orthant_info))
