"""Barycentric weights of new samples with respect to their nearest samples of a fit."""

import numpy as np

_BLOCK = 1 << 22  # entries of a block
_TREE = 15  # columns up to which a k-d tree is faster than all distances


def nearest(samples, new, k):
    """Returns the k nearest samples of each new one, (distances, indices), nearest first. O(log n) each in few columns, otherwise O(n m)."""
    if samples.shape[1] <= _TREE:
        from scipy.spatial import cKDTree

        distances, indices = cKDTree(samples).query(new, k=np.arange(1, k + 1))
        return distances, indices
    squares = np.einsum("ij,ij->i", samples, samples)
    distances, indices = np.empty((len(new), k)), np.empty((len(new), k), dtype=np.intp)
    rows = max(1, _BLOCK // len(samples))
    for i in range(0, len(new), rows):
        part = new[i : i + rows]
        apart = squares - 2 * (part @ samples.T)
        found = np.argpartition(apart, k - 1, axis=1)[:, :k] if k < len(samples) else np.tile(np.arange(k), (len(part), 1))
        exact = np.linalg.norm(samples[found] - part[:, None], axis=2)  # without the cancellation of the products
        order = np.argsort(exact, axis=1, kind="stable")
        distances[i : i + rows] = np.take_along_axis(exact, order, axis=1)
        indices[i : i + rows] = np.take_along_axis(found, order, axis=1)
    return distances, indices


def weights(samples, new, indices, reg):
    """Returns the weights that sum to 1 and best reconstruct each new sample from samples[indices], regularised as in scikit-learn:
    reg times the trace of the local Gram matrix is added to its diagonal, or reg if the trace is zero.
    """
    n, k = indices.shape
    out = np.empty((n, k))
    rows = max(1, _BLOCK // (k * max(k, samples.shape[1])))
    for i in range(0, n, rows):
        differences = samples[indices[i : i + rows]] - new[i : i + rows, None]
        gram = differences @ differences.transpose(0, 2, 1)
        trace = np.trace(gram, axis1=1, axis2=2)
        gram[:, range(k), range(k)] += np.where(trace > 0, reg * trace, reg)[:, None]
        w = np.linalg.solve(gram, np.ones((len(gram), k, 1)))[:, :, 0]
        out[i : i + rows] = w / w.sum(axis=1, keepdims=True)
    return out
