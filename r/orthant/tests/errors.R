# What is wrong is an error of R with the text of the library, or of the package before it; warnings are warnings.
library(orthant)

said <- function(expr, class = "orthant_invalid") {
    e <- tryCatch({ expr; NULL }, error = identity)
    stopifnot(inherits(e, "orthant_error"), inherits(e, class), is.null(conditionCall(e)))
    conditionMessage(e)
}
expect <- function(text, part) if (!grepl(part, text, fixed = TRUE)) stop(sprintf("\"%s\" does not say \"%s\"", text, part))

set.seed(4)
x <- matrix(rnorm(300), 100)
expect(said(embed(x, "lle", neighbors = 5, neighbors = 6)), "given twice")
expect(said(embed(x, "lle", neighbors = 1:2)), "parameter \"neighbors\" is neither")
expect(said(embed(x, "lle", neighbors = NA)), "give a finite value")
expect(said(embed(x, "lle", 5)), "has no name")
e <- tryCatch(embed(x, "pca", dim = 0), error = identity)
about <- orthant_explain(e)
stopifnot(grepl("^E[0-9]+$", about$id), about$kind == "error", identical(orthant_explain(about$id), about), identical(orthant_explain(conditionMessage(e)), about))
expect(said(orthant_explain("E0")), "neither an identifier")
expect(said(orthant_explain(1)), "give an identifier")
expect(said(embed(x, 5)), "give its name")
expect(said(embed("x", "pca")), "give a numeric matrix")
expect(said(embed(x[0, ], "pca")), "at least one row")
expect(said(embed(NULL, "pca")), "give the samples")
expect(said(embed(x, "lda", labels = c(NA, 1:99))), "without NA")
expect(said(embed(x, "le", graph = x)), "list(indices, distances)")
expect(said(factorize(abs(x), "nmf", 1.5)), "whole number")
for (count in list(-1, 0, 2.5, "2", TRUE, NA, Inf, NULL, 1:2, 2^31, 2^32 + 3, 2^53, 2^64)) {
    expect(said(cluster(x, "kmeans", count)), "clusters is")
    expect(said(factorize(abs(x), "nmf", count)), "rank is")
    if (!identical(count, 0)) expect(said(neighbors(x, count)), "k is")
    expect(said(svds(x, count)), " is ")
    if (!is.null(count)) expect(said(embed(x, "lle", neighbors = count)), "neighbors")
}
expect(said(embed(x, "pca", n_components = 2)), "did you mean \"dim\"?")
expect(said(embed(x, "lle", n_neighbors = 5)), "did you mean \"neighbors\"?")
expect(said(factorize(abs(x), "nmf", 2, n_components = 2)), "did you mean \"rank\"?")
expect(said(embed(x, "pca", scale = "standard")), "did you mean \"standardize\"?")
expect(said(embed(x, "lda", labels = c(Inf, 1:99))), "labels are not whole numbers")
expect(said(embed(NULL, "isomap", graph = list(indices = matrix(1.5, 4, 1), distances = matrix(1, 4, 1)))), "whole numbers from 1")
if (requireNamespace("Matrix", quietly = TRUE)) {
    a <- Matrix::sparseMatrix(i = 1:9, j = 9:1, x = 1)
    for (damage in list(function(a) { a@p[5] <- 1000000L; a }, function(a) { a@i <- a@i[-1]; a }, function(a) { a@i[3] <- 99L; a }, function(a) { a@x <- a@x[-1]; a })) {
        expect(said(svds(damage(a), 2)), "A is damaged")
        expect(said(neighbors(damage(a), 2)), "x is damaged")
        expect(said(embed(NULL, "le", affinities = damage(a))), "affinities is damaged")
    }
}
expect(said(eigsh(matrix(1:4, 2), 1)), "symmetric")
expect(said(eigsh(diag(c(1, NaN, 3)), 1)), "eigsh")
expect(said(load_model(tempfile()), "orthant_failed"), "no such file")
expect(said(embed(x, "pca", progress = 1)), "progress")

# A result is all R's own; a model is not.
fit <- embed(x, "pca", model = TRUE)
path <- tempfile()
saveRDS(fit, path)
again <- readRDS(path)
stopifnot(identical(again$embedding, fit$embedding))
e <- tryCatch(predict(again$model, x), error = identity)
expect(conditionMessage(e), "keep models by save_model()")
expect(said(save_model(fit, path)), "not a model of orthant")

# Warnings.
twice <- rbind(x, x)
w <- tryCatch(embed(twice, "le"), warning = identity)
stopifnot(inherits(w, "orthant_warning"))
expect(conditionMessage(w), "duplicate")
w <- tryCatch(factorize(abs(x), "cim-nmf", 3, tolerance = 1e-16), warning = identity)
stopifnot(inherits(w, "orthant_not_converged"))
f <- suppressWarnings(factorize(abs(x), "cim-nmf", 3, tolerance = 1e-16))
stopifnot(!f$converged, identical(dim(f$w), c(100L, 3L)))

# What progress raises ends the work and comes back.
wide <- matrix(abs(rnorm(90000)), 1500)
e <- tryCatch(factorize(wide, "cim-nmf", 30, iterations = 1e6, progress = function(phase, share) stop("enough")), error = identity)
stopifnot(identical(conditionMessage(e), "enough"))
