# Runs Rtsne and says what it cost: samples, map, perplexity, seed, threads. The samples are two integers, rows and
# columns, and the entries row by row; the map is its entries row by row. The times are around the call alone.
suppressPackageStartupMessages(library(Rtsne))
given <- commandArgs(trailingOnly = TRUE)
file <- file(given[1], "rb")
size <- readBin(file, "integer", 2)
x <- matrix(readBin(file, "double", prod(size)), size[1], size[2], byrow = TRUE)
close(file)
set.seed(as.integer(given[4]))
before <- proc.time()
map <- Rtsne(x, perplexity = as.numeric(given[3]), pca = FALSE, check_duplicates = FALSE, num_threads = as.integer(given[5]))$Y
took <- proc.time() - before
writeBin(as.vector(t(map)), given[2])
peak <- 0
if (file.exists("/proc/self/status")) {
  line <- grep("^VmHWM:", readLines("/proc/self/status"), value = TRUE)
  peak <- 1024 * as.numeric(gsub("[^0-9]", "", line))
}
cat(sprintf('{"wall": %f, "cpu": %f, "peak": %.0f, "version": "Rtsne %s"}\n', took[["elapsed"]], took[["user.self"]] + took[["sys.self"]], peak, packageVersion("Rtsne")))
