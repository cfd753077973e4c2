"""The solvers: eigenpairs, singular triplets, factorisations, and paths through graphs.

Their inputs are matrices instead of samples; scipy.sparse is not loaded here.
"""

from __future__ import annotations

from ctypes import byref, c_double, c_int64
from typing import Any

import numpy as np

from . import _arrays, _sparse
from ._library import EigshProblem, FactorProblem, GraphProblem, LargestProblem, PathsProblem, Room, SvdsProblem, library, raise_for
from ._numbers import real, whole
from ._problem import _Given, _solve
from ._types import Progress


class Pairs(tuple):
    """Eigenpairs, (values, vectors), or triplets, (u, s, vt), with their measured accuracy.

    ``residuals`` has the residual of each, ``errors`` estimates how far each value may be off, ``digits`` is the number of decimal
    digits that are sure by that (0: a value that is zero within rounding), ``next`` is the first value beyond those
    asked for (NaN: there is none), and ``report`` has the solver that was chosen, the reason, and the costs. The parts are also attributes:
    ``values`` and ``vectors``, or ``u``, ``s`` and ``vt``.
    """

    _parts = ("values", "vectors")

    def __new__(cls, parts, residuals=None, next=None, report=None, errors=None):
        self = super().__new__(cls, parts)
        self.residuals, self.next, self.report, self.errors = residuals, next, report, errors
        for name, part in zip(self._parts, self):
            setattr(self, name, part)
        return self

    @property
    def digits(self) -> np.ndarray:
        values = np.abs(self[1] if isinstance(self, Triplets) else self[0])
        with np.errstate(divide="ignore", invalid="ignore"):
            sure = -np.log10(self.errors / values)
        return np.clip(np.nan_to_num(sure, nan=0, posinf=16, neginf=0), 0, 16).astype(int)


class Triplets(Pairs):
    """Singular triplets, (u, s, vt), as :class:`Pairs` has eigenpairs."""

    _parts = ("u", "s", "vt")


def eigsh(
    A: Any, k: int | None = None, M: Any = None, sigma: float = 0, null: Any = None, X0: Any = None, tol: float = 0, return_residuals: bool = False, *, interval: tuple[float, float] | None = None, certified: bool = False, progress: Progress = None, **running: Any
) -> Pairs:
    """Finds eigenpairs of A x = λ M x, A symmetric: the k smallest above sigma, the k nearest to a sigma inside the spectrum, or all of an interval.

    Parameters
    ----------
    A : sparse matrix or array of SciPy (CSR without a copy), array, or operator, n × n
        Symmetric. No eigenvalue lies below sigma if A − σM is positive definite or semidefinite; sigma = 0 is right for every
        positive semidefinite A (Laplacians, alignment matrices, stiffness matrices). An operator, a
        ``scipy.sparse.linalg.LinearOperator`` or any object that has a ``shape`` and takes n × b blocks by ``matmat`` or by a
        call, is only used by its products. That is slow if the wanted eigenvalues are tiny compared with the largest.
    k : int, 1 to n − 1; None with an interval
    M : sparse, n × n, or array: its diagonal (n,) or all of it (n, n); None is the identity
        Symmetric positive definite. Rows and columns of zeros are allowed if A is a matrix: each is an infinite eigenvalue, which is left
        out; ``report["infinite_eigenvalues"]`` counts them.
    sigma : float
        A bound below which no eigenvalue lies (the closer, the faster), or a number inside the spectrum, for the pairs nearest to it. If it
        is an eigenvalue, it is moved; ``report["plan"]["reason"]`` says by how much.
    interval : (low, high)
        All pairs with eigenvalues from low to high, with their multiplicities, instead of k and sigma. The inertia at both ends counts them before
        they are searched for.
    null : array (n,) or (n, c)
        Known null vectors of A, such as the constant of a connected graph's Laplacian. They are left out of the result.
    X0 : array (n,) or (n, c)
        Vectors near the wanted ones, from a similar problem: a warm start. It changes the time, not the result.
    tol : float
        Tolerance of the residual of a pair of the inverse, relative to its eigenvalue 1/(λ − σ), 1e-14 to 0.1; 0 means 1e-10.
    return_residuals : bool
        Appends the residuals as a third item.
    certified : bool
        Counts the eigenvalues below a number just beyond the last pair, by the inertia of one more factorisation: ``report["certificate"]``
        has the count (docs/solvers.md). If pairs were missed, they are searched for, with a warning.
    progress : callable(phase, share)
    seed, threads, backend, memory : how to run, as in :func:`embed`

    Returns
    -------
    (values, vectors) : (k,) ascending, and (n, k), M-orthonormal
        with the attributes ``values``, ``vectors``, ``residuals`` (‖Ax − λMx‖ over (|A| + |λ||M|)‖x‖, measured), ``errors`` (an estimate of how far each eigenvalue may
        be off, rounding of the entries of A and M included), ``digits`` (of each eigenvalue, those that are sure), ``next`` (the first eigenvalue beyond those asked for) and ``report``. An interval without
        eigenvalues gives none. If the rows of A and M differ by many orders of magnitude, for example by penalties on the diagonal, the pair is
        equilibrated first, and the residuals refer to the equilibrated pair. A warning names the eigenvalues that have fewer than three certain digits.

    A sparse A is factorised once, with the time and memory of its Cholesky factor: O(n log n) entries on planar graphs, O(n^4/3) in space.
    Raises ValueError, which names the place, if A or M is not symmetric or not finite, if M is not definite, if an operator has an eigenvalue below
    sigma, if a given null vector is not one, and if k is outside its range; MemoryError if the factor, or the pairs of an interval, exceed the limit.

    Examples
    --------
    >>> import numpy, scipy.sparse, orthant
    >>> path = scipy.sparse.diags([[1, 2, 2, 1], [-1] * 3, [-1] * 3], [0, 1, -1], dtype=float)  # a Laplacian
    >>> values, vectors = orthant.eigsh(path, 2)
    >>> numpy.round(values + 0, 6)
    array([0.      , 0.585786])
    >>> numpy.round(orthant.eigsh(path, 1, sigma=1.9)[0], 6)
    array([2.])
    >>> numpy.round(orthant.eigsh(path, interval=(0.5, 2.5))[0], 6)
    array([0.585786, 2.      ])
    """
    given = _Given(EigshProblem)
    given.matrix(A)
    if M is not None:
        given.mass(M)
    if null is not None:
        given.columns("null_vectors", null, "null")
    if X0 is not None:
        given.columns("start", X0, "X0")

    ends: dict[str, float] = {}
    if interval is not None:
        if k is not None or sigma:
            raise ValueError("eigsh: an interval stands in place of k and sigma; leave them out")
        if not isinstance(interval, (tuple, list, np.ndarray)) or len(interval) != 2:
            raise ValueError(f"interval is {interval!r}; give (low, high)")
        low, high = interval
        ends = {"low": real(low, "the lower end"), "high": real(high, "the upper end")}
    elif k is None:
        raise ValueError("eigsh: k is missing: the number of pairs, or give interval=(low, high)")

    count = 0 if k is None else whole(k, "k")

    def start(lib, text, problem, options, handle, error):
        return lib.orthant_eigsh_of(count, text, problem, options, handle, error)

    found = _solve(start, given, {"sigma": real(sigma, "sigma"), "tolerance": real(tol, "tol") or None, "certified": bool(certified) or None, **ends, **running}, progress)
    parts = [found.array("eigenvalues"), found.array("vectors")]
    return _pairs(found, parts, "next_eigenvalue", return_residuals)


def _pairs(found, parts, next, return_residuals, made=Pairs):
    residuals = found.array("residuals")
    return made(parts + [residuals] * bool(return_residuals), residuals, found.number(next), found.report, found.array("errors")[:, 0])  # the results of runs have errors as a table


def largest(A: Any, k: int, return_residuals: bool = False, *, progress: Progress = None, **running: Any) -> Pairs:
    """Finds the k eigenpairs with the largest (most positive) eigenvalues of a symmetric A, which may be indefinite.

    By thick-restart block Lanczos, with a few tens of products with A.

    Parameters
    ----------
    A : sparse matrix or array of SciPy, array, or operator, n × n
        As in :func:`eigsh`.
    k : int, 1 to n
    return_residuals : bool
        Appends the residuals as a third item.
    progress : callable(phase, share) or bool
    **running
        ``seed``, ``threads``, ``backend`` and ``memory``, as in :func:`embed`.

    Returns
    -------
    (values, vectors) : (k,) descending, and (n, k), orthonormal
        With ``residuals``, ``errors``, ``next`` and ``report``.

    Examples
    --------
    >>> import numpy, scipy.sparse, orthant
    >>> path = scipy.sparse.csr_matrix(scipy.sparse.diags([[1, 2, 2, 1], [-1] * 3, [-1] * 3], [0, 1, -1], dtype=float))  # a Laplacian
    >>> numpy.round(orthant.largest(path, 1)[0], 6)
    array([3.414214])
    """
    given, count = _Given(LargestProblem), whole(k, "k")
    given.matrix(A)

    def start(lib, text, problem, options, handle, error):
        return lib.orthant_largest_of(count, text, problem, options, handle, error)

    found = _solve(start, given, running, progress)
    return _pairs(found, [found.array("eigenvalues"), found.array("vectors")], "next_eigenvalue", return_residuals)


def svds(A: Any, k: int, return_residuals: bool = False, *, progress: Progress = None, **running: Any) -> Triplets:
    """Finds the k largest singular triplets of any A.

    In each row of vt the entry with the largest absolute value is positive. Nothing is centred. Block Lanczos bidiagonalisation from a random
    start: a few tens of products with A and with its transpose, never AᵀA.

    Parameters
    ----------
    A : sparse matrix or array of SciPy, array, or operator with matmat and rmatmat, n × m
    k : int, 1 to min(n, m)
    return_residuals : bool
        Appends the residuals as a fourth item.
    progress : callable(phase, share) or bool
    **running
        ``seed``, ``threads``, ``backend`` and ``memory``, as in :func:`embed`.

    Returns
    -------
    (u, s, vt) : (n, k), (k,) descending, (k, m), in the form of SciPy's svds
        With ``residuals`` (the larger of ‖Av − σu‖ and ‖Aᵀu − σv‖, over σ₁), ``errors`` (an estimate of how far each value may be off), ``next`` and ``report``.

    Examples
    --------
    >>> import numpy, scipy.sparse, orthant
    >>> path = scipy.sparse.csr_matrix(scipy.sparse.diags([[1, 2, 2, 1], [-1] * 3, [-1] * 3], [0, 1, -1], dtype=float))  # a Laplacian
    >>> u, s, vt = orthant.svds(path, 2)
    >>> numpy.round(s, 6)
    array([3.414214, 2.      ])
    """
    given, count = _Given(SvdsProblem), whole(k, "k")
    given.matrix(A)

    def start(lib, text, problem, options, handle, error):
        return lib.orthant_svds_of(count, text, problem, options, handle, error)

    found = _solve(start, given, running, progress)
    parts = [found.array("u"), found.array("singular_values"), found.array("v").T]
    return _pairs(found, parts, "next_singular_value", return_residuals, Triplets)


def cholesky(A: Any, shift: float = 0, *, progress: Progress = None, **running: Any) -> Cholesky:
    """Factorises A + shift·I = LLᵀ for a sparse symmetric A; A + shift·I must be positive definite.

    Parameters
    ----------
    A : sparse matrix or array of SciPy (CSR without a copy), or array, n × n
        Both triangles must be stored. No reference to it is kept.
    shift : float
    progress : callable(phase, share) or bool
    **running
        ``seed``, ``threads``, ``backend`` and ``memory``, as in :func:`embed`.

    Returns
    -------
    Cholesky

    Raises
    ------
    numpy.linalg.LinAlgError
        If the matrix is not positive definite, or is singular within rounding; the text has the pivot and its row.
    ValueError
        If it is not symmetric or not finite; the text has the place.

    Examples
    --------
    >>> import numpy, scipy.sparse, orthant
    >>> path = scipy.sparse.csr_matrix(scipy.sparse.diags([[1, 2, 2, 1], [-1] * 3, [-1] * 3], [0, 1, -1], dtype=float))  # a Laplacian
    >>> x = orthant.cholesky(path, shift=1).solve(numpy.ones(4))
    >>> numpy.round(x, 6)
    array([1., 1., 1., 1.])
    """
    given = _Given(FactorProblem)
    given.matrix(A)

    def start(lib, text, problem, options, handle, error):
        return lib.orthant_cholesky_of(text, problem, options, handle, error)

    return Cholesky(_solve(start, given, {"shift": real(shift, "shift"), **running}, progress), shift, running)


def ldlt(A: Any, shift: float = 0, *, progress: Progress = None, **running: Any) -> LDLT:
    """Factorises A + shift·I = LDLᵀ for a sparse symmetric A; A + shift·I may be indefinite or singular.

    It takes about as long as :func:`cholesky`, and longer if pivots have to be delayed. Pivots have one or two rows; none is perturbed. Solutions are refined with A itself,
    until their backward error is rounding. A warning says if A + shift·I is singular within rounding, or if an eigenvalue is so near to zero that its sign is not certain.

    Parameters
    ----------
    A, shift, progress, **running
        As in :func:`cholesky`.

    Returns
    -------
    LDLT

    Raises
    ------
    ValueError
        If A is not symmetric or not finite; the text has the place. :meth:`LDLT.solve` raises it if a solution is not accurate, or if there is none.

    Examples
    --------
    >>> import numpy, orthant
    >>> factor = orthant.ldlt(numpy.array([[0.0, 2.0], [2.0, 3.0]]))
    >>> factor.inertia()
    (1, 1, 0)
    >>> numpy.round(factor.solve(numpy.array([2.0, 5.0])), 6)
    array([1., 1.])
    """
    given = _Given(FactorProblem)
    given.matrix(A)

    def start(lib, text, problem, options, handle, error):
        return lib.orthant_ldlt_of(text, problem, options, handle, error)

    return LDLT(_solve(start, given, {"shift": real(shift, "shift"), **running}, progress), shift, running)


class Cholesky:
    """A + shift·I in factorised form, as :func:`cholesky` makes it. Several threads may use one.

    Examples
    --------
    >>> import math, numpy, orthant
    >>> factor = orthant.cholesky(numpy.diag([1.0, 4.0]))
    >>> factor.shape, round(factor.logdet() - math.log(4), 12)
    ((2, 2), 0.0)
    """

    # The number of right-hand sides passed to the library at a time: between two calls Python handles Ctrl-C.
    _SIDES = 64

    def __init__(self, result: Any, shift: float, running: dict[str, Any]) -> None:
        self._result, self.shift, self._running = result, shift, running
        self.report = result.report

    @property
    def shape(self) -> tuple[int, int]:
        """(n, n).
        """
        return self.report["rows"], self.report["columns"]

    def solve(self, b: Any) -> np.ndarray:
        """Returns the solution of (A + shift·I) x = b, of the shape of b, (n,) or (n, c), as float64.

        It takes one pass over the factor for every eight columns.
        """
        if _sparse.is_sparse(b):
            raise ValueError("b is sparse, but solutions are not; give b.toarray(), some columns at a time")
        b = _arrays.reals(b, "b")
        if b.ndim not in (1, 2) or b.shape[0] != self.shape[0]:
            raise ValueError(f"b is of type {b.dtype} and of shape {b.shape}; give real numbers, ({self.shape[0]},) or ({self.shape[0]}, c)")
        x = np.array(b.reshape(len(b), -1), dtype=np.float64, order="C")
        lib, error = library(), Room()
        for lo in range(0, x.shape[1], self._SIDES):
            part = x[:, lo : lo + self._SIDES]
            raise_for(lib.orthant_solve(self._result._handle, _arrays._matrix(part), error.text), error)
        return x.reshape(b.shape)

    def logdet(self) -> float:
        """Returns the logarithm of the determinant of A + shift·I.
        """
        value, error = c_double(), Room()
        raise_for(library().orthant_log_det(self._result._handle, byref(value), error.text), error)
        return value.value

    def update_values(self, A: Any, shift: float | None = None, *, progress: Progress = None) -> None:
        """Factorises another matrix with the same pattern. The new factor replaces the old one in its memory, without a new analysis.

        With shift None the previous shift is used. If the matrix has another pattern, is not symmetric or not finite (ValueError), the old
        factor stays. After a matrix that is not positive definite (LinAlgError), and after Ctrl-C, there is no factor until the next
        update.
        """
        given = _Given(FactorProblem)
        given.matrix(A)
        new = self.shift if shift is None else real(shift, "shift")

        def start(lib, text, problem, options, handle, error):
            return lib.orthant_update_values_of(self._result._handle, text, problem, options, handle, error)

        self.report = _solve(start, given, {"shift": new, **self._running}, progress).report
        self.shift = new

    def __reduce__(self):
        raise TypeError(f"an orthant.{type(self).__name__} cannot be pickled or copied: it is held by the library; factorise the matrix anew")

    def __repr__(self):
        return f"<orthant.Cholesky of order {self.shape[0]}, {self.report['factor_entries']} entries>"


class LDLT(Cholesky):
    """A + shift·I in factorised form, as :func:`ldlt` makes it. Several threads may use one.

    ``report["inertia"]`` has the counts and ``bound``: the counts are exact for a matrix that differs from A + shift·I by at most ``bound`` in the 2-norm. ``certain``
    says that no eigenvalue is that near to zero, so that the counts and the sign of the determinant hold for A + shift·I itself.

    Examples
    --------
    >>> import numpy, orthant
    >>> factor = orthant.ldlt(numpy.diag([1.0, -4.0]))
    >>> factor.inertia(), factor.logdet()[0]
    ((1, 1, 0), -1.0)
    """

    def inertia(self) -> tuple[int, int, int]:
        """Returns how many eigenvalues of A + shift·I are positive, negative and zero.
        """
        found = self.report["inertia"]
        return found["positive"], found["negative"], found["zero"]

    def logdet(self) -> tuple[float, float]:
        """Returns the sign of the determinant of A + shift·I and the logarithm of its absolute value, as numpy.linalg.slogdet does.
        """
        return float(self.report["sign"]), super().logdet()

    def __repr__(self):
        return f"<orthant.LDLT of order {self.shape[0]}, {self.report['factor_entries']} entries>"


def laplacian_solver(A: Any, tol: float = 0, *, preconditioner: str = "auto", splits: int = 2, iterations: int = 1000, progress: Progress = None, **running: Any) -> LaplacianSolver:
    """Prepares to solve A x = b for a symmetric diagonally dominant A, such as the Laplacian of a graph, without an exact factor.

    By conjugate gradients, preconditioned by the diagonal, if a trial shows that this is enough, and otherwise by an approximate Cholesky factor with sampled
    cliques. Graphs whose exact factor fills, such as social networks, take time and memory in proportion to their edges.

    Parameters
    ----------
    A : sparse matrix or array of SciPy, or array, n × n
        Symmetric. No entry of the diagonal is smaller than the sum of the sizes of the other entries of its row. Positive entries off the diagonal are allowed.
    tol : float
        Tolerance of ‖b − Ax‖ over ‖b‖, 1e-15 to 0.1; 0 means 1e-8.
    preconditioner : "auto", "diagonal" or "approximate cholesky"
    splits : int, 1 to 16
        Copies of each edge when cliques are sampled. More give a larger factor and fewer iterations.
    iterations : int
        Most iterations of a solution.
    progress : callable(phase, share) or bool
    **running
        ``seed``, ``threads``, ``backend`` and ``memory``, as in :func:`embed`.

    Returns
    -------
    LaplacianSolver

    Raises
    ------
    ValueError
        If A is not symmetric, not finite or not diagonally dominant; the text has the place.

    Examples
    --------
    >>> import numpy, scipy.sparse, orthant
    >>> path = scipy.sparse.csr_matrix(scipy.sparse.diags([[1, 2, 2, 1], [-1] * 3, [-1] * 3], [0, 1, -1], dtype=float))  # a Laplacian
    >>> solver = orthant.laplacian_solver(path)
    >>> solver.solve(numpy.array([1.0, 0, 0, -1])).round(6)
    array([ 1.5,  0.5, -0.5, -1.5])
    >>> solver.residual < 1e-8
    True
    """
    given = _Given(FactorProblem)
    given.matrix(A)

    def start(lib, text, problem, options, handle, error):
        return lib.orthant_laplacian_of(text, problem, options, handle, error)

    settings = {"tolerance": real(tol, "tol") or None, "preconditioner": preconditioner, "splits": whole(splits, "splits"), "iterations": whole(iterations, "iterations")}
    return LaplacianSolver(_solve(start, given, {**settings, **running}, progress))


class LaplacianSolver:
    """A solver of systems with one matrix, as :func:`laplacian_solver` makes it. Several threads may use one.

    ``report["plan"]`` has the preconditioner that was chosen, the reason, and the components of the graph. ``iterations`` and ``residual`` are of the
    last solution: the iterations of the column that took most, and the largest ‖b − Ax‖ over ‖b‖, measured with A.

    Examples
    --------
    >>> import numpy, orthant
    >>> solver = orthant.laplacian_solver(numpy.array([[2.0, -1.0], [-1.0, 2.0]]))
    >>> solver.shape, solver.solve(numpy.array([3.0, 0.0])).round(6)
    ((2, 2), array([2., 1.]))
    """

    # The number of right-hand sides passed to the library at a time: between two calls Python handles Ctrl-C.
    _SIDES = 8

    def __init__(self, result: Any) -> None:
        self._result, self.report = result, result.report
        self.iterations, self.residual = 0, 0.0

    @property
    def shape(self) -> tuple[int, int]:
        """(n, n).
        """
        return self.report["rows"], self.report["columns"]

    def solve(self, b: Any) -> np.ndarray:
        """Returns the solution of A x = b, of the shape of b, (n,) or (n, c), as float64.

        On a component of the graph on which A is singular, the solution has the mean zero. A right-hand side that has another mean there raises
        ValueError, which names the component, and so does a residual above the tolerance.
        """
        if _sparse.is_sparse(b):
            raise ValueError("b is sparse, but solutions are not; give b.toarray(), some columns at a time")
        b = _arrays.reals(b, "b")
        if b.ndim not in (1, 2) or b.shape[0] != self.shape[0]:
            raise ValueError(f"b is of type {b.dtype} and of shape {b.shape}; give real numbers, ({self.shape[0]},) or ({self.shape[0]}, c)")
        x = np.array(b.reshape(len(b), -1), dtype=np.float64, order="C")
        lib, error = library(), Room()
        most, worst, iterations, residual = 0, 0.0, c_int64(), c_double()
        for lo in range(0, x.shape[1], self._SIDES):
            part = np.ascontiguousarray(x[:, lo : lo + self._SIDES])
            raise_for(lib.orthant_solve_measured(self._result._handle, _arrays._matrix(part), byref(iterations), byref(residual), error.text), error)
            x[:, lo : lo + self._SIDES] = part
            most, worst = max(most, iterations.value), max(worst, residual.value)
        self.iterations, self.residual = most, worst
        return x.reshape(b.shape)

    def __reduce__(self):
        raise TypeError("an orthant.LaplacianSolver cannot be pickled or copied: it is held by the library; prepare the matrix anew")

    def __repr__(self):
        return f"<orthant.LaplacianSolver of order {self.shape[0]}, {self.report['plan']['preconditioner']}>"


def shortest_paths(graph: Any, sources: Any = None, *, progress: Progress = None, **running: Any) -> np.ndarray:
    """Finds the lengths of the shortest paths of an undirected graph from sources, or from all vertices, to all vertices.

    O(s·n) and an elimination for graphs of low dimension, otherwise O(s·nnz·log n); 8·s·n bytes.

    Parameters
    ----------
    graph : sparse matrix of SciPy (CSR without a copy), n × n, or the (indices, distances) of :func:`neighbors`
        Stored entries are the lengths of edges, ≥ 0; a stored zero is an edge of length zero. If both directions of an edge are stored, the shorter one is used.
    sources : (s,) whole numbers
        Vertices; None: all.
    progress : callable(phase, share) or bool
    **running
        ``seed``, ``threads``, ``backend`` and ``memory``, as in :func:`embed`.

    Returns
    -------
    lengths : (s, n) float64
        Infinite where there is no path.

    Examples
    --------
    >>> import numpy, scipy.sparse, orthant
    >>> path = scipy.sparse.csr_matrix(scipy.sparse.diags([[1, 2, 2, 1], [-1] * 3, [-1] * 3], [0, 1, -1], dtype=float))  # a Laplacian
    >>> orthant.shortest_paths(abs(path), [0])
    array([[0., 1., 2., 3.]])
    """
    given = _Given(PathsProblem)
    given.graph(graph)
    if sources is not None:
        sources = np.atleast_1d(_arrays.integers(sources, "sources", None))
        if sources.ndim != 1 or len(sources) == 0 or sources.dtype.kind == "b":
            raise ValueError(f"sources are of shape {sources.shape}; give at least one whole number, the vertices to begin at")
        given.held.append(sources)
        given.problem.sources, given.problem.sources_count = sources.ctypes.data, len(sources)

    def start(lib, text, problem, options, handle, error):
        return lib.orthant_shortest_paths_of(text, problem, options, handle, error)

    return _solve(start, given, running, progress).array("lengths")


def connected_components(graph: Any, **running: Any) -> tuple[int, np.ndarray]:
    """Labels the connected components of a graph. O(nnz).

    Parameters
    ----------
    graph : as in :func:`shortest_paths`
        i and j are joined if (i, j) or (j, i) is stored, whatever its value.
    **running
        ``threads`` and ``memory``, as in :func:`embed`.

    Returns
    -------
    (count, labels) : int, and (n,) int64 from 0 in the order of the first vertices

    Examples
    --------
    >>> import numpy, scipy.sparse, orthant
    >>> path = scipy.sparse.csr_matrix(scipy.sparse.diags([[1, 2, 2, 1], [-1] * 3, [-1] * 3], [0, 1, -1], dtype=float))  # a Laplacian
    >>> orthant.connected_components(path)
    (1, array([0, 0, 0, 0]))
    """
    given = _Given(GraphProblem)
    given.graph(graph)

    def start(lib, text, problem, options, handle, error):
        return lib.orthant_connected_components_of(text, problem, options, handle, error)

    found = _solve(start, given, running)
    return int(found.number("components")), found.array("labels")


def spectral_init(graph: Any, dim: int = 2, components: str = "each", scale: str = "none", *, progress: Progress = None, **running: Any) -> np.ndarray:
    """Computes a start for UMAP and t-SNE (``init=array``) from a weighted graph.

    Parameters
    ----------
    graph : sparse matrix or array of SciPy, n × n (CSR without a copy)
        Symmetric weights ≥ 0: UMAP's fuzzy graph, or the affinities of t-SNE. Zeros are not edges, and the diagonal is ignored.
    dim : int, 1 to n − 1
    components : "each", "error" or "joint"
        For a disconnected graph: embed each component separately and place them, up to 2·dim components on the axes and more on
        a grid; raise an error; or solve all as one problem, whose first columns only separate the components.
    scale : "none", "umap" or "tsne"
        Unit columns (for a connected graph); the largest absolute coordinate is 10; or the standard deviation of the first column is 1e-4.
    seed, threads, backend, memory : how to run, as in :func:`embed`

    Returns
    -------
    (n, dim) float64: eigenvectors of I − D^−½WD^−½ with the smallest positive eigenvalues; in each, the entry with the largest absolute value is positive.

    It takes the time of a sparse factorisation and tens of solves for each component. docs/solvers.md has recipes for umap-learn,
    openTSNE and cuML.

    Examples
    --------
    >>> import numpy, scipy.sparse, orthant
    >>> ring = scipy.sparse.csr_matrix(numpy.roll(numpy.eye(12), 1, axis=1) + numpy.roll(numpy.eye(12), -1, axis=1))
    >>> orthant.spectral_init(ring).shape
    (12, 2)
    """
    given, count = _Given(GraphProblem), whole(dim, "dim")
    if not _sparse.is_sparse(graph):
        raise ValueError(f"the graph is {type(graph).__name__}; give a sparse matrix of weights, such as scipy.sparse.csr_array(graph)")
    given.graph(graph)

    def start(lib, text, problem, options, handle, error):
        return lib.orthant_spectral_init_of(count, text, problem, options, handle, error)

    return _solve(start, given, {"components": components, "scale": scale, **running}, progress).array("embedding")
