// Package files reads and writes the matrices that orthant works on: one sample
// in a row, NumPy's .npy and .npz, .csv and .tsv, MatrixMarket's .mtx and
// MATLAB's .mat of level 5, recognised by the extension; a second extension .gz
// or .zst says that the file is compressed. "-" is standard input or output as
// .npy, and an input may be compressed there, too. Packages parquet and arrow
// below this one add formats of tables by [Register].
//
// "file.npz:name" and "file.mat:name" name an array, "file.parquet:a,b" columns.
//
// [ReadMatrix] gives a dense matrix whatever the file holds, [ReadSparse] keeps
// a sparse file sparse, and [ReadLabels] reads whole numbers. Readers trust
// nothing that a file says about itself: sizes are checked against the bytes
// that are there before memory is taken, entries must be finite, and whatever is
// wrong comes back as an [*Error] of one line with the place and, where there is
// one, the remedy.
//
// [OpenRows] and [Output.Rows] read and write block after block, in memory that
// does not grow with the number of rows.
//
// An [Output] is a file under construction: a temporary file next to the target,
// made before the long work begins so that a path that cannot be written fails
// early, and renamed onto the target by [Output.Commit], so that an interrupted
// run leaves either the old file or the new one. [DiscardAll] removes whatever
// is under construction, for a handler of interrupts.
package files
