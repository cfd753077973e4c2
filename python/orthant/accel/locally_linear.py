"""scikit-learn's LocallyLinearEmbedding on the engine."""

import numpy as np
from sklearn.manifold import LocallyLinearEmbedding as _Base
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from .. import _calls, _solvers
from .._base import validate_data
from . import _barycentric, _modified
from ._accelerated import VERSION, Accelerated, Lazy
from ._dispatch import Refused, ask, dispatch, threads


class LocallyLinearEmbedding(Accelerated, _Base):
    _accel_lazy = ("nbrs_",)

    @Lazy
    def nbrs_(self, fitted):
        from sklearn.neighbors import NearestNeighbors

        return NearestNeighbors(**fitted["neighbors"]).fit(fitted["samples"])

    def _fit_transform(self, X):
        self._accel_forget()
        own = super()._fit_transform
        dispatch(self, "fit", lambda: self._accel_fit(X), lambda: own(X), self._accel_reason())

    def _accel_reason(self):
        if self.method == "standard" and not self.reg > 0:
            return f"reg is {self.reg}, and the engine regularises always"
        if self.method == "hessian" and self.hessian_tol < 1e-10:
            return f"hessian_tol is {self.hessian_tol}, which is within rounding"
        return None

    def _accel_fit(self, X):
        check_random_state(self.random_state)
        X = validate_data(self, X, dtype=float)
        n, m = X.shape
        k, d = self.n_neighbors, self.n_components
        if d > m:
            raise ValueError("output dimension must be less than or equal to input dimension")
        if k >= n:
            raise ValueError(f"Expected n_neighbors {'<= n_samples, ' if VERSION < (1, 4) else '< n_samples,'} but n_samples = {n}, n_neighbors = {k}")
        if self.method == "hessian" and k <= d * (d + 3) // 2:
            raise ValueError("for method='hessian', n_neighbors must be greater than [n_components * (n_components + 3) / 2]")
        if self.method == "modified" and k < d:
            raise ValueError("modified LLE requires n_neighbors >= n_components")
        if self.method != "standard" and d == m:
            raise Refused("n_components is the number of features, where the null space has no one basis")
        self.embedding_, self.reconstruction_error_ = self._accel_embed(X, k, d)
        self._accel_fitted = {"samples": X, "neighbors": {"n_neighbors": k, "algorithm": self.neighbors_algorithm, "n_jobs": self.n_jobs}}
        self._n_features_out = d

    def _accel_embed(self, X, k, d):
        run = {"threads": threads(self.n_jobs)}
        if self.method == "modified":
            indices, _ = ask(_calls.neighbors, X, k, **run)
            A = _modified.alignment(X, indices, d, self.modified_tol)
            values, vectors = ask(_solvers.eigsh, A, d, null=np.ones(len(X)), **run)[:2]
            return vectors, float(np.sum(values))
        # scikit-learn's "hessian" keeps all of the orthogonal complement of the constant and the tangents, by a complete QR factorisation:
        # that equals its "ltsa" (the quadratic terms have no effect), and hessian_tol divides sums that are zero up to rounding.
        method, own = ("lle", {"gamma": self.reg}) if self.method == "standard" else ("ltsa", {"exclude_self": True})
        found = ask(_calls.embed, X, method, neighbors=k, dim=d, components="joint", remedies="named", **own, **run)
        return found.array("embedding").reshape(len(X), d), float(np.sum(found.array("eigenvalues")))

    def transform(self, X):
        check_is_fitted(self)
        own = super().transform
        return dispatch(self, "transform", lambda: self._accel_transform(X), lambda: own(X))

    transform.__doc__ = _Base.transform.__doc__

    def _accel_transform(self, X):
        X = validate_data(self, X, reset=False, dtype=float)
        samples = self._accel_fitted["samples"] if "_accel_fitted" in self.__dict__ else self.nbrs_._fit_X
        _, indices = _barycentric.nearest(samples, X, self.n_neighbors)
        w = _barycentric.weights(samples, X, indices, self.reg)
        return np.einsum("ik,ikd->id", w, self.embedding_[indices])
