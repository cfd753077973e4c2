# What a task is given, laid out as the library reads it: row after row, dense or compressed. R stores columns, so
# that a matrix of samples in columns is read where it lies, and one of samples in rows is turned in a copy.

# A dense matrix, also of package Matrix, or a data frame; its columns count as rows where that is said.
dense <- function(x, what, columns = FALSE) {
    if (is.data.frame(x)) x <- frame(x, what)
    else if (isS4(x) && inherits(x, "Matrix")) {
        with_matrix(what)
        x <- as(x, "matrix")
    }
    if (is.null(dim(x)) && is.numeric(x)) x <- if (columns) matrix(x, 1) else matrix(x, ncol = 1)
    if (!is.matrix(x) || !(is.numeric(x) || is.logical(x)))
        fail(sprintf("%s is %s; give a numeric matrix", what, kind(x)))
    n <- nrow(x)
    m <- ncol(x)
    if (n == 0 || m == 0)
        fail(sprintf("%s: it is %d x %d; give at least one row and one column", what, n, m))
    if (columns) {
        if (!is.double(x)) storage.mode(x) <- "double"
        return(list(data = x, rows = m, cols = n))
    }
    if (is.double(x) && (n == 1 || m == 1)) return(list(data = x, rows = n, cols = m))
    list(data = .Call(C_turn, x), rows = n, cols = m)
}

# A data frame or tibble as a matrix. as.matrix makes all of it words if one column has no numbers.
frame <- function(x, what) {
    for (j in seq_along(x)) {
        column <- x[[j]]
        if ((is.numeric(column) || is.logical(column)) && !inherits(column, "integer64")) next
        shown <- if (is.character(column) && length(column) > 0) sprintf(" (\"%s\" in row 1)", column[1]) else ""
        remedy <- if (is.factor(column)) "; its levels are not numbers to compute with: give numbers, or leave it out"
                  else "; give numbers, or leave it out"
        fail(sprintf("%s: column \"%s\" is of class %s%s%s", what, names(x)[j], class(column)[1], shown, remedy))
    }
    as.matrix(x)
}

kind <- function(x) paste(if (is.matrix(x)) paste("a matrix of type", typeof(x)) else class(x)[1])

is_sparse <- function(x) isS4(x) && inherits(x, "sparseMatrix")

with_matrix <- function(what) {
    if (!requireNamespace("Matrix", quietly = TRUE))
        fail(sprintf("%s is a sparse matrix, and the package Matrix is not installed; install it", what))
}

# A sparse matrix in compressed rows; its columns count as rows where that is said. Compressed columns are the compressed
# rows of the transpose, so that they are read where they lie in that case, and where the matrix is symmetric.
compressed <- function(a, what, columns = FALSE) {
    tryCatch(validObject(a), error = function(e) fail(sprintf("%s is damaged: %s", what, sub("^invalid class [^:]*: ", "", conditionMessage(e)))))
    wanted <- if (columns) "dgCMatrix" else "dgRMatrix"
    if (!inherits(a, wanted)) {
        with_matrix(what)
        if (inherits(a, "indMatrix")) a <- as(a, "nsparseMatrix") # permutations, too: they store no entries
        a <- as(as(as(a, "dMatrix"), "generalMatrix"), if (columns) "CsparseMatrix" else "RsparseMatrix")
    }
    size <- a@Dim
    if (columns) list(data = a@x, indices = a@i, indptr = a@p, rows = size[2], cols = size[1])
    else list(data = a@x, indices = a@j, indptr = a@p, rows = size[1], cols = size[2])
}

# The samples of a task, in rows or in columns.
samples_of <- function(x, orientation) {
    columns <- orientation == "columns"
    if (is.null(x)) list()
    else if (is_sparse(x)) list(samples = compressed(x, "x", columns))
    else list(x = dense(x, "x", columns))
}

# The names of the samples.
names_of <- function(x, orientation) {
    if (is.null(x) || is.null(dim(x))) NULL
    else if (orientation == "columns") colnames(x)
    else if (is.data.frame(x) && is.integer(attr(x, "row.names"))) NULL
    else rownames(x)
}

# The classes of the samples, any whole numbers, words or a factor.
labels_of <- function(labels, what = "labels") {
    if (is.null(labels)) return(list())
    if (is.data.frame(labels) && length(labels) == 1) labels <- labels[[1]]
    if (is.character(labels) || is.factor(labels)) labels <- as.integer(factor(labels))
    if (is.logical(labels)) labels <- as.integer(labels)
    if (!all_whole(labels))
        fail(sprintf("%s are not whole numbers, words or a factor without NA; give the class of each sample", what))
    list(labels = .Call(C_whole, labels, 0L))
}

# The weights of the samples.
weights_of <- function(weights) {
    if (is.null(weights) || is.character(weights)) return(list())
    if (!is.numeric(weights)) fail(sprintf("weights are %s; give a number for each sample", kind(weights)))
    list(weights = dense(as.numeric(weights), "weights"))
}

# A word is not the weights of samples, but the rule of a method for the weights of edges or pairs.
rule_of <- function(weights) if (is.character(weights)) list(weights = weights)

# What is known of the samples in place of a search.
near_of <- function(graph, affinities, distances) {
    near <- list()
    if (is_sparse(graph)) near$graph <- compressed(graph, "graph")
    else if (!is.null(graph)) {
        if (!is.list(graph) || !is.matrix(graph$indices) || !is.matrix(graph$distances))
            fail(sprintf("graph is %s; give a sparse matrix of distances, or list(indices, distances), both n x k", kind(graph)))
        if (!all_whole(graph$indices)) fail("graph: its indices are not whole numbers from 1")
        near$graph_indices <- list(data = .Call(C_whole, t(graph$indices), 1L), rows = nrow(graph$indices), cols = ncol(graph$indices))
        near$graph_distances <- dense(graph$distances, "graph$distances")
    }
    if (!is.null(affinities)) {
        if (!is_sparse(affinities))
            fail(sprintf("affinities are %s; give a sparse matrix, such as Matrix::Matrix(w, sparse = TRUE)", kind(affinities)))
        near$affinities <- compressed(affinities, "affinities", TRUE) # symmetric
    }
    if (!is.null(distances)) {
        if (inherits(distances, "dist")) distances <- as.matrix(distances)
        near$distances <- dense(distances, "distances", TRUE) # symmetric
    }
    near
}

# Whether these are whole numbers that 64 bits hold exactly.
all_whole <- function(x) is.numeric(x) && !anyNA(x) && all(x == floor(x) & abs(x) < 2^53)

# A count: that it is at least 1 the library sees to.
whole <- function(count, what) {
    if (length(count) != 1 || !all_whole(count))
        fail(sprintf("%s is %s; give a whole number", what, paste(format(count), collapse = " ")))
    if (abs(count) >= 2^31)
        fail(sprintf("%s is %s; give a whole number below 2^31", what, format(count)))
    as.numeric(count)
}

word <- function(text, what) {
    if (!is.character(text) || length(text) != 1 || is.na(text))
        fail(sprintf("%s is %s; give its name", what, paste(format(text), collapse = " ")))
    enc2utf8(text)
}
