"""Complex matrices as real ones of twice the order: B + iC is [[B, −C], [C, B]], of which every eigenvalue is there twice."""

from __future__ import annotations

import numpy as np

from . import _sparse

# Eigenvalues nearer to each other than this share of the largest are taken together when their vectors are merged.
NEAR = 1e-8


def is_complex(a):
    """Says whether a matrix, an array or an operator has complex entries."""
    kind = getattr(a, "dtype", None)
    if isinstance(a, (list, tuple)):
        return any(isinstance(v, complex) for row in a for v in (row if isinstance(row, (list, tuple)) else [row]))
    return getattr(kind, "kind", "") == "c"


def real(a, what="A"):
    """Returns the real matrix, or operator, of twice the order; a matrix that is not Hermitian is an error, which names the place."""
    if product(a) is not None:
        return _Products(a)
    if not _sparse.is_sparse(a):
        a = np.asarray(a)
        if a.ndim != 2:
            raise ValueError(f"{what} has {a.ndim} dimensions; give 2")
    if a.shape[0] != a.shape[1]:
        raise ValueError(f"{what} is {a.shape[0]} × {a.shape[1]}; give a Hermitian matrix")
    apart = abs(a - a.conj().T)
    worst = int(apart.argmax())
    i, j = divmod(worst, a.shape[1])
    if apart[i, j] > 1e-12 * abs(a).max():
        raise ValueError(f"{what} is not Hermitian: the entry in row {i}, column {j} (counting from 0) is not the conjugate of its mirror image; give (A + A.conj().T)/2 if that is meant")
    if _sparse.is_sparse(a):
        from scipy.sparse import bmat

        return bmat([[a.real, -a.imag], [a.imag, a.real]], format="csr")
    return np.block([[a.real, -a.imag], [a.imag, a.real]])


def product(a):
    """Returns the function that multiplies by an operator; None for a matrix."""
    if _sparse.is_sparse(a) or isinstance(a, np.ndarray):
        return None
    return getattr(a, "matmat", None) or (a if callable(a) else None)


class _Products:
    """The real operator of a complex one."""

    def __init__(self, a):
        self.of, self.shape, self.dtype = product(a), (2 * a.shape[0], 2 * a.shape[1]), np.dtype(np.float64)

    def matmat(self, x):
        return split(np.asarray(self.of(joined(x))))


def joined(x):
    """Returns the complex columns of which the real ones are the two halves."""
    n = len(x) // 2
    return x[:n] + 1j * x[n:]


def split(x):
    """Returns complex columns as real ones of twice the length."""
    return np.concatenate([x.real, x.imag])


def twice(vectors):
    """Returns real columns that span what the complex columns span: those of x and of ix."""
    x = np.asarray(vectors)
    x = x[:, None] if x.ndim == 1 else x
    return np.hstack([split(x + 0j), split(1j * x)])


def mass(m):
    """Returns M for both halves: the diagonal (n,), or all of it, which may be complex too."""
    if not _sparse.is_sparse(m) and np.ndim(m) == 1:
        return np.tile(m, 2)
    return real(m if is_complex(m) else m * (1 + 0j), "M")


def merged(values, vectors, a, m):
    """Returns k complex pairs of the 2k real ones, values ascending or descending: each is there twice, with vectors x and ix, or mixtures of those of equal values."""
    x, k = joined(vectors), len(values) // 2
    size = np.abs(values).max(initial=0)
    out, lo = np.empty((len(x), k), complex), 0
    for hi in range(2, 2 * k + 2, 2):
        if hi < 2 * k and abs(values[hi] - values[hi - 1]) <= NEAR * size:
            continue
        group, rank = x[:, lo:hi], (hi - lo) // 2
        weights, mixed = np.linalg.eigh(group.conj().T @ times(m, group))
        span = group @ (mixed[:, -rank:] / np.sqrt(weights[-rank:]))
        if rank > 1:
            inside, turned = np.linalg.eigh(span.conj().T @ times(a, span))
            span = span @ (turned if values[0] <= values[-1] else turned[:, ::-1])
        out[:, lo // 2 : hi // 2] = span
        lo = hi
    return (values[::2] + values[1::2]) / 2, out


def times(a, x):
    """Returns the product of a matrix, a diagonal, an operator or None (the identity) with columns."""
    if a is None:
        return x
    if _sparse.is_sparse(a):
        return a @ x
    if product(a) is not None:
        return np.asarray(product(a)(x))
    a = np.asarray(a)
    return a[:, None] * x if a.ndim == 1 else a @ x


def norm(a, values):
    """Returns the largest sum of the sizes of a row; of an operator, whose rows are not known, the largest value found."""
    if a is None:
        return 1.0
    if product(a) is not None:
        return float(np.abs(values).max(initial=0))
    a = abs(a) if _sparse.is_sparse(a) else np.abs(np.asarray(a))
    return float(a.max() if a.ndim == 1 else np.asarray(a.sum(axis=1)).max())


def residuals(a, m, values, vectors):
    """Returns ‖Ax − λMx‖ over (|A| + |λ||M|)‖x‖ of each pair."""
    left = np.linalg.norm(times(a, vectors) - times(m, vectors) * values, axis=0)
    sizes = (norm(a, values) + np.abs(values) * norm(m, values)) * np.linalg.norm(vectors, axis=0)
    return left / np.where(sizes > 0, sizes, 1)

