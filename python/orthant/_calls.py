"""Functions on arrays."""

from __future__ import annotations

import json
import time
from ctypes import byref, c_double, c_void_p, pointer, sizeof
from typing import Any

import numpy as np

from . import _data, _missing, _progress, _sparse, _structure
from ._arrays import _TYPES, SEARCHED, _json, _labels, _matrix, _rows, _text, reals, samples
from ._data import unmasked  # noqa: F401
from ._library import BUSY, NOT_CONVERGED, Options, Room, ask, library, raise_for
from ._numbers import real, whole
from ._results import Model, Result  # noqa: F401
from ._types import Progress, Samples
from ._warning import convergence_warning, heard, warn  # noqa: F401

# How long a wait in the library lasts, in ms: between two waits Python handles Ctrl-C.
_PATIENCE = 50

# The least time between two calls of progress, in s.
_TELL = 0.1


def _told(parameters, **near):
    """Returns (parameters, near). A word is the value of the method's parameter of that name, such as graph="mutual"."""
    for name in [name for name, given in near.items() if isinstance(given, str)]:
        if name + "_" in parameters:
            raise ValueError(f"{name!r} is given twice, once as {name + '_'!r}; keep one of them")
        parameters = {**parameters, name + "_": near[name]}
        near[name] = None
    return parameters, near


def _run(start, x, parameters, labels=None, start_w=None, start_h=None, progress=None, made=None, types=_TYPES, targets=None, weights=None, numbered=False, completes=True, **near):
    """Starts a task in the background, waits for it, and returns its Result, an instance of made.

    It waits without the GIL and in short turns, so that KeyboardInterrupt and exceptions of
    progress cancel the task. References to the inputs are kept until the task has ended. numbered: the result numbers the samples.
    """
    _progress.check(progress)
    if isinstance(weights, str):  # the rule of a method for the weights of edges or pairs
        parameters, weights = {**parameters, "weights": weights}, None
    labels = _data.of_samples(x, labels)
    x, columns, rows, kept, n, parameters = _samples(x, parameters, types, completes, {"the result": numbered, "start": start_w, **near})
    labels = None if labels is None else _labels(labels)
    weights = None if weights is None else reals(weights, "weights").reshape(-1, 1)
    if kept is not None:
        labels, targets, weights = _missing.left(kept, n, labels=labels, targets=targets, weights=weights)
    options = Options(struct_size=sizeof(Options), patience=_PATIENCE)
    held = _structure.enter(options, **near)
    if labels is not None:
        options.labels, options.labels_count = labels.ctypes.data, len(labels)
    for field, given in (("start", start_w), ("start_h", start_h), ("targets", targets), ("weights", weights)):
        if given is not None:
            given = _rows(given, field)
            held += [given, _matrix(given)]
            setattr(options, field, pointer(held[-1]))
    matrix = None
    if _sparse.is_sparse(x):
        compressed, arrays = _sparse.csr(_sparse.summed(x, "x"), "x")
        held += [compressed, arrays]
        options.samples = pointer(compressed)
    elif x is not None or not any(part is not None for part in near.values()):
        x = _rows(x, types=types)
        matrix = _matrix(x)
    lib, handle, error = library(), c_void_p(), Room()
    try:
        status = start(lib, matrix, _json(parameters), options, handle, error.text)
        if status == BUSY:
            with _progress.following(progress) as told:
                status = _wait(lib, handle, error, told)
        raise_for(status, error)
        result = (made or Result)(handle.value, status != NOT_CONVERGED)
        result.feature_names, result.sample_names, result.kept = columns, rows, kept
    except BaseException as error:
        lib.orthant_result_free(handle)  # it cancels, and waits until x is no longer read
        if isinstance(error, ValueError) and completes and _missing.remedied(error) is not error:
            raise _missing.remedied(error) from None
        raise
    if status == NOT_CONVERGED:
        warn(str(error), convergence_warning())
    if result.number("warnings") > 0:
        for text in result.report["warnings"]:
            warn(text, UserWarning)
    return result


def _samples(x, parameters, types, completes, others):
    """Returns (x, names of columns, names of rows, rows that are kept of n, n, parameters), without missing entries if the word says so."""
    word, parameters = _missing.asked(parameters)
    try:
        x, columns, rows = samples(x, types=types, gaps=word != "error")
    except ValueError as error:
        raise _missing.remedied(error) if completes else error
    if word not in ("drop", "mean") or x is None:
        return x, columns, rows, None, None, parameters
    n = x.shape[0] if x.ndim else 0
    x, kept = _missing.completed(x, word, names=columns)
    if kept is not None:
        _missing.refuse_dropped(n, others)
        warn(f'left out by missing="drop": {n - len(kept)} of {n} rows of x, which lack a value; results have {len(kept)} rows', UserWarning)
        rows = None if rows is None else [rows[i] for i in kept]
    return x, columns, rows, kept, n, parameters


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


def embed(x: Samples, method: str, *, labels: Any = None, targets: Any = None, weights: Any = None, start: Any = None, graph: Any = None, affinities: Any = None, distances: Any = None, progress: Progress = None, **parameters: Any) -> Result:
    """Reduces samples (rows of x) to a few coordinates.

    Give at most one of graph, affinities and distances, in addition to x or instead of it (then x is None).
    "beside_samples" and "instead_of_samples" of ``orthant.methods()`` list what a method takes.

    Parameters
    ----------
    x : array, frame, table or sparse matrix, n × m
        The samples, one a row. Sparse samples are accepted by methods that keep them sparse ("keeps_sparse" of ``orthant.methods()``).
    method : str
        Such as "neml", "lle" or "pca".
    labels : n whole numbers
        The classes of the samples, for supervised methods, and for umap with ``target_weight``, where -1 is not known.
    targets : n × t array, or n numbers
        What is known of the samples in numbers, for umap with ``target_weight`` and ``target_metric="euclidean"``.
    weights : n numbers ≥ 0
        The weights of the samples, for pca.
    start : n × dim array
        The start of an iterative method.
    graph : sparse n × n matrix, or (indices, distances), both n × k
        The neighbours of every sample with their distances, instead of a search. A stored zero is a distance of zero; entries that are not stored
        are not neighbours, and the sample itself is ignored. A str is the parameter of the method of that name; you can also write graph_="mutual".
    affinities : sparse symmetric n × n matrix
        The weights of edges, instead of a search and of the method's own weights.
    distances : n × n array
        All distances.
    progress : callable(phase, share) or bool
        Is called from time to time. An exception in it cancels the work, and so does Ctrl-C. True: a bar of tqdm, or a line of text without tqdm.
    **parameters
        Parameters of the method, of all methods of the task, and of the run: ``orthant.methods()`` lists them. ``missing="drop"`` leaves out the samples
        of which an entry is missing (NaN, None, null or masked), ``missing="mean"`` takes the mean of the column. Examples: ``neighbors=15, dim=2, seed=1, threads=2, model=True``.

    Returns
    -------
    Result
        With ``embedding``, n × dim.

    Raises
    ------
    ValueError
        For wrong parameters and data, with the remedy.
    MemoryError
        If the work does not fit into memory; raised before it begins.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(100, 4))
    >>> r = orthant.embed(x, "pca", dim=1, model=True)
    >>> r.embedding.shape, r.model().transform(x[:3]).shape
    ((100, 1), (3, 1))
    """

    def begin(lib, matrix, text, options, handle, error):
        return lib.orthant_embed(_text(method, "the method"), text, matrix, options, byref(handle), error)

    parameters, near = _told(parameters, graph=graph, affinities=affinities, distances=distances)
    if targets is not None:
        targets = np.atleast_2d(reals(targets, "targets", _TYPES).T).T  # n numbers are a column
    return _run(begin, x, parameters, labels, start, None, progress, targets=targets, weights=weights, **near)


def factorize(x: Samples, method: str, rank: int | str, *, labels: Any = None, start_w: Any = None, start_h: Any = None, graph: Any = None, affinities: Any = None, distances: Any = None, blocks: Any = None, datasets: Any = None, progress: Progress = None, **parameters: Any) -> Result:
    """Approximates x by w h with nonnegative factors, w of n × rank and h of rank × m.

    Parameters
    ----------
    x : array, frame, table or sparse matrix, n × m
        The samples, one a row.
    method : str
        Such as "nmf" or "gnmf".
    rank : int or "auto"
        The number of components. "auto" finds it by held-out entries ("nmf", "nmf-kl", "nmf-beta", "l21-nmf"), with the parameters least_rank and
        most_rank, held_out=0.1, the share of the entries, and masks=3, the choices of them. ``report["held_out"]`` has the ranks that were tried
        (docs/missing.md).
    labels : n whole numbers
        The classes of the samples, for supervised methods.
    start_w, start_h : n × rank and rank × m arrays
        The start.
    graph : sparse n × n matrix, or (indices, distances), both n × k
        The neighbours of every sample with their distances, instead of a search. A stored zero is a distance of zero; entries that are not stored
        are not neighbours, and the sample itself is ignored. A str is the parameter of the method of that name; you can also write graph_="mutual".
    affinities : sparse symmetric n × n matrix
        The weights of edges, instead of a search and of the method's own weights.
    distances : n × n array
        All distances.
    blocks : m labels
        The block of each column: x has several matrices of the same samples next to each other. ``block_weights`` says how much they count: "auto", so
        that all count equally (the default), "equal", or weights in the order of the labels, "1,0.5". With ``missing="weight"`` samples may lack a block.
    datasets : n labels
        The dataset of each sample: x has several matrices of the same columns below each other, which share h. The array "own" of the result has the own
        part of each dataset, rank rows each, with ``own_penalty`` (5) and ``dataset_weights`` ("equal"). Labels that are not whole numbers are numbered from
        0 in sorted order.
    progress : callable(phase, share) or bool
        Is called from time to time. An exception in it cancels the work, and so does Ctrl-C. True: a bar of tqdm, or a line of text without tqdm.
    **parameters
        Parameters of the method, of all methods of the task, and of the run: ``orthant.methods()`` lists them. ``missing="drop"`` leaves out the samples
        of which an entry is missing (NaN, None, null or masked), ``missing="mean"`` takes the mean of the column. Write ``lambda_`` for lambda.

    Returns
    -------
    Result
        With ``w``, ``h`` and ``offset``: x is approximately w h + offset in every row; with datasets w (h + own) + offset, by the own part of the dataset.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(100, 4))
    >>> r = orthant.factorize(x, "nmf", 3)
    >>> r.w.shape, r.h.shape
    ((100, 3), (3, 4))
    """
    count = -1 if isinstance(rank, str) and rank == "auto" else whole(rank, "rank")

    def begin(lib, matrix, text, options, handle, error):
        return lib.orthant_factorize(_text(method, "the method"), count, text, matrix, options, byref(handle), error)

    for name, labels_of in (("blocks", blocks), ("datasets", datasets)):
        if labels_of is not None:
            parameters = {**parameters, name: _listed(labels_of, name)}
    parameters, near = _told(parameters, graph=graph, affinities=affinities, distances=distances)
    return _run(begin, x, parameters, labels, start_w, start_h, progress, **near)


def _listed(labels, name):
    """Labels as the text of whole numbers that the library reads."""
    labels = np.asarray(labels)
    if labels.ndim != 1:
        raise ValueError(f"{name} has {labels.ndim} dimensions; give a list of labels")
    if labels.dtype.kind not in "iub":
        labels = np.unique(labels, return_inverse=True)[1]
    return ",".join(map(str, labels.astype(np.int64).tolist()))


def learn(x: Samples, method: str, rank: int, *, learned: Any = None, progress: Progress = None, **parameters: Any) -> Result:
    """Learns components from samples that arrive in batches, by nmf or nmf-kl with ``solver="minibatch"``.

    Parameters
    ----------
    x : array, frame, table or sparse matrix, n × m
        Further samples, one a row, with entries ≥ 0.
    method : {"nmf", "nmf-kl"}
    rank : int
        The number of components.
    learned : array, optional
        ``Result.learned`` of the previous call, with the same method, rank and columns; this call continues from there.
    progress : callable(phase, share) or bool
        As in :func:`factorize`.
    **parameters
        Parameters of the method and of the run. ``model=True`` keeps a model that gives samples their coordinates.

    Returns
    -------
    Result
        With ``h``, rank × m, and ``learned``, which holds the state after the samples so far.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(200, 8))
    >>> first = orthant.learn(x[:100], "nmf", 2, solver="minibatch")
    >>> orthant.learn(x[100:], "nmf", 2, learned=first.learned, solver="minibatch").h.shape
    (2, 8)
    """

    def begin(lib, matrix, text, options, handle, error):
        return lib.orthant_learn(_text(method, "the method"), whole(rank, "rank"), text, matrix, options, byref(handle), error)

    return _run(begin, x, parameters, start_w=learned, progress=progress)


def cluster(x: Samples, method: str, clusters: int = 0, *, weights: Any = None, graph: Any = None, affinities: Any = None, distances: Any = None, progress: Progress = None, **parameters: Any) -> Result:
    """Partitions samples.

    Parameters
    ----------
    x : array, frame, table or sparse matrix, n × m
        The samples, one a row.
    method : str
        Such as "kmeans" or "spectral".
    clusters : int
        Not for the methods that find the number.
    weights : n numbers ≥ 0
        The weights of the samples, for kmeans.
    graph : sparse n × n matrix, or (indices, distances), both n × k
        The neighbours of every sample with their distances, instead of a search. A stored zero is a distance of zero; entries that are not stored
        are not neighbours, and the sample itself is ignored. A str is the parameter of the method of that name; you can also write graph_="mutual".
    affinities : sparse symmetric n × n matrix
        The weights of edges, instead of a search and of the method's own weights.
    distances : n × n array
        All distances.
    progress : callable(phase, share) or bool
        Is called from time to time. An exception in it cancels the work, and so does Ctrl-C. True: a bar of tqdm, or a line of text without tqdm.
    **parameters
        Parameters of the method, of all methods of the task, and of the run: ``orthant.methods()`` lists them. ``missing="drop"`` leaves out the samples
        of which an entry is missing (NaN, None, null or masked), ``missing="mean"`` takes the mean of the column. ``model=True`` keeps a model for new samples, ``keep_affinities=True`` the
        weights between samples (:meth:`Result.affinities`).

    Returns
    -------
    Result
        With ``labels``, from 0 in the order of the first samples, and -1 for samples in no cluster; kmeans has ``centers``, "ds3" and "esc-ffs" have ``exemplars``.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(100, 4))
    >>> orthant.cluster(x, "kmeans", 3).labels.shape
    (100,)
    """

    def begin(lib, matrix, text, options, handle, error):
        return lib.orthant_cluster(_text(method, "the method"), whole(clusters, "clusters", least=0), text, matrix, options, byref(handle), error)

    parameters, near = _told(parameters, graph=graph, affinities=affinities, distances=distances)
    return _run(begin, x, parameters, progress=progress, weights=weights, **near)


def select(x: Samples, method: str, count: int, *, progress: Progress = None, **parameters: Any) -> np.ndarray:
    """Chooses exemplars among the samples.

    Parameters
    ----------
    x : array, frame or table, n × m
        The samples, one a row.
    method : str
        "ds3", or another method with "select" among its tasks.
    count : int
    progress : callable(phase, share) or bool
        Is called from time to time. An exception in it cancels the work, and so does Ctrl-C. True: a bar of tqdm, or a line of text without tqdm.
    **parameters
        Parameters of the method, of all methods of the task, and of the run: ``orthant.methods()`` lists them. ``missing="drop"`` leaves out the samples
        of which an entry is missing (NaN, None, null or masked), ``missing="mean"`` takes the mean of the column.

    Returns
    -------
    indices : int64 array
        The row numbers of the exemplars in x, in the order of choice or weight.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(100, 4))
    >>> orthant.select(x, "ds3", 3).dtype
    dtype('int64')
    """

    def begin(lib, matrix, text, options, handle, error):
        return lib.orthant_select(_text(method, "the method"), whole(count, "count"), text, matrix, options, byref(handle), error)

    found = _run(begin, x, parameters, progress=progress)
    indices = found.array("indices")[:, 0]
    return indices if found.kept is None else found.kept[indices]


def neighbors(x: Samples, k: int | None = None, *, radius: float | None = None, metric: str = "euclidean", progress: Progress = None, **parameters: Any) -> Any:
    """Finds the k nearest neighbours of every sample among the others, or all neighbours within a radius.

    Parameters
    ----------
    x : array, frame, table or sparse matrix, n × m
        The samples, one a row. An exact Euclidean search with k makes no float64 copy of float32, float16, uint8 or int8 in C order.
    k : int
        The number of neighbours; or
    radius : float
        the largest distance.
    metric : str
        "euclidean", "cosine", "correlation", "manhattan", "chebyshev", "minkowski=P", "canberra", "bray-curtis", "haversine", "hamming", "jaccard", "dice",
        "rogers-tanimoto", "russell-rao", "sokal-michener", "sokal-sneath", "yule", "kulsinski" or "inner-product" (-u·v, so that the largest is nearest); for
        a sparse x all except "haversine". Other names, such as "cityblock" and "l1", are taken, too.
    progress : callable(phase, share) or bool
        Is called from time to time. An exception in it cancels the work, and so does Ctrl-C. True: a bar of tqdm, or a line of text without tqdm.
    **parameters
        How to run. With k and an array of many samples and columns: recall=0.99.

    Returns
    -------
    (indices, distances), both n × k, or csr_matrix, n × n
        With k the lists, nearest first; with radius the matrix of distances. Other functions take either as graph.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(100, 4))
    >>> indices, distances = orthant.neighbors(x, 5)
    >>> indices.shape, distances.shape, orthant.neighbors(x, radius=0.2).shape
    ((100, 5), (100, 5), (100, 100))
    """
    if (k is None) == (radius is None):
        raise TypeError("neighbors takes k or radius: give one of them")
    count = 0 if k is None else whole(k, "k")
    if radius is not None:
        parameters["radius"] = real(radius, "radius", 0)

    def begin(lib, matrix, text, options, handle, error):
        return lib.orthant_neighbors(count, text, matrix, options, byref(handle), error)

    found = _run(begin, x, dict(parameters, metric=metric), progress=progress, types=SEARCHED, numbered=True)
    return (found.array("indices"), found.array("distances")) if radius is None else found._rows("graph")


def denoise(x: Samples, dim: int = 2, *, neighbors: int | str = "auto", progress: Progress = None, **parameters: Any) -> Result:
    """Removes noise: moves samples onto the nearby surface of dim dimensions.

    :func:`embed` does this first with ``denoise="auto"`` or ``neighbors="auto"``.

    Parameters
    ----------
    x : array, frame or table, n × m
        The samples, one a row.
    dim : int
        The dimensions of the surface.
    neighbors : int or "auto"
        The number of neighbours of each sample to which a plane is fitted; "auto": found from the samples.
    progress : callable(phase, share) or bool
        Is called from time to time. An exception in it cancels the work, and so does Ctrl-C. True: a bar of tqdm, or a line of text without tqdm.
    **parameters
        How to run.

    Returns
    -------
    Result
        With ``samples``, n × m. If it is not certain that the samples have noise around a surface, ``report["denoised"]`` is False, the samples are returned
        unchanged, and ``report["reason"]`` says why. ``report["noise"]`` is the size of the noise.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(100, 4))
    >>> orthant.denoise(x).samples.shape
    (100, 4)
    """

    def begin(lib, matrix, text, options, handle, error):
        return lib.orthant_denoise(whole(dim, "dim"), text, matrix, options, byref(handle), error)

    return _run(begin, x, dict(parameters, neighbors=neighbors), progress=progress)


def methods() -> list[dict[str, Any]]:
    """Describes the methods.

    Returns
    -------
    list of dict
        One dict for each: "name", "title", "tasks", "parameters" ...

    Examples
    --------
    >>> import orthant
    >>> [m["title"] for m in orthant.methods() if m["name"] == "lle"]
    ['Locally linear embedding']
    """
    return json.loads(ask(library().orthant_methods))["methods"]


def explain(message: str | BaseException) -> dict[str, Any]:
    """Explains an error or a warning of the library.

    Parameters
    ----------
    message : str or exception
        An identifier such as "E0412", the text of a message, or the exception or warning itself.

    Returns
    -------
    dict
        "id", which stays when words change, "kind" ("error" or "warning"), "shape" (the text with … in place of values), "about" (what
        such messages mean, and what helps) and the "page" of the documentation.

    Raises
    ------
    ValueError
        The message is not one of the library's.

    Examples
    --------
    >>> import orthant
    >>> try:
    ...     orthant.embed([[1.0, 2.0], [3.0, 5.0]], "pca", dim=0)
    ... except ValueError as error:
    ...     orthant.explain(error)["kind"]
    'error'
    """
    return json.loads(ask(library().orthant_explain, str(message).encode()))


def info() -> dict[str, Any]:
    """Describes the library and the machine.

    Returns
    -------
    dict
        The version, instruction set and backends, the threads and memory that this process may use, and the source of these limits ("threads",
        "memory_bytes", "limits"). "interface" is "library", or "worker" where the command carries out the calls; "path" is the file of
        either, and "pid" the process of a worker.

    Examples
    --------
    >>> import orthant
    >>> orthant.info()["abi"]
    1
    """
    return {**json.loads(ask(library().orthant_info)), **library().interface}
