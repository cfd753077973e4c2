"""What missing entries of samples, which are NaN, mean to a function: missing="error", "drop", "mean" or "weight"."""

import re

import numpy as np

from . import _sparse

_WORDS = ("error", "drop", "mean", "weight")


def asked(parameters):
    """Returns (word, parameters). The parameters keep "weight", which is of the method."""
    word = parameters.get("missing")
    if word is None:
        return "error", parameters
    if not isinstance(word, str) or word not in _WORDS:
        raise ValueError(f'missing is {word!r}; give "error", "drop", "mean" or "weight"')
    return word, parameters if word == "weight" else {key: value for key, value in parameters.items() if key != "missing"}


def completed(x, word, what="x", names=None):
    """Returns (x, kept) without missing entries: rows that have one are left out, or they become the mean of their column.

    kept lists the rows that are left, or is None for all. x itself if nothing is missing.
    """
    if _sparse.is_sparse(x):
        raise ValueError(f'missing="{word}" is for dense samples, but {what} is sparse; fill in the missing entries first')
    if x.ndim != 2 or x.dtype.kind != "f":
        return x, None
    lacking = np.isnan(x)
    if not lacking.any():
        return x, None
    endless = np.argwhere(np.isinf(x))
    if len(endless):
        row, column = endless[0]
        raise ValueError(f"{what}: row {row + 1}, column {column + 1} (counting from 1) is {x[row, column]}, which is not a missing value; correct it first")
    if word == "drop":
        kept = np.flatnonzero(~lacking.any(axis=1))
        if len(kept) == 0:
            raise ValueError(f'every row of {what} lacks a value, so that missing="drop" leaves none; give missing="mean", or leave out the columns with gaps')
        return x[kept], kept
    counts = len(x) - lacking.sum(axis=0)
    if not counts.all():
        column = int(np.flatnonzero(counts == 0)[0])
        name = f"column {column + 1} (counting from 1)" if names is None else f"column {names[column]!r}"
        raise ValueError(f"{what}: {name} has no value in any row, and so no mean; leave it out")
    means = np.sum(x, axis=0, dtype=np.float64, where=~lacking) / counts
    return np.where(lacking, means.astype(x.dtype), x), None


def refuse_dropped(n, others):
    """Refuses rows of n samples to be left out where another input, or the result, goes by their numbers."""
    for name, given in others.items():
        if given is True or given is not None and given is not False and not (name == "start" and len(given) != n):
            raise ValueError(f'missing="drop" leaves rows out, and {name} would no longer go with them; give missing="mean", or leave out these rows before')


def left(kept, n, **given):
    """Returns of each given array, or None, the rows that are kept of n."""
    for name, rows in given.items():
        if rows is not None and len(rows) != n:
            raise ValueError(f"{name}: there are {len(rows)} for {n} samples; give one for each")
    return [rows if rows is None else rows[kept] for rows in given.values()]


def remedied(error):
    """Returns the error about an entry that is NaN, or about weights, with what a function can do about it; others as they are."""
    method, none, _ = str(error).partition(' has no parameter "missing"')
    if none:
        return type(error)(f'missing="weight" is for methods with the parameter missing (orthant.methods() lists it), and {method} has none; give missing="drop" or "mean"')
    if not re.match(r"[\w-]+: row \d+, column \d+ \(counting from 1\) is NaN;|x has masked entries", str(error)):
        return error
    return type(error)(f'{error}, or give missing="drop" (leaves such rows out) or missing="mean" (takes the mean of the column)')
