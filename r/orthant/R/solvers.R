# The solvers, on matrices in place of samples.

# A symmetric matrix, dense or sparse: its columns are its rows, so that it is read where it lies.
symmetric <- function(A) {
    if (is_sparse(A)) list(a = compressed(A, "A", TRUE))
    else list(dense = dense(A, "A", TRUE))
}

pairs_of <- function(handle) {
    found <- arrays_of(handle, c("eigenvalues", "vectors", "residuals"))
    list(values = found$eigenvalues, vectors = found$vectors, residuals = found$residuals, next_value = .Call(C_number, handle, "next_eigenvalue"))
}

eigsh <- function(A, k = 1, M = NULL, sigma = NULL, null = NULL, start = NULL, tolerance = NULL, ..., interval = NULL,
                  certified = NULL, which = c("smallest", "largest"), progress = NULL) {
    which <- match.arg(which)
    if (which == "largest" && !(is.null(M) && is.null(null) && is.null(start))) fail("the largest pairs are found without M, null and start; leave them out")
    inputs <- symmetric(A)
    if (is_sparse(M)) inputs$m <- compressed(M, "M", TRUE)
    else if (!is.null(M)) inputs$m_dense <- dense(M, "M", !is.null(dim(M)))
    if (!is.null(null)) inputs$null <- dense(null, "null")
    if (!is.null(start)) inputs$start_vectors <- dense(start, "start")
    if (!is.null(interval) && (!is.numeric(interval) || length(interval) != 2)) fail("interval is not a pair of numbers; give c(low, high)")
    if (!is.null(interval) && !missing(k)) fail("an interval stands in place of k; give one of them")
    if (is.null(interval) && missing(k)) fail("k is missing: say how many pairs, or give an interval")
    parameters <- c(list(sigma = sigma, tolerance = tolerance, low = interval[1], high = interval[2], certified = certified), list(...))
    run(if (which == "largest") "largest" else "eigsh", NULL, whole(k, "k"), parameters, inputs, progress, pairs_of)
}

# The library is given the transpose, which is how R stores A, and its triplets are exchanged. The largest
# entry of each right vector is made positive, as the library does.
svds <- function(A, k, ..., progress = NULL) {
    inputs <- if (is_sparse(A)) list(a = compressed(A, "A", TRUE)) else list(dense = dense(A, "A", TRUE))
    run("svds", NULL, whole(k, "k"), list(...), inputs, progress, function(handle) {
        found <- arrays_of(handle, c("singular_values", "u", "v", "residuals"))
        turned <- apply(found$u, 2, function(v) sign(v[which.max(abs(v))]))
        list(d = found$singular_values, u = sweep(found$v, 2, turned, "*"), v = sweep(found$u, 2, turned, "*"),
             residuals = found$residuals, next_value = .Call(C_number, handle, "next_singular_value"))
    })
}
