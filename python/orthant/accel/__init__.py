"""The classes of scikit-learn and of libraries for maps on this engine: same parameters, attributes, warnings and errors.

    >>> import orthant.accel
    >>> orthant.accel.patch()
    >>> from sklearn.manifold import LocallyLinearEmbedding  # runs on the engine now
    >>> orthant.accel.unpatch()

UMAP, TSNE, PaCMAP, NNDescent and HDBSCAN of umap-learn, openTSNE, pacmap, pynndescent and hdbscan are replaced as soon as a program imports these libraries. With
``patch(provide=True)`` the program gets a module of that name if the library is not installed. Single classes: ``from orthant.accel.umap import UMAP``.

Without a change to a program, use ``python -m orthant.accel script.py`` and ``python -m orthant.accel -m module``, or
``from orthant.accel import LocallyLinearEmbedding``. With the environment variable ORTHANT_ACCEL=1 ``import orthant`` patches at once.

If the engine does not support a parameter, the library's own code runs. ORTHANT_ACCEL_LOG=info reports on standard error what ran where,
and why. ORTHANT_ACCEL=strict makes such a call a StrictError, ORTHANT_ACCEL=off sends all calls to the libraries.
"""

from ._dispatch import StrictError
from ._patching import CLASSES, FUNCTIONS, NEWER, accelerated, patch, patched, unpatch

__all__ = ["StrictError", "patch", "patched", "unpatch", *CLASSES, *FUNCTIONS]  # and those of NEWER that this scikit-learn has


def __getattr__(name):
    if name in CLASSES or name in FUNCTIONS:
        return accelerated(name)
    if name in NEWER:
        try:
            return accelerated(name)
        except ImportError as error:
            raise AttributeError(f"this scikit-learn has no {name} ({error})") from None
    raise AttributeError(f"module 'orthant.accel' has no attribute {name!r}")


def __dir__():
    return sorted(__all__)
