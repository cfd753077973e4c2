"""The solvers: eigenpairs, singular triplets, factorisations, and paths through graphs.

Their inputs are matrices in place of samples; scipy.sparse is not loaded here.
"""

import numbers
from ctypes import byref, c_double, c_void_p, pointer, sizeof

import numpy as np

from . import _calls, _sparse, _structure
from ._library import BUSY, NOT_CONVERGED, Operator, Options, Problem, Product, Room, library, raise_for


class Pairs(tuple):
    """Eigenpairs, (values, vectors), or triplets, (u, s, vt), with what was measured of them.

    ``residuals`` are those of each, ``next`` is the first value that was not asked for (NaN: there is none), and ``report`` tells the
    solver that was chosen, why, and what it took.
    """

    def __new__(cls, parts, residuals=None, next=None, report=None):
        self = super().__new__(cls, parts)
        self.residuals, self.next, self.report = residuals, next, report
        return self


class _Given:
    """A problem in the making, with the arrays that it refers to."""

    def __init__(self):
        self.problem, self.held, self.failure = Problem(sizeof(Problem)), [], None

    def put(self, field, structure, *held):
        self.held += [structure, *held]
        setattr(self.problem, field, pointer(structure))

    def compressed(self, field, a, what):
        structure, held = _sparse.csr(a, what)
        self.put(field, structure, held)

    def full(self, field, a, what):
        a = _calls._rows(a, what)
        self.put(field, _calls._matrix(a), a)

    def matrix(self, a, what="A", products=True):
        """Takes A: sparse, full, or where that is allowed by its products."""
        if _sparse.is_sparse(a):
            self.compressed("a", a, what)
        elif isinstance(a, (np.ndarray, list, tuple)):
            _structure.unmasked(a, what)
            a = np.asarray(a)
            if a.ndim != 2:
                raise ValueError(f"{what} has {a.ndim} dimension(s); give 2")
            self.full("dense", a, what)
        elif products:
            self.operator(a, what)
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
            except BaseException as error:  # raised again where the task was started
                self.failure = error
                return 1

        function = Product(multiply)
        self.put("products", Operator(rows, cols, function, None), function)

    def columns(self, field, vectors, what):
        """Takes vectors: one, or the columns of an array."""
        _structure.unmasked(vectors, what)
        vectors = np.asarray(vectors, dtype=np.float64)
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
        self.compressed("a", graph, "graph")


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
    options = Options(struct_size=sizeof(Options), patience=_calls._PATIENCE)
    lib, handle, error = library(), c_void_p(), Room()
    try:
        status = start(lib, _calls._json(parameters), given.problem, options, byref(handle), error.text)
        if status == BUSY:
            status = _calls._wait(lib, handle, error, progress)
        if given.failure is not None:
            raise given.failure
        raise_for(status, error)
        result = _calls.Result(handle.value, status != NOT_CONVERGED)
    except BaseException:
        lib.orthant_result_free(handle)  # which cancels, and waits until the problem is no longer read
        raise
    if status == NOT_CONVERGED:
        _calls.warn(str(error), _calls.convergence_warning())
    return result


def _finite(value, what):
    """Returns a number that JSON can hold."""
    try:
        value = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{what} is {value!r}; give a number") from None
    if not np.isfinite(value):
        raise ValueError(f"{what} is {value}; give a finite number")
    return value


def _count(k, what="k"):
    if not isinstance(k, numbers.Integral):
        raise ValueError(f"{what} is {k!r}; give a whole number")
    return int(k)


def eigsh(A, k, M=None, sigma=0, null=None, X0=None, tol=0, return_residuals=False, *, progress=None, **running):
    """Finds the k smallest eigenpairs of A x = λ M x above sigma, A symmetric.

    Parameters
    ----------
    A : sparse matrix or array of SciPy (CSR without a copy), array, or operator, n × n
        Symmetric. A − σM must be positive definite, or semidefinite with σ itself an eigenvalue: 0 fits every
        positive semidefinite A (Laplacians, alignment matrices, stiffness matrices). An operator, a
        ``scipy.sparse.linalg.LinearOperator`` or whatever has a ``shape`` and ``matmat`` (or is called) with n × b blocks, is
        served by products alone, which takes long where the eigenvalues wanted are tiny against the largest.
    k : int, 1 to n − 1
    M : sparse, n × n, or array: its diagonal (n,) or all of it (n, n); None is the identity
        Symmetric positive definite.
    sigma : float
        A bound below which no eigenvalue lies; the nearer, the better.
    null : array (n,) or (n, c)
        Known null vectors of A, such as the constant of a connected graph's Laplacian. They are left out of the result.
    X0 : array (n,) or (n, c)
        Vectors near those wanted, of a similar problem: a warm start. It changes the time, not the result.
    tol : float
        Of a pair of the inverse relative to its eigenvalue 1/(λ − σ), 1e-14 to 0.1; 0 is 1e-10.
    return_residuals : bool
        Appends the residuals as a third.
    progress : callable(phase, share)
    seed, threads, backend, memory : how to run, as in :func:`embed`

    Returns
    -------
    (values, vectors) : (k,) ascending, and (n, k), M-orthonormal
        with the attributes ``residuals`` (‖Ax − λMx‖ over (|A| + |λ||M|)‖x‖, measured), ``next`` (the first eigenvalue that was not asked
        for) and ``report``.

    A sparse A is factorised once, in the time and memory of its Cholesky factor: O(n log n) entries on planar graphs, O(n^4/3) in space.
    Raises ValueError, which names the place, where A or M is not symmetric, not finite or M not definite, where an eigenvalue lies below
    sigma, where null vectors are none, and for k outside its range; MemoryError where the factor exceeds the limit.

    >>> import numpy, scipy.sparse, orthant
    >>> path = scipy.sparse.diags([[1, 2, 2, 1], [-1] * 3, [-1] * 3], [0, 1, -1], dtype=float)  # a Laplacian
    >>> values, vectors = orthant.eigsh(path, 2)
    >>> numpy.round(values + 0, 6)
    array([0.      , 0.585786])
    """
    given = _Given()
    given.matrix(A)
    if M is not None:
        given.mass(M)
    if null is not None:
        given.columns("null", null, "null")
    if X0 is not None:
        given.columns("start", X0, "X0")

    def start(lib, text, problem, options, handle, error):
        return lib.orthant_eigsh(_count(k), text, problem, options, handle, error)

    found = _solve(start, given, {"sigma": _finite(sigma, "sigma"), "tolerance": _finite(tol, "tol") or None, **running}, progress)
    parts = [found.array("eigenvalues"), found.array("vectors")]
    return _pairs(found, parts, "next_eigenvalue", return_residuals)


def _pairs(found, parts, next, return_residuals):
    residuals = found.array("residuals")
    return Pairs(parts + [residuals] * bool(return_residuals), residuals, found.number(next), found.report)


def largest(A, k, return_residuals=False, *, progress=None, **running):
    """Finds the k largest eigenpairs, in the sense of the number line, of a symmetric A, which may be indefinite.

    A is sparse, an array, or an operator, as in :func:`eigsh`; k is 1 to n. Returns (values, vectors), (k,) descending and (n, k), orthonormal,
    with ``residuals``, ``next`` and ``report``. Thick-restart block Lanczos: some tens of products with A.
    """
    given = _Given()
    given.matrix(A)

    def start(lib, text, problem, options, handle, error):
        return lib.orthant_largest(_count(k), text, problem, options, handle, error)

    found = _solve(start, given, running, progress)
    return _pairs(found, [found.array("eigenvalues"), found.array("vectors")], "next_eigenvalue", return_residuals)


def svds(A, k, return_residuals=False, *, progress=None, **running):
    """Finds the k largest singular triplets of any A, n × m: sparse, an array, or an operator with matmat and rmatmat.

    Returns (u, s, vt) as SciPy's svds does: (n, k), (k,) descending, (k, m), with ``residuals`` (the larger of ‖Av − σu‖ and ‖Aᵀu − σv‖, over
    σ₁), ``next`` and ``report``. k is 1 to min(n, m). The largest entry of each row of vt in size is positive. Nothing is centred. Block
    Lanczos bidiagonalisation from a random start: some tens of products with A and with its transpose, and never AᵀA.
    """
    given = _Given()
    given.matrix(A)

    def start(lib, text, problem, options, handle, error):
        return lib.orthant_svds(_count(k), text, problem, options, handle, error)

    found = _solve(start, given, running, progress)
    parts = [found.array("u"), found.array("singular_values"), found.array("v").T]
    return _pairs(found, parts, "next_singular_value", return_residuals)


def cholesky(A, shift=0, *, progress=None, **running):
    """Factorises A + shift·I = LLᵀ, A sparse, symmetric, and positive definite with the shift. Returns a :class:`Cholesky`.

    A is a sparse matrix or array of SciPy (CSR without a copy) with both triangles stored, or an array. It is not kept. seed, threads, backend and
    memory are as in :func:`embed`. Raises numpy.linalg.LinAlgError with the pivot and its row where the matrix is not positive
    definite, singular within rounding included; ValueError with the place where it is not symmetric or not finite.
    """
    given = _Given()
    given.matrix(A, products=False)

    def start(lib, text, problem, options, handle, error):
        return lib.orthant_cholesky(text, problem, options, handle, error)

    return Cholesky(_solve(start, given, {"shift": _finite(shift, "shift"), **running}, progress), shift, running)


class Cholesky:
    """A + shift·I in factorised form, as :func:`cholesky` makes it. Several threads may use one."""

    # How many right-hand sides go to the library at a time: between two times Python handles Ctrl-C.
    _SIDES = 64

    def __init__(self, result, shift, running):
        self._result, self.shift, self._running = result, shift, running
        self.report = result.report

    @property
    def shape(self):
        """(n, n)."""
        return self.report["rows"], self.report["columns"]

    def solve(self, b):
        """Returns the solution of (A + shift·I) x = b, of the shape of b, (n,) or (n, c), as float64.

        Time is that of a pass over the factor for every eight columns.
        """
        _structure.unmasked(b, "b")
        if _sparse.is_sparse(b):
            raise ValueError("b is sparse, but solutions are not; give b.toarray(), some columns at a time")
        b = np.asarray(b)
        if b.ndim not in (1, 2) or b.shape[0] != self.shape[0] or b.dtype.kind not in "biuf":
            raise ValueError(f"b is of type {b.dtype} and of shape {b.shape}; give real numbers, ({self.shape[0]},) or ({self.shape[0]}, c)")
        x = np.array(b.reshape(len(b), -1), dtype=np.float64, order="C")
        lib, error = library(), Room()
        for lo in range(0, x.shape[1], self._SIDES):
            part = x[:, lo : lo + self._SIDES]
            raise_for(lib.orthant_solve(self._result._handle, _calls._matrix(part), error.text), error)
        return x.reshape(b.shape)

    def logdet(self):
        """Returns the logarithm of the determinant of A + shift·I."""
        value, error = c_double(), Room()
        raise_for(library().orthant_log_det(self._result._handle, byref(value), error.text), error)
        return value.value

    def update_values(self, A, shift=None, *, progress=None):
        """Factorises another matrix with the same pattern in the place of the first, in its memory and without a new analysis.

        shift None is the one before. A matrix of another pattern, asymmetric or not finite (ValueError) leaves the factor; one that is not
        positive definite (LinAlgError), and Ctrl-C, leave none until the next update.
        """
        given = _Given()
        given.matrix(A, products=False)
        new = self.shift if shift is None else _finite(shift, "shift")

        def start(lib, text, problem, options, handle, error):
            return lib.orthant_update_values(self._result._handle, text, problem, options, handle, error)

        self.report = _solve(start, given, {"shift": new, **self._running}, progress).report
        self.shift = new

    def __reduce__(self):
        raise TypeError("an orthant.Cholesky cannot be pickled or copied: it is held by the library; factorise the matrix anew")

    def __repr__(self):
        return f"<orthant.Cholesky of order {self.shape[0]}, {self.report['factor_entries']} entries>"


def shortest_paths(graph, sources=None, *, progress=None, **running):
    """Measures the shortest paths of an undirected graph from sources, or from all vertices, to all.

    graph is an n × n sparse matrix of SciPy (CSR without a copy) whose stored entries are the lengths of edges, ≥ 0, a stored zero an edge
    of length zero, or the pair (indices, distances) of :func:`neighbors`. Of the two directions of an edge the shorter counts.
    sources are vertices, (s,); None: all. Returns (s, n) float64 lengths, infinite where there is no path.

    O(s·n) and an elimination where the graph has few dimensions, otherwise O(s·nnz·log n); 8·s·n bytes.
    """
    given = _Given()
    given.graph(graph)
    if sources is not None:
        sources = np.atleast_1d(np.asarray(sources))
        if sources.ndim != 1 or sources.dtype.kind not in "iu" or len(sources) == 0:
            raise ValueError(f"sources are of type {sources.dtype} and shape {sources.shape}; give at least one whole number, the vertices to begin at")
        sources = np.ascontiguousarray(sources, dtype=np.int64)
        given.held.append(sources)
        given.problem.sources, given.problem.sources_count = sources.ctypes.data, len(sources)

    def start(lib, text, problem, options, handle, error):
        return lib.orthant_shortest_paths(text, problem, options, handle, error)

    return _solve(start, given, running, progress).array("lengths")


def connected_components(graph, **running):
    """Labels the connected components of a graph; returns (count, labels), labels (n,) int64 from 0 in the order of the first vertices.

    graph is as in :func:`shortest_paths`: i and j are joined if (i, j) or (j, i) is stored, whatever its value. O(nnz).
    """
    given = _Given()
    given.graph(graph)

    def start(lib, text, problem, options, handle, error):
        return lib.orthant_connected_components(text, problem, options, handle, error)

    found = _solve(start, given, running)
    return int(found.number("components")), found.array("labels")


def spectral_init(graph, dim=2, components="each", scale="none", *, progress=None, **running):
    """Makes the start that UMAP and t-SNE take (``init=array``), from a weighted graph.

    Parameters
    ----------
    graph : sparse matrix or array of SciPy, n × n (CSR without a copy)
        Symmetric weights ≥ 0: UMAP's fuzzy graph, or the affinities of t-SNE. Zeros are no edges, and the diagonal does not count.
    dim : int, 1 to n − 1
    components : "each", "error" or "joint"
        Of a disconnected graph: each component embedded apart and placed, up to 2·dim of them on the axes and more on a grid; an
        error; or all as one problem, whose first columns only tell the components apart.
    scale : "none", "umap" or "tsne"
        Unit columns (of a connected graph); the largest coordinate in size is 10; or the standard deviation of the first column is 1e-4.
    seed, threads, backend, memory : how to run, as in :func:`embed`

    Returns
    -------
    (n, dim) float64: eigenvectors of I − D^−½WD^−½ with the smallest positive eigenvalues, the largest entry of each in size positive.

    Time is that of a sparse factorisation and tens of solves for each component. docs/initialisation.md has recipes for umap-learn,
    openTSNE and cuML.
    """
    given = _Given()
    if not _sparse.is_sparse(graph):
        raise ValueError(f"the graph is {type(graph).__name__}; give a sparse matrix of weights, such as scipy.sparse.csr_array(graph)")
    given.graph(graph)

    def start(lib, text, problem, options, handle, error):
        return lib.orthant_spectral_init(_count(dim, "dim"), text, problem, options, handle, error)

    return _solve(start, given, {"components": components, "scale": scale, **running}, progress).array("embedding")
