"""umap-learn's UMAP, and the functions that scanpy calls, on the engine."""

import inspect
import warnings

import joblib
import numpy as np
from scipy.sparse import coo_matrix, csr_matrix, issparse, tril, triu, vstack
from sklearn.utils import check_array, check_random_state

from .. import _calls, _points
from .._base import _seed
from . import _fuzzy, _importing
from ._accelerated import Accelerated, Lazy
from ._curve import find_ab_params, min_dist_and_spread
from ._dispatch import Refused, ask, dispatch, rewound, threads
from ._metrics import engine_metric
from .pynndescent import NNDescent, nearest_with_itself, recall

try:
    from umap import distances as _distances
    from umap import umap_ as _own

    _KINDS = set(_distances.DISCRETE_METRICS) - {"categorical"}  # targets by which umap-learn's function weighs the edges
except ImportError:
    from . import _without_umap as _own

    _KINDS = set()

PROVIDES = "0.5"  # the version of umap-learn whose parameters these are
PROVIDED = {
    "umap": ["UMAP"],
    "umap.umap_": ["UMAP", "find_ab_params", "fuzzy_simplicial_set", "nearest_neighbors", "simplicial_set_embedding", "smooth_knn_dist", "compute_membership_strengths"],
}

_Base = _own.UMAP
_LIBRARY = "umap-learn"
_DENSITY = (0.3, 0.1)  # the engine's share of the epochs, and its shift of the variance, for densMAP
_APART = 1 - 1e-6  # from here on a Hellinger distance is 1 by rounding
_MANY = 4096  # samples from which umap-learn searches approximately
_PLANE = ("euclidean", "l2")
_LINE = ("l1", "manhattan", "cityblock", "taxicab", "chebyshev", "linfinity")  # of one column the same as Euclidean


class UMAP(Accelerated, _Base):
    _accel_library, _accel_public, _accel_here = _LIBRARY, "umap", "orthant.accel.umap"
    _accel_lazy = ("graph_", "_sigmas", "_rhos", "_knn_search_index", "_input_hash")

    @Lazy
    def graph_(self, fitted):
        found = self._accel_graph()[0]
        classes, weight = fitted["classes"], self.target_weight
        return found if classes is None else _fuzzy.of_classes(found, classes, weight)

    @Lazy
    def _sigmas(self, fitted):
        return self._accel_graph()[1]

    @Lazy
    def _rhos(self, fitted):
        return self._accel_graph()[2]

    @Lazy
    def _knn_search_index(self, fitted):
        return NNDescent(self._raw_data, metric=self.metric, metric_kwds=self._metric_kwds, n_neighbors=self._n_neighbors)

    @Lazy
    def _input_hash(self, fitted):
        return joblib.hash(self._raw_data)

    def _accel_graph(self):
        fitted = self._accel_fitted
        if "graph" not in fitted:
            fitted["graph"] = _fuzzy.graph(self._knn_indices, self._knn_dists, self._n_neighbors, self.set_op_mix_ratio, self.local_connectivity)
        return fitted["graph"]

    def fit(self, X, y=None, **more):
        self._accel_forget()
        own = super().fit
        dispatch(self, "fit", lambda: self._accel_fit(X, y), rewound(self.random_state, lambda: own(X, y, **more)), f"{', '.join(more)} given to fit" if more else None)
        return self

    def fit_transform(self, X, y=None, **more):
        self.fit(X, y, **more)
        if self.transform_mode == "graph":
            return self.graph_
        if self.transform_mode != "embedding":
            raise ValueError(f"Unrecognized transform mode {self.transform_mode}; should be one of 'embedding' or 'graph'")
        return (self.embedding_, self.rad_orig_, self.rad_emb_) if self.output_dens else self.embedding_

    def _accel_fit(self, X, y):
        X = check_array(X, dtype=np.float32, accept_sparse="csr", order="C")
        self._raw_data = X
        self._a, self._b = find_ab_params(self.spread, self.min_dist) if self.a is None or self.b is None else (self.a, self.b)
        init = check_array(self.init, dtype=np.float32) if isinstance(self.init, np.ndarray) else self.init
        self._initial_alpha = self.learning_rate
        self.knn_indices, self.knn_dists, self.knn_search_index = (*self.precomputed_knn, None)[:3]
        self._validate_parameters()
        if self.output_dens:
            raise Refused("output_dens")
        if self.densmap and (self.dens_frac, self.dens_var_shift) != _DENSITY:
            raise Refused("densmap with dens_frac or dens_var_shift")
        if self.output_metric not in _PLANE:
            raise Refused(f"output_metric is {self.output_metric!r}")
        if self.metric == "haversine" and X.shape[1] != 2:
            raise ValueError("haversine is only defined for 2 dimensional data")
        if isinstance(self.n_epochs, (list, tuple)) or self.n_epochs == 0:
            raise Refused(f"n_epochs is {self.n_epochs}")
        if self.negative_sample_rate == 0 or self.repulsion_strength == 0 or self.learning_rate == 0:
            raise Refused("negative_sample_rate, repulsion_strength or learning_rate is 0")
        if not isinstance(init, (str, np.ndarray)) or isinstance(init, str) and init not in ("spectral", "pca", "random"):
            raise Refused(f"init is {init!r}")
        index = inverse = None
        if self.unique:
            index, inverse = _unique(X)
            self._unique_inverse_ = inverse
            X = X[index]
        if X.shape[0] == 1:
            self.embedding_ = np.zeros((1, self.n_components))
            return
        self._supervised = y is not None
        self._accel_place(X, y, init, index, inverse)

    def _accel_place(self, X, y, init, index, inverse):
        """Finds the neighbours of different samples, and their map. index and inverse: as of numpy.unique, or None."""
        n = X.shape[0]
        self._n_neighbors = min(self.n_neighbors, n - 1)
        if n < 3:
            raise Refused(f"{n} different samples")
        if issparse(X) and not X.has_sorted_indices:
            X.sort_indices()
        self._small_data = n < _MANY and not self.force_approximation_algorithm
        self._knn_indices, distances = self._accel_lists(X)
        self._knn_dists = distances.astype(np.float32)
        apart = distances >= self._disconnection_distance
        self._accel_fitted = {"classes": None, "model": None}
        known = {} if y is None else self._accel_targets(y, len(apart) if index is None else index, n)
        if apart.any():
            self._knn_indices[apart], self._knn_dists[apart] = -1, np.inf
            _warn_apart(apart.sum(), _alone(self.graph_), self._disconnection_distance, n)
        if self.transform_mode != "graph":
            init = init(self._knn_indices) if callable(init) else init
            self.embedding_ = self._accel_embed(X, init, known, apart, distances)
            if inverse is not None:
                self.embedding_ = self.embedding_[inverse]
        if n <= self.n_neighbors:  # not before the fit is the engine's
            warnings.warn("n_neighbors is larger than the dataset size; truncating to X.shape[0] - 1", stacklevel=4)

    def _accel_lists(self, X):
        """Returns the indices and distances of the _n_neighbors nearest samples, the sample itself first."""
        k = self._n_neighbors
        if self.metric == "precomputed":
            return _nearest_known(X, k)
        if self.knn_dists is not None and not self._small_data:
            return self.knn_indices[:, :k].copy(), self.knn_dists[:, :k]
        if self.metric == "hellinger":
            indices, distances = nearest_with_itself(_shares(X), k, "euclidean", threads(self.n_jobs), not self._small_data)
            distances[distances > _APART] = 1
            return indices, distances
        metric = engine_metric(self.metric, self._metric_kwds)
        if metric is None:
            raise Refused(f"metric is {self.metric!r}" + (f" with {self._metric_kwds}" if self._metric_kwds else ""))
        return nearest_with_itself(X, k, metric, threads(self.n_jobs), not self._small_data)

    def _accel_targets(self, y, rows, n):
        """Returns what is known of the samples, as the engine takes it."""
        length = self._raw_data.shape[0]
        if length != len(y):
            raise ValueError(f"Length of x = {length}, length of y = {len(y)}, while it must be equal.")
        if self.target_metric_kwds:
            raise Refused("target_metric_kwds")
        y = np.asarray(y) if self.target_metric == "string" else check_array(y, ensure_2d=False)
        y = y if isinstance(rows, int) else y[rows]
        if self.target_metric in _KINDS:
            scale = 2.5 / (1.0 - self.target_weight) if self.target_weight < 1.0 else 1e12
            keywords = _distances.get_discrete_params(y, self.target_metric)
            found = _own.discrete_metric_simplicial_set_intersection(self.graph_, y, metric=self.target_metric, metric_kws=keywords, metric_scale=scale)
            self._accel_fitted["graph_"] = found
            return {"classes": y}
        if self.target_metric == "categorical":
            self._accel_fitted["classes"] = y.ravel()
            if not 0 < self.target_weight <= 1:
                return {"classes": y.ravel()}
            codes = np.unique(y, return_inverse=True)[1].reshape(-1).astype(np.int64)
            codes[y.ravel() == -1] = -1
            return {"labels": codes, "target_weight": float(self.target_weight)} if (codes >= 0).any() else {"classes": y.ravel()}
        if self.target_metric not in _PLANE and not (self.target_metric in _LINE and y.ndim == 1):
            raise Refused(f"target_metric is {self.target_metric!r}")
        if not 0 < self.target_weight <= 1:
            raise Refused(f"target_weight is {self.target_weight}")
        count = self._n_neighbors if self.target_n_neighbors == -1 else self.target_n_neighbors
        return {"targets": y, "target_weight": float(self.target_weight), "target_metric": "euclidean", "target_neighbors": count - 1}

    def _accel_embed(self, X, init, known, apart, distances):
        parameters = layout_parameters(
            self._a, self._b, self.n_components, self.n_epochs, self.learning_rate, self.repulsion_strength, self.negative_sample_rate, init,
            self.random_state, threads(self.n_jobs), self.verbose, None if self.a is not None and self.b is not None else (self.min_dist, self.spread),
        )  # fmt: skip
        if apart.any() or "classes" in known:
            if "targets" in known or self.densmap:
                raise Refused("neighbours farther than disconnection_distance, with targets or densmap")
            return embed_graph(self.graph_, parameters)
        if self.densmap and self.dens_lambda > 0:
            parameters["density"] = float(self.dens_lambda)
        parameters.update(known, mix=float(self.set_op_mix_ratio), connectivity=float(self.local_connectivity))
        if self.metric in ("precomputed", "hellinger"):
            found = ask(_calls.embed, None, "umap", graph=without_itself(self._knn_indices, distances), **parameters)
        else:
            found = ask(_calls.embed, X, "umap", model="try", **self._accel_search(X, distances), **parameters)
            try:
                self._accel_fitted["model"] = found.model()
            except ValueError:
                pass
        return found.array("embedding", np.float32)

    def _accel_search(self, X, distances):
        """Returns what the engine takes in place of a search, or what it searches by: its rule for new samples follows from the metric."""
        metric = engine_metric(self.metric, self._metric_kwds)
        if metric == "euclidean":
            return {"graph": without_itself(self._knn_indices, distances)}
        if self.knn_dists is not None and not self._small_data:
            raise Refused(f"precomputed_knn with metric={self.metric!r}")
        return {"metric": metric, "neighbors": self._n_neighbors - 1, **recall(X, not self._small_data)}

    def transform(self, X, **more):
        if getattr(self, "_raw_data", None) is not None and self._raw_data.shape[0] == 1:
            raise ValueError("Transform unavailable when model was fit with only a single data sample.")
        own, reason = super().transform, None
        if "_accel_fitted" not in self.__dict__:
            reason = "the fit was umap-learn's, or came from a pickle"
        elif self._accel_fitted["model"] is None and self.transform_mode != "graph" and not self.densmap:
            reason = "the fit left no rule for new samples"
        elif more:
            reason = f"{', '.join(more)} given to transform"
        return dispatch(self, "transform", lambda: self._accel_transform(X), lambda: own(X, **more), reason)

    def _accel_transform(self, X):
        X = check_array(X, dtype=np.float32, accept_sparse="csr", order="C")
        if X.shape == self._raw_data.shape and joblib.hash(X) == self._input_hash:
            return self.graph_ if self.transform_mode == "graph" else self.embedding_
        if self.densmap:
            raise NotImplementedError("Transforming data into an existing embedding not supported for densMAP.")
        if self.transform_mode == "graph":
            return self._accel_memberships(X)
        return ask(self._accel_fitted["model"].transform, X, threads=threads(self.n_jobs), dtype=np.float32)

    def _accel_memberships(self, X):
        """Returns the memberships of new samples among the samples of the fit."""
        metric = engine_metric(self.metric, self._metric_kwds)
        if metric is None:
            raise Refused(f"metric is {self.metric!r}")
        indices, distances = ask(_points.nearest, self._raw_data, X, self._n_neighbors, metric=metric, threads=threads(self.n_jobs))
        indices[distances >= self._disconnection_distance] = -1
        sigmas, rhos = _fuzzy.scales(distances, self._n_neighbors, max(0.0, self.local_connectivity - 1.0))
        return _fuzzy.memberships(indices, distances, sigmas, rhos, self._raw_data.shape[0], bipartite=True)

    def inverse_transform(self, X):
        own = super().inverse_transform
        if "_accel_fitted" in self.__dict__:
            for wrong, what in ((self._sparse_data, "sparse input"), (getattr(self, "_inverse_distance_func", self) is None, "given metric"), (self.densmap, "densMAP")):
                if wrong:
                    raise ValueError(f"Inverse transform not available for {what}.")
        return dispatch(self, "inverse_transform", None, lambda: own(X), "the engine has no way back from a map")

    def update(self, X):
        own = super().update

        def updated():
            for name in self._accel_lazy:
                if hasattr(self, name):
                    self.__dict__[name] = getattr(self, name)
            self.__dict__.pop("_accel_fitted", None)
            return own(X)

        reason = None
        if "_accel_fitted" not in self.__dict__:
            reason = "the fit was umap-learn's, or came from a pickle"
        elif self.unique or self.transform_mode == "graph":
            reason = "unique or transform_mode"
        return dispatch(self, "update", lambda: self._accel_update(X), updated, reason)

    def _accel_update(self, X):
        X = check_array(X, dtype=np.float32, accept_sparse="csr", order="C")
        if self.metric == "precomputed":
            raise ValueError("Update does not currently support precomputed metrics")
        if self._supervised:
            raise ValueError("Updating supervised models is not currently supported")
        places, old = self.embedding_, self._raw_data.shape[0]

        def start(near):
            """Places new samples at the mean of their neighbours among the others."""
            new, known = near[old:], near[old:] < old
            sums = np.where(known[:, :, None], places[np.where(known, new, 0)], 0).sum(axis=1)
            return np.vstack([places, sums / np.maximum(known.sum(axis=1), 1)[:, None]])

        self._accel_forget()
        self.knn_indices = self.knn_dists = None  # they were of the samples before
        self._raw_data = (vstack([self._raw_data, X], format="csr") if self._sparse_data else np.vstack([self._raw_data, X])).astype(np.float32)
        self._accel_place(self._raw_data, None, start, None, None)

    fit.__doc__, fit_transform.__doc__, transform.__doc__ = _Base.fit.__doc__, getattr(_Base, "fit_transform", fit).__doc__, _Base.transform.__doc__
    inverse_transform.__doc__, update.__doc__ = _Base.inverse_transform.__doc__, _Base.update.__doc__


def _shares(X):
    """Returns samples whose Euclidean distances are the Hellinger distances of X."""
    sums = np.asarray(X.sum(axis=1), dtype=np.float64).reshape(-1, 1)
    if X.min() < 0:
        raise ValueError("Metric 'hellinger' does not support negative values")
    if not np.all(sums > 0):
        raise Refused("a row of zeros by hellinger")
    if issparse(X):
        return csr_matrix(X.multiply(0.5 / sums)).sqrt()
    return np.sqrt(X * (0.5 / sums))


def without_itself(indices, distances):
    """Returns the lists as the engine takes them: without the sample itself, or without the farthest if the sample is not listed."""
    own = indices == np.arange(len(indices))[:, None]
    own[~own.any(axis=1), -1] = True
    own &= np.cumsum(own, axis=1) == 1
    shape = (len(indices), indices.shape[1] - 1)
    return indices[~own].reshape(shape).astype(np.int64), distances[~own].reshape(shape).astype(np.float64)


def _nearest_known(D, k):
    """Returns the k least known distances of each sample, as umap-learn reads them."""
    n = D.shape[0]
    if not issparse(D):
        indices = np.argsort(D, axis=1, kind="stable")[:, :k]
        distances = np.take_along_axis(D, indices, axis=1)
        indices[np.isinf(distances)] = -1
        return indices, distances.astype(np.float32)
    if tril(D).getnnz() != triu(D).getnnz():
        raise ValueError("Sparse precomputed distance matrices should be symmetrical!")
    if not np.all(D.diagonal() == 0):
        raise ValueError("Non-zero distances from samples to themselves!")
    indices, distances = np.zeros((n, k), dtype=int), np.zeros((n, k), dtype=np.float32)
    for i in range(n):
        columns, values = D.indices[D.indptr[i] : D.indptr[i + 1]], D.data[D.indptr[i] : D.indptr[i + 1]]
        if len(values) < k:
            raise ValueError("Some rows contain fewer than n_neighbors distances!")
        chosen = np.argsort(values, kind="stable")[:k]
        indices[i], distances[i] = columns[chosen], values[chosen]
    return indices, distances


def _unique(X):
    """Returns the first sample of each kind, and the kind of each sample."""
    if not issparse(X):
        return np.unique(X, return_index=True, return_inverse=True, axis=0)[1:]
    X = X.sorted_indices()
    rows = [(X.indices[a:b].tobytes(), X.data[a:b].tobytes()) for a, b in zip(X.indptr[:-1], X.indptr[1:])]
    kinds = {}
    inverse = np.array([kinds.setdefault(row, len(kinds)) for row in rows])
    return np.unique(inverse, return_index=True)[1], inverse


def _alone(graph):
    return np.asarray(graph.sum(axis=1)).ravel() == 0


def _warn_apart(edges, alone, distance, n):
    """Gives umap-learn's warning about samples that are far from all others."""
    if alone.any():
        few = alone.sum() <= 0.1 * n
        warnings.warn(
            ("A few of your vertices were disconnected from the manifold.  This shouldn't cause problems.\n" if few else "A large number of your vertices were disconnected from the manifold.\n")
            + f"Disconnection_distance = {distance} has removed {edges} edges.\nIt has {'only ' if few else ''}fully disconnected {alone.sum()} vertices.\n"
            + ("" if few else "You might consider using find_disconnected_points() to find and remove these points from your data.\n")
            + "Use umap.utils.disconnected_vertices() to identify them.",
            stacklevel=6,
        )


def layout_parameters(a, b, components, epochs, rate, repulsion, negatives, init, random_state, running, verbose, curve=None):
    """Returns the engine's parameters of a layout. curve: (min_dist, spread) where they are known."""
    min_dist, spread = curve or min_dist_and_spread(float(a), float(b))
    parameters = {
        "dim": int(components), "min_dist": float(min_dist), "spread": float(spread), "rate": float(rate), "repulsion": float(repulsion),
        "negatives": int(negatives), "seed": _seed(random_state), "threads": running,
    }  # fmt: skip
    if epochs is not None:
        parameters["epochs"] = int(epochs)
    if isinstance(init, str):
        parameters["init"] = init
    else:
        parameters["start"] = _spread_out(np.asarray(init, dtype=np.float64))
    if verbose:
        parameters["progress"] = True
    return parameters


def _spread_out(start):
    """Returns a start with coordinates from 0 to 10, as umap-learn scales it, centred."""
    least, most = start.min(axis=0), start.max(axis=0)
    return 10.0 * (start - least) / np.where(most > least, most - least, 1) - 5.0


def embed_graph(graph, parameters):
    """Returns the map of a weighted graph. Samples without an edge have no place."""
    graph = csr_matrix(graph)
    alone = _alone(graph)
    if not alone.any():
        return ask(_calls.embed, None, "umap", affinities=graph, **parameters).array("embedding", np.float32)
    among = np.flatnonzero(~alone)
    if len(among) < 3:
        raise Refused(f"{len(among)} samples have an edge")
    if "start" in parameters:
        parameters = {**parameters, "start": parameters["start"][among]}
    out = np.full((len(alone), parameters["dim"]), np.nan, dtype=np.float32)
    out[among] = ask(_calls.embed, None, "umap", affinities=graph[among][:, among], **parameters).array("embedding", np.float32)
    return out


def _function(accelerated):
    """Makes a function of umap_ with its signature: accelerated returns (engine, reason) for the arguments."""
    name = accelerated.__name__
    own = getattr(_own, name)

    def call(*arguments, **keywords):
        engine, reason = accelerated(*arguments, **keywords)
        return dispatch(_LIBRARY, name, engine, lambda: own(*arguments, **keywords), reason)

    call.__name__, call.__qualname__, call.__module__, call.__doc__ = name, name, "umap.umap_", own.__doc__ or accelerated.__doc__
    call.__signature__ = inspect.signature(accelerated)
    return call


@_function
def nearest_neighbors(X, n_neighbors, metric, metric_kwds, angular, random_state, low_memory=True, use_pynndescent=True, n_jobs=-1, verbose=False):
    """Returns the indices and distances of the nearest neighbours, with the sample itself, and an index for searches."""

    def engine():
        if isinstance(metric, str) and metric == "precomputed":
            return (*_nearest_known(np.asarray(X), n_neighbors), None)
        index = NNDescent(X, n_neighbors=n_neighbors, metric=metric, metric_kwds=metric_kwds, random_state=random_state, n_jobs=n_jobs, low_memory=low_memory, compressed=False)
        return (*index.neighbor_graph, index)

    known = not callable(metric) and not isinstance(metric, str) or isinstance(metric, str) and metric == "precomputed" and not issparse(X)
    return engine, None if known or engine_metric(metric, metric_kwds or {}) else f"metric is {metric!r}"


@_function
def fuzzy_simplicial_set(
    X, n_neighbors, random_state, metric, metric_kwds={}, knn_indices=None, knn_dists=None, angular=False, set_op_mix_ratio=1.0, local_connectivity=1.0,
    apply_set_operations=True, verbose=False, return_dists=None,
):  # fmt: skip
    """Returns the fuzzy graph of samples or of lists of neighbours, with its scales."""

    def engine():
        lists = (knn_indices, knn_dists)
        if knn_indices is None or knn_dists is None:
            lists = nearest_neighbors(X, n_neighbors, metric, metric_kwds, angular, random_state, verbose=verbose)[:2]
        found = _fuzzy.graph(np.asarray(lists[0]), np.asarray(lists[1]), n_neighbors, set_op_mix_ratio, local_connectivity, apply_set_operations)
        return found if return_dists is None else (*found, None)

    return engine, "return_dists" if return_dists else None


@_function
def simplicial_set_embedding(
    data, graph, n_components, initial_alpha, a, b, gamma, negative_sample_rate, n_epochs, init, random_state, metric, metric_kwds, densmap, densmap_kwds,
    output_dens, output_metric=None, output_metric_kwds={}, euclidean_output=True, parallel=False, verbose=False, tqdm_kwds=None,
):  # fmt: skip
    """Returns the map of a weighted graph, and {}."""

    def engine():
        state = check_random_state(random_state)
        start = init if isinstance(init, str) else np.asarray(init)
        if isinstance(start, str) and start not in ("spectral", "random") or not isinstance(start, str) and start.shape != (graph.shape[0], n_components):
            raise Refused(f"init is {init!r}")
        found = coo_matrix(graph)
        parameters = layout_parameters(a, b, n_components, n_epochs, initial_alpha, gamma, negative_sample_rate, start, state, threads(None), verbose)
        found = embed_graph(csr_matrix(found), parameters)
        lost = np.isnan(found[:, 0])
        if lost.any():  # somewhere in the map
            found[lost] = state.uniform(np.nanmin(found, axis=0), np.nanmax(found, axis=0), size=(lost.sum(), n_components))
        return found, {}

    if densmap or output_dens:
        return engine, "densmap or output_dens"
    if not euclidean_output:
        return engine, "an output metric that is not Euclidean"
    return engine, None


def smooth_knn_dist(distances, k, n_iter=64, local_connectivity=1.0, bandwidth=1.0):
    """Returns the scale σ of each row of distances, and the distance ρ of its nearest, as umap-learn's function does."""
    return _fuzzy.scales(distances, k, local_connectivity, bandwidth, n_iter)


def compute_membership_strengths(knn_indices, knn_dists, sigmas, rhos, return_dists=False, bipartite=False):
    """Returns the rows, columns, memberships and distances of listed neighbours, as umap-learn's function does."""
    found = _fuzzy.memberships(knn_indices, knn_dists, sigmas, rhos, int(knn_indices.max()) + 1, bipartite)
    dists = np.asarray(knn_dists, dtype=np.float32).ravel() if return_dists else None
    return found.row, found.col, found.data, dists


_importing.made("umap")
