"""Samples in the forms of other libraries: arrays of any kind, frames, tables, tensors, AnnData."""

import sys

import numpy as np

from . import _arrow, _interchange, _sparse


def is_frame(x):
    """Reports whether x is a pandas frame, without loading pandas."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(x, pandas.DataFrame)


def is_annotated(x):
    """Reports whether x is an AnnData, without loading anndata."""
    return all(hasattr(x, part) for part in ("X", "obs", "obs_names", "var_names"))


def is_table(x):
    """Reports whether entered reads x although it is no array: a table or a tensor of another library."""
    return is_annotated(x) or _arrow.is_arrow(x) or any(hasattr(x, way) for way in ("__dataframe__", "__dlpack__", "to_numpy"))


def unmasked(x, what="x"):
    """Refuses a masked array with masked entries, and a list of such arrays: their masks would be dropped."""
    parts = x if isinstance(x, (list, tuple)) else (x,)
    if any(isinstance(part, np.ma.MaskedArray) and np.ma.is_masked(part) for part in parts):
        raise ValueError(f"{what} has masked entries, which are missing; fill them in by {what}.filled(...), or leave out the samples that have some")


def entered(x, what="x", gaps=False):
    """Returns (array, names of columns, names of rows) of whatever has rows of numbers; a sparse matrix, None and lists stay what they are.

    The entries of the array are real or complex numbers in any order of bytes, without a copy if x has them so. An entry that is missing
    is NaN. Masked entries are refused unless gaps is True.
    """
    if x is None or _sparse.is_sparse(x):
        return x, None, None
    if is_annotated(x):
        entries = x.X.to_memory() if hasattr(x.X, "to_memory") else x.X  # a sparse matrix that is still in the file
        array, _, _ = entered(entries, f"{what}.X", gaps)
        return array, [str(name) for name in x.var_names], [str(name) for name in x.obs_names]
    if is_frame(x):
        return _frame(x, what), [str(name) for name in x.columns], None if _counted(x.index) else list(x.index)
    if isinstance(x, np.ndarray):
        if isinstance(x, np.ma.MaskedArray):
            x = _filled(x, what, gaps)
        if x.dtype.names is not None and x.ndim == 1:
            names = list(x.dtype.names)
            return _columns([x[name] for name in names], names, what), names, None
        return numbers(x, what), None, None
    if _arrow.is_arrow(x):
        array, names = _arrow.matrix(x, what)
        return array, names, None
    if hasattr(x, "__dataframe__"):
        array, names = _interchange.matrix(x, what)
        return array, names, None
    if hasattr(x, "__dlpack__") and not hasattr(x, "__array__"):
        return tensor(x, what), None, None
    if hasattr(x, "to_numpy") and not hasattr(x, "__array__"):
        x = x.to_numpy()
    return x, None, None


def like(frame, x):
    """Returns an array as a frame with the names of another, without a copy."""
    return type(frame)(x, columns=frame.columns, index=frame.index, copy=False)


def numbers(x, what):
    """Returns an array of objects or texts as float64, where None and the like are missing; x itself if its entries have another type."""
    if x.dtype.kind not in "OUS":
        return x
    try:
        return x.astype(np.float64)
    except (TypeError, ValueError):
        pandas = sys.modules.get("pandas")
        plain = x if pandas is None or x.dtype.kind != "O" else np.where(pandas.isna(x), np.nan, x)  # float(pandas.NA) is an error
    try:
        return plain.astype(np.float64)
    except (TypeError, ValueError):
        pass
    for at, value in np.ndenumerate(plain):
        try:
            float(value)
        except (TypeError, ValueError) as error:
            row = f"row {at[0] + 1}" if at else ""
            column = f", column {at[1] + 1}" if len(at) > 1 else ""
            counted = f" in {row}{column} (counting from 1)" if at else ""
            raise type(error)(f"{what} has entries of type {x.dtype}{counted}: {error}; give numbers, or leave out the columns that are not numbers") from None
    raise ValueError(f"{what} has entries of type {x.dtype}; give real numbers, such as by {what}.astype(float)")


def tensor(x, what="x"):
    """Returns a DLPack tensor as an array, without a copy if it is in main memory."""
    if hasattr(x, "__dlpack_device__") and int(x.__dlpack_device__()[0]) not in (1, 3, 13):  # main memory, including CUDA host memory
        raise ValueError(f"{what} lies on another device; copy it to main memory first")
    try:
        return np.from_dlpack(x)
    except (BufferError, RuntimeError, TypeError) as error:
        raise ValueError(f"{what} cannot be read as a DLPack tensor: {error}") from error


def of_samples(x, labels):
    """Returns the classes of samples: labels, or the column of that name in the obs of an AnnData."""
    if not isinstance(labels, str) or not is_annotated(x):
        return labels
    if labels not in x.obs:
        raise ValueError(f"labels is {labels!r}, and obs has no such column; there are: {', '.join(map(repr, x.obs)) or 'none'}")
    return x.obs[labels]


def _filled(x, what, gaps):
    """Returns a masked array as an array in which masked entries are NaN."""
    if not np.ma.is_masked(x):
        return x.data
    if not gaps or x.dtype.kind not in "biuf":
        unmasked(x, what)
    kind = x.dtype if x.dtype in (np.dtype(np.float32), np.dtype(np.float64)) else np.float64
    return x.astype(kind).filled(np.nan)


def _frame(x, what):
    kinds = set(x.dtypes)
    if len(kinds) == 1 and isinstance(next(iter(kinds)), np.dtype) and next(iter(kinds)).kind in "biuf":
        return x.to_numpy()  # without a copy if the frame is stored in one piece
    if all(getattr(kind, "kind", "O") in "biuf" for kind in kinds):
        return x.to_numpy(dtype=np.float32 if kinds == {np.dtype(np.float32)} else np.float64, na_value=np.nan)
    return _columns([x.iloc[:, j] for j in range(x.shape[1])], x.columns, what)


def _columns(parts, names, what):
    """Returns columns of any types as one array: float32 if all are, else float64."""
    if not parts:
        raise ValueError(f"{what} has no columns")
    columns = [_column(part, f"{what}: column {name!r}") for part, name in zip(parts, names)]
    out = np.empty((len(columns[0]), len(columns)), np.float32 if all(c.dtype == np.float32 for c in columns) else np.float64)
    for j, column in enumerate(columns):
        out[:, j] = column
    return out


def _column(x, what):
    """Returns one column as numbers. Categories that are numbers are these numbers."""
    kind = x.dtype
    if hasattr(x, "cat"):
        values, codes = np.asarray(x.cat.categories), np.asarray(x.cat.codes)
        if values.dtype.kind not in "biuf":
            shown = ", ".join(map(repr, values[:3])) + (" ..." if len(values) > 3 else "")
            raise ValueError(f"{what} is of type {kind} ({shown}); give numbers, or leave it out (words become columns of 0 and 1 by pandas.get_dummies)")
        return np.append(values.astype(np.float64), np.nan)[codes]  # -1: missing
    if getattr(kind, "kind", "O") in "biuf":
        return x if isinstance(x, np.ndarray) else x.to_numpy(dtype=np.float32 if kind == np.float32 else np.float64, na_value=np.nan)
    if getattr(kind, "kind", "O") not in "OUS":
        raise ValueError(f"{what} is of type {kind}; give numbers, or leave it out")
    try:
        return numbers(np.asarray(x, dtype=None if isinstance(x, np.ndarray) else object), what)
    except (TypeError, ValueError):
        values = [value for value in x if isinstance(value, str) and not _spells_number(value)]
        shown = f" ({values[0]!r} in it)" if values else ""
        raise ValueError(f"{what} is of type {kind}{shown}; give numbers, or leave it out") from None


def _spells_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


def _counted(index):
    """Reports whether rows are only numbered from 0."""
    import pandas

    return isinstance(index, pandas.RangeIndex) and index.start == 0 and index.step == 1
