"""pynndescent's NNDescent on the engine: its neighbours are exact, unless there are many samples."""

import inspect
import warnings

import numpy as np
from scipy.sparse import csr_matrix, issparse
from sklearn.utils import check_array

from .. import _calls, _points
from . import _importing
from ._accelerated import Accelerated
from ._dispatch import Refused, ask, dispatch, threads
from ._metrics import engine_metric

try:
    from pynndescent import NNDescent as _Base
except ImportError:
    from ._without_pynndescent import NNDescent as _Base

PROVIDES = "0.5"  # the version of pynndescent whose parameters these are
PROVIDED = {"pynndescent": ["NNDescent"], "pynndescent.pynndescent_": ["NNDescent"]}

_PARAMETERS = inspect.signature(_Base.__init__)
_ANGULAR = ("cosine", "dot", "correlation", "dice", "jaccard", "hellinger", "hamming")
_MANY = 4096  # samples from which the search may be approximate


class NNDescent(Accelerated, _Base):
    _accel_library, _accel_public, _accel_here = "pynndescent", "pynndescent", "orthant.accel.pynndescent"

    def __init__(self, *arguments, **keywords):
        given = _PARAMETERS.bind(self, *arguments, **keywords)
        given.apply_defaults()
        given = {name: value for name, value in given.arguments.items() if name != "self"}
        own = super().__init__
        dispatch(self, "__init__", lambda: self._accel_begin(given), lambda: own(*arguments, **keywords), _reason(given))

    __init__.__signature__, __init__.__doc__ = _PARAMETERS, _Base.__init__.__doc__

    def _accel_begin(self, given):
        data, n = given["data"], given["data"].shape[0]
        self.n_trees = min(32, 5 + int(round(n**0.25))) if given["n_trees"] is None else given["n_trees"]
        self.n_iters = max(5, int(round(np.log2(n)))) if given["n_iters"] is None else given["n_iters"]
        self.n_trees_after_update = max(1, int(np.round(self.n_trees / 3)))
        for name in ("n_neighbors", "metric", "metric_kwds", "leaf_size", "diversify_prob", "n_search_trees", "max_candidates", "low_memory", "delta", "n_jobs", "compressed", "parallel_batch_queries", "verbose", "random_state"):
            setattr(self, name, given[name])
        self.dim, self.prune_degree_multiplier = data.shape[1], given["pruning_degree_multiplier"]
        self.tree_init = bool(given["tree_init"] and self.n_trees != 0)
        self._angular_trees = given["metric"] in _ANGULAR
        self._take(check_array(data, dtype=np.float32, accept_sparse="csr", order="C"))

    def _take(self, data):
        """Finds the neighbours of the samples."""
        if issparse(data) and not data.has_sorted_indices:
            data.sort_indices()
        if self.n_neighbors > data.shape[0]:
            raise Refused(f"n_neighbors is {self.n_neighbors} of {data.shape[0]} samples")
        indices, distances = nearest_with_itself(data, self.n_neighbors, self._accel_metric(), threads(self.n_jobs), data.shape[0] >= _MANY)
        self._raw_data, self._is_sparse, self._accel_fitted = data, issparse(data), {}
        self._neighbor_graph = indices, distances.astype(np.float32)

    def _accel_metric(self):
        return engine_metric(self.metric, self.metric_kwds or {})

    @property
    def neighbor_graph(self):
        if "_accel_fitted" not in self.__dict__:
            return super().neighbor_graph
        if self._neighbor_graph is None:
            warnings.warn("Compressed indexes do not have neighbor graph information.", stacklevel=2)
            return None
        return self._neighbor_graph[0].copy(), self._neighbor_graph[1].copy()

    def prepare(self):
        if "_accel_fitted" not in self.__dict__:
            super().prepare()

    def compress_index(self):
        if "_accel_fitted" not in self.__dict__:
            return super().compress_index()
        self.compressed, self._neighbor_graph = True, None

    def query(self, query_data, k=10, epsilon=0.1):
        own, reason = super().query, None if "_accel_fitted" in self.__dict__ else "the index is pynndescent's"
        if reason is None and k > self._raw_data.shape[0]:
            raise ValueError(f"k is {k} of {self._raw_data.shape[0]} samples")
        return dispatch(self, "query", lambda: self._accel_query(query_data, k), lambda: self._accel_by_own(own, query_data, k, epsilon), reason)

    def _accel_query(self, X, k):
        if self._is_sparse:
            X = csr_matrix(check_array(X, accept_sparse="csr", dtype=np.float32))
        else:
            X = np.asarray(X).astype(np.float32, order="C")
        indices, distances = ask(_points.nearest, self._raw_data, X, k, metric=self._accel_metric(), threads=threads(self.n_jobs))
        return indices.astype(np.int32), distances.astype(np.float32)

    def update(self, xs_fresh=None, xs_updated=None, updated_indices=None):
        own, reason = super().update, None if "_accel_fitted" in self.__dict__ else "the index is pynndescent's"
        if reason is None and self._is_sparse:
            reason = "sparse samples"
        return dispatch(
            self, "update", lambda: self._accel_update(xs_fresh, xs_updated, updated_indices),
            lambda: self._accel_by_own(own, xs_fresh, xs_updated, updated_indices), reason,
        )  # fmt: skip

    def _accel_update(self, xs_fresh, xs_updated, updated_indices):
        data = self._raw_data
        if xs_updated is not None:
            xs_updated = check_array(xs_updated, dtype=np.float32, order="C")
            if updated_indices is None:
                raise ValueError("If xs_updated are provided, updated_indices must also be provided!")
            try:
                updated_indices = list(map(int, updated_indices))
            except (TypeError, ValueError):
                raise ValueError("Could not convert updated indices to list of int(s).") from None
            if len(updated_indices) != len(xs_updated):
                raise ValueError(f"Number of updated indices ({len(updated_indices)}) must match number of rows of xs_updated ({len(xs_updated)}).")
            data = data.copy()
            data[updated_indices] = xs_updated
        elif updated_indices is not None:
            warnings.warn("xs_updated not provided, while update_indices provided. They will be ignored.", stacklevel=4)
        if xs_fresh is not None:
            data = np.vstack([data, check_array(xs_fresh, dtype=np.float32, order="C")])
        self._take(data)
        self.n_trees = self.n_trees_after_update

    def _accel_by_own(self, own, *arguments):
        """Calls pynndescent's method, on its own index."""
        if self.__dict__.pop("_accel_fitted", None) is not None:
            _Base.__init__(
                self, self._raw_data, metric=self.metric, metric_kwds=self.metric_kwds, n_neighbors=self.n_neighbors, n_trees=self.n_trees,
                leaf_size=self.leaf_size, random_state=self.random_state, n_jobs=self.n_jobs, compressed=self.compressed, tree_init=self.tree_init,
            )  # fmt: skip
        return own(*arguments)

    query.__doc__, update.__doc__ = _Base.query.__doc__, _Base.update.__doc__

    def __getstate__(self):
        return dict(self.__dict__) if "_accel_fitted" in self.__dict__ else super().__getstate__()

    def __setstate__(self, state):
        if "_accel_fitted" in state:
            self.__dict__.update(state)
        else:
            super().__setstate__(state)

    def __reduce_ex__(self, protocol):
        # pynndescent cannot read the state of this class, so that loading needs orthant.
        return _restored, (type(self) if Accelerated not in type(self).__bases__ else None, self.__getstate__())


def _restored(cls, state):
    index = (cls or NNDescent).__new__(cls or NNDescent)
    index.__setstate__(state)
    return index


def _reason(given):
    if not isinstance(given["metric"], str) and not callable(given["metric"]):
        raise ValueError("Metric is neither callable, nor a recognised string")
    if engine_metric(given["metric"], given["metric_kwds"] or {}) is None:
        return f"metric is {given['metric']!r}"
    for name in ("init_graph", "init_dist", "verbose"):
        if given[name] is not None and given[name] is not False:
            return name
    return None


def nearest_with_itself(X, k, metric, running, approximate=False):
    """Returns the k nearest samples of each sample, itself first: indices in int32 and distances."""
    indices, distances = np.empty((X.shape[0], k), np.int32), np.empty((X.shape[0], k))
    indices[:, 0], distances[:, 0] = np.arange(len(indices)), 0
    if k > 1:
        indices[:, 1:], distances[:, 1:] = ask(_calls.neighbors, X, k - 1, metric=metric, threads=running, **recall(X, approximate))
    return indices, distances


def recall(X, approximate):
    """Returns the share of neighbours that a search has to find."""
    return {"recall": 0.99} if approximate and not issparse(X) and X.shape[0] >= _MANY else {}


_importing.made("pynndescent")
