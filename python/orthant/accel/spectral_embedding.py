"""scikit-learn's SpectralEmbedding on the engine."""

import importlib.util

from scipy.sparse import issparse
from sklearn.manifold import SpectralEmbedding as _Base
from sklearn.utils import check_random_state, check_symmetric

from .._base import validate_data
from . import _kernels, _laplacian
from ._accelerated import Accelerated, Lazy
from ._dispatch import dispatch, threads


class SpectralEmbedding(Accelerated, _Base):
    _accel_lazy = ("affinity_matrix_",)

    @Lazy
    def affinity_matrix_(self, fitted):
        return _laplacian.of_lists(fitted["lists"])

    def fit(self, X, y=None):
        self._validate_params()
        self._accel_forget()
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
        if self.affinity == "nearest_neighbors":
            self.n_neighbors_ = self.n_neighbors if self.n_neighbors is not None else max(int(X.shape[0] / 10), 1)
            lists = _laplacian.of_neighbors(X, self.n_neighbors_, running)
            self.embedding_ = _laplacian.embedding_of_neighbors(lists, self.n_components, running)
            self._accel_fitted = {"lists": lists[0]}
            return
        self.affinity_matrix_ = self._accel_affinities(X)
        self.embedding_ = _laplacian.embedding(check_symmetric(self.affinity_matrix_), self.n_components, running)

    def _accel_affinities(self, X):
        if callable(self.affinity):
            return self.affinity(X)
        if self.affinity == "precomputed":
            return X
        if self.affinity == "rbf":
            self.gamma_ = self.gamma if self.gamma is not None else 1.0 / X.shape[1]
            return _kernels.gaussian(X, self.gamma_)
        return _laplacian.of_distances(X, self.n_neighbors)
