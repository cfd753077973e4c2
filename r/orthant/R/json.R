# JSON, as far as the library speaks it: parameters are one object of numbers, words and booleans, and
# reports are read in whole.

quoted <- function(text) {
    text <- gsub("\\", "\\\\", enc2utf8(text), fixed = TRUE)
    text <- gsub("\"", "\\\"", text, fixed = TRUE)
    for (code in 1:31)
        text <- gsub(intToUtf8(code), sprintf("\\u%04x", code), text, fixed = TRUE)
    paste0("\"", text, "\"")
}

# The shortest of 15 and 17 digits that reads back the same, whatever options() say.
digits <- function(x) {
    text <- sprintf("%.15g", x)
    if (as.numeric(text) == x) text else sprintf("%.17g", x)
}

# Writes parameters as a JSON object, NULL where there are none. A parameter that is NULL has its default.
to_json <- function(parameters) {
    parameters <- parameters[!vapply(parameters, is.null, NA)]
    if (length(parameters) == 0) return(NULL)
    keys <- names(parameters)
    if (is.null(keys) || any(keys == ""))
        fail("a parameter has no name; give parameters by their names, such as neighbors = 15")
    twice <- anyDuplicated(keys)
    if (twice > 0)
        fail(sprintf("parameter \"%s\" is given twice; keep one of them", keys[twice]))
    values <- vapply(keys, function(key) {
        value <- parameters[[key]]
        if (length(value) != 1 || !(is.numeric(value) || is.logical(value) || is.character(value)) || is.factor(value))
            fail(sprintf("parameter \"%s\" is neither a number, a word nor TRUE or FALSE", key))
        if (is.na(value) || (is.numeric(value) && !is.finite(value)))
            fail(sprintf("parameter \"%s\" is %s; give a finite value, or NULL for the default", key, format(value)))
        if (is.character(value)) quoted(value)
        else if (is.logical(value)) if (value) "true" else "false"
        else digits(value)
    }, "")
    paste0("{", paste0(vapply(keys, quoted, ""), ": ", values, collapse = ", "), "}")
}

unescaped <- function(text) {
    text <- substr(text, 2, nchar(text) - 1)
    if (!grepl("\\", text, fixed = TRUE)) return(text)
    found <- gregexpr("\\\\(u[0-9a-fA-F]{4}|.)", text, perl = TRUE)
    plain <- c("\"" = "\"", "\\" = "\\", "/" = "/", b = "\b", f = "\f", n = "\n", r = "\r", t = "\t")
    regmatches(text, found) <- list(vapply(regmatches(text, found)[[1]], function(escape) {
        code <- substring(escape, 2)
        if (nchar(code) == 5) intToUtf8(strtoi(substring(code, 2), 16L)) else plain[[code]]
    }, ""))
    text
}

# Reads a JSON text: objects become named lists, lists of numbers or of words vectors, null NULL or, within numbers, NA.
from_json <- function(text) {
    pattern <- "\"(?:[^\"\\\\]++|\\\\.)*+\"|-?[0-9][0-9.eE+-]*+|true|false|null|[][{},:]"
    Encoding(text) <- "bytes" # the places of characters are looked for from the beginning, each time
    tokens <- regmatches(text, gregexpr(pattern, text, perl = TRUE, useBytes = TRUE))[[1]]
    Encoding(tokens) <- "UTF-8"
    at <- 0
    take <- function() {
        at <<- at + 1
        tokens[at]
    }
    value <- function(token = take()) {
        first <- substr(token, 1, 1)
        switch(first,
            "{" = members(), "[" = entries(), "\"" = unescaped(token),
            t = TRUE, f = FALSE, n = NULL, as.numeric(token))
    }
    members <- function() {
        out <- list()
        while ((token <- take()) != "}") {
            if (token == ",") token <- take()
            key <- unescaped(token)
            take() # the colon
            out[key] <- list(value())
        }
        out
    }
    entries <- function() {
        out <- list()
        while ((token <- take()) != "]") {
            if (token == ",") token <- take()
            out[length(out) + 1] <- list(value(token))
        }
        plain(out)
    }
    value()
}

plain <- function(list) {
    missing <- vapply(list, is.null, NA)
    if (length(list) == 0 || all(missing)) return(list)
    for (of in c("numeric", "character", "logical"))
        if (all(missing | vapply(list, function(v) mode(v) == of && length(v) == 1, NA))) {
            list[missing] <- NA
            return(unlist(list))
        }
    list
}
