"""scikit-learn's TruncatedSVD on the engine."""

import numpy as np
from scipy.sparse import issparse
from sklearn.decomposition import TruncatedSVD as _Base
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from .. import _solvers
from .._base import validate_data
from ._accelerated import Accelerated
from ._dispatch import ask, dispatch, rewound, threads


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
        n, m = X.shape
        least, count = min(n, m), self.n_components
        random_state = check_random_state(self.random_state)
        if self.algorithm == "arpack":
            if count >= least:
                raise ValueError("`k` must be an integer satisfying `0 < k < min(A.shape)`.")
            random_state.uniform(-1, 1, least)  # scikit-learn's start, which is not needed
        else:
            if count > m:
                raise ValueError(f"n_components({count}) must be <= n_features({m}).")
            random_state.normal(size=(least, count + self.n_oversamples))  # its random directions
        dtype = np.float32 if X.dtype == np.float32 else np.float64
        u, singular, axes = ask(_solvers.svds, X, min(count, least), threads=threads(None))[:3]
        signs = np.sign(u[np.argmax(np.abs(u), axis=0), range(len(singular))])
        scores = u * (singular * np.where(signs == 0, 1, signs))
        self.components_ = (axes * np.where(signs == 0, 1, signs)[:, None]).astype(dtype, copy=False)
        variances = np.var(scores, axis=0)
        self.explained_variance_ = variances.astype(dtype, copy=False)
        self.explained_variance_ratio_ = (variances / _spread(X)).astype(dtype, copy=False)
        self.singular_values_ = singular.astype(dtype, copy=False)
        return scores.astype(dtype, copy=False)

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
