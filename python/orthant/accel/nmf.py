"""scikit-learn's NMF on the engine."""

import warnings

import numpy as np
from scipy.sparse import issparse
from sklearn.decomposition import NMF as _Base
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, check_non_negative

from .. import _calls
from .._base import validate_data
from . import _encoding, _nndsvd
from ._accelerated import Accelerated
from ._dispatch import ask, dispatch, rewound, threads

_BETA = {"frobenius": 2, "kullback-leibler": 1, "itakura-saito": 0}
_NEVER = 1e-300  # of the violation: it has to vanish


class NMF(Accelerated, _Base):
    def fit_transform(self, X, y=None, W=None, H=None):
        self._validate_params()
        own = super().fit_transform
        by_own = rewound(self.random_state, lambda: own(X, W=W, H=H))
        return dispatch(self, "fit", lambda: self._accel_fit(X, W, H), by_own, self._accel_reason())

    def transform(self, X):
        check_is_fitted(self)
        own = super().transform
        return dispatch(self, "transform", lambda: self._accel_encode(X), lambda: own(X), self._accel_reason())

    fit_transform.__doc__, transform.__doc__ = _Base.fit_transform.__doc__, _Base.transform.__doc__

    def _accel_reason(self):
        if self.verbose:
            return "verbose"
        if self.solver == "cd" and self.shuffle:
            return "shuffle"
        if self.solver == "mu" and _BETA.get(self.beta_loss, self.beta_loss) not in (1, 2):
            return f"beta_loss is {self.beta_loss!r}"
        if isinstance(self.n_components, str):
            return f"n_components is {self.n_components!r}"
        return None

    def _accel_samples(self, X, reset):
        X = validate_data(self, X, accept_sparse=("csr", "csc"), dtype=[np.float64, np.float32], reset=reset)
        check_non_negative(X, "NMF (input X)")
        self._check_params(X)
        return X.tocsr() if issparse(X) else X

    def _accel_warn(self, iterations):
        if iterations == self.max_iter and self.tol > 0:
            warnings.warn(f"Maximum number of iterations {self.max_iter} reached. Increase it to improve convergence.", ConvergenceWarning, stacklevel=6)

    def _accel_fit(self, X, W, H):
        X = self._accel_samples(X, True)
        if self.init == "custom":
            W, H = self._check_w_h(X, W, H, True)
        else:
            W, H = _nndsvd.start(X, self._n_components, self.init, self.random_state)
        parameters = {"solver": "hals", "stop": "violation", "tolerance": max(self.tol, _NEVER)}
        if self.solver == "mu":
            parameters = {"solver": "mu", "stop": "relative-decrease", "tolerance": self.tol or None}
        if self._beta_loss == 1:
            parameters.pop("solver")
        if not parameters["tolerance"]:
            parameters.pop("stop")
        alpha_h = self.alpha_W if self.alpha_H == "same" else self.alpha_H
        found = ask(
            _calls.factorize, X, "nmf-kl" if self._beta_loss == 1 else "nmf", self._n_components, start_w=W, start_h=H, order="w-first", normalise="none",
            iterations=self.max_iter, alpha_w=float(self.alpha_W), alpha_h=float(alpha_h), l1_ratio=float(self.l1_ratio), threads=threads(None), **parameters,
        )
        iterations = int(found.number("iterations"))
        self._accel_warn(iterations)
        W, H = found.array("w").reshape(X.shape[0], -1), found.array("h")
        self.reconstruction_err_ = _encoding.error(X, W, H, self._beta_loss)
        self.n_components_, self.n_iter_ = len(H), iterations
        self.components_ = H.astype(X.dtype, copy=False)
        return W.astype(X.dtype, copy=False)

    def _accel_encode(self, X):
        X = self._accel_samples(X, False)
        W, H = self._check_w_h(X, None, self.components_, False)
        l1, _, l2, _ = self._compute_regularization(X)
        if self.solver == "cd":
            iterations = _encoding.descend(X, W, H, l1, l2, self.max_iter, self.tol)
        else:
            iterations = _encoding.multiply(X, W, H, self._beta_loss, l1, l2, self.max_iter, self.tol)
        self._accel_warn(iterations)
        return W
