"""The fuzzy graph of umap-learn from lists of neighbours, which include the sample itself; with NumPy, as its functions define it."""

import numpy as np
from scipy.sparse import coo_matrix, csr_matrix

_LEAST = 1e-3  # of the mean distance, for σ
_NEAR = 1e-5  # of the sum of memberships, which ends the bisection


def scales(distances, k, connectivity=1.0, bandwidth=1.0, iterations=64):
    """Returns (σ, ρ) of each row of distances, in float32: the memberships of the row sum to log₂ k."""
    distances = np.asarray(distances, dtype=np.float32)
    n, width = distances.shape
    wide, target = distances.astype(np.float64), np.log2(k) * bandwidth
    sought = np.where(distances > 0, wide, np.inf)
    sought.sort(axis=1)
    positive = (distances > 0).sum(axis=1)
    index = int(np.floor(connectivity))
    part, rows = connectivity - index, np.arange(n)

    def nth(i):
        return sought[rows, np.clip(i, 0, width - 1)]

    with np.errstate(invalid="ignore"):
        if index > 0:
            rho = nth(index - 1)
            if part > _NEAR:
                rho = rho + part * (nth(index) - rho)
        else:
            rho = part * nth(0)
    few = positive < connectivity
    rho = np.where(few, np.where(positive > 0, nth(positive - 1), 0.0), rho).astype(np.float32)
    rho[~np.isfinite(rho)] = 0.0
    beyond = np.maximum(wide[:, 1:] - rho[:, None].astype(np.float64), 0.0)
    lo, hi, sigma = np.zeros(n), np.full(n, np.inf), np.ones(n)
    open_ = rows
    for _ in range(iterations):
        with np.errstate(over="ignore"):
            total = np.exp(-beyond[open_] / sigma[open_, None]).sum(axis=1)
        apart = np.abs(total - target) >= _NEAR
        open_, over = open_[apart], total[apart] > target
        if len(open_) == 0:
            break
        hi[open_[over]], lo[open_[~over]] = sigma[open_[over]], sigma[open_[~over]]
        bounded = np.isfinite(hi[open_])
        sigma[open_] = np.where(bounded, (lo[open_] + np.where(bounded, hi[open_], 0)) / 2, sigma[open_] * 2)
    with np.errstate(invalid="ignore"):
        means = np.where(rho > 0, wide.mean(axis=1), wide.mean())
    return np.fmax(sigma, _LEAST * means).astype(np.float32), rho


def memberships(indices, distances, sigmas, rhos, samples, bipartite=False):
    """Returns the memberships of the listed samples, a coo_matrix with as many columns as there are samples; −1 lists nothing."""
    n, width = indices.shape
    rows = np.repeat(np.arange(n, dtype=np.int32), width)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        beyond = np.asarray(distances, dtype=np.float32) - rhos[:, None]
        values = np.where((beyond <= 0) | (sigmas[:, None] == 0), np.float32(1), np.exp(-beyond / sigmas[:, None])).astype(np.float32)
    if not bipartite:
        values[indices == np.arange(n)[:, None]] = 0
    values[indices < 0] = 0
    columns = np.where(indices < 0, 0, indices).ravel().astype(np.int32)
    found = coo_matrix((values.ravel(), (rows, columns)), shape=(n, samples))
    found.eliminate_zeros()
    return found


def graph(indices, distances, k, mix=1.0, connectivity=1.0, union=True):
    """Returns (graph, σ, ρ); without union the memberships of each sample alone."""
    sigmas, rhos = scales(distances, k, connectivity)
    found = memberships(indices, distances, sigmas, rhos, len(indices))
    if union:
        other = found.transpose()
        both = found.multiply(other)
        found = mix * (found + other - both) + (1.0 - mix) * both
    found.eliminate_zeros()
    return found, sigmas, rhos


def of_classes(found, classes, weight):
    """Returns the graph with its edges between classes weakened, and the strongest edge of each sample at 1 again. The class −1 is not known."""
    found = coo_matrix(found)
    one, other = classes[found.row], classes[found.col]
    far = 2.5 / (1.0 - weight) if weight < 1.0 else 1e12
    factor = np.where((one == -1) | (other == -1), np.exp(-1.0), np.where(one != other, np.exp(-far), 1.0))
    found.data = (found.data * factor).astype(found.dtype)
    found.eliminate_zeros()
    return connected(found)


def connected(found):
    """Returns the graph with the strongest edge of each sample at 1."""
    found = csr_matrix(found)
    greatest = np.maximum(found.max(axis=1).toarray().ravel(), 0)
    found.data = found.data / np.repeat(np.where(greatest > 0, greatest, 1), np.diff(found.indptr)).astype(found.dtype)
    other = found.transpose()
    found = (found + other - found.multiply(other)).tocsr()
    found.eliminate_zeros()
    return found
