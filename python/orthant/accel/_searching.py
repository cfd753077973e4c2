"""The common part of scikit-learn's neighbour classes on the engine: the fit without a tree, and both searches."""

import numbers
import warnings

import numpy as np
from scipy.sparse import issparse
from scipy.spatial import cKDTree
from sklearn.neighbors import VALID_METRICS_SPARSE
from sklearn.neighbors._base import NeighborsBase, _check_precomputed
from sklearn.utils.validation import check_is_fitted

from .. import _calls, _points
from .._base import checked, validate_data
from . import _known_distances
from ._accelerated import VERSION, Lazy
from ._dispatch import Refused, ask, dispatch, threads

_METRICS = {
    "euclidean": "euclidean", "l2": "euclidean", "manhattan": "manhattan", "cityblock": "manhattan", "l1": "manhattan", "chebyshev": "chebyshev",
    "infinity": "chebyshev", "cosine": "cosine", "correlation": "correlation", "precomputed": "precomputed",
}
_ORDER = {"euclidean": 2, "manhattan": 1, "chebyshev": np.inf}
_MINKOWSKI = {1: "manhattan", 2: "euclidean", np.inf: "chebyshev"}
_TREE = 15  # columns up to which a k-d tree is faster than products
_FAR = 1e150  # greater than all distances; replaces an infinite radius
_SINGLE = 4  # number of queries in many columns that are searched one by one
_FEW = 8  # an index is not worth rebuilding for fewer than one query in this many samples


class Searching:
    """Mixin before Accelerated. A fit of the engine makes no tree; _tree is made when scikit-learn's code needs it."""

    _accel_lazy = ("_tree",)

    @Lazy
    def _tree(self, fitted):
        from sklearn.neighbors import BallTree, KDTree

        if self._fit_method == "brute":
            return None
        cls = BallTree if self._fit_method == "ball_tree" else KDTree
        return cls(self._fit_X, self.leaf_size, metric=self.effective_metric_, **self.effective_metric_params_)

    def _fit(self, X, y=None):
        self._accel_forget()
        own = super()._fit
        return dispatch(self, "fit", lambda: self._accel_fit(X), lambda: own(X, y), self._accel_reason(X))

    def _accel_metric(self):
        """Returns the engine's name of the metric, or None."""
        if self.metric == "minkowski":
            return _MINKOWSKI.get(self.p)
        return _METRICS.get(self.metric) if isinstance(self.metric, str) else None

    def _accel_reason(self, X):
        from sklearn.neighbors import BallTree, KDTree

        metric = self._accel_metric()
        if isinstance(X, (BallTree, KDTree, NeighborsBase)):
            return f"X is a {type(X).__name__}"
        if metric is None:
            return f"metric is {self.metric!r}, p is {self.p}"
        if self.metric_params:
            return "metric_params are given"
        if issparse(X) and metric not in ("euclidean", "cosine", "precomputed"):
            return f"metric is {self.metric!r} of sparse samples"
        return None

    def _accel_fit(self, X):
        X = validate_data(self, X, accept_sparse="csr", order="C")
        self._check_algorithm_metric()
        metric = self._accel_metric()
        self.effective_metric_params_ = {}
        self.effective_metric_ = metric if self.metric == "minkowski" else self.metric
        if metric == "precomputed":
            X = _check_precomputed(X)
            if X.shape[0] != X.shape[1]:
                raise ValueError(f"Precomputed matrix must be square. Input is a {X.shape[0]}x{X.shape[1]} matrix.")
            self.n_features_in_ = X.shape[1]
        if issparse(X):
            if self.algorithm not in ("auto", "brute"):
                warnings.warn("cannot use tree with sparse input: using brute force", stacklevel=6)
            if self.effective_metric_ not in VALID_METRICS_SPARSE["brute"]:
                raise ValueError(
                    f"Metric '{self.effective_metric_}' not valid for sparse input. Use sorted(sklearn.neighbors.VALID_METRICS_SPARSE['brute']) "
                    "to get valid options. Metric can also be a callable function."
                )
            X = X.copy()
        _with_directions(X, metric)
        self._fit_X, self.n_samples_fit_, self._fit_method = X, X.shape[0], self._accel_method(X, metric)
        self._accel_fitted = {}
        return self

    def _accel_method(self, X, metric):
        """Returns the algorithm that scikit-learn would choose."""
        if issparse(X):
            return "brute"
        if self.algorithm != "auto":
            return self.algorithm
        many = self.n_neighbors is not None and self.n_neighbors >= X.shape[0] // 2
        return "brute" if many or metric not in _ORDER or X.shape[1] > 15 else "kd_tree"

    def _accel_queries(self, X):
        """Returns the queries as scikit-learn checks them."""
        if self.metric == "precomputed":
            X = _check_precomputed(checked(X))
            if not issparse(X) and X.shape[1] != self.n_samples_fit_:
                raise ValueError(f"Precomputed metric requires shape (n_queries, n_indexed). Got {X.shape} for {self.n_samples_fit_} indexed.")
            return X
        X = validate_data(self, X, accept_sparse="csr", reset=False, order="C")
        _with_directions(X, self._accel_metric())
        if issparse(X) and self._fit_method != "brute":
            raise ValueError(f"{self._fit_method} does not work with sparse matrices. Densify the data, or set algorithm='brute'")
        return X

    def _accel_elsewhere(self):
        return None if "_accel_fitted" in self.__dict__ else "the fit was scikit-learn's, or came from a pickle"

    def _accel_is_fit(self, X):
        """Reports whether queries are the samples themselves, in the same memory."""
        if X is None or issparse(X) or issparse(self._fit_X):
            return X is None
        return X.shape == self._fit_X.shape and X.dtype == self._fit_X.dtype and X.ctypes.data == self._fit_X.ctypes.data and X.strides == self._fit_X.strides

    def _accel_scipy(self, X):
        """Returns a k-d tree for few columns, which is kept, if there are too few queries for the engine's index to pay; otherwise None."""
        metric = self._accel_metric()
        if metric not in _ORDER or issparse(X) or issparse(self._fit_X) or X.shape[1] > _TREE:
            return None
        return self._accel_kept_tree() if self._accel_by_tree(metric) or _FEW * len(X) <= self.n_samples_fit_ else None

    def _accel_by_tree(self, metric):
        """Reports whether SciPy's k-d tree finds every neighbour: in few columns the engine has an index only for the Euclidean metric."""
        return metric in ("manhattan", "chebyshev") and not issparse(self._fit_X) and self._fit_X.shape[1] <= _TREE

    def _accel_kept_tree(self):
        if "scipy" not in self._accel_fitted:
            self._accel_fitted["scipy"] = cKDTree(self._fit_X)
        return self._accel_fitted["scipy"]

    def _accel_kneighbors(self, X, n_neighbors, return_distance):
        if n_neighbors is None:
            n_neighbors = self.n_neighbors
        elif n_neighbors <= 0:
            raise ValueError(f"Expected n_neighbors > 0. Got {n_neighbors}")
        elif not isinstance(n_neighbors, numbers.Integral):
            raise TypeError(f"n_neighbors does not take {type(n_neighbors)} value, enter integer value")
        own = X is None
        X = None if own else self._accel_queries(X)
        if n_neighbors + own > self.n_samples_fit_:
            if VERSION < (1, 4):
                raise ValueError(f"Expected n_neighbors <= n_samples,  but n_samples = {self.n_samples_fit_}, n_neighbors = {n_neighbors + own}")
            raise ValueError(
                f"Expected n_neighbors {'<' if own else '<='} n_samples_fit, but n_neighbors = {n_neighbors}, n_samples_fit = {self.n_samples_fit_}, "
                f"n_samples = {self.n_samples_fit_ if own else X.shape[0]}"
            )
        distances, indices = self._accel_nearest(X, n_neighbors)
        return (distances, indices) if return_distance else indices

    def _accel_nearest(self, X, k):
        """Returns the k nearest samples of each query, or of each sample without itself (X is None)."""
        metric, running = self._accel_metric(), threads(self.n_jobs)
        if metric == "precomputed":
            distances, indices = _known_distances.nearest(self._fit_X if X is None else X, k + (X is None))
            return (distances, indices) if X is not None else _without_self(distances, indices, np.arange(len(indices)))
        if X is None:
            return self._accel_others(k, metric, running)
        if self._accel_is_fit(X) and metric in _ORDER and not self._accel_by_tree(metric):
            itself = np.arange(len(X))[:, None]
            if k == 1:
                return np.zeros((len(X), 1)), itself
            indices, distances = ask(_calls.neighbors, X, k - 1, metric=metric, threads=running)
            return np.hstack([np.zeros((len(X), 1)), distances]), np.hstack([itself, indices])
        tree = self._accel_scipy(X)
        if tree is not None:
            return tree.query(X, k=np.arange(1, k + 1), p=_ORDER[metric], workers=1 if len(X) < 64 else running or -1)
        if metric == "euclidean" and X.shape[0] <= _SINGLE and not issparse(X) and not issparse(self._fit_X) and self._fit_X.dtype.kind == "f":
            return self._accel_singly(X, k)
        return ask(_points.nearest, self._fit_X, X, k, metric=metric, threads=running)[::-1]

    def _accel_singly(self, X, k):
        """Returns the k nearest samples of a few queries in many columns, by one product each: the engine would prepare the samples again."""
        samples = self._fit_X
        if "squares" not in self._accel_fitted:
            self._accel_fitted["squares"] = np.einsum("ij,ij->i", samples, samples, dtype=np.float64)
        squares = self._accel_fitted["squares"]
        distances, indices = np.empty((len(X), k)), np.empty((len(X), k), dtype=np.intp)
        for i, query in enumerate(X):
            apart = squares - 2.0 * (samples @ query.astype(samples.dtype, copy=False))
            # Cases that rounding leaves undecided are measured.
            loss = 4 * samples.shape[1] * np.finfo(samples.dtype).eps * (squares.max() + np.dot(query, query))
            near = np.flatnonzero(apart <= np.partition(apart, k - 1)[k - 1] + loss)
            exact = np.linalg.norm(samples[near].astype(np.float64, copy=False) - query, axis=1)
            order = np.argsort(exact, kind="stable")[:k]
            distances[i], indices[i] = exact[order], near[order]
        return distances, indices

    def _accel_others(self, k, metric, running):
        """Returns the k nearest others of each sample."""
        if self._accel_by_tree(metric):
            distances, indices = self._accel_kept_tree().query(self._fit_X, k=np.arange(1, k + 2), p=_ORDER[metric], workers=running or -1)
            return _without_self(distances, indices, np.arange(len(indices)))
        indices, distances = ask(_calls.neighbors, self._fit_X, k, metric=metric, threads=running)
        # If k or more samples are equal, scikit-learn leaves out the first when the sample itself is not among the first k + 1.
        crowded = np.flatnonzero(distances[:, -1] == 0)
        if len(crowded) > 0:
            found, apart = ask(_points.nearest, self._fit_X, self._fit_X[crowded], k + 1, metric=metric, threads=running)
            distances[crowded], indices[crowded] = _without_self(apart, found, crowded)
        return distances, indices

    def _accel_radius(self, X, radius, return_distance, sort_results):
        if sort_results and not return_distance:
            raise ValueError("return_distance must be True if sort_results is True.")
        own = X is None
        X = None if own else self._accel_queries(X)
        radius = min(self.radius if radius is None else radius, _FAR)
        distances, indices, starts = self._accel_within(X, radius)
        rows = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        if own:
            others = rows != indices
            distances, indices, rows = distances[others], indices[others], rows[others]
            starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(starts) - 1))])
        if sort_results:
            order = np.lexsort((distances, rows))
            distances, indices = distances[order], indices[order]
        indices = _lists(indices.astype(np.intp, copy=False), starts)
        return (_lists(distances, starts), indices) if return_distance else indices

    def _accel_within(self, X, radius):
        """Returns the samples within a radius of each query, or of each sample (X is None), as the arrays of compressed rows."""
        metric, running = self._accel_metric(), threads(self.n_jobs)
        if metric == "precomputed":
            return _known_distances.within(self._fit_X if X is None else X, radius)
        if X is None:
            found = ask(_calls.neighbors, self._fit_X, radius=float(radius), metric=metric, threads=running)
        elif (tree := self._accel_scipy(X)) is not None:
            found = cKDTree(X).sparse_distance_matrix(tree, float(radius), p=_ORDER[metric], output_type="coo_matrix").tocsr()
        else:
            found = ask(_points.nearest, self._fit_X, X, radius=float(radius), metric=metric, threads=running)
        found.sort_indices()  # the order in which scikit-learn lists them
        return found.data, found.indices, found.indptr


class ByNumber(Searching):
    """The search for the k nearest."""

    def kneighbors(self, X=None, n_neighbors=None, return_distance=True):
        check_is_fitted(self)
        own = super().kneighbors
        return dispatch(
            self, "kneighbors", lambda: self._accel_kneighbors(X, n_neighbors, return_distance), lambda: own(X, n_neighbors, return_distance),
            self._accel_elsewhere(),
        )


class ByRadius(Searching):
    """The search within a radius."""

    def radius_neighbors(self, X=None, radius=None, return_distance=True, sort_results=False):
        check_is_fitted(self)
        own = super().radius_neighbors
        return dispatch(
            self, "radius_neighbors", lambda: self._accel_radius(X, radius, return_distance, sort_results),
            lambda: own(X, radius, return_distance, sort_results), self._accel_elsewhere(),
        )


def _with_directions(X, metric):
    """Refuses zero rows, for whose distances from each other scikit-learn has another definition."""
    if metric == "cosine" and not np.all(abs(X).sum(axis=1)) or metric == "correlation" and not np.all(np.ptp(X, axis=1)):
        raise Refused(f"a row has no direction by {metric}")


def _without_self(distances, indices, samples):
    """Leaves out each sample itself, or the nearest if the sample is not listed."""
    own = indices == samples[:, None]
    own[~own.any(axis=1), 0] = True
    shape = (len(indices), indices.shape[1] - 1)
    return distances[~own].reshape(shape), indices[~own].reshape(shape)


def _lists(values, starts):
    """Returns the rows as an array of arrays."""
    out = np.empty(len(starts) - 1, dtype=object)
    starts = starts.tolist()
    for i in range(len(out)):
        out[i] = values[starts[i] : starts[i + 1]]
    return out
