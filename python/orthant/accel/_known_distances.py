"""Neighbours by known distances: all of them (an array), or the entries that a sparse matrix stores, ascending in each row."""

import numpy as np
from scipy.sparse import issparse


def nearest(D, k):
    """Returns the k nearest of each row, (distances, indices), nearest first."""
    if not issparse(D):
        indices = np.argpartition(D, k - 1, axis=1)[:, :k]
        distances = np.take_along_axis(D, indices, axis=1)
        order = np.argsort(distances, axis=1)
        return np.take_along_axis(distances, order, axis=1), np.take_along_axis(indices, order, axis=1)
    least = int(np.diff(D.indptr).min())
    if least < k:
        raise ValueError(
            f"{k} neighbors per samples are required, but some samples have only {least} neighbors in precomputed graph matrix. Decrease number "
            "of neighbors used or recompute the graph with more neighbors."
        )
    places = D.indptr[:-1, None] + np.arange(k)
    return D.data[places], D.indices[places]


def within(D, radius):
    """Returns the neighbours of each row up to the radius, (distances, indices, starts), in the order of the columns or of storage."""
    if issparse(D):
        near = D.data <= radius
        return D.data[near], D.indices[near], np.concatenate([[0], np.cumsum(near)])[D.indptr]
    rows, columns = np.nonzero(D <= radius)
    return D[rows, columns], columns, np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(D)))])
