# Statuses of the library as conditions of R, with the same texts.

flags <- local({
    known <- NULL
    function() {
        if (is.null(known)) known <<- .Call(C_flags)
        known
    }
})

# The class of an error, by its status.
status_names <- c("invalid", "canceled", "not_converged", "forked", "nomem", "internal", "busy", "failed", "not_definite")

fail <- function(text, status = 1L) {
    class <- c(paste0("orthant_", status_names[status]), "orthant_error", "error", "condition")
    stop(structure(class = class, list(message = text, call = NULL)))
}

# Passes on what the library returned, unless it is list(status, text) of an error.
checked <- function(said) {
    if (is.list(said) && !is.null(said$status) && !(said$status %in% flags()[c("ok", "not_converged")]))
        fail(said$text, said$status)
    said
}

# Warnings of the library as warnings of R.
warn <- function(texts, class = NULL) {
    for (text in texts)
        warning(structure(class = c(class, "orthant_warning", "simpleWarning", "warning", "condition"),
                          list(message = text, call = NULL)))
}
