"""The number of principal components by Minka's Bayesian evidence (Automatic choice of dimensionality for PCA, 2000, equation 30 and below)."""

import numpy as np
from scipy.special import gammaln

_LEAST = 1e-15 # a smaller variance counts as zero


def components(variances, n):
    """Returns the number of components, 1 to len(variances) − 1, for the variances of n samples in descending order."""
    evidence = [-np.inf] + [_evidence(variances, k, n) for k in range(1, len(variances))]
    return int(np.argmax(evidence))


def _evidence(variances, k, n):
    """Returns the logarithm of the evidence for k components."""
    m = len(variances)
    if variances[k - 1] < _LEAST:
        return -np.inf
    rest = max(_LEAST, variances[k:].sum() / (m - k))
    sizes = (m - np.arange(k)) / 2
    prior = -k * np.log(2) + (gammaln(sizes) - np.log(np.pi) * sizes).sum()
    likelihood = -n / 2 * (np.log(variances[:k]).sum() + (m - k) * np.log(rest))
    free = m * k - k * (k + 1) / 2
    smoothed = np.concatenate([variances[:k], np.full(m - k, rest)])
    i, j = np.triu_indices(m, 1)
    i, j = i[i < k], j[i < k]
    with np.errstate(divide="ignore", invalid="ignore"):
        curvature = np.log((variances[i] - variances[j]) * (1 / smoothed[j] - 1 / smoothed[i])).sum() + len(i) * np.log(n)
    return prior + likelihood + np.log(2 * np.pi) * (free + k) / 2 - curvature / 2 - k * np.log(n) / 2
