"""scikit-learn's SpectralEmbedding on the engine."""

import importlib.util
import warnings

import numpy as np
from scipy.sparse import csr_matrix, issparse
from scipy.sparse.csgraph import laplacian
from sklearn.manifold import SpectralEmbedding as _Base
from sklearn.utils import check_random_state, check_symmetric

from .. import _calls, _solvers
from .._base import validate_data
from ._accelerated import Accelerated
from ._dispatch import Refused, ask, dispatch, threads


class SpectralEmbedding(Accelerated, _Base):
    def fit(self, X, y=None):
        self._validate_params()
        own = super().fit
        dispatch(self, "fit", lambda: self._accel_fit(X), lambda: own(X), self._accel_reason(X))
        return self

    fit.__doc__ = _Base.fit.__doc__

    def _accel_reason(self, X):
        if self.eigen_solver == "amg" and importlib.util.find_spec("pyamg") is not None:
            return "eigen_solver is 'amg'"
        if self.affinity == "nearest_neighbors" and issparse(X):
            return "affinity is 'nearest_neighbors' of sparse samples"
        if self.affinity == "precomputed_nearest_neighbors" and (self.n_neighbors is None or not issparse(X)):
            return "affinity is 'precomputed_nearest_neighbors' without n_neighbors, or of an array"
        return None

    def _accel_fit(self, X):
        X = validate_data(self, X, accept_sparse="csr", ensure_min_samples=2)
        if self.eigen_solver == "amg":
            raise ValueError("The eigen_solver was set to 'amg', but pyamg is not available.")
        check_random_state(self.random_state)
        running = threads(self.n_jobs)
        self.affinity_matrix_ = self._accel_affinities(X, running)
        self.embedding_ = self._accel_embed(check_symmetric(self.affinity_matrix_), running)

    def _accel_affinities(self, X, running):
        n = X.shape[0]
        if callable(self.affinity):
            return self.affinity(X)
        if self.affinity == "precomputed":
            return X
        if self.affinity == "rbf":
            self.gamma_ = self.gamma if self.gamma is not None else 1.0 / X.shape[1]
            return _gaussian(X, self.gamma_)
        if self.affinity == "precomputed_nearest_neighbors":
            indices = _least(X, self.n_neighbors)
        else:
            k = self.n_neighbors_ = self.n_neighbors if self.n_neighbors is not None else max(int(n / 10), 1)
            if not 2 <= k <= n:
                raise Refused(f"n_neighbors, which counts the sample itself, is {k} of {n} samples")
            others, _ = ask(_calls.neighbors, X, k - 1, threads=running)
            indices = np.column_stack([np.arange(n), others])
        k = indices.shape[1]
        listed = csr_matrix((np.ones(n * k), indices.ravel(), np.arange(0, n * k + 1, k)), shape=(n, n))
        return 0.5 * (listed + listed.T)

    def _accel_embed(self, affinities, running):
        d, n = self.n_components, affinities.shape[0]
        if d >= n - 1:
            raise Refused(f"n_components is {d} of {n} samples")
        graph = csr_matrix(affinities)
        graph.eliminate_zeros()
        connected = ask(_solvers.connected_components, graph)[0] == 1
        if not connected:
            warnings.warn("Graph is not fully connected, spectral embedding may not work as expected.", stacklevel=5)
        dense = not issparse(affinities)
        L, roots = laplacian((np.array(affinities, dtype=np.float64) if dense else graph.astype(np.float64)), normed=True, return_diag=True)
        if dense:
            L.flat[:: n + 1] = 1
        else:
            L = csr_matrix(L)
            L.setdiag(1)  # also of a sample without edges
        if connected:
            _, vectors = ask(_solvers.eigsh, L, d, null=roots, threads=running)[:2]
        else:
            vectors = ask(_solvers.eigsh, L, d + 1, threads=running)[1][:, 1:]
        embedding = vectors / roots[:, None]
        embedding *= np.sign(embedding[np.argmax(np.abs(embedding), axis=0), range(d)])
        single = getattr(affinities, "dtype", None) == np.float32
        return embedding.astype(np.float32) if single else embedding


def _gaussian(X, gamma):
    """Returns exp(−γ‖xᵢ − xⱼ‖²) of all pairs of samples, computed in float64, of the type of X."""
    single, X = X.dtype == np.float32, X.astype(np.float64)
    products = X @ X.T
    products = products.toarray() if issparse(products) else products
    squares = np.diagonal(products)
    apart = np.maximum(squares[:, None] + squares - 2 * products, 0)
    np.fill_diagonal(apart, 0)
    affinities = np.exp(-gamma * apart)
    return affinities.astype(np.float32) if single else affinities


def _least(X, k):
    """Returns the columns (n, k) of the least k stored entries of each row."""
    indices = np.empty((X.shape[0], k), dtype=np.intp)
    for i in range(X.shape[0]):
        part = slice(X.indptr[i], X.indptr[i + 1])
        if X.indptr[i + 1] - X.indptr[i] < k:
            raise Refused(f"sample {i} has fewer than n_neighbors = {k} known distances")
        indices[i] = X.indices[part][np.argsort(X.data[part], kind="stable")[:k]]
    return indices
