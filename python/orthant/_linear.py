"""Embeddings by a projection: their axes, and the inverse map."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _calls, _scale, _sparse
from ._base import Mapping
from ._types import T


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

    def fit(self: T, X: Any, y: Any = None, sample_weight: Any = None) -> T:
        """Finds the components of the samples X, whose coordinates are then in embedding_.

        Parameters
        ----------
        X : array, frame, table or sparse matrix of shape (n_samples, n_features)
            With missing="weight", NaN is a missing entry.
        y : ignored
        sample_weight : array of shape (n_samples,), ≥ 0; None: all samples have the same weight

        Returns
        -------
        self : the estimator
        """
        return self._fit(X, y, weights=sample_weight)

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Finds the components of the samples X, and returns their coordinates.

        Parameters
        ----------
        X : array, frame, table or sparse matrix of shape (n_samples, n_features)
        y : ignored
        sample_weight : array of shape (n_samples,), ≥ 0; None: all samples have the same weight

        Returns
        -------
        Y : ndarray of shape (n_samples, n_components), or what set_output asks for
        """
        return self._fit_transform(X, y, weights=sample_weight)

    def _fit(self, X, y, **near):
        self._orthant_moments = None
        return super()._fit(X, y, **near)

    def _took_embedding(self, result, X):
        for name in ("components_", "mean_", "_orthant_shift"):
            self.__dict__.pop(name, None)
        if "projection" not in result:
            return
        details = result.report["details"]
        variances, shares = np.maximum(result.array("eigenvalues"), 0), np.asarray(details["explained_variance_ratio"], dtype=np.float64)
        axes, mean = result.array("projection").T, result.array("mean").reshape(-1)
        spread = variances.sum() / shares.sum() if shares.sum() > 0 else 0.0
        self._took_components(axes * np.sqrt(variances)[:, None] if self.whiten else axes, mean, variances, spread, X.shape[0], X.dtype)
        if "noise_variance" in details:
            self.noise_variance_ = details["noise_variance"]
        self.explained_variance_ratio_ = shares.astype(X.dtype)

    def _took_components(self, axes, mean, variances, spread, n, dtype):
        """Stores orthonormal axes, one a row, and the variances along them, of a total variance."""
        k, m = axes.shape
        self.components_ = np.ascontiguousarray(axes.astype(dtype))
        self.mean_ = mean.astype(dtype)
        self._orthant_shift = np.zeros(k, dtype)
        self._orthant_lengths = (np.sqrt(variances) if self.whiten else np.ones(k)).astype(dtype)
        self.explained_variance_ = variances.astype(dtype)
        self.explained_variance_ratio_ = (variances / spread if spread > 0 else np.zeros(k)).astype(dtype)
        self.singular_values_ = np.sqrt(variances * (n - 1)).astype(dtype)
        rest = min(n, m) - k
        self.noise_variance_ = float(max(spread - variances.sum(), 0) / rest) if rest > 0 else 0.0
        self.n_components_, self.n_samples_ = k, n

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Principal:
        """Adds the samples X to those of earlier calls, and finds the components of all; the first call after fit starts over.

        The mean and the products of the columns of all samples so far are kept, m² numbers, so that the components are those that fit
        finds of all samples together, up to rounding. There is no embedding_; transform gives samples their coordinates.

        Parameters
        ----------
        X : array, frame, table or sparse matrix of shape (n_samples, n_features)
        y : ignored
        sample_weight : array of shape (n_samples,), ≥ 0; None: 1 each

        Returns
        -------
        self : the estimator
        """
        if self.missing != "error" or self.standardize not in (None, "none"):
            raise ValueError(f"{type(self).__name__}: partial_fit takes samples without missing entries, and in their own scale; fit all samples together, or fill in and scale them first")
        moments = getattr(self, "_orthant_moments", None)
        X = self._samples(X, reset=moments is None)
        dtype = X.dtype
        rows = np.asarray(X.toarray() if _sparse.is_sparse(X) else X, dtype=np.float64)
        weights = np.ones(len(rows)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64).reshape(-1)
        if len(weights) != len(rows):
            raise ValueError(f"{type(self).__name__}: {len(weights)} weights of {len(rows)} samples; give one for each")
        if not (np.isfinite(weights).all() and (weights >= 0).all() and weights.any()):
            raise ValueError(f"{type(self).__name__}: weights are finite numbers ≥ 0, and at least one is above 0; correct sample_weight")
        total = weights.sum()
        mean = weights @ rows / total
        rows = rows - mean
        products = (rows * weights[:, None]).T @ rows
        n, squares = len(rows), weights @ weights
        if moments is not None:  # Chan, Golub and LeVeque 1979
            before, count, seen, center, known = moments
            apart = mean - center
            products += known + np.outer(apart, apart) * (before * total / (before + total))
            mean = center + apart * (total / (before + total))
            total, squares, n = before + total, squares + count, n + seen
        m = len(mean)
        k = max(1, min(n - 1, m)) if self.n_components is None else self.n_components
        if not (isinstance(k, (int, np.integer)) and 1 <= k <= min(m, n - 1)):
            raise ValueError(f"{type(self).__name__}: n_components is {self.n_components!r} for {n} samples of {m} features; give a whole number from 1 to {min(m, n - 1)}")
        variances, axes = np.linalg.eigh(products)
        variances, axes = np.maximum(variances[::-1][:k], 0) / (total - squares / total), axes.T[::-1][:k]
        axes = axes * np.where(axes[np.arange(k), np.abs(axes).argmax(axis=1)] < 0, -1.0, 1.0)[:, None]
        self._orthant_moments = (total, squares, n, mean, products)
        self._took_components(axes, mean, variances, products.trace() / (total - squares / total), n, dtype)
        self._orthant_scale = _scale.Scale("none", None, None)
        self.__dict__.pop("embedding_", None)
        return self

    def _transform(self, X):
        if getattr(self, "_orthant_moments", None) is None:
            return super()._transform(X)
        X = self._samples(X, reset=False)
        along = (X.toarray() if _sparse.is_sparse(X) else X) - self.mean_
        lengths = np.where(self._orthant_lengths > 0, self._orthant_lengths, np.inf)
        return (along @ self.components_.T / lengths).astype(X.dtype)

    def inverse_transform(self, Y: Any) -> np.ndarray:
        """Returns samples with the given coordinates; of all such samples, the nearest to the mean.

        Parameters
        ----------
        Y : array of shape (n_samples, n_components)

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
        """
        if getattr(self, "whiten", False) and hasattr(self, "components_") and np.ndim(Y) == 2 and np.shape(Y)[1] == len(self.components_):
            _calls.unmasked(Y, "Y")
            Y = np.asarray(Y) * self._orthant_lengths
        return super().inverse_transform(Y)

    @property
    def _n_features_out(self):
        return len(self.components_) if hasattr(self, "components_") else self.embedding_.shape[1]

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
        if np.isnan(X).any():
            raise ValueError(f"{type(self).__name__}: the likelihood is of samples without missing entries; leave samples with NaN out")
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
