"""Kernels between the samples of one set, with scikit-learn's names and parameters."""

import numpy as np
from scipy.sparse import issparse
from scipy.spatial.distance import pdist, squareform

# The parameters of each kernel.
PARAMETERS = {
    "additive_chi2": (), "chi2": ("gamma",), "cosine": (), "linear": (), "poly": ("gamma", "degree", "coef0"), "polynomial": ("gamma", "degree", "coef0"),
    "rbf": ("gamma",), "laplacian": ("gamma",), "sigmoid": ("gamma", "coef0"),
}


def gaussian(X, gamma):
    """Returns exp(−γ‖xᵢ − xⱼ‖²) for all pairs of samples, computed in float64, in the type of X."""
    single, X = X.dtype == np.float32, X.astype(np.float64)
    products = _products(X)
    squares = np.diagonal(products)
    apart = np.maximum(squares[:, None] + squares - 2 * products, 0)
    np.fill_diagonal(apart, 0)
    affinities = np.exp(-gamma * apart)
    return affinities.astype(np.float32) if single else affinities


def of_samples(X, name, **parameters):
    """Returns the kernel (n, n) of that name; parameters that it does not take are ignored.

    gamma=None means 1/m. Raises ValueError for negative samples if the kernel is for histograms.
    """
    given = {key: parameters[key] for key in PARAMETERS[name] if key in parameters}
    if name != "chi2" and "gamma" in given and given["gamma"] is None:
        given["gamma"] = 1.0 / X.shape[1]
    if name == "rbf":
        return gaussian(X, **given)
    if name == "laplacian":
        return np.exp(-given["gamma"] * squareform(pdist(_full(X), "cityblock")))
    if name in ("chi2", "additive_chi2"):
        apart = _chi_squared(_full(X))
        return np.exp(given["gamma"] * apart) if name == "chi2" else apart
    if name == "cosine":
        products = _products(X)
        lengths = np.sqrt(np.diagonal(products))
        lengths = np.where(lengths == 0, 1, lengths)
        return products / lengths[:, None] / lengths
    products = _products(X)
    if name == "linear":
        return products
    products = given["gamma"] * products + given["coef0"]
    return np.tanh(products) if name == "sigmoid" else products ** given["degree"]


def of_function(X, function, **parameters):
    """Returns function(xᵢ, xⱼ, **parameters) for all pairs; the matrix is symmetric."""
    out = np.empty((X.shape[0], X.shape[0]))
    for i in range(X.shape[0]):
        for j in range(i + 1):
            out[i, j] = out[j, i] = function(X[i], X[j], **parameters)
    return out


def _full(X):
    return X.toarray() if issparse(X) else X


def _products(X):
    products = X @ X.T
    return products.toarray() if issparse(products) else products


def _chi_squared(X):
    """Returns −Σ (xₖ − yₖ)²/(xₖ + yₖ) for all pairs."""
    if X.min(initial=0) < 0:
        raise ValueError("X contains negative values.")
    out = np.zeros((len(X), len(X)))
    for i in range(len(X)):
        sums = X + X[i]
        out[i] = -np.divide((X - X[i]) ** 2, sums, out=np.zeros_like(sums), where=sums != 0).sum(axis=1)
    return out
