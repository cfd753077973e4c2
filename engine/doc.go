// Package engine embeds data sets: manifold learning and nonnegative embedding
// as one pipeline with four steps,
//
//	neighbourhood  →  patch  →  alignment  →  solve
//
// which samples are near a sample, what is kept of each neighbourhood, how the patches are added up,
// and under which constraint the coordinates are found. A method is a choice of the four, and a plain
// struct of its parameters, whose zero values mean the documented defaults:
//
//	result, err := engine.Embed(ctx, x, engine.NEML{Neighbors: 15, Dim: 2}, engine.Options{})
//	result.Y // n × d, one row a sample
//
// A fit makes a [Model] for new samples: [Model.Save] and [LoadModel] write and read it,
// [Model.Transform] maps a matrix, and [Transformer.Stream] maps any number of rows in constant
// memory.
//
// Data are any matrix of gonum. The sparse types of github.com/james-bowman/sparse are accepted, those
// in compressed rows without a copy of their values (package sparse), and stay sparse in the methods
// whose KeepsSparse is true ([Methods]). Sparse results, such as those of [Selected] and [Alignment],
// have a method Storage that returns them in a type of that package.
//
// Methods can also be made by name ([New], [Methods], [Set]), as the command and other languages do.
// Samples are rows everywhere.
//
// Entries may have any finite size. If the largest is above 2¹⁰⁰ or below 2⁻²⁰, all entries are first
// divided by a power of two, which is exact; results are in the unit of the data. If a result is out
// of range, such as the eigenvalues of [PCA] for data near 1e200, the error names the entry and the
// number to divide the data by.
//
// The methods are those of package method, models those of package model, and what many factorisations
// say together is in package restarts; the steps are below internal, in folders with their
// names (docs/architecture.md).
package engine
