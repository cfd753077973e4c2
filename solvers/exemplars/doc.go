// Package exemplars selects samples that stand for all others, from the dissimilarities
// between them: an encoding Z with Z ≥ 0 and 1ᵀZ = 1ᵀ says by zᵢⱼ how much sample i stands
// for sample j, and few of its rows are large where Σᵢ ‖zᵢ‖_p is bounded or weighted.
//
//	Kernel, Distances     dissimilarities of samples
//	Split                 A2DM2, and the constrained form by alternating directions
//	DS3                   representatives and labels
//	Latent                kernel-mapped dissimilarities between factors
//
// # Layout
//
// Samples are rows, as everywhere in this project. Matrices n × n are kept by columns:
// a column is the encoding of one sample, which is projected on its own, and the
// rows' projections need one number a row. Symmetric matrices are packed. Columns
// are treated in fixed blocks, in parallel; nothing depends on the number of threads.
package exemplars
