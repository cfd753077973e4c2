"""Embeddings by a projection: their axes, and the inverse map."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _calls, _sparse
from ._base import Mapping


class Projection(Mapping):
    """An embedding whose coordinates are projections, Y = (X − offset) componentsᵀ."""

    def _took_embedding(self, result, X):
        """Stores what inverse_transform needs, if there is a rule for new samples."""
        for name in ("components_", "mean_", "_orthant_shift"):
            self.__dict__.pop(name, None)
        if "projection" not in result:
            return
        X = self._orthant_scale.done(X)
        self.components_ = np.ascontiguousarray(result.array("projection", X.dtype).T)
        self.mean_ = np.asarray(X.mean(axis=0, dtype=np.float64)).reshape(-1).astype(X.dtype)
        # The coordinates of the mean of the samples: the origin, except for methods that do not subtract the mean.
        self._orthant_shift = ((self.mean_ - result.array("mean", X.dtype)) @ self.components_.T).astype(X.dtype)

    def inverse_transform(self, Y: Any) -> np.ndarray:
        """Returns samples with the given coordinates; of all such samples, the nearest to the mean.

        Parameters
        ----------
        Y : array of shape (n_samples, n_components)

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        if not hasattr(self, "components_"):
            raise ValueError(f"{type(self).__name__}: this fit left no projection{self._orthant_no_model}; there is no way back to samples")
        _calls.unmasked(Y, "Y")
        Y = np.asarray(Y)
        if Y.ndim != 2 or Y.shape[1] != len(self.components_):
            raise ValueError(f"{type(self).__name__}: Y is of shape {Y.shape}; give one row a sample, with {len(self.components_)} coordinates")
        samples = self.mean_ + (Y - self._orthant_shift) @ np.linalg.pinv(self.components_.astype(np.float64)).T.astype(self.components_.dtype)
        return self._orthant_scale.undone(samples, type(self).__name__)


class Principal(Projection):
    """Principal components, with the variances and the likelihood of probabilistic PCA (Tipping and Bishop 1999)."""

    def _took_embedding(self, result, X):
        super()._took_embedding(result, X)
        if not hasattr(self, "components_"):
            return
        (n, m), k = X.shape, len(self.components_)
        variances = np.maximum(result.array("eigenvalues"), 0)
        spread = _spread(self._orthant_scale.done(X), n)
        rest = min(n, m) - k
        self.explained_variance_ = variances.astype(X.dtype)
        self.explained_variance_ratio_ = (variances / spread if spread > 0 else np.zeros(k)).astype(X.dtype)
        self.singular_values_ = np.sqrt(variances * (n - 1)).astype(X.dtype)
        self.noise_variance_ = float(max(spread - variances.sum(), 0) / rest) if rest > 0 else 0.0
        self.n_components_, self.n_samples_ = k, n

    def score_samples(self, X: Any) -> np.ndarray:
        """Returns the log-likelihood of each sample under probabilistic PCA.

        The variance outside the components is noise_variance_. If it is zero, because the components hold all the variance and there are
        fewer components than features, the likelihood is not defined.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        log_likelihood : ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        X = self._samples(X, reset=False)
        if not hasattr(self, "components_"):
            raise ValueError(f"{type(self).__name__}: this fit left no projection{self._orthant_no_model}; there is no likelihood")
        X = self._orthant_scale.done(X)
        X = np.asarray(X.toarray() if _sparse.is_sparse(X) else X, dtype=np.float64)
        axes, variances, noise = self.components_.astype(np.float64), self.explained_variance_.astype(np.float64), self.noise_variance_
        k, m = axes.shape
        if not (noise > 0 or k == m) or not variances.min() > 0:
            raise ValueError(f"{type(self).__name__}: a variance of the model is zero, so that the likelihood is not defined; fit fewer components")
        centred = X - self.mean_
        along = centred @ axes.T
        # The components have their own variances, the remaining directions the variance of the noise.
        distances = (along**2 / variances).sum(axis=1)
        logarithm = np.log(variances).sum()
        if k < m:
            beside = np.maximum(np.einsum("ij,ij->i", centred, centred) - (along**2).sum(axis=1), 0)
            distances += beside / noise
            logarithm += (m - k) * np.log(noise)
        return -0.5 * (distances + logarithm + m * np.log(2 * np.pi))

    def score(self, X: Any, y: Any = None) -> float:
        """Returns the mean of score_samples; larger is better.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        log_likelihood : float
        """
        return float(np.mean(self.score_samples(X)))


def _spread(X, n):
    """Returns the total variance of the samples."""
    if _sparse.is_sparse(X):
        means = np.asarray(X.mean(axis=0, dtype=np.float64)).reshape(-1)
        squares = float((X.data.astype(np.float64) ** 2).sum())
        return max(squares - n * float(means @ means), 0.0) / (n - 1)
    return float(np.var(X, axis=0, ddof=1, dtype=np.float64).sum())
