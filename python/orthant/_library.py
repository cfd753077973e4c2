"""The functions of orthant.h: their types, their errors, and what carries them out.

That is the shared library by ctypes, or where none can be loaded the command, as a worker (_worker.py), which answers the
same calls. It is chosen on first use, so that a process may import the package, fork, and use it in the children.
ctypes.CDLL releases the GIL around every call.
"""

import ctypes
import os
import threading
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_void_p

import numpy as np

ABI = 1

# orthant_status
OK, INVALID, CANCELED, NOT_CONVERGED, FORKED, NOMEM, INTERNAL, BUSY, FAILED, NOT_DEFINITE = range(10)

# The types of entries.
FLOAT64, FLOAT32, UINT8, INT64, INT32, FLOAT16, INT8 = range(7)


class NotPositiveDefiniteError(np.linalg.LinAlgError, ValueError):
    """A matrix is not positive definite; the text has the pivot and its row."""


class ConvergenceWarning(UserWarning):
    """The result is the best found, but did not converge."""


class Matrix(ctypes.Structure):
    """orthant_matrix and orthant_buffer, which have the same layout."""

    _fields_ = [("data", c_void_p), ("rows", c_int64), ("cols", c_int64), ("stride", c_int64), ("type", c_int32)]


class Buffer(Matrix):
    """orthant_buffer of a function that fills it."""


class Replaced(Buffer):
    """orthant_buffer of a function that reads it and then fills it."""


class Numbers(c_void_p):
    """const int64_t *, of as many as the argument or field behind it says."""


class Bytes(c_char_p):
    """const void *, of as many bytes as the argument behind it says."""


class Filled(c_void_p):
    """void *, room for as many bytes as the argument behind it says."""


class Csr(ctypes.Structure):
    """orthant_csr."""

    _fields_ = [
        ("data", c_void_p),
        ("indices", c_void_p),
        ("indptr", c_void_p),
        ("rows", c_int64),
        ("cols", c_int64),
        ("entries", c_int64),
        ("index_type", c_int32),
        ("type", c_int32),
    ]


class Text(ctypes.Structure):
    """orthant_text."""

    _fields_ = [("data", c_void_p), ("size", c_size_t), ("needed", c_size_t)]


class Options(ctypes.Structure):
    """orthant_options."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("labels", Numbers),
        ("labels_count", c_int64),
        ("start", POINTER(Matrix)),
        ("start_h", POINTER(Matrix)),
        ("progress", c_void_p),
        ("user", c_void_p),
        ("cancel", c_void_p),
        ("patience", c_int64),
        ("samples", POINTER(Csr)),
        ("graph", POINTER(Csr)),
        ("graph_indices", POINTER(Matrix)),
        ("graph_distances", POINTER(Matrix)),
        ("affinities", POINTER(Csr)),
        ("distances", POINTER(Matrix)),
        ("targets", POINTER(Matrix)),
        ("weights", POINTER(Matrix)),
    ]


# orthant_product: int (void *user, int transposed, int64_t width, const double *x, double *y)
Product = CFUNCTYPE(c_int, c_void_p, c_int, c_int64, POINTER(c_double), POINTER(c_double))


class Operator(ctypes.Structure):
    """orthant_operator."""

    _fields_ = [("rows", c_int64), ("cols", c_int64), ("multiply", Product), ("user", c_void_p)]


class Problem(ctypes.Structure):
    """The inputs of a solver; the structures of orthant.h begin with their size."""

    _fields_ = [("struct_size", c_size_t)]

    def __init__(self):
        super().__init__(ctypes.sizeof(self))


class _Matrix(Problem):
    _fields_ = [("a", POINTER(Csr)), ("a_dense", POINTER(Matrix))]


class FactorProblem(_Matrix):
    """orthant_factor_problem."""


class LargestProblem(_Matrix):
    """orthant_largest_problem."""

    _fields_ = [("a_products", POINTER(Operator))]


class SvdsProblem(_Matrix):
    """orthant_svds_problem."""

    _fields_ = [("a_products", POINTER(Operator))]


class EigshProblem(_Matrix):
    """orthant_eigsh_problem."""

    _fields_ = [
        ("a_products", POINTER(Operator)),
        ("m", POINTER(Csr)),
        ("m_dense", POINTER(Matrix)),
        ("null_vectors", POINTER(Matrix)),
        ("start", POINTER(Matrix)),
    ]


class GraphProblem(Problem):
    """orthant_graph_problem."""

    _fields_ = [("graph", POINTER(Csr))]


class PathsProblem(Problem):
    """orthant_paths_problem."""

    _fields_ = [("graph", POINTER(Csr)), ("sources", Numbers), ("sources_count", c_int64)]


class LloydProblem(Problem):
    """orthant_lloyd_problem."""

    _fields_ = [
        ("samples", POINTER(Csr)),
        ("samples_dense", POINTER(Matrix)),
        ("weights", POINTER(Matrix)),
        ("centers", POINTER(Matrix)),
        ("draws", POINTER(Matrix)),
    ]


class NearestProblem(Problem):
    """orthant_nearest_problem."""

    _fields_ = [("samples", POINTER(Csr)), ("samples_dense", POINTER(Matrix)), ("queries", POINTER(Csr)), ("queries_dense", POINTER(Matrix))]


class Components(ctypes.Structure):
    """orthant_components."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("components", POINTER(Matrix)),
        ("labels", POINTER(Matrix)),
        ("levels", POINTER(Matrix)),
        ("levels_csr", POINTER(Csr)),
    ]


class Evaluation(ctypes.Structure):
    """orthant_evaluation."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("x", POINTER(Matrix)),
        ("embedding", POINTER(Matrix)),
        ("truth", POINTER(Matrix)),
        ("w", POINTER(Matrix)),
        ("h", POINTER(Matrix)),
        ("labels", Numbers),
        ("labels_count", c_int64),
        ("predicted", Numbers),
        ("predicted_count", c_int64),
    ]


class Room:
    """A buffer for a text that the library writes."""

    __slots__ = ("buffer", "text")

    def __init__(self, size=2048):
        self.buffer = ctypes.create_string_buffer(size)
        self.text = Text(ctypes.addressof(self.buffer), size, 0)

    def __str__(self):
        return self.buffer.value.decode("utf-8", "replace")


_FUNCTIONS = {
    "orthant_info": [POINTER(Text), POINTER(Text)],
    "orthant_methods": [POINTER(Text), POINTER(Text)],
    "orthant_explain": [c_char_p, POINTER(Text), POINTER(Text)],
    "orthant_set_num_threads": [c_int64, POINTER(Text)],
    "orthant_get_num_threads": [POINTER(c_int64), POINTER(Text)],
    "orthant_embed": [c_char_p, c_char_p, POINTER(Matrix), POINTER(Options), POINTER(c_void_p), POINTER(Text)],
    "orthant_factorize": [c_char_p, c_int64, c_char_p, POINTER(Matrix), POINTER(Options), POINTER(c_void_p), POINTER(Text)],
    "orthant_learn": [c_char_p, c_int64, c_char_p, POINTER(Matrix), POINTER(Options), POINTER(c_void_p), POINTER(Text)],
    "orthant_factorize_runs": [
        c_char_p, Numbers, c_int64, c_int64, c_char_p, POINTER(Matrix), POINTER(Options), POINTER(c_void_p), POINTER(Text)
    ],
    "orthant_consensus": [c_int64, c_char_p, POINTER(Components), POINTER(Matrix), POINTER(Options), POINTER(c_void_p), POINTER(Text)],
    "orthant_cluster": [c_char_p, c_int64, c_char_p, POINTER(Matrix), POINTER(Options), POINTER(c_void_p), POINTER(Text)],
    "orthant_select": [c_char_p, c_int64, c_char_p, POINTER(Matrix), POINTER(Options), POINTER(c_void_p), POINTER(Text)],
    "orthant_neighbors": [c_int64, c_char_p, POINTER(Matrix), POINTER(Options), POINTER(c_void_p), POINTER(Text)],
    "orthant_denoise": [c_int64, c_char_p, POINTER(Matrix), POINTER(Options), POINTER(c_void_p), POINTER(Text)],
    "orthant_transform": [c_void_p, c_char_p, POINTER(Matrix), POINTER(Options), POINTER(c_void_p), POINTER(Text)],
    "orthant_evaluate": [c_char_p, c_char_p, POINTER(Evaluation), POINTER(Options), POINTER(c_void_p), POINTER(Text)],
    "orthant_wait": [c_void_p, c_int64, POINTER(c_double), POINTER(Text), POINTER(Text)],
    "orthant_cancel": [c_void_p, POINTER(Text)],
    "orthant_shape": [c_void_p, c_char_p, POINTER(c_int64), POINTER(c_int64), POINTER(c_int32), POINTER(Text)],
    "orthant_copy": [c_void_p, c_char_p, POINTER(Buffer), POINTER(Text)],
    "orthant_number": [c_void_p, c_char_p, POINTER(c_double), POINTER(Text)],
    "orthant_report": [c_void_p, POINTER(Text), POINTER(Text)],
    "orthant_result_free": [c_void_p],
    "orthant_model_of": [c_void_p, POINTER(c_void_p), POINTER(Text)],
    "orthant_model_info": [c_void_p, POINTER(Text), POINTER(Text)],
    "orthant_save": [c_void_p, c_char_p, POINTER(Text)],
    "orthant_load": [c_char_p, POINTER(c_void_p), POINTER(Text)],
    "orthant_save_bytes": [c_void_p, Filled, c_size_t, POINTER(c_size_t), POINTER(Text)],
    "orthant_load_bytes": [Bytes, c_size_t, POINTER(c_void_p), POINTER(Text)],
    "orthant_model_free": [c_void_p],
}


def _solver(problem):
    return [c_char_p, POINTER(problem), POINTER(Options), POINTER(c_void_p), POINTER(Text)]


_FUNCTIONS.update(
    {
        "orthant_eigsh_of": [c_int64, *_solver(EigshProblem)],
        "orthant_largest_of": [c_int64, *_solver(LargestProblem)],
        "orthant_svds_of": [c_int64, *_solver(SvdsProblem)],
        "orthant_spectral_init_of": [c_int64, *_solver(GraphProblem)],
        "orthant_lloyd_of": _solver(LloydProblem),
        "orthant_nearest_of": [c_int64, *_solver(NearestProblem)],
        "orthant_cholesky_of": _solver(FactorProblem),
        "orthant_ldlt_of": _solver(FactorProblem),
        "orthant_laplacian_of": _solver(FactorProblem),
        "orthant_solve_measured": [c_void_p, POINTER(Replaced), POINTER(c_int64), POINTER(c_double), POINTER(Text)],
        "orthant_update_values_of": [c_void_p, *_solver(FactorProblem)],
        "orthant_shortest_paths_of": _solver(PathsProblem),
        "orthant_connected_components_of": _solver(GraphProblem),
        "orthant_solve": [c_void_p, POINTER(Replaced), POINTER(Text)],
        "orthant_slogdet": [c_void_p, POINTER(c_double), POINTER(c_double), POINTER(Text)],
        "orthant_apply": [c_void_p, c_char_p, POINTER(Replaced), POINTER(Text)],
        "orthant_parts_of": [c_void_p, c_char_p, POINTER(Options), POINTER(c_void_p), POINTER(Text)],
        "orthant_inverse_of": [c_void_p, c_char_p, POINTER(Csr), POINTER(Options), POINTER(c_void_p), POINTER(Text)],
        "orthant_update_rank_of": [c_void_p, *_solver(FactorProblem)],
    }
)

# The library in the folder of this file.
_FILE = "orthant.dll" if os.name == "nt" else "liborthant.so"

_loaded = None
_choosing = threading.Lock()


def _forked():
    """A child has none of the threads that may have been choosing."""
    global _choosing
    _choosing = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


def library():
    """Returns what carries out the functions, which the first call chooses.

    $ORTHANT_LIBRARY names the library; without it, it is the one in the folder of this file, or where that cannot be loaded the
    command, as a worker. ORTHANT_WORKER=1 means the worker.
    """
    global _loaded
    if _loaded is None:
        with _choosing:
            if _loaded is None:
                _loaded = _chosen()
                from . import _threads

                _threads.begun(_loaded)
    return _loaded


def _chosen():
    from . import _worker

    if os.environ.get("ORTHANT_WORKER") == "1":
        return _worker.Worker(_FUNCTIONS)
    named = os.environ.get("ORTHANT_LIBRARY")
    try:
        return _by_ctypes(named or os.path.join(os.path.dirname(__file__), _FILE))
    except ImportError as error:
        if named:
            raise
        try:
            return _worker.Worker(_FUNCTIONS)
        except ImportError as other:
            raise ImportError(f"{error}; and {other}") from error


def _by_ctypes(path):
    try:
        lib = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(
            f"orthant's library cannot be loaded ({error}): build it by 'make python', or name it by $ORTHANT_LIBRARY"
        ) from error
    found = lib.orthant_abi_version()
    if found != ABI:
        raise ImportError(f"{path} has ABI {found} where this package needs {ABI}: build both from one version")
    for name, arguments in _FUNCTIONS.items():
        function = getattr(lib, name)
        function.argtypes, function.restype = arguments, c_int
    lib.filled, lib.interface = _filled, {"interface": "library", "path": path}
    return lib


def _filled(shape, dtype, fill):
    """Returns an array that fill writes, which gets its address."""
    out = np.empty(shape, dtype)
    fill(out.ctypes.data)
    return out


_ERRORS = {INVALID: ValueError, NOMEM: MemoryError, FAILED: OSError, NOT_DEFINITE: NotPositiveDefiniteError}


def raise_for(status, room):
    """Raises the exception of a status, except for a status that comes with a result."""
    if status not in (OK, NOT_CONVERGED):
        raise _ERRORS.get(status, RuntimeError)(str(room))


def ask(function, *handle):
    """Returns the text that a function of the library writes, as str."""
    error, text = Room(), Room(1 << 14)
    raise_for(function(*handle, text.text, error.text), error)
    if text.text.needed > text.text.size:
        text = Room(text.text.needed)
        raise_for(function(*handle, text.text, error.text), error)
    return str(text)
