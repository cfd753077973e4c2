"""Principal coordinates and axes of samples."""

import numpy as np
from scipy.sparse import issparse
from scipy.sparse.linalg import LinearOperator

from .. import _calls, _solvers
from ._dispatch import ask

# The least variance, relative to the largest, for which the eigenvalues of the Gram matrix have some correct digits; below it, the singular values of the samples are used.
_CLEAR = 1e-10


def decompose(X, count, **running):
    """Returns the coordinates (n, k), singular values (k,) and axes (k, m) of the centred samples, with arbitrary signs."""
    n, m = X.shape
    if count < n:
        found = ask(_calls.embed, X, "pca", dim=count, model=True, **running)
        values = found.array("eigenvalues")
        if values[-1] > _CLEAR * values[0]:
            return found.array("embedding").reshape(n, count), np.sqrt(values * (n - 1)), found.array("projection").reshape(m, count).T
    u, singular, axes = ask(_solvers.svds, _centred(X), count, **running)[:3]
    return u * singular, singular, axes


def _centred(X):
    """Returns the samples minus their mean; sparse samples as an operator that only gives products."""
    mean = np.asarray(X.mean(axis=0, dtype=np.float64)).reshape(-1)
    if not issparse(X):
        return X.astype(np.float64) - mean
    X, back = X.astype(np.float64), X.T.astype(np.float64).tocsr()
    return LinearOperator(
        X.shape, dtype=np.float64, matvec=lambda v: X @ v - mean @ v, matmat=lambda v: X @ v - mean @ v,
        rmatvec=lambda u: back @ u - mean * u.sum(), rmatmat=lambda u: back @ u - np.outer(mean, u.sum(axis=0)),
    )
