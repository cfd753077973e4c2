"""patch() and unpatch(): the accelerated classes under their public names."""

import importlib
import sys

from . import _importing

# scikit-learn's classes, keyed by the module from which users import them; the classes themselves are in modules of this package.
CLASSES = {
    "LocallyLinearEmbedding": ("sklearn.manifold", "locally_linear"),
    "PCA": ("sklearn.decomposition", "pca"),
    "Isomap": ("sklearn.manifold", "isomap"),
    "SpectralEmbedding": ("sklearn.manifold", "spectral_embedding"),
    "TSNE": ("sklearn.manifold", "t_sne"),
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
    "HDBSCAN": ("sklearn.cluster", "density_clustering"),  # from 1.3 on
}

# Classes and functions of other libraries, by their whole name. They are replaced as soon as a program imports the library.
OTHERS = {
    "umap.UMAP": ("umap", "umap"),
    "umap.umap_.UMAP": ("umap.umap_", "umap"),
    "umap.umap_.nearest_neighbors": ("umap.umap_", "umap"),
    "umap.umap_.fuzzy_simplicial_set": ("umap.umap_", "umap"),
    "umap.umap_.simplicial_set_embedding": ("umap.umap_", "umap"),
    "openTSNE.TSNE": ("openTSNE", "openTSNE"),
    "pacmap.PaCMAP": ("pacmap", "pacmap"),
    "pacmap.pacmap.PaCMAP": ("pacmap.pacmap", "pacmap"),
    "pacmap.LocalMAP": ("pacmap", "pacmap"),
    "pacmap.pacmap.LocalMAP": ("pacmap.pacmap", "pacmap"),
    "pynndescent.NNDescent": ("pynndescent", "pynndescent"),
    "pynndescent.pynndescent_.NNDescent": ("pynndescent.pynndescent_", "pynndescent"),
    "hdbscan.HDBSCAN": ("hdbscan", "hdbscan"),
    "hdbscan.hdbscan_.HDBSCAN": ("hdbscan.hdbscan_", "hdbscan"),
    "hdbscan.approximate_predict": ("hdbscan", "hdbscan"),
    "hdbscan.prediction.approximate_predict": ("hdbscan.prediction", "hdbscan"),
}

_ALL = {**CLASSES, **NEWER, **FUNCTIONS, **OTHERS}
_replaced = {}


def accelerated(name):
    """Returns the accelerated class or function of that name. Raises ImportError if scikit-learn does not have it."""
    return getattr(importlib.import_module(f"orthant.accel.{_ALL[name][1]}"), name.rpartition(".")[2])


def _named(names):
    if names is None:
        return [name for name in _ALL if name not in NEWER or hasattr(importlib.import_module(_ALL[name][0]), name)]
    names = [names] if isinstance(names, str) else list(names)
    for name in names:
        if name not in _ALL:
            raise ValueError(f"{name!r} is not accelerated; there are: {', '.join(_ALL)}")
    return names


def patch(names=None, *, provide=False):
    """Replaces classes by the accelerated ones: ``from sklearn.manifold import Isomap`` then gives the faster one.

    names: a name or a list of names, such as "PCA" or "umap.UMAP"; all by default. Call it before the classes are imported: a name that a module has already
    imported does not change. Calling it twice does no harm. Raises ValueError for a name that is not accelerated.
    provide: also gives a module for each library (umap, openTSNE, pacmap, pynndescent, hdbscan) that is not installed, with the accelerated classes alone.
    """
    later = {}
    for name in _named(names):
        if name in OTHERS:
            later.setdefault(name.partition(".")[0], []).append(name)
        else:
            _replace(name)
    for library, its in later.items():
        if library in sys.modules:
            _replace_all(its)
        else:
            _importing.expect(library, its, _replace_all, provide)


def _replace_all(names):
    for name in names:
        if _ALL[name][0] in sys.modules:
            _replace(name)
        else:  # a module that its library does not import by itself
            _importing.expect(_ALL[name][0], [name], _replace_all, False)


def _replace(name):
    if name not in _replaced:
        public, cls = importlib.import_module(_ALL[name][0]), accelerated(name)
        _replaced[name] = getattr(public, name.rpartition(".")[2])
        setattr(public, name.rpartition(".")[2], cls)


def unpatch(names=None):
    """Restores the original classes. Estimators that are already fitted stay accelerated, and modules that were provided stay imported."""
    names = _named(names)
    _importing.forget(names)
    for name in names:
        if name in _replaced:
            setattr(importlib.import_module(_ALL[name][0]), name.rpartition(".")[2], _replaced.pop(name))


def patched():
    """Returns the names of the classes that are replaced now."""
    return sorted(_replaced)
