"""Problems for the solvers: matrices and graphs in the form that the library reads, and the call itself."""

from __future__ import annotations

import numbers
from ctypes import byref, c_void_p, pointer, sizeof

import numpy as np

from . import _arrays, _calls, _data, _progress, _sparse, _structure
from ._library import BUSY, NOT_CONVERGED, Operator, Options, Product, Room, library, raise_for


class _Given:
    """A problem under construction: the structure of its solver, with the arrays to which it refers."""

    def __init__(self, structure, types=_arrays._TYPES):
        self.problem, self.held, self.failure, self.types = structure(), [], None, types

    def put(self, field, structure, *held):
        self.held += [structure, *held]
        setattr(self.problem, field, pointer(structure))

    def compressed(self, field, a, what):
        structure, held = _sparse.csr(a, what)
        self.put(field, structure, held)

    def full(self, field, a, what):
        a = _arrays._rows(a, what, self.types)
        self.put(field, _arrays._matrix(a), a)

    def matrix(self, a, what="A", field="a"):
        """Takes a matrix: sparse, full, or, for some solvers, by its products."""
        products = hasattr(self.problem, field + "_products")
        if _sparse.is_sparse(a):
            self.compressed(field, a, what)
        elif products and not isinstance(a, np.ndarray) and (hasattr(a, "matmat") or callable(a)):
            self.operator(a, what)
        elif isinstance(a, (np.ndarray, list, tuple)) or hasattr(a, "__array__") or _data.is_table(a):
            self.full(field + "_dense", a, what)
        elif products:
            self.operator(a, what)  # it reports what is missing
        else:
            raise ValueError(f"{what} is {type(a).__name__}; give a sparse matrix of SciPy or an array")

    def operator(self, a, what):
        shape = getattr(a, "shape", None)
        forward = getattr(a, "matmat", None) or (a if callable(a) else None)
        if forward is None or not (isinstance(shape, tuple) and len(shape) == 2 and all(isinstance(n, numbers.Integral) for n in shape)):
            raise ValueError(
                f"{what} is {type(a).__name__}; give a sparse matrix of SciPy, an array, or what has a shape (rows, columns) and either matmat or calls: a scipy.sparse.linalg.LinearOperator"
            )
        rows, cols = map(int, shape)
        if np.issubdtype(getattr(a, "dtype", None) or np.float64, np.complexfloating):
            raise ValueError(f"{what} is an operator of complex numbers; give a real one")

        def multiply(_, transposed, width, x, y):
            try:
                n, m = (cols, rows) if transposed else (rows, cols)
                block = np.ctypeslib.as_array(x, (m, width)).copy()  # the library's memory is its own after the call
                if transposed:
                    backward = getattr(a, "rmatmat", None)
                    if backward is None:
                        raise ValueError(f"{what} is an operator without rmatmat, which computes the transpose times a block; give it one")
                    product = np.asarray(backward(block))
                else:
                    product = np.asarray(forward(block))
                if product.shape != (n, width) or product.dtype.kind not in "biuf":
                    raise ValueError(f"{what}: the operator made {product.dtype} of shape {product.shape} from a block of {m} × {width}; let it return real numbers, {n} × {width}")
                np.ctypeslib.as_array(y, (n, width))[:] = product
                return 0
            except BaseException as error:  # raised again in the thread that started the task
                self.failure = error
                return 1

        function = Product(multiply)
        self.put("a_products", Operator(rows, cols, function, None), function)

    def columns(self, field, vectors, what):
        """Takes vectors: one vector, or the columns of an array."""
        vectors = np.asarray(_arrays.reals(vectors, what), dtype=np.float64)
        self.full(field, vectors[:, None] if vectors.ndim == 1 else vectors, what)

    def mass(self, m):
        if _sparse.is_sparse(m):
            self.compressed("m", m, "M")
        else:
            self.columns("m_dense", m, "M")

    def graph(self, graph):
        """Takes a graph: a sparse matrix, or (indices, distances) as neighbors returns them."""
        if isinstance(graph, tuple) and len(graph) == 2:
            graph = _Lists(*graph)
        elif not _sparse.is_sparse(graph):
            raise ValueError(
                f"the graph is {type(graph).__name__}, in which a zero may be an edge or none; give a sparse matrix whose entries are the edges, such as scipy.sparse.csr_array(graph), or (indices, distances)"
            )
        self.compressed("graph", graph, "graph")


class _Lists:
    """n × k lists of neighbours as a sparse matrix of distances."""

    format, ndim = "csr", 2

    def __init__(self, indices, distances):
        indices, distances = _structure.pair((indices, distances))
        n, k = indices.shape
        self.shape, self.nnz = (n, n), n * k
        self.data, self.indices = distances.reshape(-1), indices.reshape(-1).astype(np.int64, copy=False)
        self.indptr = np.arange(0, n * k + 1, k, dtype=np.int64)

    def tocsr(self):
        return self


def _solve(start, given, parameters, progress=None):
    """Starts a solver in the background and waits for it, as _calls._run does for tasks."""
    _progress.check(progress)
    options = Options(struct_size=sizeof(Options), patience=_calls._PATIENCE)
    lib, handle, error = library(), c_void_p(), Room()
    try:
        status = start(lib, _arrays._json(parameters), given.problem, options, byref(handle), error.text)
        if status == BUSY:
            with _progress.following(progress) as told:
                status = _calls._wait(lib, handle, error, told)
        if given.failure is not None:
            raise given.failure
        raise_for(status, error)
        result = _calls.Result(handle.value, status != NOT_CONVERGED)
    except BaseException:
        lib.orthant_result_free(handle)  # it cancels, and waits until the problem is no longer read
        raise
    if status == NOT_CONVERGED:
        _calls.warn(str(error), _calls.convergence_warning())
    if result.number("warnings") > 0:
        for text in result.report["warnings"]:
            _calls.warn(text, UserWarning)
    return result
