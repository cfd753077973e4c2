"""Decides where a call runs: on the engine, or by the own code of the library whose class it is."""

import time

from .. import _calls, _threads
from . import _settings


class StrictError(RuntimeError):
    """ORTHANT_ACCEL=strict, and the call would have run the library's own numerical code."""


class Refused(Exception):
    """The engine cannot do the task, or refused the data. The text is the reason."""


class Missing(ImportError):
    """The engine cannot do the task, and the library that could is not installed."""


def missing(*_, **__):
    """Stands in for the code of a library that is not installed."""
    raise Missing


def dispatch(estimator, call, engine, own, reason=None):
    """Returns engine(), or own() if there is a reason against the engine.

    engine raises Refused if it finds a reason later; all its other errors go to the caller, since they are scikit-learn's own errors about
    bad input. Warnings of the engine are logged: they are about the data, and scikit-learn's class does not give them. estimator may be the name
    of a library, and call a function of it.
    """
    if isinstance(estimator, str):
        name, library, mode = call, estimator, _settings.mode()
    else:
        name, library, mode = f"{type(estimator).__name__}.{call}", type(estimator)._accel_library, _settings.mode()
    if mode == _settings.OFF:
        reason = reason or "ORTHANT_ACCEL=off"
    if reason is None:
        began, texts = time.perf_counter(), []
        try:
            with _calls.heard(texts):
                result = engine()
        except Refused as refusal:
            reason = str(refusal)
            cause = refusal
        else:
            _settings.log(f"{name}: the engine, {time.perf_counter() - began:.3g} s" + "".join(f"; it remarks: {text}" for text in texts))
            return result
    else:
        cause = None
    if mode == _settings.STRICT:
        raise StrictError(f"{name} would run {library}'s own code ({reason}), which ORTHANT_ACCEL=strict forbids") from cause
    _settings.log(f"{name}: {library}'s own code ({reason})")
    try:
        return own()
    except Missing:
        raise Missing(f"{name}: the engine does not do this ({reason}), and {library}, whose own code does, is not installed") from None


def ask(function, *arguments, **parameters):
    """Calls the library. Its errors about the input become Refused, and so does the error of a forked child, where it cannot run."""
    try:
        return function(*arguments, **parameters)
    except (ValueError, OSError, ImportError, RuntimeError) as error:
        raise Refused(f"the engine says: {error}") from error


def rewound(random_state, own):
    """Returns own, wrapped to restore the shared RandomState to its state before the engine's draws."""
    state = getattr(random_state, "get_state", None)
    if state is None:
        return own
    before = state()

    def again():
        random_state.set_state(before)
        return own()

    return again


def threads(n_jobs):
    """Returns the number of threads that n_jobs allows, None for all that the process may use.

    n_jobs=None means one thread within a worker of joblib or another pool, and all allowed cores elsewhere; -1 means all, -2 all but one.
    """
    return _threads.of_jobs(n_jobs)
