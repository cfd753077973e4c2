"""scikit-learn's TruncatedSVD on the engine."""

import numpy as np
from scipy.sparse import issparse
from scipy.sparse.linalg import svds
from sklearn.decomposition import TruncatedSVD as _Base
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from .. import _solvers
from .._base import validate_data
from . import _randomized
from ._accelerated import VERSION, Accelerated
from ._dispatch import ask, dispatch, rewound, threads

_MANY, _NARROW = 1 << 21, 1000  # the engine is faster from this many entries, and up to this many rows or columns


class TruncatedSVD(Accelerated, _Base):
    def fit_transform(self, X, y=None):
        self._validate_params()
        own = super().fit_transform
        return dispatch(self, "fit", lambda: self._accel_fit(X), rewound(self.random_state, lambda: own(X)))

    def transform(self, X):
        check_is_fitted(self)
        own = super().transform
        return dispatch(self, "transform", lambda: self._accel_transform(X), lambda: own(X))

    fit_transform.__doc__, transform.__doc__ = _Base.fit_transform.__doc__, _Base.transform.__doc__

    def _accel_fit(self, X):
        X = validate_data(self, X, accept_sparse=["csr", "csc"], ensure_min_features=2)
        dtype = np.float32 if X.dtype == np.float32 else np.float64
        random_state = check_random_state(self.random_state)
        if X.dtype.kind != "f":
            X = X.astype(np.float64)
        if self.algorithm == "randomized" and self.n_components > X.shape[1]:
            raise ValueError(f"n_components({self.n_components}) must be <= n_features({X.shape[1]}).")
        u, singular, axes, exact = self._accel_triplets(X, random_state)
        by = axes.T if VERSION >= (1, 5) else u  # whose largest entries are positive
        signs = np.sign(by[np.argmax(np.abs(by), axis=0), range(len(singular))])
        signs[signs == 0] = 1
        self.components_ = (axes * signs[:, None]).astype(dtype, copy=False)
        scores = u * (singular * signs) if exact else X @ self.components_.T
        variances = np.var(scores, axis=0)
        self.explained_variance_ = variances.astype(dtype, copy=False)
        self.explained_variance_ratio_ = (variances / _spread(X)).astype(dtype, copy=False)
        self.singular_values_ = singular.astype(dtype, copy=False)
        return scores.astype(dtype, copy=False)

    def _accel_triplets(self, X, random_state):
        """Returns (u, s, vt, exact); exact means that X·vtᵀ equals u·s.

        For many full rows the engine's triplets are exact and the fastest; otherwise NumPy and SciPy compute the triplets of scikit-learn's draws.
        """
        count, (n, m) = self.n_components, X.shape
        of_engine = not issparse(X) and n * m >= _MANY and count < min(n, m) <= _NARROW
        if self.algorithm == "arpack":
            first = random_state.uniform(-1, 1, min(n, m))
            if not of_engine:
                u, singular, axes = svds(X, k=count, tol=self.tol, v0=first)
                return u[:, ::-1], singular[::-1], axes[::-1], self.tol == 0
        elif not of_engine:
            return *_randomized.triplets(X, count, random_state, self.n_iter, self.n_oversamples, self.power_iteration_normalizer), False
        else:
            random_state.normal(size=(min(n, m), count + self.n_oversamples))  # the draws that scikit-learn would have made
        return *ask(_solvers.svds, X, count, threads=threads(None))[:3], True

    def _accel_transform(self, X):
        X = validate_data(self, X, accept_sparse=["csr", "csc"], reset=False)
        return X @ self.components_.T


def _spread(X):
    """Returns the sum of the variances of the columns."""
    if not issparse(X):
        return np.var(X, axis=0, dtype=np.float64).sum()
    X = X.astype(np.float64, copy=False)
    means = np.asarray(X.mean(axis=0)).ravel()
    return X.data @ X.data / X.shape[0] - means @ means
