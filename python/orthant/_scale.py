"""The standardisation of the data before a method, and its inverse."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _sparse


@dataclass
class Scale:
    """The scaling that standardize applied to the samples of a fit."""

    how: str
    center: np.ndarray | None
    spread: np.ndarray | None

    def done(self, X: Any) -> Any:
        """Returns samples in the scale of the fit."""
        if self.how == "none":
            return X
        if self.how == "log1p":
            return X.log1p() if _sparse.is_sparse(X) else np.log1p(X)
        if self.how == "unit":
            from sklearn.preprocessing import normalize

            return normalize(X)
        if self.how == "counts":
            from sklearn.preprocessing import normalize

            X = normalize(X, norm="l1") * self.spread[0]
            return X.log1p() if _sparse.is_sparse(X) else np.log1p(X)
        Z = (X - self.center) / self.spread
        return (np.arcsinh(Z) if self.how == "asinh" else Z).astype(X.dtype)

    def undone(self, Z: np.ndarray, owner: str) -> np.ndarray:
        """Returns samples in the scale of the data."""
        if self.how == "none":
            return Z
        if self.how == "log1p":
            return np.expm1(Z)
        if self.how == "unit":
            raise ValueError(f'{owner}: standardize="unit" has taken the lengths of the samples; there is no way back to samples')
        if self.how == "counts":
            raise ValueError(f'{owner}: standardize="counts" has taken the sums of the samples; there is no way back to samples')
        return ((np.sinh(Z) if self.how == "asinh" else Z) * self.spread + self.center).astype(Z.dtype)


def of(how: str | None, result: Any) -> Scale:
    """Returns the scale of a fit."""
    if how in (None, "none"):
        return Scale("none", None, None)
    if "standardize_spread" not in result:
        return Scale(how, None, None)
    if how == "counts":
        return Scale(how, None, result.array("standardize_spread").reshape(-1))
    return Scale(how, result.array("standardize_center").reshape(-1), result.array("standardize_spread").reshape(-1))
