# Samples in every form in which R has them: the classes of package Matrix, data frames, tibbles; classes of samples.
library(orthant)

said <- function(expr) {
    e <- tryCatch({ expr; NULL }, error = identity)
    stopifnot(inherits(e, "orthant_invalid"), is.null(conditionCall(e)))
    conditionMessage(e)
}
expect <- function(text, part) if (!grepl(part, text, fixed = TRUE)) stop(sprintf("\"%s\" does not say \"%s\"", text, part))

set.seed(3)
if (requireNamespace("Matrix", quietly = TRUE)) {
    # Each class is read as the base matrix of the same entries is, by rows, by columns and by a solver.
    counts <- matrix(rpois(480, 1), 40, 12)
    square <- crossprod(counts) + diag(12)
    upper <- square
    upper[lower.tri(upper)] <- 0
    ones <- diag(12)[c(2:12, 1), ]
    places <- rep(1:12, length.out = 40)
    M <- function(x, class) {
        steps <- c(paste0(substr(class, 1, 1), "Matrix"), c(g = "generalMatrix", s = "symmetricMatrix", t = "triangularMatrix")[substr(class, 2, 2)],
                   c(C = "CsparseMatrix", R = "RsparseMatrix", T = "TsparseMatrix", e = "unpackedMatrix", y = "unpackedMatrix", r = "unpackedMatrix", p = "packedMatrix")[substr(class, 3, 3)])
        x <- Matrix::Matrix(x, sparse = substr(class, 3, 3) %in% c("C", "R", "T"))
        for (step in steps) x <- methods::as(x, step)
        x
    }
    given <- list(
        dgC = M(counts, "dgC"), dgR = M(counts, "dgR"), dgT = M(counts, "dgT"), dge = M(counts, "dge"),
        lgC = M(counts > 0, "lgC"), ngC = M(counts > 0, "ngC"), lge = M(counts > 0, "lge"),
        dsC = M(square, "dsC"), dsR = M(square, "dsR"), dsT = M(square, "dsT"), dsy = M(square, "dsy"), dsp = M(square, "dsp"),
        dtC = M(upper, "dtC"), dtR = M(upper, "dtR"), dtT = M(upper, "dtT"), dtr = M(upper, "dtr"), dtp = M(upper, "dtp"),
        ddi = Matrix::Diagonal(x = 1:12 + 0), ldi = Matrix::Diagonal(x = rep(c(TRUE, FALSE), 6)), unit = Matrix::Diagonal(12),
        pMatrix = methods::as(c(2:12, 1L), "pMatrix"), indMatrix = methods::as(list(as.integer(places), 12L), "indMatrix"),
        unitriangular = methods::as(Matrix::Diagonal(12), "CsparseMatrix"))
    for (name in names(given)) {
        a <- given[[name]]
        base <- as.matrix(a) + 0
        dimnames(base) <- NULL
        near <- neighbors(a, 3)
        if (!isTRUE(all.equal(near$distances, neighbors(base, 3)$distances))) stop(name, ": rows are read as something else")
        near <- neighbors(a, 3, samples = "columns")
        if (!isTRUE(all.equal(near$distances, neighbors(t(base), 3)$distances))) stop(name, ": columns are read as something else")
        if (!isTRUE(all.equal(svds(a, 2)$d, svds(base, 2)$d))) stop(name, ": a solver reads something else")
        if (!isTRUE(all.equal(evaluate("intrinsic-dimension", base)[1], evaluate("intrinsic-dimension", as.matrix(a) + 0)[1]))) stop(name)
    }
    stopifnot(all.equal(eigsh(given$dsy, 2)$values, eigsh(square, 2)$values), all.equal(eigsh(given$dsC, 2)$values, eigsh(square, 2)$values))
    d <- as.matrix(dist(counts))
    stopifnot(identical(unname(embed(NULL, "mds", distances = Matrix::Matrix(d, sparse = FALSE))$embedding), unname(embed(NULL, "mds", distances = d)$embedding)))
}

# Data frames, of which the column that has no numbers is named.
x <- matrix(rnorm(300), 100, 3, dimnames = list(NULL, c("a", "b", "c")))
table <- as.data.frame(x)
want <- embed(x, "pca")$embedding
read <- function(table) stopifnot(identical(unname(embed(table, "pca")$embedding), want))
read(table)
kind <- rep(c("u", "v"), 50)
refuse <- function(table) {
    expect(said(embed(cbind(table, kind = kind, stringsAsFactors = FALSE), "pca")), "x: column \"kind\" is of class character (\"u\" in row 1); give numbers, or leave it out")
    expect(said(cluster(cbind(table, kind = factor(kind)), "kmeans", 2)), "x: column \"kind\" is of class factor")
    expect(said(predict(embed(table, "pca", model = TRUE)$model, cbind(table, day = Sys.Date()))), "x: column \"day\" is of class Date")
}
refuse(table)
flags <- data.frame(x, d = x[, 1] > 0, n = 1:100)
stopifnot(identical(embed(flags, "pca")$embedding, embed(cbind(x, x[, 1] > 0, 1:100), "pca")$embedding))
if (requireNamespace("tibble", quietly = TRUE)) {
    tib <- tibble::as_tibble(table)
    read(tib)
    refuse(tib)
    stopifnot(is.null(rownames(embed(tib, "pca")$embedding)))
}

# The classes of samples: words, factors, whole numbers, TRUE and FALSE, a column of a frame.
lda <- function(labels) unname(embed(x, "lda", dim = 1, labels = labels)$embedding)
want <- lda(rep(1:2, 50))
for (labels in list(kind, factor(kind), factor(kind, levels = c("u", "v", "unused")), kind == "v", data.frame(kind)))
    stopifnot(identical(lda(labels), want))
expect(said(lda(factor(c(NA, kind[-1])))), "without NA")
