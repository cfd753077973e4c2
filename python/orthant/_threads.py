"""How many threads a call takes that does not say so, and limits for the whole process."""

import os
import sys
from ctypes import byref, c_int64

from . import _library
from ._library import Room, library, raise_for
from ._numbers import MOST, whole

_asked = 0  # by set_num_threads; 0: nothing
_most = 0  # that the process may take without that; 0: not known yet


def set_num_threads(threads: "int | None") -> None:
    """Limits every call of this process to this many threads, even if it asks for more.

    Results do not depend on it. Running calls keep their threads, and share the cores that are left.
    ``threadpoolctl.threadpool_limits`` (3.2 or later) does the same for a while.

    Parameters
    ----------
    threads : int or None
        At least 1; the number of cores is the most. None: only the limits of the environment and the machine.

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
    if _library._loaded is not None:  # else the first call tells the library: a process may still fork before it
        _tell(_library._loaded)


def get_num_threads() -> int:
    """Returns how many threads a call without ``threads`` takes here: one in a worker of a pool, elsewhere as many as the process may use.

    Examples
    --------
    >>> import orthant
    >>> orthant.get_num_threads() >= 1
    True
    """
    return default() or allowed()


def allowed():
    """Returns how many threads this process may take."""
    threads, error = c_int64(), Room()
    raise_for(library().orthant_get_num_threads(byref(threads), error.text), error)
    return threads.value


def _tell(lib):
    error = Room()
    raise_for(lib.orthant_set_num_threads(_asked, error.text), error)


def default():
    """Returns the threads of a call that asks for none: 1 in a worker, whose pool has the cores already; None: what the library finds.

    What the environment says of this library, and set_num_threads, hold in workers too. OMP_NUM_THREADS holds in processes, since loky and Dask
    set it in theirs to what is left for each.
    """
    if _asked or os.environ.get("ORTHANT_NUM_THREADS"):
        return None
    if in_joblib():
        return 1
    if os.environ.get("OMP_NUM_THREADS"):
        return None
    return 1 if _in_dask() or _in_child() else None


def in_joblib():
    """Tells whether this is a worker of joblib, of whatever backend."""
    parallel = sys.modules.get("joblib.parallel")
    if parallel is None:
        return False
    return (getattr(parallel.get_active_backend()[0], "nesting_level", 0) or 0) > 0


def _in_dask():
    """Tells whether this thread runs a task of a Dask cluster."""
    state = getattr(sys.modules.get("distributed.worker"), "thread_state", None)
    return getattr(state, "key", None) is not None


def _in_child():
    """Tells whether multiprocessing, concurrent.futures or loky started this process."""
    process = sys.modules.get("multiprocessing.process")
    return process is not None and process.current_process().name != "MainProcess"


def of_jobs(n_jobs):
    """Returns the threads that n_jobs stands for, as joblib reads it; None: what the library finds.

    None is one within a worker, -1 all that the process may take, -2 all but one.
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
    """Returns the class by which threadpoolctl sees and limits this library."""

    class OrthantController(base):
        user_api = internal_api = "orthant"
        filename_prefixes = ("liborthant",)
        check_symbols = ("orthant_get_num_threads", "orthant_set_num_threads")

        def get_num_threads(self):
            return allowed()

        def set_num_threads(self, num_threads):
            # threadpool_limits puts back the number that it found, which is no limit where it is all.
            set_num_threads(num_threads if num_threads < _most else None)

        def get_version(self):
            from ._version import __version__

            return __version__

    return OrthantController
