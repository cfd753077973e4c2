"""How far X is from WH, as scikit-learn's NMF tells it."""

import numpy as np
from scipy.sparse import issparse

_EPSILON = np.finfo(np.float32).eps  # in the place of a zero below a fraction


def error(X, W, H, beta):
    """Returns the root of twice the β-divergence of X from WH, β 2 or 1: of squares the Frobenius norm of X − WH. O(nmr), or O(nnz·r) of sparse X."""
    if beta == 2 and issparse(X):
        squares = X.data @ X.data + np.vdot(W.T @ W, H @ H.T) - 2 * np.vdot(X @ H.T, W)
    elif beta == 2:
        apart = X - W @ H
        squares = np.vdot(apart, apart)
    else:
        model = _products(X, W, H) if issparse(X) else (W @ H).ravel()
        x = X.data if issparse(X) else X.ravel()
        there = x > _EPSILON
        x, model = x[there], model[there]
        model[model == 0] = _EPSILON
        squares = 2 * (x @ np.log(x / model) + W.sum(axis=0) @ H.sum(axis=1) - x.sum())
    return np.sqrt(max(squares, 0.0))


def _products(X, W, H):
    """Returns the entries of WH where X has entries."""
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    products, step = np.empty(len(rows), dtype=W.dtype), max(1, (1 << 20) // W.shape[1])
    Ht = np.ascontiguousarray(H.T)
    for i in range(0, len(rows), step):
        part = slice(i, i + step)
        products[part] = np.einsum("ij,ij->i", W[rows[part]], Ht[X.indices[part]])
    return products
