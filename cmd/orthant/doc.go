// Orthant embeds data sets from the command line.
//
//	orthant embed      reduce samples to a few coordinates (LLE, NEML, LTSA, …)
//	orthant transform  map new samples by the model of an embedding
//	orthant factorize  write samples as sums of nonnegative parts (NMF and related methods)
//	orthant cluster    partition samples into clusters (LNP, SMCE, spectral, k-means)
//	orthant select     choose exemplars among the samples (DS3, DPP, IPM, ESC-FFS)
//	orthant neighbors  find the nearest neighbours of every sample
//	orthant generate   draw a synthetic data set
//	orthant evaluate   measure an embedding or a clustering
//	orthant eigs       find eigenpairs of a sparse symmetric matrix
//	orthant svds       find the largest singular triplets of a matrix
//	orthant solve      solve sparse symmetric systems of equations
//	orthant batch      run many of these jobs in one process
//	orthant methods    list the methods, their parameters and defaults
//	orthant-bench      check the papers' claims and our own, by measurement
//	orthant info       describe the CPU and the linear-algebra backends
//	orthant version    print the version
//
// A first session draws a swiss roll, unrolls it, and measures how well:
//
//	orthant generate swiss-roll --samples 1500 --out x.npy --out-params t.npy
//	orthant embed --method neml --in x.npy --neighbors 15 --out y.npy --plot y.png --color t.npy
//	orthant evaluate --metric dev --truth t.npy --embedding y.npy
//
// Samples are rows. Files are .npy, .npz, .csv, .tsv, .txt, .dat, .asc, .mtx, .mat
// or .parquet by their extension, with .gz or .zst behind it compressed, and "-" is standard
// input or output as .npy. Results go to files, what is said
// about them to standard error; --json prints one object on standard output and
// nothing else there.
//
// # Exit status
//
//	0    done
//	1    failed: a full disk, a job of a batch, an internal error
//	2    the command line or an input is wrong; one line says which and how to correct it
//	3    an eigenpair missed its residual: the best result found is written all the same
//	130  interrupted: nothing half-written is left
//
// # Layout
//
// main.go runs the command and has the statuses that errors become, and root.go lists the
// subcommands, each in a file of its own. flags.go holds the flags that all share,
// outputs.go the files under construction, report.go the final report,
// drawing.go the pictures.
//
// A batch reads its lines (batch_lines.go), makes jobs of them by the table of
// commands (batch_job.go, batch_files.go), decides when each runs
// (batch_schedule.go, which knows neither files nor commands), runs each as
// though it were a command line (batch_work.go), and keeps a record of it
// (batch_record.go).
package main
