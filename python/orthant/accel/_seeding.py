"""First centres of k-means, by the draws that scikit-learn makes of a RandomState."""

import numpy as np
from scipy.sparse import issparse


def _dense(rows):
    return rows.toarray() if issparse(rows) else rows


def _squares(points, X, norms):
    """Returns the squared distances (t, n) of some points to all samples."""
    products = (X @ points.T).T if issparse(X) else points @ X.T
    squares = -2.0 * products
    squares += np.einsum("ij,ij->i", points, points)[:, None]
    squares += norms
    return np.maximum(squares, 0, out=squares)


def greedy(X, norms, clusters, random_state, dtype):
    """Chooses first centres by greedy k-means++; returns them (clusters, m) and the samples they are.

    The first is any sample. Each of the others is the best of 2 + ⌊log clusters⌋ samples, drawn with probabilities in proportion to their squared
    distances from the centres before (Arthur and Vassilvitskii, k-means++: the advantages of careful seeding, 2007, section 5). X is of
    float64, norms are the squared lengths of its rows; dtype is that in which scikit-learn keeps distances. O(n·m·clusters·log clusters).
    """
    n = X.shape[0]
    trials = 2 + int(np.log(clusters))
    chosen = np.empty(clusters, dtype=np.intp)
    chosen[0] = random_state.randint(n)
    nearest = _squares(_dense(X[chosen[:1]]), X, norms)[0].astype(dtype, copy=False)
    total = nearest.sum()
    for c in range(1, clusters):
        drawn = random_state.uniform(size=trials) * total
        candidates = np.minimum(np.searchsorted(np.cumsum(nearest, dtype=np.float64), drawn), n - 1)
        squares = _squares(_dense(X[candidates]), X, norms).astype(dtype, copy=False)
        np.minimum(squares, nearest, out=squares)
        totals = squares.sum(axis=1)
        best = np.argmin(totals)
        total, nearest, chosen[c] = totals[best], squares[best], candidates[best]
    return _dense(X[chosen]), chosen
