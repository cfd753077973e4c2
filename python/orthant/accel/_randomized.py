"""Leading singular triplets by random directions, with scikit-learn's draws: the same seed gives its triplets, which have a few correct digits."""

from scipy.linalg import lu, qr, svd


def triplets(X, count, random_state, iterations="auto", beyond=10, normalizer="auto"):
    """Returns (u, s, vt) of the count largest triplets of X within a space: X and its transpose, iterations times each, map random directions
    to it (Halko, Martinsson and Tropp, Finding structure with randomness, 2011, algorithms 4.4 and 5.1).

    random_state is a RandomState; beyond is the number of directions in addition to count. O(nnz·(count + beyond)) an iteration. The signs are arbitrary.
    """
    n, m = X.shape
    A = X.T if n < m else X
    if iterations == "auto":
        iterations = 7 if count < 0.1 * min(n, m) else 4
    if normalizer == "auto":
        normalizer = "none" if iterations <= 2 else "LU"
    Q = random_state.normal(size=(A.shape[1], count + beyond))
    if A.dtype.kind == "f":
        Q = Q.astype(A.dtype, copy=False)
    for _ in range(iterations):
        for of in (A, A.T):
            Q = of @ Q
            if normalizer == "LU":
                Q = lu(Q, permute_l=True, check_finite=False)[0]
            elif normalizer == "QR":
                Q = qr(Q, mode="economic", check_finite=False)[0]
    Q = qr(A @ Q, mode="economic", check_finite=False)[0]
    u, s, vt = svd((A.T @ Q).T, full_matrices=False, check_finite=False)
    u, s, vt = (Q @ u)[:, :count], s[:count], vt[:count]
    return (vt.T, s, u.T) if n < m else (u, s, vt)
