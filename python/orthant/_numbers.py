"""Whole and real numbers, by one rule for every function."""

import numbers
import operator

import numpy as np

MOST = 2**31 - 1  # the largest count


def whole(value, what, least=1, wanted=None):
    """Returns a whole number from least to 2³¹ − 1. Floats, texts and booleans are refused, whatever their value."""
    try:
        count = None if isinstance(value, (bool, np.bool_)) else operator.index(value)
    except TypeError:
        count = None
    if count is None or not least <= count <= MOST:
        wanted = wanted or f"a whole number ≥ {least}" + (", below 2³¹" if count is not None and count > MOST else "")
        raise ValueError(f"{what} is {shown(value)}; give {wanted}")
    return count


def real(value, what, least=None, above=None):
    """Returns a finite number as a float, which must be at least a bound, or above it."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    wanted = "a finite number" + ("" if least is None else f" ≥ {least}") + ("" if above is None else f" > {above}")
    if not isinstance(value, numbers.Real) or isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{what} is {value!r}; give {wanted}")
    try:
        number = float(value)
    except OverflowError:
        number = np.inf
    if not np.isfinite(number) or least is not None and number < least or above is not None and not number > above:
        raise ValueError(f"{what} is {shown(value)}; give {wanted}")
    return number


def shown(value):
    """Returns a number as messages show it; for a number of thousands of digits only its size."""
    if isinstance(value, int) and abs(value) >= 10**40:
        return f"a number of {value.bit_length()} bits"
    return repr(value)
