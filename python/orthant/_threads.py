"""The default number of threads of a call, and limits for the whole process."""

import os
import sys
from ctypes import byref, c_int64

from . import _library
from ._library import Room, library, raise_for
from ._numbers import MOST, whole

_asked = 0 # set by set_num_threads; 0: not set
_most = 0 # the number that the process may use without it; 0: not known yet


def set_num_threads(threads: "int | None") -> None:
    """Limits every call of this process to this many threads, even if it asks for more.

    Results do not depend on it. Running calls keep their threads, and share the cores that are left.
    ``threadpoolctl.threadpool_limits`` (3.2 or later) does the same temporarily.

    Parameters
    ----------
    threads : int or None
        At least 1, at most the number of cores. None: only the limits of the environment and the machine.

    Examples
    --------
    >>> import orthant
    >>> orthant.set_num_threads(1)
    >>> orthant.get_num_threads()
    1
    >>> orthant.set_num_threads(None)
    """
    global _asked
    _asked = 0 if threads is None else whole(threads, "the number of threads", wanted="a whole number ≥ 1, or None for what the environment allows")
    if _library._loaded is not None:  # otherwise the first call sets it: the process may still fork before that
        _tell(_library._loaded)


def get_num_threads() -> int:
    """Returns the number of threads of a call without ``threads``: one in a worker of a pool, elsewhere as many as the process may use.

    Examples
    --------
    >>> import orthant
    >>> orthant.get_num_threads() >= 1
    True
    """
    return default() or allowed()


def allowed():
    """Returns the number of threads that this process may use."""
    threads, error = c_int64(), Room()
    raise_for(library().orthant_get_num_threads(byref(threads), error.text), error)
    return threads.value


def _tell(lib):
    error = Room()
    raise_for(lib.orthant_set_num_threads(_asked, error.text), error)


def tell_again(lib):
    """Limits a worker that has taken the place of one that ended."""
    if _asked:
        _tell(lib)


def default():
    """Returns the default number of threads of a call: 1 in a worker, whose pool uses the cores already; None: the library decides.

    The environment variables of this library and set_num_threads apply in workers too. OMP_NUM_THREADS applies in worker processes, since loky
    and Dask set it there to the share of each.
    """
    if _asked or os.environ.get("ORTHANT_NUM_THREADS"):
        return None
    if in_joblib():
        return 1
    if os.environ.get("OMP_NUM_THREADS"):
        return None
    return 1 if _in_dask() or _in_child() else None


def in_joblib():
    """Reports whether this is a worker of joblib, with any backend."""
    parallel = sys.modules.get("joblib.parallel")
    if parallel is None:
        return False
    return (getattr(parallel.get_active_backend()[0], "nesting_level", 0) or 0) > 0


def _in_dask():
    """Reports whether this thread runs a task of a Dask cluster."""
    state = getattr(sys.modules.get("distributed.worker"), "thread_state", None)
    return getattr(state, "key", None) is not None


def _in_child():
    """Reports whether multiprocessing, concurrent.futures or loky started this process."""
    process = sys.modules.get("multiprocessing.process")
    return process is not None and process.current_process().name != "MainProcess"


def of_jobs(n_jobs):
    """Returns the number of threads for n_jobs, as joblib reads it; None: the library decides.

    n_jobs=None means one within a worker, -1 all that the process may use, -2 all but one.
    """
    if n_jobs is None:
        return default()
    wanted = "a number of workers, -1 for all cores, -2 for all but one, or None"
    jobs = whole(n_jobs, "n_jobs", -MOST, wanted)
    if jobs == 0:
        raise ValueError(f"n_jobs is 0; give {wanted}")
    return jobs if jobs > 0 else max(1, allowed() + 1 + jobs)


def begun(lib):
    """Called once, when the library is loaded."""
    global _most
    _most = allowed()
    if _asked:
        _tell(lib)
    try:
        import threadpoolctl
    except ImportError:
        return
    if hasattr(threadpoolctl, "register"):  # from 3.2 on
        threadpoolctl.register(_controller(threadpoolctl.LibController))


def _controller(base):
    """Returns the class with which threadpoolctl finds and limits this library."""

    class OrthantController(base):
        user_api = internal_api = "orthant"
        filename_prefixes = ("liborthant",)
        check_symbols = ("orthant_get_num_threads", "orthant_set_num_threads")

        def get_num_threads(self):
            return allowed()

        def set_num_threads(self, num_threads):
            # threadpool_limits restores the number that it found; if that was all threads, it means no limit.
            set_num_threads(num_threads if num_threads < _most else None)

        def get_version(self):
            from ._version import __version__

            return __version__

    return OrthantController
