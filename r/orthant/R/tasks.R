# Tasks: they run in the background while R waits in short turns, between which it handles Ctrl-C.

# The length of a turn in milliseconds, and the time between two calls of progress in seconds.
turn <- 20L
tell <- 0.1

# Carries out a task and passes its handle to collect. Whatever leaves this function early cancels the task.
run <- function(task, method, count, parameters, inputs, progress, collect, model = NULL, keep = FALSE) {
    if (!is.null(progress) && !is.function(progress)) fail("progress is not a function; give function(phase, share)")
    parameters <- to_json(parameters)
    handle <- .Call(C_task)
    ended <- FALSE
    on.exit(.Call(if (keep && ended) C_keep else C_release, handle))
    said <- .Call(C_start, handle, task, method, count, parameters, inputs, model)
    told <- proc.time()[["elapsed"]]
    while (said$status == flags()[["busy"]]) {
        said <- .Call(C_wait, handle, turn)
        now <- proc.time()[["elapsed"]]
        if (!is.null(progress) && now - told >= tell && said$status == flags()[["busy"]] && nzchar(said$phase)) {
            told <- now
            progress(said$phase, said$share)
        }
    }
    checked(said)
    result <- collect(handle)
    result$report <- from_json(checked(.Call(C_report, handle)))
    result$converged <- said$status == flags()[["ok"]]
    if (!result$converged) warn(said$text, "orthant_not_converged")
    warn(result$report$warnings)
    ended <- TRUE
    structure(result, class = "orthant_result")
}

# An array of the result, as a vector where it has one column and that is what it means.
array_of <- function(handle, name, offset = 0L) {
    a <- checked(.Call(C_array, handle, name, offset))
    if (is.null(a)) NULL
    else if (name %in% vectors) as.vector(a)
    else a
}

vectors <- c("eigenvalues", "residuals", "objective", "offset", "labels", "exemplars", "singular_values",
             "affinities_data", "affinities_indices", "affinities_indptr", "graph_data", "graph_indices", "graph_indptr", "probabilities", "outliers", "layer_sizes", "layer_persistences")

# The arrays that the result has and that are not empty, by name; whole numbers count from 1.
arrays_of <- function(handle, names) {
    arrays <- lapply(names, function(name) array_of(handle, name, 1L))
    names(arrays) <- names
    arrays[lengths(arrays) > 0]
}

# A sparse matrix of the result, such as its graph.
sparse_of <- function(handle, name) {
    part <- function(of, offset = 0L) array_of(handle, paste0(name, "_", of), offset)
    ends <- part("indptr")
    if (is.null(ends)) return(NULL)
    with_matrix(paste("the", name))
    n <- length(ends) - 1L
    new("dgRMatrix", p = ends, j = part("indices"), x = part("data"), Dim = c(n, n))
}

model_if <- function(handle, parameters) {
    asked <- parameters[["model"]]
    if (is.null(asked) || isFALSE(asked)) return(NULL)
    model <- .Call(C_model, handle)
    if (identical(asked, "try") && is.list(model)) NULL
    else structure(list(handle = checked(model)), class = "orthant_model")
}

named <- function(x, names) {
    if (!is.null(x) && !is.null(names) && nrow(x) == length(names)) rownames(x) <- names
    x
}

embed <- function(x, method, ..., labels = NULL, targets = NULL, weights = NULL, start = NULL, graph = NULL, affinities = NULL, distances = NULL,
                  samples = c("rows", "columns"), progress = NULL) {
    samples <- match.arg(samples)
    parameters <- c(list(...), rule_of(weights))
    told <- told_near(parameters, graph, affinities, distances)
    inputs <- c(samples_of(x, samples), labels_of(labels), told$near,
                if (!is.null(targets)) list(targets = dense(targets, "targets")),
                weights_of(weights),
                if (!is.null(start)) list(start = dense(start, "start")))
    run("embed", word(method, "the method"), 0, told$parameters, inputs, progress, function(handle) {
        result <- arrays_of(handle, c("embedding", "eigenvalues", "residuals", "objective"))
        result$embedding <- named(result$embedding, names_of(x, samples))
        result$model <- model_if(handle, parameters)
        result
    })
}

# A word is the value of a method's parameter of that name, such as graph = "mutual".
told_near <- function(parameters, graph, affinities, distances) {
    near <- list(graph = graph, affinities = affinities, distances = distances)
    words <- vapply(near, is.character, NA)
    list(parameters = c(parameters, near[words]), near = do.call(near_of, lapply(near, function(v) if (is.character(v)) NULL else v)))
}

# Labels as the text of whole numbers that the library reads; those that are no numbers are numbered from 0 in sorted order.
listed_labels <- function(labels, name) {
    if (is.null(labels)) return(NULL)
    if (anyNA(labels)) fail(sprintf("%s has a label that is missing; give one for each", name))
    if (!is.numeric(labels)) labels <- as.integer(factor(labels)) - 1L
    structure(list(paste(format(labels, scientific = FALSE, trim = TRUE), collapse = ",")), names = name)
}

factorize <- function(x, method, rank, ..., labels = NULL, start_w = NULL, start_h = NULL, graph = NULL, affinities = NULL,
                      distances = NULL, blocks = NULL, datasets = NULL, samples = c("rows", "columns"), progress = NULL) {
    samples <- match.arg(samples)
    parameters <- c(list(...), listed_labels(blocks, "blocks"), listed_labels(datasets, "datasets"))
    told <- told_near(parameters, graph, affinities, distances)
    inputs <- c(samples_of(x, samples), labels_of(labels), told$near,
                if (!is.null(start_w)) list(start = dense(start_w, "start_w")),
                if (!is.null(start_h)) list(start_h = dense(start_h, "start_h")))
    automatic <- identical(rank, "auto")
    rank <- if (automatic) -1 else whole(rank, "the rank")
    if (rank < 1 && !automatic)
        fail(sprintf("the rank is %s; give a whole number of at least 1, or \"auto\"", format(rank)))
    run("factorize", word(method, "the method"), rank, told$parameters, inputs, progress, function(handle) {
        result <- arrays_of(handle, c("w", "h", "own", "offset", "objective"))
        result$w <- named(result$w, names_of(x, samples))
        features <- names_of(x, setdiff(c("rows", "columns"), samples))
        if (!is.null(features) && ncol(result$h) == length(features)) colnames(result$h) <- features
        result$relative_error <- .Call(C_number, handle, "relative_error")
        result$model <- model_if(handle, parameters)
        result
    })
}

cluster <- function(x, method, clusters = 0, ..., labels = NULL, weights = NULL, graph = NULL, affinities = NULL, distances = NULL,
                    samples = c("rows", "columns"), progress = NULL) {
    samples <- match.arg(samples)
    parameters <- c(list(...), rule_of(weights))
    told <- told_near(parameters, graph, affinities, distances)
    inputs <- c(samples_of(x, samples), labels_of(labels), weights_of(weights), told$near)
    run("cluster", word(method, "the method"), whole(clusters, "the number of clusters"), told$parameters, inputs, progress, function(handle) {
        result <- arrays_of(handle, c("labels", "centers", "exemplars", "eigenvalues", "residuals", "probabilities", "outliers", "memberships", "layers"))
        names(result$labels) <- names_of(x, samples)
        result$layer_sizes <- array_of(handle, "layer_sizes")
        result$layer_persistences <- array_of(handle, "layer_persistences")
        result$affinities <- sparse_of(handle, "affinities")
        result$model <- model_if(handle, parameters)
        result
    })
}

neighbors <- function(x, k = 0, ..., samples = c("rows", "columns"), progress = NULL) {
    samples <- match.arg(samples)
    run("neighbors", NULL, whole(k, "k"), list(...), samples_of(x, samples), progress, function(handle) {
        result <- arrays_of(handle, c("indices", "distances"))
        result$graph <- sparse_of(handle, "graph")
        result
    })
}

print.orthant_result <- function(x, ...) {
    about <- x$report
    name <- if (is.null(about$method)) about$task else about$method
    cat("orthant: ", name, if (!is.null(about$samples)) paste0(", ", about$samples, " samples"), if (!x$converged) ", not converged", "\n", sep = "")
    for (part in setdiff(names(x), c("report", "converged"))) {
        size <- if (!is.null(dim(x[[part]]))) paste(dim(x[[part]]), collapse = " x ")
                else if (length(x[[part]]) == 1) format(x[[part]]) else paste(length(x[[part]]), "numbers")
        cat("  $", part, ": ", if (inherits(x[[part]], "orthant_model")) "a model, for predict()" else size, "\n", sep = "")
    }
    quality <- about$quality
    if (length(quality$verdict) > 0) cat("  verdict: ", quality$verdict, if (nzchar(quality$sentence)) paste0(": ", quality$sentence), "\n", sep = "")
    invisible(x)
}
