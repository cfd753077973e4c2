"""Manifold learning, nonnegative factorisation and clustering, and their solvers.

Three ways in, all over the same compiled library:

- functions on arrays, which need NumPy alone: :func:`embed`, :func:`factorize`, :func:`cluster`,
  :func:`neighbors`, :func:`select`, :func:`factorize_runs`, :func:`consensus` and :func:`evaluate`, and :class:`Model`, which maps new samples, with
  :class:`Mapper` to map blocks of them within Dask, Ray and Spark;
- scikit-learn estimators, one for every method: ``orthant.LLE``, ``orthant.NEML``,
  ``orthant.LaplacianEigenmaps``, ``orthant.GNMF``, ``orthant.SpectralClustering`` ... (``orthant.estimators`` lists
  them; they are loaded on first use and need scikit-learn);
- solvers on sparse matrices of SciPy, full arrays and operators: :func:`eigsh`, :func:`largest`, :func:`svds`, :func:`cholesky`, :func:`ldlt`, :func:`laplacian_solver`,
  :func:`shortest_paths`, :func:`connected_components`, and :func:`spectral_init` for UMAP and t-SNE; between two sets of points
  :func:`lloyd` (k-means from given centres) and :func:`nearest` (neighbours of other samples).

    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).normal(size=(200, 3))
    >>> orthant.embed(x, "pca", dim=1).embedding.shape
    (200, 1)
    >>> orthant.LLE(n_neighbors=10).fit_transform(x).shape
    (200, 2)

If a process uses the library and then calls ``os.fork()``, the library does not work in the child: every call there
raises RuntimeError. Use multiprocessing's "forkserver" or "spawn", or joblib's "loky". Where the command is used instead of the
library (``orthant.info()["interface"]`` is "worker"), forks work.
"""

from ._calls import Model, Result, cluster, denoise, embed, explain, factorize, info, learn, methods, neighbors, select
from ._evaluate import Score, evaluate
from ._library import ConvergenceWarning, NotPositiveDefiniteError
from ._mapper import Mapper
from ._plot import plot
from ._points import lloyd, nearest
from ._runs import Consensus, Runs, consensus, factorize_runs
from ._solvers import LDLT, Cholesky, LaplacianSolver, cholesky, connected_components, eigsh, laplacian_solver, largest, ldlt, shortest_paths, spectral_init, svds
from ._threads import get_num_threads, set_num_threads
from ._version import __version__

__all__ = [
    "Cholesky",
    "LDLT",
    "LaplacianSolver",
    "Consensus",
    "ConvergenceWarning",
    "Mapper",
    "Model",
    "NotPositiveDefiniteError",
    "Result",
    "Runs",
    "Score",
    "cholesky",
    "cluster",
    "connected_components",
    "consensus",
    "denoise",
    "eigsh",
    "embed",
    "evaluate",
    "explain",
    "factorize",
    "factorize_runs",
    "get_num_threads",
    "info",
    "laplacian_solver",
    "largest",
    "ldlt",
    "learn",
    "lloyd",
    "methods",
    "nearest",
    "neighbors",
    "plot",
    "select",
    "set_num_threads",
    "shortest_paths",
    "spectral_init",
    "svds",
]


def __getattr__(name):
    # The estimators are loaded lazily, so that the functions do not need scikit-learn.
    if name.startswith("_"):
        raise AttributeError(f"module 'orthant' has no attribute {name!r}")
    import importlib

    try:
        estimators = importlib.import_module("orthant.estimators")
    except ModuleNotFoundError as error:
        if error.name == "orthant.estimators":
            raise ImportError("the estimators are not there: 'make python' makes them with the library") from None
        raise
    if name == "estimators":
        return estimators
    if name in estimators.__all__:
        return getattr(estimators, name)
    raise AttributeError(f"module 'orthant' has no attribute {name!r}")


def __dir__():
    try:
        from . import estimators
    except ImportError:
        return sorted(__all__)
    return sorted(__all__ + estimators.__all__)


def _accelerate():
    # For ORTHANT_ACCEL=1 or strict in the environment; "python -m orthant.accel" patches by itself.
    import os

    if os.environ.get("ORTHANT_ACCEL"):
        from .accel import _settings, patch

        if _settings.asked():
            patch()


_accelerate()
