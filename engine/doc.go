// Package engine embeds data sets: manifold learning and nonnegative embedding
// as one pipeline with four steps,
//
//	neighbourhood  →  patch  →  alignment  →  solve
//
// who is local to a sample, what is kept of each neighbourhood, how the patches
// add up, and under which constraint the coordinates are found. A method is a
// plain struct of its parameters, whose zero values mean the documented
// defaults, and a choice of the four:
//
//	result, err := engine.Embed(ctx, x, engine.NEML{Neighbors: 15, Dim: 2}, engine.Options{})
//	result.Y // n × d, one row a sample
//
// What a fit leaves for samples that come later is a [Model]: [Model.Save] and
// [LoadModel] keep it in a file, [Model.Transform] maps a matrix, and
// [Transformer.Stream] any number of rows in constant memory.
//
// Data are any matrix of gonum. The sparse types of github.com/james-bowman/sparse are taken
// as they are, those in compressed rows without a copy of their values (package sparse), and
// stay sparse in [NMF], [NMFKL], [NMFBeta] and [GNMF]. What is sparse in a result, such as [Selected]
// and [Alignment], comes back in that package's type by Storage.
//
// Methods are also found by name ([New], [Methods], [Set]), which is how the
// command and other languages reach them. Samples are rows everywhere.
//
// Entries may have any finite size. Where the largest is above 2¹⁰⁰ or below 2⁻²⁰ all are
// divided by a power of two first, which is exact, and results come back in the unit of
// the data. Squares of it that no number holds, such as the eigenvalues of [PCA] of data
// near 1e200, are an error that names the entry and what to divide the data by.
//
// The work of the steps is in files named after them (nearest.go, patch_….go,
// align….go, solve….go), each method in a file of its own.
package engine
