"""scikit-learn's SpectralClustering on the engine."""

import importlib.util
import warnings

import numpy as np
from scipy.sparse import csr_matrix, issparse
from sklearn.cluster import SpectralClustering as _Base
from sklearn.utils import check_random_state, check_symmetric

from .._base import validate_data
from . import _discretize, _kernels, _laplacian
from ._accelerated import Accelerated, Lazy
from ._dispatch import dispatch, rewound, threads
from .k_means import KMeans

_PRECOMPUTED = ("precomputed", "precomputed_nearest_neighbors")


class SpectralClustering(Accelerated, _Base):
    _accel_lazy = ("affinity_matrix_",)

    @Lazy
    def affinity_matrix_(self, fitted):
        return _laplacian.of_lists(fitted["lists"])

    def fit(self, X, y=None):
        self._validate_params()
        self._accel_forget()
        own = super().fit
        dispatch(self, "fit", lambda: self._accel_fit(X), rewound(self.random_state, lambda: own(X)), self._accel_reason(X))
        return self

    fit.__doc__ = _Base.fit.__doc__

    def _accel_reason(self, X):
        if self.eigen_solver == "amg" and importlib.util.find_spec("pyamg") is not None:
            return "eigen_solver is 'amg'"
        if self.affinity == "precomputed_nearest_neighbors" and not issparse(X):
            return "affinity is 'precomputed_nearest_neighbors' of an array"
        if not callable(self.affinity) and self.affinity not in (*_PRECOMPUTED, "nearest_neighbors", *_kernels.PARAMETERS):
            return f"affinity is {self.affinity!r}"
        return None

    def _accel_fit(self, X):
        X = validate_data(self, X, accept_sparse=["csr", "csc", "coo"], dtype=np.float64, ensure_min_samples=2)
        if X.shape[0] == X.shape[1] and self.affinity not in _PRECOMPUTED:
            warnings.warn(
                "The spectral clustering API has changed. ``fit``now constructs an affinity matrix from data. To use a custom affinity matrix, "
                "set ``affinity=precomputed``.",
                stacklevel=5,
            )
        if self.eigen_solver == "amg":
            raise ValueError("The eigen_solver was set to 'amg', but pyamg is not available.")
        running = threads(self.n_jobs)
        count = self.n_clusters if self.n_components is None else self.n_components
        random_state = check_random_state(self.random_state)
        if self.affinity == "nearest_neighbors":
            lists = _laplacian.of_neighbors(X.tocsr() if issparse(X) else X, self.n_neighbors, running)
            maps = _laplacian.embedding_of_neighbors(lists, count, running, first=True)
            self._accel_fitted = {"lists": lists[0]}
        else:
            self.affinity_matrix_ = self._accel_affinities(X)
            maps = _laplacian.embedding(check_symmetric(self.affinity_matrix_), count, running, first=True)
        self._accel_draw(random_state, len(maps), count)
        if self.verbose:
            print(f"Computing label assignment using {self.assign_labels}")
        self.labels_ = self._accel_labels(maps, random_state)

    def _accel_affinities(self, X):
        if self.affinity == "precomputed":
            return X
        if self.affinity == "precomputed_nearest_neighbors":
            return _laplacian.of_distances(csr_matrix(X), self.n_neighbors)
        given = dict(self.kernel_params or {})
        if callable(self.affinity):
            return _kernels.of_function(X.tocsr() if issparse(X) else X, self.affinity, **given)
        return _kernels.of_samples(X, self.affinity, **{**given, "gamma": self.gamma, "degree": self.degree, "coef0": self.coef0})

    def _accel_draw(self, random_state, n, count):
        """Makes the random draws of scikit-learn's eigensolver, so that k-means has the same starts."""
        if self.eigen_solver != "lobpcg":
            random_state.uniform(-1, 1, n)
        elif n >= 5 * count + 1:
            random_state.standard_normal(size=(n, count + 1))

    def _accel_labels(self, maps, random_state):
        if self.assign_labels == "cluster_qr":
            return _discretize.by_pivots(maps)
        if self.assign_labels == "discretize":
            return _discretize.by_rotation(maps, random_state)
        found = KMeans(self.n_clusters, n_init=self.n_init, random_state=random_state, verbose=self.verbose)
        found._accel_fit(maps, None)
        return found.labels_
