# What the library is and what it has.

orthant_info <- function() from_json(checked(.Call(C_describe, FALSE)))

orthant_methods <- function() {
    methods <- from_json(checked(.Call(C_describe, TRUE)))$methods
    names(methods) <- vapply(methods, function(m) m$name, "")
    methods
}

# What is known of an error or a warning, by its identifier, its text, or the condition.
orthant_explain <- function(message) {
    if (inherits(message, "condition")) message <- conditionMessage(message)
    if (!is.character(message) || length(message) != 1L || is.na(message))
        fail("message is neither a text nor a condition; give an identifier such as \"E0412\", the text of a message, or its condition")
    from_json(checked(.Call(C_explain, enc2utf8(message))))
}
