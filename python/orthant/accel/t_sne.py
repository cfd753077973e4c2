"""scikit-learn's TSNE on the engine."""

import warnings

import numpy as np
from scipy.sparse import csr_matrix, issparse
from scipy.spatial.distance import squareform
from sklearn.manifold import TSNE as _Base
from sklearn.manifold._t_sne import _joint_probabilities, _joint_probabilities_nn
from sklearn.metrics import pairwise_distances
from sklearn.neighbors._unsupervised import NearestNeighbors as _OwnNeighbors
from sklearn.utils.validation import check_non_negative

from .. import _calls
from .._base import _seed, validate_data
from ._accelerated import VERSION, Accelerated
from ._dispatch import Refused, ask, dispatch, rewound, threads
from .neighbors import NearestNeighbors

_EARLY = 250  # scikit-learn's iterations with early exaggeration
_FULL = 4096  # samples up to which all pairs are entered
_PATIENCE, _FLAT = 300, 1e-7  # scikit-learn's defaults for ending early, which the engine does not do


class TSNE(Accelerated, _Base):
    def _fit(self, X, skip_num_points=0):
        own = super()._fit
        by_own = rewound(self.random_state, lambda: own(X, skip_num_points))
        return dispatch(self, "fit", lambda: self._accel_fit(X), by_own, "skip_num_points" if skip_num_points else None)

    def _accel_fit(self, X):
        X = self._accel_samples(X)
        if self.method == "exact" and X.shape[0] > _FULL:
            raise Refused(f"method='exact' of {X.shape[0]} samples")
        if self.verbose:
            raise Refused("verbose")
        if self.n_components == 3:
            raise Refused("three components, for which scikit-learn's kernel has two degrees of freedom")
        if self.n_iter_without_progress < _PATIENCE or self.min_grad_norm > _FLAT:
            raise Refused("n_iter_without_progress or min_grad_norm that ends the descent early")
        n = X.shape[0]
        near = self.metric == "euclidean" and self.method != "exact" and 1 <= self.perplexity <= (n - 1) / 3
        affinities = None if near else self._accel_pairs(X) if self.method == "exact" else self._accel_affinities(X)
        if n < 4:
            raise Refused(f"{n} samples")
        iterations = self._accel_iterations()
        parameters = {
            "dim": self.n_components, "iterations": iterations, "early_iterations": min(_EARLY, iterations), "early_exaggeration": float(self.early_exaggeration),
            "rate": 4.0 * float(self.learning_rate_), "theta": 0.0 if self.method == "exact" else float(self.angle), "seed": _seed(self.random_state), "threads": threads(self.n_jobs),
        }  # fmt: skip
        if isinstance(self.init, str):
            parameters["init"] = self.init
        else:
            parameters["start"] = np.asarray(self.init)
        if near:
            found = ask(_calls.embed, X, "tsne", perplexity=float(self.perplexity), **parameters)
        else:
            found = ask(_calls.embed, None if self.metric == "precomputed" else X, "tsne", affinities=affinities, **parameters)
        self.kl_divergence_ = found.report["objective"]["last"]
        self.n_iter_ = iterations - 1  # as scikit-learn counts them
        return found.array("embedding").astype(np.float32 if isinstance(self.init, str) else self.init.dtype, copy=False)

    def _accel_samples(self, X):
        """Returns the samples after scikit-learn's checks."""
        named = isinstance(self.init, str)
        if named and self.init == "pca" and issparse(X):
            if VERSION < (1, 4):
                raise TypeError('PCA initialization is currently not supported with the sparse input matrix. Use init="random" instead.')
            raise Refused("a start by principal components of sparse samples")
        if getattr(self, "square_distances", "deprecated") != "deprecated":  # until 1.2
            warnings.warn("The parameter `square_distances` has not effect and will be removed in version 1.3.", FutureWarning, stacklevel=6)
        self.learning_rate_ = max(X.shape[0] / self.early_exaggeration / 4, 50) if self.learning_rate == "auto" else self.learning_rate
        if self.method == "barnes_hut":
            X = validate_data(self, X, accept_sparse=["csr"], ensure_min_samples=2, dtype=[np.float32, np.float64])
        else:
            X = validate_data(self, X, accept_sparse=["csr", "csc", "coo"], dtype=[np.float32, np.float64])
        if self.metric == "precomputed":
            if named and self.init == "pca":
                raise ValueError('The parameter init="pca" cannot be used with metric="precomputed".')
            if X.shape[0] != X.shape[1]:
                raise ValueError("X should be a square distance matrix")
            check_non_negative(X, "TSNE.fit(). With metric='precomputed', X should contain positive distances.")
            if self.method == "exact" and issparse(X):
                raise TypeError(
                    'TSNE with method="exact" does not accept sparse precomputed distance matrix. Use method="barnes_hut" or provide the dense distance matrix.'
                )
        if self.method == "barnes_hut" and self.n_components > 3:
            raise ValueError("'n_components' should be inferior to 4 for the barnes_hut algorithm as it relies on quad-tree or oct-tree.")
        return X

    def _accel_iterations(self):
        given = getattr(self, "_max_iter", None)  # 1.5 and 1.6, which have both names
        if given is None:
            given = self.max_iter if hasattr(self, "max_iter") else self.n_iter
        return int(given)

    def _accel_affinities(self, X):
        """Returns scikit-learn's probabilities of neighbours.

        Up to _FULL samples are searched by scikit-learn where the metric is not Euclidean, so that precomputed distances give the same bits.
        """
        k = min(X.shape[0] - 1, int(3.0 * self.perplexity + 1))
        search = NearestNeighbors if self.metric == "euclidean" or X.shape[0] > _FULL else _OwnNeighbors
        near = search(n_neighbors=k, metric=self.metric, metric_params=self.metric_params, n_jobs=self.n_jobs).fit(X).kneighbors_graph(mode="distance")
        near.data **= 2
        return _joint_probabilities_nn(near, self.perplexity, 0)

    def _accel_pairs(self, X):
        """Returns scikit-learn's probabilities of all pairs."""
        if self.metric == "precomputed":
            distances = X
        elif self.metric == "euclidean":
            distances = pairwise_distances(X, metric=self.metric, squared=True)
        else:
            distances = pairwise_distances(X, metric=self.metric, n_jobs=self.n_jobs, **(self.metric_params or {}))
        if np.any(distances < 0):
            raise ValueError("All distances should be positive, the metric given is not correct")
        if self.metric != "euclidean":
            distances = distances**2
        return csr_matrix(squareform(_joint_probabilities(distances, self.perplexity, 0)))
