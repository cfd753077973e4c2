"""Measurements between two sets of points: partitions from given centres, and neighbours among other samples."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _arrays, _sparse
from ._library import LloydProblem, NearestProblem
from ._numbers import real, whole
from ._problem import _Given, _solve
from ._results import Result
from ._types import Progress, Samples


def lloyd(
    x: Samples,
    start: Any = None,
    weights: Any = None,
    iterations: int = 300,
    tolerance: float = 0,
    trace: bool = False,
    *,
    emptied: str = "origin",
    draws: Any = None,
    first: int = 0,
    single: bool = False,
    weighted: bool = False,
    progress: Progress = None,
    **running: Any,
) -> Result:
    """Improves given centres by Lloyd's iteration (k-means), as scikit-learn's KMeans does.

    Parameters
    ----------
    x : array, or sparse matrix or array of SciPy, n × m
        The samples. Distances have more correct digits if they are centred.
    start : array, clusters × m; or None with draws
    weights : array (n,), ≥ 0; None: 1 each
    iterations : int
        At most; 0 assigns the samples to the start.
    tolerance : float
        The iteration ends when the squared movements of all centres sum to at most this, or when no sample changes its cluster.
    trace : bool
        Keeps the ``objective`` of each iteration, by the centres before it.
    emptied : {"origin", "heaviest"}
        The centre of a cluster that loses all its weight: the origin, which is the mean of centred samples, or the centre of the
        heaviest cluster. With "heaviest", clusters without weight also stay in place if every sample is at its centre.
    draws : array (clusters − 1, trials), ≥ 0 and < 1
        Chooses the start as greedy k-means++ does: sample first, and for each row of draws the best of the samples that its numbers draw
        with probabilities in proportion to their squared distances. single rounds these to float32. With weighted they are
        multiplied by the weights, and so are the sums by which the best is chosen.
    progress : callable(phase, share) or bool
        As in :func:`embed`.
    seed, threads, backend, memory : how to run, as in :func:`embed`

    Returns
    -------
    Result
        With ``labels`` (n,) in the order of the start, ``centers`` and ``objective``; ``number("inertia")`` and
        ``number("iterations")``; ``report`` has ``settled`` (no sample changed in the last iteration) and ``moved``.

    Notes
    -----
    O(n·m·clusters) an iteration at most; the same bits for any number of threads.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.array([[0.0], [1.0], [10.0], [11.0]])
    >>> orthant.lloyd(x, start=[[0.0], [1.0]]).labels
    array([0, 0, 1, 1])
    """
    given = _Given(LloydProblem)
    given.matrix(x, "x", "samples")
    if draws is None:
        given.full("centers", start, "start")
    elif start is not None:
        raise ValueError("start and draws are both given; leave one of them out")
    else:
        given.full("draws", np.asarray(_arrays.reals(draws, "draws"), dtype=np.float64), "draws")
    if weights is not None:
        given.columns("weights", weights, "weights")
    parameters = {"iterations": whole(iterations, "iterations", 0), "tolerance": real(tolerance, "tolerance", 0), "trace": bool(trace) or None, "emptied": None if emptied == "origin" else emptied}
    parameters.update(first=whole(first, "first", 0) or None, single=bool(single) or None, weighted=bool(weighted) or None)

    def begin(lib, text, problem, options, handle, error):
        return lib.orthant_lloyd_of(text, problem, options, handle, error)

    return _solve(begin, given, {**parameters, **running}, progress)


def nearest(x: Samples, queries: Samples, k: int | None = None, *, radius: float | None = None, metric: str = "euclidean", progress: Progress = None, **running: Any) -> Any:
    """Finds the k nearest samples (rows of x) of each query, or all within a radius; a query that is a sample finds it at distance 0.

    Parameters
    ----------
    x : array, or sparse matrix or array of SciPy, n × m
        The samples. As in :func:`neighbors`, and so are the queries.
    queries : array, or sparse matrix or array of SciPy, q × m
        Other samples, or the same.
    k : int, optional
        The number of neighbours. Give either k or radius.
    radius : float, optional
        ≥ 0.
    metric : str
        As in :func:`neighbors`.
    progress : callable(phase, share) or bool
        As in :func:`embed`.
    threads, backend, memory : how to run, as in :func:`embed`

    Returns
    -------
    (indices, distances) or csr_matrix
        With k both are q × k, nearest first and ties by the lower index; with radius a csr_matrix of SciPy with the distances, q × n, each
        row in the order of the samples.

    Notes
    -----
    O(log n) a query with k, few columns and the Euclidean metric, otherwise O(n·m).

    Examples
    --------
    >>> import orthant
    >>> orthant.nearest([[0.0], [1.0], [5.0]], [[0.9]], 2)[0]
    array([[1, 0]])
    """
    if (k is None) == (radius is None):
        raise TypeError("nearest takes k or radius: give one of them")
    given = _Given(NearestProblem, _arrays.SEARCHED)
    given.matrix(x, "x", "samples")
    if _sparse.is_sparse(queries):
        given.compressed("queries", queries, "queries")
    else:
        given.full("queries_dense", queries, "queries")
    if radius is not None:
        running["radius"] = real(radius, "radius", 0)
    count = 0 if k is None else whole(k, "k")

    def begin(lib, text, problem, options, handle, error):
        return lib.orthant_nearest_of(count, text, problem, options, handle, error)

    found = _solve(begin, given, {"metric": metric, **running}, progress)
    if radius is None:
        return found.array("indices"), found.array("distances")
    from scipy.sparse import csr_matrix

    data, indices, indptr = (found.array(f"graph_{part}") for part in ("data", "indices", "indptr"))
    samples = (given.problem.samples or given.problem.samples_dense).contents.rows
    return csr_matrix((data, indices, indptr), shape=(len(indptr) - 1, samples))
