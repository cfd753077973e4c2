"""The alignment matrix of modified LLE with scikit-learn's rules.

The engine's own mlle takes the lower median for η, may take one more weight vector at equality, and takes at most k − d of them.
scikit-learn takes the mean of the two middle values and as many vectors as the shares allow (Zhang and Wang 2006, Algorithm 2, leaves all
three open).
"""

import numpy as np
from scipy.sparse import csr_matrix

_BLOCK = 1 << 22  # entries of a block


def _spectra(X, indices):
    """Returns the left singular vectors (n, k, k) and squared singular values of each sample's neighbours minus the sample."""
    n, k = indices.shape
    m = X.shape[1]
    vectors, values = np.empty((n, k, k)), np.empty((n, min(k, m)))
    rows = max(1, _BLOCK // (k * max(k, m)))
    for i in range(0, n, rows):
        part = slice(i, min(i + rows, n))
        differences = X[indices[part]] - X[part][:, None]
        if k > m:
            vectors[part], roots, _ = np.linalg.svd(differences, full_matrices=True)
            values[part] = roots**2
        else:
            ascending, v = np.linalg.eigh(differences @ differences.transpose(0, 2, 1))
            vectors[part], values[part] = v[:, :, ::-1], ascending[:, ::-1]
    return vectors, values


def _counts(values, d, k):
    """Returns the number of weight vectors of each sample: the largest whose share of the variance is below the median η."""
    rho = values[:, d:].sum(1) / values[:, :d].sum(1)
    eta = np.median(rho)
    sums = np.cumsum(values, axis=1)
    shares = sums[:, -1:] / sums[:, :-1] - 1  # descending
    return (shares < eta).sum(1) + k - values.shape[1]


def alignment(X, indices, d, tol):
    """Returns the sparse n × n matrix whose bottom eigenvectors are the embedding. O(n k²(k + m))."""
    n, k = indices.shape
    vectors, values = _spectra(X, indices)
    reg = 1e-3 * values.sum(1)
    along = vectors.sum(1)  # Vᵀ1
    along[:, : values.shape[1]] /= values + reg[:, None]
    along[:, values.shape[1] :] /= reg[:, None]
    w = np.einsum("ikj,ij->ik", vectors, along)
    w /= w.sum(1, keepdims=True)
    counts = _counts(values, d, k)
    entries, columns = [], []
    for s in np.unique(counts):
        of = np.flatnonzero(counts == s)
        if s == 0:
            continue
        v = vectors[of][:, :, k - s :]
        sums = v.sum(1)
        alpha = np.linalg.norm(sums, axis=1) / np.sqrt(s)
        h = alpha[:, None] - sums
        length = np.linalg.norm(h, axis=1)
        h = np.where((length < tol)[:, None], 0, h / np.where(length < tol, 1, length)[:, None])
        rows = v - 2 * np.einsum("ikj,ij->ik", v, h)[:, :, None] * h[:, None, :] + (1 - alpha)[:, None, None] * w[of][:, :, None]
        rows = np.concatenate([rows, np.full((len(of), 1, s), -1.0)], axis=1)  # the sample itself
        entries.append(rows.transpose(0, 2, 1).reshape(-1))
        columns.append(np.repeat(np.column_stack([indices[of], of]), s, axis=0).reshape(-1))
    entries, columns = np.concatenate(entries), np.concatenate(columns)
    W = csr_matrix((entries, columns, np.arange(0, len(entries) + 1, k + 1)), shape=(len(entries) // (k + 1), n))
    return (W.T @ W).tocsr()
