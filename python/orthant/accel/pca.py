"""scikit-learn's PCA on the engine."""

import numpy as np
from scipy.sparse import issparse
from sklearn.decomposition import PCA as _Base
from sklearn.utils import check_random_state

from .._base import validate_data
from . import _minka, _principal
from ._accelerated import VERSION, Accelerated
from ._dispatch import Refused, dispatch

_SOLVERS = ("auto", "full", "arpack", "randomized") + (("covariance_eigh",) if VERSION >= (1, 5) else ())


class PCA(Accelerated, _Base):
    def fit(self, X, y=None):
        self._validate_params()
        own = super().fit
        dispatch(self, "fit", lambda: self._accel_fit(X), lambda: own(X), self._accel_reason(X))
        return self

    def fit_transform(self, X, y=None):
        self._validate_params()
        own = super().fit_transform
        return dispatch(self, "fit_transform", lambda: self._accel_fit(X), lambda: own(X), self._accel_reason(X))

    fit.__doc__, fit_transform.__doc__ = _Base.fit.__doc__, _Base.fit_transform.__doc__

    def _accel_reason(self, X):
        if issparse(X) and (1, 4) <= VERSION < (1, 5):
            return "X is sparse"
        if self.svd_solver not in _SOLVERS:
            return f"svd_solver is {self.svd_solver!r}"
        return None

    def _accel_fit(self, X):
        """Fits, and returns the coordinates of the samples."""
        if issparse(X):
            self._accel_check_sparse()
        X = validate_data(self, X, dtype=[np.float64, np.float32], ensure_2d=True, accept_sparse=("csr", "csc"))
        n, m = X.shape
        self._fit_svd_solver, wanted = self._accel_checked(n, m, issparse(X))
        check_random_state(self.random_state)
        if n < 2:
            raise Refused("one sample has no variance")
        X = X.tocsr() if issparse(X) else X
        self.mean_ = np.asarray(X.mean(axis=0)).reshape(-1)
        whole = wanted == "mle" or not isinstance(wanted, (int, np.integer)) and wanted < 1
        count = min(n, m) if whole else int(wanted)
        scores, singular, components = self._accel_flip(*_principal.decompose(X, max(count, 1)))
        variances = singular**2 / (n - 1)
        spread = variances.sum() if len(variances) == min(n, m) else _spread(X, self.mean_)
        if wanted == "mle":
            count = _minka.components(variances, n)
        elif whole:
            count = int(np.searchsorted(np.cumsum(variances / variances.sum()), wanted, side="right")) + 1
        rest = min(n, m) - count
        self.n_samples_, self.n_components_ = n, count
        self.components_ = components[:count].astype(X.dtype)
        self.explained_variance_ = variances[:count].astype(X.dtype)
        self.explained_variance_ratio_ = (variances[:count] / spread).astype(X.dtype)
        self.singular_values_ = singular[:count].astype(X.dtype)
        left = variances[count:].sum() if whole else max(spread - variances[:count].sum(), 0.0)
        self.noise_variance_ = X.dtype.type(left / rest) if rest else 0.0
        scores = scores[:, :count]
        if self.whiten:
            scores = scores * (np.sqrt(n - 1) / np.where(singular[:count] > 0, singular[:count], 1))
        return np.asfortranarray(scores, dtype=X.dtype)

    def _accel_check_sparse(self):
        """Raises scikit-learn's error about sparse samples."""
        if VERSION < (1, 4):
            raise TypeError("PCA does not support sparse input. See TruncatedSVD for a possible alternative.")
        if self.svd_solver not in ("auto", "arpack", "covariance_eigh"):
            raise TypeError(
                f'PCA only support sparse inputs with the "arpack" and "covariance_eigh" solvers, while "{self.svd_solver}" was passed. '
                "See TruncatedSVD for a possible alternative."
            )

    def _accel_checked(self, n, m, sparse):
        """Returns the solver that scikit-learn would choose and the number of components, or raises its errors about them."""
        least, solver, wanted = min(n, m), self.svd_solver, self.n_components
        if sparse and solver == "auto":
            solver = "arpack"
        if wanted is None:
            wanted = least - (solver == "arpack")
        if solver == "auto":
            small = max(n, m) <= 500 or wanted == "mle"
            solver = "randomized" if not small and 1 <= wanted < 0.8 * least else "full"
            if VERSION >= (1, 5) and m <= 1000 and n >= 10 * m:
                solver = "covariance_eigh"
        if solver in ("full", "covariance_eigh"):
            if wanted == "mle":
                if n < m:
                    raise ValueError("n_components='mle' is only supported if n_samples >= n_features")
            elif not 0 <= wanted <= least:
                raise ValueError(f"n_components={wanted!r} must be between 0 and min(n_samples, n_features)={least!r} with svd_solver='{solver}'")
        elif isinstance(wanted, str):
            raise ValueError(f"n_components={wanted!r} cannot be a string with svd_solver='{solver}'")
        elif not 1 <= wanted <= least:
            raise ValueError(f"n_components={wanted!r} must be between 1 and min(n_samples, n_features)={least!r} with svd_solver='{solver}'")
        elif solver == "arpack" and wanted == least:
            raise ValueError(f"n_components={wanted!r} must be strictly less than min(n_samples, n_features)={least!r} with svd_solver='{solver}'")
        return solver, wanted

    @staticmethod
    def _accel_flip(scores, singular, axes):
        """Returns all three with scikit-learn's signs."""
        # The coordinate with the largest absolute value is positive; from 1.5 on, such an entry of each axis.
        by = axes.T if VERSION >= (1, 5) else scores
        signs = np.where(by.max(axis=0) >= -by.min(axis=0), 1.0, -1.0)
        scores *= signs
        return scores, singular, axes * signs[:, None]


def _spread(X, mean):
    """Returns the total variance, by blocks of rows that stay in the cache."""
    if issparse(X):
        mean = np.asarray(X.mean(axis=0, dtype=np.float64)).reshape(-1)
        stored = X.data.astype(np.float64) - mean[X.indices]
        absent = len(X.data) and X.shape[0] - np.bincount(X.indices, minlength=X.shape[1])
        return (float(stored @ stored) + float(np.sum(absent * mean**2))) / (X.shape[0] - 1)
    total, rows = 0.0, max(1, (1 << 16) // X.shape[1])
    for i in range(0, len(X), rows):
        centred = X[i : i + rows].astype(np.float64, copy=False) - mean
        total += np.einsum("ij,ij->", centred, centred)
    return total / (len(X) - 1)
