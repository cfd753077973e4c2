"""scikit-learn's NMF on the engine."""

import warnings

import numpy as np
from scipy.sparse import issparse
from sklearn.decomposition import NMF as _Base
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, check_non_negative

from .. import _calls
from .._base import validate_data
from . import _divergence, _nndsvd
from ._accelerated import Accelerated
from ._dispatch import ask, dispatch, rewound, threads

_NEVER = 1e-300 # tolerance of the violation: it has to vanish


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
        return None

    def _accel_samples(self, X, reset):
        X = validate_data(self, X, accept_sparse=("csr", "csc"), dtype=[np.float64, np.float32], reset=reset)
        check_non_negative(X, "NMF (input X)")
        self._check_params(X)
        if self._beta_loss <= 0 and X.min() == 0:
            raise ValueError(
                "When beta_loss <= 0 and X contains zeros, the solver may diverge. Please add small values to X, or use a positive beta_loss."
            )
        return X.tocsr() if issparse(X) else X

    def _accel_fit(self, X, W, H):
        X = self._accel_samples(X, True)
        if self.init == "custom":
            W, H = self._check_w_h(X, W, H, True)
        else:
            if self._n_components == "auto":  # from 1.4 on
                self._n_components = X.shape[1]
            W, H = _nndsvd.start(X, self._n_components, self.init, self.random_state)
        alpha_h = self.alpha_W if self.alpha_H == "same" else self.alpha_H
        W, H, self.n_iter_ = self._accel_factorize(X, W, H, alpha_h=float(alpha_h))
        self.reconstruction_err_ = _divergence.error(X, W, H, self._beta_loss)
        self.n_components_ = len(H)
        self.components_ = H.astype(X.dtype, copy=False)
        return W.astype(X.dtype, copy=False)

    def _accel_encode(self, X):
        X = self._accel_samples(X, False)
        W, H = self._check_w_h(X, None, self.components_, False)
        return self._accel_factorize(X, W, H, alpha_h=0.0, fixed="h")[0].astype(X.dtype, copy=False)

    def _accel_factorize(self, X, W, H, **parameters):
        """Returns W and H and the number of iterations from a start, after scikit-learn's warning."""
        if self.solver == "cd":
            parameters.update(solver="hals", stop="violation", tolerance=max(self.tol, _NEVER))
        elif self.tol > 0:
            parameters.update(stop="relative-decrease", tolerance=self.tol)
        if self.alpha_W or parameters["alpha_h"]:
            parameters.update(alpha_w=float(self.alpha_W), l1_ratio=float(self.l1_ratio))
        else:
            del parameters["alpha_h"]
        method = {2: "nmf", 1: "nmf-kl"}.get(self._beta_loss, "nmf-beta")
        if self.solver == "mu" and method == "nmf":
            parameters.update(solver="mu")
        elif method == "nmf-beta":
            parameters.update(beta=float(self._beta_loss))
        found = ask(
            _calls.factorize, X, method, len(H), start_w=W, start_h=H, order="w-first", normalise="none",
            iterations=self.max_iter, threads=threads(None), **parameters,
        )
        iterations = int(found.number("iterations"))
        if iterations == self.max_iter and self.tol > 0:
            warnings.warn(f"Maximum number of iterations {self.max_iter} reached. Increase it to improve convergence.", ConvergenceWarning, stacklevel=7)
        return found.array("w").reshape(W.shape), found.array("h"), iterations
