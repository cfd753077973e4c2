"""hdbscan's HDBSCAN and approximate_predict on the engine."""

import warnings

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import check_array

from .. import _calls, _points
from .._base import _ALLOW_NAN
from . import _density, _importing
from ._accelerated import Accelerated, Lazy
from ._dispatch import Refused, ask, dispatch, threads
from ._metrics import engine_metric

try:
    from hdbscan import HDBSCAN as _Base
    from hdbscan import approximate_predict as _approximate_predict
    from hdbscan.hdbscan_ import BALLTREE_VALID_METRICS, FAST_METRICS, KDTREE_VALID_METRICS

    _INSTALLED = True
except ImportError:
    from ._without_hdbscan import HDBSCAN as _Base
    from ._without_hdbscan import approximate_predict as _approximate_predict

    KDTREE_VALID_METRICS = ["euclidean", "l2", "minkowski", "p", "manhattan", "cityblock", "l1", "chebyshev", "infinity"]
    BALLTREE_VALID_METRICS = KDTREE_VALID_METRICS + [
        "braycurtis", "canberra", "dice", "hamming", "haversine", "jaccard", "mahalanobis", "rogerstanimoto", "russellrao", "seuclidean", "sokalmichener", "sokalsneath",
    ]  # fmt: skip
    FAST_METRICS, _INSTALLED = BALLTREE_VALID_METRICS + ["cosine", "arccos"], False

PROVIDES = "0.8"  # the version of hdbscan whose parameters these are
PROVIDED = {
    "hdbscan": ["HDBSCAN", "approximate_predict"],
    "hdbscan.hdbscan_": ["HDBSCAN"],
    "hdbscan.prediction": ["approximate_predict"],
}

_LIBRARY = "hdbscan"
_TREES = {"prims_kdtree": KDTREE_VALID_METRICS, "prims_balltree": BALLTREE_VALID_METRICS, "boruvka_kdtree": BALLTREE_VALID_METRICS, "boruvka_balltree": BALLTREE_VALID_METRICS}
_JOBS = 4  # the default of core_dist_n_jobs
_APART = (
    "There exists points with less than {0} neighbors. Ensure your distance matrix has non zeros values for at least `min_sample`={0} neighbors for each points "
    "(i.e. K-nn graph), or specify a `max_dist` to use when distances are missing.",
    "Sparse distance matrix has multiple connected components!\nThat is, there exist groups of points that are completely disjoint -- there are no distance relations "
    "connecting them\nRun hdbscan on each component.",
)


class HDBSCAN(Accelerated, _Base):
    _accel_library, _accel_public, _accel_here = _LIBRARY, "hdbscan", "orthant.accel.hdbscan"
    _accel_lazy = (
        "cluster_persistence_", "_outlier_scores", "_condensed_tree", "_single_linkage_tree", "_min_spanning_tree", "_prediction_data", "_branch_detection_data",
    )  # fmt: skip

    @Lazy
    def _single_linkage_tree(self, fitted):
        joins = fitted["tree"].linkage
        return joins.copy() if fitted["rows"] is None else _density.widened(joins, fitted["rows"], len(self.labels_))

    @Lazy
    def _condensed_tree(self, fitted):
        return fitted["tree"].table(fitted["found"].labels, fitted["rows"], len(self.labels_))

    @Lazy
    def _min_spanning_tree(self, fitted):
        return fitted["found"].edges.copy() if fitted["edges"] else None

    @Lazy
    def _outlier_scores(self, fitted):
        return _spread(fitted["tree"].scores(), fitted["rows"], len(self.labels_), 1)

    @Lazy
    def cluster_persistence_(self, fitted):
        return fitted["tree"].persistence(fitted["found"].labels)

    @Lazy
    def _prediction_data(self, fitted):
        return self._accel_by_own("generate_prediction_data", "_prediction_data") if fitted["predicts"] else None

    @Lazy
    def _branch_detection_data(self, fitted):
        return self._accel_by_own("generate_branch_detection_data", "_branch_detection_data") if fitted["branches"] else None

    def _accel_by_own(self, call, name):
        """Returns what a method of hdbscan makes of the samples and of the condensed tree."""
        if not _INSTALLED:
            raise AttributeError("hdbscan, whose attribute this is, is not installed")
        getattr(super(), call)()
        return self.__dict__.pop(name, None)

    def fit(self, X, y=None):
        _check(self, X)
        self._accel_forget()
        own = super().fit
        dispatch(self, "fit", lambda: self._accel_fit(X), lambda: self._accel_plain(own, X), self._accel_reason())
        return self

    fit.__doc__ = _Base.fit.__doc__

    def _accel_plain(self, own, X):
        for name in self._accel_lazy[1:]:
            setattr(self, name, None)
        self._relative_validity = None
        return own(X)

    def _accel_reason(self):
        metric = self.metric
        for wrong, text in (
            (metric != "precomputed" and self._accel_metric() is None, f"metric is {metric!r}"),
            (metric == "precomputed" and self._metric_kwargs, "max_dist"),
            (metric in ("cosine", "arccos") and self.algorithm == "best", f"metric is {metric!r} with algorithm='best'"),
            (self.alpha != 1, f"alpha is {self.alpha}"),
            (self.match_reference_implementation, "match_reference_implementation"),
            (getattr(self, "cluster_selection_epsilon_max", np.inf) != np.inf, "cluster_selection_epsilon_max"),
        ):
            if wrong:
                return text
        return None

    def _accel_metric(self):
        """Returns the engine's metric, or None."""
        metric, given = self.metric, self._metric_kwargs
        if not isinstance(metric, str):
            return None
        if metric in ("minkowski", "p"):  # hdbscan's searches take the order 2 whatever p is
            return "euclidean" if not given and (self.p in (None, 2) or self.algorithm != "generic") else None
        if metric == "seuclidean" and set(given) == {"V"}:
            return "euclidean"  # of scaled columns
        return engine_metric({"infinity": "chebyshev"}.get(metric, metric), given)

    def _accel_fit(self, X):
        rows = None
        if self.metric == "precomputed":
            X = check_array(X, accept_sparse="csr") if issparse(X) else np.asarray(X)
            if X.ndim != 2 or X.shape[0] != X.shape[1]:
                raise Refused(f"distances of {X.shape}")
            self._all_finite, self._raw_data = True, None
        else:
            X = self._raw_data = check_array(X, accept_sparse="csr", **{name: False for name in _ALLOW_NAN})
            self._all_finite = bool(np.isfinite(X.data if issparse(X) else X).all())
            if not self._all_finite:
                rows = self._finite_index = _finite_rows(X)
                X = X[rows]
        scale = 1.0
        if self.metric == "seuclidean":
            if issparse(X):
                raise Refused("seuclidean of sparse samples")
            scale = 1 / np.sqrt(np.asarray(self._metric_kwargs["V"], dtype=float))
            X = X * scale
        n = X.shape[0]
        if self.prediction_data and (rows is not None or issparse(X)):
            raise Refused("prediction_data of sparse samples, or of some that are not finite")
        reach = min(self.min_samples or self.min_cluster_size, n - 1) or 1
        metric = "precomputed" if self.metric == "precomputed" else self._accel_metric()
        jobs = threads(None if self.core_dist_n_jobs == _JOBS else self.core_dist_n_jobs)
        found = _density.find(
            X, metric, self.min_cluster_size, reach + 1, self.cluster_selection_method, self.cluster_selection_epsilon, self.max_cluster_size or None,
            self.allow_single_cluster, jobs, _APART,
        )  # fmt: skip
        branches = bool(getattr(self, "branch_detection_data", False))
        self._accel_fitted = {
            "found": found, "tree": _Tree(found, self.min_cluster_size), "rows": rows, "jobs": jobs, "metric": metric, "samples": X, "scale": scale, "branches": branches,
            "edges": bool(self.gen_min_span_tree or branches), "predicts": bool(self.prediction_data),
        }  # fmt: skip
        for name in self._accel_lazy:
            self.__dict__.pop(name, None)
        self._relative_validity = None
        whole = self._raw_data.shape[0] if rows is not None else n
        self.labels_, self.probabilities_ = _spread(found.labels, rows, whole, -1), _spread(found.probabilities, rows, whole, 0)
        if self.metric not in FAST_METRICS:  # hdbscan refuses it
            for wanted, call in ((self.prediction_data, "generate_prediction_data"), (branches, "generate_branch_detection_data")):
                if wanted:
                    self._accel_fitted.update(predicts=False, branches=False)
                    getattr(super(), call)()


class _Tree:
    """The trees of a clustering, made when one of them is first read."""

    def __init__(self, found, least):
        self.found, self.least = found, least

    def __getattr__(self, name):
        if name == "linkage":
            self.linkage = self.found.linkage()
            return self.linkage
        if name == "condensed":
            self.condensed = _density.Condensed(self.linkage, self.least)
            return self.condensed
        return getattr(self.condensed, name)


def _finite_rows(X):
    if issparse(X):
        return np.flatnonzero(np.asarray((X != 0).multiply(~np.isfinite(X.toarray())).sum(axis=1)).ravel() == 0)
    return np.flatnonzero(np.isfinite(X).all(axis=1))


def _spread(values, rows, n, rest):
    """Returns the values of some rows as those of all."""
    if rows is None:
        return values
    all_of = np.full(n, rest, dtype=values.dtype)
    all_of[rows] = values
    return all_of


def _check(given, X):
    """Raises hdbscan's errors about the parameters."""
    reach = given.min_cluster_size if given.min_samples is None else given.min_samples
    for wrong, error, text in (
        (not all(np.issubdtype(type(value), np.integer) for value in (reach, given.min_cluster_size)), ValueError, "Min samples and min cluster size must be integers!"),
        (lambda: reach <= 0 or given.min_cluster_size <= 0, ValueError, "Min samples and Min cluster size must be positive integers"),
        (lambda: given.min_cluster_size == 1, ValueError, "Min cluster size must be greater than one"),
        (lambda: not isinstance(given.cluster_selection_epsilon, (int, float, np.integer)) or given.cluster_selection_epsilon < 0, ValueError, "Epsilon must be a float value greater than or equal to 0!"),
        (lambda: not isinstance(given.alpha, float) or given.alpha <= 0, ValueError, "Alpha must be a positive float value greater than 0!"),
        (lambda: given.leaf_size < 1, ValueError, "Leaf size must be greater than 0!"),
        (lambda: given.metric == "minkowski" and given.p is None, TypeError, "Minkowski metric given but no p value supplied!"),
        (lambda: given.metric == "minkowski" and given.p < 0, ValueError, "Minkowski metric with negative p value is not defined!"),
        (lambda: given.cluster_selection_method not in ("eom", "leaf"), ValueError, f'Invalid Cluster Selection Method: {given.cluster_selection_method}\nShould be one of: "eom", "leaf"\n'),
        (lambda: given.algorithm not in ("best", "generic", *_TREES), TypeError, f"Unknown algorithm type {given.algorithm} specified"),
        (lambda: given.metric != "precomputed" and issparse(X) and given.algorithm in _TREES, ValueError, "Sparse data matrices only support algorithm 'generic'."),
        (lambda: given.algorithm in _TREES and given.metric not in _TREES[given.algorithm], ValueError, f"Cannot use {given.algorithm} for this metric!"),
    ):  # fmt: skip
        if wrong() if callable(wrong) else wrong:
            raise error(text)


def approximate_predict(clusterer, points_to_predict, return_connecting_points=False):
    own, reason = (lambda: _approximate_predict(clusterer, points_to_predict, return_connecting_points)), None
    fitted = clusterer.__dict__.get("_accel_fitted") if isinstance(clusterer, HDBSCAN) else None
    if fitted is None:
        reason = "the fit was hdbscan's, or came from a pickle"
    elif not fitted["predicts"] and clusterer.__dict__.get("_prediction_data") is None:
        raise AttributeError("No prediction data was generated")
    return dispatch(_LIBRARY, "approximate_predict", lambda: _predicted(clusterer, fitted, points_to_predict, return_connecting_points), own, reason)


approximate_predict.__doc__ = _approximate_predict.__doc__


def _predicted(clusterer, fitted, points, connecting):
    """Gives new samples the cluster of the sample that they reach first among the nearest, by hdbscan's rule."""
    points, samples, k = np.asarray(points), fitted["samples"], clusterer.min_samples or clusterer.min_cluster_size
    if points.shape[1] != samples.shape[1]:
        raise ValueError("New points dimension does not match fit data!")
    points = points * fitted["scale"]
    tree = fitted["tree"].condensed
    if len(tree.parent) == 1:
        warnings.warn("Clusterer does not have any defined clusters, new data will be automatically predicted as noise.", stacklevel=4)
        none = np.full(len(points), -1, np.int32)
        return (none, np.zeros(len(points), np.float32), *([none.copy()] if connecting else []))
    if 2 * k > len(samples):
        raise Refused(f"{2 * k} nearest of {len(samples)} samples")
    if "core" not in fitted:  # of k samples with the sample itself, one fewer than in the fit
        fitted["core"] = ask(_calls.neighbors, samples, k - 1, metric=fitted["metric"], threads=fitted["jobs"])[1][:, -1] if k > 1 else np.zeros(len(samples))
    indices, distances = ask(_points.nearest, samples, points, 2 * k, metric=fitted["metric"], threads=fitted["jobs"])
    reached = np.maximum(np.maximum(fitted["core"][indices], distances[:, [k]]), distances)
    at = reached.argmin(axis=1)
    rows = np.arange(len(points))
    nearest, reached = indices[rows, at], reached[rows, at]
    with np.errstate(divide="ignore"):
        density = np.where(reached > 0, 1 / reached, np.finfo(float).max)
    component, parent, birth = tree.of[nearest], np.array(tree.parent), np.array(tree.birth)
    above = tree.density[nearest] > density
    while (above := above & (component > 0) & (birth[component] >= density)).any():
        component = np.where(above, parent[component], component)
    label, most, ends = np.full(len(parent), -1), np.zeros(len(parent)), tree.ends()
    for q, c in enumerate(tree.chosen(fitted["found"].labels)):
        label[c], most[c] = q, ends[c]
    for c in range(1, len(parent)):  # what is inside a cluster
        if label[c] < 0:
            label[c], most[c] = label[parent[c]], most[parent[c]]
    labels, limit = label[component].astype(np.int32), most[component]
    probabilities = np.where(labels < 0, 0.0, np.where(limit > 0, np.minimum(density, limit) / np.where(limit > 0, limit, 1), 1.0))
    return (labels, probabilities, *([nearest.astype(np.int32)] if connecting else []))


_importing.made("hdbscan")
