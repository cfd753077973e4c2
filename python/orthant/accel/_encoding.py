"""The coordinates W of samples under components H that stay, X ≈ WH, by the iterations that scikit-learn's NMF makes then.

They end where its rule says, short of the minimum, so that its results are found by its way alone.
"""

import numpy as np
from scipy.sparse import csr_matrix, issparse

_EPSILON = np.finfo(np.float32).eps  # in the place of a zero below a fraction


def descend(X, W, H, l1, l2, iterations, tolerance):
    """Coordinate descent of ½‖X − WH‖² + l1·ΣW + ½l2·‖W‖² from W, which is overwritten; returns the number of sweeps.

    Column after column of W goes to its minimum (Cichocki and Phan, Fast local algorithms for large scale nonnegative matrix and tensor
    factorizations, 2009) until the slopes are no more than the tolerance times those of the first sweep. O(nmr) and O(nr²) a sweep.
    """
    gram, numerators = H @ H.T, np.ascontiguousarray((X @ H.T).T)
    gram[np.diag_indices(len(gram))] += l2
    numerators -= l1
    Wt = np.ascontiguousarray(W.T)
    first = sweep = 0
    for sweep in range(1, iterations + 1):
        violation = 0.0
        for k, row in enumerate(Wt):
            slope = gram[k] @ Wt - numerators[k]
            violation += np.abs(np.where(row == 0, np.minimum(slope, 0), slope)).sum(dtype=np.float64)
            if gram[k, k] != 0:
                np.maximum(row - slope / gram[k, k], 0, out=row)
        first = first or violation
        if violation <= tolerance * first:
            break
    W[:] = Wt.T
    return sweep


def multiply(X, W, H, beta, l1, l2, iterations, tolerance):
    """Multiplicative updates of the β-divergence, β 2 or 1, from W, which is overwritten; returns the number of iterations.

    W goes to W∘N/(D + l1 + l2·W) (Lee and Seung, Algorithms for non-negative matrix factorization, 2001) until the error, the root of twice the
    divergence, falls in ten iterations by less than the tolerance times that of the start. O(nmr) once or, for β = 1, an iteration.
    """
    gram, numerators, sums = H @ H.T, X @ H.T, H.sum(axis=1)
    first = last = error(X, W, H, beta)
    iteration = 0
    for iteration in range(1, iterations + 1):
        if beta == 2:
            below, above = W @ gram, numerators
        else:
            below, above = np.broadcast_to(sums, W.shape), _quotients(X, W, H) @ H.T
        below = below + l1 + l2 * W
        below[below == 0] = _EPSILON
        W *= above / below
        if tolerance > 0 and iteration % 10 == 0:
            now = error(X, W, H, beta)
            if (last - now) / first < tolerance:
                break
            last = now
    return iteration


def _products(X, W, H):
    """Returns the entries of WH where X has entries."""
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    products, step = np.empty(len(rows), dtype=W.dtype), max(1, (1 << 20) // W.shape[1])
    Ht = np.ascontiguousarray(H.T)
    for i in range(0, len(rows), step):
        part = slice(i, i + step)
        products[part] = np.einsum("ij,ij->i", W[rows[part]], Ht[X.indices[part]])
    return products


def _quotients(X, W, H):
    """Returns X/(WH)."""
    model = _products(X, W, H) if issparse(X) else W @ H
    model[model == 0] = _EPSILON
    return csr_matrix((X.data / model, X.indices, X.indptr), shape=X.shape) if issparse(X) else X / model


def error(X, W, H, beta):
    """Returns the root of twice the β-divergence of X from WH, β 2 or 1: of squares the Frobenius norm of X − WH."""
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
