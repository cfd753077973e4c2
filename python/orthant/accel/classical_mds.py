"""scikit-learn's ClassicalMDS on the engine."""

import numpy as np
from scipy.spatial.distance import pdist, squareform
from sklearn.manifold import ClassicalMDS as _Base
from sklearn.utils import check_symmetric

from .. import _calls
from .._base import validate_data
from . import _principal
from ._accelerated import Accelerated, Lazy
from ._dispatch import Refused, ask, dispatch, threads

# SciPy's names of the metrics that it defines as scikit-learn does.
_METRICS = {
    **{name: name for name in ("braycurtis", "canberra", "chebyshev", "cityblock", "correlation", "cosine", "euclidean", "hamming", "minkowski", "sqeuclidean")},
    "l1": "cityblock", "l2": "euclidean", "manhattan": "cityblock",
}
_FLAT = 1e-12  # relative to the largest eigenvalue; below it, the sign of an eigenvalue is rounding


class ClassicalMDS(Accelerated, _Base):
    _accel_lazy = ("dissimilarity_matrix_",)

    @Lazy
    def dissimilarity_matrix_(self, fitted):
        X = fitted["samples"]
        return squareform(pdist(X)).astype(np.result_type(X.dtype, np.float32), copy=False)

    def fit_transform(self, X, y=None):
        self._validate_params()
        self._accel_forget()
        own = super().fit_transform
        return dispatch(self, "fit", lambda: self._accel_fit(X), lambda: own(X), self._accel_reason())

    fit_transform.__doc__ = _Base.fit_transform.__doc__

    def _accel_reason(self):
        if self.metric != "precomputed" and (callable(self.metric) or self.metric not in _METRICS):
            return f"metric is {self.metric!r}"
        if self.metric_params and self.metric != "minkowski":
            return "metric_params are given"
        return None

    def _accel_fit(self, X):
        X = validate_data(self, X)
        count, (n, m) = self.n_components, X.shape
        if _METRICS.get(self.metric) == "euclidean":
            if count > min(n - 1, m):
                raise Refused(f"n_components is {count}, and {n} samples of {m} columns have fewer directions")
            scores, singular, _ = _principal.decompose(X, count, threads=threads(None))
            values = singular**2
            self._accel_fitted = {"samples": X}
        else:
            self.dissimilarity_matrix_ = D = self._accel_distances(X)
            if count >= n:
                raise Refused(f"n_components is {count} of {n} samples")
            found = ask(_calls.embed, None, "mds", dim=count, distances=D.astype(np.float64, copy=False), threads=threads(None))
            scores, values = found.array("embedding").reshape(n, count), found.array("eigenvalues")
            if not values[-1] > _FLAT * values[0]:
                raise Refused("the distances have fewer dimensions than n_components")
        signs = np.where(scores.max(axis=0) >= -scores.min(axis=0), 1.0, -1.0)
        self.embedding_, self.eigenvalues_ = scores * signs, values
        return self.embedding_

    def _accel_distances(self, X):
        """Returns the given distances, or distances by a metric other than the Euclidean."""
        if self.metric == "precomputed":
            return check_symmetric(X, raise_exception=True)
        distances = pdist(X, _METRICS[self.metric], **(self.metric_params or {}))
        if not np.all(np.isfinite(distances)):  # the cosine distance of a zero row
            raise Refused("the metric is not defined for all samples")
        return squareform(distances)
