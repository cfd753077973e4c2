# The threads of Go leave R's signals alone: Ctrl-C, the profiler, the stack, the collector.
library(orthant)

set.seed(5)
x <- matrix(rnorm(300), 100)
wide <- matrix(abs(rnorm(90000)), 1500)
threads <- function() list.files("/proc/self/task")
before <- threads()
first <- embed(x, "lle")$embedding

# No thread of the library takes what is sent to the process: hangups, interrupts, alarms, signals of users.
if (length(before) > 0) {
    new <- setdiff(threads(), before)
    stopifnot(length(new) > 0)
    for (thread in new) {
        status <- tryCatch(readLines(file.path("/proc/self/task", thread, "status")), error = function(e) NULL, warning = function(w) NULL)
        if (is.null(status)) next # it has ended
        blocked <- strtoi(substring(sub("SigBlk:\\s*", "", grep("SigBlk", status, value = TRUE)), 9), 16L)
        for (signal in c(1L, 2L, 10L, 12L, 14L)) stopifnot(bitwAnd(blocked, bitwShiftL(1L, signal - 1L)) != 0)
    }
}

# Ctrl-C ends the work, more than once. All of the shell's line goes to the background: as long as R waits
# for a line it does not hear interrupts.
for (i in 1:2) {
    ended <- tryCatch({
        system(paste0("(sleep 0.5; kill -INT ", Sys.getpid(), ") &"))
        factorize(wide, "cim-nmf", 30, iterations = 20000)
    }, interrupt = function(e) "interrupted")
    stopifnot(identical(ended, "interrupted"))
}

# R's profiler would send its signal to any thread.
profile <- tempfile()
Rprof(profile, interval = 0.001)
for (seed in 1:8) invisible(suppressWarnings(factorize(wide, "cim-nmf", 30, iterations = 20, tolerance = 0, seed = seed)))
Rprof(NULL)
stopifnot(any(grepl("factorize", readLines(profile))))

# A callback may begin another task, while the profiler runs too; an error in it ends both.
Rprof(profile, interval = 0.001)
inner <- 0
outer <- tryCatch(factorize(wide, "cim-nmf", 30, iterations = 1e6, progress = function(phase, share) {
    stopifnot(identical(embed(x, "lle")$embedding, first))
    inner <<- inner + 1
    if (inner == 3) stop("enough")
}), error = conditionMessage)
Rprof(NULL)
stopifnot(identical(outer, "enough"), inner == 3)

# A long loop with the collector, results and models that nobody keeps.
for (i in 1:300) {
    r <- embed(x, "lle", model = TRUE)
    garbage <- lapply(1:20, function(j) numeric(1000))
    if (i %% 10 == 0) gc()
    stopifnot(identical(r$embedding, first))
}

# A recursion without an end is still an error of R, and so is a stack that is used up.
deep <- function() deep()
stopifnot(inherits(tryCatch(deep(), error = identity), "error"))
options(expressions = 500000)
stopifnot(inherits(tryCatch(deep(), error = identity), "error"))
options(expressions = 5000)
stopifnot(identical(embed(x, "lle")$embedding, first))

# R reports a fault, not Go.
script <- tempfile(fileext = ".R")
writeLines(c("library(orthant)", "invisible(embed(matrix(sin(1:300), 100), \"pca\"))", "tools::pskill(Sys.getpid(), 11L)", "Sys.sleep(5)"), script)
told <- suppressWarnings(system2(file.path(R.home("bin"), "Rscript"), shQuote(script), stdout = TRUE, stderr = TRUE))
stopifnot(any(grepl("caught segfault", told)), !any(grepl("goroutine", told)))
