"""The types of arguments."""

from typing import Any, Callable, TypeVar, Union

# An array, a sparse matrix of SciPy, a frame of pandas or polars, a table of Arrow, a DLPack tensor (docs/python.md).
Samples = Any

# Called from time to time with a phase and the share of it that is done; True: a progress bar.
Progress = Union[Callable[[str, float], None], bool, None]

# An estimator, which fit returns.
T = TypeVar("T")
