# Embeddings: against prcomp, from rows and from columns, from a graph, of sparse samples.
library(orthant)

set.seed(1)
x <- matrix(runif(600), 200, 3, dimnames = list(paste0("s", 1:200), NULL))
r <- embed(x, "pca", dim = 2)
reference <- prcomp(x)$x[, 1:2]
stopifnot(
    identical(dim(r$embedding), c(200L, 2L)), identical(rownames(r$embedding), rownames(x)),
    max(abs(abs(r$embedding) - abs(reference))) < 1e-10, r$converged, r$report$quality$sound,
    all.equal(r$eigenvalues, prcomp(x)$sdev[1:2]^2), all(r$residuals < 1e-12))

# The same bits from columns, whole numbers, a data frame, and on one thread.
stopifnot(
    identical(embed(t(x), "pca", dim = 2, samples = "columns")$embedding, r$embedding),
    identical(embed(as.data.frame(x), "pca", dim = 2)$embedding, r$embedding),
    identical(embed(x, "pca", dim = 2, threads = 1)$embedding, r$embedding))
whole <- matrix(as.integer(round(100 * x)), 200)
stopifnot(identical(embed(whole, "pca")$embedding, embed(whole + 0, "pca")$embedding))

# What was given is left as it was.
before <- t(x) + 0
given <- before + 0
invisible(suppressWarnings(embed(given, "lle", samples = "columns")))
stopifnot(identical(given, before))

# One search serves many methods; a method that needs a parameter of a name that is an argument gets it.
le <- embed(x, "le", neighbors = 15)
stopifnot(
    identical(embed(NULL, "le", graph = neighbors(x, 15))$embedding, unname(le$embedding)),
    !identical(embed(x, "le", neighbors = 40, graph = "mutual")$embedding, embed(x, "le", neighbors = 40)$embedding))

# A supervised method, by words and by whole numbers.
kind <- rep(c("a", "b"), 100)
stopifnot(identical(embed(x, "lda", dim = 1, labels = kind)$embedding, embed(x, "lda", dim = 1, labels = factor(kind))$embedding))

# Maps, which learn from classes where these are given and asked for; NA is not allowed, -1 is not known.
map <- embed(x, "umap", neighbors = 14, min_dist = 0.1, epochs = 50, model = TRUE)
some <- rep(c(0L, 1L, -1L, 1L), 50)
stopifnot(
    identical(dim(map$embedding), c(200L, 2L)), identical(rownames(map$embedding), rownames(x)),
    identical(embed(x, "umap", epochs = 50, threads = 1)$embedding, map$embedding),
    identical(unname(predict(map$model, x)), unname(map$embedding)),
    !identical(embed(x, "umap", epochs = 50, labels = some, target_weight = 0.5)$embedding, map$embedding),
    identical(embed(x, "umap", epochs = 50, labels = some)$embedding, map$embedding),
    identical(dim(embed(x, "tsne", iterations = 20)$embedding), c(200L, 2L)),
    identical(dim(embed(x, "pacmap", iterations = 20, start = x[, 1:2])$embedding), c(200L, 2L)))

# A model gives the samples of the fit their places again.
fit <- embed(x, "pca", dim = 2, model = TRUE)
path <- tempfile()
save_model(fit$model, path)
stopifnot(
    all.equal(predict(fit$model, x[1:5, ]), fit$embedding[1:5, ]),
    identical(predict(load_model(path), t(x), samples = "columns"), predict(fit$model, x)))

if (requireNamespace("Matrix", quietly = TRUE)) {
    counts <- matrix(rpois(4000, 0.3), 100, 40)
    sparse <- as(Matrix::Matrix(counts, sparse = TRUE), "CsparseMatrix")
    dense <- embed(counts, "pca", dim = 2)$embedding
    stopifnot(
        max(abs(abs(embed(sparse, "pca", dim = 2)$embedding) - abs(dense))) < 1e-8,
        identical(embed(Matrix::t(sparse), "pca", dim = 2, samples = "columns")$embedding, embed(sparse, "pca", dim = 2)$embedding))
    near <- neighbors(x, radius = 0.3, metric = "euclidean")$graph
    reach <- as.matrix(dist(x)) <= 0.3
    diag(reach) <- FALSE
    stopifnot(identical(unname(as.matrix(near) > 0), unname(reach)))
}
