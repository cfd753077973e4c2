# Parameters as JSON, and reports from it.
library(orthant)

to <- orthant:::to_json
from <- orthant:::from_json
options(OutDec = ",", digits = 3, scipen = -10) # nothing of which counts
stopifnot(
    is.null(to(list())), is.null(to(list(a = NULL))),
    identical(to(list(k = 15L, gamma = 1e-3, memory = 4e9, model = TRUE)), "{\"k\": 15, \"gamma\": 0.001, \"memory\": 4000000000, \"model\": true}"),
    identical(to(list(x = 1 / 3)), "{\"x\": 0.33333333333333331}"))
options(OutDec = ".", digits = 7, scipen = 0)
awkward <- "a \"b\" \\ \n \u00d7 {[,:]}"
stopifnot(identical(from(to(list(word = awkward)))$word, awkward))
read <- from("{\"a\": [1, null, 2.5e-3], \"b\": [], \"c\": {\"d\": [\"x\", \"y\"]}, \"e\": [{\"i\": 1}, {\"i\": 2}], \"f\": false, \"g\": null, \"h\": \"\\u00d7\"}")
stopifnot(
    identical(read$a, c(1, NA, 2.5e-3)), length(read$b) == 0, identical(read$c$d, c("x", "y")), identical(read$e, list(list(i = 1), list(i = 2))),
    identical(read$f, FALSE), "g" %in% names(read), is.null(read$g), identical(read$h, "\u00d7"))

methods <- orthant_methods()
stopifnot("neml" %in% names(methods), methods$neml$name == "neml", orthant_info()$abi == 1)
