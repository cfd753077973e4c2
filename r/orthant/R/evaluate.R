# Measures of embeddings, clusterings and factorisations.

evaluate <- function(metric, x = NULL, embedding = NULL, ..., truth = NULL, labels = NULL, predicted = NULL, w = NULL, h = NULL,
                     progress = NULL) {
    given <- list(x = x, embedding = embedding, truth = truth, w = w, h = h)
    inputs <- list()
    for (name in names(given))
        if (!is.null(given[[name]])) {
            if (is_sparse(given[[name]])) fail(sprintf("%s is sparse, and measures take full matrices; give as.matrix(%s)", name, name))
            inputs[[name]] <- dense(given[[name]], name)
        }
    result <- run("evaluate", word(metric, "the metric"), 0, list(...), c(inputs, classes_of(labels, predicted)), progress, function(handle) {
        list(value = .Call(C_number, handle, "value"), rates = as.vector(array_of(handle, "rates")))
    })
    structure(result$value, rates = result$rates, report = result$report, class = "orthant_score")
}

print.orthant_score <- function(x, ...) {
    print(as.numeric(x))
    invisible(x)
}

# Classes and clusters as whole numbers. Words are numbered in each list by itself: clusters have names of their own.
classes_of <- function(labels, predicted) {
    predicted <- labels_of(predicted, "predicted")
    names(predicted) <- rep("predicted", length(predicted))
    c(labels_of(labels), predicted)
}
