// Package files reads and writes matrices with one sample in each
// row: NumPy's .npy and .npz, text as .csv, .tsv, .txt, .dat and .asc, MatrixMarket's .mtx and
// MATLAB's .mat of level 5, recognised by the extension. A second extension .gz
// or .zst means that the file is compressed. "-" is standard input or output in
// .npy format; input may be compressed there too. Packages parquet and arrow
// below this one add table formats through [Register].
//
// "file.npz:name" and "file.mat:name" name an array, "file.parquet:a,b" columns.
//
// [ReadMatrix] returns a dense matrix whatever the file holds, [ReadSparse] keeps
// a sparse file sparse, and [ReadLabels] reads integers. Readers do not trust
// what a file says about itself: sizes are checked against the available bytes
// before memory is allocated, entries must be finite, and every
// problem is returned as an [*Error] of one line with the position and, if there is
// one, the remedy.
//
// [OpenRows] and [Output.Rows] read and write block after block, in memory that
// does not grow with the number of rows.
//
// An [Output] is a file under construction: a temporary file next to the target.
// It is created before the long computation begins, so a path that cannot be written fails
// early. [Output.Commit] renames it onto the target, so an interrupted
// run leaves either the old file or the new one. [DiscardAll] removes all files
// under construction, for a handler of interrupts.
package files
