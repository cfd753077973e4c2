// Package alm factorizes samples by an augmented Lagrangian: X ≈ WH with
// orthonormal, nonnegative columns of W, which separate clusters, under a loss that
// forgives samples that fit badly and a graph that keeps neighbours together,
//
//	min Σᵢ ‖(X − WH)ᵢ‖₂ + λ tr(WᵀΦW)   under WᵀW = I, W ≥ 0,   Φ = diag(S1) − S.
//
// H is free in sign. The affinities S are fixed ([Fixed]; Huang, Nie, Huang and
// Ding 2014) or are learned from pass to pass ([Graph]; Zhang et al. 2017, Mani,
// Domeniconi and Griva 2020), and even the data may move ([Projector]).
//
// # Letters
//
// Samples are rows, in the papers columns. W₊ is the nonnegative copy of W that the
// iteration splits off: wPlus in the code, [Result].NonnegativePart outside.
//
//	here            the papers of rmnmf and smrmf
//	X    n × m      Xᵀ      samples
//	W    n × r      G       orthonormal indicators, a row a sample
//	W₊   n × r      H       their nonnegative copy
//	H    r × m      Fᵀ      components, a row a component
//	E    n × m      Eᵀ      residual X − WH, split off
//	Φ    n × n      L       graph Laplacian
//	Λ₁, Λ₂          Λ₁ᵀ, Λ₂ multipliers of E and of W₊
//	r               C       clusters
//	V    m × d      W       directions of [Projection], with Y = XV the data
//
// # A pass
//
// With E = X − WH and W₊ = W split off under multipliers Λ₁, Λ₂ and one penalty μ,
// a pass minimizes the augmented Lagrangian over one block after the other:
//
//	bᵢ = (X − WH + Λ₁/μ)ᵢ,  eᵢ = max(0, 1 − 1/(μ‖bᵢ‖)) bᵢ        sample by sample
//	H = (WᵀW)⁻¹WᵀA                       with A = X − E + Λ₁/μ
//	W₊ = max(0, W + Λ₂/μ − (λ/μ)ΦW)
//	W = the orthonormal factor of N = W₊ − Λ₂/μ − (λ/μ)ΦW₊ + AHᵀ
//	Λ₁ += μ(X − WH − E),  Λ₂ += μ(W − W₊),  μ ← min(ρμ, cap)
//
// and the graph learns before the multipliers. Only A and E are kept in addition to X: as
// Λ₁/μ becomes A − WH, one sweep over the samples, a block of them at a time in the
// cache, ends a pass and begins the next, up to the sums WᵀA. A second sweep forms
// AHᵀ. A pass takes 6nmr + O(nr² + nnz(S)r) flops and allocates nothing but for a
// singular N.
//
// # Partitions
//
// The passes close the constraints as μ grows, and need not lower the objective. With
// [Options.Harden] the partitions by the largest entries of W are kept, and the one whose
// feasible factors ([Rays]) have the least objective is returned. The partition of the start
// is included.
//
// Where m is well above n + r, H stays in the span of the samples and of its start, and the
// loss looks at lengths of rows alone: the passes work on n + r columns.
//
// Sums run over chunks of samples that depend on the sizes alone, and are added in
// order: nothing depends on the number of threads.
//
// The problem is not convex and its outcome is not a stable function of the data:
// changes in the sixth digit can move samples between clusters. Compare passes, not
// labels.
package alm
