"""The distance of X from WH, as scikit-learn's NMF reports it."""

import numpy as np
from scipy.sparse import issparse

_EPSILON = np.finfo(np.float32).eps  # replaces a zero in a denominator


def error(X, W, H, beta):
    """Returns the root of twice the β-divergence of X from WH (Févotte and Idier, Algorithms for nonnegative matrix factorization with the
    β-divergence, 2011, equation 2), for β = 2 the Frobenius norm of X − WH. O(nmr); for sparse X and β of 1 or 2 O(nnz·r).
    """
    if beta == 2 and issparse(X):
        squares = X.data @ X.data + np.vdot(W.T @ W, H @ H.T) - 2 * np.vdot(X @ H.T, W)
        return np.sqrt(max(squares, 0.0))
    if beta == 2:
        apart = X - W @ H
        return np.sqrt(np.vdot(apart, apart))
    model = _products(X, W, H) if issparse(X) else (W @ H).ravel()
    powers = 0.0 if beta in (0, 1) else _powers(W, H, beta) if issparse(X) else (model**beta).sum()
    x = X.data if issparse(X) else X.ravel()
    there = x > _EPSILON
    x, model = x[there], model[there]
    model[model == 0] = _EPSILON
    if beta == 1:
        divergence = x @ np.log(x / model) + W.sum(axis=0) @ H.sum(axis=1) - x.sum()
    elif beta == 0:
        divergence = (x / model).sum() - np.log(x / model).sum() - X.shape[0] * X.shape[1]
    else:
        divergence = ((x**beta).sum() - beta * (x @ model ** (beta - 1)) + (beta - 1) * powers) / (beta * (beta - 1))
    return np.sqrt(max(2 * divergence, 0.0))


def _powers(W, H, beta):
    """Returns the sum of (WH)^β, a few rows at a time."""
    step = max(1, (1 << 20) // H.shape[1])
    return sum(((W[i : i + step] @ H) ** beta).sum() for i in range(0, len(W), step))


def _products(X, W, H):
    """Returns the entries of WH where X has entries."""
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    products, step = np.empty(len(rows), dtype=W.dtype), max(1, (1 << 20) // W.shape[1])
    Ht = np.ascontiguousarray(H.T)
    for i in range(0, len(rows), step):
        part = slice(i, i + step)
        products[part] = np.einsum("ij,ij->i", W[rows[part]], Ht[X.indices[part]])
    return products
