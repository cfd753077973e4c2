# Measures, against plain formulas.
library(orthant)

set.seed(6)
x <- matrix(rnorm(200), 50)
y <- x[, 1:2] + 0.3 * matrix(rnorm(100), 50)
classes <- ifelse(x[, 1] > 0, "right", "left")
ranks <- function(x) {
    d <- as.matrix(dist(x))
    diag(d) <- -1
    t(apply(d, 1, rank)) - 1
}
k <- 6
before <- ranks(x)
after <- ranks(y)
far <- after >= 1 & after <= k & before > k
plain <- 1 - 2 / (50 * k * (100 - 3 * k - 1)) * sum((before - k)[far])
stopifnot(all.equal(as.numeric(evaluate("trustworthiness", x, y, neighbors = k)), plain))

w <- abs(y)
h <- abs(x[1:2, ])
stopifnot(
    all.equal(as.numeric(evaluate("reconstruction", x, w = w, h = h)), norm(x - w %*% h, "F") / norm(x, "F")),
    evaluate("acc", labels = classes, predicted = ifelse(classes == "left", 9, 3)) == 1,
    evaluate("nmi", labels = classes, predicted = factor(classes, levels = c("right", "left"))) == 1)
rates <- evaluate("nn-error", embedding = y, labels = classes, splits = 4)
stopifnot(length(attr(rates, "rates")) == 4, all.equal(as.numeric(rates), mean(attr(rates, "rates"))), attr(rates, "report")$settings$train == 0.5)

e <- tryCatch(evaluate("acc", labels = classes), error = identity)
stopifnot(inherits(e, "orthant_invalid"), grepl("acc needs predicted", conditionMessage(e), fixed = TRUE))
w <- tryCatch(evaluate("acc", x, labels = classes, predicted = classes), warning = identity)
stopifnot(inherits(w, "orthant_warning"), grepl("does not use x", conditionMessage(w)))
