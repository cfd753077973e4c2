# Factorisations and clusterings, against what R says.
library(orthant)

set.seed(2)
w <- matrix(runif(120), 60, 2)
h <- matrix(runif(16), 2, 8, dimnames = list(NULL, letters[1:8]))
x <- w %*% h
f <- factorize(x, "nmf", 2, iterations = 2000, tolerance = 1e-10)
stopifnot(
    identical(dim(f$w), c(60L, 2L)), identical(dim(f$h), c(2L, 8L)), identical(colnames(f$h), letters[1:8]), all(f$w >= 0), all(f$h >= 0),
    all.equal(norm(x - f$w %*% f$h, "F") / norm(x, "F"), f$relative_error, tolerance = 1e-6), f$relative_error < 0.01)
begun <- factorize(x, "nmf", 2, start_w = f$w, start_h = f$h, iterations = 1)
stopifnot(begun$relative_error <= f$relative_error * (1 + 1e-6))

groups <- rbind(matrix(rnorm(200, 0), 100), matrix(rnorm(200, 20), 100))
k <- cluster(groups, "kmeans", 2, model = TRUE)
stopifnot(
    identical(unname(k$labels), rep(1:2, each = 100)), all.equal(unname(k$centers), rbind(colMeans(groups[1:100, ]), colMeans(groups[101:200, ]))),
    identical(predict(k$model, groups), k$labels), identical(predict(k$model, groups[150, , drop = FALSE]), 2L))

dense <- cluster(rbind(groups, c(9, 9)), "hdbscan", min_cluster_size = 20, cut_distance = 3)
stopifnot(
    identical(unname(dense$labels[c(1, 101, 201)]), c(1L, 2L, 0L)), length(dense$probabilities) == 201L, dense$probabilities[201] == 0,
    all(dense$probabilities >= 0 & dense$probabilities <= 1), dense$outliers[201] == max(dense$outliers), dense$report$noise >= 1)
