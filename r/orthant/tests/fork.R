# Forks: children of a process that has not called the library may call it; children of one that has get an error at once.
library(orthant)

x <- matrix(sin(1:300), 100)
if (.Platform$OS.type == "unix" && requireNamespace("parallel", quietly = TRUE)) {
    within_a_minute <- function(job) {
        found <- parallel::mccollect(job, wait = FALSE, timeout = 60)
        if (is.null(found)) {
            tools::pskill(job$pid, tools::SIGKILL)
            stop("the child hangs")
        }
        found[[1]]
    }
    child <- within_a_minute(parallel::mcparallel(embed(x, "pca")$embedding))
    own <- embed(x, "pca", model = TRUE)
    stopifnot(identical(child, own$embedding))
    forked <- within_a_minute(parallel::mcparallel({
        e <- tryCatch(embed(x, "pca"), error = identity)
        rm(own)
        gc() # the finalizer of the model runs in the child
        list(class(e), conditionMessage(e))
    }))
    stopifnot("orthant_forked" %in% forked[[1]], grepl("does not work in forks", forked[[2]]))
    lists <- suppressWarnings(parallel::mclapply(1:4, function(seed) embed(x, "pca", seed = seed), mc.cores = 2))
    stopifnot(all(vapply(lists, inherits, NA, "try-error")), grepl("does not work in forks", lists[[1]]))
    stopifnot(identical(embed(x, "pca")$embedding, own$embedding), identical(predict(own$model, x), own$embedding))
}
