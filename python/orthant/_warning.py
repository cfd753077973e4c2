"""The library's warnings."""

import contextlib
import sys
import threading
import warnings

from . import _library


def convergence_warning():
    """scikit-learn's class if it is loaded, so that its users' filters apply."""
    exceptions = sys.modules.get("sklearn.exceptions")
    return getattr(exceptions, "ConvergenceWarning", _library.ConvergenceWarning)


_hearing = threading.local()  # for this thread: texts, which collects warnings, and words, which rewrites them first


@contextlib.contextmanager
def heard(texts):
    """Within this context, the library's warnings in this thread are appended to texts instead. ``orthant.accel`` logs them."""
    before, _hearing.texts = getattr(_hearing, "texts", None), texts
    try:
        yield texts
    finally:
        _hearing.texts = before


@contextlib.contextmanager
def worded(words):
    """Within this context, the library's warnings in this thread pass through a function first."""
    before, _hearing.words = getattr(_hearing, "words", None), words
    try:
        yield
    finally:
        _hearing.words = before


def warn(text, category):
    """Warns at the first frame outside of this package and of scikit-learn."""
    words = getattr(_hearing, "words", None)
    if words is not None:
        text = words(text)
    texts = getattr(_hearing, "texts", None)
    if texts is not None:
        texts.append(text)
        return
    frame, depth = sys._getframe(1), 2  # the stack level of warnings.warn: 1 is this function
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] in ("orthant", "sklearn"):
        frame, depth = frame.f_back, depth + 1
    warnings.warn(text, category, stacklevel=depth)
