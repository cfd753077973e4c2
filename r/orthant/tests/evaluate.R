# Measures: classes by words, rates, warnings. cases.R compares their values.
library(orthant)

set.seed(6)
x <- matrix(rnorm(200), 50)
y <- x[, 1:2] + 0.3 * matrix(rnorm(100), 50)
classes <- ifelse(x[, 1] > 0, "right", "left")
stopifnot(
    evaluate("acc", labels = classes, predicted = ifelse(classes == "left", 9, 3)) == 1,
    evaluate("nmi", labels = classes, predicted = factor(classes, levels = c("right", "left"))) == 1)
rates <- evaluate("nn-error", embedding = y, labels = classes, splits = 4)
stopifnot(length(attr(rates, "rates")) == 4, all.equal(as.numeric(rates), mean(attr(rates, "rates"))), attr(rates, "report")$settings$train == 0.5)

w <- tryCatch(evaluate("acc", x, labels = classes, predicted = classes), warning = identity)
stopifnot(inherits(w, "orthant_warning"), grepl("does not use x", conditionMessage(w)))
