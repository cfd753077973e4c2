# Models: what a fit leaves for new samples.

info_of <- function(model) from_json(checked(.Call(C_model_info, model$handle)))

predict.orthant_model <- function(object, newdata, ..., samples = c("rows", "columns"), progress = NULL) {
    samples <- match.arg(samples)
    result <- run("transform", NULL, 0, list(...), samples_of(newdata, samples), progress,
                  function(handle) arrays_of(handle, c("embedding", "labels")), object$handle)
    if (is.null(result$labels)) named(result$embedding, names_of(newdata, samples)) else result$labels
}

print.orthant_model <- function(x, ...) {
    about <- info_of(x)
    to <- if (about$clusters > 0) paste("the labels of", about$clusters, "clusters") else about$dim
    cat("orthant: a model of ", about$method, ", ", about$features, " columns to ", to, "\n", sep = "")
    invisible(x)
}

file_name <- function(path) {
    if (!is.character(path) || length(path) != 1 || is.na(path)) fail("the path is not a word; give the name of a file")
    path
}

save_model <- function(model, path) {
    if (!inherits(model, "orthant_model")) fail("this is not a model of orthant; give the $model of a result that was made with model = TRUE")
    checked(.Call(C_save, model$handle, file_name(path)))
    invisible(model)
}

load_model <- function(path) structure(list(handle = checked(.Call(C_load, file_name(path)))), class = "orthant_model")
