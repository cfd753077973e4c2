// Package engine embeds, factorises and clusters data. Manifold learning and nonnegative
// embedding are one pipeline with four steps,
//
//	neighbourhood  →  patch  →  alignment  →  solve
//
// which determine the samples near a sample, the local model of each neighbourhood, the sum of these
// patches, and the constraint on the coordinates. A method is a choice of the four, and a plain
// struct of its parameters, whose zero values mean the documented defaults:
//
//	result, err := engine.Embed(ctx, x, engine.NEML{Neighbors: 15, Dim: 2}, engine.Options{})
//	result.Y // n × d, one row for each sample
//
// A fit makes a [Model] for new samples: [Model.Save] and [LoadModel] write and read it,
// [Model.Transform] maps a matrix, and [Transformer.Stream] maps any number of rows in constant
// memory.
//
// Data may be any gonum matrix. The sparse types of github.com/james-bowman/sparse are accepted, those
// in compressed rows without a copy of their values (package sparse), and stay sparse in the methods
// whose KeepsSparse is true ([Methods]). Sparse results, such as those of [Selected] and [Alignment],
// have a method Storage that returns them in a type of that package.
//
// Methods can also be made by name ([New], [Methods], [Set]), as the command and other languages do.
// Samples are rows everywhere.
//
// Entries may have any finite size. If the largest is above 2¹⁰⁰ or below 2⁻²⁰, all entries are first
// divided by a power of two, which is exact; results are in the unit of the data. If a result
// overflows, such as the eigenvalues of [PCA] for data near 1e200, the error names the entry and the
// number by which to divide the data.
//
// The methods are in package method, models in package model, and the combination of many
// factorisations in package restarts; the steps are in packages of the same
// names below internal (docs/architecture.md).
package engine
