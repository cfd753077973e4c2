"""Arguments as the library reads them: arrays, texts, parameters."""

import json
import os

import numpy as np

from . import _data, _threads
from ._library import FLOAT32, FLOAT64, UINT8, Matrix
from ._structure import unmasked

_TYPES = {np.dtype(np.float64): FLOAT64, np.dtype(np.float32): FLOAT32, np.dtype(np.uint8): UINT8}


def _text(text, what):
    """Returns a str as the library reads it, up to a NUL: one within would cut it short."""
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


def _rows(x, what="x"):
    """Returns an array of samples that the library can read, x itself where that is possible.

    No copy is made of float64, float32 or uint8 whose rows are contiguous, one after the
    other or with gaps. Other integers, booleans and float16 become float64.
    """
    if x is None:
        raise ValueError(f"{what} is None; give the samples, one a row")
    x, _, _ = _data.entered(x, what)
    unmasked(x, what)
    x = np.asarray(x)
    if x.ndim != 2:
        raise ValueError(f"{what} has {x.ndim} dimensions; give 2, one sample a row")
    if not x.dtype.isnative:
        raise ValueError(f"{what} has the other byte order ({x.dtype.str}); convert it by x.astype(x.dtype.newbyteorder('='))")
    if x.dtype not in _TYPES:
        if x.dtype.kind not in "biuf" or x.dtype.itemsize > 8:
            raise ValueError(f"{what} has entries of type {x.dtype}; give real numbers, such as by x.astype(float)")
        x = x.astype(np.float64)
    n, m = x.shape
    if x.flags.c_contiguous and x.flags.aligned:
        return x
    size = x.itemsize
    between, within = x.strides
    if not (x.flags.aligned and (m < 2 or within == size) and n > 1 and between % size == 0 and between >= m * size):
        x = x.copy(order="C")
    return x


def _matrix(x):
    n, m = x.shape
    stride = m if n < 2 else x.strides[0] // x.itemsize
    return Matrix(x.ctypes.data, n, m, max(stride, m), _TYPES[x.dtype])


def _labels(labels, what="labels"):
    """Returns the classes of samples as int64; any whole numbers will do."""
    unmasked(labels, what)
    given = np.asarray(labels)
    if given.ndim != 1 or given.dtype.kind not in "biu":
        raise ValueError(f"{what} are of type {given.dtype} in {given.ndim} dimension(s); give one whole number for each sample")
    return np.ascontiguousarray(given, dtype=np.int64)


def _json(parameters):
    """Returns parameters as JSON; None means the default, and a final _ makes room for lambda_."""
    if parameters.get("threads") is None:
        parameters = {**parameters, "threads": _threads.default()}
    plain = {}
    for key, value in parameters.items():
        if isinstance(value, np.generic):
            value = value.item()
        if value is not None:
            name = key[:-1] if key.endswith("_") else key
            if name in plain:
                raise ValueError(f"{name!r} is given twice, once as {name + '_'!r}; keep one of them")
            plain[name] = value
    try:
        return json.dumps(plain, allow_nan=True).encode() if plain else None
    except TypeError as error:
        raise ValueError(f"a parameter is neither a number, a word nor a boolean: {error}") from error
