"""Samples in the forms of other libraries: frames, Arrow, DLPack."""

import sys

import numpy as np

from . import _arrow


def is_frame(x):
    """Reports whether x is a pandas frame, without loading pandas."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(x, pandas.DataFrame)


def unmasked(x, what="x"):
    """Refuses a masked array with masked entries, and a list of such arrays: their masks would be dropped."""
    parts = x if isinstance(x, (list, tuple)) else (x,)
    if any(isinstance(part, np.ma.MaskedArray) and np.ma.is_masked(part) for part in parts):
        raise ValueError(f"{what} has masked entries, which would count as what lies under the mask; fill them in by {what}.filled(...), or leave out the samples that have some")


def entered(x, what="x"):
    """Returns (array, names of columns, names of rows) of a frame, an Arrow table or array, or a DLPack tensor; x itself for everything else."""
    if x is None or isinstance(x, np.ndarray):
        return x, None, None
    if is_frame(x):
        return _frame(x, what), [str(name) for name in x.columns], None if _counted(x.index) else list(x.index)
    if _arrow.is_arrow(x):
        array, names = _arrow.matrix(x, what)
        return array, names, None
    if hasattr(x, "__dlpack__") and not hasattr(x, "__array__"):
        return tensor(x, what), None, None
    return x, None, None


def is_foreign(x):
    """Reports whether entered makes an array that scikit-learn's own checks would not make, or would make without its names."""
    if x is None or isinstance(x, np.ndarray) or is_frame(x):
        return False
    return _arrow.is_arrow(x) or (hasattr(x, "__dlpack__") and not hasattr(x, "__array__"))


def tensor(x, what="x"):
    """Returns a DLPack tensor as an array, without a copy if it is in main memory."""
    if hasattr(x, "__dlpack_device__") and int(x.__dlpack_device__()[0]) not in (1, 3, 13):  # main memory, including CUDA host memory
        raise ValueError(f"{what} lies on another device; copy it to main memory first")
    try:
        return np.from_dlpack(x)
    except (BufferError, RuntimeError, TypeError) as error:
        raise ValueError(f"{what} cannot be read as a DLPack tensor: {error}") from error


def _frame(x, what):
    for name, kind in zip(x.columns, x.dtypes):
        if getattr(kind, "kind", "O") not in "biuf":
            raise ValueError(f"{what}: column {name!r} is of type {kind}; give numbers, or leave it out")
    kinds = set(x.dtypes)
    if len(kinds) == 1 and isinstance(next(iter(kinds)), np.dtype):
        return x.to_numpy()  # without a copy if the frame is stored in one piece
    kind = np.float32 if kinds == {np.dtype(np.float32)} else np.float64
    return x.to_numpy(dtype=kind, na_value=np.nan)


def _counted(index):
    """Reports whether rows are only numbered from 0."""
    import pandas

    return isinstance(index, pandas.RangeIndex) and index.start == 0 and index.step == 1
