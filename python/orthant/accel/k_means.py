"""scikit-learn's KMeans on the engine."""

import warnings
from inspect import signature

import numpy as np
from scipy.sparse import issparse
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans as _Base
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array, check_random_state
from sklearn.utils._openmp_helpers import _openmp_effective_n_threads
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from .. import _points
from .._base import checked, validate_data
from ._accelerated import VERSION, Accelerated, Lazy
from ._dispatch import ask, dispatch, rewound, threads

_FEW = 1 << 13  # for fewer distances, measuring them one by one is faster than calling the engine
_BY_WEIGHT = VERSION >= (1, 3)  # first centres are drawn by sample_weight, and emptied clusters are placed differently


class KMeans(Accelerated, _Base):
    _accel_lazy = ("_n_threads",)

    @Lazy
    def _n_threads(self, fitted):
        return _openmp_effective_n_threads()

    def fit(self, X, y=None, sample_weight=None):
        self._validate_params()
        self._accel_forget()
        own = super().fit
        by_own = rewound(self.random_state, lambda: own(X, y, sample_weight))
        dispatch(self, "fit", lambda: self._accel_fit(X, sample_weight), by_own)
        return self

    def predict(self, X):
        check_is_fitted(self)
        own = super().predict
        return dispatch(self, "predict", lambda: self._accel_assign(X, None)[0], lambda: own(X))

    if "sample_weight" in signature(_Base.predict).parameters:  # until 1.4, deprecated from 1.3 on; the labels never depend on it
        _accel_predict, _accel_no_weight = predict, signature(_Base.predict).parameters["sample_weight"].default

        def predict(self, X, sample_weight=_accel_no_weight):
            if sample_weight is self._accel_no_weight:
                return self._accel_predict(X)
            own, reason = super().predict, None if self._accel_no_weight is None else "sample_weight is deprecated"
            return dispatch(self, "predict", lambda: self._accel_assign(X, sample_weight)[0], lambda: own(X, sample_weight), reason)

    def score(self, X, y=None, sample_weight=None):
        check_is_fitted(self)
        own = super().score
        return dispatch(self, "score", lambda: -self._accel_assign(X, sample_weight)[1], lambda: own(X, y, sample_weight))

    def _transform(self, X):
        own = super()._transform
        return dispatch(self, "transform", lambda: _distances(X, self.cluster_centers_), lambda: own(X))

    fit.__doc__, predict.__doc__, score.__doc__ = _Base.fit.__doc__, _Base.predict.__doc__, _Base.score.__doc__

    def _check_test_data(self, X):
        return super()._check_test_data(checked(X))

    def _accel_assign(self, X, sample_weight):
        """Returns the labels of samples, and the sum of their squared distances."""
        X = self._check_test_data(X)
        weights = _check_sample_weight(sample_weight, X, dtype=X.dtype) if sample_weight is not None else None
        if not issparse(X) and X.shape[0] * len(self.cluster_centers_) <= _FEW:
            squares = cdist(X, self.cluster_centers_, "sqeuclidean")
            least = squares.min(axis=1)
            return squares.argmin(axis=1).astype(np.int32), float(least.sum() if weights is None else least @ weights)
        found = ask(_points.lloyd, X, self.cluster_centers_, weights, 0, threads=threads(None))
        return found.array("labels").astype(np.int32), found.number("inertia")

    def _accel_fit(self, X, sample_weight):
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], order="C", accept_large_sparse=False)
        self._check_params_vs_input(_Rows(X.shape[0]))  # the tolerance follows
        random_state = check_random_state(self.random_state)
        weights = _check_sample_weight(sample_weight, X, dtype=X.dtype) if sample_weight is not None else None
        init = self.init
        if not (isinstance(init, str) or callable(init)):
            init = check_array(init, dtype=X.dtype, copy=True, order="C")
            self._validate_center_shape(X, init)
        mean = None
        if not issparse(X):
            mean = X.mean(axis=0)
            X = X - mean
            if isinstance(init, np.ndarray):
                init -= mean
        best = self._accel_best(X, init, weights, random_state)
        labels, centers = best.array("labels").astype(np.int32), best.array("centers").astype(X.dtype, copy=False)
        if mean is not None:
            centers += mean
        distinct = np.count_nonzero(np.bincount(labels))
        if distinct < self.n_clusters:
            warnings.warn(
                f"Number of distinct clusters ({distinct}) found smaller than n_clusters ({self.n_clusters}). Possibly due to duplicate points in X.",
                ConvergenceWarning,
                stacklevel=5,
            )
        self.cluster_centers_, self.labels_ = centers, labels
        self._n_features_out = len(centers)
        self._accel_fitted = {}
        self.inertia_, self.n_iter_ = best.number("inertia"), int(best.number("iterations"))

    def _accel_best(self, X, init, weights, random_state):
        """Runs k-means from every start, and returns the result with the least inertia."""
        wide = X.astype(np.float64, copy=False)
        center = np.asarray(wide.mean(axis=0)).ravel()
        squares = wide.data @ wide.data if issparse(X) else np.vdot(wide, wide)
        self._tol = self.tol * (squares / X.shape[0] - center @ center) / X.shape[1]
        best = None
        for _ in range(self._n_init):
            start = self._accel_start(X, wide, init, weights, random_state)
            if self.verbose:
                print("Initialization complete")
            found = ask(
                _points.lloyd, wide, weights=weights, iterations=self.max_iter, tolerance=max(float(self._tol), 0.0), trace=bool(self.verbose),
                emptied="heaviest" if _BY_WEIGHT else "origin", threads=threads(None), **start,
            )
            if self.verbose:
                self._accel_tell(found)
            if best is None or found.number("inertia") < best.number("inertia") and not _same(found.array("labels"), best.array("labels")):
                best = found
        return best

    def _accel_start(self, X, wide, init, weights, random_state):
        """Returns the start of a run: centres, or scikit-learn's draws for greedy k-means++."""
        n, chances = X.shape[0], None
        if _BY_WEIGHT and isinstance(init, str):
            ones = np.ones(n, dtype=X.dtype) if weights is None else weights
            chances = ones / ones.sum()
        if isinstance(init, str) and init == "k-means++":
            first = int(random_state.choice(n, p=chances) if _BY_WEIGHT else random_state.randint(n))
            if self.n_clusters > 1:
                draws = random_state.uniform(size=(self.n_clusters - 1, 2 + int(np.log(self.n_clusters))))
                return {"draws": draws, "first": first, "single": X.dtype == np.float32, "weighted": _BY_WEIGHT}
            start = wide[[first]]
        elif isinstance(init, str):
            chosen = random_state.choice(n, size=self.n_clusters, replace=False, p=chances) if _BY_WEIGHT else random_state.permutation(n)[: self.n_clusters]
            start = wide[chosen]
        elif callable(init):
            start = check_array(init(X, self.n_clusters, random_state=random_state), dtype=X.dtype, copy=False, order="C")
            self._validate_center_shape(X, start)
        else:
            start = init
        return {"start": start.toarray() if issparse(start) else start}

    def _accel_tell(self, found):
        """Prints what scikit-learn prints about a run."""
        costs, report = found.array("objective"), found.report
        for i, cost in enumerate(costs):
            print(f"Iteration {i}, inertia {cost}" + "." * (self._algorithm == "lloyd"))
        if report["settled"]:
            print(f"Converged at iteration {len(costs) - 1}: strict convergence.")
        elif report["converged"]:
            print(f"Converged at iteration {len(costs) - 1}: center shift {report['moved']} within tolerance {self._tol}.")


class _Rows:
    """Stands in for the samples in a check of parameters that only uses their number and their variance."""

    def __init__(self, n):
        self.shape = (n, 1)

    def var(self, axis=None, dtype=None, out=None, **_):
        return 0.0


def _same(labels, others):
    """Reports whether every cluster of labels is contained in a cluster of others."""
    to = np.empty(labels.max() + 1, dtype=others.dtype)
    to[labels] = others
    return np.array_equal(to[labels], others)


def _distances(X, centers):
    """Returns the Euclidean distances (n, clusters), in the type of X."""
    X = check_array(checked(X), accept_sparse="csr", dtype=[np.float64, np.float32])
    wide, c = X.astype(np.float64, copy=False), centers.astype(np.float64, copy=False)
    norms = np.asarray(wide.multiply(wide).sum(axis=1)).ravel() if issparse(X) else np.einsum("ij,ij->i", wide, wide)
    lengths = np.einsum("ij,ij->i", c, c)
    squares = norms[:, None] + lengths - 2 * (wide @ c.T)
    # If the difference of the products has lost its digits, the difference of the coordinates is used.
    rows, columns = np.nonzero(squares <= 1e-10 * (norms[:, None] + lengths))
    for i in range(0, len(rows), 4096):
        r, k = rows[i : i + 4096], columns[i : i + 4096]
        apart = (wide[r].toarray() if issparse(X) else wide[r]) - c[k]
        squares[r, k] = np.einsum("ij,ij->i", apart, apart)
    return np.sqrt(squares, out=squares).astype(X.dtype, copy=False)
