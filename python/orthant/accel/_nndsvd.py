"""First factors of NMF, with scikit-learn's rules and draws."""

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_non_negative

from . import _randomized


def start(X, rank, init, random_state, eps=1e-6):
    """Returns the first W (n, r) and H (r, m), of the type of X.

    init is "random", "nndsvd", "nndsvda", "nndsvdar" or None. The second is from Boutsidis and Gallopoulos (SVD based initialization, 2008,
    figure 1).
    """
    check_non_negative(X, "NMF initialization")
    n, m = X.shape
    if init not in (None, "random") and rank > min(n, m):
        raise ValueError(f"init = '{init}' can only be used when n_components <= min(n_samples, n_features)")
    init = init or ("nndsvda" if rank <= min(n, m) else "random")
    if init == "random":
        rng = check_random_state(random_state)
        scale = np.sqrt(X.mean() / rank)
        H = np.abs(scale * rng.standard_normal(size=(rank, m)).astype(X.dtype, copy=False))
        return np.abs(scale * rng.standard_normal(size=(n, rank)).astype(X.dtype, copy=False)), H
    W, H = _of_singular_vectors(*_randomized.triplets(X, rank, check_random_state(random_state)))
    W[W < eps] = 0
    H[H < eps] = 0
    if init == "nndsvda":
        W[W == 0] = H[H == 0] = X.mean()
    elif init == "nndsvdar":
        rng, mean = check_random_state(random_state), X.mean()
        for factor in (W, H):
            zeros = factor == 0
            factor[zeros] = np.abs(mean * rng.standard_normal(size=np.count_nonzero(zeros)) / 100)
    return W.astype(X.dtype, copy=False), H.astype(X.dtype, copy=False)


def _of_singular_vectors(u, s, v):
    W, H = np.empty(u.shape), np.empty(v.shape)
    W[:, 0], H[0] = np.sqrt(s[0]) * np.abs(u[:, 0]), np.sqrt(s[0]) * np.abs(v[0])
    for j in range(1, len(s)):
        best = (0.0, 0.0, 0.0)
        for sign in (1, -1):
            x, y = np.maximum(sign * u[:, j], 0), np.maximum(sign * v[j], 0)
            lengths = np.linalg.norm(x) * np.linalg.norm(y)
            if lengths > best[0]:
                best = (lengths, x / np.linalg.norm(x), y / np.linalg.norm(y))
        length = np.sqrt(s[j] * best[0])
        W[:, j], H[j] = length * best[1], length * best[2]
    return W, H
