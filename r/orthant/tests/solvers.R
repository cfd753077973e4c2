# Solvers, against eigen and svd, and closed forms.
library(orthant)

set.seed(3)
A <- crossprod(matrix(rnorm(900), 30))
all <- eigen(A, symmetric = TRUE)
least <- eigsh(A, 4)
most <- eigsh(A, 4, which = "largest")
stopifnot(
    all.equal(least$values, rev(all$values)[1:4]), all.equal(most$values, all$values[1:4]),
    max(abs(A %*% least$vectors - least$vectors %*% diag(least$values))) < 1e-9 * all$values[1],
    all.equal(least$next_value, rev(all$values)[5]), all(least$residuals < 1e-12))

# Of a pencil: M a diagonal, and in full.
m <- runif(30, 1, 2)
pencil <- eigsh(A, 3, M = m)
direct <- rev(eigen(A / sqrt(outer(m, m)), symmetric = TRUE)$values)[1:3]
stopifnot(
    all.equal(pencil$values, direct), all.equal(eigsh(A, 3, M = diag(m))$values, direct),
    max(abs(crossprod(pencil$vectors, m * pencil$vectors) - diag(3))) < 1e-10)

for (B in list(matrix(rnorm(600), 40), matrix(rnorm(600), 15))) {
    s <- svds(B, 3)
    stopifnot(
        all.equal(s$d, svd(B)$d[1:3]), all.equal(B %*% s$v, s$u %*% diag(s$d)),
        all(apply(s$v, 2, function(v) v[which.max(abs(v))]) > 0), all.equal(s$next_value, svd(B)$d[4]))
}

# Inside the spectrum: nearest to a number, in an interval, and with the count that none was missed.
middle <- (all$values[10] + all$values[11]) / 2
near <- eigsh(A, 4, sigma = middle)
stopifnot(all.equal(near$values, sort(all$values[order(abs(all$values - middle))[1:4]])))
inside <- eigsh(A, interval = c(middle, all$values[5] * 1.0001))
stopifnot(all.equal(inside$values, rev(all$values[5:10])))
proof <- eigsh(A, 4, certified = TRUE)$report$certificate
stopifnot(proof$below == 4, proof$known == 4, proof$shift > least$values[4])
for (wrong in list(quote(eigsh(A)), quote(eigsh(A, 2, M = m, which = "largest")), quote(eigsh(A, interval = 1)), quote(eigsh(A, interval = c(2, 1))), quote(ldlt(A + outer(1:30, rep(1, 30))))))
    stopifnot(inherits(tryCatch(eval(wrong), error = identity), "error"))

# A factor of an indefinite matrix: signs, determinant, solutions.
f <- ldlt(A, shift = -middle)
shifted <- A - middle * diag(30)
b <- matrix(rnorm(90), 30)
invisible(gc())
stopifnot(
    identical(unname(f$inertia), c(10, 20, 0)), f$sign == 1, all.equal(f$log_det, as.numeric(determinant(shifted)$modulus)),
    all.equal(solve(f, b), solve(shifted, b)), all.equal(solve(f, b[, 1]), solve(shifted, b[, 1])), all.equal(solve(f), solve(shifted)),
    inherits(tryCatch(solve(f, 1:3), error = identity), "orthant_error"))

if (requireNamespace("Matrix", quietly = TRUE)) {
    n <- 2000
    path <- Matrix::bandSparse(n, k = 0:1, diagonals = list(c(1, rep(2, n - 2), 1), rep(-1, n - 1)), symmetric = TRUE)
    exact <- 2 - 2 * cos(1:3 * pi / n)
    e <- eigsh(path, 3, null = rep(1, n))
    stopifnot(max(abs(e$values / exact - 1)) < 1e-7, abs(e$next_value / (2 - 2 * cos(4 * pi / n)) - 1) < 1e-7)
    general <- as(path, "generalMatrix")
    stopifnot(identical(eigsh(general, 3, null = rep(1, n))$vectors, e$vectors))
    B <- Matrix::rsparsematrix(80, 50, 0.2)
    stopifnot(all.equal(svds(B, 3)$d, svd(as.matrix(B))$d[1:3]))
}
