"""scikit-learn's HDBSCAN on the engine."""

import warnings

import numpy as np
from scipy.sparse import issparse
from sklearn.cluster import HDBSCAN as _Base
from sklearn.cluster._hdbscan._tree import HIERARCHY_dtype
from sklearn.neighbors import BallTree, KDTree

from .._base import _ALLOW_NAN, validate_data
from . import _density
from ._accelerated import Accelerated, Lazy
from ._dispatch import Refused, dispatch, threads
from ._metrics import engine_metric

_LIKE_UMAP = (  # umap-learn's names for the same metrics
    "euclidean", "l2", "manhattan", "cityblock", "l1", "chebyshev", "braycurtis", "canberra", "hamming", "haversine", "cosine", "correlation",
)
_OF_TRUTH = ("dice", "jaccard", "rogerstanimoto", "russellrao", "sokalmichener", "sokalsneath")  # of what is zero and what is not
_INFINITE, _MISSING = -2, -3  # labels of samples that are not finite
_TREES = {"kd_tree": ("KDTree", KDTree), "ball_tree": ("BallTree", BallTree)}
_APART = (
    "There exists points with fewer than {0} neighbors. Ensure your distance matrix has non-zero values for at least `min_sample`={0} neighbors for each points (i.e. K-nn "
    "graph), or specify a `max_distance` in `metric_params` to use when distances are missing.",
    "Sparse mutual reachability matrix has more than one connected components. HDBSCAN cannot be performed on a disconnected graph. Ensure that the sparse distance matrix "
    "has only one connected component.",
)


class HDBSCAN(Accelerated, _Base):
    _accel_lazy = ("_single_linkage_tree_",)

    @Lazy
    def _single_linkage_tree_(self, fitted):
        joins, rows = fitted["found"].linkage(), fitted["rows"]
        if rows is not None:
            joins = _density.widened(joins, rows, len(self.labels_))
        tree = np.empty(len(joins), HIERARCHY_dtype)
        for at, name in enumerate(HIERARCHY_dtype.names):
            tree[name] = joins[:, at]
        return tree

    def fit(self, X, y=None):
        self._validate_params()
        self._accel_forget()
        own = super().fit
        dispatch(self, "fit", lambda: self._accel_fit(X), lambda: own(X), self._accel_reason())
        return self

    fit.__doc__ = _Base.fit.__doc__

    def _accel_reason(self):
        if self._accel_wrong():
            return None  # the fit raises the error
        if self._accel_metric() is None:
            return f"metric is {self.metric!r}" + ", with metric_params" * bool(self.metric_params)
        return f"alpha is {self.alpha}" if self.alpha != 1 else None

    def _accel_metric(self):
        """Returns the engine's metric, or None."""
        given = self.metric_params or {}
        if not isinstance(self.metric, str):
            return None
        if self.metric in ("minkowski", "p"):
            return engine_metric("minkowski", given)
        if self.metric == "seuclidean" and set(given) == {"V"}:
            return "euclidean"  # of scaled columns
        if given:
            return None
        if self.metric in _LIKE_UMAP or self.metric in _OF_TRUTH and self.algorithm != "brute":
            return engine_metric(self.metric, {})
        return {"infinity": "chebyshev", "precomputed": "precomputed"}.get(self.metric)

    def _accel_wrong(self):
        """Returns the name of the tree that cannot have the metric."""
        name, tree = _TREES.get(self.algorithm, (None, None))
        return name if name and self.metric not in (tree.valid_metrics() if callable(tree.valid_metrics) else tree.valid_metrics) else None

    def _accel_fit(self, X):
        if getattr(self, "copy", False) == "warn":  # from 1.10 on
            warnings.warn("The default value of `copy` will change from False to True in 1.10. Explicitly set a value for `copy` to silence this warning.", FutureWarning, stacklevel=5)
        known = self.metric == "precomputed"
        if known and self.store_centers is not None:
            raise ValueError("Cannot store centers when using a precomputed distance matrix.")
        self._metric_params = self.metric_params or {}
        lax = {} if known and issparse(X) else {name: False for name in _ALLOW_NAN}
        X = validate_data(self, X, accept_sparse=["csr", "lil"], dtype=np.float64, **lax)
        X = X.tocsr() if issparse(X) else X
        rows = missing = infinite = None
        if known:
            if not issparse(X) and np.isnan(X).any():
                raise ValueError("np.nan values found in precomputed-dense")
        else:
            self._raw_data = X
            total = np.asarray(X.sum(axis=1)).ravel()
            finite = np.isfinite(total)
            if not finite.all():
                rows, missing, infinite = np.flatnonzero(finite), np.isnan(total), np.isinf(total)
                X = X[rows]
        if X.shape[0] == 1:
            raise ValueError("n_samples=1 while HDBSCAN requires more than one sample")
        self._min_samples = self.min_cluster_size if self.min_samples is None else self.min_samples
        if self._min_samples > X.shape[0]:
            raise ValueError(f"min_samples ({self._min_samples}) must be at most the number of samples in X ({X.shape[0]})")
        if self._accel_wrong():
            raise ValueError(f"{self.metric} is not a valid metric for a {self._accel_wrong()}-based algorithm. Please select a different metric.")
        if known:
            _check(X)
        elif issparse(X) and self.algorithm in _TREES:
            raise ValueError("Sparse data matrices only support algorithm `brute`.")
        samples = X
        if self.metric == "seuclidean":
            if issparse(X):
                raise Refused("seuclidean of sparse samples")
            samples = X / np.sqrt(np.asarray(self.metric_params["V"], dtype=float))
        elif self.metric in _OF_TRUTH and issparse(X):
            raise Refused(f"{self.metric} of sparse samples")
        reach = self._min_samples + (known and issparse(X))  # a sample counts itself, except among stored distances
        found = _density.find(
            samples, self._accel_metric(), self.min_cluster_size, reach, self.cluster_selection_method, self.cluster_selection_epsilon,
            self.max_cluster_size, self.allow_single_cluster, threads(self.n_jobs), _APART,
        )  # fmt: skip
        self._accel_fitted = {"found": found, "rows": rows}
        self.labels_, self.probabilities_ = found.labels, found.probabilities
        if rows is not None:
            self.labels_, self.probabilities_ = np.empty(len(missing), np.int32), np.zeros(len(missing))
            self.labels_[rows], self.probabilities_[rows] = found.labels, found.probabilities
            self.labels_[infinite], self.labels_[missing], self.probabilities_[missing] = _INFINITE, _MISSING, np.nan
        if self.store_centers:
            self._weighted_cluster_center(X)


def _check(D):
    """Raises scikit-learn's errors about distances."""
    expected = "The precomputed distance matrix is expected to be symmetric, however "
    if D.shape[0] != D.shape[1]:
        raise ValueError(expected + f"it has shape {D.shape}. Please verify that the distance matrix was constructed correctly.")
    if ((abs(D - D.T) - 1e-5 * abs(D)).data > 1e-8).any() if issparse(D) else not np.allclose(D, D.T):
        raise ValueError(expected + "its values appear to be asymmetric. Please verify that the distance matrix was constructed correctly.")
