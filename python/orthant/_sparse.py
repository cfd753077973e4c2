"""SciPy's sparse matrices in the form that the library reads."""

import numpy as np

from . import _library
from ._library import FLOAT32, FLOAT64, INT32, INT64, UINT8

_VALUES = {np.dtype(np.float64): FLOAT64, np.dtype(np.float32): FLOAT32, np.dtype(np.uint8): UINT8}
_INDICES = {np.dtype(np.int32): INT32, np.dtype(np.int64): INT64}


def is_sparse(x):
    """Reports whether x is a sparse matrix or array of SciPy, without loading SciPy."""
    return hasattr(x, "tocsr") and hasattr(x, "format")  # nnz raises if the arrays do not match


def rows_of(a, what="A"):
    """Returns a in compressed rows (a itself if it already is), after a check that its arrays form a matrix.

    The columns of compressed rows are left to the library, which checks them.
    """
    if not is_sparse(a):
        raise ValueError(f"{what} is {type(a).__name__}; give a sparse matrix of SciPy, such as scipy.sparse.csr_array(...)")
    if a.ndim != 2:
        raise ValueError(f"{what} has {a.ndim} dimension(s); give 2")
    sound(a, what, columns=a.format != "csr")
    return a if a.format == "csr" else a.tocsr()


def sound(a, what="A", columns=True):
    """Refuses a sparse matrix whose arrays do not form a matrix of its shape: SciPy's conversions and products use them
    without a check, and read and write beyond their ends.
    """
    if a.format in ("csr", "csc", "bsr"):
        _compressed(a, what, columns)
    elif a.format == "coo":
        row, col = _integers(a.row, f"{what}: row"), _integers(a.col, f"{what}: col")
        if not len(row) == len(col) == len(_line(a.data, f"{what}: data")):
            raise ValueError(f"{what}: row, col and data have {len(row)}, {len(col)} and {len(a.data)} entries; give as many of each")
        _within(row, a.shape[0], f"{what}: row")
        _within(col, a.shape[1], f"{what}: col")
    elif a.format == "dia":
        offsets = _integers(a.offsets, f"{what}: offsets")
        if np.ndim(a.data) != 2 or len(a.data) != len(offsets):
            raise ValueError(f"{what}: data are of shape {np.shape(a.data)} for {len(offsets)} offsets; give a row for each diagonal")
    elif a.format == "lil" and not (len(a.rows) == len(a.data) == a.shape[0] and all(len(row) == len(data) for row, data in zip(a.rows, a.data))):
        raise ValueError(f"{what}: its rows and data are not lists of as many entries for each of {a.shape[0]} rows")


def _compressed(a, what, columns):
    """Refuses arrays of compressed rows or columns, or of blocks of them, that do not match."""
    height, width = a.blocksize if a.format == "bsr" else (1, 1)
    n, m = a.shape[0] // height, a.shape[1] // width
    name = "rows"
    if a.format == "csc":
        n, m, name = m, n, "columns"
    indices, indptr = _integers(a.indices, f"{what}: indices"), _integers(a.indptr, f"{what}: indptr")
    if a.format != "bsr":
        _line(a.data, f"{what}: data")
    entries = min(len(a.data), len(indices))
    if len(indptr) != n + 1:
        raise ValueError(f"{what}: indptr has {len(indptr)} entries for {n} {name}; give one more than {name}")
    if indptr[0] != 0:
        raise ValueError(f"{what}: indptr[0] is {indptr[0]}; let it begin with 0")
    wrong = np.flatnonzero((indptr[1:] < indptr[:-1]) | (indptr[1:] > entries))
    if len(wrong):
        i = int(wrong[0])
        raise ValueError(f"{what}: indptr[{i + 1}] is {indptr[i + 1]} behind {indptr[i]}, of {entries} entries; let indptr ascend to at most their number")
    if columns:
        _within(indices[: indptr[-1]], m, f"{what}: indices")


def _line(part, what):
    if not isinstance(part, np.ndarray) or part.ndim != 1:
        raise ValueError(f"{what} is {type(part).__name__} in {np.ndim(part)} dimension(s); give an array in one")
    return part


def _integers(part, what):
    if _line(part, what).dtype.kind not in "iu":
        raise ValueError(f"{what} has entries of type {part.dtype}; give whole numbers")
    return part


def _within(part, size, what):
    if len(part) and not (part.min() >= 0 and part.max() < size):
        p = int(np.flatnonzero((part < 0) | (part >= size))[0])
        raise ValueError(f"{what}[{p}] is {part[p]}; give numbers from 0 to {size - 1}")


def summed(a, what="A"):
    """Returns a with duplicate entries summed, as SciPy defines them; a itself if there are none."""
    a = rows_of(a, what)
    if not a.has_canonical_format:
        a = a.copy()
        a.sum_duplicates()
    return a


def csr(a, what="A"):
    """Returns (Csr, held): a sparse matrix as the library reads it, and the arrays that must stay alive as long.

    A CSR matrix or array with float64, float32 or uint8 data and int32 or int64 indices is not copied; other formats
    become CSR (duplicate entries of a COO are summed), and other real numbers float64.
    """
    a = rows_of(a, what)
    data, indices, indptr = a.data, a.indices, a.indptr
    if data.dtype == np.bool_:
        data = data.view(np.uint8)
    if data.dtype not in _VALUES or not data.dtype.isnative:
        if data.dtype.kind not in "biuf":
            raise ValueError(f"{what} has entries of type {data.dtype}; give real numbers, such as by {what}.astype(float)")
        data = data.astype(np.float64)
    if indices.dtype != indptr.dtype or indices.dtype not in _INDICES:
        indices, indptr = indices.astype(np.int64), indptr.astype(np.int64)
    data, indices, indptr = (np.ascontiguousarray(part) for part in (data, indices, indptr))
    n, m = a.shape
    entries = min(len(data), len(indices))
    held = (data, indices, indptr)
    return _library.Csr(data.ctypes.data, indices.ctypes.data, indptr.ctypes.data, n, m, entries, _INDICES[indices.dtype], _VALUES[data.dtype]), held
