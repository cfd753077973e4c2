"""The solvers: eigenpairs, singular triplets, factorisations, and paths through graphs.

Their inputs are matrices instead of samples; scipy.sparse is not loaded here.
"""

from __future__ import annotations

from ctypes import byref, c_double, c_int64
from typing import Any

import numpy as np

from . import _arrays, _hermitian, _sparse
from ._library import EigshProblem, FactorProblem, GraphProblem, LargestProblem, PathsProblem, Replaced, Room, SvdsProblem, library, raise_for
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
    A: Any, k: int | None = None, M: Any = None, sigma: float | None = None, null: Any = None, X0: Any = None, tol: float = 0, return_residuals: bool = False, *, which: str | None = None, v0: Any = None, interval: tuple[float, float] | None = None, certified: bool = False, progress: Progress = None, **running: Any
) -> Pairs:
    """Finds eigenpairs of A x = λ M x, A symmetric: the k smallest above sigma, the k nearest to a sigma inside the spectrum, or all of an interval.

    Parameters
    ----------
    A : sparse matrix or array of SciPy (CSR without a copy), array, or operator, n × n
        Symmetric, or complex and Hermitian. No eigenvalue lies below sigma if A − σM is positive definite or semidefinite; sigma = 0 is right for every
        positive semidefinite A (Laplacians, alignment matrices, stiffness matrices). An operator, a
        ``scipy.sparse.linalg.LinearOperator`` or any object that has a ``shape`` and takes n × b blocks by ``matmat`` or by a
        call, is only used by its products. That is slow if the wanted eigenvalues are tiny compared with the largest.
    k : int, 1 to n − 1; None with an interval
    M : sparse, n × n, or array: its diagonal (n,) or all of it (n, n); None is the identity
        Symmetric positive definite. Rows and columns of zeros are allowed if A is a matrix: each is an infinite eigenvalue, which is left
        out; ``report["infinite_eigenvalues"]`` counts them.
    sigma : float
        A bound below which no eigenvalue lies (the closer, the faster), or a number inside the spectrum, for the pairs nearest to it. If it
        is an eigenvalue, it is moved; ``report["plan"]["reason"]`` says by how much. None means 0.
    which : "SM", "LM", "LA", "SA", "BE" or None
        As in ``scipy.sparse.linalg.eigsh``, without M: the largest in size, the largest, the smallest, or half of k from each end, by products with A
        alone, as :func:`largest` does. "SM", the nearest to zero, is the default; "LM" with a sigma means the pairs nearest to it.
    v0 : array (n,)
        Another name for X0, of one vector. "LA", "SA", "LM" and "BE" begin with drawn vectors, whatever it is.
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
    (values, vectors) : (k,) ascending, and (n, k), M-orthonormal; complex if A or M is
        with the attributes ``values``, ``vectors``, ``residuals`` (‖Ax − λMx‖ over (|A| + |λ||M|)‖x‖, measured), ``errors`` (an estimate of how far each eigenvalue may
        be off, rounding of the entries of A and M included), ``digits`` (of each eigenvalue, those that are sure), ``next`` (the first eigenvalue beyond those asked for) and ``report``. An interval without
        eigenvalues gives none. If the rows of A and M differ by many orders of magnitude, for example by penalties on the diagonal, the pair is
        equilibrated first, and the residuals refer to the equilibrated pair. A warning names the eigenvalues that have fewer than three certain digits.

    A sparse A is factorised once, with the time and memory of its Cholesky factor: O(n log n) entries on planar graphs, O(n^4/3) in space.
    A complex A is solved as a real matrix of order 2n, whose eigenvalues are those of A, each twice.
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
    if v0 is not None:
        if X0 is not None:
            raise ValueError("eigsh: v0 is another name for X0; give one of them")
        X0 = v0
    if which is not None:
        if which not in ("SM", "LM", "LA", "SA", "BE"):
            raise ValueError(f"which is {which!r}; give 'SM', 'LM', 'LA', 'SA' or 'BE'")
        if interval is not None:
            raise ValueError("eigsh: an interval stands in place of which; leave it out")
        if sigma is not None and which not in (("SM", "LM") if sigma == 0 else ("LM",)):
            raise ValueError(f"eigsh: which={which!r} with a sigma asks for pairs far from it; leave sigma out, or take 'LM', the pairs nearest to it")
        if sigma is None and which != "SM":
            return _ends(A, k, which, {"M": M, "null": null, "certified": certified or None, "tol": tol or None}, return_residuals, progress, running)
    if _hermitian.is_complex(A) or M is not None and _hermitian.is_complex(M):
        if certified:
            raise ValueError("eigsh: the pairs of a complex matrix are not counted; leave certified out, or give the real matrix of order 2n, [[B, -C], [C, B]] of B + iC")
        doubled = {name: None if x is None else _hermitian.twice(x) for name, x in (("null", null), ("X0", X0))}
        found = eigsh(
            _hermitian.real(A if _hermitian.is_complex(A) else A * (1 + 0j)), None if k is None else 2 * whole(k, "k"), None if M is None else _hermitian.mass(M), sigma, doubled["null"], doubled["X0"], tol, interval=interval, progress=progress, **running
        )
        return _complex_pairs(found, A, M, return_residuals)
    sigma = 0 if sigma is None else sigma
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


def _complex_pairs(found, A, M, return_residuals):
    """Returns the complex pairs of the real ones, each of which is there twice."""
    values, vectors = _hermitian.merged(*found, A, M)
    residuals = _hermitian.residuals(A, M, values, vectors)
    report = {**found.report, "rows": len(vectors), "columns": len(vectors), "residuals": residuals.tolist()}
    made = Pairs([values, vectors] + [residuals] * bool(return_residuals), residuals, found.next, report, found.errors.reshape(-1, 2).max(1, initial=0))
    report["digits"] = made.digits.tolist()
    return made


# The order up to which all pairs are found at once, by the dense solver.
_SMALL = 200


def _ends(A, k, which, refused, return_residuals, progress, running):
    """Finds pairs at the ends of the spectrum by products with A: the k largest of A, of −A, or of both."""
    for name, value in refused.items():
        if value is not None:
            raise ValueError(f"eigsh: {name} is given, which which={which!r}, by products with A alone, does not take; leave it out, or give a sigma near the wanted eigenvalues")
    if k is None:
        raise ValueError("eigsh: k is missing: the number of pairs, or give interval=(low, high)")
    k = whole(k, "k")
    high = {"LA": k, "SA": 0, "LM": k, "BE": k - k // 2}[which]
    low = {"LA": 0, "SA": k, "LM": k, "BE": k // 2}[which]
    order = min(getattr(A, "shape", None) or (len(A),))
    if high and low and k <= order <= _SMALL:
        up = largest(A, order, progress=progress, **running)
        down = Pairs([-up[0][::-1], up[1][:, ::-1]], up.residuals[::-1], np.nan, up.report, up.errors[::-1])
    else:  # from other starts, so that an eigenvalue at both ends has other vectors
        up = largest(A, high, progress=progress, **running) if high else None
        down = largest(_negative(A), low, progress=progress, **{**running, "seed": (running.get("seed") or 1) + 1}) if low else None
    if which == "LM":  # by size, from both ends; of equal ones the positive first
        high = low = 0
        near = 1e-9 * max(abs(up[0][0]), abs(down[0][0]))
        while high + low < k:
            if up[0][high] >= down[0][low] - near:
                high += 1
            else:
                low += 1
    columns = [[], [], [], []]
    if low:
        for to, part in zip(columns, (-down[0], down[1], down.residuals, down.errors)):
            to.append(part[..., :low])
    if high:
        for to, part in zip(columns, (up[0], up[1], up.residuals, up.errors)):
            to.append(part[..., :high][..., ::-1])
    values, vectors, residuals, errors = (np.concatenate(parts, axis=-1) for parts in columns)
    if low and high and values[low] - values[low - 1] <= 1e-8 * np.abs(values).max():
        q = vectors[:, low:]
        rest = vectors[:, :low] - q @ (q.conj().T @ vectors[:, :low])
        if np.linalg.norm(rest, axis=0).min() < 1e-3:
            raise ValueError(f"eigsh: both ends of the spectrum have the eigenvalue {values[low]:g}; take which='LA'")
        vectors = np.hstack([np.linalg.qr(rest)[0], q])
    beyond = np.nan
    if which in ("LA", "SA"):
        beyond = up.next if high else -down.next
    report = {**(up or down).report, "residuals": residuals.tolist(), "converged": all(found is None or found.report["converged"] for found in (up, down))}
    made = Pairs([values, vectors] + [residuals] * bool(return_residuals), residuals, beyond, report, errors)
    report["digits"] = made.digits.tolist()
    return made


def _negative(a):
    """Returns −A, of an operator by its products."""
    multiply = _hermitian.product(a)
    if multiply is not None:
        return type("Negative", (), {"shape": getattr(a, "shape", None), "dtype": getattr(a, "dtype", None), "matmat": staticmethod(lambda x: -np.asarray(multiply(x)))})()
    return -1.0 * (a if _sparse.is_sparse(a) else np.asarray(a))


def largest(A: Any, k: int, return_residuals: bool = False, *, progress: Progress = None, **running: Any) -> Pairs:
    """Finds the k eigenpairs with the largest (most positive) eigenvalues of a symmetric or Hermitian A, which may be indefinite.

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
    if _hermitian.is_complex(A):
        return _complex_pairs(largest(_hermitian.real(A), 2 * whole(k, "k"), progress=progress, **running), A, None, return_residuals)
    given, count = _Given(LargestProblem), whole(k, "k")
    given.matrix(A)

    def start(lib, text, problem, options, handle, error):
        return lib.orthant_largest_of(count, text, problem, options, handle, error)

    found = _solve(start, given, running, progress)
    return _pairs(found, [found.array("eigenvalues"), found.array("vectors")], "next_eigenvalue", return_residuals)


def svds(A: Any, k: int, return_residuals: bool = False, *, which: str = "LM", progress: Progress = None, **running: Any) -> Triplets:
    """Finds the k largest singular triplets of any A.

    In each row of vt the entry with the largest absolute value is positive. Nothing is centred. Block Lanczos bidiagonalisation from a random
    start: a few tens of products with A and with its transpose, never AᵀA.

    Parameters
    ----------
    A : sparse matrix or array of SciPy, array, or operator with matmat and rmatmat, n × m
    k : int, 1 to min(n, m)
    return_residuals : bool
        Appends the residuals as a fourth item.
    which : "LM"
        As in ``scipy.sparse.linalg.svds``; the smallest triplets, "SM", are an error.
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
    if which != "LM":
        raise ValueError(f"svds: which is {which!r}, and only the largest triplets, 'LM', are found; the smallest of a sparse A are the eigenpairs nearest to zero of [[0, A], [A.T, 0]], by eigsh")
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

    def solve(self, b: Any, out: np.ndarray | None = None) -> np.ndarray:
        """Returns the solution of (A + shift·I) x = b, of the shape of b, (n,) or (n, c), as float64.

        It takes one pass over the factor for every eight columns. With out, a float64 array of that shape whose rows are contiguous, the solution is
        written there; out may be b itself, which is then solved in place.
        """
        return _columns(self, b, out, lambda lib, part, error: lib.orthant_solve(self._result._handle, part, error))

    def apply(self, parts: str, b: Any, out: np.ndarray | None = None) -> np.ndarray:
        """Returns the product of parts of the factor with b, (n,) or (n, c), as float64; out is as in :meth:`solve`.

        The parts are "P", "P^T", "L", "L^T", "L^-1", "L^-T" of P (A + shift·I) Pᵀ = L Lᵀ, separated by spaces and written as in a formula: the last comes
        first. Of an :class:`LDLT`, P (A + shift·I) Pᵀ = L D Lᵀ with ones on the diagonal of L, there are also "D" and "D^-1". For standard normal z,
        ``apply("P^T L", z)`` has the covariance A + shift·I, and ``apply("P^T L^-T", z)`` its inverse; ``apply("L^-1 P", x)`` and ``apply("L^T P", x)`` make
        these white again.

        Examples
        --------
        >>> import numpy, orthant
        >>> factor = orthant.cholesky(numpy.array([[4.0, 2.0], [2.0, 5.0]]))
        >>> root = factor.apply("P^T L", numpy.eye(2))
        >>> numpy.round(root @ root.T, 12)
        array([[4., 2.],
               [2., 5.]])
        """
        text = _arrays._text(parts, "parts")
        return _columns(self, b, out, lambda lib, part, error: lib.orthant_apply(self._result._handle, text, part, error))

    def apply_P(self, b: Any) -> np.ndarray:
        """Returns P b, the rows of b in the order of elimination, ``b[self.P()]``.
        """
        return self.apply("P", b)

    def apply_Pt(self, b: Any) -> np.ndarray:
        """Returns Pᵀ b, the inverse of :meth:`apply_P`.
        """
        return self.apply("P^T", b)

    def solve_L(self, b: Any) -> np.ndarray:
        """Returns the solution of L x = b, both in the order of elimination.
        """
        return self.apply("L^-1", b)

    def solve_Lt(self, b: Any) -> np.ndarray:
        """Returns the solution of Lᵀ x = b, both in the order of elimination.
        """
        return self.apply("L^-T", b)

    def P(self) -> np.ndarray:
        """Returns the order of elimination, (n,) int64: row k of L is row P()[k] of A.
        """
        return self._parts().array("order")[:, 0]

    def L(self) -> Any:
        """Returns L as a matrix of SciPy in compressed rows, rows and columns in the order of elimination.
        """
        return self._compressed(self._parts(), "l_")

    def _parts(self):
        return self._task("orthant_parts_of")

    def _task(self, name, *problem, **parameters):
        def start(lib, text, _, options, handle, error):
            return getattr(lib, name)(self._result._handle, text, *problem, options, handle, error)

        return _solve(start, _Given(FactorProblem), {**parameters, **self._running})

    def _compressed(self, found, prefix):
        from scipy.sparse import csr_matrix

        return csr_matrix(tuple(found.array(prefix + name)[:, 0] for name in ("data", "indices", "indptr")), shape=self.shape)

    def inverse_diagonal(self) -> np.ndarray:
        """Returns the diagonal of (A + shift·I)⁻¹, (n,), without its columns: by Takahashi's recurrence on the factor.

        It takes as much memory as the factor, and less than ten times its time.

        Examples
        --------
        >>> import numpy, orthant
        >>> orthant.cholesky(numpy.array([[4.0, 2.0], [2.0, 5.0]])).inverse_diagonal()
        array([0.3125, 0.25  ])
        """
        return self._task("orthant_inverse_of", None).array("diagonal")[:, 0]

    def inverse_entries(self, pattern: Any = None) -> Any:
        """Returns the entries of (A + shift·I)⁻¹ where a sparse pattern has entries, as a matrix of SciPy in compressed rows.

        The values of the pattern are not read; its places have to be places of A or of L. None means all places of L and Lᵀ. Time and memory are as in
        :meth:`inverse_diagonal`.
        """
        if pattern is None:
            return self._compressed(self._task("orthant_inverse_of", None, entries="factor"), "")
        structure, held = _sparse.csr(pattern, "the pattern")
        found = self._task("orthant_inverse_of", structure)
        del held  # it was read until now
        return self._compressed(found, "")

    def logdet(self) -> float:
        """Returns the logarithm of the determinant of A + shift·I.
        """
        return self.slogdet()[1]

    def slogdet(self) -> tuple[float, float]:
        """Returns the sign of the determinant of A + shift·I and the logarithm of its absolute value, as numpy.linalg.slogdet does.
        """
        sign, logarithm, error = c_double(), c_double(), Room()
        raise_for(library().orthant_slogdet(self._result._handle, byref(sign), byref(logarithm), error.text), error)
        return sign.value, logarithm.value

    def update(self, W: Any, subtract: bool = False) -> None:
        """Turns the factor of A + shift·I into that of A + shift·I + W Wᵀ, or, with subtract, − W Wᵀ, for W (n,) or (n, k), sparse or full.

        Rank-one updates along paths of the elimination tree (Davis and Hager 1999). If a column of W joins rows that L does not join (ValueError), or
        the difference is not positive definite (LinAlgError), the factor stays as it was.

        Examples
        --------
        >>> import numpy, orthant
        >>> factor = orthant.cholesky(numpy.array([[4.0, 2.0], [2.0, 5.0]]))
        >>> factor.update(numpy.array([1.0, 0.0]))
        >>> round(numpy.exp(factor.logdet()), 12)  # of [[5, 2], [2, 5]]
        21.0
        """
        given = _Given(FactorProblem)
        if not _sparse.is_sparse(W):
            W = _arrays.reals(W, "W")
            W = W[:, None] if W.ndim == 1 else W
        given.matrix(W, "W")

        def start(lib, text, problem, options, handle, error):
            return lib.orthant_update_rank_of(self._result._handle, text, problem, options, handle, error)

        _solve(start, given, {"subtract": bool(subtract), **self._running})

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
        """Returns what :meth:`Cholesky.slogdet` does: the sign of the determinant and the logarithm of its absolute value.
        """
        return self.slogdet()

    def D(self) -> Any:
        """Returns D, blocks of one and of two rows, as a matrix of SciPy in compressed rows; L has ones on its diagonal.
        """
        return self._compressed(self._parts(), "d_")

    def solve_D(self, b: Any) -> np.ndarray:
        """Returns the solution of D x = b, both in the order of elimination.
        """
        return self.apply("D^-1", b)

    def update(self, W: Any, subtract: bool = False) -> None:
        """Raises ValueError: only a factor of :func:`cholesky` is updated. :meth:`update_values` takes the sum.
        """
        super().update(W, subtract)

    def __repr__(self):
        return f"<orthant.LDLT of order {self.shape[0]}, {self.report['factor_entries']} entries>"


def _columns(factor, b, out, do):
    """Calls do for some columns of a copy of b at a time, or of out, and returns what they have become."""
    if _sparse.is_sparse(b):
        raise ValueError("b is sparse, but solutions are not; give b.toarray(), some columns at a time")
    n, given = factor.shape[0], b
    b = _arrays.reals(b, "b")
    if b.ndim not in (1, 2) or b.shape[0] != n:
        raise ValueError(f"b is of type {b.dtype} and of shape {b.shape}; give real numbers, ({n},) or ({n}, c)")
    if out is None:
        x = np.array(b.reshape(n, -1), dtype=np.float64, order="C")
    else:
        if not (isinstance(out, np.ndarray) and out.dtype == np.float64 and out.shape == b.shape and out.flags.writeable and out.flags.c_contiguous):
            raise ValueError(f"out is {type(out).__name__}; give a writable array of float64 in C order, of the shape of b, {b.shape}")
        if out is not given:
            out[...] = b
        x = out.reshape(n, -1)
    lib, error = library(), Room()
    for lo in range(0, x.shape[1], factor._SIDES):
        part = x[:, lo : lo + factor._SIDES]
        raise_for(do(lib, _arrays._matrix(part, Replaced), error.text), error)
    return x.reshape(b.shape) if out is None else out


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
        most, worst, iterations, residual = 0, 0.0, c_int64(), c_double()

        def solve(lib, part, error):
            nonlocal most, worst
            status = lib.orthant_solve_measured(self._result._handle, part, byref(iterations), byref(residual), error)
            most, worst = max(most, iterations.value), max(worst, residual.value)
            return status

        x = _columns(self, b, None, solve)
        self.iterations, self.residual = most, worst
        return x

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
