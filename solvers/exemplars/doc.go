// Package exemplars selects samples that represent all others, from the dissimilarities
// between them: an encoding Z with Z ≥ 0 and 1ᵀZ = 1ᵀ says by zᵢⱼ how much sample i represents
// sample j, and few of its rows are large where Σᵢ ‖zᵢ‖_p is bounded or weighted.
//
//	Kernel, Distances     dissimilarities of samples
//	Split                 A2DM2, and the constrained form by alternating directions
//	DS3                   representatives and labels
//	FactorDissimilarities kernel-mapped dissimilarities between the rows of factors
//	AdaptiveKernel        the kernel behind them, pair after pair
//
// or without an encoding:
//
//	Greedy, Ensemble      determinantal point processes: the most diverse subset of a
//	                      similarity kernel, or one drawn in proportion to its determinant
//	Projection            the sample most along the leading direction of what is left (IPM)
//	FarthestFirst         the sample that those before it reconstruct worst (ESC-FFS)
//	Farthest              the sample farthest from those before it
//
// # Letters and layout
//
// Factors are the factors of X ≈ WH: W n × r has a row for each sample, and W₊ is its nonnegative
// copy (G and H in the papers of SMRMF). Samples are rows, as everywhere in this project. Matrices n × n are kept by columns:
// a column is the encoding of one sample, which is projected on its own, and the
// rows' projections need one number a row. Symmetric matrices are packed. Columns
// are treated in fixed blocks, in parallel; nothing depends on the number of threads.
package exemplars
