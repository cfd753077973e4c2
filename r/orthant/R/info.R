# What the library is and what it has.

orthant_info <- function() from_json(checked(.Call(C_describe, FALSE)))

orthant_methods <- function() {
    methods <- from_json(checked(.Call(C_describe, TRUE)))$methods
    names(methods) <- vapply(methods, function(m) m$name, "")
    methods
}
