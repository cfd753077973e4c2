"""Converts arguments to the forms that the library reads: arrays, texts, parameters."""

import json
import math
import os

import numpy as np

from . import _data, _numbers, _sparse, _threads
from ._library import FLOAT16, FLOAT32, FLOAT64, INT8, UINT8, Matrix

_TYPES = {np.dtype(np.float64): FLOAT64, np.dtype(np.float32): FLOAT32, np.dtype(np.uint8): UINT8}
FLOATS = {kind: _TYPES[kind] for kind in (np.dtype(np.float64), np.dtype(np.float32))}
SEARCHED = {**_TYPES, np.dtype(np.float16): FLOAT16, np.dtype(np.int8): INT8}  # the types of samples of a neighbour search


def _text(text, what):
    """Returns a str as the library reads it, up to a NUL; a NUL within the str would cut it short."""
    if not isinstance(text, str):
        raise ValueError(f"{what} is {text!r}; give a str")
    if "\0" in text:
        raise ValueError(f"{what} is {text!r}, with a NUL character in it; leave that out")
    return text.encode()


def _path(path):
    """Returns a path as the library reads it."""
    name = os.fsencode(path)
    if b"\0" in name:
        raise ValueError(f"the path is {path!r}, with a NUL character in it; leave that out")
    return name


def samples(x, what="x", types=_TYPES, gaps=False):
    """Returns (array or sparse matrix, names of columns, names of rows): the one conversion of functions and estimators.

    The array is x itself if it has float64, float32 or uint8 (or what types lists) in this machine's byte order. Other integers, booleans,
    float16, long doubles, and objects that are numbers become float64, and the other byte order becomes this machine's. With gaps, masked
    entries become NaN; otherwise they are refused.
    """
    x, columns, rows = _data.entered(x, what, gaps)
    if x is None or _sparse.is_sparse(x):
        return x, columns, rows
    x = _entered(x, what)
    if x.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {what} has entries of type {x.dtype}; give real numbers, such as {what}.real")
    if x.dtype.kind not in "biuf":
        raise ValueError(f"{what} has entries of type {x.dtype}; give real numbers, such as by {what}.astype(float)")
    native = x.dtype.newbyteorder("=")
    if native not in types:
        native = np.float64
    with np.errstate(over="ignore"):  # long doubles beyond float64 become infinite, which an error then reports with their place
        return x.astype(native, copy=False), columns, rows


def reals(x, what="x", types=_TYPES):
    """Returns real numbers as an array, by :func:`samples`."""
    if x is None:
        raise ValueError(f"{what} is None; give an array of real numbers")
    x, _, _ = samples(x, what, types)
    if _sparse.is_sparse(x):
        raise ValueError(f"{what} is sparse, where an array is wanted; give {what}.toarray()")
    return x


def integers(x, what, dimensions=1):
    """Returns whole numbers as an array of int64 in C order; booleans count as 0 and 1."""
    x = _entered(x, what)
    if dimensions is not None and x.ndim != dimensions or x.dtype.kind not in "biu":
        raise ValueError(f"{what} are of type {x.dtype} in {x.ndim} dimension(s); give whole numbers" + (", one for each sample" if dimensions == 1 else ""))
    if x.dtype.kind == "u" and x.size and int(x.max()) >= 2**63:
        raise ValueError(f"{what}: {int(x.max())} is among them; give whole numbers below 2⁶³")
    return np.ascontiguousarray(x, dtype=np.int64)


def _entered(x, what):
    x, _, _ = _data.entered(x, what)
    _data.unmasked(x, what)
    try:
        return _data.numbers(np.asarray(x), what)
    except ValueError as error:  # such as lists of different lengths
        if str(error).startswith(what):
            raise
        raise ValueError(f"{what} cannot be read as an array: {error}") from error


def _rows(x, what="x", types=_TYPES):
    """Returns an array of samples that the library can read, x itself if possible.

    No copy is made of float64, float32 or uint8 (or what types lists) whose rows are contiguous, one after the other or
    with gaps. :func:`reals` converts other arrays.
    """
    if x is None:
        raise ValueError(f"{what} is None; give the samples, one a row")
    x = reals(x, what, types)
    if x.ndim != 2:
        raise ValueError(f"{what} has {x.ndim} dimensions; give 2, one sample a row")
    n, m = x.shape
    if x.flags.c_contiguous and x.flags.aligned:
        return x
    size = x.itemsize
    between, within = x.strides
    if not (x.flags.aligned and (m < 2 or within == size) and n > 1 and between % size == 0 and between >= m * size):
        x = x.copy(order="C")
    return x


def _matrix(x, structure=Matrix):
    n, m = x.shape
    stride = m if n < 2 else x.strides[0] // x.itemsize
    return structure(x.ctypes.data, n, m, max(stride, m), SEARCHED[x.dtype])


def _labels(labels, what="labels"):
    """Returns the classes of samples as int64: any whole numbers as they are, and words and categories numbered in the order of their names."""
    _data.unmasked(labels, what)
    try:
        names = np.asarray(labels)
    except ValueError:
        return integers(labels, what)  # which names it
    if names.ndim != 1 or names.dtype.kind not in "OUS":
        return integers(labels, what)
    if names.dtype.kind == "O":
        for i, name in enumerate(names):
            if not isinstance(name, (str, bytes, int, np.integer, np.bool_)):
                raise ValueError(f"{what}: sample {i + 1} (counting from 1) has {name!r}; give each sample a word or a whole number")
        if not any(isinstance(name, (str, bytes)) for name in names):
            return integers(np.array([int(name) for name in names]), what)
        names = names.astype(str)
    return np.unique(names, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _json(parameters):
    """Returns parameters as JSON; None means the default, and a final _ makes room for lambda_."""
    if parameters.get("threads") is None:
        parameters = {**parameters, "threads": _threads.default()}
    plain = {}
    for key, value in parameters.items():
        if isinstance(value, np.generic) or isinstance(value, np.ndarray) and value.ndim == 0:
            value = value.item()
        if value is not None:
            name = key[:-1] if key.endswith("_") else key
            if isinstance(value, float) and not math.isfinite(value) or isinstance(value, int) and abs(value) >= 2**64:
                raise ValueError(f"{name} is {_numbers.shown(value)}; give a finite number" + (" below 2⁶⁴ in size" if isinstance(value, int) else ""))
            if name in plain:
                raise ValueError(f"{name!r} is given twice, once as {name + '_'!r}; keep one of them")
            if not isinstance(value, (bool, int, float, str)):
                raise ValueError(f"{name} is {value!r}, a {type(value).__name__}, which is neither a number, a word nor a boolean")
            plain[name] = value
    return json.dumps(plain).encode() if plain else None
