"""Labels from the eigenvectors of a graph without k-means."""

import numpy as np
from scipy.linalg import LinAlgError, qr
from sklearn.utils import check_random_state

_TURNS = 20  # rotations at most


def by_pivots(vectors):
    """Returns the labels by pivoted QR (Damle, Minden and Ying, Simple, direct and efficient multi-way spectral clustering, 2019,
    algorithm 1): it chooses k samples that are as orthogonal as possible, rotates by the orthogonal matrix nearest to them, and takes each sample's largest coordinate.
    """
    k = vectors.shape[1]
    pivots = qr(vectors.T, mode="r", pivoting=True)[1][:k]
    u, _, vt = np.linalg.svd(vectors[pivots].T)
    return np.abs(vectors @ (u @ vt)).argmax(axis=1)


def by_rotation(vectors, random_state):
    """Returns the labels whose indicators are nearest to rotated eigenvectors (Yu and Shi, Multiclass spectral clustering, 2003).

    The first column of the rotation is a sample drawn at random, each further column the sample most orthogonal to the previous ones. Labels
    and rotation are then optimised in turn.
    """
    random_state = check_random_state(random_state)
    n, k = vectors.shape
    vectors = vectors / np.linalg.norm(vectors, axis=0) * np.sqrt(n)
    vectors = vectors * np.where(vectors[0] > 0, -1, 1)
    vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    rotation = np.zeros((k, k))
    rotation[:, 0] = vectors[random_state.randint(n)]
    overlap = np.zeros(n)
    for j in range(1, k):
        overlap += np.abs(vectors @ rotation[:, j - 1])
        rotation[:, j] = vectors[overlap.argmin()]
    last = 0.0
    for turn in range(_TURNS + 1):
        labels = (vectors @ rotation).argmax(axis=1)
        sums = np.zeros((k, k))
        np.add.at(sums, labels, vectors)
        try:
            u, s, vt = np.linalg.svd(sums)
        except LinAlgError:
            raise LinAlgError("SVD did not converge") from None
        cut = 2.0 * (n - s.sum())
        if abs(cut - last) < np.finfo(float).eps:
            break
        last, rotation = cut, vt.T @ u.T
    return labels
