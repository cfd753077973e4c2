# The cases of testdata/cases.json, which the command, C and Python run too. "make r" copies them to the folder of this file.
library(orthant)

if (file.exists("cases.json")) {
    of <- orthant:::from_json(paste(readLines("cases.json", encoding = "UTF-8"), collapse = "\n"))
    matrix_of <- function(given)
        if (is.character(given)) as.matrix(read.csv(given)) else if (is.list(given)) do.call(rbind, given) else given # one column

    call_of <- function(case) {
        count <- c(factorize = "rank", cluster = "clusters", neighbors = "k")
        arguments <- as.list(case$parameters)
        arguments[[if (case$task == "evaluate") "metric" else "method"]] <- case$method
        if (!is.null(case$count)) arguments[[count[[case$task]]]] <- case$count
        for (name in intersect(c("x", "distances", "embedding", "w", "h", "targets", "weights"), names(case))) arguments[[name]] <- matrix_of(of$inputs[[case[[name]]]])
        for (name in intersect(c("labels", "predicted"), names(case))) arguments[[name]] <- of$labels[[case[[name]]]]
        if (!is.null(case$distances)) arguments["x"] <- list(NULL)
        if (is.null(case$new)) return(do.call(case$task, arguments))
        result <- do.call(case$task, c(arguments, model = TRUE))
        result$new <- predict(result$model, matrix_of(of$inputs[[case$new]]))
        result
    }

    check <- function(case) {
        if (!is.null(case$refused)) {
            e <- tryCatch({ call_of(case); NULL }, error = identity)
            stopifnot(inherits(e, if (is.null(case$status)) "orthant_invalid" else "orthant_nomem"), grepl(case$refused, conditionMessage(e), fixed = TRUE))
            return()
        }
        told <- character()
        result <- withCallingHandlers(call_of(case), warning = function(w) {
            told <<- c(told, conditionMessage(w))
            invokeRestart("muffleWarning")
        })
        stopifnot(is.null(case$warning) || any(grepl(case$warning, told, fixed = TRUE)))
        for (name in names(case$arrays)) {
            got <- as.matrix(result[[name]])
            stopifnot(all(dim(got) == case$arrays[[name]]$shape))
            for (entry in case$arrays[[name]]$entries) {
                v <- got[entry[1] + 1, entry[2] + 1] - (name %in% c("labels", "indices") || case$task == "cluster") # which count from one here
                stopifnot(abs(abs(v) - entry[3]) <= 1e-6 * max(1, entry[3]))
            }
        }
        report <- if (is.list(result)) result$report else attr(result, "report")
        for (key in names(case$report)) {
            v <- report[[key]]
            stopifnot(v >= min(case$report[[key]]) - 1e-6, v <= max(case$report[[key]]) + 1e-6)
        }
    }
    for (case in of$cases) tryCatch(check(case), error = function(e) stop(case$name, ": ", conditionMessage(e), call. = FALSE))
    stopifnot(length(of$cases) > 40)
}
