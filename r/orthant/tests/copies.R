# What is read where it lies takes no memory of R's; what is turned takes one copy.
library(orthant)

# The most that R's heap holds while expr is evaluated beyond what it held before, in MB.
taken <- function(expr) {
    before <- gc(reset = TRUE)[2, 2]
    force(expr)
    gc()[2, 6] - before
}

set.seed(7)
x <- matrix(rnorm(2e6), 4000) # 4000 x 500, 15.3 MB
size <- 15.3
invisible(embed(x[1:50, ], "pca"))
turned <- t(x)
stopifnot(
    taken(embed(turned, "pca", samples = "columns")) < 4,
    taken(embed(x, "pca")) > size - 1, taken(embed(x, "pca")) < size + 4,
    taken(svds(x, 2)) < 4)
A <- crossprod(x[, 1:500]) + diag(500)
A <- rbind(cbind(A, 0 * A), cbind(0 * A, A)) # 1000 x 1000, 7.6 MB
stopifnot(taken(eigsh(A, 2, which = "largest")) < 2)

if (requireNamespace("Matrix", quietly = TRUE)) {
    s <- Matrix::rsparsematrix(2000, 5000, 0.1) # 1e6 entries, 11.5 MB
    stopifnot(
        taken(embed(s, "pca", samples = "columns")) < 4,
        taken(svds(s, 2)) < 4)
}
