"""Eigenvectors of a graph's normalised Laplacian as in scikit-learn's spectral_embedding, and the affinities from which it is built."""

import warnings

import numpy as np
from scipy.sparse import csr_matrix, issparse
from scipy.sparse.csgraph import laplacian

from .. import _calls, _solvers
from ._dispatch import Refused, ask

_RESIDUAL = 1e-10 # the largest residual of an eigenpair by products


def of_neighbors(X, k, running):
    """Returns the k − 1 nearest others of each sample and their distances; k includes the sample itself."""
    if not 2 <= k <= X.shape[0]:
        raise Refused(f"n_neighbors, which counts the sample itself, is {k} of {X.shape[0]} samples")
    return ask(_calls.neighbors, X, k - 1, threads=running)


def of_lists(others):
    """Returns the mean (n, n) of the lists of the nearest others, with the sample itself, and of their transpose."""
    return _symmetric(np.column_stack([np.arange(len(others)), others]))


def embedding_of_neighbors(lists, count, running, first=False):
    """Returns embedding() of the affinities of_lists(of_neighbors()), but for a connected graph does not build them."""
    others = lists[0]
    n, k = others.shape
    if count + (not first) <= n - 1 and count > first:
        try:
            found = ask(_calls.embed, None, "le", graph=lists, graph_="average", dim=count - first, components="error", threads=running)
        except Refused:  # in several components
            pass
        else:
            vectors = found.array("embedding").reshape(n, count - first)
            return np.hstack([np.full((n, 1), 1 / np.sqrt(n * k)), vectors]) if first else vectors
    return embedding(of_lists(others), count, running, first)


def of_distances(X, k):
    """Returns the same for the k least stored distances of each sample."""
    indices = np.empty((X.shape[0], k), dtype=np.intp)
    for i in range(X.shape[0]):
        part = slice(X.indptr[i], X.indptr[i + 1])
        if X.indptr[i + 1] - X.indptr[i] < k:
            raise Refused(f"sample {i} has fewer than n_neighbors = {k} known distances")
        indices[i] = X.indices[part][np.argsort(X.data[part], kind="stable")[:k]]
    return _symmetric(indices)


def _symmetric(indices):
    n, k = indices.shape
    listed = csr_matrix((np.ones(n * k), indices.ravel(), np.arange(0, n * k + 1, k)), shape=(n, n))
    return 0.5 * (listed + listed.T)


def embedding(affinities, count, running, first=False):
    """Returns the count smoothest vectors (n, count) on a graph: the eigenvectors of I − D^−½WD^−½ divided by √D. In each, the entry with the largest absolute value is positive.

    With first they include the vector of the smallest eigenvalue, which is constant on a connected graph. Warns if the graph is not connected.
    """
    n = affinities.shape[0]
    if count + (not first) > n - 1:
        raise Refused(f"{count} vectors are asked of {n} samples")
    graph = csr_matrix(affinities)
    graph.eliminate_zeros()
    connected = ask(_solvers.connected_components, graph)[0] == 1
    if not connected:
        warnings.warn("Graph is not fully connected, spectral embedding may not work as expected.", stacklevel=6)
    dense = not issparse(affinities)
    L, roots = laplacian((np.array(affinities, dtype=np.float64) if dense else graph.astype(np.float64)), normed=True, return_diag=True)
    if dense:
        L.flat[:: n + 1] = 1
    else:
        L = csr_matrix(L)
        L.setdiag(1)  # also for a sample without edges
    vectors = _smoothest(L, roots, count, running, connected, first) / roots[:, None]
    vectors *= np.sign(vectors[np.argmax(np.abs(vectors), axis=0), range(count)])
    single = getattr(affinities, "dtype", None) == np.float32
    return vectors.astype(np.float32) if single else vectors


def _smoothest(L, roots, count, running, connected, first):
    if not connected:
        vectors = _least(L, None, count + (not first), running)
        return vectors if first else vectors[:, 1:]
    known = (roots / np.linalg.norm(roots))[:, None]
    if not first:
        return _least(L, known, count, running)
    return known if count == 1 else np.hstack([known, _least(L, known, count - 1, running)])


def _least(L, known, count, running):
    """Returns the eigenvectors of the least eigenvalues, without a known one. For a full L, whose factors would be full, it first tries products with 1 − L."""
    if not issparse(L):
        turned = -L
        turned.flat[:: len(L) + 1] += 1
        if known is not None:
            turned -= known * known.T
        found = ask(_solvers.largest, turned, count, threads=running)
        if found.residuals.max() <= _RESIDUAL:
            return found[1]
    return ask(_solvers.eigsh, L, count, null=known, threads=running)[1]
