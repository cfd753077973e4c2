// Package datasets generates the synthetic data sets of the literature on
// manifold learning, each from one exact definition: name, samples, seed and
// parameters fix every number, so that a result can be quoted against them and
// repeated by other programs.
//
// [Generate] draws a set, [Names] and [Parameters] say what there is. The
// random numbers come from [blas.Stream]. Which of them a set uses for what,
// and in which order, is part of its definition and documented with its code.
// Matrices are filled row by row. A batch of normal numbers begins a
// Box–Muller pair of its own.
//
// [Corrupt] puts the noise of a fixed protocol on images that are given.
//
// A generator is a recipe: its parameters with defaults, its number of
// features, and the drawing itself. The table in datasets.go lists them.
//
// [Load] reads the papers' selections of real sets ([Selections]) from a folder
// that holds their files, which are not part of the project.
package datasets
