"""Sparse matrices of SciPy as the library reads them."""

import numpy as np

from . import _library
from ._library import FLOAT32, FLOAT64, INT32, INT64, UINT8

_VALUES = {np.dtype(np.float64): FLOAT64, np.dtype(np.float32): FLOAT32, np.dtype(np.uint8): UINT8}
_INDICES = {np.dtype(np.int32): INT32, np.dtype(np.int64): INT64}


def is_sparse(x):
    """Tells whether x is a sparse matrix or array of SciPy, which need not be loaded for that."""
    return hasattr(x, "tocsr") and hasattr(x, "format") and hasattr(x, "nnz")


def summed(a):
    """Returns a with what is stored at one place added up, as SciPy means it: a itself where nothing is stored twice."""
    if a.format == "csr" and not a.has_canonical_format:
        a = a.copy()
        a.sum_duplicates()
    return a


def csr(a, what="A"):
    """Returns (Csr, held): a sparse matrix as the library reads it, and the arrays that must stay for so long.

    A CSR matrix or array with float64, float32 or uint8 data and int32 or int64 indices is not copied; other formats
    become CSR, in which entries of a COO at one place are added up, and other real numbers float64.
    """
    if not is_sparse(a):
        raise ValueError(f"{what} is {type(a).__name__}; give a sparse matrix of SciPy, such as scipy.sparse.csr_array(...)")
    if a.ndim != 2:
        raise ValueError(f"{what} has {a.ndim} dimension(s); give 2")
    if a.format != "csr":
        a = a.tocsr()
    data, indices, indptr = a.data, a.indices, a.indptr
    if data.dtype == np.bool_:
        data = data.view(np.uint8)
    if data.dtype not in _VALUES or not data.dtype.isnative:
        if data.dtype.kind not in "biuf" or data.dtype.itemsize > 8:
            raise ValueError(f"{what} has entries of type {data.dtype}; give real numbers, such as by {what}.astype(float)")
        data = data.astype(np.float64)
    if indices.dtype.kind not in "iu" or indptr.dtype.kind not in "iu":
        raise ValueError(f"{what} has indices of type {indices.dtype} and an indptr of type {indptr.dtype}; give whole numbers")
    if indices.dtype != indptr.dtype or indices.dtype not in _INDICES:
        indices, indptr = indices.astype(np.int64), indptr.astype(np.int64)
    data, indices, indptr = (np.ascontiguousarray(part) for part in (data, indices, indptr))
    n, m = a.shape
    if len(indptr) != n + 1:
        raise ValueError(f"{what}: indptr has {len(indptr)} entries for {n} rows; give one more than rows")
    entries = min(len(data), len(indices))
    held = (data, indices, indptr)
    return _library.Csr(data.ctypes.data, indices.ctypes.data, indptr.ctypes.data, n, m, entries, _INDICES[indices.dtype], _VALUES[data.dtype]), held
