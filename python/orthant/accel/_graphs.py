"""Neighbour graphs as in scikit-learn's Isomap, and the joining of their components."""

import warnings

import numpy as np
from scipy.sparse import csr_matrix, issparse

from .. import _calls, _solvers
from ._dispatch import Refused, ask

_BLOCK = 1 << 22  # entries of a block


def of_samples(X, k, radius, metric, threads):
    """Returns the neighbours of each sample with their distances: two arrays for the k nearest, or the n × n graph for a radius."""
    n = X.shape[0]
    if k is None:
        if np.isinf(radius):
            # Every sample is within twice the greatest norm.
            radius = 2.0 * float(np.sqrt(X.multiply(X).sum(1).max() if issparse(X) else np.einsum("ij,ij->i", X, X, dtype=float).max()) + 1)
            radius *= X.shape[1]  # for the city-block distance too
        return ask(_calls.neighbors, X, radius=radius, metric=metric, threads=threads)
    if k >= n:
        raise Refused(f"n_neighbors is {k} of {n} samples")
    return ask(_calls.neighbors, X, k, metric=metric, threads=threads)


def of_lists(indices, distances):
    """Returns the n × n graph for lists of k neighbours."""
    n, k = indices.shape
    return csr_matrix((distances.ravel(), indices.ravel(), np.arange(0, n * k + 1, k)), shape=(n, n))


def of_distances(D, k, radius):
    """Returns the graph of the k least known distances of each sample, or of all up to radius. The known distances are all (an array) or the stored ones (sparse)."""
    n = D.shape[0]
    indices, lengths, starts = [], [], [0]
    for i in range(n):
        if issparse(D):
            columns, values = D.indices[D.indptr[i] : D.indptr[i + 1]], D.data[D.indptr[i] : D.indptr[i + 1]]
        else:
            columns, values = np.arange(n), D[i]
        if k is None:
            chosen = np.flatnonzero((values <= radius) & (columns != i))
        else:
            # scikit-learn takes k + 1 and leaves out the sample itself, or the nearest if the sample is not among them.
            nearest = np.argsort(values, kind="stable")[: k + 1]
            if len(nearest) != k + 1:
                raise Refused(f"sample {i} has {len(values)} known distances, and n_neighbors is {k}, in addition to the sample itself")
            own = columns[nearest] == i
            chosen = nearest[~own] if own.any() else nearest[1:]
        indices.append(columns[chosen])
        lengths.append(values[chosen])
        starts.append(starts[-1] + len(chosen))
    return csr_matrix((np.concatenate(lengths).astype(float), np.concatenate(indices), starts), shape=(n, n))


def joined(graph, apart, whole):
    """Returns the graph with its components joined, each pair by the edge between its nearest samples, after scikit-learn's warning.

    graph may be the lists of the k nearest. apart(rows, columns) gives the distances between samples. Raises scikit-learn's RuntimeError if it cannot join them (whole is False).
    """
    graph = of_lists(*graph) if isinstance(graph, tuple) else graph
    count, labels = ask(_solvers.connected_components, graph)
    if count == 1:
        return graph
    if not whole:
        raise RuntimeError(
            f"The number of connected components of the neighbors graph is {count} > 1. The graph cannot be completed with metric='precomputed', "
            "and Isomap cannot befitted. Increase the number of neighbors to avoid this issue, or precompute the full distance matrix instead "
            "of passing a sparse neighbors graph."
        )
    warnings.warn(
        f"The number of connected components of the neighbors graph is {count} > 1. Completing the graph to fit Isomap might be slow. "
        "Increase the number of neighbors to avoid this issue.",
        stacklevel=7,
    )
    members = [np.flatnonzero(labels == c) for c in range(count)]
    rows, columns, lengths = [], [], []
    for c in range(count):
        for other in range(c):
            i, j, length = _nearest(members[c], members[other], apart)
            rows.append(i)
            columns.append(j)
            lengths.append(length)
    stored = np.repeat(np.arange(graph.shape[0]), np.diff(graph.indptr))
    # Built from its arrays, so that edges of length zero stay.
    rows, columns, lengths = np.concatenate([stored, rows]), np.concatenate([graph.indices, columns]), np.concatenate([graph.data, lengths])
    order = np.lexsort((columns, rows))
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows.astype(int), minlength=graph.shape[0]))])
    return csr_matrix((lengths[order], columns[order].astype(int), starts), shape=graph.shape)


def _nearest(first, second, apart):
    """Returns the nearest pair of samples of two sets, and their distance."""
    best = (-1, -1, np.inf)
    step = max(1, _BLOCK // len(second))
    for begin in range(0, len(first), step):
        part = first[begin : begin + step]
        distances = apart(part, second)
        i, j = np.unravel_index(np.argmin(distances), distances.shape)
        if distances[i, j] < best[2]:
            best = (part[i], second[j], float(distances[i, j]))
    return best
