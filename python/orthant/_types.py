"""The types of what is given."""

from typing import Any, Callable, TypeVar, Union

# An array, a sparse matrix of SciPy, a frame of pandas or polars, a table of Arrow, a DLPack tensor (docs/python.md).
Samples = Any

# Called with a phase and its share that is done, now and then; True: a progress bar.
Progress = Union[Callable[[str, float], None], bool, None]

# An estimator, which fit returns.
T = TypeVar("T")
