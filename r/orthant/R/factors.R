# Factors, which solve as often as they are asked.

ldlt <- function(A, shift = 0, ..., progress = NULL) {
    kept <- NULL
    factor <- run("ldlt", NULL, 0, c(list(shift = shift), list(...)), symmetric(A), progress, function(handle) {
        kept <<- handle
        count <- function(name) .Call(C_number, handle, name)
        list(inertia = c(positive = count("positive"), negative = count("negative"), zero = count("zero")), bound = count("bound"),
             certain = count("certain") == 1, sign = count("sign"), log_det = checked(.Call(C_log_det, handle)))
    }, keep = TRUE)
    factor$handle <- kept
    factor$order <- nrow(A)
    structure(factor, class = "orthant_factor")
}

solve.orthant_factor <- function(a, b = diag(a$order), ...) {
    if (!is.numeric(b) && !is.logical(b)) fail("b is not a matrix of numbers; give a right-hand side a column")
    sides <- as.matrix(b)
    storage.mode(sides) <- "double"
    x <- checked(.Call(C_solve, a$handle, sides))
    if (is.null(dim(b))) as.vector(x) else x
}

print.orthant_factor <- function(x, ...) {
    cat("orthant: a factor of order ", x$order, "; ", paste(x$inertia, names(x$inertia), collapse = ", "), "\n", sep = "")
    invisible(x)
}
