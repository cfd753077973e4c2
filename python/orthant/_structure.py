"""Data that replace a neighbour search: a neighbour graph, affinities, distances."""

from ctypes import pointer

import numpy as np

from . import _arrays
from ._data import unmasked
from ._library import FLOAT32, FLOAT64, INT64, Matrix
from ._numbers import whole
from ._sparse import csr, is_sparse, rows_of


def enter(options, graph=None, affinities=None, distances=None):
    """Writes the given arrays into orthant_options, and returns the objects that must stay alive as long."""
    held = []
    if graph is not None:
        if is_sparse(graph):
            held += _sparse(options, "graph", once(graph, "graph"))
        else:
            held += _lists(options, graph)
    if affinities is not None:
        if not is_sparse(affinities):
            raise ValueError(f"affinities are {type(affinities).__name__}; give a sparse matrix of SciPy, such as scipy.sparse.csr_array(...)")
        held += _sparse(options, "affinities", affinities)
    if distances is not None:
        if is_sparse(distances):
            raise ValueError("distances are a sparse matrix, whose unstored entries are not known; give them as graph, or give a full array")
        held += _set(options, "distances", *square(distances))
    return held


def once(a, what):
    """Returns a sparse matrix in CSR without duplicate entries: entries of a graph must not be summed."""
    rows = rows_of(a, what)
    if rows.nnz != a.nnz and a.format in ("coo", "csc"):
        raise ValueError(f"{what}: {a.nnz - rows.nnz} of its entries are stored at the place of another; store each distance once")
    return rows


def _sparse(options, field, a):
    matrix, held = csr(a, field)
    setattr(options, field, pointer(matrix))
    return [matrix, *held]


def _lists(options, graph):
    """Enters (indices, distances), both n × k."""
    indices, distances = pair(graph)
    return _set(options, "graph_indices", indices, INT64) + _set(options, "graph_distances", *_real(distances))


def pair(graph):
    """Returns the arrays of (indices, distances), both n × k."""
    if not isinstance(graph, (tuple, list)) or len(graph) != 2:
        raise ValueError(f"graph is {type(graph).__name__}; give a sparse matrix of distances, or (indices, distances), both n × k")
    for part in graph:
        unmasked(part, "graph")
    indices, distances = _arrays.integers(graph[0], "graph: indices", None), _arrays.reals(graph[1], "graph: distances")
    if indices.ndim != 2 or indices.shape != distances.shape:
        raise ValueError(f"graph: indices of shape {indices.shape} and distances of shape {distances.shape}; give both as n × k")
    return indices, distances


def square(distances):
    """Returns (array, type) of a full matrix of distances."""
    distances = _arrays.reals(distances, "distances")
    if distances.ndim != 2:
        raise ValueError(f"distances are of type {distances.dtype} in {distances.ndim} dimension(s); give n × n real numbers")
    return _real(distances)


def _real(x):
    if x.dtype == np.float32:
        return np.ascontiguousarray(x), FLOAT32
    return np.ascontiguousarray(x, dtype=np.float64), FLOAT64


def _set(options, field, x, kind):
    n, m = x.shape
    matrix = Matrix(x.ctypes.data, n, m, m, kind)
    setattr(options, field, pointer(matrix))
    return [matrix, x]


def nearest(graph, k, given, itself=0):
    """Returns the graph of the k nearest neighbours of each sample, of one that has at least so many.

    given names k, which counts the sample itself with itself=1.
    """
    from scipy.sparse import csr_matrix

    k = whole(k, given, 1 + itself) - itself
    if is_sparse(graph):
        rows = once(graph, "graph")
    else:
        indices, distances = pair(graph)
        n, width = indices.shape
        rows = csr_matrix((distances.reshape(-1), indices.reshape(-1), np.arange(n + 1) * width), shape=(n, n))
    n = rows.shape[0]
    row = np.repeat(np.arange(n), np.diff(rows.indptr))
    other = rows.indices != row  # a sample is not its own neighbour
    row, cols, data = row[other], rows.indices[other], rows.data[other]
    stored = np.bincount(row, minlength=n)
    if n and stored.min() < k:
        at = int(stored.argmin())
        counted = f"{k + itself}, which counts the sample itself" if itself else k
        raise ValueError(f"{given} is {counted}, and row {at} (counting from 0) of the graph stores {stored[at]} neighbours; give a graph with as many, or leave {given} at its default to take all that are stored")
    order = np.lexsort((data, row))  # stable: of equal distances the first that is stored
    starts = np.concatenate([[0], np.cumsum(stored)[:-1]])
    chosen = order[(starts[:, None] + np.arange(k)).reshape(-1)]
    indptr = np.arange(n + 1, dtype=rows.indptr.dtype) * k
    return csr_matrix((data[chosen], cols[chosen], indptr), shape=rows.shape)
