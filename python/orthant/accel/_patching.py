"""patch() and unpatch(): the accelerated classes under scikit-learn's public names."""

import importlib

# Keyed by the module from which users import them; the classes themselves are in modules of this package.
CLASSES = {
    "LocallyLinearEmbedding": ("sklearn.manifold", "locally_linear"),
    "PCA": ("sklearn.decomposition", "pca"),
    "Isomap": ("sklearn.manifold", "isomap"),
    "SpectralEmbedding": ("sklearn.manifold", "spectral_embedding"),
    "KMeans": ("sklearn.cluster", "k_means"),
    "SpectralClustering": ("sklearn.cluster", "spectral_clustering"),
    "NMF": ("sklearn.decomposition", "nmf"),
    "TruncatedSVD": ("sklearn.decomposition", "truncated_svd"),
    "NearestNeighbors": ("sklearn.neighbors", "neighbors"),
    "KNeighborsTransformer": ("sklearn.neighbors", "neighbors"),
    "RadiusNeighborsTransformer": ("sklearn.neighbors", "neighbors"),
}

# The same for functions.
FUNCTIONS = {
    "kneighbors_graph": ("sklearn.neighbors", "neighbors"),
    "radius_neighbors_graph": ("sklearn.neighbors", "neighbors"),
}

# Classes that not every version of scikit-learn has.
NEWER = {
    "ClassicalMDS": ("sklearn.manifold", "classical_mds"),  # from 1.8 on
}

_ALL = {**CLASSES, **NEWER, **FUNCTIONS}
_replaced = {}


def accelerated(name):
    """Returns the accelerated class or function of that name. Raises ImportError if scikit-learn does not have it."""
    return getattr(importlib.import_module(f"orthant.accel.{_ALL[name][1]}"), name)


def _named(names):
    if names is None:
        return [name for name in _ALL if name not in NEWER or hasattr(importlib.import_module(_ALL[name][0]), name)]
    names = [names] if isinstance(names, str) else list(names)
    for name in names:
        if name not in _ALL:
            raise ValueError(f"{name!r} is not accelerated; there are: {', '.join(_ALL)}")
    return names


def patch(names=None):
    """Replaces scikit-learn's classes by the accelerated ones: ``from sklearn.manifold import Isomap`` then gives the faster one.

    names: a name or a list of names, such as "PCA"; all by default. Call it before the classes are imported: a name that a module has already
    imported does not change. Calling it twice does no harm. Raises ValueError for a name that is not accelerated.
    """
    for name in _named(names):
        if name not in _replaced:
            public, cls = importlib.import_module(_ALL[name][0]), accelerated(name)
            _replaced[name] = getattr(public, name)
            setattr(public, name, cls)


def unpatch(names=None):
    """Restores scikit-learn's own classes. Estimators that are already fitted stay accelerated."""
    for name in _named(names):
        if name in _replaced:
            setattr(importlib.import_module(_ALL[name][0]), name, _replaced.pop(name))


def patched():
    """Returns the names of the classes that are replaced now."""
    return sorted(_replaced)
